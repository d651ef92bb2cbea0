/* SPDX-License-Identifier: MIT */
/* A Hopf point as text and as JSON. */
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

static const char *const type_word[] = {"supercritical", "subcritical", "degenerate"};

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
    return c->hopf.moving ? " as seen by who moves along" : "";
}

void zw_criticality_words(const zw_criticality *c, char *out, size_t size) {
    char a[80], b[80];
    if (c->refused) {
        snprintf(out, size, "Lyapunov coefficient not told: %s", c->reason);
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
                 type_word[c->hopf.type], c->hopf.a, a, c->hopf.omega, c->hopf.b, b, quantity_of(c),
                 frame_words(c));
    size_t used = strlen(out);
    if (used < size)
        snprintf(out + used, size - used, "%s%s%s", c->levels[0] ? ", at constant " : "", c->levels,
                 c->hopf.growing ? "; cycles are unstable since other eigenvalues grow" : "");
}

/* ----------------------------------------------------------------------------------------- text */

static const char *sense_of(const zw_hopf *h) {
    switch (h->type) {
    case ZW_HOPF_SUPERCRITICAL:
        if (h->growing)
            return "cycles where sigma > 0, r = sqrt(-sigma/a), unstable since others grow";
        return "stable cycles beside the unstable motion, r = sqrt(-sigma/a)";
    case ZW_HOPF_SUBCRITICAL:
        if (h->growing)
            return "cycles where sigma < 0, r = sqrt(-sigma/a), unstable, and others grow";
        return "unstable cycles about the stable motion, r = sqrt(-sigma/a)";
    default:
        return "terms of higher order decide, or all amplitudes go on for ever";
    }
}

static void put_normal_form(zw_text *out, const zw_criticality *c) {
    const zw_hopf *h = &c->hopf;
    char a[80], b[80];
    unit_of(c, "1", a, sizeof a);
    unit_of(c, "rad", b, sizeof b);
    zw_text_printf(out, "  Hopf point  +-%.10gi: %s, %s\n", h->omega, type_word[h->type],
                   sense_of(h));
    zw_text_printf(
        out,
        "              r' = sigma r + a r^3, frequency omega + b r^2, r the amplitude of %s%s\n",
        quantity_of(c), frame_words(c));
    if (h->type == ZW_HOPF_DEGENERATE)
        zw_text_printf(out, "              a = 0 to accuracy (%.1e %s)\n", h->a_error, a);
    else
        zw_text_printf(out, "              a = %.10g %s (+- %.1e)\n", h->a, a, h->a_error);
    zw_text_printf(out, "              b = %.10g %s (+- %.1e)\n", h->b, b, h->b_error);
}

static void put_limits(zw_text *out, const zw_criticality *c) {
    const zw_hopf *h = &c->hopf;
    const char *unit = c->unit;
    if (c->levels[0])
        zw_text_printf(out, "              at constant %s\n", c->levels);
    if (c->reach < REACH_SHOWN * h->holds)
        zw_text_printf(out, "              up to r = %.3g%s%s, where the motion meets %s\n",
                       c->reach, unit[0] ? " " : "", unit, c->met);
    else if (h->holds > 0)
        zw_text_printf(out, "              cubic terms describe it to a fifth up to r = %.2g%s%s\n",
                       h->holds, unit[0] ? " " : "", unit);
    else
        zw_text_put(out, "              a is too small beside other terms to be seen in the rates "
                         "themselves\n");
    if (c->passed[0])
        zw_text_printf(out,
                       "              not smooth there, but without effect at this order: %s\n",
                       c->passed);
    if (h->gap < GAP_SMALL)
        zw_text_printf(out,
                       "              another eigenvalue is near 0 or 2i omega (%.1e omega): this "
                       "holds for very small r only\n",
                       h->gap);
}

char *zw_criticality_text(const zw_criticality *c, const zw_equilibria *e) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_text_init(&out, &alloc);
    if (c->refused) {
        zw_text_printf(&out, "  Hopf point  not told whether cycles grow out of it: %s\n",
                       c->reason);
    } else {
        put_normal_form(&out, c);
        put_limits(&out, c);
    }
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, ", \"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_string(zw_text *out, const char *key, const char *value) {
    zw_text_printf(out, ", \"%s\": ", key);
    zw_text_json(out, value);
}

static void json_vector(zw_text *out, const char *key, int n, const double *x) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, x[i]);
    }
    zw_text_put(out, "]");
}

static void json_found(zw_text *out, const zw_criticality *c) {
    const zw_hopf *h = &c->hopf;
    zw_text_printf(out, "{\"refused\": false, \"type\": \"%s\"", type_word[h->type]);
    json_number(out, "sigma", h->sigma);
    json_number(out, "omega", h->omega);
    json_number(out, "a", h->a);
    json_number(out, "b", h->b);
    json_number(out, "a_error", h->a_error);
    json_number(out, "b_error", h->b_error);
    json_string(out, "amplitude_of", c->quantity);
    json_string(out, "unit", c->unit);
    zw_text_printf(out, ", \"moving_along\": %s", c->hopf.moving ? "true" : "false");
    json_string(out, "at_constant", c->levels);
    json_number(out, "condition", h->condition);
    zw_text_printf(out, ", \"growing\": %d", h->growing);
    json_number(out, "gap", h->gap);
    json_number(out, "holds_to", fmin(h->holds, c->reach));
    json_string(out, "passed", c->passed);
    json_vector(out, "q_re", h->nx, h->q_re);
    json_vector(out, "q_im", h->nx, h->q_im);
    json_vector(out, "mean", h->nx, h->mean);
    json_vector(out, "second_re", h->nx, h->second_re);
    json_vector(out, "second_im", h->nx, h->second_im);
    zw_text_put(out, "}");
}

char *zw_criticality_json(const zw_criticality *c, const zw_equilibria *e) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_text_init(&out, &alloc);
    if (c->refused) {
        zw_text_put(&out, "{\"refused\": true, \"reason\": ");
        zw_text_json(&out, c->reason);
        zw_text_put(&out, "}");
    } else {
        json_found(&out, c);
    }
    return zw_text_take(&out);
}
