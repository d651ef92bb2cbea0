/* SPDX-License-Identifier: MIT */
/* Drawings along a result. A drawing that is fixed in a frame (origin o, axes A, inertial = A own)
 * at the place a of the frame is at r = o + A a. Its turn is the unit quaternion e of A,
 *
 *   A = 1 + 2 e0 [e]x + 2 [e]x [e]x,      e0^2 + |e|^2 = 1,                                  (1)
 *
 * with the sign that is closer to that of the previous row.
 *
 * A system without drawings is sketched (sketch.c). Its contacts are always shown
 * (scene_contact.c). */
#include "zwang/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/rotation.h"
#include "base/text.h"
#include "scene_contact.h"
#include "sketch.h"

typedef struct builder {
    zw_rows rows;
    const zw_system *s;
    zw_context *ctx;
    zw_scene *scene;
    int ndrawing;
    const zw_drawing *drawing;
    zw_touchings touching;
    /* moving quantities */
    int nquantity, nturn;
    zw_expr *quantity;
    zw_expr (*turn)[9]; /* axes that turn */
} builder;

enum { OF_CONTACT = 11 }; /* quantities: point, force, impulse, gap, state */

#define NEW(b, type, n) ((type *)zw_context_alloc((b)->ctx, ((size_t)(n) + 1) * sizeof(type)))

/* ------------------------------------------------------------------------------------- values */

/* a number, or the column of a quantity, which may exist already */
static zw_scene_value value_of(builder *b, zw_expr e) {
    if (!zw_rows_move(&b->rows, e))
        return (zw_scene_value){-1, zw_rows_at_rest(&b->rows, e)};
    int k = 0;
    while (k < b->nquantity && b->quantity[k] != e)
        k++;
    if (k == b->nquantity)
        b->quantity[b->nquantity++] = e;
    return (zw_scene_value){k, 0};
}

/* the axes of a drawing, inertial = A own */
static void axes_of(builder *b, const zw_drawing *d, zw_expr A[9]) {
    for (int i = 0; i < 9; i++)
        A[i] = d->frame >= 0 ? b->s->frame[d->frame].A[i] : i % 4 ? ZW_ZERO : ZW_ONE;
    if (!d->axes)
        return;
    zw_expr before[9];
    memcpy(before, A, sizeof before);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = zw_dot(b->ctx, 3, before + 3 * i,
                                  (zw_expr[]){d->axes[j], d->axes[3 + j], d->axes[6 + j]});
}

static void turn_of(builder *b, const zw_expr A[9], zw_scene_value turn[4]) {
    double value[9], e[4];
    bool turns = false;
    for (int i = 0; i < 9; i++) {
        turns = turns || zw_rows_move(&b->rows, A[i]);
        value[i] = turns ? 0 : zw_rows_at_rest(&b->rows, A[i]);
    }
    if (!turns) {
        zw_rotation_quaternion(value, e);
        for (int i = 0; i < 4; i++)
            turn[i] = (zw_scene_value){-1, e[i]};
        return;
    }
    int k = 0;
    while (k < b->nturn && memcmp(b->turn[k], A, sizeof b->turn[k]) != 0)
        k++;
    if (k == b->nturn)
        memcpy(b->turn[b->nturn++], A, sizeof b->turn[k]);
    for (int i = 0; i < 4; i++) /* after the quantities, whose number is not yet known */
        turn[i] = (zw_scene_value){4 * k + i, 0};
}

/* -------------------------------------------------------------------------------------- items */

static zw_status leave_out(builder *b, const zw_drawing *d, zw_expr symbol, zw_error *err) {
    char sentence[240];
    if (b->scene->sketched)
        return ZW_OK; /* not requested by the user */
    snprintf(sentence, sizeof sentence, "line %d: a drawing needs %s, which the result has not",
             d->place.line, zw_expr_name(b->ctx, symbol));
    const char *kept = zw_context_intern(b->ctx, sentence);
    b->scene->missing[b->scene->nmissing++] = kept;
    return kept ? ZW_OK : zw_out_of_memory(err, "the scene");
}

static zw_status add_item(builder *b, const zw_drawing *d, zw_error *err) {
    zw_expr r[3] = {d->at[0], d->at[1], d->at[2]}, A[9];
    const zw_frame *frame = d->frame >= 0 ? &b->s->frame[d->frame] : NULL;
    if (frame) {
        zw_frame_vector(b->s, d->frame, d->at, r);
        for (int i = 0; i < 3; i++)
            r[i] = zw_add(b->ctx, r[i], frame->o[i]);
    }
    axes_of(b, d, A);
    zw_expr foreign = zw_rows_unknown(&b->rows, 3, r);
    if (!foreign)
        foreign = zw_rows_unknown(&b->rows, d->n, d->numbers);
    if (!foreign)
        foreign = zw_rows_unknown(&b->rows, 9, A);
    ZW_TRY(zw_context_status(b->ctx, err));
    if (foreign)
        return leave_out(b, d, foreign, err);
    zw_scene_item *item = &b->scene->item[b->scene->nitem++];
    item->drawing = d;
    item->number = NEW(b, zw_scene_value, d->n);
    if (!item->number)
        return zw_out_of_memory(err, "the scene");
    for (int i = 0; i < 3; i++)
        item->at[i] = value_of(b, r[i]);
    for (int i = 0; i < d->n; i++)
        item->number[i] = value_of(b, d->numbers[i]);
    turn_of(b, A, item->turn);
    return ZW_OK;
}

static void add_contacts(builder *b) {
    const zw_touchings *all = &b->touching;
    for (int k = 0; k < all->n; k++) {
        const zw_touching *from = &all->item[k];
        zw_scene_contact *to = &b->scene->contact[b->scene->ncontact++];
        *to = (zw_scene_contact){
            .contact = from->contact, .has_force = from->has_force, .mean = from->mean};
        for (int i = 0; i < 3; i++) {
            to->at[i] = value_of(b, from->at[i]);
            to->force[i] = value_of(b, from->force[i]);
            to->impulse[i] = value_of(b, from->impulse[i]);
        }
        to->gap = value_of(b, from->gap);
        to->state = value_of(b, from->state);
    }
    for (int i = 0; i < all->nmissing; i++)
        b->scene->missing[b->scene->nmissing++] = all->missing[i];
}

static zw_status collect_items(builder *b, zw_error *err) {
    int quantities = 0;
    ZW_TRY(zw_sketch_drawings(&b->rows, b->scene->up, &b->ndrawing, &b->drawing,
                              &b->scene->sketched, err));
    ZW_TRY(zw_scene_touchings(&b->rows, &b->touching, err));
    for (int i = 0; i < b->ndrawing; i++)
        quantities += 3 + b->drawing[i].n;
    quantities += OF_CONTACT * b->touching.n;
    b->quantity = NEW(b, zw_expr, quantities);
    b->turn = zw_context_alloc(b->ctx, ((size_t)b->ndrawing + 1) * sizeof *b->turn);
    b->scene->item = NEW(b, zw_scene_item, b->ndrawing);
    b->scene->missing = NEW(b, const char *, b->ndrawing + ZW_TOUCHING_SENTENCES);
    b->scene->contact = NEW(b, zw_scene_contact, b->touching.n);
    if (!b->quantity || !b->turn || !b->scene->item || !b->scene->missing || !b->scene->contact)
        return zw_out_of_memory(err, "the scene");
    for (int i = 0; i < b->ndrawing; i++)
        ZW_TRY(add_item(b, &b->drawing[i], err));
    add_contacts(b);
    for (int i = 0; i < b->scene->nitem; i++)
        for (int k = 0; k < 4; k++)
            if (b->scene->item[i].turn[k].column >= 0)
                b->scene->item[i].turn[k].column += b->nquantity;
    return ZW_OK;
}

static void find_up(builder *b) {
    double *up = b->scene->up, size = 0;
    for (int i = 0; i < 3; i++) {
        up[i] = zw_rows_move(&b->rows, b->s->gravity[i])
                    ? 0
                    : -zw_rows_at_rest(&b->rows, b->s->gravity[i]);
        size += up[i] * up[i];
    }
    size = sqrt(size);
    for (int i = 0; i < 3; i++)
        up[i] = size > 0 && isfinite(size) ? up[i] / size : i == 2;
}

/* ------------------------------------------------------------------------------------- motion */

static zw_status motion_columns(builder *b, zw_error *err) {
    char name[32];
    for (int i = 0; i < b->nquantity + 4 * b->nturn; i++) {
        snprintf(name, sizeof name, "%d", i);
        if (zw_table_column(b->scene->motion, name, "") < 0)
            return zw_out_of_memory(err, "the scene");
    }
    return ZW_OK;
}

typedef struct recorder {
    const builder *b;
    double *row; /* still contains the previous row */
} recorder;

/* one row of the motion: quantities, then the quaternions of the axes that turn, from their nine
 * entries */
static zw_status fill_row(void *user, long number, const double *out, zw_error *err) {
    recorder *to = user;
    const builder *b = to->b;
    memcpy(to->row, out, (size_t)b->nquantity * sizeof *out);
    for (int i = 0; i < b->nturn; i++) {
        double e[4], *kept = to->row + b->nquantity + 4 * i, along = 0;
        zw_rotation_quaternion(out + b->nquantity + 9 * i, e);
        for (int k = 0; k < 4; k++)
            along += e[k] * kept[k];
        for (int k = 0; k < 4; k++)
            kept[k] = number > 0 && along < 0 ? -e[k] : e[k];
    }
    return zw_table_row(b->scene->motion, to->row) < 0 ? zw_out_of_memory(err, "the scene") : ZW_OK;
}

static zw_status record_motion(builder *b, zw_error *err) {
    ZW_TRY(motion_columns(b, err));
    int n = b->nquantity + 9 * b->nturn;
    if (n == 0)
        return ZW_OK; /* nothing moves */
    zw_expr *all = NEW(b, zw_expr, n);
    recorder to = {b, NEW(b, double, b->nquantity + 4 * b->nturn)};
    if (!all || !to.row)
        return zw_out_of_memory(err, "the scene");
    if (b->nquantity)
        memcpy(all, b->quantity, (size_t)b->nquantity * sizeof *all);
    if (b->nturn)
        memcpy(all + b->nquantity, b->turn, (size_t)b->nturn * sizeof *b->turn);
    return zw_rows_walk(&b->rows, n, all, 0, NULL, fill_row, &to, err);
}

/* a model without units has coordinates without units */
static bool has_units(const zw_system *s) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].unit[0])
            return true;
    return false;
}

zw_status zw_scene_create(zw_scene **out, const zw_system *s, const double *p,
                          const zw_table *result, zw_error *err) {
    *out = NULL;
    builder b = {.s = s, .ctx = s->ctx};
    zw_allocator alloc = zw_context_allocator(s->ctx);
    b.scene = NEW(&b, zw_scene, 1);
    if (!b.scene)
        return zw_out_of_memory(err, "the scene");
    b.scene->motion = zw_table_create(&alloc);
    zw_status status = b.scene->motion ? zw_rows_init(&b.rows, s, p, result, err)
                                       : zw_out_of_memory(err, "the scene");
    if (status >= 0) {
        find_up(&b);
        b.scene->metres = has_units(s);
        status = collect_items(&b, err);
    }
    if (status >= 0)
        status = record_motion(&b, err);
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

static void put_contact(zw_text *out, const zw_scene_contact *c) {
    zw_text_put(out, "{\"name\":");
    zw_text_json(out, c->contact->name);
    put_values(out, "at", 3, c->at);
    put_values(out, "force", 3, c->force);
    put_values(out, "impulse", 3, c->impulse);
    put_values(out, "gap", 1, &c->gap);
    put_values(out, "state", 1, &c->state);
    zw_text_printf(out, ",\"hasForce\":%s,\"mean\":%s}", c->has_force ? "true" : "false",
                   c->mean ? "true" : "false");
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
    zw_text_printf(&out, "],\"length\":\"%s\",\"items\":[", scene->metres ? "m" : "");
    for (int i = 0; i < scene->nitem; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        put_item(&out, &scene->item[i]);
    }
    zw_text_put(&out, "],\"contacts\":[");
    for (int i = 0; i < scene->ncontact; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        put_contact(&out, &scene->contact[i]);
    }
    zw_text_put(&out, "],\"missing\":[");
    for (int i = 0; i < scene->nmissing; i++) {
        zw_text_put(&out, i ? "," : "");
        zw_text_json(&out, scene->missing[i]);
    }
    zw_text_put(&out, "]}");
    return zw_text_take(&out);
}
