/* SPDX-License-Identifier: MIT */
/* What the files of the tracker share; what it does, zwang/statespace.h says. Nothing here
 * allocates but the set-up. */
#ifndef ZW_LINEAR_EIGEN_TRACKS_EIGEN_TRACK_H
#define ZW_LINEAR_EIGEN_TRACKS_EIGEN_TRACK_H

#include "deflate.h"
#include "matrix_interpolant.h"
#include "zwang/statespace.h"

/* All eigenvalues at a value. */
typedef struct zw_spot {
    double value;
    int piece;
    double size;                 /* the largest modulus, or what counts as large */
    double *re, *im;             /* m */
    double *slope_re, *slope_im; /* m: their derivatives, 0 where they are too sensitive for that */
    double *condition;           /* m */
    double *vector_re, *vector_im; /* m x m: right eigenvectors of length 1, in rows */
} zw_spot;

typedef struct zw_walk_sign { /* the last side of something that was clear */
    int sign;                 /* -1, 1; 0: none */
    double value, re, im;     /* where, and the eigenvalue, or the mean of two, */
    double d;                 /* and their squared difference */
} zw_walk_sign;

enum { ZW_WALK_DEPTH = 64 };

typedef struct zw_walk {
    const zw_track_options *options;
    zw_matrix_interpolant proxy;
    int m;
    double range;
    double size; /* the largest eigenvalue so far */
    zw_spot spots[ZW_WALK_DEPTH + 2];
    zw_spot *now;
    zw_spot probe;                    /* eigenvalues alone */
    double *A, *slope, *left, *right; /* m x m */
    double *work;
    int nwork;
    int *iwork;
    double *row_potential, *column_potential, *least, *cost; /* assignment: m + 1, m x m */
    int *matched, *way, *order;
    bool *used;
    double *room;       /* m x m, and m: for reordering */
    zw_walk_sign *side; /* m: of the real part */
    zw_walk_sign *meet; /* m x m: of the squared difference */
    double *calm;       /* m: since which value the real part is not clear */
    zw_track *out;
    int capacity;
    zw_arena *arena;
    zw_error *err;
} zw_walk;

/* ---- eigen_track_match.c ---- */
zw_status zw_spot_init(zw_spot *s, zw_arena *arena, int m, zw_error *err);
/* with vectors and slopes, or eigenvalues alone */
zw_status zw_spot_find(zw_walk *w, zw_spot *s, int piece, double value, bool whole);
/* Which eigenvalue of b continues which of a (w->order), and is it sure? */
bool zw_spot_match(zw_walk *w, const zw_spot *a, const zw_spot *b);
void zw_spot_arrange(zw_walk *w, zw_spot *s, const int *order);
/* a real part that may be zero */
double zw_spot_neutral(const zw_spot *s, int j);

/* ---- eigen_track_crossings.c ---- */
/* What happens between two points with the same order. */
zw_status zw_walk_watch(zw_walk *w, const zw_spot *a, const zw_spot *b);
/* Sort and join the marks, find the ranges between them. */
zw_status zw_walk_conclude(zw_walk *w);

#endif
