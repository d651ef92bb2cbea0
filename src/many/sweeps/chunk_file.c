/* SPDX-License-Identifier: MIT */
#include "chunk_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/table.h"
#include "out/files/formats.h"

static const char *const numbers[] = {"first",  "of",      "motions", "rows",
                                      "failed", "stopped", "doubtful"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static uint64_t *number_of(zw_survey_part *p, int i) {
    uint64_t *field[] = {&p->first,  &p->of,      &p->motions, &p->rows,
                         &p->failed, &p->stopped, &p->doubtful};
    return field[i];
}

/* ---- writing ---- */

static bool is_csv(const char *path) {
    const char *dot = strrchr(path, '.');
    return zw_out_is_direct(path) || (dot && strcmp(dot, ".csv") == 0);
}

/* The numbers of the part, each with space for any other value, and the checksum, if there is
 * one. */
static void put_numbers(zw_survey_part_writer *w, bool last) {
    char text[24], sum[ZW_OUT_CHECKSUM_LENGTH] = "                ";
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(text, sizeof text, "%-20" PRIu64, *number_of(&w->part, i));
        zw_out_csv_note(w->file.stream, numbers[i], text);
        if (last)
            zw_out_checksum_note(&w->sum, numbers[i], text);
    }
    if (last)
        zw_out_checksum_text(&w->sum, sum);
    zw_out_csv_note(w->file.stream, ZW_OUT_CHECKSUM, sum);
}

static void put_trouble(zw_survey_part_writer *w, const char *key, const zw_survey_failure *f) {
    char text[sizeof f->why + 64];
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %s", f->motion, f->point, f->why);
    zw_out_csv_note(w->file.stream, key, text);
    zw_out_checksum_note(&w->sum, key, text);
}

static zw_status put_head(zw_survey_part_writer *w, const zw_table *head, zw_error *err) {
    ZW_TRY(zw_out_csv_notes(w->file.stream, head, w->path, err));
    zw_out_checksum_begin(&w->sum, head);
    w->numbers = w->file.temporary[0] ? ftell(w->file.stream) : -1;
    if (w->numbers < 0) {
        w->waiting = tmpfile();
        w->table = zw_table_create_like(head);
        if (!w->waiting || !w->table)
            return zw_fail(err, ZW_E_FILE, "there is no room for temporary files: %s",
                           strerror(errno));
        return ZW_OK;
    }
    put_numbers(w, false);
    for (int i = 0; i < w->part.nfailure; i++) {
        char key[24];
        snprintf(key, sizeof key, "failure %d", i + 1);
        put_trouble(w, key, &w->part.failure[i]);
    }
    if (w->part.doubtful > 0)
        put_trouble(w, "doubt", &w->part.doubt);
    zw_out_csv_header(w->file.stream, head);
    return ZW_OK;
}

zw_status zw_survey_part_begin(zw_survey_part_writer *w, const char *path, const zw_table *head,
                               uint64_t first, uint64_t of, zw_error *err) {
    w->columns = zw_table_columns(head);
    w->path = path;
    w->table = NULL;
    w->waiting = NULL;
    w->part.first = first;
    w->part.of = of;
    w->file.stream = NULL;
    w->file.temporary[0] = '\0';
    w->file.bytes = NULL;
    w->where[0] = '\0';
    w->fault.status = ZW_OK;
    if (!is_csv(path)) {
        ZW_TRY(zw_table_can_write(path, err));
        w->table = zw_table_create_like(head);
        return w->table ? ZW_OK : zw_out_of_memory(err, NULL);
    }
    ZW_TRY(zw_out_begin(&w->file, path, NULL, err));
    zw_status status = put_head(w, head, err);
    if (status >= 0 && !w->waiting &&
        fflush(w->file.stream) != 0) { /* before there is something to lose */
        zw_out_is_well(&w->file);
        return zw_out_commit(&w->file, err);
    }
    w->safe = w->waiting ? 0 : ftell(w->file.stream);
    if (status < 0)
        zw_survey_part_abandon(w);
    return status;
}

zw_status zw_survey_part_row(zw_survey_part_writer *w, const double *row, zw_error *err) {
    w->part.rows++;
    if (w->table && !w->file.stream)
        return zw_table_row(w->table, row) < 0 ? zw_table_out_of_memory(w->table, err) : ZW_OK;
    zw_out_checksum_rows(&w->sum, row, (size_t)w->columns);
    zw_out_csv_row(w->waiting ? w->waiting : w->file.stream, row, w->columns);
    return ZW_OK;
}

static void copy_stream(FILE *to, FILE *from) {
    char buffer[1 << 16];
    rewind(from);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;)
        fwrite(buffer, 1, n, to);
}

/* ---- another place ---- */

/* Copies the first `size` bytes of a file. */
static bool copy_bytes(FILE *to, int from, long size) {
    char buffer[1 << 16];
    bool good = lseek(from, 0, SEEK_SET) == 0;
    while (good && size > 0) {
        ssize_t n = read(from, buffer, size < (long)sizeof buffer ? (size_t)size : sizeof buffer);
        good = n > 0 && fwrite(buffer, 1, (size_t)n, to) == (size_t)n;
        size -= n;
    }
    return good;
}

/* Continues the file in another folder: the saved part of this one, open as `from`, and the rows
 * since then. */
static bool move_file(zw_survey_part_writer *w, int from, const double *rows, long n) {
    for (int k = 0; k < ZW_OUT_REFUGES; k++) {
        zw_out_file next;
        char where[PATH_MAX];
        if (!zw_out_refuge(k, w->path, ".csv", where))
            continue;
        snprintf(w->where, sizeof w->where, "%s", where);
        if (zw_out_begin(&next, w->where, NULL, NULL) < 0)
            continue;
        bool good = copy_bytes(next.stream, from, w->safe);
        for (long i = 0; i < n && good; i++)
            zw_out_csv_row(next.stream, rows + i * w->columns, w->columns);
        if (good && fflush(next.stream) == 0) {
            w->safe = ftell(next.stream);
            w->file = next;
            return true;
        }
        zw_out_abandon(&next);
    }
    w->where[0] = '\0';
    return false;
}

zw_status zw_survey_part_check(zw_survey_part_writer *w, const double *rows, long n,
                               zw_error *err) {
    FILE *out = w->file.stream;
    if (!out)
        return ZW_OK;
    if (w->waiting) {
        if (!ferror(w->waiting) && fflush(w->waiting) == 0)
            return ZW_OK;
        zw_survey_part_abandon(w);
        return zw_fail(err, ZW_E_FILE, "a temporary file cannot be written");
    }
    if (zw_out_is_well(&w->file) && fflush(out) == 0) {
        w->safe = ftell(out);
        return ZW_OK;
    }
    zw_out_is_well(&w->file); /* stores the reason */
    int from = w->rescue ? dup(fileno(w->file.stream)) : -1;
    zw_error fault = {0};
    /* it reports the reason, and gives the file up */
    zw_status status = zw_out_commit(&w->file, &fault);
    bool moved = from >= 0 && move_file(w, from, rows, n);
    if (from >= 0)
        close(from);
    if (moved) {
        if (w->fault.status >= 0)
            w->fault = fault;
        return ZW_OK;
    }
    if (w->rescue)
        zw_out_report_refuge(err, &fault, NULL);
    else if (err && err->status >= 0)
        *err = fault;
    zw_survey_part_abandon(w);
    return status;
}

/* Writes the numbers and the checksum into their place, then the file into its own; if that is
 * impossible, elsewhere. */
static zw_status end_file(zw_survey_part_writer *w, zw_error *err) {
    ZW_TRY(zw_survey_part_check(w, NULL, 0, err));
    zw_out_checksum sum = w->sum;
    zw_status status = ZW_OK;
    for (int tries = 0; tries < 2; tries++) {
        int from = w->rescue && tries == 0 ? dup(fileno(w->file.stream)) : -1;
        zw_error fault = {0};
        if (fseek(w->file.stream, w->numbers, SEEK_SET) == 0)
            put_numbers(w, true);
        else if (zw_out_is_well(&w->file))
            w->file.fault = errno;
        status = zw_out_commit(&w->file, &fault);
        bool again = status < 0 && from >= 0 && move_file(w, from, NULL, 0);
        if (from >= 0)
            close(from);
        if (status < 0 && w->fault.status >= 0)
            w->fault = fault;
        if (!again)
            break;
        w->sum = sum;
    }
    if (w->fault.status >= 0)
        return status;
    if (w->rescue)
        zw_out_report_refuge(err, &w->fault, status >= 0 ? w->where : NULL);
    else if (err && err->status >= 0)
        *err = w->fault;
    return w->fault.status;
}

static zw_status end_table(zw_survey_part_writer *w, zw_error *err) {
    char text[32];
    zw_status status = ZW_OK;
    for (int i = 0; i < NUMBERS && status >= 0; i++) {
        snprintf(text, sizeof text, "%" PRIu64, *number_of(&w->part, i));
        status = zw_table_note(w->table, numbers[i], text);
    }
    if (status >= 0)
        status = zw_table_write_rescue(w->table, w->path, err);
    zw_table_destroy(w->table);
    w->table = NULL;
    return status;
}

zw_status zw_survey_part_end(zw_survey_part_writer *w, zw_error *err) {
    FILE *out = w->file.stream;
    if (!out)
        return end_table(w, err);
    if (w->waiting) {
        put_numbers(w, true);
        zw_out_csv_header(out, w->table);
        copy_stream(out, w->waiting);
        bool lost = ferror(w->waiting) != 0;
        fclose(w->waiting);
        w->waiting = NULL;
        zw_table_destroy(w->table);
        w->table = NULL;
        if (lost) {
            zw_out_abandon(&w->file);
            return zw_fail(err, ZW_E_FILE, "a temporary file cannot be written");
        }
        return zw_out_commit(&w->file, err);
    }
    return end_file(w, err);
}

void zw_survey_part_abandon(zw_survey_part_writer *w) {
    if (w->waiting)
        fclose(w->waiting);
    w->waiting = NULL;
    zw_table_destroy(w->table);
    w->table = NULL;
    if (w->file.stream)
        zw_out_abandon(&w->file);
}

/* ---- reading ---- */

static zw_status no_part(const zw_survey_part_reader *r, const char *what, zw_error *err) {
    zw_fail(err, ZW_E_FILE, "'%s' is no part of a sweep: %s", r->path, what);
    zw_error_hint(err, "parts are the files of zwang sweep --range I/N --out FILE.csv, and the "
                       "chunks of a journal");
    return ZW_E_FILE;
}

/* Reads "117 117 text". */
static void read_failure_text(zw_survey_failure *f, const char *text) {
    char *end;
    f->motion = strtoull(text, &end, 10);
    f->point = strtoull(end, &end, 10);
    snprintf(f->why, sizeof f->why, "%.199s", end + strspn(end, " "));
    f->why[strcspn(f->why, "\n")] = '\0';
}

static bool read_failure(zw_survey_part *p, const char *text) {
    if (strncmp(text, "# doubt: ", 9) == 0) {
        read_failure_text(&p->doubt, text + 9);
        return true;
    }
    const char *colon = strchr(text, ':');
    if (strncmp(text, "# failure", 9) != 0 || !colon)
        return false;
    if (p->nfailure < 16)
        read_failure_text(&p->failure[p->nfailure++], colon + 1);
    return true;
}

/* Reads a line with one of the part's own numbers. */
static bool read_number(zw_survey_part *p, const char *text, unsigned *seen) {
    for (int i = 0; i < NUMBERS; i++) {
        size_t n = strlen(numbers[i]);
        if (strncmp(text, "# ", 2) == 0 && strncmp(text + 2, numbers[i], n) == 0 &&
            strncmp(text + 2 + n, ": ", 2) == 0) {
            *number_of(p, i) = strtoull(text + n + 4, NULL, 10);
            *seen |= 1u << i;
            return true;
        }
    }
    return read_failure(p, text);
}

zw_status zw_survey_part_open(zw_survey_part_reader *r, const char *path, zw_error *err) {
    unsigned seen = 0;
    zw_text all;
    *r = (zw_survey_part_reader){.path = path};
    zw_text_init(&r->head, NULL);
    zw_text_init(&all, NULL);
    struct stat st; /* a pipe would block */
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return no_part(r, "it is not a regular file", err);
    r->in = fopen(path, "rb");
    if (!r->in)
        return zw_fail(err, ZW_E_FILE, "cannot read '%s': %s", path, strerror(errno));
    bool names = false;
    while (!names && getline(&r->line, &r->capacity, r->in) > 0) {
        names = r->line[0] != '#';
        zw_text_put(&all, r->line);
        bool own = strncmp(r->line, "# file: ", 8) == 0 || /* of the model, under any path */
                   strncmp(r->line, "# " ZW_OUT_CHECKSUM ": ", 12) == 0;
        if (!read_number(&r->part, r->line, &seen) && !own)
            zw_text_put(&r->head, r->line);
    }
    zw_status status = ZW_OK;
    if (!names || seen != (1u << NUMBERS) - 1)
        status = no_part(r, "the notes of one are missing", err);
    else if (all.failed || r->head.failed)
        status = zw_out_of_memory(err, NULL);
    else
        status = zw_out_csv_parse(&r->columns, zw_text_get(&all), all.length, path, err);
    zw_text_clear(&all);
    if (status < 0) {
        zw_survey_part_close(r);
        return status;
    }
    r->ncolumn = zw_table_columns(r->columns);
    r->summed = zw_table_get_note(r->columns, ZW_OUT_CHECKSUM);
    if (r->summed)
        zw_table_set_checked(r->columns); /* at the end of the rows */
    zw_out_checksum_begin(&r->sum, r->columns);
    return ZW_OK;
}

void zw_survey_part_close(zw_survey_part_reader *r) {
    if (r->in)
        fclose(r->in);
    free(r->line);
    zw_text_clear(&r->head);
    zw_table_destroy(r->columns);
    *r = (zw_survey_part_reader){0};
}

static zw_status check_end(const zw_survey_part_reader *r, zw_error *err) {
    char sum[ZW_OUT_CHECKSUM_LENGTH];
    if (r->nrow != r->part.rows)
        return no_part(r, "its rows do not match its notes", err);
    zw_out_checksum_text(&r->sum, sum);
    if (r->summed && strcmp(sum, zw_table_get_note(r->columns, ZW_OUT_CHECKSUM)) != 0)
        return zw_out_checksum_fail(r->path, err);
    return ZW_STOPPED;
}

zw_status zw_survey_part_next(zw_survey_part_reader *r, double *row, zw_error *err) {
    ssize_t n = getline(&r->line, &r->capacity, r->in);
    if (n <= 0)
        return check_end(r, err);
    const char *s = r->line, *end = s + n - 1;
    bool good = *end == '\n';
    for (int j = 0; j < r->ncolumn && good; j++) {
        const char *stop = memchr(s, j + 1 < r->ncolumn ? ',' : '\n', (size_t)(end - s) + 1);
        good = stop && zw_decimal_read(s, (size_t)(stop - s), &row[j]);
        s = stop ? stop + 1 : s;
    }
    if (!good)
        return no_part(r, "it is truncated or was changed", err);
    zw_out_checksum_rows(&r->sum, row, (size_t)r->ncolumn);
    r->nrow++;
    return ZW_OK;
}

/* Does a part belong to this plan, by its columns and its note? */
static bool is_of(const zw_table *part, const zw_table *plan) {
    const char *a = zw_table_get_note(part, "plan"), *b = zw_table_get_note(plan, "plan");
    bool same = a && b && strcmp(a, b) == 0 && zw_table_columns(part) == zw_table_columns(plan);
    for (int i = 0; same && i < zw_table_columns(plan); i++)
        same = strcmp(zw_table_name(part, i), zw_table_name(plan, i)) == 0;
    return same;
}

zw_status zw_survey_part_verify(const char *path, const zw_table *plan, uint64_t first,
                                uint64_t motions, zw_survey_part *part, zw_error *err) {
    zw_survey_part_reader r;
    ZW_TRY(zw_survey_part_open(&r, path, err));
    double *row = malloc(sizeof *row * (size_t)r.ncolumn);
    zw_status status = row ? ZW_OK : zw_out_of_memory(err, NULL);
    if (status >= 0 && !r.summed)
        status = no_part(&r, "it has no checksum", err);
    else if (status >= 0 && !is_of(r.columns, plan))
        status = zw_fail(err, ZW_E_FILE, "'%s' belongs to another plan", path);
    else if (status >= 0 && (r.part.first != first || r.part.motions != motions))
        status = no_part(&r, "it contains the motions of another part", err);
    while (status == ZW_OK)
        status = zw_survey_part_next(&r, row, err);
    *part = r.part;
    free(row);
    zw_survey_part_close(&r);
    return status < 0 ? status : ZW_OK;
}

/* ---- joining ---- */

void zw_survey_part_add(zw_survey_part *to, const zw_survey_part *from) {
    to->motions += from->motions;
    to->rows += from->rows;
    to->failed += from->failed;
    to->stopped += from->stopped;
    if (to->doubtful == 0)
        to->doubt = from->doubt;
    to->doubtful += from->doubtful;
    for (int i = 0; i < from->nfailure && to->nfailure < 16; i++)
        to->failure[to->nfailure++] = from->failure[i];
}

typedef struct entry {
    const char *path;
    uint64_t first, motions, of;
} entry;

static int by_first(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->motions > y->motions) - (x->motions < y->motions);
}

static zw_status check_sequence(int n, const entry *e, zw_error *err) {
    uint64_t next = 0;
    for (int i = 0; i < n; i++) {
        if (e[i].first < next)
            return zw_fail(err, ZW_E_FILE, "'%s' and '%s' overlap: both have motion %" PRIu64,
                           e[i - 1].path, e[i].path, e[i].first);
        if (e[i].first > next) {
            zw_fail(err, ZW_E_FILE, "a part is missing: motions %" PRIu64 " to %" PRIu64, next,
                    e[i].first - 1);
            zw_error_hint(err, "it would stand before '%s'", e[i].path);
            return ZW_E_FILE;
        }
        if (e[i].motions > e[i].of - next)
            return zw_fail(err, ZW_E_FILE,
                           "'%s' states that it has %" PRIu64 " motions from %" PRIu64
                           " on, of %" PRIu64 " that there are",
                           e[i].path, e[i].motions, e[i].first, e[i].of);
        next += e[i].motions;
    }
    if (next < e[0].of) {
        zw_fail(err, ZW_E_FILE, "a part is missing: motions %" PRIu64 " to %" PRIu64, next,
                e[0].of - 1);
        zw_error_hint(err, "it follows '%s'", e[n - 1].path);
        return ZW_E_FILE;
    }
    return ZW_OK;
}

/* Names the first line in which two heads differ. */
static zw_status reject_other_head(const char *path, const char *first, const char *a,
                                   const char *b, zw_error *err) {
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (n != m || memcmp(a, b, n) != 0)
            break;
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    zw_fail(err, ZW_E_FILE, "'%s' belongs to another plan than '%s'", path, first);
    zw_error_hint(err, "it has '%.*s' where the other one has '%.*s'",
                  (int)(strcspn(a, "\n") > 100 ? 100 : strcspn(a, "\n")), a,
                  (int)(strcspn(b, "\n") > 100 ? 100 : strcspn(b, "\n")), b);
    return ZW_E_FILE;
}

static zw_status read_parts(int n, const char *const *path, const zw_table *plan, entry *e,
                            zw_text *head, zw_table **columns, zw_survey_part *sum,
                            zw_warnings *files, zw_error *err) {
    bool summed = true;
    for (int i = 0; i < n; i++) {
        zw_survey_part_reader r;
        ZW_TRY(zw_survey_part_open(&r, path[i], err));
        if (files && (i == 0 || (!r.summed && summed))) /* all parts must have the same version */
            zw_warnings_of_file(files, r.columns, path[i]);
        summed = summed && r.summed;
        e[i] = (entry){path[i], r.part.first, r.part.motions, r.part.of};
        zw_status status = ZW_OK;
        if (plan && !is_of(r.columns, plan)) {
            status = zw_fail(err, ZW_E_FILE, "'%s' belongs to another plan", path[i]);
        } else if (i == 0) {
            zw_text_put(head, zw_text_get(&r.head));
            sum->of = r.part.of;
            *columns = r.columns;
            r.columns = NULL;
        } else if (strcmp(zw_text_get(&r.head), zw_text_get(head)) != 0 || r.part.of != sum->of) {
            status =
                reject_other_head(path[i], path[0], zw_text_get(&r.head), zw_text_get(head), err);
        }
        zw_survey_part_close(&r);
        ZW_TRY(status);
    }
    return head->failed ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* Copies a row as it is written, once it is known to be valid. */
static zw_status copy_line(zw_survey_part_reader *r, zw_survey_part_writer *w, double *row,
                           zw_error *err) {
    zw_status status = zw_survey_part_next(r, row, err);
    if (status != ZW_OK)
        return status;
    zw_out_checksum_rows(&w->sum, row, (size_t)w->columns);
    fputs(r->line, w->waiting ? w->waiting : w->file.stream);
    w->part.rows++;
    return ZW_OK;
}

static zw_status copy_row(zw_survey_part_reader *r, zw_survey_part_writer *w, double *row,
                          void (*report)(void *user, const double *row), void *user,
                          zw_error *err) {
    if (w->file.stream && !report)
        return copy_line(r, w, row, err);
    zw_status status = zw_survey_part_next(r, row, err);
    if (status != ZW_OK)
        return status;
    if (report)
        report(user, row);
    return zw_survey_part_row(w, row, err);
}

static zw_status copy_part(const entry *e, zw_survey_part_writer *w, double *row,
                           void (*report)(void *user, const double *row), void *user,
                           zw_survey_part *sum, zw_error *err) {
    zw_survey_part_reader r;
    ZW_TRY(zw_survey_part_open(&r, e->path, err));
    zw_status status = ZW_OK;
    while (status == ZW_OK)
        status = copy_row(&r, w, row, report, user, err);
    zw_survey_part_add(sum, &r.part);
    zw_survey_part_close(&r);
    return status < 0 ? status : ZW_OK;
}

static zw_status join_files(int n, const char *const *path, const zw_table *plan, const char *out,
                            entry *e, zw_text *head, zw_table **columns,
                            void (*report)(void *user, const double *row), void *user,
                            zw_survey_part *sum, zw_warnings *files, zw_error *err) {
    ZW_TRY(read_parts(n, path, plan, e, head, columns, sum, files, err));
    qsort(e, (size_t)n, sizeof *e, by_first);
    ZW_TRY(check_sequence(n, e, err));
    for (int i = 0; i < NUMBERS; i++)
        zw_table_remove_note(*columns, numbers[i]);
    for (int i = 1; i <= 16; i++) {
        char key[24];
        snprintf(key, sizeof key, "failure %d", i);
        zw_table_remove_note(*columns, key);
    }
    zw_table_remove_note(*columns, "doubt");
    double *row = malloc(sizeof *row * (size_t)zw_table_columns(*columns));
    zw_survey_part_writer w = {0};
    zw_status status = row ? zw_survey_part_begin(&w, out, *columns, 0, sum->of, err)
                           : zw_out_of_memory(err, NULL);
    bool begun = status >= 0;
    for (int i = 0; i < n && status >= 0; i++)
        status = copy_part(&e[i], &w, row, report, user, sum, err);
    uint64_t rows = w.part.rows;
    w.part = *sum;
    w.part.rows = rows;
    w.part.first = 0;
    if (status >= 0)
        status = zw_survey_part_end(&w, err);
    else if (begun)
        zw_survey_part_abandon(&w);
    free(row);
    return status;
}

zw_status zw_survey_part_join(int n, const char *const *path, const zw_table *plan, const char *out,
                              void (*row)(void *user, const double *row), void *user,
                              zw_survey_part *sum, zw_warnings *files, zw_error *err) {
    *sum = (zw_survey_part){0};
    if (n < 1)
        return zw_fail(err, ZW_E_OPTION, "there are no parts to join");
    entry *e = calloc((size_t)n, sizeof *e);
    zw_text head;
    zw_table *columns = NULL;
    zw_text_init(&head, NULL);
    zw_status status =
        e ? join_files(n, path, plan, out, e, &head, &columns, row, user, sum, files, err)
          : zw_out_of_memory(err, NULL);
    zw_text_clear(&head);
    zw_table_destroy(columns);
    free(e);
    return status;
}
