/* SPDX-License-Identifier: MIT */
/* A sum of terms c_i x_i1 x_i2 ... is made in three steps.
 *
 *   1. Terms with the same items become one: the coefficients are added where they cost nothing,
 *      among the constants and parameters.
 *   2. The factor (item or coefficient) found in the most terms is taken out of them,
 *      f (rest of the terms) + others, again in the rest, until no factor is left that two terms
 *      share. Each time m terms share a factor, m - 1 multiplications are saved. The inner sum is
 *      made with a leading plus, so that (a - b) and (b - a) are one value.
 *   3. What remains is added in pairs, pairs of pairs, ...: a short chain of dependent additions.
 *
 * Taking factors out can also hide a product that another sum needs; the caller makes the program
 * both ways and keeps the shorter one. */
#include "polynomial.h"

#include <stdlib.h>
#include <string.h>

typedef struct signed_value {
    bool negative;
    zw_value value;
} signed_value;

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

zw_value zw_polynomial_product(zw_graph *g, int n, zw_value *item) {
    sort_items(n, item);
    zw_value product = g->one;
    for (int i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && item[j] == item[i]; j++)
            ;
        product = zw_graph_mul(g, product, zw_graph_power(g, item[i], j - i));
    }
    return product;
}

zw_value zw_polynomial_term(zw_graph *g, zw_term *term) {
    zw_value v = zw_graph_mul(g, zw_polynomial_product(g, term->n, term->item), term->coefficient);
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

/* Step 3. */
static signed_value add_pairwise(zw_graph *g, int n, signed_value *v) {
    if (!n)
        return (signed_value){false, g->zero};
    for (; n > 1; n = (n + 1) / 2)
        for (int i = 0; i < n; i += 2) {
            signed_value a = v[i], b = {false, g->zero}, *to = &v[i / 2];
            if (i + 1 < n)
                b = v[i + 1];
            if (a.negative == b.negative)
                *to = (signed_value){a.negative, zw_graph_add(g, a.value, b.value)};
            else if (a.negative && b.value != g->zero)
                *to = (signed_value){false, zw_graph_sub(g, b.value, a.value)};
            else
                *to = (signed_value){a.negative, zw_graph_sub(g, a.value, b.value)};
        }
    return v[0];
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

/* The factor in the most terms, 0 if none is in two. found has room for every factor. */
static zw_value best_factor(const zw_graph *g, int n, const zw_term *term, zw_value *found) {
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
    int most = 1;
    for (int i = 0, j; i < m; i = j) {
        for (j = i + 1; j < m && found[j] == found[i]; j++)
            ;
        if (j - i > most) {
            most = j - i;
            best = found[i];
        }
    }
    return best;
}

static signed_value sum_of(zw_graph *g, zw_arena *scratch, int n, zw_term *term, bool factor);

/* f (terms that have it), moved behind the others; *n becomes the number of the others. */
static signed_value take_out(zw_graph *g, zw_arena *scratch, int *n, zw_term *term, zw_value f) {
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
        remove_factor(g, &inner[i], f);
    *n = others;
    signed_value sum = sum_of(g, scratch, m, inner, true);
    sum.value = zw_graph_mul(g, sum.value, f);
    return sum;
}

static signed_value sum_of(zw_graph *g, zw_arena *scratch, int n, zw_term *term, bool factor) {
    n = merge_equal(g, n, term);
    int nfactors = 0;
    for (int i = 0; i < n; i++)
        nfactors += term[i].n + 1;
    zw_value *found = ZW_NEW(scratch, zw_value, nfactors);
    signed_value *part = ZW_NEW(scratch, signed_value, n + 1);
    if (!found || !part)
        return (signed_value){false, 0};
    int m = 0;
    zw_value f;
    while (factor && n > 1 && (f = best_factor(g, n, term, found)) != 0)
        part[m++] = take_out(g, scratch, &n, term, f);
    for (int i = 0; i < n; i++) {
        bool negative = term[i].negative;
        term[i].negative = false;
        part[m++] = (signed_value){negative, zw_polynomial_term(g, &term[i])};
    }
    bool flip = m > 0 && part[0].negative;
    for (int i = 0; flip && i < m; i++)
        part[i].negative = !part[i].negative;
    signed_value sum = add_pairwise(g, m, part);
    sum.negative ^= flip;
    return sum;
}

zw_value zw_polynomial_sum(zw_graph *g, zw_arena *scratch, int n, zw_term *term, bool factor) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    signed_value sum = sum_of(g, scratch, n, term, factor);
    zw_arena_release(scratch, mark);
    return sum.negative ? zw_graph_neg(g, sum.value) : sum.value;
}
