/* SPDX-License-Identifier: MIT */
#include "orbits.h"

#include "derive.h"
#include "job.h"
#include "progress.h"

#define AT(field) offsetof(cli_orbits_options, field)

const zw_option cli_orbits_table[] = {
    {"period", ZW_OPT_DOUBLE, AT(period), 0, 0, 1e12, "s", NULL,
     "about how long the orbit takes; 0: what a run from the start of the model tells"},
    {"steps", ZW_OPT_INT, AT(steps), 6000, 10, 10000000, "", NULL,
     "of that run, before its last period is the first guess"},
    {"order", ZW_OPT_INT, AT(order), 1, 1, 64, "", NULL,
     "of a driven model: orbits with so many periods of the drive"},
    {"stages", ZW_OPT_INT, AT(stages), 4, 2, 7, "", NULL, "points of Gauss in an interval"},
    {"intervals", ZW_OPT_INT, AT(intervals), 0, 0, 100000, "", NULL,
     "so many; 0: as many as --tolerance asks for"},
    {"intervals-max", ZW_OPT_INT, AT(intervals_max), 400, 1, 100000, "", NULL,
     "at most so many then"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-6, 1e-13, 0.5, "", NULL,
     "of the orbit between its nodes, of its size"},
    {0},
};

static zw_status open_study(cli_orbits *s, const char *path, const cli_options *o, const char *over,
                            zw_error *err) {
    zw_orbits_options options = zw_orbits_options_default();
    ZW_TRY(cli_steady_open(&s->motion, path, o, err));
    options.over = over;
    options.period = o->orbits.period;
    options.steps = o->orbits.steps;
    options.order = o->orbits.order;
    options.stages = o->orbits.stages;
    options.intervals = o->orbits.intervals;
    options.intervals_max = o->orbits.intervals_max;
    options.tolerance = o->orbits.tolerance;
    options.motion = &s->motion.options;
    if (o->orbits.points_max)
        options.points_max = o->orbits.points_max;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_orbits_create(&s->study, s->motion.model.sys, &options, err);
}

int cli_orbits_run(const cli_options *o, const char *path, const char *over, cli_orbits_step check,
                   cli_orbits_step work, zw_error *err) {
    cli_orbits s = {0};
    cli_signals watched;
    zw_status status = check(o, &s, err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = open_study(&s, path, o, over, err);
    if (status >= 0)
        status = work(o, &s, err);
    status = cli_judge(o, s.motion.model.doubts, status, err);
    zw_orbits_destroy(s.study);
    cli_steady_close(&s.motion);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

zw_status cli_orbits_tell(const cli_options *o, const cli_orbits *s, zw_error *err) {
    zw_orbits_doubts(s->study, s->motion.model.doubts);
    cli_tell_doubts(o, s->motion.model.doubts, false);
    char *text = o->json ? zw_orbits_json(s->study) : zw_orbits_text(s->study);
    zw_status status =
        text ? cli_write_text(NULL, text, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_string_free(s->motion.model.ctx, text);
    return status;
}
