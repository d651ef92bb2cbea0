/* SPDX-License-Identifier: MIT */
/* Implemented in src/data/tracking. */
/* From what cameras saw to the coordinates of a model. A camera c tells where a marker m was, its
 * pose (R_cm, r_cm) in the axes of the camera, at the time of its own clock. With the place of the
 * camera in the world (R_c, r_c) and that of the marker on its body (R_m, r_m) the body was at
 *
 *     A = R_c R_cm R_m',   o = r_c + R_c r_cm - A r_m                                              (1)
 *
 * Clocks differ: stamp = time + delay(c). The delays are those for which all cameras agree best
 * (src/data/tracking/track_delay.c). Coordinates q of the model are such that the pose of the body
 * by the model is (1) (track_body.c); series of them are smoothed and differentiated over all
 * cameras at once, with standard deviations (smooth.h). Places of single markers (TRC) and series
 * of coordinates (CSV, MOT) are taken likewise.
 *
 * The result is a table with t, the coordinates and velocities that were measured, and sd(NAME) of
 * each; NaN where nothing was seen.
 *
 * zw_synthesise makes such data from a model, together with the true values. */
#ifndef ZWANG_TRACKING_H
#define ZWANG_TRACKING_H

#include <stdbool.h>

#include "doubt.h"
#include "model.h"
#include "report.h"
#include "run.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_tracking zw_tracking;

typedef enum zw_tracking_delays {
    ZW_DELAYS_FIND,
    ZW_DELAYS_KNOWN /* those of the table of cameras, 0 where it has none */
} zw_tracking_delays;

typedef enum zw_tracking_rates {
    ZW_RATES_SPLINE, /* smoothing splines */
    ZW_RATES_LOCAL   /* local polynomials: Savitzky and Golay */
} zw_tracking_rates;

/* Begin with zw_tracking_options_default(). Strings must outlive the tracking. */
typedef struct zw_tracking_options {
    size_t size;         /* of this struct, for the library */
    const char *cameras; /* table of cameras; NULL: poses are in the axes of the world */
    const char *markers; /* table of markers; NULL: every marker is the frame of the body itself */
    const char *body; /* of markers whose table does not say it; NULL: the only one of the model */
    const char *reference; /* camera whose clock is right; NULL: the one that saw most */
    int ncolumn;           /* "NAME=COORDINATE": columns of data that have other names */
    const char *const *column;
    zw_tracking_delays delays;
    double delay_max; /* s, between two cameras; 0.02 */
    double sd_place;  /* of one component of a place, m; 0: estimated for each camera */
    double sd_angle;  /* of a turn about one axis, rad; 0: estimated */
    double
        outlier; /* poses farther off than this many standard deviations are left out; 6. 0: none */
    double gap;  /* s without any sample that are left empty; 0: 3 frames */
    bool fill;   /* gaps are bridged by the spline */
    double step; /* s between rows; 0: a frame */
    zw_tracking_rates rates;
    double window;                         /* s, of local polynomials; 0: 15 frames */
    int degree;                            /* of them; 3 */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_tracking_options;
ZW_API void zw_tracking_options_init(zw_tracking_options *options, size_t size);
static inline zw_tracking_options zw_tracking_options_default(void) {
    zw_tracking_options o;
    zw_tracking_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_tracking_camera {
    const char *name;
    long samples, used, outliers;
    bool linked;               /* its clock is known */
    double delay, delay_sd;    /* s; sd 0: not estimated */
    double sd_place, sd_angle; /* m, rad: as weighted */
    double fps;                /* frames in a second */
} zw_tracking_camera;

typedef struct zw_tracking_coordinate {
    const char *name, *unit;
    int index; /* in zw_system.coord */
    long samples;
    double sd;     /* typical one of a sample, as its camera or file says it; 0: not said */
    double noise;  /* typical one, as the samples scatter about the result */
    double result; /* typical one of the result */
    long outliers; /* samples of columns that were left out */
} zw_tracking_coordinate;

/* Read n files of data for a finished system, with the parameters of the model; nothing is computed
 * yet. All memory is its own. */
ZW_API zw_status zw_tracking_create(zw_tracking **out, const zw_system *sys, int n,
                                    const char *const *data, const zw_tracking_options *options,
                                    zw_error *err);
ZW_API void zw_tracking_destroy(zw_tracking *t);
/* Delays, coordinates, series. */
ZW_API zw_status zw_tracking_run(zw_tracking *t, zw_error *err);

ZW_API int zw_tracking_cameras(const zw_tracking *t);
ZW_API const zw_tracking_camera *zw_tracking_camera_at(const zw_tracking *t, int i);
ZW_API int zw_tracking_coordinates(const zw_tracking *t);
ZW_API const zw_tracking_coordinate *zw_tracking_coordinate_at(const zw_tracking *t, int i);
/* Adds the warnings to a list. */
ZW_API void zw_tracking_warnings(const zw_tracking *t, zw_warnings *list);
/* The result, owned by the tracking, with notes on its origin (source may be NULL). */
ZW_API zw_status zw_tracking_table(const zw_tracking *t, const zw_model_source *source,
                                   zw_table **out, zw_error *err);
/* The samples that the result is made of, not smoothed: t in the time of the reference, coordinates
 * and sd(NAME) of each pose or row that was used, NaN where it says nothing of a coordinate. Their
 * errors are independent, as fits of parameters want them. */
ZW_API zw_status zw_tracking_samples(const zw_tracking *t, const zw_model_source *source,
                                     zw_table **out, zw_error *err);
/* The state x = (q, v) at a time within the result, nearest to what was measured (in units of its
 * standard deviations) among those that satisfy the constraints of the model; where nothing was
 * measured, the start of the model. sd (nq + nv, may be NULL): of what was measured, 0 of the
 * others. */
ZW_API zw_status zw_tracking_start(const zw_tracking *t, double at, double *x, double *sd,
                                   zw_error *err);
/* Cameras and coordinates, into the open object; and a start that was found by zw_tracking_start. */
ZW_API void zw_tracking_report(const zw_tracking *t, zw_report *out);
ZW_API void zw_tracking_report_start(const zw_tracking *t, double at, const double *x,
                                     const double *sd, zw_report *out);

/* ---- synthetic data ---- */

typedef struct zw_synthesis_options {
    size_t size;
    const char *cameras, *markers; /* tables, as above; of cameras also delay, sd_place, sd_angle */
    const char *body;
    double until;    /* s: 2 */
    double fps;      /* 500 */
    double sd_place; /* m; 0.001 */
    double sd_angle; /* rad; 0.01 */
    /* rad: a marker is seen up to this angle between its axis z and the line to the camera; 70
     * degrees */
    double facing;
    double dropout; /* part of the frames that is lost at random */
    /* part of the poses that is mirrored about the line of sight, as flat markers are at times */
    double flips;
    long seed;
    const char *principle;                 /* NULL: lagrange */
    const zw_run_options *run;             /* NULL: defaults */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_synthesis_options;
ZW_API void zw_synthesis_options_init(zw_synthesis_options *options, size_t size);
static inline zw_synthesis_options zw_synthesis_options_default(void) {
    zw_synthesis_options o;
    zw_synthesis_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_synthesis {
    zw_bytes poses;  /* a file of poses */
    zw_table *truth; /* the motion at the times of the frames */
    long seen, hidden, lost, flipped;
} zw_synthesis;
/* Run the model and look at it. Frames have the stamps k/fps; what is in them was there at the
 * stamp less the delay of the camera. The same seed gives the same file on every machine, whatever
 * the order of the cameras. */
ZW_API zw_status zw_synthesise(zw_synthesis *out, const zw_system *sys,
                               const zw_model_source *source, const zw_synthesis_options *options,
                               zw_error *err);
ZW_API void zw_synthesis_report(const zw_synthesis *s, zw_report *out);
ZW_API void zw_synthesis_clear(zw_synthesis *s);

#ifdef __cplusplus
}
#endif
#endif
