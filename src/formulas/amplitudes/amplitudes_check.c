/* SPDX-License-Identifier: MIT */
/* Checks the formulas against independent numbers: the kernel of the same equations at the points
 * of a period (zwang/harmonic.h), at random amplitudes. Polynomials of degree d need more than d +
 * 1 points; there are 256. */
#include <math.h>

#include "amplitudes.h"
#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "zwang/harmonic.h"
#include "zwang/kernel.h"

enum {
    TEST_POINTS = 4, /* random amplitudes */
    POINTS = 256     /* of a period: exact for polynomials up to degree 254 */
};

typedef struct checker {
    zw_amplitudes *a;
    zw_kernel *kernel;
    zw_slow *slow;
    double *Z, *F, *M, *exact, *value;
    zw_expr *symbol;
} checker;

static zw_status prepare_check(checker *c, zw_error *err) {
    zw_amplitudes *a = c->a;
    int n = a->result.n, np = a->sys->np, first = a->result.means ? 0 : 1;
    const int harmonic[] = {0, 1};
    zw_kernel_options o = zw_kernel_options_default();
    zw_slow_options slow = zw_slow_options_default();
    o.jit = ZW_JIT_NEVER;
    o.functions = ZW_HARMONIC_FUNCTIONS;
    o.lanes = 8;
    slow.nharmonic = 2 - first;
    slow.harmonic = harmonic + first;
    slow.samples = POINTS;
    slow.van_der_pol = a->options.van_der_pol;
    c->Z = ZW_AMPLITUDES_NEW(a, double, n);
    c->F = ZW_AMPLITUDES_NEW(a, double, n);
    c->M = ZW_AMPLITUDES_NEW(a, double, n *n);
    c->exact = ZW_AMPLITUDES_NEW(a, double, n *n + n);
    c->value = ZW_AMPLITUDES_NEW(a, double, np + n);
    c->symbol = ZW_AMPLITUDES_NEW(a, zw_expr, np + n);
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < np; i++) {
        c->symbol[i] = a->sys->param[i].sym;
        c->value[i] = a->p[i];
    }
    for (int i = 0; i < n; i++)
        c->symbol[np + i] = a->Z[i];
    ZW_TRY(zw_kernel_create(&c->kernel, &a->eq, &o, err));
    ZW_TRY(zw_slow_create(&c->slow, c->kernel, &slow, err));
    zw_slow_set(c->slow, a->p, a->w);
    return ZW_OK;
}

/* The largest difference, relative to the largest entry. */
static double relative_difference(int n, const double *a, const double *b) {
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return INFINITY;
    }
    return size > 0 ? most / size : most;
}

static zw_status compare_formulas(checker *c, zw_error *err) {
    zw_amplitudes *a = c->a;
    zw_amplitudes_result *r = &a->result;
    int n = r->n, np = a->sys->np;
    zw_random random = {.state = 1};
    for (int k = 0; k < TEST_POINTS; k++) {
        for (int i = 0; i < n; i++)
            c->value[np + i] = c->Z[i] = zw_random_real(&random, -1, 1);
        zw_slow_at(c->slow, c->Z, c->F, c->M, NULL);
        zw_eval_all(a->ctx, n, r->F, np + n, c->symbol, c->value, c->exact);
        r->error = fmax(r->error, relative_difference(n, c->exact, c->F));
        zw_eval_all(a->ctx, n * n, r->M, np + n, c->symbol, c->value, c->exact);
        r->error = fmax(r->error, relative_difference(n * n, c->exact, c->M));
    }
    return r->error <= ZW_ROUNDOFF_SOLVED
               ? ZW_OK
               : zw_fail(err, ZW_E_NUMERIC,
                         "the formulas of the amplitudes differ from numbers by %.1e", r->error);
}

zw_status zw_amplitudes_check(zw_amplitudes *a, zw_error *err) {
    checker c = {.a = a};
    zw_status status = prepare_check(&c, err);
    if (status >= 0)
        status = compare_formulas(&c, err);
    zw_slow_destroy(c.slow);
    zw_kernel_destroy(c.kernel);
    return status;
}
