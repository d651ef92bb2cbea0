/* SPDX-License-Identifier: MIT */
/* Terms that are missing together: two products of functions of the state, each with a coefficient
 * of numbers and parameters, or one product whose coefficient is a sum of two parameters.
 *
 * With the residual R and the products f_i at the samples of the first set of parameter values, a
 * pair explains R if
 *     R = c_i f_i + c_k f_k
 * has no residual in least squares. The normal equations of all pairs are blocks of one matrix of
 * scalar products. For the pairs that pass, the coefficients are found in every set, and a formula
 * for each (formula_search.c). */
#include <math.h>

#include "base/tolerance.h"
#include "repair.h"

#define FIT_ERROR 1e-11 /* squared relative residual: 3e-6, the round-off of the scalar products */

enum {
    DEGREE = 3,          /* number of factors of a product */
    PRODUCTS_MAX = 1800, /* whose pairs are tried: 1.6 million small solutions */
    PASSING_MAX = 40     /* pairs that explain the first set by coincidence */
};

typedef struct product_list {
    int n, first;   /* products; samples of the first set */
    zw_expr *e;     /* n */
    double **value; /* n rows of nsample, over the scale of the claim */
    double *dot;    /* n + 1 x n + 1 over the first set, the residual after the products */
    double *want;   /* nsample: the residual over its scale */
} product_list;

/* Accelerations follow from the state: terms with them can be replaced by terms without. */
static bool holds_acceleration(const zw_repair_search_state *s, zw_expr e) {
    const zw_system *y = s->sys;
    return zw_depends_any(s->ctx, e, y->nv, s->ev->sym + y->np + 1 + y->nq + y->nv);
}

/* Products of `degree` atoms. */
static void list_products(zw_repair_search_state *s, product_list *l, int degree, int from,
                          zw_expr so_far) {
    if (degree == 0) {
        if (l->n < PRODUCTS_MAX)
            l->e[l->n++] = so_far;
        return;
    }
    for (int i = from; i < s->formula.natom; i++)
        if (!holds_acceleration(s, s->formula.atom[i]))
            list_products(s, l, degree - 1, i, zw_mul(s->ctx, so_far, s->formula.atom[i]));
}

static double dot(const product_list *l, const double *a, const double *b) {
    double sum = 0;
    for (int j = 0; j < l->first; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Row i of the values; after the last one the residual. */
static const double *value_row(const product_list *l, int i) {
    return i == l->n ? l->want : l->value[i];
}

static bool fill_products(zw_repair_search_state *s, product_list *l) {
    int nsample = s->ev->nsample;
    while (l->first < nsample && s->ev->set[l->first] == s->ev->set[0])
        l->first++;
    l->e = ZW_CONTEXT_NEW(s->ctx, zw_expr, PRODUCTS_MAX);
    if (!l->e)
        return false;
    for (int degree = 0; degree <= DEGREE; degree++)
        list_products(s, l, degree, 0, ZW_ONE);
    l->value = ZW_CONTEXT_NEW(s->ctx, double *, l->n);
    l->dot = ZW_CONTEXT_NEW(s->ctx, double, (size_t)(l->n + 1) * (size_t)(l->n + 1));
    l->want = ZW_CONTEXT_NEW(s->ctx, double, nsample);
    if (!l->value || !l->dot || !l->want)
        return false;
    for (int j = 0; j < nsample; j++)
        l->want[j] = s->residual[j] / s->scale[j];
    for (int i = 0; i < l->n; i++) { /* gigabytes with many samples */
        l->value[i] = zw_trials_ask(s->ev) ? NULL : ZW_CONTEXT_NEW(s->ctx, double, nsample);
        if (!l->value[i])
            return false;
        for (int j = 0; j < nsample; j++)
            l->value[i][j] = zw_sample_of(s->sys, s->ev, j, l->e[i]) / s->scale[j];
    }
    for (int i = 0; i <= l->n; i++)
        for (int k = 0; k <= i && !zw_trials_ask(s->ev); k++)
            l->dot[i * (l->n + 1) + k] = l->dot[k * (l->n + 1) + i] =
                dot(l, value_row(l, i), value_row(l, k));
    return !zw_trials_ask(s->ev) && l->first > 4; /* two coefficients, and more to check them */
}

/* Do the products i and k (k = i: one alone) explain the residual in the first set? */
static bool is_solution(const product_list *l, int i, int k) {
    int w = l->n + 1;
    double ii = l->dot[i * w + i], kk = l->dot[k * w + k], ik = l->dot[i * w + k],
           ri = l->dot[l->n * w + i], rk = l->dot[l->n * w + k], rr = l->dot[l->n * w + l->n];
    double determinant = ii * kk - ik * ik;
    if (i == k)
        return ii > 0 && rr - ri * ri / ii <= FIT_ERROR * rr;
    if (!(determinant > ZW_ROUNDOFF_SOLVED * ii * kk))
        return false;
    return rr - (kk * ri * ri - 2 * ik * ri * rk + ii * rk * rk) / determinant <= FIT_ERROR * rr;
}

/* Coefficients of both in the samples first..end-1 of one set. */
static void fit_coefficients(const product_list *l, int i, int k, int first, int end, double c[2]) {
    const double *f = value_row(l, i), *g = value_row(l, k), *r = l->want;
    double ff = 0, fg = 0, gg = 0, rf = 0, rg = 0;
    for (int j = first; j < end; j++) {
        ff += f[j] * f[j];
        fg += f[j] * g[j];
        gg += g[j] * g[j];
        rf += r[j] * f[j];
        rg += r[j] * g[j];
    }
    double determinant = ff * gg - fg * fg;
    c[0] = i == k ? rf / ff : (gg * rf - fg * rg) / determinant;
    c[1] = i == k ? 0 : (ff * rg - fg * rf) / determinant;
}

static zw_expr coefficient_formula(const zw_repair_search_state *s, const double *value) {
    zw_expr c = zw_formula_param(&s->formula, value, s->known);
    return c ? c : zw_formula_sum(&s->formula, value, s->known);
}

static void try_pair(zw_repair_search_state *s, const product_list *l, int i, int k) {
    int nsample = s->ev->nsample, least = i == k ? 2 : 3;
    double *need[2] = {s->need, s->trial};
    if (zw_trials_ask(s->ev))
        return;
    for (int first = 0, end; first < nsample; first = end) {
        double c[2];
        for (end = first; end < nsample && s->ev->set[end] == s->ev->set[first]; end++) {
        }
        fit_coefficients(l, i, k, first, end, c);
        for (int j = first; j < end; j++) {
            s->known[j] = end - first >= least && isfinite(c[0]) && isfinite(c[1]);
            need[0][j] = c[0];
            need[1][j] = c[1];
        }
    }
    zw_expr a = coefficient_formula(s, need[0]);
    zw_expr b = i == k ? ZW_ZERO : coefficient_formula(s, need[1]);
    if (!zw_search_is_sound(s, a) || (i != k && (!zw_search_is_sound(s, b) || b == ZW_ZERO)) ||
        a == ZW_ZERO)
        return;
    zw_search_propose_term(s,
                           zw_add(s->ctx, zw_mul(s->ctx, a, l->e[i]), zw_mul(s->ctx, b, l->e[k])));
}

void zw_search_missing_terms(zw_repair_search_state *s) {
    product_list l = {0};
    int passing = 0;
    if (s->claim->nsmall || !fill_products(s, &l))
        return;
    for (int i = 0; i < l.n && s->out->nrepair == 0; i++)
        if (is_solution(&l, i, i))
            try_pair(s, &l, i, i);
    for (int i = 0; i < l.n && s->out->nrepair == 0; i++)
        for (int k = 0; k < i && passing < PASSING_MAX && s->out->nrepair == 0; k++)
            if (is_solution(&l, i, k)) {
                passing++;
                try_pair(s, &l, k, i);
            }
}
