/* SPDX-License-Identifier: MIT */
/* Sweeps as a study: the options and the row. */
#include <string.h>

#include "num/options.h"
#include "sweep.h"

#define AT(field) offsetof(zw_sweep_options, field)

static const zw_option plan_table[] = {
    {"over", ZW_OPT_LIST, AT(over), 0, 0, 0, "", "NAME=VALUES",
     "parameter and its values: 1:8:0.01 (step), lin:0:2:50, log:0.1:10:30, 1,2,5, uniform:0:1, "
     "normal:1:0.1; several times: all combinations"},
    {"start", ZW_OPT_LIST, AT(start), 0, 0, 0, "", "NAME=VALUES",
     "coordinate or velocity and its start values"},
    {"samples", ZW_OPT_LONG, AT(plan.samples), 0, 0, 1e15, "", NULL,
     "number of random values, or of noise paths"},
    {"seed", ZW_OPT_LONG, AT(plan.seed), 1, 0, 9e15, "", NULL, "seed of all random numbers"},
    {0},
};
static const zw_option measure_table[] = {
    {"measure", ZW_OPT_STRING, AT(own.measure), 0, 0, 0, "", "MEASURES",
     "measures of each motion: \"max(x), rms(x'), first(x), period\" (default: max and rms of "
     "coordinates)"},
    {"transient", ZW_OPT_STRING, AT(own.transient), 0, 0, 0, "", "TIME",
     "time before the measurement: 50 (s), or \"200 periods\" of the excitation (default 0)"},
    {"for", ZW_OPT_STRING, AT(own.duration), 0, 0, 0, "", "TIME", "measuring time (default 10 s)"},
    {"rows", ZW_OPT_STRING, AT(own.rows), 0, 0, 0, "", "strobe|EVENT|TIME",
     "rows within each motion: one per period (strobe), per event, or per interval of this time; "
     "\"x\" is measured there"},
    {"carry", ZW_OPT_CHOICE, AT(own.carry), 0, 0, 0, "", "no|up|down|both",
     "state carried from value to value of the first --over"},
    {0},
};
static const zw_option more_table[] = {
    {"points", ZW_OPT_STRING, AT(points), 0, 0, 0, "", "RESULT",
     "file with one point in each row: columns Omega[rad/s], theta, ..."},
    {"draw", ZW_OPT_CHOICE, AT(plan.draw), 0, 0, 0, "", "random|sobol",
     "independent random values, or Sobol's sequence, which is more even"},
    {"noise-step", ZW_OPT_DOUBLE, AT(sim.noise_step), 0, 0, 1e11, "s", NULL,
     "step of the noise, rounded down to a power of two; 0: halved until the motion no longer "
     "changes"},
    {"disturb", ZW_OPT_LIST, AT(disturb), 0, 0, 0, "", "NAME=NUMBER",
     "disturbance of a coordinate or velocity at every new value of --carry: normal:0:1e-5, 1e-5"},
    {"jump", ZW_OPT_DOUBLE, AT(own.jump), 0, 0, 1, "", NULL,
     "relative change of the first measure along --carry that is located as a jump; 0: none"},
    {"jump-width", ZW_OPT_DOUBLE, AT(own.jump_width), 1e-3, 1e-9, 1, "", NULL,
     "accuracy of that location, relative to the step of the values"},
    {"sensitivity", ZW_OPT_CHOICE, AT(plan.design), 0, 0, 0, "", "no|sobol|morris",
     "effect of each random quantity on each measure; --samples N makes N (d + 2) motions (sobol) "
     "or N (d + 1) (morris)"},
    {"threads", ZW_OPT_INT, AT(ensemble.threads), 0, 0, 1024, "", NULL, "threads; 0: one per core"},
    {"engine", ZW_OPT_CHOICE, AT(ensemble.engine), 0, 0, 0, "", "auto|lanes|single",
     "several trajectories at a time in SIMD lanes, or one by one"},
    {"by", ZW_OPT_STRING, AT(ensemble.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {0},
};
static const zw_option machine_table[] = {
    {"range", ZW_OPT_STRING, AT(files.range), 0, 0, 0, "", "I/N",
     "the I-th of N parts, for job arrays; its file is complete or absent"},
    {"journal", ZW_OPT_STRING, AT(files.journal), 0, 0, 0, "", "FOLDER",
     "folder with chunks of the work, shared by any number of processes"},
    {"resume", ZW_OPT_FLAG, AT(files.resume), 0, 0, 0, "", NULL,
     "continuation of an existing journal"},
    {"chunk", ZW_OPT_LONG, AT(files.chunk), 0, 0, 1e9, "", NULL,
     "number of motions in a chunk; 0: about two seconds of work"},
    {"lease", ZW_OPT_DOUBLE, AT(files.lease), 60, 0.5, 1e5, "s", NULL,
     "time after which a silent process on another machine counts as lost"},
    {"workers", ZW_OPT_INT, AT(files.workers), 0, 0, 1000000, "", NULL,
     "number of processes that share the journal; 0: from mpirun or srun"},
    {"worker", ZW_OPT_INT, AT(files.worker), 0, 0, 1000000, "", NULL,
     "number of this process, from 0"},
    {"yes", ZW_OPT_FLAG, AT(yes), 0, 0, 0, "", NULL,
     "no confirmation of work that takes hours or results of many GB"},
    {0},
};

static const zw_option_group groups[] = {
    {"points", plan_table, 0, false},
    {"measures", measure_table, 0, false},
    {"more options", more_table, 0, true},
    {"parallel runs", machine_table, 0, true},
    {"integration", zw_run_option_table, AT(ensemble.run), true},
    {"contacts", zw_sim_contact_table, AT(sim), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    zw_sweep_options *o = options;
    o->plan = zw_plan_options_default();
    o->own = zw_survey_options_default();
    o->ensemble = zw_ensemble_options_default();
    o->files = zw_survey_files_default();
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return ((const zw_sweep_study *)study)->has_report;
}

static zw_status copy_statistics(zw_sweep_study *s, zw_table **out, zw_error *err) {
    const zw_table *table;
    ZW_TRY(zw_statistics_table(s->statistics, &table, err));
    if (!(*out = zw_table_create_like(table)))
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_table_append(*out, table, err);
    if (status < 0) {
        zw_table_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* without rows where another process has them, or the work was stopped */
static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    zw_sweep_study *s = study;
    (void)input;
    (void)which;
    *out = NULL;
    return s->complete ? copy_statistics(s, out, err) : ZW_RETRY;
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "result: .csv (written during the sweep), .json, .h5; -: standard output",
     .written = true,
     .noted = true},
    {.key = "statistics",
     .about = "mean, standard deviation and quantiles of each measure over the random values, for "
              "every other point and row"},
    {.key = NULL},
};

const zw_study_kind zw_study_sweep = {
    .name = "sweep",
    .question = "Where do all starts go?",
    .about = "many motions over parameters and starts, with measures of each",
    .usage = "sweep MODEL --over NAME=VALUES [--start NAME=VALUES] [--measure MEASURES]\n"
             "           --out FILE\n"
             "       zwang sweep --join PARTS... --out FILE",
    .details =
        "Integrates one motion for each point, or carries the state along the first --over "
        "(--carry). Measures: last, mean, rms, min, max, amplitude, first, phase, harmonic(q,k), "
        "share(q,a,b), histogram(q,a,b,n), time(EVENT), at(q,EVENT), count(EVENT), period. Under "
        "mpirun or srun all processes share the work; see docs/sweep.md and docs/scale.md.",
    .examples =
        "  zwang sweep models/duffing.zw --over Omega=1:3:0.1 --carry both --transient \"50 "
        "periods\" --for \"2 periods\" --out sweep.csv\n"
        "  zwang sweep models/duffing.zw --over F=normal:2:0.1 --samples 100 --measure \"max(x)\" "
        "--out samples.csv\n"
        "  zwang sweep models/duffing.zw --over F=uniform:1:2 --over c=uniform:0.2:0.6 --samples "
        "50 "
        "--sensitivity sobol --out indices.csv\n"
        "  zwang sweep models/double_pendulum.zw --start phi_1=lin:0:3:10 --for 2 --out "
        "starts.csv --range 1/4\n",
    .groups = groups,
    .size = sizeof(zw_sweep_options),
    .begin = begin_options,
    .arguments_max = ZW_OPTION_LIST_MAX, /* parts of --join */
    .random = true,
    .endless = true,
    .outputs = outputs,
    .drawn = "statistics",
    .create = zw_sweep_study_create,
    .work = zw_sweep_study_work,
    .has_results = has_results,
    .report = zw_sweep_study_report,
    .warnings = zw_sweep_study_warnings,
    .table = make_table,
    .join = zw_sweep_study_join,
    .destroy = zw_sweep_study_destroy,
};
