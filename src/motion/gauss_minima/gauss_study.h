/* SPDX-License-Identifier: MIT */
/* The study `response` with --gauss: minima of the Gaussian over a period at one value, along a
 * parameter, over two coefficients. */
#ifndef ZW_MOTION_GAUSS_MINIMA_GAUSS_STUDY_H
#define ZW_MOTION_GAUSS_MINIMA_GAUSS_STUDY_H

#include "zwang/forced.h"
#include "zwang/study.h"

typedef struct zw_gauss_study_options {
    zw_forced_gauss_options own;
    zw_option_list start, bound, sensitivity;
    const char *surface;
    int surface_points, number; /* number: of the minimum for --forces and --surface */
} zw_gauss_study_options;
extern const zw_option zw_gauss_study_table[]; /* for zw_gauss_study_options */

typedef struct zw_gauss_study {
    const zw_gauss_study_options *options;
    const zw_study_input *input;
    bool along; /* over a parameter */
    int n;      /* one for each value of --for */
    zw_forced_gauss *all[ZW_FORCED_VALUES];
    zw_table *rows; /* minima along a parameter; NULL: given away, or there are none */
} zw_gauss_study;

/* Options that do not go together; before anything is done. */
zw_status zw_gauss_study_check(const zw_gauss_study_options *o, const zw_study_input *input,
                               bool along, zw_error *err);
/* Of n studies, one for each value of --for; o->own: without lists. */
zw_status zw_gauss_study_open(zw_gauss_study *s, zw_gauss_study_options *o,
                              const zw_study_input *input, int n, zw_forced *const *f,
                              zw_error *err);
void zw_gauss_study_close(zw_gauss_study *s);
/* Finds the minima, reports *found, and fails if none of them is a motion. */
zw_status zw_gauss_study_work(zw_gauss_study *s, bool *found, zw_error *err);
void zw_gauss_study_report(const zw_gauss_study *s, zw_report *out);
void zw_gauss_study_warnings(const zw_gauss_study *s, zw_warnings *out);
/* which: "out", or "forces". */
zw_status zw_gauss_study_make(zw_gauss_study *s, const char *which, zw_table **out, zw_error *err);

#endif
