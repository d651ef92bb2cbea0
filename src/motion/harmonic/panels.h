/* SPDX-License-Identifier: MIT */
/* Points and weights for integrals over a period of trial functions (period.h) whose forces have
 * kinks or jumps: the zeros of the switching functions along the trial motion divide the period
 * into panels, and every panel has Gauss points. */
#ifndef ZW_MOTION_HARMONIC_PANELS_H
#define ZW_MOTION_HARMONIC_PANELS_H

#include "period.h"

enum { ZW_PANEL_NODES = 48 }; /* largest number of Gauss points of a piece of a panel */

typedef struct zw_panel_kink {
    double tau;   /* phase of the zero [rad] */
    int function; /* the switching function */
    double rate;  /* its derivative with respect to tau */
    /* its derivatives with respect to the state are zw_panels.slope[slope .. slope + nx - 1] */
    int slope;
    /* the integrand may jump by the form of the function: max(0, x) written as if(x > 0, x, 0) may,
     * and does not */
    bool may_jump;
    double fall; /* jump of the integrand, set by the caller */
    /* the points just before and just after it, with weight 0, are sample and sample + 1 */
    int sample;
} zw_panel_kink;

typedef struct zw_panel_level {
    int function;
    double value; /* zeros of function - value are kinks */
} zw_panel_level;

typedef struct zw_panels {
    const zw_kernel *kernel; /* kernel of 8 lanes with modes */
    zw_arena *arena;
    int nlevel;
    zw_panel_level *level;
    /* number of equidistant phases at which the functions are evaluated first */
    int scan;
    double *sigma, *sigma_rate; /* scan x nlevel */
    /* one group of 8 points */
    double *t, *x, *z, *u, *cache, *parameter, *work, *value, *value_rate;
    int nkink, kink_capacity;
    zw_panel_kink *kink;
    /* kink_capacity x nx: derivatives of the switching functions at the kinks */
    double *slope;
    double *edge; /* kink_capacity + 1: ends of the panels */
    /* points, then weights, of the rule with n nodes; NULL: not needed yet */
    double *rule[ZW_PANEL_NODES + 1];
} zw_panels;

/* For a kernel of 8 lanes with modes, ZW_FN_SWITCHES and ZW_FN_SWITCH_RATE; the kernel and the
 * arena must outlive p. top: highest harmonic of the motions. */
zw_status zw_panels_make(zw_panels *p, zw_arena *arena, const zw_kernel *kernel, int top,
                         zw_error *err);
void zw_panels_set(zw_panels *p, const double *parameter);
/* Finds the kinks of a trial motion, in ascending order. */
zw_status zw_panels_locate(zw_panels *p, const zw_period *period, const double *coefficient);
/* The number of points for integrands with harmonics up to `top` between the kinks: `density` times
 * the number that is needed, at least `least`. And these points, with their weights. */
int zw_panels_count(zw_panels *p, int top, double density, int least);
zw_status zw_panels_fill(zw_panels *p, int top, double density, int least, double *tau,
                         double *weight);

#endif
