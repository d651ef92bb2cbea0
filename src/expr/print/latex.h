/* SPDX-License-Identifier: MIT */
/* Expressions as LaTeX that can be broken into lines: brackets have fixed sizes, so that a line may
 * end between them, and the positions of possible breaks are recorded. */
#ifndef ZW_EXPR_PRINT_LATEX_H
#define ZW_EXPR_PRINT_LATEX_H

#include "base/text.h"
#include "zwang/expr.h"

typedef enum zw_tex_kind {
    ZW_TEX_TERM,  /* before the sign of a term */
    ZW_TEX_FACTOR /* before a factor: the next line begins with a multiplication sign */
} zw_tex_kind;

typedef struct zw_tex_break {
    size_t at; /* index in the text at which the next line begins */
    int depth; /* number of enclosing brackets; breaks with fewer are better */
    zw_tex_kind kind;
} zw_tex_break;

typedef struct zw_tex {
    zw_text text;
    zw_tex_break *breaks;
    int n, capacity;
} zw_tex;

/* Appends e to out. A part that cannot be broken is made no wider than `width` (in em; 0: no limit)
 * if it can be written in another form: a wide fraction as a product, a wide root as a power. Fails
 * (out->text.failed) if the text becomes longer than `most`. */
void zw_latex_print(const zw_context *ctx, zw_expr e, double width, size_t most, zw_tex *out);
void zw_tex_init(zw_tex *t, const zw_allocator *alloc);
void zw_tex_clear(zw_tex *t);

/* The width in em of a formula in display style in Computer Modern, for the output of
 * zw_latex_print or a part of it between two breaks. Slightly too large rather than too small. */
double zw_tex_width(const char *s, size_t n);

#endif
