/* SPDX-License-Identifier: MIT */
/* Trial functions of several phases: y(theta) = sum over chosen vectors k of a_k cos(k theta) + b_k
 * sin(k theta), on a grid of equidistant phases. Along a motion the phases grow by W_j per second,
 * and harmonic k has the frequency k W. Only one of k and -k is used; the mean comes first.
 *
 * A vector has a number, sum k_j B^j with B so large that sums and differences of two chosen
 * vectors have different numbers: formulas with the numbers of harmonics (a + b, a - b) hold for
 * one phase and for several. */
#ifndef ZW_MOTION_HARMONIC_TORUS_H
#define ZW_MOTION_HARMONIC_TORUS_H

#include "base/arena.h"
#include "motion/harmonic/balance.h"

typedef struct zw_torus {
    int tones, nharmonic;
    int *vector;            /* nharmonic x tones */
    int top[ZW_PHASES_MAX]; /* the largest |k_j| */
    /* factor of k_j in the number: B^j, smaller where phases have fewer harmonics */
    int stride[ZW_PHASES_MAX];
    /* number of points in all, and along each phase; point i + grid[0] (j + ...) */
    int samples, grid[ZW_PHASES_MAX];
    double *cosine[ZW_PHASES_MAX], *sine[ZW_PHASES_MAX]; /* cos and sin of 2 pi i/grid */
    double *re[2], *im[2];                               /* samples: arrays of the transforms */
} zw_torus;

/* Makes a grid of more than 4 top_j points along phase j, a multiple of 8 in all, at least
 * `samples`. False: out of memory. */
bool zw_torus_make(zw_torus *t, zw_arena *arena, int tones, int nharmonic, const int *vector,
                   int samples);
int zw_torus_number(const zw_torus *t, const int *vector);
/* All vectors with |k_1| + |k_2| + ... <= top, one of k and -k, the shortest first, so that those
 * of a smaller top come before the others; odd: only those with odd sums. out: zw_torus_count x
 * tones. */
int zw_torus_count(int tones, int top, bool odd);
void zw_torus_list(int tones, int top, bool odd, int *out);
/* cos(m theta), sin(m theta) for m from 0 to n - 1. */
void zw_torus_multiples(double theta, int n, double *c, double *s);
/* The phases of point s. */
void zw_torus_point(const zw_torus *t, int s, double *theta);

/* At all points: the real part of the sum of (a - ib) (i rate)^order exp(i k theta); rate
 * (nharmonic) NULL: order 0. scale (nharmonic): a further factor of each harmonic; NULL: 1. */
void zw_torus_values(const zw_torus *t, const double *coefficient, int order, const double *rate,
                     const double *scale, double *value);
/* The coefficients of a function that is given at all points. */
void zw_torus_project(const zw_torus *t, const double *value, double *coefficient);
/* 2/S times the sums of value cos(k theta), value sin(k theta) for all |k_j| <= 2 top_j, indexed by
 * their numbers from 0 on. */
void zw_torus_spectrum(const zw_torus *t, const double *value, double *c, double *s);
/* The function at any phases; slope and hessian (tones, tones x tones): its derivatives with
 * respect to the phases; they may be NULL. */
double zw_torus_at(const zw_torus *t, const double *coefficient, const double *theta, double *slope,
                   double *hessian);

/* torus_peaks.c: points of a grid (point i + grid[0] (j + ...)) at which sign times a function with
 * these values is not exceeded by a neighbour along an axis; the highest first, at most
 * ZW_TORUS_PEAKS. Returns their number. */
enum { ZW_TORUS_PEAKS = 16 };
int zw_torus_peaks(int tones, const int *grid, const double *value, double sign,
                   int peak[ZW_TORUS_PEAKS]);
/* A function of the phases; slope and hessian: its derivatives as in zw_torus_at, or NULL. */
typedef zw_status zw_torus_function(void *user, const double *theta, double *value, double *slope,
                                    double *hessian, zw_error *err);
/* Its largest value (sign -1: its smallest one) uphill from a point of the grid, also for functions
 * that do not depend on some phases. */
zw_status zw_torus_climb(int tones, const int *grid, zw_torus_function *function, void *user,
                         double sign, int point, double *best, zw_error *err);
#endif
