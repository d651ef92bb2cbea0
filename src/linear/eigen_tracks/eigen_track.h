/* SPDX-License-Identifier: MIT */
/* What the sources of the eigenvalue tracker share; zwang/statespace.h states what it does. Only
 * the set-up allocates. */
#ifndef ZW_LINEAR_EIGEN_TRACKS_EIGEN_TRACK_H
#define ZW_LINEAR_EIGEN_TRACKS_EIGEN_TRACK_H

#include "deflate.h"
#include "matrix_interpolant.h"
#include "zwang/statespace.h"

/* All eigenvalues of the matrix at a value. */
typedef struct zw_eigen_state {
    double value;
    int piece;       /* of the interpolant */
    double size;     /* the largest modulus, at least a part of the largest of the range */
    double *re, *im; /* m */
    /* m: derivatives of the eigenvalues, 0 where they are too sensitive */
    double *slope_re, *slope_im;
    double *condition;             /* m: 1/|p*q| for unit vectors p, q */
    double *vector_re, *vector_im; /* m x m: right eigenvectors of length 1, in rows */
} zw_eigen_state;

/* The last value at which a sign was not rounding. */
typedef struct zw_clear_sign {
    int sign;      /* -1, 1; 0: none */
    double value;  /* where */
    double re, im; /* the eigenvalue, or the mean of two */
    double d;      /* of two: the squared difference */
} zw_clear_sign;

enum { ZW_EIGEN_TRACKER_DEPTH = 64 }; /* halvings of one step; 53 exhaust the digits of its value */

typedef struct zw_eigen_tracker {
    const zw_track_options *options;
    zw_matrix_interpolant interpolant;
    int m;
    double range;
    double size; /* the largest modulus of all eigenvalues so far */
    zw_eigen_state state[ZW_EIGEN_TRACKER_DEPTH + 2];
    zw_eigen_state *current;
    zw_eigen_state probe;             /* eigenvalues without vectors */
    double *A, *slope, *left, *right; /* m x m */
    double *work;
    int nwork;
    int *iwork;
    double *row_potential, *column_potential, *least, *cost; /* assignment: m + 1, m x m */
    int *matched, *previous, *order;
    bool *used;
    double *buffer;           /* m x m + m: for reordering */
    zw_clear_sign *axis_sign; /* m: of the real part */
    zw_clear_sign *pair_sign; /* m x m: of the squared difference of two */
    /* m: value since which the real part has no clear sign; NaN: it has one */
    double *neutral_since;
    zw_track *out;
    int capacity; /* of out->mark */
    zw_arena *arena;
    zw_error *err;
} zw_eigen_tracker;

/* ---- eigen_track_match.c ---- */
zw_status zw_eigen_state_init(zw_eigen_state *s, zw_arena *arena, int m, zw_error *err);
/* Eigenvalues at a value; `whole`: with vectors and derivatives. */
zw_status zw_eigen_state_compute(zw_eigen_tracker *w, zw_eigen_state *s, int piece, double value,
                                 bool whole);
/* Assign the eigenvalues of b to those of a (w->order); true if the assignment is certain. */
bool zw_eigen_state_match(zw_eigen_tracker *w, const zw_eigen_state *a, const zw_eigen_state *b);
void zw_eigen_state_reorder(zw_eigen_tracker *w, zw_eigen_state *s, const int *order);
/* A real part of eigenvalue j below this may be zero. */
double zw_eigen_state_neutral(const zw_eigen_state *s, int j);

/* ---- eigen_track_crossings.c ---- */
/* Find the special points between two points with the same order of eigenvalues. */
zw_status zw_eigen_tracker_check(zw_eigen_tracker *w, const zw_eigen_state *a,
                                 const zw_eigen_state *b);
/* Sort and join the special points, and count eigenvalues in the ranges between them. */
zw_status zw_eigen_tracker_finish(zw_eigen_tracker *w);

#endif
