/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/sweeps. */
/* What a survey with drawn values says: distributions of its measures, and how much each drawn quantity has to do with
 * them.
 *
 * Distributions. Of the samples of each point of the grid (and each row of a motion: bands over time) mean, standard
 * deviation, standard error of the mean, and quantiles, which interpolate linearly between the sorted values y_1 .. y_n at
 * 1 + (n - 1) q. Motions that failed and measures that have no value are left out and counted.
 *
 * Sobol's indices, of a plan of the design of Saltelli, with f_A, f_B, f_i the measure at A, at B, and at A with entry i of
 * B, V the variance of all f_A and f_B (M. J. W. Jansen, Comput. Phys. Commun. 117 (1999) 35; A. Saltelli et al., ibid.
 * 181 (2010) 259):
 *
 *   S_i = 1 - <(f_B - f_i)^2> / (2 V)     share of the variance that goes with quantity i alone,
 *   T_i =     <(f_A - f_i)^2> / (2 V)     share that would be left if all others were known
 *
 * with standard errors from 200 samples of the samples (bootstrap).
 *
 * Elementary effects, of a plan of the design of Morris: the change of the measure per unit of the distribution (0 to 1)
 * of quantity i, on steps of half of it: mean mu, mean of the absolute value mu*, standard deviation sigma, which is large
 * where the effect is not linear or depends on others (M. D. Morris 1991; F. Campolongo et al., Environ. Model. Softw. 22
 * (2007) 1509). */
#ifndef ZWANG_STATISTICS_H
#define ZWANG_STATISTICS_H

#include "survey.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_statistics zw_statistics;

/* Rows of a survey come in their order (zw_survey_files.row). nquantile 0: 0.05, 0.25, 0.5, 0.75, 0.95. Refused where
 * nothing is drawn. The survey must outlive it. */
ZW_API zw_status zw_statistics_create(zw_statistics **out, const zw_survey *s, int nquantile,
                                      const double *quantile, zw_error *err);
ZW_API void zw_statistics_destroy(zw_statistics *st);
ZW_API void zw_statistics_row(void *statistics, const double *row);
/* Columns: axes that are not drawn, sweep and t if there are such, then for each measure y: mean(y), sd(y), error(y), q05(y),
 * ..., count(y). Belongs to the statistics. */
ZW_API zw_status zw_statistics_table(zw_statistics *st, const zw_table **out, zw_error *err);

typedef struct zw_sensitivity {
    double first, first_error, total, total_error; /* Sobol */
    double mean, absolute, absolute_error, sd;     /* Morris: mu, mu*, sigma */
} zw_sensitivity;

/* y: one value for each point of the plan, NaN where there is none; out: one for each axis. *used: samples or paths without
 * gaps. ZW_E_OPTION: the plan has no such design, too few are left, or nothing varies. */
ZW_API zw_status zw_sensitivity_of(const zw_plan *plan, const double *y, zw_sensitivity *out,
                                   uint64_t *used, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
