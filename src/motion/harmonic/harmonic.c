/* SPDX-License-Identifier: MIT */
/* The residual of harmonic balance and its derivatives. With the derivatives of row i with respect
 * to y_j, y_j', y_j'' at the points of the period, k, c, m, and their discrete Fourier coefficients
 * F_c(h) = 2/S sum F cos(h tau), F_s(h), the derivative of harmonic a of the row with respect to
 * harmonic b of the function consists of
 *
 *     <cos_a, F cos_b> = (F_c(a-b) + F_c(a+b))/2      <cos_a, F sin_b> = (F_s(a+b) - F_s(a-b))/2
 *     <sin_a, F cos_b> = (F_s(a+b) + F_s(a-b))/2      <sin_a, F sin_b> = (F_c(a-b) - F_c(a+b))/2
 *
 * for F = k - b^2 w^2 m, and of the same for c times b w with cos_b, sin_b rotated by 90 degrees.
 * Entries that are structurally zero are left out, constant ones couple a harmonic only with
 * itself. The result is a matrix of blocks over the graph of the coordinates: a chain has three in
 * a row. With multipliers, and with velocities that are functions of their own, diagonal blocks may
 * be singular although the matrix is not: then it is one dense block. */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/option.h"
#include "base/vector_targets.h"
#include "blocks.h"
#include "branch/curve.h"
#include "harmonic.h"
#include "motion/harmonic/balance.h"
#include "period.h"
#include "sweep.h"

/* Ratio of the smallest pivot of a diagonal block to its largest: below it pivots must come from
 * other blocks (450 eps, rounding of the block). */
#define BLOCK_SINGULAR 1e-13
/* Error of Floquet multipliers relative to max(1, |mu|): stability is decided with margins of 1e-6,
 * and a hundredth of it is reached with few steps. */
#define MULTIPLIER_TOLERANCE 1e-8
/* The same near the unit circle: bifurcations are located by their zeros there. */
#define CRITICAL_MULTIPLIER_TOLERANCE 1e-12
/* Relative to the value: rise by the next Newton step that ends the search for a maximum; its
 * square is below round-off. */
#define MAXIMUM_FOUND 1e-11

void zw_harmonic_options_init(zw_harmonic_options *options, size_t size) {
    const zw_harmonic_options all = {.size = size, .unit = 1, .phases = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- set-up */

/* Finds the additional unknowns: a damping; a constant force on every ignorable coordinate, in its
 * own row if the rates are velocities; a number for every level (period.h). */
static zw_status find_unfoldings(zw_harmonic *h, bool free, bool cycle, zw_error *err) {
    const zw_kernel *k = h->period.kernel;
    const zw_fourier *f = &h->period.fourier;
    h->mean = ZW_NEW(&h->arena, int, k->nq + 1);
    h->parameter_slope = cycle ? ZW_NEW(&h->arena, double, h->period.n * f->samples) : NULL;
    if (!h->mean || (cycle && !h->parameter_slope))
        return zw_out_of_memory(err, NULL);
    h->cycle = cycle && f->top > 0;
    h->nfree = h->damped = (free || cycle) && f->top > 0 ? 1 : 0;
    for (int i = 0; free && h->period.plain && f->harmonic[0] == 0 && i < k->nq; i++)
        if (k->ignorable && k->ignorable[i])
            h->mean[h->nmean++] = i;
    h->nfree += h->nmean + h->period.nlevel;
    return ZW_OK;
}

static zw_status make_period(zw_harmonic *h, const zw_kernel *kernel, const zw_harmonic_options *o,
                             zw_error *err) {
    if (o->phases == 1)
        return zw_period_make(&h->period, &h->arena, kernel, o->nharmonic, o->harmonic, o->samples,
                              err);
    if (o->phases < 1 || o->phases > ZW_PHASES_MAX || o->free || o->cycle || o->winding)
        return zw_fail(
            err, ZW_E_OPTION,
            "a series has one to three phases, and only one for free motions, cycles and "
            "angles that turn");
    return zw_period_make_torus(&h->period, &h->arena, kernel, o->phases, o->nharmonic, o->harmonic,
                                o->samples, err);
}

static zw_status build_harmonic(zw_harmonic *h, const zw_kernel *kernel, const double *p,
                                const zw_harmonic_options *o, zw_error *err) {
    ZW_TRY(make_period(h, kernel, o, err));
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, spectrum = 4 * f->span + 8;
    h->p = ZW_NEW(&h->arena, double, kernel->np + 1);
    h->touches = ZW_NEW(&h->arena, bool, n *n + 1);
    h->scale = ZW_NEW(&h->arena, double, n + 1);
    h->rows = ZW_NEW(&h->arena, double, n * f->samples);
    h->series = ZW_NEW(&h->arena, double, f->samples);
    h->projection = ZW_NEW(&h->arena, double, f->n + 1);
    h->c = ZW_NEW(&h->arena, double, spectrum);
    h->s = ZW_NEW(&h->arena, double, spectrum);
    h->blocks = zw_blocks_create(&h->alloc);
    if (h->arena.failed || !h->blocks)
        return zw_out_of_memory(err, NULL);
    memcpy(h->p, p, sizeof(double) * (size_t)kernel->np);
    if (o->winding) {
        if (!(h->period.winding = ZW_NEW(&h->arena, double, kernel->nq + 1)))
            return zw_out_of_memory(err, NULL);
        memcpy(h->period.winding, o->winding, sizeof(double) * (size_t)kernel->nq);
    }
    h->dense = !h->period.plain || kernel->nc > 0;
    ZW_TRY(find_unfoldings(h, o->free, o->cycle, err));
    for (int i = 0; i < n; i++)
        h->scale[i] = o->scale ? o->scale[i] : 1;
    h->unit = o->unit;
    return ZW_OK;
}

zw_status zw_harmonic_create(zw_harmonic **out, const zw_kernel *kernel, const double *p,
                             const zw_harmonic_options *options, zw_harmonic_set set, void *user,
                             zw_error *err) {
    zw_harmonic_options o = zw_harmonic_options_default();
    zw_allocator alloc = kernel->alloc.fn ? kernel->alloc : zw_allocator_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_harmonic_options", err));
    zw_harmonic *h = zw_allocate(&alloc, sizeof *h);
    if (!h)
        return zw_out_of_memory(err, NULL);
    *h = (zw_harmonic){.alloc = alloc, .set = set, .user = user};
    zw_arena_init(&h->arena, &alloc);
    zw_status status = build_harmonic(h, kernel, p, &o, err);
    if (status < 0)
        zw_harmonic_destroy(h);
    else
        *out = h;
    return status;
}

void zw_harmonic_destroy(zw_harmonic *h) {
    if (!h)
        return;
    zw_allocator alloc = h->alloc;
    zw_blocks_destroy(h->blocks);
    zw_sweep_destroy(h->sweep);
    zw_arena_clear(&h->arena);
    zw_release(&alloc, h, sizeof *h);
}

void zw_harmonic_scale(zw_harmonic *h, const double *scale, double unit) {
    memcpy(h->scale, scale, sizeof(double) * (size_t)h->period.n);
    h->unit = unit;
}

/* --------------------------------------------------------------------------------- the residual */

static zw_status set_parameters(zw_harmonic *h, double a, zw_error *err) {
    if (h->at_a && h->a == a)
        return ZW_OK;
    double w[ZW_PHASES_MAX], slope[ZW_PHASES_MAX];
    zw_status status = h->set(h->user, a, h->p, w, slope, err);
    if (status != ZW_OK)
        return status;
    h->w = w[0];
    h->w_slope = slope[0];
    zw_period_set(&h->period, h->p, h->w);
    if (h->period.fourier.torus) { /* slopes are those of each harmonic */
        h->w_slope = 0;
        memcpy(h->W, w, sizeof w);
        zw_period_tune(&h->period, w, slope);
    }
    h->a = a;
    h->at_a = true;
    return ZW_OK;
}

zw_status zw_harmonic_go_to(zw_harmonic *h, double a, double *W, zw_error *err) {
    zw_status status = set_parameters(h, a, err);
    if (status == ZW_OK && W && h->period.fourier.torus)
        memcpy(W, h->W, sizeof(double) * (size_t)h->period.fourier.torus->tones);
    else if (status == ZW_OK && W)
        *W = h->w;
    return status;
}

static double larger_value(double a, double b) {
    return a > b ? a : b;
}

static double series_mean(const zw_harmonic *h, const double *series) {
    double sum = 0;
    for (int s = 0; s < h->period.fourier.samples; s++)
        sum += series[s];
    return sum / h->period.fourier.samples;
}

static void add_level_force(zw_harmonic *h, int i, double e, double *r) {
    const zw_fourier *f = &h->period.fourier;
    if (e == 0)
        return;
    zw_period_level_force(&h->period, i, h->rows);
    for (int j = 0; j < h->period.n; j++) {
        zw_fourier_project(f, h->rows + (size_t)(j * f->samples), h->projection);
        for (int k = 0; k < f->n; k++)
            r[j * f->n + k] += e * h->projection[k];
    }
}

/* sets the frequency of a cycle, which is one of its unknowns */
static void update_frequency(zw_harmonic *h, const double *x) {
    if (!h->cycle)
        return;
    h->w = x[h->period.n * h->period.fourier.n];
    zw_period_set(&h->period, h->p, h->w);
}

/* Adds e M v + f, and the equations of the means. The phase needs no equation: corrections are
 * orthogonal to the motion. */
static void add_unfolding(zw_harmonic *h, const double *x, double *r) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, all = n * f->n;
    bool damped = h->damped && !h->cycle;
    if (damped)
        zw_period_momenta(&h->period, h->rows);
    for (int i = 0; i < n && damped && x[all] != 0; i++) {
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), h->projection);
        for (int k = 0; k < f->n; k++)
            r[i * f->n + k] += x[all] * h->projection[k];
    }
    if (h->damped)
        r[all] = 0;
    for (int k = h->damped; k < h->damped + h->nmean; k++) {
        int first = h->mean[k - h->damped] * f->n;
        r[first] += x[all + k];
        r[all + k] = x[first];
    }
    for (int i = 0, k = h->damped + h->nmean; i < h->period.nlevel; i++, k++) {
        add_level_force(h, i, x[all + k], r);
        zw_period_level(&h->period, i, h->series);
        r[all + k] = series_mean(h, h->series);
    }
}

static zw_status evaluate_residual(void *self, const double *x, double a, double *r,
                                   zw_error *err) {
    zw_harmonic *h = self;
    const zw_fourier *f = &h->period.fourier;
    zw_status status = set_parameters(h, a, err);
    if (status != ZW_OK)
        return status;
    update_frequency(h, x);
    zw_period_move(&h->period, x);
    zw_period_rows(&h->period, h->rows);
    for (int i = 0; i < h->period.n; i++)
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), r + (size_t)(i * f->n));
    if (h->nfree)
        add_unfolding(h, x, r);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- the matrix */

/* Adds the derivative of one order, which varies, to a block, harmonic by harmonic; C, S are its
 * spectrum from -2 top on. */
ZW_CLONES static void add_varying(const zw_harmonic *h, int order, const double *restrict C,
                                  const double *restrict S, double *restrict out, int stride) {
    const zw_fourier *f = &h->period.fourier;
    int constant = f->nharmonic && f->harmonic[0] == 0;
    for (int i = 0; i < f->nharmonic; i++) {
        int a = f->harmonic[i], row = zw_fourier_first(f, i);
        double weight = a ? 0.5 : 0.25, *of_cos = out + (size_t)(row * stride),
               *of_sin = of_cos + stride;
        for (int j = constant; j < f->nharmonic; j++) {
            int b = f->harmonic[j], at = zw_fourier_first(f, j);
            double bw = f->rate[j] * h->w, c0 = C[a - b], c1 = C[a + b], s0 = S[a - b],
                   s1 = S[a + b];
            double cc, cs, sc, ss;
            if (order == 1) {
                double factor = weight * bw;
                cc = factor * (s0 - s1);
                cs = factor * (c0 + c1);
                sc = factor * (c1 - c0);
                ss = factor * (s1 + s0);
            } else {
                double factor = order ? -weight * bw * bw : weight;
                cc = factor * (c0 + c1);
                cs = factor * (s1 - s0);
                sc = factor * (s1 + s0);
                ss = factor * (c0 - c1);
            }
            of_cos[at] += cc;
            of_cos[at + 1] += cs;
            if (a) {
                of_sin[at] += sc;
                of_sin[at + 1] += ss;
            }
        }
        if (constant && order == 0) {
            of_cos[0] += 2 * weight * C[a];
            if (a)
                of_sin[0] += 2 * weight * S[a];
        }
    }
}

/* the spectrum of a series on both sides of zero */
static void find_spectrum(zw_harmonic *h, const zw_period_entry *e) {
    const zw_fourier *f = &h->period.fourier;
    int most = 2 * f->span;
    zw_period_gather(&h->period, e, h->series);
    zw_fourier_spectrum(f, h->series, h->c + most, h->s + most);
    for (int i = 1; i <= most; i++) {
        h->c[most - i] = h->c[most + i];
        h->s[most - i] = -h->s[most + i];
    }
}

/* adds constant derivatives, which couple a harmonic only with itself */
static void add_constant(const zw_harmonic *h, const double value[3], double *out, int stride) {
    const zw_fourier *f = &h->period.fourier;
    for (int i = 0; i < f->nharmonic; i++) {
        int first = zw_fourier_first(f, i);
        double hw = f->rate[i] * h->w, diagonal = value[0] - hw * hw * value[2];
        double *at = out + (size_t)(first * stride + first);
        at[0] += diagonal;
        if (f->harmonic[i]) {
            at[1] += hw * value[1];
            at[stride] -= hw * value[1];
            at[stride + 1] += diagonal;
        }
    }
}

static zw_status shape_blocks(zw_harmonic *h, zw_error *err) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n;
    h->shaped = true;
    if (h->dense)
        return zw_blocks_shape(h->blocks, 1, n * f->n, h->nfree + 1, (const bool[]){true}, err);
    for (int i = 0; i < h->period.npair; i++)
        h->touches[h->period.pair[i].row * n + h->period.pair[i].function] = true;
    return zw_blocks_shape(h->blocks, n, f->n, h->nfree + 1, h->touches, err);
}

static double *block_position(zw_harmonic *h, int i, int j, int *stride) {
    const zw_fourier *f = &h->period.fourier;
    *stride = zw_blocks_stride(h->blocks, 0);
    if (!h->dense)
        return zw_blocks_at(h->blocks, i, j);
    return zw_blocks_at(h->blocks, 0, 0) + (size_t)(i * f->n * *stride + j * f->n);
}

static void fill_blocks(zw_harmonic *h) {
    for (int i = 0; i < h->period.npair; i++) {
        const zw_period_pair *pair = &h->period.pair[i];
        double value[3] = {0};
        int stride;
        double *to = block_position(h, pair->row, pair->function, &stride);
        for (int order = 0; order < 3; order++)
            if (pair->entry[order].kind == ZW_SERIES_CONSTANT)
                value[order] = zw_period_value(&pair->entry[order]);
        add_constant(h, value, to, stride);
        for (int order = 0; order < 3 && pair->varies; order++)
            if (pair->entry[order].kind == ZW_SERIES_VARIES) {
                int most = 2 * h->period.fourier.span;
                find_spectrum(h, &pair->entry[order]);
                add_varying(h, order, h->c + most, h->s + most, to, stride);
            }
    }
}

/* the derivative with respect to a, and the last row */
static void fill_border(zw_harmonic *h, const double *row) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, all = n * f->n, blocks = h->dense ? 1 : n;
    int stride = zw_blocks_stride(h->blocks, blocks);
    zw_period_slope(&h->period, h->w_slope, h->rows);
    for (int i = 0; i < n; i++) {
        double *column = h->dense ? zw_blocks_at(h->blocks, 0, 1) + (size_t)(i * f->n * stride)
                                  : zw_blocks_at(h->blocks, i, n);
        double *last = h->dense ? zw_blocks_at(h->blocks, 1, 0) + (size_t)(i * f->n)
                                : zw_blocks_at(h->blocks, n, i);
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), h->projection);
        for (int k = 0; k < f->n; k++)
            column[k * stride] = h->projection[k];
        memcpy(last, row + (size_t)(i * f->n), sizeof(double) * (size_t)f->n);
    }
    *zw_blocks_at(h->blocks, blocks, blocks) = row[all];
}

/* puts h->rows (n x S) into column j of the border */
static void put_column(zw_harmonic *h, int j) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, stride = zw_blocks_stride(h->blocks, h->dense ? 1 : n);
    for (int i = 0; i < n; i++) {
        double *column = h->dense ? zw_blocks_at(h->blocks, 0, 1) + (size_t)(i * f->n * stride)
                                  : zw_blocks_at(h->blocks, i, n);
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), h->projection);
        for (int k = 0; k < f->n; k++)
            column[k * stride + j] = h->projection[k];
        for (int k = 0; k < h->nmean; k++)
            if (h->mean[k] == i)
                column[h->damped + k] = 1;
    }
}

/* the derivative of the mean of a level with respect to the coefficients of function i */
static void fill_level_row(zw_harmonic *h, int level, int i, double *to) {
    const zw_fourier *f = &h->period.fourier;
    if (!zw_period_level_in(&h->period, level, i, h->series))
        return;
    zw_fourier_project(f, h->series, h->projection);
    for (int k = 0; k < f->n; k++)
        to[k] = (k == 0 && f->harmonic[0] == 0 ? 1 : 0.5) * h->projection[k];
}

/* The border of free motions and of levels: columns of e, f, the levels and a; rows of the phase,
 * the means, the levels and the last one. */
static void fill_borders(zw_harmonic *h, const double *x, const double *row) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, all = n * f->n, m = h->nfree + 1, moving = n - h->period.kernel->nc;
    int blocks = h->dense ? 1 : n, stride = zw_blocks_stride(h->blocks, 0);
    if (h->cycle) {
        zw_period_slope(&h->period, 0, h->parameter_slope); /* with respect to a alone, */
        zw_period_slope(&h->period, 1, h->rows);            /* with respect to a and w */
        for (int i = 0; i < n * f->samples; i++)
            h->rows[i] -= h->parameter_slope[i];
        put_column(h, 0);
    } else if (h->damped) {
        zw_period_momenta(&h->period, h->rows);
        put_column(h, 0);
    }
    for (int k = 0; k < h->period.nlevel; k++) {
        zw_period_level_force(&h->period, k, h->rows);
        put_column(h, h->damped + h->nmean + k);
    }
    zw_period_slope(&h->period, h->cycle ? 0 : h->w_slope, h->rows);
    put_column(h, m - 1);
    for (int i = 0; i < n; i++) {
        double *last = h->dense ? zw_blocks_at(h->blocks, 1, 0) + (size_t)(i * f->n)
                                : zw_blocks_at(h->blocks, n, i);
        for (int k = 0; k < f->n; k++)
            last[(m - 1) * stride + k] = row[i * f->n + k];
        /* the direction of the motion: y' */
        for (int k = 0; h->damped && i < moving && k < f->nharmonic; k++) {
            int at = zw_fourier_first(f, k), harmonic = f->harmonic[k];
            double weight = harmonic / (h->scale[i] * h->scale[i]);
            if (harmonic) {
                last[at] = weight * x[i * f->n + at + 1];
                last[at + 1] = -weight * x[i * f->n + at];
            }
        }
        for (int k = 0; k < h->nmean; k++)
            if (h->mean[k] == i)
                last[(h->damped + k) * stride] = 1;
        for (int k = 0; k < h->period.nlevel; k++)
            fill_level_row(h, k, i, last + (size_t)((h->damped + h->nmean + k) * stride));
    }
    double *end = zw_blocks_at(h->blocks, blocks, blocks);
    int corner = zw_blocks_stride(h->blocks, blocks);
    for (int k = 0; k < m; k++)
        end[(m - 1) * corner + k] = row[all + k];
    for (int k = 0; k < h->period.nlevel; k++) {
        zw_period_level_slope(&h->period, k, h->w_slope, h->series);
        end[(h->damped + h->nmean + k) * corner + m - 1] = series_mean(h, h->series);
    }
}

/* adds the ridge: the largest entry of the diagonal of a function is about h^2 w^2 M of its highest
 * harmonic h */
static void add_ridge(zw_harmonic *h) {
    const zw_fourier *f = &h->period.fourier;
    for (int i = 0; i < h->period.n - h->period.kernel->nc; i++) {
        int stride;
        double most = 0, *at = block_position(h, i, i, &stride);
        for (int k = 0; k < f->n; k++)
            most = larger_value(most, fabs(at[k * stride + k]));
        for (int k = 0; k < f->n; k++)
            at[k * stride + k] += h->ridge * most / ((double)f->top * f->top);
    }
}

static zw_status assemble_matrix(zw_harmonic *h, const double *x, const double *row,
                                 zw_error *err) {
    if (!h->shaped)
        ZW_TRY(shape_blocks(h, err));
    zw_blocks_clear(h->blocks);
    fill_blocks(h);
    if (h->ridge > 0)
        add_ridge(h);
    if (h->nfree)
        fill_borders(h, x, row);
    else
        fill_border(h, row);
    return ZW_OK;
}

static zw_status factor_matrix(void *self, const double *x, double a, const double *row,
                               zw_error *err) {
    zw_harmonic *h = self;
    (void)a;
    zw_period_derive(&h->period);
    ZW_TRY(assemble_matrix(h, x, row, err));
    double ratio = zw_blocks_factor(h->blocks);
    ZW_TRY(zw_interrupt_check(err));
    if (!h->dense && !(ratio > BLOCK_SINGULAR)) {
        h->dense = true;
        h->shaped = false;
        ZW_TRY(assemble_matrix(h, x, row, err));
        ratio = zw_blocks_factor(h->blocks);
    }
    return ratio > 0 ? ZW_OK : ZW_RETRY;
}

static void solve_factored(void *self, double *b) {
    zw_harmonic *h = self;
    zw_blocks_solve(h->blocks, b);
}

/* functions that define the size of a motion: the coordinates; all but multipliers if there are
 * none */
static int counted_functions(const zw_harmonic *h) {
    const zw_kernel *k = h->period.kernel;
    return k->nq > 0 ? k->nq : h->period.n - k->nc;
}

/* the mean over the period of the product of two motions, each coordinate in units of its size;
 * multipliers do not count */
static double inner_product(void *self, const double *u, const double *v) {
    const zw_harmonic *h = self;
    const zw_fourier *f = &h->period.fourier;
    int moving = counted_functions(h);
    bool mean = f->nharmonic && f->harmonic[0] == 0;
    double sum = 0;
    for (int i = 0; i < moving; i++) {
        const double *a = u + (size_t)(i * f->n), *b = v + (size_t)(i * f->n);
        double part = mean ? 0.5 * a[0] * b[0] : 0;
        for (int k = 0; k < f->n; k++)
            part += 0.5 * a[k] * b[k];
        sum += part / (h->scale[i] * h->scale[i]);
    }
    return sum;
}

/* the row of the inner product with u */
static void dual_vector(void *self, const double *u, double *row) {
    const zw_harmonic *h = self;
    const zw_fourier *f = &h->period.fourier;
    int moving = counted_functions(h);
    bool mean = f->nharmonic && f->harmonic[0] == 0;
    memset(row, 0, sizeof(double) * (size_t)(h->period.n * f->n + h->nfree));
    for (int i = 0; i < moving; i++) {
        double weight = 0.5 / (h->scale[i] * h->scale[i]);
        for (int k = 0; k < f->n; k++)
            row[i * f->n + k] = weight * u[i * f->n + k];
        if (mean)
            row[i * f->n] *= 2;
    }
}

zw_cont_problem zw_harmonic_problem(zw_harmonic *h) {
    return (zw_cont_problem){.self = h,
                             .n = h->period.n * h->period.fourier.n + h->nfree,
                             .unit = h->unit,
                             .multiple = h->ridge > 0,
                             .residual = evaluate_residual,
                             .factor = factor_matrix,
                             .solve = solve_factored,
                             .inner = inner_product,
                             .dual = dual_vector};
}

/* ----------------------------------------------------------------------------------- the motion */

int zw_harmonic_functions(const zw_harmonic *h) {
    return h->period.n;
}

int zw_harmonic_coefficients(const zw_harmonic *h) {
    return h->period.fourier.n;
}

int zw_harmonic_unfoldings(const zw_harmonic *h) {
    return h->nfree;
}

void zw_harmonic_ridge(zw_harmonic *h, double ridge) {
    h->ridge = ridge;
}

void zw_harmonic_renew(zw_harmonic *h) {
    h->at_a = false;
}

void zw_harmonic_part(const zw_harmonic *h, const double *x, int function, int harmonic, double *c,
                      double *s) {
    const zw_fourier *f = &h->period.fourier;
    *c = *s = 0;
    for (int i = 0; i < f->nharmonic; i++)
        if (f->harmonic[i] == harmonic) {
            const double *at = x + (size_t)(function * f->n + zw_fourier_first(f, i));
            *c = at[0];
            *s = harmonic ? at[1] : 0;
        }
}

void zw_harmonic_state(const zw_harmonic *h, const double *x, double w, double t, double *state,
                       double *z) {
    const zw_period *p = &h->period;
    const zw_kernel *k = p->kernel;
    const zw_fourier *f = &p->fourier;
    double tau = w * t;
    if (f->torus) {
        zw_harmonic_torus_state(h, x, t, state, z);
        return;
    }
    for (int i = 0; i < k->nq; i++)
        state[i] = zw_fourier_at(f, x + (size_t)(i * f->n), 0, tau) +
                   (p->winding ? p->winding[i] * tau : 0);
    for (int i = 0; i < k->nv; i++) {
        const double *own = x + (size_t)((p->plain ? i : k->nq + i) * f->n);
        state[k->nq + i] =
            p->plain ? w * (zw_fourier_at(f, own, 1, tau) + (p->winding ? p->winding[i] : 0))
                     : zw_fourier_at(f, own, 0, tau);
        if (z)
            z[i] = p->plain ? w * w * zw_fourier_at(f, own, 2, tau)
                            : w * zw_fourier_at(f, own, 1, tau);
    }
    for (int i = 0; z && i < k->nc; i++)
        z[k->nv + i] = zw_fourier_at(f, x + (size_t)((p->n - k->nc + i) * f->n), 0, tau);
}

void zw_harmonic_mean(const zw_harmonic *h, const double *x, int function, double *mean,
                      double *rms) {
    const zw_fourier *f = &h->period.fourier;
    const double *c = x + (size_t)(function * f->n);
    bool has_mean = f->nharmonic && f->harmonic[0] == 0;
    double sum = 0;
    *mean = has_mean ? c[0] : 0;
    for (int k = has_mean; k < f->n; k++)
        sum += c[k] * c[k];
    *rms = sqrt(*mean * *mean + 0.5 * sum);
}

/* a function and its first two derivatives with respect to tau; cos and sin of each multiple follow
 * from the one before */
static void evaluate_function(const zw_fourier *f, const double *coefficient, double tau,
                              double y[3]) {
    double c1 = cos(tau), s1 = sin(tau), c = 1, s = 0;
    int at = 0, h = 0;
    y[0] = y[1] = y[2] = 0;
    for (int k = 0; k < f->nharmonic; k++) {
        for (; h < f->harmonic[k]; h++) {
            double next = c * c1 - s * s1;
            s = s * c1 + c * s1;
            c = next;
        }
        double a = coefficient[at++], b = h ? coefficient[at++] : 0, u = a * c + b * s;
        y[0] += u;
        y[1] += h * (b * c - a * s);
        y[2] -= h * h * u;
    }
}

/* the maximum (sign 1) or minimum (sign -1) near the middle one of three points with spacing
 * `width`, which exceeds the others */
static double refine_maximum(const zw_fourier *f, const double *coefficient, double sign,
                             const double value[3], double tau, double width) {
    double y[3], second = value[0] - 2 * value[1] + value[2], best = sign * value[1],
                 at = tau + (second != 0 ? 0.5 * (value[0] - value[2]) / second * width : 0);
    for (int i = 0; i < 12; i++) {
        evaluate_function(f, coefficient, at, y);
        best = larger_value(best, sign * y[0]);
        double step = y[2] * sign < 0 ? -y[1] / y[2] : sign * y[1] > 0 ? 0.3 * width : -0.3 * width;
        if (!(at + step >= tau - width && at + step <= tau + width))
            break;
        at += step;
        /* the rise is y'' step^2/2; the next step leaves its square */
        if (fabs(y[2]) * step * step <= MAXIMUM_FOUND * fabs(y[0]))
            break;
    }
    return best;
}

/* refines all points that exceed their neighbours and from which the function may rise above the
 * best of them */
static double find_largest(const zw_harmonic *h, const double *coefficient, const double *value,
                           double sign, double rise) {
    const zw_fourier *f = &h->period.fourier;
    int S = f->samples;
    double best = -INFINITY, most = -INFINITY;
    for (int i = 0; i < S; i++)
        best = larger_value(best, sign * value[i]);
    double least = best - rise;
    for (int i = 0; i < S; i++) {
        double height = sign * value[i];
        if (height < least)
            continue;
        const double neighbour[3] = {value[i ? i - 1 : S - 1], value[i],
                                     value[i + 1 < S ? i + 1 : 0]};
        if (height >= sign * neighbour[2] && height > sign * neighbour[0])
            most = larger_value(most, refine_maximum(f, coefficient, sign, neighbour,
                                                     2 * M_PI * i / S, 2 * M_PI / S));
    }
    return sign * larger_value(best, most);
}

void zw_harmonic_extremes(zw_harmonic *h, const double *x, int function, double *max, double *min) {
    const zw_fourier *f = &h->period.fourier;
    const double *c = x + (size_t)(function * f->n);
    double half = M_PI / f->samples, rise = 0;
    if (f->torus) {
        zw_harmonic_torus_extremes(h, c, max, min);
        return;
    }
    zw_fourier_values(f, c, 0, h->series);
    for (int k = 0; k < f->nharmonic; k++) { /* half a step away, by the largest possible y'' */
        int order = f->harmonic[k], at = zw_fourier_first(f, k);
        rise +=
            order ? 0.5 * half * half * order * order * sqrt(c[at] * c[at] + c[at + 1] * c[at + 1])
                  : 0;
    }
    *max = find_largest(h, c, h->series, 1, rise);
    *min = find_largest(h, c, h->series, -1, rise);
}

void zw_harmonic_embed(const zw_harmonic *from, const double *x, const zw_harmonic *to, double *y) {
    const zw_fourier *f = &to->period.fourier;
    if (f->torus)
        zw_harmonic_torus_embed(from, x, to, y);
    for (int i = 0; i < to->period.n && !f->torus; i++)
        for (int k = 0; k < f->nharmonic; k++) {
            double c, s, *at = y + (size_t)(i * f->n + zw_fourier_first(f, k));
            zw_harmonic_part(from, x, i, f->harmonic[k], &c, &s);
            at[0] = c;
            if (f->harmonic[k])
                at[1] = s;
        }
    for (int k = 0; k < to->nfree; k++)
        y[to->period.n * f->n + k] =
            k < from->nfree ? x[from->period.n * from->period.fourier.n + k] : 0;
}

/* ---------------------------------------------------------------------------------- multipliers */

zw_status zw_harmonic_multipliers(zw_harmonic *h, const double *x, double a, zw_floquet *out,
                                  zw_error *err) {
    zw_status status = set_parameters(h, a, err);
    if (status != ZW_OK)
        return status;
    if (h->period.winding || h->cycle || h->period.fourier.torus)
        /* the sweep has no rotating angles and no phase condition */
        return ZW_RETRY;
    if (!h->sweep_tried)
        ZW_TRY(zw_sweep_create(&h->sweep, &h->period, &h->alloc, err));
    h->sweep_tried = true;
    return h->sweep ? zw_sweep_multipliers(h->sweep, x, MULTIPLIER_TOLERANCE,
                                           CRITICAL_MULTIPLIER_TOLERANCE, out, err)
                    : ZW_RETRY;
}
