/* SPDX-License-Identifier: MIT */
/* Implemented in src/num/methods. */
/* An integration method, as a struct that anyone can supply (zw_run_options.supplied): the methods of the
 * library are such structs, and so are those of modules above it or of a program.
 *
 * A method moves the state of integration y from step to step. Everything else is done for it by the run:
 * when to step, outputs between steps, events, statistics of steps, projection of the states that leave.
 *
 * A method for ordinary differential equations integrates y' = zw_method_rate(t, y) and calls zw_method_settle
 * after every accepted step; what y is and how the constraints are kept is the formulation's business. A
 * method with ZW_TRAIT_CONSTRAINTS keeps the constraints itself: then y is x = (q, v).
 *
 * start: time and state to begin with are zw_method_time and zw_method_state, the sign of the steps is
 * zw_method_direction; the first step is not longer than zw_method_first_step, unless that is 0 or the step
 * fixed. A step moves the state in place and calls zw_method_moved with its new time. dense gives y at any
 * time of the last step; land, where a method has it, the same with the full accuracy of a step (a step of
 * another length taken again from its beginning), for events.
 *
 * With ZW_TRAIT_JUMPS velocities may jump at the end of a step: the state is the one after the jump, dense
 * gives the motion before it up to its last moment. Events are then sought on either side of the jump; one
 * whose function changes its sign in the jump itself happens at that moment, after it.
 *
 * polynomial, where dense is one in time, gives its coefficients over the last step: y = sum_l c_l s^l for
 * l = 0 .. degree, s = -1 at its beginning and 1 at its end, c_l in c[l size], degree at most ZW_DEGREE_MAX. With
 * them every zero of an event function is found (docs/events.md); without, the functions are sampled.
 *
 * leave, where a method has it, makes of y at time t the state x (nx) and z = (v', lambda) (nz) that leave
 * the run; otherwise y is expanded, projected onto the constraints, and z are the accelerations there. */
#ifndef ZWANG_METHOD_H
#define ZWANG_METHOD_H

#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ZW_TRAIT_FIXED_STEP = 1,   /* steps of options.step */
    ZW_TRAIT_CONSTRAINTS = 2,  /* keeps the constraints itself; y is x */
    ZW_TRAIT_MULTISTEP = 4,    /* projecting between its steps would spoil its history: it either
                                 projects by itself or keeps no constraints */
    ZW_TRAIT_CAN_FIX_STEP = 8, /* steps of options.step, if that is given */
    ZW_TRAIT_ORDERS = 16,      /* comes in several orders: options.order */
    ZW_TRAIT_JUMPS = 32        /* velocities may jump at the end of a step */
};

enum { ZW_DEGREE_MAX = 15 };

typedef struct zw_method {
    const char *name;  /* on the command line */
    const char *title; /* in summaries: "BDF (CVODE)" */
    const char *about; /* one line for the help */
    unsigned traits;
    zw_functions needs;                              /* of the kernel, beyond ZW_FUNCTIONS_RUN */
    zw_status (*create)(zw_run *run, zw_error *err); /* makes what zw_method_own tells */
    void (*destroy)(zw_run *run);                   /* frees it; called after a failed create too */
    zw_status (*start)(zw_run *run, zw_error *err); /* also again, after a change of state */
    zw_status (*step)(zw_run *run, zw_error *err);
    zw_status (*dense)(zw_run *run, double t, double *y, zw_error *err);
    zw_status (*land)(zw_run *run, double t, double *y, zw_error *err); /* NULL: dense will do */
    zw_status (*leave)(zw_run *run, double t, const double *y, double *x, double *z,
                       zw_error *err);                        /* NULL: see above */
    void (*statistics)(const zw_run *run, zw_run_info *info); /* adds its counts since start */
    void *user;                                               /* of whoever supplied the struct */
    zw_status (*polynomial)(zw_run *run, int *degree, double *c,
                            zw_error *err); /* NULL: see above */
    /* as start, where rates have changed but the state has not: the length of steps may stay. NULL: start */
    zw_status (*turn)(zw_run *run, zw_error *err);
} zw_method;

/* What a method may ask of its run, beside zw_run_flow and zw_run_statistics. */
ZW_API const zw_method *zw_method_of(const zw_run *run);
ZW_API const zw_run_options *zw_method_options(const zw_run *run);
/* Where the method keeps the address of its own memory. */
ZW_API void **zw_method_own(zw_run *run);
ZW_API int zw_method_size(const zw_run *run); /* entries of y */
ZW_API double *zw_method_state(zw_run *run);  /* y at the end of the last step */
ZW_API double zw_method_time(const zw_run *run);
ZW_API int zw_method_direction(const zw_run *run);
ZW_API double zw_method_first_step(const zw_run *run);
/* A step should end here and not beyond, where rates change; infinite: nowhere. One that goes beyond is cut. */
ZW_API double zw_method_stop(const zw_run *run);
/* Until when nobody looks at the motion: several steps up to there may be one, told as that many. The time of the method
 * itself: every step is looked at. */
ZW_API double zw_method_unwatched(const zw_run *run);
ZW_API void zw_method_several(zw_run *run, long steps);
ZW_API void zw_method_moved(zw_run *run, double now);
/* y' at (t, y), and d rate_i / d y_j into J[i + j size] (by columns). */
ZW_API zw_status zw_method_rate(zw_run *run, double t, const double *y, double *rate,
                                zw_error *err);
ZW_API zw_status zw_method_rate_jacobian(zw_run *run, double t, const double *y, double *J,
                                         zw_error *err);
/* Tell a doubt (flow.h) about the last step. */
ZW_API void zw_method_doubt(zw_run *run, zw_doubt_kind kind, int index, double t, double value);
/* After an accepted step: y back onto the constraints, where the formulation lets it drift off. */
ZW_API zw_status zw_method_settle(zw_run *run, double t, double *y, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
