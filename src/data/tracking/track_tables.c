/* SPDX-License-Identifier: MIT */
/* The tables of cameras and of markers.
 *
 *     camera,x[m],y[m],z[m],to_x[m],to_y[m],to_z[m]         marker,body,ex,ey,ez,x[mm],y[mm],z[mm]
 *     c1,0.6,0,0.4,0,0,0                                    id0,disk,+y,-x,+z,0,0,5
 *
 * A camera has its position and either its axes (world = R camera) or a point that it is aimed
 * at: then z is forward, x to the right and y down, with the world's z upwards. A marker has its
 * position and axes on its body (body = R marker). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "tracking.h"

/* sine of the angle to the vertical: below, the direction of x is round-off */
#define VERTICAL 1e-9

/* A column of these numbers, -1 if it is optional and missing. */
static zw_status column_of(zw_cells *c, const char *name, const char *unit, bool bare, bool needed,
                           int *out, zw_error *err) {
    *out = zw_cells_find(c, name);
    if (*out >= 0)
        return zw_cells_unit(c, *out, unit, bare, err);
    if (!needed)
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_NAME, c->header[0], err, "there is no column %s", name);
}

static zw_status three_columns(zw_cells *c, const char *const name[3], bool bare, bool needed,
                               int out[3], zw_error *err) {
    for (int i = 0; i < 3; i++) {
        needed = needed || (i > 0 && out[0] >= 0);
        ZW_TRY(column_of(c, name[i], "m", bare, needed, &out[i], err));
    }
    return ZW_OK;
}

static const char *const place_names[3] = {"x", "y", "z"}, *const target_names[3] = {"to_x", "to_y",
                                                                                     "to_z"};

/* A number that must be given. */
static zw_status number_at(const zw_cells *c, long row, int column, double *out, zw_error *err) {
    ZW_TRY(zw_cells_number(c, row, column, out, err));
    if (!isnan(*out))
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, column), err, "%s is missing",
                         c->name[column]);
}

/* A number that is 0 if it is not given, and not negative. */
static zw_status option_at(const zw_cells *c, long row, int column, bool positive, double *out,
                           zw_error *err) {
    *out = 0;
    if (column < 0)
        return ZW_OK;
    ZW_TRY(zw_cells_number(c, row, column, out, err));
    *out = isnan(*out) ? 0 : *out;
    if (!positive || *out >= 0)
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_OPTION, zw_cells_at(c, row, column), err, "%s is negative",
                         c->name[column]);
}

static zw_status name_at(zw_cells *c, zw_arena *arena, long row, int column, const char **out,
                         zw_error *err) {
    const char *word = zw_cells_word(c, row, column);
    *out = word ? zw_arena_string(arena, word) : NULL;
    if (!*out)
        return zw_out_of_memory(err, "tracking data");
    if ((*out)[0])
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, column), err, "the %s has no name",
                         c->name[column]);
}

/* -------------------------------------------------------------------------------------- cameras */

static double unit_vector(double v[3]) {
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; size > 0 && i < 3; i++)
        v[i] /= size;
    return size;
}

/* The axes of a camera that is aimed along z, as columns. */
static bool aim_axes(const double from[3], const double to[3], double A[9]) {
    double z[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    if (!(unit_vector(z) > 0))
        return false;
    double x[3] = {z[1], -z[0], 0}; /* z cross up */
    if (!(unit_vector(x) > VERTICAL))
        x[0] = 1, x[1] = 0;
    const double y[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2],
                         z[0] * x[1] - z[1] * x[0]};
    for (int i = 0; i < 3; i++)
        A[3 * i] = x[i], A[3 * i + 1] = y[i], A[3 * i + 2] = z[i];
    return true;
}

typedef struct eye_columns {
    zw_orient orient;
    int name, place[3], target[3], delay, sd_place, sd_angle;
} eye_columns;

static zw_status find_eye_columns(zw_cells *c, bool bare, eye_columns *k, zw_error *err) {
    k->name = zw_cells_find(c, "camera");
    if (k->name < 0) {
        zw_cells_fail(c, ZW_E_NAME, c->header[0], err, "a table of cameras has a column camera");
        return ZW_E_NAME;
    }
    ZW_TRY(three_columns(c, place_names, bare, true, k->place, err));
    ZW_TRY(three_columns(c, target_names, bare, false, k->target, err));
    ZW_TRY(column_of(c, "delay", "s", bare, false, &k->delay, err));
    ZW_TRY(column_of(c, "sd_place", "m", bare, false, &k->sd_place, err));
    ZW_TRY(column_of(c, "sd_angle", "rad", bare, false, &k->sd_angle, err));
    ZW_TRY(zw_orient_find(&k->orient, c, err));
    bool axes = k->orient.kind != ZW_ORIENT_NONE;
    if (axes != (k->target[0] >= 0))
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_NAME, c->header[0], err,
                         axes
                             ? "cameras have axes (R11, ... or q0, ...) or look at a point (to_x, "
                               "to_y, to_z), not both"
                             : "how cameras are turned is not said: R11 to R33, q0 to q3, or to_x, "
                               "to_y, to_z");
}

static zw_status read_eye(zw_cells *c, zw_arena *arena, long row, const eye_columns *k, zw_eye *eye,
                          zw_error *err) {
    double to[3];
    bool missing;
    *eye = (zw_eye){.placed = true};
    ZW_TRY(name_at(c, arena, row, k->name, &eye->info.name, err));
    for (int i = 0; i < 3; i++)
        ZW_TRY(number_at(c, row, k->place[i], &eye->r[i], err));
    ZW_TRY(option_at(c, row, k->delay, false, &eye->known, err));
    ZW_TRY(option_at(c, row, k->sd_place, true, &eye->sd_place, err));
    ZW_TRY(option_at(c, row, k->sd_angle, true, &eye->sd_angle, err));
    ZW_TRY(zw_orient_read(&k->orient, c, row, eye->A, &missing, err));
    if (missing)
        return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, k->orient.column[0]), err,
                             "how the camera %s is turned is missing", eye->info.name);
    if (k->target[0] < 0)
        return ZW_OK;
    for (int i = 0; i < 3; i++)
        ZW_TRY(number_at(c, row, k->target[i], &to[i], err));
    if (aim_axes(eye->r, to, eye->A))
        return ZW_OK;
    return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, k->target[0]), err,
                         "the camera %s looks at its own place", eye->info.name);
}

static zw_status read_eyes(zw_cells *c, zw_arena *arena, bool bare, int *n, zw_eye **eye,
                           zw_error *err) {
    eye_columns k;
    ZW_TRY(find_eye_columns(c, bare, &k, err));
    *eye = ZW_NEW(arena, zw_eye, c->nrow + 1);
    if (!*eye)
        return zw_out_of_memory(err, "tracking data");
    for (long row = 0; row < c->nrow; row++) {
        ZW_TRY(read_eye(c, arena, row, &k, &(*eye)[*n], err));
        for (int i = 0; i < *n; i++)
            if (strcmp((*eye)[i].info.name, (*eye)[*n].info.name) == 0)
                return zw_cells_fail(c, ZW_E_NAME, zw_cells_at(c, row, k.name), err,
                                     "the camera %s is given twice", (*eye)[i].info.name);
        ++*n;
    }
    if (*n == 0)
        return zw_cells_fail(c, ZW_E_SYNTAX, c->header[0], err, "the table has no camera");
    return ZW_OK;
}

zw_status zw_eyes_read(zw_arena *arena, const char *path, bool bare, int *n, zw_eye **eye,
                       zw_error *err) {
    zw_cells c;
    *n = 0;
    zw_status status = zw_cells_read(&c, path, &arena->alloc, err);
    if (status >= 0)
        status = read_eyes(&c, arena, bare, n, eye, err);
    zw_cells_clear(&c);
    return status;
}

/* -------------------------------------------------------------------------------------- markers */

zw_status zw_tag_body(const zw_system *sys, const char *body, int *frame, zw_error *err) {
    *frame = -1;
    for (int i = 0; body && i < sys->nbody; i++)
        if (strcmp(sys->body[i].name, body) == 0)
            *frame = sys->body[i].frame;
    if (body && *frame < 0)
        *frame = zw_system_find_frame(sys, body);
    if (!body && sys->nbody == 1)
        *frame = sys->body[0].frame;
    if (*frame >= 0)
        return ZW_OK;
    if (body)
        zw_fail(err, ZW_E_NAME, "there is no body or frame '%s' in the model %s", body, sys->name);
    else
        zw_fail(err, ZW_E_OPTION, "the model %s has %d bodies: which one has the markers?",
                sys->name, sys->nbody);
    zw_error_hint(err, "--body NAME, or a column body in the table of markers (--markers)");
    return err ? err->status : ZW_E_NAME;
}

static zw_status read_tag(zw_cells *c, zw_arena *arena, long row, const zw_orient *orient,
                          const int column[5], const zw_system *sys, const char *body, zw_tag *tag,
                          zw_error *err) {
    bool missing;
    const char *own = NULL;
    *tag = (zw_tag){.frame = -1};
    ZW_TRY(name_at(c, arena, row, column[0], &tag->name, err));
    if (column[1] >= 0)
        ZW_TRY(name_at(c, arena, row, column[1], &own, err));
    zw_error why = {0};
    zw_status status = zw_tag_body(sys, own ? own : body, &tag->frame, &why);
    if (status < 0) {
        if (own)
            zw_cells_fail(c, status, zw_cells_at(c, row, column[1]), err, "%s", why.text);
        else
            zw_fail(err, status, "%s", why.text);
        zw_error_hint(err, "%s", why.hint);
        return status;
    }
    ZW_TRY(zw_orient_read(orient, c, row, tag->A, &missing, err));
    for (int i = 0; i < 3; i++)
        ZW_TRY(option_at(c, row, column[2 + i], false, &tag->r[i], err));
    return ZW_OK;
}

static zw_status read_tags(zw_cells *c, zw_arena *arena, const zw_system *sys, const char *body,
                           int *n, zw_tag **tag, zw_error *err) {
    zw_orient orient;
    int column[5];
    column[0] = zw_cells_find(c, "marker");
    column[1] = zw_cells_find(c, "body");
    if (column[0] < 0)
        return zw_cells_fail(c, ZW_E_NAME, c->header[0], err,
                             "a table of markers has a column marker");
    ZW_TRY(three_columns(c, place_names, sys->no_units, false, column + 2, err));
    ZW_TRY(zw_orient_find(&orient, c, err));
    *tag = ZW_NEW(arena, zw_tag, c->nrow + 1);
    if (!*tag)
        return zw_out_of_memory(err, "tracking data");
    for (long row = 0; row < c->nrow; row++) {
        ZW_TRY(read_tag(c, arena, row, &orient, column, sys, body, &(*tag)[*n], err));
        for (int i = 0; i < *n; i++)
            if (strcmp((*tag)[i].name, (*tag)[*n].name) == 0)
                return zw_cells_fail(c, ZW_E_NAME, zw_cells_at(c, row, column[0]), err,
                                     "the marker %s is given twice", (*tag)[i].name);
        ++*n;
    }
    if (*n == 0)
        return zw_cells_fail(c, ZW_E_SYNTAX, c->header[0], err, "the table has no marker");
    return ZW_OK;
}

zw_status zw_tags_read(zw_arena *arena, const char *path, const zw_system *sys, const char *body,
                       int *n, zw_tag **tag, zw_error *err) {
    zw_cells c;
    *n = 0;
    zw_status status = zw_cells_read(&c, path, &arena->alloc, err);
    if (status >= 0)
        status = read_tags(&c, arena, sys, body, n, tag, err);
    zw_cells_clear(&c);
    return status;
}
