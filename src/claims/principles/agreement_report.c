/* SPDX-License-Identifier: MIT */
/* Nonholonomic motions that are vakonomic, described. */
#include "agreement.h"
#include "expr/print/expr_report.h"

enum { LONGEST = 400 }; /* characters of a formula in words */

/* "lambda(a) = 1, lambda(b) = 2" */
static void report_values(zw_report *r, const char *key, const zw_agreement *a, const double *v) {
    zw_report_list(r, key);
    for (int c = 0; c < a->n; c++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", zw_agreement_name(a, c));
        zw_report_number(r, "value", v[c], NULL);
        zw_report_say(r, c ? ", {name} = {value}" : "{name} = {value}");
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_multipliers(zw_report *r, const zw_agreement *a, const zw_agreement_motion *m) {
    if (m->mu)
        report_values(r, "multipliers", a, m->mu);
    zw_report_say(r, "\n");
    zw_report_list(r, "directions");
    for (int f = 0; f < m->nfree && m->direction; f++) {
        zw_report_say(r, "                             plus any multiple of ");
        zw_report_open(r, NULL);
        report_values(r, "multipliers", a, m->direction + (size_t)(f * a->n));
        zw_report_close(r);
        zw_report_say(r, "\n");
    }
    zw_report_close(r);
}

static void report_motion(zw_report *r, const zw_agreement *a, const zw_agreement_motion *m) {
    static const char *const verdict[] = {"agrees", "disagrees", "undecided", "failed"};
    zw_report_open(r, NULL);
    zw_report_word(r, "verdict", verdict[m->verdict]);
    zw_report_count(r, "free", m->nfree);
    zw_report_number(r, "mismatch", m->mismatch, &(zw_shown){.digits = 3});
    zw_report_number(r, "distance", m->apart, &(zw_shown){.digits = 2});
    zw_report_vector(r, "start", m->x ? a->nq + a->nv : 0, m->x, NULL, NULL);
    zw_report_say(r, "from the start of the model  ");
    bool silent = m->verdict != ZW_AGREES;
    zw_report_say(r, silent     ? ""
                     : m->nfree ? "vakonomic too, with the multipliers "
                                : "vakonomic too, with the unique multipliers ");
    zw_report_mute(r, silent || m != &a->motion[0]);
    report_multipliers(r, a, m);
    zw_report_say(r, "                             over {time} the vakonomic run with these "
                     "deviates from it by {distance} of its size\n");
    zw_report_mute(r, m != &a->motion[0]);
    if (m->verdict == ZW_DISAGREES)
        zw_report_say(r, "not vakonomic: with the best multipliers the accelerations differ by "
                         "{mismatch} of their size\n");
    else if (m->verdict == ZW_AGREES_UNDECIDED)
        zw_report_say(r, "not decided: the best multipliers leave {mismatch} of the acceleration, "
                         "and the vakonomic run with them deviates by {distance} of its size\n");
    else if (m->verdict == ZW_AGREES_FAILED)
        zw_report_say(r, "the motion could not be followed\n");
    zw_report_close(r);
}

static void report_motions(zw_report *r, const zw_agreement *a) {
    zw_report_list(r, "motions");
    for (int i = 0; i < a->nmotion; i++) {
        zw_report_mute(r, i > 0);
        report_motion(r, a, &a->motion[i]);
    }
    zw_report_close(r);
    zw_report_mute(r, false);
}

static void report_random(zw_report *r, const zw_agreement *a) {
    int count[4] = {0}, unique = 0;
    for (int i = 1; i < a->nmotion; i++) {
        count[a->motion[i].verdict]++;
        unique += a->motion[i].verdict == ZW_AGREES && a->motion[i].nfree == 0;
    }
    zw_report_open(r, "random_starts");
    zw_report_count(r, "all", a->nmotion - 1);
    zw_report_count(r, "vakonomic", count[ZW_AGREES]);
    zw_report_count(r, "unique", unique);
    zw_report_count(r, "not_vakonomic", count[ZW_DISAGREES]);
    zw_report_count(r, "undecided", count[ZW_AGREES_UNDECIDED]);
    zw_report_count(r, "not_followed", count[ZW_AGREES_FAILED]);
    zw_report_say(r, "{all?from {all|random start|random starts}        {vakonomic} vakonomic"
                     "{vakonomic? ({unique} with unique multipliers)}, {not_vakonomic} not"
                     "{undecided?, {undecided} not decided}"
                     "{not_followed?, {not_followed} not followed}\n}");
    zw_report_close(r);
}

/* a formula that is 0 */
static void report_zero(zw_report *r, const zw_agreement *a, zw_expr e) {
    zw_report_open(r, NULL);
    bool shown = zw_report_expr(r, "zero", a->sys->ctx, e, LONGEST);
    zw_report_say(r, shown ? "    {zero} = 0\n" : "    (a long expression) = 0\n");
    zw_report_close(r);
}

static void report_equations(zw_report *r, const zw_agreement *a) {
    zw_report_say(
        r, !a->equation   ? "the multipliers must satisfy linear equations at every state, for "
                            "which there are no formulas here\n"
           : a->nequation ? "the multipliers must satisfy, at every state of the motion,\n"
                          : "the multipliers make no difference: the constraints behave "
                            "like integrable ones\n");
    zw_report_list(r, "equations");
    for (int i = 0; i < a->nequation; i++)
        report_zero(r, a, a->equation[i]);
    zw_report_close(r);
}

static void report_formula(zw_report *r, const zw_agreement *a, int i) {
    zw_expr value = a->value ? a->value[i] : ZW_NULL;
    bool shown = true;
    zw_report_open(r, NULL);
    zw_report_word(r, "name", zw_agreement_name(a, i));
    zw_report_flag(r, "is_free", a->value && value == ZW_NULL);
    if (value != ZW_NULL)
        shown = zw_report_expr(r, "value", a->sys->ctx, value, LONGEST);
    zw_report_say(r, value == ZW_NULL ? "    {name} is free\n"
                     : shown          ? "    {name} = {value}\n"
                                      : "    {name} = (a long expression)\n");
    zw_report_close(r);
}

/* The general consequences. */
static void report_formulas(zw_report *r, const zw_agreement *a) {
    zw_report_mute(r, !a->value || !a->nequation);
    zw_report_say(r, "so that at all times, in general,\n");
    zw_report_list(r, "formulas");
    for (int i = 0; i < a->n; i++)
        report_formula(r, a, i);
    zw_report_close(r);
    zw_report_say(r, a->ncondition ? "and only where the motion has\n" : "");
    zw_report_list(r, "conditions");
    for (int i = 0; i < a->ncondition; i++)
        report_zero(r, a, a->condition[i]);
    zw_report_close(r);
    zw_report_mute(r, false);
}

void zw_agreement_report(const zw_agreement *a, zw_report *out) {
    zw_report_number(out, "time", a->options.time, &(zw_shown){.unit = "s"});
    zw_report_say(out, "{model}: which nonholonomic motions are vakonomic, over {time}\n");
    report_motions(out, a);
    report_random(out, a);
    report_equations(out, a);
    report_formulas(out, a);
}
