/* SPDX-License-Identifier: MIT */
/* A study as a verb: its options are groups of the command line, its report goes to standard output
 * as text or JSON, its tables into files and pictures. What all verbs have (model, time limit,
 * warnings, pictures) is added here. */
#include "study.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "picture.h"
#include "progress.h"
#include "runs/run_study.h"
#include "strobe.h"
#include "work.h"

#define AT(field) offsetof(cli_options, field)

enum { STUDIES = 64, GROUPS = 16, ROWS = 12, COMMANDS = 96 };

typedef struct study_verb {
    cli_command command;
    cli_group group[GROUPS];
    zw_option result[ROWS]; /* --out, --json, --picture and further tables */
} study_verb;

static study_verb verbs[STUDIES];
const cli_command *cli_commands[COMMANDS];

/* ------------------------------------------------------------------------------------- the work */

/* --json, or the notation json of an option --format */
static bool wants_json(const cli_options *o) {
    for (const zw_option_group *g = o->command->study->groups; g->table; g++) {
        const zw_option *row = zw_options_find(g->table, "format", strlen("format"));
        zw_text chosen;
        zw_text_init(&chosen, NULL);
        if (row)
            zw_options_print(row, (const char *)o->study + g->offset, &chosen);
        bool json = strcmp(zw_text_get(&chosen), "json") == 0;
        zw_text_clear(&chosen);
        if (json)
            return true;
    }
    return o->json;
}

/* To standard output; if a text stands there in place of it, its words go to standard error, or
 * nowhere. */
static zw_status write_report(const cli_options *o, const zw_report *report, bool as_note,
                              zw_error *err) {
    zw_bytes bytes;
    if (!report)
        return zw_out_of_memory(err, "a report");
    ZW_TRY(wants_json(o) ? zw_report_json(report, &bytes, err)
                         : zw_report_text(report, &bytes, err));
    zw_status status = ZW_OK;
    zw_text_tame(bytes.data); /* names and titles come from outside */
    if (as_note)
        fputs(bytes.data, stderr);
    else
        status = cli_write_text(NULL, bytes.data, err);
    zw_bytes_clear(&bytes);
    return status;
}

/* the file of an output; NULL: none */
static const char *path_of(const cli_options *o, int i) {
    return i == 0 ? o->out : o->output[i];
}

/* is it standard output? */
static bool is_direct(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

/* ------------------------------------------------------------------------------------- folders */

/* a path that ends so is a folder, for outputs with a file for each part */
static bool is_folder(const cli_options *o, const char *path) {
    return o->command->study->part && path && path[0] && path[strlen(path) - 1] == '/';
}

static zw_status make_folder(const char *path, zw_error *err) {
    struct stat there;
    if (mkdir(path, 0777) == 0 || (stat(path, &there) == 0 && S_ISDIR(there.st_mode)))
        return ZW_OK;
    return zw_fail(err, ZW_E_FILE, "cannot make the folder %s: %s", path, strerror(errno));
}

static zw_status give_part(const cli_options *o, zw_study *study, const char *folder,
                           const char *name, zw_error *err) {
    zw_allocator alloc = zw_allocator_default();
    zw_bytes bytes;
    zw_text path;
    ZW_TRY(zw_study_text(study, name, &bytes, err));
    zw_text_init(&path, &alloc);
    zw_text_printf(&path, "%s%s", folder, name);
    zw_status status =
        path.failed ? zw_out_of_memory(err, NULL) : cli_guard_write(o, zw_text_get(&path), err);
    if (status >= 0)
        status = cli_write_text(zw_text_get(&path), bytes.data, err);
    zw_text_clear(&path);
    zw_bytes_clear(&bytes);
    return status;
}

static zw_status give_folder(const cli_options *o, zw_study *study, const char *key,
                             const char *folder, zw_error *err) {
    const char *name;
    ZW_TRY(make_folder(folder, err));
    for (int i = 0; (name = zw_study_part(study, key, i)); i++)
        ZW_TRY(give_part(o, study, folder, name, err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- outputs */

/* a text goes to its file, or to standard output if it is shown there */
static zw_status give_text(zw_study *study, const zw_study_output *output, const char *path,
                           const zw_study_output **shown, zw_error *err) {
    zw_bytes bytes;
    ZW_TRY(zw_study_text(study, output->key, &bytes, err));
    zw_status status = ZW_OK;
    if (bytes.data && bytes.data[0]) {
        status = cli_write_text(path, bytes.data, err);
        if (is_direct(path))
            *shown = output;
    } else if (path) {
        status = zw_fail(err, ZW_E_OPTION, "--%s %s: these results have no such text", output->key,
                         path);
    }
    zw_bytes_clear(&bytes);
    return status;
}

/* ---- pictures of a motion, whose columns are known before the work ---- */

static const zw_sim_options *motion_options(const cli_options *o) {
    return &((const zw_run_study_options *)o->study)->sim;
}

/* the picture of --strobe: MODEL_strobe.svg unless --picture names it */
static const char *strobe_path(const cli_options *o, const zw_table *t, char *name, size_t size) {
    cli_picture_name(zw_table_get_note(t, "model"), 1, (const char *const[]){"strobe"}, name, size);
    return o->picture ? o->picture : name;
}

static zw_status check_pictures(const cli_options *o, const zw_table *t, bool resumed,
                                zw_error *err) {
    const zw_sim_options *run = motion_options(o);
    char name[256];
    if (cli_strobe_is_wanted(o))
        ZW_TRY(cli_strobe_check(o, strobe_path(o, t, name, sizeof name), resumed ? NAN : run->start,
                                run->until, err));
    return o->plot.n || !cli_strobe_is_wanted(o) ? cli_picture_tables(o, t, cli_picture_check, err)
                                                 : ZW_OK;
}

static zw_status draw_motion(const cli_options *o, const zw_table *t, zw_error *err) {
    char name[256];
    if (o->plot.n || !cli_strobe_is_wanted(o))
        ZW_TRY(cli_picture_tables(o, t, cli_picture_draw, err));
    return cli_strobe_is_wanted(o)
               ? cli_strobe_draw(o, t, strobe_path(o, t, name, sizeof name), err)
               : ZW_OK;
}

/* a table with all warnings, in a file and as a picture */
static zw_status give_table(cli_work *w, const char *key, const char *path, bool drawn,
                            zw_error *err) {
    zw_table *t;
    zw_status status = cli_work_table(w, key, &t, err);
    if (status >= 0 && status != ZW_RETRY && !t)
        return zw_fail(err, ZW_E_OPTION, "--%s: these results have no such table", key);
    if (status < 0 || !t)
        return status;
    status = path ? cli_write_table(t, path, err) : ZW_OK;
    if (status >= 0 && drawn && w->o->command->study->motion)
        status = draw_motion(w->o, t, err);
    else if (status >= 0 && drawn)
        status = cli_picture_result(w->o, t, err);
    zw_table_destroy(t);
    return status;
}

/* With --quiet and files, only the files are written. */
static bool is_shown(const cli_options *o, const zw_study_output *output) {
    return output->shown && !wants_json(o) && !(o->quiet && o->out);
}

static bool wants_picture(const cli_options *o) {
    bool motion = o->command->study->motion;
    return o->picture || (motion && (o->plot.n || cli_strobe_is_wanted(o)));
}

/* is it the table that --picture shows? */
static bool is_drawn(const cli_options *o, zw_study *study, int i) {
    const char *key = NULL;
    return wants_picture(o) && zw_study_drawn(study, &key, NULL) >= 0 &&
           strcmp(key, o->command->study->outputs[i].key) == 0;
}

/* Output i into the file of its option, and one of the tables into --picture. A text that is shown on
 * standard output stands in place of the words of the report. */
static zw_status write_output(cli_work *w, int i, const zw_study_output **shown, zw_error *err) {
    const cli_options *o = w->o;
    const zw_study_output *output = &o->command->study->outputs[i];
    const char *path = path_of(o, i);
    bool text = zw_study_output_is_text(output, path);
    if (text && is_folder(o, path))
        return give_folder(o, w->study, output->key, path, err);
    if (text && (path || is_shown(o, output)))
        return give_text(w->study, output, path, shown, err);
    if (!text && (path || is_drawn(o, w->study, i)))
        return give_table(w, output->key, path, is_drawn(o, w->study, i), err);
    return ZW_OK;
}

/* Each is tried, even if others fail. */
static zw_status write_outputs(cli_work *w, bool texts, const zw_study_output **shown,
                               zw_error *err) {
    const zw_study_output *outputs = w->o->command->study->outputs;
    zw_status first = ZW_OK;
    for (int i = 0; outputs && outputs[i].key; i++) {
        if (outputs[i].written || zw_study_output_is_text(&outputs[i], path_of(w->o, i)) != texts)
            continue;
        zw_status status = write_output(w, i, shown, first < 0 ? NULL : err);
        first = first < 0 ? first : status;
    }
    return first;
}

/* does a table go to standard output, so that the words of the report cannot? */
static bool is_taken(const cli_options *o) {
    const zw_study_output *outputs = o->command->study->outputs;
    bool taken = false;
    for (int i = 0; outputs && outputs[i].key; i++)
        taken |= path_of(o, i) && is_direct(path_of(o, i));
    return taken;
}

/* A motion is its table; with --quiet it has no summary. */
static bool is_silent(const cli_options *o) {
    return o->quiet && !o->json && o->command->study->motion;
}

/* What the study has written itself while it worked; *shown: to standard output. */
static void note_written(const cli_options *o, const zw_study_output **shown) {
    const zw_study_output *outputs = o->command->study->outputs;
    for (int i = 0; outputs && outputs[i].key; i++)
        if (outputs[i].written && path_of(o, i)) {
            cli_note_written();
            if (is_direct(path_of(o, i)))
                *shown = &outputs[i];
        }
}

/* Of several processes of a launcher, the one that joins the result reports it. */
static bool is_reported(bool silent, const zw_report *report) {
    return !silent || !report || zw_report_get_number(report, "joined") > 0;
}

static zw_status report_work(cli_work *w, zw_error *err) {
    const cli_options *o = w->o;
    const zw_study_output *shown = NULL;
    const zw_report *report = zw_study_report(w->study);
    bool reported = is_reported(w->silent, report);
    cli_work_warn(w, reported);
    note_written(o, &shown);
    zw_status texts = write_outputs(w, true, &shown, err);
    if (reported && (!shown || (shown->noted && !o->quiet)) && !is_silent(o))
        ZW_TRY(write_report(o, report, shown || is_taken(o), err));
    zw_status tables = write_outputs(w, false, &shown, texts < 0 ? NULL : err);
    return texts < 0 ? texts : tables;
}

static zw_status work_and_report(cli_work *w, zw_error *err) {
    zw_error later = {0};
    zw_status status = cli_work_run(w, err);
    zw_status reported = zw_study_has_results(w->study) ? report_work(w, &later) : ZW_OK;
    if (status < 0 || reported >= 0)
        return status;
    *err = later;
    return reported;
}

/* standard output has room for one result */
static zw_status check_direct(const cli_options *o, zw_error *err) {
    const zw_study_output *outputs = o->command->study->outputs;
    const char *taken = wants_json(o) ? "json" : NULL;
    for (int i = 0; outputs && outputs[i].key; i++) {
        if (!path_of(o, i) || !is_direct(path_of(o, i)))
            continue;
        if (taken)
            return zw_fail(err, ZW_E_OPTION, "--%s and --%s both write to standard output", taken,
                           outputs[i].key);
        taken = outputs[i].key;
    }
    return ZW_OK;
}

/* Options of pictures without a picture would have no effect. */
static zw_status check_style(const cli_options *o, zw_error *err) {
    const zw_study_kind *kind = o->command->study;
    if (wants_picture(o) || !kind->table)
        return ZW_OK;
    if (o->plot.n)
        return zw_fail(err, ZW_E_OPTION, "--plot: --picture FILE names the picture");
    for (const zw_option *row = cli_draw_table; row->key; row++)
        if (cli_is_given(o, row->key) && !cli_study_has(kind, row->key))
            return zw_fail(err, ZW_E_OPTION, "--%s is for pictures: add %s", row->key,
                           kind->motion ? "--plot y:x" : "--picture FILE");
    return ZW_OK;
}

static zw_status check_motion_style(const cli_options *o, zw_error *err) {
    bool strobe = cli_strobe_is_wanted(o);
    if (o->picture && o->plot.n > 0 && strobe)
        return zw_fail(err, ZW_E_OPTION, "--picture %s: --plot and --strobe are two pictures",
                       o->picture);
    return cli_strobe_check_use(o, err);
}

static zw_status check_place(const cli_options *o, int i, zw_error *err) {
    const char *path = path_of(o, i);
    if (path && !zw_study_output_is_text(&o->command->study->outputs[i], path))
        ZW_TRY(zw_table_can_write(path, err));
    return is_folder(o, path) ? ZW_OK : cli_guard_write(o, path, err);
}

/* The main table of a motion may replace the result that it continues, whose rows it contains; no
 * other file may replace what the command reads. */
static zw_status check_motion_place(const cli_options *o, const char *first, zw_error *err) {
    const char *restart = ((const zw_run_study_options *)o->study)->restart;
    if (cli_is_result(first))
        cli_guard_release(o, first);
    if (restart)
        cli_guard_release(o, restart);
    ZW_TRY(check_place(o, 0, err));
    ZW_TRY(cli_guard_read(o, first, err));
    return cli_guard_read(o, restart, err);
}

/* can the results be written where they are to go? Asked before the work. */
static zw_status check_places(const cli_options *o, const char *first, zw_error *err) {
    const zw_study_output *outputs = o->command->study->outputs;
    bool motion = o->command->study->motion;
    ZW_TRY(check_direct(o, err));
    ZW_TRY(check_style(o, err));
    if (motion)
        ZW_TRY(check_motion_style(o, err));
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (motion)
        ZW_TRY(check_motion_place(o, first, err));
    for (int i = motion; outputs && outputs[i].key; i++)
        ZW_TRY(check_place(o, i, err));
    return ZW_OK;
}

/* the pictures are checked before the run */
static zw_status prepare_motion(cli_work *w, zw_error *err) {
    zw_table *t;
    ZW_TRY(zw_study_prepare(w->study, err));
    ZW_TRY(zw_study_table(w->study, "out", &t, err));
    const zw_run_study_options *run = w->o->study;
    zw_status status = check_pictures(w->o, t, w->result || run->restart, err);
    zw_table_destroy(t);
    return status;
}

/* Does the option name files that the study reads? Those that it writes are outputs. */
static bool names_files(const zw_option *row) {
    return (row->type == ZW_OPT_STRING || row->type == ZW_OPT_LIST) && row->choices &&
           (strcmp(row->choices, "FILE") == 0 || strncmp(row->choices, "RESULT", 6) == 0 ||
            strncmp(row->choices, "MODEL", 5) == 0);
}

/* No output may overwrite them. "FILE; set=..." and "RESULT@TIME" name files, too. */
static zw_status guard_words(const cli_options *o, const zw_option *row, const char *words,
                             zw_error *err) {
    char path[4096], *at;
    for (const char *p = words; p && *p;) {
        p += strspn(p, " ;");
        size_t length = strcspn(p, ";");
        snprintf(path, sizeof path, "%.*s", (int)length, p);
        if (strchr(row->choices, '@') && (at = strrchr(path, '@')))
            *at = '\0';
        if (*path)
            ZW_TRY(cli_guard_read(o, path, err));
        p += length;
    }
    return ZW_OK;
}

static zw_status guard_option(const cli_options *o, const zw_option *row, const void *options,
                              zw_error *err) {
    const void *field = (const char *)options + row->offset;
    if (row->type == ZW_OPT_STRING)
        return guard_words(o, row, *(const char *const *)field, err);
    const zw_option_list *list = field;
    for (int i = 0; i < list->n; i++)
        ZW_TRY(guard_words(o, row, list->item[i], err));
    return ZW_OK;
}

/* data files and files that options name */
static zw_status guard_inputs(const cli_options *o, const char *const *words, zw_error *err) {
    for (int i = 0; i < o->nword; i++)
        ZW_TRY(cli_guard_read(o, words[i], err));
    for (const zw_option_group *g = o->command->study->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            if (names_files(row))
                ZW_TRY(guard_option(o, row, (const char *)o->study + g->offset, err));
    return ZW_OK;
}

/* the outputs that are wanted; the report always is */
static zw_status want_outputs(const cli_options *o, zw_study *study, zw_error *err) {
    const zw_study_output *outputs = o->command->study->outputs;
    const char *drawn;
    zw_study_want(study, "report", "-");
    for (int i = 0; outputs && outputs[i].key; i++)
        if (path_of(o, i))
            zw_study_want(study, outputs[i].key, path_of(o, i));
    if (wants_picture(o)) {
        ZW_TRY(zw_study_drawn(study, &drawn, err));
        zw_study_want(study, drawn, "");
    }
    return ZW_OK;
}

static zw_status run_work(cli_work *w, const char *const *words, zw_error *err) {
    const cli_options *o = w->o;
    ZW_TRY(guard_inputs(o, words, err));
    ZW_TRY(cli_work_open(w, words[0], o, err));
    ZW_TRY(check_places(o, words[0], err));
    zw_study_files(w->study, o->nword - 1, words + 1);
    ZW_TRY(want_outputs(o, w->study, err));
    ZW_TRY(cli_work_share(w, err));
    if (o->command->study->motion)
        ZW_TRY(prepare_motion(w, err));
    return work_and_report(w, err);
}

/* -------------------------------------------------------------------------------------- joining */

static zw_status reject_given(const cli_options *o, zw_error *err) {
    const zw_study_kind *kind = o->command->study;
    const char *key = NULL;
    for (const zw_option_group *g = kind->groups; g->table && !key; g++)
        for (const zw_option *row = g->table; row->key && !key; row++)
            if (cli_is_given(o, row->key))
                key = row->key;
    for (int i = 1; kind->outputs[0].key && kind->outputs[i].key && !key; i++)
        if (path_of(o, i))
            key = kind->outputs[i].key;
    return key ? zw_fail(err, ZW_E_OPTION, "--%s has no effect with --join", key) : ZW_OK;
}

static zw_status join_parts(const cli_options *o, const char *const *words, zw_warnings *list,
                            zw_report *report, zw_error *err) {
    const zw_study_kind *kind = o->command->study;
    zw_error trouble = {0};
    ZW_TRY(reject_given(o, err));
    for (int i = 0; i < o->nword; i++)
        ZW_TRY(cli_guard_read(o, words[i], err));
    ZW_TRY(cli_guard_write(o, o->out, err));
    zw_report_word(report, "study", kind->name);
    zw_report_word(report, "version", zw_version());
    zw_status status = kind->join(o->nword, words, o->out, report, list, &trouble);
    cli_report_warnings(o, list, false);
    if (!isnan(zw_report_get_number(report, "motions")))
        ZW_TRY(write_report(o, report, o->out && is_direct(o->out), err));
    if (status < 0 && err)
        *err = trouble;
    return cli_judge(o, list, status, err);
}

/* --join: the words are parts of one result */
static int run_join(const cli_options *o, const char *const *words, zw_error *err) {
    zw_warnings *list = zw_warnings_create(NULL);
    zw_report *report = zw_report_create(NULL);
    zw_status status =
        list && report ? join_parts(o, words, list, report, err) : zw_out_of_memory(err, NULL);
    zw_report_destroy(report);
    zw_warnings_destroy(list);
    return cli_exit_code(status);
}

static int run_study(const cli_options *o, const char *const *words, zw_error *err) {
    cli_work w = {.o = o};
    if (o->join)
        return run_join(o, words, err);
    zw_status status = run_work(&w, words, err);
    cli_end_progress();
    if (status < 0 && w.launcher.by && err && !err->hint[0])
        zw_error_hint(err, "%s is set: this is process %d of %d", w.launcher.by, w.launcher.worker,
                      w.launcher.workers);
    status = cli_judge(o, w.model.warnings, status, err);
    cli_work_close(&w);
    return cli_exit_code(status);
}

/* --------------------------------------------------------------------------------------- the row */

static void list_results(study_verb *v, const zw_study_kind *kind) {
    const zw_study_output *outputs = kind->outputs;
    zw_option *row = v->result;
    if (kind->table) {
        *row++ = (zw_option){"plot", ZW_OPT_LIST, AT(plot),
                             0,      0,           0,
                             "",     "y:x",       "panel of the picture, as for zwang plot"};
        *row++ = (zw_option){"picture",
                             ZW_OPT_STRING,
                             AT(picture),
                             0,
                             0,
                             0,
                             "",
                             "FILE",
                             "picture of the table: .svg, .pdf, .png, .tex"};
    }
    if (kind->join)
        *row++ = (zw_option){
            "join",
            ZW_OPT_FLAG,
            AT(join),
            0,
            0,
            0,
            "",
            NULL,
            "one result from parts: --join FILES --out all.csv, or the folder of a journal"};
    *row++ = (zw_option){"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all results as JSON"};
    for (int i = 0; outputs[0].key && outputs[i].key; i++) {
        assert(i < CLI_OUTPUTS && row < v->result + ROWS - 1);
        *row++ = (zw_option){outputs[i].key,
                             ZW_OPT_STRING,
                             i == 0 ? AT(out) : AT(output) + (size_t)i * sizeof(char *),
                             0,
                             0,
                             0,
                             "",
                             "FILE",
                             outputs[i].about};
    }
}

static void make_verb(study_verb *v, const zw_study_kind *kind) {
    cli_group *g = v->group;
    for (const zw_option_group *from = kind->groups; from->table; from++) {
        assert(g < v->group + GROUPS - 6);
        *g++ = (cli_group){from->title, from->table, CLI_OF_STUDY + from->offset, from->rare};
    }
    list_results(v, kind);
    *g++ = (cli_group){"results", v->result, 0, false};
    *g++ = (cli_group){"messages and limits", cli_told_table, 0, true};
    *g++ = (cli_group){"model", cli_model_table, offsetof(cli_options, model), true};
    if (kind->motion)
        *g++ =
            (cli_group){"several instants", cli_strobe_table, offsetof(cli_options, strobe), true};
    if (kind->table)
        *g++ = (cli_group){"picture", cli_draw_table, offsetof(cli_options, draw), true};
    v->command = (cli_command){.name = kind->name,
                               .usage = kind->usage,
                               .about = kind->about,
                               .details = kind->details,
                               .examples = kind->examples,
                               .groups = v->group,
                               .arguments = 1,
                               .arguments_max = kind->arguments_max,
                               .results = kind->results || kind->join,
                               .random = kind->random,
                               .endless = kind->endless,
                               .study = kind,
                               .run = run_study};
}

static void insert_command(const cli_command *c, int n) {
    assert(n < COMMANDS - 1);
    for (; n > 0 && strcmp(cli_commands[n - 1]->name, c->name) > 0; n--)
        cli_commands[n] = cli_commands[n - 1];
    cli_commands[n] = c;
}

/* A verb that runs models first has the options of the study as well. */
static void extend_verb(study_verb *v, const cli_command *own) {
    cli_group *g = v->group;
    for (const cli_group *from = own->groups; from->table; from++)
        *g++ = *from;
    for (const zw_option_group *from = own->study->groups; from->table; from++) {
        assert(g < v->group + GROUPS - 1);
        *g++ = (cli_group){from->title, from->table, CLI_OF_STUDY + from->offset, from->rare};
    }
    v->command = *own;
    v->command.groups = v->group;
}

void cli_commands_begin(const cli_command *const *own) {
    const zw_study_kind *const *kinds = zw_studies();
    int n = 0, extended = STUDIES;
    if (cli_commands[0])
        return;
    for (int i = 0; own[i]; i++) {
        const cli_command *c = own[i];
        if (c->study) {
            extend_verb(&verbs[--extended], c);
            c = &verbs[extended].command;
        }
        insert_command(c, n++);
    }
    for (int i = 0; kinds[i]; i++) {
        assert(i < extended);
        make_verb(&verbs[i], kinds[i]);
        insert_command(&verbs[i].command, n++);
    }
}
