/* SPDX-License-Identifier: MIT */
/* A list of warnings, how it is written into the notes of a result, and how it is read back. The
 * list grows when a key occurs for the first time; a repeated key only costs the comparison of
 * keys. */
#include "zwang/doubt.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "decimal.h"
#include "text.h"

enum { ENTRIES_MAX = 256, FIELDS = 11 };
static const char NOTE[] = "doubts";

struct zw_warnings {
    zw_allocator alloc;
    int n, capacity;
    long lost;
    zw_warning *entry;
};

zw_warnings *zw_warnings_create(const zw_allocator *alloc) {
    zw_allocator a = alloc ? *alloc : zw_allocator_default();
    zw_warnings *list = zw_allocate(&a, sizeof *list);
    if (list)
        *list = (zw_warnings){.alloc = a};
    return list;
}

void zw_warnings_clear(zw_warnings *list) {
    list->n = 0;
    list->lost = 0;
}

void zw_warnings_destroy(zw_warnings *list) {
    if (!list)
        return;
    zw_allocator alloc = list->alloc;
    zw_release(&alloc, list->entry, sizeof *list->entry * (size_t)list->capacity);
    zw_release(&alloc, list, sizeof *list);
}

/* ---------------------------------------------------------------------------------- one warning */

/* fields are separated by tabs and lines in a note */
static void on_one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

zw_warning zw_warning_of(const char *key, double t, const char *fmt, ...) {
    zw_warning d = {.first = t, .last = t, .count = 1, .worst = NAN};
    va_list args;
    snprintf(d.key, sizeof d.key, "%s", key);
    va_start(args, fmt);
    vsnprintf(d.text, sizeof d.text, fmt, args);
    va_end(args);
    on_one_line(d.key);
    on_one_line(d.text);
    return d;
}

void zw_warning_place(zw_warning *warning, zw_place place) {
    if (!place.file)
        return;
    snprintf(warning->file, sizeof warning->file, "%s", place.file);
    on_one_line(warning->file);
    warning->line = place.line;
    warning->column = place.column;
}

void zw_warning_hint(zw_warning *warning, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(warning->hint, sizeof warning->hint, fmt, args);
    va_end(args);
    on_one_line(warning->hint);
}

static void put_place(zw_text *out, const zw_warning *d) {
    if (d->file[0] && d->line > 0)
        zw_text_printf(out, "%s:%d:%d: ", d->file, d->line, d->column);
    else if (d->file[0])
        zw_text_printf(out, "%s: ", d->file);
}

/* " (t = 1 s to 2 s, 3 times, at worst 4 N)", or the parts of it that are known */
static void put_occurrences(zw_text *out, const zw_warning *d) {
    bool timed = !isnan(d->first), valued = !isnan(d->worst);
    const char *separator = "";
    if (!timed && !valued && d->count < 2)
        return;
    zw_text_put(out, " (");
    if (timed) {
        zw_text_printf(out, "t = %.10g s", d->first);
        if (d->last != d->first)
            zw_text_printf(out, " to %.10g s", d->last);
        separator = ", ";
    }
    if (d->count > 1) {
        zw_text_printf(out, "%s%ld times", separator, d->count);
        separator = ", ";
    }
    if (valued)
        zw_text_printf(out, "%s%s%.6g%s%s", separator, d->count > 1 ? "at worst " : "", d->worst,
                       d->unit[0] ? " " : "", d->unit);
    zw_text_put(out, ")");
}

size_t zw_warning_format(const zw_warning *warning, char *buf, size_t size) {
    zw_text text;
    zw_text_init(&text, NULL);
    put_place(&text, warning);
    zw_text_printf(&text, "warning: %s", warning->text);
    put_occurrences(&text, warning);
    if (warning->hint[0])
        zw_text_printf(&text, "\nhint: %s", warning->hint);
    int n = snprintf(buf, size, "%s", zw_text_get(&text));
    if (size > 0)
        zw_text_tame(buf); /* a result file may come from an untrusted source */
    zw_text_clear(&text);
    return n < 0 ? 0 : (size_t)n;
}

/* ------------------------------------------------------------------------------------- the list */

static zw_warning *find_warning(zw_warnings *list, const char *key) {
    for (int i = 0; i < list->n; i++)
        if (strncmp(list->entry[i].key, key, sizeof list->entry[i].key - 1) == 0)
            return &list->entry[i];
    return NULL;
}

/* A warning without a time belongs to the model: repeating it does not count it again. */
static void merge_warning(zw_warning *d, double first, double last, long count, double worst) {
    if (isnan(first))
        return;
    d->first = isnan(d->first) ? first : fmin(d->first, first);
    d->last = isnan(d->last) ? last : fmax(d->last, last);
    d->count += count;
    if (isnan(d->worst) || fabs(worst) > fabs(d->worst))
        d->worst = isnan(worst) ? d->worst : worst;
}

bool zw_warnings_again(zw_warnings *list, const char *key, double t, double value) {
    zw_warning *d = find_warning(list, key);
    if (d)
        merge_warning(d, t, t, 1, value);
    return d != NULL;
}

bool zw_warnings_extend(zw_warnings *list, const char *key, double t, double value) {
    zw_warning *d = find_warning(list, key);
    if (d)
        merge_warning(d, t, t, 0, value);
    return d != NULL;
}

static bool has_room(zw_warnings *list) {
    if (list->n < list->capacity)
        return true;
    int wider = list->capacity ? 2 * list->capacity : 4;
    zw_warning *entry = NULL;
    if (wider <= ENTRIES_MAX)
        entry = list->alloc.fn(list->alloc.ud, list->entry, sizeof *entry * (size_t)list->capacity,
                               sizeof *entry * (size_t)wider);
    if (!entry)
        return false;
    list->entry = entry;
    list->capacity = wider;
    return true;
}

void zw_warnings_add(zw_warnings *list, const zw_warning *warning) {
    zw_warning *d = find_warning(list, warning->key);
    if (d)
        merge_warning(d, warning->first, warning->last, warning->count, warning->worst);
    else if (has_room(list))
        list->entry[list->n++] = *warning;
    else
        list->lost += warning->count;
}

void zw_warnings_add_all(zw_warnings *list, const zw_warnings *more) {
    for (int i = 0; i < more->n; i++)
        zw_warnings_add(list, &more->entry[i]);
    list->lost += more->lost;
}

int zw_warnings_count(const zw_warnings *list) {
    return list->n;
}

const zw_warning *zw_warnings_at(const zw_warnings *list, int k) {
    assert(k >= 0 && k < list->n);
    return &list->entry[k];
}

long zw_warnings_lost(const zw_warnings *list) {
    return list->lost;
}

/* ------------------------------------------------------------------------------------- in notes */

zw_status zw_warnings_note(const zw_warnings *list, zw_table *table) {
    zw_text text;
    zw_text_init(&text, &list->alloc);
    for (int i = 0; i < list->n; i++) {
        const zw_warning *d = &list->entry[i];
        char first[ZW_DECIMAL_MAX], last[ZW_DECIMAL_MAX], worst[ZW_DECIMAL_MAX];
        zw_decimal(first, d->first);
        zw_decimal(last, d->last);
        zw_decimal(worst, d->worst);
        zw_text_printf(&text, "%s%s\t%s\t%s\t%d\t%d\t%s\t%s\t%ld\t%s\t%s\t%s", i ? "\n" : "",
                       d->text, d->hint, d->file, d->line, d->column, first, last, d->count, worst,
                       d->unit, d->key);
    }
    if (list->lost)
        zw_text_printf(&text, "%slost\t%ld", list->n ? "\n" : "", list->lost);
    zw_status status = text.failed
                           ? ZW_E_MEMORY
                           : zw_table_note(table, NOTE, text.length ? zw_text_get(&text) : "none");
    zw_text_clear(&text);
    return status;
}

/* splits a line into its fields; returns their number */
static int split_fields(char *line, char *field[FIELDS]) {
    int n = 0;
    while (line && n < FIELDS) {
        field[n++] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = '\0';
    }
    return n;
}

static void read_line(zw_warnings *list, char *line) {
    char *f[FIELDS];
    int n = split_fields(line, f);
    if (n == 2 && strcmp(f[0], "lost") == 0)
        list->lost += strtol(f[1], NULL, 10);
    if (n < FIELDS)
        return;
    zw_warning d = zw_warning_of(f[10], strtod(f[5], NULL), "%s", f[0]);
    zw_warning_hint(&d, "%s", f[1]);
    if (f[2][0])
        zw_warning_place(
            &d, (zw_place){f[2], (int)strtol(f[3], NULL, 10), (int)strtol(f[4], NULL, 10)});
    d.last = strtod(f[6], NULL);
    d.count = strtol(f[7], NULL, 10);
    d.worst = strtod(f[8], NULL);
    snprintf(d.unit, sizeof d.unit, "%s", f[9]);
    zw_warnings_add(list, &d);
}

void zw_warnings_read(zw_warnings *list, const zw_table *table) {
    const char *note = zw_table_get_note(table, NOTE);
    while (note && *note) {
        char line[2048];
        size_t n = strcspn(note, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, note);
        read_line(list, line);
        note += n + (note[n] == '\n');
    }
}

/* declared in the umbrella header, which is above this module */
ZW_API const char *zw_version(void);

void zw_warnings_of_file(zw_warnings *list, const zw_table *table, const char *path) {
    const char *made = zw_table_get_note(table, "zwang");
    char key[sizeof((zw_warning *)0)->key];
    if (made && strcmp(made, zw_version()) != 0) {
        snprintf(key, sizeof key, "version %.80s", path);
        zw_warning d =
            zw_warning_of(key, NAN, "'%.200s' was written by Zwang %.40s, and this is Zwang %s",
                          path, made, zw_version());
        zw_warning_hint(&d,
                        "the meaning of its values may have changed: compute it again to be sure");
        zw_warnings_add(list, &d);
    }
    if (made && !zw_table_is_checked(table)) {
        snprintf(key, sizeof key, "checksum %.80s", path);
        zw_warning d = zw_warning_of(
            key, NAN, "'%.200s' has no checksum, so damage to it cannot be detected", path);
        zw_warning_hint(&d, "it was written by an older Zwang, or its note `checksum` was removed");
        zw_warnings_add(list, &d);
    }
}
