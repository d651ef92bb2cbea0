/* SPDX-License-Identifier: MIT */
/* Tracking as a study: from camera data to coordinates of a model, and synthetic camera data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "num/options.h"
#include "tracking.h"
#include "zwang/study.h"

typedef struct track_options {
    zw_tracking_options own;
    zw_synthesis_options synthetic;
    zw_option_list column;
    double start_at, facing; /* [s], [deg] */
    zw_run_options run;
} track_options;

#define AT(field) offsetof(track_options, field)
#define DEGREE (M_PI / 180)

static const zw_option common_table[] = {
    {"cameras", ZW_OPT_STRING, AT(own.cameras), 0, 0, 0, "", "FILE",
     "table of cameras: camera, x[m], y[m], z[m], and R11 .. R33 or q0 .. q3 (world = R camera) or "
     "the point they look at, to_x[m], to_y[m], to_z[m]; if known delay[s], sd_place[m], "
     "sd_angle[rad] (default: poses are in world axes)"},
    {"markers", ZW_OPT_STRING, AT(own.markers), 0, 0, 0, "", "FILE",
     "table of markers: marker, body, x[m], y[m], z[m] and R11 .. R33 or q0 .. q3 (body = R "
     "marker) or the body axes in terms of the marker, ex, ey, ez: +y, -x, +z"},
    {"delays", ZW_OPT_CHOICE, AT(own.delays), ZW_DELAYS_FIND, 0, 0, "", "find|known",
     "delays of the camera clocks: found from the agreement of the cameras, or known from their "
     "table"},
    {"step-out", ZW_OPT_DOUBLE, AT(own.step), 0, 0, 1e12, "s", NULL,
     "time between rows; 0: one frame"},
    {"start-at", ZW_OPT_DOUBLE, AT(start_at), NAN, -1e12, 1e12, "s", NULL,
     "time of the state that is projected onto the constraints and reported as a start of the "
     "model"},
    {0},
};
static const zw_option rare_table[] = {
    {"body", ZW_OPT_STRING, AT(own.body), 0, 0, 0, "", "NAME",
     "body or frame of the markers, if their table does not name it"},
    {"column", ZW_OPT_LIST, AT(column), 0, 0, 0, "", "NAME=COORDINATE",
     "data column that is not named after its coordinate"},
    {"reference", ZW_OPT_STRING, AT(own.reference), 0, 0, 0, "", "NAME",
     "camera with the correct clock (default: the one with the most poses)"},
    {"sd-place", ZW_OPT_DOUBLE, AT(own.sd_place), 0, 0, 1e6, "m", NULL,
     "standard deviation of each component of a position; 0: estimated (synthetic data: 0.001)"},
    {"sd-angle", ZW_OPT_DOUBLE, AT(own.sd_angle), 0, 0, 10, "rad", NULL,
     "standard deviation of a rotation about each axis; 0: estimated (synthetic data: 0.01)"},
    {"delay-max", ZW_OPT_DOUBLE, AT(own.delay_max), 0.02, 0, 1e6, "s", NULL,
     "largest delay between two cameras"},
    {"outlier", ZW_OPT_DOUBLE, AT(own.outlier), 6, 0, 1e6, "", NULL,
     "standard deviations beyond which poses are excluded; 0: none"},
    {"gap", ZW_OPT_DOUBLE, AT(own.gap), 0, 0, 1e6, "s", NULL,
     "longest time without samples that is filled; 0: 3.5 frames"},
    {"fill", ZW_OPT_FLAG, AT(own.fill), 0, 0, 0, "", NULL, "all gaps filled by the spline"},
    {"rates", ZW_OPT_CHOICE, AT(own.rates), ZW_RATES_SPLINE, 0, 0, "", "spline|local",
     "values and derivatives by smoothing splines, or by local polynomials (Savitzky-Golay)"},
    {"window", ZW_OPT_DOUBLE, AT(own.window), 0, 0, 1e6, "s", NULL,
     "window of local polynomials; 0: 15 frames"},
    {"degree", ZW_OPT_INT, AT(own.degree), 3, 1, 5, "", NULL, "degree of local polynomials"},
    {0},
};
static const zw_option synthetic_table[] = {
    {"until", ZW_OPT_DOUBLE, AT(synthetic.until), 2, 1e-9, 1e6, "s", NULL, "end of the motion"},
    {"fps", ZW_OPT_DOUBLE, AT(synthetic.fps), 500, 1e-3, 1e6, "1/s", NULL, "frames per second"},
    {"facing", ZW_OPT_DOUBLE, AT(facing), 70, 0, 180, "deg", NULL,
     "largest angle between the z axis of a marker and the line to a camera that sees it"},
    {"dropout", ZW_OPT_DOUBLE, AT(synthetic.dropout), 0, 0, 1, "", NULL,
     "fraction of poses lost at random"},
    {"flips", ZW_OPT_DOUBLE, AT(synthetic.flips), 0, 0, 1, "", NULL,
     "fraction of poses mirrored about the line of sight"},
    {"seed", ZW_OPT_LONG, AT(synthetic.seed), 1, 0, 9e15, "", NULL, "seed of the noise"},
    {"by", ZW_OPT_STRING, AT(synthetic.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"synthetic data", synthetic_table, 0, true},
    {"integration of synthetic data", zw_run_option_table, AT(run), true},
    {NULL, NULL, 0, false},
};

typedef struct track_study {
    const track_options *o;
    const zw_system *sys;
    zw_tracking *tracking; /* NULL: synthetic data */
    zw_synthesis synthesis;
    double *start, *start_sd; /* of --start-at; NULL: not given */
} track_study;

static void begin_options(void *options) {
    track_options *o = options;
    o->own = zw_tracking_options_default();
    o->synthetic = zw_synthesis_options_default();
    o->run = zw_run_options_default();
}

/* options that only one of both uses */
static zw_status check_options(const track_options *o, const zw_study_input *input, zw_error *err) {
    bool synthetic = zw_study_wants(input, "synthesise");
    if (!synthetic && zw_study_wants(input, "truth"))
        return zw_fail(err, ZW_E_OPTION, "--truth is the motion of --synthesise");
    if (synthetic && (input->nfile > 0 || zw_study_wants(input, "out") ||
                      zw_study_wants(input, "samples") || !isnan(o->start_at))) {
        zw_fail(err, ZW_E_OPTION, "--synthesise makes data and reads none");
        zw_error_hint(err, "track what it has written by a second call");
        return ZW_E_OPTION;
    }
    if (!synthetic && input->nfile == 0) {
        zw_fail(err, ZW_E_OPTION, "track: there are no data");
        zw_error_hint(err, "zwang track MODEL DATA ...; --synthesise FILE makes some");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static void destroy_study(void *study) {
    track_study *s = study;
    zw_tracking_destroy(s->tracking);
    zw_synthesis_clear(&s->synthesis);
    free(s->start);
    free(s);
}

static void fill_options(track_options *o, const zw_study_input *input) {
    zw_synthesis_options *synthetic = &o->synthetic;
    o->own.ncolumn = o->column.n;
    o->own.column = o->column.item;
    o->own.stop = synthetic->stop = input->stop;
    o->own.stop_user = synthetic->stop_user = input->user;
    synthetic->cameras = o->own.cameras;
    synthetic->markers = o->own.markers;
    synthetic->body = o->own.body;
    synthetic->facing = o->facing * DEGREE;
    synthetic->run = &o->run;
    if (zw_study_is_given(input, "sd-place"))
        synthetic->sd_place = o->own.sd_place;
    if (zw_study_is_given(input, "sd-angle"))
        synthetic->sd_angle = o->own.sd_angle;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    track_options *o = given;
    zw_status status = ZW_OK;
    ZW_TRY(check_options(o, input, err));
    track_study *s = calloc(1, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    s->o = o;
    s->sys = input->system;
    fill_options(o, input);
    if (input->nfile > 0)
        status = zw_tracking_create(&s->tracking, s->sys, input->nfile, input->file, &o->own, err);
    if (status < 0)
        destroy_study(s);
    *out = status < 0 ? NULL : s;
    return status;
}

static zw_status find_start(track_study *s, zw_error *err) {
    size_t n = (size_t)(s->sys->nq + s->sys->nv);
    s->start = calloc(2 * n + 1, sizeof *s->start);
    if (!s->start)
        return zw_out_of_memory(err, NULL);
    s->start_sd = s->start + n;
    return zw_tracking_start(s->tracking, s->o->start_at, s->start, s->start_sd, err);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    track_study *s = study;
    if (!s->tracking)
        return zw_synthesise(&s->synthesis, s->sys, input->source, &s->o->synthetic, err);
    ZW_TRY(zw_tracking_run(s->tracking, err));
    return isnan(s->o->start_at) ? ZW_OK : find_start(s, err);
}

static void report_study(const void *study, zw_report *out) {
    const track_study *s = study;
    if (!s->tracking) {
        zw_synthesis_report(&s->synthesis, out);
        return;
    }
    zw_tracking_report(s->tracking, out);
    if (s->start)
        zw_tracking_report_start(s->tracking, s->o->start_at, s->start, s->start_sd, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const track_study *s = study;
    if (s->tracking)
        zw_tracking_warnings(s->tracking, out);
}

static zw_status copy_truth(const track_study *s, zw_table **out, zw_error *err) {
    *out = zw_table_create_like(s->synthesis.truth);
    if (!*out)
        return zw_out_of_memory(err, NULL);
    return zw_table_append(*out, s->synthesis.truth, err);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    const track_study *s = study;
    if (!s->tracking)
        return copy_truth(s, out, err);
    return strcmp(which, "samples") == 0 ? zw_tracking_samples(s->tracking, input->source, out, err)
                                         : zw_tracking_table(s->tracking, input->source, out, err);
}

static zw_status make_text(void *study, const zw_study_input *input, const char *which,
                           zw_bytes *out, zw_error *err) {
    const track_study *s = study;
    zw_text text;
    (void)input;
    (void)which;
    zw_text_init(&text, NULL);
    if (s->synthesis.poses.data)
        zw_text_put(&text, s->synthesis.poses.data);
    out->size = text.length;
    out->data = zw_text_take(&text);
    return out->data ? ZW_OK : zw_out_of_memory(err, NULL);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "t, coordinates, velocities and sd(NAME) of each"},
    {.key = "samples",
     .about = "unsmoothed samples of the coordinates, with sd(NAME), for zwang fit"},
    {.key = "synthesise",
     .about = "poses seen by the cameras in a motion of the model, for tests and teaching",
     .is_text = true,
     .noted = true},
    {.key = "truth", .about = "motion of --synthesise"},
    {.key = NULL},
};

const zw_study_kind zw_study_track = {
    .name = "track",
    .question = "What does the experiment say?",
    .about = "coordinates, velocities and a start from cameras, markers or columns",
    .usage =
        "track MODEL DATA... [--cameras FILE] [--markers FILE] [--start-at T]\n"
        "           [--out FILE]\n"
        "       zwang track MODEL --synthesise FILE --cameras FILE --markers FILE [--truth FILE]",
    .details =
        "Data are files of poses (CSV: t[s], camera, marker, x[m], y[m], z[m] and R11 .. R33 or q0 "
        ".. q3, optionally quality), of marker positions (TRC) or of coordinates (CSV with units, "
        "MOT). Finds the delays between the clocks of the cameras, excludes wrong poses, and "
        "combines all cameras into one series of every coordinate of the model with its derivative "
        "and standard deviations. --synthesise makes such data from the model.",
    .examples =
        "  zwang track models/tippedisk.zw --synthesise poses.csv --cameras "
        "models/data/cameras.csv "
        "--markers models/data/tippedisk_markers.csv --until 0.3\n"
        "  zwang track models/tippedisk.zw poses.csv --cameras models/data/cameras.csv --markers "
        "models/data/tippedisk_markers.csv --delays known --out motion.csv\n",
    .groups = groups,
    .size = sizeof(track_options),
    .begin = begin_options,
    .arguments_max = ZW_OPTION_LIST_MAX,
    .endless = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .text = make_text,
    .destroy = destroy_study,
};
