/* SPDX-License-Identifier: MIT */
/* A sum of terms c_i x_i1 x_i2 ... is computed in three steps.
 *
 *   1. Terms with the same items become one: their coefficients are added, which costs nothing
 *      among constants and parameters.
 *   2. The factor (item or coefficient) found in the most terms is taken out of them,
 *      f (rest of the terms) + others, again in the rest, until no factor is left that two terms
 *      share. Each time m terms share a factor, m - 1 multiplications are saved. The inner sum has
 *      a leading plus, so that (a - b) and (b - a) are one value.
 *   3. What remains is one sum of the graph.
 *
 * The best factor is found by sorting all of them, once for each factor that is taken out: n terms
 * of n factors, as in the derivative of n nested functions, would cost n^3 log n. Each sum has a
 * budget for it; after that, the remaining terms are summed without factors.
 *
 * Taking factors out can also hide a product that another sum needs, and the order in which they
 * are taken out matters: hence the styles. */
#include "polynomial.h"

#include <stdlib.h>
#include <string.h>

/* Factors that may be sorted for one sum: always (shipped models: 32 000 at most), per factor of
 * the sum, and at most. */
enum { FACTORS_MIN = 100000, FACTORS_RATIO = 16, FACTORS_MOST = 10000000 };

typedef struct summing {
    zw_graph *g;
    zw_arena *scratch;
    zw_style style;
    long budget;
} summing;

static int compare_values(const void *a, const void *b) {
    zw_value x = *(const zw_value *)a, y = *(const zw_value *)b;
    return (x > y) - (x < y);
}

static void sort_items(int n, zw_value *item) {
    for (int i = 1; i < n; i++) /* few items: insertion */
        for (int j = i; j > 0 && item[j - 1] > item[j]; j--) {
            zw_value t = item[j];
            item[j] = item[j - 1];
            item[j - 1] = t;
        }
}

zw_value zw_polynomial_product(zw_graph *g, zw_arena *scratch, int n, const zw_value *item) {
    if (n < 2)
        return n ? item[0] : g->one;
    zw_signed *factor = ZW_NEW(scratch, zw_signed, n);
    for (int i = 0; factor && i < n; i++)
        factor[i].value = item[i];
    return factor ? zw_graph_product(g, n, factor) : 0;
}

zw_value zw_polynomial_term(zw_graph *g, zw_arena *scratch, const zw_term *term) {
    zw_value v = zw_polynomial_product(g, scratch, term->n, term->item);
    v = zw_graph_mul(g, v, term->coefficient);
    return term->negative ? zw_graph_neg(g, v) : v;
}

static int compare_terms(const void *a, const void *b) {
    const zw_term *x = a, *y = b;
    for (int i = 0; i < x->n && i < y->n; i++)
        if (x->item[i] != y->item[i])
            return x->item[i] < y->item[i] ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return 0;
}

/* The sign belongs to the term, so that equal magnitudes are one value. */
static void normalise_sign(zw_graph *g, zw_term *term) {
    const zw_node *n = &g->node[term->coefficient];
    if (n->op == ZW_CODE_NEG || (n->op == ZW_CODE_CONST && n->k < 0)) {
        term->coefficient = zw_graph_neg(g, term->coefficient);
        term->negative = !term->negative;
    }
}

/* Step 1. Returns the new number of terms. */
static int merge_equal(zw_graph *g, int n, zw_term *term) {
    for (int i = 0; i < n; i++)
        sort_items(term[i].n, term[i].item);
    qsort(term, (size_t)n, sizeof *term, compare_terms);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept && compare_terms(&term[kept - 1], &term[i]) == 0) {
            zw_term *t = &term[kept - 1];
            zw_value c = t->negative ? zw_graph_neg(g, t->coefficient) : t->coefficient;
            t->negative = false;
            t->coefficient = term[i].negative ? zw_graph_sub(g, c, term[i].coefficient)
                                              : zw_graph_add(g, c, term[i].coefficient);
        } else {
            term[kept++] = term[i];
        }
        if (term[kept - 1].coefficient == g->zero)
            kept--;
    }
    for (int i = 0; i < kept; i++)
        normalise_sign(g, &term[i]);
    return kept;
}

static bool has_factor(const zw_term *t, zw_value f) {
    if (t->coefficient == f)
        return true;
    for (int i = 0; i < t->n; i++)
        if (t->item[i] == f)
            return true;
    return false;
}

static void remove_factor(const zw_graph *g, zw_term *t, zw_value f) {
    if (t->coefficient == f) {
        t->coefficient = g->one;
        return;
    }
    int i = 0;
    while (t->item[i] != f)
        i++;
    memmove(&t->item[i], &t->item[i + 1], sizeof *t->item * (size_t)(t->n - i - 1));
    t->n--;
}

/* The factor in the most terms, 0 if none is in two. found: memory for all factors. */
static zw_value best_factor(const zw_graph *g, int n, const zw_term *term, zw_style style,
                            zw_value *found) {
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (term[i].coefficient != g->one)
            found[m++] = term[i].coefficient;
        for (int j = 0; j < term[i].n; j++)
            if (j == 0 || term[i].item[j] != term[i].item[j - 1])
                found[m++] = term[i].item[j];
    }
    qsort(found, (size_t)m, sizeof *found, compare_values);
    zw_value best = 0;
    int most = 1; /* no factor is in fewer than two terms */
    for (int i = 0, j; i < m; i = j) {
        for (j = i + 1; j < m && found[j] == found[i]; j++)
            ;
        if (j - i > most || (style == ZW_STYLE_FACTOR_LAST && best && j - i == most)) {
            most = j - i;
            best = found[i];
        }
    }
    return best;
}

/* Step 3. A leading sign is passed on: f (a - b) and -f (b - a) are the same value. */
static zw_signed add_parts(zw_graph *g, int n, zw_signed *part) {
    for (int i = 0; i < n; i++)
        if (g->node[part[i].value].op == ZW_CODE_NEG)
            part[i] = (zw_signed){!part[i].negative, g->node[part[i].value].a};
    if (n == 0)
        return (zw_signed){false, g->zero};
    if (n == 1)
        return part[0];
    zw_value v = zw_graph_sum(g, n, part);
    bool negative = g->node[v].op == ZW_CODE_NEG;
    return (zw_signed){negative, negative ? g->node[v].a : v};
}

static zw_signed positive_constant(zw_graph *g, zw_value v) {
    bool negative = g->node[v].op == ZW_CODE_CONST && g->node[v].k < 0;
    return (zw_signed){negative, negative ? zw_graph_neg(g, v) : v};
}

static zw_signed sum_of(summing *s, int n, zw_term *term, zw_value slow);

/* f (terms with it), which are moved after the others; *n becomes the number of the others. */
static zw_signed take_out(summing *s, int *n, zw_term *term, zw_value f) {
    int others = 0;
    for (int i = 0; i < *n; i++)
        if (!has_factor(&term[i], f)) {
            zw_term t = term[i];
            term[i] = term[others];
            term[others++] = t;
        }
    zw_term *inner = &term[others];
    int m = *n - others;
    for (int i = 0; i < m; i++)
        remove_factor(s->g, &inner[i], f);
    *n = others;
    zw_signed sum = sum_of(s, m, inner, s->g->zero);
    sum.value = zw_graph_mul(s->g, sum.value, f);
    return sum;
}

static int count_factors(int n, const zw_term *term) {
    int count = 0;
    for (int i = 0; i < n; i++)
        count += term[i].n + 1;
    return count;
}

/* the factor to take out next; 0: none, or the budget is used up */
static zw_value next_factor(summing *s, int n, const zw_term *term, zw_value *found) {
    if (s->style == ZW_STYLE_PLAIN || n < 2)
        return 0;
    s->budget -= count_factors(n, term);
    return s->budget < 0 ? 0 : best_factor(s->g, n, term, s->style, found);
}

static zw_signed sum_of(summing *s, int n, zw_term *term, zw_value slow) {
    zw_graph *g = s->g;
    n = merge_equal(g, n, term);
    zw_value *found = ZW_NEW(s->scratch, zw_value, count_factors(n, term));
    zw_signed *part = ZW_NEW(s->scratch, zw_signed, n + 2);
    if (!found || !part)
        return (zw_signed){false, 0};
    int m = 0;
    zw_value f;
    while ((f = next_factor(s, n, term, found)) != 0)
        part[m++] = take_out(s, &n, term, f);
    for (int i = 0; i < n; i++) {
        bool negative = term[i].negative;
        term[i].negative = false;
        part[m++] = (zw_signed){negative, zw_polynomial_term(g, s->scratch, &term[i])};
    }
    if (slow != g->zero)
        part[m++] = positive_constant(g, slow);
    return add_parts(g, m, part);
}

zw_value zw_polynomial_sum(zw_graph *g, zw_arena *scratch, int n, zw_term *term, zw_value slow,
                           zw_style style) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    long budget = FACTORS_MIN + (long)FACTORS_RATIO * count_factors(n, term);
    summing s = {g, scratch, style, budget < FACTORS_MOST ? budget : FACTORS_MOST};
    zw_signed sum = sum_of(&s, n, term, slow);
    zw_arena_release(scratch, mark);
    return sum.negative ? zw_graph_neg(g, sum.value) : sum.value;
}
