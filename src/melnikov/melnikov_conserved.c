/* SPDX-License-Identifier: MIT */
/* Conserved quantities of f0: C from the options, the energy, an observable, or, if the
 * integrals are recognised, the Hamiltonian of rates without divergence,
 *     f = (dH/dx_2, -dH/dx_1),
 * or the quantity of rates that separate, f = (a_1(x_1) b_1(x_2), a_2(x_1) b_2(x_2)),
 *     integral of a_2/a_1 dx_1 - integral of b_1/b_2 dx_2.
 * dC/dx . f0 = 0 is proved by bringing it to lowest terms; if that does not succeed, it must
 * vanish at many points. */
#include <math.h>

#include "base/random.h"
#include "base/tolerance.h"
#include "expr/calculus/ratio.h"
#include "mech/equations/variants.h"
#include "melnikov.h"

enum { TRIALS = 100 }; /* random points */

static zw_expr integral_of_function(zw_context *ctx, zw_expr e, zw_expr x) {
    int n;
    const zw_expr *a = zw_expr_args(ctx, e, &n);
    zw_op op = zw_expr_op(ctx, e);
    if (op != ZW_OP_SIN && op != ZW_OP_COS && op != ZW_OP_EXP)
        return ZW_NULL;
    zw_expr slope = zw_diff(ctx, a[0], x), argument = a[0];
    if (slope == ZW_ZERO || zw_depends(ctx, slope, x))
        return ZW_NULL;
    if (op == ZW_OP_SIN)
        return zw_neg(ctx, zw_div(ctx, zw_cos(ctx, argument), slope));
    return zw_div(ctx, op == ZW_OP_COS ? zw_sin(ctx, argument) : e, slope);
}

/* c u'/u is the derivative of c log u. */
static zw_expr integral_by_logarithm(zw_context *ctx, zw_expr e, zw_expr x) {
    int n;
    const zw_expr *a = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n && zw_expr_op(ctx, e) == ZW_OP_PRODUCT; i += 2) {
        zw_expr u = a[i];
        if (a[i + 1] != ZW_MINUS_ONE || !zw_depends(ctx, u, x))
            continue;
        zw_expr c = zw_ratio(ctx, zw_div(ctx, zw_mul(ctx, e, u), zw_diff(ctx, u, x)));
        if (c != ZW_NULL && !zw_depends(ctx, c, x))
            return zw_mul(ctx, c, zw_apply(ctx, ZW_OP_LOG, 1, &u));
    }
    return ZW_NULL;
}

static zw_expr integral_of_factor(zw_context *ctx, zw_expr e, zw_expr x) {
    int n;
    const zw_expr *a = zw_expr_args(ctx, e, &n);
    if (e == x)
        return zw_div(ctx, zw_mul(ctx, x, x), ZW_TWO);
    if (zw_expr_op(ctx, e) == ZW_OP_PRODUCT && n == 2 && a[0] == x &&
        zw_expr_is_number(ctx, a[1]) && a[1] != ZW_MINUS_ONE) {
        zw_expr more = zw_add(ctx, a[1], ZW_ONE);
        return zw_div(ctx, zw_pow(ctx, x, more), more);
    }
    zw_expr out = integral_of_function(ctx, e, x);
    return out != ZW_NULL ? out : integral_by_logarithm(ctx, e, x);
}

static zw_expr integral_of_term(zw_context *ctx, zw_expr e, zw_expr x) {
    if (!zw_depends(ctx, e, x))
        return zw_mul(ctx, e, x);
    if (zw_expr_op(ctx, e) != ZW_OP_PRODUCT)
        return integral_of_factor(ctx, e, x);
    int n;
    const zw_expr *a = zw_expr_args(ctx, e, &n);
    zw_expr free = ZW_ONE, rest = ZW_ONE;
    for (int i = 0; i < n; i += 2) {
        zw_expr factor = zw_pow(ctx, a[i], a[i + 1]);
        *(zw_depends(ctx, factor, x) ? &rest : &free) =
            zw_mul(ctx, zw_depends(ctx, factor, x) ? rest : free, factor);
    }
    zw_expr part = integral_of_factor(ctx, rest, x);
    return part == ZW_NULL ? ZW_NULL : zw_mul(ctx, free, part);
}

static zw_expr integral_of(zw_context *ctx, zw_expr e, zw_expr x) {
    e = zw_expand(ctx, e);
    if (zw_expr_op(ctx, e) != ZW_OP_SUM)
        return integral_of_term(ctx, e, x);
    int n;
    const zw_expr *a = zw_expr_args(ctx, e, &n);
    zw_expr sum = zw_mul(ctx, a[0], x);
    for (int i = 1; i < n; i += 2) {
        zw_expr part = integral_of_term(ctx, a[i], x);
        if (part == ZW_NULL)
            return ZW_NULL;
        sum = zw_add(ctx, sum, zw_mul(ctx, a[i + 1], part));
    }
    return sum;
}

/* Is C conserved by f0? residual: its rate; proved: as expressions, otherwise at points. */
static bool is_conserved(const zw_melnikov *s, zw_expr C, zw_expr *residual, bool *proved) {
    zw_context *ctx = s->ctx;
    zw_expr slope[2], symbol[64];
    double value[64];
    zw_random random = {16};
    const zw_system *y = s->sys;
    zw_gradient(ctx, C, 2, s->x, slope);
    *residual = zw_dot(ctx, 2, slope, s->f0);
    *proved = slope[0] != ZW_ZERO || slope[1] != ZW_ZERO;
    if (!*proved)
        return false; /* a constant */
    if (zw_ratio_is_zero(ctx, *residual))
        return true;
    *proved = false;
    if (y->np + 2 > 64)
        return false;
    symbol[0] = s->x[0];
    symbol[1] = s->x[1];
    for (int i = 0; i < y->np; i++) {
        symbol[i + 2] = y->param[i].sym;
        value[i + 2] = s->p[i];
    }
    int seen = 0;
    for (int k = 0; k < TRIALS; k++) {
        value[0] = zw_random_real(&random, -3, 3);
        value[1] = zw_random_real(&random, -3, 3);
        double f[4];
        const zw_expr all[4] = {slope[0], slope[1], s->f0[0], s->f0[1]};
        zw_eval_all(ctx, 4, all, y->np + 2, symbol, value, f);
        double size = fabs(f[0] * f[2]) + fabs(f[1] * f[3]);
        if (!isfinite(size))
            continue;
        seen++;
        if (fabs(f[0] * f[2] + f[1] * f[3]) > ZW_ROUNDOFF_SUM * size)
            return false;
    }
    return seen > TRIALS / 4;
}

static bool adopt_integral(zw_melnikov *s, zw_expr C, const char *text, const char *unit) {
    zw_expr residual;
    bool proved;
    C = zw_melnikov_without(s, zw_melnikov_unfold(s, C));
    if (zw_context_status(s->ctx, NULL) < 0) {
        if (zw_context_status(s->ctx, NULL) != ZW_E_MEMORY)
            zw_context_reset_status(s->ctx);
        return false;
    }
    if (zw_depends(s->ctx, C, s->sys->t) || !is_conserved(s, C, &residual, &proved))
        return false;
    s->C = C;
    s->proved = proved;
    s->conserved = text;
    s->conserved_unit = unit;
    return true;
}

static zw_status not_conserved(zw_melnikov *s, zw_expr C, zw_error *err) {
    zw_expr residual;
    bool proved;
    is_conserved(s, zw_melnikov_without(s, zw_melnikov_unfold(s, C)), &residual, &proved);
    if (residual == ZW_ZERO) {
        zw_fail(err, ZW_E_DOMAIN, "--conserved %.100s: it does not depend on the state",
                s->options.conserved);
        return ZW_E_DOMAIN;
    }
    residual = zw_factored(s->ctx, residual);
    char *text = zw_print_within(s->ctx, residual, ZW_TEXT, 250);
    zw_fail(err, ZW_E_DOMAIN, "--conserved %.100s: without %s its rate is %.250s, not 0",
            s->options.conserved, s->options.small,
            text ? text : "an expression that is too long to print");
    zw_string_free(s->ctx, text);
    zw_error_hint(err, "is %s all that is small? --eps \"a, b\" takes several", s->options.small);
    return ZW_E_DOMAIN;
}

/* H with f = (dH/dx_2, -dH/dx_1), if div f = 0 and the integrals are recognised; otherwise 0. */
static zw_expr find_hamiltonian(const zw_melnikov *s) {
    zw_context *ctx = s->ctx;
    zw_expr along = integral_of(ctx, s->f0[0], s->x[1]);
    if (along == ZW_NULL)
        return ZW_NULL;
    zw_expr rest = zw_neg(ctx, zw_add(ctx, s->f0[1], zw_diff(ctx, along, s->x[0])));
    if (zw_depends(ctx, rest, s->x[1]))
        rest = zw_ratio(ctx, rest);
    if (rest == ZW_NULL || zw_depends(ctx, rest, s->x[1]))
        return ZW_NULL;
    zw_expr across = integral_of(ctx, rest, s->x[0]);
    return across == ZW_NULL ? ZW_NULL : zw_add(ctx, along, across);
}

/* e = product of a function of x_1 and of one of x_2. */
static bool split_product(const zw_melnikov *s, zw_expr e, zw_expr out[2]) {
    enum { FACTORS_MOST = 24 }; /* factors of a product */
    zw_factor factor[FACTORS_MOST];
    int n;
    out[1] = ZW_ONE;
    if (!zw_ratio_factors(s->ctx, e, &out[0], FACTORS_MOST, factor, &n))
        return false;
    for (int k = 0; k < n; k++) {
        bool first = zw_depends(s->ctx, factor[k].base, s->x[0]),
             second = zw_depends(s->ctx, factor[k].base, s->x[1]);
        if (first && second)
            return false;
        zw_expr *to = &out[second ? 1 : 0];
        *to = zw_mul(s->ctx, *to,
                     zw_pow(s->ctx, factor[k].base, zw_integer(s->ctx, factor[k].power)));
    }
    return true;
}

/* With f = (a_1 b_1, a_2 b_2), a of x_1 and b of x_2, the integral of a_2/a_1 dx_1 - b_1/b_2 dx_2
 * is conserved; 0 if it is not recognised. */
static zw_expr find_separated(const zw_melnikov *s) {
    zw_context *ctx = s->ctx;
    zw_expr first[2], second[2];
    if (s->f0[0] == ZW_ZERO || s->f0[1] == ZW_ZERO || !split_product(s, s->f0[0], first) ||
        !split_product(s, s->f0[1], second))
        return ZW_NULL;
    zw_expr a = integral_of(ctx, zw_div(ctx, second[0], first[0]), s->x[0]),
            b = integral_of(ctx, zw_div(ctx, first[1], second[1]), s->x[1]);
    return a == ZW_NULL || b == ZW_NULL ? ZW_NULL : zw_sub(ctx, a, b);
}

zw_status zw_melnikov_find_conserved(zw_melnikov *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    const zw_system *y = s->sys;
    if (s->options.conserved) {
        zw_expr C;
        const char *unit;
        ZW_TRY(zw_model_quantity(&C, &unit, y, "--conserved", s->options.conserved, err));
        ZW_TRY(zw_equations_translate(&s->eq, 1, &C, err));
        return adopt_integral(s, C, s->options.conserved, unit) ? ZW_OK : not_conserved(s, C, err);
    }
    if (s->eq.nv && adopt_integral(s, zw_add(ctx, s->eq.T, s->eq.V), "the energy", "J"))
        return zw_context_status(ctx, err);
    for (int i = 0; i < y->nobservable; i++) {
        zw_expr C = y->observable[i].value;
        if (zw_equations_translate(&s->eq, 1, &C, NULL) >= 0 &&
            zw_foreign_symbol(ctx, C, 0, NULL) != ZW_NULL &&
            adopt_integral(s, C, y->observable[i].name, y->observable[i].unit))
            return zw_context_status(ctx, err);
    }
    zw_expr H = find_hamiltonian(s);
    if (H == ZW_NULL || !adopt_integral(s, H, NULL, NULL))
        H = find_separated(s);
    if (s->C == ZW_NULL && H != ZW_NULL)
        adopt_integral(s, H, NULL, NULL);
    if (s->C != ZW_NULL)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_context_status(ctx, err));
    zw_fail(err, ZW_E_DOMAIN,
            "no conserved quantity of the unperturbed motion (%s = 0) was found: %sno observable "
            "is conserved, the rates have no simple Hamiltonian, and the equation is not separable",
            s->options.small, s->eq.nv ? "the energy is not conserved, " : "");
    zw_error_hint(err,
                  "give one with --conserved EXPR in %s, %s and parameters; check that %s names "
                  "all small parameters",
                  s->name[0], s->name[1], s->options.small);
    return ZW_E_DOMAIN;
}
