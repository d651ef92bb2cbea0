/* SPDX-License-Identifier: MIT */
/* The inside of a run, shared by the files of this folder. All arrays are slices of one block that
 * zw_run_create allocates; stepping allocates nothing. */
#ifndef ZW_NUM_INTERNAL_H
#define ZW_NUM_INTERNAL_H

#include "base/ledger.h"
#include "num/events/event_cells.h"
#include "num/flow/flow.h"
#include "num/flow/inertia.h"
#include "num/run_jumps.h"
#include "zwang/run.h"

/* Where a switching function is: it decides on nothing or holds time alone; beyond its zero; it has
 * been there and leaves; it stays there. */
enum { ZW_NUM_IDLE, ZW_NUM_FREE, ZW_NUM_LEAVING, ZW_NUM_SLIDING, ZW_NUM_FLAT };

/* method.c. The table by name; NULL: there is none, or it is to be chosen. */
const zw_method *zw_num_method_named(const char *name);
/* Do the options ask for something that cannot be? Asked before there is a state. */
zw_status zw_num_check_options(const zw_run *run, zw_error *err);
/* The method and the formulation for the state run->t, run->x: as the options say, or chosen, with
 * the reason in run->info.why. */
zw_status zw_num_choose(zw_run *run, zw_error *err);
/* Between steps: a method that was chosen and gives advice against itself is replaced. */
zw_status zw_num_reconsider(zw_run *run, zw_error *err);

typedef struct zw_num_partition zw_num_partition;

/* Does a fixed step resolve the motion? (fixed_step_check.c) */
typedef struct zw_num_pace {
    long steps, next; /* since the start; the one to look at next */
    double doubted;   /* largest entry when that was in doubt first; 0: never */
    double *from;     /* nx: y before the step */
    double *reach;    /* nx: largest value of each entry so far */
    double *rate[2];  /* nx: at both ends of the step */
} zw_num_pace;

/* Is the energy constant where it should be? (energy_check.c): the state that left the run last,
 * and extremes */
typedef struct zw_num_conserve_state {
    double t, E, T_most, V_least, V_most;
    long steps;
    double E_start;
    long steps_start;
    double *x, *at; /* nx: there, and a state beside it */
} zw_num_conserve_state;

/* Do the velocities determine the rates of the coordinates? (quasi_check.c) */
enum {
    ZW_NUM_QUASI_MOST = 40
}; /* velocities, beyond which factorisations are LAPACK's, which counts from one */
typedef struct zw_num_quasi_state {
    bool watched;
    int sign;            /* of the determinant */
    double *block;       /* nv x nv */
    double *rows;        /* nv x nv, for dependent_check.c */
    int *column, *pivot; /* nv */
} zw_num_quasi_state;

/* what delay.c knows of a delayed quantity */
typedef struct zw_num_past {
    double low, high;   /* its range so far */
    double last;        /* largest last coefficient that has not been looked at */
    double from, until; /* [s] looked at next; a past that was constant does not matter any more */
} zw_num_past;

struct zw_run {
    const zw_kernel *k;
    zw_flow *flow;      /* rates, projections, faults at any state */
    zw_ledger *ledger;  /* knows the blocks of the run, its flow and its method */
    zw_allocator alloc; /* of the ledger */
    size_t bytes;       /* of the block */
    zw_run_options options;
    const zw_method *asked; /* options.method; NULL: chosen */

    /* what left the run last */
    double t;
    double *x;   /* nx */
    double *z;   /* nz */
    double *obs; /* nobs + 2 */
    bool started;
    zw_run_info info;
    long projections_before; /* of the flow, when the run started */
    zw_error trouble;        /* the text of the fault met inside a step */

    /* run.c */
    double *candidate; /* nx: a state on its way into or out of the run */
    bool *fixed;       /* nx: its entries that are given */

    /* the integration */
    const zw_method *method;
    void *stepper; /* what the method keeps */
    zw_keep formulation;
    zw_num_partition *partition; /* of that formulation, else NULL */
    bool fresh;                  /* the method must be started before the next step */
    int direction;               /* of time: 0 before the first step, then 1 or -1 */
    double before, now;          /* the last step of the method, as far as it counts */
    double reached;              /* where it ended: now, unless it was cut there (switching.c) */
    double first_step;           /* limit of the first step after a start; 0: none */
    int ny;                      /* entries of y: nx at most */
    double *y;                   /* nx: at `now` */
    double *dense;               /* nx: between `before` and `now` */
    double passed;               /* the pieces up to here have been told to on_piece */
    bool pause;                  /* advancing ends with this step */
    zw_run_piece on_piece;
    void *on_piece_user;
    zw_run_want on_want;
    void *on_want_user;
    const char *advice; /* what the method has noticed that would help the user; NULL */
    const char *stiff;  /* why the motion is stiff from its start on; NULL: that is not known */

    zw_num_pace pace;
    zw_num_conserve_state conserve;
    double target;        /* step_collapse.c: the time that is asked for, */
    double collapse_from; /* where the steps began that are counted */
    long collapse_steps;
    zw_num_quasi_state quasi;
    zw_num_inertia inertia;
    /* sign of the determinant that eliminated_check.c watches; 0: not known, or not watched */
    int elimination;

    zw_num_past *past; /* ndelay */
    bool coarse;       /* pieces may span several steps */
    /* contact_validity.c */
    bool footing_known;  /* they have been looked at since the start, */
    double footing_seen; /* last at this time */
    int *footing_pulls;  /* nfooting: and they pulled then */
    double *footing_now; /* nfooting: values on the way */
    double *footing_was; /* nfooting: pressing forces then */
    double *trial;       /* nx: a state beside run->candidate, */
    double *trial_z;     /* nz: and what belongs to it */

    /* singular.c */
    double *beside, *node;   /* nx: the state on the constraints next to a stage; one farther on */
    double *node_z, *smooth; /* nz, nv: accelerations there, and interpolated */
    bool passing;            /* the last rates are interpolated over a singular position close by */
    double stride;           /* in which the clearance grew as wanted the last time; 0: not known */

    /* switching.c: kernels with modes */
    double lead;   /* steps end here, says the caller; infinite: nowhere */
    double limit;  /* [s] last time that is needed; NaN if unknown */
    double stop;   /* and here, where the rates switch */
    bool cut;      /* the last step was ended where the rates switch */
    bool halts;    /* advancing ends there, for whoever has to decide what follows, */
    double halted; /* and did so last at this time; NaN: not since the start */
    int nfollowed; /* functions that are no mere matter of time */
    int branch;    /* a function at whose zero the motion begins, and which both pieces leave; -1 */
    double open;   /* bands within which a function is at zero */
    double turned; /* when they switched last */
    double started_at; /* when the run began */
    int hurry;         /* changes in a row that came soon after the other */
    int *phase, *phase_now, *due, *ended, *live, *was_live,
        *slid;                  /* nswitch: ZW_NUM_FREE, ...; flags */
    double *sigma, *sigma_rate; /* nswitch */
    double *sigma_band,
        *sigma_noise;    /* nswitch: how well it is known, by the tolerances, by rounding */
    double *leave_by;    /* nswitch: a function that switched is free again beyond this */
    double *switch_time; /* nswitch: of those that hold time alone */
    double *mode_before; /* nmode */
    double *follow, *follow_band; /* nswitch: scratch */
    bool *idle, *unbounded;       /* nswitch: for the search, */
    int *from_side;               /* nswitch: likewise */
    zw_num_search *switch_search;
    zw_num_cells switch_cells;
    double *switch_state, *switch_x, *switch_reach; /* nx */

    /* events.c */
    double searched;       /* events are known up to here */
    double event_time;     /* of the next event; beyond `now` if the last step has none (more) */
    double *event_state;   /* nx: y there */
    zw_num_search *search; /* search.c */
    zw_num_cells cells;    /* of the last step, from where it was searched first */
    int cell;     /* the search goes on in this one; 0: the step is to be parted, or done */
    double *zero; /* nevt: where the functions that fire are zero */
    int *fired;   /* nevt: events at event_time */
    int *jumped;  /* nevt: that are jumps through zero, */
    int *escaped; /* nevt: or functions that should have left zero to the other side */
    int *pending; /* nevt: events at the state of the run, not yet told */
    int *told;    /* nevt: events at the time told_at */
    double told_at;
    double *last_time;  /* nevt: of the last event of each since the start, NaN: none; */
    int *last_side;     /* and the side to which it went, */
    double *last_level; /* of this level */
    /* nevt: how far it has got since it crossed zero last; -1: it has not since the start */
    double *peak;
    double *period;       /* nevt: of the functions, whose multiples are zeros too; 0: none */
    zw_event_side *watch; /* nevt: where the functions are */
    zw_event_side *here;  /* nevt: at the present state */
    zw_event_side *watch_before; /* nevt: at the beginning of the cells */
    zw_event_side *given;        /* nevt: at the start, handed over by zw_run_arm */
    bool jumps_count;            /* to those also functions that have jumped since */
    double *band;                /* nevt: how well the functions are known in the last step */
    double band_time;            /* where; NaN: nowhere yet */
    double *after, *close;       /* nevt: values behind a jump, and at the time of an event */

    /* event_values.c: scratch */
    double *present, *ahead, *behind, *one, *ahead_band, *second, *second_known; /* nevt */
    double *probe, *displaced, *rate, *behind_rate, *bend, *scale;               /* nx */
    double *slope;                                                               /* nevt x nx */
    int *way;                                                                    /* nevt */
};

/* formulation.c. What methods for ordinary differential equations integrate: y' = rate(t, y). */
zw_status zw_num_rate(zw_run *run, double t, const double *y, double *rate, zw_error *err);
/* d rate_i / d y_j into J[i + j ny] (by columns). */
zw_status zw_num_rate_jacobian(zw_run *run, double t, const double *y, double *J, zw_error *err);
/* After an accepted step: y back onto the constraints, where the formulation lets it drift off. */
zw_status zw_num_settle(zw_run *run, double t, double *y, zw_error *err);
/* From y to the state x and back (x consistent). */
zw_status zw_num_expand(zw_run *run, double t, const double *y, double *x, zw_error *err);
zw_status zw_num_reduce(zw_run *run, double t, const double *x, double *y, zw_error *err);
/* Before a step: does another y serve better? Then *changed: y is a new one, the method must
 * restart. */
zw_status zw_num_refresh(zw_run *run, bool *changed, zw_error *err);
/* Does y drift off the constraints, so that zw_num_settle has something to do? */
bool zw_num_drifts(const zw_run *run);

/* singular.c. The same as zw_num_rate, for all of x, near a singular position. */
zw_status zw_num_singular_rate(zw_run *run, double t, const double *y, double *rate, zw_error *err);

/* partition.c. y is the part of x that the constraints leave free. */
zw_status zw_num_partition_create(zw_run *run, zw_error *err);
void zw_num_partition_destroy(zw_run *run);
/* Choose the part for the consistent state x; sets run->ny. */
void zw_num_partition_choose(zw_run *run, double t, const double *x);
/* A step begins at the consistent state x. */
zw_status zw_num_partition_begin(zw_run *run, double t, const double *x, zw_error *err);
bool zw_num_partition_is_poor(zw_run *run, double t, const double *x);
/* Which entries of x are those of y; NULL where y is x. */
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
/* How well the functions, g at x, are known where the entries of x have these sizes (NULL: those of
 * x). */
void zw_num_watch_bands(zw_run *run, double t, const double *x, const double *g,
                        const double *scale, double *band);
/* The zero of function i that is nearest to the value g: 0, or a multiple of its period. */
double zw_num_nearest_zero(const zw_run *run, int i, double g);
/* Which way they go at x (zw_way); their values are in run->present. */
zw_status zw_num_watch_ways(zw_run *run, double t, const double *x, int *way, zw_error *err);

/* events.c. Begin to watch at run->now, run->y. */
zw_status zw_num_events_start(zw_run *run, zw_error *err);
/* Look for the next event in (searched, now]: run->event_time, event_state, fired. */
zw_status zw_num_events_search(zw_run *run, zw_error *err);
/* The events at event_time are those of the present state. */
void zw_num_events_report(zw_run *run);
/* run->band, at a time of the last step. */
zw_status zw_num_bands_at(zw_run *run, double t, zw_error *err);

/* energy_check.c. At the start of the run, and at every state that leaves it: where the energy is
 * constant by the model (k->conservative), has it changed more than the tolerances explain? A
 * doubt, or ZW_E_NUMERIC. */
void zw_num_conserve_start(zw_run *run);
/* delay.c. The past of a start: constant where x is not fixed; has it changed x? */
bool zw_num_delays_begin(zw_run *run, double t, double *x, const bool *fixed);
void zw_num_delays_start(zw_run *run, double t, const double *x);
void zw_num_delays_look(zw_run *run, double t, const double *x);
void zw_num_inertia_start(zw_run *run);
void zw_num_inertia_check(zw_run *run);
zw_status zw_num_conserve_check(zw_run *run, zw_error *err);
/* quasi_check.c. When the method starts, and after every step: has it gone over a place where
 * quasi-velocities are singular? ZW_E_SINGULAR. */
zw_status zw_num_quasi_start(zw_run *run, zw_error *err);
zw_status zw_num_quasi_check(zw_run *run, zw_error *err);
/* The sign of the determinant of A (n x n, row by row, overwritten), 0 if it is not known. n <=
 * ZW_NUM_QUASI_MOST. */
int zw_num_sign_of_determinant(int n, double *A, int *pivot);
/* eliminated_check.c. When the method starts, and after every step: has it gone over a place where
 * the constraints do not determine the velocities that were replaced by what they say? A doubt. */
zw_status zw_num_elimination_start(zw_run *run, zw_error *err);
zw_status zw_num_elimination_check(zw_run *run, zw_error *err);
/* step_collapse.c. When the method starts, and after every step: have steps become so small that
 * the run gets nowhere? */
void zw_num_collapse_start(zw_run *run);
zw_status zw_num_collapse_check(zw_run *run, zw_error *err);
/* fixed_step_check.c. Is the step fixed, so that it has to be watched? Then: at a start, before and
 * after every step. */
bool zw_num_has_fixed_pace(const zw_run *run);
void zw_num_pace_start(zw_run *run);
void zw_num_pace_before(zw_run *run);
zw_status zw_num_pace_after(zw_run *run, zw_error *err);

/* contact_validity.c. A contact that ends, because it has no meaning any more or would pull; -1:
 * none does. */
typedef struct zw_contact_validity_end {
    int footing;
    bool pulls;
    double t;     /* the last time at which all was well */
    double valid; /* value of its function valid where it was found to be lost */
} zw_contact_validity_end;
/* One that has no meaning at (t, x), where t lies in the last step. */
zw_contact_validity_end zw_num_contact_validity_lost(zw_run *run, double t, const double *x);
/* Look at the pressing forces from the last look to t, where run->candidate and the z of the flow
 * are. */
zw_contact_validity_end zw_num_contact_validity_look(zw_run *run, double t);
/* Both at the end of a step. */
zw_status zw_num_contact_validity_step(zw_run *run, zw_contact_validity_end *end, zw_error *err);
/* A step has failed: is it because a contact is about to lose its meaning? Then that is passed by
 * shorter steps. */
zw_contact_validity_end zw_num_contact_validity_approach(zw_run *run);
/* The error to end with. */
zw_status zw_num_contact_validity_fault(zw_run *run, zw_contact_validity_end end, zw_error *err);

/* The methods, one file each (or one per family). */
#define METHOD(name) extern const zw_method zw_num_##name;
#include "methods.def"
#undef METHOD

/* run.c. Functions of the kernel that are needed from now on: those that are missing are asked of
 * its owner; ZW_E_MISSING, with their names, if he does not build them. */
zw_status zw_num_need(zw_run *run, zw_functions functions, const char *who, zw_error *err);

/* Does the method make the states that leave the run? Not before its first step. */
bool zw_num_leaves_itself(const zw_run *run);

/* Has a kernel function failed since the last zw_num_forget? Then the reason is in run->trouble. */
void zw_num_forget(zw_run *run);
/* A method gave up at time t for the reason `what` ("the error test keeps failing"), unless a
 * kernel function failed last, which is then told instead. */
zw_status zw_num_give_up(zw_run *run, double t, const char *what, zw_error *err);

/* Tell the caller of a step what happened inside it; returns the status to return. */
zw_status zw_num_pass_on(const zw_error *trouble, zw_error *err);

#endif
