/* SPDX-License-Identifier: MIT */
/* The equations of a system at all points of a period of trial functions (fourier.h), eight points
 * at a time.
 *
 * The functions y are the coordinates q, if their rates are the velocities, and otherwise q and v;
 * then the multipliers. The rows are
 *
 *     q' - qdot(t, q, v)                     if the velocities are functions of their own,
 *     M v' - h - C lambda
 *     phi(t, q)                              of a constraint: on the lowest level that it has, so
 *                                            that none of its
 *     psi(t, q, v), or W v' - b              integrals is left open,
 *
 * as many as functions, each an expression of t, y, y', y''.
 *
 * Rows of phi and psi that no row above stands for are levels: what velocity constraints integrate
 * to, where none of them follows from it everywhere, and quantities that the motion keeps. The rows
 * above say that they are constant, not at which value. With a number e for each of them, which has
 * to come out zero,
 *
 *     q' - qdot + e phi_q' = 0,      M v' - h - C lambda - e psi_v' = 0,      mean of phi, psi = 0. */
#ifndef ZW_MOTION_HARMONIC_PERIOD_H
#define ZW_MOTION_HARMONIC_PERIOD_H

#include "fourier.h"
#include "zwang/kernel.h"

typedef enum zw_period_kind { ZW_SERIES_ZERO, ZW_SERIES_CONSTANT, ZW_SERIES_VARIES } zw_period_kind;

/* Where a derivative stands: among `size` outputs of a function, by groups, at `at`, with a sign;
 * base NULL: it is the sign itself, or zero. Its kind is what its form says. */
typedef struct zw_period_entry {
    const double *base;
    int size, at;
    double sign;
    zw_period_kind kind;
} zw_period_entry;

/* A row by y_j, y_j', y_j''; one of them is not zero. */
typedef struct zw_period_pair {
    int row, function;
    bool varies;
    zw_period_entry entry[3];
} zw_period_pair;

typedef struct zw_period {
    const zw_kernel *kernel; /* of 8 lanes */
    zw_fourier fourier;
    bool plain;            /* y = (q, lambda) */
    int n;                 /* functions, rows */
    int nlevel, *level;    /* row of phi, or npos + that of psi */
    int *low;              /* nc: the row of phi, or npos + that of psi; -1: W v' - b */
    int size[ZW_FN_COUNT]; /* outputs of the functions */
    double w;              /* rad/s: tau = w t */
    /* of several phases, nharmonic: the derivative of the logarithm of each frequency; or NULL */
    double *slope;
    double *coefficient, *own; /* n x fourier.n: the functions taken last; S, 3 S: room */
    double *tau;     /* the phases of the points, if they were placed; NULL: equidistant */
    double *winding; /* nq: turns of angles in a period, besides their series; NULL: none */
    double *t, *x, *z,
        *rate; /* by groups of 8 points; rate: q' of the trial functions, if not plain */
    double *mats, *jac, *pos, *vel, *grad, *time, *jac_p; /* the same */
    double *parameter, *cache, *input, *work, *series;    /* series: S */
    int input_stride; /* of a group: inputs differ where they are phases */
    int npair;
    zw_period_pair *pair; /* all that are not zero by their form, row by row */
    /* of row i of M the columns that are not zero by their form: mass[mass_first[i]] .. */
    int *mass_first, *mass;
} zw_period;

/* What a kernel must have: without and with the derivative in its chosen parameter. */
#define ZW_PERIOD_FUNCTIONS                                                                        \
    (ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(POS) | ZW_SET(VEL) | ZW_SET(GRAD) | ZW_SET(TIME))

/* The kernel and the arena must outlive it. ZW_E_OPTION: it has unit quaternions. */
zw_status zw_period_make(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int nharmonic,
                         const int *harmonic, int samples, zw_error *err);
/* Of `tones` phases, which are the last inputs of the kernel; harmonic: nharmonic x tones, as of
 * zw_torus_list. */
zw_status zw_period_make_torus(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int tones,
                               int nharmonic, const int *harmonic, int samples, zw_error *err);
/* Their frequencies and the derivatives of these in a (tones). */
void zw_period_tune(zw_period *p, const double *W, const double *slope);
/* Methods that do not hold levels: an error if the motions have some that no row stands for. */
zw_status zw_period_refuse_levels(const zw_period *p, const char *what, zw_error *err);
/* Points at other phases, see zw_fourier_place; tau must outlive them. */
void zw_period_place(zw_period *p, int points, double *tau, const double *weight);
/* The state (nx) and the accelerations (nv; NULL: not wanted) at one phase, entry by entry in
 * arrays of eight lanes. */
void zw_period_state(const zw_period *p, const double *coefficient, double tau, double *x,
                     double *z);
/* Values of all parameters (np), and the frequency of the trial functions. */
void zw_period_set(zw_period *p, const double *parameter, double w);
/* Take the functions with these coefficients (n x fourier.n), and evaluate the equations. */
void zw_period_move(zw_period *p, const double *coefficient);
/* The rows there (n x S). */
void zw_period_rows(zw_period *p, double *row);
/* Momenta M v in the rows of the equations of motion, zeros in the others (n x S). */
void zw_period_momenta(zw_period *p, double *row);
/* Level i at all points (S); what e of this level adds to the rows (n x S), and its derivative in
 * function j (S; false: it is zero). */
void zw_period_level(zw_period *p, int i, double *series);
void zw_period_level_force(zw_period *p, int i, double *row);
bool zw_period_level_in(const zw_period *p, int i, int function, double *series);
/* The derivative of level i as that of the rows by zw_period_slope, which goes before it (S). */
void zw_period_level_slope(const zw_period *p, int i, double w_slope, double *series);
/* Their derivatives, evaluated once, and told one by one: of a row in y_j (order 0), y_j' (1) or
 * y_j'' (2), at all points (S). */
void zw_period_derive(zw_period *p);
zw_period_kind zw_period_series(const zw_period *p, int row, int function, int order,
                                double *series);
/* The same by pairs: the value of a constant one, and one that varies, at all points (S). */
double zw_period_value(const zw_period_entry *e);
void zw_period_gather(const zw_period *p, const zw_period_entry *e, double *series);
/* The derivative of all rows (n x S) with the chosen parameter (jac_p) where w has the slope
 * w_slope, coefficients as they are. The kernel needs ZW_FN_JAC_P if it has a chosen parameter. */
void zw_period_slope(zw_period *p, double w_slope, double *row);

#endif
