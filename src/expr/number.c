/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* p/q from wide integers: reduced, exact if it fits (INT64_MIN is kept out so that negation is safe) */
static zw_number reduce(wide p, wide q) {
    if (q < 0) {
        p = -p;
        q = -q;
    }
    wide a = p < 0 ? -p : p, b = q;
    while (b) {
        wide r = a % b;
        a = b;
        b = r;
    }
    if (a > 1) {
        p /= a;
        q /= a;
    }
    if (p > INT64_MAX || p < -INT64_MAX || q > INT64_MAX)
        return zw_number_real((double)((long double)p / (long double)q));
    return (zw_number){true, (int64_t)p, (int64_t)q, 0};
}

zw_number zw_number_rational(int64_t p, int64_t q) {
    return reduce(p, q);
}

zw_number zw_number_real(double r) {
    if (r == trunc(r) && fabs(r) < 0x1p53)
        return (zw_number){true, (int64_t)r, 1, 0};
    return (zw_number){false, 0, 1, r};
}

double zw_number_value(zw_number a) {
    return a.exact ? (double)a.p / (double)a.q : a.r;
}

bool zw_number_is_bad(zw_number a) {
    return !a.exact && !isfinite(a.r);
}

bool zw_number_is_zero(zw_number a) {
    return a.exact && a.p == 0;
}

bool zw_number_is_one(zw_number a) {
    return a.exact && a.p == 1 && a.q == 1;
}

bool zw_number_is_integer(zw_number a) {
    return a.exact && a.q == 1;
}

int zw_number_sign(zw_number a) {
    if (a.exact)
        return a.p > 0 ? 1 : a.p < 0 ? -1 : 0;
    return a.r > 0 ? 1 : a.r < 0 ? -1 : 0;
}

bool zw_number_equal(zw_number a, zw_number b) {
    if (a.exact != b.exact)
        return false;
    return a.exact ? a.p == b.p && a.q == b.q : a.r == b.r;
}

zw_number zw_number_add(zw_number a, zw_number b) {
    if (!a.exact || !b.exact)
        return zw_number_real(zw_number_value(a) + zw_number_value(b));
    if (a.q == 1 && b.q == 1) {
        int64_t sum;
        if (!__builtin_add_overflow(a.p, b.p, &sum) && sum != INT64_MIN)
            return (zw_number){true, sum, 1, 0};
    }
    return reduce((wide)a.p * b.q + (wide)b.p * a.q, (wide)a.q * b.q);
}

zw_number zw_number_mul(zw_number a, zw_number b) {
    if (!a.exact || !b.exact)
        return zw_number_real(zw_number_value(a) * zw_number_value(b));
    if (a.q == 1 && b.q == 1) {
        int64_t product;
        if (!__builtin_mul_overflow(a.p, b.p, &product) && product != INT64_MIN)
            return (zw_number){true, product, 1, 0};
    }
    return reduce((wide)a.p * b.p, (wide)a.q * b.q);
}

zw_number zw_number_neg(zw_number a) {
    a.p = -a.p;
    a.r = -a.r;
    return a;
}

zw_number zw_number_inverse(zw_number a) {
    if (!a.exact)
        return zw_number_real(1 / a.r);
    if (a.p == 0)
        return (zw_number){false, 0, 1, NAN};
    return a.p > 0 ? (zw_number){true, a.q, a.p, 0} : (zw_number){true, -a.q, -a.p, 0};
}

zw_number zw_number_power(zw_number a, int64_t n) {
    if (n < 0)
        return n == INT64_MIN ? zw_number_real(NAN) : zw_number_inverse(zw_number_power(a, -n));
    zw_number result = {true, 1, 1, 0};
    for (; n; n >>= 1) {
        if (n & 1)
            result = zw_number_mul(result, a);
        if (n > 1)
            a = zw_number_mul(a, a);
    }
    return result;
}

zw_number zw_number_content(zw_number a, zw_number b) {
    if (!a.exact || !b.exact)
        return (zw_number){true, 1, 1, 0};
    int64_t top = gcd(a.p, b.p), common = gcd(a.q, b.q), bottom;
    if (__builtin_mul_overflow(a.q / common, b.q, &bottom))
        return (zw_number){true, 1, 1, 0};
    return top == 0 ? (zw_number){true, 1, 1, 0} : zw_number_rational(top, bottom);
}

/* r with r^k = a, if there is one */
static bool integer_root(int64_t a, int64_t k, int64_t *out) {
    int64_t guess = (int64_t)llround(pow((double)a, 1.0 / (double)k));
    zw_number power = zw_number_power((zw_number){true, guess, 1, 0}, k);
    if (!power.exact || power.p != a || power.q != 1)
        return false;
    *out = guess;
    return true;
}

bool zw_number_exact_root(zw_number a, int64_t p, int64_t q, zw_number *out) {
    int64_t top, bottom;
    if (!a.exact || a.p < 0 || q < 1 || q > 62 || p > 62 || p < -62)
        return false;
    if (!integer_root(a.p, q, &top) || !integer_root(a.q, q, &bottom))
        return false;
    *out = zw_number_power(zw_number_rational(top, bottom), p);
    return out->exact;
}

bool zw_number_decimal(zw_number a, char *out) {
    enum { PLACES = 6, SMALL = 10 };
    int64_t p = a.p < 0 ? -a.p : a.p, scale = 1, scaled;
    int places = 0;
    if (!a.exact || a.q == 1 || (a.q < SMALL && p < SMALL))
        return false;
    while (places < PLACES && scale % a.q != 0) {
        scale *= 10;
        places++;
    }
    if (scale % a.q != 0 || __builtin_mul_overflow(p, scale / a.q, &scaled) ||
        scaled >= INT64_C(10000000000) || scaled < 0)
        return false;
    if (places < 0 || places > PLACES) /* never: compilers that do not see it warn of truncation */
        return false;
    snprintf(out, ZW_DECIMAL, "%lld.%0*lld", (long long)(scaled / scale), places,
             (long long)(scaled % scale));
    return true;
}
