/* SPDX-License-Identifier: MIT */
/* The default panels: where the system is, over time. Positions come first (not rates, multipliers,
 * energies, nor the components of quaternions); quantities that never change, up to the round-off
 * of others with the same unit, are omitted. Each unit has its own panel, so that angles and
 * lengths do not share a scale; within one unit, curves that would be flat next to the others have
 * their own panel: those lower than 1/FLAT_RATIO of their panel. Results of other kinds than
 * motions have their own panels (kind.c). */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { FLAT_RATIO = 20, CURVES_MAX = 4, COLUMNS_MAX = 256 };
#define CONSTANT_RANGE 1e-6  /* relative to the size: a smaller change is invisible */
#define RANGE_ROUNDOFF 1e-12 /* relative to the largest value with that unit: round-off */

typedef struct panel {
    char unit[64];
    int n;
    double low, high; /* of all curves */
    double least;     /* the smallest range of a changing curve */
} panel;

typedef struct choice {
    const zw_figure_run *run;
    int nrun;
    zw_figure_choice *out;
    panel panel[ZW_FIGURE_CHOICE];
} choice;

/* ---- which columns ---- */

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_energy(const char *name) {
    return strcmp(name, "kinetic") == 0 || strcmp(name, "potential") == 0 ||
           strcmp(name, "energy") == 0 || strcmp(name, "drift") == 0;
}

static bool is_quaternion(const char *name) {
    return ends_with(name, ".p0") || ends_with(name, ".p1") || ends_with(name, ".p2") ||
           ends_with(name, ".p3");
}

static bool is_rate(const char *name, const char *unit) {
    return strchr(name, '\'') || ends_with(name, ".wx") || ends_with(name, ".wy") ||
           ends_with(name, ".wz") || ends_with(unit, "/s") || ends_with(unit, "/s^2");
}

/* true if the name can be written in the text of a panel, and is in all runs */
static bool is_drawable(const choice *c, const char *name) {
    if (!name[0] || strlen(name) > 100 || name[strcspn(name, "+-;:,*/^ ")])
        return false;
    for (int i = 0; i < c->nrun; i++)
        if (zw_table_find(c->run[i].table, name) < 0)
            return false;
    return true;
}

/* the column that dashes depend on (zw_figure_options.solid), numbers of curves, and counts that
 * increase along them */
static bool is_flag(const choice *c, const char *name) {
    bool flag =
        strcmp(name, "stable") == 0 || strcmp(name, "curve") == 0 || strcmp(name, "growing") == 0;
    return flag && zw_table_get_note(c->run[0].table, "kind");
}

/* the rank of a column in the choice; -1: never */
static int rank_of(const choice *c, const char *name, const char *unit, const char *x) {
    if (strcmp(name, x) == 0 || strcmp(name, "t") == 0 || strcmp(name, "event") == 0 ||
        !is_drawable(c, name) || is_flag(c, name))
        return -1;
    bool later = is_energy(name) || is_quaternion(name) || strchr(name, '(');
    return later ? 2 : is_rate(name, unit) ? 1 : 0;
}

/* ---- ranges ---- */

static zw_span range_of(const choice *c, const char *name) {
    zw_span s = {INFINITY, -INFINITY};
    for (int i = 0; i < c->nrun; i++) {
        const zw_table *t = c->run[i].table;
        int column = zw_table_find(t, name);
        for (long row = 0; row < zw_table_rows(t); row++) {
            double v = zw_table_at(t, row, column);
            if (isfinite(v)) {
                s.low = fmin(s.low, v);
                s.high = fmax(s.high, v);
            }
        }
    }
    return s;
}

static bool is_constant(zw_span s) {
    return !(s.high - s.low > CONSTANT_RANGE * fmax(fabs(s.low), fabs(s.high)));
}

/* the largest value of all columns of a unit */
static double size_of(const choice *c, const char *unit) {
    const zw_table *t = c->run[0].table;
    double most = 0;
    for (int i = 0; i < zw_table_columns(t) && i < COLUMNS_MAX; i++)
        if (strcmp(zw_table_unit(t, i), unit) == 0 && is_drawable(c, zw_table_name(t, i))) {
            zw_span s = range_of(c, zw_table_name(t, i));
            most = s.low <= s.high ? fmax(most, fmax(fabs(s.low), fabs(s.high))) : most;
        }
    return most;
}

static bool is_moving(const choice *c, const char *name, const char *unit) {
    zw_span s = range_of(c, name);
    return !is_constant(s) && s.high - s.low > RANGE_ROUNDOFF * size_of(c, unit);
}

static bool is_fitting(const panel *p, const char *unit, zw_span s) {
    double whole = fmax(p->high, s.high) - fmin(p->low, s.low);
    if (strcmp(p->unit, unit) != 0 || p->n == CURVES_MAX)
        return false;
    return !(whole > 0) || ((is_constant(s) || (s.high - s.low) * FLAT_RATIO >= whole) &&
                            p->least * FLAT_RATIO >= whole);
}

/* ---- the texts ---- */

static void add_curve(choice *c, const char *name, const char *unit, const char *x) {
    zw_span s = range_of(c, name);
    int i = 0;
    while (i < c->out->n && !is_fitting(&c->panel[i], unit, s))
        i++;
    if (i == ZW_FIGURE_CHOICE || strlen(unit) >= sizeof c->panel[i].unit)
        return;
    panel *p = &c->panel[i];
    char *text = c->out->panel[i];
    if (i == c->out->n) {
        *p = (panel){.low = INFINITY, .high = -INFINITY, .least = INFINITY};
        snprintf(p->unit, sizeof p->unit, "%s", unit);
        snprintf(text, sizeof c->out->panel[i], ":%.100s", x);
        c->out->n++;
    }
    /* before ":x" */
    size_t used = strlen(text) - strlen(strrchr(text, ':'));
    snprintf(text + used, sizeof c->out->panel[i] - used, "%s%s:%.100s", p->n ? "+" : "", name, x);
    p->n++;
    p->low = fmin(p->low, s.low);
    p->high = fmax(p->high, s.high);
    if (!is_constant(s))
        p->least = fmin(p->least, s.high - s.low);
}

static void add_columns(choice *c, int rank, bool moving, const char *x) {
    const zw_table *t = c->run[0].table;
    for (int i = 0; i < zw_table_columns(t) && i < COLUMNS_MAX; i++) {
        const char *name = zw_table_name(t, i), *unit = zw_table_unit(t, i);
        if (rank_of(c, name, unit, x) == rank &&
            (!moving || zw_table_rows(t) == 0 || is_moving(c, name, unit)))
            add_curve(c, name, unit, x);
    }
}

/* the text with the first four columns in place of *, #, @ and ~ */
static void write_panel(char *out, const char *text, const zw_table *t) {
    size_t room = sizeof((zw_figure_choice *)0)->panel[0], used = 0;
    out[0] = '\0';
    for (; *text && used < room; text++) {
        char plain[2] = {*text, '\0'};
        static const char columns[] = "*#@~";
        const char *at = strchr(columns, *text);
        int column = at ? (int)(at - columns) : INT_MAX;
        const char *piece = column < zw_table_columns(t) ? zw_table_name(t, column) : plain;
        used += (size_t)snprintf(out + used, room - used, "%s", piece);
    }
}

/* Eigenvalues far on the left have their own panel, so that the others are visible; those that are
 * always zero are represented by the line there. */
static bool split_series(zw_figure_choice *out, int nrun, const zw_figure_run *run) {
    enum { LIST = 250, PANEL = sizeof out->panel[0] };
    const zw_table *t = run[0].table;
    const char *x = zw_table_name(t, 0);
    char slow[LIST], fast[LIST];
    bool oscillate;
    /* the tracks of the first run are used for all */
    for (int i = 1; i < nrun; i++)
        for (int k = 0; k < zw_table_columns(run[i].table); k++)
            if (zw_table_find(t, zw_table_name(run[i].table, k)) < 0)
                return false;
    if (!zw_figure_part_tracks(t, slow, fast, LIST, &oscillate) || !slow[0] ||
        strlen(slow) + 10 > LIST || strlen(fast) + 10 > LIST)
        return false;
    snprintf(out->panel[out->n++], PANEL, "re(%s):%.100s", slow, x);
    snprintf(out->panel[out->n++], PANEL, "im(%s):%.100s", slow, x);
    if (fast[0])
        snprintf(out->panel[out->n++], PANEL, "re(%s):%.100s", fast, x);
    if (oscillate)
        snprintf(out->panel[out->n++], PANEL, "im(%s):%.100s", fast, x);
    snprintf(out->panel[out->n++], PANEL, "re(%s),im(%s)", slow, slow);
    return true;
}

/* For a branch of orbits: the extremes of its first quantities, as far as they have one unit, and
 * the period. Rates are visible in the orbits. */
static bool choose_orbits(zw_figure_choice *out, const zw_table *t, int most) {
    enum { PANEL = sizeof out->panel[0] };
    const char *x = zw_table_name(t, 0), *unit = NULL;
    char *text = out->panel[0];
    size_t used = 0;
    int n = 0;
    if (zw_table_find(t, "period") < 0)
        return false;
    for (int k = 0; k < zw_table_columns(t) && n < most; k++) {
        const char *name = zw_table_name(t, k);
        char low[200];
        if (strncmp(name, "max(", 4) != 0 || strchr(name, '\'') || strlen(name) >= sizeof low ||
            (unit && strcmp(unit, zw_table_unit(t, k)) != 0))
            continue;
        snprintf(low, sizeof low, "min(%s", name + 4);
        if (zw_table_find(t, low) < 0 || used + 2 * strlen(name) + 120 > PANEL)
            continue;
        used += (size_t)snprintf(text + used, PANEL - used, "%s%s+%s", n ? "+" : "", name, low);
        unit = zw_table_unit(t, k);
        n++;
    }
    if (n == 0)
        return false;
    snprintf(text + used, PANEL - used, ":%.100s", x);
    snprintf(out->panel[1], PANEL, "period:%.100s", x);
    out->n = 2;
    return true;
}

/* from several tables only maps, if all have the same */
static bool choose_many(zw_figure_choice *out, int nrun, const zw_figure_run *run) {
    bool chosen = zw_figure_choose_many(out, run[0].table);
    for (int i = 1; i < nrun && chosen; i++) {
        zw_figure_choice *other = malloc(sizeof *other);
        if (other)
            other->n = 0;
        chosen = other && out->n == 1 && strchr(out->panel[0], ',') &&
                 zw_figure_choose_many(other, run[i].table) &&
                 strcmp(other->panel[0], out->panel[0]) == 0;
        free(other);
    }
    if (!chosen)
        out->n = 0;
    return chosen;
}

/* a table that is marked as a surface is shown in space: its first two columns, and the third
 * upwards */
static bool choose_mesh(const choice *c) {
    const zw_table *t = c->run[0].table;
    if (!zw_figure_drawn_style(t).mesh || zw_table_columns(t) < 3)
        return false;
    for (int i = 0; i < 3; i++)
        if (!is_drawable(c, zw_table_name(t, i)))
            return false;
    snprintf(c->out->panel[c->out->n++], sizeof c->out->panel[0], "%s,%s,%s", zw_table_name(t, 0),
             zw_table_name(t, 1), zw_table_name(t, 2));
    return true;
}

/* a panel that the table suggests in its notes */
static bool choose_noted(zw_figure_choice *out, const zw_table *t) {
    const char *noted = zw_table_get_note(t, "panel");
    if (!noted)
        return false;
    snprintf(out->panel[out->n++], sizeof out->panel[0], "%s", noted);
    return true;
}

void zw_figure_choose(zw_figure_choice *out, int nrun, const zw_figure_run *run) {
    choice c = {.run = run, .nrun = nrun, .out = out};
    *out = (zw_figure_choice){0};
    if (nrun < 1 || zw_table_columns(run[0].table) == 0)
        return;
    const char *x = zw_table_name(run[0].table, 0);
    if (zw_table_find(run[0].table, "t") >= 0)
        x = "t";
    if (!is_drawable(&c, x))
        return;
    if (nrun == 1 && (choose_noted(out, run[0].table) || zw_figure_choose_fit(out, run[0].table)))
        return;
    if (choose_many(out, nrun, run) || choose_mesh(&c))
        return;
    const zw_figure_kind *kind = zw_figure_kind_of(nrun, run);
    bool parted = kind && kind->series && split_series(out, nrun, run);
    for (int i = 0; kind && kind->orbits && !parted && i < nrun; i++)
        parted = choose_orbits(out, run[i].table, nrun > 1 ? 1 : 3);
    for (int i = 0; kind && !parted && i < 4 && kind->panel[i]; i++)
        write_panel(out->panel[out->n++], kind->panel[i], run[0].table);
    for (int moving = 1; moving >= 0; moving--)
        for (int rank = 0; rank <= 2 && out->n == 0; rank++)
            add_columns(&c, rank, moving, x);
}
