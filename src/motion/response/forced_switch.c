/* SPDX-License-Identifier: MIT */
/* From one curve to another at a branch point (../branch_points.h). At a period doubling the
 * equations of twice the order are used, which have all motions of the first ones: harmonic h of
 * these is their harmonic 2h, and phi has odd harmonics.
 *
 * Where the equations are linear in the growing disturbance, as in a parametric resonance
 * without a cubic term, the other curve is a family at one value of the parameter: phi times any
 * number is added to the motion. Its points have the same parameter up to rounding. That alone
 * is no proof: with a force of fifth degree the parameter may change by the eighth power of the
 * size, which is rounding up to a hundredth. So the equations are tested: they are linear along
 * the family if x_0 + l (x - x_0) satisfies them for l that make the motion many times as wide
 * as the model. Otherwise the curve is followed until the parameter changes, or has grown to
 * such sizes itself. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "forced.h"
#include "motion/branch_points.h"

/* Relative to the range: change of the parameter in a family at one value of it; motions are
 * corrected to 1e-11. */
#define PARAMETER_CONSTANT 1e-10
/* Relative to the widths of coordinates: size from which on a family at one value is tested. */
#define FAMILY_GROWN 1e-2
/* The same: size at which equations that are not linear have residuals far above rounding. */
#define SIZE_NONLINEAR 1e3
/* Relative to the motion: harmonics that are not of half the order, in a motion of half the period;
 * a located doubling has the root of its error. */
#define HALF_PERIOD 1e-4
/* Relative to the range: distance of two curves that meet, each located separately. */
#define SAME_VALUE 1e-6
/* Residual along a linear family, relative to the residual after a change of the parameter by a
 * hundredth of its range. */
#define RESIDUAL_LINEAR 1e-6
/* squared distance from a step relative to its squared length: a tenth of the length, by which a
 * curve bends between its points */
#define ON_STEP 0.01
/* relative to the range: change of the parameter that residuals are compared with */
#define VALUE_CHANGED 0.01

typedef struct branching {
    zw_forced *f;
    int at;           /* the motion at the branch point */
    int ncoefficient; /* coefficients of a function, in the arrays below */
    double value;
    double *tangent; /* n + 1: tangent of the known curve */
    double *phi;     /* n + 1: null vector, orthogonal to the tangent */
    double *x;       /* n: coefficients of the motion */
} branching;

static zw_status find_null_vector(branching *k, zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(k->f->balance);
    double *work = ZW_NEW(&k->f->arena, double, 2 * p.n + 3);
    if (!work)
        return zw_out_of_memory(err, NULL);
    return zw_branch_points_null(&p, k->x, k->value, k->tangent, k->phi, work, err);
}

/* Follows the curve from a point off the known curve, at increasing distances until one succeeds. A
 * curve that only comes back to the known one, with another number of harmonics, does not count. */
static zw_status follow_side(branching *k, int curve, double sign, zw_cont_info *info,
                             zw_error *err) {
    zw_forced *f = k->f;
    int n = zw_harmonic_problem(f->balance).n, before = f->nmotion;
    double *toward = ZW_NEW(&f->arena, double, n + 2);
    zw_error trouble = {0};
    zw_status status = ZW_E_NUMERIC;
    if (!toward)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i <= n; i++)
        toward[i] = sign * k->phi[i];
    for (int d = 0; d < ZW_BRANCH_POINTS_DISTANCES && status == ZW_E_NUMERIC; d++) {
        trouble = (zw_error){0};
        for (int i = 0; i < n; i++)
            f->x[i] = k->x[i] + zw_branch_points_distance[d] * toward[i];
        status =
            zw_forced_follow_side(f, curve, k->value + zw_branch_points_distance[d] * toward[n], 1,
                                  toward, false, info, &trouble);
        if (status == ZW_E_NUMERIC && f->nmotion > before)
            status = ZW_OK; /* a part of it was found */
    }
    if (status < 0 && status != ZW_E_NUMERIC && err && !err->status)
        *err = trouble;
    return status;
}

static zw_branch_points_place branch_place(const zw_forced_motion *m) {
    return (zw_branch_points_place){m->value, m->measure};
}

static bool is_same_place(const zw_forced *f, const zw_forced_motion *a,
                          const zw_forced_motion *b) {
    return zw_branch_points_is_same(f->sys->nq, f->width, fabs(f->over.to - f->over.from),
                                    branch_place(a), branch_place(b));
}

/* Does coefficient k of a function belong neither to half the order nor to whole frequencies? */
static bool is_doubled_coefficient(const zw_forced *f, int k) {
    int h = (k + 1) / 2;
    return zw_forced_has_tones(f) ? zw_forced_tones_is_half(f, f->vector + (size_t)(h * f->tones.n))
                                  : h % 2 != 0;
}

/* The relative size of the harmonics that are not of half the order: 0 for a motion whose period is
 * not doubled. */
static double doubled_part(const zw_forced *f, const zw_forced_motion *m) {
    double doubled = 0, all = 0;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 1; k < m->ncoefficient; k++) {
            double c = m->x[i * m->ncoefficient + k] / f->scale[i];
            all += c * c;
            doubled += is_doubled_coefficient(f, k) ? c * c : 0;
        }
    return all > 0 ? sqrt(doubled / all) : 0;
}

/* embeds combinations of whole frequencies among those of half frequencies */
static void embed_tones(const zw_forced *from, const zw_forced_motion *m, const zw_forced *to,
                        double *out) {
    int n = zw_harmonic_coefficients(to->balance), tones = to->tones.n, odd = from->options.odd;
    memset(out, 0, sizeof(double) * (size_t)zw_harmonic_problem(to->balance).n);
    for (int h = 0; h < zw_forced_tones_count(from, m); h++) {
        int k[ZW_TONES_MAX], first = h ? 2 * h - !odd : 0, coefficients = h || odd ? 2 : 1, at = 0;
        for (int j = 0; j < tones; j++)
            k[j] = from->vector[h * tones + j] * zw_forced_tones_scale(to, j);
        while (at < zw_harmonic_count(to->balance) &&
               memcmp(zw_harmonic_vector(to->balance, at), k, sizeof(int) * (size_t)tones) != 0)
            at++;
        for (int i = 0; i < to->nfunction && at < zw_harmonic_count(to->balance); i++)
            memcpy(out + i * n + (at ? 2 * at - 1 : 0), m->x + i * m->ncoefficient + first,
                   sizeof(double) * (size_t)coefficients);
    }
}

/* embeds the coefficients of a motion, and the frequency of a cycle, among those of twice the
 * order */
static void embed_motion(const zw_forced *from, const zw_forced_motion *m, const zw_forced *to,
                         double *out) {
    if (zw_forced_has_tones(to)) {
        embed_tones(from, m, to, out);
        return;
    }
    int n = zw_harmonic_coefficients(to->balance), h = from->options.odd ? 1 : 0, k = 0;
    memset(out, 0, sizeof(double) * (size_t)zw_harmonic_problem(to->balance).n);
    for (; k < m->ncoefficient; h += from->options.odd ? 2 : 1) {
        int first = h ? 4 * h - 1 : 0, coefficients = h ? 2 : 1; /* of harmonic 2h */
        for (int c = 0; c < coefficients; c++, k++)
            for (int i = 0; i < to->nfunction && first + c < n; i++)
                out[i * n + first + c] = m->x[i * m->ncoefficient + k];
    }
    if (from->cycles)
        out[to->nfunction * n] = 0.5 * m->x[from->nfunction * m->ncoefficient];
}

static double coefficient_of(const zw_forced_motion *m, int i, int k) {
    return k < m->ncoefficient ? m->x[i * m->ncoefficient + k] : 0;
}

/* the inner product of b - a and d - c, as in the arclength */
static double inner_product(const zw_forced *f, const zw_forced_motion *a,
                            const zw_forced_motion *b, const zw_forced_motion *c,
                            const zw_forced_motion *d) {
    double unit = zw_forced_unit(f),
           sum = (b->value - a->value) * (d->value - c->value) / (unit * unit);
    int n = a->ncoefficient > b->ncoefficient ? a->ncoefficient : b->ncoefficient;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 0; k < n; k++)
            sum += 0.5 * (coefficient_of(b, i, k) - coefficient_of(a, i, k)) *
                   (coefficient_of(d, i, k) - coefficient_of(c, i, k)) /
                   (f->scale[i] * f->scale[i]);
    return sum;
}

/* Does the step from a to b contain c, up to a small part of its length? */
static bool is_on_step(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b,
                       const zw_forced_motion *c) {
    double step = inner_product(f, a, b, a, b), along = inner_product(f, a, b, a, c) / step,
           distance = inner_product(f, a, c, a, c) - along * along * step;
    return step > 0 && along >= 0 && along <= 1 && distance <= ON_STEP * step;
}

/* the inner product of the harmonics that are not of half the order, of two motions: negative if
 * they are on opposite sides of a motion without them */
static double doubled_product(const zw_forced *f, const zw_forced_motion *a,
                              const zw_forced_motion *b) {
    double sum = 0;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 1; k < a->ncoefficient && k < b->ncoefficient; k++)
            if (is_doubled_coefficient(f, k))
                sum += a->x[i * a->ncoefficient + k] * b->x[i * b->ncoefficient + k] /
                       (f->scale[i] * f->scale[i]);
    return sum;
}

/* replaces the last motion by the one at which the curve meets another */
static void end_at_branch(zw_forced *f, int known) {
    zw_forced_motion *m = &f->motion[f->nmotion - 1];
    int curve = m->curve;
    *m = f->motion[known];
    m->curve = curve;
    m->event = ZW_BIFURCATION_BRANCH;
}

static void end_at_doubling(zw_forced *f) {
    const zw_forced *parent = f->parent;
    zw_forced_motion m = f->motion[f->nmotion - 1];
    int best = -1;
    for (int i = 0; i < parent->nmotion; i++)
        if (parent->motion[i].event == ZW_BIFURCATION_FLIP && parent->motion[i].curve >= 0 &&
            (best < 0 ||
             fabs(parent->motion[i].value - m.value) < fabs(parent->motion[best].value - m.value)))
            best = i;
    f->nmotion--;
    if (best < 0)
        return;
    const zw_forced_motion *last = &f->motion[f->nmotion - 1];
    if (last->event == ZW_BIFURCATION_BRANCH && is_same_place(f, last, &parent->motion[best]))
        f->nmotion--; /* the same, less exactly */
    embed_motion(parent, &parent->motion[best], f, f->x);
    zw_forced_add_motion(f, parent->motion[best].value, false, NULL, ZW_BIFURCATION_BRANCH, m.curve,
                         NULL);
}

/* Has the parameter been constant along the last curve, except at the branch point, which is
 * located less exactly? */
static bool has_constant_value(const zw_forced *f, const zw_forced_curve *c) {
    double low = INFINITY, high = -INFINITY;
    for (int i = c->first + 1; i < f->nmotion; i++) {
        low = fmin(low, f->motion[i].value);
        high = fmax(high, f->motion[i].value);
    }
    return high - low <= PARAMETER_CONSTANT * fabs(f->over.to - f->over.from);
}

/* the distance of two motions, in widths of the coordinates */
static double width_between(const zw_forced *f, const zw_forced_motion *a,
                            const zw_forced_motion *b) {
    double most = 0;
    for (int i = 0; i < f->sys->nq; i++) {
        double sum = 0;
        for (int k = 0; k < a->ncoefficient || k < b->ncoefficient; k++) {
            double c = coefficient_of(b, i, k) - coefficient_of(a, i, k);
            sum += (k ? 0.5 : 1) * c * c;
        }
        most = fmax(most, sqrt(sum) / fmax(f->width[i], ZW_TINY));
    }
    return most;
}

static double vector_norm(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Are the equations linear along the family from `start` to m, a distance of `widths`? Their
 * residual on its continuation is compared with the residual at another value of the parameter. */
static bool is_linear_family(zw_forced *f, const zw_forced_motion *start, const zw_forced_motion *m,
                             double widths) {
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    double value = m->value, other = value + VALUE_CHANGED * (f->over.to - f->over.from);
    if (m->ncoefficient != zw_harmonic_coefficients(f->balance))
        return false;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *x = ZW_NEW(&f->arena, double, p.n + 1), *r = ZW_NEW(&f->arena, double, p.n + 1);
    bool linear = !f->arena.failed;
    for (int k = 0; k < 4 && linear; k++) {
        double factor = pow(SIZE_NONLINEAR, k / 3.0) / widths;
        zw_forced_copy_coefficients(f, f->nfunction, start->ncoefficient, start->x, x);
        for (int i = 0; i < p.n; i++)
            x[i] += factor * (f->x[i] - x[i]);
        linear = p.residual(p.self, x, value, r, NULL) == ZW_OK;
        double residual = vector_norm(r, p.n);
        linear = linear && p.residual(p.self, x, other, r, NULL) == ZW_OK &&
                 residual <= RESIDUAL_LINEAR * vector_norm(r, p.n);
    }
    zw_arena_release(&f->arena, mark);
    return linear;
}

/* Marks a family at one value of the parameter: it has no folds, and no motion of it is more stable
 * than its neighbours, as a multiplier of all of them is 1. */
static void set_vertical(zw_forced *f, zw_forced_curve *c) {
    c->vertical = true;
    for (int i = c->first + 1; i < f->nmotion; i++) {
        f->motion[i].event = ZW_BIFURCATION_POINT;
        if (f->motion[i].verdict == ZW_FLOQUET_STABLE)
            f->motion[i].verdict = ZW_FLOQUET_UNDECIDED;
    }
}

/* Does the curve end at its last motion: does it meet a known one, or is it the image of the other
 * side? A curve of symmetric motions turns there, which is no fold, and where the equations are
 * singular the point may be passed without a special point. */
static bool ends_at_last(zw_forced *f) {
    zw_forced_motion *m = &f->motion[f->nmotion - 1];
    zw_forced_curve *c = &f->curve[m->curve];
    if (f->nmotion - c->first > 2 && has_constant_value(f, c)) {
        double widths = width_between(f, &f->motion[c->first], m);
        if (widths < FAMILY_GROWN ||
            (widths < SIZE_NONLINEAR && !is_linear_family(f, &f->motion[c->first], m, widths)))
            return false;
        set_vertical(f, c);
        return true;
    }
    if (f->mirror)
        return f->image_found = zw_branch_points_is_mirrored(
                   f->sys->nq, f->width, fabs(f->over.to - f->over.from), branch_place(m),
                   branch_place(f->mirror));
    bool is_special = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH;
    if (f->doubled && is_special && doubled_part(f, m) < HALF_PERIOD) {
        m->event = ZW_BIFURCATION_BRANCH;
        return true;
    }
    if (f->nmotion - f->curve[m->curve].first < 4)
        return false;
    const zw_forced_motion *before = m - 1;
    if (f->doubled && doubled_product(f, before, m) < 0) {
        end_at_doubling(f);
        return true;
    }
    for (int k = 0; k < f->nmotion - 1 && !f->doubled; k++)
        if (f->motion[k].event == ZW_BIFURCATION_BRANCH && f->motion[k].curve != m->curve &&
            ((is_special && is_same_place(f, &f->motion[k], m)) ||
             is_on_step(f, before, m, &f->motion[k]))) {
            end_at_branch(f, k);
            return true;
        }
    return false;
}

static zw_status make_branching(branching *k, zw_error *err) {
    int n = zw_harmonic_problem(k->f->balance).n;
    k->tangent = ZW_NEW(&k->f->arena, double, n + 2);
    k->phi = ZW_NEW(&k->f->arena, double, n + 2);
    k->x = ZW_NEW(&k->f->arena, double, n + 2);
    k->ncoefficient = zw_harmonic_coefficients(k->f->balance);
    return zw_arena_status(&k->f->arena, err);
}

/* adapts the vectors to the equations, which may have more harmonics by now */
static zw_status refit_harmonics(branching *k, zw_error *err) {
    zw_forced *f = k->f;
    int n = zw_harmonic_problem(f->balance).n,
        old = f->nfunction * k->ncoefficient + zw_harmonic_unfoldings(f->balance);
    double *x = k->x, *phi = k->phi, slope = k->phi[old];
    if (k->ncoefficient == zw_harmonic_coefficients(f->balance))
        return ZW_OK;
    int from = k->ncoefficient;
    ZW_TRY(make_branching(k, err));
    zw_forced_copy_coefficients(f, f->nfunction, from, x, k->x);
    zw_forced_copy_coefficients(f, f->nfunction, from, phi, k->phi);
    k->phi[n] = slope;
    return ZW_OK;
}

/* follows one side, beginning with the branch point; *found: is there a curve? */
static zw_status follow_branching(branching *k, double sign, bool *found, zw_error *err) {
    zw_forced *f = k->f;
    int curve, first = f->nmotion;
    *found = false;
    ZW_TRY(refit_harmonics(k, err));
    ZW_TRY(zw_forced_new_curve(f, &curve, err));
    if (!zw_arena_grow(&f->arena, (void **)&f->motion, f->nmotion, &f->motion_capacity,
                       sizeof *f->motion))
        return zw_out_of_memory(err, NULL);
    f->motion[f->nmotion] = f->motion[k->at];
    f->motion[f->nmotion].curve = curve;
    f->motion[f->nmotion++].event = ZW_BIFURCATION_END;
    f->curve[curve].from = first + 1;
    f->curve[curve].info[0].end = ZW_CONT_AT_BOUND;
    f->ends_at_last = ends_at_last;
    zw_status status = follow_side(k, curve, sign, &f->curve[curve].info[1], err);
    f->ends_at_last = NULL;
    f->curve[curve].n = f->nmotion - first;
    zw_forced_remove_false_folds(f, curve);
    zw_forced_find_conflicts(f, curve);
    if (status >= 0 || status == ZW_E_NUMERIC)
        ZW_TRY(zw_forced_exponents_locate(f, curve, err));
    *found = f->curve[curve].n > 2;
    if (!*found) {
        f->nmotion = first;
        f->ncurve--;
    }
    return status == ZW_E_NUMERIC || status >= 0 ? ZW_OK : status;
}

/* At the doubling the parameter turns, which is not a fold: after it come the same cycles, shifted
 * by half a period. */
bool zw_forced_cycles_halve(zw_forced *f) {
    zw_forced_motion *m = &f->motion[f->nmotion - 1];
    bool is_special = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH;
    if (!is_special || !(doubled_part(f, m) < HALF_PERIOD))
        return false;
    m->event = ZW_BIFURCATION_END;
    return true;
}

/* the two motions next to one on its curve; false: it has none */
static bool find_neighbours(const zw_forced *f, int at, const zw_forced_motion *side[2]) {
    int before = at > 0 ? at - 1 : at, after = at + 1 < f->nmotion ? at + 1 : at;
    if (f->motion[before].curve != f->motion[at].curve)
        before = at;
    if (f->motion[after].curve != f->motion[at].curve)
        after = at;
    side[0] = &f->motion[before];
    side[1] = &f->motion[after];
    return before != after;
}

/* -------------------------------------------------------------------------------- branch points */

/* Is the other curve known, too? */
static bool is_other_known(const zw_forced *f, int at) {
    for (int k = 0; k < f->nmotion; k++)
        if (f->motion[k].curve >= 0 && f->motion[k].curve != f->motion[at].curve &&
            (f->motion[k].event == ZW_BIFURCATION_BRANCH ||
             f->curve[f->motion[k].curve].from == k + 1) &&
            is_same_place(f, &f->motion[k], &f->motion[at]))
            return true;
    return false;
}

static bool is_doubled(const zw_forced *f, int at) {
    for (int i = 0; i < f->ncurve; i++)
        for (int side = 0; side < 2; side++)
            if (f->curve[i].halves[side] && fabs(f->curve[i].born[side] - f->motion[at].value) <=
                                                SAME_VALUE * fabs(f->over.to - f->over.from))
                return true;
    for (int i = 0; i < f->nchild; i++)
        for (int k = 0; k < f->child[i]->nmotion; k++) {
            const zw_forced_motion *m = &f->child[i]->motion[k];
            bool is_branch = m->event == ZW_BIFURCATION_BRANCH || m->event == ZW_BIFURCATION_FLIP;
            if (is_branch && doubled_part(f->child[i], m) < HALF_PERIOD &&
                is_same_place(f, m, &f->motion[at]))
                return true;
        }
    return false;
}

/* Is the other curve invisible to the odd harmonics? Where a symmetry breaks it is: their equations
 * are singular nowhere between the neighbours. */
static zw_status is_hidden(zw_forced *f, const zw_forced_motion *const side[2], bool *hidden,
                           zw_error *err) {
    double s[2];
    *hidden = false;
    for (int i = 0; i < 2 && f->options.odd; i++) {
        ZW_TRY(zw_forced_load_motion(f, side[i], err));
        zw_status status = zw_harmonic_singular(f->balance, f->x, side[i]->value, &s[i], err);
        if (status < 0)
            return status;
    }
    *hidden = f->options.odd && s[0] * s[1] > 0;
    return ZW_OK;
}

static zw_status leave_branch(zw_forced *f, int at, bool *found, zw_error *err) {
    branching k = {.f = f, .at = at, .value = f->motion[at].value};
    const zw_forced_motion *side[2];
    bool hidden;
    *found = false;
    if (!find_neighbours(f, at, side))
        return ZW_OK;
    ZW_TRY(is_hidden(f, side, &hidden, err));
    f->hidden += hidden;
    if (hidden)
        return ZW_OK;
    ZW_TRY(zw_forced_load_motion(f, &f->motion[at], err));
    zw_forced_scale_by(f, &f->motion[at]);
    ZW_TRY(make_branching(&k, err));
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    memcpy(k.x, f->x, sizeof(double) * (size_t)p.n);
    zw_forced_copy_coefficients(f, f->nfunction, side[0]->ncoefficient, side[0]->x, k.phi);
    zw_forced_copy_coefficients(f, f->nfunction, side[1]->ncoefficient, side[1]->x, k.tangent);
    for (int i = 0; i < p.n; i++)
        k.tangent[i] -= k.phi[i];
    k.tangent[p.n] = side[1]->value - side[0]->value;
    if (!zw_branch_points_normalise(&p, k.tangent))
        return ZW_OK;
    zw_status status = find_null_vector(&k, err);
    if (status != ZW_OK)
        return status < 0 ? status : ZW_OK;
    ZW_TRY(follow_branching(&k, 1, found, err));
    zw_forced_motion other = f->motion[f->nmotion - f->curve[f->ncurve - 1].n + 1];
    bool second;
    if (f->stopped || (*found && f->curve[f->ncurve - 1].vertical))
        return ZW_OK; /* its other side is the same family */
    int first_side = *found ? f->ncurve - 1 : -1;
    f->mirror = *found ? &other : NULL;
    f->image_found = false;
    status = follow_branching(&k, -1, &second, err);
    f->mirror = NULL;
    if (first_side >= 0 && f->image_found && !second)
        f->curve[first_side].imaged = true;
    *found |= second;
    return status;
}

/* ----------------------------------------------------------------------------- period doublings */

zw_status zw_forced_make_child(zw_forced *f, int harmonics, zw_forced **out, zw_error *err) {
    zw_forced_options o = f->options;
    int order = 2 * o.order;
    o.order = f->cycles ? 1 : order; /* multiples of the period of the excitation */
    o.odd = false;
    if (!zw_arena_grow(&f->arena, (void **)&f->child, f->nchild, &f->child_capacity,
                       sizeof *f->child))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_create(out, f->full, &o, err));
    (*out)->doubled = true;
    (*out)->parent = f;
    f->child[f->nchild++] = *out;
    (*out)->cycle_w = 0.5 * f->cycle_w;
    bool same = (*out)->options.order == order;
    (*out)->options.order = order;
    if (same && (*out)->top >= harmonics)
        return ZW_OK;
    return zw_forced_set_harmonics(*out, harmonics > (*out)->top ? harmonics : (*out)->top, err);
}

/* In a study of twice the order (the last child), follows the curve from the motion, and its
 * neighbours, at which a period doubles. */
static zw_status follow_doubling(zw_forced *f, zw_forced *child, const zw_forced_motion *start,
                                 const zw_forced_motion *const side[2], bool *found,
                                 zw_error *err) {
    branching k = {.f = child, .value = start->value};
    ZW_TRY(make_branching(&k, err));
    embed_motion(f, start, child, child->x);
    ZW_TRY(zw_forced_add_motion(child, start->value, false, NULL, ZW_BIFURCATION_FLIP, -1, err));
    k.at = child->nmotion - 1;
    zw_forced_scale_by(child, &child->motion[k.at]);
    zw_cont_problem p = zw_harmonic_problem(child->balance);
    memcpy(k.x, child->x, sizeof(double) * (size_t)p.n);
    embed_motion(f, side[0], child, k.phi);
    embed_motion(f, side[1], child, k.tangent);
    for (int i = 0; i < p.n; i++)
        k.tangent[i] -= k.phi[i];
    k.tangent[p.n] = side[1]->value - side[0]->value;
    zw_status status =
        zw_branch_points_normalise(&p, k.tangent) ? find_null_vector(&k, err) : ZW_RETRY;
    if (status == ZW_OK)
        status = follow_branching(&k, 1, found, err);
    return status < 0 ? status : ZW_OK;
}

static zw_status leave_doubling(zw_forced *f, int at, bool *found, zw_error *err) {
    const zw_forced_motion *side[2], *start = &f->motion[at];
    zw_forced *child;
    *found = false;
    if (!find_neighbours(f, at, side))
        return ZW_OK;
    ZW_TRY(zw_forced_make_child(f, start->harmonics, &child, err));
    zw_status status = follow_doubling(f, child, start, side, found, err);
    if (!*found)
        zw_forced_destroy(f->child[--f->nchild]);
    return status;
}

static zw_status make_half(zw_forced *f, const zw_forced_motion *m, int halved, zw_forced **out,
                           zw_error *err) {
    zw_forced_options o = f->options;
    o.halved = halved;
    o.odd = false;
    if (!zw_arena_grow(&f->arena, (void **)&f->child, f->nchild, &f->child_capacity,
                       sizeof *f->child))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_create(out, f->full, &o, err));
    (*out)->doubled = true;
    (*out)->parent = f;
    f->child[f->nchild++] = *out;
    return zw_forced_tones_seed(*out, f, zw_forced_tones_count(f, m), err);
}

/* Are the equations with half frequencies singular between two motions, which have none of them? */
static zw_status is_singular_between(const zw_forced *f, zw_forced *child,
                                     const zw_forced_motion *const side[2], bool *is_singular,
                                     zw_error *err) {
    double s[2];
    for (int i = 0; i < 2; i++) {
        embed_motion(f, side[i], child, child->x);
        zw_status status =
            zw_harmonic_singular(child->balance, child->x, side[i]->value, &s[i], err);
        if (status < 0)
            return status;
    }
    *is_singular = s[0] * s[1] < 0;
    return ZW_OK;
}

/* A motion with half frequencies branches off: with half of the sum of frequencies whose equations
 * are singular. */
static zw_status leave_tones(zw_forced *f, int at, bool *found, zw_error *err) {
    const zw_forced_motion *side[2], *start = &f->motion[at];
    zw_status status = ZW_OK;
    *found = false;
    if (f->options.halved || !find_neighbours(f, at, side)) {
        f->halves++;
        return ZW_OK;
    }
    for (int halved = 1; halved < 1 << f->tones.n && status >= 0 && !*found; halved++) {
        zw_forced *child = NULL;
        bool is_singular = false;
        int n = f->nchild;
        status = make_half(f, side[1]->ncoefficient > side[0]->ncoefficient ? side[1] : side[0],
                           halved, &child, err);
        if (status >= 0)
            status = is_singular_between(f, child, side, &is_singular, err);
        if (status >= 0 && is_singular)
            status = follow_doubling(f, child, start, side, found, err);
        if (!*found && f->nchild > n)
            zw_forced_destroy(f->child[--f->nchild]);
    }
    f->halves += !*found;
    return status < 0 ? status : ZW_OK;
}

static zw_status switch_some(zw_forced *f, int *left, zw_error *err) {
    for (int i = 0; i<f->nmotion && * left> 0 && !f->stopped; i++) {
        bool found = false;
        if (f->motion[i].curve < 0 || f->motion[i].march)
            continue;
        if (f->motion[i].event == ZW_BIFURCATION_BRANCH && !is_other_known(f, i) &&
            !(f->doubled && doubled_part(f, &f->motion[i]) < HALF_PERIOD))
            ZW_TRY(leave_branch(f, i, &found, err));
        else if (f->motion[i].event == ZW_BIFURCATION_FLIP && zw_forced_has_tones(f) &&
                 !is_doubled(f, i))
            ZW_TRY(leave_tones(f, i, &found, err));
        else if (f->motion[i].event == ZW_BIFURCATION_FLIP && !is_doubled(f, i))
            ZW_TRY(leave_doubling(f, i, &found, err));
        *left -= found;
    }
    for (int i = 0; i<f->nchild && * left> 0; i++)
        ZW_TRY(switch_some(f->child[i], left, err));
    return ZW_OK;
}

zw_status zw_forced_switch(zw_forced *f, int most, zw_error *err) {
    if (!f->has_over || f->options.free)
        return zw_fail(err, ZW_E_OPTION, "other curves leave a curve over a parameter");
    return f->event_orbits ? zw_forced_kinks_switch(f, most, err) : switch_some(f, &most, err);
}

int zw_forced_children(const zw_forced *f) {
    return f->nchild;
}

zw_forced *zw_forced_child(const zw_forced *f, int i) {
    return f->child[i];
}
