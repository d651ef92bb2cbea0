/* SPDX-License-Identifier: MIT */
/* Implemented in src/studies. */
/* Studies: the questions that can be asked of a model, each as one row of a table: its name, its
 * options next to the struct that they fill, how it is created and works, what it reports and which
 * tables it has. The command, and every other face, is made from these rows.
 *
 *   zw_study *s;
 *   zw_study_create(&s, "lyapunov", sys, &source, &err);
 *   zw_study_set(s, "over", "rho=20:30:101", &err);
 *   zw_study_watch(s, stop, user);
 *   zw_study_work(s, &err);
 *   zw_report_json(zw_study_report(s), &json, &err);
 *   zw_study_table(s, "out", &table, &err);
 *   zw_study_destroy(s);
 *
 * A study and its strings belong to one thread. The system, its context and the source must outlive
 * it. */
#ifndef ZWANG_STUDY_H
#define ZWANG_STUDY_H

#include "doubt.h"
#include "option.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_system zw_system;               /* system.h */
typedef struct zw_model_source zw_model_source;   /* model.h */
typedef struct zw_model_options zw_model_options; /* model.h */
typedef struct zw_reduction zw_reduction;         /* symbolic.h */

/* What a study is created from. */
typedef struct zw_study_input {
    const zw_system *system;       /* in the form that the study asked for */
    const zw_model_source *source; /* where the system came from; NULL: unknown */
    /* The model before the reduction that replaced it, and the reduction; NULL: it was not
     * replaced. */
    const zw_system *full;
    const zw_model_source *full_source;
    const zw_reduction *reduction;
    int nfile;
    const char *const *file; /* nfile data files that were given with the model */
    /* The result that was given in place of the model, whose text it holds; NULL: none. */
    const zw_table *result;
    const char *result_path;
    const zw_model_options *change; /* of the model of the result; NULL: none */
    int ngiven;
    const char *const *given; /* ngiven keys of the options that were set */
    int nwanted;
    const struct zw_study_wanted *wanted; /* nwanted outputs that the face will ask for */
    /* Asked at least every tenth of a second of work, with the fraction that is done (NaN: unknown);
     * true ends the work, and what was found so far is reported. NULL: nobody asks. */
    bool (*stop)(void *user, double done);
    /* A line for the user during the work; NULL: nobody reads it. */
    void (*note)(void *user, const char *text);
    void *user;
    const void *options; /* the struct of the row */
} zw_study_input;

/* Was the option set, even to its default value? */
ZW_API bool zw_study_is_given(const zw_study_input *input, const char *key);

/* An output that the face will ask for after the work; path "": for no file, but a picture. */
typedef struct zw_study_wanted {
    const char *key, *path;
} zw_study_wanted;
/* Its path; NULL: the output is not wanted, and the study need not compute it. */
ZW_API const char *zw_study_wants(const zw_study_input *input, const char *key);

/* What becomes of active constraints and of free rotations (zw_reduce): the model stays, or is
 * replaced by its reduced model: if coordinates are omitted and there is one; always; always, with
 * coordinates whose rates are kept. */
typedef enum zw_study_reduction {
    ZW_STUDY_FULL,
    ZW_STUDY_LEFT_OUT,
    ZW_STUDY_STATES,
    ZW_STUDY_COORDINATES
} zw_study_reduction;

/* The form of the model that a study needs with its options; all zero: the model as it is. The model
 * is read again with these settings, then reduced, then replaced by the flow on its slow manifold. */
typedef struct zw_study_form {
    bool constants, bodies; /* definitions and mass properties keep their names, for formulas */
    /* Settings in addition to those of the source, "NAME=VALUE [unit]". */
    int nset;
    const char *const *set;
    /* A steady motion as the start: one that the model states (its name), or in closed form, as
     * "beta = pi/2, alpha' = Omega"; NULL: none. `at` alone with symbolic: the motion is only
     * known to the model. */
    const char *steady, *at;
    bool symbolic;
    /* Entries of "NAME=VALUE" that are coordinates or velocities also start there; NULL: none. */
    const zw_option_list *hold;
    zw_study_reduction reduction;
    /* The flow on the slow manifold (zwang/manifold.h) instead, with these fast variables; NULL,
     * or empty: no. */
    const zw_option_list *fast;
    const char *small; /* the small parameter; NULL: that of the model */
    int order;         /* of the expansion in it */
} zw_study_form;

/* A table or a text (a model, C source, ...) that a study can give. */
typedef struct zw_study_output {
    const char *key;   /* "out": its main table */
    const char *about; /* a noun phrase */
    bool is_text;
    /* A text that stands in place of the words of the report where no file is given for it, unless
     * it is empty. */
    bool shown;
    bool noted;        /* these words then go to standard error */
    bool written;      /* by the study itself while it works, to zw_study_wants(input, key) */
    const char *texts; /* endings of files that get a text, not the table: ".zw .tex"; NULL: none */
} zw_study_output;
/* Does a file of this path get a text? NULL: no file. */
ZW_API bool zw_study_output_is_text(const zw_study_output *output, const char *path);

/* The row of a study. */
typedef struct zw_study_kind {
    const char *name;     /* the verb: "lyapunov" */
    const char *question; /* the question it answers, one of zw_study_questions */
    const char *about;    /* one line */
    const char *usage;    /* the command line after "zwang" */
    const char *details, *examples;
    /* A short call, without "zwang", and what it prints; "..." stands for lines left out. NULL: none. */
    const char *call, *printed;
    const zw_option_group *groups; /* of the struct of options */
    size_t size;                   /* of this struct */
    /* Defaults that no row has, before those of the rows; the struct is zeros. NULL: none. */
    void (*begin)(void *options);
    int arguments_max; /* model and data files; 0: the model alone */
    bool results;      /* a result, which holds its model, may be given in place of the model */
    /* The main table is a motion, and continues the result in place of the model; tables have their
     * columns before the work. */
    bool motion;
    /* The form of the model with these options; strings may point into them. Only system, source,
     * files and result of the input are set. NULL: the model as it is. */
    zw_status (*form)(void *options, const zw_study_input *input, zw_study_form *out,
                      zw_error *err);
    /* Before the study is created: should the reduced model replace the model? It may rewrite
     * settings in the options. Asked twice, at first with r NULL: is a reduction worth its time?
     * NULL: no. */
    bool (*reduce_before)(void *options, const zw_reduction *r, const zw_system *full);
    /* After work with this status: should the reduced model be tried, if there is one? NULL: no. */
    bool (*reduce_after)(const void *study, zw_status status);
    bool random;  /* models may have noise */
    bool endless; /* the user chooses how long it takes: faces set no time limit by themselves */
    const zw_study_output *outputs; /* ended by a row without key */
    const char *drawn;              /* key of the output that a picture shows; NULL: the main one */
    /* The same where it depends on the options and on the outputs that are wanted; an error: there is
     * no picture with these options. NULL: `drawn`. */
    zw_status (*choose_drawn)(const void *options, const zw_study_input *input, const char **key,
                              zw_error *err);
    /* Checks the options and creates the study; it may use `options` as long as it lives. */
    zw_status (*create)(void **out, const zw_study_input *input, void *options, zw_error *err);
    /* ZW_STOPPED: stopped; any other failure may leave results too, see has_results. */
    zw_status (*work)(void *study, const zw_study_input *input, zw_error *err);
    /* After work that failed with this status: is there something to report? NULL: never. */
    bool (*has_results)(const void *study, zw_status status);
    /* Into the open object of the report: results, and the sentences that describe them. */
    void (*report)(const void *study, zw_report *out);
    void (*warnings)(const void *study, zw_warnings *out); /* NULL: none */
    /* ZW_RETRY without a table: there is none this time, and none is needed. */
    zw_status (*table)(void *study, const zw_study_input *input, const char *which, zw_table **out,
                       zw_error *err);
    /* The name of text i of an output that fills a folder, one file for each; NULL: no more.
     * `text` gives it by this name. */
    const char *(*part)(const void *study, const char *which, int i);
    /* The text of an output; NULL: there is no such output. */
    zw_status (*text)(void *study, const zw_study_input *input, const char *which, zw_bytes *out,
                      zw_error *err);
    /* One result from parts, files or folders, that several processes have written; a report and
     * warnings of it. NULL: there are no parts. */
    zw_status (*join)(int n, const char *const *part, const char *out, zw_report *report,
                      zw_warnings *warnings, zw_error *err);
    void (*destroy)(void *study);
} zw_study_kind;

/* The questions under which studies are listed, in their order, ended by NULL. */
ZW_API const char *const *zw_study_questions(void);
/* All studies, ended by NULL, and the one of this name (NULL: none). */
ZW_API const zw_study_kind *const *zw_studies(void);
ZW_API const zw_study_kind *zw_study_find(const char *name);

/* The defaults into a struct of kind->size zeros. */
ZW_API void zw_study_begin(const zw_study_kind *kind, void *options);

typedef struct zw_study zw_study;

ZW_API zw_status zw_study_create(zw_study **out, const char *name, const zw_system *sys,
                                 const zw_model_source *source, zw_error *err);
ZW_API void zw_study_destroy(zw_study *s); /* NULL: nothing to do */
/* Options before work: as text, as the command line has them (NULL: a flag); as a number in SI
 * units; a range of a parameter in SI units (points 0: chosen by the study). */
ZW_API zw_status zw_study_set(zw_study *s, const char *key, const char *value, zw_error *err);
ZW_API zw_status zw_study_set_number(zw_study *s, const char *key, double value, zw_error *err);
ZW_API zw_status zw_study_set_range(zw_study *s, const char *key, const char *name, double from,
                                    double to, int points, zw_error *err);
/* The struct of options, for faces that fill it by the rows themselves. */
ZW_API void *zw_study_options(zw_study *s);
/* Counts an option that was filled that way as given. The key must outlive the study. */
ZW_API void zw_study_give(zw_study *s, const char *key);
/* Tells the study before the work that this output will be asked for; the strings must outlive it. A
 * face that does not know it yet need not say so; one that does says "report" as well. */
ZW_API void zw_study_want(zw_study *s, const char *key, const char *path);
/* The key of the output that a picture shows, after zw_study_want of those for files. */
ZW_API zw_status zw_study_drawn(const zw_study *s, const char **key, zw_error *err);
/* Data files, and the result that was given in place of the model; they must outlive the study. */
ZW_API void zw_study_files(zw_study *s, int n, const char *const *file);
ZW_API void zw_study_result(zw_study *s, const zw_table *result, const char *path);
/* What was set in the model of the result; it must outlive the study. */
ZW_API void zw_study_change(zw_study *s, const zw_model_options *change);
/* Progress and stop, as in zw_study_input. */
ZW_API void zw_study_watch(zw_study *s, bool (*stop)(void *user, double done), void *user);
/* Lines during the work go to this function, with the user of zw_study_watch. */
ZW_API void zw_study_messages(zw_study *s, void (*note)(void *user, const char *text));
/* Brings the model into its form and creates what works on it; without this call, zw_study_work does
 * it first. A study of a motion (kind->motion) has tables without rows from then on. */
ZW_API zw_status zw_study_prepare(zw_study *s, zw_error *err);
/* Once. ZW_STOPPED: stopped. Report and tables are there afterwards if zw_study_has_results. */
ZW_API zw_status zw_study_work(zw_study *s, zw_error *err);
ZW_API bool zw_study_has_results(const zw_study *s);
/* What was found, with "model", "study", "version" and "warnings"; it belongs to the study. NULL:
 * there are no results, or no memory. */
ZW_API const zw_report *zw_study_report(zw_study *s);
/* Warnings of the study so far; they belong to it. */
ZW_API const zw_warnings *zw_study_warnings(zw_study *s);
/* A table of kind->outputs, with the warnings as a note. The caller destroys it. */
ZW_API zw_status zw_study_table(zw_study *s, const char *which, zw_table **out, zw_error *err);
/* A text of kind->outputs. Whoever asks clears `out`. */
ZW_API zw_status zw_study_text(zw_study *s, const char *which, zw_bytes *out, zw_error *err);
/* The file name of text i of an output that fills a folder, for zw_study_text; NULL: no more. */
ZW_API const char *zw_study_part(const zw_study *s, const char *which, int i);

#ifdef __cplusplus
}
#endif
#endif
