/* SPDX-License-Identifier: MIT */
/* A method for stiff motions in lanes: RODAS of Hairer and Wanner (1996, IV.7), of order 4(3) with
 * 6 stages, L-stable, linearly implicit: no iteration. With J = df/dx, f' = df/dt at the beginning
 * of the step and E = 1/(h gamma) - J,
 *
 *     E u_i = f(t + c_i h, x + sum_j a_ij u_j) + 1/h sum_j c_ij u_j + h d_i f',  i = 1 .. 6, j < i,
 *
 * the end is the argument of stage 6 plus u_6, which is the estimate of the error. Steps end at
 * output times: there is a dense output of order 3, but where a motion follows fast forces the
 * error is estimated at the end of a step only, and long steps may be wrong in between.
 *
 * E is factorised without exchanging rows: short steps make it diagonally dominant. If a pivot is
 * small compared with its row, the step of the lane is rejected, as if its error were infinite. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "lanes.h"
#include "rosenbrock.h"

enum { STAGES = 6 };
#define GAMMA 0.25
/* Least pivot relative to the largest entry of its row before elimination: the stages then have at
 * least ten digits, more than tolerances need. */
#define PIVOT_MIN 1e-6

static const double node[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double slope[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double a[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double c[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054},
};
/* the tableau fields that the rest of the module uses: orders, and the position of the rate at the
 * end of the step */
const zw_rk_tableau zw_lanes_rodas = {
    .order = 4, .embedded = 3, .dense = 3, .stages = 1, .rows = 2};

/* ---------------------------------------------------------------------------------- derivatives */

/* rows of accelerations from those of r: column j of `side` (nz) becomes -M^-1 r */
ZW_KERNEL void accelerate(const zw_lanes *l, int b, double *side) {
    int L = l->L, nv = l->k->nv;
    for (int i = 0; i < nv; i++)
        ZW_STORE(side + i * L + b, -ZW_LOAD(side + i * L + b));
    zw_lanes_lower(nv, L, l->metric + b, side + b, L);
    zw_lanes_lower_transposed(nv, L, l->metric + b, side + b, L);
}

ZW_CLONES static void put_jacobian(zw_lanes *l, zw_jac_parts part) {
    const zw_kernel *k = l->k;
    int L = l->L, nx = k->nx;
    memcpy(l->J, part.dqdot_dx, sizeof(double) * (size_t)(k->nq * nx * L));
    for (int j = 0; j < nx && k->nv > 0; j++)
        for (int b = 0; b < L; b += ZW_FOUR) {
            for (int i = 0; i < k->nv; i++)
                ZW_STORE(l->side + i * L + b, ZW_LOAD(part.dr_dx + (i * nx + j) * L + b));
            accelerate(l, b, l->side);
            for (int i = 0; i < k->nv; i++)
                ZW_STORE(l->J + ((k->nq + i) * nx + j) * L + b, ZW_LOAD(l->side + i * L + b));
        }
}

ZW_CLONES static void put_slope(zw_lanes *l, zw_time_parts part) {
    const zw_kernel *k = l->k;
    int L = l->L;
    memcpy(l->in_time, part.dqdot_dt, sizeof(double) * (size_t)(k->nq * L));
    for (int b = 0; b < L && k->nv > 0; b += ZW_FOUR) {
        for (int i = 0; i < k->nv; i++)
            ZW_STORE(l->side + i * L + b, ZW_LOAD(part.dr_dt + i * L + b));
        accelerate(l, b, l->side);
        for (int i = 0; i < k->nv; i++)
            ZW_STORE(l->in_time + (k->nq + i) * L + b, ZW_LOAD(l->side + i * L + b));
    }
}

ZW_CLONES static void factor_mass(zw_lanes *l, const double *M) {
    int L = l->L, nv = l->k->nv;
    memcpy(l->metric, M, sizeof(double) * (size_t)(nv * nv * L));
    for (int b = 0; b < L; b += ZW_FOUR)
        zw_lanes_cholesky(nv, L, l->metric + b);
}

/* J and f' at the beginning of the step, where the rates have been evaluated */
static void evaluate_derivatives(zw_lanes *l) {
    const zw_kernel *k = l->k;
    const zw_args in = {.t = l->t, .x = l->y0, .z = l->rate + k->nq * l->L, .c = l->cache};
    if (k->nv > 0) {
        zw_kernel_call(k, ZW_FN_MATS, &in, l->out, l->work);
        factor_mass(l, l->out);
    }
    zw_kernel_call(k, ZW_FN_JAC, &in, l->out, l->work);
    put_jacobian(l, zw_jac_of(k, l->out));
    if (!k->autonomous) {
        zw_kernel_call(k, ZW_FN_TIME, &in, l->out, l->work);
        put_slope(l, zw_time_of(k, l->out));
    }
}

/* ----------------------------------------------------------------------------------- the matrix */

/* E = L U in place, of four lanes; diagonals of U become their inverses. *bad: lanes with a pivot
 * that is too small. */
ZW_KERNEL void factor(int n, int L, double *E, zw_mask *bad) {
    zw_mask small = ZW_ALL_BITS(0);
    for (int k = 0; k < n; k++) {
        zw_four largest = ZW_ALL(DBL_MIN), pivot = ZW_LOAD(E + (k * n + k) * L);
        for (int j = k; j < n; j++) {
            zw_four size = ZW_ABS(ZW_LOAD(E + (k * n + j) * L));
            largest = ZW_LARGER(size, largest);
        }
        small |= ~(ZW_ABS(pivot) > largest * PIVOT_MIN);
        zw_four inverse = 1.0 / pivot;
        ZW_STORE(E + (k * n + k) * L, inverse);
        for (int i = k + 1; i < n; i++) {
            zw_four factor = ZW_LOAD(E + (i * n + k) * L) * inverse;
            ZW_STORE(E + (i * n + k) * L, factor);
            for (int j = k + 1; j < n; j++)
                ZW_STORE(E + (i * n + j) * L,
                         ZW_LOAD(E + (i * n + j) * L) - factor * ZW_LOAD(E + (k * n + j) * L));
        }
    }
    *bad = small;
}

ZW_KERNEL void solve(int n, int L, const double *E, double *v) {
    for (int i = 1; i < n; i++) {
        zw_four s = ZW_LOAD(v + i * L);
        for (int j = 0; j < i; j++)
            s -= ZW_LOAD(E + (i * n + j) * L) * ZW_LOAD(v + j * L);
        ZW_STORE(v + i * L, s);
    }
    for (int i = n - 1; i >= 0; i--) {
        zw_four s = ZW_LOAD(v + i * L);
        for (int j = i + 1; j < n; j++)
            s -= ZW_LOAD(E + (i * n + j) * L) * ZW_LOAD(v + j * L);
        ZW_STORE(v + i * L, s * ZW_LOAD(E + (i * n + i) * L));
    }
}

ZW_CLONES static void put_matrix(zw_lanes *l) {
    int L = l->L, n = l->n;
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four diagonal = 1.0 / (GAMMA * ZW_LOAD(l->h + b));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int at = (i * n + j) * L + b;
                zw_four v = -ZW_LOAD(l->J + at);
                if (i == j)
                    v += diagonal;
                ZW_STORE(l->E + at, v);
            }
        zw_mask bad;
        factor(n, L, l->E + b, &bad);
        ZW_STORE(l->quality + b, ZW_CHOOSE(bad, ZW_ALL(-1.0), ZW_ALL(1.0)));
    }
}

/* ------------------------------------------------------------------------------------- stages */

/* the argument of stage i */
ZW_CLONES static void put_stage(zw_lanes *l, int i, double *x) {
    int size = l->n * l->L;
    for (int at = 0; at < size; at += ZW_FOUR) {
        zw_four sum = ZW_LOAD(l->y0 + at);
        for (int j = 0; j < i; j++)
            sum += a[i][j] * ZW_LOAD(l->u + j * size + at);
        ZW_STORE(x + at, sum);
    }
}

/* u_i from the rates f of the stage */
ZW_CLONES static void put_step(zw_lanes *l, int i, const double *f) {
    int L = l->L, n = l->n, size = n * L;
    double *u = l->u + i * size;
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four h = ZW_LOAD(l->h + b), per = 1.0 / h;
        for (int k = 0; k < n; k++) {
            int at = k * L + b;
            zw_four sum = ZW_ALL(0.0), v = ZW_LOAD(f + at);
            for (int j = 0; j < i; j++)
                sum += c[i][j] * ZW_LOAD(l->u + j * size + at);
            v += per * sum;
            if (!l->k->autonomous)
                v += h * slope[i] * ZW_LOAD(l->in_time + at);
            ZW_STORE(u + at, v);
        }
        solve(n, L, l->E + b, u + b);
    }
}

ZW_CLONES static void put_end(zw_lanes *l) {
    int size = l->n * l->L;
    for (int at = 0; at < size; at += ZW_FOUR)
        ZW_STORE(l->y1 + at, ZW_LOAD(l->stage + at) + ZW_LOAD(l->u + 5 * size + at));
}

void zw_lanes_rosenbrock(zw_lanes *l) {
    double *f = l->scratch;
    l->code->aim(l);
    evaluate_derivatives(l);
    put_matrix(l);
    put_step(l, 0, l->rate);
    for (int i = 1; i < STAGES; i++) {
        put_stage(l, i, l->stage);
        for (int b = 0; b < l->L; b++)
            l->stage_t[b] = node[i] == 1 ? l->t1[b] : l->t[b] + node[i] * l->h[b];
        zw_lanes_rates(l, l->stage_t, l->stage, f);
        put_step(l, i, f);
    }
    put_end(l);
    l->code->judge(l, l->u + 5 * l->n * l->L);
    zw_lanes_rates(l, l->t1, l->y1, l->rate + l->table->stages * l->row);
}
