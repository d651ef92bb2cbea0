/* SPDX-License-Identifier: MIT */
/* What the command says about itself: the help, the manual pages, the completion of the shell. All
 * of it comes from the tables of the commands, so that it is always up to date. */
#ifndef ZW_CLI_HELP_H
#define ZW_CLI_HELP_H

#include <stdio.h>

#include "cli.h"

void cli_put_overview(FILE *out);
/* The common options of a verb, or all of them. */
void cli_put_help(const cli_command *c, bool all);
void cli_put_pictures(void);                    /* the options of pictures */
const char *cli_question(const cli_command *c); /* under which the overview lists a verb */
/* offer.c: what can be asked of a model, in its own words. */
int cli_put_offer(const char *path, zw_error *err);

/* "zwang manual [VERB]": a page for man, about zwang or a verb, in roff on standard output; false
 * if there is no such verb. tools/package/manual calls it to create the pages. */
bool cli_put_manual(const char *verb);

/* "zwang complete WORD ...": the candidates for the last word (which may be empty), one per line:
 * the word, a tab, a short description. A line without a word is an instruction for the shell:
 * "\tfiles\t.zw .csv" adds files with these endings and folders. The scripts in tools/completion
 * call it. */
void cli_complete(int n, char *const *words);

/* A word of a list with its description. */
typedef void cli_put_entry(void *user, const char *name, const char *about);
void cli_each_method(cli_put_entry *put, void *user);
void cli_each_principle(cli_put_entry *put, void *user);
/* The lists that follow a table of options, their title first (NULL name); nothing for most
 * tables. */
void cli_each_list(const zw_option *table, cli_put_entry *put, void *user);

/* Placeholders of option values in the tables, by which the completion selects candidates. */
#define CLI_PRINCIPLE "PRINCIPLE"

extern const char cli_about[]; /* description in one line */
extern const char cli_about_help[], cli_about_version[];

#endif
