/* SPDX-License-Identifier: MIT */
/* Many paths of a model with noise: moments, spectral densities, how often events end it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/job.h"
#include "cli/progress.h"
#include "num/options.h"

#define AT(field) offsetof(cli_options, noise.field)

static const zw_option table[] = {
    {"of", ZW_OPT_LIST, AT(of), 0, 0, 0, "", "NAME,...",
     "columns of zwang run (default all coordinates, states and velocities)"},
    {"paths", ZW_OPT_LONG, AT(paths), 200, 4, 1e8, "", NULL, "number of paths"},
    {"transient", ZW_OPT_DOUBLE, AT(transient), 0, 0, 1e11, "s", NULL, "time before measuring"},
    {"for", ZW_OPT_DOUBLE, AT(time), 100, 1e-12, 1e11, "s", NULL,
     "time of measuring, rounded down by up to 20 % to fit the noise step"},
    {"seed", ZW_OPT_LONG, offsetof(cli_options, sim.seed), 1, 0, 9e15, "", NULL, "of all paths"},
    {"noise-step", ZW_OPT_DOUBLE, offsetof(cli_options, sim.noise_step), 0, 0, 1e11, "s", NULL,
     "step of the noise, taken down to a power of two; 0: halved until a motion stays the same"},
    {"spectrum", ZW_OPT_STRING, AT(spectrum), 0, 0, 0, "", "FILE",
     "spectral densities: f, G(x), error(G(x)), ...; .csv, .json, .h5, - is standard output"},
    {"frequencies", ZW_OPT_INT, AT(frequencies), 256, 2, 65536, "", NULL,
     "of --spectrum: 1/T, 2/T, ..., T the time of measuring; a power of two; four times as many "
     "samples"},
    {"out", ZW_OPT_STRING, offsetof(cli_options, out), 0, 0, 0, "", "FILE",
     "the moments as a table of one row"},
    {"threads", ZW_OPT_INT, AT(threads), 0, 0, 1024, "", NULL, "0: as many as there are cores"},
    {0},
};

static void show_progress(void *user, uint64_t done) {
    const cli_options *o = user;
    cli_show_motions(done, (uint64_t)o->noise.paths);
}

static void report_moments(const zw_noise *n) {
    printf("  %-16s %12s %9s  %12s %9s  %9s %7s  %9s %7s\n", "", "mean", "+-", "sd", "+-",
           "skewness", "+-", "excess", "+-");
    for (int i = 0; i < zw_noise_count(n); i++) {
        zw_noise_moments m = zw_noise_moments_of(n, i);
        char name[120];
        snprintf(name, sizeof name, "%.60s%s%.40s%s", m.name, m.unit[0] ? " [" : "", m.unit,
                 m.unit[0] ? "]" : "");
        printf("  %-16s %12.5g %9.2g  %12.5g %9.2g  %9.3f %7.2g  %9.3f %7.2g\n", name, m.mean.value,
               m.mean.error, m.sd.value, m.sd.error, m.skewness.value, m.skewness.error,
               m.excess.value, m.excess.error);
    }
}

/* how often an event with `stop` has ended a path */
static void report_ends(const zw_noise *n) {
    const zw_system *s = zw_noise_system(n);
    uint64_t paths = zw_noise_paths(n), ended = zw_noise_ended(n, -1);
    double low, high, time = zw_noise_time(n);
    for (int i = 0; i < s->nevent; i++) {
        if (!s->event[i].stop)
            continue;
        uint64_t k = zw_noise_ended(n, i);
        zw_noise_interval(k, paths, &low, &high);
        printf("  %s ended %llu of %llu paths: %.4g (%.4g to %.4g at 95 %%)\n", s->event[i].name,
               (unsigned long long)k, (unsigned long long)paths, (double)k / (double)paths, low,
               high);
    }
    if (ended > 0)
        printf("  rate of all ends %.5g 1/s +- %.2g, if it is constant in time: one in %.5g s\n",
               (double)ended / time, sqrt((double)ended) / time, time / (double)ended);
}

static zw_status write_tables(const cli_options *o, const zw_noise *n, zw_error *err) {
    zw_table *t = NULL;
    zw_status status = ZW_OK;
    if (o->out) {
        status = zw_noise_moments_table(n, &t, err);
        status = status < 0 ? status : cli_write_table(t, o->out, err);
        zw_table_destroy(t);
        t = NULL;
    }
    if (status >= 0 && o->noise.spectrum) {
        status = zw_noise_spectrum_table(n, &t, err);
        status = status < 0 ? status : cli_write_table(t, o->noise.spectrum, err);
        zw_table_destroy(t);
    }
    return status;
}

/* warnings about the accuracy of the numbers */
static zw_status check_outcome(const cli_options *o, const cli_model *m, const zw_noise *n,
                               zw_error *err) {
    double error;
    const char *why;
    uint64_t failed = zw_noise_failed(n, &why);
    zw_noise_step(n, &error);
    if (failed > 0)
        return zw_fail(err, ZW_E_NUMERIC, "%llu of %llu paths failed, the first one: %s",
                       (unsigned long long)failed, (unsigned long long)zw_noise_paths(n), why);
    if (error > ZW_SIM_NOISE_TOLERANCE) {
        zw_warning d = zw_warning_of(
            "noise step", NAN, "half of the step changes the motion on path 0 by %.2g of its rms",
            error);
        zw_warning_hint(
            &d,
            "if neighbouring motions part, moments can still be right: compare with half of the "
            "step, --noise-step");
        zw_warnings_add(m->warnings, &d);
    }
    if (!zw_noise_commutes(n))
        zw_sim_noise_order_warning(m->warnings);
    if (zw_noise_paths(n) > zw_noise_ended(n, -1) + 3 && !zw_noise_is_settled(n)) {
        zw_warning d = zw_warning_of(
            "stationary", NAN,
            "the moments of the first and the second half of the time differ by more than "
            "four standard errors: the distribution is not stationary");
        zw_warning_hint(&d, "a longer --transient");
        zw_warnings_add(m->warnings, &d);
    }
    if (zw_noise_ended(n, -1) > 0 && zw_noise_paths(n) > zw_noise_ended(n, -1) && !o->quiet)
        fputs("  moments are those of the paths that no event has ended\n", stderr);
    cli_report_warnings(o, m->warnings, false);
    return ZW_OK;
}

static zw_status report_noise(const cli_options *o, const cli_model *m, const zw_noise *n,
                              zw_error *err) {
    double error, step = zw_noise_step(n, &error), transient, time;
    zw_noise_times(n, &transient, &time);
    printf("%s: %llu paths of seed %ld, %g s after %g s, in steps of 2^%d s\n", m->sys->name,
           (unsigned long long)zw_noise_paths(n), o->sim.seed, time, transient,
           (int)lround(log2(step)));
    if (!isnan(error))
        printf("  twice the step changes the motion on path 0 by %.2g of its rms\n", error);
    if (zw_noise_paths(n) > zw_noise_ended(n, -1) + 1)
        report_moments(n);
    report_ends(n);
    cli_note_written();
    ZW_TRY(write_tables(o, n, err));
    return check_outcome(o, m, n, err);
}

static zw_status study_noise(const cli_options *o, const cli_model *m, const char *path,
                             zw_error *err) {
    const char *of[CLI_SPLIT_MAX];
    zw_noise_options options = zw_noise_options_default();
    zw_noise *n = NULL;
    zw_model_source source = cli_model_source(m, path);
    ZW_TRY(cli_split(m->ctx, &o->noise.of, of, &options.nof, err));
    ZW_TRY(cli_guard_write(o, o->out, err));
    ZW_TRY(cli_guard_write(o, o->noise.spectrum, err));
    options.of = of;
    options.transient = o->noise.transient;
    options.time = o->noise.time;
    options.paths = (uint64_t)o->noise.paths;
    options.seed = o->sim.seed;
    options.step = o->sim.noise_step;
    options.frequencies = o->noise.frequencies;
    options.threads = o->noise.threads;
    options.run = &o->run;
    options.interrupt = cli_interrupt();
    options.progress = o->quiet ? NULL : show_progress;
    options.user = (void *)o;
    cli_signals signals;
    cli_signals_begin(&signals);
    zw_status status = zw_noise_study(&n, &source, &options, err);
    cli_signals_end(&signals);
    cli_end_progress();
    if (status >= 0 && zw_noise_paths(n) >= 4)
        status = report_noise(o, m, n, err);
    zw_noise_destroy(n);
    return status;
}

static int run_noise(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    zw_status status = cli_model_open(&m, words[0], o, err);
    cli_report_warnings(o, m.warnings, false);
    if (status >= 0)
        status = study_noise(o, &m, words[0], err);
    status = cli_judge(o, m.warnings, status, err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {0},
};

const cli_command cli_noise = {
    .name = "noise",
    .usage = "noise MODEL [--paths N] [--transient T] --for T [--of NAME,...] [--spectrum FILE]",
    .about = "moments and spectral densities over many paths of the noise of a model",
    .details =
        "Every path is a motion from the start of the model (input w = noise(...)). Reports "
        "mean,\n"
        "standard deviation, skewness and excess kurtosis over time and paths, with standard "
        "errors by the\n"
        "spread over the paths; one-sided spectral densities per Hz likewise. Events with `stop` "
        "end a\n"
        "path: how many, with an interval at 95 %, and the rate. The same seed gives the same "
        "numbers.\n"
        "zwang linearise gives the stationary covariance of linear equations, zwang run --path K "
        "one path.",
    .examples =
        "  zwang noise models/noisy_oscillator.zw --transient 40 --for 60 --paths 50\n"
        "  zwang noise models/noisy_oscillator.zw --transient 40 --for 60 --paths 50 --of x "
        "--spectrum g.csv\n",
    .groups = groups,
    .random = true,
    .arguments = 1,
    .reports_stop = true,
    .endless = true,
    .run = run_noise,
};
