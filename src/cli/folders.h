/* SPDX-License-Identifier: MIT */
/* Models by name. A word that is no file is looked for as NAME.zw beside it, then in the folders of
 * models: those of the environment (ZWANG_MODELS, separated by colons), then the one that came with
 * the command, which is known by where the command lies, so that an installed tree may be moved.
 * models/NAME is NAME there: what the documents say of a clone holds for an installed command. */
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

/* One model of a folder: how it is called ("claims/drive_printed") and its file. */
typedef struct cli_found {
    const char *name, *path;
    bool hidden; /* an earlier folder has one of that name */
} cli_found;
typedef void cli_visit(void *user, const cli_found *model);

/* All models of folder i, in the order of their names, subfolders last. False if it cannot be
 * read. */
bool cli_folders_list(const cli_folders *f, int i, cli_visit *visit, void *user);

/* The file that a word of the command line means; to be freed. The word itself if it is one (also
 * "-", a result, a path from / or .); else a model of that name, or an error that says where it was
 * looked for. */
zw_status cli_find_model(char **path, const char *word, zw_error *err);

/* The title of the model in a file, in the context; NULL, with err, if it is none. */
const char *cli_model_title(zw_context *ctx, const char *path, zw_error *err);

#endif
