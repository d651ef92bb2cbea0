/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <assert.h>
#include <string.h>

#include "num/options.h"
#include "sim/options.h"

const char cli_about[] = "constrained mechanical systems, from text to motion";
const char cli_about_help[] = "what a verb does, its options, examples: zwang help run";
const char cli_about_version[] = "the version";

/* --------------------------------------------------------------------------------- the overview */

/* verbs that are no studies, with the number of their question */
static const struct {
    const char *verb;
    int question;
} others[] = {{"models", 0}, {"plot", 8}, {"view", 8}};

const char *cli_question(const cli_command *c) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].verb, c->name) == 0)
            return zw_study_questions()[others[i].question];
    assert(c->study);
    return c->study->question;
}

/* plot and view have the options of a study, but are none */
static bool is_study(const cli_command *c) {
    return c->study && strcmp(c->study->name, c->name) == 0;
}

static void put_verbs(FILE *out, const char *question) {
    fprintf(out, "%s\n", question);
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_question(cli_commands[i]), question) == 0)
            fprintf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->about);
    fputs("\n", out);
}

void cli_put_overview(FILE *out) {
    const char *const *questions = zw_study_questions();
    fprintf(out,
            "Zwang %s: %s\n\n"
            "usage: zwang VERB MODEL [options]\n"
            "       zwang MODEL          what can be asked of this model\n"
            "       zwang help VERB      its common options and an example; --all: all options\n\n",
            zw_version(), cli_about);
    for (int i = 0; questions[i]; i++)
        put_verbs(out, questions[i]);
    fprintf(out, "Help\n  %-10s %s\n", "help", cli_about_help);
    fprintf(out, "  %-10s %s\n\n", "version", cli_about_version);
    fputs("A model is a text file, or the name of one that came with zwang (zwang models). The\n"
          "language is described in docs/language.md. Words after -- are file names.\n",
          out);
}

/* ------------------------------------------------------------------------------------- the lists */

void cli_each_method(cli_put_entry *put, void *user) {
    const char *name, *about;
    for (int i = 1; zw_run_method(i, &name, &about); i++)
        put(user, name, about);
}

void cli_each_principle(cli_put_entry *put, void *user) {
    for (const zw_principle *p = zw_principles(); p->name; p++)
        put(user, p->name, p->about);
}

void cli_each_list(const zw_option *table, cli_put_entry *put, void *user) {
    for (const zw_option *row = table; row->key; row++)
        if (row->choices && strcmp(row->choices, CLI_PRINCIPLE) == 0) {
            put(user, NULL, "principles");
            cli_each_principle(put, user);
        }
    if (table == zw_run_option_table) {
        put(user, NULL, "methods");
        cli_each_method(put, user);
    }
}

static void put_wrapped(zw_text *out, const char *name, const char *about) {
    enum { COLUMN = 19 };
    zw_text_printf(out, "  %-16s ", name);
    zw_text_wrap(out, about, COLUMN, COLUMN);
    zw_text_put(out, "\n");
}

static void put_entry(void *user, const char *name, const char *about) {
    if (name)
        put_wrapped(user, name, about);
    else
        zw_text_printf(user, "\n%s\n", about);
}

/* ------------------------------------------------------------------------------------ of a verb */

static void put_group(zw_text *out, const cli_group *g) {
    zw_text_printf(out, "\n%s\n", g->title);
    zw_options_help(g->table, out);
}

/* the titles of the groups that the short help leaves out */
static void put_left_out(zw_text *out, const cli_command *c) {
    enum { COLUMN = 6 }; /* of "more: " */
    bool pictures = false;
    zw_text titles;
    zw_text_init(&titles, &out->alloc);
    for (const cli_group *g = c->groups; g->table; g++) {
        pictures |= g->table == cli_draw_table;
        if (g->rare && g->table != cli_draw_table)
            zw_text_printf(&titles, "%s%s", titles.length > 0 ? ", " : "", g->title);
    }
    if (titles.length > 0) {
        zw_text_put(out, "\nmore: ");
        zw_text_wrap(out, zw_text_get(&titles), COLUMN, COLUMN);
        zw_text_printf(out, "\n      zwang help %s --all%s\n", c->name,
                       pictures ? "; options of pictures: zwang help pictures" : "");
    }
    out->failed |= titles.failed;
    zw_text_clear(&titles);
}

/* "  $ zwang call" and what it prints */
static void put_example(zw_text *out, const zw_study_kind *c) {
    zw_text_printf(out, "\nexample\n  $ zwang %s\n", c->call);
    for (const char *line = c->printed; *line;) {
        size_t n = strcspn(line, "\n");
        zw_text_put(out, n ? "  " : "");
        zw_text_put_n(out, line, n);
        zw_text_put(out, "\n");
        line += n + (line[n] == '\n');
    }
}

void cli_put_help(const cli_command *c, bool all) {
    zw_text text;
    zw_text_init(&text, NULL);
    zw_text_printf(&text, "%s: %s\n\nusage: zwang %s\n\n", c->name, c->about, c->usage);
    zw_text_wrap(&text, c->details, 0, 0);
    zw_text_put(&text, "\n");
    for (const cli_group *g = c->groups; g->table; g++)
        if (g->table != cli_draw_table && (all || !g->rare))
            put_group(&text, g);
    for (const cli_group *g = c->groups; all && g->table; g++)
        cli_each_list(g->table, put_entry, &text);
    if (!all)
        put_left_out(&text, c);
    bool short_example = is_study(c) && c->study->call;
    if (short_example)
        put_example(&text, c->study);
    if (all || !short_example)
        zw_text_printf(&text, "\nexamples\n%s", c->examples);
    fputs(zw_text_get(&text), stdout);
    zw_text_clear(&text);
}

void cli_put_pictures(void) {
    const cli_group pictures = {.title = "pictures: options of every verb that has --picture",
                                .table = cli_draw_table};
    zw_text text;
    zw_text_init(&text, NULL);
    put_group(&text, &pictures);
    zw_text_put(&text, "\n--plot says what a panel shows: docs/plotting.md.\n");
    fputs(zw_text_get(&text) + 1, stdout);
    zw_text_clear(&text);
}
