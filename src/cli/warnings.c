/* SPDX-License-Identifier: MIT */
/* How warnings are printed: one line each, with a hint; the effects of --strict and --quiet. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "cli.h"

#define AT(field) offsetof(cli_options, field)

const zw_option cli_told_table[] = {
    {"quiet", ZW_OPT_FLAG, AT(quiet), 0, 0, 0, "", NULL,
     "errors only: no summary, progress or warnings"},
    {"strict", ZW_OPT_FLAG, AT(strict), 0, 0, 0, "", NULL,
     "exit code 4 if there are warnings; the results are still written"},
    {"budget", ZW_OPT_DOUBLE, AT(budget), CLI_BUDGET_CHOSEN, 0, 1e9, "s", NULL,
     "time limit, after which the command fails with the results so far; 0: none, the default of "
     "run, sweep, basin, lyapunov, fit, chart, track, plot and view"},
    {0},
};

void cli_report_warnings(const cli_options *o, const zw_warnings *list, bool timed) {
    for (int i = 0; list && !o->quiet && i < zw_warnings_count(list); i++) {
        const zw_warning *d = zw_warnings_at(list, i);
        char message[1600];
        if (isnan(d->first) == timed || (!timed && zw_warnings_again(o->printed, d->key, NAN, NAN)))
            continue;
        if (!timed)
            zw_warnings_add(o->printed, d);
        zw_warning_format(d, message, sizeof message);
        fprintf(stderr, "%s\n", message);
    }
}

static long warning_count(const zw_warnings *list) {
    return zw_warnings_count(list) + zw_warnings_lost(list);
}

zw_status cli_judge_result(const cli_options *o, const char *path, const zw_table *result,
                           zw_error *err) {
    zw_warnings *list = zw_warnings_create(NULL);
    if (!list)
        return zw_out_of_memory(err, NULL);
    zw_warnings_read(list, result);
    long n = warning_count(list);
    if (n && !o->quiet)
        fprintf(stderr, "%s: warnings when it was made:\n", path);
    cli_report_warnings(o, list, false);
    cli_report_warnings(o, list, true);
    zw_status status = cli_judge(o, list, ZW_OK, err);
    zw_warnings_destroy(list);
    return status;
}

zw_status cli_judge(const cli_options *o, const zw_warnings *list, zw_status status,
                    zw_error *err) {
    long n = list ? warning_count(list) : 0;
    if (status < 0 || !o->strict || n == 0)
        return status;
    return zw_fail(err, ZW_E_DOUBT, "%ld warning%s, which --strict does not allow", n,
                   n == 1 ? "" : "s");
}
