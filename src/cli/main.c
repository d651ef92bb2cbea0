/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "folders.h"
#include "help.h"
#include "job.h"
#include "num/options.h"
#include "out/files/file.h"
#include "progress.h"
#include "study.h"

/* besides the studies */
static const cli_command *const own_commands[] = {
    &cli_models,
    &cli_plot,
    &cli_view,
    NULL,
};

enum { OPTIONS_MAX = 256 }; /* of a verb */

/* Former names of verbs (option NULL) and of options (verb NULL: of any verb), with the call that
 * does the same now. */
typedef struct former_name {
    const char *verb, *option, *now;
} former_name;
static const former_name former_names[] = {
    {"simulate", NULL, "zwang run MODEL"},
    {"steady", NULL, "zwang response MODEL"},
    {NULL, "tend", "--until"},
    {NULL, NULL, NULL},
};

/* option NULL: a verb. NULL: it is no former name */
static const char *find_former_name(const char *verb, const char *option) {
    for (const former_name *f = former_names; f->now; f++)
        if (option ? f->option && strcmp(f->option, option) == 0 &&
                         (!f->verb || strcmp(f->verb, verb) == 0)
                   : !f->option && strcmp(f->verb, verb) == 0)
            return f->now;
    return NULL;
}

int cli_exit_code(zw_status status) {
    int by = cli_interrupted(), stopped = by == CLI_BUDGET ? 2 : 128 + by;
    switch (status) {
    case ZW_E_SINGULAR:
    case ZW_E_NUMERIC:
    case ZW_E_NONFINITE:
        return by ? stopped : 2;
    case ZW_E_MEMORY:
        return 3;
    case ZW_E_DOUBT:
        return 4;
    default:
        return by ? stopped : status < 0 ? 1 : 0;
    }
}

/* by a signal or the time limit; of failures after that, only user errors are reported */
static void report_stop(const cli_options *o, const cli_command *c, zw_error *err) {
    int code = cli_exit_code(err->status);
    bool nothing = err->status < 0 && !cli_has_written();
    if ((code == 2 || code > 128) && err->status != ZW_E_FILE)
        *err = (zw_error){0};
    if (cli_interrupted() == CLI_BUDGET) {
        zw_fail(err, ZW_E_NUMERIC, "the time limit of %g s (--budget) was reached", o->budget);
        zw_error_hint(err, nothing ? "nothing was found by then; --budget=0 removes the limit"
                                   : "the output contains the results up to then; --budget=0 "
                                     "removes the limit");
    } else if (!o->quiet && !c->reports_stop) {
        fputs(nothing ? "stopped before anything was found\n"
                      : "stopped: the output contains the results up to then\n",
              stderr);
    }
}

static void print_error(const zw_error *err) {
    char small[2048];
    size_t n = zw_error_format(err, small, sizeof small);
    (void)n; /* a message cut at 2 KiB is still a message */
    fprintf(stderr, "%s\n", small);
}

const cli_command *cli_find_command(const char *name) {
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static const char *nearest_command(const char *name) {
    const char *names[OPTIONS_MAX]; /* help and version too */
    int n = 0;
    for (; cli_commands[n] && n < OPTIONS_MAX - 2; n++)
        names[n] = cli_commands[n]->name;
    names[n++] = "help";
    names[n++] = "version";
    return zw_nearest(name, n, names);
}

static void print_version(void) {
    printf("zwang %s\n", zw_version());
}

static void *group_options(cli_options *o, const cli_group *g) {
    return g->offset >= CLI_OF_STUDY ? (char *)o->study + (g->offset - CLI_OF_STUDY)
                                     : (char *)o + g->offset;
}

/* Rejects an option with one value that is given twice; adds it to those already given. */
static zw_status check_once(const zw_option *row, const zw_option **seen, zw_error *err) {
    if (row->type == ZW_OPT_LIST || row->type == ZW_OPT_FLAG)
        return ZW_OK;
    for (; *seen; seen++)
        if (*seen == row)
            return zw_fail(err, ZW_E_OPTION, "--%s is given twice, but takes one value", row->key);
    *seen = row;
    return ZW_OK;
}

/* --key value, --key=value or --flag; *used counts the words consumed; seen: rows so far, ended by
 * NULL */
static zw_status parse_option(const cli_command *c, cli_options *o, int argc, char **argv,
                              int *used, const zw_option **seen, zw_error *err) {
    const char *word = argv[0] + 2, *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const cli_group *g = c->groups;
    const zw_option *row = NULL;
    for (; g->table; g++) {
        row = zw_options_find(g->table, word, n);
        if (row)
            break;
    }
    *used = 1;
    if (!row) {
        const char *keys[OPTIONS_MAX];
        int count = 0;
        for (g = c->groups; g->table; g++)
            for (row = g->table; row->key && count < OPTIONS_MAX; row++)
                keys[count++] = row->key;
        char name[64];
        snprintf(name, sizeof name, "%.*s", n < 63 ? (int)n : 63, word);
        const char *near = zw_nearest(name, count, keys), *now = find_former_name(c->name, name);
        zw_fail(err, ZW_E_OPTION, "zwang %s has no option --%s", c->name, name);
        if (now)
            zw_error_hint(err, "it is now %s", now);
        else if (near)
            zw_error_hint(err, "did you mean --%s?", near);
        else
            zw_error_hint(err, "zwang help %s lists them", c->name);
        return ZW_E_OPTION;
    }
    ZW_TRY(check_once(row, seen, err));
    const char *value = equals ? equals + 1 : NULL;
    /* the next word is an option, not a value */
    bool forgotten = argc > 1 && strncmp(argv[1], "--", 2) == 0;
    if (!value && row->type != ZW_OPT_FLAG && argc > 1 && !forgotten) {
        value = argv[1];
        *used = 2;
    }
    zw_status status = zw_options_set(g->table, group_options(o, g), row->key, value, err);
    if (status < 0 && !value && forgotten) {
        bool text = row->type == ZW_OPT_STRING || row->type == ZW_OPT_LIST;
        zw_error_hint(err, "%s is the next option%s%s%s%s", argv[1],
                      text ? "; if it is meant as the value: --" : "", text ? row->key : "",
                      text ? "=" : "", text ? argv[1] : "");
    }
    return status;
}

/* A model may be given by its name; a message says if the file has another path. */
static zw_status find_word(cli_options *o, const char **word, zw_error *err) {
    char *path;
    ZW_TRY(cli_find_model(&path, *word, err));
    if (strcmp(path, *word) != 0 && !o->quiet) {
        char printed[512];
        snprintf(printed, sizeof printed, "%.150s is %.350s", *word, path);
        zw_text_tame(printed);
        fprintf(stderr, "%s\n", printed);
    }
    *word = path;
    o->nfound++;
    return cli_guard_read(o, path, err);
}

static zw_status parse_arguments(const cli_command *c, cli_options *o, int argc, char **argv,
                                 const char **words, zw_error *err) {
    int count = 0;
    const zw_option *seen[OPTIONS_MAX + 1] = {0}; /* no row occurs twice */
    for (const cli_group *g = c->groups; g->table; g++)
        zw_options_default(g->table, group_options(o, g));
    if (c->study)
        zw_study_begin(c->study, o->study);
    bool words_only = false; /* after "--" */
    for (int i = 0; i < argc;) {
        int used = 1;
        if (!words_only && strcmp(argv[i], "--") == 0) {
            words_only = true;
        } else if (!words_only && strncmp(argv[i], "--", 2) == 0) {
            ZW_TRY(parse_option(c, o, argc - i, argv + i, &used, seen, err));
        } else if (!words_only && argv[i][0] == '-' && argv[i][1]) {
            zw_fail(err, ZW_E_OPTION, "zwang %s has no option %s", c->name, argv[i]);
            zw_error_hint(err, "options have two dashes; zwang help %s lists them", c->name);
            return ZW_E_OPTION;
        } else if (count == (c->arguments_max ? c->arguments_max : c->arguments)) {
            return zw_fail(err, ZW_E_OPTION, "'%s' is one word too many for zwang %s", argv[i],
                           c->name);
        } else {
            words[count++] = argv[i];
        }
        i += used;
    }
    o->nword = count;
    ZW_TRY(cli_check_settings(o, err));
    for (int i = 0; i < count; i++)
        ZW_TRY(find_word(o, &words[i], err));
    if (count < c->arguments) {
        zw_fail(err, ZW_E_OPTION, "zwang %s needs a file to work on", c->name);
        zw_error_hint(err, "zwang %s", c->usage);
        return ZW_E_OPTION;
    }
    /* for all verbs, a picture that cannot be written is an error before the work */
    return o->picture ? zw_out_check_place(o->picture, err) : ZW_OK;
}

/* Checks that the output was written: a full disk or a closed pipe is an error. */
static int end_output(int code) {
    bool now = fflush(stdout) != 0;
    if (code != 0 || (!now && !ferror(stdout)))
        return code;
    fprintf(stderr, "error: standard output cannot be written%s%s\n", now ? ": " : "",
            now ? strerror(errno) : "");
    return 1;
}

static int run_watched(const cli_command *c, cli_options *o, const char *const *words,
                       zw_error *err) {
    if (c->endless && !cli_is_given(o, "budget"))
        o->budget = 0;
    cli_signals_end_at_once();
    cli_progress_begin(o->quiet, o->budget, cli_budget_used_up);
    int code = c->run(o, words, err);
    cli_progress_end();
    return code;
}

static bool wants_all(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--all") == 0)
            return true;
    return false;
}

static int run_command(const cli_command *c, int argc, char **argv) {
    zw_error err = {0};
    cli_faults faults = {0};
    cli_file_guard guard = {0};
    cli_options o = {.command = c,
                     .argc = argc + 1, /* including the verb */
                     .argv = argv - 1,
                     .faults = &faults,
                     .guard = &guard};
    const char *words[CLI_WORDS_MAX] = {0};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_put_help(c, wants_all(argc, argv));
            return end_output(0);
        } else if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            print_version();
            return end_output(0);
        }
    int code;
    zw_text_init(&faults.rest, NULL);
    o.printed = zw_warnings_create(NULL);
    o.files = zw_warnings_create(NULL);
    if (c->study && !(o.study = calloc(1, c->study->size)))
        code = cli_exit_code(zw_out_of_memory(&err, NULL));
    else if (!o.printed || !o.files)
        code = cli_exit_code(zw_out_of_memory(&err, NULL));
    else if (parse_arguments(c, &o, argc, argv, words, &err) < 0)
        code = err.status == ZW_E_MEMORY ? 3 : 1;
    else
        code = run_watched(c, &o, words, &err);
    if (code == 0)
        code = cli_exit_code(cli_judge(&o, o.files, ZW_OK, &err));
    if (cli_interrupted())
        report_stop(&o, c, &err);
    if (zw_memory_ran_out() && err.status != ZW_E_MEMORY && code < 3) {
        err = (zw_error){0};
        code = cli_exit_code(zw_fail(&err, ZW_E_MEMORY, "out of memory: the output is incomplete"));
    }
    if (err.status < 0)
        print_error(&err);
    for (int i = 0; i < o.nfound; i++)
        free((void *)words[i]);
    cli_faults_print(&faults);
    cli_guard_clear(&guard);
    free(o.study);
    zw_warnings_destroy(o.printed);
    zw_warnings_destroy(o.files);
    return end_output(code);
}

/* A word that is no verb. Alone it may be a model: then the calls that suit it are listed. */
static int answer_unknown(const char *word, bool alone) {
    const char *near = nearest_command(word), *now = find_former_name(word, NULL);
    zw_error err = {0};
    char *path = NULL;
    bool is_model = alone && !now && cli_find_model(&path, word, NULL) >= 0 &&
                    !cli_is_result(path) && access(path, R_OK) == 0;
    free(path);
    if (is_model)
        return end_output(cli_put_offer(word, &err));
    char shown[80];
    snprintf(shown, sizeof shown, "%.70s", word);
    zw_text_tame(shown);
    fprintf(stderr, "error: there is no verb '%s'\n", shown);
    if (now)
        fprintf(stderr, "hint: it is now %s\n", now);
    else if (near)
        fprintf(stderr, "hint: did you mean %s?\n", near);
    else
        fputs("hint: zwang help lists them\n", stderr);
    return 1;
}

int main(int argc, char **argv) {
    cli_commands_begin(own_commands);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_put_overview(argc < 2 ? stderr : stdout);
        return end_output(argc < 2 ? 1 : 0);
    }
    if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0 ||
        strcmp(argv[1], "-V") == 0) {
        print_version();
        return end_output(0);
    }
    if (strcmp(argv[1], "complete") == 0) {
        cli_complete(argc - 2, argv + 2);
        return end_output(0);
    }
    if (strcmp(argv[1], "manual") == 0 && argc <= 3 && cli_put_manual(argv[2]))
        return end_output(0);
    bool help = strcmp(argv[1], "help") == 0;
    if (help && argc < 3) {
        cli_put_overview(stdout);
        return end_output(0);
    }
    const char *verb = help ? argv[2] : argv[1];
    const cli_command *c = cli_find_command(verb);
    if (!c)
        return help && strcmp(verb, "pictures") == 0 ? (cli_put_pictures(), end_output(0))
                                                     : answer_unknown(verb, argc == 2);
    if (help) {
        cli_put_help(c, wants_all(argc - 3, argv + 3));
        return end_output(0);
    }
    /* reaching the limit of a file is then an error of the write, which is reported */
    signal(SIGXFSZ, SIG_IGN);
    return run_command(c, argc - 2, argv + 2);
}
