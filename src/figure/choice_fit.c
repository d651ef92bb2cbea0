/* SPDX-License-Identifier: MIT */
/* What to draw of a fit if nobody says it: a panel for each quantity that was measured, x as a line and data(x) as circles; below them the residuals, which should
 * look like noise. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum { NAME = 100, TEXT = sizeof((zw_figure_choice *)0)->panel[0], RESIDUALS = 4 };

bool zw_figure_is_measured(const char *quantity) {
    return strncmp(quantity, "data(", 5) == 0;
}

/* x of data(x), if x is a column, too */
static bool measured(const zw_table *t, int column, char x[NAME]) {
    const char *name = zw_table_name(t, column);
    size_t n = strlen(name);
    if (!zw_figure_is_measured(name) || n < 7 || n > NAME)
        return false;
    snprintf(x, NAME, "%.*s", (int)(n - 6), name + 5);
    return zw_table_find(t, x) >= 0 && !x[strcspn(x, "+-;:,*/^ ")];
}

bool zw_figure_choose_fit(zw_figure_choice *out, const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    char x[NAME], residuals[TEXT];
    size_t used = 0;
    int n = 0;
    if (!kind || strcmp(kind, "fit") != 0 || zw_table_find(t, "t") < 0)
        return false;
    for (int i = 0; i < zw_table_columns(t); i++) {
        if (!measured(t, i, x))
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
