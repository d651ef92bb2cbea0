/* SPDX-License-Identifier: MIT */
/* A study of drives without a common period, for the tests of them. */
#ifndef ZW_TESTS_STUDY_FORCED_TONES_H
#define ZW_TESTS_STUDY_FORCED_TONES_H

#include <math.h>

#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
#define TWO "cos(W*t) + cos((1 + sqrt(5))/2*W*t)"

typedef struct forced {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *study;
    zw_error err;
} forced;

static forced f;

static inline zw_status open_study(const char *path, const char *set, zw_forced_options options) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    f = (forced){.ctx = zw_context_create(NULL)};
    zw_status status =
        path[0] == '/' ? zw_model_read(&f.sys, f.ctx, path, &model, &f.err)
                       : zw_model_parse(&f.sys, f.ctx, path, strlen(path), "test", &model, &f.err);
    if (status < 0)
        fail_msg("%s", f.err.text);
    return zw_forced_create(&f.study, f.sys, &options, &f.err);
}

static inline void close_study(void) {
    zw_forced_destroy(f.study);
    zw_context_destroy(f.ctx);
}

static inline zw_forced_options over(const char *text) {
    zw_forced_options o = zw_forced_options_default();
    o.over = text;
    return o;
}

static inline const zw_forced_motion *find_first(const char *text, const char *set) {
    if (open_study(text, set, zw_forced_options_default()) < 0 ||
        zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
        fail_msg("%s", f.err.text);
    return zw_forced_motion_at(f.study, 0);
}

static inline void open_curves(const char *text, const char *set, zw_forced_options o) {
    o.step_max = 0.05;
    if (open_study(text, set, o) < 0 || zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
}

/* no warnings but these */
static inline void assert_doubts(int n) {
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_forced_warnings(f.study, doubts);
    assert_int_equal(zw_warnings_count(doubts), n);
    zw_warnings_destroy(doubts);
}

#endif
