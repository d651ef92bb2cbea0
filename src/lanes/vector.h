/* SPDX-License-Identifier: MIT */
/* Vectors of four lanes: masks, choices, and powers for the control of steps.
 *
 * A mask has all bits of a lane set or none. The logarithm of x = 2^e (1 + f) is e + f + d with
 * d = 0.344 f (1 - f), to 0.01; 2^x is a Taylor polynomial for the part of x in [-1/2, 1/2]. Both
 * are more accurate than step control needs, and have the same bits everywhere, since libm is not
 * used. */
#ifndef ZW_LANES_VECTOR_H
#define ZW_LANES_VECTOR_H

#include "base/vector_targets.h"

typedef long long zw_mask __attribute__((vector_size(32), aligned(8), may_alias));

#define ZW_ALL(v) ((zw_four){(v), (v), (v), (v)})
#define ZW_ALL_BITS(v) ((zw_mask){(v), (v), (v), (v)})
/* masks are stored in arrays of doubles, by their bits */
#define ZW_LOAD_MASK(p) ((zw_mask)ZW_LOAD(p))
#define ZW_STORE_MASK(p, mask) ZW_STORE(p, (zw_four)(mask))
/* a where the mask is set, else b */
#define ZW_CHOOSE(mask, a, b) ((zw_four)(((mask) & (zw_mask)(a)) | (~(mask) & (zw_mask)(b))))
#define ZW_ABS(v) ((zw_four)((zw_mask)(v)&ZW_ALL_BITS(0x7fffffffffffffffLL)))
/* the second one if one is NaN */
#define ZW_LARGER(a, b) ZW_CHOOSE((a) > (b), a, b)
#define ZW_SMALLER(a, b) ZW_CHOOSE((a) < (b), a, b)

/* log2 x, 0 < x < infinity, not denormal */
#define ZW_LOG2(x, result)                                                                         \
    do {                                                                                           \
        zw_mask bits_ = (zw_mask)(x);                                                              \
        zw_four whole_ =                                                                           \
            (zw_four)((bits_ >> 52 & ZW_ALL_BITS(0x7ff)) | ZW_ALL_BITS(0x4330000000000000LL)) -    \
            ZW_ALL(4503599627370496.0 + 1023);                                                     \
        zw_four f_ = (zw_four)((bits_ & ZW_ALL_BITS(0x000fffffffffffffLL)) |                       \
                               ZW_ALL_BITS(0x3ff0000000000000LL)) -                                \
                     1.0;                                                                          \
        (result) = whole_ + f_ * (1.0 + (1.0 - f_) * 0.344);                                       \
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
