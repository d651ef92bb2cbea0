/* SPDX-License-Identifier: MIT */
/* The equations of slowly varying amplitudes as text, LaTeX and a report. A matrix shows its short
 * entries; a long one is a name there and is printed below. Letters are chosen so that the model
 * does not use them. */
#include <stdio.h>
#include <string.h>

#include "amplitudes.h"
#include "expr/calculus/ratio.h"
#include "expr/core/role.h"
#include "expr/print/textbook.h"
#include "mech/write/paper.h"

enum {
    SHORT_ENTRY = 24,     /* characters of an entry that is shown in its matrix */
    FACTORED_MOST = 4000, /* characters of a formula that is factored */
    GROUPS = 64           /* of terms of a formula */
};

typedef struct formula_writer {
    const zw_amplitudes *a;
    const zw_amplitudes_result *r;
    zw_context *ctx;
    zw_paper paper;
    const char *M, *F, *Z; /* letters */
} formula_writer;

static const char *free_letter(const zw_amplitudes *a, const char *const *choice) {
    while (choice[1] && zw_explicit_taken(a->sys, *choice))
        choice++;
    return *choice;
}

/* The shortest of the usual forms. */
static zw_expr readable_form(const formula_writer *w, zw_expr e) {
    if (!e || zw_print_length(w->ctx, e) > FACTORED_MOST)
        return e;
    zw_expr product = zw_factored(w->ctx, e), best = e;
    zw_expr form[] = {product, zw_textbook(w->ctx, e, false, false),
                      product ? zw_textbook(w->ctx, product, false, false) : ZW_NULL};
    for (int i = 0; i < 3; i++)
        if (form[i] && zw_print_length(w->ctx, form[i]) < zw_print_length(w->ctx, best))
            best = form[i];
    return best;
}

/* Terms of higher degree in the amplitudes, grouped by their coefficients: each group as a product
 * of its factors; linear terms are collected. 0: there is nothing to group. */
static zw_expr group_terms(const formula_writer *w, zw_expr e) {
    zw_expr before[GROUPS], group[GROUPS], low;
    int n, ngroup = 0;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    if (zw_expr_op(w->ctx, e) != ZW_OP_SUM)
        return ZW_NULL;
    low = args[0];
    for (int i = 1; i < n; i += 2) {
        int m, degree = 0, k = 0;
        zw_expr rest = ZW_ONE, amplitudes = ZW_ONE;
        const zw_expr *factor = zw_expr_args(w->ctx, args[i], &m);
        bool product = zw_expr_op(w->ctx, args[i]) == ZW_OP_PRODUCT;
        for (int f = 0; product && f < m; f += 2) {
            zw_expr power = zw_pow(w->ctx, factor[f], factor[f + 1]);
            bool own = zw_depends_any(w->ctx, factor[f], w->r->n, w->r->Z);
            degree += own ? (int)zw_expr_number(w->ctx, factor[f + 1]) : 0;
            *(own ? &amplitudes : &rest) = zw_mul(w->ctx, own ? amplitudes : rest, power);
        }
        if (degree < 2) {
            low = zw_add(w->ctx, low, zw_mul(w->ctx, args[i], args[i + 1]));
            continue;
        }
        while (k < ngroup && before[k] != rest)
            k++;
        if (k == GROUPS)
            return ZW_NULL;
        before[k] = rest;
        group[k] = zw_add(w->ctx, k < ngroup ? group[k] : ZW_ZERO,
                          zw_mul(w->ctx, amplitudes, args[i + 1]));
        ngroup += k == ngroup;
    }
    if (!ngroup)
        return ZW_NULL;
    zw_expr sum = zw_textbook(w->ctx, low, false, false);
    for (int k = 0; k < ngroup; k++)
        sum = zw_add(w->ctx, sum, zw_mul(w->ctx, before[k], zw_factored(w->ctx, group[k])));
    return sum;
}

static zw_expr entry_name(const formula_writer *w, const char *of, int i, int j) {
    char name[64];
    if (j)
        snprintf(name, sizeof name, "%s_%d%s%d", of, i, w->r->n > 9 ? "_" : "", j);
    else
        snprintf(name, sizeof name, "%s_%d", of, i);
    if (zw_explicit_taken(w->a->sys, name))
        snprintf(name, sizeof name, "%s_entry_%d_%d", of, i, j);
    return zw_symbol(w->ctx, name);
}

static void write_trial(formula_writer *w) {
    const zw_amplitudes_result *r = w->r;
    zw_paper *p = &w->paper;
    zw_expr t = w->a->sys->t, wt = zw_mul(w->ctx, r->w, t), c = zw_cos(w->ctx, wt),
            s = zw_sin(w->ctx, wt);
    zw_paper_heading(p, "The motion");
    for (int i = 0; i < w->a->sys->nq; i++) {
        zw_expr sum = ZW_ZERO;
        for (int k = 0; k < r->n; k++)
            if (r->coord[k] == i)
                sum = zw_add(w->ctx, sum,
                             zw_mul(w->ctx, r->Z[k],
                                    r->part[k] == 0   ? ZW_ONE
                                    : r->part[k] == 1 ? c
                                                      : s));
        zw_paper_equation(p, w->a->sys->coord[i].sym, 0, sum, NULL);
    }
    if (w->a->replaced)
        zw_paper_say(p,
                     "Functions of the equations of motion are replaced by the first %d term%s of "
                     "their series.",
                     w->a->options.terms, w->a->options.terms == 1 ? "" : "s");
    zw_paper_say(p, "The amplitudes vary slowly: second derivatives and squares of first ones are "
                    "neglected.");
    if (w->a->options.van_der_pol)
        zw_paper_say(p, "Velocities are as if the amplitudes were constant (condition of van der "
                        "Pol), which makes rates about twice as large as they are.");
    if (!r->means && !r->forced_out)
        zw_paper_say(p, "Means stay zero for any amplitudes.");
    if (r->forced_out)
        zw_paper_say(p, "Means are left out, although the amplitudes excite them.");
}

static void write_matrix(formula_writer *w) {
    zw_paper *p = &w->paper;
    int n = w->r->n;
    zw_expr *shown = ZW_NEW(&p->arena, zw_expr, n * n + 1),
            *full = ZW_NEW(&p->arena, zw_expr, n * n + 1);
    if (!shown || !full)
        return;
    for (int i = 0; i < n * n; i++) {
        full[i] = readable_form(w, w->r->M[i]);
        shown[i] = zw_print_length(w->ctx, full[i]) > SHORT_ENTRY
                       ? entry_name(w, w->M, i / n + 1, i % n + 1)
                       : full[i];
    }
    zw_paper_matrix(p, zw_symbol(w->ctx, w->M), n, n, shown);
    for (int i = 0; i < n * n; i++)
        if (shown[i] != full[i])
            zw_paper_equation(p, shown[i], 0, full[i], NULL);
}

static void write_all(formula_writer *w) {
    static const char *const parts[] = {"mean", "cos", "sin"};
    zw_paper *p = &w->paper;
    const zw_amplitudes_result *r = w->r;
    char heading[200], label[200];
    zw_paper_title(p, "%s: slowly varying amplitudes", w->a->sys->name);
    write_trial(w);
    snprintf(heading, sizeof heading,
             "Equations, {%s(%s) %s' + %s(%s) = 0|%s(%s)\\,\\dot{%s} + %s(%s) = 0}", w->M, w->Z,
             w->Z, w->F, w->Z, w->M, w->Z, w->Z, w->F, w->Z);
    zw_paper_heading(p, heading);
    snprintf(heading, sizeof heading, "{%s|%s} = (%%v)", w->Z, w->Z);
    zw_paper_say(p, heading, r->n, r->Z);
    write_matrix(w);
    for (int i = 0; i < r->n; i++) {
        snprintf(label, sizeof label, "%s of the equation of %.120s", parts[r->part[i]],
                 w->a->sys->coord[r->coord[i]].name);
        zw_expr form = readable_form(w, r->F[i]), other = group_terms(w, r->F[i]);
        if (other && zw_print_length(w->ctx, other) <= 1.25 * zw_print_length(w->ctx, form))
            form = other;
        zw_paper_equation(p, entry_name(w, w->F, i + 1, 0), 0, form, label);
    }
}

/* --------------------------------------------------------------------------------------- report */

static char *text_of(const zw_amplitudes *a, zw_expr e, zw_report *out) {
    char *text = zw_print(a->ctx, e, ZW_TEXT);
    if (!text)
        zw_report_fail(out);
    return text;
}

static void report_formula(zw_report *out, const char *key, const zw_amplitudes *a, zw_expr e) {
    char *text = text_of(a, e, out);
    zw_report_word(out, key, text);
    zw_string_free(a->ctx, text);
}

static void report_formulas(zw_report *out, const char *key, const zw_amplitudes *a,
                            const zw_expr *e) {
    int n = a->result.n;
    zw_allocator alloc = zw_context_allocator(a->ctx);
    char **text = zw_allocate(&alloc, sizeof *text * (size_t)(n + 1));
    if (!text) {
        zw_report_fail(out);
        return;
    }
    for (int i = 0; i < n; i++)
        text[i] = text_of(a, e[i], out);
    zw_report_words(out, key, n, (const char *const *)text);
    for (int i = 0; i < n; i++)
        zw_string_free(a->ctx, text[i]);
    zw_release(&alloc, text, sizeof *text * (size_t)(n + 1));
}

void zw_amplitudes_report(const zw_amplitudes *a, zw_report *out) {
    const zw_amplitudes_result *r = &a->result;
    zw_report_count(out, "terms", a->options.terms);
    zw_report_flag(out, "van_der_pol", a->options.van_der_pol);
    zw_report_flag(out, "means", r->means);
    report_formula(out, "frequency", a, r->w);
    report_formulas(out, "amplitudes", a, r->Z);
    zw_report_list(out, "mass_matrix");
    for (int i = 0; i < r->n; i++)
        report_formulas(out, NULL, a, r->M + (size_t)(i * r->n));
    zw_report_close(out);
    report_formulas(out, "forces", a, r->F);
    zw_report_number(out, "difference", r->error, NULL);
}

char *zw_amplitudes_write(const zw_amplitudes *a, zw_amplitudes_format format) {
    static const char *const M[] = {"M", "A", "B", "matrix_of_rates", NULL},
                             *const F[] = {"F", "f", "G", "vector_of_forces", NULL},
                             *const Z[] = {"Z", "z", "Y", "amplitudes", NULL};
    formula_writer w = {.a = a,
                        .r = &a->result,
                        .ctx = a->ctx,
                        .M = free_letter(a, M),
                        .F = free_letter(a, F),
                        .Z = free_letter(a, Z)};
    zw_role_mark(a->ctx, a->result.n, a->result.Z, ZW_ROLE_COORDINATE);
    zw_role_mark(a->ctx, a->result.n, a->result.rate, ZW_ROLE_RATE);
    zw_paper_begin(&w.paper, a->ctx, format == ZW_AMPLITUDES_LATEX ? ZW_PAPER_LATEX : ZW_PAPER_TEXT,
                   ZW_SHORTENED);
    zw_paper_variables(&w.paper, a->result.n, a->result.Z);
    write_all(&w);
    return zw_paper_end(&w.paper);
}
