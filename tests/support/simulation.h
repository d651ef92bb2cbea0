/* SPDX-License-Identifier: MIT */
/* A model text simulated from C, with what the tests of simulations ask for. */
#ifndef ZW_TEST_SIMULATION_H
#define ZW_TEST_SIMULATION_H

#include "support/test.h"
#include "zwang/zwang.h"

typedef struct simulation {
    zw_context *ctx;
    zw_system *sys;
    zw_sim *sim;
    zw_sim_options options;
    zw_model_options model;
    zw_error err;
    zw_status status; /* of the last call */
} simulation;

static inline simulation simulation_make(double until) {
    simulation s = {.options = zw_sim_options_default()};
    s.options.until = until;
    s.options.run.rtol = 1e-11;
    s.options.run.atol = 1e-13;
    return s;
}

/* status and err tell how it went */
static inline void simulation_create(simulation *s, const char *text) {
    s->ctx = zw_context_create(NULL);
    zw_model_source source = {text, strlen(text), "test.zw", &s->model};
    s->status =
        zw_model_parse(&s->sys, s->ctx, text, source.length, source.file, &s->model, &s->err);
    if (s->status >= 0)
        s->status = zw_sim_create(&s->sim, s->sys, &source, &s->options, &s->err);
}

static inline void simulation_run(simulation *s, const char *text) {
    simulation_create(s, text);
    if (s->status >= 0)
        s->status = zw_sim_run(s->sim, &s->err);
}

static inline void simulation_clear(simulation *s) {
    zw_sim_destroy(s->sim);
    zw_context_destroy(s->ctx);
}

static inline void assert_done(const simulation *s) {
    if (s->status < 0)
        fail_msg("%s", s->err.text);
}

static inline double at(const zw_table *t, long row, const char *column) {
    int c = zw_table_find(t, column);
    if (c < 0)
        fail_msg("no column %s", column);
    if (row < 0)
        row += zw_table_rows(t);
    assert_in_range(row, 0, zw_table_rows(t) - 1);
    return zw_table_at(t, row, c);
}

static inline const char *note_of(const zw_table *t, const char *key) {
    for (int i = 0; i < zw_table_notes(t); i++)
        if (strcmp(zw_table_note_key(t, i), key) == 0)
            return zw_table_note_value(t, i);
    return NULL;
}

static inline void assert_text_has(const char *text, const char *part) {
    if (!text || !strstr(text, part))
        fail_msg("no '%s' in: %s", part, text ? text : "(nothing)");
}

#endif
