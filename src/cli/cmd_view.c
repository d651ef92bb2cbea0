/* SPDX-License-Identifier: MIT */
/* A result, or the run of a model, as one HTML page. Whatever is shown comes from the result: also the
 * run of a model is first a result with its notes, from which the system is built again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "num/options.h"

#define AT(field) offsetof(cli_options, field)

enum {
    ROWS = 2000,               /* a screen is not wider */
    EQUATIONS_MAX = 500 * 1000 /* characters of LaTeX, beyond which nobody reads them */
};

static const zw_option table[] = {
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE.html",
     "the page; - is standard output (default MODEL.html)"},
    {"rows", ZW_OPT_INT, AT(rows), ROWS, 2, 1e7, "", NULL,
     "most rows of the result that go into the page"},
    {"until", ZW_OPT_DOUBLE, AT(until), 10, 0, 1e12, "s", NULL, "of a model: end of the run"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "of a model: time between rows, 0: a thousandth of the run"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE",
     "of a model: the principle (default lagrange)"},
    {"jit", ZW_OPT_CHOICE, AT(jit), 1, 0, 0, "", "off|auto|on",
     "of a model: native code never, when it pays, at once"},
    {"quiet", ZW_OPT_FLAG, AT(quiet), 0, 0, 0, "", NULL, "say nothing of what was written"},
    {0},
};

typedef struct job {
    const cli_options *o;
    const char *path;
    zw_table *result; /* as many rows as the page has */
    zw_context *ctx;
    zw_system *sys;
    zw_scene *scene;
    double *p;
    char *drawn, *equations; /* JSON */
} job;

/* ------------------------------------------------------------------------------------- result */

static zw_status keep(job *j, const zw_table *t, zw_error *err) {
    if (zw_table_rows(t) == 0)
        return zw_fail(err, ZW_E_FILE, "%s has no rows to show", j->path);
    return zw_table_thin(&j->result, t, j->o->rows, err);
}

static zw_status run_model(job *j, zw_error *err) {
    cli_job run;
    zw_status status = cli_job_open(&run, j->path, j->o, false, err);
    if (status >= 0) {
        status = cli_job_run(&run, err);
        zw_error later = {0};
        zw_status kept = keep(j, zw_sim_rows(run.sim), status < 0 ? &later : err);
        status = status < 0 ? status : kept;
    }
    cli_job_close(&run);
    return status;
}

static zw_status read_result(job *j, zw_error *err) {
    ZW_TRY(cli_result_only(j->o, j->path, err));
    zw_table *t;
    ZW_TRY(zw_table_read(&t, j->path, err));
    zw_status status = keep(j, t, err);
    zw_table_destroy(t);
    return status;
}

/* --------------------------------------------------------------------------------------- page */

static zw_status build_scene(job *j, zw_error *err) {
    j->ctx = zw_context_create(NULL);
    if (!j->ctx)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    ZW_TRY(zw_result_system(&j->sys, j->ctx, j->result, err));
    j->p = calloc((size_t)j->sys->np + 1, sizeof *j->p);
    if (!j->p)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    ZW_TRY(zw_result_params(j->result, j->sys, j->p, err));
    ZW_TRY(zw_scene_create(&j->scene, j->sys, j->p, j->result, err));
    j->drawn = zw_scene_json(j->scene, j->sys);
    return j->drawn ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "out of memory for the scene");
}

static zw_status write_equations(job *j, zw_error *err) {
    const char *principle = zw_table_get_note(j->result, "principle");
    zw_equations eq;
    ZW_TRY(zw_derive(&eq, j->sys, NULL, principle ? principle : "lagrange", err));
    j->equations = zw_equations_write(&eq, ZW_EQUATIONS_PAGE, ZW_SHORTENED);
    if (!j->equations)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the equations");
    if (strlen(j->equations) > EQUATIONS_MAX) {
        zw_string_free(j->ctx, j->equations);
        j->equations = NULL;
    }
    return ZW_OK;
}

static zw_status write_page(const job *j, zw_error *err) {
    zw_page page = {.name = j->sys->name,
                    .title = j->sys->title,
                    .variant = j->sys->variant,
                    .result = j->result,
                    .motion = j->scene->motion,
                    .scene = j->drawn,
                    .equations = j->equations};
    char name[256];
    snprintf(name, sizeof name, "%.200s.html", j->sys->name);
    const char *path = j->o->out ? j->o->out : name;
    ZW_TRY(zw_page_write(&page, path, err));
    if (j->o->quiet || strcmp(path, "-") == 0)
        return ZW_OK;
    fprintf(stderr, "page %s: %ld rows, %d drawings\n", path, zw_table_rows(j->result),
            j->scene->nitem);
    for (int i = 0; i < j->scene->nmissing; i++)
        fprintf(stderr, "  not drawn: %s\n", j->scene->missing[i]);
    return ZW_OK;
}

static zw_status show(job *j, zw_error *err) {
    ZW_TRY(build_scene(j, err));
    ZW_TRY(write_equations(j, err));
    return write_page(j, err);
}

/* a page under another name would not be opened as one */
static zw_status check_ending(const char *path, zw_error *err) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!dot || strchr(dot, '/') || strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--out %s: the page is HTML, the ending must be .html", path);
    zw_error_hint(err, "pictures for print are made by zwang plot");
    return ZW_E_OPTION;
}

static zw_status view(job *j, zw_error *err) {
    ZW_TRY(check_ending(j->o->out, err));
    ZW_TRY(zw_page_available(j->o->out, err));
    zw_status found = cli_is_result(j->path) ? read_result(j, err) : run_model(j, err);
    if (!j->result)
        return found;
    /* also of a run that failed there is a page: it shows how it came to that */
    zw_error later = {0};
    zw_status shown = show(j, found < 0 ? &later : err);
    return found < 0 ? found : shown;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    job j = {.o = o, .path = words[0]};
    zw_status status = view(&j, err);
    if (j.ctx) {
        zw_string_free(j.ctx, j.equations);
        zw_string_free(j.ctx, j.drawn);
        zw_scene_destroy(j.scene);
        zw_context_destroy(j.ctx);
    }
    zw_table_destroy(j.result);
    free(j.p);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {0},
};

const cli_command cli_view = {
    .name = "view",
    .usage = "view FILE|MODEL [--out PAGE.html] [--until T] [--set a=b] [--rows N]",
    .about = "the motion as a page for the browser: animation, plots, equations",
    .details =
        "FILE is a result of 'zwang run --out' (.csv, .json, .h5); anything else is a MODEL "
        "and is run first.\n"
        "The page is one file that needs no network. What moves in it are the draw and trace "
        "statements of the model.\n"
        "In the page: space plays, arrows step from row to row, f fits the view, c lets the "
        "camera follow.",
    .examples = "  zwang view models/turntable_ball.zw --until 20\n"
                "  zwang run models/tippedisk.zw --until 5 --out tip.csv && zwang view tip.csv\n"
                "  zwang view models/snakeboard.zw --with gait --until 20 --out gait.html\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
