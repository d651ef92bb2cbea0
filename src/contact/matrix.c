/* SPDX-License-Identifier: MIT */
/* The linear equations of every Newton step. Each contact is linearised to dr = c - D du; with
 *
 *     du = H dw - rp,    dw = H'P dr - rd,    rp = u - H w - q,   rd = w - H'P r
 *
 * the velocities of the parts are the unknowns,
 *
 *     (1 + H'P D H) dw = H'P (c + D rp) - rd,
 *
 * one block per part and one per pair that touches (elimination_order.c). It is regular where W is
 * singular. Rows are exchanged inside diagonal blocks only. Blocks on and below the diagonal are
 * kept transposed, so that all products are sums of rows. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "kernels.h"
#include "solver.h"

/* ------------------------------------------------------------------------------------- assembly */

/* K += H_a' (P D H_b) for all pairs of entries of a contact of m rows; returns the place after its
 * pairs */
ZW_KERNEL const int *add_contact(const zw_contact_solver *s, int i, int m, const int *place) {
    int begin = s->first[i], end = s->first[i + 1], count = end - begin;
    double weight[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX], X[ZW_CONTACT_ROWS_MAX * ZW_SIX];
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++)
            weight[a * m + b] = s->pull[s->row[i] + a] * s->D[s->square[i] + a * m + b];
    for (int f = 0; f < count; f++) {
        zw_six_product(m, m, weight, s->H + s->at[begin + f], X);
        for (int e = 0; e < count; e++) {
            int block = place[e * count + f];
            const double *H = s->H + s->at[begin + e];
            if (block >= 0)
                zw_six_add(m, 1, H, X, s->matrix.block + block * ZW_SQUARE);
            else
                zw_six_add(m, 1, X, H, s->matrix.block + (-1 - block) * ZW_SQUARE);
        }
    }
    return place + count * count;
}

ZW_KERNEL void add_contacts(const zw_contact_solver *s, int m) {
    const int *place = s->matrix.place;
    for (int i = 0; i < s->ncontact; i++)
        place = add_contact(s, i, m ? m : zw_contact_rows(s, i), place);
}

ZW_CLONES static void add_triples(const zw_contact_solver *s) {
    add_contacts(s, 3);
}

static void assemble_matrix(const zw_contact_solver *s) {
    const zw_contact_matrix *K = &s->matrix;
    memset(K->block, 0, sizeof *K->block * (size_t)(K->nblock * ZW_SQUARE));
    for (int k = 0; k < K->npart; k++)
        for (int i = 0; i < ZW_SQUARE; i += ZW_SIX + 1)
            K->block[K->diagonal[k] * ZW_SQUARE + i] = 1;
    if (s->triples)
        add_triples(s);
    else
        add_contacts(s, 0);
}

/* -------------------------------------------------------------------------------- factorisation */

ZW_CLONES static bool factor(const zw_contact_matrix *K) {
    for (int k = 0; k < K->npart; k++) {
        double *diagonal = K->block + K->diagonal[k] * ZW_SQUARE;
        const int *target = K->target + K->targets[k];
        if (!zw_six_factor(diagonal, K->pivot + 8 * k))
            return false;
        for (int b = K->first[k]; b < K->first[k + 1]; b++)
            zw_six_solve_block(diagonal, K->pivot + 8 * k, K->block + K->upper[b] * ZW_SQUARE);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            for (int b = K->first[k]; b < K->first[k + 1]; b++) {
                const double *L = K->block + K->lower[a] * ZW_SQUARE,
                             *U = K->block + K->upper[b] * ZW_SQUARE;
                int block = *target++;
                if (block >= 0)
                    zw_six_add(ZW_SIX, -1, L, U, K->block + block * ZW_SQUARE);
                else
                    zw_six_add(ZW_SIX, -1, U, L, K->block + (-1 - block) * ZW_SQUARE);
            }
    }
    return true;
}

bool zw_contact_matrix_factor(zw_contact_solver *s) {
    assemble_matrix(s);
    return factor(&s->matrix);
}

ZW_CLONES static void solve(const zw_contact_matrix *K, double *x) {
    for (int k = 0; k < K->npart; k++) {
        double *own = x + K->order[k] * ZW_SIX;
        zw_six_solve(1, K->block + K->diagonal[k] * ZW_SQUARE, K->pivot + 8 * k, own);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            zw_six_columns(ZW_SIX, -1, K->block + K->lower[a] * ZW_SQUARE, own,
                           x + K->order[K->later[a]] * ZW_SIX);
    }
    for (int k = K->npart - 1; k >= 0; k--)
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            zw_six_rows(ZW_SIX, -1, K->block + K->upper[a] * ZW_SQUARE,
                        x + K->order[K->later[a]] * ZW_SIX, x + K->order[k] * ZW_SIX);
}

void zw_contact_matrix_solve(const zw_contact_solver *s, double *x) {
    solve(&s->matrix, x);
}

/* ------------------------------------------------------------------------------------- the step */

/* out = a + sign D x, contact by contact */
ZW_KERNEL void weigh(const zw_contact_solver *s, int rows, const double *a, double sign,
                     const double *x, double *out) {
    for (int i = 0; i < s->ncontact; i++) {
        int m = rows ? rows : zw_contact_rows(s, i), row = s->row[i];
        const double *D = s->D + s->square[i];
        double y[ZW_CONTACT_ROWS_MAX];
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int l = 0; l < m; l++)
                sum += D[k * m + l] * x[row + l];
            y[k] = a[row + k] + sign * sum;
        }
        for (int k = 0; k < m; k++)
            out[row + k] = y[k];
    }
}

static void add_weighed(const zw_contact_solver *s, const double *a, double sign, const double *x,
                        double *out) {
    if (s->triples)
        weigh(s, 3, a, sign, x, out);
    else
        weigh(s, 0, a, sign, x, out);
}

/* rhs = H'P dr - rd - dw, the residual; false: it is round-off of the solution */
static bool find_residual(zw_contact_solver *s) {
    double size = 0, open = 0;
    zw_contact_gather(s, s->dr, s->rhs);
    for (int k = 0; k < s->ncol; k++) {
        s->rhs[k] -= s->rd[k] + s->dw[k];
        size = zw_larger(fabs(s->dw[k]), size);
        open = zw_larger(fabs(s->rhs[k]), open);
    }
    return open > ZW_ROUNDOFF_VALUE * size;
}

void zw_contact_matrix_step(zw_contact_solver *s, int refinements) {
    add_weighed(s, s->c, 1, s->rp, s->trial);
    zw_contact_gather(s, s->trial, s->dw);
    for (int k = 0; k < s->ncol; k++)
        s->dw[k] -= s->rd[k];
    zw_contact_matrix_solve(s, s->dw);
    for (int left = refinements;; left--) {
        zw_contact_spread(s, s->dw, false, s->du);
        for (int k = 0; k < s->nrow; k++)
            s->du[k] -= s->rp[k];
        add_weighed(s, s->c, -1, s->du, s->dr);
        if (left == 0 || !find_residual(s))
            break;
        zw_contact_matrix_solve(s, s->rhs);
        for (int k = 0; k < s->ncol; k++)
            s->dw[k] += s->rhs[k];
    }
}
