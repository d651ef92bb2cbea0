/* SPDX-License-Identifier: MIT */
/* The periodic motions that are the response to a periodic excitation, at the values of the
 * parameters. */
#include <math.h>
#include <stdio.h>

#include "cli/derive.h"
#include "cli/forced.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"number", ZW_OPT_INT, AT(forced.number), 0, 0, 1000000, "", NULL,
     "which of the motions --out and --picture are of"},
    {"gauss", ZW_OPT_FLAG, AT(forced.gauss), 0, 0, 0, "", NULL,
     "minima of the Gaussian over a period instead, with --harmonics (default 1); of each whether "
     "it "
     "is a motion"},
    {"shooting", ZW_OPT_FLAG, AT(forced.shooting), 0, 0, 0, "", NULL,
     "by integration over the period instead: forces may have kinks and jumps"},
    {"nodes", ZW_OPT_INT, AT(forced.nodes), 1, 1, 1000, "", NULL,
     "of --shooting: pieces of the period; more for motions that are very unstable"},
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=A:B:N",
     "with --gauss: minima carried along a parameter, in N rows; else see zwang response"},
    {"for", ZW_OPT_STRING, AT(forced.with), 0, 0, 0, "", "NAME=A,B,C",
     "values of a second parameter for --gauss and --over, in one table and one picture"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t", "a panel of the picture, as of zwang plot"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of one period: .svg, .pdf, .png, .tex"},
    {"spectrum", ZW_OPT_STRING, AT(forced.spectrum), 0, 0, 0, "", "FILE",
     "table of the harmonics of one motion: frequency, amplitude and phase of every coordinate"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with coefficients"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "one period as a result, integrated from its beginning: for zwang plot and zwang view; with "
     "--gauss the minima, or what --over and --surface ask for"},
    {0},
};

static zw_status write_motion(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_table *rows;
    int number = o->forced.number;
    if (!o->out && !o->picture && !o->forced.spectrum)
        return ZW_OK;
    if (number >= zw_forced_motions(s->study))
        return zw_fail(err, ZW_E_OPTION, "--number %d: there are %d motions, counted from 0",
                       number, zw_forced_motions(s->study));
    if (o->forced.spectrum)
        ZW_TRY(cli_forced_spectrum(o, s, number, err));
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(cli_forced_motion(o, s, s->study, number, &rows, err));
    zw_status status = ZW_OK;
    if (o->out)
        status = cli_write_table(rows, o->out, err);
    if (status >= 0 && o->picture)
        status = cli_picture_result(o, rows, err);
    zw_table_destroy(rows);
    return status;
}

static zw_status find_by_shooting(const cli_options *o, cli_forced *s, zw_error *err) {
    if (o->forced.harmonics || o->forced.odd)
        return zw_fail(err, ZW_E_OPTION,
                       "--shooting has no harmonics to choose: --harmonics and --odd are of the "
                       "balance and of --gauss");
    ZW_TRY(zw_forced_shoot(s->study, NAN, o->forced.nodes, o->forced.starts, NULL, err));
    if (zw_forced_drifts(s->study) && !zw_event_orbits_suit(s->model.sys)) {
        zw_status status = cli_forced_reduce(o, s, err);
        ZW_TRY(status);
        if (status == ZW_OK)
            ZW_TRY(zw_forced_shoot(s->study, NAN, o->forced.nodes, o->forced.starts, NULL, err));
    }
    cli_end_progress();
    ZW_TRY(cli_forced_report(o, s, err));
    return write_motion(o, s, err);
}

static zw_status find_motion(const cli_options *o, cli_forced *s, zw_error *err) {
    if (o->forced.gauss && o->forced.shooting)
        return zw_fail(err, ZW_E_OPTION, "--gauss and --shooting are two ways: choose one");
    if (o->forced.gauss)
        return cli_gauss_find(o, s, err);
    if (o->forced.shooting)
        return find_by_shooting(o, s, err);
    zw_status status = zw_forced_find(s->study, NAN, NULL, err);
    if (status == ZW_E_NUMERIC && o->forced.starts > 0) {
        *err = (zw_error){0};
        status = ZW_OK;
    }
    ZW_TRY(status);
    if (o->forced.starts > 0)
        ZW_TRY(zw_forced_search(s->study, NAN, o->forced.starts, NULL, err));
    cli_end_progress();
    if (!zw_forced_motions(s->study))
        return zw_fail(err, ZW_E_NUMERIC, "no periodic motion was found from %d starts",
                       o->forced.starts + 1);
    ZW_TRY(cli_forced_report(o, s, err));
    return write_motion(o, s, err);
}

static zw_status check_options(const cli_options *o, cli_forced *s, zw_error *err) {
    (void)s;
    ZW_TRY(cli_gauss_check(o, err));
    return cli_guard_write(o, o->out, err);
}

static int run_steady(const cli_options *o, const char *const *words, zw_error *err) {
    return cli_forced_run(o, words[0], o->over, check_options, find_motion, err);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"with --gauss", cli_gauss_table, offsetof(cli_options, gauss)},
    {"the balance of harmonics", cli_forced_table, offsetof(cli_options, forced)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_steady_verb = {
    .name = "steady",
    .usage = "steady MODEL [--starts N] [--harmonics H] [--out FILE] [--picture FILE]",
    .about = "periodic motions of a driven model, with their stability",
    .details = "The motions with the period of the drive, by harmonic balance: rms, mean, largest "
               "and smallest value, first\n"
               "harmonic and phase of every coordinate and observable, Floquet's multipliers, and "
               "an estimate of what the\n"
               "harmonics that are left out would change. The first one is what the start of the "
               "model leads to.\n"
               "With two or three excitation frequencies without a common period: the "
               "quasi-periodic motion,\n"
               "its spectral lines and its Lyapunov exponents.",
    .examples = "  zwang steady models/duffing.zw --starts 30\n"
                "  zwang steady models/absorber_planar.zw --out motion.csv\n"
                "  zwang steady models/duffing.zw --gauss --odd --starts 30\n",
    .groups = groups,
    .arguments = 1,
    .run = run_steady,
};
