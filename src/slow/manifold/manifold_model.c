/* SPDX-License-Identifier: MIT */
/* The flow on the manifold as the text of a model. States are the slow entries (x_dot for a
 * velocity x'), observables the fast ones. If h_0 is no formula, its points y_0 are states too,
 *
 *   y_0' = Dh_0 x' - pull (dg/dy)^-1 g(x, y_0, 0),
 *
 * whose second term returns them to g = 0 if they leave it: without it, equilibria would not be
 * isolated. The text is read again before it is returned. A slow variable that is replaced by a
 * held quantity (manifold_hold.c) is observed, too, and so is the rate of the held quantity;
 * runs end before it would turn back. Numbers inside formulas have no units, and if that is
 * inconsistent the whole is written without units, in SI. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formulas/reduction/state_text.h"
#include "manifold.h"

/* of the distance of the two roots of the replaced variable at the start: the run ends so near to
 * the turning point; its square is the error of the quantity */
#define TURNING_DISTANCE 1e-4

typedef struct model_writer {
    const zw_manifold *m;
    const zw_manifold_result *r;
    zw_context *ctx;
    zw_state_text text;
    const char *source;
    int order, nold;
    zw_expr *old, *now; /* symbols of the first model and their replacements here */
    int n;              /* formulas: f, h, of y_0, observables, events */
    zw_expr *e;
    int first_h, first_y, first_held, first_observable;
    bool *kept;          /* observables, then events, that can be expressed here */
    const double *x, *y; /* the start */
} model_writer;

static zw_expr rename_symbols(const model_writer *a, zw_expr e) {
    return zw_subst(a->ctx, e, a->nold, a->old, a->now);
}

static void rename_symbol(model_writer *a, zw_expr from, zw_expr to) {
    a->old[a->nold] = from;
    a->now[a->nold++] = to;
}

static zw_expr new_symbol(const model_writer *a, const char *name) {
    return zw_symbol(a->ctx, zw_explicit_plain_name(&a->m->rates, name));
}

static zw_expr sum_of_orders(const model_writer *a, int j) {
    const zw_manifold_result *r = a->r;
    zw_expr sum = ZW_ZERO;
    for (int k = 0; k <= a->order; k++)
        sum = zw_add(
            a->ctx, sum,
            zw_mul(a->ctx, zw_pow(a->ctx, r->small, zw_integer(a->ctx, k)), r->h[k * r->ny + j]));
    return sum;
}

static bool is_held(const model_writer *a, int i) {
    return a->m->held && a->m->held->instead == i;
}

static zw_expr rate_of_held(const model_writer *a) {
    zw_expr sum = ZW_ZERO;
    for (int k = 1; k <= a->order; k++)
        sum = zw_add(a->ctx, sum,
                     zw_mul(a->ctx, zw_pow(a->ctx, a->r->small, zw_integer(a->ctx, k)),
                            a->m->held->rate[k]));
    return sum;
}

/* y_0'. */
static zw_status rates_of_critical(model_writer *a, zw_error *err) {
    zw_manifold *m = (zw_manifold *)a->m;
    int n = a->r->ny, nx = a->r->nx;
    zw_expr *A = ZW_MANIFOLD_NEW(m, zw_expr, n * n), *b = ZW_MANIFOLD_NEW(m, zw_expr, n),
            zero = ZW_ZERO;
    if (m->arena.failed)
        return zw_manifold_memory(err);
    memcpy(A, m->G_y, (size_t)(n * n) * sizeof *A);
    for (int j = 0; j < n; j++) {
        zw_expr g = zw_subst(a->ctx, m->g[j], 1, &m->result.small, &zero);
        for (int l = 0; l < n; l++)
            g = zw_subst(a->ctx, g, 1, &m->y[l].sym, &m->y_0[l]);
        b[j] = g;
    }
    if (!zw_explicit_solve(&m->rates, &m->arena, n, 1, A, b))
        return zw_fail(err, ZW_E_MODEL, "dg/dy is singular");
    for (int j = 0; j < n; j++) {
        zw_expr sum = zw_neg(a->ctx, zw_mul(a->ctx, zw_symbol(a->ctx, "pull"), b[j]));
        for (int i = 0; i < nx; i++)
            sum = zw_add(a->ctx, sum, zw_mul(a->ctx, m->Dh[j * nx + i], a->e[i]));
        a->e[a->first_y + j] = rename_symbols(a, sum);
    }
    return ZW_OK;
}

/* Can observables and events be expressed? Not with accelerations, multipliers, actions. */
static bool is_expressible(void *user, zw_expr *e) {
    const model_writer *a = user;
    const zw_manifold *m = a->m;
    *e = rename_symbols(a,
                        zw_subst(a->ctx, *e, m->rates.nreplaced, m->rates.symbol, m->rates.value));
    return !zw_state_text_has_forces(&a->text, *e);
}

static zw_status collect_expressions(model_writer *a, zw_error *err) {
    zw_manifold *m = (zw_manifold *)a->m;
    const zw_manifold_result *r = a->r;
    const zw_system *s = m->sys;
    int most = r->nx + 2 * r->ny + 3 + s->nobservable + s->nevent;
    a->old = ZW_MANIFOLD_NEW(m, zw_expr, r->nx + r->ny);
    a->now = ZW_MANIFOLD_NEW(m, zw_expr, r->nx + r->ny);
    a->e = ZW_MANIFOLD_NEW(m, zw_expr, most);
    a->kept = ZW_MANIFOLD_NEW(m, bool, s->nobservable + s->nevent);
    zw_expr *of = ZW_MANIFOLD_NEW(m, zw_expr, r->nx);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int i = 0; i < r->nx; i++) {
        rename_symbol(a, r->x[i].sym, new_symbol(a, r->x[i].name));
        of[i] = is_held(a, i) ? ZW_NULL : r->x[i].sym;
    }
    for (int j = 0; j < r->ny; j++)
        rename_symbol(a, r->y[j].sym, new_symbol(a, r->y[j].name));
    for (int i = 0; i < r->nx; i++)
        a->e[a->n++] = rename_symbols(a, m->f[i]);
    a->first_h = a->n;
    for (int j = 0; j < r->ny; j++)
        a->e[a->n++] = rename_symbols(a, sum_of_orders(a, j));
    a->first_y = a->n;
    if (!r->closed) {
        ZW_TRY(rates_of_critical(a, err));
        a->n += r->ny;
    }
    a->first_held = a->n;
    if (m->held) {
        a->e[a->n++] = rename_symbols(a, m->held->value);
        a->e[a->n++] = rename_symbols(a, rate_of_held(a));
        a->e[a->n++] = rename_symbols(a, m->held->half);
    }
    a->first_observable = a->n;
    a->n += zw_state_text_collect(&a->text, is_expressible, a, a->kept, a->e + a->n);
    zw_state_text_name_tables(&a->text, a->n, a->e);
    a->text.n = a->n;
    a->text.e = a->e;
    a->text.nstate = r->nx;
    a->text.of = of;
    a->text.state = a->now;
    a->text.nnamed = zw_name_common(a->ctx, a->n, a->e, r->nx, a->now, ZW_NAMED_LEAST,
                                    ZW_NAMED_MOST, a->text.named, a->text.meaning);
    return zw_context_status(a->ctx, err);
}

/* ----------------------------------------------------------------------------------------- text */

static void put_parameters(model_writer *a) {
    zw_state_text_parameters(&a->text);
    if (a->m->held) {
        zw_text_printf(a->text.out, "param %s = ", a->m->held->name);
        zw_text_number(a->text.out, a->m->held->start);
        zw_state_text_unit(&a->text, a->m->held->unit);
        zw_text_put(a->text.out, "\n");
    }
    if (!a->r->closed) {
        zw_text_put(a->text.out, "param pull = 1");
        zw_state_text_unit(&a->text, "1/s");
        zw_text_put(a->text.out,
                    "                                   # brings y_0 to the critical manifold\n");
    }
}

/* PREFIX_what, a name that the first model does not have. */
static void name_of_held(const model_writer *a, const char *what, size_t size, char *name) {
    snprintf(name, size, "%.150s_%s", a->m->held->name, what);
    zw_explicit_make_new(a->m->sys, size, name);
}

/* Runs end where the two values of the slow variable meet: beyond, it is on the other one. */
static void put_turning_event(model_writer *a) {
    const zw_manifold_held *e = a->m->held;
    char name[200];
    if (!e || e->half == ZW_ZERO)
        return;
    name_of_held(a, "turns", sizeof name, name);
    zw_text_printf(a->text.out, "event %s : ", name);
    zw_state_text_expr(&a->text, a->e[a->first_held + 2]);
    zw_text_put(a->text.out, e->half_start > 0 ? " - " : " + ");
    zw_text_number(a->text.out, TURNING_DISTANCE * fabs(e->half_start));
    zw_state_text_unit(&a->text, a->r->x[e->instead].unit);
    zw_text_put(a->text.out, e->half_start > 0 ? " falling stop" : " rising stop");
    zw_text_printf(a->text.out, "          # %s would turn back\n", a->r->x[e->instead].name);
}

/* The slow variable as a function of the held quantity, and the rate of that quantity. */
static void put_held(model_writer *a) {
    const zw_manifold_held *e = a->m->held;
    char name[200], unit[80];
    if (!e)
        return;
    zw_state_text_observable(&a->text, zw_expr_name(a->ctx, a->now[e->instead]),
                             a->r->x[e->instead].unit, a->e[a->first_held]);
    name_of_held(a, "rate", sizeof name, name);
    snprintf(unit, sizeof unit, e->unit[0] ? "%.60s/s" : "1/s", e->unit);
    zw_state_text_observable(&a->text, name, unit, a->e[a->first_held + 1]);
}

static void put_flow(model_writer *a) {
    const zw_manifold_result *r = a->r;
    zw_state_text_tables(&a->text);
    zw_state_text_named(&a->text);
    zw_text_put(a->text.out, "\n");
    for (int j = 0; j < r->ny; j++)
        zw_state_text_observable(&a->text, zw_expr_name(a->ctx, a->now[r->nx + j]), r->y[j].unit,
                                 a->e[a->first_h + j]);
    put_held(a);
    for (int i = 0; i < r->nx; i++)
        if (!is_held(a, i))
            zw_state_text_state(&a->text, a->now[i], r->x[i].unit, a->e[i]);
    for (int j = 0; !r->closed && j < r->ny; j++)
        zw_state_text_state(&a->text, r->y_0[j], r->y[j].unit, a->e[a->first_y + j]);
}

/* Is the flow the same after a period of this slow variable? */
static bool is_periodic(const model_writer *a, int i) {
    int index = a->m->x[i].index;
    zw_expr period = index < a->m->sys->nq ? a->m->sys->coord[index].period : 0;
    bool same = period && !is_held(a, i) && a->r->closed;
    for (int k = 0; same && k < a->first_y; k++) {
        zw_expr later = zw_add(a->ctx, a->now[i], period);
        same = zw_subst(a->ctx, a->e[k], 1, &a->now[i], &later) == a->e[k];
    }
    return same;
}

static void put_steady(model_writer *a) {
    const zw_system *s = a->m->sys;
    for (int i = 0; i < a->r->nx; i++)
        if (is_periodic(a, i))
            zw_state_text_periodic(&a->text, a->now[i], s->coord[a->m->x[i].index].period);
    for (int i = 0; a->r->closed && i < s->nmotion; i++)
        if (s->motion[i].nfree == 0)
            zw_state_text_steady(&a->text, &s->motion[i]);
}

static void put_rest(model_writer *a) {
    const zw_manifold_result *r = a->r;
    put_steady(a);
    for (int i = 0; i < r->nx; i++)
        if (!is_held(a, i))
            zw_state_text_start(&a->text, a->now[i], r->x[i].unit, a->x[i]);
    for (int j = 0; !r->closed && j < r->ny; j++)
        zw_state_text_start(&a->text, r->y_0[j], r->y[j].unit, a->y[j]);
    zw_state_text_observables(&a->text, a->kept, a->e + a->first_observable);
    zw_state_text_events(&a->text, a->kept, a->e + a->first_observable);
    put_turning_event(a);
}

static void put_head_of_held(model_writer *a) {
    const zw_manifold_held *e = a->m->held;
    if (e)
        zw_text_printf(
            a->text.out,
            "\n# Held as the parameter %s, in the place of %s: %s, conserved without %s. "
            "With %s it moves, at %s_rate.",
            e->name, a->r->x[e->instead].name, e->formula, zw_expr_name(a->ctx, a->r->small),
            zw_expr_name(a->ctx, a->r->small), e->name);
}

static void put_all(void *user) {
    model_writer *a = user;
    const zw_system *s = a->m->sys;
    const zw_manifold_result *r = a->r;
    char where[200];
    snprintf(where, sizeof where, ", on its slow manifold up to %.100s^%d",
             zw_expr_name(a->ctx, r->small), a->order);
    zw_state_text_head(&a->text, "The slow motion of", where, "slow", a->source);
    zw_text_put(a->text.out, "# Fast, and observed here:");
    for (int j = 0; j < r->ny; j++)
        zw_text_printf(a->text.out, " %s", r->y[j].name);
    put_head_of_held(a);
    zw_text_printf(a->text.out, "\nmodel %s_slow \"Slow motion of %s\"\n", s->name, s->name);
    if (!a->text.units)
        zw_text_put(a->text.out, "units none\n");
    zw_text_put(a->text.out, "\n");
    put_parameters(a);
    put_flow(a);
    put_rest(a);
}

/* The slow part of the start, and the point of the critical manifold above it. */
static zw_status find_start(model_writer *a, zw_error *err) {
    zw_manifold *m = (zw_manifold *)a->m;
    double *x = ZW_MANIFOLD_NEW(m, double, a->r->nx), *y = ZW_MANIFOLD_NEW(m, double, a->r->ny);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_manifold_start(m, x, y, err));
    a->x = x;
    a->y = y;
    if (a->r->closed)
        return ZW_OK;
    if (zw_manifold_critical(m, x, y, err) != ZW_OK) {
        *err = (zw_error){0};
        zw_fail(err, ZW_E_NUMERIC, "no point of the critical manifold is found at the start");
        zw_error_hint(err, "--set a start near the manifold");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

char *zw_manifold_model(const zw_manifold *m, int order, const char *source, zw_error *err) {
    model_writer *a = ZW_MANIFOLD_NEW((zw_manifold *)m, model_writer, 1);
    if (!a) {
        zw_manifold_memory(err);
        return NULL;
    }
    *a = (model_writer){.text = {.ctx = m->ctx, .sys = m->sys, .p = m->p},
                        .m = m,
                        .r = &m->result,
                        .ctx = m->ctx,
                        .source = source,
                        .order = order};
    if (order < 0 || order > m->result.norder) {
        zw_fail(err, ZW_E_OPTION, "the manifold is known up to order %d", m->result.norder);
        return NULL;
    }
    if (find_start(a, err) < 0 || collect_expressions(a, err) < 0)
        return NULL;
    zw_error why = {0};
    char *text = zw_state_text_write(&a->text, put_all, a, &why);
    if (!text)
        zw_fail(err, why.status, "the reduced flow cannot be read again, line %d: %s", why.line,
                why.text);
    return text;
}
