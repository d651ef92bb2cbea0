/* SPDX-License-Identifier: MIT */
/* The inside of an ensemble, shared by the files of this folder.
 *
 * A worker is a thread's share of it: a context with the system, a simulation, and room for one motion. Nothing is shared but
 * the counter of the motions, so that nothing that a motion does can depend on who computes it. */
#ifndef ZW_ENSEMBLE_INTERNAL_H
#define ZW_ENSEMBLE_INTERNAL_H

#include <stdatomic.h>

#include "analysis/variation.h"
#include "base/arena.h"
#include "sim/along.h"
#include "zwang/ensemble.h"

/* span.c. Values at a time within a piece of the motion. */
typedef zw_status (*zw_span_at)(void *user, double t, double *value, zw_error *err);
typedef struct zw_spans {
    int n;
    double since, until;    /* s */
    zw_ensemble_span *sum;  /* n: least, largest, integrals of the value and its square */
    zw_ensemble_span *told; /* n: with means instead */
    double *sample;         /* ZW_SPAN_SAMPLES x n, */
    double *one;            /* and n */
} zw_spans;
enum { ZW_SPAN_SAMPLES = 7 };
zw_status zw_spans_init(zw_spans *s, zw_arena *arena, int n, zw_error *err);
void zw_spans_begin(zw_spans *s, double t);
zw_status zw_spans_piece(zw_spans *s, double t0, double t1, zw_span_at at, void *user,
                         zw_error *err);
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
/* p (np) as a client left it, who had been given `before`: those that it has changed are set (in q->set, beside those that
 * already are), and others follow, unless they were set to something else. */
zw_status zw_ensemble_params_follow(zw_ensemble_params *q, const zw_system *s, const double *before,
                                    double *p, zw_error *err);

typedef struct zw_worker {
    zw_ensemble *e;
    int number;
    bool ready;
    zw_context *ctx;
    zw_system *sys;
    zw_arena arena;
    zw_sim *sim;
    zw_ensemble_params params;
    zw_ensemble_motion m;
    double *p, *x, *variation, *value; /* what m shows, and */
    double *p_shown, *x_shown;         /* what it showed before the client was asked */
    double *variation_shown;
    double *model_x; /* nx: the start of the model */
    bool *given;     /* nx */
    int *column;     /* nvalue: in the rows of the simulation */
    double *row, *rate, *z, *obs, *dense;
    void *memory;
    zw_spans spans;
    zw_variation linear;
    const zw_ensemble_client *client;
    zw_ensemble_reply reply; /* of the client at an event of the present moment */
    int stopped;             /* the event that has ended the motion; -1 */
    zw_status trouble;       /* within a callback */
    zw_error why;
    uint64_t motions, failed, steps, rejected, handed_over;
    zw_error err; /* of the worker itself */
} zw_worker;

struct zw_ensemble {
    zw_arena arena;
    zw_ensemble_options options;
    zw_model_source source;
    zw_model_options model;
    int nthread;
    zw_worker *worker; /* nthread */
    const char *method, *why;
    double seconds;
    uint64_t motions, failed, steps, rejected, handed_over;
    /* of the present call: */
    const zw_ensemble_client *client;
    uint64_t end;
    _Atomic uint64_t next, done;
    _Atomic bool halt; /* a worker could not go on */
    _Atomic bool stopped;
    _Atomic double told; /* s: progress was told last */
    _Atomic bool telling;
};

/* options.c */
zw_status zw_ensemble_options_adopt(zw_ensemble *e, const zw_ensemble_options *given,
                                    zw_error *err);

/* single.c. A worker with all that it needs; one motion. */
zw_status zw_worker_create(zw_worker *w, zw_error *err);
void zw_worker_destroy(zw_worker *w);
void zw_worker_single(zw_worker *w, uint64_t number);

/* crew.c. The next motion of the queue; false: there is none. One more is finished. */
bool zw_crew_take(zw_ensemble *e, uint64_t *number);
void zw_crew_done(zw_ensemble *e);
zw_status zw_crew_run(zw_ensemble *e, zw_error *err);

#endif
