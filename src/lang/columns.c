/* SPDX-License-Identifier: MIT */
/* Two columns of numbers from a file, for tabulated inputs: separated by a comma, a semicolon, a
 * tab or blanks. Lines that begin with # and a first line without numbers (a header) are skipped.
 * The path is relative to the folder of the model, or to the working folder if it is set from
 * outside. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model.h"

enum { FILE_MAX = 1 << 24, ROWS_MAX = 1 << 20 };

static zw_status cannot_read(zw_model *m, const zw_stmt *s, const char *path, const char *why) {
    return zw_fail_at(m->err, ZW_E_FILE, s->word_place, "the table '%s' cannot be read: %s", path,
                      why);
}

static const char *path_from_model(zw_model *m, const zw_stmt *s) {
    const char *name = s->word, *slash = strrchr(m->source.file, '/');
    bool outside = s->kind == ZW_ST_START; /* a setting: the path is that of the caller */
    if (name[0] == '/' || !slash || outside)
        return name;
    return zw_arena_printf(m->arena, "%.*s%s", (int)(slash - m->source.file + 1), m->source.file,
                           name);
}

static zw_status read_file(zw_model *m, const zw_stmt *s, const char *path, char **text) {
    struct stat info;
    if (stat(path, &info) != 0)
        return cannot_read(m, s, path, strerror(errno));
    if (!S_ISREG(info.st_mode) || info.st_size > FILE_MAX)
        return cannot_read(m, s, path, "not a file of numbers, or too long");
    FILE *f = fopen(path, "r");
    if (!f)
        return cannot_read(m, s, path, strerror(errno));
    size_t size = (size_t)info.st_size;
    *text = zw_arena_alloc(m->arena, size + 1);
    size_t got = *text ? fread(*text, 1, size, f) : 0;
    bool bad = ferror(f);
    fclose(f);
    if (!*text)
        return zw_model_memory(m);
    return bad || got != size ? cannot_read(m, s, path, "reading failed") : ZW_OK;
}

static bool read_row(const char *line, double *a, double *b) {
    char *end, *last;
    *a = strtod(line, &end);
    if (end == line)
        return false;
    end += strspn(end, " \t,;");
    *b = strtod(end, &last);
    return last != end;
}

const char *const *zw_model_tables(const zw_system *sys, int *n) {
    const zw_model *m = sys->model;
    *n = m ? m->ntable : 0;
    return m ? m->table : NULL;
}

int zw_model_table_inputs(const zw_system *sys, int max, zw_model_input *out) {
    zw_model *m = sys->model;
    int n = 0;
    for (int i = 0; m && i < m->nentry; i++) {
        const zw_entry *e = &m->entry[i];
        int count;
        if (e->kind != ZW_ST_INPUT || e->value.n != 1 || e->npoint == 0)
            continue;
        bool table = zw_expr_op(m->ctx, e->value.e[0]) == ZW_OP_TABLE;
        const zw_expr *args = zw_expr_args(m->ctx, e->value.e[0], &count);
        const char *unit = sys->no_units ? "" : zw_model_unit(m, &e->value.d[0]);
        if (n < max)
            out[n] = (zw_model_input){.name = e->name,
                                      .unit = unit ? unit : "",
                                      .table = table ? (int)zw_expr_number(m->ctx, args[0]) : -1,
                                      .cubic = e->stmt->cubic,
                                      .value = e->value.e[0],
                                      .n = e->npoint,
                                      .x = e->x,
                                      .y = e->y};
        n++;
    }
    return n;
}

zw_status zw_read_columns(zw_model *m, const zw_stmt *s, int *n, double **x, double **y) {
    const char *path = path_from_model(m, s);
    if (!path)
        return zw_model_memory(m);
    char *text;
    ZW_TRY(read_file(m, s, path, &text));
    void *table = m->table;
    if (!zw_arena_grow(m->arena, &table, m->ntable, &m->table_capacity, sizeof path))
        return zw_model_memory(m);
    m->table = table;
    m->table[m->ntable++] = path;
    int capacity_x = 0, capacity_y = 0, line_number = 0;
    void *ax = NULL, *ay = NULL;
    *n = 0;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line_number++;
        double a, b;
        line += strspn(line, " \t\r");
        if (*line == '#' || !*line)
            continue;
        if (!read_row(line, &a, &b)) {
            if (*n == 0 && line_number <= 2)
                continue;
            return zw_fail_at(m->err, ZW_E_FILE, s->word_place,
                              "line %d of the table '%s' has no two numbers", line_number, path);
        }
        if (*n == ROWS_MAX || !zw_arena_grow(m->arena, &ax, *n, &capacity_x, sizeof a) ||
            !zw_arena_grow(m->arena, &ay, *n, &capacity_y, sizeof b))
            return zw_model_memory(m);
        ((double *)ax)[*n] = a * s->column_unit[0].factor;
        ((double *)ay)[(*n)++] = b * s->column_unit[1].factor;
    }
    *x = ax;
    *y = ay;
    return ZW_OK;
}
