/* SPDX-License-Identifier: MIT */
/* The completion of the shell. The last word is being written; the words before it determine what
 * it can be: a verb, an option, the value of an option, a file. The candidates for a value depend
 * on the placeholder of its option; names of parameters, constraints, events and columns are read
 * from the model or the result on the command line. On any failure there are no candidates and no
 * message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folders.h"
#include "help.h"
#include "num/options.h"
#include "out/files/file.h"

typedef struct request {
    const char *word;   /* the part written so far */
    size_t nbefore;     /* number of its letters that stay: "--with=" and complete names */
    const char *label;  /* the placeholder of its value, if it is one of an option */
    const char *ending; /* appended to candidates */
    const cli_command *command;
    int nword; /* words of the line after the verb, without the last */
    char *const *words;
} request;

/* --------------------------------------------------------------------------------------- offers */

/* Candidates that are not one line, or contain characters that a terminal interprets, are
 * dropped. */
static bool is_plain(const char *s) {
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 0x7f)
            return false;
    return true;
}

static void offer_with(const request *r, const char *name, const char *ending, const char *about) {
    const char *begun = r->word + r->nbefore;
    if (!is_plain(name) || strncmp(name, begun, strlen(begun)) != 0)
        return;
    char line[1024];
    snprintf(line, sizeof line, "%.*s%.300s%s\t%.400s", (int)r->nbefore, r->word, name, ending,
             about);
    zw_text_tame(line);
    puts(line);
}

static void offer_name(void *user, const char *name, const char *about) {
    offer_with(user, name, "", about);
}

static void offer_files(const char *endings) {
    printf("\tfiles\t%s\n", endings);
}

#define RESULTS ".csv .json .h5 .hdf5"

/* ------------------------------------------------------------------------------- names in a
 * model */

static const zw_option *find_option(const cli_command *c, const char *word) {
    const zw_option *row = NULL;
    if (strncmp(word, "--", 2) != 0 || !word[2])
        return NULL;
    for (const cli_group *g = c->groups; g->table && !row; g++)
        row = zw_options_find(g->table, word + 2, strcspn(word + 2, "="));
    return row;
}

static bool wants_value(const zw_option *row, const char *word) {
    return row && row->type != ZW_OPT_FLAG && !strchr(word, '=');
}

/* The first word after the verb that is neither an option nor the value of one. */
static const char *file_of(const request *r) {
    for (int i = 0; i < r->nword; i++) {
        if (strcmp(r->words[i], "--") == 0)
            return i + 1 < r->nword ? r->words[i + 1] : NULL;
        if (wants_value(find_option(r->command, r->words[i]), r->words[i]))
            i++;
        else if (strncmp(r->words[i], "--", 2) != 0)
            return r->words[i];
    }
    return NULL;
}

typedef void visit_model(const request *r, const zw_system *s);

/* Not standard input, not a pipe: the Tab key must not wait. */
static bool is_small_file(const char *path) {
    enum { MOST = 16 << 20 };
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST;
}

static void with_model(const request *r, visit_model *visit) {
    char *path = NULL;
    const char *word = file_of(r);
    zw_system *sys;
    zw_context *ctx = zw_context_create(NULL);
    if (ctx && word && !cli_is_result(word) && cli_find_model(&path, word, NULL) >= 0 &&
        is_small_file(path) && zw_model_read(&sys, ctx, path, NULL, NULL) >= 0)
        visit(r, sys);
    free(path);
    zw_context_destroy(ctx);
}

static void offer_settings(const request *r, const zw_system *s) {
    double *p = zw_context_alloc(s->ctx, (size_t)(s->np + 1) * sizeof *p);
    bool known = p && zw_system_param_values(s, p, NULL) >= 0;
    for (int i = 0; i < s->np; i++) {
        char about[160] = "parameter";
        if (known)
            snprintf(about, sizeof about, "parameter, %.6g %.80s", p[i], s->param[i].unit);
        offer_with(r, s->param[i].name, "=", about);
    }
    for (int i = 0; i < s->nq; i++)
        offer_with(r, s->coord[i].name, "=", "start value");
    for (int i = 0; i < s->nv; i++)
        offer_with(r, s->velocity[i].name, "=", "start value");
}

static void complete_settings(request *r) {
    if (!strchr(r->word + r->nbefore, '='))
        with_model(r, offer_settings);
}

static void offer_constraints(const request *r, const zw_system *s) {
    for (int i = 0; i < s->nconstraint; i++)
        offer_with(r, s->constraint[i].name, "", s->constraint[i].on ? "on" : "off");
}

/* the part after the last of these separators is the one being written */
static void split_word(request *r, const char *marks) {
    for (const char *p = r->word + r->nbefore; *p; p++)
        if (strchr(marks, *p))
            r->nbefore = (size_t)(p + 1 - r->word);
}

static void complete_constraints(request *r) {
    split_word(r, ",");
    with_model(r, offer_constraints);
}

static void offer_contacts(const request *r, const zw_system *s) {
    bool law = strcmp(r->label, "CONTACT=LAW") == 0;
    for (int i = 0; i < s->ncontact; i++)
        offer_with(r, s->contact[i].name, law ? "=" : "",
                   s->contact[i].bilateral ? "bilateral" : "unilateral");
}

static void complete_contacts(request *r) {
    split_word(r, ",");
    with_model(r, offer_contacts);
}

static void offer_events(const request *r, const zw_system *s) {
    for (int i = 0; i < s->nevent; i++)
        offer_with(r, s->event[i].name, "", "event");
}

static void complete_events(request *r) {
    with_model(r, offer_events);
}

static void complete_variants(request *r) {
    char *path = NULL;
    const char *word = file_of(r), *const * names;
    int n;
    zw_text text;
    zw_context *ctx = zw_context_create(NULL);
    zw_text_init(&text, NULL);
    if (ctx && word && !cli_is_result(word) && cli_find_model(&path, word, NULL) >= 0 &&
        is_small_file(path) && zw_out_slurp(&text, path, NULL) >= 0 &&
        zw_model_variants(ctx, zw_text_get(&text), text.length, path, &names, &n, NULL) >= 0)
        for (int i = 0; i < n; i++)
            offer_with(r, names[i], "", "variant");
    zw_text_clear(&text);
    free(path);
    zw_context_destroy(ctx);
}

static void offer_model_columns(const request *r, const zw_system *s) {
    for (int i = 0; i < s->nq; i++)
        offer_with(r, s->coord[i].name, r->ending, s->coord[i].unit);
    for (int i = 0; i < s->nv; i++)
        offer_with(r, s->velocity[i].name, r->ending, s->velocity[i].unit);
    for (int i = 0; i < s->nobservable; i++)
        offer_with(r, s->observable[i].name, r->ending, s->observable[i].unit);
    offer_with(r, "t", r->ending, "time");
}

static void offer_columns(request *r, const char *ending) {
    const char *word = file_of(r);
    zw_table *t = NULL;
    r->ending = ending;
    if (!word || !cli_is_result(word)) {
        with_model(r, offer_model_columns);
    } else if (is_small_file(word) && zw_table_read(&t, word, NULL) >= 0) {
        for (int i = 0; i < zw_table_columns(t); i++)
            offer_with(r, zw_table_name(t, i), ending, zw_table_unit(t, i));
        zw_table_destroy(t);
    }
}

/* --------------------------------------------------------------------------------------- values */

static void complete_principles(request *r) {
    cli_each_principle(offer_name, r);
}

static void complete_results(request *r) {
    (void)r;
    offer_files(RESULTS);
}

/* FILE, or FILE.html: with its ending */
static void complete_files(request *r) {
    offer_files(r->label + strlen("FILE"));
}

static void complete_ranges(request *r) {
    if (!strchr(r->word + r->nbefore, '='))
        offer_columns(r, "=");
}

static void offer_font(void *user, const char *name) {
    offer_with(user, name, "", "font");
}

static void complete_fonts(request *r) {
    zw_plot_fonts(offer_font, r, NULL);
}

static void complete_columns(request *r) {
    split_word(r, ":,+;");
    offer_columns(r, "");
}

/* by the beginnings of the placeholders */
static const struct {
    const char *label;
    void (*offer)(request *r);
} values[] = {{CLI_PRINCIPLE, complete_principles},
              {"NAME=VALUE", complete_settings},
              {"NAME=FROM:TO", complete_settings},
              {"VARIANT", complete_variants},
              {"CONSTRAINTS", complete_constraints},
              {"CONTACT", complete_contacts},
              {"EVENT", complete_events},
              {"RESULT", complete_results},
              {"FILE", complete_files},
              {"FONT", complete_fonts},
              {"NAME=A:B", complete_ranges},
              {"y:t", complete_columns}};

static void about_method(void *user, const char *name, const char *about) {
    const char **of = user;
    if (strcmp(of[0], name) == 0)
        of[1] = about;
}

/* "a|b|c"; methods with their descriptions */
static void offer_choices(const request *r, const zw_option *row) {
    for (const char *p = row->choices; *p;) {
        size_t n = strcspn(p, "|");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        const char *of[2] = {name, ""};
        if (strcmp(row->key, "method") == 0)
            cli_each_method(about_method, of);
        offer_with(r, name, "", of[1]);
        p += n + (p[n] == '|');
    }
}

static void complete_value(request *r, const zw_option *row) {
    r->label = row->choices;
    if (row->type == ZW_OPT_CHOICE || row->type == ZW_OPT_NAME)
        offer_choices(r, row);
    for (size_t i = 0; r->label && i < sizeof values / sizeof *values; i++)
        if (strncmp(r->label, values[i].label, strlen(values[i].label)) == 0)
            values[i].offer(r);
}

/* ---------------------------------------------------------------------------------------- words */

static void complete_option(const request *r) {
    for (const cli_group *g = r->command->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++) {
            char name[80];
            snprintf(name, sizeof name, "--%s", row->key);
            offer_with(r, name, row->type == ZW_OPT_FLAG ? "" : "=", row->help);
        }
    offer_with(r, "--help", "", "what the verb does, its options, examples");
}

static void offer_model(void *user, const cli_found *model) {
    const request *r = user;
    zw_context *ctx = model->hidden ? NULL : zw_context_create(NULL);
    const char *begun = r->word + r->nbefore;
    if (ctx && strncmp(model->name, begun, strlen(begun)) == 0) {
        const char *title = cli_model_title(ctx, model->path, NULL);
        offer_with(r, model->name, "", title ? title : "");
    }
    zw_context_destroy(ctx);
}

static void complete_file(request *r) {
    cli_folders f;
    if (r->command->arguments == 0 && r->command->arguments_max == 0)
        return;
    cli_folders_find(&f);
    for (int i = 0; i < f.n; i++)
        cli_folders_list(&f, i, offer_model, r);
    cli_folders_clear(&f);
    offer_files(r->command->results ? ".zw " RESULTS : ".zw");
}

static void complete_verb(const request *r, bool all) {
    for (int i = 0; cli_commands[i]; i++)
        offer_with(r, cli_commands[i]->name, "", cli_commands[i]->about);
    if (all) {
        offer_with(r, "help", "", cli_about_help);
        offer_with(r, "version", "", cli_about_version);
    }
}

static bool is_behind_dashes(const request *r) {
    for (int i = 0; i < r->nword; i++)
        if (strcmp(r->words[i], "--") == 0)
            return true;
    return false;
}

static void complete_word(request *r) {
    const char *last = r->nword ? r->words[r->nword - 1] : "";
    const zw_option *row = find_option(r->command, last);
    bool only_files = is_behind_dashes(r);
    if (!only_files && wants_value(row, last)) {
        complete_value(r, row);
    } else if (!only_files && r->word[0] == '-') {
        row = strchr(r->word, '=') ? find_option(r->command, r->word) : NULL;
        if (row)
            r->nbefore = (size_t)(strchr(r->word, '=') + 1 - r->word);
        if (row)
            complete_value(r, row);
        else
            complete_option(r);
    } else {
        complete_file(r);
    }
}

void cli_complete(int n, char *const *words) {
    if (n < 1)
        return;
    request r = {.word = words[n - 1]};
    if (n == 1 || (n == 2 && strcmp(words[0], "help") == 0)) {
        complete_verb(&r, n == 1);
        return;
    }
    r.command = cli_find_command(words[0]);
    r.nword = n - 2;
    r.words = words + 1;
    if (r.command)
        complete_word(&r);
}
