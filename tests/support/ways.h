/* SPDX-License-Identifier: MIT */
/* A model written in a test, integrated by every method. */
#ifndef ZW_TEST_WAYS_H
#define ZW_TEST_WAYS_H

#include "support/text_model.h"

/* a way to integrate */
typedef struct way {
    const char *method;
    int order;
    double step;
} way;

static const way every_way[] = {
    {"rk54", 0, 0},  {"rk87", 0, 0},      {"radau", 0, 0},     {"bdf", 0, 0},
    {"adams", 0, 0}, {"ida", 0, 0},       {"erk", 3, 0},       {"erk", 0, 0},
    {"erk", 8, 0},   {"rattle", 6, 0.02}, {"energy", 6, 0.02},
};
enum { WAYS = sizeof every_way / sizeof *every_way };

static inline bool is_canonical(const way *w) {
    return strcmp(w->method, "rattle") == 0;
}

typedef struct motion {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    double p[TEXT_MODEL_MAX], x[TEXT_MODEL_MAX];
} motion;

/* canonical: by momenta, which are the velocities where all masses are 1 */
static inline void open_motion(motion *m, const char *text, bool canonical) {
    zw_error err = {0};
    bool fixed[TEXT_MODEL_MAX];
    *m = (motion){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_derive(&m->eq, m->sys, NULL, canonical ? "hamilton" : "lagrange", &err) < 0 ||
        zw_kernel_create(&m->kernel, &m->eq, NULL, &err) < 0 ||
        zw_system_param_values(m->sys, m->p, &err) < 0 ||
        zw_system_start_state(m->sys, m->p, m->x, fixed, &err) < 0)
        fail_msg("%s\n%s", err.text, text);
}

static inline void close_motion(motion *m) {
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

static inline zw_run *make_run(const motion *m, const way *w, double rtol, zw_keep keep) {
    zw_error err = {0};
    zw_run_options o = zw_run_options_default();
    zw_run *run;
    o.method = w->method;
    o.order = w->order;
    o.step = w->step;
    o.rtol = rtol;
    o.atol = rtol * 1e-2;
    o.constraints = keep;
    if (zw_run_create(&run, m->kernel, m->p, &o, &err) < 0)
        fail_msg("%s: %s", w->method, err.text);
    return run;
}

#endif
