/* SPDX-License-Identifier: MIT */
/* The default panels of tables of many motions:
 *
 *     note "map": X Y Z ...      the map of Z over X and Y
 *     basins                     shares over a parameter, with the largest circles below; without
 *                                the note "map", for random starts, dots over the first two columns
 *     sweeps                     notes "axis NAME" name the axes; for one axis the measured columns
 *                                over it, for two a map of the first of them
 *     exponents                  columns lambda_1, lambda_2, ...: all of them over time or a
 *                                parameter, the first one as a map over two
 *     statistics over t          columns mean(x), q05(x), q95(x), ...: the band of the outermost
 *                                quantiles with the mean, a panel for each x */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { NAME = 100, TEXT = sizeof((zw_figure_choice *)0)->panel[0], MEASURES = 3, AXES = 2 };

static char *next_panel(zw_figure_choice *out) {
    return out->panel[out->n++];
}

static bool is_kind(const zw_table *t, const char *kind) {
    const char *said = zw_table_get_note(t, "kind");
    return said && strcmp(said, kind) == 0;
}

static bool choose_map(zw_figure_choice *out, const zw_table *t) {
    char name[3][NAME];
    const char *note = zw_table_get_note(t, "map");
    if (!note || sscanf(note, " %99s %99s %99s", name[0], name[1], name[2]) != 3)
        return false;
    for (int i = 0; i < 3; i++)
        if (zw_table_find(t, name[i]) < 0)
            return false;
    snprintf(next_panel(out), TEXT, "%s:%s,%s", name[2], name[0], name[1]);
    return true;
}

/* ---- basins ---- */

static bool choose_shares(zw_figure_choice *out, const zw_table *t) {
    if (!is_kind(t, "basin") || zw_table_find(t, "share") < 0 || zw_table_find(t, "attractor") != 1)
        return false;
    snprintf(next_panel(out), TEXT, "share:%.99s", zw_table_name(t, 0));
    if (zw_table_find(t, "circle") >= 0)
        snprintf(next_panel(out), TEXT, "circle:%.99s", zw_table_name(t, 0));
    return true;
}

static bool choose_starts(zw_figure_choice *out, const zw_table *t) {
    if (!is_kind(t, "basin") || zw_table_find(t, "attractor") < 2)
        return false;
    snprintf(next_panel(out), TEXT, "attractor:%.99s,%.99s", zw_table_name(t, 0),
             zw_table_name(t, 1));
    return true;
}

/* ---- sweeps ---- */

/* the columns of the axes; returns their number */
static int find_axes(const zw_table *t, int column[AXES]) {
    int n = 0;
    for (int i = 0; i < zw_table_notes(t); i++) {
        char name[NAME + 4];
        const char *key = zw_table_note_key(t, i);
        if (strncmp(key, "axis ", 5) != 0)
            continue;
        snprintf(name, sizeof name, "%.99s", key + 5);
        int found = zw_table_find(t, name);
        if (found < 0) { /* of a start */
            snprintf(name, sizeof name, "%.99s(0)", key + 5);
            found = zw_table_find(t, name);
        }
        if (found < 0)
            continue;
        if (n < AXES)
            column[n] = found;
        n++;
    }
    return n;
}

/* true if the name can be written in the text of a panel; in brackets any character may:
 * share(x,-1,0) */
static bool is_drawable(const char *name) {
    int depth = 0;
    for (; *name; name++) {
        depth += *name == '(' ? 1 : *name == ')' ? -1 : 0;
        if (depth == 0 && strchr("+-;:,*/^ ", *name))
            return false;
    }
    return depth == 0;
}

static bool is_noted(const zw_table *t, int k, const int axis[AXES], int n) {
    static const char *const aside[] = {"sweep", "jump", "t", "point", "end", "period"};
    const char *name = zw_table_name(t, k);
    for (int i = 0; i < n && i < AXES; i++)
        if (axis[i] == k)
            return false;
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++)
        if (strcmp(name, aside[i]) == 0)
            return false;
    return strlen(name) < NAME && is_drawable(name);
}

static bool choose_sweep(zw_figure_choice *out, const zw_table *t) {
    int axis[AXES] = {-1, -1}, n = is_kind(t, "sweep") ? find_axes(t, axis) : 0;
    if (n < 1 || n > AXES)
        return false;
    const char *x = zw_table_name(t, axis[0]), *y = n > 1 ? zw_table_name(t, axis[1]) : "";
    for (int k = 0; k < zw_table_columns(t) && out->n < (n > 1 ? 1 : MEASURES); k++)
        if (is_noted(t, k, axis, n))
            snprintf(next_panel(out), TEXT, "%.99s:%.99s%s%.99s", zw_table_name(t, k), x,
                     n > 1 ? "," : "", y);
    return out->n > 0;
}

/* ---- exponents ---- */

static bool choose_exponents(zw_figure_choice *out, const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    if (!kind || strncmp(kind, "exponents", 9) != 0 || zw_table_find(t, "lambda_1") < 0)
        return false;
    if (strstr(kind, "two") && zw_table_columns(t) > 2) {
        snprintf(next_panel(out), TEXT, "lambda_1:%.99s,%.99s", zw_table_name(t, 0),
                 zw_table_name(t, 1));
        return true;
    }
    char *text = next_panel(out), name[NAME];
    size_t used = 0;
    for (int k = 1; k <= 8; k++) {
        snprintf(name, sizeof name, "lambda_%d", k);
        if (zw_table_find(t, name) >= 0)
            used += (size_t)snprintf(text + used, TEXT - used, "%s%s", k > 1 ? "+" : "", name);
    }
    snprintf(text + used, TEXT - used, ":%.99s", zw_table_name(t, 0));
    return true;
}

/* ---- statistics ---- */

/* the lowest and the highest quantile of x; false if there are not two */
static bool find_quantiles(const zw_table *t, const char *x, const char **low, const char **high) {
    double least = 1, most = 0;
    for (int k = 0; k < zw_table_columns(t); k++) {
        const char *name = zw_table_name(t, k);
        size_t n = name[0] == 'q' ? strspn(name + 1, "0123456789") : 0;
        char digits[24];
        if (n == 0 || n > 9 || strcmp(name + 1 + n, x) != 0)
            continue;
        snprintf(digits, sizeof digits, "0.%.*s", (int)n, name + 1);
        double q = strtod(digits, NULL);
        if (q < least) {
            least = q;
            *low = name;
        }
        if (q > most) {
            most = q;
            *high = name;
        }
    }
    return least < most;
}

static bool choose_bands(zw_figure_choice *out, const zw_table *t) {
    if (zw_table_find(t, "t") != 0)
        return false;
    for (int k = 1; k < zw_table_columns(t) && out->n < MEASURES; k++) {
        const char *name = zw_table_name(t, k), *low, *high;
        if (strncmp(name, "mean(", 5) == 0 && strlen(name) < NAME &&
            find_quantiles(t, name + 4, &low, &high))
            snprintf(next_panel(out), TEXT, "%s+%s..%s:t", name, low, high);
    }
    return out->n > 0;
}

bool zw_figure_choose_many(zw_figure_choice *out, const zw_table *t) {
    return choose_shares(out, t) || choose_map(out, t) || choose_starts(out, t) ||
           choose_sweep(out, t) || choose_exponents(out, t) || choose_bands(out, t);
}
