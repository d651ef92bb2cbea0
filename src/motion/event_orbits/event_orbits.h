/* SPDX-License-Identifier: MIT */
/* Private to the files of hybrid orbits. */
#ifndef ZW_MOTION_EVENT_ORBITS_EVENT_ORBITS_H
#define ZW_MOTION_EVENT_ORBITS_EVENT_ORBITS_H

#include "base/arena.h"
#include "motion/branch_check.h"
#include "motion/orbits/bifurcation_curves.h"
#include "motion/segments/hybrid.h"
#include "motion/singular_motions.h"
#include "sim/driven_sim.h"
#include "zwang/equations.h"
#include "zwang/orbits.h"

/* Of the period: a segment that takes less has no duration. Where the segment between two events
 * shrinks to nothing, orbits go on along which it stays empty: its length is zero but for rounding,
 * of either sign, and each of the two events would act at once on what the other one leaves. These
 * are no motions. */
#define ZW_SEGMENTED_MOMENT 1e-9
/* Of the size of an orbit: what is left of the difference of its two rounds where they are one. */
#define ZW_SEGMENTED_HALVED 1e-4

/* One set of constraints that hold, with its equations. */
typedef struct zw_segmented_stage {
    bool *on;                /* nconstraint */
    zw_contact_mode *stance; /* ncontact: how contacts stand; NULL: there are none */
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
    double *x, *memory; /* behind it */
    bool *touching;     /* of contacts: those that do; NULL: it is no contact's */
} zw_segmented_act;

/* A run on its way. */
typedef struct zw_segmented_walk {
    zw_event_orbits *o;
    double value, t;
    int stage;
    double *x, *memory;
    zw_event_side *side; /* nevent */
    bool armed, fresh, scattered;
    zw_segmented_act *act; /* that were kept */
    int nact, capacity;
    bool keeps;         /* events */
    bool measures;      /* low and high */
    double *low, *high; /* nx */
    double *begin;      /* nx: of simulations, the state at the time from which turns are kept */
    int steps, steps_max;
    zw_accumulation accumulation;
} zw_segmented_walk;

typedef struct zw_segmented_branch {
    int first, n;
    zw_cont_end end[2];
    char why[2][256];
    bool grazes[2], looked[2]; /* looked: what comes behind it is told */
    zw_bifurcation origin;     /* where it leaves another one, parent; -1: none */
    double origin_value;
    int parent, meets; /* meets: the one on which it ends, at a mark of it; -1: none */
    double meets_value;
    bool mirrored; /* another one leaves there that is its image */
    zw_walk_open open[2];
} zw_segmented_branch;

/* The sequence of events of an orbit, with the equations of its segments. */
typedef struct zw_segmented_signature {
    int n;
    const zw_segmented_segment *segment;
    const int *event;
    const char **name;     /* of the events that end the segments */
    const bool **touching; /* contacts that take part in them */
    signed char **pattern; /* what the rows of contacts do in an impact; NULL: nothing hits */
    const char *text;
    double *scale, *memory_scale, *turn;
    double duration;
    int first; /* the segment from which runs begin */
    int times; /* rounds of the orbits of which it is one that closes later */
} zw_segmented_signature;

struct zw_event_orbits {
    zw_arena arena;
    const zw_system *sys;
    zw_system on_leaf; /* sys on the leaf of its start, if no event takes motions to another one */
    int nhidden;       /* conditions without a formula, as zw_leaf_warning takes them */
    zw_event_orbits_options options;
    zw_parameter_range over;
    bool has_over, autonomous, clocks;
    zw_forcing forcing;
    double *p, *now;                       /* np */
    double *set_p, *set_memory, set_value; /* the last parameters, and what they were set from */
    bool set_known, set_start;
    bool *given;   /* np: of the number, */
    bool *kept;    /* np: and of the memory */
    double *width; /* nq */
    zw_segmented_stage **stage;
    int nstage, stage_capacity;
    bool *first_on; /* nconstraint: at the start */
    int nmemory, *memory;
    bool *essential;         /* nx */
    int nwatch, *watched;    /* events that act at zeros, */
    int nloose;              /* of the model; behind these the functions of contacts */
    double *repeat, *values; /* nevent; nact */
    bool *want, *fixed;      /* nconstraint; nx */
    double *behind;          /* nx */
    double *z, *rate, *evt;  /* nz, nx, nevt: the largest */
    int *way;
    int nx, nz, nevt, nquantity;
    zw_singular singular;
    zw_warnings *told;                  /* what simulations found doubtful */
    struct zw_segmented_ground *ground; /* of contacts; NULL: there are none */
    zw_segmented *h;                    /* of the signature */
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
    /* of the orbit that is looked for: so many times the period of the drive and the order */
    int rounds;
    bool (*ends)(void *user); /* does the branch end with its last orbit? NULL: no */
    void *ends_user;
    int unswitched; /* marks at which no branch was found that leaves, the first of them here: */
    double unswitched_value;
    zw_segmented_margins last_margins;
    bool margins_known;
};

/* event_orbits_switch.c: w, the difference of the two rounds of unknowns x, in the sizes of the
 * state; returned is its size. */
double zw_segmented_split(const zw_event_orbits *o, const zw_segmented_signature *s,
                          const double *x, double *w);
/* Where memory was short on the way, that is the reason, whatever followed from it. */
zw_status zw_segmented_judge_memory(const zw_event_orbits *o, zw_status status, zw_error *err);
/* hybrid.c: the stage of these constraints (nconstraint). */
zw_status zw_segmented_stage_of(zw_event_orbits *o, const bool *on, const zw_contact_mode *stance,
                                int *stage, zw_error *err);
void zw_segmented_find_essential(zw_event_orbits *o);
/* Do events that act, switched constraints, gaps, slip velocities or contact laws depend on this
 * coordinate? */
bool zw_segmented_looks_at(const zw_system *s, int coord);
/* What drives equations, events that act and contacts; *clocks: so does the clock of an event. */
zw_status zw_segmented_forcing(zw_forcing *out, const zw_system *s, const zw_equations *eq,
                               zw_arena *arena, bool *clocks, zw_error *err);
/* Parameters at a value and a memory; those of the start have memory NULL. */
zw_status zw_segmented_set(void *self, const double *memory, double value, double *p,
                           zw_error *err);
zw_status zw_segmented_drive(void *self, double value, double *period, double *slope,
                             zw_error *err);
/* The orbit's equations for a signature, ready in o->h. */
zw_status zw_segmented_build(zw_event_orbits *o, const zw_segmented_signature *s, zw_error *err);
/* Periods of event functions at parameter values, in o->repeat. */
zw_status zw_segmented_repeats(zw_event_orbits *o, const double *p, zw_error *err);
/* event_orbits_jump.c */
zw_status zw_segmented_event(void *self, int stage, int event, double t, const double *x,
                             const double *memory, double value, double *sigma, zw_error *err);
zw_status zw_segmented_jump(void *self, int segment, int stage, int event, int next, double t,
                            const double *x, const double *memory, double value, double *behind,
                            double *memory_behind, zw_error *err);
zw_status zw_segmented_watch_events(void *self, int stage, double t, const double *x, double *value,
                                    zw_error *err);
/* The same in a run, which has to come to the right stage: told in *next; positions that would jump
 * are refused. */
zw_status zw_segmented_act_on(zw_event_orbits *o, int stage, int event, double t, const double *x,
                              const double *memory, double value, double *behind,
                              double *memory_behind, int *next, zw_error *err);
/* event_orbits_walk.c: a run from a state; to a time, or until so many events were kept (0: no
 * limit). */
zw_status zw_segmented_walk_begin(zw_segmented_walk *w, zw_event_orbits *o, double value,
                                  zw_error *err);
zw_status zw_segmented_walk_start(zw_segmented_walk *w, zw_error *err); /* of the model */
zw_status zw_segmented_walk_on(zw_segmented_walk *w, double until, int acts, zw_error *err);
/* event_orbits_contact.c: what contacts need; refuses what has no segments */
bool zw_segmented_has_contacts(const zw_system *sys);
zw_status zw_segmented_contacts_open(zw_event_orbits *o, zw_error *err);
void zw_segmented_contacts_close(zw_event_orbits *o);
/* "floor.hit": what function `event` of the kernel means between two stages; a string of the arena,
 * NULL: out of memory */
signed char *zw_segmented_new_pattern(zw_event_orbits *o); /* NULL: out of memory */
const char *zw_segmented_event_name(zw_event_orbits *o, int event, int from, int to);
zw_status zw_segmented_contact_jump(zw_event_orbits *o, const bool *touching, signed char *pattern,
                                    double t, double *x, const double *memory, double value,
                                    double *slack, zw_error *err);
zw_status zw_segmented_slack(void *self, int segment, int stage, int event, int next, double t,
                             const double *x, const double *memory, double value, double *slack,
                             zw_error *err);
/* A simulation from the state of the walk (start: of the model) until so many turns were kept, or
 * to a time; the walk is where it ended. */
zw_status zw_segmented_contact_walk(zw_segmented_walk *w, bool start, double until, int acts,
                                    double from, zw_error *err);
/* event_orbits_find.c: n segments; segment k ends with event ending[k]. Touching contacts,
 * patterns, scales and turns are to be filled in. */
zw_status zw_segmented_make_signature(zw_event_orbits *o, int n, const int *stage,
                                      const int *ending, const int *direction,
                                      zw_segmented_signature *s, zw_error *err);
/* An orbit of the equations of its segments that its events forbid, in o->unknown: ZW_E_NUMERIC. */
zw_status zw_segmented_refuse_virtual(zw_event_orbits *o, double value, zw_error *err);
/* Sizes of coordinates at a value, for what does not move. */
zw_status zw_segmented_find_width(zw_event_orbits *o, double value, zw_error *err);
/* event_orbits_contact.c: how many contacts take part in impacts, and their rows; 0 without */
int zw_segmented_touch_rows(const zw_event_orbits *o, int *contacts);
/* event_orbits_follow.c: the equations of an orbit, and it in o->unknown */
zw_status zw_segmented_load(zw_event_orbits *o, const zw_segmented_motion *m,
                            const zw_segmented_signature *s, zw_error *err);
/* Normal forms of the folds and period doublings among the orbits from `first` on. */
zw_status zw_segmented_find_normals(zw_event_orbits *o, int first, zw_error *err);
/* A branch without orbits, -1: out of memory. */
int zw_segmented_new_branch(zw_event_orbits *o);
/* Orbits from `first` on are none. */
/* event_orbits_write.c: a branch against its own orbits (branch_check.h): how many contradictions,
 * and the first of them */
int zw_segmented_check(const zw_event_orbits *o, int first, int n, zw_contradiction *out);
void zw_segmented_forget(zw_event_orbits *o, int first);
/* From o->unknown. toward (n + 1): in this direction, NULL: to falling (side 0) or growing values;
 * begins: the mark that it begins at; skip: the first point is known already. */
zw_status zw_segmented_go(zw_event_orbits *o, int branch, int side, double value,
                          const double *toward, zw_bifurcation begins, bool skip, zw_error *err);
/* event_orbits_file.c: the notes of the orbits of all branches, with signatures that were written:
 * of each the first orbit that has it */
typedef struct zw_segmented_noted {
    int n, capacity, *first;
} zw_segmented_noted;
zw_status zw_segmented_note_head(const zw_event_orbits *o, zw_table *t);
zw_status zw_segmented_note(zw_event_orbits *o, int number, const char *label, long row,
                            zw_segmented_noted *noted, zw_table *t, zw_error *err);
/* event_orbits_find.c: one turn of a coordinate that the model calls periodic, else 0 */
double zw_segmented_turn(const zw_event_orbits *o, int coord, const double *p);
/* o->unknown is an orbit at a value: appended, with all that is known of it */
zw_status zw_segmented_add(zw_event_orbits *o, double value, zw_bifurcation event, int branch,
                           double confirmed, zw_error *err);
/* What the quantities of o->unknown do, in m->measure, and m->record, which is to be cleared
 * (zw_shooting_clear); NULL if it fails. */
zw_status zw_segmented_measures(zw_event_orbits *o, double value, zw_segmented_motion *m,
                                zw_error *err);
/* The orbit to which a run at a value leads from one that is known at another. */
zw_status zw_segmented_find_near(zw_event_orbits *o, int number, double value, zw_error *err);
/* Multipliers and margins of o->unknown-like unknowns, valid up to the next call; NULL: they cannot
 * be found. */
zw_status zw_segmented_look(zw_event_orbits *o, const double *unknown, double value,
                            const zw_floquet **out, const zw_segmented_margins **margins,
                            zw_error *err);
/* Does a run from o->unknown meet its events and come back? By how much it misses its beginning, of
 * its size. ZW_E_NUMERIC: it does not. */
zw_status zw_segmented_confirm(zw_event_orbits *o, double value, double *miss, zw_error *err);

#endif
