/* SPDX-License-Identifier: MIT */
/* The result of tracking as a report. */
#include <math.h>

#include "base/arena.h"
#include "base/text.h"
#include "tracking.h"
#include "zwang/report.h"

#define MILLI 1e-3 /* unit */
#define DEGREE (M_PI / 180)

static const char *time_unit(const zw_tracking *t) {
    return t->sys->no_units ? "" : "s";
}

static void report_delay(const zw_tracking *t, int c, zw_report *out) {
    const zw_tracking_camera *e = &t->eye[c].info;
    bool found = e->delay_sd > 0;
    bool reference = c == t->reference && t->options.delays == ZW_DELAYS_FIND;
    zw_report_number(out, "delay", e->linked ? e->delay : NAN,
                     &(zw_shown){.unit = "ms",
                                 .si_unit = "s",
                                 .scale = MILLI,
                                 .error = e->delay_sd,
                                 .digits = found ? 10 : 6,
                                 .with_error = true,
                                 .error_digits = 2});
    zw_report_flag(out, "reference", reference);
    zw_report_say(out, reference ? "; its clock is the reference\n" : "; delay {delay}\n");
}

static void report_camera(const zw_tracking *t, int c, zw_report *out) {
    const zw_tracking_camera *e = &t->eye[c].info;
    zw_report_open(out, NULL);
    zw_report_word(out, "name", e->name[0] ? e->name : "camera");
    zw_report_count(out, "poses", e->samples);
    zw_report_count(out, "used", e->used);
    zw_report_count(out, "outliers", e->outliers);
    zw_report_flag(out, "linked", e->linked);
    zw_report_number(out, "sd_place", e->sd_place,
                     &(zw_shown){.unit = "mm", .si_unit = "m", .scale = MILLI, .digits = 3});
    zw_report_number(out, "sd_angle", e->sd_angle,
                     &(zw_shown){.unit = "deg", .si_unit = "rad", .scale = DEGREE, .digits = 3});
    zw_report_number(out, "frames_per_second", e->fps, &(zw_shown){.unit = "1/s"});
    zw_report_say(out, "  {name:-10} {poses:6} {poses#pose|poses}, {used} used, "
                       "{outliers|outlier|outliers}");
    if (e->samples == 0)
        zw_report_say(out, "\n");
    else if (!e->linked)
        zw_report_say(out, "; delay unknown\n");
    else {
        zw_report_say(out, "; sd {sd_place}, {sd_angle}");
        report_delay(t, c, out);
    }
    zw_report_close(out);
}

static void report_cameras(const zw_tracking *t, zw_report *out) {
    zw_report_list(out, "cameras");
    zw_report_say(out, t->neye ? "cameras\n" : "");
    for (int c = 0; c < t->neye; c++)
        report_camera(t, c, out);
    zw_report_close(out);
    zw_report_count(out, "alone", t->alone);
    zw_report_count(out, "singular", t->singular);
    zw_report_count(out, "lost", t->lost);
    zw_report_number(out, "clock_sd", t->clock_sd,
                     &(zw_shown){.unit = "ms", .si_unit = "s", .scale = MILLI, .digits = 2});
    zw_report_say(
        out, "{alone?  {alone|pose is|poses are} excluded: too isolated to be judged\n}"
             "{singular?  {singular|pose is|poses are} excluded: the coordinates are not "
             "determined there\n}"
             "{lost?  {lost|pose is|poses are} excluded: no coordinates of the model reproduce "
             "{lost#it|them}\n}");
    if (t->clock_sd > 0)
        zw_report_say(out, "  standard deviation of the common time of all cameras: {clock_sd}\n");
}

static long empty_rows(const zw_tracking *t, const zw_tracking_series *s) {
    long n = 0;
    for (long i = 0; i < t->nrow; i++)
        n += isnan(s->value[0][i]);
    return n;
}

static void report_series(const zw_tracking *t, const zw_tracking_series *s, zw_report *out) {
    const zw_tracking_coordinate *c = &s->info;
    const zw_shown three = {.unit = c->unit, .digits = 3};
    zw_report_open(out, NULL);
    zw_report_word(out, "name", c->name);
    zw_report_word(out, "unit", c->unit);
    zw_report_count(out, "samples", c->samples);
    zw_report_number(out, "noise", c->noise, &three);
    zw_report_number(out, "expected_noise", c->sd > 0 ? c->sd : NAN, &three);
    zw_report_number(out, "result_sd", c->result, &(zw_shown){.unit = c->unit, .digits = 2});
    zw_report_count(out, "outliers", c->outliers);
    zw_report_count(out, "empty_rows", empty_rows(t, s));
    zw_report_say(out, "  {name:-10} {samples:6} {samples#sample|samples}, noise {noise}"
                       "{expected_noise? ({expected_noise} expected)}; result +- {result_sd}"
                       "{outliers?, {outliers|outlier|outliers}}"
                       "{empty_rows?, {empty_rows} of {rows|row|rows} empty}\n");
    zw_report_close(out);
}

void zw_tracking_report(const zw_tracking *t, zw_report *out) {
    const zw_shown time = {.unit = time_unit(t), .digits = 6};
    report_cameras(t, out);
    zw_report_count(out, "rows", t->nrow);
    zw_report_number(out, "from", t->time[0], &time);
    zw_report_number(out, "to", t->time[t->nrow - 1], &time);
    zw_report_list(out, "coordinates");
    zw_report_say(out, "coordinates, {rows|row|rows} from {from} to {to}\n");
    for (int i = 0; i < t->sys->nq; i++)
        if (t->series[i].n)
            report_series(t, &t->series[i], out);
    zw_report_close(out);
}

/* ---------------------------------------------------------------------------------------- start */

static const char *entry_name(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

static const char *entry_unit(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
}

/* "beta=0.25 [rad]" with all digits, as a model and --set read it */
static void put_setting(zw_text *out, const zw_system *s, int i, double x, const char *equals) {
    zw_text_printf(out, "%s%s", entry_name(s, i), equals);
    zw_text_number(out, x);
    if (entry_unit(s, i)[0])
        zw_text_printf(out, " [%s]", entry_unit(s, i));
}

static void report_entry(const zw_system *s, int i, double x, double sd, zw_report *out) {
    zw_text line;
    zw_text_init(&line, NULL);
    zw_text_put(&line, "  start ");
    put_setting(&line, s, i, x, " = ");
    zw_text_put(&line, "   # {standard_deviation?+- {standard_deviation}}{standard_deviation!not "
                       "measured}\n");
    zw_report_open(out, NULL);
    zw_report_word(out, "name", entry_name(s, i));
    zw_report_word(out, "unit", entry_unit(s, i));
    zw_report_number(out, "value", x, &(zw_shown){.unit = entry_unit(s, i)});
    zw_report_number(out, "standard_deviation", sd > 0 ? sd : NAN, &(zw_shown){.digits = 2});
    zw_report_say(out, zw_text_get(&line));
    zw_report_close(out);
    zw_text_clear(&line);
}

/* as a line of options */
static void report_settings(const zw_system *s, const double *x, zw_report *out) {
    zw_text line;
    zw_text_init(&line, NULL);
    zw_text_put(&line, " ");
    for (int i = 0; i < s->nq + s->nv; i++) {
        zw_text_put(&line, " --set \"");
        put_setting(&line, s, i, x[i], "=");
        zw_text_put(&line, "\"");
    }
    zw_text_put(&line, "\n");
    zw_report_say(out, zw_text_get(&line));
    zw_text_clear(&line);
}

void zw_tracking_report_start(const zw_tracking *t, double at, const double *x, const double *sd,
                              zw_report *out) {
    const zw_system *s = t->sys;
    zw_report_open(out, "start");
    zw_report_number(out, "time", at, &(zw_shown){.unit = time_unit(t), .digits = 6});
    zw_report_say(out, "start at t = {time}, on the constraints of the model\n");
    zw_report_list(out, "entries");
    for (int i = 0; i < s->nq + s->nv; i++)
        report_entry(s, i, x[i], sd[i], out);
    zw_report_close(out);
    report_settings(s, x, out);
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------- synthetic data */

void zw_synthesis_report(const zw_synthesis *s, zw_report *out) {
    zw_report_open(out, "synthetic_poses");
    zw_report_count(out, "seen", s->seen);
    zw_report_count(out, "hidden", s->hidden);
    zw_report_count(out, "lost", s->lost);
    zw_report_count(out, "flipped", s->flipped);
    zw_report_say(out, "{seen|pose|poses} seen, {hidden} hidden, {lost} lost, {flipped} flipped\n");
    zw_report_close(out);
}
