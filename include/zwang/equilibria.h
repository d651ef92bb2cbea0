/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/equilibria. */
/* Equilibria and steady motions of a model near its start, and their stability, by names: what zwang/steady.h and
 * zwang/linearise.h find by numbers. */
#ifndef ZWANG_EQUILIBRIA_H
#define ZWANG_EQUILIBRIA_H

#include "equations.h"
#include "model.h"
#include "search.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_equilibria zw_equilibria;

typedef struct zw_equilibria_options {
    size_t size;             /* of this struct, for the library */
    const char *by;          /* the principle, "lagrange" */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    double t;                /* s */
    int nhold; /* what keeps its value: coordinates, velocities, observables, any expressions of the language; with
                  "=VALUE" behind it this one, otherwise that of the start */
    const char *const *hold;
    zw_functions functions; /* of the kernel, beyond those that are needed anyway */
    int nparameter;         /* of the derivatives in parameters, as of zw_kernel_options */
    const int *parameter;
    int nsolve; /* parameters that are solved for, by their names: no more than what is held */
    const char *const *solve;
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
/* Is it an isolated minimum of the potential of a system with nothing but a potential? Then it is stable, though linear terms
 * do not say so (Dirichlet). */
ZW_API bool zw_equilibria_is_minimum(const zw_equilibria *e);
/* Is every coordinate at rest? */
ZW_API bool zw_equilibria_at_rest(const zw_equilibria *e);
/* The value of parameter i of the system at the motion: that of the model, or what was solved for. */
ZW_API double zw_equilibria_parameter(const zw_equilibria *e, int i);
/* Why the motion is not what the model means, a contact that pulls or has no meaning there; NULL if nothing speaks against
 * it. */
ZW_API const char *zw_equilibria_doubt(const zw_equilibria *e);
/* How the potential bends there; not known of what moves, of constraints on velocities, of states, of forces without a
 * potential. */
ZW_API zw_curvature zw_equilibria_curvature(const zw_equilibria *e);

/* ---- many starts ---- */

/* Where a coordinate or velocity starts, SI. */
typedef struct zw_equilibria_box {
    const char *name;
    double low, high;
} zw_equilibria_box;
typedef struct zw_equilibria_search_options {
    size_t size; /* of this struct, for the library */
    int nbox;
    const zw_equilibria_box *box;
    int starts; /* 64; */
    int most;   /* 1024: more of them, as zwang/search.h describes; below starts: none */
    /* Called now and then with the part that is done; true ends it with what is there. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_equilibria_search_options;
ZW_API void zw_equilibria_search_options_init(zw_equilibria_search_options *options, size_t size);
static inline zw_equilibria_search_options zw_equilibria_search_options_default(void) {
    zw_equilibria_search_options o;
    zw_equilibria_search_options_init(&o, sizeof o);
    return o;
}
/* "phi=-pi:pi", "x = 0.1:2 [m]", or "phi" alone: an angle, all of it. For the name in box, which belongs to the context. */
ZW_API zw_status zw_equilibria_read_box(const zw_equilibria *e, const char *text,
                                        zw_equilibria_box *box, zw_error *err);
/* All that the starts lead to, each once (zwang/search.h). ZW_E_NUMERIC if that is nothing. */
ZW_API zw_status zw_equilibria_search(zw_equilibria *e, const zw_equilibria_search_options *options,
                                      zw_error *err);
/* What the last search found; n is 0 before. */
ZW_API const zw_search *zw_equilibria_found(const zw_equilibria *e);
/* Make entry i of it the motion that all functions of this header speak of. A failure says why it has no linear
 * equations; the motion is there all the same. */
ZW_API zw_status zw_equilibria_select(zw_equilibria *e, int i, zw_error *err);
/* All of them as text and as JSON (new strings of the context), and as a table with one row each: solution, the entries of
 * the state, rates of symmetries, multipliers, down (directions in which the potential falls, NaN if unknown), family,
 * starts, stable (1 where nothing grows, 0). Each of them in turn becomes the motion. */
ZW_API zw_status zw_equilibria_found_text(zw_equilibria *e, char **out, zw_error *err);
ZW_API zw_status zw_equilibria_found_json(zw_equilibria *e, char **out, zw_error *err);
ZW_API zw_status zw_equilibria_found_table(zw_equilibria *e, const zw_model_source *source,
                                           zw_table **out, zw_error *err);

/* The name of symmetry i, "alpha + turn(x, y)"; of -1: of the one that goes along with time. */
ZW_API void zw_equilibria_symmetry_name(const zw_equilibria *e, int i, char *out, size_t size);

/* What was found, as text for people or as JSON; a new string of the context (zw_string_free), NULL if out of memory. */
ZW_API char *zw_equilibria_text(const zw_equilibria *e);
ZW_API char *zw_equilibria_json(const zw_equilibria *e);

#ifdef __cplusplus
}
#endif
#endif
