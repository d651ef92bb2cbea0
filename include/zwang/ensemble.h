/* SPDX-License-Identifier: MIT */
/* Implemented in src/ensemble. */
/* Many motions of one model. An ensemble numbers them 0, 1, 2, ...; its client says how each
 * begins, when it wants to look at it, and when that is enough. Who computes them is the ensemble's
 * business: 4 or 8 of them side by side in vectors (lanes), in as many threads as are asked for, or
 * one by one as `zwang run` does it, where the model has what lanes cannot do (contacts, events
 * that act, kinks of rates).
 *
 *   begin(motion)   its parameters and its start are set, and the time of the first visit
 *   visit(motion)   at that time; the client looks, perhaps changes parameters or state, and says
 *                   when to come again
 *   end(motion)     it is finished, has stopped at an event, or has failed: `status` and `why`
 *
 * All three are called in the thread that computes the motion, never two at once for one motion. A
 * client writes only what belongs to the motion's number or to the thread. What motion k does
 * depends on k alone, bit for bit: neither on the number of threads and lanes nor on what its
 * neighbours do. */
#ifndef ZWANG_ENSEMBLE_H
#define ZWANG_ENSEMBLE_H

#include <stdint.h>

#include "model.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_ensemble zw_ensemble;
struct zw_sim_options;

/* Of a chosen quantity over the time since the visit before, or since the beginning. */
typedef struct zw_ensemble_span {
    double least, largest; /* also between steps */
    double mean, square;   /* of it, and of its square, in time; NaN over no time */
    double moment[3];      /* means of it times s, s^2, s^3; s: time since the previous visit */
} zw_ensemble_span;

typedef struct zw_ensemble_motion {
    uint64_t number;
    int thread;          /* 0, 1, ... */
    double t;            /* s; begin sets it (0 at first) */
    double *p;           /* np: values of all parameters */
    double *x;           /* nx: coordinates and velocities, as zw_ensemble_state names them */
    double *variation;   /* variations x nx: small disturbances of x, row by row; NULL without */
    const double *value; /* nvalue: the chosen quantities at t */
    const zw_ensemble_span
        *span;    /* nvalue; NULL if they were not asked for; in end only of an event */
    double next;  /* begin and visit set it: the time of the next visit, > t (begin: or t) */
    void *memory; /* of the client, options.memory bytes, zero at the beginning of a motion */
    long steps;   /* of the method so far */
    zw_status
        status; /* in end: ZW_OK, ZW_EVENT (a `stop` event, `event`), ZW_STOPPED, or negative */
    int event;  /* of the system, where it ended; -1 */
    const char *why;   /* of a failure; NULL */
    const char *doubt; /* in end: what is doubtful about the motion, the first of it; NULL */
    /* The motion is repeated in time steps, since its contacts could not be followed from event to
     * event: begin is called again; discard the earlier visits. */
    bool repeated;
    int rank;      /* number of independent variations at most; events annihilate the others */
    uint64_t path; /* of the noise; begin may set it, at first it is `number` */
} zw_ensemble_motion;

typedef enum zw_ensemble_reply {
    ZW_ENSEMBLE_ON, /* go on to `next` */
    /* the same, with the parameters, state, time or variations that are in the motion now */
    ZW_ENSEMBLE_CHANGED,
    ZW_ENSEMBLE_DONE /* it is finished */
} zw_ensemble_reply;

/* begin: what is not set is as the model says it; `given` (nx, false at first) marks entries of x
 * that the client has set and that must stay; the rest is completed so that the constraints hold,
 * as the start of a run is. A start that is impossible is a motion that failed. Any function may be
 * NULL but begin. */
typedef struct zw_ensemble_client {
    void *user;
    void (*begin)(void *user, zw_ensemble_motion *m, bool *given);
    zw_ensemble_reply (*visit)(void *user, zw_ensemble_motion *m);
    void (*end)(void *user, zw_ensemble_motion *m);
    /* An event of the model that was asked for (options.event) is passed at m->t: a section. Its
     * values are there. */
    zw_ensemble_reply (*event)(void *user, zw_ensemble_motion *m, int event);
} zw_ensemble_client;

typedef enum zw_ensemble_engine {
    ZW_ENSEMBLE_CHOSEN,
    ZW_ENSEMBLE_LANES, /* rejected, with the reason, where lanes cannot do the model */
    ZW_ENSEMBLE_SINGLE /* one by one, by runs */
} zw_ensemble_engine;

typedef struct zw_ensemble_options {
    size_t size; /* of this struct, for the library */
    zw_ensemble_engine engine;
    int lanes;             /* 4 or 8; 0: chosen */
    int threads;           /* 0: as many as there are cores */
    const char *principle; /* NULL: "lagrange" */
    zw_run_options run;    /* method (rk54, rk87, radau; auto), tolerances */
    zw_jit jit;            /* ZW_JIT_AT_ONCE; single motions are compiled when it pays */
    /* quantities to be looked at: columns of `zwang run` by name (x, x', energy, lambda(c)) */
    int nvalue;
    const char *const *value;
    bool spans; /* their least, largest and mean values between visits */
    /* disturbances that go along by the exact linear equations, on the constraints' tangent
     * space */
    int variations;
    int nevent; /* events of the model at which the client is called */
    const int *event;
    size_t memory; /* of the client, bytes per motion that is under way */
    /* Asked on the way, by the thread that called zw_ensemble_run, with the fraction of the motions
     * that are finished; true: motions under way end with ZW_STOPPED. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
    /* How contacts are treated, as by a simulation (zwang/simulate.h): its fields from `contacts`
     * on; NULL: chosen. Copied. A model with noise needs its seed and its step. */
    const struct zw_sim_options *contacts;
} zw_ensemble_options;

typedef struct zw_ensemble_info {
    uint64_t motions, failed;
    uint64_t steps, rejected;
    uint64_t handed_over; /* motions that lanes began and runs ended */
    double seconds;       /* of the last call of zw_ensemble_run */
    int threads, lanes;   /* lanes 1: one by one */
    const char *method;
    const char *why;   /* this engine: a sentence */
    uint64_t doubtful; /* motions with a warning (zwang/doubt.h) */
    /* of lanes, on which the bits of motions depend: "fused" (a b + c is rounded once), "plain",
     * ...; "" one by one */
    const char *arithmetic;
    const char *contacts;     /* how contacts are treated, and why; "": there are none */
    uint64_t in_steps;        /* number of these motions that were repeated in time steps */
    const char *in_steps_why; /* reason of the first one; "": none */
    /* warning of the first motion that has one and was not repeated, except errors of time steps;
     * "": none */
    const char *doubt;
} zw_ensemble_info;

ZW_API void zw_ensemble_options_init(zw_ensemble_options *options, size_t size, size_t run_size);
static inline zw_ensemble_options zw_ensemble_options_default(void) {
    zw_ensemble_options o;
    zw_ensemble_options_init(&o, sizeof o, sizeof o.run);
    return o;
}

/* An ensemble of the model of `source` with all that it sets and switches. It reads the text into
 * contexts of its own, one for each thread that needs one. */
ZW_API zw_status zw_ensemble_create(zw_ensemble **out, const zw_model_source *source,
                                    const zw_ensemble_options *options, zw_error *err);
ZW_API void zw_ensemble_destroy(zw_ensemble *e);
/* Sizes of p and x; the name of an entry of x ("phi", "phi'"), and the values that the model gives
 * to p. */
ZW_API int zw_ensemble_states(const zw_ensemble *e);
ZW_API const char *zw_ensemble_state(const zw_ensemble *e, int i);
/* All parameters (np) from those in `set` (np; may be NULL: none): the others as the model defines
 * them. */
ZW_API zw_status zw_ensemble_defaults(const zw_ensemble *e, const bool *set, double *p,
                                      zw_error *err);

/* Motions first .. first + count - 1. Negative: the ensemble itself failed; a motion that fails is
 * reported by `end`, and the others go on. ZW_STOPPED: interrupted. */
ZW_API zw_status zw_ensemble_run(zw_ensemble *e, const zw_ensemble_client *client, uint64_t first,
                                 uint64_t count, zw_error *err);
ZW_API void zw_ensemble_statistics(const zw_ensemble *e, zw_ensemble_info *info, size_t size);

#ifdef __cplusplus
}
#endif
#endif
