/* SPDX-License-Identifier: MIT */
/* Sine and cosine of four lanes, for code that LLVM makes. The result of a lane depends on its
 * argument alone. */
#ifndef ZW_JIT_LANE_TRIG_H
#define ZW_JIT_LANE_TRIG_H

#include <stdint.h>

typedef enum zw_lane_function { ZW_LANE_SIN, ZW_LANE_COS, ZW_LANE_SINCOS } zw_lane_function;

/* The address of a function of a vector of four doubles: it returns a vector, or (sincos) two of
 * them in memory, whose address is passed first. 0 where there is none: it needs AVX2 and fused
 * multiply-add. */
uintptr_t zw_lane_trig(zw_lane_function which);

/* what zw_lane_trig chooses from, compiled for such a processor */
typedef void (*zw_lane_code)(void);
extern const zw_lane_code zw_lane_trig_code[];

/* The numbers of it, which code without calls (llvm_trig.c) shares: 2/pi, and what rounds to a
 * whole; pi/2 in three parts; the polynomials of sine and cosine; up to where. */
#define ZW_TRIG_NUMBERS(X)                                                                         \
    X(ROUND, 6755399441055744.0) /* 1.5 * 2^52 */                                                  \
    X(TURNS, 0x1.45f306dc9c883p-1)                                                                 \
    X(P1, 0x1.921fb54442d18p+0)                                                                    \
    X(P2, 0x1.1a62633145c07p-54)                                                                   \
    X(P3, -0x1.f1976b7ed8fbcp-110)                                                                 \
    X(S5, 0x1.5d8fbaa60df8fp-33)                                                                   \
    X(S4, -0x1.ae5e5a446f117p-26)                                                                  \
    X(S3, 0x1.71de356773f44p-19)                                                                   \
    X(S2, -0x1.a01a019bfd84cp-13)                                                                  \
    X(S1, 0x1.111111110f7cdp-7)                                                                    \
    X(S0, -0x1.5555555555548p-3)                                                                   \
    X(C5, -0x1.8fa48005b7ef0p-37)                                                                  \
    X(C4, 0x1.1ee9d783d2d46p-29)                                                                   \
    X(C3, -0x1.27e4f7ea7e54ep-22)                                                                  \
    X(C2, 0x1.a01a019c83f07p-16)                                                                   \
    X(C1, -0x1.6c16c16c14f8ep-10)                                                                  \
    X(C0, 0x1.555555555554bp-5)                                                                    \
    X(HALF, 0.5)                                                                                   \
    X(ONE, 1.0)                                                                                    \
    X(LARGEST, 1073741824.0)
typedef enum zw_trig_number {
#define ZW_TRIG_NAME(name, value) ZW_TRIG_##name,
    ZW_TRIG_NUMBERS(ZW_TRIG_NAME)
#undef ZW_TRIG_NAME
        ZW_TRIG_COUNT
} zw_trig_number;
/* Each of them in all lanes, one after the other. */
enum { ZW_TRIG_COPIES = 8 };
extern const double zw_trig_table[ZW_TRIG_COUNT][ZW_TRIG_COPIES];

/* both polynomials, of degree 5 in z with zz = z^2, in two halves, by the caller's N(name of a
 * number) and FMA */
#define ZW_TRIG_POLYNOMIAL(p)                                                                      \
    FMA(FMA(FMA(N(p##5), z, N(p##4)), zz, FMA(N(p##3), z, N(p##2))), zz, FMA(N(p##1), z, N(p##0)))

#endif
