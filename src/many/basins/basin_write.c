/* SPDX-License-Identifier: MIT */
/* Basins as text, as JSON and as tables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "basin.h"
#include "many/share_bound.h"
#include "mech/equations/variants.h"
#include "motion/notes.h"
#include "zwang/equations.h"

/* of the absolute tolerance that is advised to `close` times the scale, as in basin_setup.c */
#define ATOL_RATIO 1e-2

/* ---- words ---- */

void zw_basin_describe(const zw_basin *b, const zw_basin_attractor *a, char *out, size_t size) {
    switch (a->kind) {
    case ZW_BASIN_REST:
        if (a->continuum)
            snprintf(out, size, "continuum of rests, of dimension %d", a->continuum);
        else
            snprintf(out, size, "rest");
        break;
    case ZW_BASIN_CYCLE:
        if (a->period == 0 && isnan(a->time))
            snprintf(out, size, "cycle");
        else if (a->period == 0)
            snprintf(out, size, "cycle of %.7g s", a->time);
        else if (isnan(a->time))
            snprintf(out, size, "cycle of %d %s", a->period,
                     b->section >= 0 ? "crossings" : "periods of the drive");
        else
            snprintf(out, size, "cycle of %d %s%s, %.7g s", a->period,
                     b->section >= 0 ? "crossing" : "period", a->period == 1 ? "" : "s", a->time);
        if (a->continuum)
            snprintf(out, size, "continuum of cycles of %d period, %.7g s, of dimension %d",
                     a->period, a->time, a->continuum);
        break;
    case ZW_BASIN_TORUS:
        snprintf(out, size, "torus");
        break;
    case ZW_BASIN_CHAOS:
        snprintf(out, size, "chaos");
        break;
    case ZW_BASIN_IRREGULAR:
        snprintf(out, size, "returns without a period");
        break;
    case ZW_BASIN_LEAVES:
        snprintf(out, size, "leaves by %s %s", a->name, a->side > 0 ? "above" : "below");
        break;
    case ZW_BASIN_STOPS:
        snprintf(out, size, "stops at %s", a->name);
        break;
    }
}

static double shown_value(const zw_basin *b, int i, double y) {
    return b->quantity[i].period > 0 ? remainder(y, b->quantity[i].period) : y;
}

static bool is_bit(uint32_t bits, int i) {
    return bits >> i & 1;
}

static void put_ranges(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    for (int i = 0; i < b->ny && i < 8; i++) {
        zw_text_printf(t, "%s%s = %.6g", i ? ", " : "", b->quantity[i].name, a->low[i]);
        if (a->high[i] > a->low[i])
            zw_text_printf(t, "%s to %.6g%s", is_bit(a->beyond_low, i) ? " or less" : "",
                           a->high[i], is_bit(a->beyond_high, i) ? " or more" : "");
        zw_text_printf(t, "%s%s", b->quantity[i].unit[0] ? " " : "", b->quantity[i].unit);
    }
}

/* A state of the history of a delay is compared, but not shown. */
static bool is_past(const zw_basin *b, int i) {
    return b->quantity[i].state >= 0 && zw_system_is_past(b->sys, b->quantity[i].state);
}

static void put_place(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    if (a->low) {
        put_ranges(t, b, a);
        return;
    }
    if (a->npoint == 0)
        return;
    for (int i = 0, printed = 0; i < b->ny && printed < 8; i++)
        if (!is_past(b, i))
            zw_text_printf(t, "%s%s = %.6g%s%s", printed++ ? ", " : "", b->quantity[i].name,
                           shown_value(b, i, a->point[i]), b->quantity[i].unit[0] ? " " : "",
                           b->quantity[i].unit);
}

static void put_stability(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    if (!isnan(a->exponent))
        zw_text_printf(t, "      largest exponent %.4g +- %.2g 1/s, followed for %.4g s\n",
                       a->exponent, a->exponent_error, a->exponent_time);
    if (a->trial == ZW_BASIN_STABLE)
        zw_text_printf(
            t, "      stable: starts all around, up to %.2g of the scales away, come back\n",
            2 * a->reach);
    if (a->confirmed)
        zw_text_printf(t, "      so do %d starts anywhere up to %.2g away\n", a->confirmed,
                       a->reach);
    if (a->trial == ZW_BASIN_UNSTABLE)
        zw_text_printf(t, "      unstable: starts next to it do not come back; what goes there "
                          "lies on its stable set\n");
    if (a->continuum) {
        zw_text_printf(t, "      starts near one point of it come to other points of it\n");
        return;
    }
    if (a->trial == ZW_BASIN_UNTRIED && a->kind <= ZW_BASIN_CYCLE && a->exponent < 0)
        zw_text_printf(t, "      it attracts by its exponent, but not all starts next to it come "
                          "back: its basin is thin\n");
    else if (a->trial == ZW_BASIN_UNTRIED && a->kind <= ZW_BASIN_CYCLE && !b->by_kind)
        zw_text_printf(t, "      motions go there by themselves; starts next to it were not tried, "
                          "or take too long\n");
}

static void put_attractor(zw_text *t, const zw_basin *b, int i) {
    const zw_basin_attractor *a = &b->found[i].is;
    char words[160];
    zw_basin_describe(b, a, words, sizeof words);
    zw_text_printf(t, "%4d  %s: %.5f +- %.5f of the starts (%llu)\n", i + 1, words, a->share,
                   a->error, (unsigned long long)a->starts);
    if (a->npoint && !b->by_kind) {
        zw_text_put(t, "      ");
        if (a->kind > ZW_BASIN_REST)
            zw_text_put(t, "passes ");
        put_place(t, b, a);
        zw_text_put(t, "\n");
    }
    put_stability(t, b, a);
    if (!isnan(a->circle))
        zw_text_printf(
            t, "      largest circle around it %.4g, anywhere in the basin %.4g of the ranges\n",
            a->circle, a->compact);
}

static void put_axes(zw_text *t, const zw_basin *b) {
    zw_text_printf(t, "%s: %llu starts, ", b->sys->name, (unsigned long long)b->n);
    for (int i = 0; i < b->naxis; i++) {
        const zw_parameter_range *r = &b->axis[i].range;
        zw_text_printf(t, "%s%s = %.6g to %.6g%s%s", i ? ", " : "", r->name, r->from / r->factor,
                       r->to / r->factor, r->unit[0] ? " " : "", r->unit);
        if (!b->options.samples)
            zw_text_printf(t, " (%d)", b->axis[i].n);
    }
    zw_text_printf(t, "%s\n", b->options.samples ? ", drawn" : "");
}

static void put_sampling(zw_text *t, const zw_basin *b) {
    if (b->section >= 0)
        zw_text_printf(t, "looked at when %s, and every %.6g s for rests",
                       b->sys->event[b->section].name, b->step);
    else
        zw_text_printf(t, "looked at every %.6g s%s", b->step,
                       b->driven ? ", a period of the drive" : "");
    zw_text_put(t, "; compared, with their scales:");
    for (int i = 0; i < b->ny; i++)
        if (!is_past(b, i))
            zw_text_printf(t, "%s %s %.4g", i ? "," : "", b->quantity[i].name,
                           b->quantity[i].scale);
    zw_text_put(t, "\n");
    if (b->finer)
        zw_text_printf(
            t, "followed with --rtol %.1g --atol %.1g, since --close %.1g needs this accuracy\n",
            b->options.run.rtol, b->options.run.atol, b->options.close);
}

/* The finer integration of the second check. */
static const char *finer_words(const zw_basin *b, char *out, size_t size) {
    zw_run_options run;
    zw_basin_finer_options(b, &run);
    if (run.step > 0)
        snprintf(out, size, "steps of %.2g s", run.step);
    else
        snprintf(out, size, "the tolerance %.1g", run.rtol);
    return out;
}

static void put_counts(zw_text *t, const zw_basin *b) {
    const zw_basin_info *i = &b->info;
    char words[80];
    if (i->unresolved)
        zw_text_printf(t, "   0  %s: %.5f of the starts (%llu)\n",
                       zw_basin_is_stopped(b) ? "not known when it was stopped" : "unresolved",
                       (double)i->unresolved / (double)b->n, (unsigned long long)i->unresolved);
    if (i->failed)
        zw_text_printf(t, "  -1  failed: %.5f of the starts (%llu), the first: %s\n",
                       (double)i->failed / (double)b->n, (unsigned long long)i->failed, b->failure);
    if (b->computed)
        zw_text_printf(t,
                       "%llu of %llu starts computed, the others lie between equal ones; of %llu "
                       "of these that were computed too, %llu differ\n",
                       (unsigned long long)i->computed, (unsigned long long)b->n,
                       (unsigned long long)i->filled_checked,
                       (unsigned long long)i->filled_differs);
    if (i->checked)
        zw_text_printf(
            t, "%llu starts followed once more, each until it arrives by itself: %llu differ\n",
            (unsigned long long)i->checked, (unsigned long long)i->check_differs);
    if (i->fine_checked)
        zw_text_printf(t, "%llu starts followed with %s: %llu differ, so at most %.2g of all\n",
                       (unsigned long long)i->fine_checked, finer_words(b, words, sizeof words),
                       (unsigned long long)i->fine_differs,
                       zw_share_reported((long)i->fine_differs, (long)i->fine_checked));
}

static void put_over(zw_text *t, const zw_basin *b) {
    for (long k = 0; b->rows && k < zw_table_rows(b->rows); k++) {
        double share = zw_table_at(b->rows, k, 2);
        zw_text_printf(t, "  %s = %-10.6g attractor %d: %.5f +- %.5f", b->over.name,
                       zw_table_at(b->rows, k, 0) / b->over.factor, (int)zw_table_at(b->rows, k, 1),
                       share, zw_table_at(b->rows, k, 3));
        double circle = zw_table_at(b->rows, k, 4);
        if (!isnan(circle))
            zw_text_printf(t, ", circle %.4g", circle);
        zw_text_put(t, "\n");
    }
}

const zw_system *zw_basin_system(const zw_basin *b) {
    return b->sys;
}

char *zw_basin_text(const zw_basin *b) {
    const zw_allocator alloc = zw_context_allocator(b->ctx);
    zw_text t;
    zw_text_init(&t, &alloc);
    put_axes(&t, b);
    put_sampling(&t, b);
    if (b->conserves)
        zw_text_put(&t, "motions keep their energy: there are no attractors; what is told are "
                        "kinds of motions, and starts that leave or stop\n");
    if (b->rows) {
        put_over(&t, b);
    } else {
        for (int i = 0; i < b->nfound; i++)
            put_attractor(&t, b, i);
        put_counts(&t, b);
    }
    return zw_text_take(&t);
}

/* ---- JSON ---- */

static void put_number(zw_text *t, const char *key, double value) {
    zw_text_printf(t, ", \"%s\": ", key);
    zw_text_json_number(t, value);
}

static const char *trial_word(zw_basin_trial kind) {
    switch (kind) {
    case ZW_BASIN_UNTRIED:
        return "untried";
    case ZW_BASIN_STABLE:
        return "stable";
    case ZW_BASIN_UNSTABLE:
        return "unstable";
    }
    return "";
}

static void put_json_attractor(zw_text *t, const zw_basin *b, int i) {
    const zw_basin_attractor *a = &b->found[i].is;
    char words[160];
    zw_basin_describe(b, a, words, sizeof words);
    zw_text_printf(t, "%s\n    {\"number\": %d, \"what\": ", i ? "," : "", i + 1);
    zw_text_json(t, words);
    zw_text_printf(t, ", \"trial\": \"%s\", \"starts\": %llu", trial_word(a->trial),
                   (unsigned long long)a->starts);
    put_number(t, "share", a->share);
    put_number(t, "error", a->error);
    put_number(t, "period", a->period);
    put_number(t, "time", a->time);
    put_number(t, "reach", a->reach);
    put_number(t, "confirmed", a->confirmed);
    put_number(t, "exponent", a->exponent);
    put_number(t, "exponent_error", a->exponent_error);
    put_number(t, "circle", a->circle);
    put_number(t, "compact", a->compact);
    put_number(t, "continuum", a->continuum);
    for (int side = 0; side < 2 && a->low; side++) {
        const double *end = side ? a->high : a->low;
        zw_text_printf(t, ", \"%s\": [", side ? "high" : "low");
        for (int q = 0; q < b->ny; q++) {
            zw_text_put(t, q ? ", " : "");
            zw_text_json_number(t, end[q]);
        }
        zw_text_put(t, "]");
    }
    zw_text_put(t, ", \"points\": [");
    for (int k = 0; k < a->npoint && !b->by_kind; k++) {
        zw_text_put(t, k ? ", [" : "[");
        for (int q = 0; q < b->ny; q++) {
            zw_text_put(t, q ? ", " : "");
            zw_text_json_number(t, shown_value(b, q, a->point[k * b->ny + q]));
        }
        zw_text_put(t, "]");
    }
    zw_text_put(t, "]}");
}

static void put_json_uncertainty(zw_text *t, const zw_basin_uncertainty *u) {
    zw_text_put(t, ",\n  \"uncertainty\": {\"alpha\": ");
    zw_text_json_number(t, u->alpha);
    put_number(t, "error", u->error);
    put_number(t, "dimension", u->dimension);
    put_number(t, "misfit", u->misfit);
    zw_text_printf(t, ", \"boundary\": \"%s\", \"pairs\": [",
                   u->verdict > 0    ? "fractal"
                   : u->verdict == 0 ? "smooth"
                                     : "undecided");
    for (int i = 0; i < u->n; i++) {
        zw_text_printf(t, "%s{\"eps\": ", i ? ", " : "");
        zw_text_json_number(t, u->eps[i]);
        put_number(t, "f", u->f[i]);
        zw_text_printf(t, ", \"n\": %llu}", (unsigned long long)u->pairs[i]);
    }
    zw_text_put(t, "]}");
}

char *zw_basin_json(const zw_basin *b, const zw_basin_uncertainty *uncertainty) {
    const zw_allocator alloc = zw_context_allocator(b->ctx);
    const zw_basin_info *i = &b->info;
    zw_text t;
    zw_text_init(&t, &alloc);
    zw_text_printf(&t,
                   "{\"starts\": %llu, \"computed\": %llu, \"unresolved\": %llu, \"failed\": %llu, "
                   "\"checked\": %llu, \"check_differs\": %llu, \"fine_checked\": %llu, "
                   "\"fine_differs\": %llu",
                   (unsigned long long)b->n, (unsigned long long)i->computed,
                   (unsigned long long)i->unresolved, (unsigned long long)i->failed,
                   (unsigned long long)i->checked, (unsigned long long)i->check_differs,
                   (unsigned long long)i->fine_checked, (unsigned long long)i->fine_differs);
    put_number(&t, "step", b->step);
    put_number(&t, "seconds", i->seconds);
    zw_text_put(&t, ",\n  \"compared\": [");
    for (int k = 0; k < b->ny; k++) {
        zw_text_printf(&t, "%s{\"name\": ", k ? ", " : "");
        zw_text_json(&t, b->quantity[k].name);
        put_number(&t, "scale", b->quantity[k].scale);
        zw_text_put(&t, "}");
    }
    zw_text_put(&t, "],\n  \"attractors\": [");
    for (int k = 0; k < b->nfound; k++)
        put_json_attractor(&t, b, k);
    zw_text_put(&t, "]");
    if (b->rows) {
        zw_text_put(&t, ",\n  \"over\": [");
        for (long k = 0; k < zw_table_rows(b->rows); k++) {
            zw_text_printf(&t, "%s\n    {", k ? "," : "");
            for (int c = 0; c < zw_table_columns(b->rows); c++) {
                zw_text_put(&t, c ? ", " : "");
                zw_text_json(&t, zw_table_name(b->rows, c));
                zw_text_put(&t, ": ");
                zw_text_json_number(&t, zw_table_at(b->rows, k, c));
            }
            zw_text_put(&t, "}");
        }
        zw_text_put(&t, "]");
    }
    if (uncertainty)
        put_json_uncertainty(&t, uncertainty);
    zw_text_put(&t, "}\n");
    return zw_text_take(&t);
}

/* ---- warnings ---- */

static void add_warning(zw_warnings *out, const char *key, const char *text, const char *hint) {
    zw_warning d = zw_warning_of(key, NAN, "%s", text);
    if (hint[0])
        zw_warning_hint(&d, "%s", hint);
    zw_warnings_add(out, &d);
}

static void doubt_found(const zw_basin *b, int i, zw_warnings *out) {
    const zw_basin_attractor *a = &b->found[i].is;
    char key[64], text[240];
    if (a->kind != ZW_BASIN_IRREGULAR || b->by_kind)
        return;
    snprintf(key, sizeof key, "attractor %d", i + 1);
    snprintf(
        text, sizeof text,
        "number %d returns without a period up to %d, and its exponent does not tell what it is",
        i + 1, b->options.period_max);
    add_warning(out, key, text,
                "--longer follows it for a longer time, --period-max looks for longer periods");
}

/* Quantities smaller than the absolute tolerance are not resolved: arrival up to `close` of a scale
 * is only accurate above it. */
static void doubt_scales(const zw_basin *b, zw_warnings *out) {
    const zw_run_options *run = &b->options.run;
    char text[320], advice[80];
    for (int k = 0; k < b->ny && !(run->step > 0); k++) {
        const zw_basin_quantity *y = &b->quantity[k];
        if (y->state < 0 || !(y->scale > 0) || run->atol <= b->options.close * y->scale)
            continue;
        snprintf(text, sizeof text,
                 "the absolute tolerance %.2g is more than %.2g of the scale of %s, %.3g: motions "
                 "are not known so well",
                 run->atol, b->options.close, y->name, y->scale);
        snprintf(advice, sizeof advice, "--atol %.0e", ATOL_RATIO * b->options.close * y->scale);
        add_warning(out, "scales", text, advice);
        return;
    }
}

/* Warns of motions whose contacts could not be followed from event to event. */
static void doubt_steps(const zw_basin *b, zw_warnings *out) {
    zw_ensemble_info info;
    char text[400];
    zw_ensemble_statistics(b->e, &info, sizeof info);
    if (info.in_steps == 0)
        return;
    snprintf(text, sizeof text, "%llu of %llu motions were repeated in time steps, the first: %s",
             (unsigned long long)info.in_steps, (unsigned long long)info.motions,
             info.in_steps_why);
    add_warning(out, "time steps", text, "");
}

/* Warnings of single motions; more detailed warnings report how accurately the ends of motions are
 * known. */
static void doubt_motions(const zw_basin *b, zw_warnings *out) {
    zw_ensemble_info info;
    char text[400];
    zw_ensemble_statistics(b->e, &info, sizeof info);
    if (!info.doubt[0])
        return;
    snprintf(text, sizeof text, "some motions have warnings, the first: %.360s", info.doubt);
    add_warning(out, "motions", text, "");
}

/* Starts on several leaves of an integral: each leaf has its own attractors, unless one of its
 * coordinates only follows the others. */
static void doubt_leaves(const zw_basin *b, zw_warnings *out) {
    const zw_system *s = &b->on_leaf;
    for (int i = b->sys->nintegral; i < s->nintegral; i++) {
        const zw_integral *I = &s->integral[i];
        bool varied = false, follows = false;
        for (int k = 0; k < b->naxis; k++)
            varied |= b->axis[k].state >= 0 && b->axis[k].state < s->nq &&
                      zw_depends(b->ctx, I->value, s->coord[b->axis[k].state].sym);
        for (int k = 0; k < s->nq; k++)
            follows |= b->ignored[k] && zw_depends(b->ctx, I->value, s->coord[k].sym);
        if (!varied || follows)
            continue;
        char *formula = zw_print_within(b->ctx, I->value, ZW_TEXT, 120);
        zw_warning d = zw_warning_of("leaves", NAN,
                                     "the starts differ in %s, which constraint %s keeps constant: "
                                     "each value has its own attractors",
                                     formula ? formula : "an integral", I->name);
        zw_warning_place(&d, I->place);
        zw_warning_hint(&d, "vary velocities, or coordinates together so that it stays the same");
        zw_warnings_add(out, &d);
        zw_string_free(b->ctx, formula);
    }
}

void zw_basin_warnings(const zw_basin *b, zw_warnings *out) {
    const zw_basin_info *i = &b->info;
    char text[320];
    zw_warning leaf;
    doubt_steps(b, out);
    doubt_motions(b, out);
    zw_warnings_add_all(out, b->doubts);
    if (zw_leaf_warning(b->nhidden, "an attractor", &leaf))
        zw_warnings_add(out, &leaf);
    doubt_leaves(b, out);
    doubt_scales(b, out);
    if (b->conserves)
        add_warning(out, "conserved", "motions keep their energy: there are no attractors",
                    "what is told are kinds of motions, and starts that leave or stop");
    if (i->unresolved && zw_basin_is_stopped(b)) {
        snprintf(text, sizeof text, "%llu of %llu starts were not known when it was stopped",
                 (unsigned long long)i->unresolved, (unsigned long long)b->n);
        add_warning(out, "stopped", text, "");
    } else if (i->unresolved) {
        snprintf(text, sizeof text,
                 "%llu of %llu starts are unresolved: after %ld looks they have neither arrived "
                 "nor left",
                 (unsigned long long)i->unresolved, (unsigned long long)b->n, b->options.looks);
        add_warning(
            out, "unresolved", text,
            b->too_many
                ? "there are more than 64 places to go to, perhaps a continuum of them: --compare "
                  "fewer quantities"
                : "--looks gives them more time; --compare leaves out what does not come to rest");
    }
    if (i->failed) {
        snprintf(text, sizeof text, "%llu of %llu starts failed, the first: %s",
                 (unsigned long long)i->failed, (unsigned long long)b->n, b->failure);
        add_warning(out, "failed", text, "");
    }
    if (i->check_differs) {
        snprintf(
            text, sizeof text,
            "of %llu starts that were followed until they arrive by themselves %llu go elsewhere",
            (unsigned long long)i->checked, (unsigned long long)i->check_differs);
        add_warning(out, "check", text, "--close and --cell say how near is near");
    }
    if (i->fine_differs) {
        char words[80];
        snprintf(text, sizeof text,
                 "of %llu starts %llu go elsewhere with %s: labels of single starts beside "
                 "boundaries are not certain, those of up to %.2g of all",
                 (unsigned long long)i->fine_checked, (unsigned long long)i->fine_differs,
                 finer_words(b, words, sizeof words),
                 zw_share_reported((long)i->fine_differs, (long)i->fine_checked));
        add_warning(out, "tolerance", text,
                    "--rtol and --atol are finer; shares are known better than single labels");
    }
    if (i->filled_differs) {
        snprintf(text, sizeof text,
                 "of %llu starts that refinement has filled in %llu go elsewhere",
                 (unsigned long long)i->filled_checked, (unsigned long long)i->filled_differs);
        add_warning(out, "refine", text, "without --refine all starts are computed");
    }
    for (int k = 0; k < b->nfound; k++)
        doubt_found(b, k, out);
}

/* ---- tables ---- */

/* The points in all compared quantities; and in the plane of the two axes, if both are compared: "X
 * Y; X Y". */
static void put_points(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    for (int k = 0; k < a->npoint && k < 512; k++)
        for (int q = 0; q < b->ny; q++)
            zw_text_printf(t, "%s%s = %.12g",
                           q   ? ", "
                           : k ? "\n"
                               : "",
                           b->quantity[q].name, shown_value(b, q, a->point[k * b->ny + q]));
}

static void put_places(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    int at[2] = {-1, -1};
    for (int i = 0; i < 2 && b->naxis == 2; i++)
        for (int q = 0; q < b->ny; q++)
            if (b->axis[i].state >= 0 && b->quantity[q].state == b->axis[i].state)
                at[i] = q;
    for (int k = 0; k < a->npoint && k < 64 && at[0] >= 0 && at[1] >= 0; k++)
        zw_text_printf(t, "%s%.9g %.9g", k ? "; " : "",
                       shown_value(b, at[0], a->point[k * b->ny + at[0]]),
                       shown_value(b, at[1], a->point[k * b->ny + at[1]]));
}

static zw_status take_note(zw_table *t, const char *key, zw_text *text) {
    zw_status status = text->failed   ? ZW_E_MEMORY
                       : text->length ? zw_table_note(t, key, zw_text_get(text))
                                      : ZW_OK;
    zw_text_clear(text);
    return status;
}

static const char *trial_words(zw_basin_trial kind) {
    switch (kind) {
    case ZW_BASIN_STABLE:
        return ", stable";
    case ZW_BASIN_UNSTABLE:
        return ", unstable";
    case ZW_BASIN_UNTRIED:
        break;
    }
    return "";
}

static zw_status note_attractor(const zw_basin *b, int i, zw_table *t) {
    const zw_basin_attractor *a = &b->found[i].is;
    char key[48], words[160];
    zw_text text;
    zw_text_init(&text, NULL);
    zw_basin_describe(b, a, words, sizeof words);
    zw_text_printf(&text, "%s%s, share %.4g", words, trial_words(a->trial), a->share);
    snprintf(key, sizeof key, "attractor %d", i + 1);
    ZW_TRY(take_note(t, key, &text));
    if (b->by_kind)
        return ZW_OK;
    zw_text_init(&text, NULL);
    put_places(&text, b, a);
    snprintf(key, sizeof key, "attractor %d at", i + 1);
    ZW_TRY(take_note(t, key, &text));
    zw_text_init(&text, NULL);
    put_points(&text, b, a);
    snprintf(key, sizeof key, "attractor %d points", i + 1);
    ZW_TRY(take_note(t, key, &text));
    zw_text_init(&text, NULL);
    zw_text_printf(
        &text, "share %.9g +- %.2g, period %d, time %.9g s, reach %.4g, exponent %.6g +- %.2g 1/s",
        a->share, a->error, a->period, a->time, a->reach, a->exponent, a->exponent_error);
    snprintf(key, sizeof key, "attractor %d numbers", i + 1);
    return take_note(t, key, &text);
}

static zw_status note_attractors(const zw_basin *b, zw_table *t) {
    for (int i = 0; i < b->nfound; i++)
        ZW_TRY(note_attractor(b, i, t));
    return ZW_OK;
}

static zw_status note_study(const zw_basin *b, zw_table *t) {
    zw_text text;
    zw_text_init(&text, NULL);
    for (int i = 0; i < b->naxis; i++)
        zw_text_printf(&text, "%s%s", i ? " " : "", b->axis[i].range.name);
    zw_text_put(&text, " attractor time");
    zw_status status = text.failed ? ZW_E_MEMORY : ZW_OK;
    if (status >= 0 && b->naxis == 2 && !b->options.samples)
        status = zw_table_note(t, "map", zw_text_get(&text));
    zw_text_clear(&text);
    ZW_TRY(status);
    zw_text_init(&text, NULL);
    put_sampling(&text, b);
    zw_text_printf(&text, "cells %.4g, close %.2g, periods up to %d, looks up to %ld, seed %llu",
                   b->options.cell, b->options.close, b->options.period_max, b->options.looks,
                   (unsigned long long)b->options.seed);
    status = text.failed ? ZW_E_MEMORY : zw_table_note(t, "basin", zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

static zw_status fill_table(const zw_basin *b, zw_table *t) {
    double row[ZW_BASIN_AXES + 3], u[ZW_BASIN_AXES];
    for (int i = 0; i < b->naxis; i++) {
        const zw_parameter_range *r = &b->axis[i].range;
        const char *unit = b->axis[i].state < 0 ? b->sys->param[b->axis[i].parameter].unit
                           : b->axis[i].state < b->sys->nq
                               ? b->sys->coord[b->axis[i].state].unit
                               : b->sys->velocity[b->axis[i].state - b->sys->nq].unit;
        ZW_TRY(zw_table_column(t, r->name, unit));
    }
    ZW_TRY(zw_table_column(t, "attractor", ""));
    ZW_TRY(zw_table_column(t, "time", "s"));
    if (b->computed)
        ZW_TRY(zw_table_column(t, "computed", ""));
    uint64_t followed = 0;
    for (uint64_t k = 0; k < b->n; k++)
        followed += b->label[k] != BASIN_UNSET;
    ZW_TRY(zw_table_reserve(t, (long)followed));
    for (uint64_t k = 0; k < b->n; k++) {
        if (b->label[k] == BASIN_UNSET)
            continue;
        zw_basin_unit_start(b, k, u);
        for (int i = 0; i < b->naxis; i++)
            row[i] = zw_basin_axis_value(&b->axis[i], u[i]);
        row[b->naxis] = zw_basin_label(b, k);
        row[b->naxis + 1] = zw_basin_time(b, k);
        if (b->computed)
            row[b->naxis + 2] = b->computed[k];
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

zw_status zw_basin_table(const zw_basin *b, const zw_model_source *source, zw_table **out,
                         zw_error *err) {
    assert(out);
    zw_table *t = b->rows ? zw_table_create_like(b->rows) : zw_table_create(NULL);
    const char *principle = b->options.principle ? b->options.principle : "lagrange";
    *out = NULL;
    if (!t)
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_study_origin(t, b->sys, principle, b->p, NULL, source, "basin");
    if (status >= 0)
        status = note_study(b, t);
    if (status >= 0 && b->rows)
        status = zw_table_append(t, b->rows, err);
    else if (status >= 0) {
        status = note_attractors(b, t);
        if (status >= 0)
            status = fill_table(b, t);
    }
    if (status < 0) {
        zw_table_out_of_memory(t, err);
        zw_table_destroy(t);
        return status;
    }
    *out = t;
    return ZW_OK;
}
