/* SPDX-License-Identifier: MIT */
/* What is doubtful about a motion, in the names of the model. The numerics tell kinds and numbers, the rows
 * show values; here they become sentences, once for every thing that they are about. */
#include <math.h>
#include <stdio.h>

#include "internal.h"

const zw_doubts *zw_sim_doubts(const zw_sim *sim) {
    return sim->doubts;
}

zw_status zw_sim_doubt_models(const zw_sim *sim, zw_error *err) {
    for (const zw_sim_world *w = sim->worlds; w; w = w->next)
        ZW_TRY(zw_system_doubts(w->sys, w->p, sim->doubts, err));
    return ZW_OK;
}

/* the step of a method that does not control its error */
static zw_doubt of_step(const zw_sim_stage *stage, double t) {
    const zw_run_options *o = &stage->sim->options.run;
    zw_doubt d =
        zw_doubt_of("step", t, "the step of %g s is too long for method %s: its error is large",
                    o->step, o->method ? o->method : "in use");
    zw_doubt_hint(&d, "a smaller --step, or a method that chooses its steps");
    return d;
}

void zw_sim_on_doubt(void *user, zw_doubt_kind kind, int index, double t, double value) {
    const zw_sim_stage *stage = user;
    zw_doubts *list = stage->sim->doubts;
    zw_doubt d;
    (void)index;
    switch (kind) {
    case ZW_DOUBT_STEP:
        if (zw_doubts_again(list, "step", t, value))
            return;
        d = of_step(stage, t);
        d.worst = value;
        zw_doubts_add(list, &d);
        return;
    }
}

/* An observable may well have no value somewhere (1/x where x passes zero) without harm to the motion. */
void zw_sim_doubt_row(const zw_sim *sim) {
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->eq.sys;
    const double *obs = zw_run_observables(stage->run);
    double t = zw_run_time(stage->run);
    for (int i = 0; i < s->nobservable; i++) {
        char key[160];
        if (isfinite(obs[i]))
            continue;
        snprintf(key, sizeof key, "observable %s", s->observable[i].name);
        if (zw_doubts_again(sim->doubts, key, t, NAN))
            continue;
        zw_doubt d =
            zw_doubt_of(key, t, "the observable %s has no finite value", s->observable[i].name);
        zw_doubt_place(&d, s->observable[i].place);
        zw_doubts_add(sim->doubts, &d);
    }
}
