/* SPDX-License-Identifier: MIT */
/* Drawings along a result. A drawing that is fixed in a frame (origin o, axes A, inertial = A own) at
 * the place a of the frame is at r = o + A a. Its turn is the unit quaternion e of A,
 *
 *   A = 1 + 2 e0 [e]x + 2 [e]x [e]x,      e0^2 + |e|^2 = 1,                                  (1)
 *
 * of the two that there are always the one closer to that of the row before.
 *
 * All expressions of all drawings become one function of a row of the result, evaluated by the
 * interpreter: what drawings share is computed once. */
#include "zwang/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "jit/interp.h"
#include "jit/program.h"

typedef struct builder {
    const zw_system *s;
    zw_context *ctx;
    const zw_table *result;
    zw_scene *scene;
    const double *p;
    zw_expr *psym;
    /* inputs: t, then what the columns of the result give */
    int ninput, time;
    zw_expr *input;
    int *column; /* of the result, -1: zero */
    /* what moves */
    int nquantity, nframe;
    zw_expr *quantity;
    int *frame; /* frames that turn */
} builder;

#define NEW(b, type, n) ((type *)zw_context_alloc((b)->ctx, ((size_t)(n) + 1) * sizeof(type)))

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory for the scene");
}

/* ------------------------------------------------------------------------------------- inputs */

static void add_input(builder *b, zw_expr symbol, const char *name, bool or_zero) {
    int column = zw_table_find(b->result, name);
    if (column < 0 && !or_zero)
        return;
    b->input[b->ninput] = symbol;
    b->column[b->ninput++] = column;
}

static zw_status collect_inputs(builder *b, zw_error *err) {
    const zw_system *s = b->s;
    int most = s->nq + s->nv + s->nconstraint;
    b->input = NEW(b, zw_expr, most);
    b->column = NEW(b, int, most);
    b->psym = NEW(b, zw_expr, s->np);
    if (!b->input || !b->column || !b->psym)
        return no_memory(err);
    for (int i = 0; i < s->np; i++)
        b->psym[i] = s->param[i].sym;
    b->time = zw_table_find(b->result, "t");
    if (b->time < 0)
        return zw_fail(err, ZW_E_FILE, "the result has no column t");
    for (int i = 0; i < s->nq; i++)
        add_input(b, s->coord[i].sym, s->coord[i].name, false);
    for (int i = 0; i < s->nv; i++)
        add_input(b, s->velocity[i].sym, zw_expr_name(b->ctx, s->velocity[i].sym), false);
    for (int i = 0; i < s->nconstraint; i++) /* one that never holds has no force */
        add_input(b, s->constraint[i].lambda, zw_expr_name(b->ctx, s->constraint[i].lambda),
                  !s->constraint[i].on && !zw_system_is_switched(s, i));
    return ZW_OK;
}

/* a symbol that neither the result nor the parameters give, 0 if there is none */
static zw_expr unknown(builder *b, int n, const zw_expr *e) {
    int known = 0;
    zw_expr *all = NEW(b, zw_expr, 1 + b->s->np + b->ninput);
    if (!all)
        return 0;
    all[known++] = b->s->t;
    for (int i = 0; i < b->s->np; i++)
        all[known++] = b->psym[i];
    for (int i = 0; i < b->ninput; i++)
        all[known++] = b->input[i];
    zw_expr found = 0;
    for (int i = 0; i < n && !found; i++)
        found = zw_foreign_symbol(b->ctx, e[i], known, all);
    return found;
}

/* ------------------------------------------------------------------------------------- values */

static bool moves(const builder *b, zw_expr e) {
    return zw_depends(b->ctx, e, b->s->t) || zw_depends_any(b->ctx, e, b->ninput, b->input);
}

static double at_rest(const builder *b, zw_expr e) {
    return zw_eval(b->ctx, e, b->s->np, b->psym, b->p);
}

/* a number, or the column of a quantity, which may be there already */
static zw_scene_value value_of(builder *b, zw_expr e) {
    if (!moves(b, e))
        return (zw_scene_value){-1, at_rest(b, e)};
    int k = 0;
    while (k < b->nquantity && b->quantity[k] != e)
        k++;
    if (k == b->nquantity)
        b->quantity[b->nquantity++] = e;
    return (zw_scene_value){k, 0};
}

/* the quaternion of (1), from its largest component */
static void quaternion(const double A[9], double e[4]) {
    double trace = A[0] + A[4] + A[8];
    double square[4] = {trace, 2 * A[0] - trace, 2 * A[4] - trace, 2 * A[8] - trace};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k])
            k = i;
    const double first[3] = {A[7] - A[5], A[2] - A[6], A[3] - A[1]};
    e[k] = sqrt(fmax(1 + square[k], 0)) / 2;
    double scale = e[k] > 0 ? 1 / (4 * e[k]) : 0;
    for (int i = 0; i < 4; i++) {
        if (i == k)
            continue;
        if (k == 0)
            e[i] = first[i - 1] * scale;
        else if (i == 0)
            e[i] = first[k - 1] * scale;
        else
            e[i] = (A[3 * (i - 1) + k - 1] + A[3 * (k - 1) + i - 1]) * scale;
    }
}

static void turn_of(builder *b, int frame, zw_scene_value turn[4]) {
    double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, e[4];
    bool turns = false;
    for (int i = 0; frame >= 0 && i < 9; i++) {
        turns = turns || moves(b, b->s->frame[frame].A[i]);
        A[i] = turns ? A[i] : at_rest(b, b->s->frame[frame].A[i]);
    }
    if (!turns) {
        quaternion(A, e);
        for (int i = 0; i < 4; i++)
            turn[i] = (zw_scene_value){-1, e[i]};
        return;
    }
    int k = 0;
    while (k < b->nframe && b->frame[k] != frame)
        k++;
    if (k == b->nframe)
        b->frame[b->nframe++] = frame;
    for (int i = 0; i < 4; i++) /* behind the quantities, whose number is not yet known */
        turn[i] = (zw_scene_value){4 * k + i, 0};
}

/* -------------------------------------------------------------------------------------- items */

static zw_status leave_out(builder *b, const zw_drawing *d, zw_expr symbol, zw_error *err) {
    char sentence[240];
    snprintf(sentence, sizeof sentence, "line %d: a drawing needs %s, which the result has not",
             d->place.line, zw_expr_name(b->ctx, symbol));
    const char *kept = zw_context_intern(b->ctx, sentence);
    b->scene->missing[b->scene->nmissing++] = kept;
    return kept ? ZW_OK : no_memory(err);
}

static zw_status add_item(builder *b, const zw_drawing *d, zw_error *err) {
    zw_expr r[3] = {d->at[0], d->at[1], d->at[2]};
    const zw_frame *frame = d->frame >= 0 ? &b->s->frame[d->frame] : NULL;
    if (frame) {
        zw_frame_vector(b->s, d->frame, d->at, r);
        for (int i = 0; i < 3; i++)
            r[i] = zw_add(b->ctx, r[i], frame->o[i]);
    }
    zw_expr foreign = unknown(b, 3, r);
    if (!foreign)
        foreign = unknown(b, d->n, d->numbers);
    if (!foreign && frame)
        foreign = unknown(b, 9, frame->A);
    ZW_TRY(zw_context_status(b->ctx, err));
    if (foreign)
        return leave_out(b, d, foreign, err);
    zw_scene_item *item = &b->scene->item[b->scene->nitem++];
    item->drawing = d;
    item->number = NEW(b, zw_scene_value, d->n);
    if (!item->number)
        return no_memory(err);
    for (int i = 0; i < 3; i++)
        item->at[i] = value_of(b, r[i]);
    for (int i = 0; i < d->n; i++)
        item->number[i] = value_of(b, d->numbers[i]);
    turn_of(b, d->frame, item->turn);
    return ZW_OK;
}

static zw_status collect_items(builder *b, zw_error *err) {
    const zw_system *s = b->s;
    int quantities = 0;
    for (int i = 0; i < s->ndrawing; i++)
        quantities += 3 + s->drawing[i].n;
    b->quantity = NEW(b, zw_expr, quantities);
    b->frame = NEW(b, int, s->nframe);
    b->scene->item = NEW(b, zw_scene_item, s->ndrawing);
    b->scene->missing = NEW(b, const char *, s->ndrawing);
    if (!b->quantity || !b->frame || !b->scene->item || !b->scene->missing)
        return no_memory(err);
    for (int i = 0; i < s->ndrawing; i++)
        ZW_TRY(add_item(b, &s->drawing[i], err));
    for (int i = 0; i < b->scene->nitem; i++)
        for (int k = 0; k < 4; k++)
            if (b->scene->item[i].turn[k].column >= 0)
                b->scene->item[i].turn[k].column += b->nquantity;
    return ZW_OK;
}

static void find_up(builder *b) {
    double *up = b->scene->up, size = 0;
    for (int i = 0; i < 3; i++) {
        up[i] = moves(b, b->s->gravity[i]) ? 0 : -at_rest(b, b->s->gravity[i]);
        size += up[i] * up[i];
    }
    size = sqrt(size);
    for (int i = 0; i < 3; i++)
        up[i] = size > 0 && isfinite(size) ? up[i] / size : i == 2;
}

/* ------------------------------------------------------------------------------------- motion */

static zw_status motion_columns(builder *b, zw_error *err) {
    char name[32];
    for (int i = 0; i < b->nquantity + 4 * b->nframe; i++) {
        snprintf(name, sizeof name, "%d", i);
        if (zw_table_column(b->scene->motion, name, "") < 0)
            return no_memory(err);
    }
    return ZW_OK;
}

/* quantities, then the nine entries of each frame that turns */
static zw_status lower(builder *b, zw_program *program, zw_error *err) {
    int n = 0;
    zw_expr *all = NEW(b, zw_expr, b->nquantity + 9 * b->nframe);
    if (!all)
        return no_memory(err);
    for (int i = 0; i < b->nquantity; i++)
        all[n++] = b->quantity[i];
    for (int i = 0; i < b->nframe; i++)
        for (int k = 0; k < 9; k++)
            all[n++] = b->s->frame[b->frame[i]].A[k];
    ZW_TRY(zw_program_input(program, ZW_SPACE_T, 1, &b->s->t, err));
    ZW_TRY(zw_program_input(program, ZW_SPACE_X, b->ninput, b->input, err));
    ZW_TRY(zw_program_input(program, ZW_SPACE_P, b->s->np, b->psym, err));
    ZW_TRY(zw_program_function(program, "scene", n, all, err));
    return zw_program_finish(program, err);
}

/* one row of the motion from what the function gave; row still holds the last one */
static void fill_row(const builder *b, bool first, const double *out, double *row) {
    memcpy(row, out, (size_t)b->nquantity * sizeof *row);
    for (int i = 0; i < b->nframe; i++) {
        double e[4], *kept = row + b->nquantity + 4 * i, along = 0;
        quaternion(out + b->nquantity + 9 * i, e);
        for (int k = 0; k < 4; k++)
            along += e[k] * kept[k];
        for (int k = 0; k < 4; k++)
            kept[k] = !first && along < 0 ? -e[k] : e[k];
    }
}

static zw_status evaluate(builder *b, const zw_program *program, zw_arena *arena, zw_error *err) {
    zw_func prepare, function;
    if (zw_interp_func(&prepare, &program->prepare, 1, NULL, arena) < 0 ||
        zw_interp_func(&function, &program->code[0], 1, NULL, arena) < 0)
        return no_memory(err);
    int nwork = prepare.nwork > function.nwork ? prepare.nwork : function.nwork;
    double *x = ZW_NEW(arena, double, b->ninput + 1), *work = ZW_NEW(arena, double, nwork + 1),
           *cache = ZW_NEW(arena, double, prepare.nout + 1),
           *out = ZW_NEW(arena, double, function.nout + 1),
           *row = ZW_NEW(arena, double, b->nquantity + 4 * b->nframe + 1);
    if (!x || !work || !cache || !out || !row)
        return no_memory(err);
    zw_call(&prepare, &(zw_args){.p = b->p}, cache, work);
    for (long r = 0; r < zw_table_rows(b->result); r++) {
        double t = zw_table_at(b->result, r, b->time);
        for (int i = 0; i < b->ninput; i++)
            x[i] = b->column[i] < 0 ? 0 : zw_table_at(b->result, r, b->column[i]);
        zw_call(&function, &(zw_args){.t = &t, .x = x, .c = cache}, out, work);
        fill_row(b, r == 0, out, row);
        if (zw_table_row(b->scene->motion, row) < 0)
            return no_memory(err);
    }
    return ZW_OK;
}

static zw_status record_motion(builder *b, zw_error *err) {
    ZW_TRY(motion_columns(b, err));
    if (b->nquantity + b->nframe == 0)
        return ZW_OK; /* nothing moves */
    zw_allocator alloc = zw_context_allocator(b->ctx);
    zw_arena arena;
    zw_program program;
    zw_arena_init(&arena, &alloc);
    zw_status status = zw_program_init(&program, b->ctx, err);
    if (status >= 0)
        status = lower(b, &program, err);
    if (status >= 0)
        status = evaluate(b, &program, &arena, err);
    zw_program_clear(&program);
    zw_arena_clear(&arena);
    return status;
}

zw_status zw_scene_create(zw_scene **out, const zw_system *s, const double *p,
                          const zw_table *result, zw_error *err) {
    *out = NULL;
    builder b = {.s = s, .ctx = s->ctx, .result = result, .p = p};
    zw_allocator alloc = zw_context_allocator(s->ctx);
    b.scene = NEW(&b, zw_scene, 1);
    if (!b.scene)
        return no_memory(err);
    b.scene->motion = zw_table_create(&alloc);
    zw_status status = b.scene->motion ? collect_inputs(&b, err) : no_memory(err);
    if (status >= 0)
        status = collect_items(&b, err);
    if (status >= 0) {
        find_up(&b);
        status = record_motion(&b, err);
    }
    if (status >= 0)
        *out = b.scene;
    else
        zw_scene_destroy(b.scene);
    return status;
}

void zw_scene_destroy(zw_scene *scene) {
    if (!scene)
        return;
    zw_table_destroy(scene->motion);
    scene->motion = NULL;
}

/* --------------------------------------------------------------------------------------- JSON */

static void put_values(zw_text *out, const char *key, int n, const zw_scene_value *v) {
    zw_text_printf(out, ",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? "," : "");
        if (v[i].column >= 0)
            zw_text_printf(out, "[%d]", v[i].column);
        else
            zw_text_json_number(out, v[i].value);
    }
    zw_text_put(out, "]");
}

static void put_item(zw_text *out, const zw_scene_item *item) {
    const zw_drawing *d = item->drawing;
    zw_text_put(out, "{\"shape\":");
    zw_text_json(out, d->shape);
    zw_text_put(out, ",\"name\":");
    zw_text_json(out, d->name);
    zw_text_put(out, ",\"colour\":");
    zw_text_json(out, d->colour);
    zw_text_printf(out, ",\"clear\":%s", d->clear ? "true" : "false");
    put_values(out, "at", 3, item->at);
    put_values(out, "turn", 4, item->turn);
    put_values(out, "numbers", d->n, item->number);
    zw_text_put(out, "}");
}

/* a model without units has none on its coordinates either */
static bool has_units(const zw_system *s) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].unit[0])
            return true;
    return false;
}

char *zw_scene_json(const zw_scene *scene, const zw_system *s) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"up\":[");
    for (int i = 0; i < 3; i++) {
        zw_text_put(&out, i ? "," : "");
        zw_text_json_number(&out, scene->up[i]);
    }
    zw_text_printf(&out, "],\"length\":\"%s\",\"items\":[", has_units(s) ? "m" : "");
    for (int i = 0; i < scene->nitem; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        put_item(&out, &scene->item[i]);
    }
    zw_text_put(&out, "],\"missing\":[");
    for (int i = 0; i < scene->nmissing; i++) {
        zw_text_put(&out, i ? "," : "");
        zw_text_json(&out, scene->missing[i]);
    }
    zw_text_put(&out, "]}");
    return zw_text_take(&out);
}
