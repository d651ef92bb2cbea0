/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>

#define METHOD(name) "|" #name
static const char method_names[] = "auto"
#include "methods.def"
    ;
#undef METHOD

#define AT(field) offsetof(zw_run_options, field)

/* Below rtol = 1e-13 the round-off of a step is larger than the requested error. Defaults: 1e-8 of
 * a size of one metre is invisible in any picture, and atol two digits smaller. Other limits
 * exclude typing errors only. */
const zw_option zw_run_option_table[] = {
    /* key, type, field, default, min, max, unit, choices, help */
    {"rtol", ZW_OPT_DOUBLE, AT(rtol), 1e-8, 1e-13, 1e-1, "", NULL,
     "relative tolerance; not used with fixed steps"},
    {"atol", ZW_OPT_DOUBLE, AT(atol), 1e-10, 1e-20, 1e3, "", NULL,
     "absolute tolerance in the SI unit of each state"},
    {"step-max", ZW_OPT_DOUBLE, AT(step_max), 0, 0, 1e300, "s", NULL, "largest step; 0: no limit"},
    {"steps-max", ZW_OPT_LONG, AT(steps_max), 1e7, 1, 1e15, "", NULL,
     "maximum number of internal steps of a run"},
    {"method", ZW_OPT_NAME, AT(method), 0, 0, 0, "", method_names, "integration method"},
    {"constraints", ZW_OPT_CHOICE, AT(constraints), ZW_KEEP_CHOSEN, 0, 0, "",
     "auto|projection|ggl|partition", "method that keeps the constraints satisfied"},
    {"step", ZW_OPT_DOUBLE, AT(step), 0, 0, 1e300, "s", NULL,
     "fixed step of rattle and energy, and of erk if given"},
    {"order", ZW_OPT_INT, AT(order), 0, 0, 20, "", NULL,
     "order of erk, rattle and energy; 0: chosen by the method"},
    {0},
};
_Static_assert(sizeof(zw_run_options) ==
                   9 * sizeof(double), /* `supplied` has none: it is no text */
               "does the new field of zw_run_options have a row?");

void zw_run_options_init(zw_run_options *options, size_t size) {
    zw_run_options o = {0};
    zw_options_default(zw_run_option_table, &o);
    zw_options_begin(options, size, &o, sizeof o);
}

bool zw_run_options_ask(const zw_run_options *options, const char *method) {
    return options->method && strcmp(options->method, method) == 0;
}

/* replaces a string that the caller may release by that of the table; "auto" is none of them */
static void use_table_string(zw_run_options *o) {
    const char *name = NULL, *about;
    for (int i = 1; zw_run_method(i, &name, &about) && !zw_run_options_ask(o, name); i++)
        name = NULL;
    o->method = name;
}

zw_status zw_run_options_set(zw_run_options *own, const char *key, const char *value,
                             zw_error *err) {
    ZW_TRY(zw_options_set(zw_run_option_table, own, key, value, err));
    use_table_string(own);
    return ZW_OK;
}

zw_status zw_run_options_adopt(zw_run_options *own, const zw_run_options *given, zw_error *err) {
    *own = zw_run_options_default();
    if (given)
        ZW_TRY(zw_options_adopt(own, sizeof *own, given, "zw_run_options", err));
    ZW_TRY(zw_options_check(zw_run_option_table, own, err));
    use_table_string(own);
    return ZW_OK;
}
