/* SPDX-License-Identifier: MIT */
/* Dimensionless groups as a report: monomials, scales, groups, quantities. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
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

static zw_status name_scale(zw_products *p, int base, const char *const *names, zw_error *err) {
    zw_base_scale *out = &p->scale[base];
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    if (!p->unit[base].exponent)
        return ZW_OK;
    zw_text_init(&t, &alloc);
    zw_monomial_put(&t, p->unit[base].factor, p->n, p->unit[base].exponent, names);
    *out = (zw_base_scale){.what = zw_base_words[base],
                           .formula = t.failed ? NULL : zw_context_intern(p->ctx, zw_text_get(&t)),
                           .value = zw_monomial_value(p, &p->unit[base]),
                           .chosen = p->chosen[base]};
    zw_text_clear(&t);
    return out->formula ? ZW_OK : zw_out_of_memory(err, NULL);
}

zw_status zw_products_name_scales(zw_products *p, zw_error *err) {
    const char **names = zw_context_alloc(p->ctx, sizeof *names * (size_t)(p->n + 1));
    if (!names)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < p->n; i++)
        names[i] = p->q[i].name;
    for (int b = 0; b < ZW_BASE_UNITS; b++)
        ZW_TRY(name_scale(p, b, names, err));
    return ZW_OK;
}

zw_base_scale zw_products_scale(const zw_products *p, int base) {
    return p->scale[base];
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

static void report_scales(zw_report *out, const zw_products *p) {
    zw_report_list(out, "scales");
    for (int b = 0; b < ZW_BASE_UNITS; b++) {
        const zw_base_scale *s = &p->scale[b];
        if (!s->what)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "dimension", s->what);
        zw_report_word(out, "formula", s->formula);
        zw_report_number(out, "value", s->value, &(zw_shown){.digits = 8});
        zw_report_flag(out, "chosen", s->chosen);
        zw_report_say(out, "  {dimension:-12} {formula} = {value}{chosen?   (chosen)}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_exponents(zw_report *out, const zw_products *p, const zw_fraction *e) {
    zw_report_list(out, "exponents");
    for (int i = 0; i < p->n; i++) {
        if (!e[i].num)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "quantity", p->q[i].name);
        zw_report_count(out, "numerator", (long)e[i].num);
        zw_report_count(out, "denominator", (long)e[i].den);
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_groups(zw_report *out, const zw_products *p) {
    zw_report_list(out, "groups");
    for (int i = 0; i < p->nproduct; i++) {
        const zw_pi_product *k = &p->product[i];
        zw_report_open(out, NULL);
        zw_report_word(out, "name", k->name);
        zw_report_word(out, "formula", k->formula);
        zw_report_number(out, "value", k->value, &(zw_shown){.digits = 8});
        zw_report_flag(out, "named", k->named);
        report_exponents(out, p, k->exponent);
        zw_report_say(out, "  {name:-12} = {formula:-28} = {value}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_quantities(zw_report *out, const zw_products *p) {
    zw_report_list(out, "quantities");
    for (int i = 0; i < p->n; i++) {
        const zw_magnitude *q = &p->q[i];
        zw_report_open(out, NULL);
        zw_report_word(out, "name", q->name);
        zw_report_word(out, "unit", q->unit);
        zw_report_number(out, "value", q->value, &(zw_shown){.unit = q->unit, .digits = 8});
        zw_report_word(out, "scaled", q->scaled);
        zw_report_number(out, "scaled_value", q->now, &(zw_shown){.digits = 8});
        zw_report_flag(out, "defined", q->defined);
        zw_report_say(out, "  {name:-12} = {scaled:-28} = {scaled_value}   ({value}{unit! 1}"
                           "{defined?, a definition taken as given})\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_idle(zw_report *out, const zw_products *p) {
    zw_report_list(out, "without_effect");
    for (int i = 0; i < p->nproduct; i++) {
        if (!p->product[i].idle)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", p->product[i].name);
        zw_report_word(out, "formula", p->product[i].formula);
        zw_report_say(out, "  No rate depends on {name} = {formula}.\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_scaled(zw_report *out, const zw_products *p) {
    zw_report_open(out, "scaled_model");
    zw_report_number(out, "difference", p->difference, &(zw_shown){.digits = 2});
    zw_report_count(out, "random_states", p->options.states);
    zw_report_count(out, "unnamed_numbers", p->nliteral);
    zw_report_say(out, "Scaled model: read again and compared, its rates at {random_states} random "
                       "states are those of the model within {difference}.\n");
    report_idle(out, p);
    zw_report_say(out, "{unnamed_numbers?  The text has {unnamed_numbers|number|numbers} with a "
                       "dimension and without a name, valid for these values of the scales only; "
                       "give {unnamed_numbers#it a name|them names} (param) to make "
                       "{unnamed_numbers#it a group|them groups}.\n}");
    zw_report_close(out);
}

void zw_products_report(const zw_products *p, zw_report *out) {
    zw_report_count(out, "quantity_count", p->n);
    zw_report_count(out, "rank", p->rank);
    zw_report_count(out, "group_count", p->nproduct);
    zw_report_say(out, "{quantity_count|quantity|quantities}, {rank|independent "
                       "dimension|independent dimensions}, {group_count|dimensionless "
                       "group|dimensionless groups}\nScales in SI units\n");
    report_scales(out, p);
    zw_report_say(out, "Dimensionless groups\n");
    report_groups(out, p);
    zw_report_say(out, "Quantities in these units\n");
    report_quantities(out, p);
    if (p->text)
        report_scaled(out, p);
}
