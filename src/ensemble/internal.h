/* SPDX-License-Identifier: MIT */
/* The inside of an ensemble, shared by the files of this folder.
 *
 * A worker is a thread's share of it: a context with the system, a simulation, and room for one
 * motion. Nothing is shared but the counter of the motions, so that nothing that a motion does can
 * depend on who computes it. */
#ifndef ZW_ENSEMBLE_INTERNAL_H
#define ZW_ENSEMBLE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "lanes/lanes.h"
#include "motion/floquet/variation.h"
#include "num/flow/inertia.h"
#include "sim/driven_sim.h"
#include "zwang/ensemble.h"

/* extremes.c. Values at a time within a piece of the motion. */
typedef zw_status (*zw_span_at)(void *user, double t, double *value, zw_error *err);
typedef struct zw_spans {
    int n;
    double since, until;    /* s */
    zw_ensemble_span *sum;  /* n: least, largest, integrals of the value and its square */
    zw_ensemble_span *told; /* n: with means instead */
    double tolerance;       /* of integrals, relative, */
    double smooth[3];       /* and what is smaller in a piece needs no further look */
    double *sample;         /* ZW_SPAN_SAMPLES x n, */
    double *one;            /* and n */
} zw_spans;
enum { ZW_SPAN_SAMPLES = 7 };
/* rtol: of the steps. */
zw_status zw_spans_init(zw_spans *s, zw_arena *arena, int n, double rtol, zw_error *err);
void zw_spans_begin(zw_spans *s, double t);
zw_status zw_spans_piece(zw_spans *s, double t0, double t1, zw_span_at at, void *user,
                         zw_error *err);
/* The same of a piece in which all values go in straight lines. */
void zw_spans_line(zw_spans *s, double t0, double t1, const double *from, const double *to);
/* The same where the samples are there already: that of value i at node k of zw_span_node is
 * sample[(k n + i) stride]. */
extern const double zw_span_node[ZW_SPAN_SAMPLES]; /* on [-1, 1] */
zw_status zw_spans_samples(zw_spans *s, double t0, double t1, const double *sample, int stride,
                           zw_span_at at, void *user, zw_error *err);
/* Of the time so far; the next ones begin. */
const zw_ensemble_span *zw_spans_end(zw_spans *s);

/* start.c. Which parameters follow others. */
typedef struct zw_ensemble_params {
    int np;
    double *model; /* np: as the model gives them */
    int nderived;  /* those that are defined by others, in their order */
    int *derived;
    bool *set, *all; /* np */
    double *followed;
} zw_ensemble_params;
zw_status zw_ensemble_params_init(zw_ensemble_params *q, zw_arena *arena, const zw_system *s,
                                  zw_error *err);
/* The same for another worker. */
zw_status zw_ensemble_params_share(zw_ensemble_params *q, zw_arena *arena,
                                   const zw_ensemble_params *other, zw_error *err);
/* p (np) as a client left it, who had been given `before`: those that it has changed are set (in
 * q->set, beside those that already are), and others follow, unless they were set to something
 * else. */
zw_status zw_ensemble_params_follow(zw_ensemble_params *q, const zw_system *s, const double *before,
                                    double *p, zw_error *err);

/* A motion in a lane. */
typedef struct zw_slot {
    zw_ensemble_motion m;
    double *p, *x, *value, *variation; /* what m shows */
    double *p_shown, *x_shown;
    bool *set; /* np */
    void *memory;
    zw_spans spans;
    /* nwatch: values of the event functions at the end of the last step, with the sign that counts;
     * 0: unknown */
    double *side;
    uint64_t steps, rejected; /* before it was put into the lane last */
    int version;              /* of its parameters, all over the worker */
    zw_num_inertia inertia;
    char doubt[400]; /* warning of m; "": none */
} zw_slot;

/* Where a value comes from, in lanes. */
typedef struct zw_side_value {
    zw_drive_kind kind;
    int index;
} zw_side_value;

/* The first coordinates that the inertia of a velocity depends on. */
typedef struct zw_side_place {
    int n, coordinate[ZW_SIM_PLACES];
} zw_side_place;

/* What all workers share in lanes, made by the first of them (lane_worker_make.c). */
typedef struct zw_side {
    int lanes;
    const char *arithmetic;  /* zw_ensemble_info */
    zw_kernel *kernel, *one; /* of all lanes, and of one, for what is looked at lane by lane */
    const zw_rk_tableau *table;
    zw_lanes_options options;
    zw_side_value *value; /* nvalue */
    bool plain_values;    /* all of them are time and entries of the state */
    int nwatch;           /* events: those that were asked for, and those that stop */
    int *watch;           /* their numbers in the system, */
    int *direction;
    double *repeat; /* periods of their functions, whose multiples are zeros too; 0: none */
    bool *stop, *told;
    bool start_follows;   /* the start of the model depends on parameters */
    bool complete;        /* it has to be completed */
    bool inertia;         /* the mass matrix depends on coordinates */
    zw_side_place *place; /* nv */
} zw_side;

/* An event within a step. */
typedef struct zw_crossing {
    double t;
    int watch; /* which event */
} zw_crossing;

enum { ZW_APART = 128 }; /* bytes: two lines of the cache, which are fetched together */

typedef struct zw_worker {
    char apart[ZW_APART]; /* workers lie side by side: none reads what its neighbour writes */
    zw_ensemble *e;
    int number;
    bool ready;
    zw_context *ctx; /* its own, made when it is needed */
    const zw_system *sys;
    zw_arena arena;
    zw_sim *sim;
    zw_sim *other;      /* in time steps, used where events fail; NULL: not yet */
    int *other_column;  /* nvalue: in the rows of that one */
    bool has_other;     /* it was tried */
    char repeated[300]; /* why the present motion is repeated */
    zw_ensemble_params params;
    zw_ensemble_motion m;
    double *p, *x, *variation, *value; /* what m shows, and */
    double *p_shown, *x_shown;         /* what it showed before the client was asked */
    double *model_x;                   /* nx: the start of the model */
    bool *given;                       /* nx */
    int *column;                       /* nvalue: in the rows of the simulation */
    double *row, *rate, *z, *obs, *dense;
    void *memory;
    zw_spans spans;
    zw_variation linear;
    struct zw_ensemble_tangent *tangent; /* of tangent.c; NULL: no variations */
    zw_slot *slot;                       /* of the lanes */
    zw_lanes side;
    zw_flow *flow; /* on the kernel of one lane, with the parameters of version flow_version */
    int flow_version, version;
    double *lane_x, *sample, *theta, *dense_all, *lane_out; /* room */
    double *crossing_g, *span_room;
    double *mats, *matrices, *pivots; /* of inertia: of all lanes, and of one */
    zw_crossing *crossing;            /* of the step that is checked */
    int ncrossing, crossing_room;
    const zw_ensemble_client *client;
    zw_ensemble_reply reply; /* of the client at an event of the present moment */
    int stopped;             /* the event that has ended the motion; -1 */
    long before;             /* steps of the motion in lanes, before it was handed over */
    zw_status trouble;       /* within a callback */
    zw_error why;
    uint64_t from, upto;   /* numbers that it has taken from the queue and not begun yet */
    _Atomic uint64_t done; /* in the present call */
    uint64_t motions, failed, steps, rejected, handed_over, doubtful, in_steps;
    uint64_t first_in_steps; /* of those that were repeated, and why */
    char first_why[300];
    uint64_t first_doubtful; /* first of the other motions with a warning, and its text */
    char first_doubt[400];
    zw_error err; /* of the worker itself */
} zw_worker;

struct zw_ensemble {
    zw_arena arena;
    zw_ensemble_options options;
    zw_sim_options contacts; /* how contacts are treated */
    zw_model_source source;
    zw_model_options model;
    int nthread;
    zw_worker *worker;                 /* nthread */
    zw_side side;                      /* lanes 0: motions go one by one */
    const char *method, *why, *scheme; /* scheme: of contacts, in words */
    double seconds;
    uint64_t motions, failed, steps, rejected, handed_over, doubtful, in_steps;
    const char *in_steps_why; /* of the first */
    const char *doubt;        /* warning of the first motion that is not repeated */
    /* of the present call: */
    const zw_ensemble_client *client;
    uint64_t end;
    _Atomic bool halt; /* a worker could not go on */
    _Atomic bool stopped;
    uint64_t count;       /* motions of the call */
    int running;          /* threads besides the caller's */
    pthread_mutex_t lock; /* of `running` */
    pthread_cond_t ended;
    char before[ZW_APART]; /* the only thing that all of them write */
    _Atomic uint64_t next;
    char behind[ZW_APART];
};

/* options.c */
zw_status zw_ensemble_options_adopt(zw_ensemble *e, const zw_ensemble_options *given,
                                    zw_error *err);

/* worker.c. A worker with room for motions; with a simulation of its own, if it has none yet. */
zw_status zw_worker_create(zw_worker *w, zw_error *err);
zw_status zw_worker_simulate(zw_worker *w, zw_error *err);
/* Begins the simulation at w->given of x, the rest completed. If all of x is given, equations that
 * the model states for its start do not count: x is a state of a motion on its way. */
zw_status zw_worker_begin(zw_worker *w, double t, const bool *set, const double *p, const double *x,
                          bool *stop, zw_error *err);
/* Exchanges the simulation from event to event and that in time steps; false: there is only one. */
bool zw_worker_exchange(zw_worker *w);
void zw_worker_destroy(zw_worker *w);

/* Count a finished motion if it has warnings; text: the warning, other than errors of time steps;
 * may be NULL. */
void zw_worker_warning(zw_worker *w, const zw_ensemble_motion *m, const char *text);
/* one_by_one.c. One motion; one that lanes have begun, from its present time and state. */
void zw_worker_single(zw_worker *w, uint64_t number);
void zw_worker_take(zw_worker *w, zw_slot *slot);
/* What the watch of a worker's simulation calls; values on its way. */
/* tangent.c: disturbances along a simulation. Setup; start of a motion or after a change (they are
 * read from w->variation later); integration over a piece of the motion. */
typedef struct zw_ensemble_tangent zw_ensemble_tangent;
zw_status zw_tangent_prepare(zw_worker *w, zw_error *err);
void zw_tangent_clear(zw_worker *w);
void zw_tangent_forget(zw_worker *w);
zw_status zw_tangent_take(zw_worker *w, zw_error *err);
zw_status zw_tangent_piece(zw_worker *w, zw_run *run, double t0, double t1, zw_error *err);
zw_status zw_single_piece(void *user, zw_run *run, double t0, double t1, zw_error *err);
bool zw_single_met(void *user, int event);
/* Is the next visit later than now (or now, at the beginning)? */
zw_status zw_single_check_next(const zw_ensemble_motion *m, bool first, zw_error *err);

/* thread_pool.c. Has somebody outside asked for the end? */
bool zw_thread_pool_is_interrupted(const zw_ensemble *e);
/* The same, asked on the way of motions. Progress is told now and then, since who raises the flag
 * there is not asked for hours if motions are long. */
bool zw_thread_pool_watch(zw_worker *w);

/* lane_worker_make.c. Can the motions go side by side? *why says why not. */
zw_status zw_side_make(zw_ensemble *e, zw_error *err);
void zw_side_destroy(zw_ensemble *e);
zw_status zw_side_allocate(zw_worker *w, zw_error *err);
/* lane_worker.c. Motions of the queue, until there are none. */
void zw_side_work(zw_worker *w);
/* lane_worker_watch.c. The step that lanes have made is looked at: values between, events. */
zw_status zw_side_values(zw_worker *w, zw_slot *slot, double t, const double *x, double *value,
                         zw_error *err);
void zw_side_sample(zw_worker *w);
/* The event functions at the beginning of a lane. */
zw_status zw_side_arm(zw_worker *w, int lane, double t, const double *x, zw_error *err);
/* What events there are in the step, in their order: w->crossing. */
zw_status zw_side_crossings(zw_worker *w, int lane, zw_error *err);
/* lane_worker_inertia.c. Singularities of coordinates: data that workers share; the check of the
 * last step of the lanes. */
zw_status zw_side_inertia_make(zw_ensemble *e, zw_error *err);
void zw_side_inertia(zw_worker *w);
zw_status zw_side_span(zw_worker *w, int lane, double t0, double t1, zw_error *err);
/* The flow with the parameters of a slot. */
zw_status zw_side_flow(zw_worker *w, const zw_slot *slot, zw_error *err);

/* thread_pool.c. The next motion of the queue; false: there is none. One more is finished. */
bool zw_thread_pool_take(zw_worker *w, uint64_t *number);
void zw_thread_pool_done(zw_worker *w);

#endif
