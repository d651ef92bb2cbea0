/* SPDX-License-Identifier: MIT */
/* A model as text or file, with its flow, its symmetries, a steady motion near its start and the
 * linear equations there. */
#ifndef ZW_TEST_STEADY_MODEL_H
#define ZW_TEST_STEADY_MODEL_H

#include <stdlib.h>

#include "support/test.h"
#include "zwang/steady.h"
#include "zwang/zwang.h"

enum { STEADY_MAX = 64 };

typedef struct steady_model {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_symmetries symmetries;
    zw_steady at;
    zw_linearisation linear;
    double p[STEADY_MAX], x[STEADY_MAX], c[STEADY_MAX], z[STEADY_MAX], scale[STEADY_MAX];
    zw_hold hold[STEADY_MAX];
    int nhold;
    zw_error err;
} steady_model;

static inline int steady_entry(const steady_model *m, const char *name) {
    for (int i = 0; i < m->sys->nq; i++)
        if (strcmp(m->sys->coord[i].name, name) == 0)
            return i;
    for (int i = 0; i < m->sys->nv; i++)
        if (strcmp(m->sys->velocity[i].name, name) == 0)
            return m->sys->nq + i;
    fail_msg("there is no %s", name);
    return -1;
}

/* everything but the steady motion; text that begins with / is a path */
static inline void steady_open(steady_model *m, const char *text, const char *by) {
    zw_kernel_options options = zw_kernel_options_default();
    double width[STEADY_MAX], x[STEADY_MAX];
    zw_said said[STEADY_MAX];
    *m = (steady_model){.ctx = zw_context_create(NULL)};
    options.jit = ZW_JIT_NEVER;
    options.functions =
        ZW_FUNCTIONS_ALL_METHODS | ZW_SET(FIELD) | ZW_SET(FIELD_FIRST) | ZW_SET(OBS_JAC);
    zw_status status =
        text[0] == '/' ? zw_model_read(&m->sys, m->ctx, text, NULL, &m->err)
                       : zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &m->err);
    if (status < 0 || zw_derive(&m->eq, m->sys, NULL, by, &m->err) < 0 ||
        zw_kernel_create(&m->kernel, &m->eq, &options, &m->err) < 0 ||
        zw_system_param_values(m->sys, m->p, &m->err) < 0 ||
        zw_flow_create(&m->flow, m->kernel, m->p, &m->err) < 0 ||
        zw_system_start_said(m->sys, m->p, x, said, width, &m->err) < 0 ||
        zw_equations_state(&m->eq, 0, m->p, x, m->x, &m->err) < 0 ||
        zw_flow_project(m->flow, 0, m->x, NULL, &m->err) < 0 ||
        zw_steady_scale(m->flow, 0, m->x, width, m->scale, &m->err) < 0 ||
        zw_symmetries_find(&m->symmetries, m->flow, 0, m->x, m->scale, &m->err) < 0)
        fail_msg("by %s: %s", by, m->err.text);
    m->at = (zw_steady){.x = m->x, .c = m->c, .z = m->z};
}

static inline void steady_hold(steady_model *m, const char *name, double value) {
    int i = steady_entry(m, name);
    m->x[i] = value;
    m->hold[m->nhold++] = (zw_hold){.index = i, .value = value};
}

static inline void steady_solve(steady_model *m) {
    zw_linearisation_clear(&m->linear);
    if (zw_steady_find(&m->at, m->flow, &m->symmetries, m->scale, m->nhold, m->hold, &m->err) < 0 ||
        zw_linearise(&m->linear, m->flow, &m->symmetries, &m->at, &m->err) < 0)
        fail_msg("%s", m->err.text);
}

static inline void steady_close(steady_model *m) {
    zw_linearisation_clear(&m->linear);
    zw_symmetries_clear(&m->symmetries);
    zw_flow_destroy(m->flow);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* is there an eigenvalue re + i im? */
static inline void steady_has(const steady_model *m, double re, double im, double tolerance) {
    double least = INFINITY;
    for (int i = 0; i < m->linear.n; i++)
        least = fmin(least, hypot(m->linear.re[i] - re, m->linear.im[i] - im));
    if (!(least <= tolerance * fmax(1, hypot(re, im))))
        fail_msg("no eigenvalue %.12g%+.12gi, the nearest one is %.3g away", re, im, least);
}

#endif
