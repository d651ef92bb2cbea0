/* SPDX-License-Identifier: MIT */
/* Detects steps that have become so small that the run would not end, before all allowed steps are
 * used up. After every WINDOW steps: with steps of this mean length, would the next requested state
 * take HOPELESS times the allowed steps? Short steps at the beginning of a run end long before
 * that.
 *
 * Reported is the fault of the function that failed last, if any, or the hint of the method
 * (stiffness); otherwise that a function may jump or the tolerances may be below round-off. */
#include <math.h>

#include "num/internal.h"

static const long WINDOW = 50000;
static const double HOPELESS = 100;

void zw_num_collapse_start(zw_run *run) {
    run->collapse_from = run->now;
    run->collapse_steps = 0;
}

zw_status zw_num_collapse_check(zw_run *run, zw_error *err) {
    if (++run->collapse_steps < WINDOW)
        return ZW_OK;
    double from = run->collapse_from, progress = fabs(run->now - from);
    double more = fabs(run->target - run->now) / progress * (double)WINDOW;
    zw_num_collapse_start(run);
    if (zw_num_has_fixed_pace(run) || !(more > HOPELESS * (double)run->options.steps_max))
        return ZW_OK;
    if (run->trouble.status < 0)
        return zw_num_pass_on(&run->trouble, err);
    zw_fail(err, ZW_E_NUMERIC,
            "the steps have become too small: %ld of them lead from t = %.10g only to %.10g",
            WINDOW, from, run->now);
    zw_error_hint(err, "%s",
                  run->advice ? run->advice
                              : "a force or a constraint may jump there, or the motion be stiff "
                                "(method radau), or the tolerances below rounding");
    return ZW_E_NUMERIC;
}
