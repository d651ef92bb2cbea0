/* SPDX-License-Identifier: MIT */
/* The options of an ensemble: defaults, checks, and a copy that does not depend on the caller's
 * strings. */
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "num/options.h"
#include "sim/options.h"

enum { RUN = offsetof(zw_ensemble_options, run), SIZE_SANE = 1 << 14, THREADS_MAX = 1024 };

void zw_ensemble_options_init(zw_ensemble_options *options, size_t size, size_t run_size) {
    const zw_ensemble_options o = {
        .size = sizeof o, .jit = ZW_JIT_AT_ONCE, .run = zw_run_options_default()};
    zw_sim_hand_out(options, size, run_size, &o, sizeof o, RUN, sizeof o.run);
    memcpy(options, &size, sizeof size);
    memcpy((char *)options + RUN, &run_size, sizeof run_size);
}

static zw_status check_options(const zw_ensemble_options *o, zw_error *err) {
    if (o->threads < 0 || o->threads > THREADS_MAX)
        return zw_fail(err, ZW_E_OPTION, "threads = %d: between 1 and %d, or 0", o->threads,
                       THREADS_MAX);
    if (o->lanes != 0 && o->lanes != 4 && o->lanes != 8)
        return zw_fail(err, ZW_E_OPTION, "lanes = %d: there are 4 or 8, or 0", o->lanes);
    if ((int)o->engine < ZW_ENSEMBLE_CHOSEN || o->engine > ZW_ENSEMBLE_SINGLE)
        return zw_fail(err, ZW_E_OPTION, "engine = %d is none of zw_ensemble_engine",
                       (int)o->engine);
    if ((int)o->jit < ZW_JIT_NEVER || o->jit > ZW_JIT_AT_ONCE)
        return zw_fail(err, ZW_E_OPTION, "jit = %d is none of zw_jit", (int)o->jit);
    if (o->nvalue < 0 || o->variations < 0 || o->nevent < 0)
        return zw_fail(err, ZW_E_OPTION, "zw_ensemble_options: a count is negative");
    return ZW_OK;
}

zw_status zw_ensemble_options_adopt(zw_ensemble *e, const zw_ensemble_options *given,
                                    zw_error *err) {
    zw_ensemble_options *own = &e->options;
    zw_arena *a = &e->arena;
    *own = zw_ensemble_options_default();
    e->contacts = zw_sim_options_default();
    if (!given)
        return ZW_OK;
    if (given->size < RUN + sizeof(size_t) || given->size > SIZE_SANE) {
        zw_fail(err, ZW_E_OPTION,
                "zw_ensemble_options: the struct was not begun with its defaults");
        zw_error_hint(err, "zw_ensemble_options o = zw_ensemble_options_default();");
        return ZW_E_OPTION;
    }
    zw_run_options run;
    ZW_TRY(zw_run_options_adopt(&run, &given->run, err));
    zw_sim_hand_out(own, sizeof *own, sizeof own->run, given, given->size, RUN, given->run.size);
    own->size = sizeof *own;
    own->run = run;
    ZW_TRY(check_options(own, err));
    if (own->contacts) {
        zw_sim_options_share(&e->contacts, own->contacts);
        own->contacts = &e->contacts;
    }
    const char **value = ZW_NEW(a, const char *, own->nvalue + 1);
    int *event = ZW_NEW(a, int, own->nevent + 1);
    for (int i = 0; value && i < own->nvalue; i++)
        value[i] = zw_arena_string(a, own->value[i]);
    for (int i = 0; event && i < own->nevent; i++)
        event[i] = own->event[i];
    own->value = value;
    own->event = event;
    if (own->principle)
        own->principle = zw_arena_string(a, own->principle);
    return a->failed ? zw_out_of_memory(err, "an ensemble") : ZW_OK;
}
