/* SPDX-License-Identifier: MIT */
/* The linear equations about a steady motion: at one motion, or in one of the ways that an option asks for. */
#include "linearise.h"

#include <string.h>

#include "derive.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "write there instead of standard output"},
    {0},
};

static void put_matrix(zw_text *out, const zw_linearisation *a) {
    zw_text_printf(out, "  A (%d x %d)\n", a->n, a->n);
    for (int i = 0; i < a->n; i++) {
        zw_text_put(out, "   ");
        for (int j = 0; j < a->n; j++)
            zw_text_printf(out, " %15.8g", a->A[i * a->n + j]);
        zw_text_put(out, "\n");
    }
}

static zw_status write_motion(const cli_options *o, const cli_steady *s, zw_equilibria *e,
                              zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->model.ctx);
    zw_text out;
    char *found = o->json ? zw_equilibria_json(e) : zw_equilibria_text(e);
    const char *end = o->json ? "\n}\n" : ""; /* a member comes before it */
    zw_text_init(&out, &alloc);
    if (found)
        zw_text_put_n(&out, found, strlen(found) - strlen(end));
    zw_status status = cli_linearise_hopf(o, e, &out, err);
    zw_text_put(&out, end);
    if (!o->json)
        put_matrix(&out, zw_equilibria_linear(e));
    char *text = zw_text_take(&out);
    if (status >= 0)
        status = found && text ? cli_write_text(o->out, text, err)
                               : zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_string_free(s->model.ctx, found);
    zw_string_free(s->model.ctx, text);
    return status;
}

/* without an option that asks for something else: all matrices at one motion */
static zw_status linearise_once(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_equilibria *e;
    ZW_TRY(zw_equilibria_create(&e, s->model.sys, &s->options, err));
    zw_status status = zw_equilibria_find(e, err);
    if (status >= 0)
        status = write_motion(o, s, e, err);
    zw_equilibria_destroy(e);
    return status;
}

/* one row per option that asks for another way; the last one is taken if none is given */
static const struct {
    const char *option;
    cli_linearise_way way;
} ways[] = {
    {"over", cli_linearise_over},
    {NULL, linearise_once},
};

static zw_status linearise(const cli_options *o, const cli_steady *s, zw_error *err) {
    int i = 0;
    ZW_TRY(cli_place_write(o, o->out, err));
    while (ways[i].option && !cli_is_given(o, ways[i].option))
        i++;
    return ways[i].way(o, s, err);
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_steady s;
    zw_status status = cli_steady_open(&s, words[0], o, err);
    if (status >= 0) {
        status = linearise(o, &s, err);
        status = cli_judge(o, s.model.doubts, status, err);
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
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_linearise = {
    .name = "linearise",
    .usage = "linearise MODEL [--hold NAME[=VALUE]] [--by PRINCIPLE] [--amplitude NAME] "
             "[--over NAME=FROM:TO [--picture FILE]] [--json] [--out FILE]",
    .about = "the linear equations of small disturbances of a steady motion",
    .details =
        "The steady motion that zwang equilibria finds, and the linear equations of small\n"
        "disturbances of it within the constraints. Where one pair of eigenvalues lies on the\n"
        "imaginary axis, cubic terms tell which cycles grow out of the motion. --over goes along "
        "a\n"
        "parameter and locates where eigenvalues cross the imaginary axis, vanish or coalesce.",
    .examples = "  zwang linearise models/double_pendulum.zw --set phi_1=0 --set phi_2=0\n"
                "  zwang linearise models/bicycle.zw --set \"speed=5 [m/s]\" --hold \"rear'\" "
                "--hold yaw\n"
                "  zwang linearise models/bicycle.zw --over \"x'=0:10 [m/s]\" --hold yaw "
                "--out weave.csv\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
