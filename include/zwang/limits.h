/* SPDX-License-Identifier: MIT */
/* Implemented in src/expr/core. */
/* Limits on the total work and memory of a context: the expressions of an untrusted model may grow without bound (the derivative of n
 * nested functions has n^2 operands). Beyond a limit the constructors fail with ZW_E_MODEL, at the place of the model if it is set. */
#ifndef ZWANG_LIMITS_H
#define ZWANG_LIMITS_H

#include "expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_context_limits {
    double operands; /* visited by constructors (1e9: about a minute); default 3e9, 0: no limit */
    double bytes;    /* memory of expressions; default 2e9, 0: no limit */
    double code;     /* operands of the equations that become code; default 2e7, 0: no limit */
} zw_context_limits;

ZW_API void zw_context_set_limits(zw_context *ctx, zw_context_limits limits);
/* The operands and bytes used so far. */
ZW_API zw_context_limits zw_context_used(const zw_context *ctx);
/* The place of the model, for messages; its file name must stay valid as long as the context. */
ZW_API void zw_context_set_place(zw_context *ctx, zw_place place);

/* Code for expressions with this number of operands: beyond the limit the context fails, as its constructors do. */
ZW_API zw_status zw_context_code_fits(zw_context *ctx, double operands, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
