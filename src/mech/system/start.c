/* SPDX-License-Identifier: MIT */
/* Numbers of a system: parameter values and the start as the model says it.
 *
 * A start fixes a coordinate or a velocity, or it says something of an expression of them (a rate under
 * quasi-velocities, the component of an angular velocity along a normal): that is one more equation
 * beside the constraints, valid at the start only. */
#include <math.h>

#include "mech/principles/constraint_rows.h"

static zw_status follow(const zw_system *s, const bool *given, double *p, zw_error *err) {
    zw_expr *known = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np);
    if (!known)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++) {
        if (!given || !given[i])
            p[i] = zw_eval(s->ctx, s->param[i].value, i, known, p);
        known[i] = s->param[i].sym;
        if (!isfinite(p[i]))
            return zw_fail_at(err, ZW_E_DOMAIN, s->param[i].place,
                              "the parameter %s has no finite value", s->param[i].name);
    }
    return ZW_OK;
}

zw_status zw_system_param_follow(const zw_system *s, const bool *given, double *p, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = follow(s, given, p, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}

zw_status zw_system_param_values(const zw_system *s, double *p, zw_error *err) {
    return zw_system_param_follow(s, NULL, p, err);
}

/* the parameters with their values */
typedef struct point {
    int n;
    zw_expr *sym;
    const double *value;
} point;

static zw_status make_point(const zw_system *s, const double *p, point *out, zw_error *err) {
    *out = (point){s->np, ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np), p};
    if (!out->sym)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        out->sym[i] = s->param[i].sym;
    return ZW_OK;
}

/* the index in x of a symbol, or -1 */
static int state_index(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == e)
            return i;
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == e)
            return s->nq + i;
    return -1;
}

static zw_status start_state(const zw_system *s, const double *p, double *x, bool *fixed,
                             zw_error *err) {
    point at;
    for (int i = 0; i < s->nq + s->nv; i++) {
        x[i] = 0;
        fixed[i] = false;
    }
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            x[s->frame[i].quaternion] = 1;
    ZW_TRY(make_point(s, p, &at, err));
    for (int i = 0; i < s->nstart; i++) {
        int k = state_index(s, s->start[i].what);
        if (k < 0)
            continue;
        x[k] = zw_eval(s->ctx, s->start[i].value, at.n, at.sym, at.value);
        fixed[k] = true;
        if (!isfinite(x[k]))
            return zw_fail_at(err, ZW_E_DOMAIN, s->start[i].place, "the start of %s is not finite",
                              s->start[i].text);
    }
    return ZW_OK;
}

zw_status zw_system_start_state(const zw_system *s, const double *p, double *x, bool *fixed,
                                zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = start_state(s, p, x, fixed, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}

/* The start of a multiplier belongs to the vakonomic principle alone (src/mech/initial.c), but the
 * constraint must be there. */
static zw_status check_multiplier(const zw_system *s, const zw_start *start, zw_error *err) {
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].lambda == start->what)
            return ZW_OK;
    return zw_fail_at(err, ZW_E_NAME, start->place,
                      "%s has a start, but there is no such constraint", start->text);
}

/* residual_q F: what displacements do to it */
static void displacement_row(const zw_system *s, zw_expr residual, zw_expr *row) {
    for (int k = 0; k < s->nv; k++) {
        row[k] = ZW_ZERO;
        for (int i = 0; i < s->nq; i++)
            row[k] = zw_add(
                s->ctx, row[k],
                zw_mul(s->ctx, zw_diff(s->ctx, residual, s->coord[i].sym), s->F[i * s->nv + k]));
    }
}

/* append residual = 0 with its row d residual'/dv or d residual/dv, along displacements: states stay */
static void start_row(zw_equations *out, const zw_system *s, int index, int *pos, int *vel) {
    zw_context *ctx = s->ctx;
    zw_expr residual = zw_sub(ctx, s->start[index].what, s->start[index].value);
    if (zw_depends_any(ctx, residual, out->nv, out->v)) {
        zw_jacobian(ctx, 1, &residual, out->nv, out->v,
                    out->start_Psi + (size_t)out->nstart_vel * (size_t)out->nv);
        out->start_psi[out->nstart_vel] = residual;
        vel[out->nstart_vel++] = index;
    } else {
        zw_expr rate = zw_system_dt(s, residual),
                *row = out->start_Phi + (size_t)out->nstart_pos * (size_t)out->nv;
        zw_jacobian(ctx, 1, &rate, out->nv, out->v, row);
        if (zw_mech_state_in(s, residual))
            displacement_row(s, residual, row);
        out->start_phi[out->nstart_pos] = residual;
        pos[out->nstart_pos++] = index;
    }
}

zw_status zw_start_rows(zw_equations *out, const zw_system *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    int n = out->nstart;
    int *pos = ZW_EQUATIONS_NEW(out, ctx, int, n), *vel = ZW_EQUATIONS_NEW(out, ctx, int, n);
    out->start_phi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n);
    out->start_psi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n);
    out->start_Phi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n * out->nv);
    out->start_Psi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n * out->nv);
    if (!pos || !vel || !out->start_phi || !out->start_psi || !out->start_Phi || !out->start_Psi)
        return zw_context_status(ctx, err);
    out->start_pos = pos;
    out->start_vel = vel;
    for (int i = 0; i < n; i++) {
        if (zw_mech_is_multiplier(ctx, s->start[i].what))
            ZW_TRY(check_multiplier(s, &s->start[i], err));
        else if (state_index(s, s->start[i].what) < 0)
            start_row(out, s, i, pos, vel);
    }
    return zw_context_status(ctx, err);
}
