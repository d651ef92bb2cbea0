/* SPDX-License-Identifier: MIT */
/* The results of Melnikov's method: text, JSON, warnings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "melnikov.h"

#define AGREEMENT 1e-9 /* of the integral: a larger difference of both methods gives a warning */
#define LARGE_PERTURBATION 0.3 /* of f0: a larger perturbation is not small */
/* of the distance to the saddle: a larger closure error of the motion changes printed digits */
#define CLOSURE_WARNING 1e-8
/* of the first coefficients: errors of second derivatives are some 1e4 times larger */
#define TAIL_WARNING 1e-6
#define INTEGRAL_WARNING 1e-6 /* relative error of an integral that changes printed digits */

/* ----------------------------------------------------------------------------------------- text */

static void put_point(zw_text *out, const zw_melnikov *s, const double x[2]) {
    zw_text_printf(out, "%s = %.9g, %s = %.9g", s->name[0], x[0], s->name[1], x[1]);
}

char *zw_melnikov_number_text(const zw_melnikov_number *n, size_t size, char *out) {
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

static void put_exact(zw_text *out, const zw_melnikov_number *n) {
    char text[240];
    if (n->known)
        zw_text_printf(out, "   = %s, exact", zw_melnikov_number_text(n, sizeof text, text));
}

static void put_value(zw_text *out, const zw_melnikov_value *v) {
    zw_text_printf(out, "%.15g +- %.1e", v->mean, v->error);
    for (int k = 0; k < v->harmonics && v->base > 0; k++)
        zw_text_printf(out, " %+.15g cos(%.9g t0) %+.15g sin(%.9g t0)", v->c[k], (k + 1) * v->base,
                       v->s[k], (k + 1) * v->base);
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

static void put_meaning(zw_text *out, const zw_melnikov *s, const zw_melnikov_separatrix *q) {
    double eps = s->eps;
    if (eps == 0) {
        zw_text_printf(out, "  %s is 0 here: M is what a small one would do, times it\n",
                       s->options.small);
        return;
    }
    bool sign = zw_melnikov_has_sign(&q->time);
    if (q->time.base <= 0 && !sign) {
        zw_text_put(out,
                    "  M is zero within its error: to first order the saddles stay connected\n");
        return;
    }
    if (q->time.base <= 0) {
        zw_text_printf(
            out,
            "  C changes by %.6g along it, to first order; the sets are %.6g apart in the middle\n",
            eps * q->time.mean, fabs(eps * q->time.mean) / q->slope);
        return;
    }
    bool zeros = q->time.low < 0 && q->time.high > 0;
    zw_text_printf(out, "  M(t0) lies between %.12g and %.12g: %s\n", q->time.low, q->time.high,
                   !sign   ? "whether it has zeros is not told, within its error"
                   : zeros ? "it has simple zeros, the stable and the unstable set cross"
                           : "it has no zero, the sets do not meet");
    zw_text_printf(out, "  the sets are at most %.6g apart in the middle, to first order\n",
                   fabs(eps) * fmax(fabs(q->time.low), fabs(q->time.high)) / q->slope);
}

static void put_separatrix(zw_text *out, const zw_melnikov *s, int i) {
    const zw_melnikov_separatrix *q = &s->separatrix[i];
    zw_text_printf(out, "\nseparatrix %d, to side %c of the eigenvector: from ", i,
                   q->side > 0 ? '+' : '-');
    put_point(out, s, q->saddle[0]);
    zw_text_put(out, "\n  to ");
    put_point(out, s, q->saddle[1]);
    zw_text_put(out, ", through ");
    put_point(out, s, q->middle);
    zw_text_printf(
        out,
        " at t = 0\n  leaves with %.9g 1/s, arrives with %.9g 1/s; C = %.12g\n  the last "
        "manifold is met to %.1e of the distance, C keeps its value to %.1e\n",
        q->rate[0], q->rate[1], q->level, q->closing, q->drift);
    zw_text_put(out, "  M = ");
    put_value(out, &q->time);
    if (q->npart == 0)
        put_exact(out, &q->exact[0]);
    zw_text_printf(out, "   (time, step %.3g s)\n", q->step);
    if (isnan(q->coordinate.mean)) {
        zw_text_printf(out, "  over %s the level curve could not be solved for\n",
                       s->name[q->master]);
    } else {
        zw_text_put(out, "  M = ");
        put_value(out, &q->coordinate);
        zw_text_printf(out, "   (over %s); they differ by %.1e\n", s->name[q->master],
                       value_difference(q));
    }
    if (q->npart > 0) {
        zw_text_put(out, "  M =");
        for (int k = 0; k < q->npart; k++)
            zw_text_printf(out, "%s (%s) I%d", k ? " +" : "", q->factor[k], k + 1);
        zw_text_put(out, "\n");
        for (int k = 0; k < q->npart; k++) {
            zw_text_printf(out, "    I%d = ", k + 1);
            put_value(out, &q->integral[k]);
            put_exact(out, &q->exact[k]);
            zw_text_put(out, "\n");
        }
    }
    put_meaning(out, s, q);
    if (s->eps != 0)
        zw_text_printf(out, "  %s is at most %.2g of f0 on the way\n",
                       s->nsmall == 1 ? "eps*f1" : "f1", q->part);
}

static void put_unit(zw_text *out, const zw_parameter_range *o) {
    if (o->unit[0])
        zw_text_printf(out, " %s", o->unit);
}

static void put_root(zw_text *out, const zw_melnikov *s, int i) {
    const zw_melnikov_root *r = &s->root[i];
    const zw_parameter_range *o = &s->over[0];
    zw_text_printf(out, "  %s = %.12g", o->name, r->value / o->factor);
    put_unit(out, o);
    zw_text_printf(out, " +- %.1e", r->error / o->factor);
    if (!isnan(r->other))
        zw_text_printf(out, " (over the coordinate %.12g)", r->other / o->factor);
    if (r->rises)
        zw_text_printf(out, ": the sets cross %s", r->rises > 0 ? "above" : "below");
    else
        zw_text_printf(out, ": the saddles are connected, dM/d%s = %.6g", o->name,
                       r->slope * o->factor);
    zw_text_printf(out, ", separatrix %d\n", r->separatrix);
}

static void put_roots(zw_text *out, const zw_melnikov *s) {
    const zw_parameter_range *o = &s->over[0];
    int points = 0;
    zw_text_printf(out, "\n%s from %.9g to %.9g", o->name, o->from / o->factor, o->to / o->factor);
    put_unit(out, o);
    zw_text_put(out, s->plane.base > 0 ? ", thresholds of zeros of M(t0):\n" : ", zeros of M:\n");
    for (int i = 0; i < s->nroot; i++)
        if (isnan(s->root[i].second))
            put_root(out, s, i);
        else
            points++;
    if (points > 0)
        zw_text_printf(out, "over %s: %d points of curves\n", s->over[1].name, points);
}

static void put_series(zw_text *out, const zw_melnikov *s) {
    const zw_parameter_range *o = &s->expand;
    zw_text_printf(out, "\nas a series in %s%s:\n", o->name,
                   o->from != 0 ? " - its first value" : "");
    for (int i = 0; i < s->nseries; i++) {
        const zw_melnikov_series *q = &s->series[i];
        char power[32] = "1";
        if (q->power_num != 0)
            snprintf(power, sizeof power, q->power_den > 1 ? "%s^(%d/%d)" : "%s^%d", o->name,
                     q->power_num, q->power_den);
        zw_text_printf(out, "  %s%s%s = %s times\n", q->factor[0] ? "integral with factor " : "M",
                       q->factor, "", power);
        for (int k = 0; k < q->n; k++) {
            const zw_melnikov_term *t = &q->term[k];
            zw_text_printf(out, "    %s^%d: %.15g +- %.1e", o->name, k, t->value, t->error);
            if (t->exact.known) {
                put_exact(out, &t->exact);
                zw_text_put(out, "\n");
                continue;
            }
            if (t->recognised && t->num == 0)
                zw_text_put(out, "   = 0 within its error\n");
            if (t->recognised && t->num == 0)
                continue;
            if (t->recognised && t->den == 1)
                zw_text_printf(out, "   = %ld", t->num);
            else if (t->recognised)
                zw_text_printf(out, "   = %ld/%ld", t->num, t->den);
            if (t->recognised)
                zw_text_printf(out, ", recognised to %.1f digits", t->digits);
            zw_text_put(out, "\n");
        }
    }
}

static void put_cycles(zw_text *out, const zw_melnikov *s) {
    const zw_parameter_range *o = &s->over[0];
    double centre[2];
    zw_text_printf(out, "\n%s ",
                   !s->options.rotating      ? "closed curves about"
                   : s->options.rotating > 0 ? "rotations above"
                                             : "rotations below");
    zw_melnikov_reported(s, s->centre, centre);
    put_point(out, s, centre);
    zw_text_printf(out, ", amplitudes of %s from %.6g to %.6g", s->name[s->ray], s->amplitude[0],
                   s->amplitude[1]);
    if (s->reach > 0)
        zw_text_printf(out, "; the separatrix has %.9g", s->reach);
    zw_text_put(out, "\n");
    for (int i = 0; i < s->nresonance; i++) {
        const zw_melnikov_resonance *r = &s->resonance[i];
        zw_text_printf(out, "  %d period%s of the drive: amplitude %.9g, M = ", r->order,
                       r->order == 1 ? "" : "s", r->amplitude);
        put_value(out, &r->M);
        zw_text_printf(
            out, "\n    between %.9g and %.9g: %s\n", r->M.low, r->M.high,
            !zw_melnikov_has_sign(&r->M) ? "zero within its error, what is left of it is not told"
            : r->M.low < 0 && r->M.high > 0 ? "simple zeros, subharmonic motions are left of it"
                                            : "no zero, nothing is left of it");
    }
    if (!s->has_over) {
        for (int i = 0; i < s->ncycle; i++) {
            const zw_melnikov_cycle *c = &s->cycle[i];
            zw_text_printf(out, "  amplitude %.12g: %s, period %.9g s, multiplier %.6g, C = %.9g\n",
                           c->amplitude,
                           !zw_melnikov_is_reported(c) ? "a cycle, its stability is not told"
                           : s->eps * c->slope < 0     ? "a stable cycle"
                                                       : "an unstable cycle",
                           c->period, c->multiplier, c->level);
        }
        return;
    }
    int stable = 0, blurred = 0, last = s->ncycle - 1;
    for (int i = 0; i < s->ncycle; i++) {
        stable += zw_melnikov_is_reported(&s->cycle[i]) && s->eps * s->cycle[i].slope < 0;
        blurred += !zw_melnikov_is_reported(&s->cycle[i]) && !s->cycle[i].fold;
    }
    zw_text_printf(out, "  %d of them become cycles for %s in the range, %d stable ones", s->ncycle,
                   o->name, stable);
    if (blurred)
        zw_text_printf(out, "; of %d stability is not told", blurred);
    zw_text_put(out, "\n");
    for (int i = 0; i <= last; i++) {
        const zw_melnikov_cycle *c = &s->cycle[i];
        if (i != 0 && i != last && !c->fold)
            continue;
        zw_text_printf(out, "  %s: amplitude %.9g, %s = %.10g",
                       c->fold ? "fold"
                       : i     ? "last"
                               : "first",
                       c->amplitude, o->name, c->value / o->factor);
        put_unit(out, o);
        zw_text_printf(out, ", period %.9g s, multiplier %.6g\n", c->period, c->multiplier);
    }
}

static void put_states(zw_text *out, const zw_melnikov *s, const double *x) {
    for (int i = 0; i < s->space.n; i++)
        zw_text_printf(out, "%s%s = %.9g", i ? ", " : "", s->space.name[i], x[i]);
}

/* Is it nonzero beyond its error, as far as that is known? */
static bool has_sign(const zw_melnikov_orbit *q, int i) {
    return fabs(q->M[i]) > 10 * q->error[i];
}

static void put_orbit(zw_text *out, const zw_melnikov *s, const zw_melnikov_orbit *q) {
    zw_text_printf(out, "\nto side %c of the eigenvector: from ", q->side > 0 ? '+' : '-');
    put_states(out, s, q->from);
    zw_text_put(out, "\n  to ");
    put_states(out, s, q->to);
    zw_text_printf(out,
                   "\n  leaves with %.9g 1/s; at its end %d stable and %d neutral direction%s, met "
                   "to %.1e\n",
                   q->rate, q->stable, q->neutral, q->neutral == 1 ? "" : "s", q->closing);
    for (int i = 0; i < q->nquantity; i++) {
        zw_text_printf(out, "  M of %s = %.15g +- %.1e; it is %.12g, kept to %.1e\n",
                       s->space.text[i], q->M[i], q->error[i], q->level[i], q->drift[i]);
        if (s->eps == 0)
            continue;
        if (has_sign(q, i))
            zw_text_printf(out, "    it changes by %.6g along it, to first order\n",
                           s->eps * q->M[i]);
        else
            zw_text_put(out, "    zero within its error: to first order it does not change\n");
    }
    if (s->eps != 0)
        zw_text_printf(out, "  %s is at most %.2g of f0 on the way\n",
                       s->nsmall == 1 ? "eps*f1" : "f1", q->part);
}

static char *text_of_orbits(const zw_melnikov *s, zw_text *out) {
    zw_text_put(out, "conserved without it, identically:");
    for (int i = 0; i < s->space.nquantity; i++)
        zw_text_printf(out, "%s %s", i ? "," : "", s->space.text[i]);
    zw_text_put(out, "\n");
    for (int i = 0; i < s->norbit; i++)
        put_orbit(out, s, &s->found[i]);
    for (int k = 0; k < 2 && s->norbit == 1; k++)
        if (s->why[k][0] && !s->options.side)
            zw_text_printf(out, "\nto side %c of the eigenvector there is none: %s\n",
                           k ? '-' : '+', s->why[k]);
    return zw_text_take(out);
}

char *zw_melnikov_text(const zw_melnikov *s) {
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s, small: %s\n", s->sys->name, s->options.small);
    if (s->space.n > 0)
        return text_of_orbits(s, &out);
    zw_text_printf(&out, "conserved without it: C = %s; its rate vanishes %s\n", s->conserved,
                   s->proved ? "identically" : "at all points that were tried");
    for (int i = 0; i < s->nseparatrix; i++)
        put_separatrix(&out, s, i);
    for (int k = 0; k < 2 && s->nseparatrix > 0 && s->nseparatrix < 2; k++)
        if (s->why[k][0] && !s->options.side)
            zw_text_printf(&out, "\nto side %c of the eigenvector there is none: %s\n",
                           k ? '-' : '+', s->why[k]);
    if (s->nseries > 0)
        put_series(&out, s);
    if (s->has_over && !s->options.cycles)
        put_roots(&out, s);
    if (s->options.cycles)
        put_cycles(&out, s);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void write_json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, ", \"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_list(zw_text *out, const char *key, int n, const double *value) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int k = 0; k < n; k++) {
        zw_text_put(out, k ? ", " : "");
        zw_text_json_number(out, value[k]);
    }
    zw_text_put(out, "]");
}

static void json_exact(zw_text *out, const zw_melnikov_number *n) {
    char text[240];
    if (!n->known)
        return;
    zw_text_put(out, ", \"exact\": ");
    zw_text_json(out, zw_melnikov_number_text(n, sizeof text, text));
}

static void json_value(zw_text *out, const char *key, const zw_melnikov_value *v) {
    zw_text_printf(out, ", \"%s\": {\"mean\": ", key);
    zw_text_json_number(out, v->mean);
    write_json_number(out, "error", v->error);
    if (v->base > 0) {
        write_json_number(out, "frequency", v->base);
        json_list(out, "cos", v->harmonics, v->c);
        json_list(out, "sin", v->harmonics, v->s);
        write_json_number(out, "low", v->low);
        write_json_number(out, "high", v->high);
    }
    zw_text_put(out, "}");
}

static void json_separatrix(zw_text *out, const zw_melnikov_separatrix *q) {
    zw_text_printf(out, "{\"side\": %d", q->side);
    json_list(out, "from", 2, q->saddle[0]);
    json_list(out, "to", 2, q->saddle[1]);
    json_list(out, "middle", 2, q->middle);
    json_list(out, "rates", 2, q->rate);
    write_json_number(out, "level", q->level);
    write_json_number(out, "closing", q->closing);
    write_json_number(out, "drift", q->drift);
    write_json_number(out, "slope", q->slope);
    write_json_number(out, "part", q->part);
    json_value(out, "time", &q->time);
    json_value(out, "coordinate", &q->coordinate);
    if (q->npart == 0)
        json_exact(out, &q->exact[0]);
    zw_text_put(out, ", \"parts\": [");
    for (int k = 0; k < q->npart; k++) {
        zw_text_put(out, k ? ", {\"factor\": " : "{\"factor\": ");
        zw_text_json(out, q->factor[k]);
        write_json_number(out, "factor_value", q->factor_value[k]);
        json_value(out, "integral", &q->integral[k]);
        json_exact(out, &q->exact[k]);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]}");
}

static void json_roots(zw_text *out, const zw_melnikov *s) {
    zw_text_put(out, ",\n\"zeros\": [");
    for (int i = 0; i < s->nroot; i++) {
        const zw_melnikov_root *r = &s->root[i];
        zw_text_put(out, i ? ",\n{\"value\": " : "\n{\"value\": ");
        zw_text_json_number(out, r->value);
        write_json_number(out, "error", r->error);
        write_json_number(out, "slope", r->slope);
        write_json_number(out, "other", r->other);
        write_json_number(out, "second", r->second);
        zw_text_printf(out, ", \"separatrix\": %d, \"rises\": %d}", r->separatrix, r->rises);
    }
    zw_text_put(out, "]");
}

static void json_series(zw_text *out, const zw_melnikov *s) {
    zw_text_put(out, ",\n\"series\": [");
    for (int i = 0; i < s->nseries; i++) {
        const zw_melnikov_series *q = &s->series[i];
        zw_text_put(out, i ? ",\n{\"factor\": " : "\n{\"factor\": ");
        zw_text_json(out, q->factor);
        zw_text_printf(out, ", \"power\": [%d, %d], \"terms\": [", q->power_num, q->power_den);
        for (int k = 0; k < q->n; k++) {
            const zw_melnikov_term *t = &q->term[k];
            zw_text_put(out, k ? ", {\"value\": " : "{\"value\": ");
            zw_text_json_number(out, t->value);
            write_json_number(out, "error", t->error);
            if (t->recognised) {
                zw_text_printf(out, ", \"fraction\": [%ld, %ld]", t->num, t->den);
                write_json_number(out, "digits", t->digits);
            }
            json_exact(out, &t->exact);
            zw_text_put(out, "}");
        }
        zw_text_put(out, "]}");
    }
    zw_text_put(out, "]");
}

static void json_cycles(zw_text *out, const zw_melnikov *s) {
    zw_text_put(out, ",\n\"cycles\": [");
    for (int i = 0; i < s->ncycle; i++) {
        const zw_melnikov_cycle *c = &s->cycle[i];
        zw_text_put(out, i ? ",\n{\"amplitude\": " : "\n{\"amplitude\": ");
        zw_text_json_number(out, c->amplitude);
        write_json_number(out, "value", c->value);
        write_json_number(out, "level", c->level);
        write_json_number(out, "period", c->period);
        write_json_number(out, "slope", c->slope);
        write_json_number(out, "multiplier", c->multiplier);
        write_json_number(out, "error", c->error);
        zw_text_printf(out, ", \"stable\": %s, \"fold\": %s}",
                       !zw_melnikov_is_reported(c) ? "null"
                       : s->eps * c->slope < 0     ? "true"
                                                   : "false",
                       c->fold ? "true" : "false");
    }
    zw_text_put(out, "]");
}

static void json_resonances(zw_text *out, const zw_melnikov *s) {
    zw_text_put(out, ",\n\"resonances\": [");
    for (int i = 0; i < s->nresonance; i++) {
        const zw_melnikov_resonance *r = &s->resonance[i];
        zw_text_printf(out, "%s{\"order\": %d", i ? ",\n" : "\n", r->order);
        write_json_number(out, "amplitude", r->amplitude);
        write_json_number(out, "level", r->level);
        write_json_number(out, "period", r->period);
        json_value(out, "M", &r->M);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

static void json_names(zw_text *out, const char *key, int n, const char *const *name) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, name[i]);
    }
    zw_text_put(out, "]");
}

static char *json_of_orbits(const zw_melnikov *s, zw_text *out) {
    json_names(out, "states", s->space.n, s->space.name);
    json_names(out, "conserved", s->space.nquantity, s->space.text);
    zw_text_put(out, ",\n\"orbits\": [");
    for (int i = 0; i < s->norbit; i++) {
        const zw_melnikov_orbit *q = &s->found[i];
        zw_text_printf(out, "%s{\"side\": %d", i ? ",\n" : "\n", q->side);
        json_list(out, "from", q->n, q->from);
        json_list(out, "to", q->n, q->to);
        json_list(out, "M", q->nquantity, q->M);
        json_list(out, "error", q->nquantity, q->error);
        json_list(out, "level", q->nquantity, q->level);
        json_list(out, "drift", q->nquantity, q->drift);
        write_json_number(out, "rate", q->rate);
        write_json_number(out, "time", q->time);
        write_json_number(out, "closing", q->closing);
        write_json_number(out, "part", q->part);
        zw_text_printf(out, ", \"stable\": %d, \"neutral\": %d}", q->stable, q->neutral);
    }
    zw_text_put(out, "]}\n");
    return zw_text_take(out);
}

char *zw_melnikov_json(const zw_melnikov *s) {
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, s->sys->name);
    zw_text_put(&out, ", \"small\": ");
    zw_text_json(&out, s->options.small);
    if (s->space.n > 0)
        return json_of_orbits(s, &out);
    zw_text_put(&out, ", \"conserved\": ");
    zw_text_json(&out, s->conserved);
    zw_text_printf(&out, ", \"proved\": %s, \"states\": [", s->proved ? "true" : "false");
    zw_text_json(&out, s->name[0]);
    zw_text_put(&out, ", ");
    zw_text_json(&out, s->name[1]);
    zw_text_put(&out, "],\n\"separatrices\": [");
    for (int i = 0; i < s->nseparatrix; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        json_separatrix(&out, &s->separatrix[i]);
    }
    zw_text_put(&out, "]");
    if (s->nseries > 0)
        json_series(&out, s);
    if (s->has_over && !s->options.cycles)
        json_roots(&out, s);
    if (s->options.cycles)
        json_cycles(&out, s);
    if (s->nresonance > 0)
        json_resonances(&out, s);
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}

/* ---- warnings ---- */

static void doubt_separatrix(const zw_melnikov *s, int i, zw_warnings *out) {
    const zw_melnikov_separatrix *q = &s->separatrix[i];
    if (q->part > LARGE_PERTURBATION) {
        zw_warning d = zw_warning_of(
            "small", NAN,
            "what is small is %.2g of the unperturbed rates along separatrix %d: terms of second "
            "order, which are not computed, may be as large as those of first order",
            q->part, i);
        zw_warnings_add(out, &d);
    }
    if (q->time.error > AGREEMENT * q->time.size) {
        zw_warning d = zw_warning_of(
            "convergence", NAN,
            "the integral over time along separatrix %d has converged to %.1e of its size only", i,
            q->time.error / q->time.size);
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
        zw_warning d =
            zw_warning_of("sign", NAN,
                          "whether M(t0) along separatrix %d has zeros is not told: it is "
                          "so near to it that the error of M, %.1e, decides",
                          i, q->time.error);
        zw_warnings_add(out, &d);
    }
    if (q->closing > CLOSURE_WARNING) {
        zw_warning d = zw_warning_of(
            "closing", NAN, "separatrix %d misses the saddle where it ends by %.1e of the distance",
            i, q->closing);
        zw_warnings_add(out, &d);
    }
}

static void doubt_orbit(const zw_melnikov *s, int i, zw_warnings *out) {
    const zw_melnikov_orbit *q = &s->found[i];
    if (q->part > LARGE_PERTURBATION) {
        zw_warning d = zw_warning_of(
            "small", NAN,
            "what is small is %.2g of the unperturbed rates: terms of second order, which are not "
            "computed, may be as large as those of first order",
            q->part);
        zw_warnings_add(out, &d);
    }
    for (int k = 0; k < q->nquantity; k++)
        if (q->error[k] > INTEGRAL_WARNING * fabs(q->M[k]) && has_sign(q, k)) {
            zw_warning d = zw_warning_of("convergence", NAN, "M of %s is known to %.1e of it only",
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
        snprintf(left, sizeof left, " (what is left is %.1e of it)", q->tail);
    zw_warning d = zw_warning_of(
        "series", NAN,
        "the series in %s does not converge over the range%s: its coefficients and their errors "
        "are no more than a guess. Take a shorter range%s",
        s->expand.name, left,
        s->expand.from == 0 ? ", unless its leading power is none of those that are tried" : "");
    zw_warnings_add(out, &d);
}

void zw_melnikov_warnings(const zw_melnikov *s, zw_warnings *out) {
    for (int i = 0; i < s->norbit; i++)
        doubt_orbit(s, i, out);
    if (!s->proved) {
        zw_warning d = zw_warning_of(
            "conserved", NAN, "that %s is conserved was seen at points, not proved", s->conserved);
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
                              "whether M(t0) over %d periods of the drive has zeros is not "
                              "told: the error of M, %.1e, decides",
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
