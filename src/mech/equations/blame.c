/* SPDX-License-Identifier: MIT */
/* Checks the statements of the model one after the other, causes before effects: are their
 * expressions finite at the given point? The first that is not is the cause. Derivatives come last:
 * a force like sqrt(x) is finite at 0, its Jacobian is not. */
#include "zwang/equations.h"

#include <math.h>
#include <stdio.h>

#include "mech/principles/forces.h"

typedef struct finite_check {
    const zw_equations *eq;
    const zw_system *s;
    zw_context *ctx;
    int n; /* symbols with known values */
    zw_expr *sym;
    double *value;
    bool slopes; /* check the derivatives instead of the values */
    zw_blame *out;
    zw_error *err;
} finite_check;

/* -------------------------------------------------------------------------------------- asking */

static void record_culprit(finite_check *q, const char *where, zw_place place,
                           const zw_nonfinite_part *culprit) {
    q->out->found = true;
    q->out->place = place;
    q->out->culprit = *culprit;
    snprintf(q->out->where, sizeof q->out->where, "%s", where);
}

/* checks one expression in the unknowns of the equations */
static bool check_value(finite_check *q, zw_expr e, const char *where, zw_place place) {
    zw_nonfinite_part culprit;
    if (e == ZW_NULL || zw_foreign_symbol(q->ctx, e, q->n, q->sym) ||
        !zw_find_nonfinite_part(q->ctx, e, q->n, q->sym, q->value, &culprit))
        return false;
    record_culprit(q, where, place, &culprit);
    return true;
}

static bool check_slopes(finite_check *q, zw_expr e, const char *where, zw_place place) {
    const zw_equations *eq = q->eq;
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        zw_expr x = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        char text[160];
        snprintf(text, sizeof text, "the derivative of %.80s by %.50s", where,
                 zw_expr_name(q->ctx, x));
        if (check_value(q, zw_diff(q->ctx, e, x), text, place))
            return true;
    }
    return false;
}

static bool check_expressions(finite_check *q, int n, const zw_expr *e, const char *where,
                              zw_place place) {
    for (int i = 0; i < n && !q->out->found; i++)
        (q->slopes ? check_slopes : check_value)(q, e[i], where, place);
    return q->out->found;
}

/* checks expressions of the system */
static zw_status check_system(finite_check *q, int n, const zw_expr *e, const char *where,
                              zw_place place) {
    zw_expr *own = ZW_SCRATCH_NEW(q->ctx, zw_expr, n);
    if (!own)
        return zw_context_status(q->ctx, q->err);
    for (int i = 0; i < n; i++)
        own[i] = e[i];
    ZW_TRY(zw_equations_translate(q->eq, n, own, q->err));
    check_expressions(q, n, own, where, place);
    return zw_context_status(q->ctx, q->err);
}

/* "force friction" */
static const char *label_name(const char *word, const char *name, char out[160]) {
    snprintf(out, 160, "%s %.120s", word, name);
    return out;
}

/* ---------------------------------------------------------------------------------- statements */

static zw_status check_masses(finite_check *q) {
    char label[160];
    for (int i = 0; i < q->s->nparticle && !q->out->found; i++) {
        const zw_particle *p = &q->s->particle[i];
        zw_expr e[7] = {p->mass, p->r[0], p->r[1], p->r[2], p->v[0], p->v[1], p->v[2]};
        ZW_TRY(check_system(q, 7, e, label_name("particle", p->name, label), p->place));
    }
    for (int i = 0; i < q->s->nbody && !q->out->found; i++) {
        const zw_body *b = &q->s->body[i];
        const zw_expr e[7] = {b->mass, b->r[0], b->r[1], b->r[2], b->v[0], b->v[1], b->v[2]};
        label_name("body", b->name, label);
        ZW_TRY(check_system(q, 7, e, label, b->place));
        if (!q->out->found)
            ZW_TRY(check_system(q, 6, b->J, label, b->place));
    }
    return ZW_OK;
}

static zw_status check_forces(finite_check *q) {
    for (int i = 0; i < q->s->nforce && !q->out->found; i++) {
        const zw_force *f = &q->s->force[i];
        char name[120], label[160];
        if (!zw_mech_force_acts(q->s, q->eq->holds, f))
            continue;
        zw_force_label(q->s, f, name, sizeof name);
        if (f->name[0])
            label_name(f->constraint ? "nonideal" : "force", name, label);
        else
            snprintf(label, sizeof label, "%s", name);
        ZW_TRY(check_system(q, f->n, f->values, label, f->place));
        if (!q->out->found)
            ZW_TRY(check_system(q, q->s->nv, f->Q, label, f->place));
    }
    return ZW_OK;
}

/* V, R and T, and their gradients, which enter the equations of motion */
static zw_status check_energies(finite_check *q) {
    const zw_system *s = q->s;
    zw_place nowhere = {0};
    int wide = s->nq > s->nv ? s->nq : s->nv;
    zw_expr *e = ZW_SCRATCH_NEW(q->ctx, zw_expr, wide), *x = ZW_SCRATCH_NEW(q->ctx, zw_expr, s->nq),
            *v = ZW_SCRATCH_NEW(q->ctx, zw_expr, s->nv);
    if (!e || !x || !v)
        return zw_context_status(q->ctx, q->err);
    zw_mech_symbols(s, x, v, NULL);
    ZW_TRY(check_system(q, 1, &s->potential, "the potential", nowhere));
    zw_gradient(q->ctx, s->potential, s->nq, x, e);
    if (!q->out->found)
        ZW_TRY(check_system(q, s->nq, e, "the gradient of the potential", nowhere));
    zw_gradient(q->ctx, s->dissipation, s->nv, v, e);
    if (!q->out->found)
        ZW_TRY(check_system(q, s->nv, e, "the dissipation", nowhere));
    if (!q->out->found)
        ZW_TRY(check_system(q, 1, &s->T, "the kinetic energy", nowhere));
    return ZW_OK;
}

static zw_status check_constraints(finite_check *q) {
    const zw_equations *eq = q->eq;
    char label[160];
    for (int i = 0; i < q->s->nconstraint && !q->out->found; i++) {
        const zw_constraint *c = &q->s->constraint[i];
        if (eq->holds[i])
            ZW_TRY(check_system(q, 1, &c->residual, label_name("constraint", c->name, label),
                                c->place));
    }
    for (int i = 0; i < eq->nc && !q->out->found; i++) {
        const zw_constraint *c = &q->s->constraint[eq->constraint[i]];
        label_name("constraint", c->name, label);
        if (!check_expressions(q, eq->nv, eq->W + (size_t)i * (size_t)eq->nv, label, c->place))
            check_expressions(q, 1, &eq->b[i], label, c->place);
    }
    return zw_context_status(q->ctx, q->err);
}

/* the equations that the principle derived */
static void check_equations(finite_check *q) {
    const zw_equations *eq = q->eq;
    char label[160];
    for (int i = 0; i < eq->nq && !q->out->found; i++)
        check_expressions(q, 1, &eq->qdot[i], label_name("the rate of", q->s->coord[i].name, label),
                          q->s->coord[i].place);
    for (int i = 0; i < eq->nv && !q->out->found; i++) {
        zw_place nowhere = {0};
        label_name("the equation of motion of", zw_expr_name(q->ctx, eq->v[i]), label);
        if (!check_expressions(q, eq->nv, eq->M + (size_t)i * (size_t)eq->nv, label, nowhere) &&
            !check_expressions(q, 1, &eq->h[i], label, nowhere))
            check_expressions(q, eq->nc, eq->C + (size_t)i * (size_t)eq->nc, label, nowhere);
    }
}

static zw_status check_output(finite_check *q) {
    const zw_system *s = q->s;
    char label[160];
    for (int i = 0; i < q->eq->nobservable && !q->out->found; i++)
        ZW_TRY(check_system(q, 1, &s->observable[i].value,
                            label_name("observable", s->observable[i].name, label),
                            s->observable[i].place));
    for (int i = 0; i < q->eq->nevent && !q->out->found; i++) {
        const zw_event *e = &s->event[i];
        ZW_TRY(check_system(q, 1, &e->value, label_name("event", e->name, label), e->place));
        for (int k = 0; k < e->naction && !q->out->found; k++)
            if (e->action[k].kind == ZW_ACTION_SET)
                ZW_TRY(check_system(q, 1, &e->action[k].value, label, e->action[k].place));
    }
    return ZW_OK;
}

static zw_status check_all(finite_check *q) {
    ZW_TRY(check_masses(q));
    if (!q->out->found)
        ZW_TRY(check_forces(q));
    if (!q->out->found)
        ZW_TRY(check_energies(q));
    if (!q->out->found)
        ZW_TRY(check_constraints(q));
    if (!q->out->found)
        check_equations(q);
    if (!q->out->found && !q->slopes) /* no solver evaluates the slopes of these */
        ZW_TRY(check_output(q));
    return zw_context_status(q->ctx, q->err);
}

/* ----------------------------------------------------------------------------------- the point */

static void add_known(finite_check *q, zw_expr sym, double value) {
    q->sym[q->n] = sym;
    q->value[q->n++] = value;
}

static zw_status take_point(finite_check *q, double t, const double *p, const double *x,
                            const double *z) {
    const zw_equations *eq = q->eq;
    int nx = eq->nq + eq->nv, nz = eq->nv + eq->nc;
    int size = q->s->np + 1 + nx + nz + q->s->nsignal;
    q->sym = ZW_SCRATCH_NEW(q->ctx, zw_expr, size);
    q->value = ZW_SCRATCH_NEW(q->ctx, double, size);
    if (!q->sym || !q->value)
        return zw_context_status(q->ctx, q->err);
    add_known(q, q->s->t, t);
    for (int i = 0; i < q->s->np; i++)
        add_known(q, q->s->param[i].sym, p[i]);
    /* the value in the model; a caller may have set another */
    for (int i = 0; i < q->s->nsignal; i++)
        add_known(q, q->s->signal[i].sym, zw_system_signal_at(q->s, i, p, t, t));
    for (int i = 0; i < nx; i++)
        add_known(q, i < eq->nq ? eq->q[i] : eq->v[i - eq->nq], x[i]);
    for (int i = 0; z && i < nz; i++)
        if (isfinite(z[i]))
            add_known(q, i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv], z[i]);
    return ZW_OK;
}

static zw_status find_nonfinite(const zw_equations *eq, double t, const double *p, const double *x,
                                const double *z, zw_blame *out, zw_error *err) {
    finite_check q = {.eq = eq, .s = eq->sys, .ctx = eq->sys->ctx, .out = out, .err = err};
    *out = (zw_blame){0};
    ZW_TRY(take_point(&q, t, p, x, z));
    if (check_expressions(&q, q.n, q.sym, "the state", (zw_place){0}))
        return ZW_OK;
    ZW_TRY(check_all(&q));
    if (out->found)
        return ZW_OK;
    q.slopes = true;
    return check_all(&q);
}

zw_status zw_equations_blame(const zw_equations *eq, double t, const double *p, const double *x,
                             const double *z, zw_blame *out, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(eq->sys->ctx);
    zw_status status = find_nonfinite(eq, t, p, x, z, out, err);
    zw_scratch_release(eq->sys->ctx, mark);
    return status;
}
