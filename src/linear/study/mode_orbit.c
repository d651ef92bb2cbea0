/* SPDX-License-Identifier: MIT */
/* An eigenvector of the reduced equations is one of J except for parts along the orbits of the
 * symmetries, which are divided out there. These parts are motion, too: a bicycle that weaves also
 * yaws and swerves. With the fields X at the steady motion as columns,
 *
 *     J V = V G + X a,    J X = X B:    y = V s + X b,    s' = G s,    b' = B b + a s.
 *
 * B has the eigenvalues of a moving frame (0, +-i Omega), so that b grows no faster than a power of
 * time, unless s grows. b starts proportional to s, b = b_s e^(lambda t), (B - lambda) b_s = -a, if
 * there is such a solution, and at zero otherwise: it then drifts, as a neighbouring steady motion
 * does. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "mech/equations/subspace.h"
#include "mode.h"
#include "num/linear/dense.h"

/* Singular values and pivots relative to the largest: below, symmetries are dependent, or lambda is
 * an eigenvalue of B. */
#define SINGULAR ZW_ROUNDOFF_SOLVED
/* Part along the orbits relative to the mode: larger ones come from a resonance of lambda with B,
 * not from the mode. Chosen by trial: separates slow modes, whose displacement is rate/lambda, from
 * resonance. */
#define ORBIT_PART_MAX 1e3

/* Work on the part along the orbits. */
typedef struct orbit_work {
    const zw_equilibria *e;
    zw_arena *arena;
    int nx, n, m;
    double *J;               /* nx x nx */
    double *columns;         /* nx x n: X, in units of the state's sizes */
    double *value, *Vt, *Ut; /* n, n x n, n x nx: singular values and vectors of `columns` */
    const zw_mode_vectors *v;
    zw_mode_orbit *out;
    zw_error *err;
} orbit_work;

/* Coefficients (n) of a vector of the tangent space along X, those of least norm; the remainder is
 * left in `w`. */
static void along_orbits(const orbit_work *b, double *w, double *coefficient) {
    int least = b->n < b->nx ? b->n : b->nx;
    memset(coefficient, 0, (size_t)b->n * sizeof *coefficient);
    for (int k = 0; k < least; k++) {
        double part = 0;
        if (b->value[k] <= SINGULAR * b->value[0] || b->value[0] == 0)
            continue;
        for (int i = 0; i < b->nx; i++)
            part += b->Ut[k * b->nx + i] * w[i] / b->e->scale[i];
        for (int i = 0; i < b->nx; i++)
            w[i] -= part * b->Ut[k * b->nx + i] * b->e->scale[i];
        for (int j = 0; j < b->n; j++)
            coefficient[j] += b->Vt[k * b->n + j] * part / b->value[k];
    }
}

static double size_of(const orbit_work *b, const double *w) {
    double sum = 0;
    for (int i = 0; i < b->nx; i++)
        sum = hypot(sum, w[i] / b->e->scale[i]);
    return sum;
}

static zw_status decompose_tangent(orbit_work *b) {
    int nx = b->nx, n = b->n;
    const zw_steady *at = &b->e->motion;
    b->J = ZW_NEW(b->arena, double, nx *nx + 1);
    b->columns = ZW_NEW(b->arena, double, nx *n + 1);
    b->value = ZW_NEW(b->arena, double, n + 1);
    b->Vt = ZW_NEW(b->arena, double, n *n + 1);
    b->Ut = ZW_NEW(b->arena, double, nx *(n + 1) + 1);
    b->out->X = ZW_NEW(b->arena, double, nx *n + 1);
    if (b->arena->failed)
        return zw_out_of_memory(b->err, "the mode");
    ZW_TRY(
        zw_symmetries_operator(&b->e->symmetries, b->e->flow, at->t, at->x, at->c, b->J, b->err));
    ZW_TRY(zw_symmetries_at(&b->e->symmetries, b->e->flow, at->t, at->x, NULL, b->out->X, b->err));
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < n; j++)
            b->columns[i * n + j] = b->out->X[j * nx + i] / b->e->scale[i];
    if (n > 0 && !zw_dense_svd(b->arena, nx, n, b->columns, b->value, b->Vt, b->Ut))
        return zw_dense_failure(b->arena, b->err);
    return ZW_OK;
}

static void apply_J(const orbit_work *b, const double *from, int stride, double *to) {
    for (int i = 0; i < b->nx; i++) {
        to[i] = 0;
        for (int j = 0; j < b->nx; j++)
            to[i] += b->J[i * b->nx + j] * from[j * stride];
    }
}

/* The matrix of (b, s), and the error of the equations above. */
static zw_status fill_matrix(orbit_work *b) {
    int n = b->n, m = b->m, size = n + m;
    double *w = ZW_NEW(b->arena, double, b->nx + 1), *c = ZW_NEW(b->arena, double, n + 1);
    b->out->M = ZW_NEW(b->arena, double, size *size + 1);
    b->out->start = ZW_NEW(b->arena, double, size + 1);
    if (b->arena->failed)
        return zw_out_of_memory(b->err, "the mode");
    for (int j = 0; j < n; j++) { /* J X = X B */
        apply_J(b, b->out->X + (size_t)j * (size_t)b->nx, 1, w);
        along_orbits(b, w, c);
        for (int i = 0; i < n; i++)
            b->out->M[i * size + j] = c[i];
    }
    for (int j = 0; j < m; j++) { /* J V = V G + X a */
        apply_J(b, b->v->V + j, m, w);
        double whole = size_of(b, w);
        for (int i = 0; i < b->nx; i++) {
            double part = 0;
            for (int k = 0; k < m; k++)
                part += b->v->V[i * m + k] * b->v->G[k * m + j];
            w[i] -= part;
            whole = fmax(whole, fabs(part) / b->e->scale[i]);
        }
        along_orbits(b, w, c);
        if (whole > 0)
            b->out->mismatch = fmax(b->out->mismatch, size_of(b, w) / whole);
        for (int i = 0; i < n; i++)
            b->out->M[i * size + n + j] = c[i];
        for (int i = 0; i < m; i++)
            b->out->M[(n + i) * size + n + j] = b->v->G[i * m + j];
    }
    memcpy(b->out->start + n, b->v->s, (size_t)m * sizeof *b->v->s);
    return ZW_OK;
}

/* Solve A y = r in place; false if A (n x n) is singular relative to its largest entry. */
static bool solve_linear(int n, double *A, double *r) {
    double most = 0;
    for (int i = 0; i < n * n; i++)
        most = fmax(most, fabs(A[i]));
    return zw_eliminate(n, SINGULAR * most, A, r);
}

/* Start with b = C s, which holds at all times: C G = B C + a, n m equations for the entries of
 * C. */
static zw_status start_along(orbit_work *b) {
    int n = b->n, m = b->m, size = n + m, all = n * m;
    const double *M = b->out->M;
    double *A = ZW_NEW(b->arena, double, all *all + 1), *r = ZW_NEW(b->arena, double, all + 1),
           *w = ZW_NEW(b->arena, double, b->nx + 1), *V = ZW_NEW(b->arena, double, b->nx + 1);
    if (b->arena->failed)
        return zw_out_of_memory(b->err, "the mode");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int row = i * m + j;
            for (int k = 0; k < n; k++)
                A[row * all + k * m + j] -= M[i * size + k];
            for (int k = 0; k < m; k++)
                A[row * all + i * m + k] += b->v->G[k * m + j];
            r[row] = M[i * size + n + j];
        }
    if (all == 0 || !solve_linear(all, A, r))
        return ZW_OK;
    for (int i = 0; i < b->nx; i++)
        for (int j = 0; j < m; j++) {
            V[i] += b->v->V[i * m + j] * b->v->s[j];
            for (int k = 0; k < n; k++)
                w[i] += b->out->X[k * b->nx + i] * r[k * m + j] * b->v->s[j];
        }
    if (!(size_of(b, w) <= ORBIT_PART_MAX * size_of(b, V)))
        return ZW_OK;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b->out->start[i] += r[i * m + j] * b->v->s[j];
    return ZW_OK;
}

zw_status zw_mode_orbit_find(zw_mode_orbit *out, const zw_equilibria *e, zw_arena *arena,
                             const zw_mode_vectors *v, zw_error *err) {
    orbit_work b = {.e = e,
                    .arena = arena,
                    .nx = e->kernel->nx,
                    .n = e->symmetries.n,
                    .m = v->m,
                    .v = v,
                    .out = out,
                    .err = err};
    *out = (zw_mode_orbit){.n = b.n, .m = b.m};
    ZW_TRY(decompose_tangent(&b));
    ZW_TRY(fill_matrix(&b));
    return start_along(&b);
}
