/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* ------------------------------------------------------------------------------------
 * provenance */

/* S. Vigna's splitmix64; never 0, and the negative of a mark is another mark */
static int64_t mix_marks(uint64_t a, uint64_t b) {
    uint64_t x = (a + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9) ^ b;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((x ^ x >> 31) >> 1 | 1);
}

static zw_number marked_number(double r, int64_t mark) {
    return (zw_number){false, mark, 1, r == 0 ? 0 : r}; /* no -0 */
}

/* computed from a fraction that was too long */
static bool is_marked(zw_number a) {
    return !a.exact && a.p != 0;
}

static int64_t mark_of(zw_number a) {
    if (is_marked(a))
        return a.p;
    double size = fabs(a.r);
    uint64_t bits, p = (uint64_t)(a.p < 0 ? -a.p : a.p);
    memcpy(&bits, &size, sizeof bits);
    int64_t mark = a.exact ? mix_marks(p, (uint64_t)a.q) : mix_marks(bits, 1);
    return zw_number_sign(a) < 0 ? -mark : mark;
}

zw_number zw_number_computed(double r, int how, zw_number a, zw_number b) {
    if (!is_marked(a) && !is_marked(b))
        return zw_number_real(r);
    int64_t both = mix_marks((uint64_t)mark_of(a), (uint64_t)mark_of(b));
    return marked_number(r, mix_marks((uint64_t)both, (uint64_t)how + 16));
}

static uint64_t size_of(int64_t mark) {
    return (uint64_t)(mark < 0 ? -mark : mark);
}

/* For a product and for a sum: independent of the order of the operands; their signs only change
 * the sign of the mark. */
static int64_t mark_product(int64_t a, int64_t b) {
    uint64_t x = size_of(a), y = size_of(b);
    int64_t mark = x < y ? mix_marks(x, y ^ 2) : mix_marks(y, x ^ 2);
    return (a < 0) != (b < 0) ? -mark : mark;
}

static int64_t mark_sum(int64_t a, int64_t b) {
    if (size_of(a) > size_of(b)) {
        int64_t c = a;
        a = b;
        b = c;
    }
    int64_t mark = mix_marks(size_of(a), (a < 0) == (b < 0) ? size_of(b) : ~size_of(b));
    return a < 0 ? -mark : mark;
}

/* ----------------------------------------------------------------------------------- arithmetic */

/* p/q from wide integers: reduced, exact if it fits (INT64_MIN is excluded so that negation is
 * safe), else with this mark */
static zw_number reduce_fraction(wide p, wide q, int64_t mark) {
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
        return marked_number((double)((long double)p / (long double)q), mark);
    return (zw_number){true, (int64_t)p, (int64_t)q, 0};
}

zw_number zw_number_rational(int64_t p, int64_t q) {
    return reduce_fraction(p, q, mix_marks((uint64_t)p, (uint64_t)q));
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
    return a.p == b.p && (a.exact ? a.q == b.q : a.r == b.r);
}

zw_number zw_number_add(zw_number a, zw_number b) {
    if (!a.exact || !b.exact) {
        double sum = zw_number_value(a) + zw_number_value(b);
        if (!is_marked(a) && !is_marked(b))
            return zw_number_real(sum);
        if (zw_number_is_zero(a) || zw_number_is_zero(b))
            return zw_number_is_zero(a) ? b : a;
        return is_marked(a) && is_marked(b) && a.p == -b.p && a.r == -b.r
                   ? (zw_number){true, 0, 1, 0}
                   : marked_number(sum, mark_sum(mark_of(a), mark_of(b)));
    }
    if (a.q == 1 && b.q == 1) {
        int64_t sum;
        if (!__builtin_add_overflow(a.p, b.p, &sum) && sum != INT64_MIN)
            return (zw_number){true, sum, 1, 0};
    }
    return reduce_fraction((wide)a.p * b.q + (wide)b.p * a.q, (wide)a.q * b.q,
                           mark_sum(mark_of(a), mark_of(b)));
}

/* 1 for 1, -1 for -1, else 0 */
static int unit_of(zw_number a) {
    return a.exact && a.q == 1 && (a.p == 1 || a.p == -1) ? (int)a.p : 0;
}

zw_number zw_number_mul(zw_number a, zw_number b) {
    if (!a.exact || !b.exact) {
        double product = zw_number_value(a) * zw_number_value(b);
        if (!is_marked(a) && !is_marked(b))
            return zw_number_real(product);
        if (unit_of(a) || unit_of(b)) {
            zw_number other = unit_of(a) ? b : a;
            return unit_of(a) + unit_of(b) > 0 ? other : zw_number_neg(other);
        }
        if ((zw_number_is_zero(a) && isfinite(b.r)) || (zw_number_is_zero(b) && isfinite(a.r)))
            return (zw_number){true, 0, 1, 0};
        return marked_number(product, mark_product(mark_of(a), mark_of(b)));
    }
    if (a.q == 1 && b.q == 1) {
        int64_t product;
        if (!__builtin_mul_overflow(a.p, b.p, &product) && product != INT64_MIN)
            return (zw_number){true, product, 1, 0};
    }
    return reduce_fraction((wide)a.p * b.p, (wide)a.q * b.q, mark_product(mark_of(a), mark_of(b)));
}

zw_number zw_number_neg(zw_number a) {
    a.p = -a.p;
    a.r = is_marked(a) && a.r == 0 ? 0 : -a.r;
    return a;
}

zw_number zw_number_inverse(zw_number a) {
    if (is_marked(a))
        return marked_number(1 / a.r,
                             a.p < 0 ? -mix_marks(size_of(a.p), 3) : mix_marks(size_of(a.p), 3));
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

/* r with r^k = a, if it exists */
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
    /* never true: compilers that do not see it warn of truncation */
    if (places < 0 || places > PLACES)
        return false;
    snprintf(out, ZW_DECIMAL, "%lld.%0*lld", (long long)(scaled / scale), places,
             (long long)(scaled % scale));
    return true;
}
