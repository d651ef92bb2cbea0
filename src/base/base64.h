/* SPDX-License-Identifier: MIT */
/* Doubles as text that reads back as the same bits: their 8 bytes, the lowest first, in the
 * alphabet of base64 (RFC 4648, with padding). */
#ifndef ZW_BASE_BASE64_H
#define ZW_BASE_BASE64_H

#include "text.h"

/* How many characters n bytes take. */
size_t zw_base64_length(size_t bytes);
/* As many doubles as there are, appended; one call for one text. */
void zw_base64_put(zw_text *out, const double *v, size_t n);
/* n doubles from a text that has exactly these. False: it has something else. */
bool zw_base64_read(const char *text, size_t length, double *v, size_t n);

#endif
