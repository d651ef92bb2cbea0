/* SPDX-License-Identifier: MIT */
#include "base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t zw_base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

static unsigned byte_of(const double *v, size_t i) {
    uint64_t bits;
    memcpy(&bits, &v[i / 8], sizeof bits);
    return (unsigned)(bits >> (8 * (i % 8))) & 0xff;
}

void zw_base64_put(zw_text *out, const double *v, size_t n) {
    enum { PIECE = 1024 };
    char piece[PIECE + 4];
    size_t bytes = 8 * n, length = 0;
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned group = byte_of(v, i) << 16;
        if (i + 1 < bytes)
            group |= byte_of(v, i + 1) << 8;
        if (i + 2 < bytes)
            group |= byte_of(v, i + 2);
        piece[length++] = letters[group >> 18];
        piece[length++] = letters[group >> 12 & 63];
        piece[length++] = i + 1 < bytes ? letters[group >> 6 & 63] : '=';
        piece[length++] = i + 2 < bytes ? letters[group & 63] : '=';
        if (length >= PIECE) {
            zw_text_put_n(out, piece, length);
            length = 0;
        }
    }
    zw_text_put_n(out, piece, length);
}

static int value_of(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

bool zw_base64_read(const char *text, size_t length, double *v, size_t n) {
    size_t bytes = 8 * n, at = 0;
    uint64_t bits = 0;
    if (length != zw_base64_length(bytes))
        return false;
    for (size_t i = 0; i < length; i += 4) {
        unsigned group = 0;
        for (size_t k = 0; k < 4; k++) {
            size_t begins = at + k - 1; /* the byte that this character completes, of k > 0 */
            bool padding = k > 1 && begins >= bytes;
            int value = padding ? (text[i + k] == '=' ? 0 : -1) : value_of(text[i + k]);
            if (value < 0)
                return false;
            group = group << 6 | (unsigned)value;
        }
        for (size_t k = 0; k < 3; k++) {
            unsigned byte = group >> (16 - 8 * k) & 0xff;
            if (at >= bytes) {
                if (byte)
                    return false;
                continue;
            }
            bits |= (uint64_t)byte << (8 * (at % 8));
            if (at++ % 8 == 7) {
                memcpy(&v[at / 8 - 1], &bits, sizeof bits);
                bits = 0;
            }
        }
    }
    return true;
}
