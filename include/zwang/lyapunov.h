/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/exponents. */
/* Lyapunov exponents: the mean rates at which small disturbances of a motion grow or decay, on the
 * manifold of the constraints.
 *
 * A disturbance obeys y' = J(t, x(t)) y exactly and stays in the tangent space of the constraints,
 * of dimension n with the ignorable coordinates left out: on these nothing depends, each of them
 * would add an exponent 0. A frame of k disturbances goes along and is made orthonormal at regular
 * times (QR);
 *
 *     lambda_i = lim 1/T sum log r_ii,     i = 1 .. k <= n,     lambda_1 >= lambda_2 >= ...
 *
 * (G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9-20 and 21-30). The
 * limit does not depend on how lengths are measured; they are in units of how far the entries of
 * the motion go to and fro. The time that drives a model is no coordinate: its exponent 0 is not in
 * the list.
 *
 * What is known of them beforehand is used as a check, and reported:
 *   - a motion that neither rests nor is driven has one exponent 0, along itself; one more for
 *     every conserved quantity and every symmetry;
 *   - the sum of all n is the mean of the divergence, tr J on the tangent space;
 *   - of conservative systems with holonomic constraints they come in pairs lambda, -lambda.
 * From them follow the dimension of Kaplan and Yorke, j + (lambda_1 + ... + lambda_j)/|lambda_j+1|
 * with the largest j for which the sum is not negative, and a bound of the metric entropy, the sum
 * of those that are positive.
 *
 * At contacts and events that act, disturbances are multiplied by the saltation matrix
 * (src/motion/segments/event_jump.h). Events may annihilate disturbances, for instance when a slip
 * ends: their exponent is minus infinity.
 *
 * Several motions begin at times of one motion after its transient and are measured over the same
 * time each, in blocks: from these come the errors (src/many/exponents/block_mean.h). Over a time T
 * an exponent smaller than about 6/T cannot be distinguished from 0, since a disturbance that grows
 * as a power of time does so as well. Behind the measured time the motions are followed for a while
 * longer, for returns to a section (or once in a period of the drive) and the 0-1 test. */
#ifndef ZWANG_LYAPUNOV_H
#define ZWANG_LYAPUNOV_H

#include "ensemble.h"
#include "equilibria.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_lyapunov zw_lyapunov;

typedef enum zw_lyapunov_verdict {
    ZW_LYAPUNOV_UNDECIDED,
    ZW_LYAPUNOV_STEADY,
    ZW_LYAPUNOV_PERIODIC,
    ZW_LYAPUNOV_QUASI_PERIODIC,
    ZW_LYAPUNOV_CHAOTIC
} zw_lyapunov_verdict;

typedef enum zw_lyapunov_engine {
    ZW_LYAPUNOV_CHOSEN,
    ZW_LYAPUNOV_ENSEMBLE, /* many motions side by side (ensemble.h) */
    /* eight motions in step by Adams' formulas; those that cannot go so as the ensemble does it */
    ZW_LYAPUNOV_FRAMES,
    /* one after the other by a run, their disturbances by Gauss's collocation between its steps:
     * for stiff motions, for rates that jump, and as a check */
    ZW_LYAPUNOV_ALONE
} zw_lyapunov_engine;

typedef struct zw_lyapunov_options {
    size_t size;   /* of this struct, for the library */
    int exponents; /* how many, the largest first; 0: all */
    int motions;   /* at each point; 0: 8, with over 1 */
    /* s that are left out at the beginning; 0: chosen, 100 times the time scale of the motion,
     * longer while the exponents still change */
    double transient;
    double time; /* s over which each motion is measured; 0: chosen, 1000 times it, with over 300 */
    const char *of; /* the quantity of the 0-1 test, an entry of the state; NULL: chosen */
    int nover;
    const char *over[2]; /* parameters with their ranges: "rho=20:30:101" */
    /* along over[0] a motion begins where the one before has ended its transient; false: each at
     * the start of the model */
    bool carry;
    int threads; /* 0: as many as there are cores */
    zw_lyapunov_engine engine;
    const zw_run_options *run;             /* method and tolerances; NULL: as usual */
    const char *principle;                 /* NULL: "lagrange" */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    /* Treatment of contacts, as in a simulation (zwang/simulate.h): the fields from `contacts` on
     * are used; NULL: defaults. */
    const struct zw_sim_options *contacts;
} zw_lyapunov_options;

/* What was found at one point. Arrays belong to the study. */
typedef struct zw_lyapunov_point {
    double at[2];                   /* values of the parameters that are followed, SI; NaN: none */
    zw_status status;               /* negative: nothing was found here, */
    char why[200];                  /* since this */
    int n, k;                       /* dimension, exponents */
    const double *exponent, *error; /* k: 1/s, standard errors; -INFINITY: annihilated by events */
    double resolution;              /* 1/s: less cannot be distinguished from 0 */
    int motions;                    /* that were measured */
    double independent;             /* of them, as far as they have forgotten that they were one */
    double transient, time;         /* s */
    double scale;                   /* s: time scale of the motion, or the period of the drive */
    double sum, sum_error;          /* of all n; NaN if fewer were asked for */
    double divergence;              /* its mean; NaN likewise */
    double gap, gap_error;          /* sum - divergence, and its standard error */
    double pairs; /* largest |lambda_i + lambda_n+1-i|; NaN if they need not be pairs */
    double dimension,
        dimension_error;           /* of Kaplan and Yorke; NaN if not enough exponents are known */
    double entropy, entropy_error; /* bound of it, 1/s */
    double K;       /* of the 0-1 test, median over the motions; NaN: its values do not change */
    double sampled; /* s between its values; 0: one at each return */
    int samples;
    zw_lyapunov_verdict verdict;
    double confidence;           /* 0 .. 1 that it is this; 0 if undecided */
    double period;               /* s; NaN if there is none */
    int times;                   /* how many periods of the drive, or returns, that is */
    int steady, periodic, other; /* motions that rest, come back, do neither at the end */
    double first, second;        /* largest exponent over the two halves of the time, 1/s */
    char reason[400];            /* of the verdict, in words */
    /* s: of chaos that is not conservative: no motion has left it, so that, if it is a transient,
     * its mean life is longer than this (95 %); else NaN */
    double lasting;
} zw_lyapunov_point;

ZW_API void zw_lyapunov_options_init(zw_lyapunov_options *options, size_t size);
static inline zw_lyapunov_options zw_lyapunov_options_default(void) {
    zw_lyapunov_options o;
    zw_lyapunov_options_init(&o, sizeof o);
    return o;
}

/* A study of a finished system, which with its context must outlive it. source: where the system
 * came from, for the ensemble, which reads it again; NULL: motions are followed one by one, and
 * contacts and events that act are an error. Events that do more than set values of the state are
 * an error that names them; contacts in time steps are an error. */
ZW_API zw_status zw_lyapunov_create(zw_lyapunov **out, const zw_system *sys,
                                    const zw_model_source *source,
                                    const zw_lyapunov_options *options, zw_error *err);
ZW_API void zw_lyapunov_destroy(zw_lyapunov *s);
/* All points. ZW_STOPPED: interrupted; those that are done are reported. */
ZW_API zw_status zw_lyapunov_run(zw_lyapunov *s, zw_error *err);

ZW_API int zw_lyapunov_points(const zw_lyapunov *s);
/* Point i, over[0] first; NULL if it was not reached. */
ZW_API const zw_lyapunov_point *zw_lyapunov_at(const zw_lyapunov *s, int i);
ZW_API const char *zw_lyapunov_word(zw_lyapunov_verdict verdict);
/* Adds the warnings to a list. */
ZW_API void zw_lyapunov_warnings(const zw_lyapunov *s, zw_warnings *out);

/* What was found, into the open object of a report. */
ZW_API void zw_lyapunov_report(const zw_lyapunov *s, zw_report *out);
/* One point: the exponents over the time (t, lambda_i, error_i): how they converge. Several: a row
 * for each. A new table. */
ZW_API zw_status zw_lyapunov_table(const zw_lyapunov *s, const zw_model_source *source,
                                   zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
