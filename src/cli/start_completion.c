/* SPDX-License-Identifier: MIT */
/* The completed values of a start as text, as short as possible. */
#include <math.h>

#include "cli.h"

enum { ENTRIES_MAX = 12, OTHERS_MAX = 3 };

static void put_value(zw_text *out, const zw_completed *e, double value) {
    zw_text_printf(out, "%s = %.6g%s%s", e->name, value, e->unit[0] ? " " : "", e->unit);
}

/* "x = 1 m, y = 2 m and 5 more" */
static void put_values(zw_text *out, const zw_completion *c, const double *other) {
    for (int i = 0, printed = 0; i < c->n && i < ENTRIES_MAX; i++) {
        if (other && isnan(other[i]))
            continue;
        zw_text_put(out, printed++ ? ", " : "");
        put_value(out, &c->entry[i], other ? other[i] : c->entry[i].value);
        if (!other && c->entry[i].guessed)
            zw_text_printf(out, " (guess %.6g)", c->entry[i].from);
    }
    if (c->n > ENTRIES_MAX)
        zw_text_printf(out, " and %d more", c->n - ENTRIES_MAX);
}

static void put_freedom(zw_text *out, int freedom, const char *of) {
    if (freedom > 0)
        zw_text_printf(out, "; %d freedom%s of the %s %s chosen", freedom, freedom == 1 ? "" : "s",
                       of, freedom == 1 ? "was" : "were");
}

void cli_put_completion(zw_text *out, const zw_completion *c, const char *label,
                        const char *indent) {
    if (c->n == 0)
        return;
    zw_text_put(out, label);
    put_values(out, c, NULL);
    put_freedom(out, c->freedom_position, "positions");
    put_freedom(out, c->freedom_velocity, "velocities");
    zw_text_put(out, "\n");
    if (c->nother > 0)
        zw_text_printf(out, "%s%d other start%s found (guess says which)\n", indent, c->nother,
                       c->nother == 1 ? " was" : "s were");
    for (int k = 0; k < c->nkept && k < OTHERS_MAX; k++) {
        zw_text_printf(out, "%s  ", indent);
        put_values(out, c, c->other + (size_t)k * (size_t)c->n);
        zw_text_put(out, "\n");
    }
}

void cli_put_completion_json(zw_text *out, const zw_completion *c) {
    zw_text_put(out, "{\"completed\": {");
    for (int i = 0; i < c->n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, c->entry[i].name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, c->entry[i].value);
    }
    zw_text_printf(out, "}, \"freedom_position\": %d, \"freedom_velocity\": %d, \"others\": [",
                   c->freedom_position, c->freedom_velocity);
    for (int k = 0; k < c->nkept; k++) {
        zw_text_put(out, k ? ", {" : "{");
        for (int i = 0, printed = 0; i < c->n; i++) {
            if (isnan(c->other[k * c->n + i]))
                continue;
            zw_text_put(out, printed++ ? ", " : "");
            zw_text_json(out, c->entry[i].name);
            zw_text_put(out, ": ");
            zw_text_json_number(out, c->other[k * c->n + i]);
        }
        zw_text_put(out, "}");
    }
    zw_text_printf(out, "], \"nother\": %d}", c->nother);
}
