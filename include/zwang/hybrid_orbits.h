/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/event_orbits. */
/* Periodic orbits of a model whose events change its motion: they set velocities (impacts, kicks), coordinates and parameters, and switch constraints (sticking, rolling, support).
 * or that has contacts which open, close, slide and stick (as zw_sim follows them from event to event). Driven or not, by segments between events (zwang/hybrid.h), with Floquet's multipliers through saltation matrices; and branches of them over a parameter.
 *
 * Where they come from: the start of the model runs as `zwang run` would. The events that act in its last period, in their order, are the signature of the orbit; from their times and
 * states Newton's method goes on. What it finds must be a motion of the model: the run is repeated from it, and has to meet the same events. Branches keep their signature; they end where the
 * motion touches the surface of an event (grazing), or two events meet. */
#ifndef ZWANG_HYBRID_ORBITS_H
#define ZWANG_HYBRID_ORBITS_H

#include "doubt.h"
#include "forced.h"
#include "hybrid.h"
#include "model.h"
#include "orbits.h"
#include "over.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_hybrid_orbits zw_hybrid_orbits;

typedef struct zw_hybrid_orbits_options {
    size_t size;      /* of this struct, for the library */
    const char *over; /* as in zwang/over.h, a parameter; NULL: at the model's values alone */
    double period;    /* s, of an undriven model, about; 0: what the run tells */
    int order;        /* of driven models: so many periods of the drive, 1 */
    int settle;       /* of driven models: periods that the run goes on before, 100 */
    int events;       /* of others: so many that act, 300 */
    int steps;        /* of the method, at most, until then: 200000 */
    int points_max;   /* of a branch, 2000 */
    double step_max;  /* of a branch, as a part of the range: 0.02 */
    bool stability;   /* find it: true */
    bool normal;      /* find normal forms of folds and period doublings: true */
    int harmonics;    /* Fourier coefficients that are found: 1 */
    const zw_active *active;               /* what holds at the start; NULL: as the model says */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    const zw_forced_values *
        with; /* values that replace a parameter of the model; NULL: none. They must outlive the study */
    int member; /* which of its values */
} zw_hybrid_orbits_options;
ZW_API void zw_hybrid_orbits_options_init(zw_hybrid_orbits_options *options, size_t size);
static inline zw_hybrid_orbits_options zw_hybrid_orbits_options_default(void) {
    zw_hybrid_orbits_options o;
    zw_hybrid_orbits_options_init(&o, sizeof o);
    return o;
}

/* Is this the study for a system: does an event of it act, or has it contacts with set-valued laws? */
ZW_API bool zw_hybrid_orbits_suit(const zw_system *sys);

typedef struct zw_hybrid_motion {
    double value;  /* of the number that is gone along; NaN without */
    double period; /* s */
    double start;  /* s: when the first segment begins */
    int nsegment;
    const int *event; /* nsegment: of the system, that end the segments; -1: the period is over */
    const char *const *name; /* nsegment: their names; of contacts "floor.hit", "floor.sticks" */
    const char *signature;   /* "hit, stick": their names; "" without events */
    const double *unknown;   /* as of zw_hybrid_problem */
    const double *
        x; /* nq + nv: the state at t = 0 of a driven motion, else where the first segment begins */
    const zw_forced_measure *measure; /* of coordinates, then observables */
    double residual;                  /* left by Newton's method, in units of the orbit's size */
    double
        confirmed; /* by how much the run of the model misses its beginning, likewise; NaN: not run */
    int nmultiplier;
    const double *re, *im; /* the largest first; none where they were not found */
    double accuracy;
    double trivial; /* of an autonomous model: by how much its multiplier 1 is missed; else NaN */
    int outside;    /* -1: not known */
    zw_floquet_verdict verdict;
    zw_forced_event event_here; /* what happens at this point of a branch */
    int curve;                  /* the number of its branch; -1: none */
    zw_hybrid_margins margins;
    const zw_shooting *record;     /* coefficients and extremes of all quantities */
    const zw_orbit_normal *normal; /* of folds and period doublings; else NULL */
    const double *
        tangent; /* of marks: the direction of the branch, one entry more than unknown; else NULL */
    int jumps;   /* events of the period */
    const double *
        drift; /* of coordinates, then observables, per period, 0 if periodic; NULL: all are periodic. `measure` is without it */
} zw_hybrid_motion;

/* The system and its context must outlive it. */
ZW_API zw_status zw_hybrid_orbits_create(zw_hybrid_orbits **out, const zw_system *sys,
                                         const zw_hybrid_orbits_options *options, zw_error *err);
ZW_API void zw_hybrid_orbits_destroy(zw_hybrid_orbits *o);

/* The orbit to which the start of the model leads at a value (NaN: at the model's). ZW_E_NUMERIC: it does not come back, events accumulate, ... */
ZW_API zw_status zw_hybrid_orbits_find(zw_hybrid_orbits *o, double value, int *number,
                                       zw_error *err);
/* More of them there: from so many starts of different sizes, the same for the same number. *found (may be NULL): how many are new. */
ZW_API zw_status zw_hybrid_orbits_search(zw_hybrid_orbits *o, double value, int starts, int *found,
                                         zw_error *err);
/* The branch through an orbit, to both sides. ZW_E_OPTION without `over`. */
ZW_API zw_status zw_hybrid_orbits_follow(zw_hybrid_orbits *o, int number, zw_error *err);

/* Where branches end by grazing a run is asked what comes behind: told with the end, and followed if it is an orbit with other events, at most so many of them. */
ZW_API zw_status zw_hybrid_orbits_beyond(zw_hybrid_orbits *o, int most, zw_error *err);

/* The branches that leave at branch points and at period doublings, those that leave from these, and so on, at most so many. *found (may be
 * NULL): how many. What cannot be found is told as a doubt. */
ZW_API zw_status zw_hybrid_orbits_switch(zw_hybrid_orbits *o, int most, int *found, zw_error *err);
/* Where a branch leaves another one, as zw_orbits_branch_origin. */
ZW_API int zw_hybrid_orbits_branch_origin(const zw_hybrid_orbits *o, int branch,
                                          zw_forced_event *event, double *value, int *times);

/* Curves of the marks of all branches over a second parameter, as zw_orbits_marks: folds, period doublings, Neimark-Sacker points, and orbits that graze. */
ZW_API zw_status zw_hybrid_orbits_marks(zw_hybrid_orbits *o, const char *second, zw_error *err);
ZW_API int zw_hybrid_orbits_mark_count(const zw_hybrid_orbits *o);
ZW_API const zw_orbit_mark *zw_hybrid_orbits_mark_at(const zw_hybrid_orbits *o, int number);
/* As zw_orbits_marks_table; kind 6: grazing. */
ZW_API zw_status zw_hybrid_orbits_marks_table(const zw_hybrid_orbits *o,
                                              const zw_model_source *source, zw_table **out,
                                              zw_error *err);

ZW_API bool zw_hybrid_orbits_autonomous(const zw_hybrid_orbits *o);
ZW_API int zw_hybrid_orbits_count(const zw_hybrid_orbits *o);
ZW_API const zw_hybrid_motion *zw_hybrid_orbits_at(const zw_hybrid_orbits *o, int number);
ZW_API int zw_hybrid_orbits_branches(const zw_hybrid_orbits *o);
/* How a branch ended towards smaller (0) and larger (1) values; the sentence is "" at a bound of the range. */
ZW_API zw_cont_end zw_hybrid_orbits_branch_end(const zw_hybrid_orbits *o, int branch, int side,
                                               const char **sentence);
ZW_API const zw_over *zw_hybrid_orbits_over(const zw_hybrid_orbits *o); /* NULL without */

/* What is doubtful of all that was found. */
ZW_API void zw_hybrid_orbits_doubts(const zw_hybrid_orbits *o, zw_doubts *out);
/* For people and as JSON; new strings of the context (zw_string_free), NULL: out of memory. */
ZW_API char *zw_hybrid_orbits_text(const zw_hybrid_orbits *o);
ZW_API char *zw_hybrid_orbits_json(const zw_hybrid_orbits *o);
/* LP1, PD1, NS1, BP1, GR1 (grazing), EP1, as zw_orbits_label. */
ZW_API void zw_hybrid_orbits_label(const zw_hybrid_orbits *o, int number, char *label);
/* All points of all branches as a table of the kind "response", which holds every orbit (zwang/orbits.h: zw_orbits_file_read). source may be NULL. */
ZW_API zw_status zw_hybrid_orbits_table(zw_hybrid_orbits *o, const zw_model_source *source,
                                        zw_table **out, zw_error *err);
/* An orbit of a file as one of the study, as zw_orbits_adopt. What is not an orbit of the model any more is refused: ZW_E_NUMERIC. */
ZW_API zw_status zw_hybrid_orbits_adopt(zw_hybrid_orbits *o, const zw_orbits_file *f, int index,
                                        double value, int *number, zw_error *err);
/* One orbit over one period as the result of a run; *gap (may be NULL): how far it misses its beginning, of the size of the orbit. ZW_E_OPTION: no segment of the orbit has the
 * constraints that the model begins with. */
ZW_API zw_status zw_hybrid_orbits_motion_table(zw_hybrid_orbits *o, int number, int rows,
                                               const zw_model_source *source, zw_table **out,
                                               double *gap, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
