/* SPDX-License-Identifier: MIT */
/* Equations as values of a report: the names of the unknowns and the matrices of
 * zwang/equations.h; every entry is an expression of the model language. Definitions occur only
 * where an entry would be huge without them, in the order in which they use each other. */
#include <math.h>
#include <string.h>

#include "expr/print/expr_report.h"
#include "mech/system/build.h"
#include "write.h"

enum {
    /* characters; recurring parts of longer expressions are defined separately */
    HUGE_EXPRESSION = 1000000,
    NAME_FROM = 24,
    NAMES_MAX = 5000
};

/* All expressions that are written: arrays of a copy of the equations. */
typedef struct parts {
    int n;
    struct {
        zw_expr **array;
        int size;
    } of[24];
} parts;

static void add_part(parts *p, zw_expr **array, int size) {
    if (*array) {
        p->of[p->n].array = array;
        p->of[p->n++].size = size;
    }
}

/* Names recurring parts of long expressions, in copies of the arrays. */
static int name_recurring(zw_context *ctx, parts *p, zw_expr *symbol, zw_expr *value) {
    double longest = 0;
    int n = 0;
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < p->of[k].size; i++, n++)
            longest = fmax(longest, zw_print_length(ctx, (*p->of[k].array)[i]));
    zw_expr *all = longest > (double)HUGE_EXPRESSION ? ZW_SCRATCH_NEW(ctx, zw_expr, n) : NULL;
    if (!all)
        return 0;
    n = 0;
    for (int k = 0; k < p->n; k++) {
        memcpy(all + n, *p->of[k].array, (size_t)p->of[k].size * sizeof *all);
        *p->of[k].array = all + n;
        n += p->of[k].size;
    }
    return zw_name_common(ctx, n, all, 0, NULL, NAME_FROM, NAMES_MAX, symbol, value);
}

/* the steps of a copy, and both sides of their equations as arrays */
static zw_steps *copy_steps(zw_context *ctx, const zw_steps *old, zw_expr **left, zw_expr **right) {
    zw_steps *copy = ZW_SCRATCH_NEW(ctx, zw_steps, 1);
    zw_step_item *item = ZW_SCRATCH_NEW(ctx, zw_step_item, old->n);
    *left = ZW_SCRATCH_NEW(ctx, zw_expr, old->n);
    *right = ZW_SCRATCH_NEW(ctx, zw_expr, old->n);
    if (!copy || !item || !*left || !*right)
        return NULL;
    *copy = (zw_steps){.n = old->n, .item = item};
    for (int i = 0; i < old->n; i++) {
        item[i] = old->item[i];
        (*left)[i] = item[i].words ? ZW_ZERO : item[i].left;
        (*right)[i] = item[i].words ? ZW_ZERO : item[i].right;
    }
    return copy;
}

static void add_elimination(parts *p, zw_elimination *o) {
    add_part(p, &o->velocity, o->ndependent);
    add_part(p, &o->acceleration, o->ndependent);
    add_part(p, &o->A, o->nunknown * o->nunknown);
    add_part(p, &o->r, o->nunknown);
    add_part(p, &o->numerator, o->nunknown);
    add_part(p, &o->denominator, o->nunknown);
    add_part(p, &o->multiplier, o->nmultiplier);
}

static void add_equations(parts *p, zw_equations *eq) {
    add_part(p, &eq->qdot, eq->nq);
    add_part(p, &eq->M, eq->nv * eq->nv);
    add_part(p, &eq->h, eq->nv);
    add_part(p, &eq->C, eq->nv * eq->nc);
    add_part(p, &eq->W, eq->nc * eq->nv);
    add_part(p, &eq->b, eq->nc);
    add_part(p, &eq->phi, eq->npos);
    add_part(p, &eq->psi, eq->nvel);
}

/* eq is a copy already; arrays behind its pointers are copied here. Returns the number of
 * definitions */
static int extract_definitions(zw_context *ctx, zw_equations *eq, zw_expr *symbol, zw_expr *value) {
    zw_expr *function = ZW_SCRATCH_NEW(ctx, zw_expr, 1), *left = NULL, *right = NULL;
    zw_elimination *o = ZW_SCRATCH_NEW(ctx, zw_elimination, 1);
    parts p = {0};
    if (!function || !o)
        return 0;
    *function = eq->function;
    add_equations(&p, eq);
    add_part(&p, &function, eq->function ? 1 : 0);
    if (eq->steps && (eq->steps = copy_steps(ctx, eq->steps, &left, &right))) {
        add_part(&p, &left, eq->steps->n);
        add_part(&p, &right, eq->steps->n);
    }
    if (eq->elimination) {
        *o = *eq->elimination;
        eq->elimination = o;
        add_elimination(&p, o);
    }
    int count = name_recurring(ctx, &p, symbol, value);
    eq->function = *function;
    for (int i = 0; eq->steps && i < eq->steps->n; i++) {
        eq->steps->item[i].left = left[i];
        eq->steps->item[i].right = right[i];
    }
    return count;
}

/* which of the coordinates are states */
static void report_states(zw_report *r, const zw_system *s) {
    zw_report_list(r, "states");
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state)
            zw_report_word(r, NULL, s->coord[i].name);
    zw_report_close(r);
}

/* H, S or Z, of principles that have one */
static void report_function(zw_report *r, const zw_equations *eq) {
    if (!eq->function)
        return;
    zw_report_open(r, "function");
    zw_report_word(r, "name", eq->function_name);
    zw_report_plain(r, "value", eq->sys->ctx, eq->function);
    zw_report_close(r);
}

/* which rows of M v' = h are constraints: their names, null for equations of motion */
static void report_rows(zw_report *r, const zw_equations *eq) {
    zw_report_list(r, "row_constraints");
    for (int k = 0; k < eq->nv; k++) {
        int c = eq->row_constraint ? eq->row_constraint[k] : -1;
        zw_report_word(r, NULL, c >= 0 ? eq->sys->constraint[c].name : NULL);
    }
    zw_report_close(r);
    zw_report_list(r, "inequalities");
    for (int c = 0; c < eq->nc; c++)
        zw_report_count(r, NULL, eq->inequality ? eq->inequality[c] : 0);
    zw_report_close(r);
}

/* the matrices of M v' = h + C lambda, W v' = b, and the residuals of the constraints */
static void report_matrices(zw_report *r, const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    zw_report_plain_list(r, "coordinate_rates", ctx, eq->nq, eq->qdot);
    zw_report_plain_matrix(r, "mass_matrix", ctx, eq->nv, eq->nv, eq->M);
    zw_report_plain_list(r, "forces", ctx, eq->nv, eq->h);
    zw_report_plain_matrix(r, "reaction_matrix", ctx, eq->nc ? eq->nv : 0, eq->nc, eq->C);
    zw_report_plain_matrix(r, "constraint_matrix", ctx, eq->nc, eq->nv, eq->W);
    zw_report_plain_list(r, "constraint_right_sides", ctx, eq->nc, eq->b);
    report_rows(r, eq);
    zw_report_plain_list(r, "position_residuals", ctx, eq->npos, eq->phi);
    zw_report_plain_list(r, "velocity_residuals", ctx, eq->nvel, eq->psi);
}

static void report_definitions(zw_report *r, zw_context *ctx, int n, const zw_expr *symbol,
                               const zw_expr *value) {
    zw_report_list(r, "definitions");
    for (int i = 0; i < n; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", zw_expr_name(ctx, symbol[i]));
        zw_report_plain(r, "value", ctx, value[i]);
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_contacts(zw_report *r, const zw_system *s) {
    zw_report_mute(r, true);
    zw_report_list(r, "contacts");
    for (int i = 0; i < s->ncontact; i++) {
        zw_report_open(r, NULL);
        zw_report_contact(r, s, &s->contact[i]);
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_mute(r, false);
}

static void report_unknowns(zw_report *r, const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    zw_report_plain_list(r, "coordinates", ctx, eq->nq, eq->q);
    report_states(r, eq->sys);
    zw_report_plain_list(r, "velocities", ctx, eq->nv, eq->v);
    zw_report_plain_list(r, "multipliers", ctx, eq->nc, eq->lambda);
    zw_report_plain_list(r, "inputs", ctx, eq->u ? eq->nu : 0, eq->u);
}

void zw_equations_report(const zw_equations *original, zw_report *out) {
    const zw_system *s = original->sys;
    zw_equations copy = *original, *eq = &copy;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *symbol = ZW_SCRATCH_NEW(s->ctx, zw_expr, NAMES_MAX),
            *value = ZW_SCRATCH_NEW(s->ctx, zw_expr, NAMES_MAX);
    int names = symbol && value ? extract_definitions(s->ctx, eq, symbol, value) : 0;
    zw_report_word(out, "variant", s->variant);
    zw_report_word(out, "principle", eq->principle);
    report_unknowns(out, eq);
    report_function(out, eq);
    if (eq->steps)
        zw_steps_report(eq, out);
    if (eq->elimination)
        zw_elimination_report(eq, out);
    report_matrices(out, eq);
    report_definitions(out, s->ctx, names, symbol, value);
    report_contacts(out, s);
    zw_report_count(out, "operations", zw_equations_count(original));
    zw_scratch_release(s->ctx, mark);
    if (zw_context_status(s->ctx, NULL) < 0)
        zw_report_fail(out);
}
