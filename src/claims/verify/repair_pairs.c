/* SPDX-License-Identifier: MIT */
/* Two slips in one equation: two addends, as they are written in the sides, that need factors of
 * numbers and parameters. In one set of parameter values the factors c are numbers, so
 *     D + c_1 a_1 + c_2 a_2 = 0,   D = the residual without both,
 * is linear in them: least squares over the samples of each set, then a formula (formula_search.c)
 * for each factor over the sets. */
#include <math.h>

#include "base/text.h"
#include "base/tolerance.h"
#include "repair.h"

#define FIT_ERROR 1e-8   /* of the scale: round-off of least squares; a wrong pair leaves more */
#define FACTOR_ZERO 1e-7 /* smaller factors are round-off of the fit: the addend must be removed */

enum { ADDENDS_MAX = 24 }; /* whose pairs are tried: 276 */

/* An addend of a side as it is written, with its values in lhs - rhs. */
typedef struct addend {
    bool on_right;
    zw_expr e;
    double *value; /* nsample */
} addend;

static int collect_addends(zw_repair_search_state *s, addend *list) {
    int count = 0, n;
    for (int side = 0; side < 2; side++) {
        zw_expr e = side ? s->claim->rhs : s->claim->lhs;
        const zw_expr *args = zw_expr_args(s->ctx, e, &n);
        bool sum = zw_expr_op(s->ctx, e) == ZW_OP_SUM;
        for (int i = 1; sum && i < n && count < ADDENDS_MAX; i += 2)
            list[count++] = (addend){side == 1, zw_mul(s->ctx, args[i], args[i + 1]), NULL};
        if (!sum && e != ZW_ZERO && count < ADDENDS_MAX)
            list[count++] = (addend){side == 1, e, NULL};
    }
    for (int i = 0; i < count; i++) {
        list[i].value = ZW_CONTEXT_NEW(s->ctx, double, s->ev->nsample);
        for (int j = 0; list[i].value && j < s->ev->nsample; j++)
            list[i].value[j] =
                (list[i].on_right ? -1 : 1) * zw_sample_of(s->sys, s->ev, j, list[i].e);
        if (!list[i].value)
            return 0;
    }
    return count;
}

/* Least squares in the samples first..end-1 of one set: the factors c of a and b that make D + c[0]
 * a + c[1] b = 0 with D the residual without them; false if there are none. */
static bool fit_two(const zw_repair_search_state *s, const addend *a, const addend *b, int first,
                    int end, double c[2]) {
    double aa = 0, ab = 0, bb = 0, da = 0, db = 0;
    for (int j = first; j < end; j++) {
        double x = a->value[j] / s->scale[j], y = b->value[j] / s->scale[j];
        double D = s->residual[j] / s->scale[j] - x - y;
        aa += x * x;
        ab += x * y;
        bb += y * y;
        da += D * x;
        db += D * y;
    }
    double determinant = aa * bb - ab * ab;
    if (end - first < 3 || !(determinant > ZW_ROUNDOFF_SUM * aa * bb))
        return false;
    c[0] = (ab * db - bb * da) / determinant;
    c[1] = (ab * da - aa * db) / determinant;
    for (int j = first; j < end; j++) {
        double left = s->residual[j] + (c[0] - 1) * a->value[j] + (c[1] - 1) * b->value[j];
        if (!(fabs(left) <= FIT_ERROR * s->scale[j]))
            return false;
    }
    return true;
}

/* The factors at all samples; a set in which the claim is satisfied as it is written gives no
 * information. */
static bool two_factors(zw_repair_search_state *s, const addend *a, const addend *b,
                        double *first_need, double *second_need) {
    for (int first = 0, end; first < s->ev->nsample; first = end) {
        double c[2] = {0, 0}, worst = 0;
        for (end = first; end < s->ev->nsample && s->ev->set[end] == s->ev->set[first]; end++)
            worst = fmax(worst, fabs(s->residual[end]) / s->scale[end]);
        bool fits = fit_two(s, a, b, first, end, c);
        if (!fits && worst > ZW_CLAIM_TOLERANCE)
            return false;
        for (int j = first; j < end; j++) {
            s->known[j] = fits;
            first_need[j] = fabs(c[0]) < FACTOR_ZERO ? 0 : c[0];
            second_need[j] = fabs(c[1]) < FACTOR_ZERO ? 0 : c[1];
        }
    }
    return true;
}

static zw_expr side_with_two(const zw_repair_search_state *s, bool on_right,
                             const addend *const *changed, const zw_expr *factor) {
    zw_expr side = on_right ? s->claim->rhs : s->claim->lhs;
    for (int i = 0; i < 2; i++)
        if (changed[i]->on_right == on_right)
            side = zw_add(s->ctx, zw_sub(s->ctx, side, changed[i]->e),
                          zw_mul(s->ctx, factor[i], changed[i]->e));
    return side;
}

static void try_two(zw_repair_search_state *s, const addend *a, const addend *b) {
    const addend *const changed[2] = {a, b};
    double *need[2] = {s->need, s->trial};
    zw_expr factor[2];
    if (zw_trials_ask(s->ev) || !two_factors(s, a, b, need[0], need[1]))
        return;
    for (int i = 0; i < 2; i++) {
        factor[i] = zw_formula_param(&s->formula, need[i], s->known);
        if (!zw_search_is_sound(s, factor[i]))
            return;
    }
    zw_expr lhs = side_with_two(s, false, changed, factor);
    zw_expr rhs = side_with_two(s, true, changed, factor);
    if (!zw_search_is_sound(s, lhs) || !zw_search_is_sound(s, rhs) ||
        !zw_search_holds(s, lhs, rhs, false))
        return;
    zw_text words;
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text_init(&words, &alloc);
    for (int i = 0; i < 2; i++) {
        zw_text_put(&words, i ? ", and " : "two slips, ");
        zw_search_put_change(&words, s, zw_search_factor_kind(s, factor[i]), changed[i]->e,
                             zw_mul(s->ctx, factor[i], changed[i]->e),
                             zw_expr_is_number(s->ctx, factor[i]) ? ZW_NULL : factor[i]);
    }
    zw_search_add(s, lhs, rhs, &words);
    zw_text_clear(&words);
}

void zw_search_two_slips(zw_repair_search_state *s) {
    addend list[ADDENDS_MAX];
    int n = collect_addends(s, list);
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n && n > 2; k++)
            try_two(s, &list[i], &list[k]);
}
