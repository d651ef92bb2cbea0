/* SPDX-License-Identifier: MIT */
/* A series is a set of columns NAME(INDEX): eigenvalues re(1), re(2), ...; multipliers
 * lambda(roll), lambda(hinge). In the text of a panel
 *
 *     NAME            stands for all of them,
 *     NAME(1-3,7)     for some of them;
 *
 * one term becomes as many as there are indices. If a term has several series, as in the plane
 * re,im, they have a common index: re(k),im(k) for every k that both have. Tables need not have the
 * same indices. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

typedef struct tables {
    int n;
    const zw_table *const *item;
} tables;

typedef struct indices {
    int n;
    char item[ZW_SPEC_TERMS][ZW_SPEC_INDEX];
} indices;

/* ---- columns of a series ---- */

/* the index of "NAME(INDEX)"; NULL for other columns */
static const char *index_in(const char *column, const char *name, size_t n, size_t *length) {
    size_t all = strlen(column);
    if (all < n + 3 || strncmp(column, name, n) != 0 || column[n] != '(' || column[all - 1] != ')')
        return NULL;
    *length = all - n - 2;
    return *length < ZW_SPEC_INDEX ? column + n + 1 : NULL;
}

static bool has_index(const indices *x, const char *index, size_t n) {
    for (int i = 0; i < x->n; i++)
        if (strlen(x->item[i]) == n && strncmp(x->item[i], index, n) == 0)
            return true;
    return false;
}

static void add_index(indices *x, const char *index, size_t n) {
    if (x->n < ZW_SPEC_TERMS && !has_index(x, index, n))
        snprintf(x->item[x->n++], ZW_SPEC_INDEX, "%.*s", (int)n, index);
}

static void all_of(const tables *t, const char *name, size_t n, indices *out) {
    size_t length;
    out->n = 0;
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < zw_table_columns(t->item[i]); k++) {
            const char *index = index_in(zw_table_name(t->item[i], k), name, n, &length);
            if (index)
                add_index(out, index, length);
        }
}

bool zw_spec_is_series(const zw_table *t, const char *name) {
    size_t length;
    for (int k = 0; k < zw_table_columns(t); k++)
        if (index_in(zw_table_name(t, k), name, strlen(name), &length))
            return true;
    return false;
}

/* ---- choices ---- */

/* "2-5" as numbers; false for anything else */
static bool is_range(const char *s, size_t n, long *from, long *to) {
    char text[ZW_SPEC_INDEX], *end;
    if (n >= sizeof text || !isdigit((unsigned char)s[0]))
        return false;
    snprintf(text, sizeof text, "%.*s", (int)n, s);
    *from = strtol(text, &end, 10);
    if (*end != '-' || !isdigit((unsigned char)end[1]))
        return false;
    *to = strtol(end + 1, &end, 10);
    return !*end;
}

/* the indices of `all` that the n letters of a list name; false if it names others */
static bool choose_indices(const char *list, size_t n, const indices *all, indices *out) {
    out->n = 0;
    for (const char *at = list; at < list + n;) {
        size_t length = strcspn(at, ",)");
        long from, to;
        char number[ZW_SPEC_INDEX];
        if (!is_range(at, length, &from, &to)) {
            if (!has_index(all, at, length))
                return false;
            add_index(out, at, length);
        } else if (from > to || to - from >= ZW_SPEC_TERMS) {
            return false;
        } else {
            for (long k = from; k <= to; k++) {
                int digits = snprintf(number, sizeof number, "%ld", k);
                if (!has_index(all, number, (size_t)digits))
                    return false;
                add_index(out, number, (size_t)digits);
            }
        }
        at += length + 1;
    }
    return out->n > 0;
}

/* ---- formulas ---- */

/* a series at a place of a formula */
typedef struct place {
    size_t name, length; /* length of its name, and with the list of its indices */
    indices index;
} place;

static size_t column_here(const tables *t, const char *at) {
    size_t longest = 0;
    for (int i = 0; i < t->n; i++) {
        size_t n = zw_formula_column_here(t->item[i], at);
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* true if a series begins here; *skip: the length to skip otherwise */
static bool series_here(const tables *t, const char *at, place *out, size_t *skip) {
    size_t column = column_here(t, at), function = zw_formula_function_here(at);
    size_t n = zw_formula_name_here(at);
    *skip = column ? column : function ? function : n ? n : 1;
    if (column || function || n == 0 || isdigit((unsigned char)at[0]))
        return false;
    indices all;
    all_of(t, at, n, &all);
    *out = (place){.name = n, .length = n, .index = all};
    if (all.n == 0 || at[n] != '(')
        return all.n > 0;
    size_t list = strcspn(at + n + 1, ")");
    out->length = n + list + 2;
    return at[n + 1 + list] == ')' && choose_indices(at + n + 1, list, &all, &out->index);
}

/* intersects `common` with the indices of all series of a formula (n < 0: no series yet) */
static void intersect_indices(const tables *t, const char *formula, indices *common) {
    place p;
    size_t skip;
    for (const char *at = formula; *at;) {
        if (!series_here(t, at, &p, &skip)) {
            at += skip;
            continue;
        }
        indices both = {0};
        for (int i = 0; i < p.index.n; i++)
            if (common->n < 0 || has_index(common, p.index.item[i], strlen(p.index.item[i])))
                add_index(&both, p.index.item[i], strlen(p.index.item[i]));
        *common = both;
        at += p.length;
    }
}

/* the formula with this index in all of its series */
static zw_status write_with(const tables *t, const char *formula, const char *index,
                            char out[ZW_FORMULA_TEXT], zw_error *err) {
    place p;
    size_t used = 0, skip;
    out[0] = '\0';
    for (const char *at = formula; *at && used < ZW_FORMULA_TEXT;) {
        bool series = series_here(t, at, &p, &skip);
        size_t n = series ? p.name : skip;
        used += (size_t)snprintf(out + used, ZW_FORMULA_TEXT - used, "%.*s", (int)n, at);
        if (series && used < ZW_FORMULA_TEXT)
            used += (size_t)snprintf(out + used, ZW_FORMULA_TEXT - used, "(%s)", index);
        at += series ? p.length : skip;
    }
    if (used >= ZW_FORMULA_TEXT)
        return zw_fail(err, ZW_E_OPTION, "'%.40s...' is too long a formula", formula);
    return ZW_OK;
}

/* "3" for a formula that is just re(3), "" for others */
static void find_index(const char *formula, char out[ZW_SPEC_INDEX]) {
    size_t n = zw_formula_name_here(formula), length;
    const char *index = n ? index_in(formula, formula, n, &length) : NULL;
    bool one = index && !memchr(index, '(', length) && !memchr(index, ')', length);
    snprintf(out, ZW_SPEC_INDEX, "%.*s", one ? (int)length : 0, one ? index : "");
}

/* True if the formula is a column NAME(INDEX) of one of the tables; other tables need not have this
 * index. */
static bool is_somewhere(const tables *t, const char *formula) {
    char index[ZW_SPEC_INDEX];
    find_index(formula, index);
    for (int i = 0; index[0] && i < t->n; i++)
        if (zw_table_find(t->item[i], formula) >= 0)
            return true;
    return false;
}

/* appends the term from s->given_term[given] for each index */
static zw_status expand_term(zw_spec *s, const tables *t, int given, bool right, zw_error *err) {
    indices index = {.n = -1};
    for (int a = 0; a < 3; a++)
        intersect_indices(t, s->given_term[given][a], &index);
    if (index.n == 0)
        return zw_fail(err, ZW_E_OPTION, "--plot: '%s' and '%s' have no index in common",
                       s->given_term[given][1], s->given_term[given][0]);
    for (int i = 0; i < (index.n < 0 ? 1 : index.n); i++) {
        const char *own = index.n < 0 ? "" : index.item[i];
        if (s->n == ZW_SPEC_TERMS)
            return zw_fail(err, ZW_E_OPTION, "--plot: more than %d curves", ZW_SPEC_TERMS);
        for (int a = 0; a < 3; a++)
            ZW_TRY(write_with(t, s->given_term[given][a], own, s->term[s->n].axis[a], err));
        s->term[s->n].given = given;
        s->term[s->n].right = right;
        s->term[s->n].chosen =
            index.n >= 0 || (t->n > 1 && is_somewhere(t, s->given_term[given][1]));
        if (index.n < 0)
            find_index(s->term[s->n].axis[1], s->term[s->n].index);
        else
            memcpy(s->term[s->n].index, own, ZW_SPEC_INDEX);
        s->n++;
    }
    return ZW_OK;
}

zw_status zw_spec_expand(zw_spec *s, int ntable, const zw_table *const *table, zw_error *err) {
    const tables t = {ntable, table};
    bool right[ZW_SPEC_GIVEN] = {false};
    for (int i = 0; i < s->ngiven; i++)
        right[i] = s->term[i].right;
    s->n = 0;
    for (int i = 0; i < s->ngiven; i++) {
        memset(s->term[s->n].axis, 0, sizeof s->term[s->n].axis);
        ZW_TRY(expand_term(s, &t, i, right[i], err));
    }
    return ZW_OK;
}

bool zw_spec_has(const zw_spec *s, int term, const zw_table *t) {
    zw_column_formula f;
    if (!s->term[term].chosen)
        return true;
    for (int a = 0; a < 3; a++)
        if (s->term[term].axis[a][0] && zw_formula_parse(&f, t, s->term[term].axis[a], NULL) < 0)
            return false;
    return true;
}
