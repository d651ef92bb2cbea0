/* SPDX-License-Identifier: MIT */
/* The verdict on a claim, from the samples of trials.c. */
#include "zwang/verify.h"

#include <math.h>
#include <string.h>

#include "repair.h"

/* ------------------------------------------------------------------------------------- values */

double zw_sample_of(const zw_system *s, const zw_trials *ev, int sample, zw_expr e) {
    return zw_eval(s->ctx, e, ev->nsym, ev->sym, ev->value + (size_t)sample * (size_t)ev->nsym);
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

void zw_claim_scales(const zw_system *s, const zw_trials *ev, zw_expr lhs, zw_expr rhs,
                     double *scale) {
    enum { DEPTH = 6 };
    const double floor = 0.1;
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

/* the largest absolute value of an addend of e as it stands */
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

zw_status zw_verify(zw_verdict *out, const zw_system *s, const zw_claim *claim, const zw_trials *ev,
                    zw_error *err) {
    *out = (zw_verdict){.claim = claim, .holds = true};
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
            zw_fail_at(err, ZW_E_NONFINITE, claim->place,
                       "the claim %s has no finite value at an admissible state", claim->name);
            zw_error_hint(err, "does it divide by something that may vanish?");
            return ZW_E_NONFINITE;
        }
        if (residual == 0 || residual / scale <= out->residual)
            continue;
        out->residual = residual / scale;
        out->worst = j;
        out->share =
            residual / fmax(largest_term(s, ev, j, claim->lhs), largest_term(s, ev, j, claim->rhs));
    }
    ZW_TRY(zw_context_status(s->ctx, err));
    out->holds = out->residual <= ZW_CLAIM_TOLERANCE;
    return out->holds ? ZW_OK : zw_repair_search(out, s, ev, err);
}
