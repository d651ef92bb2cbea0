/* SPDX-License-Identifier: MIT */
/* Derivatives by complex steps, without a difference and without a rule of differentiation: for an
 * analytic f,
 *
 *     f(x + i s d) = f(x) + i s Df d + O(s^2),     Df d = Im f(x + i s d)/s,    s = 1e-30.
 *
 * The entries of the equations are evaluated in complex numbers by recursion, the linear system for
 * accelerations and multipliers is solved by elimination in complex numbers, the tangent space of
 * the constraints by elimination too. Nothing of the kernel, of the flow or of the linear algebra
 * of the library takes part. */
#ifndef ZW_TEST_COMPLEX_STEP_H
#define ZW_TEST_COMPLEX_STEP_H

#include <complex.h>
#include <stdlib.h>

#include "support/test.h"
#include "zwang/equations.h"
#include "zwang/steady.h"

typedef double complex number;
#define COMPLEX_STEP 1e-30
#define COMPLEX_RANK 1e-9 /* pivots that are none, of those before */

typedef struct complex_point {
    const zw_equations *eq;
    zw_context *ctx;
    uint32_t nnode;
    number *value; /* of every node, where done */
    bool *done;
} complex_point;

/* ---- values ---- */

static inline number complex_value(complex_point *c, zw_expr e);

static inline number complex_sum(complex_point *c, int n, const zw_expr *args) {
    number sum = complex_value(c, args[0]);
    for (int i = 1; i < n; i += 2)
        sum += complex_value(c, args[i]) * complex_value(c, args[i + 1]);
    return sum;
}

static inline number complex_power(number base, number exponent) {
    double e = creal(exponent), whole = nearbyint(e);
    number power = 1;
    if (cimag(exponent) != 0 || e != whole)
        return e == 0.5 && cimag(exponent) == 0 ? csqrt(base) : cexp(exponent * clog(base));
    for (int i = 0; i < (int)fabs(whole); i++)
        power *= base;
    return whole < 0 ? 1 / power : power;
}

static inline number complex_product(complex_point *c, int n, const zw_expr *args) {
    number product = 1;
    for (int i = 0; i < n; i += 2)
        product *= complex_power(complex_value(c, args[i]), complex_value(c, args[i + 1]));
    return product;
}

/* sin(a + i b) with b = 1e-30 is sin a + i b cos a; the library's csin and others lose nothing of
 * b */
static inline number complex_function(complex_point *c, zw_op op, const zw_expr *args) {
    number a = complex_value(c, args[0]);
    switch (op) {
    case ZW_OP_SIN:
        return csin(a);
    case ZW_OP_COS:
        return ccos(a);
    case ZW_OP_TAN:
        return ctan(a);
    case ZW_OP_EXP:
        return cexp(a);
    case ZW_OP_LOG:
        return clog(a);
    case ZW_OP_TANH:
        return ctanh(a);
    case ZW_OP_ATAN2: { /* of (y, x): the angle, with the derivative (x dy - y dx)/(x^2 + y^2) */
        number x = complex_value(c, args[1]);
        double angle = atan2(creal(a), creal(x)),
               square = creal(x) * creal(x) + creal(a) * creal(a);
        return angle + I * (creal(x) * cimag(a) - creal(a) * cimag(x)) / square;
    }
    default:
        fail_msg("no complex value of operator %d", (int)op);
        return 0;
    }
}

static inline number complex_value(complex_point *c, zw_expr e) {
    assert_true(e < c->nnode);
    if (c->done[e])
        return c->value[e];
    int n = 0;
    const zw_expr *args = zw_expr_args(c->ctx, e, &n);
    zw_op op = zw_expr_op(c->ctx, e);
    number value;
    if (zw_expr_is_number(c->ctx, e) || op == ZW_OP_PI)
        value = zw_expr_number(c->ctx, e);
    else if (op == ZW_OP_SUM)
        value = complex_sum(c, n, args);
    else if (op == ZW_OP_PRODUCT)
        value = complex_product(c, n, args);
    else if (op == ZW_OP_SYMBOL) {
        fail_msg("no value of %s", zw_expr_name(c->ctx, e));
        value = 0;
    } else
        value = complex_function(c, op, args);
    c->done[e] = true;
    return c->value[e] = value;
}

static inline void complex_set(complex_point *c, zw_expr symbol, number value) {
    c->value[symbol] = value;
    c->done[symbol] = true;
}

/* the state x + i s d of the equations at time t + i s dt; expressions of fields must exist
 * before */
static inline void complex_at(complex_point *c, const zw_equations *eq, const double *p, double t,
                              const double *x, const double *d, double dt) {
    c->eq = eq;
    c->ctx = eq->sys->ctx;
    c->nnode = zw_context_node_count(c->ctx);
    c->value = calloc(c->nnode, sizeof *c->value);
    c->done = calloc(c->nnode, sizeof *c->done);
    assert_non_null(c->value);
    assert_non_null(c->done);
    complex_set(c, eq->sys->t, t + I * COMPLEX_STEP * dt);
    for (int i = 0; i < eq->nq + eq->nv; i++)
        complex_set(c, i < eq->nq ? eq->q[i] : eq->v[i - eq->nq],
                    x[i] + (d ? I * COMPLEX_STEP * d[i] : 0));
    for (int i = 0; i < eq->sys->np; i++)
        complex_set(c, eq->sys->param[i].sym, p[i]);
}

static inline void complex_leave(complex_point *c) {
    free(c->value);
    free(c->done);
}

/* ---- algebra ---- */

/* A z = r (m rows, n unknowns) by elimination with full pivoting; unknowns that the rows leave open
 * are 0 */
static inline void complex_solve(int m, int n, number *A, number *r, number *z) {
    int *column = calloc((size_t)n, sizeof *column), rank = 0;
    double largest = 0;
    for (int j = 0; j < n; j++)
        column[j] = j;
    for (; rank < m && rank < n; rank++) {
        int row = rank, place = rank;
        for (int i = rank; i < m; i++)
            for (int j = rank; j < n; j++)
                if (cabs(A[i * n + column[j]]) > cabs(A[row * n + column[place]]))
                    row = i, place = j;
        double pivot = cabs(A[row * n + column[place]]);
        largest = fmax(largest, pivot);
        if (pivot <= COMPLEX_RANK * largest)
            break;
        int swap = column[rank];
        column[rank] = column[place];
        column[place] = swap;
        for (int j = 0; j < n; j++) {
            number a = A[row * n + j];
            A[row * n + j] = A[rank * n + j];
            A[rank * n + j] = a;
        }
        number b = r[row];
        r[row] = r[rank];
        r[rank] = b;
        for (int i = rank + 1; i < m; i++) {
            number f = A[i * n + column[rank]] / A[rank * n + column[rank]];
            for (int j = 0; j < n; j++)
                A[i * n + j] -= f * A[rank * n + j];
            r[i] -= f * r[rank];
        }
    }
    for (int j = 0; j < n; j++)
        z[j] = 0;
    for (int k = rank - 1; k >= 0; k--) {
        number sum = r[k];
        for (int j = k + 1; j < rank; j++)
            sum -= A[k * n + column[j]] * z[column[j]];
        z[column[k]] = sum / A[k * n + column[k]];
    }
    free(column);
}

/* det(s - A), n x n, as mantissa; divided by the product of |s| + scale so that it is of the size
 * 1 */
static inline number complex_determinant(int n, const double *A, number s, double scale) {
    number *M = calloc((size_t)(n * n + 1), sizeof *M), det = 1;
    for (int i = 0; i < n * n; i++)
        M[i] = (i % (n + 1) == 0 ? s : 0) - A[i];
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(M[i * n + k]) > cabs(M[best * n + k]))
                best = i;
        for (int j = 0; best != k && j < n; j++) {
            number a = M[k * n + j];
            M[k * n + j] = M[best * n + j];
            M[best * n + j] = a;
        }
        det *= (best != k ? -1 : 1) * M[k * n + k] / (cabs(s) + scale);
        for (int i = k + 1; i < n && M[k * n + k] != 0; i++) {
            number f = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++)
                M[i * n + j] -= f * M[k * n + j];
        }
    }
    free(M);
    return det;
}

/* ---- mechanics ---- */

/* x' of the equations at the point */
static inline void complex_rates(complex_point *c, number *rate) {
    const zw_equations *eq = c->eq;
    int nq = eq->nq, nv = eq->nv, nc = eq->nc, n = nv + nc;
    number *A = calloc((size_t)(n * n + 1), sizeof *A), *r = calloc((size_t)(n + 1), sizeof *r),
           *z = calloc((size_t)(n + 1), sizeof *z);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            A[i * n + j] = complex_value(c, eq->M[i * nv + j]);
        for (int j = 0; j < nc; j++)
            A[i * n + nv + j] = -complex_value(c, eq->C[i * nc + j]);
        r[i] = complex_value(c, eq->h[i]);
    }
    for (int i = 0; i < nc; i++) {
        for (int j = 0; j < nv; j++)
            A[(nv + i) * n + j] = complex_value(c, eq->W[i * nv + j]);
        r[nv + i] = complex_value(c, eq->b[i]);
    }
    complex_solve(n, n, A, r, z);
    for (int i = 0; i < nq; i++)
        rate[i] = complex_value(c, eq->qdot[i]);
    for (int i = 0; i < nv; i++)
        rate[nq + i] = z[i];
    free(A);
    free(r);
    free(z);
}

/* g of flow.h: constraints on positions, unit quaternions, constraints on velocities */
static inline void complex_constraints(complex_point *c, number *g) {
    const zw_equations *eq = c->eq;
    for (int i = 0; i < eq->npos; i++)
        g[i] = complex_value(c, eq->phi[i]);
    for (int i = 0; i < eq->nunit; i++) {
        g[eq->npos + i] = -0.5;
        for (int k = 0; k < 4; k++)
            g[eq->npos + i] += complex_power(complex_value(c, eq->q[eq->unit[i] + k]), 2) / 2;
    }
    for (int i = 0; i < eq->nvel; i++)
        g[eq->npos + eq->nunit + i] = complex_value(c, eq->psi[i]);
}

/* f - X_0 - sum c X at the point */
static inline void complex_seen(complex_point *c, const zw_displacement *field,
                                const zw_symmetries *s, const double *rates, number *out) {
    int nx = c->eq->nq + c->eq->nv;
    complex_rates(c, out);
    for (int j = 0; j < s->nfield; j++) {
        double part = s->driven[j];
        for (int i = 0; i < s->n; i++)
            part += rates[i] * s->combination[i * s->nfield + j];
        for (int l = 0; part != 0 && l < nx; l++)
            out[l] -= part * complex_value(c, field[j].x[l]);
    }
}

typedef struct complex_linear {
    int nx, d;        /* states, dimension of the tangent space */
    double *A;        /* d x d, of all of the tangent space, orbits too */
    double residual;  /* of what has to vanish at a steady motion, and on the constraints */
    double leak, all; /* what leaves the tangent space; size of J T */
} complex_linear;

/* ker G by elimination: free entries of the state, T in terms of them; returns their number */
static inline int complex_kernel(int ng, int nx, double *G, int *free_entry, double *T) {
    int *pivot = calloc((size_t)(ng + 1), sizeof *pivot), rank = 0, d = 0;
    bool *bound = calloc((size_t)nx, sizeof *bound);
    double largest = 0;
    for (; rank < ng; rank++) {
        int row = rank, column = 0;
        double best = 0;
        for (int i = rank; i < ng; i++)
            for (int j = 0; j < nx; j++)
                if (!bound[j] && fabs(G[i * nx + j]) > best)
                    best = fabs(G[i * nx + j]), row = i, column = j;
        largest = fmax(largest, best);
        if (best <= COMPLEX_RANK * largest || best == 0)
            break;
        bound[column] = true;
        pivot[rank] = column;
        for (int j = 0; j < nx; j++) {
            double a = G[row * nx + j];
            G[row * nx + j] = G[rank * nx + j];
            G[rank * nx + j] = a;
        }
        double p = G[rank * nx + column];
        for (int j = 0; j < nx; j++)
            G[rank * nx + j] /= p;
        for (int i = 0; i < ng; i++) {
            double f = i == rank ? 0 : G[i * nx + column];
            for (int j = 0; j < nx && f != 0; j++)
                G[i * nx + j] -= f * G[rank * nx + j];
        }
    }
    for (int j = 0; j < nx; j++)
        if (!bound[j])
            free_entry[d++] = j;
    for (int j = 0; j < d; j++) {
        T[free_entry[j] * d + j] = 1;
        for (int k = 0; k < rank; k++)
            T[pivot[k] * d + j] = -G[k * nx + free_entry[j]];
    }
    free(pivot);
    free(bound);
    return d;
}

/* All of it at a steady motion (x, rates of the symmetries); A is to be freed. */
static inline void complex_linearise(complex_linear *out, const zw_equations *eq, const double *p,
                                     const zw_symmetries *s, const zw_steady *at) {
    int nx = eq->nq + eq->nv, ng = eq->npos + eq->nunit + eq->nvel, nfield = 0;
    zw_displacement *field = NULL;
    zw_error err = {0};
    if (zw_equations_displacements(eq, &field, &nfield, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(nfield, s->nfield);
    double *J = calloc((size_t)(nx * nx), sizeof *J), *G = calloc((size_t)(ng * nx + 1), sizeof *G),
           *T = calloc((size_t)(nx * nx), sizeof *T), *d = calloc((size_t)nx, sizeof *d);
    number *f = calloc((size_t)nx, sizeof *f), *g = calloc((size_t)(ng + 1), sizeof *g);
    int *entry = calloc((size_t)nx, sizeof *entry);
    *out = (complex_linear){.nx = nx};
    for (int j = 0; j < nx; j++) {
        complex_point c;
        d[j] = 1;
        complex_at(&c, eq, p, at->t, at->x, d, 0);
        complex_seen(&c, field, s, at->c, f);
        complex_constraints(&c, g);
        for (int i = 0; i < nx; i++) {
            J[i * nx + j] = cimag(f[i]) / COMPLEX_STEP;
            out->residual = fmax(out->residual, fabs(creal(f[i])));
        }
        for (int i = 0; i < ng; i++) {
            G[i * nx + j] = cimag(g[i]) / COMPLEX_STEP;
            out->residual = fmax(out->residual, fabs(creal(g[i])));
        }
        complex_leave(&c);
        d[j] = 0;
    }
    int n = out->d = complex_kernel(ng, nx, G, entry, T);
    out->A = calloc((size_t)(n * n + 1), sizeof *out->A);
    double *JT = calloc((size_t)(nx * n + 1), sizeof *JT);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < nx; k++)
                JT[i * n + j] += J[i * nx + k] * T[k * n + j];
            out->all = fmax(out->all, fabs(JT[i * n + j]));
        }
    for (int i = 0; i < n; i++)
        memcpy(out->A + (size_t)(i * n), JT + (size_t)(entry[i] * n), sizeof(double) * (size_t)n);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < n; j++) {
            double rest = JT[i * n + j];
            for (int k = 0; k < n; k++)
                rest -= T[i * n + k] * out->A[k * n + j];
            out->leak = fmax(out->leak, fabs(rest));
        }
    free(J);
    free(G);
    free(T);
    free(d);
    free(f);
    free(g);
    free(entry);
    free(JT);
}

#endif
