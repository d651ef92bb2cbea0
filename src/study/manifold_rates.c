/* SPDX-License-Identifier: MIT */
/* Equations of first order for what moves by itself. Lagrange's equations with the constraints put in (zw_equations_eliminate) give the
 * dependent velocities and the independent accelerations, num/den by Cramer's rule where few of them are coupled, by elimination otherwise. A constraint
 * on positions gives the coordinate that it is linear in, with a factor that does not move. What is left is the state, autonomous:
 *
 *     z = (coordinates and states that are not replaced, independent velocities),    z_i' = num_i(z)/den_i(z). */
#include <math.h>
#include <string.h>

#include "manifold.h"

static zw_status put_velocities(zw_manifold *m, const zw_elimination *o, zw_error *err) {
    if (o->ndependent && !o->velocity) {
        zw_fail(err, ZW_E_MODEL,
                "a constraint that is not affine in the velocities leaves no state to expand in");
        zw_error_hint(err, "state the equations with velocities that fulfil it");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < o->ndependent; i++) {
        m->symbol[m->nreplaced] = m->eq.v[o->dependent[i]];
        m->where[m->nreplaced] = m->eq.nq + o->dependent[i];
        m->value[m->nreplaced++] = o->velocity[i];
    }
    return ZW_OK;
}

static bool is_replaced(const zw_manifold *m, zw_expr sym) {
    for (int i = 0; i < m->nreplaced; i++)
        if (m->symbol[i] == sym)
            return true;
    return false;
}

static bool moves(const zw_manifold *m, zw_expr e) {
    return zw_depends_any(m->ctx, e, m->eq.nq, m->eq.q) ||
           zw_depends_any(m->ctx, e, m->eq.nv, m->eq.v) || zw_depends(m->ctx, e, m->sys->t);
}

static zw_expr put_in(const zw_manifold *m, zw_expr e) {
    return zw_subst(m->ctx, e, m->nreplaced, m->symbol, m->value);
}

/* the coordinate that a constraint gives, as a formula of the others */
static zw_status put_coordinate(zw_manifold *m, int row, zw_error *err) {
    const zw_equations *eq = &m->eq;
    zw_expr phi = put_in(m, eq->phi[row]);
    for (int k = 0; k < eq->nq; k++) {
        zw_expr q = eq->q[k], coef, rest;
        if (is_replaced(m, q) || !zw_depends(m->ctx, phi, q) ||
            !zw_linear(m->ctx, phi, 1, &q, &coef, &rest) || coef == ZW_ZERO || moves(m, coef))
            continue;
        zw_expr value = zw_neg(m->ctx, zw_div(m->ctx, rest, coef));
        for (int i = 0; i < m->nreplaced; i++)
            m->value[i] = zw_subst(m->ctx, m->value[i], 1, &q, &value);
        m->symbol[m->nreplaced] = q;
        m->where[m->nreplaced] = k;
        m->value[m->nreplaced++] = value;
        return zw_context_status(m->ctx, err);
    }
    zw_fail(err, ZW_E_MODEL, "the constraint %s gives no coordinate as a formula of the others",
            zw_equations_position_name(eq, row, NULL));
    zw_error_hint(err, "state the model in coordinates that fulfil it");
    return ZW_E_MODEL;
}

/* ----------------------------------------------------------------------------------------- accelerations */

static int unknown_of(const zw_elimination *o, zw_expr accel) {
    for (int j = 0; j < o->nunknown; j++)
        if (o->unknown[j] == accel)
            return j;
    return -1;
}

/* all unknowns by elimination, where Cramer's rule was not taken */
static zw_status solve_all(zw_manifold *m, const zw_elimination *o, zw_expr **out, zw_error *err) {
    int n = o->nunknown;
    zw_expr *A = ZW_MANIFOLD_NEW(m, zw_expr, n * n), *b = ZW_MANIFOLD_NEW(m, zw_expr, n);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int i = 0; i < n * n; i++)
        A[i] = put_in(m, o->A[i]);
    for (int i = 0; i < n; i++)
        b[i] = put_in(m, o->r[i]);
    if (!zw_manifold_solve(m, n, 1, A, b)) {
        zw_fail(err, ZW_E_MODEL, "the accelerations do not follow from the state at the start");
        zw_error_hint(err, "masses or inertias are missing, or the start is singular");
        return ZW_E_MODEL;
    }
    *out = b;
    return zw_context_status(m->ctx, err);
}

static zw_status add_velocities(zw_manifold *m, const zw_elimination *o, zw_error *err) {
    zw_expr *all = NULL;
    for (int i = 0; i < o->nindependent; i++) {
        int k = o->independent[i], j = unknown_of(o, m->eq.a[k]);
        zw_rated *e = &m->entry[m->nentry++];
        *e = (zw_rated){m->sys->velocity[k].name,
                        m->sys->velocity[k].unit,
                        m->eq.v[k],
                        0,
                        ZW_ONE,
                        m->eq.nq + k};
        if (j < 0)
            return zw_fail(err, ZW_E_MODEL, "the acceleration of %s has no equation", e->name);
        if (o->reason[j] != ZW_EXPLICIT && !all)
            ZW_TRY(solve_all(m, o, &all, err));
        e->num = all ? all[j] : put_in(m, o->numerator[j]);
        e->den = all ? ZW_ONE : put_in(m, o->denominator[j]);
    }
    return ZW_OK;
}

static void add_coordinates(zw_manifold *m) {
    for (int k = 0; k < m->eq.nq; k++)
        if (!is_replaced(m, m->eq.q[k]))
            m->entry[m->nentry++] = (zw_rated){m->sys->coord[k].name,
                                               m->sys->coord[k].unit,
                                               m->eq.q[k],
                                               put_in(m, m->eq.qdot[k]),
                                               ZW_ONE,
                                               k};
}

static zw_status check_autonomous(const zw_manifold *m, zw_error *err) {
    for (int i = 0; i < m->nentry; i++) {
        const zw_rated *e = &m->entry[i];
        if (zw_depends(m->ctx, e->num, m->sys->t) || zw_depends(m->ctx, e->den, m->sys->t)) {
            zw_fail(err, ZW_E_MODEL, "the rate of %s depends on time", e->name);
            zw_error_hint(err,
                          "make time a state of the model, state s : s' = 1, and write s for t");
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

static zw_status refuse(const zw_manifold *m, zw_error *err) {
    if (m->sys->nsignal)
        return zw_fail(err, ZW_E_MODEL, "the input %s is not known beforehand: no manifold",
                       m->sys->signal[0].name);
    if (m->eq.nunit) {
        zw_fail(err, ZW_E_MODEL, "a free rotation has four coordinates that are not independent");
        zw_error_hint(err, "state the rotation by angles");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

zw_status zw_manifold_rates(zw_manifold *m, zw_error *err) {
    zw_equations solved = {0};
    ZW_TRY(zw_derive(&m->eq, m->sys, NULL, "lagrange", err));
    ZW_TRY(refuse(m, err));
    int n = m->eq.nq + m->eq.nv;
    m->entry = ZW_MANIFOLD_NEW(m, zw_rated, n);
    m->symbol = ZW_MANIFOLD_NEW(m, zw_expr, n);
    m->value = ZW_MANIFOLD_NEW(m, zw_expr, n);
    m->where = ZW_MANIFOLD_NEW(m, int, n);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    if (m->eq.nv) {
        ZW_TRY(zw_equations_eliminate(&solved, &m->eq, err));
        ZW_TRY(put_velocities(m, solved.elimination, err));
    }
    for (int i = 0; i < m->eq.npos; i++)
        ZW_TRY(put_coordinate(m, i, err));
    add_coordinates(m);
    if (m->eq.nv)
        ZW_TRY(add_velocities(m, solved.elimination, err));
    ZW_TRY(check_autonomous(m, err));
    return zw_context_status(m->ctx, err);
}
