/* SPDX-License-Identifier: MIT */
/* All principles at the same states. Each is derived in a context of its own, so that none finds the
 * expressions of another ready made, and evaluated by its own kernel; what is compared are numbers:
 *
 *     m_i |v'_i - v'_i(reference)| / A,    w_k |lambda_k - lambda_k(reference)| / L
 *
 * with the weights m_i^2 = M_ii and w_k^2 = sum_i W_ki^2/M_ii, so that metres and radians can be compared,
 * and A and L the largest weighed magnitudes at the state, but not less than a hundredth of what single
 * terms of the equations give, for these may cancel. States where the equations of a principle are nearly
 * singular (its independent velocities do not determine the others) are left out and counted.
 * The reference is Lagrange's, or Gauss's if constraints depend on each other. */
#ifndef ZW_CLI_COMPARE_H
#define ZW_CLI_COMPARE_H

#include "cli.h"

enum { COMPARE_ROWS_MAX = 24 };

/* A largest difference, and at which state and entry it was seen. */
typedef struct compare_worst {
    double value; /* -1: nothing was compared */
    int state, entry;
} compare_worst;

/* One principle of the table. */
typedef struct compare_row {
    const zw_principle *principle;
    cli_model model;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    double *cache, *work, *out; /* of the kernel's functions */
    double *x, *z, *qdot;       /* at one state */
    double *K;                  /* nz x nz, scratch */
    int *pivot;
    zw_expr *symbol; /* what expressions of its system may hold, with values */
    double *value;
    int nsymbol;
    bool vakonomic;
    zw_error refusal; /* of the derivation, or of the first state it failed at */
    int failed;       /* number of states it failed at */
    int singular;     /* number of states left out: its equations are nearly singular there */
    long operations;
    int dynamic, constraints;                /* equations */
    double derive, lower, compile, evaluate; /* s; evaluate -1 if not measured */
    compare_worst accel, lambda;
} compare_row;

/* The states, and there the reference. */
typedef struct compare_states {
    int n, random;      /* the first `random` ones are random, the others lie on the run */
    double *t, *x;      /* n, n x nx */
    double *mu;         /* n x nconstraint: multipliers of the vakonomic principle */
    double *a, *lambda; /* n x nv, n x nc */
    double *weight;     /* n x (nv + nc): m, w */
    double *accel_scale, *lambda_scale; /* n */
} compare_states;

typedef struct compare_vakonomic {
    bool holonomic;    /* all active constraints are on position level */
    double with_start; /* difference at the random states with the multipliers of the start */
    double on_run;     /* along its own run from the start to `end`; -1: there is none */
    double end;        /* s */
} compare_vakonomic;

/* Hertz's least curvature, see compare_hertz.c */
typedef struct compare_hertz {
    bool applies, holds;
    int states;
    double slope;     /* largest relative first variation of the curvature */
    char reason[200]; /* why it does not apply */
} compare_hertz;

typedef struct comparison {
    const cli_options *o;
    const char *path;
    cli_model model;
    double *p;        /* parameters */
    double *start;    /* x as the model says it */
    bool *fixed;      /* nx */
    double *width;    /* nx: half-width of the box of random states */
    double *start_mu; /* nconstraint */
    int nrow, reference;
    compare_row row[COMPARE_ROWS_MAX];
    bool native;
    double end; /* of the run, s */
    compare_states states;
    compare_vakonomic vakonomic;
    compare_hertz hertz;
} comparison;

/* Read, derive, evaluate everything; a refusal of a principle is no failure. Destroy in any case. */
zw_status compare_create(comparison *c, const char *path, const cli_options *o, zw_error *err);
void compare_destroy(comparison *c);
/* The row with the worst difference of those that must agree, and whether it is one of multipliers;
 * NULL if nothing could be compared. */
const compare_row *compare_find_worst(const comparison *c, bool *of_lambda);
compare_row *compare_find_row(comparison *c, const char *principle); /* NULL if none */

/* Shared with compare_hertz.c. Values of the row's symbols at a state of the system: */
void compare_set_point(compare_row *row, double t, const double *x, const double *mu);
double compare_value(const compare_row *row, zw_expr e);
/* M, h, C, W, b at the state of the row, in row->out. */
void compare_matrices(compare_row *row, double t, const double *x);
/* splitmix64, uniform in [-1, 1] */
double compare_random(uint64_t *state);
/* Fills c->hertz. */
zw_status compare_least_curvature(comparison *c, zw_error *err);

#endif
