/* SPDX-License-Identifier: MIT */
/* Held values of a steady motion, and the parameters that are solved for to satisfy them.
 *
 * A coordinate or velocity of the state is held as an entry of it. Everything else is an expression
 * of the language; it becomes an observable of a copy of the system, from which the equations are
 * derived, so that the kernel has its value and derivatives. Parameters that depend on one that is
 * solved for follow it, as after an event that sets it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "equilibria.h"
#include "zwang/model.h"

enum { ROUNDS = 12 }; /* of solving and finding the symmetries anew */
/* of a parameter: do symmetries change with it? well above SYMMETRIES_SETTLED, and within the
 * model's range */
#define PARAMETER_SHIFT 1e-3
/* change of the symmetries from round to round: they come from a null space */
#define SYMMETRIES_SETTLED ZW_ROUNDOFF_SOLVED

/* ---------------------------------------------------------------------------------------- holds */

/* The equals sign of "a = b"; those of <=, >=, == do not count. */
static const char *equals_sign(const char *text) {
    for (const char *p = text; *p; p++)
        if (*p == '=' && p[1] != '=' && (p == text || !strchr("<>=!", p[-1])))
            return p;
    return NULL;
}

static zw_status split_option(zw_equilibria *e, const char *text, zw_held *out, zw_error *err) {
    const char *equals = equals_sign(text);
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    while (length > 0 && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    if (length == 0) {
        zw_fail(err, ZW_E_OPTION, "--hold %s: there is no name", text);
        zw_error_hint(err, "--hold NAME or --hold NAME=VALUE");
        return ZW_E_OPTION;
    }
    out->name = zw_arena_copy(&e->arena, text, length);
    out->value = equals ? zw_arena_string(&e->arena, equals + 1) : NULL;
    return zw_arena_status(&e->arena, err);
}

/* Entries of the state are known to the equations only: texts with another meaning, or none, are
 * checked later. */
zw_status zw_equilibria_read_holds(zw_equilibria *e, zw_error *err) {
    const zw_system *s = e->sys;
    int n = e->options.nhold;
    zw_observable *all = ZW_NEW(&e->arena, zw_observable, s->nobservable + n + 1);
    if (!all)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nobservable; i++)
        all[i] = s->observable[i];
    for (int i = 0; i < n; i++) {
        zw_held *h = &e->held[i];
        ZW_TRY(split_option(e, e->options.hold[i], h, err));
        zw_status status = zw_model_quantity(&h->what, &h->unit, s, "--hold", h->name, &h->fault);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        all[s->nobservable + i] = (zw_observable){
            .name = h->name, .unit = h->unit, .value = status < 0 ? ZW_ZERO : h->what};
        h->what = status < 0 ? ZW_NULL : h->what;
    }
    e->watched = *s;
    e->watched.observable = all;
    e->watched.nobservable += n;
    return ZW_OK;
}

/* The most similar name of the state or of an observable. */
static const char *nearest_name(zw_equilibria *e, const char *name) {
    int n = e->eq.nq + e->eq.nv, all = n + e->sys->nobservable;
    const char *unit, **names = ZW_NEW(&e->arena, const char *, all + 1);
    for (int i = 0; names && i < all; i++)
        names[i] = i < n ? zw_equilibria_entry(e, i, &unit) : e->sys->observable[i - n].name;
    return names ? zw_nearest(name, all, names) : NULL;
}

static zw_status no_such_hold(zw_equilibria *e, const zw_held *h, zw_error *err) {
    bool plain = true;
    for (const char *p = h->name; *p; p++)
        plain &= isalnum((unsigned char)*p) || strchr("_'.", *p) != NULL;
    if (!plain || (h->fault.status != ZW_E_NAME && h->fault.status != ZW_E_SYNTAX)) {
        if (err)
            *err = h->fault;
        return h->fault.status;
    }
    zw_fail(err, ZW_E_NAME,
            "there is no coordinate, velocity or observable '%s' that could be held", h->name);
    const char *similar = nearest_name(e, h->name);
    if (similar)
        zw_error_hint(err, "did you mean %s?", similar);
    return ZW_E_NAME;
}

/* Does it change with the motion at all? */
static bool is_moving(const zw_equilibria *e, const zw_held *h) {
    const zw_system *s = e->sys;
    bool any = false;
    for (int i = 0; i < s->nq; i++)
        any |= zw_depends(s->ctx, h->what, s->coord[i].sym);
    for (int i = 0; i < s->nv; i++)
        any |= zw_depends(s->ctx, h->what, s->velocity[i].sym) ||
               zw_depends(s->ctx, h->what, s->velocity[i].accel);
    for (int i = 0; i < s->nconstraint; i++)
        any |= zw_depends(s->ctx, h->what, s->constraint[i].lambda);
    return any || e->options.nsolve > 0;
}

static zw_status place_hold(zw_equilibria *e, int i, const double *observed, zw_error *err) {
    zw_held *h = &e->held[i];
    int entry = zw_equilibria_find_entry(e, h->name);
    if (entry >= 0) {
        zw_equilibria_entry(e, entry, &h->unit);
        e->hold[i] = (zw_hold){.index = entry, .value = e->motion.x[entry]};
    } else if (!h->what) {
        return no_such_hold(e, h, err);
    } else if (!is_moving(e, h)) {
        zw_fail(err, ZW_E_OPTION, "--hold %s: it does not change with the motion", h->name);
        zw_error_hint(err, "--set gives a parameter its value");
        return ZW_E_OPTION;
    } else {
        int index = e->sys->nobservable + i;
        e->hold[i] = (zw_hold){.observable = true, .index = index, .value = observed[index]};
    }
    if (h->value) {
        const char *where = zw_arena_printf(&e->arena, "--hold %s", h->name);
        if (!where)
            return zw_out_of_memory(err, NULL);
        return zw_model_number(&e->hold[i].value, e->sys, e->p, where, h->value, h->unit, err);
    }
    if (!isfinite(e->hold[i].value))
        return zw_fail(err, ZW_E_DOMAIN, "--hold %s: it has no value at the start", h->name);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- parameters */

static double change_of(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return most;
}

/* The symmetries at the current parameters; *same: they are the ones that e has had. */
static zw_status update_symmetries(zw_equilibria *e, bool *same, zw_error *err) {
    zw_symmetries current;
    ZW_TRY(zw_symmetries_find(&current, e->flow, e->options.t, e->start, e->scale, err));
    const zw_symmetries *old = &e->symmetries;
    *same = current.n == old->n && current.still == old->still &&
            change_of(current.nfield, current.driven, old->driven) <= SYMMETRIES_SETTLED &&
            change_of(current.n * current.nfield, current.combination, old->combination) <=
                SYMMETRIES_SETTLED;
    zw_symmetries_clear(&e->symmetries);
    e->symmetries = current;
    return ZW_OK;
}

static zw_status set_flow(zw_equilibria *e, const double *value, zw_error *err) {
    for (int i = 0; i < e->options.nsolve; i++)
        e->p[e->solve[i]] = value[i];
    ZW_TRY(zw_system_param_follow(e->sys, e->given, e->p, err));
    return zw_flow_set_parameters(e->flow, e->p, err);
}

/* If the rate of a drive is solved for, the displacement that compensates for it changes, but not
 * the number of symmetries. */
static zw_status set_parameters(void *user, const double *value, zw_error *err) {
    zw_equilibria *e = user;
    bool same;
    ZW_TRY(set_flow(e, value, err));
    if (!e->vary)
        return ZW_OK;
    int before = e->symmetries.n;
    ZW_TRY(update_symmetries(e, &same, err));
    return e->symmetries.n == before
               ? ZW_OK
               : zw_fail(
                     err, ZW_E_NUMERIC,
                     "the motion has more symmetries here than at neighbouring parameter values");
}

zw_status zw_equilibria_find_vary(zw_equilibria *e, zw_error *err) {
    double *value = ZW_NEW(&e->arena, double, e->problem.nfree + 1);
    bool same, unchanged;
    if (!value)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < e->problem.nfree; i++)
        value[i] = e->problem.value[i] + PARAMETER_SHIFT * e->problem.value_scale[i];
    ZW_TRY(set_flow(e, value, err));
    ZW_TRY(update_symmetries(e, &same, err));
    ZW_TRY(set_flow(e, e->problem.value, err));
    ZW_TRY(update_symmetries(e, &unchanged, err));
    e->vary = !same;
    return ZW_OK;
}

static zw_status find_parameter(zw_equilibria *e, const char *name, int *out, zw_error *err) {
    const zw_system *s = e->sys;
    const char **names = ZW_NEW(&e->arena, const char *, s->np + 1);
    for (*out = 0; *out < s->np; ++*out)
        if (strcmp(s->param[*out].name, name) == 0)
            return ZW_OK;
    zw_fail(err, ZW_E_NAME, "--solve %s: there is no parameter of this name", name);
    for (int i = 0; names && i < s->np; i++)
        names[i] = s->param[i].name;
    const char *similar = names ? zw_nearest(name, s->np, names) : NULL;
    if (similar)
        zw_error_hint(err, "did you mean %s?", similar);
    else
        zw_error_hint(err,
                      "coordinates and velocities are solved for anyway, unless they are held");
    return ZW_E_NAME;
}

zw_status zw_equilibria_read_solve(zw_equilibria *e, zw_error *err) {
    const zw_equilibria_options *o = &e->options;
    e->solve = ZW_NEW(&e->arena, int, o->nsolve + 1);
    e->given = ZW_NEW(&e->arena, bool, e->sys->np + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (o->nsolve > o->nhold) {
        zw_fail(err, ZW_E_OPTION, "%d parameter%s to be solved for, and %d quantit%s held",
                o->nsolve, o->nsolve == 1 ? " is" : "s are", o->nhold,
                o->nhold == 1 ? "y is" : "ies are");
        zw_error_hint(err, "hold something for each of them: --solve %s --hold NAME=VALUE",
                      o->solve[0]);
        return ZW_E_OPTION;
    }
    for (int i = 0; i < o->nsolve; i++) {
        ZW_TRY(find_parameter(e, o->solve[i], &e->solve[i], err));
        if (e->given[e->solve[i]])
            return zw_fail(err, ZW_E_OPTION, "--solve %s is given twice", o->solve[i]);
        e->given[e->solve[i]] = true;
    }
    return ZW_OK;
}

zw_status zw_equilibria_place_holds(zw_equilibria *e, zw_error *err) {
    const zw_equilibria_options *o = &e->options;
    double *observed = ZW_NEW(&e->arena, double, e->kernel->nobs + 3),
           *value = ZW_NEW(&e->arena, double, o->nsolve + 1),
           *size = ZW_NEW(&e->arena, double, o->nsolve + 1);
    zw_error ignored = {0};
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (o->nhold && zw_flow_observables(e->flow, o->t, e->motion.x, observed, &ignored) < 0)
        for (int i = 0; i < e->kernel->nobs; i++)
            observed[i] = NAN;
    for (int i = 0; i < o->nhold; i++)
        ZW_TRY(place_hold(e, i, observed, err));
    for (int i = 0; i < o->nsolve; i++) {
        value[i] = e->p[e->solve[i]];
        size[i] = value[i] != 0 ? fabs(value[i]) : 1;
    }
    e->problem.scale = e->scale;
    e->problem.nhold = o->nhold;
    e->problem.hold = e->hold;
    e->problem.nfree = o->nsolve;
    e->problem.value = value;
    e->problem.value_scale = size;
    e->problem.set = set_parameters;
    e->problem.user = e;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- solving */

zw_status zw_equilibria_solve(zw_equilibria *e, zw_error *err) {
    bool same = false;
    if (e->problem.nfree)
        ZW_TRY(zw_equilibria_find_vary(e, err));
    for (int round = 0; round < ROUNDS; round++) {
        ZW_TRY(zw_steady_solve(&e->motion, e->flow, &e->symmetries, &e->problem, err));
        if (!e->problem.nfree)
            return ZW_OK;
        ZW_TRY(update_symmetries(e, &same, err));
        if (same)
            return ZW_OK;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "the symmetries of the motion change with %s from step to step, without an end",
            e->options.solve[0]);
    zw_error_hint(err, "--set it instead of solving for it");
    return ZW_E_NUMERIC;
}
