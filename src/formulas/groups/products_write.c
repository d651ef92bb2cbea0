/* SPDX-License-Identifier: MIT */
/* Dimensionless groups as text and JSON: monomials, scales, the table of groups. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "products.h"

static void put_power(zw_text *t, const char *name, zw_fraction e) {
    zw_text_put(t, name);
    if (e.den != 1)
        zw_text_printf(t, "^(%lld/%lld)", (long long)e.num, (long long)e.den);
    else if (e.num != 1)
        zw_text_printf(t, "^%lld", (long long)e.num);
}

void zw_monomial_put(zw_text *t, double factor, int n, const zw_fraction *exponent,
                     const char *const *name) {
    int above = 0, below = 0;
    for (int i = 0; i < n; i++) {
        above += exponent[i].num > 0;
        below += exponent[i].num < 0;
    }
    bool number = factor != 1 || above == 0;
    if (number)
        zw_text_number(t, factor);
    for (int i = 0; i < n; i++) {
        if (exponent[i].num <= 0)
            continue;
        if (number)
            zw_text_put(t, "*");
        put_power(t, name[i], exponent[i]);
        number = true;
    }
    if (below)
        zw_text_put(t, below > 1 ? "/(" : "/");
    bool first = true;
    for (int i = 0; i < n; i++) {
        if (exponent[i].num >= 0)
            continue;
        zw_text_put(t, first ? "" : "*");
        put_power(t, name[i], zw_fraction_neg(exponent[i]));
        first = false;
    }
    if (below > 1)
        zw_text_put(t, ")");
}

zw_base_scale zw_products_scale(const zw_products *p, int base) {
    zw_base_scale out = {0};
    if (!p->unit[base].exponent)
        return out;
    const char **names = zw_context_alloc(p->ctx, sizeof *names * (size_t)(p->n + 1));
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    for (int i = 0; names && i < p->n; i++)
        names[i] = p->q[i].name;
    zw_text_init(&t, &alloc);
    if (names)
        zw_monomial_put(&t, p->unit[base].factor, p->n, p->unit[base].exponent, names);
    out.what = zw_base_words[base];
    out.formula = zw_context_intern(p->ctx, zw_text_get(&t));
    out.value = zw_monomial_value(p, &p->unit[base]);
    out.chosen = p->chosen[base];
    zw_text_clear(&t);
    return out;
}

zw_status zw_products_unit(const zw_products *p, const char *unit, double *value, zw_error *err) {
    zw_dim dim;
    *value = 1;
    ZW_TRY(zw_products_dimension(unit, &dim, err));
    for (int b = 0; b < ZW_BASE_UNITS; b++)
        if (dim.num[b]) {
            if (!p->unit[b].exponent)
                return zw_fail(err, ZW_E_OPTION, "there is no scale of %s", zw_base_words[b]);
            *value *= pow(zw_monomial_value(p, &p->unit[b]), (double)dim.num[b] / dim.den);
        }
    return ZW_OK;
}

static void put_scales(const zw_products *p, zw_text *t) {
    for (int b = 0; b < ZW_BASE_UNITS; b++) {
        zw_base_scale s = zw_products_scale(p, b);
        if (s.what)
            zw_text_printf(t, "  %-12s %s = %.8g%s\n", s.what, s.formula, s.value,
                           s.chosen ? "   (chosen)" : "");
    }
}

const char *zw_products_text(zw_products *p) {
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    zw_text_init(&t, &alloc);
    zw_text_printf(&t, "%d quantities, %d independent dimension%s, %d product%s\nscales (SI)\n",
                   p->n, p->rank, p->rank == 1 ? "" : "s", p->nproduct,
                   p->nproduct == 1 ? "" : "s");
    put_scales(p, &t);
    zw_text_put(&t, "products without dimension\n");
    for (int i = 0; i < p->nproduct; i++)
        zw_text_printf(&t, "  %-12s = %-28s = %.8g\n", p->product[i].name, p->product[i].formula,
                       p->product[i].value);
    zw_text_put(&t, "quantities in these units\n");
    for (int i = 0; i < p->n; i++)
        zw_text_printf(&t, "  %-12s = %-28s = %.8g   (%.8g %s%s)\n", p->q[i].name, p->q[i].scaled,
                       p->q[i].now, p->q[i].value, p->q[i].unit[0] ? p->q[i].unit : "1",
                       p->q[i].defined ? ", a definition taken as given" : "");
    zw_string_free(p->ctx, p->summary);
    return p->summary = zw_text_take(&t);
}

static void put_exponents(const zw_products *p, zw_text *t, const zw_fraction *e) {
    bool first = true;
    zw_text_put(t, "{");
    for (int i = 0; i < p->n; i++) {
        if (!e[i].num)
            continue;
        zw_text_put(t, first ? "" : ", ");
        zw_text_json(t, p->q[i].name);
        zw_text_printf(t, e[i].den == 1 ? ": %lld" : ": \"%lld/%lld\"", (long long)e[i].num,
                       (long long)e[i].den);
        first = false;
    }
    zw_text_put(t, "}");
}

const char *zw_products_json(zw_products *p) {
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    zw_text_init(&t, &alloc);
    zw_text_printf(&t, "{\"rank\": %d,\n\"scales\": {", p->rank);
    bool first = true;
    for (int b = 0; b < ZW_BASE_UNITS; b++) {
        zw_base_scale s = zw_products_scale(p, b);
        if (!s.what)
            continue;
        zw_text_printf(&t, "%s\"%s\": {\"formula\": ", first ? "" : ", ", s.what);
        zw_text_json(&t, s.formula);
        zw_text_put(&t, ", \"value\": ");
        zw_text_json_number(&t, s.value);
        zw_text_printf(&t, ", \"chosen\": %s}", s.chosen ? "true" : "false");
        first = false;
    }
    zw_text_put(&t, "},\n\"products\": [");
    for (int i = 0; i < p->nproduct; i++) {
        const zw_pi_product *k = &p->product[i];
        zw_text_put(&t, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        zw_text_json(&t, k->name);
        zw_text_put(&t, ", \"formula\": ");
        zw_text_json(&t, k->formula);
        zw_text_put(&t, ", \"value\": ");
        zw_text_json_number(&t, k->value);
        zw_text_put(&t, ", \"exponents\": ");
        put_exponents(p, &t, k->exponent);
        zw_text_put(&t, "}");
    }
    zw_text_put(&t, "],\n\"quantities\": [");
    for (int i = 0; i < p->n; i++) {
        zw_text_put(&t, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        zw_text_json(&t, p->q[i].name);
        zw_text_put(&t, ", \"unit\": ");
        zw_text_json(&t, p->q[i].unit);
        zw_text_put(&t, ", \"value\": ");
        zw_text_json_number(&t, p->q[i].value);
        zw_text_put(&t, ", \"scaled\": ");
        zw_text_json(&t, p->q[i].scaled);
        zw_text_put(&t, ", \"now\": ");
        zw_text_json_number(&t, p->q[i].now);
        zw_text_put(&t, "}");
    }
    zw_text_put(&t, "]}\n");
    zw_string_free(p->ctx, p->json);
    return p->json = zw_text_take(&t);
}
