/* SPDX-License-Identifier: MIT */
/* What the processor can do that bits depend on. */
#ifndef ZW_BASE_PROCESSOR_H
#define ZW_BASE_PROCESSOR_H

#include <stdbool.h>

/* Are products and sums of lanes one operation with one rounding? They are where the processor has
 * it for vectors of four (x86: AVX2 and FMA), unless the environment says ZWANG_FMA=off: then
 * everything is as on a processor without. */
bool zw_processor_fuses(void);

#endif
