/* SPDX-License-Identifier: MIT */
/* What is doubtful about a steady motion. A contact would pull, or has no meaning there. Or a shift is taken for a symmetry by
 * numbers, and formulas say that something changes along it: a force so small beside the others that their rounding hides
 * it; this is refused. Along a shift d of coordinates that is constant, the derivatives of
 *
 *     q', M, h, C, W, b, phi, psi
 *
 * must vanish; they are formed before numbers are put in, so that large forces cancel exactly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equilibria.h"
#include "zwang/integrals.h"

#define PULLS 1e-9 /* of the largest multiplier */
#define REAL 1e-9  /* of the terms of a derivative: it is not zero */

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory");
}

/* -------------------------------------------------------------------------------------------- contacts */

/* an expression of the system at the motion; NaN if it has no value there */
static zw_status value_there(const zw_equilibria *e, zw_expr what, double *value, zw_error *err) {
    const zw_equations *eq = &e->eq;
    const zw_system *s = e->sys;
    int n = 0, size = 1 + s->np + eq->nq + 2 * eq->nv + eq->nc + s->nsignal;
    zw_arena *arena = (zw_arena *)&e->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    zw_expr *symbol = ZW_NEW(arena, zw_expr, size);
    double *at = ZW_NEW(arena, double, size);
    if (arena->failed)
        return no_memory(err);
    ZW_TRY(zw_equations_translate(eq, 1, &what, err));
    symbol[n] = s->t;
    at[n++] = e->options.t;
    for (int i = 0; i < s->np; i++, n++) {
        symbol[n] = s->param[i].sym;
        at[n] = e->p[i];
    }
    for (int i = 0; i < s->nsignal; i++, n++) {
        symbol[n] = s->signal[i].sym;
        at[n] = zw_system_signal_at(s, i, e->p, e->options.t, e->options.t);
    }
    for (int i = 0; i < eq->nq + eq->nv; i++, n++) {
        symbol[n] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        at[n] = e->motion.x[i];
    }
    for (int i = 0; i < eq->nv + eq->nc; i++, n++) {
        symbol[n] = i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv];
        at[n] = e->motion.z[i];
    }
    *value = zw_eval(s->ctx, what, n, symbol, at);
    zw_arena_release(arena, mark);
    return ZW_OK;
}

/* does a constraint of the contact hold? */
static bool touches(const zw_equilibria *e, const zw_footing *c) {
    size_t length = strlen(c->name);
    for (int i = 0; i < e->eq.nc; i++) {
        const char *name = e->sys->constraint[e->eq.constraint[i]].name;
        if (strncmp(name, c->name, length) == 0 && (name[length] == '\0' || name[length] == '.'))
            return true;
    }
    return false;
}

/* Contacts that may open have no force in these equations: they must be open. */
static zw_status doubt_closed(zw_equilibria *e, zw_error *err) {
    for (int i = 0; i < e->sys->ncontact && !e->doubt[0]; i++) {
        const zw_contact *c = &e->sys->contact[i];
        double gap;
        if (c->off || c->idle || e->eq.holds[c->closed])
            continue;
        ZW_TRY(value_there(e, c->gap, &gap, err));
        if (gap < -1e-9)
            snprintf(e->doubt, sizeof e->doubt,
                     "contact %s overlaps there by %.6g m: it is no motion", c->name, -gap);
        else if (gap <= 1e-9)
            snprintf(
                e->doubt, sizeof e->doubt,
                "contact %s is closed there, and its force is not in these equations (zwang rest "
                "asks whether it holds)",
                c->name);
    }
    return ZW_OK;
}

static zw_status doubt_contacts(zw_equilibria *e, zw_error *err) {
    double largest = 0, value;
    e->doubt[0] = '\0';
    for (int i = 0; i < e->eq.nc; i++)
        largest = fmax(largest, fabs(e->motion.z[e->eq.nv + i]));
    for (int i = 0; i < e->sys->nfooting && !e->doubt[0]; i++) {
        const zw_footing *c = &e->sys->footing[i];
        if (!touches(e, c))
            continue;
        if (c->valid) {
            ZW_TRY(value_there(e, c->valid, &value, err));
            if (value <= 0)
                snprintf(e->doubt, sizeof e->doubt, "contact %s has no meaning there: %s", c->name,
                         c->beyond);
        }
        if (c->press && !e->doubt[0]) {
            ZW_TRY(value_there(e, c->press, &value, err));
            if (value < -PULLS * largest)
                snprintf(e->doubt, sizeof e->doubt,
                         "contact %s would pull there, with %.6g N: it would open", c->name,
                         -value);
        }
    }
    return doubt_closed(e, err);
}

/* ---------------------------------------------------------------------------------------------- shifts */

/* symmetry i as a constant shift of q and v (nq + nv); false: it is more than that */
static bool is_shift(const zw_equilibria *e, int i, zw_expr *direction) {
    const zw_symmetries *s = &e->symmetries;
    zw_context *ctx = e->sys->ctx;
    int n = e->eq.nq + e->eq.nv;
    for (int k = 0; k < n; k++)
        direction[k] = ZW_ZERO;
    for (int j = 0; j < s->nfield; j++) {
        double factor = s->combination[i * s->nfield + j];
        if (factor == 0)
            continue;
        if (e->displacement[j].kind != ZW_DISPLACE_SHIFT || factor != round(factor))
            return false;
        for (int k = 0; k < n; k++) {
            zw_expr part = e->displacement[j].x[k];
            if (!zw_expr_is_number(ctx, part))
                return false;
            direction[k] =
                zw_add(ctx, direction[k], zw_mul(ctx, zw_integer(ctx, (int64_t)factor), part));
        }
    }
    return true;
}

/* is a derivative more than what rounding leaves of its terms? */
static zw_status is_real(const zw_equilibria *e, zw_expr d, bool *real, zw_error *err) {
    zw_context *ctx = e->sys->ctx;
    bool sum = zw_expr_op(ctx, d) == ZW_OP_SUM;
    double value, size = 0, part;
    int n = 1;
    if (sum)
        zw_expr_args(ctx, d, &n);
    ZW_TRY(value_there(e, d, &value, err));
    for (int k = 0; k < n; k++) { /* evaluation may move the arguments */
        ZW_TRY(value_there(e, sum ? zw_expr_args(ctx, d, &n)[k] : d, &part, err));
        size = fmax(size, fabs(part));
    }
    *real = isfinite(value) && fabs(value) > REAL * size;
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
    }
    return zw_context_status(ctx, err);
}

static zw_status check_shifts(zw_equilibria *e, zw_error *err) {
    const zw_equations *eq = &e->eq;
    int n = eq->nq + eq->nv;
    zw_arena_mark mark = zw_arena_mark_now(&e->arena);
    zw_expr *symbol = ZW_NEW(&e->arena, zw_expr, n + 1),
            *direction = ZW_NEW(&e->arena, zw_expr, n + 1);
    if (e->arena.failed)
        return no_memory(err);
    for (int k = 0; k < n; k++)
        symbol[k] = k < eq->nq ? eq->q[k] : eq->v[k - eq->nq];
    const struct {
        int n;
        const zw_expr *entry;
    } part[] = {{eq->nq, eq->qdot},       {eq->nv * eq->nv, eq->M}, {eq->nv, eq->h},
                {eq->nv * eq->nc, eq->C}, {eq->nc * eq->nv, eq->W}, {eq->nc, eq->b},
                {eq->npos, eq->phi},      {eq->nvel, eq->psi}};
    for (int i = 0; i < e->symmetries.n; i++) {
        bool real = false;
        char name[160];
        if (!is_shift(e, i, direction))
            continue;
        for (size_t k = 0; k < sizeof part / sizeof *part && !real; k++)
            ZW_TRY(changes_along(e, part[k].n, part[k].entry, symbol, direction, &real, err));
        if (!real)
            continue;
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_fail(err, ZW_E_NUMERIC,
                "%s looks like a symmetry in numbers, and is none: what changes along it is lost "
                "in the rounding of the other forces",
                name);
        zw_error_hint(err, "write what is stiff as a constraint, or bring the forces nearer to "
                           "each other");
        return ZW_E_NUMERIC;
    }
    zw_arena_release(&e->arena, mark);
    return ZW_OK;
}

zw_status zw_equilibria_doubt_motion(zw_equilibria *e, zw_error *err) {
    ZW_TRY(doubt_contacts(e, err));
    zw_doubt d;
    if (!e->doubt[0] && zw_leaf_doubt(e->nhidden, "it", &d))
        snprintf(e->doubt, sizeof e->doubt, "%s", d.text);
    return check_shifts(e, err);
}
