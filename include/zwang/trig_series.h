/* SPDX-License-Identifier: MIT */
/* Implemented in src/expr/calculus. */
/* Trigonometric polynomials with expressions as coefficients: what becomes of polynomials of functions
 *
 *     u = c_0 + sum over k of c_k cos(k w t) + s_k sin(k w t),      k = 1 .. top,
 *
 * exactly, harmonic by harmonic. */
#ifndef ZWANG_TRIG_SERIES_H
#define ZWANG_TRIG_SERIES_H

#include "expr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZW_TRIG_MOST = 200 }; /* the highest harmonic on the way */

typedef struct zw_trig_series {
    int top;
    zw_expr *c, *s; /* top + 1 each; s[0] is not used */
} zw_trig_series;

/* Multiples of w that angular frequencies are: those that time is multiplied with in sines and cosines. */
typedef struct zw_trig_time {
    zw_expr t; /* its symbol; 0: there is none */
    int n;
    const zw_expr *frequency; /* n */
    const int *multiple;      /* n: frequency = multiple w, of either sign or 0 */
} zw_trig_time;

/* The harmonics 0 .. keep of m expressions in which the n symbols are the given series: polynomials of them, with sin and cos of
 * multiple w t + (what is free of t and of the symbols) in the coefficients. out: m series, whose arrays live in the context.
 * ZW_E_DOMAIN names what is no such polynomial. */
ZW_API zw_status zw_trig_expand(zw_context *ctx, int m, const zw_expr *e, int n,
                                const zw_expr *symbols, const zw_trig_series *series,
                                const zw_trig_time *time, int keep, zw_trig_series *out,
                                zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
