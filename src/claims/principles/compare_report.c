/* SPDX-License-Identifier: MIT */
/* The comparison of all principles, described. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"
#include "zwang/report.h"

/* the names of the active constraints that are not on position level */
static void put_nonholonomic(zw_text *out, const zw_comparison_info *info) {
    const zw_system *s = info->sys;
    int n = 0;
    for (int i = 0; i < s->nconstraint; i++)
        if (info->holds[i] && s->constraint[i].level != ZW_POSITION)
            zw_text_printf(out, "%s%s", n++ ? ", " : "", s->constraint[i].name);
    zw_text_put(out, n == 1 ? " is" : " are");
}

static bool has_constraints(const zw_comparison_info *info) {
    for (int i = 0; i < info->sys->nconstraint; i++)
        if (info->holds[i])
            return true;
    return false;
}

/* one sentence: how the vakonomic principle compares with the others, and why */
static void put_reason(zw_text *out, const zw_comparison_info *info, const zw_compared *row) {
    if (row->accel.value < 0)
        zw_text_printf(out, "cannot be compared: %s",
                       row->refusal.text[0] ? row->refusal.text : "its equations are singular");
    else if (!has_constraints(info))
        zw_text_put(out, "the same principle here: there is no active constraint");
    else if (info->vakonomic.holonomic)
        zw_text_put(out, "the same principle here: all active constraints are holonomic "
                         "(position level)");
    else if (row->accel.value <= info->tolerance) {
        zw_text_put(out, "agrees at these states although ");
        put_nonholonomic(out, info);
        zw_text_put(out, " not on position level: the rows behave like integrable ones");
    } else {
        zw_text_put(out, "a different principle here: ");
        put_nonholonomic(out, info);
        zw_text_put(out, " not on position level, and stationary action among the paths that "
                         "satisfy such constraints is not d'Alembert's principle");
    }
}

/* ---------------------------------------------------------------------------------------- values */

/* shown in microseconds without decimals, or with `decimals`; negative: unknown */
static void report_time(zw_report *r, const char *key, double seconds, int decimals) {
    double us = 1e6 * seconds;
    int digits = us >= 1 ? 1 + (int)floor(log10(us)) + decimals : 1 + decimals;
    zw_report_number(r, key, seconds < 0 ? NAN : seconds,
                     &(zw_shown){.scale = 1e-6, .si_unit = "s", .digits = digits, .none = "-"});
}

/* a relative difference; negative: nothing was compared */
static void report_relative(zw_report *r, const char *key, double value) {
    zw_report_number(r, key, value < 0 ? NAN : value, &(zw_shown){.digits = 2, .none = "-"});
}

/* a largest difference and its place, with a cell of the table */
static void report_difference(zw_report *r, const zw_comparison *c, const char *key,
                              const zw_difference *w, const char *instead) {
    zw_report_open(r, key);
    report_relative(r, "difference", w->value);
    zw_report_say(r, instead ? instead : " {difference:13}");
    if (w->value >= 0) {
        bool on_run = w->state >= c->info.nrandom;
        double t;
        zw_comparison_state(c, w->state, &t);
        zw_report_word(r, "entry", w->entry);
        zw_report_flag(r, "on_run", on_run);
        zw_report_count(r, "state", w->state + 1 - (on_run ? c->info.nrandom : 0));
        zw_report_number(r, "t", t, &(zw_shown){.unit = "s"});
    }
    zw_report_close(r);
}

static void report_sizes(zw_report *r, const zw_compared *row) {
    zw_report_count(r, "equations", row->dynamic + row->constraints);
    zw_report_count(r, "dynamic", row->dynamic);
    zw_report_count(r, "constraints", row->constraints);
    zw_report_count(r, "unknowns", row->accelerations + row->multipliers);
    zw_report_count(r, "unknown_accelerations", row->accelerations);
    zw_report_count(r, "unknown_multipliers", row->multipliers);
    zw_report_count(r, "operations", row->operations);
}

static void report_applied(zw_report *r, const zw_comparison *c, const zw_compared *row,
                           bool is_reference) {
    const char *cell = is_reference ? "     reference" : NULL;
    report_sizes(r, row);
    report_time(r, "lower_time", row->lower, 0);
    report_time(r, "native_time", row->compile, 0);
    report_time(r, "compile_time", row->lower + row->compile, 0);
    report_time(r, "evaluate_time", row->evaluate, 2);
    zw_report_say(r, "{principle:-16} {dynamic:6}+{constraints:-2} {unknown_accelerations:6}+"
                     "{unknown_multipliers:-2} {operations:6} {derive_time:9} {compile_time:9} "
                     "{evaluate_time:9}");
    report_difference(r, c, "accelerations", &row->accel, cell);
    report_difference(r, c, "multipliers", &row->lambda,
                      is_reference && row->multipliers == 0 ? "             -" : cell);
    zw_report_count(r, "failed_states", row->failed);
    zw_report_count(r, "singular_states", row->singular);
    if (row->failed)
        zw_report_word(r, "reason", row->refusal.text);
    zw_report_say(r, "\n{failed_states?                 fails at {failed_states|state|states}: "
                     "{reason}\n}{singular_states?                 left out at {singular_states|"
                     "state|states} where its equations are nearly singular\n}");
}

static void report_row(zw_report *r, const zw_comparison *c, int i) {
    const zw_compared *row = zw_comparison_row(c, i);
    zw_report_open(r, NULL);
    zw_report_word(r, "principle", row->principle->name);
    zw_report_flag(r, "applies", row->applies);
    report_time(r, "derive_time", row->derive, 0);
    if (row->applies) {
        report_applied(r, c, row, i == c->info.reference);
    } else {
        zw_report_word(r, "reason", row->refusal.text);
        zw_report_say(r, "{principle:-16} not applicable: {reason}\n");
    }
    zw_report_close(r);
}

/* ------------------------------------------------------------------------------------- sentences */

/* what is compared, and how to read the table */
static void report_head(zw_report *r, const zw_comparison_info *info, const zw_compared *ref) {
    zw_report_word(r, "variant", info->sys->variant);
    zw_report_count(r, "random_states", info->nrandom);
    zw_report_count(r, "run_states", info->nrun);
    zw_report_number(r, "run_end", info->nrun > 0 ? info->end : NAN, &(zw_shown){.unit = "s"});
    zw_report_flag(r, "native", info->native);
    zw_report_word(r, "reference", ref->principle->name);
    zw_report_number(r, "tolerance", info->tolerance, NULL);
    zw_report_say(r, "{model}{variant?, variant {variant}}: "
                     "{random_states|random admissible state|random admissible states}"
                     "{run_states?, {run_states|state|states} of a run from the start to t = "
                     "{run_end}}\n"
                     "equations: of motion + of constraints; unknowns: accelerations + "
                     "multipliers;\ntimes in us, {native?native}{native!interpreted} code; "
                     "differences relative to the largest magnitude at the state,\n"
                     "both weighted with the masses\n\n");
    if (strcmp(ref->principle->name, "lagrange") != 0)
        zw_report_say(r, "The constraints depend on each other, so Gauss's equations are the "
                         "reference.\n\n");
    zw_report_say(r, "principle        equations  unknowns    ops    derive   compile  evaluate "
                     "accelerations   multipliers\n");
}

/* true if a principle without multipliers fails because of its choice of independent velocities */
static bool leaves_out(const zw_comparison *c) {
    for (int i = 0; i < c->info.nrow; i++) {
        const zw_compared *row = zw_comparison_row(c, i);
        if (row->singular && row->multipliers == 0 && i != c->info.vakonomic.row)
            return true;
    }
    return false;
}

static void report_vakonomic(zw_report *r, const zw_comparison *c) {
    const zw_comparison_info *info = &c->info;
    const zw_compared_vakonomic *v = &info->vakonomic;
    const zw_compared *row = zw_comparison_row(c, v->row);
    zw_text reason;
    zw_report_open(r, "vakonomic");
    zw_report_flag(r, "holonomic", v->holonomic);
    zw_text_init(&reason, &c->alloc);
    put_reason(&reason, info, row);
    zw_report_word(r, "reason", zw_text_get(&reason));
    zw_text_clear(&reason);
    report_relative(r, "random_multipliers", row->accel.value);
    report_relative(r, "start_multipliers", v->with_start);
    report_relative(r, "own_run", v->on_run);
    zw_report_number(r, "own_run_end", v->on_run < 0 ? NAN : v->end, &(zw_shown){.unit = "s"});
    zw_report_say(r, "\nvakonomic: {reason}.\n");
    if (v->with_start >= 0 && has_constraints(info))
        zw_report_say(r, "  accelerations differ by {random_multipliers} for random multipliers in "
                         "[-1, 1], by {start_multipliers} for those of the start{own_run?,\n  by "
                         "up to {own_run} along its own motion from the start to t = "
                         "{own_run_end}}\n");
    zw_report_close(r);
}

static void report_hertz(zw_report *r, const zw_compared_hertz *h) {
    zw_report_open(r, "hertz");
    zw_report_flag(r, "applies", h->applies);
    zw_report_flag(r, "holds", h->holds);
    zw_report_count(r, "states", h->states);
    zw_report_number(r, "first_variation", h->slope, &(zw_shown){.digits = 2});
    zw_report_word(r, "reason", h->reason);
    zw_report_say(r, !h->applies ? "Hertz: not applicable: {reason}\n"
                     : h->holds  ? "Hertz: least curvature holds at {states|state|states}\n"
                                 : "Hertz: least curvature FAILS: relative first variation "
                                   "{first_variation}\n");
    zw_report_close(r);
}

static void report_worst(zw_report *r, const zw_comparison *c) {
    bool of_lambda;
    char place[80];
    const zw_compared *worst = zw_comparison_worst(c, &of_lambda);
    if (!worst)
        return;
    const zw_difference *w = of_lambda ? &worst->lambda : &worst->accel;
    zw_comparison_name_state(c, w->state, place, sizeof place);
    zw_report_open(r, "worst");
    report_relative(r, "difference", w->value);
    zw_report_word(r, "entry", w->entry);
    zw_report_word(r, "principle", worst->principle->name);
    zw_report_word(r, "place", place);
    zw_report_say(r, "largest difference: {difference}, {entry} by {principle} at {place}\n");
    zw_report_close(r);
}

/* the vakonomic principle comes last: it need not agree */
void zw_comparison_report(const zw_comparison *c, zw_report *out) {
    const zw_comparison_info *info = &c->info;
    report_head(out, info, zw_comparison_row(c, info->reference));
    zw_report_flag(out, "agree", zw_comparison_judge(c, NULL) >= 0);
    zw_report_list(out, "principles");
    for (int i = 0; i < info->nrow; i++)
        if (i != info->vakonomic.row)
            report_row(out, c, i);
    report_row(out, c, info->vakonomic.row);
    zw_report_close(out);
    if (leaves_out(c))
        zw_report_say(out, "\nnote: where states are left out, other independent velocities may "
                           "help (independent u, ... in the model)\n");
    report_vakonomic(out, c);
    report_hertz(out, &info->hertz);
    report_worst(out, c);
}
