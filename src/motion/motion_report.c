/* SPDX-License-Identifier: MIT */
#include "motion_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE = 10, MEASURE = 9, PHASE = 7, AXIS = 6, MULTIPLIER = 8 }; /* digits */
/* [rad] A smaller angle is reported as no rotation: the 400 steps of fourth order of attitude_turn.c
 * over one turn have an error of about 400 (2 pi/400)^5/720 = 5e-10. */
#define ROTATION_ERROR 1e-9

zw_shown zw_motion_shown(const zw_system *sys, const zw_parameter_range *over, double error) {
    return (zw_shown){.unit = over->unit,
                      .scale = fabs(over->factor),
                      .si_unit = over->parameter >= 0 ? sys->param[over->parameter].unit : NULL,
                      .error = error,
                      .digits = VALUE};
}

static void stability_words(const zw_motion_view *m, char *out, size_t size) {
    if (m->outside < 0)
        snprintf(out, size, "stability not known");
    else if (m->verdict == ZW_FLOQUET_STABLE)
        snprintf(out, size, "stable");
    else if (m->verdict == ZW_FLOQUET_UNSTABLE)
        snprintf(out, size, "unstable, %d multiplier%s outside the unit circle", m->outside,
                 m->outside == 1 ? "" : "s");
    else
        snprintf(out, size, "stability undecided: a multiplier is on the unit circle");
}

void zw_motion_report_stability(zw_report *out, const zw_motion_view *m, const char *words) {
    char own[80];
    stability_words(m, own, sizeof own);
    zw_report_word(out, "stability", words ? words : own);
    zw_report_count(out, "outside", m->outside);
    if (m->verdict == ZW_FLOQUET_UNDECIDED)
        zw_report_word(out, "stable", NULL);
    else
        zw_report_flag(out, "stable", m->verdict == ZW_FLOQUET_STABLE);
}

void zw_motion_report_multipliers(zw_report *out, const zw_motion_view *m) {
    zw_report_complexes(out, "multipliers", m->nmultiplier, m->re, m->im,
                        &(zw_shown){.digits = MULTIPLIER});
    zw_report_number(out, "multiplier_accuracy", m->accuracy, &(zw_shown){.digits = 1});
    zw_report_say(out, "{multipliers?    multipliers {multipliers}, to {multiplier_accuracy}\n}");
}

/* the names stand in the sentences, so that they may have any width in JSON */
static void report_quantity(zw_report *out, const char *name, const char *unit, bool shown,
                            const zw_motion_measure *q) {
    zw_shown value = {.si_unit = unit, .digits = MEASURE, .none = "-"},
             phase = {.si_unit = "rad", .digits = PHASE, .none = "-"};
    char label[80], sentence[200];
    snprintf(label, sizeof label, "%.40s%s%.20s%s", name, unit[0] ? " [" : "", unit,
             unit[0] ? "]" : "");
    snprintf(sentence, sizeof sentence,
             "    %-14s {rms:15} {mean:15} {max:15} {min:15} {first:15} {phase:10}\n", label);
    zw_report_open(out, NULL);
    zw_report_word(out, "name", name);
    zw_report_word(out, "unit", unit);
    zw_report_number(out, "rms", q->rms, &value);
    zw_report_number(out, "mean", q->mean, &value);
    zw_report_number(out, "max", q->max, &value);
    zw_report_number(out, "min", q->min, &value);
    zw_report_number(out, "first", q->first, &value);
    zw_report_number(out, "phase", isnan(q->first) ? (double)NAN : q->phase, &phase);
    if (shown)
        zw_report_say(out, sentence);
    zw_report_close(out);
}

void zw_motion_report_quantities(zw_report *out, const zw_motion_view *m) {
    char heading[200];
    snprintf(heading, sizeof heading, "    %-14s %15s %15s %15s %15s %15s %10s\n", "", "rms",
             "mean", "max", "min", "first harmonic", "phase [rad]");
    zw_report_say(out, heading);
    zw_report_list(out, "quantities");
    for (int i = 0; i < zw_motion_quantities(m->sys); i++) {
        const char *unit, *name = zw_motion_quantity(m->sys, i, &unit);
        bool past = i < m->sys->nq && zw_system_is_past(m->sys, i);
        report_quantity(out, name, unit, !past, &m->measure[i]);
    }
    zw_report_close(out);
}

void zw_motion_report_drift(zw_report *out, const char *name, const char *unit, double drift) {
    if (drift == 0)
        return;
    zw_report_open(out, NULL);
    zw_report_word(out, "name", name);
    zw_report_number(out, "per_period", drift, &(zw_shown){.unit = unit, .digits = MEASURE});
    zw_report_say(out, "    {name} drifts by {per_period} per period; the values below are without "
                       "this drift\n");
    zw_report_close(out);
}

void zw_motion_report_drifts(zw_report *out, const zw_system *s, int n, const double *drift) {
    zw_report_list(out, "drift");
    for (int k = 0; drift && k < n; k++) {
        const char *unit, *name = zw_motion_quantity(s, k, &unit);
        zw_motion_report_drift(out, name, unit, drift[k]);
    }
    zw_report_close(out);
}

void zw_motion_report_unstable(zw_report *out, int n, int unstable, int unknown) {
    zw_report_count(out, "unstable", unstable);
    zw_report_count(out, "unknown_stability", unknown);
    zw_report_say(out, unknown == n && n > 0
                           ? ", stability not known"
                           : ", {unstable} of them unstable{unknown_stability?, stability of "
                             "{unknown_stability} not known}");
}

void zw_motion_report_rotation(zw_report *out, const zw_attitude *a, const double turn[3]) {
    double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]),
           axis[3] = {0, 0, 0};
    bool turned = angle >= ROTATION_ERROR;
    for (int i = 0; turned && i < 3; i++)
        axis[i] = turn[i] / angle;
    zw_report_open(out, NULL);
    zw_report_word(out, "frame", a->name);
    zw_report_vector(out, "rotation", 3, turn, NULL, &(zw_shown){.si_unit = "rad"});
    zw_report_number(out, "angle", angle, &(zw_shown){.unit = "rad", .digits = MEASURE});
    zw_report_vector(out, "axis", turned ? 3 : 0, axis, NULL, &(zw_shown){.digits = AXIS});
    zw_report_flag(out, "own_axes", !a->in_space);
    zw_report_say(out, turned ? "    {frame} comes back rotated by {angle} about ({axis})"
                                "{own_axes? of its own axes}\n"
                              : "    {frame} comes back as it was\n");
    zw_report_close(out);
}
