/* SPDX-License-Identifier: MIT */
/* Creation of an ensemble, and queries. The first worker is created immediately, so that errors of
 * the model or the options are reported before any run. */
#include "zwang/ensemble.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "internal.h"

static const char *const *copy_strings(zw_arena *a, int n, const char *const *from) {
    const char **to = ZW_NEW(a, const char *, n + 1);
    for (int i = 0; to && i < n; i++)
        to[i] = zw_arena_string(a, from[i]);
    return to;
}

static void copy_source(zw_ensemble *e, const zw_model_source *source) {
    zw_arena *a = &e->arena;
    e->source = (zw_model_source){.length = source->length,
                                  .text = zw_arena_copy(a, source->text, source->length),
                                  .file = source->file ? zw_arena_string(a, source->file) : NULL};
    if (!source->options)
        return;
    const zw_model_options *m = source->options;
    e->model = (zw_model_options){.size = sizeof e->model,
                                  .variant = m->variant ? zw_arena_string(a, m->variant) : NULL,
                                  .nset = m->nset,
                                  .set = copy_strings(a, m->nset, m->set),
                                  .nwith = m->nwith,
                                  .with = copy_strings(a, m->nwith, m->with),
                                  .nwithout = m->nwithout,
                                  .without = copy_strings(a, m->nwithout, m->without),
                                  .nlaw = m->nlaw,
                                  .law = copy_strings(a, m->nlaw, m->law)};
    e->source.options = &e->model;
}

static int core_count(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (int)n : 1;
}

static zw_status build_ensemble(zw_ensemble *e, const zw_model_source *source,
                                const zw_ensemble_options *options, zw_error *err) {
    if (!source || !source->text)
        return zw_fail(err, ZW_E_OPTION, "an ensemble needs the text of a model");
    ZW_TRY(zw_ensemble_options_adopt(e, options, err));
    copy_source(e, source);
    e->nthread = e->options.threads > 0 ? e->options.threads : core_count();
    e->worker = ZW_NEW(&e->arena, zw_worker, e->nthread);
    if (e->arena.failed)
        return zw_out_of_memory(err, "an ensemble");
    for (int i = 0; i < e->nthread; i++) {
        e->worker[i].e = e;
        e->worker[i].number = i;
    }
    return zw_worker_create(&e->worker[0], err);
}

zw_status zw_ensemble_create(zw_ensemble **out, const zw_model_source *source,
                             const zw_ensemble_options *options, zw_error *err) {
    assert(out);
    *out = NULL;
    const zw_allocator alloc = zw_allocator_default();
    zw_ensemble *e = zw_allocate(&alloc, sizeof *e);
    if (!e)
        return zw_out_of_memory(err, "an ensemble");
    zw_arena_init(&e->arena, NULL);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->ended, NULL);
    zw_status status = build_ensemble(e, source, options, err);
    if (status < 0)
        zw_ensemble_destroy(e);
    else
        *out = e;
    return status;
}

void zw_ensemble_destroy(zw_ensemble *e) {
    if (!e)
        return;
    for (int i = e->worker ? e->nthread - 1 : -1; i > 0; i--)
        zw_worker_destroy(&e->worker[i]);
    zw_lane_group_destroy(e); /* its kernels live in the context of the first worker */
    if (e->worker)
        zw_worker_destroy(&e->worker[0]);
    zw_arena_clear(&e->arena);
    pthread_cond_destroy(&e->ended);
    pthread_mutex_destroy(&e->lock);
    const zw_allocator alloc = zw_allocator_default();
    zw_release(&alloc, e, sizeof *e);
}

/* -------------------------------------------------------------------------------- queries */

int zw_ensemble_states(const zw_ensemble *e) {
    return e->worker[0].sys->nq + e->worker[0].sys->nv;
}

const char *zw_ensemble_state(const zw_ensemble *e, int i) {
    const zw_system *s = e->worker[0].sys;
    if (i < 0 || i >= s->nq + s->nv)
        return NULL;
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

zw_status zw_ensemble_defaults(const zw_ensemble *e, const bool *set, double *p, zw_error *err) {
    const zw_system *s = e->worker[0].sys;
    return set ? zw_system_param_follow(s, set, p, err) : zw_system_param_values(s, p, err);
}

void zw_ensemble_statistics(const zw_ensemble *e, zw_ensemble_info *out, size_t size) {
    const zw_ensemble_info info = {.motions = e->motions,
                                   .failed = e->failed,
                                   .steps = e->steps,
                                   .rejected = e->rejected,
                                   .handed_over = e->handed_over,
                                   .seconds = e->seconds,
                                   .threads = e->nthread,
                                   .lanes = e->lane_group.lanes > 0 ? e->lane_group.lanes : 1,
                                   .method = e->method,
                                   .why = e->why,
                                   .doubtful = e->doubtful,
                                   .arithmetic =
                                       e->lane_group.arithmetic ? e->lane_group.arithmetic : "",
                                   .contacts = e->scheme ? e->scheme : "",
                                   .in_steps = e->in_steps,
                                   .in_steps_why = e->in_steps ? e->in_steps_why : "",
                                   .doubt = e->doubt ? e->doubt : ""};
    memset(out, 0, size);
    memcpy(out, &info, size < sizeof info ? size : sizeof info);
}
