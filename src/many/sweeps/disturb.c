/* SPDX-License-Identifier: MIT */
/* Disturbances of a state that is carried on: at every new value a number, given or random (written
 * as those of axes), is added to entries of the state. Without them a motion that has lost its
 * stability may stay where it is: the growing disturbance has decayed below round-off on the way
 * there. Random numbers depend on the seed, on the chain and on the number of values that it has
 * passed, and on nothing else. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/philox.h"
#include "survey.h"

/* stream of random numbers, one for each entry; after those of the plan */
enum { USE_DISTURB = 16 };

zw_status zw_survey_read_disturbances(zw_survey *s, zw_error *err) {
    const zw_survey_options *o = &s->options;
    if (o->ndisturb == 0)
        return ZW_OK;
    if (!o->carry || o->jump > 0)
        return zw_fail(err, ZW_E_OPTION,
                       o->carry ? "--disturb: jumps are located without disturbances (--jump 0)"
                                : "--disturb needs a continued state (--carry)");
    s->disturb = calloc((size_t)o->ndisturb, sizeof *s->disturb);
    if (!s->disturb)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->ndisturb; i++) {
        zw_axis *a = &s->disturb[i];
        ZW_TRY(zw_axis_read(a, s->sys, "--disturb", true, o->disturb[i], err));
        s->ndisturb++;
        if (zw_axis_is_drawn(a) || a->n == 1)
            continue;
        zw_fail(err, ZW_E_OPTION, "--disturb %.60s: one number, or one that is drawn",
                o->disturb[i]);
        zw_error_hint(err, "--disturb \"%s=normal:0:1e-5\", --disturb \"%s=1e-5\"", a->name,
                      a->name);
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

void zw_survey_clear_disturbances(zw_survey *s) {
    for (int i = 0; i < s->ndisturb; i++)
        zw_axis_clear(&s->disturb[i]);
    free(s->disturb);
}

void zw_survey_disturb(const zw_survey *s, uint64_t motion, uint32_t passed, double *x) {
    for (int i = 0; i < s->ndisturb; i++) {
        const zw_axis *a = &s->disturb[i];
        uint64_t bits =
            zw_philox_bits(zw_plan_seed(s->plan), motion, passed, USE_DISTURB + (uint32_t)i);
        x[a->index] += zw_axis_is_drawn(a) ? zw_axis_at(a, ((double)(bits >> 12) + 0.5) * 0x1p-52)
                                           : zw_axis_value(a, 0);
    }
}
