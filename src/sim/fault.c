/* SPDX-License-Identifier: MIT */
/* The numerics report rows and columns, the user needs names. A fault has the number of a row or
 * column, and the equations know which constraint, start or velocity of the model it belongs to. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "zwang/equations.h"

const zw_constraint *zw_sim_constraint_of(const zw_system *s, zw_expr symbol) {
    for (int k = 0; k < s->nconstraint; k++)
        if (s->constraint[k].lambda == symbol)
            return &s->constraint[k];
    return NULL;
}

void zw_sim_add_text(zw_error *err, const char *fmt, ...) {
    if (!err)
        return;
    size_t used = strlen(err->text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->text + used, sizeof err->text - used, fmt, args);
    va_end(args);
}

typedef struct named_cause {
    char name[160];
    zw_place place;
} named_cause;

static named_cause cause_of_constraint(const zw_constraint *constraint) {
    named_cause c = {.place = constraint->place};
    snprintf(c.name, sizeof c.name, "constraint %s", constraint->name);
    return c;
}

static named_cause cause_of_start(const zw_start *start) {
    named_cause c = {.place = start->place};
    snprintf(c.name, sizeof c.name, "start of %s", start->text);
    return c;
}

/* a row of position level: a constraint or an integral, after them the starts */
static named_cause cause_of_position(const zw_equations *eq, int row) {
    int n = eq->npos - eq->nleaf;
    if (row >= n)
        return cause_of_start(&eq->sys->start[eq->start_pos[row - n]]);
    named_cause c = {.name = ""};
    snprintf(c.name, sizeof c.name, "constraint %s", zw_equations_position_name(eq, row, &c.place));
    return c;
}

static named_cause cause_of_velocity_row(const zw_equations *eq, int row) {
    return row < eq->nvel ? cause_of_constraint(&eq->sys->constraint[eq->vel_constraint[row]])
                          : cause_of_start(&eq->sys->start[eq->start_vel[row - eq->nvel]]);
}

static named_cause cause_of_velocity(const zw_equations *eq, const char *as, int i) {
    const zw_system *s = eq->sys;
    named_cause c = {.name = ""};
    if (!eq->from_system)
        c.place = s->velocity[i].place;
    snprintf(c.name, sizeof c.name, "%s %s", as, zw_expr_name(s->ctx, eq->v[i]));
    return c;
}

static named_cause find_cause(const zw_equations *eq, zw_fault f) {
    const zw_system *s = eq->sys;
    named_cause c = {.name = ""};
    zw_sim_function function;
    switch (f.kind) {
    case ZW_FAULT_MASS:
    case ZW_FAULT_QUASI:
        return cause_of_velocity(eq, "velocity", f.index);
    case ZW_FAULT_CONSTRAINT:
        return cause_of_constraint(&s->constraint[eq->constraint[f.index]]);
    case ZW_FAULT_POSITION:
        return cause_of_position(eq, f.index);
    case ZW_FAULT_VELOCITY:
        return cause_of_velocity_row(eq, f.index);
    case ZW_FAULT_STATE:
        if (f.index >= s->nq)
            return cause_of_velocity(eq, "state", f.index - s->nq);
        snprintf(c.name, sizeof c.name, "state %s", s->coord[f.index].name);
        return c;
    case ZW_FAULT_UNIT:
        snprintf(c.name, sizeof c.name, "quaternion %s", s->coord[f.index].name);
        return c;
    case ZW_FAULT_EVENT:
        function = zw_sim_function_of(s, f.index);
        c.place = function.place;
        snprintf(c.name, sizeof c.name, "%.150s", function.name);
        return c;
    case ZW_FAULT_LAW: /* contacts: reported with their own messages */
    case ZW_FAULT_GAP:
    case ZW_FAULT_CONTACT: /* reported by explain_contact */
    case ZW_FAULT_MEET:    /* reported by explain_meeting */
    case ZW_FAULT_NONE:
        break;
    }
    return c;
}

/* "x = 1.5 m, x' = -2 m/s": as many as fit */
static void write_state(const zw_equations *eq, const double *x, char *out, size_t size) {
    const zw_system *s = eq->sys;
    size_t used = 0;
    for (int i = 0; i < eq->nq + eq->nv && used < size; i++) {
        const char *name = i < eq->nq ? s->coord[i].name : zw_expr_name(s->ctx, eq->v[i - eq->nq]);
        int n = snprintf(out + used, size - used, "%s%s = %.6g", i ? ", " : "", name, x[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* a value that is not finite: names the statement and the part of its expression that is not */
static bool explain_infinite(const zw_equations *eq, const zw_run *run, const double *p,
                             zw_error *err) {
    zw_fault f = zw_run_last_fault(run);
    const double *x = zw_run_fault_state(run);
    zw_blame b;
    if (!x || zw_equations_blame(eq, f.t, p, x, NULL, &b, NULL) < 0 || !b.found)
        return false;
    char state[300];
    write_state(eq, x, state, sizeof state);
    snprintf(err->text, sizeof err->text, "%s has no finite value at t = %.10g s: %s", b.where, f.t,
             b.culprit.text);
    snprintf(err->hint, sizeof err->hint, "the state there is %s", state);
    if (b.place.file)
        snprintf(err->file, sizeof err->file, "%s", b.place.file);
    err->line = b.place.file ? b.place.line : 0;
    err->column = b.place.file ? b.place.column : 0;
    return true;
}

/* An angle whose sine is the length |n x a| of a disc has a negative sine: the disc is not flat,
 * but on its other side. */
static bool is_beyond(const zw_system *s, zw_fault f) {
    bool moves = false;
    for (int i = 0; i < s->nq; i++)
        moves |= zw_depends(s->ctx, s->footing[f.index].valid, s->coord[i].sym);
    return moves && f.value < -0.01;
}

/* the end of a contact, in the words of its statement */
static void explain_contact(const zw_system *s, zw_fault f, zw_error *err) {
    const zw_contact_validity *c = &s->footing[f.index];
    bool beyond = is_beyond(s, f);
    char *valid = beyond ? zw_print_within(s->ctx, c->valid, ZW_TEXT, 120) : NULL;
    if (beyond)
        snprintf(err->text, sizeof err->text,
                 "%s is defined for %s > 0, but this is %.4g at t = %.10g s", c->name,
                 valid ? valid : "(a long expression)", f.value, f.t);
    else if (f.value > 0)
        snprintf(err->text, sizeof err->text,
                 "%s lifts off at t = %.10g s: its pressing force is 0", c->name, f.t);
    else
        snprintf(err->text, sizeof err->text,
                 "%s at t = %.10g s: there the statement %s no longer applies", c->beyond, f.t,
                 c->name);
    zw_string_free(s->ctx, valid);
    bool contact = false;
    for (int i = 0; i < s->ncontact; i++)
        contact |= s->contact[i].name == c->name;
    snprintf(err->hint, sizeof err->hint,
             beyond ? "start from other angles of the same position, for which it is positive"
             : c->stop
                 ? "`, stop` ends a run that has begun; start where the contact force is positive"
             : contact ? "add `, stop` to the statement to end a run there without an error; a "
                         "disk with `, three points` may lie flat and turn over"
                       : "add `, stop` to the statement to end a run there without an error; the "
                         "motion after it needs other constraints");
    if (c->place.file)
        snprintf(err->file, sizeof err->file, "%s", c->place.file);
    err->line = c->place.file ? c->place.line : 0;
    err->column = c->place.file ? c->place.column : 0;
}

static void explain_meeting(const zw_system *s, zw_fault f, zw_error *err) {
    const zw_contact *c = zw_sim_contact(s, f.index);
    snprintf(
        err->text, sizeof err->text,
        "no velocity opens or closes the contact %s at t = %.10g s: its gap has no slope there",
        c->name, f.t);
    snprintf(
        err->hint, sizeof err->hint,
        "was it passed through? take a smaller --step, or a gap that is a distance everywhere");
    if (c->place.file)
        snprintf(err->file, sizeof err->file, "%s", c->place.file);
    err->line = c->place.file ? c->place.line : 0;
    err->column = c->place.file ? c->place.column : 0;
}

/* replaces "row 2" and the like by a name; false if the text has no such words */
static bool put_name(zw_error *err, int number, const char *name) {
    static const char *const words[] = {"the multiplier of constraint row",
                                        "constraint row",
                                        "the rate of velocity",
                                        "the rate of coordinate",
                                        "velocity",
                                        "event function",
                                        "start value",
                                        "state",
                                        "row"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char said[64], rest[sizeof err->text];
        int length = snprintf(said, sizeof said, "%s %d", words[i], number);
        char *at = strstr(err->text, said);
        if (!at || (at[length] >= '0' && at[length] <= '9'))
            continue;
        snprintf(rest, sizeof rest, "%s", at + length);
        snprintf(at, sizeof err->text - (size_t)(at - err->text), "%s%s", name, rest);
        return true;
    }
    return false;
}

/* If every velocity has inertia and M is still singular, the constraints cannot be solved for the
 * velocities that were chosen to be eliminated. */
static bool explain_elimination(const zw_equations *eq, zw_fault f, zw_error *err) {
    const zw_system *s = eq->sys;
    if (f.kind != ZW_FAULT_MASS || err->status != ZW_E_SINGULAR || !eq->dependent ||
        !zw_depends(s->ctx, eq->T, eq->v[f.index]))
        return false;
    snprintf(
        err->text, sizeof err->text,
        "the equations by %s are singular at t = %.10g s: the constraints cannot be solved for",
        eq->principle, f.t);
    const char *comma = " ";
    for (int i = 0; i < eq->nv; i++)
        if (eq->dependent[i]) {
            zw_sim_add_text(err, "%s%s", comma, zw_expr_name(s->ctx, eq->v[i]));
            comma = ", ";
        }
    zw_sim_add_text(err, " there");
    snprintf(
        err->hint, sizeof err->hint,
        "`independent` in the model names velocities to be kept; --by lagrange eliminates none, "
        "--by gauss also takes constraints that depend on each other");
    return true;
}

/* a rotation by its name, and the start that gives it entries */
static void explain_unit(const zw_system *s, zw_fault f, zw_error *err) {
    const char *name = s->coord[f.index].name;
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion == f.index)
            name = s->frame[i].name;
    snprintf(
        err->text, sizeof err->text,
        "the squares of %s.p0 to %s.p3, the unit quaternion of the rotation %s, add up to %.10g "
        "instead of 1",
        name, name, name, f.value);
    snprintf(err->hint, sizeof err->hint,
             "give all four of them with squares that add up to 1; what is not named is 0");
    for (int i = 0; i < s->nstart; i++)
        for (int k = 0; k < 4; k++)
            if (s->start[i].what == s->coord[f.index + k].sym && s->start[i].place.file) {
                snprintf(err->file, sizeof err->file, "%s", s->start[i].place.file);
                err->line = s->start[i].place.line;
                err->column = s->start[i].place.column;
            }
}

void zw_sim_explain(const zw_equations *eq, const zw_run *run, const double *p, zw_error *err) {
    zw_fault f = zw_run_last_fault(run);
    if (!err || f.kind == ZW_FAULT_NONE)
        return;
    if (f.kind == ZW_FAULT_CONTACT) {
        explain_contact(eq->sys, f, err);
        return;
    }
    if (f.kind == ZW_FAULT_MEET) {
        explain_meeting(eq->sys, f, err);
        return;
    }
    if (f.kind == ZW_FAULT_GAP || f.kind == ZW_FAULT_LAW) {
        const zw_contact *c = zw_sim_contact(eq->sys, f.index);
        char wrong[sizeof err->text];
        snprintf(wrong, sizeof wrong, "%s", err->text);
        *err = (zw_error){0};
        if (f.kind == ZW_FAULT_GAP)
            zw_sim_reject_jump(c, f.t, f.value, err);
        else
            zw_sim_reject_law(c, f.t, wrong, f.value, err);
        return;
    }
    if (f.kind == ZW_FAULT_UNIT && err->status == ZW_E_START) {
        explain_unit(eq->sys, f, err);
        return;
    }
    if (err->status == ZW_E_NONFINITE && explain_infinite(eq, run, p, err))
        return;
    if (f.index < 0 || explain_elimination(eq, f, err))
        return;
    named_cause c = find_cause(eq, f);
    if (!put_name(err, f.index + 1, c.name))
        zw_sim_add_text(err, " (%s)", c.name);
    if (c.place.file && !err->file[0]) {
        snprintf(err->file, sizeof err->file, "%s", c.place.file);
        err->line = c.place.line;
        err->column = c.place.column;
    }
}
