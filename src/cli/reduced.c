/* SPDX-License-Identifier: MIT */
/* Studies that need explicit equations: the reduced model, or the flow on the slow manifold, in the place of the model. */
#include "reduced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derive.h"

#define DIFFERS 1e-9 /* of the rates: more than rounding */

enum { STATES = 40 };

zw_status cli_reduce_checked(zw_reduction **out, const zw_system *sys, double *difference,
                             int *states, const zw_reduce_options *options, zw_error *err) {
    ZW_TRY(zw_reduce(out, sys, options, err));
    zw_status status = zw_reduction_check(*out, STATES, difference, err);
    if (status >= 0 && !(*difference <= DIFFERS))
        status = zw_fail(err, ZW_E_NUMERIC,
                         "the reduced equations differ from those of the model by %.2g at random "
                         "states",
                         *difference);
    *states = STATES;
    if (status < 0) {
        zw_reduction_destroy(*out);
        *out = NULL;
    }
    return status;
}

static bool is_constrained(const zw_system *s) {
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].on)
            return true;
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            return true;
    return false;
}

/* The text in the place of the model: what was set, switched and chosen is in it. Doubts are those of the first one. */
static zw_status replace(cli_model *m, const char *text, const char *path, const cli_options *o,
                         zw_error *err) {
    cli_options plain = *o;
    plain.model = (cli_model_options){.constants = o->model.constants, .bodies = o->model.bodies};
    zw_doubts *doubts = m->doubts;
    char *copy = strdup(text);
    if (!copy)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    m->doubts = NULL;
    cli_model_close(m);
    zw_status status = cli_model_begin(m, &plain, err);
    m->text = copy;
    m->length = strlen(copy);
    m->doubts = doubts;
    return status < 0 ? status
                      : zw_model_parse(&m->sys, m->ctx, m->text, m->length, path, &m->options, err);
}

/* ------------------------------------------------------------------------------------------- reduction */

static void tell_names(const char *before, int n, const zw_reduced_entry *e) {
    for (int i = 0; i < n; i++)
        fprintf(stderr, "%s%s", i ? ", " : before, e[i].name);
}

static void tell(const cli_options *o, const zw_system *sys, const zw_reduced *z) {
    if (o->quiet)
        return;
    fprintf(stderr, "note: %s is reduced to %d state%s", sys->name, z->n, z->n == 1 ? "" : "s");
    tell_names(": ", z->n, z->entry);
    tell_names("; left out: ", z->nleft, z->left);
    for (int i = 0; i < z->nreplaced; i++)
        fprintf(stderr, "%s%s",
                i ? ", " : "; given by constraints: ", zw_expr_name(sys->ctx, z->symbol[i]));
    fputs("\n", stderr);
}

/* The model again, with names for what is constant, and from it the text of the reduced one; NULL: as it is. */
static zw_status reduced_text(const cli_model *m, const char *path, const cli_options *o,
                              cli_reduce_when when, zw_context *ctx, char **text, zw_error *err) {
    zw_model_options options = m->options;
    zw_system *sys;
    zw_reduction *r = NULL;
    double difference;
    int states;
    zw_reduce_options reduce = zw_reduce_options_default();
    reduce.coordinates = when == CLI_REDUCE_COORDINATES;
    options.constants = options.bodies = true;
    ZW_TRY(zw_model_parse(&sys, ctx, m->text, m->length, path, &options, err));
    zw_status status = cli_reduce_checked(&r, sys, &difference, &states, &reduce, err);
    if (status >= 0 && (when != CLI_REDUCE_LEFT_OUT || zw_reduction_get(r)->nleft > 0)) {
        *text = zw_reduction_model(r, path, err);
        status = *text ? ZW_OK : err->status;
    }
    if (*text)
        tell(o, sys, zw_reduction_get(r));
    zw_reduction_destroy(r);
    return status;
}

zw_status cli_model_reduce(cli_model *m, const char *path, const cli_options *o,
                           cli_reduce_when when, zw_error *err) {
    zw_error why = {0};
    char *text = NULL;
    if (!is_constrained(m->sys))
        return ZW_OK;
    zw_context *ctx = zw_context_create(NULL);
    if (!ctx)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_status status = reduced_text(m, path, o, when, ctx, &text, &why);
    if (text)
        status = replace(m, text, path, o, &why);
    else if (when == CLI_REDUCE_LEFT_OUT && status != ZW_E_MEMORY)
        status = ZW_OK; /* the model as it is may do */
    zw_context_destroy(ctx);
    if (status < 0)
        *err = why;
    return status;
}

/* ----------------------------------------------------------------------------------------- slow manifold */

zw_status cli_model_slow(cli_model *m, const char *path, const cli_options *o, const char *small,
                         int order, zw_error *err) {
    zw_manifold_options options = zw_manifold_options_default();
    zw_manifold *study;
    cli_options named = *o;
    options.small = small;
    options.nfast = o->slow.fast.n;
    options.fast = o->slow.fast.item;
    options.order = order;
    ZW_TRY(zw_manifold_create(&study, m->sys, &options, err));
    char *text = zw_manifold_model(study, order, path, err);
    const zw_manifold_result *r = zw_manifold_get(study);
    zw_status status = text ? ZW_OK : err->status < 0 ? err->status : ZW_E_MEMORY;
    if (text && !o->quiet) {
        fprintf(stderr, "note: the flow on the slow manifold, up to %s^%d",
                zw_expr_name(m->ctx, r->small), order);
        for (int i = 0; i < r->nx; i++)
            fprintf(stderr, "%s%s", i ? ", " : ": ", r->x[i].name);
        for (int i = 0; i < r->ny; i++)
            fprintf(stderr, "%s%s", i ? ", " : "; left out, fast: ", r->y[i].name);
        fputs("\n", stderr);
    }
    zw_manifold_destroy(study);
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        status = zw_fail(err, ZW_E_MEMORY, "out of memory");
    if (copy)
        status = replace(m, copy, path, &named, err);
    free(copy);
    return status;
}
