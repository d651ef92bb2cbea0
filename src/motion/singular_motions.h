/* SPDX-License-Identifier: MIT */
/* Periodic motions that reach a singularity of their coordinates (num/flow/inertia.h): their
 * number, and a sentence about the first one; and motions along which the past of a delay is not
 * resolved. */
#ifndef ZW_MOTION_SINGULAR_MOTIONS_H
#define ZW_MOTION_SINGULAR_MOTIONS_H

#include "base/arena.h"
#include "zwang/doubt.h"
#include "zwang/equations.h"
#include "zwang/equilibria.h"
#include "zwang/flow.h"

typedef struct zw_singular {
    int n;
    double value;   /* of the parameter at the first one */
    char text[400]; /* a sentence about the first one; "" if none */
    int npast;      /* motions along which the past of a delay is not resolved */
    /* the worst of them: last coefficient of the past, relative to its range */
    double past;
    double past_value;     /* the parameter at the worst of them */
    const zw_delay *delay; /* the delay of the worst of them */
} zw_singular;

/* A motion over one period from t = 0, as a function of the fraction tau of the period, and a mesh
 * between whose nodes it changes little. */
typedef struct zw_singular_motion {
    const zw_equations *eq;
    zw_flow *flow; /* its parameters are set */
    double period; /* [s] */
    int n;
    const double *mesh; /* n + 1, from 0 to 1 */
    void (*state)(void *user, double tau, double *x);
    void *user;
} zw_singular_motion;

zw_status zw_singular_check(zw_singular *s, zw_arena *arena, const zw_singular_motion *m,
                            double value, zw_error *err);
/* Counts a motion with the sentence of a run about its singularity ("": it reaches none). */
void zw_singular_take(zw_singular *s, const char *text, double value);
/* The warning, of `motions` motions called "orbits", over a parameter or (over NULL) at
 * one value. */
void zw_singular_warning(const zw_singular *s, int motions, const char *called,
                         const zw_parameter_range *over, zw_warnings *out);

#endif
