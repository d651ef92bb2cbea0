/* SPDX-License-Identifier: MIT */
/* The inside of a simulation, shared by the files of this folder.
 *
 * A world is a system with the values of its parameters: the model as it was given, or a variant
 * that an event can switch to. A stage is what can be integrated: the equations, the kernel and the
 * run of a world with certain constraints switched on. Both are kept, so that coming back costs
 * nothing. */
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
    zw_context *own; /* context of a variant; NULL for the world of the caller */
    const zw_system *sys;
    double *p;       /* np: values of the parameters now */
    double *said;    /* np: values that the text, or a number in its place, gives them */
    bool *given;     /* np: set by an event */
    bool *numbered;  /* np: `said` is a number of the caller's */
    bool *own_value; /* np: scratch, those that follow no others */
    int *number;     /* nevent: numbers of the events in the tables */
    int version;     /* counts the changes of p */
    double *held;    /* nsignal: values of a drive, NaN: the model's; NULL: none (drive.c) */
    double *signal;  /* nsignal: values of those without a table; NULL until a stage needs them */
    int signal_version; /* of p, by which they were made */
    zw_brownian *noise; /* nsignal: paths of those that are noise */
    int nclock;
    zw_sim_clock *clock;
    double until, memory_max; /* of the options: how long clocks may tick */
    zw_sim_variant_state *next;
};

/* noise_fields.c. The events that noise drives directly. */
typedef struct zw_sim_reach {
    bool known, *event; /* nevent; NULL: none */
    double *x;          /* 3 nx + 3 nevt of the kernel: room */
} zw_sim_reach;

typedef struct zw_sim_stage zw_sim_stage;
struct zw_sim_stage {
    zw_sim *sim;
    zw_sim_variant_state *world;
    bool *on; /* nconstraint */
    zw_contact_mode
        *stance;  /* ncontact: how contacts stand, if they go from event to event; else NULL */
    bool *absent; /* ncontact: switched off by events */
    int nshare;
    zw_share *share;   /* nshare: rows of contacts that depend on others */
    double rest, most; /* limits of its slips: those of zw_sim_standing */
    const bool
        *asked; /* nv: velocities to be eliminated, while the equations are derived; NULL: any */
    bool first_choice;    /* the velocities to eliminate were not prescribed */
    long motion;          /* number of the last motion that used it */
    bool settled;         /* no other choice of velocities to eliminate is better */
    int version;          /* of the parameters the runs know */
    const zw_system *sys; /* the world's, with the integrals that runs keep; of the equations */
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    /* the same in the velocities of the system, for starts and jumps: the above, unless the
     * principle has velocities of its own */
    const zw_equations *home_eq;
    zw_kernel *home_kernel;
    zw_run *home;
    double *x;        /* nx of the equations: a state on its way in */
    bool conserves;   /* its energy is constant, but for contacts */
    zw_power *powers; /* npowers, for the method that keeps the energy */
    int npowers;
    int npower;
    int *work;     /* npower: numbers of the works; -1 - i: work i of contacts */
    double *power; /* npower: at the state `node` (nx) within a step */
    double *node;
    /* where the columns of a row come from, filled by record.c; -1: nowhere */
    int *velocity, *lambda, *observable;
    struct zw_integrals *leaf; /* of its constraints; NULL: not asked for yet (system_on_leaf.c) */
    zw_sim_reach reach;
    zw_sim_stage *next;
};

/* The columns of the tables in their order. Names, since variants have symbols of their own. */
typedef struct zw_sim_columns {
    int nq, nvelocity, nlambda, nobservable;
    const char **velocity, **lambda, **observable;
} zw_sim_columns;

/* How an event has come so far, to see whether its times accumulate. */
typedef struct zw_sim_history {
    long times;
    double last, interval; /* time of the last one, and its distance to the one before */
    double began;          /* since then the intervals shrink */
    long shrinking;        /* how many have, one after the other */
    long standing;         /* how many had no length at all */
    double left;           /* as far as can be told, the time to their limit; 0 if nothing can */
    double speed;          /* of contacts: with which the last impact came */
} zw_sim_history;

/* A run that is continued. */
typedef struct zw_resume {
    const zw_table *result;         /* its rows so far, with their notes */
    const zw_model_options *change; /* what is different from now on; NULL: nothing */
} zw_resume;

enum { ZW_SIM_OTHERS = 8 }; /* other starts that are kept */

/* contacts.c. Contacts in time steps. */
typedef struct zw_sim_contacts {
    bool steps;         /* they are */
    bool chosen;        /* by zw_sim_contacts_choose: no scheme was requested */
    char why[400];      /* time steps were chosen; "": not */
    long pace_steps;    /* of events that were chosen: at this time */
    double pace_since;  /* s */
    char estimate[240]; /* of the error, in words, when the motion is over */
    int n, nrow;        /* contacts and their rows, as in the kernel */
    int first;          /* column of theirs in `rows` */
    zw_moreau_options options;
    zw_method method;
    zw_contact_report *now;        /* n: of the last question, and */
    double *impulse;               /* nrow: of the steps from `since` to `until` */
    double since, until, residual; /* s; worst of these steps */
    int iterations;                /* most of these steps */
    bool told;                     /* in a row: the next step begins anew */
    bool *touched;                 /* n: it has pushed in this run */
    double *work;                  /* 2 n: since the start */
    double *gap;                   /* contacts of a system: before events act; NULL: not yet */
    double deepest;                /* largest overlap of all, m, and its contact */
    int deepest_contact;
    double energy, kinetic; /* J: of the start; the most so far */
    double drift;           /* J: the most that the energy has changed without the contacts */
    double worst;           /* residual of all */
} zw_sim_contacts;

/* contact_events.c. Contacts from event to event. The equations of a world without its contacts,
 * and what decides how these stand: one for every set of constraints of the model that holds. */
typedef struct zw_sim_ground zw_sim_ground;
struct zw_sim_ground {
    const zw_sim_variant_state *world;
    bool *on; /* nconstraint: without those of contacts */
    int version;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run; /* has never moved: it knows the pieces of kinks that follow a moment */
    struct zw_contact_modes *stances;
    zw_sim_ground *next;
};
typedef enum zw_sim_turn { /* what contacts do */
                           ZW_TURN_HIT,
                           ZW_TURN_LIFTS,
                           ZW_TURN_RESTS, /* infinitely many impacts are over */
                           ZW_TURN_SLIPS, /* of a block, as the following */
                           ZW_TURN_STICKS,
                           ZW_TURN_TURNS, /* a slip changes its sign */
                           ZW_TURN_COUNT
} zw_sim_turn;
typedef struct zw_sim_standing {
    bool used, known; /* from event to event; stances at the start come from a result */
    int ncontact, nrow,
        nwatch;     /* most of a world: contacts, their rows, functions that are watched */
    int first_name; /* number of the first of their events */
    zw_sim_ground *grounds;
    zw_contact_mode *stance,
        *prior; /* ncontact of the system: wanted, and before an event of the model */
    zw_contact_mode *was, *next; /* as many of the kernel: before a moment, and after it */
    zw_contact_mode *now;        /* as many: those of the stage */
    unsigned char *over;         /* ncontact x ZW_CONTACT_MODE_PARTS: what of them has ended */
    bool *touching, *rests, *hit, *meets; /* ncontact; meets: takes part in an impact */
    double *before, *P;                   /* nrow: rates before an impact, impulses */
    double *direction;                    /* nrow */
    int nshare;
    zw_share *share;      /* nrow: wanted, as `stance` */
    double *reach, *size; /* nv: largest velocities so far; coordinates now */
    double *impulse;      /* nrow: since the last row */
    double *work;         /* 2 ncontact: since the start */
    double
        *rest_at; /* ncontact: end of the impacts of a contact that is closed for them; NaN: none */
    int *anew;    /* ncontact: how often in a row a slip has begun anew */
    double *drift;           /* ncontact: rates of closed contacts that are no motion, m/s */
    zw_sim_history *history; /* ncontact: of impacts */
    long standing;           /* turns since time went on */
    double last;
    double rest; /* m/s: slips of several velocities end there; 0: not known yet */
    /* m/s: a step of fixed length may pass the end of such a slip below this; 0: steps are
     * controlled */
    double passed;
    double most; /* N: normal forces beyond it jam; 0: not known yet */
    bool jams;   /* in this moment */
    /* of this moment, in their order; more than ZW_SIM_IMPACTS: the last ones are not kept */
    int nimpact;
    /* ZW_SIM_IMPACTS x ncontact: contacts that take part, those without restitution */
    bool *met, *plastic;
    bool ambiguous; /* the motion depends on how contacts share forces */
    bool paradox;   /* an impulse has resolved Painleve's paradox at this time */
} zw_sim_standing;
enum { ZW_SIM_IMPACTS = 16 };

/* What contacts have done at a moment: n functions of theirs have come to zero (numbers as in the
 * kernel), or a gap or a slip switches (n = 0); how they stand now is the stage's. Or n events of
 * the model have acted together with contacts: then `touching` is NULL. */
typedef struct zw_sim_turned {
    double t;
    int n;
    const int *event;
    const zw_sim_stage *from, *to;
    const bool *touching; /* of the kernel's contacts */
    bool ends;            /* impacts accumulate, and are taken for over */
    bool jams;
    const double *x; /* after it */
} zw_sim_turned;
/* Callback at every event, for studies. */
typedef zw_status (*zw_sim_turning)(void *user, const zw_sim_turned *turned, zw_error *err);

/* driven_sim.c. Who looks at a motion on its way; any may be NULL. */
typedef struct zw_sim_watch {
    void *user;
    zw_run_piece piece; /* every piece of the motion */
    bool (*event)(
        void *user,
        int number); /* of the event that happens now, and has not acted yet; true: stop there */
} zw_sim_watch;

struct zw_sim {
    bool driven;    /* looked at on its way: nothing is recorded (driven_sim.h) */
    bool early;     /* zw_sim_advance_to returns behind every event */
    double horizon; /* time up to which a driven motion is known to be wanted, s */
    zw_sim_watch watch;
    zw_sim_number *driven_number; /* np + nq + nv: room */
    zw_sim_turning on_turn;       /* NULL: none */
    void *on_turn_user;
    zw_arena arena; /* all that has the lifetime of the simulation */
    zw_sim_options options;
    zw_model_source source;
    zw_model_options model;       /* what source.options points to */
    zw_sim_variant_state *worlds; /* the first one is the caller's */
    zw_sim_stage *stages;
    zw_sim_stage *stage; /* the one that runs */
    long motion;         /* counts the starts, from 1 on */
    int nstage;          /* stages of this motion */

    zw_warnings *doubts; /* so far */
    zw_sim_columns columns;
    zw_table *rows, *events;
    /* "TIME PARAMETER VALUE" of every parameter that an event has changed, one per line */
    zw_text set_at;
    double *p_before;    /* np of the largest world: parameters before events act */
    double *row;         /* a row of rows */
    double *event_row;   /* a row of events: number, columns of rows, jump of the energy */
    bool row_is_current; /* the last row of `rows` is the present state */
    int nevent;          /* events of all worlds, by name */
    const char **event;
    zw_sim_history *history; /* nevent */

    zw_event_side *armed,
        *side;                /* nevent: of the event functions, by number; by index, for a run */
    int *met;                 /* nevent: events of the present moment */
    double *repeat;           /* nevent: periods of their functions, by index */
    int *way;                 /* nevent: which way the functions go, by index */
    bool *acted, *waiting;    /* nevent: in the last moment, by number */
    double moment;            /* its time */
    int *passing;             /* nevent: which way those passed zero that acted or wait */
    double *x, *was, *values; /* a state of the system that jumps, before it, what events set */
    bool *fixed;              /* its entries that were set */
    zw_said *said;            /* nq + nv: what is said of the start */
    double *width;            /* nq: how far coordinates reach */
    zw_completed *completed;  /* nq + nv: of the completion */
    double *others;           /* ZW_SIM_OTHERS x (nq + nv): of the completion */
    zw_completion completion;
    bool *start_given; /* nq + nv: the start is a number of the caller's */
    double *start_value;
    bool resumed; /* goes on from a result: has no start to go back to */
    bool *want,
        *held;    /* constraints that are to hold, and to have held in the world that is left */
    bool *absent; /* ncontact: contacts that are to be switched off */

    int nwork; /* works so far, with the balance of energy */
    const char **work_name;
    double *work;
    bool events_work; /* there is an event that acts, so that work(events) has a column */
    double event_work, energy_start;

    double
        piece; /* the pieces of tables that hold are those of this time, and the cells of noise */
    int noise_level, cell_level; /* of these cells: they last 2^noise_level s; of the present one */
    double noise_probe;          /* NaN, or the value of the noises over their intensities: */
    int noise_alone;             /* of this signal only, the others are 0; -1: of all */
    bool pilot;                  /* it chooses the step of the noise: its order is of no interest */
    double noise_error; /* change of the path's motion with the last halving; NaN: not known */
    bool *best;         /* nv: a better choice of velocities to eliminate */
    double *node;       /* nq + nv: a state within a step */
    bool poor;          /* that of the stage is poor where the run is */
    bool interrupted;
    double passed; /* end of the last piece of the motion */
    zw_sim_contacts contacts;
    zw_sim_standing standing;
    zw_sim_ending ending;
    long nmet;           /* events so far */
    double accumulation; /* where events accumulate, s */
    zw_run_info total;   /* of the runs that are over */
    char methods[160];   /* by which they were integrated */
};

static inline const zw_sim_variant_state *zw_sim_now(const zw_sim *sim) {
    return sim->stage->world;
}

/* variant_state.c. The caller's world and those of all variants that events can lead to. */
zw_status zw_sim_variant_states_create(zw_sim *sim, const zw_system *sys, zw_error *err);
void zw_sim_variant_states_destroy(zw_sim *sim);
zw_sim_variant_state *zw_sim_variant_state_find(const zw_sim *sim,
                                                const char *variant); /* NULL if there is none */
/* Parameters follow those that are given. */
zw_status zw_sim_variant_state_follow(zw_sim_variant_state *world, zw_error *err);
/* What events have set and switched in `from`, where `held` holds, taken over to `to`: there `on`
 * holds. */
zw_status zw_sim_variant_state_inherit(const zw_sim_variant_state *from, const bool *held,
                                       zw_sim_variant_state *to, bool *on, zw_error *err);
/* What holds in a world: where the simulation is what holds now, elsewhere what its text says. */
bool zw_sim_variant_state_holds(const zw_sim *sim, const zw_sim_variant_state *world,
                                int constraint);

/* stage.c. The stage of a world with these constraints on, made if there is none yet; its runs know
 * the parameters. */
zw_status zw_sim_stage_get(zw_sim *sim, zw_sim_stage **out, zw_sim_variant_state *world,
                           const bool *on, zw_error *err);
bool zw_sim_same_stance(const zw_contact_mode *a, const zw_contact_mode *b);
void zw_sim_stages_destroy(zw_sim *sim);
/* Start the run anew at t from stage->x. */
zw_status zw_sim_stage_again(zw_sim_stage *stage, double t, zw_error *err);
/* Before the stage is left or started again: which events are about to come. After it: they still
 * are, unless their functions have jumped; if jumps count, those that have jumped through zero come
 * now. */
zw_status zw_sim_events_remember(zw_sim *sim, zw_error *err);
void zw_sim_events_arm(zw_sim *sim, bool jumps_count);
/* The start of the model, completed, at time t. */
zw_status zw_sim_stage_start(zw_sim *sim, double t, zw_error *err);
/* Another stage, if this one eliminates velocities that are badly chosen at the state x. */
bool zw_sim_stage_suits(const zw_sim *sim, const zw_sim_stage *stage, double t, const double *x);
zw_status zw_sim_stage_suit(zw_sim *sim, zw_sim_stage **stage, double t, const double *x,
                            zw_error *err);
/* What runs remember of an earlier motion is forgotten. */
void zw_sim_stages_forget(zw_sim *sim);
/* The state x = (q, v) of the system at the state of the stage's run. */
zw_status zw_sim_stage_leave(zw_sim_stage *stage, double *x, zw_error *err);
/* Begin at a consistent state x of the system. What only the equations have (multipliers as
 * velocities) is taken over from `from`. */
zw_status zw_sim_stage_enter(zw_sim_stage *stage, const zw_sim_stage *from, double t,
                             const double *x, zw_error *err);
/* Told of every piece of the motion (user is the simulation). */
zw_status zw_sim_piece(void *user, zw_run *run, double t0, double t1, zw_error *err);
/* Does the principle have multipliers among its unknowns? */
zw_status zw_sim_has_multipliers(zw_sim *sim, bool *answer, zw_error *err);

/* clock.c. Ticks from t on (inclusive: one at t itself counts); the time of the next one; the
 * events whose clocks tick now, which are then over. */
zw_status zw_sim_clock_set(zw_sim_variant_state *world, double t, bool inclusive, zw_error *err);
double zw_sim_clock_next(const zw_sim_variant_state *world);
/* the next tick of a clock that does something */
double zw_sim_clock_acts(const zw_sim_variant_state *world);
int zw_sim_clock_due(zw_sim_variant_state *world, double t, int *event);

/* zeno.c. An event came at t. True if its times accumulate: then the limit is in *limit, and what
 * is left before it is a part of the time that is smaller than `tiny`. span: length of the run. */
bool zw_sim_accumulates(zw_sim_history *h, double t, double span, double tiny, double *limit);

/* event_instant.c. n events happen now, and all that follows from them at once; *stop: the run
 * ends. The same at the start of a run, where events may be due. */
zw_status zw_sim_meet(zw_sim *sim, int n, int *event, bool *stop, zw_error *err);
zw_status zw_sim_meet_start(zw_sim *sim, bool *stop, zw_error *err);

/* act.c. Go on from the present state in another stage. */
zw_status zw_sim_change_stage(zw_sim *sim, zw_sim_stage *next, double t, const double *x,
                              zw_error *err);
/* sim->x onto the constraints of a stage, which must need no jump of coordinates unless `moved`. */
zw_status zw_sim_settle(zw_sim *sim, zw_sim_stage *stage, double t, bool moved, zw_error *err);
/* An expression of parameters, coordinates and time at (t, q); NaN if memory is short. */
double zw_sim_value(const zw_sim_stage *stage, zw_expr e, double t, const double *q);
/* system_on_leaf.c. Warns where an event has moved the state of `before` to sim->x on another leaf
 * of constraints that were active. */
zw_status zw_sim_watch_leaf(zw_sim *sim, const zw_sim_stage *before, zw_sim_stage *next,
                            const zw_event *e, double t, zw_error *err);
/* Carry out the actions of n events that happen now; the statistics of all runs so far. */
zw_run_info zw_sim_total(const zw_sim *sim);
/* The run of the stage is over, another begins. */
void zw_sim_total_over(zw_sim *sim);
void zw_sim_add_method(char *list, size_t size, const char *method);
zw_status zw_sim_act(zw_sim *sim, int n, const int *event, zw_error *err);

/* record.c. Tables with their columns; the places of a stage in them; the present state as a
 * row. */
zw_status zw_sim_record_create(zw_sim *sim, zw_error *err);
void zw_sim_record_destroy(zw_sim *sim);
/* The notes of empty tables, and the works, at a new start. */
zw_status zw_sim_record_again(zw_sim *sim, zw_error *err);
zw_status zw_sim_record_map(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
zw_status zw_sim_record_row(zw_sim *sim, zw_error *err); /* unless it is there already */
/* n events: remember the moment before them, then append a row each. */
void zw_sim_record_before(zw_sim *sim);
zw_status zw_sim_record_events(zw_sim *sim, const zw_sim_variant_state *world, int n,
                               const int *event, double energy_jump, zw_error *err);
double zw_sim_energy(const zw_sim *sim);
/* The present state as a row; `over`: means over the time since the last row begin anew. The
 * columns of the state, of multipliers, observables and energies from elsewhere: their number is
 * returned. */
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

/* contacts.c. Which scheme it is to be; its columns; a row of them, which begins the next means if
 * `over`; works since the start; overlaps at the start are told. */
zw_status zw_sim_contacts_choose(zw_sim *sim, const zw_system *s, zw_error *err);
/* contact_choice.c. The scheme if none is requested, and why it is time steps. After a failure of
 * events that were chosen: may time steps take their place? The numbers with which they begin. What
 * the scheme is and why, in words; "" without contacts. */
zw_sim_scheme zw_sim_contacts_scheme(const zw_sim *sim, const zw_system *s, char *why, size_t size);
/* A stage is entered: are these too many in this motion? */
zw_status zw_sim_contacts_admit(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
zw_status zw_sim_contacts_pace(zw_sim *sim, double t, zw_error *err); /* is it too slow? */
bool zw_sim_contacts_may_step(const zw_sim *sim, zw_status status);
zw_status zw_sim_contacts_numbers(const zw_sim *old, zw_arena *arena, zw_sim_numbers *out,
                                  zw_error *err);
void zw_sim_contacts_words(const zw_sim *sim, char *out, size_t size);
/* Does this constraint belong to a contact? Then it holds in time steps by the contact problem
 * alone. */
/* Contact `index` of a kernel, which has those that are not off. */
const zw_contact *zw_sim_contact(const zw_system *s, int index);
/* sim->absent as at the start of the model; and in a world with another text, from `from`, whose
 * contacts it has. */
#define ZW_SIM_LOCATED 1e-6 /* how far a coordinate may be off where something is switched on */
void zw_sim_contacts_idle(zw_sim *sim, const zw_system *s);
void zw_sim_contacts_inherit(zw_sim *sim, const zw_system *from, const zw_system *to);
/* Those that have been switched on since `before` must not overlap. */
zw_status zw_sim_contacts_switched(const zw_sim *sim, const zw_sim_stage *before, zw_error *err);
/* In the notes of a result, and back. */
zw_status zw_sim_contacts_note(const zw_sim *sim, zw_table *t);
zw_status zw_sim_contacts_recall(zw_sim *sim, const zw_system *s, const zw_table *result,
                                 zw_error *err);
/* the error of a gap that jumps by this much at t */
zw_status zw_sim_refuse_jump(const zw_contact *c, double t, double by, zw_error *err);
/* of one that overlaps now */
zw_status zw_sim_refuse_overlap(const zw_sim *sim, const zw_contact *c, double gap, zw_error *err);
/* Time steps, before and after events of the model act, from this system: an error where they push
 * bodies into each other. */
zw_status zw_sim_contacts_before(zw_sim *sim, zw_error *err);
zw_status zw_sim_contacts_after(zw_sim *sim, const zw_system *from, zw_error *err);
/* and of a number of a law that means nothing there */
zw_status zw_sim_refuse_law(const zw_contact *c, double t, const char *wrong, double value,
                            zw_error *err);
bool zw_sim_is_of_contact(const zw_system *s, int constraint);
/* Do events switch it as a constraint, and not as a contact whose scheme decides what holds? */
bool zw_sim_is_switched(const zw_sim *sim, const zw_system *s, int constraint);
zw_status zw_sim_contacts_columns(zw_sim *sim, zw_table *t, bool rows);
/* "kind(name.part)" */
zw_status zw_sim_contacts_column(zw_table *t, const char *kind, const char *name, const char *part,
                                 const char *unit);
zw_status zw_sim_contacts_start(zw_sim *sim, zw_error *err);
/* Works go on from the last row of a result; their sum is added. */
zw_status zw_sim_contacts_resume(zw_sim *sim, const zw_table *t, double *sum, zw_error *err);
void zw_sim_contacts_gather(zw_sim *sim);
/* What the whole motion tells of its accuracy. */
#define ZW_SIM_STEP_ERRORS "errors of steps" /* key of the doubt about them */
void zw_sim_contacts_end(zw_sim *sim);
void zw_sim_contacts_row(zw_sim *sim, double *row, bool over);
/* contact_events.c. From event to event: is it possible, names and memory; the contacts of a new
 * stage, or of a start; the wanted stances of a start; how a contact stands; what the functions of
 * the present moment (numbers from nevent of the system on) lead to. What events of the model leave
 * behind is looked at too. */
zw_status zw_sim_standing_create(zw_sim *sim, zw_error *err);
/* The contact that events do not support, the reason in words, and what to do; NULL: all contacts
 * of all worlds are supported. Whether more of them close at once than can be tried is found during
 * the run. */
const zw_contact *zw_sim_standing_obstacle(const zw_sim *sim, char *why, size_t size,
                                           const char **hint);
void zw_sim_standing_destroy(zw_sim *sim);
void zw_sim_standing_begin(zw_sim *sim, const zw_system *s, bool *on);
zw_status zw_sim_standing_start(zw_sim *sim, zw_error *err);
zw_status zw_sim_standing_meet(zw_sim *sim, int n, const int *event, zw_error *err);
/* A moment begins: it has no impacts yet. */
void zw_sim_standing_moment(zw_sim *sim);
/* The equations without contacts of a stage. */
zw_status zw_sim_ground_get(zw_sim *sim, const zw_sim_stage *stage, zw_sim_ground **out,
                            zw_error *err);
zw_status zw_sim_standing_after(zw_sim *sim, zw_error *err);
/* The block of friction of contact c that this constraint makes stick; -1: none. */
int zw_sim_block_of(const zw_contact *c, int constraint);
/* Does a block of friction that can stick slide in this stage? */
bool zw_sim_stage_slides(const zw_sim_stage *stage);
/* After either: has a contact collided? The events of contacts, whose impacts changed the energy by
 * `jump`, go into the table. */
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
/* Stances of the kernel's contacts are wanted from now on, with the constraints that belong to
 * them. */
void zw_sim_standing_want(zw_sim *sim, const zw_system *s, const zw_contact_mode *stance, bool *on);
/* "the contact NAME what" */
void zw_sim_standing_warning(const zw_sim *sim, const zw_contact *c, double t, const char *what,
                             const char *hint);
/* contact_notes.c. How they stand at the end of a run, for the notes of its result, and back from
 * them; their works, added to *sum. */
zw_status zw_sim_standing_note(const zw_sim *sim, zw_table *t);
zw_status zw_sim_standing_resume(zw_sim *sim, const zw_system *s, const zw_table *result, bool *on,
                                 zw_error *err);
zw_status zw_sim_standing_resume_works(zw_sim *sim, const zw_table *t, double *sum, zw_error *err);
/* The next end of infinitely many impacts; what is due at the present time. */
double zw_sim_standing_next(const zw_sim *sim);
zw_status zw_sim_standing_due(zw_sim *sim, zw_error *err);
/* contact_rows.c. Columns and entries of a row; the work of a contact (2 contact, of friction + 1)
 * that a power belongs to, -1: to none; all of them. */
int zw_sim_standing_work(const zw_sim *sim, const zw_system *s, const zw_power *power);
double zw_sim_standing_works(const zw_sim *sim);
zw_status zw_sim_standing_columns(zw_sim *sim, zw_table *t);
void zw_sim_standing_row(zw_sim *sim, double *row, bool over);
/* contact_events.c: a warning where a contact slides in Painleve's paradox. */
void zw_sim_standing_warning_jam(zw_sim *sim);
/* options.c. What the caller gave (NULL: the defaults), complete and checked. */
zw_status zw_sim_options_adopt(zw_sim_options *own, const zw_sim_options *given, zw_error *err);
/* A struct of ours with another one at `inner` in it, as a caller sees it who knows other sizes. */
void zw_sim_hand_out(void *out, size_t size, size_t inner_size, const void *own, size_t own_size,
                     size_t inner, size_t own_inner_size);
/* numbers.c. Are these numbers of this simulation? Then they can be applied: worlds and start have
 * them (numbers may be NULL). */
zw_status zw_sim_numbers_check(const zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err);
/* The index of one that was checked, in a system that the simulation may come to. */
int zw_sim_number_index(const zw_sim *sim, const zw_system *s, const zw_sim_number *number,
                        bool param);
zw_status zw_sim_numbers_apply(zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err);

/* completion.c. Complete x at t, of which `said` is said; entry (nq + nv) and other (ZW_SIM_OTHERS
 * x (nq + nv)) are room for what is told in *out. */
zw_status zw_sim_complete(zw_run *run, const zw_equations *eq, double t, const double *p,
                          const zw_said *said, const double *width, double *x, zw_completed *entry,
                          double *other, zw_completion *out, zw_error *err);

/* simulate.c. A simulation from its start, or continued (resume not NULL). */
zw_status zw_sim_make(zw_sim **out, const zw_system *sys, const zw_model_source *source,
                      const zw_sim_options *options, const zw_resume *resume, zw_error *err);

/* At the start of the model or where a result ends (resume not NULL); what a motion has left behind
 * is forgotten; to t, meeting the events on the way. */
zw_status zw_sim_begin(zw_sim *sim, const zw_resume *resume, zw_error *err);
void zw_sim_forget(zw_sim *sim);
/* Does the caller want it to end here? */
bool zw_sim_asks_to_stop(const zw_sim *sim, double t);
zw_status zw_sim_advance_to(zw_sim *sim, double t, bool *stop, zw_error *err);

/* resume.c. What events have set and switched; the last state; rows, works and statistics so
 * far. */
zw_status zw_sim_resume_world(zw_sim_variant_state *world, const zw_resume *resume, bool *on,
                              zw_error *err);
zw_status zw_sim_resume_state(zw_sim_stage *stage, const zw_resume *resume, zw_error *err);
zw_status zw_sim_resume_record(zw_sim *sim, const zw_resume *resume, zw_error *err);

/* result.c. The parts of a note between separators, behind room for `more` of them. Names live in
 * ctx. */
typedef struct zw_names {
    int n;
    const char **item;
} zw_names;
zw_status zw_names_split(zw_context *ctx, const char *text, char separator, int more, zw_names *out,
                         zw_error *err);

/* notes.c. What is known at the start, and what is known at the end. */
#define ZW_SIM_SET_AT "parameters set at"             /* lines "TIME NAME VALUE", SI units */
#define ZW_SIM_PARAM_AT_END "param %.120s at the end" /* if it is another value than at the start */
zw_status zw_sim_notes_begin(zw_sim *sim, zw_table *table);
zw_status zw_sim_notes_end(zw_sim *sim, zw_table *table);
const char *zw_sim_phase_text(zw_event_phase phase);

/* fault.c. The numbers of a failed run turned into names and places of the model; p: parameters. */
void zw_sim_explain(const zw_equations *eq, const zw_run *run, const double *p, zw_error *err);
/* The moment and the event at which something failed, added to the text. */
ZW_PRINTF(2, 3) void zw_sim_add_text(zw_error *err, const char *fmt, ...);
/* The constraint of a multiplier's symbol; NULL if it is something else. */
const zw_constraint *zw_sim_constraint_of(const zw_system *s, zw_expr symbol);

/* doubt.c. Doubts told by the numbers of a stage's run (user: the stage) turned into names; values
 * of the present row that are not finite. */
void zw_sim_on_warning(void *user, zw_warning_kind kind, int index, double t, double value);
void zw_sim_warning_row(const zw_sim *sim, const double *row);
/* Velocities are eliminated that the constraints hardly determine, and there is no other choice. */
void zw_sim_warning_choice(const zw_sim *sim, double t);
/* The impact of a contact acts on another one that touches, with restitution in both. */
void zw_sim_warning_chain(const zw_sim *sim, const zw_contact *hit, const zw_contact *other,
                          double t);
/* Two events of one moment that set the same thing. */
void zw_sim_warning_order(const zw_sim *sim, const zw_event *first, const zw_event *next, double t);
/* What is doubtful about the models themselves, with their parameters. */
zw_status zw_sim_warning_models(const zw_sim *sim, zw_error *err);
/* small_motions.c. At the end: coordinates and states that have moved by little more than their
 * tolerances. */
void zw_sim_warning_small(const zw_sim *sim);

/* input.c: external inputs of a new stage; when the next piece of a table begins; go on with it, to
 * the time `aim` that is wanted; begin at t. */
void zw_sim_input_begin(zw_sim *sim, double t);
/* What the inputs of a world need, made where it is needed first. */
zw_status zw_sim_input_prepare(zw_sim *sim, zw_sim_variant_state *w, zw_error *err);
zw_status zw_sim_input_connect(zw_sim *sim, zw_sim_stage *stage, zw_error *err);
/* the same for another flow of a stage's world */
void zw_sim_input_feed(zw_flow *flow, zw_sim_stage *stage);
double zw_sim_input_next(const zw_sim *sim);
/* noise.c. The step of the noise, given or chosen; are its intensities sensible; what is told of
 * it. */
zw_status zw_sim_noise_step(zw_sim *sim, const zw_system *sys, const zw_model_source *source,
                            zw_error *err);
zw_status zw_sim_noise_check(const zw_sim_variant_state *w, zw_error *err);
zw_status zw_sim_noise_admit(const zw_sim *sim, zw_error *err); /* at the start */
void zw_sim_noise_words(const zw_sim *sim, char *out, size_t size);
void zw_sim_noise_warning(zw_sim *sim);
/* noise_fields.c. The level of the longest cells that resolve events from the present state on. */
int zw_sim_noise_level_near(zw_sim *sim);
/* The paths of noise of another number; the starts of states that are drawn and not said. */
void zw_sim_input_path(zw_sim *sim, long path);
void zw_sim_input_draw(const zw_sim *sim, const zw_system *s, const double *p, double *x,
                       zw_said *said);
/* Is it a cell of noise alone that ends there? The next one may wait until it is known how far to
 * go. */
bool zw_sim_input_waits(const zw_sim *sim, double turn);
zw_status zw_sim_input_turn(zw_sim *sim, double t, double aim, zw_error *err);

#endif
