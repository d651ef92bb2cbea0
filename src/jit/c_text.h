/* SPDX-License-Identifier: MIT */
/* Linear code as C statements. */
#ifndef ZW_JIT_C_TEXT_H
#define ZW_JIT_C_TEXT_H

#include "base/arena.h"
#include "base/text.h"
#include "code.h"

/* The names of the arrays of a function. */
typedef struct zw_c_names {
    const char *space[ZW_SPACE_COUNT]; /* array names; T is a scalar */
    /* writes the comment after output i; may be NULL */
    void (*output)(const void *ud, int i, zw_text *out);
    const void *ud;
} zw_c_names;

/* A number that C reads back as the same double, with the decimal in a comment if it is in hex. */
void zw_c_number(zw_text *out, double k);
/* The statements of the code's body, indented. False if out of memory. */
bool zw_c_body(zw_text *out, const zw_code *code, const zw_c_names *names, zw_arena *scratch);
/* Static helper functions and tables that the codes need. */
void zw_c_helpers(zw_text *out, int n, const zw_code *const *code);

#endif
