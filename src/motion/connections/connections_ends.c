/* SPDX-License-Identifier: MIT */
/* The end of a connecting orbit, by names: an equilibrium that the model states, values near which
 * there is one, or the first equilibrium with angles some turns further. Turns are accepted if the
 * rates at some states are the same after them. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/named_values.h"
#include "base/option.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "connections.h"
#include "zwang/model.h"

enum { SAMPLES = 6 };

static zw_status read_other(void *user, const char *option, char *name, char *value,
                            zw_error *err) {
    zw_connections *s = user;
    const char *unit;
    int i = zw_equilibria_find_entry(s->e, name);
    if (i < 0)
        return zw_equilibria_no_entry(s->e, option, name, err);
    zw_equilibria_entry(s->e, i, &unit);
    return zw_model_number(&s->other[i], s->sys, s->p, option, value, unit, err);
}

static zw_status read_turn(void *user, const char *option, char *name, char *value, zw_error *err) {
    zw_connections *s = user;
    double turns;
    int i = zw_equilibria_find_entry(s->e, name);
    if (i < 0)
        return zw_equilibria_no_entry(s->e, option, name, err);
    if (i >= s->e->eq.nq)
        return zw_fail(err, ZW_E_OPTION, "%s: %s is no angle, only coordinates turn", option, name);
    ZW_TRY(zw_model_number(&turns, s->sys, s->p, option, value, "", err));
    if (!(turns == round(turns)) || fabs(turns) > 1000) {
        zw_fail(err, ZW_E_OPTION, "%s: %s makes a whole number of turns, not %s", option, name,
                value);
        return ZW_E_OPTION;
    }
    s->turn[i] = 2 * M_PI * turns;
    s->has_turn |= turns != 0;
    return ZW_OK;
}

/* takes the entries of a motion in closed form; the others stay */
static zw_status take_motion(zw_connections *s, const zw_motion *m, zw_error *err) {
    const zw_system *sys = s->sys;
    zw_expr *symbol = ZW_NEW(&s->arena, zw_expr, sys->np + 1);
    if (!symbol)
        return zw_out_of_memory(err, NULL);
    if (m->nfree) {
        zw_fail_at(err, ZW_E_MODEL, m->place, "the symbol %s of the motion has no value",
                   zw_expr_name(sys->ctx, m->free[0]));
        zw_error_hint(err, "give numbers: --to \"x=1, y=0\"");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < sys->np; i++)
        symbol[i] = sys->param[i].sym;
    for (int k = 0; k < m->n; k++) {
        double value = zw_eval(sys->ctx, m->value[k], sys->np, symbol, s->p);
        for (int i = 0; i < sys->nq; i++)
            if (sys->coord[i].sym == m->what[k])
                s->other[i] = value;
        for (int i = 0; i < sys->nv && !s->e->eq.from_system; i++)
            if (sys->velocity[i].sym == m->what[k])
                s->other[sys->nq + i] = value;
    }
    return ZW_OK;
}

static zw_status read_to(zw_connections *s, zw_error *err) {
    const char *to = s->options.to, *names[64];
    int n = 0;
    for (; n < s->sys->nmotion && n < 64; n++) {
        names[n] = s->sys->motion[n].name;
        if (strcmp(names[n], to) == 0)
            return take_motion(s, &s->sys->motion[n], err);
    }
    if (strchr(to, '='))
        return zw_study_items(&s->arena, "--to", to,
                              "a steady motion of the model, or \"x=1, y=0\"", read_other, s, err);
    zw_fail(err, ZW_E_NAME, "--to: the model states no steady motion '%s'", to);
    const char *near = zw_nearest(to, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else
        zw_error_hint(err, "values near which there is one do as well: --to \"x=1, y=0\"");
    return ZW_E_NAME;
}

static zw_status check_turn(zw_connections *s, zw_error *err) {
    zw_random random = zw_random_stream(17, 0);
    const double *x0 = s->e->motion.x;
    double *x = ZW_NEW(&s->arena, double, 3 * s->nx + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    double *f = x + s->nx, *g = f + s->nx;
    for (int look = 0; look < SAMPLES; look++) {
        double most = 0, off = 0;
        for (int i = 0; i < s->nx; i++)
            x[i] = x0[i] + s->e->scale[i] * zw_random_real(&random, -0.3, 0.3);
        ZW_TRY(zw_flow_project(s->e->flow, 0, x, NULL, err));
        ZW_TRY(zw_flow_rates(s->e->flow, 0, x, f, NULL, err));
        for (int i = 0; i < s->nx; i++)
            x[i] += s->turn[i];
        ZW_TRY(zw_flow_rates(s->e->flow, 0, x, g, NULL, err));
        for (int i = 0; i < s->nx; i++) {
            most = fmax(most, fabs(f[i]) / s->e->scale[i]);
            off = fmax(off, fabs(f[i] - g[i]) / s->e->scale[i]);
        }
        if (off > ZW_ROUNDOFF_SOLVED * most) {
            zw_fail(err, ZW_E_OPTION,
                    "--turn %s: the motion is not the same after these turns, rates differ by %.2g",
                    s->options.turn, off / most);
            zw_error_hint(err, "only angles can turn; give another equilibrium with --to");
            return ZW_E_OPTION;
        }
    }
    return ZW_OK;
}

zw_status zw_connections_read_ends(zw_connections *s, zw_error *err) {
    s->turn = ZW_NEW(&s->arena, double, s->nx + 1);
    s->other = ZW_NEW(&s->arena, double, s->nx + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(s->other, s->e->motion.x, sizeof(double) * (size_t)s->nx);
    if (s->options.to && s->options.turn)
        return zw_fail(err, ZW_E_OPTION,
                       "--to and --turn are two ways to say where the orbit ends: take one");
    if (s->options.to) {
        s->has_other = true;
        ZW_TRY(read_to(s, err));
        return zw_flow_project(s->e->flow, 0, s->other, NULL, err);
    }
    if (!s->options.turn)
        return ZW_OK;
    ZW_TRY(zw_study_items(&s->arena, "--turn", s->options.turn, "\"gamma=1\": one turn further",
                          read_turn, s, err));
    return s->has_turn ? check_turn(s, err) : ZW_OK;
}
