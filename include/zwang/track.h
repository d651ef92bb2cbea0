/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/eigen_tracks. */
/* The eigenvalues of a matrix A(v) that depends smoothly on a value v, followed by continuity and by their eigenvectors, and
 * the values at which something happens to them: one or a pair crosses the imaginary axis, two meet and leave as others.
 * Zeros that A has at all v (families of steady motions) are divided out; none of what they do counts. */
#ifndef ZWANG_TRACK_H
#define ZWANG_TRACK_H

#include "follow.h"
#include "linearise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_track_options {
    size_t size;     /* of this struct, for the library */
    int n;           /* size of A */
    double from, to; /* values, different; it goes from the first to the second */
    int rows;        /* at equidistant values, at least 2; 401. Others come where tracks bend. */
    /* A (n x n) at a value between them, in coordinates that depend smoothly on the value for all calls with one
     * `middle`. It is called some tens of times, in any order. */
    zw_status (*matrix)(void *user, double value, double middle, double *A, zw_error *err);
    void *user;
    double
        unit; /* what entries of A are measured by where all of A is smaller, as rounding may be: 0 */
    /* Called now and then with the part that is done; true ends it with what is there. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_track_options;
ZW_API void zw_track_options_init(zw_track_options *options, size_t size);
static inline zw_track_options zw_track_options_default(void) {
    zw_track_options o;
    zw_track_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_track_kind {
    ZW_TRACK_HOPF, /* a pair crosses the imaginary axis */
    ZW_TRACK_ZERO, /* one crosses zero, or a pair turns there from the one axis to the other */
    ZW_TRACK_COALESCENCE /* two meet and are real on one side, a pair on the other; or two pairs meet on the imaginary
                            axis and leave it */
} zw_track_kind;

typedef struct zw_track_mark {
    zw_track_kind kind;
    double value;
    double re, im; /* there, im >= 0 */
    int growing; /* by how many more have a positive real part behind it, in the direction of the values */
    int real;         /* by how many more are real */
    double condition; /* of the eigenvalue; not finite at a coalescence */
    int ntrack;
    int *track; /* ntrack, from 0, ascending: all that take part, the conjugate ones too */
} zw_track_mark;

/* Between two marks nothing changes. */
typedef struct zw_track_range {
    double from, to;
    int growing; /* eigenvalues with positive real part */
    int neutral; /* those on the imaginary axis, without the zeros that are there at all values */
} zw_track_range;

typedef struct zw_track {
    int n, nrow, nmark, nrange;
    int nzero;       /* zeros at all values: the last of the n */
    int nkernel;     /* of these, dimensions of the null space: more zeros grow as powers of time */
    double *value;   /* nrow */
    double *re, *im; /* nrow x n */
    zw_track_mark *mark;
    zw_track_range *range;
    bool stopped;   /* by the caller; all is true up to the last row */
    int nlost;      /* steps in which tracks could not be told apart: names may change there */
    double lost_at; /* the first of them */
    double
        rough; /* how far A is from being smooth, relative to its size: above 1e-9 there is a jump or a
                                corner, */
    double rough_at;                /* here */
    int matrices, solved;           /* matrices asked for, eigenproblems solved */
    struct zw_track_memory *memory; /* private */
    int ntouch;      /* times that a real part came to zero and went back: no mark, */
    double touch_at; /* here for the first time */
    int nlimit; /* eigenvalues on the imaginary axis at an end of a range in which everything dies out, */
    double limit_at; /* here */
} zw_track;

/* alloc may be NULL (malloc). */
ZW_API zw_status zw_track_follow(zw_track *out, const zw_allocator *alloc,
                                 const zw_track_options *options, zw_error *err);
ZW_API void zw_track_clear(zw_track *t);

/* The linear equations of a steady motion that is followed, as a matrix for zw_track_options: of what zw_linearise finds at
 * a value, in the coordinates of what it finds at `middle`. The way must reach all values that are asked for. */
typedef struct zw_track_motion zw_track_motion;
ZW_API zw_status zw_track_motion_create(zw_track_motion **out, zw_follow *follow, double value,
                                        zw_error *err);
ZW_API void zw_track_motion_destroy(zw_track_motion *m);
ZW_API int zw_track_motion_size(const zw_track_motion *m);
/* The unit of zw_track_options: how large the linear equations of the whole state are, in its sizes, 1/s. */
ZW_API double zw_track_motion_unit(const zw_track_motion *m);
/* user: a zw_track_motion. */
ZW_API zw_status zw_track_motion_matrix(void *user, double value, double middle, double *A,
                                        zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
