/* SPDX-License-Identifier: MIT */
/* The private types of a simulation, shared by the sources of this folder.
 *
 * A variant state ("world" in names) is a system with the values of its parameters: the model as it
 * was given, or a variant that an event can switch to. A stage can be integrated: the equations,
 * the kernel and the run of a variant state with certain constraints switched on. Both are stored,
 * so that returning to one costs nothing. */
#ifndef ZW_SIM_INTERNAL_H
#define ZW_SIM_INTERNAL_H

#include "base/arena.h"
#include "base/brownian.h"
#include "base/text.h"
#include "num/run_jumps.h"
#include "options.h"
#include "zwang/contact.h"
#include "zwang/doubt.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

typedef struct zw_sim_clock {
    int event; /* in the system */
    double period, phase;
    double tick; /* number of the next tick, at t = phase + tick period */
} zw_sim_clock;

typedef struct zw_sim_variant_state zw_sim_variant_state;
struct zw_sim_variant_state {
    zw_context *own; /* owned context of a variant; NULL for the caller's system */
    const zw_system *sys;
    double *p;       /* np: present values of the parameters */
    double *said;    /* np: values from the text, or from the caller's numbers */
    bool *given;     /* np: has an event set it? */
    bool *numbered;  /* np: is `said` the caller's number? */
    bool *own_value; /* np: scratch, parameters that do not follow others */
    int *number;     /* nevent: numbers of the events in the tables */
    int version;     /* counts the changes of p */
    double *held;    /* nsignal: values of a drive, NaN: the model's; NULL: none (drive.c) */
    double *signal;  /* nsignal: values of signals without a table; NULL until a stage needs them */
    int signal_version; /* version of p from which the signals were computed */
    zw_brownian *noise; /* nsignal: paths of the noise signals */
    int nclock;
    zw_sim_clock *clock;
    /* from the options: end of the run [s] and memory limit [byte], for clocks */
    double until, memory_max;
    zw_sim_variant_state *next;
};

/* noise_fields.c. The events whose functions noise drives directly. */
typedef struct zw_sim_reach {
    bool known, *event; /* nevent; NULL: none */
    double *x;          /* 3 nx + 3 nevt of the kernel: scratch */
} zw_sim_reach;

typedef struct zw_sim_stage zw_sim_stage;
struct zw_sim_stage {
    zw_sim *sim;
    zw_sim_variant_state *world;
    bool *on;                /* nconstraint */
    zw_contact_mode *stance; /* ncontact: contact modes from event to event; NULL in time steps */
    bool *absent;            /* ncontact: switched off by events */
    int nshare;
    zw_share *share;   /* nshare: contact rows that depend on others */
    double rest, most; /* limits of its slips and forces: those of zw_sim_standing */
    /* nv: velocities to be eliminated, while the equations are derived; NULL: any */
    const bool *asked;
    bool first_choice; /* the velocities to eliminate were not prescribed */
    long motion;       /* number of the last motion with this stage */
    bool settled;      /* no choice of eliminated velocities is better */
    int version;       /* version of the parameters in the runs */
    /* system of the equations: the variant's, with the integrals that runs conserve */
    const zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    /* the same in the velocities of the system, for starts and jumps: equal to the above, unless
     * the principle has its own velocities */
    const zw_equations *home_eq;
    zw_kernel *home_kernel;
    zw_run *home;
    double *x;        /* nx of the equations: the state to enter */
    bool conserves;   /* its energy is constant, except for contacts */
    zw_power *powers; /* npowers, for the energy-conserving method */
    int npowers;
    int npower;
    int *work;     /* npower: numbers of the works; -1 - i: work i of contacts */
    double *power; /* npower: at the state `node` (nx) within a step */
    double *node;
    /* sources of the columns of a row, set by record.c; -1: none */
    int *velocity, *lambda, *observable;
    /* integrals of its constraints; NULL: not computed yet (leaf_change.c) */
    struct zw_integrals *leaf;
    zw_sim_reach reach;
    zw_sim_stage *next;
};

/* The columns of the tables in their order, by names, since every variant has its own symbols. */
typedef struct zw_sim_columns {
    int nq, nvelocity, nlambda, nobservable;
    const char **velocity, **lambda, **observable;
} zw_sim_columns;

/* The past times of an event, to detect whether they accumulate. */
typedef struct zw_sim_history {
    long times;
    double last, interval; /* [s]; last time, and its distance from the previous one */
    double began;          /* [s]; time since which the intervals shrink */
    long shrinking;        /* number of consecutive shrinking intervals */
    long standing;         /* number of consecutive intervals of no length */
    double left;           /* [s]; estimated time to the limit; 0 if unknown */
    double speed;          /* contacts: velocity of the last impact */
} zw_sim_history;

/* A run that is continued. */
typedef struct zw_resume {
    const zw_table *result;         /* rows so far, with their notes */
    const zw_model_options *change; /* changes from now on; NULL: none */
} zw_resume;

enum { ZW_SIM_OTHERS = 8 }; /* other solutions of a start that are stored */

/* contacts.c. Contacts in time steps. */
typedef struct zw_sim_contacts {
    bool steps;         /* contacts are in time steps */
    bool chosen;        /* no scheme was requested: zw_sim_contacts_choose has chosen it */
    char why[400];      /* reason for time steps; "": none */
    long pace_steps;    /* number of steps at the last check of their length */
    double pace_since;  /* [s]; time of that check */
    char estimate[240]; /* text about the error, at the end of the motion */
    int n, nrow;        /* numbers of contacts and of their rows, as in the kernel */
    int first;          /* their first column in `rows` */
    zw_moreau_options options;
    zw_method method;
    zw_contact_report *now;        /* n: the last report */
    double *impulse;               /* nrow: impulses of the steps from `since` to `until` */
    double since, until, residual; /* [s], [s]; largest of these steps */
    int iterations;                /* largest number in these steps */
    bool told;                     /* reported in a row: the next step starts new sums */
    bool *touched;                 /* n: has it pushed in this run? */
    double *work;                  /* 2 n: [J]; works since the start */
    /* contacts of the system: gaps before events act; NULL: not yet */
    double *gap;
    double deepest; /* [m]; largest overlap, of the contact deepest_contact */
    int deepest_contact;
    double energy, kinetic; /* [J]; energy at the start; largest kinetic energy so far */
    double drift;           /* [J]; largest change of the energy minus the works of contacts */
    double worst;           /* largest residual of the run */
} zw_sim_contacts;

/* contact_events.c. Contacts from event to event. The equations of a variant without its contacts,
 * and the solver of contact modes: one for every set of active constraints of the model. */
typedef struct zw_sim_ground zw_sim_ground;
struct zw_sim_ground {
    const zw_sim_variant_state *world;
    bool *on; /* nconstraint: active constraints, without those of contacts */
    int version;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run; /* never moves: it knows the pieces of kinks after an instant */
    struct zw_contact_modes *stances;
    zw_sim_ground *next;
};
/* Changes of contacts. */
typedef enum zw_sim_turn {
    ZW_TURN_HIT,
    ZW_TURN_LIFTS,
    ZW_TURN_RESTS, /* infinitely many impacts have ended */
    /* a block begins to slip; the following are of blocks too */
    ZW_TURN_SLIPS,
    ZW_TURN_STICKS,
    ZW_TURN_TURNS, /* a slip reverses */
    ZW_TURN_COUNT
} zw_sim_turn;
typedef struct zw_sim_standing {
    /* contacts go from event to event; their modes at the start are from a result */
    bool used, known;
    /* largest numbers in a variant: contacts, their rows, functions of theirs */
    int ncontact, nrow, nwatch;
    int first_name; /* number of their first event */
    zw_sim_ground *grounds;
    /* ncontact of the system: required modes, and those before an event of the model */
    zw_contact_mode *stance, *prior;
    zw_contact_mode *was, *next; /* ncontact of the kernel: modes before an instant, and after it */
    zw_contact_mode *now;        /* ncontact of the kernel: those of the stage */
    unsigned char *over;         /* ncontact x ZW_CONTACT_MODE_PARTS: modes that have ended */
    bool *touching, *rests, *hit, *meets; /* ncontact; meets: takes part in an impact */
    double *before, *P;                   /* nrow: rates before an impact, impulses */
    double *direction;                    /* nrow */
    int nshare;
    zw_share *share;      /* nrow: required, as `stance` */
    double *reach, *size; /* nv: largest velocities so far; sizes of the coordinates */
    double *impulse;      /* nrow: impulses since the last row */
    double *work;         /* 2 ncontact: [J]; works since the start */
    /* ncontact: [s]; limit of accumulated impacts of a contact that is closed until then; NaN:
     * none */
    double *rest_at;
    int *anew;               /* ncontact: number of consecutive restarts of a slip */
    double *drift;           /* ncontact: [m/s]; residual rates of closed contacts */
    zw_sim_history *history; /* ncontact: past impacts */
    long standing;           /* events since time has advanced */
    double last;
    double rest; /* [m/s]; slips of several velocities end there; 0: not known yet */
    /* [m/s]; below it a step of fixed length may miss the end of such a slip; 0: steps are
     * controlled */
    double passed;
    double most; /* [N]; normal forces beyond it jam; 0: not known yet */
    bool jams;   /* at this instant */
    /* impacts of this instant, in their order; at most ZW_SIM_IMPACTS are stored */
    int nimpact;
    /* ZW_SIM_IMPACTS x ncontact: contacts that take part; those without restitution */
    bool *met, *plastic;
    bool ambiguous; /* the motion depends on how contacts share forces */
    bool paradox;   /* an impulse has resolved Painleve's paradox at this time */
} zw_sim_standing;
enum { ZW_SIM_IMPACTS = 16 };

/* Changes of contacts at an instant: n functions of theirs have vanished (numbers as in the
 * kernel), or a gap or a slip switches (n = 0); the new modes are those of the stage. Or n events
 * of the model have acted together with contacts: then `touching` is NULL. */
typedef struct zw_sim_turned {
    double t;
    int n;
    const int *event;
    const zw_sim_stage *from, *to;
    const bool *touching; /* contacts of the kernel */
    bool ends;            /* impacts accumulate and are treated as finished */
    bool jams;
    const double *x; /* state after the instant */
} zw_sim_turned;
/* Callback at every event, for studies. */
typedef zw_status (*zw_sim_turning)(void *user, const zw_sim_turned *turned, zw_error *err);

/* driven_sim.c. Observers of a motion; any may be NULL. */
typedef struct zw_sim_watch {
    void *user;
    zw_run_piece piece; /* called for every piece of the motion */
    /* called for the event with this number, before it acts; true: stop there */
    bool (*event)(void *user, int number);
} zw_sim_watch;

struct zw_sim {
    bool driven;    /* observed by a caller: nothing is recorded (driven_sim.h) */
    bool early;     /* zw_sim_advance_to returns after every event */
    double horizon; /* [s]: time up to which a driven motion is known to be wanted */
    zw_sim_watch watch;
    zw_sim_number *driven_number; /* np + nq + nv: scratch */
    zw_sim_turning on_turn;       /* NULL: none */
    void *on_turn_user;
    zw_arena arena; /* memory with the lifetime of the simulation */
    zw_sim_options options;
    zw_model_source source;
    zw_model_options model;       /* source.options points to it */
    zw_sim_variant_state *worlds; /* the first one has the caller's system */
    zw_sim_stage *stages;
    zw_sim_stage *stage; /* the running stage */
    long motion;         /* number of starts so far */
    int nstage;          /* number of stages in this motion */

    zw_warnings *doubts; /* warnings so far */
    zw_sim_columns columns;
    zw_table *rows, *events;
    /* "TIME PARAMETER VALUE" of every parameter that an event has changed, one per line */
    zw_text set_at;
    double *p_before;    /* np of the largest variant: parameters before events act */
    double *row;         /* a row of rows */
    double *event_row;   /* a row of `events`: number, columns of rows, jump of the energy */
    bool row_is_current; /* the last row of `rows` is the present state */
    int nevent;          /* number of events of all variants, which have the same name once */
    const char **event;
    zw_sim_history *history; /* nevent */

    /* nevent: states of the event functions, by number; by index, for a run */
    zw_event_side *armed, *side;
    int *met;              /* nevent: events of the present instant */
    double *repeat;        /* nevent: periods of their functions, by index */
    int *direction;        /* nevent: directions in which the functions move, by index */
    bool *acted, *waiting; /* nevent: at the last instant, by number */
    double moment;         /* [s]; time of the last instant */
    /* nevent: directions in which events that acted or wait passed zero */
    int *passing;
    /* a state of the system that jumps, the state before, the values that events set */
    double *x, *was, *values;
    bool *fixed;             /* entries of x that were set */
    zw_said *said;           /* nq + nv: given, guessed or free entries of the start */
    double *width;           /* nq: possible ranges of the coordinates */
    zw_completed *completed; /* nq + nv: entries of the completion */
    double *others;          /* ZW_SIM_OTHERS x (nq + nv): other solutions of the completion */
    zw_completion completion;
    bool *start_given; /* nq + nv: is the start the caller's number? */
    double *start_value;
    bool resumed; /* continues a result: there is no start to return to */
    /* constraints to activate, and those active in the variant that is left */
    bool *want, *held;
    bool *absent; /* ncontact: contacts to switch off */

    int nwork; /* number of works so far, with the balance of energy */
    const char **work_name;
    double *work;
    bool events_work; /* an event can act, so that work(events) has a column */
    double event_work, energy_start;

    /* [s]; time that selects the pieces of tables and the cells of noise */
    double piece;
    /* the noise step is 2^noise_level s; the present cell lasts 2^cell_level s */
    int noise_level, cell_level;
    double noise_probe; /* NaN, or the noises divided by their intensities: */
    int noise_alone;    /* of this signal only, while the others are 0; -1: of all */
    /* a trial run that chooses the noise step: its order is not checked */
    bool pilot;
    double noise_error; /* change of the motion by the last halving; NaN: unknown */
    bool *best;         /* nv: a better choice of eliminated velocities */
    double *node;       /* nq + nv: a state within a step */
    bool poor;          /* the choice of the stage is poor at the present state */
    bool interrupted;
    double passed; /* [s]; end of the last piece of the motion */
    zw_sim_contacts contacts;
    zw_sim_standing standing;
    zw_sim_ending ending;
    long nmet;           /* number of events so far */
    double accumulation; /* [s]; limit of accumulating events */
    zw_run_info total;   /* statistics of the finished runs */
    char methods[160];   /* their integration methods */
};

static inline const zw_sim_variant_state *zw_sim_now(const zw_sim *sim) {
    return sim->stage->world;
}

/* variant_state.c. The states of the caller's system and of all variants that events can lead
 * to. */
zw_status zw_sim_variant_states_create(zw_sim *sim, const zw_system *sys, zw_error *err);
void zw_sim_variant_states_destroy(zw_sim *sim);
zw_sim_variant_state *zw_sim_variant_state_find(const zw_sim *sim,
                                                const char *variant); /* NULL if there is none */
/* Computes the parameters that follow others. */
zw_status zw_sim_variant_state_follow(zw_sim_variant_state *world, zw_error *err);
/* Copies values and switches set by events from `from`, with active constraints `held`, to `to`;
 * sets its active constraints `on`. */
zw_status zw_sim_variant_state_inherit(const zw_sim_variant_state *from, const bool *held,
                                       zw_sim_variant_state *to, bool *on, zw_error *err);
/* An error if the lags of the delays of a at parameter values pa are others than those of b at pb:
 * `who` would change them along a motion. */
zw_status zw_sim_lags_stay(const zw_system *a, const double *pa, const zw_system *b,
                           const double *pb, zw_place place, const char *who, zw_error *err);
/* Is a constraint active in a variant: in the present one now, in others by the text? */
bool zw_sim_variant_state_holds(const zw_sim *sim, const zw_sim_variant_state *world,
                                int constraint);

/* stage.c. The stage of a variant with these active constraints, created if necessary; its runs
 * have the present parameters. */
zw_status zw_sim_stage_get(zw_sim *sim, zw_sim_stage **out, zw_sim_variant_state *world,
                           const bool *on, zw_error *err);
bool zw_sim_same_stance(const zw_contact_mode *a, const zw_contact_mode *b);
void zw_sim_stages_destroy(zw_sim *sim);
/* Restart the run at t from stage->x. */
zw_status zw_sim_stage_again(zw_sim_stage *stage, double t, zw_error *err);
/* remember: stores the states of event functions before the stage is left or restarted. arm:
 * restores them, unless a function has jumped; if jumps count, events whose functions have jumped
 * through zero occur now. */
zw_status zw_sim_events_remember(zw_sim *sim, zw_error *err);
void zw_sim_events_arm(zw_sim *sim, bool jumps_count);
/* The start of the model, completed, at time t. */
zw_status zw_sim_stage_start(zw_sim *sim, double t, zw_error *err);
/* suits: are the eliminated velocities well chosen at the state x? suit: another stage, if not. */
bool zw_sim_stage_suits(const zw_sim *sim, const zw_sim_stage *stage, double t, const double *x);
zw_status zw_sim_stage_suit(zw_sim *sim, zw_sim_stage **stage, double t, const double *x,
                            zw_error *err);
/* Runs forget earlier motions. */
void zw_sim_stages_forget(zw_sim *sim);
/* The state x = (q, v) of the system at the state of the stage's run. */
zw_status zw_sim_stage_leave(zw_sim_stage *stage, double *x, zw_error *err);
/* Begin at a consistent state x of the system. Unknowns of the equations only (multipliers as
 * velocities) are copied from `from`. */
zw_status zw_sim_stage_enter(zw_sim_stage *stage, const zw_sim_stage *from, double t,
                             const double *x, zw_error *err);
/* Callback for every piece of the motion (user: the simulation). */
zw_status zw_sim_piece(void *user, zw_run *run, double t0, double t1, zw_error *err);
/* Does the principle have multipliers among its unknowns? */
zw_status zw_sim_has_multipliers(zw_sim *sim, bool *answer, zw_error *err);

/* clock.c. set: ticks from t (inclusive: with one at t itself); next: the time of the next one;
 * due: the events whose clocks tick now, which advances these clocks. */
zw_status zw_sim_clock_set(zw_sim_variant_state *world, double t, bool inclusive, zw_error *err);
double zw_sim_clock_next(const zw_sim_variant_state *world);
/* the next tick of a clock that does something */
double zw_sim_clock_acts(const zw_sim_variant_state *world);
int zw_sim_clock_due(zw_sim_variant_state *world, double t, int *event);

/* zeno.c. Adds the time t of an event. True if its times accumulate: then *limit is the limit, and
 * the time before it is less than the fraction `tiny` of the time since they began to. span: length
 * of the run [s]. */
bool zw_sim_accumulates(zw_sim_history *h, double t, double span, double tiny, double *limit);

/* event_instant.c. Handles n events and all that follow from them at the same instant; *stop: the
 * run ends. The second function does so at the start of a run, where events may be due. */
zw_status zw_sim_meet(zw_sim *sim, int n, int *event, bool *stop, zw_error *err);
zw_status zw_sim_meet_start(zw_sim *sim, bool *stop, zw_error *err);

/* act.c. Continues from the present state in another stage. */
zw_status zw_sim_change_stage(zw_sim *sim, zw_sim_stage *next, double t, const double *x,
                              zw_error *err);
/* Projects sim->x onto the constraints of a stage; coordinates must not jump unless `moved`. */
zw_status zw_sim_settle(zw_sim *sim, zw_sim_stage *stage, double t, bool moved, zw_error *err);
/* The value of an expression of parameters, coordinates and time at (t, q); NaN if memory is
 * short. */
double zw_sim_value(const zw_sim_stage *stage, zw_expr e, double t, const double *q);
/* leaf_change.c. Warns if an event has moved the state of `before` to sim->x on another leaf of
 * constraints that were active. */
zw_status zw_sim_watch_leaf(zw_sim *sim, const zw_sim_stage *before, zw_sim_stage *next,
                            const zw_event *e, double t, zw_error *err);
/* Carry out the actions of n events that happen now; the statistics of all runs so far. */
zw_run_info zw_sim_total(const zw_sim *sim);
/* Adds the statistics of the stage's run, which ends. */
void zw_sim_total_over(zw_sim *sim);
void zw_sim_add_method(char *list, size_t size, const char *method);
zw_status zw_sim_act(zw_sim *sim, int n, const int *event, zw_error *err);

/* record.c. Creates the tables with their columns, maps a stage to them, records the present state
 * as a row. */
zw_status zw_sim_record_create(zw_sim *sim, zw_error *err);
void zw_sim_record_destroy(zw_sim *sim);
/* The notes of empty tables, and the works, at a new start. */
zw_status zw_sim_record_again(zw_sim *sim, zw_error *err);
zw_status zw_sim_record_map(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
zw_status zw_sim_record_row(zw_sim *sim, zw_error *err); /* unless it exists already */
/* Stores the state before n events; then appends a row for each. */
void zw_sim_record_before(zw_sim *sim);
zw_status zw_sim_record_events(zw_sim *sim, const zw_sim_variant_state *world, int n,
                               const int *event, double energy_jump, zw_error *err);
double zw_sim_energy(const zw_sim *sim);
/* The present state as a row; `over`: starts new means. The second function fills the columns of
 * the state, multipliers, observables and energies from other values; it returns their number. */
void zw_sim_record_fill(zw_sim *sim, double *row, bool over);
int zw_sim_record_values(const zw_sim *sim, double *row, double t, const double *x, const double *z,
                         const double *obs);

/* energy_balance.c. The works: names, the numbers of a stage, their growth along a piece, columns
 * and entries of a row. */
zw_status zw_sim_work_create(zw_sim *sim, zw_error *err);
void zw_sim_work_again(zw_sim *sim);
zw_status zw_sim_work_map(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
zw_status zw_sim_work_piece(zw_sim *sim, zw_run *run, double t0, double t1, zw_error *err);
zw_status zw_sim_work_columns(const zw_sim *sim, zw_table *t);
void zw_sim_work_row(const zw_sim *sim, double *row);

/* contacts.c. The choice of the scheme; its columns; its entries of a row, which start new means if
 * `over`; works since the start; warnings about overlaps at the start. */
zw_status zw_sim_contacts_choose(zw_sim *sim, const zw_system *s, zw_error *err);
/* contact_choice.c. The scheme if none is requested, and the reason for time steps. After a failure
 * of chosen events: may time steps replace them? The numbers with which they start. The scheme and
 * its reason as text; "" without contacts. */
zw_sim_scheme zw_sim_contacts_scheme(const zw_sim *sim, const zw_system *s, char *why, size_t size);
/* A stage is entered: are there too many in this motion? */
zw_status zw_sim_contacts_admit(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
zw_status zw_sim_contacts_pace(zw_sim *sim, double t, zw_error *err); /* is it too slow? */
bool zw_sim_contacts_may_step(const zw_sim *sim, zw_status status);
zw_status zw_sim_contacts_numbers(const zw_sim *old, zw_arena *arena, zw_sim_numbers *out,
                                  zw_error *err);
void zw_sim_contacts_words(const zw_sim *sim, char *out, size_t size);
/* Does this constraint belong to a contact? In time steps only the contact problem enforces it. */
/* Contact `index` of a kernel, which has only the contacts that are not off. */
const zw_contact *zw_sim_contact(const zw_system *s, int index);
/* Sets sim->absent as at the start of the model; or for another variant with the same contacts,
 * from `from`. */
/* Jump of a coordinate, relative to 1 + its value, or overlap, that is accepted where a constraint
 * or a contact is switched on: events are located to better than that with the default
 * tolerances. */
#define ZW_SIM_LOCATED 1e-6
void zw_sim_contacts_idle(zw_sim *sim, const zw_system *s);
void zw_sim_contacts_inherit(zw_sim *sim, const zw_system *from, const zw_system *to);
/* Those that have been switched on since `before` must not overlap. */
zw_status zw_sim_contacts_switched(const zw_sim *sim, const zw_sim_stage *before, zw_error *err);
/* Write to and read from the notes of a result. */
zw_status zw_sim_contacts_note(const zw_sim *sim, zw_table *t);
zw_status zw_sim_contacts_recall(zw_sim *sim, const zw_system *s, const zw_table *result,
                                 zw_error *err);
/* the error message about a gap that jumps by `by` [m] at t */
zw_status zw_sim_reject_jump(const zw_contact *c, double t, double by, zw_error *err);
/* about a contact that overlaps now */
zw_status zw_sim_reject_overlap(const zw_sim *sim, const zw_contact *c, double gap, zw_error *err);
/* Time steps, before and after events of the model act: an error if they make bodies overlap. from:
 * the system before. */
zw_status zw_sim_contacts_before(zw_sim *sim, zw_error *err);
zw_status zw_sim_contacts_after(zw_sim *sim, const zw_system *from, zw_error *err);
/* the error message about an invalid number of a law */
zw_status zw_sim_reject_law(const zw_contact *c, double t, const char *wrong, double value,
                            zw_error *err);
bool zw_sim_is_of_contact(const zw_system *s, int constraint);
/* Do events switch it as a constraint, and not as a contact whose scheme decides what is active? */
bool zw_sim_is_switched(const zw_sim *sim, const zw_system *s, int constraint);
zw_status zw_sim_contacts_columns(zw_sim *sim, zw_table *t, bool rows);
/* "kind(name.part)" */
zw_status zw_sim_contacts_column(zw_table *t, const char *kind, const char *name, const char *part,
                                 const char *unit);
zw_status zw_sim_contacts_start(zw_sim *sim, zw_error *err);
/* Works continue from the last row of a result; their sum is added to *sum. */
zw_status zw_sim_contacts_resume(zw_sim *sim, const zw_table *t, double *sum, zw_error *err);
void zw_sim_contacts_gather(zw_sim *sim);
/* The warnings at the end of a motion. */
#define ZW_SIM_STEP_ERRORS "errors of steps" /* key of the warning about them */
void zw_sim_contacts_end(zw_sim *sim);
void zw_sim_contacts_row(zw_sim *sim, double *row, bool over);
/* contact_events.c. From event to event. create: checks, names and memory; begin, start: the
 * contact modes of a start; meet: the changes by the functions that vanish now (numbers from nevent
 * of the system); after: the changes by events of the model. */
zw_status zw_sim_standing_create(zw_sim *sim, zw_error *err);
/* The contact that events do not support, the reason as text, and a hint; NULL: all contacts of all
 * variants are supported. The run finds out if too many close at once. */
const zw_contact *zw_sim_standing_obstacle(const zw_sim *sim, char *why, size_t size,
                                           const char **hint);
void zw_sim_standing_destroy(zw_sim *sim);
void zw_sim_standing_begin(zw_sim *sim, const zw_system *s, bool *on);
zw_status zw_sim_standing_start(zw_sim *sim, zw_error *err);
zw_status zw_sim_standing_meet(zw_sim *sim, int n, const int *event, zw_error *err);
/* An instant begins, without impacts. */
void zw_sim_standing_moment(zw_sim *sim);
/* The equations without contacts of a stage. */
zw_status zw_sim_ground_get(zw_sim *sim, const zw_sim_stage *stage, zw_sim_ground **out,
                            zw_error *err);
zw_status zw_sim_standing_after(zw_sim *sim, zw_error *err);
/* The friction block of contact c that sticks by this constraint; -1: none. */
int zw_sim_block_of(const zw_contact *c, int constraint);
/* Does a block of friction that can stick slide in this stage? */
bool zw_sim_stage_slides(const zw_sim_stage *stage);
/* After these: has a contact collided? report: writes the events of contacts, whose impacts changed
 * the energy by `jump` [J], to the table. */
bool zw_sim_standing_has_hit(const zw_sim *sim);
zw_status zw_sim_standing_report(zw_sim *sim, double jump, zw_error *err);
zw_status zw_sim_standing_switch(zw_sim *sim, zw_error *err);
/* Function i of the events of a kernel by name, "event NAME" or "change of contact NAME", and its
 * place. */
typedef struct zw_sim_function {
    char name[200];
    zw_place place;
} zw_sim_function;
zw_sim_function zw_sim_function_of(const zw_system *s, int i);
/* Sets the required modes of the kernel's contacts, and the constraints that belong to them. */
void zw_sim_standing_want(zw_sim *sim, const zw_system *s, const zw_contact_mode *stance, bool *on);
/* "the contact NAME what" */
void zw_sim_standing_warning(const zw_sim *sim, const zw_contact *c, double t, const char *what,
                             const char *hint);
/* contact_notes.c. Contact modes at the end of a run, written to the notes of its result and read
 * from them; their works, added to *sum. */
zw_status zw_sim_standing_note(const zw_sim *sim, zw_table *t);
zw_status zw_sim_standing_resume(zw_sim *sim, const zw_system *s, const zw_table *result, bool *on,
                                 zw_error *err);
zw_status zw_sim_standing_resume_works(zw_sim *sim, const zw_table *t, double *sum, zw_error *err);
/* The next limit of infinitely many impacts; the changes that are due now. */
double zw_sim_standing_next(const zw_sim *sim);
zw_status zw_sim_standing_due(zw_sim *sim, zw_error *err);
/* contact_rows.c. Columns and entries of a row; the index of the work of a contact (2 contact, of
 * its friction + 1) to which a power belongs, -1: none; the sum of all. */
int zw_sim_standing_work(const zw_sim *sim, const zw_system *s, const zw_power *power);
double zw_sim_standing_works(const zw_sim *sim);
zw_status zw_sim_standing_columns(zw_sim *sim, zw_table *t);
void zw_sim_standing_row(zw_sim *sim, double *row, bool over);
/* contact_events.c: a warning where a contact slides in Painleve's paradox. */
void zw_sim_standing_warning_jam(zw_sim *sim);
/* options.c. Copies and checks the caller's options (NULL: the defaults). */
zw_status zw_sim_options_adopt(zw_sim_options *own, const zw_sim_options *given, zw_error *err);
/* Copies a struct of ours, with an inner one in it, to a caller that was compiled with other
 * sizes. */
void zw_sim_hand_out(void *out, size_t size, size_t inner_size, const void *own, size_t own_size,
                     size_t inner, size_t own_inner_size);
/* numbers.c. check: do these numbers belong to this simulation? apply: variants and start get them
 * (numbers may be NULL). */
zw_status zw_sim_numbers_check(const zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err);
/* The index of one that was checked, in a system that the simulation may come to. */
int zw_sim_number_index(const zw_sim *sim, const zw_system *s, const zw_sim_number *number,
                        bool param);
zw_status zw_sim_numbers_apply(zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err);

/* completion.c. Completes x at t from the entries that `said` marks as given; entry (nq + nv) and
 * other (ZW_SIM_OTHERS x (nq + nv)) are memory for *out. */
zw_status zw_sim_complete(zw_run *run, const zw_equations *eq, double t, const double *p,
                          const zw_said *said, const double *width, double *x, zw_completed *entry,
                          double *other, zw_completion *out, zw_error *err);

/* simulate.c. A simulation from its start, or continued (resume not NULL). */
zw_status zw_sim_make(zw_sim **out, const zw_system *sys, const zw_model_source *source,
                      const zw_sim_options *options, const zw_resume *resume, zw_error *err);

/* begin: at the start of the model or where a result ends (resume not NULL); forget: removes the
 * last motion; advance_to: integrates to t and handles the events before it. */
zw_status zw_sim_begin(zw_sim *sim, const zw_resume *resume, zw_error *err);
void zw_sim_forget(zw_sim *sim);
/* Does the caller want it to end here? */
bool zw_sim_asks_to_stop(const zw_sim *sim, double t);
zw_status zw_sim_advance_to(zw_sim *sim, double t, bool *stop, zw_error *err);

/* resume.c. Restores the values and switches set by events; the last state; rows, works and
 * statistics so far. */
zw_status zw_sim_resume_world(zw_sim_variant_state *world, const zw_resume *resume, bool *on,
                              zw_error *err);
zw_status zw_sim_resume_state(zw_sim_stage *stage, const zw_resume *resume, zw_error *err);
zw_status zw_sim_resume_record(zw_sim *sim, const zw_resume *resume, zw_error *err);

/* result.c. The parts of a note between separators, after `more` empty entries. Names live in
 * ctx. */
typedef struct zw_names {
    int n;
    const char **item;
} zw_names;
zw_status zw_names_split(zw_context *ctx, const char *text, char separator, int more, zw_names *out,
                         zw_error *err);

/* notes.c. The notes at the start and at the end. */
#define ZW_SIM_SET_AT "parameters set at"             /* lines "TIME NAME VALUE", SI units */
#define ZW_SIM_PARAM_AT_END "param %.120s at the end" /* if it differs from the start */
zw_status zw_sim_notes_begin(zw_sim *sim, zw_table *table);
zw_status zw_sim_notes_end(zw_sim *sim, zw_table *table);
const char *zw_sim_phase_text(zw_event_phase phase);

/* fault.c. The numbers of a failed run turned into names and places of the model; p: parameters. */
void zw_sim_explain(const zw_equations *eq, const zw_run *run, const double *p, zw_error *err);
/* Appends text to an error: the time and the event of a failure. */
ZW_PRINTF(2, 3) void zw_sim_add_text(zw_error *err, const char *fmt, ...);
/* The constraint with this symbol as its multiplier; NULL if there is none. */
const zw_constraint *zw_sim_constraint_of(const zw_system *s, zw_expr symbol);

/* warnings.c. Callback for the warnings of a stage's run (user: the stage), which gives them names;
 * warnings about values of the present row that are not finite. */
void zw_sim_on_warning(void *user, zw_warning_kind kind, int index, double t, double value);
void zw_sim_warning_row(const zw_sim *sim, const double *row);
/* The constraints hardly determine the eliminated velocities, and there is no other choice. */
void zw_sim_warning_choice(const zw_sim *sim, double t);
/* The impact of a contact acts on another one that touches, with restitution in both. */
void zw_sim_warning_chain(const zw_sim *sim, const zw_contact *hit, const zw_contact *other,
                          double t);
/* Two events at one instant set the same thing. */
void zw_sim_warning_order(const zw_sim *sim, const zw_event *first, const zw_event *next, double t);
/* Warnings about the models themselves, with their parameters. */
zw_status zw_sim_warning_models(const zw_sim *sim, zw_error *err);
/* small_motions.c. Warnings at the end: coordinates and states that have moved by little more than
 * their tolerances. */
void zw_sim_warning_small(const zw_sim *sim);

/* input.c: connect: the external inputs of a new stage; next: the time of the next piece of a
 * table; turn: continues with it, to the requested time `aim`; begin: starts at t. */
void zw_sim_input_begin(zw_sim *sim, double t);
/* What the inputs of a world need, made where it is needed first. */
zw_status zw_sim_input_prepare(zw_sim *sim, zw_sim_variant_state *w, zw_error *err);
zw_status zw_sim_input_connect(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
/* the inputs of another flow of a stage's variant */
void zw_sim_input_feed(zw_flow *flow, zw_sim_stage *stage);
double zw_sim_input_next(const zw_sim *sim);
/* noise.c. The step of the noise, given or chosen; checks of its intensities; its description and
 * warnings. */
zw_status zw_sim_noise_step(zw_sim *sim, const zw_system *sys, const zw_model_source *source,
                            zw_error *err);
zw_status zw_sim_noise_check(const zw_sim_variant_state *w, zw_error *err);
zw_status zw_sim_noise_admit(const zw_sim *sim, zw_error *err); /* at the start */
void zw_sim_noise_words(const zw_sim *sim, char *out, size_t size);
void zw_sim_noise_warning(zw_sim *sim);
/* noise_fields.c. The level of the longest cells that resolve events after the present state. */
int zw_sim_noise_level_near(zw_sim *sim);
/* path: selects noise path number `path`; draw: draws the starts of states that are random. */
void zw_sim_input_path(zw_sim *sim, long path);
void zw_sim_input_draw(const zw_sim *sim, const zw_system *s, const double *p, double *x,
                       zw_said *said);
/* Does only a cell of noise end there? The next one may wait until the end of the motion is
 * known. */
bool zw_sim_input_waits(const zw_sim *sim, double turn);
zw_status zw_sim_input_turn(zw_sim *sim, double t, double aim, zw_error *err);

#endif
