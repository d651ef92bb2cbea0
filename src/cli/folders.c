/* SPDX-License-Identifier: MIT */
#include "folders.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "out/files/file.h"

/* ------------------------------------------------------------------------------------- folders */

static void add_folder(cli_folders *f, const char *path, size_t n) {
    if (n == 0 || f->n == CLI_FOLDERS_MAX)
        return;
    char *copy = strndup(path, n);
    if (copy)
        f->path[f->n++] = copy;
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Next to an installed command, in the layout of the installation, or next to one in the build
 * folder. */
static void add_own_folder(cli_folders *f) {
    static const char *const from_command[] = {ZW_MODELS_FROM_BIN, "share/zwang/models"};
    char self[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof from_command / sizeof *from_command; i++) {
        snprintf(path, sizeof path, "%s/%s", self, from_command[i]);
        if (is_folder(path) && realpath(path, real)) {
            add_folder(f, real, strlen(real));
            return;
        }
    }
}

void cli_folders_find(cli_folders *f) {
    *f = (cli_folders){0};
    const char *list = secure_getenv("ZWANG_MODELS");
    while (list && *list) {
        size_t n = strcspn(list, ":");
        add_folder(f, list, n);
        list += n + (list[n] == ':');
    }
    add_own_folder(f);
}

void cli_folders_clear(cli_folders *f) {
    for (int i = 0; i < f->n; i++)
        free(f->path[i]);
    *f = (cli_folders){0};
}

/* --------------------------------------------------------------------------------------- names */

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static bool ends_with(const char *s, const char *ending) {
    size_t n = strlen(s), m = strlen(ending);
    return n > m && strcmp(s + n - m, ending) == 0;
}

static const char *ending_for(const char *name) {
    return ends_with(name, ".zw") ? "" : ".zw";
}

/* The file of this name in a folder (NULL: the working folder), or NULL. */
static char *file_in(const char *folder, const char *name) {
    char *path;
    if (asprintf(&path, "%s%s%s%s", folder ? folder : "", folder ? "/" : "", name,
                 ending_for(name)) < 0)
        return NULL;
    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

/* True for a possible name of a model; words that begin with / or . are paths. */
static bool is_name(const char *word) {
    return word[0] && word[0] != '/' && word[0] != '.' && !zw_out_is_direct(word) &&
           !cli_is_result(word);
}

static const char *name_in_folders(const char *word) {
    static const char prefix[] = "models/";
    return strncmp(word, prefix, sizeof prefix - 1) == 0 ? word + sizeof prefix - 1 : word;
}

/* ---------------------------------------------------------------------------------------- list */

enum { DEPTH_MAX = 8 };

typedef struct folder_walk {
    const cli_folders *f;
    int i; /* the folder */
    cli_visit *visit;
    void *user;
} folder_walk;

static bool is_hidden(const folder_walk *t, const char *name) {
    for (int i = 0; i < t->i; i++) {
        char *earlier = file_in(t->f->path[i], name);
        free(earlier);
        if (earlier)
            return true;
    }
    return false;
}

static void visit_file(const folder_walk *t, const char *path) {
    char name[PATH_MAX];
    const char *inside = path + strlen(t->f->path[t->i]) + 1;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(inside) - strlen(".zw")), inside);
    t->visit(t->user, &(cli_found){name, path, is_hidden(t, name)});
}

/* the models of a folder, then those of its subfolders */
static bool visit_folder(const folder_walk *t, const char *folder, int depth) {
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            char path[PATH_MAX];
            if (entry[i]->d_name[0] == '.' ||
                snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name) >= PATH_MAX)
                continue;
            if (pass == 0 && ends_with(entry[i]->d_name, ".zw") && is_file(path))
                visit_file(t, path);
            else if (pass == 1 && depth < DEPTH_MAX && is_folder(path))
                visit_folder(t, path, depth + 1);
        }
    for (int i = 0; i < n; i++)
        free(entry[i]);
    if (n >= 0)
        free(entry);
    return n >= 0;
}

bool cli_folders_list(const cli_folders *f, int i, cli_visit *visit, void *user) {
    return visit_folder(&(folder_walk){f, i, visit, user}, f->path[i], 0);
}

/* ---------------------------------------------------------------------------------------- find */

enum { NAMES_MAX = 1024 };

typedef struct names {
    int n;
    char *item[NAMES_MAX];
} names;

static void collect_name(void *user, const cli_found *model) {
    names *list = user;
    char *copy = list->n < NAMES_MAX ? strdup(model->name) : NULL;
    if (copy)
        list->item[list->n++] = copy;
}

static void suggest_model(const cli_folders *f, const char *name, zw_error *err) {
    char stem[PATH_MAX];
    names *list = calloc(1, sizeof *list);
    if (!list)
        return;
    size_t n = strlen(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(ends_with(name, ".zw") ? n - 3 : n), name);
    for (int i = 0; i < f->n; i++)
        cli_folders_list(f, i, collect_name, list);
    const char *near = zw_nearest(stem, list->n, (const char *const *)list->item);
    if (near)
        zw_error_hint(err, "did you mean %s? zwang models lists them", near);
    else if (list->n)
        zw_error_hint(err, "zwang models lists them");
    else
        zw_error_hint(err, "ZWANG_MODELS may name folders of models, separated by colons");
    for (int i = 0; i < list->n; i++)
        free(list->item[i]);
    free(list);
}

static zw_status not_found(const cli_folders *f, const char *word, zw_error *err) {
    char where[300] = "";
    for (int i = 0; i < f->n; i++)
        snprintf(where + strlen(where), sizeof where - strlen(where), "%s%s", i ? ", " : " nor in ",
                 f->path[i]);
    zw_fail(err, ZW_E_FILE, "there is no model %.150s: no such file here%s", word, where);
    suggest_model(f, name_in_folders(word), err);
    return ZW_E_FILE;
}

zw_status cli_find_model(char **path, const char *word, zw_error *err) {
    cli_folders f;
    *path = NULL;
    if (is_name(word) && !is_file(word)) {
        cli_folders_find(&f);
        *path = file_in(NULL, word);
        for (int i = 0; i < f.n && !*path; i++)
            *path = file_in(f.path[i], name_in_folders(word));
        zw_status status = *path ? ZW_OK : not_found(&f, word, err);
        cli_folders_clear(&f);
        return status;
    }
    *path = strdup(word);
    return *path ? ZW_OK : zw_out_of_memory(err, NULL);
}

const char *cli_model_title(zw_context *ctx, const char *path, zw_error *err) {
    zw_system *sys;
    return zw_model_read(&sys, ctx, path, NULL, err) < 0 ? NULL : sys->title;
}
