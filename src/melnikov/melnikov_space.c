/* SPDX-License-Identifier: MIT */
/* More than two states: x' = f0(x) + eps f1(x) in n dimensions, and one or more conserved
 * quantities of f0. Rates come from the equations with accelerations in closed form; quantities
 * are those of the options, the energy, observables, and states that f0 does not change. That
 * each is conserved is proved in lowest terms.
 *
 * Equilibria of f0 form families along conserved quantities, so that Newton's method uses the
 * least change, by the singular values of the Jacobian matrix that are not round-off. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/calculus/ratio.h"
#include "mech/equations/variants.h"
#include "melnikov.h"
#include "num/linear/dense.h"

enum { NEWTON = 60 }; /* iterations: a limit: a convergent iteration needs far fewer */
/* of the largest singular value: the Jacobian matrix near an equilibrium is known to some digits
 * less than round-off */
#define SINGULAR_VALUE_ROUNDOFF 1e-9
#define DIVERGED 1e3         /* times the state: Newton's method diverges */
#define STEP_CONVERGED 4e-16 /* relative: twice the spacing of doubles */

/* ------------------------------------------------------------------------------------ the rates */

static zw_status check_supported(const zw_melnikov *s, zw_error *err) {
    const zw_melnikov_options *o = &s->options;
    int n = s->eq.nq + s->eq.nv;
    if (s->eq.nc > 0 || s->eq.npos > 0 || s->eq.nvel > 0 || s->eq.nunit > 0 ||
        n > ZW_MELNIKOV_STATES || n < 2 || s->eq.from_system) {
        zw_fail(err, ZW_E_DOMAIN,
                "%d coordinates and states, %d velocities, %d constraints: that is too much",
                s->eq.nq, s->eq.nv, s->eq.nc);
        zw_error_hint(err, "at most %d states, without constraints, by Lagrange's equations",
                      ZW_MELNIKOV_STATES);
        return ZW_E_DOMAIN;
    }
    if (o->over || o->marks || o->expand || o->cycles || o->master) {
        zw_fail(err, ZW_E_OPTION,
                "the motion is not planar, it has %d states: only M along separatrices is "
                "computed, without --over, --marks, --expand, --cycles and --master",
                n);
        zw_error_hint(err, "these options need a planar model: one coordinate and its velocity, or "
                           "two states of first order");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status solve_accelerations(zw_melnikov *s, zw_expr *out, zw_error *err) {
    zw_equations solved = {0};
    ZW_TRY(zw_equations_eliminate(&solved, &s->eq, err));
    const zw_elimination *o = solved.elimination;
    for (int k = 0; k < s->eq.nv; k++) {
        int j = 0;
        while (j < o->nunknown && o->unknown[j] != s->eq.a[k])
            j++;
        if (j == o->nunknown || o->reason[j] != ZW_EXPLICIT)
            return zw_fail(err, ZW_E_DOMAIN, "the accelerations have no short closed form");
        out[k] = zw_div(s->ctx, o->numerator[j], o->denominator[j]);
    }
    return zw_context_status(s->ctx, err);
}

static zw_expr in_numbers(const zw_melnikov *s, zw_expr e) {
    for (int i = 0; i < s->sys->np; i++)
        if (zw_depends(s->ctx, e, s->sys->param[i].sym)) {
            zw_expr value = zw_real(s->ctx, s->p[i]);
            e = zw_subst(s->ctx, e, 1, &s->sys->param[i].sym, &value);
        }
    return e;
}

static zw_status make_rates(zw_melnikov *s, zw_expr *f0, zw_error *err) {
    zw_melnikov_space *y = &s->space;
    zw_context *ctx = s->ctx;
    zw_expr f[ZW_MELNIKOV_STATES];
    bool any = false;
    y->n = s->eq.nq + s->eq.nv;
    for (int i = 0; i < y->n; i++) {
        bool coord = i < s->eq.nq;
        y->x[i] = coord ? s->eq.q[i] : s->eq.v[i - s->eq.nq];
        y->name[i] = zw_expr_name(ctx, y->x[i]);
        y->unit[i] = coord ? s->sys->coord[i].unit : s->sys->velocity[i - s->eq.nq].unit;
    }
    memcpy(f, s->eq.qdot, sizeof *f * (size_t)s->eq.nq);
    if (s->eq.nv)
        ZW_TRY(solve_accelerations(s, f + s->eq.nq, err));
    for (int i = 0; i < y->n; i++) {
        f[i] = zw_melnikov_unfold(s, f[i]);
        f0[i] = zw_melnikov_without(s, f[i]);
        y->f1[i] = ZW_ZERO;
        for (int k = 0; k < s->nsmall; k++) {
            zw_expr p = s->sys->param[s->small[k]].sym,
                    slope = zw_melnikov_without(s, zw_diff(ctx, f[i], p));
            y->f1[i] = zw_add(ctx, y->f1[i], s->nsmall > 1 ? zw_mul(ctx, p, slope) : slope);
        }
        any |= y->f1[i] != ZW_ZERO;
        if (zw_depends(ctx, f[i], s->sys->t)) {
            zw_fail(err, ZW_E_DOMAIN, "the rate of %s depends on time", y->name[i]);
            zw_error_hint(err, "with more than two states the model must not be driven");
            return ZW_E_DOMAIN;
        }
    }
    ZW_TRY(zw_context_status(ctx, err));
    if (!any)
        return zw_fail(err, ZW_E_OPTION, "--eps %s: the rates do not depend on it to first order",
                       s->options.small);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- what is conserved */

/* False if it is not conserved, or a constant; *rate: its rate. */
static bool add_quantity(zw_melnikov *s, const zw_expr *f0, zw_expr C, const char *text,
                         const char *unit, zw_expr *rate) {
    zw_melnikov_space *y = &s->space;
    zw_expr slope[ZW_MELNIKOV_STATES];
    bool moves = false;
    C = zw_melnikov_without(s, zw_melnikov_unfold(s, C));
    zw_gradient(s->ctx, C, y->n, y->x, slope);
    for (int i = 0; i < y->n; i++)
        moves |= slope[i] != ZW_ZERO;
    *rate = zw_dot(s->ctx, y->n, slope, f0);
    if (C == ZW_NULL || zw_depends(s->ctx, C, s->sys->t) || !moves ||
        !zw_ratio_is_zero(s->ctx, *rate) || y->nquantity == ZW_MELNIKOV_QUANTITIES)
        return false;
    y->C[y->nquantity] = in_numbers(s, C);
    y->g[y->nquantity] = in_numbers(s, zw_dot(s->ctx, y->n, slope, y->f1));
    y->text_unit[y->nquantity] = unit;
    y->text[y->nquantity++] = zw_context_intern(s->ctx, text);
    return true;
}

/* "A; B". */
static zw_status read_quantities(zw_melnikov *s, const zw_expr *f0, zw_error *err) {
    const char *at = s->options.conserved;
    while (*at) {
        char word[400];
        size_t n = strcspn(at, ";"), skip = strspn(at, " ");
        if (n >= sizeof word)
            return zw_fail(err, ZW_E_OPTION, "--conserved %.60s...: too long", at);
        memcpy(word, at + (skip < n ? skip : 0), n - (skip < n ? skip : 0));
        word[n - (skip < n ? skip : 0)] = 0;
        at += n + (at[n] == ';');
        zw_expr C, rate;
        const char *unit;
        ZW_TRY(zw_model_quantity(&C, &unit, s->sys, "--conserved", word, err));
        ZW_TRY(zw_equations_translate(&s->eq, 1, &C, err));
        if (s->space.nquantity == ZW_MELNIKOV_QUANTITIES)
            return zw_fail(err, ZW_E_OPTION, "--conserved: at most %d quantities",
                           ZW_MELNIKOV_QUANTITIES);
        if (add_quantity(s, f0, C, word, unit, &rate))
            continue;
        ZW_TRY(zw_context_status(s->ctx, err));
        char *text = zw_print_within(s->ctx, zw_factored(s->ctx, rate), ZW_TEXT, 250);
        zw_fail(err, ZW_E_DOMAIN, "--conserved %.100s: without %s its rate is %.250s%s", word,
                s->options.small, text ? text : "an expression that is too long to print",
                rate == ZW_ZERO ? ", but it does not depend on the state" : ", not 0");
        zw_string_free(s->ctx, text);
        zw_error_hint(err, "is %s all that is small? --eps \"a, b\" takes several",
                      s->options.small);
        return ZW_E_DOMAIN;
    }
    return ZW_OK;
}

static zw_status find_quantities(zw_melnikov *s, const zw_expr *f0, zw_error *err) {
    const zw_system *y = s->sys;
    zw_expr rate;
    if (s->options.conserved)
        return read_quantities(s, f0, err);
    if (s->eq.nv)
        add_quantity(s, f0, zw_add(s->ctx, s->eq.T, s->eq.V), "the energy", "J", &rate);
    for (int i = 0; i < y->nobservable; i++) {
        zw_expr C = y->observable[i].value;
        if (zw_equations_translate(&s->eq, 1, &C, NULL) >= 0)
            add_quantity(s, f0, C, y->observable[i].name, y->observable[i].unit, &rate);
    }
    for (int i = 0; i < s->space.n; i++)
        if (f0[i] == ZW_ZERO)
            add_quantity(s, f0, s->space.x[i], s->space.name[i], s->space.unit[i], &rate);
    ZW_TRY(zw_context_status(s->ctx, err));
    if (s->space.nquantity > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_DOMAIN, "no conserved quantity of the unperturbed motion (%s = 0) was found",
            s->options.small);
    zw_error_hint(err,
                  "give one with --conserved EXPR, or several: \"A; B\"; check that %s names all "
                  "small parameters",
                  s->options.small);
    return ZW_E_DOMAIN;
}

zw_status zw_melnikov_make_space(zw_melnikov *s, zw_error *err) {
    zw_melnikov_space *y = &s->space;
    zw_expr f0[ZW_MELNIKOV_STATES];
    ZW_TRY(check_supported(s, err));
    ZW_TRY(make_rates(s, f0, err));
    ZW_TRY(find_quantities(s, f0, err));
    for (int i = 0; i < y->n; i++) {
        y->f[i] = in_numbers(s, f0[i]);
        y->f1[i] = in_numbers(s, y->f1[i]);
    }
    zw_jacobian(s->ctx, y->n, y->f, y->n, y->x, y->J);
    s->proved = true;
    s->eps = s->nsmall == 1 ? s->p[s->small[0]] : 1;
    return zw_context_status(s->ctx, err);
}

/* ----------------------------------------------------------------------------------- equilibria */

bool zw_space_newton(zw_melnikov *s, double *x) {
    const zw_melnikov_space *y = &s->space;
    int n = y->n;
    double f[ZW_MELNIKOV_STATES], J[ZW_MELNIKOV_STATES * ZW_MELNIKOV_STATES],
        V[ZW_MELNIKOV_STATES * ZW_MELNIKOV_STATES], U[ZW_MELNIKOV_STATES * ZW_MELNIKOV_STATES],
        value[ZW_MELNIKOV_STATES], last = INFINITY;
    for (int k = 0; k < NEWTON; k++) {
        zw_arena_mark mark = zw_arena_mark_now(&s->arena);
        zw_eval_all(s->ctx, n, y->f, n, y->x, x, f);
        zw_eval_all(s->ctx, n * n, y->J, n, y->x, x, J);
        for (int i = 0; i < n * n; i++)
            if (!isfinite(J[i]))
                return false;
        bool fine = zw_dense_svd(&s->arena, n, n, J, value, V, U);
        zw_arena_release(&s->arena, mark);
        if (!fine)
            return false;
        double size = 0, near = 1;
        for (int i = 0; i < n; i++)
            near += fabs(x[i]);
        for (int j = 0; j < n && value[j] > SINGULAR_VALUE_ROUNDOFF * value[0]; j++) {
            double along = 0;
            for (int i = 0; i < n; i++)
                along += U[j * n + i] * f[i];
            for (int i = 0; i < n; i++)
                x[i] -= along / value[j] * V[j * n + i];
            size = hypot(size, along / value[j]);
        }
        if (!(size < DIVERGED * near))
            return false;
        if (size <= STEP_CONVERGED * near || (size < ZW_ROUNDOFF_SUM * near && size >= last)) {
            zw_eval_all(s->ctx, n, y->f, n, y->x, x,
                        f); /* least squares may end where it is not 0 */
            return zw_dense_norm(n, f) <= SINGULAR_VALUE_ROUNDOFF * value[0] * near;
        }
        last = size;
    }
    return false;
}

static double at_parameters(zw_melnikov *s, zw_expr e) {
    e = in_numbers(s, e);
    return zw_eval(s->ctx, e, 0, NULL, NULL);
}

static void put_value(zw_melnikov *s, zw_expr what, zw_expr value, double *x) {
    for (int i = 0; i < s->space.n; i++)
        if (what == s->space.x[i] && isfinite(at_parameters(s, value)))
            x[i] = at_parameters(s, value);
}

int zw_space_guesses(zw_melnikov *s, int most, double (*out)[ZW_MELNIKOV_STATES], zw_error *err) {
    const zw_system *y = s->sys;
    double start[ZW_MELNIKOV_STATES] = {0};
    int n = 0;
    for (int k = 0; k < y->nstart; k++)
        put_value(s, y->start[k].what, y->start[k].value, start);
    if (s->options.at) {
        memcpy(out[0], start, sizeof start);
        return zw_melnikov_read_at(s, s->space.n, s->space.name, s->space.unit, out[0], err) < 0
                   ? -1
                   : 1;
    }
    for (int k = 0; k < y->nmotion && n < most - 1; k++, n++) {
        memcpy(out[n], start, sizeof start);
        for (int i = 0; i < y->motion[k].n; i++)
            put_value(s, y->motion[k].what[i], y->motion[k].value[i], out[n]);
    }
    memcpy(out[n++], start, sizeof start);
    return n;
}
