/* SPDX-License-Identifier: MIT */
/* Linear code, the input of every back end (interpreter, LLVM, C text).
 *
 * A function is a list of instructions `to = op(a, b, c)` without jumps. An operand is a place: an
 * entry of one of the spaces below. A computed value is in OUT if it is an output, else in WORK,
 * whose entries are reused when their value is no longer needed. */
#ifndef ZW_JIT_CODE_H
#define ZW_JIT_CODE_H

#include <stdint.h>

#include "zwang/expr.h"

typedef enum zw_opcode {
#define ZW_CODE_ROW(op, arity, name, c) ZW_CODE_##op,
#include "code.def"
#undef ZW_CODE_ROW
    ZW_CODE_COUNT
} zw_opcode;

typedef enum zw_space {
    ZW_SPACE_WORK,
    ZW_SPACE_OUT,
    ZW_SPACE_T, /* ORDER: from here to P the pointers of zw_args in zwang/kernel.h */
    ZW_SPACE_X,
    ZW_SPACE_Z,
    ZW_SPACE_U,
    ZW_SPACE_D1,
    ZW_SPACE_D2,
    ZW_SPACE_D3,
    ZW_SPACE_CACHE,
    ZW_SPACE_P, /* only in the code of `prepare` */
    ZW_SPACE_CONST,
    ZW_SPACE_COUNT
} zw_space;
enum { ZW_SPACE_FIRST_INPUT = ZW_SPACE_T, ZW_SPACE_INPUTS = ZW_SPACE_P - ZW_SPACE_T + 1 };

typedef uint32_t zw_operand;
enum { ZW_OPERAND_SHIFT = 28 };

static inline zw_operand zw_operand_make(zw_space space, int index) {
    return (zw_operand)space << ZW_OPERAND_SHIFT | (zw_operand)index;
}
static inline zw_space zw_operand_space(zw_operand o) {
    return (zw_space)(o >> ZW_OPERAND_SHIFT);
}
static inline int zw_operand_index(zw_operand o) {
    return (int)(o & ((1u << ZW_OPERAND_SHIFT) - 1));
}

/* TABLE: a is the place of the argument, b the index in zw_code.table, c the derivative order. */
typedef struct zw_instruction {
    uint32_t op;
    zw_operand to, a, b, c;
} zw_instruction;

typedef struct zw_code {
    const char *name;
    int nout, nwork; /* entries of OUT and WORK */
    int nops;        /* instructions without moves */
    int ninstruction, nconstant, ntable;
    const zw_instruction *instruction;
    const double *constant;
    const int *table_number; /* of the context */
    const zw_spline *const *table;
} zw_code;

int zw_code_arity(zw_opcode op);
const char *zw_code_name(zw_opcode op);
const char *zw_code_c_name(zw_opcode op);
/* The value of one operation (not CONST, INPUT, TABLE): the definition all back ends follow. */
double zw_code_apply(zw_opcode op, double a, double b, double c);

#endif
