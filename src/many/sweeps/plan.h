/* SPDX-License-Identifier: MIT */
#ifndef ZW_MANY_SWEEPS_PLAN_H
#define ZW_MANY_SWEEPS_PLAN_H

#include "zwang/survey.h"

/* One axis from its word. label: "--over" or "--start". */
zw_status zw_axis_read(zw_axis *out, const zw_system *sys, const char *label, bool start,
                       const char *text, zw_error *err);
/* The axis of a column of a file of points; the values are copied. */
zw_status zw_axis_of_column(zw_axis *out, const zw_system *sys, const zw_table *t, int column,
                            zw_error *err);
void zw_axis_clear(zw_axis *axis);
uint64_t zw_plan_seed(const zw_plan *plan);
static inline bool zw_axis_is_drawn(const zw_axis *axis) {
    return axis->kind == ZW_AXIS_UNIFORM || axis->kind == ZW_AXIS_NORMAL;
}
/* The value of a drawn axis at 0 < u < 1. */
double zw_axis_at(const zw_axis *axis, double u);

#endif
