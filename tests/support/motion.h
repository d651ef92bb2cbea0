/* SPDX-License-Identifier: MIT */
/* A shipped model in motion: read, derived, compiled, started. Everything through the public
 * face. */
#ifndef ZW_TEST_MOTION_H
#define ZW_TEST_MOTION_H

#include "support/test.h"
#include "zwang/zwang.h"

enum { MOTION_MAX = 64 };

typedef struct motion {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    double p[MOTION_MAX], start[MOTION_MAX];
} motion;

/* What to run; strings that are NULL are not said. */
typedef struct motion_plan {
    const char *model, *variant;
    const char *settings; /* "a=1 [m];b=2" */
    const char *with;     /* "cog,roll" */
    const char *by;       /* the principle, lagrange if not said */
    double rtol;
} motion_plan;

/* the words of text, cut in a copy */
static inline int motion_words(const char *text, const char *separator, char *copy, size_t size,
                               const char **words) {
    int n = 0;
    snprintf(copy, size, "%s", text ? text : "");
    for (char *s = strtok(copy, separator); s; s = strtok(NULL, separator))
        words[n++] = s;
    return n;
}

/* the start of the model made consistent by Lagrange's equations */
static inline bool motion_start(motion *m, const zw_run_options *options, zw_error *err) {
    zw_equations eq;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    bool fixed[MOTION_MAX];
    bool ok = zw_system_param_values(m->sys, m->p, err) >= 0 &&
              zw_system_start_state(m->sys, m->p, m->start, fixed, err) >= 0 &&
              zw_derive(&eq, m->sys, NULL, "lagrange", err) >= 0 &&
              zw_kernel_create(&kernel, &eq, NULL, err) >= 0 &&
              zw_run_create(&run, kernel, m->p, options, err) >= 0 &&
              zw_run_consistent(run, 0, m->start, fixed, NULL, err) >= 0;
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return ok;
}

static inline void motion_begin(motion *m, const motion_plan *plan) {
    char path[512], settings[512], switches[256];
    const char *set[16], *with[16];
    double state[MOTION_MAX];
    zw_error err = {0};
    zw_model_options options = {.variant = plan->variant, .set = set, .with = with};
    zw_run_options run = zw_run_options_default();
    run.rtol = plan->rtol;
    run.atol = plan->rtol * 1e-2;
    memset(m, 0, sizeof *m);
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, plan->model);
    options.nset = motion_words(plan->settings, ";", settings, sizeof settings, set);
    options.nwith = motion_words(plan->with, ",", switches, sizeof switches, with);
    m->ctx = zw_context_create(NULL);
    assert_non_null(m->ctx);
    bool ok = zw_model_read(&m->sys, m->ctx, path, &options, &err) >= 0 &&
              zw_derive(&m->eq, m->sys, NULL, plan->by ? plan->by : "lagrange", &err) >= 0 &&
              zw_kernel_create(&m->kernel, &m->eq, NULL, &err) >= 0 &&
              motion_start(m, &run, &err) &&
              zw_equations_state(&m->eq, 0, m->p, m->start, state, &err) >= 0 &&
              zw_run_create(&m->run, m->kernel, m->p, &run, &err) >= 0 &&
              zw_run_start(m->run, 0, state, &err) >= 0;
    if (!ok)
        fail_msg("%s: %s", path, err.text);
}

/* settings: "a=1 [m];b=2" or NULL */
static inline void motion_open(motion *m, const char *model, const char *variant,
                               const char *settings, double rtol) {
    motion_begin(m, &(motion_plan){model, variant, settings, NULL, NULL, rtol});
}

/* a model given as text */
static inline void motion_open_text(motion *m, const char *text, double rtol) {
    zw_error err = {0};
    double state[MOTION_MAX];
    zw_run_options run = zw_run_options_default();
    run.rtol = rtol;
    run.atol = rtol * 1e-2;
    memset(m, 0, sizeof *m);
    m->ctx = zw_context_create(NULL);
    assert_non_null(m->ctx);
    bool ok = zw_model_parse(&m->sys, m->ctx, text, strlen(text), "text", NULL, &err) >= 0 &&
              zw_derive(&m->eq, m->sys, NULL, "lagrange", &err) >= 0 &&
              zw_kernel_create(&m->kernel, &m->eq, NULL, &err) >= 0 &&
              motion_start(m, &run, &err) &&
              zw_equations_state(&m->eq, 0, m->p, m->start, state, &err) >= 0 &&
              zw_run_create(&m->run, m->kernel, m->p, &run, &err) >= 0 &&
              zw_run_start(m->run, 0, state, &err) >= 0;
    if (!ok)
        fail_msg("%s", err.text);
}

static inline void motion_close(motion *m) {
    zw_run_destroy(m->run);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* the entry of the state by name */
static inline int motion_index(const motion *m, const char *name) {
    for (int i = 0; i < m->sys->nq; i++)
        if (strcmp(m->sys->coord[i].name, name) == 0)
            return i;
    for (int i = 0; i < m->sys->nv; i++)
        if (strcmp(m->sys->velocity[i].name, name) == 0)
            return m->sys->nq + i;
    fail_msg("no state %s", name);
    return -1;
}

static inline double motion_state(const motion *m, const char *name) {
    return zw_run_state(m->run)[motion_index(m, name)];
}

static inline double motion_observable(const motion *m, const char *name) {
    for (int i = 0; i < m->sys->nobservable; i++)
        if (strcmp(m->sys->observable[i].name, name) == 0)
            return zw_run_observables(m->run)[i];
    fail_msg("no observable %s", name);
    return 0;
}

static inline double motion_energy(const motion *m) {
    const double *obs = zw_run_observables(m->run);
    return obs[m->sys->nobservable] + obs[m->sys->nobservable + 1];
}

/* to t; events on the way are passed over */
static inline void motion_to(motion *m, double t) {
    zw_error err = {0};
    zw_status status;
    int event;
    do
        status = zw_run_advance(m->run, t, &event, &err);
    while (status == ZW_EVENT);
    if (status < 0)
        fail_msg("t = %g: %s", zw_run_time(m->run), err.text);
}

/* to the next event before t_max; its time */
static inline double motion_to_event(motion *m, double t_max) {
    zw_error err = {0};
    int event;
    zw_status status = zw_run_advance(m->run, t_max, &event, &err);
    if (status != ZW_EVENT)
        fail_msg("no event before t = %g: %s", t_max, err.text);
    return zw_run_time(m->run);
}

#endif
