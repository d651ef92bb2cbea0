/* SPDX-License-Identifier: MIT */
/* What the sources of tracking share; zwang/tracking.h defines it. */
#ifndef ZW_DATA_TRACKING_TRACKING_H
#define ZW_DATA_TRACKING_TRACKING_H

#include "base/arena.h"
#include "body_pose.h"
#include "data/cells.h"
#include "zwang/tracking.h"

/* ---- tables of cameras and markers ---- */

/* How a file gives an orientation: R11 .. R33, row by row; q0 .. q3; ex, ey, ez in words (+x, -z);
 * or not at all. */
typedef enum zw_orient_kind {
    ZW_ORIENT_NONE,
    ZW_ORIENT_MATRIX,
    ZW_ORIENT_QUATERNION,
    ZW_ORIENT_AXES
} zw_orient_kind;
typedef struct zw_orient {
    zw_orient_kind kind;
    int column[9];
} zw_orient;
zw_status zw_orient_find(zw_orient *o, const zw_cells *c, zw_error *err);
/* A proper rotation, or an error at the cell. *missing: all its cells are empty. Words give the
 * axes of the body in those of the marker: A' has them as columns, so that A maps components in the
 * marker to those in the body. */
zw_status zw_orient_read(const zw_orient *o, zw_cells *c, long row, double A[9], bool *missing,
                         zw_error *err);

typedef struct zw_eye { /* a camera */
    zw_tracking_camera info;
    bool placed;
    double A[9], r[3];         /* world = A camera + r */
    double known;              /* delay from the table [s] */
    double sd_place, sd_angle; /* from the table; 0 if not given */
    double frame;              /* median time between its samples [s] */
    double noise[2];           /* sd of angle and position, estimated or given */
} zw_eye;

typedef struct zw_tag { /* a marker */
    const char *name;
    int frame;         /* of its body, in zw_system.frame; -1 if not given */
    double A[9], r[3]; /* body = A marker + r */
} zw_tag;

zw_status zw_eyes_read(zw_arena *arena, const char *path, bool bare, int *n, zw_eye **eye,
                       zw_error *err);
zw_status zw_tags_read(zw_arena *arena, const char *path, const zw_system *sys, const char *body,
                       int *n, zw_tag **tag, zw_error *err);
/* The frame of a body (NULL: of the only one). */
zw_status zw_tag_body(const zw_system *sys, const char *body, int *frame, zw_error *err);

/* ---- data ---- */

typedef enum zw_sight_status {
    ZW_SIGHT_USED,
    ZW_SIGHT_OUTLIER,  /* it does not agree with the others */
    ZW_SIGHT_ALONE,    /* too few samples around it to judge */
    ZW_SIGHT_UNLINKED, /* the clock of its camera is unknown */
    ZW_SIGHT_SINGULAR, /* the coordinates are not determined there */
    ZW_SIGHT_LOST      /* no coordinates give this pose */
} zw_sight_status;

typedef struct zw_sight { /* a pose of a body as one camera saw it */
    double stamp, t;      /* time of the camera; corrected [s] */
    int camera, frame;    /* frame: of the body */
    double e[4], r[3];    /* pose of the body in the world: (1) */
    double arm;           /* distance of the marker from the origin of the body */
    double quality;       /* factor of its weight */
    zw_sight_status fate;
} zw_sight;

typedef struct zw_tracking_spot { /* a marker of which only the position is known, at one time */
    double t;
    int tag;
    double r[3];
    long row; /* of its file: those of one time are solved together */
} zw_tracking_spot;

typedef struct zw_tracking_sample {
    double t, y, sd; /* sd: 0 if unknown */
} zw_tracking_sample;

typedef struct zw_tracking_series { /* of one coordinate */
    zw_tracking_coordinate info;
    long n, capacity;
    zw_tracking_sample *sample;
    /* The result, nrow: value, rate and their sd. */
    double *value[2], *sd[2];
} zw_tracking_series;

struct zw_tracking {
    zw_arena arena;
    zw_tracking_options options;
    const zw_system *sys;
    double *p;
    zw_warnings *doubts;
    bool *column_seen; /* ncolumn: of --column, found in some data */
    int neye, ntag, nbody;
    zw_eye *eye;
    zw_tag *tag;
    int ndata;
    const char *const *data;
    long nsight, sight_capacity, nspot, spot_capacity;
    zw_sight *sight;
    zw_tracking_spot *spot;
    zw_tracking_series *series; /* nq */
    zw_posed **body;            /* nbody */
    double frame;               /* time between samples [s] */
    double gap;
    int reference;
    long singular, lost, alone, outliers;
    bool done;
    /* [s]: uncertainty of the time of all samples together, from that of the delays */
    double clock_sd;
    long nrow;
    double *time;                     /* nrow */
    double **velocity, **velocity_sd; /* nv; NULL if not measured */
    double scale[2];                  /* residuals over the given noise, of angles and positions */
};

/* Sights in the order of their corrected times. */
typedef struct zw_seen {
    double t;
    long index;
} zw_seen;
/* Those of a camera (-1: of all) and a body: all whose clock is known, or only those that are used;
 * returns their number. */
long zw_sights_list(const zw_tracking *t, int camera, int frame, bool used, zw_seen *out);
/* Median of the finite ones among n numbers, which are sorted; NaN if there is none. */
double zw_median(double *v, long n);
/* Reads all files of data. */
zw_status zw_tracking_read(zw_tracking *t, zw_error *err);
/* Corrected times, outliers and noise of all sights (track_delay.c). */
/* Between steps of the work: an error if it is to end. */
zw_status zw_tracking_pause(const zw_tracking *t, zw_error *err);
zw_status zw_tracking_align(zw_tracking *t, zw_error *err);
/* From sights and spots to samples of coordinates (track_coordinates.c). */
zw_status zw_tracking_solve(zw_tracking *t, zw_error *err);
/* Leaves out samples of a series that are single outliers (track_outliers.c). */
zw_status zw_tracking_reject(zw_tracking *t, zw_tracking_series *s, zw_error *err);
/* From samples to rows (track_fuse.c). */
zw_status zw_tracking_fuse(zw_tracking *t, zw_error *err);
zw_status zw_tracking_add_sample(zw_tracking *t, int coordinate, zw_tracking_sample sample,
                                 zw_error *err);

#endif
