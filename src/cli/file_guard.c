/* SPDX-License-Identifier: MIT */
/* Prevents that a file is written over one that the command reads, or over another one that it
 * writes. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli.h"
#include "out/files/file.h"

struct cli_guarded_file {
    char *path;
    bool is_read;
};

static zw_status add_path(cli_file_guard *p, const char *path, bool is_read, zw_error *err) {
    struct cli_guarded_file *wider = realloc(p->item, (size_t)(p->n + 1) * sizeof *wider);
    if (!wider)
        return zw_out_of_memory(err, NULL);
    p->item = wider;
    struct cli_guarded_file *place = &p->item[p->n];
    place->path = strdup(path);
    place->is_read = is_read;
    if (!place->path)
        return zw_out_of_memory(err, NULL);
    p->n++;
    return ZW_OK;
}

zw_status cli_guard_read(const cli_options *o, const char *path, zw_error *err) {
    return path && !zw_out_is_direct(path) ? add_path(o->guard, path, true, err) : ZW_OK;
}

zw_status cli_guard_read_tables(const cli_options *o, const zw_system *sys, zw_error *err) {
    int n;
    const char *const *file = zw_model_tables(sys, &n);
    for (int i = 0; i < n; i++)
        ZW_TRY(cli_guard_read(o, file[i], err));
    return ZW_OK;
}

zw_status cli_guard_write(const cli_options *o, const char *path, zw_error *err) {
    if (!path || strcmp(path, "-") == 0)
        return ZW_OK;
    ZW_TRY(zw_out_check_place(path, err));
    if (zw_out_is_direct(path))
        return ZW_OK;
    for (int i = 0; i < o->guard->n; i++) {
        const struct cli_guarded_file *other = &o->guard->item[i];
        if (!zw_out_is_same(path, other->path))
            continue;
        if (other->is_read)
            zw_fail(err, ZW_E_OPTION, "'%s' is read by this command: it would be overwritten",
                    path);
        else
            zw_fail(err, ZW_E_OPTION, "two outputs of this command name the same file, '%s'", path);
        zw_error_hint(err, "name another file");
        return ZW_E_OPTION;
    }
    return add_path(o->guard, path, false, err);
}

void cli_guard_release(const cli_options *o, const char *path) {
    cli_file_guard *p = o->guard;
    int kept = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->item[i].is_read && zw_out_is_same(path, p->item[i].path))
            free(p->item[i].path);
        else
            p->item[kept++] = p->item[i];
    }
    p->n = kept;
}

void cli_guard_clear(cli_file_guard *p) {
    for (int i = 0; i < p->n; i++)
        free(p->item[i].path);
    free(p->item);
    *p = (cli_file_guard){0};
}
