/* SPDX-License-Identifier: MIT */
/* A Hopf point by names: the conserved quantities that zw_classify finds become levels on which a
 * zero eigenvalue is none, the kinks of the equations are tested along the critical mode, and the
 * normal form comes from zw_hopf_find (zwang/steady.h). */
#include "zwang/equilibria.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "kinks_at.h"
#include "zwang/claims.h"

enum { ORDERS = 4 }; /* derivatives 0 to 3 */
#define ON_AXIS 1e-6 /* real part relative to the imaginary one: that of a located Hopf point */
/* of the largest eigenvalue: a pair that may be a zero of a chain, which rounding splits to
 * sqrt(eps) times its condition */
#define PAIR_SMALL 1e-6

/* A conserved quantity as expressions: its value and its derivatives along directions. */
typedef struct conserved_level {
    const zw_equilibria *e;
    const char *name;
    zw_expr along[ORDERS];
    int nsym, first; /* all symbols; the first of x, which three directions follow */
    zw_expr *sym;
    double *value;
} conserved_level;

/* Work on a Hopf point. */
typedef struct criticality_work {
    zw_criticality *out;
    zw_equilibria *e;
    const zw_steady *at;
    const zw_linearisation *linear;
    zw_criticality_options options;
    int nlevel;
    conserved_level *conserved_level;
    zw_hopf_level *level;
    double *measure;
    zw_error *err;
} criticality_work;

void zw_criticality_options_init(zw_criticality_options *options, size_t size) {
    const zw_criticality_options all = {.size = size, .eigenvalue = -1};
    zw_options_begin(options, size, &all, sizeof all);
}

static int pairs_on_axis(const zw_linearisation *a) {
    double most = 0;
    int pairs = 0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, hypot(a->re[i], a->im[i]));
    for (int i = 0; i < a->n; i++) /* rounding splits zeros of chains into small pairs */
        pairs +=
            fabs(a->re[i]) <= ON_AXIS * a->im[i] && a->im[i] > (a->nzero ? PAIR_SMALL * most : 0);
    return pairs;
}

/* ------------------------------------------------------------------------- conserved quantities */

static zw_status level_along(void *user, double t, const double *x, int order,
                             const double *const *d, double *value, zw_error *err) {
    const conserved_level *h = user;
    int nx = h->e->kernel->nx;
    h->value[h->first - 1] = t;
    memcpy(h->value + h->first, x, sizeof(double) * (size_t)nx);
    for (int k = 0; k < order; k++)
        memcpy(h->value + h->first + (k + 1) * nx, d[k], sizeof(double) * (size_t)nx);
    *value = zw_eval(h->e->sys->ctx, h->along[order], h->nsym, h->sym, h->value);
    if (isfinite(*value))
        return ZW_OK;
    ZW_TRY(zw_context_status(h->e->sys->ctx, err)); /* no memory, no value */
    return zw_fail(err, ZW_E_NONFINITE, "a conserved quantity is not finite");
}

/* The symbols: parameters, t, x and three directions. */
static zw_status list_symbols(criticality_work *f, conserved_level *h) {
    const zw_system *s = f->e->sys;
    const zw_equations *eq = &f->e->eq;
    int nx = f->e->kernel->nx, n = 0;
    const double *p = zw_flow_parameters(f->e->flow);
    h->sym = ZW_NEW(&f->e->arena, zw_expr, s->np + 1 + 4 * nx + 1);
    h->value = ZW_NEW(&f->e->arena, double, s->np + 1 + 4 * nx + 1);
    if (f->e->arena.failed)
        return zw_out_of_memory(f->err, NULL);
    for (int i = 0; i < s->np; i++, n++) {
        h->sym[n] = s->param[i].sym;
        h->value[n] = p[i];
    }
    h->sym[n++] = s->t;
    h->first = n;
    for (int i = 0; i < nx; i++)
        h->sym[n++] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
    for (int k = 1; k < ORDERS; k++)
        for (int i = 0; i < nx; i++) {
            char name[32];
            snprintf(name, sizeof name, "%%%d.%d", k, i);
            h->sym[n++] = zw_symbol(s->ctx, name);
        }
    h->nsym = n;
    return zw_context_status(s->ctx, f->err);
}

/* Add a level; value: in the unknowns of the equations. */
static zw_status add_level(criticality_work *f, const char *name, zw_expr value) {
    zw_context *ctx = f->e->sys->ctx;
    conserved_level *h = &f->conserved_level[f->nlevel];
    int nx = f->e->kernel->nx;
    *h = (conserved_level){.e = f->e, .name = name};
    ZW_TRY(list_symbols(f, h));
    h->along[0] = value;
    for (int k = 1; k < ORDERS; k++)
        h->along[k] =
            zw_along(ctx, h->along[k - 1], nx, h->sym + h->first, h->sym + h->first + k * nx);
    if (!zw_foreign_symbol(ctx, value, h->first + nx, h->sym)) /* accelerations, multipliers */
        f->level[f->nlevel++] = (zw_hopf_level){level_along, h};
    return zw_context_status(ctx, f->err);
}

/* Noether's momenta dT/dv . X of the symmetries, where velocities are the rates of coordinates.
 * They may be conserved. */
static zw_status add_momenta(criticality_work *f) {
    const zw_equations *eq = &f->e->eq;
    const zw_symmetries *s = &f->e->symmetries;
    zw_context *ctx = f->e->sys->ctx;
    for (int i = 0; i < eq->nq * eq->nv; i++)
        if (eq->nq != eq->nv || eq->from_system ||
            eq->F[i] != (i % (eq->nv + 1) == 0 ? ZW_ONE : ZW_ZERO))
            return ZW_OK;
    for (int i = 0; i < s->n; i++) {
        char name[420];
        zw_expr sum = ZW_ZERO;
        for (int j = 0; j < s->nfield; j++)
            for (int k = 0; s->combination[i * s->nfield + j] != 0 && k < eq->nv; k++)
                sum = zw_add(ctx, sum,
                             zw_mul(ctx,
                                    zw_mul(ctx, zw_real(ctx, s->combination[i * s->nfield + j]),
                                           f->e->displacement[j].x[k]),
                                    zw_diff(ctx, eq->T, eq->v[k])));
        int used = snprintf(name, sizeof name, "momentum of ");
        zw_equilibria_symmetry_name(f->e, i, name + used, sizeof name - (size_t)used);
        ZW_TRY(add_level(f, zw_context_intern(ctx, name), sum));
    }
    return ZW_OK;
}

/* Levels are needed where there are further eigenvalues on the axis; whether they are constant is
 * tested at states. Energy and momenta of symmetries cost nothing. What else the form of the model
 * shows takes longer, and is used only if these do not suffice. */
static zw_status list_levels(criticality_work *f, bool all) {
    zw_context *ctx = f->e->sys->ctx;
    zw_classification c = {0};
    zw_error trouble = {0};
    if (all && zw_classify(&c, f->e->sys, f->e->options.active, &trouble) == ZW_E_MEMORY)
        return zw_out_of_memory(f->err, NULL);
    int known = trouble.status < 0 ? 0 : c.nconserved, most = known + f->e->symmetries.n + 1;
    f->conserved_level = ZW_NEW(&f->e->arena, conserved_level, most + 1);
    f->level = ZW_NEW(&f->e->arena, zw_hopf_level, most + 1);
    f->nlevel = 0;
    if (f->e->arena.failed)
        return zw_out_of_memory(f->err, NULL);
    if (f->e->sys->nv > 0)
        ZW_TRY(add_level(f, "energy", zw_add(ctx, f->e->eq.T, f->e->eq.V)));
    for (int i = 0; i < known; i++) {
        zw_expr value = c.conserved[i].value;
        ZW_TRY(zw_equations_translate(&f->e->eq, 1, &value, f->err));
        ZW_TRY(add_level(f, c.conserved[i].name, value));
    }
    return f->e->sys->nv > 0 ? add_momenta(f) : ZW_OK;
}

/* ------------------------------------------------------------------------------------ amplitude */

static zw_status no_such_quantity(const criticality_work *f, const char *name) {
    const zw_system *s = f->e->sys;
    int nx = f->e->kernel->nx, n = 0;
    const char *unit, **names = ZW_NEW(&f->e->arena, const char *, nx + s->nobservable + 1);
    zw_fail(f->err, ZW_E_NAME, "there is no coordinate, velocity or observable '%s'", name);
    for (int i = 0; names && i < nx; i++)
        names[n++] = zw_equilibria_entry(f->e, i, &unit);
    for (int i = 0; names && i < s->nobservable; i++)
        names[n++] = s->observable[i].name;
    const char *similar = names ? zw_nearest(name, n, names) : NULL;
    if (similar)
        zw_error_hint(f->err, "did you mean %s?", similar);
    return ZW_E_NAME;
}

/* The gradient of the observable of this name. */
static zw_status measure_observable(criticality_work *f, const char *name) {
    const zw_system *s = f->e->sys;
    int nx = f->e->kernel->nx, found = -1;
    for (int i = 0; i < s->nobservable && found < 0; i++)
        found = strcmp(s->observable[i].name, name) == 0 ? i : -1;
    if (found < 0)
        return no_such_quantity(f, name);
    snprintf(f->out->unit, sizeof f->out->unit, "%s", s->observable[found].unit);
    ZW_TRY(zw_kernel_require(f->e->kernel, ZW_SET(OBS) | ZW_SET(OBS_JAC), f->err));
    ZW_TRY(zw_flow_renew(f->e->flow, f->err));
    double *all = ZW_NEW(&f->e->arena, double, (f->e->kernel->nobs + 2) * nx + 1);
    if (!all)
        return zw_out_of_memory(f->err, NULL);
    ZW_TRY(zw_flow_observables_jacobian(f->e->flow, f->at->t, f->at->x, all, f->err));
    memcpy(f->measure, all + (size_t)found * (size_t)nx, sizeof(double) * (size_t)nx);
    return ZW_OK;
}

static zw_status choose_measure(criticality_work *f) {
    int nx = f->e->kernel->nx, found = -1;
    const char *unit, *name = f->options.amplitude;
    if (!name)
        return ZW_OK;
    f->measure = ZW_NEW(&f->e->arena, double, nx + 1);
    if (!f->measure)
        return zw_out_of_memory(f->err, NULL);
    snprintf(f->out->quantity, sizeof f->out->quantity, "%s", name);
    for (int i = 0; i < nx && found < 0; i++)
        found = strcmp(zw_equilibria_entry(f->e, i, &unit), name) == 0 ? i : -1;
    if (found < 0)
        return measure_observable(f, name);
    snprintf(f->out->unit, sizeof f->out->unit, "%s", unit);
    f->measure[found] = 1;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- kinks */

static void add_words(char *to, size_t size, const char *words) {
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", used ? "; " : "", words);
}

/* The name of a kink, with file and line. */
static zw_status describe_kink(const criticality_work *f, const zw_kink *kink, char *out,
                               size_t size) {
    zw_place place;
    ZW_TRY(zw_kinks_at_name(f->e, kink, out, size, &place, f->err));
    size_t used = strlen(out);
    if (place.file)
        snprintf(out + used, size - used, " (%s:%d)", place.file, place.line);
    return ZW_OK;
}

/* The critical mode, from the linear equations. */
static void copy_mode(const criticality_work *f, int eigenvalue, double *re, double *im) {
    const zw_linearisation *a = f->linear;
    for (int i = 0; i < a->nx; i++) {
        re[i] = a->mode_re[i * a->n + eigenvalue];
        im[i] = a->mode_im[i * a->n + eigenvalue];
    }
}

/* If something is not smooth at the motion and the mode moves it, there are no third derivatives:
 * rejected. If the mode does not move it to first order, its argument is of order r^2, and an
 * effect that vanishes with the square of it (a friction law) is of order r^4; the comparison with
 * the rates shows whether that is so. */
static zw_status check_kinks(criticality_work *f, int eigenvalue) {
    int nearest = -1;
    zw_criticality *out = f->out;
    int nx = f->e->kernel->nx, n;
    zw_smoothness *kink;
    zw_kinks_at_place *place;
    double *re = ZW_NEW(&f->e->arena, double, nx + 1), *im = ZW_NEW(&f->e->arena, double, nx + 1);
    if (f->e->arena.failed)
        return zw_out_of_memory(f->err, NULL);
    copy_mode(f, eigenvalue, re, im);
    ZW_TRY(zw_kinks_at_motion(f->e, f->at, re, im, &kink, &place, &n, f->err));
    for (int i = 0; i < n; i++) {
        char name[300];
        if (!place[i].here) {
            if (place[i].reach < (nearest < 0 ? INFINITY : place[nearest].reach))
                nearest = i;
            continue;
        }
        ZW_TRY(describe_kink(f, &kink[i].kink, name, sizeof name));
        if (!place[i].moves) {
            if (!strstr(out->passed, name))
                add_words(out->passed, sizeof out->passed, name);
            continue;
        }
        out->refused = true;
        snprintf(out->reason, sizeof out->reason,
                 "the mode moves over %s, where the rates need not have third derivatives: smooth "
                 "it, or take the law that is linear there",
                 name);
        return ZW_OK;
    }
    return nearest < 0 ? ZW_OK : describe_kink(f, &kink[nearest].kink, out->met, sizeof out->met);
}

/* The amplitude r at which the motion meets the next kink. */
static zw_status find_reach(criticality_work *f) {
    zw_criticality *out = f->out;
    zw_smoothness *kink;
    zw_kinks_at_place *place;
    int n, first = -1;
    ZW_TRY(
        zw_kinks_at_motion(f->e, f->at, out->hopf.q_re, out->hopf.q_im, &kink, &place, &n, f->err));
    for (int i = 0; i < n; i++)
        if (!place[i].here && place[i].reach < (first < 0 ? INFINITY : place[first].reach))
            first = i;
    if (first < 0)
        return ZW_OK;
    out->reach = place[first].reach;
    return describe_kink(f, &kink[first].kink, out->met, sizeof out->met);
}

/* ----------------------------------------------------------------------------------------- find */

static void record_reason(zw_criticality *out, const zw_error *why) {
    out->refused = true;
    snprintf(out->reason, sizeof out->reason, "%s", why->text);
    if (why->status == ZW_E_DOUBT && (out->passed[0] || out->met[0])) {
        size_t used = strlen(out->reason);
        snprintf(out->reason + used, sizeof out->reason - used,
                 "; the nearest that is not smooth: %s", out->passed[0] ? out->passed : out->met);
    }
}

static void name_results(criticality_work *f) {
    zw_criticality *out = f->out;
    const char *unit = "";
    if (out->hopf.entry >= 0) {
        snprintf(out->quantity, sizeof out->quantity, "%s",
                 zw_equilibria_entry(f->e, out->hopf.entry, &unit));
        snprintf(out->unit, sizeof out->unit, "%s", unit);
    }
    for (int i = 0; i < f->nlevel; i++)
        if (out->hopf.used[i])
            add_words(out->levels, sizeof out->levels, f->conserved_level[i].name);
}

/* A kink that the mode moves is the better reason, whatever the derivatives happen to be. */
static zw_status choose_reason(criticality_work *f, zw_status status, const zw_error *why) {
    if (f->out->hopf.eigenvalue >= 0)
        ZW_TRY(check_kinks(f, f->out->hopf.eigenvalue));
    if (status < 0 && !f->out->refused)
        record_reason(f->out, why);
    if (f->out->refused)
        return ZW_OK;
    name_results(f);
    return find_reach(f);
}

static zw_status try_levels(criticality_work *f, zw_error *why) {
    zw_hopf_options o = zw_hopf_options_default();
    o.eigenvalue = f->options.eigenvalue;
    o.scale = f->e->scale;
    o.nlevel = f->nlevel;
    o.level = f->level;
    o.measure = f->measure;
    *why = (zw_error){0};
    return zw_hopf_find(&f->out->hopf, f->e->flow, &f->e->symmetries, f->at, f->linear, &o, why);
}

static zw_status find_criticality(criticality_work *f) {
    zw_error why = {0};
    bool more = (f->e->sys->nv > 0 || f->e->sys->nobservable > 0) &&
                (f->linear->nzero > 0 || pairs_on_axis(f->linear) > 1);
    ZW_TRY(zw_kernel_require(
        f->e->kernel, ZW_SET(SECOND) | ZW_SET(THIRD) | ZW_SET(FIELD_SECOND) | ZW_SET(FIELD_THIRD),
        f->err));
    ZW_TRY(zw_flow_renew(f->e->flow, f->err));
    ZW_TRY(choose_measure(f));
    if (more)
        ZW_TRY(list_levels(f, false));
    zw_status status = try_levels(f, &why);
    if (more && status == ZW_E_DOMAIN) {
        ZW_TRY(list_levels(f, true));
        status = try_levels(f, &why);
    }
    if (status >= 0 || status == ZW_E_DOMAIN || status == ZW_E_DOUBT || status == ZW_E_NUMERIC ||
        status == ZW_E_NONFINITE)
        return choose_reason(f, status, &why);
    if (f->err)
        *f->err = why;
    return status;
}

zw_status zw_criticality_find(zw_criticality *out, zw_equilibria *e, const zw_steady *at,
                              const zw_linearisation *a, const zw_criticality_options *options,
                              zw_error *err) {
    criticality_work f = {.out = out, .e = e, .at = at ? at : &e->motion, .err = err};
    f.linear = a ? a : &e->linear;
    f.options = zw_criticality_options_default();
    *out = (zw_criticality){.reach = INFINITY, .hopf = {.entry = -1, .eigenvalue = -1}};
    if (options)
        ZW_TRY(
            zw_options_adopt(&f.options, sizeof f.options, options, "zw_criticality_options", err));
    zw_arena_mark mark = zw_arena_mark_now(&e->arena);
    zw_status status = find_criticality(&f);
    zw_arena_release(&e->arena, mark);
    if (status < 0)
        zw_criticality_clear(out);
    return status;
}

void zw_criticality_clear(zw_criticality *c) {
    zw_hopf_clear(&c->hopf);
}

int zw_criticality_pairs(const zw_equilibria *e) {
    return pairs_on_axis(&e->linear);
}
