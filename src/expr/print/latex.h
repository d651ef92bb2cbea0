/* SPDX-License-Identifier: MIT */
/* Expressions as LaTeX that can be broken into lines: brackets have fixed sizes, so that a line may
 * end between them, and the places where it may are known. */
#ifndef ZW_EXPR_PRINT_LATEX_H
#define ZW_EXPR_PRINT_LATEX_H

#include "base/text.h"
#include "zwang/expr.h"

typedef enum zw_tex_kind {
    ZW_TEX_TERM,  /* in front of the sign of a term */
    ZW_TEX_FACTOR /* in front of a factor: the next line begins with a sign of multiplication */
} zw_tex_kind;

typedef struct zw_tex_break {
    size_t at; /* in the text: the next line begins here */
    int depth; /* in so many brackets, the better the fewer */
    zw_tex_kind kind;
} zw_tex_break;

typedef struct zw_tex {
    zw_text text;
    zw_tex_break *breaks;
    int n, capacity;
} zw_tex;

/* e appended to out. Whatever cannot be broken is made no wider than `width` (in em; 0: no matter)
 * as far as there is another way to write it: a wide fraction as a product, a wide root as a power.
 * Fails (out->text.failed) if the text gets longer than `most`. */
void zw_latex_print(const zw_context *ctx, zw_expr e, double width, size_t most, zw_tex *out);
void zw_tex_init(zw_tex *t, const zw_allocator *alloc);
void zw_tex_clear(zw_tex *t);

/* The width in em of a formula in display style, as Computer Modern has it; of what zw_latex_print
 * writes, or a part of it between two breaks. A little too much rather than too little. */
double zw_tex_width(const char *s, size_t n);

#endif
