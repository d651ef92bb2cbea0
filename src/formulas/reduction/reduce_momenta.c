/* SPDX-License-Identifier: MIT */
/* Conserved momenta as parameters. With T the kinetic energy in terms of the entries z of the
 * reduced state, the momentum of an independent velocity v_i is
 *
 *     J_i = dT/dv_i,    J_i' = sum_k dJ_i/dz_k z_k' + dJ_i/dt.
 *
 * J_i is the momentum of an ignorable coordinate, or along a direction that constraints allow.
 * If J_i' is not 0, two of them may have rates in a constant ratio: then J_i - c J_j is
 * conserved, as for a ball with its centre of mass on an axis (Jellett's integral). A quantity
 * given by the caller must be linear in the velocities. Conserved quantities with the values P
 * determine as many velocities u,
 *
 *     A(q, t) u + b(q, w, t) = P,    u = A^-1 (P - b),
 *
 * and w are the other velocities. A rate counts as zero only if its formula is zero: a numerical
 * test would miss a force that is small at the tested states. For holonomic systems Routh's
 * function is the Lagrangian of the reduced system,
 *
 *     R = T - V - P . u = R_2 + b . w + R_0,
 *     d/dt dL/dw - dL/dq = Q,    L = R_2 + R_0.
 *
 * Q follows from the rates, so that forces which are not in V are included. The gyroscopic
 * forces of b . w are among them: they do no work, and R_2 - R_0 is Jacobi's integral of R, the
 * energy of the model that is written. With b . w as a part of the kinetic energy it would not
 * be conserved. E. J. Routh, Stability of a given state of motion (1877). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/calculus/ratio.h"
#include "reduce.h"
#include "zwang/model.h"

/* weight of a coordinate that is left out: larger than any ratio of shares */
#define LEFT_OUT_FIRST 1e12

typedef struct momentum_search {
    zw_reduction *r;
    zw_context *ctx;
    const zw_explicit *x; /* the entries */
    zw_expr T;            /* kinetic energy in terms of the entries */
    int nv, *of;          /* nv: entries that are velocities */
    zw_expr *J, *rate;    /* nv: their momenta and the rates of these */
    bool *used;           /* nv: part of a momentum that was added */
} momentum_search;

/* ------------------------------------------------------------------------------------- rates */

static zw_expr rate_of(const momentum_search *s, zw_expr e) {
    zw_expr sum = zw_diff(s->ctx, e, s->x->sys->t);
    for (int k = 0; k < s->x->nentry; k++) {
        const zw_rated *z = &s->x->entry[k];
        zw_expr slope = zw_diff(s->ctx, e, z->sym);
        if (slope != ZW_ZERO)
            sum = zw_add(s->ctx, sum, zw_mul(s->ctx, slope, zw_div(s->ctx, z->num, z->den)));
    }
    return sum;
}

/* Do the rates of two momenta have the same ratio at all samples? */
static bool has_constant_ratio(const momentum_search *s, int i, int j) {
    zw_reduction *r = s->r;
    int n = 1 + r->sys->nq + r->sys->nv, seen = 0;
    const zw_expr rate[2] = {s->rate[i], s->rate[j]};
    double first = 0;
    for (int k = 0; k < ZW_REDUCE_SAMPLES; k++) {
        const double *row = r->sample + k * n;
        double v[2];
        if (!zw_explicit_eval(s->x, &r->arena, 2, rate, row[0], row + 1, v) || v[1] == 0)
            continue;
        first = seen++ ? first : v[0] / v[1];
        if (!(fabs(v[0] / v[1] - first) <= ZW_ROUNDOFF_SOLVED * fabs(first)))
            return false;
    }
    return 2 * seen > ZW_REDUCE_SAMPLES;
}

static bool depends_on_state(const momentum_search *s, zw_expr e) {
    const zw_equations *eq = &s->x->eq;
    return zw_depends(s->ctx, e, s->x->sys->t) || zw_depends_any(s->ctx, e, eq->nq, eq->q) ||
           zw_depends_any(s->ctx, e, eq->nv, eq->v);
}

/* ---- found momenta ---- */

static const char *coordinate_name(const momentum_search *s, int i) {
    const zw_velocity *v = &s->x->sys->velocity[s->x->entry[s->of[i]].index - s->x->eq.nq];
    return v->coord >= 0 ? s->x->sys->coord[v->coord].name : v->name;
}

static const char *unit_of_momentum(const momentum_search *s, int i) {
    const char *unit = s->x->entry[s->of[i]].unit;
    char text[100];
    if (s->x->sys->no_units)
        return "";
    snprintf(text, sizeof text,
             strcmp(unit, "rad/s") == 0 ? "J*s"
             : strcmp(unit, "m/s") == 0 ? "N*s"
             : unit[0]                  ? "J/(%s)"
                                        : "J",
             unit);
    return zw_context_intern(s->ctx, text);
}

static const char *new_name(const momentum_search *s, const char *first, const char *second) {
    char text[200];
    snprintf(text, sizeof text, "p_%.60s%s%.60s", zw_explicit_plain_name(s->x, first),
             second ? "_" : "", second ? zw_explicit_plain_name(s->x, second) : "");
    zw_explicit_make_new(s->x->sys, sizeof text, text);
    return zw_context_intern(s->ctx, text);
}

static zw_status add_momentum(momentum_search *s, const char *name, const char *unit,
                              const char *about, zw_expr value, int entry, zw_error *err) {
    zw_reduction *r = s->r;
    if (!name || !unit || !about)
        return zw_reduce_memory(err);
    r->held[r->nheld++] = (zw_reduced_momentum){.name = name,
                                                .unit = unit,
                                                .about = about,
                                                .sym = zw_symbol(s->ctx, name),
                                                .value = value,
                                                .index = s->x->entry[entry].index};
    return zw_context_status(s->ctx, err);
}

static zw_status add_single(momentum_search *s, int i, zw_error *err) {
    char about[120];
    const char *name = coordinate_name(s, i);
    snprintf(about, sizeof about, "momentum of %.90s", name);
    s->used[i] = true;
    return add_momentum(s, new_name(s, name, NULL), unit_of_momentum(s, i),
                        zw_context_intern(s->ctx, about), s->J[i], s->of[i], err);
}

/* J_i - c J_j if c is a formula of parameters. */
static zw_status add_pair(momentum_search *s, int i, int j, zw_error *err) {
    char about[200];
    const char *a = coordinate_name(s, i), *b = coordinate_name(s, j);
    if (!has_constant_ratio(s, i, j))
        return ZW_OK;
    zw_expr c = zw_explicit_tidy(s->x, zw_div(s->ctx, s->rate[i], s->rate[j]));
    if (depends_on_state(s, c))
        c = zw_ratio(s->ctx, c);
    zw_expr J = zw_sub(s->ctx, s->J[i], zw_mul(s->ctx, c, s->J[j]));
    if (depends_on_state(s, c) || !zw_ratio_is_zero(s->ctx, rate_of(s, J)))
        return zw_context_status(s->ctx, err);
    snprintf(about, sizeof about, "momentum along %.80s and %.80s", a, b);
    s->used[i] = s->used[j] = true;
    return add_momentum(s, new_name(s, a, b), unit_of_momentum(s, i),
                        zw_context_intern(s->ctx, about), J, s->of[i], err);
}

static bool is_wanted(const momentum_search *s, const char *name, int i) {
    return strcmp(name, "all") == 0 || strcmp(name, coordinate_name(s, i)) == 0;
}

static zw_status not_conserved(const momentum_search *s, const char *name, zw_expr rate,
                               zw_error *err) {
    char *text = zw_print_within(s->ctx, zw_explicit_tidy(s->x, rate), ZW_TEXT, 120);
    if (text)
        zw_fail(err, ZW_E_MODEL, "the momentum of %.60s is not conserved, its rate is %.120s", name,
                text);
    else
        zw_fail(err, ZW_E_MODEL,
                "the momentum of %.60s is not conserved, its rate is a long formula", name);
    zw_string_free(s->ctx, text);
    zw_error_hint(err, "--momenta all takes those that are conserved; "
                       "NAME=FORMULA states another quantity");
    return ZW_E_MODEL;
}

/* Does another conserved quantity determine this velocity? */
static bool is_given(const momentum_search *s, int i) {
    return zw_reduce_is_held(s->r, s->x->entry[s->of[i]].index);
}

/* The momenta of this coordinate, or all of them: alone, or otherwise with that of another one. */
static zw_status add_named(momentum_search *s, const char *name, zw_error *err) {
    int before = s->r->nheld, found = -1;
    for (int i = 0; i < s->nv; i++)
        if (is_wanted(s, name, i)) {
            found = i;
            if (!s->used[i] && !is_given(s, i) && zw_ratio_is_zero(s->ctx, s->rate[i]))
                ZW_TRY(add_single(s, i, err));
        }
    for (int i = 0; i < s->nv; i++)
        for (int j = 0; j < s->nv; j++)
            if (is_wanted(s, name, i) && i != j && !s->used[i] && !s->used[j] && !is_given(s, i))
                ZW_TRY(add_pair(s, i, j, err));
    if (found < 0 && strcmp(name, "all") != 0) {
        zw_fail(err, ZW_E_NAME,
                "no independent velocity of the reduced equations is the rate of %.80s", name);
        zw_error_hint(err, "--momenta all takes the momenta that are conserved");
        return ZW_E_NAME;
    }
    if (strcmp(name, "all") != 0 && s->r->nheld == before && !s->used[found])
        return not_conserved(s, name, s->rate[found], err);
    return ZW_OK;
}

/* ---- given quantities ---- */

static bool is_left_out(const momentum_search *s, int index) {
    int coord = s->x->sys->velocity[index - s->x->eq.nq].coord;
    for (int i = 0; i < s->x->nleft; i++)
        if (s->x->left[i].entry.index == coord)
            return true;
    return false;
}

/* The velocity that it shall determine: of a coordinate left out if possible, and with the largest
 * share at the start. */
static int velocity_for(const momentum_search *s, zw_expr value, const double *start) {
    int best = -1;
    double most = 0;
    for (int i = 0; i < s->nv; i++) {
        const zw_rated *z = &s->x->entry[s->of[i]];
        zw_expr slope = zw_diff(s->ctx, value, z->sym);
        double size;
        if (zw_reduce_is_held(s->r, z->index) || slope == ZW_ZERO ||
            !zw_explicit_eval(s->x, &s->r->arena, 1, &slope, 0, start, &size))
            continue;
        size = fabs(size) * (is_left_out(s, z->index) ? LEFT_OUT_FIRST : 1);
        if (size > most) {
            most = size;
            best = i;
        }
    }
    return best;
}

static zw_status add_stated(momentum_search *s, const char *text, const double *start,
                            zw_error *err) {
    size_t n = strcspn(text, "=");
    char name[80];
    const char *unit, *formula = text + n + 1 + strspn(text + n + 1, " ");
    zw_expr value, rest, *v = ZW_REDUCE_NEW(s->r, zw_expr, s->nv),
                         *coef = ZW_REDUCE_NEW(s->r, zw_expr, s->nv);
    if (s->r->arena.failed)
        return zw_reduce_memory(err);
    snprintf(name, sizeof name, "%.*s", n < 70 ? (int)n : 70, text);
    while (n > 0 && name[strlen(name) - 1] == ' ')
        name[strlen(name) - 1] = 0;
    if (zw_explicit_taken(s->x->sys, name)) {
        zw_fail(err, ZW_E_NAME, "--momenta: the model already has the name '%s'", name);
        zw_error_hint(err, "give the parameter another name");
        return ZW_E_NAME;
    }
    ZW_TRY(zw_model_quantity(&value, &unit, s->x->sys, "--momenta", formula, err));
    ZW_TRY(zw_equations_translate(&s->x->eq, 1, &value, err));
    value = zw_reduce_on_slice(s->r, value);
    for (int i = 0; i < s->nv; i++)
        v[i] = s->x->entry[s->of[i]].sym;
    if (!zw_linear(s->ctx, value, s->nv, v, coef, &rest))
        return zw_fail(err, ZW_E_MODEL, "--momenta %s: it is not linear in the velocities", name);
    if (!zw_ratio_is_zero(s->ctx, rate_of(s, value))) {
        ZW_TRY(zw_context_status(s->ctx, err));
        return zw_fail(err, ZW_E_MODEL, "--momenta %s: its rate does not simplify to zero", name);
    }
    int at = velocity_for(s, value, start);
    if (at < 0)
        return zw_fail(err, ZW_E_MODEL, "--momenta %s: at the start it depends on no velocity",
                       name);
    return add_momentum(s, zw_context_intern(s->ctx, name), unit,
                        zw_context_intern(s->ctx, formula), value, s->of[at], err);
}

/* ------------------------------------------------------------------------ velocities by momenta */

static zw_status solve_velocities(momentum_search *s, const double *start, zw_error *err) {
    zw_reduction *r = s->r;
    int n = r->nheld;
    zw_expr *A = ZW_REDUCE_NEW(r, zw_expr, n * n), *b = ZW_REDUCE_NEW(r, zw_expr, n),
            *v = ZW_REDUCE_NEW(r, zw_expr, n), *P = ZW_REDUCE_NEW(r, zw_expr, n),
            *here = ZW_REDUCE_NEW(r, zw_expr, n);
    double *got = ZW_REDUCE_NEW(r, double, n);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    for (int i = 0; i < n; i++)
        v[i] = s->x->eq.v[r->held[i].index - s->x->eq.nq];
    for (int i = 0; i < n; i++) {
        zw_reduced_momentum *h = &r->held[i];
        zw_expr rest;
        if (!zw_linear(s->ctx, h->value, n, v, A + i * n, &rest))
            return zw_fail(err, ZW_E_MODEL, "%s is not linear in the velocities", h->name);
        b[i] = zw_sub(s->ctx, h->sym, rest);
        if (!zw_explicit_eval(s->x, &r->arena, 1, &h->value, 0, start, &h->at))
            return zw_fail(err, ZW_E_DOMAIN, "%s has no value at the start", h->name);
        P[i] = h->sym;
        here[i] = zw_real(s->ctx, h->at);
    }
    bool solved = zw_explicit_solve(s->x, &r->arena, n, 1, A, b);
    for (int i = 0; solved && i < n; i++)
        here[i] = zw_real(s->ctx, r->held[i].at);
    for (int i = 0; solved && i < n; i++) {
        r->held[i].velocity = zw_explicit_tidy(s->x, b[i]);
        b[i] = zw_subst(s->ctx, r->held[i].velocity, n, P, here);
    }
    if (solved && zw_explicit_eval(s->x, &r->arena, n, b, 0, start, got))
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_context_status(s->ctx, err));
    zw_fail(err, ZW_E_NUMERIC,
            "at the start the conserved momenta do not determine the velocities");
    zw_error_hint(err, "--set a start where they do, or name fewer momenta");
    return ZW_E_NUMERIC;
}

/* ----------------------------------------------------------------------------- Routh's function */

zw_expr zw_reduce_put_momenta(const zw_reduction *r, zw_expr e) {
    for (int i = 0; i < r->nheld; i++)
        e = zw_subst(r->ctx, e, 1, &r->rates.eq.v[r->held[i].index - r->rates.eq.nq],
                     &r->held[i].velocity);
    return e;
}

bool zw_reduce_is_held(const zw_reduction *r, int index) {
    for (int i = 0; i < r->nheld; i++)
        if (r->held[i].index == index)
            return true;
    return false;
}

/* The entry that is the rate of this coordinate and of no other; -1 if none. */
static int rate_entry(const zw_explicit *x, int k) {
    const zw_rated *q = &x->entry[k];
    for (int j = 0; j < x->nentry; j++)
        if (q->index < x->eq.nq && x->entry[j].index >= x->eq.nq && q->den == ZW_ONE &&
            q->num == x->entry[j].sym)
            return j;
    return -1;
}

/* Coordinates with their rates as entries, in q and v: returns their number; -1: a velocity is no
 * rate of one. All other entries are further states, which R must not contain. */
static int find_pairs(const zw_reduction *r, int *q, int *v) {
    const zw_explicit *x = &r->rates;
    int n = 0, velocities = 0;
    for (int k = 0; k < x->nentry; k++) {
        if (x->entry[k].turned)
            return -1;
        int j = rate_entry(x, k);
        velocities += x->entry[k].index >= x->eq.nq && !zw_reduce_is_held(r, x->entry[k].index);
        if (j < 0 || zw_reduce_is_held(r, x->entry[j].index))
            continue;
        q[n] = k;
        v[n++] = j;
    }
    return n == velocities ? n : -1;
}

static bool is_among(int n, const int *list, int k) {
    for (int i = 0; i < n; i++)
        if (list[i] == k)
            return true;
    return false;
}

static bool has_other_states(const zw_reduction *r, zw_expr R, int n, const int *q) {
    const zw_explicit *x = &r->rates;
    for (int k = 0; k < x->nentry; k++)
        if (x->entry[k].index < x->eq.nq && !is_among(n, q, k) &&
            zw_depends(r->ctx, R, x->entry[k].sym))
            return true;
    return false;
}

static zw_expr simplify_expression(const zw_reduction *r, zw_expr e) {
    return zw_ratio_is_zero(r->ctx, e) ? ZW_ZERO : zw_explicit_tidy(&r->rates, e);
}

/* Q_i = d/dt dL/dw_i - dL/dq_i. */
static zw_expr force_of(const zw_reduction *r, zw_expr L, int n, const int *q, const int *v,
                        int i) {
    zw_context *ctx = r->ctx;
    const zw_rated *entry = r->rates.entry;
    zw_expr p = zw_diff(ctx, L, entry[v[i]].sym), sum = zw_diff(ctx, p, r->sys->t);
    for (int k = 0; k < n; k++) {
        const zw_rated *a = &entry[v[k]];
        zw_expr accel = zw_reduce_put_momenta(r, zw_div(ctx, a->num, a->den));
        sum = zw_add(ctx, sum, zw_mul(ctx, zw_diff(ctx, p, a->sym), accel));
        sum = zw_add(ctx, sum, zw_mul(ctx, zw_diff(ctx, p, entry[q[k]].sym), a->sym));
    }
    return simplify_expression(r, zw_sub(ctx, sum, zw_diff(ctx, L, entry[q[i]].sym)));
}

static bool is_holonomic(const zw_equations *eq) {
    for (int i = 0; i < eq->nvel; i++)
        if (eq->vel_constraint[i] >= 0 &&
            eq->sys->constraint[eq->vel_constraint[i]].level != ZW_POSITION)
            return false;
    return true;
}

static zw_status find_routh(zw_reduction *r, zw_expr T, zw_error *err) {
    zw_context *ctx = r->ctx;
    const zw_explicit *x = &r->rates;
    int *q = ZW_REDUCE_NEW(r, int, x->nentry), *v = ZW_REDUCE_NEW(r, int, x->nentry);
    zw_reduced_routh *o = ZW_REDUCE_NEW(r, zw_reduced_routh, 1);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    int n = is_holonomic(&x->eq) && !x->eq.nunit ? find_pairs(r, q, v) : -1;
    if (n <= 0)
        return ZW_OK;
    zw_expr R = zw_sub(ctx, zw_reduce_put_momenta(r, T), zw_reduce_on_slice(r, x->eq.V)), rest;
    for (int i = 0; i < r->nheld; i++)
        R = zw_sub(ctx, R, zw_mul(ctx, r->held[i].sym, r->held[i].velocity));
    R = zw_explicit_tidy(x, R); /* simplifies the squares of sines and cosines */
    zw_expr *w = ZW_REDUCE_NEW(r, zw_expr, n), *A = ZW_REDUCE_NEW(r, zw_expr, n * n),
            *b = ZW_REDUCE_NEW(r, zw_expr, n);
    o->force = ZW_REDUCE_NEW(r, zw_expr, n);
    o->coordinate = ZW_REDUCE_NEW(r, int, n);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    for (int i = 0; i < n; i++)
        w[i] = x->entry[v[i]].sym;
    if (has_other_states(r, R, n, q) || !zw_quadratic(ctx, R, n, w, A, b, &rest))
        return zw_context_status(ctx, err);
    o->kinetic = ZW_ZERO;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            o->kinetic = zw_add(
                ctx, o->kinetic,
                zw_div(ctx,
                       zw_mul(ctx, zw_mul(ctx, simplify_expression(r, A[i * n + j]), w[i]), w[j]),
                       ZW_TWO));
    }
    o->potential = zw_neg(ctx, simplify_expression(r, rest));
    zw_expr written = zw_sub(ctx, o->kinetic, o->potential);
    for (int i = 0; i < n; i++) {
        o->coordinate[i] = x->entry[q[i]].index;
        o->force[i] = force_of(r, written, n, q, v, i);
    }
    o->n = n;
    r->routh = o;
    return zw_context_status(ctx, err);
}

/* ---- the whole ---- */

zw_expr zw_reduce_on_slice(const zw_reduction *r, zw_expr e) {
    e = zw_explicit_substitute(&r->all, e);
    for (int l = 0; l < r->rates.nleft; l++) {
        zw_expr at = zw_real(r->ctx, r->rates.left[l].at);
        e = zw_subst(r->ctx, e, 1, &r->rates.left[l].entry.sym, &at);
    }
    return e;
}

static zw_status begin_search(momentum_search *s, zw_error *err) {
    zw_reduction *r = s->r;
    const zw_explicit *x = s->x;
    s->of = ZW_REDUCE_NEW(r, int, x->nentry);
    s->J = ZW_REDUCE_NEW(r, zw_expr, x->nentry);
    s->rate = ZW_REDUCE_NEW(r, zw_expr, x->nentry);
    s->used = ZW_REDUCE_NEW(r, bool, x->nentry);
    r->held = ZW_REDUCE_NEW(r, zw_reduced_momentum, x->nentry + 1);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    s->T = zw_reduce_on_slice(r, x->eq.T);
    for (int k = 0; k < x->nentry; k++)
        if (x->entry[k].index >= x->eq.nq) {
            s->of[s->nv] = k;
            s->J[s->nv] = zw_explicit_tidy(x, zw_diff(s->ctx, s->T, x->entry[k].sym));
            s->rate[s->nv] = rate_of(s, s->J[s->nv]);
            s->nv++;
        }
    return zw_context_status(s->ctx, err);
}

zw_status zw_reduce_momenta(zw_reduction *r, const double *start, zw_error *err) {
    momentum_search s = {.r = r, .ctx = r->ctx, .x = &r->rates};
    if (r->options.nmomenta == 0)
        return ZW_OK;
    ZW_TRY(begin_search(&s, err));
    for (int i = 0; i < r->options.nmomenta; i++)
        if (strchr(r->options.momenta[i], '='))
            ZW_TRY(add_stated(&s, r->options.momenta[i], start, err));
        else
            ZW_TRY(add_named(&s, r->options.momenta[i], err));
    if (r->nheld == 0)
        return ZW_OK;
    if (r->nheld == r->rates.nentry) {
        zw_fail(err, ZW_E_MODEL,
                "no states are left: all velocities are given by conserved momenta");
        zw_error_hint(err, "name fewer momenta, or --keep a coordinate");
        return ZW_E_MODEL;
    }
    ZW_TRY(solve_velocities(&s, start, err));
    return find_routh(r, s.T, err);
}
