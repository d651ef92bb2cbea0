/* SPDX-License-Identifier: MIT */
/* Trial functions of a period: y(tau) = sum over chosen harmonics h of a_h cos(h tau) + b_h sin(h
 * tau), at equidistant points tau_s = 2 pi s/S, or at any points with weights (zw_fourier_place).
 * Harmonic 0 is the mean alone. The same holds for several phases (torus.h): there h is the index
 * of a vector, and its frequency, in units of that of tau, is stored separately. */
#ifndef ZW_MOTION_HARMONIC_FOURIER_H
#define ZW_MOTION_HARMONIC_FOURIER_H

#include "torus.h"

typedef struct zw_fourier {
    int nharmonic, *harmonic; /* ascending; for several phases numbers of vectors, 0 first */
    double *rate; /* nharmonic: frequencies in units of that of tau; for one phase the harmonics */
    zw_torus *torus; /* for several phases; otherwise NULL */
    int span;        /* largest harmonic, as a number */
    int n;           /* number of coefficients: one for harmonic 0, two (cos, sin) for the others */
    int top;         /* highest harmonic */
    /* S, a multiple of 8, more than 4 top: products of three functions are exact */
    int samples;
    int capacity;          /* number of points that the tables have memory for */
    double *cosine, *sine; /* (2 top + 1) x S */
    /* S x n, rows padded to a multiple of four: weights of the sums of zw_fourier_project */
    double *weight;
    /* S x (2 top + 1), rows padded likewise: weights of the sums of zw_fourier_spectrum */
    double *all_cosine, *all_sine;
} zw_fourier;

/* False: out of memory. samples = 0: as few as possible. */
bool zw_fourier_make(zw_fourier *f, zw_arena *arena, int nharmonic, const int *harmonic,
                     int samples);
/* The same for several phases; vector: nharmonic x tones, from zw_torus_list. */
bool zw_fourier_make_torus(zw_fourier *f, zw_arena *arena, int tones, int nharmonic,
                           const int *vector, int samples);
/* Sets the frequencies W of the phases (tones): rates are in units of the first one. */
void zw_fourier_tune(zw_fourier *f, const double *W);
/* Places points at other phases, at most `capacity`; the sum of the weights is 2 pi. Points that
 * fill the last group of eight repeat the first one with weight zero. zw_fourier_values, _project
 * and _move use these points; zw_fourier_spectrum needs equidistant ones. */
void zw_fourier_place(zw_fourier *f, int points, const double *tau, const double *weight);
/* The index of the first coefficient of a chosen harmonic. */
static inline int zw_fourier_first(const zw_fourier *f, int chosen) {
    return 2 * chosen - (chosen > 0 && f->harmonic[0] == 0);
}
/* The function (order 0) or its derivatives with respect to tau at all points, from its
 * coefficients (n). */
void zw_fourier_values(const zw_fourier *f, const double *coefficient, int order, double *value);
/* The coefficients (n) of a function that is given at all points. */
void zw_fourier_project(const zw_fourier *f, const double *value, double *coefficient);
/* 2/S times the sums of value cos(h tau), value sin(h tau) for h = 0 .. 2 top; c and s have memory
 * for a multiple of four. */
void zw_fourier_spectrum(const zw_fourier *f, const double *value, double *c, double *s);
/* Arrays for the function and its time derivatives at points in groups of eight. The tables hold
 * cos(h tau), sin(h tau) of harmonic h from entry h points on; q, v and a of group g begin at g
 * times their stride. v and a may be NULL. */
typedef struct zw_fourier_places {
    int points;
    const double *cosine, *sine;
    double w;
    double *q, *v, *a;
    int q_stride, v_stride, a_stride;
} zw_fourier_places;
/* Evaluates one group: the tables begin at its first point, and their harmonics are `points`
 * entries apart. */
void zw_fourier_move_group(const zw_fourier *f, const double *coefficient, double w, int points,
                           const double *cosine, const double *sine, double *q, double *v,
                           double *a);
void zw_fourier_move(const zw_fourier *f, const double *coefficient, const zw_fourier_places *at);
/* The cosine or sine of coefficient c, or its derivative with respect to tau, at any tau; requires
 * one phase. */
double zw_fourier_base(const zw_fourier *f, int c, int order, double tau);
/* The function, or its derivative with respect to tau, at any tau. */
double zw_fourier_at(const zw_fourier *f, const double *coefficient, int order, double tau);

#endif
