/* SPDX-License-Identifier: MIT */
/* The columns of a single run keep their names. Of several runs, those of run k are called NAME#k and
 * stand side by side; a run that has fewer rows than others ends with nan. Notes that are the same in
 * all runs are kept once, others as KEY#k. */
#include "keep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "out/files/file.h"

enum { PATH_LENGTH = 1024, NAME = 256 };

/* ---- rows that are seen ---- */

static bool is_within(const zw_span *s, double v) {
    return isfinite(v) && !(v < s->low) && !(v > s->high);
}

static bool shows(const zw_panel *p, const zw_curve *c, long row) {
    const int column[3] = {c->x, c->y, c->z};
    for (int a = 0; a < (p->is_space ? 3 : 2); a++)
        if (!is_within(&p->span[a], zw_table_at(c->table, row, column[a])))
            return false;
    return true;
}

static bool is_seen(const zw_picture *picture, const zw_table *t, long row) {
    for (int i = 0; i < picture->n; i++)
        for (int k = 0; k < picture->panel[i].n; k++)
            if (picture->panel[i].curve[k].table == t &&
                shows(&picture->panel[i], &picture->panel[i].curve[k], row))
                return true;
    return false;
}

/* the next row from *at on that is seen; false at the end */
static bool next_seen(const zw_picture *picture, const zw_table *t, long *at) {
    while (*at < zw_table_rows(t) && !is_seen(picture, t, *at))
        ++*at;
    return *at < zw_table_rows(t);
}

/* ---- the table ---- */

static zw_status add_columns(zw_table *to, int nrun, zw_table *const *drawn) {
    for (int run = 0; run < nrun; run++)
        for (int i = 0; i < zw_table_columns(drawn[run]); i++) {
            char name[NAME];
            snprintf(name, sizeof name, "%s", zw_table_name(drawn[run], i));
            if (nrun > 1)
                snprintf(name + strlen(name), sizeof name - strlen(name), "#%d", run + 1);
            ZW_TRY(zw_table_column(to, name, zw_table_unit(drawn[run], i)));
        }
    return ZW_OK;
}

static zw_status add_rows(zw_table *to, int nrun, zw_table *const *drawn,
                          const zw_picture *picture) {
    long at[PICTURE_RUNS] = {0};
    double *row = calloc((size_t)zw_table_columns(to), sizeof *row);
    zw_status status = row ? ZW_OK : ZW_E_MEMORY;
    for (bool more = true; status >= 0 && more;) {
        int n = 0;
        more = false;
        for (int run = 0; run < nrun; run++) {
            bool has = next_seen(picture, drawn[run], &at[run]);
            for (int i = 0; i < zw_table_columns(drawn[run]); i++)
                row[n++] = has ? zw_table_at(drawn[run], at[run], i) : NAN;
            at[run] += has;
            more = more || has;
        }
        if (more)
            status = zw_table_row(to, row);
    }
    free(row);
    return status;
}

static bool is_common_note(const picture_order *order, const char *key, const char *value) {
    for (int run = 0; run < order->nrun; run++) {
        const char *other = zw_table_get_note(order->run[run].table, key);
        if (!other || strcmp(other, value) != 0)
            return false;
    }
    return true;
}

static zw_status add_notes(zw_table *to, const picture_order *order, const char *command) {
    ZW_TRY(zw_table_note(to, "command", command));
    for (int run = 0; run < order->nrun; run++) {
        const zw_table *t = order->run[run].table;
        char key[NAME];
        snprintf(key, sizeof key, "run#%d", run + 1);
        if (order->nrun > 1 && order->run[run].label)
            ZW_TRY(zw_table_note(to, key, order->run[run].label));
        for (int i = 0; i < zw_table_notes(t); i++) {
            const char *plain = zw_table_note_key(t, i), *value = zw_table_note_value(t, i);
            snprintf(key, sizeof key, "%s#%d", plain, run + 1);
            ZW_TRY(zw_table_note(to, is_common_note(order, plain, value) ? plain : key, value));
        }
    }
    return ZW_OK;
}

static zw_status write_data(const picture_order *order, zw_table *const *drawn,
                            const zw_picture *picture, const char *command, const char *path,
                            zw_error *err) {
    zw_table *t = zw_table_create(NULL);
    zw_status status = t ? add_columns(t, order->nrun, drawn) : ZW_E_MEMORY;
    if (status >= 0)
        status = add_notes(t, order, command);
    if (status >= 0)
        status = add_rows(t, order->nrun, drawn, picture);
    if (status < 0)
        zw_fail(err, status, "out of memory for the data of the picture");
    else
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

static zw_status write_command(const char *command, const char *picture, const char *path,
                               zw_error *err) {
    const char *slash = strrchr(picture, '/'), *name = slash ? slash + 1 : picture;
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, NULL, err));
    fprintf(f.stream, "#!/bin/sh\n# %s, drawn by Zwang %s; what it shows is in %s.csv\n%s \"$@\"\n",
            name, zw_version(), name, command);
    fchmod(fileno(f.stream), 0755);
    return zw_out_commit(&f, err);
}

zw_status keep_beside(const picture_order *order, zw_table *const *drawn, const zw_picture *picture,
                      const char *path, zw_error *err) {
    char data[PATH_LENGTH], script[PATH_LENGTH];
    if (snprintf(data, sizeof data, "%s.csv", path) >= PATH_LENGTH)
        return zw_fail(err, ZW_E_FILE, "the path %.60s... is too long", path);
    snprintf(script, sizeof script, "%s.sh", path);
    zw_text command;
    zw_text_init(&command, NULL);
    zw_text_put(&command, "zwang");
    for (int i = 0; i < order->o->argc; i++)
        put_word(&command, order->o->argv[i]);
    zw_status status =
        command.failed ? zw_fail(err, ZW_E_MEMORY, "out of memory for the command") : ZW_OK;
    if (status >= 0)
        status = write_data(order, drawn, picture, zw_text_get(&command), data, err);
    if (status >= 0)
        status = write_command(zw_text_get(&command), path, script, err);
    zw_text_clear(&command);
    return status;
}
