/* SPDX-License-Identifier: MIT */
/* A steady motion and its stability as text and as JSON. Eigenvalues are sorted, the least stable
 * first, and a pair is printed once. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/tolerance.h"
#include "equilibria.h"

#define DEFECTIVE 1e6 /* condition of an eigenvalue: half of the digits are lost */
/* 1/s: imaginary part of a zero of a chain along the orbits (a translation that grows with a
 * rotation), which rounding splits by the square root of 1e-8. */
#define CHAIN_ROUNDOFF 1e-4
#define ENTRY_ROUNDOFF ZW_ROUNDOFF_VALUE /* of the size of an entry: printed as zero */
#define RATE_ROUNDOFF ZW_ROUNDOFF_SUM /* rate along a symmetry in its unit, and parts of a number */
enum { LINE_WIDTH = 100, LINE_INDENT = 17 }; /* of lists */

/* ---------------------------------------------------------------------------------- eigenvalues */

typedef struct value {
    double re, im;
    int index;
    int mode; /* its number; the two of a pair are one mode */
} value;

/* Is it left over from the steps of the search? Smaller remainders have been treated already
 * (src/motion/steady/steady.c): they are 0 there unless an equation needs them, as a charge of
 * 1e-18 C. */
static bool is_noise(const zw_equilibria *e, int i, double x, double size) {
    return fabs(x) < ENTRY_ROUNDOFF * size && fabs(x) > DBL_EPSILON * e->scale[i];
}

/* A real or imaginary part; 0 if it is rounding relative to the other. */
static double clean_part(double part, double other) {
    return fabs(part) < RATE_ROUNDOFF * fabs(other) ? 0 : part;
}

/* The eigenvalues in order, those that are zero as zeros; NULL if out of memory. */
static value *sorted_eigenvalues(const zw_equilibria *e) {
    const zw_linearisation *a = &e->linear;
    zw_arena *arena = (zw_arena *)&e->arena;
    value *v = ZW_NEW(arena, value, a->n + 1);
    int *order = zw_equilibria_order(e, arena), number = 0;
    if (!v || !order)
        return NULL;
    for (int k = 0; k < a->n; k++) {
        int i = order[k];
        bool zero = zw_equilibria_is_zero(a, i);
        number += zero || a->im[i] >= 0;
        v[k] = (value){zero ? 0 : clean_part(a->re[i], a->im[i]), zero ? 0 : a->im[i], i, number};
    }
    return v;
}

static void put_eigenvalue(zw_text *out, int mode, double re, double im, double condition) {
    double size = hypot(re, im);
    if (im == 0)
        zw_text_printf(out, "  %3d %17.10g                      ", mode, re);
    else
        zw_text_printf(out, "  %3d %17.10g +- %16.10gi ", mode, clean_part(re, im), fabs(im));
    if (im != 0)
        zw_text_printf(out, "  %10.6g Hz, damping %9.6f", fabs(im) / (2 * M_PI),
                       clean_part(-re, im) / size);
    else if (re != 0)
        zw_text_printf(out, "  %s in %.6g s", re > 0 ? "doubles" : "halves", log(2) / fabs(re));
    if (condition > DEFECTIVE)
        zw_text_printf(out, "  (ill-conditioned: %.1e)", condition);
    zw_text_put(out, "\n");
}

/* ----------------------------------------------------------------------------------------- text */

/* The unit of the first displacement of a symmetry. */
static const char *unit_of_displacement(const zw_equilibria *e, int i) {
    const double *factor = e->symmetries.combination + (size_t)i * (size_t)e->symmetries.nfield;
    for (int j = 0; j < e->symmetries.nfield; j++)
        if (factor[j] != 0)
            return e->displacement[j].kind == ZW_DISPLACE_SHIFT
                       ? e->sys->coord[e->displacement[j].index].unit
                       : "rad";
    return "";
}

void zw_equilibria_rate_unit(const zw_equilibria *e, int i, char *out, size_t size) {
    const char *unit = unit_of_displacement(e, i);
    snprintf(out, size, "%s/s", unit[0] ? unit : "1");
}

static void put_symmetries(zw_text *out, const zw_equilibria *e) {
    const zw_symmetries *s = &e->symmetries;
    char name[400];
    for (int i = 0; i < s->n; i++) {
        char unit[64];
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_equilibria_rate_unit(e, i, unit, sizeof unit);
        zw_text_printf(out, "  %-12s%s at %.10g %s\n", i ? "" : "symmetries", name,
                       clean_part(e->motion.c[i], 1), unit);
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
        if (zw_system_is_past(e->sys, i))
            continue;
        zw_text_printf(out, "  %-12s%s = %.10g%s%s\n", i ? "" : "state", name,
                       is_noise(e, i, x, size) ? 0 : x, unit[0] ? " " : "", unit);
    }
}

/* Inputs are held at their values at the time of the motion. */
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
                       clean_part(e->motion.z[e->eq.nv + c], most), k->lambda_unit[0] ? " " : "",
                       k->lambda_unit);
    }
}

static void put_orbit_values(zw_text *out, const zw_linearisation *a) {
    if (!a->norbit)
        return;
    zw_text_put(out, "  not counted, along the symmetries:");
    for (int i = 0; i < a->norbit; i++)
        if (a->orbit_im[i] > CHAIN_ROUNDOFF)
            zw_text_printf(out, " +-%.10gi", a->orbit_im[i]);
        else if (a->orbit_im[i] > -CHAIN_ROUNDOFF)
            zw_text_put(out, " 0");
    zw_text_put(out, "\n");
}

/* Do undamped oscillations coalesce, so that disturbances grow with time as in a resonance? */
static bool is_resonant(const zw_linearisation *a) {
    for (int i = 0; i < a->n; i++)
        if (a->im[i] != 0 && a->condition[i] > DEFECTIVE && !zw_equilibria_is_zero(a, i) &&
            fabs(a->re[i]) < a->im[i] / sqrt(DEFECTIVE))
            return true;
    return false;
}

static const char *stability_text(const zw_equilibria *e) {
    zw_stability stability = zw_equilibria_stability(e);
    if (e->lost && stability != ZW_UNSTABLE)
        return "stability is open: one eigenvalue is not computed";
    switch (stability) {
    case ZW_UNSTABLE:
        return "unstable: a disturbance grows";
    case ZW_STABLE:
        return e->linear.n == e->linear.nzero ? "every disturbance is a neighbouring steady motion"
                                              : "stable: every other disturbance dies out";
    default:
        return zw_equilibria_is_minimum(e)
                   ? "stable: the potential has a minimum here, and its energy stays (Dirichlet)"
               : is_resonant(&e->linear)
                   ? "undamped oscillations of equal frequency act on each other: they may grow "
                     "with time"
                   : "no disturbance grows, some do not die out: linear terms do not decide";
    }
}

/* Append to a list of names: "a, b". */
static void put_listed(zw_text *out, int *n, const char *name) {
    zw_text_printf(out, "%s%s", (*n)++ ? ", " : "", name);
}

/* The family of the zeros, and the quantities that are conserved. */
static void put_zeros(zw_text *out, const zw_equilibria *e, const char *indent) {
    const zw_linearisation *a = &e->linear;
    const zw_zeros *z = &e->zeros;
    char name[400];
    int n = 0, more = a->nzero - a->nfamily;
    const char *unit;
    if (e->lost)
        zw_text_printf(out, "%sthe zero is an eigenvalue too small to be computed\n", indent);
    else if (a->nfamily && !e->family)
        zw_text_printf(out, "%s%d zero%s that no family explains: solutions meet or branch here\n",
                       indent, a->nfamily, a->nfamily > 1 ? "s" : "");
    else if (a->nfamily) {
        zw_text_printf(
            out, "%s%d zero%s: neighbouring steady motions, a family of %d parameter%s (", indent,
            a->nfamily, a->nfamily > 1 ? "s" : "", a->nfamily, a->nfamily > 1 ? "s" : "");
        for (int i = 0; i < z->nentry; i++)
            put_listed(out, &n, zw_equilibria_entry(e, z->entry[i], &unit));
        zw_text_put(out, ")\n");
    }
    if (more > 0)
        zw_text_printf(out,
                       "%s%d more zero%s, degenerate: disturbances that grow as powers of time\n",
                       indent, more, more > 1 ? "s" : "");
    n = 0;
    if (z->energy || z->nmomentum)
        zw_text_printf(out, "%sconserved beside them: ", indent);
    if (z->energy)
        put_listed(out, &n, "the energy");
    for (int i = 0; i < z->nmomentum; i++) {
        zw_equilibria_symmetry_name(e, z->momentum[i], name, sizeof name);
        put_listed(out, &n, "the momentum of ");
        zw_text_put(out, name);
    }
    zw_text_put(out, z->energy || z->nmomentum ? "\n" : "");
    n = 0;
    zw_text_put(out, z->nboost ? indent : "");
    for (int i = 0; i < z->nboost; i++) {
        zw_equilibria_symmetry_name(e, z->boost[i], name, sizeof name);
        put_listed(out, &n, "a boost along ");
        zw_text_put(out, name);
    }
    zw_text_put(out, z->nboost == 0   ? ""
                     : z->nboost == 1 ? " is a symmetry too (Galilei)\n"
                                      : " are symmetries too (Galilei)\n");
}

/* For a motion that is not at rest, the flat directions are the orbits that change no momentum;
 * they are not mentioned. */
void zw_equilibria_potential_words(const zw_equilibria *e, char *out, size_t size) {
    zw_curvature c = e->curvature;
    bool rest = zw_equilibria_at_rest(e);
    int flat = rest ? c.flat - e->linear.norbit : 0;
    const char *at = rest ? "" : " at constant momenta", *s = c.down > 1 ? "s" : "";
    out[0] = '\0';
    if (!c.known || c.up + c.down + (flat > 0 ? flat : 0) == 0)
        return;
    if (c.down == 0 && flat <= 0)
        snprintf(out, size, "a potential well%s", at);
    else if (c.down == 0)
        snprintf(out, size, "a potential flat in %d direction%s", flat, flat > 1 ? "s" : "");
    else if (rest && c.up == 0 && flat <= 0)
        snprintf(out, size, "a top of the potential, which falls in %d direction%s", c.down, s);
    else
        snprintf(out, size, "a saddle of the potential%s, which falls in %d direction%s", at,
                 c.down, s);
}

static void put_solved(zw_text *out, const zw_equilibria *e) {
    for (int i = 0; i < e->options.nsolve; i++) {
        const zw_param *p = &e->sys->param[e->solve[i]];
        zw_text_printf(out, "  %-12s%s = %.10g%s%s\n", i ? "" : "solved for", p->name,
                       e->p[e->solve[i]], p->unit[0] ? " " : "", p->unit);
    }
}

/* Held values that are no entries of the state. */
static void put_held(zw_text *out, const zw_equilibria *e) {
    int n = 0;
    for (int i = 0; i < e->options.nhold; i++)
        if (e->hold[i].observable)
            zw_text_printf(out, "  %-12s%s = %.10g%s%s\n", n++ ? "" : "held", e->held[i].name,
                           e->hold[i].value, e->held[i].unit[0] ? " " : "", e->held[i].unit);
}

static void put_spectrum(zw_text *out, const zw_equilibria *e, const value *v) {
    const zw_linearisation *a = &e->linear;
    char potential[100];
    zw_equilibria_potential_words(e, potential, sizeof potential);
    if (potential[0])
        zw_text_printf(out, "  %-12s%s\n", "potential", potential);
    zw_text_printf(out, "  eigenvalues %d dimensions - %d of symmetries = %d\n", a->dimension,
                   a->norbit, a->n);
    int beyond = 0;
    for (int i = 0; i < a->n; i++) {
        bool shown = zw_equilibria_resolves(e, e->p, v[i].re, v[i].im);
        beyond += !shown;
        if (shown && v[i].im >= 0)
            put_eigenvalue(out, v[i].mode, v[i].re, v[i].im, a->condition[v[i].index]);
    }
    if (beyond)
        zw_text_printf(out, "  %d more are beyond what the nodes of the delays resolve\n", beyond);
    put_zeros(out, e, "  ");
    put_orbit_values(out, a);
    zw_text_printf(out, "  %s\n", stability_text(e));
}

char *zw_equilibria_text(const zw_equilibria *e) {
    zw_text out;
    const value *v = sorted_eigenvalues(e);
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
    put_solved(&out, e);
    put_held(&out, e);
    put_state(&out, e);
    put_forces(&out, e);
    if (e->warning[0])
        zw_text_printf(&out, "  %-12s%s\n", "doubtful", e->warning);
    put_spectrum(&out, e, v);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------- in a list of solutions */

void zw_equilibria_put_symmetry_names(zw_text *out, const zw_equilibria *e) {
    char name[400];
    for (int i = 0; i < e->symmetries.n; i++) {
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_text_printf(out, "%s%s", i ? ", " : "  symmetries: ", name);
    }
    zw_text_put(out, e->symmetries.n ? "\n" : "");
    put_inputs(out, e);
}

/* Items of a list that continues on the next line. */
typedef struct line {
    zw_text *out;
    size_t width;
    int n;
} line;

static void put_item(line *l, const char *heading, const char *text) {
    if (l->n == 0 || l->width + strlen(text) > LINE_WIDTH) {
        zw_text_printf(l->out, "%s     %-12s", l->n ? ",\n" : "", l->n ? "" : heading);
        l->width = LINE_INDENT;
    } else {
        zw_text_put(l->out, ", ");
        l->width += 2;
    }
    zw_text_put(l->out, text);
    l->width += strlen(text);
    l->n++;
}

static void end_line(line *l) {
    zw_text_put(l->out, l->n ? "\n" : "");
    l->n = 0;
}

/* Coordinates, velocities and rates of symmetries that are not zero, forces, parameters. */
void zw_equilibria_put_values(zw_text *out, const zw_equilibria *e) {
    char item[500], name[400], rate[64];
    line l = {.out = out};
    for (int i = 0; i < e->kernel->nx; i++) {
        const char *unit, *entry = zw_equilibria_entry(e, i, &unit);
        double x = e->motion.x[i];
        x = is_noise(e, i, x, e->scale[i]) ? 0 : x;
        snprintf(item, sizeof item, "%s = %.10g%s%s", entry, x, unit[0] ? " " : "", unit);
        if (!zw_system_is_past(e->sys, i) && (i < e->eq.nq || x != 0))
            put_item(&l, "state", item);
    }
    end_line(&l);
    for (int i = 0; i < e->symmetries.n; i++) {
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_equilibria_rate_unit(e, i, rate, sizeof rate);
        snprintf(item, sizeof item, "%s at %.10g %s", name, e->motion.c[i], rate);
        if (fabs(e->motion.c[i]) > RATE_ROUNDOFF)
            put_item(&l, "moves", item);
    }
    end_line(&l);
    for (int i = 0; i < e->options.nsolve; i++) {
        const zw_param *p = &e->sys->param[e->solve[i]];
        snprintf(item, sizeof item, "%s = %.10g%s%s", p->name, e->p[e->solve[i]],
                 p->unit[0] ? " " : "", p->unit);
        put_item(&l, "solved for", item);
    }
    end_line(&l);
    for (int i = 0; i < e->eq.nc; i++) {
        const zw_constraint *k = &e->sys->constraint[e->eq.constraint[i]];
        snprintf(item, sizeof item, "lambda(%s) = %.10g%s%s", k->name, e->motion.z[e->eq.nv + i],
                 k->lambda_unit[0] ? " " : "", k->lambda_unit);
        put_item(&l, "forces", item);
    }
    end_line(&l);
}

void zw_equilibria_put_short(zw_text *out, const zw_equilibria *e) {
    const value *v = sorted_eigenvalues(e);
    const zw_linearisation *a = &e->linear;
    char item[100];
    line l = {.out = out};
    for (int i = 0; v && i < a->n; i++) {
        if (v[i].im < 0 || !zw_equilibria_resolves(e, e->p, v[i].re, v[i].im))
            continue;
        double re = clean_part(v[i].re, v[i].im);
        if (v[i].im == 0)
            snprintf(item, sizeof item, "%.8g", re);
        else if (re == 0)
            snprintf(item, sizeof item, "+-%.8gi", v[i].im);
        else
            snprintf(item, sizeof item, "%.8g+-%.8gi", re, v[i].im);
        put_item(&l, "eigenvalues", item);
    }
    end_line(&l);
    put_zeros(out, e, "                 ");
    zw_text_printf(out, "     %-12s%s\n", "", stability_text(e));
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_numbers(zw_text *out, const char *key, int n, const double *x) {
    zw_text_printf(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, x[i]);
    }
    zw_text_put(out, "]");
}

/* The mode of each eigenvalue, numbered as in lists and in zwang view. */
static void json_modes(zw_text *out, const zw_equilibria *e) {
    const value *v = sorted_eigenvalues(e);
    int n = e->linear.n;
    zw_text_put(out, ",\n  \"mode\": [");
    for (int i = 0; v && i < n; i++)
        for (int k = 0; k < n; k++)
            if (v[k].index == i)
                zw_text_printf(out, "%s%d", i ? ", " : "", v[k].mode);
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

static void json_potential(zw_text *out, const zw_equilibria *e) {
    zw_curvature c = e->curvature;
    if (c.known)
        zw_text_printf(out,
                       ",\n  \"potential\": {\"up\": %d, \"down\": %d, \"flat\": %d, "
                       "\"orbits\": %d}",
                       c.up, c.down, c.flat, e->linear.norbit);
    else
        zw_text_put(out, ",\n  \"potential\": null");
}

static void json_zeros(zw_text *out, const zw_equilibria *e) {
    const zw_zeros *z = &e->zeros;
    char name[400];
    const char *unit;
    zw_text_put(out, ",\n  \"family_names\": [");
    for (int i = 0; e->linear_known && i < z->nentry; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, zw_equilibria_entry(e, z->entry[i], &unit));
    }
    zw_text_put(out, "],\n  \"conserved\": [");
    zw_text_put(out, e->linear_known && z->energy ? "\"energy\"" : "");
    for (int i = 0; e->linear_known && i < z->nmomentum; i++) {
        zw_equilibria_symmetry_name(e, z->momentum[i], name, sizeof name);
        zw_text_put(out, i || z->energy ? ", " : "");
        zw_text_json(out, name);
    }
    zw_text_put(out, "],\n  \"boosts\": [");
    for (int i = 0; e->linear_known && i < z->nboost; i++) {
        zw_equilibria_symmetry_name(e, z->boost[i], name, sizeof name);
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, name);
    }
    zw_text_put(out, "]");
}

static void json_solved(zw_text *out, const zw_equilibria *e) {
    zw_text_put(out, ",\n  \"solved_for\": {");
    for (int i = 0; i < e->options.nsolve; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, e->sys->param[e->solve[i]].name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, e->p[e->solve[i]]);
    }
    zw_text_put(out, "}");
}

void zw_equilibria_put_json(zw_text *out, const zw_equilibria *e) {
    static const char *const word[] = {"stable", "unstable", "centre"};
    const zw_linearisation *a = &e->linear;
    zw_text_put(out, "  \"model\": ");
    zw_text_json(out, e->sys->name);
    zw_text_printf(out,
                   ",\n  \"at_rest\": %s,\n  \"degenerate\": %s,\n  \"iterations\": %d,\n  "
                   "\"dimension\": %d,\n  \"orbit_dimension\": %d,\n  \"families\": %d,\n  "
                   "\"zeros\": %d,\n  \"branching\": %s,\n  \"stability\": ",
                   zw_equilibria_at_rest(e) ? "true" : "false",
                   e->motion.degenerate ? "true" : "false", e->motion.iterations, a->dimension,
                   a->norbit, a->nfamily, a->nzero, e->family ? "false" : "true");
    if (e->linear_known)
        zw_text_json(out, word[zw_equilibria_stability(e)]);
    else
        zw_text_put(out, "null");
    zw_text_put(out, ",\n  \"doubt\": ");
    if (e->warning[0])
        zw_text_json(out, e->warning);
    else
        zw_text_put(out, "null");
    zw_text_printf(out, ",\n  \"minimum\": %s", zw_equilibria_is_minimum(e) ? "true" : "false");
    json_potential(out, e);
    json_zeros(out, e);
    json_solved(out, e);
    json_names(out, e);
    json_numbers(out, "rates", e->symmetries.n, e->motion.c);
    json_numbers(out, "state", e->eq.nq + e->eq.nv, e->motion.x);
    json_numbers(out, "multipliers", e->eq.nc, e->motion.z + e->eq.nv);
    json_numbers(out, "eigenvalues_re", a->n, a->re);
    json_numbers(out, "eigenvalues_im", a->n, a->im);
    json_modes(out, e);
    json_numbers(out, "condition", a->n, a->condition);
    json_numbers(out, "orbit_re", a->norbit, a->orbit_re);
    json_numbers(out, "orbit_im", a->norbit, a->orbit_im);
    json_numbers(out, "A", a->n * a->n, a->A);
    json_numbers(out, "T", a->nx * a->n, a->T);
}

char *zw_equilibria_json(const zw_equilibria *e) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\n");
    zw_equilibria_put_json(&out, e);
    zw_text_put(&out, "\n}\n");
    return zw_text_take(&out);
}
