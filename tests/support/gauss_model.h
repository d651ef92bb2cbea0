/* SPDX-License-Identifier: MIT */
/* A driven model and its period-integrated Gaussian over a parameter. */
#ifndef ZW_TEST_GAUSS_MODEL_H
#define ZW_TEST_GAUSS_MODEL_H

#include "motion/harmonic/balance.h"
#include "support/periodic_model.h"

typedef struct gauss_model {
    periodic_model m;
    zw_gauss_integral *g;
    zw_kernel *switches;               /* gauss_kinks */
    zw_gauss_integral_options options; /* all but the harmonics */
    double x[PERIODIC_UNKNOWNS];
} gauss_model;

static inline void gauss_open(gauss_model *t, const char *text, const char *variant,
                              const char *over) {
    periodic_open(&t->m, text, variant, over, over);
    t->g = NULL;
    t->switches = NULL;
    t->options = zw_gauss_integral_options_default();
    if (zw_kernel_require(t->m.kernel, ZW_SET(SECOND) | ZW_SET(OBS) | ZW_SET(OBS_JAC), &t->m.err) <
        0)
        fail_msg("%s", t->m.err.text);
    memset(t->x, 0, sizeof t->x);
}

/* integrals over Gauss points between kinks from now on */
static inline void gauss_kinks(gauss_model *t) {
    zw_kernel_options o = zw_kernel_options_default();
    o.jit = ZW_JIT_NEVER;
    o.lanes = 8;
    o.modes = true;
    o.functions = ZW_SET(SWITCHES) | ZW_SET(SWITCH_RATE);
    if (zw_kernel_create(&t->switches, &t->m.eq, &o, &t->m.err) < 0)
        fail_msg("%s", t->m.err.text);
    t->options.switches = t->switches;
}

/* harmonics first, first + step, ... up to top; x is that of the problem before, as far as it has
 * them */
static inline void gauss_trial(gauss_model *t, int first, int step, int top) {
    static double old[PERIODIC_UNKNOWNS];
    int list[200], n = 0;
    zw_gauss_integral *before = t->g;
    for (int h = first; h <= top; h += step)
        list[n++] = h;
    t->options.nharmonic = n;
    t->options.harmonic = list;
    if (zw_gauss_integral_create(&t->g, t->m.kernel, t->m.p, &t->options, periodic_set, &t->m,
                                 &t->m.err) < 0)
        fail_msg("%s", t->m.err.text);
    assert_true(zw_gauss_integral_unknowns(t->g) < PERIODIC_UNKNOWNS);
    memcpy(old, t->x, sizeof old);
    memset(t->x, 0, sizeof t->x);
    if (before)
        zw_gauss_integral_embed(before, old, t->g, t->x);
    zw_gauss_integral_destroy(before);
}

static inline zw_gauss_result gauss_minimise(gauss_model *t, double a) {
    zw_gauss_result r;
    if (zw_gauss_integral_minimise(t->g, t->x, a, &r, &t->m.err) < 0)
        fail_msg("%s", t->m.err.text);
    return r;
}

static inline double gauss_rms(const gauss_model *t, int function) {
    return zw_gauss_integral_rms(t->g, t->x, function);
}

static inline void gauss_close(gauss_model *t) {
    zw_gauss_integral_destroy(t->g);
    zw_kernel_destroy(t->switches);
    periodic_close(&t->m);
}

#endif
