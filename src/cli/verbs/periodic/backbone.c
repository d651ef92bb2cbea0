/* SPDX-License-Identifier: MIT */
/* Families of free motions of a conservative system. */
#include "cli/forced.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "how far: energy=0:10, frequency=1:3, max(x)=0:2"},
    {"mode", ZW_OPT_INT, AT(mode), 0, 0, 10000, "", NULL,
     "the small oscillation that the family begins with, the slowest is 1; 0: all of them"},
    {"pick", ZW_OPT_STRING, AT(forced.point), 0, 0, 0, "", "WHICH",
     "one motion of the curves: fold, fold 2, branch, period-doubling, neimark-sacker, or a value"},
    {"motion", ZW_OPT_STRING, AT(forced.motion), 0, 0, 0, "", "FILE",
     "where it goes: one period as a result, for zwang plot and zwang view"},
    {"coefficients", ZW_OPT_FLAG, AT(forced.coefficients), 0, 0, 0, "", NULL,
     "columns cos1(x), sin1(x), ... in a table as .csv, too; .json and .h5 have them"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: max(x):frequency"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture, dashed where unstable: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with coefficients"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "all points: .csv, .json, .h5"},
    {0},
};

static zw_status follow_backbones(const cli_options *o, cli_forced *s, zw_error *err) {
    int n = zw_forced_modes(s->study), first = o->mode ? o->mode - 1 : 0,
        end = o->mode ? o->mode : n, found = 0;
    zw_status status = ZW_OK;
    for (int i = first; i < end && status >= 0 && !(found && cli_interrupted()); i++) {
        zw_error trouble = {0};
        status = zw_forced_backbone(s->study, i, &trouble);
        found += status >= 0;
        if (status == ZW_E_NUMERIC && end - first > 1 && (i + 1 < end || found))
            status = ZW_OK; /* others may be in the range */
        else if (status < 0)
            *err = trouble;
    }
    cli_end_progress();
    ZW_TRY(status);
    ZW_TRY(cli_forced_report(o, s, err));
    ZW_TRY(cli_forced_files(o, s, err));
    ZW_TRY(cli_forced_point(o, s, err));
    return cli_interrupted() ? ZW_STOPPED : ZW_OK;
}

static int run_backbone(const cli_options *o, const char *const *words, zw_error *err) {
    cli_options free = *o;
    free.forced.free = true;
    return cli_forced_run(&free, words[0], o->over, cli_forced_check_files, follow_backbones, err);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the balance of harmonics", cli_balance_table, offsetof(cli_options, forced)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_backbone = {
    .name = "backbone",
    .usage = "backbone MODEL --over energy=FROM:TO [--mode K] [--out FILE] [--picture FILE]",
    .about = "free periodic motions of a conservative model: nonlinear normal modes",
    .details = "The families of periodic motions that begin with the small oscillations about the "
               "equilibrium near the start, by harmonic\n"
               "balance: their frequency, energy, amplitudes and multipliers. Drive and damping "
               "must be off: --set \"F=0\" and the like.",
    .examples = "  zwang backbone models/double_pendulum.zw --over energy=0:5\n"
                "  zwang backbone models/duffing.zw --set \"F=0 [N]\" --set \"c=0 [N*s/m]\" --over "
                "\"max(x)=0:3\"\n",
    .groups = groups,
    .arguments = 1,
    .run = run_backbone,
};
