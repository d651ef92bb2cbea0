/* SPDX-License-Identifier: MIT */
/* Signals: external inputs u(t) whose values come from outside the equations. Their rates are
 * unknown, so expressions that are differentiated twice cannot contain them: their derivatives are
 * symbols name' that no statement may keep (zw_mech_check_symbols reports why).
 *
 * A signal has a value computed from parameters, 0 by default, or a table of pieces over time:
 * constant (hold), linear, or those of the natural cubic spline. Outside its range a table has its
 * end values. A piece may be continued beyond its end, so that an integration can step smoothly up
 * to the next one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "expr/core/store.h"

zw_status zw_system_signal(zw_system *s, const char *name, const char *unit, zw_place place,
                           zw_expr *sym, zw_error *err) {
    const char *known;
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_scalar_name(s, name, place, &known, err));
    if (!zw_mech_grow(s->ctx, (void **)&s->signal, s->nsignal, &s->store->signal_capacity,
                      sizeof *s->signal))
        return zw_mech_status(s, place, err);
    char *rate = zw_context_alloc(s->ctx, strlen(name) + 2);
    if (!rate)
        return zw_mech_status(s, place, err);
    memcpy(rate, name, strlen(name));
    rate[strlen(name)] = '\'';
    *sym = zw_symbol(s->ctx, name);
    s->signal[s->nsignal++] = (zw_signal){.name = known,
                                          .unit = zw_context_intern(s->ctx, unit ? unit : ""),
                                          .sym = *sym,
                                          .rate = zw_symbol(s->ctx, rate),
                                          .value = ZW_ZERO,
                                          .table = -1,
                                          .place = place};
    return zw_mech_status(s, place, err);
}

zw_status zw_mech_find_signal(const zw_system *s, zw_expr sym, zw_place place, zw_signal **out,
                              zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].sym == sym) {
            *out = &s->signal[i];
            return ZW_OK;
        }
    return zw_fail_at(err, ZW_E_NAME, place, "there is no such signal");
}

zw_status zw_system_signal_value(zw_system *s, zw_expr signal, zw_expr value, zw_place place,
                                 zw_error *err) {
    zw_signal *u;
    ZW_TRY(zw_mech_find_signal(s, signal, place, &u, err));
    ZW_TRY(zw_mech_check_symbols(s, value, 0, "the value of a signal", place, err));
    u->value = value;
    u->table = -1;
    u->noise = ZW_NULL;
    return ZW_OK;
}

zw_status zw_system_signal_table(zw_system *s, zw_expr signal, int n, const double *t,
                                 const double *y, zw_pieces pieces, zw_place place, zw_error *err) {
    zw_signal *u;
    ZW_TRY(zw_mech_find_signal(s, signal, place, &u, err));
    int table = zw_tabulate(s->ctx, n, t, y, pieces == ZW_PIECES_CUBIC ? ZW_CUBIC : ZW_LINEAR);
    ZW_TRY(zw_mech_status(s, place, err));
    u->table = table;
    u->noise = ZW_NULL;
    u->hold = pieces == ZW_PIECES_HOLD;
    return ZW_OK;
}

/* the piece of a table that applies from time t on: -1 before the first, n - 1 after the last
 * point */
static int piece_at(const zw_spline *table, double t) {
    int low = -1, high = table->n;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (t < table->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

double zw_mech_of_parameters(const zw_system *s, zw_expr e, const double *p) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np);
    for (int i = 0; sym && i < s->np; i++)
        sym[i] = s->param[i].sym;
    double value = sym ? zw_eval(s->ctx, e, s->np, sym, p) : NAN;
    zw_scratch_release(s->ctx, mark);
    return value;
}

double zw_system_signal_at(const zw_system *s, int signal, const double *p, double from, double t) {
    const zw_signal *u = &s->signal[signal];
    const zw_spline *table = zw_spline_of(s->ctx, u->table);
    if (!table)
        return zw_mech_of_parameters(s, u->value, p);
    int piece = piece_at(table, from);
    if (piece < 0)
        return table->first;
    if (piece >= table->n - 1)
        return table->last;
    const double *c = table->coef + 4 * (size_t)piece;
    double d = t - table->x[piece];
    return u->hold ? c[0] : ((c[3] * d + c[2]) * d + c[1]) * d + c[0];
}

static double next_point(const zw_spline *table, double t) {
    int piece = table ? piece_at(table, t) : 0;
    return table && piece + 1 < table->n ? table->x[piece + 1] : INFINITY;
}

double zw_system_signal_next(const zw_system *s, double t) {
    double next = INFINITY;
    for (int i = 0; i < s->nsignal; i++)
        next = fmin(next, next_point(zw_spline_of(s->ctx, s->signal[i].table), t));
    return next;
}

const zw_signal *zw_mech_signal_in(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nsignal; i++)
        if (zw_depends(s->ctx, e, s->signal[i].sym) || zw_depends(s->ctx, e, s->signal[i].rate))
            return &s->signal[i];
    return NULL;
}

zw_status zw_mech_reject_signal(const char *role, const zw_signal *u, zw_place place,
                                zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, place, "%s cannot depend on the signal %s: its rate is not known",
               role, u->name);
    zw_error_hint(err,
                  "let a state follow it (state s : s' = (%s - s)/T), or give it a formula: "
                  "input %s = harmonic(...), sweep(...) or table ...",
                  u->name, u->name);
    return ZW_E_MODEL;
}

/* ------------------------------------------------------------------------------------- checks */

/* A constraint that is differentiated needs the rates of everything it contains, and a state in a
 * position constraint brings in its rate, which is differentiated once more. */
static zw_status check_constraint(const zw_system *s, const zw_constraint *c, zw_error *err) {
    if (c->level == ZW_ACCELERATION)
        return ZW_OK;
    char role[160];
    snprintf(role, sizeof role, "the constraint %.120s", c->name);
    const zw_signal *u = zw_mech_signal_in(s, c->residual);
    if (!u && c->level == ZW_POSITION) {
        u = zw_mech_signal_in(s, zw_system_dt(s, c->residual));
        snprintf(role, sizeof role, "the constraint %.90s, through the rate of a state in it,",
                 c->name);
    }
    return u ? zw_mech_reject_signal(role, u, c->place, err) : ZW_OK;
}

static const zw_signal *signal_claimed(const zw_system *s, const zw_claim *c) {
    const zw_signal *u = zw_mech_signal_in(s, c->residual);
    for (int k = 0; k < 2 * c->nclaimed && !u; k++)
        u = zw_mech_signal_in(s, c->claimed[k / 2].arg[k % 2]);
    return u;
}

zw_status zw_mech_check_signals(const zw_system *s, zw_error *err) {
    zw_place nowhere = {0};
    const zw_signal *u = NULL;
    if (!s->nsignal)
        return ZW_OK;
    for (int i = 0; i < s->nparticle; i++)
        for (int k = 0; k < 3; k++)
            if ((u = zw_mech_signal_in(s, s->particle[i].v[k])))
                return zw_mech_reject_signal("the velocity of a mass", u, s->particle[i].place,
                                             err);
    if ((u = zw_mech_signal_in(s, s->T)))
        return zw_mech_reject_signal("the kinetic energy", u, nowhere, err);
    for (int i = 0; i < s->nconstraint; i++)
        ZW_TRY(check_constraint(s, &s->constraint[i], err));
    for (int i = 0; i < s->nclaim; i++)
        if ((u = signal_claimed(s, &s->claim[i])))
            return zw_fail_at(err, ZW_E_MODEL, s->claim[i].place,
                              "the claim %s holds the signal %s, which may have any value",
                              s->claim[i].name, u->name);
    for (int i = 0; i < s->ndrawing; i++) {
        const zw_drawing *d = &s->drawing[i];
        for (int k = 0; k < 3 + d->n && !u; k++)
            u = zw_mech_signal_in(s, k < 3 ? d->at[k] : d->numbers[k - 3]);
        if (u)
            return zw_fail_at(err, ZW_E_MODEL, d->place,
                              "a drawing cannot depend on the signal %s, which is not in results",
                              u->name);
    }
    return ZW_OK;
}
