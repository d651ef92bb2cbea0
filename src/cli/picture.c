/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <stdio.h>
#include <string.h>

enum { CURVES_MAX = 16, NAME_MAX_LENGTH = 128 };

typedef struct picture {
    int n;
    zw_curve curve[CURVES_MAX];
    bool path; /* "x,y" */
} picture;

static zw_status find_column(const zw_table *t, const char *name, size_t length, int *out,
                             zw_error *err) {
    char copy[NAME_MAX_LENGTH];
    const char *names[512];
    int n = zw_table_columns(t) < 512 ? zw_table_columns(t) : 512;
    snprintf(copy, sizeof copy, "%.*s", length < sizeof copy ? (int)length : (int)sizeof copy - 1,
             name);
    *out = zw_table_find(t, copy);
    if (*out >= 0)
        return ZW_OK;
    for (int i = 0; i < n; i++)
        names[i] = zw_table_name(t, i);
    const char *near = zw_nearest(copy, n, names);
    zw_fail(err, ZW_E_OPTION, "--plot: there is no column '%s'", copy);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else
        zw_error_hint(err,
                      "columns are t, coordinates, velocities, lambda(NAME), observables, energy");
    return ZW_E_OPTION;
}

/* "a+b:c" or "a:c"; columns before the colon over the one behind it */
static zw_status parse_group(const zw_table *t, const char *text, size_t length, picture *out,
                             zw_error *err) {
    const char *colon = memchr(text, ':', length), *end = text + length;
    int x;
    ZW_TRY(find_column(t, colon + 1, (size_t)(end - colon - 1), &x, err));
    for (const char *p = text; p < colon;) {
        size_t n = strcspn(p, "+:");
        if (out->n == CURVES_MAX)
            return zw_fail(err, ZW_E_OPTION, "--plot: more than %d curves", CURVES_MAX);
        zw_curve *c = &out->curve[out->n++];
        *c = (zw_curve){.table = t, .x = x};
        ZW_TRY(find_column(t, p, n, &c->y, err));
        p += n + 1;
    }
    return ZW_OK;
}

static zw_status parse(const char *spec, const zw_table *t, picture *out, zw_error *err) {
    const char *comma = strchr(spec, ','), *colon = strrchr(spec, ':');
    *out = (picture){0};
    if (comma && !colon) {
        zw_curve *c = &out->curve[out->n++];
        c->table = t;
        ZW_TRY(find_column(t, spec, (size_t)(comma - spec), &c->x, err));
        ZW_TRY(find_column(t, comma + 1, strlen(comma + 1), &c->y, err));
        out->path = strcmp(zw_table_unit(t, c->x), zw_table_unit(t, c->y)) == 0;
        return ZW_OK;
    }
    if (!colon || colon == spec || !colon[1]) {
        zw_fail(err, ZW_E_OPTION, "--plot=%s does not say what to draw", spec);
        zw_error_hint(err,
                      "--plot y:t draws y over t, --plot x,y the path in the plane of x and y");
        return ZW_E_OPTION;
    }
    ZW_TRY(parse_group(t, spec, strlen(spec), out, err));
    for (int i = 0; out->n > 1 && i < out->n; i++)
        out->curve[i].label = zw_table_name(t, out->curve[i].y);
    return ZW_OK;
}

zw_status picture_check(const char *spec, const zw_table *table, zw_error *err) {
    picture p;
    return parse(spec, table, &p, err);
}

zw_status picture_draw(const char *spec, const zw_table *table, const char *title, const char *path,
                       zw_error *err) {
    picture p;
    ZW_TRY(parse(spec, table, &p, err));
    zw_plot_options options = {.title = title, .equal_axes = p.path};
    return zw_plot_curves(p.n, p.curve, &options, path, err);
}
