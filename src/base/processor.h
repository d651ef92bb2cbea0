/* SPDX-License-Identifier: MIT */
/* Properties of the processor that decide the bits of results. */
#ifndef ZW_BASE_PROCESSOR_H
#define ZW_BASE_PROCESSOR_H

#include <stdbool.h>

/* True if products and sums of lanes are fused into one operation with one rounding. They are where
 * the processor can do so for vectors of four (x86: AVX2 and FMA), unless ZWANG_FMA=off is set in
 * the environment: then all results are those of a processor without. */
bool zw_processor_fuses(void);

#endif
