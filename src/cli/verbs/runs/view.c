/* SPDX-License-Identifier: MIT */
/* A result, or the run of a model, as one HTML page, as stills and films. */
#include <stdio.h>
#include <string.h>

#include "cli/stills.h"
#include "cli/work.h"
#include "motion/equilibria/motion_options.h"
#include "runs/run_study.h"
#include "studies/form.h"

#define AT(field) offsetof(cli_options, field)

enum {
    ROWS = 2000,       /* a screen is not wider */
    ORBIT_POINTS = 159 /* of an orbit */
};

static const zw_option table[] = {
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE.html",
     "file of the page; -: standard output (default MODEL.html, or named after a FILE without a "
     "motion)"},
    {"rows", ZW_OPT_INT, AT(rows), ROWS, 2, 1e7, "", NULL, "maximum number of rows in the page"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t|y;z:t|x,y|x,y,z",
     "panel of the page, as for zwang plot, below the animation of a motion; may be repeated"},
    {"orbits", ZW_OPT_INT, AT(orbits_seen), 120, 1, 5000, "", NULL,
     "maximum number of orbits of a branch in the page, or of motions of a table of many (default "
     "120, or 36 motions)"},
    {"point", ZW_OPT_STRING, AT(point), 0, 0, 0, "", "WHICH",
     "orbit of a branch shown first, and in stills and films: LP1, \"fold 2\", a value"},
    {0},
};

/* a mode instead of a run */
static const zw_option mode_table[] = {
    {"mode", ZW_OPT_INT, AT(mode), 0, 1, 1e6, "", NULL,
     "number of the mode in the list of zwang equilibria"},
    {"hold", ZW_OPT_LIST, AT(hold), 0, 0, 0, "", "NAME[=VALUE]",
     "quantity that keeps this value in the equilibrium (default: that of the start); may be "
     "repeated"},
    {"solve", ZW_OPT_LIST, AT(solve), 0, 0, 0, "", "PARAMETER",
     "parameter solved for in the equilibrium; may be repeated"},
    {"steady", ZW_OPT_STRING, AT(steady), 0, 0, 0, "", "NAME",
     "motion in closed form in the model, where the search starts"},
    {"amplitude", ZW_OPT_DOUBLE, AT(mode_amplitude), 0, 0, 1e12, "", NULL,
     "largest value of what moves most, in its unit; 0: large enough to be seen"},
    {"comoving", ZW_OPT_FLAG, AT(comoving), 0, 0, 0, "", NULL, "view of a comoving observer"},
    {0},
};

static const zw_sim_options *run_options(const cli_options *o) {
    return &((const zw_run_study_options *)o->study)->sim;
}

/* a page without a motion */
static void report_figure(const char *path, const zw_figure_page *p) {
    int n = zw_figure_page_content(p)->figure->picture->n;
    long kept, all;
    zw_figure_page_rows(p, &kept, &all);
    fprintf(stderr, "page %s: %d panel%s, %ld rows\n", path, n, n == 1 ? "" : "s", all);
    if (kept < all)
        fprintf(stderr, "  the table is long: %ld of its rows are in the page\n", kept);
}

/* "run" from out/run.csv */
static void name_by_path(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t stem = strcspn(file, ".");
    snprintf(out, size, "%.*s.html", stem && stem < 200 ? (int)stem : 4, stem ? file : "page");
}

/* source: the name of the page for a result without motion; NULL: that of the model */
static zw_status write_page(const cli_options *o, const char *source, const zw_figure_page *p,
                            zw_error *err) {
    const zw_page *page = zw_figure_page_content(p);
    const zw_scene *scene = zw_figure_page_scene(p);
    char name[256];
    /* the name of the model in the notes may contain anything, and is not used as a path */
    if (source && !scene)
        name_by_path(source, name, sizeof name);
    else
        snprintf(name, sizeof name, "%.200s.html", page->name);
    const char *path = o->out ? o->out : name;
    ZW_TRY(cli_guard_write(o, path, err));
    ZW_TRY(zw_page_write(page, path, err));
    if (o->quiet || strcmp(path, "-") == 0)
        return ZW_OK;
    if (!scene) {
        report_figure(path, p);
        return ZW_OK;
    }
    fprintf(stderr, "page %s: %ld rows, %d drawings%s\n", path, zw_table_rows(page->result),
            scene->nitem, scene->sketched ? ", a sketch: the model draws nothing" : "");
    cli_stills_report_forces(o, page->view);
    for (int i = 0; i < scene->nmissing; i++)
        fprintf(stderr, "  not drawn: %s\n", scene->missing[i]);
    return ZW_OK;
}

/* a page unless something else is requested */
static bool wants_page(const cli_options *o) {
    return o->out || !cli_stills_are_wanted(o);
}

static zw_status create_page(const cli_options *o, const zw_table *t, zw_figure_page **out,
                             zw_error *err) {
    const zw_figure_page_options options = {
        .npanel = o->plot.n,
        .panel = o->plot.item,
        .rows = cli_is_given(o, "rows") ? o->rows : 0,
        .orbits = cli_is_given(o, "orbits") ? o->orbits_seen : 0,
        .point = o->point,
        .until = cli_is_given(o, "until") ? run_options(o)->until : 0,
    };
    return zw_figure_show_page(out, t, &options, err);
}

static zw_status show_motion(const cli_options *o, const char *path, const zw_table *result,
                             zw_error *err) {
    zw_figure_page *page;
    if (zw_table_rows(result) == 0)
        return zw_fail(err, ZW_E_FILE, "%s has no rows to show", path);
    if (cli_stills_are_wanted(o))
        ZW_TRY(cli_reject_kind(path, result, err));
    zw_status looked = cli_stills_are_wanted(o) ? cli_stills_draw(o, result, err) : ZW_OK;
    if (looked != ZW_OK || !wants_page(o))
        return looked;
    ZW_TRY(create_page(o, result, &page, err));
    zw_status status = write_page(o, path, page, err);
    zw_figure_page_destroy(page);
    return status;
}

/* A failed run also gets a page, which shows what happened. */
static zw_status run_and_show(cli_work *w, const cli_options *o, const char *path, zw_error *err) {
    zw_error later = {0};
    zw_table *t = NULL;
    ZW_TRY(cli_work_open(w, path, o, err));
    zw_study_messages(w->study, NULL);
    zw_study_want(w->study, "out", "");
    ZW_TRY(zw_study_prepare(w->study, err));
    zw_status status = cli_work_run(w, err);
    cli_work_end(w);
    cli_work_warn(w, true);
    zw_status shown = cli_work_table(w, "out", &t, &later);
    if (shown >= 0)
        shown = show_motion(o, path, t, &later);
    zw_table_destroy(t);
    if (status < 0 || shown >= 0)
        return status < 0 ? status : shown;
    *err = later;
    return shown;
}

static zw_status show_model(const cli_options *o, const char *path, zw_error *err) {
    cli_work w = {.o = o};
    zw_status status = run_and_show(&w, o, path, err);
    status = cli_judge(o, w.model.warnings, status, err);
    cli_work_close(&w);
    return status;
}

/* the motion of a mode; it determines the defaults of until and step-out */
static zw_status make_mode(const cli_options *o, const zw_study_input *input, zw_table **out,
                           zw_error *err) {
    zw_mode_options options = zw_mode_options_default();
    const zw_motion_options motion = {
        .hold = o->hold, .solve = o->solve, .steady = o->steady, .by = run_options(o)->principle};
    const zw_equilibria_options how = zw_motion_options_use(&motion);
    zw_mode_info info;
    zw_equilibria *e;
    options.number = o->mode;
    options.amplitude = o->mode_amplitude;
    options.comoving = o->comoving;
    options.duration = cli_is_given(o, "until") ? run_options(o)->until : 0;
    if (run_options(o)->step_out > 0)
        return zw_fail(err, ZW_E_OPTION,
                       "--step-out is for runs; a mode has as many rows as it needs");
    ZW_TRY(zw_equilibria_create(&e, input->system, &how, err));
    zw_status status = zw_equilibria_find(e, err);
    if (status >= 0)
        status = zw_mode_motion(out, e, input->source, &options, &info, err);
    if (status >= 0 && !o->quiet)
        fprintf(stderr, "%s; %.4g s\n", info.caption, info.duration);
    if (status >= 0 && zw_equilibria_warning(e) && !o->quiet)
        fprintf(stderr, "warning: %s\n", zw_equilibria_warning(e));
    if (status >= 0 && zw_equilibria_warning(e) && o->strict)
        status = zw_fail(err, ZW_E_DOUBT, "%s", zw_equilibria_warning(e));
    zw_equilibria_destroy(e);
    return status;
}

static zw_status show_mode(const cli_options *o, const char *path, zw_error *err) {
    const zw_allocator alloc = zw_allocator_default();
    const zw_study_form form = {.hold = &o->hold, .steady = o->steady};
    cli_model model = {0};
    zw_forms forms;
    zw_table *t = NULL;
    zw_forms_init(&forms, &alloc);
    zw_status status = cli_model_open(&model, path, o, err);
    if (status >= 0) {
        const zw_model_source source = cli_model_source(&model, path);
        zw_study_input input = {.system = model.sys, .source = &source};
        cli_report_warnings(o, model.warnings, false);
        status = zw_forms_apply(&forms, &input, &form, err);
        if (status >= 0)
            status = make_mode(o, &input, &t, err);
    }
    if (status >= 0)
        status = show_motion(o, path, t, err);
    zw_table_destroy(t);
    if (model.ctx)
        status = cli_judge(o, model.warnings, status, err);
    zw_forms_clear(&forms);
    cli_model_close(&model);
    return status;
}

/* options of branches are errors elsewhere */
static zw_status check_branch(const cli_options *o, const char *path, zw_error *err) {
    static const char *const of_branches[] = {"orbits", "point"};
    for (size_t i = 0; i < sizeof of_branches / sizeof *of_branches; i++)
        if (cli_is_given(o, of_branches[i])) {
            zw_fail(err, ZW_E_OPTION, "--%s is for branches of orbits, which %s is not",
                    of_branches[i], path);
            zw_error_hint(err, "zwang orbit MODEL --over NAME=FROM:TO --out branch.csv makes one");
            return ZW_E_OPTION;
        }
    return ZW_OK;
}

/* options of one view of a model are errors in another */
static zw_status check_mode(const cli_options *o, const char *path, zw_error *err) {
    bool is_mode = cli_is_given(o, "mode");
    static const char *const of_modes[] = {"hold", "solve", "steady", "amplitude", "comoving"};
    for (size_t i = 0; i < sizeof of_modes / sizeof *of_modes; i++)
        if (!is_mode && cli_is_given(o, of_modes[i]))
            return zw_fail(err, ZW_E_OPTION, "--%s is for modes: --mode 1", of_modes[i]);
    if (!is_mode || !cli_is_result(path))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%s: a result has no modes, its model has", path);
    zw_error_hint(err, "zwang view MODEL --mode %d", o->mode);
    return ZW_E_OPTION;
}

/* ---- branches ---- */

static zw_status draw_orbit(const cli_options *o, const zw_table *t, zw_error *err) {
    zw_figure_branch branch;
    zw_table *motion = NULL;
    zw_status status =
        zw_figure_branch_open(&branch, t, o->orbits_seen, ORBIT_POINTS, o->point, err);
    const zw_figure_run run = {.table = t, .orbits = branch.orbits};
    if (status >= 0 && branch.row < 0) {
        status =
            zw_fail(err, ZW_E_OPTION, "a still or a film shows one orbit of the branch: --point");
        zw_error_hint(err, "--point LP1, or --point with a value of the parameter");
    }
    if (status >= 0)
        status = zw_figure_orbit_result(&motion, &run, branch.row, err);
    if (status >= 0)
        status = cli_stills_draw(o, motion, err);
    zw_table_destroy(motion);
    zw_figure_branch_close(&branch);
    return status;
}

static zw_status show_branch(const cli_options *o, const char *path, const zw_table *t,
                             zw_error *err) {
    zw_figure_page *page;
    zw_status status = cli_stills_are_wanted(o) ? draw_orbit(o, t, err) : ZW_OK;
    if (status != ZW_OK || !wants_page(o))
        return status;
    ZW_TRY(create_page(o, t, &page, err));
    status = write_page(o, o->plot.n ? path : NULL, page, err);
    if (status >= 0 && !o->plot.n && !o->quiet && !(o->out && strcmp(o->out, "-") == 0))
        fprintf(stderr, "  %d of %d orbits can be seen in it\n",
                zw_figure_page_content(page)->norbit, zw_figure_page_orbits(page));
    zw_figure_page_destroy(page);
    return status;
}

/* ---- many motions ---- */

static zw_status check_survey(const cli_options *o, const char *path, zw_error *err) {
    ZW_TRY(cli_motions_only(o, path, err));
    if (cli_is_given(o, "point"))
        return zw_fail(err, ZW_E_OPTION, "--point is for branches of orbits, which %s is not",
                       path);
    if (cli_stills_are_wanted(o)) {
        zw_fail(err, ZW_E_OPTION, "%s has many motions: a still or a film shows one", path);
        zw_error_hint(err, "its page shows the command for each of them; zwang plot draws all");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status show_survey(const cli_options *o, const char *path, const zw_table *t,
                             zw_error *err) {
    zw_figure_page *page;
    ZW_TRY(check_survey(o, path, err));
    ZW_TRY(create_page(o, t, &page, err));
    const zw_page_survey *s = zw_figure_page_content(page)->survey;
    zw_status status = write_page(o, path, page, err);
    if (status >= 0 && s && !o->quiet && !(o->out && strcmp(o->out, "-") == 0)) {
        fprintf(stderr, "  %ld rows, %d of their motions can be seen in it\n", zw_table_rows(t),
                zw_figure_page_content(page)->norbit);
        if (s->stride > 1)
            fprintf(stderr,
                    "  the grid is too fine for a page: every %d. row and column is in it\n",
                    s->stride);
        if (zw_figure_survey_failed(page))
            fprintf(stderr, "  %d further motions failed\n", zw_figure_survey_failed(page));
    }
    zw_figure_page_destroy(page);
    return status;
}

static zw_status show_result(const cli_options *o, const char *path, zw_error *err) {
    zw_table *t;
    if (!cli_is_given(o, "until"))
        ZW_TRY(cli_result_only(o, path, err));
    ZW_TRY(cli_read_result(o, &t, path, err));
    bool survey = zw_figure_is_survey(t);
    zw_status status = survey ? ZW_OK : cli_result_only(o, path, err);
    if (status < 0) {
        zw_table_destroy(t);
        return status;
    }
    if (zw_figure_has_orbits(t)) {
        status = show_branch(o, path, t, err);
    } else if (survey) {
        status = show_survey(o, path, t, err);
    } else {
        status = check_branch(o, path, err);
        if (status >= 0)
            status = show_motion(o, path, t, err);
    }
    if (status >= 0)
        status = cli_judge_result(o, path, t, err);
    zw_table_destroy(t);
    return status;
}

/* a page needs the ending .html to be opened */
static zw_status check_ending(const char *path, zw_error *err) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!dot || strchr(dot, '/') || strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--out %s: the page is HTML, the ending must be .html", path);
    zw_error_hint(
        err, "pictures of the scene: --still FILE.svg, --video FILE.mp4; of curves: zwang plot");
    return ZW_E_OPTION;
}

static zw_status view_path(const cli_options *o, const char *path, zw_error *err) {
    ZW_TRY(check_ending(o->out, err));
    if (wants_page(o))
        ZW_TRY(zw_page_available(o->out, err));
    else if (o->plot.n) {
        zw_fail(err, ZW_E_OPTION, "--plot is for the page, and none is written");
        zw_error_hint(
            err,
            "--out PAGE.html in addition to --still or --video writes it; zwang plot draws curves");
        return ZW_E_OPTION;
    }
    ZW_TRY(cli_stills_check(o, err));
    ZW_TRY(check_mode(o, path, err));
    if (!cli_is_result(path))
        ZW_TRY(check_branch(o, path, err));
    if (cli_is_given(o, "mode"))
        return show_mode(o, path, err);
    return cli_is_result(path) ? show_result(o, path, err) : show_model(o, path, err);
}

static int run_view(const cli_options *o, const char *const *words, zw_error *err) {
    return cli_exit_code(view_path(o, words[0], err));
}

static const cli_group groups[] = {
    {"options", table, 0, false},
    {"modes of a model", mode_table, 0, true},
    {"stills and films", cli_stills_table, offsetof(cli_options, stills), true},
    {"messages and limits", cli_told_table, 0, true},
    {"model", cli_model_table, offsetof(cli_options, model), true},
    {0},
};

const cli_command cli_view = {
    .name = "view",
    .usage = "view FILE|MODEL [--out PAGE.html] [--still FILE] [--video FILE] [--until T]\n"
             "           [--set a=b]",
    .about = "a motion or result as a page for the browser; films and stills",
    .details =
        "FILE is a table written by another verb (.csv, .json, .h5); a MODEL is run first. The "
        "page is one file that needs no network. A motion is animated with the draw and trace "
        "statements of its model or, without them, with its particles, bodies, springs and links. "
        "In the page, space plays, the arrow keys step from row to row, f fits the view, c makes "
        "the camera follow, k shows or hides contacts. The page of a branch (zwang orbit --over "
        "... --out) shows the orbit that is clicked in the diagram; that of many motions (zwang "
        "sweep, lyapunov, basin) shows the values at a point of the map and a motion from there. "
        "Any other FILE becomes an interactive figure of zwang plot, with the panels of --plot. "
        "--mode 1 shows a mode of an equilibrium or relative equilibrium instead of a run. --still "
        "and --video draw the same scene without a browser, each frame at its exact time.",
    .examples =
        "  zwang view models/turntable_ball.zw --until 20\n"
        "  zwang run models/tippedisk.zw --until 5 --out tip.csv && zwang view tip.csv\n"
        "  zwang view branch.csv --point PD1 --out branch.html\n"
        "  zwang linearise models/bicycle.zw --over \"x'=0:10 [m/s]\" --hold yaw --out weave.csv "
        "&& zwang view weave.csv\n"
        "  zwang view models/snakeboard.zw --with gait --until 20 --out gait.html\n"
        "  zwang view models/double_pendulum.zw --until 2 --video pendulum.mp4 --size 640x360\n"
        "  zwang view tip.csv --still tip.svg --at 1.5 --bare\n"
        "  zwang view models/bicycle.zw --mode 1 --hold \"rear'\" --hold yaw --out weave.html\n",
    .groups = groups,
    .study = &zw_study_run,
    .random = true,
    .arguments = 1,
    .results = true,
    .endless = true,
    .run = run_view,
};
