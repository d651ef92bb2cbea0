/* SPDX-License-Identifier: MIT */
/* The balance and its derivatives. With the derivatives of row i in y_j, y_j', y_j'' at the points of the period, k, c, m, and their discrete
 * Fourier coefficients F_c(h) = 2/S sum F cos(h tau), F_s(h), the derivative of harmonic a of the row in harmonic b of the function is made of
 *
 *     <cos_a, F cos_b> = (F_c(a-b) + F_c(a+b))/2      <cos_a, F sin_b> = (F_s(a+b) - F_s(a-b))/2
 *     <sin_a, F cos_b> = (F_s(a+b) + F_s(a-b))/2      <sin_a, F sin_b> = (F_c(a-b) - F_c(a+b))/2
 *
 * for F = k - b^2 w^2 m, and of the same for c times b w with cos_b, sin_b turned by 90 degrees. Entries that are zero at all points are
 * left out, constant ones couple a harmonic with itself alone. What is left is a matrix of blocks over the graph of the system's
 * coordinates: a chain has three in a row. With multipliers, and with velocities of their own, diagonal blocks may be singular
 * while the whole is not: then it is one dense block. */
#include "zwang/harmonic.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "blocks.h"
#include "period.h"

struct zw_harmonic {
    zw_allocator alloc;
    zw_arena arena;
    zw_period period;
    zw_harmonic_set set;
    void *user;
    double *p; /* np */
    double a, w, w_slope;
    bool at_a; /* parameters are those of a */
    zw_blocks *blocks;
    bool dense, shaped;
    int nfree;            /* unknowns behind the coefficients: of free motions */
    int damped;           /* of them 1 is a damping, if there is anything but the mean */
    int *mean;            /* of the others: the coordinates whose mean is not determined */
    bool *touches;        /* n x n: the blocks there are */
    zw_period_kind *kind; /* n x n x 3: at present */
    double *scale, unit;  /* n */
    double *rows;         /* n x S */
    double *series;       /* S */
    double *c[3], *s[3];  /* spectra of k, c, m: 2 top + 1 */
    double *block;        /* fourier.n^2 */
};

void zw_harmonic_options_init(zw_harmonic_options *options, size_t size) {
    const zw_harmonic_options all = {.size = size, .unit = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------------------------------- set-up */

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory");
}

/* a damping, and a constant force on every coordinate that does not matter: in its own row, if rates are velocities */
static zw_status find_unfoldings(zw_harmonic *h, bool free, zw_error *err) {
    const zw_kernel *k = h->period.kernel;
    const zw_fourier *f = &h->period.fourier;
    h->mean = ZW_NEW(&h->arena, int, k->nq + 1);
    if (!h->mean)
        return no_memory(err);
    h->nfree = h->damped = free && f->top > 0 ? 1 : 0;
    for (int i = 0; free && h->period.plain && f->harmonic[0] == 0 && i < k->nq; i++)
        if (k->ignorable && k->ignorable[i])
            h->mean[h->nfree++ - h->damped] = i;
    return ZW_OK;
}

static zw_status build(zw_harmonic *h, const zw_kernel *kernel, const double *p,
                       const zw_harmonic_options *o, zw_error *err) {
    ZW_TRY(
        zw_period_make(&h->period, &h->arena, kernel, o->nharmonic, o->harmonic, o->samples, err));
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, spectrum = 2 * f->top + 1;
    h->p = ZW_NEW(&h->arena, double, kernel->np + 1);
    h->touches = ZW_NEW(&h->arena, bool, n *n + 1);
    h->kind = ZW_NEW(&h->arena, zw_period_kind, 3 * n * n + 1);
    h->scale = ZW_NEW(&h->arena, double, n + 1);
    h->rows = ZW_NEW(&h->arena, double, n * f->samples);
    h->series = ZW_NEW(&h->arena, double, f->samples);
    h->block = ZW_NEW(&h->arena, double, f->n * f->n + 1);
    for (int i = 0; i < 3; i++) {
        h->c[i] = ZW_NEW(&h->arena, double, spectrum);
        h->s[i] = ZW_NEW(&h->arena, double, spectrum);
    }
    h->blocks = zw_blocks_create(&h->alloc);
    if (h->arena.failed || !h->blocks)
        return no_memory(err);
    memcpy(h->p, p, sizeof(double) * (size_t)kernel->np);
    if (o->winding) {
        if (!(h->period.winding = ZW_NEW(&h->arena, double, kernel->nq + 1)))
            return no_memory(err);
        memcpy(h->period.winding, o->winding, sizeof(double) * (size_t)kernel->nq);
    }
    h->dense = !h->period.plain || kernel->nc > 0;
    ZW_TRY(find_unfoldings(h, o->free, err));
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
        return no_memory(err);
    *h = (zw_harmonic){.alloc = alloc, .set = set, .user = user};
    zw_arena_init(&h->arena, &alloc);
    zw_status status = build(h, kernel, p, &o, err);
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
    zw_arena_clear(&h->arena);
    zw_release(&alloc, h, sizeof *h);
}

void zw_harmonic_scale(zw_harmonic *h, const double *scale, double unit) {
    memcpy(h->scale, scale, sizeof(double) * (size_t)h->period.n);
    h->unit = unit;
}

/* ---------------------------------------------------------------------------------------------- the residual */

static zw_status go_to(zw_harmonic *h, double a, zw_error *err) {
    if (h->at_a && h->a == a)
        return ZW_OK;
    zw_status status = h->set(h->user, a, h->p, &h->w, &h->w_slope, err);
    if (status != ZW_OK)
        return status;
    zw_period_set(&h->period, h->p, h->w);
    h->a = a;
    h->at_a = true;
    return ZW_OK;
}

/* e M v + f, and the means; a correction across the motion leaves nothing to be said of its phase */
static void unfold(zw_harmonic *h, const double *x, double *r) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, all = n * f->n;
    zw_period_momenta(&h->period, h->rows);
    for (int i = 0; i < n && h->damped && x[all] != 0; i++) {
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), h->block);
        for (int k = 0; k < f->n; k++)
            r[i * f->n + k] += x[all] * h->block[k];
    }
    if (h->damped)
        r[all] = 0;
    for (int k = h->damped; k < h->nfree; k++) {
        int first = h->mean[k - h->damped] * f->n;
        r[first] += x[all + k];
        r[all + k] = x[first];
    }
}

static zw_status residual(void *self, const double *x, double a, double *r, zw_error *err) {
    zw_harmonic *h = self;
    const zw_fourier *f = &h->period.fourier;
    zw_status status = go_to(h, a, err);
    if (status != ZW_OK)
        return status;
    zw_period_move(&h->period, x);
    zw_period_rows(&h->period, h->rows);
    for (int i = 0; i < h->period.n; i++)
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), r + (size_t)(i * f->n));
    if (h->nfree)
        unfold(h, x, r);
    return ZW_OK;
}

zw_status zw_harmonic_rows(zw_harmonic *h, const double *x, double a, double *rows, zw_error *err) {
    zw_status status = go_to(h, a, err);
    if (status != ZW_OK)
        return status;
    zw_period_move(&h->period, x);
    zw_period_rows(&h->period, rows);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------------ the matrix */

/* F of k - b^2 w^2 m at harmonic i, of either sign */
static double part_c(const zw_harmonic *h, double square, int i) {
    i = i < 0 ? -i : i;
    return h->c[0][i] - square * h->c[2][i];
}

static double part_s(const zw_harmonic *h, double square, int i) {
    return i < 0 ? -(h->s[0][-i] - square * h->s[2][-i]) : h->s[0][i] - square * h->s[2][i];
}

static double rate_c(const zw_harmonic *h, int i) {
    return h->c[1][i < 0 ? -i : i];
}

static double rate_s(const zw_harmonic *h, int i) {
    return i < 0 ? -h->s[1][-i] : h->s[1][i];
}

/* harmonic a of the row by harmonic b of the function, 2 x 2 or a part of it */
static void couple(const zw_harmonic *h, int a, int b, double *out, int stride) {
    double bw = b * h->w, square = bw * bw, weight = a ? 0.5 : 0.25;
    double c_minus = part_c(h, square, a - b), c_plus = part_c(h, square, a + b),
           s_minus = part_s(h, square, a - b), s_plus = part_s(h, square, a + b);
    double rc_minus = rate_c(h, a - b), rc_plus = rate_c(h, a + b), rs_minus = rate_s(h, a - b),
           rs_plus = rate_s(h, a + b);
    out[0] = weight * (c_minus + c_plus - bw * (rs_plus - rs_minus));
    if (b)
        out[1] = weight * (s_plus - s_minus + bw * (rc_minus + rc_plus));
    if (!a)
        return;
    out[stride] = weight * (s_plus + s_minus - bw * (rc_minus - rc_plus));
    if (b)
        out[stride + 1] = weight * (c_minus - c_plus + bw * (rs_plus + rs_minus));
}

static void fill_varying(zw_harmonic *h, int row, int function, double *out) {
    const zw_fourier *f = &h->period.fourier;
    size_t spectrum = sizeof(double) * (size_t)(2 * f->top + 1);
    for (int order = 0; order < 3; order++) {
        zw_period_kind kind = zw_period_series(&h->period, row, function, order, h->series);
        memset(h->c[order], 0, spectrum);
        memset(h->s[order], 0, spectrum);
        if (kind == ZW_SERIES_CONSTANT)
            h->c[order][0] = 2 * h->series[0];
        else if (kind == ZW_SERIES_VARIES)
            zw_fourier_spectrum(f, h->series, h->c[order], h->s[order]);
    }
    for (int i = 0; i < f->nharmonic; i++)
        for (int j = 0; j < f->nharmonic; j++)
            couple(h, f->harmonic[i], f->harmonic[j],
                   out + (size_t)(zw_fourier_first(f, i) * f->n + zw_fourier_first(f, j)), f->n);
}

static void fill_constant(const zw_harmonic *h, const double value[3], double *out) {
    const zw_fourier *f = &h->period.fourier;
    memset(out, 0, sizeof(double) * (size_t)(f->n * f->n));
    for (int i = 0; i < f->nharmonic; i++) {
        int first = zw_fourier_first(f, i);
        double hw = f->harmonic[i] * h->w, diagonal = value[0] - hw * hw * value[2];
        double *at = out + (size_t)(first * f->n + first);
        at[0] = diagonal;
        if (f->harmonic[i]) {
            at[1] = hw * value[1];
            at[f->n] = -hw * value[1];
            at[f->n + 1] = diagonal;
        }
    }
}

/* what the entry is at present; false: all three orders are zero */
static bool look(zw_harmonic *h, int i, int j, double value[3], bool *varies) {
    bool any = false;
    *varies = false;
    for (int order = 0; order < 3; order++) {
        zw_period_kind kind = zw_period_series(&h->period, i, j, order, h->series);
        h->kind[(i * h->period.n + j) * 3 + order] = kind;
        value[order] = kind == ZW_SERIES_CONSTANT ? h->series[0] : 0;
        any |= kind != ZW_SERIES_ZERO;
        *varies |= kind == ZW_SERIES_VARIES;
    }
    return any;
}

static zw_status reshape(zw_harmonic *h, zw_error *err) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n;
    h->shaped = true;
    if (h->dense)
        return zw_blocks_shape(h->blocks, 1, n * f->n, h->nfree + 1, (const bool[]){true}, err);
    return zw_blocks_shape(h->blocks, n, f->n, h->nfree + 1, h->touches, err);
}

static double *place_of(zw_harmonic *h, int i, int j, int *stride) {
    const zw_fourier *f = &h->period.fourier;
    if (!h->dense) {
        *stride = f->n;
        return zw_blocks_at(h->blocks, i, j);
    }
    *stride = h->period.n * f->n;
    return zw_blocks_at(h->blocks, 0, 0) + (size_t)(i * f->n * *stride + j * f->n);
}

/* ZW_RETRY: there are more blocks than were thought */
static zw_status fill(zw_harmonic *h) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n;
    bool more = false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double value[3];
            bool varies;
            int stride;
            if (!look(h, i, j, value, &varies))
                continue;
            if (!h->dense && !h->touches[i * n + j]) {
                h->touches[i * n + j] = more = true;
                continue;
            }
            if (more)
                continue;
            if (varies)
                fill_varying(h, i, j, h->block);
            else
                fill_constant(h, value, h->block);
            double *to = place_of(h, i, j, &stride);
            for (int k = 0; k < f->n; k++)
                memcpy(to + (size_t)(k * stride), h->block + (size_t)(k * f->n),
                       sizeof(double) * (size_t)f->n);
        }
    return more ? ZW_RETRY : ZW_OK;
}

/* the derivative in a, and the last row */
static void fill_border(zw_harmonic *h, const double *row) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, all = n * f->n;
    zw_period_slope(&h->period, h->w_slope, h->rows);
    for (int i = 0; i < n; i++) {
        double *column = h->dense ? zw_blocks_at(h->blocks, 0, 1) + (size_t)(i * f->n)
                                  : zw_blocks_at(h->blocks, i, n);
        double *last = h->dense ? zw_blocks_at(h->blocks, 1, 0) + (size_t)(i * f->n)
                                : zw_blocks_at(h->blocks, n, i);
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), column);
        memcpy(last, row + (size_t)(i * f->n), sizeof(double) * (size_t)f->n);
    }
    *(h->dense ? zw_blocks_at(h->blocks, 1, 1) : zw_blocks_at(h->blocks, n, n)) = row[all];
}

/* rows (n x S) as column j of the border */
static void put_column(zw_harmonic *h, int j) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, m = h->nfree + 1;
    for (int i = 0; i < n; i++) {
        double *column = h->dense ? zw_blocks_at(h->blocks, 0, 1) + (size_t)(i * f->n * m)
                                  : zw_blocks_at(h->blocks, i, n);
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), h->block);
        for (int k = 0; k < f->n; k++)
            column[k * m + j] = h->block[k];
        for (int k = h->damped; k < h->nfree; k++)
            if (h->mean[k - h->damped] == i)
                column[k] = 1;
    }
}

/* the same of free motions: columns of e, f and a, rows of the phase, the means and the last one */
static void fill_borders(zw_harmonic *h, const double *x, const double *row) {
    const zw_fourier *f = &h->period.fourier;
    int n = h->period.n, all = n * f->n, m = h->nfree + 1, moving = n - h->period.kernel->nc;
    int width = h->dense ? all : f->n, corner = h->dense ? 1 : n;
    if (h->damped) {
        zw_period_momenta(&h->period, h->rows);
        put_column(h, 0);
    }
    zw_period_slope(&h->period, h->w_slope, h->rows);
    put_column(h, m - 1);
    for (int i = 0; i < n; i++) {
        double *last = h->dense ? zw_blocks_at(h->blocks, 1, 0) + (size_t)(i * f->n)
                                : zw_blocks_at(h->blocks, n, i);
        for (int k = 0; k < f->n; k++)
            last[(m - 1) * width + k] = row[i * f->n + k];
        for (int k = 0; i < moving && k < f->nharmonic; k++) { /* the motion itself: y' */
            int at = zw_fourier_first(f, k), harmonic = f->harmonic[k];
            double weight = harmonic / (h->scale[i] * h->scale[i]);
            if (harmonic) {
                last[at] = weight * x[i * f->n + at + 1];
                last[at + 1] = -weight * x[i * f->n + at];
            }
        }
        for (int k = h->damped; k < h->nfree; k++)
            if (h->mean[k - h->damped] == i)
                last[k * width] = 1;
    }
    double *end = zw_blocks_at(h->blocks, corner, corner);
    for (int k = 0; k < m; k++)
        end[(m - 1) * m + k] = row[all + k];
}

static zw_status assemble(zw_harmonic *h, const double *x, const double *row, zw_error *err) {
    zw_status status = ZW_RETRY;
    while (status == ZW_RETRY) {
        if (!h->shaped)
            ZW_TRY(reshape(h, err));
        zw_blocks_clear(h->blocks);
        status = fill(h);
        h->shaped = status == ZW_OK;
    }
    if (h->nfree)
        fill_borders(h, x, row);
    else
        fill_border(h, row);
    return ZW_OK;
}

#define SINGULAR 1e-13 /* of a diagonal block: pivots from elsewhere are needed */

static zw_status factor(void *self, const double *x, double a, const double *row, zw_error *err) {
    zw_harmonic *h = self;
    (void)a;
    zw_period_derive(&h->period);
    ZW_TRY(assemble(h, x, row, err));
    double ratio = zw_blocks_factor(h->blocks);
    if (!h->dense && !(ratio > SINGULAR)) {
        h->dense = true;
        h->shaped = false;
        ZW_TRY(assemble(h, x, row, err));
        ratio = zw_blocks_factor(h->blocks);
    }
    return ratio > 0 ? ZW_OK : ZW_RETRY;
}

static void solve(void *self, double *b) {
    zw_harmonic *h = self;
    zw_blocks_solve(h->blocks, b);
}

/* the mean over the period of the product of two motions, each coordinate in its size; multipliers do not count */
static double product(void *self, const double *u, const double *v) {
    const zw_harmonic *h = self;
    const zw_fourier *f = &h->period.fourier;
    int moving = h->period.n - h->period.kernel->nc;
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

zw_cont_problem zw_harmonic_problem(zw_harmonic *h) {
    return (zw_cont_problem){.self = h,
                             .n = h->period.n * h->period.fourier.n + h->nfree,
                             .unit = h->unit,
                             .residual = residual,
                             .factor = factor,
                             .solve = solve,
                             .inner = product};
}

/* ----------------------------------------------------------------------------------------------- the motion */

int zw_harmonic_functions(const zw_harmonic *h) {
    return h->period.n;
}

int zw_harmonic_coefficients(const zw_harmonic *h) {
    return h->period.fourier.n;
}

int zw_harmonic_unfoldings(const zw_harmonic *h) {
    return h->nfree;
}

void zw_harmonic_renew(zw_harmonic *h) {
    h->at_a = false;
}

int zw_harmonic_samples(const zw_harmonic *h) {
    return h->period.fourier.samples;
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

void zw_harmonic_embed(const zw_harmonic *from, const double *x, const zw_harmonic *to, double *y) {
    const zw_fourier *f = &to->period.fourier;
    for (int i = 0; i < to->period.n; i++)
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
