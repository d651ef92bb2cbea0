/* SPDX-License-Identifier: MIT */
/* Minima from many starts: the origin, given starts, a grid, and the Halton sequence, whose entry i
 * is the number k written in the i-th prime as base with its digits reversed after the point. The
 * starts are the same on every machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "gauss_integral_parts.h"

/* default distance of distinct minima, relative to 1 + their size: a minimiser without Newton steps
 * is known to half of the digits, 1e-8 */
#define DEFAULT_DISTINCT 1e-5

void zw_gauss_starts_init(zw_gauss_starts *starts, size_t size) {
    const zw_gauss_starts all = {
        .size = size, .origin = true, .low = -2, .high = 2, .distinct = DEFAULT_DISTINCT};
    zw_options_begin(starts, size, &all, sizeof all);
}

static int prime_number(int i) {
    int n = 2;
    for (;; n++) {
        bool is_prime = true;
        for (int d = 2; d * d <= n && is_prime; d++)
            is_prime = n % d != 0;
        if (is_prime && i-- == 0)
            return n;
    }
}

double zw_gauss_halton(int k, int i) {
    int base = prime_number(i);
    double sum = 0, digit = 1.0 / base;
    for (; k > 0; k /= base, digit /= base)
        sum += digit * (k % base);
    return sum;
}

typedef struct minimum_search {
    zw_gauss_integral *g;
    const zw_gauss_starts *starts;
    double a;
    int dimension;
    double *x;
    zw_gauss_minimum *list;
    int n, capacity;
    zw_gauss_minimum best; /* the lowest result that has not converged; starts = 0: none */
    double *best_x;
} minimum_search;

static zw_gauss_minimum *find_known(const minimum_search *h) {
    for (int i = 0; i < h->n; i++) {
        double size = zw_gauss_distance(h->g, h->x, NULL);
        if (zw_gauss_distance(h->g, h->x, h->list[i].x) <= h->starts->distinct * (1 + size))
            return &h->list[i];
    }
    return NULL;
}

/* stores the lowest result that has not converged: better than no result */
static void store_best(minimum_search *h, const zw_gauss_result *r) {
    int n = h->g->gaussian.unknowns;
    if (h->best.starts > 0 && !(r->value < h->best.result.value))
        return;
    memcpy(h->best_x, h->x, sizeof(double) * (size_t)n);
    h->best = (zw_gauss_minimum){.result = *r, .starts = 1, .x = h->best_x};
}

/* minimises from x and adds the result if it is a minimum and new */
static zw_status try_start(minimum_search *h, zw_error *err) {
    size_t size = sizeof(double) * (size_t)h->g->gaussian.unknowns;
    zw_gauss_result r;
    zw_status status = zw_gauss_integral_minimise(h->g, h->x, h->a, &r, NULL);
    if (status == ZW_E_NUMERIC) /* no value at this start: others may have one */
        return ZW_OK;
    if (status < 0)
        return zw_fail(err, status, "the minimisation could not be made");
    zw_gauss_minimum *known = find_known(h);
    if (known)
        known->starts++;
    if (!known && !r.converged)
        store_best(h, &r);
    if (known || !r.converged || !zw_gauss_is_minimum(h->g, h->x))
        return ZW_OK;
    double *x = zw_arena_alloc(&h->g->found, size);
    if (!x || !zw_arena_grow(&h->g->found, (void **)&h->list, h->n, &h->capacity, sizeof *h->list))
        return zw_out_of_memory(err, NULL);
    memcpy(x, h->x, size);
    h->list[h->n++] = (zw_gauss_minimum){.result = r, .starts = 1, .x = x};
    return ZW_OK;
}

static void clear_start(minimum_search *h) {
    memset(h->x, 0, sizeof(double) * (size_t)h->g->gaussian.unknowns);
}

static zw_status try_grid(minimum_search *h, zw_error *err) {
    int points = h->starts->grid, *at = ZW_NEW(&h->g->found, int, h->dimension + 1), i = 0;
    if (points < 1)
        return ZW_OK;
    if (!at)
        return zw_out_of_memory(err, NULL);
    while (i < h->dimension) {
        clear_start(h);
        for (i = 0; i < h->dimension; i++) {
            double fraction = points > 1 ? (double)at[i] / (points - 1) : 0.5;
            h->x[i] = h->starts->low + fraction * (h->starts->high - h->starts->low);
        }
        ZW_TRY(try_start(h, err));
        for (i = 0; i < h->dimension && ++at[i] == points; i++)
            at[i] = 0;
    }
    return ZW_OK;
}

/* Factor of a start: harmonics of a motion decay at least like 1/h^2; starts with equal harmonics
 * are far from every motion. */
static double harmonic_decay(const minimum_search *h, int i) {
    const zw_fourier *f = &h->g->gaussian.period.fourier;
    int k = i % f->n;
    bool mean = f->harmonic[0] == 0;
    double harmonic = f->harmonic[mean ? (k + 1) / 2 : k / 2];
    return harmonic > f->harmonic[mean && f->nharmonic > 1] ? 1 / (harmonic * harmonic) : 1;
}

static zw_status try_halton(minimum_search *h, zw_error *err) {
    for (int k = 1; k <= h->starts->halton; k++) {
        clear_start(h);
        for (int i = 0; i < h->dimension; i++)
            h->x[i] = harmonic_decay(h, i) *
                      (h->starts->low + zw_gauss_halton(k, i) * (h->starts->high - h->starts->low));
        ZW_TRY(try_start(h, err));
    }
    return ZW_OK;
}

static zw_status try_all_starts(minimum_search *h, zw_error *err) {
    int n = h->g->gaussian.unknowns;
    if (h->starts->origin) {
        clear_start(h);
        ZW_TRY(try_start(h, err));
    }
    for (int i = 0; i < h->starts->given; i++) {
        memcpy(h->x, h->starts->start + (size_t)(i * n), sizeof(double) * (size_t)n);
        ZW_TRY(try_start(h, err));
    }
    ZW_TRY(try_grid(h, err));
    return try_halton(h, err);
}

static zw_status add_best(minimum_search *h, zw_error *err) {
    if (h->best.starts == 0)
        return ZW_OK;
    for (int i = 0; i < h->n; i++)
        if (h->list[i].result.value <= h->best.result.value)
            return ZW_OK;
    if (!zw_arena_grow(&h->g->found, (void **)&h->list, h->n, &h->capacity, sizeof *h->list))
        return zw_out_of_memory(err, NULL);
    h->list[h->n++] = h->best;
    return ZW_OK;
}

static int compare_values(const void *a, const void *b) {
    double x = ((const zw_gauss_minimum *)a)->result.value,
           y = ((const zw_gauss_minimum *)b)->result.value;
    return (x > y) - (x < y);
}

zw_status zw_gauss_integral_search(zw_gauss_integral *g, double a, const zw_gauss_starts *starts,
                                   const zw_gauss_minimum **list, int *n, zw_error *err) {
    zw_gauss_starts s = zw_gauss_starts_default();
    *list = NULL;
    *n = 0;
    ZW_TRY(zw_options_adopt(&s, sizeof s, starts, "zw_gauss_starts", err));
    ZW_TRY(zw_gauss_set_value(g, a, err));
    zw_arena_clear(&g->found);
    zw_arena_init(&g->found, &g->alloc);
    minimum_search h = {.g = g, .starts = &s, .a = a, .dimension = g->gaussian.unknowns};
    if (s.dimension > 0 && s.dimension < h.dimension)
        h.dimension = s.dimension;
    h.x = ZW_NEW(&g->found, double, g->gaussian.unknowns);
    h.best_x = ZW_NEW(&g->found, double, g->gaussian.unknowns);
    if (!h.x || !h.best_x)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(try_all_starts(&h, err));
    ZW_TRY(add_best(&h, err));
    if (h.n)
        qsort(h.list, (size_t)h.n, sizeof *h.list, compare_values);
    *list = h.list;
    *n = h.n;
    return ZW_OK;
}
