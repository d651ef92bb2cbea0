/* SPDX-License-Identifier: MIT */
/* Doubles as text that reads back as the same bits: their 8 bytes, the lowest first, in the
 * alphabet of base64 (RFC 4648, with padding). */
#ifndef ZW_BASE_BASE64_H
#define ZW_BASE_BASE64_H

#include "text.h"

/* The number of characters for n bytes. */
size_t zw_base64_length(size_t bytes);
/* Appends n doubles; one call per text. */
void zw_base64_put(zw_text *out, const double *v, size_t n);
/* Reads n doubles from a text of exactly that length; false if it contains anything else. */
bool zw_base64_read(const char *text, size_t length, double *v, size_t n);

#endif
