/* SPDX-License-Identifier: MIT */
/* What the sources of the study of linear equations share; zwang/linear.h states what it does. */
#ifndef ZW_LINEAR_STUDY_LINEAR_H
#define ZW_LINEAR_STUDY_LINEAR_H

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "motion/equilibria/equilibria.h"
#include "zwang/linear.h"

/* A delay whose nodes are states: it is of y + of_in u, a lag before. */
typedef struct zw_linear_delay {
    int nodes, *state; /* nodes: their numbers */
    double lag, *at;   /* nodes: parts of the lag */
    double *of;        /* states, then inputs */
} zw_linear_delay;

typedef struct zw_linear_control zw_linear_control; /* regulator.c */

/* Why there is no stationary covariance. */
typedef enum zw_no_covariance {
    ZW_COVARIANCE_THERE,
    ZW_COVARIANCE_NO_STATES,
    ZW_COVARIANCE_INPUTS,     /* a noise is not among them */
    ZW_COVARIANCE_UNSTABLE,   /* or neutral */
    ZW_COVARIANCE_MULTIPLIED, /* a noise multiplies the state */
    ZW_COVARIANCE_DELAYED,    /* white noise is delayed */
    ZW_COVARIANCE_LARGE       /* too many states */
} zw_no_covariance;

struct zw_linear_equations {
    zw_arena arena;
    const zw_equilibria *e; /* of the caller */
    bool *first_order;      /* nq: a coordinate that is a state of first order */
    int nin, nout, nleft;
    zw_measured *in, *out; /* nin, nout */
    /* nin, nin, nout, nout, states, states */
    const char **in_name, **in_unit, **out_name, **out_unit, **state_name, **state_unit;
    const char **left_out; /* nleft: observables that are no outputs */
    zw_states states;
    zw_inout inout;
    zw_second_order second;
    zw_spectrum spectrum;
    double *covariance; /* states x states, under the noise of the model; NULL if there is none */
    zw_no_covariance no_covariance;
    double past_lost; /* relative: what nodes miss of the standard deviation of what they delay */
    int past_lost_by; /* the delay with the most */
    int ndelay;
    zw_linear_delay *delay;     /* ndelay, if exact */
    zw_linear_control *control; /* NULL: nothing was asked for */
    bool exact;                 /* the delays can be replaced by their factors exp(-i omega tau) */
};

/* linear_delay.c. Finds the delays among the states. */
zw_status zw_linear_delays_find(zw_linear_equations *l, zw_error *err);
/* Is the response of an output that of the exact delays? Otherwise it is good up to the frequency
 * that the nodes resolve (infinite without delays). */
bool zw_linear_delays_exact(const zw_linear_equations *l, int put);
double zw_linear_resolved_to(const zw_linear_equations *l);
/* Gives the pasts of delays in a stationary covariance (states x states) the standard deviations of
 * what they delay; correlations stay. */
void zw_linear_delays_vary(zw_linear_equations *l, double *P);
/* Does a delay hold one of the inputs with a white noise? */
bool zw_linear_delays_noise(const zw_linear_equations *l);
/* As zw_response_at, with exact delays where that is possible. */
zw_status zw_linear_response_at(const zw_linear_equations *l, int in, int put, double omega,
                                double g[2], zw_error *err);

/* A matrix with names and units of its rows and columns. The unit of an entry is that of its row
 * divided by that of its column. */
typedef struct zw_linear_block {
    const char *key;    /* "A", "second_order_M" */
    const char *symbol; /* "A", "M" */
    int rows, columns;
    const double *value;
    const char *const *row, *const *row_unit, *const *column, *const *column_unit;
    const double *row_size, *column_size; /* typical sizes; NULL if unknown */
} zw_linear_block;
enum { ZW_LINEAR_CONTROL_BLOCKS = 3, ZW_LINEAR_BLOCKS = 10 + ZW_LINEAR_CONTROL_BLOCKS };
/* All matrices, in the arena; returns their number, -1 if out of memory. */
int zw_linear_blocks(const zw_linear_equations *l, zw_linear_block block[ZW_LINEAR_BLOCKS]);

/* regulator.c. The last of them, A_d, B_d, K as far as they are there; their number. */
int zw_linear_control_blocks(const zw_linear_equations *l, zw_linear_block *block);
/* "sampled" and "regulator" into the open object of the report. */
void zw_linear_report_control(const zw_linear_equations *l, zw_report *r);

/* linear_report.c. A matrix with its names under its key; frequency and damping of a pair, the
 * half-life or doubling time of a real eigenvalue. */
void zw_linear_report_block(const zw_linear_equations *l, const zw_linear_block *b, zw_report *r);
void zw_linear_report_rates(double re, double im, zw_report *r);

/* An entry for display: 0 where it is rounding relative to the others, in typical sizes of its row
 * and column. */
double zw_linear_clean(const zw_linear_block *b, int i, int j);

/* A unit divided by another: "kg*m^2", "mm/rad"; "" if it has none. */
void zw_linear_quotient(const char *above, const char *below, char out[ZW_DIM_TEXT]);
/* Is the motion at rest, not moving along a symmetry? (Inputs that are held count as free.) */
bool zw_linear_at_rest(const zw_linear_equations *l);
/* Has the model any units? If not, no unit is printed. */
bool zw_linear_has_units(const zw_linear_equations *l);

/* The entry of the state that moves most in eigenvalue j, in typical sizes, coordinates before
 * velocities: its eigenvector is scaled to 1 there. */
int zw_linear_leader(const zw_linear_equations *l, int j);
/* The number of the mode of eigenvalue j: a pair is one mode. */
int zw_linear_mode(const zw_linear_equations *l, int j);

#endif
