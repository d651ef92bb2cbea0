/* SPDX-License-Identifier: MIT */
/* Explicit first-order equations: the independent variables, with their rates as formulas.
 * Lagrange's equations with the constraints substituted (zw_equations_eliminate) give the dependent
 * velocities and the independent accelerations; a constraint on positions gives a coordinate in
 * which it is linear, or quadratic, with a constant factor. The remaining state is
 *
 *     z = (coordinates and states that are not replaced, independent velocities),
 *     z_i' = num_i(t, z)/den_i(t, z). */
#ifndef ZW_FORMULAS_REDUCTION_EXPLICIT_H
#define ZW_FORMULAS_REDUCTION_EXPLICIT_H

#include "base/arena.h"
#include "zwang/equations.h"

/* An entry of the state with its rate, num/den. */
typedef struct zw_rated {
    const char *name, *unit;
    zw_expr sym, num, den;
    int index;   /* in (q, v) of the equations */
    bool turned; /* a velocity component in axes that rotate with the coordinates left out */
} zw_rated;

/* A coordinate that was left out because of a symmetry, and its rate. */
typedef struct zw_left_out {
    /* Its rate in terms of the entries that are kept, where all coordinates left out have their
     * values `at`. */
    zw_rated entry;
    double at;
    int n;            /* > 0: the symmetry X also changes other entries: */
    const int *index; /* n: their indices in (q, v), */
    const zw_expr *X; /* n: their change per unit change of this coordinate */
} zw_left_out;

/* A coordinate that a quadratic constraint gives by a root: it is `above` the middle of the two
 * solutions, and keeps its side until `above` is 0. */
typedef struct zw_root {
    const char *name, *unit;
    zw_expr above;
} zw_root;

typedef struct zw_explicit {
    const zw_system *sys;
    zw_context *ctx;
    zw_equations eq;
    const double *p; /* np: values of the parameters; owned by the caller */
    int nentry;
    zw_rated *entry; /* the independent variables */
    int nreplaced;   /* variables that the constraints determine: */
    zw_expr *symbol; /* nreplaced: their symbols, */
    zw_expr *value;  /* formulas in terms of the entries, */
    int *where;      /* and indices in (q, v) */
    int nroot;
    zw_root *root;
    bool *kept; /* nv: velocities that should be kept rather than determined by constraints */
    int nleft;  /* coordinates that no rate depends on, by zw_explicit_drop_symmetric */
    struct zw_left_out *left;
    int nfixed;           /* coordinates that will be left out, */
    const zw_expr *fixed; /* nfixed: their symbols */
    /* nfixed: their values; substituted before the elimination, they make formulas shorter. */
    const zw_expr *at;
    bool rotations;   /* free rotations are allowed: their quaternions are entries */
    const bool *stay; /* nq: coordinates that are not left out; NULL: none */
    int nplace;       /* states at which no pivot shall vanish: the start and the steady motions, */
    double *place;    /* nplace x (nq + nv) */
    int nextra;       /* further symbols of the formulas, for the choice of pivots */
    const zw_expr *extra;
} zw_explicit;

/* Finds them. sys, ctx and p must be set; arrays are in the arena. ZW_E_MODEL: there is no such
 * form, err has the reason. */
zw_status zw_explicit_find(zw_explicit *x, zw_arena *arena, zw_error *err);
/* Leaves out the coordinates along which the equations are symmetric, see explicit_symmetry.c.
 * Symmetries are those for any values of the parameters, found numerically near the start. */
zw_status zw_explicit_drop_symmetric(zw_explicit *x, zw_arena *arena, zw_error *err);
/* Moves a state (q, v) along the symmetries to where all coordinates left out have their values
 * `at`. False: no finite value. */
bool zw_explicit_to_slice(const zw_explicit *x, zw_arena *arena, double t, double *state);
/* Converts rates of (q, v) at such a state to those of the reduced equations. */
bool zw_explicit_on_slice(const zw_explicit *x, zw_arena *arena, double t, const double *state,
                          double *rate);
/* Values of n formulas of t, (q, v) and parameters. */
bool zw_explicit_eval(const zw_explicit *x, zw_arena *arena, int n, const zw_expr *e, double t,
                      const double *state, double *out);
/* Do formulas contain conditions, abs, sign, min, max or tables? Without them they are analytic,
 * and what is true near some states is true everywhere. */
bool zw_explicit_has_kinks(const zw_explicit *x, zw_arena *arena, int n, const zw_expr *e);
bool zw_explicit_is_quaternion(const zw_explicit *x, int index);
/* A formula of (q, v) in terms of the entries. */
zw_expr zw_explicit_substitute(const zw_explicit *x, zw_expr e);
/* Reduced to lowest terms, if that does not take long. */
zw_expr zw_explicit_tidy(const zw_explicit *x, zw_expr e);
/* A x = b (n x n, n x k) by elimination; pivots are chosen at numerical values of the state and the
 * parameters. False: A is singular there. A is overwritten, x replaces b. */
bool zw_explicit_solve(const zw_explicit *x, zw_arena *arena, int n, int k, zw_expr *A, zw_expr *b);
/* Is this a name of the model? */
bool zw_explicit_taken(const zw_system *s, const char *name);
/* A name that is in use gets underscores until it is new. size: of the array. */
void zw_explicit_make_new(const zw_system *s, size_t size, char *name);
/* A name without primes, in the context: "x_dot" of "x'"; a name without primes is unchanged. */
const char *zw_explicit_plain_name(const zw_explicit *x, const char *name);

#endif
