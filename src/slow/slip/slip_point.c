/* SPDX-License-Identifier: MIT */
/* A slow point: the member u = v - N gamma of a fibre that satisfies the constraints, and the
 * flow near it to leading order. With v = u + N eps s the rates at eps = 0 are regular, and
 *
 *   s:  A v' + dA/dt v + dw/dt = r(s),     r(s) = 0 on the manifold to first order,   K = dr/ds,
 *
 * the column i of K being the coefficient of t^1 with the velocities eps (s + t e_i). For forces
 * that are linear in the slip velocity one step of Newton's method is exact. K must not be
 * singular, its eigenvalues must have negative real parts, and forces of order 1/eps may change
 * v only along N. */
#include <math.h>
#include <string.h>

#include "base/append.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "slip.h"

/* of their lengths in the metric of the masses: rows with less across the others depend on them */
#define ROW_DEPENDS 1e-9
#define NEUTRAL_EIGENVALUE 1e-10 /* of the largest eigenvalue of K: less is round-off */
/* of the change along N: a smaller one across N is round-off, which 1/eps amplifies */
#define ACROSS_N 1e-7
enum { NEWTON_MOST = 30 }; /* iterations: the forces are often linear in the slip velocity */

static void take_numbers(zw_slip_manifold *n, zw_jet2_shape shape, const double *q,
                         const double *v) {
    for (int i = 0; i < n->nq; i++)
        n->q[i] = zw_jet2_number(shape, q[i]);
    for (int i = 0; i < n->nv; i++)
        n->v[i] = zw_jet2_number(shape, v[i]);
}

/* The independent rows of W; those of A must not depend on them. */
static zw_status find_rows(zw_slip_manifold *n, zw_error *err) {
    int nv = n->nv, m = n->nc + n->nf;
    double *L = n->lu, *rows = n->rows, *tau = n->scratch;
    memcpy(L, n->point.M, (size_t)(nv * nv) * sizeof *L);
    if (zw_num_metric(nv, L) > 0) {
        zw_fail(err, ZW_E_MODEL, "a velocity has no inertia at t = %.6g s", n->point.t);
        zw_error_hint(err, "--near needs a regular mass matrix: use a state instead of a "
                           "coordinate, or a small mass");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < m; i++) {
        const zw_jet2 *row = n->out + (i < n->nc ? n->at.W + i * nv : n->at.A + (i - n->nc) * nv);
        for (int j = 0; j < nv; j++)
            rows[i * nv + j] = row[j].c[0];
        zw_num_lower_solve(nv, L, rows + i * nv);
    }
    int rank = zw_num_rows_factor(m, nv, rows, n->nc, ROW_DEPENDS, tau, n->order_of), fast = 0;
    n->point.rank = 0;
    for (int i = 0; i < rank; i++) {
        if (n->order_of[i] < n->nc)
            n->point.row[n->point.rank++] = n->order_of[i];
        else
            fast++;
    }
    for (int i = rank; fast < n->nf && i < m; i++)
        if (n->order_of[i] >= n->nc) {
            zw_fail(err, ZW_E_MODEL,
                    "constraint '%s' depends on the others at t = %.6g s: its slip is not an "
                    "independent velocity",
                    n->result.name[n->order_of[i] - n->nc], n->point.t);
            zw_error_hint(err, "leave it out of --near");
            return ZW_E_MODEL;
        }
    if (n->point.rank < n->nc && !n->eq.symmetric) {
        zw_fail(err, ZW_E_MODEL,
                "constraints of the model depend on each other, and a force depends on their "
                "multipliers: these are not determined");
        zw_error_hint(err, "use a model without the redundant ones");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status find_N(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    for (int k = 0; k < n->nf; k++) {
        for (int i = 0; i < n->nf; i++)
            n->out[n->at.gamma + i] = zw_jet2_number(shape, i == k);
        ZW_TRY(zw_slip_manifold_least_velocity(n, shape, NULL, err));
        for (int j = 0; j < n->nv; j++)
            n->point.N[j * n->nf + k] = n->side[j].c[0];
    }
    return ZW_OK;
}

static double energy_norm(const zw_slip_manifold *n, const double *w) {
    double sum = 0;
    for (int i = 0; i < n->nv; i++)
        for (int j = 0; j < n->nv; j++)
            sum += w[i] * n->point.M[i * n->nv + j] * w[j];
    return sum > 0 ? sqrt(sum) : 0;
}

double zw_slip_manifold_measured(const zw_slip_manifold *n, const double *gamma) {
    double w[256] = {0};
    for (int j = 0; j < n->nv; j++)
        for (int k = 0; k < n->nf; k++)
            w[j] += n->point.N[j * n->nf + k] * gamma[k];
    return energy_norm(n, w);
}

zw_status zw_slip_manifold_project(zw_slip_manifold *n, double t, const double *x, zw_error *err) {
    const zw_jet2_shape shape = {0, false};
    double gamma[ZW_SLIP_MANIFOLD_FAST_MOST];
    n->point.t = t;
    take_numbers(n, shape, x, x + n->nq);
    ZW_TRY(zw_slip_manifold_geometry(n, shape, n->result.eps, t, err));
    for (int i = 0; i < n->nv * n->nv; i++)
        n->point.M[i] = n->out[n->at.M + i].c[0];
    for (int i = 0; i < n->nf; i++)
        gamma[i] = n->out[n->at.gamma + i].c[0];
    ZW_TRY(find_rows(n, err));
    ZW_TRY(find_N(n, shape, err));
    memcpy(n->point.q, x, (size_t)n->nq * sizeof *x);
    for (int j = 0; j < n->nv; j++) {
        n->point.u[j] = x[n->nq + j];
        for (int k = 0; k < n->nf; k++)
            n->point.u[j] -= n->point.N[j * n->nf + k] * gamma[k];
    }
    n->point.speed = energy_norm(n, n->point.u);
    return ZW_OK;
}

void zw_slip_manifold_state(const zw_slip_manifold *n, const double *gamma, double *x) {
    memcpy(x, n->point.q, (size_t)n->nq * sizeof *x);
    for (int j = 0; j < n->nv; j++) {
        x[n->nq + j] = n->point.u[j];
        for (int k = 0; gamma && k < n->nf; k++)
            x[n->nq + j] += n->point.N[j * n->nf + k] * gamma[k];
    }
}

/* ---- the flow near it ---- */

static zw_status find_scales(zw_slip_manifold *n, zw_error *err) {
    const zw_jet2_shape shape = {0, true};
    double speed = n->point.speed > 0 ? n->point.speed : 1;
    take_numbers(n, shape, n->point.q, n->point.u);
    ZW_TRY(zw_slip_manifold_kinks(n, n->point.t, false, err));
    for (int k = 0; k < n->nf; k++) {
        double unit[ZW_SLIP_MANIFOLD_FAST_MOST] = {0};
        unit[k] = 1;
        double size = zw_slip_manifold_measured(n, unit);
        for (int j = 0; size > 0 && j < n->nv; j++)
            n->v[j].c[0] += n->point.N[j * n->nf + k] * speed / size;
    }
    ZW_TRY(zw_slip_manifold_kinks(n, n->point.t, true, err));
    zw_slip_manifold_find_scale(n, n->point.t);
    return ZW_OK;
}

/* At one state a force of order 1/eps may vanish by coincidence: it must vanish at another velocity
 * that satisfies all constraints, too. w is a general velocity, as large as the motion, without its
 * part that violates them. */
static zw_status check_vanishing(zw_slip_manifold *n, zw_error *err) {
    const zw_jet2_shape shape = {0, true};
    int nv = n->nv;
    double w[256], speed = n->point.speed > 0 ? n->point.speed : 1, *held = n->held;
    for (int j = 0; j < nv; j++)
        w[j] = speed / sqrt(nv * n->point.M[j * nv + j]) * cos(1 + 2.7 * j);
    take_numbers(n, shape, n->point.q, n->point.u);
    ZW_TRY(zw_slip_manifold_geometry(n, shape, 0, n->point.t, err));
    for (int i = 0; i < n->nc; i++) {
        held[i] = 0;
        for (int j = 0; j < nv; j++)
            held[i] += n->out[n->at.W + i * nv + j].c[0] * w[j];
    }
    for (int k = 0; k < n->nf; k++) {
        zw_jet2 *gamma = &n->out[n->at.gamma + k];
        *gamma = zw_jet2_number(shape, 0);
        for (int j = 0; j < nv; j++)
            gamma->c[0] += n->out[n->at.A + k * nv + j].c[0] * w[j];
    }
    ZW_TRY(zw_slip_manifold_least_velocity(n, shape, held, err));
    for (int j = 0; j < nv; j++)
        n->v[j].c[0] += w[j] - n->side[j].c[0];
    return zw_slip_manifold_check_balance(n, n->point.t, err);
}

/* v = u + N eps (s + t e_i); i = -1: without the last term. */
static void disturb_velocities(zw_slip_manifold *n, zw_jet2_shape shape, const double *s, int i) {
    take_numbers(n, shape, n->point.q, n->point.u);
    for (int j = 0; j < n->nv; j++) {
        const double *N = n->point.N + j * n->nf;
        for (int k = 0; k < n->nf; k++)
            n->v[j].c[zw_jet2_at(shape, 1, 1)] += N[k] * s[k];
        if (i >= 0)
            n->v[j].c[zw_jet2_at(shape, 2, 1)] += N[i];
    }
}

/* Does the change of the velocities of order 1/eps lie along N? */
static zw_status check_along(const zw_slip_manifold *n, const double *change, const double *column,
                             zw_error *err) {
    double w[256], along = 0, aside;
    int worst = 0;
    for (int j = 0; j < n->nv; j++) {
        w[j] = change[j];
        for (int k = 0; k < n->nf; k++)
            w[j] -= n->point.N[j * n->nf + k] * column[k];
        if (fabs(w[j]) > fabs(w[worst]))
            worst = j;
    }
    along = zw_slip_manifold_measured(n, column);
    aside = energy_norm(n, w);
    if (aside <= ACROSS_N * along || aside == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL,
            "forces of order 1/%s also change %s where the slips of these constraints do not: they "
            "do not act along the slips alone",
            n->result.small, n->sys->velocity[worst].name);
    zw_error_hint(err, "the force must act where its slip is measured; name all constraints that "
                       "such forces enforce");
    return ZW_E_MODEL;
}

static zw_status disturb_all(zw_slip_manifold *n, const double *s, double *r, zw_error *err) {
    const zw_jet2_shape shape = {2, true};
    int at = zw_jet2_at(shape, 1, 0), nf = n->nf;
    double base[ZW_SLIP_MANIFOLD_FAST_MOST], before[256], column[ZW_SLIP_MANIFOLD_FAST_MOST];
    disturb_velocities(n, shape, s, -1);
    ZW_TRY(zw_slip_manifold_rates(n, shape, 0, n->point.t, err));
    for (int k = 0; k < nf; k++) {
        r[k] = n->gdot[k].c[0];
        base[k] = n->gdot[k].c[at];
    }
    for (int j = 0; j < n->nv; j++)
        before[j] = n->accel[j].c[at];
    for (int i = 0; i < nf; i++) {
        disturb_velocities(n, shape, s, i);
        ZW_TRY(zw_slip_manifold_rates(n, shape, 0, n->point.t, err));
        for (int k = 0; k < nf; k++)
            n->point.K[k * nf + i] = column[k] = n->gdot[k].c[at] - base[k];
        for (int j = 0; j < n->nv; j++)
            n->scratch[j] = n->accel[j].c[at] - before[j];
        ZW_TRY(check_along(n, n->scratch, column, err));
    }
    return ZW_OK;
}

/* Here t counts the disturbance: time and position are constant. */
static zw_status find_K(zw_slip_manifold *n, const double *s, double *r, zw_error *err) {
    n->time_fixed = true;
    zw_status status = disturb_all(n, s, r, err);
    n->time_fixed = false;
    return status;
}

static zw_status no_drive(const zw_slip_manifold *n, zw_error *err) {
    char forces[160] = "";
    for (int i = 0; i < n->result.nforce && strlen(forces) + 40 < sizeof forces; i++)
        zw_append(forces, sizeof forces, "%s%.30s", i ? ", " : " (", n->result.force[i]);
    if (forces[0])
        zw_append(forces, sizeof forces, ")");
    zw_fail(err, ZW_E_DOMAIN,
            "no force%s grows with 1/%s against the slip of every one of these constraints, so the "
            "slip does not decay quickly",
            forces, n->result.small);
    zw_error_hint(err,
                  "friction -c*slip/%s does; slip/(|slip| + %s) is bounded, and enforces a "
                  "constraint only where a smaller force suffices",
                  n->result.small, n->result.small);
    return ZW_E_DOMAIN;
}

/* K^-1, and the eigenvalues. */
static zw_status check_K(zw_slip_manifold *n, zw_error *err) {
    int nf = n->nf;
    zw_dense_eigen e;
    double most = 0, least = INFINITY, right = -INFINITY;
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    if (!zw_dense_eigenvalues(&n->arena, nf, n->point.K, &e))
        return zw_dense_failure(&n->arena, err);
    for (int k = 0; k < nf; k++) {
        most = fmax(most, hypot(e.re[k], e.im[k]));
        least = fmin(least, hypot(e.re[k], e.im[k]));
        right = fmax(right, e.re[k]);
    }
    zw_arena_release(&n->arena, mark);
    if (!(least > NEUTRAL_EIGENVALUE * most))
        return no_drive(n, err);
    if (right > -NEUTRAL_EIGENVALUE * most) {
        zw_fail(err, ZW_E_DOMAIN,
                "at t = %.6g s forces of order 1/%s do not reduce all slip velocities to 0: an "
                "eigenvalue of "
                "%.6g/%s is not on the left of the imaginary axis",
                n->point.t, n->result.small, right, n->result.small);
        zw_error_hint(err, "motions leave these constraints: check the sign of the friction, or "
                           "choose other constraints");
        return ZW_E_DOMAIN;
    }
    for (int i = 0; i < nf * nf; i++)
        n->point.K_inverse[i] = i % (nf + 1) == 0;
    memcpy(n->lu, n->point.K, (size_t)(nf * nf) * sizeof *n->lu);
    zw_num_lu(nf, n->lu, n->pivot);
    zw_num_lu_solve(nf, n->lu, n->pivot, nf, n->point.K_inverse);
    for (int i = 0; i < nf; i++) /* the right sides were columns */
        for (int k = 0; k < i; k++) {
            double swap = n->point.K_inverse[i * nf + k];
            n->point.K_inverse[i * nf + k] = n->point.K_inverse[k * nf + i];
            n->point.K_inverse[k * nf + i] = swap;
        }
    return ZW_OK;
}

zw_status zw_slip_manifold_find_point(zw_slip_manifold *n, double t, const double *x,
                                      zw_error *err) {
    double *s = n->point.g_1, r[ZW_SLIP_MANIFOLD_FAST_MOST], before = INFINITY;
    ZW_TRY(zw_slip_manifold_project(n, t, x, err));
    ZW_TRY(find_scales(n, err));
    ZW_TRY(check_vanishing(n, err));
    memset(s, 0, (size_t)n->nf * sizeof *s);
    for (int i = 0; i < NEWTON_MOST; i++) {
        double step[ZW_SLIP_MANIFOLD_FAST_MOST] = {0}, size;
        ZW_TRY(find_K(n, s, r, err));
        ZW_TRY(check_K(n, err));
        for (int k = 0; k < n->nf; k++)
            for (int l = 0; l < n->nf; l++)
                step[k] -= n->point.K_inverse[k * n->nf + l] * r[l];
        for (int k = 0; k < n->nf; k++)
            s[k] += step[k];
        size = zw_slip_manifold_measured(n, step);
        if (i > 0 &&
            (size <= ZW_ROUNDOFF_VALUE * zw_slip_manifold_measured(n, s) ||
             (size >= 0.5 * before && size < ZW_ROUNDOFF_SOLVED * zw_slip_manifold_measured(n, s))))
            return ZW_OK;
        if (size == 0)
            return ZW_OK;
        before = size;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "no slip was found at t = %.6g s with which the forces of order 1/%s balance the rest",
            t, n->result.small);
    zw_error_hint(err,
                  "bounded friction enforces the constraints only where a smaller force suffices");
    return ZW_E_NUMERIC;
}
