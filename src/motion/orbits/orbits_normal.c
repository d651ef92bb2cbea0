/* SPDX-License-Identifier: MIT */
/* Normal forms of the special points of branches: are period doublings and Neimark-Sacker points
 * super- or subcritical? If the orbit passes something without third derivatives (an absolute
 * value, a knot of a table), or changes too fast for its mesh, the reason is reported instead. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "motion/segments/periodic.h"
#include "orbits.h"

enum { SMOOTH = 3, SAMPLES = 8 };

/* Relative to the size of the terms of the coefficient: a smaller one is zero. Third derivatives on
 * meshes of the default tolerance are not more accurate. */
#define COEFFICIENT_ZERO 1e-6
/* Relative to the same: largest change by another mesh. A coefficient of the size of its terms then
 * has one to two correct digits, and a sign. */
#define COEFFICIENT_ERROR_MAX 0.02
/* Relative to the largest argument of a root along the orbit: a smaller argument is zero. */
#define ROOT_ZERO 1e-10

/* ---------------------------------------------------------------------------------------- kinks */

typedef struct kink_search {
    zw_orbits *o;
    int n; /* symbols: parameters, t, inputs, q, v, v', lambda */
    zw_expr *sym;
    double *value;
    double *x, *rate, *z;
    double period;
} kink_search;

static zw_status allocate_search(kink_search *l, zw_error *err) {
    zw_orbits *o = l->o;
    const zw_equations *eq = &o->eq;
    const zw_system *s = o->sys;
    int n = s->np + 1 + eq->nu + eq->nq + 2 * eq->nv + eq->nc;
    l->sym = ZW_NEW(&o->arena, zw_expr, n + 1);
    l->value = ZW_NEW(&o->arena, double, n + 1);
    l->x = ZW_NEW(&o->arena, double, o->nx + 1);
    l->rate = ZW_NEW(&o->arena, double, o->nx + 1);
    l->z = ZW_NEW(&o->arena, double, o->kernel->nz + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->np; i++, l->n++) {
        l->sym[l->n] = s->param[i].sym;
        l->value[l->n] = o->now[i];
    }
    l->sym[l->n++] = s->t;
    for (int i = 0; i < eq->nu; i++)
        l->sym[l->n++] = eq->u[i];
    for (int i = 0; i < eq->nq; i++)
        l->sym[l->n++] = eq->q[i];
    for (int i = 0; i < eq->nv; i++)
        l->sym[l->n++] = eq->v[i];
    for (int i = 0; i < eq->nv; i++)
        l->sym[l->n++] = eq->a[i];
    for (int i = 0; i < eq->nc; i++)
        l->sym[l->n++] = eq->lambda[i];
    return ZW_OK;
}

static zw_status evaluate_at(kink_search *l, double tau, zw_error *err) {
    zw_orbits *o = l->o;
    double t = l->period * tau, *to = l->value + o->sys->np;
    zw_colloc_state(o->c, o->x, tau, l->x, NULL);
    ZW_TRY(zw_flow_rates(o->flow, t, l->x, l->rate, l->z, err));
    *to++ = t;
    for (int i = 0; i < o->eq.nu; i++)
        *to++ = zw_system_signal_at(o->sys, i, o->now, t, t);
    memcpy(to, l->x, sizeof(double) * (size_t)o->nx);
    memcpy(to + o->nx, l->z, sizeof(double) * (size_t)o->kernel->nz);
    return ZW_OK;
}

/* the piece of a piecewise expression in which the state is; for a root 1 if its
 * argument vanishes */
static double piece_of(const kink_search *l, const zw_kink *k, double *most) {
    zw_context *ctx = l->o->sys->ctx;
    double s = zw_eval(ctx, k->surface, l->n, l->sym, l->value), piece = 0;
    int n;
    if (k->op == ZW_OP_TABLE) {
        const zw_spline *t = zw_spline_of(ctx, k->table);
        for (int i = 0; i < t->n; i++)
            piece += s > t->x[i];
        return piece;
    }
    if (k->op == ZW_OP_PRODUCT) {
        *most = fmax(*most, fabs(s));
        return fabs(s) <= ROOT_ZERO * *most && *most > 0;
    }
    if (k->op == ZW_OP_ATAN2 &&
        zw_eval(ctx, zw_expr_args(ctx, k->part, &n)[1], l->n, l->sym, l->value) > 0)
        return 0;
    return s > 0 ? 1 : s < 0 ? -1 : 0;
}

/* does the orbit in o->x change from one piece to another? */
static zw_status is_met(kink_search *l, const zw_kink *k, bool *met, zw_error *err) {
    const double *mesh = zw_colloc_mesh(l->o->c);
    int N = zw_colloc_intervals(l->o->c);
    double first = 0, most = 0;
    *met = false;
    for (int i = 0; i < N * SAMPLES && !*met; i++) {
        double h = mesh[i / SAMPLES + 1] - mesh[i / SAMPLES];
        ZW_TRY(evaluate_at(l, mesh[i / SAMPLES] + h * (i % SAMPLES) / SAMPLES, err));
        double piece = piece_of(l, k, &most);
        *met = i > 0 && piece != first;
        first = piece;
    }
    return ZW_OK;
}

/* the first expression without third derivatives that the orbit passes, as text; "" if none */
zw_status zw_orbits_find_kink(zw_orbits *o, double period, char *why, size_t size, zw_error *err) {
    zw_smoothness *kink;
    kink_search l = {.o = o, .period = period};
    int n;
    bool met;
    why[0] = 0;
    ZW_TRY(zw_equations_smoothness(&o->eq, &kink, &n, err));
    if (n == 0)
        return ZW_OK;
    ZW_TRY(allocate_search(&l, err));
    for (int i = 0; i < n; i++) {
        if (!(kink[i].in & (ZW_KINKS_AT_RATES | ZW_KINKS_AT_CONSTRAINTS)) ||
            kink[i].kink.smooth >= SMOOTH)
            continue;
        ZW_TRY(is_met(&l, &kink[i].kink, &met, err));
        if (!met)
            continue;
        char *part = zw_print_within(o->sys->ctx, kink[i].kink.part, ZW_TEXT, 80);
        snprintf(why, size, "the orbit passes a place where rates are not smooth: %.120s",
                 part ? part : "a part of a force");
        zw_string_free(o->sys->ctx, part);
        return ZW_OK;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

static bool kind_of(zw_bifurcation event, zw_cycle_kind *kind) {
    *kind = event == ZW_BIFURCATION_FOLD   ? ZW_CYCLE_FOLD
            : event == ZW_BIFURCATION_FLIP ? ZW_CYCLE_FLIP
                                           : ZW_CYCLE_TORUS;
    return event == ZW_BIFURCATION_FOLD || event == ZW_BIFURCATION_FLIP ||
           event == ZW_BIFURCATION_TORUS;
}

zw_orbit_criticality zw_orbits_criticality(const zw_cycle_normal *f) {
    double zero = fmax(COEFFICIENT_ZERO * f->size, 2 * f->error);
    return fabs(f->coefficient) <= zero                         ? ZW_ORBIT_DEGENERATE
           : f->kind == ZW_CYCLE_FOLD                           ? ZW_ORBIT_QUADRATIC
           : (f->coefficient > 0) == (f->kind == ZW_CYCLE_FLIP) ? ZW_ORBIT_SUPERCRITICAL
                                                                : ZW_ORBIT_SUBCRITICAL;
}

static void check_form(zw_orbit_normal *n) {
    const zw_cycle_normal *f = &n->form;
    if (f->resonance) {
        snprintf(n->why, sizeof n->why, "the multipliers are near the resonance 1:%d",
                 f->resonance);
        return;
    }
    if (!(f->error <= COEFFICIENT_ERROR_MAX * f->size)) {
        snprintf(
            n->why, sizeof n->why,
            "rates change too fast for the mesh: another one changes the coefficient %.3g by %.1g",
            f->coefficient, f->error);
        return;
    }
    n->criticality = zw_orbits_criticality(f);
}

static zw_status find_normal(zw_orbits *o, zw_orbit_motion *m, zw_cycle_kind kind, zw_error *err) {
    zw_error trouble = {0};
    zw_orbit_normal *n = ZW_NEW(&o->arena, zw_orbit_normal, 1);
    double *re = ZW_NEW(&o->arena, double, o->nx + 1), *im = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    *n = (zw_orbit_normal){.q_re = re, .q_im = im};
    m->normal = n;
    if (o->half.on || o->group.n) {
        snprintf(n->why, sizeof n->why,
                 o->half.on ? "it is computed for whole orbits only; leave out --symmetry"
                            : "it is not computed for relative periodic orbits");
        return ZW_OK;
    }
    ZW_TRY(zw_orbits_load(o, m, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    ZW_TRY(zw_orbits_find_kink(o, m->period, n->why, sizeof n->why, err));
    if (n->why[0])
        return ZW_OK;
    zw_status status =
        zw_cycle_normal_find(&n->form, o->c, o->x, m->value, kind, true, re, im, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0)
        snprintf(n->why, sizeof n->why, "%.200s", trouble.text);
    else
        check_form(n);
    return ZW_OK;
}

zw_status zw_orbits_normal(zw_orbits *o, int first, zw_error *err) {
    zw_cycle_kind kind;
    bool ready = false;
    for (int i = first; i < o->nmotion && o->options.normal && !o->stopped; i++) {
        if (!kind_of(o->motion[i].event, &kind) || o->motion[i].normal)
            continue;
        if (!ready) {
            ZW_TRY(zw_kernel_require(o->kernel, ZW_SET(SECOND) | ZW_SET(THIRD), err));
            ZW_TRY(zw_flow_renew(o->flow, err));
            ready = true;
        }
        ZW_TRY(find_normal(o, &o->motion[i], kind, err));
    }
    return ZW_OK;
}
