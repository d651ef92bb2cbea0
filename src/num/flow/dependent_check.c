/* SPDX-License-Identifier: MIT */
/* Are the dependent velocities still well chosen? The constraints W v = b are solved for some of
 * the velocities, v_D = -W_D^-1 W_I v_I + ..., whose accuracy depends on that of W_D^-1. Complete
 * pivoting finds a choice with a determinant of about the largest size; the ratio of the
 * determinant of the present choice to it measures the loss. So that units do not matter,
 * velocities are measured by their kinetic energies: column j of W is divided by sqrt(M_jj). */
#include <math.h>
#include <string.h>

#include "num/internal.h"

/* |det| of n rows in the allowed columns, by complete pivoting; taken (may be NULL): the columns
 * with pivots */
static double pivoted_determinant(double *W, int n, int nv, const bool *may, bool *taken) {
    double det = 1;
    for (int k = 0; k < n; k++) {
        int row = k, column = -1;
        double largest = 0;
        for (int i = k; i < n; i++)
            for (int j = 0; j < nv; j++)
                if ((!may || may[j]) && fabs(W[i * nv + j]) > largest) {
                    largest = fabs(W[i * nv + j]);
                    row = i;
                    column = j;
                }
        if (column < 0)
            return 0;
        det *= largest;
        if (taken)
            taken[column] = true;
        for (int j = 0; j < nv; j++) {
            double swap = W[row * nv + j];
            W[row * nv + j] = W[k * nv + j];
            W[k * nv + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = W[i * nv + column] / W[k * nv + column];
            for (int j = 0; j < nv; j++)
                W[i * nv + j] -= factor * W[k * nv + j];
            W[i * nv + column] = 0; /* not taken again */
        }
    }
    return det;
}

/* false where they are not finite */
static bool scaled_rows(zw_run *run, double t, const double *x, double *rows) {
    const zw_kernel *k = run->k;
    double *scale = run->quasi.block;
    const double *M = zw_num_mass(run->flow, t, x);
    for (int j = 0; j < k->nv; j++)
        scale[j] = M[j * k->nv + j] > 0 ? 1 / sqrt(M[j * k->nv + j]) : 1;
    const double *Psi = zw_at_vel(run->flow, t, x, NULL).Psi;
    for (int i = 0; i < k->nvel * k->nv; i++) {
        rows[i] = Psi[i] * scale[i % k->nv];
        if (!isfinite(rows[i]))
            return false;
    }
    return true;
}

double zw_run_choice(zw_run *run, double t, const double *x, const bool *dependent, bool *best) {
    const zw_kernel *k = run->k;
    size_t bytes = sizeof(double) * (size_t)k->nvel * (size_t)k->nv;
    int n = 0;
    for (int j = 0; j < k->nv; j++) {
        n += dependent[j];
        best[j] = false;
    }
    if (n != k->nvel || n == 0 || n > k->nv) /* constraints on accelerations have no row here */
        return 1;
    double *W = run->quasi.block;
    if (!scaled_rows(run, t, x, run->quasi.rows))
        return 1;
    memcpy(W, run->quasi.rows, bytes);
    double most = pivoted_determinant(W, n, k->nv, NULL, best);
    memcpy(W, run->quasi.rows, bytes);
    double is = pivoted_determinant(W, n, k->nv, dependent, NULL);
    return most > 0 ? is / most : 1;
}
