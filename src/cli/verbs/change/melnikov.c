/* SPDX-License-Identifier: MIT */
/* Melnikov's method: separatrices and cycles of nearly conservative planar systems. */
#include <stdio.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/reduced.h"

#define AT(field) offsetof(cli_options, field)

enum { BOTH, PLUS, MINUS };

static const zw_option table[] = {
    {"eps", ZW_OPT_STRING, AT(melnikov.small), 0, 0, 0, "", "NAMES",
     "the parameter that is small; several that are small together: \"F, c\""},
    {"fast", ZW_OPT_LIST, AT(slow.fast), 0, 0, 0, "", "NAME",
     "what is fast if --eps is small: the flow on the slow manifold is studied, up to eps^1"},
    {"conserved", ZW_OPT_STRING, AT(melnikov.conserved), 0, 0, 0, "", "EXPR",
     "what is conserved without it (default: the energy, an observable, or a plain Hamiltonian); "
     "of more than two states several: \"A; B\""},
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "zeros of M over this parameter; with a drive where M(t0) begins to have zeros"},
    {"marks", ZW_OPT_STRING, AT(forced.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "curves of these zeros over a second parameter"},
    {"cycles", ZW_OPT_FLAG, AT(melnikov.cycles), 0, 0, 0, "", NULL,
     "closed level curves about a centre instead: which of them become cycles; with --over the "
     "branch of cycles"},
    {"rotating", ZW_OPT_CHOICE, AT(melnikov.rotating), 0, 0, 0, "", "no|+|-",
     "with --cycles: curves on which an angle goes round, beyond the separatrix to this side; "
     "amplitudes are how far the other state is from the saddle at its angle"},
    {"amplitude", ZW_OPT_STRING, AT(melnikov.amplitude), 0, 0, 0, "", "FROM:TO",
     "of the closed curves, along the coordinate from the centre (default: up to the separatrix)"},
    {"expand", ZW_OPT_STRING, AT(melnikov.expand), 0, 0, 0, "", "NAME=FROM:TO",
     "M as a series in this parameter at FROM, from values up to TO; coefficients are exact where "
     "integrals are elementary"},
    {"terms", ZW_OPT_INT, AT(melnikov.terms), 3, 1, ZW_MELNIKOV_TERMS, "", NULL, "of that series"},
    {"at", ZW_OPT_STRING, AT(at), 0, 0, 0, "", "VALUES",
     "\"x=0, y=0\": the saddle, or with --cycles the centre, near there (default: looked for)"},
    {"side", ZW_OPT_CHOICE, AT(melnikov.side), BOTH, 0, 0, "", "both|+|-",
     "of the eigenvector, to which the separatrix leaves"},
    {"master", ZW_OPT_STRING, AT(melnikov.master), 0, 0, 0, "", "NAME",
     "the state over which the second integral goes (default: chosen)"},
    {"points", ZW_OPT_INT, AT(melnikov.points), 41, 3, 100000, "", NULL,
     "values of the range, or amplitudes"},
    {"orders", ZW_OPT_INT, AT(melnikov.orders), 8, 1, 1000, "", NULL,
     "with --cycles and a drive: resonances up to so many of its periods"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x", "a panel of the picture, as of zwang plot"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the table: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"curves", ZW_OPT_STRING, AT(melnikov.curves), 0, 0, 0, "", "FILE",
     "the separatrices with level curves beside them as a table"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "M over the parameter, the curves of its zeros, the cycles, M over the phase, or the "
     "separatrices"},
    {0},
};

static zw_status open_study(const cli_options *o, const cli_model *model, zw_melnikov **study,
                            zw_error *err) {
    static const int side[] = {0, 1, -1}; /* for the three choices */
    zw_melnikov_options options = zw_melnikov_options_default();
    options.small = o->melnikov.small;
    options.conserved = o->melnikov.conserved;
    options.at = o->at;
    options.side = side[o->melnikov.side];
    options.master = o->melnikov.master;
    options.over = o->over;
    options.marks = o->forced.marks;
    options.cycles = o->melnikov.cycles;
    options.amplitude = o->melnikov.amplitude;
    options.expand = o->melnikov.expand;
    options.terms = o->melnikov.terms;
    options.rotating = side[o->melnikov.rotating];
    options.points = o->melnikov.points;
    options.orders = o->melnikov.orders;
    options.principle = o->by;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_melnikov_create(study, model->sys, &options, err);
}

static zw_status report_melnikov(const cli_options *o, const cli_model *model,
                                 const zw_melnikov *study, zw_error *err) {
    zw_melnikov_warnings(study, model->warnings);
    cli_report_warnings(o, model->warnings, false);
    char *text = o->json ? zw_melnikov_json(study) : zw_melnikov_text(study);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(model->ctx, text);
    return status;
}

static zw_status write_curves(const cli_options *o, const cli_model *model,
                              const zw_model_source *source, const zw_melnikov *study,
                              zw_error *err) {
    zw_table *t;
    if (!o->melnikov.curves)
        return ZW_OK;
    ZW_TRY(zw_melnikov_curves(study, source, &t, err));
    zw_status status = zw_warnings_note(model->warnings, t);
    if (status >= 0)
        status = cli_write_table(t, o->melnikov.curves, err);
    zw_table_destroy(t);
    return status;
}

static zw_status write_files(const cli_options *o, const cli_model *model,
                             const zw_model_source *source, const zw_melnikov *study,
                             zw_error *err) {
    zw_table *t;
    ZW_TRY(write_curves(o, model, source, study, err));
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_melnikov_table(study, source, &t, err));
    return cli_picture_and_table(o, model->warnings, t, err);
}

/* results are reported even if no zero was found */
static zw_status study_melnikov(const cli_options *o, const cli_model *model,
                                const zw_model_source *source, zw_melnikov *study, zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_melnikov_find(study, &trouble);
    cli_end_progress();
    if (status >= 0 || (status == ZW_E_NUMERIC && zw_melnikov_separatrices(study) > 0)) {
        ZW_TRY(report_melnikov(o, model, study, err));
        ZW_TRY(write_files(o, model, source, study, err));
    }
    if (status < 0 && err)
        *err = trouble;
    return status;
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->melnikov.curves)
        ZW_TRY(zw_table_can_write(o->melnikov.curves, err));
    ZW_TRY(cli_guard_write(o, o->melnikov.curves, err));
    return cli_guard_write(o, o->out, err);
}

/* constraints and fast variables are eliminated */
static zw_status open_model(const cli_options *o, const char *path, cli_model *model,
                            zw_error *err) {
    cli_options reading = *o;
    reading.model.constants = reading.model.bodies = o->slow.fast.n > 0;
    ZW_TRY(cli_model_open(model, path, &reading, err));
    ZW_TRY(cli_model_reduce(model, path, &reading, CLI_REDUCE_STATES, err));
    return o->slow.fast.n ? cli_model_slow(model, path, o, o->melnikov.small, 1, err) : ZW_OK;
}

static int run_melnikov(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_model_source source;
    zw_melnikov *study = NULL;
    cli_signals watched;
    zw_status status = check_options(o, err);
    if (status >= 0)
        status = open_model(o, words[0], &model, err);
    if (status >= 0) {
        source = cli_model_source(&model, words[0]);
        status = open_study(o, &model, &study, err);
    }
    cli_signals_begin(&watched);
    if (status >= 0)
        status = study_melnikov(o, &model, &source, study, err);
    cli_end_progress();
    status = cli_judge(o, model.warnings, status, err);
    zw_melnikov_destroy(study);
    cli_model_close(&model);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_melnikov = {
    .name = "melnikov",
    .usage = "melnikov MODEL --eps NAMES [--conserved EXPR] [--over NAME=FROM:TO [--marks "
             "NAME=FROM:TO]] [--cycles] [--expand NAME=FROM:TO] [--out FILE]",
    .about =
        "separatrices and cycles of nearly conservative planar systems, by Melnikov's integral",
    .details =
        "x' = f0(x) + eps*f1(x, t) with a quantity that f0 conserves: the integral of its change "
        "along a separatrix of f0 tells where\n"
        "saddles are connected, where stable and unstable sets cross (a threshold of chaos), and "
        "over closed level curves which of them become cycles.",
    .examples =
        "  zwang melnikov models/tippedisk_slow.zw --eps eps --over Omega=29:32\n"
        "  zwang melnikov models/two_well.zw --eps \"F, delta\" --over F=0:1 --marks "
        "w=0.5:1.5:5\n"
        "  zwang melnikov models/van_der_pol.zw --eps mu --cycles --amplitude 0.5:4\n"
        "  zwang melnikov models/pendulum_torque.zw --eps \"zeta, tau\" --cycles --rotating "
        "+ --over tau=0:0.5\n",
    .groups = groups,
    .arguments = 1,
    .run = run_melnikov,
};
