/* SPDX-License-Identifier: MIT */
/* The interpreter of linear code: always available, and the reference of the other back ends. */
#ifndef ZW_JIT_INTERP_H
#define ZW_JIT_INTERP_H

#include <stdatomic.h>

#include "base/arena.h"
#include "code.h"
#include "zwang/kernel.h"

/* Operations executed so far by all functions that share it. Concurrent threads may lose counts: it
 * is an estimate, and must be cheap. */
typedef atomic_llong zw_work_counter;

/* Fill f with the interpreter of code for 1, 4 or 8 lanes. counter may be NULL. The arena, the code
 * and the counter must outlive f. */
zw_status zw_interp_func(zw_func *f, const zw_code *code, int lanes, zw_work_counter *counter,
                         zw_arena *arena);

#endif
