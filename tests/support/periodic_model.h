/* SPDX-License-Identifier: MIT */
/* A driven model as text or file, its kernel of 8 lanes and its balance of harmonics over a
 * parameter. */
#ifndef ZW_TEST_PERIODIC_MODEL_H
#define ZW_TEST_PERIODIC_MODEL_H

#include <math.h>
#include <stdlib.h>

#include "branch/curve.h"
#include "motion/harmonic/balance.h"
#include "support/test.h"
#include "zwang/zwang.h"

enum { PERIODIC_MAX = 64, PERIODIC_UNKNOWNS = 4096 };

typedef struct periodic_model {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_harmonic *balance;
    double p[PERIODIC_MAX], x[PERIODIC_UNKNOWNS];
    int over, drive; /* parameters: the one that is gone along, and the frequency */
    int keep;        /* another that has a value of its own; -1: none */
    int order;       /* of the subharmonic: the period is so many of the drive's */
    zw_error err;
} periodic_model;

static inline int periodic_parameter(const periodic_model *m, const char *name) {
    for (int i = 0; i < m->sys->np; i++)
        if (strcmp(m->sys->param[i].name, name) == 0)
            return i;
    fail_msg("there is no parameter %s", name);
    return -1;
}

static inline zw_status periodic_set(void *user, double a, double *p, double *w, double *w_slope,
                                     zw_error *err) {
    periodic_model *m = user;
    bool given[PERIODIC_MAX];
    for (int i = 0; i < m->sys->np; i++) {
        given[i] = i == m->over || i == m->drive || i == m->keep;
        p[i] = m->p[i];
    }
    p[m->over] = a;
    ZW_TRY(zw_system_param_follow(m->sys, given, p, err));
    *w = p[m->drive] / m->order;
    *w_slope = m->over == m->drive ? 1.0 / m->order : 0;
    return ZW_OK;
}

static inline void periodic_open(periodic_model *m, const char *text, const char *variant,
                                 const char *over, const char *drive) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_model_options model = {.size = sizeof model, .variant = variant};
    *m = (periodic_model){.ctx = zw_context_create(NULL), .keep = -1, .order = 1};
    options.jit = ZW_JIT_NEVER;
    options.lanes = 8;
    options.functions = ZW_HARMONIC_FUNCTIONS | ZW_SET(JAC_P);
    zw_status status = text[0] == '/' ? zw_model_read(&m->sys, m->ctx, text, &model, &m->err)
                                      : zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test",
                                                       &model, &m->err);
    if (status < 0)
        fail_msg("%s", m->err.text);
    m->over = periodic_parameter(m, over);
    m->drive = periodic_parameter(m, drive);
    options.nparameter = 1;
    options.parameter = &m->over;
    if (zw_derive(&m->eq, m->sys, NULL, "lagrange", &m->err) < 0 ||
        zw_kernel_create(&m->kernel, &m->eq, &options, &m->err) < 0 ||
        zw_system_param_values(m->sys, m->p, &m->err) < 0)
        fail_msg("%s", m->err.text);
}

/* harmonics 0, step, 2 step, ... or first, first + step, ... up to top */
static inline void periodic_balance(periodic_model *m, int first, int step, int top, int samples) {
    int list[200], n = 0;
    zw_harmonic_options o = zw_harmonic_options_default();
    for (int h = first; h <= top; h += step)
        list[n++] = h;
    o.nharmonic = n;
    o.harmonic = list;
    o.samples = samples;
    zw_harmonic_destroy(m->balance);
    if (zw_harmonic_create(&m->balance, m->kernel, m->p, &o, periodic_set, m, &m->err) < 0)
        fail_msg("%s", m->err.text);
    memset(m->x, 0, sizeof m->x);
    assert_true(zw_harmonic_problem(m->balance).n < PERIODIC_UNKNOWNS);
}

static inline void periodic_close(periodic_model *m) {
    zw_harmonic_destroy(m->balance);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* of a function */
static inline double periodic_rms(const periodic_model *m, int function) {
    double sum = 0;
    for (int h = 0; h < 200; h++) {
        double c, s;
        zw_harmonic_part(m->balance, m->x, function, h, &c, &s);
        sum += h ? 0.5 * (c * c + s * s) : c * c;
    }
    return sqrt(sum);
}

static inline double periodic_amplitude(const periodic_model *m, const double *x, int function,
                                        int harmonic) {
    double c, s;
    zw_harmonic_part(m->balance, x, function, harmonic, &c, &s);
    return hypot(c, s);
}

static inline zw_status periodic_solve(periodic_model *m, double a) {
    zw_cont_problem problem = zw_harmonic_problem(m->balance);
    m->err = (zw_error){0};
    return zw_cont_correct(&problem, 1e-12, m->x, a, NULL, NULL, &m->err);
}

#endif
