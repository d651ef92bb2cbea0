/* SPDX-License-Identifier: MIT */
/* 64-bit FNV-1a: h <- (h xor byte) p for each byte, p odd. Each step is a bijection of h, so texts
 * of equal length that differ in one byte always have different sums; other texts have equal sums
 * with probability 2^-64. It detects accidental damage only: anyone who changes a file on purpose
 * can compute a new sum.
 *
 * G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake: The FNV non-cryptographic hash algorithm, RFC
 * 9923. */
#ifndef ZW_BASE_CHECKSUM_H
#define ZW_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define ZW_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* Continues the sum h with n bytes. */
uint64_t zw_checksum(uint64_t h, const void *data, size_t n);

#endif
