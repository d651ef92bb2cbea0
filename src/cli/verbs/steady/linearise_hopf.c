/* SPDX-License-Identifier: MIT */
/* A pair of eigenvalues on the imaginary axis: linear terms do not decide on stability, cubic ones
 * may. */
#include "base/arena.h"
#include "linearise.h"

#define AT(field) offsetof(cli_options, field)

const zw_option cli_hopf_table[] = {
    {"amplitude", ZW_OPT_STRING, AT(amplitude), 0, 0, 0, "", "NAME",
     "the coordinate, velocity or observable whose amplitude r is"},
    {0},
};

zw_status cli_linearise_hopf(const cli_options *o, zw_equilibria *e, zw_text *out, zw_error *err) {
    zw_criticality_options options = zw_criticality_options_default();
    zw_criticality c;
    if (!o->amplitude && zw_criticality_pairs(e) != 1)
        return ZW_OK;
    options.amplitude = o->amplitude;
    ZW_TRY(zw_criticality_find(&c, e, NULL, NULL, &options, err));
    zw_report *r = zw_report_create(NULL);
    zw_bytes bytes = {0};
    if (r)
        zw_criticality_report(&c, r);
    zw_status status = !r        ? zw_out_of_memory(err, NULL)
                       : o->json ? zw_report_json(r, &bytes, err)
                                 : zw_report_text(r, &bytes, err);
    zw_text_put(out, o->json ? ",\n  \"hopf\": " : "");
    zw_text_put(out, bytes.data ? bytes.data : "");
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
    zw_criticality_clear(&c);
    return status;
}
