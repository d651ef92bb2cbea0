/* SPDX-License-Identifier: MIT */
/* The results of Melnikov's method as a report, and its warnings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "melnikov.h"

#define AGREEMENT 1e-9 /* of the integral: a larger difference of both methods gives a warning */
#define LARGE_PERTURBATION 0.3 /* of f0: a larger perturbation is not small */
/* of the distance to the saddle: a larger closure error of the motion changes printed digits */
#define CLOSURE_WARNING 1e-8
/* of the first coefficients: errors of second derivatives are some 1e4 times larger */
#define TAIL_WARNING 1e-6
#define INTEGRAL_WARNING 1e-6 /* relative error of an integral that changes printed digits */

/* ---------------------------------------------------------------------------------------- units */

static const char *time_unit(const zw_melnikov *s) {
    return s->sys->no_units ? "" : "s";
}

static const char *rate_unit(const zw_melnikov *s) {
    return s->sys->no_units ? "" : "1/s";
}

enum { UNIT_TEXT = 2 * ZW_DIM_TEXT };

/* The unit of a quotient; "" if it has none, or if one of them is unknown (NULL). Observables may
 * have units such as mm, which stay. */
static const char *quotient_unit(const zw_melnikov *s, const char *a, const char *b,
                                 char text[UNIT_TEXT]) {
    zw_unit above, below;
    zw_dim dim;
    text[0] = 0;
    if (s->sys->no_units || !a || !b ||
        zw_unit_parse(&above, a, strlen(a), (zw_place){0}, NULL) < 0 ||
        zw_unit_parse(&below, b, strlen(b), (zw_place){0}, NULL) < 0)
        return text;
    if (above.factor != 1 || below.factor != 1)
        snprintf(text, UNIT_TEXT, b[0] ? "%s/(%s)" : "%s", a, b);
    else if (zw_dim_combine(&dim, &above.dim, &below.dim, -1))
        zw_dim_text(&dim, text);
    return text;
}

/* of a state */
static const char *state_unit(const zw_melnikov *s, int i) {
    const char *unit = s->space.n > 0 ? s->space.unit[i] : s->unit[i];
    return s->sys->no_units ? "" : unit;
}

/* of C (of quantity i, with more than two states); NULL: unknown */
static const char *level_unit(const zw_melnikov *s, int i) {
    const char *unit = s->space.n > 0 ? s->space.text_unit[i] : s->conserved_unit;
    return s->sys->no_units ? "" : unit;
}

static const char *eps_unit(const zw_melnikov *s) {
    return s->nsmall == 1 ? s->sys->param[s->small[0]].unit : "";
}

/* of M, the change of quantity i over eps */
static const char *integral_unit(const zw_melnikov *s, int i, char text[UNIT_TEXT]) {
    return quotient_unit(s, level_unit(s, i), eps_unit(s), text);
}

/* a value in the unit that its range was written with */
static zw_shown shown_over(const zw_melnikov *s, const zw_parameter_range *o, double error,
                           int digits) {
    return (zw_shown){.unit = o->unit,
                      .scale = o->factor,
                      .si_unit = s->sys->param[o->parameter].unit,
                      .error = error,
                      .with_error = true,
                      .digits = digits};
}

/* --------------------------------------------------------------------------------------- values */

static void report_range(zw_report *out, const zw_melnikov *s, const char *key,
                         const zw_parameter_range *o) {
    zw_shown value = shown_over(s, o, 0, 9);
    zw_report_open(out, key);
    zw_report_word(out, "parameter", o->name);
    zw_report_number(out, "from", o->from, &value);
    zw_report_number(out, "to", o->to, &value);
}

/* "x = 1 m, x' = 0 m/s" */
static void report_point(zw_report *out, const zw_melnikov *s, const char *key, const double *x) {
    bool space = s->space.n > 0;
    zw_report_list(out, key);
    for (int i = 0; i < (space ? s->space.n : 2); i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "state", space ? s->space.name[i] : s->name[i]);
        zw_report_number(out, "value", x[i], &(zw_shown){.unit = state_unit(s, i), .digits = 9});
        zw_report_say(out, i ? ", {state} = {value}" : "{state} = {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

const char *zw_melnikov_number_text(const zw_melnikov_number *n, size_t size, char *out) {
    char *at = out;
    size_t left = size;
    if (size == 0)
        return out;
    out[0] = 0;
    for (int k = 0; k < 4; k++) {
        char symbol[48] = "", number[48] = "";
        long long num = n->num[k] < 0 ? -n->num[k] : n->num[k];
        if (num == 0)
            continue;
        if (k % 2)
            snprintf(symbol, sizeof symbol, "sqrt(%lld)%s", (long long)n->root,
                     k == 3 ? "*pi" : "");
        else if (k == 2)
            snprintf(symbol, sizeof symbol, "pi");
        if (n->den[k] != 1)
            snprintf(number, sizeof number, "%lld/%lld%s", num, (long long)n->den[k],
                     symbol[0] ? "*" : "");
        else if (num != 1 || !symbol[0])
            snprintf(number, sizeof number, "%lld%s", num, symbol[0] ? "*" : "");
        bool first = at == out;
        int wrote = snprintf(at, left, "%s%s%s%s",
                             first           ? ""
                             : n->num[k] < 0 ? " - "
                                             : " + ",
                             first && n->num[k] < 0 ? "-" : "", number, symbol);
        if (wrote < 0 || (size_t)wrote >= left)
            return out;
        at += wrote;
        left -= (size_t)wrote;
    }
    if (at == out)
        snprintf(out, size, "0");
    return out;
}

static void report_exact(zw_report *out, const zw_melnikov_number *n) {
    char text[240];
    zw_report_word(out, "exact", n->known ? zw_melnikov_number_text(n, sizeof text, text) : NULL);
}

/* M(t0) = mean + sum of harmonics, of which words have those that are larger than the error */
static void report_harmonics(zw_report *out, const zw_melnikov *s, const zw_melnikov_value *v,
                             const char *unit) {
    zw_shown part = {.unit = unit, .error = v->error, .digits = 15};
    zw_report_list(out, "harmonics");
    for (int k = 0; k < v->harmonics && v->base > 0; k++) {
        zw_report_open(out, NULL);
        zw_report_number(out, "frequency", (k + 1) * v->base,
                         &(zw_shown){.si_unit = s->sys->no_units ? "" : "rad/s", .digits = 9});
        zw_report_number(out, "cos", v->c[k], &part);
        zw_report_number(out, "sin", v->s[k], &part);
        if (fabs(v->c[k]) > v->error)
            zw_report_say(out, " {cos:+} cos({frequency} t0)");
        if (fabs(v->s[k]) > v->error)
            zw_report_say(out, " {sin:+} sin({frequency} t0)");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_bounds(zw_report *out, const zw_melnikov_value *v, const char *unit) {
    bool driven = v->base > 0;
    zw_report_number(out, "min", driven ? v->low : NAN, &(zw_shown){.unit = unit, .digits = 12});
    zw_report_number(out, "max", driven ? v->high : NAN, &(zw_shown){.unit = unit, .digits = 12});
}

/* the open object is the value */
static void report_value(zw_report *out, const zw_melnikov *s, const zw_melnikov_value *v,
                         const char *unit) {
    zw_report_number(
        out, "mean", v->mean,
        &(zw_shown){.unit = unit, .error = v->error, .digits = 15, .with_error = true});
    zw_report_say(out, "{mean}");
    report_harmonics(out, s, v, unit);
    report_bounds(out, v, unit);
}

static double value_difference(const zw_melnikov_separatrix *q) {
    double d = fabs(q->time.mean - q->coordinate.mean);
    for (int k = 0; k < q->time.harmonics; k++)
        d = fmax(d, hypot(q->time.c[k] - q->coordinate.c[k], q->time.s[k] - q->coordinate.s[k]));
    return d;
}

/* The scale of M. */
static double size_of(const zw_melnikov_separatrix *q) {
    double size = fabs(q->time.mean);
    for (int k = 0; k < q->time.harmonics; k++)
        size = fmax(size, hypot(q->time.c[k], q->time.s[k]));
    for (int k = 0; k < q->npart; k++)
        size = fmax(size, fabs(q->factor_value[k] * q->integral[k].mean));
    return size;
}

/* Has dM/dC a sign? */
bool zw_melnikov_is_reported(const zw_melnikov_cycle *c) {
    return fabs(c->slope) > c->slope_error;
}

/* --------------------------------------------------------------------------------- separatrices */

static void report_meaning(zw_report *out, const zw_melnikov *s, const zw_melnikov_separatrix *q,
                           const char *unit) {
    double eps = s->eps, most = q->time.base > 0 ? fmax(fabs(q->time.low), fabs(q->time.high))
                                                 : fabs(q->time.mean);
    bool driven = q->time.base > 0, sign = zw_melnikov_has_sign(&q->time),
         zeros = q->time.low < 0 && q->time.high > 0, split = eps != 0 && (driven || sign);
    const char *level = level_unit(s, 0);
    zw_report_word(out, "verdict",
                   eps == 0 ? NULL
                   : driven ? !sign   ? "undecided"
                              : zeros ? "manifolds intersect"
                                      : "manifolds do not intersect"
                   : sign   ? "manifolds do not meet"
                            : "saddles stay connected");
    report_bounds(out, &q->time, unit);
    zw_report_number(out, "change", split && !driven ? eps * q->time.mean : NAN,
                     &(zw_shown){.unit = level ? level : "", .digits = 6});
    zw_report_number(
        out, "distance", split ? fabs(eps) * most / q->slope : NAN,
        &(zw_shown){.unit = strcmp(state_unit(s, 0), state_unit(s, 1)) == 0 ? state_unit(s, 0) : "",
                    .digits = 6});
    if (eps == 0)
        zw_report_say(out, "  {small} = 0 here: a small value of it multiplies M\n");
    else if (!driven)
        zw_report_say(out, sign
                               ? "  C changes by {change} along it, to first order; the stable and "
                                 "unstable manifolds are {distance} apart in the middle\n"
                               : "  M is zero within its error: to first order the saddles stay "
                                 "connected\n");
    else
        zw_report_say(out, !sign ? "  M(t0) lies between {min} and {max}: whether it has zeros is "
                                   "undecided, because of its error\n"
                           : zeros
                               ? "  M(t0) lies between {min} and {max}: it has simple zeros, the "
                                 "stable and unstable manifolds intersect\n"
                               : "  M(t0) lies between {min} and {max}: it has no zero, the "
                                 "stable and unstable manifolds do not intersect\n");
    if (split && driven)
        zw_report_say(out, "  the manifolds are at most {distance} apart in the middle, to first "
                           "order\n");
}

static void report_perturbation(zw_report *out, const zw_melnikov *s, double part) {
    zw_report_number(out, "perturbation", s->eps != 0 ? part : NAN, &(zw_shown){.digits = 2});
    zw_report_say(out, "{perturbation?  The perturbation is at most {perturbation} of f0 along "
                       "it.\n}");
}

/* M as a sum of factors times integrals */
static void report_parts(zw_report *out, const zw_melnikov *s, const zw_melnikov_separatrix *q) {
    char sum[ZW_MELNIKOV_PARTS * (sizeof q->factor[0] + 12)] = "";
    size_t n = 0;
    for (int k = 0; k < q->npart; k++)
        n += (size_t)snprintf(sum + n, sizeof sum - n, "%s(%s) I%d", k ? " + " : "", q->factor[k],
                              k + 1);
    zw_report_word(out, "sum", q->npart ? sum : NULL);
    zw_report_say(out, "{sum?  M = {sum}\n}");
    zw_report_list(out, "parts");
    for (int k = 0; k < q->npart; k++) {
        zw_report_open(out, NULL);
        zw_report_count(out, "number", k + 1);
        zw_report_word(out, "factor", q->factor[k]);
        zw_report_number(out, "factor_value", q->factor_value[k], NULL);
        zw_report_say(out, "    I{number} = ");
        zw_report_open(out, "integral");
        report_value(out, s, &q->integral[k], "");
        zw_report_close(out);
        report_exact(out, &q->exact[k]);
        zw_report_say(out, "{exact?   = {exact}, exact}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* M by both integrals */
static void report_integrals(zw_report *out, const zw_melnikov *s, const zw_melnikov_separatrix *q,
                             const char *unit) {
    zw_report_say(out, "  M = ");
    zw_report_open(out, "by_time");
    report_value(out, s, &q->time, unit);
    zw_report_close(out);
    report_exact(out, q->npart ? &(zw_melnikov_number){0} : &q->exact[0]);
    zw_report_number(out, "step", q->step, &(zw_shown){.unit = time_unit(s), .digits = 3});
    zw_report_say(out, "{exact?   = {exact}, exact}   (over time, step {step})\n");
    zw_report_word(out, "coordinate", s->name[q->master]);
    zw_report_say(out, isnan(q->coordinate.mean)
                           ? "  The level curve could not be solved as a function of {coordinate}"
                           : "  M = ");
    zw_report_open(out, "by_coordinate");
    zw_report_mute(out, isnan(q->coordinate.mean));
    report_value(out, s, &q->coordinate, unit);
    zw_report_mute(out, false);
    zw_report_close(out);
    zw_report_number(out, "difference", value_difference(q),
                     &(zw_shown){.unit = unit, .digits = 2});
    zw_report_say(out, "{difference?   (over {coordinate}); they differ by {difference}}\n");
}

static void report_separatrix(zw_report *out, const zw_melnikov *s, int i) {
    const zw_melnikov_separatrix *q = &s->separatrix[i];
    const char *level = level_unit(s, 0);
    char unit[UNIT_TEXT];
    zw_shown rate = {.unit = rate_unit(s), .digits = 9};
    integral_unit(s, 0, unit);
    zw_report_open(out, NULL);
    zw_report_count(out, "separatrix", i);
    zw_report_count(out, "side", q->side);
    zw_report_say(out, q->side > 0
                           ? "\nSeparatrix {separatrix}, on side + of the eigenvector: from "
                           : "\nSeparatrix {separatrix}, on side - of the eigenvector: from ");
    report_point(out, s, "from", q->saddle[0]);
    zw_report_say(out, "\n  to ");
    report_point(out, s, "to", q->saddle[1]);
    zw_report_say(out, ", through ");
    report_point(out, s, "middle", q->middle);
    zw_report_number(out, "leaving_rate", q->rate[0], &rate);
    zw_report_number(out, "arriving_rate", q->rate[1], &rate);
    zw_report_number(out, "level", q->level, &(zw_shown){.unit = level ? level : "", .digits = 12});
    zw_report_number(out, "closure_error", q->closing, &(zw_shown){.digits = 2});
    zw_report_number(out, "level_error", q->drift, &(zw_shown){.digits = 2});
    zw_report_number(out, "gradient", q->slope, NULL);
    zw_report_say(out,
                  " at t = 0\n"
                  "  leaves with {leaving_rate}, arrives with {arriving_rate}; C = {level}\n"
                  "  relative closure error {closure_error}, relative change of C {level_error}\n");
    report_integrals(out, s, q, unit);
    report_parts(out, s, q);
    report_meaning(out, s, q, unit);
    report_perturbation(out, s, q->part);
    zw_report_close(out);
}

/* the side of the only solution's eigenvector on which there is no other, and why */
static void report_missing_sides(zw_report *out, const zw_melnikov *s, int found) {
    zw_report_list(out, "missing_sides");
    for (int k = 0; k < 2 && found == 1 && !s->options.side; k++) {
        if (!s->why[k][0])
            continue;
        zw_report_open(out, NULL);
        zw_report_count(out, "side", k ? -1 : 1);
        zw_report_word(out, "reason", s->why[k]);
        zw_report_say(out, k ? "\nNone on side - of the eigenvector: {reason}.\n"
                             : "\nNone on side + of the eigenvector: {reason}.\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* ----------------------------------------------------------------------------- zeros and series */

static void report_root(zw_report *out, const zw_melnikov *s, const zw_melnikov_root *r) {
    const zw_parameter_range *o = &s->over[0];
    char unit[UNIT_TEXT], slope[UNIT_TEXT];
    zw_shown value = shown_over(s, o, r->error, 12), other = shown_over(s, o, 0, 12);
    integral_unit(s, 0, unit);
    quotient_unit(s, level_unit(s, 0) ? unit : NULL, s->sys->param[o->parameter].unit, slope);
    zw_report_open(out, NULL);
    zw_report_word(out, "parameter", o->name);
    zw_report_number(out, "value", r->value, &value);
    zw_report_number(out, "by_coordinate", r->other, &other);
    if (s->has_marks) {
        zw_shown second = shown_over(s, &s->over[1], 0, 12);
        zw_report_number(out, "second", r->second, &second);
    }
    zw_report_number(out, "slope", r->slope, &(zw_shown){.unit = slope, .digits = 6});
    zw_report_count(out, "separatrix", r->separatrix);
    zw_report_word(out, "intersecting", r->rises > 0 ? "above" : r->rises < 0 ? "below" : NULL);
    zw_report_say(out, "  {parameter} = {value}{by_coordinate? (over the coordinate "
                       "{by_coordinate})}: {intersecting?the manifolds intersect {intersecting}}"
                       "{intersecting!the saddles are connected, dM/d{parameter} = {slope}}, "
                       "separatrix {separatrix}\n");
    zw_report_close(out);
}

/* zeros over the parameter, or the curve of them over a second one */
static int report_root_list(zw_report *out, const zw_melnikov *s, const char *key, bool curve) {
    int n = 0;
    zw_report_list(out, key);
    for (int i = 0; i < s->nroot; i++)
        if (isnan(s->root[i].second) != curve) {
            report_root(out, s, &s->root[i]);
            n++;
        }
    zw_report_close(out);
    return n;
}

static void report_roots(zw_report *out, const zw_melnikov *s) {
    report_range(out, s, "range", &s->over[0]);
    zw_report_say(out, s->plane.base > 0
                           ? "\n{parameter} from {from} to {to}, thresholds of zeros of M(t0):\n"
                           : "\n{parameter} from {from} to {to}, zeros of M:\n");
    zw_report_close(out);
    if (report_root_list(out, s, "zeros", false) == 0)
        zw_report_say(out, "  none\n");
    if (!s->has_marks)
        return;
    zw_report_mute(out, true);
    int points = report_root_list(out, s, "curve", true);
    zw_report_mute(out, false);
    report_range(out, s, "second_range", &s->over[1]);
    zw_report_count(out, "points", points);
    zw_report_say(out, "{parameter} from {from} to {to}: curves of these zeros with "
                       "{points|point|points}\n");
    zw_report_close(out);
}

static void report_term(zw_report *out, const zw_melnikov_term *t, int power) {
    char fraction[48] = "";
    bool guessed = t->recognised && !t->exact.known;
    if (guessed)
        snprintf(fraction, sizeof fraction, t->den == 1 ? "%ld" : "%ld/%ld", t->num, t->den);
    zw_report_open(out, NULL);
    zw_report_count(out, "power", power);
    zw_report_number(out, "value", t->value,
                     &(zw_shown){.error = t->error, .digits = 15, .with_error = true});
    report_exact(out, &t->exact);
    zw_report_flag(out, "zero", guessed && t->num == 0);
    zw_report_word(out, "fraction", guessed ? fraction : NULL);
    zw_report_number(out, "digits", guessed ? t->digits : NAN, &(zw_shown){.digits = 3});
    zw_report_say(out, "    {variable}^{power}: {value}{exact?   = {exact}, exact}"
                       "{zero?   = 0 within its error}{zero!{fraction?   = {fraction}, recognised "
                       "to {digits} digits}}\n");
    zw_report_close(out);
}

static void report_series(zw_report *out, const zw_melnikov *s) {
    const zw_parameter_range *o = &s->expand;
    char variable[2 * ZW_PARAMETER_RANGE_NAME], leading[3 * ZW_PARAMETER_RANGE_NAME] = "1";
    snprintf(variable, sizeof variable, o->from != 0 ? "(%s - %.9g)" : "%s", o->name,
             o->from / o->factor);
    report_range(out, s, "expansion", o);
    zw_report_say(out, "\nM as a series in {parameter} at {from}, from values up to {to}:\n");
    zw_report_close(out);
    zw_report_list(out, "series");
    for (int i = 0; i < s->nseries; i++) {
        const zw_melnikov_series *q = &s->series[i];
        if (q->power_num != 0)
            snprintf(leading, sizeof leading, q->power_den > 1 ? "%s^(%d/%d)" : "%s^%d", variable,
                     q->power_num, q->power_den);
        zw_report_open(out, NULL);
        zw_report_word(out, "factor", q->factor);
        zw_report_word(out, "variable", variable);
        zw_report_word(out, "leading_power", q->power_num != 0 ? leading : "1");
        zw_report_vector(out, "leading_exponent", 2, (const double[]){q->power_num, q->power_den},
                         NULL, NULL);
        zw_report_number(out, "tail", q->tail, NULL);
        zw_report_say(out, "  {factor?integral with factor {factor}}{factor!M} = {leading_power} "
                           "times\n");
        zw_report_list(out, "terms");
        for (int k = 0; k < q->n; k++)
            report_term(out, &q->term[k], k);
        zw_report_close(out);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------- closed curves */

static void report_resonance(zw_report *out, const zw_melnikov *s, const zw_melnikov_resonance *r) {
    bool sign = zw_melnikov_has_sign(&r->M), zeros = r->M.low < 0 && r->M.high > 0;
    const char *level = level_unit(s, 0);
    char unit[UNIT_TEXT];
    integral_unit(s, 0, unit);
    zw_report_open(out, NULL);
    zw_report_count(out, "order", r->order);
    zw_report_number(out, "amplitude", r->amplitude,
                     &(zw_shown){.unit = state_unit(s, s->ray), .digits = 9});
    zw_report_number(out, "level", r->level, &(zw_shown){.unit = level ? level : ""});
    zw_report_number(out, "period", r->period, &(zw_shown){.unit = time_unit(s)});
    zw_report_word(out, "verdict",
                   !sign   ? "undecided"
                   : zeros ? "subharmonic motions"
                           : "no subharmonic motion");
    zw_report_say(out, "  {order|period|periods} of the excitation: amplitude {amplitude}, M = ");
    zw_report_open(out, "integral");
    report_value(out, s, &r->M, unit);
    zw_report_say(
        out, !sign ? "\n    between {min} and {max}: zero within its error, so whether a "
                     "subharmonic motion persists is undecided\n"
             : zeros
                 ? "\n    between {min} and {max}: simple zeros, so subharmonic motions persist\n"
                 : "\n    between {min} and {max}: no zero, so no subharmonic motion persists\n");
    zw_report_close(out);
    zw_report_close(out);
}

static void report_cycle(zw_report *out, const zw_melnikov *s, int i) {
    const zw_parameter_range *o = &s->over[0];
    const zw_melnikov_cycle *c = &s->cycle[i];
    const char *level = level_unit(s, 0);
    bool decided = zw_melnikov_is_reported(c);
    zw_report_open(out, NULL);
    zw_report_number(out, "amplitude", c->amplitude,
                     &(zw_shown){.unit = state_unit(s, s->ray), .digits = s->has_over ? 9 : 12});
    zw_report_number(out, "level", c->level, &(zw_shown){.unit = level ? level : "", .digits = 9});
    zw_report_number(out, "period", c->period, &(zw_shown){.unit = time_unit(s), .digits = 9});
    zw_report_number(out, "multiplier", c->multiplier, &(zw_shown){.digits = 6});
    zw_report_number(out, "slope", c->slope, &(zw_shown){.error = c->slope_error});
    zw_report_number(out, "difference", c->error, NULL);
    zw_report_word(out, "stability",
                   !decided                ? "undecided"
                   : s->eps * c->slope < 0 ? "stable"
                                           : "unstable");
    zw_report_flag(out, "fold", c->fold);
    if (s->has_over) {
        zw_shown value = shown_over(s, o, 0, 10);
        zw_report_word(out, "parameter", o->name);
        zw_report_number(out, "value", c->value, &value);
        zw_report_mute(out, i != 0 && i != s->ncycle - 1 && !c->fold);
        zw_report_say(out, c->fold ? "  fold: " : i ? "  last: " : "  first: ");
        zw_report_say(out, "amplitude {amplitude}, {parameter} = {value}, period {period}, "
                           "multiplier {multiplier}\n");
        zw_report_mute(out, false);
    } else {
        zw_report_say(out, !decided ? "  amplitude {amplitude}: a cycle of undecided stability, "
                           : s->eps * c->slope < 0
                               ? "  amplitude {amplitude}: a stable cycle, "
                               : "  amplitude {amplitude}: an unstable cycle, ");
        zw_report_say(out, "period {period}, multiplier {multiplier}, C = {level}\n");
    }
    zw_report_close(out);
}

static void report_cycle_counts(zw_report *out, const zw_melnikov *s) {
    int stable = 0, undecided = 0;
    for (int i = 0; i < s->ncycle; i++) {
        bool decided = zw_melnikov_is_reported(&s->cycle[i]);
        stable += decided && s->eps * s->cycle[i].slope < 0;
        undecided += !decided && !s->cycle[i].fold;
    }
    report_range(out, s, "range", &s->over[0]);
    zw_report_count(out, "cycle_count", s->ncycle);
    zw_report_count(out, "stable_count", stable);
    zw_report_count(out, "undecided_count", undecided);
    zw_report_say(out, "  {cycle_count|curve becomes a cycle|curves become cycles} for {parameter} "
                       "from {from} to {to}, {stable_count} stable{undecided_count?, "
                       "{undecided_count} of undecided stability}\n");
    zw_report_close(out);
}

static void report_cycles(zw_report *out, const zw_melnikov *s) {
    zw_shown amplitude = {.unit = state_unit(s, s->ray), .digits = 6};
    double centre[2];
    int rotating = s->options.rotating;
    zw_melnikov_reported(s, s->centre, centre);
    zw_report_open(out, "curves");
    zw_report_word(out, "kind",
                   !rotating      ? "closed curves"
                   : rotating > 0 ? "rotations above"
                                  : "rotations below");
    zw_report_say(out, !rotating      ? "\nClosed curves about "
                       : rotating > 0 ? "\nRotations above "
                                      : "\nRotations below ");
    report_point(out, s, "centre", centre);
    zw_report_word(out, "state", s->name[s->ray]);
    zw_report_number(out, "from", s->amplitude[0], &amplitude);
    zw_report_number(out, "to", s->amplitude[1], &amplitude);
    amplitude.digits = 9;
    zw_report_number(out, "separatrix", s->reach > 0 ? s->reach : NAN, &amplitude);
    zw_report_say(out, ", amplitudes of {state} from {from} to {to}{separatrix?; that of the "
                       "separatrix is {separatrix}}\n");
    zw_report_close(out);
    zw_report_list(out, "resonances");
    for (int i = 0; i < s->nresonance; i++)
        report_resonance(out, s, &s->resonance[i]);
    zw_report_close(out);
    if (s->has_over)
        report_cycle_counts(out, s);
    zw_report_list(out, "cycles");
    for (int i = 0; i < s->ncycle; i++)
        report_cycle(out, s, i);
    zw_report_close(out);
}

/* ------------------------------------------------------------------------- more than two states */

/* Is it nonzero beyond its error, as far as that is known? */
static bool has_sign(const zw_melnikov_orbit *q, int i) {
    return fabs(q->M[i]) > 10 * q->error[i];
}

static void report_quantity(zw_report *out, const zw_melnikov *s, const zw_melnikov_orbit *q,
                            int i) {
    const char *level = level_unit(s, i);
    char unit[UNIT_TEXT];
    integral_unit(s, i, unit);
    zw_report_open(out, NULL);
    zw_report_word(out, "quantity", s->space.text[i]);
    zw_report_number(
        out, "integral", q->M[i],
        &(zw_shown){.unit = unit, .error = q->error[i], .digits = 15, .with_error = true});
    zw_report_number(out, "level", q->level[i],
                     &(zw_shown){.unit = level ? level : "", .digits = 12});
    zw_report_number(out, "level_error", q->drift[i], &(zw_shown){.digits = 2});
    zw_report_number(out, "change", s->eps != 0 && has_sign(q, i) ? s->eps * q->M[i] : NAN,
                     &(zw_shown){.unit = level ? level : "", .digits = 6});
    zw_report_say(out, "  M of {quantity} = {integral}; its value is {level}, constant to "
                       "{level_error}\n{change?    it changes by {change} along it, to first "
                       "order\n}");
    if (s->eps != 0 && !has_sign(q, i))
        zw_report_say(out, "    zero within its error: to first order it does not change\n");
    zw_report_close(out);
}

static void report_orbit(zw_report *out, const zw_melnikov *s, const zw_melnikov_orbit *q) {
    zw_report_open(out, NULL);
    zw_report_count(out, "side", q->side);
    zw_report_say(out, q->side > 0 ? "\nOrbit on side + of the eigenvector: from "
                                   : "\nOrbit on side - of the eigenvector: from ");
    report_point(out, s, "from", q->from);
    zw_report_say(out, "\n  to ");
    report_point(out, s, "to", q->to);
    zw_report_number(out, "leaving_rate", q->rate, &(zw_shown){.unit = rate_unit(s), .digits = 9});
    zw_report_count(out, "stable_directions", q->stable);
    zw_report_count(out, "neutral_directions", q->neutral);
    zw_report_number(out, "closure_error", q->closing, &(zw_shown){.digits = 2});
    zw_report_number(out, "time", q->time, &(zw_shown){.unit = time_unit(s)});
    zw_report_say(out, "\n  leaves with {leaving_rate}; its end has {stable_directions} stable and "
                       "{neutral_directions|neutral direction|neutral directions}; closure error "
                       "{closure_error}\n");
    zw_report_list(out, "quantities");
    for (int i = 0; i < q->nquantity; i++)
        report_quantity(out, s, q, i);
    zw_report_close(out);
    report_perturbation(out, s, q->part);
    zw_report_close(out);
}

/* --------------------------------------------------------------------------------- everything */

static void report_head(zw_report *out, const zw_melnikov *s) {
    bool space = s->space.n > 0;
    const zw_parameter_range *over[2] = {&s->over[0], &s->over[1]};
    const char *name[2], *unit[2], *level[ZW_MELNIKOV_QUANTITIES], *state[ZW_MELNIKOV_STATES];
    int n = s->has_over + s->has_marks, states = space ? s->space.n : 2,
        quantities = space ? s->space.nquantity : 1;
    for (int i = 0; i < n; i++) {
        name[i] = over[i]->name;
        unit[i] = s->sys->param[over[i]->parameter].unit;
    }
    for (int i = 0; i < quantities; i++)
        level[i] = level_unit(s, i) ? level_unit(s, i) : "";
    for (int i = 0; i < states; i++)
        state[i] = state_unit(s, i);
    zw_report_word(out, "small", s->options.small);
    zw_report_number(out, "eps", s->eps, &(zw_shown){.unit = eps_unit(s)});
    zw_report_words(out, "states", states, space ? s->space.name : s->name);
    zw_report_words(out, "state_units", states, state);
    zw_report_words(out, "conserved", quantities, space ? s->space.text : &s->conserved);
    zw_report_words(out, "conserved_units", quantities, level);
    zw_report_flag(out, "proved", s->proved);
    zw_report_words(out, "over", n, name);
    zw_report_words(out, "over_units", n, unit);
    zw_report_say(out, "{model}: Melnikov's method, small: {small}\n");
    zw_report_say(out, space ? "conserved for {small} = 0, identically: {conserved}\n"
                             : "conserved for {small} = 0: C = {conserved}; its rate vanishes "
                               "{proved?identically}{proved!at all sampled points}\n");
}

void zw_melnikov_report(const zw_melnikov *s, zw_report *out) {
    report_head(out, s);
    if (s->space.n > 0) {
        zw_report_list(out, "orbits");
        for (int i = 0; i < s->norbit; i++)
            report_orbit(out, s, &s->found[i]);
        zw_report_close(out);
        report_missing_sides(out, s, s->norbit);
        return;
    }
    zw_report_list(out, "separatrices");
    for (int i = 0; i < s->nseparatrix; i++)
        report_separatrix(out, s, i);
    zw_report_close(out);
    report_missing_sides(out, s, s->nseparatrix);
    if (s->nseries > 0)
        report_series(out, s);
    if (s->has_over && !s->options.cycles)
        report_roots(out, s);
    if (s->options.cycles)
        report_cycles(out, s);
}

/* ---- warnings ---- */

static void doubt_separatrix(const zw_melnikov *s, int i, zw_warnings *out) {
    const zw_melnikov_separatrix *q = &s->separatrix[i];
    if (q->part > LARGE_PERTURBATION) {
        zw_warning d =
            zw_warning_of("small", NAN,
                          "the perturbation is %.2g of the unperturbed rates along separatrix %d: "
                          "terms of second "
                          "order, which are not computed, may be as large as those of first order",
                          q->part, i);
        zw_warnings_add(out, &d);
    }
    if (q->time.error > AGREEMENT * q->time.size) {
        zw_warning d =
            zw_warning_of("convergence", NAN,
                          "the integral over time along separatrix %d has a relative error of %.1e",
                          i, q->time.error / q->time.size);
        zw_warnings_add(out, &d);
    }
    if (isnan(q->coordinate.mean)) {
        zw_warning d = zw_warning_of(
            "level", NAN, "M along separatrix %d is known from the integral over time alone", i);
        zw_warnings_add(out, &d);
    } else if (!(value_difference(q) <=
                 AGREEMENT * size_of(q) + q->time.error + q->coordinate.error)) {
        zw_warning d =
            zw_warning_of("integral", NAN, "along separatrix %d the integrals differ by %.1e", i,
                          value_difference(q));
        zw_warnings_add(out, &d);
    }
    if (q->time.base > 0 && s->eps != 0 && !zw_melnikov_has_sign(&q->time)) {
        zw_warning d = zw_warning_of(
            "sign", NAN,
            "whether M(t0) along separatrix %d has zeros is undecided: its largest or "
            "smallest value is zero within the error of M, %.1e",
            i, q->time.error);
        zw_warnings_add(out, &d);
    }
    if (q->closing > CLOSURE_WARNING) {
        zw_warning d = zw_warning_of(
            "closing", NAN,
            "separatrix %d has a closure error of %.1e of the distance at the saddle where it ends",
            i, q->closing);
        zw_warnings_add(out, &d);
    }
}

static void doubt_orbit(const zw_melnikov *s, int i, zw_warnings *out) {
    const zw_melnikov_orbit *q = &s->found[i];
    if (q->part > LARGE_PERTURBATION) {
        zw_warning d = zw_warning_of("small", NAN,
                                     "the perturbation is %.2g of the unperturbed rates: terms of "
                                     "second order, which are not "
                                     "computed, may be as large as those of first order",
                                     q->part);
        zw_warnings_add(out, &d);
    }
    for (int k = 0; k < q->nquantity; k++)
        if (q->error[k] > INTEGRAL_WARNING * fabs(q->M[k]) && has_sign(q, k)) {
            zw_warning d = zw_warning_of("convergence", NAN, "M of %s has a relative error of %.1e",
                                         s->space.text[k], q->error[k] / fabs(q->M[k]));
            zw_warnings_add(out, &d);
        }
}

static void doubt_series(const zw_melnikov *s, int i, zw_warnings *out) {
    const zw_melnikov_series *q = &s->series[i];
    bool exact = true;
    for (int k = 0; k < q->n; k++)
        exact &= q->term[k].exact.known;
    if (exact || q->tail <= TAIL_WARNING)
        return;
    char left[60] = "";
    if (isfinite(q->tail))
        snprintf(left, sizeof left, " (the remainder is %.1e of it)", q->tail);
    zw_warning d = zw_warning_of(
        "series", NAN,
        "the series in %s does not converge over the range%s: its coefficients and their errors "
        "are not reliable. Use a shorter range%s",
        s->expand.name, left,
        s->expand.from == 0 ? ", unless its leading power is none of those that were tried" : "");
    zw_warnings_add(out, &d);
}

void zw_melnikov_warnings(const zw_melnikov *s, zw_warnings *out) {
    for (int i = 0; i < s->norbit; i++)
        doubt_orbit(s, i, out);
    if (!s->proved) {
        zw_warning d = zw_warning_of(
            "conserved", NAN, "that %s is conserved was checked at sampled points, not proved",
            s->conserved);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < s->nseparatrix; i++)
        doubt_separatrix(s, i, out);
    for (int i = 0; i < s->nseries; i++)
        doubt_series(s, i, out);
    if (s->lost[0]) {
        zw_warning d = zw_warning_of("curve", NAN, "%s", s->lost);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < s->nresonance; i++)
        if (!zw_melnikov_has_sign(&s->resonance[i].M)) {
            zw_warning d =
                zw_warning_of("sign", NAN,
                              "whether M(t0) over %d periods of the excitation has zeros is "
                              "undecided: its largest or smallest value is zero within the error "
                              "of M, %.1e",
                              s->resonance[i].order, s->resonance[i].M.error);
            zw_warnings_add(out, &d);
        }
    for (int i = 0; i < s->ncycle; i++)
        if (!(s->cycle[i].error < AGREEMENT)) {
            zw_warning d = zw_warning_of(
                "cycle", NAN,
                "at the amplitude %.9g the integrals over time and over the coordinate "
                "differ by %.1e of their size",
                s->cycle[i].amplitude, s->cycle[i].error);
            zw_warnings_add(out, &d);
            break;
        }
}
