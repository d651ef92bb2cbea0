/* SPDX-License-Identifier: MIT */
/* The text of a panel in its parts. */
#ifndef ZW_FIGURE_SPEC_H
#define ZW_FIGURE_SPEC_H

#include "formula.h"

enum { ZW_SPEC_TERMS = 32 };

typedef enum zw_spec_kind { ZW_SPEC_GRAPH, ZW_SPEC_PATH, ZW_SPEC_SPACE } zw_spec_kind;

typedef struct zw_spec {
    zw_spec_kind kind;
    int n;
    struct {
        char axis[3][ZW_FORMULA_TEXT]; /* formulas for x, y, z */
        bool right;                    /* its y is that of the right-hand side */
    } term[ZW_SPEC_TERMS];
    bool has_right;
} zw_spec;

zw_status zw_spec_parse(zw_spec *s, const char *text, zw_error *err);

#endif
