/* SPDX-License-Identifier: MIT */
/* Normal forms of folds and period doublings of orbits through events. The map Q leads from (t, z)
 * at the beginning of the first segment (of an autonomous system from z) to the beginning of the
 * next round, through every event; the event times are solved for. Q is defined in a neighbourhood
 * of the orbit in all directions, not only on a section; so its derivative A has the multipliers of
 * the orbit and zeros. With A q = mu q, p A = mu p, p q = 1, and the second and third derivatives B
 * and C of Q,
 *
 *     fold              b = p B(q, q)/2
 *     period doubling   c = p C(q, q, q)/6 - p B(q, w)/2,     (A - 1) w = B(q, q)
 *
 * (motion/segments/periodic.h; Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory (2004), section 5.4).
 * Derivatives are central differences of Q along lines, of sixth, sixth and fourth order; two step
 * sizes must agree. All vectors are in units of the sizes of the state. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "motion/segments/periodic.h"
#include "motion/segments/segmented.h"
#include "num/linear/linalg.h"

enum { NEWTON = 20, INVERSE = 4, REACH = 3 };
/* distance of the critical multiplier from 1 or -1: a located bifurcation has it far nearer; one
 * farther away is another multiplier */
#define MULTIPLIER_CRITICAL 1e-3
/* |p q| of left and right vectors of length one, the inverse condition number: it tends to 0 where
 * two multipliers meet */
#define MULTIPLIER_SIMPLE 1e-2
/* step of the differences that give A, in sizes of the state: truncation 1e-18, round-off eps/step
 * = 2e-13; a longer step may change the events */
#define STEP_OF_MATRIX 1e-3
/* relative to its terms: two step sizes give the same coefficient; chosen by trial: third
 * differences of integrated motions reach it */
#define COEFFICIENT_AGREES 1e-4
/* relative to the duration of the orbit: correction at which event times are solved (45 eps); third
 * differences divide their error by step^3 */
#define EVENT_TIME_SOLVED 1e-14
/* relative to the duration: step of the difference that gives the slope of an event function; near
 * eps^(1/3) = 6e-6, and its error only slows Newton's method */
#define SLOPE_STEP 1e-6
/* relative: shift off the eigenvalue for inverse iteration; A - mu is regular, and each iteration
 * gains a factor 1e-8 / |distance to the next one| */
#define SHIFT_OFF_EIGENVALUE 1e-8

typedef struct mapping {
    zw_segmented *h;
    double a;
    int N;           /* dimension of (t, z) */
    double *unknown; /* n: of the orbit, with trial values */
    const double *orbit;
    double *size;             /* N: sizes of the entries */
    double *end;              /* nz */
    double *Q[2 * REACH + 1]; /* N each: values of Q along a line */
    double *x, *line;         /* N each */
} mapping;

/* -------------------------------------------------------------------------------------- the map */

/* the end of segment k after tau, and the event functions E there */
static zw_status run_segment(mapping *m, int k, double t, const double *x, double tau,
                             zw_error *err) {
    zw_segmented *h = m->h;
    const double *memory = m->unknown + zw_segmented_at(h, k) + h->nx;
    ZW_TRY(zw_segmented_leg_run(&h->leg, t, x, t + tau, m->end, err));
    memcpy(m->end + h->nx, memory, sizeof(double) * (size_t)h->nm);
    return zw_segmented_behind(h, k, t + tau, m->end, m->a, h->piece[k].E, err);
}

/* sigma' along the motion at the end of the segment */
static zw_status find_slope(mapping *m, int k, double t, double *slope, zw_error *err) {
    zw_segmented *h = m->h;
    double by = SLOPE_STEP * h->options.duration, *rate = h->leg.rate, value[2];
    ZW_TRY(zw_flow_rates(h->leg.beside, t, m->end, rate, NULL, err));
    for (int sign_index = 0; sign_index < 2; sign_index++) {
        double d = sign_index ? -by : by;
        memcpy(h->shifted, m->end, sizeof(double) * (size_t)h->nz);
        for (int i = 0; i < h->nx; i++)
            h->shifted[i] += d * rate[i];
        ZW_TRY(zw_segmented_behind(h, k, t + d, h->shifted, m->a, h->E1, err));
        value[sign_index] = h->E1[0];
    }
    *slope = (value[0] - value[1]) / (2 * by);
    return ZW_OK;
}

/* segment k from t; *tau: estimate of its duration on entry, its duration on return */
static zw_status pass_segment(mapping *m, int k, double t, double *tau, zw_error *err) {
    zw_segmented *h = m->h;
    double *x = h->piece[k].x, slope, by = INFINITY, previous;
    ZW_TRY(zw_segmented_prepare(h, m->unknown, m->a, k, err));
    h->leg.trail = h->leg.check = NULL;
    memcpy(x, m->unknown + zw_segmented_at(h, k), sizeof(double) * (size_t)h->nx);
    ZW_TRY(zw_flow_project(h->leg.beside, t, x, NULL, err));
    if (h->segment[k].event < 0)
        return run_segment(m, k, t, x, *tau, err);
    for (int i = 0; i < NEWTON; i++) {
        ZW_TRY(run_segment(m, k, t, x, *tau, err));
        ZW_TRY(find_slope(m, k, t + *tau, &slope, err));
        previous = by;
        by = h->piece[k].E[0] / slope;
        if (fabs(by) <= EVENT_TIME_SOLVED * h->options.duration ||
            (i > 3 && fabs(by) >= fabs(previous)))
            return ZW_OK; /* rounding stops the iteration */
        *tau -= by;
        if (!(*tau > 0) || !isfinite(*tau))
            break;
    }
    return zw_fail(err, ZW_E_NUMERIC,
                   "an event of the orbit does not occur on neighbouring motions");
}

/* out = Q(from), N each, in sizes of the state */
static zw_status evaluate_map(mapping *m, const double *from, double *out, zw_error *err) {
    zw_segmented *h = m->h;
    bool has_time_unknown = m->N > h->nz;
    double start = has_time_unknown ? m->orbit[h->n - 1] : 0, t = start;
    memcpy(m->unknown, m->orbit, sizeof(double) * (size_t)h->n);
    if (has_time_unknown)
        t += from[h->nz] * m->size[h->nz];
    for (int i = 0; i < h->nz; i++)
        m->unknown[i] += from[i] * m->size[i];
    for (int k = 0; k < h->K; k++) {
        double tau = m->unknown[zw_segmented_at(h, k) + h->nz];
        ZW_TRY(pass_segment(m, k, t, &tau, err));
        t += tau;
        if (k + 1 < h->K)
            memcpy(m->unknown + zw_segmented_at(h, k + 1), h->piece[k].E + 1,
                   sizeof(double) * (size_t)h->nz);
    }
    for (int i = 0; i < h->nz; i++)
        out[i] = (h->piece[h->K - 1].E[1 + i] - m->orbit[i]) / m->size[i];
    if (has_time_unknown)
        out[h->nz] = (t - h->P - start) / m->size[h->nz];
    h->is_known = false; /* the pieces are no longer those of the orbit */
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- differences */

/* Q at the fixed point + j step v, j from -REACH to REACH */
static zw_status sample_map(mapping *m, const double *v, double step, zw_error *err) {
    for (int j = -REACH; j <= REACH; j++) {
        for (int i = 0; i < m->N; i++)
            m->x[i] = j * step * v[i];
        ZW_TRY(evaluate_map(m, m->x, m->Q[j + REACH], err));
    }
    return ZW_OK;
}

static void first_derivative(const mapping *m, double step, double *out) {
    for (int i = 0; i < m->N; i++)
        out[i] = (45 * (m->Q[4][i] - m->Q[2][i]) - 9 * (m->Q[5][i] - m->Q[1][i]) +
                  (m->Q[6][i] - m->Q[0][i])) /
                 (60 * step);
}

static void second_derivative(const mapping *m, double step, double *out) {
    for (int i = 0; i < m->N; i++)
        out[i] = (270 * (m->Q[4][i] + m->Q[2][i]) - 27 * (m->Q[5][i] + m->Q[1][i]) +
                  2 * (m->Q[6][i] + m->Q[0][i]) - 490 * m->Q[3][i]) /
                 (180 * step * step);
}

static void third_derivative(const mapping *m, double step, double *out) {
    for (int i = 0; i < m->N; i++)
        out[i] = (-13 * (m->Q[4][i] - m->Q[2][i]) + 8 * (m->Q[5][i] - m->Q[1][i]) -
                  (m->Q[6][i] - m->Q[0][i])) /
                 (8 * step * step * step);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static zw_status find_matrix(mapping *m, double step, double *A, zw_error *err) {
    for (int c = 0; c < m->N; c++) {
        memset(m->line, 0, sizeof(double) * (size_t)m->N);
        m->line[c] = 1;
        ZW_TRY(sample_map(m, m->line, step, err));
        first_derivative(m, step, m->x);
        for (int r = 0; r < m->N; r++)
            A[r * m->N + c] = m->x[r];
    }
    return ZW_OK;
}

/* the vector v of length 1 with A v = mu v (transposed: v A = mu v), and its Rayleigh quotient */
static bool find_vector(int N, const double *A, double mu, bool transposed, double *work,
                        int *pivot, double *v, double *own) {
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            work[r * N + c] = (transposed ? A[c * N + r] : A[r * N + c]) -
                              (r == c ? mu * (1 + SHIFT_OFF_EIGENVALUE) : 0);
    if (!(zw_num_lu(N, work, pivot) > 0))
        return false;
    for (int i = 0; i < N; i++)
        v[i] = 1 + 0.3 * sin(1.7 * i);
    double last = 0;
    for (int k = 0; k < INVERSE; k++) {
        double size = sqrt(dot(N, v, v));
        for (int i = 0; i < N; i++)
            v[i] /= size;
        zw_num_lu_solve(N, work, pivot, 1, v);
        last = sqrt(dot(N, v, v));
        if (!isfinite(last) || !(last > 0))
            return false;
    }
    for (int i = 0; i < N; i++)
        v[i] /= last;
    double image = 0; /* v A v */
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            image += v[r] * A[r * N + c] * v[c];
    *own = image;
    return true;
}

/* B(q, w) = (B(q + w, q + w) - B(q - w, q - w))/4 */
static zw_status bilinear_form(mapping *m, const double *q, const double *w, double step,
                               double *work, double *out, zw_error *err) {
    double size = sqrt(dot(m->N, w, w));
    if (size == 0) {
        memset(out, 0, sizeof(double) * (size_t)m->N);
        return ZW_OK;
    }
    for (int sign_index = 0; sign_index < 2; sign_index++) {
        for (int i = 0; i < m->N; i++)
            m->line[i] = q[i] + (sign_index ? -1 : 1) * w[i] / size;
        ZW_TRY(sample_map(m, m->line, step, err));
        second_derivative(m, step, sign_index ? work : out);
    }
    for (int i = 0; i < m->N; i++)
        out[i] = (out[i] - work[i]) * size / 4;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- normal forms */

/* A with its critical vectors */
typedef struct linear_part {
    double mu; /* eigenvalue of A */
    double *A, *q, *p;
    double *LU, *B, *C, *w, *work; /* N x N, N */
    int *pivot;
} linear_part;

static zw_status find_linear(mapping *m, zw_arena *work, zw_cycle_kind kind, linear_part *l,
                             zw_error *err) {
    int N = m->N;
    double mu = kind == ZW_CYCLE_FOLD ? 1 : -1, other;
    l->pivot = ZW_NEW(work, int, N + 1);
    l->A = ZW_NEW(work, double, N *N + 1);
    l->LU = ZW_NEW(work, double, N *N + 1);
    double **vectors[] = {&l->q, &l->p, &l->B, &l->C, &l->w, &l->work};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ZW_NEW(work, double, N + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_matrix(m, STEP_OF_MATRIX, l->A, err));
    if (!find_vector(N, l->A, mu, false, l->LU, l->pivot, l->q, &l->mu) ||
        !find_vector(N, l->A, mu, true, l->LU, l->pivot, l->p, &other) ||
        !(fabs(l->mu - mu) < MULTIPLIER_CRITICAL) || fabs(dot(N, l->p, l->q)) < MULTIPLIER_SIMPLE)
        return zw_fail(err, ZW_E_DOMAIN, "no single multiplier of the return map is near %g", mu);
    double scale = dot(N, l->p, l->q);
    for (int i = 0; i < N; i++)
        l->p[i] /= scale;
    for (int i = 0; i < N * N; i++)
        l->LU[i] = l->A[i] - (i % (N + 1) == 0 ? 1 : 0);
    if (kind == ZW_CYCLE_FLIP && !(zw_num_lu(N, l->LU, l->pivot) > zw_num_pivot_floor(N)))
        return zw_fail(err, ZW_E_DOMAIN, "another multiplier of the return map is 1");
    return ZW_OK;
}

static zw_status find_normal_form(mapping *m, const linear_part *l, double step, zw_cycle_kind kind,
                                  zw_cycle_normal *out, zw_error *err) {
    int N = m->N;
    ZW_TRY(sample_map(m, l->q, step, err));
    second_derivative(m, step, l->B);
    third_derivative(m, step, l->C);
    double quadratic = dot(N, l->p, l->B) / 2, cubic = dot(N, l->p, l->C) / 6, product = 0;
    if (kind == ZW_CYCLE_FLIP) {
        memcpy(l->w, l->B, sizeof(double) * (size_t)N);
        zw_num_lu_solve(N, l->LU, l->pivot, 1, l->w);
        ZW_TRY(bilinear_form(m, l->q, l->w, step, l->work, l->C, err));
        product = dot(N, l->p, l->C) / 2;
    }
    *out = (zw_cycle_normal){.kind = kind,
                             .re = l->mu,
                             .coefficient = kind == ZW_CYCLE_FOLD ? quadratic : cubic - product,
                             .error = NAN,
                             .size = kind == ZW_CYCLE_FOLD ? fabs(quadratic)
                                                           : fabs(cubic) + fabs(product)};
    return ZW_OK;
}

/* From long steps to short ones: truncation error falls, rounding grows, and the coefficient is
 * taken where two steps agree best. A long step may change the events and fail. */
static zw_status find_best(mapping *m, const linear_part *l, zw_cycle_kind kind,
                           zw_cycle_normal *out, zw_error *err) {
    /* in sizes of the state: at 1e-2 truncation (1e-8) dominates, at 3e-4 rounding (eps / step^3
     * = 1e-5) */
    static const double steps[] = {1e-2, 5e-3, 2e-3, 8e-4, 3e-4};
    zw_cycle_normal now, previous = {.coefficient = NAN};
    zw_error trouble = {0};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        trouble = (zw_error){0};
        zw_status status = find_normal_form(m, l, steps[i], kind, &now, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status != ZW_OK)
            now.coefficient = NAN;
        now.error = fabs(now.coefficient - previous.coefficient);
        if (!isnan(now.error) && !(now.error >= out->error))
            *out = now;
        if (out->error <= COEFFICIENT_AGREES * out->size)
            return ZW_OK;
        previous = now;
    }
    return isnan(out->error) ? zw_fail(err, ZW_E_NUMERIC, "%.200s", trouble.text) : ZW_OK;
}

static zw_status make_mapping(mapping *m, zw_arena *work, zw_error *err) {
    zw_segmented *h = m->h;
    m->N = h->nz + (h->driven && h->events ? 1 : 0);
    m->unknown = ZW_NEW(work, double, h->n + 1);
    m->size = ZW_NEW(work, double, m->N + 1);
    m->end = ZW_NEW(work, double, h->nz + 1);
    m->x = ZW_NEW(work, double, m->N + 1);
    m->line = ZW_NEW(work, double, m->N + 1);
    for (int j = 0; j <= 2 * REACH; j++)
        m->Q[j] = ZW_NEW(work, double, m->N + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < m->N; i++)
        m->size[i] = i < h->nx   ? h->scale[i]
                     : i < h->nz ? h->memory_scale[i - h->nx]
                                 : h->options.duration / (2 * M_PI);
    return ZW_OK;
}

zw_status zw_segmented_normal(zw_segmented *h, const double *unknown, double a, zw_cycle_kind kind,
                              zw_cycle_normal *out, double *q, zw_error *err) {
    zw_arena work;
    linear_part l;
    mapping m = {.h = h, .a = a, .orbit = unknown};
    *out = (zw_cycle_normal){.kind = kind, .coefficient = NAN, .error = NAN};
    if (kind == ZW_CYCLE_TORUS)
        return zw_fail(err, ZW_E_DOMAIN, "it is computed for folds and period doublings only");
    zw_status status =
        zw_segmented_go_round(h, unknown, a, false, err); /* sets the period of the excitation */
    if (status != ZW_OK)
        return status < 0 ? status
                          : zw_fail(err, ZW_E_NUMERIC, "a segment of the orbit has no duration");
    zw_arena_init(&work, &h->arena.alloc);
    status = make_mapping(&m, &work, err);
    if (status >= 0)
        status = find_linear(&m, &work, kind, &l, err);
    for (int i = 0; i < h->nx && q && status >= 0; i++)
        q[i] = l.q[i] * m.size[i];
    if (status >= 0)
        status = find_best(&m, &l, kind, out, err);
    zw_arena_clear(&work);
    h->is_known = false;
    return status;
}
