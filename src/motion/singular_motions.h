/* SPDX-License-Identifier: MIT */
/* Periodic motions that come to a singularity of their coordinates (num/inertia.h): how many, and
 * the first of them in words. Likewise those along which the past of a delay is not resolved. */
#ifndef ZW_MOTION_SINGULAR_MOTIONS_H
#define ZW_MOTION_SINGULAR_MOTIONS_H

#include "base/arena.h"
#include "zwang/doubt.h"
#include "zwang/equations.h"
#include "zwang/equilibria.h"
#include "zwang/flow.h"

typedef struct zw_singular {
    int n;
    double value; /* of the parameter at the first one */
    char text[400];
    int npast; /* motions with such a past, the worst of them: */
    double past, past_value;
    const zw_delay *delay;
} zw_singular;

/* A motion over one period from t = 0: its state at the fraction tau of it, and fractions between
 * which it changes little. */
typedef struct zw_singular_motion {
    const zw_equations *eq;
    zw_flow *flow; /* with its parameters */
    double period; /* [s] */
    int n;
    const double *mesh; /* n + 1: from 0 to 1 */
    void (*state)(void *user, double tau, double *x);
    void *user;
} zw_singular_motion;

zw_status zw_singular_check(zw_singular *s, zw_arena *arena, const zw_singular_motion *m,
                            double value, zw_error *err);
/* A motion that a run has met, in its words ("": it has not). */
void zw_singular_take(zw_singular *s, const char *text, double value);
/* Of so many motions ("orbits"), along a parameter or (over NULL) at one value. */
void zw_singular_warning(const zw_singular *s, int motions, const char *called,
                         const zw_parameter_range *over, zw_warnings *out);

#endif
