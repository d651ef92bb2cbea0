/* SPDX-License-Identifier: MIT */
/* The C file of a system and its header, written by
 *
 *     emit_c.c        the file and the functions of the kernel
 *     emit_solve.c    rhs by elimination
 *     emit_values.c   the values of parameters, start and inputs
 *     emit_layout.c   the layout of the arrays: comments of the file
 *     emit_header.c   the same as a header, with names that C knows
 *
 * `prefix` is that of all functions, "zwang2_pendulum". */
#ifndef ZW_JIT_EMIT_H
#define ZW_JIT_EMIT_H

#include "base/text.h"
#include "program.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"

/* The values of the parameters, the start and the inputs. */
typedef struct zw_emit_values {
    const zw_equations *eq;
    zw_program program; /* functions of t and p: follow (if ndefined), start, inputs (if any) */
    int ndefined;       /* parameters that are defined by others */
    const int *defined; /* their numbers */
    const bool *given;  /* nx: has the model a start value for it? */
} zw_emit_values;

typedef struct zw_emit {
    const zw_equations *eq;
    const zw_emit_options *options;
    zw_kernel sizes;    /* only the sizes are set */
    zw_program program; /* code[i]: function[i] */
    zw_function_name function[ZW_FN_COUNT];
    zw_emit_values values;
    zw_text out;
    zw_arena scratch;
    const char *prefix; /* prefix of all functions: interface number and name of the model */
} zw_emit;

/* Does the code read anything of this space? */
bool zw_emit_reads(const zw_code *code, zw_space space);
/* Are there inequalities, so that the accelerations are no solution of linear equations? */
bool zw_emit_is_bounded(const zw_equations *eq);

/* emit_solve.c: rhs by elimination in the matrices of mats, where it is not generated code. */
void zw_emit_solve(zw_text *out, const zw_equations *eq, const char *prefix);

/* emit_values.c. build: memory from the arena; the caller always clears the program. */
zw_status zw_emit_values_build(zw_emit_values *out, const zw_equations *eq, zw_arena *arena,
                               zw_error *err);
zw_status zw_emit_values_write(zw_emit *e, zw_error *err);

/* emit_layout.c. Writes text so that it may be in a comment. */
void zw_emit_comment(zw_text *out, const char *text);
/* " [m/s]", or nothing. */
void zw_emit_unit(zw_text *out, const char *unit);
/* Name and unit of entry i of the state; momenta and multipliers have no unit here. */
const char *zw_emit_state_name(const zw_equations *eq, int i);
const char *zw_emit_state_unit(const zw_equations *eq, int i);
/* The meaning of output i of a function: "x''", "M[0][1]". */
void zw_emit_output(zw_text *out, const zw_equations *eq, const zw_kernel *sizes,
                    zw_function_name function, int i);
/* The name of part k of a function, "dr/dx". */
void zw_emit_part_name(zw_text *out, const char *name);
/* Comments: the head of the file, and the outputs of a function. */
void zw_emit_head(zw_emit *e);
void zw_emit_outputs(zw_text *out, const zw_function_info *info);

/* emit_header.c: the whole header into `out`. False: no memory. */
bool zw_emit_header(zw_emit *e, zw_text *out);

#endif
