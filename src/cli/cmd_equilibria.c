/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "out/files/file.h"
#include "steady.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with the matrix"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "write there instead of standard output"},
    {0},
};

static zw_status write_out(const cli_options *o, const char *text, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, o->out ? o->out : "-", NULL, err));
    fputs(text, f.stream);
    return zw_out_commit(&f, err);
}

static zw_status find(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_equilibria *e;
    ZW_TRY(cli_place_write(o, o->out, err));
    ZW_TRY(zw_equilibria_create(&e, s->model.sys, &s->options, err));
    zw_status status = zw_equilibria_find(e, err);
    if (status >= 0) {
        char *text = o->json ? zw_equilibria_json(e) : zw_equilibria_text(e);
        status = text ? write_out(o, text, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
        zw_string_free(s->model.ctx, text);
    }
    zw_equilibria_destroy(e);
    return status;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_steady s;
    zw_status status = cli_steady_open(&s, words[0], o, err);
    if (status >= 0) {
        status = find(o, &s, err);
        status = cli_judge(o, s.model.doubts, status, err);
    }
    cli_steady_close(&s);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the motion", cli_steady_table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_equilibria = {
    .name = "equilibria",
    .usage = "equilibria MODEL [--hold NAME[=VALUE]] [--by PRINCIPLE] [--json] [--out FILE]",
    .about = "a steady motion near the start, and whether it is stable",
    .details =
        "Equilibria, and motions that look the same at all times to who moves along with a "
        "symmetry of\n"
        "the system: a disc that rolls in a circle, a top that precesses, in whatever coordinates. "
        "Tells the\n"
        "symmetries, the motion, its constraint forces, and the eigenvalues of small disturbances.",
    .examples =
        "  zwang equilibria models/double_pendulum.zw --set phi_1=0.1 --set phi_2=0\n"
        "  zwang equilibria models/rolling_disc.zw --hold \"alpha'=6 [rad/s]\" --hold beta=70deg\n"
        "  zwang equilibria models/tippedisk.zw --hold \"alpha'=40 [rad/s]\" --set gamma=90deg\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
