/* SPDX-License-Identifier: MIT */
/* What a curve is made of: a column of a table, or a formula of columns such as deg(theta) or
 * (x^2 + y^2)/2, with the unit that follows from it. */
#ifndef ZW_CLI_OPERAND_H
#define ZW_CLI_OPERAND_H

#include "cli.h"

enum { OPERAND_TEXT = 160, OPERAND_CODE = 64 };

typedef struct operand {
    char name[OPERAND_TEXT]; /* for labels */
    char unit[OPERAND_TEXT];
    int n;
    struct {
        int op;       /* what to do with the stack, see operand.c */
        int which;    /* column or function */
        double value; /* a number, or the factor that makes a column SI */
    } code[OPERAND_CODE];
} operand;

/* Read the text as a formula of the columns of t. */
zw_status operand_parse(operand *o, const zw_table *t, const char *text, zw_error *err);
double operand_at(const operand *o, const zw_table *t, long row);

#endif
