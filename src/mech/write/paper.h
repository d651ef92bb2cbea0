/* SPDX-License-Identifier: MIT */
/* A written document: title, headings, sentences and equations, as plain text, as a LaTeX document
 * or as the JSON that the viewer displays. The caller gives the content once; the paper does the
 * layout for each format.
 *
 *   zw_paper p;
 *   zw_paper_begin(&p, ctx, ZW_PAPER_LATEX, ZW_SHORTENED);
 *   zw_paper_title(&p, "%s: equations by %s", sys->name, "lagrange");
 *   zw_paper_heading(&p, "Coordinates, {q' = dH/dp|\\dot{q} = \\partial H/\\partial p}");
 *   zw_paper_say(&p, "The momentum of %e is constant.", q);
 *   zw_paper_equation(&p, zw_paper_symbol(&p, "dT/dphi'"), 0, zw_paper_simpler(&p, e), "the roll");
 *   char *text = zw_paper_end(&p);           NULL: out of memory
 *
 * Sentences are formats with %s (words, escaped for the format), %d, %ld, %e (a zw_expr, inline),
 * %v (int n, const zw_expr *: a list of them), %% and pieces of mathematics in two spellings,
 * {text|LaTeX}; the second one is set as a formula. Equations are kept until the end: recurring
 * parts of long ones get names, the definitions are printed in a last block "where", and long ones
 * are broken to the width of the page. Sentences are formatted at once.
 *
 * Notation that is not an expression is a symbol with a name of the form
 *   "dA/dB"   a partial derivative, "d/dt A" a time derivative of A (A, B names, or such notation
 *             again: "d/dt dL/dphi_1'"),
 * which no name of a model can have; text shows it as it is, LaTeX as fractions. */
#ifndef ZW_MECH_PAPER_H
#define ZW_MECH_PAPER_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/equations.h"

typedef enum zw_paper_kind { ZW_PAPER_TEXT, ZW_PAPER_LATEX, ZW_PAPER_PAGE } zw_paper_kind;

typedef enum zw_paper_item_kind {
    ZW_PAPER_TITLE,
    ZW_PAPER_WORDS,
    ZW_PAPER_MATRIX,
    ZW_PAPER_EQUATION,
    ZW_PAPER_DEFINITION
} zw_paper_item_kind;

typedef struct zw_paper_item {
    zw_paper_item_kind kind;
    const char *heading; /* of the block that begins here; NULL inside a block */
    /* TITLE, WORDS: in the spelling of the format. Equations: the label, as said */
    const char *words;
    zw_expr left, right;
    int relation; /* 0: =, 1: >=, -1: <=, 2: > */
    int rows, columns;
    const zw_expr *entries; /* MATRIX: rows x columns */
} zw_paper_item;

typedef struct zw_paper {
    zw_context *ctx;
    zw_paper_kind kind;
    zw_simplification simplify;
    zw_arena arena; /* items and their words */
    int n, capacity;
    zw_paper_item *items;
    const char *pending; /* a heading without content so far */
    int nvar;
    const zw_expr *variables;
    const char *principle, *about; /* of the page */
    bool fragment;                 /* LaTeX without preamble, for \input */
    bool failed;
} zw_paper;

void zw_paper_begin(zw_paper *p, zw_context *ctx, zw_paper_kind kind, zw_simplification simplify);
/* Everything that is not a parameter, for the choice of names; an array of the caller that must
 * live until the end. zw_role_mark (expr/core/role.h) gives their roles, which decide the order of
 * terms and factors, and how terms are collected. */
void zw_paper_variables(zw_paper *p, int n, const zw_expr *variables);
void zw_paper_title(zw_paper *p, const char *format, ...);
/* A heading is printed with the first item under it, and not at all if there is none. */
void zw_paper_heading(zw_paper *p, const char *format, ...);
/* One or several sentences: a paragraph. */
void zw_paper_say(zw_paper *p, const char *format, ...);
/* left = a matrix of expressions, which are copied. Its entries get no names: callers print long
 * ones separately. A page has no matrices. */
void zw_paper_matrix(zw_paper *p, zw_expr left, int rows, int columns, const zw_expr *entries);
/* left = right; relation 1: >=, -1: <=, 2: >. The label (words, or NULL) is printed next to it. */
void zw_paper_equation(zw_paper *p, zw_expr left, int relation, zw_expr right, const char *label);
/* e in the form of the paper's level of simplification: as a side of an equation, and as a
 * factor. */
zw_expr zw_paper_simpler(zw_paper *p, zw_expr e);
zw_expr zw_paper_coefficient(zw_paper *p, zw_expr e);
/* The symbol of that name; notation as above. */
zw_expr zw_paper_symbol(zw_paper *p, const char *name);
/* The whole paper in a string of the context's allocator (zw_string_free). The paper is freed in
 * any case. */
char *zw_paper_end(zw_paper *p);

#endif
