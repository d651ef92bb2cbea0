/* SPDX-License-Identifier: MIT */
/* A motion on record, from which an orbit is guessed; private to the files of periodic orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_RECORD_H
#define ZW_MOTION_ORBITS_ORBITS_RECORD_H

#include "motion/segments/periodic.h"
#include "orbits.h"

typedef struct zw_orbits_record {
    zw_orbits *o;
    int n, room, steps;   /* points; room for them; steps that they came from */
    double *t, *x, *rate; /* n, n x nx, n x nx */
    double until;         /* the run ends here; 0: after as many steps as the options say */
    double atol;
    bool rests;         /* nothing moved any more */
    const char *method; /* of the run; NULL: the default one */
} zw_orbits_record;

/* The start of the model at o->now, on its constraints. */
zw_status zw_orbits_start_state(zw_orbits *o, double *x, zw_error *err);
/* From the start of the model at o->now: as many steps as the options say; over so much time (s).
 * ZW_E_NUMERIC: it comes to rest. */
zw_status zw_orbits_record_run(zw_orbits *o, const char *method, zw_orbits_record *r,
                               zw_error *err);
/* A run that led to no orbit: o->ended and o->ended_at_rest. */
void zw_orbits_record_end(const zw_orbits_record *r);
/* Were its steps held short by fast disturbances that decay, and not by the motion? */
zw_status zw_orbits_record_is_stiff(const zw_orbits_record *r, bool *stiff, zw_error *err);
zw_status zw_orbits_record_over(zw_orbits *o, zw_orbits_record *r, double time, zw_error *err);
/* What the result of a run holds. */
zw_status zw_orbits_record_result(zw_orbits *o, zw_orbits_record *r, const zw_table *result,
                                  zw_error *err);
/* How long ago the motion was where it ends; of the first part of it, when it is back where it
 * began. ZW_E_NUMERIC: it never was, or comes to rest. */
zw_status zw_orbits_record_period(const zw_orbits_record *r, bool first, double *period,
                                  zw_error *err);
/* The times of the zeros of a function of time and state (NaN: none), from its falling (-1) or
 * rising (1) alone; 0: of the kind of the first one. At most so many; returns how many. */
typedef struct zw_orbits_section {
    double (*value)(void *user, double t, const double *x);
    void *user;
    int direction;
} zw_orbits_section;
int zw_orbits_record_zeros(const zw_orbits_record *r, const zw_orbits_section *s, int most,
                           double *t);
/* The state at a time, for zw_orbit; the record is the user. */
zw_status zw_orbits_record_at(void *record, double t, double *x, zw_error *err);
/* Of n intervals, denser where the steps were: mesh (n + 1) from 0 to 1 over a part of the record.
 * How many points lie in it: *points. */
void zw_orbits_record_mesh(const zw_orbits_record *r, double from, double period, int n,
                           double *mesh, int *points);

/* orbits_shoot.c: about how many steps an explicit method takes for a motion, since stability
 * limits them where disturbances decay fast. */
zw_status zw_orbits_stiffness(zw_orbits *o, const zw_orbit *about, double *steps, zw_error *err);

#endif
