/* SPDX-License-Identifier: MIT */
/* All solutions of a model over one parameter: steady motions and orbits, their bifurcations and
 * ends. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/steady.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "the parameter and its range: Omega=25:35"},
    {"search", ZW_OPT_LIST, AT(search), 0, 0, 0, "", "NAME[=LOW:HIGH]",
     "where starts for steady motions lie; several times; without it all angles, and 3, 30 and 300 "
     "times the sizes of other coordinates"},
    {"starts", ZW_OPT_INT, AT(starts), 24, 0, 100000, "", NULL,
     "how many, at each of three values; without it, more where some are found by one start only; "
     "0: only that of the model"},
    {"branches-max", ZW_OPT_INT, AT(diagram.branches), 16, 1, 1000, "", NULL,
     "most branches of steady motions"},
    {"orbits-max", ZW_OPT_INT, AT(diagram.orbits), 8, 0, 1000, "", NULL, "most branches of orbits"},
    {"points-max", ZW_OPT_INT, AT(diagram.points), 1000, 10, 1000000, "", NULL, "most of a branch"},
    {"tolerance", ZW_OPT_DOUBLE, AT(diagram.tolerance), 1e-6, 1e-13, 1e-2, "", NULL,
     "of orbits between their nodes, of their size"},
    {"time", ZW_OPT_DOUBLE, AT(diagram.time), 0, 0, 1e9, "s", NULL,
     "after so long it ends with what there is; 0: never"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot; without it the extremes of the first coordinate"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture, dashed where unstable, with marks: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "all points, with every orbit: .csv, .json, .h5"},
    {0},
};

typedef struct watch {
    const cli_options *o;
    time_t begin;
    bool late;
} watch;

static bool is_time_over(void *user, double done) {
    watch *w = user;
    w->late =
        w->late || (w->o->diagram.time > 0 && difftime(time(NULL), w->begin) >= w->o->diagram.time);
    return w->late || cli_watch((void *)w->o, done);
}

static zw_status draw_diagram(const cli_options *o, const cli_steady *s, const zw_table *t,
                              zw_error *err) {
    cli_options own = *o;
    char panel[300];
    if (o->plot.n == 0 && s->model.sys->nq > 0 && zw_table_find(t, "period") >= 0) {
        const char *q = s->model.sys->coord[0].name;
        snprintf(panel, sizeof panel, "max(%.60s)+min(%.60s):%.60s", q, q, zw_table_name(t, 0));
        own.plot.item[own.plot.n++] = panel;
    }
    return cli_picture_result(&own, t, err);
}

static zw_status report_diagram(const cli_options *o, const cli_steady *s, const zw_diagram *d,
                                zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_diagram_warnings(d, s->model.warnings);
    cli_report_warnings(o, s->model.warnings, false);
    char *text = o->json ? zw_diagram_json(d) : zw_diagram_text(d);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(s->model.ctx, text);
    zw_table *t;
    if (status < 0 || (!o->out && !o->picture))
        return status;
    ZW_TRY(zw_diagram_table(d, &source, &t, err));
    status = zw_warnings_note(s->model.warnings, t);
    if (status >= 0 && o->out)
        status = cli_write_table(t, o->out, err);
    if (status >= 0 && o->picture)
        status = draw_diagram(o, s, t, err);
    zw_table_destroy(t);
    return status;
}

static zw_status read_boxes(const cli_options *o, const cli_steady *s, zw_equilibria_box *box,
                            zw_error *err) {
    zw_equilibria *e;
    if (o->search.n == 0)
        return ZW_OK;
    ZW_TRY(zw_equilibria_create(&e, s->model.sys, &s->options, err));
    zw_status status = ZW_OK;
    for (int i = 0; i < o->search.n && status >= 0; i++)
        status = zw_equilibria_read_box(e, o->search.item[i], &box[i], err);
    zw_equilibria_destroy(e);
    return status;
}

static zw_status find_diagram(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_diagram_options options = zw_diagram_options_default();
    zw_equilibria_box box[ZW_OPTION_LIST_MAX];
    watch w = {.o = o, .begin = time(NULL)};
    zw_diagram *d;
    if (!o->over) {
        zw_fail(err, ZW_E_OPTION, "a diagram needs a parameter to go along");
        zw_error_hint(err, "--over mu=0.1:5");
        return ZW_E_OPTION;
    }
    ZW_TRY(cli_guard_write(o, o->out, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    ZW_TRY(read_boxes(o, s, box, err));
    options.over = o->over;
    options.motion = &s->options;
    options.nbox = o->search.n;
    options.box = box;
    options.starts = o->starts;
    if (cli_is_given(o, "starts"))
        options.most = o->starts;
    options.branches = o->diagram.branches;
    options.orbits = o->diagram.orbits;
    options.points_max = o->diagram.points;
    options.tolerance = o->diagram.tolerance;
    options.stop = is_time_over;
    options.stop_user = &w;
    ZW_TRY(zw_diagram_create(&d, s->model.sys, &options, err));
    cli_end_progress();
    zw_status status = report_diagram(o, s, d, err);
    zw_diagram_destroy(d);
    ZW_TRY(status);
    return cli_interrupted() ? ZW_STOPPED : ZW_OK;
}

static int run_diagram(const cli_options *o, const char *const *words, zw_error *err) {
    cli_steady s;
    cli_signals watched;
    zw_status status = cli_steady_open(&s, words[0], o, err);
    cli_signals_begin(&watched);
    if (status >= 0) {
        status = find_diagram(o, &s, err);
        status = cli_judge(o, s.model.warnings, status, err);
    }
    cli_signals_end(&watched);
    cli_steady_close(&s);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the steady motion", cli_steady_table, 0},
    {"its picture", cli_draw_table, offsetof(cli_options, draw)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_diagram = {
    .name = "diagram",
    .usage =
        "diagram MODEL --over NAME=FROM:TO [--search NAME=LOW:HIGH] [--picture FILE] [--out FILE]",
    .about = "what a model does over a parameter: steady motions, orbits, their bifurcations",
    .details =
        "Steady motions that many starts lead to, their branches through folds and branch points, "
        "the orbits born at\n"
        "their Hopf points, those that leave these, and where orbits end; in words, with numbers, "
        "as a picture and a file.",
    .examples = "  zwang diagram models/lorenz.zw --over rho=0:30\n"
                "  zwang diagram models/van_der_pol.zw --over mu=-1:2 --picture cycles.svg\n",
    .groups = groups,
    .arguments = 1,
    .run = run_diagram,
};
