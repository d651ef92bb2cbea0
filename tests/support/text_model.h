/* SPDX-License-Identifier: MIT */
/* A model written in the test itself, derived by a principle and ready to be evaluated or run. */
#ifndef ZW_TEST_TEXT_MODEL_H
#define ZW_TEST_TEXT_MODEL_H

#include "support/test.h"
#include "zwang/zwang.h"

enum { TEXT_MODEL_MAX = 32 };

typedef struct text_model {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    double p[TEXT_MODEL_MAX];
} text_model;

static inline void text_model_open(text_model *m, const char *text, const char *by, double rtol) {
    zw_error err = {0};
    zw_run_options options = zw_run_options_default();
    options.rtol = rtol;
    options.atol = rtol * 1e-2;
    *m = (text_model){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_derive(&m->eq, m->sys, NULL, by, &err) < 0 ||
        zw_kernel_create(&m->kernel, &m->eq, NULL, &err) < 0 ||
        zw_system_param_values(m->sys, m->p, &err) < 0 ||
        zw_run_create(&m->run, m->kernel, m->p, &options, &err) < 0)
        fail_msg("by %s: %s", by, err.text);
}

/* the start of the model, completed by its constraints */
static inline void text_model_start(text_model *m) {
    double x[TEXT_MODEL_MAX];
    bool fixed[TEXT_MODEL_MAX];
    zw_error err = {0};
    if (zw_system_start_state(m->sys, m->p, x, fixed, &err) < 0 ||
        zw_run_consistent(m->run, 0, x, fixed, NULL, &err) < 0 ||
        zw_run_start(m->run, 0, x, &err) < 0)
        fail_msg("%s", err.text);
}

/* z = (v', lambda) at a state */
static inline void text_model_evaluate(text_model *m, double t, const double *x, double *z) {
    double rate[TEXT_MODEL_MAX];
    zw_error err = {0};
    if (zw_flow_rates(zw_run_flow(m->run), t, x, rate, z, &err) < 0)
        fail_msg("%s", err.text);
}

static inline void text_model_close(text_model *m) {
    zw_run_destroy(m->run);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

#endif
