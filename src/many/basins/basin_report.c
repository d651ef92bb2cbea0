/* SPDX-License-Identifier: MIT */
/* Basins as a report, and their warnings. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "basin.h"
#include "many/share_bound.h"
#include "mech/equations/variants.h"
#include "zwang/equations.h"
#include "zwang/report.h"

/* of the absolute tolerance that is advised to `close` times the scale, as in basin_setup.c */
#define ATOL_RATIO 1e-2

enum { SHOWN = 8 }; /* quantities of a point in words */

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
                     b->section >= 0 ? "crossings" : "periods of the excitation");
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

double zw_basin_shown_value(const zw_basin *b, int i, double y) {
    return b->quantity[i].period > 0 ? remainder(y, b->quantity[i].period) : y;
}

/* A state of the history of a delay is compared, but not shown. */
static bool is_past(const zw_basin *b, int i) {
    return b->quantity[i].state >= 0 && zw_system_is_past(b->sys, b->quantity[i].state);
}

void zw_basin_put_sampling(zw_text *t, const zw_basin *b) {
    if (b->section >= 0)
        zw_text_printf(t, "sampled at %s, and every %.6g s for rests",
                       b->sys->event[b->section].name, b->step);
    else
        zw_text_printf(t, "sampled every %.6g s%s", b->step,
                       b->driven ? ", a period of the excitation" : "");
    zw_text_put(t, "; compared quantities with their scales:");
    for (int i = 0; i < b->ny; i++)
        if (!is_past(b, i))
            zw_text_printf(t, "%s %s %.4g", i ? "," : "", b->quantity[i].name,
                           b->quantity[i].scale);
    zw_text_put(t, "\n");
    if (b->finer)
        zw_text_printf(t,
                       "tolerances reduced to --rtol %.1g --atol %.1g, which --close %.1g needs\n",
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

/* ---- report ---- */

/* a share of all starts, to the second digit of its error */
static void report_share(zw_report *out, double share, double error) {
    zw_report_number(
        out, "share", share,
        &(zw_shown){.error = error, .digits = 6, .with_error = true, .error_digits = 2});
}

/* a range of the quantity on a continuum */
static void report_range(const zw_basin *b, const zw_basin_attractor *a, int i, zw_report *out) {
    const zw_shown six = {.unit = b->quantity[i].unit, .digits = 6};
    zw_report_number(out, "low", a->low[i], &six);
    zw_report_number(out, "high", a->high[i], &six);
    zw_report_flag(out, "goes_lower", a->beyond_low >> i & 1);
    zw_report_flag(out, "goes_higher", a->beyond_high >> i & 1);
    zw_report_say(out, "{quantity} = {low}");
    if (a->high[i] > a->low[i])
        zw_report_say(out, "{goes_lower? or less} to {high}{goes_higher? or more}");
}

/* Where it is: the first point, or the ranges of a continuum. */
static void report_place(const zw_basin *b, const zw_basin_attractor *a, zw_report *out) {
    bool shown = a->npoint && !b->by_kind;
    int printed = 0;
    zw_report_list(out, "place");
    if (shown)
        zw_report_say(out, a->kind > ZW_BASIN_REST ? "      passes " : "      ");
    for (int i = 0; i < b->ny && (shown || a->low); i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "quantity", b->quantity[i].name);
        zw_report_word(out, "unit", b->quantity[i].unit);
        bool left_out = !shown || (!a->low && is_past(b, i)) || printed == SHOWN;
        zw_report_mute(out, left_out || b->rows);
        printed += !left_out;
        zw_report_say(out, printed > 1 ? ", " : "");
        if (a->low) {
            report_range(b, a, i, out);
        } else {
            zw_report_number(out, "value", zw_basin_shown_value(b, i, a->point[i]),
                             &(zw_shown){.unit = b->quantity[i].unit, .digits = 6});
            zw_report_say(out, "{quantity} = {value}");
        }
        zw_report_mute(out, b->rows != NULL);
        zw_report_close(out);
    }
    zw_report_say(out, shown ? "\n" : "");
    zw_report_close(out);
}

static void report_points(const zw_basin *b, const zw_basin_attractor *a, zw_report *out) {
    int n = b->by_kind ? 0 : a->npoint;
    double *v = zw_context_alloc(b->ctx, sizeof *v * (size_t)(n * b->ny + 1));
    for (int i = 0; v && i < n * b->ny; i++)
        v[i] = zw_basin_shown_value(b, i % b->ny, a->point[i]);
    if (v && n > 0)
        zw_report_matrix(out, "points", n, b->ny, v, NULL);
}

/* How it was found to be stable, in sentences. */
static void report_stability(const zw_basin *b, const zw_basin_attractor *a, zw_report *out) {
    static const char *const trial[] = {[ZW_BASIN_UNTRIED] = "untried",
                                        [ZW_BASIN_STABLE] = "stable",
                                        [ZW_BASIN_UNSTABLE] = "unstable"};
    const zw_shown two = {.digits = 2};
    bool stays = a->trial == ZW_BASIN_UNTRIED && a->kind <= ZW_BASIN_CYCLE;
    zw_report_word(out, "trial", trial[a->trial]);
    zw_report_number(out, "reach", a->reach, &two);
    zw_report_number(out, "twice_the_reach", 2 * a->reach, &two);
    zw_report_count(out, "confirmed", a->confirmed);
    zw_report_number(out, "exponent", a->exponent,
                     &(zw_shown){.unit = "1/s",
                                 .error = a->exponent_error,
                                 .digits = 6,
                                 .with_error = true,
                                 .error_digits = 2});
    zw_report_number(out, "exponent_time", a->exponent_time, &(zw_shown){.unit = "s", .digits = 4});
    zw_report_say(out, "{exponent?      largest exponent {exponent}, over {exponent_time}\n}");
    if (a->trial == ZW_BASIN_STABLE)
        zw_report_say(out, "      stable: all starts around it, up to {twice_the_reach} of the "
                           "scales away, return\n");
    zw_report_say(out, "{confirmed?      so do {confirmed|start|starts} anywhere up to {reach} of "
                       "the scales away\n}");
    if (a->trial == ZW_BASIN_UNSTABLE)
        zw_report_say(out, "      unstable: starts next to it do not return; the starts that end "
                           "here lie on its stable set\n");
    if (a->continuum)
        zw_report_say(out, "      starts near one point of it end at other points of it\n");
    else if (stays && a->exponent < 0)
        zw_report_say(out, "      attracting by its exponent, but some starts next to it do not "
                           "return: its basin is thin\n");
    else if (stays && !b->by_kind)
        zw_report_say(out, "      reached by motions; starts next to it were not tried, or take "
                           "too long\n");
}

static void report_attractor(const zw_basin *b, int i, zw_report *out) {
    const zw_basin_attractor *a = &b->found[i].is;
    const zw_shown four = {.digits = 4};
    char words[160];
    zw_basin_describe(b, a, words, sizeof words);
    zw_report_open(out, NULL);
    zw_report_count(out, "number", i + 1);
    zw_report_word(out, "what", words);
    report_share(out, a->share, a->error);
    zw_report_count(out, "starts", (long)a->starts);
    zw_report_count(out, "period", a->period);
    zw_report_number(out, "time", a->time, &(zw_shown){.unit = "s"});
    zw_report_count(out, "continuum", a->continuum);
    zw_report_say(out, "{number:4}  {what}: {share} of the starts ({starts})\n");
    report_place(b, a, out);
    report_points(b, a, out);
    report_stability(b, a, out);
    zw_report_number(out, "circle", a->circle, &four);
    zw_report_number(out, "compact", a->compact, &four);
    zw_report_say(out, "{circle?      largest circle around it {circle}, anywhere in the basin "
                       "{compact} of the ranges\n}");
    zw_report_close(out);
}

static void report_axes(const zw_basin *b, zw_report *out) {
    zw_report_list(out, "axes");
    zw_report_say(out, "{model}: {starts|start|starts}");
    for (int i = 0; i < b->naxis; i++) {
        const zw_parameter_range *r = &b->axis[i].range;
        const zw_shown six = {.scale = r->factor, .digits = 6};
        zw_report_open(out, NULL);
        zw_report_word(out, "name", r->name);
        zw_report_word(out, "unit", r->unit);
        zw_report_number(out, "from", r->from, &six);
        zw_report_number(out, "to", r->to, &six);
        zw_report_count(out, "values", b->options.samples ? 0 : b->axis[i].n);
        zw_report_say(out, ", {name} = {from} to {to}{unit? {unit}}{values? ({values})}");
        zw_report_close(out);
    }
    zw_report_say(out, b->options.samples ? ", drawn\n" : "\n");
    zw_report_close(out);
}

static void report_sampling(const zw_basin *b, zw_report *out) {
    zw_text words;
    zw_text_init(&words, NULL);
    zw_basin_put_sampling(&words, b);
    zw_report_number(out, "step", b->step, &(zw_shown){.unit = "s"});
    zw_report_word(out, "section", b->section >= 0 ? b->sys->event[b->section].name : NULL);
    zw_report_flag(out, "tolerances_reduced", b->finer);
    zw_report_say(out, zw_text_get(&words));
    zw_text_clear(&words);
    zw_report_list(out, "compared");
    for (int i = 0; i < b->ny; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", b->quantity[i].name);
        zw_report_word(out, "unit", b->quantity[i].unit);
        zw_report_number(out, "scale", b->quantity[i].scale, NULL);
        zw_report_close(out);
    }
    zw_report_close(out);
}

static double share_of(const zw_basin *b, uint64_t starts) {
    return (double)starts / (double)b->n;
}

/* starts that no attractor has, and starts that were followed again */
static void report_counts(const zw_basin *b, zw_report *out) {
    const zw_basin_info *i = &b->info;
    const zw_shown five = {.digits = 5};
    char words[80];
    zw_report_count(out, "computed", (long)i->computed);
    zw_report_count(out, "unresolved", (long)i->unresolved);
    zw_report_number(out, "unresolved_share", share_of(b, i->unresolved), &five);
    zw_report_count(out, "failed", (long)i->failed);
    zw_report_number(out, "failed_share", share_of(b, i->failed), &five);
    zw_report_word(out, "first_failure", i->failed ? b->failure : NULL);
    zw_report_count(out, "filled_checked", (long)i->filled_checked);
    zw_report_count(out, "filled_differs", (long)i->filled_differs);
    zw_report_count(out, "checked", (long)i->checked);
    zw_report_count(out, "check_differs", (long)i->check_differs);
    zw_report_count(out, "fine_checked", (long)i->fine_checked);
    zw_report_count(out, "fine_differs", (long)i->fine_differs);
    zw_report_word(out, "fine_integration", finer_words(b, words, sizeof words));
    zw_report_number(
        out, "fine_differs_at_most",
        i->fine_checked ? zw_share_reported((long)i->fine_differs, (long)i->fine_checked) : NAN,
        &(zw_shown){.digits = 2});
    zw_report_mute(out, b->rows != NULL);
    zw_report_say(out, zw_basin_is_stopped(b)
                           ? "{unresolved?   0  unknown when the work was stopped: "
                             "{unresolved_share} of the starts ({unresolved})\n}"
                           : "{unresolved?   0  unresolved: {unresolved_share} of the starts "
                             "({unresolved})\n}");
    zw_report_say(out, "{failed?  -1  failed: {failed_share} of the starts ({failed}), the first: "
                       "{first_failure}\n}");
    if (b->computed)
        zw_report_say(out, "{computed} of {starts|start|starts} computed, the others lie between "
                           "equal ones; of {filled_checked} of these that were computed as well, "
                           "{filled_differs} differ\n");
    zw_report_say(out, "{checked?{checked|start|starts} followed once more, each until it arrives: "
                       "{check_differs} differ\n}"
                       "{fine_checked?{fine_checked|start|starts} followed with "
                       "{fine_integration}: {fine_differs} differ, so at most "
                       "{fine_differs_at_most} of all\n}");
    zw_report_mute(out, false);
}

/* The table of zw_basin_add_rows: value, number, share, its error, circle, compact, period, point. */
static void report_over(const zw_basin *b, zw_report *out) {
    enum { VALUE, NUMBER, SHARE, ERROR, CIRCLE, COMPACT, PERIOD, POINT };
    double row[POINT + ZW_BASIN_LOOKS];
    zw_report_word(out, "parameter", b->over.name);
    zw_report_word(out, "parameter_unit", b->over.unit);
    zw_report_list(out, "over");
    for (long k = 0; k < zw_table_rows(b->rows); k++) {
        for (int c = 0; c < zw_table_columns(b->rows); c++)
            row[c] = zw_table_at(b->rows, k, c);
        zw_report_open(out, NULL);
        zw_report_number(out, "value", row[VALUE],
                         &(zw_shown){.scale = b->over.factor, .digits = 6});
        zw_report_count(out, "attractor", (long)row[NUMBER]);
        report_share(out, row[SHARE], row[ERROR]);
        zw_report_number(out, "circle", row[CIRCLE], &(zw_shown){.digits = 4});
        zw_report_number(out, "compact", row[COMPACT], NULL);
        zw_report_count(out, "period", (long)row[PERIOD]);
        zw_report_vector(out, "point", b->ny, row + POINT, NULL, NULL);
        zw_report_say(out, "  {parameter} = {value:-10} attractor {attractor}: {share}{circle?, "
                           "circle {circle}}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_effort(const zw_basin *b, zw_report *out) {
    zw_basin_info i;
    zw_basin_statistics(b, &i, sizeof i);
    zw_report_number(out, "seconds", i.seconds, &(zw_shown){.unit = "s", .digits = 3});
    zw_report_number(out, "starts_per_second", i.rate, &(zw_shown){.unit = "1/s", .digits = 4});
    zw_report_count(out, "threads", i.threads);
    zw_report_count(out, "lanes", i.lanes);
}

void zw_basin_report(const zw_basin *b, zw_report *out) {
    zw_report_count(out, "starts", (long)b->n);
    report_axes(b, out);
    report_sampling(b, out);
    zw_report_flag(out, "conserves_energy", b->conserves);
    zw_report_say(out, "{conserves_energy?motions conserve their energy, so there are no "
                       "attractors; these are kinds of motions, and starts that leave or stop\n}");
    if (b->rows)
        report_over(b, out);
    zw_report_list(out, "attractors");
    zw_report_mute(out, b->rows != NULL);
    for (int i = 0; i < b->nfound; i++)
        report_attractor(b, i, out);
    zw_report_mute(out, false);
    zw_report_close(out);
    report_counts(b, out);
    report_effort(b, out);
}

void zw_basin_report_uncertainty(const zw_basin_uncertainty *u, zw_report *out) {
    zw_report_open(out, "uncertainty");
    zw_report_list(out, "distances");
    for (int i = 0; i < u->n; i++) {
        zw_report_open(out, NULL);
        zw_report_number(out, "distance", u->eps[i], &(zw_shown){.digits = 4});
        zw_report_count(out, "pairs", (long)u->pairs[i]);
        zw_report_number(out, "differing", u->f[i], &(zw_shown){.digits = 5});
        zw_report_say(out, "  distance {distance:-10} {differing} of {pairs|pair|pairs} differ\n");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_number(
        out, "exponent", u->alpha,
        &(zw_shown){.error = u->error, .digits = 6, .with_error = true, .error_digits = 2});
    zw_report_number(out, "dimension", u->dimension, &(zw_shown){.error = u->error, .digits = 5});
    zw_report_number(out, "misfit", u->misfit, &(zw_shown){.digits = 2});
    zw_report_word(out, "boundary",
                   u->verdict > 0    ? "fractal"
                   : u->verdict == 0 ? "smooth"
                                     : "undecided");
    zw_report_say(out, isnan(u->alpha)
                           ? "too few pairs differ for an exponent; use more --pairs, or a larger "
                             "--largest\n"
                           : "uncertainty exponent {exponent}, dimension of the boundary "
                             "{dimension}, misfit {misfit} per degree of freedom: {boundary}\n");
    zw_report_close(out);
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
        "number %d returns without a period up to %d, and its exponent does not decide what it is",
        i + 1, b->options.period_max);
    add_warning(out, key, text,
                "--longer follows it for a longer time, --period-max allows longer periods");
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
                 "are not known that accurately",
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
        add_warning(out, "conserved", "motions conserve their energy, so there are no attractors",
                    "the report lists kinds of motions, and starts that leave or stop");
    if (i->unresolved && zw_basin_is_stopped(b)) {
        snprintf(text, sizeof text, "%llu of %llu starts were unknown when the work was stopped",
                 (unsigned long long)i->unresolved, (unsigned long long)b->n);
        add_warning(out, "stopped", text, "");
    } else if (i->unresolved) {
        snprintf(text, sizeof text,
                 "%llu of %llu starts are unresolved: after %ld samples they have neither arrived "
                 "nor left",
                 (unsigned long long)i->unresolved, (unsigned long long)b->n, b->options.looks);
        add_warning(
            out, "unresolved", text,
            b->too_many
                ? "there are more than 64 places to go to, perhaps a continuum of them: --compare "
                  "fewer quantities"
                : "use more --looks, or exclude quantities that do not come to rest with "
                  "--compare");
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
        add_warning(out, "check", text, "set the distances with --close and --cell");
    }
    if (i->fine_differs) {
        char words[80];
        snprintf(text, sizeof text,
                 "of %llu starts %llu go elsewhere with %s: the labels of single starts near "
                 "boundaries are uncertain, those of up to %.2g of all",
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
