/* SPDX-License-Identifier: MIT */
/* Basins over a parameter: at each value all attractors are found anew. An attractor keeps the
 * number of the nearest one of the same type at the previous value, if it is within a tenth of the
 * scales; others get new numbers. */
#include <string.h>

#include "base/arena.h"
#include "basin.h"

/* in scales: farther away it is a new attractor. Chosen by trial: larger than the change from one
 * value to the next, smaller than the distance of different attractors */
#define SAME_BRANCH 0.1

/* Same type: both closed, both returning, or both leaving in the same way. */
static bool is_of_the_sort(const zw_basin_limit_set *a, const zw_basin_limit_set *b) {
    bool exit_kind = a->is.kind >= ZW_BASIN_LEAVES || b->is.kind >= ZW_BASIN_LEAVES;
    return exit_kind ? a->is.kind == b->is.kind && a->is.side == b->is.side &&
                           strcmp(a->is.name, b->is.name) == 0
                     : true;
}

static double attractor_distance(const zw_basin *b, const zw_basin_limit_set *x,
                                 const zw_basin_limit_set *y) {
    double best = INFINITY;
    if (x->is.kind >= ZW_BASIN_LEAVES || b->by_kind)
        return 0;
    for (int k = 0; k < y->is.npoint; k++)
        best = fmin(best, zw_basin_limit_set_distance(b, x, y->point + k * b->ny));
    return best;
}

/* Numbers the attractors of the present value. */
static void number_attractors(zw_basin *b) {
    bool taken[ZW_BASIN_ATTRACTORS] = {false};
    for (int i = 0; i < b->nfound; i++)
        b->track[i] = 0;
    for (;;) { /* the nearest pair first */
        int best_old = -1, best_new = -1;
        double best = SAME_BRANCH;
        for (int i = 0; i < b->nfound; i++)
            for (int k = 0; k < b->nbefore && !b->track[i]; k++) {
                double d = taken[k] || !is_of_the_sort(&b->found[i], &b->before[k])
                               ? INFINITY
                               : attractor_distance(b, &b->found[i], &b->before[k]);
                if (d < best) {
                    best = d;
                    best_old = k;
                    best_new = i;
                }
            }
        if (best_new < 0)
            break;
        taken[best_old] = true;
        b->track[best_new] = b->before_track[best_old];
    }
    for (int i = 0; i < b->nfound; i++)
        if (!b->track[i])
            b->track[i] = ++b->tracks;
    memcpy(b->before, b->found, sizeof b->before);
    memcpy(b->before_track, b->track, sizeof b->track);
    b->nbefore = b->nfound;
}

static zw_status make_table(zw_basin *b, zw_error *err) {
    b->rows = zw_table_create(NULL);
    if (!b->rows)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_table_column(b->rows, b->over.name, b->sys->param[b->over.parameter].unit));
    static const char *const column[] = {"attractor", "share",   "error",
                                         "circle",    "compact", "period"};
    for (int i = 0; i < 6; i++)
        ZW_TRY(zw_table_column(b->rows, column[i], ""));
    for (int i = 0; i < b->ny; i++)
        ZW_TRY(zw_table_column(b->rows, b->quantity[i].name, b->quantity[i].unit));
    return ZW_OK;
}

zw_status zw_basin_add_rows(zw_basin *b, zw_error *err) {
    double row[7 + ZW_BASIN_LOOKS];
    zw_basin_info *i = &b->info;
    if (!b->rows)
        ZW_TRY(make_table(b, err));
    number_attractors(b);
    for (int k = 0; k < b->nfound; k++) {
        const zw_basin_attractor *a = &b->found[k].is;
        double head[] = {b->value,  b->track[k], a->share, a->error,
                         a->circle, a->compact,  a->period};
        memcpy(row, head, sizeof head);
        for (int q = 0; q < b->ny; q++)
            row[7 + q] = a->npoint ? a->point[q] : NAN;
        ZW_TRY(zw_table_row(b->rows, row));
    }
    if (i->unresolved || i->failed || i->check_differs) {
        zw_warning d =
            zw_warning_of("over", NAN,
                          "at %s = %.6g %llu starts are unresolved, %llu failed, %llu of %llu that "
                          "were followed once "
                          "more go elsewhere",
                          b->over.name, b->value, (unsigned long long)i->unresolved,
                          (unsigned long long)i->failed, (unsigned long long)i->check_differs,
                          (unsigned long long)i->checked);
        zw_warnings_add(b->doubts, &d);
    }
    return ZW_OK;
}
