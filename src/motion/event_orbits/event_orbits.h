/* SPDX-License-Identifier: MIT */
/* The object of orbits through events (zwang/orbits.h) and what its sources share. */
#ifndef ZW_MOTION_EVENT_ORBITS_EVENT_ORBITS_H
#define ZW_MOTION_EVENT_ORBITS_EVENT_ORBITS_H

#include "base/arena.h"
#include "base/tolerance.h"
#include "motion/branch_check.h"
#include "motion/orbits/bifurcation_curves.h"
#include "motion/segments/hybrid.h"
#include "motion/singular_motions.h"
#include "sim/driven_sim.h"
#include "zwang/equations.h"
#include "zwang/orbits.h"

/* Relative to the period: a shorter segment has no duration. Where the segment between two events
 * shrinks to zero, the equations have solutions on which it stays empty: its length is round-off,
 * of either sign, and each of the two events would act at once on the state that the other one
 * leaves. These are not motions. Newton's method leaves ZW_NEWTON of the period. */
#define ZW_SEGMENTED_NO_DURATION 1e-9
/* Relative to the size of an orbit: difference of the two rounds of an orbit that closes after one.
 * Ten times less than in collocation (orbits_switch.c): runs are more accurate than meshes. */
#define ZW_SEGMENTED_SAME_ROUNDS 1e-4

/* One set of active constraints, with its equations. */
typedef struct zw_segmented_stage {
    bool *on;                /* nconstraint */
    zw_contact_mode *stance; /* ncontact: modes of the contacts; NULL if there are none */
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    zw_flow *flow;
    zw_sim_singular singular; /* of the orbits that are measured */
} zw_segmented_stage;

/* An event that has acted in a run. */
typedef struct zw_segmented_act {
    double t;
    int event, direction;
    int from, to;       /* stages */
    double *x, *memory; /* after it */
    bool *touching;     /* contacts that take part; NULL if it is not an event of a contact */
} zw_segmented_act;

/* A run in progress. */
typedef struct zw_segmented_walk {
    zw_event_orbits *o;
    double value, t;
    int stage;
    double *x, *memory;
    zw_event_side *side; /* nevent */
    bool armed, fresh, scattered;
    zw_segmented_act *act; /* recorded events */
    int nact, capacity;
    bool keeps;         /* it records events */
    bool measures;      /* it updates low and high */
    double *low, *high; /* nx: ranges of the state */
    /* nx: of simulations, the state at the time from which events are recorded */
    double *begin;
    int steps, steps_max;
    zw_accumulation accumulation;
} zw_segmented_walk;

typedef struct zw_segmented_branch {
    int first, n;
    zw_cont_end end[2];
    char why[2][256];
    bool grazes[2], run_beyond[2]; /* run_beyond: a run was made beyond this end */
    zw_bifurcation origin;         /* where it leaves its parent; -1 if nowhere */
    double origin_value;
    int parent, meets; /* meets: the branch on which it ends, at a special point; -1 if none */
    double meets_value;
    bool mirrored; /* its mirror image leaves there, too */
    zw_unresolved open[2];
} zw_segmented_branch;

/* The sequence of events of an orbit, with the equations of its segments. */
typedef struct zw_segmented_signature {
    int n;
    const zw_segmented_segment *segment;
    const int *event;
    const char **name;     /* of the events that end the segments */
    const bool **touching; /* contacts that take part in them */
    signed char **pattern; /* states of the rows of contacts in an impact; NULL if there is none */
    const char *text;
    double *scale, *memory_scale, *turn;
    double duration;
    int first; /* the segment from which runs begin */
    int times; /* rounds: this signature repeats that of shorter orbits so many times */
} zw_segmented_signature;

struct zw_event_orbits {
    zw_arena arena;
    const zw_system *sys;
    zw_system on_leaf; /* sys on the leaf of its start, if no event takes motions to another one */
    int nhidden;       /* conditions without a formula (zw_leaf_warning) */
    zw_event_orbits_options options;
    zw_parameter_range over;
    bool has_over, autonomous, clocks;
    zw_forcing forcing;
    double *p, *now;                       /* np */
    double *set_p, *set_memory, set_value; /* the last parameters, and what they were set from */
    bool set_known, set_start;
    bool *given;   /* np: the parameter of the range */
    bool *kept;    /* np: that parameter and those of the memory */
    double *width; /* nq */
    zw_segmented_stage **stage;
    int nstage, stage_capacity;
    bool *first_on; /* nconstraint: at the start */
    int nmemory, *memory;
    bool *essential;         /* nx */
    int nwatch, *watched;    /* events that act at zeros */
    int nloose;              /* of them events of the model; the functions of contacts follow */
    double *repeat, *values; /* nevent; nact */
    bool *want, *fixed;      /* nconstraint; nx */
    double *after;           /* nx: the state after an event */
    double *z, *rate, *evt;  /* nz, nx, nevt: the largest of all stages */
    int *way;                /* nevt: as zw_run_event_ways returns them */
    int nx, nz, nevt, nquantity;
    zw_singular singular;
    zw_warnings *sim_warnings;                /* of simulations */
    struct zw_segmented_contact_base *ground; /* of contacts; NULL if there are none */
    zw_segmented *h;                          /* of the signature */
    zw_segmented_signature now_signature;
    double *unknown;
    zw_segmented_motion *motion;
    zw_segmented_signature *signature; /* by motion */
    int nmotion, capacity, signature_capacity;
    zw_bifurcation_curves marks; /* in two parameters */
    zw_segmented_branch *branch;
    int nbranch, branch_capacity;
    zw_floquet last;
    double *last_x, last_value;
    int last_n;
    bool last_known, last_failed, stopped;
    int rounds; /* of the orbit that is sought: periods of the excitation, times the order */
    bool (*ends)(void *user); /* whether the branch ends with its last orbit; NULL: never */
    void *ends_user;
    int unswitched;          /* special points at which no branch that leaves was found */
    double unswitched_value; /* the first of them */
    zw_segmented_margins last_margins;
    bool margins_known;
};

/* event_orbits_switch.c: w, the difference of the two rounds of unknowns x, relative to the sizes
 * of the state; returns its norm. */
double zw_segmented_split(const zw_event_orbits *o, const zw_segmented_signature *s,
                          const double *x, double *w);
/* The status to return: an allocation failure takes precedence over any later error. */
zw_status zw_segmented_judge_memory(const zw_event_orbits *o, zw_status status, zw_error *err);
/* event_orbits.c: the stage of these constraints (nconstraint) and contact modes, made if new. */
zw_status zw_segmented_stage_of(zw_event_orbits *o, const bool *on, const zw_contact_mode *stance,
                                int *stage, zw_error *err);
void zw_segmented_find_essential(zw_event_orbits *o);
/* Do events that act, switched constraints, gaps, slip velocities or contact laws depend on this
 * coordinate? */
bool zw_segmented_looks_at(const zw_system *s, int coord);
/* The forcing of equations, events that act and contacts; *clocks: an event has a clock. */
zw_status zw_segmented_forcing(zw_forcing *out, const zw_system *s, const zw_equations *eq,
                               zw_arena *arena, bool *clocks, zw_error *err);
/* Parameters at a value and with a memory; memory NULL: those of the start. */
zw_status zw_segmented_set(void *self, const double *memory, double value, double *p,
                           zw_error *err);
zw_status zw_segmented_drive(void *self, double value, double *period, double *slope,
                             zw_error *err);
/* Builds the equations of an orbit with a signature in o->h. */
zw_status zw_segmented_build(zw_event_orbits *o, const zw_segmented_signature *s, zw_error *err);
/* Periods of event functions at parameter values, in o->repeat. */
zw_status zw_segmented_repeats(zw_event_orbits *o, const double *p, zw_error *err);
/* event_orbits_jump.c */
zw_status zw_segmented_event(void *self, int stage, int event, double t, const double *x,
                             const double *memory, double value, double *sigma, zw_error *err);
zw_status zw_segmented_jump(void *self, int segment, int stage, int event, int next, double t,
                            const double *x, const double *memory, double value, double *after,
                            double *memory_after, zw_error *err);
zw_status zw_segmented_watch_events(void *self, int stage, double t, const double *x, double *value,
                                    zw_error *err);
/* The jump in a run, which has to find the next stage: *next. Fails if positions would jump. */
zw_status zw_segmented_act_on(zw_event_orbits *o, int stage, int event, double t, const double *x,
                              const double *memory, double value, double *after,
                              double *memory_after, int *next, zw_error *err);
/* event_orbits_run.c: a run from a state, to a time or until a number of events is recorded (0: no
 * limit). */
zw_status zw_segmented_walk_begin(zw_segmented_walk *w, zw_event_orbits *o, double value,
                                  zw_error *err);
zw_status zw_segmented_walk_start(zw_segmented_walk *w, zw_error *err); /* of the model */
zw_status zw_segmented_walk_on(zw_segmented_walk *w, double until, int acts, zw_error *err);
/* event_orbits_contact.c: equations of contacts; fails for contacts without segments */
bool zw_segmented_has_contacts(const zw_system *sys);
zw_status zw_segmented_contacts_open(zw_event_orbits *o, zw_error *err);
void zw_segmented_contacts_close(zw_event_orbits *o);
/* "floor.hit": the meaning of function `event` of the kernel between two stages; a string of the
 * arena, NULL: out of memory */
signed char *zw_segmented_new_pattern(zw_event_orbits *o); /* NULL: out of memory */
const char *zw_segmented_event_name(zw_event_orbits *o, int event, int from, int to);
zw_status zw_segmented_contact_jump(zw_event_orbits *o, const bool *touching, signed char *pattern,
                                    double t, double *x, const double *memory, double value,
                                    double *slack, zw_error *err);
zw_status zw_segmented_slack(void *self, int segment, int stage, int event, int next, double t,
                             const double *x, const double *memory, double value, double *slack,
                             zw_error *err);
/* A simulation from the state of the walk (start: of the model) until a number of events is
 * recorded or to a time; the walk is then at its end. */
zw_status zw_segmented_contact_walk(zw_segmented_walk *w, bool start, double until, int acts,
                                    double from, zw_error *err);
/* event_orbits_find.c: a signature of n segments; segment k ends with event ending[k]. The caller
 * adds touching contacts, patterns, scales and turns. */
zw_status zw_segmented_make_signature(zw_event_orbits *o, int n, const int *stage,
                                      const int *ending, const int *direction,
                                      zw_segmented_signature *s, zw_error *err);
/* Fails with ZW_E_NUMERIC if the orbit in o->unknown solves the equations of its segments, but its
 * events contradict it. */
zw_status zw_segmented_reject_virtual(zw_event_orbits *o, double value, zw_error *err);
/* Sizes of coordinates at a value, for entries that do not move. */
zw_status zw_segmented_find_width(zw_event_orbits *o, double value, zw_error *err);
/* event_orbits_contact.c: the number of contacts that take part in impacts, and their rows; 0 if
 * none */
int zw_segmented_touch_rows(const zw_event_orbits *o, int *contacts);
/* event_orbits_follow.c: loads an orbit into o->unknown, with its equations */
zw_status zw_segmented_load(zw_event_orbits *o, const zw_segmented_motion *m,
                            const zw_segmented_signature *s, zw_error *err);
/* Normal forms of the folds and period doublings among the orbits from `first` on. */
zw_status zw_segmented_find_normals(zw_event_orbits *o, int first, zw_error *err);
/* Appends a branch without orbits and returns its number; -1: out of memory. */
int zw_segmented_new_branch(zw_event_orbits *o);
/* Discards the orbits from `first` on. */
void zw_segmented_discard(zw_event_orbits *o, int first);
/* event_orbits_write.c: checks a branch against its own orbits (branch_check.h): returns the number
 * of contradictions, and the first one */
int zw_segmented_check(const zw_event_orbits *o, int first, int n, zw_contradiction *out);
/* Follows a branch from o->unknown. toward (n + 1): the direction, NULL: to decreasing (side 0) or
 * increasing values; begins: the special point at its beginning; skip: the first point is stored
 * already. */
zw_status zw_segmented_follow(zw_event_orbits *o, int branch, int side, double value,
                              const double *toward, zw_bifurcation begins, bool skip,
                              zw_error *err);
/* event_orbits_file.c: the notes of the orbits of all branches; `noted` has the first orbit of each
 * signature that was written */
typedef struct zw_segmented_noted {
    int n, capacity, *first;
} zw_segmented_noted;
zw_status zw_segmented_note_head(const zw_event_orbits *o, zw_table *t);
zw_status zw_segmented_note(zw_event_orbits *o, int number, const char *label, long row,
                            zw_segmented_noted *noted, zw_table *t, zw_error *err);
/* event_orbits_find.c: the length of a turn of a coordinate that the model declares periodic; else
 * 0 */
double zw_segmented_turn(const zw_event_orbits *o, int coord, const double *p);
/* appends o->unknown, an orbit at a value, with its measures and multipliers */
zw_status zw_segmented_add(zw_event_orbits *o, double value, zw_bifurcation event, int branch,
                           double confirmed, zw_error *err);
/* Measures the quantities of o->unknown in m->measure and m->record, which the caller clears
 * (zw_shooting_clear); NULL if it fails. */
zw_status zw_segmented_measures(zw_event_orbits *o, double value, zw_segmented_motion *m,
                                zw_error *err);
/* Finds the orbit at a value by a run from an orbit that is known at another value. */
zw_status zw_segmented_find_near(zw_event_orbits *o, int number, double value, zw_error *err);
/* Multipliers and margins at unknowns, valid up to the next call; NULL if they cannot be found. */
zw_status zw_segmented_evaluate(zw_event_orbits *o, const double *unknown, double value,
                                const zw_floquet **out, const zw_segmented_margins **margins,
                                zw_error *err);
/* Confirms that a run from o->unknown meets its events and comes back; *miss: closure error
 * relative to its size. ZW_E_NUMERIC: it does not. */
zw_status zw_segmented_confirm(zw_event_orbits *o, double value, double *miss, zw_error *err);

#endif
