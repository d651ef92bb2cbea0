/* SPDX-License-Identifier: MIT */
/* From one curve to another where they meet (branch_points.h). Where a period doubles it is the
 * balance of twice the order that is looked at, which has all motions of the first one: harmonic h
 * of these is its harmonic 2h, and phi has odd ones.
 *
 * Where the equations are linear in what grows, as in a parametric resonance without a cubic term,
 * the other curve is a family at one value of the parameter: phi times any number is added to the
 * motion. Its points have the parameter but for rounding. That alone is no proof: with a force of
 * the fifth degree the parameter may change by the eighth power of the size, which is rounding up
 * to a hundredth. So the equations are asked: they are linear along the family if x_0 + l (x - x_0)
 * fulfils them for l that make the motion many times as wide as the model. Otherwise the curve is
 * followed until it bends, or has grown to such sizes itself. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/branch_points.h"
#include "motion/harmonic/balance.h"

#define STRAIGHT                                                                                   \
    1e-10          /* of the range: what the parameter changes by in a family at one value of it */
#define GROWN 1e-2 /* of the widths of coordinates, by which it has grown until then */
/* widths of coordinates: the size at which equations that are not linear are seen not to be */
#define FAR 1e3
#define HALVED 1e-4 /* of a motion: what is not of half its period, where it is none */
#define MET 1e-6    /* of the range: two curves meet, each located separately */
#define LINEAR                                                                                     \
    1e-6 /* of what a change of the parameter leaves of the equations, what is left there at most */

typedef struct meeting {
    zw_forced *f;
    int at;           /* the motion */
    int ncoefficient; /* of a function, in the arrays below */
    double value;
    double *tangent; /* n + 1: of the curve that is known */
    double *phi;     /* n + 1 */
    double *x;       /* n */
} meeting;

static zw_status find_phi(meeting *k, zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(k->f->balance);
    double *room = ZW_NEW(&k->f->arena, double, 2 * p.n + 3);
    if (!room)
        return zw_out_of_memory(err, NULL);
    return zw_branch_points_null(&p, k->x, k->value, k->tangent, k->phi, room, err);
}

/* Does the curve leave the plane of the other one? One that only comes back to it, with another
 * number of harmonics, does not. */
static zw_status follow_side(meeting *k, int curve, double sign, zw_cont_info *info,
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
        status = zw_forced_go(f, curve, k->value + zw_branch_points_distance[d] * toward[n], 1,
                              toward, false, info, &trouble);
        if (status == ZW_E_NUMERIC && f->nmotion > before)
            status = ZW_OK; /* it came some way */
    }
    if (status < 0 && status != ZW_E_NUMERIC && err && !err->status)
        *err = trouble;
    return status;
}

static zw_branch_points_place place_of(const zw_forced_motion *m) {
    return (zw_branch_points_place){m->value, m->measure};
}

static bool is_same_place(const zw_forced *f, const zw_forced_motion *a,
                          const zw_forced_motion *b) {
    return zw_branch_points_is_same(f->sys->nq, f->width, fabs(f->over.to - f->over.from),
                                    place_of(a), place_of(b));
}

/* Is coefficient k of a function not one of half the order, or of whole frequencies alone? */
static bool is_own(const zw_forced *f, int k) {
    int h = (k + 1) / 2;
    return zw_forced_has_tones(f) ? zw_forced_tones_is_half(f, f->vector + (size_t)(h * f->tones.n))
                                  : h % 2 != 0;
}

/* Its parts that are not of half the order: 0 of a motion whose period is not doubled. */
static double doubled_part(const zw_forced *f, const zw_forced_motion *m) {
    double own = 0, all = 0;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 1; k < m->ncoefficient; k++) {
            double c = m->x[i * m->ncoefficient + k] / f->scale[i];
            all += c * c;
            own += is_own(f, k) ? c * c : 0;
        }
    return all > 0 ? sqrt(own / all) : 0;
}

/* combinations of whole frequencies among those of halves */
static void embed_tones(const zw_forced *from, const zw_forced_motion *m, const zw_forced *to,
                        double *out) {
    int n = zw_harmonic_coefficients(to->balance), tones = to->tones.n, odd = from->options.odd;
    memset(out, 0, sizeof(double) * (size_t)zw_harmonic_problem(to->balance).n);
    for (int h = 0; h < zw_forced_tones_count(from, m); h++) {
        int k[ZW_TONES_MAX], first = h ? 2 * h - !odd : 0, parts = h || odd ? 2 : 1, at = 0;
        for (int j = 0; j < tones; j++)
            k[j] = from->vector[h * tones + j] * zw_forced_tones_scale(to, j);
        while (at < zw_harmonic_count(to->balance) &&
               memcmp(zw_harmonic_vector(to->balance, at), k, sizeof(int) * (size_t)tones) != 0)
            at++;
        for (int i = 0; i < to->nfunction && at < zw_harmonic_count(to->balance); i++)
            memcpy(out + i * n + (at ? 2 * at - 1 : 0), m->x + i * m->ncoefficient + first,
                   sizeof(double) * (size_t)parts);
    }
}

/* coefficients of a motion, and the frequency of a cycle, as those of one of twice the order */
static void embed_motion(const zw_forced *from, const zw_forced_motion *m, const zw_forced *to,
                         double *out) {
    if (zw_forced_has_tones(to)) {
        embed_tones(from, m, to, out);
        return;
    }
    int n = zw_harmonic_coefficients(to->balance), h = from->options.odd ? 1 : 0, k = 0;
    memset(out, 0, sizeof(double) * (size_t)zw_harmonic_problem(to->balance).n);
    for (; k < m->ncoefficient; h += from->options.odd ? 2 : 1) {
        int first = h ? 4 * h - 1 : 0, parts = h ? 2 : 1; /* of harmonic 2h */
        for (int c = 0; c < parts; c++, k++)
            for (int i = 0; i < to->nfunction && first + c < n; i++)
                out[i * n + first + c] = m->x[i * m->ncoefficient + k];
    }
    if (from->cycles)
        out[to->nfunction * n] = 0.5 * m->x[from->nfunction * m->ncoefficient];
}

static double coefficient_of(const zw_forced_motion *m, int i, int k) {
    return k < m->ncoefficient ? m->x[i * m->ncoefficient + k] : 0;
}

/* the product of b - a and d - c, as the arclength has it */
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

/* does the way from a to b pass c, by a small part of its length? */
static bool is_passing(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b,
                       const zw_forced_motion *c) {
    double step = inner_product(f, a, b, a, b), along = inner_product(f, a, b, a, c) / step,
           off = inner_product(f, a, c, a, c) - along * along * step;
    return step > 0 && along >= 0 && along <= 1 && off <= 0.01 * step;
}

/* the parts that are not of half the order, of two motions: negative if they are on different sides
 * of none */
static double doubled_product(const zw_forced *f, const zw_forced_motion *a,
                              const zw_forced_motion *b) {
    double sum = 0;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 1; k < a->ncoefficient && k < b->ncoefficient; k++)
            if (is_own(f, k))
                sum += a->x[i * a->ncoefficient + k] * b->x[i * b->ncoefficient + k] /
                       (f->scale[i] * f->scale[i]);
    return sum;
}

/* the last motion gives way to the one at which the curve meets another */
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
    zw_forced_add(f, parent->motion[best].value, false, NULL, ZW_BIFURCATION_BRANCH, m.curve, NULL);
}

/* Has the parameter been the same all along the last curve, but for the point where it leaves,
 * which is located less exactly? */
static bool is_straight(const zw_forced *f, const zw_forced_curve *c) {
    double low = INFINITY, high = -INFINITY;
    for (int i = c->first + 1; i < f->nmotion; i++) {
        low = fmin(low, f->motion[i].value);
        high = fmax(high, f->motion[i].value);
    }
    return high - low <= STRAIGHT * fabs(f->over.to - f->over.from);
}

/* how far a motion is from another one, in widths of the coordinates */
static double way_between(const zw_forced *f, const zw_forced_motion *a,
                          const zw_forced_motion *b) {
    double most = 0;
    for (int i = 0; i < f->sys->nq; i++) {
        double sum = 0;
        for (int k = 0; k < a->ncoefficient || k < b->ncoefficient; k++) {
            double c = coefficient_of(b, i, k) - coefficient_of(a, i, k);
            sum += (k ? 0.5 : 1) * c * c;
        }
        most = fmax(most, sqrt(sum) / fmax(f->width[i], 1e-300));
    }
    return most;
}

static double norm_of(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Does the motion that has grown from its start `way` widths far fulfil the equations if it goes on
 * in this direction? What is left of them is compared with what another value of the parameter
 * leaves. */
static bool is_linear(zw_forced *f, const zw_forced_motion *start, const zw_forced_motion *m,
                      double way) {
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    double value = m->value, other = value + 0.01 * (f->over.to - f->over.from);
    if (m->ncoefficient != zw_harmonic_coefficients(f->balance))
        return false;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *x = ZW_NEW(&f->arena, double, p.n + 1), *r = ZW_NEW(&f->arena, double, p.n + 1);
    bool linear = !f->arena.failed;
    for (int k = 0; k < 4 && linear; k++) {
        double times = pow(FAR, k / 3.0) / way;
        zw_forced_copy(f, f->nfunction, start->ncoefficient, start->x, x);
        for (int i = 0; i < p.n; i++)
            x[i] += times * (f->x[i] - x[i]);
        linear = p.residual(p.self, x, value, r, NULL) == ZW_OK;
        double left = norm_of(r, p.n);
        linear = linear && p.residual(p.self, x, other, r, NULL) == ZW_OK &&
                 left <= LINEAR * norm_of(r, p.n);
    }
    zw_arena_release(&f->arena, mark);
    return linear;
}

/* A family at one value of the parameter has no folds, and no motion of it is more stable than its
 * neighbours: a multiplier of all of them is 1. */
static void call_vertical(zw_forced *f, zw_forced_curve *c) {
    c->vertical = true;
    for (int i = c->first + 1; i < f->nmotion; i++) {
        f->motion[i].event = ZW_BIFURCATION_POINT;
        if (f->motion[i].verdict == ZW_FLOQUET_STABLE)
            f->motion[i].verdict = ZW_FLOQUET_UNDECIDED;
    }
}

/* Does the curve end here for us: it meets one that is known, or is the image of the other side? In
 * one that is symmetric the curve turns there, which is no fold, and where the equations are
 * singular the place may be passed without a mark. */
static bool ends_here(zw_forced *f) {
    zw_forced_motion *m = &f->motion[f->nmotion - 1];
    zw_forced_curve *c = &f->curve[m->curve];
    if (f->nmotion - c->first > 2 && is_straight(f, c)) {
        double way = way_between(f, &f->motion[c->first], m);
        if (way < GROWN || (way < FAR && !is_linear(f, &f->motion[c->first], m, way)))
            return false;
        call_vertical(f, c);
        return true;
    }
    if (f->mirror)
        return f->image_met = zw_branch_points_is_mirrored(f->sys->nq, f->width,
                                                           fabs(f->over.to - f->over.from),
                                                           place_of(m), place_of(f->mirror));
    bool mark = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH;
    if (f->doubled && mark && doubled_part(f, m) < HALVED) {
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
            ((mark && is_same_place(f, &f->motion[k], m)) ||
             is_passing(f, before, m, &f->motion[k]))) {
            end_at_branch(f, k);
            return true;
        }
    return false;
}

static zw_status make_meeting(meeting *k, zw_error *err) {
    int n = zw_harmonic_problem(k->f->balance).n;
    k->tangent = ZW_NEW(&k->f->arena, double, n + 2);
    k->phi = ZW_NEW(&k->f->arena, double, n + 2);
    k->x = ZW_NEW(&k->f->arena, double, n + 2);
    k->ncoefficient = zw_harmonic_coefficients(k->f->balance);
    return zw_arena_status(&k->f->arena, err);
}

/* the balance may have more harmonics by now */
static zw_status refit_harmonics(meeting *k, zw_error *err) {
    zw_forced *f = k->f;
    int n = zw_harmonic_problem(f->balance).n,
        old = f->nfunction * k->ncoefficient + zw_harmonic_unfoldings(f->balance);
    double *x = k->x, *phi = k->phi, slope = k->phi[old];
    if (k->ncoefficient == zw_harmonic_coefficients(f->balance))
        return ZW_OK;
    int from = k->ncoefficient;
    ZW_TRY(make_meeting(k, err));
    zw_forced_copy(f, f->nfunction, from, x, k->x);
    zw_forced_copy(f, f->nfunction, from, phi, k->phi);
    k->phi[n] = slope;
    return ZW_OK;
}

/* one side, the point where it leaves with it; *found: is there a curve? */
static zw_status follow_meeting(meeting *k, double sign, bool *found, zw_error *err) {
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
    f->ends = ends_here;
    zw_status status = follow_side(k, curve, sign, &f->curve[curve].info[1], err);
    f->ends = NULL;
    f->curve[curve].n = f->nmotion - first;
    zw_forced_settle_folds(f, curve);
    zw_forced_contrary(f, curve);
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
    bool mark = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH;
    if (!mark || !(doubled_part(f, m) < HALVED))
        return false;
    m->event = ZW_BIFURCATION_END;
    return true;
}

/* the two motions beside one on its curve */
static bool find_sides(const zw_forced *f, int at, const zw_forced_motion *side[2]) {
    int before = at > 0 ? at - 1 : at, behind = at + 1 < f->nmotion ? at + 1 : at;
    if (f->motion[before].curve != f->motion[at].curve)
        before = at;
    if (f->motion[behind].curve != f->motion[at].curve)
        behind = at;
    side[0] = &f->motion[before];
    side[1] = &f->motion[behind];
    return before != behind;
}

/* -------------------------------------------------------------------------------- branch points */

/* Is the other curve known, too? */
static bool is_met(const zw_forced *f, int at) {
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
                                                MET * fabs(f->over.to - f->over.from))
                return true;
    for (int i = 0; i < f->nchild; i++)
        for (int k = 0; k < f->child[i]->nmotion; k++) {
            const zw_forced_motion *m = &f->child[i]->motion[k];
            bool meets = m->event == ZW_BIFURCATION_BRANCH || m->event == ZW_BIFURCATION_FLIP;
            if (meets && doubled_part(f->child[i], m) < HALVED &&
                is_same_place(f, m, &f->motion[at]))
                return true;
        }
    return false;
}

/* Do the odd harmonics alone know of the other curve? Where a symmetry breaks they do not: their
 * equations are singular nowhere between the sides. */
static zw_status is_hidden(zw_forced *f, const zw_forced_motion *const side[2], bool *hidden,
                           zw_error *err) {
    double s[2];
    *hidden = false;
    for (int i = 0; i < 2 && f->options.odd; i++) {
        ZW_TRY(zw_forced_load(f, side[i], err));
        zw_status status = zw_harmonic_singular(f->balance, f->x, side[i]->value, &s[i], err);
        if (status < 0)
            return status;
    }
    *hidden = f->options.odd && s[0] * s[1] > 0;
    return ZW_OK;
}

static zw_status leave_branch(zw_forced *f, int at, bool *found, zw_error *err) {
    meeting k = {.f = f, .at = at, .value = f->motion[at].value};
    const zw_forced_motion *side[2];
    bool hidden;
    *found = false;
    if (!find_sides(f, at, side))
        return ZW_OK;
    ZW_TRY(is_hidden(f, side, &hidden, err));
    f->hidden += hidden;
    if (hidden)
        return ZW_OK;
    ZW_TRY(zw_forced_load(f, &f->motion[at], err));
    zw_forced_scale_by(f, &f->motion[at]);
    ZW_TRY(make_meeting(&k, err));
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    memcpy(k.x, f->x, sizeof(double) * (size_t)p.n);
    zw_forced_copy(f, f->nfunction, side[0]->ncoefficient, side[0]->x, k.phi);
    zw_forced_copy(f, f->nfunction, side[1]->ncoefficient, side[1]->x, k.tangent);
    for (int i = 0; i < p.n; i++)
        k.tangent[i] -= k.phi[i];
    k.tangent[p.n] = side[1]->value - side[0]->value;
    if (!zw_branch_points_normalise(&p, k.tangent))
        return ZW_OK;
    zw_status status = find_phi(&k, err);
    if (status != ZW_OK)
        return status < 0 ? status : ZW_OK;
    ZW_TRY(follow_meeting(&k, 1, found, err));
    zw_forced_motion other = f->motion[f->nmotion - f->curve[f->ncurve - 1].n + 1];
    bool second;
    if (f->stopped || (*found && f->curve[f->ncurve - 1].vertical))
        return ZW_OK; /* its other side is the same family */
    int one = *found ? f->ncurve - 1 : -1;
    f->mirror = *found ? &other : NULL;
    f->image_met = false;
    status = follow_meeting(&k, -1, &second, err);
    f->mirror = NULL;
    if (one >= 0 && f->image_met && !second)
        f->curve[one].imaged = true;
    *found |= second;
    return status;
}

/* ----------------------------------------------------------------------------- period doublings */

zw_status zw_forced_make_child(zw_forced *f, int harmonics, zw_forced **out, zw_error *err) {
    zw_forced_options o = f->options;
    int order = 2 * o.order;
    o.order = f->cycles ? 1 : order; /* of the period of a drive */
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
    return zw_forced_harmonics(*out, harmonics > (*out)->top ? harmonics : (*out)->top, err);
}

/* a study of twice the order in *child, from the motion and its neighbours, where a period
 * doubles; it is the last child */
static zw_status follow_doubling(zw_forced *f, zw_forced *child, const zw_forced_motion *start,
                                 const zw_forced_motion *const side[2], bool *found,
                                 zw_error *err) {
    meeting k = {.f = child, .value = start->value};
    ZW_TRY(make_meeting(&k, err));
    embed_motion(f, start, child, child->x);
    ZW_TRY(zw_forced_add(child, start->value, false, NULL, ZW_BIFURCATION_FLIP, -1, err));
    k.at = child->nmotion - 1;
    zw_forced_scale_by(child, &child->motion[k.at]);
    zw_cont_problem p = zw_harmonic_problem(child->balance);
    memcpy(k.x, child->x, sizeof(double) * (size_t)p.n);
    embed_motion(f, side[0], child, k.phi);
    embed_motion(f, side[1], child, k.tangent);
    for (int i = 0; i < p.n; i++)
        k.tangent[i] -= k.phi[i];
    k.tangent[p.n] = side[1]->value - side[0]->value;
    zw_status status = zw_branch_points_normalise(&p, k.tangent) ? find_phi(&k, err) : ZW_RETRY;
    if (status == ZW_OK)
        status = follow_meeting(&k, 1, found, err);
    return status < 0 ? status : ZW_OK;
}

static zw_status leave_doubling(zw_forced *f, int at, bool *found, zw_error *err) {
    const zw_forced_motion *side[2], *start = &f->motion[at];
    zw_forced *child;
    *found = false;
    if (!find_sides(f, at, side))
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

/* Is the study with half frequencies singular between two motions, which have none of them? */
static zw_status is_singular_between(const zw_forced *f, zw_forced *child,
                                     const zw_forced_motion *const side[2], bool *yes,
                                     zw_error *err) {
    double s[2];
    for (int i = 0; i < 2; i++) {
        embed_motion(f, side[i], child, child->x);
        zw_status status =
            zw_harmonic_singular(child->balance, child->x, side[i]->value, &s[i], err);
        if (status < 0)
            return status;
    }
    *yes = s[0] * s[1] < 0;
    return ZW_OK;
}

/* Half of which sum of the frequencies does a quasi-periodic motion get? The one of which the
 * equations are singular. */
static zw_status leave_tones(zw_forced *f, int at, bool *found, zw_error *err) {
    const zw_forced_motion *side[2], *start = &f->motion[at];
    zw_status status = ZW_OK;
    *found = false;
    if (f->options.halved || !find_sides(f, at, side)) {
        f->halves++;
        return ZW_OK;
    }
    for (int halved = 1; halved < 1 << f->tones.n && status >= 0 && !*found; halved++) {
        zw_forced *child = NULL;
        bool yes = false;
        int n = f->nchild;
        status = make_half(f, side[1]->ncoefficient > side[0]->ncoefficient ? side[1] : side[0],
                           halved, &child, err);
        if (status >= 0)
            status = is_singular_between(f, child, side, &yes, err);
        if (status >= 0 && yes)
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
        if (f->motion[i].event == ZW_BIFURCATION_BRANCH && !is_met(f, i) &&
            !(f->doubled && doubled_part(f, &f->motion[i]) < HALVED))
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
    return f->through ? zw_forced_kinks_switch(f, most, err) : switch_some(f, &most, err);
}

int zw_forced_children(const zw_forced *f) {
    return f->nchild;
}

zw_forced *zw_forced_child(const zw_forced *f, int i) {
    assert(i >= 0 && i < zw_forced_children(f));
    return f->child[i];
}
