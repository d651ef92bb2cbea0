/* SPDX-License-Identifier: MIT */
/* The response of an output to a harmonic input. Where i omega is an eigenvalue of A, only the
 * controllable and observable part of the system counts: V_c spans what b and A reach, V_o the part
 * of it that c and A' see, both orthonormal, so that with V = V_o V_c
 *
 *     c (i omega - A)^-1 b = (c V') (i omega - V A V')^-1 (V b). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/result_arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "zwang/statespace.h"

/* Pivots of i omega - A relative to its largest entry: singular, by rounding of the entries. */
#define PIVOT_SINGULAR ZW_ROUNDOFF_VALUE
/* A pivot above this is not rounding, whatever multiplied it: rounding over rounding is no
 * response. Below, the controllable and observable part is taken. */
#define PIVOT_REGULAR 1e-8
/* part of a direction outside those before; below it is rounding */
#define NEW_DIRECTION ZW_ROUNDOFF_SOLVED

/* One input and one output of the linear equations. */
typedef struct transfer_path {
    int n;
    double *A, *b, *c; /* n x n, n, n: in the metric of the masses */
} transfer_path;

static bool make_path(zw_arena *work, const zw_states *s, const zw_inout *io, int in, int put,
                      transfer_path *p) {
    int n = s->n;
    *p = (transfer_path){n, s->A_eta, ZW_NEW(work, double, n + 1), ZW_NEW(work, double, n + 1)};
    for (int i = 0; !work->failed && i < n; i++)
        for (int l = 0; l < n; l++) {
            p->b[i] += s->inverse[i * n + l] * io->B[l * io->nin + in];
            p->c[i] += io->C[put * n + l] * s->H[l * n + i];
        }
    return !work->failed;
}

/* The controllable part of a path, or with `observable` the observable part. */
static bool restrict_path(zw_arena *work, bool observable, const transfer_path *p,
                          transfer_path *out) {
    int n = p->n;
    double *V = ZW_NEW(work, double, n *n + 1);
    if (!V)
        return false;
    int m = zw_dense_reach(n, p->A, observable, 1, observable ? p->c : p->b, NEW_DIRECTION, V);
    double *VA = ZW_NEW(work, double, m *n + 1);
    *out = (transfer_path){m, ZW_NEW(work, double, m *m + 1), ZW_NEW(work, double, m + 1),
                           ZW_NEW(work, double, m + 1)};
    if (work->failed)
        return false;
    zw_dense_multiply(m, n, n, V, p->A, VA);
    zw_dense_multiply(m, n, 1, V, p->b, out->b);
    zw_dense_multiply(m, n, 1, V, p->c, out->c);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < n; l++)
                out->A[i * m + j] += VA[i * n + l] * V[j * n + l];
    return true;
}

/* c (i omega - A)^-1 b; false if singular, or if there is no memory. */
static bool evaluate_response(zw_arena *work, const transfer_path *p, double omega, double least,
                              double complex *g) {
    int n = p->n;
    double complex *M = ZW_NEW(work, double complex, n *n + 1),
                   *x = ZW_NEW(work, double complex, n + 1);
    if (work->failed)
        return false;
    for (int i = 0; i < n; i++)
        x[i] = p->b[i];
    double size = fmax(fabs(omega), zw_dense_norm(n * n, p->A));
    if (!zw_dense_solve_shifted(n, p->A, I * omega, least * size, M, x))
        return false;
    *g = 0;
    for (int i = 0; i < n; i++)
        *g += p->c[i] * x[i];
    return true;
}

static zw_status find_response(zw_arena *work, const zw_states *s, const zw_inout *io, int in,
                               int put, double omega, double complex *g, zw_error *err) {
    transfer_path all, reached, both;
    if (!make_path(work, s, io, in, put, &all))
        return zw_out_of_memory(err, NULL);
    if (evaluate_response(work, &all, omega, PIVOT_REGULAR, g))
        return ZW_OK;
    if (restrict_path(work, false, &all, &reached) && restrict_path(work, true, &reached, &both) &&
        evaluate_response(work, &both, omega, PIVOT_SINGULAR, g))
        return ZW_OK;
    return work->failed ? zw_out_of_memory(err, NULL)
                        : zw_fail(err, ZW_E_SINGULAR,
                                  "the response grows without bound at %.10g rad/s: an undamped "
                                  "eigenvalue lies there",
                                  omega);
}

zw_status zw_response_at(const zw_states *states, const zw_inout *b, int in, int put, double omega,
                         double g[2], zw_error *err) {
    zw_arena work;
    double complex sum = 0;
    zw_arena_init(&work, &states->memory->arena.alloc);
    zw_status status = find_response(&work, states, b, in, put, omega, &sum, err);
    zw_arena_clear(&work);
    sum += b->D[put * b->nin + in];
    g[0] = creal(sum);
    g[1] = cimag(sum);
    return status;
}
