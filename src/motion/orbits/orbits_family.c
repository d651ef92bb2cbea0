/* SPDX-License-Identifier: MIT */
/* Families of orbits of a conservative model. The energy (Jacobi's integral v.dT/dv - T + V) is
 * constant, so that orbits come in families without any parameter, and the equations of one of them
 * are singular. With a damping e, v' = ... + e v, the integral changes by the integral of 2 e T
 * over a period: closed orbits have e = 0, and the family is the set of solutions (x, e) of
 *
 *     r(x, e) = 0,      F(x) - a = 0,
 *
 * regular in x and e, with a parameter a of the family and F: the integral at the first node, the
 * period, or the largest or least value of a coordinate (at a place tau where its slope vanishes, F
 * depends on x as if tau were fixed). Folds of a are those of the family over this parameter. The
 * matrix with a last row (s, s_e, s_a) is that of r with the last row (s + s_a F_x, s_e), since da
 * = F_x.dx - b_F: nothing more has to be factored.
 *
 * Two multipliers of an orbit in a family are 1: that of the phase, and that of its neighbours in
 * the family.
 *
 * F. J. Munoz-Almaraz, E. Freire, J. Galan, E. Doedel, A. Vanderbauwhede, Physica D 181 (2003)
 * 1-38. */
#include "orbits_family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "mech/equations/variants.h"
#include "motion/floquet/variation.h"
#include "motion/parameter_range.h"
#include "motion/segments/periodic.h"

/* Times the error of a reciprocal pair: the error of its multipliers. */
#define PAIR_SAFETY 10
/* Distance from 1 of multipliers that must be 1: errors of the matrix move a double or triple one
 * by their root; farther away the number of them is wrong. */
#define UNIT_CLUSTER 0.1
/* Distance of a multiplier outside of the unit circle from which a conservative orbit is unstable:
 * where pairs on it are near each other, an error moves them off it by its root. Times
 * PAIR_ERRORS the error of the multiplier, if that is larger. */
#define OFF_CIRCLE 1e-4
#define PAIR_ERRORS 10

/* ------------------------------------------------------------------------------------ the range */

static bool is_unitless(const zw_system *s) {
    for (int i = 0; i < s->nq + s->np; i++)
        if ((i < s->nq ? s->coord[i].unit : s->param[i - s->nq].unit)[0])
            return false;
    return true;
}

static bool is_parameter(const zw_system *s, const char *name) {
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, name) == 0)
            return true;
    return false;
}

/* "max(x)" */
static bool find_extreme(zw_orbits *o, const char *name, const char **unit) {
    size_t all = strlen(name);
    bool high = strncmp(name, "max(", 4) == 0, low = strncmp(name, "min(", 4) == 0;
    if (all < 6 || (!high && !low) || name[all - 1] != ')')
        return false;
    for (int i = 0; i < o->sys->nq; i++)
        if (strlen(o->sys->coord[i].name) == all - 5 &&
            strncmp(o->sys->coord[i].name, name + 4, all - 5) == 0) {
            o->family.kind = high ? ZW_FAMILY_MAX : ZW_FAMILY_MIN;
            o->family.coordinate = i;
            *unit = o->sys->coord[i].unit;
            return true;
        }
    return false;
}

/* an observable in place of the energy; whether it is conserved is checked along the orbit */
static bool find_observable(zw_orbits *o, const char *name, const char **unit) {
    for (int i = 0; i < o->sys->nobservable; i++)
        if (strcmp(o->sys->observable[i].name, name) == 0) {
            o->family.observable = i + 1;
            *unit = o->sys->observable[i].unit;
            return true;
        }
    return false;
}

zw_status zw_orbits_read_family(zw_orbits *o, zw_error *err) {
    const char *unit = "", *name;
    ZW_TRY(zw_parameter_range_name(&o->over, o->options.over, err));
    name = o->over.name;
    if (is_parameter(o->sys, name))
        return ZW_OK;
    if (strcmp(name, "energy") == 0) {
        o->family.kind = ZW_FAMILY_ENERGY;
        unit = is_unitless(o->sys) ? "" : "J";
    } else if (strcmp(name, "period") == 0) {
        o->family.kind = ZW_FAMILY_PERIOD;
        unit = is_unitless(o->sys) ? "" : "s";
    } else if (find_observable(o, name, &unit)) {
        o->family.kind = ZW_FAMILY_ENERGY;
    } else if (!find_extreme(o, name, &unit)) {
        return ZW_OK;
    }
    ZW_TRY(zw_parameter_range_range(&o->over, o->sys, o->options.over, unit, err));
    o->has_over = true;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- the equations */

static zw_status reject_options(const zw_orbits *o, zw_error *err) {
    bool states = o->sys->nv == 0;
    for (int i = 0; i < o->sys->nq; i++)
        states |= o->sys->coord[i].state;
    if (o->sys->nv == 0 && o->family.observable)
        states = false;
    if (states || !o->autonomous) {
        zw_fail(err, ZW_E_OPTION,
                "--over %s: families of free orbits are those of mechanical "
                "systems without %s",
                o->over.name, states ? "states of first order" : "an excitation");
        zw_error_hint(
            err, states && o->sys->nv == 0
                     ? "use a conserved observable of the states: observe h = ..., --over h=A:B"
                     : "use --over with the name of a parameter");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* a copy of the system with one more parameter, for kernels */
static zw_status add_parameter(zw_orbits *o, zw_error *err) {
    zw_orbits_family *f = &o->family;
    const zw_system *s = o->sys;
    zw_system *copy = ZW_NEW(&o->arena, zw_system, 1);
    zw_param *param = ZW_NEW(&o->arena, zw_param, s->np + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    *copy = *s;
    if (s->np > 0)
        memcpy(param, s->param, sizeof *param * (size_t)s->np);
    f->damping = zw_symbol(s->ctx, "damping of the family");
    param[s->np] = (zw_param){
        .name = "damping of the family", .unit = "", .sym = f->damping, .value = ZW_ZERO};
    copy->param = param;
    copy->np = s->np + 1;
    f->sys = copy;
    o->eq.sys = copy;
    return ZW_OK;
}

/* v.dT/dv - T + V, or an observable of the state, and its slopes */
static zw_status make_integral(zw_orbits *o, zw_error *err) {
    zw_orbits_family *f = &o->family;
    zw_context *ctx = o->sys->ctx;
    int nv = o->eq.nv, nx = o->eq.nq + nv;
    zw_expr integral = zw_sub(ctx, o->eq.V, o->eq.T);
    f->nsymbol = nx + o->sys->np;
    f->slope = ZW_NEW(&o->arena, zw_expr, nx + 1);
    f->symbol = ZW_NEW(&o->arena, zw_expr, f->nsymbol + 1);
    f->number = ZW_NEW(&o->arena, double, f->nsymbol + nx + 2);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < nv; i++)
        integral =
            zw_add(ctx, integral, zw_mul(ctx, o->eq.v[i], zw_diff(ctx, o->eq.T, o->eq.v[i])));
    for (int i = 0; i < f->nsymbol; i++)
        f->symbol[i] = i < o->eq.nq ? o->eq.q[i]
                       : i < nx     ? o->eq.v[i - o->eq.nq]
                                    : o->sys->param[i - nx].sym;
    if (f->observable) {
        integral = o->sys->observable[f->observable - 1].value;
        ZW_TRY(zw_equations_translate(&o->eq, 1, &integral, err));
        if (zw_foreign_symbol(ctx, integral, f->nsymbol, f->symbol))
            return zw_fail(err, ZW_E_OPTION,
                           "--over %s: it contains time, accelerations or multipliers, so it does "
                           "not parametrise a family",
                           o->over.name);
    }
    f->integral = integral;
    for (int i = 0; i < nx; i++)
        f->slope[i] = zw_diff(ctx, integral, f->symbol[i]);
    return zw_context_status(ctx, err);
}

zw_status zw_orbits_unfold(zw_orbits *o, zw_error *err) {
    zw_orbits_family *f = &o->family;
    zw_context *ctx = o->sys->ctx;
    int nv = o->eq.nv;
    ZW_TRY(reject_options(o, err));
    ZW_TRY(add_parameter(o, err));
    zw_expr *h = ZW_NEW(&o->arena, zw_expr, nv + 1),
            *qdot = ZW_NEW(&o->arena, zw_expr, o->eq.nq + 1);
    if (!h || !qdot)
        return zw_out_of_memory(err, NULL);
    /* first-order model: along the gradient of the integral, which it then changes */
    if (nv == 0) {
        ZW_TRY(make_integral(o, err));
        for (int i = 0; i < o->eq.nq; i++)
            qdot[i] = zw_add(ctx, o->eq.qdot[i], zw_mul(ctx, f->damping, f->slope[i]));
        o->eq.qdot = qdot;
        return zw_context_status(ctx, err);
    }
    for (int i = 0; i < nv; i++) {
        zw_expr sum = ZW_ZERO;
        for (int j = 0; j < nv; j++)
            sum = zw_add(ctx, sum, zw_mul(ctx, o->eq.M[i * nv + j], o->eq.v[j]));
        h[i] = zw_add(ctx, o->eq.h[i], zw_mul(ctx, f->damping, sum));
    }
    o->eq.h = h;
    return make_integral(o, err);
}

/* ------------------------------------------------------------------------------- the functional */

static void put_numbers(zw_orbits *o, const double *x) {
    memcpy(o->family.number, x, sizeof(double) * (size_t)o->nx);
    memcpy(o->family.number + o->nx, o->now, sizeof(double) * (size_t)o->sys->np);
}

static double energy_of(zw_orbits *o, const double *x) {
    zw_orbits_family *f = &o->family;
    put_numbers(o, x);
    return zw_eval(o->sys->ctx, f->integral, f->nsymbol, f->symbol, f->number);
}

/* the time at which the coordinate is largest, or least: among many points of its polynomials, then
 * by bisection of its slope */
static double extreme_at(zw_orbits *o, const double *x) {
    enum { PARTS = 4 };
    int r = o->family.coordinate, N = zw_colloc_intervals(o->c);
    const double *mesh = zw_colloc_mesh(o->c);
    double *state = o->family.state, *slope = state + o->nx,
           sign = o->family.kind == ZW_FAMILY_MAX ? 1 : -1, best = -INFINITY, at = 0, by = 0;
    for (int j = 0; j < N; j++)
        for (int k = 0; k < PARTS; k++) {
            double h = (mesh[j + 1] - mesh[j]) / PARTS, tau = mesh[j] + k * h;
            zw_colloc_state(o->c, x, tau, state, NULL);
            if (sign * state[r] > best) {
                best = sign * state[r];
                at = tau;
                by = h;
            }
        }
    double low = at - 2 * by, high = at + 2 * by;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (low + high);
        zw_colloc_state(o->c, x, mid - floor(mid), state, slope);
        *(sign * slope[r] > 0 ? &low : &high) = mid;
    }
    at = 0.5 * (low + high);
    return at - floor(at);
}

double zw_orbits_functional(zw_orbits *o, const double *x) {
    switch (o->family.kind) {
    case ZW_FAMILY_PERIOD:
        return (o->half.on ? 2 : 1) * zw_colloc_period(o->c, x);
    case ZW_FAMILY_ENERGY:
        return energy_of(o, x);
    default:
        zw_colloc_state(o->c, x, extreme_at(o, x), o->family.state, NULL);
        return o->family.state[o->family.coordinate];
    }
}

/* F_x (n) */
static void slope_of(zw_orbits *o, const double *x, int n, double *out) {
    zw_orbits_family *f = &o->family;
    memset(out, 0, sizeof(double) * (size_t)n);
    if (f->kind == ZW_FAMILY_PERIOD) {
        out[n - 1] = o->half.on ? 2 : 1;
    } else if (f->kind == ZW_FAMILY_ENERGY) {
        put_numbers(o, x);
        zw_eval_all(o->sys->ctx, o->nx, f->slope, f->nsymbol, f->symbol, f->number, out);
    } else { /* the polynomial depends on its node and its slopes */
        double tau = extreme_at(o, x);
        int j = 0, m = o->options.stages, nx = o->nx, N = zw_colloc_intervals(o->c);
        const double *mesh = zw_colloc_mesh(o->c);
        zw_gauss rule;
        zw_gauss_init(&rule, m);
        while (j + 1 < N && mesh[j + 1] <= tau)
            j++;
        double h = mesh[j + 1] - mesh[j], s = (tau - mesh[j]) / h,
               *to = out + (size_t)j * (size_t)(nx * (m + 1)) + f->coordinate;
        to[0] = 1;
        for (int l = 0; l < m; l++)
            for (int i = 0; i < m; i++)
                to[(l + 1) * nx] += h * s * rule.b[i] * zw_gauss_lagrange(&rule, l, s * rule.c[i]);
    }
}

zw_status zw_orbits_check_integral(zw_orbits *o, const zw_orbit *about, zw_error *err) {
    enum { LOOKS = 40 };
    zw_orbits_family *f = &o->family;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *x = ZW_NEW(&o->arena, double, 3 * o->nx + 3), change = 0, size = 0;
    if (!x)
        return zw_out_of_memory(err, NULL);
    double *rate = x + o->nx + 1, *slope = rate + o->nx + 1;
    for (int k = 0; k < LOOKS; k++) {
        double sum = 0, parts = 0;
        ZW_TRY(about->at(about->user, about->start + about->period * k / LOOKS, x, err));
        ZW_TRY(zw_flow_project(o->flow, 0, x, NULL, err));
        ZW_TRY(zw_flow_rates(o->flow, 0, x, rate, NULL, err));
        put_numbers(o, x);
        zw_eval_all(o->sys->ctx, o->nx, f->slope, f->nsymbol, f->symbol, f->number, slope);
        for (int i = 0; i < o->nx; i++) {
            sum += slope[i] * rate[i];
            parts += fabs(slope[i] * rate[i]);
        }
        change = fmax(change, fabs(sum));
        size = fmax(size, parts);
    }
    zw_arena_release(&o->arena, mark);
    if (change <= ZW_ROUNDOFF_SOLVED * size)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL,
            "%s does not stay on the motions of this model: orbits form no family over %s",
            f->observable ? o->sys->observable[f->observable - 1].name : "energy", o->over.name);
    zw_error_hint(err, "switch off excitation and damping; or use --over with a parameter, over "
                       "which orbits are isolated");
    return ZW_E_MODEL;
}

/* states near the start of the model */
static zw_status about_start(void *user, double t, double *x, zw_error *err) {
    const zw_orbits *o = user;
    (void)err;
    for (int i = 0; i < o->nx; i++)
        x[i] = o->scale[i] + 0.1 * (i < o->sys->nq ? o->width[i] : 1) * cos(3 * t + 2.0 * i);
    return ZW_OK;
}

bool zw_orbits_conserves(zw_orbits *o) {
    const zw_system *s = o->sys;
    zw_orbit about = {.start = 0, .period = 1, .at = about_start, .user = o};
    if (!o->autonomous || s->nv == 0 || o->nx != s->nq + s->nv)
        return false;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state)
            return false;
    double *x = ZW_NEW(&o->arena, double, o->nx + 1), *scale = o->scale;
    zw_said *said = ZW_NEW(&o->arena, zw_said, o->nx + 1);
    if (o->arena.failed || zw_system_start_said(s, o->now, x, said, o->width, NULL) < 0)
        return false;
    if (!o->family.kind && make_integral(o, NULL) < 0)
        return false;
    o->scale = x;
    bool stays = zw_orbits_check_integral(o, &about, NULL) >= 0;
    o->scale = scale;
    return stays;
}

/* ---------------------------------------------------------------------------------- the problem */

static zw_status evaluate_residual(void *self, const double *x, double a, double *r,
                                   zw_error *err) {
    zw_orbits *o = self;
    const zw_cont_problem *p = &o->family.own;
    zw_status status = p->residual(p->self, x, x[p->n], r, err);
    if (status != ZW_OK)
        return status;
    r[p->n] = (zw_orbits_functional(o, x) - a) / p->unit;
    return isfinite(r[p->n]) ? ZW_OK : ZW_RETRY;
}

static zw_status factor_jacobian(void *self, const double *x, double a, const double *row,
                                 zw_error *err) {
    zw_orbits *o = self;
    zw_orbits_family *f = &o->family;
    const zw_cont_problem *p = &f->own;
    (void)a;
    slope_of(o, x, p->n, f->Fx);
    f->row_a = row[p->n + 1];
    for (int i = 0; i < p->n; i++)
        f->row[i] = row[i] + f->row_a * f->Fx[i];
    f->row[p->n] = row[p->n];
    return p->factor(p->self, x, x[p->n], f->row, err);
}

static void solve_factored(void *self, double *b) {
    zw_orbits *o = self;
    zw_orbits_family *f = &o->family;
    const zw_cont_problem *p = &f->own;
    int n = p->n;
    double of_F = p->unit * b[n];
    b[n] = b[n + 1] + f->row_a * of_F;
    p->solve(p->self, b);
    b[n + 1] = -of_F;
    for (int i = 0; i < n; i++)
        b[n + 1] += f->Fx[i] * b[i];
}

static double inner_product(void *self, const double *u, const double *v) {
    const zw_cont_problem *p = &((zw_orbits *)self)->family.own;
    return p->inner(p->self, u, v);
}

static void dual_vector(void *self, const double *u, double *row) {
    const zw_cont_problem *p = &((zw_orbits *)self)->family.own;
    p->dual(p->self, u, row);
    row[p->n] = 0;
}

zw_cont_problem zw_orbits_problem(zw_orbits *o) {
    zw_cont_problem own = zw_colloc_problem(o->c);
    if (!o->family.kind)
        return own;
    o->family.own = own;
    own.self = o;
    own.n++;
    own.residual = evaluate_residual;
    own.factor = factor_jacobian;
    own.solve = solve_factored;
    own.inner = inner_product;
    own.dual = dual_vector;
    return own;
}

zw_status zw_orbits_reserve_family(zw_orbits *o, size_t n, zw_error *err) {
    if (!o->family.kind)
        return ZW_OK;
    o->family.Fx = ZW_NEW(&o->arena, double, n);
    o->family.row = ZW_NEW(&o->arena, double, n);
    o->family.state = ZW_NEW(&o->arena, double, 2 * o->nx + 2);
    return zw_arena_status(&o->arena, err);
}

double zw_orbits_inner_value(const zw_orbits *o, const double *x, double value) {
    return o->family.kind ? x[zw_colloc_problem(o->c).n] : value;
}

/* The entry of a in a direction, after that of e, does not belong to collocation: it is copied. */
zw_status zw_orbits_adapt(zw_orbits *o, int intervals, int n, double **x, zw_error *err) {
    double last[4];
    int size = zw_colloc_problem(o->c).n;
    for (int i = 0; i < n && i < 4; i++)
        last[i] = o->family.kind ? x[i][size + 1] : 0;
    ZW_TRY(zw_colloc_adapt(o->c, intervals, n, x, err));
    size = zw_colloc_problem(o->c).n;
    for (int i = 1; i < n && i < 4 && o->family.kind; i++)
        x[i][size + 1] = last[i];
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- to the range */

/* the orbit at a bound, among those from a number on; -1 if there is none */
static int find_at(const zw_orbits *o, int first, double bound, double range) {
    int best = -1;
    double least = ZW_SAME_VALUE * range;
    for (int i = first; i < o->nmotion; i++)
        if (fabs(o->motion[i].value - bound) <= least) {
            least = fabs(o->motion[i].value - bound);
            best = i;
        }
    return best;
}

zw_status zw_orbits_enter_range(zw_orbits *o, int number, zw_error *err) {
    double low = fmin(o->over.from, o->over.to), high = fmax(o->over.from, o->over.to),
           value = o->motion[number].value, bound = value < low ? low : high;
    if (!o->family.kind || !(value < low || value > high))
        return ZW_OK;
    const zw_parameter_range range = o->over;
    int before = o->nmotion, branches = o->nbranch, unresolved = o->open.unresolved;
    o->over.from = value;
    o->over.to = bound;
    zw_status status = zw_orbits_follow(o, number, err);
    o->over = range;
    ZW_TRY(status);
    int at = find_at(o, before, bound, fabs(bound - value));
    if (at < 0) {
        zw_fail(err, ZW_E_NUMERIC,
                "the family of the first orbit, at %s = %.9g, does not reach the range",
                o->over.name, value / o->over.factor);
        zw_error_hint(err, "another start, or another mode");
        return ZW_E_NUMERIC;
    }
    o->motion[number] = o->motion[at];
    o->motion[number].curve = -1;
    o->motion[number].event = ZW_BIFURCATION_POINT;
    o->motion[number].tangent = NULL;
    o->nmotion = before;
    o->nbranch = branches;
    o->open.unresolved = unresolved;
    return ZW_OK;
}

void zw_orbits_explain_family(const zw_orbits *o, int branch, zw_error *err) {
    if (!o->family.kind || o->family.kind == ZW_FAMILY_ENERGY || o->branch[branch].n > 1 || !err)
        return;
    *err = (zw_error){0};
    zw_fail(err, ZW_E_NUMERIC,
            "no neighbouring orbit with another %s was found; if all orbits of the family have the "
            "same value, it does not distinguish them",
            o->over.name);
    zw_error_hint(err, "follow such families with --over energy=A:B");
}

/* ------------------------------------------------------------------------------------ stability */

int zw_orbits_unit_multipliers(const zw_orbits *o) {
    return (o->family.kind ? 1 : 0) + o->group.n + o->free;
}

/* excludes the `ones` multipliers nearest to 1, besides the trivial one; returns the distance of
 * the last of them from 1 */
static double exclude_ones(const zw_floquet *m, int ones, bool *counts) {
    double last = 0;
    for (int i = 0; i < m->n; i++)
        counts[i] = true;
    for (int k = 0; k < ones; k++) {
        int next = -1;
        double least = INFINITY;
        for (int i = 0; i < m->n; i++) {
            double d = hypot(m->re[i] - 1, m->im[i]);
            if (counts[i] && i != m->trivial && d < least) {
                least = d;
                next = i;
            }
        }
        if (next < 0)
            return INFINITY;
        counts[next] = false;
        last = least;
    }
    return last;
}

void zw_orbits_nontrivial(const zw_floquet *m, int ones, bool *counts) {
    exclude_ones(m, ones, counts);
}

/* The reciprocal of a multiplier is a multiplier, too: the error of the nearest one. */
static double reciprocal_error(const zw_floquet *m, int i, const bool *counts) {
    double least = INFINITY;
    for (int j = 0; j < m->n; j++)
        if (j != i && j != m->trivial && counts[j])
            least = fmin(least, hypot(m->re[i] * m->re[j] - m->im[i] * m->im[j] - 1,
                                      m->re[i] * m->im[j] + m->im[i] * m->re[j]));
    return isfinite(least) ? least : 0;
}

/* Multipliers that are 1 form a cluster: an error e of the matrix moves them by a root of it, but
 * not their mean, which becomes the error of all of them. Without friction the accuracy of the
 * others follows from their reciprocal pairs; estimates from the matrix would give all of them the
 * error of the cluster. */
static void clean_cluster(zw_floquet *m, int ones, bool conservative, bool *counts) {
    double mean = 0;
    if (!(exclude_ones(m, ones, counts) <= UNIT_CLUSTER))
        return;
    counts[m->trivial] = false;
    for (int i = 0; i < m->n; i++)
        mean += counts[i] ? 0 : m->re[i] / (ones + 1);
    for (int i = 0; i < m->n; i++)
        if (!counts[i]) {
            m->re[i] = mean;
            m->im[i] = 0;
        }
    m->accuracy = 0;
    for (int i = 0; i < m->n; i++) {
        if (!counts[i])
            m->error[i] = fabs(mean - 1);
        else if (conservative)
            m->error[i] = fabs(mean - 1) + PAIR_SAFETY * reciprocal_error(m, i, counts);
        m->accuracy = fmax(m->accuracy, m->error[i] / fmax(1, hypot(m->re[i], m->im[i])));
    }
}

zw_status zw_orbits_clean_multipliers(zw_floquet *m, int ones, bool conservative,
                                      const zw_allocator *alloc, zw_error *err) {
    size_t size = sizeof(bool) * (size_t)(m->n + 1);
    if (m->trivial < 0)
        return ZW_OK;
    bool *counts = zw_allocate(alloc, size);
    if (!counts)
        return zw_out_of_memory(err, NULL);
    clean_cluster(m, ones, conservative, counts);
    zw_release(alloc, counts, size);
    return ZW_OK;
}

/* with friction: stable if those that count are inside, unstable if one is outside */
static void judge_others(const zw_floquet *q, const bool *counts, zw_orbit_motion *m) {
    double margin = zw_floquet_options_default().margin;
    bool inside = true;
    for (int i = 0; i < q->n; i++) {
        double size = hypot(q->re[i], q->im[i]), band = margin + q->error[i];
        if (i == q->trivial || !counts[i])
            continue;
        m->outside += size > 1 + band;
        inside &= size < 1 - band;
    }
    m->verdict = m->outside ? ZW_FLOQUET_UNSTABLE
                 : inside   ? ZW_FLOQUET_STABLE
                            : ZW_FLOQUET_UNDECIDED;
}

zw_status zw_orbits_family_verdict(zw_orbits *o, const zw_floquet *q, zw_orbit_motion *m,
                                   zw_error *err) {
    bool *counts = ZW_NEW(&o->arena, bool, q->n + 1);
    if (!counts)
        return zw_out_of_memory(err, NULL);
    zw_orbits_nontrivial(q, zw_orbits_unit_multipliers(o), counts);
    m->outside = 0;
    if (!o->family.kind && !o->conserves) {
        judge_others(q, counts, m);
        return ZW_OK;
    }
    for (int i = 0; i < q->n; i++)
        m->outside += i != q->trivial && counts[i] &&
                      hypot(q->re[i], q->im[i]) - 1 > fmax(OFF_CIRCLE, PAIR_ERRORS * q->error[i]);
    m->verdict = m->outside ? ZW_FLOQUET_UNSTABLE : ZW_FLOQUET_STABLE;
    return ZW_OK;
}
