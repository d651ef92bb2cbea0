/* SPDX-License-Identifier: MIT */
/* Small disturbances V of a trajectory, V' = (df/dx) V, exact: with the residual r(t, x, z) = 0 of
 * the equations (num/flow/accel.c),
 *
 *     dq' = (dq'/dx) V,     [ M -C ] [ dv'     ]
 *                           [ W  0 ] [ dlambda ] = -(dr/dx) V
 *
 * by M = K K' and S = W M^-1 C, where C = W'. Only structurally nonzero entries of the derivatives
 * are used. */
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "base/arena.h"
#include "lanes.h"

/* the structurally nonzero entries of rows x columns, row by row */
static int list_nonzeros(const unsigned char *kind, int first, int rows, int columns, int L,
                         zw_lanes_entry *out) {
    int n = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            if (!kind || kind[first + i * columns + j] != ZW_OUTPUT_ZERO)
                out[n++] = (zw_lanes_entry){i * L, j * L, (i * columns + j) * L};
    return n;
}

zw_status zw_lanes_linear_init(zw_lanes *l, zw_arena *arena, zw_error *err) {
    const zw_kernel *k = l->k;
    const unsigned char *kind = k->kind[ZW_FN_JAC];
    l->rate_entry = ZW_NEW(arena, zw_lanes_entry, k->nq * k->nx + 1);
    l->residual_entry = ZW_NEW(arena, zw_lanes_entry, k->nz * k->nx + 1);
    if (arena->failed)
        return zw_out_of_memory(err, "lanes");
    l->nrate = list_nonzeros(kind, 0, k->nq, k->nx, l->L, l->rate_entry);
    l->nresidual = list_nonzeros(kind, k->nq * k->nx, k->nz, k->nx, l->L, l->residual_entry);
    return ZW_OK;
}

/* out_i = sum a_ij v_j of four lanes, for m vectors at the distance `apart`; rows without entries
 * are not written */
ZW_KERNEL void multiply_some(int m, int n, const zw_lanes_entry *e, const double *A,
                             const double *v, int v_apart, double *out, int out_apart) {
    for (int k = 0; k < n;) {
        const int row = e[k].row;
        zw_four sum[4], a = ZW_LOAD(A + e[k].at);
        for (int i = 0; i < m; i++)
            sum[i] = a * ZW_LOAD(v + e[k].column + i * v_apart);
        for (k++; k < n && e[k].row == row; k++) {
            a = ZW_LOAD(A + e[k].at);
            for (int i = 0; i < m; i++)
                sum[i] += a * ZW_LOAD(v + e[k].column + i * v_apart);
        }
        for (int i = 0; i < m; i++)
            ZW_STORE(out + row + i * out_apart, sum[i]);
    }
}

ZW_KERNEL void multiply(int m, int n, const zw_lanes_entry *e, const double *A, const double *v,
                        int v_apart, double *out, int out_apart) {
    for (; m >= 4; m -= 4, v += 4 * v_apart, out += 4 * out_apart)
        multiply_some(4, n, e, A, v, v_apart, out, out_apart);
    if (m == 3)
        multiply_some(3, n, e, A, v, v_apart, out, out_apart);
    else if (m == 2)
        multiply_some(2, n, e, A, v, v_apart, out, out_apart);
    else if (m == 1)
        multiply_some(1, n, e, A, v, v_apart, out, out_apart);
}

/* z = -K^-1 r for r = side (nz), which it replaces; of four lanes */
ZW_KERNEL void solve(const zw_lanes *l, int b, const double *W) {
    int L = l->L, nv = l->k->nv, nc = l->k->nc;
    double *a = l->side + b, *lambda = a + nv * L;
    const double *K = l->metric + b;
    for (int i = 0; i < nv + nc; i++)
        ZW_STORE(a + i * L, -ZW_LOAD(a + i * L));
    zw_lanes_lower(nv, L, K, a, L);
    zw_lanes_lower_transposed(nv, L, K, a, L);
    if (nc == 0)
        return;
    for (int r = 0; r < nc; r++) {
        zw_four sum = ZW_LOAD(lambda + r * L);
        for (int j = 0; j < nv; j++)
            sum -= ZW_LOAD(W + (r * nv + j) * L + b) * ZW_LOAD(a + j * L);
        ZW_STORE(lambda + r * L, sum);
    }
    zw_lanes_lower(nc, L, l->schur + b, lambda, L);
    zw_lanes_lower_transposed(nc, L, l->schur + b, lambda, L);
    for (int j = 0; j < nv; j++) {
        zw_four sum = ZW_LOAD(a + j * L);
        for (int r = 0; r < nc; r++)
            sum += ZW_LOAD(l->rows + (r * nv + j) * L + b) * ZW_LOAD(lambda + r * L);
        ZW_STORE(a + j * L, sum);
    }
}

/* M = K K', rows = M^-1 W' (by rows of W), S = W M^-1 W' = K K' */
ZW_KERNEL void factor(zw_lanes *l, int b, const double *M, const double *W) {
    int L = l->L, nv = l->k->nv, nc = l->k->nc;
    for (int i = 0; i < nv * nv; i++)
        ZW_STORE(l->metric + i * L + b, ZW_LOAD(M + i * L + b));
    zw_lanes_cholesky(nv, L, l->metric + b);
    for (int r = 0; r < nc; r++) {
        double *y = l->rows + r * nv * L + b;
        for (int j = 0; j < nv; j++)
            ZW_STORE(y + j * L, ZW_LOAD(W + (r * nv + j) * L + b));
        zw_lanes_lower(nv, L, l->metric + b, y, L);
        zw_lanes_lower_transposed(nv, L, l->metric + b, y, L);
        for (int c = 0; c <= r; c++) {
            zw_four sum = ZW_ALL(0.0);
            for (int j = 0; j < nv; j++)
                sum += ZW_LOAD(W + (c * nv + j) * L + b) * ZW_LOAD(y + j * L);
            ZW_STORE(l->schur + (r * nc + c) * L + b, sum);
        }
    }
    zw_lanes_cholesky(nc, L, l->schur + b);
}

ZW_CLONES static void linear_clones(zw_lanes *l, const double *t, const double *y, double *rate) {
    const zw_kernel *k = l->k;
    int L = l->L, nx = k->nx;
    const double *x = y + l->at * L, *z = rate + (l->at + k->nq) * L;
    const zw_args in = {.t = t, .x = x, .z = z, .c = l->cache};
    const double *W = NULL;
    if (k->nv > 0) {
        zw_kernel_call(k, ZW_FN_MATS, &in, l->out, l->work);
        zw_mats_parts a = zw_mats_of(k, l->out);
        for (int b = 0; b < L; b += ZW_FOUR)
            factor(l, b, a.M, a.W);
        memcpy(l->kept, a.W, sizeof(double) * (size_t)(k->nc * k->nv * L));
        W = l->kept;
    }
    zw_kernel_call(k, ZW_FN_JAC, &in, l->out, l->work);
    zw_jac_parts J = zw_jac_of(k, l->out);
    memset(rate, 0, sizeof(double) * (size_t)(l->at * L)); /* rows without entries */
    for (int b = 0; b < L; b += ZW_FOUR)
        multiply(l->nvariation, l->nrate, l->rate_entry, J.dqdot_dx + b, y + b, nx * L, rate + b,
                 nx * L);
    for (int v = 0; v < l->nvariation && k->nz > 0; v++)
        for (int b = 0; b < L; b += ZW_FOUR) {
            double *to = rate + v * nx * L + b;
            for (int i = 0; i < k->nz; i++)
                ZW_STORE(l->side + i * L + b, ZW_ALL(0.0));
            multiply(1, l->nresidual, l->residual_entry, J.dr_dx + b, y + v * nx * L + b, 0,
                     l->side + b, 0);
            solve(l, b, W);
            for (int i = 0; i < k->nv; i++)
                ZW_STORE(to + (k->nq + i) * L, ZW_LOAD(l->side + i * L + b));
        }
}

void zw_lanes_linear(zw_lanes *l, const double *t, const double *y, double *rate) {
    linear_clones(l, t, y, rate);
}
