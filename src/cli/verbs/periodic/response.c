/* SPDX-License-Identifier: MIT */
/* Curves of periodic motions over a parameter, through their folds. */
#include <stdio.h>

#include "cli/forced.h"
#include "cli/job.h"
#include "cli/progress.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "the parameter and its range: Omega=0.1:5"},
    {"values", ZW_OPT_INT, AT(forced.values), 0, 0, 10000, "", NULL,
     "look for curves at so many values between the ends, too: isolas"},
    {"switch", ZW_OPT_INT, AT(forced.leave), 0, 0, 1000, "", NULL,
     "go over to curves that leave at branch points and where the period doubles, at most so many"},
    {"for", ZW_OPT_STRING, AT(forced.with), 0, 0, 0, "", "NAME=A,B,C",
     "curves for each of these values of a second parameter, in one table and one picture"},
    {"march", ZW_OPT_INT, AT(forced.march), 0, 0, 1000000, "", NULL,
     "up the range in so many steps and down again by integration, too, the state carried on, "
     "--settle periods at each value"},
    {"marks", ZW_OPT_STRING, AT(forced.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "where folds, period doublings and the like go with a second parameter: curves of them, with "
     "cusps; --out and --picture are of these"},
    {"pick", ZW_OPT_STRING, AT(forced.point), 0, 0, 0, "", "WHICH",
     "one motion of the curves: fold, fold 2, branch, period-doubling, neimark-sacker, or a value"},
    {"motion", ZW_OPT_STRING, AT(forced.motion), 0, 0, 0, "", "FILE",
     "where it goes: one period as a result, for zwang plot and zwang view"},
    {"coefficients", ZW_OPT_FLAG, AT(forced.coefficients), 0, 0, 0, "", NULL,
     "columns cos1(x), sin1(x), ... in a table as .csv, too; .json and .h5 have them"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: rms(x):Omega"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture, dashed where unstable, with marks: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with coefficients"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "all points: .csv, .json, .h5"},
    {0},
};

static zw_status follow_one(const cli_options *o, zw_forced *study, zw_error *err) {
    ZW_TRY(zw_forced_curves(study, o->forced.values, o->forced.starts, err));
    if (o->forced.leave)
        ZW_TRY(zw_forced_switch(study, o->forced.leave, err));
    if (o->forced.march)
        ZW_TRY(zw_forced_march(study, o->forced.march, err));
    return o->forced.marks ? zw_forced_marks(study, o->forced.marks, err) : ZW_OK;
}

static zw_status follow_response(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_status status = ZW_OK;
    for (int i = 0; i < s->n && status >= 0 && !cli_interrupted(); i++)
        status = follow_one(o, s->all[i], err);
    cli_end_progress();
    ZW_TRY(status);
    ZW_TRY(cli_forced_report(o, s, err));
    ZW_TRY(cli_forced_files(o, s, err));
    ZW_TRY(cli_forced_point(o, s, err));
    return cli_interrupted() ? ZW_STOPPED : ZW_OK;
}

static zw_status check_options(const cli_options *o, cli_forced *s, zw_error *err) {
    if (!o->over) {
        zw_fail(err, ZW_E_OPTION, "a response needs a parameter to go along");
        zw_error_hint(err, "--over Omega=0.1:5");
        return ZW_E_OPTION;
    }
    if (o->forced.marks && o->forced.with)
        return zw_fail(err, ZW_E_OPTION,
                       "--marks and --for are two ways to a second parameter: take one of them");
    return cli_forced_check_files(o, s, err);
}

static int run_response(const cli_options *o, const char *const *words, zw_error *err) {
    cli_options own = *o;
    own.forced.cycles = true;
    return cli_forced_run(&own, words[0], o->over, check_options, follow_response, err);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the balance of harmonics", cli_forced_table, offsetof(cli_options, forced)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_response = {
    .name = "response",
    .usage = "response MODEL --over NAME=FROM:TO [--values N] [--starts N] [--out FILE] [--picture "
             "FILE]",
    .about = "curves of periodic motions over a parameter, through their folds",
    .details = "From the motions at both ends of the range (and at --values between them, from "
               "--starts each) all curves on which they lie, by\n"
               "harmonic balance and continuation in arclength: stable and unstable parts, folds, "
               "period doublings, Neimark-Sacker\n"
               "points and branch points, located. Curves of models whose forces have "
               "kinks and need many harmonics are followed by shooting.\n"
               "For autonomous models: limit cycles, with the frequency as an unknown, down to the "
               "Hopf points where they begin.\n"
               "With excitation frequencies without a common period: quasi-periodic motions, "
               "folds, branch points\n"
               "and where Lyapunov exponents pass zero.",
    .examples = "  zwang response models/duffing.zw --variant set_2 --over Omega=0.1:5 --picture "
                "duffing.svg\n"
                "  zwang response models/absorber_planar.zw --over omega=2:5 --out curve.csv\n"
                "  zwang response models/van_der_pol.zw --over mu=0.1:2 --picture cycles.svg\n",
    .groups = groups,
    .arguments = 1,
    .run = run_response,
};
