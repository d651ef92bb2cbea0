/* SPDX-License-Identifier: MIT */
/* The linear quadratic regulator. With G = B R^-1 B' its cost y' P y solves
 *
 *     A' P + P A - P G P + Q = 0,                          K = R^-1 B' P,
 *     A' P (1 + G P)^-1 A - P + Q = 0   (discrete),        K = (R + B' P B)^-1 B' P A,
 *
 * and of all solutions it is the one with stable A - B K. Its graph z = (y, P y) is the stable
 * invariant subspace of the Hamiltonian matrix [A -G; -Q -A'], in discrete time of the pencil
 * M - lambda L with M = [A 0; -Q 1], L = [1 G; 0 A'], which (M + L)^-1 (M - L) brings to the
 * continuous form (lambda -> (lambda - 1)/(lambda + 1)) without an inverse of A.
 *
 * The subspace is the kernel of 1 + sign(H), with the sign function by Newton's method
 * S -> (S + S^-1)/2 (J. D. Roberts, Int. J. Control 32, 1980; R. Byers, Lin. Alg. Appl. 85, 1987).
 * It takes all stable eigenvalues together, so that multiple and defective ones do no harm. With
 * P = rho P_1 the two blocks get equal size. The error D = P* - P of a solution P solves a Riccati
 * equation, too, with A - B K in place of A, the residual in place of Q, in discrete time
 * R + B' P B in place of R: solved in the same way it refines P. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "control.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"

enum { STEPS = 100, REFINEMENTS = 2 };
#define SCALED_UNTIL 1e-2 /* relative change of S from which on Newton's method is quadratic */
#define SIGN_ROUNDOFF 10  /* eps times the size: the change of S is rounding */
/* Real part, or distance from the unit circle, relative to the size of A: on the border of
 * stability. Eigenvalues with condition numbers up to 1e5 are known so. */
#define BORDER 1e-10
#define NEW_DIRECTION ZW_ROUNDOFF_SOLVED /* as of controllability in participation.c */
#define NOISE 1e-28 /* column of Q, which is of squares, of all of it: rounding of a zero */
#define DEFINITE ZW_ROUNDOFF_SUM /* an eigenvalue of Q or R, of the largest: 0 */
#define RESIDUAL_MAX 1e-8        /* half of the digits are lost */

/* The equation at hand: A, Q and R change in a refinement. */
typedef struct riccati {
    int n, m;
    bool discrete;
    const double *B;
    double *A, *Q, *R;
    zw_arena *work;
    zw_error *err;
} riccati;

static double *new_matrix(riccati *c, int rows, int columns) {
    return ZW_NEW(c->work, double, rows *columns + 1);
}

static double *copy_matrix(zw_arena *to, int size, const double *from) {
    double *copy = ZW_NEW(to, double, size + 1);
    if (copy)
        memcpy(copy, from, sizeof *copy * (size_t)size);
    return copy;
}

static zw_status fail_numbers(riccati *c, const char *what) {
    zw_fail(c->err, ZW_E_NUMERIC, "lqr: %s", what);
    zw_error_hint(c->err, "choose weights that differ by fewer orders of magnitude");
    return ZW_E_NUMERIC;
}

/* ------------------------------------------------------------------------------------ products */

/* X = R^-1 Y' (m x k) of Y (k x m) */
static zw_status divide_weights(riccati *c, const double *R, int k, const double *Y, double *X) {
    int m = c->m;
    double *LU = copy_matrix(c->work, m * m, R), *rows = copy_matrix(c->work, k * m, Y);
    int *pivot = ZW_NEW(c->work, int, m + 1);
    ZW_TRY(zw_arena_status(c->work, c->err));
    if (!(zw_num_lu(m, LU, pivot) > 0))
        return fail_numbers(c, "the weights of the inputs cannot be inverted");
    zw_num_lu_solve(m, LU, pivot, k, rows);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++)
            X[i * k + j] = rows[j * m + i];
    return ZW_OK;
}

static zw_status find_input_cost(riccati *c, double *G) {
    double *X = new_matrix(c, c->m, c->n);
    ZW_TRY(zw_arena_status(c->work, c->err));
    ZW_TRY(divide_weights(c, c->R, c->n, c->B, X));
    zw_dense_multiply(c->n, c->m, c->n, c->B, X, G);
    return ZW_OK;
}

/* K of P, and the weights R + B' P B that D sees (R in continuous time) */
static zw_status find_gain(riccati *c, const double *P, double *K, double *R) {
    int n = c->n, m = c->m;
    double *PB = new_matrix(c, n, m), *Y = new_matrix(c, n, m), *more = new_matrix(c, m, m);
    ZW_TRY(zw_arena_status(c->work, c->err));
    zw_dense_multiply(n, n, m, P, c->B, PB);
    memcpy(R, c->R, sizeof *R * (size_t)(m * m));
    if (!c->discrete)
        return divide_weights(c, R, n, PB, K);
    zw_dense_multiply_transposed(m, n, m, c->B, PB, more);
    for (int i = 0; i < m * m; i++)
        R[i] += more[i];
    zw_dense_multiply_transposed(n, n, m, c->A, PB, Y);
    return divide_weights(c, R, n, Y, K);
}

/* closed = A - B K; residual of P, symmetric, and the size of its terms */
static zw_status find_residual(riccati *c, const double *P, const double *K, double *closed,
                               double *residual, double *size) {
    int n = c->n, nn = n * n;
    double *PA = new_matrix(c, n, n), *APA = new_matrix(c, n, n), *BK = new_matrix(c, n, n),
           *PBK = new_matrix(c, n, n), *last = new_matrix(c, n, n);
    ZW_TRY(zw_arena_status(c->work, c->err));
    zw_dense_multiply(n, c->m, n, c->B, K, BK);
    zw_dense_multiply(n, n, n, P, c->A, PA);
    zw_dense_multiply(n, n, n, P, BK, PBK);
    if (c->discrete) {
        zw_dense_multiply_transposed(n, n, n, c->A, PA, APA);
        zw_dense_multiply_transposed(n, n, n, c->A, PBK, last);
    }
    *size = zw_dense_norm(nn, c->Q) + (c->discrete ? zw_dense_norm(nn, P) : 0);
    *size += c->discrete ? zw_dense_norm(nn, APA) + zw_dense_norm(nn, last)
                         : 2 * zw_dense_norm(nn, PA) + zw_dense_norm(nn, PBK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at = i * n + j, turned = j * n + i;
            closed[at] = c->A[at] - BK[at];
            residual[at] =
                c->discrete
                    ? c->Q[at] - P[at] + (APA[at] + APA[turned]) / 2 - (last[at] + last[turned]) / 2
                    : c->Q[at] + PA[at] + PA[turned] - (PBK[at] + PBK[turned]) / 2;
        }
    return ZW_OK;
}

/* -------------------------------------------------------------------------- stable subspace */

/* The Hamiltonian matrix H (2n x 2n) for P/rho. */
static zw_status find_hamiltonian(riccati *c, const double *G, double rho, double *H) {
    int n = c->n, N = 2 * n;
    double *L = new_matrix(c, N, N), *x = new_matrix(c, N, N);
    int *pivot = ZW_NEW(c->work, int, N + 1);
    ZW_TRY(zw_arena_status(c->work, c->err));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double one = i == j, a = c->A[i * n + j], at = c->A[j * n + i], g = rho * G[i * n + j],
                   q = c->Q[i * n + j] / rho;
            const double continuous[] = {a, -g, -q, -at}, above[] = {a - one, -g, -q, one - at},
                         below[] = {a + one, g, -q, one + at};
            for (int k = 0; k < 4; k++) {
                int place = (k / 2 * n + i) * N + k % 2 * n + j;
                H[place] = c->discrete ? above[k] : continuous[k];
                L[place] = below[k];
            }
        }
    if (!c->discrete)
        return ZW_OK;
    if (!(zw_num_lu(N, L, pivot) > 0))
        return fail_numbers(c, "an eigenvalue of the closed loop lies on the unit circle");
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            x[j * N + i] = H[i * N + j];
    zw_num_lu_solve(N, L, pivot, N, x);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            H[i * N + j] = x[j * N + i];
    return ZW_OK;
}

/* S becomes sign(S). */
static zw_status find_sign(riccati *c, int N, double *S) {
    double *LU = new_matrix(c, N, N), *turned = new_matrix(c, N, N), before = INFINITY;
    int *pivot = ZW_NEW(c->work, int, N + 1);
    ZW_TRY(zw_arena_status(c->work, c->err));
    for (int step = 0; step < STEPS; step++) {
        double size = zw_dense_norm(N * N, S), change = 0, scale = 1;
        memcpy(LU, S, sizeof *LU * (size_t)(N * N));
        if (!(zw_num_lu(N, LU, pivot) > 0))
            break;
        memset(turned, 0, sizeof *turned * (size_t)(N * N));
        for (int i = 0; i < N; i++)
            turned[i * N + i] = 1;
        zw_num_lu_solve(N, LU, pivot, N, turned); /* the inverse by columns */
        if (before > SCALED_UNTIL)
            scale = sqrt(zw_dense_norm(N * N, turned) / size);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double next = (scale * S[i * N + j] + turned[j * N + i] / scale) / 2;
                change = hypot(change, next - S[i * N + j]);
                S[i * N + j] = next;
            }
        change /= size;
        if (change <= SIGN_ROUNDOFF * N * DBL_EPSILON ||
            (before < SCALED_UNTIL * SCALED_UNTIL && change >= before))
            return ZW_OK;
        before = change;
    }
    return fail_numbers(c, "an eigenvalue of the closed loop lies on the border of stability");
}

/* P (n x n) of the equation at hand. */
static zw_status solve_riccati(riccati *c, double *P) {
    int n = c->n, N = 2 * n;
    double *G = new_matrix(c, n, n), *S = new_matrix(c, N, N), *V = new_matrix(c, N, N),
           *s = new_matrix(c, N, 1), *X = new_matrix(c, n, n);
    ZW_TRY(zw_arena_status(c->work, c->err));
    ZW_TRY(find_input_cost(c, G));
    double above = zw_dense_norm(n * n, c->Q), below = zw_dense_norm(n * n, G),
           rho = above > 0 && below > 0 ? sqrt(above / below) : 1;
    ZW_TRY(find_hamiltonian(c, G, rho, S));
    ZW_TRY(find_sign(c, N, S));
    for (int i = 0; i < N; i++)
        S[i * N + i] += 1;
    if (!zw_dense_svd(c->work, N, N, S, s, V, NULL))
        return zw_dense_failure(c->work, c->err);
    for (int i = 0; i < n; i++) /* the last n rows of V span the kernel */
        for (int j = 0; j < n; j++) {
            X[i * n + j] = V[(n + j) * N + i];
            P[i * n + j] = rho * V[(n + j) * N + n + i];
        }
    zw_dense_divide(n, n, X, P);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            P[i * n + j] = P[j * n + i] = (P[i * n + j] + P[j * n + i]) / 2;
    if (!isfinite(zw_dense_norm(n * n, P)))
        return fail_numbers(c, "the cost of the regulator is not finite");
    return ZW_OK;
}

/* -------------------------------------------------------------------------- what has a solution */

static zw_status check_weights(riccati *c, const char *name, int n, const double *W,
                               bool definite) {
    zw_dense_eigen e;
    double most = 0, least = INFINITY, skew = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            most = fmax(most, fabs(W[i * n + j]));
            skew = fmax(skew, fabs(W[i * n + j] - W[j * n + i]));
            if (!isfinite(W[i * n + j]))
                return zw_fail(c->err, ZW_E_OPTION, "lqr: %s is not finite", name);
        }
    if (skew > DEFINITE * most)
        return zw_fail(c->err, ZW_E_OPTION, "lqr: %s is not symmetric", name);
    if (!zw_dense_eigenvalues(c->work, n, W, &e))
        return zw_dense_failure(c->work, c->err);
    for (int i = 0; i < n; i++)
        least = fmin(least, e.re[i]);
    if (definite ? least > DEFINITE * most : least >= -DEFINITE * most)
        return ZW_OK;
    zw_fail(c->err, ZW_E_OPTION, "lqr: %s is not positive %s: its smallest eigenvalue is %.6g",
            name, definite ? "definite" : "semidefinite", least);
    zw_error_hint(c->err,
                  definite ? "give each input a weight above 0" : "give no state a weight below 0");
    return ZW_E_OPTION;
}

/* Distance of an eigenvalue beyond the border of stability, relative to the size of A. */
static double border_distance(const riccati *c, double re, double im) {
    double size = zw_dense_norm(c->n * c->n, c->A);
    if (c->discrete)
        return (hypot(re, im) - 1) / fmax(size, 1);
    return size > 0 ? re / size : re;
}

/* Columns of B (n x m) of length one, as their sizes depend on units; those below `least` are 0. */
static void scale_columns(int n, int m, const double *B, double least, double *out) {
    for (int j = 0; j < m; j++) {
        double length = 0;
        for (int i = 0; i < n; i++)
            length = hypot(length, B[i * m + j]);
        for (int i = 0; i < n; i++)
            out[i * m + j] = length > least ? B[i * m + j] / length : 0;
    }
}

/* The part of A that the columns of B (n x m) do not reach (of A', if transposed): W A W', k x k. */
static zw_status find_rest(riccati *c, bool transposed, int m, const double *B, int *k,
                           double **rest) {
    int n = c->n;
    double *columns = new_matrix(c, n, m), noise = transposed ? NOISE * zw_dense_norm(n * m, B) : 0;
    double *V = new_matrix(c, n, n), *W = new_matrix(c, n, n), *s = new_matrix(c, n, 1),
           *AW = new_matrix(c, n, n), *turned = new_matrix(c, n, n);
    *rest = new_matrix(c, n, n);
    ZW_TRY(zw_arena_status(c->work, c->err));
    scale_columns(n, m, B, noise, columns);
    int reached = zw_dense_reach(n, c->A, transposed, m, columns, NEW_DIRECTION, V);
    *k = n - reached;
    for (int i = 0; i < n; i++)
        W[i * n + i] = 1;
    if (reached > 0 && !zw_dense_svd(c->work, reached, n, V, s, W, NULL))
        return zw_dense_failure(c->work, c->err);
    const double *last = W + (size_t)reached * (size_t)n;
    for (int i = 0; i < *k; i++)
        for (int j = 0; j < n; j++)
            turned[j * *k + i] = last[i * n + j];
    zw_dense_multiply(n, n, *k, c->A, turned, AW);
    zw_dense_multiply(*k, n, *k, last, AW, *rest);
    return ZW_OK;
}

static zw_status fail_mode(riccati *c, double re, double im, const char *text, const char *hint) {
    char value[60];
    double rounding = ZW_ROUNDOFF_SUM * zw_dense_norm(c->n * c->n, c->A);
    re = fabs(re) > rounding ? re : 0;
    im = fabs(im) > rounding ? im : 0;
    snprintf(value, sizeof value, fabs(im) > 0 ? "%.6g +- %.6gi" : "%.6g", re, fabs(im));
    zw_fail(c->err, ZW_E_MODEL, "lqr: %s: eigenvalue %s%s", text, value,
            c->discrete ? " of A_d" : " 1/s");
    zw_error_hint(c->err, "%s", hint);
    return ZW_E_MODEL;
}

/* (A, B) is stabilisable, and modes on the border of stability have a weight. */
static zw_status check_modes(riccati *c) {
    zw_dense_eigen e;
    double *rest;
    int k;
    ZW_TRY(find_rest(c, false, c->m, c->B, &k, &rest));
    if (k > 0 && !zw_dense_eigenvalues(c->work, k, rest, &e))
        return zw_dense_failure(c->work, c->err);
    for (int i = 0; i < k; i++)
        if (border_distance(c, e.re[i], e.im[i]) > -BORDER)
            return fail_mode(c, e.re[i], e.im[i], "no input reaches a mode that is not stable",
                             "add an input that acts on it, or leave its states out");
    ZW_TRY(find_rest(c, true, c->n, c->Q, &k, &rest));
    if (k > 0 && !zw_dense_eigenvalues(c->work, k, rest, &e))
        return zw_dense_failure(c->work, c->err);
    for (int i = 0; i < k; i++)
        if (fabs(border_distance(c, e.re[i], e.im[i])) <= BORDER)
            return fail_mode(c, e.re[i], e.im[i], "a mode on the border of stability has no weight",
                             "give a weight to a state that it moves");
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- result */

static zw_status find_poles(riccati *c, zw_arena *out, const double *closed, zw_regulator *r) {
    zw_dense_eigen e;
    if (!zw_dense_eigenvalues(out, c->n, closed, &e))
        return zw_dense_failure(out, c->err);
    r->re = e.re;
    r->im = e.im;
    for (int i = 0; i < c->n; i++)
        if (!(border_distance(c, e.re[i], e.im[i]) < 0))
            return fail_mode(c, e.re[i], e.im[i], "the closed loop is not stable",
                             "choose weights that differ by fewer orders of magnitude");
    return ZW_OK;
}

/* P with its refinements, as far as they lessen the residual. */
static zw_status find_regulator(riccati *c, zw_regulator *r, zw_arena *out) {
    int n = c->n, m = c->m, nn = n * n;
    double *closed = new_matrix(c, n, n), *rest = new_matrix(c, n, n), *D = new_matrix(c, n, n),
           *R = new_matrix(c, m, m), *K = new_matrix(c, m, n), *best = new_matrix(c, n, n), size;
    double *P = new_matrix(c, n, n);
    r->K = ZW_NEW(out, double, m *n + 1);
    r->P = ZW_NEW(out, double, nn + 1);
    r->residual = INFINITY;
    ZW_TRY(zw_arena_status(c->work, c->err));
    ZW_TRY(zw_arena_status(out, c->err));
    ZW_TRY(solve_riccati(c, P));
    for (int k = 0; k <= REFINEMENTS; k++) {
        ZW_TRY(find_gain(c, P, K, R));
        ZW_TRY(find_residual(c, P, K, closed, rest, &size));
        double residual = size > 0 ? zw_dense_norm(nn, rest) / size : 0;
        if (!(residual < r->residual))
            break;
        r->residual = residual;
        memcpy(r->P, P, sizeof *P * (size_t)nn);
        memcpy(r->K, K, sizeof *K * (size_t)(m * n));
        memcpy(best, closed, sizeof *best * (size_t)nn);
        riccati next = *c;
        next.A = closed;
        next.Q = rest;
        next.R = R;
        if (!(residual > 0) || solve_riccati(&next, D) < 0)
            break;
        for (int i = 0; i < nn; i++)
            P[i] += D[i];
    }
    if (!(r->residual <= RESIDUAL_MAX))
        return fail_numbers(c, "the Riccati equation could not be solved to eight digits");
    return find_poles(c, out, best, r);
}

/* The problem in states z = S^-1 y for which A is balanced: units of the states do not matter. */
static zw_status balance_problem(riccati *c, const zw_regulator_problem *p, double *scale) {
    int n = p->n, m = p->m;
    double *B = new_matrix(c, n, m);
    c->A = copy_matrix(c->work, n * n, p->A);
    c->Q = copy_matrix(c->work, n * n, p->Q);
    c->R = copy_matrix(c->work, m * m, p->R);
    ZW_TRY(zw_arena_status(c->work, c->err));
    zw_dense_balance(n, c->A, scale);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c->Q[i * n + j] *= scale[i] * scale[j];
        for (int j = 0; j < m; j++)
            B[i * m + j] = p->B[i * m + j] / scale[i];
    }
    c->B = B;
    return ZW_OK;
}

static zw_status solve_problem(riccati *c, const zw_regulator_problem *p, zw_regulator *r,
                               zw_arena *out) {
    int n = p->n;
    double *scale = new_matrix(c, n, 1);
    ZW_TRY(zw_arena_status(c->work, c->err));
    ZW_TRY(check_weights(c, "the weight Q of the states", n, p->Q, false));
    ZW_TRY(check_weights(c, "the weight R of the inputs", p->m, p->R, true));
    ZW_TRY(balance_problem(c, p, scale));
    ZW_TRY(check_modes(c));
    ZW_TRY(find_regulator(c, r, out));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            r->P[i * n + j] /= scale[i] * scale[j];
        for (int i = 0; i < p->m; i++)
            r->K[i * n + j] /= scale[j];
    }
    return ZW_OK;
}

zw_status zw_regulator_find(zw_regulator *r, zw_arena *out, const zw_regulator_problem *p,
                            zw_error *err) {
    zw_arena work;
    zw_arena_init(&work, &out->alloc);
    riccati c = {.n = p->n, .m = p->m, .discrete = p->discrete, .work = &work, .err = err};
    zw_status status = solve_problem(&c, p, r, out);
    zw_arena_clear(&work);
    return status;
}
