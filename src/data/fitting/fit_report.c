/* SPDX-License-Identifier: MIT */
/* The result as a report; and several fits of the same data compared. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit.h"
#include "zwang/report.h"

#define IMPROBABLE 1e-3         /* probability of chi^2 that gives a warning, as in fit_judge.c */
#define PRINTED_CORRELATION 0.3 /* smaller correlations are not reported */
#define SAME_INTERVAL 0.99      /* ratio of intervals that are printed as one number */

/* ---------------------------------------------------------------------------------- the values */

/* Up to the place of the second digit of the error. */
static void report_value(const zw_fit_value *v, zw_report *out) {
    bool known = isfinite(v->error);
    zw_report_number(out, "value", v->value,
                     &(zw_shown){.unit = v->unit,
                                 .error = known ? v->error : 0,
                                 .digits = known             ? 12
                                           : isnan(v->error) ? 8
                                                             : 6,
                                 .with_error = true,
                                 .error_digits = 2});
    zw_report_flag(out, "determined", !isinf(v->error));
    zw_report_flag(out, "at_bound", v->at_bound);
    zw_report_number(out, "interval_95", v->interval, &(zw_shown){.digits = 3});
}

static int widest_name(const zw_fit *f) {
    size_t most = 0;
    for (int i = 0; i < zw_fit_values(f); i++) {
        size_t n = strlen(zw_fit_value_at(f, i).name);
        most = n > most ? n : most;
    }
    return (int)most;
}

/* an item of the parameters or of the starts; `interval`: its interval is not that of the others */
static void report_item(const zw_fit *f, int i, const char *heading, bool interval,
                        zw_report *out) {
    zw_fit_value v = zw_fit_value_at(f, i);
    char line[300];
    zw_report_open(out, NULL);
    zw_report_word(out, "name", v.name);
    zw_report_word(out, "unit", v.unit);
    zw_report_word(out, "experiment", v.experiment < 0 ? NULL : f->experiment[v.experiment].name);
    if (heading)
        zw_report_say(out, heading);
    report_value(&v, out);
    snprintf(line, sizeof line,
             "%s    {name:-%d} {value}{determined!, not determined}{at_bound?, at its bound}%s\n",
             i < zw_fit_parameters(f) ? "{experiment?    {experiment}:}" : "", widest_name(f),
             interval ? "{interval_95?, 95 %: +- {interval_95} standard errors}" : "");
    zw_report_say(out, line);
    zw_report_close(out);
}

/* Is the 95 % interval the same number of standard errors for all parameters? */
static bool is_one_interval(const zw_fit *f) {
    double most = zw_fit_statistics(f).interval;
    for (int i = 0; i < zw_fit_parameters(f); i++)
        if (zw_fit_value_at(f, i).interval < SAME_INTERVAL * most)
            return false;
    return true;
}

static void report_parameters(const zw_fit *f, zw_report *out) {
    int n = zw_fit_parameters(f);
    zw_report_list(out, "parameters");
    if (n && f->distrust)
        zw_report_say(out, "  Parameters and standard errors, NOT to be trusted ({distrust}):\n");
    else if (n && !zw_fit_has_errors(f))
        zw_report_say(out, "  Parameters; no degree of freedom is left, so there are no errors:\n");
    else if (n)
        zw_report_say(out, "  Parameters, with their standard errors:\n");
    for (int i = 0; i < n; i++)
        report_item(f, i, NULL, !is_one_interval(f), out);
    zw_report_close(out);
}

static void report_correlations(const zw_fit *f, zw_report *out) {
    int n = zw_fit_parameters(f);
    bool any = false;
    zw_report_list(out, "correlations");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double c = zw_fit_covariance(f, i, j) /
                       sqrt(zw_fit_covariance(f, i, i) * zw_fit_covariance(f, j, j));
            if (!(fabs(c) >= PRINTED_CORRELATION))
                continue;
            zw_report_open(out, NULL);
            zw_report_word(out, "first", zw_fit_value_at(f, j).name);
            zw_report_word(out, "second", zw_fit_value_at(f, i).name);
            zw_report_number(out, "correlation", c, &(zw_shown){.digits = 3});
            zw_report_say(out, any ? "; " : "  Correlations: ");
            zw_report_say(out, "{first}, {second}: {correlation}");
            zw_report_close(out);
            any = true;
        }
    if (any)
        zw_report_say(out, ".\n");
    zw_report_close(out);
}

static void report_covariance(const zw_fit *f, zw_report *out) {
    int n = zw_fit_parameters(f);
    double *c = zw_context_alloc(f->sys->ctx, sizeof *c * (size_t)(n * n + 1));
    for (int i = 0; i < n && c; i++)
        for (int j = 0; j < n; j++)
            c[i * n + j] = zw_fit_covariance(f, i, j);
    if (c)
        zw_report_matrix(out, "covariance", n, n, c, NULL);
}

static void report_starts(const zw_fit *f, zw_report *out) {
    int before = -1;
    char heading[120];
    zw_report_list(out, "starts");
    for (int i = zw_fit_parameters(f); i < zw_fit_values(f); i++) {
        int e = zw_fit_value_at(f, i).experiment;
        snprintf(heading, sizeof heading, "  Start of {experiment}, at t = %.8g%s:\n",
                 f->experiment[e].node[0].t, f->sys->no_units ? "" : " s");
        report_item(f, i, e != before ? heading : NULL, false, out);
        before = e;
    }
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------- the residuals */

static void report_residuals_of(const zw_fit *f, int q, zw_report *out) {
    const zw_fit_quantity *u = &f->quantity[q];
    double sum = 0, most = 0;
    for (int i = 0; i < f->E; i++)
        for (int k = 0; k < f->experiment[i].nrow; k++) {
            const zw_fit_experiment *e = &f->experiment[i];
            double r = e->h[k * f->nq + q] - e->y[k * f->nq + q];
            if (isnan(r))
                continue;
            sum += r * r;
            most = fmax(most, fabs(r) / zw_fit_sigma(f, e, k, q));
        }
    zw_report_open(out, NULL);
    zw_report_word(out, "name", u->name);
    zw_report_word(out, "unit", u->unit);
    zw_report_count(out, "values", u->count);
    zw_report_number(out, "rms", sqrt(sum / (double)(u->count ? u->count : 1)),
                     &(zw_shown){.unit = u->unit, .digits = 3});
    zw_report_number(out, "largest", zw_fit_has_errors(f) ? most : NAN,
                     &(zw_shown){.digits = most < 10 ? 2 : 3});
    zw_report_number(out, "noise", u->sigma, &(zw_shown){.unit = u->unit, .digits = 4});
    zw_report_flag(out, "noise_estimated", !u->stated);
    zw_report_say(out, "    {name}: {values|value|values}, rms {rms}{largest?, at most {largest} "
                       "standard deviations{noise_estimated? of {noise}, estimated}}\n");
    zw_report_close(out);
}

static void report_residuals(const zw_fit *f, zw_report *out) {
    zw_report_list(out, "residuals");
    zw_report_say(out, "  Residuals:\n");
    for (int q = 0; q < f->nq; q++)
        report_residuals_of(f, q, out);
    zw_report_close(out);
}

/* --------------------------------------------------------------------------------- the verdict */

/* enough to show the value to the last digit before the point */
static int whole_digits(double value) {
    return value >= 1 ? 1 + (int)floor(log10(value)) : 1;
}

static void report_intervals(const zw_fit *f, const zw_fit_info *s, zw_report *out) {
    zw_report_number(out, "interval_95", s->interval, &(zw_shown){.digits = 3});
    zw_report_number(out, "joint_95", s->joint, NULL);
    zw_report_number(out, "noise_freedom", s->noise_freedom,
                     &(zw_shown){.digits = whole_digits(s->noise_freedom)});
    zw_report_flag(out, "noise_known", s->noise_known);
    if (s->noise_known || !zw_fit_has_errors(f))
        return;
    zw_report_say(
        out, "  The noise is estimated from the residuals, so chi^2 does not test the model.\n");
    if (!isnan(s->interval))
        zw_report_say(out,
                      is_one_interval(f)
                          ? "  95 % confidence intervals are +- {interval_95} standard errors "
                            "(Student's t with {noise_freedom} degrees of freedom).\n"
                          : "  95 % confidence intervals are as stated for each parameter "
                            "(Student's t with {noise_freedom} degrees of freedom or more).\n");
}

static void report_chi2(const zw_fit *f, const zw_fit_info *s, zw_report *out) {
    double left = (double)(s->measured + s->priors - f->rank);
    zw_report_number(out, "chi2", s->noise_known ? s->chi2 : NAN, &(zw_shown){.digits = 5});
    zw_report_number(out, "degrees_of_freedom", left, &(zw_shown){.digits = whole_digits(left)});
    zw_report_number(out, "p_value", s->p_value, &(zw_shown){.digits = 2});
    zw_report_count(out, "priors", s->priors);
    if (s->noise_known && !isnan(s->p_value))
        zw_report_say(out, "  chi^2 = {chi2} for {degrees_of_freedom} degrees of freedom "
                           "(probability of a larger value {p_value}){priors?, with priors as "
                           "measurements}.\n");
    else if (!zw_fit_has_errors(f))
        zw_report_say(out, "  The noise cannot be estimated, and models cannot be compared.\n");
}

static void report_loss(const zw_fit *f, const zw_fit_info *s, zw_report *out) {
    static const char *const loss[] = {
        [ZW_FIT_SQUARES] = "squares", [ZW_FIT_HUBER] = "Huber", [ZW_FIT_SOFT_L1] = "soft L1"};
    bool robust = f->options.loss != ZW_FIT_SQUARES;
    zw_report_word(out, "loss", loss[f->options.loss]);
    if (robust)
        zw_report_number(out, "loss_scale", f->options.loss_scale, &(zw_shown){.digits = 4});
    zw_report_count(out, "outliers", s->outliers);
    if (robust)
        zw_report_say(out, "  Loss {loss} beyond {loss_scale} standard deviations; "
                           "{outliers|value is|values are} beyond 4.\n");
    else if (s->outliers)
        zw_report_say(out, "  {outliers|value is|values are} beyond 4 standard deviations.\n");
}

static void report_likelihood(const zw_fit *f, const zw_fit_info *s, zw_report *out) {
    const zw_shown six = {.digits = 6};
    zw_report_number(out, "minus_2_log_likelihood", s->minus_2_log_likelihood, &six);
    zw_report_number(out, "aic", s->aic, &six);
    zw_report_number(out, "aicc", s->aicc, &six);
    zw_report_number(out, "bic", s->bic, &six);
    zw_report_count(out, "unknowns", s->unknowns);
    zw_report_number(out, "effective_unknowns", s->effective, &(zw_shown){.digits = 4});
    zw_report_count(out, "undetermined", s->undetermined);
    zw_report_count(out, "tries", f->tries);
    zw_report_count(out, "tries_same", f->tries_same);
    if (!zw_fit_has_errors(f))
        return;
    zw_report_say(out, "  -2 log L = {minus_2_log_likelihood}, AIC {aic}, AICc {aicc}, BIC {bic}, "
                       "for {effective_unknowns} unknowns{priors? (those that the data determine, "
                       "in parts)}.\n");
    if (f->tries > 1)
        zw_report_say(out, "  {tries} tries, {tries_same} of them reached this minimum.\n");
}

/* -------------------------------------------------------------------------------- the profiles */

/* The first value towards an end (side -1: the lower one) at which no fit was found; NaN: none. */
static double failed_before(const zw_fit_profile *p, double end, int side) {
    for (int k = p->n / 2; isnan(end) && k >= 0 && k < p->n; k += side)
        if (isnan(p->rise[k]))
            return p->value[k];
    return NAN;
}

static void report_profile(const zw_fit_profile *p, zw_report *out) {
    const zw_shown end = {.unit = p->unit, .digits = 6}, place = {.unit = p->unit, .digits = 5};
    zw_report_open(out, NULL);
    zw_report_word(out, "name", p->name);
    zw_report_word(out, "unit", p->unit);
    zw_report_number(out, "low", p->low, &end);
    zw_report_number(out, "high", p->high, &end);
    zw_report_number(out, "no_fit_below", failed_before(p, p->low, -1), &place);
    zw_report_number(out, "no_fit_above", failed_before(p, p->high, 1), &place);
    zw_report_number(out, "first", p->value[0], &place);
    zw_report_number(out, "last", p->value[p->n - 1], &place);
    zw_report_vector(out, "value", p->n, p->value, NULL, &place);
    zw_report_vector(out, "rise", p->n, p->rise, NULL, NULL);
    zw_report_say(out, "  95 % interval of {name} by the likelihood ratio: "
                       "{low?from {low}}{low!{no_fit_below?lower end unknown, there is no fit at "
                       "{no_fit_below}}{no_fit_below!no lower end above {first}}}"
                       "{high? to {high}}{high!{no_fit_above?, upper end unknown, there is no fit "
                       "at {no_fit_above}}{no_fit_above!, no upper end below {last}}}\n");
    zw_report_close(out);
}

static void report_profiles(const zw_fit *f, zw_report *out) {
    zw_report_list(out, "profiles");
    for (int i = 0; i < f->nprofile; i++)
        report_profile(&f->profile[i], out);
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ the whole */

static void report_effort(const zw_fit *f, const zw_fit_info *s, zw_report *out) {
    zw_report_word(out, "principle", f->principle);
    zw_report_count(out, "free_parameters", f->P);
    zw_report_count(out, "measured", s->measured);
    zw_report_count(out, "experiments", f->E);
    zw_report_flag(out, "converged", s->converged);
    zw_report_flag(out, "trusted", s->trusted);
    zw_report_word(out, "distrust", f->distrust);
    zw_report_count(out, "iterations", s->iterations);
    zw_report_count(out, "parts", s->nodes);
    zw_report_word(out, "contacts", f->contacts.used ? f->contacts.words : NULL);
    zw_report_say(out, "{model}: {free_parameters|parameter|parameters} from "
                       "{measured|number|numbers} of {experiments|experiment|experiments}, "
                       "{principle}\n");
    zw_report_say(out, "  {converged?Minimum}{converged!No minimum} reached in "
                       "{iterations|step|steps}; {parts|part|parts} of the motion");
    zw_report_say(out, f->E > 1 ? " of the first experiment.\n" : ".\n");
    zw_report_say(out, "{contacts?  Contacts {contacts}.\n}");
}

void zw_fit_report(const zw_fit *f, zw_report *out) {
    zw_fit_info s = zw_fit_statistics(f);
    report_effort(f, &s, out);
    report_parameters(f, out);
    report_correlations(f, out);
    report_covariance(f, out);
    report_starts(f, out);
    report_residuals(f, out);
    report_chi2(f, &s, out);
    report_intervals(f, &s, out);
    report_loss(f, &s, out);
    report_likelihood(f, &s, out);
    report_profiles(f, out);
}

/* ----------------------------------------------------------------------------------- comparison */

zw_status zw_fit_check_same_data(int n, const zw_fit *const *fit, zw_error *err) {
    for (int i = 0; i < n; i++) {
        if (fit[i]->measured != fit[0]->measured)
            return zw_fail(err, ZW_E_OPTION,
                           "only models of the same data can be compared: one has %ld numbers, "
                           "another one %ld",
                           fit[0]->measured, fit[i]->measured);
        if (fit[i]->options.loss != ZW_FIT_SQUARES)
            return zw_fail(err, ZW_E_OPTION,
                           "information criteria need a likelihood; use --loss squares");
    }
    return ZW_OK;
}

/* In words, by the differences of K. P. Burnham and D. R. Anderson (2002), 2.6. */
static const char *support_words(double delta) {
    return !isfinite(delta) ? "too many unknowns for these data"
           : delta <= 2     ? "as good as the best"
           : delta <= 7     ? "less good"
           : delta <= 14    ? "hardly supported by these data"
                            : "not supported by these data";
}

/* Are there so few data for one of the fits that AICc counts in place of AIC? */
static bool are_few_data(int n, const zw_fit *const *fit) {
    for (int i = 0; i < n; i++) {
        zw_fit_info s = zw_fit_statistics(fit[i]);
        if (s.measured < 40L * s.unknowns)
            return true;
    }
    return false;
}

static double criterion_of(const zw_fit *f, bool few) {
    zw_fit_info s = zw_fit_statistics(f);
    return few ? s.aicc : s.aic;
}

typedef struct best_fit {
    bool few;
    double criterion, bic;
    double weights; /* sum over all fits */
} best_fit;

static best_fit best_of(int n, const zw_fit *const *fit) {
    best_fit b = {.few = are_few_data(n, fit), .criterion = INFINITY, .bic = INFINITY};
    for (int i = 0; i < n; i++) {
        b.criterion = fmin(b.criterion, criterion_of(fit[i], b.few));
        b.bic = fmin(b.bic, zw_fit_statistics(fit[i]).bic);
    }
    for (int i = 0; i < n; i++)
        b.weights += exp((b.criterion - criterion_of(fit[i], b.few)) / 2);
    return b;
}

static void report_warnings_of(const zw_warnings *list, zw_report *out) {
    zw_report_list(out, "warnings");
    for (int i = 0; list && i < zw_warnings_count(list); i++) {
        zw_report_open(out, NULL);
        const char *hint = zw_warnings_at(list, i)->hint;
        zw_report_word(out, "about", zw_warnings_at(list, i)->key);
        zw_report_word(out, "text", zw_warnings_at(list, i)->text);
        zw_report_word(out, "hint", hint[0] ? hint : NULL);
        zw_report_say(out, "    warning: {text}\n{hint?    hint: {hint}\n}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_candidate(const zw_fit *f, const char *label, const zw_warnings *warnings,
                             const best_fit *best, zw_report *out) {
    zw_fit_info s = zw_fit_statistics(f);
    double delta = criterion_of(f, best->few) - best->criterion;
    zw_report_open(out, NULL);
    zw_report_word(out, "candidate", label);
    zw_report_count(out, "unknowns", s.unknowns);
    zw_report_number(out, "delta_aic", delta, &(zw_shown){.digits = 4});
    zw_report_number(out, "delta_bic", s.bic - best->bic, &(zw_shown){.digits = 4});
    zw_report_number(out, "weight", exp(-delta / 2) / best->weights, &(zw_shown){.digits = 3});
    zw_report_word(out, "support", support_words(delta));
    zw_report_flag(out, "converged", s.converged);
    zw_report_number(out, "improbable", s.noise_known && s.p_value < IMPROBABLE ? s.p_value : NAN,
                     &(zw_shown){.digits = 1});
    zw_report_say(out, "  {candidate:-30} {unknowns:3} unknowns  {criterion} {delta_aic}  BIC "
                       "{delta_bic}  weight {weight}: {support}\n"
                       "{converged!    its minimum was not reached: it may be better than this\n}"
                       "{improbable?    it does not describe the data either: the probability of "
                       "its chi^2 is {improbable}\n}");
    report_warnings_of(warnings, out);
    zw_report_close(out);
}

void zw_fit_report_comparison(int n, const zw_fit *const *fit, const char *const *label,
                              const zw_warnings *const *warnings, zw_report *out) {
    best_fit best = best_of(n, fit);
    zw_report_open(out, "comparison");
    zw_report_word(out, "criterion", best.few ? "AICc" : "AIC");
    zw_report_say(out, "Which model? Differences to the best one, by {criterion} and BIC (smaller "
                       "is better):\n");
    zw_report_list(out, "candidates");
    for (int i = 0; i < n; i++)
        report_candidate(fit[i], label[i], warnings ? warnings[i] : NULL, &best, out);
    zw_report_close(out);
    zw_report_say(out, "  The criteria rank these models; they do not show that the best one is "
                       "right. They assume independent noise.\n");
    zw_report_close(out);
}
