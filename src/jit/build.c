/* SPDX-License-Identifier: MIT */
/* From the expressions of the equations to the functions of a kernel. Derivatives are those of
 *
 *     qdot,   r = (M a - h - C lambda, W a - b),   phi,   psi
 *
 * with the accelerations a and the multipliers lambda as independent symbols, the inputs z. A
 * parameter may be defined by others, p_k = value_k(p_0 .. p_k-1), so the derivative in the chosen
 * parameter j is
 *
 *     d/dp_j = sum_k D_kj d/dp_k,     D_kj = [k = j] + sum_i dvalue_k/dp_i D_ij,
 *
 * where a chosen parameter is independent of the other chosen ones. Derivatives along directions
 * d1, d2, d3 in y = (x, z) are computed one after the other with the directions as symbols: sum_i
 * d1_i d/dy_i ... */
#include "build.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/processor.h"
#include "contact_rows.h"
#include "mech/equations/variants.h"
#include "solve.h"

/* A list of expressions that grows by appending, of known final size. */
typedef struct list {
    zw_expr *e;
    int n, size;
} list;

typedef struct builder {
    zw_program *program;
    const zw_kernel *k;
    const zw_equations *eq;
    zw_context *ctx;
    zw_arena arena; /* lists of expressions and values */
    zw_expr *y;     /* nx + nz symbols: x, then z */
    zw_expr *p;     /* np symbols */
    zw_expr *known; /* every symbol that is an input */
    int nknown;
    zw_expr *r;     /* nz: the residual, created when needed */
    zw_expr *along; /* np x npar: D, created when needed */
    zw_expr *d[3];  /* directions, nx + nz each, created when needed */
    zw_error *err;
} builder;

static zw_status no_memory(builder *b) {
    return zw_out_of_memory(b->err, NULL);
}

/* ------------------------------------------------------------------------- inputs */

static zw_status add_inputs(builder *b, zw_space space, int n, const zw_expr *symbols) {
    for (int i = 0; i < n; i++)
        b->known[b->nknown++] = symbols[i];
    return zw_program_input(b->program, space, n, symbols, b->err);
}

static zw_status declare_inputs(builder *b) {
    const zw_equations *eq = b->eq;
    const zw_system *sys = eq->sys;
    int nx = eq->nq + eq->nv, nz = eq->nv + eq->nc;
    b->y = ZW_NEW(&b->arena, zw_expr, nx + nz + 1);
    b->p = ZW_NEW(&b->arena, zw_expr, sys->np + 1);
    int nmode = eq->modes ? eq->modes->nmode : 0;
    zw_expr *u = ZW_NEW(&b->arena, zw_expr, eq->nu + nmode + 1);
    b->known = ZW_NEW(&b->arena, zw_expr, nx + nz + sys->np + eq->nu + nmode + 1);
    if (b->arena.failed)
        return no_memory(b);
    for (int i = 0; i < nx; i++)
        b->y[i] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
    for (int i = 0; i < nz; i++)
        b->y[nx + i] = i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv];
    for (int i = 0; i < sys->np; i++)
        b->p[i] = sys->param[i].sym;
    ZW_TRY(add_inputs(b, ZW_SPACE_T, 1, &sys->t));
    ZW_TRY(add_inputs(b, ZW_SPACE_X, nx, b->y));
    ZW_TRY(add_inputs(b, ZW_SPACE_Z, nz, b->y + nx));
    for (int i = 0; i < eq->nu + nmode; i++)
        u[i] = i < eq->nu ? eq->u[i] : eq->modes->mode[i - eq->nu];
    ZW_TRY(add_inputs(b, ZW_SPACE_U, eq->nu + nmode, u));
    return add_inputs(b, ZW_SPACE_P, sys->np, b->p);
}

/* creates the symbols of direction i; no name of a model begins with % */
static zw_status need_direction(builder *b, int i) {
    static const zw_space space[] = {ZW_SPACE_D1, ZW_SPACE_D2, ZW_SPACE_D3};
    int n = b->k->nx + b->k->nz;
    if (b->d[i])
        return ZW_OK;
    b->d[i] = ZW_NEW(&b->arena, zw_expr, n + 1);
    if (!b->d[i])
        return no_memory(b);
    for (int j = 0; j < n; j++) {
        char name[32];
        snprintf(name, sizeof name, "%%%d.%d", i + 1, j);
        b->d[i][j] = zw_symbol(b->ctx, name);
    }
    ZW_TRY(zw_context_status(b->ctx, b->err));
    return zw_program_input(b->program, space[i], n, b->d[i], b->err);
}

/* ------------------------------------------------------------------------- lists */

static void append_expressions(list *l, int n, const zw_expr *e) {
    assert(l->n + n <= l->size);
    for (int i = 0; i < n; i++)
        l->e[l->n++] = e[i];
}

/* m expressions in the form that is differentiated; NULL if memory is short, reported by the arena
 * or the context */
static zw_expr *guard_expressions(builder *b, int m, const zw_expr *e) {
    zw_expr *out = ZW_NEW(&b->arena, zw_expr, m + 1);
    for (int i = 0; out && i < m; i++)
        out[i] = e[i];
    int n = b->k->nx + b->k->nz;
    return out && zw_guard_lengths(b->ctx, m, out, n, b->y) ? out : NULL;
}

/* d e/d symbols, m x n, appended */
static void append_jacobian(builder *b, list *l, int m, const zw_expr *e, int n,
                            const zw_expr *symbols) {
    assert(l->n + m * n <= l->size);
    e = guard_expressions(b, m, e);
    if (!e)
        return;
    zw_jacobian(b->ctx, m, e, n, symbols, l->e + l->n);
    l->n += m * n;
}

/* row . symbols - right, for the residual */
static zw_expr row_residual(zw_context *ctx, int n, const zw_expr *row, const zw_expr *symbols,
                            zw_expr right) {
    return zw_sub(ctx, zw_dot(ctx, n, row, symbols), right);
}

static zw_status need_residual(builder *b) {
    const zw_equations *eq = b->eq;
    int nv = eq->nv, nc = eq->nc;
    if (b->r)
        return ZW_OK;
    b->r = ZW_NEW(&b->arena, zw_expr, nv + nc + 1);
    if (!b->r)
        return no_memory(b);
    for (int i = 0; i < nv; i++)
        b->r[i] =
            row_residual(b->ctx, nv, eq->M + i * nv, eq->a,
                         zw_add(b->ctx, eq->h[i], zw_dot(b->ctx, nc, eq->C + i * nc, eq->lambda)));
    for (int k = 0; k < nc; k++)
        b->r[nv + k] = row_residual(b->ctx, nv, eq->W + k * nv, eq->a, eq->b[k]);
    return zw_context_status(b->ctx, b->err);
}

/* An expression of the user must not contain symbols that the equations do not have. */
static zw_status check_symbols(builder *b, const char *kind, const char *name, zw_expr value,
                               zw_place place) {
    zw_expr s = zw_foreign_symbol(b->ctx, value, b->nknown, b->known);
    if (!s)
        return ZW_OK;
    return zw_fail_at(b->err, ZW_E_NAME, place,
                      "%s '%s' needs '%s', which is neither a state nor a parameter", kind, name,
                      zw_expr_name(b->ctx, s));
}

/* ------------------------------------------------------------------------- the motion */

static zw_status list_mats(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    int nv = eq->nv, nc = eq->nc;
    append_expressions(l, nv * nv, eq->M);
    append_expressions(l, nv, eq->h);
    append_expressions(l, nv * nc, eq->C);
    append_expressions(l, nc * nv, eq->W);
    append_expressions(l, nc, eq->b);
    append_expressions(l, eq->nq, eq->qdot);
    return ZW_OK;
}

static zw_status list_jac(builder *b, list *l) {
    const zw_kernel *k = b->k;
    ZW_TRY(need_residual(b));
    append_jacobian(b, l, k->nq, b->eq->qdot, k->nx, b->y);
    append_jacobian(b, l, k->nz, b->r, k->nx, b->y);
    return ZW_OK;
}

/* position level: the first npos rows, with the first nstart rows of the start */
static void put_positions(builder *b, list *l, int npos, int nstart) {
    const zw_equations *eq = b->eq;
    append_expressions(l, npos, eq->phi);
    append_expressions(l, nstart, eq->start_phi);
    append_expressions(l, npos * eq->nv, eq->Phi);
    append_expressions(l, nstart * eq->nv, eq->start_Phi);
    append_expressions(l, eq->nq * eq->nv, eq->F);
}

static void put_velocities(builder *b, list *l, int nstart) {
    const zw_equations *eq = b->eq;
    append_expressions(l, eq->nvel, eq->psi);
    append_expressions(l, nstart, eq->start_psi);
    append_expressions(l, eq->nvel * eq->nv, eq->Psi);
    append_expressions(l, nstart * eq->nv, eq->start_Psi);
}

static zw_status list_pos(builder *b, list *l) {
    put_positions(b, l, b->eq->npos, 0);
    return ZW_OK;
}

static zw_status list_vel(builder *b, list *l) {
    put_velocities(b, l, 0);
    return ZW_OK;
}

static zw_status list_start_pos(builder *b, list *l) {
    put_positions(b, l, b->eq->npos - b->eq->nleaf, b->eq->nstart_pos);
    return ZW_OK;
}

static zw_status list_start_vel(builder *b, list *l) {
    put_velocities(b, l, b->eq->nstart_vel);
    return ZW_OK;
}

static zw_status list_delayed(builder *b, list *l) {
    for (int i = 0; i < b->k->ndelay; i++)
        append_expressions(l, 1, &b->eq->sys->delay[i].of);
    for (int i = 0; i < b->k->ndelay; i++)
        append_expressions(l, 1, &b->eq->sys->delay[i].lag);
    return zw_equations_translate(b->eq, l->n, l->e, b->err);
}

static zw_status list_metric(builder *b, list *l) {
    append_expressions(l, b->eq->nv * b->eq->nv, b->eq->metric);
    return ZW_OK;
}

/* ------------------------------------------------- observables, events, contact forces */

static zw_status list_obs(builder *b, list *l) {
    const zw_system *sys = b->eq->sys;
    for (int i = 0; i < b->eq->nobservable; i++)
        append_expressions(l, 1, &sys->observable[i].value);
    ZW_TRY(zw_equations_translate(b->eq, l->n, l->e, b->err));
    for (int i = 0; i < b->eq->nobservable; i++)
        ZW_TRY(check_symbols(b, "observable", sys->observable[i].name, l->e[i],
                             sys->observable[i].place));
    if (b->eq->system_v)
        append_expressions(l, sys->nv, b->eq->system_v);
    append_expressions(l, 1, &b->eq->T);
    append_expressions(l, 1, &b->eq->V);
    return zw_equations_lock_also(b->eq, l->n, l->e, b->err);
}

/* fixes the modes of functions of contacts, whose kinks have their own modes */
static zw_status lock_touch(builder *b, int n, zw_expr *e) {
    bool locked = b->eq->modes && b->eq->modes->contacts;
    return locked ? zw_equations_lock_also(b->eq, n, e, b->err) : ZW_OK;
}

static zw_status list_evt(builder *b, list *l) {
    const zw_system *sys = b->eq->sys;
    for (int i = 0; i < b->eq->nevent; i++)
        append_expressions(l, 1, &sys->event[i].value);
    append_expressions(l, b->eq->nwatch, b->eq->watch);
    ZW_TRY(zw_equations_translate(b->eq, l->n, l->e, b->err));
    ZW_TRY(lock_touch(b, b->eq->nwatch, l->e + b->eq->nevent));
    for (int i = 0; i < b->eq->nevent; i++)
        ZW_TRY(check_symbols(b, "event", sys->event[i].name, l->e[i], sys->event[i].place));
    return ZW_OK;
}

static int count_actions(const zw_equations *eq) {
    const zw_system *sys = eq->sys;
    int n = 0;
    for (int i = 0; i < eq->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            n += sys->event[i].action[k].kind == ZW_ACTION_SET;
    return n;
}

static zw_status list_act(builder *b, list *l) {
    const zw_system *sys = b->eq->sys;
    int n = 0;
    for (int i = 0; i < b->eq->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            if (sys->event[i].action[k].kind == ZW_ACTION_SET)
                append_expressions(l, 1, &sys->event[i].action[k].value);
    ZW_TRY(zw_equations_translate(b->eq, l->n, l->e, b->err));
    for (int i = 0; i < b->eq->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            if (sys->event[i].action[k].kind == ZW_ACTION_SET)
                ZW_TRY(check_symbols(b, "event", sys->event[i].name, l->e[n++],
                                     sys->event[i].action[k].place));
    return ZW_OK;
}

/* is a constraint of the statement active here, or may a contact close? */
static bool is_closed(const zw_equations *eq, const zw_contact_validity *c) {
    size_t n = strlen(c->name);
    for (int i = 0; i < eq->sys->ncontact; i++)
        if (strcmp(eq->sys->contact[i].name, c->name) == 0)
            return !eq->sys->contact[i].off && !eq->absent[i];
    for (int i = 0; i < eq->sys->nconstraint; i++) {
        const char *name = eq->sys->constraint[i].name;
        bool part = strncmp(name, c->name, n) == 0 && (name[n] == '.' || name[n] == '\0');
        if (part && eq->holds[i])
            return true;
    }
    return false;
}

static zw_status list_valid(builder *b, list *l) {
    const zw_system *sys = b->eq->sys;
    zw_expr always = ZW_ONE;
    for (int i = 0; i < b->eq->nfooting; i++) {
        const zw_contact_validity *c = &sys->footing[i];
        append_expressions(l, 1, c->valid && is_closed(b->eq, c) ? &c->valid : &always);
    }
    return ZW_OK;
}

static zw_status list_press(builder *b, list *l) {
    const zw_system *sys = b->eq->sys;
    zw_expr unasked = ZW_ONE;
    for (int i = 0; i < b->eq->nfooting; i++) {
        const zw_contact_validity *c = &sys->footing[i];
        bool asked = c->press && is_closed(b->eq, c);
        append_expressions(l, 1, asked ? &c->press : &unasked);
    }
    return zw_equations_translate(b->eq, l->n, l->e, b->err);
}

/* ------------------------------------------------------------------------- contacts */

/* appends the entries of a matrix (rows of nv) in the velocities of a part */
static void append_part(builder *b, list *l, int nrow, const zw_expr *rows, int part) {
    const zw_kernel *k = b->k;
    for (int r = 0; r < nrow; r++)
        for (int i = k->part_start[part]; i < k->part_start[part + 1]; i++)
            append_expressions(l, 1, &rows[r * k->nv + k->part_velocity[i]]);
}

static void append_masses(builder *b, list *l) {
    const zw_kernel *k = b->k;
    for (int p = 0; p < k->npart; p++)
        for (int i = k->part_start[p]; i < k->part_start[p + 1]; i++)
            append_part(b, l, 1, b->eq->M + k->part_velocity[i] * k->nv, p);
}

static zw_status list_touch(builder *b, list *l) {
    const zw_kernel *k = b->k;
    int first = l->n;
    zw_touch_list touch;
    ZW_TRY(zw_touch_expressions(b->eq, &b->arena, &touch, b->err));
    append_expressions(l, k->ncontact, touch.gap);
    append_expressions(l, k->ntouch, touch.rate);
    for (int i = 0; i < k->ncontact; i++) {
        const zw_contact_form *f = &k->contact[i];
        for (int e = f->first; e < f->first + f->ntouch; e++)
            append_part(b, l, f->nrow, touch.G + f->row * k->nv, k->touching[e].part);
    }
    return lock_touch(b, l->n - first, l->e + first);
}

static zw_status list_law(builder *b, list *l) {
    zw_touch_list touch;
    ZW_TRY(zw_touch_expressions(b->eq, &b->arena, &touch, b->err));
    append_expressions(l, b->k->nlaw, touch.law);
    return lock_touch(b, l->n, l->e);
}

static zw_status list_touch_rate(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    zw_touch_list touch;
    ZW_TRY(zw_touch_rates(eq, &b->arena, &touch, b->err));
    append_expressions(l, b->k->ntouch, touch.rate);
    return lock_touch(b, l->n, l->e);
}

static zw_status list_step(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    append_masses(b, l);
    append_expressions(l, eq->nv, eq->h);
    append_expressions(l, eq->nvel, eq->psi);
    append_expressions(l, eq->nvel * eq->nv, eq->Psi);
    return list_touch(b, l);
}

static zw_status list_qdot(builder *b, list *l) {
    append_expressions(l, b->eq->nq, b->eq->qdot);
    return ZW_OK;
}

static zw_status list_power(builder *b, list *l) {
    zw_power *power;
    int n;
    ZW_TRY(zw_equations_powers(b->eq, &power, &n, b->err));
    for (int i = 0; i < n; i++)
        append_expressions(l, 1, &power[i].value);
    return zw_equations_lock_also(b->eq, l->n, l->e, b->err);
}

/* ------------------------------------------------------------------------- derivatives */

/* the gradients are those from which W and b were computed, so few operations are new */
static zw_status list_grad(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    append_jacobian(b, l, eq->npos, eq->phi, eq->nq, b->y);
    append_jacobian(b, l, eq->nvel, eq->psi, eq->nq, b->y);
    return ZW_OK;
}

static zw_status list_time(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    const zw_expr *t = &eq->sys->t;
    ZW_TRY(need_residual(b));
    append_jacobian(b, l, eq->nq, eq->qdot, 1, t);
    append_jacobian(b, l, b->k->nz, b->r, 1, t);
    append_jacobian(b, l, eq->npos, eq->phi, 1, t);
    append_jacobian(b, l, eq->nvel, eq->psi, 1, t);
    return ZW_OK;
}

static bool is_chosen(const zw_kernel *k, int parameter) {
    for (int j = 0; j < k->npar; j++)
        if (k->parameter[j] == parameter)
            return true;
    return false;
}

/* D, column by column; later parameters depend on earlier ones */
static zw_status need_chain(builder *b) {
    const zw_kernel *k = b->k;
    if (b->along)
        return ZW_OK;
    b->along = ZW_NEW(&b->arena, zw_expr, k->np * k->npar + 1);
    zw_expr *column = ZW_NEW(&b->arena, zw_expr, k->np + 1);
    if (!b->along || !column)
        return no_memory(b);
    for (int j = 0; j < k->npar; j++)
        for (int i = 0; i < k->np; i++) {
            zw_expr value = b->eq->sys->param[i].value;
            if (is_chosen(k, i))
                column[i] = i == k->parameter[j] ? ZW_ONE : ZW_ZERO;
            else
                column[i] = zw_along(b->ctx, value, i, b->p, column);
            b->along[i * k->npar + j] = column[i];
        }
    return zw_context_status(b->ctx, b->err);
}

/* derivatives of m expressions with respect to the chosen parameters, m x npar */
static void append_in_parameters(builder *b, list *l, int m, const zw_expr *e) {
    const zw_kernel *k = b->k;
    zw_expr *column = ZW_NEW(&b->arena, zw_expr, k->np + 1);
    e = guard_expressions(b, m, e);
    if (!column || !e)
        return;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k->npar; j++) {
            for (int a = 0; a < k->np; a++)
                column[a] = b->along[a * k->npar + j];
            zw_expr d = zw_along(b->ctx, e[i], k->np, b->p, column);
            append_expressions(l, 1, &d);
        }
}

static zw_status list_jac_p(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    ZW_TRY(need_residual(b));
    ZW_TRY(need_chain(b));
    append_in_parameters(b, l, eq->nq, eq->qdot);
    append_in_parameters(b, l, b->k->nz, b->r);
    append_in_parameters(b, l, eq->npos, eq->phi);
    append_in_parameters(b, l, eq->nvel, eq->psi);
    return ZW_OK;
}

static zw_status list_jac_u(builder *b, list *l) {
    const zw_equations *eq = b->eq;
    ZW_TRY(need_residual(b));
    append_jacobian(b, l, eq->nq, eq->qdot, eq->nu, eq->u);
    append_jacobian(b, l, b->k->nz, b->r, eq->nu, eq->u);
    return ZW_OK;
}

/* the list of another function, as separate expressions */
static zw_status other_list(builder *b, zw_function_name name, zw_status (*of)(builder *b, list *l),
                            list *out) {
    out->n = 0;
    out->size = zw_kernel_describe(b->k, name).size;
    out->e = ZW_NEW(&b->arena, zw_expr, out->size + 1);
    return out->e ? of(b, out) : no_memory(b);
}

/* derivatives of the outputs of another function with respect to x, z, t and u */
static zw_status list_gradient_of(builder *b, list *l, zw_function_name name,
                                  zw_status (*of)(builder *b, list *l)) {
    const zw_kernel *k = b->k;
    list e;
    ZW_TRY(other_list(b, name, of, &e));
    append_jacobian(b, l, e.n, e.e, k->nx, b->y);
    append_jacobian(b, l, e.n, e.e, k->nz, b->y + k->nx);
    append_jacobian(b, l, e.n, e.e, 1, &b->eq->sys->t);
    append_jacobian(b, l, e.n, e.e, k->nu, b->eq->u);
    return ZW_OK;
}

static zw_status list_in_parameters_of(builder *b, list *l, zw_function_name name,
                                       zw_status (*of)(builder *b, list *l)) {
    list e;
    ZW_TRY(other_list(b, name, of, &e));
    ZW_TRY(need_chain(b));
    append_in_parameters(b, l, e.n, e.e);
    return ZW_OK;
}

static zw_status list_obs_jac(builder *b, list *l) {
    return list_gradient_of(b, l, ZW_FN_OBS, list_obs);
}

static zw_status list_obs_p(builder *b, list *l) {
    return list_in_parameters_of(b, l, ZW_FN_OBS, list_obs);
}

static zw_status list_evt_jac(builder *b, list *l) {
    return list_gradient_of(b, l, ZW_FN_EVT, list_evt);
}

static zw_status list_evt_p(builder *b, list *l) {
    return list_in_parameters_of(b, l, ZW_FN_EVT, list_evt);
}

/* the derivative along n directions of m expressions */
static void append_along(builder *b, list *l, int m, const zw_expr *e, int n) {
    e = guard_expressions(b, m, e);
    for (int i = 0; e && i < m; i++) {
        zw_expr d = e[i];
        for (int j = 0; j < n; j++)
            d = zw_along(b->ctx, d, b->k->nx + b->k->nz, b->y, b->d[j]);
        append_expressions(l, 1, &d);
    }
}

static zw_status list_along(builder *b, list *l, int n) {
    const zw_equations *eq = b->eq;
    for (int j = 0; j < n; j++)
        ZW_TRY(need_direction(b, j));
    ZW_TRY(need_residual(b));
    append_along(b, l, eq->nq, eq->qdot, n);
    append_along(b, l, b->k->nz, b->r, n);
    append_along(b, l, eq->npos, eq->phi, n);
    append_along(b, l, eq->nvel, eq->psi, n);
    return ZW_OK;
}

static zw_status list_second(builder *b, list *l) {
    return list_along(b, l, 2);
}

static zw_status list_third(builder *b, list *l) {
    return list_along(b, l, 3);
}

/* ---------------------------------------------------------------- fields that may be symmetries */

static zw_status list_fields_along(builder *b, list *l, int n) {
    zw_displacement *field;
    int nfield;
    for (int j = 0; j < n; j++)
        ZW_TRY(need_direction(b, j));
    ZW_TRY(zw_equations_displacements(b->eq, &field, &nfield, b->err));
    for (int i = 0; i < nfield; i++)
        append_along(b, l, b->k->nx, field[i].x, n);
    for (int i = 0; i < nfield && n == 0; i++)
        append_jacobian(b, l, b->k->nx, field[i].x, 1, &b->eq->sys->t);
    return ZW_OK;
}

static zw_status list_field(builder *b, list *l) {
    return list_fields_along(b, l, 0);
}

static zw_status list_field_first(builder *b, list *l) {
    return list_fields_along(b, l, 1);
}

static zw_status list_field_second(builder *b, list *l) {
    return list_fields_along(b, l, 2);
}

static zw_status list_field_third(builder *b, list *l) {
    return list_fields_along(b, l, 3);
}

/* ----------------------------------------------------------------------- switching functions */

static bool is_surface(const zw_smoothness *s) {
    return s->in & (ZW_KINKS_AT_RATES | ZW_KINKS_AT_CONSTRAINTS);
}

zw_status zw_build_count_surfaces(const zw_equations *eq, int *count, zw_error *err) {
    zw_smoothness *s;
    int n;
    *count = 0;
    ZW_TRY(zw_equations_smoothness(eq, &s, &n, err));
    for (int i = 0; i < n; i++)
        *count += is_surface(&s[i]);
    return ZW_OK;
}

static zw_status list_surface(builder *b, list *l) {
    zw_smoothness *s;
    int n;
    ZW_TRY(zw_equations_smoothness(b->eq, &s, &n, b->err));
    for (int i = 0; i < n; i++)
        if (is_surface(&s[i]))
            append_expressions(l, 1, &s[i].kink.surface);
    return ZW_OK;
}

static zw_status list_switches(builder *b, list *l) {
    const zw_modes *m = b->eq->modes;
    append_expressions(l, b->k->nswitch, m ? m->surface : NULL);
    return ZW_OK;
}

static zw_status list_switch_live(builder *b, list *l) {
    const zw_modes *m = b->eq->modes;
    append_expressions(l, b->k->nswitch, m ? m->live : NULL);
    return ZW_OK;
}

static zw_status list_switch_rate(builder *b, list *l) {
    const zw_kernel *k = b->k;
    const zw_modes *m = b->eq->modes;
    append_jacobian(b, l, k->nswitch, m ? m->surface : NULL, k->nx, b->y);
    append_jacobian(b, l, k->nswitch, m ? m->surface : NULL, 1, &b->eq->sys->t);
    return ZW_OK;
}

/* ------------------------------------------------------------------------- rhs, which solves */

/* n expressions lowered in one style, in memory of the builder */
static zw_status lower_part(builder *b, zw_style style, int n, const zw_expr *e,
                            const zw_value **out) {
    zw_value *v = ZW_NEW(&b->arena, zw_value, n + 1);
    *out = v;
    return v ? zw_program_lower(b->program, style, n, e, v, b->err) : no_memory(b);
}

/* rhs with the matrices lowered in one style; not unrolled if a pivot is always zero */
static zw_status rhs_values(builder *b, zw_style style, zw_value *out, bool *unrolled) {
    const zw_equations *eq = b->eq;
    int nq = eq->nq, nv = eq->nv, nc = eq->nc;
    zw_solve system = {.nv = nv, .nc = nc, .symmetric = eq->symmetric};
    ZW_TRY(zw_program_lower(b->program, style, nq, eq->qdot, out, b->err));
    ZW_TRY(lower_part(b, style, nv * nv, eq->M, &system.M));
    ZW_TRY(lower_part(b, style, nv, eq->h, &system.h));
    ZW_TRY(lower_part(b, style, nv * nc, eq->C, &system.C));
    ZW_TRY(lower_part(b, style, nc * nv, eq->W, &system.W));
    ZW_TRY(lower_part(b, style, nc, eq->b, &system.b));
    zw_value *accel = out + nq, *lambda = accel + nv, *quality = lambda + nc;
    zw_status status =
        zw_solve_unroll(&b->program->graph, &b->program->scratch, &system, accel, lambda, quality);
    if (status == ZW_E_MEMORY)
        return no_memory(b);
    *unrolled = status == ZW_OK;
    return ZW_OK;
}

static zw_status build_rhs(builder *b, int unroll_max, bool *unrolled) {
    const zw_equations *eq = b->eq;
    int n = zw_kernel_describe(b->k, ZW_FN_RHS).size;
    zw_candidate candidate[ZW_STYLES];
    *unrolled = eq->definite && !eq->pseudo && eq->nv + eq->nc <= unroll_max;
    for (zw_style style = 0; *unrolled && style < ZW_STYLES; style++) {
        candidate[style].v = ZW_NEW(&b->program->arena, zw_value, n + 1);
        if (!candidate[style].v)
            return no_memory(b);
        ZW_TRY(rhs_values(b, style, candidate[style].v, unrolled));
        if (*unrolled)
            ZW_TRY(zw_program_consider(b->program, n, &candidate[style], b->err));
    }
    return *unrolled ? zw_program_choose(b->program, "rhs", n, ZW_STYLES, candidate, b->err)
                     : ZW_OK;
}

/* ------------------------------------------------------------------------- the table */

/* contacts, whose rows are C' and W in `system` */
static zw_status hit_values(builder *b, zw_style style, const zw_touch_list *touch, zw_value *out) {
    const zw_equations *eq = b->eq;
    int nv = eq->nv, nc = touch->nrow;
    zw_solve system = {.nv = nv, .nc = nc, .symmetric = true};
    zw_expr *C = ZW_NEW(&b->arena, zw_expr, nv * nc + 1),
            *zero = ZW_NEW(&b->arena, zw_expr, nc + 1);
    if (!C || !zero)
        return no_memory(b);
    for (int i = 0; i < nv * nc; i++)
        C[i] = touch->G[i % nc * nv + i / nc];
    for (int i = 0; i < nc; i++)
        zero[i] = ZW_ZERO;
    ZW_TRY(zw_program_lower(b->program, style, touch->ncontact, touch->gap, out, b->err));
    ZW_TRY(zw_program_lower(b->program, style, nc, touch->rate, out + touch->ncontact, b->err));
    ZW_TRY(lower_part(b, style, nv * nv, eq->M, &system.M));
    ZW_TRY(lower_part(b, style, nv, eq->h, &system.h));
    ZW_TRY(lower_part(b, style, nv * nc, C, &system.C));
    ZW_TRY(lower_part(b, style, nc * nv, touch->G, &system.W));
    ZW_TRY(lower_part(b, style, nc, zero, &system.b));
    zw_solve_hit to;
    to.a = out + touch->ncontact + nc;
    to.Ha = to.a + nv;
    to.B = to.Ha + nc;
    to.W = to.B + nc * nv;
    zw_status status = zw_solve_unroll_hit(&b->program->graph, &b->program->scratch, &system, &to);
    return status == ZW_E_MEMORY ? no_memory(b)
           : status < 0 ? zw_fail(b->err, status, "the mass matrix is singular for every state")
                        : ZW_OK;
}

static zw_status build_hit(builder *b) {
    int n = zw_kernel_describe(b->k, ZW_FN_HIT).size;
    zw_candidate candidate[ZW_STYLES];
    zw_touch_list touch;
    ZW_TRY(zw_touch_expressions(b->eq, &b->arena, &touch, b->err));
    for (zw_style style = 0; style < ZW_STYLES; style++) {
        candidate[style].v = ZW_NEW(&b->program->arena, zw_value, n + 1);
        if (!candidate[style].v)
            return no_memory(b);
        ZW_TRY(hit_values(b, style, &touch, candidate[style].v));
        ZW_TRY(zw_program_consider(b->program, n, &candidate[style], b->err));
    }
    return zw_program_choose(b->program, "hit", n, ZW_STYLES, candidate, b->err);
}

#define list_rhs NULL /* see build_rhs */
#define list_hit NULL /* see build_hit */
static zw_status (*const lister[ZW_FN_COUNT])(builder *b, list *l) = {
#define ZW_FUNCTION(NAME, name, inputs, about, parts) [ZW_FN_##NAME] = list_##name,
#include "zwang/kernel.def"
#undef ZW_FUNCTION
};
#undef list_rhs
#undef list_hit

static zw_status build_function(builder *b, zw_function_name name) {
    zw_function_info info = zw_kernel_describe(b->k, name);
    list l = {.size = info.size, .e = ZW_NEW(&b->arena, zw_expr, info.size + 1)};
    if (!l.e)
        return no_memory(b);
    ZW_TRY(lister[name](b, &l));
    if (b->arena.failed)
        return no_memory(b);
    ZW_TRY(zw_context_status(b->ctx, b->err));
    assert(l.n == l.size);
    return zw_program_function(b->program, info.name, l.n, l.e, b->err);
}

static zw_status build_all(builder *b, zw_functions wanted, int unroll_max, bool *unrolled) {
    ZW_TRY(declare_inputs(b));
    for (int i = 0; i < ZW_FN_COUNT; i++) {
        zw_function_name name = (zw_function_name)i;
        if (!(wanted >> i & 1))
            continue;
        if (name == ZW_FN_RHS)
            ZW_TRY(build_rhs(b, unroll_max, unrolled));
        else if (!zw_build_is_empty(b->k, name))
            ZW_TRY(name == ZW_FN_HIT ? build_hit(b) : build_function(b, name));
    }
    return zw_program_finish(b->program, b->err);
}

zw_status zw_build_program(zw_program *program, const zw_kernel *k, const zw_equations *eq,
                           zw_functions wanted, int unroll_max, bool *unrolled, zw_error *err) {
    builder b = {.program = program, .k = k, .eq = eq, .ctx = eq->sys->ctx, .err = err};
    int first_cached = k->ncache;
    ZW_TRY(zw_program_init(program, b.ctx, err));
    program->first_cached = first_cached;
    program->fuses = k->lanes > 1 && zw_processor_fuses();
    zw_arena_init(&b.arena, &program->arena.alloc);
    zw_status status = build_all(&b, wanted, unroll_max, unrolled);
    zw_arena_clear(&b.arena);
    zw_program_trim(program);
    return status;
}

/* ------------------------------------------------------------------------- structure */

enum { DYNAMICS = 7 };

/* the expressions that determine the motion, except the kinematics */
typedef struct dynamics {
    int n;
    const zw_expr *e;
} dynamics;

static void list_dynamics(const zw_equations *eq, dynamics out[DYNAMICS]) {
    int nv = eq->nv, nc = eq->nc;
    out[0] = (dynamics){nv * nv, eq->M};
    out[1] = (dynamics){nv, eq->h};
    out[2] = (dynamics){nv * nc, eq->C};
    out[3] = (dynamics){nc * nv, eq->W};
    out[4] = (dynamics){nc, eq->b};
    out[5] = (dynamics){eq->npos - eq->nleaf, eq->phi}; /* integrals follow */
    out[6] = (dynamics){eq->nvel, eq->psi};
}

/* finds the coordinates in the dynamics, and whether time or inputs occur */
static zw_status scan_dynamics(zw_kernel *k, const zw_equations *eq, const zw_expr *symbol,
                               bool *ignorable, bool *found, zw_error *err) {
    int nq = eq->nq, n = nq + 1 + eq->nu;
    dynamics part[DYNAMICS];
    list_dynamics(eq, part);
    k->autonomous = true;
    for (int i = 0; i <= DYNAMICS; i++) {
        bool rates = i == DYNAMICS; /* of which only time and inputs are searched here */
        if (!zw_occurring(eq->sys->ctx, rates ? nq : part[i].n, rates ? eq->qdot : part[i].e, n,
                          symbol, found))
            return zw_context_status(eq->sys->ctx, err);
        for (int j = 0; j < n; j++)
            if (found[j] && j >= nq)
                k->autonomous = false;
            else if (found[j] && !rates)
                ignorable[j] = false;
    }
    return ZW_OK;
}

/* removes from the set the coordinates in the rate of coordinate i, which is outside */
static zw_status scan_rate(const zw_equations *eq, int i, bool *ignorable, bool *found,
                           bool *changed, zw_error *err) {
    if (!zw_occurring(eq->sys->ctx, 1, &eq->qdot[i], eq->nq, eq->q, found))
        return zw_context_status(eq->sys->ctx, err);
    for (int j = 0; j < eq->nq; j++)
        if (found[j] && ignorable[j]) {
            ignorable[j] = false;
            *changed = true;
        }
    return ZW_OK;
}

/* removes from the set the states whose rates depend on themselves, directly or through other
 * coordinates: disturbances of them grow or decay (reach: nq x nq) */
static zw_status scan_states(const zw_equations *eq, bool *ignorable, bool *found, bool *reach,
                             zw_error *err) {
    int nq = eq->nq;
    const zw_coord *coord = eq->sys->coord;
    for (int i = 0; i < nq; i++) {
        if (!zw_occurring(eq->sys->ctx, 1, &eq->qdot[i], nq, eq->q, found))
            return zw_context_status(eq->sys->ctx, err);
        memcpy(reach + (size_t)(i * nq), found, sizeof(bool) * (size_t)nq);
    }
    for (int via = 0; via < nq; via++)
        for (int i = 0; i < nq; i++)
            for (int j = 0; j < nq && reach[i * nq + via]; j++)
                reach[i * nq + j] |= reach[via * nq + j];
    for (int i = 0; i < nq; i++)
        if (coord[i].state && reach[i * nq + i])
            ignorable[i] = false;
    return ZW_OK;
}

static bool has_states(const zw_equations *eq) {
    for (int i = 0; i < eq->nq; i++)
        if (eq->sys->coord[i].state)
            return true;
    return false;
}

/* The largest set of coordinates on which nothing outside of the set depends, and whose
 * disturbances remain constant: begins with all that are not in the dynamics, and removes those in
 * the rate of a coordinate outside, until nothing changes. */
zw_status zw_build_structure(zw_kernel *k, const zw_equations *eq, zw_arena *arena, zw_error *err) {
    int nq = eq->nq, n = nq + 1 + eq->nu;
    zw_expr *symbol = ZW_NEW(arena, zw_expr, n + 1);
    bool *ignorable = ZW_NEW(arena, bool, nq + 1), *found = ZW_NEW(arena, bool, n + 1);
    if (!symbol || !ignorable || !found)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++)
        symbol[i] = i < nq ? eq->q[i] : i == nq ? eq->sys->t : eq->u[i - nq - 1];
    for (int i = 0; i < nq; i++)
        ignorable[i] = true;
    ZW_TRY(scan_dynamics(k, eq, symbol, ignorable, found, err));
    if (has_states(eq)) {
        bool *reach = ZW_NEW(arena, bool, (size_t)nq *(size_t)nq + 1);
        if (!reach)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(scan_states(eq, ignorable, found, reach, err));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < nq; i++)
            if (!ignorable[i])
                ZW_TRY(scan_rate(eq, i, ignorable, found, &changed, err));
    }
    k->ignorable = ignorable;
    return ZW_OK;
}

/* ------------------------------------------------------------------------- sizes */

/* Does an expression of the user need accelerations, or forces of constraints? This includes
 * multipliers that are impulses among the velocities: their rates are the forces. */
static bool needs_z(const zw_equations *eq, zw_expr e) {
    const zw_system *sys = eq->sys;
    for (int j = 0; j < sys->nv; j++)
        if (zw_depends(sys->ctx, e, sys->velocity[j].accel))
            return true;
    for (int j = 0; j < sys->nconstraint; j++) {
        zw_expr lambda = sys->constraint[j].lambda;
        if ((eq->holds[j] || zw_equations_is_share(eq, j)) && zw_depends(sys->ctx, e, lambda))
            return true;
    }
    return false;
}

zw_status zw_build_events(zw_kernel *k, const zw_equations *eq, zw_arena *arena, zw_error *err) {
    bool *z = ZW_NEW(arena, bool, k->nevt + 1), *u = ZW_NEW(arena, bool, k->nevt + 1);
    if (!z || !u)
        return zw_out_of_memory(err, NULL);
    k->evt_state_only = true;
    for (int i = 0; i < k->nevt; i++) {
        zw_expr value = i < eq->nevent ? eq->sys->event[i].value : eq->watch[i - eq->nevent];
        z[i] = needs_z(eq, value);
        u[i] = zw_depends_any(eq->sys->ctx, value, eq->nu, eq->u);
        k->evt_state_only &= !z[i];
    }
    k->event_holds_z = z;
    k->event_holds_u = u;
    return ZW_OK;
}

void zw_build_sizes(zw_kernel *k, const zw_equations *eq) {
    const zw_system *sys = eq->sys;
    k->np = sys->np;
    k->nq = eq->nq;
    k->nv = eq->nv;
    k->nc = eq->nc;
    k->nx = eq->nq + eq->nv;
    k->nz = eq->nv + eq->nc;
    k->nu = eq->nu;
    k->npos = eq->npos;
    k->nintegral = eq->nintegral;
    k->nleaf = eq->nleaf;
    k->nvel = eq->nvel;
    k->nstart_pos = eq->nstart_pos;
    k->nstart_vel = eq->nstart_vel;
    k->ndelay = sys->ndelay;
    k->nobs = eq->nobservable + (eq->system_v ? sys->nv : 0);
    k->nevt = eq->nevent + eq->nwatch;
    k->nfooting = eq->nfooting;
    k->nact = count_actions(eq);
    k->nunit = eq->nunit;
    k->unsymmetric = !eq->definite;
    k->own_metric = eq->metric != NULL;
    k->pseudo = eq->pseudo;
    k->tilted = !eq->symmetric;
    k->substituted = eq->substituted;
    k->canonical = eq->canonical;
    k->nmode = eq->modes ? eq->modes->nmode : 0;
    k->nswitch = eq->modes ? eq->modes->nswitch : 0;
    k->switches = eq->modes ? eq->modes->switches : NULL;
}

bool zw_build_is_empty(const zw_kernel *k, zw_function_name name) {
    switch (name) {
    case ZW_FN_RHS:
        return !k->unrolled;
    case ZW_FN_START_POS:
    case ZW_FN_START_VEL:
        return k->nstart_pos + k->nstart_vel == 0;
    case ZW_FN_METRIC:
        return !k->own_metric;
    case ZW_FN_DELAYED:
        return k->ndelay == 0;
    case ZW_FN_HIT:
        return !k->hits;
    case ZW_FN_TOUCH:
    case ZW_FN_TOUCH_RATE:
    case ZW_FN_LAW:
    case ZW_FN_STEP:
        return k->ncontact == 0;
    case ZW_FN_FIELD:
    case ZW_FN_FIELD_FIRST:
    case ZW_FN_FIELD_SECOND:
    case ZW_FN_FIELD_THIRD:
        return k->nfield == 0;
    case ZW_FN_SWITCHES:
    case ZW_FN_SWITCH_LIVE:
    case ZW_FN_SWITCH_RATE:
        return k->nswitch == 0;
    default:
        return false;
    }
}
