/* SPDX-License-Identifier: MIT */
#include "motion_options.h"

#define AT(field) offsetof(zw_motion_options, field)

const zw_option zw_motion_option_table[] = {
    {"hold", ZW_OPT_LIST, AT(hold), 0, 0, 0, "", "NAME[=VALUE]",
     "coordinate, velocity, observable or expression with this value (default: that of the start); "
     "may be repeated"},
    {"solve", ZW_OPT_LIST, AT(solve), 0, 0, 0, "", "PARAMETER",
     "parameter to solve for, at most one for each held quantity; may be repeated"},
    {0},
};

const zw_option zw_motion_form_table[] = {
    {"steady", ZW_OPT_STRING, AT(steady), 0, 0, 0, "", "NAME",
     "motion in closed form in the model, as the start, and in formulas as the motion itself"},
    {"at", ZW_OPT_STRING, AT(at), 0, 0, 0, "", "EQUATIONS",
     "such a motion, given by equations: \"beta = pi/2, alpha' = Omega\"; with its own symbols: "
     "\"with w [rad/s] : alpha' = w\""},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {0},
};

zw_equilibria_options zw_motion_options_use(const zw_motion_options *o) {
    zw_equilibria_options use = zw_equilibria_options_default();
    use.by = o->by ? o->by : "lagrange";
    use.nhold = o->hold.n;
    use.hold = o->hold.item;
    use.nsolve = o->solve.n;
    use.solve = o->solve.item;
    return use;
}

void zw_motion_options_form(const zw_motion_options *o, bool formulas, zw_study_form *out) {
    out->hold = &o->hold;
    out->steady = o->steady;
    out->at = o->at;
    out->symbolic = out->constants = formulas;
}
