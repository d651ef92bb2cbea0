/* SPDX-License-Identifier: MIT */
/* What simulations need of a run beyond the public face: motions that jump on their way, events that
 * are handed over from one run to the next, pieces of several steps. */
#ifndef ZW_NUM_RUN_JUMPS_H
#define ZW_NUM_RUN_JUMPS_H

#include "zwang/run.h"

/* Where an event function is (src/num/events/events.c): on one side of zero, leaving zero to one
 * side, or at rest there. */
typedef enum zw_event_phase {
    ZW_EVENT_UNKNOWN, /* to be found from its value and its motion at the start */
    ZW_EVENT_FREE,
    ZW_EVENT_LEAVING,
    ZW_EVENT_RESTING
} zw_event_phase;
typedef struct zw_event_side {
    zw_event_phase phase;
    int side;     /* 1 or -1; 0 of one at rest */
    double level; /* of which it is the side: 0, or a multiple of the function's period */
    double band;  /* nearer it is close to it */
    double value; /* that the function had */
    bool fired;   /* at that moment: */
    bool jumped;  /* by a jump through zero, */
    bool escaped; /* or without having left zero, within its accuracy, since the start */
} zw_event_side;
/* Which way a function goes that is at zero, within its accuracy. */
typedef enum zw_way {
    ZW_WAY_DOWN_SOON =
        -2, /* it rests, but is about to go down: its second derivative is negative */
    ZW_WAY_DOWN = -1,
    ZW_WAY_REST = 0,
    ZW_WAY_UP = 1,
    ZW_WAY_UP_SOON = 2,
    ZW_WAY_NONE = 3 /* it is not at zero */
} zw_way;
/* What the events would set at the present state: nact values, in the order of `act` in kernel.h,
 * valid until the next call; NULL if there are none. */
const double *zw_run_actions(zw_run *run);
/* A step of the method ends at t, where the caller knows of a change: an input jumps, a clock
 * ticks. It holds until another one is said; a start forgets it. Methods with a fixed step go
 * beyond and look back. */
void zw_run_lead_to(zw_run *run, double t);
/* The last time that is needed: a run that fails in a step beyond it stays at its last state. NaN:
 * none. */
void zw_run_limit(zw_run *run, double t);
/* A start forgets where the event functions were, and one that is about to cross zero would be
 * lost. zw_run_armed tells the sides at the present state, nevt of them. After the next start, of
 * this run or of another one with the same events, zw_run_arm hands them over: one that has fired
 * must leave zero before it can fire again; the others stay as they were if they still have these
 * values, one that has jumped begins anew. If jumps count they stay in any case, and a jump through
 * zero is an event. */
zw_status zw_run_armed(zw_run *run, zw_event_side *side, zw_error *err);
void zw_run_arm(zw_run *run, const zw_event_side *side, bool jumps_count);
/* Periods of the event functions (nevt), not negative: all multiples of a period are zeros. 0, and
 * NULL: there is one zero alone. To be said before a start. */
void zw_run_event_periods(zw_run *run, const double *period);
/* Which way the event functions go (nevt) at the present state. */
zw_status zw_run_event_ways(zw_run *run, int *way, zw_error *err);
/* Where something else happens at the present time: the events (at most nevt, their number in *n)
 * that act and are about to cross zero, being at it within their accuracy. They count as told
 * now. */
zw_status zw_run_claim(zw_run *run, int *event, int *n, zw_error *err);
/* How long the moment of the events reported last is: within the accuracy of their functions they
 * may come as much later. 0 if there are none. */
zw_status zw_run_moment(zw_run *run, double *length, zw_error *err);
/* For equations from which velocities have been eliminated by constraints (dependent, nv of them):
 * how good that choice is at a state x, |det W_D| against the largest that complete pivoting finds,
 * and the choice that has this (best, nv). 1 where it is not known. */
double zw_run_choice(zw_run *run, double t, const double *x, const bool *dependent, bool *best);
/* From within a piece (above): the call of zw_run_advance that goes on ends with ZW_OK after this
 * step, where zw_run_time then is, if there is no event before. */
void zw_run_pause(zw_run *run);
/* The powers (npower, see kernel.h) at any state, started or not; nothing in the run moves. */
zw_status zw_run_powers(zw_run *run, double t, const double *x, double *power, zw_error *err);
/* Nobody asks for states within pieces: then a method with short steps may take several of them in
 * one piece, if the model has no events and no kinks either. false at first. */
void zw_run_coarse(zw_run *run, bool coarse);
/* The first step after the next start is not longer than h [s] (0: no limit), where an event is
 * near. */
void zw_run_first_step(zw_run *run, double h);

#endif
