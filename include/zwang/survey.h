/* SPDX-License-Identifier: MIT */
/* Implemented in src/many. */
/* The plan of a study of many motions: which points it has, and which part of them is computed
 * here.
 *
 * A point gives values to parameters and to entries of the start, one by each axis. Axes are
 * written as words:
 *
 *   Omega=1:8:0.01             from 1 to 8 in steps of 0.01
 *   F=lin:0:2:50               50 values from 0 to 2, evenly; log:0.1:10:30 evenly in their
 *                              logarithm
 *   mu=1,2,5                   these
 *   theta=uniform:-pi:pi       drawn, normal:mean:sd likewise
 *
 * with units as everywhere ("F=lin:0:2:50 kN", "l=1cm:2m:1cm"). Numbers 0, 1, 2, ... of the points:
 * the samples of what is drawn go fastest, then the first axis, the second, ..., and the rows of a
 * file of points last. Point k is a function of the plan, its seed and k alone. What is drawn
 * depends on the number of the sample, not on the rest: each value of an axis sees the same
 * samples. */
#ifndef ZWANG_SURVEY_H
#define ZWANG_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "ensemble.h"
#include "model.h"
#include "report.h"
#include "system.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_plan zw_plan;

typedef enum zw_axis_kind {
    ZW_AXIS_LIN, /* from a to b evenly */
    ZW_AXIS_LOG,
    ZW_AXIS_LIST,
    ZW_AXIS_COLUMN,  /* of the file of points: all columns go together */
    ZW_AXIS_UNIFORM, /* drawn between a and b */
    ZW_AXIS_NORMAL   /* mean a, standard deviation b */
} zw_axis_kind;

enum { ZW_AXIS_NAME = 64, ZW_AXIS_UNIT = 40, ZW_PLAN_AXES = 128 }; /* and at most this many axes */
typedef struct zw_axis {
    char name[ZW_AXIS_NAME];
    char unit[ZW_AXIS_UNIT]; /* as written, or that of the model */
    double factor;           /* SI value of one of these */
    zw_axis_kind kind;
    bool start;    /* an entry of the start; otherwise a parameter */
    int index;     /* of the system: parameter, or entry of (q, v) */
    uint64_t n;    /* values; 0 if it is drawn */
    double a, b;   /* SI */
    double *value; /* n of a list or column, SI */
} zw_axis;

/* Which samples are drawn. */
typedef enum zw_plan_design {
    ZW_PLAN_SAMPLES,  /* as many as asked for */
    ZW_PLAN_SALTELLI, /* N (d + 2): for indices of Sobol, see zwang/survey.h */
    ZW_PLAN_MORRIS    /* N (d + 1): paths along which one axis changes at a time */
} zw_plan_design;

typedef enum zw_plan_draw {
    ZW_PLAN_RANDOM, /* independent, by counting (Philox) */
    /* Sobol's sequence, shifted at random: fills the space more evenly; at most 52 axes */
    ZW_PLAN_SOBOL
} zw_plan_draw;

typedef struct zw_plan_options {
    size_t size; /* of this struct, for the library */
    int nover, nstart;
    const char *const *over;  /* parameters */
    const char *const *start; /* entries of the start */
    const zw_table *points;   /* columns by name; NULL: none */
    uint64_t samples;         /* of what is drawn; N of the other designs */
    uint64_t seed;
    zw_plan_draw draw;
    zw_plan_design design;
} zw_plan_options;

ZW_API void zw_plan_options_init(zw_plan_options *options, size_t size);
static inline zw_plan_options zw_plan_options_default(void) {
    zw_plan_options o;
    zw_plan_options_init(&o, sizeof o);
    return o;
}

/* The names are those of the system. ZW_E_OPTION, ZW_E_NAME, ZW_E_UNIT: what is wrong with the
 * words. */
ZW_API zw_status zw_plan_create(zw_plan **out, const zw_system *sys, const zw_plan_options *options,
                                zw_error *err);
ZW_API void zw_plan_destroy(zw_plan *plan);
ZW_API uint64_t zw_plan_points(const zw_plan *plan);
ZW_API uint64_t zw_plan_samples(const zw_plan *plan); /* 1 where nothing is drawn */
ZW_API zw_plan_design zw_plan_design_of(const zw_plan *plan);
ZW_API int zw_plan_axes(const zw_plan *plan);
ZW_API int zw_plan_drawn(const zw_plan *plan); /* axes that are drawn */
/* Do samples differ: is any axis drawn, or has the model noise? The number of the sample of point
 * k, which is that of its path of the noise. */
ZW_API bool zw_plan_draws(const zw_plan *plan);
ZW_API uint64_t zw_plan_sample(const zw_plan *plan, uint64_t k);
ZW_API const zw_axis *zw_plan_axis(const zw_plan *plan, int i);
/* The values of point k, SI, one for each axis. */
ZW_API void zw_plan_point(const zw_plan *plan, uint64_t k, double *value);
/* Point k as it is without the first axis (a chain along it), and the number of its point at value
 * i of that axis. */
ZW_API uint64_t zw_plan_chains(const zw_plan *plan);
ZW_API uint64_t zw_plan_in_chain(const zw_plan *plan, uint64_t chain, uint64_t i);
/* Value i of an axis that is not drawn, SI. */
ZW_API double zw_axis_value(const zw_axis *axis, uint64_t i);
/* "Omega: 701 values from 1 to 8 rad/s"; returns the length as snprintf does. */
ZW_API int zw_axis_text(const zw_axis *axis, char *out, size_t size);

/* Part `part` of `parts` (1, 2, ...) of the numbers 0 .. count - 1: neighbours, no gap, no overlap,
 * sizes that differ by one at most. */
typedef struct zw_plan_part {
    uint64_t part, parts;
    uint64_t first, count;
} zw_plan_part;

/* "3/16" of this many. ZW_E_OPTION: what is wrong with the text. */
ZW_API zw_status zw_plan_part_read(zw_plan_part *out, const char *text, uint64_t count,
                                   zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* A sweep: the motions of a plan, and what is measured of each.
 *
 * Every point of the plan has a motion of its own from the start of the model (and of the point),
 * or the state is carried on along the first axis: from value to value, upwards, downwards or both.
 * At each value the motion goes on for a transient, of which nothing is kept, and for the time of
 * measuring; both in seconds or in periods of the drive.
 *
 * Where the equations are periodic in time, the phase of the drive goes on when its frequency
 * changes: time t becomes (t/T - floor(t/T)) T' with the new period T', so that sin(Omega t) has no
 * jump. Otherwise time runs on.
 *
 * Measures, of a quantity q that is a column of `zwang run` (x, x', energy, an observable):
 *   last(q) mean(q) rms(q) min(q) max(q) amplitude(q)      over the time of measuring; amplitude: half of max - min
 *   first(q) phase(q) harmonic(q,k) phase(q,k)             A, phi of the part A cos(k w t + phi), w that of the drive
 *   share(q,a,b)  histogram(q,a,b,n)                       share of the samples with a <= q < b; n of them side by side
 *   time(E) at(q,E) count(E)                               first passage of event E since the start (s), q there; how
 *                                                          often it is met while measuring
 *   period                                                 after how many periods of the drive (or
 *                                                          passages of the event of
 *                                                          `rows`) the motion comes back: 1, 2,
 *                                                          ...; 0: it does not
 *   q                                                      at every row, with `rows`
 * Means are over time. A motion that a `stop` event ends is measured up to there. */

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
    /* carried: where the first measure changes by more than this share of the larger one, the jump
     * is located between the two values; 0: jumps are not located */
    double jump;
    double jump_width;       /* to so much of the distance of the values */
    double period_tolerance; /* of the size of the motion */
    /* carried: what is added to the state at every new value, by words as those of a start:
     * "y'=normal:0:1e-5" */
    int ndisturb;
    const char *const *disturb;
} zw_survey_options;

ZW_API void zw_survey_options_init(zw_survey_options *options, size_t size);
static inline zw_survey_options zw_survey_options_default(void) {
    zw_survey_options o;
    zw_survey_options_init(&o, sizeof o);
    return o;
}

/* Of ensemble the quantities, events and memory are set by the sweep. options and ensemble may be
 * NULL. */
ZW_API zw_status zw_survey_create(zw_survey **out, const zw_model_source *source,
                                  const zw_plan_options *plan, const zw_ensemble_options *ensemble,
                                  const zw_survey_options *options, zw_error *err);
ZW_API void zw_survey_destroy(zw_survey *s);
ZW_API const zw_plan *zw_survey_plan(const zw_survey *s);
ZW_API void zw_survey_statistics(const zw_survey *s, zw_ensemble_info *info, size_t size);
/* Motions: points of the plan, or chains along its first axis. */
ZW_API uint64_t zw_survey_motions(const zw_survey *s);
/* Rows of a motion; 0: as many as there are events. */
ZW_API uint64_t zw_survey_rows(const zw_survey *s);
/* Columns: axes (theta(0) where theta is varied at the start), `sweep` (1 up, -1 down) and `jump`
 * (1 before, 2 after one) if carried, t at rows, measures, the number of the point, `end`: 0 all
 * is well, 1 stopped by an event, -1 failed. */
ZW_API int zw_survey_columns(const zw_survey *s);
ZW_API int zw_survey_measures(const zw_survey *s);      /* how many, */
ZW_API int zw_survey_first_measure(const zw_survey *s); /* and the column of the first */
/* An empty table with these columns and notes of where it comes from. */
ZW_API zw_status zw_survey_table(const zw_survey *s, zw_table **out, zw_error *err);
/* How many frequencies drive the model if periods of the drive are asked for, 0 otherwise, and the
 * period at the first point: the common one of all. */
ZW_API int zw_survey_drives(const zw_survey *s, double *period);
/* The step of the noise, s, 0 without any; what half of it changed where it was chosen
 * (zw_sim_info), NaN: not known. */
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
    uint64_t doubtful;       /* motions that came to their end with a warning (zwang/doubt.h), */
    zw_survey_failure doubt; /* and the first of them */
} zw_survey_block;

/* Motions first .. first + count - 1. ZW_STOPPED: interrupted; the block has those before the first
 * that is not finished, and of that one, if it is a chain, the rows of the values that are
 * measured. Clear the block whatever happens. */
ZW_API zw_status zw_survey_run(zw_survey *s, uint64_t first, uint64_t count, zw_survey_block *out,
                               zw_error *err);
ZW_API void zw_survey_block_clear(zw_survey_block *block);

/* ------------------------------------------------------------------------------------------ */

/* The files of a survey: one result, parts of it from many processes, and a journal that survives
 * all of them.
 *
 * A result in CSV is written while it is computed and appears under its name when it is done:
 * complete, or up to where the user has stopped it, which its notes tell. What it holds is a
 * function of the plan alone: a result that was joined from parts has the same bytes.
 *
 * A journal is a folder that any number of processes share, on one machine or on many with a common
 * file system. It has the plan, and chunks of neighbouring motions, each a file that appears
 * complete. A process claims a chunk by making a file that only one can make (a hard link to a
 * name), keeps its claim alive by touching it every few seconds, computes, and puts the chunk there
 * by another link, which fails if it is there already. A claim whose process is gone (same machine)
 * or that nobody has touched for the time of a lease (other machine) is taken over by the claim of
 * the next generation, which again only one can make. So a process may die at any moment: the
 * others take over its chunk, and nothing that was done is lost. When all chunks are there one
 * process, claimed in the same way, reads all of them and joins them; those whose checksums do not
 * match are computed again first. */

typedef struct zw_survey_files {
    size_t size;         /* of this struct, for the library */
    const char *out;     /* .csv, .json, .h5, "-"; with a journal NULL: it is not joined */
    const char *range;   /* "3/16": this part alone; NULL: all */
    const char *journal; /* folder; NULL: none */
    bool resume;         /* the journal may be there already */
    /* number of this process and how many there are, if that is known: where it begins to look */
    int worker, workers;
    uint64_t chunk; /* motions of a chunk; 0: chosen from a trial */
    double lease;   /* s; 0: 60 */
    /* asked on the way, from one thread, with the fraction of the motions that are done, of the
     * whole journal or the part; true ends it */
    bool (*stop)(void *user, double done);
    /* all remaining chunks are claimed by others; called about every second with one of these
     * claims and the waiting time [s] so far */
    void (*waiting)(void *user, const char *claim, double seconds);
    /* rows in the order of the result, from one thread; of a journal only to the process that joins
     * it */
    void (*row)(void *user, const double *row);
    void *user;
} zw_survey_files;

typedef struct zw_survey_report {
    uint64_t motions; /* in the result, */
    uint64_t of;      /* of this many in the plan or its part */
    uint64_t here;    /* computed by this process */
    uint64_t rows, failed, stopped;
    int nfailure;
    zw_survey_failure failure[16];
    uint64_t doubtful;
    zw_survey_failure doubt; /* the first one */
    double seconds;
    bool joined;      /* this process has written the result */
    uint64_t damaged; /* number of damaged chunks, which were renamed and computed again */
    zw_error damage;  /* the damage of the first one */
} zw_survey_report;

ZW_API void zw_survey_files_init(zw_survey_files *files, size_t size);
static inline zw_survey_files zw_survey_files_default(void) {
    zw_survey_files f;
    zw_survey_files_init(&f, sizeof f);
    return f;
}

/* Compute and write. ZW_STOPPED: interrupted; what is done is there. Failed motions are counted in
 * the report. */
ZW_API zw_status zw_survey_write(zw_survey *s, const zw_survey_files *files,
                                 zw_survey_report *report, zw_error *err);
/* One result from parts of one plan, in any order. Gaps, overlaps and parts of other plans are
 * errors that name them; parts of another version or without checksums add warnings to `files` (may
 * be NULL). */
ZW_API zw_status zw_survey_join(int n, const char *const *path, const char *out,
                                void (*row)(void *user, const double *row), void *user,
                                zw_survey_report *report, zw_warnings *files, zw_error *err);

/* What this many motions will take, from a trial of some (half a second, or one motion up to
 * three), made once. */
typedef struct zw_survey_estimate {
    uint64_t tried;
    double seconds; /* of one motion, with all threads; a lower bound if none was finished */
    bool at_least;
    double total; /* s, of all of them in this process */
    double bytes; /* of the result in CSV */
    double memory;
} zw_survey_estimate;
ZW_API zw_status zw_survey_try(zw_survey *s, uint64_t motions, zw_survey_estimate *out,
                               zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* What a survey with drawn values says: distributions of its measures, and how much each drawn
 * quantity has to do with them.
 *
 * Distributions. Of the samples of each point of the grid (and each row of a motion: bands over
 * time) mean, standard deviation, standard error of the mean, and quantiles, which interpolate
 * linearly between the sorted values y_1 .. y_n at 1 + (n - 1) q. Motions that failed and measures
 * that have no value are left out and counted.
 *
 * Sobol's indices, of a plan of the design of Saltelli, with f_A, f_B, f_i the measure at A, at B,
 * and at A with entry i of B, V the variance of all f_A and f_B (M. J. W. Jansen, Comput. Phys.
 * Commun. 117 (1999) 35; A. Saltelli et al., ibid. 181 (2010) 259):
 *
 *   S_i = 1 - <(f_B - f_i)^2> / (2 V)     share of the variance that goes with quantity i alone,
 *   T_i =     <(f_A - f_i)^2> / (2 V)     share that would be left if all others were known
 *
 * with standard errors from 200 samples of the samples (bootstrap).
 *
 * Elementary effects, of a plan of the design of Morris: the change of the measure per unit of the
 * distribution (0 to 1) of quantity i, on steps of half of it: mean mu, mean of the absolute value
 * mu*, standard deviation sigma, which is large where the effect is not linear or depends on others
 * (M. D. Morris 1991; F. Campolongo et al., Environ. Model. Softw. 22 (2007) 1509). */

typedef struct zw_statistics zw_statistics;

/* Rows of a survey come in their order (zw_survey_files.row). nquantile 0: 0.05, 0.25, 0.5, 0.75,
 * 0.95. Rejected where nothing is drawn. The survey must outlive it. */
ZW_API zw_status zw_statistics_create(zw_statistics **out, const zw_survey *s, int nquantile,
                                      const double *quantile, zw_error *err);
ZW_API void zw_statistics_destroy(zw_statistics *st);
ZW_API void zw_statistics_row(void *statistics, const double *row);
/* Columns: axes that are not drawn, sweep and t if there are such, then for each measure y:
 * mean(y), sd(y), error(y), q05(y), ..., count(y). Belongs to the statistics. */
ZW_API zw_status zw_statistics_table(zw_statistics *st, const zw_table **out, zw_error *err);

typedef struct zw_sensitivity {
    double first, first_error, total, total_error; /* Sobol */
    double mean, absolute, absolute_error, sd;     /* Morris: mu, mu*, sigma */
} zw_sensitivity;

/* y: one value for each point of the plan, NaN where there is none; out: one for each axis. *used:
 * samples or paths without gaps. ZW_E_OPTION: the plan has no such design, too few are left, or
 * nothing varies. */
ZW_API zw_status zw_sensitivity_of(const zw_plan *plan, const double *y, zw_sensitivity *out,
                                   uint64_t *used, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* A model with noise over many of its paths: moments and spectral densities with their standard
 * errors, and how often events end it.
 *
 * Every path is a motion of its own from the start of the model. After a transient it is looked at
 * for the time of measuring. What is reported is a mean over the paths of what was measured on
 * each, so that its standard error is the spread over the paths, divided by the root of their
 * number, whatever the correlation in time:
 *
 *   mean, standard deviation, skewness, excess (0 for a normal distribution) of each quantity, over
 *   time and paths;
 *   its one-sided spectral density G(f) per Hz, whose integral over all f > 0 is the variance: from
 *   means over short times (which keeps high
 *   frequencies from being taken for low ones; their factor sinc^2 is divided out), with Hann's
 *   window.
 *
 * Where a distribution is stationary, the first and the second half of the time of measuring agree;
 * if they do not, that is reported.
 *
 * If the model has events with `stop`, the share of the paths that they have ended, with the
 * interval of Wilson (1927) at 95 %, and the rate number/(time of all paths together), which is
 * that of an exponential distribution of the times. Paths that were ended have no moments. */

typedef struct zw_noise zw_noise;

typedef struct zw_noise_options {
    size_t size; /* of this struct, for the library */
    int nof;     /* columns of `zwang run`; 0: all coordinates, states and velocities */
    const char *const *of;
    /* s; the time is shortened by up to a fifth, so that samples fit the steps of the noise */
    double transient, time;
    uint64_t paths; /* at least ZW_NOISE_PATHS_MIN */
    long seed;
    double step;               /* of the noise, s; 0: chosen on path 0 (zwang/simulate.h) */
    int frequencies;           /* of the spectral densities: 1/time, 2/time, ...; a power of two */
    int threads;               /* 0: as many as there are cores */
    const zw_run_options *run; /* NULL: the usual ones */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_noise_options;
ZW_API void zw_noise_options_init(zw_noise_options *options, size_t size);
static inline zw_noise_options zw_noise_options_default(void) {
    zw_noise_options o;
    zw_noise_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_noise_estimate {
    double value, error; /* error: standard error */
} zw_noise_estimate;
typedef struct zw_noise_moments {
    const char *name, *unit;
    zw_noise_estimate mean, sd, skewness, excess;
    zw_noise_estimate change; /* of the variance from the first to the second half of the time, */
    zw_noise_estimate drift;  /* and of the mean */
} zw_noise_moments;

enum { ZW_NOISE_PATHS_MIN = 4 }; /* whose spread gives an error */

/* The model is read from the text of its source, which is used in zw_noise_run too. ZW_E_MODEL: it
 * has no noise. */
ZW_API zw_status zw_noise_create(zw_noise **out, const zw_model_source *source,
                                 const zw_noise_options *options, zw_error *err);
ZW_API void zw_noise_destroy(zw_noise *n); /* NULL: nothing to do */
/* Computes all paths, once. ZW_STOPPED: stopped, there are results from ZW_NOISE_PATHS_MIN paths
 * on. ZW_E_NUMERIC: paths failed; there are results of the others. */
ZW_API zw_status zw_noise_run(zw_noise *n, zw_error *err);
ZW_API int zw_noise_count(const zw_noise *n); /* of the quantities */
ZW_API zw_noise_moments zw_noise_moments_of(const zw_noise *n, int i);
/* Of the first and the second half, do mean or variance differ by more than four standard
 * errors? */
ZW_API bool zw_noise_is_settled(const zw_noise *n);
/* The step of the noise, and what half of it changed where it was chosen (NaN: not known). */
ZW_API bool zw_noise_commutes(const zw_noise *n); /* zw_sim_noises_commute at the start */
/* Paths in all, and those that an event (of the system, -1: any) has ended, one that failed; time
 * of all paths together, s. */
ZW_API uint64_t zw_noise_paths(const zw_noise *n);
ZW_API uint64_t zw_noise_ended(const zw_noise *n, int event);
ZW_API uint64_t zw_noise_failed(const zw_noise *n, const char **why);
ZW_API double zw_noise_time(const zw_noise *n);
/* Wilson's interval at 95 % of a share of k in n. */
ZW_API void zw_noise_interval(uint64_t k, uint64_t n, double *low, double *high);

/* Into the open object of the report; what the accuracy of the numbers suffers from. */
ZW_API void zw_noise_report(const zw_noise *n, zw_report *out);
ZW_API void zw_noise_warnings(const zw_noise *n, zw_warnings *out);
/* New tables, to be destroyed: the moments, one row for each quantity in the order of their
 * columns; the spectral densities: f, G(x), error(G(x)), ... */
ZW_API zw_status zw_noise_moments_table(const zw_noise *n, zw_table **out, zw_error *err);
ZW_API zw_status zw_noise_spectrum_table(const zw_noise *n, zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
