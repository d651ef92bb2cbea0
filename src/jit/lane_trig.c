/* SPDX-License-Identifier: MIT */
/* x = k pi/2 + r + s with |r| <= pi/4 and a small rest s, by pi/2 = P1 + P2 + P3 in doubles (Cody and Waite):
 *
 *     r1 = x - k P1        exact: a multiple of 2^-52 below 1, one fused operation
 *     r  = r1 - k P2,      s = (r1 - r) - k P2 - k P3
 *
 * sin(r + s) = sin r + s cos r and cos(r + s) = cos r - s sin r by Taylor's polynomials of degree 15 and 16, whose error is below
 * 6e-17 of the result; k mod 4 says which of them it is and with what sign. Within an ulp for |x| < 2^30; a lane beyond that, or
 * without a number, is libm's business.
 *
 * SLEEF's functions of 1 ulp take two to three times as long, since they compute in pairs of doubles, and their ways to reduce the
 * argument depend on the largest of all lanes, so that the bits of a lane do too. */
#include "lane_trig.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define LARGEST 1073741824.0

typedef struct pair {
    __m256d sine, cosine;
} pair;

#define ALL(v) _mm256_set1_pd(v)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)

static inline TARGET __attribute__((always_inline)) pair both(__m256d x) {
    const __m256d shift = ALL(6755399441055744.0); /* 1.5 * 2^52: the sum is rounded to a whole */
    const __m256d whole = FMA(x, ALL(0x1.45f306dc9c883p-1), shift);
    const __m256d k = _mm256_sub_pd(whole, shift);
    const __m256i quadrant = _mm256_castpd_si256(whole);
    const __m256d r1 = FNMA(k, ALL(0x1.921fb54442d18p+0), x);
    const __m256d r = FNMA(k, ALL(0x1.1a62633145c07p-54), r1);
    __m256d s = FNMA(k, ALL(0x1.1a62633145c07p-54), _mm256_sub_pd(r1, r));
    s = FNMA(k, ALL(-0x1.f1976b7ed8fbcp-110), s);
    const __m256d z = _mm256_mul_pd(r, r), zz = _mm256_mul_pd(z, z);
    /* sin r = r + r z p(z), in two halves */
    __m256d odd = FMA(ALL(-1. / 1307674368000), z, ALL(1. / 6227020800));
    odd = FMA(odd, zz, FMA(ALL(-1. / 39916800), z, ALL(1. / 362880)));
    odd = FMA(odd, zz, FMA(ALL(-1. / 5040), z, ALL(1. / 120)));
    odd = FMA(odd, z, ALL(-1. / 6));
    /* cos r = 1 - z/2 + z^2 q(z) */
    __m256d even = FMA(ALL(1. / 20922789888000), z, ALL(-1. / 87178291200));
    even = FMA(even, zz, FMA(ALL(1. / 479001600), z, ALL(-1. / 3628800)));
    even = FMA(even, zz, FMA(ALL(1. / 40320), z, ALL(-1. / 720)));
    even = FMA(even, z, ALL(1. / 24));
    const __m256d half = _mm256_mul_pd(z, ALL(0.5)), head = _mm256_sub_pd(ALL(1.0), half);
    const __m256d lost = _mm256_sub_pd(_mm256_sub_pd(ALL(1.0), head), half);
    /* s cos r, of which 1 - z/2 is enough, and s sin r */
    const __m256d sine = _mm256_add_pd(r, FMA(_mm256_mul_pd(r, z), odd, _mm256_mul_pd(s, head)));
    const __m256d cosine = _mm256_add_pd(head, FMA(zz, even, FNMA(r, s, lost)));
    const __m256d swap =
        _mm256_castsi256_pd(_mm256_slli_epi64(quadrant, 63)); /* odd: the sign bit */
    const __m256i two = _mm256_set1_epi64x(2);
    const __m256d sine_sign =
        _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_and_si256(quadrant, two), 62));
    const __m256d cosine_sign = _mm256_castsi256_pd(_mm256_slli_epi64(
        _mm256_and_si256(_mm256_add_epi64(quadrant, _mm256_set1_epi64x(1)), two), 62));
    return (pair){_mm256_xor_pd(_mm256_blendv_pd(sine, cosine, swap), sine_sign),
                  _mm256_xor_pd(_mm256_blendv_pd(cosine, sine, swap), cosine_sign)};
}

/* bits of the lanes that are too large, or no numbers */
static inline TARGET __attribute__((always_inline)) int strange(__m256d x) {
    const __m256d size = _mm256_andnot_pd(ALL(-0.0), x);
    return _mm256_movemask_pd(_mm256_cmp_pd(size, ALL(LARGEST), _CMP_NLT_UQ));
}

static TARGET __attribute__((noinline)) pair by_libm(__m256d x, int lanes, pair p) {
    double at[4], sine[4], cosine[4];
    _mm256_storeu_pd(at, x);
    _mm256_storeu_pd(sine, p.sine);
    _mm256_storeu_pd(cosine, p.cosine);
    for (int i = 0; i < 4; i++)
        if (lanes >> i & 1)
            sincos(at[i], &sine[i], &cosine[i]);
    return (pair){_mm256_loadu_pd(sine), _mm256_loadu_pd(cosine)};
}

static TARGET pair lane_sincos(__m256d x) {
    int lanes = strange(x);
    pair p = both(x);
    return __builtin_expect(lanes, 0) ? by_libm(x, lanes, p) : p;
}

static TARGET __m256d lane_sin(__m256d x) {
    int lanes = strange(x);
    pair p = both(x);
    return __builtin_expect(lanes, 0) ? by_libm(x, lanes, p).sine : p.sine;
}

static TARGET __m256d lane_cos(__m256d x) {
    int lanes = strange(x);
    pair p = both(x);
    return __builtin_expect(lanes, 0) ? by_libm(x, lanes, p).cosine : p.cosine;
}

uintptr_t zw_lane_trig(zw_lane_function which) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 0;
    return which == ZW_LANE_SIN   ? (uintptr_t)lane_sin
           : which == ZW_LANE_COS ? (uintptr_t)lane_cos
                                  : (uintptr_t)lane_sincos;
}

#else
uintptr_t zw_lane_trig(zw_lane_function which) {
    (void)which;
    return 0;
}
#endif
