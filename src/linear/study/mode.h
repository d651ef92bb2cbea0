/* SPDX-License-Identifier: MIT */
/* What the sources of modes share; zwang/linear.h states what they do. */
#ifndef ZW_LINEAR_STUDY_MODE_H
#define ZW_LINEAR_STUDY_MODE_H

#include "motion/equilibria/equilibria.h"
#include "zwang/linear.h"

/* Vectors that the linear equations map into each other, except for parts along the orbits: J V = V
 * G + X a. */
typedef struct zw_mode_vectors {
    int m;     /* 1 for a real eigenvalue, 2 for a pair (re, im), the length of a chain of zeros */
    double *V; /* nx x m */
    double *G; /* m x m */
    double *s; /* m: the combination at the beginning */
} zw_mode_vectors;

/* mode_orbit.c: the disturbance V s(t) and its displacement along the orbits, X b(t):
 *     s' = G s,    b' = B b + a s,    J X = X B. */
typedef struct zw_mode_orbit {
    int n, m;        /* symmetries, vectors */
    double *X;       /* n x nx: at the steady motion */
    double *M;       /* (n + m) x (n + m): (b, s)' = M (b, s) */
    double *start;   /* n + m */
    double mismatch; /* error of J V = V G + X a, relative */
} zw_mode_orbit;
zw_status zw_mode_orbit_find(zw_mode_orbit *out, const zw_equilibria *e, zw_arena *arena,
                             const zw_mode_vectors *v, zw_error *err);

/* mode_group.c: the flow of a combination of the symmetries, c_0 X_0 + sum_i c_i X_i. */
typedef struct zw_mode_group {
    const zw_equilibria *e;
    zw_arena *arena;
    int n, nx;
    bool affine;  /* all fields are X_i = L_i x + l_i, at all times */
    double *L;    /* if affine: (1 + n) x (nx + 1) x (nx + 1), of X_0 and X_i */
    double *work; /* private */
} zw_mode_group;
zw_status zw_mode_group_init(zw_mode_group *g, const zw_equilibria *e, zw_arena *arena,
                             zw_error *err);
/* Move x for a duration with rates c (n) from time t; with_time: X_0 included. */
zw_status zw_mode_group_move(zw_mode_group *g, bool with_time, const double *c, double t,
                             double duration, double *x, zw_error *err);

/* E = exp(A) (n x n), with 4 n^2 doubles of work. */
void zw_mode_exponential(int n, const double *A, double *E, double *work);

#endif
