/* SPDX-License-Identifier: MIT */
/* What the tests of ensembles share. */
#ifndef ZW_TEST_MANY_H
#define ZW_TEST_MANY_H

#include <stdlib.h>

#include "support/test.h"
#include "zwang/zwang.h"

/* the text of a model that comes with Zwang; to be freed */
static inline char *many_text(const char *model) {
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, model);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s", path);
    char *text = malloc(1 << 16);
    size_t n = fread(text, 1, (1 << 16) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

static inline zw_ensemble_options many_options(void) {
    zw_ensemble_options o = zw_ensemble_options_default();
    o.engine = ZW_ENSEMBLE_SINGLE;
    o.threads = 1;
    return o;
}

/* 1: one by one */
static inline zw_ensemble_options many_engine(int lanes) {
    zw_ensemble_options o = many_options();
    o.engine = lanes > 1 ? ZW_ENSEMBLE_LANES : ZW_ENSEMBLE_SINGLE;
    o.lanes = lanes > 1 ? lanes : 0;
    return o;
}

static inline zw_ensemble *many_create(const char *text, const zw_ensemble_options *o) {
    zw_ensemble *e;
    zw_error err = {0};
    const zw_model_source source = {text, strlen(text), "test.zw", NULL};
    if (zw_ensemble_create(&e, &source, o, &err) < 0)
        fail_msg("%s", err.text);
    return e;
}

static inline void many_run(zw_ensemble *e, const zw_ensemble_client *client, uint64_t count) {
    zw_error err = {0};
    if (zw_ensemble_run(e, client, 0, count, &err) != ZW_OK)
        fail_msg("%s", err.text);
}

static inline int many_state(const zw_ensemble *e, const char *name) {
    for (int i = 0; i < zw_ensemble_states(e); i++)
        if (strcmp(zw_ensemble_state(e, i), name) == 0)
            return i;
    fail_msg("no state %s", name);
    return -1;
}

/* FNV-1a */
static inline uint64_t many_hash(uint64_t hash, const void *data, size_t n) {
    const unsigned char *byte = data;
    hash = hash ? hash : 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

#endif
