/* SPDX-License-Identifier: MIT */
/* A value with commas outside brackets is a list. The runs are numbered like digits: the last list
 * changes fastest. A unit behind the last value holds for the values that have none,
 * nu=0,5,10g/s or "nu=0,5,10 [g/s]"; if there is none at all, the SI unit of the name does. */
#include "series.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *piece(const char *s, long k, size_t *length) {
    for (; k > 0; k--)
        s += piece_length(s) + 1;
    *length = piece_length(s);
    return s;
}

/* where the values of NAME=VALUES begin */
static const char *values_of(const char *set) {
    const char *equals = strchr(set, '=');
    return equals ? equals + 1 : set + strlen(set);
}

long series_count(const cli_options *o) {
    long n = o->model.variant ? pieces_of(o->model.variant) : 1;
    for (int i = 0; i < o->model.set.n && n < 1000000; i++)
        n *= pieces_of(values_of(o->model.set.item[i]));
    return n;
}

/* is the piece a bare number? */
static bool is_bare(const char *s, size_t n) {
    char text[SERIES_TEXT], *end;
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), s);
    strtod(text, &end);
    while (*end == ' ')
        end++;
    return end != text && !*end;
}

/* the unit behind the last number of a list, "" if there is none */
static const char *common_unit(const char *values) {
    size_t n;
    const char *last = piece(values, pieces_of(values) - 1, &n);
    char *end;
    strtod(last, &end);
    return end == last ? "" : end;
}

static bool is_name(const char *name, const char *s, size_t n) {
    return strlen(name) == n && strncmp(name, s, n) == 0;
}

/* of a parameter, a coordinate or a velocity; "" if there is no such name */
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

static zw_status choose_set(series_run *r, int i, const char *set, long k, const zw_system *sys,
                            zw_error *err) {
    const char *values = values_of(set), *common = common_unit(values);
    size_t n;
    const char *chosen = piece(values, k, &n);
    char unit[SERIES_TEXT] = "";
    if (is_bare(chosen, n)) {
        const char *si = common[0] ? "" : unit_of(sys, set, (size_t)(values - set) - 1);
        if (common[0] && chosen[n])
            snprintf(unit, sizeof unit, "%s", common);
        else if (si[0])
            snprintf(unit, sizeof unit, " [%s]", si);
    }
    int length = snprintf(r->set[i], SERIES_TEXT, "%.*s%.*s%s", (int)(values - set), set, (int)n,
                          chosen, unit);
    if (length >= SERIES_TEXT)
        return zw_fail(err, ZW_E_OPTION, "--set %.60s... is too long", set);
    r->o.model.set.item[i] = r->set[i];
    return ZW_OK;
}

void series_strip(cli_options *o) {
    int kept = 0;
    for (int i = 0; i < o->model.set.n; i++)
        if (pieces_of(values_of(o->model.set.item[i])) == 1)
            o->model.set.item[kept++] = o->model.set.item[i];
    o->model.set.n = kept;
    if (o->model.variant && pieces_of(o->model.variant) > 1)
        o->model.variant = NULL;
}

zw_status series_run_init(series_run *r, const cli_options *o, long k, const zw_system *sys,
                          zw_error *err) {
    r->o = *o;
    for (int i = o->model.set.n - 1; i >= 0; i--) {
        const char *set = o->model.set.item[i];
        long n = pieces_of(values_of(set));
        if (n > 1)
            ZW_TRY(choose_set(r, i, set, k % n, sys, err));
        k /= n;
    }
    if (o->model.variant) {
        size_t n;
        const char *name = piece(o->model.variant, k, &n);
        snprintf(r->variant, sizeof r->variant, "%.*s", (int)(n < SERIES_TEXT ? n : 0), name);
        r->o.model.variant = r->variant;
    }
    return ZW_OK;
}

/* ---- labels ---- */

/* the unit of a parameter from the notes, of a start from the columns */
static void unit_in(const zw_table *t, const char *name, char *out, size_t size) {
    char key[SERIES_TEXT + 8];
    snprintf(key, sizeof key, "param %s", name);
    const char *note = zw_table_get_note(t, key), *space = note ? strchr(note, ' ') : NULL;
    int column = zw_table_find(t, name);
    if (note)
        snprintf(out, size, "%s", space ? space + 1 : "");
    else
        snprintf(out, size, "%s", column >= 0 ? zw_table_unit(t, column) : "");
}

/* "NAME = VALUE {UNIT}" from "NAME=VALUE UNIT" */
static void label_set(const char *set, const zw_table *t, char *out, size_t size) {
    const char *value = values_of(set);
    char name[SERIES_TEXT], unit[SERIES_TEXT], *end;
    snprintf(name, sizeof name, "%.*s", (int)(value - set - 1), set);
    while (name[0] && name[strlen(name) - 1] == ' ')
        name[strlen(name) - 1] = '\0';
    value += strspn(value, " ");
    strtod(value, &end);
    if (end == value) {
        snprintf(out, size, "%s = %s", name, value);
        return;
    }
    int digits = (int)(end - value);
    end += strspn(end, " [");
    snprintf(unit, sizeof unit, "%.*s", (int)strcspn(end, " ]"), end);
    if (!unit[0])
        unit_in(t, name, unit, sizeof unit);
    if (!unit[0])
        snprintf(out, size, "%s = %.*s", name, digits, value);
    else /* degrees stand at the number */
        snprintf(out, size, "%s = %.*s%s{%s}", name, digits, value,
                 strcmp(unit, "deg") == 0 ? "" : " ", unit);
}

void series_label(const series_run *r, const cli_options *o, const zw_table *result,
                  char label[SERIES_LABEL]) {
    size_t used = 0;
    label[0] = '\0';
    if (o->model.variant && pieces_of(o->model.variant) > 1)
        used = (size_t)snprintf(label, SERIES_LABEL, "\"%s\"",
                                r->variant[0] ? r->variant : "no variant");
    for (int i = 0; i < o->model.set.n && used < SERIES_LABEL; i++) {
        if (pieces_of(values_of(o->model.set.item[i])) < 2)
            continue;
        char part[SERIES_LABEL];
        label_set(r->o.model.set.item[i], result, part, sizeof part);
        used += (size_t)snprintf(label + used, SERIES_LABEL - used, "%s%s", used ? ", " : "", part);
    }
}
