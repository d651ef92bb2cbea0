/* SPDX-License-Identifier: MIT */
/* The verdict on a claim, from the samples of claim_samples.c. */
#include "zwang/claims.h"

#include <math.h>
#include <string.h>

#include "claim_series.h"
#include "repair.h"

/* of the scales of the neighbouring powers: the round-off that they leave in a coefficient, with a
 * margin */
#define SCALE_FLOOR 1e-5
/* of its mean over the samples with the same parameters: least scale of a sample at which all terms
 * nearly vanish */
#define MEAN_PART 0.1

/* ------------------------------------------------------------------------------------- values */

/* The coefficient that a sample represents; the first one represents all lower powers too. */
static double sample_coefficient(const zw_series *w, int sample, const zw_jet *j) {
    int k = sample % w->width;
    double sum = zw_jet_coefficient(j, w->low + k);
    for (int lower = j->low; k == 0 && lower < w->low; lower++)
        sum += fabs(zw_jet_coefficient(j, lower));
    return sum;
}

double zw_sample_of(const zw_system *s, const zw_trials *ev, int sample, zw_expr e) {
    zw_jet j;
    if (zw_trials_stopped(ev))
        return NAN;
    if (ev->series)
        return zw_series_of(s, ev, sample, e, &j) ? sample_coefficient(ev->series, sample, &j)
                                                  : NAN;
    return zw_eval(s->ctx, e, ev->nsym, ev->sym, ev->value + (size_t)sample * (size_t)ev->nsym);
}

double zw_sample_leading(const zw_system *s, const zw_trials *ev, int sample, zw_expr e) {
    zw_jet j;
    if (!ev->series)
        return zw_sample_of(s, ev, sample, e);
    return zw_series_of(s, ev, sample, e, &j) ? zw_jet_leading(&j) : NAN;
}

/* The sum of the absolute values of the terms of e, multiplied out; what is no sum or product of
 * sums, and everything below `depth`, counts as a whole. */
static double term_sum(const zw_system *s, const zw_trials *ev, int sample, zw_expr e, int depth) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    zw_op op = zw_expr_op(s->ctx, e);
    if (op == ZW_OP_SUM && depth > 0) {
        double sum = fabs(zw_expr_number(s->ctx, args[0]));
        for (int i = 1; i < n; i += 2)
            sum += fabs(zw_expr_number(s->ctx, args[i + 1])) *
                   term_sum(s, ev, sample, args[i], depth - 1);
        return sum;
    }
    if (op == ZW_OP_PRODUCT && depth > 0) {
        double product = 1;
        for (int i = 0; i < n; i += 2) {
            double power = zw_sample_of(s, ev, sample, args[i + 1]);
            double base = power > 0 ? term_sum(s, ev, sample, args[i], depth - 1)
                                    : fabs(zw_sample_of(s, ev, sample, args[i]));
            product *= pow(base, power);
        }
        return product;
    }
    return fabs(zw_sample_of(s, ev, sample, e));
}

enum { DEPTH = 6 }; /* of expressions whose terms are measured separately */

/* Terms of one side along a curve, added to the scales of its powers. */
static void add_terms(const zw_system *s, const zw_trials *ev, int curve, zw_expr e,
                      double *scale) {
    const zw_series *w = ev->series;
    zw_jet terms;
    bool sound = zw_jet_terms(s->ctx, e, DEPTH, ev->nsym, ev->sym,
                              w->jet + (size_t)curve * (size_t)ev->nsym, w->terms, &terms);
    for (int k = 0; k < w->width; k++)
        scale[k] += sound ? sample_coefficient(w, k, &terms) : NAN;
}

/* Round-off of one coefficient affects others: values that are given only up to their last digit,
 * as pi/2, disturb the power below, and solved values all powers above. The scale of a coefficient
 * is at least that. */
static void floor_scales(int first, int end, int width, double *scale) {
    double below = 0, above = 0;
    for (int k = 0; k < width; k++) {
        for (int j = first + k; j < end; j += width)
            scale[j] = fmax(scale[j], SCALE_FLOOR * below);
        for (int j = first + k; j < end; j += width)
            below = fmax(below, scale[j]);
    }
    for (int k = width - 1; k >= 0; k--) {
        double here = 0;
        for (int j = first + k; j < end; j += width) {
            scale[j] = fmax(scale[j], SCALE_FLOOR * above);
            here = fmax(here, scale[j]);
        }
        above = here;
    }
}

/* Scales of coefficients, each power by its own mean. */
static void series_scales(const zw_system *s, const zw_trials *ev, zw_expr lhs, zw_expr rhs,
                          double *scale) {
    const double floor = MEAN_PART;
    int width = ev->series->width;
    for (int first = 0, end; first < ev->nsample; first = end) {
        for (end = first; end < ev->nsample && ev->set[end] == ev->set[first]; end += width) {
            for (int k = 0; k < width; k++)
                scale[end + k] = 0;
            add_terms(s, ev, end / width, lhs, scale + end);
            add_terms(s, ev, end / width, rhs, scale + end);
        }
        for (int k = 0; k < width; k++) {
            double mean = 0;
            for (int j = first + k; j < end; j += width)
                mean += scale[j] * width / (end - first);
            for (int j = first + k; j < end; j += width)
                scale[j] = fmax(scale[j], floor * mean);
        }
        floor_scales(first, end, width, scale);
    }
}

void zw_claim_scales(const zw_system *s, const zw_trials *ev, zw_expr lhs, zw_expr rhs,
                     double *scale) {
    const double floor = MEAN_PART;
    if (ev->series) {
        series_scales(s, ev, lhs, rhs, scale);
        return;
    }
    for (int first = 0, end; first < ev->nsample; first = end) {
        double mean = 0;
        for (end = first; end < ev->nsample && ev->set[end] == ev->set[first]; end++) {
            scale[end] = term_sum(s, ev, end, lhs, DEPTH) + term_sum(s, ev, end, rhs, DEPTH);
            mean += scale[end];
        }
        mean /= end - first;
        for (int j = first; j < end; j++)
            scale[j] = fmax(scale[j], floor * mean);
    }
}

/* The largest absolute value of an addend of e as it is written. */
static double largest_term(const zw_system *s, const zw_trials *ev, int sample, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    if (zw_expr_op(s->ctx, e) != ZW_OP_SUM)
        return fabs(zw_sample_of(s, ev, sample, e));
    double largest = fabs(zw_expr_number(s->ctx, args[0]));
    for (int i = 1; i < n; i += 2)
        largest = fmax(largest, fabs(zw_expr_number(s->ctx, args[i + 1]) *
                                     zw_sample_of(s, ev, sample, args[i])));
    return largest;
}

/* ------------------------------------------------------------------------------------ verdict */

/* A side of the claim has no series, or one that ends too early. */
static zw_status reject_series(const zw_system *s, const zw_claim *claim, const zw_trials *ev,
                               int sample, zw_error *err) {
    const zw_series *w = ev->series;
    zw_jet j;
    zw_jet_fault fault = {0};
    const zw_claim_curve curve = {.sys = s, .claim = claim};
    if (!zw_jet_eval(s->ctx, 1, &claim->residual, ev->nsym, ev->sym,
                     w->jet + (size_t)(sample / w->width) * (size_t)ev->nsym, w->terms, &j, &fault))
        return zw_curve_reject(&curve, &fault, err);
    zw_fail_at(err, ZW_E_NUMERIC, claim->place,
               "the claim %s: too many terms cancel for a series up to order %d", claim->name,
               claim->order);
    zw_error_hint(err, "claim it up to a lower order, or without divisions by what is small");
    return ZW_E_NUMERIC;
}

/* The lowest power whose coefficients disagree. */
static int first_power(const zw_system *s, const zw_claim *claim, const zw_trials *ev,
                       const double *scales) {
    int width = ev->series->width, first = width;
    for (int j = 0; j < ev->nsample; j++)
        if (j % width < first &&
            fabs(zw_sample_of(s, ev, j, claim->residual)) > ZW_CLAIM_TOLERANCE * scales[j])
            first = j % width;
    return ev->series->low + first;
}

/* Is this sample beyond the order up to which both sides are claimed to be equal? */
static bool is_beyond(const zw_claim *claim, const zw_trials *ev, int sample) {
    return claim->exact && sample % ev->series->width == ev->series->width - 1;
}

/* For a claim of an exact order: do the sides agree beyond it? */
static bool agree_beyond(const zw_system *s, const zw_claim *claim, const zw_trials *ev,
                         const double *scales) {
    for (int j = 0; j < ev->nsample; j++)
        if (is_beyond(claim, ev, j) &&
            !(fabs(zw_sample_of(s, ev, j, claim->residual)) <= ZW_CLAIM_TOLERANCE * scales[j]))
            return false;
    return claim->exact;
}

zw_status zw_verify(zw_verdict *out, const zw_system *s, const zw_claim *claim, const zw_trials *ev,
                    zw_error *err) {
    *out = (zw_verdict){.claim = claim, .holds = true};
    if (ev->claim ? ev->claim != claim : !zw_claim_is_plain(claim))
        return zw_fail_at(err, ZW_E_OPTION, claim->place,
                          "the claim %s needs samples of its own (zw_trials_for)", claim->name);
    out->states = ev->series ? ev->series->ncurve : ev->nsample;
    out->kink = ev->series ? ev->series->kink : NULL;
    zw_expr foreign = zw_foreign_symbol(s->ctx, claim->residual, ev->nsym, ev->sym);
    if (foreign)
        return zw_fail_at(err, ZW_E_MODEL, claim->place,
                          "the claim %s depends on %s, which is "
                          "neither a parameter nor part of the motion",
                          claim->name, zw_expr_name(s->ctx, foreign));
    double *scales = ZW_CONTEXT_NEW(s->ctx, double, ev->nsample);
    if (!scales)
        return zw_context_status(s->ctx, err);
    zw_claim_scales(s, ev, claim->lhs, claim->rhs, scales);
    for (int j = 0; j < ev->nsample; j++) {
        double residual = fabs(zw_sample_of(s, ev, j, claim->residual)), scale = scales[j];
        if (!isfinite(residual) || !isfinite(scale)) {
            ZW_TRY(zw_context_status(s->ctx, err));
            ZW_TRY(zw_trials_check(ev, err));
            if (ev->series && claim->nsmall)
                return reject_series(s, claim, ev, j, err);
            zw_fail_at(err, ZW_E_NONFINITE, claim->place,
                       "the claim %s has no finite value at an admissible state", claim->name);
            zw_error_hint(err, "does it divide by something that may vanish?");
            return ZW_E_NONFINITE;
        }
        if (residual == 0 || residual / scale <= out->residual || is_beyond(claim, ev, j))
            continue;
        out->residual = residual / scale;
        out->worst = j;
        out->share =
            residual / fmax(largest_term(s, ev, j, claim->lhs), largest_term(s, ev, j, claim->rhs));
    }
    ZW_TRY(zw_context_status(s->ctx, err));
    if (ev->series)
        out->order = first_power(s, claim, ev, scales);
    bool agrees = out->residual <= ZW_CLAIM_TOLERANCE;
    out->further = agrees && agree_beyond(s, claim, ev, scales);
    out->holds = agrees && !out->further && !claim->units;
    if (!agrees && !claim->exact)
        ZW_TRY(zw_repair_search(out, s, ev, err));
    return zw_trials_check(ev, err);
}
