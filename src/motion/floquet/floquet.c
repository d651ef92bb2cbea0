/* SPDX-License-Identifier: MIT */
/* Floquet multipliers. The monodromy matrix is a product A_K ... A_1 (variation.h); rounding would
 * destroy its small eigenvalues where others are large. They follow from the cyclic matrix
 *
 *         ( 0              A_K )
 *     Z = ( A_1  0             )       Z (z_1, ..., z_K) = zeta (z_1, ..., z_K)
 *         (      A_2  0        )       =>   M z_1 = zeta^K z_1:
 *         (           ...   0  )
 *
 * each mu appears as its K roots zeta, which are of moderate size, and has K times their relative
 * error. Roots are grouped in order of decreasing size: the root nearest to zeta exp(2 pi i j/K)
 * among those that are left belongs to zeta.
 *
 * The error of a multiplier is its difference from the one computed with half as many steps. That
 * is the error of the coarse one; the true error of the fine one is smaller by about 2^(2m). */
#include "floquet.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "num/linear/dense.h"

/* CYCLIC_MAX: rows of Z. With more, neighbouring factors are multiplied together: eigenvalues of Z
 * cost the cube of its rows. */
enum { STAGES_MAX = 8, CYCLIC_MAX = 192 };
/* Relative, per root: imaginary part of a real mu. Round-off of eigenvalues with condition numbers
 * up to 4e4. */
#define REAL_MULTIPLIER 1e-11
/* Default error of the multipliers, relative to the larger of 1 and their size: six digits remain
 * of a multiplier that differs from 1 by 1e-3. */
#define DEFAULT_TOLERANCE 1e-9
/* Default distance to the unit circle below which a multiplier decides nothing: that of a located
 * bifurcation, and larger than the error of multipliers by DEFAULT_TOLERANCE. */
#define DEFAULT_MARGIN 1e-6

typedef struct zw_floquet_memory {
    zw_arena arena;
} zw_floquet_memory;

void zw_floquet_options_init(zw_floquet_options *options, size_t size) {
    const zw_floquet_options all = {.size = size,
                                    .stages = 4,
                                    .intervals = 8,
                                    .intervals_max = 1024,
                                    .tolerance = DEFAULT_TOLERANCE,
                                    .margin = DEFAULT_MARGIN};
    zw_options_begin(options, size, &all, sizeof all);
}

void zw_floquet_clear(zw_floquet *f) {
    zw_floquet_memory *memory = f->memory;
    if (memory) {
        zw_arena arena = memory->arena;
        zw_arena_clear(&arena);
    }
    *f = (zw_floquet){0};
}

/* ------------------------------------------------------------------------------------- spectrum */

typedef struct spectrum {
    int n;
    double complex *mu;     /* n, in order of decreasing size */
    double *log_size;       /* n: log |mu|, also where mu underflows */
    double complex *vector; /* n x n: eigenvectors in columns, of length 1 */
} spectrum;

/* Multiplies neighbouring factors in place until Z has at most CYCLIC_MAX rows. Returns the number
 * of factors. */
static int merge_factors(int n, int K, double *A, double *work_matrix) {
    int factors_max = n > 0 && CYCLIC_MAX / n > 1 ? CYCLIC_MAX / n : 1,
        per_factor = (K + factors_max - 1) / factors_max, merged = 0;
    size_t block = (size_t)(n * n), bytes = sizeof(double) * block;
    for (int k = 0; k < K; k += per_factor, merged++) {
        double *product = A + (size_t)merged * block;
        memmove(product, A + (size_t)k * block, bytes);
        for (int i = k + 1; i < k + per_factor && i < K; i++) {
            zw_dense_multiply(n, n, n, A + (size_t)i * block, product, work_matrix);
            memcpy(product, work_matrix, bytes);
        }
    }
    return merged;
}

static void put_cyclic(int n, int K, const double *A, double *Z) {
    int size = n * K;
    memset(Z, 0, sizeof(double) * (size_t)size * (size_t)size);
    for (int k = 0; k < K; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int row = (k + 1) % K * n + i;
                Z[(size_t)row * (size_t)size + (size_t)(k * n + j)] = A[(k * n + i) * n + j];
            }
}

/* the largest root that is not taken */
static int largest_remaining(int size, const zw_dense_eigen *e, const bool *taken) {
    int best = -1;
    for (int i = 0; i < size; i++)
        if (!taken[i] && (best < 0 || hypot(e->re[i], e->im[i]) > hypot(e->re[best], e->im[best])))
            best = i;
    return best;
}

static int nearest_remaining(int size, const zw_dense_eigen *e, const bool *taken,
                             double complex wanted) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < size; i++) {
        double distance = cabs(e->re[i] + I * e->im[i] - wanted);
        if (!taken[i] && distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static double complex integer_power(double complex zeta, int K) {
    double complex p = 1;
    for (int k = 0; k < K; k++)
        p *= zeta;
    return p;
}

/* mu from the K roots that belong to `first`, which become taken; *log_size is log |mu| */
static double complex merge_roots(int size, int K, const zw_dense_eigen *e, int first, bool *taken,
                                  double *log_size) {
    double complex zeta = e->re[first] + I * e->im[first], sum = 0;
    *log_size = 0;
    for (int j = 0; j < K; j++) {
        int i = j ? nearest_remaining(size, e, taken, zeta * cexp(2 * M_PI * I * j / K)) : first;
        double complex root = e->re[i] + I * e->im[i];
        taken[i] = true;
        sum += integer_power(root, K) / K;
        *log_size += log(fmax(cabs(root), DBL_MIN));
    }
    bool real = fabs(cimag(sum)) <= REAL_MULTIPLIER * K * cabs(sum);
    return real ? creal(sum) : sum;
}

/* the part of eigenvector i that belongs to the start, of length 1, its largest entry real */
static void take_vector(int n, int size, const zw_dense_eigen *e, int i, int column,
                        double complex *out) {
    double length = 0;
    int lead = 0;
    for (int r = 0; r < n; r++) {
        double complex z = e->right_re[r * size + i] + I * e->right_im[r * size + i];
        out[r * n + column] = z;
        length = hypot(length, cabs(z));
        if (cabs(z) > cabs(out[lead * n + column]))
            lead = r;
    }
    double complex by = out[lead * n + column];
    by *= length / fmax(cabs(by), DBL_MIN);
    for (int r = 0; r < n && by != 0; r++)
        out[r * n + column] /= by;
}

static zw_status find_spectrum(zw_arena *arena, int n, int chunks, const double *factors,
                               spectrum *s, zw_error *err) {
    size_t count = (size_t)chunks * (size_t)(n * n);
    double *A = ZW_NEW(arena, double, count + 1), *work_matrix = ZW_NEW(arena, double, n *n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    memcpy(A, factors, sizeof(double) * count);
    int K = merge_factors(n, chunks, A, work_matrix), size = n * K;
    zw_dense_eigen e;
    double *Z = ZW_NEW(arena, double, (size_t)size *(size_t)size + 1);
    bool *taken = ZW_NEW(arena, bool, size + 1);
    *s = (spectrum){n, ZW_NEW(arena, double complex, n + 1), ZW_NEW(arena, double, n + 1),
                    ZW_NEW(arena, double complex, n *n + 1)};
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    put_cyclic(n, K, A, Z);
    if (!zw_dense_eigenvalues(arena, size, Z, &e))
        return zw_dense_failure(arena, err);
    for (int j = 0; j < n; j++) {
        int first = largest_remaining(size, &e, taken);
        s->mu[j] = merge_roots(size, K, &e, first, taken, &s->log_size[j]);
        take_vector(n, size, &e, first, j, s->vector);
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- judging */

/* error[j]: distance to the nearest multiplier of the other spectrum; each of those is used once */
static void find_errors(const spectrum *fine, const spectrum *other, bool *taken, double *error) {
    for (int j = 0; j < fine->n; j++) {
        int best = -1;
        for (int i = 0; i < fine->n; i++)
            if (!taken[i] && (best < 0 || cabs(fine->mu[j] - other->mu[i]) <
                                              cabs(fine->mu[j] - other->mu[best])))
                best = i;
        taken[best] = true;
        error[j] = cabs(fine->mu[j] - other->mu[best]);
    }
}

int zw_floquet_nearest(const zw_floquet *f) {
    int best = -1;
    for (int j = 0; j < f->n; j++)
        if (best < 0 || hypot(f->re[j] - 1, f->im[j]) < hypot(f->re[best] - 1, f->im[best]))
            best = j;
    return best;
}

void zw_floquet_judge(zw_floquet *f, double margin) {
    bool inside = true;
    f->outside = 0;
    f->accuracy = 0;
    for (int j = 0; j < f->n; j++) {
        double size = hypot(f->re[j], f->im[j]), band = margin + f->error[j];
        f->accuracy = fmax(f->accuracy, f->error[j] / fmax(1, size));
        if (j == f->trivial)
            continue;
        f->outside += size > 1 + band;
        inside &= size < 1 - band;
    }
    f->verdict = f->outside ? ZW_FLOQUET_UNSTABLE
                 : inside   ? ZW_FLOQUET_STABLE
                            : ZW_FLOQUET_UNDECIDED;
}

zw_status zw_floquet_make(zw_floquet *out, const zw_allocator *alloc, int nx, int n,
                          zw_error *err) {
    zw_arena arena;
    zw_arena_init(&arena, alloc);
    zw_floquet_memory *memory = ZW_NEW(&arena, zw_floquet_memory, 1);
    *out = (zw_floquet){.nx = nx, .n = n};
    out->re = ZW_NEW(&arena, double, n + 1);
    out->im = ZW_NEW(&arena, double, n + 1);
    out->error = ZW_NEW(&arena, double, n + 1);
    out->exponent = ZW_NEW(&arena, double, n + 1);
    out->angle = ZW_NEW(&arena, double, n + 1);
    out->vector_re = ZW_NEW(&arena, double, nx *n + 1);
    out->vector_im = ZW_NEW(&arena, double, nx *n + 1);
    out->T = ZW_NEW(&arena, double, nx *n + 1);
    out->M = ZW_NEW(&arena, double, n *n + 1);
    if (arena.failed) {
        zw_arena_clear(&arena);
        *out = (zw_floquet){0};
        return zw_out_of_memory(err, NULL);
    }
    memory->arena = arena;
    out->memory = memory;
    return ZW_OK;
}

static void put_values(zw_floquet *f, const spectrum *s, double *sum) {
    int n = f->n;
    *sum = 0;
    for (int j = 0; j < n; j++) {
        f->re[j] = creal(s->mu[j]);
        f->im[j] = cimag(s->mu[j]);
        f->exponent[j] = s->log_size[j] / f->period;
        f->angle[j] = carg(s->mu[j]) / f->period;
        *sum += s->log_size[j];
        for (int i = 0; i < f->nx; i++) {
            double complex z = 0;
            for (int k = 0; k < n; k++)
                z += f->T[i * n + k] * s->vector[k * n + j];
            f->vector_re[i * n + j] = creal(z);
            f->vector_im[i * n + j] = cimag(z);
        }
    }
}

static zw_status build_floquet(zw_floquet *out, zw_arena *work, const zw_variation *fine,
                               const zw_variation *other, const zw_floquet_judging *how,
                               zw_error *err) {
    int n = fine->n;
    spectrum s, coarse;
    double sum, *work_matrix = ZW_NEW(work, double, n *n + 1);
    bool *taken = ZW_NEW(work, bool, n + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_spectrum(work, n, fine->nchunk, fine->A, &s, err));
    ZW_TRY(find_spectrum(work, n, other->nchunk, other->A, &coarse, err));
    memcpy(out->T, how->T, sizeof(double) * (size_t)(out->nx * n));
    zw_variation_product(fine, 0, out->M, work_matrix);
    find_errors(&s, &coarse, taken, out->error);
    out->period = how->period;
    put_values(out, &s, &sum);
    out->liouville = isfinite(how->jumps) ? fabs(sum - fine->trace - how->jumps) : NAN;
    out->trivial = how->autonomous ? zw_floquet_nearest(out) : -1;
    out->chunks = fine->nchunk;
    zw_floquet_judge(out, how->margin);
    return ZW_OK;
}

zw_status zw_floquet_fill(zw_floquet *out, const zw_allocator *alloc, const zw_variation *fine,
                          const zw_variation *other, const zw_floquet_judging *how, zw_error *err) {
    zw_arena work;
    ZW_TRY(zw_floquet_make(out, alloc, fine->nx, fine->n, err));
    zw_arena_init(&work, alloc);
    zw_status status = build_floquet(out, &work, fine, other, how, err);
    zw_arena_clear(&work);
    if (status < 0)
        zw_floquet_clear(out);
    return status;
}

/* ------------------------------------------------------------------------------- along a motion */

typedef struct multiplier_search {
    zw_flow *flow;
    const zw_orbit *orbit;
    zw_arena arena;
    int n;
    double *T0, *T, *x; /* bases at the start and at a node, nx x n; state, nx */
    zw_error *err;
} multiplier_search;

/* A basis at a node. */
static zw_status find_basis(multiplier_search *a, const zw_variation *v, double t, double *T,
                            int *n) {
    ZW_TRY(a->orbit->at(a->orbit->user, t, a->x, a->err));
    return zw_variation_basis(v, &a->arena, a->flow, t, a->x, n, T, a->err);
}

static zw_status make_node(multiplier_search *a, zw_variation *v, double t) {
    int n;
    ZW_TRY(find_basis(a, v, t, a->T, &n));
    if (n != a->n)
        return zw_fail(a->err, ZW_E_SINGULAR,
                       "constraints become dependent along the motion, at t = %.10g", t);
    zw_variation_node(v, a->T);
    return ZW_OK;
}

/* The last node: S' T_0 takes the place of the basis at the end, since T_0' S Y = (S' T_0)' Y. */
static void close_period(multiplier_search *a, zw_variation *v) {
    const double *map = a->orbit->map, *sign = a->orbit->sign;
    for (int i = 0; i < v->nx; i++)
        for (int j = 0; j < a->n; j++) {
            double sum = map ? 0 : (sign ? sign[i] : 1) * a->T0[i * a->n + j];
            for (int k = 0; map && k < v->nx; k++)
                sum += map[k * v->nx + i] * a->T0[k * a->n + j];
            a->T[i * a->n + j] = sum;
        }
    zw_variation_node(v, a->T);
}

static zw_status integrate_period(multiplier_search *a, zw_variation *v, int intervals) {
    const zw_orbit *o = a->orbit;
    zw_variation_clear(v);
    zw_variation_begin(v, a->n, a->T0);
    for (int k = 0; k < intervals; k++) {
        double t0 = o->start + o->period * k / intervals,
               t1 = o->start + o->period * (k + 1) / intervals;
        if (zw_variation_wants_node(v))
            ZW_TRY(make_node(a, v, t0));
        ZW_TRY(zw_variation_step(v, a->flow, t0, t1, o->at, o->user, a->err));
    }
    close_period(a, v);
    return ZW_OK;
}

static zw_status find_multipliers(multiplier_search *a, zw_floquet *out,
                                  const zw_floquet_options *o) {
    zw_variation v[2];
    int nx = zw_flow_kernel(a->flow)->nx, now = 0;
    for (int i = 0; i < 2; i++)
        ZW_TRY(zw_variation_init(&v[i], &a->arena, a->flow, o->stages, 1, a->err));
    a->T0 = ZW_NEW(&a->arena, double, nx *nx + 1);
    a->T = ZW_NEW(&a->arena, double, nx *nx + 1);
    a->x = ZW_NEW(&a->arena, double, nx + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(find_basis(a, &v[0], a->orbit->start, a->T0, &a->n));
    const zw_floquet_judging how = {
        .period = a->orbit->period, .margin = o->margin, .autonomous = o->autonomous, .T = a->T0};
    zw_allocator alloc = zw_flow_kernel(a->flow)->alloc;
    ZW_TRY(integrate_period(a, &v[0], o->intervals));
    for (int intervals = 2 * o->intervals;; intervals *= 2) {
        zw_floquet_clear(out);
        now = !now;
        ZW_TRY(integrate_period(a, &v[now], intervals));
        ZW_TRY(zw_floquet_fill(out, alloc.fn ? &alloc : NULL, &v[now], &v[!now], &how, a->err));
        out->intervals = intervals;
        if (out->accuracy <= o->tolerance || intervals > o->intervals_max / 2)
            return ZW_OK;
    }
}

zw_status zw_floquet_find(zw_floquet *out, zw_flow *flow, const zw_orbit *orbit,
                          const zw_floquet_options *options, zw_error *err) {
    zw_floquet_options o = zw_floquet_options_default();
    *out = (zw_floquet){0};
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_floquet_options", err));
    if (!(orbit->period > 0) || o.stages < 1 || o.stages > STAGES_MAX || o.intervals < 1)
        return zw_fail(err, ZW_E_OPTION,
                       "a period must be positive, with 1 to %d stages and one interval at least",
                       STAGES_MAX);
    multiplier_search a = {.flow = flow, .orbit = orbit, .err = err};
    zw_allocator alloc = zw_flow_kernel(flow)->alloc;
    zw_arena_init(&a.arena, alloc.fn ? &alloc : NULL);
    zw_status status = find_multipliers(&a, out, &o);
    zw_arena_clear(&a.arena);
    if (status < 0)
        zw_floquet_clear(out);
    return status;
}
