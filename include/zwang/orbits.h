/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/orbits. */
/* Periodic orbits of a model, driven or not, by collocation (motion/segments/periodic.h), with
 * Floquet's multipliers (motion/segments/periodic.h); and branches of them over a parameter
 * (branch/curve.h).
 *
 * Where they come from: the start of the model, run until it comes back to where it was; or a Hopf
 * point, where a pair of eigenvalues of a steady motion crosses the imaginary axis
 * (zwang/linear.h), with the quadratic terms of the cycle there. The mesh follows the orbit;
 * intervals are added until the estimate of the error between its nodes is below the tolerance. */
#ifndef ZWANG_ORBITS_H
#define ZWANG_ORBITS_H

#include "doubt.h"
#include "equilibria.h"
#include "forced.h"
#include "model.h"
#include "motion.h"
#include "nonsmooth.h"
#include "report.h"
#include "steady.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_orbits zw_orbits;

typedef struct zw_orbits_options {
    size_t size; /* of this struct, for the library */
    /* as in zwang/equilibria.h, a parameter: "Omega=0.1:5"; of a conservative model a number of its
     * family: "energy=0.1:2", "period=6:8", "max(x)=0:1"; NULL: at the model's values alone */
    const char *over;
    double period;           /* s, about; 0: what the run tells */
    int steps;               /* of the method, of the run that it comes from: 6000 */
    int order;               /* of driven models: this many periods of the drive, 1 */
    int stages;              /* of collocation, 2 to 7: 4 */
    int intervals;           /* this many; 0: as many as the tolerance asks for */
    int intervals_max;       /* then at most this many, 400 */
    double tolerance;        /* of the orbit between nodes, of its size: 1e-6 */
    int points_max;          /* of a branch, 2000 */
    double step_max;         /* of a branch, as a part of the range: 0.02 */
    bool stability;          /* find it: true */
    bool normal;             /* find normal forms of marks: true */
    const zw_active *active; /* NULL: what holds by the model */
    const zw_equilibria_options
        *motion; /* the steady motion whose Hopf points are meant; NULL: the defaults */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    /* angles that turn, by whole turns in a period: "phi=1, psi=-2"; NULL: they are found. What is
     * told of them is the rest */
    const char *winding;
    /* in place of `over`: a parameter and its values for zw_orbits_given, "Omega=30.9, 30.8
     * [rad/s]"; NULL: none */
    const char *values;
    /* orbits that are their own image half a period later, by images of coordinates: "x=-x,
     * gamma=pi-gamma"; NULL: none. Half of them is solved for */
    const char *symmetry;
    /* s: a branch whose period grows without bound goes on to this one; 0: it ends where that is
     * seen */
    double period_max;
} zw_orbits_options;
ZW_API void zw_orbits_options_init(zw_orbits_options *options, size_t size);
static inline zw_orbits_options zw_orbits_options_default(void) {
    zw_orbits_options o;
    zw_orbits_options_init(&o, sizeof o);
    return o;
}

/* The normal form of a mark (motion/segments/periodic.h), or why there is none. */
typedef enum zw_orbit_criticality {
    ZW_ORBIT_NOT_TOLD,
    ZW_ORBIT_DEGENERATE,    /* its coefficient is zero as far as it is known */
    ZW_ORBIT_SUPERCRITICAL, /* what is born there is stable, if all else is */
    ZW_ORBIT_SUBCRITICAL,
    ZW_ORBIT_QUADRATIC /* a fold: its coefficient is not zero */
} zw_orbit_criticality;
typedef struct zw_orbit_normal {
    zw_orbit_criticality criticality;
    zw_cycle_normal form;
    const double *q_re, *q_im; /* nx: the disturbance that it belongs to, at the beginning */
    char why[240];             /* ZW_ORBIT_NOT_TOLD: the reason */
} zw_orbit_normal;

typedef struct zw_orbit_motion {
    double value;  /* of the number that is followed; NaN without */
    double period; /* s */
    int intervals;
    const double *mesh; /* intervals + 1 */
    const double *x;    /* as of zw_colloc_problem on this mesh */
    const zw_motion_measure
        *measure; /* of zw_orbits_quantities; first: the amplitude of its first harmonic */
    double error; /* of the orbit between its nodes, of its size */
    int nmultiplier;
    const double *re, *im; /* the largest first; none where they were not found */
    double accuracy;       /* of them */
    double trivial; /* of an autonomous model: by how much its multiplier 1 is missed; else NaN */
    int outside;    /* -1: not known */
    zw_floquet_verdict verdict;
    zw_bifurcation event;
    int curve; /* the number of its branch, from 0; -1: none */
    const double
        *tangent; /* of marks: the direction of the branch, one entry more than x; else NULL */
    const zw_orbit_normal
        *normal; /* of folds, period doublings, Neimark-Sacker points; else NULL */
    /* of a family of a conservative model: what it would take to close, 1/s; it must be zero */
    double damping;
    int iterations; /* of Newton's method from where it was looked for; 0: it was not */
    /* of zw_orbits_quantities: by how much those that do not come back go on in a period, 0 of the
     * others; NULL: all come back. measure is without it */
    const double *drift;
    int nturned;          /* symmetries by which it comes back turned, */
    const double *turned; /* and by how much */
    /* dimensions of the family in which it lies, besides these, where nothing goes along it; 0: it
     * is single */
    int family;
    double
        leftover; /* by how much it does not close along the integrals of the family, of its size */
} zw_orbit_motion;

/* The system and its context must outlive it. */
ZW_API zw_status zw_orbits_create(zw_orbits **out, const zw_system *sys,
                                  const zw_orbits_options *options, zw_error *err);
ZW_API void zw_orbits_destroy(zw_orbits *o);

/* The orbit to which the start of the model leads at a value (NaN: at the model's). ZW_E_NUMERIC:
 * it comes to rest, or does not come back. */
ZW_API zw_status zw_orbits_find(zw_orbits *o, double value, int *number, zw_error *err);
/* The same from elsewhere. */
typedef enum zw_orbits_from {
    ZW_ORBITS_FROM_RUN,     /* the last period of a run from the start of the model */
    ZW_ORBITS_FROM_START,   /* the start itself: the motion from it over options.period */
    ZW_ORBITS_FROM_SECTION, /* the motion from the start, between two passages of a section */
    ZW_ORBITS_FROM_RESULT,  /* the last period of a run that is on file */
    ZW_ORBITS_FROM_MODE     /* a small oscillation about the steady motion */
} zw_orbits_from;
typedef struct zw_orbits_start {
    zw_orbits_from from;
    const char *section;    /* an event of the model, or an expression that is zero there */
    int returns;            /* to it in a period: 1 */
    const zw_table *result; /* of a run */
    int mode;               /* its number, from 1, as zwang/linear.h counts */
} zw_orbits_start;
ZW_API zw_status zw_orbits_find_from(zw_orbits *o, const zw_orbits_start *start, double value,
                                     int *number, zw_error *err);
/* The branch through an orbit, to both sides. ZW_E_OPTION without `over`. */
ZW_API zw_status zw_orbits_follow(zw_orbits *o, int number, zw_error *err);
/* The orbits at these values of the parameter, each from the one before, as one branch without
 * marks; the first from orbit `number`. It ends where none is found. */
ZW_API zw_status zw_orbits_sequence(zw_orbits *o, int number, int n, const double *value,
                                    zw_error *err);
/* Those of options.values; NULL: none. */
ZW_API const double *zw_orbits_given(const zw_orbits *o, int *n);
/* The branches that are born at Hopf points of the steady motion over the range, each up to the
 * ends of it. *born: how many. What the normal form does not tell is passed over and reported as a
 * doubt. */
ZW_API zw_status zw_orbits_from_hopf(zw_orbits *o, int *born, zw_error *err);
/* The branch that is born at one Hopf point, whose normal form (zwang/steady.h) and state x (nx)
 * are known. */
ZW_API zw_status zw_orbits_from_point(zw_orbits *o, double value, const zw_hopf *hopf,
                                      const double *x, zw_error *err);

/* The branches that leave at branch points and at period doublings, those that leave from these,
 * and so on, at most this many. *found (may be NULL): how many. What cannot be found is reported as
 * a warning. */
ZW_API zw_status zw_orbits_switch(zw_orbits *o, int most, int *found, zw_error *err);
/* Where a branch leaves another one, whose number is returned: a branch point or a period doubling,
 * at a value, to orbits that close after `times` rounds of the first ones. -1: it leaves none. Each
 * pointer may be NULL. */
ZW_API int zw_orbits_branch_origin(const zw_orbits *o, int branch, zw_bifurcation *event,
                                   double *value, int *times);

/* The branch on which one of these ends; -1: on none. */
ZW_API int zw_orbits_branch_meets(const zw_orbits *o, int branch);

/* Where the marks of all branches go when a second parameter changes as well, "F=0.1:3" as in
 * zwang/equilibria.h: curves of folds, period doublings and Neimark-Sacker points, and of half
 * orbits (options.symmetry) those where the symmetry breaks, in the plane of the two, and what
 * happens on them. */
typedef enum zw_orbit_special {
    ZW_ORBIT_USUAL,
    ZW_ORBIT_CUSP,       /* two folds meet */
    ZW_ORBIT_FOLD_FLIP,  /* multipliers 1 and -1 */
    ZW_ORBIT_FOLD_TORUS, /* 1 and a pair on the circle */
    ZW_ORBIT_FLIP_TORUS, /* -1 and a pair */
    /* two multipliers 1: a curve of Neimark-Sacker points ends on one of folds */
    ZW_ORBIT_RESONANCE_1,
    ZW_ORBIT_RESONANCE_2,      /* two multipliers -1: it ends on one of period doublings */
    ZW_ORBIT_RESONANCE_3,      /* a pair e^(+- 2 pi i/3) */
    ZW_ORBIT_RESONANCE_4,      /* +- i */
    ZW_ORBIT_FLIP_DEGENERATE,  /* generalised period doubling: c = 0, from super- to subcritical */
    ZW_ORBIT_TORUS_DEGENERATE, /* Re d = 0 (Chenciner) */
    ZW_ORBIT_GRAZING /* of orbits through events: they touch another one, and the curve ends */
} zw_orbit_special;
typedef struct zw_orbit_mark {
    double value, second; /* of the two parameters */
    zw_bifurcation event;
    zw_orbit_special special;
    double period;      /* s */
    double angle;       /* of a Neimark-Sacker point: of its multipliers, rad; else NaN */
    double coefficient; /* c or Re d, as of zw_cycle_normal; NaN: not known, or a fold */
    int curve;          /* the number of its curve, from 0 */
    const zw_motion_measure *measure;
} zw_orbit_mark;
ZW_API zw_status zw_orbits_marks(zw_orbits *o, const char *second, zw_error *err);
ZW_API int zw_orbits_mark_count(const zw_orbits *o);
ZW_API const zw_orbit_mark *zw_orbits_mark_at(const zw_orbits *o, int number);
/* As a table of the kind "marks": both parameters, what every quantity does, period, angle,
 * coefficient, kind (1 fold, 2 broken symmetry, 3 period doubling, 4 Neimark-Sacker), curve. */
ZW_API zw_status zw_orbits_marks_table(const zw_orbits *o, const zw_model_source *source,
                                       zw_table **out, zw_error *err);

ZW_API int zw_orbits_count(const zw_orbits *o);
ZW_API const zw_orbit_motion *zw_orbits_at(const zw_orbits *o, int number);
ZW_API int zw_orbits_branches(const zw_orbits *o);
ZW_API zw_cont_end zw_orbits_branch_end(const zw_orbits *o, int branch, int side);
ZW_API const zw_parameter_range *zw_orbits_over(const zw_orbits *o); /* NULL without */
ZW_API int zw_orbits_quantities(const zw_orbits *o);
ZW_API const char *zw_orbits_quantity(const zw_orbits *o, int i, const char **unit);

/* Is the orbit its own image half a period later? Then text (of this many bytes) says by which map,
 * as options.symmetry; else it is "". */
ZW_API zw_status zw_orbits_report_symmetry(zw_orbits *o, int number, char *text, size_t size,
                                           zw_error *err);
/* An orbit once more by shooting with this many nodes (motion/segments/periodic.h), from its first
 * node: how far apart both are. method: of zwang/run.h; NULL: rk87, or radau where the motion is
 * stiff. ZW_E_NUMERIC: shooting finds none. */
typedef struct zw_orbits_shot {
    const char *method; /* of integration */
    double period;      /* s */
    int iterations;
    double residual;   /* of the closing, in sizes of the orbit */
    double period_off; /* relative */
    /* each from the nearest, relative to max(1, |mu|); NaN: they are not known */
    double multipliers_off;
    double state_off; /* of the first node, in sizes of the orbit */
} zw_orbits_shot;
ZW_API zw_status zw_orbits_shoot(zw_orbits *o, int number, int nodes, const char *method,
                                 zw_orbits_shot *out, zw_error *err);
/* By shooting alone, from the last period of a run from the start of the model: *shot, to be
 * cleared, and by which method. */
ZW_API zw_status zw_orbits_shoot_run(zw_orbits *o, int nodes, const char *method, zw_shooting *shot,
                                     const char **used, zw_error *err);
/* Warnings about all that was found. */
ZW_API void zw_orbits_warnings(const zw_orbits *o, zw_warnings *out);
/* Branches with their special points, else each orbit, into the open object. */
ZW_API void zw_orbits_report(const zw_orbits *o, zw_report *out);
/* All points of all branches as a table of the kind "response", with the period. source may be
 * NULL. */
ZW_API zw_status zw_orbits_table(const zw_orbits *o, const zw_model_source *source, zw_table **out,
                                 zw_error *err);
/* A name by which an orbit is found again: LP1 (the first fold), PD1 (period doubling), NS1
 * (Neimark-Sacker), BP1 (branch point), HB1 (the end of a branch at a Hopf point), GR1 (grazing),
 * EP1 (any other end of a branch); "" of others. */
enum { ZW_ORBITS_LABEL = 16 };
ZW_API void zw_orbits_label(const zw_orbits *o, int number, char *label);
/* The state (nx) of an orbit at a part tau of its period, from 0 to 1. */
ZW_API void zw_orbits_state(const zw_orbits *o, int number, double tau, double *state);
/* One orbit over one period as the result of a run from its first node; *gap (may be NULL): how far
 * the run misses its beginning, of the size of the orbit. */
ZW_API zw_status zw_orbits_motion_table(zw_orbits *o, int number, int rows,
                                        const zw_model_source *source, zw_table **out, double *gap,
                                        zw_error *err);

/* What a table of zw_orbits_table holds besides its columns: every orbit as it was computed, in
 * notes
 *
 *     orbits:       version 1, stages 4, order 1, entries 3, driven 0, factor 1
 *     orbits over:  rho=14:25
 *     orbits state: x, y, z
 *     orbit ROW:    KIND LABEL intervals N multipliers M times K tangent 0|1 DATA
 *
 * KIND and LABEL are "-" where there are none, K counts the rounds of orbits of which this one
 * closes after several (2 after a period doubling). DATA are doubles (little endian, base64):
 * value and period in SI units, error, accuracy, trivial, outside, verdict (0 undecided, 1 stable,
 * 2 unstable), M real and M imaginary parts of multipliers, the N + 1 places of the mesh, x as of
 * zw_colloc_problem; and the tangent.
 *
 * Orbits through events (zwang/orbits.h) are kept in the same way: no interval spans an event, so
 * that the polynomials of collocation know the jumps; the mesh of a driven orbit begins at t = 0.
 * What is solved for are the states and durations of their segments, which stand after the mesh;
 * segments with their events and equations are those of a signature, that orbits of a branch share:
 *
 *     orbits:       version 1, stages 4, order 1, entries 2, driven 1, memory L, factor 1
 *     orbits memory: names of L parameters that events set
 *     events E:     segments K first F constraints C contacts O rows R DATA NAMES
 *     orbit ROW:    KIND LABEL intervals N multipliers M times T tangent 0|1 events E DATA
 *
 * DATA of events: of every segment the event that ends it (-1: the period), its direction, C flags
 * of constraints that hold, of O contacts how they stand (closed, press, slides) and whether they
 * take part in the impact at its end, R numbers of what rows do in it; then scales of the state and
 * of the memory, turns, the duration. DATA of an orbit have x without a period, then the unknowns
 * of zw_segmented_problem, and the tangent of these. */
typedef struct zw_orbits_signature {
    int n;                                     /* segments */
    int first;                                 /* from which runs begin */
    int nconstraint, ncontact, nrow;           /* of the model; rows of its contacts */
    const char *names;                         /* of the events, as they were written */
    const int *event, *direction;              /* n */
    const bool *on;                            /* n x nconstraint */
    const zw_contact_mode *stance;             /* n x ncontact */
    const bool *touching;                      /* n x ncontact */
    const signed char *pattern;                /* n x nrow */
    const double *scale, *turn, *memory_scale; /* nx, nx, nmemory */
    double duration;
} zw_orbits_signature;

typedef struct zw_orbits_stored {
    long row;                    /* of the table */
    char label[ZW_ORBITS_LABEL]; /* "": none */
    int times;                   /* rounds of the orbits of which it is one that closes later */
    double shown;                /* the value in the unit of the table */
    zw_orbit_motion motion;      /* its measures are NULL: they are columns */
    int signature;               /* of an orbit through events; -1: none */
    const double
        *unknown; /* as of zw_segmented_problem; NULL: none. motion.tangent is one of these then */
    int nunknown;
} zw_orbits_stored;

typedef struct zw_orbits_file {
    int nx, stages, order;
    bool autonomous;
    bool family;           /* of a conservative model: x has its damping as a further entry */
    const char *over;      /* the range as it was given, */
    const char *parameter; /* its name, */
    const char *unit;      /* the unit in which values are shown, and what it is in SI units */
    double factor;
    const char *state; /* names of the entries of the state: "x, y, z" */
    bool events;       /* they go through events: */
    int nmemory;
    const char *remembered; /* names of its entries; "" without */
    int nsignature;
    const zw_orbits_signature *signature;
    int n;
    const zw_orbits_stored *orbit;
    struct zw_orbits_memory *memory; /* private */
} zw_orbits_file;

/* Nothing of a table is trusted: sizes, numbers and names are checked. ZW_E_FILE: it holds no
 * orbits, or they are damaged. The table may go. */
ZW_API zw_status zw_orbits_file_read(zw_orbits_file *out, const zw_table *t, zw_error *err);
ZW_API void zw_orbits_file_clear(zw_orbits_file *f);
/* Which orbit: a label, a mark ("fold", "fold 2"), or a value ("2.83", "2.83 2": where it is passed
 * for the second time; then *value is that value in SI units, else NaN, and *number the nearer
 * neighbour). */
ZW_API zw_status zw_orbits_file_pick(const zw_orbits_file *f, const char *which, int *number,
                                     double *value, zw_error *err);
/* The state (nx) of one of them at a part tau of its period, from 0 to 1. */
ZW_API void zw_orbits_file_state(const zw_orbits_file *f, int index, double tau, double *state);
/* Their motions one after the other, for pictures and pages (zw_figure_run): columns orbit (the
 * row), the parameter, t, phase (from 0 to 1), stable and the state. At most this many orbits,
 * evenly chosen and those with a label first, and `always` in any case (-1: none), each at points +
 * 1 instants or some more, close where the orbit is fast. sys: the model of the file. */
ZW_API zw_status zw_orbits_file_motions(zw_table **out, const zw_orbits_file *f,
                                        const zw_system *sys, int most, int points, int always,
                                        zw_error *err);
/* The multipliers of all: columns orbit, the parameter, re(mu), im(mu). alloc may be NULL. */
ZW_API zw_status zw_orbits_file_multipliers(zw_table **out, const zw_orbits_file *f,
                                            const zw_allocator *alloc, zw_error *err);
/* An orbit of a file as one of the study, of as many stages, whose system must have the same state.
 * If the study goes over the same parameter, at its value there (or at `value`, if it is no NaN);
 * else at the value that the system has. Where it is a solution already it stays as it is, also at
 * folds; else it is solved for. */
ZW_API zw_status zw_orbits_adopt(zw_orbits *o, const zw_orbits_file *f, int index, double value,
                                 int *number, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Periodic orbits of a model whose events change its motion: they set velocities (impacts, kicks),
 * coordinates and parameters, and switch constraints (sticking, rolling, support). or that has
 * contacts which open, close, slide and stick (as zw_sim follows them from event to event). Driven
 * or not, by segments between events (motion/segments/periodic.h), with Floquet's multipliers
 * through saltation matrices; and branches of them over a parameter.
 *
 * Where they come from: the start of the model runs as `zwang run` would. The events that act in
 * its last period, in their order, are the signature of the orbit; from their times and states
 * Newton's method goes on. What it finds must be a motion of the model: the run is repeated from
 * it, and has to meet the same events. Branches keep their signature; they end where the motion
 * touches the surface of an event (grazing), or two events meet. */

typedef struct zw_event_orbits zw_event_orbits;

typedef struct zw_event_orbits_options {
    size_t size;      /* of this struct, for the library */
    const char *over; /* as in zwang/equilibria.h, a parameter; NULL: at the model's values alone */
    double period;    /* s, of an undriven model, about; 0: what the run tells */
    int order;        /* of driven models: this many periods of the drive, 1 */
    int settle;       /* of driven models: periods that the run goes on before, 100 */
    int events;       /* of others: this many that act, 300 */
    int steps;        /* of the method, at most, until then: 200000 */
    int points_max;   /* of a branch, 2000 */
    double step_max;  /* of a branch, as a part of the range: 0.02 */
    bool stability;   /* find it: true */
    bool normal;      /* find normal forms of folds and period doublings: true */
    int harmonics;    /* Fourier coefficients that are found: 1 */
    const zw_active *active;               /* what holds at the start; NULL: as the model says */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    /* values that replace a parameter of the model; NULL: none. They must outlive the study */
    const zw_forced_values *with;
    int member; /* which of its values */
} zw_event_orbits_options;
ZW_API void zw_event_orbits_options_init(zw_event_orbits_options *options, size_t size);
static inline zw_event_orbits_options zw_event_orbits_options_default(void) {
    zw_event_orbits_options o;
    zw_event_orbits_options_init(&o, sizeof o);
    return o;
}

/* Is this the study for a system: does an event of it act, or has it contacts with set-valued
 * laws? */
ZW_API bool zw_event_orbits_suit(const zw_system *sys);

typedef struct zw_segmented_motion {
    double value;  /* of the number that is followed; NaN without */
    double period; /* s */
    double start;  /* s: when the first segment begins */
    int nsegment;
    const int *event; /* nsegment: of the system, that end the segments; -1: the period is over */
    const char *const *name; /* nsegment: their names; of contacts "floor.hit", "floor.sticks" */
    const char *signature;   /* "hit, stick": their names; "" without events */
    const double *unknown;   /* as of zw_segmented_problem */
    const double *
        x; /* nq + nv: the state at t = 0 of a driven motion, else where the first segment begins */
    const zw_motion_measure *measure; /* of coordinates, then observables */
    double residual;                  /* left by Newton's method, in units of the orbit's size */
    /* by how much the run of the model misses its beginning, likewise; NaN: not run */
    double confirmed;
    int nmultiplier;
    const double *re, *im; /* the largest first; none where they were not found */
    double accuracy;
    double trivial; /* of an autonomous model: by how much its multiplier 1 is missed; else NaN */
    int outside;    /* -1: not known */
    zw_floquet_verdict verdict;
    zw_bifurcation event_here; /* what happens at this point of a branch */
    int curve;                 /* the number of its branch; -1: none */
    zw_segmented_margins margins;
    const zw_shooting *record;     /* coefficients and extremes of all quantities */
    const zw_orbit_normal *normal; /* of folds and period doublings; else NULL */
    const double *
        tangent; /* of marks: the direction of the branch, one entry more than unknown; else NULL */
    int jumps;   /* events of the period */
    /* of coordinates, then observables, per period, 0 if periodic; NULL: all are periodic.
     * `measure` is without it */
    const double *drift;
} zw_segmented_motion;

/* The system and its context must outlive it. */
ZW_API zw_status zw_event_orbits_create(zw_event_orbits **out, const zw_system *sys,
                                        const zw_event_orbits_options *options, zw_error *err);
ZW_API void zw_event_orbits_destroy(zw_event_orbits *o);

/* The orbit to which the start of the model leads at a value (NaN: at the model's). ZW_E_NUMERIC:
 * it does not come back, events accumulate, ... */
ZW_API zw_status zw_event_orbits_find(zw_event_orbits *o, double value, int *number, zw_error *err);
/* More of them there: from this many starts of different sizes, the same for the same number.
 * *found
 * (may be NULL): how many are new. */
ZW_API zw_status zw_event_orbits_search(zw_event_orbits *o, double value, int starts, int *found,
                                        zw_error *err);
/* The branch through an orbit, to both sides. ZW_E_OPTION without `over`. */
ZW_API zw_status zw_event_orbits_follow(zw_event_orbits *o, int number, zw_error *err);

/* Where branches end by grazing a run is asked what comes after: reported with the end, and
 * followed if it is an orbit with other events, at most this many of them. */
ZW_API zw_status zw_event_orbits_beyond(zw_event_orbits *o, int most, zw_error *err);

/* The branches that leave at branch points and at period doublings, those that leave from these,
 * and so on, at most this many. *found (may be NULL): how many. What cannot be found is reported as
 * a warning. */
ZW_API zw_status zw_event_orbits_switch(zw_event_orbits *o, int most, int *found, zw_error *err);
/* Where a branch leaves another one, as zw_orbits_branch_origin. */
ZW_API int zw_event_orbits_branch_origin(const zw_event_orbits *o, int branch,
                                         zw_bifurcation *event, double *value, int *times);

/* Curves of the marks of all branches over a second parameter, as zw_orbits_marks: folds, period
 * doublings, Neimark-Sacker points, and orbits that graze. */
ZW_API zw_status zw_event_orbits_marks(zw_event_orbits *o, const char *second, zw_error *err);
ZW_API int zw_event_orbits_mark_count(const zw_event_orbits *o);
ZW_API const zw_orbit_mark *zw_event_orbits_mark_at(const zw_event_orbits *o, int number);
/* As zw_orbits_marks_table; kind 6: grazing. */
ZW_API zw_status zw_event_orbits_marks_table(const zw_event_orbits *o,
                                             const zw_model_source *source, zw_table **out,
                                             zw_error *err);

ZW_API bool zw_event_orbits_autonomous(const zw_event_orbits *o);
ZW_API int zw_event_orbits_count(const zw_event_orbits *o);
ZW_API const zw_segmented_motion *zw_event_orbits_at(const zw_event_orbits *o, int number);
ZW_API int zw_event_orbits_branches(const zw_event_orbits *o);
/* How a branch ended towards smaller (0) and larger (1) values; the sentence is "" at a bound of
 * the range. */
ZW_API zw_cont_end zw_event_orbits_branch_end(const zw_event_orbits *o, int branch, int side,
                                              const char **sentence);
ZW_API const zw_parameter_range *zw_event_orbits_over(const zw_event_orbits *o); /* NULL without */

/* Warnings about all that was found. */
ZW_API void zw_event_orbits_warnings(const zw_event_orbits *o, zw_warnings *out);
/* As zw_orbits_report. */
ZW_API void zw_event_orbits_report(const zw_event_orbits *o, zw_report *out);
/* LP1, PD1, NS1, BP1, GR1 (grazing), EP1, as zw_orbits_label. */
ZW_API void zw_event_orbits_label(const zw_event_orbits *o, int number, char *label);
/* All points of all branches as a table of the kind "response", which holds every orbit
 * (zwang/orbits.h: zw_orbits_file_read). source may be NULL. */
ZW_API zw_status zw_event_orbits_table(zw_event_orbits *o, const zw_model_source *source,
                                       zw_table **out, zw_error *err);
/* An orbit of a file as one of the study, as zw_orbits_adopt. What is not an orbit of the model any
 * more is rejected: ZW_E_NUMERIC. */
ZW_API zw_status zw_event_orbits_adopt(zw_event_orbits *o, const zw_orbits_file *f, int index,
                                       double value, int *number, zw_error *err);
/* One orbit over one period as the result of a run; *gap (may be NULL): how far it misses its
 * beginning, of the size of the orbit. ZW_E_OPTION: no segment of the orbit has the constraints
 * that the model begins with. */
ZW_API zw_status zw_event_orbits_motion_table(zw_event_orbits *o, int number, int rows,
                                              const zw_model_source *source, zw_table **out,
                                              double *gap, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
