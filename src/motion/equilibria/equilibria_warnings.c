/* SPDX-License-Identifier: MIT */
/* Warnings about a steady motion. A contact would pull, or has no meaning there. Or a translation
 * is a symmetry by numbers, while formulas show that something changes along it: a force so small
 * that the rounding of the others hides it; this is an error. Along a translation d of coordinates
 * that is constant, the derivatives of
 *
 *     q', M, h, C, W, b, phi, psi
 *
 * must vanish; they are formed before numbers are substituted, so that large forces cancel exactly.
 * Rotations and other displacements X of models without constraints must map the equations E = M a
 * - h = 0 to themselves. With a displaced by d/dt X_v, E transforms like a covector, and
 *
 *     X E_i + sum_k dX_v,k/dv_i E_k = 0,     X q' - d/dt X_q = 0.
 *
 * Numbers do not show a change of tanh(u) where it is saturated: for displacements that are no
 * translations, u must be proved not to change along X (hides.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "equilibria.h"
#include "expr/calculus/ratio.h"
#include "formulas/hides.h"
#include "mech/equations/variants.h"
#include "num/flow/inertia.h"
#include "zwang/equations.h"

#define DELAY_RESOLVED ZW_SAME_SOLUTION /* relative error of a delayed value */
/* m: a contact whose gap is smaller is closed; gaps of closed contacts are rounding of lengths of 1
 * m */
#define GAP_CLOSED 1e-9
/* of the largest multiplier: a contact force that is zero */
#define PULL_ROUNDOFF ZW_ROUNDOFF_SOLVED
#define DERIVATIVE_ZERO 1e-9 /* of the terms of a derivative: rounding of a long expression */
/* Change of an equation along a displacement, of its terms: larger ones would have been seen by
 * numbers, so the form of the equations differs, which proves nothing. */
#define CHANGE_HIDDEN 1e-6
/* of the sizes of the state: distance of states around a motion, where coordinates are regular
 * again */
#define STATE_SPREAD 0.3
#define PIVOT_ROUNDOFF ZW_ROUNDOFF_SUM /* of an inertia: what cancels in a pivot */
enum {
    STATES_AROUND = 3,      /* with which the inertia at a motion is compared */
    EXPANDED_LENGTH = 20000 /* letters of an expression that is expanded, which takes seconds */
};

/* ------------------------------------------------------------------------------------- contacts */

/* An expression of the system at a motion and these parameters; NaN if it has no value there. */
static zw_status value_at(const zw_equilibria *e, const double *p, const zw_steady *motion,
                          zw_expr what, double *value, zw_error *err) {
    const zw_equations *eq = &e->eq;
    const zw_system *s = e->sys;
    int n = 0, size = 1 + s->np + eq->nq + 2 * eq->nv + eq->nc + s->nsignal;
    zw_arena *arena = (zw_arena *)&e->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    zw_expr *symbol = ZW_NEW(arena, zw_expr, size);
    double *at = ZW_NEW(arena, double, size);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_equations_translate(eq, 1, &what, err));
    symbol[n] = s->t;
    at[n++] = e->options.t;
    for (int i = 0; i < s->np; i++, n++) {
        symbol[n] = s->param[i].sym;
        at[n] = p[i];
    }
    for (int i = 0; i < s->nsignal; i++, n++) {
        symbol[n] = s->signal[i].sym;
        at[n] = zw_system_signal_at(s, i, p, e->options.t, e->options.t);
    }
    for (int i = 0; i < eq->nq + eq->nv; i++, n++) {
        symbol[n] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        at[n] = motion->x[i];
    }
    for (int i = 0; i < eq->nv + eq->nc; i++, n++) {
        symbol[n] = i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv];
        at[n] = motion->z[i];
    }
    *value = zw_eval(s->ctx, what, n, symbol, at);
    zw_arena_release(arena, mark);
    return ZW_OK;
}

static zw_status value_at_motion(const zw_equilibria *e, zw_expr what, double *value,
                                 zw_error *err) {
    return value_at(e, e->p, &e->motion, what, value, err);
}

/* Is a constraint of the contact active? */
static bool is_touching(const zw_equilibria *e, const zw_contact_validity *c) {
    size_t length = strlen(c->name);
    for (int i = 0; i < e->eq.nc; i++) {
        const char *name = e->sys->constraint[e->eq.constraint[i]].name;
        if (strncmp(name, c->name, length) == 0 && (name[length] == '\0' || name[length] == '.'))
            return true;
    }
    return false;
}

/* Contacts that may open have no force in these equations: they must be open. */
static zw_status warn_closed(const zw_equilibria *e, const double *p, const zw_steady *at,
                             char *out, size_t size, zw_error *err) {
    for (int i = 0; i < e->sys->ncontact && !out[0]; i++) {
        const zw_contact *c = &e->sys->contact[i];
        double gap;
        if (c->off || c->idle || e->eq.holds[c->closed])
            continue;
        ZW_TRY(value_at(e, p, at, c->gap, &gap, err));
        if (gap < -GAP_CLOSED)
            snprintf(out, size,
                     "contact %s overlaps there by %.6g m: this is not an admissible motion",
                     c->name, -gap);
        else if (gap <= GAP_CLOSED)
            snprintf(
                out, size,
                "contact %s is closed there, and its force is not in these equations (zwang rest "
                "asks whether it holds)",
                c->name);
    }
    return ZW_OK;
}

zw_status zw_equilibria_warning_contacts(const zw_equilibria *e, const double *p,
                                         const zw_steady *at, char *out, size_t size,
                                         zw_error *err) {
    double largest = 0, value;
    out[0] = '\0';
    for (int i = 0; i < e->eq.nc; i++)
        largest = fmax(largest, fabs(at->z[e->eq.nv + i]));
    for (int i = 0; i < e->sys->nfooting && !out[0]; i++) {
        const zw_contact_validity *c = &e->sys->footing[i];
        if (!is_touching(e, c))
            continue;
        if (c->valid) {
            ZW_TRY(value_at(e, p, at, c->valid, &value, err));
            if (value <= 0)
                snprintf(out, size, "contact %s has no meaning there: %s", c->name, c->beyond);
        }
        if (c->press && !out[0]) {
            ZW_TRY(value_at(e, p, at, c->press, &value, err));
            if (value < -PULL_ROUNDOFF * largest)
                snprintf(out, size, "contact %s would have to pull there with %.6g N, so it opens",
                         c->name, -value);
        }
    }
    return warn_closed(e, p, at, out, size, err);
}

/* --------------------------------------------------------------------------------------- shifts */

/* Symmetry i as a field on q and v (nq + nv) with whole factors; *shift: it is a constant
 * translation. */
static bool is_field(const zw_equilibria *e, int i, zw_expr *direction, bool *shift) {
    const zw_symmetries *s = &e->symmetries;
    zw_context *ctx = e->sys->ctx;
    int n = e->eq.nq + e->eq.nv;
    for (int k = 0; k < n; k++)
        direction[k] = ZW_ZERO;
    *shift = true;
    for (int j = 0; j < s->nfield; j++) {
        double factor = s->combination[i * s->nfield + j];
        if (factor == 0)
            continue;
        if (factor != round(factor))
            return false;
        *shift &= e->displacement[j].kind == ZW_DISPLACE_SHIFT;
        for (int k = 0; k < n; k++) {
            zw_expr part = e->displacement[j].x[k];
            *shift &= zw_expr_is_number(ctx, part);
            direction[k] =
                zw_add(ctx, direction[k], zw_mul(ctx, zw_integer(ctx, (int64_t)factor), part));
        }
    }
    return true;
}

/* Is a derivative more than the rounding of its terms? */
static zw_status is_real(const zw_equilibria *e, zw_expr d, bool *real, zw_error *err) {
    zw_context *ctx = e->sys->ctx;
    bool sum = zw_expr_op(ctx, d) == ZW_OP_SUM;
    double value, size = 0, part;
    int n = 1;
    if (sum)
        zw_expr_args(ctx, d, &n);
    ZW_TRY(value_at_motion(e, d, &value, err));
    for (int k = 0; k < n; k++) { /* evaluation may move the arguments */
        ZW_TRY(value_at_motion(e, sum ? zw_expr_args(ctx, d, &n)[k] : d, &part, err));
        size = fmax(size, fabs(part));
    }
    *real = isfinite(value) && fabs(value) > DERIVATIVE_ZERO * size;
    return ZW_OK;
}

static zw_status changes_along(const zw_equilibria *e, int n, const zw_expr *entry,
                               const zw_expr *symbol, const zw_expr *direction, bool *real,
                               zw_error *err) {
    zw_context *ctx = e->sys->ctx;
    for (int k = 0; k < n && !*real; k++) {
        zw_expr d = zw_along(ctx, entry[k], e->eq.nq + e->eq.nv, symbol, direction);
        if (d != ZW_ZERO)
            ZW_TRY(is_real(e, zw_expand(ctx, d), real, err));
        if (d != ZW_ZERO && !*real) /* no number shows it */
            *real = zw_hides(ctx, 1, &d, e->eq.nq, e->eq.q, false) && !zw_ratio_is_zero(ctx, d);
    }
    return zw_context_status(ctx, err);
}

/* An array of the equations. */
typedef struct equation_array {
    int n;
    const zw_expr *entry;
} equation_array;
enum { PARTS = 8 };

static void list_parts(const zw_equilibria *e, equation_array out[PARTS]) {
    const zw_equations *eq = &e->eq;
    const equation_array parts[PARTS] = {{eq->nq, eq->qdot},       {eq->nv * eq->nv, eq->M},
                                         {eq->nv, eq->h},          {eq->nv * eq->nc, eq->C},
                                         {eq->nc * eq->nv, eq->W}, {eq->nc, eq->b},
                                         {eq->npos, eq->phi},      {eq->nvel, eq->psi}};
    memcpy(out, parts, sizeof parts);
}

/* Does anything in the equations change along a constant translation? */
static zw_status changes_by_shift(const zw_equilibria *e, const zw_expr *symbol,
                                  const zw_expr *direction, bool *real, zw_error *err) {
    equation_array parts[PARTS];
    list_parts(e, parts);
    for (int k = 0; k < PARTS && !*real; k++)
        ZW_TRY(changes_along(e, parts[k].n, parts[k].entry, symbol, direction, real, err));
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- other fields */

/* Is a remainder that should vanish real, and small compared with its terms? A large one means that
 * this form of the equations is not that of covectors, which proves nothing. */
static zw_status is_small_and_real(const zw_equilibria *e, zw_expr left, zw_expr from, bool *real,
                                   zw_error *err) {
    zw_context *ctx = e->sys->ctx;
    double value, part, size = 0;
    if (left == ZW_ZERO || zw_print_length(ctx, left) > EXPANDED_LENGTH)
        return ZW_OK;
    left = zw_expand(ctx, left);
    if (left == ZW_ZERO)
        return ZW_OK;
    ZW_TRY(is_real(e, left, real, err));
    if (!*real)
        return ZW_OK;
    from = zw_expand(ctx, from);
    bool sum = zw_expr_op(ctx, from) == ZW_OP_SUM;
    int n = 1;
    if (sum)
        zw_expr_args(ctx, from, &n);
    for (int k = 0; k < n; k++) {
        ZW_TRY(value_at_motion(e, sum ? zw_expr_args(ctx, from, &n)[k] : from, &part, err));
        size = fmax(size, fabs(part));
    }
    ZW_TRY(value_at_motion(e, left, &value, err));
    *real = fabs(value) <= CHANGE_HIDDEN * size;
    return ZW_OK;
}

/* E_i = sum_j M_ij a_j - h_i. */
static zw_expr equation_residual(const zw_equations *eq, zw_context *ctx, int i) {
    return zw_sub(ctx, zw_dot(ctx, eq->nv, eq->M + (size_t)i * (size_t)eq->nv, eq->a), eq->h[i]);
}

/* May a function of something that the field changes hide a change of the equations? */
static bool is_hidden(const zw_equilibria *e, const zw_expr *symbol, const zw_expr *field) {
    equation_array parts[PARTS];
    list_parts(e, parts);
    for (int k = 0; k < PARTS; k++)
        if (zw_hides_along(e->sys->ctx, parts[k].n, parts[k].entry, e->eq.nq + e->eq.nv, symbol,
                           field))
            return true;
    return false;
}

/* Does a field map the equations of a model without constraints to different ones? symbol, field,
 * rate: nq + 2 nv (q, v, a). */
static zw_status changes_by_field(const zw_equilibria *e, const zw_expr *symbol, zw_expr *field,
                                  zw_expr *rate, bool *real, zw_error *err) {
    const zw_equations *eq = &e->eq;
    zw_context *ctx = e->sys->ctx;
    int nq = eq->nq, nv = eq->nv, n = nq + nv;
    for (int k = 0; k < n; k++)
        rate[k] = k < nq ? eq->qdot[k] : eq->a[k - nq];
    for (int k = 0; k < nv; k++)
        field[n + k] = zw_along(ctx, field[nq + k], n, symbol, rate);
    for (int i = 0; i < nq && !*real; i++) {
        zw_expr left = zw_sub(ctx, zw_along(ctx, eq->qdot[i], n, symbol, field),
                              zw_along(ctx, field[i], n, symbol, rate));
        ZW_TRY(is_small_and_real(e, left, eq->qdot[i], real, err));
    }
    for (int i = 0; i < nv && !*real; i++) {
        zw_expr own = equation_residual(eq, ctx, i),
                left = zw_along(ctx, own, n + nv, symbol, field);
        for (int k = 0; k < nv; k++)
            left = zw_add(
                ctx, left,
                zw_mul(ctx, zw_diff(ctx, field[nq + k], eq->v[i]), equation_residual(eq, ctx, k)));
        ZW_TRY(is_small_and_real(e, left, own, real, err));
    }
    return zw_context_status(ctx, err);
}

static zw_status reject_symmetry(const char *name, bool hidden, zw_error *err) {
    if (hidden) {
        zw_fail(err, ZW_E_NUMERIC,
                "%s looks like a symmetry numerically, but this is not proved: tanh, exp, abs or a "
                "condition of something that changes along it may hide the change",
                name);
        zw_error_hint(err, "write such functions of quantities that do not change along it, or "
                           "start where they change visibly");
        return ZW_E_NUMERIC;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "%s looks like a symmetry numerically, but is none: what changes along it is lost in "
            "the rounding of the other forces",
            name);
    zw_error_hint(err, "write stiff parts as constraints, or make the forces more similar in size");
    return ZW_E_NUMERIC;
}

static zw_status check_symmetries(zw_equilibria *e, zw_error *err) {
    const zw_equations *eq = &e->eq;
    int n = eq->nq + 2 * eq->nv;
    zw_arena_mark mark = zw_arena_mark_now(&e->arena);
    zw_expr *symbol = ZW_NEW(&e->arena, zw_expr, n + 1), *field = ZW_NEW(&e->arena, zw_expr, n + 1),
            *rate = ZW_NEW(&e->arena, zw_expr, n + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < n; k++)
        symbol[k] = k < eq->nq            ? eq->q[k]
                    : k < eq->nq + eq->nv ? eq->v[k - eq->nq]
                                          : eq->a[k - eq->nq - eq->nv];
    for (int i = 0; i < e->symmetries.n; i++) {
        bool real = e->symmetries.lost[i], hidden = false, shift;
        char name[160];
        if (!real && is_field(e, i, field, &shift)) {
            if (shift)
                ZW_TRY(changes_by_shift(e, symbol, field, &real, err));
            else if (eq->nc == 0)
                ZW_TRY(changes_by_field(e, symbol, field, rate, &real, err));
            hidden = !real && !shift && is_hidden(e, symbol, field);
        }
        if (!real && !hidden)
            continue;
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        return reject_symmetry(name, hidden, err);
    }
    zw_arena_release(&e->arena, mark);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- coordinates */

/* At a singularity of the coordinates, as at the pole of a sphere, a velocity has no inertia, and
 * there are no linear equations. Its inertia is compared with that at the start and at states
 * around the motion. */
static zw_status check_coordinates(zw_equilibria *e, zw_error *err) {
    const zw_kernel *k = e->kernel;
    int n = k->nv, worst = -1;
    zw_arena_mark mark = zw_arena_mark_now(&e->arena);
    double *A = ZW_NEW(&e->arena, double, n *n + 1), *most = ZW_NEW(&e->arena, double, n + 1),
           *x = ZW_NEW(&e->arena, double, k->nx + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    /* the motion comes last */
    for (int state = 0; state <= STATES_AROUND + 1 && !k->unsymmetric; state++) {
        for (int i = 0; i < k->nx; i++) {
            double shift =
                state < STATES_AROUND ? STATE_SPREAD * e->scale[i] * cos(1.0 + 2.7 * i + state) : 0;
            x[i] = (state == STATES_AROUND ? e->start : e->motion.x)[i] + shift;
        }
        zw_mats_parts a = zw_flow_matrices(e->flow, e->options.t, x);
        double trace = 0;
        zw_num_inertia_pivots(k, &a, A);
        for (int i = 0; i < n && k->nc > 0; i++)
            trace += a.M[i * n + i];
        for (int i = 0; i < n; i++)
            if (A[i * n + i] > PIVOT_ROUNDOFF * (a.M[i * n + i] + trace))
                most[i] = fmax(most[i], A[i * n + i]);
    }
    double distance = zw_num_inertia_distance(n, A, most, &worst);
    zw_arena_release(&e->arena, mark);
    if (k->unsymmetric || worst < 0 || !(distance < ZW_NUM_INERTIA_TOUCHES))
        return ZW_OK;
    zw_fail(err, ZW_E_SINGULAR,
            "the coordinates are singular at the motion that was found: %s has %.1g of its largest "
            "inertia there, and no linear equations",
            zw_expr_name(e->sys->ctx, e->eq.v[worst]), distance * distance);
    zw_error_hint(err, "use other coordinates for this motion: angles about other axes, unit "
                       "quaternions (a body without a frame) or Cartesian ones");
    return ZW_E_SINGULAR;
}

/* --------------------------------------------------------------------------------------- delays */

bool zw_equilibria_resolves(const zw_equilibria *e, const double *p, double re, double im) {
    return zw_system_delay_error(e->sys, p, re, im, NULL) <= DELAY_RESOLVED;
}

void zw_equilibria_warning_delays(const zw_equilibria *e, const double *p,
                                  const zw_linearisation *a, char *text, size_t size) {
    double most = -INFINITY;
    int worst = -1, delay;
    text[0] = '\0';
    if (!e->sys->ndelay)
        return;
    for (int i = 0; i < a->n; i++)
        if (zw_equilibria_resolves(e, p, a->re[i], a->im[i]))
            most = fmax(most, a->re[i]);
    for (int i = 0; i < a->n; i++)
        if (!zw_equilibria_resolves(e, p, a->re[i], a->im[i]) && a->im[i] >= 0 &&
            (a->re[i] > fmin(most, 0)) && (worst < 0 || a->re[i] > a->re[worst]))
            worst = i;
    if (worst < 0)
        return;
    double error = zw_system_delay_error(e->sys, p, a->re[worst], a->im[worst], &delay);
    const zw_delay *d = &e->sys->delay[delay];
    snprintf(text, size,
             "the eigenvalue %.6g +- %.6gi 1/s is not resolved by the %d nodes of %s (its delayed "
             "value is wrong by %.1g): take more, delay %s = ... by ... nodes %d",
             a->re[worst], a->im[worst], d->nodes, d->name, error, d->name, 2 * d->nodes);
}

zw_status zw_equilibria_warning_motion(zw_equilibria *e, zw_error *err) {
    ZW_TRY(zw_equilibria_warning_contacts(e, e->p, &e->motion, e->warning, sizeof e->warning, err));
    zw_warning d;
    if (!e->warning[0] && zw_leaf_warning(e->nhidden, "it", &d))
        snprintf(e->warning, sizeof e->warning, "%s", d.text);
    ZW_TRY(check_coordinates(e, err));
    return check_symmetries(e, err);
}
