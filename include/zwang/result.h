/* SPDX-License-Identifier: MIT */
/* Implemented in src/sim. */
/* What a result knows of its origin: its notes hold the text of the model, the variant, the settings
 * and the switches, so that the system can be built again from the file alone. */
#ifndef ZWANG_RESULT_H
#define ZWANG_RESULT_H

#include "model.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The system a result came from, in ctx. ZW_E_FILE if the notes do not tell. */
ZW_API zw_status zw_result_system(zw_system **out, zw_context *ctx, const zw_table *result,
                                  zw_error *err);
/* What the system of a result was made with, and `more` behind it (NULL: nothing): for zw_model_parse of its note "text". Strings and lists are in ctx, or those of `more`. */
ZW_API zw_status zw_result_model_options(zw_context *ctx, const zw_table *result,
                                         const zw_model_options *more, zw_model_options *out,
                                         zw_error *err);
/* Values of the parameters (np doubles) at the start, as the result notes them; where it does not, the model's. */
ZW_API zw_status zw_result_params(const zw_table *result, const zw_system *s, double *p,
                                  zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
