/* SPDX-License-Identifier: MIT */
/* The equations of a system at all points of a period of trial functions (fourier.h), eight points
 * at a time.
 *
 * The functions y are the coordinates q, if their time derivatives are the velocities, and
 * otherwise q and v; then the multipliers. The rows are
 *
 *     q' - qdot(t, q, v)                     if the velocities are functions of their own,
 *     M v' - h - C lambda
 *     phi(t, q)                              of a constraint, on the lowest level that it has, so
 *     psi(t, q, v), or W v' - b              that no integral of it remains undetermined,
 *
 * as many as functions, each an expression of t, y, y', y''.
 *
 * Rows of phi and psi that none of these rows represents are levels: integrals of the velocity
 * constraints, which can replace none of them everywhere, and quantities that the motion conserves.
 * The rows above require that they are constant, not at which value. With a number e for
 * each of them, which must come out zero,
 *
 *     q' - qdot + e phi_q' = 0,    M v' - h - C lambda - e psi_v' = 0,    mean of phi, psi = 0. */
#ifndef ZW_MOTION_HARMONIC_PERIOD_H
#define ZW_MOTION_HARMONIC_PERIOD_H

#include "fourier.h"
#include "zwang/kernel.h"

typedef enum zw_period_kind { ZW_SERIES_ZERO, ZW_SERIES_CONSTANT, ZW_SERIES_VARIES } zw_period_kind;

/* The place of a derivative: entry `at` of `size` outputs of a function, by groups, with a sign;
 * base NULL: the derivative is the sign itself, or zero. Its kind follows from its structure. */
typedef struct zw_period_entry {
    const double *base;
    int size, at;
    double sign;
    zw_period_kind kind;
} zw_period_entry;

/* The derivatives of a row with respect to y_j, y_j', y_j''; at least one is not zero. */
typedef struct zw_period_pair {
    int row, function;
    bool varies;
    zw_period_entry entry[3];
} zw_period_pair;

typedef struct zw_period {
    const zw_kernel *kernel; /* kernel of 8 lanes */
    zw_fourier fourier;
    bool plain;            /* y = (q, lambda) */
    int n;                 /* number of functions, and of rows */
    int nlevel, *level;    /* nlevel: row of phi, or npos + that of psi */
    int *low;              /* nc: the row of phi, or npos + that of psi; -1: W v' - b */
    int size[ZW_FN_COUNT]; /* number of outputs of each kernel function */
    double w;              /* frequency of tau = w t [rad/s] */
    /* nharmonic, several phases: derivative of the logarithm of each frequency with respect to a;
     * NULL otherwise */
    double *slope;
    /* n x fourier.n: coefficients of the last functions; S: working memory */
    double *coefficient, *own;
    double *tau;     /* phases of the points, if they were placed; NULL: equidistant */
    double *winding; /* nq: winding numbers of rotating angles, added to their series; NULL: none */
    /* by groups of 8 points; rate: q' of the trial functions, if not plain */
    double *t, *x, *z, *rate;
    /* outputs of the kernel functions, by groups */
    double *mats, *jac, *pos, *vel, *grad, *time, *jac_p;
    double *parameter, *cache, *input, *work, *series; /* series: S */
    /* distance of the inputs of two groups, which differ if they contain phases; 0 otherwise */
    int input_stride;
    int npair;
    zw_period_pair *pair; /* all that are not structurally zero, row by row */
    /* columns of row i of M that are not structurally zero: mass[mass_first[i]] .. */
    int *mass_first, *mass;
} zw_period;

/* The functions that a kernel must have; zw_period_slope needs ZW_FN_JAC_P, too. */
#define ZW_PERIOD_FUNCTIONS                                                                        \
    (ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(POS) | ZW_SET(VEL) | ZW_SET(GRAD) | ZW_SET(TIME))

/* The kernel and the arena must outlive p. ZW_E_OPTION: the model has unit quaternions. */
zw_status zw_period_make(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int nharmonic,
                         const int *harmonic, int samples, zw_error *err);
/* The same for `tones` phases, which are the last inputs of the kernel; harmonic: nharmonic x
 * tones, as from zw_torus_list. */
zw_status zw_period_make_torus(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int tones,
                               int nharmonic, const int *harmonic, int samples, zw_error *err);
/* Sets the frequencies of the phases and their derivatives with respect to a (tones). */
void zw_period_tune(zw_period *p, const double *W, const double *slope);
/* For methods that do not support levels: an error if the model has any. */
zw_status zw_period_reject_levels(const zw_period *p, const char *what, zw_error *err);
/* Places points at other phases, see zw_fourier_place; tau must outlive p. */
void zw_period_place(zw_period *p, int points, double *tau, const double *weight);
/* The state (nx) and the accelerations (nv; may be NULL) at one phase, entry by entry in arrays of
 * eight lanes. */
void zw_period_state(const zw_period *p, const double *coefficient, double tau, double *x,
                     double *z);
/* Sets the values of all parameters (np) and the frequency of the trial functions. */
void zw_period_set(zw_period *p, const double *parameter, double w);
/* Takes the functions with these coefficients (n x fourier.n) and evaluates the equations. */
void zw_period_move(zw_period *p, const double *coefficient);
/* The rows at all points (n x S). */
void zw_period_rows(zw_period *p, double *row);
/* Momenta M v in the rows of the equations of motion, zeros in the others (n x S). */
void zw_period_momenta(zw_period *p, double *row);
/* Level i at all points (S); the factor of its e in the rows (n x S); its derivative with respect
 * to function j (S; false: it is zero). */
void zw_period_level(zw_period *p, int i, double *series);
void zw_period_level_force(zw_period *p, int i, double *row);
bool zw_period_level_in(const zw_period *p, int i, int function, double *series);
/* The derivative of level i with respect to a (S), after zw_period_slope. */
void zw_period_level_slope(const zw_period *p, int i, double w_slope, double *series);
/* Evaluates all derivatives of the rows; then returns one of them, with respect to y_j (order 0),
 * y_j' (1) or y_j'' (2), at all points (S). */
void zw_period_derive(zw_period *p);
zw_period_kind zw_period_series(const zw_period *p, int row, int function, int order,
                                double *series);
/* The same for an entry of a pair: the value of a constant one; a varying one at all points (S). */
double zw_period_value(const zw_period_entry *e);
void zw_period_gather(const zw_period *p, const zw_period_entry *e, double *series);
/* The derivative of all rows (n x S) with respect to the chosen parameter (jac_p) where w has
 * the slope w_slope, at fixed coefficients. The kernel needs ZW_FN_JAC_P if it has a chosen
 * parameter. */
void zw_period_slope(zw_period *p, double w_slope, double *row);

#endif
