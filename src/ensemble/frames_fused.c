/* SPDX-License-Identifier: MIT */
/* Compiled for processors with fused operations, if the compiler supports them. */
#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>
#define FUSE(a, b, c) ((zw_four)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#else
#define FUSE(a, b, c) ((a) * (b) + (c))
#endif
#define CODE zw_frames_fused
#include "frames_code.h"
