/* SPDX-License-Identifier: MIT */
/* The options of a run that continues a result. */
#include <string.h>

#include "num/options.h"
#include "run_study.h"
#include "sim/options.h"

static zw_status check_options(const zw_sim_options *before, const zw_sim_options *given,
                               const zw_study_input *input, zw_error *err) {
    if (zw_study_is_given(input, "start"))
        return zw_fail(err, ZW_E_OPTION, "--start: a continued run starts where the result ends");
    if (given->energy && !before->energy) {
        zw_fail(err, ZW_E_OPTION, "--energy: the works up to here are not in the result");
        zw_error_hint(err, "run the model from its start with --energy");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* Step, order and the treatment of constraints belong to a method: a new method does not inherit
 * them. */
static void override_integration(zw_run_options *out, const zw_run_options *given,
                                 const zw_study_input *input) {
    static const char *const of_method[] = {"step", "order", "constraints"};
    bool anew = zw_study_is_given(input, "method");
    for (const zw_option *row = zw_run_option_table; row->key; row++) {
        bool taken = zw_study_is_given(input, row->key);
        for (int i = 0; i < 3; i++)
            taken |= anew && strcmp(row->key, of_method[i]) == 0;
        if (taken)
            zw_options_copy(row, out, given);
    }
}

zw_status zw_run_resumed_options(zw_sim_options *out, const zw_table *result,
                                 const zw_run_study_options *given, const zw_study_input *input,
                                 zw_error *err) {
    const zw_sim_options *o = &given->sim;
    ZW_TRY(zw_sim_options_of(out, result, err));
    ZW_TRY(check_options(out, o, input, err));
    override_integration(&out->run, &o->run, input);
    for (const zw_option *row = zw_sim_contact_table; row->key; row++)
        if (zw_study_is_given(input, row->key))
            zw_options_copy(row, out, o);
    out->until = o->until;
    out->jit = o->jit;
    if (o->step_out > 0)
        out->step_out = o->step_out;
    if (o->principle)
        out->principle = o->principle;
    return ZW_OK;
}
