/* SPDX-License-Identifier: MIT */
/* The text of a panel, parsed. */
#ifndef ZW_FIGURE_SPEC_H
#define ZW_FIGURE_SPEC_H

#include "formula.h"

enum { ZW_SPEC_TERMS = 160, ZW_SPEC_GIVEN = 32, ZW_SPEC_INDEX = 48 };

typedef enum zw_spec_kind { ZW_SPEC_GRAPH, ZW_SPEC_PATH, ZW_SPEC_SPACE, ZW_SPEC_MAP } zw_spec_kind;

typedef struct zw_spec {
    zw_spec_kind kind;
    int n;
    struct {
        /* formulas for x, y, z; z of a graph: the other edge of a band, or "" */
        char axis[3][ZW_FORMULA_TEXT];
        bool right;                /* its y is on the right-hand axis */
        int given;                 /* index of the term in the text */
        char index[ZW_SPEC_INDEX]; /* of its columns NAME(INDEX); "": none */
        bool chosen;               /* automatic, from a series: not every table need have it */
    } term[ZW_SPEC_TERMS];
    bool has_right;
    int ngiven; /* number of terms of the text */
    /* their formulas, NAME for all NAME(INDEX) */
    char given_term[ZW_SPEC_GIVEN][3][ZW_FORMULA_TEXT];
} zw_spec;

/* The axes of its panel; for a map including the colours. */
int zw_spec_axes(const zw_spec *s);
zw_status zw_spec_parse(zw_spec *s, const char *text, zw_error *err);

/* column_series.c. Every term with a NAME that is not a column, but of which there are columns
 * NAME(1), NAME(2), ... in one of the tables, becomes one term for each of these; NAME(2-5,7) for
 * some of them. */
zw_status zw_spec_expand(zw_spec *s, int ntable, const zw_table *const *table, zw_error *err);
/* True if the term can be drawn from this table; terms named in the text are assumed to be. */
bool zw_spec_has(const zw_spec *s, int term, const zw_table *t);
/* True if there is a column NAME(...). */
bool zw_spec_is_series(const zw_table *t, const char *name);

#endif
