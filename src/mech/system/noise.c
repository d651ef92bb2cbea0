/* SPDX-License-Identifier: MIT */
/* White noise among the signals. It has no value at a time, only integrals over time. A model must
 * therefore be linear in it, and nothing that is evaluated at an instant (an observable, an event,
 * a value that an event sets) may contain it. Its mean is 0, which is the `value` of its signal and
 * is used where no noise is drawn. */
#include <assert.h>
#include <math.h>

#include "base/tolerance.h"
#include "build.h"
#include "sample.h"

bool zw_system_is_random(const zw_system *s) {
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].noise)
            return true;
    return false;
}

double zw_system_noise_at(const zw_system *s, int signal, const double *p) {
    assert(signal >= 0 && signal < s->nsignal);
    zw_expr intensity = s->signal[signal].noise;
    return intensity ? zw_mech_of_parameters(s, intensity, p) : 0;
}

zw_status zw_system_signal_noise(zw_system *s, zw_expr signal, zw_expr intensity, zw_place place,
                                 zw_error *err) {
    zw_signal *u;
    ZW_TRY(zw_mech_find_signal(s, signal, place, &u, err));
    ZW_TRY(zw_mech_check_symbols(s, intensity, 0, "the intensity of a noise", place, err));
    u->noise = intensity;
    u->value = ZW_ZERO;
    u->table = -1;
    return ZW_OK;
}

zw_status zw_system_state_spread(zw_system *s, zw_expr state, zw_expr spread, zw_place place,
                                 zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_check_symbols(s, spread, 0, "the spread of a start", place, err));
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == state && s->coord[i].state) {
            s->coord[i].spread = spread;
            return ZW_OK;
        }
    return zw_fail_at(err, ZW_E_NAME, place, "there is no such state whose start could be drawn");
}

/* ------------------------------------------------------------------------------------- checks */

static const zw_signal *noise_in(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].noise && zw_depends(s->ctx, e, s->signal[i].sym))
            return &s->signal[i];
    return NULL;
}

static zw_status reject_value(const zw_system *s, zw_expr e, const char *role, const char *name,
                              zw_place place, zw_error *err) {
    const zw_signal *u = noise_in(s, e);
    if (!u)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, place,
               "%s %s contains the white noise %s, which has no value at a given time", role, name,
               u->name);
    zw_error_hint(err,
                  "filtered noise has one: input %s = noise(standard deviation, correlation time)",
                  u->name);
    return ZW_E_MODEL;
}

/* the value of e at a random state where all noises are c */
static double value_at(zw_sample *at, const zw_system *s, zw_expr e, double c) {
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].noise)
            at->value[at->n - s->nsignal + i] = c;
    return zw_sample_value(at, s, e);
}

/* Deviation from a line, relative to its terms: round-off of an expression with cancelling terms.
 * A switch between branches deviates by the whole difference of their slopes. */
#define LINEAR_ROUNDOFF 1e-9

/* A condition has zero slope where it does not switch: tests numerically whether e is linear in the
 * common value of all noises. */
static bool is_line(const zw_system *s, zw_expr e) {
    static const double trial[] = {-1e6, -30, -1, 2, 1e3};
    zw_sample at;
    zw_error ignored = {0};
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    bool line = zw_sample_init(&at, s, &ignored) >= 0;
    for (unsigned k = 0; line && k < 3; k++) {
        zw_sample_scatter(&at, s, k);
        double base = value_at(&at, s, e, 0), slope = value_at(&at, s, e, 1) - base;
        for (int i = 0; i < 5; i++) {
            double by = value_at(&at, s, e, trial[i]) - base - trial[i] * slope;
            line = line &&
                   !(fabs(by) > LINEAR_ROUNDOFF * (fabs(base) + fabs(trial[i] * slope)) + ZW_TINY);
        }
    }
    zw_scratch_release(s->ctx, mark);
    return line;
}

static zw_status check_linear(const zw_system *s, zw_expr e, const char *role, const char *name,
                              zw_place place, zw_error *err) {
    for (int i = 0; i < s->nsignal; i++) {
        const zw_signal *u = &s->signal[i];
        if (!u->noise || !zw_depends(s->ctx, e, u->sym))
            continue;
        const zw_signal *other = noise_in(s, zw_diff(s->ctx, e, u->sym));
        if (!other && is_line(s, e))
            continue;
        other = other ? other : u;
        zw_fail_at(err, ZW_E_MODEL, place, "%s %s is not linear in the white noise %s", role, name,
                   other->name);
        zw_error_hint(
            err,
            "a square or a product of white noises has no meaning; filtered noise "
            "(input %s = noise(standard deviation, correlation time)) may be in any formula",
            other->name);
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

zw_status zw_mech_check_noise(const zw_system *s, zw_error *err) {
    zw_place nowhere = {0};
    if (!zw_system_is_random(s))
        return ZW_OK;
    for (int i = 0; i < s->nforce; i++)
        for (int k = 0; k < s->nv; k++)
            ZW_TRY(check_linear(s, s->force[i].Q[k], "the force", s->force[i].name,
                                s->force[i].place, err));
    ZW_TRY(check_linear(s, s->dissipation, "the", "dissipation", nowhere, err));
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state)
            ZW_TRY(check_linear(s, s->coord[i].rate, "the rate of the state", s->coord[i].name,
                                s->coord[i].place, err));
    for (int i = 0; i < s->nconstraint; i++)
        ZW_TRY(check_linear(s, s->constraint[i].residual, "the constraint", s->constraint[i].name,
                            s->constraint[i].place, err));
    for (int i = 0; i < s->nobservable; i++)
        ZW_TRY(reject_value(s, s->observable[i].value, "the observable", s->observable[i].name,
                            s->observable[i].place, err));
    for (int i = 0; i < s->nevent; i++) {
        const zw_event *e = &s->event[i];
        ZW_TRY(reject_value(s, e->value, "the event", e->name, e->place, err));
        for (int k = 0; k < e->naction; k++)
            if (e->action[k].kind == ZW_ACTION_SET)
                ZW_TRY(reject_value(s, e->action[k].value, "what is set by the event", e->name,
                                    e->action[k].place, err));
    }
    return ZW_OK;
}
