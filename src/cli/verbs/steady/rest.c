/* SPDX-License-Identifier: MIT */
/* Whether the start stays at rest on its contacts, and over what range of a parameter. */
#include "cli/derive.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "all values of a parameter or coordinate at which it rests: slope=0:60deg; a third number "
     "says "
     "how many are looked at first"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "write there instead of standard output"},
    {0},
};

static zw_status report_statics(const cli_options *o, const cli_model *model, zw_error *err) {
    zw_statics *s;
    ZW_TRY(cli_guard_write(o, o->out, err));
    ZW_TRY(zw_statics_create(&s, model->sys, o->over, err));
    char *text = o->json ? zw_statics_json(s) : zw_statics_text(s);
    zw_status status = cli_write_text(o->out, text, err);
    zw_string_free(model->ctx, text);
    zw_statics_destroy(s);
    return status;
}

static int run_rest(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_status status = cli_model_open(&model, words[0], o, err);
    if (status >= 0) {
        cli_report_warnings(o, model.warnings, false);
        status = report_statics(o, &model, err);
        status = cli_judge(o, model.warnings, status, err);
    }
    cli_model_close(&model);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_rest = {
    .name = "rest",
    .usage = "rest MODEL [--over NAME=FROM:TO] [--json] [--out FILE]",
    .about = "whether contacts and their friction hold a model at rest",
    .details =
        "In the configuration of the start: whether forces of the closed contacts exist that keep "
        "it "
        "at rest,\n"
        "one set of them, how much smaller friction could be, and what gives way then. With --over "
        "all values\n"
        "of a parameter or coordinate at which it rests, and what happens at their ends.",
    .examples = "  zwang rest models/incline_block.zw --set slope=10deg\n"
                "  zwang rest models/incline_block.zw --over slope=0:60deg\n",
    .groups = groups,
    .arguments = 1,
    .run = run_rest,
};
