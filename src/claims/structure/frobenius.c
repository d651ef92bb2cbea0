/* SPDX-License-Identifier: MIT */
/* Constraints W(q,t) v + w(q,t) = 0 leave, with B from split.h and a particular solution v0, the
 * directions F B_i of virtual displacements and the drift F v0 + f + d/dt. Together they span a
 * distribution on (q, t) of rank nv - nc + 1; it is the kernel of the forms (W, w).
 *
 * Fields are stored by velocity components, X = F x + e (f + d/dt). From the transposition relation
 * of zwang/system.h, F Gamma(v) y = [F v + f + d/dt, F y] for constant v and y, so
 *
 *   [X, Y] = F z + (X(h) - Y(e)) (f + d/dt),       Y = F y + h (f + d/dt),
 *   z = X(y) - Y(x) + (Gamma(x) - Gamma(0)) y + Gamma(0) (e y - h x).
 *
 * No inverse of F is needed and quaternions need no special case, as Gamma contains them.
 *
 * Frobenius: the constraints are integrable if and only if every bracket lies in the
 * distribution. If not, brackets with the first fields are added until the rank is constant
 * (iterated brackets with the generators span the Lie algebra). The number of functions of (q,
 * t) that are constant along all fields of the closure is the deficit of its rank: that is the
 * number of holonomic constraints.
 *
 * A state s' = g in the forms or the kinematics is neither a direction nor time: its rate
 * may depend on the motion, and a bracket would have a component along it. Such a set is rejected.
 *
 * A bracket is outside if it is so at most of the states. Its forms are expanded then: all zero is
 * a proof that it is inside, and one that is a single term a proof that it is not. Denominators
 * would hide that, so the fields and forms are multiplied by theirs; that changes neither
 * distribution nor kernel. */
#include "frobenius.h"

#include <math.h>
#include <string.h>

#include "mech/equations/subspace.h"
#include "mech/principles/split.h"

/* relative to the parts whose sum a bracket is: less is the error of the admissible state */
#define BRACKET_OUTSIDE 1e-8
enum { LONG = 100 }; /* operations of an expression that is not expanded as a trial */

/* ------------------------------------------------------------------------------- denominators */

typedef struct denominator {
    zw_expr base;
    int64_t power;
} denominator;

enum { DENOMINATORS = 16 }; /* different factors of a common denominator */

/* The powers in a product of integer powers. */
static void collect_product(zw_context *ctx, zw_expr e, denominator *d, int *nd) {
    int n;
    if (!e || zw_expr_op(ctx, e) != ZW_OP_PRODUCT)
        return;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n; i += 2) {
        int64_t p, q;
        int k = 0;
        if (!zw_expr_is_rational(ctx, args[i + 1], &p, &q) || q != 1 || p > 0)
            continue;
        while (k < *nd && d[k].base != args[i])
            k++;
        if (k == DENOMINATORS)
            return;
        if (k == *nd)
            d[(*nd)++] = (denominator){args[i], 0};
        if (-p > d[k].power)
            d[k].power = -p;
    }
}

static void collect_denominators(zw_context *ctx, zw_expr e, denominator *d, int *nd) {
    int n;
    collect_product(ctx, e, d, nd);
    if (!e || zw_expr_op(ctx, e) != ZW_OP_SUM)
        return;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    for (int i = 1; i < n; i += 2)
        collect_product(ctx, args[i], d, nd);
}

/* e * factor, term by term, so that powers combine. */
static zw_expr scale_terms(zw_context *ctx, zw_expr e, zw_expr factor) {
    int n;
    if (!e || zw_expr_op(ctx, e) != ZW_OP_SUM)
        return zw_mul(ctx, e, factor);
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    zw_expr sum = zw_mul(ctx, args[0], factor);
    for (int i = 1; i < n; i += 2)
        sum = zw_add(ctx, sum, zw_product(ctx, 3, (zw_expr[]){args[i], args[i + 1], factor}));
    return sum;
}

/* Multiplies n expressions by their common denominator; long ones keep those inside brackets. */
static void clear_denominators(zw_context *ctx, int n, zw_expr *e) {
    denominator d[DENOMINATORS];
    int nd = 0;
    for (int i = 0; i < n; i++) {
        if (zw_count(ctx, 1, &e[i]) <= LONG)
            e[i] = zw_expand(ctx, e[i]);
        collect_denominators(ctx, e[i], d, &nd);
    }
    zw_expr factor = ZW_ONE;
    for (int k = 0; k < nd; k++)
        factor = zw_mul(ctx, factor, zw_pow(ctx, d[k].base, zw_integer(ctx, d[k].power)));
    for (int i = 0; nd && i < n; i++)
        e[i] = scale_terms(ctx, e[i], factor);
}

/* ------------------------------------------------------------------------------------- fields */

typedef struct workspace {
    const zw_equations *eq;
    const zw_system *s;
    zw_context *ctx;
    const zw_state_set *states;
    zw_subspace *span; /* one for each state, of nv + 1 dimensions */
    double *z;         /* nv + 1 */
    zw_expr *zero_v;   /* nv zeros */
    zw_expr *symbols;  /* q, t */
    zw_expr *parts;    /* 3 x nv: the summands of the last bracket */
    int ngenerator;
    bool all_inside, some_outside; /* proved for the brackets of the generators */
    zw_closure *c;
} workspace;

static void fill_along(zw_field *f, const zw_system *s) {
    for (int i = 0; i < s->nq; i++) {
        f->along[i] = zw_mul(s->ctx, f->e, s->f[i]);
        for (int k = 0; k < s->nv; k++)
            f->along[i] = zw_add(s->ctx, f->along[i], zw_mul(s->ctx, s->F[i * s->nv + k], f->x[k]));
    }
}

/* Allocates a field: nv entries of x and then e, in one block. */
static bool field_init(zw_field *f, const zw_system *s) {
    f->x = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nv + 1);
    f->along = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq);
    return f->x && f->along;
}

/* The fields F B_i and the drift. */
static zw_status generate_fields(workspace *w, const zw_split *split, zw_error *err) {
    const zw_system *s = w->s;
    w->ngenerator = split->k + 1;
    for (int i = 0; i <= split->k; i++) {
        zw_field *f = &w->c->field[i];
        bool drift = i == split->k;
        if (!field_init(f, s))
            return zw_context_status(w->ctx, err);
        for (int j = 0; j < s->nv; j++)
            f->x[j] = drift ? ZW_ZERO : zw_split_basis(split, j, i);
        for (int r = 0; drift && r < split->nc; r++)
            f->x[split->dep[r]] = split->d[r];
        f->x[s->nv] = drift ? ZW_ONE : ZW_ZERO;
        clear_denominators(w->ctx, s->nv + 1, f->x);
        f->e = f->x[s->nv];
        fill_along(f, s);
    }
    w->c->nfield = w->ngenerator;
    return zw_context_status(w->ctx, err);
}

/* X(e) for a function e of (q, t). */
static zw_expr field_derivative(const workspace *w, const zw_field *X, zw_expr e) {
    return zw_add(w->ctx, zw_along(w->ctx, e, w->s->nq, w->symbols, X->along),
                  zw_mul(w->ctx, X->e, zw_diff(w->ctx, e, w->s->t)));
}

/* Row j of (Gamma(x) - Gamma(0)) y + Gamma(0) (e y - h x). */
static zw_expr quaternion_term(const workspace *w, const zw_field *X, const zw_field *Y, int j) {
    zw_context *ctx = w->ctx;
    int nv = w->s->nv;
    zw_expr sum = ZW_ZERO;
    for (int k = 0; k < nv; k++) {
        zw_expr G = w->s->Gamma[j * nv + k];
        if (G == ZW_ZERO)
            continue;
        zw_expr G0 = zw_subst(ctx, G, nv, w->eq->v, w->zero_v);
        zw_expr Gx = zw_sub(ctx, zw_subst(ctx, G, nv, w->eq->v, X->x), G0);
        zw_expr drift = zw_sub(ctx, zw_mul(ctx, X->e, Y->x[k]), zw_mul(ctx, Y->e, X->x[k]));
        sum = zw_add(ctx, sum, zw_add(ctx, zw_mul(ctx, Gx, Y->x[k]), zw_mul(ctx, G0, drift)));
    }
    return sum;
}

static bool lie_bracket(workspace *w, const zw_field *X, const zw_field *Y, zw_field *Z) {
    zw_context *ctx = w->ctx;
    int nv = w->s->nv;
    if (!field_init(Z, w->s))
        return false;
    for (int j = 0; j < nv; j++) {
        zw_expr *part = w->parts + 3 * (size_t)j;
        part[0] = field_derivative(w, X, Y->x[j]);
        part[1] = zw_neg(ctx, field_derivative(w, Y, X->x[j]));
        part[2] = quaternion_term(w, X, Y, j);
        Z->x[j] = zw_sum(ctx, 3, part);
    }
    Z->e = Z->x[nv] = zw_sub(ctx, field_derivative(w, X, Y->e), field_derivative(w, Y, X->e));
    return true;
}

/* -------------------------------------------------------------------------------------- ranks */

/* Is Z = [X, Y] outside the spans at most of the states, by more than the round-off of its
 * parts? */
static bool is_outside(workspace *w, const zw_field *X, const zw_field *Y, const zw_field *Z) {
    int nv = w->s->nv, outside = 0;
    for (int i = 0; i < w->states->n; i++) {
        const zw_sample *at = &w->states->at[i];
        zw_states_values(at, w->eq, nv + 1, X->x, w->z);
        double size = zw_length(nv + 1, w->z);
        zw_states_values(at, w->eq, nv + 1, Y->x, w->z);
        size *= zw_length(nv + 1, w->z);
        for (int j = 0; j < 3 * nv; j++)
            if (w->parts[j] != ZW_ZERO)
                size += fabs(zw_sample_value(at, w->s, w->parts[j]));
        if (zw_states_values(at, w->eq, nv + 1, Z->x, w->z))
            outside += zw_subspace_outside(&w->span[i], w->z) > BRACKET_OUTSIDE * size;
    }
    return 2 * outside > w->states->n;
}

static void add_to_span(workspace *w, const zw_field *Z) {
    for (int i = 0; i < w->states->n; i++)
        if (zw_states_values(&w->states->at[i], w->eq, w->s->nv + 1, Z->x, w->z)) {
            zw_subspace_outside(&w->span[i], w->z);
            zw_subspace_take(&w->span[i]);
        }
}

/* Certainly nonzero: a number or a product. On the positions of a constraint a product may
 * vanish. */
static bool is_single_term(const workspace *w, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    if (e == ZW_ZERO || zw_expr_is_number(w->ctx, e))
        return e != ZW_ZERO;
    return w->eq->npos == 0 &&
           (zw_expr_op(w->ctx, e) != ZW_OP_SUM || (n == 3 && args[0] == ZW_ZERO));
}

typedef enum verdict { INSIDE, OUTSIDE, UNKNOWN } verdict;

/* The forms (W, w) on the field, as expressions. */
static verdict prove_membership(const workspace *w, const zw_field *Z) {
    zw_context *ctx = w->ctx;
    int nv = w->s->nv;
    verdict v = INSIDE;
    zw_expr *form = ZW_CONTEXT_NEW(ctx, zw_expr, nv + 1);
    if (!form)
        return UNKNOWN;
    for (int c = 0; c < w->eq->nc; c++) {
        memcpy(form, w->eq->W + (size_t)c * (size_t)nv, (size_t)nv * sizeof *form);
        form[nv] = zw_subst(ctx, w->eq->psi[c], nv, w->eq->v, w->zero_v);
        clear_denominators(ctx, nv + 1, form);
        zw_expr value = zw_dot(ctx, nv + 1, form, Z->x);
        zw_shorten(ctx, 1, &value); /* not zw_expand: that may not end for long ones */
        if (!value)
            return UNKNOWN;
        if (is_single_term(w, value))
            return OUTSIDE;
        if (value != ZW_ZERO)
            v = UNKNOWN;
    }
    return v;
}

/* Brackets of the generators with the fields from `first` on: adds those outside. */
static zw_status add_brackets(workspace *w, int first, zw_error *err) {
    zw_closure *c = w->c;
    int last = c->nfield;
    bool initial = first == 0;
    for (int i = 0; i < w->ngenerator; i++)
        for (int j = initial ? i + 1 : first; j < last && c->nfield <= w->s->nv; j++) {
            zw_field Z;
            if (!lie_bracket(w, &c->field[i], &c->field[j], &Z))
                return zw_context_status(w->ctx, err);
            if (!is_outside(w, &c->field[i], &c->field[j], &Z)) {
                w->all_inside = w->all_inside && prove_membership(w, &Z) == INSIDE;
                continue;
            }
            w->some_outside = w->some_outside || (initial && prove_membership(w, &Z) == OUTSIDE);
            add_to_span(w, &Z);
            zw_shorten(w->ctx, w->s->nv + 1, Z.x);
            Z.e = Z.x[w->s->nv];
            fill_along(&Z, w->s);
            c->field[c->nfield++] = Z;
        }
    return zw_context_status(w->ctx, err);
}

static zw_status workspace_init(workspace *w, zw_error *err) {
    zw_context *ctx = w->ctx;
    int nv = w->s->nv, n = w->states->n;
    w->span = ZW_CONTEXT_NEW(ctx, zw_subspace, n);
    w->z = ZW_CONTEXT_NEW(ctx, double, nv + 1);
    w->zero_v = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    w->symbols = ZW_CONTEXT_NEW(ctx, zw_expr, w->s->nq);
    w->parts = ZW_CONTEXT_NEW(ctx, zw_expr, 3 * nv);
    w->c->field = ZW_CONTEXT_NEW(ctx, zw_field, nv + 1);
    w->c->growth = ZW_CONTEXT_NEW(ctx, int, nv + 2);
    if (!w->span || !w->z || !w->zero_v || !w->symbols || !w->parts || !w->c->field ||
        !w->c->growth)
        return zw_context_status(ctx, err);
    for (int i = 0; i < n; i++)
        if (!zw_subspace_init(&w->span[i], ctx, nv + 1))
            return zw_context_status(ctx, err);
    for (int i = 0; i < nv; i++)
        w->zero_v[i] = ZW_ZERO;
    zw_mech_symbols(w->s, w->symbols, NULL, NULL);
    return ZW_OK;
}

/* Is there a state in the forms or in the kinematics of the coordinates? */
static const zw_coord *state_in_forms(const zw_equations *eq) {
    const zw_system *s = eq->sys;
    const zw_coord *state = NULL;
    for (int c = 0; c < eq->nvel && !state; c++)
        state = zw_mech_state_in(s, eq->psi[c]);
    for (int i = 0; i < s->nq && !state; i++)
        if (!s->coord[i].state)
            state = zw_mech_state_in(s, s->coord[i].rate);
    return state;
}

zw_status zw_closure_of(zw_closure *out, const zw_equations *eq, const zw_state_set *states,
                        zw_error *err) {
    const zw_system *s = eq->sys;
    workspace w = {.eq = eq, .s = s, .ctx = s->ctx, .states = states, .c = out, .all_inside = true};
    zw_split split;
    *out = (zw_closure){0};
    const zw_coord *state = state_in_forms(eq);
    if (state)
        return zw_fail(err, ZW_E_MODEL, "brackets say nothing of constraints with the state %s",
                       state->name);
    ZW_TRY(workspace_init(&w, err));
    ZW_TRY(zw_split_velocities(&split, eq, s, err));
    ZW_TRY(generate_fields(&w, &split, err));
    for (int i = 0; i < w.ngenerator; i++)
        add_to_span(&w, &out->field[i]);
    out->growth[out->ngrowth++] = out->nfield;
    for (int first = 0;;) {
        int before = out->nfield;
        ZW_TRY(add_brackets(&w, first, err));
        if (out->nfield == before)
            break;
        out->growth[out->ngrowth++] = out->nfield;
        if (out->nfield > s->nv)
            break;
        first = before;
    }
    out->proved = out->ngrowth > 1 ? w.some_outside : w.all_inside;
    return ZW_OK;
}

bool zw_closure_annihilates(const zw_closure *c, const zw_equations *eq, const zw_state_set *states,
                            zw_expr psi) {
    const zw_system *s = eq->sys;
    int nv = s->nv, votes = 0;
    zw_expr *form = ZW_CONTEXT_NEW(s->ctx, zw_expr, nv + 1),
            *zero = ZW_CONTEXT_NEW(s->ctx, zw_expr, nv);
    double *a = ZW_CONTEXT_NEW(s->ctx, double, nv + 1), *x = ZW_CONTEXT_NEW(s->ctx, double, nv + 1);
    if (!form || !zero || !a || !x)
        return false;
    for (int k = 0; k < nv; k++)
        zero[k] = ZW_ZERO;
    zw_gradient(s->ctx, psi, nv, eq->v, form);
    form[nv] = zw_subst(s->ctx, psi, nv, eq->v, zero);
    for (int i = 0; i < states->n; i++) {
        bool vanishes = zw_states_values(&states->at[i], eq, nv + 1, form, a);
        for (int f = 0; vanishes && f < c->nfield; f++) {
            double sum = 0;
            vanishes = zw_states_values(&states->at[i], eq, nv + 1, c->field[f].x, x);
            for (int k = 0; k <= nv; k++)
                sum += a[k] * x[k];
            vanishes &= fabs(sum) <= BRACKET_OUTSIDE * zw_length(nv + 1, a) * zw_length(nv + 1, x);
        }
        votes += vanishes;
    }
    return 2 * votes > states->n;
}
