/* SPDX-License-Identifier: MIT */
/* A conserved quantity (conserved.h) counts if it is independent of the constraints and of the
 * previous ones: its gradient is not in their span. */
#include "kept_quantities.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "conserved.h"
#include "num/linear/dense.h"
#include "zwang/equations.h"
#include "zwang/flow.h"
#include "zwang/kernel.h"
#include "zwang/simulate.h"

enum {
    STATES = 8,         /* at which gradients are compared */
    QUANTITIES_MOST = 8 /* conserved quantities */
};
/* of its gradient: the part across the others; less is the error of the states */
#define GRADIENT_OUTSIDE 1e-6
/* of the values at the start, over a parameter: a smaller deviation from a straight line is
 * round-off */
#define LINEAR_LEVEL 1e-9

typedef struct quantity_search {
    zw_equations *eq;
    zw_context *ctx;
    zw_arena *arena;
    const double *p;
    zw_flow *flow;
    int nx, nlevel, nsymbol;
    zw_expr *symbol; /* t, q, v, parameters */
    double *value;
    double *t, *x; /* STATES, x nx */
    double *G;     /* STATES x (nlevel + QUANTITIES_MOST) x nx: orthonormal rows */
    int *ng;       /* STATES */
    double *slope; /* nx + 1 */
} quantity_search;

/* v minus its parts along n orthonormal rows; returns the remaining fraction of its length. */
static double subtract_projection(int n, int nx, const double *rows, double *v) {
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

static double *rows_of(quantity_search *k, int state) {
    return k->G + (size_t)state * (size_t)((k->nlevel + QUANTITIES_MOST) * k->nx);
}

/* Adds a row at a state, if it is independent of the previous ones. */
static bool add_row(quantity_search *k, int state, const double *v) {
    double *rows = rows_of(k, state), *to = rows + (size_t)(k->ng[state] * k->nx);
    memmove(to, v, sizeof(double) * (size_t)k->nx);
    if (!(subtract_projection(k->ng[state], k->nx, rows, to) > GRADIENT_OUTSIDE))
        return false;
    double size = zw_dense_norm(k->nx, to);
    for (int r = 0; r < k->nx; r++)
        to[r] /= size;
    k->ng[state]++;
    return true;
}

static zw_status draw_states(quantity_search *k, const zw_active *active, zw_error *err) {
    zw_sampler *sampler;
    double *G = ZW_NEW(k->arena, double, k->nlevel * k->nx + 1);
    if (!G)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_sampler_create(&sampler, k->eq->sys, active, NULL, err));
    ZW_TRY(zw_sampler_set_parameters(sampler, k->p, err));
    for (int i = 0; i < STATES; i++) {
        double *x = k->x + (size_t)(i * k->nx);
        ZW_TRY(zw_sampler_state(sampler, i, &k->t[i], x, err));
        ZW_TRY(zw_flow_constraints(k->flow, k->t[i], x, NULL, G, err));
        for (int g = 0; g < k->nlevel; g++)
            add_row(k, i, G + (size_t)(g * k->nx));
    }
    return ZW_OK;
}

static void put_state(quantity_search *k, double t, const double *x) {
    k->value[0] = t;
    memcpy(k->value + 1, x, sizeof(double) * (size_t)k->nx);
}

/* If it is independent of the rows at the states, adds its gradients to them. */
static bool is_further(quantity_search *k, zw_expr e) {
    int n = k->nx, new = 0;
    zw_expr *slope = zw_context_alloc(k->ctx, sizeof *slope * (size_t)(n + 1));
    if (!slope)
        return false;
    zw_gradient(k->ctx, e, n, k->symbol + 1, slope);
    for (int s = 0; s < STATES; s++) {
        put_state(k, k->t[s], k->x + (size_t)(s * k->nx));
        zw_eval_all(k->ctx, n, slope, k->nsymbol, k->symbol, k->value, k->slope);
        new += add_row(k, s, k->slope);
    }
    return new == STATES;
}

/* ----------------------------------------------------------------------- its value at the start */

static zw_status level_at(quantity_search *k, const zw_active *active, zw_expr e, const bool *given,
                          const zw_parameter_range *over, double at, double *level, zw_error *err) {
    const zw_system *s = k->eq->sys;
    double *p = ZW_NEW(k->arena, double, s->np + 1), *x = ZW_NEW(k->arena, double, k->nx + 1);
    if (k->arena->failed)
        return zw_out_of_memory(err, NULL);
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

/* Its value: a number, or linear in the continuation parameter. */
static zw_status find_level(quantity_search *k, const zw_active *active, const zw_conserved *o,
                            const bool *given, const zw_parameter_range *over, double *level,
                            zw_expr *out, zw_error *err) {
    double v[3];
    ZW_TRY(level_at(k, active, o->value, given, NULL, 0, level, err));
    *out = zw_real(k->ctx, *level);
    if (!over || over->parameter < 0)
        return ZW_OK;
    for (int i = 0; i < 3; i++) {
        zw_error ignored = {0}; /* if there is no start at the ends of a range, they are ignored */
        double at = over->from + 0.5 * i * (over->to - over->from);
        if (level_at(k, active, o->value, given, over, at, &v[i], &ignored) < 0)
            return ZW_OK;
    }
    double size = LINEAR_LEVEL * (fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
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

/* ------------------------------------------------------------------------------------------ all */

/* Replaces the rows and their derivatives with respect to the velocities by arrays with one
 * more. */
static zw_status add_row_to(quantity_search *k, int n, zw_expr **rows, zw_expr **by, const int **of,
                            zw_expr e, zw_expr rate, zw_error *err) {
    int nv = k->eq->nv;
    zw_expr *new_rows = zw_context_alloc(k->ctx, sizeof *new_rows * (size_t)(n + 1)),
            *new_by = zw_context_alloc(k->ctx, sizeof *new_by * (size_t)((n + 1) * nv + 1));
    int *new_of = zw_context_alloc(k->ctx, sizeof *new_of * (size_t)(n + 1));
    if (!new_rows || !new_by || !new_of)
        return zw_context_status(k->ctx, err);
    if (n > 0) {
        memcpy(new_rows, *rows, sizeof *new_rows * (size_t)n);
        memcpy(new_by, *by, sizeof *new_by * (size_t)(n * nv));
        memcpy(new_of, *of, sizeof *new_of * (size_t)n);
    }
    new_rows[n] = e;
    new_of[n] = -1;
    zw_gradient(k->ctx, rate, nv, k->eq->v, new_by + (size_t)(n * nv));
    *rows = new_rows;
    *by = new_by;
    *of = new_of;
    return zw_context_status(k->ctx, err);
}

/* In psi, or in phi if it contains no velocity. */
static zw_status add_condition(quantity_search *k, zw_expr e, zw_error *err) {
    zw_equations *eq = k->eq;
    if (zw_depends_any(k->ctx, e, eq->nv, eq->v))
        return add_row_to(k, eq->nvel++, &eq->psi, &eq->Psi, &eq->vel_constraint, e, e, err);
    return add_row_to(k, eq->npos++, &eq->phi, &eq->Phi, &eq->pos_constraint, e,
                      zw_system_dt(eq->sys, e), err);
}

static zw_status allocate_arrays(quantity_search *k, zw_error *err) {
    const zw_equations *eq = k->eq;
    const zw_system *s = eq->sys;
    k->nx = eq->nq + eq->nv;
    k->nlevel = zw_flow_levels(k->flow);
    k->nsymbol = 1 + k->nx + s->np;
    k->symbol = ZW_NEW(k->arena, zw_expr, k->nsymbol);
    k->value = ZW_NEW(k->arena, double, k->nsymbol);
    k->t = ZW_NEW(k->arena, double, STATES);
    k->x = ZW_NEW(k->arena, double, STATES * k->nx + 1);
    k->G = ZW_NEW(k->arena, double, STATES *(k->nlevel + QUANTITIES_MOST) * k->nx + 1);
    k->ng = ZW_NEW(k->arena, int, STATES);
    k->slope = ZW_NEW(k->arena, double, k->nx + 1);
    if (k->arena->failed)
        return zw_out_of_memory(err, NULL);
    k->symbol[0] = s->t;
    memcpy(k->symbol + 1, eq->q, sizeof *k->symbol * (size_t)eq->nq);
    memcpy(k->symbol + 1 + eq->nq, eq->v, sizeof *k->symbol * (size_t)eq->nv);
    for (int i = 0; i < s->np; i++) {
        k->symbol[1 + k->nx + i] = s->param[i].sym;
        k->value[1 + k->nx + i] = k->p[i];
    }
    return ZW_OK;
}

/* Is it conserved with these parameters, too? */
static bool stays_among(const zw_classification *is, zw_expr value) {
    for (int i = 0; i < is->nconserved; i++)
        if (is->conserved[i].value == value)
            return true;
    return false;
}

/* Quantities conserved with the parameters of the model; of these, the ones conserved over the
 * range of `over`. */
static zw_status list_quantities(quantity_search *k, const zw_active *active, const bool *given,
                                 const zw_parameter_range *over, zw_classification *is,
                                 zw_error *err) {
    const zw_system *s = k->eq->sys;
    int n = 0;
    ZW_TRY(zw_observables_that_stay(is, s, active, k->p, true, err));
    for (int i = 0; i < is->nconserved; i++)
        if (!is->conserved[i].while_open)
            is->conserved[n++] = is->conserved[i];
    is->nconserved = n;
    double *p = ZW_NEW(k->arena, double, s->np + 1);
    if (!p)
        return zw_out_of_memory(err, NULL);
    for (int at = 0; at < 3 && over && over->parameter >= 0 && is->nconserved; at++) {
        zw_classification there;
        memcpy(p, k->p, sizeof(double) * (size_t)s->np);
        p[over->parameter] = over->from + 0.5 * at * (over->to - over->from);
        ZW_TRY(zw_system_param_follow(s, given, p, err));
        ZW_TRY(zw_observables_that_stay(&there, s, active, p, true, err));
        n = 0;
        for (int i = 0; i < is->nconserved; i++)
            if (stays_among(&there, is->conserved[i].value))
                is->conserved[n++] = is->conserved[i];
        is->nconserved = n;
    }
    return ZW_OK;
}

static const char *unit_of(const zw_system *s, const zw_conserved *c) {
    for (int i = 0; i < s->nobservable; i++)
        if (c->observed && s->observable[i].value == c->value)
            return s->observable[i].unit;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == c->value)
            return s->coord[i].unit;
    return "";
}

static zw_status find_levels(quantity_search *k, const zw_classification *is, zw_kept *out,
                             const zw_active *active, const bool *given,
                             const zw_parameter_range *over, zw_error *err) {
    zw_error ignored = {0};
    ZW_TRY(allocate_arrays(k, err));
    if (draw_states(k, active, &ignored) < 0) /* no states were found */
        return ignored.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    for (int i = 0; i < is->nconserved && out->n < QUANTITIES_MOST; i++) {
        const zw_conserved *c = &is->conserved[i];
        zw_expr level;
        if (!is_further(k, c->value))
            continue;
        ZW_TRY(find_level(k, active, c, given, over, &out->level[out->n], &level, err));
        out->name[out->n] = c->name;
        out->unit[out->n++] = unit_of(k->eq->sys, c);
        ZW_TRY(add_condition(k, zw_sub(k->ctx, c->value, level), err));
    }
    return ZW_OK;
}

zw_status zw_keep_conserved(zw_kept *out, zw_equations *eq, zw_arena *arena,
                            const zw_active *active, const double *p, const bool *given,
                            const zw_parameter_range *over, zw_error *err) {
    quantity_search k = {.eq = eq, .ctx = eq->sys->ctx, .arena = arena, .p = p};
    zw_kernel_options o = zw_kernel_options_default();
    zw_kernel *kernel = NULL;
    zw_classification is;
    zw_error ignored = {0};
    *out =
        (zw_kept){.name = (const char **)zw_arena_alloc(arena, QUANTITIES_MOST * sizeof *out->name),
                  .unit = (const char **)zw_arena_alloc(arena, QUANTITIES_MOST * sizeof *out->unit),
                  .level = ZW_NEW(arena, double, QUANTITIES_MOST)};
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    if (eq->nq != eq->sys->nq || eq->nv != eq->sys->nv)
        return ZW_OK;
    zw_arena_mark mark = zw_scratch_mark(k.ctx);
    zw_status status = list_quantities(&k, active, given, over, &is, &ignored);
    zw_scratch_release(k.ctx, mark);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0 || is.nconserved == 0) /* errors of the model are reported elsewhere */
        return ZW_OK;
    o.functions = ZW_FUNCTIONS_ALL_METHODS;
    zw_equations bare = *eq; /* kernels are made of the derived equations */
    status = zw_kernel_create(&kernel, &bare, &o, err);
    if (status >= 0)
        status = zw_flow_create(&k.flow, kernel, p, err);
    if (status >= 0)
        status = find_levels(&k, &is, out, active, given, over, err);
    zw_flow_destroy(k.flow);
    zw_kernel_destroy(kernel);
    return status;
}

/* ---------------------------------------------------------------------------------------- words */

enum { LEVEL_DIGITS = 9 };

void zw_kept_report(zw_report *out, const zw_kept *k) {
    if (k->n == 0)
        return;
    zw_report_list(out, "kept");
    for (int i = 0; i < k->n; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", k->name[i]);
        zw_report_number(out, "value", k->level[i],
                         &(zw_shown){.unit = k->unit[i], .digits = LEVEL_DIGITS});
        zw_report_say(out, "  {name} is conserved: these are the motions with its value at the "
                           "start, {value}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}
