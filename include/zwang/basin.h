/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/basins. */
/* Basins: where motions go that begin in a box of starts.
 *
 * Each motion is looked at now and then: once in a period of the drive, at an event of the model (a
 * section), or every `step` seconds. What is compared are some quantities y (ny of them, by default
 * all that the equations depend on), each in units of its scale; periodic coordinates by their
 * period. A motion is followed until it is known where it goes:
 *
 *   rest, cycle   its looks close: |y_n - y_(n-p)| falls, and what is left of the way, estimated
 *                 from how fast it
 *                 falls, is below `close`. So something slow is not taken for something that has
 *                 arrived. Cycles of
 *                 models without drive are caught in their own period, which is found on the way
 *   known         it comes within reach of an attractor that was found before, and nearer. The
 *                 reach is found by trial: starts
 *                 all around at twice that distance go to it
 *   torus, chaos  it returns to cells (of the size `cell`) of its own again and again without
 *                 closing; then it is followed
 *                 for a multiple of the time with a small disturbance: the exponent tells which of
 *                 both it is
 *   leaves        beyond the box, by which quantity and to which side; or it ends at a `stop` event
 *   unresolved    none of this within `looks` looks
 *
 * Something found is an attractor if starts all around come back to it; otherwise it is unstable,
 * and motions that end there lie on its stable set, the boundary of basins. What is found is
 * numbered by what it is (kind, period, place), so that the numbers do not depend on who has found
 * it first. All is the same whatever the number of threads.
 *
 * G. Datseris, A. Wagemakers: Effortless estimation of basins of attraction, Chaos 32 (2022) 023104
 * (cells, counters); C. Grebogi, S. W. McDonald, E. Ott, J. A. Yorke: Final state sensitivity,
 * Phys. Lett. A 99 (1983) 415 (uncertainty); G. Rega, S. Lenci: Identifying, evaluating, and
 * controlling dynamical integrity measures, Nonlinear Anal. 63 (2005) 902. */
#ifndef ZWANG_BASIN_H
#define ZWANG_BASIN_H

#include "doubt.h"
#include "ensemble.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_basin zw_basin;

enum { ZW_BASIN_AXES = 8, ZW_BASIN_LOOKS = 32, ZW_BASIN_NAME = 64 };

/* Begin with zw_basin_options_default(). */
typedef struct zw_basin_options {
    size_t size; /* of this struct, for the library */
    int naxis;
    const char *const
        *axis; /* "x=-2:2:400": values of the start, or parameters; the first goes fastest */
    int nbox;
    const char *const
        *box;            /* "x=-10:10": beyond it a motion leaves; others: 1000 times their scale */
    const char *compare; /* quantities by commas (columns of a run); NULL: chosen */
    const char *section; /* an event of the model; NULL: none */
    double step;         /* between looks, s; 0: the period of the drive, or chosen */
    uint64_t samples;    /* this many starts, drawn in the box, instead of the grid; 0: the grid */
    uint64_t seed;       /* of all that is drawn */
    double cell;         /* size of cells, in scales: 0.01 */
    double close;        /* what counts as arrived, in scales: 1e-6 */
    int period_max;      /* of cycles, in looks: 64 */
    long looks;          /* most of a motion; 0: 20000, or 200000 without drive and section */
    double longer;       /* what looks irregular is followed this many times longer: 10 */
    /* number of starts that are followed again without known attractors, and once more with finer
     * tolerances: 100 */
    long check;
    bool refine; /* of a grid of two axes: only where neighbours differ */
    const char
        *over; /* "F=0:2:21": all of it for each of these values of a parameter; NULL: none */
    const char *principle; /* NULL: "lagrange" */
    zw_run_options run;
    zw_ensemble_engine engine;
    int threads;                           /* 0: as many as there are cores */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    const struct zw_sim_options *contacts; /* as in zw_ensemble_options; must outlive the study */
} zw_basin_options;
ZW_API void zw_basin_options_init(zw_basin_options *options, size_t size, size_t run_size);
static inline zw_basin_options zw_basin_options_default(void) {
    zw_basin_options o;
    zw_basin_options_init(&o, sizeof o, sizeof o.run);
    return o;
}

typedef enum zw_basin_kind {
    ZW_BASIN_REST,
    ZW_BASIN_CYCLE,     /* of `period` looks, or, without drive and section, of the time `time` */
    ZW_BASIN_TORUS,     /* neither does it close, nor do neighbours part */
    ZW_BASIN_CHAOS,     /* neighbours part */
    ZW_BASIN_IRREGULAR, /* it returns and does not close, and more is not known */
    ZW_BASIN_LEAVES,
    ZW_BASIN_STOPS
} zw_basin_kind;

typedef enum zw_basin_trial {
    /* neighbours could not be tried, or have not decided within the time, or go away though the
     * exponent is negative */
    ZW_BASIN_UNTRIED,
    ZW_BASIN_STABLE,  /* starts all around came back */
    ZW_BASIN_UNSTABLE /* some did not, however near */
} zw_basin_trial;

/* Where motions go. */
typedef struct zw_basin_attractor {
    zw_basin_kind kind;
    zw_basin_trial trial;
    int period;          /* looks; 0: none */
    double time;         /* of a period, s; NaN */
    int npoint;          /* of its looks; of a cycle without drive, evenly in its period */
    const double *point; /* npoint x ny */
    double reach;        /* in scales; 0: found by trial to be too small, or untried */
    double exponent, exponent_error; /* the largest, 1/s; NaN where it was not asked for */
    char name[ZW_BASIN_NAME];        /* of a quantity or event by which it leaves or stops */
    int side;                        /* leaves: 1 above, -1 below */
    uint64_t starts;                 /* that go there */
    double share, error;             /* of all, and its standard error */
    /* radius of the largest circle around a point of it without other starts, in ranges of the
     * axes; NaN */
    double circle;
    double compact; /* of the largest circle anywhere in the basin; NaN */
    /* starts anywhere within its reach that all came to it, so that one look within it is enough;
     * 0: it was not tried so */
    int confirmed;
    double exponent_time; /* s, for which it was followed with a disturbance for its exponent */
    /* dimension of the continuum of rests (or cycles) that contains `point`; 0: isolated */
    int continuum;
    const double *low, *high; /* ny: range of each quantity on it; NULL: isolated, or not found */
    uint32_t beyond_low, beyond_high; /* bit i: the range of quantity i extends further */
} zw_basin_attractor;

typedef struct zw_basin_info {
    int ny;
    const char *name[ZW_BASIN_LOOKS], *unit[ZW_BASIN_LOOKS];
    double scale[ZW_BASIN_LOOKS];
    double step; /* s between looks */
    bool driven, section;
    uint64_t starts, computed; /* with refinement fewer are computed than there are */
    uint64_t unresolved, failed;
    uint64_t checked, check_differs;         /* starts followed again */
    uint64_t fine_checked, fine_differs;     /* the same with finer tolerances */
    uint64_t filled_checked, filled_differs; /* of those that refinement has filled in */
    double seconds;
    double rate; /* starts per second */
    int threads, lanes;
    const char *engine;  /* a sentence */
    const char *failure; /* of the first that failed; NULL */
    uint64_t failure_start;
} zw_basin_info;

/* Read, and ready to run. */
ZW_API zw_status zw_basin_create(zw_basin **out, const zw_model_source *source,
                                 const zw_basin_options *options, zw_error *err);
ZW_API void zw_basin_destroy(zw_basin *b);
/* ZW_STOPPED: interrupted; what there is can be reported. */
ZW_API zw_status zw_basin_run(zw_basin *b, zw_error *err);

ZW_API int zw_basin_attractors(const zw_basin *b);
ZW_API const zw_basin_attractor *zw_basin_attractor_at(const zw_basin *b, int i); /* number i + 1 */
/* Of start k: the number (1, 2, ...) of where it goes, 0 unresolved, -1 failed; and after which
 * time, s. */
ZW_API int zw_basin_label(const zw_basin *b, uint64_t k);
ZW_API double zw_basin_time(const zw_basin *b, uint64_t k);
ZW_API void zw_basin_statistics(const zw_basin *b, zw_basin_info *info, size_t size);
/* Adds the warnings to a list. */
ZW_API void zw_basin_warnings(const zw_basin *b, zw_warnings *out);

/* Final state sensitivity: pairs of starts at the distance eps (in ranges of the axes) along a
 * random direction end differently with the probability f(eps) ~ eps^alpha. The boundary has the
 * box dimension D - alpha, D axes. After zw_basin_run. */
typedef struct zw_basin_uncertainty {
    int n;
    double eps[32], f[32]; /* distances, and the part of pairs that differ */
    uint64_t pairs[32];    /* of which both ends are known */
    double alpha, error;   /* by least squares with the errors of counting; NaN: too few differ */
    double dimension;      /* D - alpha */
    double misfit;         /* sum of squares per freedom: about 1 if a power fits */
    /* 1 fractal, 0 smooth, -1 undecided: alpha is below or about 1 by two errors and more */
    int verdict;
} zw_basin_uncertainty;
ZW_API zw_status zw_basin_find_uncertainty(zw_basin *b, uint64_t pairs, double largest,
                                           double smallest, int n, zw_basin_uncertainty *out,
                                           zw_error *err);

/* The result, and the sensitivity of it, into the open object. */
ZW_API void zw_basin_report(const zw_basin *b, zw_report *out);
ZW_API void zw_basin_report_uncertainty(const zw_basin_uncertainty *u, zw_report *out);
/* One row per start that was followed (all of them unless the study was stopped): the axes,
 * `attractor`, `time`; notes "attractor N" and, of two axes, "map". With options.over one row per
 * value and attractor: the parameter, `attractor`, `share`, `error`, `circle`, `compact`, and the
 * point of it. */
ZW_API zw_status zw_basin_table(const zw_basin *b, const zw_model_source *source, zw_table **out,
                                zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
