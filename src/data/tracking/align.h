/* SPDX-License-Identifier: MIT */
/* The clocks of cameras: what track_noise.c, track_lags.c, track_bundle.c and track_delay.c
 * share. */
#ifndef ZW_DATA_TRACKING_ALIGN_H
#define ZW_DATA_TRACKING_ALIGN_H

#include "smooth.h"
#include "tracking.h"

enum { ZW_TURN = 4, ZW_PLACE = 3 }; /* components of a quaternion and of a position */

typedef struct zw_bundle { /* the sights of one body, in the order of time */
    int frame;
    long n;
    long *index;
    double *t, *turn, *place, *weight[2], *soft, *chi2[2];
    zw_smooth spline[2];
    double lambda[2], step[2];
    bool fitted;
} zw_bundle;

typedef struct zw_aligner {
    zw_tracking *t;
    zw_arena arena;
    int nbundle;
    zw_bundle *bundle;
    double *delay; /* neye */
    double *S, *rhs, *cov;
    int *row, *pivot; /* row: of a camera in (1); -1 if none */
    int n;
    bool stated[2];
} zw_aligner;

/* Frames and first estimates of the noise of all cameras (track_noise.c). */
zw_status zw_align_estimate_noise(zw_aligner *a, zw_error *err);
/* First delays, from pairs of cameras, and which clocks are known at all (track_lags.c). */
zw_status zw_align_lags(zw_aligner *a, zw_error *err);
/* One spline through all poses of a body, their differences from it, the poses that are left out
 * (track_bundle.c). */
void zw_bundle_fill(zw_aligner *a, zw_bundle *b, zw_seen *scratch);
void zw_bundle_weigh(zw_aligner *a, zw_bundle *b);
zw_status zw_bundle_fit(zw_aligner *a, zw_bundle *b, bool choose, zw_error *err);
void zw_bundle_compare(zw_bundle *b);
void zw_bundle_judge(zw_aligner *a, zw_bundle *b, bool soft);
/* The noise of a camera from all bundles; scratch: one number for each sight. */
void zw_align_noise(zw_aligner *a, int camera, int part, bool robust, double *scratch);

#endif
