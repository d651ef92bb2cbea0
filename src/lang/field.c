/* SPDX-License-Identifier: MIT */
/* Fields over one coordinate of space: `space s [m]` declares a place s, which is neither a
 * parameter nor moves, and
 *
 *     integral(f, s, a, b)       the integral of f from s = a to b
 *     partial(f, s)              the derivative of f along s
 *     value(f, s, x)             f at s = x
 *
 * remove it from an expression. An expression that still contains a place is not an energy or a
 * force of a system, and is rejected there. A bar, a string or a beam is thus a sum of shapes with
 * amplitudes that are coordinates (Ritz, Galerkin), and its energies are integrals.
 *
 * The integral is a sum over Gauss-Legendre points, 20 unless a fifth argument gives their number:
 * exact for polynomials up to degree 39, and useless for waves shorter than four points. With P_n
 * by its recursion the points are its roots, by Newton's method from cos(pi (k + 3/4)/(n + 1/2)),
 * the weights 2/((1 - x^2) P_n'^2). */
#include <math.h>
#include <string.h>

#include "model.h"

enum { POINTS = 20, POINTS_MAX = 200, NEWTON_STEPS = 100 };
/* Last step to a point in (-1, 1): half an eps, so that the iteration ends when steps vanish or
 * repeat; NEWTON_STEPS is the limit for repetition. */
#define POINT_CONVERGED 1e-16

/* P_n and its derivative at x */
static double evaluate_legendre(int n, double x, double *slope) {
    double before = 1, now = x;
    for (int k = 2; k <= n; k++) {
        double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
    }
    if (n == 0)
        now = 1;
    *slope = n * (x * now - before) / (x * x - 1);
    return now;
}

static void gauss_point(int n, int k, double *x, double *weight) {
    double slope;
    *x = cos(acos(-1) * (k + 0.75) / (n + 0.5));
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double step = evaluate_legendre(n, *x, &slope);
        step /= slope;
        *x -= step;
        if (fabs(step) < POINT_CONVERGED)
            break;
    }
    evaluate_legendre(n, *x, &slope);
    if (2 * k + 1 == n)
        *x = 0;
    *weight = 2 / ((1 - *x * *x) * slope * slope);
}

/* ------------------------------------------------------------------------------------ arguments */

bool zw_is_field_function(const char *name) {
    return strcmp(name, "integral") == 0 || strcmp(name, "partial") == 0 ||
           strcmp(name, "value") == 0;
}

static zw_status check_arguments(zw_model *m, const zw_syntax *node, int least, int most,
                                 const char *form) {
    if (node->n >= least && node->n <= most)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "%s takes %d arguments, not %d", node->name, least,
               node->n);
    zw_error_hint(m->err, "%s", form);
    return ZW_E_SYNTAX;
}

/* the second argument: the name of a place */
static zw_status find_place(zw_model *m, const zw_syntax *node, zw_expr *sym, zw_dim *dim) {
    zw_entry *e = node->kind == ZW_ND_NAME ? zw_model_find(m, node->name) : NULL;
    if (!e || e->kind != ZW_ST_SPACE) {
        zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "the name of a place is expected here");
        zw_error_hint(m->err, "space s [m] declares one");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_model_build_entry(m, e));
    e->used = true;
    *sym = e->value.e[0];
    *dim = e->value.d[0];
    return ZW_OK;
}

static zw_status find_points(zw_model *m, const zw_syntax *node, int *n) {
    zw_expr number;
    zw_dim none = zw_dim_none();
    *n = POINTS;
    if (node->n < 5)
        return ZW_OK;
    ZW_TRY(zw_model_scalar(m, node->arg[4], "the number of points", &none, &number));
    double points = zw_expr_is_number(m->ctx, number) ? zw_expr_number(m->ctx, number) : 0;
    if (!(points >= 1 && points <= POINTS_MAX && points == floor(points)))
        return zw_fail_at(m->err, ZW_E_SYNTAX, node->arg[4]->place,
                          "the points of an integral are a whole number from 1 to %d", POINTS_MAX);
    *n = (int)points;
    return ZW_OK;
}

static zw_status out_of_proportion(zw_model *m, zw_place place) {
    return zw_fail_at(m->err, ZW_E_UNIT, place, "the unit is out of all proportion");
}

/* ------------------------------------------------------------------------------------ functions */

static zw_expr sum_over(zw_model *m, zw_expr f, zw_expr s, zw_expr a, zw_expr b, int n) {
    zw_expr term[POINTS_MAX],
        half = zw_mul(m->ctx, zw_rational(m->ctx, 1, 2), zw_sub(m->ctx, b, a)),
        middle = zw_mul(m->ctx, zw_rational(m->ctx, 1, 2), zw_add(m->ctx, a, b));
    for (int k = 0; k < n; k++) {
        double x, weight;
        gauss_point(n, k, &x, &weight);
        zw_expr at = zw_add(m->ctx, middle, zw_mul(m->ctx, zw_real(m->ctx, x), half));
        term[k] = zw_mul(m->ctx, zw_real(m->ctx, weight), zw_subst(m->ctx, f, 1, &s, &at));
    }
    return zw_mul(m->ctx, half, zw_sum(m->ctx, n, term));
}

static zw_status eval_integral(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr s, a, b;
    zw_dim dim;
    int n;
    ZW_TRY(check_arguments(m, node, 4, 5, "integral(f, s, a, b) with a place s: space s [m]"));
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    ZW_TRY(find_place(m, node->arg[1], &s, &dim));
    ZW_TRY(zw_model_scalar(m, node->arg[2], "the lower end", &dim, &a));
    ZW_TRY(zw_model_scalar(m, node->arg[3], "the upper end", &dim, &b));
    ZW_TRY(find_points(m, node, &n));
    for (int k = 0; k < out->n; k++) {
        zw_dim d = out->d[k];
        if (!zw_dim_combine(&out->d[k], &d, &dim, 1))
            return out_of_proportion(m, node->place);
        out->e[k] = sum_over(m, out->e[k], s, a, b, n);
    }
    return zw_model_check_expressions(m, node->place);
}

static zw_status eval_partial(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr s;
    zw_dim dim;
    ZW_TRY(check_arguments(m, node, 2, 2, "partial(f, s) with a place s: space s [m]"));
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    ZW_TRY(find_place(m, node->arg[1], &s, &dim));
    for (int k = 0; k < out->n; k++) {
        zw_dim d = out->d[k];
        if (!zw_dim_combine(&out->d[k], &d, &dim, -1))
            return out_of_proportion(m, node->place);
        out->e[k] = zw_diff(m->ctx, out->e[k], s);
    }
    return zw_model_check_expressions(m, node->place);
}

static zw_status eval_value(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr s, x;
    zw_dim dim;
    ZW_TRY(check_arguments(m, node, 3, 3, "value(f, s, x) with a place s: space s [m]"));
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    ZW_TRY(find_place(m, node->arg[1], &s, &dim));
    ZW_TRY(zw_model_scalar(m, node->arg[2], "the place", &dim, &x));
    for (int k = 0; k < out->n; k++)
        out->e[k] = zw_subst(m->ctx, out->e[k], 1, &s, &x);
    return zw_model_check_expressions(m, node->place);
}

zw_status zw_eval_field(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    return node->name[0] == 'i'   ? eval_integral(m, node, out)
           : node->name[0] == 'p' ? eval_partial(m, node, out)
                                  : eval_value(m, node, out);
}

/* ------------------------------------------------------------------------------------ the place */

zw_status zw_reject_places(zw_model *m, int n, const zw_expr *e, const char *what, zw_place place) {
    for (int i = 0; i < m->nentry; i++)
        for (int k = 0;
             m->entry[i].kind == ZW_ST_SPACE && m->entry[i].progress == ZW_BUILT && k < n; k++)
            if (zw_depends(m->ctx, e[k], m->entry[i].value.e[0])) {
                zw_fail_at(m->err, ZW_E_MODEL, place, "%s depends on the place %s", what,
                           m->entry[i].name);
                zw_error_hint(m->err,
                              "integral(f, %s, a, b) and value(f, %s, x) take it out of an "
                              "expression",
                              m->entry[i].name, m->entry[i].name);
                return ZW_E_MODEL;
            }
    return ZW_OK;
}

zw_status zw_build_space(zw_model *m, zw_entry *e) {
    e->value = zw_quantity_scalar(zw_symbol(m->ctx, e->name),
                                  e->stmt->has_unit ? e->stmt->unit.dim : zw_dim_none());
    return zw_model_check_expressions(m, e->place);
}
