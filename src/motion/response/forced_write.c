/* SPDX-License-Identifier: MIT */
/* Forced motions, and curves of them, as a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forced.h"
#include "motion/motion_report.h"
#include "motion/special_error.h"

static const char *event_sentence(const zw_forced *f, zw_bifurcation event) {
    if (f->slow && event == ZW_BIFURCATION_TORUS)
        return "a pair of eigenvalues crosses the imaginary axis: amplitudes begin to oscillate, "
               "the motion becomes quasi-periodic";
    if (f->slow && event == ZW_BIFURCATION_BRANCH)
        return "an eigenvalue passes 0: another curve crosses, or a symmetry breaks";
    return zw_forced_has_tones(f) ? zw_forced_tones_sentence(event)
                                  : zw_motion_event_sentence(event);
}

bool zw_forced_is_special(const zw_forced_motion *m) {
    return zw_motion_is_event(m->event);
}

static zw_motion_view motion_view(const zw_forced *f, const zw_forced_motion *m) {
    return (zw_motion_view){.sys = f->sys,
                            .measure = m->measure,
                            .outside = m->outside,
                            .verdict = m->verdict,
                            .nmultiplier = m->nmultiplier,
                            .re = m->re,
                            .im = m->im,
                            .accuracy = m->accuracy};
}

/* ----------------------------------------------------------------------------------- one motion */

/* Error of the value of a special point: the error of its motion to this power. Chosen by trial,
 * below 2, the exponent of Galerkin's method for smooth forces. */
#define SPECIAL_POINT_EXPONENT 1.6
#define RMS_DIFFERS 0.01 /* relative: difference of two rms values that a picture shows */
#define RANGE_LEAST 1e-9 /* relative to the width of a coordinate: an rms that is rounding */
/* closure error of a periodic motion: the thousandth that its sentence contains */
#define MARCH_CLOSED 1e-3
enum { DIGITS = 8 };                     /* of multipliers and eigenvalues */
enum { SHOWN_RMS = 3, COORDINATES = 3 }; /* coordinates that sentences show */

/* a curve, and the coordinate whose rms is the quantity at its special points */
typedef struct special_source {
    const zw_forced *f;
    int coordinate;
} special_source;

/* Slowly varying amplitudes solve their own equations; their special points are located by
 * eigenvalues of these. */
static zw_special_point special_point(const void *self, int i) {
    const special_source *s = self;
    const zw_forced_motion *m = &s->f->motion[i];
    return (zw_special_point){.value = m->value,
                              .quantity = m->measure[s->coordinate].rms,
                              .event = m->event,
                              .n = s->f->slow ? 0 : m->nmultiplier,
                              .trivial = s->f->options.free ? 2 : s->f->cycles,
                              .re = m->re,
                              .im = m->im,
                              .accuracy = m->nexponent && m->event == ZW_BIFURCATION_BRANCH
                                              ? 0 /* by the singular equations */
                                              : m->accuracy,
                              .nexponent = m->nexponent,
                              .exponent = m->exponent,
                              .error = s->f->slow ? 0 : m->error};
}

/* errors of a special point: of its value, and of the rms of n coordinates */
static void find_errors(const zw_forced *f, int i, int n, double *value, double *rms) {
    const zw_forced_curve *c = &f->curve[f->motion[i].curve];
    /* frequencies of free motions have no range: ten times the unit of their steps */
    double range = f->options.free ? 10 * f->family.unit : fabs(f->over.to - f->over.from);
    for (int k = 0; k < n; k++) {
        special_source s = {f, k};
        zw_special_points p = {special_point, &s, c->first, c->n, range, SPECIAL_POINT_EXPONENT};
        zw_special_error(&p, i, value, &rms[k]);
    }
}

static zw_shown value_shown(const zw_forced *f, double error) {
    return zw_motion_shown(f->sys, &f->over, error);
}

static void report_value(zw_report *out, const zw_forced *f, const char *key, double value) {
    zw_shown shown = value_shown(f, 0);
    zw_report_number(out, key, value, &shown);
}

/* slowly varying amplitudes decide about the stability: their eigenvalues, and the largest
 * multiplier of the motion itself */
static void report_rates(zw_report *out, const zw_forced_motion *m) {
    zw_report_complexes(out, "amplitude_eigenvalues", m->nslow, m->slow_re, m->slow_im,
                        &(zw_shown){.si_unit = "1/s", .digits = DIGITS});
    zw_report_complexes(out, "multipliers", m->nmultiplier, m->re, m->im, NULL);
    zw_report_number(out, "multiplier_accuracy", m->accuracy, NULL);
    zw_report_number(out, "amplitude_multiplier", hypot(m->re[0], m->im[0]),
                     &(zw_shown){.digits = DIGITS});
    zw_report_number(out, "floquet_multiplier", m->floquet, &(zw_shown){.digits = DIGITS});
    zw_report_say(out, "    amplitudes grow as exp(s t), s [1/s] = {amplitude_eigenvalues}\n"
                       "    the largest exp(s P) in a period P is {amplitude_multiplier} in size, "
                       "the largest multiplier of the motion itself {floquet_multiplier}\n");
}

static void report_stability(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_motion_view v = motion_view(f, m);
    char words[100];
    if (zw_forced_has_tones(f)) {
        zw_forced_tones_stability(m, words, sizeof words);
    } else if (m->nslow && m->outside > 0) {
        snprintf(words, sizeof words, "unstable, %d eigenvalue%s right of the imaginary axis",
                 m->outside, m->outside == 1 ? "" : "s");
    } else {
        zw_motion_report_stability(out, &v, NULL);
        return;
    }
    zw_motion_report_stability(out, &v, words);
}

/* free motions: what the family begins with */
static void report_family_of(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    const zw_forced_curve *c = &f->curve[m->curve];
    zw_report_number(out, "energy", m->energy, &(zw_shown){.si_unit = "J"});
    zw_report_count(out, "mode", c->mode + 1);
    zw_report_word(out, "resonance", c->resonance);
    zw_report_word(out, "shape", c->shape);
}

/* cos and sin of every harmonic of every coordinate */
static void report_coefficients(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_report_list(out, "coefficients");
    for (int i = 0; i < f->sys->nq; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", f->sys->coord[i].name);
        zw_report_vector(out, "values", m->ncoefficient, m->x + i * m->ncoefficient, NULL, NULL);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* coordinates that a motion found by shooting, or its reduction, does not return to their start */
static void report_drifts(zw_report *out, const zw_forced *f, int number) {
    const zw_forced_motion *m = &f->motion[number];
    zw_report_list(out, "drift");
    for (int k = 0; m->drift && k < f->sys->nq; k++)
        zw_motion_report_drift(out, f->sys->coord[k].name, f->sys->coord[k].unit, m->drift[k]);
    zw_forced_report_drifts(out, f, number, 1);
    zw_report_close(out);
}

static void report_rotations(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    if (!f->nattitude || !m->turned)
        return;
    zw_report_list(out, "rotations");
    for (int i = 0; i < f->nattitude; i++)
        zw_motion_report_rotation(out, &f->attitude[i], m->turned + 3 * (size_t)i);
    zw_report_close(out);
}

/* how it was found, and how accurate it is */
static void report_method(zw_report *out, const zw_forced *f, const zw_forced_motion *m,
                          int image) {
    zw_report_count(out, "order", f->options.order);
    zw_report_count(out, "harmonics", m->harmonics);
    zw_report_flag(out, "odd", f->options.odd);
    zw_report_flag(out, "shooting", m->state != NULL);
    zw_report_number(out, "closure_error", m->state ? m->residual : (double)NAN,
                     &(zw_shown){.digits = 2});
    zw_report_word(out, "events", m->events);
    zw_report_count(out, "rate_jumps", m->jumps);
    zw_report_number(out, "error", m->error, &(zw_shown){.digits = 2});
    zw_report_flag(out, "has_image", image >= 0);
    if (image >= 0)
        zw_report_count(out, "mirror_image_of", image);
}

static void say_motion(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_report_say(out, "  {number}: {stability}");
    if (f->has_over && !isnan(m->value))
        zw_report_say(out, ", at {over} = {value}");
    if (zw_forced_has_tones(f))
        zw_forced_tones_say(out, f, m);
    else
        zw_report_say(out, m->state ? "; period {period}, by shooting, closure error "
                                      "{closure_error}"
                                    : "; period {period}, harmonics up to {harmonics}");
    zw_report_say(out, "{events?, events: {events}}{rate_jumps?, {rate_jumps|jump|jumps} of the "
                       "rates}{error?, error about {error}}{has_image?; the mirror image of "
                       "{mirror_image_of}}\n");
}

/* number: as it is shown; image: the number of the motion that it is the mirror image of, or -1 */
static void report_motion(zw_report *out, const zw_forced *f, int i, int number, int curve,
                          int image) {
    const zw_forced_motion *m = &f->motion[i];
    zw_motion_view v = motion_view(f, m);
    zw_report_open(out, NULL);
    zw_report_count(out, "number", number);
    if (f->has_over)
        report_value(out, f, "value", m->value);
    zw_report_number(out, "period", zw_forced_has_tones(f) ? (double)NAN : 2 * M_PI / m->w,
                     &(zw_shown){.unit = "s"});
    zw_report_number(out, "omega", m->w, &(zw_shown){.si_unit = "rad/s"});
    if (f->options.free)
        report_family_of(out, f, m);
    report_method(out, f, m, image);
    if (m->march)
        zw_report_count(out, "march", m->march);
    zw_report_count(out, "curve", curve);
    zw_report_word(out, "bifurcation",
                   zw_forced_is_special(m) ? zw_motion_event_word(m->event) : NULL);
    report_stability(out, f, m);
    say_motion(out, f, m);
    if (zw_forced_has_tones(f))
        zw_forced_tones_report(out, f, m);
    else if (m->nslow)
        report_rates(out, m);
    else
        zw_motion_report_multipliers(out, &v);
    report_drifts(out, f, i);
    report_rotations(out, f, m);
    zw_motion_report_quantities(out, &v);
    report_coefficients(out, f, m);
    zw_report_close(out);
}

void zw_forced_report_motion(const zw_forced *f, int number, zw_report *out) {
    report_motion(out, f, number, number, f->motion[number].curve, -1);
}

/* --------------------------------------------------------------------------------------- curves */

/* Does a coordinate differ between two motions by more than a part of the larger? */
static bool is_different(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    for (int k = 0; k < f->sys->nq; k++) {
        double u = a->measure[k].rms, v = b->measure[k].rms;
        if (fabs(u - v) > RMS_DIFFERS * fmax(u, v) && fmax(u, v) > RANGE_LEAST * f->width[k])
            return true;
    }
    return false;
}

/* the ends of a family of free motions, and what it begins with */
static void report_family(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    static const char *const say[] = {" energy {energy}, frequency {value}",
                                      " to energy {energy}, frequency {value}"};
    zw_report_list(out, "ends");
    for (int k = 0; k < 2; k++) {
        const zw_forced_motion *m = &f->motion[k ? c->first + c->n - 1 : c->first];
        zw_report_open(out, NULL);
        zw_report_number(out, "energy", m->energy, &(zw_shown){.si_unit = "J", .digits = 9});
        report_value(out, f, "value", m->value);
        zw_report_say(out, say[k]);
        zw_report_list(out, "largest");
        for (int i = 0; i < f->sys->nq && i < COORDINATES; i++) {
            zw_report_open(out, NULL);
            zw_report_word(out, "name", f->sys->coord[i].name);
            zw_report_number(out, "max", m->measure[i].max,
                             &(zw_shown){.si_unit = f->sys->coord[i].unit, .digits = 9});
            zw_report_say(out, ", max({name}) = {max}");
            zw_report_close(out);
        }
        zw_report_close(out);
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_count(out, "mode", c->mode + 1);
    report_value(out, f, "mode_frequency", f->family.frequency[c->mode]);
    zw_report_word(out, "resonance", c->resonance);
    zw_report_word(out, "shape", c->shape);
    zw_report_say(out, "\n    {resonance?{resonance}}{resonance!mode {mode}}, {mode_frequency}"
                       "{shape?, {shape}} when small; frequencies");
}

/* an interval in which a march down differs from the one up */
static void report_difference(zw_report *out, const zw_forced *f, double from, double to) {
    zw_report_open(out, NULL);
    report_value(out, f, "from", from);
    report_value(out, f, "to", to);
    zw_report_say(out, "    differs from the way up from {over} = {from} to {to}\n");
    zw_report_close(out);
}

/* the motions of the way up come before, in reverse order */
static void report_differences(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    zw_report_list(out, "differences");
    for (int i = 0; i < c->n; i++) {
        const zw_forced_motion *up = &f->motion[c[-1].first],
                               *down = &f->motion[c->first + c->n - 1];
        if (!is_different(f, up + i, down - i))
            continue;
        int k = i;
        while (k + 1 < c->n && is_different(f, up + k + 1, down - k - 1))
            k++;
        report_difference(out, f, up[i].value, up[k].value);
        i = k;
    }
    zw_report_close(out);
}

/* a march by integration */
static void report_march(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    int open = 0;
    for (int i = c->first; i < c->first + c->n; i++)
        open += !(f->motion[i].error < MARCH_CLOSED);
    zw_report_word(out, "march", c->march > 0 ? "up" : "down");
    zw_report_count(out, "not_periodic", open);
    zw_report_count(out, "settle", f->options.settle);
    zw_report_say(out, "  {march} by integration: {point_count|value|values}{not_periodic?; "
                       "{not_periodic} not periodic after {settle|period|periods}, to a "
                       "thousandth}\n");
    if (c->march < 0 && c > f->curve && c[-1].march > 0 && c[-1].n == c->n)
        report_differences(out, f, c);
}

/* the point at which a curve branches off */
static void report_origin(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    report_value(out, f, "origin", f->motion[c->from - 1].value);
    zw_report_word(out, "origin_kind", f->doubled ? "period doubling" : "branch point");
    zw_report_flag(out, "image_left_out", c->imaged);
    zw_report_say(out, "    branches off at {over} = {origin}, a {origin_kind}\n"
                       "{image_left_out?    its mirror image branches off there, too, and is not "
                       "listed\n}");
}

/* a family whose period grows without bound: its last motion */
static void report_runaway(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    const zw_forced_motion *m = &f->motion[c->first + c->n - 1];
    zw_report_open(out, "last");
    zw_report_number(out, "period", 2 * M_PI / m->w, &(zw_shown){.unit = "s", .digits = 6});
    zw_report_number(out, "energy", m->energy, &(zw_shown){.si_unit = "J", .digits = 9});
    zw_report_count(out, "harmonics", c->runaway);
    zw_report_say(out, "    ends at the period {period}, energy {energy}: beyond it {harmonics} "
                       "harmonics are too few, as near a homoclinic orbit, whose period is "
                       "infinite\n");
    zw_report_close(out);
}

static const char *end_words(const zw_forced *f, int index, zw_cont_end end) {
    if (end != ZW_CONT_ASKED)
        return zw_motion_end_words(end);
    return f->stopped && index == f->ncurve - 1 ? "the point where it was stopped"
                                                : "another curve";
}

/* how the sides of a curve end; nothing of bounds of the range */
static void report_end(zw_report *out, const zw_forced *f, int index, int side) {
    const zw_forced_curve *c = &f->curve[index];
    if (c->shrinks[side] || c->halves[side]) {
        zw_report_open(out, NULL);
        zw_report_word(out, "kind", c->shrinks[side] ? "Hopf point" : "period doubling");
        report_value(out, f, "value", c->born[side]);
        zw_report_say(out, c->shrinks[side]
                               ? "    shrinks to rest at {over} = {value}, a Hopf point\n"
                               : "    ends at {over} = {value}, at a period doubling of cycles of "
                                 "half the period\n");
        zw_report_close(out);
    }
    if (c->vertical || c->runaway || c->info[side].end == ZW_CONT_AT_BOUND || !c->info[side].points)
        return;
    zw_report_open(out, NULL);
    zw_report_word(out, "kind", end_words(f, index, c->info[side].end));
    zw_report_say(out, "    ends at {kind}\n");
    zw_report_close(out);
}

/* the rms of the first coordinates there, with their errors */
static void report_special_rms(zw_report *out, const zw_forced *f, const zw_forced_motion *m, int n,
                               const double *error) {
    zw_report_list(out, "rms");
    for (int k = 0; k < n; k++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", f->sys->coord[k].name);
        zw_report_number(
            out, "rms", m->measure[k].rms,
            &(zw_shown){.unit = f->sys->coord[k].unit, .error = error[k], .digits = 6});
        zw_report_say(out, " rms({name}) = {rms}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_special_point(zw_report *out, const zw_forced *f, int i) {
    const zw_forced_motion *m = &f->motion[i];
    double error, rms_error[SHOWN_RMS];
    int n = f->sys->nq < SHOWN_RMS ? f->sys->nq : SHOWN_RMS;
    find_errors(f, i, n, &error, rms_error);
    zw_shown value = value_shown(f, error);
    zw_report_open(out, NULL);
    zw_report_word(out, "kind", zw_motion_event_word(m->event));
    zw_report_number(out, "value", error > 0 && fabs(m->value) <= error ? 0 : m->value, &value);
    zw_report_word(out, "meaning", event_sentence(f, m->event));
    zw_report_say(out, "    {value}  {meaning};");
    report_special_rms(out, f, m, n, rms_error);
    zw_report_say(out, "\n");
    zw_report_close(out);
}

/* the range of a curve, its stability, and how it was found */
static void report_extent(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    int unstable = 0, unknown = 0, top = 0;
    double low = INFINITY, high = -INFINITY;
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
        unknown += m->verdict == ZW_FLOQUET_UNDECIDED && m->nmultiplier == 0 && m->nexponent == 0;
        low = fmin(low, m->value);
        high = fmax(high, m->value);
        top = m->harmonics > top ? m->harmonics : top;
    }
    bool shooting = f->motion[c->first].state != NULL;
    zw_report_say(out, "  curve {curve}: {point_count|point|points} from");
    if (f->options.free)
        report_family(out, f, c);
    report_value(out, f, "low", low);
    report_value(out, f, "high", high);
    zw_report_say(out, " {low} to {high}");
    zw_motion_report_unstable(out, c->n, unstable, unknown);
    zw_report_flag(out, "shooting", shooting);
    zw_report_count(out, "harmonics", top);
    zw_report_say(out, shooting                 ? ", by shooting through kinks\n"
                       : zw_forced_has_tones(f) ? ", combinations up to {harmonics}\n"
                                                : ", harmonics up to {harmonics}\n");
}

static void report_curve(zw_report *out, const zw_forced *f, int index, int number) {
    const zw_forced_curve *c = &f->curve[index];
    zw_report_open(out, NULL);
    zw_report_count(out, "curve", number);
    zw_report_count(out, "point_count", c->n);
    if (c->march) {
        report_march(out, f, c);
        zw_report_close(out);
        return;
    }
    report_extent(out, f, c);
    zw_report_list(out, "drift");
    zw_forced_report_drifts(out, f, c->first, c->n);
    zw_report_close(out);
    if (c->from)
        report_origin(out, f, c);
    zw_report_flag(out, "vertical", c->vertical);
    zw_report_say(out, "{vertical?    a family at this one value of {over}: the size of its "
                       "motions is not determined, as in linear equations\n}");
    if (c->runaway)
        report_runaway(out, f, c);
    zw_report_list(out, "curve_ends");
    for (int side = 0; side < 2; side++)
        report_end(out, f, index, side);
    zw_report_close(out);
    zw_report_list(out, "special_points");
    for (int i = c->first; i < c->first + c->n; i++)
        if (zw_forced_is_special(&f->motion[i]))
            report_special_point(out, f, i);
    zw_report_close(out);
    zw_report_close(out);
}

/* ------------------------------------------------------------------- curves in two parameters */

static void report_pair(zw_report *out, const zw_forced *f, const zw_forced_mark *m) {
    zw_shown second = zw_motion_shown(f->sys, &f->second, 0);
    report_value(out, f, "value", m->value);
    zw_report_number(out, "second_value", m->second, &second);
}

static const char *curves_of(zw_bifurcation kind) {
    switch (kind) {
    case ZW_BIFURCATION_FOLD:
        return "folds";
    case ZW_BIFURCATION_BRANCH:
        return "branch points";
    case ZW_BIFURCATION_FLIP:
        return "period doublings";
    case ZW_BIFURCATION_TORUS:
        return "Neimark-Sacker points";
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
    case ZW_BIFURCATION_GRAZE:
        break;
    }
    return "";
}

/* the ends and the cusps of a curve of special points */
static void report_special_ends(zw_report *out, const zw_forced *f, const zw_forced_curve *c) {
    const int end[2] = {c->first, c->first + c->n - 1};
    zw_report_list(out, "ends");
    for (int k = 0; k < 2; k++) {
        zw_report_open(out, NULL);
        report_pair(out, f, &f->special[end[k]]);
        zw_report_say(out, k == 0 ? "{over} = {value}, {second_parameter} = {second_value} to "
                                  : "{over} = {value}, {second_parameter} = {second_value}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_list(out, "cusps");
    for (int i = c->first; i < c->first + c->n; i++)
        if (f->special[i].cusp) {
            zw_report_open(out, NULL);
            report_pair(out, f, &f->special[i]);
            zw_report_say(out, "    cusp, two folds meet: {over} = {value}, {second_parameter} = "
                               "{second_value}\n");
            zw_report_close(out);
        }
    zw_report_close(out);
}

static void report_special_curve(zw_report *out, const zw_forced *f, int index) {
    const zw_forced_curve *c = &f->special_curve[index];
    zw_report_open(out, NULL);
    zw_report_word(out, "kind", curves_of(f->special[c->first].event));
    zw_report_count(out, "point_count", c->n);
    zw_report_say(out, "  {kind} over {over} and {second_parameter}: {point_count|point|points} "
                       "from ");
    report_special_ends(out, f, c);
    zw_report_list(out, "points");
    for (int i = c->first; i < c->first + c->n; i++) {
        zw_report_open(out, NULL);
        report_pair(out, f, &f->special[i]);
        zw_report_flag(out, "cusp", f->special[i].cusp);
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_close(out);
}

static void report_special_curves(zw_report *out, const zw_forced *f) {
    if (!f->second.name[0])
        return;
    zw_report_word(out, "second_parameter", f->second.name);
    zw_report_list(out, "special_curves");
    for (int i = 0; i < f->nspecial_curve; i++)
        report_special_curve(out, f, i);
    zw_report_close(out);
    zw_report_count(out, "special_curve_count", f->nspecial_curve);
    zw_report_say(out, "{special_curve_count!  no special points could be followed over "
                       "{second_parameter}\n}");
}

/* ------------------------------------------------------------------------------------ the study */

static void say_heading(zw_report *out, const zw_forced *f) {
    zw_report_count(out, "order", f->options.order);
    zw_report_say(out, "{model}");
    if (f->options.with)
        zw_report_say(out, ", {for} = {for_value}");
    if (f->options.free)
        zw_report_say(out, ": families of free motions\n");
    else if (f->options.order > 1)
        zw_report_say(out, f->cycles ? ": cycles of {order} rounds over {over}\n"
                                     : ": motions of {order} periods of the excitation over "
                                       "{over}\n");
    else
        zw_report_say(out, f->cycles                ? ": cycles over {over}\n"
                           : zw_forced_has_tones(f) ? ": quasi-periodic motions over {over}\n"
                                                    : ": forced motions over {over}\n");
    if (f->options.halved)
        zw_forced_tones_report_half(out, f);
}

static void report_not_followed(zw_report *out, const zw_forced *f) {
    zw_report_count(out, "crossings_not_followed", f->crossings);
    zw_report_count(out, "symmetry_breakings_not_followed", f->hidden);
    zw_report_count(out, "doublings_not_followed", f->halves);
    zw_report_say(
        out,
        "{crossings_not_followed?  {crossings_not_followed|branch point is|branch points are} not "
        "followed: --odd follows those where a symmetry breaks\n}"
        "{symmetry_breakings_not_followed?  {symmetry_breakings_not_followed|branch point "
        "is|branch "
        "points are} not followed: a symmetry breaks there, and --odd keeps it; --switch follows "
        "them without --odd\n}"
        "{doublings_not_followed?  {doublings_not_followed|period doubling is|period doublings "
        "are} not followed: of quarters of frequencies, or no curve was found\n}");
}

/* the curves of a study, then those of its studies of doubled period; *number counts all */
static void report_curves(zw_report *out, const zw_forced *f, int *number) {
    say_heading(out, f);
    zw_forced_report_reduction(out, f);
    zw_kept_report(out, &f->kept);
    zw_report_list(out, "curves");
    for (int i = 0; i < f->ncurve; i++)
        report_curve(out, f, i, (*number)++);
    zw_report_close(out);
    report_special_curves(out, f);
    report_not_followed(out, f);
    if (!f->nchild)
        return;
    zw_report_list(out, "doubled");
    for (int i = 0; i < f->nchild; i++) {
        zw_report_open(out, NULL);
        report_curves(out, f->child[i], number);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* the motions on the curves of a study and its children */
static void list_motions(zw_report *out, const zw_forced *f, int *curves, int *number) {
    for (int i = 0; i < f->nmotion; i++)
        if (f->motion[i].curve >= 0)
            report_motion(out, f, i, (*number)++, *curves + f->motion[i].curve, -1);
    *curves += f->ncurve;
    for (int i = 0; i < f->nchild; i++)
        list_motions(out, f->child[i], curves, number);
}

static void report_motions(zw_report *out, const zw_forced *f) {
    zw_report_count(out, "motion_count", f->nmotion);
    zw_report_say(out, zw_forced_has_tones(f)
                           ? "{model}: {motion_count|quasi-periodic motion|quasi-periodic "
                             "motions}\n"
                           : "{model}: {motion_count|periodic motion|periodic motions}\n");
    zw_forced_report_reduction(out, f);
    zw_kept_report(out, &f->kept);
    zw_report_list(out, "motions");
    for (int i = 0; i < f->nmotion; i++)
        report_motion(out, f, i, i, f->motion[i].curve, zw_forced_image_of(f, i));
    zw_report_close(out);
}

void zw_forced_report(const zw_forced *f, zw_report *out) {
    int curves = 0, counted = 0, number = 0;
    if (f->has_over)
        zw_report_word(out, "over", f->over.name);
    if (f->options.with) {
        zw_shown with = zw_motion_shown(f->sys, &f->options.with->of, 0);
        zw_report_word(out, "for", f->options.with->of.name);
        zw_report_number(out, "for_value", f->options.with->value[f->options.member], &with);
    }
    if (!f->ncurve) {
        report_motions(out, f);
        return;
    }
    report_curves(out, f, &curves);
    zw_report_list(out, "motions");
    zw_report_mute(out, true);
    list_motions(out, f, &counted, &number);
    zw_report_mute(out, false);
    zw_report_close(out);
}

void zw_forced_report_of(int n, zw_forced *const *f, zw_report *out) {
    if (n == 1) {
        zw_forced_report(f[0], out);
        return;
    }
    zw_report_list(out, "studies");
    for (int i = 0; i < n; i++) {
        zw_report_open(out, NULL);
        zw_forced_report(f[i], out);
        zw_report_close(out);
    }
    zw_report_close(out);
}
