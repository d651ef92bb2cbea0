/* SPDX-License-Identifier: MIT */
/* A result as a page. Whatever is shown comes from the result: its notes hold the model, from which the
 * system is built again, so that a file will do as well as a run. */
#include <string.h>

#include "zwang/equations.h"
#include "zwang/figure.h"
#include "zwang/result.h"

enum { EQUATIONS_MAX = 500 * 1000 }; /* characters of LaTeX, beyond which nobody reads them */

struct zw_figure_page {
    zw_context *ctx;
    zw_table *result; /* as many rows as the page has */
    zw_system *sys;
    zw_scene *scene;
    char *drawn, *equations; /* JSON */
    zw_page page;
};

static zw_status no_memory(const char *what, zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory for the %s", what);
}

static zw_status build_scene(zw_figure_page *p, zw_error *err) {
    ZW_TRY(zw_result_system(&p->sys, p->ctx, p->result, err));
    double *value = zw_context_alloc(p->ctx, ((size_t)p->sys->np + 1) * sizeof *value);
    if (!value)
        return zw_context_status(p->ctx, err);
    ZW_TRY(zw_result_params(p->result, p->sys, value, err));
    ZW_TRY(zw_scene_create(&p->scene, p->sys, value, p->result, err));
    p->drawn = zw_scene_json(p->scene, p->sys);
    return p->drawn ? ZW_OK : no_memory("scene", err);
}

static zw_status write_equations(zw_figure_page *p, zw_error *err) {
    const char *principle = zw_table_get_note(p->result, "principle");
    zw_equations eq;
    ZW_TRY(zw_derive(&eq, p->sys, NULL, principle ? principle : "lagrange", err));
    p->equations = zw_equations_write(&eq, ZW_EQUATIONS_PAGE, ZW_SHORTENED);
    if (!p->equations)
        return no_memory("equations", err);
    if (strlen(p->equations) > EQUATIONS_MAX) {
        zw_string_free(p->ctx, p->equations);
        p->equations = NULL;
    }
    return ZW_OK;
}

static zw_status fill(zw_figure_page *p, const zw_table *result, long rows, zw_error *err) {
    ZW_TRY(zw_table_thin(&p->result, result, rows, err));
    ZW_TRY(build_scene(p, err));
    ZW_TRY(write_equations(p, err));
    p->page = (zw_page){.name = p->sys->name,
                        .title = p->sys->title,
                        .variant = p->sys->variant,
                        .result = p->result,
                        .motion = p->scene->motion,
                        .scene = p->drawn,
                        .equations = p->equations};
    return ZW_OK;
}

zw_status zw_figure_page_create(zw_figure_page **out, const zw_table *result, long rows,
                                zw_error *err) {
    const zw_allocator *alloc = zw_table_allocator(result);
    zw_context *ctx = zw_context_create(alloc);
    zw_figure_page *p = ctx ? zw_context_alloc(ctx, sizeof *p) : NULL;
    *out = NULL;
    if (!p) {
        zw_context_destroy(ctx);
        return no_memory("page", err);
    }
    p->ctx = ctx;
    zw_status status = fill(p, result, rows, err);
    if (status < 0)
        zw_figure_page_destroy(p);
    else
        *out = p;
    return status;
}

void zw_figure_page_destroy(zw_figure_page *p) {
    if (!p)
        return;
    zw_string_free(p->ctx, p->equations);
    zw_string_free(p->ctx, p->drawn);
    zw_scene_destroy(p->scene);
    zw_table_destroy(p->result);
    zw_context_destroy(p->ctx); /* p lives in it */
}

const zw_page *zw_figure_page_content(const zw_figure_page *p) {
    return &p->page;
}

const zw_scene *zw_figure_page_scene(const zw_figure_page *p) {
    return p->scene;
}
