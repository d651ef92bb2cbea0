/* SPDX-License-Identifier: MIT */
/* Equilibria and steady motions of a model near its start, and their stability, by names: what zwang/steady.h and
 * zwang/linearise.h find by numbers. */
#ifndef ZWANG_EQUILIBRIA_H
#define ZWANG_EQUILIBRIA_H

#include "equations.h"
#include "linearise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_equilibria zw_equilibria;

typedef struct zw_equilibria_options {
    size_t size;             /* of this struct, for the library */
    const char *by;          /* the principle, "lagrange" */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    double t;                /* s */
    int nhold; /* coordinates and velocities that keep the values of the start, by their names */
    const char *const *hold;
    zw_functions functions; /* of the kernel, beyond those that are needed anyway */
    int nparameter;         /* of the derivatives in parameters, as of zw_kernel_options */
    const int *parameter;
} zw_equilibria_options;
ZW_API void zw_equilibria_options_init(zw_equilibria_options *options, size_t size);
static inline zw_equilibria_options zw_equilibria_options_default(void) {
    zw_equilibria_options o;
    zw_equilibria_options_init(&o, sizeof o);
    return o;
}

/* What a linear motion about it says. */
typedef enum zw_stability {
    ZW_STABLE,   /* all disturbances but those along orbits and families die out */
    ZW_UNSTABLE, /* one grows */
    ZW_CENTRE    /* none grows, some go on for ever: nonlinear terms decide */
} zw_stability;

/* Derive, complete the start, find the symmetries. ZW_E_NAME: there is nothing of the name that is to be held. The
 * system and its context must outlive it. options may be NULL. */
ZW_API zw_status zw_equilibria_create(zw_equilibria **out, const zw_system *sys,
                                      const zw_equilibria_options *options, zw_error *err);
ZW_API void zw_equilibria_destroy(zw_equilibria *e);
/* The steady motion near the start, and its linear equations. A failure names the equation that stays unmet. */
ZW_API zw_status zw_equilibria_find(zw_equilibria *e, zw_error *err);

ZW_API const zw_equations *zw_equilibria_equations(const zw_equilibria *e);
ZW_API const zw_symmetries *zw_equilibria_symmetries(const zw_equilibria *e);
ZW_API const zw_steady *zw_equilibria_motion(const zw_equilibria *e);
ZW_API const zw_linearisation *zw_equilibria_linear(const zw_equilibria *e);
/* What it stands on; a study of its own sets other parameters and puts the old ones back. */
ZW_API zw_flow *zw_equilibria_flow(const zw_equilibria *e);
/* Typical sizes of the entries of the state (nx). */
ZW_API const double *zw_equilibria_scale(const zw_equilibria *e);
ZW_API zw_stability zw_equilibria_stability(const zw_equilibria *e);
/* Is every coordinate at rest? */
ZW_API bool zw_equilibria_at_rest(const zw_equilibria *e);
/* The name of symmetry i, "alpha + turn(x, y)"; of -1: of the one that goes along with time. */
ZW_API void zw_equilibria_symmetry_name(const zw_equilibria *e, int i, char *out, size_t size);

/* What was found, as text for people or as JSON; a new string of the context (zw_string_free), NULL if out of memory. */
ZW_API char *zw_equilibria_text(const zw_equilibria *e);
ZW_API char *zw_equilibria_json(const zw_equilibria *e);

#ifdef __cplusplus
}
#endif
#endif
