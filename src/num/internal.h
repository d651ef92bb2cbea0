/* SPDX-License-Identifier: MIT */
/* The private types of a run, shared by the sources of this folder. All arrays are slices of one
 * block that zw_run_create allocates; stepping allocates nothing. */
#ifndef ZW_NUM_INTERNAL_H
#define ZW_NUM_INTERNAL_H

#include "num/events/event_cells.h"
#include "num/flow/flow.h"
#include "num/flow/inertia.h"
#include "zwang/run.h"

/* State of a switching function: without effect, or of time only; away from its zero; at zero and
 * leaving; sliding at zero; zero without slope. */
enum { ZW_NUM_IDLE, ZW_NUM_FREE, ZW_NUM_LEAVING, ZW_NUM_SLIDING, ZW_NUM_FLAT };

/* method.c. The method by name; NULL: there is none, or it is chosen. */
const zw_method *zw_num_method_named(const char *name);
/* Checks the options, before there is a state. */
zw_status zw_num_check_options(const zw_run *run, zw_error *err);
/* Sets the method and the formulation for the state run->t, run->x: those of the options, or
 * chosen, with the reason in run->info.why. */
zw_status zw_num_choose(zw_run *run, zw_error *err);
/* Between steps: replaces a chosen method that advises against itself. */
zw_status zw_num_reconsider(zw_run *run, zw_error *err);

typedef struct zw_num_partition zw_num_partition;

/* Does a fixed step resolve the motion? (fixed_step_check.c) */
typedef struct zw_num_pace {
    long steps, next; /* steps since the start; the next one to check */
    double warned;    /* largest entry at the first warning; 0: none */
    double *from;     /* nx: y before the step */
    double *reach;    /* nx: largest value of each entry so far */
    double *rate[2];  /* nx: at both ends of the step */
} zw_num_pace;

/* Is the energy constant where it should be? (energy_check.c): the last state that left the run,
 * and extremes */
typedef struct zw_num_conserve_state {
    double t, E, T_most, V_least, V_most;
    long steps;
    double E_start;
    long steps_start;
    double *x, *at; /* nx: that state, and a displaced one */
} zw_num_conserve_state;

/* Do the velocities determine the rates of the coordinates? (quasi_check.c) */
enum {
    ZW_NUM_QUASI_MOST = 40
}; /* velocities; for more, factorisations are by LAPACK, which numbers from one */
typedef struct zw_num_quasi_state {
    bool watched;
    int sign;            /* of the determinant */
    double *block;       /* nv x nv */
    double *rows;        /* nv x nv, for dependent_check.c */
    int *column, *pivot; /* nv */
} zw_num_quasi_state;

/* the data of delay.c for a delayed quantity */
typedef struct zw_num_past {
    double low, high; /* its range so far */
    double last;      /* largest last coefficient not checked yet */
    /* [s]; time of the next check; time after which a constant past has no effect */
    double from, until;
} zw_num_past;

struct zw_run {
    const zw_kernel *k;
    zw_flow *flow; /* rates, projections, faults at any state */
    zw_allocator alloc;
    size_t bytes; /* of the block */
    zw_run_options options;
    const zw_method *asked; /* options.method; NULL: chosen */

    /* the last state that left the run */
    double t;
    double *x;   /* nx */
    double *z;   /* nz */
    double *obs; /* nobs + 2 */
    bool started;
    zw_run_info info;
    long projections_before; /* projections of the flow before the start of the run */
    zw_error trouble;        /* the text of the fault met inside a step */

    /* run.c */
    double *candidate; /* nx: a state that enters or leaves the run */
    bool *fixed;       /* nx: given entries of it */

    /* the integration */
    const zw_method *method;
    void *stepper; /* state of the method */
    zw_keep formulation;
    zw_num_partition *partition; /* of that formulation, else NULL */
    bool fresh;                  /* the method must be started before the next step */
    int direction;               /* of time: 0 before the first step, then 1 or -1 */
    double before, now;          /* [s]; beginning and end of the valid part of the last step */
    /* [s]; end of the last step: now, unless it was cut (switching.c) */
    double reached;
    double first_step; /* [s]; limit of the first step after a start; 0: none */
    int ny;            /* entries of y: nx at most */
    double *y;         /* nx: at `now` */
    double *dense;     /* nx: between `before` and `now` */
    double passed;     /* [s]; on_piece has been called up to this time */
    bool pause;        /* advancing ends with this step */
    zw_run_piece on_piece;
    void *on_piece_user;
    zw_run_want on_want;
    void *on_want_user;
    const char *advice; /* hint of the method for the user; NULL: none */
    const char *stiff;  /* why the motion is stiff from its start; NULL: unknown */

    zw_num_pace pace;
    zw_num_conserve_state conserve;
    double target;        /* step_collapse.c: [s]; requested time, */
    double collapse_from; /* beginning of the counted steps */
    long collapse_steps;
    zw_num_quasi_state quasi;
    zw_num_inertia inertia;
    /* sign of the determinant in eliminated_check.c; 0: unknown, or not checked */
    int elimination;

    zw_num_past *past; /* ndelay */
    bool coarse;       /* pieces may span several steps */
    /* contact_validity.c */
    bool footing_known;  /* contacts have been checked since the start, */
    double footing_seen; /* [s]; last time of a check */
    int *footing_pulls;  /* nfooting: they pulled then */
    double *footing_now; /* nfooting: scratch for values */
    double *footing_was; /* nfooting: pressing forces then */
    double *trial;       /* nx: a second state like run->candidate, */
    double *trial_z;     /* nz: its z */

    /* singular.c */
    /* nx: the projected state of a stage; the state of a node */
    double *projected, *node;
    double *node_z, *smooth; /* nz, nv: accelerations at a node, and interpolated */
    bool passing;            /* the last rates are interpolated over a near singular position */
    /* [s]; time in which the clearance grew as required last; 0: unknown */
    double stride;

    /* switching.c: kernels with modes */
    double lead;   /* [s]; steps end here, set by the caller; infinite: nowhere */
    double limit;  /* [s]; last time needed; NaN if unknown */
    double stop;   /* [s]; and here, where the rates switch */
    bool cut;      /* the last step was cut where the rates switch */
    bool halts;    /* advancing ends there, so that the caller can decide, */
    double halted; /* [s]; last time at which it did; NaN: not since the start */
    int nfollowed; /* number of functions that do not depend on time only */
    /* function at whose zero the motion begins, and that leaves it on both pieces; -1: none */
    int branch;
    double open;         /* number of bands within which a function is at zero */
    double turned;       /* [s]; last time of a switch */
    double started_at;   /* [s]; start of the run */
    int short_intervals; /* number of consecutive changes at short intervals */
    int *phase, *phase_now, *due, *ended, *live, *was_live,
        *slid;                        /* nswitch: ZW_NUM_FREE, ...; flags */
    double *sigma, *sigma_rate;       /* nswitch */
    double *sigma_band, *sigma_noise; /* nswitch: accuracy by the tolerances, and by round-off */
    double *leave_by;    /* nswitch: value beyond which a function that switched is free again */
    double *switch_time; /* nswitch: [s]; zeros of functions of time only */
    double *mode_before; /* nmode */
    double *follow, *follow_band; /* nswitch: scratch */
    bool *idle, *unbounded;       /* nswitch: arguments of the search, */
    int *from_side;               /* nswitch: the same */
    zw_num_search *switch_search;
    zw_num_cells switch_cells;
    double *switch_state, *switch_x, *switch_reach; /* nx */

    /* events.c */
    double searched;       /* [s]; events are known up to here */
    double event_time;     /* [s]; next event; beyond `now` if the last step has no more */
    double *event_state;   /* nx: y there */
    zw_num_search *search; /* event_cells.c */
    zw_num_cells cells;    /* cells of the last step, from the beginning of its search */
    int cell;      /* the search continues in this one; 0: the step is not divided yet, or done */
    double *zero;  /* nevt: [s]; zeros of the functions that fire */
    int *fired;    /* nevt: events at event_time */
    int *jumped;   /* nevt: those that are jumps through zero, */
    int *escaped;  /* nevt: those that should have left zero to the other side */
    int *pending;  /* nevt: events at the state of the run, not yet reported */
    int *reported; /* nevt: events at the time reported_at */
    double reported_at; /* [s] */
    double *last_time;  /* nevt: [s]; last event of each since the start, NaN: none; */
    int *last_side;     /* the side to which it went, */
    double *last_level; /* and its level */
    /* nevt: largest distance from zero since the last crossing; -1: no crossing since the start */
    double *peak;
    /* nevt: periods of the functions, whose multiples count as zeros; 0: none */
    double *period;
    zw_event_side *watch;        /* nevt: states of the functions */
    zw_event_side *here;         /* nevt: states of the functions at the present state */
    zw_event_side *watch_before; /* nevt: states at the beginning of the cells */
    zw_event_side *given;        /* nevt: states at the start, set by zw_run_arm */
    bool jumps_count;            /* functions that have jumped since then fire too */
    double *band;                /* nevt: accuracy of the functions in the last step */
    double band_time;            /* [s]; time of band; NaN: none yet */
    double *after, *close;       /* nevt: values after a jump, and at the time of an event */

    /* event_values.c: scratch */
    double *present, *ahead, *behind, *one, *ahead_band, *second, *second_known; /* nevt */
    double *probe, *displaced, *rate, *behind_rate, *bend, *scale;               /* nx */
    double *slope;                                                               /* nevt x nx */
    int *way;                                                                    /* nevt */
};

/* formulation.c. The equations integrated by methods for ordinary differential equations: y' =
 * rate(t, y). */
zw_status zw_num_rate(zw_run *run, double t, const double *y, double *rate, zw_error *err);
/* d rate_i / d y_j into J[i + j ny] (by columns). */
zw_status zw_num_rate_jacobian(zw_run *run, double t, const double *y, double *J, zw_error *err);
/* After an accepted step: projects y onto the constraints, if the formulation lets it drift. */
zw_status zw_num_settle(zw_run *run, double t, double *y, zw_error *err);
/* From y to the state x and back (x consistent). */
zw_status zw_num_expand(zw_run *run, double t, const double *y, double *x, zw_error *err);
zw_status zw_num_reduce(zw_run *run, double t, const double *x, double *y, zw_error *err);
/* Before a step: if another y is better, *changed is true: y is a new one, the method must
 * restart. */
zw_status zw_num_refresh(zw_run *run, bool *changed, zw_error *err);
/* Does y drift off the constraints, so that zw_num_settle is needed? */
bool zw_num_drifts(const zw_run *run);

/* singular.c. The same as zw_num_rate, for all of x, near a singular position. */
zw_status zw_num_singular_rate(zw_run *run, double t, const double *y, double *rate, zw_error *err);

/* partition.c. y is the part of x that the constraints leave free. */
zw_status zw_num_partition_create(zw_run *run, zw_error *err);
void zw_num_partition_destroy(zw_run *run);
/* Chooses the part for the consistent state x; sets run->ny. */
void zw_num_partition_choose(zw_run *run, double t, const double *x);
/* A step begins at the consistent state x. */
zw_status zw_num_partition_begin(zw_run *run, double t, const double *x, zw_error *err);
bool zw_num_partition_is_poor(zw_run *run, double t, const double *x);
/* The entries of x that are in y; NULL if y is x. */
const bool *zw_num_partition_kept(const zw_run *run);
void zw_num_partition_pick(const zw_run *run, const double *x, double *y);
zw_status zw_num_partition_expand(zw_run *run, double t, const double *y, double *x, zw_error *err);
zw_status zw_num_partition_rate(zw_run *run, double t, const double *y, double *rate,
                                zw_error *err);
zw_status zw_num_partition_jacobian(zw_run *run, double t, const double *y, double *J,
                                    zw_error *err);

/* event_values.c. The event functions at a state y of the method, at any time of the last step, at
 * a state x with the accelerations z. */
zw_status zw_num_watch(zw_run *run, double t, const double *y, double *g, zw_error *err);
zw_status zw_num_watch_dense(zw_run *run, double t, double *g, zw_error *err);
zw_status zw_num_watch_state(zw_run *run, double t, const double *x, const double *z, double *g,
                             zw_error *err);
/* The accuracy of the functions, g at x, if the entries of x have these sizes (NULL: those of
 * x). */
void zw_num_watch_bands(zw_run *run, double t, const double *x, const double *g,
                        const double *scale, double *band);
/* The zero of function i that is nearest to the value g: 0, or a multiple of its period. */
double zw_num_nearest_zero(const zw_run *run, int i, double g);
/* The directions in which they move at x (zw_way); their values are in run->present. */
zw_status zw_num_event_directions(zw_run *run, double t, const double *x, int *way, zw_error *err);

/* events.c. Starts the events at run->now, run->y. */
zw_status zw_num_events_start(zw_run *run, zw_error *err);
/* Searches the next event in (searched, now]: run->event_time, event_state, fired. */
zw_status zw_num_events_search(zw_run *run, zw_error *err);
/* The events at event_time are those of the present state. */
void zw_num_events_report(zw_run *run);
/* run->band, at a time of the last step. */
zw_status zw_num_bands_at(zw_run *run, double t, zw_error *err);

/* energy_check.c. At the start of the run, and at every state that leaves it: if the energy is
 * constant in the model (k->conservative), has it changed by more than the tolerances explain? A
 * warning, or ZW_E_NUMERIC. */
void zw_num_conserve_start(zw_run *run);
/* delay.c. begin: sets the past of a start, constant where x is not fixed; true if that has changed
 * x. start, check: at a start and after every step, see delay.c. */
bool zw_num_delays_begin(zw_run *run, double t, double *x, const bool *fixed);
void zw_num_delays_start(zw_run *run, double t, const double *x);
void zw_num_delays_check(zw_run *run, double t, const double *x);
void zw_num_inertia_start(zw_run *run);
void zw_num_inertia_check(zw_run *run);
zw_status zw_num_conserve_check(zw_run *run, zw_error *err);
/* quasi_check.c. When the method starts, and after every step: has it passed a singularity of
 * quasi-velocities? ZW_E_SINGULAR. */
zw_status zw_num_quasi_start(zw_run *run, zw_error *err);
zw_status zw_num_quasi_check(zw_run *run, zw_error *err);
/* The sign of the determinant of A (n x n, row by row, overwritten), 0 if it is unknown. n <=
 * ZW_NUM_QUASI_MOST. */
int zw_num_sign_of_determinant(int n, double *A, int *pivot);
/* eliminated_check.c. When the method starts, and after every step: has it passed a state at which
 * the constraints do not determine the eliminated velocities? A warning. */
zw_status zw_num_elimination_start(zw_run *run, zw_error *err);
zw_status zw_num_elimination_check(zw_run *run, zw_error *err);
/* step_collapse.c. When the method starts, and after every step: have steps become so small that
 * the run does not end? */
void zw_num_collapse_start(zw_run *run);
zw_status zw_num_collapse_check(zw_run *run, zw_error *err);
/* fixed_step_check.c. Is the step fixed, so that it has to be checked? The checks at a start,
 * before and after every step. */
bool zw_num_has_fixed_pace(const zw_run *run);
void zw_num_pace_start(zw_run *run);
void zw_num_pace_before(zw_run *run);
zw_status zw_num_pace_after(zw_run *run, zw_error *err);

/* contact_validity.c. A contact that ends, because it becomes invalid or would pull; footing -1:
 * none. */
typedef struct zw_contact_validity_end {
    int footing;
    bool pulls;
    double t;     /* [s]; last time before that */
    double valid; /* value of its function `valid` where it is invalid */
} zw_contact_validity_end;
/* A contact that is invalid at (t, x), where t is in the last step. */
zw_contact_validity_end zw_num_contact_validity_lost(zw_run *run, double t, const double *x);
/* Checks the pressing forces from the last check to t, with the state in run->candidate and the z
 * of the flow. */
zw_contact_validity_end zw_num_contact_validity_check(zw_run *run, double t);
/* Both at the end of a step. */
zw_status zw_num_contact_validity_step(zw_run *run, zw_contact_validity_end *end, zw_error *err);
/* A step has failed: if the reason is that a contact becomes invalid, shorter steps lead up to
 * that. */
zw_contact_validity_end zw_num_contact_validity_approach(zw_run *run);
/* The error that ends the run. */
zw_status zw_num_contact_validity_fault(zw_run *run, zw_contact_validity_end end, zw_error *err);

/* The methods, one file each (or one per family). */
#define METHOD(name) extern const zw_method zw_num_##name;
#include "methods.def"
#undef METHOD

/* run.c. Functions of the kernel that are needed from now on: missing ones are requested from its
 * owner; ZW_E_MISSING, with their names, if it does not build them. */
zw_status zw_num_need(zw_run *run, zw_functions functions, const char *who, zw_error *err);

/* Does the method compute the states that leave the run? Not before its first step. */
bool zw_num_leaves_itself(const zw_run *run);

/* Has a kernel function failed since the last zw_num_forget? Then the reason is in run->trouble. */
void zw_num_forget(zw_run *run);
/* A method gave up at time t for the reason `what` ("the error test keeps failing"), unless a
 * kernel function failed last, which is reported instead. */
zw_status zw_num_give_up(zw_run *run, double t, const char *what, zw_error *err);

/* Passes an error inside a step to its caller; returns the status to return. */
zw_status zw_num_pass_on(const zw_error *trouble, zw_error *err);

#endif
