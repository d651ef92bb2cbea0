/* SPDX-License-Identifier: MIT */
/* Zero, fixed or varying outputs of a function. */
#ifndef ZW_JIT_OUTPUT_KINDS_H
#define ZW_JIT_OUTPUT_KINDS_H

#include "code.h"
#include "zwang/kernel.h"

/* out (nout) receives zw_output_kind; work (nwork) is scratch. */
void zw_code_kinds(const zw_code *code, unsigned char *out, unsigned char *work);

#endif
