/* SPDX-License-Identifier: MIT */
/* Rest with contact and friction as a study: the options, and what is done with them. */
#include "statics.h"
#include "zwang/study.h"

typedef struct rest_options {
    const char *over;
} rest_options;

static const zw_option common_table[] = {
    {"over", ZW_OPT_STRING, offsetof(rest_options, over), 0, 0, 0, "", "NAME=FROM:TO[:POINTS]",
     "parameter or coordinate, its range, and the number of values examined first (default 201): "
     "slope=0:60deg"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {NULL, NULL, 0, false},
};

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    const rest_options *o = given;
    zw_statics *study = NULL;
    zw_status status = zw_statics_create(&study, input->system, o->over, err);
    *out = study;
    return status;
}

static void destroy_study(void *study) {
    zw_statics_destroy(study);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    return zw_statics_run(study, input->stop, input->user, err);
}

static void report_study(const void *study, zw_report *out) {
    zw_statics_report(study, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    (void)which;
    return zw_statics_table(study, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "reserve and contact forces for each value of --over; without it one row"},
    {0},
};

const zw_study_kind zw_study_rest = {
    .name = "rest",
    .question = "Where does it rest, and is that stable?",
    .about = "whether contacts and their friction hold a model at rest",
    .usage = "rest MODEL [--over NAME=FROM:TO] [--out FILE]",
    .details =
        "Decides whether the closed contacts can carry forces that keep the configuration of the "
        "start at rest. Reports one set of such forces, the smallest sufficient friction, and "
        "which contacts give way with less. With --over, finds all values of a parameter or "
        "coordinate at which the model rests, and what gives way at their ends.",
    .examples = "  zwang rest models/incline_block.zw --set slope=10deg\n"
                "  zwang rest models/incline_block.zw --over slope=0:60deg\n",
    .call = "rest incline_block --set slope=10deg",
    .printed =
        "incline_block: rests at the start\n"
        "  rear             4.404609873 N, 1 -0.7239826647 N\n"
        "  toe              5.256354184 N, 1 -0.9795059582 N\n"
        "  statically indeterminate: equilibrium does not determine 1 of these ...\n"
        "  it remains at rest down to 0.5877566024 times the friction; with less, contacts ...\n",
    .groups = groups,
    .size = sizeof(rest_options),
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .table = make_table,
    .destroy = destroy_study,
};
