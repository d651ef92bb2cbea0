/* SPDX-License-Identifier: MIT */
/* Paths between two places as a study: the options, and what is done with them. */
#include <math.h>

#include "paths.h"
#include "zwang/study.h"

typedef struct path_options {
    zw_paths_options own;
    int number;
} path_options;

#define AT(field) offsetof(path_options, field)

static const zw_option common_table[] = {
    {"from", ZW_OPT_STRING, AT(own.from), 0, 0, 0, "", "VALUES",
     "initial point: \"x=0, y=1 [m]\" (default: the coordinates of the model's start); velocities "
     "and multipliers may be given too; \"th=free\": no condition on th"},
    {"to", ZW_OPT_STRING, AT(own.to), 0, 0, 0, "", "VALUES",
     "final point: \"x=1 [m], y=0\"; coordinates not given are free"},
    {"time", ZW_OPT_DOUBLE, AT(own.time), NAN, 0, 1e12, "s", NULL, "duration of the motion"},
    {"energy", ZW_OPT_DOUBLE, AT(own.energy), NAN, -1e12, 1e12, "J", NULL,
     "energy of the motion, in place of --time; the duration is then unknown (Maupertuis' "
     "principle)"},
    {"by", ZW_OPT_STRING, AT(own.by), 0, 0, 0, "", "PRINCIPLE",
     "principle (default lagrange); vakonomic: stationary action under velocity constraints"},
    {"starts", ZW_OPT_INT, AT(own.starts), 12, 1, 1000000, "", NULL,
     "number of first guesses: the straight line, randomly perturbed lines, motions with random "
     "velocities"},
    {0},
};
static const zw_option rare_table[] = {
    {"turns", ZW_OPT_INT, AT(own.turns), 0, 0, 100, "", NULL,
     "maximum number of whole turns added to the final angles, in either direction"},
    {"number", ZW_OPT_INT, AT(number), 0, 0, 1000000, "", NULL,
     "number of the motion in --out and --picture"},
    {"start", ZW_OPT_DOUBLE, AT(own.start), 0, -1e12, 1e12, "s", NULL, "initial time"},
    {"seed", ZW_OPT_LONG, AT(own.seed), 1, 0, 1000000000, "", NULL, "seed of the random guesses"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-9, 1e-13, 0.01, "", NULL,
     "relative tolerance of the motion between mesh points"},
    {"intervals", ZW_OPT_INT, AT(own.intervals), 20, 10, 100000, "", NULL,
     "initial mesh intervals; more for motions that reverse many times"},
    {"intervals-max", ZW_OPT_INT, AT(own.intervals_max), 400, 10, 100000, "", NULL,
     "maximum number of mesh intervals"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    ((path_options *)options)->own = zw_paths_options_default();
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    path_options *o = given;
    if (!o->own.by)
        o->own.by = "lagrange";
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    zw_paths *study = NULL;
    zw_status status = zw_paths_create(&study, input->system, &o->own, err);
    *out = study;
    return status;
}

static void destroy_study(void *study) {
    zw_paths_destroy(study);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    (void)input;
    return zw_paths_find(study, err);
}

static void report_study(const void *study, zw_report *out) {
    zw_paths_report(study, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_paths_warnings(study, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    int number = ((const path_options *)input->options)->number, n = zw_paths_count(study);
    (void)which;
    if (number >= n) {
        zw_fail(err, ZW_E_OPTION, "--number %d: there %s %d motion%s", number,
                n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
        zw_error_hint(err, "motions are numbered from 0");
        return ZW_E_OPTION;
    }
    return zw_paths_table(study, number, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "motion as a run result, for zwang plot and zwang view"},
    {0},
};

const zw_study_kind zw_study_path = {
    .name = "path",
    .question = "How does it move?",
    .about = "motions from one place to another in a given time",
    .usage = "path MODEL --to VALUES --time T [--from VALUES] [--by PRINCIPLE]\n"
             "           [--out FILE]",
    .details =
        "Solves a boundary value problem by collocation from several first guesses. Each motion "
        "found is listed once, with its action, conjugate points (is it a minimum?), momenta and "
        "errors. The constraints and the principle determine how many conditions the end must "
        "have; if the number is wrong, the error message gives the right one.",
    .examples = "  zwang path models/double_pendulum.zw --to \"phi_1=1, phi_2=0\" --time 1\n"
                "  zwang path models/rolling_penny.zw --by vakonomic --to \"x=0.3 [m], y=0.2 [m], "
                "th=1, ph=0\" --time 1\n",
    .call = "path double_pendulum --to \"phi_1=1, phi_2=0\" --time 1",
    .printed =
        "double_pendulum: 1 motion by lagrange in 1 s\n"
        "  From phi_1 = 2.094395102 rad, phi_2 = -0.1745329252 rad\n"
        "  to   phi_1 = 1 rad, phi_2 = 0 rad.\n"
        "  2 conditions at the beginning and 2 at the end; the admissible states have 4 ...\n"
        "  Motion 0: action 4.613433978 J s, a minimum (no conjugate points); found 6 times.\n"
        "    It starts with phi_1' = 3.175332002 rad/s, phi_2' = 2.097593807 rad/s.\n"
        "...\n",
    .groups = groups,
    .size = sizeof(path_options),
    .begin = begin_options,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
