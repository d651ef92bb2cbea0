/* SPDX-License-Identifier: MIT */
/* An equilibrium or relative equilibrium and its stability as a report. Eigenvalues are sorted, the
 * least stable first; sentences show a pair once. */
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

typedef struct eigenvalue {
    double re, im;
    int index;
    int mode; /* its number; the two of a pair are one mode */
} eigenvalue;

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
static eigenvalue *sorted_eigenvalues(const zw_equilibria *e) {
    const zw_linearisation *a = &e->linear;
    zw_arena *arena = (zw_arena *)&e->arena;
    eigenvalue *v = ZW_NEW(arena, eigenvalue, a->n + 1);
    int *order = zw_equilibria_order(e, arena), number = 0;
    if (!v || !order)
        return NULL;
    for (int k = 0; k < a->n; k++) {
        int i = order[k];
        bool zero = zw_equilibria_is_zero(a, i);
        number += zero || a->im[i] >= 0;
        v[k] =
            (eigenvalue){zero ? 0 : clean_part(a->re[i], a->im[i]), zero ? 0 : a->im[i], i, number};
    }
    return v;
}

/* ---------------------------------------------------------------------------------------- items */

/* Items of one kind after a label: one on each line, or, where many motions are listed, as many as
 * fit into a line. The sentence of an item follows in its object. */
typedef struct item_list {
    zw_report *r;
    const char *label;
    bool wrapped;
    int n;
    size_t width;
} item_list;

static void begin_item(item_list *l, size_t length) {
    char text[80];
    int indent = l->wrapped ? 5 : 2;
    if (l->n > 0 && l->wrapped && l->width + length <= LINE_WIDTH) {
        zw_report_say(l->r, ", ");
        l->width += length + 2;
    } else {
        const char *end = l->n == 0 ? "" : l->wrapped ? ",\n" : "\n";
        snprintf(text, sizeof text, "%s%*s%-12s", end, indent, "", l->n ? "" : l->label);
        zw_report_say(l->r, text);
        l->width = LINE_INDENT + length;
    }
    l->n++;
}

static void end_items(const item_list *l) {
    if (l->n)
        zw_report_say(l->r, "\n");
}

/* {"name": ..., "value": ..., "unit": ...} and "name = value unit" */
static void report_value(item_list *l, const char *name, double value, const char *unit,
                         bool shown) {
    int length = snprintf(NULL, 0, "%s = %.10g %s", name, value, unit);
    zw_report_open(l->r, NULL);
    zw_report_word(l->r, "name", name);
    zw_report_number(l->r, "value", value, &(zw_shown){.unit = unit});
    zw_report_word(l->r, "unit", unit);
    if (shown) {
        begin_item(l, (size_t)length);
        zw_report_say(l->r, "{name} = {value}");
    }
    zw_report_close(l->r);
}

/* ------------------------------------------------------------------------------------ the motion */

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

/* In a list of motions those that are traversed; the names stand above the list. */
static void report_symmetries(const zw_equilibria *e, bool listed, zw_report *r) {
    const zw_symmetries *s = &e->symmetries;
    item_list l = {.r = r, .label = listed ? "moves" : "symmetries", .wrapped = listed};
    char name[400], unit[64];
    zw_report_list(r, "symmetries");
    for (int i = 0; i < s->n; i++) {
        double rate = clean_part(e->motion.c[i], 1);
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_equilibria_rate_unit(e, i, unit, sizeof unit);
        zw_report_open(r, NULL);
        zw_report_word(r, "name", name);
        zw_report_number(r, "rate", rate, &(zw_shown){.unit = unit});
        zw_report_word(r, "unit", unit);
        if (!listed || fabs(rate) > RATE_ROUNDOFF) {
            begin_item(&l, (size_t)snprintf(NULL, 0, "%s at %.10g %s", name, rate, unit));
            zw_report_say(r, "{name} at {rate}");
        }
        zw_report_close(r);
    }
    end_items(&l);
    zw_report_close(r);
    zw_equilibria_symmetry_name(e, -1, name, sizeof name);
    zw_report_word(r, "moves_with_time", s->autonomous ? NULL : name);
    zw_report_count(r, "redundant_rates", e->motion.nfixed);
    if (!s->autonomous && !listed)
        zw_report_say(r, name[0] ? "  with time   {moves_with_time}\n"
                                 : "  with time   nothing moves\n");
    if (e->motion.nfixed && !listed)
        zw_report_say(r, "              {redundant_rates|combination|combinations} of these leaves "
                         "the motion as it is: the smallest rates are shown, without turns in "
                         "space\n");
}

/* Inputs are held at their values at the time of the motion. */
void zw_equilibria_report_inputs(const zw_equilibria *e, zw_report *r) {
    const zw_system *s = e->sys;
    zw_report_list(r, "inputs");
    for (int i = 0; i < s->nsignal; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", s->signal[i].name);
        zw_report_number(r, "value", zw_system_signal_at(s, i, e->p, e->options.t, e->options.t),
                         &(zw_shown){.unit = s->signal[i].unit});
        zw_report_say(r, i ? "              {name} = {value}, held\n"
                           : "  inputs      {name} = {value}, held\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_solved(const zw_equilibria *e, bool listed, zw_report *r) {
    item_list l = {.r = r, .label = "solved for", .wrapped = listed};
    zw_report_list(r, "solved_for");
    for (int i = 0; i < e->options.nsolve; i++) {
        const zw_param *p = &e->sys->param[e->solve[i]];
        report_value(&l, p->name, e->p[e->solve[i]], p->unit, true);
    }
    end_items(&l);
    zw_report_close(r);
}

/* Held values that are no entries of the state. */
static void report_held(const zw_equilibria *e, bool listed, zw_report *r) {
    item_list l = {.r = r, .label = "held", .wrapped = listed};
    zw_report_list(r, "held");
    for (int i = 0; i < e->options.nhold; i++)
        if (e->hold[i].observable)
            report_value(&l, e->held[i].name, e->hold[i].value, e->held[i].unit, !listed);
    end_items(&l);
    zw_report_close(r);
}

/* In a list of motions without velocities that are zero. Pasts of delays are not shown. */
static void report_state(const zw_equilibria *e, bool listed, zw_report *r) {
    item_list l = {.r = r, .label = "state", .wrapped = listed};
    int n = listed ? e->kernel->nx : e->eq.nq + e->eq.nv;
    zw_report_list(r, "state");
    for (int i = 0; i < n; i++) {
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        double x = is_noise(e, i, e->motion.x[i], e->scale[i]) ? 0 : e->motion.x[i];
        bool shown = !zw_system_is_past(e->sys, i) && (!listed || i < e->eq.nq || x != 0);
        report_value(&l, name, x, unit, shown);
    }
    end_items(&l);
    zw_report_close(r);
}

static void report_forces(const zw_equilibria *e, bool listed, zw_report *r) {
    item_list l = {.r = r, .label = "forces", .wrapped = listed};
    char name[300];
    double most = 0;
    for (int c = 0; c < e->eq.nc; c++)
        most = fmax(most, fabs(e->motion.z[e->eq.nv + c]));
    zw_report_list(r, "multipliers");
    for (int c = 0; c < e->eq.nc; c++) {
        const zw_constraint *k = &e->sys->constraint[e->eq.constraint[c]];
        snprintf(name, sizeof name, "lambda(%s)", k->name);
        report_value(&l, name, clean_part(e->motion.z[e->eq.nv + c], most), k->lambda_unit, true);
    }
    end_items(&l);
    zw_report_close(r);
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
        snprintf(out, size, "a maximum of the potential, which falls in %d direction%s", c.down, s);
    else
        snprintf(out, size, "a saddle of the potential%s, which falls in %d direction%s", at,
                 c.down, s);
}

static void report_potential(const zw_equilibria *e, bool listed, zw_report *r) {
    zw_curvature c = e->curvature;
    char words[100];
    zw_equilibria_potential_words(e, words, sizeof words);
    zw_report_open(r, "potential");
    zw_report_word(r, "shape", words[0] ? words : NULL);
    if (c.known) {
        zw_report_count(r, "up", c.up);
        zw_report_count(r, "down", c.down);
        zw_report_count(r, "flat", c.flat);
        zw_report_count(r, "symmetries", e->linear.norbit);
    }
    if (!listed)
        zw_report_say(r, "{shape?  potential   {shape}\n}");
    zw_report_close(r);
}

/* ----------------------------------------------------------------------------------- eigenvalues */

/* frequency and damping of a pair, the half-life or doubling time of a real eigenvalue */
static void report_rates(const zw_linearisation *a, const eigenvalue *v, zw_report *r) {
    double size = hypot(v->re, v->im);
    bool pair = v->im != 0, rate = !pair && v->re != 0;
    zw_report_number(r, "frequency", pair ? fabs(v->im) / (2 * M_PI) : NAN,
                     &(zw_shown){.unit = "Hz", .digits = 6});
    zw_report_number(r, "damping", pair ? clean_part(-v->re, v->im) / size : NAN,
                     &(zw_shown){.digits = 6});
    zw_report_number(r, "half_life", rate && v->re < 0 ? log(2) / -v->re : NAN,
                     &(zw_shown){.unit = "s", .digits = 6});
    zw_report_number(r, "doubling_time", rate && v->re > 0 ? log(2) / v->re : NAN,
                     &(zw_shown){.unit = "s", .digits = 6});
    zw_report_number(r, "condition", a->condition[v->index], &(zw_shown){.digits = 2});
    zw_report_flag(r, "ill_conditioned", a->condition[v->index] > DEFECTIVE);
}

/* "-0.1 +- 2 i", in a list of motions */
static void report_short_eigenvalue(item_list *l, const eigenvalue *v) {
    int length = v->im == 0 ? snprintf(NULL, 0, "%.8g", v->re)
                            : snprintf(NULL, 0, "%.8g +- %.8gi", v->re, v->im);
    begin_item(l, (size_t)length);
    zw_report_say(l->r, "{value:~}");
}

static void report_eigenvalue(const zw_equilibria *e, const eigenvalue *v, item_list *l) {
    zw_report *r = l->r;
    bool resolved = zw_equilibria_resolves(e, e->p, v->re, v->im);
    zw_shown how = {
        .unit = l->wrapped ? "" : "1/s", .si_unit = "1/s", .digits = l->wrapped ? 8 : 10};
    zw_report_open(r, NULL);
    zw_report_count(r, "mode", v->mode);
    zw_report_complex(r, "value", v->re, v->im, &how);
    zw_report_flag(r, "resolved", resolved);
    report_rates(&e->linear, v, r);
    if (resolved && v->im >= 0 && l->wrapped)
        report_short_eigenvalue(l, v);
    else if (resolved && v->im >= 0)
        zw_report_say(r, "  {mode:3} {value:~40}{frequency?  {frequency}, damping {damping}}"
                         "{half_life?  half-life {half_life}}{doubling_time?  doubles in "
                         "{doubling_time}}{ill_conditioned?  (ill-conditioned: "
                         "{condition})}\n");
    zw_report_close(r);
}

static void report_eigenvalues(const zw_equilibria *e, const eigenvalue *v, bool listed,
                               zw_report *r) {
    item_list l = {.r = r, .label = "eigenvalues", .wrapped = listed};
    int unresolved = 0;
    zw_report_list(r, "eigenvalues");
    for (int i = 0; i < e->linear.n; i++) {
        report_eigenvalue(e, &v[i], &l);
        unresolved += !zw_equilibria_resolves(e, e->p, v[i].re, v[i].im);
    }
    end_items(&l);
    zw_report_close(r);
    zw_report_count(r, "unresolved_eigenvalues", unresolved);
    if (!listed)
        zw_report_say(r, "{unresolved_eigenvalues?  {unresolved_eigenvalues} more are not resolved "
                         "by the nodes of the delays\n}");
}

static void report_along_symmetries(const zw_equilibria *e, bool listed, zw_report *r) {
    const zw_linearisation *a = &e->linear;
    zw_arena *arena = (zw_arena *)&e->arena;
    double *re = ZW_NEW(arena, double, a->norbit + 1), *im = ZW_NEW(arena, double, a->norbit + 1);
    if (!re || !im) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < a->norbit; i++) {
        re[i] = fabs(a->orbit_re[i]) > CHAIN_ROUNDOFF ? a->orbit_re[i] : 0;
        im[i] = fabs(a->orbit_im[i]) > CHAIN_ROUNDOFF ? a->orbit_im[i] : 0;
    }
    zw_report_complexes(r, "eigenvalues_along_symmetries", a->norbit, re, im, NULL);
    if (a->norbit && !listed)
        zw_report_say(r, "  not counted, along the symmetries: {eigenvalues_along_symmetries}\n");
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
        return e->linear.n == e->linear.nzero
                   ? "every disturbance leads to a neighbouring steady motion"
                   : "stable: every other disturbance dies out";
    default:
        return zw_equilibria_is_minimum(e)
                   ? "stable: the potential has a minimum here, and energy is conserved (Dirichlet)"
               : is_resonant(&e->linear)
                   ? "undamped oscillations of equal frequency are coupled: they may grow with time"
                   : "no disturbance grows, some do not die out: linear terms do not decide";
    }
}

/* ----------------------------------------------------------------------------------------- zeros */

enum { NAMES_MAX = 64 };

/* Entries of the state that distinguish the members of the family of the zeros. */
static void report_family(const zw_equilibria *e, zw_report *r) {
    const char *name[NAMES_MAX], *unit;
    int n = e->linear_known ? e->zeros.nentry : 0;
    n = n < NAMES_MAX ? n : NAMES_MAX;
    for (int i = 0; i < n; i++)
        name[i] = zw_equilibria_entry(e, e->zeros.entry[i], &unit);
    zw_report_words(r, "family_names", n, name);
}

/* Names of symmetries after a word, after the energy if that is conserved. */
static void report_names(const zw_equilibria *e, const char *key, const char *word, bool energy,
                         int count, const int *symmetry, zw_report *r) {
    char text[NAMES_MAX][420], symmetry_name[400];
    const char *name[NAMES_MAX + 1];
    int n = 0;
    if (e->linear_known && energy)
        name[n++] = "energy";
    for (int i = 0; e->linear_known && i < count && i < NAMES_MAX; i++) {
        zw_equilibria_symmetry_name(e, symmetry[i], symmetry_name, sizeof symmetry_name);
        snprintf(text[i], sizeof text[i], "%s%s", word, symmetry_name);
        name[n++] = text[i];
    }
    zw_report_words(r, key, n, name);
}

static void say_line(zw_report *r, bool listed, const char *sentence) {
    zw_report_say(r, listed ? "                 " : "  ");
    zw_report_say(r, sentence);
}

/* What the zeros mean: a family, conserved quantities, boosts. */
static void say_zeros(const zw_equilibria *e, bool listed, zw_report *r) {
    const zw_linearisation *a = &e->linear;
    const zw_zeros *z = &e->zeros;
    if (e->lost)
        say_line(r, listed, "the zero is an eigenvalue too small to be computed\n");
    else if (a->nfamily && !e->family)
        say_line(
            r, listed,
            "{families|zero|zeros} that no family explains: branches meet or bifurcate here\n");
    else if (a->nfamily)
        say_line(r, listed,
                 "{families|zero|zeros}: a family of neighbouring motions with "
                 "{families|parameter|parameters} ({family_names})\n");
    if (a->nzero > a->nfamily)
        say_line(r, listed,
                 "{degenerate_zeros} more {degenerate_zeros#zero|zeros}, degenerate: "
                 "disturbances that grow as powers of time\n");
    if (z->energy || z->nmomentum)
        say_line(r, listed, "conserved as well: {conserved}\n");
    if (z->nboost)
        say_line(r, listed,
                 z->nboost == 1 ? "a boost along {boosts} is a symmetry too (Galilei)\n"
                                : "boosts along {boosts} are symmetries too (Galilei)\n");
}

static void report_zeros(const zw_equilibria *e, bool listed, zw_report *r) {
    const zw_linearisation *a = &e->linear;
    const zw_zeros *z = &e->zeros;
    zw_report_count(r, "families", a->nfamily);
    zw_report_count(r, "zeros", a->nzero);
    zw_report_count(r, "degenerate_zeros", a->nzero - a->nfamily);
    zw_report_flag(r, "branching", !e->family);
    zw_report_flag(r, "zero_is_lost", e->lost);
    report_family(e, r);
    report_names(e, "conserved", "momentum of ", z->energy, z->nmomentum, z->momentum, r);
    report_names(e, "boosts", "", false, z->nboost, z->boost, r);
    say_zeros(e, listed, r);
}

/* ---------------------------------------------------------------------------------------- report */

static const char *stability_word(zw_stability kind) {
    static const char *const word[] = {
        [ZW_STABLE] = "stable", [ZW_UNSTABLE] = "unstable", [ZW_CENTRE] = "centre"};
    return word[kind];
}

static void report_linear(const zw_equilibria *e, bool listed, zw_report *r) {
    const zw_linearisation *a = &e->linear;
    const eigenvalue *v = sorted_eigenvalues(e);
    if (!v) {
        zw_report_fail(r);
        return;
    }
    zw_report_word(r, "stability", stability_word(zw_equilibria_stability(e)));
    zw_report_word(r, "verdict", stability_text(e));
    zw_report_flag(r, "minimum", zw_equilibria_is_minimum(e));
    zw_report_count(r, "dimension", a->dimension);
    zw_report_count(r, "symmetry_dimension", a->norbit);
    zw_report_count(r, "eigenvalue_count", a->n);
    if (!listed)
        zw_report_say(r, "  eigenvalues {dimension} dimensions - {symmetry_dimension} of "
                         "symmetries = {eigenvalue_count}\n");
    report_eigenvalues(e, v, listed, r);
    report_zeros(e, listed, r);
    report_along_symmetries(e, listed, r);
    zw_report_say(r, listed ? "                 {verdict}\n" : "  {verdict}\n");
    zw_report_matrix(r, "a", a->n, a->n, a->A, NULL);
    zw_report_matrix(r, "tangent", a->nx, a->n, a->T, NULL);
}

const char *zw_equilibria_kind(const zw_equilibria *e) {
    return zw_equilibria_at_rest(e) ? "equilibrium" : "relative equilibrium";
}

void zw_equilibria_report_motion(const zw_equilibria *e, bool listed, zw_report *r) {
    zw_report_flag(r, "at_rest", zw_equilibria_at_rest(e));
    zw_report_flag(r, "degenerate", e->motion.degenerate);
    zw_report_count(r, "iterations", e->motion.iterations);
    if (listed)
        report_state(e, listed, r);
    report_symmetries(e, listed, r);
    if (!listed) /* the others have them above the list */
        zw_equilibria_report_inputs(e, r);
    report_solved(e, listed, r);
    report_held(e, listed, r);
    if (!listed)
        report_state(e, listed, r);
    report_forces(e, listed, r);
    zw_report_word(r, "warning", e->warning[0] ? e->warning : NULL);
    zw_report_say(r, listed ? "{warning?     warning     {warning}\n}"
                            : "{warning?  warning     {warning}\n}");
    report_potential(e, listed, r);
    if (e->linear_known)
        report_linear(e, listed, r);
}

void zw_equilibria_report(const zw_equilibria *e, zw_report *r) {
    zw_report_list(r, "solutions");
    zw_report_open(r, NULL);
    zw_report_word(r, "kind", zw_equilibria_kind(e));
    zw_report_say(r, "{model}: {kind}, after {iterations} {iterations#step|steps}{degenerate?; "
                     "degenerate: branches meet here}\n");
    zw_equilibria_report_motion(e, false, r);
    zw_report_close(r);
    zw_report_close(r);
}
