/* SPDX-License-Identifier: MIT */
/* Implemented in src/sim. */
/* What became of a start that says less than everything: the values nobody gave are 0, or at their
 * guess, unless constraints or starts of expressions force them elsewhere (zw_run_complete). A
 * completion tells which ones were, to which value, whether they follow or were chosen, and what
 * else would have done. */
#ifndef ZWANG_SIMULATE_H
#define ZWANG_SIMULATE_H

#include "contact.h"
#include "doubt.h"
#include "equations.h"
#include "model.h"
#include "report.h"
#include "run.h"
#include "system.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_completed {
    int index;               /* in x = (q, v) */
    const char *name, *unit; /* of the coordinate or velocity */
    double from, value;      /* SI: where it began (0 or the guess), and where it starts */
    bool guessed;
    bool is_velocity;
    zw_place place; /* of its declaration */
} zw_completed;

typedef struct zw_completion {
    int n; /* entries that are not where they began */
    const zw_completed *entry;
    /* 0 where these follow; else this many freedoms were left, and other values would have done
     * too */
    int freedom_position, freedom_velocity;
    int nother;          /* other solutions that were found, where they can be counted */
    int nkept;           /* of these, the nearest ones: */
    const double *other; /* nkept x n: their values of the same entries; NAN for velocities at other
                            positions, which are not worked out */
    bool freedom_guided, other_guided; /* a guess of the model decided, or there was no choice */
} zw_completion;

/* The start of a finished system at time t, with the parameters of the model (p NULL) or these
 * (np), while `active` holds (NULL: what the model says), completed into x (nq + nv, may be NULL).
 * The completion (may be NULL) belongs to the context. ZW_E_START if the start contradicts the
 * constraints: err names them. */
ZW_API zw_status zw_system_complete(const zw_system *sys, const zw_active *active, double t,
                                    const double *p, double *x, zw_completion *completion,
                                    zw_error *err);

/* Is it doubtful whether this start is meant? If freedoms were chosen or other solutions found, and
 * no guess says which: then *doubt is about it. */
ZW_API bool zw_completion_warning(const zw_completion *completion, zw_warning *doubt);

/* Into the open object of a report; words go on after the label of the caller, further lines begin
 * with the indent. */
ZW_API void zw_completion_report(const zw_completion *c, const char *indent, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* A simulation: a system from its start to its end, recorded. It derives the equations, makes the
 * kernel, completes the start, integrates, carries out what the events of the model ask for and
 * fills two tables, one row per output time and one row per event. `zwang run`, `zwang plot MODEL`
 * and `zwang view MODEL` are this object with a face; a C program uses it the same way:
 *
 *   zw_sim_options options = zw_sim_options_default();
 *   options.until = 20;
 *   zw_sim *sim;
 *   status = zw_sim_create(&sim, system, NULL, &options, &err);
 *   if (status >= 0)
 *       status = zw_sim_run(sim, &err);
 *   ... zw_sim_rows(sim) is valid up to where it came, whatever status says ...
 *   zw_sim_destroy(sim);
 *
 * One thread at a time; several simulations need systems in contexts of their own. */

typedef struct zw_sim zw_sim;

/* Numbers in place of what the model says, in SI units. A parameter keeps its number whatever
 * others are; those that are defined by it follow. A start fixes a coordinate, state or
 * velocity. */
typedef struct zw_sim_number {
    const char *name; /* of a parameter; of a coordinate or velocity as in the columns: x, x' */
    int index;        /* if name is NULL: in zw_system.param, or in x = (q, v) */
    double value;
} zw_sim_number;
typedef struct zw_sim_numbers {
    int nparam, nstart;
    const zw_sim_number *param, *start;
} zw_sim_numbers;

/* How contacts are treated on the way. */
typedef enum zw_sim_scheme {
    /* from event to event where possible, else in time steps: zw_sim_info.contacts */
    ZW_SIM_CONTACTS_CHOSEN,
    ZW_SIM_CONTACTS_MOREAU, /* time steps, by impulses */
    /* a method of any order from event to event: impacts, stick, slip, lift-off */
    ZW_SIM_CONTACTS_EVENTS
} zw_sim_scheme;

/* What becomes of bodies that overlap after a step: by as much as they approach in one. */
typedef enum zw_sim_overlap {
    ZW_SIM_OVERLAP_STAYS,
    ZW_SIM_OVERLAP_CORRECTED /* they are moved apart, the velocities stay */
} zw_sim_overlap;

typedef enum zw_sim_steps {
    ZW_SIM_STEPS_CHOSEN,    /* fixed where options.run.step is given, else controlled */
    ZW_SIM_STEPS_FIXED,     /* of options.run.step */
    ZW_SIM_STEPS_CONTROLLED /* as long as rtol and atol allow, at most that */
} zw_sim_steps;

/* Begin with zw_sim_options_default(). The struct, and zw_run_options in it, may grow at their
 * ends. */
typedef struct zw_sim_options {
    size_t size;           /* of this struct, for the library */
    double start;          /* time of the start values, s */
    double until;          /* end of the run, s; not before the start */
    double step_out;       /* time between rows, s; 0: a thousandth of the run */
    double memory_max;     /* most bytes of rows; 0: half of the machine's memory */
    zw_jit jit;            /* native code: ZW_JIT_WHEN_IT_PAYS */
    bool energy;           /* columns of the works of all forces, and of what is missing */
    const char *principle; /* NULL: "lagrange" */
    zw_run_options run;    /* method and tolerances */

    /* All may be NULL. stop: asked after every step and every row with the fraction of the time
     * that is done; true ends the run with ZW_STOPPED. event: at every event, its name and its
     * time. input: the external inputs u of the model (its signals, in their order) at time t,
     * which hold what the model says and may be written over; it must be smooth (tables of signals
     * may jump). */
    bool (*stop)(void *user, double done);
    void (*event)(void *user, const char *name, double t);
    void (*input)(void *user, double t, double *u);
    void *user;
    const zw_sim_numbers *numbers; /* of the first run, read by zw_sim_create; may be NULL */
    /* Contacts that may open, or whose friction is set-valued (zwang/contact.h): */
    zw_sim_scheme contacts;
    zw_contact_method solver; /* of the contact problem of a step */
    double contact_tol;       /* of its residual, 1 */
    double prox;              /* factor of the fixed point, kg; 0: chosen */
    zw_sim_overlap overlap;
    zw_sim_steps steps;
    /* The run is discarded at time t and begins again in time steps: the events so far were not
     * those of the result. May be NULL. */
    void (*again)(void *user, double t);
    /* Models with noise: which of its paths, and the time over which its mean rates are taken (a
     * power of two in seconds, at most this): a path is the same in every step, and its motion is
     * of strong order 1 in it (2 in linear models with additive noise; 1/2 where the order of two
     * noises matters). 0: halved until the states of the rows change by less than
     * ZW_SIM_NOISE_TOLERANCE of their rms. */
    long seed, path;
    double noise_step;
} zw_sim_options;
#define ZW_SIM_NOISE_TOLERANCE 2e-3

typedef enum zw_sim_ending {
    ZW_SIM_NOT_RUN,
    ZW_SIM_REACHED_END,
    ZW_SIM_EVENT,       /* an event with `stop` */
    ZW_SIM_INTERRUPTED, /* by the user */
    ZW_SIM_ACCUMULATED, /* infinitely many events before a time close ahead */
    ZW_SIM_FAILED
} zw_sim_ending;

typedef struct zw_sim_info {
    zw_sim_ending ending;
    double t;              /* where it is, s */
    long events;           /* met so far */
    double accumulation;   /* ZW_SIM_ACCUMULATED: that time, s */
    const char *principle; /* by which the equations were derived */
    char method[160];      /* of integration; several, by commas, if it changed on the way */
    int nstate;            /* columns 1 .. nstate of the rows are coordinates and velocities */
    int nconstraint;       /* equations of constraint that hold */
    zw_run_info run;       /* steps, evaluations, residuals, energies */
    char contacts[420];    /* how contacts are treated, and why; "": there are none */
    char estimate[240];    /* the estimated error of time steps; "": none is known */
    char noise[240];       /* the path of the noise, its step and error in words; "": no noise */
    double noise_step;     /* s; 0: no noise */
    double noise_error;    /* what half of the step changed, where it was chosen; NaN: not known */
} zw_sim_info;

/* run_size is that of zw_run_options, which lies inside. */
ZW_API void zw_sim_options_init(zw_sim_options *options, size_t size, size_t run_size);
static inline zw_sim_options zw_sim_options_default(void) {
    zw_sim_options o;
    zw_sim_options_init(&o, sizeof o, sizeof o.run);
    return o;
}

/* A simulation of a finished system, at its start: constraints are checked, the start is completed,
 * the tables have their columns and notes. source, where the system came from, is copied into the
 * notes of the results; it and options may be NULL. The system and its context must outlive the
 * simulation. */
ZW_API zw_status zw_sim_create(zw_sim **out, const zw_system *sys, const zw_model_source *source,
                               const zw_sim_options *options, zw_error *err);
ZW_API void zw_sim_destroy(zw_sim *sim);
/* Back to the start, with these numbers in place of the model's (NULL: with none; those of before
 * are forgotten), run or not run: the start is completed anew, the tables are empty. Equations,
 * kernels and native code are kept, so that this costs next to nothing compared with a new
 * simulation, which would give the same bits. Names that there are not, and numbers that are not
 * finite, are rejected and change nothing; after a start that contradicts the constraints only
 * another restart is possible. */
ZW_API zw_status zw_sim_restart(zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err);

/* A simulation that goes on where a result ends: its rows are the first rows of the new one. The
 * model is read into ctx from the notes of the result with all that was set, switched and chosen;
 * what `change` says (another text, further settings and switches; may be NULL) comes on top.
 * options NULL: those of the result; their start is the last time of the result in any case. */
ZW_API zw_status zw_sim_resume(zw_sim **out, zw_context *ctx, const zw_table *result,
                               const zw_model_source *change, const zw_sim_options *options,
                               zw_error *err);
/* The options a result was made with, as far as its notes tell: principle, method, tolerances,
 * output step, balance of energy. The string in it lives as long as the result. */
ZW_API zw_status zw_sim_options_read(zw_sim_options *options, size_t size, size_t run_size,
                                     const zw_table *result, zw_error *err);
static inline zw_status zw_sim_options_of(zw_sim_options *options, const zw_table *result,
                                          zw_error *err) {
    return zw_sim_options_read(options, sizeof *options, sizeof options->run, result, err);
}

/* Run to the end. ZW_OK: the end or a stopping event was reached; ZW_STOPPED: interrupted;
 * negative: failed, err names the constraint, velocity or start of the model. Whatever happens, the
 * tables hold all that was computed. */
ZW_API zw_status zw_sim_run(zw_sim *sim, zw_error *err);

/* The results, owned by the simulation. rows: t, coordinates, velocities, multipliers lambda(NAME)
 * of all constraints that can hold (0 where
 *   they do not), observables, kinetic, potential, energy. Where an event acts there are two rows
 *   of
 *   one time, before and after it.
 *   With the balance of energy: work(NAME) of every force and constraint that works, work(events),
 *   and
 *   drift, the energy minus that of the start and all works: the error of the integration.
 * With contacts in time steps: gap(NAME), slip(NAME.PART) and status(NAME) (0 open, 1 sticks, 2
 * slips) of every contact,
 *   lambda(NAME) and lambda(NAME.PART), its forces, means over the time since the row before;
 *   contact iterations and
 *   contact residual, the most and the worst of a step since then. Their works are
 *   work(NAME.normal), work(NAME.friction).
 * events: the event's number (its name is in the note "event NUMBER"), the same columns at the
 * moment
 *   before its actions, and `jump`, what these add to the energy. */
ZW_API const zw_table *zw_sim_rows(const zw_sim *sim);
ZW_API const zw_table *zw_sim_events(const zw_sim *sim);
/* The rows of these events alone (n names; 0: of all), a new table to be destroyed. wrap:
 * coordinates that the model calls periodic are taken into [-period/2, period/2]; in the other
 * tables they grow on. */
ZW_API zw_status zw_sim_section(const zw_sim *sim, int n, const char *const *name, bool wrap,
                                zw_table **out, zw_error *err);
/* The system that runs now, that of the caller or a variant; and whether its constraint of this
 * index holds now, after all that events have switched. */
ZW_API const zw_system *zw_sim_system(const zw_sim *sim);
ZW_API bool zw_sim_holds(const zw_sim *sim, int constraint);
/* What of the start the model (or a number of the caller's) does not give, and what it became.
 * Nothing for a simulation that goes on from a result. */
ZW_API const zw_completion *zw_sim_completion(const zw_sim *sim);
ZW_API void zw_sim_fill_statistics(const zw_sim *sim, zw_sim_info *info, size_t size,
                                   size_t run_size);
static inline zw_sim_info zw_sim_statistics(const zw_sim *sim) {
    zw_sim_info info;
    zw_sim_fill_statistics(sim, &info, sizeof info, sizeof info.run);
    return info;
}
/* Into the open object of a report: how it ended, method, completed start, constraints, events,
 * energy; and the coordinates and velocities of the last row, as a list "end". */
ZW_API void zw_sim_report(const zw_sim *sim, zw_report *out);
ZW_API void zw_sim_report_state(const zw_sim *sim, zw_report *out);
/* What is doubtful about the model and the motion so far, owned by the simulation; a simulation
 * that goes on from a result has those of the result too. They are the note "doubts" of both tables
 * when it has been run. */
ZW_API const zw_warnings *zw_sim_warnings(const zw_sim *sim);
/* Do the vector fields of all white noises commute, as far as some states along the motion from
 * the present one tell? If not, paths are of strong order 1/2 in the step of the noise, and this
 * is the warning about it. */
ZW_API zw_status zw_sim_noises_commute(zw_sim *sim, bool *commute, zw_error *err);
ZW_API void zw_sim_noise_order_warning(zw_warnings *doubts);
/* One more, of who has looked at the result. */
ZW_API void zw_sim_warning(zw_sim *sim, const zw_warning *doubt);
/* "reached the end", "stopped by an event", ... */
ZW_API const char *zw_sim_ending_text(zw_sim_ending ending);

/* ------------------------------------------------------------------------------------------ */

/* What a result knows of its origin: its notes hold the text of the model, the variant, the
 * settings and the switches, so that the system can be built again from the file alone. */

/* The system a result came from, in ctx. ZW_E_FILE if the notes do not tell. */
ZW_API zw_status zw_result_system(zw_system **out, zw_context *ctx, const zw_table *result,
                                  zw_error *err);
/* What the system of a result was made with, and `more` after it (NULL: nothing): for
 * zw_model_parse of its note "text". Strings and lists are in ctx, or those of `more`. */
ZW_API zw_status zw_result_model_options(zw_context *ctx, const zw_table *result,
                                         const zw_model_options *more, zw_model_options *out,
                                         zw_error *err);
/* Values of the parameters (np doubles) at the start, as the result notes them; where it does not,
 * the model's. */
ZW_API zw_status zw_result_params(const zw_table *result, const zw_system *s, double *p,
                                  zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* A scene: the drawings of a system along a result, ready for a viewer. What stands still is a
 * number; what moves is a column of the table `motion`, one row for each row of the result (none if
 * nothing moves).
 *
 * A drawing has its place r in inertial components, the turn of its axes as a unit quaternion
 * (e0, e1, e2, e3), which changes its sign from no row to the next, and its lengths.
 *
 * A contact has its point and the force N n + T1 t1 + T2 t2 that acts there along the gap and its
 * slips. */

typedef struct zw_scene_value {
    int column;   /* of `motion`; -1: it stands still */
    double value; /* then */
} zw_scene_value;

typedef struct zw_scene_item {
    const zw_drawing *drawing;
    zw_scene_value at[3], turn[4];
    zw_scene_value *number; /* drawing->n */
} zw_scene_item;

typedef enum zw_scene_touch {
    ZW_TOUCH_OPEN,
    ZW_TOUCH_STICKS,
    ZW_TOUCH_SLIPS,
    ZW_TOUCH_CLOSED
} zw_scene_touch;

typedef struct zw_scene_contact {
    const zw_contact *contact;
    zw_scene_value at[3], force[3]; /* force: N */
    zw_scene_value impulse[3];      /* N*s, of impacts since the row before that are not in it */
    zw_scene_value gap;             /* m */
    zw_scene_value state; /* a zw_scene_touch; CLOSED: nothing resists its slip, or it has none */
    bool has_force;       /* the result knows it; else it is 0 */
    bool mean; /* of the time since the row before; else force and state are the row's own */
} zw_scene_contact;

typedef struct zw_scene {
    int nitem, ncontact, nmissing;
    zw_scene_item *item;
    zw_scene_contact *contact; /* those that the model says the place of */
    const char **missing; /* sentences: drawings and contacts that the result does not determine */
    double up[3];         /* against gravity at the start; z if there is none */
    zw_table *motion;
    /* the system draws nothing but traces: this is what its statements show by themselves */
    bool sketched;
    bool metres; /* lengths have this unit; else the model has no units */
} zw_scene;

/* The scene of a result: its columns are known by the names of coordinates, velocities and
 * multipliers, and t. p are the values of the parameters. Lives in the context of the system but
 * for the table: destroy it before the context. */
ZW_API zw_status zw_scene_create(zw_scene **out, const zw_system *s, const double *p,
                                 const zw_table *result, zw_error *err);
ZW_API void zw_scene_destroy(zw_scene *scene);

/* The scene but for its motion as JSON: {"up": [...], "length": "m" or "", "items": [...],
 * "contacts": [...], "missing": [...]}, where a value is a number or [column]. A new string from
 * the context's allocator (zw_string_free), NULL if out of memory. */
ZW_API char *zw_scene_json(const zw_scene *scene, const zw_system *s);

#ifdef __cplusplus
}
#endif
#endif
