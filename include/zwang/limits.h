/* SPDX-License-Identifier: MIT */
/* What the constructors of a context may do in all: expressions of a text from a stranger may grow without end (the derivative of n
 * nested functions has n^2 operands). Beyond a limit they fail with ZW_E_MODEL, at the place of the model, if it has one. */
#ifndef ZWANG_LIMITS_H
#define ZWANG_LIMITS_H

#include "expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_context_limits {
    double operands; /* that constructors look at (1e9: about a minute); default 3e9, 0: no limit */
    double bytes;    /* of expressions; default 2e9, 0: no limit */
    double code;     /* operands of the equations that become code; default 2e7, 0: no limit */
} zw_context_limits;

ZW_API void zw_context_set_limits(zw_context *ctx, zw_context_limits limits);
/* What was used of operands and bytes so far. */
ZW_API zw_context_limits zw_context_used(const zw_context *ctx);
/* The place of the model, for messages; the name of its file must live as long as the context. */
ZW_API void zw_context_set_place(zw_context *ctx, zw_place place);

/* Code for expressions with this number of operands: beyond the limit the context fails, as its constructors do. */
ZW_API zw_status zw_context_code_fits(zw_context *ctx, double operands, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
