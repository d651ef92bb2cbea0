/* SPDX-License-Identifier: MIT */
/* Orbits in the notes of a table, smooth ones and those through events: shared by the sources of
 * both. */
#ifndef ZW_MOTION_ORBITS_ORBITS_FILE_H
#define ZW_MOTION_ORBITS_ORBITS_FILE_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/orbits.h"

struct zw_orbits_memory {
    zw_arena arena;
};

/* What all orbits of a table share. */
typedef struct zw_orbits_head {
    const zw_system *sys;
    int nx, stages, order;
    bool autonomous, family, events;
    int nmemory;
    const int *memory; /* parameters */
    const zw_parameter_range *over;
    const char *said; /* the range as the user wrote it; NULL: it is written from `over` */
} zw_orbits_head;
/* One orbit. */
typedef struct zw_orbits_written {
    const zw_orbit_motion *motion; /* its measures are not used */
    size_t size;                   /* of motion->x */
    int times;                     /* base periods after which it closes */
    int signature;                 /* -1 if none */
    const double *unknown;         /* nunknown: of an orbit through events; NULL if smooth */
    size_t nunknown;
} zw_orbits_written;

/* Write the notes of all orbits, of a signature, and of one orbit, which is this row. */
zw_status zw_orbits_put_head(const zw_orbits_head *head, zw_table *t);
zw_status zw_orbits_put_signature(const zw_orbits_head *head, const zw_orbits_signature *s,
                                  int number, zw_table *t);
zw_status zw_orbits_put(const zw_orbits_written *kept, const char *label, long row, zw_table *t);

/* "LP", ...; "" of points that are not special */
const char *zw_orbits_letters(zw_bifurcation event);
/* Fails with ZW_E_FILE if the file does not belong to this model. */
zw_status zw_orbits_check_head(const zw_orbits_head *head, const zw_orbits_file *f, int index,
                               zw_error *err);
/* The value at which an orbit of the file starts a computation over `over` (NULL: none) with the
 * parameters p; wanted: another value of the file's parameter, or NaN. *same: the parameters are
 * the same; *stays: the values, too. ZW_E_OPTION: the value is outside of the range. */
zw_status zw_orbits_file_value(const zw_parameter_range *over, const double *p,
                               const zw_orbits_file *f, int index, double wanted, double *value,
                               bool *same, bool *stays, zw_error *err);
/* Do the equations hold at x? work: n */
bool zw_orbits_is_solution(const zw_cont_problem *p, const double *x, double value, double *work);
/* The direction (n + 1) of the branch through x, which may be a fold. work: 2 n + 2. ZW_E_NUMERIC:
 * it has none. */
zw_status zw_orbits_direction(const zw_cont_problem *p, const double *x, double value,
                              double *tangent, double *work, zw_error *err);

/* Of smooth orbits. */
zw_orbits_head zw_orbits_head_of(const zw_orbits *o);
zw_status zw_orbits_note(const zw_orbits *o, int number, const char *label, long row, zw_table *t);

/* event_signature.c: reading, and what both readers need for it */
bool zw_orbits_read_field(const char **at, const char *words, long most, long *out);
zw_status zw_orbits_damaged(const char *key, const char *what, zw_error *err);
bool zw_orbits_is_whole(double v, double low, double high);
zw_status zw_orbits_read_signatures(zw_orbits_file *f, const zw_table *t, zw_error *err);

#endif
