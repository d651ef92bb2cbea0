/* SPDX-License-Identifier: MIT */
#include "locale_numbers.h"

#include <pthread.h>

#undef strtod
#undef snprintf
#undef vsnprintf
#undef sscanf

/* created once and kept; 0 if out of memory: the locale then stays as it is */
static locale_t plain;

static void make_plain(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t plain_locale(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return plain;
}

locale_t zw_plain_begin(void) {
    return plain_locale() ? uselocale(plain) : (locale_t)0;
}

void zw_plain_end(locale_t before) {
    if (before)
        uselocale(before);
}

double zw_strtod(const char *text, char **end) {
    return plain_locale() ? strtod_l(text, end, plain) : strtod(text, end);
}

int zw_vsnprintf(char *out, size_t size, const char *format, va_list args) {
    locale_t before = zw_plain_begin();
    int n = vsnprintf(out, size, format, args);
    zw_plain_end(before);
    return n;
}

int zw_snprintf(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = zw_vsnprintf(out, size, format, args);
    va_end(args);
    return n;
}

int zw_sscanf(const char *text, const char *format, ...) {
    va_list args;
    locale_t before = zw_plain_begin();
    va_start(args, format);
    int n = vsscanf(text, format, args);
    va_end(args);
    zw_plain_end(before);
    return n;
}
