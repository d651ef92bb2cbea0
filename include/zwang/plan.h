/* SPDX-License-Identifier: MIT */
/* The plan of a study of many motions: which points it has, and which part of them is computed here. */
#ifndef ZWANG_PLAN_H
#define ZWANG_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Part `part` of `parts` (1, 2, ...) of the numbers 0 .. count - 1: neighbours, no gap, no overlap, sizes that differ by
 * one at most. */
typedef struct zw_range {
    uint64_t part, parts;
    uint64_t first, count;
} zw_range;

/* "3/16" of so many. ZW_E_OPTION: what is wrong with the text. */
ZW_API zw_status zw_range_read(zw_range *out, const char *text, uint64_t count, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
