/* SPDX-License-Identifier: MIT */
/* A steady motion and its stability, for people and as JSON. Eigenvalues come sorted, the least stable first, and pairs of
 * conjugates once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "equilibria.h"

#define CHAIN 1e-4 /* 1/s: what rounding makes of a zero of a chain: shifts that grow with a turn */

/* ------------------------------------------------------------------------------------------ eigenvalues */

typedef struct value {
    double re, im;
    int index;
} value;

static int by_growth(const void *a, const void *b) {
    const value *x = a, *y = b;
    if (x->re != y->re)
        return x->re < y->re ? 1 : -1;
    return x->im < y->im ? 1 : x->im > y->im ? -1 : x->index - y->index;
}

/* the eigenvalues in order, those of size zero as such: the nzero smallest; NULL if memory is short */
static value *sorted(const zw_equilibria *e) {
    const zw_linearisation *a = &e->linear;
    zw_arena *arena = (zw_arena *)&e->arena;
    value *v = ZW_NEW(arena, value, a->n + 1);
    bool *zero = ZW_NEW(arena, bool, a->n + 1);
    if (!v || !zero)
        return NULL;
    for (int k = 0; k < a->nzero; k++) {
        int least = -1;
        for (int i = 0; i < a->n; i++)
            if (!zero[i] &&
                (least < 0 || hypot(a->re[i], a->im[i]) < hypot(a->re[least], a->im[least])))
                least = i;
        zero[least] = true;
    }
    for (int i = 0; i < a->n; i++)
        v[i] = (value){zero[i] ? 0 : a->re[i], zero[i] ? 0 : a->im[i], i};
    qsort(v, (size_t)a->n, sizeof *v, by_growth);
    return v;
}

/* what is rounding beside something else */
static double clean(double part, double other) {
    return fabs(part) < 1e-12 * fabs(other) ? 0 : part;
}

static void put_eigenvalue(zw_text *out, double re, double im, double condition) {
    double size = hypot(re, im);
    if (im == 0)
        zw_text_printf(out, "    %18.10g                      ", re);
    else
        zw_text_printf(out, "    %18.10g +- %16.10gi ", clean(re, im), fabs(im));
    if (im != 0)
        zw_text_printf(out, "  %10.6g Hz, damping %9.6f", fabs(im) / (2 * M_PI),
                       clean(-re, im) / size);
    else if (re != 0)
        zw_text_printf(out, "  %s in %.6g s", re > 0 ? "doubles" : "halves", log(2) / fabs(re));
    if (condition > 1e6)
        zw_text_printf(out, "  (ill-conditioned: %.1e)", condition);
    zw_text_put(out, "\n");
}

/* ------------------------------------------------------------------------------------------------ text */

/* of the rate of a symmetry: that of its first displacement, per second */
static const char *unit_of_rate(const zw_equilibria *e, int i) {
    const double *factor = e->symmetries.combination + (size_t)i * (size_t)e->symmetries.nfield;
    for (int j = 0; j < e->symmetries.nfield; j++)
        if (factor[j] != 0)
            return e->displacement[j].kind == ZW_DISPLACE_SHIFT
                       ? e->sys->coord[e->displacement[j].index].unit
                       : "rad";
    return "";
}

static void put_symmetries(zw_text *out, const zw_equilibria *e) {
    const zw_symmetries *s = &e->symmetries;
    char name[400];
    for (int i = 0; i < s->n; i++) {
        const char *unit = unit_of_rate(e, i);
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_text_printf(out, "  %-12s%s at %.10g %s/s\n", i ? "" : "symmetries", name,
                       clean(e->motion.c[i], 1), unit[0] ? unit : "1");
    }
    if (!s->autonomous) {
        zw_equilibria_symmetry_name(e, -1, name, sizeof name);
        zw_text_printf(out, "  %-12s%s\n", "with time", name[0] ? name : "nothing moves");
    }
    if (e->motion.nfixed)
        zw_text_printf(out,
                       "  %-12s%d of them together leave the motion as it is: their rates are the "
                       "least that do, without turns in space\n",
                       "", e->motion.nfixed + 1);
}

static void put_state(zw_text *out, const zw_equilibria *e) {
    for (int i = 0; i < e->eq.nq + e->eq.nv; i++) {
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        double size = e->scale[i], x = e->motion.x[i];
        zw_text_printf(out, "  %-12s%s = %.10g%s%s\n", i ? "" : "state", name,
                       fabs(x) < 1e-13 * size ? 0 : x, unit[0] ? " " : "", unit);
    }
}

/* inputs are held at what they are at the time of the motion */
static void put_inputs(zw_text *out, const zw_equilibria *e) {
    const zw_system *s = e->sys;
    for (int i = 0; i < s->nsignal; i++)
        zw_text_printf(out, "  %-12s%s = %.10g%s%s, held\n", i ? "" : "inputs", s->signal[i].name,
                       zw_system_signal_at(s, i, e->p, e->options.t, e->options.t),
                       s->signal[i].unit[0] ? " " : "", s->signal[i].unit);
}

static void put_forces(zw_text *out, const zw_equilibria *e) {
    const zw_system *s = e->sys;
    double most = 0;
    for (int c = 0; c < e->eq.nc; c++)
        most = fmax(most, fabs(e->motion.z[e->eq.nv + c]));
    for (int c = 0; c < e->eq.nc; c++) {
        const zw_constraint *k = &s->constraint[e->eq.constraint[c]];
        zw_text_printf(out, "  %-12slambda(%s) = %.10g%s%s\n", c ? "" : "forces", k->name,
                       clean(e->motion.z[e->eq.nv + c], most), k->lambda_unit[0] ? " " : "",
                       k->lambda_unit);
    }
}

static void put_orbit_values(zw_text *out, const zw_linearisation *a) {
    if (!a->norbit)
        return;
    zw_text_put(out, "  not counted, along the symmetries:");
    for (int i = 0; i < a->norbit; i++)
        if (a->orbit_im[i] > CHAIN)
            zw_text_printf(out, " +-%.10gi", a->orbit_im[i]);
        else if (a->orbit_im[i] > -CHAIN)
            zw_text_put(out, " 0");
    zw_text_put(out, "\n");
}

static const char *verdict(const zw_equilibria *e) {
    switch (zw_equilibria_stability(e)) {
    case ZW_UNSTABLE:
        return "unstable: a disturbance grows";
    case ZW_STABLE:
        return e->linear.n == e->linear.nzero ? "every disturbance is a neighbouring steady motion"
                                              : "stable: every other disturbance dies out";
    default:
        return "no disturbance grows, some do not die out: linear terms do not decide";
    }
}

static void put_spectrum(zw_text *out, const zw_equilibria *e, const value *v) {
    const zw_linearisation *a = &e->linear;
    zw_text_printf(out, "  eigenvalues %d dimensions - %d of symmetries = %d\n", a->dimension,
                   a->norbit, a->n);
    for (int i = 0; i < a->n; i++)
        if (v[i].im >= 0)
            put_eigenvalue(out, v[i].re, v[i].im, a->condition[v[i].index]);
    if (a->nfamily && !e->family)
        zw_text_printf(out, "  %d zero%s that no family explains: solutions meet or branch here\n",
                       a->nfamily, a->nfamily > 1 ? "s" : "");
    else if (a->nfamily)
        zw_text_printf(
            out, "  %d zero%s: neighbouring steady motions, a family of %d parameter%s\n",
            a->nfamily, a->nfamily > 1 ? "s" : "", a->nfamily, a->nfamily > 1 ? "s" : "");
    if (a->nzero > a->nfamily)
        zw_text_printf(out, "  %d more zero%s: disturbances that grow as powers of time\n",
                       a->nzero - a->nfamily, a->nzero - a->nfamily > 1 ? "s" : "");
    put_orbit_values(out, a);
    zw_text_printf(out, "  %s\n", verdict(e));
}

char *zw_equilibria_text(const zw_equilibria *e) {
    zw_text out;
    const value *v = sorted(e);
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_text_init(&out, &alloc);
    if (!v)
        return NULL;
    zw_text_printf(&out, "%s: %s, after %d steps%s\n", e->sys->name,
                   zw_equilibria_at_rest(e) ? "an equilibrium" : "a steady motion",
                   e->motion.iterations,
                   e->motion.degenerate ? "; degenerate: solutions meet here" : "");
    put_symmetries(&out, e);
    put_inputs(&out, e);
    put_state(&out, e);
    put_forces(&out, e);
    put_spectrum(&out, e, v);
    return zw_text_take(&out);
}

/* ------------------------------------------------------------------------------------------------ JSON */

static void json_numbers(zw_text *out, const char *key, int n, const double *x) {
    zw_text_printf(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, x[i]);
    }
    zw_text_put(out, "]");
}

static void json_names(zw_text *out, const zw_equilibria *e) {
    char name[400];
    const char *unit;
    zw_text_put(out, ",\n  \"state_names\": [");
    for (int i = 0; i < e->eq.nq + e->eq.nv; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, zw_equilibria_entry(e, i, &unit));
    }
    zw_text_put(out, "],\n  \"symmetries\": [");
    for (int i = 0; i < e->symmetries.n; i++) {
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, name);
    }
    zw_text_put(out, "]");
}

char *zw_equilibria_json(const zw_equilibria *e) {
    static const char *const word[] = {"stable", "unstable", "centre"};
    const zw_linearisation *a = &e->linear;
    zw_text out;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\n  \"model\": ");
    zw_text_json(&out, e->sys->name);
    zw_text_printf(&out,
                   ",\n  \"at_rest\": %s,\n  \"degenerate\": %s,\n  \"iterations\": %d,\n  "
                   "\"dimension\": %d,\n  \"orbit_dimension\": %d,\n  \"families\": %d,\n  "
                   "\"zeros\": %d,\n  \"branching\": %s,\n  \"stability\": \"%s\"",
                   zw_equilibria_at_rest(e) ? "true" : "false",
                   e->motion.degenerate ? "true" : "false", e->motion.iterations, a->dimension,
                   a->norbit, a->nfamily, a->nzero, e->family ? "false" : "true",
                   word[zw_equilibria_stability(e)]);
    json_names(&out, e);
    json_numbers(&out, "rates", e->symmetries.n, e->motion.c);
    json_numbers(&out, "state", e->eq.nq + e->eq.nv, e->motion.x);
    json_numbers(&out, "multipliers", e->eq.nc, e->motion.z + e->eq.nv);
    json_numbers(&out, "eigenvalues_re", a->n, a->re);
    json_numbers(&out, "eigenvalues_im", a->n, a->im);
    json_numbers(&out, "condition", a->n, a->condition);
    json_numbers(&out, "orbit_re", a->norbit, a->orbit_re);
    json_numbers(&out, "orbit_im", a->norbit, a->orbit_im);
    json_numbers(&out, "A", a->n * a->n, a->A);
    json_numbers(&out, "T", a->nx * a->n, a->T);
    zw_text_put(&out, "\n}\n");
    return zw_text_take(&out);
}
