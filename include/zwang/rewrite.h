/* SPDX-License-Identifier: MIT */
/* Implemented in src/lang. */
/* The text of a model in other units. Every number with a unit is divided by what the new units make of its
 * dimension,
 *
 *     a [m/s^2]   ->   a / (u_m u_s^-2),     u_i: the SI value of the new unit in place of base unit i,
 *
 * so that the text says the same about other numbers: the equations keep their form, whatever they are made of. The
 * chosen variant is part of the text then, the others are not, and comments are left out, for they may speak of the
 * old numbers. */
#ifndef ZWANG_REWRITE_H
#define ZWANG_REWRITE_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZW_BASE_UNITS = 7 }; /* kg, m, s, A, K, mol, cd, in this order */

typedef struct zw_rewriting {
    size_t size;                /* of this struct, for the library */
    double unit[ZW_BASE_UNITS]; /* 1 each */
    bool units; /* numbers keep a unit in brackets, the SI one, which now stands for the new one */
    int ndropped; /* parameters and definitions whose statements are left out, */
    const char *const *dropped;
    const char *head;    /* and what stands behind the model line; NULL: nothing */
    const char *comment; /* before the model line; NULL: nothing */
    /* Told of every number with a dimension that is rewritten: its place, as it was, what it is now. May be NULL. */
    void (*literal)(void *user, zw_place place, const char *number, const char *unit, double now);
    void *literal_user;
} zw_rewriting;
ZW_API void zw_rewriting_init(zw_rewriting *how, size_t size);
static inline zw_rewriting zw_rewriting_default(void) {
    zw_rewriting how;
    zw_rewriting_init(&how, sizeof how);
    return how;
}

/* The new text, a string of the context (zw_string_free). Refused, with the place: tables in files, --law, --with, --without
 * and settings that are no parameters, which are not in the text; a model without units. */
ZW_API zw_status zw_model_rewrite(char **out, zw_context *ctx, const zw_model_source *source,
                                  const zw_rewriting *how, zw_error *err);
/* found[i]: does names[i] stand anywhere in the text (of the chosen variant) but in the statements that define the dropped
 * names or names[i] itself? */
ZW_API zw_status zw_model_mentions(zw_context *ctx, const zw_model_source *source, int ndropped,
                                   const char *const *dropped, int n, const char *const *names,
                                   bool *found, zw_error *err);
/* Does a body get its mass from solids, whose first number is a mass or a density by its unit? */
ZW_API zw_status zw_model_has_solids(zw_context *ctx, const zw_model_source *source, bool *has,
                                     zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
