/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli.h"
#include "out/files/file.h"

#define AT(field) offsetof(cli_options, field)

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_C, FORMAT_JSON };

static const zw_option table[] = {
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|c|json",
     "how to write them"},
    {"simplify", ZW_OPT_CHOICE, AT(simplify), ZW_SHORTENED, 0, 0, "", "0|1|2",
     "text, latex: 0 as derived, 1 shortened, with named coefficients, 2 sines and cosines "
     "combined"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the same as --format json"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "write there instead of standard output"},
    {0},
};

static zw_status write_out(const cli_options *o, const char *text, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, o->out ? o->out : "-", NULL, err));
    fputs(text, f.stream);
    return zw_out_commit(&f, err);
}

/* the C file solves linear equations */
static zw_status refuse_inequality(const zw_equations *eq, zw_error *err) {
    for (int c = 0; eq->inequality && c < eq->nc; c++)
        if (eq->inequality[c]) {
            const zw_constraint *k = &eq->sys->constraint[eq->constraint[c]];
            return zw_fail_at(err, ZW_E_MODEL, k->place,
                              "the inequality %s cannot be written as C: that has no minimisation",
                              k->name);
        }
    return ZW_OK;
}

static zw_status derive(const cli_options *o, const cli_model *m, zw_error *err) {
    zw_equations eq;
    ZW_TRY(cli_place_write(o, o->out, err));
    ZW_TRY(zw_derive(&eq, m->sys, NULL, o->by ? o->by : "lagrange", err));
    int format = o->json ? FORMAT_JSON : (int)o->format;
    char *text;
    if (format == FORMAT_C) {
        ZW_TRY(refuse_inequality(&eq, err));
        text = zw_emit_c(&eq, err);
        if (!text && err->status == ZW_OK)
            return zw_fail(err, ZW_E_MEMORY, "out of memory");
    } else {
        text = zw_equations_write(&eq,
                                  format == FORMAT_JSON    ? ZW_EQUATIONS_JSON
                                  : format == FORMAT_LATEX ? ZW_EQUATIONS_LATEX
                                                           : ZW_EQUATIONS_TEXT,
                                  (zw_simplification)o->simplify);
        if (!text)
            return zw_fail(err, ZW_E_MEMORY, "the equations are too large to print");
    }
    if (!text)
        return err->status;
    zw_status status = write_out(o, text, err);
    zw_string_free(m->ctx, text);
    return status;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    zw_status status = cli_model_open(&m, words[0], o, err);
    cli_tell_doubts(o, m.doubts, false);
    if (status >= 0)
        status = derive(o, &m, err);
    status = cli_judge(o, m.doubts, status, err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_derive = {
    .name = "derive",
    .usage = "derive MODEL [--by PRINCIPLE] [--format text|latex|c|json] [--simplify 0|1|2] [--out "
             "FILE]",
    .about = "the equations of motion, written out",
    .details =
        "Kinematics, equations of motion with the multipliers on the right, constraints; by\n"
        "lagrange, maggi, boltzmann-hamel, gibbs-appell, kane, gauss, gauss-min, voronets,\n"
        "chaplygin, hamilton, vakonomic. What recurs in long equations is named.\n"
        "LaTeX is a complete document; C is a stand-alone file that needs only libm.",
    .examples = "  zwang derive models/pendulum_cartesian.zw\n"
                "  zwang derive models/double_pendulum.zw --simplify 2\n"
                "  zwang derive models/turntable_ball.zw --by maggi --format latex --out ball.tex\n"
                "  zwang derive models/duffing.zw --format c --out duffing.c\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
