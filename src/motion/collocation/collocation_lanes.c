/* SPDX-License-Identifier: MIT */
/* Rates and their derivatives in lanes, by the kernel, and the matrices of the intervals
 * (collocation_lanes_factor.h). */
#include "collocation_lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/vector_targets.h"
#include "collocation.h"
#include "collocation_lanes_factor.h"
#include "num/linear/linalg.h"

enum { L = ZW_LANES };
enum { ENTRIES_MAX = 400 }; /* of all points of an interval: beyond, memory is the bottleneck */

/* Smallest pivot of 1 - h P a J, which is near 1: pivots are checked, not exchanged. With smaller
 * ones more than three digits could be lost. */
#define PIVOT_MIN 1e-3

bool zw_colloc_lanes_fit(const zw_colloc *c, const zw_kernel *k) {
    const zw_kernel *own = zw_flow_kernel(c->flow);
    return k && k->lanes == L && k->nx == own->nx && k->np == own->np && k->npar == own->npar &&
           k->nc == 0 && k->nunit == 0 && k->nu == 0 && k->nmode == 0 && !k->inequality &&
           !k->pseudo && !k->unsymmetric && !c->has_manifold && k->nv <= ZW_LANES_MASSES &&
           c->m * c->nx <= ENTRIES_MAX;
}

/* --------------------------------------------------------------------------------------- memory */

/* n vectors, each aligned to cache lines */
static double *lanes_of(zw_arena *arena, int n) {
    size_t work = (size_t)(n + 1) * L;
    double *p = ZW_NEW(arena, double, work);
    return p ? (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63) : NULL;
}

static bool has_diagonal_mass(const zw_kernel *k) {
    const unsigned char *kind = k->kind[ZW_FN_MATS]; /* M comes first */
    for (int i = 0; kind && i < k->nv * k->nv; i++)
        if (i % (k->nv + 1) != 0 && kind[i] != ZW_OUTPUT_ZERO)
            return false;
    return kind && k->nv > 0;
}

zw_status zw_colloc_lanes_make(zw_colloc *c, zw_error *err) {
    zw_colloc_lanes *v = &c->lanes;
    const zw_kernel *k = v->kernel;
    zw_arena *a = &c->meshes;
    int n = c->nx, m = c->m, nb = c->nb, K = (c->N + L - 1) / L, all = n + nb;
    for (int i = 0; i < ZW_FN_COUNT; i++)
        v->size[i] = zw_kernel_describe(k, (zw_function_name)i).size;
    v->K = K;
    v->second = k->plain_rates && k->nq == k->nv && k->nv > 0;
    v->diagonal = has_diagonal_mass(k);
    v->rows = v->second ? m * k->nv : m * n;
    v->width = zw_lanes_width(v->rows, all);
    v->current = false;
    v->p = lanes_of(a, k->np);
    v->cache = lanes_of(a, k->ncache);
    v->input = lanes_of(a, k->nu);
    v->work = lanes_of(a, k->nwork / L + 1);
    v->h = lanes_of(a, K);
    v->t = lanes_of(a, K * m);
    v->u = lanes_of(a, K * n);
    v->k = lanes_of(a, K * m * n);
    v->U = lanes_of(a, K * m * n);
    v->rate = lanes_of(a, K * m * (n + 1));
    v->end = lanes_of(a, K * n);
    v->jac = lanes_of(a, v->size[ZW_FN_JAC]);
    v->jac_p = lanes_of(a, v->size[ZW_FN_JAC_P]);
    v->time = lanes_of(a, v->size[ZW_FN_TIME]);
    v->mats = lanes_of(a, v->size[ZW_FN_MATS]);
    v->J = lanes_of(a, m * n * n);
    v->X = lanes_of(a, k->nv * (n + 2));
    v->Jq = lanes_of(a, v->second ? K * m * k->nv * k->nv : 0);
    v->side_q = lanes_of(a, v->second ? K * m * k->nv * nb : 0);
    v->side = lanes_of(a, m * n * nb);
    v->B = lanes_of(a, K * v->rows * v->width);
    v->A = lanes_of(a, K * n * all);
    v->F = lanes_of(a, K * n * all);
    v->d = lanes_of(a, K * n);
    v->e = lanes_of(a, K * m * n);
    v->w = lanes_of(a, 2 * K * n);
    v->M = ZW_NEW(a, double, (L + 1) * n * all + 1);
    v->first = ZW_NEW(a, double, (L + 1) * n + 1);
    v->rest = ZW_NEW(a, double, 2 * L * n + 1);
    v->small = ZW_NEW(a, double, all *all + all + 1);
    v->pivot = ZW_NEW(a, int, all + 1);
    if (a->failed)
        return zw_out_of_memory(err, NULL);
    zw_colloc_lanes_set(c);
    return ZW_OK;
}

void zw_colloc_lanes_set(zw_colloc *c) {
    zw_colloc_lanes *v = &c->lanes;
    for (int i = 0; i < v->kernel->np; i++)
        for (int e = 0; e < L; e++)
            v->p[i * L + e] = c->p[i];
    zw_prepare(v->kernel, v->p, v->cache, v->work);
    v->current = false;
}

/* ---------------------------------------------------------------------------------------- rates */

/* copies x into lanes, with widths; missing intervals are the last one with zero length */
static void load_state(zw_colloc *c, const double *x) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, size = n * c->m;
    for (int e = 0; e < L; e++)
        for (int s = 0; s < v->K; s++) {
            int j = e * v->K + s, at = j < c->N ? j : c->N - 1;
            const double *from = zw_colloc_node(c, x, at);
            double *u = v->u + (size_t)(s * n * L + e), *k = v->k + (size_t)(s * size * L + e);
            v->h[s * L + e] = j < c->N ? zw_colloc_width(c, j) : 0;
            for (int r = 0; r < n; r++)
                u[r * L] = from[r];
            for (int i = 0; i < size; i++)
                k[i * L] = from[n + i];
        }
}

/* states at the points of a slot, and the end of it */
ZW_KERNEL void stages(const int n, const int m, const double *u, const double *k, const double *h,
                      const zw_gauss *rule, double *U, double *end) {
    for (int half = 0; half < L; half += ZW_FOUR) {
        zw_four width = ZW_LOAD(h + half);
        for (int r = 0; r < n; r++) {
            zw_four from = ZW_LOAD(u + r * L + half), slope[ZW_GAUSS_MAX], sum = {0};
            for (int l = 0; l < m; l++) {
                slope[l] = ZW_LOAD(k + (l * n + r) * L + half);
                sum += rule->b[l] * slope[l];
            }
            ZW_STORE(end + r * L + half, from + width * sum);
            for (int i = 0; i < m; i++) {
                sum = rule->a[i][0] * slope[0];
                for (int l = 1; l < m; l++)
                    sum += rule->a[i][l] * slope[l];
                ZW_STORE(U + (i * n + r) * L + half, from + width * sum);
            }
        }
    }
}

ZW_CLONES static void stages_any(int n, int m, const double *u, const double *k, const double *h,
                                 const zw_gauss *rule, double *U, double *end) {
    stages(n, m, u, k, h, rule, U, end);
}
ZW_CLONES static void stages_4(int n, const double *u, const double *k, const double *h,
                               const zw_gauss *rule, double *U, double *end) {
    stages(n, 4, u, k, h, rule, U, end);
}

/* is an entry of n vectors not a number? */
ZW_CLONES static bool is_finite(int n, const double *x) {
    zw_four sum = {0};
    for (int i = 0; i < n * L; i += ZW_FOUR)
        sum += 0 * ZW_LOAD(x + i);
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

static zw_args args_at(const zw_colloc *c, int s, int i) {
    const zw_colloc_lanes *v = &c->lanes;
    int at = s * c->m + i, n = c->nx;
    return (zw_args){.t = v->t + (size_t)(at * L),
                     .x = v->U + (size_t)(at * n * L),
                     .z = v->rate + (size_t)((at * (n + 1) + v->kernel->nq) * L),
                     .u = v->input,
                     .c = v->cache};
}

/* x' by M v' = h */
static double solve_mass(zw_colloc *c, const zw_args *in, double *rate) {
    zw_colloc_lanes *v = &c->lanes;
    const zw_kernel *k = v->kernel;
    zw_kernel_call(k, ZW_FN_MATS, in, v->mats, v->work);
    zw_mats_parts a = zw_mats_of(k, v->mats);
    memcpy(rate, a.qdot, sizeof(double) * (size_t)(k->nq * L));
    memcpy(rate + (size_t)(k->nq * L), a.h, sizeof(double) * (size_t)(k->nv * L));
    return zw_lanes_divide(k->nv, 1, a.M, rate + (size_t)(k->nq * L));
}

bool zw_colloc_lanes_rates(zw_colloc *c, const double *x, double period) {
    zw_colloc_lanes *v = &c->lanes;
    const zw_kernel *k = v->kernel;
    int n = c->nx, m = c->m;
    double floor = zw_num_pivot_floor(k->nz), least = INFINITY;
    bool finite = true;
    load_state(c, x);
    for (int s = 0; s < v->K; s++) {
        const double *u = v->u + (size_t)(s * n * L), *slope = v->k + (size_t)(s * m * n * L),
                     *h = v->h + (size_t)(s * L);
        double *U = v->U + (size_t)(s * m * n * L), *end = v->end + (size_t)(s * n * L);
        if (m == 4)
            stages_4(n, u, slope, h, &c->rule, U, end);
        else
            stages_any(n, m, u, slope, h, &c->rule, U, end);
        for (int i = 0; i < m; i++) {
            double *rate = v->rate + (size_t)((s * m + i) * (n + 1) * L),
                   *t = v->t + (size_t)((s * m + i) * L);
            for (int e = 0; e < L; e++) {
                int j = e * v->K + s;
                t[e] = c->start +
                       period * (c->mesh[j < c->N ? j : c->N] + c->rule.c[i] * v->h[s * L + e]);
            }
            zw_args in = args_at(c, s, i);
            if (k->unrolled) {
                zw_kernel_call(k, ZW_FN_RHS, &in, rate, v->work);
                for (int e = 0; e < L; e++)
                    least = rate[n * L + e] >= least ? least : rate[n * L + e];
            } else {
                double pivot = solve_mass(c, &in, rate);
                least = pivot >= least ? least : pivot;
            }
            finite &= is_finite(n, rate);
        }
    }
    v->current = least >= floor && finite;
    return v->current;
}

void zw_colloc_lanes_slopes(zw_colloc *c, double period, double *out, double *end) {
    const zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, stride = n * (m + 1);
    for (int j = 0; j < c->N; j++) {
        int e = j / v->K, s = j % v->K;
        const double *k = v->k + (size_t)(s * m * n * L + e),
                     *f = v->rate + (size_t)(s * m * (n + 1) * L + e),
                     *last = v->end + (size_t)(s * n * L + e);
        double *to = out + (size_t)(j * stride + n);
        for (int i = 0; i < m; i++)
            for (int r = 0; r < n; r++)
                to[i * n + r] =
                    (k[(i * n + r) * L] - period * f[(i * (n + 1) + r) * L]) * c->inverse[r];
        for (int r = 0; r < n; r++)
            end[j * n + r] = last[r * L];
    }
}

/* ---------------------------------------------------------------------------------- derivatives */

/* X <- M^-1 X at a stage; false: it is singular */
static bool apply_inverse(zw_colloc *c, const zw_args *in) {
    zw_colloc_lanes *v = &c->lanes;
    const zw_kernel *k = v->kernel;
    int nv = k->nv, columns = c->nx + 2;
    zw_kernel_call(k, ZW_FN_MATS, in, v->mats, v->work);
    double *M = zw_mats_of(k, v->mats).M;
    if (!v->diagonal)
        return zw_lanes_divide(nv, columns, M, v->X) > zw_num_pivot_floor(nv);
    for (int r = 0; r < nv; r++) {
        double *row = v->X + (size_t)(r * columns * L), by[L];
        for (int e = 0; e < L; e++) {
            by[e] = 1 / M[(r * nv + r) * L + e];
            if (!isfinite(by[e]))
                return false;
        }
        for (int j = 0; j < columns; j++)
            for (int e = 0; e < L; e++)
                row[j * L + e] *= by[e];
    }
    return true;
}

/* derivatives of v' into X (nv x (n + 2)): in the state, in the parameter, in time */
static bool derive_velocities(zw_colloc *c, const zw_args *in, bool moves) {
    zw_colloc_lanes *v = &c->lanes;
    const zw_kernel *k = v->kernel;
    int n = c->nx, columns = n + 2;
    zw_jac_parts d = zw_jac_of(k, v->jac);
    zw_jac_p_parts p = zw_jac_p_of(k, v->jac_p);
    zw_time_parts w = zw_time_of(k, v->time);
    for (int r = 0; r < k->nv; r++) {
        double *row = v->X + (size_t)(r * columns * L);
        for (int j = 0; j < n * L; j++)
            row[j] = -d.dr_dx[r * n * L + j];
        for (int e = 0; e < L; e++) {
            row[n * L + e] = k->npar > 0 ? -p.dr_dp[r * k->npar * L + e] : 0;
            row[(n + 1) * L + e] = moves ? -w.dr_dt[r * L + e] : 0;
        }
    }
    return apply_inverse(c, in);
}

/* The right sides of a row of the rates: f for P, and the part of a; by_a, by_t: derivatives, NULL
 * if zero. */
static void put_side(const zw_colloc *c, const double *f, const double *t, double period,
                     const double *by_a, const double *by_t, double *to) {
    for (int e = 0; e < L; e++) {
        double value = by_a ? period * by_a[e] : 0;
        if (!c->free_period && c->slope != 0)
            value += c->slope * (f[e] + (by_t ? (t[e] - c->start) * by_t[e] : 0));
        if (c->free_period)
            to[e] = f[e];
        to[(c->nb - 1) * L + e] = value;
    }
}

/* J and right sides of a stage of slot s; false: the mass matrix is singular */
static bool evaluate_stage(zw_colloc *c, int s, int i, double period) {
    zw_colloc_lanes *v = &c->lanes;
    const zw_kernel *k = v->kernel;
    int n = c->nx, nb = c->nb, nq = k->nq, nv = k->nv, at = s * c->m + i, columns = n + 2,
        own = v->second ? nv : n; /* rows of J */
    bool moves = !c->free_period && c->slope != 0;
    const double *f = v->rate + (size_t)(at * (n + 1) * L), *t = v->t + (size_t)(at * L);
    double *J = v->J + (size_t)(i * own * n * L), *side = v->side + (size_t)(i * own * nb * L),
           *velocities = J + (size_t)((own - nv) * n * L);
    zw_args in = args_at(c, s, i);
    zw_kernel_call(k, ZW_FN_JAC, &in, nv > 0 ? v->jac : J, v->work);
    if (k->npar > 0)
        zw_kernel_call(k, ZW_FN_JAC_P, &in, v->jac_p, v->work);
    if (moves)
        zw_kernel_call(k, ZW_FN_TIME, &in, v->time, v->work);
    zw_jac_p_parts p = zw_jac_p_of(k, v->jac_p);
    zw_time_parts w = zw_time_of(k, v->time);
    if (nv > 0 && !derive_velocities(c, &in, moves))
        return false;
    if (nv > 0 && !v->second)
        memcpy(J, zw_jac_of(k, v->jac).dqdot_dx, sizeof(double) * (size_t)(nq * n * L));
    for (int r = 0; r < nv; r++) {
        const double *row = v->X + (size_t)(r * columns * L);
        memcpy(velocities + (size_t)(r * n * L), row, sizeof(double) * (size_t)(n * L));
        put_side(c, f + (size_t)((nq + r) * L), t, period, row + (size_t)(n * L),
                 row + (size_t)((n + 1) * L), side + (size_t)((own - nv + r) * nb * L));
    }
    for (int r = 0; r < nq && !v->second; r++)
        put_side(c, f + (size_t)(r * L), t, period,
                 k->npar > 0 ? p.dqdot_dp + (size_t)(r * k->npar * L) : NULL,
                 moves ? w.dqdot_dt + (size_t)(r * L) : NULL, side + (size_t)(r * nb * L));
    for (int r = 0; r < nq && v->second; r++) {
        double *Jq = v->Jq + (size_t)((at * nv + r) * nv * L);
        put_side(c, f + (size_t)(r * L), t, period, NULL, NULL,
                 v->side_q + (size_t)((at * nv + r) * nb * L));
        for (int j = 0; j < nv * L; j++)
            Jq[j] = period * J[r * n * L + j];
    }
    return true;
}

static double factor_intervals(zw_colloc *c, int s, double period) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, nb = c->nb, nv = v->kernel->nv;
    double *B = v->B + (size_t)s * (size_t)(v->rows * v->width * L),
           *A = v->A + (size_t)(s * n * (n + nb) * L);
    const double *h = v->h + (size_t)(s * L);
    if (!v->second)
        return zw_lanes_factor(n, m, nb,
                               &(zw_lanes_interval){.J = v->J,
                                                    .side = v->side,
                                                    .h = h,
                                                    .a = &c->rule.a[0][0],
                                                    .a_stride = ZW_GAUSS_MAX,
                                                    .b = c->rule.b,
                                                    .period = period},
                               B, A);
    const double *side_q = v->side_q + (size_t)(s * m * nv * nb * L);
    return zw_lanes_factor_second(nv, m, nb,
                                  &(zw_lanes_second){.J = v->J,
                                                     .side = v->side,
                                                     .side_q = side_q,
                                                     .h = h,
                                                     .a = &c->rule.a[0][0],
                                                     .a_stride = ZW_GAUSS_MAX,
                                                     .b = c->rule.b,
                                                     .c = c->rule.c,
                                                     .period = period},
                                  B, A);
}

bool zw_colloc_lanes_condense(zw_colloc *c, double period) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, own = v->rows / m, first = n - own;
    double least = INFINITY, trace[L] = {0};
    v->period = period;
    for (int s = 0; s < v->K; s++) {
        for (int i = 0; i < m; i++) {
            const double *J = v->J + (size_t)(i * own * n * L);
            double sum[L] = {0};
            if (!evaluate_stage(c, s, i, period))
                return false;
            for (int r = 0; r < own; r++)
                for (int e = 0; e < L; e++)
                    sum[e] += J[(r * n + first + r) * L + e];
            for (int e = 0; e < L; e++)
                trace[e] += v->h[s * L + e] * c->rule.b[i] * sum[e];
        }
        double pivot = factor_intervals(c, s, period);
        least = pivot >= least ? least : pivot;
    }
    c->factors.trace = 0;
    for (int e = 0; e < L; e++)
        c->factors.trace += period * trace[e];
    return least > PIVOT_MIN;
}

/* one column of D of an interval with all slopes: those of q from those of v */
static void complete_column(const zw_colloc *c, int s, int e, int column, double *D) {
    const zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, nv = v->kernel->nv, nb = c->nb;
    double h = v->h[s * L + e];
    for (int l = 0; l < m; l++)
        for (int r = 0; r < nv; r++) {
            double sum = column == nv + r ? 1 : 0;
            for (int i = 0; i < m; i++)
                sum += h * c->rule.a[l][i] * D[i * n + nv + r];
            D[l * n + r] = v->period * sum;
            if (column >= n)
                D[l * n + r] += v->side_q[(((s * m + l) * nv + r) * nb + column - n) * L + e];
        }
}

void zw_colloc_lanes_spread(zw_colloc *c) {
    const zw_colloc_lanes *v = &c->lanes;
    zw_colloc_factors *f = &c->factors;
    int n = c->nx, m = c->m, nb = c->nb, size = m * n, all = n + nb, own = v->rows / m;
    for (int j = 0; j < c->N; j++) {
        int e = j / v->K, s = j % v->K;
        const double *A = v->A + (size_t)(s * n * all * L + e),
                     *D = zw_colloc_lanes_sides(v, s) + e;
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < n; k++)
                f->A[((size_t)j * (size_t)n + (size_t)r) * (size_t)n + (size_t)k] =
                    A[(r * all + k) * L];
            for (int k = 0; k < nb; k++)
                f->c[(j * n + r) * nb + k] = A[(r * all + n + k) * L];
        }
        for (int k = 0; k < all; k++) {
            double *to = f->D + ((size_t)j * (size_t)all + (size_t)k) * (size_t)size;
            for (int i = 0; i < m; i++)
                for (int r = 0; r < own; r++)
                    to[i * n + n - own + r] = D[((i * own + r) * v->width + k) * L];
            if (v->second)
                complete_column(c, s, e, k, to);
        }
    }
}
