/* SPDX-License-Identifier: MIT */
/* The work of a sweep: its survey written to files, alone or with other processes, statistics of its
 * rows, and results joined from parts. */
#include "sweep.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/files/file.h"

/* Work beyond these limits needs --yes: it would surprise a user who mistyped a number. */
#define LONG_TIME 3600.   /* [s]; of one process */
#define LARGE_RESULT 10e9 /* bytes on the disk */
#define FEW_NUMBERS 1e8   /* results up to this size, 800 MB, are not estimated */

enum { FEW_MOTIONS = 1000, NOTED_AFTER = 5 /* [s], longer than the renewal of a lease takes */ };

/* --------------------------------------------------------------------------------------- create */

static bool is_direct(const char *path) {
    return path && strcmp(path, "-") == 0;
}

static zw_status reject_range(const zw_sweep_study *s, const char *key, zw_error *err) {
    return s->o->files.range
               ? zw_fail(err, ZW_E_OPTION,
                         "--range: --%s needs all points, in one process or with --journal", key)
               : ZW_OK;
}

static zw_status check_options(const zw_sweep_study *s, zw_error *err) {
    const zw_sweep_options *o = s->o;
    const zw_survey_files *f = &o->files;
    bool statistics = zw_study_wants(&s->input, "statistics") != NULL;
    if (s->input.nfile > 0)
        return zw_fail(err, ZW_E_OPTION, "'%s' is one word too many: one model is swept",
                       s->input.file[0]);
    if (f->worker > 0 && f->worker >= f->workers)
        return zw_fail(err, ZW_E_OPTION, "--worker %d: the numbers of %d processes are 0 to %d",
                       f->worker, f->workers, f->workers - 1);
    if (!s->shared)
        for (int i = 0; i < 2; i++) {
            const char *key = i ? "lease" : "chunk";
            if (zw_study_is_given(&s->input, key))
                return zw_fail(err, ZW_E_OPTION, "--%s needs --journal", key);
        }
    if (!s->out && !o->files.journal) {
        zw_fail(err, ZW_E_OPTION, "a sweep needs a place for its result");
        zw_error_hint(err, "--out sweep.csv, or --out - for standard output");
        return ZW_E_OPTION;
    }
    if (s->shared && !o->files.journal && is_direct(s->out))
        return zw_fail(err, ZW_E_OPTION,
                       "several processes share a journal: give --out FILE or --journal FOLDER");
    if (o->plan.design && (o->own.rows || o->own.carry))
        return zw_fail(err, ZW_E_OPTION,
                       "--sensitivity needs one value of each motion, without --rows and --carry");
    if (statistics)
        ZW_TRY(reject_range(s, "statistics", err));
    return o->plan.design ? reject_range(s, "sensitivity", err) : ZW_OK;
}

static zw_status read_points(zw_sweep_study *s, zw_error *err) {
    if (!s->o->points)
        return ZW_OK;
    ZW_TRY(zw_table_read(&s->points, s->o->points, err));
    zw_warnings_of_file(s->files, s->points, s->o->points);
    return ZW_OK;
}

static zw_status create_survey(zw_sweep_study *s, zw_error *err) {
    const zw_sweep_options *o = s->o;
    zw_plan_options plan = o->plan;
    zw_survey_options own = o->own;
    zw_ensemble_options ensemble = o->ensemble;
    zw_sim_options sim = o->sim;
    bool random = zw_system_is_random(s->input.system);
    plan.nover = o->over.n, plan.over = o->over.item;
    plan.nstart = o->start.n, plan.start = o->start.item;
    plan.points = s->points;
    own.ndisturb = o->disturb.n, own.disturb = o->disturb.item;
    sim.seed = (long)o->plan.seed;
    ensemble.contacts = &sim;
    if (zw_study_is_given(&s->input, "noise-step") && !random)
        return zw_fail(err, ZW_E_OPTION, "--noise-step: the model has no noise");
    if (plan.nover + plan.nstart == 0 && !plan.points && !(random && plan.samples > 0)) {
        zw_fail(err, ZW_E_OPTION, "a sweep needs something that is varied");
        zw_error_hint(err, "--over Omega=1:8:0.01, --start theta=uniform:-pi:pi --samples 1000, "
                           "--points FILE");
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_survey_create(&s->survey, s->input.source, &plan, &ensemble, &own, err));
    return zw_survey_table(s->survey, &s->names, err);
}

/* what takes rows, before there are any */
static zw_status begin_statistics(zw_sweep_study *s, zw_error *err) {
    const zw_plan *plan = zw_survey_plan(s->survey);
    size_t bytes = sizeof(double) * (size_t)zw_survey_measures(s->survey);
    uint64_t n = bytes * zw_plan_points(plan);
    if (zw_study_wants(&s->input, "statistics"))
        ZW_TRY(zw_statistics_create(&s->statistics, s->survey, 0, NULL, err));
    if (!s->o->plan.design)
        return ZW_OK;
    s->value = bytes == 0 || n / bytes == zw_plan_points(plan) ? malloc(n) : NULL;
    return s->value ? ZW_OK
                    : zw_fail(err, ZW_E_MEMORY, "out of memory for sensitivities of %llu points",
                              (unsigned long long)zw_plan_points(plan));
}

static zw_status open_study(zw_sweep_study *s, zw_error *err) {
    if (!(s->files = zw_warnings_create(NULL)))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(check_options(s, err));
    ZW_TRY(read_points(s, err));
    ZW_TRY(create_survey(s, err));
    return begin_statistics(s, err);
}

zw_status zw_sweep_study_create(void **out, const zw_study_input *input, void *options,
                                zw_error *err) {
    zw_sweep_study *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    s->o = options;
    s->input = *input;
    s->out = zw_study_wants(input, "out");
    s->shared = s->o->files.journal || (s->o->files.workers > 1 && !s->o->files.range);
    zw_arena_init(&s->arena, NULL);
    zw_status status = open_study(s, err);
    if (status < 0)
        zw_sweep_study_destroy(s);
    else
        *out = s;
    return status;
}

void zw_sweep_study_destroy(void *study) {
    zw_sweep_study *s = study;
    zw_statistics_destroy(s->statistics);
    zw_table_destroy(s->names);
    zw_survey_destroy(s->survey);
    zw_table_destroy(s->points);
    zw_warnings_destroy(s->files);
    free(s->value);
    zw_arena_clear(&s->arena);
    free(s);
}

/* ------------------------------------------------------------------------------------- estimate */

static const char *time_words(char *out, size_t size, double t) {
    if (t < 100)
        snprintf(out, size, "%.2g s", t);
    else if (t < 100 * 60)
        snprintf(out, size, "%.0f min", t / 60);
    else if (t < 48 * 3600)
        snprintf(out, size, "%.0f h", t / 3600);
    else if (t < 2 * 365 * 86400.)
        snprintf(out, size, "%.0f days", t / 86400);
    else
        snprintf(out, size, "%.3g years", t / (365.25 * 86400));
    return out;
}

static const char *bytes_words(char *out, size_t size, double b) {
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    for (; b >= 1000 && i < 5; i++)
        b /= 1000;
    snprintf(out, size, "%.3g %s", b, unit[i]);
    return out;
}

/* "about 2 h and 85 MB of results (in memory 90 MB)" */
static const char *need_words(char *out, size_t size, const zw_survey_estimate *e, double total,
                              bool whole) {
    char time[40], disk[40], memory[40];
    int n =
        snprintf(out, size, "%s %s and %s of results", e->at_least ? "more than" : "about",
                 time_words(time, sizeof time, total), bytes_words(disk, sizeof disk, e->bytes));
    if (whole)
        snprintf(out + n, size - (size_t)n, " (in memory %s)",
                 bytes_words(memory, sizeof memory, e->memory));
    return out;
}

/* Long and large work is announced before it begins, and needs a further option. */
static zw_status check_size(const zw_sweep_study *s, uint64_t motions, zw_error *err) {
    zw_survey_estimate e;
    char need[160];
    const char *dot = s->out ? strrchr(s->out, '.') : NULL;
    bool whole = dot && strcmp(dot, ".csv") != 0 && !is_direct(s->out);
    int workers = s->o->files.workers > 1 ? s->o->files.workers : 1;
    double numbers =
        (double)motions * (double)zw_survey_rows(s->survey) * (double)zw_survey_columns(s->survey);
    if (motions <= FEW_MOTIONS && numbers <= FEW_NUMBERS)
        return ZW_OK;
    ZW_TRY(zw_survey_try(s->survey, motions, &e, err));
    double total = e.total / workers;
    double half_memory = 0.5 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    bool too_large = whole && e.memory > half_memory;
    need_words(need, sizeof need, &e, total, whole);
    if (s->o->files.worker == 0)
        zw_sweep_note(s, "%s", need);
    if (s->o->yes || (total <= LONG_TIME && e.bytes <= LARGE_RESULT && !too_large))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%llu motions need %s", (unsigned long long)motions, need);
    zw_error_hint(err, too_large
                           ? "--out FILE.csv is written on the way; --yes does it all the same"
                           : "--yes does it; --range I/N and --journal FOLDER share it among "
                             "machines (docs/scale.md)");
    return ZW_E_OPTION;
}

/* ---------------------------------------------------------------------------------------- rows */

/* of a carried state: rows with jump = 1 before and 2 after it */
static void take_jump(zw_sweep_study *s, const double *row) {
    int column = zw_table_find(s->names, "jump"), first = zw_survey_first_measure(s->survey);
    zw_sweep_jump *j = &s->jump[s->njump < ZW_SWEEP_JUMPS ? s->njump : ZW_SWEEP_JUMPS - 1];
    if (row[column] == 1 && s->njump < ZW_SWEEP_JUMPS)
        *j = (zw_sweep_jump){.low = row[0], .from = row[first]};
    if (row[column] != 2)
        return;
    if (s->njump < ZW_SWEEP_JUMPS) {
        j->high = row[0];
        j->to = row[first];
    }
    s->njump++;
}

static void take_row(void *user, const double *row) {
    zw_sweep_study *s = user;
    const zw_plan *p = zw_survey_plan(s->survey);
    int n = zw_survey_measures(s->survey), first = zw_survey_first_measure(s->survey);
    if (s->o->own.jump > 0)
        take_jump(s, row);
    if (s->statistics)
        zw_statistics_row(s->statistics, row);
    double point = row[first + n];
    bool known = point >= 0 && point < (double)zw_plan_points(p);
    s->strange = s->strange || !known;
    for (int i = 0; i < n && s->value && known; i++)
        s->value[(uint64_t)i * zw_plan_points(p) + (uint64_t)point] = row[first + i];
}

static zw_status find_effects(zw_sweep_study *s, zw_error *err) {
    const zw_plan *p = zw_survey_plan(s->survey);
    int n = zw_survey_measures(s->survey), axes = zw_plan_axes(p);
    zw_sensitivity *effect = ZW_NEW(&s->arena, zw_sensitivity, n * axes + 1);
    uint64_t *used = ZW_NEW(&s->arena, uint64_t, n + 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    for (int i = 0; i < n; i++)
        ZW_TRY(zw_sensitivity_of(p, s->value + (uint64_t)i * zw_plan_points(p), effect + i * axes,
                                 &used[i], err));
    s->effect = effect;
    s->used = used;
    return ZW_OK;
}

/* in the process that has all rows, if they are complete */
static zw_status end_statistics(zw_sweep_study *s, zw_error *err) {
    if (!s->report.joined || s->report.motions < s->report.of)
        return ZW_OK;
    if (s->strange)
        return zw_fail(err, ZW_E_FILE,
                       "a row is of no point of the plan: a chunk of the journal of '%s' was "
                       "changed",
                       s->out ? s->out : s->o->files.journal);
    s->complete = true;
    return s->value ? find_effects(s, err) : ZW_OK;
}

/* ----------------------------------------------------------------------------------------- work */

static bool ask_stop(void *user, double done) {
    const zw_sweep_study *s = user;
    return s->input.stop && s->input.stop(s->input.user, done);
}

/* once for each claim that blocks */
static void note_waiting(void *user, const char *claim, double seconds) {
    zw_sweep_study *s = user;
    if (seconds < NOTED_AFTER || (s->claim && strcmp(s->claim, claim) == 0))
        return;
    s->claim = zw_arena_string(&s->arena, claim);
    zw_sweep_note(s,
                  "waiting for another process, which has the claim '%s'; if it does not renew the "
                  "claim within %g s (--lease), this process takes over",
                  claim, s->o->files.lease);
}

/* processes of a launcher share one journal, next to the result by default */
static zw_status choose_files(zw_sweep_study *s, zw_survey_files *f, zw_error *err) {
    *f = s->o->files;
    f->out = s->out;
    f->stop = ask_stop;
    f->waiting = note_waiting;
    f->row = s->statistics || s->value || s->o->own.jump > 0 ? take_row : NULL;
    f->user = s;
    if (f->workers < 2 || f->range) {
        f->worker = f->workers = 0;
        return ZW_OK;
    }
    if (!f->journal)
        f->journal = zw_arena_printf(&s->arena, "%s.journal", s->out);
    f->resume = true;
    return zw_arena_status(&s->arena, err);
}

zw_status zw_sweep_outcome(const zw_survey_report *r, zw_error *err) {
    if (r->failed == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "%llu of %llu motions failed", (unsigned long long)r->failed,
            (unsigned long long)r->of);
    zw_error_hint(err, "all others are in the result; rows with end = -1 are the failed ones");
    return ZW_E_NUMERIC;
}

zw_status zw_sweep_study_work(void *study, const zw_study_input *input, zw_error *err) {
    zw_sweep_study *s = study;
    zw_survey_files f;
    uint64_t motions = zw_survey_motions(s->survey);
    zw_plan_part range;
    (void)input;
    ZW_TRY(choose_files(s, &f, err));
    if (f.range) {
        ZW_TRY(zw_plan_part_read(&range, f.range, motions, err));
        motions = range.count;
    }
    zw_sweep_note_plan(s);
    ZW_TRY(check_size(s, motions, err));
    zw_status status = zw_survey_write(s->survey, &f, &s->report, err);
    ZW_TRY(status);
    s->has_report = true;
    s->stopped = status == ZW_STOPPED;
    if (status != ZW_OK)
        return status;
    ZW_TRY(end_statistics(s, err));
    return zw_sweep_outcome(&s->report, err);
}

/* -------------------------------------------------------------------------------------- joining */

typedef struct part_list {
    zw_arena arena;
    int n, capacity;
    const char **path;
} part_list;

static zw_status add_part(part_list *p, const char *path, zw_error *err) {
    if (!zw_arena_grow(&p->arena, (void **)&p->path, p->n, &p->capacity, sizeof *p->path))
        return zw_out_of_memory(err, NULL);
    p->path[p->n++] = zw_arena_string(&p->arena, path);
    return zw_arena_status(&p->arena, err);
}

static bool is_part(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".csv") == 0 && name[0] != '.' && strncmp(name, "draft-", 6) != 0;
}

/* a folder represents the .csv files in it */
static zw_status add_folder(part_list *p, const char *folder, zw_error *err) {
    DIR *d = opendir(folder);
    zw_status status = ZW_OK;
    for (struct dirent *e; d && status >= 0 && (e = readdir(d));)
        if (is_part(e->d_name))
            status = add_part(p, zw_arena_printf(&p->arena, "%s/%s", folder, e->d_name), err);
    if (d)
        closedir(d);
    return status;
}

static zw_status list_parts(part_list *p, int n, const char *const *part, const char *out,
                            zw_error *err) {
    for (int i = 0; i < n; i++) {
        struct stat st;
        bool folder = stat(part[i], &st) == 0 && S_ISDIR(st.st_mode);
        ZW_TRY(folder ? add_folder(p, part[i], err) : add_part(p, part[i], err));
    }
    for (int i = 0; i < p->n; i++)
        if (zw_out_is_same(p->path[i], out))
            return zw_fail(err, ZW_E_OPTION, "'%s' is one of the parts: it would be overwritten",
                           out);
    return ZW_OK;
}

zw_status zw_sweep_study_join(int n, const char *const *part, const char *out, zw_report *report,
                              zw_warnings *warnings, zw_error *err) {
    part_list p = {0};
    zw_survey_report r = {0};
    if (!out) {
        zw_fail(err, ZW_E_OPTION, "--join needs a place for the result");
        zw_error_hint(err, "zwang sweep --join part*.csv --out all.csv");
        return ZW_E_OPTION;
    }
    zw_arena_init(&p.arena, NULL);
    zw_status status = list_parts(&p, n, part, out, err);
    if (status >= 0)
        status = zw_survey_join(p.n, p.path, out, NULL, NULL, &r, warnings, err);
    zw_arena_clear(&p.arena);
    ZW_TRY(status);
    zw_sweep_report_parts(&r, report);
    zw_sweep_warn_doubtful(NULL, &r, warnings);
    return zw_sweep_outcome(&r, err);
}
