/* SPDX-License-Identifier: MIT */
/* Exact arithmetic of trigonometric polynomials, and their integrals.
 *
 * An element is a(S) + C b(S) with S = sin(phi), C = cos(phi), C^2 = 1 - S^2, and polynomials a, b
 * whose coefficients are x + y sqrt(root), x and y fractions. All elements of one ring share the
 * root, which is the first one that was needed (0: none yet).
 *
 * Series in a small variable d with such coefficients have n known terms, d^0 ... d^(n-1).
 *
 * An operation that is not exact marks the ring as `failed`: a fraction beyond 64 bits, a
 * quotient that is no polynomial, a second root, no memory. Check it once, at the end. */
#ifndef ZW_MELNIKOV_TRIG_RING_H
#define ZW_MELNIKOV_TRIG_RING_H

#include "base/arena.h"
#include "expr/core/number.h"

typedef struct zw_trig_ring {
    zw_arena *arena;
    int64_t root; /* square-free; 0 if there is none */
    bool failed;
} zw_trig_ring;

/* x + y sqrt(root). */
typedef struct zw_surd {
    zw_number x, y;
} zw_surd;

typedef struct zw_trig {
    int n[2]; /* coefficients of a and of b; the last one is not 0 */
    zw_surd *c[2];
} zw_trig;

zw_surd zw_surd_of(int64_t num, int64_t den);
zw_surd zw_surd_number(zw_trig_ring *r, zw_number x); /* fails if it is not exact */
zw_surd zw_surd_add(zw_trig_ring *r, zw_surd a, zw_surd b);
zw_surd zw_surd_mul(zw_trig_ring *r, zw_surd a, zw_surd b);
zw_surd zw_surd_div(zw_trig_ring *r, zw_surd a, zw_surd b);
zw_surd zw_surd_sqrt(zw_trig_ring *r, zw_number square); /* of a fraction >= 0 */
bool zw_surd_is_zero(zw_surd a);
double zw_surd_value(const zw_trig_ring *r, zw_surd a);

zw_trig zw_trig_constant(zw_trig_ring *r, zw_surd c);
zw_trig zw_trig_sine(zw_trig_ring *r);
zw_trig zw_trig_cosine(zw_trig_ring *r);
bool zw_trig_is_zero(const zw_trig *a);
/* Its value if it is constant; false if it is not. */
bool zw_trig_is_constant(const zw_trig *a, zw_surd *out);
zw_trig zw_trig_add(zw_trig_ring *r, zw_trig a, zw_surd factor, zw_trig b); /* a + factor b */
zw_trig zw_trig_mul(zw_trig_ring *r, zw_trig a, zw_trig b);
zw_trig zw_trig_div(zw_trig_ring *r, zw_trig a, zw_trig b);
/* q with q^2 = a; one of both. */
zw_trig zw_trig_sqrt(zw_trig_ring *r, zw_trig a);
double zw_trig_value(const zw_trig_ring *r, const zw_trig *a, double phi);
/* The integral over phi, as out[0] + pi out[1]. */
typedef enum zw_trig_range {
    ZW_TRIG_QUARTER, /* 0 to pi/2 */
    ZW_TRIG_UPPER,   /* 0 to pi */
    ZW_TRIG_RIGHT    /* -pi/2 to pi/2 */
} zw_trig_range;
void zw_trig_integral(zw_trig_ring *r, const zw_trig *a, zw_trig_range range, zw_surd out[2]);

typedef struct zw_trig_powers {
    int n;
    zw_trig *c;
} zw_trig_powers;

/* c d^k with n terms. */
zw_trig_powers zw_powers_term(zw_trig_ring *r, int n, zw_trig c, int k);
zw_trig_powers zw_powers_add(zw_trig_ring *r, zw_trig_powers a, zw_surd factor, zw_trig_powers b);
zw_trig_powers zw_powers_mul(zw_trig_ring *r, zw_trig_powers a, zw_trig_powers b);
zw_trig_powers zw_powers_div(zw_trig_ring *r, zw_trig_powers a, zw_trig_powers b);
zw_trig_powers zw_powers_integer(zw_trig_ring *r, zw_trig_powers a, int power);
/* cos and sin, or exp (in *cosine), of a series that begins with d^1. */
void zw_powers_turn(zw_trig_ring *r, zw_trig_powers a, zw_trig_powers *cosine,
                    zw_trig_powers *sine);
zw_trig_powers zw_powers_exp(zw_trig_ring *r, zw_trig_powers a);

#endif
