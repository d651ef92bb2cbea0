/* SPDX-License-Identifier: MIT */
/* Implemented in src/num. */
/* A run: one integration of a kernel, its state and workspace. One per thread; the kernel is
 * shared.
 *
 * The state x = (q, v) obeys x' = (qdot, v') with v' and the multipliers from the linear system of
 * equations.h; position and velocity constraints and unit quaternions are kept by projection,
 * orthogonal in the metric of the mass matrix, after every step and at every output. */
#ifndef ZWANG_RUN_H
#define ZWANG_RUN_H

#include "flow.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_run zw_run;

/* How constraints are kept. */
typedef enum zw_keep {
    ZW_KEEP_CHOSEN,
    ZW_KEEP_PROJECTION, /* on them, after every step */
    ZW_KEEP_GGL,        /* the stabilised form of index 2, of the method ida */
    ZW_KEEP_PARTITION   /* the free part of the state is integrated */
} zw_keep;

/* Begin with zw_run_options_default(). The struct may grow at its end in later versions; `size`
 * lets a program that was compiled with another version go on. */
typedef struct zw_run_options {
    size_t size;        /* of this struct, for the library */
    double rtol;        /* relative tolerance, 1 */
    double atol;        /* absolute tolerance, SI unit of each state */
    double step_max;    /* largest step, s; 0: no limit */
    long steps_max;     /* most internal steps of one run */
    const char *method; /* its name (zw_run_method); NULL or "auto": chosen */
    double step;        /* of methods with a fixed step, s */
    zw_keep constraints;
    int order;                        /* of methods that come in several; 0: their own choice */
    const struct zw_method *supplied; /* a method from elsewhere (zw_method) instead of `method` */
} zw_run_options;

typedef struct zw_run_info {
    long steps, rhs_calls, jac_calls, error_fails, newton_fails, projections, repartitions;
    double position_residual, velocity_residual; /* largest seen at outputs, SI */
    double energy_start, energy_end;
    bool native;             /* ended on native code */
    const char *method;      /* "BDF (CVODE)" */
    const char *constraints; /* how they are kept; "" if there are none */
    const char *why;         /* the reason for both, where they were chosen; "" otherwise */
    long by_series; /* steps in which an event function was resolved by points (docs/events.md) */
    long
        undecided; /* parts of steps in which an event function may have zeros that were not seen */
} zw_run_info;

ZW_API void zw_run_options_init(zw_run_options *options, size_t size);
static inline zw_run_options zw_run_options_default(void) {
    zw_run_options o;
    zw_run_options_init(&o, sizeof o);
    return o;
}

/* Method `number` (1, 2, ...): its name and a line about it; false after the last one. */
ZW_API bool zw_run_method(int number, const char **name, const char **about);

/* A run of a one-lane kernel with parameter values p (np). options may be NULL. The kernel must
 * outlive the run; several runs, each in its thread, may share it. */
ZW_API zw_status zw_run_create(zw_run **out, const zw_kernel *kernel, const double *p,
                               const zw_run_options *options, zw_error *err);
ZW_API void zw_run_destroy(zw_run *run);
/* The flow that it stands on: its own, to be evaluated between advances. */
ZW_API zw_flow *zw_run_flow(zw_run *run);

/* The kernel belongs to its owner, who may be asked: after every step (wanted 0), whether compiling
 * pays by now; and for functions that a method needs and the kernel does not have. zw_kernel_serve
 * with the kernel as user does both, for a kernel that no other thread uses. Without an owner to
 * ask a method whose functions are missing is rejected, or not chosen. */
typedef zw_status (*zw_run_want)(void *user, zw_functions wanted, zw_error *err);
ZW_API void zw_run_on_want(zw_run *run, zw_run_want want, void *user);

/* Make x consistent: entries with fixed[i] true stay, the others change by the least amount (in the
 * mass metric) that satisfies phi, psi and unit quaternions. ZW_E_START, with the residuals and the
 * number of the worst constraint row in *worst (position rows first, then velocity rows; -1 if
 * none), if that is impossible. Velocities without inertia, and coordinates that follow from a
 * balance of forces on them, are completed too, unless a method other than ida is asked for. fixed
 * may be NULL (all free), worst may be NULL. */
ZW_API zw_status zw_run_consistent(zw_run *run, double t, double *x, const bool *fixed, int *worst,
                                   zw_error *err);
/* The start of a motion, from what is said of it. What is given stays. All other entries begin
 * where x has them (a guess, or 0) and change only if the constraints or the start rows of the
 * model force them to: the smallest number of them that can satisfy the rows which do not hold,
 * fewest guesses first, and of several such sets the one with the least change
 * (src/num/start/start_choice.c). zw_run_consistent, on the contrary, moves all that is not fixed
 * by the least amount. Positions are looked for from many places (src/num/start/assemble.c) and the
 * nearest found one is taken; angles stay within half a turn of where they began if they can. */
typedef struct zw_run_completion {
    size_t size; /* of this struct, the caller's */
    /* how many freedoms were left to a choice: 0 where the rules above determine all entries, more
     * where other sets of entries, or other values of the same ones, would have done as well */
    int freedom_position, freedom_velocity;
    int nother; /* other solutions that were found, where they can be counted */
    /* the caller's: room in `other` (other_most x nx, nearest first; may be NULL) */
    int other_most;
    double *other;
} zw_run_completion;
/* x (nx) is completed at time t; said: nx. width (nq; NULL: ones) tells the size of coordinates:
 * the lengths of the system, 1 for angles. out may be NULL. ZW_E_START if it is impossible:
 * zw_run_fault_state has the nearest place that was found. */
ZW_API zw_status zw_run_complete(zw_run *run, double t, double *x, const zw_said *said,
                                 const double *width, zw_run_completion *out, zw_error *err);

/* Set the state; x must be consistent (see above). */
ZW_API zw_status zw_run_start(zw_run *run, double t, const double *x, zw_error *err);
/* Advance to t_out. ZW_OK there; ZW_EVENT at an event before it (which one in *event; state is at
 * the event; call again to go on); negative: failed, the state is the last good one. */
ZW_API zw_status zw_run_advance(zw_run *run, double t_out, int *event, zw_error *err);

/* For motions that jump on their way: make x consistent as above, but without the starts of the
 * model; new values of the parameters (np), to be followed by a start. A zw_drive (drive.h) does
 * all of this by itself. */
ZW_API zw_status zw_run_project(zw_run *run, double t, double *x, const bool *fixed, zw_error *err);
ZW_API zw_status zw_run_set_parameters(zw_run *run, const double *p, zw_error *err);

/* Called for every warning (flow.h) on the way; NULL ends it. */
ZW_API void zw_run_on_warning(zw_run *run, zw_flow_warning doubt, void *user);

/* Called for every piece [t0, t1] of the motion as the run passes it: no piece spans two steps of
 * the method, together they cover the motion, and zw_run_dense gives any state within. For
 * quadratures along the motion. NULL ends it. */
typedef zw_status (*zw_run_piece)(void *user, zw_run *run, double t0, double t1, zw_error *err);
ZW_API void zw_run_on_piece(zw_run *run, zw_run_piece piece, void *user);
/* The state x (nx) at a time within the present piece, projected onto the constraints. */
ZW_API zw_status zw_run_dense(zw_run *run, double t, double *x, zw_error *err);

/* Why the last call failed (flow.h). */
ZW_API zw_fault zw_run_last_fault(const zw_run *run);
/* The state x at which a value was not finite or a matrix singular, which a method may have tried
 * without ever getting there, or the place nearest to a start that cannot be completed; NULL if the
 * fault is none of these kinds. */
ZW_API const double *zw_run_fault_state(const zw_run *run);

ZW_API double zw_run_time(const zw_run *run);
ZW_API const double *zw_run_state(const zw_run *run); /* x, nx */
ZW_API const double *zw_run_accel(const zw_run *run); /* z = (v', lambda), nz, at the state */
ZW_API const double *zw_run_observables(zw_run *run); /* nobs values, then T, V */
/* What it took so far: into a struct of this size, which may have grown since. */
ZW_API void zw_run_fill_statistics(const zw_run *run, zw_run_info *info, size_t size);
static inline zw_run_info zw_run_statistics(const zw_run *run) {
    zw_run_info info;
    zw_run_fill_statistics(run, &info, sizeof info);
    return info;
}

/* ------------------------------------------------------------------------------------------ */

/* An integration method, as a struct that anyone can supply (zw_run_options.supplied): the methods
 * of the library are such structs, and so are those of modules above it or of a program.
 *
 * A method moves the state of integration y from step to step. Everything else is done for it by
 * the run: when to step, outputs between steps, events, statistics of steps, projection of the
 * states that leave.
 *
 * A method for ordinary differential equations integrates y' = zw_method_rate(t, y) and calls
 * zw_method_settle after every accepted step; what y is and how the constraints are kept is the
 * formulation's business. A method with ZW_TRAIT_CONSTRAINTS keeps the constraints itself: then y
 * is x = (q, v).
 *
 * start: time and state to begin with are zw_method_time and zw_method_state, the sign of the steps
 * is zw_method_direction; the first step is not longer than zw_method_first_step, unless that is 0
 * or the step fixed. A step moves the state in place and calls zw_method_moved with its new time.
 * dense gives y at any time of the last step; land, where a method has it, the same with the full
 * accuracy of a step (a step of another length taken again from its beginning), for events.
 *
 * With ZW_TRAIT_JUMPS velocities may jump at the end of a step: the state is the one after the
 * jump, dense gives the motion before it up to its last moment. Events are then sought on either
 * side of the jump; one whose function changes its sign in the jump itself happens at that moment,
 * after it.
 *
 * polynomial, where dense is one in time, gives its coefficients over the last step: y = sum_l c_l
 * s^l for l = 0 .. degree, s = -1 at its beginning and 1 at its end, c_l in c[l size], degree at
 * most ZW_DEGREE_MAX. With them every zero of an event function is found (docs/events.md); without,
 * the functions are sampled.
 *
 * leave, where a method has it, makes of y at time t the state x (nx) and z = (v', lambda) (nz)
 * that leave the run; otherwise y is expanded, projected onto the constraints, and z are the
 * accelerations there. */

enum {
    ZW_TRAIT_FIXED_STEP = 1,   /* steps of options.step */
    ZW_TRAIT_CONSTRAINTS = 2,  /* keeps the constraints itself; y is x */
    ZW_TRAIT_MULTISTEP = 4,    /* projecting between its steps would spoil its history: it either
                                 projects by itself or keeps no constraints */
    ZW_TRAIT_CAN_FIX_STEP = 8, /* steps of options.step, if that is given */
    ZW_TRAIT_ORDERS = 16,      /* comes in several orders: options.order */
    ZW_TRAIT_JUMPS = 32,       /* velocities may jump at the end of a step */
    ZW_TRAIT_PLAIN_MEMORY = 64 /* all that it keeps is memory of zw_method_allocator */
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
    /* as start, where rates have changed but the state has not: the length of steps may stay. NULL:
     * start */
    zw_status (*turn)(zw_run *run, zw_error *err);
} zw_method;

/* What a method may ask of its run, besides zw_run_flow and zw_run_statistics. */
ZW_API const zw_method *zw_method_of(const zw_run *run);
ZW_API const zw_run_options *zw_method_options(const zw_run *run);
/* Where the method keeps the address of its own memory. */
ZW_API void **zw_method_own(zw_run *run);
/* The allocator of the run. The state of a method that takes all its memory from it
 * (ZW_TRAIT_PLAIN_MEMORY) can be saved and restored (drive.h); another one is started again where a
 * state is saved. */
ZW_API zw_allocator zw_method_allocator(const zw_run *run);
ZW_API int zw_method_size(const zw_run *run); /* entries of y */
ZW_API double *zw_method_state(zw_run *run);  /* y at the end of the last step */
ZW_API double zw_method_time(const zw_run *run);
ZW_API int zw_method_direction(const zw_run *run);
ZW_API double zw_method_first_step(const zw_run *run);
/* A step should end here and not beyond, where rates change; infinite: nowhere. One that goes
 * beyond is cut. */
ZW_API double zw_method_stop(const zw_run *run);
/* Until when nobody looks at the motion: several steps up to there may be one, counted as that
 * many. The time of the method itself: every step is looked at. */
ZW_API double zw_method_unwatched(const zw_run *run);
ZW_API void zw_method_several(zw_run *run, long steps);
ZW_API void zw_method_moved(zw_run *run, double now);
/* y' at (t, y), and d rate_i / d y_j into J[i + j size] (by columns). */
ZW_API zw_status zw_method_rate(zw_run *run, double t, const double *y, double *rate,
                                zw_error *err);
ZW_API zw_status zw_method_rate_jacobian(zw_run *run, double t, const double *y, double *J,
                                         zw_error *err);
/* Report a warning (flow.h) about the last step. */
ZW_API void zw_method_warning(zw_run *run, zw_warning_kind kind, int index, double t, double value);
/* After an accepted step: y back onto the constraints, where the formulation lets it drift off. */
ZW_API zw_status zw_method_settle(zw_run *run, double t, double *y, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
