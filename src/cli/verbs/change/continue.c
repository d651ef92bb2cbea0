/* SPDX-License-Identifier: MIT */
/* Branches of periodic orbits over a parameter. */
#include <math.h>

#include "cli/job.h"
#include "cli/orbits.h"
#include "cli/picture.h"
#include "cli/progress.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "the parameter and its range: Omega=30:31"},
    {"values", ZW_OPT_STRING, AT(orbits.values), 0, 0, 0, "", "NAME=A,B,C",
     "instead of --over: orbits at these values, each from the one before"},
    {"natural", ZW_OPT_FLAG, AT(orbits.natural), 0, 0, 0, "", NULL,
     "--over NAME=FROM:TO:N: at N values from FROM to TO, each from the one before; it ends at "
     "folds"},
    {"point", ZW_OPT_STRING, AT(orbits.point), 0, 0, 0, "", "WHICH",
     "of a branch file: the orbit to go on from: LP1, \"fold 2\", EP1, or a value"},
    {"switch", ZW_OPT_INT, AT(orbits.leave), 0, 0, 1000, "", NULL,
     "at most so many branches that leave at branch points and period doublings, and those that "
     "leave from them"},
    {"marks", ZW_OPT_STRING, AT(forced.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "where folds, period doublings, Neimark-Sacker points and grazing go with a second parameter: "
     "curves of them, with what happens on them; --out and --picture are of these"},
    {"period-max", ZW_OPT_DOUBLE, AT(orbits.period_max), 0, 0, 1e12, "s", NULL,
     "go on to this period where it grows without bound, beside a connecting orbit; 0: end where "
     "that is seen"},
    {"points", ZW_OPT_INT, AT(orbits.points_max), 2000, 1, 1000000, "", NULL,
     "most orbits of a branch"},
    {"mode", ZW_OPT_INT, AT(mode), 1, 1, 1000000, "", NULL,
     "of --from mode: its number, as zwang equilibria lists them"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: max(x):mu"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture, dashed where unstable, with marks: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with the nodes"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "all points, with every orbit: .csv, .json, .h5"},
    {0},
};

static zw_status write_files(const cli_options *o, const cli_orbits *s, zw_error *err) {
    zw_model_source source = cli_model_source(&s->motion.model, s->motion.path);
    zw_table *t;
    if (!o->out && !o->picture)
        return ZW_OK;
    if (cli_picture_is_of_marks(o, zw_orbits_mark_count(s->study)))
        ZW_TRY(zw_orbits_marks_table(s->study, &source, &t, err));
    else
        ZW_TRY(zw_orbits_table(s->study, &source, &t, err));
    return cli_picture_and_table(o, s->motion.model.warnings, t, err);
}

/* the model's value if it is in the range, else the nearer end */
static double first_value(const cli_orbits *s) {
    int n;
    const double *given = zw_orbits_given(s->study, &n);
    if (given)
        return given[0];
    const zw_parameter_range *over = zw_orbits_over(s->study);
    if (over->parameter < 0) /* a family: at its first orbit */
        return NAN;
    const zw_system *sys = s->motion.model.sys;
    double *p = zw_context_alloc(s->motion.model.ctx, (size_t)(sys->np + 1) * sizeof *p);
    if (!p || zw_system_param_values(sys, p, NULL) < 0)
        return over->from;
    return fmin(fmax(p[over->parameter], fmin(over->from, over->to)), fmax(over->from, over->to));
}

/* follows values one after the other, by --values or by --natural with their number */
static zw_status follow_values(const cli_options *o, cli_orbits *s, int number, zw_error *err) {
    const zw_parameter_range *over = zw_orbits_over(s->study);
    int n;
    const double *given = zw_orbits_given(s->study, &n);
    if (given)
        return zw_orbits_sequence(s->study, number, n, given, err);
    if (!o->orbits.natural)
        return zw_orbits_follow(s->study, number, err);
    if (over->rows < 2) {
        zw_fail(err, ZW_E_OPTION, "--natural: how many values are there from FROM to TO?");
        zw_error_hint(err, "--over Omega=30.9:30.1:81");
        return ZW_E_OPTION;
    }
    double *value = zw_context_alloc(s->motion.model.ctx, (size_t)over->rows * sizeof *value);
    if (!value)
        return zw_context_status(s->motion.model.ctx, err);
    for (int i = 0; i < over->rows; i++)
        value[i] = over->from + (over->to - over->from) * i / (over->rows - 1);
    return zw_orbits_sequence(s->study, number, over->rows, value, err);
}

/* a branch that cannot continue is kept, but is a failure */
static zw_status judge_ends(const cli_orbits *s, zw_error *err) {
    for (int i = 0; i < zw_orbits_branches(s->study); i++)
        for (int side = 0; side < 2; side++)
            if (zw_orbits_branch_end(s->study, i, side) == ZW_CONT_STUCK)
                return cli_orbits_stuck(i, err);
    return ZW_OK;
}

static zw_status follow_orbits(const cli_options *o, cli_orbits *s, zw_error *err) {
    int number, born = 0;
    zw_status status;
    if (cli_orbits_is_from(o, "hopf")) {
        status = zw_orbits_from_hopf(s->study, &born, err);
    } else {
        status = cli_orbits_begin(o, s, first_value(s), &number, err);
        if (status >= 0)
            status = follow_values(o, s, number, err);
    }
    if (status >= 0 && o->orbits.leave)
        status = zw_orbits_switch(s->study, o->orbits.leave, NULL, err);
    if (status >= 0 && o->forced.marks)
        status = zw_orbits_marks(s->study, o->forced.marks, err);
    cli_end_progress();
    if (zw_orbits_count(s->study) == 0) {
        ZW_TRY(status);
        zw_orbits_warnings(s->study, s->motion.model.warnings);
        cli_report_warnings(o, s->motion.model.warnings, false);
        zw_fail(err, ZW_E_NUMERIC, "no branch of orbits begins at a Hopf point within the range");
        zw_error_hint(err, "zwang linearise --over tells where pairs of eigenvalues cross");
        return ZW_E_NUMERIC;
    }
    ZW_TRY(cli_orbits_report(o, s, err)); /* results so far are reported in any case */
    ZW_TRY(write_files(o, s, err));
    ZW_TRY(status);
    return cli_interrupted() ? ZW_STOPPED : judge_ends(s, err);
}

static zw_status check_options(const cli_options *o, cli_orbits *s, zw_error *err) {
    (void)s;
    ZW_TRY(cli_orbits_check_from(o, err));
    if (!o->over && !o->orbits.values) {
        zw_fail(err, ZW_E_OPTION, "a branch needs a parameter to go along");
        zw_error_hint(err, "--over mu=0.1:5");
        return ZW_E_OPTION;
    }
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

static int run_continue(const cli_options *o, const char *const *words, zw_error *err) {
    return cli_orbits_run(o, words[0], o->over, check_options, follow_orbits, err);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the orbit", cli_orbits_table, offsetof(cli_options, orbits)},
    {"the steady motion", cli_steady_table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_continue = {
    .name = "continue",
    .usage = "continue MODEL|BRANCH --over NAME=FROM:TO [--from WHERE] [--point WHICH] [--out "
             "FILE] [--picture FILE]",
    .about = "branches of periodic orbits over a parameter, with their bifurcations",
    .details =
        "From the orbit to which the start of the model goes, or from the Hopf points of its "
        "steady motion, branches of orbits by\n"
        "collocation and continuation in arclength: periods, stability, folds, period "
        "doublings, Neimark-Sacker points and\n"
        "branch points, located, with their normal forms; --switch goes on to branches that leave "
        "there, --marks follows marks\n"
        "over a second parameter.\n"
        "Events that act and contacts part orbits into segments: their branches end by grazing, "
        "where "
        "the motion touches an event.\n"
        "BRANCH is a file that --out has written: it holds its model and every orbit, and --point "
        "says from which one to go on.",
    .examples =
        "  zwang continue models/lorenz.zw --set x=8 --set y=8 --set z=23 --over rho=14:25 "
        "--from hopf\n"
        "  zwang continue models/tippedisk_reduced.zw --steady inverted_spin --over "
        "Omega=30.13:31 --from hopf\n"
        "  zwang continue models/roessler.zw --over c=2:5 --out branch.csv && zwang "
        "continue branch.csv --point PD1 --over a=0.1:0.3\n"
        "  zwang continue models/roessler.zw --over c=2:5 --switch 3 --picture cascade.svg\n"
        "  zwang continue models/roessler.zw --over c=2:5 --marks a=0.15:0.25 --picture "
        "doublings.svg\n",
    .groups = groups,
    .arguments = 1,
    .results = true,
    .run = run_continue,
};
