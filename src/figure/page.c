/* SPDX-License-Identifier: MIT */
/* A result as a page: the motion in space (view.c), the equations by its principle, its columns. */
#include <string.h>

#include "internal.h"
#include "zwang/equations.h"

enum { EQUATIONS_MAX = 500 * 1000 }; /* characters of LaTeX; longer ones are unreadable */

static zw_status no_memory(const char *what, zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory for the %s", what);
}

zw_status zw_figure_page_equations(zw_figure_page *p, zw_error *err) {
    const char *principle = zw_table_get_note(p->v->result, "principle");
    zw_equations eq;
    ZW_TRY(zw_derive(&eq, p->v->sys, NULL, principle ? principle : "lagrange", err));
    p->equations = zw_equations_write(&eq, ZW_EQUATIONS_PAGE, ZW_SHORTENED);
    if (!p->equations)
        return no_memory("equations", err);
    if (strlen(p->equations) > EQUATIONS_MAX) {
        zw_string_free(p->v->ctx, p->equations);
        p->equations = NULL;
    }
    return ZW_OK;
}

static zw_status fill_page(zw_figure_page *p, zw_error *err) {
    const zw_figure_view *v = p->v;
    p->drawn = zw_scene_json(v->scene, v->sys);
    if (!p->drawn)
        return no_memory("scene", err);
    ZW_TRY(zw_figure_page_equations(p, err));
    p->page = (zw_page){.name = v->sys->name,
                        .title = v->sys->title,
                        .variant = v->sys->variant,
                        .result = v->result,
                        .motion = v->scene->motion,
                        .scene = p->drawn,
                        .equations = p->equations,
                        .view = &v->view};
    return ZW_OK;
}

zw_status zw_figure_page_create(zw_figure_page **out, const zw_table *result, long rows,
                                zw_error *err) {
    zw_figure_view *v;
    *out = NULL;
    ZW_TRY(zw_figure_view_create(&v, result, rows, err));
    zw_figure_page *p = zw_context_alloc(v->ctx, sizeof *p);
    if (!p) {
        zw_figure_view_destroy(v);
        return no_memory("page", err);
    }
    p->v = v;
    zw_status status = fill_page(p, err);
    if (status < 0)
        zw_figure_page_destroy(p);
    else
        *out = p;
    return status;
}

void zw_figure_page_destroy(zw_figure_page *p) {
    if (!p)
        return;
    zw_figure_destroy(p->figure);
    if (p->ctx) {
        if (p->v)
            zw_string_free(p->v->ctx, p->equations);
        for (int i = 0; i < p->norbit; i++) {
            if (p->page.orbit[i].scene)
                zw_string_free(p->orbit[i]->ctx, (char *)p->page.orbit[i].scene);
            zw_figure_view_destroy(p->orbit[i]);
        }
        zw_table_destroy(p->table);
        zw_context_destroy(p->ctx); /* p is allocated in it */
        return;
    }
    zw_table_destroy(p->table);
    zw_string_free(p->v->ctx, p->equations);
    zw_string_free(p->v->ctx, p->drawn);
    zw_figure_view_destroy(p->v); /* p is allocated in its context */
}

const zw_page *zw_figure_page_content(const zw_figure_page *p) {
    return &p->page;
}

const zw_scene *zw_figure_page_scene(const zw_figure_page *p) {
    return p->v ? p->v->scene : NULL;
}
