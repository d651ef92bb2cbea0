/* SPDX-License-Identifier: MIT */
/* The equations that methods for ordinary differential equations integrate.
 *
 * Projection: y is the whole state x = (q, v) with x' = (qdot, v'); v' comes from the constraints
 * on acceleration level (index 1), and the drift of the other levels is removed after every step by
 * the smallest change in the metric of the mass matrix (project.c).
 *
 * Partition: y is the part of x that the constraints leave free (partition.c). */
#include <string.h>

#include "num/internal.h"
#include "num/options.h"

static bool is_partitioned(const zw_run *run) {
    return run->formulation == ZW_KEEP_PARTITION;
}

zw_status zw_num_rate(zw_run *run, double t, const double *y, double *rate, zw_error *err) {
    if (is_partitioned(run))
        return zw_num_partition_rate(run, t, y, rate, err);
    run->passing = false;
    ZW_TRY(zw_num_accel(run->flow, t, y, rate, run->flow->z, err));
    if (run->k->pseudo && run->flow->clearance < ZW_NUM_NEAR_SINGULAR)
        return zw_num_singular_rate(run, t, y, rate, err);
    memcpy(rate + run->k->nq, run->flow->z, sizeof(double) * (size_t)run->k->nv);
    return ZW_OK;
}

zw_status zw_num_rate_jacobian(zw_run *run, double t, const double *y, double *J, zw_error *err) {
    if (is_partitioned(run))
        return zw_num_partition_jacobian(run, t, y, J, err);
    return zw_num_jacobian(run->flow, t, y, J, run->k->nx, err);
}

bool zw_num_drifts(const zw_run *run) {
    return zw_num_has_constraints(run->k) && !is_partitioned(run);
}

zw_status zw_num_settle(zw_run *run, double t, double *y, zw_error *err) {
    return zw_num_drifts(run) && !run->passing ? zw_num_project(run->flow, t, y, NULL, err) : ZW_OK;
}

zw_status zw_num_expand(zw_run *run, double t, const double *y, double *x, zw_error *err) {
    if (is_partitioned(run))
        return zw_num_partition_expand(run, t, y, x, err);
    memcpy(x, y, sizeof(double) * (size_t)run->k->nx);
    return ZW_OK;
}

zw_status zw_num_reduce(zw_run *run, double t, const double *x, double *y, zw_error *err) {
    if (is_partitioned(run)) {
        zw_num_partition_choose(run, t, x);
        zw_num_partition_pick(run, x, y);
        return zw_num_partition_begin(run, t, x, err);
    }
    run->ny = run->k->nx;
    memcpy(y, x, sizeof(double) * (size_t)run->ny);
    return ZW_OK;
}

zw_status zw_num_refresh(zw_run *run, bool *changed, zw_error *err) {
    *changed = false;
    if (!is_partitioned(run))
        return ZW_OK;
    ZW_TRY(zw_num_partition_expand(run, run->now, run->y, run->candidate, err));
    if (!zw_num_partition_is_poor(run, run->now, run->candidate))
        return zw_num_partition_begin(run, run->now, run->candidate, err);
    ZW_TRY(zw_num_reduce(run, run->now, run->candidate, run->y, err));
    run->info.repartitions++;
    *changed = true;
    return ZW_OK;
}
