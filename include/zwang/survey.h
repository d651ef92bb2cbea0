/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/sweeps. */
/* A sweep: the motions of a plan, and what is measured of each.
 *
 * Every point of the plan has a motion of its own from the start of the model (and of the point), or the state is
 * carried on along the first axis: from value to value, upwards, downwards or both. At each value the motion goes on for
 * a transient, of which nothing is kept, and for the time of measuring; both in seconds or in periods of the drive.
 *
 * Where the equations are periodic in time, the phase of the drive goes on when its frequency changes: time t becomes
 * (t/T - floor(t/T)) T' with the new period T', so that sin(Omega t) has no jump. Otherwise time runs on.
 *
 * Measures, of a quantity q that is a column of `zwang run` (x, x', energy, an observable):
 *   last(q) mean(q) rms(q) min(q) max(q) amplitude(q)      over the time of measuring; amplitude: half of max - min
 *   first(q) phase(q) harmonic(q,k) phase(q,k)             A, phi of the part A cos(k w t + phi), w that of the drive
 *   share(q,a,b)  histogram(q,a,b,n)                       share of the samples with a <= q < b; n of them side by side
 *   time(E) at(q,E) count(E)                               first passage of event E since the start (s), q there; how
 *                                                          often it is met while measuring
 *   period                                                 after how many periods of the drive (or passages of the event of
 *                                                          `rows`) the motion comes back: 1, 2, ...; 0: it does not
 *   q                                                      at every row, with `rows`
 * Means are over time. A motion that a `stop` event ends is measured up to there. */
#ifndef ZWANG_SURVEY_H
#define ZWANG_SURVEY_H

#include "ensemble.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_survey zw_survey;

typedef enum zw_survey_carry {
    ZW_SURVEY_OWN_STARTS,
    ZW_SURVEY_UP,   /* in the order of the axis */
    ZW_SURVEY_DOWN, /* against it */
    ZW_SURVEY_BOTH  /* up, and down again from there */
} zw_survey_carry;

/* Strings may be NULL: as said. Times: "200 periods", "50", "50s", "2min". */
typedef struct zw_survey_options {
    size_t size;           /* of this struct, for the library */
    const char *measure;   /* "max(x), rms(x')"; max and rms of every coordinate */
    const char *transient; /* 0 */
    const char *duration;  /* of measuring; 10 s */
    const char *rows;      /* "strobe", the name of an event, or a time: rows within; none */
    zw_survey_carry carry;
    double jump; /* carried: where the first measure changes by more than this share of the larger
                                one, the jump is located between the two values; 0: not looked for */
    double jump_width;       /* to so much of the distance of the values */
    double period_tolerance; /* of the size of the motion */
    int ndisturb; /* carried: what is added to the state at every new value, by words as those of a start: "y'=normal:0:1e-5" */
    const char *const *disturb;
} zw_survey_options;

ZW_API void zw_survey_options_init(zw_survey_options *options, size_t size);
static inline zw_survey_options zw_survey_options_default(void) {
    zw_survey_options o;
    zw_survey_options_init(&o, sizeof o);
    return o;
}

/* Of ensemble the quantities, events and memory are set by the sweep. options and ensemble may be NULL. */
ZW_API zw_status zw_survey_create(zw_survey **out, const zw_model_source *source,
                                  const zw_plan_options *plan, const zw_ensemble_options *ensemble,
                                  const zw_survey_options *options, zw_error *err);
ZW_API void zw_survey_destroy(zw_survey *s);
ZW_API const zw_plan *zw_survey_plan(const zw_survey *s);
ZW_API const zw_system *zw_survey_system(const zw_survey *s);
ZW_API void zw_survey_statistics(const zw_survey *s, zw_ensemble_info *info, size_t size);
/* Motions: points of the plan, or chains along its first axis. */
ZW_API uint64_t zw_survey_motions(const zw_survey *s);
/* Rows of a motion; 0: as many as there are events. */
ZW_API uint64_t zw_survey_rows(const zw_survey *s);
/* Columns: axes (theta(0) where theta is varied at the start), `sweep` (1 up, -1 down) and `jump` (1 before, 2 behind one) if carried, t at rows, measures, the number of
 * the point, `end`: 0 all is well, 1 stopped by an event, -1 failed. */
ZW_API int zw_survey_columns(const zw_survey *s);
ZW_API int zw_survey_measures(const zw_survey *s);      /* how many, */
ZW_API int zw_survey_first_measure(const zw_survey *s); /* and the column of the first */
/* An empty table with these columns and notes of where it comes from. */
ZW_API zw_status zw_survey_table(const zw_survey *s, zw_table **out, zw_error *err);
/* How many frequencies drive the model if periods of the drive are asked for, 0 otherwise, and the period at the first point: the common one of all. */
ZW_API int zw_survey_drives(const zw_survey *s, double *period);
/* The step of the noise, s, 0 without any; what half of it changed where it was chosen (zw_sim_info), NaN: not known. */
ZW_API double zw_survey_noise(const zw_survey *s, double *error);
/* Do they commute (zw_sim_noises_commute) at the points where the step was chosen? */
ZW_API bool zw_survey_noises_commute(const zw_survey *s);
/* All that the numbers depend on, as text: equal texts, equal results. */
ZW_API const char *zw_survey_identity(const zw_survey *s);

typedef struct zw_survey_failure {
    uint64_t motion, point;
    char why[200];
} zw_survey_failure;

/* The rows of neighbouring motions, in the order of their numbers. */
typedef struct zw_survey_block {
    uint64_t first, motions; /* all of them finished */
    long nrow;
    double *row; /* nrow x columns */
    uint64_t failed, stopped;
    int nfailure; /* kept: the first ones */
    zw_survey_failure failure[16];
    uint64_t doubtful;       /* motions that came to their end with a doubt (zwang/doubt.h), */
    zw_survey_failure doubt; /* and the first of them */
} zw_survey_block;

/* Motions first .. first + count - 1. ZW_STOPPED: interrupted; the block has those before the first that is not finished, and of that
 * one, if it is a chain, the rows of the values that are measured.
 * Clear the block whatever happens. */
ZW_API zw_status zw_survey_run(zw_survey *s, uint64_t first, uint64_t count, zw_survey_block *out,
                               zw_error *err);
ZW_API void zw_survey_block_clear(zw_survey_block *block);

#ifdef __cplusplus
}
#endif
#endif
