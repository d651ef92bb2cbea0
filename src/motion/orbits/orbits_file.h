/* SPDX-License-Identifier: MIT */
/* Orbits in the notes of a table, smooth ones and those through events; private to the files of
 * periodic orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_FILE_H
#define ZW_MOTION_ORBITS_ORBITS_FILE_H

#include "base/arena.h"
#include "base/text.h"
#include "branch/curve.h"
#include "zwang/orbits.h"

struct zw_orbits_memory {
    zw_arena arena;
};

/* What is said of all orbits. */
typedef struct zw_orbits_head {
    const zw_system *sys;
    int nx, stages, order;
    bool autonomous, family, events;
    int nmemory;
    const int *memory; /* parameters */
    const zw_parameter_range *over;
    const char *said; /* the range as it was given; NULL: it is written anew */
} zw_orbits_head;
/* One orbit. */
typedef struct zw_orbits_kept {
    const zw_orbit_motion *motion; /* without measures */
    size_t size;                   /* of motion->x */
    int times;
    int signature;         /* -1: none */
    const double *unknown; /* of an orbit through events; NULL: none */
    size_t nunknown;
} zw_orbits_kept;

/* The notes of all orbits, of a signature, and of one orbit, which is this row. */
zw_status zw_orbits_put_head(const zw_orbits_head *head, zw_table *t);
zw_status zw_orbits_put_signature(const zw_orbits_head *head, const zw_orbits_signature *s,
                                  int number, zw_table *t);
zw_status zw_orbits_put(const zw_orbits_kept *kept, const char *label, long row, zw_table *t);

/* "LP", ...; "" of points that are no marks */
const char *zw_orbits_letters(zw_bifurcation event);
/* Is the file one of this model? ZW_E_FILE: it is not. */
zw_status zw_orbits_check_head(const zw_orbits_head *head, const zw_orbits_file *f, int index,
                               zw_error *err);
/* The value at which an orbit of the file is one of a study over `over` (NULL: none), which has the
 * parameters p; wanted: NaN, or another one of the file's parameter. *same: it is the same
 * parameter; *stays: and the same value. ZW_E_OPTION: it is outside of the range. */
zw_status zw_orbits_place(const zw_parameter_range *over, const double *p, const zw_orbits_file *f,
                          int index, double wanted, double *value, bool *same, bool *stays,
                          zw_error *err);
/* Do the equations hold at x? room: n */
bool zw_orbits_is_solution(const zw_cont_problem *p, const double *x, double value, double *room);
/* The direction (n + 1) of the branch through x, which may be a fold. room: 2 n + 2. ZW_E_NUMERIC:
 * it has none. */
zw_status zw_orbits_direction(const zw_cont_problem *p, const double *x, double value,
                              double *tangent, double *room, zw_error *err);

/* Of a study of smooth orbits. */
zw_orbits_head zw_orbits_head_of(const zw_orbits *o);
zw_status zw_orbits_note(const zw_orbits *o, int number, const char *label, long row, zw_table *t);

/* event_signature.c: reading, with what both files need for it */
bool zw_orbits_read_field(const char **at, const char *words, long most, long *out);
zw_status zw_orbits_damaged(const char *key, const char *what, zw_error *err);
bool zw_orbits_is_whole(double v, double low, double high);
zw_status zw_orbits_read_signatures(zw_orbits_file *f, const zw_table *t, zw_error *err);

#endif
