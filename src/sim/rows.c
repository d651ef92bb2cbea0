/* SPDX-License-Identifier: MIT */
/* All expressions are lowered to one function of a row of the result, f(t, x; p), where x are the
 * columns that are names of the system. */
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "jit/interp.h"
#include "jit/program.h"

#define NEW(r, type, n) ((type *)zw_context_alloc((r)->ctx, ((size_t)(n) + 1) * sizeof(type)))

static void add_input(zw_rows *r, zw_expr symbol, const char *name, bool or_zero) {
    int column = zw_table_find(r->result, name);
    if (column < 0 && !or_zero)
        return;
    r->input[r->ninput] = symbol;
    r->column[r->ninput++] = column;
}

/* the next "TIME NAME VALUE" of the text; false: there is none */
typedef struct setting {
    double t, value;
    char name[200];
} setting;

static bool next_setting(const char **text, setting *out) {
    char *end;
    if (!*text || !**text)
        return false;
    out->t = strtod(*text, &end);
    size_t n = end == *text || *end != ' ' ? 0 : strcspn(end + 1, " \n");
    if (n == 0 || n >= sizeof out->name || end[1 + n] != ' ')
        return false;
    memcpy(out->name, end + 1, n);
    out->name[n] = '\0';
    const char *value = end + 2 + n;
    out->value = strtod(value, &end);
    *text = end;
    return end != value;
}

/* parameters that events set become inputs; their places among the parameters get another symbol */
static void add_set(zw_rows *r) {
    const char *at = r->set = zw_table_get_note(r->result, ZW_SIM_SET_AT);
    setting now;
    while (next_setting(&at, &now))
        for (int i = 0; i < r->s->np; i++)
            if (strcmp(r->s->param[i].name, now.name) == 0 && r->psym[i] == r->s->param[i].sym) {
                char other[240];
                snprintf(other, sizeof other, "%s at the start", now.name);
                r->psym[i] = zw_symbol(r->ctx, other);
                r->input[r->ninput] = r->s->param[i].sym;
                r->column[r->ninput++] = -2 - i;
            }
}

zw_status zw_rows_init(zw_rows *r, const zw_system *s, const double *p, const zw_table *result,
                       zw_error *err) {
    *r = (zw_rows){.s = s, .ctx = s->ctx, .result = result, .p = p};
    int most = s->nq + s->nv + s->nconstraint + ZW_ROWS_COLUMNS * s->ncontact + s->np;
    r->input = NEW(r, zw_expr, most);
    r->column = NEW(r, int, most);
    r->psym = NEW(r, zw_expr, s->np);
    if (!r->input || !r->column || !r->psym)
        return zw_out_of_memory(err, "the scene");
    for (int i = 0; i < s->np; i++)
        r->psym[i] = s->param[i].sym;
    r->time = zw_table_find(result, "t");
    if (r->time < 0)
        return zw_fail(err, ZW_E_FILE, "the result has no column t");
    for (int i = 0; i < s->nq; i++)
        add_input(r, s->coord[i].sym, s->coord[i].name, false);
    for (int i = 0; i < s->nv; i++)
        add_input(r, s->velocity[i].sym, zw_expr_name(r->ctx, s->velocity[i].sym), false);
    for (int i = 0; i < s->nconstraint; i++) /* one that is never active has no force */
        add_input(r, s->constraint[i].lambda, zw_expr_name(r->ctx, s->constraint[i].lambda),
                  !s->constraint[i].on && !zw_system_is_switched(s, i));
    add_set(r);
    return ZW_OK;
}

zw_expr zw_rows_column(zw_rows *r, const char *name) {
    if (zw_table_find(r->result, name) < 0)
        return ZW_NULL;
    zw_expr symbol = zw_symbol(r->ctx, name);
    for (int i = 0; i < r->ninput; i++)
        if (r->input[i] == symbol)
            return symbol;
    add_input(r, symbol, name, false);
    return symbol;
}

zw_expr zw_rows_unknown(const zw_rows *r, int n, const zw_expr *e) {
    int known = 0;
    zw_expr *all = NEW(r, zw_expr, 1 + r->s->np + r->ninput);
    if (!all)
        return 0;
    all[known++] = r->s->t;
    for (int i = 0; i < r->s->np; i++)
        all[known++] = r->psym[i];
    for (int i = 0; i < r->ninput; i++)
        all[known++] = r->input[i];
    zw_expr found = 0;
    for (int i = 0; i < n && !found; i++)
        found = zw_foreign_symbol(r->ctx, e[i], known, all);
    return found;
}

bool zw_rows_move(const zw_rows *r, zw_expr e) {
    return zw_depends(r->ctx, e, r->s->t) || zw_depends_any(r->ctx, e, r->ninput, r->input);
}

double zw_rows_at_rest(const zw_rows *r, zw_expr e) {
    return zw_eval(r->ctx, e, r->s->np, r->psym, r->p);
}

/* ----------------------------------------------------------------------------------------
 * evaluation */

static zw_status lower_program(const zw_rows *r, int n, const zw_expr *e, zw_program *program,
                               zw_error *err) {
    ZW_TRY(zw_program_input(program, ZW_SPACE_T, 1, &r->s->t, err));
    ZW_TRY(zw_program_input(program, ZW_SPACE_X, r->ninput, r->input, err));
    ZW_TRY(zw_program_input(program, ZW_SPACE_P, r->s->np, r->psym, err));
    ZW_TRY(zw_program_function(program, "rows", n, e, err));
    return zw_program_finish(program, err);
}

typedef struct row_list {
    long nrow;
    const long *row;
    zw_row_taker take;
    void *user;
} row_list;

/* Position of a row in the settings: an event has two rows at its instant, before and after it. */
typedef struct setting_position {
    const char *next;
    double t, *p; /* np: the values so far */
} setting_position;

static void follow_set(const zw_rows *r, long row, double t, setting_position *m) {
    bool before = row + 1 < zw_table_rows(r->result) &&
                  zw_table_at(r->result, row + 1, r->time) == t; /* the first of two rows */
    setting now;
    if (t < m->t) { /* earlier row: from the start again */
        memcpy(m->p, r->p, sizeof *m->p * (size_t)r->s->np);
        m->next = r->set;
    }
    m->t = t;
    for (const char *at = m->next; next_setting(&at, &now) && (before ? now.t < t : now.t <= t);
         m->next = at)
        for (int i = 0; i < r->s->np; i++)
            if (strcmp(r->s->param[i].name, now.name) == 0)
                m->p[i] = now.value;
}

static zw_status evaluate_rows(const zw_rows *r, const zw_program *program, const row_list *w,
                               zw_arena *arena, zw_error *err) {
    zw_func prepare, function;
    if (zw_interp_func(&prepare, &program->prepare, 1, NULL, arena) < 0 ||
        zw_interp_func(&function, &program->code[0], 1, NULL, arena) < 0)
        return zw_out_of_memory(err, "the scene");
    int nwork = prepare.nwork > function.nwork ? prepare.nwork : function.nwork;
    double *x = ZW_NEW(arena, double, r->ninput + 1), *work = ZW_NEW(arena, double, nwork + 1),
           *cache = ZW_NEW(arena, double, prepare.nout + 1),
           *out = ZW_NEW(arena, double, function.nout + 1);
    setting_position m = {.next = r->set, .t = INFINITY, .p = ZW_NEW(arena, double, r->s->np + 1)};
    if (!x || !work || !cache || !out || !m.p)
        return zw_out_of_memory(err, "the scene");
    zw_call(&prepare, &(zw_args){.p = r->p}, cache, work);
    for (long k = 0; k < w->nrow; k++) {
        long row = w->row ? w->row[k] : k;
        double t = zw_table_at(r->result, row, r->time);
        if (r->set)
            follow_set(r, row, t, &m);
        for (int i = 0; i < r->ninput; i++)
            x[i] = r->column[i] < -1  ? m.p[-2 - r->column[i]]
                   : r->column[i] < 0 ? 0
                                      : zw_table_at(r->result, row, r->column[i]);
        zw_call(&function, &(zw_args){.t = &t, .x = x, .c = cache}, out, work);
        ZW_TRY(w->take(w->user, k, out, err));
    }
    return ZW_OK;
}

zw_status zw_rows_walk(const zw_rows *r, int n, const zw_expr *e, long nrow, const long *row,
                       zw_row_taker take, void *user, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(r->ctx);
    row_list w = {row ? nrow : zw_table_rows(r->result), row, take, user};
    zw_arena arena;
    zw_program program;
    zw_arena_init(&arena, &alloc);
    zw_status status = zw_program_init(&program, r->ctx, err);
    if (status >= 0)
        status = lower_program(r, n, e, &program, err);
    if (status >= 0)
        status = evaluate_rows(r, &program, &w, &arena, err);
    zw_program_clear(&program);
    zw_arena_clear(&arena);
    return status;
}
