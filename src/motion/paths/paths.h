/* SPDX-License-Identifier: MIT */
/* The object of paths between two places (zwang/connections.h) and what its sources share.
 *
 *     paths.c             the model, its ends, the number of conditions
 *     paths_ends.c        conditions on the states at the ends
 *     paths_guess.c       first guesses
 *     paths_solve.c       the boundary value problem from a guess, on an adapted mesh
 *     paths_properties.c  action, momenta, conjugate points, a run from the same start
 *     paths_write.c       report, table, warnings
 *     paths_study.c       the study: options, results */
#ifndef ZW_MOTION_PATHS_PATHS_H
#define ZW_MOTION_PATHS_PATHS_H

#include "base/arena.h"
#include "base/random.h"
#include "motion/equilibria/equilibria.h"
#include "motion/segments/periodic.h"
#include "zwang/connections.h"
#include "zwang/run.h"

/* Relative to the expected size: the least range of an entry of a motion. */
#define ZW_PATH_RANGE_MIN 1e-3

/* Conditions at an end: rows.(u - target), independent combinations of those that the user gave. */
typedef struct zw_path_end {
    int ngiven;    /* conditions that the user gave */
    int *entry;    /* ngiven: the entries of the state */
    double *value; /* ngiven */
    bool *free;    /* nx: coordinates at the beginning without a condition */
    int n;         /* independent conditions */
    double *row;   /* n x nx */
    double *state; /* nx: a state that satisfies them */
} zw_path_end;

struct zw_paths {
    zw_arena arena;
    const zw_system *sys;
    zw_system watched; /* with observables for momenta and rows of constraints */
    zw_paths_options options;
    zw_equilibria *e;
    zw_flow *flow;
    zw_run *run;
    int nx, nq, nv, nmu; /* nv: velocities of the system, nmu: multipliers after them */
    int nobs;            /* of the system, before those of momenta */
    bool is_free;        /* the time is free, and the energy given by the options */
    bool has_action, is_vakonomic;
    int dimension;
    double *scale, *period; /* nx */
    const char **unit;      /* nx */
    zw_path_end first, last;
    double *turns, *turn; /* nx: of the present search, turns and turns times period */
    /* change of the conditions at the end by a guess that is a motion to another place; else 0 */
    double *offset;
    double *observed, *observed_by; /* nobs + 2, and rows of nx */
    double *work;                   /* nx x 4 */
    int tried, led, nfound, capacity;
    zw_path_found *found;
    bool stopped;
    char trouble[256]; /* error of the last guess that failed */
};

/* A motion on its mesh. */
typedef struct zw_path_motion {
    zw_colloc *c;
    double *x; /* for options.intervals_max */
    double time;
    double *size; /* nx: ranges of its entries */
} zw_path_motion;

/* paths_ends.c: reads both ends from the options; first.state holds the start of the model */
zw_status zw_paths_read_ends(zw_paths *s, zw_error *err);
/* the number of independent conditions of an end at its state, and their rows */
zw_status zw_paths_choose_rows(zw_paths *s, zw_path_end *end, zw_error *err);
/* guess number k into m->x, whose mesh is new; *moves: it is a motion with another end. ZW_RETRY:
 * there is none */
zw_status zw_paths_guess(zw_paths *s, int k, zw_path_motion *m, bool *moves, zw_error *err);
/* the state at the end of an interval by its polynomials (nx) */
void zw_paths_end_state(const zw_paths *s, const zw_path_motion *m, int interval, double *end);
/* solves from guess number k and stores a new path */
zw_status zw_paths_solve(zw_paths *s, int k, zw_error *err);
/* fills in the properties of a found path whose time and rows are set; ZW_E_MEMORY or ZW_OK */
zw_status zw_paths_judge(zw_paths *s, zw_path_motion *m, zw_path_found *f, zw_error *err);
/* T and V at a state */
zw_status zw_paths_energies(zw_paths *s, double t, const double *x, double *T, double *V,
                            zw_error *err);

#endif
