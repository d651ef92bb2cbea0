/* SPDX-License-Identifier: MIT */
/* Degrees of freedom of estimated noise. Each quantity has its own noise: of n_q values, whose rows
 * give F_q = sum a a' of the information, the unknowns use up
 *
 *   u_q = trace(F_q cov),     sum_q u_q = number of unknowns,
 *
 * so that s_q^2 = S_q/(n_q - u_q). (A second quantity with many values, which determines other
 * parameters, uses up none of the first.) The variance of a value with the derivatives a with
 * respect to the unknowns is the sum of
 *
 *   v_q = a' cov F_q cov a,     with     (sum v_q)^2 / sum(v_q^2/(n_q - u_q))
 *
 * degrees of freedom (F. E. Satterthwaite 1946): those of the noise that makes it uncertain. With
 * one quantity this is the number of its values minus that of the unknowns. */
#include <math.h>
#include <string.h>

#include "fit.h"

#define LEFT_FRACTION 0.05 /* of the values: fewer left over do not determine the noise */

static bool is_one(const zw_fit *f) {
    int used = 0;
    for (int q = 0; q < f->nq; q++)
        used += f->quantity[q].count > 0;
    return used < 2 || f->options.loss != ZW_FIT_SQUARES;
}

/* n_q - u_q. */
double zw_fit_left(const zw_fit *f, int q) {
    const zw_fit_quantity *u = &f->quantity[q];
    double n = (double)u->count, part = (double)f->N / (double)f->measured;
    double used_unknowns = f->is_shared ? u->used_unknowns : n * part;
    return fmax(n - used_unknowns, LEFT_FRACTION * n);
}

bool zw_fit_is_used_up(const zw_fit *f, int q) {
    const zw_fit_quantity *u = &f->quantity[q];
    return f->is_shared && !u->stated && u->count > 0 &&
           (double)u->count - u->used_unknowns < ZW_FIT_FREE;
}

void zw_fit_share_unknowns(zw_fit *f) {
    int N = f->N;
    size_t square = (size_t)N * (size_t)N;
    double row[f->nx + f->P + 1];
    int at[f->nx + f->P + 1];
    if (is_one(f) || f->is_loose)
        return;
    memset(f->information, 0, sizeof(double) * square * (size_t)f->nq);
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int number = 0; number < e->K; number++) {
            const zw_fit_node *node = &e->node[number];
            int last = number + 1 < e->K ? node[1].row : e->nrow, size = node->n0 + f->P;
            for (int c = 0; c < size; c++)
                at[c] = c < node->n0 ? node->first + c : zw_fit_unknown(f, e, c - node->n0);
            for (int k = node->row * f->nq; k < last * f->nq; k++) {
                if (isnan(e->y[k]))
                    continue;
                double *F = f->information + square * (size_t)(k % f->nq);
                zw_fit_row(f, e, node, k / f->nq, k % f->nq, row);
                for (int a = 0; a < size; a++)
                    for (int b = 0; b < size; b++)
                        F[at[a] * N + at[b]] += row[a] * row[b];
            }
        }
    }
    for (int q = 0; q < f->nq; q++) {
        f->quantity[q].used_unknowns = 0;
        for (size_t k = 0; k < square; k++) /* both are symmetric */
            f->quantity[q].used_unknowns += f->information[square * (size_t)q + k] * f->cov[k];
    }
    f->is_shared = true;
}

double zw_fit_freedom(const zw_fit *f, const double *a, double *n) {
    int N = f->N;
    double w[N + 1], all = 0, by_left = 0, by_count = 0, left = 0;
    *n = 0;
    for (int q = 0; q < f->nq; q++)
        if (!f->quantity[q].stated && f->quantity[q].count > 0) {
            left += zw_fit_left(f, q);
            *n += (double)f->quantity[q].count;
        }
    if (*n == 0)
        return INFINITY;
    if (!a || !f->is_shared)
        return left;
    for (int i = 0; i < N; i++) {
        w[i] = 0;
        for (int k = 0; k < N; k++)
            w[i] += f->cov[i * N + k] * a[k];
    }
    for (int q = 0; q < f->nq; q++) {
        const zw_fit_quantity *u = &f->quantity[q];
        const double *F = f->information + (size_t)N * (size_t)N * (size_t)q;
        double v = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N && w[i] != 0; k++)
                v += w[i] * F[i * N + k] * w[k];
        all += v;
        if (u->stated || u->count == 0)
            continue;
        by_left += v * v / zw_fit_left(f, q);
        by_count += v * v / (double)u->count;
    }
    *n = by_count > 0 ? all * all / by_count : INFINITY;
    return by_left > 0 ? all * all / by_left : INFINITY;
}
