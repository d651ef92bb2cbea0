/* SPDX-License-Identifier: MIT */
/* Projects the ends of steps onto the constraints, as num/flow/project.c does for one trajectory:
 * with M = K K', rows G = Phi or Psi and residuals g,
 *
 *     Y = K^-1 G',   S = Y'Y,   w = -K'^-1 Y S^-1 g,      dq = F w  or  dv = w,
 *
 * repeated until the square of a step is below round-off. One mass matrix is used for both levels.
 * A lane that has converged is no longer changed, so that it does not depend on the others. A lane
 * that does not converge is removed and reported (ZW_LANE_LEFT). */
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "lanes.h"

enum { ITERATIONS = 8 };
#define LAST_STEP 1e-9 /* Newton step whose square, the next error, is below round-off */

/* Scales unit quaternions of open lanes (not converged yet) to length one. */
ZW_KERNEL void normalise(const zw_lanes *l, int b, zw_mask open, double *x) {
    int L = l->L;
    for (int u = 0; u < l->k->nunit; u++) {
        double *q = x + l->k->unit[u] * L + b;
        zw_four sum = ZW_ALL(0.0);
        for (int i = 0; i < 4; i++) {
            zw_four v = ZW_LOAD(q + i * L);
            sum += v * v;
        }
        zw_four scale = 1.0 / ZW_ROOT(sum);
        for (int i = 0; i < 4; i++) {
            zw_four v = ZW_LOAD(q + i * L);
            ZW_STORE(q + i * L, ZW_CHOOSE(open, v * scale, v));
        }
    }
}

/* One step of Newton's method for m rows G (m x nv) with residuals g, of four lanes; n entries of x
 * are corrected, by F (n x nv) or directly. Lanes that have converged are closed. */
ZW_KERNEL void newton(const zw_lanes *l, int b, int m, const double *g, const double *G,
                      const double *F, int n, double *x) {
    int L = l->L, nv = l->k->nv;
    const double *K = l->metric + b;
    double *Y = l->rows + b, *S = l->schur + b, *w = l->move + b;
    zw_mask open = ZW_LOAD_MASK(l->open + b);
    for (int r = 0; r < m; r++) {
        for (int j = 0; j < nv; j++)
            ZW_STORE(Y + (r * nv + j) * L, ZW_LOAD(G + (r * nv + j) * L + b));
        zw_lanes_lower(nv, L, K, Y + r * nv * L, L);
        for (int c = 0; c <= r; c++) {
            zw_four sum = ZW_ALL(0.0);
            for (int j = 0; j < nv; j++)
                sum += ZW_LOAD(Y + (r * nv + j) * L) * ZW_LOAD(Y + (c * nv + j) * L);
            ZW_STORE(S + (r * m + c) * L, sum);
        }
        ZW_STORE(l->side + r * L + b, -ZW_LOAD(g + r * L + b));
    }
    zw_lanes_cholesky(m, L, S);
    zw_lanes_lower(m, L, S, l->side + b, L);
    zw_lanes_lower_transposed(m, L, S, l->side + b, L);
    for (int j = 0; j < nv; j++) {
        zw_four sum = ZW_ALL(0.0);
        for (int r = 0; r < m; r++)
            sum += ZW_LOAD(Y + (r * nv + j) * L) * ZW_LOAD(l->side + r * L + b);
        ZW_STORE(w + j * L, sum);
    }
    zw_lanes_lower_transposed(nv, L, K, w, L);
    zw_mask small = ZW_ALL_BITS(-1);
    for (int i = 0; i < n; i++) {
        zw_four d = F ? ZW_ALL(0.0) : ZW_LOAD(w + i * L), at = ZW_LOAD(x + i * L + b);
        for (int j = 0; F && j < nv; j++)
            d += ZW_LOAD(F + (i * nv + j) * L + b) * ZW_LOAD(w + j * L);
        small &= d * d <= (ZW_ABS(at) + 1.0) * (LAST_STEP * LAST_STEP);
        ZW_STORE(x + i * L + b, ZW_CHOOSE(open, at + d, at));
    }
    if (F)
        normalise(l, b, open, x);
    ZW_STORE_MASK(l->open + b, open & ~small);
}

ZW_CLONES static void newton_all(const zw_lanes *l, int m, const double *g, const double *G,
                                 const double *F, int n, double *x) {
    for (int b = 0; b < l->L; b += ZW_FOUR)
        newton(l, b, m, g, G, F, n, x);
}

ZW_CLONES static void factor_metric(zw_lanes *l, const double *M) {
    int L = l->L, nv = l->k->nv;
    memcpy(l->metric, M, sizeof(double) * (size_t)(nv * nv * L));
    for (int b = 0; b < L; b += ZW_FOUR)
        zw_lanes_cholesky(nv, L, l->metric + b);
}

ZW_CLONES static void open_accepted(zw_lanes *l, double *x) {
    for (int b = 0; b < l->L; b += ZW_FOUR) {
        zw_mask good = ZW_LOAD_MASK(l->accepted + b);
        ZW_STORE_MASK(l->open + b, good);
        normalise(l, b, good, x);
    }
}

static bool any_open(const zw_lanes *l) {
    return zw_lanes_bits(l->open, l->L) != 0;
}

/* bits of the lanes that are still open, or not finite */
static unsigned find_lost(const zw_lanes *l, const double *x) {
    unsigned bits = zw_lanes_bits(l->open, l->L), moved = zw_lanes_moved(l);
    for (int lane = 0; lane < l->L; lane++)
        for (int i = 0; i < l->k->nx; i++)
            if (moved >> lane & 1 && !isfinite(x[i * l->L + lane]))
                bits |= 1u << lane;
    return bits;
}

/* one level (positions or velocities), until all lanes have converged */
static unsigned satisfy_level(zw_lanes *l, zw_function_name name, double *x) {
    const zw_kernel *k = l->k;
    const zw_args in = {.t = l->t1, .x = x, .c = l->cache};
    bool positions = name == ZW_FN_POS;
    int m = positions ? k->npos : k->nvel;
    memcpy(l->open, l->accepted, sizeof(double) * (size_t)l->L);
    for (int i = 0; i < ITERATIONS && any_open(l); i++) {
        zw_kernel_call(k, name, &in, l->out, l->work);
        if (positions) {
            zw_pos_parts a = zw_pos_of(k, l->out);
            double *integral = a.phi + (k->npos - k->nleaf) * l->L;
            for (int j = 0; j < k->nleaf * l->L; j++)
                integral[j] = zw_kernel_from_start(k, j / l->L, integral[j] - l->leaf[j]);
            newton_all(l, m, a.phi, a.Phi, a.F, k->nq, x);
        } else {
            zw_vel_parts a = zw_vel_of(k, l->out);
            newton_all(l, m, a.psi, a.Psi, NULL, k->nv, x + k->nq * l->L);
        }
    }
    return find_lost(l, x);
}

void zw_lanes_keep_leaf(zw_lanes *l) {
    const zw_kernel *k = l->k;
    const zw_args in = {.t = l->t, .x = l->y0 + l->at * l->L, .c = l->cache};
    zw_kernel_call(k, ZW_FN_POS, &in, l->out, l->work);
    const double *integral = zw_pos_of(k, l->out).phi + (k->npos - k->nleaf) * l->L;
    for (int i = 0; i < k->nleaf * l->L; i++)
        if (l->fresh >> i % l->L & 1)
            l->leaf[i] = integral[i];
}

unsigned zw_lanes_project(zw_lanes *l) {
    const zw_kernel *k = l->k;
    double *x = l->y1 + l->at * l->L;
    const zw_args in = {.t = l->t1, .x = x, .c = l->cache};
    unsigned bad = 0;
    open_accepted(l, x);
    if (k->npos + k->nvel == 0)
        return 0;
    zw_kernel_call(k, k->own_metric ? ZW_FN_METRIC : ZW_FN_MATS, &in, l->out, l->work);
    factor_metric(l, l->out); /* M is the first part of both */
    if (k->npos > 0)
        bad |= satisfy_level(l, ZW_FN_POS, x);
    if (k->nvel > 0)
        bad |= satisfy_level(l, ZW_FN_VEL, x);
    return bad;
}
