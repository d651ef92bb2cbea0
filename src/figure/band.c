/* SPDX-License-Identifier: MIT */
/* Bands, y..z:x, and their names: columns qNN(x) are quantiles in percent, so that q05(x)..q95(x)
 * is "5 % to 95 %". If all y of a panel belong to one quantity, mean(x) and quantiles of x, that is
 * the name of the axis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

bool zw_figure_has_band(const zw_spec *s) {
    for (int k = 0; s->kind == ZW_SPEC_GRAPH && k < s->n; k++)
        if (s->term[k].axis[2][0])
            return true;
    return false;
}

/* "05" of q05(x): 5 %, "975": 97.5 %; false if it is not a quantile */
static bool read_quantile(const char *name, double *percent) {
    size_t n = name[0] == 'q' ? strspn(name + 1, "0123456789") : 0;
    if (n < 2 || n > 8 || name[1 + n] != '(')
        return false;
    *percent = strtod(name + 1, NULL);
    for (size_t i = 2; i < n; i++)
        *percent /= 10;
    return true;
}

void zw_figure_name_band(const zw_spec *s, int term, char *out, size_t size) {
    const char *a = s->term[term].axis[1], *b = s->term[term].axis[2];
    double from, to;
    if (read_quantile(a, &from) && read_quantile(b, &to))
        snprintf(out, size, "\"%.6g %% to %.6g %%\"", from < to ? from : to, from < to ? to : from);
    else
        snprintf(out, size, "%.70s \"to\" %.70s", a, b);
}

/* x of mean(x) */
static bool read_mean(const char *name, char out[ZW_FORMULA_TEXT]) {
    const char *open = strchr(name, '(');
    size_t n = strlen(name);
    if (!open || open == name || name[n - 1] != ')' || name + n - 1 == open + 1)
        return false;
    snprintf(out, ZW_FORMULA_TEXT, "%.*s", (int)(name + n - 2 - open), open + 1);
    return !strpbrk(out, "()");
}

void zw_figure_label_bands(zw_figure *f, const zw_spec *s, zw_panel *p) {
    char first[ZW_FORMULA_TEXT], other[ZW_FORMULA_TEXT], label[ZW_FORMULA_TEXT + 120];
    if (!zw_figure_has_band(s) || p->label[1] || s->has_right || p->n == 0 ||
        !read_mean(s->term[0].axis[1], first) || strncmp(s->term[0].axis[1], "density(", 8) == 0)
        return;
    for (int k = 0; k < s->n; k++)
        if (!read_mean(s->term[k].axis[1], other) || strcmp(first, other) != 0)
            return;
    const char *unit = zw_table_unit(p->curve[0].table, p->curve[0].y);
    snprintf(label, sizeof label, "%s%s%.100s%s", first, unit[0] ? " [" : "", unit,
             unit[0] ? "]" : "");
    p->label[1] = zw_arena_string(&f->arena, label);
}
