/* SPDX-License-Identifier: MIT */
/* Canards of plane systems x' = f, eps y' = g: values of a parameter p at which a manifold passes
 * through a fold. It is written over the fast variable, y = y_c + s, x = X_0(s) + eps X_1(s) + ...,
 * p = p_0 + eps p_1 + ..., and invariance requires
 *
 *   X'(s) g(X, y_c + s, eps, p) = eps f(X, y_c + s, eps, p),
 *   order 0:  g(X_0(s), y_c + s, 0, p_0) = 0,    X_0'(0) = 0 at the fold,
 *   order k:  X_0' g_k = f_(k-1) - sum_{i=1}^{k-1} X_(k-i)' g_i =: N(s),
 *             g_k = g_x X_k + g_p p_k + ...
 *
 * X_0' vanishes at s = 0, so N(0) must vanish: for k = 1 this is f = 0 at the fold, which
 * determines p_0, and for k > 1 it determines p_(k-1), in which N is linear. (M. Krupa, P.
 * Szmolyan, SIAM J. Math. Anal. 33 (2001) 286-314; A. K. Zvonkin, M. A. Shubin, Russian Math.
 * Surveys 39 (1984) 69-131.) Functions of s are polynomials; two terms are lost at each order.
 * If the fold is at a point with small denominators all numbers are exact. */
#include <math.h>
#include <string.h>

#include "manifold.h"
#include "zwang/expr.h"

#define STEP_CONVERGED 1e-14 /* relative: the round-off of a point */
/* relative distance of a number from a fraction with a small denominator; the equations confirm it
 * exactly */
#define SAME_FRACTION 1e-10
#define LARGEST_FRACTION 1e6 /* larger numbers are within SAME_FRACTION of too many fractions */
#define SAME_FOLD 1e-7       /* in the units of the model: Newton's method ends far below it */

enum {
    TERMS = ZW_TAYLOR_MOST + 1,
    ORDER_MOST = (ZW_TAYLOR_MOST - 2) / 2,
    NEWTON_MOST = 60,       /* iterations: a limit: a convergent iteration needs far fewer */
    DENOMINATOR_MOST = 1000 /* of an exact number */
};

typedef struct canard {
    zw_manifold *m;
    zw_context *ctx;
    zw_expr x, y, eps, p, s, P; /* P: the p_k that is not known yet */
    zw_expr f, g;               /* with numbers for all other parameters */
    zw_expr x_c, y_c, p_c;
    zw_expr X[ORDER_MOST + 2][TERMS]; /* X_k by powers of s */
    zw_expr value[ORDER_MOST + 2];    /* p_k */
} canard;

/* ---------------------------------------------------------------------------- power series in s */

static zw_expr sum_polynomial(const canard *c, const zw_expr *a) {
    zw_expr sum = ZW_ZERO;
    for (int i = TERMS - 1; i >= 0; i--)
        sum = zw_add(c->ctx, a[i], zw_mul(c->ctx, c->s, sum));
    return sum;
}

static void differentiate_series(const canard *c, const zw_expr *a, zw_expr *out) {
    for (int i = 0; i + 1 < TERMS; i++)
        out[i] = zw_mul(c->ctx, zw_integer(c->ctx, i + 1), a[i + 1]);
    out[TERMS - 1] = ZW_ZERO;
}

static void multiply_series(const canard *c, const zw_expr *a, const zw_expr *b, zw_expr *out) {
    for (int n = 0; n < TERMS; n++) {
        zw_expr sum = ZW_ZERO;
        for (int i = 0; i <= n; i++)
            sum = zw_add(c->ctx, sum, zw_mul(c->ctx, a[i], b[n - i]));
        out[n] = zw_expand(c->ctx, sum);
    }
}

/* a/b, b[0] not 0. */
static void divide_series(const canard *c, const zw_expr *a, const zw_expr *b, zw_expr *out) {
    for (int n = 0; n < TERMS; n++) {
        zw_expr sum = a[n];
        for (int i = 1; i <= n; i++)
            sum = zw_sub(c->ctx, sum, zw_mul(c->ctx, b[i], out[n - i]));
        out[n] = zw_expand(c->ctx, zw_div(c->ctx, sum, b[0]));
    }
}

static zw_status in_s(const canard *c, zw_expr e, zw_expr *out, zw_error *err) {
    const zw_expr zero = ZW_ZERO, one = ZW_ONE;
    return zw_taylor(c->ctx, 1, &e, 1, &c->s, &zero, &one, TERMS - 1, out, err);
}

/* --------------------------------------------------------------------------------------- orders */

/* The coefficients of eps^i, i up to k, in f and g, as series in s, with X and p up to eps^k. */
static zw_status expand_series(const canard *c, int k, zw_expr (*f)[TERMS], zw_expr (*g)[TERMS],
                               zw_error *err) {
    zw_expr e[2] = {c->f, c->g}, symbol[4] = {c->x, c->y, c->eps, c->p}, part[4 * (ORDER_MOST + 2)],
            out[2 * (ORDER_MOST + 2)];
    for (int i = 0; i <= k; i++) {
        part[i] = sum_polynomial(c, c->X[i]);
        part[(k + 1) + i] = i == 0 ? zw_add(c->ctx, c->y_c, c->s) : ZW_ZERO;
        part[2 * (k + 1) + i] = i == 1 ? ZW_ONE : ZW_ZERO;
        part[3 * (k + 1) + i] = c->value[i];
    }
    ZW_TRY(zw_taylor_series(c->ctx, 2, e, 4, symbol, part, k, out, err));
    for (int i = 0; i <= k; i++) {
        ZW_TRY(in_s(c, out[i], f[i], err));
        ZW_TRY(in_s(c, out[(k + 1) + i], g[i], err));
    }
    return ZW_OK;
}

/* X_0(s) from g = 0, term by term. */
static zw_status critical_curve(canard *c, zw_error *err) {
    zw_expr from[4] = {c->x, c->y, c->eps, c->p}, to[4] = {c->x_c, c->y_c, ZW_ZERO, c->p_c}, g_x,
            part[TERMS];
    g_x = zw_subst(c->ctx, zw_diff(c->ctx, c->g, c->x), 4, from, to);
    for (int i = 0; i < TERMS; i++)
        c->X[0][i] = ZW_ZERO;
    c->X[0][0] = c->x_c;
    to[1] = zw_add(c->ctx, c->y_c, c->s);
    for (int n = 2; n < TERMS; n++) { /* the term of degree 1 vanishes: a fold */
        to[0] = sum_polynomial(c, c->X[0]);
        ZW_TRY(in_s(c, zw_subst(c->ctx, c->g, 4, from, to), part, err));
        c->X[0][n] = zw_neg(c->ctx, zw_div(c->ctx, part[n], g_x));
    }
    return zw_context_status(c->ctx, err);
}

/* dg/dx and dg/dp along the curve, in s. */
static zw_status find_slopes(const canard *c, zw_expr *g_x, zw_expr *g_p, zw_error *err) {
    zw_expr from[4] = {c->x, c->y, c->eps, c->p},
            to[4] = {sum_polynomial(c, c->X[0]), zw_add(c->ctx, c->y_c, c->s), ZW_ZERO, c->p_c};
    ZW_TRY(in_s(c, zw_subst(c->ctx, zw_diff(c->ctx, c->g, c->x), 4, from, to), g_x, err));
    return in_s(c, zw_subst(c->ctx, zw_diff(c->ctx, c->g, c->p), 4, from, to), g_p, err);
}

/* Solves N(0) = 0 for p_(k-1), and substitutes it. */
static zw_status solve_parameter(canard *c, int k, zw_expr *N, zw_error *err) {
    zw_expr coef, rest;
    if (k == 1) {
        N[0] = ZW_ZERO; /* by the choice of p_0 */
        return ZW_OK;
    }
    if (!zw_linear(c->ctx, N[0], 1, &c->P, &coef, &rest) || coef == ZW_ZERO)
        return zw_fail(err, ZW_E_MODEL, "%s does not move the slow flow through the fold",
                       zw_expr_name(c->ctx, c->p));
    zw_expr p = zw_neg(c->ctx, zw_div(c->ctx, rest, coef));
    c->value[k - 1] = p;
    for (int i = 0; i < TERMS; i++) {
        N[i] = i ? zw_expand(c->ctx, zw_subst(c->ctx, N[i], 1, &c->P, &p)) : ZW_ZERO;
        c->X[k - 1][i] = zw_expand(c->ctx, zw_subst(c->ctx, c->X[k - 1][i], 1, &c->P, &p));
    }
    return zw_context_status(c->ctx, err);
}

static zw_status next_order(canard *c, int k, zw_error *err) {
    zw_expr f[ORDER_MOST + 2][TERMS], g[ORDER_MOST + 2][TERMS], N[TERMS], D[TERMS], G[TERMS],
        g_x[TERMS], g_p[TERMS], product[TERMS];
    for (int i = 0; i < TERMS; i++)
        c->X[k][i] = ZW_ZERO;
    c->value[k] = ZW_ZERO;
    ZW_TRY(expand_series(c, k, f, g, err));
    for (int n = 0; n < TERMS; n++)
        N[n] = f[k - 1][n];
    for (int i = 1; i < k; i++) {
        differentiate_series(c, c->X[k - i], D);
        multiply_series(c, D, g[i], product);
        for (int n = 0; n < TERMS; n++)
            N[n] = zw_expand(c->ctx, zw_sub(c->ctx, N[n], product[n]));
    }
    ZW_TRY(solve_parameter(c, k, N, err));
    differentiate_series(c, c->X[0], D);
    for (int n = 0; n + 1 < TERMS; n++) { /* divides both by s */
        N[n] = N[n + 1];
        D[n] = D[n + 1];
    }
    N[TERMS - 1] = D[TERMS - 1] = ZW_ZERO;
    divide_series(c, N, D, G);
    ZW_TRY(expand_series(c, k, f, g, err)); /* with p_(k-1): g_k without X_k and p_k */
    ZW_TRY(find_slopes(c, g_x, g_p, err));
    for (int n = 0; n < TERMS; n++)
        G[n] = zw_sub(c->ctx, zw_sub(c->ctx, G[n], g[k][n]), zw_mul(c->ctx, g_p[n], c->P));
    divide_series(c, G, g_x, c->X[k]);
    c->value[k] = c->P;
    return zw_context_status(c->ctx, err);
}

/* ---- positions ---- */

/* Newton's method for (x, y, p): g = g_y = f = 0 at eps = 0. */
static bool solve_place(const canard *c, double *z) {
    zw_expr g_y = zw_diff(c->ctx, c->g, c->y), row[3] = {c->g, g_y, c->f},
            z_sym[4] = {c->x, c->y, c->p, c->eps}, e[12];
    double v[12], at[4] = {0};
    for (int i = 0; i < 3; i++) {
        e[i] = row[i];
        for (int k = 0; k < 3; k++)
            e[3 + i * 3 + k] = zw_diff(c->ctx, row[i], z_sym[k]);
    }
    for (int n = 0; n < NEWTON_MOST; n++) {
        memcpy(at, z, 3 * sizeof *at);
        zw_eval_all(c->ctx, 12, e, 4, z_sym, at, v);
        const double *J = v + 3;
        double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                     J[2] * (J[3] * J[7] - J[4] * J[6]),
               d[3], size = 0, step = 0;
        for (int k = 0; k < 3; k++) { /* Cramer's rule */
            double A[9];
            memcpy(A, J, sizeof A);
            for (int i = 0; i < 3; i++)
                A[i * 3 + k] = -v[i];
            d[k] = (A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                    A[2] * (A[3] * A[7] - A[4] * A[6])) /
                   det;
            if (!isfinite(d[k]))
                return false;
            step = fmax(step, fabs(d[k]));
            size = fmax(size, fabs(z[k]));
        }
        for (int k = 0; k < 3; k++)
            z[k] += d[k];
        if (step <= STEP_CONVERGED * (1 + size))
            return true;
    }
    return false;
}

static zw_expr rational_near(zw_context *ctx, double v) {
    for (int d = 1; d <= DENOMINATOR_MOST; d++)
        if (fabs(v * d - round(v * d)) < SAME_FRACTION * d * (1 + fabs(v)) &&
            fabs(v) < LARGEST_FRACTION)
            return zw_rational(ctx, llround(v * d), d);
    return zw_real(ctx, v);
}

/* Exact numbers if they satisfy all three equations exactly. */
static void set_place(canard *c, const double *z) {
    zw_expr g_y = zw_diff(c->ctx, c->g, c->y), row[3] = {c->g, g_y, c->f};
    c->x_c = rational_near(c->ctx, z[0]);
    c->y_c = rational_near(c->ctx, z[1]);
    c->p_c = rational_near(c->ctx, z[2]);
    zw_expr from[4] = {c->x, c->y, c->p, c->eps}, to[4] = {c->x_c, c->y_c, c->p_c, ZW_ZERO};
    bool exact = true;
    for (int i = 0; i < 3; i++)
        exact = exact && zw_subst(c->ctx, row[i], 4, from, to) == ZW_ZERO;
    if (exact)
        return;
    c->x_c = zw_real(c->ctx, z[0]);
    c->y_c = zw_real(c->ctx, z[1]);
    c->p_c = zw_real(c->ctx, z[2]);
}

static zw_status prepare_canard(canard *c, const char *parameter, zw_error *err) {
    zw_manifold *m = c->m;
    const zw_manifold_result *r = &m->result;
    if (r->nx != 1 || r->ny != 1) {
        zw_fail(err, ZW_E_MODEL,
                "canard values are computed for one slow and one fast variable, not %d and %d",
                r->nx, r->ny);
        return ZW_E_MODEL;
    }
    c->x = m->x[0].sym;
    c->y = m->y[0].sym;
    c->eps = r->small;
    c->f = m->f[0];
    c->g = r->g[0];
    for (int i = 0; i < m->sys->np; i++)
        if (strcmp(m->sys->param[i].name, parameter) == 0)
            c->p = m->sys->param[i].sym;
    if (!c->p || c->p == c->eps)
        return zw_fail(err, ZW_E_NAME, "--canard: there is no parameter '%s' besides the small one",
                       parameter);
    for (int i = m->sys->np - 1; i >= 0; i--) {
        zw_expr sym = m->sys->param[i].sym;
        if (sym == c->p || sym == c->eps)
            continue;
        c->f = zw_subst(c->ctx, c->f, 1, &sym, &m->sys->param[i].value);
        c->g = zw_subst(c->ctx, c->g, 1, &sym, &m->sys->param[i].value);
    }
    c->s = zw_symbol(c->ctx, "(s)");
    c->P = zw_symbol(c->ctx, "(p)");
    return zw_context_status(c->ctx, err);
}

static bool is_known(int n, const zw_manifold_canard *known, const double *z) {
    for (int i = 0; i < n; i++)
        if (fabs(known[i].x - z[0]) + fabs(known[i].y - z[1]) < SAME_FOLD)
            return true;
    return false;
}

zw_status zw_manifold_find_canard(zw_manifold *m, const char *parameter, int order,
                                  const zw_manifold_box *box, int most, zw_manifold_canard *out,
                                  int *n, zw_error *err) {
    canard *c = ZW_MANIFOLD_NEW(m, canard, 1);
    zw_manifold_nature nature;
    *n = 0;
    if (!c)
        return zw_manifold_memory(err);
    *c = (canard){.m = m, .ctx = m->ctx};
    if (order < 0 || order > ORDER_MOST)
        return zw_fail(err, ZW_E_OPTION, "canard values have orders up to %d", (int)ORDER_MOST);
    ZW_TRY(prepare_canard(c, parameter, err));
    ZW_TRY(zw_manifold_judge(m, box, &nature, err));
    double now = NAN;
    for (int i = 0; i < m->sys->np; i++)
        if (m->sys->param[i].sym == c->p)
            now = m->p[i];
    for (int i = 0; i < nature.nfold && *n < most; i++) {
        double z[3] = {nature.fold[i].x[0], nature.fold[i].y[0], now};
        if (!solve_place(c, z) || is_known(*n, out, z))
            continue;
        set_place(c, z);
        c->value[0] = c->p_c;
        ZW_TRY(critical_curve(c, err));
        for (int k = 1; k <= order + 1; k++)
            ZW_TRY(next_order(c, k, err));
        zw_manifold_canard *found = &out[(*n)++];
        *found = (zw_manifold_canard){
            .parameter = zw_expr_name(m->ctx, c->p), .x = z[0], .y = z[1], .order = order};
        for (int k = 0; k <= order; k++)
            found->value[k] = c->value[k];
    }
    if (*n == 0) {
        zw_fail(err, ZW_E_NUMERIC, "no fold of the box is a canard point for any value of %s",
                parameter);
        zw_error_hint(err, "use a --box that contains the folds, also in the fast variable, and a "
                           "parameter that moves the equilibrium along the manifold");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}
