/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <math.h>

#define METHOD(NAME, name) "|" #name
static const char method_names[] = "auto"
#include "methods.def"
    ;
#undef METHOD

#define AT(field) offsetof(zw_run_options, field)

/* Below 1e-13 the rounding of a step is larger than the error asked for. */
const zw_option zw_run_option_table[] = {
    /* key, type, field, default, min, max, unit, choices, help */
    {"rtol", ZW_OPT_DOUBLE, AT(rtol), 1e-8, 1e-13, 1e-1, "", NULL,
     "relative tolerance; fixed steps have none"},
    {"atol", ZW_OPT_DOUBLE, AT(atol), 1e-10, 1e-20, 1e3, "", NULL,
     "absolute tolerance, SI unit of each state"},
    {"step-max", ZW_OPT_DOUBLE, AT(step_max), 0, 0, 1e300, "s", NULL, "largest step, 0: no limit"},
    {"steps-max", ZW_OPT_DOUBLE, AT(steps_max), 1e7, 1, 1e15, "", NULL,
     "most internal steps of one run"},
    {"method", ZW_OPT_CHOICE, AT(method), ZW_METHOD_CHOSEN, 0, 0, "", method_names,
     "integration method"},
    {"constraints", ZW_OPT_CHOICE, AT(constraints), ZW_KEEP_CHOSEN, 0, 0, "",
     "auto|projection|ggl|partition", "how constraints are kept"},
    {"step", ZW_OPT_DOUBLE, AT(step), 0, 0, 1e300, "s", NULL,
     "fixed step, of rattle, energy and (if given) erk"},
    {"order", ZW_OPT_DOUBLE, AT(order), 0, 0, 20, "", NULL,
     "order, of erk, rattle and energy; 0: their own choice"},
    {0},
};
_Static_assert(sizeof zw_run_option_table / sizeof *zw_run_option_table - 1 ==
                   sizeof(zw_run_options) / sizeof(double),
               "a field of zw_run_options has no row");

zw_run_options zw_run_options_default(void) {
    zw_run_options options;
    zw_options_default(zw_run_option_table, &options);
    return options;
}

static zw_status check_choice(const char *what, double number, int count, zw_error *err) {
    if (number >= 0 && number < count && number == floor(number))
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "%s = %g is none of 0 (chosen) to %d", what, number,
                   count - 1);
}

zw_status zw_run_options_check(const zw_run_options *options, zw_error *err) {
    ZW_TRY(zw_options_check(zw_run_option_table, options, err));
    ZW_TRY(check_choice("method", options->method, ZW_METHOD_COUNT, err));
    ZW_TRY(check_choice("constraints", options->constraints, ZW_KEEP_COUNT, err));
    if (options->order != floor(options->order))
        return zw_fail(err, ZW_E_OPTION, "order = %g is not a whole number", options->order);
    return ZW_OK;
}
