/* SPDX-License-Identifier: MIT */
/* The private types of an ensemble, shared by the sources of this folder.
 *
 * A worker is the part of one thread: a context with the system, a simulation, and memory for one
 * motion. Only the counter of the motions is shared, so that a motion cannot depend on the worker
 * that computes it. */
#ifndef ZW_ENSEMBLE_INTERNAL_H
#define ZW_ENSEMBLE_INTERNAL_H

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
    double since, until;      /* [s] */
    zw_ensemble_span *sum;    /* n: least, largest, integrals of the value and its square */
    zw_ensemble_span *result; /* n: the same with means */
    double tolerance;         /* relative tolerance of integrals, */
    double smooth[3];         /* and limits below which a piece is smooth enough */
    double *sample;           /* ZW_SPAN_SAMPLES x n, */
    double *one;              /* n: values at one time */
} zw_spans;
enum { ZW_SPAN_SAMPLES = 7 };
/* rtol: tolerance of the steps. */
zw_status zw_spans_init(zw_spans *s, zw_arena *arena, int n, double rtol, zw_error *err);
void zw_spans_begin(zw_spans *s, double t);
zw_status zw_spans_piece(zw_spans *s, double t0, double t1, zw_span_at at, void *user,
                         zw_error *err);
/* The same for a piece in which all values are straight lines. */
void zw_spans_line(zw_spans *s, double t0, double t1, const double *from, const double *to);
/* The same with given samples: that of value i at node k of zw_span_node is sample[(k n + i)
 * stride]. */
extern const double zw_span_node[ZW_SPAN_SAMPLES]; /* on [-1, 1] */
zw_status zw_spans_samples(zw_spans *s, double t0, double t1, const double *sample, int stride,
                           zw_span_at at, void *user, zw_error *err);
/* The results so far; starts new ones. */
const zw_ensemble_span *zw_spans_end(zw_spans *s);

/* start.c. Which parameters follow others. */
typedef struct zw_ensemble_params {
    int np;
    double *model; /* np: values by the model */
    int nderived;  /* number of parameters that are defined by others, in their order */
    int *derived;
    bool *set, *all; /* np */
    double *followed;
} zw_ensemble_params;
zw_status zw_ensemble_params_init(zw_ensemble_params *q, zw_arena *arena, const zw_system *s,
                                  zw_error *err);
/* A copy for another worker. */
zw_status zw_ensemble_params_share(zw_ensemble_params *q, zw_arena *arena,
                                   const zw_ensemble_params *other, zw_error *err);
/* p (np): parameters that a client may have changed from `before`. Changed ones are marked in
 * q->set (in addition to earlier ones), and dependent ones follow, unless they were set to other
 * values. */
zw_status zw_ensemble_params_follow(zw_ensemble_params *q, const zw_system *s, const double *before,
                                    double *p, zw_error *err);

/* A motion in a lane. */
typedef struct zw_slot {
    zw_ensemble_motion m;
    double *p, *x, *value, *variation; /* memory of m */
    double *p_shown, *x_shown;
    bool *set; /* np */
    void *memory;
    zw_spans spans;
    /* nwatch: values of the event functions at the end of the last step, with the sign of their
     * side; 0: unknown */
    double *side;
    uint64_t steps, rejected; /* counts before the motion was last put into the lane */
    int version;              /* version of its parameters, unique in the worker */
    zw_num_inertia inertia;
    char doubt[400]; /* warning of m; "": none */
} zw_slot;

/* The source of a value, in lanes. */
typedef struct zw_lane_worker_value {
    zw_along_kind kind;
    int index;
} zw_lane_worker_value;

/* The first coordinates that the inertia of a velocity depends on. */
typedef struct zw_lane_worker_place {
    int n, coordinate[ZW_SIM_PLACES];
} zw_lane_worker_place;

/* Data of lanes shared by all workers, created by the first of them (lane_worker_make.c). */
typedef struct zw_lane_group {
    int lanes;
    const char *arithmetic;  /* zw_ensemble_info */
    zw_kernel *kernel, *one; /* of all lanes, and of one, for computations lane by lane */
    const zw_rk_tableau *table;
    zw_lanes_options options;
    zw_lane_worker_value *value; /* nvalue */
    bool plain_values;           /* all of them are time and entries of the state */
    int nwatch; /* number of watched events: those requested, and those that stop */
    int *watch; /* their numbers in the system, */
    int *direction;
    double *repeat; /* periods of their functions, whose multiples count as zeros; 0: none */
    bool *stop, *reported;
    bool start_follows;          /* the start of the model depends on parameters */
    bool complete;               /* the start must be completed */
    bool inertia;                /* the mass matrix depends on coordinates */
    zw_lane_worker_place *place; /* nv */
} zw_lane_group;

/* An event within a step. */
typedef struct zw_crossing {
    double t;
    int watch; /* which event */
} zw_crossing;

enum { ZW_APART = 128 }; /* bytes: two lines of the cache, which are fetched together */

typedef struct zw_worker {
    /* separates workers in memory: none reads cache lines that another one writes */
    char apart[ZW_APART];
    zw_ensemble *e;
    int number;
    bool ready;
    zw_context *ctx; /* owned, created when it is needed */
    const zw_system *sys;
    zw_arena arena;
    zw_sim *sim;
    zw_sim *other;      /* the simulation in time steps, used where events fail; NULL: not yet */
    int *other_column;  /* nvalue: columns in its rows */
    bool has_other;     /* its creation was tried */
    char repeated[300]; /* reason for repeating the present motion */
    zw_ensemble_params params;
    zw_ensemble_motion m;
    double *p, *x, *variation, *value; /* memory of m, and */
    double *p_shown, *x_shown;         /* copies of it before the client was called */
    double *model_x;                   /* nx: the start of the model */
    bool *given;                       /* nx */
    int *column;                       /* nvalue: columns in the rows of the simulation */
    double *row, *rate, *z, *obs, *dense;
    void *memory;
    zw_spans spans;
    zw_variation linear;
    struct zw_ensemble_tangent *tangent; /* see tangent.c; NULL: no variations */
    zw_slot *slot;                       /* one for each lane */
    zw_lanes lanes;
    zw_flow *flow; /* on the kernel of one lane, with the parameters of version flow_version */
    int flow_version, version;
    double *lane_x, *sample, *theta, *dense_all, *lane_out; /* scratch */
    double *crossing_g, *span_room;
    double *mats, *matrices, *pivots; /* mass matrices of all lanes, and of one */
    zw_crossing *crossing;            /* events in the step of one lane */
    int ncrossing, crossing_room;
    const zw_ensemble_client *client;
    zw_ensemble_reply reply; /* reply of the client at an event of the present instant */
    int stopped;             /* number of the event that has ended the motion; -1: none */
    /* steps of the motion in lanes, before it was continued by a simulation */
    long before;
    zw_status trouble; /* failure within a callback */
    zw_error why;
    uint64_t from, upto;   /* numbers taken from the queue and not started yet */
    _Atomic uint64_t done; /* number of motions done in the present call */
    unsigned watched;      /* number of calls of zw_thread_pool_watch */
    uint64_t motions, failed, steps, rejected, handed_over, doubtful, in_steps;
    uint64_t first_in_steps; /* the first motion repeated in time steps, and the reason */
    char first_why[300];
    uint64_t first_doubtful; /* first of the other motions with a warning, and its text */
    char first_doubt[400];
    zw_error err; /* failure of the worker itself */
} zw_worker;

struct zw_ensemble {
    zw_arena arena;
    zw_ensemble_options options;
    zw_sim_options contacts; /* options of contacts */
    zw_model_source source;
    zw_model_options model;
    int nthread;
    zw_worker *worker;                 /* nthread */
    zw_lane_group lane_group;          /* lanes 0: motions are computed one by one */
    const char *method, *why, *scheme; /* why: reason against lanes; scheme: of contacts, as text */
    double seconds;
    uint64_t motions, failed, steps, rejected, handed_over, doubtful, in_steps;
    const char *in_steps_why; /* reason of the first repeated motion */
    const char *doubt;        /* warning of the first motion that is not repeated */
    /* of the present call: */
    const zw_ensemble_client *client;
    uint64_t end;
    _Atomic bool halt; /* a worker has failed */
    _Atomic bool stopped;
    _Atomic double reported_at; /* [s]; time of the last report of progress */
    _Atomic bool reporting;
    char before[ZW_APART]; /* separates `next`, which all threads write */
    _Atomic uint64_t next;
    char behind[ZW_APART];
};

/* options.c */
zw_status zw_ensemble_options_adopt(zw_ensemble *e, const zw_ensemble_options *given,
                                    zw_error *err);

/* worker.c. Creates a worker with memory for motions; creates its simulation, if it has none
 * yet. */
zw_status zw_worker_create(zw_worker *w, zw_error *err);
zw_status zw_worker_simulate(zw_worker *w, zw_error *err);
/* Begins the simulation at w->given of x, the rest completed. If all of x is given, equations of
 * the model for its start are ignored: x is a state within a motion. */
zw_status zw_worker_begin(zw_worker *w, double t, const bool *set, const double *p, const double *x,
                          bool *stop, zw_error *err);
/* Exchanges the simulation from event to event and that in time steps; false: there is only one. */
bool zw_worker_exchange(zw_worker *w);
void zw_worker_destroy(zw_worker *w);

/* Count a finished motion if it has warnings; text: the warning, other than errors of time steps;
 * may be NULL. */
void zw_worker_warning(zw_worker *w, const zw_ensemble_motion *m, const char *text);
/* one_by_one.c. Computes one motion; continues one that lanes have started, from its present time
 * and state. */
void zw_worker_single(zw_worker *w, uint64_t number);
void zw_worker_take(zw_worker *w, zw_slot *slot);
/* The callbacks of a worker's simulation. */
/* tangent.c: disturbances along a simulation. prepare: setup; take: at the start of a motion or
 * after a change, reads w->variation; piece: integration over a piece of the motion. */
typedef struct zw_ensemble_tangent zw_ensemble_tangent;
zw_status zw_tangent_prepare(zw_worker *w, zw_error *err);
void zw_tangent_clear(zw_worker *w);
void zw_tangent_forget(zw_worker *w);
zw_status zw_tangent_take(zw_worker *w, zw_error *err);
zw_status zw_tangent_piece(zw_worker *w, zw_run *run, double t0, double t1, zw_error *err);
zw_status zw_single_piece(void *user, zw_run *run, double t0, double t1, zw_error *err);
bool zw_single_met(void *user, int event);
/* Checks that the next visit is later than now (or now, at the beginning). */
zw_status zw_single_check_next(const zw_ensemble_motion *m, bool first, zw_error *err);

/* thread_pool.c. Has the caller requested an interruption? */
bool zw_thread_pool_is_interrupted(const zw_ensemble *e);
/* The same during motions; also reports progress from time to time, since the callback that may
 * interrupt would not be called for hours if motions are long. */
bool zw_thread_pool_watch(zw_worker *w);

/* lane_worker_make.c. Prepares lanes, if the motions can be computed in lanes; e->why: the reason
 * if not. */
zw_status zw_lane_group_make(zw_ensemble *e, zw_error *err);
void zw_lane_group_destroy(zw_ensemble *e);
zw_status zw_lane_worker_allocate(zw_worker *w, zw_error *err);
/* lane_worker.c. Computes motions of the queue in lanes until it is empty. */
void zw_lane_worker_work(zw_worker *w);
/* lane_worker_watch.c. Evaluates the last step of the lanes: values within it, events. */
zw_status zw_lane_worker_values(zw_worker *w, zw_slot *slot, double t, const double *x,
                                double *value, zw_error *err);
void zw_lane_worker_sample(zw_worker *w);
/* The event functions at the beginning of a lane. */
zw_status zw_lane_worker_arm(zw_worker *w, int lane, double t, const double *x, zw_error *err);
/* The events in the step, in their order: w->crossing. */
zw_status zw_lane_worker_crossings(zw_worker *w, int lane, zw_error *err);
/* lane_worker_inertia.c. Singularities of coordinates: data that workers share; the check of the
 * last step of the lanes. */
zw_status zw_lane_worker_inertia_make(zw_ensemble *e, zw_error *err);
void zw_lane_worker_inertia(zw_worker *w);
zw_status zw_lane_worker_span(zw_worker *w, int lane, double t0, double t1, zw_error *err);
/* The flow with the parameters of a slot. */
zw_status zw_lane_worker_flow(zw_worker *w, const zw_slot *slot, zw_error *err);

/* thread_pool.c. take: the next motion of the queue; false: there is none. done: one more motion is
 * finished. */
bool zw_thread_pool_take(zw_worker *w, uint64_t *number);
void zw_thread_pool_done(zw_worker *w);

#endif
