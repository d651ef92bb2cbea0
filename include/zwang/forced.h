/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/response. */
/* Steady forced motions of a model: periodic answers to periodic drives (zwang/equations.h), by
 * harmonic balance (motion/harmonic/balance.h), with Floquet's multipliers
 * (motion/segments/periodic.h) and an estimate of what the harmonics that are left out would
 * change; and curves of them over a parameter, through their folds (branch/curve.h).
 *
 * If forces have kinks or jumps and many harmonics would be needed, curves are followed by shooting
 * (motion/segments/periodic.h), unless `harmonics`, `odd`, `winding` or `taylor` is set, which need
 * a series: the integration ends a step at every kink, so that curves are smooth, and folds and
 * multipliers are those of the model.
 *
 * Free motions of a conservative system, undriven, are families that begin with the small
 * oscillations about an equilibrium, one for each of these: nonlinear normal modes, whose
 * frequencies over their amplitudes or energies are backbone curves.
 *
 * The estimate: with twice as many harmonics one step of Newton's method from the motion, by its
 * mean square over the period, relative to that of the motion. Harmonics are added until it is
 * below the tolerance; if it stays above, that is reported as a warning. */
#ifndef ZWANG_FORCED_H
#define ZWANG_FORCED_H

#include "doubt.h"
#include "equations.h"
#include "equilibria.h"
#include "model.h"
#include "motion.h"
#include "report.h"
#include "symbolic.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_forced zw_forced;

/* A parameter and values that it has one after the other, for several studies that belong together:
 * "F=1,2,5 [N]". */
enum { ZW_FORCED_VALUES = 64 };
typedef struct zw_forced_values {
    zw_parameter_range of; /* its name, unit and factor */
    int n;
    double value[ZW_FORCED_VALUES]; /* SI */
} zw_forced_values;
ZW_API zw_status zw_forced_values_read(zw_forced_values *out, const zw_system *sys,
                                       const char *text, zw_error *err);

typedef struct zw_forced_options {
    size_t size; /* of this struct, for the library */
    /* as in zwang/equilibria.h, a parameter: "Omega=0.1:5"; NULL: at the model's values alone */
    const char *over;
    int harmonics;     /* the highest one; 0: as many as the tolerance asks for */
    int harmonics_max; /* then at most this many, 127 */
    bool odd;          /* odd ones alone */
    int order;         /* the period is this many of the drive's: 1 */
    double tolerance;  /* relative, of the motion: 1e-6 */
    /* periods that the start of the model runs before its motion is taken for a guess: 50; 0: rest
     * is the guess */
    int settle;
    int points_max;  /* of a curve, 5000 */
    double step_max; /* of a curve, as a part of the range: 0.02 */
    bool stability;  /* find it: true */
    /* functions of the equations by this many terms of their series (zw_equations_few_terms); 0: as
     * they are */
    int taylor;
    /* stability by slowly varying amplitudes (motion/harmonic/balance.h) instead of Floquet, whose
     * multipliers are compared */
    bool slow;
    bool van_der_pol; /* these by his condition */
    /* a model that nothing drives: its limit cycles, with their frequency as an unknown. Otherwise
     * it is rejected */
    bool cycles;
    const zw_active *active;               /* NULL: what holds by the model */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    /* angles that turn, by whole turns in a period of the motion: "phi=1, psi=-2"; NULL: none. What
     * is reported of them is the rest */
    const char *winding;
    /* columns cos1(x), sin1(x), cos2(x), ... of all coordinates in the table: false */
    bool coefficients;
    /* a parameter in place of what the model says; NULL: none. It must outlive the study */
    const zw_forced_values *with;
    int member; /* which of its values */
    /* free motions of a conservative system: `over` is frequency, energy, or what a quantity does
     * (max(x)=0:2) */
    bool free;
    /* quasi-periodic motions: combinations with half of the sum of the frequencies of these phases
     * (bit j: phase j) as well; 0: none */
    int halved;
} zw_forced_options;
ZW_API void zw_forced_options_init(zw_forced_options *options, size_t size);
static inline zw_forced_options zw_forced_options_default(void) {
    zw_forced_options o;
    zw_forced_options_init(&o, sizeof o);
    return o;
}

/* What a quantity (coordinate or observable) does in a period. */
typedef struct zw_motion_measure {
    double mean, rms, max, min;
    /* amplitude of the first harmonic a cos(wt) + b sin(wt), and atan2(-b, a) (rad): first cos(wt +
     * phase); NaN of what does not come back */
    double first, phase;
} zw_motion_measure;

typedef enum zw_bifurcation {
    ZW_BIFURCATION_POINT,
    ZW_BIFURCATION_FOLD,
    /* a multiplier passes 1 where the curve does not turn: another one crosses, a symmetry
     * breaks */
    ZW_BIFURCATION_BRANCH,
    ZW_BIFURCATION_FLIP,  /* one passes -1: the period doubles */
    ZW_BIFURCATION_TORUS, /* a pair passes the unit circle: Neimark and Sacker */
    ZW_BIFURCATION_END,   /* the bound of the range */
    ZW_BIFURCATION_GRAZE  /* the motion touches the surface of an event (zwang/orbits.h) */
} zw_bifurcation;

typedef struct zw_forced_motion {
    double value;  /* of the number that is followed; NaN without */
    double w;      /* rad/s: of the first harmonic */
    int harmonics; /* the highest one */
    const double
        *x; /* coefficients as of zw_forced_harmonic at that time: functions by functions */
    int ncoefficient;                 /* of one function */
    const zw_motion_measure *measure; /* zw_forced_quantities of them */
    double error;                     /* the estimate above; NaN: not asked for here */
    int nmultiplier;
    const double *re, *im; /* the largest first; none where they were not found */
    double accuracy;       /* of them */
    int outside;           /* -1: not known */
    int nslow;             /* of slowly varying amplitudes: their eigenvalues s (1/s), */
    const double *slow_re,
        *slow_im;   /* largest real part first; re and im are then exp(s P), P the period, */
    double floquet; /* and this is the largest |multiplier| of the motion itself; NaN: not known */
    zw_floquet_verdict verdict;
    zw_bifurcation event;
    int curve;     /* the number of its curve, from 0 */
    double energy; /* of a free motion: above the equilibrium, J; NaN of a driven one */
    /* 1, -1: seen by integration on the way up or down the range, without coefficients; `error` is
     * how far its last period is from closing */
    int march;
    double damping; /* of a free motion: what it would take to balance it, 1/s; it must be zero */
    const double *state; /* of shooting: that at t = 0; NULL: of the balance */
    double residual;     /* of shooting: by how much it misses its beginning */
    /* shooting: change per period of the coordinates that do not enter the equations, nq; otherwise
     * NULL */
    const double *drift;
    int jumps;          /* shooting: number of jumps of the rates in the period */
    const char *events; /* shooting: events that act in the period, in order; NULL: none */
    /* 3 x zw_forced_attitudes: angle times axis by which a period turns attitudes on which nothing
     * depends; NULL: not known */
    const double *turned;
    int nexponent; /* of a quasi-periodic motion (zw_forced_phases > 1), instead of multipliers: */
    const double *exponent,
        *exponent_error; /* Lyapunov exponents of the linearised flow, 1/s, largest first */
    double divergence;   /* mean divergence of the flow, equal to their sum; NaN: not known */
    double frequency[ZW_TONES_MAX]; /* rad/s */
    const double *tone; /* zw_forced_quantities x phases: amplitudes at these frequencies */
    /* of the coordinates that a reduction has left out: what a period adds to them; NULL: not
     * known */
    const double *left;
} zw_forced_motion;

/* The system and its context must outlive it. */
ZW_API zw_status zw_forced_create(zw_forced **out, const zw_system *sys,
                                  const zw_forced_options *options, zw_error *err);
ZW_API void zw_forced_destroy(zw_forced *f);
/* The number of unknowns with the largest number of harmonics, which a motion may need if its
 * forces have kinks and the tolerance chooses the harmonics; otherwise 0. */
ZW_API zw_status zw_forced_unknowns(const zw_forced *f, int *n, zw_error *err);

/* One motion, at a value of `over`, or at the model's (value NaN): from the start of the model, run
 * for some periods. It becomes the first of the motions, or is reported again. ZW_E_NUMERIC: none
 * was found. */
ZW_API zw_status zw_forced_find(zw_forced *f, double value, int *number, zw_error *err);
/* More of them there: from this many starts of different sizes, the same for the same number.
 * *found: how many are new. */
ZW_API zw_status zw_forced_search(zw_forced *f, double value, int starts, int *found,
                                  zw_error *err);
ZW_API int zw_forced_motions(const zw_forced *f);
/* Has none been found where a coordinate drifts? Then what a reduction (zwang/symbolic.h) keeps may
 * be periodic. */
ZW_API bool zw_forced_drifts(const zw_forced *f);
/* The system of the study is the model of this reduction, which must outlive it: motions are
 * reported with what the reduction has left out, after zw_forced_find_drifts, and integrated in
 * full. */
ZW_API void zw_forced_reduced_by(zw_forced *f, const zw_reduction *r);
ZW_API zw_status zw_forced_find_drifts(zw_forced *f, zw_error *err);
/* Attitudes on which nothing depends: no quantities of the study, and need not come back. */
ZW_API int zw_forced_attitudes(const zw_forced *f);
ZW_API const zw_forced_motion *zw_forced_motion_at(const zw_forced *f, int number);

/* The curve through motion `number`, to both sides, each up to the ends of the range or back to its
 * start. Its points become motions as well. ZW_E_OPTION without `over`. */
ZW_API zw_status zw_forced_follow(zw_forced *f, int number, zw_error *err);
/* All curves: through the motions at both ends of the range and at this many values between them
 * that no curve met before. */
ZW_API zw_status zw_forced_curves(zw_forced *f, int values, int starts, zw_error *err);
ZW_API int zw_forced_curve_count(const zw_forced *f);
/* How it ended at both sides: 0 towards smaller values at its start. */
ZW_API zw_cont_info zw_forced_curve_end(const zw_forced *f, int curve, int side);

/* The curves that leave at branch points and those of doubled period, which leave at period
 * doublings, and those that leave from these, at most this many. The former become curves of this
 * study; the latter are studies of their own, of twice the order, which belong to this one and are
 * told with it. */
ZW_API zw_status zw_forced_switch(zw_forced *f, int most, zw_error *err);
ZW_API int zw_forced_children(const zw_forced *f);
ZW_API zw_forced *zw_forced_child(const zw_forced *f, int i);

/* Up the range in this many steps and down again by integration, the state carried on,
 * options.settle periods at each value before ten are measured: two further curves. ZW_E_OPTION:
 * events change the motion. */
ZW_API zw_status zw_forced_march(zw_forced *f, int steps, zw_error *err);

/* Where the marks of all curves go when a second parameter changes as well, "F=0.1:3" as in
 * zwang/equilibria.h: curves of folds, period doublings and Neimark-Sacker points in the plane of
 * the two; of branch points with options.odd, where a symmetry breaks. */
typedef struct zw_forced_mark {
    double value, second; /* of the two parameters */
    zw_bifurcation event;
    bool cusp; /* two folds meet here */
    int curve; /* the number of its curve, from 0 */
    const zw_motion_measure *measure;
} zw_forced_mark;
ZW_API zw_status zw_forced_marks(zw_forced *f, const char *second, zw_error *err);
ZW_API int zw_forced_mark_count(const zw_forced *f);
ZW_API const zw_forced_mark *zw_forced_mark_at(const zw_forced *f, int number);
/* As a table of the kind "marks": both parameters, what every quantity does, kind (1 fold, 2 branch
 * point, 3 period doubling, 4 Neimark-Sacker), curve. */
ZW_API zw_status zw_forced_marks_table(const zw_forced *f, const zw_model_source *source,
                                       zw_table **out, zw_error *err);

/* Of free motions: small oscillations about the equilibrium near the start of the model, slowest
 * first, their number and their frequencies (rad/s). */
ZW_API int zw_forced_modes(const zw_forced *f);
ZW_API double zw_forced_mode(const zw_forced *f, int mode);
/* The family that begins with one of them, within the range of `over`: a curve over the frequency.
 * ZW_E_NUMERIC: none of it is in the range. */
ZW_API zw_status zw_forced_backbone(zw_forced *f, int mode, zw_error *err);

/* Number of phases of the motions: 1 if they are periodic; 2 or 3 if the excitation frequencies
 * have no common period and motions are quasi-periodic. The name of a frequency: "Omega_1". */
ZW_API int zw_forced_phases(const zw_forced *f);
ZW_API const char *zw_forced_phase_name(const zw_forced *f, int phase);
/* The harmonics of a motion as a table of the kind "spectrum", in order of decreasing amplitude:
 * frequency, k1, k2, ... (the multiples of the excitation frequencies), amplitude(x) and phase(x)
 * of every coordinate. */
ZW_API zw_status zw_forced_spectrum(zw_forced *f, int number, const zw_model_source *source,
                                    zw_table **out, zw_error *err);

ZW_API const zw_parameter_range *zw_forced_over(const zw_forced *f); /* NULL without */
ZW_API int zw_forced_quantities(const zw_forced *f);
ZW_API const char *zw_forced_quantity(const zw_forced *f, int i, const char **unit);

/* The same by shooting (motion/segments/periodic.h), which asks for no series: forces may have
 * kinks and jumps. From the start of the model after `settle` periods, then from this many other
 * states. nodes: 1; more of them for motions that are so unstable that a period cannot be followed.
 * *found (may be NULL): how many motions are new. */
ZW_API zw_status zw_forced_shoot(zw_forced *f, double value, int nodes, int starts, int *found,
                                 zw_error *err);
/* With `slow`: the amplitudes in time, from the start of the model, its first harmonics that of q
 * and q'/w, as a table of the kind "amplitudes": t, and of every coordinate first(q), the amplitude
 * of its first harmonic, its parts cos(q), sin(q), and mean(q) if there is one. step: between
 * rows. */
ZW_API zw_status zw_forced_slow_run(zw_forced *f, double until, double step,
                                    const zw_model_source *source, zw_table **out, zw_error *err);

/* What is doubtful of all that was found. */
ZW_API void zw_forced_warnings(const zw_forced *f, zw_warnings *out);
/* The motions found, or the curves, into the open object of a report; of several studies of one
 * system over the same number (zw_forced_options.with) as a list. */
ZW_API void zw_forced_report(const zw_forced *f, zw_report *out);
ZW_API void zw_forced_report_of(int n, zw_forced *const *f, zw_report *out);
/* One motion as an item of an open list. */
ZW_API void zw_forced_report_motion(const zw_forced *f, int number, zw_report *out);
/* All points of all curves, one after the other, as a table of the kind "response": the number,
 * what every quantity does, largest multiplier, how many are outside, stable (1, 0, NaN),
 * harmonics, error, curve. source may be NULL. */
ZW_API zw_status zw_forced_table(const zw_forced *f, const zw_model_source *source, zw_table **out,
                                 zw_error *err);
/* One motion out of the curves, by words: "fold", "fold 2" (the second one), "branch",
 * "period-doubling", "neimark-sacker"; "3.4", "3.4 2": where a curve passes this value for the
 * first or second time, in the unit of `over`. *study: this one, or one that belongs to it. */
ZW_API zw_status zw_forced_pick(zw_forced *f, const char *which, zw_forced **study, int *number,
                                zw_error *err);
/* The tables of several studies of one system over the same number as one, with a column for the
 * parameter of `with` and curves that are counted on. */
ZW_API zw_status zw_forced_table_of(int n, zw_forced *const *f, const zw_model_source *source,
                                    zw_table **out, zw_error *err);
/* One motion over one period, as the result of a run from its state at t = 0, which does not come
 * from the balance; *gap (may be NULL): how far the run misses its beginning, of the size of the
 * motion. */
ZW_API zw_status zw_forced_motion_table(zw_forced *f, int number, int rows,
                                        const zw_model_source *source, zw_table **out, double *gap,
                                        zw_error *err);
/* Has a table of curves the coefficients of its motions, cos1(x), sin1(x), ...? */
ZW_API bool zw_forced_table_has_motions(const zw_table *t);
/* These motions one after the other, for pictures and pages (zw_figure_run): columns orbit (the
 * row), the parameter, t, phase (from 0 to 1), stable, coordinates and velocities. At most this
 * many, evenly chosen, each at points + 1 instants; *all: how many there are. sys: the model of the
 * table. ZW_E_FILE: a parameter of the motions is not told. */
ZW_API zw_status zw_forced_table_motions(zw_table **out, const zw_table *t, const zw_system *sys,
                                         int most, int points, int *all, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Steady forced motions of a model by Gauss's principle: minima of the Gaussian over a period
 * (motion/harmonic/balance.h), each with the answer to whether it is a motion; under bounds, which
 * hold what no wall does; G over two coefficients; and minima that are carried along a parameter.
 *
 * Coefficients have names: mean(x), cos1(x), sin1(x), cos2(x), ... of a coordinate x, or of a
 * velocity where these are functions of their own. */

typedef struct zw_forced_gauss zw_forced_gauss;

typedef struct zw_forced_gauss_options {
    size_t size;   /* of this struct, for the library */
    int harmonics; /* the highest one, 1; odd ones alone if the study says so */
    int samples;   /* minimum number of points in the period; 0: enough for cubic forces */
    zw_gauss_weight weight;
    zw_gauss_method method;
    int nstart;
    const char *const *start; /* starts besides rest: "cos1(x)=2 [m], sin1(x)=2 [m]"; 0 elsewhere */
    int starts;               /* points of Halton's sequence */
    int grid;                 /* points of a grid, of each coefficient */
    double box; /* half the width of what both fill, SI; 0: twice what the model says of sizes */
    int nbound;
    const char *const *bound; /* "x <= 1.2 [m]", "tip >= -d": of coordinates or observables */
    int points;               /* of the period, at which they hold: 30 */
    bool whole;               /* add points until they hold at all times */
    zw_gauss_solver solver;
    bool fresh;     /* along a parameter: from the starts at every value, not from the one before */
    int iterations; /* at most: 500 */
    int nsensitivity;
    const char *const *sensitivity; /* "k, c": parameters of the derivatives of G and rms, besides
                                       those of `over` and `with` */
} zw_forced_gauss_options;
ZW_API void zw_forced_gauss_options_init(zw_forced_gauss_options *options, size_t size);
static inline zw_forced_gauss_options zw_forced_gauss_options_default(void) {
    zw_forced_gauss_options o;
    zw_forced_gauss_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_forced_minimum {
    zw_gauss_result result; /* not converged: the best point that was met */
    int starts;             /* that led here */
    const double *x;        /* coefficients */
    zw_gauss_verdict verdict;
    zw_gauss_judgement judgement; /* where no bound is touched; levels 0: none */
    bool bounded;                 /* a bound is touched, and of it: */
    zw_gauss_bounded bound;
} zw_forced_minimum;

/* Of a study, which must outlive it. Texts that cannot be read are rejected. */
ZW_API zw_status zw_forced_gauss_create(zw_forced_gauss **out, zw_forced *f,
                                        const zw_forced_gauss_options *options, zw_error *err);
ZW_API void zw_forced_gauss_destroy(zw_forced_gauss *g);

/* The minima at a value of `over`, or at the model's (value NaN), in the place of those before.
 * Under bounds from rest, from the starts given and from every minimum without them. */
ZW_API zw_status zw_forced_gauss_find(zw_forced_gauss *g, double value, zw_error *err);
ZW_API int zw_forced_gauss_minima(const zw_forced_gauss *g);
ZW_API const zw_forced_minimum *zw_forced_gauss_minimum(const zw_forced_gauss *g, int number);
ZW_API int zw_forced_gauss_motions(const zw_forced_gauss *g); /* how many of them are motions */
ZW_API int zw_forced_gauss_coefficients(const zw_forced_gauss *g);
/* Name and unit of one, valid until the next call. */
ZW_API const char *zw_forced_gauss_coefficient(zw_forced_gauss *g, int i, const char **unit);
ZW_API double zw_forced_gauss_rms(const zw_forced_gauss *g, int number, int function);

/* The minima into the open object of a report; those of a table of zw_forced_gauss_along_of. */
ZW_API void zw_forced_gauss_report(zw_forced_gauss *g, zw_report *out);
ZW_API void zw_forced_gauss_report_along(const zw_forced_gauss *g, const zw_table *along,
                                         zw_report *out);
/* One row for each minimum, kind "minima": G, motion (1, 0, NaN: not certain), rms(x),
 * coefficients. source may be NULL. */
ZW_API zw_status zw_forced_gauss_table(zw_forced_gauss *g, const zw_model_source *source,
                                       zw_table **out, zw_error *err);
/* The trial motion of a minimum over a period, kind "trial motion": what it is, the forces that it
 * would need besides those given, multipliers of constraints, and of every bound the slack and the
 * force lambda of it. */
ZW_API zw_status zw_forced_gauss_period(zw_forced_gauss *g, int number,
                                        const zw_model_source *source, zw_table **out,
                                        zw_error *err);
/* G over two coefficients, "cos1(x)=-2:2, sin1(x)=-2:2 [m]", points x points of them, kind
 * "surface"; the other ones as in minimum `number`, or 0 (-1). The minima found are its marks. */
ZW_API zw_status zw_forced_gauss_surface(zw_forced_gauss *g, int number, const char *text,
                                         int points, const zw_model_source *source, zw_table **out,
                                         zw_error *err);
/* Minima at the rows of `over` (101 if it does not say), each from the one before, kind "minima
 * along": the parameter, G, motion, distance to the orbit that is next, rms(x), derivatives dG_dp
 * and drms_dp(x) with respect to the parameters p, coefficients. */
ZW_API zw_status zw_forced_gauss_along(zw_forced_gauss *g, const zw_model_source *source,
                                       zw_table **out, zw_error *err);
/* The same for n studies, one for each value of `with`, in one table. */
ZW_API zw_status zw_forced_gauss_along_of(int n, zw_forced_gauss *const *g,
                                          const zw_model_source *source, zw_table **out,
                                          zw_error *err);
/* Derivatives of a minimum: their number; for number i, the name and unit of the parameter p, dG/dp
 * and, for every function, drms/dp in this unit. NaN: a bound is active, the minimisation did not
 * converge, or the minimum is degenerate. */
ZW_API int zw_forced_gauss_sensitivities(const zw_forced_gauss *g);
ZW_API zw_status zw_forced_gauss_sensitivity(zw_forced_gauss *g, const zw_forced_minimum *m, int i,
                                             const char **name, const char **unit, double *G,
                                             double *rms, zw_error *err);
/* Warnings about all results of n studies: minimisations that did not converge, inaccurate
 * integrals, rows that are not motions. */
ZW_API void zw_forced_gauss_warnings(int n, zw_forced_gauss *const *g, zw_warnings *out);

#ifdef __cplusplus
}
#endif
#endif
