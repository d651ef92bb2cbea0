/* SPDX-License-Identifier: MIT */
/* Splines by (1) to (3) of the header. The basis on an interval of unit length, u from 0 to 1, has
 * 6 functions, b_j^p with
 *
 *   b_j^p = ((u + p - j) b_(j-1)^(p-1) + (1 + j - u) b_j^(p-1)) / p,
 *   d/du b_j^p = b_(j-1)^(p-1) - b_j^(p-1)
 *
 * Times are measured in knots, so that P is a matrix of plain numbers. A lambda of 10^7 smooths
 * over fifteen knots; beyond that N + lambda P is nearly singular, and fewer knots give the same
 * without loss of digits. */
#include "smooth.h"
#include "base/arena.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

enum {
    BAND = ZW_SMOOTH_BAND,
    DEGREE = BAND - 1,
    KNOTS_MOST = 20000,  /* intervals of a segment */
    FEWEST_INTERVALS = 8 /* segments with no more intervals are not made coarser */
};
/* log10 of the smallest lambda: no smoothing, every knot follows its samples */
#define LOWEST_EXPONENT (-8.0)
#define HIGHEST_EXPONENT 9.0  /* log10 of the largest lambda, before fewer knots are used */
#define STIFFEST_EXPONENT 7.0 /* log10 of lambda: beyond, fewer knots are used, see above */
/* fraction of the values that is left for the residual: less means interpolation, whose score is
 * 0/0 */
#define RESIDUAL_FREEDOM 1e-6

/* b^p of degree p, then `order` differences of it. */
static void local_basis(double u, int order, double b[BAND]) {
    double x[BAND + 1] = {0};
    int degree = DEGREE - order;
    x[0] = 1;
    for (int p = 1; p <= degree; p++)
        for (int j = p; j >= 0; j--)
            x[j] = ((j > 0 ? (u + p - j) * x[j - 1] : 0) + (j < p ? (1 + j - u) * x[j] : 0)) / p;
    for (int p = degree + 1; p <= DEGREE; p++)
        for (int j = p; j >= 0; j--)
            x[j] = (j > 0 ? x[j - 1] : 0) - (j < p ? x[j] : 0);
    memcpy(b, x, sizeof(double) * BAND);
}

static const zw_smooth_segment *segment_of(const zw_smooth *s, double t) {
    int low = 0, high = s->nsegment - 1;
    while (low < high) { /* the last one that begins before t */
        int middle = (low + high + 1) / 2;
        if (s->segment[middle].from <= t)
            low = middle;
        else
            high = middle - 1;
    }
    const zw_smooth_segment *g = s->nsegment ? &s->segment[low] : NULL;
    return g && t >= g->from && t <= g->to ? g : NULL;
}

static int basis_in(const zw_smooth *s, const zw_smooth_segment *g, double t, int order,
                    double b[BAND]) {
    double h = (g->to - g->from) / g->intervals, x = (t - g->from) / h;
    int k = (int)x;
    k = k < 0 ? 0 : k >= g->intervals ? g->intervals - 1 : k;
    local_basis(x - k, order, b);
    for (int j = 0; order > 0 && j < BAND; j++)
        b[j] /= pow(h, order);
    (void)s;
    return g->first + k;
}

int zw_smooth_basis(const zw_smooth *s, double t, int order, double basis[BAND]) {
    const zw_smooth_segment *g = segment_of(s, t);
    return g ? basis_in(s, g, t, order, basis) : -1;
}

/* ---------------------------------------------------------------------------------------- knots */

/* int (s''')^2 in times of knots: of degree 4 in u, three Gauss points are exact. */
static void add_penalty(zw_smooth *s, const zw_smooth_segment *g) {
    static const double node[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double b[BAND];
    for (int k = 0; k < g->intervals; k++)
        for (int m = 0; m < 3; m++) {
            local_basis(node[m], 3, b);
            for (int i = 0; i < BAND; i++)
                for (int j = 0; j <= i; j++)
                    s->P[(g->first + k + i) * BAND + DEGREE - i + j] += weight[m] * b[i] * b[j];
        }
}

static zw_status place_knots(zw_smooth *s, zw_error *err) {
    int n = 0;
    for (int k = 0; k < s->nsegment; k++) {
        zw_smooth_segment *g = &s->segment[k];
        double intervals = ceil((g->to - g->from) / s->step - ZW_SAME_VALUE);
        double most = (double)g->samples < KNOTS_MOST ? (double)g->samples : KNOTS_MOST;
        g->intervals = (int)fmin(fmax(intervals, 1), most);
        g->first = n;
        n += g->intervals + DEGREE;
    }
    size_t size = (size_t)n * BAND;
    s->n = n;
    s->N = ZW_NEW(&s->arena, double, size + 1);
    s->P = ZW_NEW(&s->arena, double, size + 1);
    s->L = ZW_NEW(&s->arena, double, size + 1);
    s->V = ZW_NEW(&s->arena, double, size + 1);
    s->rhs = ZW_NEW(&s->arena, double, (size_t)n *(size_t)s->ncomp + 1);
    s->c = ZW_NEW(&s->arena, double, (size_t)n *(size_t)s->ncomp + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < s->nsegment; k++) {
        const zw_smooth_segment *g = &s->segment[k];
        add_penalty(s, g);
        for (long i = g->sample; i < g->sample + g->samples; i++)
            s->at[i] = basis_in(s, g, s->t[i], 0, s->basis + i * BAND);
    }
    return ZW_OK;
}

/* Samples without weight do not count, but have an interval if a segment covers them. */
static zw_status cut_segments(zw_smooth *s, double gap, zw_error *err) {
    s->segment = ZW_NEW(&s->arena, zw_smooth_segment, s->nsample / ZW_SMOOTH_FEWEST + 1);
    if (!s->segment)
        return zw_out_of_memory(err, NULL);
    for (long i = 0; i < s->nsample; i++)
        s->at[i] = -1;
    for (long i = 0, next; i < s->nsample; i = next) {
        long different = 1, last = i;
        next = i + 1;
        if (!(s->w[i] > 0))
            continue;
        for (; next < s->nsample && s->t[next] - s->t[last] <= gap; next++)
            if (s->w[next] > 0) {
                different += s->t[next] > s->t[last];
                last = next;
            }
        next = last + 1;
        if (different >= ZW_SMOOTH_FEWEST)
            s->segment[s->nsegment++] = (zw_smooth_segment){
                .from = s->t[i], .to = s->t[last], .sample = i, .samples = last + 1 - i};
    }
    return ZW_OK;
}

zw_status zw_smooth_create(zw_smooth *s, long nsample, int ncomp, const double *t, const double *y,
                           const double *w, double step, double gap, const zw_allocator *alloc,
                           zw_error *err) {
    *s = (zw_smooth){.ncomp = ncomp, .nsample = nsample, .t = t, .y = y, .w = w, .step = step};
    zw_arena_init(&s->arena, alloc);
    s->at = ZW_NEW(&s->arena, int, nsample + 1);
    s->basis = ZW_NEW(&s->arena, double, (nsample + 1) * BAND);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(cut_segments(s, gap, err));
    return place_knots(s, err);
}

void zw_smooth_destroy(zw_smooth *s) {
    zw_arena_clear(&s->arena);
    *s = (zw_smooth){0};
}

/* ---------------------------------------------------------------------------------------- bands */

static void assemble_normal(zw_smooth *s) {
    memset(s->N, 0, sizeof(double) * (size_t)s->n * BAND);
    memset(s->rhs, 0, sizeof(double) * (size_t)s->n * (size_t)s->ncomp);
    s->used = 0;
    for (long i = 0; i < s->nsample; i++) {
        const double *b = s->basis + i * BAND;
        int at = s->at[i];
        if (at < 0 || s->w[i] <= 0)
            continue;
        s->used++;
        for (int j = 0; j < BAND; j++) {
            for (int k = 0; k <= j; k++)
                s->N[(at + j) * BAND + DEGREE - j + k] += s->w[i] * b[j] * b[k];
            for (int m = 0; m < s->ncomp; m++)
                s->rhs[m * s->n + at + j] += s->w[i] * b[j] * s->y[i * s->ncomp + m];
        }
    }
}

/* L L' = N + factor P; false if that is singular in doubles. */
static bool factor_band(zw_smooth *s, double factor) {
    for (int i = 0; i < s->n; i++) {
        const double *N = s->N + i * BAND, *P = s->P + i * BAND;
        double *L = s->L + i * BAND, diagonal = N[DEGREE] + factor * P[DEGREE];
        for (int k = 0; k < BAND; k++) {
            int j = i - DEGREE + k;
            if (j < 0) {
                L[k] = 0;
                continue;
            }
            double sum = N[k] + factor * P[k];
            const double *Lj = s->L + j * BAND;
            for (int m = 0; m < k; m++) /* column i - 5 + m, which row j has at m + i - j */
                if (m + i - j < BAND && m + i - j >= 0 && i - DEGREE + m >= 0)
                    sum -= L[m] * Lj[m + i - j];
            if (k < DEGREE)
                L[k] = sum / Lj[DEGREE];
            else if (!(sum > ZW_ROUNDOFF_VALUE * diagonal))
                return false;
            else
                L[k] = sqrt(sum);
        }
    }
    return true;
}

void zw_smooth_solve(const zw_smooth *s, double *b) {
    for (int i = 0; i < s->n; i++) {
        const double *L = s->L + i * BAND;
        for (int k = 0; k < DEGREE; k++)
            if (i - DEGREE + k >= 0)
                b[i] -= L[k] * b[i - DEGREE + k];
        b[i] /= L[DEGREE];
    }
    for (int i = s->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < s->n && j <= i + DEGREE; j++)
            b[i] -= s->L[j * BAND + DEGREE - (j - i)] * b[j];
        b[i] /= s->L[i * BAND + DEGREE];
    }
}

static double band_at(const double *V, int i, int j) {
    return i >= j ? V[i * BAND + DEGREE - (i - j)] : V[j * BAND + DEGREE - (j - i)];
}

/* The diagonals of the inverse, from the last one up: V = D^-1 L^-1 + (1 - L') V with unit L. */
static void invert_band(zw_smooth *s) {
    for (int i = s->n - 1; i >= 0; i--) {
        double d = s->L[i * BAND + DEGREE];
        int last = i + DEGREE < s->n ? i + DEGREE : s->n - 1;
        for (int j = last; j >= i; j--) {
            double sum = i == j ? 1 / (d * d) : 0;
            for (int k = i + 1; k <= last; k++)
                sum -= s->L[k * BAND + DEGREE - (k - i)] / d * band_at(s->V, k, j);
            s->V[j * BAND + DEGREE - (j - i)] = sum;
        }
    }
}

static double quadratic_form(const zw_smooth *s, int at, const double b[BAND]) {
    double sum = 0;
    for (int j = 0; j < BAND; j++) {
        const double *V = s->V + (at + j) * BAND + DEGREE - j;
        for (int k = 0; k < j; k++)
            sum += 2 * b[j] * b[k] * V[k];
        sum += b[j] * b[j] * V[j];
    }
    return sum;
}

double zw_smooth_leverage(const zw_smooth *s, long i) {
    return s->at[i] < 0 ? 0 : s->w[i] * quadratic_form(s, s->at[i], s->basis + i * BAND);
}

/* ------------------------------------------------------------------------------------------ fit */

static double mean_weight(const zw_smooth *s) {
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += s->N[i * BAND + DEGREE];
    return sum / s->n;
}

static void find_residuals(zw_smooth *s) {
    s->rss = s->trace = 0;
    for (long i = 0; i < s->nsample; i++) {
        const double *b = s->basis + i * BAND;
        if (s->at[i] < 0 || s->w[i] <= 0)
            continue;
        s->trace += zw_smooth_leverage(s, i);
        for (int m = 0; m < s->ncomp; m++) {
            double r = s->y[i * s->ncomp + m];
            for (int j = 0; j < BAND; j++)
                r -= b[j] * s->c[m * s->n + s->at[i] + j];
            s->rss += s->w[i] * r * r;
        }
    }
}

/* (2) or (3) at a lambda; infinite if it cannot be computed. */
static double score_exponent(zw_smooth *s, double exponent, zw_smooth_noise noise) {
    if (!factor_band(s, pow(10, exponent) * mean_weight(s)))
        return INFINITY;
    memcpy(s->c, s->rhs, sizeof(double) * (size_t)s->n * (size_t)s->ncomp);
    for (int m = 0; m < s->ncomp; m++)
        zw_smooth_solve(s, s->c + m * s->n);
    invert_band(s);
    find_residuals(s);
    double n = (double)s->used, rest = 1 - s->trace / n, rss = s->rss / (n * s->ncomp);
    s->lambda = exponent;
    if (noise == ZW_SMOOTH_STATED)
        return rss + 2 * s->trace / n;
    return rest > RESIDUAL_FREEDOM ? rss / (rest * rest) : INFINITY;
}

/* The least score on a grid of powers of ten, then by thirds around it. */
static double search_exponent(zw_smooth *s, zw_smooth_noise noise) {
    double best = INFINITY, where = 0;
    for (double x = LOWEST_EXPONENT; x <= HIGHEST_EXPONENT; x++) {
        double value = score_exponent(s, x, noise);
        if (value < best)
            best = value, where = x;
    }
    double low = where - 1, high = where + 1;
    for (int i = 0; i < 10; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (score_exponent(s, a, noise) < score_exponent(s, b, noise))
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}

static bool is_stiff(const zw_smooth *s) {
    for (int k = 0; k < s->nsegment; k++)
        if (s->segment[k].intervals > FEWEST_INTERVALS)
            return s->lambda > STIFFEST_EXPONENT;
    return false;
}

zw_status zw_smooth_fit(zw_smooth *s, zw_smooth_noise noise, zw_error *err) {
    double x = s->lambda;
    if (s->nsegment == 0)
        return zw_fail(err, ZW_E_NUMERIC, "there are too few samples to smooth");
    assemble_normal(s);
    while (noise != ZW_SMOOTH_KEEP) {
        x = search_exponent(s, noise);
        if (!is_stiff(s))
            break;
        s->step *= 4;
        ZW_TRY(place_knots(s, err));
        assemble_normal(s);
    }
    while (!isfinite(score_exponent(s, x, noise)) && x > LOWEST_EXPONENT - 1 &&
           s->trace < (double)s->used)
        x -= 1;
    double rest = (double)s->used - s->trace;
    if (!(rest > 0) || !isfinite(s->rss))
        return zw_fail(err, ZW_E_NUMERIC, "there are too few samples to smooth");
    s->variance = noise == ZW_SMOOTH_STATED ? 1 : s->rss / s->ncomp / rest;
    return ZW_OK;
}

bool zw_smooth_at(const zw_smooth *s, double t, int order, double *value, double *sd) {
    double b[BAND];
    int at = zw_smooth_basis(s, t, order, b);
    if (at < 0)
        return false;
    for (int m = 0; value && m < s->ncomp; m++) {
        value[m] = 0;
        for (int j = 0; j < BAND; j++)
            value[m] += b[j] * s->c[m * s->n + at + j];
    }
    if (sd)
        *sd = sqrt(fmax(quadratic_form(s, at, b) * s->variance, 0));
    return true;
}
