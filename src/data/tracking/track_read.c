/* SPDX-License-Identifier: MIT */
/* Data: files of poses (a column marker), of positions of markers (TRC) and of coordinates (all
 * others). Errors in a file are reported with their position; data that the model has no name for
 * are left out, with a warning. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rotation.h"
#include "tracking.h"

/* An array of the arena that grows; false if memory is short. */
static bool grow_array(zw_arena *a, void **array, long n, long *capacity, size_t element) {
    if (n < *capacity)
        return true;
    long more = *capacity ? 2 * *capacity : 256;
    char *next = zw_arena_alloc(a, (size_t)more * element);
    if (!next)
        return false;
    if (n)
        memcpy(next, *array, (size_t)n * element);
    *array = next;
    *capacity = more;
    return true;
}

zw_status zw_tracking_add_sample(zw_tracking *t, int coordinate, zw_tracking_sample sample,
                                 zw_error *err) {
    zw_tracking_series *s = &t->series[coordinate];
    if (!grow_array(&t->arena, (void **)&s->sample, s->n, &s->capacity, sizeof *s->sample))
        return zw_out_of_memory(err, "tracking data");
    s->sample[s->n++] = sample;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- poses */

typedef struct pose_columns {
    int t, camera, marker, place[3], quality;
    zw_orient orient;
} pose_columns;

static zw_status time_column(zw_tracking *t, zw_cells *c, int *column, zw_error *err) {
    *column = zw_cells_find(c, "t");
    if (*column >= 0)
        return zw_cells_unit(c, *column, "s", t->sys->no_units, err);
    zw_cells_fail(c, ZW_E_NAME, c->ncolumn ? c->header[0] : 0, err, "there is no column t");
    zw_error_hint(err, "the time of each row is t[s] (in MOT files: time)");
    return ZW_E_NAME;
}

static zw_status pose_columns_of(zw_tracking *t, zw_cells *c, pose_columns *k, zw_error *err) {
    static const char *const place[3] = {"x", "y", "z"};
    ZW_TRY(time_column(t, c, &k->t, err));
    k->camera = zw_cells_find(c, "camera");
    k->marker = zw_cells_find(c, "marker");
    k->quality = zw_cells_find(c, "quality");
    for (int i = 0; i < 3; i++) {
        k->place[i] = zw_cells_find(c, place[i]);
        if (k->place[i] < 0)
            return zw_cells_fail(c, ZW_E_NAME, c->header[0], err, "there is no column %s",
                                 place[i]);
        ZW_TRY(zw_cells_unit(c, k->place[i], "m", t->sys->no_units, err));
    }
    ZW_TRY(zw_orient_find(&k->orient, c, err));
    if (k->orient.kind == ZW_ORIENT_MATRIX || k->orient.kind == ZW_ORIENT_QUATERNION)
        return ZW_OK;
    zw_cells_fail(c, ZW_E_NAME, c->header[0], err, "the poses have no orientation");
    zw_error_hint(err, "columns R11 to R33, row by row, or q0 to q3, q0 the real part");
    return ZW_E_NAME;
}

/* The camera of a name; a new one if there is no table. */
static zw_status find_eye(zw_tracking *t, zw_cells *c, long row, int column, int *out,
                          zw_error *err) {
    const char *name = column >= 0 ? zw_cells_word(c, row, column) : "";
    if (!name)
        return zw_out_of_memory(err, "tracking data");
    for (int i = 0; i < t->neye; i++)
        if (strcmp(t->eye[i].info.name, name) == 0) {
            *out = i;
            return ZW_OK;
        }
    if (t->options.cameras) {
        zw_cells_fail(c, ZW_E_NAME, zw_cells_at(c, row, column < 0 ? 0 : column), err,
                      "the camera '%.40s' is not in %s", name, t->options.cameras);
        return ZW_E_NAME;
    }
    zw_eye *next = ZW_NEW(&t->arena, zw_eye, t->neye + 1);
    const char *kept = zw_arena_string(&t->arena, name);
    if (!next || !kept)
        return zw_out_of_memory(err, "tracking data");
    if (t->neye)
        memcpy(next, t->eye, (size_t)t->neye * sizeof *next);
    next[t->neye] = (zw_eye){.info.name = kept, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    t->eye = next;
    *out = t->neye++;
    return ZW_OK;
}

static zw_status find_tag(zw_tracking *t, zw_cells *c, long row, int column, int *out,
                          zw_error *err) {
    const char *name = zw_cells_word(c, row, column);
    if (!name)
        return zw_out_of_memory(err, "tracking data");
    *out = 0;
    if (!t->options.markers)
        return ZW_OK; /* the one that is the body itself */
    for (int i = 0; i < t->ntag; i++)
        if (strcmp(t->tag[i].name, name) == 0) {
            *out = i;
            return ZW_OK;
        }
    return zw_cells_fail(c, ZW_E_NAME, zw_cells_at(c, row, column), err,
                         "the marker '%.40s' is not in %s", name, t->options.markers);
}

/* (1) of zwang/tracking.h. */
static void body_pose(const zw_eye *eye, const zw_tag *tag, const double R[9], const double r[3],
                      zw_sight *s) {
    double world[9], body[9], place[3], offset[3];
    zw_rotation_product(eye->A, R, world);
    zw_rotation_turn(eye->A, r, place);
    zw_rotation_product_right(world, tag->A, body);
    zw_rotation_turn(body, tag->r, offset);
    for (int i = 0; i < 3; i++)
        s->r[i] = eye->r[i] + place[i] - offset[i];
    zw_rotation_quaternion(body, s->e);
    s->arm = sqrt(tag->r[0] * tag->r[0] + tag->r[1] * tag->r[1] + tag->r[2] * tag->r[2]);
}

static zw_status read_pose(zw_tracking *t, zw_cells *c, long row, const pose_columns *k,
                           zw_sight *s, int *tag, bool *missing, zw_error *err) {
    double R[9], r[3];
    *s = (zw_sight){.quality = 1};
    ZW_TRY(zw_cells_number(c, row, k->t, &s->stamp, err));
    if (isnan(s->stamp))
        return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, k->t), err, "the time is missing");
    ZW_TRY(find_eye(t, c, row, k->camera, &s->camera, err));
    ZW_TRY(find_tag(t, c, row, k->marker, tag, err));
    ZW_TRY(zw_orient_read(&k->orient, c, row, R, missing, err));
    for (int i = 0; i < 3; i++) {
        ZW_TRY(zw_cells_number(c, row, k->place[i], &r[i], err));
        *missing = *missing || isnan(r[i]);
    }
    if (k->quality >= 0)
        ZW_TRY(zw_cells_number(c, row, k->quality, &s->quality, err));
    if (s->quality < 0)
        return zw_cells_fail(c, ZW_E_OPTION, zw_cells_at(c, row, k->quality), err,
                             "the quality is negative");
    *missing = *missing || !(s->quality > 0);
    s->frame = t->tag[*tag].frame;
    if (!*missing)
        body_pose(&t->eye[s->camera], &t->tag[*tag], R, r, s);
    return ZW_OK;
}

/* Time must increase for each marker of each camera. */
typedef struct last_time {
    int camera;
    const char *marker;
    double t;
} last_time;

static zw_status check_order(zw_tracking *t, zw_cells *c, long row, const pose_columns *k,
                             const zw_sight *s, last_time **last, long *n, long *capacity,
                             zw_error *err) {
    last_time *found = NULL;
    const char *marker = zw_cells_word(c, row, k->marker);
    if (!marker)
        return zw_out_of_memory(err, "tracking data");
    for (long i = 0; i < *n && !found; i++)
        if ((*last)[i].camera == s->camera && strcmp((*last)[i].marker, marker) == 0)
            found = &(*last)[i];
    if (!found) {
        if (!grow_array(&t->arena, (void **)last, *n, capacity, sizeof **last))
            return zw_out_of_memory(err, "tracking data");
        found = &(*last)[(*n)++];
        *found = (last_time){s->camera, marker, -INFINITY};
    }
    if (!(s->stamp > found->t)) {
        zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, k->t), err,
                      s->stamp < found->t
                          ? "time goes back: camera %s saw this marker at t = %.9g s before"
                          : "camera %s saw this marker at t = %.9g s already",
                      t->eye[s->camera].info.name, found->t);
        zw_error_hint(err, "rows of one camera and marker are in the order of time; two recordings "
                           "are two calls");
        return ZW_E_SYNTAX;
    }
    found->t = s->stamp;
    return ZW_OK;
}

static zw_status read_poses(zw_tracking *t, zw_cells *c, zw_error *err) {
    pose_columns k;
    last_time *last = NULL;
    long nlast = 0, capacity = 0;
    ZW_TRY(pose_columns_of(t, c, &k, err));
    if (!t->options.markers && !t->ntag) {
        t->tag = ZW_NEW(&t->arena, zw_tag, 1);
        if (!t->tag)
            return zw_out_of_memory(err, "tracking data");
        *t->tag = (zw_tag){.name = "", .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        ZW_TRY(zw_tag_body(t->sys, t->options.body, &t->tag->frame, err));
        t->ntag = 1;
    }
    for (long row = 0; row < c->nrow; row++) {
        zw_sight s;
        bool missing;
        int tag;
        ZW_TRY(read_pose(t, c, row, &k, &s, &tag, &missing, err));
        ZW_TRY(check_order(t, c, row, &k, &s, &last, &nlast, &capacity, err));
        if (missing)
            continue;
        if (!grow_array(&t->arena, (void **)&t->sight, t->nsight, &t->sight_capacity, sizeof s))
            return zw_out_of_memory(err, "tracking data");
        t->sight[t->nsight++] = s;
        t->eye[s.camera].info.samples++;
    }
    return ZW_OK;
}

/* ---- positions ---- */

static zw_status read_spots(zw_tracking *t, zw_cells *c, zw_error *err) {
    int time;
    if (!t->options.markers) {
        zw_fail(err, ZW_E_OPTION,
                "the positions of the markers of '%s' on their bodies are not given", c->path);
        zw_error_hint(err, "--markers FILE: a table with marker, body, x[m], y[m], z[m]");
        return ZW_E_OPTION;
    }
    ZW_TRY(time_column(t, c, &time, err));
    double before = -INFINITY, now;
    for (long row = 0; row < c->nrow; row++, before = now) {
        ZW_TRY(zw_cells_number(c, row, time, &now, err));
        if (!(now > before))
            return zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, time), err,
                                 isnan(now) ? "the time is missing" : "time does not go on");
    }
    for (int i = 0; i < t->ntag; i++) {
        char name[256];
        int column[3];
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s.%c", t->tag[i].name, "xyz"[k]);
            column[k] = zw_cells_find(c, name);
            if (column[k] < 0)
                return zw_fail(err, ZW_E_NAME, "the marker %s of %s is not in '%s'", t->tag[i].name,
                               t->options.markers, c->path);
            ZW_TRY(zw_cells_unit(c, column[k], "m", t->sys->no_units, err));
        }
        for (long row = 0; row < c->nrow; row++) {
            zw_tracking_spot s = {.tag = i, .row = row};
            ZW_TRY(zw_cells_number(c, row, time, &s.t, err));
            for (int k = 0; k < 3; k++)
                ZW_TRY(zw_cells_number(c, row, column[k], &s.r[k], err));
            if (isnan(s.r[0]) || isnan(s.r[1]) || isnan(s.r[2]))
                continue;
            if (!grow_array(&t->arena, (void **)&t->spot, t->nspot, &t->spot_capacity, sizeof s))
                return zw_out_of_memory(err, "tracking data");
            t->spot[t->nspot++] = s;
        }
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- coordinates */

/* The name of a column in the model: --column FILE=MODEL, or its own. */
static const char *model_name(const zw_tracking *t, const char *name) {
    size_t n = strlen(name);
    for (int i = 0; i < t->options.ncolumn; i++)
        if (strncmp(t->options.column[i], name, n) == 0 && t->options.column[i][n] == '=') {
            t->column_seen[i] = true;
            return t->options.column[i] + n + 1;
        }
    return name;
}

static int coordinate_of(const zw_tracking *t, const char *name) {
    for (int i = 0; i < t->sys->nq; i++)
        if (strcmp(t->sys->coord[i].name, name) == 0)
            return i;
    return -1;
}

static void warn_unused(zw_tracking *t, const zw_cells *c, int column) {
    char key[96];
    snprintf(key, sizeof key, "column %.80s", c->name[column]);
    zw_warning d = zw_warning_of(key, NAN,
                                 "the column %.60s of %.120s is not a coordinate of the model: it "
                                 "is left out",
                                 c->name[column], c->path);
    zw_warning_hint(&d, "--column %.60s=NAME names the coordinate", c->name[column]);
    zw_warnings_add(t->doubts, &d);
}

static zw_status series_unit(zw_tracking *t, zw_cells *c, int column, const char *unit,
                             zw_error *err) {
    if (c->kind != ZW_CELLS_MOT)
        return zw_cells_unit(c, column, unit, t->sys->no_units, err);
    if (c->degrees && strcmp(unit, "rad") == 0)
        c->factor[column] = M_PI / 180;
    return ZW_OK;
}

/* The column of its standard deviations, -1 if there is none. */
static zw_status sd_column(zw_tracking *t, zw_cells *c, int column, const char *unit, int *out,
                           zw_error *err) {
    char name[300];
    snprintf(name, sizeof name, "sd(%s)", c->name[column]);
    *out = zw_cells_find(c, name);
    return *out < 0 ? ZW_OK : series_unit(t, c, *out, unit, err);
}

static zw_status read_series(zw_tracking *t, zw_cells *c, int time, int column, int coordinate,
                             zw_error *err) {
    const char *unit = t->sys->coord[coordinate].unit;
    int deviation;
    double before = -INFINITY;
    ZW_TRY(series_unit(t, c, column, unit, err));
    ZW_TRY(sd_column(t, c, column, unit, &deviation, err));
    for (long row = 0; row < c->nrow; row++) {
        zw_tracking_sample s = {0};
        ZW_TRY(zw_cells_number(c, row, time, &s.t, err));
        ZW_TRY(zw_cells_number(c, row, column, &s.y, err));
        if (!(s.t > before)) {
            zw_cells_fail(c, ZW_E_SYNTAX, zw_cells_at(c, row, time), err,
                          isnan(s.t)     ? "the time is missing"
                          : s.t < before ? "time goes back from %.9g s"
                                         : "the time %.9g s is there already",
                          before);
            return ZW_E_SYNTAX;
        }
        before = s.t;
        if (isnan(s.y))
            continue;
        if (deviation >= 0)
            ZW_TRY(zw_cells_number(c, row, deviation, &s.sd, err));
        if (deviation >= 0 && !(s.sd > 0))
            return zw_cells_fail(c, ZW_E_OPTION, zw_cells_at(c, row, deviation), err,
                                 "a standard deviation must be positive");
        ZW_TRY(zw_tracking_add_sample(t, coordinate, s, err));
    }
    return ZW_OK;
}

static bool is_deviation(const zw_cells *c, int column) {
    return strncmp(c->name[column], "sd(", 3) == 0;
}

static zw_status read_coordinates(zw_tracking *t, zw_cells *c, zw_error *err) {
    int time, found = 0;
    ZW_TRY(time_column(t, c, &time, err));
    for (int i = 0; i < c->ncolumn; i++) {
        int coordinate = i == time ? -1 : coordinate_of(t, model_name(t, c->name[i]));
        if (i == time || is_deviation(c, i))
            continue;
        if (coordinate < 0) {
            warn_unused(t, c, i);
            continue;
        }
        ZW_TRY(read_series(t, c, time, i, coordinate, err));
        found++;
    }
    if (found)
        return ZW_OK;
    zw_cells_fail(c, ZW_E_NAME, c->header[0], err,
                  "no column is called like a coordinate of the model %s", t->sys->name);
    zw_error_hint(err,
                  "--column NAME=COORDINATE; poses have the columns t, camera, marker, x, y, z "
                  "and R11 to R33 or q0 to q3");
    return ZW_E_NAME;
}

/* ------------------------------------------------------------------------------------------ all */

static zw_status read_file(zw_tracking *t, const char *path, zw_error *err) {
    zw_cells c;
    zw_status status = zw_cells_read(&c, path, &t->arena.alloc, err);
    if (status >= 0 && c.nrow == 0)
        status = zw_fail(err, ZW_E_FILE, "'%s' has no rows", path);
    if (status >= 0)
        status = c.kind == ZW_CELLS_TRC             ? read_spots(t, &c, err)
                 : zw_cells_find(&c, "marker") >= 0 ? read_poses(t, &c, err)
                                                    : read_coordinates(t, &c, err);
    zw_cells_clear(&c);
    return status;
}

zw_status zw_tracking_read(zw_tracking *t, zw_error *err) {
    if (t->options.cameras)
        ZW_TRY(
            zw_eyes_read(&t->arena, t->options.cameras, t->sys->no_units, &t->neye, &t->eye, err));
    if (t->options.markers)
        ZW_TRY(zw_tags_read(&t->arena, t->options.markers, t->sys, t->options.body, &t->ntag,
                            &t->tag, err));
    for (int i = 0; i < t->ndata; i++)
        ZW_TRY(read_file(t, t->data[i], err));
    return ZW_OK;
}
