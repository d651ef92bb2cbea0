/* SPDX-License-Identifier: MIT */
/* An allocator that knows its blocks, so that their contents can be saved and brought back.
 *
 * A copy holds the bytes of every block that lived when it was made. Bringing it back puts these
 * bytes where they were: pointers between the blocks are valid again. For that, a block that is
 * given back while a copy still holds it keeps its address; blocks that are younger than the copy
 * are freed. What the blocks point to outside of the ledger is not saved. */
#ifndef ZW_BASE_LEDGER_H
#define ZW_BASE_LEDGER_H

#include "zwang/status.h"

typedef struct zw_ledger zw_ledger;
typedef struct zw_ledger_copy zw_ledger_copy;

/* Memory for the blocks comes from alloc. NULL: out of memory. */
zw_ledger *zw_ledger_create(const zw_allocator *alloc);
/* Frees all blocks and all copies that there still are; may be NULL. */
void zw_ledger_destroy(zw_ledger *ledger);
/* The allocator whose blocks the ledger knows. */
zw_allocator zw_ledger_allocator(zw_ledger *ledger);

/* A copy of all blocks; NULL: out of memory. */
zw_ledger_copy *zw_ledger_save(zw_ledger *ledger);
/* Allocates nothing and cannot fail. The copy stays as it is. */
void zw_ledger_restore(zw_ledger *ledger, const zw_ledger_copy *copy);
/* Frees a copy; may be NULL. */
void zw_ledger_drop(zw_ledger *ledger, zw_ledger_copy *copy);

#endif
