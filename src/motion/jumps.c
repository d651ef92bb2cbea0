/* SPDX-License-Identifier: MIT */
/* Decides which of the places where rates are not smooth (zwang/expr.h) are jumps. A factor a^e
 * with a negative e that is not an integer has a pole where a vanishes:
 *
 *     a > 0 by the parameters    x'/sqrt(x'^2 + eps^2)   smooth
 *     a of any sign              1/x^(3/2)               a pole that bounds the domain
 *     a >= 0 of several          1/sqrt(x^2 + y^2)       a pole at a point: motions pass around it
 *     a >= 0 of one variable     x'/sqrt(x'^2)           a jump, namely sign(x'): every motion that
 *                                                        reverses passes it */
#include "jumps.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"

typedef struct jump_search {
    const zw_equations *eq;
    zw_context *ctx;
    int np;
    zw_expr *symbol;
    double *low, *high;
} jump_search;

static zw_status put_parameters(jump_search *f, const double *p, int nover,
                                const zw_parameter_range *over, zw_arena *arena, zw_error *err) {
    const zw_system *s = f->eq->sys;
    int nmoving = 0;
    zw_expr *moving = ZW_NEW(arena, zw_expr, s->np + 1);
    f->symbol = ZW_NEW(arena, zw_expr, s->np + 1);
    f->low = ZW_NEW(arena, double, s->np + 1);
    f->high = ZW_NEW(arena, double, s->np + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    f->np = s->np;
    for (int i = 0; i < s->np; i++) {
        bool along = false;
        f->symbol[i] = s->param[i].sym;
        f->low[i] = f->high[i] = p[i];
        for (int k = 0; k < nover; k++)
            if (over[k].parameter == i) {
                along = true;
                f->low[i] = fmin(over[k].from, over[k].to);
                f->high[i] = fmax(over[k].from, over[k].to);
            }
        bool follows = !along && nmoving && s->param[i].value != ZW_NULL &&
                       zw_depends_any(f->ctx, s->param[i].value, nmoving, moving);
        if (follows) {
            f->low[i] = -INFINITY;
            f->high[i] = INFINITY;
        }
        if (along || follows)
            moving[nmoving++] = s->param[i].sym;
    }
    return ZW_OK;
}

static int count_variables(const jump_search *f, zw_expr e) {
    const zw_equations *eq = f->eq;
    int n = zw_depends_any(f->ctx, e, 1, &eq->sys->t);
    const struct {
        int n;
        const zw_expr *list;
    } all[] = {
        {eq->nq, eq->q}, {eq->nv, eq->v}, {eq->nv, eq->a}, {eq->nc, eq->lambda}, {eq->nu, eq->u}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < all[k].n; i++)
            n += zw_depends_any(f->ctx, e, 1, &all[k].list[i]);
    return n;
}

static bool is_jump(const jump_search *f, const zw_smoothness *s) {
    if (!(s->in & ZW_KINKS_AT_RATES) || s->kink.smooth >= 0)
        return false;
    if (s->kink.op != ZW_OP_PRODUCT)
        return true;
    double least = zw_expr_least(f->ctx, s->kink.surface, f->np, f->symbol, f->low, f->high);
    return least == 0 && count_variables(f, s->kink.surface) == 1;
}

zw_status zw_find_jump(const zw_equations *eq, const double *p, int nover,
                       const zw_parameter_range *over, zw_expr *part, zw_error *err) {
    jump_search f = {.eq = eq, .ctx = eq->sys->ctx};
    zw_allocator alloc = zw_context_allocator(f.ctx);
    zw_arena arena;
    zw_smoothness *all;
    int n;
    *part = ZW_NULL;
    ZW_TRY(zw_equations_smoothness(eq, &all, &n, err));
    zw_arena_init(&arena, &alloc);
    zw_status status = n > 0 ? put_parameters(&f, p, nover, over, &arena, err) : ZW_OK;
    for (int i = 0; i < n && status >= 0 && *part == ZW_NULL; i++)
        if (is_jump(&f, &all[i]))
            *part = all[i].kink.part;
    zw_arena_clear(&arena);
    return status;
}

zw_status zw_refuse_breaks(const zw_system *s, zw_status status, const char *why, zw_error *err) {
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off) {
            zw_fail_at(err, status, s->contact[i].place,
                       "the contact %s may open, stick and slip: %s", s->contact[i].name, why);
            zw_error_hint(err, "use --without %s, or replace it by a constraint",
                          s->contact[i].name);
            return status;
        }
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].naction) {
            zw_fail_at(err, status, s->event[i].place, "the event %s acts on the motion: %s",
                       s->event[i].name, why);
            zw_error_hint(err, "use a model or a variant without it");
            return status;
        }
    return ZW_OK;
}

zw_status zw_refuse_rough(const zw_equilibria *e, const char *motions, int nover,
                          const zw_parameter_range *over, zw_error *err) {
    const zw_system *y = e->sys;
    zw_expr jump;
    char why[200];
    snprintf(why, sizeof why, "%.150s are smooth motions", motions);
    ZW_TRY(zw_refuse_breaks(y, ZW_E_OPTION, why, err));
    ZW_TRY(zw_find_jump(&e->eq, e->p, nover, over, &jump, err));
    if (jump == ZW_NULL)
        return ZW_OK;
    char *part = zw_print_within(y->ctx, jump, ZW_TEXT, 200);
    zw_fail(err, ZW_E_OPTION, "%s are smooth motions: rates jump by %.200s", motions,
            part ? part : "a part of a force");
    zw_string_free(y->ctx, part);
    return ZW_E_OPTION;
}
