/* SPDX-License-Identifier: MIT */
/* What the commands report of a periodic motion, however it was found: stability, multipliers and
 * quantities, as text, as JSON and in tables. */
#ifndef ZW_MOTION_MOTION_WORDS_H
#define ZW_MOTION_MOTION_WORDS_H

#include "zwang/equilibria.h"
#include "zwang/forced.h"
#include "zwang/simulate.h"

typedef struct zw_motion_view {
    const zw_system *sys; /* quantities: coordinates, then observables */
    const zw_motion_measure *measure;
    int outside; /* multipliers outside of the unit circle; -1 if unknown */
    zw_floquet_verdict verdict;
    int nmultiplier;
    const double *re, *im;
    double accuracy;
} zw_motion_view;

enum { ZW_MOTION_MEASURES = 6 };

int zw_motion_quantities(const zw_system *sys);
const char *zw_motion_quantity(const zw_system *sys, int i, const char **unit);

/* The kind of a special point, and a sentence about it; "" for other points. */
const char *zw_motion_event_word(zw_bifurcation event);
const char *zw_motion_event_sentence(zw_bifurcation event);
bool zw_motion_is_event(zw_bifurcation event);
const char *zw_motion_end_words(zw_cont_end end);
/* Columns rms(x), mean(x), ... of all quantities, and their values in a row; the second returns
 * their number. */
zw_status zw_motion_measure_columns(const zw_system *sys, zw_table *t);
int zw_motion_fill_measures(const zw_system *sys, const zw_motion_measure *measure, double *row);
/* multiplier, outside, stable */
zw_status zw_motion_stability_columns(zw_table *t);
int zw_motion_fill_stability(const zw_motion_view *m, double *row);
/* re(1), im(1), ...: n multipliers; NaN after the last one of a motion. */
zw_status zw_motion_multiplier_columns(zw_table *t, int n);
int zw_motion_fill_multipliers(const zw_motion_view *m, int n, double *row);
/* A row of NaN, which separates the line before it from the one after it. row: one row,
 * overwritten. */
zw_status zw_motion_fill_nothing(zw_table *t, double *row);
/* A note of the table: the last row is a special point. label: its name, NULL if it has none. */
zw_status zw_motion_mark(zw_table *t, int number, zw_bifurcation event, double value,
                         const char *label);
/* Closure error of a run: the distance between its end and its beginning, relative to the range of
 * each coordinate. turn (nq): turns by which coordinates differ there, NaN of one that drifts;
 * NULL: none. sign (nq): -1 of coordinates that come back with the opposite sign; NULL: none. */
double zw_motion_gap(const zw_system *sys, const zw_table *rows, const double *turn,
                     const double *sign);
/* Integrates one period from a state; returns this number of rows, and the closure error (gap;
 * NULL: not needed) as above. Only starts of entries of the state count (all but attitudes that the
 * equations do not depend on); other conditions of the model on the start are ignored. */
zw_status zw_motion_run(const zw_system *sys, const zw_model_source *source,
                        const zw_sim_numbers *numbers, double period, int rows, const double *turn,
                        const double *sign, zw_table **out, double *gap, zw_error *err);

#endif
