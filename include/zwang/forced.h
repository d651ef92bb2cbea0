/* SPDX-License-Identifier: MIT */
/* Steady forced motions of a model: periodic answers to periodic drives (zwang/forcing.h), by harmonic balance (zwang/harmonic.h), with Floquet's
 * multipliers (zwang/floquet.h) and an estimate of what the harmonics that are left out would change; and curves of them over a
 * parameter, through their folds (zwang/continuation.h).
 *
 * The estimate: with twice as many harmonics one step of Newton's method from the motion, by its mean square over the period, relative to that of the
 * motion. Harmonics are added until it is below the tolerance; if it stays above, that is told as a doubt. */
#ifndef ZWANG_FORCED_H
#define ZWANG_FORCED_H

#include "doubt.h"
#include "floquet.h"
#include "forcing.h"
#include "harmonic.h"
#include "model.h"
#include "over.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_forced zw_forced;

typedef struct zw_forced_options {
    size_t size; /* of this struct, for the library */
    const char *
        over; /* as in zwang/over.h, a parameter: "Omega=0.1:5"; NULL: at the model's values alone */
    int harmonics;     /* the highest one; 0: as many as the tolerance asks for */
    int harmonics_max; /* then at most so many, 127 */
    bool odd;          /* odd ones alone */
    int order;         /* the period is so many of the drive's: 1 */
    double tolerance;  /* relative, of the motion: 1e-6 */
    int settle; /* periods that the start of the model runs before its motion is taken for a guess: 50; 0: rest is the guess */
    int points_max;  /* of a curve, 5000 */
    double step_max; /* of a curve, as a part of the range: 0.02 */
    bool stability;  /* find it: true */
    int taylor; /* functions of the equations by so many terms of their series (zw_equations_few_terms); 0: as they are */
    bool
        slow; /* stability by slowly varying amplitudes (zwang/slow.h) instead of Floquet, whose multipliers are compared */
    bool van_der_pol;                      /* these by his condition */
    const zw_active *active;               /* NULL: what holds by the model */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_forced_options;
ZW_API void zw_forced_options_init(zw_forced_options *options, size_t size);
static inline zw_forced_options zw_forced_options_default(void) {
    zw_forced_options o;
    zw_forced_options_init(&o, sizeof o);
    return o;
}

/* What a quantity (coordinate or observable) does in a period. */
typedef struct zw_forced_measure {
    double mean, rms, max, min;
    double first,
        phase; /* amplitude of the first harmonic a cos(wt) + b sin(wt), and atan2(-b, a) (rad): first cos(wt + phase) */
} zw_forced_measure;

typedef enum zw_forced_event {
    ZW_FORCED_POINT,
    ZW_FORCED_FOLD,
    ZW_FORCED_BRANCH, /* a multiplier passes 1 where the curve does not turn: another one crosses, a symmetry breaks */
    ZW_FORCED_FLIP,  /* one passes -1: the period doubles */
    ZW_FORCED_TORUS, /* a pair passes the unit circle: Neimark and Sacker */
    ZW_FORCED_END    /* the bound of the range */
} zw_forced_event;

typedef struct zw_forced_motion {
    double value;  /* of the number that is gone along; NaN without */
    double w;      /* rad/s: of the first harmonic */
    int harmonics; /* the highest one */
    const double
        *x; /* coefficients as of zw_forced_harmonic at that time: functions by functions */
    int ncoefficient;                 /* of one function */
    const zw_forced_measure *measure; /* zw_forced_quantities of them */
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
    zw_forced_event event;
    int curve;           /* the number of its curve, from 0 */
    const double *state; /* of shooting: that at t = 0; NULL: of the balance */
    double residual;     /* of shooting: by how much it misses its beginning */
    int jumps;           /* of shooting: of the rates in the period */
} zw_forced_motion;

/* The system and its context must outlive it. */
ZW_API zw_status zw_forced_create(zw_forced **out, const zw_system *sys,
                                  const zw_forced_options *options, zw_error *err);
ZW_API void zw_forced_destroy(zw_forced *f);

/* One motion, at a value of `over`, or at the model's (value NaN): from the start of the model, run for some periods. It becomes the first of the
 * motions, or is told again. ZW_E_NUMERIC: none was found. */
ZW_API zw_status zw_forced_find(zw_forced *f, double value, int *number, zw_error *err);
/* More of them there: from so many starts of different sizes, the same for the same number. *found: how many are new. */
ZW_API zw_status zw_forced_search(zw_forced *f, double value, int starts, int *found,
                                  zw_error *err);
ZW_API int zw_forced_motions(const zw_forced *f);
ZW_API const zw_forced_motion *zw_forced_motion_at(const zw_forced *f, int number);

/* The curve through motion `number`, to both sides, each up to the ends of the range or back to its start. Its points become
 * motions as well. ZW_E_OPTION without `over`. */
ZW_API zw_status zw_forced_follow(zw_forced *f, int number, zw_error *err);
/* All curves: through the motions at both ends of the range and at so many values between them that no curve met before. */
ZW_API zw_status zw_forced_curves(zw_forced *f, int values, int starts, zw_error *err);
ZW_API int zw_forced_curve_count(const zw_forced *f);
/* How it ended at both sides: 0 towards smaller values at its start. */
ZW_API zw_cont_info zw_forced_curve_end(const zw_forced *f, int curve, int side);

ZW_API const zw_over *zw_forced_over(const zw_forced *f); /* NULL without */
ZW_API int zw_forced_quantities(const zw_forced *f);
ZW_API const char *zw_forced_quantity(const zw_forced *f, int i, const char **unit);
ZW_API const zw_equations *zw_forced_equations(const zw_forced *f);

/* The same by shooting (zwang/shooting.h), which asks for no series: forces may have kinks and jumps. From the start of the model after `settle`
 * periods, then from so many other states. nodes: 1; more of them for motions that are so unstable that a period cannot be followed. *found (may
 * be NULL): how many motions are new. */
ZW_API zw_status zw_forced_shoot(zw_forced *f, double value, int nodes, int starts, int *found,
                                 zw_error *err);
/* With `slow`: the amplitudes in time, from the start of the model, its first harmonics that of q and q'/w, as a table of the kind "amplitudes": t, and of
 * every coordinate first(q), the amplitude of its first harmonic, its parts cos(q), sin(q), and mean(q) if there is one. step: between rows. */
ZW_API zw_status zw_forced_slow_run(zw_forced *f, double until, double step,
                                    const zw_model_source *source, zw_table **out, zw_error *err);

/* What is doubtful of all that was found. */
ZW_API void zw_forced_doubts(const zw_forced *f, zw_doubts *out);
/* The motions found, or the curves, for people and as JSON; new strings of the context (zw_string_free), NULL: out of memory. */
ZW_API char *zw_forced_text(const zw_forced *f);
ZW_API char *zw_forced_json(const zw_forced *f);
/* All points of all curves, one after the other, as a table of the kind "response": the number, what every quantity does, largest
 * multiplier, how many are outside, stable (1, 0, NaN), harmonics, error, curve. source may be NULL. */
ZW_API zw_status zw_forced_table(const zw_forced *f, const zw_model_source *source, zw_table **out,
                                 zw_error *err);
/* One motion over one period, as the result of a run from its state at t = 0, which does not come from the balance; *gap (may be NULL): how far the run
 * misses its beginning, of the size of the motion. */
ZW_API zw_status zw_forced_motion_table(zw_forced *f, int number, int rows,
                                        const zw_model_source *source, zw_table **out, double *gap,
                                        zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
