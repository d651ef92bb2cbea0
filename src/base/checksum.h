/* SPDX-License-Identifier: MIT */
/* FNV-1a of 64 bits: h <- (h xor byte) p for each byte, p odd. Each step is a bijection of h, so texts of one length that differ
 * in one byte never have the same sum; others do with the probability 2^-64. It notices accidents, not intent: who changes a file
 * on purpose can make a sum for it.
 *
 * G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake: The FNV non-cryptographic hash algorithm, RFC 9923. */
#ifndef ZW_BASE_CHECKSUM_H
#define ZW_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define ZW_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* The sum of what had the sum h, followed by n bytes. */
uint64_t zw_checksum(uint64_t h, const void *data, size_t n);

#endif
