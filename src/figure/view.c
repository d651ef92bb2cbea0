/* SPDX-License-Identifier: MIT */
/* A result as a motion in space. Everything shown comes from the result: its notes contain the
 * model, from which the system is built again, so that a file is sufficient. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "zwang/simulate.h"

static zw_view_value value_of(zw_scene_value v) {
    return (zw_view_value){v.column, v.value};
}

static void copy_item(const zw_scene_item *from, zw_view_item *to) {
    const zw_drawing *d = from->drawing;
    *to =
        (zw_view_item){.shape = d->shape, .name = d->name, .colour = d->colour, .clear = d->clear};
    to->n = d->n < ZW_VIEW_NUMBERS ? d->n : ZW_VIEW_NUMBERS;
    for (int i = 0; i < 3; i++)
        to->at[i] = value_of(from->at[i]);
    for (int i = 0; i < 4; i++)
        to->turn[i] = value_of(from->turn[i]);
    for (int i = 0; i < to->n; i++)
        to->number[i] = value_of(from->number[i]);
}

static void copy_contact(const zw_scene_contact *from, zw_view_contact *to) {
    *to = (zw_view_contact){.name = from->contact->name,
                            .gap = value_of(from->gap),
                            .state = value_of(from->state),
                            .has_force = from->has_force,
                            .mean = from->mean};
    for (int i = 0; i < 3; i++) {
        to->at[i] = value_of(from->at[i]);
        to->force[i] = value_of(from->force[i]);
        to->impulse[i] = value_of(from->impulse[i]);
    }
}

_Static_assert((int)ZW_TOUCH_OPEN == (int)ZW_VIEW_OPEN &&
                   (int)ZW_TOUCH_STICKS == (int)ZW_VIEW_STICKS &&
                   (int)ZW_TOUCH_SLIPS == (int)ZW_VIEW_SLIPS &&
                   (int)ZW_TOUCH_CLOSED == (int)ZW_VIEW_CLOSED,
               "a state has two numbers");

static zw_status describe_view(zw_figure_view *v, zw_error *err) {
    const zw_scene *scene = v->scene;
    long rows = zw_table_rows(v->result);
    int column = zw_table_find(v->result, "t");
    zw_view_item *item = zw_context_alloc(v->ctx, ((size_t)scene->nitem + 1) * sizeof *item);
    double *time = zw_context_alloc(v->ctx, ((size_t)rows + 1) * sizeof *time);
    zw_view_contact *contact =
        zw_context_alloc(v->ctx, ((size_t)scene->ncontact + 1) * sizeof *contact);
    if (!item || !time || !contact)
        return zw_out_of_memory(err, "the view");
    for (int i = 0; i < scene->ncontact; i++)
        copy_contact(&scene->contact[i], &contact[i]);
    for (int i = 0; i < scene->nitem; i++)
        copy_item(&scene->item[i], &item[i]);
    for (long i = 0; i < rows; i++)
        time[i] = zw_table_at(v->result, i, column);
    v->view = (zw_view){.n = scene->nitem,
                        .item = item,
                        .rows = rows,
                        .time = time,
                        .motion = scene->motion,
                        .metres = scene->metres,
                        .title = v->sys->title,
                        .ncontact = scene->ncontact,
                        .contact = contact};
    memcpy(v->view.up, scene->up, sizeof v->view.up);
    return ZW_OK;
}

static zw_status fill_view(zw_figure_view *v, const zw_table *result, long rows, zw_error *err) {
    ZW_TRY(zw_table_thin(&v->result, result, rows, err));
    ZW_TRY(zw_result_system(&v->sys, v->ctx, v->result, err));
    zw_figure_join_means(v->result, result, v->sys);
    double *value = zw_context_alloc(v->ctx, ((size_t)v->sys->np + 1) * sizeof *value);
    if (!value)
        return zw_context_status(v->ctx, err);
    ZW_TRY(zw_result_params(v->result, v->sys, value, err));
    ZW_TRY(zw_scene_create(&v->scene, v->sys, value, v->result, err));
    return describe_view(v, err);
}

zw_status zw_figure_view_create(zw_figure_view **out, const zw_table *result, long rows,
                                zw_error *err) {
    assert(out);
    const zw_allocator *alloc = zw_table_allocator(result);
    zw_context *ctx = zw_context_create(alloc);
    zw_figure_view *v = ctx ? zw_context_alloc(ctx, sizeof *v) : NULL;
    *out = NULL;
    if (!v) {
        zw_context_destroy(ctx);
        return zw_out_of_memory(err, "the view");
    }
    v->ctx = ctx;
    zw_status status = fill_view(v, result, rows, err);
    if (status < 0)
        zw_figure_view_destroy(v);
    else
        *out = v;
    return status;
}

void zw_figure_view_destroy(zw_figure_view *v) {
    if (!v)
        return;
    zw_scene_destroy(v->scene);
    zw_table_destroy(v->result);
    zw_context_destroy(v->ctx); /* v is allocated in it */
}

const zw_view *zw_figure_view_content(const zw_figure_view *v) {
    return &v->view;
}

const zw_scene *zw_figure_view_scene(const zw_figure_view *v) {
    return v->scene;
}

const char *zw_figure_view_name(const zw_figure_view *v) {
    return v->sys->name;
}
