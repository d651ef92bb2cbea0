/* SPDX-License-Identifier: MIT */
/* Which entries are fast, by which parameter, and the form x' = f, eps den y' = g. Parameters that
 * depend on eps are replaced by their expressions. The product eps num/den is multiplied out, or
 * brought to lowest terms, so that an eps in a denominator cancels; the result must have a Taylor
 * series at eps = 0. */
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/option.h"
#include "expr/calculus/ratio.h"
#include "manifold.h"
#include "zwang/expr.h"

/* ---------------------------------------------------------------------------------------- names */

static zw_status no_split(zw_error *err) {
    zw_fail(err, ZW_E_MODEL, "the model does not declare its fast variables");
    zw_error_hint(err, "in the model: slow-fast EPS : fast NAME; or --eps EPS --fast NAME; without "
                       "both a split is proposed "
                       "from a run, --propose");
    return ZW_E_MODEL;
}

/* The nearest name, or all of them. */
void zw_manifold_hint_names(const char *name, int n, const char *const *names, zw_error *err) {
    const char *near = zw_nearest(name, n, names);
    char list[160] = "";
    for (int i = 0; i < n && strlen(list) + strlen(names[i]) + 3 < sizeof list; i++)
        zw_append(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else
        zw_error_hint(err, "there are %s", list);
}

static zw_status find_small(zw_manifold *m, zw_error *err) {
    const char *names[256];
    int n = 0;
    m->result.small = m->sys->slow_fast.small;
    if (!m->options.small)
        return m->result.small ? ZW_OK : no_split(err);
    for (int i = 0; i < m->sys->np; i++) {
        if (strcmp(m->sys->param[i].name, m->options.small) == 0) {
            m->result.small = m->sys->param[i].sym;
            return ZW_OK;
        }
        if (n < 256)
            names[n++] = m->sys->param[i].name;
    }
    zw_fail(err, ZW_E_NAME, "--eps: there is no parameter '%s'", m->options.small);
    zw_manifold_hint_names(m->options.small, n, names, err);
    return ZW_E_NAME;
}

static zw_status unknown_fast(const zw_manifold *m, const char *name, zw_error *err) {
    const char *names[256];
    int n = 0;
    for (int i = 0; i < m->rates.nreplaced; i++)
        if (strcmp(zw_expr_name(m->ctx, m->rates.symbol[i]), name) == 0) {
            zw_fail(err, ZW_E_MODEL, "'%s' cannot be fast: the constraints determine it", name);
            zw_error_hint(
                err, "independent %s in the model keeps it, where another velocity can be given",
                name);
            return ZW_E_MODEL;
        }
    for (int i = 0; i < m->rates.nentry && n < 256; i++)
        names[n++] = m->rates.entry[i].name;
    zw_fail(err, ZW_E_NAME, "there is no coordinate, state or velocity '%s' that could be fast",
            name);
    zw_manifold_hint_names(name, n, names, err);
    return ZW_E_NAME;
}

static bool is_named(const zw_manifold *m, const zw_rated *e) {
    const zw_slow_fast *said = &m->sys->slow_fast;
    for (int i = 0; i < m->options.nfast; i++)
        if (strcmp(m->options.fast[i], e->name) == 0)
            return true;
    for (int i = 0; m->options.nfast == 0 && i < said->n; i++)
        if (said->fast[i] == e->sym)
            return true;
    return false;
}

static zw_status check_names(const zw_manifold *m, zw_error *err) {
    int n = m->options.nfast ? m->options.nfast : m->sys->slow_fast.n;
    for (int i = 0; i < n; i++) {
        const char *name =
            m->options.nfast ? m->options.fast[i] : zw_expr_name(m->ctx, m->sys->slow_fast.fast[i]);
        bool found = false;
        for (int k = 0; k < m->rates.nentry && !found; k++)
            found = strcmp(m->rates.entry[k].name, name) == 0;
        if (!found)
            return unknown_fast(m, name, err);
    }
    return n ? ZW_OK : no_split(err);
}

/* ---- powers of eps ---- */

zw_expr zw_manifold_unfold(const zw_manifold *m, zw_expr e) {
    zw_expr eps = m->result.small;
    for (int i = m->sys->np - 1; i >= 0; i--) {
        zw_expr sym = m->sys->param[i].sym, value = m->sys->param[i].value, made = value;
        if (sym == eps || !zw_depends(m->ctx, e, sym))
            continue;
        for (int k = i - 1; k >= 0; k--) /* does it depend on eps, possibly through others? */
            if (m->sys->param[k].sym != eps && zw_depends(m->ctx, made, m->sys->param[k].sym))
                made = zw_subst(m->ctx, made, 1, &m->sys->param[k].sym, &m->sys->param[k].value);
        if (zw_depends(m->ctx, made, eps))
            e = zw_subst(m->ctx, e, 1, &sym, &value);
    }
    return e;
}

/* Has it a series at eps = 0? */
static bool is_regular(const zw_manifold *m, zw_expr e, zw_expr *at_zero, zw_error *why) {
    const zw_expr zero = ZW_ZERO, one = ZW_ONE;
    *why = (zw_error){0};
    return zw_taylor(m->ctx, 1, &e, 1, &m->result.small, &zero, &one, 0, at_zero, why) >= 0;
}

/* Does it contain a negative power of eps? Sums are (number, term, its number, ...), products
 * (base, exponent, ...). */
static bool has_inverse(const zw_manifold *m, zw_expr e) {
    int n;
    const zw_expr *arg = zw_expr_args(m->ctx, e, &n);
    bool product = zw_expr_op(m->ctx, e) == ZW_OP_PRODUCT, found = false;
    if (!zw_depends(m->ctx, e, m->result.small) || e == m->result.small)
        return false;
    for (int i = 0; i < n && !found; i++)
        found = (product && i % 2 == 1 && arg[i - 1] == m->result.small &&
                 zw_expr_number(m->ctx, arg[i]) < 0) ||
                has_inverse(m, arg[i]);
    return found;
}

/* eps (a + b/eps) as eps a + b, in sums and products of them: without multiplying out anything
 * else. */
static zw_expr clear_inverse(const zw_manifold *m, zw_expr e) {
    zw_context *ctx = m->ctx;
    zw_expr eps = m->result.small, out;
    int n;
    const zw_expr *arg = zw_expr_args(ctx, e, &n);
    zw_op op = zw_expr_op(ctx, e);
    if ((op != ZW_OP_SUM && op != ZW_OP_PRODUCT) || !has_inverse(m, e))
        return e;
    if (op == ZW_OP_SUM) {
        out = arg[0];
        for (int i = 1; i + 1 < n; i += 2)
            out = zw_add(ctx, out, zw_mul(ctx, arg[i + 1], clear_inverse(m, arg[i])));
        return out;
    }
    int power = 0;
    for (int i = 0; i + 1 < n; i += 2)
        if (arg[i] == eps && zw_expr_number(ctx, arg[i + 1]) >= 1)
            power = (int)zw_expr_number(ctx, arg[i + 1]);
    out = zw_pow(ctx, eps, zw_integer(ctx, -power));
    out = zw_mul(ctx, out, e);
    for (int i = 0; i + 1 < n; i += 2) {
        zw_expr sum = arg[i];
        int terms;
        if (sum == eps || arg[i + 1] != ZW_ONE || zw_expr_op(ctx, sum) != ZW_OP_SUM ||
            !has_inverse(m, sum))
            continue;
        out = zw_div(ctx, out, sum);
        sum = clear_inverse(m, sum);
        for (; power > 0 && has_inverse(m, sum); power--) {
            const zw_expr *term = zw_expr_args(ctx, sum, &terms);
            zw_expr spread = zw_mul(ctx, eps, term[0]);
            for (int k = 1; k + 1 < terms; k += 2)
                spread =
                    zw_add(ctx, spread,
                           zw_mul(ctx, term[k + 1], clear_inverse(m, zw_mul(ctx, eps, term[k]))));
            sum = spread;
        }
        out = zw_mul(ctx, out, sum);
    }
    return zw_mul(ctx, out, zw_pow(ctx, eps, zw_integer(ctx, power)));
}

/* Cancels powers of eps that both have; returns the value of den at eps = 0, 0 if more than a few
 * are common or one is not regular. */
static zw_expr cancel_small(const zw_manifold *m, zw_expr *num, zw_expr *den, zw_error *why) {
    enum { POWERS = 4 }; /* of eps that may cancel */
    zw_expr n0, d0 = ZW_ZERO;
    for (int k = 0; k < POWERS; k++) {
        if (!is_regular(m, *num, &n0, why) || !is_regular(m, *den, &d0, why))
            return ZW_ZERO;
        if (!zw_ratio_is_zero(m->ctx, d0))
            return d0;
        *num = zw_div(m->ctx, *num, m->result.small);
        *den = zw_div(m->ctx, *den, m->result.small);
    }
    return ZW_ZERO;
}

/* num/den as a quotient of regular expressions, den not 0 at eps = 0. */
static bool make_regular(const zw_manifold *m, zw_expr *num, zw_expr *den, zw_error *why) {
    for (int form = 0; form < 3; form++) {
        zw_expr a = clear_inverse(m, *num), b = clear_inverse(m, *den);
        if (form == 1) {
            a = zw_expand(m->ctx, a);
            b = zw_expand(m->ctx, b);
        }
        if (form == 2 && !zw_ratio_parts(m->ctx, zw_div(m->ctx, *num, *den), &a, &b))
            break;
        if (cancel_small(m, &a, &b, why) != ZW_ZERO) {
            *num = a;
            *den = b;
            return true;
        }
    }
    if (!why->text[0])
        snprintf(why->text, sizeof why->text, "its denominator vanishes");
    return false;
}

static zw_status make_fast(zw_manifold *m, int j, zw_error *err) {
    zw_expr eps = m->result.small, at_zero;
    zw_rated *e = &m->y[j];
    zw_error why = {0};
    m->g[j] = zw_mul(m->ctx, eps, zw_manifold_unfold(m, e->num));
    m->den[j] = zw_manifold_unfold(m, e->den);
    if (!make_regular(m, &m->g[j], &m->den[j], &why)) {
        zw_fail(err, ZW_E_DOMAIN, "%s times the rate of %s is not regular at %s = 0: %s",
                zw_expr_name(m->ctx, eps), e->name, zw_expr_name(m->ctx, eps), why.text);
        zw_error_hint(
            err,
            "the small parameter must divide the rates of fast variables once, as in y' = .../%s",
            zw_expr_name(m->ctx, eps));
        return ZW_E_DOMAIN;
    }
    if (!is_regular(m, m->g[j], &at_zero, &why) || zw_ratio_is_zero(m->ctx, at_zero)) {
        zw_fail(err, ZW_E_MODEL, "%s is not fast: %s times its rate vanishes at %s = 0", e->name,
                zw_expr_name(m->ctx, eps), zw_expr_name(m->ctx, eps));
        zw_error_hint(err,
                      "its rate must grow as 1/%s, at a given state; a law as s/(abs(s) + %s) does "
                      "not, a law "
                      "as s/%s does",
                      zw_expr_name(m->ctx, eps), zw_expr_name(m->ctx, eps),
                      zw_expr_name(m->ctx, eps));
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status make_slow(zw_manifold *m, int i, zw_error *err) {
    zw_rated *e = &m->x[i];
    zw_error why = {0};
    zw_expr num = zw_manifold_unfold(m, e->num), den = zw_manifold_unfold(m, e->den);
    if (!make_regular(m, &num, &den, &why)) {
        const char *eps = zw_expr_name(m->ctx, m->result.small);
        zw_fail(err, ZW_E_DOMAIN, "the rate of %s is not regular at %s = 0: %s", e->name, eps,
                why.text);
        if (e->index >= m->rates.eq.nq)
            zw_error_hint(err,
                          "it is fast, too; or forces of order 1/%s move it by its inertia: take "
                          "its momentum, which they "
                          "do not change, as a quasi-velocity instead",
                          eps);
        else
            zw_error_hint(err, "where it grows as 1/%s it is fast, too: name it as fast", eps);
        return ZW_E_DOMAIN;
    }
    m->f[i] = zw_div(m->ctx, num, den);
    return ZW_OK;
}

zw_status zw_manifold_split(zw_manifold *m, zw_error *err) {
    zw_manifold_result *r = &m->result;
    ZW_TRY(find_small(m, err));
    ZW_TRY(check_names(m, err));
    m->x = ZW_MANIFOLD_NEW(m, zw_rated, m->rates.nentry);
    m->y = ZW_MANIFOLD_NEW(m, zw_rated, m->rates.nentry);
    m->f = ZW_MANIFOLD_NEW(m, zw_expr, m->rates.nentry);
    m->g = ZW_MANIFOLD_NEW(m, zw_expr, m->rates.nentry);
    m->den = ZW_MANIFOLD_NEW(m, zw_expr, m->rates.nentry);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int i = 0; i < m->rates.nentry; i++)
        if (is_named(m, &m->rates.entry[i]))
            m->y[r->ny++] = m->rates.entry[i];
        else
            m->x[r->nx++] = m->rates.entry[i];
    if (r->nx == 0) {
        zw_fail(err, ZW_E_MODEL, "all variables are fast: none is left to be slow");
        zw_error_hint(err, "name as fast only the variables that follow the others");
        return ZW_E_MODEL;
    }
    if (r->ny > ZW_MANIFOLD_FAST_MOST)
        return zw_fail(err, ZW_E_MODEL, "formulas are available for at most %d fast variables",
                       (int)ZW_MANIFOLD_FAST_MOST);
    for (int j = 0; j < r->ny; j++)
        ZW_TRY(make_fast(m, j, err));
    for (int i = 0; i < r->nx; i++)
        ZW_TRY(make_slow(m, i, err));
    for (int i = 0; i < m->sys->np; i++)
        if (m->sys->param[i].sym == r->small)
            r->eps = m->p[i];
    return zw_context_status(m->ctx, err);
}
