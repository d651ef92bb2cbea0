/* SPDX-License-Identifier: MIT */
/* What the command says of itself: the help, the manual pages, the completion of the shell. All of
 * it comes from the tables of the commands, so that nothing of it can be older than the command. */
#ifndef ZW_CLI_HELP_H
#define ZW_CLI_HELP_H

#include <stdio.h>

#include "cli.h"

void cli_put_overview(FILE *out);
void cli_put_help(const cli_command *c);

/* "zwang manual [VERB]": a page for man, of zwang or of a verb, in roff on standard output; false
 * if there is no such verb. tools/package/manual calls it when the pages are made. */
bool cli_put_manual(const char *verb);

/* "zwang complete WORD ...": what the last word (which may be empty) can become, one line each: the
 * word, a tab, a few words about it. A line without a word says what the shell is to add:
 * "\tfiles\t.zw .csv" files with these endings and folders. The scripts in tools/completion call
 * it. */
void cli_complete(int n, char *const *words);

/* A word of a list with what it means. */
typedef void cli_put_entry(void *user, const char *name, const char *about);
void cli_each_method(cli_put_entry *put, void *user);
void cli_each_principle(cli_put_entry *put, void *user);
/* The lists that belong behind a table of options, their title first (NULL name); nothing for most
 * tables. */
void cli_each_list(const zw_option *table, cli_put_entry *put, void *user);

/* How options call their values in the tables; what is offered for them follows from it. */
#define CLI_PRINCIPLE "PRINCIPLE"

extern const char cli_about[]; /* the whole in one line */
extern const char cli_about_help[], cli_about_version[];

#endif
