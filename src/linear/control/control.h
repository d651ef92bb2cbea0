/* SPDX-License-Identifier: MIT */
/* Sampling and regulators of linear equations y' = A y + B u with n states and m inputs. Matrices
 * are row-major. */
#ifndef ZW_LINEAR_CONTROL_CONTROL_H
#define ZW_LINEAR_CONTROL_CONTROL_H

#include "base/arena.h"

/* y(t + step) = Ad y(t) + Bd u for an input that is constant over the step (zero-order hold).
 * ZW_E_NUMERIC: the step is too long, the result is not finite. */
zw_status zw_control_sample(zw_arena *work, int n, int m, const double *A, const double *B,
                            double step, double *Ad, double *Bd, zw_error *err);

/* What a regulator minimises: the integral of y' Q y + u' R u along y' = A y + B u, or with
 * `discrete` the sum over all samples along y(k+1) = A y(k) + B u(k). */
typedef struct zw_regulator_problem {
    int n, m;
    const double *A, *B; /* n x n, n x m */
    const double *Q, *R; /* n x n symmetric, semidefinite; m x m symmetric, definite */
    bool discrete;
} zw_regulator_problem;

typedef struct zw_regulator {
    double *K, *P;   /* m x n, u = -K y; n x n: the least cost from y is y' P y */
    double *re, *im; /* n: poles, eigenvalues of A - B K */
    double residual; /* of the Riccati equation, relative to the size of its terms */
} zw_regulator;

/* The regulator, in the memory of `out`. ZW_E_OPTION: Q or R is not (semi)definite; ZW_E_MODEL: a
 * mode that is not stable is reached by no input, or a mode on the border of stability has no weight;
 * the message has its eigenvalue. */
zw_status zw_regulator_find(zw_regulator *r, zw_arena *out, const zw_regulator_problem *p,
                            zw_error *err);

#endif
