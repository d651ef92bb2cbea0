/* SPDX-License-Identifier: MIT */
/* Finds where the equations are not smooth: the kinks (src/expr/calculus/kink.c) of their parts
 * that depend on the state, time or an input; each once, with the parts in which it occurs. */
#include "mech/system/build.h"

#include "mech/equations/variants.h"
#include <assert.h>

typedef struct collector {
    const zw_equations *eq;
    zw_context *ctx;
    int nvar;
    zw_expr *variables; /* t, q, v, v', lambda, u */
    zw_smoothness *out;
    int n, capacity;
} collector;

static zw_status list_variables(collector *c, zw_error *err) {
    const zw_equations *eq = c->eq;
    c->variables = ZW_SCRATCH_NEW(c->ctx, zw_expr, 1 + eq->nq + 2 * eq->nv + eq->nc + eq->nu);
    if (!c->variables)
        return zw_context_status(c->ctx, err);
    c->variables[c->nvar++] = eq->sys->t;
    for (int i = 0; i < eq->nq; i++)
        c->variables[c->nvar++] = eq->q[i];
    for (int i = 0; i < eq->nv; i++) {
        c->variables[c->nvar++] = eq->v[i];
        c->variables[c->nvar++] = eq->a[i];
    }
    for (int i = 0; i < eq->nc; i++)
        c->variables[c->nvar++] = eq->lambda[i];
    for (int i = 0; i < eq->nu; i++)
        c->variables[c->nvar++] = eq->u[i];
    return ZW_OK;
}

static zw_status add_kink(collector *c, const zw_kink *kink, unsigned in, zw_error *err) {
    for (int i = 0; i < c->n; i++)
        if (c->out[i].kink.part == kink->part && c->out[i].kink.surface == kink->surface) {
            c->out[i].in |= in;
            return ZW_OK;
        }
    if (!zw_mech_grow(c->ctx, (void **)&c->out, c->n, &c->capacity, sizeof *c->out))
        return zw_context_status(c->ctx, err);
    c->out[c->n++] = (zw_smoothness){*kink, in};
    return ZW_OK;
}

static zw_status add_kinks(collector *c, int n, const zw_expr *e, unsigned in, zw_error *err) {
    int found = zw_find_kinks(c->ctx, n, e, c->nvar, c->variables, 0, NULL);
    if (found <= 0)
        return found < 0 ? zw_context_status(c->ctx, err) : ZW_OK;
    zw_kink *kink = ZW_SCRATCH_NEW(c->ctx, zw_kink, found);
    if (!kink || zw_find_kinks(c->ctx, n, e, c->nvar, c->variables, found, kink) < 0)
        return zw_context_status(c->ctx, err);
    for (int i = 0; i < found; i++)
        ZW_TRY(add_kink(c, &kink[i], in, err));
    return ZW_OK;
}

static zw_status add_observed(collector *c, int n, zw_expr *e, unsigned in, zw_error *err) {
    ZW_TRY(zw_equations_translate(c->eq, n, e, err));
    return add_kinks(c, n, e, in, err);
}

static zw_status collect_kinks(collector *c, zw_error *err) {
    const zw_equations *eq = c->eq;
    const zw_system *s = eq->sys;
    zw_expr *told = ZW_SCRATCH_NEW(c->ctx, zw_expr, eq->nobservable + eq->nevent);
    if (!told)
        return zw_context_status(c->ctx, err);
    ZW_TRY(list_variables(c, err));
    const struct {
        int n;
        const zw_expr *e;
    } rates[] = {{eq->nq, eq->qdot},       {eq->nv * eq->nv, eq->M}, {eq->nv, eq->h},
                 {eq->nv * eq->nc, eq->C}, {eq->nc * eq->nv, eq->W}, {eq->nc, eq->b}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        ZW_TRY(add_kinks(c, rates[i].n, rates[i].e, ZW_KINKS_AT_RATES, err));
    ZW_TRY(add_kinks(c, eq->npos - eq->nleaf, eq->phi, ZW_KINKS_AT_CONSTRAINTS, err));
    ZW_TRY(add_kinks(c, eq->nvel, eq->psi, ZW_KINKS_AT_CONSTRAINTS, err));
    for (int i = 0; i < eq->nobservable; i++)
        told[i] = s->observable[i].value;
    ZW_TRY(add_observed(c, eq->nobservable, told, ZW_KINKS_AT_OBSERVABLES, err));
    for (int i = 0; i < eq->nevent; i++)
        told[i] = s->event[i].value;
    return add_observed(c, eq->nevent, told, ZW_KINKS_AT_EVENTS, err);
}

zw_status zw_equations_smoothness(const zw_equations *eq, zw_smoothness **out, int *n,
                                  zw_error *err) {
    assert(out);
    collector c = {.eq = eq, .ctx = eq->sys->ctx};
    zw_arena_mark mark = zw_scratch_mark(c.ctx);
    zw_status status = collect_kinks(&c, err);
    zw_scratch_release(c.ctx, mark);
    *out = c.out;
    *n = status < 0 ? 0 : c.n;
    return status;
}
