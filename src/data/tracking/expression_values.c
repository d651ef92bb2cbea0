/* SPDX-License-Identifier: MIT */
/* Lowered once, interpreted at every point: common subexpressions are computed once. */
#include "expression_values.h"

#include "base/arena.h"
#include "jit/interp.h"
#include "jit/program.h"

struct zw_values {
    zw_program program;
    zw_func function;
    double *cache, *work, *out;
};

static zw_status check_symbols(const zw_system *s, int n, const zw_expr *e, int known,
                               const zw_expr *symbol, const char *what, zw_error *err) {
    for (int i = 0; i < n; i++) {
        zw_expr foreign = zw_foreign_symbol(s->ctx, e[i], known, symbol);
        if (foreign)
            return zw_fail(err, ZW_E_MODEL, "%s depends on %s, which is unknown to tracking", what,
                           zw_expr_name(s->ctx, foreign));
    }
    return ZW_OK;
}

static zw_status compile_expressions(zw_values *v, zw_arena *arena, const zw_system *s, int n,
                                     const zw_expr *e, const char *what, zw_error *err) {
    zw_expr *known = ZW_NEW(arena, zw_expr, s->nq + s->np + 1);
    if (!known)
        return zw_out_of_memory(err, NULL);
    known[0] = s->t;
    for (int i = 0; i < s->nq; i++)
        known[1 + i] = s->coord[i].sym;
    for (int i = 0; i < s->np; i++)
        known[1 + s->nq + i] = s->param[i].sym;
    ZW_TRY(check_symbols(s, n, e, 1 + s->nq + s->np, known, what, err));
    ZW_TRY(zw_program_input(&v->program, ZW_SPACE_T, 1, known, err));
    ZW_TRY(zw_program_input(&v->program, ZW_SPACE_X, s->nq, known + 1, err));
    ZW_TRY(zw_program_input(&v->program, ZW_SPACE_P, s->np, known + 1 + s->nq, err));
    ZW_TRY(zw_program_function(&v->program, "values", n, e, err));
    return zw_program_finish(&v->program, err);
}

zw_status zw_values_create(zw_values **out, zw_arena *arena, const zw_system *sys, int n,
                           const zw_expr *e, const double *p, const char *what, zw_error *err) {
    zw_values *v = *out = ZW_NEW(arena, zw_values, 1);
    zw_func prepare;
    if (!v)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_program_init(&v->program, sys->ctx, err));
    ZW_TRY(compile_expressions(v, arena, sys, n, e, what, err));
    if (zw_interp_func(&prepare, &v->program.prepare, 1, NULL, arena) < 0 ||
        zw_interp_func(&v->function, &v->program.code[0], 1, NULL, arena) < 0)
        return zw_out_of_memory(err, NULL);
    int nwork = prepare.nwork > v->function.nwork ? prepare.nwork : v->function.nwork;
    v->work = ZW_NEW(arena, double, nwork + 1);
    v->cache = ZW_NEW(arena, double, prepare.nout + 1);
    v->out = ZW_NEW(arena, double, v->function.nout + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    zw_call(&prepare, &(zw_args){.p = p}, v->cache, v->work);
    return ZW_OK;
}

void zw_values_destroy(zw_values *v) {
    if (v)
        zw_program_clear(&v->program);
}

const double *zw_values_at(zw_values *v, double t, const double *q) {
    zw_call(&v->function, &(zw_args){.t = &t, .x = q, .c = v->cache}, v->out, v->work);
    return v->out;
}
