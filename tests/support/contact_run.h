/* SPDX-License-Identifier: MIT */
/* Shipped models with contacts, run in time steps. */
#ifndef ZW_TEST_CONTACT_RUN_H
#define ZW_TEST_CONTACT_RUN_H

#include <stdlib.h>

#include "support/simulation.h"

enum { SETTINGS_MAX = 6 };

/* What is asked of a model: its text or its name, and how it is run. */
typedef struct contact_run {
    const char *model; /* models/NAME.zw, or a text if it has several lines */
    const char *set[SETTINGS_MAX], *law[SETTINGS_MAX], *variant;
    double until, step, every; /* every: between rows, 0: a thousandth */
    double rtol;               /* 0: 1e-11 */
    bool energy, corrected, gauss_seidel;
    zw_sim_scheme scheme;
} contact_run;

static inline int count_strings(const char *const *list) {
    int n = 0;
    while (n < SETTINGS_MAX && list[n])
        n++;
    return n;
}

/* the caller's to free */
static inline char *model_text(const char *name) {
    char path[512];
    if (strchr(name, '\n'))
        return strdup(name);
    snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s.zw", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("no file %s", path);
    char *text = calloc(1, 1 << 16);
    size_t n = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    assert_true(n < (1 << 16) - 1);
    return text;
}

static inline simulation contact_try(const contact_run *r) {
    simulation s = simulation_make(r->until);
    s.options.run.step = r->step;
    if (r->rtol > 0) {
        s.options.run.rtol = r->rtol;
        s.options.run.atol = 1e-2 * r->rtol;
    }
    s.options.step_out = r->every;
    s.options.energy = r->energy;
    s.options.contacts = r->scheme;
    s.options.overlap = r->corrected ? ZW_SIM_OVERLAP_CORRECTED : ZW_SIM_OVERLAP_STAYS;
    s.options.solver = r->gauss_seidel ? ZW_CONTACT_GAUSS_SEIDEL : ZW_CONTACT_AUTO;
    s.model = (zw_model_options){.size = sizeof s.model,
                                 .variant = r->variant,
                                 .nset = count_strings(r->set),
                                 .set = r->set,
                                 .nlaw = count_strings(r->law),
                                 .law = r->law};
    char *text = model_text(r->model);
    simulation_run(&s, text);
    free(text);
    return s;
}

static inline simulation contact_do(const contact_run *r) {
    simulation s = contact_try(r);
    assert_done(&s);
    return s;
}

/* a column at the end of a run, or at its row */
static inline double contact_end(const contact_run *r, const char *column) {
    simulation s = contact_do(r);
    double value = at(zw_sim_rows(s.sim), -1, column);
    simulation_clear(&s);
    return value;
}

/* slope of log(error) over log(h), by least squares */
static inline double order_of(int n, const double *h, const double *error) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double x = log(h[i]), y = log(error[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

#endif
