/* SPDX-License-Identifier: MIT */
/* The order of instructions for the interpreter: long runs of the same operation. */
#ifndef ZW_JIT_EQUAL_RUNS_H
#define ZW_JIT_EQUAL_RUNS_H

#include "base/arena.h"
#include "code.h"

/* *out: the same code in another order, with a separate place for every value of WORK. The new
 * instructions are in the arena; scratch is restored. */
zw_status zw_batch(zw_code *out, const zw_code *code, zw_arena *arena, zw_arena *scratch);

#endif
