/* SPDX-License-Identifier: MIT */
/* Polynomials in several variables with rational coefficients, and their greatest common divisors:
 * see poly.c. They live in an arena. A ring has a budget of work; when that is spent, or when a
 * coefficient leaves 64 bits, it has failed, and its results must not be used. */
#ifndef ZW_EXPR_CALCULUS_POLY_H
#define ZW_EXPR_CALCULUS_POLY_H

#include "base/arena.h"
#include "expr/core/number.h"

enum { ZW_POLY_VARIABLES = 40 };

typedef struct zw_poly_term {
    unsigned char e[ZW_POLY_VARIABLES]; /* exponents */
    zw_number c;
} zw_poly_term;

typedef struct zw_poly {
    int n; /* 0: the polynomial 0 */
    zw_poly_term *t;
} zw_poly;

typedef struct zw_ring {
    zw_arena *arena, *temporary; /* of results; of intermediate values */
    int nvar;
    int most;  /* limit of the terms of a polynomial */
    long work; /* multiplications of terms that may still be done */
    bool failed;
    unsigned char order[ZW_POLY_VARIABLES]; /* x_i^order = rule: algebraic variables; 0: free */
    zw_poly rule[ZW_POLY_VARIABLES];
    zw_poly_term *remainder[2]; /* private, allocated for `room` terms */
    int room;
} zw_ring;

typedef struct zw_poly_factor {
    zw_poly base;
    int power;
} zw_poly_factor;

zw_poly zw_poly_number(zw_ring *r, zw_number c);
zw_poly zw_poly_variable(zw_ring *r, int i);
zw_poly zw_poly_add(zw_ring *r, zw_poly a, zw_poly b);
zw_poly zw_poly_sub(zw_ring *r, zw_poly a, zw_poly b);
zw_poly zw_poly_scale(zw_ring *r, zw_poly a, zw_number c);
zw_poly zw_poly_mul(zw_ring *r, zw_poly a, zw_poly b);
zw_poly zw_poly_power(zw_ring *r, zw_poly a, int p);
bool zw_poly_is_number(const zw_poly *a);
int zw_poly_degree(const zw_poly *a, int variable);
/* *out = a/b if that is a polynomial */
bool zw_poly_divide(zw_ring *r, zw_poly a, zw_poly b, zw_poly *out);
/* Greatest common divisor with coprime integers as coefficients, the first one positive; 1 if the
 * budget of the search is not sufficient to find it. */
zw_poly zw_poly_gcd(zw_ring *r, zw_poly a, zw_poly b);
/* a = number times the product of the factors: powers of single variables, repeated factors,
 * factors of quadratics. Returns their number; what cannot be factored stays together. */
int zw_poly_factors(zw_ring *r, zw_poly a, zw_number *number, int max, zw_poly_factor *out);

#endif
