/* SPDX-License-Identifier: MIT */
/* The cost of constraints, one after the other: n (n + 1)/2 runs, each of a model that is read
 * again with its constraints. */
#include "zwang/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "zwang/simulate.h"

enum {
    ROWS = 400,          /* compared times of a run */
    SWITCHES_MOST = 64,  /* size of arrays: constraints that are on or off */
    QUANTITIES_MOST = 64 /* compared quantities */
};

typedef struct cost_study {
    const zw_model_source *source;
    int n;
    const char *const *constraint;
    bool on[ZW_ADVICE_MOST];
    int nquantity;
    const char *quantity[QUANTITIES_MOST];
    double until;
    zw_context *ctx; /* of the whole model */
    zw_sim *whole;
} cost_study;

/* The model with the constraints that are on, and its run. */
static zw_status run_model(const cost_study *a, zw_context **ctx, zw_sim **sim, zw_error *err) {
    const char *with[SWITCHES_MOST], *without[SWITCHES_MOST];
    zw_model_options o = a->source->options ? *a->source->options : (zw_model_options){0};
    zw_sim_options options = zw_sim_options_default();
    zw_system *sys;
    int nwith = 0, nwithout = 0;
    for (int i = 0; i < o.nwith && nwith < SWITCHES_MOST - ZW_ADVICE_MOST; i++)
        with[nwith++] = o.with[i];
    for (int i = 0; i < o.nwithout && nwithout < SWITCHES_MOST - ZW_ADVICE_MOST; i++)
        without[nwithout++] = o.without[i];
    for (int i = 0; i < a->n; i++)
        if (a->on[i])
            with[nwith++] = a->constraint[i];
        else
            without[nwithout++] = a->constraint[i];
    o.size = sizeof o;
    o.nwith = nwith;
    o.with = with;
    o.nwithout = nwithout;
    o.without = without;
    o.fault = NULL;
    *ctx = zw_context_create(NULL);
    if (!*ctx)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(
        zw_model_parse(&sys, *ctx, a->source->text, a->source->length, a->source->file, &o, err));
    options.until = a->until;
    options.step_out = a->until / ROWS;
    ZW_TRY(zw_sim_create(sim, sys, NULL, &options, err));
    return zw_sim_run(*sim, err);
}

/* Rows of both at the same times; events may add some. */
static void compare_rows(const cost_study *a, const zw_table *other, int k, zw_advice_trial *t) {
    const zw_table *whole = zw_sim_rows(a->whole);
    int x = zw_table_find(whole, a->quantity[k]), y = zw_table_find(other, a->quantity[k]);
    double low = INFINITY, high = -INFINITY, most = 0, at = 0, sum = 0;
    long n = 0, j = 0;
    for (long i = 0; x >= 0 && i < zw_table_rows(whole); i++) {
        low = fmin(low, zw_table_at(whole, i, x));
        high = fmax(high, zw_table_at(whole, i, x));
    }
    for (long i = 0; x >= 0 && y >= 0 && i < zw_table_rows(whole); i++) {
        double time = zw_table_at(whole, i, 0);
        while (j + 1 < zw_table_rows(other) && zw_table_at(other, j, 0) < time)
            j++;
        if (zw_table_at(other, j, 0) != time)
            continue;
        double apart = fabs(zw_table_at(whole, i, x) - zw_table_at(other, j, y));
        sum += apart * apart;
        n++;
        if (apart > most) {
            most = apart;
            at = time;
        }
    }
    if (n == 0 || !(high > low) || most / (high - low) < t->cost)
        return;
    t->cost = most / (high - low);
    t->worst = a->quantity[k];
    t->at = at;
    t->rms = sqrt(sum / (double)n) / (high - low);
}

static zw_status try_one(cost_study *a, int which, zw_advice_trial *t, zw_error *err) {
    zw_context *ctx = NULL;
    zw_sim *sim = NULL;
    zw_error why = {0};
    *t = (zw_advice_trial){.constraint = which, .worst = ""};
    a->on[which] = true;
    zw_status status = run_model(a, &ctx, &sim, &why);
    if (status >= 0)
        for (int k = 0; k < a->nquantity; k++)
            compare_rows(a, zw_sim_rows(sim), k, t);
    else {
        t->cost = INFINITY;
        snprintf(t->why, sizeof t->why, "%.190s", why.text);
    }
    a->on[which] = false;
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return status == ZW_E_MEMORY ? zw_fail(err, status, "out of memory") : ZW_OK;
}

static void insert_trial(zw_advice_trial *list, int *n, const zw_advice_trial *t) {
    int k = (*n)++;
    for (; k > 0 && list[k - 1].cost > t->cost; k--)
        list[k] = list[k - 1];
    list[k] = *t;
}

static zw_status find_quantities(cost_study *a, zw_context *keep, int ncompare,
                                 const char *const *compare_with, zw_error *err) {
    const zw_system *s = zw_sim_system(a->whole);
    int n = ncompare ? ncompare : s->nq;
    for (int i = 0; i < n && a->nquantity < QUANTITIES_MOST; i++) {
        const char *name = ncompare ? compare_with[i] : zw_context_intern(keep, s->coord[i].name);
        if (!name)
            return zw_out_of_memory(err, NULL);
        if (zw_table_find(zw_sim_rows(a->whole), name) < 0)
            return zw_fail(err, ZW_E_NAME, "a run has no column '%s' to be compared", name);
        a->quantity[a->nquantity++] = name;
    }
    return ZW_OK;
}

static zw_status rank_constraints(cost_study *a, zw_advice *out, zw_error *err) {
    for (int step = 0; step < a->n; step++) {
        zw_advice_trial *list = out->trial[step], t;
        for (int i = 0; i < a->n; i++) {
            if (a->on[i])
                continue;
            ZW_TRY(try_one(a, i, &t, err));
            insert_trial(list, &out->ntrial[step], &t);
        }
        out->nstep = step + 1;
        if (!isfinite(list[0].cost))
            break;
        a->on[list[0].constraint] = true;
    }
    return ZW_OK;
}

zw_status zw_advise(zw_context *ctx, const zw_model_source *source, int n,
                    const char *const *constraint, int ncompare, const char *const *compare_with,
                    double until, zw_advice *out, zw_error *err) {
    cost_study a = {.source = source, .n = n, .constraint = constraint, .until = until};
    *out = (zw_advice){0};
    if (n < 1 || n > ZW_ADVICE_MOST)
        return zw_fail(err, ZW_E_OPTION, "1 to %d constraints can be judged", (int)ZW_ADVICE_MOST);
    if (!(until > 0))
        return zw_fail(err, ZW_E_OPTION, "how long are the runs that are compared?");
    zw_status status = run_model(&a, &a.ctx, &a.whole, err);
    if (status >= 0)
        status = find_quantities(&a, ctx, ncompare, compare_with, err);
    if (status >= 0)
        status = rank_constraints(&a, out, err);
    zw_sim_destroy(a.whole);
    zw_context_destroy(a.ctx);
    return status;
}

static void report_trial(zw_report *out, const zw_advice_trial *t, const char *constraint,
                         bool first) {
    bool possible = isfinite(t->cost);
    zw_report_open(out, NULL);
    zw_report_word(out, "constraint", constraint);
    zw_report_number(out, "cost", t->cost, NULL);
    zw_report_word(out, "quantity", possible ? t->worst : NULL);
    zw_report_number(out, "t", possible ? t->at : (double)NAN,
                     &(zw_shown){.unit = "s", .digits = 4});
    zw_report_number(out, "rms", possible ? t->rms : (double)NAN, NULL);
    zw_report_word(out, "why", possible ? NULL : t->why);
    zw_report_number(out, "percent", 100 * t->cost, &(zw_shown){.unit = "%", .digits = 4});
    zw_report_number(out, "rms_percent", 100 * t->rms, &(zw_shown){.unit = "%", .digits = 4});
    zw_report_say(out, first ? "  and {constraint:-14} " : "       or {constraint:-14} ");
    zw_report_say(out, possible ? "{percent:10} in {quantity} at t = {t}, rms {rms_percent}\n"
                                : "is impossible: {why}\n");
    zw_report_close(out);
}

void zw_advice_report(const zw_advice *a, const char *const *constraint, double until,
                      zw_report *out) {
    zw_report_number(out, "until", until, &(zw_shown){.unit = "s", .digits = 6});
    zw_report_say(out, "Constraints added one by one, the cheapest first; largest difference over "
                       "{until} relative to the range without them\n");
    zw_report_list(out, "steps");
    for (int s = 0; s < a->nstep; s++) {
        zw_report_open(out, NULL);
        zw_report_list(out, "trials");
        for (int i = 0; i < a->ntrial[s]; i++)
            report_trial(out, &a->trial[s][i], constraint[a->trial[s][i].constraint], i == 0);
        zw_report_close(out);
        zw_report_close(out);
    }
    zw_report_close(out);
}
