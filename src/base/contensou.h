/* SPDX-License-Identifier: MIT */
/* The friction set of Coulomb and Contensou: see contensou.c. */
#ifndef ZW_BASE_CONTENSOU_H
#define ZW_BASE_CONTENSOU_H

/* The boundary point with normal (v, w), where v and w >= 0 are not both 0. */
typedef struct zw_contensou {
    double F, T;  /* force and torque, relative to mu N and mu N R */
    double chord; /* F/v, also for v = 0 */
    double twist; /* T/w, also for w = 0 */
    double bend;  /* F' made symmetric in v and w: Hess D = chord (I - dd') + bend a a', */
    double a[2];  /* a = (a0 d, a1 sgn w) */
} zw_contensou;

zw_contensou zw_contensou_at(double nu, double v, double w);
/* The largest torque, relative to mu N R. */
double zw_contensou_tip(double nu);

/* A point of the boundary and its normal (sine, cosine). */
typedef struct zw_contensou_point {
    zw_contensou c;
    double sine, cosine;
} zw_contensou_point;
/* The boundary point in the direction of (X, Y), where X and Y >= 0 are not both 0; the boundary
 * point nearest to (X, Y) outside, with squares of distances weighted by `across` (slip) and
 * `along` (spin). */
zw_contensou_point zw_contensou_parallel(double nu, double X, double Y);
zw_contensou_point zw_contensou_nearest(double nu, double X, double Y, double across, double along);

/* Functions of squares, for expressions (ZW_OP_PATCH). With a = v^2 and b = w^2: the forces per
 * velocity P = F/v and Q = T/w and their derivatives. With a = X^2 and b = Y^2: the square of the
 * gauge and its derivatives. */
typedef enum zw_patch_function {
    ZW_PATCH_P,
    ZW_PATCH_Q,
    ZW_PATCH_PA, /* dP/da */
    ZW_PATCH_PB, /* dP/db = dQ/da */
    ZW_PATCH_QB, /* dQ/db */
    ZW_PATCH_GAUGE,
    ZW_PATCH_GAUGE_A,
    ZW_PATCH_GAUGE_B,
    ZW_PATCH_COUNT
} zw_patch_function;
/* Function and exponent of the pressure as one number; -1 for an exponent that is not supported. */
int zw_patch_code(double nu, zw_patch_function f);
double zw_patch_nu(int code);
zw_patch_function zw_patch_which(int code);
double zw_patch_value(int code, double a, double b);

#endif
