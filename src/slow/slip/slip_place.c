/* SPDX-License-Identifier: MIT */
/* A slow point: the member u = v - N gamma of a fibre that fulfils the constraints, and the flow
 * beside it to leading order. With v = u + N eps s the rates at eps = 0 are regular, and
 *
 *     s:  A v' + dA/dt v + dw/dt = r(s),     r(s) = 0 on the manifold to first order,   K = dr/ds,
 *
 * the column i of K being what eps (s + t e_i) changes before t^1. For forces that are linear in
 * the slip one step of Newton's method is exact. K may not be singular, its eigenvalues may not be
 * on the right of the imaginary axis or on it, and forces of order 1/eps may change v along N
 * only. */
#include <math.h>
#include <string.h>

#include "base/append.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "slip.h"

#define DEPENDENT 1e-9 /* of their lengths in the metric of the masses: rows that depend on others */
#define SINGULAR 1e-10
#define ASIDE 1e-7 /* of what changes along N: rounding */
enum { NEWTON_MOST = 30 };

static void take_numbers(zw_slip_manifold *n, zw_jet2_shape shape, const double *q,
                         const double *v) {
    for (int i = 0; i < n->nq; i++)
        n->q[i] = zw_jet2_number(shape, q[i]);
    for (int i = 0; i < n->nv; i++)
        n->v[i] = zw_jet2_number(shape, v[i]);
}

/* rows of W that count, and that those of A do not depend on them */
static zw_status find_rows(zw_slip_manifold *n, zw_error *err) {
    int nv = n->nv, m = n->nc + n->nf;
    double *L = n->lu, *rows = n->rows, *tau = n->room;
    memcpy(L, n->place.M, (size_t)(nv * nv) * sizeof *L);
    if (zw_num_metric(nv, L) > 0) {
        zw_fail(err, ZW_E_MODEL, "a velocity has no inertia at t = %.6g s", n->place.t);
        zw_error_hint(err, "--near needs a mass matrix that is regular; a state instead of a "
                           "coordinate, or a small mass");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < m; i++) {
        const zw_jet2 *row = n->out + (i < n->nc ? n->at.W + i * nv : n->at.A + (i - n->nc) * nv);
        for (int j = 0; j < nv; j++)
            rows[i * nv + j] = row[j].c[0];
        zw_num_lower_solve(nv, L, rows + i * nv);
    }
    int rank = zw_num_rows_factor(m, nv, rows, n->nc, DEPENDENT, tau, n->order_of), fast = 0;
    n->place.rank = 0;
    for (int i = 0; i < rank; i++) {
        if (n->order_of[i] < n->nc)
            n->place.row[n->place.rank++] = n->order_of[i];
        else
            fast++;
    }
    for (int i = rank; fast < n->nf && i < m; i++)
        if (n->order_of[i] >= n->nc) {
            zw_fail(err, ZW_E_MODEL,
                    "constraint '%s' depends on the others at t = %.6g s: its slip is no fast "
                    "velocity of its own",
                    n->result.name[n->order_of[i] - n->nc], n->place.t);
            zw_error_hint(err, "--near without it");
            return ZW_E_MODEL;
        }
    if (n->place.rank < n->nc && !n->eq.symmetric) {
        zw_fail(err, ZW_E_MODEL,
                "constraints of the model depend on each other, and a force depends on their "
                "multipliers: these are not determined");
        zw_error_hint(err, "a model without the redundant ones");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status find_N(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    for (int k = 0; k < n->nf; k++) {
        for (int i = 0; i < n->nf; i++)
            n->out[n->at.gamma + i] = zw_jet2_number(shape, i == k);
        ZW_TRY(zw_slip_manifold_lift(n, shape, NULL, err));
        for (int j = 0; j < n->nv; j++)
            n->place.N[j * n->nf + k] = n->side[j].c[0];
    }
    return ZW_OK;
}

static double energy_norm(const zw_slip_manifold *n, const double *w) {
    double sum = 0;
    for (int i = 0; i < n->nv; i++)
        for (int j = 0; j < n->nv; j++)
            sum += w[i] * n->place.M[i * n->nv + j] * w[j];
    return sum > 0 ? sqrt(sum) : 0;
}

double zw_slip_manifold_measured(const zw_slip_manifold *n, const double *gamma) {
    double w[256] = {0};
    for (int j = 0; j < n->nv; j++)
        for (int k = 0; k < n->nf; k++)
            w[j] += n->place.N[j * n->nf + k] * gamma[k];
    return energy_norm(n, w);
}

zw_status zw_slip_manifold_project(zw_slip_manifold *n, double t, const double *x, zw_error *err) {
    const zw_jet2_shape shape = {0, false};
    double gamma[ZW_SLIP_MANIFOLD_FAST_MOST];
    n->place.t = t;
    take_numbers(n, shape, x, x + n->nq);
    ZW_TRY(zw_slip_manifold_geometry(n, shape, n->result.eps, t, err));
    for (int i = 0; i < n->nv * n->nv; i++)
        n->place.M[i] = n->out[n->at.M + i].c[0];
    for (int i = 0; i < n->nf; i++)
        gamma[i] = n->out[n->at.gamma + i].c[0];
    ZW_TRY(find_rows(n, err));
    ZW_TRY(find_N(n, shape, err));
    memcpy(n->place.q, x, (size_t)n->nq * sizeof *x);
    for (int j = 0; j < n->nv; j++) {
        n->place.u[j] = x[n->nq + j];
        for (int k = 0; k < n->nf; k++)
            n->place.u[j] -= n->place.N[j * n->nf + k] * gamma[k];
    }
    n->place.speed = energy_norm(n, n->place.u);
    return ZW_OK;
}

void zw_slip_manifold_state(const zw_slip_manifold *n, const double *gamma, double *x) {
    memcpy(x, n->place.q, (size_t)n->nq * sizeof *x);
    for (int j = 0; j < n->nv; j++) {
        x[n->nq + j] = n->place.u[j];
        for (int k = 0; gamma && k < n->nf; k++)
            x[n->nq + j] += n->place.N[j * n->nf + k] * gamma[k];
    }
}

/* ------------------------------------------------------------------------------------ beside it */

static zw_status find_grip(zw_slip_manifold *n, zw_error *err) {
    const zw_jet2_shape shape = {0, true};
    double speed = n->place.speed > 0 ? n->place.speed : 1;
    take_numbers(n, shape, n->place.q, n->place.u);
    ZW_TRY(zw_slip_manifold_kinks(n, n->place.t, false, err));
    for (int k = 0; k < n->nf; k++) {
        double unit[ZW_SLIP_MANIFOLD_FAST_MOST] = {0};
        unit[k] = 1;
        double size = zw_slip_manifold_measured(n, unit);
        for (int j = 0; size > 0 && j < n->nv; j++)
            n->v[j].c[0] += n->place.N[j * n->nf + k] * speed / size;
    }
    ZW_TRY(zw_slip_manifold_kinks(n, n->place.t, true, err));
    zw_slip_manifold_grip(n, n->place.t);
    return ZW_OK;
}

/* At one state a force of order 1/eps may vanish by chance: it must at another velocity that keeps
 * all constraints, too. w is a velocity in general position, as large as the motion, without its
 * part that breaks them. */
static zw_status check_vanishing(zw_slip_manifold *n, zw_error *err) {
    const zw_jet2_shape shape = {0, true};
    int nv = n->nv;
    double w[256], speed = n->place.speed > 0 ? n->place.speed : 1, *held = n->held;
    for (int j = 0; j < nv; j++)
        w[j] = speed / sqrt(nv * n->place.M[j * nv + j]) * cos(1 + 2.7 * j);
    take_numbers(n, shape, n->place.q, n->place.u);
    ZW_TRY(zw_slip_manifold_geometry(n, shape, 0, n->place.t, err));
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
    ZW_TRY(zw_slip_manifold_lift(n, shape, held, err));
    for (int j = 0; j < nv; j++)
        n->v[j].c[0] += w[j] - n->side[j].c[0];
    return zw_slip_manifold_vanishes(n, n->place.t, err);
}

/* v = u + N eps (s + t e_i); i = -1: without the last */
static void disturb_velocities(zw_slip_manifold *n, zw_jet2_shape shape, const double *s, int i) {
    take_numbers(n, shape, n->place.q, n->place.u);
    for (int j = 0; j < n->nv; j++) {
        const double *N = n->place.N + j * n->nf;
        for (int k = 0; k < n->nf; k++)
            n->v[j].c[zw_jet2_at(shape, 1, 1)] += N[k] * s[k];
        if (i >= 0)
            n->v[j].c[zw_jet2_at(shape, 2, 1)] += N[i];
    }
}

/* does what changes the velocities at order 1/eps lie along N? */
static zw_status check_along(const zw_slip_manifold *n, const double *change, const double *column,
                             zw_error *err) {
    double w[256], along = 0, aside;
    int worst = 0;
    for (int j = 0; j < n->nv; j++) {
        w[j] = change[j];
        for (int k = 0; k < n->nf; k++)
            w[j] -= n->place.N[j * n->nf + k] * column[k];
        if (fabs(w[j]) > fabs(w[worst]))
            worst = j;
    }
    along = zw_slip_manifold_measured(n, column);
    aside = energy_norm(n, w);
    if (aside <= ASIDE * along || aside == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL,
            "forces of order 1/%s change %s also where no slip of these constraints does: they do "
            "not act along the slips alone",
            n->result.small, n->sys->velocity[worst].name);
    zw_error_hint(err, "the force of a slip acts where the slip is measured; name all constraints "
                       "that such forces drive to");
    return ZW_E_MODEL;
}

static zw_status disturb_all(zw_slip_manifold *n, const double *s, double *r, zw_error *err) {
    const zw_jet2_shape shape = {2, true};
    int at = zw_jet2_at(shape, 1, 0), nf = n->nf;
    double base[ZW_SLIP_MANIFOLD_FAST_MOST], before[256], column[ZW_SLIP_MANIFOLD_FAST_MOST];
    disturb_velocities(n, shape, s, -1);
    ZW_TRY(zw_slip_manifold_rates(n, shape, 0, n->place.t, err));
    for (int k = 0; k < nf; k++) {
        r[k] = n->gdot[k].c[0];
        base[k] = n->gdot[k].c[at];
    }
    for (int j = 0; j < n->nv; j++)
        before[j] = n->accel[j].c[at];
    for (int i = 0; i < nf; i++) {
        disturb_velocities(n, shape, s, i);
        ZW_TRY(zw_slip_manifold_rates(n, shape, 0, n->place.t, err));
        for (int k = 0; k < nf; k++)
            n->place.K[k * nf + i] = column[k] = n->gdot[k].c[at] - base[k];
        for (int j = 0; j < n->nv; j++)
            n->room[j] = n->accel[j].c[at] - before[j];
        ZW_TRY(check_along(n, n->room, column, err));
    }
    return ZW_OK;
}

/* here t counts the disturbance: time and place stand still */
static zw_status find_K(zw_slip_manifold *n, const double *s, double *r, zw_error *err) {
    n->frozen = true;
    zw_status status = disturb_all(n, s, r, err);
    n->frozen = false;
    return status;
}

static zw_status no_drive(const zw_slip_manifold *n, zw_error *err) {
    char forces[160] = "";
    for (int i = 0; i < n->result.nforce && strlen(forces) + 40 < sizeof forces; i++)
        zw_append(forces, sizeof forces, "%s%.30s", i ? ", " : " (", n->result.force[i]);
    if (forces[0])
        zw_append(forces, sizeof forces, ")");
    zw_fail(err, ZW_E_DOMAIN,
            "no force%s grows with 1/%s against the slip of every one of these constraints: "
            "nothing drives it to 0 at once",
            forces, n->result.small);
    zw_error_hint(err,
                  "friction -c*slip/%s does; slip/(|slip| + %s) is bounded, and holds a constraint "
                  "only where a smaller force does",
                  n->result.small, n->result.small);
    return ZW_E_DOMAIN;
}

/* K^-1, and where the eigenvalues are */
static zw_status judge_K(zw_slip_manifold *n, zw_error *err) {
    int nf = n->nf;
    zw_dense_eigen e;
    double most = 0, least = INFINITY, right = -INFINITY;
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    if (!zw_dense_eigenvalues(&n->arena, nf, n->place.K, &e))
        return zw_dense_failure(&n->arena, err);
    for (int k = 0; k < nf; k++) {
        most = fmax(most, hypot(e.re[k], e.im[k]));
        least = fmin(least, hypot(e.re[k], e.im[k]));
        right = fmax(right, e.re[k]);
    }
    zw_arena_release(&n->arena, mark);
    if (!(least > SINGULAR * most))
        return no_drive(n, err);
    if (right > -SINGULAR * most) {
        zw_fail(err, ZW_E_DOMAIN,
                "at t = %.6g s forces of order 1/%s do not drive all slips to 0: an eigenvalue of "
                "%.6g/%s is not on the left of the imaginary axis",
                n->place.t, n->result.small, right, n->result.small);
        zw_error_hint(err, "motions leave these constraints: the sign of the friction, or another "
                           "choice of --near");
        return ZW_E_DOMAIN;
    }
    for (int i = 0; i < nf * nf; i++)
        n->place.K_inverse[i] = i % (nf + 1) == 0;
    memcpy(n->lu, n->place.K, (size_t)(nf * nf) * sizeof *n->lu);
    zw_num_lu(nf, n->lu, n->pivot);
    zw_num_lu_solve(nf, n->lu, n->pivot, nf, n->place.K_inverse);
    for (int i = 0; i < nf; i++) /* the right sides were columns */
        for (int k = 0; k < i; k++) {
            double swap = n->place.K_inverse[i * nf + k];
            n->place.K_inverse[i * nf + k] = n->place.K_inverse[k * nf + i];
            n->place.K_inverse[k * nf + i] = swap;
        }
    return ZW_OK;
}

zw_status zw_slip_manifold_settle(zw_slip_manifold *n, double t, const double *x, zw_error *err) {
    double *s = n->place.g_1, r[ZW_SLIP_MANIFOLD_FAST_MOST], before = INFINITY;
    ZW_TRY(zw_slip_manifold_project(n, t, x, err));
    ZW_TRY(find_grip(n, err));
    ZW_TRY(check_vanishing(n, err));
    memset(s, 0, (size_t)n->nf * sizeof *s);
    for (int i = 0; i < NEWTON_MOST; i++) {
        double step[ZW_SLIP_MANIFOLD_FAST_MOST] = {0}, size;
        ZW_TRY(find_K(n, s, r, err));
        ZW_TRY(judge_K(n, err));
        for (int k = 0; k < n->nf; k++)
            for (int l = 0; l < n->nf; l++)
                step[k] -= n->place.K_inverse[k * n->nf + l] * r[l];
        for (int k = 0; k < n->nf; k++)
            s[k] += step[k];
        size = zw_slip_manifold_measured(n, step);
        if (i > 0 && (size <= 1e-13 * zw_slip_manifold_measured(n, s) ||
                      (size >= 0.5 * before && size < 1e-9 * zw_slip_manifold_measured(n, s))))
            return ZW_OK;
        if (size == 0)
            return ZW_OK;
        before = size;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "no slip was found at t = %.6g s with which the forces of order 1/%s balance the rest",
            t, n->result.small);
    zw_error_hint(err,
                  "friction with a bound holds the constraints only where a smaller force does");
    return ZW_E_NUMERIC;
}
