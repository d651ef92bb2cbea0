/* SPDX-License-Identifier: MIT */
/* Smoothing of noisy samples, and their derivatives, with standard deviations.
 *
 * The spline. Samples y_i (ncomp values each) at times t_i with weights w_i = 1/sd_i^2 are
 * approximated by s = sum of c_j B_j, quintic B-splines on equidistant knots, which minimises
 *
 *   sum w_i (y_i - s(t_i))^2 + lambda int (s''')^2 dt                                      (1)
 *
 * (N + lambda P) c = B'W y, N = B'W B. All matrices have five diagonals on each side of the main
 * one, so that the cost is proportional to the number of knots. lambda minimises
 *
 *   generalised cross validation   (rss/n) / (1 - tr H/n)^2      if the noise is unknown,   (2)
 *   the estimated risk             rss/n + 2 tr H/n              if the weights are 1/sd^2, (3)
 *
 * H = B (N + lambda P)^-1 B'W, rss = sum w (y - s)^2. With (2) the noise is sigma^2 = rss/(n - tr
 * H), in units of the given sd. By (1) the spline is the mean of c given y if s''' is white noise
 * a priori, and V = sigma^2 (N + lambda P)^-1 is the covariance of c: b'V b is the variance of a
 * value or of a derivative (b: the basis there). Averaged over the samples it includes the error of
 * smoothing (Wahba 1983). Of V only the diagonals of N are needed (Takahashi's recursion).
 *
 * Times may form segments, which have only lambda and the noise in common.
 *
 * P. Craven, G. Wahba: Numer. Math. 31 (1979) 377-403; G. Wahba: J. R. Statist. Soc. B 45 (1983)
 * 133-150; P. H. C. Eilers, B. D. Marx: Statist. Sci. 11 (1996) 89-121; K. Takahashi, J. Fagan, M.
 * Chin: PICA 1973.
 *
 * The local polynomial. At t, a polynomial of given degree is fitted to the samples within a window
 * around t (Savitzky and Golay 1964; here at any times and with weights); its value and derivatives
 * at t have the covariance of least squares. */
#ifndef ZW_DATA_TRACKING_SMOOTH_H
#define ZW_DATA_TRACKING_SMOOTH_H

#include "base/arena.h"

enum { ZW_SMOOTH_BAND = 6, ZW_SMOOTH_FEWEST = 6 }; /* a segment has at least FEWEST samples */

typedef struct zw_smooth_segment {
    double from, to;      /* of its samples */
    int intervals, first; /* of its coefficients */
    long sample, samples; /* the first one, and their number */
} zw_smooth_segment;

typedef struct zw_smooth {
    zw_arena arena;
    int ncomp, n, nsegment; /* n: coefficients */
    long nsample;
    double step; /* of the knots */
    zw_smooth_segment *segment;
    const double *t, *y, *w;     /* owned by the caller, who may change w between fits */
    int *at;                     /* nsample: first coefficient; -1 if in no segment */
    double *basis;               /* nsample x 6 */
    double *N, *P, *L, *V;       /* n x 6: entry (i, i - 5 + k) */
    double *rhs, *c;             /* ncomp x n */
    double lambda;               /* relative to the mean of N */
    double trace, rss, variance; /* tr H; rss over all components; sigma^2 */
    long used;                   /* samples with weight */
} zw_smooth;

typedef enum zw_smooth_noise {
    ZW_SMOOTH_ESTIMATE, /* (2) */
    ZW_SMOOTH_STATED,   /* (3) */
    ZW_SMOOTH_KEEP      /* lambda is not changed; the noise is estimated */
} zw_smooth_noise;

/* A spline for ascending times t, cut where more than `gap` is between them, with knots every
 * `step`, limited by the number of samples. t, y (ncomp each) and w must outlive it; alloc may be
 * NULL. Segments with too few different times are left out (at = -1). */
zw_status zw_smooth_create(zw_smooth *s, long nsample, int ncomp, const double *t, const double *y,
                           const double *w, double step, double gap, const zw_allocator *alloc,
                           zw_error *err);
void zw_smooth_destroy(zw_smooth *s);
/* Fit. If the choice of lambda needs more than the knots permit, fewer knots are used. */
zw_status zw_smooth_fit(zw_smooth *s, zw_smooth_noise noise, zw_error *err);
/* Derivative `order` (0 to 3) at t and its standard deviation (of one component; either may be
 * NULL). False outside the segments. */
bool zw_smooth_at(const zw_smooth *s, double t, int order, double *value, double *sd);
/* h_i, the weight of sample i in its own fitted value. */
double zw_smooth_leverage(const zw_smooth *s, long i);
/* Solves (N + lambda P) x = b in place. */
void zw_smooth_solve(const zw_smooth *s, double *b);
/* The basis at t: six values of derivative `order`; returns its first coefficient, -1 outside. */
int zw_smooth_basis(const zw_smooth *s, double t, int order, double basis[ZW_SMOOTH_BAND]);

/* Value, first and second derivative at `at` of the polynomial of this degree (at most 5) through
 * the samples in at -+ half, with sd for weights 1/sd^2. False if there are not more than degree +
 * 1 samples, or if they do not span half of the window. */
bool zw_local_fit(long n, const double *t, const double *y, const double *w, double at, double half,
                  int degree, double value[3], double sd[3], double *leverage);

#endif
