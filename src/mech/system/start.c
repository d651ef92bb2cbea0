/* SPDX-License-Identifier: MIT */
/* Numbers of a system: parameter values and the start given in the model.
 *
 * A start fixes a coordinate or a velocity, or an expression of them (a rate under
 * quasi-velocities, the component of an angular velocity along a normal): one more equation besides
 * the constraints, valid at the start only. A guess gives the point from which a start is
 * completed. */
#include <math.h>
#include <string.h>

#include "mech/principles/constraint_rows.h"

static zw_status evaluate_parameters(const zw_system *s, const bool *given, double *p,
                                     zw_error *err) {
    zw_expr *known = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np);
    if (!known)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++) {
        if (!given || !given[i])
            p[i] = zw_eval(s->ctx, s->param[i].value, i, known, p);
        known[i] = s->param[i].sym;
        if (isfinite(p[i]))
            continue;
        ZW_TRY(zw_context_status(s->ctx, err)); /* without memory there is no value either */
        return zw_fail_at(err, ZW_E_DOMAIN, s->param[i].place,
                          "the parameter %s has no finite value", s->param[i].name);
    }
    return ZW_OK;
}

zw_status zw_system_param_follow(const zw_system *s, const bool *given, double *p, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = evaluate_parameters(s, given, p, err);
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

/* writes the values of starts or guesses of single entries to x; other entries are left
 * unchanged */
static zw_status apply_starts(const zw_system *s, int n, const zw_start *start, const point *at,
                              const char *word, zw_said as, double *x, zw_said *said,
                              zw_error *err) {
    for (int i = 0; i < n; i++) {
        int k = state_index(s, start[i].what);
        double value = zw_eval(s->ctx, start[i].value, at->n, at->sym, at->value);
        if (!isfinite(value))
            return zw_fail_at(err, ZW_E_DOMAIN, start[i].place, "the %s of %s is not finite", word,
                              start[i].text);
        if (k < 0)
            continue;
        x[k] = value;
        said[k] = as;
    }
    return ZW_OK;
}

/* ---- guesses of expressions ---- */

enum { SWEEPS = 200 };
#define GUESS_MET 1e-9 /* last step relative to 1 + the entry; a guess need not be better */

/* The values of q, v and parameters. */
static zw_status make_state_point(const zw_system *s, const double *p, const double *x, point *out,
                                  double **value, zw_error *err) {
    int nx = s->nq + s->nv;
    *value = ZW_SCRATCH_NEW(s->ctx, double, s->np + nx);
    *out = (point){s->np + nx, ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np + nx), *value};
    if (!out->sym || !*value)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < nx; i++) {
        out->sym[i] = i < s->nq ? s->coord[i].sym : s->velocity[i - s->nq].sym;
        (*value)[i] = x[i];
    }
    for (int i = 0; i < s->np; i++) {
        out->sym[nx + i] = s->param[i].sym;
        (*value)[nx + i] = p[i];
    }
    return ZW_OK;
}

/* One step towards residual = 0, the shortest; returns its relative size. */
static double step_towards(const zw_system *s, zw_expr residual, const zw_expr *gradient,
                           const point *at, const zw_said *said, double *x, double *slope) {
    int nx = s->nq + s->nv;
    double square = 0, size = 0, r = zw_eval(s->ctx, residual, at->n, at->sym, at->value);
    for (int i = 0; i < nx; i++) {
        slope[i] = said[i] == ZW_GIVEN || gradient[i] == ZW_ZERO
                       ? 0
                       : zw_eval(s->ctx, gradient[i], at->n, at->sym, at->value);
        square += slope[i] * slope[i];
    }
    if (!isfinite(r) || !isfinite(square) || !(square > 0))
        return 0;
    for (int i = 0; i < nx; i++) {
        double step = -r * slope[i] / square;
        x[i] += step;
        size = fmax(size, fabs(step) / (1 + fabs(x[i])));
    }
    return size;
}

/* A guess of an expression changes the entries it contains until it is satisfied: one after the
 * other, repeatedly (Kaczmarz). If that does not converge, the last point is as good as any
 * other. */
static zw_status follow_guesses(const zw_system *s, const double *p, double *x, zw_said *said,
                                zw_error *err) {
    point at;
    double *value, *slope = ZW_SCRATCH_NEW(s->ctx, double, s->nq + s->nv);
    int nx = s->nq + s->nv, n = s->nguess;
    zw_expr *residual = ZW_SCRATCH_NEW(s->ctx, zw_expr, n),
            *gradient = ZW_SCRATCH_NEW(s->ctx, zw_expr, n * nx);
    if (!slope || !residual || !gradient)
        return zw_context_status(s->ctx, err);
    ZW_TRY(make_state_point(s, p, x, &at, &value, err));
    for (int i = 0; i < n; i++) {
        residual[i] = zw_sub(s->ctx, s->guess[i].what, s->guess[i].value);
        if (state_index(s, s->guess[i].what) < 0)
            zw_jacobian(s->ctx, 1, &residual[i], nx, at.sym, gradient + (size_t)i * (size_t)nx);
    }
    ZW_TRY(zw_context_status(s->ctx, err));
    double moved = 1;
    for (int sweep = 0; sweep < SWEEPS && moved > GUESS_MET; sweep++) {
        moved = 0;
        for (int i = 0; i < n; i++)
            if (state_index(s, s->guess[i].what) < 0)
                moved = fmax(moved, step_towards(s, residual[i], gradient + (size_t)i * (size_t)nx,
                                                 &at, said, value, slope));
    }
    for (int i = 0; i < nx; i++)
        if (value[i] != x[i] && isfinite(value[i])) {
            x[i] = value[i];
            said[i] = ZW_GUESSED;
        }
    return ZW_OK;
}

/* ---- the start ---- */

/* The length of a chain is the sum of those of its links. */
static void set_widths(const zw_system *s, const double *p, const double *x, double *width) {
    for (int i = 0; i < s->nq; i++) {
        const char *unit = s->coord[i].unit;
        bool angle = strcmp(unit, "rad") == 0, plain = !unit[0] || strcmp(unit, "1") == 0 || angle;
        double sum = 0, largest = 0;
        for (int k = 0; k < s->np; k++)
            if (strcmp(s->param[k].unit, unit) == 0)
                sum += fabs(p[k]);
        for (int k = 0; k < s->nq; k++)
            if (strcmp(s->coord[k].unit, unit) == 0)
                largest = fmax(largest, fabs(x[k]));
        sum = fmax(sum, largest);
        if (plain) /* parameters without a unit may be anything; angles are of order one */
            sum = angle ? 1 : fmax(1, largest);
        width[i] = sum > 0 && isfinite(sum) ? sum : 1;
    }
}

static zw_status find_start(const zw_system *s, const double *p, double *x, zw_said *said,
                            double *width, zw_error *err) {
    point at;
    bool indirect = false;
    for (int i = 0; i < s->nq + s->nv; i++) {
        x[i] = 0;
        said[i] = ZW_UNSAID;
    }
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            x[s->frame[i].quaternion] = 1;
    for (int i = 0; i < s->nguess; i++)
        indirect = indirect || state_index(s, s->guess[i].what) < 0;
    ZW_TRY(make_point(s, p, &at, err));
    ZW_TRY(apply_starts(s, s->nguess, s->guess, &at, "guess", ZW_GUESSED, x, said, err));
    ZW_TRY(apply_starts(s, s->nstart, s->start, &at, "start", ZW_GIVEN, x, said, err));
    if (indirect)
        ZW_TRY(follow_guesses(s, p, x, said, err));
    if (width)
        set_widths(s, p, x, width);
    return ZW_OK;
}

zw_status zw_system_start_said(const zw_system *s, const double *p, double *x, zw_said *said,
                               double *width, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = find_start(s, p, x, said, width, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}

zw_status zw_system_start_state(const zw_system *s, const double *p, double *x, bool *fixed,
                                zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_said *said = ZW_SCRATCH_NEW(s->ctx, zw_said, s->nq + s->nv);
    zw_status status = said ? find_start(s, p, x, said, NULL, err) : zw_context_status(s->ctx, err);
    for (int i = 0; status >= 0 && i < s->nq + s->nv; i++)
        fixed[i] = said[i] == ZW_GIVEN;
    zw_scratch_release(s->ctx, mark);
    return status;
}

/* The start of a multiplier is used by the vakonomic principle only (src/mech/equations/initial.c),
 * but the constraint must exist. */
static zw_status check_multiplier(const zw_system *s, const zw_start *start, zw_error *err) {
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].lambda == start->what)
            return ZW_OK;
    return zw_fail_at(err, ZW_E_NAME, start->place,
                      "%s has a start, but there is no such constraint", start->text);
}

/* residual_q F: the change of the residual by displacements */
static void displacement_row(const zw_system *s, zw_expr residual, zw_expr *row) {
    for (int k = 0; k < s->nv; k++) {
        row[k] = ZW_ZERO;
        for (int i = 0; i < s->nq; i++)
            row[k] = zw_add(
                s->ctx, row[k],
                zw_mul(s->ctx, zw_diff(s->ctx, residual, s->coord[i].sym), s->F[i * s->nv + k]));
    }
}

/* appends residual = 0 with its row d residual'/dv or d residual/dv, along displacements: states do
 * not change */
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
