/* SPDX-License-Identifier: MIT */
/* What must be true of a random model (random_model.h), whatever it is:
 *   - it is read;
 *   - all principles that apply agree on accelerations and multipliers;
 *   - every principle's equations can be written in all forms;
 *   - a run ends or fails with words; on it the constraints are kept, and the energy if it is
 *     conservative; the works
 *     of all that works make up for the rest;
 *   - another method comes to the same end;
 *   - native code gives the same bits;
 *   - the result that is written is read as it was.
 * random_model_check gives NULL, or what is not true. */
#ifndef ZW_TEST_RANDOM_CHECKS_H
#define ZW_TEST_RANDOM_CHECKS_H

#include <math.h>
#include <stdlib.h>

#include "support/equations_json.h"
#include "support/random_model.h"
#include "zwang/zwang.h"

typedef struct random_checked {
    char what[1200];
    int compared; /* principles that agree */
    bool ran;     /* to the end */
} random_checked;

static inline const char *random_model_say(random_checked *c, const char *what,
                                           const zw_error *err) {
    snprintf(c->what, sizeof c->what, "%s: %s", what, err->text[0] ? err->text : "no word");
    return c->what;
}

static inline const char *random_model_compare(random_checked *c, const zw_model_source *source) {
    zw_compare_options options = zw_compare_options_default();
    zw_comparison *comparison;
    zw_error err = {0};
    options.states = 3;
    options.tolerance = 1e-8;
    if (zw_compare(&comparison, source, &options, &err) < 0)
        return err.status == ZW_E_SINGULAR || err.status == ZW_E_MODEL || err.status == ZW_E_NUMERIC
                   ? NULL
                   : random_model_say(c, "compare", &err);
    const char *bad = NULL;
    for (int i = 0; i < zw_comparison_summary(comparison)->nrow; i++)
        c->compared += zw_comparison_row(comparison, i)->applies;
    if (zw_comparison_judge(comparison, &err) < 0)
        bad = random_model_say(c, "principles do not agree", &err);
    zw_comparison_destroy(comparison);
    return bad;
}

static inline const char *random_model_write(random_checked *c, const zw_system *sys,
                                             int principle) {
    zw_equations eq;
    zw_error err = {0};
    zw_status status = zw_derive(&eq, sys, NULL, zw_principles()[principle].name, &err);
    if (status < 0)
        return err.text[0] ? NULL : random_model_say(c, "refused", &err);
    for (int f = ZW_EQUATIONS_TEXT; f <= ZW_EQUATIONS_PAGE; f++) {
        char *text = zw_equations_write(&eq, (zw_equation_format)f, (zw_simplification)(f % 3));
        if (!text || !text[0])
            return random_model_say(c, "not written", &err);
        zw_string_free(sys->ctx, text);
    }
    char *json = equations_json(&eq, NULL);
    if (!json)
        return random_model_say(c, "not reported", &err);
    free(json);
    char *code = zw_emit_c(&eq, &err);
    if (!code)
        return random_model_say(c, "no C", &err);
    zw_string_free(sys->ctx, code);
    return NULL;
}

static inline bool random_model_same(const zw_table *a, const zw_table *b) {
    if (zw_table_rows(a) != zw_table_rows(b) || zw_table_columns(a) != zw_table_columns(b))
        return false;
    long n = zw_table_rows(a) * zw_table_columns(a);
    for (long i = 0; i < n; i++) {
        double x = zw_table_data(a)[i], y = zw_table_data(b)[i];
        if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y)))
            return false;
    }
    return true;
}

static inline const char *random_model_read_back(random_checked *c, const zw_table *rows) {
    zw_bytes bytes;
    zw_table *back;
    zw_error err = {0};
    if (zw_table_csv_bytes(rows, &bytes, &err) < 0 ||
        zw_table_read_bytes(&back, bytes.data, bytes.size, "csv", &err) < 0)
        return random_model_say(c, "result as CSV", &err);
    bool same = random_model_same(rows, back);
    zw_bytes_clear(&bytes);
    zw_table_destroy(back);
    return same ? NULL : random_model_say(c, "the result is read differently", &err);
}

static inline const char *random_model_keeps(random_checked *c, const random_model *m,
                                             const zw_sim *sim) {
    zw_sim_info info = zw_sim_statistics(sim);
    zw_error err = {0};
    const zw_table *rows = zw_sim_rows(sim);
    if (info.run.position_residual > 1e-8 || info.run.velocity_residual > 1e-8)
        return random_model_say(c, "constraints are not kept", &err);
    double scale = 1;
    int T = zw_table_find(rows, "kinetic"), V = zw_table_find(rows, "potential");
    for (long i = 0; i < zw_table_rows(rows); i++)
        scale = fmax(scale, fabs(zw_table_at(rows, i, T)) + fabs(zw_table_at(rows, i, V)));
    if (m->conservative && fabs(info.run.energy_end - info.run.energy_start) > 1e-6 * scale) {
        snprintf(err.text, sizeof err.text, "%.17g at the start, %.17g at the end",
                 info.run.energy_start, info.run.energy_end);
        return random_model_say(c, "energy is not kept", &err);
    }
    double drift = zw_table_at(rows, zw_table_rows(rows) - 1, zw_table_find(rows, "drift"));
    double limit = m->contact ? 1e-3 : 1e-6; /* of first order: steps of 1e-4 with contacts */
    if (!(fabs(drift) <= limit * scale)) {
        snprintf(err.text, sizeof err.text, "%.17g of %.17g are missing", drift, scale);
        return random_model_say(c, "the balance of energy does not close", &err);
    }
    return NULL;
}

/* where both have come to the end, they are at the same place */
static inline const char *random_model_agree(random_checked *c, const zw_sim *a, const zw_sim *b) {
    const zw_table *x = zw_sim_rows(a), *y = zw_sim_rows(b);
    zw_error err = {0};
    int n = zw_sim_statistics(a).nstate;
    for (int i = 1; i <= n; i++) {
        double p = zw_table_at(x, zw_table_rows(x) - 1, i),
               q = zw_table_at(y, zw_table_rows(y) - 1, i);
        if (!(fabs(p - q) <= 1e-4 * (1 + fabs(p)))) {
            snprintf(err.text, sizeof err.text, "%s is %.17g by one and %.17g by the other",
                     zw_table_name(x, i), p, q);
            return random_model_say(c, "methods do not agree", &err);
        }
    }
    return NULL;
}

/* Does it end well? Failures of the numerics are welcome if they have words; then *sim is NULL. */
static inline const char *random_model_run(random_checked *c, zw_sim **sim, const zw_system *sys,
                                           const zw_model_source *source, const char *method,
                                           const char *principle, zw_jit jit) {
    zw_sim_options options = zw_sim_options_default();
    zw_error err = {0};
    options.until = 0.4;
    options.step_out = 0.05;
    options.energy = true;
    options.jit = jit;
    options.principle = principle;
    options.run.method = method;
    options.run.rtol = 1e-9;
    options.run.atol = 1e-11;
    options.run.steps_max = 20000;
    if (zw_sim_create(sim, sys, source, &options, &err) < 0)
        return err.text[0] ? NULL : random_model_say(c, "start", &err);
    if (zw_sim_run(*sim, &err) >= 0)
        return NULL;
    const char *bad = err.text[0] ? NULL : random_model_say(c, "run", &err);
    zw_sim_destroy(*sim);
    *sim = NULL;
    return bad;
}

static inline const char *random_model_move(random_checked *c, const random_model *m,
                                            const zw_system *sys, const zw_model_source *source,
                                            unsigned choice) {
    static const char *const other[] = {"radau", "bdf", "rk54", "erk", "ida", "adams"};
    static const char *const by[] = {"lagrange", "gauss", "maggi", "kane", "gibbs-appell"};
    zw_sim *one = NULL, *two = NULL;
    const char *bad = random_model_run(c, &one, sys, source, NULL, NULL, ZW_JIT_NEVER);
    if (!bad && one) {
        c->ran = true;
        bad = random_model_keeps(c, m, one);
        if (!bad)
            bad = random_model_read_back(c, zw_sim_rows(one));
        if (!bad)
            bad = random_model_run(c, &two, sys, source, other[choice % 6], by[choice / 6 % 5],
                                   ZW_JIT_NEVER);
        if (!bad && two)
            bad = random_model_agree(c, one, two);
        zw_sim_destroy(two);
        two = NULL;
        if (!bad && choice % 4 == 0 && zw_native_library(NULL, NULL) >= 0) {
            bad = random_model_run(c, &two, sys, source, NULL, NULL, ZW_JIT_AT_ONCE);
            if (!bad && two && !random_model_same(zw_sim_rows(one), zw_sim_rows(two)))
                bad = random_model_say(c, "native code gives other bits", &(zw_error){0});
            zw_sim_destroy(two);
        }
    }
    zw_sim_destroy(one);
    return bad;
}

/* choice: which of the many combinations of methods, principles and forms are tried */
static inline const char *random_model_check(random_checked *c, const random_model *m,
                                             unsigned choice) {
    const zw_model_source source = {.text = m->text, .length = m->n, .file = "random.zw"};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_error err = {0};
    int principles = 1; /* there is one at least */
    while (zw_principles()[principles].name)
        principles++;
    *c = (random_checked){0};
    const char *bad = NULL;
    if (!ctx || zw_model_parse(&sys, ctx, m->text, m->n, "random.zw", NULL, &err) < 0)
        bad = random_model_say(c, "not read", &err);
    if (!bad)
        bad = random_model_compare(c, &source);
    if (!bad)
        bad = random_model_write(c, sys, (int)(choice % (unsigned)principles));
    if (!bad)
        bad = random_model_move(c, m, sys, &source, choice);
    zw_context_destroy(ctx);
    return bad;
}

#endif
