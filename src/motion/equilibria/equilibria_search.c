/* SPDX-License-Identifier: MIT */
/* The search of zwang/steady.h by names: boxes of starts, periods of entries, and the selection of
 * one result. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "equilibria.h"
#include "zwang/model.h"

void zw_equilibria_search_options_init(zw_equilibria_search_options *options, size_t size) {
    const zw_equilibria_search_options all = {.size = size, .starts = 64, .most = 1024};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------------------- boxes */

static zw_status no_such_entry(const zw_equilibria *e, const char *name, zw_error *err) {
    int n = e->eq.nq + e->eq.nv;
    const char *unit, **names = ZW_NEW((zw_arena *)&e->arena, const char *, n + 1);
    zw_fail(err, ZW_E_NAME, "there is no coordinate or velocity '%s' to search in", name);
    for (int i = 0; names && i < n; i++)
        names[i] = zw_equilibria_entry(e, i, &unit);
    const char *similar = names ? zw_nearest(name, n, names) : NULL;
    if (similar)
        zw_error_hint(err, "did you mean %s?", similar);
    return ZW_E_NAME;
}

/* The text after a number: a unit, or nothing; NULL if the text does not begin with a number. */
static const char *after_number(const char *text) {
    char *end;
    strtod(text, &end);
    if (end == text)
        return NULL;
    while (isspace((unsigned char)*end))
        end++;
    return end;
}

/* Split "low : high unit" into two texts; the unit of the second applies to the first if that is a
 * plain number. */
static zw_status split_range(const zw_equilibria *e, const char *text, const char **low,
                             const char **high, zw_error *err) {
    zw_arena *arena = (zw_arena *)&e->arena;
    const char *colon = strchr(text, ':'), *unit;
    if (!colon) {
        zw_fail(err, ZW_E_OPTION, "--search: '%s' is no range", text);
        zw_error_hint(err, "--search NAME=LOW:HIGH, for example --search \"x=-2:2 [m]\"");
        return ZW_E_OPTION;
    }
    *low = zw_arena_copy(arena, text, (size_t)(colon - text));
    *high = zw_arena_string(arena, colon + 1);
    if (!*low || !*high)
        return zw_out_of_memory(err, NULL);
    unit = after_number(*high);
    const char *other = after_number(*low);
    if (unit && *unit && other && !*other)
        *low = zw_arena_printf(arena, "%s%s", *low, unit);
    return *low ? ZW_OK : zw_out_of_memory(err, NULL);
}

bool zw_equilibria_is_angle(const zw_equilibria *e, int entry) {
    const char *unit;
    zw_equilibria_entry(e, entry, &unit);
    return entry < e->eq.nq && (strcmp(unit, "rad") == 0 || e->sys->coord[entry].period != ZW_NULL);
}

zw_status zw_equilibria_read_box(const zw_equilibria *e, const char *text, zw_equilibria_box *box,
                                 zw_error *err) {
    const char *equals = strchr(text, '='), *unit, *low, *high;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    char *name = zw_context_alloc(e->sys->ctx, length + 1);
    if (!name)
        return zw_out_of_memory(err, NULL);
    memcpy(name, text, length);
    *box = (zw_equilibria_box){.name = name, .low = -M_PI, .high = M_PI};
    int entry = zw_equilibria_find_entry(e, name);
    if (entry < 0)
        return no_such_entry(e, name, err);
    zw_equilibria_entry(e, entry, &unit);
    if (!equals && zw_equilibria_is_angle(e, entry))
        return ZW_OK;
    if (!equals) {
        zw_fail(err, ZW_E_OPTION, "--search %s: from where to where?", name);
        zw_error_hint(err, "--search \"%s=LOW:HIGH%s%s%s\"; only an angle has a range of its own",
                      name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
        return ZW_E_OPTION;
    }
    ZW_TRY(split_range(e, equals + 1, &low, &high, err));
    const char *where = zw_arena_printf((zw_arena *)&e->arena, "--search %s", name);
    if (!where)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_number(&box->low, e->sys, e->p, where, low, unit, err));
    return zw_model_number(&box->high, e->sys, e->p, where, high, unit, err);
}

static zw_status read_boxes(zw_equilibria *e, const zw_equilibria_search_options *o,
                            zw_search_box *box, zw_error *err) {
    for (int i = 0; i < o->nbox; i++) {
        const zw_equilibria_box *b = &o->box[i];
        int entry = zw_equilibria_find_entry(e, b->name);
        if (entry < 0)
            return no_such_entry(e, b->name, err);
        if (!(b->low < b->high) || !isfinite(b->low) || !isfinite(b->high)) {
            zw_fail(err, ZW_E_OPTION, "--search %s: %g to %g is no range", b->name, b->low,
                    b->high);
            zw_error_hint(err, "the smaller number comes first");
            return ZW_E_OPTION;
        }
        for (int k = 0; k < i; k++)
            if (box[k].index == entry)
                return zw_fail(err, ZW_E_OPTION, "--search %s is given twice", b->name);
        for (int k = 0; k < e->options.nhold; k++)
            if (!e->hold[k].observable && e->hold[k].index == entry) {
                zw_fail(err, ZW_E_OPTION, "%s is held, and is to be searched for", b->name);
                zw_error_hint(err, "leave out --hold %s or --search %s", b->name, b->name);
                return ZW_E_OPTION;
            }
        box[i] = (zw_search_box){.index = entry, .low = b->low, .high = b->high};
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- search */

/* Candidates for full turns of coordinates: the period of the model, or 2 pi of an angle; they are
 * tested. */
zw_status zw_equilibria_periods(zw_equilibria *e, double *period, zw_error *err) {
    const zw_system *s = e->sys;
    zw_expr *symbol = ZW_NEW(&e->arena, zw_expr, s->np + 1);
    if (!symbol)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->np; i++)
        symbol[i] = s->param[i].sym;
    for (int i = 0; i < s->nq; i++) {
        const zw_coord *c = &s->coord[i];
        if (c->period != ZW_NULL)
            period[i] = zw_eval(s->ctx, c->period, s->np, symbol, e->p);
        else if (!c->state && (strcmp(c->unit, "rad") == 0 || c->unit[0] == '\0'))
            period[i] = 2 * M_PI;
    }
    for (int u = 0; u < e->kernel->nunit; u++)
        for (int i = 0; i < 4; i++)
            period[e->kernel->unit[u] + i] = 0;
    return zw_search_periods(e->flow, e->options.t, e->start, e->scale, period, err);
}

static zw_status found_nothing(const zw_equilibria *e, zw_error *err) {
    const zw_search *s = &e->search;
    if (s->off == s->starts) {
        if (err)
            *err = s->trouble;
        return s->trouble.status;
    }
    if (s->best.unmet == ZW_UNMET_NOTHING && s->trouble.status) {
        if (err)
            *err = s->trouble;
        return s->trouble.status;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "none of %d starts led to a steady motion; the smallest relative residual of the "
            "equations is %.2g",
            s->starts, s->best.residual);
    zw_equilibria_name_unmet(e, &s->best, err);
    return ZW_E_NUMERIC;
}

/* What is called between two starts. */
typedef struct search_caller {
    zw_equilibria *e;
    const zw_equilibria_search_options *o;
} search_caller;

/* Switch to native code if enough has been interpreted, and ask the caller whether to stop. */
static bool check_interrupt(void *user, double done) {
    const search_caller *w = user;
    zw_error ignored = {0};
    zw_kernel_serve(w->e->kernel, 0, &ignored);
    return w->o->stop && w->o->stop(w->o->stop_user, done);
}

zw_status zw_equilibria_search(zw_equilibria *e, const zw_equilibria_search_options *options,
                               zw_error *err) {
    zw_equilibria_search_options o = zw_equilibria_search_options_default();
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_equilibria_search_options", err));
    zw_search_box *box = ZW_NEW(&e->arena, zw_search_box, o.nbox + 1);
    double *period = ZW_NEW(&e->arena, double, e->kernel->nx + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (o.starts < 1 || o.nbox < 1)
        return zw_fail(err, ZW_E_OPTION, "a search needs a range and a start");
    ZW_TRY(read_boxes(e, &o, box, err));
    ZW_TRY(zw_equilibria_periods(e, period, err));
    if (e->problem.nfree)
        ZW_TRY(zw_equilibria_find_vary(e, err));
    zw_search_clear(&e->search);
    e->nbox = o.nbox;
    e->box = box;
    const zw_search_options search = {.t = e->options.t,
                                      .x = e->start,
                                      .nbox = o.nbox,
                                      .box = box,
                                      .starts = o.starts,
                                      .most = o.most,
                                      .period = period,
                                      .stop = check_interrupt,
                                      .stop_user = &(search_caller){e, &o}};
    ZW_TRY(zw_search_run(&e->search, e->flow, &e->symmetries, &e->problem, &search, err));
    return e->search.n == 0 ? found_nothing(e, err) : ZW_OK;
}

zw_status zw_equilibria_is_among(zw_equilibria *e, int n, const double *from, const double *period,
                                 bool *yes, zw_error *err) {
    zw_search s;
    *yes = false;
    const zw_search_options search = {
        .t = e->options.t, .x = e->start, .starts = n, .nfrom = n, .from = from, .period = period};
    ZW_TRY(zw_search_run(&s, e->flow, &e->symmetries, &e->problem, &search, err));
    *yes = s.n > 0 && s.last_found && s.entry[s.n - 1].first < n;
    zw_search_clear(&s);
    return ZW_OK;
}

zw_status zw_equilibria_select(zw_equilibria *e, int i, zw_error *err) {
    const zw_search_entry *entry = &e->search.entry[i];
    zw_steady own = e->motion;
    zw_linearisation_clear(&e->linear);
    e->linear_known = false;
    if (e->problem.nfree)
        ZW_TRY(e->problem.set(e->problem.user, entry->value, err));
    e->motion = entry->motion;
    e->motion.x = own.x;
    e->motion.c = own.c;
    e->motion.z = own.z;
    memcpy(own.x, entry->motion.x, sizeof(double) * (size_t)e->kernel->nx);
    memcpy(own.c, entry->motion.c, sizeof(double) * (size_t)e->symmetries.n);
    memcpy(own.z, entry->motion.z, sizeof(double) * (size_t)e->kernel->nz);
    return zw_equilibria_examine(e, err);
}
