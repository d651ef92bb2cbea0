/* SPDX-License-Identifier: MIT */
/* Equations in print. Each equation of motion has the accelerations on the left, in the order of
 * the velocities, and forces and multipliers on the right:
 *     M_k1 v_1' + M_k2 v_2' + ... = h_k + C_k1 lambda_1 + ...
 * The constraint rows of a principle without multipliers are printed with the constraints, not
 * here. */
#include <stdio.h>
#include <string.h>

#include "expr/core/role.h"
#include "mech/equations/variants.h"
#include "mech/principles/steps.h"
#include "mech/system/build.h"
#include "write.h"
#include "writer.h"

/* ---------------------------------------------------------------------------------- collecting */

static void add_equation(zw_writer *w, zw_expr left, zw_expr right) {
    zw_paper_equation(&w->paper, left, 0, right, NULL);
}

/* a side of an equation, simplified, with zero quantities removed */
static zw_expr simplify_side(zw_writer *w, zw_expr e) {
    return zw_paper_simpler(&w->paper, zw_subst(w->ctx, e, w->nzero, w->zero, w->zeros));
}

/* sum of row_i symbol_i, collected by the symbols */
static zw_expr row_times(zw_writer *w, int n, const zw_expr *row, const zw_expr *symbols) {
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < n; i++) {
        zw_expr e = zw_subst(w->ctx, row[i], w->nzero, w->zero, w->zeros),
                s = zw_subst(w->ctx, symbols[i], w->nzero, w->zero, w->zeros);
        sum = zw_add(w->ctx, sum, zw_mul(w->ctx, zw_paper_coefficient(&w->paper, e), s));
    }
    return sum;
}

/* the symbol of q_i' */
static zw_expr rate_symbol(zw_writer *w, int i) {
    char name[256];
    snprintf(name, sizeof name, "%.250s'", w->sys->coord[i].name);
    return zw_symbol(w->ctx, name);
}

/* rates q' that are not simply a velocity of the same name */
static void collect_kinematics(zw_writer *w) {
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
            add_equation(w, rate_symbol(w, i), simplify_side(w, eq->qdot[i]));
    }
}

static void collect_states(zw_writer *w) {
    zw_paper_heading(&w->paper, "States");
    for (int i = 0; i < w->eq->nq; i++)
        if (w->sys->coord[i].state && !zw_system_delay_of(w->sys, i))
            add_equation(w, rate_symbol(w, i), simplify_side(w, w->eq->qdot[i]));
}

/* The equations that the states of a delay stand for, as sentences: what is delayed is any
 * expression, and an expression at another time has no notation. */
static void collect_delays(zw_writer *w) {
    const zw_system *s = w->sys;
    zw_paper_heading(&w->paper, "Delays");
    for (int i = 0; i < s->ndelay; i++) {
        zw_expr of = s->delay[i].of;
        if (zw_equations_translate(w->eq, 1, &of, NULL) >= 0)
            zw_paper_say(&w->paper, "%e is the value of %e, delayed by %e.",
                         zw_symbol(w->ctx, s->delay[i].name), simplify_side(w, of),
                         simplify_side(w, s->delay[i].lag));
    }
}

/* the usual letter, or another name if the model uses that letter */
static zw_expr function_symbol(zw_writer *w, const char *letter) {
    return zw_symbol(w->ctx, zw_step_name(w->eq, letter));
}

/* T, V and L = T - V in the velocities of the model; principles based on accelerations do not use
 * L */
static void collect_energies(zw_writer *w) {
    const zw_system *s = w->sys;
    if (s->nv == 0)
        return;
    zw_expr T = function_symbol(w, "T"), V = function_symbol(w, "V"), L = function_symbol(w, "L");
    const char *function = w->eq->function ? w->eq->function_name : "";
    zw_paper_heading(&w->paper, "Kinetic and potential energy");
    add_equation(w, T, simplify_side(w, s->T));
    add_equation(w, V, simplify_side(w, s->potential));
    if (function[0] != 'S' && function[0] != 'Z')
        add_equation(w, L, zw_sub(w->ctx, T, V));
}

static void collect_function(zw_writer *w) {
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
    add_equation(w, function_symbol(w, eq->function_name), simplify_side(w, eq->function));
    if (!has_momenta(eq))
        return;
    zw_paper_heading(&w->paper, "Momenta");
    for (int k = 0; k < eq->nv; k++)
        add_equation(w, eq->v[k], simplify_side(w, eq->from_system[k]));
}

static void collect_motion(zw_writer *w) {
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
        zw_expr right = zw_add(w->ctx, simplify_side(w, eq->h[k]), force);
        if (left != right || !w->nzero) /* 0 = 0 after substituting zeros */
            add_equation(w, left, right);
    }
}

/* the constraints as written in the model */
static void collect_constraints(zw_writer *w) {
    static const char *const level[] = {"position", "velocity", "acceleration"};
    zw_paper_heading(&w->paper, "Constraints");
    for (int i = 0; i < w->sys->nconstraint; i++) {
        const zw_constraint *k = &w->sys->constraint[i];
        if (!w->eq->holds[i])
            continue;
        char label[200];
        snprintf(label, sizeof label, "%.120s, %s level%s", k->name, level[k->level],
                 k->level == ZW_VELOCITY && !k->linear ? ", nonlinear: Chetaev's rule" : "");
        zw_expr residual =
            w->paper.simplify < ZW_TRIG_COMBINED ? k->residual : simplify_side(w, k->residual);
        zw_paper_equation(&w->paper, residual, k->inequality, ZW_ZERO, label);
    }
}

/* the given parts of constraint forces, which are part of the forces already */
static void collect_given(zw_writer *w) {
    int most = w->sys->nforce * w->sys->nv;
    zw_given_entry *entry = ZW_SCRATCH_NEW(w->ctx, zw_given_entry, most);
    int n = entry ? zw_given_work(w->eq, most, entry) : 0;
    zw_paper_heading(&w->paper, ZW_STEP_GIVEN);
    for (int i = 0; i < n && !w->eq->steps; i++)
        add_equation(w, zw_step_given(w->eq, &entry[i]), simplify_side(w, entry[i].value));
}

/* the constraints in the form of the equations */
static void collect_rows(zw_writer *w) {
    const zw_equations *eq = w->eq;
    if (has_momenta(eq))
        zw_paper_heading(&w->paper, "Constraints on the level of {p'|\\dot{p}}");
    else
        zw_paper_heading(&w->paper, "Constraints on acceleration level");
    for (int c = 0; c < eq->nc; c++)
        zw_paper_equation(&w->paper,
                          row_times(w, eq->nv, eq->W + (size_t)c * (size_t)eq->nv, eq->a),
                          eq->inequality ? eq->inequality[c] : 0, simplify_side(w, eq->b[c]), NULL);
    for (int k = 0; k < eq->nv; k++)
        if (is_constraint_row(eq, k))
            add_equation(w, row_times(w, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a),
                         simplify_side(w, eq->h[k]));
}

/* --------------------------------------------------------- quantities that constraints make
 * zero */

/* the symbol that a residual is a multiple of by a number; ZW_NULL otherwise */
static zw_expr single_symbol(const zw_context *ctx, zw_expr residual) {
    int n;
    const zw_expr *args = zw_expr_args(ctx, residual, &n);
    bool multiple = zw_expr_op(ctx, residual) == ZW_OP_SUM && n == 3 && args[0] == ZW_ZERO;
    zw_expr e = multiple ? args[1] : residual;
    return zw_expr_op(ctx, e) == ZW_OP_SYMBOL ? e : ZW_NULL;
}

static void add_zero(zw_writer *w, zw_expr symbol) {
    w->zero[w->nzero] = symbol;
    w->zeros[w->nzero++] = ZW_ZERO;
}

/* a coordinate, velocity or acceleration that vanishes, with its derivatives */
static void add_vanishing(zw_writer *w, zw_expr symbol) {
    const zw_system *s = w->sys;
    for (int i = 0; i < s->nq; i++)
        if (w->eq->q[i] == symbol)
            add_zero(w, symbol);
    for (int k = 0; k < s->nv; k++) {
        const zw_velocity *v = &s->velocity[k];
        bool of_coordinate = v->coord >= 0 && w->eq->q[v->coord] == symbol;
        if (of_coordinate || v->sym == symbol)
            add_zero(w, v->sym);
        if (of_coordinate || v->sym == symbol || v->accel == symbol)
            add_zero(w, v->accel);
    }
}

/* constraints of the form "symbol = 0": at the highest level of simplification these are
 * substituted into the equations */
static void find_zeros(zw_writer *w) {
    const zw_system *s = w->sys;
    int most = s->nconstraint * (1 + 2 * s->nv);
    w->zero = ZW_SCRATCH_NEW(w->ctx, zw_expr, most);
    w->zeros = ZW_SCRATCH_NEW(w->ctx, zw_expr, most);
    if (!w->zero || !w->zeros || w->paper.simplify < ZW_TRIG_COMBINED || has_momenta(w->eq))
        return;
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        zw_expr symbol = single_symbol(w->ctx, c->residual);
        if (!w->eq->holds[i] || c->inequality || !symbol)
            continue;
        int before = w->nzero;
        add_vanishing(w, symbol);
        if (w->nzero > before)
            zw_paper_say(&w->paper,
                         "The constraint %s makes %e and its derivatives zero, which is substituted.",
                         c->name, symbol);
    }
}

/* ------------------------------------------------------------------------------ roles of
 * symbols */

static void add_variable(zw_writer *w, zw_expr *all, int *n, zw_expr symbol, zw_role role) {
    all[(*n)++] = symbol;
    zw_role_mark(w->ctx, 1, &symbol, role);
}

/* everything that is not a parameter, with its role */
static zw_expr *list_variables(zw_writer *w, int *n) {
    const zw_equations *eq = w->eq;
    const zw_system *s = w->sys;
    int most = 1 + 2 * s->nq + 2 * eq->nv + 2 * s->nv + s->nconstraint + s->nsignal;
    zw_expr *all = ZW_SCRATCH_NEW(w->ctx, zw_expr, most);
    *n = 0;
    if (!all)
        return NULL;
    add_variable(w, all, n, s->t, ZW_ROLE_COORDINATE);
    for (int i = 0; i < s->nsignal; i++)
        add_variable(w, all, n, s->signal[i].sym, ZW_ROLE_COORDINATE);
    for (int i = 0; i < s->nq; i++) {
        add_variable(w, all, n, eq->q[i], ZW_ROLE_COORDINATE);
        add_variable(w, all, n, rate_symbol(w, i), ZW_ROLE_RATE);
    }
    for (int i = 0; i < eq->nv; i++) {
        add_variable(w, all, n, eq->v[i], ZW_ROLE_RATE);
        add_variable(w, all, n, eq->a[i], ZW_ROLE_RATE);
    }
    for (int i = 0; i < s->nv; i++) {
        add_variable(w, all, n, s->velocity[i].sym, ZW_ROLE_RATE);
        add_variable(w, all, n, s->velocity[i].accel, ZW_ROLE_RATE);
    }
    for (int i = 0; i < s->nconstraint; i++)
        add_variable(w, all, n, s->constraint[i].lambda, ZW_ROLE_MULTIPLIER);
    return all;
}

/* ------------------------------------------------------------------------------------ the paper */

static void collect_all(zw_writer *w) {
    find_zeros(w);
    collect_kinematics(w);
    collect_motion(w);
    w->nzero = 0;
    collect_constraints(w);
    collect_given(w);
    collect_rows(w);
    collect_states(w);
    collect_delays(w);
}

static char *write_paper(const zw_equations *eq, zw_paper_kind kind, bool fragment,
                         zw_simplification simplify) {
    zw_writer w = {.eq = eq, .sys = eq->sys, .ctx = eq->sys->ctx};
    zw_arena_mark mark = zw_scratch_mark(w.ctx);
    int nvar;
    zw_expr *vars = list_variables(&w, &nvar);
    zw_paper_begin(&w.paper, w.ctx, kind, simplify);
    w.paper.fragment = fragment;
    zw_paper_variables(&w.paper, vars ? nvar : 0, vars);
    zw_write_head(&w);
    if (eq->steps) {
        zw_steps_write(eq->steps, &w.paper);
    } else {
        collect_energies(&w);
        collect_function(&w);
    }
    if (eq->elimination)
        zw_elimination_write(eq, &w.paper);
    else
        collect_all(&w);
    zw_contacts_report(&w);
    char *text = zw_paper_end(&w.paper);
    zw_scratch_release(w.ctx, mark);
    return text;
}

char *zw_equations_write(const zw_equations *eq, zw_equation_format format,
                         zw_simplification simplify) {
    switch (format) {
    case ZW_EQUATIONS_FRAGMENT:
        return write_paper(eq, ZW_PAPER_LATEX, true, simplify);
    case ZW_EQUATIONS_PAGE:
        return write_paper(eq, ZW_PAPER_PAGE, false, simplify);
    case ZW_EQUATIONS_LATEX:
        return write_paper(eq, ZW_PAPER_LATEX, false, simplify);
    default:
        return write_paper(eq, ZW_PAPER_TEXT, false, simplify);
    }
}
