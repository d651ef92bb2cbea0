/* SPDX-License-Identifier: MIT */
/* Explicit equations of first order: what moves by itself, with its rates as formulas. Lagrange's equations with the
 * constraints put in (zw_equations_eliminate) give the dependent velocities and the independent accelerations; a
 * constraint on positions gives a coordinate that it is linear in, with a factor that does not move. What is left is
 *
 *     z = (coordinates and states that are not replaced, independent velocities),    z_i' = num_i(t, z)/den_i(t, z). */
#ifndef ZW_STUDY_EXPLICIT_H
#define ZW_STUDY_EXPLICIT_H

#include "base/arena.h"
#include "zwang/equations.h"

/* An entry of the state with its rate, num/den. */
typedef struct zw_rated {
    const char *name, *unit;
    zw_expr sym, num, den;
    int index;   /* in (q, v) of the equations */
    bool turned; /* a velocity in axes that turn along with what was left out */
} zw_rated;

/* A coordinate that was left out because of a symmetry, and how it moves. */
typedef struct zw_left_out {
    zw_rated
        entry; /* its rate is a formula of what is kept, where all that was left out has its value `at` */
    double at;
    int n;            /* > 0: leaving it out turns other entries, by the symmetry X: */
    const int *index; /* n: their indices in (q, v), */
    const zw_expr *X; /* n: how they change where it changes by 1 */
} zw_left_out;

typedef struct zw_explicit {
    const zw_system *sys;
    zw_context *ctx;
    zw_equations eq;
    const double *p; /* np: values of the parameters; owned by the caller */
    int nentry;
    zw_rated *entry; /* all that moves by itself */
    int nreplaced;   /* what the constraints give: */
    zw_expr *symbol; /* nreplaced: its symbols, */
    zw_expr *value;  /* formulas of the entries, */
    int *where;      /* and indices in (q, v) */
    int nleft;       /* what no rate depends on, by zw_explicit_drop_symmetric */
    struct zw_left_out *left;
    int nfixed;           /* coordinates that are known to be left out, */
    const zw_expr *fixed; /* nfixed: their symbols */
    const zw_expr *at; /* nfixed: and values: put in before the elimination, formulas are shorter */
    bool rotations;    /* free rotations are allowed: their quaternions are entries */
    int nextra;        /* further symbols of the formulas, for the choice of pivots */
    const zw_expr *extra;
} zw_explicit;

/* Find them. sys, ctx and p must be set; arrays are in the arena. ZW_E_MODEL: there is no such form, err says why. */
zw_status zw_explicit_find(zw_explicit *x, zw_arena *arena, zw_error *err);
/* Leave out the coordinates along which the equations are symmetric, see explicit_symmetry.c. Symmetries are those of
 * the numbers p near the start. */
zw_status zw_explicit_drop_symmetric(zw_explicit *x, zw_arena *arena, zw_error *err);
/* A state (q, v) moved along the symmetries to where all that was left out has its value `at`. False: no number. */
bool zw_explicit_to_slice(const zw_explicit *x, zw_arena *arena, double t, double *state);
/* Rates of (q, v) at such a state as those of the reduced equations. */
bool zw_explicit_on_slice(const zw_explicit *x, zw_arena *arena, double t, const double *state,
                          double *rate);
/* Values of n formulas of t, (q, v) and parameters. */
bool zw_explicit_eval(const zw_explicit *x, zw_arena *arena, int n, const zw_expr *e, double t,
                      const double *state, double *out);
bool zw_explicit_is_quaternion(const zw_explicit *x, int index);
/* A formula of (q, v) as one of the entries. */
zw_expr zw_explicit_put_in(const zw_explicit *x, zw_expr e);
/* In lowest terms where that does not take long. */
zw_expr zw_explicit_tidy(const zw_explicit *x, zw_expr e);
/* A x = b (n x n, n x k) by elimination: symbols of the state and parameters have values in which pivots are judged.
 * False: A is singular there. A is used up, x takes the place of b. */
bool zw_explicit_solve(const zw_explicit *x, zw_arena *arena, int n, int k, zw_expr *A, zw_expr *b);
/* Is this a name of the model? */
bool zw_explicit_taken(const zw_explicit *x, const char *name);
/* A name without primes, in the context: "x_dot" of "x'"; a name that has none stays. */
const char *zw_explicit_plain_name(const zw_explicit *x, const char *name);

#endif
