/* SPDX-License-Identifier: MIT */
/* Scratch memory of a context, for use within one call. The caller sets a mark before and releases
 * after, so that repeated calls do not use more and more memory:
 *
 *   zw_arena_mark mark = zw_scratch_mark(ctx);
 *   ... zw_scratch_alloc ...; calls that do the same nest ...
 *   zw_scratch_release(ctx, mark);
 *
 * Results that stay are allocated by zw_context_alloc. */
#ifndef ZW_EXPR_CORE_SCRATCH_H
#define ZW_EXPR_CORE_SCRATCH_H

#include "base/arena.h"
#include "zwang/expr.h"

zw_arena_mark zw_scratch_mark(const zw_context *ctx);
void zw_scratch_release(zw_context *ctx, zw_arena_mark mark);
/* Zeroed memory until the release; NULL (and sticky ZW_E_MEMORY) if out of memory. */
void *zw_scratch_alloc(zw_context *ctx, size_t size);

#endif
