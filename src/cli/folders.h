/* SPDX-License-Identifier: MIT */
/* Models by name. A word that is not a file is searched as NAME.zw in the working folder, then in
 * the folders of models: those of the environment (ZWANG_MODELS, separated by colons), then the one
 * installed with the command, which is found relative to the command, so that an installed tree may
 * be moved. models/NAME is NAME there, so that commands in the documents work both in a clone and
 * when installed. */
#ifndef ZW_CLI_FOLDERS_H
#define ZW_CLI_FOLDERS_H

#include "cli.h"

enum { CLI_FOLDERS_MAX = 32 };

/* The folders of models, in the order in which they are searched. */
typedef struct cli_folders {
    int n;
    char *path[CLI_FOLDERS_MAX];
} cli_folders;

void cli_folders_find(cli_folders *f);
void cli_folders_clear(cli_folders *f);

/* A model in a folder: its name ("claims/drive_printed") and its file. */
typedef struct cli_found {
    const char *name, *path;
    bool hidden; /* an earlier folder has one of that name */
} cli_found;
typedef void cli_visit(void *user, const cli_found *model);

/* All models of folder i, in alphabetical order, subfolders last. False if it cannot be read. */
bool cli_folders_list(const cli_folders *f, int i, cli_visit *visit, void *user);

/* The file for a word of the command line; the caller frees it. The word itself if it is a file
 * (also "-", a result, a path from / or .); else a model of that name, or an error that lists the
 * folders searched. */
zw_status cli_find_model(char **path, const char *word, zw_error *err);

/* The title of the model in a file, in the context; NULL, with err, if it is not a model. */
const char *cli_model_title(zw_context *ctx, const char *path, zw_error *err);

#endif
