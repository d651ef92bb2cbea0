/* SPDX-License-Identifier: MIT */
/* What the sources of the comparison share; zwang/claims.h defines it. */
#ifndef ZW_CLAIMS_PRINCIPLES_COMPARE_H
#define ZW_CLAIMS_PRINCIPLES_COMPARE_H

#include "zwang/claims.h"

/* One principle: its system, equations and kernel, in a separate context. */
typedef struct zw_compare_row {
    zw_compared report;
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq; /* without starts, observables and events */
    zw_kernel *kernel;
    zw_run *run;
    zw_flow *flow;        /* of the run */
    double *x, *z, *rate; /* at one state */
    double *K;            /* nz x nz, scratch */
    int *pivot;
    double *unit;    /* nv of the system, scratch */
    zw_expr *symbol; /* symbols that expressions of its system may contain, with values */
    double *value;
    int nsymbol;
    bool vakonomic;
} zw_compare_row;

/* The states, and the reference there. */
typedef struct zw_compare_states {
    int n, random;      /* the first `random` ones are random, the others lie on the run */
    double *t, *x;      /* n, n x nx */
    double *mu;         /* n x nconstraint: multipliers of the vakonomic principle */
    double *a, *lambda; /* n x nv, n x nc */
    double *force;      /* n x nv: (C lambda)_i/m_i; NULL if multipliers are unique */
    double *weight;     /* n x (nv + nc): m, w */
    double *accel_scale, *lambda_scale; /* n */
} zw_compare_states;

struct zw_comparison {
    zw_allocator alloc;
    zw_compare_options options;
    zw_run_options run;
    zw_system_maker make;
    void *user;
    const char *file; /* of the text, for messages; NULL if there is none */
    zw_context *ctx;
    zw_system *sys;
    double *p;        /* parameters */
    double *start;    /* x as given by the model */
    zw_said *said;    /* nx */
    double *width;    /* nq */
    double *start_mu; /* nconstraint */
    zw_compare_row *row;
    zw_compare_states states;
    zw_comparison_info info;
};

/* compare_row.c. Derives, lowers, compiles; that a principle does not apply is no failure. */
zw_status zw_compare_set_up(zw_comparison *c, zw_compare_row *row, zw_error *err);
void zw_compare_clear(zw_compare_row *row);
/* Values of the row's symbols at a state of the system (mu NULL: multipliers 0), and of an
 * expression. */
void zw_compare_set_point(zw_compare_row *row, double t, const double *x, const double *mu);
double zw_compare_value(const zw_compare_row *row, zw_expr e);
/* Sets row->x from a state of the system. */
void zw_compare_enter(zw_compare_row *row, double t, const double *x, const double *mu);
/* The accelerations a of the system (nv) at a state of it, then the multipliers. */
zw_status zw_compare_evaluate(zw_compare_row *row, double t, const double *x, const double *mu,
                              double *a, zw_error *err);
/* Those of the last evaluation; NULL if the principle has none. The rates of vakonomic multipliers
 * correspond to Lagrange's. */
const double *zw_compare_multipliers(const zw_compare_row *row);
/* The generalised forces (C lambda)_i/m_i of the constraints after an evaluation; mass: m (nv). */
void zw_compare_forces(const zw_compare_row *row, double t, const double *mass, double *out);
/* Is the linear system of the row far from singular at row->x? */
bool zw_compare_is_regular(zw_compare_row *row, double t);
/* Do the constraints determine the dependent velocities well there, if the row has such? After
 * zw_compare_is_regular; mass: weights of the velocities. */
bool zw_compare_has_regular_split(zw_compare_row *row, double t, const double *mass);

/* A failure if the user has stopped the work. */
zw_status zw_compare_check(const zw_comparison *c, zw_error *err);
double zw_compare_now(void); /* [s], of a monotonic clock */
/* Copies a stored error to the caller's; returns its status. */
zw_status zw_compare_pass_on(const zw_error *fault, zw_error *err);

/* compare_states.c. The random states and, if options.until > 0, those of the run. */
zw_status zw_compare_find_states(zw_comparison *c, zw_error *err);

/* compare_hertz.c. Fills info.hertz. */
zw_status zw_compare_least_curvature(zw_comparison *c, zw_error *err);

enum { ZW_COMPARE_RUN_STATES = 50 };

#endif
