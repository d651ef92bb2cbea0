/* SPDX-License-Identifier: MIT */
/* A mean drift as a report, and its warnings. */
#include <math.h>
#include <string.h>

#include "zwang/manifold.h"

#define ERROR_MAX 1e-3 /* relative to the change: visible in three digits */

static const char *unit_of(const zw_system *sys, const char *observable) {
    for (int i = 0; i < sys->nobservable; i++)
        if (strcmp(sys->observable[i].name, observable) == 0)
            return sys->observable[i].unit;
    return "";
}

static void report_observable(zw_report *out, const char *name, const char *unit, double from,
                              double to) {
    zw_report_open(out, NULL);
    zw_report_word(out, "name", name);
    zw_report_word(out, "unit", unit);
    zw_report_number(out, "from", from, &(zw_shown){.unit = unit});
    zw_report_number(out, "to", to, &(zw_shown){.unit = unit});
    zw_report_say(out, "  {name} from {from} to {to}\n");
    zw_report_close(out);
}

void zw_average_report(const zw_system *sys, const zw_average_options *options,
                       const zw_average_info *info, zw_report *out) {
    zw_shown period = {.unit = "s", .digits = 6};
    zw_report_word(out, "small_parameter", options->small);
    zw_report_number(out, "slow_time", info->tau, NULL);
    zw_report_number(out, "period_start", info->period[0], &period);
    zw_report_number(out, "period_end", info->period[1], &period);
    zw_report_number(out, "relative_error", info->error, &(zw_shown){.digits = 2});
    zw_report_say(out, "Mean drift over {small_parameter} t from 0 to {slow_time}; period "
                       "{period_start} at the start, {period_end} at the end\n");
    zw_report_list(out, "observables");
    for (int j = 0; j < options->n; j++)
        report_observable(out, options->name[j], unit_of(sys, options->name[j]), info->from[j],
                          info->to[j]);
    zw_report_close(out);
    zw_report_word(out, "ended", info->ended ? info->why : NULL);
    zw_report_say(out, "{ended?  It ends there: {ended}\n}");
}

void zw_average_warnings(const zw_average_options *options, const zw_average_info *info,
                         zw_warnings *out) {
    if (info->doubt[0]) {
        zw_warning d = zw_warning_of("average fixed", NAN, "%s", info->doubt);
        zw_warning_hint(
            &d, "name further observables that are conserved for %s = 0 (zwang check --set %s=0)",
            options->small, options->small);
        zw_warnings_add(out, &d);
    }
    if (info->error > ERROR_MAX) {
        zw_warning d = zw_warning_of("average", NAN,
                                     "the steps of the drift are too long: the error of its "
                                     "values is about %.1g of their change",
                                     info->error);
        zw_warning_hint(&d, "use a smaller --step-out");
        zw_warnings_add(out, &d);
    }
}
