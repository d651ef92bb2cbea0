/* SPDX-License-Identifier: MIT */
/* Data of cameras that observe a motion of a model. Frame k of a camera has the stamp k/fps and
 * shows the time k/fps - delay. A marker is visible if its axis z is inclined to the direction
 * of the camera by less than an angle. Its pose in the axes of the camera gets normal noise in
 * position and rotation, each number a function of the seed, the camera, the marker and the
 * frame alone.
 *
 * A flip: the pose of a flat marker has a second solution whose normal is mirrored at the line of
 * sight v: a rotation about the axis n x v by twice the angle between n and v.
 *
 * The motion is recorded ROWS_PER_FRAME times finer than the frames; between its rows cubics are
 * accurate enough: (omega/(8 fps))^4/43, less than 1e-8 rad at a tenth of a radian in a frame. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/normal_quantile.h"
#include "base/option.h"
#include "base/philox.h"
#include "base/rotation.h"
#include "tracking.h"
#include "zwang/simulate.h"

#define DEFAULT_SD_PLACE 1e-3 /* [m]: usual noise of a marker's position at a distance of a metre */
#define END_OF_MOTION 1e-12   /* [s]: round-off of the time of the last frame */
#define MOST_FRAMES 1e7       /* of a camera: days of video, and 1 GB for each marker */

enum {
    ROWS_PER_FRAME = 8, /* rows of the motion in the time of a frame */
    DRAWS = 8           /* random numbers for each marker of a frame */
};

static const zw_synthesis_options defaults = {.size = sizeof(zw_synthesis_options),
                                              .until = 2,
                                              .fps = 500,
                                              .sd_place = DEFAULT_SD_PLACE,
                                              .sd_angle = 0.01,
                                              .facing = 70 * M_PI / 180};

void zw_synthesis_options_init(zw_synthesis_options *options, size_t size) {
    zw_options_begin(options, size, &defaults, sizeof defaults);
}

void zw_synthesis_clear(zw_synthesis *s) {
    zw_bytes_clear(&s->poses);
    zw_table_destroy(s->truth);
    *s = (zw_synthesis){0};
}

typedef struct camera_maker {
    zw_synthesis *out;
    zw_synthesis_options options;
    const zw_system *sys;
    zw_arena arena;
    int neye, ntag;
    zw_eye *eye;
    zw_tag *tag;
    zw_posed **body; /* ntag */
    const zw_table *rows;
    double *p, *row, *q;
    int *column; /* nq: of the rows */
    zw_text text;
} camera_maker;

/* ----------------------------------------------------------------------------------- the motion */

/* The four rows around a time, none across an event, which has two rows with one time; fewer at
 * ends. */
static int rows_about(const zw_table *rows, double t, long *first) {
    long low = 0, high = zw_table_rows(rows) - 1;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (zw_table_at(rows, middle, 0) <= t)
            low = middle;
        else
            high = middle;
    }
    long a = low, b = high;
    if (a > 0 && zw_table_at(rows, a - 1, 0) < zw_table_at(rows, a, 0))
        a--;
    if (b + 1 < zw_table_rows(rows) && zw_table_at(rows, b + 1, 0) > zw_table_at(rows, b, 0))
        b++;
    *first = a;
    return (int)(b - a) + 1;
}

static void row_at(camera_maker *m, double t) {
    int width = zw_table_columns(m->rows);
    long first;
    int n = rows_about(m->rows, t, &first);
    memset(m->row, 0, (size_t)width * sizeof *m->row);
    for (int i = 0; i < n; i++) {
        double w = 1, ti = zw_table_at(m->rows, first + i, 0);
        for (int k = 0; k < n; k++)
            if (k != i) {
                double tk = zw_table_at(m->rows, first + k, 0);
                w *= (t - tk) / (ti - tk);
            }
        for (int c = 0; c < width; c++)
            m->row[c] += w * zw_table_at(m->rows, first + i, c);
    }
    m->row[0] = t;
    for (int i = 0; i < m->sys->nq; i++)
        m->q[i] = m->row[m->column[i]];
}

static zw_status simulate_model(camera_maker *m, const zw_model_source *source, zw_sim **sim,
                                zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    o.until = m->options.until;
    o.step_out = 1 / (ROWS_PER_FRAME * m->options.fps);
    o.principle = m->options.principle;
    if (m->options.run)
        o.run = *m->options.run;
    o.stop = m->options.stop;
    o.user = m->options.stop_user;
    ZW_TRY(zw_sim_create(sim, m->sys, source, &o, err));
    zw_status status = zw_sim_run(*sim, err);
    if (status == ZW_STOPPED)
        return zw_fail(err, ZW_E_NUMERIC, "the motion was stopped before it was done");
    ZW_TRY(status);
    m->rows = zw_sim_rows(*sim);
    m->row = ZW_NEW(&m->arena, double, zw_table_columns(m->rows) + 1);
    m->q = ZW_NEW(&m->arena, double, m->sys->nq + 1);
    m->column = ZW_NEW(&m->arena, int, m->sys->nq + 1);
    if (m->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    if (zw_table_rows(m->rows) < 2)
        return zw_fail(err, ZW_E_NUMERIC, "the motion of %s is too short to be seen", m->sys->name);
    for (int i = 0; i < m->sys->nq; i++)
        m->column[i] = zw_table_find(m->rows, m->sys->coord[i].name);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ one frame */

static double random_unit(const camera_maker *m, int camera, int tag, long frame, int use) {
    return zw_philox_unit((uint64_t)m->options.seed, (uint64_t)frame,
                          (uint32_t)((camera * m->ntag + tag) * DRAWS + use));
}

/* The pose of a marker in the axes of a camera, without noise. */
static void true_pose(camera_maker *m, int camera, int tag, double t, double R[9], double r[3]) {
    const zw_eye *eye = &m->eye[camera];
    double A[9], o[3], M[9], offset[3], far[3];
    zw_posed_at(m->body[tag], t, m->q, 0, A, o);
    zw_rotation_product(A, m->tag[tag].A, M);
    zw_rotation_turn(A, m->tag[tag].r, offset);
    for (int i = 0; i < 3; i++)
        far[i] = o[i] + offset[i] - eye->r[i];
    zw_rotation_product_left(eye->A, M, R);
    zw_rotation_turn_back(eye->A, far, r);
}

/* The cosine of the angle between the marker's axis z and the line to the camera. */
static double facing_cosine(const double R[9], const double r[3]) {
    double size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    return size > 0 ? -(R[2] * r[0] + R[5] * r[1] + R[8] * r[2]) / size : 0;
}

static void flip_pose(double R[9], const double r[3]) {
    double size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), cosine = facing_cosine(R, r);
    double n[3] = {R[2], R[5], R[8]}, v[3], axis[3], s = 0, turn[9], kept[9];
    for (int i = 0; i < 3; i++)
        v[i] = -r[i] / size;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        axis[i] = n[j] * v[k] - n[k] * v[j];
        s += axis[i] * axis[i];
    }
    for (int i = 0; i < 3; i++)
        axis[i] *= s > 0 ? 2 * acos(fmin(fmax(cosine, -1), 1)) / sqrt(s) : 0;
    zw_rotation_of_vector(axis, turn);
    memcpy(kept, R, sizeof kept);
    zw_rotation_product(turn, kept, R);
}

static void add_noise(const camera_maker *m, int camera, int tag, long frame, double R[9],
                      double r[3]) {
    const zw_eye *eye = &m->eye[camera];
    double place = eye->sd_place > 0 ? eye->sd_place : m->options.sd_place,
           angle = eye->sd_angle > 0 ? eye->sd_angle : m->options.sd_angle, w[3], turn[9], kept[9];
    for (int i = 0; i < 3; i++) {
        r[i] += place * zw_normal_quantile(random_unit(m, camera, tag, frame, 2 + i));
        w[i] = angle * zw_normal_quantile(random_unit(m, camera, tag, frame, 5 + i));
    }
    zw_rotation_of_vector(w, turn);
    memcpy(kept, R, sizeof kept);
    zw_rotation_product(turn, kept, R);
}

static void put_numbers(camera_maker *m, int n, const double *v) {
    char text[ZW_DECIMAL_MAX];
    for (int i = 0; i < n; i++) {
        zw_decimal(text, v[i]);
        zw_text_put(&m->text, ",");
        zw_text_put(&m->text, text);
    }
}

static void observe_marker(camera_maker *m, int camera, int tag, long frame, double t) {
    double R[9], r[3], e[4];
    char text[ZW_DECIMAL_MAX];
    true_pose(m, camera, tag, t, R, r);
    if (facing_cosine(R, r) < cos(m->options.facing)) {
        m->out->hidden++;
        return;
    }
    if (random_unit(m, camera, tag, frame, 0) < m->options.dropout) {
        m->out->lost++;
        return;
    }
    if (random_unit(m, camera, tag, frame, 1) < m->options.flips) {
        flip_pose(R, r);
        m->out->flipped++;
    }
    add_noise(m, camera, tag, frame, R, r);
    zw_rotation_quaternion(R, e);
    m->out->seen++;
    zw_decimal(text, (double)frame / m->options.fps);
    zw_text_printf(&m->text, "%s,%s,%s", text, m->eye[camera].info.name, m->tag[tag].name);
    put_numbers(m, 4, e);
    put_numbers(m, 3, r);
    zw_text_put(&m->text, "\n");
}

/* ------------------------------------------------------------------------------------------ all */

static zw_status pause_work(const camera_maker *m, double done, zw_error *err) {
    const zw_synthesis_options *o = &m->options;
    return o->stop && o->stop(o->stop_user, done)
               ? zw_fail(err, ZW_E_NUMERIC, "the work was stopped before it was done")
               : ZW_OK;
}

static zw_status observe_all(camera_maker *m, zw_error *err) {
    const char *length = m->sys->no_units ? "" : "[m]", *time = m->sys->no_units ? "" : "[s]";
    long last = zw_table_rows(m->rows) - 1;
    double from = zw_table_at(m->rows, 0, 0), to = zw_table_at(m->rows, last, 0);
    zw_text_printf(
        &m->text,
        "# poses of markers in the axes of the cameras; synthetic, of the model %s, seed %ld\n",
        m->sys->name, m->options.seed);
    zw_text_printf(&m->text, "t%s,camera,marker,q0,q1,q2,q3,x%s,y%s,z%s\n", time, length, length,
                   length);
    for (int c = 0; c < m->neye; c++)
        for (long frame = 0; (double)frame / m->options.fps <= to + 1; frame++) {
            double t = (double)frame / m->options.fps - m->eye[c].known;
            if (t < from || t > to)
                continue;
            ZW_TRY(pause_work(m, (c + (t - from) / (to - from)) / m->neye, err));
            row_at(m, t);
            for (int k = 0; k < m->ntag; k++)
                observe_marker(m, c, k, frame, t);
        }
    if (m->text.failed)
        return zw_out_of_memory(err, "tracking data");
    if (m->out->seen)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "no camera sees a marker");
    zw_error_hint(err, "a marker is seen when its axis z points to a camera, up to --facing");
    return ZW_E_OPTION;
}

static zw_status make_truth(camera_maker *m, zw_error *err) {
    double to = zw_table_at(m->rows, zw_table_rows(m->rows) - 1, 0);
    m->out->truth = zw_table_create_like(m->rows);
    if (!m->out->truth)
        return zw_out_of_memory(err, "tracking data");
    for (long frame = 0; (double)frame / m->options.fps <= to + END_OF_MOTION; frame++) {
        row_at(m, fmin((double)frame / m->options.fps, to));
        if (zw_table_row(m->out->truth, m->row) < 0)
            return zw_out_of_memory(err, "tracking data");
    }
    for (int c = 0; c < m->neye; c++) {
        char key[128], value[ZW_DECIMAL_MAX + 2];
        int n = zw_decimal(value, m->eye[c].known);
        snprintf(value + n, 3, " s");
        snprintf(key, sizeof key, "delay %.100s", m->eye[c].info.name);
        if (zw_table_note(m->out->truth, key, value) < 0)
            return zw_out_of_memory(err, "tracking data");
    }
    return ZW_OK;
}

static zw_status prepare_synthesis(camera_maker *m, zw_error *err) {
    const zw_synthesis_options *o = &m->options;
    if (!o->cameras || !o->markers) {
        zw_fail(err, ZW_E_OPTION, "synthetic data need a table of %s",
                o->cameras ? "markers" : "cameras");
        zw_error_hint(err,
                      "--cameras FILE and --markers FILE, tables as 'zwang help track' shows them");
        return ZW_E_OPTION;
    }
    if (!(o->until > 0) || !(o->fps > 0) || !(o->until * o->fps < MOST_FRAMES))
        return zw_fail(err, ZW_E_OPTION,
                       "%.3g frames per second for %.3g s are too many or too few", o->fps,
                       o->until);
    if (!(o->sd_place >= 0) || !(o->sd_angle >= 0) || !(o->dropout >= 0) || !(o->flips >= 0))
        return zw_fail(err, ZW_E_OPTION, "noise, dropouts and flips must not be negative");
    m->p = ZW_NEW(&m->arena, double, m->sys->np + 1);
    if (!m->p)
        return zw_out_of_memory(err, "tracking data");
    ZW_TRY(zw_system_param_values(m->sys, m->p, err));
    ZW_TRY(zw_eyes_read(&m->arena, o->cameras, m->sys->no_units, &m->neye, &m->eye, err));
    ZW_TRY(zw_tags_read(&m->arena, o->markers, m->sys, o->body, &m->ntag, &m->tag, err));
    m->body = ZW_NEW(&m->arena, zw_posed *, m->ntag + 1);
    if (!m->body)
        return zw_out_of_memory(err, "tracking data");
    for (int i = 0; i < m->ntag; i++)
        ZW_TRY(zw_posed_create(&m->body[i], &m->arena, m->sys, 1, &m->tag[i].frame, m->p, err));
    return ZW_OK;
}

zw_status zw_synthesise(zw_synthesis *out, const zw_system *sys, const zw_model_source *source,
                        const zw_synthesis_options *options, zw_error *err) {
    camera_maker m = {.out = out, .sys = sys, .options = defaults};
    zw_sim *sim = NULL;
    zw_status status = ZW_OK;
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    *out = (zw_synthesis){0};
    zw_arena_init(&m.arena, &alloc);
    zw_text_init(&m.text, NULL);
    if (options)
        status =
            zw_options_adopt(&m.options, sizeof m.options, options, "zw_synthesis_options", err);
    if (status >= 0)
        status = prepare_synthesis(&m, err);
    if (status >= 0)
        status = simulate_model(&m, source, &sim, err);
    if (status >= 0)
        status = observe_all(&m, err);
    if (status >= 0)
        status = make_truth(&m, err);
    if (status >= 0) {
        out->poses.size = m.text.length;
        out->poses.data = zw_text_take(&m.text);
        status = out->poses.data ? ZW_OK : zw_out_of_memory(err, "tracking data");
    }
    for (int i = 0; m.body && i < m.ntag; i++)
        zw_posed_destroy(m.body[i]);
    zw_sim_destroy(sim);
    zw_text_clear(&m.text);
    zw_arena_clear(&m.arena);
    if (status < 0)
        zw_synthesis_clear(out);
    return status;
}
