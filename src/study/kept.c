/* SPDX-License-Identifier: MIT */
/* An observable O(t, q, v) stays if O_t + O_q q' + O_v v' = 0 at random states of the constraints, compared with the sizes of these terms. It counts if it is no consequence of the constraints and of
 * those before it: its gradient has a part outside of theirs. */
#include "kept.h"

#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "zwang/completion.h"
#include "zwang/flow.h"
#include "zwang/kernel.h"
#include "zwang/sampler.h"

enum { STATES = 8, MOST = 8 };
#define STAYS 1e-10   /* of the terms of its rate */
#define OUTSIDE 1e-6  /* of its gradient */
#define STRAIGHT 1e-9 /* of the values at the start, over a parameter */

typedef struct keeper {
    zw_equations *eq;
    zw_context *ctx;
    zw_arena *arena;
    const double *p;
    zw_flow *flow;
    int nx, nlevel, nsymbol;
    zw_expr *symbol; /* t, q, v, parameters */
    double *value;
    double *t, *x, *rate; /* STATES, x nx, x nx */
    double *G;            /* STATES x (nlevel + MOST) x nx: orthonormal rows */
    int *ng;              /* STATES */
    double *slope;        /* nx + 1 */
} keeper;

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory");
}

/* does it hold velocities, and nothing but t, q, v and parameters? */
static bool may_stay(const keeper *k, zw_expr e) {
    const zw_equations *eq = k->eq;
    if (!zw_depends_any(k->ctx, e, eq->nv, eq->v) || zw_depends_any(k->ctx, e, eq->nv, eq->a) ||
        zw_depends_any(k->ctx, e, eq->nc, eq->lambda) || zw_depends_any(k->ctx, e, eq->nu, eq->u))
        return false;
    for (int i = 0; i < eq->sys->nconstraint; i++)
        if (zw_depends(k->ctx, e, eq->sys->constraint[i].lambda))
            return false;
    return true;
}

/* v less its parts along n orthonormal rows; what is left of its length */
static double take_off(int n, int nx, const double *rows, double *v) {
    double before = zw_dense_norm(nx, v);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const double *u = rows + (size_t)(i * nx);
            double dot = 0;
            for (int r = 0; r < nx; r++)
                dot += u[r] * v[r];
            for (int r = 0; r < nx; r++)
                v[r] -= dot * u[r];
        }
    double after = zw_dense_norm(nx, v);
    return before > 0 ? after / before : 0;
}

static double *rows_of(keeper *k, int state) {
    return k->G + (size_t)state * (size_t)((k->nlevel + MOST) * k->nx);
}

/* another row at a state, if it is none of those before it */
static bool add_row(keeper *k, int state, const double *v) {
    double *rows = rows_of(k, state), *to = rows + (size_t)(k->ng[state] * k->nx);
    memmove(to, v, sizeof(double) * (size_t)k->nx);
    if (!(take_off(k->ng[state], k->nx, rows, to) > OUTSIDE))
        return false;
    double size = zw_dense_norm(k->nx, to);
    for (int r = 0; r < k->nx; r++)
        to[r] /= size;
    k->ng[state]++;
    return true;
}

static zw_status draw_states(keeper *k, const zw_active *active, zw_error *err) {
    zw_sampler *sampler;
    double *G = ZW_NEW(k->arena, double, k->nlevel * k->nx + 1);
    if (!G)
        return no_memory(err);
    ZW_TRY(zw_sampler_create(&sampler, k->eq->sys, active, NULL, err));
    ZW_TRY(zw_sampler_set_parameters(sampler, k->p, err));
    for (int i = 0; i < STATES; i++) {
        double *x = k->x + (size_t)(i * k->nx);
        ZW_TRY(zw_sampler_state(sampler, i, &k->t[i], x, err));
        ZW_TRY(zw_flow_rates(k->flow, k->t[i], x, k->rate + (size_t)(i * k->nx), NULL, err));
        ZW_TRY(zw_flow_constraints(k->flow, k->t[i], x, NULL, G, err));
        for (int g = 0; g < k->nlevel; g++)
            add_row(k, i, G + (size_t)(g * k->nx));
    }
    return ZW_OK;
}

static void put_state(keeper *k, double t, const double *x) {
    k->value[0] = t;
    memcpy(k->value + 1, x, sizeof(double) * (size_t)k->nx);
}

/* is the rate zero at all states? Then its gradients join the rows, where they are no combination of them */
static bool stays(keeper *k, zw_expr e) {
    int n = k->nx + 1, new = 0;
    zw_expr slope[1 + 256];
    if (n > 1 + 256)
        return false;
    for (int i = 0; i < n; i++)
        slope[i] = zw_diff(k->ctx, e, k->symbol[i]);
    for (int s = 0; s < STATES; s++) {
        const double *f = k->rate + (size_t)(s * k->nx);
        put_state(k, k->t[s], k->x + (size_t)(s * k->nx));
        zw_eval_all(k->ctx, n, slope, k->nsymbol, k->symbol, k->value, k->slope);
        double sum = k->slope[0], size = fabs(sum);
        for (int i = 0; i < k->nx; i++) {
            sum += k->slope[1 + i] * f[i];
            size += fabs(k->slope[1 + i] * f[i]);
        }
        if (!(fabs(sum) <= STAYS * size))
            return false;
    }
    for (int s = 0; s < STATES; s++) {
        put_state(k, k->t[s], k->x + (size_t)(s * k->nx));
        zw_eval_all(k->ctx, n, slope, k->nsymbol, k->symbol, k->value, k->slope);
        new += add_row(k, s, k->slope + 1);
    }
    return new == STATES;
}

/* ------------------------------------------------------------------------------------------- its value at the start */

static zw_status level_at(keeper *k, const zw_active *active, zw_expr e, const bool *given,
                          const zw_over *over, double at, double *level, zw_error *err) {
    const zw_system *s = k->eq->sys;
    double *p = ZW_NEW(k->arena, double, s->np + 1), *x = ZW_NEW(k->arena, double, k->nx + 1);
    if (k->arena->failed)
        return no_memory(err);
    memcpy(p, k->p, sizeof(double) * (size_t)s->np);
    if (over) {
        p[over->parameter] = at;
        ZW_TRY(zw_system_param_follow(s, given, p, err));
    }
    ZW_TRY(zw_system_complete(s, active, 0, p, x, NULL, err));
    put_state(k, 0, x);
    memcpy(k->value + 1 + k->nx, p, sizeof(double) * (size_t)s->np);
    zw_eval_all(k->ctx, 1, &e, k->nsymbol, k->symbol, k->value, level);
    memcpy(k->value + 1 + k->nx, k->p, sizeof(double) * (size_t)s->np);
    return isfinite(*level) ? ZW_OK : zw_fail(err, ZW_E_DOMAIN, "no value at the start");
}

/* what it is to be: a number, or linear in the parameter that is gone along */
static zw_status find_level(keeper *k, const zw_active *active, const zw_observable *o,
                            const bool *given, const zw_over *over, double *level, zw_expr *out,
                            zw_error *err) {
    double v[3];
    ZW_TRY(level_at(k, active, o->value, given, NULL, 0, level, err));
    *out = zw_real(k->ctx, *level);
    if (!over || over->parameter < 0)
        return ZW_OK;
    for (int i = 0; i < 3; i++) {
        zw_error ignored = {0}; /* a start that is none at the ends of a range says nothing there */
        double at = over->from + 0.5 * i * (over->to - over->from);
        if (level_at(k, active, o->value, given, over, at, &v[i], &ignored) < 0)
            return ZW_OK;
    }
    double size = STRAIGHT * (fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
    if (fabs(v[2] - v[0]) <= size && fabs(v[1] - v[0]) <= size)
        return ZW_OK;
    if (fabs(v[0] - 2 * v[1] + v[2]) > size) {
        zw_fail(err, ZW_E_OPTION,
                "%s is conserved, but its value at the start does not depend linearly on %s: it "
                "is not known which motions to follow",
                o->name, over->name);
        zw_error_hint(err,
                      "give the start so that %s has a value there that is the same at all "
                      "values of %s, or is proportional to it",
                      o->name, over->name);
        return ZW_E_OPTION;
    }
    double slope = (v[2] - v[0]) / (over->to - over->from);
    zw_expr a = k->eq->sys->param[over->parameter].sym;
    *out = zw_add(k->ctx, zw_real(k->ctx, v[0] - slope * over->from),
                  zw_mul(k->ctx, zw_real(k->ctx, slope), a));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------------------------ all */

/* psi with one more row */
static zw_status add_condition(keeper *k, zw_expr e, zw_error *err) {
    zw_equations *eq = k->eq;
    int nv = eq->nv, n = eq->nvel;
    zw_expr *psi = zw_context_alloc(k->ctx, sizeof *psi * (size_t)(n + 1)),
            *Psi = zw_context_alloc(k->ctx, sizeof *Psi * (size_t)((n + 1) * nv));
    int *of = zw_context_alloc(k->ctx, sizeof *of * (size_t)(n + 1));
    if (!psi || !Psi || !of)
        return zw_context_status(k->ctx, err);
    if (n > 0) {
        memcpy(psi, eq->psi, sizeof *psi * (size_t)n);
        memcpy(Psi, eq->Psi, sizeof *Psi * (size_t)(n * nv));
        memcpy(of, eq->vel_constraint, sizeof *of * (size_t)n);
    }
    psi[n] = e;
    of[n] = -1;
    for (int i = 0; i < nv; i++)
        Psi[n * nv + i] = zw_diff(k->ctx, e, eq->v[i]);
    eq->psi = psi;
    eq->Psi = Psi;
    eq->vel_constraint = of;
    eq->nvel++;
    return zw_context_status(k->ctx, err);
}

static zw_status make_room(keeper *k, zw_error *err) {
    const zw_equations *eq = k->eq;
    const zw_system *s = eq->sys;
    k->nx = eq->nq + eq->nv;
    k->nlevel = zw_flow_levels(k->flow);
    k->nsymbol = 1 + k->nx + s->np;
    k->symbol = ZW_NEW(k->arena, zw_expr, k->nsymbol);
    k->value = ZW_NEW(k->arena, double, k->nsymbol);
    k->t = ZW_NEW(k->arena, double, STATES);
    k->x = ZW_NEW(k->arena, double, STATES * k->nx + 1);
    k->rate = ZW_NEW(k->arena, double, STATES * k->nx + 1);
    k->G = ZW_NEW(k->arena, double, STATES *(k->nlevel + MOST) * k->nx + 1);
    k->ng = ZW_NEW(k->arena, int, STATES);
    k->slope = ZW_NEW(k->arena, double, k->nx + 1);
    if (k->arena->failed)
        return no_memory(err);
    k->symbol[0] = s->t;
    memcpy(k->symbol + 1, eq->q, sizeof *k->symbol * (size_t)eq->nq);
    memcpy(k->symbol + 1 + eq->nq, eq->v, sizeof *k->symbol * (size_t)eq->nv);
    for (int i = 0; i < s->np; i++) {
        k->symbol[1 + k->nx + i] = s->param[i].sym;
        k->value[1 + k->nx + i] = k->p[i];
    }
    return ZW_OK;
}

static zw_status find(keeper *k, zw_kept *out, const zw_active *active, const bool *given,
                      const zw_over *over, zw_error *err) {
    const zw_system *s = k->eq->sys;
    zw_error ignored = {0};
    ZW_TRY(make_room(k, err));
    if (draw_states(k, active, &ignored) < 0) /* nothing can be seen */
        return ignored.status == ZW_E_MEMORY ? no_memory(err) : ZW_OK;
    for (int i = 0; i < s->nobservable && out->n < MOST; i++) {
        const zw_observable *o = &s->observable[i];
        zw_expr level;
        if (!may_stay(k, o->value) || !stays(k, o->value))
            continue;
        ZW_TRY(find_level(k, active, o, given, over, &out->level[out->n], &level, err));
        out->observable[out->n++] = i;
        ZW_TRY(add_condition(k, zw_sub(k->ctx, o->value, level), err));
    }
    return ZW_OK;
}

zw_status zw_keep_observables(zw_kept *out, zw_equations *eq, zw_arena *arena,
                              const zw_active *active, const double *p, const bool *given,
                              const zw_over *over, zw_error *err) {
    keeper k = {.eq = eq, .ctx = eq->sys->ctx, .arena = arena, .p = p};
    zw_kernel_options o = zw_kernel_options_default();
    zw_kernel *kernel = NULL;
    bool any = false;
    *out = (zw_kept){.observable = ZW_NEW(arena, int, MOST), .level = ZW_NEW(arena, double, MOST)};
    if (arena->failed)
        return no_memory(err);
    for (int i = 0; i < eq->sys->nobservable; i++)
        any |= may_stay(&k, eq->sys->observable[i].value);
    if (!any || eq->nv == 0 || eq->nq != eq->sys->nq || eq->nv != eq->sys->nv)
        return ZW_OK;
    o.functions = ZW_FUNCTIONS_ALL_METHODS;
    zw_equations bare = *eq; /* kernels are made of what was derived */
    zw_status status = zw_kernel_create(&kernel, &bare, &o, err);
    if (status >= 0)
        status = zw_flow_create(&k.flow, kernel, p, err);
    if (status >= 0)
        status = find(&k, out, active, given, over, err);
    zw_flow_destroy(k.flow);
    zw_kernel_destroy(kernel);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- words */

void zw_kept_put(zw_text *out, const zw_kept *k, const zw_system *s) {
    for (int i = 0; i < k->n; i++) {
        const zw_observable *o = &s->observable[k->observable[i]];
        zw_text_printf(out,
                       "  %s stays on every motion of this model: these are the motions with its "
                       "value at the start, %.9g%s%s\n",
                       o->name, k->level[i], o->unit[0] ? " " : "", o->unit);
    }
}

void zw_kept_json(zw_text *out, const zw_kept *k, const zw_system *s) {
    zw_text_put(out, k->n ? ", \"kept\": {" : "");
    for (int i = 0; i < k->n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->observable[k->observable[i]].name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, k->level[i]);
    }
    zw_text_put(out, k->n ? "}" : "");
}
