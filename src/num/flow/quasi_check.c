/* SPDX-License-Identifier: MIT */
/* Do the velocities still determine the rates of the coordinates? With quasi-velocities v = A(q) q'
 * + a there is q' = F v + f with F = A^-1. Where A becomes singular F has a pole; rates grow beyond
 * all bounds there, but long steps pass over it without an error, with invalid numbers. det F
 * changes its sign in a simple pole. So it is checked after every step of a run whose F is not
 * constant.
 *
 * The rows of unit quaternions and the columns that move them are left out of F, since these have
 * more coordinates than velocities; likewise columns that move nothing (multipliers among the
 * velocities). The remaining block is square unless quasi-velocities mix rotations with other
 * coordinates: those are not checked. */
#include <math.h>
#include <string.h>

#include "num/internal.h"
#include "num/linear/linalg.h"

static bool is_of_quaternion(const zw_kernel *k, int row) {
    for (int u = 0; u < k->nunit; u++)
        if (row >= k->unit[u] && row < k->unit[u] + 4)
            return true;
    return false;
}

/* does the column move a checked coordinate, and no quaternion? */
static bool is_watched(const zw_kernel *k, const double *F, int column) {
    bool moves = false;
    for (int i = 0; i < k->nq; i++)
        if (F[i * k->nv + column] != 0) {
            if (is_of_quaternion(k, i))
                return false;
            moves = true;
        }
    return moves;
}

/* the checked block of F, in run->quasi.block; its size, 0 if it is not square */
static int collect_block(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    const double *F = zw_at_pos(run->flow, t, x, NULL).F;
    int n = 0, rows = 0;
    for (int j = 0; j < k->nv; j++)
        if (is_watched(k, F, j))
            run->quasi.column[n++] = j;
    for (int i = 0; i < k->nq; i++) {
        if (is_of_quaternion(k, i))
            continue;
        for (int j = 0; j < n && rows < n; j++)
            run->quasi.block[rows * n + j] = F[i * k->nv + run->quasi.column[j]];
        rows++;
    }
    return rows == n ? n : 0;
}

static bool is_identity(int n, const double *F) {
    for (int i = 0; i < n * n; i++)
        if (F[i] != (i % (n + 1) == 0))
            return false;
    return true;
}

int zw_num_sign_of_determinant(int n, double *A, int *pivot) {
    int sign = 1;
    zw_num_lu(n, A, pivot);
    for (int i = 0; i < n; i++) {
        double d = A[i * n + i];
        if (d == 0 || !isfinite(d))
            return 0;
        sign = d < 0 ? -sign : sign;
        if (pivot[i] != i)
            sign = -sign;
    }
    return sign;
}

static int sign_of(zw_run *run, int n) {
    return zw_num_sign_of_determinant(n, run->quasi.block, run->quasi.pivot);
}

/* the velocity that moves the coordinates most: the one that is singular */
static int largest_column(zw_run *run, int n) {
    double most = -1;
    int worst = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += fabs(run->quasi.block[i * n + j]);
        if (sum > most) {
            most = sum;
            worst = run->quasi.column[j];
        }
    }
    return worst;
}

zw_status zw_num_quasi_start(zw_run *run, zw_error *err) {
    run->quasi.sign = 0;
    run->quasi.watched = false;
    if (run->k->nq == 0 || run->k->nv > ZW_NUM_QUASI_MOST)
        return ZW_OK;
    ZW_TRY(zw_num_expand(run, run->now, run->y, run->candidate, err));
    int n = collect_block(run, run->now, run->candidate);
    run->quasi.watched = n > 0 && !is_identity(n, run->quasi.block);
    run->quasi.sign = run->quasi.watched ? sign_of(run, n) : 0;
    return ZW_OK;
}

zw_status zw_num_quasi_check(zw_run *run, zw_error *err) {
    if (!run->quasi.watched)
        return ZW_OK;
    ZW_TRY(zw_num_expand(run, run->now, run->y, run->candidate, err));
    int n = collect_block(run, run->now, run->candidate), before = run->quasi.sign;
    if (n == 0)
        return ZW_OK;
    int worst = largest_column(run, n);
    run->quasi.sign = sign_of(run, n);
    if (run->quasi.sign * before >= 0)
        return ZW_OK;
    zw_num_fault(run->flow, ZW_FAULT_QUASI, worst, run->now, 0);
    zw_fail(err, ZW_E_SINGULAR,
            "the quasi-velocities do not determine the rates of the coordinates between t = %.10g "
            "and %.10g: they become singular there",
            run->before, run->now);
    zw_error_hint(err, "choose quasi-velocities that are independent wherever the motion goes, or "
                       "rates of coordinates");
    return ZW_E_SINGULAR;
}
