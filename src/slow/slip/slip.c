/* SPDX-License-Identifier: MIT */
/* Nearly satisfied constraints: from a system to its equations with the slip velocities of
 * constraints that are switched off, the small parameter, kernels and flows of the whole model and
 * of that with the constraints. */
#include "slip.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/option.h"
#include "motion/jumps.h"
#include "num/linear/dense.h"
#include "zwang/simulate.h"

enum { VELOCITIES_MOST = 256 }; /* of a model */

void zw_slip_manifold_options_init(zw_slip_manifold_options *options, size_t size) {
    const zw_slip_manifold_options all = {.size = size, .order = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

const zw_slip_manifold_result *zw_slip_manifold_get(const zw_slip_manifold *n) {
    return &n->result;
}

/* ---------------------------------------------------------------------------------- constraints */

/* "roll" means roll, and roll.1, roll.2. */
static bool matches_name(const char *name, const char *wanted) {
    size_t k = strlen(wanted);
    return strncmp(name, wanted, k) == 0 && (name[k] == '\0' || name[k] == '.');
}

static zw_status reject_constraint(const zw_constraint *c, zw_error *err) {
    if (c->on) {
        zw_fail(err, ZW_E_MODEL, "--near: constraint '%s' is active already", c->name);
        zw_error_hint(err, "switch it off with --without %s if a force enforces it", c->name);
    } else if (c->level == ZW_POSITION) {
        zw_fail(err, ZW_E_MODEL, "--near: constraint '%s' is on positions", c->name);
        zw_error_hint(err, "write it as a constraint on velocities, its time derivative = 0; stiff "
                           "springs are a different problem");
    } else if (c->level == ZW_ACCELERATION || !c->linear) {
        zw_fail(err, ZW_E_MODEL, "--near: constraint '%s' is not linear in velocities", c->name);
        zw_error_hint(err, "slips are fast velocities: A(q)*v + w(q) = 0");
    } else {
        return ZW_OK;
    }
    return ZW_E_MODEL;
}

static zw_status unknown_constraint(const zw_slip_manifold *n, const char *name, zw_error *err) {
    const char *names[256];
    int count = 0;
    for (int i = 0; i < n->sys->nconstraint && count < 256; i++)
        if (!n->sys->constraint[i].on)
            names[count++] = n->sys->constraint[i].name;
    const char *near = zw_nearest(name, count, names);
    zw_fail(err, ZW_E_NAME, "--near: there is no constraint '%s'", name);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else
        zw_error_hint(err,
                      count ? "constraints that are off: %s%s"
                            : "in the model: constraint NAME off : slip = 0%s%s",
                      count ? names[0] : "", count > 1 ? " and others" : "");
    return ZW_E_NAME;
}

static zw_status find_constraints(zw_slip_manifold *n, const zw_slip_manifold_options *o,
                                  zw_error *err) {
    const zw_system *s = n->sys;
    n->constraint = ZW_SLIP_MANIFOLD_NEW(n, int, ZW_SLIP_MANIFOLD_FAST_MOST);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    if (o->nnear < 1) {
        zw_fail(err, ZW_E_OPTION, "--near needs the names of constraints");
        return ZW_E_OPTION;
    }
    n->nnear = o->nnear;
    n->near = o->near;
    for (int k = 0; k < o->nnear; k++) {
        int before = n->nf;
        bool known = false;
        for (int i = 0; i < s->nconstraint; i++) {
            if (!matches_name(s->constraint[i].name, o->near[k]))
                continue;
            known = true;
            ZW_TRY(reject_constraint(&s->constraint[i], err));
            for (int j = 0; j < n->nf; j++)
                if (n->constraint[j] == i)
                    return zw_fail(err, ZW_E_OPTION, "--near: '%s' is named twice", o->near[k]);
            if (n->nf == ZW_SLIP_MANIFOLD_FAST_MOST)
                return zw_fail(err, ZW_E_OPTION, "--near: at most %d slips",
                               (int)ZW_SLIP_MANIFOLD_FAST_MOST);
            n->constraint[n->nf++] = i;
        }
        if (!known || n->nf == before)
            return unknown_constraint(n, o->near[k], err);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ equations */

static zw_status check_model(const zw_slip_manifold *n, zw_error *err) {
    const zw_system *s = n->sys;
    ZW_TRY(zw_refuse_breaks(s, ZW_E_MODEL, "--near is about smooth motions", err));
    if (n->eq.inequality) {
        zw_fail(err, ZW_E_MODEL, "--near does not support inequalities, which may open");
        zw_error_hint(err, "use active constraints in place of them");
        return ZW_E_MODEL;
    }
    if (n->nv > VELOCITIES_MOST || n->nv < 1)
        return zw_fail(err, ZW_E_MODEL, "--near: 1 to %d velocities", (int)VELOCITIES_MOST);
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].table >= 0)
            return zw_fail_at(err, ZW_E_MODEL, s->signal[i].place,
                              "--near: signal '%s' comes from a table, which is not smooth",
                              s->signal[i].name);
    return ZW_OK;
}

static zw_status derive_equations(zw_slip_manifold *n, zw_error *err) {
    const zw_system *s = n->sys;
    bool *holds = zw_context_alloc(n->ctx, (size_t)(s->nconstraint + 1) * sizeof *holds);
    if (!holds)
        return zw_slip_manifold_memory(err);
    for (int i = 0; i < s->nconstraint; i++)
        holds[i] = s->constraint[i].on;
    zw_active active = {.constraint = holds, .bare = true};
    ZW_TRY(zw_derive(&n->eq, s, &active, "lagrange", err));
    for (int i = 0; i < n->nf; i++)
        holds[n->constraint[i]] = true;
    ZW_TRY(zw_derive(&n->rigid_eq, s, &active, "lagrange", err));
    n->nq = n->eq.nq;
    n->nv = n->eq.nv;
    n->nc = n->eq.nc;
    n->nx = n->nq + n->nv;
    n->np = s->np;
    return check_model(n, err);
}

static void place_roots(zw_slip_manifold *n) {
    zw_slip_manifold_roots *at = &n->at;
    at->qdot = 0;
    at->M = at->qdot + n->nq;
    at->h = at->M + n->nv * n->nv;
    at->C = at->h + n->nv;
    at->W = at->C + n->nv * n->nc;
    at->b = at->W + n->nc * n->nv;
    at->gamma = at->b + n->nc;
    at->A = at->gamma + n->nf;
    at->beta = at->A + n->nf * n->nv;
    at->n = at->beta + n->nf;
}

/* gamma, its derivatives with respect to v, and the rest of its rate. */
static void make_slips(zw_slip_manifold *n) {
    const zw_equations *eq = &n->eq;
    for (int i = 0; i < n->nf; i++) {
        zw_expr gamma = n->sys->constraint[n->constraint[i]].residual;
        n->root[n->at.gamma + i] = gamma;
        zw_gradient(n->ctx, gamma, n->nv, eq->v, n->root + n->at.A + i * n->nv);
        n->root[n->at.beta + i] = zw_add(n->ctx, zw_along(n->ctx, gamma, n->nq, eq->q, eq->qdot),
                                         zw_diff(n->ctx, gamma, n->sys->t));
    }
}

static zw_status collect_roots(zw_slip_manifold *n, zw_error *err) {
    const zw_equations *eq = &n->eq;
    zw_smoothness *kinks;
    int nkink;
    place_roots(n);
    n->nsymbol = n->np + 1 + n->nx + eq->nu;
    n->root = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, n->at.n);
    n->symbol = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, n->nsymbol);
    n->input = ZW_SLIP_MANIFOLD_NEW(n, double, eq->nu);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    memcpy(n->root + n->at.qdot, eq->qdot, (size_t)n->nq * sizeof *n->root);
    memcpy(n->root + n->at.M, eq->M, (size_t)(n->nv * n->nv) * sizeof *n->root);
    memcpy(n->root + n->at.h, eq->h, (size_t)n->nv * sizeof *n->root);
    if (n->nc > 0) {
        memcpy(n->root + n->at.C, eq->C, (size_t)(n->nv * n->nc) * sizeof *n->root);
        memcpy(n->root + n->at.W, eq->W, (size_t)(n->nc * n->nv) * sizeof *n->root);
        memcpy(n->root + n->at.b, eq->b, (size_t)n->nc * sizeof *n->root);
    }
    make_slips(n);
    ZW_TRY(zw_equations_smoothness(eq, &kinks, &nkink, err));
    n->kink = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, nkink);
    n->kink_part = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, nkink);
    n->surface = ZW_SLIP_MANIFOLD_NEW(n, double, nkink);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    for (int i = 0; i < nkink; i++)
        if ((kinks[i].in & ZW_KINKS_AT_RATES) && kinks[i].kink.op != ZW_OP_TABLE) {
            n->kink_part[n->nkink] = kinks[i].kink.part;
            n->kink[n->nkink++] = kinks[i].kink.surface;
        }
    n->t_symbol = n->np;
    n->q_symbol = n->t_symbol + 1;
    n->v_symbol = n->q_symbol + n->nq;
    for (int i = 0; i < n->np; i++)
        n->symbol[i] = n->sys->param[i].sym;
    n->symbol[n->t_symbol] = n->sys->t;
    memcpy(n->symbol + n->q_symbol, eq->q, (size_t)n->nq * sizeof *n->symbol);
    memcpy(n->symbol + n->v_symbol, eq->v, (size_t)n->nv * sizeof *n->symbol);
    for (int i = 0; i < eq->nu; i++) {
        n->symbol[n->v_symbol + n->nv + i] = eq->u[i];
        n->input[i] = zw_eval(n->ctx, n->sys->signal[i].value, n->np, n->symbol, n->p);
    }
    return zw_context_status(n->ctx, err);
}

static zw_status allocate_arrays(zw_slip_manifold *n, zw_error *err) {
    int size = n->nv + n->nc + n->nf;
    n->value = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nsymbol);
    n->out = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->at.n);
    n->q = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nq);
    n->v = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nv);
    n->rate = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nq);
    n->accel = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nv);
    n->gamma = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nf);
    n->target = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nf);
    n->before = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nf);
    n->gdot = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, n->nf);
    n->matrix = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, size * size);
    n->side = ZW_SLIP_MANIFOLD_NEW(n, zw_jet2, size);
    n->lu = ZW_SLIP_MANIFOLD_NEW(n, double, size *size);
    n->scratch = ZW_SLIP_MANIFOLD_NEW(n, double, size + n->np);
    n->rows = ZW_SLIP_MANIFOLD_NEW(n, double, (n->nc + n->nf) * n->nv);
    n->x = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    n->held = ZW_SLIP_MANIFOLD_NEW(n, double, n->nc);
    n->pivot = ZW_SLIP_MANIFOLD_NEW(n, int, size);
    n->order_of = ZW_SLIP_MANIFOLD_NEW(n, int, size);
    n->follows = ZW_SLIP_MANIFOLD_NEW(n, bool, n->np);
    n->point = (zw_slip_manifold_point){.q = ZW_SLIP_MANIFOLD_NEW(n, double, n->nq),
                                        .u = ZW_SLIP_MANIFOLD_NEW(n, double, n->nv),
                                        .M = ZW_SLIP_MANIFOLD_NEW(n, double, n->nv * n->nv),
                                        .N = ZW_SLIP_MANIFOLD_NEW(n, double, n->nv * n->nf),
                                        .K = ZW_SLIP_MANIFOLD_NEW(n, double, n->nf * n->nf),
                                        .K_inverse = ZW_SLIP_MANIFOLD_NEW(n, double, n->nf * n->nf),
                                        .g_1 = ZW_SLIP_MANIFOLD_NEW(n, double, n->nf),
                                        .row = ZW_SLIP_MANIFOLD_NEW(n, int, n->nc)};
    return n->arena.failed ? zw_slip_manifold_memory(err) : ZW_OK;
}

/* -------------------------------------------------------------------------- the small parameter */

static bool holds_small(const zw_slip_manifold *n, zw_expr e) {
    if (zw_depends(n->ctx, e, n->symbol[n->small]))
        return true;
    for (int i = 0; i < n->np; i++)
        if (n->follows[i] && zw_depends(n->ctx, e, n->symbol[i]))
            return true;
    return false;
}

static void set_small(zw_slip_manifold *n, int small) {
    const zw_param *p = &n->sys->param[small];
    n->small = small;
    n->result.small = p->name;
    n->result.small_unit = p->unit;
    n->result.eps = n->p[small];
    memset(n->follows, 0, (size_t)n->np * sizeof *n->follows);
    for (int i = 0; i < n->np; i++) /* each of the previous ones */
        n->follows[i] = i != small && holds_small(n, n->sys->param[i].value);
}

/* Masses and constraints must not contain it; does any force? */
static zw_status check_small(const zw_slip_manifold *n, bool *anywhere, zw_error *err) {
    *anywhere = false;
    for (int i = 0; i < n->at.n; i++) {
        bool force = i >= n->at.h && i < n->at.W;
        if (!holds_small(n, n->root[i]))
            continue;
        *anywhere = *anywhere || force;
        if (force)
            continue;
        zw_fail(err, ZW_E_MODEL, "--near: %s %s", n->result.small,
                i < n->at.M   ? "stands in the rate of a coordinate or state"
                : i < n->at.h ? "stands in a mass"
                              : "stands in a constraint");
        zw_error_hint(err, "only forces may depend on it");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status name_forces(zw_slip_manifold *n, zw_error *err) {
    const zw_system *s = n->sys;
    const char **name = ZW_SLIP_MANIFOLD_NEW(n, const char *, s->nforce + 1);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    n->result.nforce = 0;
    for (int i = 0; i < s->nforce; i++)
        for (int j = 0; s->force[i].Q && j < n->nv; j++)
            if (holds_small(n, s->force[i].Q[j])) {
                name[n->result.nforce++] = s->force[i].name[0] ? s->force[i].name : "a force";
                break;
            }
    if (holds_small(n, s->dissipation))
        name[n->result.nforce++] = "dissipation";
    n->result.force = name;
    return ZW_OK;
}

static zw_status try_small(zw_slip_manifold *n, int small, zw_error *err) {
    bool anywhere;
    set_small(n, small);
    ZW_TRY(check_small(n, &anywhere, err));
    ZW_TRY(name_forces(n, err));
    if (!anywhere) {
        zw_fail(err, ZW_E_MODEL, "--near: no force depends on %s", n->result.small);
        zw_error_hint(err, "friction -c*slip/%s, in a variant of the model", n->result.small);
        return ZW_E_MODEL;
    }
    if (!(n->result.eps > 0)) {
        zw_fail(err, ZW_E_DOMAIN, "--near: %s = %.6g is not positive", n->result.small,
                n->result.eps);
        return ZW_E_DOMAIN;
    }
    return zw_slip_manifold_find_point(n, 0, n->start, err);
}

/* The only possible parameter. */
static zw_status search_small(zw_slip_manifold *n, zw_error *err) {
    char names[200] = "";
    int found = 0, which = -1;
    zw_error first = {0};
    for (int i = 0; i < n->np; i++) {
        zw_error why = {0};
        if (zw_foreign_symbol(n->ctx, n->sys->param[i].value, 0, NULL))
            continue;
        zw_status status = try_small(n, i, &why);
        if (status == ZW_E_MEMORY)
            return zw_slip_manifold_memory(err);
        zw_context_reset_status(n->ctx);
        if (status < 0) {
            if (first.status == 0 && strcmp(n->sys->param[i].name, "eps") == 0)
                first = why;
            continue;
        }
        if (strlen(names) + strlen(n->sys->param[i].name) + 3 < sizeof names)
            zw_append(names, sizeof names, "%s%s", found ? ", " : "", n->sys->param[i].name);
        found++;
        which = i;
    }
    n->result.chosen = true;
    if (found == 1)
        return try_small(n, which, err);
    if (found == 0 && first.status < 0) {
        if (err)
            *err = first;
        return first.status;
    }
    zw_fail(err, ZW_E_MODEL,
            found ? "several parameters could be small: %s"
                  : "no parameter is such that forces against these slips grow with its inverse%s",
            names);
    zw_error_hint(err, "--eps NAME; its forces are as -c*slip/NAME");
    return ZW_E_MODEL;
}

static zw_status find_small(zw_slip_manifold *n, const zw_slip_manifold_options *o, zw_error *err) {
    const char *names[256];
    int count = 0;
    for (int i = 0; i < n->np; i++) {
        if (o->small ? strcmp(n->sys->param[i].name, o->small) == 0
                     : n->sys->slow_fast.small && n->symbol[i] == n->sys->slow_fast.small)
            return try_small(n, i, err);
        if (count < 256)
            names[count++] = n->sys->param[i].name;
    }
    if (!o->small)
        return search_small(n, err);
    zw_fail(err, ZW_E_NAME, "--eps: there is no parameter '%s'", o->small);
    const char *near = zw_nearest(o->small, count, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

zw_status zw_slip_manifold_parameters(zw_slip_manifold *n, double eps, double *p, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    bool *given = ZW_SLIP_MANIFOLD_NEW(n, bool, n->np);
    if (!given)
        return zw_slip_manifold_memory(err);
    memcpy(p, n->p, (size_t)n->np * sizeof *p);
    p[n->small] = eps;
    for (int i = 0; i < n->np; i++)
        given[i] = !n->follows[i];
    zw_status status = zw_system_param_follow(n->sys, given, p, err);
    zw_arena_release(&n->arena, mark);
    return status;
}

/* Numbers for all parameters that do not depend on the small one: their expressions are computed
 * once. If that divides by 0, perhaps in an unused branch, they stay symbols. */
static zw_status put_numbers(zw_slip_manifold *n, zw_error *err) {
    zw_expr *symbol = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, n->np),
            *value = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, n->np),
            *root = ZW_SLIP_MANIFOLD_NEW(n, zw_expr, n->at.n);
    int count = 0;
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    for (int i = 0; i < n->np; i++)
        if (i != n->small && !n->follows[i]) {
            symbol[count] = n->symbol[i];
            value[count++] = zw_real(n->ctx, n->p[i]);
        }
    for (int i = 0; i < n->at.n; i++)
        root[i] = zw_subst(n->ctx, n->root[i], count, symbol, value);
    zw_status status = zw_context_status(n->ctx, NULL);
    if (status == ZW_OK)
        memcpy(n->root, root, (size_t)n->at.n * sizeof *root);
    else if (status != ZW_E_MEMORY)
        zw_context_reset_status(n->ctx);
    return status == ZW_E_MEMORY ? zw_slip_manifold_memory(err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------ lifecycle */

static zw_status name_slips(zw_slip_manifold *n, zw_error *err) {
    const char **name = ZW_SLIP_MANIFOLD_NEW(n, const char *, n->nf),
               **unit = ZW_SLIP_MANIFOLD_NEW(n, const char *, n->nf);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    for (int i = 0; i < n->nf; i++) {
        const zw_constraint *c = &n->sys->constraint[n->constraint[i]];
        name[i] = c->name;
        unit[i] = c->unit ? c->unit : "";
    }
    n->result.name = name;
    n->result.unit = unit;
    return ZW_OK;
}

static zw_status make_flows(zw_slip_manifold *n, zw_error *err) {
    ZW_TRY(zw_kernel_create(&n->kernel, &n->eq, NULL, err));
    ZW_TRY(zw_kernel_create(&n->rigid_kernel, &n->rigid_eq, NULL, err));
    ZW_TRY(zw_flow_create(&n->flow, n->kernel, n->p, err));
    return zw_flow_create(&n->rigid, n->rigid_kernel, n->p, err);
}

static zw_status build_manifold(zw_slip_manifold *n, const zw_slip_manifold_options *o,
                                zw_error *err) {
    if (o->order < 0 || o->order > ZW_MANIFOLD_ORDER_MOST)
        return zw_fail(err, ZW_E_OPTION, "--order: 0 to %d", (int)ZW_MANIFOLD_ORDER_MOST);
    n->order = n->result.order = o->order;
    n->p = ZW_SLIP_MANIFOLD_NEW(n, double, n->sys->np);
    n->start = ZW_SLIP_MANIFOLD_NEW(n, double, n->sys->nq + n->sys->nv);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    ZW_TRY(find_constraints(n, o, err));
    ZW_TRY(zw_system_param_values(n->sys, n->p, err));
    ZW_TRY(derive_equations(n, err));
    ZW_TRY(collect_roots(n, err));
    ZW_TRY(allocate_arrays(n, err));
    ZW_TRY(name_slips(n, err));
    ZW_TRY(zw_system_complete(n->sys, NULL, 0, NULL, n->start, NULL, err));
    n->result.nx = n->nx;
    n->result.nf = n->nf;
    n->result.start = n->start;
    ZW_TRY(find_small(n, o, err));
    ZW_TRY(put_numbers(n, err));
    return make_flows(n, err);
}

zw_status zw_slip_manifold_create(zw_slip_manifold **out, const zw_system *sys,
                                  const zw_slip_manifold_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_slip_manifold_options o = zw_slip_manifold_options_default();
    zw_slip_manifold *n = zw_allocate(&alloc, sizeof *n);
    *out = NULL;
    if (!n)
        return zw_slip_manifold_memory(err);
    if (options)
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    n->sys = sys;
    n->ctx = sys->ctx;
    zw_arena_init(&n->arena, &alloc);
    zw_status status = build_manifold(n, &o, err);
    if (status < 0) {
        zw_slip_manifold_destroy(n);
        return status;
    }
    *out = n;
    return ZW_OK;
}

void zw_slip_manifold_destroy(zw_slip_manifold *n) {
    if (!n)
        return;
    zw_allocator alloc = n->arena.alloc;
    zw_flow_destroy(n->rigid);
    zw_flow_destroy(n->flow);
    zw_kernel_destroy(n->rigid_kernel);
    zw_kernel_destroy(n->kernel);
    zw_arena_clear(&n->arena);
    zw_release(&alloc, n, sizeof *n);
}

/* ---- values at a point ---- */

zw_status zw_slip_manifold_slips(zw_slip_manifold *n, double t, const double *x, double *gamma,
                                 zw_error *err) {
    const zw_jet2_shape shape = {0, false};
    for (int i = 0; i < n->nq; i++)
        n->q[i] = zw_jet2_number(shape, x[i]);
    for (int j = 0; j < n->nv; j++)
        n->v[j] = zw_jet2_number(shape, x[n->nq + j]);
    ZW_TRY(zw_slip_manifold_gamma(n, shape, n->result.eps, t, err));
    for (int k = 0; k < n->nf; k++)
        gamma[k] = n->gamma[k].c[0];
    return ZW_OK;
}

zw_status zw_slip_manifold_move(zw_slip_manifold *n, double t, double *x, const double *gamma,
                                zw_error *err) {
    ZW_TRY(zw_slip_manifold_project(n, t, x, err));
    zw_slip_manifold_state(n, gamma, x);
    return ZW_OK;
}

zw_status zw_slip_manifold_size(zw_slip_manifold *n, double t, const double *x, const double *gamma,
                                double *size, double *speed, zw_error *err) {
    ZW_TRY(zw_slip_manifold_project(n, t, x, err));
    *size = zw_slip_manifold_measured(n, gamma);
    if (speed)
        *speed = n->point.speed;
    return ZW_OK;
}

/* Eigenvalues of K / eps, the slowest first. */
static zw_status find_spectrum(zw_slip_manifold *n, double *re, double *im, zw_error *err) {
    zw_dense_eigen e;
    int nf = n->nf;
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    if (!zw_dense_eigenvalues(&n->arena, nf, n->point.K, &e))
        return zw_dense_failure(&n->arena, err);
    for (int i = 0; i < nf; i++) {
        int k = i;
        for (; k > 0 && re[k - 1] < e.re[i] / n->result.eps; k--) {
            re[k] = re[k - 1];
            if (im)
                im[k] = im[k - 1];
        }
        re[k] = e.re[i] / n->result.eps;
        if (im)
            im[k] = e.im[i] / n->result.eps;
    }
    zw_arena_release(&n->arena, mark);
    return ZW_OK;
}

static zw_status find_forces(zw_slip_manifold *n, double t, double *force, zw_error *err) {
    double *z = ZW_SLIP_MANIFOLD_NEW(n, double, n->nv + n->rigid_eq.nc),
           *rate = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    if (n->arena.failed)
        return zw_slip_manifold_memory(err);
    zw_slip_manifold_state(n, NULL, n->x);
    zw_error why = {0};
    zw_status status = zw_flow_rates(n->rigid, t, n->x, rate, z, &why);
    if (status < 0 && status != ZW_E_SINGULAR && err)
        *err = why;
    if (status < 0 && status != ZW_E_SINGULAR)
        return status;
    for (int k = 0; k < n->nf; k++) {
        force[k] = NAN; /* of constraints that depend on each other: not determined */
        for (int i = 0; status >= 0 && i < n->rigid_eq.nc; i++)
            if (n->rigid_eq.constraint[i] == n->constraint[k])
                force[k] = z[n->nv + i];
    }
    return ZW_OK;
}

zw_status zw_slip_manifold_expand(zw_slip_manifold *n, double t, const double *x, double *g,
                                  double *rate_re, double *rate_im, double *force, zw_error *err) {
    ZW_TRY(zw_slip_manifold_find_point(n, t, x, err));
    if (rate_re)
        ZW_TRY(find_spectrum(n, rate_re, rate_im, err));
    if (force) {
        zw_arena_mark mark = zw_arena_mark_now(&n->arena);
        zw_status status = find_forces(n, t, force, err);
        zw_arena_release(&n->arena, mark);
        ZW_TRY(status);
    }
    return zw_slip_manifold_orders(n, n->order, g, err);
}
