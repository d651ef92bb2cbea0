/* SPDX-License-Identifier: MIT */
/* Equations in print. Each equation of motion has what multiplies the accelerations on the left, in
 * the order of the velocities, and forces and multipliers on the right:
 *     M_k1 v_1' + M_k2 v_2' + ... = h_k + C_k1 lambda_1 + ...
 * The constraint rows of a principle without multipliers stand among the constraints, not among these. */
#include <stdio.h>
#include <string.h>

#include "mech/system/build.h"
#include "paper.h"
#include "write.h"

typedef struct writer {
    const zw_equations *eq;
    const zw_system *sys;
    zw_context *ctx;
    zw_paper paper;
} writer;

/* ---------------------------------------------------------------------------------- collecting */

static void add(writer *w, zw_expr left, zw_expr right) {
    zw_paper_equation(&w->paper, left, 0, right, NULL);
}

static zw_expr simpler(writer *w, zw_expr e) {
    return zw_paper_simpler(&w->paper, e);
}

/* sum of row_i symbol_i, collected by the symbols */
static zw_expr row_times(writer *w, int n, const zw_expr *row, const zw_expr *symbols) {
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < n; i++)
        sum = zw_add(w->ctx, sum, zw_mul(w->ctx, simpler(w, row[i]), symbols[i]));
    return sum;
}

/* the symbol of q_i' */
static zw_expr rate_symbol(writer *w, int i) {
    char name[256];
    snprintf(name, sizeof name, "%.250s'", w->sys->coord[i].name);
    return zw_symbol(w->ctx, name);
}

static bool has_momenta(const zw_equations *eq) {
    return eq->system_v != NULL;
}

/* the multipliers are among the states */
static bool has_states_of_multipliers(const zw_equations *eq) {
    return eq->nv > eq->sys->nv;
}

/* q' that is not simply a velocity of the same name */
static void collect_kinematics(writer *w) {
    const zw_equations *eq = w->eq;
    if (has_momenta(eq))
        zw_paper_heading(&w->paper, "Coordinates, {q' = dH/dp|\\dot{q} = \\partial H/\\partial p}");
    else
        zw_paper_heading(&w->paper, "Kinematics");
    for (int i = 0; i < eq->nq; i++) {
        bool plain = w->sys->coord[i].state;
        for (int k = 0; k < w->sys->nv; k++)
            plain |= w->sys->velocity[k].coord == i && eq->qdot[i] == eq->v[k];
        if (!plain)
            add(w, rate_symbol(w, i), simpler(w, eq->qdot[i]));
    }
}

static void collect_states(writer *w) {
    zw_paper_heading(&w->paper, "States");
    for (int i = 0; i < w->eq->nq; i++)
        if (w->sys->coord[i].state)
            add(w, rate_symbol(w, i), simpler(w, w->eq->qdot[i]));
}

static void collect_function(writer *w) {
    const zw_equations *eq = w->eq;
    if (!eq->function || eq->nv == 0)
        return;
    switch (eq->function_name[0]) {
    case 'H':
        zw_paper_heading(&w->paper, "Hamilton's function");
        break;
    case 'S':
        zw_paper_heading(&w->paper, "The energy of acceleration");
        break;
    default:
        zw_paper_heading(&w->paper,
                         "The Zwang, least among the accelerations that the constraints allow");
    }
    add(w, zw_symbol(w->ctx, eq->function_name), simpler(w, eq->function));
    if (!has_momenta(eq))
        return;
    zw_paper_heading(&w->paper, "Momenta");
    for (int k = 0; k < eq->nv; k++)
        add(w, eq->v[k], simpler(w, eq->from_system[k]));
}

static bool is_constraint_row(const zw_equations *eq, int k) {
    return eq->row_constraint && eq->row_constraint[k] >= 0;
}

static void collect_motion(writer *w) {
    const zw_equations *eq = w->eq;
    if (has_momenta(eq))
        zw_paper_heading(&w->paper, "Momenta, {p' = -dH/dq + forces|"
                                    "\\dot{p} = -\\partial H/\\partial q + \\text{forces}}");
    else
        zw_paper_heading(&w->paper, "Equations of motion");
    for (int k = 0; k < eq->nv; k++) {
        if (is_constraint_row(eq, k))
            continue;
        zw_expr left = row_times(w, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a);
        zw_expr force = row_times(w, eq->nc, eq->C + (size_t)k * (size_t)eq->nc, eq->lambda);
        add(w, left, zw_add(w->ctx, simpler(w, eq->h[k]), force));
    }
}

/* the constraints as the model says them */
static void collect_constraints(writer *w) {
    static const char *const level[] = {"position", "velocity", "acceleration"};
    zw_paper_heading(&w->paper, "Constraints");
    for (int i = 0; i < w->sys->nconstraint; i++) {
        const zw_constraint *k = &w->sys->constraint[i];
        if (!w->eq->holds[i])
            continue;
        char label[200];
        snprintf(label, sizeof label, "%.120s, %s level%s", k->name, level[k->level],
                 k->level == ZW_VELOCITY && !k->linear ? ", nonlinear: Chetaev's rule" : "");
        zw_paper_equation(&w->paper, k->residual, k->inequality, ZW_ZERO, label);
    }
}

/* the constraints as the equations have them */
static void collect_rows(writer *w) {
    const zw_equations *eq = w->eq;
    if (has_momenta(eq))
        zw_paper_heading(&w->paper, "Constraints on the level of {p'|\\dot{p}}");
    else
        zw_paper_heading(&w->paper, "Constraints on acceleration level");
    for (int c = 0; c < eq->nc; c++)
        zw_paper_equation(&w->paper,
                          row_times(w, eq->nv, eq->W + (size_t)c * (size_t)eq->nv, eq->a),
                          eq->inequality ? eq->inequality[c] : 0, simpler(w, eq->b[c]), NULL);
    for (int k = 0; k < eq->nv; k++)
        if (is_constraint_row(eq, k))
            add(w, row_times(w, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a),
                simpler(w, eq->h[k]));
}

/* everything that is no parameter */
static zw_expr *variables(writer *w, int *n) {
    const zw_equations *eq = w->eq;
    const zw_system *s = w->sys;
    int most = 1 + 2 * s->nq + 2 * eq->nv + 2 * s->nv + s->nconstraint + s->nsignal;
    zw_expr *all = ZW_SCRATCH_NEW(w->ctx, zw_expr, most);
    *n = 0;
    if (!all)
        return NULL;
    all[(*n)++] = s->t;
    for (int i = 0; i < s->nsignal; i++)
        all[(*n)++] = s->signal[i].sym;
    for (int i = 0; i < s->nq; i++) {
        all[(*n)++] = eq->q[i];
        all[(*n)++] = rate_symbol(w, i);
    }
    for (int i = 0; i < eq->nv; i++) {
        all[(*n)++] = eq->v[i];
        all[(*n)++] = eq->a[i];
    }
    for (int i = 0; i < s->nv; i++) {
        all[(*n)++] = s->velocity[i].sym;
        all[(*n)++] = s->velocity[i].accel;
    }
    for (int i = 0; i < s->nconstraint; i++)
        all[(*n)++] = s->constraint[i].lambda;
    return all;
}

/* --------------------------------------------------------------------------------- the heading */

long zw_equations_count(const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    int nv = eq->nv, nc = eq->nc, n = nv * nv + nv + 2 * nv * nc + nc, at = 0;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_expr *all = ZW_SCRATCH_NEW(ctx, zw_expr, n);
    if (!all)
        return -1;
    const zw_expr *parts[] = {eq->M, eq->h, eq->C, eq->W, eq->b};
    const int sizes[] = {nv * nv, nv, nv * nc, nc * nv, nc};
    for (int k = 0; k < 5; k++) {
        memcpy(all + at, parts[k], (size_t)sizes[k] * sizeof *all);
        at += sizes[k];
    }
    long count = zw_count(ctx, n, all);
    zw_scratch_release(ctx, mark);
    return count;
}

static void put_count(zw_text *out, int n, const char *one, const char *many) {
    zw_text_printf(out, "%d %s", n, n == 1 ? one : many);
}

static void put_unknowns(zw_text *out, const zw_equations *eq) {
    int nv = eq->sys->nv;
    if (has_momenta(eq))
        put_count(out, nv, "rate of a momentum", "rates of momenta");
    else
        put_count(out, nv, "acceleration", "accelerations");
    if (eq->nc) {
        zw_text_put(out, " and ");
        put_count(out, eq->nc, "multiplier", "multipliers");
    } else if (has_states_of_multipliers(eq)) {
        zw_text_put(out, " and ");
        put_count(out, eq->nv - nv, "rate of a multiplier", "rates of multipliers");
    }
}

/* "5 coordinates, 5 velocities; 7 equations (...) for 5 accelerations and 2 multipliers" */
static void put_sizes(zw_text *out, const zw_equations *eq) {
    int constraints = eq->nc, nv = eq->sys->nv, states = 0;
    for (int k = 0; k < eq->nv; k++)
        constraints += is_constraint_row(eq, k);
    int motion = eq->nv + eq->nc - constraints;
    for (int i = 0; i < eq->nq; i++)
        states += eq->sys->coord[i].state;
    if (states < eq->nq || !states) {
        put_count(out, eq->nq - states, "coordinate", "coordinates");
        zw_text_put(out, ", ");
    }
    if (states) {
        put_count(out, states, "state", "states");
        zw_text_put(out, nv ? ", " : "");
    }
    if (!nv)
        return;
    put_count(out, nv, "velocity", "velocities");
    zw_text_put(out, "; ");
    put_count(out, motion + constraints, "equation", "equations");
    if (constraints)
        zw_text_printf(out, " (%d of motion, %d of constraints)", motion, constraints);
    zw_text_put(out, " for ");
    put_unknowns(out, eq);
    zw_text_printf(out, "; %ld operations", zw_equations_count(eq));
}

static void say_sizes(writer *w) {
    zw_allocator alloc = zw_context_allocator(w->ctx);
    zw_text sizes;
    zw_text_init(&sizes, &alloc);
    put_sizes(&sizes, w->eq);
    zw_paper_say(&w->paper, "%s", zw_text_get(&sizes));
    w->paper.failed |= sizes.failed;
    zw_text_clear(&sizes);
}

static void put_velocities(writer *w, zw_text *out, const char *kind, bool dependent) {
    bool first = true;
    for (int k = 0; k < w->eq->nv; k++) {
        if (is_constraint_row(w->eq, k) != dependent)
            continue;
        zw_text_printf(out, "%s %s", first ? kind : ",", zw_expr_name(w->ctx, w->eq->v[k]));
        first = false;
    }
    zw_text_put(out, first || dependent ? "" : "; ");
}

static void say_velocities(writer *w) {
    zw_allocator alloc = zw_context_allocator(w->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    put_velocities(w, &out, "Independent velocities:", false);
    put_velocities(w, &out, "dependent:", true);
    zw_paper_say(&w->paper, "%s", zw_text_get(&out));
    w->paper.failed |= out.failed;
    zw_text_clear(&out);
}

/* what the reader has to know beside the equations, one line each */
static void say_notes(writer *w) {
    const zw_equations *eq = w->eq;
    bool nonlinear = false, unilateral = false, constrained = false;
    for (int i = 0; i < w->sys->nconstraint; i++) {
        const zw_constraint *c = &w->sys->constraint[i];
        constrained |= eq->holds[i];
        nonlinear |= eq->holds[i] && c->level == ZW_VELOCITY && !c->linear;
        unilateral |= eq->holds[i] && c->inequality;
    }
    if (has_states_of_multipliers(eq))
        zw_paper_say(&w->paper,
                     "The multipliers are states: their start values belong to the start.");
    else if (eq->row_constraint && constrained)
        say_velocities(w);
    if (nonlinear)
        zw_paper_say(&w->paper,
                     "Constraints nonlinear in the velocities by Chetaev's rule: virtual "
                     "displacements satisfy {(dpsi/dv) dpi = 0|"
                     "(\\partial\\psi/\\partial v)\\, \\delta\\pi = 0}.");
    if (unilateral)
        zw_paper_say(&w->paper, "Inequalities: each multiplier has the sign of its inequality, and "
                                "is zero where that holds strictly.");
}

static void say_heading(writer *w) {
    const zw_system *s = w->sys;
    const zw_principle *principle = zw_principle_find(w->eq->principle);
    zw_paper_title(&w->paper, "%s%s%s: equations by %s", s->name, s->variant[0] ? ", variant " : "",
                   s->variant, w->eq->principle);
    if (principle)
        zw_paper_say(&w->paper, "%s", principle->about);
    w->paper.principle = w->eq->principle;
    w->paper.about = principle ? principle->about : "";
}

static char *write_paper(const zw_equations *eq, zw_paper_kind kind, zw_simplification simplify) {
    writer w = {.eq = eq, .sys = eq->sys, .ctx = eq->sys->ctx};
    zw_arena_mark mark = zw_scratch_mark(w.ctx);
    int nvar;
    zw_expr *vars = variables(&w, &nvar);
    zw_paper_begin(&w.paper, w.ctx, kind, simplify);
    zw_paper_variables(&w.paper, vars ? nvar : 0, vars);
    say_heading(&w);
    say_sizes(&w);
    say_notes(&w);
    if (eq->steps)
        zw_steps_tell(eq->steps, &w.paper);
    else
        collect_function(&w);
    collect_kinematics(&w);
    collect_motion(&w);
    collect_constraints(&w);
    collect_rows(&w);
    collect_states(&w);
    char *text = zw_paper_end(&w.paper);
    zw_scratch_release(w.ctx, mark);
    return text;
}

static char *write_json(const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    zw_allocator alloc = zw_context_allocator(ctx);
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_write_json(&out, eq);
    zw_scratch_release(ctx, mark);
    out.failed |= zw_context_status(ctx, NULL) < 0;
    return zw_text_take(&out);
}

char *zw_equations_write(const zw_equations *eq, zw_equation_format format,
                         zw_simplification simplify) {
    switch (format) {
    case ZW_EQUATIONS_JSON:
        return write_json(eq);
    case ZW_EQUATIONS_PAGE:
        return write_paper(eq, ZW_PAPER_PAGE, simplify);
    case ZW_EQUATIONS_LATEX:
        return write_paper(eq, ZW_PAPER_LATEX, simplify);
    default:
        return write_paper(eq, ZW_PAPER_TEXT, simplify);
    }
}
