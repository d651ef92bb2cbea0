/* SPDX-License-Identifier: MIT */
/* Which parameters of a system a text can set: definitions and moments of inertia also become
 * parameters if a caller of the reader requests it (zw_model_options). */
#ifndef ZW_LANG_PARAMETERS_H
#define ZW_LANG_PARAMETERS_H

#include "zwang/system.h"

/* True if a statement `param` declares it; always for systems that were not read from text. */
bool zw_model_declares(const zw_system *s, const char *parameter);

#endif
