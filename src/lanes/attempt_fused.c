/* SPDX-License-Identifier: MIT */
/* Attempts of lanes on processors that multiply and add in one operation (CMakeLists.txt sets the
 * compiler option for this file). */
#include "lanes.h"
#include "vector.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#undef ZW_CLONES
#define ZW_CLONES
#define CODE zw_lanes_fused
#define ZW_FMA(a, b, c) ((zw_four)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))

#include "attempt.h"
#else
const zw_lanes_code zw_lanes_fused = {0};
#endif
