/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/equilibria. */
/* Rest with contact and friction. In the configuration of its start, completed by the constraints, a system stays at rest if
 * forces of its closed contacts exist with
 *
 *     0 = h + Psi' lambda + H' r,      r_N >= 0,      r_F in mu r_N C      (zwang/contact.h).
 *
 * Such configurations come in whole sets, and these are told: over a parameter ("rests for slope below atan(mu)"), or over a
 * coordinate, the others following the constraints and the contacts that are closed at the start. */
#ifndef ZWANG_STATICS_H
#define ZWANG_STATICS_H

#include "over.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a contact gives way. */
typedef enum zw_yield {
    ZW_YIELD_HOLDS,
    ZW_YIELD_SLIPS, /* of Contensou's law: slips and pivots */
    ZW_YIELD_PIVOTS,
    ZW_YIELD_ROLLS,
    ZW_YIELD_LIFTS,   /* its normal force becomes 0 */
    ZW_YIELD_OPENS,   /* it is not closed any more in the configuration */
    ZW_YIELD_OVERLAPS /* nor is there such a configuration */
} zw_yield;

/* At one configuration. Arrays are by the contacts of the system and belong to the statics. */
typedef struct zw_rest {
    bool rests;
    double
        factor; /* the least factor on all coefficients of friction with which it rests: at most 1 if it rests; infinite: no
                      friction holds it */
    double
        spare; /* N: by how much all inequalities are fulfilled at once; -infinite: nothing holds it */
    double doubt; /* N: of the spare */
    int hyperstatic; /* dimension of the forces that equilibrium leaves open; 0: they are the only ones */
    int unbalanced; /* a velocity of the system that no contact and no constraint holds; -1: none */
    const bool *closed;
    const zw_yield *
        yields; /* what gives way first if friction is made smaller by `factor`; at ends of intervals: there */
    const double *force; /* ncontact x ZW_CONTACT_ROWS_MAX: normal force and friction, row by row */
    const double *x;     /* nq + nv: the configuration */
} zw_rest;

/* An end of a set of values at which it rests. */
typedef struct zw_rest_end {
    double value; /* SI */
    double doubt; /* of the value: 0 if only rounding */
    bool limit;   /* it is the end of the range, and it rests there */
    char why[256];
} zw_rest_end;
typedef struct zw_rest_interval {
    zw_rest_end low, high;
} zw_rest_interval;

typedef struct zw_statics zw_statics;

/* over as in zwang/over.h, a parameter or a coordinate; NULL: at the start alone. Intervals narrower than the distance of its rows
 * (201) may be missed. ZW_E_MODEL: no contacts, supports that move, a start that moves or overlaps. */
ZW_API zw_status zw_statics_create(zw_statics **out, const zw_system *sys, const char *over,
                                   zw_error *err);
ZW_API void zw_statics_destroy(zw_statics *s);

/* At the start. */
ZW_API const zw_rest *zw_statics_rest(const zw_statics *s);
/* Over the range, from low to high. */
ZW_API int zw_statics_intervals(const zw_statics *s);
ZW_API const zw_rest_interval *zw_statics_interval(const zw_statics *s, int i);

/* For people, and as JSON: new strings of the context (zw_string_free), NULL if out of memory. */
ZW_API char *zw_statics_text(const zw_statics *s);
ZW_API char *zw_statics_json(const zw_statics *s);

#ifdef __cplusplus
}
#endif
#endif
