/* SPDX-License-Identifier: MIT */
/* A recorded run, from which an orbit is guessed. */
#ifndef ZW_MOTION_ORBITS_ORBITS_RECORD_H
#define ZW_MOTION_ORBITS_ORBITS_RECORD_H

#include "orbits.h"

typedef struct zw_orbits_record {
    zw_orbits *o;
    int n, capacity;      /* points */
    int steps;            /* of the integration that they come from */
    double *t, *x, *rate; /* n, n x nx, n x nx */
    double until;         /* end of the run [s]; 0: after the number of steps of the options */
    double atol;          /* of the run */
    bool rests;           /* the run came to rest */
    const char *method;   /* of the run; NULL: the default one */
} zw_orbits_record;

/* The start of the model at o->now, on its constraints. */
zw_status zw_orbits_start_state(zw_orbits *o, double *x, zw_error *err);
/* Runs from the start of the model at o->now for the number of steps of the options, and over a
 * time [s]. ZW_E_NUMERIC: it comes to rest. */
zw_status zw_orbits_record_run(zw_orbits *o, const char *method, zw_orbits_record *r,
                               zw_error *err);
/* Stores in o where a run ended that found no orbit: o->ended and o->ended_at_rest. */
void zw_orbits_record_end(const zw_orbits_record *r);
/* Were its steps limited by fast disturbances that decay, and not by the motion? */
zw_status zw_orbits_record_is_stiff(const zw_orbits_record *r, bool *stiff, zw_error *err);
zw_status zw_orbits_record_over(zw_orbits *o, zw_orbits_record *r, double time, zw_error *err);
/* The record of the result of a run. */
zw_status zw_orbits_record_result(zw_orbits *o, zw_orbits_record *r, const zw_table *result,
                                  zw_error *err);
/* The time since the motion was last where it ends; if `first`, the time until it is first back
 * where it began. ZW_E_NUMERIC: it never is, or it comes to rest. */
zw_status zw_orbits_record_period(const zw_orbits_record *r, bool first, double *period,
                                  zw_error *err);
/* The times of the zeros of a function of time and state (NaN: undefined); direction: falling (-1)
 * or rising (1) zeros only, 0: those of the kind of the first one. Returns their number, at most
 * `most`. */
typedef struct zw_orbits_section {
    double (*value)(void *user, double t, const double *x);
    void *user;
    int direction;
} zw_orbits_section;
int zw_orbits_record_zeros(const zw_orbits_record *r, const zw_orbits_section *s, int most,
                           double *t);
/* The state at a time, for zw_orbit; the record is the user. */
zw_status zw_orbits_record_at(void *record, double t, double *x, zw_error *err);
/* A mesh of n intervals (mesh: n + 1, from 0 to 1) over a part of the record, denser where the
 * steps were shorter. *points: recorded points in that part. */
void zw_orbits_record_mesh(const zw_orbits_record *r, double from, double period, int n,
                           double *mesh, int *points);

/* orbits_shoot.c: estimates the number of steps of an explicit method over a motion if stability
 * limits them, where disturbances decay fast */
zw_status zw_orbits_stiffness(zw_orbits *o, const zw_orbit *about, double *steps, zw_error *err);

#endif
