/* SPDX-License-Identifier: MIT */
/* Nonholonomic motions that are vakonomic, as text and as JSON. */
#include <stdio.h>
#include <string.h>

#include "agreement.h"
#include "base/text.h"

enum {
    LONGEST = 400, /* characters of a printed formula */
    DIGITS = 10    /* of a printed multiplier */
};

static void put_multipliers(zw_text *out, const zw_agreement *a, const double *mu) {
    for (int c = 0; c < a->n; c++)
        zw_text_printf(out, "%s%s = %.*g", c ? ", " : "", zw_agreement_name(a, c), DIGITS, mu[c]);
}

static void put_start(zw_text *out, const zw_agreement *a, const zw_agreement_motion *m) {
    zw_text_put(out, "from the start of the model  ");
    if (m->verdict == ZW_AGREES) {
        zw_text_put(out, "vakonomic too, with ");
        put_multipliers(out, a, m->mu);
        zw_text_put(out, m->nfree ? "\n" : " alone\n");
        for (int f = 0; f < m->nfree; f++) {
            zw_text_put(out, "                             and any multiple more of ");
            put_multipliers(out, a, m->direction + (size_t)(f * a->n));
            zw_text_put(out, "\n");
        }
        zw_text_printf(out,
                       "                             the vakonomic run with these goes apart by "
                       "%.1e of its size in %g s\n",
                       m->apart, a->options.time);
    } else if (m->verdict == ZW_DISAGREES)
        zw_text_printf(
            out,
            "not vakonomic: with the best multipliers the accelerations differ by %.3g of "
            "their size\n",
            m->mismatch);
    else if (m->verdict == ZW_AGREES_UNDECIDED)
        zw_text_printf(out,
                       "not decided: the best multipliers leave %.1e of the acceleration, and the "
                       "vakonomic run with them goes apart by %.1e\n",
                       m->mismatch, m->apart);
    else
        zw_text_put(out, "the motion could not be followed\n");
}

static void put_random(zw_text *out, const zw_agreement *a) {
    int count[4] = {0}, unique = 0;
    for (int i = 1; i < a->nmotion; i++) {
        count[a->motion[i].verdict]++;
        unique += a->motion[i].verdict == ZW_AGREES && a->motion[i].nfree == 0;
    }
    if (a->nmotion < 2)
        return;
    zw_text_printf(out, "from %d random starts        %d vakonomic", a->nmotion - 1,
                   count[ZW_AGREES]);
    if (count[ZW_AGREES])
        zw_text_printf(out, " (with multipliers that are the only ones: %d)", unique);
    zw_text_printf(out, ", %d not", count[ZW_DISAGREES]);
    if (count[ZW_AGREES_UNDECIDED])
        zw_text_printf(out, ", %d not decided", count[ZW_AGREES_UNDECIDED]);
    if (count[ZW_AGREES_FAILED])
        zw_text_printf(out, ", %d not followed", count[ZW_AGREES_FAILED]);
    zw_text_put(out, "\n");
}

static void put_formula(zw_text *out, const zw_agreement *a, const char *left, zw_expr e,
                        const char *right) {
    char *text = zw_print_within(a->sys->ctx, e, ZW_TEXT, LONGEST);
    zw_text_printf(out, "    %s%s%s\n", left, text ? text : "(a long expression)", right);
    zw_string_free(a->sys->ctx, text);
}

static void put_equations(zw_text *out, const zw_agreement *a) {
    if (!a->equation) {
        zw_text_put(out, "the multipliers must obey linear equations at every state, for which "
                         "there are no formulas here\n");
        return;
    }
    zw_text_put(out, a->nequation ? "the multipliers must obey, at every state of the motion,\n"
                                  : "the multipliers make no difference: the constraints behave "
                                    "like integrable ones\n");
    for (int i = 0; i < a->nequation; i++)
        put_formula(out, a, "", a->equation[i], " = 0");
}

/* The general consequences. */
static void put_formulas(zw_text *out, const zw_agreement *a) {
    if (!a->value || !a->nequation)
        return;
    zw_text_put(out, "so that at all times, in general,\n");
    for (int c = 0; c < a->n; c++) {
        char left[200];
        snprintf(left, sizeof left, "%s = ", zw_agreement_name(a, c));
        if (a->value[c] != ZW_NULL)
            put_formula(out, a, left, a->value[c], "");
        else
            zw_text_printf(out, "    %s is free\n", zw_agreement_name(a, c));
    }
    if (a->ncondition)
        zw_text_put(out, "and only where the motion has\n");
    for (int i = 0; i < a->ncondition; i++)
        put_formula(out, a, "", a->condition[i], " = 0");
}

char *zw_agreement_text(const zw_agreement *a) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(a->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: which nonholonomic motions are vakonomic, over %g s\n", a->sys->name,
                   a->options.time);
    put_start(&out, a, &a->motion[0]);
    put_random(&out, a);
    put_equations(&out, a);
    put_formulas(&out, a);
    return zw_text_take(&out);
}

static void json_list(zw_text *out, const char *key, const double *v, int n) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, v[i]);
    }
    zw_text_put(out, "]");
}

char *zw_agreement_json(const zw_agreement *a) {
    static const char *const verdict[] = {"agrees", "disagrees", "undecided", "failed"};
    zw_text out;
    zw_allocator alloc = zw_context_allocator(a->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, a->sys->name);
    zw_text_put(&out, ", \"multipliers\": [");
    for (int c = 0; c < a->n; c++) {
        zw_text_put(&out, c ? ", " : "");
        zw_text_json(&out, zw_agreement_name(a, c));
    }
    zw_text_put(&out, "], \"equations\": [");
    for (int i = 0; i < a->nequation; i++) {
        char *text = zw_print(a->sys->ctx, a->equation[i], ZW_TEXT);
        zw_text_put(&out, i ? ", " : "");
        zw_text_json(&out, text ? text : "");
        zw_string_free(a->sys->ctx, text);
    }
    zw_text_put(&out, "], \"formulas\": [");
    for (int c = 0; c < a->n; c++) {
        char *text =
            a->value && a->value[c] != ZW_NULL ? zw_print(a->sys->ctx, a->value[c], ZW_TEXT) : NULL;
        zw_text_put(&out, c ? ", " : "");
        if (text)
            zw_text_json(&out, text);
        else
            zw_text_put(&out, "null");
        zw_string_free(a->sys->ctx, text);
    }
    zw_text_put(&out, "], \"motions\": [");
    for (int i = 0; i < a->nmotion; i++) {
        const zw_agreement_motion *m = &a->motion[i];
        zw_text_printf(&out,
                       "%s{\"verdict\": \"%s\", \"free\": %d, \"mismatch\": ", i ? ",\n" : "\n",
                       verdict[m->verdict], m->nfree);
        zw_text_json_number(&out, m->mismatch);
        zw_text_put(&out, ", \"apart\": ");
        zw_text_json_number(&out, m->apart);
        json_list(&out, "start", m->x, a->nq + a->nv);
        json_list(&out, "mu", m->mu, m->mu ? a->n : 0);
        json_list(&out, "directions", m->direction, m->direction ? m->nfree * a->n : 0);
        zw_text_put(&out, "}");
    }
    zw_text_put(&out, "\n]}\n");
    return zw_text_take(&out);
}
