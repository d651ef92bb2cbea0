/* SPDX-License-Identifier: MIT */
/* Dimensionless groups: from the units of a model to scales and a basis, by exact elimination.
 *
 *   1. read scales and names as monomials: a number times powers of parameters (definitions are
 *      parameters here)
 *   2. magnitudes: parameters that are given, and everything that (1) mentions; without those that
 *      nothing else in the text mentions
 *   3. units u_b: those that were given, then quantities in the order of the text whose dimensions
 *      are independent of the previous ones get the value 1
 *   4. scaled quantities q_i/u^(D_i); a basis of them: the names first, then scaled quantities in
 *      the order of the text
 *   5. every scaled quantity as a product of the basis. */
#include "products.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/units.h"

const char *const zw_base_words[ZW_BASE_UNITS] = {"mass",        "length", "time", "current",
                                                  "temperature", "amount", "light"};

void zw_products_options_init(zw_products_options *options, size_t size) {
    const zw_products_options all = {.size = size, .states = 64};
    zw_options_begin(options, size, &all, sizeof all);
}

zw_status zw_products_dimension(const char *unit, zw_dim *out, zw_error *err) {
    zw_unit u = {.dim = zw_dim_none()};
    if (unit[0])
        ZW_TRY(zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, err));
    *out = u.dim;
    return ZW_OK;
}

static zw_fraction *new_exponents(zw_products *p, int n) {
    zw_fraction *v = zw_context_alloc(p->ctx, sizeof *v * (size_t)(n + 1));
    for (int i = 0; v && i <= n; i++)
        v[i] = (zw_fraction){0, 1};
    return v;
}

double zw_monomial_value(const zw_products *p, const zw_monomial *m) {
    double value = m->factor;
    for (int i = 0; i < p->n; i++)
        if (m->exponent[i].num)
            value *= pow(p->q[i].value, zw_fraction_value(m->exponent[i]));
    return value;
}

/* ---- given scales and names ---- */

static bool read_factor(const zw_products *p, zw_expr e, zw_fraction power, zw_monomial *out);

static int find_parameter(const zw_products *p, zw_expr e) {
    for (int i = 0; i < p->sys->np; i++)
        if (p->sys->param[i].sym == e)
            return i;
    return -1;
}

static bool read_product(const zw_products *p, zw_expr e, zw_fraction power, zw_monomial *out) {
    int n;
    const zw_expr *arg = zw_expr_args(p->ctx, e, &n);
    for (int i = 0; i + 1 < n; i += 2) {
        int64_t num, den;
        if (!zw_expr_is_rational(p->ctx, arg[i + 1], &num, &den) ||
            !read_factor(p, arg[i], zw_fraction_mul(power, zw_fraction_of(num, den)), out))
            return false;
    }
    return true;
}

/* e^power into out; false if it is a sum or a function. */
static bool read_factor(const zw_products *p, zw_expr e, zw_fraction power, zw_monomial *out) {
    int n, k = find_parameter(p, e);
    if (k >= 0) {
        out->exponent[k] = zw_fraction_add(out->exponent[k], power);
        return true;
    }
    if (zw_expr_is_number(p->ctx, e) || zw_expr_op(p->ctx, e) == ZW_OP_PI) {
        out->factor *= pow(zw_expr_number(p->ctx, e), zw_fraction_value(power));
        return isfinite(out->factor) && out->factor > 0;
    }
    if (zw_expr_op(p->ctx, e) == ZW_OP_PRODUCT)
        return read_product(p, e, power, out);
    if (zw_expr_op(p->ctx, e) != ZW_OP_SUM)
        return false;
    const zw_expr *arg = zw_expr_args(p->ctx, e, &n);
    if (n != 3 || arg[0] != ZW_ZERO)
        return false;
    return read_factor(p, arg[2], power, out) && read_factor(p, arg[1], power, out);
}

/* Reads "WORD = monomial" of an option; the word in `word`. */
static zw_status read_given(zw_products *p, const char *option, const char *text, char word[64],
                            zw_monomial *out, zw_dim *dim, zw_error *err) {
    const char *equals = strchr(text, '='), *unit;
    char name[128];
    zw_expr e;
    int n = equals ? (int)(equals - text) : 0;
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (n == 0 || n > 63 || !equals[1]) {
        zw_fail(err, ZW_E_OPTION, "--%s %s: a name and a product are expected", option, text);
        zw_error_hint(err, strcmp(option, "scale") == 0
                               ? "--scale length=r, --scale \"time=sqrt(r/g)\""
                               : "--name \"kappa = e/r\"");
        return ZW_E_OPTION;
    }
    snprintf(word, 64, "%.*s", n, text);
    snprintf(name, sizeof name, "--%s %s", option, word);
    out->factor = 1;
    out->exponent = new_exponents(p, p->sys->np);
    if (!out->exponent)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_quantity(&e, &unit, p->sys, name, equals + 1, err));
    if (!read_factor(p, e, (zw_fraction){1, 1}, out)) {
        zw_fail(err, ZW_E_OPTION, "--%s %s: this is not a product of powers of parameters", option,
                text);
        zw_error_hint(err, "give a sum a name in the model, 'let s = a + b', and use that");
        return ZW_E_OPTION;
    }
    return zw_products_dimension(unit, dim, err);
}

static zw_status check_scale(zw_products *p, const char *text, int k, const char *word,
                             const zw_dim *dim, zw_error *err) {
    int b = 0;
    while (b < ZW_BASE_UNITS && strcmp(word, zw_base_words[b]) != 0)
        b++;
    if (b == ZW_BASE_UNITS) {
        zw_fail(err, ZW_E_OPTION, "--scale %s: there is no dimension '%s'", text, word);
        const char *near = zw_nearest(word, ZW_BASE_UNITS, zw_base_words);
        zw_error_hint(err,
                      near ? "did you mean %s?"
                           : "mass, length, time, current, temperature, "
                             "amount or light",
                      near);
        return ZW_E_OPTION;
    }
    for (int i = 0; i < k; i++)
        if (p->base[i] == b)
            return zw_fail(err, ZW_E_OPTION, "--scale %s: %s has a scale already", text, word);
    p->base[k] = b;
    for (int i = 0; i < ZW_BASE_UNITS; i++)
        if (dim->num[i] != (i == b ? dim->den : 0)) {
            char words[ZW_DIM_WORDS];
            zw_dim_words(dim, words);
            zw_fail(err, ZW_E_OPTION, "--scale %s: the scale of %s is %s", text, word, words);
            zw_error_hint(err,
                          "products of powers of parameters, with the dimension of a %s: "
                          "time=sqrt(r/g)",
                          word);
            return ZW_E_OPTION;
        }
    return ZW_OK;
}

static zw_status read_all(zw_products *p, zw_error *err) {
    const zw_products_options *o = &p->options;
    char word[64];
    zw_dim dim;
    if (o->nscale > ZW_BASE_UNITS)
        return zw_fail(err, ZW_E_OPTION, "--scale %s: more scales than dimensions",
                       o->scale[ZW_BASE_UNITS]);
    p->said = zw_context_alloc(p->ctx, sizeof *p->said * (size_t)(o->nscale + o->nname + 1));
    p->label = zw_context_alloc(p->ctx, sizeof *p->label * (size_t)(o->nname + 1));
    if (!p->said || !p->label)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nscale; i++) {
        ZW_TRY(read_given(p, "scale", o->scale[i], word, &p->said[i], &dim, err));
        ZW_TRY(check_scale(p, o->scale[i], i, word, &dim, err));
    }
    for (int i = 0; i < o->nname; i++) {
        ZW_TRY(read_given(p, "name", o->name[i], word, &p->said[o->nscale + i], &dim, err));
        p->label[i] = zw_context_intern(p->ctx, word);
        if (!p->label[i])
            return zw_out_of_memory(err, NULL);
        if (zw_dim_is_none(&dim))
            continue;
        char words[ZW_DIM_WORDS];
        zw_dim_words(&dim, words);
        zw_fail(err, ZW_E_OPTION, "--name %s: this is %s", o->name[i], words);
        zw_error_hint(err, "a dimensionless group is expected");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- magnitudes */

static bool is_given_unit(const zw_products *p, int parameter) {
    for (int i = 0; i < p->options.nscale + p->options.nname; i++)
        if (p->said[i].exponent[parameter].num)
            return true;
    return false;
}

static bool is_given(const zw_products *p, int parameter) {
    zw_expr value = p->sys->param[parameter].value;
    return zw_foreign_symbol(p->ctx, value, 0, NULL) == ZW_NULL;
}

/* Drops definitions that nothing mentions any more when the given ones are known; repeatedly. */
static zw_status drop_idle(zw_products *p, bool *dropped, zw_error *err) {
    int np = p->sys->np, n = -1;
    const char **names = zw_context_alloc(p->ctx, sizeof *names * (size_t)(np + 1));
    bool *found = zw_context_alloc(p->ctx, sizeof *found * (size_t)(np + 1));
    p->dropped = zw_context_alloc(p->ctx, sizeof *p->dropped * (size_t)(np + 1));
    if (!names || !found || !p->dropped)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < np; i++) {
        names[i] = p->sys->param[i].name;
        dropped[i] = is_given_unit(p, i);
    }
    while (n != p->ndropped) {
        n = p->ndropped = 0;
        for (int i = 0; i < np; i++)
            if (dropped[i])
                p->dropped[n++] = names[i];
        ZW_TRY(zw_model_mentions(p->ctx, &p->source, n, p->dropped, np, names, found, err));
        p->ndropped = n;
        for (int i = 0; i < np; i++)
            if (!found[i] && !dropped[i]) {
                dropped[i] = true;
                p->ndropped = n + 1; /* one round more */
            }
    }
    return ZW_OK;
}

static zw_status fill_magnitude(zw_products *p, int parameter, zw_error *err) {
    const zw_param *from = &p->sys->param[parameter];
    zw_magnitude *q = &p->q[p->n];
    zw_dim dim;
    ZW_TRY(zw_products_dimension(from->unit, &dim, err));
    q->name = from->name;
    q->unit = from->unit;
    q->value = p->p[parameter];
    q->defined = !is_given(p, parameter);
    for (int b = 0; b < ZW_BASE_UNITS; b++) {
        q->dimension[b] = zw_fraction_of(dim.num[b], dim.den);
        p->needed[b] = p->needed[b] || q->dimension[b].num;
    }
    p->which[p->n++] = parameter;
    return ZW_OK;
}

/* The given units, in the magnitudes. */
static zw_status translate_units(zw_products *p, zw_error *err) {
    for (int i = 0; i < p->options.nscale + p->options.nname; i++) {
        zw_fraction *own = new_exponents(p, p->n);
        if (!own)
            return zw_out_of_memory(err, NULL);
        for (int k = 0; k < p->n; k++)
            own[k] = p->said[i].exponent[p->which[k]];
        p->said[i].exponent = own;
        p->plain = p->plain && p->said[i].factor == 1;
    }
    return ZW_OK;
}

static zw_status need_unit(zw_products *p, const char *text, zw_error *err) {
    zw_dim dim;
    ZW_TRY(zw_products_dimension(text, &dim, err));
    for (int b = 0; b < ZW_BASE_UNITS; b++)
        p->needed[b] = p->needed[b] || dim.num[b];
    return ZW_OK;
}

static zw_status find_magnitudes(zw_products *p, zw_error *err) {
    int np = p->sys->np;
    bool *dropped = zw_context_alloc(p->ctx, sizeof *dropped * (size_t)(np + 1));
    p->q = zw_context_alloc(p->ctx, sizeof *p->q * (size_t)(np + 1));
    p->which = zw_context_alloc(p->ctx, sizeof *p->which * (size_t)(np + 1));
    if (!dropped || !p->q || !p->which)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(drop_idle(p, dropped, err));
    for (int i = 0; i < np; i++)
        if (is_given_unit(p, i) || (is_given(p, i) && !dropped[i]))
            ZW_TRY(fill_magnitude(p, i, err));
    for (int i = 0; i < p->n; i++) { /* their definitions are written anew */
        int k = 0;
        while (k < p->ndropped && strcmp(p->dropped[k], p->q[i].name) != 0)
            k++;
        if (k == p->ndropped)
            p->dropped[p->ndropped++] = p->q[i].name;
    }
    ZW_TRY(translate_units(p, err));
    p->needed[ZW_DIM_S] = true; /* time itself */
    for (int i = 0; i < p->sys->nq; i++)
        ZW_TRY(need_unit(p, p->sys->coord[i].unit, err));
    if (p->n)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL, "the model has no parameters to make dimensionless groups of");
    zw_error_hint(err, "give its numbers names: param l = 0.5 [m]");
    return ZW_E_MODEL;
}

/* --------------------------------------------------------------------------------------- scales */

/* The dimension of magnitude i in the base units of `rest`, in which nothing is scaled yet. */
static void remaining_dimension(const zw_products *p, int i, int nrest, const int *rest,
                                zw_fraction *out) {
    for (int k = 0; k < nrest; k++)
        out[k] = p->q[i].dimension[rest[k]];
}

static zw_status out_of_bounds(zw_error *err) {
    return zw_fail(err, ZW_E_NUMERIC, "the exponents of the dimensions are too large");
}

static zw_status is_independent(int n, int m, const zw_fraction *rows, const zw_fraction *more,
                                bool *yes, zw_error *err) {
    zw_fraction A[(ZW_BASE_UNITS + 1) * ZW_BASE_UNITS];
    memcpy(A, rows, sizeof *A * (size_t)(n * m));
    memcpy(A + n * m, more, sizeof *A * (size_t)m);
    int rank = zw_fraction_rank(n + 1, m, A);
    *yes = rank == n + 1;
    return rank < 0 ? out_of_bounds(err) : ZW_OK;
}

static zw_status miss_scale(const zw_products *p, int base, zw_error *err) {
    static const char *const si[ZW_BASE_UNITS] = {"kg", "m", "s", "A", "K", "mol", "cd"};
    zw_fail(err, ZW_E_OPTION, "the parameters of the model make no scale of %s",
            zw_base_words[base]);
    zw_error_hint(
        err, "give one with --scale %s=..., if necessary a number with its unit: \"%s=1 [%s]\"",
        zw_base_words[base], zw_base_words[base], si[base]);
    (void)p;
    return ZW_E_OPTION;
}

/* Repeating quantities r_1 .. r_k of independent dimensions get the value 1: log u = R^-1 (log r -
 * what is scaled). */
static zw_status choose_units(zw_products *p, int nrest, const int *rest, zw_error *err) {
    zw_fraction rows[ZW_BASE_UNITS * ZW_BASE_UNITS], one[ZW_BASE_UNITS], c[ZW_BASE_UNITS],
        work[ZW_BASE_UNITS * (ZW_BASE_UNITS + 1)];
    int repeating[ZW_BASE_UNITS], n = 0;
    for (int i = 0; i < p->n && n < nrest; i++) {
        remaining_dimension(p, i, nrest, rest, &rows[n * nrest]);
        memcpy(one, &rows[n * nrest], sizeof *one * (size_t)nrest);
        bool more;
        ZW_TRY(is_independent(n, nrest, rows, one, &more, err));
        if (p->q[i].value > 0 && more)
            repeating[n++] = i;
    }
    for (int k = 0; k < nrest; k++) {
        zw_monomial *u = &p->unit[rest[k]];
        for (int j = 0; j < nrest; j++)
            one[j] = (zw_fraction){j == k, 1};
        if (!zw_fraction_express(n, nrest, rows, one, c, work))
            return miss_scale(p, rest[k], err);
        u->exponent = new_exponents(p, p->n);
        if (!u->exponent)
            return zw_out_of_memory(err, NULL);
        u->factor = 1;
        p->chosen[rest[k]] = true;
        for (int j = 0; j < n; j++) {
            const zw_magnitude *q = &p->q[repeating[j]];
            zw_fraction *own = &u->exponent[repeating[j]];
            *own = zw_fraction_add(*own, c[j]);
            for (int b = 0; b < ZW_BASE_UNITS; b++) {
                if (!q->dimension[b].num || p->chosen[b] || !p->unit[b].exponent)
                    continue;
                zw_fraction f = zw_fraction_neg(zw_fraction_mul(c[j], q->dimension[b]));
                zw_fraction_axpy(p->n, f, p->unit[b].exponent, u->exponent);
                u->factor *= pow(p->unit[b].factor, zw_fraction_value(f));
            }
        }
    }
    return ZW_OK;
}

static zw_status find_units(zw_products *p, zw_error *err) {
    int rest[ZW_BASE_UNITS], nrest = 0;
    for (int i = 0; i < p->options.nscale; i++)
        p->unit[p->base[i]] = p->said[i];
    for (int b = 0; b < ZW_BASE_UNITS; b++)
        if (p->needed[b] && !p->unit[b].exponent)
            rest[nrest++] = b;
    ZW_TRY(choose_units(p, nrest, rest, err));
    for (int b = 0; b < ZW_BASE_UNITS; b++) {
        double value = p->unit[b].exponent ? zw_monomial_value(p, &p->unit[b]) : 1;
        if (isfinite(value) && value > 0)
            continue;
        zw_fail(err, ZW_E_NUMERIC, "the scale of %s is %g at these values of the parameters",
                zw_base_words[b], value);
        zw_error_hint(err, "a scale must be positive: give another one with --scale %s=...",
                      zw_base_words[b]);
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- basis */

static zw_status scale_all(zw_products *p, zw_error *err) {
    p->scaled = zw_context_alloc(p->ctx, sizeof *p->scaled * (size_t)(p->n + 1));
    if (!p->scaled)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < p->n; i++) {
        zw_monomial *s = &p->scaled[i];
        *s = (zw_monomial){1, new_exponents(p, p->n)};
        if (!s->exponent)
            return zw_out_of_memory(err, NULL);
        s->exponent[i] = (zw_fraction){1, 1};
        for (int b = 0; b < ZW_BASE_UNITS; b++) {
            zw_fraction f = zw_fraction_neg(p->q[i].dimension[b]);
            if (!f.num)
                continue;
            zw_fraction_axpy(p->n, f, p->unit[b].exponent, s->exponent);
            s->factor *= pow(p->unit[b].factor, zw_fraction_value(f));
        }
    }
    return ZW_OK;
}

typedef struct group_basis {
    int n;
    zw_fraction *rows, *work; /* n x magnitudes */
} group_basis;

/* *added: false if it depends on the present ones. */
static zw_status basis_add(const zw_products *p, group_basis *b, const zw_fraction *row,
                           bool *added, zw_error *err) {
    int n = b->n, m = p->n;
    memcpy(b->work, b->rows, sizeof *row * (size_t)(n * m));
    memcpy(b->work + n * m, row, sizeof *row * (size_t)m);
    int rank = zw_fraction_rank(n + 1, m, b->work);
    *added = rank > n;
    if (*added)
        memcpy(b->rows + n * m, row, sizeof *row * (size_t)m);
    b->n += *added;
    return rank < 0 ? out_of_bounds(err) : ZW_OK;
}

static zw_status add_product(zw_products *p, const char *name, const zw_monomial *m, bool named,
                             zw_error *err) {
    const char **names = zw_context_alloc(p->ctx, sizeof *names * (size_t)(p->n + 1));
    zw_pi_product *out = &p->product[p->nproduct++];
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    if (!names)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < p->n; i++)
        names[i] = p->q[i].name;
    zw_text_init(&t, &alloc);
    zw_monomial_put(&t, m->factor, p->n, m->exponent, names);
    *out =
        (zw_pi_product){.name = name, .exponent = m->exponent, .factor = m->factor, .named = named};
    out->formula = t.failed ? NULL : zw_context_intern(p->ctx, zw_text_get(&t));
    zw_text_clear(&t);
    out->value = zw_monomial_value(p, m);
    if (!out->formula)
        return zw_out_of_memory(err, NULL);
    if (isfinite(out->value))
        return ZW_OK;
    return zw_fail(err, ZW_E_NUMERIC, "%s = %s has no finite value at these parameters", name,
                   out->formula);
}

static zw_status find_basis(zw_products *p, group_basis *b, zw_error *err) {
    size_t size = (size_t)(p->n + 2) * (size_t)(p->n + 2);
    b->rows = zw_context_alloc(p->ctx, sizeof *b->rows * size);
    b->work = zw_context_alloc(p->ctx, sizeof *b->work * size);
    p->product = zw_context_alloc(p->ctx, sizeof *p->product * (size_t)(p->n + 1));
    if (!b->rows || !b->work || !p->product)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < p->options.nname; i++) {
        const zw_monomial *m = &p->said[p->options.nscale + i];
        bool added;
        ZW_TRY(basis_add(p, b, m->exponent, &added, err));
        if (!added) {
            zw_fail(err, ZW_E_OPTION, "--name %s: this group follows from those before it",
                    p->options.name[i]);
            zw_error_hint(err, "leave it out; the model has %d independent ones", p->n - p->rank);
            return ZW_E_OPTION;
        }
        ZW_TRY(add_product(p, p->label[i], m, true, err));
    }
    for (int i = 0; i < p->n; i++) {
        bool added;
        ZW_TRY(basis_add(p, b, p->scaled[i].exponent, &added, err));
        if (added)
            ZW_TRY(add_product(p, p->q[i].name, &p->scaled[i], false, err));
    }
    return ZW_OK;
}

/* Expresses every quantity in the basis. */
static zw_status express_all(zw_products *p, group_basis *b, zw_error *err) {
    zw_fraction *c = new_exponents(p, p->n);
    const char **names = zw_context_alloc(p->ctx, sizeof *names * (size_t)(p->n + 1));
    zw_allocator alloc = zw_context_allocator(p->ctx);
    if (!c || !names)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < p->nproduct; k++)
        names[k] = p->product[k].name;
    for (int i = 0; i < p->n; i++) {
        zw_text t;
        if (!zw_fraction_express(b->n, p->n, b->rows, p->scaled[i].exponent, c, b->work))
            return zw_fail(err, ZW_E_NUMERIC, "the exponents of %s are out of bounds",
                           p->q[i].name);
        p->q[i].now = zw_monomial_value(p, &p->scaled[i]);
        double product = 1;
        for (int k = 0; k < p->nproduct; k++)
            product *= c[k].num ? pow(p->product[k].value, zw_fraction_value(c[k])) : 1;
        if (!isfinite(product) || !isfinite(p->q[i].now)) {
            zw_fail(err, ZW_E_NUMERIC, "%s, a product of powers of others, has no finite value",
                    p->q[i].name);
            zw_error_hint(err, "one of the parameters is 0 or negative; give other groups with "
                               "--name and --scale");
            return ZW_E_NUMERIC;
        }
        zw_text_init(&t, &alloc);
        zw_monomial_put(&t, p->plain ? 1 : p->q[i].now / product, p->nproduct, c, names);
        p->q[i].scaled = t.failed ? NULL : zw_context_intern(p->ctx, zw_text_get(&t));
        zw_text_clear(&t);
        if (!p->q[i].scaled)
            return zw_out_of_memory(err, NULL);
    }
    return ZW_OK;
}

static int rank_of(zw_products *p) {
    zw_fraction *D = new_exponents(p, p->n * ZW_BASE_UNITS);
    for (int i = 0; D && i < p->n; i++)
        memcpy(&D[i * ZW_BASE_UNITS], p->q[i].dimension, sizeof p->q[i].dimension);
    return D ? zw_fraction_rank(p->n, ZW_BASE_UNITS, D) : 0;
}

/* ------------------------------------------------------------------------------------ lifecycle */

static zw_status read_model(zw_products *p, const zw_model_source *source, zw_error *err) {
    p->source = *source;
    if (source->options)
        p->model = *source->options;
    p->model.size = sizeof p->model;
    p->model.constants = true;
    p->source.options = &p->model;
    ZW_TRY(zw_model_parse(&p->sys, p->ctx, source->text, source->length, source->file, &p->model,
                          err));
    if (p->sys->no_units) {
        zw_fail(err, ZW_E_MODEL, "the model has no units ('units none')");
        zw_error_hint(err, "dimensionless groups are made of parameters that have units");
        return ZW_E_MODEL;
    }
    p->p = zw_context_alloc(p->ctx, sizeof *p->p * (size_t)(p->sys->np + 1));
    if (!p->p)
        return zw_out_of_memory(err, NULL);
    return zw_system_param_values(p->sys, p->p, err);
}

static zw_status find_all(zw_products *p, zw_error *err) {
    group_basis b = {0};
    p->plain = true;
    ZW_TRY(read_all(p, err));
    ZW_TRY(find_magnitudes(p, err));
    p->rank = rank_of(p);
    if (p->rank < 0)
        return out_of_bounds(err);
    ZW_TRY(find_units(p, err));
    ZW_TRY(scale_all(p, err));
    ZW_TRY(find_basis(p, &b, err));
    ZW_TRY(express_all(p, &b, err));
    return zw_products_name_scales(p, err);
}

zw_status zw_products_create(zw_products **out, const zw_model_source *source,
                             const zw_products_options *options, zw_error *err) {
    assert(out);
    zw_products_options o = zw_products_options_default();
    *out = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_products_options", err));
    zw_context *ctx = zw_context_create(o.allocator);
    zw_products *p = ctx ? zw_context_alloc(ctx, sizeof *p) : NULL;
    if (!p) {
        zw_context_destroy(ctx);
        return zw_out_of_memory(err, NULL);
    }
    p->ctx = ctx;
    p->options = o;
    zw_status status = read_model(p, source, err);
    if (status >= 0)
        status = find_all(p, err);
    if (status < 0) {
        zw_products_destroy(p);
        return status;
    }
    *out = p;
    return ZW_OK;
}

void zw_products_destroy(zw_products *p) {
    if (!p)
        return;
    zw_string_free(p->ctx, p->text);
    zw_string_free(p->ctx, p->head);
    zw_context_destroy(p->ctx);
}

int zw_products_magnitudes(const zw_products *p) {
    return p->n;
}

const zw_magnitude *zw_products_magnitude(const zw_products *p, int i) {
    assert(i >= 0 && i < zw_products_magnitudes(p));
    return &p->q[i];
}

int zw_products_rank(const zw_products *p) {
    return p->rank;
}

int zw_products_count(const zw_products *p) {
    return p->nproduct;
}

const zw_pi_product *zw_products_at(const zw_products *p, int i) {
    assert(i >= 0 && i < zw_products_count(p));
    return &p->product[i];
}

int zw_products_literals(const zw_products *p) {
    return p->nliteral;
}
