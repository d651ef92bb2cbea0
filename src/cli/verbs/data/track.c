/* SPDX-License-Identifier: MIT */
/* Tracking: from camera data to coordinates of a model, and synthetic camera data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "num/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"cameras", ZW_OPT_STRING, AT(track.cameras), 0, 0, 0, "", "FILE",
     "table of cameras: camera, x[m], y[m], z[m], and R11 .. R33 or q0 .. q3 (world = R camera) or "
     "the point they look at, to_x[m], to_y[m], to_z[m]; if known delay[s], sd_place[m], "
     "sd_angle[rad]. Without it poses are in the axes of the world"},
    {"markers", ZW_OPT_STRING, AT(track.markers), 0, 0, 0, "", "FILE",
     "table of markers: marker, body, x[m], y[m], z[m] and R11 .. R33 or q0 .. q3 (body = R "
     "marker) "
     "or the axes of the body in words of the marker, ex, ey, ez: +y, -x, +z"},
    {"body", ZW_OPT_STRING, AT(track.body), 0, 0, 0, "", "NAME",
     "body or frame on which the markers sit, if their table does not say it"},
    {"column", ZW_OPT_LIST, AT(track.column), 0, 0, 0, "", "NAME=COORDINATE",
     "a column of the data that has another name than the coordinate"},
    {"delays", ZW_OPT_CHOICE, AT(track.delays), ZW_DELAYS_FIND, 0, 0, "", "find|known",
     "delays of the cameras' clocks: found from where they agree, or those of their table"},
    {"delay-max", ZW_OPT_DOUBLE, AT(track.delay_max), 0.02, 0, 1e6, "s", NULL,
     "delays between two cameras are looked for up to this"},
    {"reference", ZW_OPT_STRING, AT(track.reference), 0, 0, 0, "", "NAME",
     "camera whose clock is right (default: the one that saw most)"},
    {"sd-place", ZW_OPT_DOUBLE, AT(track.sd_place), 0, 0, 1e6, "m", NULL,
     "standard deviation of a component of a place; 0: estimated (synthetic data: 0.001)"},
    {"sd-angle", ZW_OPT_DOUBLE, AT(track.sd_angle), 0, 0, 10, "rad", NULL,
     "standard deviation of a turn about an axis; 0: estimated (synthetic data: 0.01)"},
    {"outlier", ZW_OPT_DOUBLE, AT(track.outlier), 6, 0, 1e6, "", NULL,
     "poses farther off than so many standard deviations are left out; 0: none are"},
    {"gap", ZW_OPT_DOUBLE, AT(track.gap), 0, 0, 1e6, "s", NULL,
     "times without samples that are longer are left empty; 0: 3.5 frames"},
    {"fill", ZW_OPT_FLAG, AT(track.fill), 0, 0, 0, "", NULL, "gaps are bridged by the spline"},
    {"rates", ZW_OPT_CHOICE, AT(track.rates), ZW_RATES_SPLINE, 0, 0, "", "spline|local",
     "values and derivatives by smoothing splines, or by local polynomials (Savitzky-Golay)"},
    {"window", ZW_OPT_DOUBLE, AT(track.window), 0, 0, 1e6, "s", NULL,
     "of local polynomials; 0: 15 frames"},
    {"degree", ZW_OPT_INT, AT(track.degree), 3, 1, 5, "", NULL, "of local polynomials"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between rows; 0: a frame"},
    {"start-at", ZW_OPT_DOUBLE, AT(track.start_at), NAN, -1e12, 1e12, "s", NULL,
     "the state at this time, moved onto the constraints, as a start of the model"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: \"beta:t\""},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the result: .svg, .pdf, .png, .tex"},
    {"samples", ZW_OPT_STRING, AT(track.samples), 0, 0, 0, "", "FILE",
     "the samples of coordinates that it is made of, not smoothed, with sd(NAME): for zwang fit"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "t, coordinates, velocities and sd(NAME) of each"},
    {0},
};

static const zw_option synthetic_table[] = {
    {"synthesise", ZW_OPT_STRING, AT(track.synthesise), 0, 0, 0, "", "FILE",
     "write poses that the cameras see of a motion of the model, for tests and teaching"},
    {"truth", ZW_OPT_STRING, AT(track.truth), 0, 0, 0, "", "FILE", "the motion itself"},
    {"until", ZW_OPT_DOUBLE, AT(track.until), 2, 1e-9, 1e6, "s", NULL, "end of the motion"},
    {"fps", ZW_OPT_DOUBLE, AT(track.fps), 500, 1e-3, 1e6, "1/s", NULL, "frames in a second"},
    {"facing", ZW_OPT_DOUBLE, AT(track.facing), 70, 0, 180, "deg", NULL,
     "a marker is seen up to this angle between its axis z and the line to the camera"},
    {"dropout", ZW_OPT_DOUBLE, AT(track.dropout), 0, 0, 1, "", NULL,
     "part of the poses that is lost at random"},
    {"flips", ZW_OPT_DOUBLE, AT(track.flips), 0, 0, 1, "", NULL,
     "part of the poses that is mirrored about the line of sight"},
    {"seed", ZW_OPT_LONG, AT(track.seed), 1, 0, 9e15, "", NULL, "of the noise"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {0},
};

/* ------------------------------------------------------------------------------- synthetic data */

static zw_status synthesise_data(const cli_options *o, const cli_model *model,
                                 const zw_model_source *source, zw_error *err) {
    zw_synthesis_options options = zw_synthesis_options_default();
    zw_synthesis s;
    options.cameras = o->track.cameras;
    options.markers = o->track.markers;
    options.body = o->track.body;
    options.until = o->track.until;
    options.fps = o->track.fps;
    if (cli_is_given(o, "sd-place"))
        options.sd_place = o->track.sd_place;
    if (cli_is_given(o, "sd-angle"))
        options.sd_angle = o->track.sd_angle;
    options.facing = o->track.facing * 3.14159265358979323846 / 180;
    options.dropout = o->track.dropout;
    options.flips = o->track.flips;
    options.seed = o->track.seed;
    options.principle = o->by;
    options.run = &o->run;
    ZW_TRY(zw_synthesise(&s, model->sys, source, &options, err));
    zw_status status = cli_write_text(o->track.synthesise, s.poses.data, err);
    if (status >= 0 && o->track.truth)
        status = cli_write_table(s.truth, o->track.truth, err);
    if (status >= 0 && !o->quiet)
        fprintf(stderr, "%ld poses seen, %ld hidden, %ld lost, %ld flipped\n", s.seen, s.hidden,
                s.lost, s.flipped);
    zw_synthesis_clear(&s);
    return status;
}

/* ------------------------------------------------------------------------------------- tracking */

static zw_status open_tracking(const cli_options *o, const cli_model *model,
                               const char *const *data, zw_tracking **out, zw_error *err) {
    zw_tracking_options options = zw_tracking_options_default();
    options.cameras = o->track.cameras;
    options.markers = o->track.markers;
    options.body = o->track.body;
    options.reference = o->track.reference;
    options.ncolumn = o->track.column.n;
    options.column = o->track.column.item;
    options.delays = (zw_tracking_delays)o->track.delays;
    options.delay_max = o->track.delay_max;
    options.sd_place = o->track.sd_place;
    options.sd_angle = o->track.sd_angle;
    options.outlier = o->track.outlier;
    options.gap = o->track.gap;
    options.fill = o->track.fill;
    options.step = o->step_out;
    options.rates = (zw_tracking_rates)o->track.rates;
    options.window = o->track.window;
    options.degree = o->track.degree;
    return zw_tracking_create(out, model->sys, o->nword - 1, data, &options, err);
}

static const char *entry_name(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

static void put_start(zw_text *out, const zw_system *s, double at, const double *x,
                      const double *sd) {
    zw_text_printf(out, "start at t = %.6g, on the constraints of the model\n", at);
    for (int i = 0; i < s->nq + s->nv; i++) {
        const char *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
        zw_text_printf(out, "  start %s = ", entry_name(s, i));
        zw_text_number(out, x[i]);
        if (unit[0])
            zw_text_printf(out, " [%s]", unit);
        if (sd[i] > 0)
            zw_text_printf(out, "   # +- %.2g\n", sd[i]);
        else
            zw_text_put(out, "   # not measured\n");
    }
    zw_text_put(out, " ");
    for (int i = 0; i < s->nq + s->nv; i++) {
        const char *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
        zw_text_printf(out, " --set \"%s=", entry_name(s, i));
        zw_text_number(out, x[i]);
        zw_text_printf(out, unit[0] ? " [%s]\"" : "%s\"", unit);
    }
    zw_text_put(out, "\n");
}

static void put_start_json(zw_text *out, const zw_system *s, double at, const double *x,
                           const double *sd) {
    while (out->length && strchr("}\n", out->data[out->length - 1]))
        out->data[--out->length] = '\0';
    zw_text_put(out, "}],\"start\":{\"t\":");
    zw_text_json_number(out, at);
    for (int i = 0; i < s->nq + s->nv; i++) {
        zw_text_put(out, ",");
        zw_text_json(out, entry_name(s, i));
        zw_text_put(out, ":[");
        zw_text_json_number(out, x[i]);
        zw_text_put(out, ",");
        zw_text_json_number(out, sd[i] > 0 ? sd[i] : NAN);
        zw_text_put(out, "]");
    }
    zw_text_put(out, "}}\n");
}

static zw_status add_start(const cli_options *o, const cli_model *model, const zw_tracking *t,
                           zw_text *out, zw_error *err) {
    const zw_system *s = model->sys;
    size_t n = (size_t)(s->nq + s->nv + 1) * sizeof(double);
    double *x = zw_context_alloc(model->ctx, n), *sd = zw_context_alloc(model->ctx, n);
    if (!x || !sd)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_tracking_start(t, o->track.start_at, x, sd, err));
    if (o->json)
        put_start_json(out, s, o->track.start_at, x, sd);
    else
        put_start(out, s, o->track.start_at, x, sd);
    return ZW_OK;
}

static zw_status report_tracking(const cli_options *o, const cli_model *model, const zw_tracking *t,
                                 zw_error *err) {
    zw_text out;
    zw_text_init(&out, NULL);
    char *text = o->json ? zw_tracking_json(t) : zw_tracking_text(t);
    zw_text_put(&out, text ? text : "");
    zw_status status = text ? ZW_OK : zw_out_of_memory(err, NULL);
    zw_string_free(model->ctx, text);
    if (status >= 0 && !isnan(o->track.start_at))
        status = add_start(o, model, t, &out, err);
    zw_tracking_warnings(t, model->warnings);
    cli_report_warnings(o, model->warnings, false);
    cli_report_warnings(o, model->warnings, true);
    if (status >= 0 && out.failed)
        status = zw_out_of_memory(err, NULL);
    if (status >= 0)
        status = cli_write_text(NULL, zw_text_get(&out), err);
    zw_text_clear(&out);
    return status;
}

static zw_status write_samples(const cli_options *o, const cli_model *model,
                               const zw_model_source *source, const zw_tracking *t, zw_error *err) {
    zw_table *samples;
    if (!o->track.samples)
        return ZW_OK;
    ZW_TRY(zw_tracking_samples(t, source, &samples, err));
    zw_status status = zw_warnings_note(model->warnings, samples);
    if (status >= 0)
        status = cli_write_table(samples, o->track.samples, err);
    zw_table_destroy(samples);
    return status;
}

static zw_status write_files(const cli_options *o, const cli_model *model,
                             const zw_model_source *source, const zw_tracking *t, zw_error *err) {
    zw_table *result;
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_tracking_table(t, source, &result, err));
    return cli_picture_and_table(o, model->warnings, result, err);
}

static zw_status track_motion(const cli_options *o, const cli_model *model,
                              const zw_model_source *source, const char *const *data,
                              zw_error *err) {
    zw_tracking *t = NULL;
    if (o->nword < 2) {
        zw_fail(err, ZW_E_OPTION, "there are no data to read");
        zw_error_hint(err, "zwang track MODEL DATA ...; --synthesise FILE makes some");
        return ZW_E_OPTION;
    }
    zw_status status = open_tracking(o, model, data, &t, err);
    if (status >= 0)
        status = zw_tracking_run(t, err);
    if (status >= 0)
        status = report_tracking(o, model, t, err);
    if (status >= 0)
        status = write_files(o, model, source, t, err);
    if (status >= 0)
        status = write_samples(o, model, source, t, err);
    zw_tracking_destroy(t);
    return status;
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->track.truth)
        ZW_TRY(zw_table_can_write(o->track.truth, err));
    if (o->track.samples)
        ZW_TRY(zw_table_can_write(o->track.samples, err));
    if (o->track.truth && !o->track.synthesise)
        return zw_fail(err, ZW_E_OPTION, "--truth is the motion of --synthesise");
    if (o->track.synthesise &&
        (o->nword > 1 || o->out || o->track.samples || !isnan(o->track.start_at))) {
        zw_fail(err, ZW_E_OPTION, "--synthesise makes data and reads none");
        zw_error_hint(err, "track what it has written by a second call");
        return ZW_E_OPTION;
    }
    ZW_TRY(cli_guard_read(o, o->track.cameras, err));
    ZW_TRY(cli_guard_read(o, o->track.markers, err));
    ZW_TRY(cli_guard_write(o, o->track.synthesise, err));
    ZW_TRY(cli_guard_write(o, o->track.truth, err));
    ZW_TRY(cli_guard_write(o, o->track.samples, err));
    return cli_guard_write(o, o->out, err);
}

static int run_track(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_model_source source;
    zw_status status = check_options(o, err);
    if (status >= 0)
        status = cli_model_open(&model, words[0], o, err);
    if (status >= 0) {
        source = cli_model_source(&model, words[0]);
        status = o->track.synthesise ? synthesise_data(o, &model, &source, err)
                                     : track_motion(o, &model, &source, words + 1, err);
    }
    status = cli_judge(o, model.warnings, status, err);
    cli_model_close(&model);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"synthetic data", synthetic_table, 0},
    {"integration of synthetic data", zw_run_option_table, offsetof(cli_options, run)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_track = {
    .name = "track",
    .usage =
        "track MODEL DATA... [--cameras FILE] [--markers FILE] [--start-at T] [--out FILE]\n"
        "       zwang track MODEL --synthesise FILE --cameras FILE --markers FILE [--truth FILE]",
    .about = "coordinates, velocities and a start from poses seen by cameras, markers or columns",
    .details =
        "Data are files of poses (CSV: t[s], camera, marker, x[m], y[m], z[m] and R11 .. R33 or q0 "
        ".. "
        "q3, if there is quality), of places of markers (TRC)\n"
        "or of coordinates (CSV with units, MOT). Delays between the clocks of cameras are found, "
        "wrong poses left out, and all cameras joined to one\n"
        "series of every coordinate of the model with its derivative and standard deviations. With "
        "--synthesise such data are made from the model.",
    .examples =
        "  zwang track models/tippedisk.zw --synthesise poses.csv --cameras "
        "models/data/cameras.csv "
        "--markers models/data/tippedisk_markers.csv --until 0.3\n"
        "  zwang track models/tippedisk.zw poses.csv --cameras models/data/cameras.csv --markers "
        "models/data/tippedisk_markers.csv --delays known --out motion.csv\n",
    .groups = groups,
    .arguments = 1,
    .arguments_max = CLI_WORDS_MAX,
    .results = true,
    .endless = true,
    .run = run_track,
};
