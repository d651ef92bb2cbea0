/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/equilibria. */
/* Steady motions over a number of their model: the motion that zwang/over.h goes along, at some values, with what linear terms
 * say of its stability. zwang/locus.h has its eigenvalues and the places where something happens to them. */
#ifndef ZWANG_BRANCH_H
#define ZWANG_BRANCH_H

#include "model.h"
#include "over.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_branch zw_branch;

typedef struct zw_branch_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/over.h: "Omega=0:50rad/s" */
    const zw_equilibria_options *motion; /* NULL: the defaults */
    int rows;                            /* if `over` does not say, 101 */
} zw_branch_options;
ZW_API void zw_branch_options_init(zw_branch_options *options, size_t size);
static inline zw_branch_options zw_branch_options_default(void) {
    zw_branch_options o;
    zw_branch_options_init(&o, sizeof o);
    return o;
}

/* Follow it. ZW_E_MODEL: neighbouring steady motions are left open that something must hold. The system and its context must
 * outlive it. */
ZW_API zw_status zw_branch_create(zw_branch **out, const zw_system *sys,
                                  const zw_branch_options *options, zw_error *err);
ZW_API void zw_branch_destroy(zw_branch *b);

/* Where it begins and ends, and why. */
ZW_API const zw_over_way *zw_branch_way(const zw_branch *b);
ZW_API const zw_equilibria *zw_branch_equilibria(const zw_branch *b);
ZW_API int zw_branch_rows(const zw_branch *b);
/* Of row i: the value, the state (nx), and how many eigenvalues grow; -1: there are no linear equations. */
ZW_API double zw_branch_value(const zw_branch *b, int i);
ZW_API const double *zw_branch_state(const zw_branch *b, int i);
ZW_API int zw_branch_growing(const zw_branch *b, int i);

/* Some of the rows for people, with what changes on the way; a new string of the context (zw_string_free), NULL if out of
 * memory. */
ZW_API char *zw_branch_text(const zw_branch *b);
/* All rows, as a table of the kind "steady motions": the number, entries of the state, rates of the symmetries, multipliers,
 * growing, stable (1, 0, NaN where linear terms do not decide). source may be NULL. */
ZW_API zw_status zw_branch_table(const zw_branch *b, const zw_model_source *source, zw_table **out,
                                 zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
