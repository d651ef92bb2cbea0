/* SPDX-License-Identifier: MIT */
/* `orbit` and `continue` of models whose events change the motion. */
#include "orbit_events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "zwang/orbits.h"

enum { ROWS = 400, BEYOND = 6 }; /* rows of a period; branches after grazing */
/* Closure error relative to the size of the motion: a thousand times the default tolerance, and
 * visible in a picture. */
#define CLOSURE_ERROR_MAX 1e-3

/* rejects options of collocation, which have no effect here */
static zw_status check_options(const cli_options *o, zw_error *err) {
    static const char *const of_others[] = {
        "stages", "intervals", "intervals-max", "tolerance", "period",   "mode",   "natural",
        "nodes",  "returns",   "section",       "shooting",  "symmetry", "values", "winding",
        "hold",   "solve",     "steady",        "at",        "by"};
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (cli_is_given(o, of_others[i])) {
            zw_fail(err, ZW_E_OPTION,
                    "--%s is for smooth motions: events of the model change this one, whose orbits "
                    "are found from event to event",
                    of_others[i]);
            return ZW_E_OPTION;
        }
    if (o->orbits.from && strcmp(o->orbits.from, "run") != 0)
        return zw_fail(err, ZW_E_OPTION,
                       "--from %.40s: orbits through events begin at the run of the model",
                       o->orbits.from);
    return ZW_OK;
}

/* the model's value if it is in the range, else the nearer end */
static double first_value(const cli_orbits *s, const zw_parameter_range *over) {
    const zw_system *sys = s->motion.model.sys;
    double *p = zw_context_alloc(s->motion.model.ctx, (size_t)(sys->np + 1) * sizeof *p);
    if (!p || zw_system_param_values(sys, p, NULL) < 0)
        return over->from;
    return fmin(fmax(p[over->parameter], fmin(over->from, over->to)), fmax(over->from, over->to));
}

static zw_status report_orbits(const cli_options *o, const cli_orbits *s,
                               const zw_event_orbits *study, zw_error *err) {
    zw_event_orbits_warnings(study, s->motion.model.warnings);
    cli_report_warnings(o, s->motion.model.warnings, false);
    char *text = o->json ? zw_event_orbits_json(study) : zw_event_orbits_text(study);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(s->motion.model.ctx, text);
    return status;
}

static zw_status write_files(const cli_options *o, const cli_orbits *s, zw_event_orbits *study,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->motion.model, s->motion.path);
    zw_table *t;
    double gap;
    if (!o->out && !o->picture)
        return ZW_OK;
    if (zw_event_orbits_over(study)) {
        if (cli_picture_is_of_marks(o, zw_event_orbits_mark_count(study)))
            ZW_TRY(zw_event_orbits_marks_table(study, &source, &t, err));
        else
            ZW_TRY(zw_event_orbits_table(study, &source, &t, err));
        return cli_picture_and_table(o, s->motion.model.warnings, t, err);
    }
    ZW_TRY(zw_event_orbits_motion_table(study, 0, ROWS, &source, &t, &gap, err));
    fprintf(stderr,
            "the orbit integrated over its period misses its beginning by %.1e of its size\n", gap);
    if (!(gap < CLOSURE_ERROR_MAX)) {
        zw_warning d =
            zw_warning_of("period", NAN,
                          "the orbit does not close when it is integrated over its period: "
                          "it misses its beginning by %.1e of its size",
                          gap);
        zw_warnings_add(s->motion.model.warnings, &d);
        cli_report_warnings(o, s->motion.model.warnings, false);
    }
    return cli_picture_and_table(o, s->motion.model.warnings, t, err);
}

/* a branch that cannot continue is kept, but is a failure */
static zw_status judge_ends(const zw_event_orbits *study, zw_error *err) {
    for (int i = 0; i < zw_event_orbits_branches(study); i++)
        for (int side = 0; side < 2; side++)
            if (zw_event_orbits_branch_end(study, i, side, NULL) == ZW_CONT_STUCK)
                return cli_orbits_stuck(i, err);
    return ZW_OK;
}

static zw_status study_orbits(const cli_options *o, cli_orbits *s, zw_event_orbits *study,
                              zw_error *err) {
    const zw_parameter_range *over = zw_event_orbits_over(study);
    int number;
    zw_status status =
        s->table ? zw_event_orbits_adopt(study, &s->file, s->point, s->value, &number, err)
                 : zw_event_orbits_find(study, over ? first_value(s, over) : NAN, &number, err);
    if (status == ZW_OK && over)
        status = zw_event_orbits_follow(study, number, err);
    if (status == ZW_OK && over)
        status = zw_event_orbits_beyond(study, BEYOND, err);
    if (status == ZW_OK && over && o->orbits.leave) {
        status = zw_event_orbits_switch(study, o->orbits.leave, NULL, err);
        if (status == ZW_OK) /* the motions after their ends are reported */
            status = zw_event_orbits_beyond(study, 0, err);
    }
    if (status == ZW_OK && over && o->forced.marks)
        status = zw_event_orbits_marks(study, o->forced.marks, err);
    cli_end_progress();
    if (zw_event_orbits_count(study) == 0)
        return status;
    ZW_TRY(report_orbits(o, s, study, err)); /* results so far are reported in any case */
    ZW_TRY(write_files(o, s, study, err));
    ZW_TRY(status);
    return cli_interrupted() ? ZW_STOPPED : judge_ends(study, err);
}

zw_status cli_orbit_events_run(const cli_options *o, cli_orbits *s, const char *over,
                               zw_error *err) {
    zw_event_orbits_options options = zw_event_orbits_options_default();
    zw_event_orbits *study;
    ZW_TRY(check_options(o, err));
    options.over = over;
    options.order = s->table ? s->file.order * s->file.orbit[s->point].times : o->orbits.order;
    if (cli_is_given(o, "steps"))
        options.steps = o->orbits.steps;
    if (o->orbits.points_max)
        options.points_max = o->orbits.points_max;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    ZW_TRY(zw_event_orbits_create(&study, s->motion.model.sys, &options, err));
    zw_status status = study_orbits(o, s, study, err);
    zw_event_orbits_destroy(study);
    return status;
}
