/* SPDX-License-Identifier: MIT */
/* What is said of a periodic motion, however it was found: stability, multipliers and quantities,
 * for people, as JSON and in tables. */
#ifndef ZW_MOTION_MOTION_WORDS_H
#define ZW_MOTION_MOTION_WORDS_H

#include "base/text.h"
#include "zwang/equilibria.h"
#include "zwang/forced.h"
#include "zwang/simulate.h"

typedef struct zw_motion_view {
    const zw_system *sys; /* quantities: coordinates, then observables */
    const zw_motion_measure *measure;
    int outside; /* -1: stability is not known */
    zw_floquet_verdict verdict;
    int nmultiplier;
    const double *re, *im;
    double accuracy;
} zw_motion_view;

enum { ZW_MOTION_MEASURES = 6 };

int zw_motion_quantities(const zw_system *sys);
const char *zw_motion_quantity(const zw_system *sys, int i, const char **unit);

/* "stable", "unstable, 1 multiplier outside of the unit circle", ... */
void zw_motion_put_stability(zw_text *out, const zw_motion_view *m);
/* ", 3 of them unstable" of n motions; the stability of `unknown` of them is not known, as their
 * multipliers were not found */
void zw_motion_put_unstable(zw_text *out, int n, int unstable, int unknown);
/* a line of multipliers, and a table of quantities, with an indent of four */
void zw_motion_put_multipliers(zw_text *out, const zw_motion_view *m);
void zw_motion_put_quantities(zw_text *out, const zw_motion_view *m);
/* What does not come back, a line for each such quantity (drift: of all quantities, or NULL); and
 * of quantity k along a branch. */
void zw_motion_put_drift(zw_text *out, const zw_system *s, const double *drift);
void zw_motion_put_drifts(zw_text *out, const zw_system *s, int k, double low, double high);
/* "outside": ..., "quantities": [...] */
void zw_motion_json(zw_text *out, const zw_motion_view *m);
void zw_motion_json_number(zw_text *out, const char *key, double value);

/* The kind of a mark, and a sentence about it; "" for points that are none. */
const char *zw_motion_event_word(zw_bifurcation event);
const char *zw_motion_event_sentence(zw_bifurcation event);
bool zw_motion_is_event(zw_bifurcation event);
const char *zw_motion_end_words(zw_cont_end end);
/* " is born at the period doubling 3.8 [unit] of branch 2, with its mirror image", " ends on branch
 * 1": lines of a branch that leaves another one, parent, and ends on one, meets; -1: none */
void zw_motion_put_origin(zw_text *out, const zw_parameter_range *over, int parent,
                          zw_bifurcation origin, double value, bool mirrored, int meets);
/* "1.5 N" */
void zw_motion_put_value(zw_text *out, const zw_parameter_range *over, double value);
/* The same with the accurate digits; 0 if the error does not distinguish it from zero. */
void zw_motion_put_known(zw_text *out, const zw_parameter_range *over, double value, double error);

/* Columns rms(x), mean(x), ... of all quantities, and their values in a row, as many as there
 * are. */
zw_status zw_motion_measure_columns(const zw_system *sys, zw_table *t);
int zw_motion_fill_measures(const zw_system *sys, const zw_motion_measure *measure, double *row);
/* multiplier, outside, stable */
zw_status zw_motion_stability_columns(zw_table *t);
int zw_motion_fill_stability(const zw_motion_view *m, double *row);
/* re(1), im(1), ...: so many multipliers, NaN behind the last one of a motion. */
zw_status zw_motion_multiplier_columns(zw_table *t, int n);
int zw_motion_fill_multipliers(const zw_motion_view *m, int n, double *row);
/* A row of nothing: lines do not go from what is before it to what is behind it. row: room. */
zw_status zw_motion_fill_nothing(zw_table *t, double *row);
/* A note of the table: the last row is where something happens. label: its name there, NULL if it
 * has none. */
zw_status zw_motion_mark(zw_table *t, int number, zw_bifurcation event, double value,
                         const char *label);
/* How far a run misses its beginning, of how far its coordinates go. turn (nq): by how many turns
 * they come back otherwise, NaN of one that drifts; NULL: by none. sign (nq): -1 of what comes back
 * with the other sign; NULL: nothing does. */
double zw_motion_gap(const zw_system *sys, const zw_table *rows, const double *turn,
                     const double *sign);
/* One period from a state, integrated: so many rows, and its gap (NULL: not asked for) as above.
 * start: entries of the state, all but attitudes on which nothing depends; what the model says of
 * the start in other ways does not count. */
zw_status zw_motion_run(const zw_system *sys, const zw_model_source *source,
                        const zw_sim_numbers *numbers, double period, int rows, const double *turn,
                        const double *sign, zw_table **out, double *gap, zw_error *err);

#endif
