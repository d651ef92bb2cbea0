/* SPDX-License-Identifier: MIT */
/* A written paper: title, headings, sentences and equations, as plain text, as a LaTeX document or
 * as the JSON that the viewer sets. Who writes says what there is, once; how it looks in each
 * format is the paper's business.
 *
 *   zw_paper p;
 *   zw_paper_begin(&p, ctx, ZW_PAPER_LATEX, ZW_SHORTENED);
 *   zw_paper_title(&p, "%s: equations by %s", sys->name, "lagrange");
 *   zw_paper_heading(&p, "Coordinates, {q' = dH/dp|\\dot{q} = \\partial H/\\partial p}");
 *   zw_paper_say(&p, "The momentum of %e is constant.", q);
 *   zw_paper_equation(&p, zw_paper_symbol(&p, "dT/dphi'"), 0, zw_paper_simpler(&p, e), "the
 *   constraint roll");
 *   char *text = zw_paper_end(&p);           NULL: out of memory
 *
 * Sentences are formats with %s (words, made safe for the format), %d, %ld, %e (a zw_expr, inside
 * the line), %v (int n, const zw_expr *: a list of them), %% and pieces of mathematics in two
 * spellings, {text|LaTeX}; the second one is set as a formula. Equations are kept until the end:
 * what recurs in long ones gets a name, the definitions stand in a last block "where", and long
 * ones are broken to the width of the page. Sentences are written as they are said.
 *
 * Notation that is no expression is a symbol with a name of the form
 *   "dA/dB"   a partial derivative, "d/dt A" a derivative in time of what A denotes (A, B names, or
 *             such
 *             notation again: "d/dt dL/dphi_1'"),
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
    const char
        *words; /* TITLE, WORDS: in the spelling of the format. Equations: the label, as said */
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
    const char *pending; /* a heading under which nothing has been said yet */
    int nvar;
    const zw_expr *variables;
    const char *principle, *about; /* of the page */
    bool failed;
} zw_paper;

void zw_paper_begin(zw_paper *p, zw_context *ctx, zw_paper_kind kind, zw_simplification simplify);
/* Everything that is no parameter, for the choice of names; an array of the caller, alive until the
 * end. What each of them is, zw_role_mark (expr/role.h) says: it gives the order of terms and
 * factors, and what is collected. */
void zw_paper_variables(zw_paper *p, int n, const zw_expr *variables);
void zw_paper_title(zw_paper *p, const char *format, ...);
/* A heading is printed with the first item under it, and not at all if there is none. */
void zw_paper_heading(zw_paper *p, const char *format, ...);
/* A sentence or several: a paragraph of its own. */
void zw_paper_say(zw_paper *p, const char *format, ...);
/* left = a matrix of expressions, which are copied. Its entries get no names: who has long ones
 * says them apart. A page has no matrices. */
void zw_paper_matrix(zw_paper *p, zw_expr left, int rows, int columns, const zw_expr *entries);
/* left = right; relation 1: >=, -1: <=, 2: >. The label (words, or NULL) stands beside it. */
void zw_paper_equation(zw_paper *p, zw_expr left, int relation, zw_expr right, const char *label);
/* e in the form that the paper's level of simplification asks for: as a side of an equation, and as
 * something that will be multiplied. */
zw_expr zw_paper_simpler(zw_paper *p, zw_expr e);
zw_expr zw_paper_coefficient(zw_paper *p, zw_expr e);
/* The symbol of that name; notation as above. */
zw_expr zw_paper_symbol(zw_paper *p, const char *name);
/* The whole paper in a string of the context's allocator (zw_string_free). The paper is gone in any
 * case. */
char *zw_paper_end(zw_paper *p);

#endif
