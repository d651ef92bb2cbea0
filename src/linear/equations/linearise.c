/* SPDX-License-Identifier: MIT */
/* The steps of zw_linearise. T and D come from the flow, orthonormal in the metric of the masses; O
 * is an orthonormal basis of the orbit directions D X and Q its complement, both as rows in the
 * coordinates of T:
 *
 *     A_S = D J T,    A = Q A_S Q',    orbit block O A_S O',    mix Q A_S O' = 0.
 *
 * Zero eigenvalues are counted by ranks: the dimension of ker A^k grows with k until it is their
 * number. Computed eigenvalues do not show it, since rounding splits a zero of a chain of length
 * two into values of the size sqrt(eps). */
#include "zwang/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"

enum {
    NEIGHBOURS = 4,   /* states near the motion at which the dimension is compared */
    PERTURBATIONS = 4 /* of the state, to find the uncertainty of A */
};
/* Distance of a neighbour in units of the state: far enough that constraints are regular there with
 * a margin of 1e-3, near enough that it is the same piece of the manifold. */
#define NEIGHBOUR_DISTANCE 1e-3
/* singular values of symmetries of length one: independent above sqrt(eps), as dependent ones leave
 * rounding */
#define ORBIT_INDEPENDENT 1e-8
#define ROW_OPERATIONS 100 /* roundings in a row of a sum of rates */
/* Relative to the scale of the state: motions are known no better, as they come from sums. */
#define STATE_UNCERTAINTY ZW_ROUNDOFF_SUM
/* Length of a symmetry at the motion relative to a neighbour: below it the symmetry fixes the
 * motion. A thousandth of NEIGHBOUR_DISTANCE, at which a symmetry that fixes it has grown
 * linearly. */
#define SYMMETRY_FIXES 1e-6
#define NOT_STEADY ZW_SAME_SOLUTION /* leak or mix: the error of a motion found by Newton */

struct zw_linearisation_memory {
    zw_arena arena;
};

/* Work on a linearisation. */
typedef struct builder {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_steady *at;
    zw_linearisation *out;
    int nx, d, ng;
    double *T, *D;  /* nx x d, d x nx */
    double *J, *JT; /* nx x nx, nx x d */
    double *AS;     /* d x d */
    double *frame;  /* d x d: rows O, then Q */
    double *turned; /* d x d: A_S in the frame */
    zw_arena work;
    zw_error *err;
} builder;

/* -------------------------------------------------------------------------------- tangent space */

static zw_status find_tangent(builder *b) {
    int nx = b->nx;
    double t = b->at->t;
    const double *x = b->at->x;
    b->T = ZW_NEW(&b->work, double, nx *nx + 1);
    b->D = ZW_NEW(&b->work, double, nx *nx + 1);
    b->J = ZW_NEW(&b->work, double, nx *nx + 1);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(zw_flow_tangent(b->flow, t, x, ZW_METRIC_MASS, &b->d, b->T, b->D, b->err));
    ZW_TRY(zw_symmetries_operator(b->s, b->flow, t, x, b->at->c, b->J, b->err));
    int d = b->d;
    b->JT = ZW_NEW(&b->work, double, nx *d + 1);
    b->AS = ZW_NEW(&b->work, double, d *d + 1);
    b->frame = ZW_NEW(&b->work, double, d *d + 1);
    b->turned = ZW_NEW(&b->work, double, d *d + 1);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    zw_dense_multiply(nx, nx, d, b->J, b->T, b->JT);
    zw_dense_multiply(d, nx, d, b->D, b->JT, b->AS);
    return ZW_OK;
}

/* Has the tangent space more dimensions here than nearby? Then pieces of the manifold meet, and the
 * motion nearby takes place on one of them only. */
static zw_status check_regular(builder *b) {
    zw_random random = zw_random_stream(7, 0);
    double *x = ZW_NEW(&b->work, double, b->nx + 1),
           *T = ZW_NEW(&b->work, double, b->nx * b->nx + 1);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    for (int k = 0; k < NEIGHBOURS; k++) {
        zw_error trouble = {0};
        int n = b->d;
        for (int i = 0; i < b->nx; i++)
            x[i] = b->at->x[i];
        for (int j = 0; j < b->d; j++) {
            double part = NEIGHBOUR_DISTANCE * zw_random_real(&random, -1, 1);
            for (int i = 0; i < b->nx; i++)
                x[i] += part * b->T[i * b->d + j] / zw_dense_norm(b->nx * b->d, b->T);
        }
        if (zw_flow_project(b->flow, b->at->t, x, NULL, &trouble) >= 0 &&
            zw_flow_tangent(b->flow, b->at->t, x, ZW_METRIC_PLAIN, &n, T, NULL, &trouble) >= 0 &&
            n < b->d) {
            zw_fail(b->err, ZW_E_SINGULAR,
                    "the constraints are singular at this motion: nearby they leave %d degrees of "
                    "freedom, here %d",
                    n, b->d);
            zw_error_hint(
                b->err,
                "there are no linear equations at this point; choose another motion with --hold");
            return ZW_E_SINGULAR;
        }
    }
    return ZW_OK;
}

/* The part of J T that leaves a row g of G, relative to the lengths of both. */
static double row_leak(const builder *b, const double *g) {
    int nx = b->nx, d = b->d;
    double most = 0, size = zw_dense_norm(nx, g) * zw_dense_norm(nx * d, b->JT);
    for (int j = 0; j < d; j++) {
        double sum = 0;
        for (int l = 0; l < nx; l++)
            sum += g[l] * b->JT[l * d + j];
        most = fmax(most, fabs(sum));
    }
    return size > 0 ? most / size : 0;
}

static zw_status find_leak(builder *b) {
    int nx = b->nx, ng = b->ng;
    double *G = ZW_NEW(&b->work, double, ng *nx + 1);
    if (!G)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(zw_flow_constraints(b->flow, b->at->t, b->at->x, NULL, G, b->err));
    b->out->leak = 0;
    for (int i = 0; i < ng; i++)
        b->out->leak = fmax(b->out->leak, row_leak(b, G + (size_t)i * (size_t)nx));
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- orbits */

/* The length of each symmetry in the coordinates of T at a state near the motion. A symmetry that
 * is much shorter at the motion itself fixes it. */
static zw_status neighbour_sizes(builder *b, double *X, double *x, double *size) {
    zw_random random = zw_random_stream(9, 0);
    double all = zw_dense_norm(b->nx * b->d, b->T);
    memcpy(x, b->at->x, sizeof(double) * (size_t)b->nx);
    for (int j = 0; j < b->d; j++) {
        double part = NEIGHBOUR_DISTANCE * zw_random_real(&random, -1, 1);
        for (int i = 0; i < b->nx; i++)
            x[i] += part * b->T[i * b->d + j] / all;
    }
    ZW_TRY(zw_symmetries_at(b->s, b->flow, b->at->t, x, NULL, X, b->err));
    for (int i = 0; i < b->s->n; i++) {
        size[i] = 0;
        for (int k = 0; k < b->d; k++) {
            double sum = 0;
            for (int l = 0; l < b->nx; l++)
                sum += b->D[k * b->nx + l] * X[i * b->nx + l];
            size[i] = hypot(size[i], sum);
        }
    }
    return ZW_OK;
}

/* O and Q: the right singular vectors of the symmetries, each of length one, in the coordinates of
 * T. */
static zw_status find_orbits(builder *b) {
    int nx = b->nx, d = b->d, ns = b->s->n;
    double *X = ZW_NEW(&b->work, double, ns *nx + 1), *rows = ZW_NEW(&b->work, double, ns *d + 1),
           *sv = ZW_NEW(&b->work, double, d + 1), *size = ZW_NEW(&b->work, double, ns + 1),
           *x = ZW_NEW(&b->work, double, nx + 1);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(neighbour_sizes(b, X, x, size));
    ZW_TRY(zw_symmetries_at(b->s, b->flow, b->at->t, b->at->x, NULL, X, b->err));
    for (int i = 0; i < ns; i++) {
        double *row = rows + (size_t)i * (size_t)d;
        for (int k = 0; k < d; k++)
            for (int l = 0; l < nx; l++)
                row[k] += b->D[k * nx + l] * X[i * nx + l];
        double length = zw_dense_norm(d, row);
        for (int k = 0; k < d; k++)
            row[k] = length > SYMMETRY_FIXES * size[i] ? row[k] / length : 0;
    }
    if (!zw_dense_svd(&b->work, ns, d, rows, sv, b->frame, NULL))
        return zw_dense_failure(&b->work, b->err);
    int rank = 0;
    while (rank < d && rank < ns && sv[rank] > ORBIT_INDEPENDENT)
        rank++;
    b->out->norbit = rank;
    b->out->n = d - rank;
    return ZW_OK;
}

/* turned = frame A_S frame', and the part of it that should vanish. */
static zw_status rotate_matrix(builder *b) {
    int d = b->d, r = b->out->norbit;
    double *half = ZW_NEW(&b->work, double, d *d + 1), mixed = 0, all = 0;
    if (!half)
        return zw_out_of_memory(b->err, NULL);
    zw_dense_multiply(d, d, d, b->frame, b->AS, half);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += half[i * d + k] * b->frame[j * d + k];
            b->turned[i * d + j] = sum;
            all += sum * sum;
            if (i >= r && j < r)
                mixed += sum * sum;
        }
    b->out->mix = all > 0 ? sqrt(mixed / all) : 0;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- eigenvalues */

/* T R' and R D of `count` rows R of the frame, from `first`. */
static void take_directions(const builder *b, int first, int count, double *T, double *D) {
    int nx = b->nx, d = b->d;
    const double *R = b->frame + (size_t)first * (size_t)d;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < count; j++)
            for (int k = 0; k < d; k++)
                T[i * count + j] += b->T[i * d + k] * R[j * d + k];
    zw_dense_multiply(count, d, nx, R, b->D, D);
}

/* A block of A_S in the frame. */
static void take_block(const builder *b, int row, int column, int rows, int columns, double *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[i * columns + j] = b->turned[(row + i) * b->d + column + j];
}

/* T, D, A and the orbits, in the memory of the result. */
static zw_status take_rest(builder *b, zw_arena *result) {
    zw_linearisation *out = b->out;
    int nx = b->nx, r = out->norbit, n = out->n;
    out->T = ZW_NEW(result, double, nx *n + 1);
    out->D = ZW_NEW(result, double, nx *n + 1);
    out->A = ZW_NEW(result, double, n *n + 1);
    out->J = ZW_NEW(result, double, nx *nx + 1);
    out->orbit_T = ZW_NEW(result, double, nx *r + 1);
    out->orbit_D = ZW_NEW(result, double, nx *r + 1);
    out->drift = ZW_NEW(result, double, n *r + 1);
    out->orbit_A = ZW_NEW(result, double, r *r + 1);
    if (result->failed)
        return zw_out_of_memory(b->err, NULL);
    memcpy(out->J, b->J, sizeof(double) * (size_t)(nx * nx));
    take_directions(b, r, n, out->T, out->D);
    take_directions(b, 0, r, out->orbit_T, out->orbit_D);
    take_block(b, r, r, n, n, out->A);
    take_block(b, 0, r, r, n, out->drift);
    take_block(b, 0, 0, r, r, out->orbit_A);
    return ZW_OK;
}

static zw_status find_modes(builder *b, zw_arena *result) {
    zw_linearisation *out = b->out;
    int nx = b->nx, n = out->n;
    zw_dense_eigen e;
    out->mode_re = ZW_NEW(result, double, nx *n + 1);
    out->mode_im = ZW_NEW(result, double, nx *n + 1);
    if (!zw_dense_eigenvalues(result, n, out->A, &e))
        return zw_dense_failure(result, b->err);
    out->re = e.re;
    out->im = e.im;
    out->condition = e.condition;
    zw_dense_multiply(nx, n, n, out->T, e.right_re, out->mode_re);
    zw_dense_multiply(nx, n, n, out->T, e.right_im, out->mode_im);
    return ZW_OK;
}

static zw_status find_orbit_values(builder *b, zw_arena *result) {
    zw_dense_eigen e;
    if (!zw_dense_eigenvalues(result, b->out->norbit, b->out->orbit_A, &e))
        return zw_dense_failure(result, b->err);
    b->out->orbit_re = e.re;
    b->out->orbit_im = e.im;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- zeros */

/* Rounding of the sums D J T, J = Df - DX; the argument J is work for Df (nx x nx). */
static zw_status add_product_rounding(const builder *b, double *J, double *noise) {
    int nx = b->nx, n = b->out->n;
    ZW_TRY(zw_flow_jacobian(b->flow, b->at->t, b->at->x, J, NULL, b->err));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nx; k++)
            for (int l = 0; l < nx; l++) {
                double f = J[k * nx + l], size = fabs(f) + fabs(f - b->J[k * nx + l]),
                       part = DBL_EPSILON * fabs(b->out->D[i * nx + k]) * size;
                for (int j = 0; part > 0 && j < n; j++)
                    noise[i * n + j] += part * fabs(b->out->T[l * n + j]);
            }
    return ZW_OK;
}

/* Rounding of symmetries whose sum is the motion: their rates may be much larger than the sum. */
static zw_status add_motion_rounding(const builder *b, double *f, double *noise) {
    double pace = 0;
    ZW_TRY(zw_flow_rates(b->flow, b->at->t, b->at->x, f, NULL, b->err));
    for (int i = 0; i < b->nx; i++)
        pace = fmax(pace, fabs(f[i]) / b->at->scale[i]);
    for (int i = 0; i < b->out->n; i++)
        noise[i * (b->out->n + 1)] += ROW_OPERATIONS * DBL_EPSILON * pace;
    return ZW_OK;
}

/* Change of A (n x n) if the motion is slightly off: what is zero up to this is zero, in any units
 * of time and of the state. */
static zw_status find_noise(builder *b, double *noise) {
    int nx = b->nx, n = b->out->n;
    zw_random random = zw_random_stream(11, 0);
    double *x = ZW_NEW(&b->work, double, nx + 1), *J = ZW_NEW(&b->work, double, nx *nx + 1),
           *JT = ZW_NEW(&b->work, double, nx *n + 1), *A = ZW_NEW(&b->work, double, n *n + 1);
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    ZW_TRY(add_product_rounding(b, J, noise));
    ZW_TRY(add_motion_rounding(b, x, noise));
    for (int k = 0; k < PERTURBATIONS; k++) {
        zw_error trouble = {0};
        for (int i = 0; i < nx; i++)
            x[i] =
                b->at->x[i] + STATE_UNCERTAINTY * b->at->scale[i] * zw_random_real(&random, -1, 1);
        if (zw_symmetries_operator(b->s, b->flow, b->at->t, x, b->at->c, J, &trouble) < 0)
            continue;
        zw_dense_multiply(nx, nx, n, J, b->out->T, JT);
        zw_dense_multiply(n, nx, n, b->out->D, JT, A);
        for (int i = 0; i < n * n; i++)
            noise[i] = fmax(noise[i], fabs(A[i] - b->out->A[i]));
    }
    return ZW_OK;
}

static zw_status count_zeros(builder *b) {
    zw_linearisation *out = b->out;
    double *noise = b->at->scale ? ZW_NEW(&b->work, double, out->n * out->n + 1) : NULL;
    if (b->work.failed)
        return zw_out_of_memory(b->err, NULL);
    if (noise)
        ZW_TRY(find_noise(b, noise));
    if (!zw_dense_zeros(&b->work, out->n, out->A, noise, &out->nfamily, &out->nzero))
        return zw_dense_failure(&b->work, b->err);
    return ZW_OK;
}

static zw_status build_linearisation(builder *b, zw_arena *result) {
    ZW_TRY(find_tangent(b));
    ZW_TRY(check_regular(b));
    ZW_TRY(find_leak(b));
    ZW_TRY(find_orbits(b));
    ZW_TRY(rotate_matrix(b));
    b->out->nx = b->nx;
    b->out->dimension = b->d;
    if (!(b->out->leak <= NOT_STEADY) || !(b->out->mix <= NOT_STEADY))
        return zw_fail(b->err, ZW_E_NUMERIC,
                       "the motion is not steady here, or violates the constraints: a fraction "
                       "%.2g of the linear equations violates them, a fraction %.2g depends on the "
                       "position along the orbit",
                       b->out->leak, b->out->mix);
    ZW_TRY(take_rest(b, result));
    ZW_TRY(find_modes(b, result));
    ZW_TRY(find_orbit_values(b, result));
    return count_zeros(b);
}

zw_status zw_linearise(zw_linearisation *out, zw_flow *flow, const zw_symmetries *s,
                       const zw_steady *at, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    builder b = {.flow = flow, .s = s, .at = at, .out = out, .nx = k->nx, .err = err};
    b.ng = zw_flow_levels(flow);
    *out = (zw_linearisation){0};
    out->memory = zw_allocate(&k->alloc, sizeof *out->memory);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&out->memory->arena, &k->alloc);
    zw_arena_init(&b.work, &k->alloc);
    zw_status status = build_linearisation(&b, &out->memory->arena);
    zw_arena_clear(&b.work);
    if (status < 0)
        zw_linearisation_clear(out);
    return status;
}

void zw_linearisation_clear(zw_linearisation *a) {
    if (a->memory) {
        zw_allocator alloc = a->memory->arena.alloc;
        zw_arena_clear(&a->memory->arena);
        zw_release(&alloc, a->memory, sizeof *a->memory);
    }
    *a = (zw_linearisation){0};
}
