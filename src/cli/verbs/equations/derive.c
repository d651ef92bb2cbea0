/* SPDX-License-Identifier: MIT */
#include "cli/derive.h"
#include "cli/cli.h"

#define AT(field) offsetof(cli_options, field)

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_C, FORMAT_JSON };

static const zw_option table[] = {
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|c|json",
     "how to write them"},
    {"simplify", ZW_OPT_CHOICE, AT(simplify), ZW_SHORTENED, 0, 0, "", "0|1|2",
     "text, latex: 0 as derived, 1 collected and factored, with named coefficients, 2 sines and "
     "cosines combined, zeros of constraints put in"},
    {"steps", ZW_OPT_FLAG, AT(steps), 0, 0, 0, "", NULL,
     "text, latex, json: how they are derived, step by step, before them"},
    {"eliminate", ZW_OPT_FLAG, AT(eliminate), 0, 0, 0, "", NULL,
     "text, latex, json: dependent velocities put in, accelerations solved for where that can be "
     "read"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the same as --format json"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "write there instead of standard output"},
    {"header", ZW_OPT_STRING, AT(header), 0, 0, 0, "", "FILE",
     "c: a header too, with sizes and the places of everything by name; the C file includes it"},
    {0},
};

static zw_status check_options(const cli_options *o, int format, zw_error *err) {
    if (o->header && format != FORMAT_C) {
        zw_fail(err, ZW_E_OPTION, "--header is the header of generated C");
        zw_error_hint(err, "add --format c");
        return ZW_E_OPTION;
    }
    if (format == FORMAT_C && (o->steps || o->eliminate))
        return zw_fail(err, ZW_E_OPTION, "%s is for people: generated C has its own form",
                       o->steps ? "--steps" : "--eliminate");
    ZW_TRY(cli_guard_write(o, o->out, err));
    return cli_guard_write(o, o->header, err);
}

static zw_status derive_equations(const cli_options *o, const cli_model *m, zw_error *err) {
    zw_equations eq;
    int format = o->json ? FORMAT_JSON : (int)o->format;
    ZW_TRY(check_options(o, format, err));
    const char *by = o->by ? o->by : "lagrange";
    ZW_TRY(o->steps ? zw_derive_steps(&eq, m->sys, NULL, by, err)
                    : zw_derive(&eq, m->sys, NULL, by, err));
    if (o->eliminate)
        ZW_TRY(zw_equations_eliminate(&eq, &eq, err));
    if (format == FORMAT_C)
        return cli_derive_c(o, &eq, err);
    char *text = zw_equations_write(&eq,
                                    format == FORMAT_JSON    ? ZW_EQUATIONS_JSON
                                    : format == FORMAT_LATEX ? ZW_EQUATIONS_LATEX
                                                             : ZW_EQUATIONS_TEXT,
                                    (zw_simplification)o->simplify);
    if (!text) {
        zw_fail(err, ZW_E_MODEL, "the equations are too large to print");
        zw_error_hint(err, "write them as code with --format=c");
        return ZW_E_MODEL;
    }
    zw_status status = cli_write_text(o->out, text, err);
    zw_string_free(m->ctx, text);
    return status;
}

static int run_derive(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    zw_status status = cli_model_open(&m, words[0], o, err);
    cli_report_warnings(o, m.warnings, false);
    if (status >= 0)
        status = derive_equations(o, &m, err);
    status = cli_judge(o, m.warnings, status, err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_derive = {
    .name = "derive",
    .usage = "derive MODEL [--by PRINCIPLE] [--format text|latex|c|json] [--simplify 0|1|2] "
             "[--steps] [--eliminate] [--out FILE] [--header FILE]",
    .about = "the equations of motion, written out",
    .details =
        "Energies, kinematics, equations of motion with the multipliers on the right, "
        "constraints;\n"
        "by lagrange, maggi, boltzmann-hamel, gibbs-appell, kane, gauss, gauss-min, voronets,\n"
        "chaplygin, hamilton, vakonomic. What recurs in long equations is named.\n"
        "With --steps the derivation stands before them as one would write it by hand: energies,\n"
        "partial derivatives, constraints, elimination, the principle. With --eliminate the\n"
        "dependent velocities are put in and the equations read v' = ... where few accelerations\n"
        "are coupled; what stays implicit is said.\n"
        "LaTeX is a complete document for pdflatex, broken to the width of its pages; C is a\n"
        "stand-alone file that needs only libm, with the values of the parameters and a start\n"
        "that fulfils the constraints.",
    .examples = "  zwang derive models/pendulum_cartesian.zw\n"
                "  zwang derive models/double_pendulum.zw --simplify 2\n"
                "  zwang derive models/rolling_penny.zw --by boltzmann-hamel --steps\n"
                "  zwang derive models/unicycle.zw --eliminate\n"
                "  zwang derive models/turntable_ball.zw --by maggi --format latex --out ball.tex\n"
                "  zwang derive models/duffing.zw --format c --out duffing.c --header duffing.h\n",
    .groups = groups,
    .random = true,
    .arguments = 1,
    .run = run_derive,
};
