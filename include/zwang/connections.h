/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/connections. */
/* Homoclinic and heteroclinic orbits of a model over a parameter, by names: where the unstable
 * manifold of a steady motion (its saddle) runs into the stable one of the same or of another one;
 * found by bisection of the side on which it passes, solved as a boundary value problem, followed
 * over a second parameter (motion/segments/periodic.h).
 *
 * Of a homoclinic orbit the *saddle quantity* is reported, the sum of the real parts of the two
 * eigenvalues nearest to the imaginary axis: if one direction leaves the saddle and it is negative,
 * one stable cycle is born; if it is positive, an unstable one, or, where the eigenvalue that
 * decays is complex, infinitely many (L. P. Shilnikov, Math. USSR Sb. 6 (1968) 427-438; 10 (1970)
 * 91-102). */
#ifndef ZWANG_CONNECTIONS_H
#define ZWANG_CONNECTIONS_H

#include "doubt.h"
#include "equations.h"
#include "equilibria.h"
#include "model.h"
#include "motion.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_connections zw_connections;

typedef struct zw_connections_options {
    size_t size;       /* of this struct, for the library */
    const char *over;  /* as in zwang/equilibria.h, a parameter: "rho=13:15" */
    const char *marks; /* a second one: curves over it; NULL: none */
    /* the other end: a steady motion that the model states, or "x=1, y=0", near which there is one;
     * NULL: the same one */
    const char *to;
    const char
        *turn;  /* "gamma=1, phi=-2": the same one, angles this many turns further; NULL: none */
    int side;   /* of the eigenvector to which it leaves: 1 or -1; 0: both are tried */
    int points; /* of the range at which is looked: 41 */
    int curve_points;  /* most of them to one side of a curve: 400 */
    double time;       /* s, how long a motion is followed; 0: as the eigenvalues say */
    double tolerance;  /* of the orbit between nodes, of its size: 1e-9 */
    int intervals_max; /* 600 */
    const zw_equilibria_options *motion; /* the steady motion where it begins; NULL: the defaults */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_connections_options;
ZW_API void zw_connections_options_init(zw_connections_options *options, size_t size);
static inline zw_connections_options zw_connections_options_default(void) {
    zw_connections_options o;
    zw_connections_options_init(&o, sizeof o);
    return o;
}

/* What is born of a homoclinic orbit. */
typedef enum zw_connection_birth {
    /* heteroclinic, or the saddle quantity is zero, or several directions leave and lead in */
    ZW_BIRTH_UNKNOWN,
    ZW_BIRTH_STABLE, /* one stable cycle */
    /* one unstable cycle; of a saddle that one direction leads into: one that repels all */
    ZW_BIRTH_UNSTABLE,
    ZW_BIRTH_MANY /* infinitely many unstable ones */
} zw_connection_birth;

typedef struct zw_connection_found {
    double value;       /* SI: of the boundary value problem, or of bisection alone */
    double bisected[2]; /* between these the side changes, */
    /* from this to that one; of a homoclinic orbit 1 is the side from which the motion came */
    int side[2];
    double nearest[2]; /* and so near the motions pass, of the size of the way */
    int way;           /* 1: motions were followed forwards, -1: backwards in time */
    int launch;        /* the side of the eigenvector on which it leaves */
    /* of a branch whose period grows, from which it was solved for; its value and period are
     * evidence then, and nothing was bisected. -1: none */
    int orbit;
    double orbit_value, orbit_period; /* SI; s */
    bool solved;                      /* by the boundary value problem; else `why` not */
    zw_connection_info info;
    double uncertain; /* of the value */
    char why[256];
    int n;                   /* eigenvalues: of both ends, one after the other in re and im */
    const double *re, *im;   /* 2 n */
    const double *saddle[2]; /* nx */
    int unstable, stable;    /* of the first end */
    double quantity;         /* 1/s */
    zw_connection_birth birth;
    int born;            /* for values above (1), below (-1) this one, or not known (0) */
    bool both;           /* the motion to the other side connects at this value too */
    int rows;            /* of the motion: */
    const double *t, *x; /* rows, rows x nx */
} zw_connection_found;

/* A point of a curve in two parameters. */
typedef struct zw_connection_point {
    double value, second; /* SI */
    double time, quantity;
    bool neutral; /* the saddle quantity is zero here */
    bool fold;    /* the curve turns back in the second parameter */
    int curve;    /* which of the connections it goes through */
} zw_connection_point;

/* ZW_E_OPTION, ZW_E_NAME: what is wrong with the options; ZW_E_DOMAIN: the steady motion is no
 * saddle, or of a dimension for which there are no connections at single values. The system and its
 * context must outlive it. */
ZW_API zw_status zw_connections_create(zw_connections **out, const zw_system *sys,
                                       const zw_connections_options *options, zw_error *err);
ZW_API void zw_connections_destroy(zw_connections *s);
/* All that the points of the range show. ZW_E_NUMERIC: none; the text tells what the motions do
 * instead. */
ZW_API zw_status zw_connections_find(zw_connections *s, zw_error *err);
/* Curves over the second parameter through all of them. */
ZW_API zw_status zw_connections_follow(zw_connections *s, zw_error *err);

ZW_API int zw_connections_count(const zw_connections *s);
ZW_API const zw_connection_found *zw_connections_at(const zw_connections *s, int i);
ZW_API int zw_connections_points(const zw_connections *s);
ZW_API const zw_connection_point *zw_connections_point(const zw_connections *s, int i);

ZW_API void zw_connections_warnings(const zw_connections *s, zw_warnings *out);
/* All of them, and the curves with their points, into the open object. */
ZW_API void zw_connections_report(const zw_connections *s, zw_report *out);
/* The motion of one as the result of a run; curves over the second parameter as a table of the kind
 * "marks". source may be NULL. */
ZW_API zw_status zw_connections_motion_table(zw_connections *s, int i,
                                             const zw_model_source *source, zw_table **out,
                                             zw_error *err);
ZW_API zw_status zw_connections_curve_table(const zw_connections *s, const zw_model_source *source,
                                            zw_table **out, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Motions of a model from one place to another, in a given time or, at a given energy, in any time:
 * a boundary value problem, solved by collocation (motion/segments/periodic.h) from several first
 * guesses.
 *
 * States that the constraints admit form a manifold of dimension d, so that d conditions at both
 * ends determine single motions. n coordinates at the beginning leave this many for the end:
 *
 *     holonomic constraints, or none     as many as there are degrees of freedom
 *     nonholonomic, d'Alembert           n minus the number of constraints: the other coordinates
 *                                        end where they end
 *     nonholonomic, vakonomic            all n: the start values of the multipliers are unknowns
 *
 * Motions by Hamilton's principle and vakonomic ones make the action stationary, the integral of L
 * = T - V over all paths between the same places in the same time that satisfy the constraints.
 * Conjugate points decide whether it is a minimum (Jacobi): the second variation has as many
 * negative directions as there are conjugate points between the ends, counted here by the broken
 * motions of M. Morse, which follow the motion from node to node with free places at the nodes.
 *
 * A search from several guesses finds several motions; it is not exhaustive. */

typedef struct zw_paths zw_paths;

typedef struct zw_paths_options {
    size_t size;             /* of this struct, for the library */
    const char *by;          /* the principle, "lagrange" */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    /* "x=0, y=0, x'=1 [m/s]": coordinates in place of those of the model's start; velocities and
     * multipliers become conditions; "th=free": none. NULL: the start */
    const char *from;
    const char *to;    /* "x=1 [m], y=0": the conditions at the end */
    double time;       /* s, from beginning to end; NaN: free, at the energy below */
    double energy;     /* J; NaN: not given */
    double start;      /* s, the time at the beginning: 0 */
    int starts;        /* first guesses, for each number of turns: 12 */
    int turns;         /* angles may end this many whole turns further, in both senses: 0 */
    int stages;        /* points of collocation in an interval: 5 */
    double tolerance;  /* of the motion between the nodes, of its size: 1e-9 */
    int intervals;     /* of the mesh of guesses: 20 */
    int intervals_max; /* 400 */
    long seed;         /* of the guesses: 1 */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_paths_options;
ZW_API void zw_paths_options_init(zw_paths_options *options, size_t size);
static inline zw_paths_options zw_paths_options_default(void) {
    zw_paths_options o;
    zw_paths_options_init(&o, sizeof o);
    return o;
}

/* Does the action have a least value there? */
typedef enum zw_path_kind {
    /* the motion is no stationary point of it: forces without a potential, or d'Alembert's
     * principle with nonholonomic constraints */
    ZW_PATH_NO_ACTION,
    ZW_PATH_UNKNOWN, /* the test failed */
    ZW_PATH_MINIMUM, /* no conjugate point: less than on all paths near it */
    ZW_PATH_SADDLE,  /* conjugate points: less on some of these */
    /* the end is a conjugate point of the beginning: there is a family of motions, or the second
     * variation does not decide */
    ZW_PATH_DEGENERATE
} zw_path_kind;

typedef struct zw_path_found {
    double time; /* s */
    /* J s: the integral of T - V; where the time is free, of 2 T, the action of Maupertuis */
    double action;
    double energy[2]; /* J: T + V at both ends */
    /* nv: dL/dv at both ends, of vakonomic motions with the multipliers: the derivatives of the
     * action in the places of the ends */
    const double *momentum[2];
    const double *turns; /* nq: by how many turns it ends further */
    double residual;     /* of the equations of collocation, in sizes of the motion */
    double error;        /* estimated, between nodes, in sizes of the motion */
    /* distance by which a run from the same start misses the end, relative to the size of the
     * motion; NaN: the run failed */
    double missed;
    int intervals, guesses; /* how often it was found */
    zw_path_kind kind;
    int index;        /* conjugate points between the ends, with multiplicity */
    double conjugate; /* s: about the time of the first; NaN: none */
    /* of the end from being conjugate: the smallest singular value of the end by the velocity at
     * the beginning, in sizes */
    double margin;
    int rows;            /* of the motion: */
    const double *t, *x; /* rows, rows x nx */
} zw_path_found;

/* ZW_E_OPTION, ZW_E_NAME: what is wrong with the options, or how many conditions there must be;
 * ZW_E_START: a place that the constraints do not admit. The system and its context must outlive
 * it. */
ZW_API zw_status zw_paths_create(zw_paths **out, const zw_system *sys,
                                 const zw_paths_options *options, zw_error *err);
ZW_API void zw_paths_destroy(zw_paths *s);
/* All that the guesses lead to, each once, by growing action. ZW_E_NUMERIC: none; ZW_STOPPED: it
 * was stopped, and there are some. */
ZW_API zw_status zw_paths_find(zw_paths *s, zw_error *err);

ZW_API int zw_paths_count(const zw_paths *s);
ZW_API const zw_path_found *zw_paths_at(const zw_paths *s, int i);
/* Dimension of the manifold, conditions at the beginning and at the end; nx, and the name and unit
 * of an entry of the state. */
ZW_API int zw_paths_dimension(const zw_paths *s, int *first, int *last);
ZW_API int zw_paths_entries(const zw_paths *s);
ZW_API const char *zw_paths_entry(const zw_paths *s, int i, const char **unit);

ZW_API void zw_paths_warnings(const zw_paths *s, zw_warnings *out);
/* All of it into the open object of a report. */
ZW_API void zw_paths_report(const zw_paths *s, zw_report *out);
/* One of them as the result of a run; source may be NULL. */
ZW_API zw_status zw_paths_table(zw_paths *s, int i, const zw_model_source *source, zw_table **out,
                                zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
