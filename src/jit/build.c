/* SPDX-License-Identifier: MIT */
/* From the expressions of the equations to the functions of a kernel. The Jacobian is that of
 *
 *     r = (M a - h - C lambda, W a - b)
 *
 * with the accelerations a and the multipliers lambda as independent symbols, the inputs z. */
#include "build.h"

#include "solve.h"

typedef struct builder {
    zw_program *program;
    const zw_equations *eq;
    zw_context *ctx;
    zw_arena arena; /* lists of expressions and values */
    zw_expr *x;     /* nx symbols */
    zw_expr *known; /* every symbol that is an input */
    int nknown;
    zw_error *err;
} builder;

static zw_status no_memory(builder *b) {
    return zw_fail(b->err, ZW_E_MEMORY, "out of memory");
}

static zw_status add_inputs(builder *b, zw_space space, int n, const zw_expr *symbols) {
    for (int i = 0; i < n; i++)
        b->known[b->nknown++] = symbols[i];
    return zw_program_input(b->program, space, n, symbols, b->err);
}

static zw_status declare_inputs(builder *b) {
    const zw_equations *eq = b->eq;
    const zw_system *sys = eq->sys;
    int nx = eq->nq + eq->nv, nz = eq->nv + eq->nc;
    zw_expr *z = ZW_NEW(&b->arena, zw_expr, nz + 1), *p = ZW_NEW(&b->arena, zw_expr, sys->np + 1);
    b->x = ZW_NEW(&b->arena, zw_expr, nx + 1);
    b->known = ZW_NEW(&b->arena, zw_expr, nx + nz + sys->np + 1);
    if (b->arena.failed)
        return no_memory(b);
    for (int i = 0; i < nx; i++)
        b->x[i] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
    for (int i = 0; i < nz; i++)
        z[i] = i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv];
    for (int i = 0; i < sys->np; i++)
        p[i] = sys->param[i].sym;
    ZW_TRY(add_inputs(b, ZW_SPACE_T, 1, &sys->t));
    ZW_TRY(add_inputs(b, ZW_SPACE_X, nx, b->x));
    ZW_TRY(add_inputs(b, ZW_SPACE_Z, nz, z));
    return add_inputs(b, ZW_SPACE_P, sys->np, p);
}

/* A list of expressions that grows by appending, of known final size. */
typedef struct list {
    zw_expr *e;
    int n;
} list;

static zw_status new_list(builder *b, int size, list *l) {
    *l = (list){ZW_NEW(&b->arena, zw_expr, size + 1), 0};
    return l->e ? ZW_OK : no_memory(b);
}

static void append(list *l, int n, const zw_expr *e) {
    for (int i = 0; i < n; i++)
        l->e[l->n++] = e[i];
}

static zw_status list_mats(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    int nv = eq->nv, nc = eq->nc;
    ZW_TRY(new_list(b, nv * nv + nv + 2 * nv * nc + nc + eq->nq, l));
    append(l, nv * nv, eq->M);
    append(l, nv, eq->h);
    append(l, nv * nc, eq->C);
    append(l, nc * nv, eq->W);
    append(l, nc, eq->b);
    return ZW_OK;
}

/* rhs with the matrices lowered in one style; quality 0 if it cannot be unrolled */
static zw_status rhs_values(builder *b, zw_style style, zw_value *out, bool *unrolled) {
    const zw_equations *eq = b->eq;
    int nq = eq->nq, nv = eq->nv, nc = eq->nc;
    list mats;
    ZW_TRY(list_mats(b, &mats));
    zw_value *v = ZW_NEW(&b->arena, zw_value, mats.n + 1);
    if (!v)
        return no_memory(b);
    ZW_TRY(zw_program_lower(b->program, style, nq, eq->qdot, out, b->err));
    ZW_TRY(zw_program_lower(b->program, style, mats.n, mats.e, v, b->err));
    zw_solve system = {.nv = nv, .nc = nc, .symmetric = eq->symmetric};
    system.M = v;
    system.h = system.M + nv * nv;
    system.C = system.h + nv;
    system.W = system.C + nv * nc;
    system.b = system.W + nc * nv;
    zw_status status = zw_solve_unroll(&b->program->graph, &b->program->scratch, &system, out + nq,
                                       out + nq + nv, out + nq + nv + nc);
    if (status == ZW_E_MEMORY)
        return no_memory(b);
    *unrolled = status == ZW_OK;
    return ZW_OK;
}

static zw_status build_rhs(builder *b, int unroll_max, bool *unrolled) {
    const zw_equations *eq = b->eq;
    int n = eq->nq + eq->nv + eq->nc + 1;
    *unrolled = eq->definite && !eq->pseudo && eq->nv + eq->nc <= unroll_max;
    zw_value *out[ZW_STYLES];
    zw_style best = 0;
    long best_cost = 0;
    for (zw_style style = 0; *unrolled && style < ZW_STYLES; style++) {
        out[style] = ZW_NEW(&b->arena, zw_value, n);
        if (!out[style])
            return no_memory(b);
        ZW_TRY(rhs_values(b, style, out[style], unrolled));
        if (!*unrolled)
            break;
        long cost = zw_program_cost(b->program, n, out[style]);
        if (cost < 0)
            return no_memory(b);
        if (style == 0 || cost < best_cost) {
            best = style;
            best_cost = cost;
        }
    }
    return zw_program_function_of_values(b->program, "rhs", *unrolled ? n : 0,
                                         *unrolled ? out[best] : NULL, b->err);
}

static zw_status build_mats(builder *b) {
    list l;
    ZW_TRY(list_mats(b, &l));
    append(&l, b->eq->nq, b->eq->qdot);
    return zw_program_function(b->program, "mats", l.n, l.e, b->err);
}

/* row . symbols - right, for the residual */
static zw_expr row_residual(zw_context *ctx, int n, const zw_expr *row, const zw_expr *symbols,
                            zw_expr right) {
    return zw_sub(ctx, zw_dot(ctx, n, row, symbols), right);
}

/* r = (M a - h - C lambda, W a - b) */
static zw_status residual(builder *b, zw_expr **out) {
    const zw_equations *eq = b->eq;
    int nv = eq->nv, nc = eq->nc;
    zw_expr *r = *out = ZW_NEW(&b->arena, zw_expr, nv + nc + 1);
    if (!r)
        return no_memory(b);
    for (int i = 0; i < nv; i++)
        r[i] =
            row_residual(b->ctx, nv, eq->M + i * nv, eq->a,
                         zw_add(b->ctx, eq->h[i], zw_dot(b->ctx, nc, eq->C + i * nc, eq->lambda)));
    for (int k = 0; k < nc; k++)
        r[nv + k] = row_residual(b->ctx, nv, eq->W + k * nv, eq->a, eq->b[k]);
    return ZW_OK;
}

static zw_status build_jac(builder *b) {
    const zw_equations *eq = b->eq;
    int nx = eq->nq + eq->nv, nr = eq->nv + eq->nc;
    list l;
    zw_expr *r;
    ZW_TRY(residual(b, &r));
    ZW_TRY(new_list(b, (eq->nq + nr) * nx, &l));
    zw_jacobian(b->ctx, eq->nq, eq->qdot, nx, b->x, l.e);
    zw_jacobian(b->ctx, nr, r, nx, b->x, l.e + eq->nq * nx);
    l.n = (eq->nq + nr) * nx;
    ZW_TRY(zw_context_status(b->ctx, b->err));
    return zw_program_function(b->program, "jac", l.n, l.e, b->err);
}

/* position level with the first nstart rows of the start */
static zw_status build_pos(builder *b, const char *name, int nstart) {
    const zw_equations *eq = b->eq;
    list l;
    ZW_TRY(new_list(b, (eq->npos + nstart) * (1 + eq->nv) + eq->nq * eq->nv, &l));
    append(&l, eq->npos, eq->phi);
    append(&l, nstart, eq->start_phi);
    append(&l, eq->npos * eq->nv, eq->Phi);
    append(&l, nstart * eq->nv, eq->start_Phi);
    append(&l, eq->nq * eq->nv, eq->F);
    return zw_program_function(b->program, name, l.n, l.e, b->err);
}

static zw_status build_vel(builder *b, const char *name, int nstart) {
    const zw_equations *eq = b->eq;
    list l;
    ZW_TRY(new_list(b, (eq->nvel + nstart) * (1 + eq->nv), &l));
    append(&l, eq->nvel, eq->psi);
    append(&l, nstart, eq->start_psi);
    append(&l, eq->nvel * eq->nv, eq->Psi);
    append(&l, nstart * eq->nv, eq->start_Psi);
    return zw_program_function(b->program, name, l.n, l.e, b->err);
}

/* both levels with the rows of the start, or two empty functions if it has none */
static zw_status build_start(builder *b) {
    const zw_equations *eq = b->eq;
    if (eq->nstart_pos + eq->nstart_vel == 0) {
        ZW_TRY(zw_program_function(b->program, "start_pos", 0, NULL, b->err));
        return zw_program_function(b->program, "start_vel", 0, NULL, b->err);
    }
    ZW_TRY(build_pos(b, "start_pos", eq->nstart_pos));
    return build_vel(b, "start_vel", eq->nstart_vel);
}

/* An expression of the user must not need what the equations do not have. */
static zw_status check_symbols(builder *b, const char *kind, const char *name, zw_expr value,
                               zw_place place) {
    zw_expr s = zw_foreign_symbol(b->ctx, value, b->nknown, b->known);
    if (!s)
        return ZW_OK;
    return zw_fail_at(b->err, ZW_E_NAME, place,
                      "%s '%s' needs '%s', which is neither a state nor a parameter", kind, name,
                      zw_expr_name(b->ctx, s));
}

static zw_status build_obs(builder *b) {
    const zw_system *sys = b->eq->sys;
    list l;
    ZW_TRY(new_list(b, b->eq->nobservable + sys->nv + 2, &l));
    for (int i = 0; i < b->eq->nobservable; i++)
        append(&l, 1, &sys->observable[i].value);
    ZW_TRY(zw_equations_translate(b->eq, l.n, l.e, b->err));
    for (int i = 0; i < b->eq->nobservable; i++)
        ZW_TRY(check_symbols(b, "observable", sys->observable[i].name, l.e[i],
                             sys->observable[i].place));
    if (b->eq->system_v)
        append(&l, sys->nv, b->eq->system_v);
    append(&l, 1, &b->eq->T);
    append(&l, 1, &b->eq->V);
    return zw_program_function(b->program, "obs", l.n, l.e, b->err);
}

static zw_status build_evt(builder *b) {
    const zw_system *sys = b->eq->sys;
    list l;
    ZW_TRY(new_list(b, b->eq->nevent, &l));
    for (int i = 0; i < b->eq->nevent; i++)
        append(&l, 1, &sys->event[i].value);
    ZW_TRY(zw_equations_translate(b->eq, l.n, l.e, b->err));
    for (int i = 0; i < b->eq->nevent; i++)
        ZW_TRY(check_symbols(b, "event", sys->event[i].name, l.e[i], sys->event[i].place));
    return zw_program_function(b->program, "evt", l.n, l.e, b->err);
}

int zw_build_set_count(const zw_equations *eq) {
    const zw_system *sys = eq->sys;
    int n = 0;
    for (int i = 0; i < eq->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            n += sys->event[i].action[k].kind == ZW_ACTION_SET;
    return n;
}

static zw_status build_act(builder *b) {
    const zw_system *sys = b->eq->sys;
    list l;
    int n = 0;
    ZW_TRY(new_list(b, zw_build_set_count(b->eq), &l));
    for (int i = 0; i < b->eq->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            if (sys->event[i].action[k].kind == ZW_ACTION_SET)
                append(&l, 1, &sys->event[i].action[k].value);
    ZW_TRY(zw_equations_translate(b->eq, l.n, l.e, b->err));
    for (int i = 0; i < b->eq->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            if (sys->event[i].action[k].kind == ZW_ACTION_SET)
                ZW_TRY(check_symbols(b, "event", sys->event[i].name, l.e[n++],
                                     sys->event[i].action[k].place));
    return zw_program_function(b->program, "act", l.n, l.e, b->err);
}

static zw_status build_power(builder *b) {
    zw_power *power;
    int n;
    list l;
    ZW_TRY(zw_equations_powers(b->eq, &power, &n, b->err));
    ZW_TRY(new_list(b, n, &l));
    for (int i = 0; i < n; i++)
        append(&l, 1, &power[i].value);
    return zw_program_function(b->program, "power", l.n, l.e, b->err);
}

/* What an implicit method needs beyond jac: how the constraints change with the coordinates and the
 * residual with time. The gradients are those that W and b were made of, so little is new. */
static zw_status build_dae(builder *b) {
    const zw_equations *eq = b->eq;
    int nq = eq->nq, nr = eq->nv + eq->nc;
    list l;
    zw_expr *r;
    ZW_TRY(residual(b, &r));
    ZW_TRY(new_list(b, (eq->npos + eq->nvel) * nq + nr, &l));
    zw_jacobian(b->ctx, eq->npos, eq->phi, nq, b->x, l.e);
    zw_jacobian(b->ctx, eq->nvel, eq->psi, nq, b->x, l.e + eq->npos * nq);
    zw_jacobian(b->ctx, nr, r, 1, &eq->sys->t, l.e + (eq->npos + eq->nvel) * nq);
    l.n = (eq->npos + eq->nvel) * nq + nr;
    ZW_TRY(zw_context_status(b->ctx, b->err));
    return zw_program_function(b->program, "dae", l.n, l.e, b->err);
}

static zw_status build_all(builder *b, int unroll_max, bool with_dae, bool with_powers,
                           bool *unrolled) {
    ZW_TRY(declare_inputs(b));
    ZW_TRY(build_rhs(b, unroll_max, unrolled)); /* in the order of zw_kernel_function */
    ZW_TRY(build_mats(b));
    ZW_TRY(build_jac(b));
    ZW_TRY(build_pos(b, "pos", 0));
    ZW_TRY(build_vel(b, "vel", 0));
    ZW_TRY(build_obs(b));
    ZW_TRY(build_evt(b));
    ZW_TRY(build_act(b));
    ZW_TRY(with_powers ? build_power(b)
                       : zw_program_function(b->program, "power", 0, NULL, b->err));
    ZW_TRY(build_start(b));
    ZW_TRY(zw_program_function(b->program, "metric", b->eq->metric ? b->eq->nv * b->eq->nv : 0,
                               b->eq->metric, b->err));
    ZW_TRY(with_dae ? build_dae(b) : zw_program_function(b->program, "dae", 0, NULL, b->err));
    return zw_program_finish(b->program, b->err);
}

zw_status zw_build_program(zw_program *program, const zw_equations *eq, int unroll_max,
                           bool with_dae, bool with_powers, bool *unrolled, zw_error *err) {
    builder b = {.program = program, .eq = eq, .ctx = eq->sys->ctx, .err = err};
    ZW_TRY(zw_program_init(program, b.ctx, err));
    zw_arena_init(&b.arena, &program->arena.alloc);
    zw_status status = build_all(&b, unroll_max, with_dae, with_powers, unrolled);
    zw_arena_clear(&b.arena);
    zw_program_trim(program);
    return status;
}
