/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas. */
/* Linear equations about a steady motion in closed form, as expressions.
 *
 * The motion x_0 = (q, v) is given by expressions of parameters and of free symbols (zw_motion in
 * zwang/system.h). With z_0 = (v', lambda) from the equations of motion there, with the symmetries
 * X_i that move it, f = sum_i c_i X_i, and with the tangent vectors Y of the constraints g = 0,
 *
 *     Dg Y = 0,    Y = 1 in the chosen entries of x, Y = 0 in those that the symmetries pin,
 *     y' = A y,    A = ((Df - sum_i c_i DX_i) Y) in the chosen entries, without what goes along the symmetries,
 *
 * all as quotients of polynomials in lowest terms: holonomic and nonholonomic constraints, with the
 * terms of the multipliers. Where A has the form of second order,
 *
 *     M s'' + (D + G) s' + (K + N) s = 0,    M, D, K symmetric, G, N skew.
 *
 * Everything is compared with zw_linearise at the parameter values of the model and at random ones
 * before it is given away. */
#ifndef ZWANG_SYMBOLIC_H
#define ZWANG_SYMBOLIC_H

#include "equations.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_symbolic zw_symbolic;

typedef struct zw_symbolic_options {
    size_t size;             /* of this struct, for the library */
    const char *by;          /* the principle, "lagrange": one with the velocities of the system */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    const char *steady;      /* the name of the motion; NULL: the only one of the model */
    int nkeep;               /* entries of the state that A is to be about, by their names; */
    const char *const *keep; /* the others are chosen */
    int nnumber;             /* parameters that stand with their values, not as symbols */
    const char *const *number;
    const char *parameter; /* conditions are solved for this one; NULL: for none */
    int order;             /* of the Taylor expansion, 0: none */
    bool cycles; /* cycles that leave the motion at a Hopf point, with the expansion to order 3, */
    const char
        *cycle_of; /* by the amplitude of this entry; NULL: one of the part that oscillates */
    const char *cycle_type; /* their type is solved for this parameter; NULL: for none */
    uint64_t seed;          /* of the random parameter values */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_symbolic_options;
ZW_API void zw_symbolic_options_init(zw_symbolic_options *options, size_t size);
static inline zw_symbolic_options zw_symbolic_options_default(void) {
    zw_symbolic_options o;
    zw_symbolic_options_init(&o, sizeof o);
    return o;
}

/* What became of a formula. */
typedef enum zw_formula {
    ZW_FORMULA_THERE,
    ZW_FORMULA_LONG,   /* it would be too long to be read */
    ZW_FORMULA_NO_FORM /* there is none; zw_symbolic_result says why */
} zw_formula;

/* A condition value > 0 of Routh and Hurwitz, and where it vanishes. */
typedef struct zw_condition {
    const char *name; /* "a_1", "H_2", "discriminant" */
    /* a product of factors; those that are positive for positive parameters are left out. ZW_ONE:
     * it holds, ZW_MINUS_ONE: it fails for all of them */
    zw_expr value;
    int nroot;
    zw_expr root[8]; /* values of the chosen parameter at which it vanishes */
} zw_condition;

/* Does a part without damping drive another one? Where they have an eigenvalue in common its
 * oscillations grow with time. */
typedef enum zw_resonance {
    ZW_RESONANCE_NONE,
    ZW_RESONANCE_SPECIAL, /* at special values of the parameters */
    ZW_RESONANCE_ALWAYS   /* their polynomials have a factor in common */
} zw_resonance;

/* A part of A that is coupled in itself: its eigenvalues are eigenvalues of A, and all of these are
 * those of such parts. */
typedef struct zw_symbolic_block {
    int n;
    const int *member; /* n: of the kept entries */
    zw_formula polynomial;
    const zw_expr *
        a; /* n + 1: a[0] + a[1] s + ... is its characteristic polynomial, without common factors */
    int nzero;   /* powers of s that divide it: told, no part of the conditions */
    int nfactor; /* factors s^2 + w^2 that divide it, w the rate of a symmetry: likewise */
    const zw_expr *factor; /* nfactor: w */
    int degree;            /* of the rest */
    const zw_expr *rest;   /* degree + 1: what is left to the conditions */
    bool even; /* that holds even powers only: the conditions are those of imaginary roots */
    zw_formula conditions;
    int ncondition;
    const zw_condition *condition; /* all positive: all disturbances die out (even: none grows) */
    zw_resonance resonance;        /* with parts that drive it */
} zw_symbolic_block;

/* Cycles near a steady motion, of the amplitude C of an entry of the state and the frequency w: a
 * balance of harmonics that is exact up to C^2, with the linear terms as they are
 * (src/formulas/symbolic/symbolic_cycle.c). Near the Hopf point r' = sigma r + a r^3, and the
 * frequency is sqrt(square) + b r^2, r the same amplitude. */
typedef struct zw_symbolic_cycle {
    int entry;
    zw_expr amplitude;     /* C^2; ZW_NULL: all amplitudes at once, at the Hopf point */
    zw_expr square, shift; /* w^2 = square + shift C^2 */
    zw_expr hurwitz;       /* vanishes at the Hopf point */
    bool driven;           /* quadratic terms drive means or second harmonics */
    /* the value of the chosen parameter there; ZW_NULL: none. Below it is put in if there is one */
    zw_expr critical;
    zw_expr frequency;    /* w^2 there */
    zw_expr rise;         /* of C^2 with that parameter, there */
    zw_expr growth, bend; /* a, b/w there */
    zw_condition type;    /* positive: supercritical; its roots are in the parameter cycle_type */
} zw_symbolic_cycle;

typedef struct zw_symbolic_result {
    const char *motion; /* its name */
    bool proved;        /* that it is steady is proved; else it is so at random parameter values */
    bool defined;       /* parameters that are made of others had to be replaced by what they are */
    int nx;
    const zw_expr *x; /* nx: the motion, in the order of q and v of the equations */
    int nlambda;
    const zw_expr *lambda; /* nlambda: multipliers, in the order of the equations */
    int nrate;
    const zw_expr *rate; /* nrate: of the symmetries along the motion */
    int norbit;          /* directions of the symmetries */
    const int *pinned;   /* norbit: entries of x that they pin */
    int n;
    const int *kept;     /* n: entries of x that y is the disturbance of */
    const zw_expr *A;    /* n x n */
    const zw_expr *Y;    /* nx x n */
    zw_formula second;   /* the form of second order */
    const char *why_not; /* ZW_FORMULA_NO_FORM: the reason */
    int ns;
    const int *shape;                 /* ns: entries of x that are s */
    const zw_expr *M, *D, *G, *K, *N; /* ns x ns */
    /* velocities without positions act on them, and follow from them: w = R s + const. is put in */
    bool routh;
    zw_expr determinant; /* of A; 0: too long */
    int nblock;
    const zw_symbolic_block *block;
    int order; /* of the expansion, 0: none */
    int nseries;
    /* nseries: the rate of an entry, an entry of M or of the right side, as a symbol */
    const zw_expr *series_left;
    const zw_expr *series_right; /* nseries: a polynomial of the small quantities */
    int nsmall;
    const zw_expr *small; /* nsmall: their symbols, of the kept entries */
    int nacceleration;    /* those of M and h: M_ij acceleration_j = h_i */
    const zw_expr *acceleration;
    const zw_symbolic_cycle *cycle; /* NULL: not asked for */
    double error;                   /* largest difference from numbers, relative */
    int nchecked;                   /* sets of parameter values that were compared */
} zw_symbolic_result;

/* Derive, check that the motion is steady, linearise, compare with numbers. ZW_E_MODEL: it is not
 * steady, the message names the equation that is unmet; or a formula is too long. ZW_E_NUMERIC: the
 * comparison failed. */
ZW_API zw_status zw_symbolic_create(zw_symbolic **out, const zw_system *sys,
                                    const zw_symbolic_options *options, zw_error *err);
ZW_API void zw_symbolic_destroy(zw_symbolic *s);
ZW_API const zw_symbolic_result *zw_symbolic_get(const zw_symbolic *s);
ZW_API const zw_equations *zw_symbolic_equations(const zw_symbolic *s);
/* The name of entry i of the state. */
ZW_API const char *zw_symbolic_entry(const zw_symbolic *s, int i);

typedef enum zw_symbolic_format { ZW_SYMBOLIC_TEXT, ZW_SYMBOLIC_LATEX } zw_symbolic_format;
/* All of it in a new string of the context (zw_string_free); NULL if out of memory. */
ZW_API char *zw_symbolic_write(const zw_symbolic *s, zw_symbolic_format format);
/* The formulas as words, without sentences, into the open object of the report. */
ZW_API void zw_symbolic_report(const zw_symbolic *s, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* Slowly varying amplitudes in closed form: the equations M(Z) Z' + F(Z) = 0 of
 * motion/harmonic/balance.h for one harmonic,
 *
 *     q_i = q_i0 + q_ic cos(w t) + q_is sin(w t),
 *
 * as expressions, where the functions of the equations (sin, cos, roots, quotients) are replaced by
 * the first terms of their series. The means q_i0 are left out if the equations allow it: if they
 * stay zero whatever the other amplitudes are. Everything is compared with numbers
 * (motion/harmonic/balance.h) before it is given away. */

typedef struct zw_amplitudes zw_amplitudes;

typedef struct zw_amplitudes_options {
    size_t size;             /* of this struct, for the library */
    int terms;               /* of each series: 2 */
    bool odd;                /* no means, whatever the equations say */
    bool van_der_pol;        /* by his condition, see motion/harmonic/balance.h */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
} zw_amplitudes_options;
ZW_API void zw_amplitudes_options_init(zw_amplitudes_options *options, size_t size);
static inline zw_amplitudes_options zw_amplitudes_options_default(void) {
    zw_amplitudes_options o;
    zw_amplitudes_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_amplitudes_result {
    int n;
    const zw_expr *Z, *rate; /* n: symbols of the amplitudes and of their rates; */
    const int *coord,
        *part;            /* n: of which coordinate, and 0: mean, 1: cos, 2: sin. Rows likewise */
    zw_expr w;            /* the frequency */
    const zw_expr *M, *F; /* n x n, n */
    bool means;           /* there are means */
    bool forced_out;      /* they were left out although the equations drive them */
    double error;         /* largest difference from numbers, relative */
} zw_amplitudes_result;

/* ZW_E_MODEL, ZW_E_DOMAIN: it cannot be done, the message names what is in the way. ZW_E_NUMERIC:
 * the comparison failed. The system and its context must outlive it. */
ZW_API zw_status zw_amplitudes_create(zw_amplitudes **out, const zw_system *sys,
                                      const zw_amplitudes_options *options, zw_error *err);
ZW_API void zw_amplitudes_destroy(zw_amplitudes *a);
ZW_API const zw_amplitudes_result *zw_amplitudes_get(const zw_amplitudes *a);

typedef enum zw_amplitudes_format { ZW_AMPLITUDES_TEXT, ZW_AMPLITUDES_LATEX } zw_amplitudes_format;
/* All of it in a new string of the context (zw_string_free); NULL if out of memory. */
ZW_API char *zw_amplitudes_write(const zw_amplitudes *a, zw_amplitudes_format format);
/* The formulas as words, without sentences. */
ZW_API void zw_amplitudes_report(const zw_amplitudes *a, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* The reduced model: a constrained system as explicit first-order equations with as few states as
 * possible, and as the text of a model.
 *
 * Maggi's equations without the dependent velocities give the rates of the independent velocities
 * in closed form. A constraint on positions replaces a coordinate in which it is linear.
 * Coordinates along which the equations are symmetric are left out: an ignorable angle, the
 * position on a homogeneous plane, the attitude of a ball if no force depends on it. If a symmetry
 * also rotates velocities, as the heading of a wheel does, the reduced model has their components
 * in axes that rotate with it. The coordinates g that are left out follow from the states z that
 * are kept by quadrature:
 *
 *     z' = f(t, z),        g' = r(t, z).
 *
 * Conserved momenta may replace velocities as parameters. */

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

/* A conserved momentum, or another conserved quantity that is linear in the velocities, as a
 * parameter. */
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
    /* nreplaced: variables that the constraints determine, and their formulas in z and g */
    const zw_expr *symbol, *value;
    int nmomentum;
    const zw_reduced_momentum *momentum; /* nmomentum; their velocities are not part of z */
    /* the text has coordinates, a kinetic energy and a potential (Routh's function), not states */
    bool mechanical;
} zw_reduced;

/* Begin with zw_reduce_options_default(). */
typedef struct zw_reduce_options {
    size_t size; /* of this struct, for the library */
    /* Coordinates that are not left out, by name (of a free rotation the name of its body); "all":
     * none is. With them the observables and drawings that need them are part of the model. */
    int nkeep;
    const char *const *keep;
    /* In the text, coordinates whose rates are kept are coordinates of unit masses with their
     * accelerations as forces, not states: for studies of equations of second order. Its energy is
     * not that of the model. */
    bool coordinates;
    /* Conserved momenta that replace velocities as parameters, with their values at the start:
     * names of coordinates, "all" for all that are found, or "NAME=FORMULA", a conserved quantity
     * that is linear in the velocities. Holonomic systems are written with Routh's function. */
    int nmomenta;
    const char *const *momenta;
} zw_reduce_options;

ZW_API void zw_reduce_options_init(zw_reduce_options *options, size_t size);
static inline zw_reduce_options zw_reduce_options_default(void) {
    zw_reduce_options o;
    zw_reduce_options_init(&o, sizeof o);
    return o;
}

/* Reduce a finished system, with the constraints that are active at its start. Coordinates are left
 * out whatever the values of the parameters are. options may be NULL. ZW_E_MODEL: there are no
 * explicit equations; err says why. The system and its context must outlive it. */
ZW_API zw_status zw_reduce(zw_reduction **out, const zw_system *sys,
                           const zw_reduce_options *options, zw_error *err);
ZW_API void zw_reduction_destroy(zw_reduction *r);
ZW_API const zw_reduced *zw_reduction_get(const zw_reduction *r);

/* Compare the rates with those of the full system at `states` random states: the largest
 * difference, relative to the size of the rates. The rates are evaluated from the text of the
 * model. */
ZW_API zw_status zw_reduction_check(const zw_reduction *r, int states, double *difference,
                                    zw_error *err);

/* Both: ZW_E_NUMERIC if the rates differ by more than round-off. */
ZW_API zw_status zw_reduce_checked(zw_reduction **out, const zw_system *sys,
                                   const zw_reduce_options *options, int states, double *difference,
                                   zw_error *err);

/* The text of the model, with the parameters, start, steady motions, periodic coordinates,
 * observables and events that do not depend on what was left out. source: the file named in its
 * first comment; NULL: none. A new string of the context (zw_string_free); NULL: err says why. */
ZW_API char *zw_reduction_model(const zw_reduction *r, const char *source, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
