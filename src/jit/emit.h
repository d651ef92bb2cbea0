/* SPDX-License-Identifier: MIT */
/* What stands in the emitted C file beside the functions of the kernel. `prefix` is that of all its
 * functions, "zwang2_pendulum". */
#ifndef ZW_JIT_EMIT_H
#define ZW_JIT_EMIT_H

#include "base/text.h"
#include "program.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"

/* Does the code read anything of this space? */
bool zw_emit_reads(const zw_code *code, zw_space space);
/* Text that may stand in a comment. */
void zw_emit_comment(zw_text *out, const char *text);
/* Name and unit of entry i of the state; momenta and multipliers have no unit here. */
const char *zw_emit_state_name(const zw_equations *eq, int i);
const char *zw_emit_state_unit(const zw_equations *eq, int i);

/* emit_solve.c: rhs by elimination in the matrices of mats, where it is not generated code. */
void zw_emit_solve(zw_text *out, const zw_equations *eq, const char *prefix);

/* emit_values.c: the values of the parameters and the start. */
typedef struct zw_emit_values {
    const zw_equations *eq;
    zw_program program; /* functions of p: follow (if ndefined), start */
    int ndefined;       /* parameters that are defined by others */
    const int *defined; /* their numbers */
    const bool *given;  /* nx: has the model a start value for it? */
} zw_emit_values;

/* In the arena; the program is cleared by the caller, whatever comes back. */
zw_status zw_emit_values_build(zw_emit_values *out, const zw_equations *eq, zw_arena *arena,
                               zw_error *err);
zw_status zw_emit_values_write(const zw_emit_values *v, zw_text *out, const char *prefix,
                               zw_arena *arena, zw_error *err);

#endif
