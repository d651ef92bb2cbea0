/* SPDX-License-Identifier: MIT */
/* Many motions: each point of a plan, or a state carried along a parameter; on one machine or
 * many. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/job.h"
#include "cli/launcher.h"
#include "cli/progress.h"
#include "num/options.h"
#include "sim/options.h"
#include "zwang/survey.h"

#define AT(field) offsetof(cli_options, sweep.field)

static const zw_option plan_table[] = {
    {"over", ZW_OPT_LIST, AT(over), 0, 0, 0, "", "NAME=VALUES",
     "a parameter that is varied: 1:8:0.01 (step), lin:0:2:50, log:0.1:10:30, 1,2,5, uniform:0:1, "
     "normal:1:0.1; several times: all combinations"},
    {"start", ZW_OPT_LIST, AT(start), 0, 0, 0, "", "NAME=VALUES",
     "the same for the start of a coordinate or velocity"},
    {"points", ZW_OPT_STRING, AT(points), 0, 0, 0, "", "RESULT",
     "points from the rows of a file: columns Omega[rad/s], theta, ..."},
    {"samples", ZW_OPT_LONG, AT(samples), 0, 0, 1e15, "", NULL,
     "how many values are drawn where something is drawn, or paths of the noise"},
    {"seed", ZW_OPT_LONG, AT(seed), 1, 0, 9e15, "", NULL, "of what is drawn"},
    {"noise-step", ZW_OPT_DOUBLE, offsetof(cli_options, sim.noise_step), 0, 0, 1e11, "s", NULL,
     "step of the noise, taken down to a power of two; 0: halved until motions stay the same"},
    {"draw", ZW_OPT_CHOICE, AT(draw), 0, 0, 0, "", "random|sobol",
     "independently, or by Sobol's sequence, which is more even"},
    {0},
};

static const zw_option measure_table[] = {
    {"measure", ZW_OPT_STRING, AT(measure), 0, 0, 0, "", "MEASURES",
     "of each motion: \"max(x), rms(x'), first(x), period\" (default max and rms of coordinates)"},
    {"transient", ZW_OPT_STRING, AT(transient), 0, 0, 0, "", "TIME",
     "before measuring: 50 (s), \"200 periods\" of the drive (default 0)"},
    {"for", ZW_OPT_STRING, AT(duration), 0, 0, 0, "", "TIME", "of measuring (default 10 s)"},
    {"rows", ZW_OPT_STRING, AT(rows), 0, 0, 0, "", "strobe|EVENT|TIME",
     "rows within each motion: once a period, at an event, every so often; \"x\" is measured "
     "there"},
    {"carry", ZW_OPT_CHOICE, AT(carry), 0, 0, 0, "", "no|up|down|both",
     "the state goes on from value to value of the first --over"},
    {"disturb", ZW_OPT_LIST, AT(disturb), 0, 0, 0, "", "NAME=NUMBER",
     "carried: at every new value this is added to a coordinate or velocity: normal:0:1e-5, 1e-5"},
    {"jump", ZW_OPT_DOUBLE, AT(jump), 0, 0, 1, "", NULL,
     "carried: a change of the first measure by more than this share is located; 0: none is"},
    {"jump-width", ZW_OPT_DOUBLE, AT(jump_width), 1e-3, 1e-9, 1, "", NULL,
     "to so much of the step"},
    {0},
};

static const zw_option statistics_table[] = {
    {"statistics", ZW_OPT_STRING, AT(statistics), 0, 0, 0, "", "FILE",
     "mean, standard deviation and quantiles of each measure over what is drawn, at every point of "
     "the rest and every row"},
    {"sensitivity", ZW_OPT_CHOICE, AT(sensitivity), 0, 0, 0, "", "no|sobol|morris",
     "what each drawn quantity has to do with each measure; --samples N makes N (d + 2) motions, "
     "or "
     "N (d + 1)"},
    {0},
};

static const zw_option file_table[] = {
    {"out", ZW_OPT_STRING, offsetof(cli_options, out), 0, 0, 0, "", "FILE",
     "the result: .csv (written on the way), .json, .h5; - is standard output"},
    {"range", ZW_OPT_STRING, AT(range), 0, 0, 0, "", "I/N",
     "the I-th of N parts alone, for job arrays; the file is complete or absent"},
    {"join", ZW_OPT_FLAG, AT(join), 0, 0, 0, "", NULL,
     "one result from parts: zwang sweep --join FILES --out all.csv (or the folder of a journal)"},
    {"journal", ZW_OPT_STRING, AT(journal), 0, 0, 0, "", "FOLDER",
     "chunks of work in a folder that any number of processes share"},
    {"resume", ZW_OPT_FLAG, AT(resume), 0, 0, 0, "", NULL, "go on with a journal that is there"},
    {"chunk", ZW_OPT_LONG, AT(chunk), 0, 0, 1e9, "", NULL,
     "motions of a chunk; 0: those of about two seconds"},
    {"lease", ZW_OPT_DOUBLE, AT(lease), 60, 0.5, 1e5, "s", NULL,
     "a process of another machine that is silent for so long is taken for lost"},
    {"yes", ZW_OPT_FLAG, AT(yes), 0, 0, 0, "", NULL,
     "do it, however long it takes and however large it becomes"},
    {"threads", ZW_OPT_INT, AT(threads), 0, 0, 1024, "", NULL, "0: as many as there are cores"},
    {"engine", ZW_OPT_CHOICE, AT(engine), 0, 0, 0, "", "auto|lanes|single",
     "several motions side by side in vectors, or one by one"},
    {"by", ZW_OPT_STRING, offsetof(cli_options, by), 0, 0, 0, "", "PRINCIPLE",
     "the principle (default lagrange)"},
    {0},
};

typedef struct task {
    const cli_options *o;
    cli_launcher launcher;
    cli_model model;
    const char *path;
    zw_survey *s;
    zw_table *points;
    char journal[4096];
    char claim[4096]; /* the claim last reported */
    zw_survey_report report;
    zw_statistics *statistics;
    double *value; /* measures x points, for sensitivities; NULL */
    bool strange;  /* a row belonged to no point of the plan */
    zw_table *names;
    uint64_t motions; /* whose progress this process shows */
    double shown;     /* fraction shown last */
    int jumps;        /* reported so far */
    double before[2]; /* value of the axis and first measure before a jump */
} task;

static bool is_talking(const task *t) {
    return !t->o->quiet && t->launcher.worker == 0;
}

/* ------------------------------------------------------------------------------------- the plan */

static zw_status open_survey(task *t, zw_error *err) {
    const cli_options *o = t->o;
    const cli_sweep_options *w = &o->sweep;
    zw_plan_options plan = zw_plan_options_default();
    zw_survey_options survey = zw_survey_options_default();
    zw_ensemble_options ensemble = zw_ensemble_options_default();
    zw_model_source source = cli_model_source(&t->model, t->path);
    if (w->points) {
        ZW_TRY(cli_guard_read(o, w->points, err));
        ZW_TRY(cli_read_result(o, &t->points, w->points, err));
    }
    plan.nover = w->over.n, plan.over = w->over.item;
    plan.nstart = w->start.n, plan.start = w->start.item;
    plan.points = t->points;
    plan.samples = (uint64_t)w->samples, plan.seed = (uint64_t)w->seed;
    plan.draw = (zw_plan_draw)w->draw;
    plan.design = (zw_plan_design)w->sensitivity;
    survey.measure = w->measure, survey.transient = w->transient, survey.duration = w->duration;
    survey.rows = w->rows, survey.carry = (zw_survey_carry)w->carry;
    survey.ndisturb = w->disturb.n, survey.disturb = w->disturb.item;
    survey.jump = w->jump, survey.jump_width = w->jump_width;
    ensemble.engine = (zw_ensemble_engine)w->engine;
    ensemble.threads = w->threads ? w->threads : t->launcher.threads;
    ensemble.principle = o->by;
    ensemble.run = o->run;
    zw_sim_options sim = o->sim;
    bool random = zw_system_is_random(t->model.sys);
    sim.seed = w->seed;
    ensemble.contacts = &sim;
    if (cli_is_given(o, "noise-step") && !random)
        return zw_fail(err, ZW_E_OPTION, "--noise-step: the model has no noise");
    if (plan.nover + plan.nstart == 0 && !plan.points && !(random && plan.samples > 0)) {
        zw_fail(err, ZW_E_OPTION, "a sweep needs something that is varied");
        zw_error_hint(err, "--over Omega=1:8:0.01, --start theta=uniform:-pi:pi --samples 1000, "
                           "--points FILE");
        return ZW_E_OPTION;
    }
    return zw_survey_create(&t->s, &source, &plan, &ensemble, &survey, err);
}

static void report_plan(const task *t) {
    const zw_plan *p = zw_survey_plan(t->s);
    char text[200];
    for (int i = 0; i < zw_plan_axes(p); i++) {
        zw_axis_text(zw_plan_axis(p, i), text, sizeof text);
        fprintf(stderr, "  %s\n", text);
    }
    fprintf(stderr, "  %llu point%s", (unsigned long long)zw_plan_points(p),
            zw_plan_points(p) == 1 ? "" : "s");
    if (t->o->sweep.carry)
        fprintf(stderr, ", the state carried on along %s (%llu motion%s)", zw_plan_axis(p, 0)->name,
                (unsigned long long)zw_survey_motions(t->s),
                zw_survey_motions(t->s) == 1 ? "" : "s");
    fputc('\n', stderr);
    double error, step = zw_survey_noise(t->s, &error);
    if (step > 0)
        fprintf(stderr, "  noise of seed %ld, path = number of the sample, in steps of 2^%d s",
                t->o->sweep.seed, (int)lround(log2(step)));
    if (step > 0 && !isnan(error))
        fprintf(stderr, "; twice the step changes a motion by %.2g of its rms", error);
    fputs(step > 0 ? "\n" : "", stderr);
    if (error > ZW_SIM_NOISE_TOLERANCE)
        fputs("warning: the motion on a single path depends on --noise-step; use only statistics "
              "that do not change with it\n",
              stderr);
    double period = 0;
    int drives = zw_survey_drives(t->s, &period);
    if (drives > 1)
        fprintf(stderr, "  %d drives: a period is their common one, %.6g s at the first point\n",
                drives, period);
}

/* ---------------------------------------------------------------------------------------
 * estimate */

static int put_time(char *out, size_t size, double s) {
    if (s < 100)
        return snprintf(out, size, "%.2g s", s);
    if (s < 100 * 60)
        return snprintf(out, size, "%.0f min", s / 60);
    if (s < 48 * 3600)
        return snprintf(out, size, "%.0f h", s / 3600);
    if (s < 2 * 365 * 86400.)
        return snprintf(out, size, "%.0f days", s / 86400);
    return snprintf(out, size, "%.3g years", s / (365.25 * 86400));
}

static void put_bytes(char *out, size_t size, double b) {
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    for (; b >= 1000 && i < 5; i++)
        b /= 1000;
    snprintf(out, size, "%.3g %s", b, unit[i]);
}

/* Work beyond these limits needs --yes: it would surprise a user who mistyped a number. */
#define LONG_TIME 3600.   /* [s]; of one process */
#define LARGE_RESULT 10e9 /* bytes on the disk */
#define FEW_NUMBERS 1e8   /* results up to this size, 800 MB, are not estimated */

/* Long and large work is reported before it begins, and needs an additional option. */
static zw_status check_size(const task *t, uint64_t motions, zw_error *err) {
    enum { FEW_MOTIONS = 1000 };
    const cli_options *o = t->o;
    zw_survey_estimate e;
    char time[40], disk[40], memory[40];
    const char *dot = o->out ? strrchr(o->out, '.') : NULL;
    bool whole = dot && strcmp(dot, ".csv") != 0 && strcmp(o->out, "-") != 0;
    double numbers =
        (double)motions * (double)zw_survey_rows(t->s) * (double)zw_survey_columns(t->s);
    if (motions <= FEW_MOTIONS && numbers <= FEW_NUMBERS)
        return ZW_OK;
    ZW_TRY(zw_survey_try(t->s, motions, &e, err));
    double total = e.total / t->launcher.workers;
    put_time(time, sizeof time, total);
    put_bytes(disk, sizeof disk, e.bytes);
    put_bytes(memory, sizeof memory, e.memory);
    double half_memory = 0.5 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    bool too_large = whole && e.memory > half_memory;
    if (is_talking(t))
        fprintf(stderr, "  %s %s, %s of results%s%s\n", e.at_least ? "more than" : "about", time,
                disk, whole ? ", in memory " : "", whole ? memory : "");
    if (o->sweep.yes || (total <= LONG_TIME && e.bytes <= LARGE_RESULT && !too_large))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%llu motions need %s %s and %s of results%s%s%s",
            (unsigned long long)motions, e.at_least ? "more than" : "about", time, disk,
            whole ? " (in memory " : "", whole ? memory : "", whole ? ")" : "");
    zw_error_hint(err, too_large
                           ? "--out FILE.csv is written on the way; --yes does it all the same"
                           : "--yes does it; --range I/N and --journal FOLDER share it among "
                             "machines (docs/scale.md)");
    return ZW_E_OPTION;
}

/* ---------------------------------------------------------------------------------------- work */

static bool watch_motions(void *user, double done) {
    task *t = user;
    if (t->motions == 0) {
        zw_plan_part part = {.count = zw_survey_motions(t->s)};
        if (t->o->sweep.range)
            zw_plan_part_read(&part, t->o->sweep.range, part.count, NULL);
        t->motions = part.count;
        t->shown = -1;
    }
    if (is_talking(t) && done != t->shown)
        cli_show_motions((uint64_t)llround(done * (double)t->motions), t->motions);
    t->shown = done;
    return cli_is_stopping();
}

/* once for each claim that blocks for longer than the renewal of a lease takes */
static void report_waiting(void *user, const char *claim, double seconds) {
    task *t = user;
    enum { BAR_AFTER = 5 };
    if (seconds < BAR_AFTER || strcmp(t->claim, claim) == 0)
        return;
    snprintf(t->claim, sizeof t->claim, "%s", claim);
    cli_end_progress();
    fprintf(stderr,
            "waiting for another process, which has the claim '%s'; if it does not renew the claim "
            "within %g s (--lease), this process takes over\n",
            claim, t->o->sweep.lease);
}

/* under a launcher all processes share one journal, next to the result by default */
static zw_status choose_files(task *t, zw_survey_files *f, zw_error *err) {
    const cli_options *o = t->o;
    const cli_sweep_options *w = &o->sweep;
    f->out = o->out;
    f->range = w->range;
    f->journal = w->journal;
    f->resume = w->resume;
    f->chunk = (uint64_t)w->chunk;
    f->lease = w->lease;
    f->stop = watch_motions;
    f->waiting = t->o->quiet ? NULL : report_waiting;
    f->user = t;
    bool shared = w->journal || (t->launcher.workers > 1 && !w->range);
    if (!shared && (cli_is_given(o, "chunk") || cli_is_given(o, "lease")))
        return zw_fail(err, ZW_E_OPTION, "--%s says nothing without a journal",
                       cli_is_given(o, "chunk") ? "chunk" : "lease");
    if (t->launcher.workers == 1 || w->range)
        return ZW_OK;
    if (!f->journal) {
        if (!o->out || strcmp(o->out, "-") == 0)
            return zw_fail(err, ZW_E_OPTION,
                           "several processes (%s is set) share a journal: --out FILE or --journal "
                           "FOLDER",
                           t->launcher.by);
        snprintf(t->journal, sizeof t->journal, "%.4000s.journal", o->out);
        f->journal = t->journal;
    }
    f->resume = true;
    f->worker = t->launcher.worker;
    f->workers = t->launcher.workers;
    return ZW_OK;
}

/* "failed: point 3 (F = 2 N): why" */
static void report_trouble(const task *t, const char *word, const zw_survey_failure *f) {
    const zw_plan *p = t->s ? zw_survey_plan(t->s) : NULL;
    double value[ZW_PLAN_AXES];
    p = p && f->point < zw_plan_points(p) ? p : NULL; /* it may come from a file */
    fprintf(stderr, "%s point %llu", word, (unsigned long long)f->point);
    if (p)
        zw_plan_point(p, f->point, value);
    for (int k = 0; p && k < zw_plan_axes(p); k++) {
        const zw_axis *a = zw_plan_axis(p, k);
        fprintf(stderr, "%s%s%s = %.10g%s%s", k ? ", " : " (", a->name, a->start ? "(0)" : "",
                value[k] / a->factor, a->unit[0] ? " " : "", a->unit);
    }
    fprintf(stderr, "%s: %s\n", p && zw_plan_axes(p) ? ")" : "", f->why);
}

static void report_failures(const task *t) {
    const zw_survey_report *r = &t->report;
    for (int i = 0; i < r->nfailure; i++)
        report_trouble(t, "  failed:", &r->failure[i]);
    if (r->failed > (uint64_t)r->nfailure)
        fprintf(stderr, "  and %llu more: rows with end = -1\n",
                (unsigned long long)(r->failed - (uint64_t)r->nfailure));
    if (r->doubtful > 0) {
        bool known = r->doubt.why[0]; /* parts by --range keep only the number */
        fprintf(stderr, "warning: %llu of %llu motions are doubtful%s\n",
                (unsigned long long)r->doubtful, (unsigned long long)r->motions,
                known ? ", the first one" : "");
        if (known)
            report_trouble(t, " ", &r->doubt);
    }
}

/* reports damage to the files that were read */
static void report_files(const task *t) {
    const zw_survey_report *r = &t->report;
    if (t->o->quiet)
        return;
    if (r->damaged > 0)
        fprintf(stderr, "%llu chunk%s of the journal %s damaged and computed again: %s\n",
                (unsigned long long)r->damaged, r->damaged == 1 ? "" : "s",
                r->damaged == 1 ? "was" : "were", r->damage.text);
    cli_report_warnings(t->o, t->o->files, false);
}

static void report_summary(const task *t) {
    const zw_survey_report *r = &t->report;
    zw_ensemble_info info = {0};
    report_files(t);
    if (t->o->quiet || (!r->joined && (t->o->out || t->launcher.worker > 0)))
        return;
    if (t->s)
        zw_survey_statistics(t->s, &info, sizeof info);
    fprintf(stderr, "%llu of %llu motions, %llu rows in %.3g s", (unsigned long long)r->motions,
            (unsigned long long)r->of, (unsigned long long)r->rows, r->seconds);
    if (info.method)
        fprintf(stderr, " (%s, %d thread%s)", info.method, info.threads,
                info.threads == 1 ? "" : "s");
    fputc('\n', stderr);
    if (info.contacts && info.contacts[0])
        fprintf(stderr, "  contacts %s\n", info.contacts);
    if (info.in_steps > 0)
        fprintf(stderr, "  %llu of these motions were repeated in time steps\n",
                (unsigned long long)info.in_steps);
    if (r->stopped > 0)
        fprintf(stderr, "  %llu ended at an event\n", (unsigned long long)r->stopped);
    report_failures(t);
}

static zw_status check_outcome(const task *t, zw_status status, zw_error *err) {
    if (status == ZW_OK && t->report.failed == 0 && t->report.doubtful > 0 && t->o->strict)
        return zw_fail(err, ZW_E_DOUBT, "%llu motions are doubtful, which --strict does not allow",
                       (unsigned long long)t->report.doubtful);
    if (status != ZW_OK || t->report.failed == 0)
        return cli_judge(t->o, t->model.warnings, status, err);
    zw_fail(err, ZW_E_NUMERIC, "%llu of %llu motions failed", (unsigned long long)t->report.failed,
            (unsigned long long)t->report.of);
    zw_error_hint(err, "all others are in the result; rows with end = -1 are the failed ones");
    return ZW_E_NUMERIC;
}

/* ----------------------------------------------------------------------------------- statistics */

/* of a carried state, where it jumps */
static void report_jump(task *t, const double *row) {
    enum { TOLD = 20 };
    int column = zw_table_find(t->names, "jump"), first = zw_survey_first_measure(t->s);
    const char *unit = zw_table_unit(t->names, 0);
    if (row[column] == 1) {
        t->before[0] = row[0];
        t->before[1] = row[first];
    }
    if (row[column] != 2 || t->o->quiet || ++t->jumps > TOLD + 1)
        return;
    cli_end_progress();
    if (t->jumps > TOLD)
        fputs("  further jumps are not told: rows with jump = 1 and 2\n", stderr);
    else
        fprintf(stderr, "  jump between %s = %.8g and %.8g%s%s: %s from %.6g to %.6g\n",
                zw_table_name(t->names, 0), t->before[0], row[0], unit[0] ? " " : "", unit,
                zw_table_name(t->names, first), t->before[1], row[first]);
}

static void take_row(void *user, const double *row) {
    task *t = user;
    if (t->names)
        report_jump(t, row);
    const zw_plan *p = zw_survey_plan(t->s);
    int n = zw_survey_measures(t->s), first = zw_survey_first_measure(t->s);
    if (t->statistics)
        zw_statistics_row(t->statistics, row);
    double point = row[first + n];
    bool known = point >= 0 && point < (double)zw_plan_points(p);
    t->strange = t->strange || !known;
    for (int i = 0; i < n && t->value && known; i++)
        t->value[(uint64_t)i * zw_plan_points(p) + (uint64_t)point] = row[first + i];
}

static zw_status begin_statistics(task *t, zw_survey_files *f, zw_error *err) {
    const cli_sweep_options *w = &t->o->sweep;
    const zw_plan *p = zw_survey_plan(t->s);
    if (w->jump > 0) {
        ZW_TRY(zw_survey_table(t->s, &t->names, err));
        f->row = take_row;
    }
    if (!w->statistics && !w->sensitivity)
        return ZW_OK;
    if (w->range)
        return zw_fail(err, ZW_E_OPTION,
                       "--range: %s is asked of all points, by one process or with --journal",
                       w->statistics ? "--statistics" : "--sensitivity");
    if (w->sensitivity && (w->rows || w->carry))
        return zw_fail(err, ZW_E_OPTION,
                       "--sensitivity asks for one value of each motion, without --rows and "
                       "--carry");
    f->row = take_row;
    if (w->statistics) {
        ZW_TRY(cli_guard_write(t->o, w->statistics, err));
        ZW_TRY(zw_table_can_write(w->statistics, err));
        ZW_TRY(zw_statistics_create(&t->statistics, t->s, 0, NULL, err));
    }
    if (!w->sensitivity)
        return ZW_OK;
    size_t bytes = sizeof(double) * (size_t)zw_survey_measures(t->s);
    uint64_t n = bytes * zw_plan_points(p);
    t->value = bytes == 0 || n / bytes == zw_plan_points(p) ? malloc(n) : NULL;
    return t->value ? ZW_OK
                    : zw_fail(err, ZW_E_MEMORY, "out of memory for sensitivities of %llu points",
                              (unsigned long long)zw_plan_points(p));
}

static void print_effects(const task *t, const char *measure, const zw_sensitivity *e,
                          uint64_t used) {
    const zw_plan *p = zw_survey_plan(t->s);
    bool sobol = t->o->sweep.sensitivity == ZW_PLAN_SALTELLI;
    printf("%s (%llu %s)\n", measure, (unsigned long long)used, sobol ? "samples" : "paths");
    printf(sobol ? "  %-16s %10s %10s %10s %10s\n" : "  %-16s %12s %12s %12s %12s\n", "",
           sobol ? "alone" : "mean", sobol ? "+-" : "size", sobol ? "in all" : "+-",
           sobol ? "+-" : "spread");
    for (int i = 0; i < zw_plan_axes(p); i++) {
        const zw_axis *a = zw_plan_axis(p, i);
        char name[ZW_AXIS_NAME + 8];
        snprintf(name, sizeof name, "%s%s", a->name, a->start ? "(0)" : "");
        if (sobol)
            printf("  %-16s %10.4f %10.4f %10.4f %10.4f\n", name, e[i].first, e[i].first_error,
                   e[i].total, e[i].total_error);
        else
            printf("  %-16s %12.5g %12.5g %12.5g %12.5g\n", name, e[i].mean, e[i].absolute,
                   e[i].absolute_error, e[i].sd);
    }
}

static zw_status report_sensitivity(const task *t, zw_error *err) {
    const zw_plan *p = zw_survey_plan(t->s);
    zw_sensitivity e[ZW_PLAN_AXES];
    zw_table *names;
    ZW_TRY(zw_survey_table(t->s, &names, err));
    zw_status status = ZW_OK;
    for (int i = 0; i < zw_survey_measures(t->s) && status >= 0; i++) {
        uint64_t used;
        status = zw_sensitivity_of(p, t->value + (uint64_t)i * zw_plan_points(p), e, &used, err);
        if (status >= 0)
            print_effects(t, zw_table_name(names, zw_survey_first_measure(t->s) + i), e, used);
    }
    zw_table_destroy(names);
    return status;
}

/* done by the process that has all rows, if they are complete */
static zw_status end_statistics(task *t, zw_error *err) {
    const zw_table *table;
    if (!t->report.joined || t->report.motions < t->report.of)
        return ZW_OK;
    if (t->strange)
        return zw_fail(err, ZW_E_FILE,
                       "a row is of no point of the plan: a chunk of '%s' was changed",
                       t->o->sweep.journal ? t->o->sweep.journal : t->journal);
    if (t->statistics) {
        ZW_TRY(zw_statistics_table(t->statistics, &table, err));
        ZW_TRY(zw_table_write_rescue(table, t->o->sweep.statistics, err));
    }
    return t->value ? report_sensitivity(t, err) : ZW_OK;
}

static zw_status compute_survey(task *t, zw_error *err) {
    zw_survey_files f = zw_survey_files_default();
    uint64_t motions;
    zw_plan_part range;
    ZW_TRY(choose_files(t, &f, err));
    ZW_TRY(cli_guard_write(t->o, t->o->out, err));
    ZW_TRY(open_survey(t, err));
    if (!zw_survey_noises_commute(t->s))
        zw_sim_noise_order_warning(t->model.warnings);
    if (is_talking(t)) {
        cli_report_warnings(t->o, t->model.warnings, false);
        report_plan(t);
    }
    motions = zw_survey_motions(t->s);
    if (f.range) {
        ZW_TRY(zw_plan_part_read(&range, f.range, motions, err));
        motions = range.count;
    }
    if (!f.out && !f.journal) {
        zw_fail(err, ZW_E_OPTION, "a sweep needs a place for its result");
        zw_error_hint(err, "--out sweep.csv, or --out - for standard output");
        return ZW_E_OPTION;
    }
    ZW_TRY(begin_statistics(t, &f, err));
    ZW_TRY(check_size(t, motions, err));
    zw_status status = zw_survey_write(t->s, &f, &t->report, err);
    cli_end_progress();
    report_summary(t);
    if (status == ZW_STOPPED && !t->o->quiet)
        fprintf(stderr, "stopped: %llu of %llu motions are kept%s\n",
                (unsigned long long)(f.journal ? t->report.here
                                     : f.range ? 0
                                               : t->report.motions),
                (unsigned long long)t->report.of, f.journal ? " here (--resume goes on)" : "");
    if (status == ZW_OK)
        status = end_statistics(t, err);
    return check_outcome(t, status, err);
}

/* -------------------------------------------------------------------------------------- joining */

typedef struct paths {
    int n, capacity;
    char **item;
} paths;

static bool add_path(paths *p, const char *path) {
    if (p->n == p->capacity) {
        int capacity = 2 * p->capacity + 16;
        char **wider = realloc(p->item, sizeof *wider * (size_t)capacity);
        if (!wider)
            return false;
        p->item = wider;
        p->capacity = capacity;
    }
    p->item[p->n] = strdup(path);
    return p->item[p->n++] != NULL;
}

/* a folder represents the .csv files in it */
static zw_status add_folder(paths *p, const char *folder, zw_error *err) {
    DIR *d = opendir(folder);
    bool good = true;
    for (struct dirent *e; d && good && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        char path[4096];
        if (!dot || strcmp(dot, ".csv") != 0 || e->d_name[0] == '.' ||
            strncmp(e->d_name, "draft-", 6) == 0)
            continue;
        snprintf(path, sizeof path, "%.3800s/%.255s", folder, e->d_name);
        good = add_path(p, path);
    }
    if (d)
        closedir(d);
    return good ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* options that would have no effect */
static zw_status reject_given(const cli_options *o, const zw_option *table, const char *where,
                              zw_error *err) {
    for (const zw_option *row = table; row->key; row++)
        if (cli_is_given(o, row->key))
            return zw_fail(err, ZW_E_OPTION, "--%s says nothing %s", row->key, where);
    return ZW_OK;
}

static zw_status join_parts(task *t, const char *const *words, zw_error *err) {
    const cli_options *o = t->o;
    paths p = {0};
    zw_status status = ZW_OK;
    if (!o->out) {
        zw_fail(err, ZW_E_OPTION, "--join needs a place for the result");
        zw_error_hint(err, "zwang sweep --join part*.csv --out all.csv");
        return ZW_E_OPTION;
    }
    ZW_TRY(reject_given(o, plan_table, "where parts are joined", err));
    ZW_TRY(reject_given(o, measure_table, "where parts are joined", err));
    ZW_TRY(reject_given(o, statistics_table, "where parts are joined", err));
    for (int i = 0; i < o->nword && status >= 0; i++) {
        struct stat st;
        if (stat(words[i], &st) == 0 && S_ISDIR(st.st_mode))
            status = add_folder(&p, words[i], err);
        else if (!add_path(&p, words[i]))
            status = zw_out_of_memory(err, NULL);
    }
    for (int i = 0; i < p.n && status >= 0; i++)
        status = cli_guard_read(o, p.item[i], err);
    if (status >= 0)
        status = cli_guard_write(o, o->out, err);
    if (status >= 0)
        status = zw_survey_join(p.n, (const char *const *)p.item, o->out, NULL, NULL, &t->report,
                                o->files, err);
    for (int i = 0; i < p.n; i++)
        free(p.item[i]);
    free(p.item);
    ZW_TRY(status);
    report_summary(t);
    return check_outcome(t, status, err);
}

/* ------------------------------------------------------------------------------------- the verb */

static int run_sweep(const cli_options *o, const char *const *words, zw_error *err) {
    task *t = calloc(1, sizeof *t);
    cli_signals watched;
    zw_status status = ZW_OK;
    if (!t)
        return cli_exit_code(zw_out_of_memory(err, NULL));
    t->o = o;
    t->path = words[0];
    t->launcher = cli_find_launcher();
    cli_signals_begin(&watched);
    if (o->sweep.join) {
        status = join_parts(t, words, err);
    } else if (o->nword > 1) {
        status =
            zw_fail(err, ZW_E_OPTION, "'%s' is one word too many: one model is swept", words[1]);
    } else {
        status = cli_model_open(&t->model, words[0], o, err);
        if (status >= 0)
            status = compute_survey(t, err);
        zw_statistics_destroy(t->statistics);
        zw_table_destroy(t->names);
        free(t->value);
        zw_survey_destroy(t->s);
        zw_table_destroy(t->points);
        cli_model_close(&t->model);
    }
    cli_signals_end(&watched);
    free(t);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"points", plan_table, 0},
    {"what is measured", measure_table, 0},
    {"statistics of what is drawn", statistics_table, 0},
    {"files and machines", file_table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {"contacts", zw_sim_contact_table, offsetof(cli_options, sim)},
    {0},
};

const cli_command cli_sweep = {
    .name = "sweep",
    .usage = "sweep MODEL --over NAME=VALUES [--start NAME=VALUES] [--measure MEASURES] --out FILE",
    .about = "many motions: over parameters and starts, measured on the way",
    .details =
        "Every point has a motion of its own, or the state is carried on along the first --over "
        "(--carry). Measures: last,\n"
        "mean, rms, min, max, amplitude, first, phase, harmonic(q,k), share(q,a,b), "
        "histogram(q,a,b,n), time(EVENT),\n"
        "at(q,EVENT), count(EVENT), period. Under mpirun or srun all processes share the work; "
        "docs/sweep.md, docs/scale.md.",
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
    .random = true,
    .arguments = 1,
    .arguments_max = CLI_WORDS_MAX,
    .results = true,
    .reports_stop = true,
    .endless = true,
    .run = run_sweep,
};
