/* SPDX-License-Identifier: MIT */
/* An event of a simulation as a function of time and state, for derivatives of motions through
 * contacts and events (see motion/segments/event_jump.h).
 *
 *     sigma    the functions that vanish: of events of the model, of contacts
 *              (src/mech/equations/contact_mode_events.c), of kinks; none for an event at fixed
 *              times;
 *     R        the values that events set; the simultaneous impacts in their order, each by its
 *   pattern (contact/impact_map.h); the projection onto the constraints that are active then.
 *
 * Evaluations use separate flows on the kernels of the stages, so they do not affect the
 * simulation.
 *
 * To follow disturbances Y along a simulation (sim/driven_sim.h), call
 *
 *     zw_event_passage_begin           where the motion begins, and after zw_sim_along_change
 *     zw_event_passage_piece           at the end of every piece of the motion, after Y was
 *                                      integrated over it
 *     zw_event_passage_take            in sim->on_turn; then zw_event_jump_find and _pass (or
 *                                      _apply) with p->before, p->after, p->size, and
 *                                      zw_event_passage_map;
 *                                zw_event_passage_reject  makes an error message of a failure
 *
 * zw_event_passage_flow returns the flow of the running stage, with its Jacobian. */
#ifndef ZW_SIM_EVENT_MAP_H
#define ZW_SIM_EVENT_MAP_H

#include "contact/impact_map.h"
#include "internal.h"

typedef struct zw_event_passage_stage zw_event_passage_stage;
struct zw_event_passage_stage {
    const zw_sim_stage *stage;
    zw_flow *flow[2]; /* before and after an instant */
    zw_event_passage_stage *next;
};
typedef struct zw_event_passage_ground zw_event_passage_ground;
struct zw_event_passage_ground {
    const zw_sim_ground *of;
    zw_flow *flow;
    zw_strike strike;
    zw_event_passage_ground *next;
};

typedef struct zw_event_passage {
    zw_sim *sim;
    zw_arena arena;
    zw_event_passage_stage *stages;
    zw_event_passage_ground *grounds;
    int nx;
    /* For derivatives with respect to parameters: changes parameter number `parameter` of p (np) by
     * `by`. NULL: parameters are not changed. */
    zw_status (*move)(void *self, int parameter, double by, double *p, zw_error *err);
    void *move_self;
    /* the instant */
    double t;
    const zw_sim_stage *from, *to;
    int nsigma, nfixed;     /* functions; parameters that events set */
    int most;               /* dimension of the tangent space after it */
    double *x;              /* nx: state before it */
    double *before, *after; /* nx: rates */
    double *size;           /* nx + 1: scales of the entries and of time, for differences */
    bool again;             /* at the time of the previous instant */
    bool ends;              /* impacts of a contact accumulate and are treated as finished: */
    const char *contact;    /* name of that contact */
    /* private */
    double *p, *p_old, *p_new; /* np */
    double *mode;              /* modes of the last piece */
    int nmode, mode_capacity;
    double *low, *high; /* nx: least and largest values so far */
    int *sigma;         /* numbers of the functions */
    /* sigma are switching functions; the instant is a tick; events of the model act */
    bool kink, clock, model;
    int nevent;
    int *event;           /* nevent: events of the model that act */
    bool *fixed;          /* nx */
    signed char *pattern; /* ZW_SIM_IMPACTS x (ntouch + 1) */
    int pattern_capacity;
    double *evt, *scratch;
    int evt_capacity;
    double last;  /* [s]; time of the previous instant */
    double *next; /* nx: state after it */
} zw_event_passage;

/* For a simulation with contacts from event to event, or without contacts. */
zw_status zw_event_passage_create(zw_event_passage **out, zw_sim *sim, zw_error *err);
void zw_event_passage_destroy(zw_event_passage *p);
/* fresh: forget the ranges of the coordinates so far. */
zw_status zw_event_passage_begin(zw_event_passage *p, bool fresh, zw_error *err);
zw_status zw_event_passage_piece(zw_event_passage *p, zw_run *run, double t1, zw_error *err);
zw_status zw_event_passage_take(zw_event_passage *p, const zw_sim_turned *turned, zw_error *err);
/* out: sigma (nsigma), the state after the instant (nx), the parameters that events set (nfixed),
 * for the state x at time t before it. */
zw_status zw_event_passage_map(void *passage, double t, const double *x, int parameter, double by,
                               double *out, zw_error *err);
/* The flow of the running stage, with its Jacobian. */
zw_status zw_event_passage_flow(zw_event_passage *p, zw_flow **out, zw_error *err);
/* "the motion WHAT at t = ..., where the contact floor changes" */
zw_status zw_event_passage_reject(const zw_event_passage *p, const char *what, zw_error *err);

#endif
