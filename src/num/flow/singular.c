/* SPDX-License-Identifier: MIT */
/* Rates near a singular position, where rows of the constraints come to depend on each other and
 * branches of the motion cross (a flat parallelogram continues as one, or as an antiparallelogram).
 *
 * Let x be the distance along the branch that the motion is on, in units of the clearance of the
 * rows, and y the distance off it: the constraint is x y = 0 with the accelerations x y'' + 2 x' y'
 * + y x'' = 0, so that y'' = -(2 x' y' + y x'')/x. On the branch y = 0 everything is smooth,
 * through x = 0 and beyond. Off it nothing is:
 *
 *   - A state with a residual c of the constraint has y = c/x, y' = -c x'/x^2, y'' ~
 *     c/x^3. The stages
 *     of a method are off by their local error. So they are projected onto the constraints first.
 *   - Round-off leaves residuals of about 1e-16, and with x below 1e-4 the direction of the branch,
 *     y'/x' = c/x^2,
 *     and y'' are known poorly; a projection of velocities onto a wrong direction costs energy.
 *
 * Hence: rows whose clearance is below ZW_NUM_DEPENDENT_ROW are left out of projections (project.c)
 * and of the accelerations (accel.c), and the accelerations of states with a clearance below POORLY
 * are interpolated between states of the same branch before and after the singular position: with d
 * the time from here, the state q + d q', v, projected onto the constraints at the time t + d, has
 * accelerations that are smooth in d, and have the required values at d = 0. Eight nodes at the
 * clearances 1, 1.5, 2 and 2.5 POORLY on either side give an error of 0.001 POORLY^8.
 *
 * With them a state stays on its branch without projection after the step, and below the clearance
 * PASSING, where the direction of the branch is poorly known, it is not projected.
 *
 * Where the clearance does not grow as expected (the motion rests there, or runs along singular
 * positions) the accelerations are those of the state, with the dependent rows left out. */
#include "num/internal.h"

#include <math.h>
#include <string.h>

/* Clearance below which accelerations are interpolated: residuals cause an error of 1e-16/POORLY^3
 * = 1e-11 there, the round-off of solved accelerations. */
#define POORLY 0.02
/* Clearance below which states are not projected: the direction of the branch has an error of
 * 1e-16/PASSING^2 = 1e-11. */
#define PASSING 3e-3
#define STRIDE_FIRST 1e-3 /* [s]; first trial of the time in which the clearance grows */
enum { NODES = 8, TRIALS = 60 };

/* accelerations (run->node_z) and clearance of the node at d from the state `from` with rates
 * `rate` */
static bool evaluate_node(zw_run *run, double t, const double *from, const double *rate, double d,
                          double *clearance) {
    const zw_kernel *k = run->k;
    zw_error ignored = {0};
    memcpy(run->node, from, sizeof(double) * (size_t)k->nx);
    for (int i = 0; i < k->nq; i++)
        run->node[i] += d * rate[i];
    if (zw_num_project_trial(run->flow, t + d, run->node, &ignored) < 0 ||
        zw_num_accel(run->flow, t + d, run->node, run->flow->qdot, run->node_z, &ignored) < 0)
        return false;
    *clearance = run->flow->clearance;
    return true;
}

/* The time in which the clearance changes by POORLY, and the distance of the state after the
 * singular position (negative: before it), in units of POORLY: from the clearances |s + r d| and |s
 * - r d| ahead and behind, where d is so long that the singular position is between them. */
static bool measure_singularity(zw_run *run, double t, const double *from, const double *rate,
                                double clearance, double *unit, double *place) {
    double d = run->stride > 0 ? run->stride : STRIDE_FIRST, low = 0, high = INFINITY;
    for (int trial = 0; trial < TRIALS; trial++) {
        double ahead, behind;
        bool there = evaluate_node(run, t, from, rate, d, &ahead) &&
                     evaluate_node(run, t, from, rate, -d, &behind);
        double mean = there ? (ahead + behind) / 2 : INFINITY;
        if (mean >= fmax(POORLY, 1.5 * clearance) && mean <= 4 * POORLY) {
            run->stride = d;
            *unit = POORLY / mean * d;
            *place = (ahead - behind) / (2 * POORLY);
            return true;
        }
        if (mean > 4 * POORLY)
            high = d;
        else
            low = d;
        d = high == INFINITY ? 4 * d : low == 0 ? d / 4 : sqrt(low * high);
        if (high < low * 1.01)
            return false;
    }
    return false;
}

/* the weight of node k in the polynomial through all of them, at 0 */
static double node_weight(const double *node, int k) {
    double w = 1;
    for (int j = 0; j < NODES; j++)
        if (j != k)
            w *= node[j] / (node[j] - node[k]);
    return w;
}

/* v' at (t, x), in out (nv), where rate holds q' */
static bool interpolate_rates(zw_run *run, double t, const double *x, const double *rate,
                              double *out) {
    const double here = run->flow->clearance;
    static const double clearances[NODES] = {-2.5, -2, -1.5, -1, 1, 1.5, 2, 2.5};
    int nv = run->k->nv;
    double unit, place, d[NODES], clearance;
    if (!measure_singularity(run, t, x, rate, here, &unit, &place))
        return false;
    for (int k = 0; k < NODES; k++)
        d[k] = (clearances[k] - place) * unit;
    memset(out, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < NODES; k++) {
        if (!evaluate_node(run, t, x, rate, d[k], &clearance) || clearance < 0.5 * POORLY)
            return false;
        double w = node_weight(d, k);
        for (int i = 0; i < nv; i++)
            out[i] += w * run->node_z[i];
    }
    return true;
}

zw_status zw_num_singular_rate(zw_run *run, double t, const double *y, double *rate,
                               zw_error *err) {
    const zw_kernel *k = run->k;
    size_t velocities = sizeof(double) * (size_t)k->nv;
    memcpy(run->projected, y, sizeof(double) * (size_t)k->nx);
    ZW_TRY(zw_num_project_trial(run->flow, t, run->projected, err));
    ZW_TRY(zw_num_accel(run->flow, t, run->projected, rate, run->flow->z, err));
    memcpy(rate + k->nq, run->flow->z, velocities);
    double clearance = run->flow->clearance;
    if (clearance < POORLY && interpolate_rates(run, t, run->projected, rate, run->smooth)) {
        memcpy(rate + k->nq, run->smooth, velocities);
        run->passing = clearance < PASSING;
    }
    return ZW_OK;
}
