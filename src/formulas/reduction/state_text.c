/* SPDX-License-Identifier: MIT */
/* Models of first order as text. */
#include "state_text.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "lang/parameters.h"
#include "zwang/model.h"

void zw_state_text_expr(zw_state_text *a, zw_expr e) {
    char *text = zw_print(a->ctx, e, ZW_TEXT);
    if (!text)
        a->out->failed = true;
    zw_text_put(a->out, text ? text : "");
    zw_string_free(a->ctx, text);
}

void zw_state_text_unit(zw_state_text *a, const char *unit) {
    if (a->units && unit[0])
        zw_text_printf(a->out, " [%s]", unit);
}

void zw_state_text_head(zw_state_text *a, const char *what, const char *where, const char *verb,
                        const char *source) {
    const zw_system *s = a->sys;
    const char *folder = source ? strrchr(source, '/') : NULL;
    source = folder ? folder + 1 : source;
    zw_text_printf(a->out, "# %s %s%s%s%s%s. Written by zwang %s%s%s.\n", what, s->name,
                   s->variant && s->variant[0] ? ", variant " : "", s->variant ? s->variant : "",
                   where, a->units || s->no_units ? "" : ", in SI units", verb,
                   source ? " from " : "", source ? source : "");
}

/* ----------------------------------------------------------------------------------- parameters */

static bool is_in(const zw_state_text *a, int n, const zw_expr *e, zw_expr sym) {
    for (int i = 0; i < n; i++)
        if (zw_depends(a->ctx, e[i], sym))
            return true;
    return false;
}

/* Does the text need it, possibly through others? */
static bool is_needed(const zw_state_text *a, int nalso, const zw_expr *also, zw_expr sym) {
    const zw_system *s = a->sys;
    if (is_in(a, a->n, a->e, sym) || is_in(a, a->nnamed, a->meaning, sym) ||
        is_in(a, nalso, also, sym))
        return true;
    for (int i = 0; i < s->np; i++)
        if (zw_depends(a->ctx, s->param[i].value, sym) &&
            is_needed(a, nalso, also, s->param[i].sym))
            return true;
    return false;
}

/* Values of steady motions that are written. */
static int steady_values(const zw_state_text *a, int most, zw_expr *out) {
    const zw_system *s = a->sys;
    int n = 0;
    for (int i = 0; i < s->nmotion; i++)
        for (int k = 0; k < s->motion[i].n && n < most; k++)
            if (zw_state_text_place(a, s->motion[i].what[k]) >= 0)
                out[n++] = s->motion[i].value[k];
    return n;
}

void zw_state_text_parameters(zw_state_text *a) {
    enum { SYMBOLS_MOST = 256 }; /* values of steady motions */
    zw_expr also[SYMBOLS_MOST];
    const zw_system *s = a->sys;
    int nalso = steady_values(a, SYMBOLS_MOST, also);
    for (int i = 0; i < s->np; i++) {
        if (!is_needed(a, nalso, also, s->param[i].sym))
            continue;
        if (zw_foreign_symbol(a->ctx, s->param[i].value, 0, NULL) == ZW_NULL) {
            zw_text_printf(a->out, "param %s = ", s->param[i].name);
            zw_text_number(a->out, a->p[i]);
            zw_state_text_unit(a, s->param[i].unit);
        } else {
            zw_text_printf(a->out,
                           "%s %s = ", zw_model_declares(s, s->param[i].name) ? "param" : "let",
                           s->param[i].name);
            zw_state_text_expr(a, s->param[i].value);
        }
        zw_text_put(a->out, "\n");
    }
}

/* ------------------------------------------------------------------------------------ tables */

enum { ORDERS = 4, POINTS_IN_A_LINE = 4 }; /* a cubic has three derivatives */

void zw_state_text_name_tables(zw_state_text *a, int n, zw_expr *e) {
    zw_model_input input[ZW_TABLES_MOST];
    int count = zw_model_table_inputs(a->sys, ZW_TABLES_MOST, input);
    for (int i = 0; i < count && i < ZW_TABLES_MOST; i++) {
        zw_expr part[ORDERS], name[ORDERS];
        bool contained = false;
        int orders = input[i].table < 0 ? 1 : ORDERS;
        for (int k = 0; k < orders; k++) {
            char text[200];
            snprintf(text, sizeof text, "%.190s%.*s", input[i].name, k, "'''");
            part[k] = k ? zw_lookup(a->ctx, input[i].table, k, a->sys->t) : input[i].value;
            name[k] = zw_symbol(a->ctx, text);
        }
        for (int k = 0; k < n; k++) {
            zw_expr before = e[k];
            e[k] = zw_replace(a->ctx, e[k], orders, part, name);
            contained = contained || e[k] != before;
        }
        if (contained)
            a->table[a->ntable++] = input[i];
    }
}

static void put_point(zw_state_text *a, double t, double value, const char *unit) {
    zw_text_put(a->out, "(");
    zw_text_number(a->out, t);
    zw_state_text_unit(a, "s");
    zw_text_put(a->out, ", ");
    zw_text_number(a->out, value);
    zw_state_text_unit(a, unit);
    zw_text_put(a->out, ")");
}

void zw_state_text_tables(zw_state_text *a) {
    for (int i = 0; i < a->ntable; i++) {
        const zw_model_input *in = &a->table[i];
        zw_text_printf(a->out, "input %s = table ", in->name);
        for (int k = 0; k < in->n; k++) {
            zw_text_put(a->out, k == 0 ? "" : k % POINTS_IN_A_LINE ? ", " : ",\n    ");
            put_point(a, in->x[k], in->y[k], in->unit);
        }
        zw_text_put(a->out, in->table < 0 ? " hold\n" : in->cubic ? " cubic\n" : " linear\n");
    }
}

/* ----------------------------------------------------------------------------------- statements */

void zw_state_text_named(zw_state_text *a) {
    for (int i = 0; i < a->nnamed; i++) {
        zw_text_printf(a->out, "let %s = ", zw_expr_name(a->ctx, a->named[i]));
        zw_state_text_expr(a, a->meaning[i]);
        zw_text_put(a->out, "\n");
    }
}

void zw_state_text_state(zw_state_text *a, zw_expr sym, const char *unit, zw_expr rate) {
    const char *name = zw_expr_name(a->ctx, sym);
    zw_text_printf(a->out, "state %s", name);
    zw_state_text_unit(a, unit);
    zw_text_printf(a->out, " : %s' = ", name);
    zw_state_text_expr(a, rate);
    zw_text_put(a->out, "\n");
}

void zw_state_text_observable(zw_state_text *a, const char *name, const char *unit, zw_expr e) {
    zw_text_put(a->out, "observe ");
    for (const char *c = name; *c; c++) /* "foot.x" is one component of a vector */
        zw_text_put_n(a->out, *c == '.' ? "_" : c, 1);
    zw_text_put(a->out, " = ");
    zw_state_text_expr(a, e);
    zw_state_text_unit(a, unit);
    zw_text_put(a->out, "\n");
}

static void put_event(zw_state_text *a, const zw_event *event, zw_expr e) {
    static const char *const way[] = {"falling", "both", "rising"};
    zw_text_printf(a->out, "event %s : ", event->name);
    zw_state_text_expr(a, e);
    zw_text_printf(a->out, " %s %s\n", way[event->direction + 1], event->stop ? "stop" : "record");
}

bool zw_state_text_has_forces(const zw_state_text *a, zw_expr e) {
    const zw_system *s = a->sys;
    for (int i = 0; i < s->nv; i++)
        if (zw_depends(a->ctx, e, s->velocity[i].accel))
            return true;
    for (int i = 0; i < s->nconstraint; i++)
        if (zw_depends(a->ctx, e, s->constraint[i].lambda))
            return true;
    return false;
}

int zw_state_text_collect(const zw_state_text *a, bool (*is_expressible)(void *user, zw_expr *e),
                          void *user, bool *kept, zw_expr *e) {
    const zw_system *s = a->sys;
    int n = s->nobservable + s->nevent;
    for (int i = 0; i < n; i++) {
        const zw_event *event = i < s->nobservable ? NULL : &s->event[i - s->nobservable];
        e[i] = event ? event->value
                     : zw_state_text_in_si(a->ctx, s->observable[i].value, s->observable[i].unit);
        kept[i] =
            (!event || (event->naction == 0 && event->period == 0)) && is_expressible(user, &e[i]);
        e[i] = kept[i] ? e[i] : ZW_ZERO;
    }
    return n;
}

void zw_state_text_observables(zw_state_text *a, const bool *kept, const zw_expr *e) {
    const zw_system *s = a->sys;
    for (int i = 0; i < s->nobservable; i++)
        if (kept[i])
            zw_state_text_observable(a, s->observable[i].name, s->observable[i].unit, e[i]);
}

void zw_state_text_events(zw_state_text *a, const bool *kept, const zw_expr *e) {
    const zw_system *s = a->sys;
    for (int i = 0; i < s->nevent; i++)
        if (kept[s->nobservable + i])
            put_event(a, &s->event[i], e[s->nobservable + i]);
}

void zw_state_text_periodic(zw_state_text *a, zw_expr sym, zw_expr period) {
    zw_text_printf(a->out, "periodic %s", zw_expr_name(a->ctx, sym));
    if (period && period != zw_mul(a->ctx, zw_integer(a->ctx, 2), ZW_PI)) {
        zw_text_put(a->out, " period ");
        zw_state_text_expr(a, period);
    }
    zw_text_put(a->out, "\n");
}

int zw_state_text_place(const zw_state_text *a, zw_expr sym) {
    for (int i = 0; i < a->nstate; i++)
        if (a->of[i] == sym)
            return i;
    return -1;
}

void zw_state_text_steady(zw_state_text *a, const zw_motion *motion) {
    int n = 0;
    for (int k = 0; k < motion->n; k++) {
        int l = zw_state_text_place(a, motion->what[k]);
        if (l < 0)
            continue;
        zw_text_printf(a->out, n++ ? ", " : "steady %s : ", motion->name);
        zw_state_text_expr(a, a->state[l]);
        zw_text_put(a->out, " = ");
        zw_state_text_expr(a, motion->value[k]);
    }
    zw_text_put(a->out, n ? "\n" : "");
}

void zw_state_text_start(zw_state_text *a, zw_expr sym, const char *unit, double value) {
    zw_text_printf(a->out, "start %s = ", zw_expr_name(a->ctx, sym));
    zw_text_number(a->out, value);
    zw_state_text_unit(a, unit);
    zw_text_put(a->out, "\n");
}

zw_expr zw_state_text_in_si(zw_context *ctx, zw_expr e, const char *unit) {
    zw_unit u;
    if (!unit[0] || zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, NULL) < 0)
        return e;
    zw_expr factor = u.exact ? zw_mul(ctx, zw_rational(ctx, u.num, u.den),
                                      zw_pow(ctx, ZW_PI, zw_integer(ctx, u.pi_power)))
                             : zw_real(ctx, u.factor);
    return zw_mul(ctx, e, factor);
}

/* Is this the text of a model? */
static zw_status read_again(const char *text, zw_error *err) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    if (!ctx)
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_model_parse(&sys, ctx, text, strlen(text), "reduced", NULL, err);
    zw_context_destroy(ctx);
    return status;
}

char *zw_state_text_write(zw_state_text *a, void (*put)(void *user), void *user, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(a->ctx);
    for (int k = a->sys->no_units ? 1 : 0; k < 2; k++) {
        zw_text out;
        zw_text_init(&out, &alloc);
        a->out = &out;
        a->units = k == 0;
        put(user);
        char *text = zw_text_take(&out);
        *err = (zw_error){0};
        if (!text) {
            zw_out_of_memory(err, NULL);
            return NULL;
        }
        if (read_again(text, err) >= 0)
            return text;
        zw_string_free(a->ctx, text);
    }
    return NULL;
}
