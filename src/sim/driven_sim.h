/* SPDX-License-Identifier: MIT */
/* A simulation that is driven from outside: from a start with any numbers, to a time, and on from
 * there. Nothing is recorded, and nothing grows however often it is started. With it src/ensemble
 * computes one motion of many, and the public zw_drive (zwang/drive.h) stands on it. */
#ifndef ZW_SIM_DRIVEN_SIM_H
#define ZW_SIM_DRIVEN_SIM_H

#include "internal.h"

/* From now on the simulation is driven by the functions below. watch is copied. */
zw_status zw_sim_drive(zw_sim *sim, const zw_sim_watch *watch, zw_error *err);
/* At time t from the start of the model, with numbers instead of what it says: parameters p[i]
 * where set[i] (np), entries x[i] of the state of the system where given[i]. *stop: an event at the
 * start ends the motion. */
zw_status zw_sim_drive_start(zw_sim *sim, double t, const bool *set, const double *p,
                             const bool *given, const double *x, bool *stop, zw_error *err);
/* The same with numbers by name or index, which have been checked. */
zw_status zw_sim_drive_begin(zw_sim *sim, double t, const zw_sim_numbers *numbers, bool *stop,
                             zw_error *err);
/* On to t. *stop: an event has ended the motion. ZW_STOPPED: interrupted. ZW_EVENT, if
 * sim->early: an event has happened, and the motion can continue. */
zw_status zw_sim_drive_to(zw_sim *sim, double t, bool *stop, zw_error *err);
/* Go on from time t and the state x (of the system, moved onto the constraints by the least amount)
 * with parameters p, of which those with set[i] follow no others. */
zw_status zw_sim_drive_change(zw_sim *sim, double t, const bool *set, const double *p,
                              const double *x, zw_error *err);
/* The same where events that have acted at this time stay so, and entries fixed[i] of x (nq + nv;
 * may be NULL: none) have to keep their values. */
zw_status zw_sim_drive_continue(zw_sim *sim, double t, const bool *set, const double *p,
                                const bool *fixed, const double *x, zw_error *err);

/* The present state of the system, its parameters, and the present row, as the columns of
 * zw_sim_rows say. */
zw_status zw_sim_drive_state(const zw_sim *sim, double *x, zw_error *err);
const double *zw_sim_drive_parameters(const zw_sim *sim);
const double *zw_sim_drive_row(zw_sim *sim);
double zw_sim_drive_time(const zw_sim *sim);
zw_run *zw_sim_drive_run(const zw_sim *sim);
zw_kernel *zw_sim_drive_kernel(const zw_sim *sim);
/* Columns 0 .. this - 1 of a row are functions of time and state alone: with rates z and
 * observables obs at (t, x), x being the state of the equations that run. */
int zw_sim_drive_columns(const zw_sim *sim);
void zw_sim_drive_values(const zw_sim *sim, double t, const double *x, const double *z,
                         const double *obs, double *row);
/* Where such a column comes from. */
typedef enum zw_drive_kind {
    ZW_DRIVE_TIME,
    ZW_DRIVE_STATE,      /* entry `index` of x, */
    ZW_DRIVE_RATE,       /* of z, */
    ZW_DRIVE_OBSERVABLE, /* of obs: T and V come last */
    ZW_DRIVE_ENERGY,
    ZW_DRIVE_ZERO /* a multiplier of what does not hold */
} zw_drive_kind;
zw_drive_kind zw_sim_drive_column(const zw_sim *sim, int column, int *index);
/* A motion that another one began: at time t from the state x of the system, moved onto the
 * constraints by the least amount, and parameters p, of which those with set[i] follow no
 * others. */
zw_status zw_sim_drive_enter(zw_sim *sim, double t, const bool *set, const double *p,
                             const double *x, zw_error *err);
/* A singularity of the coordinates (num/inertia.h) in words, at the state x: the velocity that has
 * no inertia there, and the first coordinates that its inertia depends on, which zw_sim_inertia_of
 * gives. */
enum { ZW_SIM_PLACES = 3 };
int zw_sim_inertia_of(const zw_equations *eq, int velocity, int *coordinate);
void zw_sim_singular_words(const zw_system *s, const char *velocity, int n, const int *coordinate,
                           const double *x, double distance, char *out, size_t size);
/* The same of a run without a simulation: zw_run_on_warning(run, zw_sim_on_singular, &s). */
typedef struct zw_sim_singular {
    const zw_equations *eq;
    zw_run *run;
    double *x;      /* nx: room */
    bool quiet;     /* a motion that is only tried */
    char text[400]; /* the first one; "": none */
} zw_sim_singular;
void zw_sim_on_singular(void *user, zw_warning_kind kind, int index, double t, double value);
extern const char zw_sim_singular_hint[];
/* Can the motion jump, or go over to other equations? In words why, NULL if not. */
const char *zw_sim_drive_jumps(const zw_sim *sim);

#endif
