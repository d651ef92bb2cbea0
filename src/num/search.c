/* SPDX-License-Identifier: MIT */
/* Cells of a step: the functions are sampled at a few points of its dense output. */
#include "search.h"

#include "internal.h"

static const double sample_points[ZW_NUM_CELLS_MAX + 1] = {0,   1e-4,  0.125, 0.25,  0.375,
                                                           0.5, 0.625, 0.75,  0.875, 1};

zw_status zw_num_cells_find(zw_run *run, double a, double b, zw_error *err) {
    zw_num_cells *c = &run->cells;
    c->n = ZW_NUM_CELLS_MAX;
    for (int j = 0; j <= c->n; j++) {
        c->t[j] = j == c->n ? b : a + sample_points[j] * (b - a);
        ZW_TRY(zw_num_watch_dense(run, c->t[j], c->g + j * run->k->nevt, err));
    }
    return ZW_OK;
}
