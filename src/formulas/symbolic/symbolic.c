/* SPDX-License-Identifier: MIT */
/* The steps of zwang/symbolic.h in their order. */
#include "symbolic.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "mech/equations/variants.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"

void zw_symbolic_options_init(zw_symbolic_options *options, size_t size) {
    const zw_symbolic_options all = {.size = size, .by = "lagrange", .seed = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

const char *zw_symbolic_entry(const zw_symbolic *s, int i) {
    assert(i >= 0 && i < s->eq.nq + s->eq.nv);
    return i < s->eq.nq ? s->sys->coord[i].name : s->sys->velocity[i - s->eq.nq].name;
}

const zw_symbolic_result *zw_symbolic_get(const zw_symbolic *s) {
    return &s->result;
}

const zw_equations *zw_symbolic_equations(const zw_symbolic *s) {
    return &s->eq;
}

static zw_status no_motion(const zw_system *sys, const char *name, zw_error *err) {
    const char *names[64];
    int n = 0;
    for (; n < sys->nmotion && n < 64; n++)
        names[n] = sys->motion[n].name;
    if (!name && n == 0) {
        zw_fail(err, ZW_E_NAME,
                "the model %s has no steady statement (a steady motion in closed form)", sys->name);
        zw_error_hint(
            err,
            "add steady NAME : beta = pi/2, alpha' = Omega to the model, or give --at \"...\"");
        return ZW_E_NAME;
    }
    if (!name) {
        zw_fail(err, ZW_E_NAME, "the model %s has %d steady motions", sys->name, sys->nmotion);
        zw_error_hint(err, "choose one: --steady %s", names[0]);
        return ZW_E_NAME;
    }
    zw_fail(err, ZW_E_NAME, "there is no steady motion '%s'", name);
    const char *close = zw_nearest(name, n, names);
    if (close || n)
        zw_error_hint(err, close ? "did you mean %s?" : "the model has %s",
                      close ? close : names[0]);
    return ZW_E_NAME;
}

static zw_status find_statement(zw_symbolic *s, zw_error *err) {
    const zw_system *sys = s->sys;
    for (int i = 0; i < sys->nmotion; i++)
        if (s->options.steady ? strcmp(sys->motion[i].name, s->options.steady) == 0
                              : sys->nmotion == 1)
            s->motion = &sys->motion[i];
    return s->motion ? ZW_OK : no_motion(sys, s->options.steady, err);
}

static zw_status check_equations(const zw_symbolic *s, zw_error *err) {
    const zw_equations *eq = &s->eq;
    if (eq->from_system || eq->system_v || eq->nv != s->sys->nv) {
        zw_fail(err, ZW_E_MODEL, "%s has other unknowns than the velocities of the model",
                eq->principle);
        zw_error_hint(err,
                      "linear equations in closed form are made by lagrange, kane, gauss, ...");
        return ZW_E_MODEL;
    }
    for (int i = 0; eq->inequality && i < eq->nc; i++)
        if (eq->inequality[i])
            return zw_fail(err, ZW_E_MODEL, "the constraint %s is an inequality",
                           s->sys->constraint[eq->constraint[i]].name);
    if (eq->nq + eq->nv > ZW_STATES_MOST)
        return zw_fail(
            err, ZW_E_MODEL,
            "%d coordinates and velocities are too many for formulas; up to %d are taken",
            eq->nq + eq->nv, ZW_STATES_MOST);
    return ZW_OK;
}

/* Substitutes the definitions of parameters, or of constant signals, in all expressions of the
 * equations. */
static zw_status put_definitions(zw_symbolic *s, int n, const zw_expr *symbol, const zw_expr *value,
                                 zw_error *err) {
    zw_equations *eq = &s->eq;
    zw_expr *list[] = {eq->qdot, eq->M, eq->h, eq->C, eq->W, eq->b, eq->phi, eq->psi};
    int size[] = {eq->nq,          eq->nv * eq->nv, eq->nv,   eq->nv * eq->nc,
                  eq->nc * eq->nv, eq->nc,          eq->npos, eq->nvel};
    zw_expr **field[] = {&eq->qdot, &eq->M, &eq->h, &eq->C, &eq->W, &eq->b, &eq->phi, &eq->psi};
    for (int k = 0; k < 8; k++) {
        zw_expr *copy = ZW_SYMBOLIC_NEW(s, zw_expr, size[k]);
        if (!copy)
            return zw_symbolic_memory(err);
        for (int i = 0; i < size[k]; i++)
            copy[i] = zw_subst(s->ctx, list[k][i], n, symbol, value);
        *field[k] = copy;
    }
    return zw_context_status(s->ctx, err);
}

/* Signals have the value that they are set to. */
static zw_status put_signals(zw_symbolic *s, zw_error *err) {
    int n = s->sys->nsignal;
    zw_expr *symbol = ZW_SYMBOLIC_NEW(s, zw_expr, n), *value = ZW_SYMBOLIC_NEW(s, zw_expr, n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < n; i++) {
        const zw_signal *u = &s->sys->signal[i];
        if (u->table >= 0)
            return zw_fail_at(err, ZW_E_MODEL, u->place,
                              "the signal %s is a table in time, so the model has no equilibria",
                              u->name);
        symbol[i] = u->sym;
        value[i] = u->value ? u->value : ZW_ZERO;
    }
    return n ? put_definitions(s, n, symbol, value, err) : ZW_OK;
}

static zw_status no_parameter(const zw_system *sys, const char *name, zw_error *err) {
    const char *names[64];
    int n = 0;
    for (; n < sys->np && n < 64; n++)
        names[n] = sys->param[n].name;
    zw_fail(err, ZW_E_NAME, "there is no parameter '%s'", name);
    const char *close = zw_nearest(name, n, names);
    if (close)
        zw_error_hint(err, "did you mean %s?", close);
    return ZW_E_NAME;
}

/* Also in the values of the motion. */
static zw_status put_everywhere(zw_symbolic *s, int n, const zw_expr *symbol, const zw_expr *value,
                                zw_error *err) {
    zw_motion *m = ZW_SYMBOLIC_NEW(s, zw_motion, 1);
    zw_expr *values = ZW_SYMBOLIC_NEW(s, zw_expr, s->motion->n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    *m = *s->motion;
    for (int i = 0; i < m->n; i++)
        values[i] = zw_subst(s->ctx, s->motion->value[i], n, symbol, value);
    m->value = values;
    s->motion = m;
    return put_definitions(s, n, symbol, value, err);
}

/* Parameters that are replaced by their values. */
static zw_status find_fixed(zw_symbolic *s, zw_error *err) {
    const zw_system *sys = s->sys;
    s->fixed = ZW_SYMBOLIC_NEW(s, bool, sys->np);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int k = 0; k < s->options.nnumber; k++) {
        bool found = false;
        for (int i = 0; i < sys->np; i++)
            if (strcmp(sys->param[i].name, s->options.number[k]) == 0)
                found = s->fixed[i] = true;
        if (!found)
            return no_parameter(sys, s->options.number[k], err);
    }
    return ZW_OK;
}

static zw_status put_fixed(zw_symbolic *s, zw_error *err) {
    const zw_system *sys = s->sys;
    int n = 0;
    zw_expr *symbol = ZW_SYMBOLIC_NEW(s, zw_expr, 2 * sys->np),
            *value = ZW_SYMBOLIC_NEW(s, zw_expr, 2 * sys->np), *all = symbol + sys->np,
            *what = value + sys->np;
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < sys->np; i++) {
        all[i] = sys->param[i].sym;
        what[i] = zw_subst(s->ctx, sys->param[i].value, i, all, what);
        if (!s->fixed[i])
            continue;
        symbol[n] = all[i];
        value[n++] = what[i];
    }
    return n ? put_everywhere(s, n, symbol, value, err) : zw_context_status(s->ctx, err);
}

static zw_status prepare_symbolic(zw_symbolic *s, zw_error *err) {
    ZW_TRY(find_statement(s, err));
    ZW_TRY(find_fixed(s, err));
    ZW_TRY(zw_derive(&s->eq, s->sys, s->options.active, s->options.by, err));
    ZW_TRY(check_equations(s, err));
    const zw_equations *eq = &s->eq;
    s->nx = eq->nq + eq->nv;
    s->nz = eq->nv + eq->nc;
    s->entry = ZW_SYMBOLIC_NEW(s, zw_expr, s->nx);
    s->small = ZW_SYMBOLIC_NEW(s, zw_expr, s->nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < s->nx; i++) {
        char name[200];
        s->entry[i] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        snprintf(name, sizeof name, "d(%.150s)", zw_expr_name(s->ctx, s->entry[i]));
        s->small[i] = zw_symbol(s->ctx, name);
    }
    ZW_TRY(zw_symbolic_begin_numbers(s, err));
    ZW_TRY(put_signals(s, err));
    return put_fixed(s, err);
}

/* Do values of the motion contain symbols that the model has not determined? */
static bool has_free(const zw_symbolic *s) {
    for (int i = 0; i < s->eq.nq; i++)
        if (zw_depends_any(s->ctx, s->x[i], s->motion->nfree, s->motion->free))
            return true;
    return false;
}

/* The integrals of velocity constraints, as conditions on positions: disturbances stay on the leaf
 * of the motion. */
static zw_status use_leaf(zw_symbolic *s, zw_error *err) {
    zw_equations on = {0};
    double *x = ZW_SYMBOLIC_NEW(s, double, s->nx + 1);
    if (!x)
        return zw_symbolic_memory(err);
    if (s->leaf_taken || has_free(s))
        return ZW_OK;
    s->leaf_taken = true;
    zw_symbolic_state(s, 0, x);
    ZW_TRY(zw_derive_on_leaf_of(&on, &s->on_leaf, s->sys, s->options.active, s->options.by,
                                s->probe, x, s->x, err));
    int before = s->eq.npos;
    zw_expr *phi = ZW_SYMBOLIC_NEW(s, zw_expr, on.npos + 1);
    if (!phi)
        return zw_symbolic_memory(err);
    if (on.npos == before)
        return ZW_OK;
    memcpy(phi, s->eq.phi, sizeof *phi * (size_t)before);
    memcpy(phi + before, on.phi + before, sizeof *phi * (size_t)(on.npos - before));
    s->eq.sys = on.sys;
    s->eq.phi = phi;
    s->eq.Phi = on.Phi;
    s->eq.npos = on.npos;
    s->eq.nintegral = on.nintegral;
    s->eq.pos_constraint = on.pos_constraint;
    zw_flow_destroy(s->flow);
    zw_kernel_destroy(s->kernel);
    s->flow = NULL;
    s->kernel = NULL;
    return zw_symbolic_begin_numbers(s, err);
}

static zw_status find_motion(zw_symbolic *s, zw_error *err) {
    ZW_TRY(zw_symbolic_ask(s, 0.1, err));
    ZW_TRY(zw_symbolic_find_motion(s, err));
    ZW_TRY(use_leaf(s, err));
    ZW_TRY(zw_symbolic_ask(s, 0.2, err));
    ZW_TRY(zw_symbolic_symmetries(s, err));
    ZW_TRY(zw_symbolic_pin(s, err));
    return zw_symbolic_check_steady(s, err);
}

/* Does a definition contain only symbols that occur together with `of` in others? J_2 = J_S if J_1
 * = zeta*J_S. */
static bool is_next_to(const zw_symbolic *s, zw_expr value, zw_expr of) {
    const zw_system *sys = s->sys;
    int n = 0;
    zw_expr neighbours[ZW_STATES_MOST];
    for (int i = 0; i < sys->np; i++)
        for (int k = 0; k < sys->np && zw_depends(s->ctx, sys->param[i].value, of); k++)
            if (n < ZW_STATES_MOST && zw_depends(s->ctx, sys->param[i].value, sys->param[k].sym))
                neighbours[n++] = sys->param[k].sym;
    return n > 0 && zw_foreign_symbol(s->ctx, value, n, neighbours) == ZW_NULL;
}

/* Replaces dependent parameters by their definitions; of: only those that depend on this one,
 * and of symbols that occur together with it. */
static zw_status define_parameters(zw_symbolic *s, zw_expr of, bool neighbours, zw_error *err) {
    const zw_system *sys = s->sys;
    int n = 0;
    zw_expr *symbol = ZW_SYMBOLIC_NEW(s, zw_expr, sys->np),
            *value = ZW_SYMBOLIC_NEW(s, zw_expr, sys->np);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < sys->np; i++) {
        const zw_param *p = &sys->param[i];
        if (zw_foreign_symbol(s->ctx, p->value, 0, NULL) == ZW_NULL || s->fixed[i])
            continue;
        symbol[n] = p->sym;
        value[n] = zw_subst(s->ctx, p->value, n, symbol, value);
        n += !of || zw_depends(s->ctx, value[n], of) || (neighbours && is_next_to(s, p->value, of));
    }
    if (n == 0)
        return ZW_RETRY; /* nothing to be replaced */
    s->result.defined |= !of;
    s->unfolded |= of != ZW_NULL;
    ZW_TRY(put_everywhere(s, n, symbol, value, err));
    return zw_symbolic_begin_numbers(s, err);
}

static zw_status build_symbolic(zw_symbolic *s, zw_error *err) {
    zw_error first = {0};
    ZW_TRY(prepare_symbolic(s, err));
    const char *requested[] = {s->options.parameter, s->options.cycle_type};
    for (int k = 0; k < 2; k++)
        for (int i = 0; requested[k] && i < s->sys->np; i++)
            if (strcmp(s->sys->param[i].name, requested[k]) == 0 && !s->fixed[i])
                ZW_TRY(define_parameters(s, s->sys->param[i].sym, k == 1,
                                         err)); /* conditions contain all of it then */
    zw_status status = find_motion(s, &first);
    if (status == ZW_E_MODEL) { /* perhaps parameters depend on each other */
        zw_status again = define_parameters(s, ZW_NULL, false, err);
        if (again < 0)
            return again;
        status =
            again == ZW_RETRY ? status : find_motion(s, again == ZW_RETRY ? NULL : &(zw_error){0});
    }
    if (status < 0 && err)
        *err = first;
    ZW_TRY(status);
    ZW_TRY(zw_symbolic_ask(s, 0.3, err));
    ZW_TRY(zw_symbolic_choose(s, err));
    ZW_TRY(zw_symbolic_linearise(s, err));
    ZW_TRY(zw_symbolic_ask(s, 0.6, err));
    ZW_TRY(zw_symbolic_compare(s, err));
    ZW_TRY(zw_symbolic_second(s, err));
    ZW_TRY(zw_symbolic_ask(s, 0.7, err));
    ZW_TRY(zw_symbolic_stability(s, err));
    ZW_TRY(zw_symbolic_confirm(s, err));
    zw_symbolic_result *r = &s->result;
    r->motion = s->motion->name;
    r->nx = s->nx;
    r->x = s->x;
    r->nlambda = s->eq.nc;
    r->lambda = s->z + s->eq.nv;
    r->nrate = r->norbit;
    r->rate = s->c;
    if (s->options.cycles)
        s->options.order = 3;
    if (s->options.order > 0) {
        ZW_TRY(zw_symbolic_ask(s, 0.8, err));
        ZW_TRY(zw_symbolic_expand(s, err));
    }
    return zw_context_status(s->ctx, err);
}

zw_status zw_symbolic_create(zw_symbolic **out, const zw_system *sys,
                             const zw_symbolic_options *options, zw_error *err) {
    assert(out && sys);
    *out = NULL;
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_symbolic *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_symbolic_memory(err);
    *s = (zw_symbolic){.sys = sys, .ctx = sys->ctx, .options = zw_symbolic_options_default()};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&s->options, sizeof s->options, options, "zw_symbolic_options", err);
    if (status >= 0)
        status = build_symbolic(s, err);
    if (status < 0) {
        bool stopped = s->stopped;
        zw_symbolic_destroy(s);
        if (stopped && err)
            *err = (zw_error){0};
        return stopped ? ZW_STOPPED : status;
    }
    *out = s;
    return ZW_OK;
}

void zw_symbolic_destroy(zw_symbolic *s) {
    if (!s)
        return;
    zw_allocator alloc = s->arena.alloc;
    zw_flow_destroy(s->flow);
    zw_kernel_destroy(s->kernel);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}
