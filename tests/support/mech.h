/* SPDX-License-Identifier: MIT */
/* Numbers out of equations for the tests: accelerations and multipliers at a point by plain
 * Gaussian elimination of [[M, -C], [W, 0]], independent of src/jit and src/num. */
#ifndef ZW_TEST_MECH_H
#define ZW_TEST_MECH_H

#include "support/test.h"
#include "zwang/equations.h"

enum { MECH_MAX = 64 };

typedef struct mech_point {
    int n;
    zw_expr sym[MECH_MAX];
    double value[MECH_MAX];
} mech_point;

static inline void mech_set(mech_point *p, zw_expr sym, double value) {
    for (int i = 0; i < p->n; i++)
        if (p->sym[i] == sym) {
            p->value[i] = value;
            return;
        }
    assert_true(p->n < MECH_MAX);
    p->sym[p->n] = sym;
    p->value[p->n++] = value;
}

/* parameters of the system at their values, everything else 0 */
static inline void mech_begin(mech_point *p, const zw_system *s) {
    double values[MECH_MAX];
    p->n = 0;
    assert_int_equal(zw_system_param_values(s, values, NULL), ZW_OK);
    for (int i = 0; i < s->np; i++)
        mech_set(p, s->param[i].sym, values[i]);
    for (int i = 0; i < s->nq; i++)
        mech_set(p, s->coord[i].sym, 0);
    for (int i = 0; i < s->nv; i++)
        mech_set(p, s->velocity[i].sym, 0);
    mech_set(p, s->t, 0);
}

static inline double mech_value(const zw_system *s, const mech_point *p, zw_expr e) {
    return zw_eval(s->ctx, e, p->n, p->sym, p->value);
}

/* z = (v', lambda) */
static inline void mech_solve(const zw_equations *eq, const mech_point *p, double *z) {
    int nv = eq->nv, nc = eq->nc, n = nv + nc;
    double A[32 * 33];
    assert_true(n <= 32);
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++) {
            zw_expr e = ZW_ZERO;
            double sign = 1;
            if (k == n)
                e = i < nv ? eq->h[i] : eq->b[i - nv];
            else if (i < nv && k < nv)
                e = eq->M[i * nv + k];
            else if (i < nv) {
                e = eq->C[i * nc + k - nv];
                sign = -1;
            } else if (k < nv)
                e = eq->W[(i - nv) * nv + k];
            A[i * (n + 1) + k] = sign * mech_value(eq->sys, p, e);
        }
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int r = i + 1; r < n; r++)
            if (fabs(A[r * (n + 1) + i]) > fabs(A[pivot * (n + 1) + i]))
                pivot = r;
        assert_true(fabs(A[pivot * (n + 1) + i]) > 1e-14);
        for (int k = 0; k <= n; k++) {
            double swap = A[i * (n + 1) + k];
            A[i * (n + 1) + k] = A[pivot * (n + 1) + k];
            A[pivot * (n + 1) + k] = swap;
        }
        for (int r = 0; r < n; r++) {
            double factor = A[r * (n + 1) + i] / A[i * (n + 1) + i];
            for (int k = i; r != i && k <= n; k++)
                A[r * (n + 1) + k] -= factor * A[i * (n + 1) + k];
        }
    }
    for (int i = 0; i < n; i++)
        z[i] = A[i * (n + 1) + n] / A[i * (n + 1) + i];
}

#endif
