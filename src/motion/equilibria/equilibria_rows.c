/* SPDX-License-Identifier: MIT */
/* A steady motion over a number, as rows: followed by continuation, linearised at each row. */
#include "zwang/equilibria.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "equilibria.h"
#include "motion/notes.h"
#include "motion/parameter_range.h"

enum { ROWS = 101, SHOWN = 11, NAMES = 4 };
/* of the size of an entry: it changes along the branch; above the error of motions */
#define ENTRY_CHANGES ZW_ROUNDOFF_SOLVED
#define ENTRY_ROUNDOFF ZW_ROUNDOFF_VALUE /* of the size of an entry: printed as zero */

struct zw_branch {
    zw_arena arena;
    const zw_system *sys;
    zw_branch_options options;
    zw_equilibria_options motion;
    zw_parameter_range over;
    zw_equilibria *e;
    zw_steady_way path; /* the steady motion as a function of the number */
    int n, ns;          /* rows, rates */
    double *value;      /* n */
    double *x;          /* n x nx */
    double *c;          /* n x ns */
    double *lambda;     /* n x nc */
    int *growing;       /* n; -1: unknown */
    int *zeros;         /* n: eigenvalues that are zero; -1: unknown */
    bool *stable;       /* n */
};

void zw_branch_options_init(zw_branch_options *options, size_t size) {
    const zw_branch_options all = {.size = size, .rows = ROWS};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ----------------------------------------------------------------------------------------- rows */

static zw_status allocate_rows(zw_branch *b, int n, zw_error *err) {
    int nx = b->e->kernel->nx, nc = b->e->eq.nc;
    b->value = ZW_NEW(&b->arena, double, n);
    b->x = ZW_NEW(&b->arena, double, n *nx + 1);
    b->c = ZW_NEW(&b->arena, double, n * b->ns + 1);
    b->lambda = ZW_NEW(&b->arena, double, n *nc + 1);
    b->growing = ZW_NEW(&b->arena, int, n);
    b->stable = ZW_NEW(&b->arena, bool, n);
    b->zeros = ZW_NEW(&b->arena, int, n);
    return zw_arena_status(&b->arena, err);
}

/* Append the motion at a value as a row. */
static zw_status add_row(zw_branch *b, double value, zw_error *err) {
    zw_equilibria *e = b->e;
    int nx = e->kernel->nx, nc = e->eq.nc, i = b->n;
    zw_linearisation linear = {0};
    zw_error trouble = {0};
    ZW_TRY(zw_follow_to(b->path.follow, value, err));
    const zw_steady *m = zw_follow_motion(b->path.follow);
    const zw_symmetries *s = zw_follow_symmetries(b->path.follow);
    b->value[i] = value;
    memcpy(b->x + (size_t)(i * nx), m->x, sizeof(double) * (size_t)nx);
    memcpy(b->lambda + (size_t)(i * nc), m->z + e->eq.nv, sizeof(double) * (size_t)nc);
    for (int k = 0; k < b->ns; k++)
        b->c[i * b->ns + k] = k < s->n ? m->c[k] : NAN;
    zw_status status = zw_linearise(&linear, e->flow, s, m, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    b->growing[i] = b->zeros[i] = -1;
    if (status >= 0)
        b->zeros[i] = linear.nzero;
    if (status >= 0)
        b->stable[i] = zw_linearisation_judge(&linear, true, &b->growing[i]) == ZW_STABLE;
    zw_linearisation_clear(&linear);
    b->n++;
    return ZW_OK;
}

/* Zeros that all rows have are families and conserved quantities. A row with a further one is a
 * special point, at which linear terms do not decide: it is not stable. */
static void clear_special(zw_branch *b) {
    int least = -1;
    for (int i = 0; i < b->n; i++)
        if (b->zeros[i] >= 0 && (least < 0 || b->zeros[i] < least))
            least = b->zeros[i];
    for (int i = 0; i < b->n; i++)
        if (b->zeros[i] > least && b->growing[i] == 0)
            b->stable[i] = false;
}

/* Rows at even distances over the part of the range that was reached, in the given direction. */
static zw_status add_rows(zw_branch *b, zw_error *err) {
    int n = b->over.rows ? b->over.rows : b->options.rows;
    bool down = b->over.to < b->over.from;
    double from = down ? b->path.high : b->path.low, to = down ? b->path.low : b->path.high;
    n = n < 2 ? 2 : n;
    b->ns = zw_follow_symmetries(b->path.follow)->n;
    ZW_TRY(allocate_rows(b, n, err));
    for (int i = 0; i < n; i++)
        ZW_TRY(add_row(b, i == n - 1 ? to : from + (to - from) * i / (n - 1), err));
    clear_special(b);
    return ZW_OK;
}

static zw_status build_branch(zw_branch *b, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(&b->over, b->sys, b->options.over, err));
    ZW_TRY(zw_parameter_range_hold(&b->over, &b->motion, &b->arena, err));
    ZW_TRY(zw_equilibria_create(&b->e, b->sys, &b->motion, err));
    ZW_TRY(zw_parameter_range_begin(&b->path, &b->over, b->e, err));
    ZW_TRY(zw_parameter_range_refuse_freedom(&b->path, err));
    return add_rows(b, err);
}

zw_status zw_branch_create(zw_branch **out, const zw_system *sys, const zw_branch_options *options,
                           zw_error *err) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_branch *b = zw_allocate(&alloc, sizeof *b);
    *out = NULL;
    if (!b)
        return zw_out_of_memory(err, NULL);
    *b = (zw_branch){.sys = sys,
                     .options = zw_branch_options_default(),
                     .motion = zw_equilibria_options_default()};
    zw_arena_init(&b->arena, &alloc);
    zw_status status =
        zw_options_adopt(&b->options, sizeof b->options, options, "zw_branch_options", err);
    if (status >= 0 && b->options.motion)
        status = zw_options_adopt(&b->motion, sizeof b->motion, b->options.motion,
                                  "zw_equilibria_options", err);
    if (status >= 0)
        status = build_branch(b, err);
    if (status < 0)
        zw_branch_destroy(b);
    else
        *out = b;
    return status;
}

void zw_branch_destroy(zw_branch *b) {
    if (!b)
        return;
    zw_allocator alloc = b->arena.alloc;
    zw_parameter_range_end(&b->path);
    zw_equilibria_destroy(b->e);
    zw_arena_clear(&b->arena);
    zw_release(&alloc, b, sizeof *b);
}

const zw_steady_way *zw_branch_way(const zw_branch *b) {
    return &b->path;
}

const zw_equilibria *zw_branch_equilibria(const zw_branch *b) {
    return b->e;
}

int zw_branch_rows(const zw_branch *b) {
    return b->n;
}

double zw_branch_value(const zw_branch *b, int i) {
    return b->value[i];
}

const double *zw_branch_state(const zw_branch *b, int i) {
    return b->x + (size_t)i * (size_t)b->e->kernel->nx;
}

int zw_branch_growing(const zw_branch *b, int i) {
    return b->growing[i];
}

/* ----------------------------------------------------------------------------------------- text */

/* The change of an entry of the state along the branch, in its size. */
static double change_of(const zw_branch *b, int entry) {
    int nx = b->e->kernel->nx;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < b->n; i++) {
        low = fmin(low, b->x[i * nx + entry]);
        high = fmax(high, b->x[i * nx + entry]);
    }
    return (high - low) / b->e->scale[entry];
}

/* The first entries that change, without the one that is followed; returns their number. */
static int choose_entries(const zw_branch *b, int *entry) {
    int n = 0;
    for (int i = 0; i < b->e->kernel->nx && n < NAMES; i++) {
        const char *unit;
        if (strcmp(zw_equilibria_entry(b->e, i, &unit), b->over.name) != 0 &&
            !zw_system_is_past(b->e->sys, i) && change_of(b, i) > ENTRY_CHANGES)
            entry[n++] = i;
    }
    return n;
}

static void put_heading(zw_text *out, const zw_branch *b, int n, const int *entry) {
    char name[ZW_PARAMETER_RANGE_NAME + ZW_PARAMETER_RANGE_UNIT + 8];
    snprintf(name, sizeof name, "%s%s%s%s", b->over.name, b->over.unit[0] ? " [" : "", b->over.unit,
             b->over.unit[0] ? "]" : "");
    zw_text_printf(out, "  %16s", name);
    for (int k = 0; k < n; k++) {
        const char *unit, *of = zw_equilibria_entry(b->e, entry[k], &unit);
        snprintf(name, sizeof name, "%s%s%s%s", of, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
        zw_text_printf(out, " %18s", name);
    }
    zw_text_put(out, "\n");
}

static void put_row(zw_text *out, const zw_branch *b, int i, int n, const int *entry) {
    int nx = b->e->kernel->nx;
    zw_text_printf(out, "  %16.8g", b->value[i] / b->over.factor);
    for (int k = 0; k < n; k++) {
        double x = b->x[i * nx + entry[k]];
        zw_text_printf(out, " %18.10g", fabs(x) < ENTRY_ROUNDOFF * b->e->scale[entry[k]] ? 0 : x);
    }
    if (b->growing[i] < 0)
        zw_text_put(out, "  no linear equations\n");
    else if (b->growing[i] > 0)
        zw_text_printf(out, "  unstable, %d grow%s\n", b->growing[i], b->growing[i] > 1 ? "" : "s");
    else
        zw_text_put(out, b->stable[i] ? "  stable\n" : "  nothing grows\n");
}

static void put_changes(zw_text *out, const zw_branch *b) {
    bool any = false;
    for (int i = 1; i < b->n; i++)
        if (b->growing[i] != b->growing[i - 1] && b->growing[i] >= 0 && b->growing[i - 1] >= 0) {
            zw_text_printf(out, "  between %.8g and %.8g%s%s %d instead of %d grow%s\n",
                           b->value[i - 1] / b->over.factor, b->value[i] / b->over.factor,
                           b->over.unit[0] ? " " : "", b->over.unit, b->growing[i],
                           b->growing[i - 1], b->growing[i - 1] == 1 ? "s" : "");
            any = true;
        }
    if (any)
        zw_text_printf(out, "  where exactly, zwang linearise --over %s=... tells\n", b->over.name);
}

char *zw_branch_text(const zw_branch *b) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(b->sys->ctx);
    int entry[NAMES], n = choose_entries(b, entry), shown = b->n < SHOWN ? b->n : SHOWN;
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: a steady motion over %s\n", b->sys->name, b->over.name);
    put_heading(&out, b, n, entry);
    for (int k = 0; k < shown; k++)
        put_row(&out, b, shown > 1 ? k * (b->n - 1) / (shown - 1) : 0, n, entry);
    put_changes(&out, b);
    for (int k = 0; k < 2; k++)
        if (b->path.stop[k].end != ZW_FOLLOW_GOES_ON)
            zw_text_printf(&out, "  it ends at %.8g%s%s: %s\n",
                           b->path.stop[k].value / b->over.factor, b->over.unit[0] ? " " : "",
                           b->over.unit, b->path.stop[k].why);
    return zw_text_take(&out);
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status make_columns(const zw_branch *b, zw_table *t) {
    const zw_equilibria *e = b->e;
    char name[420];
    ZW_TRY(zw_table_column(t, b->over.name, b->over.unit));
    for (int i = 0; i < e->kernel->nx; i++) {
        const char *unit, *entry = zw_equilibria_entry(e, i, &unit);
        if (strcmp(entry, b->over.name) != 0)
            ZW_TRY(zw_table_column(t, entry, unit));
    }
    for (int i = 0; i < b->ns; i++) {
        char unit[64], symmetry[400];
        zw_equilibria_symmetry_name(e, i, symmetry, sizeof symmetry);
        zw_equilibria_rate_unit(e, i, unit, sizeof unit);
        snprintf(name, sizeof name, "rate(%s)", symmetry);
        ZW_TRY(zw_table_column(t, name, unit));
    }
    for (int i = 0; i < e->eq.nc; i++) {
        const zw_constraint *k = &e->sys->constraint[e->eq.constraint[i]];
        snprintf(name, sizeof name, "lambda(%s)", k->name);
        ZW_TRY(zw_table_column(t, name, k->lambda_unit));
    }
    ZW_TRY(zw_table_column(t, "growing", ""));
    return zw_table_column(t, "stable", "");
}

static zw_status fill_row(const zw_branch *b, zw_table *t, int i, double *row) {
    const zw_equilibria *e = b->e;
    int n = 0, nx = e->kernel->nx;
    row[n++] = b->value[i] / b->over.factor;
    for (int k = 0; k < nx; k++) {
        const char *unit;
        double x = b->x[i * nx + k];
        if (strcmp(zw_equilibria_entry(e, k, &unit), b->over.name) != 0)
            row[n++] = fabs(x) < ENTRY_ROUNDOFF * e->scale[k] ? 0 : x;
    }
    for (int k = 0; k < b->ns; k++)
        row[n++] = b->c[i * b->ns + k];
    for (int k = 0; k < e->eq.nc; k++)
        row[n++] = b->lambda[i * e->eq.nc + k];
    row[n++] = b->growing[i] < 0 ? (double)NAN : b->growing[i];
    row[n++] = b->growing[i] > 0 ? 0 : b->stable[i] ? 1 : (double)NAN;
    return zw_table_row(t, row);
}

static zw_status fill_table(const zw_branch *b, zw_table *t, const zw_model_source *source) {
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    double *row = ZW_NEW((zw_arena *)&b->arena, double, b->e->kernel->nx + b->ns + b->e->eq.nc + 4);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(make_columns(b, t));
    for (int i = 0; i < b->n; i++)
        ZW_TRY(fill_row(b, t, i, row));
    ZW_TRY(zw_study_notes(t, b->e, source, "steady motions"));
    snprintf(key, sizeof key, "%s %s", b->over.parameter < 0 ? "hold" : "param", b->over.name);
    zw_table_remove_note(t, key); /* it has no single value */
    return ZW_OK;
}

zw_status zw_branch_table(const zw_branch *b, const zw_model_source *source, zw_table **out,
                          zw_error *err) {
    zw_allocator alloc = zw_context_allocator(b->sys->ctx);
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_table(b, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of steady motions could not be made");
}
