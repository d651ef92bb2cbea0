/* SPDX-License-Identifier: MIT */
#include "provenance.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "out/files/file.h"

/* the content of a picture: a figure, or all rows of a table */
typedef struct shown {
    const zw_figure *figure;
    const zw_table *rows; /* if there is no figure */
} shown;

static zw_status write_data(const shown *what, const char *command, const char *path,
                            zw_error *err) {
    zw_table *t = what->figure ? zw_table_create(NULL) : zw_table_create_like(what->rows);
    zw_status status = t ? zw_table_note(t, "command", command) : ZW_E_MEMORY;
    if (status < 0)
        zw_fail(err, status, "out of memory for the data of the picture");
    else if (what->figure)
        status = zw_figure_data(what->figure, t, err);
    else
        status = zw_table_append(t, what->rows, err);
    if (status >= 0)
        status = zw_table_write_csv(t, path, err);
    zw_table_destroy(t);
    return status;
}

/* ---- the command ---- */

static bool needs_quotes(const char *word) {
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("-_./:,=+^%@", *word))
            return true;
    return false;
}

static void put_word(zw_text *out, const char *word) {
    zw_text_put(out, " ");
    if (word[0] && !needs_quotes(word)) {
        zw_text_put(out, word);
        return;
    }
    zw_text_put(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            zw_text_put(out, "'\\''");
        else
            zw_text_put_n(out, word, 1);
    zw_text_put(out, "'");
}

/* The name as a comment of one line: a line end in it would end the comment and begin a command. */
static void put_in_comment(FILE *out, const char *name) {
    for (; *name; name++)
        putc(iscntrl((unsigned char)*name) ? '?' : *name, out);
}

static zw_status write_command(const char *command, const char *picture, const char *path,
                               zw_error *err) {
    const char *slash = strrchr(picture, '/'), *name = slash ? slash + 1 : picture;
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, NULL, err));
    fputs("#!/bin/sh\n# ", f.stream);
    put_in_comment(f.stream, name);
    fprintf(f.stream, ", drawn by Zwang %s; what it shows is in ", zw_version());
    put_in_comment(f.stream, name);
    fprintf(f.stream, ".csv\n%s \"$@\"\n", command);
    /* executable by all who may read it */
    struct stat st;
    if (f.temporary[0] && fstat(fileno(f.stream), &st) == 0)
        fchmod(fileno(f.stream), st.st_mode | (st.st_mode & 0444) >> 2);
    return zw_out_commit(&f, err);
}

typedef struct names {
    char data[PATH_MAX], script[PATH_MAX];
} names;

static zw_status find_names(names *out, const char *path, zw_error *err) {
    if (snprintf(out->data, sizeof out->data, "%s.csv", path) >= PATH_MAX)
        return zw_fail(err, ZW_E_FILE, "the path %.60s... is too long", path);
    snprintf(out->script, sizeof out->script, "%s.sh", path);
    return ZW_OK;
}

zw_status cli_provenance_claim(const cli_options *o, const char *path, zw_error *err) {
    names beside = {0};
    ZW_TRY(find_names(&beside, path, err));
    ZW_TRY(cli_guard_write(o, beside.data, err));
    return cli_guard_write(o, beside.script, err);
}

static zw_status write_provenance(const cli_options *o, const shown *what, const char *path,
                                  zw_error *err) {
    names beside = {0};
    ZW_TRY(find_names(&beside, path, err));
    zw_text command;
    zw_text_init(&command, NULL);
    zw_text_put(&command, "zwang");
    for (int i = 0; i < o->argc; i++)
        put_word(&command, o->argv[i]);
    zw_status status = command.failed ? zw_out_of_memory(err, "the command") : ZW_OK;
    if (status >= 0)
        status = write_data(what, zw_text_get(&command), beside.data, err);
    if (status >= 0)
        status = write_command(zw_text_get(&command), path, beside.script, err);
    zw_text_clear(&command);
    return status;
}

zw_status cli_provenance_of_figure(const cli_options *o, const zw_figure *f, const char *path,
                                   zw_error *err) {
    return write_provenance(o, &(shown){.figure = f}, path, err);
}

zw_status cli_provenance_of_rows(const cli_options *o, const zw_table *rows, const char *path,
                                 zw_error *err) {
    return write_provenance(o, &(shown){.rows = rows}, path, err);
}
