/* SPDX-License-Identifier: MIT */
/* What studies report of a periodic motion, however it was found: stability, multipliers, measures
 * of its quantities, drifts, and values of the parameter that is followed. */
#ifndef ZW_MOTION_MOTION_REPORT_H
#define ZW_MOTION_MOTION_REPORT_H

#include "motion/attitude_turn.h"
#include "motion/motion_words.h"
#include "zwang/report.h"

/* "stability": these words, NULL: those of multipliers; "outside"; "stable": null if unknown. */
void zw_motion_report_stability(zw_report *out, const zw_motion_view *m, const char *words);
/* "multipliers" and "multiplier_accuracy", and a line of them. */
void zw_motion_report_multipliers(zw_report *out, const zw_motion_view *m);
/* "quantities": rms, mean, max, min, first harmonic and phase of each, and a table of them. */
void zw_motion_report_quantities(zw_report *out, const zw_motion_view *m);
/* Items of an open list "drift": the change of a quantity per period, if it is not 0. */
void zw_motion_report_drift(zw_report *out, const char *name, const char *unit, double drift);
/* The drifts of all quantities (n; NULL: none) as such a list. */
void zw_motion_report_drifts(zw_report *out, const zw_system *s, int n, const double *drift);
/* ", 3 of them unstable" of "point_count" motions, as "unstable" and "unknown_stability" */
void zw_motion_report_unstable(zw_report *out, int n, int unstable, int unknown);
/* An item of an open list: "frame", its "rotation" vector over a period, "angle" and "axis". */
void zw_motion_report_rotation(zw_report *out, const zw_attitude *a, const double turn[3]);
/* How values of a parameter are shown: in the unit in which its range was given. error: 0 if
 * unknown. */
zw_shown zw_motion_shown(const zw_system *sys, const zw_parameter_range *over, double error);

#endif
