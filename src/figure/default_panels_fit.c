/* SPDX-License-Identifier: MIT */
/* The default panels of a fit: a panel for each measured quantity, x as a line and data(x) as
 * circles; below them the residuals, which should look like noise. The legend distinguishes them,
 * so axes have the names of the measured quantities. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum { NAME = 100, TEXT = sizeof((zw_figure_choice *)0)->panel[0], RESIDUALS = 4 };

bool zw_figure_is_measured(const char *quantity) {
    return strncmp(quantity, "data(", 5) == 0;
}

static bool is_fit(const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    return kind && strcmp(kind, "fit") == 0;
}

bool zw_figure_is_at_data(const zw_table *t, const char *quantity) {
    return is_fit(t) && (zw_figure_is_measured(quantity) || strncmp(quantity, "low(", 4) == 0 ||
                         strncmp(quantity, "residual(", 9) == 0);
}

/* x of data(x), if x is a column, too */
static bool is_measured(const zw_table *t, int column, char x[NAME]) {
    const char *name = zw_table_name(t, column);
    size_t n = strlen(name);
    if (!zw_figure_is_measured(name) || n < 7 || n > NAME)
        return false;
    snprintf(x, NAME, "%.*s", (int)(n - 6), name + 5);
    return zw_table_find(t, x) >= 0 && !x[strcspn(x, "+-;:,*/^ ")];
}

bool zw_figure_choose_fit(zw_figure_choice *out, const zw_table *t) {
    char x[NAME], residuals[TEXT];
    size_t used = 0;
    int n = 0;
    if (!is_fit(t) || zw_table_find(t, "t") < 0)
        return false;
    for (int i = 0; i < zw_table_columns(t); i++) {
        if (!is_measured(t, i, x))
            continue;
        char low[NAME + 8];
        snprintf(low, sizeof low, "low(%s)", x);
        bool bars = zw_table_find(t, low) >= 0; /* of one standard deviation */
        if (out->n < ZW_FIGURE_CHOICE - 1)
            snprintf(out->panel[out->n++], TEXT, "%s+data(%s)%s%s%s%s%s:t", x, x,
                     bars ? "+low(" : "", bars ? x : "", bars ? ")..high(" : "", bars ? x : "",
                     bars ? ")" : "");
        if (n < RESIDUALS)
            used +=
                (size_t)snprintf(residuals + used, TEXT - used, "%sresidual(%s)", n ? "+" : "", x);
        n++;
    }
    if (n)
        snprintf(out->panel[out->n++], TEXT, "%.600s:t", residuals);
    return n > 0;
}

/* x of "data(x)", "low(x)" or x itself */
static void quantity_of(const char *name, char x[NAME]) {
    static const char *const word[] = {"data(", "low(", "high("};
    size_t n = strlen(name);
    snprintf(x, NAME, "%s", name);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        size_t m = strlen(word[i]);
        if (strncmp(name, word[i], m) == 0 && n > m + 1)
            snprintf(x, NAME, "%.*s", (int)(n - m - 1), name + m);
    }
}

static bool same_units(const zw_panel *p) {
    const char *unit = zw_table_unit(p->curve[0].table, p->curve[0].y);
    for (int k = 1; k < p->n; k++)
        if (strcmp(zw_table_unit(p->curve[k].table, p->curve[k].y), unit) != 0)
            return false;
    return true;
}

void zw_figure_label_fit(zw_figure *f, const zw_spec *s, zw_panel *p) {
    char first[NAME], other[NAME], label[NAME + 120];
    bool one = true, residuals = true, data = false;
    if (p->label[1] || s->has_right || s->n < 2 || p->n < 2 || !same_units(p))
        return;
    quantity_of(s->term[0].axis[1], first);
    for (int k = 0; k < s->n; k++) {
        const char *name = s->term[k].axis[1];
        quantity_of(name, other);
        one &= strcmp(first, other) == 0;
        residuals &= strncmp(name, "residual(", 9) == 0;
        data |= zw_figure_is_measured(name);
    }
    if (!(one && data) && !residuals)
        return;
    const char *unit = zw_table_unit(p->curve[0].table, p->curve[0].y);
    snprintf(label, sizeof label, "%s%s%.100s%s", residuals ? "\"residuals\"" : first,
             unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
    p->label[1] = zw_arena_string(&f->arena, label);
}
