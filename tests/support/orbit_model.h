/* SPDX-License-Identifier: MIT */
/* A model as text or file with some parameters set, its kernel with modes, the period of its drives
 * and a periodic motion. */
#ifndef ZW_TEST_ORBIT_MODEL_H
#define ZW_TEST_ORBIT_MODEL_H

#include <stdlib.h>

#include "motion/segments/periodic.h"
#include "support/test.h"
#include "zwang/zwang.h"

enum { ORBIT_MAX = 64 };
#define ORBIT_MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct orbit_model {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_forcing forcing;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[ORBIT_MAX], x[ORBIT_MAX], base;
    bool given[ORBIT_MAX];
    zw_shooting_options options;
    zw_shooting at;
    zw_error err;
} orbit_model;

/* the new value of a parameter, with all that follows */
static inline void orbit_set(orbit_model *m, const char *name, double value) {
    int i = 0;
    while (i < m->sys->np && strcmp(m->sys->param[i].name, name) != 0)
        i++;
    assert_true(i < m->sys->np);
    m->p[i] = value;
    m->given[i] = true;
    if (zw_system_param_follow(m->sys, m->given, m->p, &m->err) < 0 ||
        zw_flow_set_parameters(m->flow, m->p, &m->err) < 0)
        fail_msg("%s", m->err.text);
}

/* text that begins with / is a path */
static inline void orbit_open(orbit_model *m, const char *text, const char *variant,
                              const char *by) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_model_options model = {.size = sizeof model};
    double start[ORBIT_MAX];
    bool fixed[ORBIT_MAX];
    *m = (orbit_model){.ctx = zw_context_create(NULL), .options = zw_shooting_options_default()};
    model.variant = variant;
    options.jit = ZW_JIT_NEVER;
    options.modes = true;
    options.functions =
        ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) | ZW_SET(SWITCH_RATE);
    zw_status status =
        text[0] == '/' ? zw_model_read(&m->sys, m->ctx, text, &model, &m->err)
                       : zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &m->err);
    if (status < 0 || zw_derive(&m->eq, m->sys, NULL, by, &m->err) < 0 ||
        zw_forcing_find(&m->forcing, &m->eq, &m->err) < 0 ||
        zw_kernel_create(&m->kernel, &m->eq, &options, &m->err) < 0 ||
        zw_system_param_values(m->sys, m->p, &m->err) < 0 ||
        zw_flow_create(&m->flow, m->kernel, m->p, &m->err) < 0 ||
        zw_system_start_state(m->sys, m->p, start, fixed, &m->err) < 0 ||
        zw_equations_state(&m->eq, 0, m->p, start, m->x, &m->err) < 0)
        fail_msg("by %s: %s", by, m->err.text);
}

/* the period of the drives at the present values */
static inline void orbit_period(orbit_model *m) {
    if (zw_forcing_base(&m->forcing, m->p, &m->base, NULL, &m->err) < 0)
        fail_msg("%s", m->err.text);
    m->options.period = 2 * M_PI / m->base;
}

/* near m->x, which it replaces */
static inline void orbit_shoot(orbit_model *m) {
    zw_shooting_clear(&m->at);
    if (zw_shooting_find(&m->at, m->kernel, m->p, m->x, &m->options, &m->err) < 0)
        fail_msg("%s", m->err.text);
    memcpy(m->x, m->at.x, sizeof(double) * (size_t)m->at.nx);
}

static inline void orbit_close(orbit_model *m) {
    zw_shooting_clear(&m->at);
    zw_flow_destroy(m->flow);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* the amplitude of harmonic k of quantity i */
static inline double orbit_amplitude(const orbit_model *m, int i, int k) {
    int at = i * (m->at.harmonics + 1) + k;
    return hypot(m->at.cosine[at], m->at.sine[at]);
}

#endif
