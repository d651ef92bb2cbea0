/* SPDX-License-Identifier: MIT */
/* Points and weights for integrals over a period of trial functions (period.h) whose forces have
 * kinks or jumps: the zeros of the switching functions along the trial motion divide the period
 * into panels, and every panel has Gauss points. */
#ifndef ZW_MOTION_HARMONIC_PANELS_H
#define ZW_MOTION_HARMONIC_PANELS_H

#include "period.h"

enum { ZW_PANEL_NODES = 48 }; /* of a panel, at most */

typedef struct zw_panel_kink {
    double tau;    /* phase of the zero */
    int function;  /* the switching function */
    double rate;   /* its derivative in tau there */
    int slope;     /* its derivatives in the state are zw_panels.slope[slope .. slope + nx - 1] */
    bool may_jump; /* by its form: max(0, x) written as if(x > 0, x, 0) may, and does not */
    double fall;   /* jump of the integrand there, set by the caller */
    int sample;    /* the points just before and just after it, with weight 0, are sample and
                     sample + 1 */
} zw_panel_kink;

typedef struct zw_panel_level {
    int function;
    double value; /* zeros of function - value are kinks */
} zw_panel_level;

typedef struct zw_panels {
    const zw_kernel *kernel; /* of 8 lanes with modes */
    zw_arena *arena;
    int nlevel;
    zw_panel_level *level;
    int scan;                   /* phases at which the functions are evaluated first */
    double *sigma, *sigma_rate; /* scan x nlevel */
    double *t, *x, *z, *u, *cache, *parameter, *work, *value, *value_rate; /* one group of 8 */
    int nkink, kink_room;
    zw_panel_kink *kink;
    double *slope;                    /* kink_room x nx */
    double *edge;                     /* kink_room + 1 */
    double *rule[ZW_PANEL_NODES + 1]; /* points, then weights, of n nodes; NULL: not needed yet */
} zw_panels;

/* Of a kernel of 8 lanes with modes, ZW_FN_SWITCHES and ZW_FN_SWITCH_RATE; it and the arena must
 * outlive it. */
zw_status zw_panels_make(zw_panels *p, zw_arena *arena, const zw_kernel *kernel, int top,
                         zw_error *err);
void zw_panels_set(zw_panels *p, const double *parameter);
/* The kinks of a trial motion, in ascending order. */
zw_status zw_panels_locate(zw_panels *p, const zw_period *period, const double *coefficient);
/* The number of points for integrands with harmonics up to `reach` between the kinks, `density`
 * times as many as are needed, at least `least`; and these points, into arrays. */
int zw_panels_count(zw_panels *p, int reach, double density, int least);
zw_status zw_panels_fill(zw_panels *p, int reach, double density, int least, double *tau,
                         double *weight);

#endif
