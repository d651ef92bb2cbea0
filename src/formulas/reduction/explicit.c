/* SPDX-License-Identifier: MIT */
/* Explicit first-order equations of a constrained system. */
#include "explicit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/arena.h"
#include "expr/calculus/ratio.h"
#include "zwang/simulate.h"

#define NEW(type, n) ZW_NEW(arena, type, (n) > 0 ? (n) : 1)
#define TIDY_MOST 6000 /* characters: longer expressions are not simplified */
/* of its value elsewhere: a pivot that is smaller at a start or a steady motion would divide by
 * zero there */
#define SMALL_PIVOT 1e-6
#define LONGER_THAN_ANY 1e12 /* characters: makes a pivot that vanishes the last choice */

/* ---------------------------------------------------------------------------------------- names */

const char *zw_explicit_plain_name(const zw_explicit *x, const char *name) {
    char plain[200];
    const char *prime = strchr(name, '\'');
    if (!prime && !strchr(name, '.'))
        return name;
    snprintf(plain, sizeof plain, "%.*s%s", prime && prime - name < 150 ? (int)(prime - name) : 150,
             name, prime ? "_dot" : "");
    for (char *c = plain; *c; c++)
        *c = *c == '.' ? '_' : *c;
    zw_explicit_make_new(x->sys, sizeof plain, plain);
    const char *kept = zw_context_intern(x->ctx, plain);
    return kept ? kept : "";
}

void zw_explicit_make_new(const zw_system *s, size_t size, char *name) {
    while (zw_explicit_taken(s, name) && strlen(name) < size - 2)
        zw_append(name, size, "_");
}

bool zw_explicit_taken(const zw_system *s, const char *name) {
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->nq; i++)
        if (strcmp(s->coord[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->nv; i++)
        if (strcmp(s->velocity[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return true;
    for (int i = 0; i < s->nevent; i++)
        if (strcmp(s->event[i].name, name) == 0)
            return true;
    return false;
}

/* ----------------------------------------------------------------------------- linear equations */

zw_expr zw_explicit_tidy(const zw_explicit *x, zw_expr e) {
    int n;
    zw_expr_args(x->ctx, e, &n);
    if (!e || n == 0 || zw_print_length(x->ctx, e) > TIDY_MOST)
        return e;
    zw_expr tidy = zw_factored_apart(x->ctx, e);
    return tidy && zw_print_length(x->ctx, tidy) < 2 * zw_print_length(x->ctx, e) ? tidy : e;
}

/* A value for the choice of a pivot: parameters have their values; at: the state, NULL: numbers of
 * about 1. */
static double value_of(const zw_explicit *x, zw_arena *arena, zw_expr e, const double *at) {
    zw_arena_mark mark = zw_arena_mark_now(arena);
    int np = x->sys->np, nx = x->eq.nq + x->eq.nv, n = np + nx + x->nextra + 1;
    zw_expr *symbol = ZW_NEW(arena, zw_expr, n);
    double *value = ZW_NEW(arena, double, n), out = NAN;
    for (int i = 0; symbol && value && i < n; i++) {
        int k = i - np, j = k - x->eq.nq, l = k - nx;
        symbol[i] = k < 0           ? x->sys->param[i].sym
                    : j < 0         ? x->eq.q[k]
                    : l < 0         ? x->eq.v[j]
                    : l < x->nextra ? x->extra[l]
                                    : x->sys->t;
        value[i] = k < 0 ? x->p[i] : at && l < 0 ? at[k] : 0.3 + 0.6 * fabs(sin(1 + 2.4 * k));
    }
    if (symbol && value)
        out = zw_eval(x->ctx, e, n, symbol, value);
    zw_arena_release(arena, mark);
    return out;
}

/* Is it small at the start, or at a steady motion? As a pivot it would divide by zero there. */
static bool is_vanishing(const zw_explicit *x, zw_arena *arena, zw_expr e, double size) {
    for (int i = 0; i < x->nplace; i++)
        if (!(fabs(value_of(x, arena, e, x->place + i * (x->eq.nq + x->eq.nv))) >
              SMALL_PIVOT * fabs(size)))
            return true;
    return false;
}

/* The shortest entry; one that vanishes somewhere only if all do. */
static int pivot_of(const zw_explicit *x, zw_arena *arena, int n, const zw_expr *A, int column) {
    int best = -1;
    double shortest = INFINITY;
    for (int i = column; i < n; i++) {
        zw_expr e = A[i * n + column];
        double value = e == ZW_ZERO ? 0 : value_of(x, arena, e, NULL),
               length = zw_print_length(x->ctx, e);
        if (value == 0 || !isfinite(value))
            continue;
        length += is_vanishing(x, arena, e, value) ? LONGER_THAN_ANY : 0;
        if (length < shortest && !zw_ratio_is_zero(x->ctx, e)) {
            shortest = length;
            best = i;
        }
    }
    return best;
}

static void swap_rows(int n, zw_expr *A, int a, int b) {
    for (int k = 0; k < n && a != b; k++) {
        zw_expr e = A[a * n + k];
        A[a * n + k] = A[b * n + k];
        A[b * n + k] = e;
    }
}

static void subtract_multiple(const zw_explicit *x, zw_expr *from, zw_expr factor, zw_expr what) {
    *from = zw_explicit_tidy(x, zw_sub(x->ctx, *from, zw_mul(x->ctx, factor, what)));
}

bool zw_explicit_solve(const zw_explicit *x, zw_arena *arena, int n, int k, zw_expr *A,
                       zw_expr *b) {
    for (int c = 0; c < n; c++) {
        int row = pivot_of(x, arena, n, A, c);
        if (row < 0)
            return false;
        swap_rows(n, A, c, row);
        swap_rows(k, b, c, row);
        for (int i = 0; i < n; i++) {
            if (i == c || A[i * n + c] == ZW_ZERO)
                continue;
            zw_expr factor = zw_div(x->ctx, A[i * n + c], A[c * n + c]);
            for (int j = c + 1; j < n; j++)
                subtract_multiple(x, &A[i * n + j], factor, A[c * n + j]);
            for (int j = 0; j < k; j++)
                subtract_multiple(x, &b[i * k + j], factor, b[c * k + j]);
            A[i * n + c] = ZW_ZERO;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            b[i * k + j] = zw_explicit_tidy(x, zw_div(x->ctx, b[i * k + j], A[i * n + i]));
    return true;
}

/* ---- dependent variables ---- */

zw_expr zw_explicit_substitute(const zw_explicit *x, zw_expr e) {
    return zw_subst(x->ctx, e, x->nreplaced, x->symbol, x->value);
}

static zw_status put_velocities(zw_explicit *x, const zw_elimination *o, zw_error *err) {
    if (o->ndependent && !o->velocity) {
        zw_fail(err, ZW_E_MODEL,
                "a constraint is not affine in the velocities, so there are no explicit equations");
        zw_error_hint(err, "write the model with velocities that satisfy it");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < o->ndependent; i++) {
        x->symbol[x->nreplaced] = x->eq.v[o->dependent[i]];
        x->where[x->nreplaced] = x->eq.nq + o->dependent[i];
        x->value[x->nreplaced++] = zw_explicit_substitute(x, zw_explicit_tidy(x, o->velocity[i]));
    }
    return ZW_OK;
}

static bool is_replaced(const zw_explicit *x, zw_expr sym) {
    for (int i = 0; i < x->nreplaced; i++)
        if (x->symbol[i] == sym)
            return true;
    return false;
}

static bool is_moving(const zw_explicit *x, zw_expr e) {
    return zw_depends_any(x->ctx, e, x->eq.nq, x->eq.q) ||
           zw_depends_any(x->ctx, e, x->eq.nv, x->eq.v) || zw_depends(x->ctx, e, x->sys->t);
}

static void replace_coordinate(zw_explicit *x, int k, zw_expr value) {
    zw_expr q = x->eq.q[k];
    for (int i = 0; i < x->nreplaced; i++)
        x->value[i] = zw_subst(x->ctx, x->value[i], 1, &q, &value);
    for (int i = 0; i < x->nroot; i++)
        x->root[i].above = zw_subst(x->ctx, x->root[i].above, 1, &q, &value);
    x->symbol[x->nreplaced] = q;
    x->where[x->nreplaced] = k;
    x->value[x->nreplaced++] = value;
}

/* A coordinate in which a constraint is linear, with a constant factor. */
static bool put_linear(zw_explicit *x, zw_expr phi) {
    for (int k = 0; k < x->eq.nq; k++) {
        zw_expr q = x->eq.q[k], coef, rest;
        if (is_replaced(x, q) || !zw_depends(x->ctx, phi, q) ||
            !zw_linear(x->ctx, phi, 1, &q, &coef, &rest) || coef == ZW_ZERO || is_moving(x, coef))
            continue;
        replace_coordinate(x, k, zw_neg(x->ctx, zw_div(x->ctx, rest, coef)));
        return true;
    }
    return false;
}

/* a q^2 + b q + c = 0: the parts of phi, a constant and not 0. */
static bool is_quadratic(const zw_explicit *x, zw_expr phi, zw_expr q, zw_expr part[3]) {
    zw_expr slope = zw_diff(x->ctx, phi, q), zero = ZW_ZERO;
    part[2] = zw_div(x->ctx, zw_expand(x->ctx, zw_diff(x->ctx, slope, q)), ZW_TWO);
    part[1] = zw_subst(x->ctx, slope, 1, &q, &zero);
    part[0] = zw_subst(x->ctx, phi, 1, &q, &zero);
    return part[2] != ZW_ZERO && !is_moving(x, part[2]) && zw_context_status(x->ctx, NULL) >= 0;
}

/* The coordinate in which a constraint is quadratic and, at the start, steepest: on the side of the
 * start
 *
 *     q = -b/(2 a) + d,    d = +- sqrt(b^2 - 4 a c)/(2 a),    up to where d is 0. */
static zw_status put_quadratic(zw_explicit *x, zw_arena *arena, zw_expr phi, bool *done,
                               zw_error *err) {
    zw_context *ctx = x->ctx;
    int n = x->eq.nq + x->eq.nv, best = -1;
    double *start = NEW(double, n), steepest = 0;
    zw_expr part[3], kept[3];
    if (!start)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_complete(x->sys, NULL, 0, x->p, start, NULL, err));
    for (int k = 0; k < x->eq.nq; k++) {
        zw_expr slope = zw_diff(ctx, phi, x->eq.q[k]);
        double value;
        if (!zw_depends(ctx, phi, x->eq.q[k]) || is_replaced(x, x->eq.q[k]) ||
            !is_quadratic(x, phi, x->eq.q[k], part) ||
            !zw_explicit_eval(x, arena, 1, &slope, 0, start, &value) ||
            fabs(value) <= fabs(steepest))
            continue;
        steepest = value;
        best = k;
        memcpy(kept, part, sizeof part);
    }
    *done = best >= 0;
    if (!*done)
        return ZW_OK;
    zw_expr twice = zw_mul(ctx, ZW_TWO, kept[2]);
    zw_expr square = zw_sub(ctx, zw_mul(ctx, kept[1], kept[1]),
                            zw_mul(ctx, zw_mul(ctx, ZW_TWO, twice), kept[0]));
    zw_expr d = zw_div(ctx, zw_sqrt(ctx, zw_expand(ctx, square)), twice);
    d = steepest < 0 ? zw_neg(ctx, d) : d;
    for (int i = 0; i < x->eq.nv; i++) { /* the rates of the others describe the motion there */
        int k = x->sys->velocity[i].coord;
        x->kept[i] |= k >= 0 && k != best && zw_depends(ctx, phi, x->eq.q[k]);
    }
    x->root[x->nroot++] = (zw_root){x->sys->coord[best].name, x->sys->coord[best].unit, d};
    replace_coordinate(x, best, zw_sub(ctx, d, zw_div(ctx, kept[1], twice)));
    return ZW_OK;
}

/* A coordinate for which a constraint can be solved, as a formula of the others. */
static zw_status put_coordinate(zw_explicit *x, zw_arena *arena, int row, zw_error *err) {
    zw_expr phi = zw_explicit_substitute(x, x->eq.phi[row]);
    bool done = put_linear(x, phi);
    if (!done)
        ZW_TRY(put_quadratic(x, arena, phi, &done, err));
    if (done)
        return zw_context_status(x->ctx, err);
    zw_fail(err, ZW_E_MODEL, "the constraint %s cannot be solved for a coordinate",
            zw_equations_position_name(&x->eq, row, NULL));
    zw_error_hint(err, "write the model in coordinates that satisfy it");
    return ZW_E_MODEL;
}

/* -------------------------------------------------------------------------------- accelerations */

static int unknown_of(const zw_elimination *o, zw_expr accel) {
    for (int j = 0; j < o->nunknown; j++)
        if (o->unknown[j] == accel)
            return j;
    return -1;
}

/* All unknowns by elimination, if Cramer's rule was not used. */
static zw_status solve_all(const zw_explicit *x, zw_arena *arena, const zw_elimination *o,
                           zw_expr **out, zw_error *err) {
    int n = o->nunknown;
    zw_expr *A = NEW(zw_expr, n * n), *b = NEW(zw_expr, n);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n * n; i++)
        A[i] = zw_explicit_substitute(x, o->A[i]);
    for (int i = 0; i < n; i++)
        b[i] = zw_explicit_substitute(x, o->r[i]);
    if (!zw_explicit_solve(x, arena, n, 1, A, b)) {
        zw_fail(err, ZW_E_MODEL, "the state at the start does not determine the accelerations");
        zw_error_hint(err, "masses or inertias are missing, or the start is singular");
        return ZW_E_MODEL;
    }
    *out = b;
    return zw_context_status(x->ctx, err);
}

static zw_status add_velocities(zw_explicit *x, zw_arena *arena, const zw_elimination *o,
                                zw_error *err) {
    zw_expr *all = NULL;
    for (int i = 0; i < o->nindependent; i++) {
        int k = o->independent[i], j = unknown_of(o, x->eq.a[k]);
        zw_rated *e = &x->entry[x->nentry++];
        *e = (zw_rated){.name = x->sys->velocity[k].name,
                        .unit = x->sys->velocity[k].unit,
                        .sym = x->eq.v[k],
                        .den = ZW_ONE,
                        .index = x->eq.nq + k};
        if (j < 0)
            return zw_fail(err, ZW_E_MODEL, "the acceleration of %s has no equation", e->name);
        if (o->reason[j] != ZW_EXPLICIT && !all)
            ZW_TRY(solve_all(x, arena, o, &all, err));
        e->num = all ? all[j] : zw_explicit_substitute(x, o->numerator[j]);
        e->den = all ? ZW_ONE : zw_explicit_substitute(x, o->denominator[j]);
    }
    return ZW_OK;
}

/* e = num/den by the factors of e. Sums are (number, term, its number, ...), products (base,
 * exponent, ...). */
static void split_fraction(zw_context *ctx, zw_expr e, zw_expr *num, zw_expr *den) {
    int n;
    const zw_expr *arg = zw_expr_args(ctx, e, &n);
    *num = e;
    *den = ZW_ONE;
    if (zw_expr_op(ctx, e) == ZW_OP_SUM && n == 3 && arg[0] == ZW_ZERO) {
        zw_expr number = arg[2];
        split_fraction(ctx, arg[1], num, den);
        *num = zw_mul(ctx, number, *num);
    }
    if (zw_expr_op(ctx, e) != ZW_OP_PRODUCT)
        return;
    for (int i = 0; i + 1 < n; i += 2)
        if (zw_expr_is_number(ctx, arg[i + 1]) && zw_expr_number(ctx, arg[i + 1]) < 0)
            *den = zw_mul(ctx, *den, zw_pow(ctx, arg[i], zw_neg(ctx, arg[i + 1])));
    *num = zw_mul(ctx, e, *den);
}

static void add_coordinates(zw_explicit *x) {
    for (int k = 0; k < x->eq.nq; k++) {
        if (is_replaced(x, x->eq.q[k]))
            continue;
        zw_rated *e = &x->entry[x->nentry++];
        *e = (zw_rated){.name = x->sys->coord[k].name,
                        .unit = x->sys->coord[k].unit,
                        .sym = x->eq.q[k],
                        .index = k};
        split_fraction(x->ctx, zw_explicit_substitute(x, x->eq.qdot[k]), &e->num, &e->den);
    }
}

/* The start and the steady motions; none if the start cannot be completed. */
static zw_status find_places(zw_explicit *x, zw_arena *arena, zw_error *err) {
    const zw_system *s = x->sys;
    int n = x->eq.nq + x->eq.nv;
    zw_error why = {0};
    x->place = NEW(double, (1 + s->nmotion) * n);
    if (!x->place)
        return zw_out_of_memory(err, NULL);
    if (zw_system_complete(s, NULL, 0, x->p, x->place, NULL, &why) < 0)
        return ZW_OK;
    for (x->nplace = 1; x->nplace <= s->nmotion; x->nplace++) {
        const zw_motion *motion = &s->motion[x->nplace - 1];
        double *at = x->place + x->nplace * n;
        memcpy(at, x->place, (size_t)n * sizeof *at);
        for (int i = 0; i < motion->n; i++)
            for (int k = 0; k < n; k++)
                if (motion->what[i] == (k < x->eq.nq ? x->eq.q[k] : x->eq.v[k - x->eq.nq]))
                    at[k] = value_of(x, arena, motion->value[i], x->place);
    }
    return ZW_OK;
}

static zw_status reject_system(const zw_explicit *x, zw_error *err) {
    if (x->sys->nsignal)
        return zw_fail(err, ZW_E_MODEL, "the value of the input %s is not known in advance",
                       x->sys->signal[0].name);
    if (x->eq.nunit && !x->rotations) {
        zw_fail(err, ZW_E_MODEL, "a free rotation has four coordinates that are not independent");
        zw_error_hint(err, "state the rotation by angles");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

/* Substitutes the fixed values of some coordinates. The equations are algebraic in accelerations
 * and multipliers, so that this is possible before the elimination. */
static zw_status fix_equations(const zw_explicit *x, zw_arena *arena, zw_equations *eq,
                               zw_error *err) {
    int nv = eq->nv, nc = eq->nc;
    const struct {
        zw_expr **array;
        int n;
    } part[] = {{&eq->qdot, eq->nq}, {&eq->F, eq->nq * nv}, {&eq->M, nv * nv},
                {&eq->h, nv},        {&eq->C, nv * nc},     {&eq->W, nc * nv},
                {&eq->b, nc},        {&eq->psi, eq->nvel},  {&eq->Psi, eq->nvel * nv}};
    for (size_t k = 0; x->nfixed && k < sizeof part / sizeof *part; k++) {
        zw_expr *copy = NEW(zw_expr, part[k].n);
        if (!copy)
            return zw_out_of_memory(err, NULL);
        for (int i = 0; i < part[k].n; i++)
            copy[i] = zw_subst(x->ctx, (*part[k].array)[i], x->nfixed, x->fixed, x->at);
        *part[k].array = copy;
    }
    return zw_context_status(x->ctx, err);
}

/* The equations as if the model named these velocities independent. */
static zw_status keep_independent(const zw_explicit *x, zw_arena *arena, zw_equations *eq,
                                  zw_system *own, zw_error *err) {
    zw_velocity *velocity = NEW(zw_velocity, x->sys->nv);
    if (x->nroot == 0)
        return ZW_OK;
    if (!velocity)
        return zw_out_of_memory(err, NULL);
    *own = *x->sys;
    memcpy(velocity, own->velocity, (size_t)own->nv * sizeof *velocity);
    for (int i = 0; i < own->nv; i++)
        velocity[i].independent |= x->kept[i];
    own->velocity = velocity;
    eq->sys = own;
    return ZW_OK;
}

zw_status zw_explicit_find(zw_explicit *x, zw_arena *arena, zw_error *err) {
    zw_equations solved = {0}, cut;
    zw_system as_kept;
    ZW_TRY(zw_derive(&x->eq, x->sys, NULL, "lagrange", err));
    ZW_TRY(reject_system(x, err));
    int n = x->eq.nq + x->eq.nv;
    x->entry = NEW(zw_rated, n);
    x->symbol = NEW(zw_expr, n);
    x->value = NEW(zw_expr, n);
    x->where = NEW(int, n);
    x->root = NEW(zw_root, x->eq.npos);
    x->kept = NEW(bool, x->eq.nv);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < x->eq.npos; i++)
        ZW_TRY(put_coordinate(x, arena, i, err));
    ZW_TRY(find_places(x, arena, err));
    if (x->eq.nv) {
        cut = x->eq;
        ZW_TRY(keep_independent(x, arena, &cut, &as_kept, err));
        ZW_TRY(fix_equations(x, arena, &cut, err));
        ZW_TRY(zw_equations_eliminate(&solved, &cut, err));
        ZW_TRY(put_velocities(x, solved.elimination, err));
    }
    add_coordinates(x);
    if (x->eq.nv)
        ZW_TRY(add_velocities(x, arena, solved.elimination, err));
    return zw_context_status(x->ctx, err);
}
