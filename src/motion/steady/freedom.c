/* SPDX-License-Identifier: MIT */
/* Which neighbouring steady motions satisfy the values that are held? A change of the state along a
 * family and along orbits is
 *
 *     dx = T N b + X' a,     A N = 0,
 *
 * and held values stay if H dx = 0 with H their gradients. Solutions with b = 0 are the same motion
 * elsewhere on its orbit, so that
 *
 *     free = dim N - (rank (H T N, H X') - rank H X'). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "zwang/steady.h"

/* Singular values of rows and columns of size one: below it a direction is not held.
 * ZW_ROUNDOFF_SOLVED with one more decomposition. */
#define NOT_HELD 1e-8

/* Work on the free directions. */
typedef struct freedom_work {
    zw_follow *f;
    zw_flow *flow;
    const zw_symmetries *s;
    zw_linearisation a;
    int nx, nhold, nfamily;
    const zw_hold *hold;
    double *H;          /* nhold x nx */
    double *family, *X; /* nx x nfamily; n of the symmetries x nx */
    double *rows, *sv, *V;
    zw_arena arena;
    zw_error *err;
} freedom_work;

static zw_status allocate_work(freedom_work *q) {
    const zw_kernel *k = zw_flow_kernel(q->flow);
    int n = q->a.n, columns = n + q->s->n, nx = q->nx;
    q->H = ZW_NEW(&q->arena, double, (q->nhold + k->nobs + 2) * nx + 1);
    q->family = ZW_NEW(&q->arena, double, nx *n + 1);
    q->X = ZW_NEW(&q->arena, double, q->s->n *nx + 1);
    q->rows = ZW_NEW(&q->arena, double, (q->nhold + n) * columns + 1);
    q->sv = ZW_NEW(&q->arena, double, columns + 1);
    q->V = ZW_NEW(&q->arena, double, columns *columns + 1);
    return zw_arena_status(&q->arena, q->err);
}

/* The gradients of the observables, if any is held. */
static zw_status find_gradients(freedom_work *q, const zw_steady *at) {
    double *all = q->H + (size_t)q->nhold * (size_t)q->nx;
    for (int i = 0; i < q->nhold; i++)
        if (q->hold[i].observable)
            return zw_flow_observables_jacobian(q->flow, at->t, at->x, all, q->err);
    return ZW_OK;
}

/* T N, in columns. */
static zw_status find_family(freedom_work *q) {
    int n = q->a.n, k = q->a.nfamily;
    if (!zw_dense_svd(&q->arena, n, n, q->a.A, q->sv, q->V, NULL))
        return zw_dense_failure(&q->arena, q->err);
    q->nfamily = k;
    for (int i = 0; i < q->nx; i++)
        for (int j = 0; j < k; j++)
            for (int l = 0; l < n; l++)
                q->family[i * k + j] += q->a.T[i * n + l] * q->V[(n - k + j) * n + l];
    return ZW_OK;
}

static const double *column_at(const freedom_work *q, int j, int *stride) {
    *stride = j < q->nfamily ? q->nfamily : 1;
    return j < q->nfamily ? q->family + j : q->X + (size_t)(j - q->nfamily) * (size_t)q->nx;
}

static double size_of(const freedom_work *q, int j) {
    const double *scale = zw_follow_scale(q->f);
    int stride;
    const double *dx = column_at(q, j, &stride);
    double most = 0;
    for (int l = 0; l < q->nx; l++)
        most = fmax(most, fabs(dx[l * stride]) / scale[l]);
    return most > 0 ? most : 1;
}

/* The change of held value i along column j, relative to the sizes of both, so that rounding is
 * small. */
static double held_change(const freedom_work *q, int i, int j) {
    const double *scale = zw_follow_scale(q->f), *h = q->H + (size_t)i * (size_t)q->nx;
    int stride;
    const double *dx = column_at(q, j, &stride);
    double sum = 0, row = 0;
    for (int l = 0; l < q->nx; l++) {
        sum += h[l] * dx[l * stride];
        row += fabs(h[l]) * scale[l];
    }
    return row > 0 ? sum / (row * size_of(q, j)) : 0;
}

/* The rank of H (T N, X') without its first `from` columns; the singular vectors are in V. */
static zw_status find_rank(freedom_work *q, int from, int *rank) {
    int columns = q->nfamily + q->s->n - from;
    for (int i = 0; i < q->nhold; i++)
        for (int j = 0; j < columns; j++)
            q->rows[i * columns + j] = held_change(q, i, j + from);
    if (!zw_dense_svd(&q->arena, q->nhold, columns, q->rows, q->sv, q->V, NULL))
        return zw_dense_failure(&q->arena, q->err);
    *rank = 0;
    while (*rank < columns && *rank < q->nhold && q->sv[*rank] > NOT_HELD)
        ++*rank;
    return ZW_OK;
}

/* The free change of the state with the largest part along the family. */
static void free_direction(const freedom_work *q, int rank, double *direction) {
    int k = q->nfamily, columns = k + q->s->n, best = rank;
    double most = -1;
    for (int i = rank; i < columns; i++) {
        double part = zw_dense_norm(k, q->V + (size_t)i * (size_t)columns);
        if (part > most) {
            most = part;
            best = i;
        }
    }
    const double *v = q->V + (size_t)best * (size_t)columns;
    for (int i = 0; i < q->nx; i++) {
        direction[i] = 0;
        for (int j = 0; j < columns; j++) {
            int stride;
            const double *dx = column_at(q, j, &stride);
            direction[i] += v[j] * dx[i * stride] / size_of(q, j);
        }
    }
}

static zw_status count_freedom(freedom_work *q, int *nfree, double *direction) {
    const zw_steady *at = zw_follow_motion(q->f);
    int with, without;
    ZW_TRY(allocate_work(q));
    ZW_TRY(find_gradients(q, at));
    for (int i = 0; i < q->nhold; i++) {
        double *row = q->H + (size_t)i * (size_t)q->nx;
        const double *all = q->H + (size_t)q->nhold * (size_t)q->nx;
        for (int l = 0; l < q->nx; l++)
            row[l] =
                q->hold[i].observable ? all[q->hold[i].index * q->nx + l] : l == q->hold[i].index;
    }
    ZW_TRY(zw_symmetries_at(q->s, q->flow, at->t, at->x, NULL, q->X, q->err));
    ZW_TRY(find_family(q));
    ZW_TRY(find_rank(q, q->nfamily, &without));
    ZW_TRY(find_rank(q, 0, &with));
    *nfree = q->nfamily - (with - without);
    if (*nfree > 0 && direction)
        free_direction(q, with, direction);
    return ZW_OK;
}

zw_status zw_follow_freedom(zw_follow *f, int *nfree, double *direction, zw_error *err) {
    freedom_work q = {.f = f, .flow = zw_follow_flow(f), .s = zw_follow_symmetries(f), .err = err};
    q.nx = zw_flow_kernel(q.flow)->nx;
    q.hold = zw_follow_holds(f, &q.nhold);
    *nfree = 0;
    zw_arena_init(&q.arena, &zw_flow_kernel(q.flow)->alloc);
    zw_status status = zw_linearise(&q.a, q.flow, q.s, zw_follow_motion(f), err);
    if (status >= 0)
        status = count_freedom(&q, nfree, direction);
    zw_linearisation_clear(&q.a);
    zw_arena_clear(&q.arena);
    return status;
}
