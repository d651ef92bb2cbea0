/* SPDX-License-Identifier: MIT */
/* Series in two small variables t and s, cut off by their total degree:
 *
 *   u(t, s) = s^low ( c_00 + c_10 t + c_11 s + c_20 t^2 + c_21 t s + c_22 s^2 + ... ),
 *
 * with c_dj the coefficient of t^(d-j) s^j. low may be negative: 1/s has a series, 1/t has none.
 * Expressions are evaluated with them as with numbers, as with series in one variable (jet.h): with
 * time and a small parameter as variables, the coefficients are those of a motion expanded in both.
 * A shape with one variable has t only. Functions with a kink (abs, min, conditionals) are
 * evaluated on the side of the constant term, and rejected on the kink itself. */
#ifndef ZW_EXPR_SERIES_JET2_H
#define ZW_EXPR_SERIES_JET2_H

#include "zwang/expr.h"

enum { ZW_JET2_MAX = 66, ZW_JET2_DEGREE = 10, ZW_JET2_DEGREE_ONE = 40 };

/* The terms that are kept: those up to this degree (at most ZW_JET2_DEGREE, in one variable
 * ZW_JET2_DEGREE_ONE). */
typedef struct zw_jet2_shape {
    int degree;
    bool two;
} zw_jet2_shape;

typedef struct zw_jet2 {
    int low, degree; /* highest known degree of s^-low u */
    double c[ZW_JET2_MAX];
} zw_jet2;

typedef struct zw_jet2_fault {
    zw_expr node; /* the part of an expression that has no series; 0: none was found */
    const char *why;
} zw_jet2_fault;

/* The index of t^(d-j) s^j. */
static inline int zw_jet2_at(zw_jet2_shape shape, int d, int j) {
    return shape.two ? d * (d + 1) / 2 + j : d;
}

zw_jet2 zw_jet2_number(zw_jet2_shape shape, double value);
/* The variable s. */
zw_jet2 zw_jet2_small(zw_jet2_shape shape);
/* Coefficient of t^i s^j: 0 if there is no such term, NaN above the known degree. */
double zw_jet2_coefficient(zw_jet2_shape shape, const zw_jet2 *a, int i, int j);
/* a + factor b, a b; out may be one of the arguments. */
void zw_jet2_add(zw_jet2_shape shape, const zw_jet2 *a, double factor, const zw_jet2 *b,
                 zw_jet2 *out);
void zw_jet2_multiply(zw_jet2_shape shape, const zw_jet2 *a, const zw_jet2 *b, zw_jet2 *out);
/* For coefficients: part d of out += factor (part e of a) (part d - e of b). */
void zw_jet2_parts(zw_jet2_shape shape, const double *a, int e, const double *b, int d,
                   double factor, double *out);
/* Sets low = 0: coefficients of negative powers of s are dropped; the largest of them is put in
 * *left (may be NULL). */
void zw_jet2_regular(zw_jet2_shape shape, zw_jet2 *a, double *left);
/* The derivative with respect to t; first + the integral over t from 0, for a regular series. */
void zw_jet2_derive(zw_jet2_shape shape, const zw_jet2 *a, zw_jet2 *out);
void zw_jet2_integrate(zw_jet2_shape shape, const zw_jet2 *a, zw_jet2 *out);

/* The series of nroot expressions whose n symbols have these series. Fails for symbols that are not
 * given. False: there is no series (fault says where), or memory is short, which is sticky in the
 * context. */
bool zw_jet2_eval(const zw_context *ctx, zw_jet2_shape shape, int nroot, const zw_expr *roots,
                  int n, const zw_expr *symbols, const zw_jet2 *values, zw_jet2 *out,
                  zw_jet2_fault *fault);

#endif
