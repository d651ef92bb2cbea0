/* SPDX-License-Identifier: MIT */
/* The measured data, from tables: a column t, columns that are quantities of the model, each with
 * an optional sd(NAME). Units are converted into those of the model. Everything that does not fit
 * is an error with its position in the file. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/units.h"
#include "data/cells.h"
#include "fit.h"

enum { NAME_MAX_LENGTH = 200 }; /* characters of a name in a file */

/* ---- positions ---- */

typedef struct source {
    const char *name;
    zw_cells cells; /* of a text file: positions of its cells */
    bool has_cells;
} source;

/* row -1 is the line of names */
static zw_status report_error(const source *in, zw_status status, long row, int column,
                              const char *what, const char *hint, zw_error *err) {
    if (in->has_cells)
        zw_cells_fail(&in->cells, status,
                      row < 0 ? in->cells.header[column] : zw_cells_at(&in->cells, row, column),
                      err, "%s", what);
    else if (row >= 0)
        zw_fail(err, status, "%s, row %ld: %s", in->name, row + 1, what);
    else
        zw_fail(err, status, "%s: %s", in->name, what);
    if (hint)
        zw_error_hint(err, "%s", hint);
    return status;
}

/* JSON and HDF5 files are results; all other files are text with cells. */
static zw_status read_source(zw_fit *f, source *in, zw_table **out, zw_error *err) {
    static const char hdf5[] = "\x89HDF";
    zw_cells *c = &in->cells;
    in->has_cells = true; /* to be cleared */
    ZW_TRY(zw_cells_load(c, in->name, &f->arena.alloc, err));
    const char *text = zw_text_get(&c->text);
    bool result = text[strspn(text, " \t\r\n")] == '{';
    if (result || (c->text.length > 4 && memcmp(text, hdf5, 4) == 0)) {
        zw_status status = result ? zw_table_read_bytes(out, text, c->text.length, in->name, err)
                                  : zw_table_read(out, in->name, err);
        zw_cells_clear(c);
        in->has_cells = false;
        if (status >= 0)
            zw_warnings_of_file(f->files, *out, in->name);
        return status;
    }
    ZW_TRY(zw_cells_parse(c, err));
    ZW_TRY(zw_cells_table(c, out, err));
    zw_warnings_of_file(f->files, *out, in->name);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- names */

/* The meaning of a column of the data in the model; NULL: it is ignored. */
static const char *column_meaning(const zw_fit *f, const char *name) {
    size_t n = strlen(name);
    for (int i = 0; i < f->options.ncolumn; i++) {
        const char *text = f->options.column[i];
        if (strncmp(text, name, n) != 0 || text[n] != '=')
            continue;
        f->column_seen[i] = true;
        return text[n + 1] ? text + n + 1 : NULL;
    }
    return name;
}

/* NAME of sd(NAME); false if it has another form. */
static bool is_deviation(const char *name, char of[NAME_MAX_LENGTH]) {
    size_t n = strlen(name);
    if (n < 5 || n >= NAME_MAX_LENGTH || strncmp(name, "sd(", 3) != 0 || name[n - 1] != ')')
        return false;
    memcpy(of, name + 3, n - 4);
    of[n - 4] = '\0';
    return true;
}

/* "mm" into the unit of the model, "m". */
static zw_status find_conversion(const char *from, const char *to, double *factor, char *why,
                                 size_t size) {
    zw_unit a, b;
    zw_error trouble = {0};
    if (!from[0] && to[0]) {
        snprintf(why, size, "the column has no unit, in the model it is in %s", to);
        return ZW_E_UNIT;
    }
    *factor = 1;
    if (strcmp(from, to) == 0) /* plain numbers too */
        return ZW_OK;
    if (zw_unit_parse(&a, from, strlen(from), (zw_place){0}, &trouble) < 0 ||
        zw_unit_parse(&b, to, strlen(to), (zw_place){0}, &trouble) < 0) {
        snprintf(why, size, "%.200s", trouble.text);
        return ZW_E_UNIT;
    }
    if (!zw_dim_fits(&a.dim, &b.dim)) {
        snprintf(why, size, "the column is in %s, in the model it is %s%s", from,
                 to[0] ? "in " : "a plain number", to);
        return ZW_E_UNIT;
    }
    *factor = a.factor / b.factor;
    return ZW_OK;
}

static int find_quantity(const zw_fit *f, const char *name) {
    for (int q = 0; q < f->nq; q++)
        if (strcmp(f->quantity[q].name, name) == 0)
            return q;
    return -1;
}

/* The column of the model, by the name that the data or --column give it. */
static zw_status match_column(const zw_fit *f, const source *in, int column, const char *name,
                              int *found, zw_error *err) {
    const zw_table *rows = zw_sim_rows(f->sim);
    *found = zw_table_find(rows, name);
    if (*found > 0 && *found < zw_sim_drive_columns(f->sim))
        return ZW_OK;
    char what[NAME_MAX_LENGTH + 100], hint[3 * NAME_MAX_LENGTH];
    const char *names[256];
    int n = 0;
    for (int i = 1; i < zw_sim_drive_columns(f->sim) && n < 256; i++)
        names[n++] = zw_table_name(rows, i);
    const char *near = zw_nearest(name, n, names);
    snprintf(what, sizeof what, "the model has no quantity '%.*s'", NAME_MAX_LENGTH, name);
    snprintf(
        hint, sizeof hint,
        "%s%s%s--column \"%.100s=EXPRESSION\" says what it is, --column \"%.100s=\" leaves it out",
        near ? "did you mean " : "", near ? near : "", near ? "? " : "", name, name);
    return report_error(in, ZW_E_NAME, -1, column, what, hint, err);
}

/* A column of the data becomes quantity *q. */
static zw_status add_quantity(zw_fit *f, const source *in, const char *name, int column, int *q,
                              zw_error *err) {
    int place;
    *q = find_quantity(f, name);
    if (*q >= 0)
        return ZW_OK;
    ZW_TRY(match_column(f, in, column, column_meaning(f, name), &place, err));
    zw_fit_quantity *n = ZW_NEW(&f->arena, zw_fit_quantity, f->nq + 1);
    if (!n)
        return zw_out_of_memory(err, NULL);
    if (f->nq)
        memcpy(n, f->quantity, sizeof *n * (size_t)f->nq);
    f->quantity = n;
    n += f->nq;
    n->name = zw_arena_string(&f->arena, name);
    n->unit = zw_table_unit(zw_sim_rows(f->sim), place);
    n->column = place;
    n->kind = zw_sim_drive_column(f->sim, place, &n->index);
    n->sigma = NAN;
    if (n->kind == ZW_DRIVE_ZERO && !f->contacts.used)
        return report_error(in, ZW_E_NAME, -1, column,
                            "this is the force of a constraint that does not hold", NULL, err);
    *q = f->nq++;
    return n->name ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* --------------------------------------------------------------------------------------- values */

typedef struct column {
    int quantity; /* -1 if none */
    bool deviation;
    double factor;
} column;

static bool is_wanted(const zw_fit *f, const char *name) {
    for (int i = 0; i < f->options.nuse; i++)
        if (strcmp(f->options.use[i], name) == 0) {
            f->use_seen[i] = true;
            return true;
        }
    return f->options.nuse == 0;
}

/* Options that name a column that no file has are mistakes. */
static zw_status check_names(const zw_fit *f, zw_error *err) {
    for (int i = 0; i < f->options.nuse; i++)
        if (!f->use_seen[i])
            return zw_fail(err, ZW_E_NAME, "--use: the data have no column '%.100s'",
                           f->options.use[i]);
    for (int i = 0; i < f->options.ncolumn; i++)
        if (!f->column_seen[i] && f->options.nuse == 0)
            return zw_fail(err, ZW_E_NAME, "--column: the data have no column '%.*s'",
                           (int)fmin((double)strcspn(f->options.column[i], "="), 100),
                           f->options.column[i]);
    return ZW_OK;
}

static zw_status read_column(zw_fit *f, const source *in, const zw_table *t, int j, column *c,
                             zw_error *err) {
    char of[NAME_MAX_LENGTH], why[400];
    const char *name = zw_table_name(t, j);
    *c = (column){.quantity = -1};
    c->deviation = is_deviation(name, of);
    if (c->deviation && !column_meaning(f, name))
        return ZW_OK;
    if (c->deviation)
        name = of;
    if (!is_wanted(f, name) || !column_meaning(f, name))
        return ZW_OK;
    if (c->deviation && zw_table_find(t, name) < 0)
        return report_error(in, ZW_E_NAME, -1, j,
                            "there is no column that these are the deviations of", NULL, err);
    ZW_TRY(add_quantity(f, in, name, j, &c->quantity, err));
    if (find_conversion(zw_table_unit(t, j), f->quantity[c->quantity].unit, &c->factor, why,
                        sizeof why) < 0)
        return report_error(in, ZW_E_UNIT, -1, j, why,
                            "write units in brackets after the name: x[mm], beta[deg]", err);
    return ZW_OK;
}

static zw_status time_column(const source *in, const zw_table *t, int *at, double *factor,
                             bool no_units, zw_error *err) {
    char why[400];
    *at = zw_table_find(t, "t");
    *factor = 1;
    if (*at < 0)
        return report_error(in, ZW_E_NAME, -1, 0, "there is no column t",
                            "the times of the measurement stand in a column t[s]", err);
    if (no_units && strcmp(zw_table_unit(t, *at), "s") == 0) /* as runs write it */
        return ZW_OK;
    if (find_conversion(zw_table_unit(t, *at), no_units ? "" : "s", factor, why, sizeof why) < 0)
        return report_error(in, ZW_E_UNIT, -1, *at, why, "t[s], t[ms]", err);
    return ZW_OK;
}

/* Is anything in the row measured? Its values go into row k of the experiment. */
static zw_status read_row(zw_fit *f, const source *in, const zw_table *t, long row, const column *c,
                          zw_fit_experiment *e, bool *any, zw_error *err) {
    int n = f->nq, k = e->nrow;
    double *y = e->y + (size_t)k * (size_t)n, *sd = e->sd + (size_t)k * (size_t)n;
    *any = false;
    for (int q = 0; q < n; q++)
        y[q] = sd[q] = NAN;
    for (int j = 0; j < zw_table_columns(t); j++) {
        if (c[j].quantity < 0 || isnan(zw_table_at(t, row, j)))
            continue;
        double v = zw_table_at(t, row, j) * c[j].factor; /* the product may overflow */
        if (isinf(v))
            return report_error(in, ZW_E_DOMAIN, row, j, "this is not finite",
                                "what was not measured is an empty field or nan", err);
        if (c[j].deviation && !(v > 0))
            return report_error(in, ZW_E_DOMAIN, row, j, "a standard deviation must be positive",
                                NULL, err);
        *(c[j].deviation ? &sd[c[j].quantity] : &y[c[j].quantity]) = v;
        *any |= !c[j].deviation;
    }
    return ZW_OK;
}

static zw_status read_rows(zw_fit *f, const source *in, const zw_table *t, const column *c, int at,
                           double factor, zw_fit_experiment *e, zw_error *err) {
    long rows = zw_table_rows(t);
    size_t cells = (size_t)rows * (size_t)f->nq + 1;
    bool any;
    e->t = ZW_NEW(&f->arena, double, rows + 1);
    e->y = ZW_NEW(&f->arena, double, cells);
    e->sd = ZW_NEW(&f->arena, double, cells);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    double before = -INFINITY;
    bool run_parameters = zw_table_get_note(t, "zwang");
    for (long i = 0; i < rows; i++) {
        double time = zw_table_at(t, i, at) * factor;
        if (!isfinite(time))
            return report_error(in, ZW_E_DOMAIN, i, at, "this row has no time", NULL, err);
        if (run_parameters &&
            time ==
                /* a run writes the states before and after an event: neither is that of its time */
                before) {
            e->nrow -= e->nrow > 0 && e->t[e->nrow - 1] == time;
            continue;
        }
        if (!(time > before))
            return report_error(in, ZW_E_DOMAIN, i, at,
                                time == before ? "this time is given twice"
                                               : "times must grow from row to row",
                                "sort the rows; several experiments are several files", err);
        before = time;
        ZW_TRY(read_row(f, in, t, i, c, e, &any, err));
        if (any)
            e->t[e->nrow++] = time;
    }
    if (e->nrow < 2)
        return report_error(in, ZW_E_DOMAIN, -1, 0,
                            "fewer than two rows have something that is measured", NULL, err);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- notes */

/* "Omega=33 [rpm]; x=1 [cm]" of the note "set": numbers of this experiment. */
static zw_status read_setting(zw_fit *f, const source *in, zw_fit_experiment *e, const char *text,
                              zw_error *err) {
    const zw_system *s = f->sys;
    char name[NAME_MAX_LENGTH], label[2 * NAME_MAX_LENGTH];
    size_t n = strcspn(text, "="), m = n;
    while (m > 0 && isspace((unsigned char)text[m - 1]))
        m--;
    if (text[n] != '=' || m == 0 || m >= sizeof name)
        return zw_fail(err, ZW_E_OPTION, "%s, note 'set': '%.100s' is not NAME=VALUE", in->name,
                       text);
    memcpy(name, text, m);
    name[m] = '\0';
    snprintf(label, sizeof label, "%.150s, note 'set', %.150s", in->name, name);
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, name) == 0) {
            e->set[i] = true;
            return zw_model_number(&e->p[i], s, e->p, label, text + n + 1, s->param[i].unit, err);
        }
    for (int i = 0; i < s->nq + s->nv; i++) {
        const char *entry = i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
        const char *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
        if (strcmp(entry, name) != 0)
            continue;
        e->given[i] = true;
        return zw_model_number(&e->start[i], s, e->p, label, text + n + 1, unit, err);
    }
    return zw_fail(err, ZW_E_NAME,
                   "%s, note 'set': the model has no parameter and no coordinate '%s'", in->name,
                   name);
}

/* A result of a run of this model: parameters that were set there made the data, and are not set
 * here. Whether they agree is checked later. */
static void read_run_parameters(const zw_fit *f, const zw_table *t, zw_fit_experiment *e) {
    const zw_system *s = f->sys;
    const char *model = zw_table_get_note(t, "model");
    char key[NAME_MAX_LENGTH + 8];
    for (int i = 0; i < s->np && model && s->name && strcmp(model, s->name) == 0; i++) {
        snprintf(key, sizeof key, "param %.*s", NAME_MAX_LENGTH, s->param[i].name);
        const char *note = zw_table_get_note(t, key);
        if (note)
            e->run_parameters[i] = strtod(note, NULL);
    }
    for (int j = 0; j < f->P; j++)
        e->run_parameters[f->param[j].index] = NAN;
}

static zw_status read_settings(zw_fit *f, const source *in, const zw_table *t, zw_fit_experiment *e,
                               zw_error *err) {
    const zw_system *s = f->sys;
    e->set = ZW_NEW(&f->arena, bool, s->np + 1);
    e->p = ZW_NEW(&f->arena, double, s->np + 1);
    e->given = ZW_NEW(&f->arena, bool, s->nq + s->nv + 1);
    e->start = ZW_NEW(&f->arena, double, s->nq + s->nv + 1);
    e->run_parameters = ZW_NEW(&f->arena, double, s->np + 1);
    const char *note = zw_table_get_note(t, "set");
    char *text = note ? zw_arena_string(&f->arena, note) : NULL;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s, e->p, err));
    for (int i = 0; i < s->np; i++)
        e->run_parameters[i] = NAN;
    if (zw_table_get_note(t, "zwang")) {
        read_run_parameters(f, t, e);
        return ZW_OK;
    }
    while (text && *text) {
        char *next = text + strcspn(text, ";\n");
        bool more = *next;
        *next = '\0';
        text += strspn(text, " \t");
        if (*text)
            ZW_TRY(read_setting(f, in, e, text, err));
        text = more ? next + 1 : next;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- tables */

static zw_status read_table(zw_fit *f, const source *in, const zw_table *t, zw_fit_experiment *e,
                            column *c, zw_error *err) {
    int at;
    double factor;
    ZW_TRY(time_column(in, t, &at, &factor, f->sys->no_units, err));
    e->name = zw_arena_string(&f->arena, in->name);
    if (!e->name)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(read_settings(f, in, t, e, err));
    return read_rows(f, in, t, c, at, factor, e, err);
}

/* A file or table that is given twice would count as two experiments. */
static zw_status check_duplicates(int n, const zw_fit_data *data, const source *in, zw_error *err) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            bool tables = data[i].table || data[j].table;
            if (tables ? data[i].table != data[j].table : strcmp(in[i].name, in[j].name) != 0)
                continue;
            zw_fail(err, ZW_E_OPTION, "%s is given twice", in[i].name);
            zw_error_hint(err, "each file is a separate experiment; give each file once");
            return ZW_E_OPTION;
        }
    return ZW_OK;
}

static bool is_same(const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)
        if (!(a[i] == b[i]) && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* Noise does not repeat: experiments with the same numbers are copies. */
static void warn_copies(zw_fit *f) {
    for (int i = 0; i < f->E; i++)
        for (int j = 0; j < i; j++) {
            const zw_fit_experiment *a = &f->experiment[j], *b = &f->experiment[i];
            if (a->nrow != b->nrow || !is_same(a->t, b->t, a->nrow) ||
                !is_same(a->y, b->y, a->nrow * f->nq))
                continue;
            char key[80];
            snprintf(key, sizeof key, "fit copies %d %d", j, i);
            zw_warning d = zw_warning_of(key, NAN, "%s and %s have the same times and numbers",
                                         a->name, b->name);
            zw_warning_hint(
                &d, "a copy is not a second experiment: it makes the standard errors too small");
            zw_warnings_add(f->files, &d);
        }
}

/* All columns of all tables come first: then the quantities are known. */
zw_status zw_fit_read_data(zw_fit *f, int n, const zw_fit_data *data, zw_error *err) {
    source *in = ZW_NEW(&f->arena, source, n);
    zw_table **own = ZW_NEW(&f->arena, zw_table *, n);
    column **columns = ZW_NEW(&f->arena, column *, n);
    zw_status status = ZW_OK;
    f->experiment = ZW_NEW(&f->arena, zw_fit_experiment, n);
    f->column_seen = ZW_NEW(&f->arena, bool, f->options.ncolumn + 1);
    f->use_seen = ZW_NEW(&f->arena, bool, f->options.nuse + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    f->E = n;
    for (int i = 0; i < n; i++)
        in[i].name = data[i].name ? data[i].name : "data";
    ZW_TRY(check_duplicates(n, data, in, err));
    for (int i = 0; i < n && status >= 0; i++) {
        const zw_table *t = data[i].table;
        if (!t) {
            status = read_source(f, &in[i], &own[i], err);
            t = own[i];
        }
        int width = t ? zw_table_columns(t) : 0;
        columns[i] = ZW_NEW(&f->arena, column, width + 1);
        if (!columns[i])
            status = zw_out_of_memory(err, NULL);
        for (int j = 0; j < width && status >= 0; j++) {
            columns[i][j].quantity = -1;
            if (strcmp(zw_table_name(t, j), "t") != 0)
                status = read_column(f, &in[i], t, j, &columns[i][j], err);
        }
    }
    if (status >= 0)
        status = check_names(f, err);
    if (status >= 0 && f->nq == 0)
        status =
            zw_fail(err, ZW_E_OPTION, "the data have no column that is a quantity of the model");
    for (int i = 0; i < n && status >= 0; i++)
        status = read_table(f, &in[i], data[i].table ? data[i].table : own[i], &f->experiment[i],
                            columns[i], err);
    if (status >= 0)
        warn_copies(f);
    for (int i = 0; i < n; i++) {
        zw_table_destroy(own[i]);
        if (in[i].has_cells)
            zw_cells_clear(&in[i].cells);
    }
    return status;
}
