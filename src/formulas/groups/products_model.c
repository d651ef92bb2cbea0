/* SPDX-License-Identifier: MIT */
/* The scaled model: its text, and a check that it is the same model. The text is read again, and
 * at random states x of the model, with x^ = x/u(x) and t^ = t/u_s,
 *
 *     rate^(t^, x^) = rate(t, x) u_s / u(x)
 *
 * must be satisfied in every entry. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "base/units.h"
#include "products.h"
#include "zwang/equations.h"
#include "zwang/flow.h"
#include "zwang/kernel.h"

/* of the largest value: smaller rates are compared with this, since their terms cancel */
#define SMALL_RATE 1e-3
/* of the largest rate of all: an entry that hardly changes is compared with this */
#define SMALL_ENTRY 1e-2
#define CHANGE_OF_ZERO 1e-3 /* change of a parameter whose value is zero */
#define NO_CHANGE 1e-11     /* relative: less is the round-off of a rate */

static bool has_none(const zw_magnitude *q) {
    for (int b = 0; b < ZW_BASE_UNITS; b++)
        if (q->dimension[b].num)
            return false;
    return true;
}

static void put_definition(const zw_products *p, zw_text *t, const zw_magnitude *q, bool units) {
    bool own = false; /* it is a product of that name */
    for (int k = 0; k < p->nproduct; k++)
        own = own || (strcmp(p->product[k].name, q->name) == 0 && strcmp(q->scaled, q->name) == 0);
    bool plain = !units || has_none(q);
    if (own && plain)
        return;
    if (own) { /* a number with the unit that now replaces another */
        zw_text_printf(t, "param %s = ", q->name);
        zw_text_number(t, q->now);
        zw_text_printf(t, " [%s]\n", q->unit);
    } else if (plain) {
        zw_text_printf(t, "let %s = %s\n", q->name, q->scaled);
    } else {
        zw_text_printf(t, "let %s = %s*1 [%s]\n", q->name, q->scaled, q->unit);
    }
}

static bool keeps_unit(const zw_products *p, const zw_pi_product *k, bool units) {
    for (int i = 0; units && i < p->n; i++)
        if (strcmp(p->q[i].name, k->name) == 0 && strcmp(p->q[i].scaled, k->name) == 0)
            return !has_none(&p->q[i]);
    return false;
}

static zw_status write_head(zw_products *p, bool units, zw_error *err) {
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    zw_text_init(&t, &alloc);
    for (int k = 0; k < p->nproduct; k++) {
        if (keeps_unit(p, &p->product[k], units))
            continue;
        zw_text_printf(&t, "param %s = ", p->product[k].name);
        zw_text_number(&t, p->product[k].value);
        zw_text_printf(&t, "    # %s\n", p->product[k].formula);
    }
    for (int i = 0; i < p->n; i++)
        put_definition(p, &t, &p->q[i], units);
    p->head = zw_text_take(&t);
    return p->head ? ZW_OK : zw_out_of_memory(err, NULL);
}

static char *write_comment(const zw_products *p, bool units) {
    zw_text t;
    zw_allocator alloc = zw_context_allocator(p->ctx);
    zw_text_init(&t, &alloc);
    zw_text_printf(&t, "# %s%s%s %s, made by zwang chart --nondim from %s\n", p->sys->name,
                   p->sys->variant[0] ? ", variant " : "", p->sys->variant,
                   units ? "in units of its own" : "without dimensions", p->source.file);
    for (int b = 0; b < ZW_BASE_UNITS; b++) {
        static const char *const si[ZW_BASE_UNITS] = {"kg", "m", "s", "A", "K", "mol", "cd"};
        zw_base_scale s = zw_products_scale(p, b);
        if (s.what && units)
            zw_text_printf(&t, "#   %s: 1 [%s] here is %s\n", s.what, si[b], s.formula);
        else if (s.what)
            zw_text_printf(&t, "#   %s in units of %s\n", s.what, s.formula);
    }
    return zw_text_take(&t);
}

static void count_literal(void *user, zw_place place, const char *number, const char *unit,
                          double now) {
    (void)place, (void)number, (void)unit, (void)now;
    ++*(int *)user;
}

static zw_status write_text(zw_products *p, zw_error *err) {
    zw_rewriting how = zw_rewriting_default();
    zw_model_options plain = p->model;
    zw_model_source source = p->source;
    bool units;
    ZW_TRY(zw_model_has_solids(p->ctx, &p->source, &units, err));
    ZW_TRY(write_head(p, units, err));
    char *comment = write_comment(p, units);
    if (!comment)
        return zw_out_of_memory(err, NULL);
    for (int b = 0; b < ZW_BASE_UNITS; b++)
        how.unit[b] = p->unit[b].exponent ? zw_monomial_value(p, &p->unit[b]) : 1;
    how.units = units;
    how.ndropped = p->ndropped;
    how.dropped = p->dropped;
    how.head = p->head;
    how.comment = comment;
    how.literal = count_literal;
    how.literal_user = &p->nliteral;
    p->nliteral = 0;
    plain.constants = false;
    source.options = &plain;
    zw_status status = zw_model_rewrite(&p->text, p->ctx, &source, &how, err);
    zw_string_free(p->ctx, comment);
    return status;
}

/* ---------------------------------------------------------------------------------------- check */

typedef struct model_side {
    zw_context *ctx;
    zw_system *sys;
    zw_kernel *kernel;
    zw_flow *flow;
    double *p, *x, *rate;
} model_side;

static zw_status open_side(model_side *s, const zw_allocator *alloc, const char *text,
                           size_t length, const char *file, const zw_model_options *options,
                           zw_error *err) {
    zw_equations eq;
    s->ctx = zw_context_create(alloc);
    if (!s->ctx)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_parse(&s->sys, s->ctx, text, length, file, options, err));
    int nx = s->sys->nq + s->sys->nv;
    s->p = zw_context_alloc(s->ctx, sizeof *s->p * (size_t)(s->sys->np + 1));
    s->x = zw_context_alloc(s->ctx, sizeof *s->x * (size_t)(nx + 1));
    s->rate = zw_context_alloc(s->ctx, sizeof *s->rate * (size_t)(nx + 1));
    if (!s->p || !s->x || !s->rate)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s->sys, s->p, err));
    ZW_TRY(zw_derive(&eq, s->sys, NULL, "lagrange", err));
    if (eq.nq + eq.nv != nx)
        return zw_fail(err, ZW_E_MODEL, "the equations have other velocities than the model");
    ZW_TRY(zw_kernel_create(&s->kernel, &eq, NULL, err));
    return zw_flow_create(&s->flow, s->kernel, s->p, err);
}

static void close_side(model_side *s) {
    zw_flow_destroy(s->flow);
    zw_kernel_destroy(s->kernel);
    zw_context_destroy(s->ctx);
}

static const char *entry_name(const zw_system *s, int i, const char **unit) {
    *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

/* For every entry of the model's state: its position in the scaled one, and its unit. */
static zw_status match_entries(const zw_products *p, const model_side *a, const model_side *b,
                               int *to, double *u, zw_error *err) {
    int nx = a->sys->nq + a->sys->nv;
    const char *unit, *other;
    if (nx != b->sys->nq + b->sys->nv)
        return zw_fail(err, ZW_E_NUMERIC, "the scaled model has a different number of unknowns");
    for (int i = 0; i < nx; i++) {
        const char *name = entry_name(a->sys, i, &unit);
        for (to[i] = 0; to[i] < nx && strcmp(name, entry_name(b->sys, to[i], &other)) != 0;
             to[i]++) {
        }
        if (to[i] == nx)
            return zw_fail(err, ZW_E_NUMERIC, "the scaled model has no '%s'", name);
        ZW_TRY(zw_products_unit(p, unit, &u[i], err));
    }
    return ZW_OK;
}

typedef struct model_comparison {
    const zw_products *p;
    model_side *a, *b;
    int nx;
    int *to;                 /* nx: entries of the scaled state */
    double *u, *size, *miss; /* nx: units; largest rate, largest difference */
    double second;           /* unit of time */
    zw_sampler *states;
} model_comparison;

static zw_status begin_trial(model_comparison *r, zw_error *err) {
    zw_context *ctx = r->a->ctx;
    r->nx = r->a->sys->nq + r->a->sys->nv;
    size_t n = (size_t)(r->nx + 1);
    r->to = zw_context_alloc(ctx, sizeof *r->to * n);
    r->u = zw_context_alloc(ctx, sizeof *r->u * n);
    r->size = zw_context_alloc(ctx, sizeof *r->size * n);
    r->miss = zw_context_alloc(ctx, sizeof *r->miss * n);
    if (!r->to || !r->u || !r->size || !r->miss)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(match_entries(r->p, r->a, r->b, r->to, r->u, err));
    ZW_TRY(zw_products_unit(r->p, "s", &r->second, err));
    return zw_sampler_create(&r->states, r->a->sys, NULL, NULL, err);
}

/* The rates of both at state k; false if one of them has no finite value. */
static zw_status rates_at(model_comparison *r, int k, bool *finite, zw_error *err) {
    double t;
    ZW_TRY(zw_sampler_state(r->states, k, &t, r->a->x, err));
    for (int i = 0; i < r->nx; i++)
        r->b->x[r->to[i]] = r->a->x[i] / r->u[i];
    *finite = zw_flow_rates(r->a->flow, t, r->a->x, r->a->rate, NULL, NULL) >= 0 &&
              zw_flow_rates(r->b->flow, t / r->second, r->b->x, r->b->rate, NULL, NULL) >= 0;
    return ZW_OK;
}

/* Differences relative to the rate itself, or to a thousandth of its largest value, or to a
 * hundredth of that of all: a value that is zero up to round-off is no scale. Two rounds: sizes
 * first. */
static zw_status compare_rates(model_comparison *r, double *worst, zw_error *err) {
    int done = 0;
    double all = 0;
    *worst = 0;
    for (int k = 0; k < 2 * r->p->options.states; k++) {
        bool finite, second_round = k >= r->p->options.states;
        ZW_TRY(rates_at(r, k % r->p->options.states, &finite, err));
        for (int i = 0; finite && i < r->nx; i++) {
            double expected = r->a->rate[i] * r->second / r->u[i];
            double small = SMALL_RATE * fmax(r->size[i], SMALL_ENTRY * all);
            if (!second_round)
                r->size[i] = fmax(r->size[i], fabs(expected));
            else if (small > 0)
                *worst = fmax(*worst,
                              fabs(r->b->rate[r->to[i]] - expected) / fmax(fabs(expected), small));
            if (!second_round)
                all = fmax(all, r->size[i]);
        }
        done += finite;
    }
    if (done == 0)
        return zw_fail(err, ZW_E_NUMERIC, "the model has no finite rates at any random state");
    if (*worst <= ZW_ROUNDOFF_SOLVED)
        return ZW_OK;
    return zw_fail(err, ZW_E_NUMERIC,
                   "the scaled model differs from the model: a rate by %.2g of its size", *worst);
}

static zw_status compare_starts(model_comparison *r, zw_error *err) {
    bool *fixed = zw_context_alloc(r->a->ctx, sizeof *fixed * (size_t)(r->nx + 1));
    if (!fixed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_state(r->a->sys, r->a->p, r->a->x, fixed, err));
    ZW_TRY(zw_system_start_state(r->b->sys, r->b->p, r->b->x, fixed, err));
    for (int i = 0; i < r->nx; i++) {
        const char *unit;
        double expected = r->a->x[i] / r->u[i], got = r->b->x[r->to[i]];
        if (fabs(got - expected) <= ZW_ROUNDOFF_SUM * fabs(expected))
            continue;
        zw_fail(err, ZW_E_NUMERIC, "the scaled model starts with %s = %.15g, not %.15g",
                entry_name(r->a->sys, i, &unit), got, expected);
        zw_error_hint(err, "a start that --set gives is not in the text: write it there");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

/* Does any rate change with this parameter of the scaled model, at some states? */
static zw_status depends_on(model_comparison *r, int parameter, bool *out, zw_error *err) {
    double value = r->b->p[parameter], *before = r->miss;
    *out = false;
    for (int k = 0; k < 8 && !*out; k++) {
        bool finite;
        ZW_TRY(rates_at(r, k, &finite, err));
        if (!finite)
            continue;
        memcpy(before, r->b->rate, sizeof *before * (size_t)r->nx);
        r->b->p[parameter] = 1.1 * value + CHANGE_OF_ZERO * (value == 0);
        ZW_TRY(zw_flow_set_parameters(r->b->flow, r->b->p, err));
        ZW_TRY(rates_at(r, k, &finite, err));
        r->b->p[parameter] = value;
        ZW_TRY(zw_flow_set_parameters(r->b->flow, r->b->p, err));
        for (int i = 0; i < r->nx; i++)
            *out = *out || !finite || fabs(r->b->rate[i] - before[i]) > NO_CHANGE * fabs(before[i]);
    }
    return ZW_OK;
}

static zw_status find_idle(model_comparison *r, zw_pi_product *product, int n, zw_error *err) {
    for (int k = 0; k < n; k++) {
        bool depends = true;
        for (int i = 0; i < r->b->sys->np; i++)
            if (strcmp(r->b->sys->param[i].name, product[k].name) == 0)
                ZW_TRY(depends_on(r, i, &depends, err));
        product[k].idle = !depends;
    }
    return ZW_OK;
}

static zw_status compare_models(zw_products *p, model_side *a, model_side *b, double *worst,
                                zw_error *err) {
    model_comparison r = {.p = p, .a = a, .b = b};
    ZW_TRY(begin_trial(&r, err));
    ZW_TRY(compare_rates(&r, worst, err));
    ZW_TRY(find_idle(&r, p->product, p->nproduct, err));
    return compare_starts(&r, err);
}

zw_status zw_products_model(zw_products *p, const char **text, double *worst, zw_error *err) {
    model_side a = {0}, b = {0};
    zw_model_options plain = p->model;
    plain.constants = false;
    *text = NULL;
    zw_string_free(p->ctx, p->text);
    zw_string_free(p->ctx, p->head);
    p->text = p->head = NULL;
    ZW_TRY(write_text(p, err));
    zw_status status = open_side(&a, p->options.allocator, p->source.text, p->source.length,
                                 p->source.file, &plain, err);
    if (status >= 0)
        status = open_side(&b, p->options.allocator, p->text, strlen(p->text), "scaled model", NULL,
                           err);
    if (status >= 0)
        status = compare_models(p, &a, &b, worst, err);
    close_side(&a);
    close_side(&b);
    p->difference = *worst;
    *text = p->text;
    return status;
}
