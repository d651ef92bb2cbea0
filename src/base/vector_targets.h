/* SPDX-License-Identifier: MIT */
/* Vectors of four, and functions that are compiled for the vectors of two generations of
 * processors. The loader chooses one, which is too early for sanitizers. The order of the
 * operations and the bits are the same in both. */
#ifndef ZW_BASE_VECTOR_TARGETS_H
#define ZW_BASE_VECTOR_TARGETS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ZW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ZW_CLONES
#endif
#define ZW_KERNEL static inline __attribute__((always_inline, unused))

typedef double zw_four __attribute__((vector_size(32), aligned(8), may_alias));
enum { ZW_FOUR = 4 };

/* the smallest multiple of four that is not less than n */
static inline int zw_fours(int n) {
    return (n + ZW_FOUR - 1) & ~(ZW_FOUR - 1);
}

/* macros, since how functions pass vectors depends on the processor */
#define ZW_LOAD(p) (*(const zw_four *)(p))
#define ZW_STORE(p, v) (*(zw_four *)(p) = (v))

#endif
