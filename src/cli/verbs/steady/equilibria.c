/* SPDX-License-Identifier: MIT */
/* One steady motion near the start, all that a search from many starts finds, or branches over a
 * parameter. */
#include <math.h>
#include <stdio.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/steady.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"search", ZW_OPT_LIST, AT(search), 0, 0, 0, "", "NAME[=LOW:HIGH]",
     "all that starts in this range of a coordinate or velocity lead to; several times; an angle "
     "alone: all of it"},
    {"starts", ZW_OPT_INT, AT(starts), 64, 1, 1000000, "", NULL,
     "how many, with --search; without it, more where some are found by one start only"},
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "the motion over a parameter, or over anything that is held: Omega=0:50rad/s; a third number "
     "says how many rows"},
    {"branches", ZW_OPT_FLAG, AT(branches), 0, 0, 0, "", NULL,
     "with --over: through folds, and all branches that cross it, with folds, Hopf points and "
     "branch points"},
    {"marks", ZW_OPT_STRING, AT(forced.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "with --over: how folds and Hopf points go on with a second parameter, up to cusps and "
     "the like"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "with --over: a panel of the picture, as of zwang plot"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "with --over: a picture, dashed where the motion is unstable: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with the matrix"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "write there instead of standard output; with --search or --over and a name that ends as a "
     "result does (.csv), a table"},
    {0},
};

/* --------------------------------------------------------------------------------------- search */

static zw_status read_boxes(const cli_options *o, const zw_equilibria *e, zw_equilibria_box *box,
                            zw_error *err) {
    for (int i = 0; i < o->search.n; i++)
        ZW_TRY(zw_equilibria_read_box(e, o->search.item[i], &box[i], err));
    return ZW_OK;
}

static zw_status write_found(const cli_options *o, const cli_steady *s, zw_equilibria *e,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    char *text = NULL;
    zw_table *t = NULL;
    zw_status status;
    if (!o->json && o->out && cli_is_result(o->out)) {
        ZW_TRY(zw_equilibria_found_table(e, &source, &t, err));
        status = zw_warnings_note(s->model.warnings, t);
        if (status >= 0)
            status = cli_write_table(t, o->out, err);
        zw_table_destroy(t);
        return status;
    }
    status =
        o->json ? zw_equilibria_found_json(e, &text, err) : zw_equilibria_found_text(e, &text, err);
    if (status >= 0)
        status = cli_write_text(o->out, text, err);
    zw_string_free(s->model.ctx, text);
    return status;
}

static zw_status search_equilibria(const cli_options *o, const cli_steady *s, zw_equilibria *e,
                                   zw_error *err) {
    zw_equilibria_box box[ZW_OPTION_LIST_MAX];
    zw_equilibria_search_options options = zw_equilibria_search_options_default();
    ZW_TRY(read_boxes(o, e, box, err));
    options.nbox = o->search.n;
    options.box = box;
    options.starts = o->starts;
    if (cli_is_given(o, "starts"))
        options.most = o->starts;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    cli_signals watched;
    cli_signals_begin(&watched);
    zw_status status = zw_equilibria_search(e, &options, err);
    cli_end_progress();
    if (status >= 0)
        status = write_found(o, s, e, err);
    cli_signals_end(&watched);
    return status;
}

/* ----------------------------------------------------------------------------------- one motion */

/* true if it has contacts that are not constraints */
static bool has_contacts(const zw_system *sys) {
    for (int i = 0; i < sys->ncontact; i++)
        if (!sys->contact[i].off && !sys->contact[i].bilateral)
            return true;
    return false;
}

static zw_status find_one(const cli_options *o, const cli_steady *s, zw_equilibria *e,
                          zw_error *err) {
    zw_status found = zw_equilibria_find(e, err);
    if (found < 0 && found != ZW_E_MEMORY &&
        has_contacts(s->model.sys)) /* these exert no force here */
        snprintf(err->hint, sizeof err->hint,
                 "contacts that open or stick hold nothing here: zwang rest tells what they hold");
    ZW_TRY(found);
    if (zw_equilibria_warning(e)) {
        zw_warning warning = zw_warning_of("the motion", NAN, "%s", zw_equilibria_warning(e));
        zw_warnings_add(s->model.warnings, &warning);
        cli_report_warnings(o, s->model.warnings, false);
    }
    char *text = o->json ? zw_equilibria_json(e) : zw_equilibria_text(e);
    zw_status status = cli_write_text(o->out, text, err);
    zw_string_free(s->model.ctx, text);
    return status;
}

static zw_status find_equilibria(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_equilibria *e;
    if (cli_is_given(o, "starts") && o->search.n == 0) {
        zw_fail(err, ZW_E_OPTION, "--starts says how many starts a search has, and there is none");
        zw_error_hint(err, "--search NAME=LOW:HIGH says where");
        return ZW_E_OPTION;
    }
    if (o->over && o->search.n) {
        zw_fail(err, ZW_E_OPTION, "--over goes along one motion, --search looks for all");
        zw_error_hint(err, "search first, and start --over from what was found (--set)");
        return ZW_E_OPTION;
    }
    if ((o->picture || o->plot.n) && !o->over) {
        zw_fail(err, ZW_E_OPTION, "--%s: one motion makes no curve",
                o->picture ? "picture" : "plot");
        zw_error_hint(err, "--over NAME=FROM:TO has a picture; tables (--out FILE.csv) are drawn "
                           "by zwang plot");
        return ZW_E_OPTION;
    }
    if ((o->branches || o->forced.marks) && !o->over) {
        zw_fail(err, ZW_E_OPTION, "--%s: over which parameter?",
                o->branches ? "branches" : "marks");
        zw_error_hint(err, "--over NAME=FROM:TO says it");
        return ZW_E_OPTION;
    }
    ZW_TRY(cli_guard_write(o, o->out, err));
    if (o->branches || o->forced.marks)
        return cli_equilibria_branches(o, s, err);
    if (o->over)
        return cli_equilibria_over(o, s, err);
    ZW_TRY(zw_equilibria_create(&e, s->model.sys, &s->options, err));
    zw_status status = o->search.n ? search_equilibria(o, s, e, err) : find_one(o, s, e, err);
    zw_equilibria_destroy(e);
    return status;
}

static int run_equilibria(const cli_options *o, const char *const *words, zw_error *err) {
    cli_steady s;
    zw_status status = cli_steady_open(&s, words[0], o, err);
    if (status >= 0) {
        status = find_equilibria(o, &s, err);
        status = cli_judge(o, s.model.warnings, status, err);
    }
    cli_steady_close(&s);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the motion", cli_steady_table, 0},
    {"its picture", cli_draw_table, offsetof(cli_options, draw)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_equilibria = {
    .name = "equilibria",
    .usage = "equilibria MODEL [--hold NAME[=VALUE]] [--search NAME=LOW:HIGH] "
             "[--over NAME=FROM:TO [--branches] [--marks NAME=FROM:TO] [--picture FILE]] [--json] "
             "[--out FILE]",
    .about = "steady motions, near the start or in a range, and whether they are stable",
    .details =
        "Equilibria, and motions that look the same at all times to who moves along with a "
        "symmetry of\n"
        "the system: a disc that rolls in a circle, a top that precesses, in whatever coordinates. "
        "Tells the\n"
        "symmetries, the motion, its constraint forces, and the eigenvalues of small disturbances.",
    .examples =
        "  zwang equilibria models/double_pendulum.zw --set phi_1=0.1 --set phi_2=0\n"
        "  zwang equilibria models/rolling_disc.zw --hold \"alpha'=6 [rad/s]\" --hold beta=70deg\n"
        "  zwang equilibria models/double_pendulum.zw --search phi_1 --search phi_2\n"
        "  zwang equilibria models/rolling_disc.zw --over \"alpha'=2:12 [rad/s]\" --hold beta\n"
        "  zwang equilibria models/lorenz.zw --over rho=0:30 --branches\n"
        "  zwang equilibria models/lorenz.zw --over rho=0:30 --marks sigma=5:15\n"
        "  zwang equilibria models/tippedisk.zw --hold \"alpha'=40 [rad/s]\" --set gamma=90deg\n",
    .groups = groups,
    .arguments = 1,
    .run = run_equilibria,
};
