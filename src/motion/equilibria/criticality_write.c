/* SPDX-License-Identifier: MIT */
/* A Hopf point in one line and as a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "equilibria.h"
#include "zwang/equilibria.h"

#define REACH_SHOWN 2 /* times the range of the cubic terms: a kink further away does not matter */
/* distance from a resonance, of omega: the cubic coefficient has terms of 1 / gap, a hundred times
 * the others */
#define GAP_SMALL 0.01

static const char *type_word(zw_hopf_type kind) {
    switch (kind) {
    case ZW_HOPF_SUPERCRITICAL:
        return "supercritical";
    case ZW_HOPF_SUBCRITICAL:
        return "subcritical";
    case ZW_HOPF_DEGENERATE:
        return "degenerate";
    }
    return "";
}

/* "1/(s rad^2)", and "rad/(s rad^2)" of b. */
static void unit_of(const zw_criticality *c, const char *numerator, char *out, size_t size) {
    bool plain = !strpbrk(c->unit, "*/ ^");
    if (c->unit[0] == '\0')
        snprintf(out, size, "%s/s", numerator);
    else
        snprintf(out, size, plain ? "%s/(s %s^2)" : "%s/(s (%s)^2)", numerator, c->unit);
}

static const char *quantity_of(const zw_criticality *c) {
    return c->quantity[0] ? c->quantity : "the whole state in units of its sizes";
}

static const char *frame_words(const zw_criticality *c) {
    return c->hopf.moving ? " as seen by a comoving observer" : "";
}

void zw_criticality_words(const zw_criticality *c, char *out, size_t size) {
    char a[80], b[80];
    if (c->refused) {
        snprintf(out, size, "Lyapunov coefficient not known: %s", c->reason);
        return;
    }
    unit_of(c, "1", a, sizeof a);
    unit_of(c, "rad", b, sizeof b);
    if (c->hopf.type == ZW_HOPF_DEGENERATE)
        snprintf(out, size,
                 "degenerate: a is zero to accuracy (%.1e), frequency %.10g rad/s + b r^2, b = "
                 "%.10g %s, r the amplitude of %s%s",
                 c->hopf.a_error, c->hopf.omega, c->hopf.b, b, quantity_of(c), frame_words(c));
    else
        snprintf(out, size,
                 "%s: r' = sigma r + a r^3, a = %.10g %s, frequency %.10g rad/s + b r^2, b = "
                 "%.10g %s, r the amplitude of %s%s",
                 type_word(c->hopf.type), c->hopf.a, a, c->hopf.omega, c->hopf.b, b, quantity_of(c),
                 frame_words(c));
    size_t used = strlen(out);
    if (used < size)
        snprintf(out + used, size - used, "%s%s%s", c->levels[0] ? ", at constant " : "", c->levels,
                 c->hopf.growing ? "; cycles are unstable since other eigenvalues grow" : "");
}

/* --------------------------------------------------------------------------------------- report */

static const char *sense_of(const zw_hopf *h) {
    switch (h->type) {
    case ZW_HOPF_SUPERCRITICAL:
        return h->growing ? "cycles where sigma > 0, r = sqrt(-sigma/a), unstable since other "
                            "eigenvalues grow"
                          : "stable cycles near the unstable motion, r = sqrt(-sigma/a)";
    case ZW_HOPF_SUBCRITICAL:
        return h->growing ? "cycles where sigma < 0, r = sqrt(-sigma/a), unstable, and other "
                            "eigenvalues grow"
                          : "unstable cycles around the stable motion, r = sqrt(-sigma/a)";
    default:
        return "terms of higher order decide, or there are cycles of all amplitudes";
    }
}

static void report_normal_form(const zw_criticality *c, zw_report *r) {
    const zw_hopf *h = &c->hopf;
    bool degenerate = h->type == ZW_HOPF_DEGENERATE;
    char a[80], b[80];
    unit_of(c, "1", a, sizeof a);
    unit_of(c, "rad", b, sizeof b);
    zw_report_word(r, "type", type_word(h->type));
    zw_report_word(r, "sense", sense_of(h));
    zw_report_number(r, "sigma", h->sigma, &(zw_shown){.unit = "1/s"});
    zw_report_number(r, "omega", h->omega, &(zw_shown){.unit = "rad/s"});
    zw_report_number(r, "a", h->a, &(zw_shown){.unit = a, .error = h->a_error, .with_error = true});
    zw_report_number(r, "b", h->b, &(zw_shown){.unit = b, .error = h->b_error, .with_error = true});
    zw_report_number(r, "a_bound", degenerate ? h->a_error : NAN,
                     &(zw_shown){.unit = a, .digits = 2});
    zw_report_word(r, "amplitude_of", quantity_of(c));
    zw_report_flag(r, "comoving", h->moving);
    zw_report_say(r, "  Hopf point  +-{omega}: {type}, {sense}\n"
                     "              r' = sigma r + a r^3, frequency omega + b r^2, r the amplitude "
                     "of {amplitude_of}{comoving? as seen by a comoving observer}\n");
    zw_report_say(r, degenerate ? "              a = 0 to accuracy ({a_bound})\n"
                                : "              a = {a}\n");
    zw_report_say(r, "              b = {b}\n");
}

static void report_limits(const zw_criticality *c, zw_report *r) {
    const zw_hopf *h = &c->hopf;
    bool kink = c->reach < REACH_SHOWN * h->holds;
    zw_report_word(r, "unit", c->unit);
    zw_report_word(r, "at_constant", c->levels);
    zw_report_number(r, "condition", h->condition, &(zw_shown){.digits = 2});
    zw_report_count(r, "growing", h->growing);
    zw_report_number(r, "gap", h->gap, &(zw_shown){.digits = 2});
    zw_report_number(r, "valid_to", fmin(h->holds, c->reach),
                     &(zw_shown){.unit = c->unit, .digits = kink ? 3 : 2});
    zw_report_word(r, "kink", kink ? c->met : NULL);
    zw_report_word(r, "kink_passed", c->passed);
    zw_report_say(r, "{at_constant?              at constant {at_constant}\n}");
    if (kink)
        zw_report_say(r, "              up to r = {valid_to}, where the motion meets {kink}\n");
    else
        zw_report_say(r, h->holds > 0 ? "              the cubic terms are accurate to a fifth up "
                                        "to r = {valid_to}\n"
                                      : "              a is too small compared with other terms to "
                                        "be seen in the rates themselves\n");
    zw_report_say(r, "{kink_passed?              not smooth there, but without effect at this "
                     "order: {kink_passed}\n}");
    if (h->gap < GAP_SMALL)
        zw_report_say(r, "              another eigenvalue is near 0 or 2i omega ({gap} omega): "
                         "this is valid for very small r only\n");
}

void zw_criticality_report(const zw_criticality *c, zw_report *out) {
    const zw_hopf *h = &c->hopf;
    zw_report_flag(out, "known", !c->refused);
    zw_report_word(out, "reason", c->refused ? c->reason : NULL);
    if (c->refused) {
        zw_report_say(out, "  Hopf point  its type is not known: {reason}\n");
        return;
    }
    report_normal_form(c, out);
    report_limits(c, out);
    zw_report_complexes(out, "q", h->nx, h->q_re, h->q_im, NULL);
    zw_report_vector(out, "mean", h->nx, h->mean, NULL, NULL);
    zw_report_complexes(out, "second", h->nx, h->second_re, h->second_im, NULL);
}

void zw_criticality_report_line(const zw_criticality *c, const char *lead, zw_report *out) {
    char words[1400];
    zw_criticality_words(c, words, sizeof words);
    zw_report_word(out, "cubic", words);
    zw_report_say(out, lead);
    zw_report_say(out, "{cubic}\n");
    zw_report_open(out, "hopf");
    bool muted = zw_report_mute(out, true);
    zw_criticality_report(c, out);
    zw_report_mute(out, muted);
    zw_report_close(out);
}
