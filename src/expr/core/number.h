/* SPDX-License-Identifier: MIT */
/* Numbers of the expression engine: a fraction of 64-bit integers in lowest terms while it fits,
 * the nearest double when it does not. A double from the input is exact as given. A double that
 * replaces a fraction that is too long, and everything computed from it, is not exact, even if it
 * is an integer, and a value of 0 is not known to be 0.
 *
 * Two such doubles that are equal need not represent the same number (p u and q v beyond 2^63 with
 * p u - q v = 1). Each therefore has a mark that says how it was computed, a hash of its operands:
 * two are equal if value and mark are equal, and only then is their difference exactly 0. A result
 * that is not finite is `bad`. */
#ifndef ZW_EXPR_CORE_NUMBER_H
#define ZW_EXPR_CORE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct zw_number {
    bool exact;
    /* exact: p/q, q > 0, gcd(p,q) = 1; not exact: p is the mark (that of -a is -p; 0: as given) */
    int64_t p, q;
    double r; /* not exact */
} zw_number;

zw_number zw_number_rational(int64_t p, int64_t q); /* q != 0 */
zw_number zw_number_real(double r); /* as given: exact if r is an integer below 2^53 */
zw_number zw_number_computed(double r, int how, zw_number a,
                             zw_number b); /* r = how(a, b), a function */
double zw_number_value(zw_number a);
bool zw_number_is_bad(zw_number a);
bool zw_number_is_zero(zw_number a);
bool zw_number_is_one(zw_number a);
bool zw_number_is_integer(zw_number a);
int zw_number_sign(zw_number a);
bool zw_number_equal(zw_number a, zw_number b);
zw_number zw_number_add(zw_number a, zw_number b);
zw_number zw_number_mul(zw_number a, zw_number b);
zw_number zw_number_neg(zw_number a);
zw_number zw_number_inverse(zw_number a); /* bad for zero */
zw_number zw_number_power(zw_number a, int64_t n);
/* The positive common content of two numbers: gcd of numerators over lcm of denominators; 1 for
 * doubles and on overflow. */
zw_number zw_number_content(zw_number a, zw_number b);
/* a^(p/q) if that is a fraction (a >= 0). */
bool zw_number_exact_root(zw_number a, int64_t p, int64_t q, zw_number *out);
/* |a| as people write it, if that is exact and short: 9.81 for 981/100, but 1/2, 2/3, 7/5 stay
 * fractions. False for infinite or long decimals and for fractions of small integers. */
enum { ZW_DECIMAL = 48 }; /* bytes for any two 64-bit numbers and the point */
bool zw_number_decimal(zw_number a, char *out /* ZW_DECIMAL */);

#endif
