/* SPDX-License-Identifier: MIT */
/* Paths of noise as a study: the options, and what is done with them. */
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "noise.h"
#include "num/options.h"
#include "zwang/study.h"

typedef struct noise_options {
    zw_noise_options own;
    zw_option_list of;
    long paths;
    zw_run_options run;
} noise_options;

#define AT(field) offsetof(noise_options, field)

static const zw_option common_table[] = {
    {"paths", ZW_OPT_LONG, AT(paths), 200, ZW_NOISE_PATHS_MIN, 1e8, "", NULL, "number of paths"},
    {"transient", ZW_OPT_DOUBLE, AT(own.transient), 0, 0, 1e11, "s", NULL,
     "time before the measurement"},
    {"for", ZW_OPT_DOUBLE, AT(own.time), 100, 1e-12, 1e11, "s", NULL,
     "measuring time, rounded down by up to 20 % to fit the noise step"},
    {"of", ZW_OPT_LIST, AT(of), 0, 0, 0, "", "NAME,...",
     "columns, as in zwang run (default all coordinates, states and velocities)"},
    {"seed", ZW_OPT_LONG, AT(own.seed), 1, 0, 9e15, "", NULL, "seed of all noise paths"},
    {"frequencies", ZW_OPT_INT, AT(own.frequencies), 256, 2, 65536, "", NULL,
     "number of frequencies of --spectrum, a power of two: 1/T, 2/T, ..., with T the measuring "
     "time; four times as many samples are taken"},
    {0},
};
static const zw_option rare_table[] = {
    {"noise-step", ZW_OPT_DOUBLE, AT(own.step), 0, 0, 1e11, "s", NULL,
     "step of the noise, rounded down to a power of two; 0: halved until the motion no longer "
     "changes"},
    {"threads", ZW_OPT_INT, AT(own.threads), 0, 0, 1024, "", NULL, "threads; 0: one per core"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"integration", zw_run_option_table, AT(run), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    noise_options *o = options;
    o->own = zw_noise_options_default();
    o->run = zw_run_options_default();
}

/* The names of --of, in memory of the context. */
static zw_status read_names(const zw_system *sys, noise_options *o, zw_error *err) {
    zw_list_place place = {0};
    const char *text;
    size_t length;
    int n = 0;
    while (zw_option_list_next(&o->of, &place, &text, &length))
        n++;
    const char **name = zw_context_alloc(sys->ctx, sizeof *name * (size_t)(n + 1));
    if (!name)
        return zw_context_status(sys->ctx, err);
    place = (zw_list_place){0};
    for (n = 0; zw_option_list_next(&o->of, &place, &text, &length); n++) {
        char *copy = zw_context_alloc(sys->ctx, length + 1);
        if (!copy)
            return zw_context_status(sys->ctx, err);
        memcpy(copy, text, length);
        name[n] = copy;
    }
    o->own.nof = n;
    o->own.of = name;
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    noise_options *o = given;
    ZW_TRY(read_names(input->system, o, err));
    o->own.paths = (uint64_t)o->paths;
    o->own.run = &o->run;
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    zw_noise *study = NULL;
    zw_status status = zw_noise_create(&study, input->source, &o->own, err);
    *out = study;
    return status;
}

static void destroy_study(void *study) {
    zw_noise_destroy(study);
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return zw_noise_paths(study) >= ZW_NOISE_PATHS_MIN;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    (void)input;
    zw_status status = zw_noise_run(study, err);
    return status == ZW_STOPPED && !has_results(study, status)
               ? zw_fail(err, ZW_E_NUMERIC, "stopped before %d paths, so there are no moments",
                         ZW_NOISE_PATHS_MIN)
               : status;
}

static void report_study(const void *study, zw_report *out) {
    zw_noise_report(study, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_noise_warnings(study, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    const zw_noise *n = study;
    (void)input;
    if (!has_results(study, ZW_OK))
        return zw_fail(err, ZW_E_NUMERIC, "a table of moments or spectra needs %d paths",
                       ZW_NOISE_PATHS_MIN);
    return strcmp(which, "spectrum") == 0 ? zw_noise_spectrum_table(n, out, err)
                                          : zw_noise_moments_table(n, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "moments as a table of one row"},
    {.key = "spectrum",
     .about = "spectral densities: f, G(x), error(G(x)), ...; -: standard output"},
    {0},
};

const zw_study_kind zw_study_noise = {
    .name = "noise",
    .question = "Where do all starts go?",
    .about = "moments and spectral densities over many noise paths of a model",
    .usage = "noise MODEL [--paths N] [--transient T] --for T [--of NAME,...]\n"
             "           [--spectrum FILE]",
    .details =
        "Integrates many paths of the noise of a model (input w = noise(...)) from its start. "
        "Reports mean, standard deviation, skewness, excess kurtosis and one-sided spectral "
        "densities per Hz over time and paths, with standard errors from the spread of the paths. "
        "If events with `stop` end paths, reports their number, with a 95 % interval, and the "
        "rate. The same seed gives the same numbers. zwang linearise gives the stationary "
        "covariance of the linear equations, zwang run --path K a single path.",
    .examples =
        "  zwang noise models/noisy_oscillator.zw --transient 40 --for 60 --paths 50\n"
        "  zwang noise models/noisy_oscillator.zw --transient 40 --for 60 --paths 50 --of x "
        "--spectrum g.csv\n",
    .call = "noise noisy_oscillator --transient 4 --for 6 --paths 8",
    .printed =
        "noisy_oscillator: 8 paths of seed 1, 6 s after 4 s, noise step 0.0625 s\n"
        "  Twice the noise step changes path 0 by 0.00014 of its rms.\n"
        "                                       mean       standard deviation ...\n"
        "  x                          0.07 +- 0.08 m             0.9 +- 0.1 m      0.06 +- ...\n"
        "  x'                     -0.006 +- 0.06 m/s           0.9 +- 0.1 m/s         0 +- ...\n",
    .groups = groups,
    .size = sizeof(noise_options),
    .begin = begin_options,
    .random = true,
    .endless = true,
    .outputs = outputs,
    .drawn = "spectrum",
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
