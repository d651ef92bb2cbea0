/* SPDX-License-Identifier: MIT */
/* An event of a simulation as a function of time and state, for derivatives of motions through
 * contacts and events (see analysis/event_jump.h).
 *
 *     sigma    the functions that vanish: of events of the model, of contacts
 *              (src/mech/equations/contact_mode_events.c), of kinks; none for an event at fixed
 *              times;
 *     R        what events set; the simultaneous impacts in their order, each by its pattern
 *              (contact/strike.h); the projection onto the constraints that are active then.
 *
 * Evaluations use separate flows on the kernels of the stages, so they do not affect the
 * simulation.
 *
 * To follow disturbances Y along a simulation (sim/along.h), call
 *
 *     zw_event_passage_begin           where the motion begins, and after zw_sim_drive_change
 *     zw_event_passage_piece           at the end of every piece of the motion, after Y was
 *                                      integrated over it
 *     zw_event_passage_take            in sim->on_turn; then zw_event_jump_find and _pass (or
 *                                      _apply) with p->before, p->after, p->size, and
 *                                      zw_event_passage_map;
 *                                zw_event_passage_refuse makes an error message of a failure
 *
 * The flow of zw_event_passage_flow has the Jacobian of the stage that runs. */
#ifndef ZW_SIM_EVENT_MAP_H
#define ZW_SIM_EVENT_MAP_H

#include "contact/impact_map.h"
#include "internal.h"

typedef struct zw_event_passage_stage zw_event_passage_stage;
struct zw_event_passage_stage {
    const zw_sim_stage *stage;
    zw_flow *flow[2]; /* before and after a moment */
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
    /* Parameters of the derivatives: p (np) with number `parameter` moved by `by` from what it
     * holds. NULL: none are moved. */
    zw_status (*move)(void *self, int parameter, double by, double *p, zw_error *err);
    void *move_self;
    /* the moment */
    double t;
    const zw_sim_stage *from, *to;
    int nsigma, nfixed;     /* functions; parameters that events set */
    int most;               /* dimension of the tangent space after it */
    double *x;              /* nx: before it */
    double *before, *after; /* nx: rates */
    double *size;           /* nx + 1: of entries and of time, for differences */
    bool again;             /* at the time of the moment before */
    bool ends;              /* impacts of a contact accumulate, and are taken for over: */
    const char *contact;    /* its name */
    /* private */
    double *p, *p_old, *p_new; /* np */
    double *mode;              /* of the last piece */
    int nmode, mode_capacity;
    double *low, *high;      /* nx: along the motion so far */
    int *sigma;              /* numbers of the functions */
    bool kink, clock, model; /* sigma are switches; it is a clock's; events of the model act */
    int nevent;
    int *event;           /* of the model: nevent that act */
    bool *fixed;          /* nx */
    signed char *pattern; /* ZW_SIM_IMPACTS x (ntouch + 1) */
    int pattern_capacity;
    double *evt, *room;
    int evt_capacity;
    double last;  /* time of the moment before, */
    double *next; /* nx: and where it has led */
} zw_event_passage;

/* For a simulation from event to event, or without contacts. */
zw_status zw_event_passage_create(zw_event_passage **out, zw_sim *sim, zw_error *err);
void zw_event_passage_destroy(zw_event_passage *p);
/* fresh: how far the motion has gone so far says nothing of it any more. */
zw_status zw_event_passage_begin(zw_event_passage *p, bool fresh, zw_error *err);
zw_status zw_event_passage_piece(zw_event_passage *p, zw_run *run, double t1, zw_error *err);
zw_status zw_event_passage_take(zw_event_passage *p, const zw_sim_turned *turned, zw_error *err);
/* sigma (nsigma), the state after the moment (nx), the parameters that events set (nfixed), at time
 * t before it in the state x. */
zw_status zw_event_passage_map(void *passage, double t, const double *x, int parameter, double by,
                               double *out, zw_error *err);
/* The flow of the stage that runs, with its Jacobian. */
zw_status zw_event_passage_flow(zw_event_passage *p, zw_flow **out, zw_error *err);
/* "the motion WHAT at t = ..., where the contact floor changes" */
zw_status zw_event_passage_refuse(const zw_event_passage *p, const char *what, zw_error *err);

#endif
