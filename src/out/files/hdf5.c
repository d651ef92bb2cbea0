/* SPDX-License-Identifier: MIT */
/* Tables as HDF5, for data that are large or go to other programs:
 *
 *     /columns/NAME     the numbers of a column, 64 bit, with the attribute "unit"
 *     /notes/KEY        a note: a string (a data set, since attributes end at 64 kB)
 *
 * Both groups keep the order of creation. In a name that HDF5 cannot represent, because of a slash,
 * another character replaces it, and the attribute "name" has the true name. Long columns are
 * shuffled, deflated and have checksums, like the metadata of the file format of HDF5 1.8, so that
 * damage is detected.
 *
 * The file is composed in memory and then written like any other, so that after an error of the
 * disk the old file remains and the library has no half-open one. HDF5's own messages do not go to
 * standard error; the innermost one becomes part of ours. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file.h"
#include "formats.h"
#include "hdf5_api.h"
#include "table_checksum.h"

enum {
    CHUNK = 16384,     /* rows */
    DEFLATE_LEVEL = 1, /* higher levels take longer and save little */
    /* bytes that a header may contain, under its checksum, instead of a separate block */
    COMPACT_MAX = 60000
};

/* ---- the library, one user at a time ---- */

typedef struct session {
    const zw_hdf5_api *h;
    char reason[200]; /* of the first call that failed */
    H5E_auto2_t printer;
    void *printer_data;
} session;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static zw_status begin_session(session *s, zw_error *err) {
    *s = (session){.h = zw_hdf5_load(err)};
    if (!s->h)
        return ZW_E_MISSING;
    pthread_mutex_lock(&turn);
    s->h->H5Eget_auto2(H5E_DEFAULT, &s->printer, &s->printer_data);
    s->h->H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return ZW_OK;
}

static void end_session(session *s) {
    s->h->H5Eset_auto2(H5E_DEFAULT, s->printer, s->printer_data);
    pthread_mutex_unlock(&turn);
}

static herr_t keep_innermost(unsigned n, const H5E_error2_t *e, void *data) {
    session *s = data;
    if (n == 0 && e->desc)
        snprintf(s->reason, sizeof s->reason, "%s", e->desc);
    return 0;
}

/* Returns the result of a call and stores the reason of a failure, which the next call would
 * erase. */
static hid_t record_result(session *s, hid_t result) {
    if (result < 0 && !s->reason[0]) {
        s->h->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, s);
        if (!s->reason[0])
            snprintf(s->reason, sizeof s->reason, "HDF5 gives no reason");
    }
    return result;
}

static bool is_good(session *s, hid_t result) {
    return record_result(s, result) >= 0;
}

zw_status zw_out_hdf5_available(zw_error *err) {
    return zw_hdf5_load(err) ? ZW_OK : ZW_E_MISSING;
}

/* ---- writing ---- */

/* The type of a text: ASCII if possible, since some readers know nothing else. */
static hid_t string_type(session *s, const char *text) {
    hid_t type = record_result(s, s->h->H5Tcopy(*s->h->H5T_C_S1_g));
    bool is_ascii = true;
    for (const char *c = text; *c; c++)
        is_ascii = is_ascii && (unsigned char)*c < 0x80;
    s->h->H5Tset_size(type, text[0] ? strlen(text) : 1);
    s->h->H5Tset_strpad(type, H5T_STR_NULLPAD);
    s->h->H5Tset_cset(type, is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
    return type;
}

static bool write_attribute(session *s, hid_t object, const char *key, const char *value) {
    hid_t type = string_type(s, value), space = record_result(s, s->h->H5Screate(H5S_SCALAR));
    hid_t a =
        record_result(s, s->h->H5Acreate2(object, key, type, space, H5P_DEFAULT, H5P_DEFAULT));
    bool ok = is_good(s, s->h->H5Awrite(a, type, value));
    s->h->H5Aclose(a);
    s->h->H5Sclose(space);
    s->h->H5Tclose(type);
    return ok;
}

/* A name that HDF5 can represent and that is new in the group. */
static void choose_link(session *s, hid_t group, const char *name, zw_text *link) {
    zw_text_clear(link);
    if (!name[0] || strcmp(name, ".") == 0)
        zw_text_put(link, "_");
    for (; *name; name++)
        zw_text_put_n(link, *name == '/' ? "|" : name, 1);
    while (!link->failed && s->h->H5Lexists(group, zw_text_get(link), H5P_DEFAULT) > 0)
        zw_text_put(link, "_");
}

/* Creates a data set of that type, space and layout under a name; negative on failure. */
static hid_t create_set(session *s, hid_t group, const char *name, hid_t type, hid_t space,
                        hid_t layout) {
    zw_text link;
    zw_text_init(&link, NULL);
    choose_link(s, group, name, &link);
    hid_t naming = record_result(s, s->h->H5Pcreate(*s->h->H5P_CLS_LINK_CREATE_ID_g)), set = -1;
    s->h->H5Pset_char_encoding(naming, H5T_CSET_UTF8);
    if (!link.failed)
        set = record_result(s, s->h->H5Dcreate2(group, zw_text_get(&link), type, space, naming,
                                                layout, H5P_DEFAULT));
    if (set >= 0 && strcmp(zw_text_get(&link), name) != 0 &&
        !write_attribute(s, set, "name", name)) {
        s->h->H5Dclose(set);
        set = -1;
    }
    s->h->H5Pclose(naming);
    zw_text_clear(&link);
    return set;
}

/* A property list for creation. Times are not stored: the same result gives the same file, bit for
 * bit. */
static hid_t creation_list(session *s, hid_t class) {
    hid_t list = record_result(s, s->h->H5Pcreate(class));
    s->h->H5Pset_obj_track_times(list, false);
    return list;
}

static bool write_note(session *s, hid_t group, const char *key, const char *value) {
    hid_t type = string_type(s, value), space = record_result(s, s->h->H5Screate(H5S_SCALAR));
    hid_t layout = creation_list(s, *s->h->H5P_CLS_DATASET_CREATE_ID_g);
    if (strlen(value) < COMPACT_MAX)
        s->h->H5Pset_layout(layout, H5D_COMPACT);
    hid_t set = create_set(s, group, key, type, space, layout);
    bool ok =
        set >= 0 && is_good(s, s->h->H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value));
    s->h->H5Dclose(set);
    s->h->H5Pclose(layout);
    s->h->H5Sclose(space);
    s->h->H5Tclose(type);
    return ok;
}

/* Writes column j, chunk by chunk; the table stores its numbers row by row. */
static bool write_numbers(session *s, hid_t set, hid_t space, const zw_table *t, int j) {
    long rows = zw_table_rows(t), n = zw_table_columns(t);
    const double *data = zw_table_data(t);
    double block[CHUNK];
    bool ok = true;
    for (long i = 0; ok && i < rows; i += CHUNK) {
        hsize_t first = (hsize_t)i, count = (hsize_t)(rows - i < CHUNK ? rows - i : CHUNK);
        for (hsize_t k = 0; k < count; k++)
            block[k] = data[(i + (long)k) * n + j];
        hid_t memory = record_result(s, s->h->H5Screate_simple(1, &count, NULL));
        ok = is_good(
                 s, s->h->H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL)) &&
             is_good(s, s->h->H5Dwrite(set, *s->h->H5T_NATIVE_DOUBLE_g, memory, space, H5P_DEFAULT,
                                       block));
        s->h->H5Sclose(memory);
    }
    return ok;
}

static bool write_column(session *s, hid_t group, const zw_table *t, int j) {
    hsize_t rows = (hsize_t)zw_table_rows(t), chunk = rows < CHUNK ? rows : CHUNK;
    const double lost = NAN; /* the value for a chunk that a damaged index does not find */
    hid_t space = record_result(s, s->h->H5Screate_simple(1, &rows, NULL));
    hid_t layout = creation_list(s, *s->h->H5P_CLS_DATASET_CREATE_ID_g);
    if (rows * sizeof(double) < COMPACT_MAX) {
        s->h->H5Pset_layout(layout, H5D_COMPACT);
    } else {
        s->h->H5Pset_chunk(layout, 1, &chunk);
        s->h->H5Pset_shuffle(layout);
        s->h->H5Pset_deflate(layout, DEFLATE_LEVEL);
        s->h->H5Pset_fletcher32(layout);
        s->h->H5Pset_fill_value(layout, *s->h->H5T_NATIVE_DOUBLE_g, &lost);
    }
    hid_t set = create_set(s, group, zw_table_name(t, j), *s->h->H5T_IEEE_F64LE_g, space, layout);
    bool ok = set >= 0 && write_attribute(s, set, "unit", zw_table_unit(t, j)) &&
              write_numbers(s, set, space, t, j);
    s->h->H5Dclose(set);
    s->h->H5Pclose(layout);
    s->h->H5Sclose(space);
    return ok;
}

static hid_t create_group(session *s, hid_t file, const char *name) {
    hid_t order = creation_list(s, *s->h->H5P_CLS_GROUP_CREATE_ID_g);
    s->h->H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t group = record_result(s, s->h->H5Gcreate2(file, name, H5P_DEFAULT, order, H5P_DEFAULT));
    s->h->H5Pclose(order);
    return group;
}

static bool write_groups(session *s, hid_t file, const zw_table *t) {
    hid_t columns = create_group(s, file, "columns"), notes = create_group(s, file, "notes");
    bool ok = columns >= 0 && notes >= 0 && write_attribute(s, file, "format", "zwang table 1");
    for (int j = 0; ok && j < zw_table_columns(t); j++)
        ok = write_column(s, columns, t, j);
    for (int i = 0; ok && i < zw_table_notes(t); i++)
        if (strcmp(zw_table_note_key(t, i), ZW_OUT_CHECKSUM) != 0)
            ok = write_note(s, notes, zw_table_note_key(t, i), zw_table_note_value(t, i));
    char sum[ZW_OUT_CHECKSUM_LENGTH];
    zw_out_checksum_of(t, sum);
    if (ok && sum[0])
        ok = write_note(s, notes, ZW_OUT_CHECKSUM, sum);
    s->h->H5Gclose(columns);
    s->h->H5Gclose(notes);
    return ok && is_good(s, s->h->H5Fflush(file, H5F_SCOPE_GLOBAL));
}

/* An access list for files in memory, which grow by `increment` bytes, or on disk (0). Closing such
 * a file closes all objects that a failure left open in it. */
static hid_t access_list(session *s, size_t increment) {
    hid_t list = record_result(s, s->h->H5Pcreate(*s->h->H5P_CLS_FILE_ACCESS_ID_g));
    s->h->H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
    s->h->H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18);
    if (increment)
        s->h->H5Pset_fapl_core(list, increment, false);
    return list;
}

/* Writes the file composed in memory to the disk. */
static zw_status copy_image(session *s, hid_t file, hid_t list, const char *path, zw_error *err) {
    void *image = NULL;
    ssize_t size = s->h->H5Fget_file_image(file, NULL, 0);
    if (size < 0 || s->h->H5Fget_vfd_handle(file, list, &image) < 0)
        return zw_fail(err, ZW_E_FILE, "cannot write '%s': HDF5 does not give the file out", path);
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, NULL, err));
    fwrite(*(void **)image, 1, (size_t)size, f.stream);
    return zw_out_commit(&f, err);
}

zw_status zw_out_hdf5_write(const zw_table *t, const char *path, zw_error *err) {
    session s;
    ZW_TRY(begin_session(&s, err));
    size_t bytes = sizeof(double) * (size_t)zw_table_rows(t) * (size_t)zw_table_columns(t);
    hid_t list = access_list(&s, bytes / 16 + (1 << 16));
    hid_t creation = creation_list(&s, *s.h->H5P_CLS_FILE_CREATE_ID_g); /* of its root group */
    hid_t file = record_result(&s, s.h->H5Fcreate("memory", H5F_ACC_TRUNC, creation, list));
    zw_status status;
    if (file >= 0 && write_groups(&s, file, t)) {
        status = copy_image(&s, file, list, path, err);
    } else {
        status = zw_fail(err, ZW_E_FILE, "cannot write '%s': HDF5 says: %s", path, s.reason);
        zw_error_hint(err, "the file is composed in memory: %.3g MB are needed; CSV needs none",
                      (double)bytes / 1e6);
    }
    s.h->H5Fclose(file);
    s.h->H5Pclose(creation);
    s.h->H5Pclose(list);
    end_session(&s);
    return status;
}

/* ---- reading ---- */

typedef struct reader {
    session s;
    const char *path;
    zw_table *table;
    zw_text name, value;
    long rows; /* of the first column; -1 before it */
    hid_t group_access, set_access;
    zw_error *err;
} reader;

static zw_status report_error(reader *r, const char *what, const char *name) {
    zw_fail(r->err, ZW_E_SYNTAX, "'%s': %s%s%s%s%s", r->path, what, name ? " '" : "",
            name ? name : "", name ? "'" : "", r->s.reason[0] ? ": " : "");
    if (r->err && r->s.reason[0] && !r->err->hint[0]) {
        size_t n = strlen(r->err->text);
        snprintf(r->err->text + n, sizeof r->err->text - n, "HDF5 says: %s", r->s.reason);
    }
    zw_error_hint(r->err, "%s",
                  r->s.reason[0] ? "the file is damaged or cut short: copy it or compute it again"
                                 : "docs/results.md describes the format of a result file");
    return ZW_E_SYNTAX;
}

/* Reads a string of that type, from an attribute or (NULL) from a data set, through a buffer. */
static bool read_string(reader *r, hid_t attribute, hid_t set, hid_t type, size_t most,
                        zw_text *out) {
    const zw_hdf5_api *h = r->s.h;
    bool is_pointer = h->H5Tis_variable_str(type) > 0;
    size_t size = h->H5Tget_size(type);
    if (h->H5Tget_class(type) != H5T_STRING || (!is_pointer && size > most))
        return false;
    char *pointer = NULL, *buffer = is_pointer ? NULL : calloc(1, size + 1);
    void *into = is_pointer ? (void *)&pointer : buffer;
    bool ok = into && is_good(&r->s, attribute >= 0 ? h->H5Aread(attribute, type, into)
                                                    : h->H5Dread(set, type, H5S_ALL, H5S_ALL,
                                                                 H5P_DEFAULT, into));
    zw_text_clear(out);
    const char *text = is_pointer ? pointer : buffer;
    if (ok && text)
        zw_text_put(out, text);
    free(buffer);
    if (pointer)
        h->H5free_memory(pointer);
    return ok && !out->failed;
}

static bool is_scalar(const zw_hdf5_api *h, hid_t space) {
    return h->H5Sget_simple_extent_npoints(space) == 1;
}

/* Reads an attribute that is a string; "" if there is none. */
static bool read_attribute(reader *r, hid_t object, const char *key, zw_text *out) {
    const zw_hdf5_api *h = r->s.h;
    zw_text_clear(out);
    if (h->H5Aexists(object, key) <= 0)
        return true;
    enum { ATTRIBUTE_MAX = 1 << 16 };
    hid_t a = record_result(&r->s, h->H5Aopen(object, key, H5P_DEFAULT));
    hid_t type = record_result(&r->s, h->H5Aget_type(a)),
          space = record_result(&r->s, h->H5Aget_space(a));
    bool ok = is_scalar(h, space) && read_string(r, a, -1, type, ATTRIBUTE_MAX, out);
    h->H5Sclose(space);
    h->H5Tclose(type);
    h->H5Aclose(a);
    return ok;
}

/* False for more rows than the file can contain, before memory for them is allocated: deflate
 * compresses to a 1032nd at most. */
static bool is_plausible(reader *r, hid_t set, hssize_t points, size_t size) {
    enum { SHRINK_MAX = 1100 };
    double stored = (double)r->s.h->H5Dget_storage_size(set);
    return points >= 0 && (double)points * (double)size <= (double)SHRINK_MAX * stored;
}

static zw_status read_note(reader *r, hid_t set) {
    const zw_hdf5_api *h = r->s.h;
    hid_t type = record_result(&r->s, h->H5Dget_type(set)),
          space = record_result(&r->s, h->H5Dget_space(set));
    size_t most = (size_t)h->H5Dget_storage_size(set);
    bool ok = is_scalar(h, space) && read_string(r, -1, set, type, most, &r->value);
    h->H5Sclose(space);
    h->H5Tclose(type);
    if (!ok)
        return report_error(r, "this note is no text:", zw_text_get(&r->name));
    if (zw_table_note(r->table, zw_text_get(&r->name), zw_text_get(&r->value)) < 0)
        return zw_table_out_of_memory(r->table, r->err);
    return ZW_OK;
}

/* Name, unit and length of a column. */
static zw_status open_column(reader *r, hid_t set) {
    const zw_hdf5_api *h = r->s.h;
    const char *name = zw_text_get(&r->name);
    hid_t type = record_result(&r->s, h->H5Dget_type(set)),
          space = record_result(&r->s, h->H5Dget_space(set));
    H5T_class_t class = h->H5Tget_class(type);
    hssize_t points = h->H5Sget_simple_extent_npoints(space);
    bool is_list =
        h->H5Sget_simple_extent_ndims(space) == 1 && (class == H5T_FLOAT || class == H5T_INTEGER);
    bool is_there = is_plausible(r, set, points, h->H5Tget_size(type));
    h->H5Sclose(space);
    h->H5Tclose(type);
    if (!is_list)
        return report_error(r, "this column is no list of numbers:", name);
    if (!is_there || points > LONG_MAX)
        return report_error(r, "this column has no data:", name);
    if (r->rows >= 0 && points != r->rows)
        return report_error(r, "this column is longer or shorter than the others:", name);
    r->rows = (long)points;
    if (!read_attribute(r, set, "unit", &r->value))
        return report_error(r, "this column has a unit that is no text:", name);
    zw_status status = zw_table_column(r->table, name, zw_text_get(&r->value));
    return status == ZW_E_NAME ? report_error(r, "this column is there twice:", name)
           : status < 0        ? zw_table_out_of_memory(r->table, r->err)
                               : ZW_OK;
}

static zw_status read_numbers(reader *r, hid_t set, int j) {
    const zw_hdf5_api *h = r->s.h;
    double block[CHUNK];
    hid_t space = record_result(&r->s, h->H5Dget_space(set));
    bool ok = true;
    for (long i = 0; ok && i < r->rows; i += CHUNK) {
        hsize_t first = (hsize_t)i, count = (hsize_t)(r->rows - i < CHUNK ? r->rows - i : CHUNK);
        hid_t memory = record_result(&r->s, h->H5Screate_simple(1, &count, NULL));
        ok = is_good(&r->s,
                     h->H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL)) &&
             is_good(&r->s,
                     h->H5Dread(set, *h->H5T_NATIVE_DOUBLE_g, memory, space, H5P_DEFAULT, block));
        for (hsize_t k = 0; ok && k < count; k++)
            zw_table_set(r->table, i + (long)k, j, block[k]);
        h->H5Sclose(memory);
    }
    h->H5Sclose(space);
    return ok ? ZW_OK : report_error(r, "cannot read the column", zw_table_name(r->table, j));
}

/* A file from elsewhere may refer to numbers in other files: an external link, external storage, a
 * virtual data set. These would be read with the rights of the user, and drawn. */
static herr_t reject_link(const char *parent, const char *group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *data) {
    (void)parent, (void)group, (void)file, (void)object, (void)flags, (void)access, (void)data;
    return -1;
}

/* access list of a group or a data set: within the file */
static hid_t inner_access(session *s, hid_t class) {
    hid_t list = record_result(s, s->h->H5Pcreate(class));
    s->h->H5Pset_elink_cb(list, reject_link, NULL);
    return list;
}

static bool is_elsewhere(session *s, hid_t set) {
    hid_t list = record_result(s, s->h->H5Dget_create_plist(set));
    bool elsewhere = list < 0 || s->h->H5Pget_external_count(list) != 0 ||
                     s->h->H5Pget_layout(list) == H5D_VIRTUAL;
    s->h->H5Pclose(list);
    return elsewhere;
}

/* What to do with the data sets of a group, one after the other. */
typedef enum dataset_task { OPEN_COLUMNS, READ_NUMBERS, READ_NOTES } dataset_task;

static zw_status visit_dataset(reader *r, hid_t group, H5_index_t order, hsize_t i,
                               dataset_task what) {
    const zw_hdf5_api *h = r->s.h;
    char link[1024]; /* our tables contain no longer names, see docs/results.md */
    ssize_t n = record_result(&r->s, h->H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, link,
                                                           sizeof link, H5P_DEFAULT));
    if (n < 0 || (size_t)n >= sizeof link)
        return report_error(r, "a name cannot be read", NULL);
    hid_t set = record_result(&r->s, h->H5Dopen2(group, link, r->set_access));
    if (set < 0)
        return report_error(r, "cannot read from this file:", link);
    zw_status status = ZW_OK;
    if (is_elsewhere(&r->s, set)) {
        status = report_error(r, "the data are stored in another file:", link);
    } else if (what == READ_NUMBERS) {
        status = read_numbers(r, set, (int)i);
    } else if (!read_attribute(r, set, "name", &r->name)) {
        status = report_error(r, "the name is no text:", link);
    } else {
        if (h->H5Aexists(set, "name") <= 0)
            zw_text_put(&r->name, link);
        status = what == READ_NOTES ? read_note(r, set) : open_column(r, set);
    }
    h->H5Dclose(set);
    return status;
}

static zw_status visit_all(reader *r, hid_t file, const char *group_name, dataset_task what) {
    const zw_hdf5_api *h = r->s.h;
    unsigned tracked = 0;
    H5G_info_t info = {0};
    hid_t group = record_result(&r->s, h->H5Gopen2(file, group_name, r->group_access));
    hid_t list = record_result(&r->s, h->H5Gget_create_plist(group));
    bool ok = is_good(&r->s, h->H5Pget_link_creation_order(list, &tracked)) &&
              is_good(&r->s, h->H5Gget_info(group, &info)) && info.nlinks < INT_MAX;
    h->H5Pclose(list);
    H5_index_t order = tracked & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    zw_status status = ok ? ZW_OK : report_error(r, "cannot read the group", group_name);
    for (hsize_t i = 0; status >= 0 && i < info.nlinks; i++)
        status = visit_dataset(r, group, order, i, what);
    h->H5Gclose(group);
    return status;
}

static zw_status read_all(reader *r, hid_t file) {
    if (r->s.h->H5Lexists(file, "columns", H5P_DEFAULT) <= 0)
        return report_error(r, "this HDF5 file has no group", "columns");
    ZW_TRY(visit_all(r, file, "columns", OPEN_COLUMNS));
    if (r->rows > 0 && zw_table_add_rows(r->table, r->rows) < 0)
        return zw_fail(r->err, ZW_E_MEMORY, "out of memory for %ld rows of %d columns of '%s'",
                       r->rows, zw_table_columns(r->table), r->path);
    ZW_TRY(visit_all(r, file, "columns", READ_NUMBERS));
    if (r->s.h->H5Lexists(file, "notes", H5P_DEFAULT) > 0)
        ZW_TRY(visit_all(r, file, "notes", READ_NOTES));
    return ZW_OK;
}

zw_status zw_out_hdf5_read(zw_table **out, const char *path, zw_error *err) {
    *out = NULL;
    reader r = {.path = path, .rows = -1, .err = err};
    ZW_TRY(begin_session(&r.s, err));
    zw_text_init(&r.name, NULL);
    zw_text_init(&r.value, NULL);
    r.table = zw_table_create(NULL);
    hid_t list = access_list(&r.s, 0);
    r.group_access = inner_access(&r.s, *r.s.h->H5P_CLS_GROUP_ACCESS_ID_g);
    r.set_access = inner_access(&r.s, *r.s.h->H5P_CLS_DATASET_ACCESS_ID_g);
    hid_t file = record_result(&r.s, r.s.h->H5Fopen(path, H5F_ACC_RDONLY, list));
    zw_status status = !r.table   ? zw_fail(err, ZW_E_MEMORY, "out of memory for '%s'", path)
                       : file < 0 ? report_error(&r, "cannot be opened", NULL)
                                  : read_all(&r, file);
    r.s.h->H5Fclose(file);
    r.s.h->H5Pclose(r.group_access);
    r.s.h->H5Pclose(r.set_access);
    r.s.h->H5Pclose(list);
    zw_text_clear(&r.name);
    zw_text_clear(&r.value);
    end_session(&r.s);
    if (status >= 0)
        *out = r.table;
    else
        zw_table_destroy(r.table);
    return status;
}
