/* SPDX-License-Identifier: MIT */
/* Selects the format: by the ending of the name when writing, by the content when reading. */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "file.h"
#include "formats.h"
#include "table_checksum.h"

typedef struct kind {
    const char *ending;
    zw_status (*write)(const zw_table *t, const char *path, zw_error *err);
} kind;

static const kind kinds[] = {
    {".csv", zw_table_write_csv},
    {".json", zw_table_write_json},
    {".h5", zw_out_hdf5_write},
    {".hdf5", zw_out_hdf5_write},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static zw_status find_kind(const kind **out, const char *path, zw_error *err) {
    *out = &kinds[0];
    if (zw_out_is_direct(path))
        return ZW_OK;
    const char *name = file_name(path), *dot = strrchr(name, '.');
    for (int i = 0; i < KINDS && dot; i++)
        if (strcasecmp(dot, kinds[i].ending) == 0) {
            *out = &kinds[i];
            return ZW_OK;
        }
    zw_text endings;
    zw_text_init(&endings, NULL);
    for (int i = 0; i < KINDS; i++)
        zw_text_printf(&endings, "%s%s",
                       i == 0          ? ""
                       : i + 1 < KINDS ? ", "
                                       : " or ",
                       kinds[i].ending);
    if (dot)
        zw_fail(err, ZW_E_OPTION, "'%s': there are no result files that end with %s", path, dot);
    else
        zw_fail(err, ZW_E_OPTION, "'%s' has no ending from which the kind of file is known", path);
    zw_error_hint(err, "end the name with %s; - is standard output (CSV)", zw_text_get(&endings));
    zw_text_clear(&endings);
    return ZW_E_OPTION;
}

zw_status zw_table_write(const zw_table *t, const char *path, zw_error *err) {
    const kind *k;
    ZW_TRY(find_kind(&k, path, err));
    return k->write(t, path, err);
}

zw_status zw_table_can_write(const char *path, zw_error *err) {
    const kind *k;
    ZW_TRY(zw_out_check_place(path, err));
    ZW_TRY(find_kind(&k, path, err));
    return k->write == zw_out_hdf5_write ? zw_out_hdf5_available(err) : ZW_OK;
}

/* The signature is at the start, or after a user block of 512 or more bytes. */
static bool is_hdf5(const char *path) {
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    FILE *in = zw_out_is_direct(path) ? NULL : fopen(path, "rb");
    bool found = false;
    for (long at = 0; in && !found && at <= 1 << 20; at = at ? 2 * at : 512) {
        char start[8];
        if (fseek(in, at, SEEK_SET) != 0 || fread(start, 1, sizeof start, in) != sizeof start)
            break;
        found = memcmp(start, signature, sizeof start) == 0;
    }
    if (in)
        fclose(in);
    return found;
}

static zw_status parse_text(zw_table **out, const zw_text *text, const char *path, zw_error *err) {
    const char *start = zw_text_get(text);
    size_t mark = strncmp(start, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* byte order mark */
    zw_out_parser *parse =
        start[mark + strspn(start + mark, " \t\r\n")] == '{' ? zw_out_json_parse : zw_out_csv_parse;
    return parse(out, start + mark, text->length - mark, path, err);
}

zw_status zw_out_checked(zw_status status, zw_table **out, const char *path, zw_error *err) {
    if (status >= 0)
        status = zw_out_checksum_check(*out, path, err);
    if (status < 0) {
        zw_table_destroy(*out);
        *out = NULL;
    }
    return status;
}

zw_status zw_table_read(zw_table **out, const char *path, zw_error *err) {
    assert(out);
    *out = NULL;
    if (is_hdf5(path))
        return zw_out_checked(zw_out_hdf5_read(out, path, err), out, path, err);
    zw_text text;
    zw_text_init(&text, NULL);
    zw_status status = zw_out_slurp(&text, path, err);
    if (status >= 0)
        status = parse_text(out, &text, path, err);
    zw_text_clear(&text);
    return zw_out_checked(status, out, path, err);
}

zw_status zw_table_read_bytes(zw_table **out, const char *data, size_t size, const char *name,
                              zw_error *err) {
    assert(out);
    *out = NULL;
    zw_text text; /* a terminated copy */
    zw_text_init(&text, NULL);
    zw_text_put_n(&text, data, size);
    zw_status status = text.failed ? zw_fail(err, ZW_E_MEMORY, "out of memory for '%s'", name)
                                   : parse_text(out, &text, name, err);
    zw_text_clear(&text);
    return zw_out_checked(status, out, name, err);
}

/* ---- rescue ---- */

/* A new name in the folder, with the same ending; false if there is none. */
static bool free_name(char *out, size_t size, const char *folder, const char *name,
                      const char *ending) {
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot ? dot - name : (long)strlen(name));
    for (int i = 0; i < 1000; i++) {
        char number[16] = "";
        if (i)
            snprintf(number, sizeof number, "-%d", i);
        int n = snprintf(out, size, "%s/%.*s-rescued%s%s", folder, stem, name, number, ending);
        if (n >= 0 && (size_t)n < size && access(out, F_OK) != 0 && errno == ENOENT)
            return true;
    }
    return false;
}

bool zw_out_refuge(int k, const char *path, const char *ending, char where[PATH_MAX]) {
    const char *folders[ZW_OUT_REFUGES] = {getenv("TMPDIR"), "/tmp", ".", getenv("HOME")};
    const char *name = zw_out_is_direct(path) ? "result.csv" : file_name(path);
    return folders[k] && folders[k][0] && free_name(where, PATH_MAX, folders[k], name, ending);
}

void zw_out_report_refuge(zw_error *err, const zw_error *fault, const char *where) {
    char kept[PATH_MAX + 64] = "; it cannot be saved elsewhere either";
    if (where)
        snprintf(kept, sizeof kept, "; the result was saved in '%s'", where);
    if (!err)
        return;
    /* report the first error, but name every rescued file */
    if (err->status >= 0)
        *err = *fault;
    size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, "%s", kept);
}

/* Writes the table to another folder. JSON needs neither memory nor another library, and can
 * represent every table. */
static bool rescue_table(const zw_table *t, const char *path, char where[PATH_MAX]) {
    const kind *k;
    const char *ending = find_kind(&k, path, NULL) >= 0 ? k->ending : ".json";
    for (int i = 0; i < ZW_OUT_REFUGES; i++)
        if ((zw_out_refuge(i, path, ending, where) && zw_table_write(t, where, NULL) >= 0) ||
            (zw_out_refuge(i, path, ".json", where) && zw_table_write_json(t, where, NULL) >= 0))
            return true;
    return false;
}

zw_status zw_table_write_rescue(const zw_table *t, const char *path, zw_error *err) {
    zw_error fault = {0};
    zw_status status = zw_table_write(t, path, &fault);
    if (status >= 0)
        return status;
    char where[PATH_MAX];
    zw_out_report_refuge(err, &fault, rescue_table(t, path, where) ? where : NULL);
    return status;
}
