/* SPDX-License-Identifier: MIT */
/* The text behind --plot in its parts. */
#ifndef ZW_CLI_SPEC_H
#define ZW_CLI_SPEC_H

#include "operand.h"

enum { SPEC_TERMS = 32 };

typedef enum spec_kind { SPEC_GRAPH, SPEC_PATH, SPEC_SPACE } spec_kind;

typedef struct spec {
    spec_kind kind;
    int n;
    struct {
        char axis[3][OPERAND_TEXT]; /* formulas for x, y, z */
    } term[SPEC_TERMS];
} spec;

zw_status spec_parse(spec *s, const char *text, zw_error *err);

#endif
