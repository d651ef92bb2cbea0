/* SPDX-License-Identifier: MIT */
/* Several runs of one model. A value with commas outside brackets is a list. The runs are numbered
 * like digits: the last list changes fastest. A unit after the last value applies to the values
 * that have none, nu=0,5,10g/s or "nu=0,5,10 [g/s]"; without any unit, the SI unit of the name
 * applies. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/figure.h"

#define DECADE_SLACK 1e-12 /* log10 of a power of ten may be below its integer by eps */
enum { TEXT = 160, LABEL = 384 };

/* length of the piece up to the next comma outside brackets */
static size_t piece_length(const char *s) {
    int depth = 0;
    size_t n = 0;
    for (; s[n] && !(s[n] == ',' && depth == 0); n++)
        depth += s[n] == '(' || s[n] == '[' ? 1 : s[n] == ')' || s[n] == ']' ? -1 : 0;
    return n;
}

static long pieces_of(const char *s) {
    long n = 1;
    for (size_t length; s[length = piece_length(s)]; s += length + 1)
        n++;
    return n;
}

static const char *list_piece(const char *s, long k, size_t *length) {
    for (; k > 0; k--)
        s += piece_length(s) + 1;
    *length = piece_length(s);
    return s;
}

/* beginning of the values of NAME=VALUES */
static const char *values_of(const char *set) {
    const char *equals = strchr(set, '=');
    return equals ? equals + 1 : set + strlen(set);
}

static bool is_list(const char *set) {
    return pieces_of(values_of(set)) > 1;
}

long zw_figure_series_count(const zw_model_options *lists) {
    long n = lists->variant ? pieces_of(lists->variant) : 1;
    for (int i = 0; i < lists->nset && n < 1000000; i++)
        n *= pieces_of(values_of(lists->set[i]));
    return n;
}

/* true if the piece is a number without a unit */
static bool is_bare(const char *s, size_t n) {
    char text[TEXT], *end;
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), s);
    strtod(text, &end);
    while (*end == ' ')
        end++;
    return end != text && !*end;
}

/* true for a unit, in brackets or not; false for another factor of a formula such as 3*k */
static bool is_unit(const char *s) {
    s += strspn(s, " ");
    return *s == '[' || isalpha((unsigned char)*s) || (unsigned char)*s >= 0x80;
}

/* the unit after the last number of a list, "" if there is none */
static const char *common_unit(const char *values) {
    size_t n;
    const char *last = list_piece(values, pieces_of(values) - 1, &n);
    char *end;
    strtod(last, &end);
    return end == last || !is_unit(end) ? "" : end;
}

static bool is_name(const char *name, const char *s, size_t n) {
    return strlen(name) == n && strncmp(name, s, n) == 0;
}

/* unit of a parameter, a coordinate or a velocity; "" if there is no such name */
static const char *unit_of(const zw_system *sys, const char *s, size_t n) {
    while (n > 0 && s[n - 1] == ' ')
        n--;
    for (int i = 0; i < sys->np; i++)
        if (is_name(sys->param[i].name, s, n))
            return sys->param[i].unit;
    for (int i = 0; i < sys->nq; i++)
        if (is_name(sys->coord[i].name, s, n))
            return sys->coord[i].unit;
    for (int i = 0; i < sys->nv; i++)
        if (is_name(zw_expr_name(sys->ctx, sys->velocity[i].sym), s, n))
            return sys->velocity[i].unit;
    return "";
}

/* ---- one run ---- */

/* "NAME=VALUE" with value k of the list and its unit; NULL if out of memory */
static const char *choose_set(zw_context *ctx, const char *set, long k, const zw_system *sys) {
    const char *values = values_of(set), *common = common_unit(values);
    size_t n, head = (size_t)(values - set);
    const char *chosen = list_piece(values, k, &n), *before = "", *unit = "", *after = "";
    if (is_bare(chosen, n)) {
        const char *si = common[0] || !sys ? "" : unit_of(sys, set, head - 1);
        if (common[0] && chosen[n]) {
            unit = common;
        } else if (si[0]) {
            before = " [";
            unit = si;
            after = "]";
        }
    }
    size_t size = head + n + strlen(unit) + 4;
    char *out = zw_context_alloc(ctx, size);
    if (out)
        snprintf(out, size, "%.*s%.*s%s%s%s", (int)head, set, (int)n, chosen, before, unit, after);
    return out;
}

static const char *choose_variant(zw_context *ctx, const char *variants, long k) {
    size_t n;
    const char *name = list_piece(variants, k, &n);
    char *out = zw_context_alloc(ctx, n + 1); /* zeroed */
    return out ? memcpy(out, name, n) : NULL;
}

/* removes every list */
static void strip_lists(zw_model_options *out, const char **set, const zw_model_options *lists) {
    out->nset = 0;
    for (int i = 0; i < lists->nset; i++)
        if (!is_list(lists->set[i]))
            set[out->nset++] = lists->set[i];
    if (lists->variant && pieces_of(lists->variant) > 1)
        out->variant = NULL;
}

/* copies as much of the struct as the caller knows */
static void copy_settings(zw_model_options *out, const zw_model_options *lists) {
    size_t size = lists->size && lists->size < sizeof *out ? lists->size : sizeof *out;
    memcpy(out, lists, size);
    out->size = size;
}

zw_status zw_figure_series_run(zw_model_options *out, zw_context *ctx,
                               const zw_model_options *lists, long k, const zw_system *sys,
                               zw_error *err) {
    long count = zw_figure_series_count(lists);
    const char **set = zw_context_alloc(ctx, ((size_t)lists->nset + 1) * sizeof *set);
    if (k < -1 || k >= count)
        return zw_fail(err, ZW_E_OPTION, "run %ld of a series of %ld", k, count);
    if (!set)
        return zw_context_status(ctx, err);
    copy_settings(out, lists);
    out->set = set;
    if (k < 0) {
        strip_lists(out, set, lists);
        return ZW_OK;
    }
    for (int i = lists->nset - 1; i >= 0; i--) {
        long n = pieces_of(values_of(lists->set[i]));
        set[i] = n > 1 ? choose_set(ctx, lists->set[i], k % n, sys) : lists->set[i];
        k /= n;
    }
    if (lists->variant)
        out->variant = choose_variant(ctx, lists->variant, k);
    return zw_context_status(ctx, err);
}

/* ---- labels ---- */

/* the unit of a parameter from the notes, that of a start from the columns */
static void unit_in(const zw_table *t, const char *name, char *out, size_t size) {
    char key[TEXT + 8];
    snprintf(key, sizeof key, "param %s", name);
    const char *note = zw_table_get_note(t, key), *space = note ? strchr(note, ' ') : NULL;
    int column = zw_table_find(t, name);
    if (note)
        snprintf(out, size, "%s", space ? space + 1 : "");
    else
        snprintf(out, size, "%s", column >= 0 ? zw_table_unit(t, column) : "");
}

/* true if another value of the list looks the same with this many digits */
static bool is_alike(const char *list, double value, int digits) {
    size_t n;
    char text[40], other[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    for (long k = 0; k < pieces_of(list); k++) {
        double v = strtod(list_piece(list, k, &n), NULL);
        snprintf(other, sizeof other, "%.*g", digits, v);
        if (v != value && strcmp(other, text) == 0)
            return true;
    }
    return false;
}

/* A number as a reader expects it: twelve digits, so that 0.30000000000000004 is 0.3, and 1e-8 for
 * 0.00000001. More digits only where they distinguish this value from another one of the list. */
static void write_value(const char *list, double value, char *out, size_t size) {
    char text[40];
    int digits = 12, power = value == 0 ? 0 : (int)floor(log10(fabs(value)) + DECADE_SLACK);
    while (digits < 17 && is_alike(list, value, digits))
        digits++;
    if (power >= -3 && power < 6) {
        snprintf(out, size, "%.*g", digits, value);
        return;
    }
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    char *e = strchr(text, 'e');
    if (!e) { /* not finite */
        snprintf(out, size, "%s", text);
        return;
    }
    power = (int)strtol(e + 1, NULL, 10);
    while (e[-1] == '0')
        e--;
    if (e[-1] == '.')
        e--;
    snprintf(out, size, "%.*se%d", (int)(e - text), text, power);
}

/* "NAME = VALUE {UNIT}" from "NAME=VALUE UNIT"; list: the values of all runs */
static void label_set(const char *set, const char *list, const zw_table *t, char *out,
                      size_t size) {
    const char *value = values_of(set);
    char name[TEXT], unit[TEXT], number[40], *end;
    snprintf(name, sizeof name, "%.*s", (int)(value - set - 1), set);
    while (name[0] && name[strlen(name) - 1] == ' ')
        name[strlen(name) - 1] = '\0';
    value += strspn(value, " ");
    double v = strtod(value, &end);
    if (end == value || (*end && !is_unit(end))) { /* a formula */
        snprintf(out, size, "%s = %s", name, value);
        return;
    }
    write_value(values_of(list), v, number, sizeof number);
    end += strspn(end, " [");
    snprintf(unit, sizeof unit, "%.*s", (int)strcspn(end, " ]"), end);
    if (!unit[0])
        unit_in(t, name, unit, sizeof unit);
    if (!unit[0])
        snprintf(out, size, "%s = %s", name, number);
    else /* the sign for degrees follows the number directly */
        snprintf(out, size, "%s = %s%s{%s}", name, number, strcmp(unit, "deg") == 0 ? "" : " ",
                 unit);
}

void zw_figure_series_label(const zw_model_options *run, const zw_model_options *lists,
                            const zw_table *result, char *label, size_t size) {
    size_t used = 0;
    label[0] = '\0';
    if (lists->variant && pieces_of(lists->variant) > 1)
        used = (size_t)snprintf(label, size, "\"%s\"",
                                run->variant && run->variant[0] ? run->variant : "no variant");
    for (int i = 0; i < lists->nset && i < run->nset && used < size; i++) {
        if (!is_list(lists->set[i]))
            continue;
        char part[LABEL];
        label_set(run->set[i], lists->set[i], result, part, sizeof part);
        used += (size_t)snprintf(label + used, size - used, "%s%s", used ? ", " : "", part);
    }
}
