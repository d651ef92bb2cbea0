/* SPDX-License-Identifier: MIT */
/* x = k pi/2 + r + s with |r| <= pi/4 and a small rest s, by pi/2 = P1 + P2 + P3 in doubles (Cody
 * and Waite):
 *
 *     r1 = x - k P1        exact: a multiple of 2^-52 below 1, one fused operation
 *     r  = r1 - k P2,      s = (r1 - r) - k P2 - k P3
 *
 * sin(r + s) = sin r + s (s is less than half an ulp of r, cos r more than 0.7) and cos(r + s) =
 * cos r - s r, with z = r^2 and polynomials of degree 5 in z,
 *
 *     sin r = r + r z S(z),     cos r = 1 - z/2 + z^2 C(z),
 *
 * of least maximal error on |r| <= pi/4 (by the Remez algorithm, rounded: 1.1e-17 and 1.1e-18 of
 * the result); k mod 4 determines which of them it is and its sign. Within an ulp for |x| < 2^30;
 * lanes beyond that, or NaN, are computed by libm.
 *
 * Generated code contains these operations, one by one in the same order (llvm_trig.c), since a
 * call would cost as much as they do. If an argument is beyond the limit, functions are called,
 * with the same bits for every lane.
 *
 * SLEEF's functions of 1 ulp take two to three times as long, since they compute in pairs of
 * doubles; and their argument reduction depends on the largest of all lanes, so that the bits of a
 * lane do too. */
#include "lane_trig.h"

#include <math.h>

#define EIGHT(name, v) {v, v, v, v, v, v, v, v},
_Alignas(64) const double zw_trig_table[ZW_TRIG_COUNT][ZW_TRIG_COPIES] = {ZW_TRIG_NUMBERS(EIGHT)};

/* The whole file is compiled for these instructions (CMakeLists.txt), not function by function,
 * since clang would then pass vectors in memory, not in registers as generated code does. */
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

typedef struct pair {
    __m256d sine, cosine;
} pair;

#define ALL(v) _mm256_set1_pd(v)
#define N(name) _mm256_load_pd(zw_trig_table[ZW_TRIG_##name])
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)

static inline __attribute__((always_inline)) pair sine_and_cosine(__m256d x) {
    const __m256d shift = N(ROUND), whole = FMA(x, N(TURNS), shift);
    const __m256d k = _mm256_sub_pd(whole, shift);
    const __m256i quadrant = _mm256_castpd_si256(whole);
    const __m256d r1 = FNMA(k, N(P1), x), r = FNMA(k, N(P2), r1);
    const __m256d rest = FNMA(k, N(P2), _mm256_sub_pd(r1, r)), s = FNMA(k, N(P3), rest);
    const __m256d z = _mm256_mul_pd(r, r), zz = _mm256_mul_pd(z, z);
    const __m256d odd = ZW_TRIG_POLYNOMIAL(S), even = ZW_TRIG_POLYNOMIAL(C);
    const __m256d half = _mm256_mul_pd(z, N(HALF)), head = _mm256_sub_pd(N(ONE), half);
    const __m256d lost = _mm256_sub_pd(_mm256_sub_pd(N(ONE), head), half);
    const __m256d sine = _mm256_add_pd(r, FMA(_mm256_mul_pd(r, z), odd, s));
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

/* bits of the lanes that are too large, or NaN */
static inline __attribute__((always_inline)) int unusual_lanes(__m256d x) {
    const __m256d size = _mm256_andnot_pd(ALL(-0.0), x);
    return _mm256_movemask_pd(_mm256_cmp_pd(size, N(LARGEST), _CMP_NLT_UQ));
}

static __attribute__((noinline)) pair by_libm(__m256d x, int lanes, pair p) {
    double at[4], sine[4], cosine[4];
    _mm256_storeu_pd(at, x);
    _mm256_storeu_pd(sine, p.sine);
    _mm256_storeu_pd(cosine, p.cosine);
    for (int i = 0; i < 4; i++)
        if (lanes >> i & 1)
            sincos(at[i], &sine[i], &cosine[i]);
    return (pair){_mm256_loadu_pd(sine), _mm256_loadu_pd(cosine)};
}

static pair lane_sincos(__m256d x) {
    int lanes = unusual_lanes(x);
    pair p = sine_and_cosine(x);
    return __builtin_expect(lanes, 0) ? by_libm(x, lanes, p) : p;
}

static __m256d lane_sin(__m256d x) {
    int lanes = unusual_lanes(x);
    pair p = sine_and_cosine(x);
    return __builtin_expect(lanes, 0) ? by_libm(x, lanes, p).sine : p.sine;
}

static __m256d lane_cos(__m256d x) {
    int lanes = unusual_lanes(x);
    pair p = sine_and_cosine(x);
    return __builtin_expect(lanes, 0) ? by_libm(x, lanes, p).cosine : p.cosine;
}

const zw_lane_code zw_lane_trig_code[] = {(zw_lane_code)lane_sin, (zw_lane_code)lane_cos,
                                          (zw_lane_code)lane_sincos};
#else
const zw_lane_code zw_lane_trig_code[3] = {0};
#endif
