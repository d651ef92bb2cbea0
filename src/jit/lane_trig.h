/* SPDX-License-Identifier: MIT */
/* Sine and cosine of four lanes, for code that LLVM makes. The result of a lane depends on its argument alone. */
#ifndef ZW_JIT_LANE_TRIG_H
#define ZW_JIT_LANE_TRIG_H

#include <stdint.h>

typedef enum zw_lane_function { ZW_LANE_SIN, ZW_LANE_COS, ZW_LANE_SINCOS } zw_lane_function;

/* The address of a function of a vector of four doubles: it returns a vector, or (sincos) two of them in memory, whose address
 * is passed first. 0 where there is none: it needs AVX2 and fused multiply-add. */
uintptr_t zw_lane_trig(zw_lane_function which);

#endif
