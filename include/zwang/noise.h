/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/noise. */
/* A model with noise over many of its paths: moments and spectral densities with their standard
 * errors, and how often events end it.
 *
 * Every path is a motion of its own from the start of the model. After a transient it is looked at
 * for the time of measuring. What is told is a mean over the paths of what was measured on each, so
 * that its standard error is the spread over the paths, divided by the root of their number,
 * whatever the correlation in time:
 *
 *   mean, standard deviation, skewness, excess (0 for a normal distribution) of each quantity, over
 *   time and paths;
 *   its one-sided spectral density G(f) per Hz, whose integral over all f > 0 is the variance: from
 *   means over short times (which keeps high
 *   frequencies from being taken for low ones; their factor sinc^2 is divided out), with Hann's
 *   window.
 *
 * Where a distribution is stationary, the first and the second half of the time of measuring agree;
 * if they do not, that is told.
 *
 * If the model has events with `stop`, the share of the paths that they have ended, with the
 * interval of Wilson (1927) at 95 %, and the rate number/(time of all paths together), which is
 * that of an exponential distribution of the times. Paths that were ended have no moments. */
#ifndef ZWANG_NOISE_H
#define ZWANG_NOISE_H

#include <stdint.h>

#include "ensemble.h"
#include "model.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_noise zw_noise;

typedef struct zw_noise_options {
    size_t size; /* of this struct, for the library */
    int nof;     /* columns of `zwang run`; 0: all coordinates, states and velocities */
    const char *const *of;
    /* s; the time is shortened by up to a fifth, so that samples fit the steps of the noise */
    double transient, time;
    uint64_t paths; /* at least 4 */
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

/* Make and compute. ZW_E_MODEL: the model has no noise. ZW_STOPPED: interrupted, *out has the paths
 * up to there if there are four. */
ZW_API zw_status zw_noise_study(zw_noise **out, const zw_model_source *source,
                                const zw_noise_options *options, zw_error *err);
ZW_API void zw_noise_destroy(zw_noise *n);
ZW_API int zw_noise_count(const zw_noise *n); /* of the quantities */
ZW_API zw_noise_moments zw_noise_moments_of(const zw_noise *n, int i);
/* Of the first and the second half, do mean or variance differ by more than four standard
 * errors? */
ZW_API bool zw_noise_is_settled(const zw_noise *n);
/* The step of the noise, and what half of it changed where it was chosen (NaN: not known). */
ZW_API double zw_noise_step(const zw_noise *n, double *error);
ZW_API bool zw_noise_commutes(const zw_noise *n); /* zw_sim_noises_commute at the start */
/* Paths in all, and those that an event (of the system, -1: any) has ended, one that failed; time
 * of all paths together, s. */
ZW_API uint64_t zw_noise_paths(const zw_noise *n);
ZW_API uint64_t zw_noise_ended(const zw_noise *n, int event);
ZW_API uint64_t zw_noise_failed(const zw_noise *n, const char **why);
ZW_API double zw_noise_time(const zw_noise *n);
/* Before measuring and of measuring, as they were used, s. */
ZW_API void zw_noise_times(const zw_noise *n, double *transient, double *time);
ZW_API const zw_system *zw_noise_system(const zw_noise *n);
/* Wilson's interval at 95 % of a share of k in n. */
ZW_API void zw_noise_interval(uint64_t k, uint64_t n, double *low, double *high);

/* New tables, to be destroyed: the moments, one row for each quantity in the order of their
 * columns; the spectral densities: f, G(x), error(G(x)), ... */
ZW_API zw_status zw_noise_moments_table(const zw_noise *n, zw_table **out, zw_error *err);
ZW_API zw_status zw_noise_spectrum_table(const zw_noise *n, zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
