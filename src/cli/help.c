/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <string.h>

#include "num/options.h"

const char cli_about[] = "constrained mechanical systems, from text to motion";
const char cli_about_help[] = "what a verb does, its options, examples: zwang help run";
const char cli_about_version[] = "the version";

void cli_put_overview(FILE *out) {
    fprintf(out,
            "Zwang %s: %s\n\n"
            "usage: zwang VERB MODEL [options]   (behind -- there are only names of files)\n\n",
            zw_version(), cli_about);
    for (int i = 0; cli_commands[i]; i++)
        fprintf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->about);
    fprintf(out, "  %-10s %s\n", "help", cli_about_help);
    fprintf(out, "  %-10s %s\n\n", "version", cli_about_version);
    fputs("A model is a text file, or the name of one that came with zwang; docs/language.md "
          "describes it.\n",
          out);
}

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

static void put_entry(void *user, const char *name, const char *about) {
    if (name)
        zw_text_printf(user, "  %-16s %s\n", name, about);
    else
        zw_text_printf(user, "\n%s\n", about);
}

void cli_put_help(const cli_command *c) {
    zw_text text;
    zw_text_init(&text, NULL);
    zw_text_printf(&text, "%s: %s\n\nusage: zwang %s\n\n%s\n", c->name, c->about, c->usage,
                   c->details);
    for (const cli_group *g = c->groups; g->table; g++) {
        zw_text_printf(&text, "\n%s\n", g->title);
        zw_options_help(g->table, &text);
    }
    for (const cli_group *g = c->groups; g->table; g++)
        cli_each_list(g->table, put_entry, &text);
    zw_text_printf(&text, "\nexamples\n%s", c->examples);
    fputs(zw_text_get(&text), stdout);
    zw_text_clear(&text);
}
