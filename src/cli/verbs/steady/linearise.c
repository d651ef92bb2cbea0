/* SPDX-License-Identifier: MIT */
/* The linear equations about a steady motion: at one motion, or in a form selected by an option. */
#include "linearise.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"states", ZW_OPT_LIST, AT(chosen), 0, 0, 0, "", "NAME,...",
     "coordinates and velocities that shall be states; others that are needed follow"},
    {"inputs", ZW_OPT_LIST, AT(inputs), 0, 0, 0, "", "NAME,...",
     "signals and parameters (default all signals)"},
    {"outputs", ZW_OPT_LIST, AT(outputs), 0, 0, 0, "", "NAME,...",
     "observables, coordinates, velocities, accelerations (x''), multipliers (lambda(rod)), "
     "kinetic, potential, energy (default all observables)"},
    {"bode", ZW_OPT_STRING, AT(bode), 0, 0, 0, "", "INPUT:OUTPUT",
     "the frequency response; --out FILE.csv has the table"},
    {"frequencies", ZW_OPT_STRING, AT(frequencies), 0, 0, 0, "", "FROM:TO[:ROWS]",
     "of --bode, in rad/s or with a unit: 0.1:100Hz (default about the eigenvalues)"},
    {"format", ZW_OPT_CHOICE, AT(format), LINEARISE_TEXT, 0, 0, "", "text|latex|json|csv",
     "how to write the matrices"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the same as --format json"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "write there instead of standard output; csv: FOLDER/ has one file per matrix"},
    {0},
};

/* one row per option that selects another form; the last one is the default */
static const struct {
    const char *option;
    cli_linearise_form form;
} forms[] = {
    {"symbolic", cli_linearise_symbolic}, {"taylor", cli_linearise_symbolic},
    {"over", cli_linearise_over},         {"bode", cli_linearise_bode},
    {NULL, cli_linearise_once},
};

/* options that have no effect in the selected form */
static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->over && o->bode)
        return zw_fail(err, ZW_E_OPTION, "--over and --bode are two results: ask for one of them");
    if (o->frequencies && !o->bode)
        return zw_fail(err, ZW_E_OPTION, "--frequencies are those of --bode INPUT:OUTPUT");
    if ((o->picture || o->plot.n) && !o->over && !o->bode)
        return zw_fail(err, ZW_E_OPTION, "%s draws what --over or --bode gives",
                       o->picture ? "--picture" : "--plot");
    const char *matrices = o->chosen.n    ? "--states"
                           : o->inputs.n  ? "--inputs"
                           : o->outputs.n ? "--outputs"
                           : o->format    ? "--format"
                                          : NULL;
    if (matrices && o->over)
        return zw_fail(err, ZW_E_OPTION, "%s is for the matrices at one motion, not for --over",
                       matrices);
    return ZW_OK;
}

static zw_status linearise_motion(const cli_options *o, const cli_steady *s, zw_error *err) {
    int i = 0;
    ZW_TRY(cli_symbolic_check(o, err));
    ZW_TRY(check_options(o, err));
    while (forms[i].option && !cli_is_given(o, forms[i].option))
        i++;
    return forms[i].form(o, s, err);
}

static int run_linearise(const cli_options *o, const char *const *words, zw_error *err) {
    cli_steady s;
    zw_status status = cli_steady_open(&s, words[0], o, err);
    if (status >= 0) {
        status = linearise_motion(o, &s, err);
        status = cli_judge(o, s.model.warnings, status, err);
    }
    cli_steady_close(&s);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the motion", cli_steady_table, 0},
    {"a pair on the imaginary axis", cli_hopf_table, 0},
    {"over a parameter", cli_over_table, 0},
    {"its picture", cli_draw_table, offsetof(cli_options, draw)},
    {"formulas", cli_symbolic_table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_linearise = {
    .name = "linearise",
    .usage = "linearise MODEL [--symbolic] [--hold NAME[=VALUE]] [--states NAME,...] [--inputs "
             "NAME,...] "
             "[--outputs NAME,...] [--bode INPUT:OUTPUT] [--over NAME=FROM:TO [--picture FILE]] "
             "[--amplitude NAME] [--format "
             "text|latex|json|csv] [--out FILE]",
    .about = "the linear equations of small disturbances of a steady motion",
    .details =
        "The steady motion that zwang equilibria finds, and the linear equations of small\n"
        "disturbances of it within the constraints: y' = A y + B u, o = C y + D u in quantities "
        "of\n"
        "the model; where there is one, the form of second order with masses, damping, gyroscopic\n"
        "terms, stiffness and circulatory terms; eigenvalues with what takes part in them, "
        "whether\n"
        "inputs reach and outputs see them, eigenvectors; frequency responses.\n"
        "Where one pair of eigenvalues lies on the imaginary axis, cubic terms tell which cycles "
        "grow\n"
        "out of the motion. --over goes along a parameter and locates where eigenvalues cross the\n"
        "imaginary axis, vanish or coalesce.",
    .examples = "  zwang linearise models/double_pendulum.zw --set phi_1=0 --set phi_2=0\n"
                "  zwang linearise models/bicycle.zw --set \"speed=5 [m/s]\" --hold \"rear'\" "
                "--hold yaw\n"
                "  zwang linearise models/double_pendulum.zw --set phi_1=0 --set phi_2=0 --format "
                "csv --out matrices/\n"
                "  zwang linearise models/bicycle.zw --over \"x'=0:10 [m/s]\" --hold yaw "
                "--out weave.csv\n"
                "  zwang linearise models/tippedisk_reduced.zw --symbolic --steady inverted_spin "
                "--for Omega\n",
    .groups = groups,
    .random = true,
    .arguments = 1,
    .run = run_linearise,
};
