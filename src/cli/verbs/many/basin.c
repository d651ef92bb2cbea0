/* SPDX-License-Identifier: MIT */
/* The attractors of motions that begin in a box of starts. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/reduced.h"
#include "num/options.h"
#include "sim/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"start", ZW_OPT_LIST, AT(basin.start), 0, 0, 0, "", "NAME=FROM:TO:N",
     "N values of a coordinate, a velocity or a parameter; several times: the first goes fastest"},
    {"samples", ZW_OPT_INT, AT(basin.samples), 0, 0, 200000000, "", NULL,
     "so many starts, drawn in the ranges, instead of the grid"},
    {"seed", ZW_OPT_INT, AT(basin.seed), 1, 0, 2147483647, "", NULL, "of all that is drawn"},
    {"over", ZW_OPT_STRING, AT(basin.over), 0, 0, 0, "", "NAME=FROM:TO:N",
     "all of it at N values of a parameter: shares and circles"},
    {"refine", ZW_OPT_FLAG, AT(basin.refine), 0, 0, 0, "", NULL,
     "of two axes: only starts whose neighbours differ are computed"},
    {"uncertainty", ZW_OPT_FLAG, AT(basin.uncertainty), 0, 0, 0, "", NULL,
     "pairs of starts that end differently, over their distance: the dimension of the boundary"},
    {"pairs", ZW_OPT_INT, AT(basin.pairs), 2000, 10, 100000000, "", NULL,
     "of starts, at each distance"},
    {"distances", ZW_OPT_INT, AT(basin.levels), 9, 3, 32, "", NULL, "distances of pairs"},
    {"largest", ZW_OPT_DOUBLE, AT(basin.largest), 0.01, 1e-12, 0.5, "", NULL,
     "distance of pairs, in ranges of the axes"},
    {"smallest", ZW_OPT_DOUBLE, AT(basin.smallest), 1e-5, 1e-13, 0.5, "", NULL,
     "distance of pairs, in ranges of the axes"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x", "a panel of the picture, as of zwang plot"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE", "a picture: .svg, .pdf, .png"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL,
     "all numbers as JSON, but for the single starts"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "every start with where it goes and when: .csv, .json, .h5"},
    {0},
};

static const zw_option way_table[] = {
    {"compare", ZW_OPT_STRING, AT(basin.compare), 0, 0, 0, "", "NAMES",
     "quantities by commas by which attractors are told apart; without it all that the equations "
     "depend on"},
    {"section", ZW_OPT_STRING, AT(basin.section), 0, 0, 0, "", "EVENT",
     "motions are looked at when this event of the model comes"},
    {"every", ZW_OPT_DOUBLE, AT(basin.step), 0, 0, 1e12, "s", NULL,
     "between looks; 0: the period of the drive, or chosen"},
    {"box", ZW_OPT_LIST, AT(basin.box), 0, 0, 0, "", "NAME=LOW:HIGH",
     "a motion leaves beyond; without it 1000 times its scale"},
    {"close", ZW_OPT_DOUBLE, AT(basin.close), 1e-6, 1e-10, 1e-3, "", NULL,
     "what counts as arrived, in scales"},
    {"cell", ZW_OPT_DOUBLE, AT(basin.cell), 0.01, 1e-6, 0.25, "", NULL,
     "size of cells of state space, in scales"},
    {"period-max", ZW_OPT_INT, AT(basin.period_max), 64, 1, 4096, "", NULL,
     "longest period looked for, in looks"},
    {"looks", ZW_OPT_INT, AT(basin.looks), 0, 0, 100000000, "", NULL,
     "most of a motion, then it is unresolved; 0: 20000, or 200000 without drive"},
    {"longer", ZW_OPT_DOUBLE, AT(basin.longer), 10, 1, 1e6, "", NULL,
     "what returns without a period is followed so many times longer"},
    {"check", ZW_OPT_INT, AT(basin.check), 100, 0, 1000000, "", NULL,
     "starts that are followed once more, each until it arrives by itself, and again with finer "
     "tolerances"},
    {"threads", ZW_OPT_INT, AT(basin.threads), 0, 0, 4096, "", NULL,
     "0: as many as there are cores"},
    {"engine", ZW_OPT_CHOICE, AT(basin.engine), 0, 0, 0, "", "auto|lanes|single",
     "several motions side by side, or one by one"},
    {0},
};

static zw_basin_options options_of(const cli_options *o) {
    zw_basin_options b = zw_basin_options_default();
    b.naxis = o->basin.start.n;
    b.axis = o->basin.start.item;
    b.nbox = o->basin.box.n;
    b.box = o->basin.box.item;
    b.compare = o->basin.compare;
    b.section = o->basin.section;
    b.step = o->basin.step;
    b.samples = (uint64_t)o->basin.samples;
    b.seed = (uint64_t)o->basin.seed;
    b.cell = o->basin.cell;
    b.close = o->basin.close;
    b.period_max = o->basin.period_max;
    b.looks = o->basin.looks;
    b.longer = o->basin.longer;
    b.check = o->basin.check;
    b.refine = o->basin.refine;
    b.over = o->basin.over;
    b.principle = o->by;
    b.run = o->run;
    b.contacts = &o->sim;
    b.engine = (zw_ensemble_engine)o->basin.engine;
    b.threads = o->basin.threads;
    b.stop = cli_watch;
    b.stop_user = (void *)o;
    return b;
}

static void report_uncertainty(const zw_basin_uncertainty *u) {
    for (int i = 0; i < u->n; i++)
        printf("  eps %-10.4g of %llu pairs %.5f differ\n", u->eps[i],
               (unsigned long long)u->pairs[i], u->f[i]);
    if (isnan(u->alpha)) {
        printf("too few pairs differ: no exponent; more --pairs, or a larger --largest\n");
        return;
    }
    printf("uncertainty exponent %.4f +- %.4f, dimension of the boundary %.4f, misfit %.2g per "
           "freedom: %s\n",
           u->alpha, u->error, u->dimension, u->misfit,
           u->verdict > 0    ? "fractal"
           : u->verdict == 0 ? "smooth"
                             : "undecided");
}

static void report_time(const zw_basin *b) {
    zw_basin_info info;
    zw_basin_statistics(b, &info, sizeof info);
    fprintf(stderr, "%.3g s, %.4g starts per second, %d %s, %d side by side\n", info.seconds,
            info.rate, info.threads, info.threads == 1 ? "thread" : "threads", info.lanes);
}

static zw_status write_files(const cli_options *o, cli_model *m, const char *path,
                             const zw_basin *b, zw_error *err) {
    zw_model_source source = cli_model_source(m, path);
    zw_table *t;
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_basin_table(b, &source, &t, err));
    return cli_picture_and_table(o, m->warnings, t, err);
}

static zw_status report_basin(const cli_options *o, cli_model *m, const char *path, zw_basin *b,
                              const zw_basin_uncertainty *u, zw_error *err) {
    zw_basin_warnings(b, m->warnings);
    cli_report_warnings(o, m->warnings, false);
    char *text = o->json ? zw_basin_json(b, u) : zw_basin_text(b);
    zw_status status = text ? ZW_OK : zw_out_of_memory(err, NULL);
    if (status >= 0 && (o->json || !o->quiet))
        status = cli_write_text(NULL, text, err);
    zw_string_free(zw_basin_system(b)->ctx, text);
    if (status >= 0 && u && !o->json && !o->quiet)
        report_uncertainty(u);
    if (!o->quiet && !o->json)
        report_time(b);
    ZW_TRY(status);
    return write_files(o, m, path, b, err);
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    static const char *const of_pairs[] = {"pairs", "distances", "largest", "smallest"};
    for (int i = 0; i < 4; i++)
        if (cli_is_given(o, of_pairs[i]) && !o->basin.uncertainty)
            return zw_fail(err, ZW_E_OPTION, "--%s is for --uncertainty", of_pairs[i]);
    if (o->basin.uncertainty && o->basin.over)
        return zw_fail(err, ZW_E_OPTION,
                       "--uncertainty is asked for at one value, not with --over");
    if (o->basin.refine && o->basin.samples)
        return zw_fail(err, ZW_E_OPTION, "--refine is for grids, not for --samples");
    if (o->basin.refine && o->basin.start.n != 2)
        return zw_fail(err, ZW_E_OPTION, "--refine is for a grid of two axes");
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

static zw_status find_basin(const cli_options *o, cli_model *m, const char *path, zw_error *err) {
    zw_basin_options options = options_of(o);
    zw_model_source source = cli_model_source(m, path);
    zw_basin_uncertainty u;
    zw_basin *b;
    ZW_TRY(check_options(o, err));
    ZW_TRY(zw_basin_create(&b, &source, &options, err));
    zw_status status = zw_basin_run(b, err);
    if (status == ZW_OK && o->basin.uncertainty)
        status = zw_basin_find_uncertainty(b, (uint64_t)o->basin.pairs, o->basin.largest,
                                           o->basin.smallest, o->basin.levels, &u, err);
    cli_end_progress();
    if (status >= 0) {
        zw_status printed =
            report_basin(o, m, path, b, status == ZW_OK && o->basin.uncertainty ? &u : NULL, err);
        status = printed < 0 ? printed : status;
    }
    zw_basin_destroy(b);
    return status;
}

static bool is_driven(const zw_system *s) {
    zw_equations eq;
    zw_forcing forcing;
    zw_error ignored = {0};
    return s->nv > 0 && zw_derive(&eq, s, NULL, "lagrange", &ignored) >= 0 &&
           zw_forcing_find(&forcing, &eq, &ignored) >= 0 && !forcing.autonomous;
}

/* Forced motions that differ only in their direction are one: in the reduced model they are
 * equal. */
static zw_status find_modulo(const cli_options *o, cli_model *m, const char *path, zw_error *err) {
    cli_options reduced = *o;
    cli_model full = {0};
    zw_reduction *r = NULL;
    zw_status status = ZW_RETRY;
    if (!o->basin.compare && !o->basin.section && is_driven(m->sys))
        status = cli_reduction_make(&r, m->sys, err);
    if (status == ZW_OK &&
        cli_reduction_suits(r, m->sys, &reduced.basin.start, &reduced.basin.box)) {
        status = cli_reduction_open(r, m, &full, path, err);
        if (status == ZW_OK && !o->json && !o->quiet)
            cli_reduction_report(r);
        if (status == ZW_OK)
            status = find_basin(&reduced, m, path, err);
    } else if (status >= 0) {
        status = find_basin(o, m, path, err);
    }
    zw_reduction_destroy(r);
    cli_model_close(&full);
    return status;
}

static int run_basin(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    cli_signals watched;
    zw_status status = cli_model_open(&m, words[0], o, err);
    cli_signals_begin(&watched);
    if (status >= 0) {
        status = find_modulo(o, &m, words[0], err);
        status = cli_judge(o, m.warnings, status, err);
    }
    cli_signals_end(&watched);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"how motions are followed", way_table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {"contacts", zw_sim_contact_table, offsetof(cli_options, sim)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_basin = {
    .name = "basin",
    .usage = "basin MODEL --start NAME=FROM:TO:N [--start ...] [--out FILE] [--picture FILE]",
    .about = "where motions go: attractors, their basins, shares and boundaries",
    .details = "Every start of a grid, or drawn by chance, is followed until it is known where it "
               "goes: to a rest, a cycle, a torus,\n"
               "chaos, out of a box or to an event that stops. Attractors are found on the way, "
               "tried by starts all around them, and\n"
               "numbered by what they are. Starts that stay unresolved are counted.",
    .examples =
        "  zwang basin models/duffing.zw --set \"Omega=2.2 rad/s\" --start x=-4:4:40 --start "
        "\"x'=-6:6:40\"\n"
        "  zwang basin models/driven_pendulum.zw --start phi=-3:3:50 --start \"phi'=-2:2:50\" "
        "--out basin.csv\n"
        "  zwang basin models/duffing.zw --start x=-3:3:60 --start \"x'=-3:3:60\" --over \"F=1:3:5 "
        "N\"\n",
    .groups = groups,
    .arguments = 1,
    .endless = true,
    .run = run_basin,
};
