/* SPDX-License-Identifier: MIT */
#include "steps.h"

#include <stdio.h>
#include <string.h>

bool zw_steps_wanted(const zw_equations *eq) {
    return eq->steps != NULL;
}

static void add_item(const zw_equations *eq, zw_step_item item) {
    zw_steps *steps = eq->steps;
    if (!steps || eq->sys->nv == 0 || /* states alone are not derived */

        !zw_mech_grow(eq->sys->ctx, (void **)&steps->item, steps->n, &steps->capacity, sizeof item))
        return;
    item.heading = steps->pending;
    steps->pending = NULL;
    steps->item[steps->n++] = item;
}

void zw_step_heading(const zw_equations *eq, const char *words) {
    if (eq->steps)
        eq->steps->pending = words;
}

void zw_step_sentence(const zw_equations *eq, const char *words) {
    add_item(eq, (zw_step_item){.words = words});
}

void zw_step_labelled(const zw_equations *eq, zw_expr left, int relation, zw_expr right,
                      const char *label) {
    add_item(eq,
             (zw_step_item){.left = left, .relation = relation, .right = right, .label = label});
}

void zw_step(const zw_equations *eq, zw_expr left, zw_expr right) {
    zw_step_labelled(eq, left, 0, right, NULL);
}

/* ------------------------------------------------------------------------------------- notation */

/* a name built from others; 0 if one of them is the null expression, after a failure */
static zw_expr made_of(const zw_equations *eq, const char *format, const char *first,
                       zw_expr second) {
    char name[400];
    const char *of = second ? zw_expr_name(eq->sys->ctx, second) : NULL;
    if (!of)
        return ZW_NULL;
    snprintf(name, sizeof name, format, first, of);
    return zw_symbol(eq->sys->ctx, name);
}

zw_expr zw_step_partial(const zw_equations *eq, const char *of, zw_expr by) {
    return made_of(eq, "d%.180s/d%.180s", of, by);
}

zw_expr zw_step_rate(const zw_equations *eq, zw_expr of) {
    return made_of(eq, "%s %.380s", "d/dt", of);
}

zw_expr zw_step_of(const zw_equations *eq, const char *kind, zw_expr symbol) {
    return made_of(eq, "%.90s(%.280s)", kind, symbol);
}

const char *zw_step_name(const zw_equations *eq, const char *name) {
    const zw_system *s = eq->sys;
    zw_expr symbol = zw_symbol(s->ctx, name);
    bool taken = false;
    for (int i = 0; i < s->np; i++)
        taken |= s->param[i].sym == symbol;
    for (int i = 0; i < s->nq; i++)
        taken |= s->coord[i].sym == symbol;
    for (int i = 0; i < s->nv; i++)
        taken |= s->velocity[i].sym == symbol;
    for (int i = 0; i < s->nsignal; i++)
        taken |= s->signal[i].sym == symbol;
    const char *own = zw_expr_name(s->ctx, taken ? zw_mech_named(s->ctx, name, "sys") : symbol);
    return own ? own : name;
}

zw_expr zw_step_plain(const zw_system *s, int velocity) {
    int coord = s->velocity[velocity].coord;
    for (int i = 0; coord >= 0 && i < s->nq; i++)
        if (s->F[i * s->nv + velocity] != (i == coord ? ZW_ONE : ZW_ZERO))
            return ZW_NULL;
    return coord >= 0 ? s->coord[coord].sym : ZW_NULL;
}

bool zw_step_is_plain(const zw_system *s) {
    for (int k = 0; k < s->nv; k++)
        if (!zw_step_plain(s, k))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------ common passages */

static zw_expr step_symbol(const zw_equations *eq, const char *name) {
    return zw_symbol(eq->sys->ctx, zw_step_name(eq, name));
}

void zw_step_energies(const zw_equations *eq, bool kinetic) {
    const zw_system *s = eq->sys;
    if (!eq->steps)
        return;
    zw_step_heading(eq, "Energies");
    if (kinetic)
        zw_step(eq, step_symbol(eq, "T"), s->T);
    if (s->potential != ZW_ZERO)
        zw_step(eq, step_symbol(eq, "V"), s->potential);
    if (s->dissipation != ZW_ZERO) {
        zw_step(eq, step_symbol(eq, "R"), s->dissipation);
        zw_step_sentence(eq, "{R|R} is Rayleigh's function of dissipation.");
    }
}

zw_expr zw_step_given(const zw_equations *eq, const zw_given_entry *entry) {
    const zw_velocity *v = &eq->sys->velocity[entry->velocity];
    char pair[400];
    snprintf(pair, sizeof pair, "%.190s,%.190s", entry->constraint,
             v->coord >= 0 ? eq->sys->coord[v->coord].name : v->name);
    return zw_mech_named(eq->sys->ctx, "C", pair);
}

/* in Q, or next to it if it depends on multipliers and these are eliminated */
static void report_given(const zw_equations *eq) {
    int most = eq->sys->nforce * eq->sys->nv;
    zw_given_entry *entry = ZW_SCRATCH_NEW(eq->sys->ctx, zw_given_entry, most);
    int n = entry ? zw_given_work(eq, most, entry) : 0;
    zw_step_heading(eq, ZW_STEP_GIVEN);
    for (int i = 0; i < n; i++)
        zw_step(eq, zw_step_given(eq, &entry[i]), entry[i].value);
}

/* the forces of the model, and those of its potential and dissipation */
void zw_step_forces(const zw_equations *eq, const zw_expr *Q, const zw_expr *extra) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    if (!eq->steps)
        return;
    report_given(eq);
    zw_step_heading(
        eq,
        zw_step_is_plain(s)
            ? "Given forces, {Q = forces - dV/dq - dR/dq'|Q = Q^{*} - \\partial V/\\partial q - "
              "\\partial R/\\partial \\dot q}"
            : "Given forces on the velocities, {Q = forces - F^T dV/dq - dR/dv|Q = Q^{*} - "
              "F^{\\mathsf T} \\partial V/\\partial q - \\partial R/\\partial v}");
    for (int k = 0; k < s->nv; k++) {
        zw_expr sum = Q[k];
        for (int c = 0; extra && c < eq->nc; c++)
            sum = zw_add(ctx, sum, zw_mul(ctx, extra[k * eq->nc + c], eq->lambda[c]));
        zw_step(eq, zw_step_of(eq, "Q", eq->v[k]), sum);
    }
}

void zw_step_separate_forces(const zw_equations *eq, const zw_expr *Q, const zw_expr *X) {
    zw_context *ctx = eq->sys->ctx;
    zw_step_forces(eq, Q, NULL);
    if (!eq->steps || !X)
        return;
    zw_step_heading(eq, "In addition, forces that depend on multipliers (those that are not zero)");
    for (int k = 0; k < eq->sys->nv; k++) {
        zw_expr sum = zw_dot(ctx, eq->nc, X + (size_t)k * (size_t)eq->nc, eq->lambda);
        if (sum != ZW_ZERO)
            zw_step(eq, zw_step_of(eq, "R", eq->v[k]), sum);
    }
}

void zw_step_constraint_rows(const zw_equations *eq) {
    const zw_system *s = eq->sys;
    if (!eq->steps)
        return;
    zw_step_heading(eq, "Constraints, differentiated until they contain accelerations");
    for (int c = 0, level = 0; c < eq->nc; c++) {
        const zw_constraint *k = &s->constraint[eq->constraint[c]];
        if (k->level == ZW_POSITION)
            zw_step_labelled(eq, k->residual, 0, ZW_ZERO, k->name);
        if (k->level != ZW_ACCELERATION)
            zw_step_labelled(eq, eq->psi[level++], 0, ZW_ZERO, k->name);
        zw_expr row = zw_dot(s->ctx, eq->nv, eq->W + (size_t)c * (size_t)eq->nv, eq->a);
        zw_step_labelled(eq, row, k->inequality, eq->b[c], k->name);
    }
}

void zw_step_constraint_forces(const zw_equations *eq) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    if (!eq->steps || !eq->nc)
        return;
    zw_step_heading(eq, "Constraint forces, {K = W^T lambda|K = W^{\\mathsf T} \\lambda}: the rows "
                        "of the constraints with their multipliers");
    for (int k = 0; k < s->nv; k++) {
        zw_expr sum = ZW_ZERO;
        for (int c = 0; c < eq->nc; c++)
            sum = zw_add(ctx, sum, zw_mul(ctx, eq->W[c * s->nv + k], eq->lambda[c]));
        zw_step(eq, zw_step_of(eq, "K", eq->v[k]), sum);
    }
}

void zw_step_no_constraints(const zw_equations *eq) {
    if (eq->nc == 0)
        zw_step_sentence(eq, "There are no constraints: {K = 0|K = 0}.");
}

/* delta(x) for the coordinate whose rate it is, delta(u) for a quasi-velocity */
static zw_expr displacement_symbol(const zw_equations *eq, const char *letter, int velocity) {
    const zw_velocity *v = &eq->sys->velocity[velocity];
    return zw_mech_named(eq->sys->ctx, letter,
                         v->coord >= 0 ? eq->sys->coord[v->coord].name : v->name);
}

/* those of zw_split.weight have their own letter */
static void report_tilt(const zw_equations *eq, const zw_split *split, zw_expr *free) {
    if (!zw_split_is_tilted(split))
        return;
    zw_step_heading(eq,
                    "Displacements on which the constraint forces do no work together with the "
                    "forces that depend on them, {epsilon_D = D epsilon_I|\\epsilon_D = D\\, "
                    "\\epsilon_I}: this is the {D|D} with which equations and forces are weighted");
    for (int i = 0; i < split->k; i++)
        free[i] = displacement_symbol(eq, "epsilon", split->indep[i]);
    for (int r = 0; r < split->nc; r++)
        zw_step(eq, displacement_symbol(eq, "epsilon", split->dep[r]),
                zw_dot(eq->sys->ctx, split->k, split->weight + (size_t)r * (size_t)split->k, free));
}

void zw_step_split(const zw_equations *eq, const zw_split *split) {
    zw_context *ctx = eq->sys->ctx;
    int k = split->k;
    zw_expr *free = eq->steps && split->nc ? ZW_SCRATCH_NEW(ctx, zw_expr, k) : NULL;
    if (!free)
        return;
    zw_step_heading(eq, "Dependent velocities, from the constraints");
    for (int i = 0; i < k; i++)
        free[i] = eq->v[split->indep[i]];
    for (int r = 0; split->d && r < split->nc; r++)
        zw_step(eq, eq->v[split->dep[r]],
                zw_add(ctx, split->d[r], zw_dot(ctx, k, split->D + (size_t)r * (size_t)k, free)));
    if (!split->d)
        zw_step_sentence(eq, "A constraint is not affine in the velocities: they stay, and only "
                             "displacements and accelerations are eliminated.");
    zw_step_heading(eq, "Virtual displacements that the constraints allow, {delta_D = D delta_I|"
                        "\\delta_D = D\\, \\delta_I}");
    for (int i = 0; i < k; i++)
        free[i] = displacement_symbol(eq, "delta", split->indep[i]);
    for (int r = 0; r < split->nc; r++)
        zw_step(eq, displacement_symbol(eq, "delta", split->dep[r]),
                zw_dot(ctx, k, split->D + (size_t)r * (size_t)k, free));
    report_tilt(eq, split, free);
    zw_step_heading(eq, "Dependent accelerations");
    for (int i = 0; i < k; i++)
        free[i] = eq->a[split->indep[i]];
    for (int r = 0; r < split->nc; r++)
        zw_step(eq, eq->a[split->dep[r]],
                zw_add(ctx, split->e[r], zw_dot(ctx, k, split->D + (size_t)r * (size_t)k, free)));
}

void zw_step_projected_forces(const zw_equations *eq, const zw_split *split, const zw_expr *Q) {
    if (!eq->steps || !split->nc)
        return;
    zw_step_heading(eq, "Forces on the independent velocities, {P_i = Q_i + sum_D D_Di Q_D|"
                        "P_i = Q_i + \\sum_D D_{Di} Q_D}");
    for (int i = 0; i < split->k; i++)
        zw_step(eq, zw_step_of(eq, "P", eq->v[split->indep[i]]),
                zw_split_project(eq->sys->ctx, split, Q, i));
}
