/* SPDX-License-Identifier: MIT */
/* A steady motion over a number, as rows: followed by continuation, linearised at each row. */
#include "zwang/equilibria.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "equilibria.h"
#include "motion/motion_report.h"
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
    bool stopped;       /* before the last row */
};

void zw_branch_options_init(zw_branch_options *options, size_t size) {
    const zw_branch_options all = {.size = size, .rows = ROWS};
    zw_options_begin(options, size, &all, sizeof all);
}

static bool check_stop(void *user, double done) {
    zw_branch *b = user;
    b->stopped = b->stopped || (b->options.stop && b->options.stop(b->options.stop_user, done));
    return b->stopped;
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
    for (int i = 0; i == 0 || (i < n && !check_stop(b, (double)i / n)); i++)
        ZW_TRY(add_row(b, i == n - 1 ? to : from + (to - from) * i / (n - 1), err));
    clear_special(b);
    return ZW_OK;
}

static zw_status build_branch(zw_branch *b, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(&b->over, b->sys, b->options.over, err));
    b->over.stop = check_stop;
    b->over.stop_user = b;
    ZW_TRY(zw_parameter_range_hold(&b->over, &b->motion, &b->arena, err));
    ZW_TRY(zw_equilibria_create(&b->e, b->sys, &b->motion, err));
    ZW_TRY(zw_parameter_range_begin(&b->path, &b->over, b->e, err));
    b->over.stop = NULL; /* what was reached has rows */
    ZW_TRY(zw_parameter_range_refuse_freedom(&b->path, err));
    return add_rows(b, err);
}

zw_status zw_branch_create(zw_branch **out, const zw_system *sys, const zw_branch_options *options,
                           zw_error *err) {
    assert(out && sys);
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

int zw_branch_rows(const zw_branch *b) {
    return b->n;
}

bool zw_branch_stopped(const zw_branch *b) {
    return b->stopped;
}

double zw_branch_value(const zw_branch *b, int i) {
    assert(i >= 0 && i < zw_branch_rows(b));
    return b->value[i];
}

const double *zw_branch_state(const zw_branch *b, int i) {
    return b->x + (size_t)i * (size_t)b->e->kernel->nx;
}

int zw_branch_growing(const zw_branch *b, int i) {
    assert(i >= 0 && i < zw_branch_rows(b));
    return b->growing[i];
}

/* --------------------------------------------------------------------------------------- report */

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

static zw_shown over_shown(const zw_branch *b) {
    zw_shown how = zw_motion_shown(b->sys, &b->over, 0);
    how.digits = 8;
    return how;
}

/* "phi [rad]" */
static void put_column(zw_text *line, int width, const char *name, const char *unit) {
    char text[200];
    snprintf(text, sizeof text, "%s%s%s%s", name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
    zw_text_printf(line, " %*s", width, text);
}

/* The head of the rows that are shown. */
static void report_heading(const zw_branch *b, int n, const int *entry, zw_report *r) {
    zw_text line;
    zw_allocator alloc = zw_context_allocator(b->sys->ctx);
    zw_text_init(&line, &alloc);
    put_column(&line, 17, b->over.name, b->over.unit);
    for (int k = 0; k < n; k++) {
        const char *unit, *name = zw_equilibria_entry(b->e, entry[k], &unit);
        put_column(&line, 18, name, unit);
    }
    if (line.failed)
        zw_report_fail(r);
    zw_report_word(r, "columns", zw_text_get(&line));
    zw_text_clear(&line);
    zw_report_say(r, "{columns}\n");
}

static const char *row_stability(const zw_branch *b, int i) {
    return b->growing[i] < 0   ? "no linear equations"
           : b->growing[i] > 0 ? "unstable"
           : b->stable[i]      ? "stable"
                               : "neutrally stable";
}

static void report_row(const zw_branch *b, int i, int n, const int *entry, zw_report *r) {
    zw_shown how = over_shown(b);
    int nx = b->e->kernel->nx;
    double *x = ZW_NEW((zw_arena *)&b->arena, double, nx + 1), shown[NAMES] = {0};
    if (!x) {
        zw_report_fail(r);
        return;
    }
    for (int k = 0; k < nx; k++)
        x[k] = fabs(b->x[i * nx + k]) < ENTRY_ROUNDOFF * b->e->scale[k] ? 0 : b->x[i * nx + k];
    for (int k = 0; k < n; k++)
        shown[k] = x[entry[k]];
    how.unit = ""; /* it stands in the heading */
    zw_report_open(r, NULL);
    zw_report_number(r, "value", b->value[i], &how);
    zw_report_vector(r, "state", nx, x, NULL, NULL);
    zw_report_vector(r, "shown", n, shown, NULL, NULL);
    zw_report_vector(r, "rates", b->ns, b->c + (size_t)i * (size_t)b->ns, NULL, NULL);
    zw_report_vector(r, "multipliers", b->e->eq.nc, b->lambda + (size_t)(i * b->e->eq.nc), NULL,
                     NULL);
    zw_report_word(r, "stability", row_stability(b, i));
    if (b->growing[i] >= 0)
        zw_report_count(r, "growing", b->growing[i]);
    zw_report_say(r, " {value:17}{shown* {.:18}}  {stability}");
    zw_report_say(r, b->growing[i] > 0 ? ", {growing} {growing#grows|grow}\n" : "\n");
    zw_report_close(r);
}

/* All rows; sentences show some of them. */
static void report_rows(const zw_branch *b, zw_report *r) {
    int entry[NAMES], n = choose_entries(b, entry), shown = b->n < SHOWN ? b->n : SHOWN, next = 0;
    const char *unit, **name = ZW_NEW((zw_arena *)&b->arena, const char *, b->e->kernel->nx + 1);
    if (!name) {
        zw_report_fail(r);
        return;
    }
    for (int k = 0; k < b->e->kernel->nx; k++)
        name[k] = zw_equilibria_entry(b->e, k, &unit);
    zw_report_words(r, "state_names", b->e->kernel->nx, name);
    report_heading(b, n, entry, r);
    zw_report_list(r, "rows");
    for (int i = 0; i < b->n; i++) {
        bool show = shown < 2 || i == next * (b->n - 1) / (shown - 1);
        next += show;
        zw_report_mute(r, !show);
        report_row(b, i, n, entry, r);
    }
    zw_report_mute(r, false);
    zw_report_close(r);
}

static void report_changes(const zw_branch *b, zw_report *r) {
    zw_shown how = over_shown(b), plain = how;
    bool any = false;
    plain.unit = "";
    zw_report_list(r, "changes");
    for (int i = 1; i < b->n; i++) {
        if (b->growing[i] == b->growing[i - 1] || b->growing[i] < 0 || b->growing[i - 1] < 0)
            continue;
        zw_report_open(r, NULL);
        zw_report_number(r, "from", b->value[i - 1], &plain);
        zw_report_number(r, "to", b->value[i], &how);
        zw_report_count(r, "growing_before", b->growing[i - 1]);
        zw_report_count(r, "growing_after", b->growing[i]);
        zw_report_say(r, "  between {from} and {to} the number of growing eigenvalues changes from "
                         "{growing_before} to {growing_after}\n");
        zw_report_close(r);
        any = true;
    }
    zw_report_close(r);
    if (any)
        zw_report_say(r, "  zwang linearise --over {over}=... locates these changes\n");
}

static void report_ends(const zw_branch *b, zw_report *r) {
    zw_shown how = over_shown(b);
    zw_report_list(r, "ends");
    for (int k = 0; k < 2; k++) {
        const zw_parameter_range_stop *stop = &b->path.stop[k];
        if (stop->end == ZW_FOLLOW_GOES_ON)
            continue;
        zw_report_open(r, NULL);
        zw_report_number(r, "value", stop->value, &how);
        zw_report_word(r, "reason", stop->why);
        zw_report_say(r, "  it ends at {value}: {reason}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

void zw_branch_report(const zw_branch *b, zw_report *out) {
    zw_report_word(out, "over", b->over.name);
    zw_report_say(out, "{model}: a branch of equilibria or relative equilibria over {over}\n");
    report_rows(b, out);
    report_changes(b, out);
    report_ends(b, out);
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status make_columns(const zw_branch *b, zw_table *t) {
    ZW_TRY(zw_table_column(t, b->over.name, b->over.unit));
    ZW_TRY(zw_equilibria_columns(b->e, t, b->ns, b->over.name));
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
    assert(out);
    zw_allocator alloc = zw_context_allocator(b->sys->ctx);
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_table(b, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of steady motions could not be made");
}
