/* SPDX-License-Identifier: MIT */
/* The two writers behind zw_equations_write: write.c (text, LaTeX) and write_json.c. */
#ifndef ZW_MECH_WRITE_H
#define ZW_MECH_WRITE_H

#include "base/text.h"
#include "zwang/equations.h"

void zw_write_json(zw_text *out, const zw_equations *eq);

#endif
