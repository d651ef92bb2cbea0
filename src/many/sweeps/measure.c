/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/units.h"

enum {
    ARGUMENTS_MAX = 4, /* of a measure */
    BINS_MAX = 256     /* of a histogram */
};

typedef struct call {
    char name[32];
    int n;
    char argument[ARGUMENTS_MAX][ZW_MEASURE_NAME];
    const char *text; /* all of it, for messages */
} call;

/* The functions and their arguments: q a quantity, E an event, k a number, # a whole number. */
static const struct {
    const char *name, *arguments;
    zw_measure_kind kind;
} functions[] = {
    {"last", "q", ZW_MEASURE_LAST},
    {"mean", "q", ZW_MEASURE_MEAN},
    {"rms", "q", ZW_MEASURE_RMS},
    {"min", "q", ZW_MEASURE_MIN},
    {"max", "q", ZW_MEASURE_MAX},
    {"amplitude", "q", ZW_MEASURE_AMPLITUDE},
    {"first", "q", ZW_MEASURE_HARMONIC},
    {"phase", "q", ZW_MEASURE_PHASE},
    {"harmonic", "q#", ZW_MEASURE_HARMONIC},
    {"phase", "q#", ZW_MEASURE_PHASE},
    {"share", "qkk", ZW_MEASURE_SHARE},
    {"histogram", "qkk#", ZW_MEASURE_SHARE},
    {"time", "E", ZW_MEASURE_TIME},
    {"at", "qE", ZW_MEASURE_AT},
    {"count", "E", ZW_MEASURE_COUNT},
    {"period", "", ZW_MEASURE_PERIOD},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static zw_status report_bad_measure(const call *c, zw_error *err, const char *what,
                                    const char *name) {
    zw_fail(err, ZW_E_OPTION, "--measure %.80s: %s%s", c->text, what, name);
    zw_error_hint(err, "last(q), mean(q), rms(q), min(q), max(q), amplitude(q), first(q), "
                       "phase(q), harmonic(q,k), share(q,a,b), histogram(q,a,b,n), time(EVENT), "
                       "at(q,EVENT), count(EVENT), period");
    return ZW_E_OPTION;
}

/* ---- lists that grow ---- */

int zw_measures_quantity(zw_measures *m, const char *name) {
    for (int i = 0; i < m->nquantity; i++)
        if (strcmp(m->quantity[i], name) == 0)
            return i;
    const char **wider = realloc(m->quantity, sizeof *wider * (size_t)(m->nquantity + 1));
    if (!wider)
        return -1;
    m->quantity = wider;
    wider[m->nquantity] = strdup(name);
    return wider[m->nquantity] ? m->nquantity++ : -1;
}

int zw_measures_event(zw_measures *m, int event) {
    for (int i = 0; i < m->nevent; i++)
        if (m->event[i] == event)
            return i;
    int *wider = realloc(m->event, sizeof *wider * (size_t)(m->nevent + 1));
    if (!wider)
        return -1;
    m->event = wider;
    wider[m->nevent] = event;
    return m->nevent++;
}

void zw_measures_clear(zw_measures *m) {
    for (int i = 0; i < m->nquantity; i++)
        free((char *)m->quantity[i]);
    free(m->quantity);
    free(m->event);
    free(m->item);
    *m = (zw_measures){0};
}

bool zw_measures_have(const zw_measures *m, zw_measure_kind kind) {
    for (int i = 0; i < m->n; i++)
        if (m->item[i].kind == kind)
            return true;
    return false;
}

static zw_measure *add_measure(zw_measures *m, zw_error *err) {
    if (m->n == ZW_MEASURES_MAX) {
        zw_fail(err, ZW_E_OPTION, "--measure: more than %d of them", ZW_MEASURES_MAX);
        return NULL;
    }
    zw_measure *wider = realloc(m->item, sizeof *wider * (size_t)(m->n + 1));
    if (!wider) {
        zw_out_of_memory(err, NULL);
        return NULL;
    }
    m->item = wider;
    wider[m->n] = (zw_measure){.quantity = -1, .event = -1, .harmonic = 1};
    return &wider[m->n++];
}

/* ---- names ---- */

int zw_measure_find_event(const zw_system *sys, const char *name) {
    for (int i = 0; i < sys->nevent; i++)
        if (strcmp(sys->event[i].name, name) == 0)
            return i;
    return -1;
}

static zw_status take_event(zw_measures *m, zw_measure *out, const zw_system *sys, const call *c,
                            const char *name, zw_error *err) {
    const char *known[256];
    int n = 0;
    out->event = zw_measure_find_event(sys, name);
    if (out->event >= 0)
        return zw_measures_event(m, out->event) < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
    for (int i = 0; i < sys->nevent && n < 256; i++)
        known[n++] = sys->event[i].name;
    zw_fail(err, ZW_E_NAME, "--measure %.80s: the model has no event %s", c->text, name);
    const char *near = zw_nearest(name, n, known);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

static zw_status take_quantity(zw_measures *m, zw_measure *out, const zw_table *rows, const call *c,
                               const char *name, zw_error *err) {
    const char *known[256];
    int column = zw_table_find(rows, name), n = 0;
    if (column > 0) {
        snprintf(out->unit, sizeof out->unit, "%.39s", zw_table_unit(rows, column));
        out->quantity = zw_measures_quantity(m, name);
        return out->quantity < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
    }
    for (int i = 1; i < zw_table_columns(rows) && n < 256; i++)
        known[n++] = zw_table_name(rows, i);
    zw_fail(err, ZW_E_NAME, "--measure %.80s: a motion of this model has no %s", c->text, name);
    const char *near = zw_nearest(name, n, known);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else
        zw_error_hint(err, "the columns of `zwang run` are known: coordinates, velocities, "
                           "observables, energies, multipliers");
    return ZW_E_NAME;
}

static zw_status take_number(double *out, const call *c, const char *text, zw_error *err) {
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out))
        return report_bad_measure(c, err, "a number is expected, not ", text);
    return ZW_OK;
}

/* ---- one measure ---- */

static int function_of(const call *c) {
    int same = -1;
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, c->name) == 0) {
            same = -2;
            if ((int)strlen(functions[i].arguments) == c->n)
                return i;
        }
    return same;
}

/* Splits the range of the first one into n equal parts. */
static zw_status split_range(zw_measures *m, int n, const call *c, zw_error *err) {
    zw_measure whole = m->item[m->n - 1];
    for (int i = 0; i < n; i++) {
        zw_measure *one = i == 0 ? &m->item[m->n - 1] : add_measure(m, err);
        if (!one)
            return ZW_E_MEMORY;
        *one = whole;
        one->low = whole.low + (whole.high - whole.low) * i / n;
        one->high = i + 1 == n ? whole.high : whole.low + (whole.high - whole.low) * (i + 1) / n;
        snprintf(one->name, sizeof one->name, "share(%.60s,%.6g,%.6g)", c->argument[0], one->low,
                 one->high);
    }
    return ZW_OK;
}

static zw_status take_arguments(zw_measures *m, zw_measure *out, const zw_system *sys,
                                const zw_table *rows, const call *c, const char *shape, int *whole,
                                zw_error *err) {
    int numbers = 0;
    double number;
    for (int i = 0; i < c->n; i++) {
        const char *text = c->argument[i];
        if (shape[i] == 'q') {
            ZW_TRY(take_quantity(m, out, rows, c, text, err));
            continue;
        }
        if (shape[i] == 'E') {
            ZW_TRY(take_event(m, out, sys, c, text, err));
            continue;
        }
        ZW_TRY(take_number(&number, c, text, err));
        if (shape[i] == 'k')
            *(numbers++ == 0 ? &out->low : &out->high) = number;
        else if (number != floor(number) || number < 1 || number > BINS_MAX)
            return report_bad_measure(c, err, "a whole number from 1 to 256 is expected, not ",
                                      text);
        else
            *whole = (int)number;
    }
    return ZW_OK;
}

static zw_status read_call(zw_measures *m, const zw_system *sys, const zw_table *rows,
                           const call *c, zw_error *err) {
    int f = function_of(c), whole = 1;
    zw_measure *out = add_measure(m, err);
    if (!out)
        return ZW_E_MEMORY;
    if (f == -1 && c->n == 0) { /* a quantity: at every row */
        out->kind = ZW_MEASURE_ROW;
        snprintf(out->name, sizeof out->name, "%s", c->text);
        return take_quantity(m, out, rows, c, c->text, err);
    }
    if (f < 0)
        return report_bad_measure(
            c, err, f == -1 ? "there is no measure " : "wrong number of arguments of ", c->name);
    out->kind = functions[f].kind;
    int length = snprintf(out->name, sizeof out->name, "%s", c->name);
    for (int i = 0; i < c->n; i++)
        length += snprintf(out->name + length, sizeof out->name - (size_t)length, "%s%.60s%s",
                           i ? "," : "(", c->argument[i], i + 1 == c->n ? ")" : "");
    ZW_TRY(take_arguments(m, out, sys, rows, c, functions[f].arguments, &whole, err));
    if (out->kind == ZW_MEASURE_SHARE && !(out->high > out->low))
        return report_bad_measure(c, err, "an empty range", "");
    if (out->kind == ZW_MEASURE_PHASE)
        snprintf(out->unit, sizeof out->unit, "rad");
    if (out->kind == ZW_MEASURE_TIME)
        snprintf(out->unit, sizeof out->unit, "s");
    if (out->kind == ZW_MEASURE_SHARE)
        out->unit[0] = '\0';
    out->harmonic = whole;
    return c->n == 4 ? split_range(m, whole, c, err) : ZW_OK;
}

/* ---- the list ---- */

static void trim_blanks(char *s) {
    size_t n = strlen(s), from = strspn(s, " \t");
    while (n > from && isspace((unsigned char)s[n - 1]))
        n--;
    memmove(s, s + from, n - from);
    s[n - from] = '\0';
}

/* Splits "at(q, E)"; a name with parentheses that is no function, lambda(c), is a quantity. */
static zw_status split_call(call *c, char *text, const zw_table *rows, zw_error *err) {
    *c = (call){.text = text};
    char *open = strchr(text, '(');
    size_t n = strlen(text);
    if (zw_table_find(rows, text) > 0 || !open)
        return snprintf(c->name, sizeof c->name, "%.31s", text), ZW_OK;
    if (text[n - 1] != ')')
        return report_bad_measure(c, err, "its parentheses are not closed", "");
    snprintf(c->name, sizeof c->name, "%.*s", (int)(open - text > 31 ? 31 : open - text), text);
    trim_blanks(c->name);
    int depth = 0;
    for (char *from = open + 1, *s = from; s <= text + n - 1; s++) {
        bool end = s == text + n - 1;
        if ((*s == ',' && depth == 0) || end) {
            if (c->n == ARGUMENTS_MAX || s - from >= ZW_MEASURE_NAME)
                return report_bad_measure(c, err, "that is too much", "");
            snprintf(c->argument[c->n], ZW_MEASURE_NAME, "%.*s", (int)(s - from), from);
            trim_blanks(c->argument[c->n++]);
            from = s + 1;
        }
        depth += (*s == '(') - (*s == ')');
    }
    return ZW_OK;
}

static zw_status read_list(zw_measures *m, const zw_system *sys, const zw_table *rows, char *text,
                           zw_error *err) {
    int depth = 0;
    for (char *from = text, *s = text;; s++) {
        if (*s == '\0' || (*s == ',' && depth == 0)) {
            bool last = *s == '\0';
            call c;
            *s = '\0';
            trim_blanks(from);
            if (!from[0])
                return zw_fail(err, ZW_E_OPTION, "--measure: a measure is missing");
            ZW_TRY(split_call(&c, from, rows, err));
            ZW_TRY(read_call(m, sys, rows, &c, err));
            if (last)
                break;
            from = s + 1;
        }
        depth += (*s == '(') - (*s == ')');
    }
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(m->item[i].name, m->item[j].name) == 0)
                return zw_fail(err, ZW_E_OPTION, "--measure: %s twice", m->item[i].name);
    return ZW_OK;
}

zw_status zw_measures_read(zw_measures *out, const zw_system *sys, const zw_table *rows,
                           const char *text, zw_error *err) {
    *out = (zw_measures){0};
    char *copy = strdup(text);
    if (!copy)
        return zw_out_of_memory(err, NULL);
    zw_status status = read_list(out, sys, rows, copy, err);
    free(copy);
    if (status < 0)
        zw_measures_clear(out);
    return status;
}

zw_status zw_duration_read(zw_duration *out, const char *label, const char *text, zw_error *err) {
    char *end, name[40];
    zw_unit unit = {.factor = 1}, second;
    double value = strtod(text, &end);
    *out = (zw_duration){0};
    end += strspn(end, " \t[");
    snprintf(name, sizeof name, "%.39s", end);
    name[strcspn(name, "]")] = '\0';
    trim_blanks(name);
    bool number = end > text && isfinite(value) && value >= 0;
    if (number && (strcmp(name, "periods") == 0 || strcmp(name, "period") == 0)) {
        *out = (zw_duration){value, true};
        return ZW_OK;
    }
    zw_unit_parse(&second, "s", 1, (zw_place){0}, NULL);
    if (name[0] && (zw_unit_parse(&unit, name, strlen(name), (zw_place){0}, NULL) < 0 ||
                    !zw_dim_fits(&unit.dim, &second.dim)))
        number = false;
    if (!number) {
        zw_fail(err, ZW_E_OPTION, "%s %.60s: this is no time", label, text);
        zw_error_hint(err, "%s \"200 periods\" (of the excitation), %s 50 (seconds), %s 2min",
                      label, label, label);
        return ZW_E_OPTION;
    }
    *out = (zw_duration){value * unit.factor, false};
    return ZW_OK;
}
