/* SPDX-License-Identifier: MIT */
/* Shortest decimals by the method of R. Giulietti, "The Schubfach way to render doubles" (2020).
 *
 * v = c 2^q with integers c, q. Every number between the midpoints to the neighbours of v,
 *
 *     (c - 1/2) 2^q  and  (c + 1/2) 2^q      (c - 1/4 below, if c is the least of its binade),
 *
 * reads back as v; the midpoints themselves do if c is even, for ties go to even. Let k be the
 * largest integer with 10^k <= length of this interval. Then of the multiples of 10^(k+1) at most
 * one, and of the multiples of 10^k at least one lies inside: the first, if there is one, has the
 * fewest digits; otherwise the multiple of 10^k nearest to v is taken. v and the two midpoints are
 * only compared with integers s, after division by 10^k. So they are needed only as
 *
 *     4 * x * 10^-k    rounded to odd: cut off, with the last bit set if anything was cut off,
 *
 * which 128 bits of 10^-k suffice to find. These powers of ten are computed with whole numbers when
 * the first decimal is written (30 us); a table in the source would be 617 lines that nobody
 * checks.
 *
 * Reading uses the same powers, after D. Lemire, "Number parsing at a gigabyte per second" (2021):
 * of w 10^q with w < 2^64 the product with 128 bits of 10^q gives the leading 128 bits, wrong by
 * less than 4 in the last. Usually that decides on which side of the midpoint between two doubles
 * the number lies, and so which double is nearest. Where it does not, and for subnormal and very
 * long numbers, strtod reads the text. */
#include "decimal.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* ---- powers of ten ---- */

enum { POWER_MIN = -292, POWER_MAX = 324, WORDS = 18 };

static u128 power[POWER_MAX - POWER_MIN + 1]; /* 10^e / 2^(floor(log2 10^e) - 127), rounded up */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The highest 128 bits of x, an integer of WORDS digits in base 2^64, lowest first. */
static u128 leading_bits(const uint64_t *x, bool *is_exact) {
    int top = WORDS - 1;
    while (x[top] == 0)
        top--;
    int shift = __builtin_clzll(x[top]);
    uint64_t w[3];
    for (int i = 0; i < 3; i++)
        w[i] = top >= i ? x[top - i] : 0;
    u128 bits = (u128)w[0] << 64 | w[1];
    uint64_t rest = w[2];
    if (shift) {
        bits = bits << shift | w[2] >> (64 - shift);
        rest = w[2] << shift;
    }
    for (int i = top - 3; i >= 0; i--)
        rest |= x[i];
    *is_exact = rest == 0;
    return bits;
}

static void compute_powers(void) {
    bool is_exact;
    uint64_t x[WORDS] = {1};
    for (int e = 0; e <= POWER_MAX; e++) {
        u128 bits = leading_bits(x, &is_exact), carry = 0;
        power[e - POWER_MIN] = bits + !is_exact;
        for (int i = 0; i < WORDS; i++) {
            carry += (u128)x[i] * 10;
            x[i] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    /* floor(floor(x/10)/10) = floor(x/100): repeated division loses nothing of the leading bits */
    memset(x, 0, sizeof x);
    x[WORDS - 1] = (uint64_t)1 << 63;
    for (int e = -1; e >= POWER_MIN; e--) {
        u128 rest = 0;
        for (int i = WORDS - 1; i >= 0; i--) {
            rest = rest << 64 | x[i];
            x[i] = (uint64_t)(rest / 10);
            rest %= 10;
        }
        power[e - POWER_MIN] = leading_bits(x, &is_exact) + 1; /* 10^e is never an integer here */
    }
}

/* ---- digits ---- */

/* floor(log10(2^q)), floor(log10(3/4 2^q)), floor(log2(10^e)): the logarithms as multiples of 2^-22
 * and 2^-19, exact over all exponents of doubles; >> rounds downwards */
static int log10_pow2(int q) {
    return (q * 1262611) >> 22;
}

static int log10_three_quarters_pow2(int q) {
    return (q * 1262611 - 524031) >> 22;
}

static int log2_pow10(int e) {
    return (e * 1741647) >> 19;
}

/* factor * g / 2^128 rounded to odd; g exceeds the true power by less than one */
static uint64_t round_to_odd(u128 g, uint64_t factor) {
    u128 low = (u128)(uint64_t)g * factor;
    u128 high = (u128)(uint64_t)(g >> 64) * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest d * 10^*k that reads back as c 2^q. */
static uint64_t find_shortest(uint64_t c, int q, bool is_least, int *k) {
    *k = is_least ? log10_three_quarters_pow2(q) : log10_pow2(q);
    u128 g = power[-*k - POWER_MIN];
    int h = q + log2_pow10(-*k) + 1;
    uint64_t open = c & 1; /* the midpoints belong to the interval if c is even */
    uint64_t value = round_to_odd(g, 4 * c << h);
    uint64_t low = round_to_odd(g, (4 * c - (is_least ? 1 : 2)) << h) + open;
    uint64_t high = round_to_odd(g, (4 * c + 2) << h) - open;
    uint64_t s = value / 4;
    uint64_t tens = s / 10 * 10;
    bool under = low <= 4 * tens, over = 4 * (tens + 10) <= high;
    if (s >= 10 && under != over)
        return under ? tens : tens + 10;
    under = low <= 4 * s;
    over = 4 * (s + 1) <= high;
    if (under != over)
        return under ? s : s + 1;
    /* both lie inside: take the nearer one, and of two equally near the even one */
    uint64_t middle = 4 * s + 2;
    return value < middle || (value == middle && s % 2 == 0) ? s : s + 1;
}

/* Writes the decimal digits of d without leading zeros and returns their number. Two at a time,
 * because each division waits for the one before it. */
static int put_integer(char *out, uint64_t d) {
    char digits[20], *s = digits + sizeof digits;
    while (d >= 100) {
        unsigned pair = (unsigned)(d % 100);
        d /= 100;
        s -= 2;
        s[0] = (char)('0' + pair / 10);
        s[1] = (char)('0' + pair % 10);
    }
    if (d >= 10) {
        *--s = (char)('0' + d % 10);
        d /= 10;
    }
    *--s = (char)('0' + d);
    int n = (int)(digits + sizeof digits - s);
    memcpy(out, s, (size_t)n);
    return n;
}

static int put_word(char *out, const char *word) {
    size_t n = strlen(word);
    memcpy(out, word, n + 1);
    return (int)n;
}

/* Writes n digits, with the point after the first one, times 10^e, in the layout of %g. */
static int lay_out(char *out, const char *digits, int n, int e) {
    char *s = out;
    if (e < -4 || e >= 17) {
        *s++ = digits[0];
        if (n > 1) {
            *s++ = '.';
            memcpy(s, digits + 1, (size_t)n - 1);
            s += n - 1;
        }
        *s++ = 'e';
        *s++ = e < 0 ? '-' : '+';
        if (e > -10 && e < 10)
            *s++ = '0';
        s += put_integer(s, (uint64_t)(e < 0 ? -e : e));
    } else if (e < 0) {
        memcpy(s, "0.0000", (size_t)(1 - e));
        s += 1 - e;
        memcpy(s, digits, (size_t)n);
        s += n;
    } else {
        int whole = n < e + 1 ? n : e + 1;
        memcpy(s, digits, (size_t)whole);
        s += whole;
        for (int i = whole; i < e + 1; i++)
            *s++ = '0';
        if (n > whole) {
            *s++ = '.';
            memcpy(s, digits + whole, (size_t)(n - whole));
            s += n - whole;
        }
    }
    *s = '\0';
    return (int)(s - out);
}

int zw_decimal(char out[ZW_DECIMAL_MAX], double v) {
    char *s = out;
    if (isnan(v))
        return put_word(out, "nan");
    if (signbit(v))
        *s++ = '-';
    if (isinf(v))
        return put_word(s, "inf") + (int)(s - out);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffffu;
    int exponent = (int)(bits >> 52 & 0x7ff), k;
    if (exponent == 0 && fraction == 0)
        return put_word(s, "0") + (int)(s - out);
    uint64_t c = exponent ? fraction | (uint64_t)1 << 52 : fraction;
    pthread_once(&once, compute_powers);
    uint64_t d =
        find_shortest(c, (exponent ? exponent : 1) - 1075, fraction == 0 && exponent > 1, &k);
    while (d % 10 == 0) {
        d /= 10;
        k++;
    }
    char digits[20];
    int n = put_integer(digits, d);
    return lay_out(s, digits, n, k + n - 1) + (int)(s - out);
}

/* ---- reading ---- */

/* w 10^q as a double; false if it is too near to a midpoint of two doubles or outside their normal
 * range */
static bool scale_decimal(uint64_t w, int q, double *out) {
    if (q < POWER_MIN || q > POWER_MAX)
        return false;
    int zeros = __builtin_clzll(w);
    u128 g = power[q - POWER_MIN], low = (u128)(uint64_t)g * (w << zeros);
    u128 top = (u128)(uint64_t)(g >> 64) * (w << zeros) + (uint64_t)(low >> 64);
    int shift = !(top >> 127);
    top <<= shift;
    /* 53 bits; the rest is compared with one half of the last bit */
    const u128 half = (u128)1 << 74;
    u128 rest = top & (2 * half - 1);
    if (rest > half - 4 && rest < half + 4)
        return false;
    uint64_t bits = (uint64_t)(top >> 75) + (rest > half);
    int exponent = 12 - shift + log2_pow10(q) - zeros + 1075;
    if (exponent < 1 || exponent > 2045)
        return false;
    /* the leading bit of the 53 adds one to the exponent, and so does a carry out of them */
    bits += (uint64_t)(exponent - 1) << 52;
    memcpy(out, &bits, sizeof bits);
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads digits at s into *w, which keeps the first 19 significant ones; returns the place after
 * them. */
static const char *read_digits(const char *s, const char *end, uint64_t *w, int *n) {
    for (; s < end && is_digit(*s); s++) {
        *n += *w != 0 || *s != '0';
        if (*n <= 19)
            *w = 10 * *w + (uint64_t)(*s - '0');
    }
    return s;
}

/* Reads the usual form, sign digits [. digits] [e sign digits], all of s to end; false for any
 * other. */
static bool read_plain(const char *s, const char *end, double *out) {
    uint64_t w = 0;
    int n = 0, q = 0;
    bool negative = s < end && *s == '-';
    s += negative;
    const char *start = s;
    s = read_digits(s, end, &w, &n);
    long count = s - start;
    if (s < end && *s == '.') {
        start = ++s;
        s = read_digits(s, end, &w, &n);
        count += s - start;
        if (s - start > 400)
            return false;
        q = -(int)(s - start);
    }
    if (count == 0 || n > 19)
        return false;
    if (s < end && (*s == 'e' || *s == 'E')) {
        s++;
        bool down = s < end && *s == '-';
        s += down || (s < end && *s == '+');
        int e = 0;
        if (end - s < 1 || end - s > 4)
            return false;
        for (; s < end && is_digit(*s); s++)
            e = 10 * e + (*s - '0');
        q += down ? -e : e;
    }
    if (s != end)
        return false;
    *out = 0;
    if (w != 0 && !scale_decimal(w, q, out))
        return false;
    *out = negative ? -*out : *out;
    return true;
}

bool zw_decimal_read(const char *s, size_t n, double *out) {
    if (n == 0 || *s == ' ' || (*s >= '\t' && *s <= '\r')) /* strtod would skip blanks */
        return false;
    pthread_once(&once, compute_powers);
    if (read_plain(s, s + n, out))
        return true;
    char *end;
    *out = strtod(s, &end);
    return end == s + n;
}
