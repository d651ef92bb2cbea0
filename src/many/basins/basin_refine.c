/* SPDX-License-Identifier: MIT */
/* A grid of two axes, computed only where it is needed. First the points of a lattice of width s =
 * 16; then s/2, ..., 1: a point whose neighbours on the previous lattice (up to one width around
 * it) all have the same label gets this label, the others are computed. At the end, a filled point
 * that has a neighbour with another label is computed too, until there is none: boundaries that the
 * lattice has met are then exact. Islands that no point of the lattice has met can be missed: some
 * filled points, drawn at random, are computed to estimate how often. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/philox.h"
#include "basin.h"

enum {
    WIDEST = 16,   /* width of the first lattice */
    CHECKED = 200, /* filled points that are computed */
    USE_FILLED = 6
};

typedef struct grid_labels {
    zw_basin *b;
    long nx, ny;
    uint64_t *list;
    long n;
} grid_labels;

static bool is_on(long i, long last, long width) {
    return i % width == 0 || i == last;
}

/* Do all labels of the lattice within one width of (i, j) agree? */
static bool is_plain(const grid_labels *s, long i, long j, long width, int *label) {
    *label = BASIN_UNSET;
    for (long v = j - width < 0 ? 0 : j - width; v <= j + width && v < s->ny; v++)
        for (long u = i - width < 0 ? 0 : i - width; u <= i + width && u < s->nx; u++) {
            if (!is_on(u, s->nx - 1, width) || !is_on(v, s->ny - 1, width))
                continue;
            int own = s->b->label[v * s->nx + u];
            if (own == BASIN_UNSET)
                continue;
            if (*label != BASIN_UNSET && own != *label)
                return false;
            *label = own;
        }
    return *label >= 0;
}

static zw_status compute_labels(grid_labels *s, zw_error *err) {
    zw_basin *b = s->b;
    int *label = malloc(sizeof *label * (size_t)b->chunk);
    double *time = malloc(sizeof *time * (size_t)b->chunk);
    zw_status status = label && time ? ZW_OK : zw_out_of_memory(err, NULL);
    double share = b->work;
    for (long first = 0; first < s->n && status == ZW_OK; first += b->chunk) {
        long n = s->n - first < b->chunk ? s->n - first : b->chunk;
        for (long k = 0; k < n; k++)
            zw_basin_unit_start(b, s->list[first + k], b->u + k * b->naxis);
        b->work = share * (double)n / (double)b->n;
        status = zw_basin_classify(b, n, b->u, label, time, err);
        for (long k = 0; k < n && status == ZW_OK; k++) {
            uint64_t at = s->list[first + k];
            b->label[at] = label[k];
            b->time[at] = time[k];
            b->computed[at] = true;
        }
        b->begun += b->work;
        b->info.computed += (uint64_t)n;
    }
    b->work = share;
    s->n = 0;
    free(label);
    free(time);
    return status;
}

static zw_status one_width(grid_labels *s, long width, zw_error *err) {
    zw_basin *b = s->b;
    for (long j = 0; j < s->ny; j++)
        for (long i = 0; i < s->nx; i++) {
            uint64_t at = (uint64_t)(j * s->nx + i);
            int label = BASIN_UNSET;
            if (!is_on(i, s->nx - 1, width) || !is_on(j, s->ny - 1, width) ||
                b->label[at] != BASIN_UNSET)
                continue;
            if (width < WIDEST && is_plain(s, i, j, 2 * width, &label))
                b->fill[at] = label;
            else
                s->list[s->n++] = at;
        }
    for (uint64_t k = 0; k < b->n && width < WIDEST; k++)
        if (b->fill[k] >= 0 && b->label[k] == BASIN_UNSET) {
            b->label[k] = b->fill[k];
            b->time[k] = NAN;
        }
    return compute_labels(s, err);
}

/* Is the point filled in, with a neighbour that has another label? */
static bool is_doubtful(const grid_labels *s, long i, long j) {
    const zw_basin *b = s->b;
    if (b->computed[j * s->nx + i])
        return false;
    for (long v = j > 0 ? j - 1 : 0; v <= j + 1 && v < s->ny; v++)
        for (long u = i > 0 ? i - 1 : 0; u <= i + 1 && u < s->nx; u++)
            if (b->label[v * s->nx + u] != b->label[j * s->nx + i])
                return true;
    return false;
}

static zw_status recompute_doubtful(grid_labels *s, zw_error *err) {
    do {
        for (long j = 0; j < s->ny; j++)
            for (long i = 0; i < s->nx; i++)
                if (is_doubtful(s, i, j))
                    s->list[s->n++] = (uint64_t)(j * s->nx + i);
        if (s->n == 0)
            return ZW_OK;
        zw_status status = compute_labels(s, err);
        if (status)
            return status;
    } while (true);
}

static zw_status check_filled(grid_labels *s, zw_error *err) {
    zw_basin *b = s->b;
    int label[CHECKED];
    uint64_t which[CHECKED] = {0};
    long n = 0, most = b->chunk < CHECKED ? b->chunk : CHECKED;
    for (uint64_t k = 0; k < 20 * CHECKED && n < most; k++) {
        uint64_t at = zw_philox_bits(b->options.seed, k, 0, USE_FILLED) % b->n;
        if (b->computed[at])
            continue;
        zw_basin_unit_start(b, at, b->u + n * b->naxis);
        which[n++] = at;
    }
    if (n == 0)
        return ZW_OK;
    zw_status status = zw_basin_classify(b, n, b->u, label, NULL, err);
    for (long k = 0; k < n && status == ZW_OK; k++) {
        b->info.filled_checked++;
        b->info.filled_differs += label[k] != b->label[which[k]];
    }
    return status;
}

zw_status zw_basin_refine(zw_basin *b, zw_error *err) {
    grid_labels s = {.b = b, .nx = b->axis[0].n, .ny = b->axis[1].n};
    if (b->naxis != 2)
        return zw_fail(err, ZW_E_OPTION, "refinement needs a grid of two axes");
    s.list = malloc(sizeof *s.list * (size_t)b->n);
    b->fill = malloc(sizeof *b->fill * (size_t)b->n);
    memset(b->computed, 0, sizeof *b->computed * (size_t)b->n);
    zw_status status = s.list && b->fill ? ZW_OK : zw_out_of_memory(err, NULL);
    for (uint64_t k = 0; k < b->n && status == ZW_OK; k++)
        b->fill[k] = BASIN_UNSET;
    for (long width = WIDEST; width >= 1 && status == ZW_OK; width /= 2)
        status = one_width(&s, width, err);
    if (status == ZW_OK)
        status = recompute_doubtful(&s, err);
    if (status == ZW_OK)
        status = check_filled(&s, err);
    free(s.list);
    free(b->fill);
    b->fill = NULL;
    return status;
}
