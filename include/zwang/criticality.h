/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/equilibria. */
/* What grows out of a steady motion where a pair of its eigenvalues lies on the imaginary axis, by names: zwang/hopf.h with
 * the conserved quantities of the model, the statements that are not smooth there, and the words for all of it. */
#ifndef ZWANG_CRITICALITY_H
#define ZWANG_CRITICALITY_H

#include "equilibria.h"
#include "hopf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_criticality_options {
    size_t size; /* of this struct, for the library */
    int eigenvalue; /* of the linearisation, with positive imaginary part; -1: the nearest to the imaginary
                              axis */
    const char *
        amplitude; /* a coordinate, velocity or observable whose amplitude r is; NULL: the coordinate that
                              swings most */
} zw_criticality_options;
ZW_API void zw_criticality_options_init(zw_criticality_options *options, size_t size);
static inline zw_criticality_options zw_criticality_options_default(void) {
    zw_criticality_options o;
    zw_criticality_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_criticality {
    bool refused;       /* there is no such normal form; */
    char reason[640];   /* why, with the statement and its place */
    zw_hopf hopf;       /* if it is not refused */
    char quantity[120]; /* r is its amplitude; "" if nothing is at rest under the symmetries */
    char unit[40];
    char
        levels[240]; /* the conserved quantities on whose level all this is: "energy"; "" if none */
    double
        reach; /* amplitude r at which the motion meets something that is not smooth, infinite if nothing */
    char met[320]; /* what, with its statement and place */
    char passed
        [480]; /* what is not smooth at the motion itself, but does not act at this order; "" if nothing */
} zw_criticality;

/* At a steady motion of e and its linearisation, both those of zw_equilibria_find if NULL, with the parameter values of
 * the flow. A refusal is no failure: it has a reason. Failures are names that do not exist, and a lack of memory. */
ZW_API zw_status zw_criticality_find(zw_criticality *out, zw_equilibria *e, const zw_steady *at,
                                     const zw_linearisation *a,
                                     const zw_criticality_options *options, zw_error *err);
ZW_API void zw_criticality_clear(zw_criticality *c);
/* How many pairs of eigenvalues of the motion of zw_equilibria_find lie on the imaginary axis: with one of them a look at
 * cubic terms is worth while. */
ZW_API int zw_criticality_pairs(const zw_equilibria *e);

/* In one line: "supercritical, a = -1.080 1/(s rad^2), b = ...", or "not told: ...". */
ZW_API void zw_criticality_words(const zw_criticality *c, char *out, size_t size);
/* Some lines with an indent of two, and an object of JSON without a line end: new strings of the context
 * (zw_string_free), NULL if out of memory. */
ZW_API char *zw_criticality_text(const zw_criticality *c, const zw_equilibria *e);
ZW_API char *zw_criticality_json(const zw_criticality *c, const zw_equilibria *e);

#ifdef __cplusplus
}
#endif
#endif
