/* SPDX-License-Identifier: MIT */
/* The command: a table of verbs, each with its option tables, its help and one function.
 *
 * Exit codes: 0 done, 1 the user's mistake, 2 the numerics failed, 3 a bug or no memory, 4 warnings
 * (with --strict), 130, 143 and 129 interrupted. Results go to stdout, progress and messages to
 * stderr. */
#ifndef ZW_CLI_CLI_H
#define ZW_CLI_CLI_H

#include "base/option.h"
#include "base/text.h"
#include "zwang/zwang.h"

/* Options of every command that reads a model. */
typedef struct cli_model_options {
    zw_option_list set, with, without, law, bilateral, unilateral;
    const char *variant;
    const char *steady; /* a motion of the command line; constant definitions */
    bool constants;     /* keep their names, for formulas, */
    bool bodies;        /* and so do mass properties of bodies */
} cli_model_options;

/* The style of a picture; see src/cli/picture.c. */
typedef struct cli_draw_options {
    zw_option_list label[3], right, legend, style, range, inset, runs, titles, annotate;
    const char *title, *size, *font, *solid, *shade, *levels;
    double azimuth, elevation, font_size;
    int axes, columns, orbits, colours, bins;
    bool logx, logy, logy2, logz, linear, points, grid, keep;
} cli_draw_options;

/* Several instants in one picture; see src/cli/strobe.c. */
typedef struct cli_strobe_options {
    const char *instants; /* NULL: none requested */
    int layout;
    double fade;
    bool bare, dark;
    int forces;
} cli_strobe_options;

/* Stills and films; see src/cli/stills.c. */
typedef struct cli_stills_options {
    const char *still, *video, *size;
    double at, fps, speed, from, to, azimuth, elevation, zoom;
    bool bare, dark;
    int forces;
} cli_stills_options;

enum { CLI_WORDS_MAX = 64, CLI_OUTPUTS = 8, CLI_OF_STUDY = 1 << 24 };

/* The faults of a model text after the first one, which is the error of the command. */
typedef struct cli_faults {
    int n; /* including the first */
    zw_text rest;
} cli_faults;

/* The files that a command reads and those that it will write (file_guard.c). */
typedef struct cli_file_guard {
    int n;
    struct cli_guarded_file *item;
} cli_file_guard;

typedef struct cli_options {
    const struct cli_command *command;
    void *study;                     /* options of the study that the verb is; NULL: it is none */
    const char *output[CLI_OUTPUTS]; /* files of its further tables; [0] is unused */
    cli_model_options model;
    cli_draw_options draw;
    cli_stills_options stills;
    cli_strobe_options strobe;
    double budget; /* [s]; 0: none */
    double mode_amplitude;
    int rows, mode, orbits_seen;
    const char *out, *picture, *at, *point;
    const char *steady; /* --steady */
    zw_option_list plot, hold, solve;
    bool json, join, quiet, strict, comoving;
    int nword; /* number of words that are not options */
    /* number of these that belong to options: the first ones, replaced by the files that they
     * name */
    int nfound;
    int argc; /* the whole command line after "zwang", for the record */
    char *const *argv;
    cli_faults *faults;
    cli_file_guard *guard;
    zw_warnings *files;   /* warnings about results that were read; --strict counts them */
    zw_warnings *printed; /* warnings about models, each printed once per command */
} cli_options;

/* A table of options and the offset of its struct in cli_options. */
typedef struct cli_group {
    const char *title;
    const zw_option *table;
    size_t offset; /* from CLI_OF_STUDY on: in the options of the study */
    bool rare;     /* the help shows it with --all only */
} cli_group;

typedef struct cli_command {
    const char *name, *usage, *about, *details, *examples;
    const cli_group *groups; /* ended by a row without a table */
    int arguments;           /* number of words required */
    int arguments_max;       /* maximum number of words, up to CLI_WORDS_MAX; 0: no more */
    bool results;            /* words may also be results */
    bool reports_stop;       /* reports how far it came when it was interrupted */
    bool random;             /* models may have noise */
    bool endless;            /* the user chooses how long it takes: no time limit by default */
    /* The study that the verb is, or that it makes of a model first; NULL: none */
    const zw_study_kind *study;
    int (*run)(const cli_options *o, const char *const *words, zw_error *err);
} cli_command;

#define CLI_BUDGET_CHOSEN 1800. /* [s]; default time limit */

extern const zw_option cli_model_table[], cli_draw_table[], cli_strobe_table[], cli_told_table[];

/* one row each in main.c's table, which ends with NULL */
extern const cli_command cli_models, cli_plot, cli_view;
extern const cli_command *cli_commands[];              /* study.c: sorted by name, ended by NULL */
const cli_command *cli_find_command(const char *name); /* NULL if there is none */

/* A model that was read, with its context. */
typedef struct cli_model {
    zw_context *ctx;
    zw_system *sys;
    char *text; /* the source, for result files */
    size_t length;
    zw_model_options options; /* with which it was read; names in the context */
    zw_model_options given;   /* of these, what the command line has */
    zw_warnings *warnings;    /* warnings of the model */
} cli_model;

/* A context with the settings of the command line, but no model yet. */
zw_status cli_model_begin(cli_model *m, const cli_options *o, zw_error *err);
zw_status cli_model_open(cli_model *m, const char *path, const cli_options *o, zw_error *err);
/* Reads the text of an open model again, with other options. */
zw_status cli_model_again(cli_model *m, const char *path, const cli_options *o, zw_error *err);
/* The model of a result, from its notes; set: an additional setting, NULL for none. */
zw_status cli_model_of_result(cli_model *m, const zw_table *result, const char *set,
                              const cli_options *o, zw_error *err);
void cli_model_close(cli_model *m);
/* True if FILE|MODEL is a file of results, by its ending; everything else is a model. */
bool cli_is_result(const char *path);
/* True if the command line contains this option, even with its default value. */
bool cli_is_given(const cli_options *o, const char *key);
/* Error if options concern contacts or constraints and the model has none. */
zw_status cli_check_meaning(const cli_options *o, const zw_system *sys, zw_error *err);
/* Error if --set gives a name twice. */
zw_status cli_check_settings(const cli_options *o, zw_error *err);
/* Rejects options of a run if there is only a result. */
zw_status cli_result_only(const cli_options *o, const char *path, zw_error *err);
/* The same for a table whose motions are run again, for which --until applies. */
zw_status cli_motions_only(const cli_options *o, const char *path, zw_error *err);
/* results.c: a table from a file, with warnings if it is from another version or has no checksum;
 * an error if it is not a motion, which can be shown in space. */
zw_status cli_read_result(const cli_options *o, zw_table **out, const char *path, zw_error *err);
zw_status cli_reject_kind(const char *path, const zw_table *t, zw_error *err);
/* Writes a result to a file (zw_table_write_rescue), with the note "stopped" if the work was
 * interrupted. */
zw_status cli_write_table(zw_table *t, const char *path, zw_error *err);
/* Writes text to the file of this name; NULL and "-": standard output. text NULL: out of memory. */
zw_status cli_write_text(const char *path, const char *text, zw_error *err);
/* The source, for the notes of results; path as it was opened. */
zw_model_source cli_model_source(const cli_model *m, const char *path);

/* file_guard.c: registers a file that the command reads, the tables that a model has read, and one
 * that it will write (NULL and "-" are ignored). Error if it cannot be created, or if it is read or
 * written already, however its path is spelled. */
zw_status cli_guard_read(const cli_options *o, const char *path, zw_error *err);
zw_status cli_guard_read_tables(const cli_options *o, const zw_system *sys, zw_error *err);
zw_status cli_guard_write(const cli_options *o, const char *path, zw_error *err);
/* The file may be written over from now on, although it is read. */
void cli_guard_release(const cli_options *o, const char *path);
void cli_guard_clear(cli_file_guard *guard);

/* The handler of faults (options.fault, user: cli_faults); prints the rest after the error. */
void cli_fault(void *user, const zw_error *fault);
void cli_faults_print(cli_faults *f);

/* Prints the warnings of a list to standard error, unless --quiet: those of the model (`timed`
 * false) or those of a motion. */
void cli_report_warnings(const cli_options *o, const zw_warnings *list, bool timed);
/* Prints and counts those in a result file. */
zw_status cli_judge_result(const cli_options *o, const char *path, const zw_table *result,
                           zw_error *err);
/* With --strict: ZW_E_DOUBT if there are any, unless `status` is an earlier failure. */
zw_status cli_judge(const cli_options *o, const zw_warnings *list, zw_status status, zw_error *err);
/* The exit code of a status; for a successful one, 128 and the number of the signal that ended a
 * run. */
int cli_exit_code(zw_status status);
/* That signal, CLI_BUDGET if the time limit was reached, 0 if there was none (job.c). */
enum { CLI_BUDGET = 1000 };
int cli_interrupted(void);
/* Records that a result was written, as text or to a file; asks whether there was one. */
void cli_note_written(void);
bool cli_has_written(void);

#endif
