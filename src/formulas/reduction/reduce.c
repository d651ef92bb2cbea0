/* SPDX-License-Identifier: MIT */
/* Reduction: explicit equations without symmetric coordinates, and their check against the full
 * system. */
#include "reduce.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "motion/jumps.h"
#include "zwang/equations.h"
#include "zwang/flow.h"
#include "zwang/kernel.h"
#include "zwang/model.h"
#include "zwang/simulate.h"

enum { ATTEMPTS = 10 }; /* random states per compared state */

void zw_reduce_options_init(zw_reduce_options *options, size_t size) {
    const zw_reduce_options all = {.size = size};
    zw_options_begin(options, size, &all, sizeof all);
}

zw_status zw_reduce_memory(zw_error *err) {
    return zw_out_of_memory(err, NULL);
}

/* ------------------------------------------------------------------------------------- samples */

static zw_status draw_samples(zw_reduction *r, zw_error *err) {
    int n = 1 + r->sys->nq + r->sys->nv;
    zw_sampler *sampler;
    r->sample = ZW_REDUCE_NEW(r, double, ZW_REDUCE_SAMPLES *n);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    ZW_TRY(zw_sampler_create(&sampler, r->sys, NULL, NULL, err));
    for (int k = 0; k < ZW_REDUCE_SAMPLES; k++) {
        double *row = r->sample + k * n;
        ZW_TRY(zw_sampler_state(sampler, k, row, row + 1, err));
    }
    return ZW_OK;
}

bool zw_reduce_is_zero(zw_reduction *r, zw_expr e, zw_expr size) {
    int n = 1 + r->sys->nq + r->sys->nv;
    zw_expr both[2] = {e, size};
    for (int k = 0; k < ZW_REDUCE_SAMPLES && e != ZW_ZERO; k++) {
        const double *row = r->sample + k * n;
        double value[2];
        if (!zw_explicit_eval(&r->rates, &r->arena, 2, both, row[0], row + 1, value) ||
            fabs(value[0]) > ZW_ROUNDOFF_SOLVED * fabs(value[1]))
            return false;
    }
    return true;
}

/* ----------------------------------------------------------------------------------- the result */

/* Is this the velocity of a coordinate that is an entry too, and has another rate? Without X, as in
 * x - X, the rate of x is x' - X', and x' remains a velocity. */
static bool is_other_rate(const zw_reduction *r, const zw_rated *e) {
    const zw_explicit *x = &r->rates;
    int coord = e->index < x->eq.nq ? -1 : x->sys->velocity[e->index - x->eq.nq].coord;
    for (int i = 0; coord >= 0 && i < x->nentry; i++)
        if (x->entry[i].index == coord)
            return x->entry[i].num != e->sym || x->entry[i].den != ZW_ONE;
    return false;
}

static zw_reduced_entry entry_of(const zw_reduction *r, const zw_rated *e, double at) {
    bool other = e->turned || strchr(e->name, '.') || is_other_rate(r, e);
    return (zw_reduced_entry){.name = e->name,
                              .unit = e->unit,
                              .plain = other ? zw_explicit_plain_name(&r->rates, e->name) : e->name,
                              .sym = e->sym,
                              .rate = zw_reduce_put_momenta(r, zw_div(r->ctx, e->num, e->den)),
                              .index = e->index,
                              .at = at,
                              .turned = e->turned};
}

static zw_status fill_result(zw_reduction *r, zw_error *err) {
    const zw_explicit *x = &r->rates;
    zw_reduced_entry *entry = ZW_REDUCE_NEW(r, zw_reduced_entry, x->nentry),
                     *left = ZW_REDUCE_NEW(r, zw_reduced_entry, x->nleft);
    double *start = ZW_REDUCE_NEW(r, double, r->sys->nq + r->sys->nv);
    bool *fixed = ZW_REDUCE_NEW(r, bool, r->sys->nq + r->sys->nv);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    ZW_TRY(zw_system_start_state(r->sys, r->p, start, fixed, err));
    ZW_TRY(zw_system_complete(r->sys, NULL, 0, r->p, start, NULL, err));
    if (!zw_explicit_to_slice(&r->all, &r->arena, 0, start))
        return zw_fail(err, ZW_E_DOMAIN, "the formulas have no value at the start");
    ZW_TRY(zw_reduce_momenta(r, start, err));
    int n = 0;
    for (int i = 0; i < x->nentry; i++)
        if (!zw_reduce_is_held(r, x->entry[i].index))
            entry[n++] = entry_of(r, &x->entry[i], start[x->entry[i].index]);
    for (int i = 0; i < x->nleft; i++)
        left[i] = entry_of(r, &x->left[i].entry, x->left[i].at);
    r->result = (zw_reduced){.n = n,
                             .nleft = x->nleft,
                             .nreplaced = r->all.nreplaced,
                             .entry = entry,
                             .left = left,
                             .symbol = r->all.symbol,
                             .value = r->all.value,
                             .nmomentum = r->nheld,
                             .momentum = r->held,
                             .mechanical = r->routh != NULL};
    return zw_context_status(r->ctx, err);
}

/* Coordinates of this name, and those of a free rotation whose body has it. */
static int mark_kept(zw_reduction *r, const char *name) {
    const zw_system *s = r->sys;
    size_t length = strlen(name);
    int n = 0;
    for (int i = 0; i < s->nq; i++) {
        const char *other = s->coord[i].name;
        bool same = strcmp(name, "all") == 0 || strcmp(name, other) == 0 ||
                    (strncmp(name, other, length) == 0 && strncmp(other + length, ".p", 2) == 0);
        r->kept[i] = r->kept[i] || same;
        n += same;
    }
    return n;
}

static zw_status find_kept(zw_reduction *r, zw_error *err) {
    const zw_system *s = r->sys;
    const char *names[64];
    int n = 0;
    r->kept = ZW_REDUCE_NEW(r, bool, s->nq);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    for (int i = 0; i < s->nq && n < 64; i++)
        names[n++] = s->coord[i].name;
    for (int i = 0; i < r->options.nkeep; i++) {
        if (mark_kept(r, r->options.keep[i]) > 0)
            continue;
        const char *near = zw_nearest(r->options.keep[i], n, names);
        zw_fail(err, ZW_E_NAME, "there is no coordinate '%s' to keep", r->options.keep[i]);
        if (near)
            zw_error_hint(err, "did you mean %s?", near);
        return ZW_E_NAME;
    }
    return ZW_OK;
}

static zw_status find_rates(zw_reduction *r, zw_error *err) {
    ZW_TRY(zw_explicit_find(&r->rates, &r->arena, err));
    return zw_explicit_drop_symmetric(&r->rates, &r->arena, err);
}

/* Are the same entries kept and left out, in the same order? */
static bool is_same_state(const zw_explicit *a, const zw_explicit *b) {
    bool same = a->nentry == b->nentry && a->nleft == b->nleft;
    for (int i = 0; same && i < a->nentry; i++)
        same = a->entry[i].index == b->entry[i].index;
    for (int i = 0; same && i < a->nleft; i++)
        same = a->left[i].entry.index == b->left[i].entry.index;
    return same;
}

/* Derives once more, with the values of the coordinates left out substituted before the
 * elimination: the same equations, shorter formulas. */
static zw_status shorten_rates(zw_reduction *r, zw_error *err) {
    zw_explicit first = r->rates;
    zw_expr *fixed = ZW_REDUCE_NEW(r, zw_expr, first.nleft),
            *at = ZW_REDUCE_NEW(r, zw_expr, first.nleft);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    for (int i = 0; i < first.nleft; i++) {
        fixed[i] = first.left[i].entry.sym;
        at[i] = first.left[i].at == 0 ? ZW_ZERO : ZW_ONE;
    }
    r->rates = (zw_explicit){.sys = r->sys,
                             .ctx = r->ctx,
                             .p = r->p,
                             .rotations = true,
                             .stay = r->kept,
                             .nfixed = first.nleft,
                             .fixed = fixed,
                             .at = at};
    zw_error why = {0};
    if (find_rates(r, &why) < 0 || !is_same_state(&r->rates, &first)) {
        zw_context_reset_status(r->ctx);
        r->rates = first; /* the second derivation chose other independent velocities */
        return ZW_OK;
    }
    for (int i = 0; i < first.nleft;
         i++) { /* at these values a symmetry may seem to have no effect on velocities */
        zw_rated entry = r->rates.left[i].entry;
        r->rates.left[i] = first.left[i];
        r->rates.left[i].entry = entry;
    }
    for (int i = 0; i < first.nentry; i++)
        r->rates.entry[i].turned = first.entry[i].turned;
    return ZW_OK;
}

static zw_status build_reduction(zw_reduction *r, zw_error *err) {
    ZW_TRY(zw_refuse_breaks(r->sys, ZW_E_MODEL, "the reduced equations are those of smooth motions",
                            err));
    r->p = ZW_REDUCE_NEW(r, double, r->sys->np);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    ZW_TRY(zw_system_param_values(r->sys, r->p, err));
    ZW_TRY(draw_samples(r, err));
    ZW_TRY(find_kept(r, err));
    r->rates =
        (zw_explicit){.sys = r->sys, .ctx = r->ctx, .p = r->p, .rotations = true, .stay = r->kept};
    ZW_TRY(find_rates(r, err));
    r->all = r->rates;
    if (r->rates.nleft && r->sys->nv)
        ZW_TRY(shorten_rates(r, err));
    for (int i = 0; i < r->rates.nentry; i++)
        if (zw_explicit_is_quaternion(&r->rates, r->rates.entry[i].index) &&
            !r->kept[r->rates.entry[i].index]) {
            zw_fail(err, ZW_E_MODEL, "the motion depends on the attitude %s, a unit quaternion",
                    r->rates.entry[i].name);
            zw_error_hint(err, "state this rotation by angles, or --keep it with its quaternion");
            return ZW_E_MODEL;
        }
    if (r->rates.nentry == 0)
        return zw_fail(err, ZW_E_MODEL,
                       "no states are left: every coordinate is given by constraints or left out");
    return fill_result(r, err);
}

zw_status zw_reduce(zw_reduction **out, const zw_system *sys, const zw_reduce_options *options,
                    zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_reduction *r = zw_allocate(&alloc, sizeof *r);
    *out = NULL;
    if (!r)
        return zw_reduce_memory(err);
    *r = (zw_reduction){.sys = sys, .ctx = sys->ctx, .options = zw_reduce_options_default()};
    zw_arena_init(&r->arena, &alloc);
    zw_status status = options ? zw_options_adopt(&r->options, sizeof r->options, options,
                                                  "zw_reduce_options", err)
                               : ZW_OK;
    if (status >= 0)
        status = build_reduction(r, err);
    if (status < 0)
        zw_reduction_destroy(r);
    else
        *out = r;
    return status;
}

void zw_reduction_destroy(zw_reduction *r) {
    if (!r)
        return;
    zw_allocator alloc = r->arena.alloc;
    zw_arena_clear(&r->arena);
    zw_release(&alloc, r, sizeof *r);
}

const zw_reduced *zw_reduction_get(const zw_reduction *r) {
    return &r->result;
}

/* ------------------------------------------------------------------------------------ the check */

typedef struct comparison {
    const zw_reduction *r;
    zw_arena *arena;
    zw_flow *flow;   /* of the full system */
    zw_context *ctx; /* of the reduced one */
    zw_equations reduced;
    zw_kernel *kernel;
    zw_flow *own;
    int *place;           /* of the entries in its state */
    double *p, *z, *rate; /* its parameters, state, rates */
} comparison;

/* Positions of the entries in the reduced model, by name. */
static zw_status find_places(comparison *c, zw_error *err) {
    const zw_system *s = c->reduced.sys;
    const zw_reduced *r = &c->r->result;
    c->place = ZW_NEW(c->arena, int, r->n + 1);
    if (!c->place)
        return zw_reduce_memory(err);
    for (int i = 0; i < r->n; i++) {
        c->place[i] = -1;
        for (int k = 0; k < s->nq + s->nv; k++)
            if (strcmp(k < s->nq ? s->coord[k].name : s->velocity[k - s->nq].name,
                       r->entry[i].plain) == 0)
                c->place[i] = k;
        if (c->place[i] < 0)
            return zw_fail(err, ZW_E_MODEL, "the reduced model has no %s", r->entry[i].plain);
    }
    return ZW_OK;
}

/* Values by name from the full model, for the parameters of the reduced one. */
static zw_status open_reduced(comparison *c, zw_error *err) {
    zw_system *sys;
    zw_kernel_options options = zw_kernel_options_default();
    char *text = zw_reduction_model(c->r, NULL, err);
    if (!text)
        return err && err->status < 0 ? err->status : ZW_E_MEMORY;
    c->ctx = zw_context_create(NULL);
    zw_status status = c->ctx
                           ? zw_model_parse(&sys, c->ctx, text, strlen(text), "reduced", NULL, err)
                           : zw_reduce_memory(err);
    zw_string_free(c->r->ctx, text);
    ZW_TRY(status);
    ZW_TRY(zw_derive(&c->reduced, sys, NULL, "lagrange", err));
    int n = c->reduced.nq + c->reduced.nv;
    c->p = ZW_NEW(c->arena, double, sys->np + 1);
    c->z = ZW_NEW(c->arena, double, n + 1);
    c->rate = ZW_NEW(c->arena, double, n + 1);
    if (c->arena->failed)
        return zw_reduce_memory(err);
    ZW_TRY(find_places(c, err));
    ZW_TRY(zw_system_param_values(sys, c->p, err));
    ZW_TRY(zw_kernel_create(&c->kernel, &c->reduced, &options, err));
    return zw_flow_create(&c->own, c->kernel, c->p, err);
}

/* The momenta of a state of the full model on the slice. */
static zw_status set_momenta(comparison *c, double t, const double *x, zw_error *err) {
    const zw_reduction *r = c->r;
    const zw_system *s = c->reduced.sys;
    for (int i = 0; i < r->nheld; i++)
        for (int k = 0; k < s->np; k++)
            if (strcmp(s->param[k].name, r->held[i].name) == 0 &&
                !zw_explicit_eval(&r->rates, c->arena, 1, &r->held[i].value, t, x, &c->p[k]))
                return ZW_RETRY;
    return r->nheld ? zw_flow_set_parameters(c->own, c->p, err) : ZW_OK;
}

/* Rates of the reduced model at a state of the full one on the slice, in c->rate. */
static zw_status reduced_rates(comparison *c, double t, const double *x, zw_error *err) {
    const zw_reduced *r = &c->r->result;
    ZW_TRY(set_momenta(c, t, x, err));
    for (int i = 0; i < r->n; i++)
        c->z[c->place[i]] = x[r->entry[i].index];
    return zw_flow_rates(c->own, t, c->z, c->rate, NULL, err);
}

/* The rates of the momenta along the rates of the full model, relative to what rates of this size
 * could give. */
static zw_status compare_momenta(const comparison *c, double t, const double *x, const double *full,
                                 double size, double *worst, zw_error *err) {
    const zw_explicit *z = &c->r->rates;
    zw_expr *slope = ZW_NEW(c->arena, zw_expr, z->nentry + 1);
    double *value = ZW_NEW(c->arena, double, z->nentry + 1);
    if (!slope || !value)
        return zw_reduce_memory(err);
    for (int i = 0; i < c->r->nheld; i++) {
        zw_expr J = c->r->held[i].value;
        for (int k = 0; k < z->nentry; k++)
            slope[k] = zw_diff(z->ctx, J, z->entry[k].sym);
        slope[z->nentry] = zw_diff(z->ctx, J, z->sys->t);
        if (!zw_explicit_eval(z, c->arena, z->nentry + 1, slope, t, x, value))
            return ZW_RETRY;
        double sum = value[z->nentry], most = fabs(sum);
        for (int k = 0; k < z->nentry; k++) {
            sum += value[k] * full[z->entry[k].index];
            most += fabs(value[k]) * size;
        }
        *worst = most > 0 ? fmax(*worst, fabs(sum) / most) : *worst;
    }
    return ZW_OK;
}

static zw_status compare_state(comparison *c, double t, double *x, double *worst, zw_error *err) {
    const zw_reduced *r = &c->r->result;
    int nx = c->r->rates.eq.nq + c->r->rates.eq.nv;
    double *full = ZW_NEW(c->arena, double, nx + 1), size = 0;
    if (!full)
        return zw_reduce_memory(err);
    if (!zw_explicit_to_slice(&c->r->all, c->arena, t, x))
        return ZW_RETRY;
    ZW_TRY(zw_flow_rates(c->flow, t, x, full, NULL, err));
    if (!zw_explicit_on_slice(&c->r->all, c->arena, t, x, full))
        return ZW_RETRY;
    for (int i = 0; i < c->r->rates.nentry; i++)
        size = fmax(size, fabs(full[c->r->rates.entry[i].index]));
    zw_status status = reduced_rates(c, t, x, err);
    if (status == ZW_E_MEMORY || status == ZW_RETRY)
        return status;
    for (int i = 0; i < r->n; i++) {
        double rate = status < 0 ? NAN : c->rate[c->place[i]],
               apart = fabs(rate - full[r->entry[i].index]) / size;
        *worst = isfinite(rate) ? fmax(*worst, apart) : INFINITY;
    }
    ZW_TRY(compare_momenta(c, t, x, full, size, worst, err));
    return c->arena->failed ? zw_reduce_memory(err) : ZW_OK;
}

/* Where the model has rates, at its start and at its steady motions, the text must have them too:
 * formulas may divide by an expression that is zero there. */
static zw_status check_places(comparison *c, zw_error *err) {
    const zw_explicit *all = &c->r->all;
    int nx = all->eq.nq + all->eq.nv;
    double *x = ZW_NEW(c->arena, double, nx + 1), *full = ZW_NEW(c->arena, double, nx + 1);
    if (!x || !full)
        return zw_reduce_memory(err);
    for (int k = 0; k < all->nplace; k++) {
        zw_error why = {0};
        memcpy(x, all->place + k * nx, (size_t)nx * sizeof *x);
        if (!zw_explicit_to_slice(all, c->arena, 0, x) ||
            zw_flow_rates(c->flow, 0, x, full, NULL, &why) < 0)
            continue;
        zw_status status = reduced_rates(c, 0, x, &why);
        if (status == ZW_E_MEMORY)
            return zw_reduce_memory(err);
        for (int i = 0; i < c->r->result.n; i++)
            if (status != ZW_OK || !isfinite(c->rate[c->place[i]]))
                return zw_fail(
                    err, ZW_E_NUMERIC,
                    "the reduced rate of %s has no value at %s%s, where the model has one",
                    c->r->result.entry[i].name, k ? "the equilibrium " : "the start",
                    k ? c->r->sys->motion[k - 1].name : "");
    }
    return c->arena->failed ? zw_reduce_memory(err) : ZW_OK;
}

static zw_status compare_states(comparison *c, int states, double *worst, zw_error *err) {
    const zw_reduction *r = c->r;
    zw_sampler *sampler;
    double *x = ZW_NEW(c->arena, double, r->rates.eq.nq + r->rates.eq.nv + 1), t;
    if (!x)
        return zw_reduce_memory(err);
    ZW_TRY(zw_sampler_create(&sampler, r->sys, NULL, NULL, err));
    *worst = 0;
    int compared = 0;
    for (int k = 0; k < ATTEMPTS * states && compared < states; k++) {
        zw_arena_mark mark = zw_arena_mark_now(c->arena);
        ZW_TRY(zw_sampler_state(sampler, k, &t, x, err));
        zw_error why = {0}; /* the formulas of a model need not have values everywhere */
        zw_status status = compare_state(c, t, x, worst, &why);
        if (status == ZW_E_MEMORY)
            return zw_reduce_memory(err);
        compared += status == ZW_OK;
        zw_arena_release(c->arena, mark);
    }
    if (compared < states) {
        zw_fail(err, ZW_E_NUMERIC, "the rates could be evaluated at only %d of %d random states",
                compared, ATTEMPTS * states);
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

zw_status zw_reduction_check(const zw_reduction *r, int states, double *difference, zw_error *err) {
    zw_arena arena;
    zw_allocator alloc = zw_context_allocator(r->ctx);
    zw_kernel_options options = zw_kernel_options_default();
    zw_kernel *kernel = NULL;
    zw_arena_init(&arena, &alloc);
    comparison c = {.r = r, .arena = &arena};
    zw_status status = zw_kernel_create(&kernel, &r->rates.eq, &options, err);
    if (status >= 0)
        status = zw_flow_create(&c.flow, kernel, r->p, err);
    if (status >= 0)
        status = open_reduced(&c, err);
    if (status >= 0)
        status = compare_states(&c, states, difference, err);
    if (status >= 0)
        status = check_places(&c, err);
    zw_flow_destroy(c.own);
    zw_kernel_destroy(c.kernel);
    zw_flow_destroy(c.flow);
    zw_kernel_destroy(kernel);
    zw_context_destroy(c.ctx);
    zw_arena_clear(&arena);
    return status;
}

zw_status zw_reduce_checked(zw_reduction **out, const zw_system *sys,
                            const zw_reduce_options *options, int states, double *difference,
                            zw_error *err) {
    ZW_TRY(zw_reduce(out, sys, options, err));
    zw_status status = zw_reduction_check(*out, states, difference, err);
    if (status >= 0 && !(*difference <= ZW_ROUNDOFF_SOLVED))
        status = zw_fail(err, ZW_E_NUMERIC,
                         "the reduced equations differ from those of the model by %.2g at random "
                         "states",
                         *difference);
    if (status < 0) {
        zw_reduction_destroy(*out);
        *out = NULL;
    }
    return status;
}
