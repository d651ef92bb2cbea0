/* SPDX-License-Identifier: MIT */
/* The completed values of a start, described. */
#include <math.h>

#include "zwang/simulate.h"

enum { ENTRIES_MAX = 12, OTHERS_MAX = 3 }; /* that words show */

/* "x = 1 m, y = 2 m and 5 more"; other: the values of another solution, NULL: those of the start */
static void report_values(zw_report *r, const char *key, const zw_completion *c,
                          const double *other) {
    zw_report_list(r, key);
    for (int i = 0, shown = 0; i < c->n; i++) {
        const zw_completed *e = &c->entry[i];
        if (other && isnan(other[i]))
            continue;
        zw_report_open(r, NULL);
        zw_report_word(r, "name", e->name);
        zw_report_number(r, "value", other ? other[i] : e->value,
                         &(zw_shown){.unit = e->unit, .digits = 6});
        if (!other && e->guessed)
            zw_report_number(r, "guess", e->from, &(zw_shown){.digits = 6});
        if (i < ENTRIES_MAX)
            zw_report_say(r, shown++ ? ", {name} = {value}{guess? (guess {guess})}"
                                     : "{name} = {value}{guess? (guess {guess})}");
        zw_report_close(r);
    }
    zw_report_close(r);
}

void zw_completion_report(const zw_completion *c, const char *indent, zw_report *out) {
    bool more = c->n > ENTRIES_MAX;
    zw_report_count(out, "more_values", more ? c->n - ENTRIES_MAX : 0);
    report_values(out, "completed", c, NULL);
    zw_report_count(out, "chosen_positions", c->freedom_position);
    zw_report_count(out, "chosen_velocities", c->freedom_velocity);
    zw_report_count(out, "other_starts", c->nother);
    zw_report_say(out, "{more_values? and {more_values} more}"
                       "{chosen_positions?; {chosen_positions|degree|degrees} of freedom of the "
                       "positions {chosen_positions#was|were} chosen}"
                       "{chosen_velocities?; {chosen_velocities|degree|degrees} of freedom of the "
                       "velocities {chosen_velocities#was|were} chosen}\n");
    zw_report_say(out, c->nother ? indent : "");
    zw_report_say(out, "{other_starts?{other_starts|other start was|other starts were} found "
                       "(guess selects one)\n}");
    zw_report_list(out, "others");
    for (int k = 0; k < c->nkept; k++) {
        zw_report_mute(out, k >= OTHERS_MAX);
        zw_report_say(out, indent);
        zw_report_say(out, "  ");
        zw_report_open(out, NULL);
        report_values(out, "values", c, c->other + (size_t)k * (size_t)c->n);
        zw_report_close(out);
        zw_report_say(out, "{more_values? and {more_values} more}\n");
    }
    zw_report_mute(out, false);
    zw_report_close(out);
}
