/* SPDX-License-Identifier: MIT */
#include "motion_options.h"

#define AT(field) offsetof(zw_motion_options, field)

const zw_option zw_motion_option_table[] = {
    {"hold", ZW_OPT_LIST, AT(hold), 0, 0, 0, "", "NAME[=VALUE]",
     "a coordinate, velocity, observable or expression that keeps this value (default: that of the "
     "start); several times"},
    {"solve", ZW_OPT_LIST, AT(solve), 0, 0, 0, "", "PARAMETER",
     "a parameter that is solved for, one for each held quantity at most; several times"},
    {"steady", ZW_OPT_STRING, AT(steady), 0, 0, 0, "", "NAME",
     "a motion that the model states in closed form: the start, and for formulas the motion "
     "itself"},
    {"at", ZW_OPT_STRING, AT(at), 0, 0, 0, "", "EQUATIONS",
     "the same as equations: \"beta = pi/2, alpha' = Omega\"; with symbols of their own: \"with w "
     "[rad/s] : alpha' = w\""},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
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
