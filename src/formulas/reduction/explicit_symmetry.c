/* SPDX-License-Identifier: MIT */
/* Coordinates that the equations do not need. A symmetry X of z' = f(z) maps motions to motions, so
 * that every motion can be followed on a slice, where some coordinate z_k with X_k != 0 keeps its
 * value. On the slice
 *
 *     z_j' = f_j - xi X_j,    xi = f_k/X_k,
 *
 * and z_k' = f_k is the motion along the symmetry: a quadrature. For the shift of an
 * ignorable coordinate X_j = 0, the other rates are unchanged, and z_k may have any value in
 * them. If a heading alpha turns the velocities x', y' too, these become velocities along and
 * across the heading. Several symmetries are treated together if their X_k form a regular matrix,
 * as the three rotations of a free body at the quaternion (1, 0, 0, 0).
 *
 * Slices: P. J. Olver, Classical Invariant Theory (1999), chapter 8; for the reconstruction J. E.
 * Marsden, Lectures on Mechanics (1992), chapter 3. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "explicit.h"
#include "expr/calculus/ratio.h"
#include "formulas/hides.h"
#include "zwang/kernel.h"
#include "zwang/simulate.h"
#include "zwang/steady.h"

#define NEW(type, n) ZW_NEW(s->arena, type, (n) > 0 ? (n) : 1)
/* distance of the factor of a combination from the fraction that replaces it: the factors come from
 * linear equations with round-off */
#define SAME_FRACTION 1e-9

enum { FRACTION = 12 }; /* denominator of these factors */

typedef struct symmetry_reduction {
    zw_explicit *x;
    zw_arena *arena;
    int n;        /* number of symmetries */
    bool *used;   /* n */
    zw_expr **X;  /* n: nentry each, in the order of the entries */
    zw_expr *sym; /* n: scratch */
} symmetry_reduction;

/* ------------------------------------------------------------------------------- the symmetries */

/* Other values of all parameters: a symmetry that needs a parameter to be zero, or two to be equal,
 * is none of the model, in which they may change. */
static zw_status change_parameters(const zw_explicit *x, double *p, bool *given, zw_error *err) {
    const zw_system *s = x->sys;
    zw_random random = zw_random_stream(7, 0);
    for (int i = 0; i < s->np; i++) {
        double factor = zw_random_real(&random, 0.9, 1.1);
        given[i] = zw_foreign_symbol(x->ctx, s->param[i].value, 0, NULL) == ZW_NULL;
        p[i] = x->p[i] != 0 ? factor * x->p[i] : 0.1 * factor;
    }
    return zw_system_param_follow(s, given, p, err);
}

/* The start with these parameters. If they contradict it, as a velocity given by a number next
 * to one that is driven, the start with the parameters of the model, to be moved onto the
 * constraints. */
static zw_status find_start(const zw_explicit *x, const double *p, double *at, bool *move,
                            zw_error *err) {
    zw_error why = {0};
    *move = zw_system_complete(x->sys, NULL, 0, p, at, NULL, &why) < 0;
    return *move ? zw_system_complete(x->sys, NULL, 0, x->p, at, NULL, err) : ZW_OK;
}

static zw_status find_by_numbers(zw_symmetries *out, const zw_explicit *x, zw_arena *arena,
                                 zw_error *err) {
    const zw_system *s = x->sys;
    zw_kernel_options options = zw_kernel_options_default();
    zw_kernel *kernel = NULL;
    zw_flow *flow = NULL;
    int n = x->eq.nq + x->eq.nv;
    double *at = ZW_NEW(arena, double, n + 1), *scale = ZW_NEW(arena, double, n + 1),
           *width = ZW_NEW(arena, double, x->eq.nq + 1), *p = ZW_NEW(arena, double, s->np + 1);
    zw_said *said = ZW_NEW(arena, zw_said, n + 1);
    bool *given = ZW_NEW(arena, bool, s->np + 1), move = false;
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    options.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(FIELD) | ZW_SET(FIELD_FIRST);
    zw_status status = change_parameters(x, p, given, err);
    if (status >= 0)
        status = zw_system_start_said(s, p, at, said, width, err);
    if (status >= 0)
        status = find_start(x, p, at, &move, err);
    if (status >= 0)
        status = zw_kernel_create(&kernel, &x->eq, &options, err);
    if (status >= 0)
        status = zw_flow_create(&flow, kernel, p, err);
    if (status >= 0 && move)
        status = zw_flow_project(flow, 0, at, NULL, err);
    if (status >= 0)
        status = zw_steady_scale(flow, 0, at, width, scale, err);
    if (status >= 0)
        status = zw_symmetries_find(out, flow, 0, at, scale, err);
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    return status;
}

/* c as a fraction, NULL if it is none. */
static zw_expr exact_factor(zw_context *ctx, double c) {
    double times = round(c * FRACTION);
    return fabs(c * FRACTION - times) < SAME_FRACTION * FRACTION
               ? zw_rational(ctx, (int64_t)times, FRACTION)
               : ZW_NULL;
}

/* X_i in terms of the entries; false if its factors are not simple fractions. */
static bool combine_fields(const symmetry_reduction *s, const zw_symmetries *found,
                           const zw_displacement *field, int i, zw_expr *X) {
    const zw_explicit *x = s->x;
    for (int k = 0; k < x->nentry; k++)
        X[k] = ZW_ZERO;
    for (int j = 0; j < found->nfield; j++) {
        double c = found->combination[i * found->nfield + j];
        zw_expr factor = exact_factor(x->ctx, c);
        if (!factor)
            return false;
        for (int k = 0; factor != ZW_ZERO && k < x->nentry; k++)
            X[k] = zw_add(
                x->ctx, X[k],
                zw_mul(x->ctx, factor, zw_explicit_substitute(x, field[j].x[x->entry[k].index])));
    }
    return true;
}

static zw_status find_symmetries(symmetry_reduction *s, zw_error *err) {
    const zw_explicit *x = s->x;
    zw_symmetries found = {0};
    zw_displacement *field;
    int nfield;
    ZW_TRY(zw_equations_displacements(&x->eq, &field, &nfield, err));
    ZW_TRY(find_by_numbers(&found, x, s->arena, err));
    s->X = NEW(zw_expr *, found.n);
    s->used = NEW(bool, found.n);
    s->sym = NEW(zw_expr, found.n);
    for (int i = 0; i < found.n && nfield == found.nfield && !s->arena->failed; i++) {
        s->X[s->n] = NEW(zw_expr, x->nentry);
        if (!s->arena->failed && !found.lost[i] && combine_fields(s, &found, field, i, s->X[s->n]))
            s->n++;
    }
    zw_symmetries_clear(&found);
    return s->arena->failed ? zw_out_of_memory(err, NULL) : zw_context_status(x->ctx, err);
}

/* ------------------------------------------------------------------------------------- slices */

/* What else symmetry i changes, per change of entry k. */
static zw_status record_turned(symmetry_reduction *s, int i, int k, zw_left_out *left,
                               zw_error *err) {
    const zw_explicit *x = s->x;
    int *index = NEW(int, x->nentry), n = 0;
    zw_expr *X = NEW(zw_expr, x->nentry);
    if (!index || !X)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < x->nentry; j++)
        if (j != k && s->X[i][j] != ZW_ZERO) {
            index[n] = x->entry[j].index;
            X[n++] = zw_div(x->ctx, s->X[i][j], s->X[i][k]);
        }
    left->n = n;
    left->index = index;
    left->X = X;
    return ZW_OK;
}

static void leave_out(symmetry_reduction *s, int k, double at) {
    zw_explicit *x = s->x;
    zw_left_out *left = &x->left[x->nleft++];
    left->entry = x->entry[k];
    left->at = at;
    memmove(&x->entry[k], &x->entry[k + 1], (size_t)(x->nentry - k - 1) * sizeof *x->entry);
    for (int i = 0; i < s->n; i++)
        memmove(&s->X[i][k], &s->X[i][k + 1], (size_t)(x->nentry - k - 1) * sizeof **s->X);
    x->nentry--;
}

/* Substitutes the fixed value of a symbol everywhere. */
static void fix_symbol(symmetry_reduction *s, zw_expr sym, zw_expr value) {
    zw_explicit *x = s->x;
    for (int j = 0; j < x->nentry; j++) {
        x->entry[j].num = zw_subst(x->ctx, x->entry[j].num, 1, &sym, &value);
        x->entry[j].den = zw_subst(x->ctx, x->entry[j].den, 1, &sym, &value);
        for (int i = 0; i < s->n; i++)
            s->X[i][j] = zw_subst(x->ctx, s->X[i][j], 1, &sym, &value);
    }
    for (int l = 0; l < x->nleft; l++) {
        x->left[l].entry.num = zw_subst(x->ctx, x->left[l].entry.num, 1, &sym, &value);
        x->left[l].entry.den = zw_subst(x->ctx, x->left[l].entry.den, 1, &sym, &value);
    }
}

/* Factors xi of the m symmetries `of` that give f (a rate or another symmetry) on the m entries
 * `on`. */
static bool along_symmetries(const symmetry_reduction *s, int m, const int *of, const int *on,
                             zw_expr *f) {
    zw_expr *A = NEW(zw_expr, m * m);
    if (!A)
        return false;
    for (int r = 0; r < m; r++)
        for (int i = 0; i < m; i++)
            A[r * m + i] = s->X[of[i]][on[r]];
    return zw_explicit_solve(s->x, s->arena, m, 1, A, f);
}

static zw_expr rate_of(const zw_explicit *x, int j) {
    return zw_div(x->ctx, x->entry[j].num, x->entry[j].den);
}

/* v minus its part along the symmetries. */
static bool subtract_projection(const symmetry_reduction *s, int m, const int *of, const int *on,
                                zw_expr *v /* nentry */) {
    const zw_explicit *x = s->x;
    zw_expr *xi = NEW(zw_expr, m);
    for (int r = 0; xi && r < m; r++)
        xi[r] = v[on[r]];
    if (!xi || !along_symmetries(s, m, of, on, xi))
        return false;
    for (int j = 0; j < x->nentry; j++)
        for (int i = 0; i < m; i++)
            v[j] = zw_sub(x->ctx, v[j], zw_mul(x->ctx, xi[i], s->X[of[i]][j]));
    return true;
}

/* Does a symmetry of the slice move entry j? Then its rate changes. */
static bool is_moved(const symmetry_reduction *s, int m, const int *of, int j) {
    for (int i = 0; i < m; i++)
        if (s->X[of[i]][j] != ZW_ZERO)
            return true;
    return false;
}

/* The m entries `on` get constant values; the m symmetries `of` are used. */
static zw_status take_slice(symmetry_reduction *s, int m, const int *of, const int *on,
                            zw_error *err) {
    zw_explicit *x = s->x;
    zw_expr *f = NEW(zw_expr, x->nentry);
    if (!f)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < x->nentry; j++)
        f[j] = rate_of(x, j);
    if (!subtract_projection(s, m, of, on, f))
        return zw_fail(err, ZW_E_MODEL, "the symmetries are not independent");
    for (int i = 0; i < m; i++)
        s->used[of[i]] = true;
    for (int i = 0; i < s->n; i++)
        if (!s->used[i] && !subtract_projection(s, m, of, on, s->X[i]))
            return zw_out_of_memory(err, NULL);
    for (int j = 0; j < x->nentry; j++) {
        bool kept = true;
        for (int r = 0; r < m; r++)
            kept = kept && on[r] != j;
        if (!kept || !is_moved(s, m, of, j))
            continue;
        x->entry[j].num = zw_explicit_tidy(x, f[j]);
        x->entry[j].den = ZW_ONE;
        x->entry[j].turned = true;
    }
    return zw_context_status(x->ctx, err);
}

bool zw_explicit_is_quaternion(const zw_explicit *x, int index) {
    for (int i = 0; i < x->eq.nunit; i++)
        if (index >= x->eq.unit[i] && index < x->eq.unit[i] + 4)
            return true;
    return false;
}

static bool is_staying(const zw_explicit *x, int coord) {
    return x->stay && x->stay[coord];
}

/* A symmetry that moves a kept coordinate is no symmetry of the reduced system. */
static void skip_kept(symmetry_reduction *s) {
    const zw_explicit *x = s->x;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < x->nentry; j++)
            s->used[i] |= s->X[i][j] != ZW_ZERO && x->entry[j].index < x->eq.nq &&
                          is_staying(x, x->entry[j].index);
}

/* An entry that symmetry i moves at a constant rate, -1 if none; alone: and nothing else. */
static int slice_of(const symmetry_reduction *s, int i, bool alone) {
    const zw_explicit *x = s->x;
    int k = -1, moved = 0;
    for (int j = 0; j < x->nentry; j++) {
        moved += s->X[i][j] != ZW_ZERO;
        if (k < 0 && x->entry[j].index < x->eq.nq &&
            !zw_explicit_is_quaternion(x, x->entry[j].index) && s->X[i][j] != ZW_ZERO &&
            zw_expr_is_number(x->ctx, s->X[i][j]))
            k = j;
    }
    return alone && moved != 1 ? -1 : k;
}

bool zw_explicit_has_kinks(const zw_explicit *x, zw_arena *arena, int n, const zw_expr *e) {
    int np = x->sys->np, nq = x->eq.nq, nv = x->eq.nv;
    zw_expr *variable = ZW_NEW(arena, zw_expr, np + nq + nv + 1);
    if (!variable)
        return true;
    for (int i = 0; i < np; i++)
        variable[i] = x->sys->param[i].sym;
    memcpy(variable + np, x->eq.q, sizeof *variable * (size_t)nq);
    memcpy(variable + np + nq, x->eq.v, sizeof *variable * (size_t)nv);
    variable[np + nq + nv] = x->sys->t;
    int found = zw_find_kinks(x->ctx, n, e, np + nq + nv + 1, variable, 0, NULL);
    zw_kink *kink = zw_arena_alloc(arena, (size_t)(found > 0 ? found : 1) * sizeof *kink);
    if (found < 0 || !kink)
        return true;
    zw_find_kinks(x->ctx, n, e, np + nq + nv + 1, variable, found, kink);
    for (int i = 0; i < found; i++)
        if (kink[i].op != ZW_OP_PRODUCT) /* a root or a pole is analytic next to it */
            return true;
    return false;
}

/* Is it proved that symmetry i commutes with the motion of entry j? sym: those of the entries. */
static bool commutes(const symmetry_reduction *s, int i, int j, const zw_expr *sym,
                     const zw_expr *rate) {
    const zw_explicit *x = s->x;
    return zw_ratio_is_zero(x->ctx,
                            zw_sub(x->ctx, zw_along(x->ctx, rate[j], x->nentry, sym, s->X[i]),
                                   zw_along(x->ctx, s->X[i][j], x->nentry, sym, rate)));
}

/* Numerical tests find a symmetry if no function hides what it changes: tanh of a rotated velocity
 * is constant where it is saturated. Then it must be proved. */
static bool is_certain(const symmetry_reduction *s, int i) {
    const zw_explicit *x = s->x;
    zw_expr *sym = NEW(zw_expr, x->nentry), *rate = NEW(zw_expr, x->nentry);
    for (int j = 0; sym && rate && j < x->nentry; j++) {
        sym[j] = x->entry[j].sym;
        rate[j] = rate_of(x, j);
    }
    for (int j = 0; sym && rate && j < x->nentry; j++) {
        const zw_expr part[2] = {x->entry[j].num, x->entry[j].den};
        if (zw_hides_along(x->ctx, 2, part, x->nentry, sym, s->X[i]) &&
            !commutes(s, i, j, sym, rate))
            return false;
    }
    return sym && rate;
}

/* A symmetry is found at states near the start. It is valid elsewhere if the rates are analytic, or
 * do not contain the symbol. */
static bool holds_everywhere(const symmetry_reduction *s, zw_expr sym) {
    const zw_explicit *x = s->x;
    bool contained = false;
    for (int j = 0; j < x->nentry; j++) {
        const zw_expr rate[2] = {x->entry[j].num, x->entry[j].den};
        contained =
            contained || zw_depends(x->ctx, rate[0], sym) || zw_depends(x->ctx, rate[1], sym);
    }
    for (int j = 0; contained && j < x->nentry; j++) {
        const zw_expr rate[2] = {x->entry[j].num, x->entry[j].den};
        if (zw_explicit_has_kinks(x, s->arena, 2, rate))
            return false;
    }
    return true;
}

static zw_status drop_shifts(symmetry_reduction *s, bool alone, bool *any, zw_error *err) {
    for (int i = 0; i < s->n; i++) {
        int k = s->used[i] ? -1 : slice_of(s, i, alone);
        if (k < 0)
            continue;
        zw_expr sym = s->x->entry[k].sym;
        if (!holds_everywhere(s, sym) || !is_certain(s, i)) {
            s->used[i] = true;
            continue;
        }
        ZW_TRY(record_turned(s, i, k, &s->x->left[s->x->nleft], err));
        ZW_TRY(take_slice(s, 1, &i, &k, err));
        leave_out(s, k, 0);
        fix_symbol(s, sym, ZW_ZERO);
        *any = true;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- free rotations */

static const zw_expr IDENTITY[4] = {ZW_ONE, ZW_ZERO, ZW_ZERO, ZW_ZERO};

static int entry_of(const zw_explicit *x, int index) {
    for (int j = 0; j < x->nentry; j++)
        if (x->entry[j].index == index)
            return j;
    return -1;
}

/* Rotations about axes of the body change its attitude and, with space components of the angular
 * velocity, nothing else. */
static bool moves_attitude_alone(const symmetry_reduction *s, int i, int unit,
                                 const zw_expr sym[4]) {
    const zw_explicit *x = s->x;
    for (int j = 0; j < x->nentry; j++)
        if ((x->entry[j].index < unit || x->entry[j].index > unit + 3) &&
            zw_subst(x->ctx, s->X[i][j], 4, sym, IDENTITY) != ZW_ZERO)
            return false;
    return true;
}

/* The rotation by symmetry i at the quaternion (1, 0, 0, 0), minus its parts along the n previous
 * rotations, in turn[n]; false: nothing is left, or it is no number. */
static bool turns_further(const symmetry_reduction *s, int i, const zw_expr sym[4], const int on[3],
                          int n, double turn[3][3]) {
    double size = 0;
    for (int r = 0; r < 3; r++) {
        zw_expr e = zw_subst(s->x->ctx, s->X[i][on[r]], 4, sym, IDENTITY);
        if (!zw_expr_is_number(s->x->ctx, e))
            return false;
        turn[n][r] = zw_expr_number(s->x->ctx, e);
    }
    for (int l = 0; l < n; l++) {
        double part = 0;
        for (int r = 0; r < 3; r++)
            part += turn[l][r] * turn[n][r];
        for (int r = 0; r < 3; r++)
            turn[n][r] -= part * turn[l][r];
    }
    for (int r = 0; r < 3; r++)
        size = hypot(size, turn[n][r]);
    for (int r = 0; r < 3; r++)
        turn[n][r] /= size;
    return size > SAME_FRACTION;
}

/* A free rotation whose three rotations are symmetries: at the quaternion (1, 0, 0, 0). */
static zw_status drop_rotation(symmetry_reduction *s, int unit, zw_error *err) {
    zw_explicit *x = s->x;
    int of[3], on[3], n = 0;
    double turn[3][3];
    zw_expr sym[4];
    for (int k = 0; k < 4; k++) {
        int j = entry_of(x, x->eq.unit[unit] + k);
        if (j < 0 || is_staying(x, x->eq.unit[unit] + k))
            return ZW_OK;
        sym[k] = x->entry[j].sym;
        if (!holds_everywhere(s, sym[k]))
            return ZW_OK;
        if (k > 0)
            on[k - 1] = j;
    }
    for (int i = 0; i < s->n && n < 3; i++)
        if (!s->used[i] && moves_attitude_alone(s, i, x->eq.unit[unit], sym) &&
            turns_further(s, i, sym, on, n, turn) && is_certain(s, i))
            of[n++] = i;
    if (n < 3)
        return ZW_OK;
    for (int k = 0; k < 4; k++)
        fix_symbol(s, sym[k], IDENTITY[k]);
    ZW_TRY(take_slice(s, 3, of, on, err));
    for (int k = 3; k >= 0; k--)
        leave_out(s, entry_of(x, x->eq.unit[unit] + k), k == 0);
    return ZW_OK;
}

zw_status zw_explicit_drop_symmetric(zw_explicit *x, zw_arena *arena, zw_error *err) {
    symmetry_reduction s = {.x = x, .arena = arena};
    x->left = ZW_NEW(arena, zw_left_out, x->nentry + 1);
    if (!x->left)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_symmetries(&s, err));
    skip_kept(&s);
    for (bool any = true; any;) {
        any = false;
        ZW_TRY(drop_shifts(&s, true, &any, err));
        if (!any)
            ZW_TRY(drop_shifts(&s, false, &any, err));
    }
    for (int i = 0; i < x->eq.nunit; i++)
        ZW_TRY(drop_rotation(&s, i, err));
    return zw_context_status(x->ctx, err);
}

/* ------------------------------------------------------------------------------------- numbers */

enum { STEPS = 4000 }; /* Runge-Kutta steps along a symmetry, over one turn: errors of 1e-12 */

bool zw_explicit_eval(const zw_explicit *x, zw_arena *arena, int n, const zw_expr *e, double t,
                      const double *state, double *out) {
    zw_arena_mark mark = zw_arena_mark_now(arena);
    int np = x->sys->np, nq = x->eq.nq, all = np + nq + x->eq.nv + 1;
    zw_expr *symbol = ZW_NEW(arena, zw_expr, all);
    double *value = ZW_NEW(arena, double, all);
    for (int i = 0; symbol && value && i < all; i++) {
        int k = i - np;
        symbol[i] = k < 0          ? x->sys->param[i].sym
                    : i == all - 1 ? x->sys->t
                    : k < nq       ? x->eq.q[k]
                                   : x->eq.v[k - nq];
        value[i] = k < 0 ? x->p[i] : i == all - 1 ? t : state[k];
    }
    bool fine = symbol && value;
    if (fine)
        zw_eval_all(x->ctx, n, e, all, symbol, value, out);
    for (int i = 0; fine && i < n; i++)
        fine = isfinite(out[i]);
    zw_arena_release(arena, mark);
    return fine;
}

/* One entry returns to its value, others change along the symmetry. */
static bool rotate_back(const zw_explicit *x, const zw_left_out *left, zw_arena *arena, double t,
                        double *state) {
    enum { STAGES = 4 };
    static const double node[STAGES] = {0, 0.5, 0.5, 1}, weight[STAGES] = {1, 2, 2, 1};
    double *from = ZW_NEW(arena, double, left->n), *sum = ZW_NEW(arena, double, left->n),
           *slope = ZW_NEW(arena, double, left->n), *last = &state[left->entry.index];
    double h = (left->at - *last) / STEPS, begin = *last;
    bool fine = from && sum && slope;
    for (int k = 0; fine && k < STEPS; k++) {
        for (int i = 0; i < left->n; i++) {
            from[i] = state[left->index[i]];
            sum[i] = slope[i] = 0;
        }
        for (int r = 0; fine && r < STAGES; r++) {
            for (int i = 0; i < left->n; i++)
                state[left->index[i]] = from[i] + node[r] * h * slope[i];
            *last = begin + (k + node[r]) * h;
            fine = zw_explicit_eval(x, arena, left->n, left->X, t, state, slope);
            for (int i = 0; i < left->n; i++)
                sum[i] += weight[r] * slope[i];
        }
        for (int i = 0; i < left->n; i++)
            state[left->index[i]] = from[i] + h / 6 * sum[i];
    }
    return fine;
}

bool zw_explicit_to_slice(const zw_explicit *x, zw_arena *arena, double t, double *state) {
    bool fine = true;
    for (int l = 0; fine && l < x->nleft; l++) {
        const zw_left_out *left = &x->left[l];
        if (left->n && state[left->entry.index] != left->at)
            fine = rotate_back(x, left, arena, t, state);
        state[left->entry.index] = left->at;
    }
    double *value = ZW_NEW(arena, double, x->nreplaced + 1);
    if (!value || !fine || !zw_explicit_eval(x, arena, x->nreplaced, x->value, t, state, value))
        return false;
    for (int i = 0; i < x->nreplaced; i++)
        state[x->where[i]] = value[i];
    return true;
}

bool zw_explicit_on_slice(const zw_explicit *x, zw_arena *arena, double t, const double *state,
                          double *rate) {
    for (int l = 0; l < x->nleft; l++) {
        const zw_left_out *left = &x->left[l];
        double *X = ZW_NEW(arena, double, left->n + 1);
        if (!X || !zw_explicit_eval(x, arena, left->n, left->X, t, state, X))
            return false;
        for (int i = 0; i < left->n; i++)
            rate[left->index[i]] -= rate[left->entry.index] * X[i];
    }
    return true;
}
