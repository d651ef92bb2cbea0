/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/diagram. */
/* All that a system does over one parameter, as far as it is found: steady motions that many starts
 * lead to, their branches through folds and branch points (zwang/equilibria.h), the orbits that are
 * born at their Hopf points and the one to which the start goes (zwang/orbits.h), orbits that leave
 * these where periods double or symmetries break, and where orbits end: at another Hopf point, at a
 * fold, where their period has no bound since they come to a saddle (homoclinic: to one,
 * heteroclinic: to several), at the range. What it says is what was found; that there is nothing
 * else it never says. */
#ifndef ZWANG_DIAGRAM_H
#define ZWANG_DIAGRAM_H

#include "equilibria.h"
#include "orbits.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_diagram zw_diagram;

typedef struct zw_diagram_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/equilibria.h, a parameter */
    const zw_equilibria_options *motion; /* what is held, and the like; NULL: the defaults */
    int nbox;
    /* where starts lie; 0: all angles, and 3, 30 and 300 times the sizes of other coordinates */
    const zw_equilibria_box *box;
    int starts;       /* at each of three values: 24; */
    int most;         /* 384: more of them, as zwang/steady.h describes; below starts: none */
    int branches;     /* of steady motions, at most: 16 */
    int orbits;       /* branches of orbits, at most: 8 */
    int points_max;   /* of a branch, 1000 */
    double tolerance; /* of orbits, as of zw_orbits_options, 1e-6 */
    bool (*stop)(void *user,
                 double done); /* asked on the way; true ends it with what there is. May be NULL */
    void *stop_user;
} zw_diagram_options;
ZW_API void zw_diagram_options_init(zw_diagram_options *options, size_t size);
static inline zw_diagram_options zw_diagram_options_default(void) {
    zw_diagram_options o;
    zw_diagram_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_diagram_kind {
    ZW_DIAGRAM_FOLD,
    ZW_DIAGRAM_BRANCH,
    ZW_DIAGRAM_HOPF,
    ZW_DIAGRAM_ORBIT_FOLD,
    ZW_DIAGRAM_ORBIT_BRANCH,
    ZW_DIAGRAM_ORBIT_FLIP,
    ZW_DIAGRAM_ORBIT_TORUS,
    ZW_DIAGRAM_HOMOCLINIC,   /* orbits end: their period has no bound, at one saddle, */
    ZW_DIAGRAM_HETEROCLINIC, /* at several */
    ZW_DIAGRAM_ORBIT_END,    /* orbits end for another reason, within the range */
    /* steady motions gain or lose stability between two points, without a mark that says why */
    ZW_DIAGRAM_UNLOCATED,
    /* a branch of steady motions is not followed further, within the range */
    ZW_DIAGRAM_STEADY_END,
    ZW_DIAGRAM_SHRINKS /* steady motions along a symmetry shrink to a state that it does not move */
} zw_diagram_kind;

/* Something happens. */
typedef struct zw_diagram_event {
    zw_diagram_kind kind;
    double value;   /* SI */
    double error;   /* [SI] error of the value; 0: all printed digits are known */
    int branch;     /* of steady motions or of orbits, by kind */
    int orbit;      /* of orbits: its number; else -1 */
    int images;     /* further places where the same happens at the same value: mirror images */
    char text[480]; /* in words, without the value */
    bool open;      /* branches of orbits that must end here were not found */
} zw_diagram_event;

/* Why a branch of orbits ends. */
typedef enum zw_diagram_end_kind {
    ZW_DIAGRAM_END_OPEN,         /* not known: unresolved */
    ZW_DIAGRAM_END_RANGE,        /* the end of the range of the parameter */
    ZW_DIAGRAM_END_HOPF,         /* the orbits shrink to a steady motion */
    ZW_DIAGRAM_END_HOMOCLINIC,   /* the period grows without bound: at one saddle, */
    ZW_DIAGRAM_END_HETEROCLINIC, /* at several, */
    ZW_DIAGRAM_END_FOLD,         /* where two steady motions meet on the orbits */
    ZW_DIAGRAM_END_DOUBLING,     /* a period doubling of another branch */
    ZW_DIAGRAM_END_BRANCH_POINT, /* a branch point of another branch */
    ZW_DIAGRAM_END_CLOSED,       /* a closed curve, which has no ends */
    ZW_DIAGRAM_END_EVENT,        /* beyond it the motion is stopped by an event of the model */
    ZW_DIAGRAM_END_STOPPED       /* options.stop ended the search */
} zw_diagram_end_kind;

typedef struct zw_diagram_end {
    zw_diagram_end_kind kind;
    double value; /* SI */
    double error; /* [SI] error of the value; 0: all printed digits are known */
    int other;    /* the branch of orbits on which it ends; -1: none */
} zw_diagram_end;

/* Between two values nothing happens. */
typedef struct zw_diagram_range {
    double from, to;
    int steady, steady_stable; /* steady motions, and those of which everything dies out */
    int steady_open;           /* those of which nothing grows, but linear terms do not decide */
    int orbits, orbits_stable;
    /* those whose eigenvalues or multipliers are not known well enough to say */
    int steady_unknown, orbits_unknown;
    bool varies;      /* the number of motions is not the same everywhere in it */
    int runs, astray; /* runs at a value in it, and those that come to no steady motion or orbit */
} zw_diagram_range;

/* The system and its context must outlive it. ZW_E_MODEL: the model is driven, or families are left
 * open that something must hold. ZW_E_NUMERIC: neither steady motions nor orbits were found. */
ZW_API zw_status zw_diagram_create(zw_diagram **out, const zw_system *sys,
                                   const zw_diagram_options *options, zw_error *err);
ZW_API void zw_diagram_destroy(zw_diagram *d);

/* What it stands on; no orbits: NULL. */
ZW_API const zw_branches *zw_diagram_branches(const zw_diagram *d);
ZW_API const zw_orbits *zw_diagram_orbits(const zw_diagram *d);
ZW_API int zw_diagram_events(const zw_diagram *d); /* by their values */
ZW_API const zw_diagram_event *zw_diagram_event_at(const zw_diagram *d, int i);
/* An end (0: the first orbit, 1: the last) of a branch of orbits; NULL: there is no such branch. */
ZW_API const zw_diagram_end *zw_diagram_end_at(const zw_diagram *d, int branch, int side);
ZW_API int zw_diagram_ranges(const zw_diagram *d);
ZW_API const zw_diagram_range *zw_diagram_range_at(const zw_diagram *d, int i);
ZW_API bool zw_diagram_stopped(const zw_diagram *d);

/* What is doubtful, and what was not followed. */
ZW_API void zw_diagram_warnings(const zw_diagram *d, zw_warnings *out);
/* "events", "orbit_branches" and "ranges" into the open object of the report, and all branches. */
ZW_API void zw_diagram_report(const zw_diagram *d, zw_report *out);
/* The table of zw_orbits_table, of which every orbit can be found again, with rows for the steady
 * motions after them (`period` NaN, max and min the same), and notes for all marks. source may be
 * NULL. */
ZW_API zw_status zw_diagram_table(const zw_diagram *d, const zw_model_source *source,
                                  zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
