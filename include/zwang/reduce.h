/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas/reduction. */
/* The reduced model: a constrained system as explicit first-order equations with as few states as possible, and as the
 * text of a model.
 *
 * Maggi's equations without the dependent velocities give the rates of the independent velocities in closed form. A
 * constraint on positions replaces a coordinate in which it is linear. Coordinates along which the equations are symmetric
 * are left out: an ignorable angle, the position on a homogeneous plane, the attitude of a ball if no force depends on it.
 * If a symmetry also rotates velocities, as the heading of a wheel does, the reduced model has their components in axes that
 * rotate with it. The coordinates g that are left out follow from the states z that are kept by quadrature:
 *
 *     z' = f(t, z),        g' = r(t, z).
 *
 * Conserved momenta may replace velocities as parameters. */
#ifndef ZWANG_REDUCE_H
#define ZWANG_REDUCE_H

#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_reduction zw_reduction;

/* An entry of a state. */
typedef struct zw_reduced_entry {
    const char *name, *unit; /* of the full model: "beta'" */
    const char *plain;       /* in the text of the reduced one: the same, or "x_dot", "ball_wx" */
    zw_expr sym;             /* of the full model */
    zw_expr rate;            /* of t, z and parameters */
    int index;               /* in (q, v) of the full model */
    double at;   /* if kept: value at the start; if left out: its value in the formulas */
    bool turned; /* a velocity component in axes that rotate with the coordinates left out */
} zw_reduced_entry;

/* A conserved momentum, or another conserved quantity that is linear in the velocities, as a parameter. */
typedef struct zw_reduced_momentum {
    const char *name, *unit; /* of the parameter: "p_phi" */
    const char *about;       /* "momentum of phi"; "momentum along alpha and gamma"; a formula */
    zw_expr sym;             /* the parameter */
    zw_expr value;    /* the conserved quantity as a function of t, z, velocities and parameters */
    double at;        /* its value at the start */
    int index;        /* in (q, v) of the full model: the velocity that it replaces */
    zw_expr velocity; /* this velocity as a function of t, z, parameters and momenta */
} zw_reduced_momentum;

typedef struct zw_reduced {
    int n, nleft, nreplaced;
    const zw_reduced_entry *entry; /* n: z */
    const zw_reduced_entry *left;  /* nleft: g; rates where all of g have their values `at` */
    const zw_expr *symbol,
        *value; /* nreplaced: variables that the constraints determine, and their formulas in z and g */
    int nmomentum;
    const zw_reduced_momentum *momentum; /* nmomentum; their velocities are not part of z */
    bool
        mechanical; /* the text has coordinates, a kinetic energy and a potential (Routh's function), not states */
} zw_reduced;

/* Begin with zw_reduce_options_default(). */
typedef struct zw_reduce_options {
    size_t size; /* of this struct, for the library */
    /* Coordinates that are not left out, by name (of a free rotation the name of its body); "all": none is. With them the
     * observables and drawings that need them are part of the model. */
    int nkeep;
    const char *const *keep;
    /* In the text, coordinates whose rates are kept are coordinates of unit masses with their accelerations as forces, not states:
     * for studies of equations of second order. Its energy is not that of the model. */
    bool coordinates;
    /* Conserved momenta that replace velocities as parameters, with their values at the start: names of coordinates, "all"
     * for all that are found, or "NAME=FORMULA", a conserved quantity that is linear in the velocities. Holonomic systems
     * are written with Routh's function. */
    int nmomenta;
    const char *const *momenta;
} zw_reduce_options;

ZW_API void zw_reduce_options_init(zw_reduce_options *options, size_t size);
static inline zw_reduce_options zw_reduce_options_default(void) {
    zw_reduce_options o;
    zw_reduce_options_init(&o, sizeof o);
    return o;
}

/* Reduce a finished system, with the constraints that are active at its start. Coordinates are left out
 * whatever the values of the parameters are. options may be NULL. ZW_E_MODEL: there are no explicit equations; err says why. The
 * system and its context must outlive it. */
ZW_API zw_status zw_reduce(zw_reduction **out, const zw_system *sys,
                           const zw_reduce_options *options, zw_error *err);
ZW_API void zw_reduction_destroy(zw_reduction *r);
ZW_API const zw_reduced *zw_reduction_get(const zw_reduction *r);

/* Compare the rates with those of the full system at `states` random states: the largest difference, relative to the
 * size of the rates. The rates are evaluated from the text of the model. */
ZW_API zw_status zw_reduction_check(const zw_reduction *r, int states, double *difference,
                                    zw_error *err);

/* The text of the model, with the parameters, start, steady motions, periodic coordinates, observables and events that
 * do not depend on what was left out. source: the file named in its first comment; NULL: none. A new string of the context
 * (zw_string_free); NULL: err says why. */
ZW_API char *zw_reduction_model(const zw_reduction *r, const char *source, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
