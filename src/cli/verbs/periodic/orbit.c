/* SPDX-License-Identifier: MIT */
/* The periodic orbit to which a model converges. */
#include <math.h>
#include <stdio.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/orbits.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "motion/segments/periodic.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"point", ZW_OPT_STRING, AT(orbits.point), 0, 0, 0, "", "WHICH",
     "of a branch file: the orbit that is meant: LP1, \"fold 2\", EP1, or a value"},
    {"mode", ZW_OPT_INT, AT(mode), 1, 1, 1000000, "", NULL,
     "of --from mode: its number, as zwang equilibria lists them"},
    {"shooting", ZW_OPT_FLAG, AT(orbits.shooting), 0, 0, 0, "", NULL,
     "the same orbit by shooting, too: how far apart both are; where collocation finds none, by "
     "shooting alone"},
    {"nodes", ZW_OPT_INT, AT(orbits.nodes), 1, 1, 1000, "", NULL,
     "of shooting; more than one for orbits that are very unstable"},
    {"method", ZW_OPT_STRING, AT(orbits.method), 0, 0, 0, "", "METHOD",
     "of shooting: how it integrates, as of zwang run (default: rk87, or radau where the motion is "
     "stiff)"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t", "a panel of the picture, as of zwang plot"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of one period: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with the nodes"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "one period as a result, integrated from its beginning: for zwang plot and zwang view"},
    {0},
};

enum { ROWS = 400 };
#define METHODS_DIFFER 1e-5 /* relative: ten times the default tolerance of collocation */
/* Closure error relative to the size of the motion: a thousand times the default tolerance, and
 * visible in a picture. */
#define CLOSURE_ERROR_MAX 1e-3

static zw_status write_orbit(const cli_options *o, cli_orbits *s, zw_error *err) {
    zw_model_source source = cli_model_source(&s->motion.model, s->motion.path);
    zw_table *rows;
    double gap;
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_orbits_motion_table(s->study, 0, ROWS, &source, &rows, &gap, err));
    fprintf(stderr,
            "the orbit integrated over its period misses its beginning by %.1e of its size\n", gap);
    zw_status status = ZW_OK;
    if (!(gap < CLOSURE_ERROR_MAX)) {
        zw_warning d =
            zw_warning_of("period", NAN,
                          "the orbit does not close when it is integrated over its period: "
                          "it misses its beginning by %.1e of its size",
                          gap);
        zw_warnings_add(s->motion.model.warnings, &d);
        cli_report_warnings(o, s->motion.model.warnings, false);
    }
    if (o->out)
        status = cli_write_table(rows, o->out, err);
    if (status >= 0 && o->picture)
        status = cli_picture_result(o, rows, err);
    zw_table_destroy(rows);
    return status;
}

static zw_status report_symmetry(const cli_options *o, cli_orbits *s, int number, zw_error *err) {
    char text[400];
    if (o->json || o->quiet || o->orbits.symmetry)
        return ZW_OK;
    ZW_TRY(zw_orbits_report_symmetry(s->study, number, text, sizeof text, err));
    if (text[0])
        printf("    half a period later it is its own image: --symmetry \"%s\"\n", text);
    return ZW_OK;
}

static zw_status confirm_by_shooting(const cli_options *o, cli_orbits *s, int number,
                                     zw_error *err) {
    zw_orbits_shot shot;
    if (!o->orbits.shooting)
        return ZW_OK;
    ZW_TRY(zw_orbits_shoot(s->study, number, o->orbits.nodes, o->orbits.method, &shot, err));
    fprintf(
        o->json ? stderr : stdout,
        "    by shooting: period %.12g s (%s), %d steps of Newton's method, misses its beginning "
        "by %.1e; periods differ by %.1e, multipliers by %.1e, first nodes by %.1e of the size\n",
        shot.period, shot.method, shot.iterations, shot.residual, shot.period_off,
        shot.multipliers_off, shot.state_off);
    if (shot.period_off < METHODS_DIFFER && !(shot.multipliers_off > METHODS_DIFFER))
        return ZW_OK;
    zw_warning d =
        zw_warning_of("shooting", NAN,
                      "shooting finds another orbit: periods differ by %.1e, multipliers by "
                      "%.1e",
                      shot.period_off, shot.multipliers_off);
    zw_warnings_add(s->motion.model.warnings, &d);
    cli_report_warnings(o, s->motion.model.warnings, false);
    return ZW_OK;
}

static void report_shot(const cli_options *o, const cli_orbits *s, const zw_shooting *shot,
                        const char *method) {
    const zw_system *sys = s->motion.model.sys;
    const zw_floquet *f = &shot->floquet;
    int one = f->trivial;
    double off = one >= 0 ? hypot(f->re[one] - 1, f->im[one]) : 0;
    if (o->json) {
        printf("{\"model\": \"%s\", \"shooting\": {\"method\": \"%s\", \"period\": %.17g, "
               "\"residual\": %.17g, \"iterations\": %d, \"multipliers\": [",
               sys->name, method, shot->period, shot->residual, shot->iterations);
        for (int i = 0; i < f->n; i++)
            printf("%s[%.17g, %.17g]", i ? ", " : "", f->re[i], f->im[i]);
        printf("], \"x\": [");
        for (int i = 0; i < shot->nx; i++)
            printf("%s%.17g", i ? ", " : "", shot->x[i]);
        printf("]}}\n");
        return;
    }
    printf(
        "%s: 1 orbit, by shooting alone (%s)\n  %s; period %.12g s, %d steps of Newton's method, "
        "misses its beginning by %.1e\n    multipliers",
        sys->name, method,
        f->verdict == ZW_FLOQUET_STABLE     ? "stable"
        : f->verdict == ZW_FLOQUET_UNSTABLE ? "unstable"
                                            : "stability undecided",
        shot->period, shot->iterations, shot->residual);
    for (int i = 0; i < f->n; i++)
        printf(f->im[i] != 0 ? "%s %.8g %+.8gi" : "%s %.8g", i ? "," : "", f->re[i], f->im[i]);
    printf(", to %.0e\n", fmax(f->accuracy, off));
}

/* if collocation finds none: from the run by shooting */
static zw_status shoot_alone(const cli_options *o, cli_orbits *s, zw_error *err) {
    zw_shooting shot = {0};
    const char *method;
    zw_error before = err ? *err : (zw_error){0};
    bool elsewhere = s->table || (o->orbits.from && !cli_orbits_is_from(o, "run"));
    if (!o->orbits.shooting || elsewhere || o->out || o->picture)
        return ZW_E_NUMERIC;
    *err = (zw_error){0};
    zw_status status =
        zw_orbits_shoot_run(s->study, o->orbits.nodes, o->orbits.method, &shot, &method, err);
    cli_end_progress();
    if (status >= 0) {
        zw_warning d =
            zw_warning_of("collocation", NAN, "collocation finds no orbit: %.200s", before.text);
        report_shot(o, s, &shot, method);
        zw_warnings_add(s->motion.model.warnings, &d);
        cli_report_warnings(o, s->motion.model.warnings, false);
    }
    zw_shooting_clear(&shot);
    return status;
}

static zw_status find_orbit(const cli_options *o, cli_orbits *s, zw_error *err) {
    int number;
    zw_status status = cli_orbits_begin(o, s, NAN, &number, err);
    if (status == ZW_E_NUMERIC)
        return shoot_alone(o, s, err);
    ZW_TRY(status);
    cli_end_progress();
    ZW_TRY(cli_orbits_report(o, s, err));
    ZW_TRY(report_symmetry(o, s, number, err));
    ZW_TRY(confirm_by_shooting(o, s, number, err));
    return write_orbit(o, s, err);
}

static zw_status check_options(const cli_options *o, cli_orbits *s, zw_error *err) {
    (void)s;
    ZW_TRY(cli_orbits_check_from(o, err));
    if (cli_is_given(o, "nodes") && !o->orbits.shooting)
        return zw_fail(err, ZW_E_OPTION, "--nodes are those of --shooting");
    if (o->orbits.method && !o->orbits.shooting)
        return zw_fail(err, ZW_E_OPTION, "--method is that of --shooting");
    if (cli_orbits_is_from(o, "hopf"))
        return zw_fail(err, ZW_E_OPTION, "--from hopf: branches begin there (zwang continue)");
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    return cli_guard_write(o, o->out, err);
}

static int run_orbit(const cli_options *o, const char *const *words, zw_error *err) {
    return cli_orbits_run(o, words[0], NULL, check_options, find_orbit, err);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the orbit", cli_orbits_table, offsetof(cli_options, orbits)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_orbit = {
    .name = "orbit",
    .usage = "orbit MODEL|BRANCH [--period T] [--point WHICH] [--out FILE] [--picture FILE]",
    .about = "the periodic orbit to which a model goes, driven or not, with its stability",
    .details =
        "The start of the model runs until it comes back to where it was; from there the "
        "orbit by collocation on a mesh\n"
        "that follows it, with its period, what every coordinate and observable does in it, "
        "and Floquet's multipliers.\n"
        "Where events act, or contacts open, close, slide and stick, it goes from one to the "
        "next, and their order is told.\n"
        "BRANCH is a file of zwang continue --out: --point says which of its orbits is "
        "meant.",
    .examples = "  zwang orbit models/van_der_pol.zw --out cycle.csv\n"
                "  zwang orbit models/lorenz.zw --set rho=160 --json\n"
                "  zwang orbit branch.csv --point PD1 --out cycle.csv\n",
    .groups = groups,
    .arguments = 1,
    .results = true,
    .run = run_orbit,
};
