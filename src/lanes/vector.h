/* SPDX-License-Identifier: MIT */
/* Vectors of four lanes: masks, choices, and powers for the control of steps.
 *
 * A mask has all bits of a lane set or none. The logarithm is that of the mantissa m in [1/sqrt 2, sqrt 2) by
 * log2 m = 2/ln 2 (s + s^3/3 + s^5/5), s = (m - 1)/(m + 1), and the exponent; 2^x that of a Taylor polynomial for the part of x
 * in [-1/2, 1/2]. Both are good to 1e-5, which is more than a step's length needs, and the same bits everywhere: libm is not asked. */
#ifndef ZW_LANES_VECTOR_H
#define ZW_LANES_VECTOR_H

#include "base/clones.h"

typedef long long zw_mask __attribute__((vector_size(32), aligned(8), may_alias));

#define ZW_ALL(v) ((zw_four){(v), (v), (v), (v)})
#define ZW_ALL_BITS(v) ((zw_mask){(v), (v), (v), (v)})
/* a where the mask is set, else b */
#define ZW_CHOOSE(mask, a, b) ((zw_four)(((mask) & (zw_mask)(a)) | (~(mask) & (zw_mask)(b))))
#define ZW_ABS(v) ((zw_four)((zw_mask)(v)&ZW_ALL_BITS(0x7fffffffffffffffLL)))
/* the second one where they cannot be compared */
#define ZW_LARGER(a, b) ZW_CHOOSE((a) > (b), a, b)
#define ZW_SMALLER(a, b) ZW_CHOOSE((a) < (b), a, b)

/* log2 x, 0 < x < infinity, not denormal */
#define ZW_LOG2(x, result)                                                                         \
    do {                                                                                           \
        zw_mask bits_ = (zw_mask)(x);                                                              \
        zw_mask e_ = (bits_ >> 52) & ZW_ALL_BITS(0x7ff);                                           \
        zw_four m_ = (zw_four)((bits_ & ZW_ALL_BITS(0x000fffffffffffffLL)) |                       \
                               ZW_ALL_BITS(0x3ff0000000000000LL));                                 \
        zw_mask high_ = m_ > ZW_ALL(1.4142135623730951);                                           \
        m_ = ZW_CHOOSE(high_, m_ * 0.5, m_);                                                       \
        e_ = e_ - high_; /* a mask is -1 */                                                        \
        zw_four whole_ =                                                                           \
            (zw_four)(e_ | ZW_ALL_BITS(0x4330000000000000LL)) - ZW_ALL(4503599627370496.0 + 1023); \
        zw_four s_ = (m_ - 1.0) / (m_ + 1.0), q_ = s_ * s_;                                        \
        (result) = whole_ + s_ * ((q_ * q_) * 0.57707801635558535 +                                \
                                  (q_ * 0.96179669392597555 + 2.8853900817779268));                \
    } while (0)

/* 2^x, |x| < 1000 */
#define ZW_EXP2(x, result)                                                                         \
    do {                                                                                           \
        zw_four shifted_ = (x) + ZW_ALL(6755399441055744.0); /* 1.5 * 2^52: rounds */              \
        zw_four f_ = ((x) - (shifted_ - ZW_ALL(6755399441055744.0))) * 0.69314718055994531;        \
        zw_four q_ = f_ * f_;                                                                      \
        zw_four p_ = (q_ * q_) * (f_ * (1.0 / 120) + 1.0 / 24) +                                   \
                     (q_ * (f_ * (1.0 / 6) + 0.5) + (f_ + 1.0));                                   \
        (result) = (zw_four)((zw_mask)p_ + ((zw_mask)shifted_ << 52));                             \
    } while (0)

#endif
