/* SPDX-License-Identifier: MIT */
/* Finds where time occurs in the equations. The graph is walked from its roots through all nodes
 * that depend on t:
 *   - the argument of sin, cos and tan is a sum; its terms of the form t times parameters add up to
 *     the frequency w, and all other terms are walked;
 *   - any other occurrence of t is of another kind, reported by the smallest function around it.
 *
 * The base frequency at given values is the smallest w > 0 divided by r, where r is the smallest
 * integer that makes all ratios r w_i/w integers, within a tolerance. */
#include "zwang/equations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "forcing.h"
#include "mech/equations/variants.h"
#include "mech/system/build.h"

enum { MULTIPLES_MAX = 24, OTHERS_MAX = 4, TEXT_MAX = 60 };

typedef struct collector {
    const zw_equations *eq;
    zw_context *ctx;
    zw_expr t;
    bool *seen;    /* by node */
    uint32_t size; /* number of nodes in `seen` */
    zw_expr *frequency, *drive;
    const char **other;
    int n, capacity, drive_capacity, nother, other_capacity;
    int nvar;
    zw_expr *variables; /* t, q, v, u, on which a frequency must not depend */
    zw_expr *part, *rate;
    int *of;
    int npart, part_capacity, rate_capacity, of_capacity;
} collector;

/* -------------------------------------------------------------------------------------- finding */

static const char *text_of(collector *c, zw_expr e) {
    char cut[TEXT_MAX + 8];
    char *text = zw_print_within(c->ctx, e, ZW_TEXT, TEXT_MAX);
    snprintf(cut, sizeof cut, "%s", text ? text : "a long expression");
    if (text)
        zw_string_free(c->ctx, text);
    return zw_context_intern(c->ctx, cut);
}

static void add_other(collector *c, const char *text) {
    for (int i = 0; i < c->nother; i++)
        if (c->other[i] == text)
            return;
    if (zw_mech_grow(c->ctx, (void **)&c->other, c->nother, &c->other_capacity, sizeof *c->other))
        c->other[c->nother++] = text;
}

/* makes the first coefficient positive: Omega instead of -Omega */
static zw_expr without_sign(collector *c, zw_expr w) {
    int n;
    w = zw_expand(c->ctx, w);
    bool minus = zw_expr_is_number(c->ctx, w) && zw_expr_number(c->ctx, w) < 0;
    if (zw_expr_op(c->ctx, w) == ZW_OP_SUM) {
        const zw_expr *a = zw_expr_args(c->ctx, w, &n);
        minus = n > 2 && zw_expr_number(c->ctx, a[2]) < 0;
    }
    return minus ? zw_neg(c->ctx, w) : w;
}

/* its index; -1 if out of memory */
static int add_frequency(collector *c, zw_expr w, zw_expr drive) {
    w = without_sign(c, w);
    for (int i = 0; i < c->n; i++)
        if (c->frequency[i] == w)
            return i;
    if (!zw_mech_grow(c->ctx, (void **)&c->frequency, c->n, &c->capacity, sizeof *c->frequency) ||
        !zw_mech_grow(c->ctx, (void **)&c->drive, c->n, &c->drive_capacity, sizeof *c->drive))
        return -1;
    c->frequency[c->n] = w;
    c->drive[c->n] = drive;
    return c->n++;
}

static void add_part(collector *c, zw_expr e, zw_expr w) {
    int of = add_frequency(c, w, e), n = c->npart;
    if (of < 0 || !zw_mech_grow(c->ctx, (void **)&c->part, n, &c->part_capacity, sizeof *c->part) ||
        !zw_mech_grow(c->ctx, (void **)&c->rate, n, &c->rate_capacity, sizeof *c->rate) ||
        !zw_mech_grow(c->ctx, (void **)&c->of, n, &c->of_capacity, sizeof *c->of))
        return;
    c->part[n] = e;
    c->rate[n] = w;
    c->of[n] = of;
    c->npart++;
}

static void walk_expression(collector *c, zw_expr e, zw_expr within);

/* the rate of a term of the form t times parameters; 0 for any other term */
static zw_expr rate_of(collector *c, zw_expr term) {
    zw_expr rate = zw_diff(c->ctx, term, c->t);
    return zw_depends_any(c->ctx, rate, c->nvar, c->variables) ? ZW_NULL : rate;
}

/* the frequency of an argument; parts that are not linear in t are walked */
static zw_expr frequency_of(collector *c, zw_expr arg, zw_expr within) {
    int n;
    zw_expr whole = rate_of(c, arg), w = ZW_ZERO;
    if (whole)
        return whole;
    arg = zw_expand(c->ctx, arg);
    if (zw_expr_op(c->ctx, arg) != ZW_OP_SUM) {
        walk_expression(c, arg, within);
        return ZW_ZERO;
    }
    const zw_expr *a = zw_expr_args(c->ctx, arg, &n);
    for (int i = 1; i + 1 < n; i += 2) {
        zw_expr rate = rate_of(c, a[i]);
        if (rate)
            w = zw_add(c->ctx, w, zw_mul(c->ctx, a[i + 1], rate));
        else
            walk_expression(c, a[i], within);
    }
    return w;
}

static bool is_periodic(zw_op op) {
    return op == ZW_OP_SIN || op == ZW_OP_COS || op == ZW_OP_TAN;
}

/* true at the first visit; nodes created on the way are always new */
static bool is_new(collector *c, zw_expr e) {
    if (e >= c->size)
        return true;
    bool first = !c->seen[e];
    c->seen[e] = true;
    return first;
}

static void walk_expression(collector *c, zw_expr e, zw_expr within) {
    int n;
    if (zw_context_status(c->ctx, NULL) < 0)
        return;
    if (e == c->t) {
        add_other(c, text_of(c, within));
        return;
    }
    if (!is_new(c, e) || !zw_depends(c->ctx, e, c->t))
        return;
    zw_op op = zw_expr_op(c->ctx, e);
    const zw_expr *a = zw_expr_args(c->ctx, e, &n);
    if (is_periodic(op)) {
        zw_expr w = frequency_of(c, a[0], e);
        if (w != ZW_ZERO && w != ZW_NULL)
            add_part(c, e, w);
        return;
    }
    for (int i = 0; i < n; i++)
        walk_expression(c, a[i], op != ZW_OP_SUM ? e : a[i] == c->t ? within : a[i]);
}

static void walk_all(collector *c, int n, const zw_expr *e) {
    for (int i = 0; i < n; i++)
        walk_expression(c, e[i], e[i]);
}

/* t, q, v, u */
static zw_status list_variables(collector *c, zw_error *err) {
    const zw_equations *eq = c->eq;
    c->variables = ZW_SCRATCH_NEW(c->ctx, zw_expr, 1 + eq->nq + eq->nv + eq->nu);
    c->size = zw_context_node_count(c->ctx);
    c->seen = ZW_SCRATCH_NEW(c->ctx, bool, c->size);
    if (!c->variables || !c->seen)
        return zw_context_status(c->ctx, err);
    c->variables[c->nvar++] = c->t;
    for (int i = 0; i < eq->nq; i++)
        c->variables[c->nvar++] = eq->q[i];
    for (int i = 0; i < eq->nv; i++)
        c->variables[c->nvar++] = eq->v[i];
    for (int i = 0; i < eq->nu; i++)
        c->variables[c->nvar++] = eq->u[i];
    return ZW_OK;
}

typedef struct part {
    int n;
    const zw_expr *e;
} part;

/* a signal without a table is constant */
static void add_signals(collector *c, int nparts, const part *parts) {
    const zw_system *s = c->eq->sys;
    for (int i = 0; i < c->eq->nu && i < s->nsignal; i++) {
        bool occurs = false;
        for (int k = 0; k < nparts; k++)
            for (int j = 0; j < parts[k].n && !occurs; j++)
                occurs = zw_depends(c->ctx, parts[k].e[j], s->signal[i].sym);
        if (occurs && s->signal[i].table >= 0)
            add_other(c, s->signal[i].name);
    }
}

static zw_status collect_phases(collector *c, int n, const zw_expr *e, zw_error *err) {
    const zw_equations *eq = c->eq;
    int nq = eq->nq, nv = eq->nv, nc = eq->nc;
    const part parts[] = {{nq, eq->qdot},
                          {nv * nv, eq->M},
                          {nv, eq->h},
                          {nv * nc, eq->C},
                          {nc * nv, eq->W},
                          {nc, eq->b},
                          {eq->npos - eq->nleaf, eq->phi},
                          {eq->nvel, eq->psi},
                          {eq->nwatch, eq->watch},
                          {n, e}};
    int nparts = (int)(sizeof parts / sizeof *parts);
    ZW_TRY(list_variables(c, err));
    for (int i = 0; i < nparts; i++)
        walk_all(c, parts[i].n, parts[i].e);
    add_signals(c, nparts, parts);
    return zw_context_status(c->ctx, err);
}

zw_status zw_forcing_find(zw_forcing *out, const zw_equations *eq, zw_error *err) {
    return zw_forcing_find_with(out, eq, 0, NULL, err);
}

zw_status zw_forcing_find_with(zw_forcing *out, const zw_equations *eq, int n, const zw_expr *e,
                               zw_error *err) {
    collector c = {.eq = eq, .ctx = eq->sys->ctx, .t = eq->sys->t};
    zw_arena_mark mark = zw_scratch_mark(c.ctx);
    zw_status status = collect_phases(&c, n, e, err);
    zw_scratch_release(c.ctx, mark);
    *out = (zw_forcing){.eq = eq,
                        .n = c.n,
                        .frequency = c.frequency,
                        .drive = c.drive,
                        .nother = c.nother,
                        .other = c.other,
                        .autonomous = c.n == 0 && c.nother == 0,
                        .npart = c.npart,
                        .part = c.part,
                        .rate = c.rate,
                        .of = c.of};
    return status;
}

int zw_forcing_of_contact(const zw_contact *c, zw_expr *e) {
    int n = 0, kept = 0;
    e[n++] = c->gap;
    e[n++] = c->restitution;
    for (int b = 0; b < c->nblock; b++) {
        const zw_rubbing *r = &c->block[b];
        e[n++] = r->mu;
        e[n++] = r->damping;
        e[n++] = r->smooth;
        e[n++] = r->restitution;
        for (int k = 0; k < r->nrow; k++) {
            e[n++] = r->rate[k];
            e[n++] = r->axis[k];
            e[n++] = r->pull[k];
        }
    }
    for (int i = 0; i < n; i++)
        if (e[i] != ZW_NULL)
            e[kept++] = e[i];
    return kept;
}

/* ----------------------------------------------------------------------------------------- base */

static zw_status reject_others(const zw_forcing *f, zw_error *err) {
    char list[4 * (TEXT_MAX + 16)];
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < f->nother && i < OTHERS_MAX; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", f->other[i]);
    zw_fail(err, ZW_E_MODEL, "time enters otherwise than by functions of one period: %s%s", list,
            f->nother > OTHERS_MAX ? ", ..." : "");
    zw_error_hint(err, "give the period, if there is one");
    return ZW_E_MODEL;
}

static zw_status reject_nothing(const zw_forcing *f, zw_error *err) {
    zw_fail(err, ZW_E_MODEL, "the model has no periodic excitation: %s",
            f->autonomous ? "time does not enter the equations" : "all frequencies are 0");
    zw_error_hint(err, "add one, for instance force drive (x) = F*cos(Omega*t); or use zwang orbit "
                       "for periodic orbits without excitation");
    return ZW_E_MODEL;
}

static zw_status reject_pair(const zw_forcing *f, int i, int k, const char *what, zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    char *a = zw_print_within(ctx, f->drive[i], ZW_TEXT, TEXT_MAX),
         *b = zw_print_within(ctx, f->drive[k], ZW_TEXT, TEXT_MAX);
    zw_fail(err, ZW_E_MODEL, "the excitations %s and %s %s", a ? a : "of one part",
            b ? b : "of another part", what);
    if (a)
        zw_string_free(ctx, a);
    if (b)
        zw_string_free(ctx, b);
    return ZW_E_MODEL;
}

static zw_status evaluate_frequencies(const zw_forcing *f, int n, const zw_expr *e, const double *p,
                                      double *out, zw_error *err) {
    const zw_system *s = f->eq->sys;
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np);
    if (!sym)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        sym[i] = s->param[i].sym;
    zw_eval_all(s->ctx, n, e, s->np, sym, p, out);
    for (int i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the frequency of an excitation is not finite");
    return ZW_OK;
}

zw_status zw_forcing_frequencies(const zw_forcing *f, const double *p, double *w, zw_error *err) {
    if (f->nother)
        return reject_others(f, err);
    if (!f->n)
        return reject_nothing(f, err);
    return evaluate_frequencies(f, f->n, f->frequency, p, w, err);
}

/* true if r w is a nonzero integer multiple of `unit` */
static bool is_multiple(double w, double unit, int r) {
    double k = r * w / unit;
    return fabs(k - round(k)) <= ZW_SAME_VALUE * fmax(1, k) && round(k) >= 1;
}

/* the first frequency without a common period with the smallest one; -1 if all have one */
static int first_unrelated(int n, const double *w, int least, int r) {
    for (int i = 0; i < n; i++)
        if (w[i] != 0 && !is_multiple(fabs(w[i]), fabs(w[least]), r))
            return i;
    return -1;
}

/* for the message: a frequency that no integer up to MULTIPLES_MAX makes a multiple */
static int find_unrelated(int n, const double *w, int least) {
    for (int i = 0; i < n; i++) {
        bool fits = w[i] == 0;
        for (int r = 1; r <= MULTIPLES_MAX && !fits; r++)
            fits = is_multiple(fabs(w[i]), fabs(w[least]), r);
        if (!fits)
            return i;
    }
    return first_unrelated(n, w, least, MULTIPLES_MAX);
}

static zw_status find_base(const zw_forcing *f, const double *w, double *base, int *multiple,
                           zw_error *err) {
    int least = -1, most = -1, r = 1;
    for (int i = 0; i < f->n; i++) {
        if (w[i] != 0 && (least < 0 || fabs(w[i]) < fabs(w[least])))
            least = i;
        if (most < 0 || fabs(w[i]) > fabs(w[most]))
            most = i;
    }
    if (least < 0)
        return reject_nothing(f, err);
    while (r <= MULTIPLES_MAX && first_unrelated(f->n, w, least, r) >= 0)
        r++;
    if (r > MULTIPLES_MAX)
        return reject_pair(f, least, find_unrelated(f->n, w, least),
                           "have no common period at these values", err);
    *base = fabs(w[most]) / round(r * fabs(w[most]) / fabs(w[least]));
    for (int i = 0; multiple && i < f->n; i++)
        multiple[i] = (int)round(fabs(w[i]) / *base);
    return ZW_OK;
}

static zw_status base_at(const zw_forcing *f, const double *p, double *w, double *base,
                         int *multiple, zw_error *err) {
    ZW_TRY(zw_forcing_frequencies(f, p, w, err));
    return find_base(f, w, base, multiple, err);
}

zw_status zw_forcing_base(const zw_forcing *f, const double *p, double *base, int *multiple,
                          zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    double *w = ZW_SCRATCH_NEW(ctx, double, f->n);
    zw_status status = w ? base_at(f, p, w, base, multiple, err) : zw_context_status(ctx, err);
    zw_scratch_release(ctx, mark);
    return status;
}

/* ---------------------------------------------------------------------------------------- slope */

/* dw/dp_k = sum_i (dw/dp_i) D_i with D_k = 1, D_i = sum_j (dp_i/dp_j) D_j: later parameters may be
 * defined by earlier ones */
zw_status zw_forcing_slopes(const zw_forcing *f, const double *p, int parameter, double *dw,
                            zw_error *err) {
    const zw_system *s = f->eq->sys;
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np),
            *D = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np), *e = ZW_SCRATCH_NEW(s->ctx, zw_expr, f->n);
    if (!sym || !D || !e)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++) {
        sym[i] = s->param[i].sym;
        D[i] = i == parameter ? ZW_ONE : zw_along(s->ctx, s->param[i].value, i, sym, D);
    }
    for (int i = 0; i < f->n; i++)
        e[i] = zw_along(s->ctx, f->frequency[i], s->np, sym, D);
    ZW_TRY(zw_context_status(s->ctx, err));
    return evaluate_frequencies(f, f->n, e, p, dw, err);
}

static zw_status slope_at(const zw_forcing *f, const double *p, int parameter, double *slope,
                          zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    double *w = ZW_SCRATCH_NEW(ctx, double, f->n), *dw = ZW_SCRATCH_NEW(ctx, double, f->n), base;
    int *multiple = ZW_SCRATCH_NEW(ctx, int, f->n), first = -1;
    if (!w || !dw || !multiple)
        return zw_context_status(ctx, err);
    ZW_TRY(base_at(f, p, w, &base, multiple, err));
    ZW_TRY(zw_forcing_slopes(f, p, parameter, dw, err));
    for (int i = 0; i < f->n; i++) {
        double each = w[i] < 0 ? -dw[i] : dw[i];
        if (multiple[i] == 0)
            continue;
        if (first < 0)
            *slope = each / multiple[first = i];
        else if (fabs(each - *slope * multiple[i]) > ZW_SAME_VALUE * (fabs(each) + fabs(*slope)))
            return reject_pair(f, first, i, "do not keep their ratio as the parameter changes",
                               err);
    }
    return ZW_OK;
}

zw_status zw_forcing_slope(const zw_forcing *f, const double *p, int parameter, double *slope,
                           zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_status status = slope_at(f, p, parameter, slope, err);
    zw_scratch_release(ctx, mark);
    return status;
}
