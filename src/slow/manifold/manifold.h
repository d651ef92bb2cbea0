/* SPDX-License-Identifier: MIT */
/* What the sources of slow manifolds share; zwang/manifold.h defines them. */
#ifndef ZW_SLOW_MANIFOLD_MANIFOLD_H
#define ZW_SLOW_MANIFOLD_MANIFOLD_H

#include "base/arena.h"
#include "formulas/reduction/explicit.h"
#include "zwang/manifold.h"

enum { ZW_MANIFOLD_FAST_MOST = 64 }; /* size of arrays on the stack */

struct zw_manifold {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    zw_manifold_options options;
    double *p;         /* np: values of the parameters */
    zw_explicit rates; /* of all independent variables */
    zw_rated *x, *y;   /* nx, ny: the slow and the fast ones */
    zw_expr *g, *den;  /* ny: eps den y' = g, without quotients where possible */
    zw_expr *f;        /* nx */
    zw_expr *h, *Dh;   /* (order + 1) x ny, (order + 1) x ny x nx */
    zw_expr *y_0, *G_y, *g_y;
    zw_manifold_result result;
    const zw_manifold_held *held; /* NULL if nothing is held */
};

#define ZW_MANIFOLD_NEW(m, type, n) ZW_NEW(&(m)->arena, type, (n) > 0 ? (n) : 1)

zw_status zw_manifold_memory(zw_error *err);

/* The state without the variables that constraints determine, and its rates, which must not depend
 * on time. */
zw_status zw_manifold_rates(zw_manifold *m, zw_error *err);
/* manifold_split.c: which variables are fast; f, g and den, regular at eps = 0. */
zw_status zw_manifold_split(zw_manifold *m, zw_error *err);
/* Replaces parameters that depend on eps by their expressions. */
zw_expr zw_manifold_unfold(const zw_manifold *m, zw_expr e);
/* Hint of a message: the nearest of the names, or all of them. */
void zw_manifold_hint_names(const char *name, int n, const char *const *names, zw_error *err);
/* manifold_expand.c. */
zw_status zw_manifold_expand(zw_manifold *m, zw_error *err);
/* manifold_numbers.c: y_0 (ny) at x (nx), by Newton's method from y_0; if h_0 is a formula, its
 * value. ZW_RETRY: it does not converge, or dg/dy is singular there. */
zw_status zw_manifold_critical(const zw_manifold *m, const double *x, double *y_0, zw_error *err);
/* Values of n expressions of x, y (or y_0, the values of the same symbols) and parameters, with
 * eps. */
void zw_manifold_values(const zw_manifold *m, int n, const zw_expr *e, const double *x,
                        const double *y, double eps, double *out);
/* manifold_box.c: the slow variables that matter and their ranges, in a box of the library. */
typedef struct zw_grid {
    int n;                  /* slow variables that anything depends on */
    int *of;                /* n: their numbers */
    double *low, *high;     /* n */
    int points;             /* in each direction */
    long size;              /* number of all points */
    double *x;              /* nx: at the start; variables that do not matter keep this value */
    double *y;              /* ny: a guess of the fast variables there */
    double *y_low, *y_high; /* ny: range in which folds are searched */
} zw_grid;
zw_status zw_manifold_grid(zw_manifold *m, const zw_manifold_box *box, int most, zw_grid *out,
                           zw_error *err);
/* The state (nx, ny) of the start of the model. */
zw_status zw_manifold_start(zw_manifold *m, double *x, double *y, zw_error *err);
/* h up to eps^order at x (nx): ny; y_0 (ny) is a guess and the point of the critical manifold. */
zw_status zw_manifold_at(const zw_manifold *m, int order, const double *x, double eps, double *y_0,
                         double *y, zw_error *err);
/* Real parts of the eigenvalues of dg/dy. */
typedef struct zw_fast_rates {
    double largest, smallest,
        nearest;  /* nearest: |Re| of the eigenvalue nearest to the imaginary axis */
    bool neutral; /* it is on the axis, up to round-off */
} zw_fast_rates;
bool zw_manifold_spectrum(zw_manifold *m, const double *g_y /* ny x ny */, zw_fast_rates *out);

/* manifold_follow.c: the rate at which a distance d decreases (n rows at times t), and the mean of
 * the rates r over the same time; unchanged if it does not decrease far enough. */
void zw_manifold_fit(int n, const double *t, const double *d, const double *r,
                     zw_manifold_approach *out);

#endif
