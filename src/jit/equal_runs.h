/* SPDX-License-Identifier: MIT */
/* The order of instructions for the interpreter: long runs of the same operation. */
#ifndef ZW_JIT_EQUAL_RUNS_H
#define ZW_JIT_EQUAL_RUNS_H

#include "base/arena.h"
#include "code.h"

/* *out: the same code in another order, every value of WORK in a place of its own. The arena holds
 * the new instructions, scratch is left as it was. */
zw_status zw_batch(zw_code *out, const zw_code *code, zw_arena *arena, zw_arena *scratch);

#endif
