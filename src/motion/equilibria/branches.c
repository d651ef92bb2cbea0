/* SPDX-License-Identifier: MIT */
/* From a system and "NAME=A:B" to the branches of its steady motions: the values that are held, the
 * motion of the start, its curve to both sides, and from branch points the curves that cross it. A
 * curve that another one has already passed is not followed twice: its first point lies on a known
 * curve. */
#include "branches.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/random.h"
#include "base/tolerance.h"

#define SAME_PLACE ZW_SAME_SOLUTION /* of a range and of the sizes of the state: one branch point */
/* factors of symmetries: they come from a null space */
#define SAME_COMBINATION ZW_ROUNDOFF_SOLVED
#define RANGE_UNIT 0.1 /* of a range: the unit of a value in the arclength */
/* Real eigenvalue relative to the largest, at an end of the range: zero, ten times what rounding
 * leaves of a double one. */
#define EIGENVALUE_ZERO 1e-7
enum {
    /* starts near a singular start: at values on both sides of it, then also at other states */
    SINGULAR_TRIES = 6
};
/* on what counts as the same branch, in a second comparison: SAME_MOTION then is 1e-5, the distance
 * of points from a chord */
#define CLOSENESS_FACTOR 0.01
/* on the steps of a curve that is followed again: five times as many points */
#define STEP_SHORTER 0.2
/* of the sizes of the state: distance of other states, as far as typical disturbances */
#define STATE_SHIFT 0.1
/* Of a range: distance of other values from a singular start. No round number, so that it is no
 * special point of a model with round parameters. */
#define VALUE_SHIFT 2.3e-3
#define RATE_ROUNDOFF 1e-15 /* of the fastest rate: 5 eps, an eigenvalue where rates cancel */
#define REAL_PART_ZERO 1e-8 /* of the largest eigenvalue: on the axis; sqrt(eps) */
/* s from a branch point from which a curve is compared with known ones: two thirds of a default
 * step, where the curves are further apart than SAME_MOTION */
#define NEW_DECIDED 0.02

void zw_branches_options_init(zw_branches_options *options, size_t size) {
    const zw_branches_options all = {
        .size = size, .cubic = true, .points_max = 2000, .step_max = 0.03};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------------- both values */

static zw_status set_values(void *user, double a, double b, double *p, double *held,
                            zw_error *err) {
    zw_branches *s = user;
    if (s->has_second)
        s->e->p[s->second.parameter] = s->at_second = b;
    return zw_parameter_range_set(&s->path, a, p, held, err);
}

static bool are_equal(const zw_symmetries *a, const zw_symmetries *b) {
    for (int i = 0; a->n == b->n && i < a->n * a->nfield; i++)
        if (fabs(a->combination[i] - b->combination[i]) > SAME_COMBINATION)
            return false;
    return a->n == b->n;
}

/* The eigenvalue of a linearisation nearest to i omega. */
static int nearest_eigenvalue(const zw_linearisation *a, double omega) {
    int best = 0;
    for (int i = 1; i < a->n; i++)
        if (hypot(a->re[i], a->im[i] - omega) < hypot(a->re[best], a->im[best] - omega))
            best = i;
    return best;
}

/* Cubic terms. They are left out for other symmetries than those of the start, and where there are
 * no linear equations. */
static zw_status find_cubic(zw_branches *s, const zw_steady *at, const zw_symmetries *symmetries,
                            double omega, zw_criticality *out, bool *known, zw_error *err) {
    zw_criticality_options o = zw_criticality_options_default();
    zw_linearisation a;
    zw_error trouble = {0};
    *known = false;
    if (!are_equal(symmetries, &s->e->symmetries))
        return ZW_OK;
    zw_status status = zw_linearise(&a, s->e->flow, symmetries, at, &trouble);
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    o.eigenvalue = nearest_eigenvalue(&a, omega);
    status = zw_criticality_find(out, s->e, at, &a, &o, err);
    *known = status >= 0;
    zw_linearisation_clear(&a);
    return status;
}

static zw_status cubic_term(void *user, const zw_steady *at, const zw_symmetries *symmetries,
                            double omega, double *value, zw_error *err) {
    zw_criticality c;
    bool known;
    *value = NAN;
    ZW_TRY(find_cubic(user, at, symmetries, omega, &c, &known, err));
    if (!known)
        return ZW_OK;
    if (!c.refused)
        *value = c.hopf.a;
    zw_criticality_clear(&c);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

static double *copy_values(zw_branches *s, const double *from, int n) {
    double *out = ZW_NEW(&s->arena, double, n + 1);
    if (out)
        memcpy(out, from, sizeof(double) * (size_t)n);
    return out;
}

/* The fastest entry of the Jacobian of all rates, in sizes of the state, including the rates of
 * motion along a symmetry. */
static double fastest_rate(zw_branches *s, const double *x) {
    const zw_equilibria *e = s->e;
    int nx = e->kernel->nx;
    double most = 0;
    zw_error ignored = {0};
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *J = ZW_NEW(&s->arena, double, nx *nx + 1);
    if (J && zw_flow_jacobian(e->flow, e->options.t, x, J, NULL, &ignored) >= 0)
        for (int i = 0; i < nx * nx; i++)
            most = fmax(most, fabs(J[i]) * e->scale[i % nx] / e->scale[i / nx]);
    zw_arena_release(&s->arena, mark);
    return most;
}

void zw_branches_judge(zw_branches *s, const zw_linearisation *a, const double *x, int zeros,
                       int *growing, bool *stable) {
    double rounding = RATE_ROUNDOFF * fastest_rate(s, x); /* rates that cancel leave this */
    *stable = zw_linearisation_judge(a, true, growing) == ZW_STABLE;
    for (int i = 0; i < a->n; i++)
        if (!zw_equilibria_is_zero(a, i) && fabs(a->re[i]) <= rounding && a->im[i] == 0)
            *growing = -1;
    /* other zeros than those at all points: a special point, or too slow relative to the fastest */
    if (a->nzero > zeros)
        *growing = -1;
}

static zw_status record_warning(zw_branches *s, const char *text, zw_branches_point *out,
                                zw_error *err) {
    if (text[0])
        out->doubt = zw_arena_string(&s->arena, text);
    return zw_arena_status(&s->arena, err);
}

static zw_status find_stability(zw_branches *s, const zw_steady_point *p, zw_branches_point *out,
                                zw_error *err) {
    zw_linearisation a;
    zw_error trouble = {0};
    int zeros, neutral;
    out->growing = -1;
    if (p->kind != ZW_STEADY_POINT && p->kind != ZW_STEADY_END)
        return ZW_OK;
    zw_status status = zw_linearise(&a, s->e->flow, p->symmetries, p->motion, &trouble);
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    zw_steady_curve_always(s->curve, &zeros, &neutral);
    zw_branches_judge(s, &a, p->motion->x, zeros, &out->growing, &out->stable);
    /* the end of the range may be a special point, where eigenvalues do not decide stability
     * nearby */
    double low = fmin(s->over.from, s->over.to), high = fmax(s->over.from, s->over.to), most = 0;
    for (int i = 0; i < a.n; i++)
        most = fmax(most, hypot(a.re[i], a.im[i]));
    for (int i = 0; i < a.n && (p->a == low || p->a == high); i++)
        if (a.im[i] == 0 && fabs(a.re[i]) <= EIGENVALUE_ZERO * most)
            out->growing = -1;
    char text[400];
    zw_equilibria_warning_delays(s->e, zw_flow_parameters(s->e->flow), &a, text, sizeof text);
    zw_linearisation_clear(&a);
    return record_warning(s, text, out, err);
}

/* Warnings about contacts and about the nodes of delays. */
static zw_status check_point(zw_branches *s, const zw_steady_point *p, zw_branches_point *out,
                             zw_error *err) {
    char text[400];
    ZW_TRY(zw_equilibria_warning_contacts(s->e, zw_flow_parameters(s->e->flow), p->motion, text,
                                          sizeof text, err));
    double zero = 0, omega = p->omega;
    const zw_linearisation pair = {.n = omega > 0, .re = &zero, .im = &omega};
    if (!text[0])
        zw_equilibria_warning_delays(s->e, zw_flow_parameters(s->e->flow), &pair, text,
                                     sizeof text);
    return record_warning(s, text, out, err);
}

static zw_status add_point(zw_branches *s, const zw_steady_point *p, zw_error *err) {
    zw_branches_list *l = s->target;
    int nx = s->e->kernel->nx, ns = p->symmetries->n, nc = s->e->eq.nc;
    bool marks = l == &s->mark;
    if (!zw_arena_grow(&s->arena, (void **)&l->point, l->n, &l->capacity, sizeof *l->point))
        return zw_out_of_memory(err, NULL);
    zw_branches_point at = {.kind = p->kind,
                            .value = p->a,
                            .second = s->has_second ? p->b : (double)NAN,
                            .x = copy_values(s, p->motion->x, nx),
                            .rate = copy_values(s, p->motion->c, ns),
                            .lambda = copy_values(s, p->motion->z + s->e->eq.nv, nc),
                            .omega = p->omega,
                            .cubic_term = p->cubic,
                            .curve = l->ncurve,
                            .zeros = p->zeros,
                            .imperfection = p->imperfection};
    if (p->kind != ZW_STEADY_POINT && p->kind != ZW_STEADY_END)
        at.tangent = copy_values(s, p->tangent, nx + ns + (marks ? 2 : 1));
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    at.growing = -1;
    ZW_TRY(check_point(s, p, &at, err));
    if (!marks)
        ZW_TRY(find_stability(s, p, &at, err));
    if (!marks && p->kind == ZW_STEADY_HOPF && s->options.cubic) {
        zw_criticality *c = ZW_NEW(&s->arena, zw_criticality, 1);
        bool known;
        if (!c)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(find_cubic(s, p->motion, p->symmetries, p->omega, c, &known, err));
        at.cubic = known ? c : NULL;
    }
    l->point[l->n++] = at;
    return ZW_OK;
}

/* Discard the points from `first` on, with what they own. */
static void drop_points(zw_branches_list *l, int first) {
    while (l->n > first) {
        const zw_branches_point *p = &l->point[--l->n];
        if (p->cubic)
            zw_criticality_clear((zw_criticality *)p->cubic);
    }
}

zw_status zw_branches_take(void *user, const zw_steady_point *p, zw_error *err) {
    zw_branches *s = user;
    if (s->skip) {
        s->skip = false;
        return ZW_OK;
    }
    if (s->test_new && (s->new_from < 0 || p->s >= NEW_DECIDED)) {
        s->test_new = false;
        s->known = zw_branches_is_known(s, p->motion->x, p->a);
        if (s->known && s->new_from >= 0)
            drop_points(s->target, s->new_from);
        if (s->known)
            return ZW_STOPPED;
    }
    ZW_TRY(add_point(s, p, err));
    const zw_parameter_range *along = s->target == &s->mark ? &s->second : &s->over;
    double done =
        fabs((s->target == &s->mark ? p->b : p->a) - along->from) / fabs(along->to - along->from);
    s->stopped = s->options.stop && s->options.stop(s->options.stop_user, fmin(done, 1));
    return s->stopped ? ZW_STOPPED : ZW_OK;
}

void zw_branches_reverse(zw_branches_list *l, int first) {
    for (int i = first, k = l->n - 1; i < k; i++, k--) {
        zw_branches_point swap = l->point[i];
        l->point[i] = l->point[k];
        l->point[k] = swap;
    }
}

zw_steady_point zw_branches_point_of(const zw_branches *b, const zw_branches_point *p,
                                     zw_steady *motion) {
    *motion = (zw_steady){
        .t = b->e->options.t, .x = (double *)p->x, .c = (double *)p->rate, .scale = b->e->scale};
    return (zw_steady_point){.kind = p->kind,
                             .a = p->value,
                             .b = b->has_second ? p->second : 0,
                             .motion = motion,
                             .symmetries = zw_steady_curve_symmetries(b->curve),
                             .tangent = p->tangent,
                             .omega = p->omega,
                             .cubic = p->cubic_term};
}

/* ------------------------------------------------------------------------------------- branches */

static zw_status open_curve(zw_branches *s, zw_branches_list *l, zw_branches_curve with,
                            zw_error *err) {
    if (!zw_arena_grow(&s->arena, (void **)&l->curve, l->ncurve, &l->curve_capacity,
                       sizeof *l->curve))
        return zw_out_of_memory(err, NULL);
    with.first = l->n;
    l->curve[l->ncurve] = with;
    s->target = l;
    return ZW_OK;
}

/* Remove a curve; the following ones move up. */
static void remove_curve(zw_branches_list *l, int which) {
    int first = l->curve[which].first, n = l->curve[which].n;
    for (int i = first; i < first + n; i++)
        if (l->point[i].cubic)
            zw_criticality_clear((zw_criticality *)l->point[i].cubic);
    for (int i = first + n; i < l->n; i++) {
        l->point[i - n] = l->point[i];
        l->point[i - n].curve--;
    }
    l->n -= n;
    for (int k = which + 1; k < l->ncurve; k++) {
        l->curve[k - 1] = l->curve[k];
        l->curve[k - 1].first -= n;
    }
    l->ncurve--;
}

/* Replace the message about a family that no held value selects from by one with its names. */
static zw_status report_freedom(zw_branches *s, zw_status status, zw_error *err) {
    zw_error better = {0};
    zw_steady_way way;
    if (status != ZW_E_MODEL)
        return status;
    s->over.stop = s->options.stop; /* large systems take long for a message */
    s->over.stop_user = s->options.stop_user;
    zw_status begun = zw_parameter_range_begin(&way, &s->over, s->e, &better);
    s->over.stop = NULL;
    if (begun < 0)
        return status;
    better = (zw_error){0};
    if (zw_parameter_range_refuse_freedom(&way, &better) == ZW_E_MODEL && err)
        *err = better;
    zw_parameter_range_end(&way);
    return status;
}

/* Ends of a new curve that lie on a known one, and the value of the first: the curve changed to the
 * known one where both cross, and the motions beyond are counted twice. */
static int count_overlaps(zw_branches *s, const zw_branches_curve *c, double *value) {
    int n = 0;
    for (int side = 0; side < 2 && c->n > 1; side++) {
        const zw_branches_point *p = &s->branch.point[side ? c->first + c->n - 1 : c->first];
        if (c->end[side].end == ZW_CONT_AT_BOUND && p->growing >= 0 &&
            zw_branches_is_known(s, p->x, p->value) && n++ == 0)
            *value = p->value;
    }
    return n;
}

static void record_overlaps(zw_branches *s, const zw_branches_curve *c) {
    double value;
    int n = count_overlaps(s, c, &value);
    if (n > 0 && s->overlaps == 0)
        s->overlaps_at = value;
    s->overlaps += n;
}

/* Follow both sides of the curve through the motion near x, into the open curve; *is_new stays
 * false if it is known. */
static zw_status follow_sides(zw_branches *s, const double *x, double value, bool first,
                              bool *is_new, zw_error *err) {
    double low = fmin(s->over.from, s->over.to), high = fmax(s->over.from, s->over.to);
    zw_branches_list *l = &s->branch;
    ZW_TRY(open_curve(s, l, (zw_branches_curve){.kind = ZW_STEADY_POINT, .from = -1}, err));
    zw_branches_curve *current = &l->curve[l->ncurve];
    bool any = false;
    for (int side = 0; side < 2 && !s->stopped; side++) {
        if (value == (side ? high : low)) {
            current->end[side] = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            continue;
        }
        s->skip = any;
        s->test_new = first && !any;
        s->known = false;
        zw_status status = zw_steady_curve_follow(s->curve, x, value, s->at_second, side ? 1 : -1,
                                                  zw_branches_take, s, &current->end[side], err);
        s->test_new = s->skip = false;
        if (status < 0 || s->known) {
            drop_points(l, current->first);
            return status < 0 ? status : ZW_OK;
        }
        any = true;
        if (side == 0)
            zw_branches_reverse(l, current->first);
        if (current->end[side].end == ZW_CONT_CLOSED)
            break;
    }
    current->n = l->n - current->first;
    *is_new = true;
    return ZW_OK;
}

/* Replace a curve by its second version, stored right after it, or discard that. */
static void choose_version(zw_branches_list *l, zw_branches_curve first, bool serves) {
    zw_branches_curve *current = &l->curve[l->ncurve];
    for (int side = 0; side < 2 && serves; side++)
        serves = current->end[side].end != ZW_CONT_STUCK || first.end[side].end == ZW_CONT_STUCK;
    if (!serves) {
        drop_points(l, first.first + first.n);
        *current = first;
        return;
    }
    for (int i = first.first; i < first.first + first.n; i++)
        if (l->point[i].cubic)
            zw_criticality_clear((zw_criticality *)l->point[i].cubic);
    memmove(l->point + first.first, l->point + current->first,
            sizeof *l->point * (size_t)current->n);
    l->n -= first.n;
    current->first = first.first;
}

/* Follow a curve, and again with shorter steps if it is inconsistent or changes to a known one.
 * Remaining inconsistencies are reported. */
static zw_status follow_both(zw_branches *s, const double *x, double value, bool *is_new,
                             zw_error *err) {
    zw_branches_list *l = &s->branch;
    bool found = false;
    if (is_new)
        *is_new = false;
    if (s->stopped)
        return ZW_OK;
    ZW_TRY(follow_sides(s, x, value, true, &found, err));
    if (!found)
        return ZW_OK;
    zw_branches_curve first = l->curve[l->ncurve];
    double value_on_known;
    if (!s->stopped &&
        (zw_branches_contradicts(s, &first) || count_overlaps(s, &first, &value_on_known) > 0)) {
        zw_error ignored = {0};
        found = false;
        zw_steady_curve_shorten(s->curve, STEP_SHORTER);
        zw_status status = follow_sides(s, x, value, false, &found, &ignored);
        zw_steady_curve_shorten(s->curve, 1);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        choose_version(l, first, found && !s->stopped);
    }
    zw_branches_curve *current = &l->curve[l->ncurve];
    zw_steady_curve_always(s->curve, &current->zeros, &s->neutral);
    record_overlaps(s, current);
    l->ncurve++;
    if (is_new)
        *is_new = true;
    return ZW_OK;
}

/* Has it a first point only? */
static bool is_stuck(const zw_branches_curve *c) {
    return c->n <= 1 && (c->end[0].end == ZW_CONT_STUCK || c->end[1].end == ZW_CONT_STUCK);
}

/* The number of eigenvalues on the axis, up to rounding, at the motion near x (nx) at a value; -1
 * if unknown. */
static int count_on_axis(zw_branches *s, const double *x, double value) {
    zw_linearisation a;
    zw_error ignored = {0};
    double most = 0, *y = copy_values(s, x, s->e->kernel->nx);
    int n = 0;
    if (!y || zw_branches_linearise(s, value, y, &a, &ignored) < 0)
        return -1;
    for (int i = 0; i < a.n; i++)
        most = fmax(most, hypot(a.re[i], a.im[i]));
    for (int i = 0; i < a.n; i++)
        n += fabs(a.re[i]) <= REAL_PART_ZERO * most;
    zw_linearisation_clear(&a);
    return n;
}

/* A start at a Hopf point or another special point is moved slightly, to where fewer eigenvalues
 * lie on the axis: at the start itself no sign would change. */
static double avoid_special_points(zw_branches *s, const double *x, double value) {
    double range = fabs(s->over.to - s->over.from), low = fmin(s->over.from, s->over.to);
    int here = count_on_axis(s, x, value);
    for (int side = -1; side <= 1 && here > 0; side += 2) {
        double other = value + side * VALUE_SHIFT * range;
        int there = other < low || other > low + range ? -1 : count_on_axis(s, x, other);
        if (there >= 0 && there < here)
            return other;
    }
    return value;
}

/* Follow the curve from the motion near x at another value, to replace one that failed or got
 * stuck; *serves: it is better. */
static zw_status try_replacement(zw_branches *s, const double *x, double value, bool stuck,
                                 bool *found, bool *serves, zw_error *err) {
    double low = fmin(s->over.from, s->over.to), high = fmax(s->over.from, s->over.to);
    zw_branches_list *l = &s->branch;
    zw_error ignored = {0};
    bool again = false;
    *serves = false;
    if (value < low || value > high || s->stopped)
        return ZW_OK;
    zw_status next = follow_both(s, x, value, &again, &ignored);
    if (next == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (next < 0)
        return ZW_OK;
    *serves = !again || !is_stuck(&l->curve[l->ncurve - 1]);
    if (!*serves)
        remove_curve(l, l->ncurve - 1);
    else if (stuck) /* replaces it */
        remove_curve(l, l->ncurve - (again ? 2 : 1));
    if (*serves)
        *found = again;
    return ZW_OK;
}

/* A start may lie where branches cross, or turn, or seem to form a family: it is then followed from
 * a point close to it. Where the state itself is singular, as x = 0 of x' = a - x^2, nearby states
 * are tried as well. */
zw_status zw_branches_follow_from(zw_branches *s, const double *x, double value, bool *is_new,
                                  zw_error *err) {
    double range = fabs(s->over.to - s->over.from), *y = copy_values(s, x, s->e->kernel->nx);
    zw_branches_list *l = &s->branch;
    zw_error trouble = {0};
    zw_random random = zw_random_stream(23, 0);
    bool found = false, serves = false;
    if (!y)
        return zw_out_of_memory(err, NULL);
    value = avoid_special_points(s, x, value);
    zw_status status = follow_both(s, x, value, &found, &trouble);
    bool stuck = status >= 0 && found && is_stuck(&l->curve[l->ncurve - 1]),
         failed = status == ZW_E_MODEL || status == ZW_E_NUMERIC;
    for (int k = 0; k < SINGULAR_TRIES && (stuck || failed) && !serves; k++) {
        for (int i = 0; k > 1 && i < s->e->kernel->nx; i++)
            y[i] = x[i] + STATE_SHIFT * s->e->scale[i] * zw_random_real(&random, -1, 1);
        ZW_TRY(try_replacement(s, y, value + (k % 2 ? 1 : -1) * VALUE_SHIFT * range, stuck, &found,
                               &serves, err));
    }
    if (serves)
        status = ZW_OK;
    if (is_new)
        *is_new = found;
    if (status < 0 && err && !err->status)
        *err = trouble;
    return report_freedom(s, status, err);
}

zw_status zw_branches_set_value(zw_branches *s, double value, zw_error *err) {
    zw_equilibria *e = s->e;
    double *p = ZW_NEW(&s->arena, double, s->sys->np + 1),
           *held = ZW_NEW(&s->arena, double, e->options.nhold + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(p, zw_flow_parameters(e->flow), sizeof(double) * (size_t)s->sys->np);
    for (int i = 0; i < e->options.nhold; i++)
        held[i] = e->hold[i].value;
    ZW_TRY(set_values(s, value, s->at_second, p, held, err));
    for (int i = 0; i < e->options.nhold; i++)
        e->hold[i].value = held[i];
    return zw_flow_set_parameters(e->flow, p, err);
}

zw_status zw_branches_linearise(zw_branches *s, double value, double *x, zw_linearisation *out,
                                zw_error *err) {
    const zw_equilibria *e = s->e;
    const zw_symmetries *symmetries = zw_steady_curve_symmetries(s->curve);
    zw_steady at = {.t = e->options.t,
                    .x = x,
                    .c = ZW_NEW(&s->arena, double, symmetries->n + 1),
                    .z = ZW_NEW(&s->arena, double, e->kernel->nz + 1),
                    .scale = e->scale};
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_branches_set_value(s, value, err));
    ZW_TRY(zw_steady_find(&at, e->flow, symmetries, e->scale, e->options.nhold, e->hold, err));
    return zw_linearise(out, e->flow, symmetries, &at, err);
}

/* Apparent neighbours at a value belong to a branch point if there are none at a nearby value. */
static bool has_neighbours(zw_branches *s, const double *x, double value) {
    double range = fabs(s->over.to - s->over.from), low = fmin(s->over.from, s->over.to);
    for (int side = -1; side <= 1; side += 2) {
        double other = value + side * VALUE_SHIFT * range, *y = copy_values(s, x, s->e->kernel->nx);
        zw_linearisation a;
        zw_error ignored = {0};
        if (other < low || other > low + range || !y ||
            zw_branches_linearise(s, other, y, &a, &ignored) < 0)
            continue;
        bool alone = a.nfamily == 0;
        zw_linearisation_clear(&a);
        if (alone)
            return false;
    }
    return true;
}

zw_status zw_branches_search(zw_branches *s, double value,
                             const zw_equilibria_search_options *options, int *found, int *families,
                             zw_error *err) {
    int nx = s->e->kernel->nx, n, count = 0, more = 0;
    ZW_TRY(zw_branches_set_value(s, value, err));
    zw_error trouble = {0};
    zw_status status = zw_equilibria_search(s->e, options, &trouble);
    if (status == ZW_E_NUMERIC)
        status = ZW_OK; /* no motion was found */
    if (status < 0) {
        if (err && !err->status)
            *err = trouble;
        return status;
    }
    n = s->e->search.n;
    double *x = ZW_NEW(&s->arena, double, n *nx + 1); /* the next search overwrites the results */
    bool *displaced = ZW_NEW(&s->arena, bool, n + 1);
    if (!x || !displaced)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++) {
        const zw_search_entry *at = &s->e->search.entry[i];
        bool family = at->nfamily > 0 && has_neighbours(s, at->motion.x, value);
        more += family;
        displaced[count] = at->norbit > 0;
        if (!family)
            memcpy(x + (size_t)(count++ * nx), at->motion.x, sizeof(double) * (size_t)nx);
    }
    zw_branches_size_states(s, count, x);
    if (families)
        *families = more;
    *found = 0;
    for (int i = 0; i < count && !s->stopped; i++) {
        bool is_new = false;
        trouble = (zw_error){0};
        if (displaced[i] && s->branch.ncurve > 0) {
            bool known;
            ZW_TRY(zw_branches_set_value(s, value, err));
            ZW_TRY(zw_branches_is_displaced(s, x + (size_t)(i * nx), value, &known, err));
            if (known)
                continue;
        }
        status = zw_branches_follow_from(s, x + (size_t)(i * nx), value, &is_new, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0)
            s->lost_starts++;
        *found += is_new;
    }
    return ZW_OK;
}

zw_status zw_branches_follow(zw_branches *s, zw_error *err) {
    if (!s->has_start)
        return zw_fail(err, ZW_E_NUMERIC, "there is no steady motion near the start");
    return zw_branches_follow_from(s, s->e->motion.x, s->path.begin, NULL, err);
}

/* Are two points the same branch point? */
static bool is_same_place(const zw_branches *s, const zw_branches_point *u,
                          const zw_branches_point *v) {
    double away = fabs(u->value - v->value) / fabs(s->over.to - s->over.from);
    for (int j = 0; j < s->e->kernel->nx; j++)
        away = fmax(away, fabs(u->x[j] - v->x[j]) / s->e->scale[j]);
    return away <= SAME_PLACE;
}

/* Has a branch been switched to from this branch point before? */
static bool was_switched(const zw_branches *s, int i) {
    for (int k = 0; k < i; k++)
        if (s->branch.point[k].kind == ZW_STEADY_BRANCH &&
            is_same_place(s, &s->branch.point[k], &s->branch.point[i]))
            return true;
    return false;
}

/* Follow both halves of the branch that crosses at point i, with the point itself between them,
 * into the open curve. */
static zw_status follow_halves(zw_branches *s, int i, bool *known, zw_error *trouble,
                               zw_error *err) {
    zw_branches_list *l = &s->branch;
    zw_branches_point at = l->point[i];
    zw_steady motion;
    zw_steady_point p = zw_branches_point_of(s, &at, &motion);
    ZW_TRY(open_curve(s, l, (zw_branches_curve){.kind = ZW_STEADY_POINT, .from = i}, err));
    zw_branches_curve *current = &l->curve[l->ncurve];
    *known = false;
    for (int side = 0; side < 2 && !s->stopped; side++) {
        *trouble = (zw_error){0};
        s->test_new = true;
        s->new_from = l->n;
        s->known = false;
        zw_status status = zw_steady_curve_switch(s->curve, &p, side ? 1 : -1, zw_branches_take, s,
                                                  &current->end[side], trouble);
        *known |= s->known;
        s->test_new = false;
        s->new_from = -1;
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0) {
            current->end[side] = (zw_cont_info){.end = ZW_CONT_STUCK};
            snprintf(current->end[side].why, sizeof current->end[side].why, "%.250s",
                     trouble->text);
        }
        if (side == 1)
            continue;
        zw_branches_reverse(l, current->first);
        if (!zw_arena_grow(&s->arena, (void **)&l->point, l->n, &l->capacity, sizeof *l->point))
            return zw_out_of_memory(err, NULL);
        l->point[l->n] = at;
        l->point[l->n++].curve = l->ncurve;
        if (current->end[side].end == ZW_CONT_CLOSED)
            break;
    }
    current->n = l->n - current->first;
    return ZW_OK;
}

/* How often do known branches pass through branch point i? */
static int count_passes(const zw_branches *s, int i) {
    int n = 0;
    for (int k = 0; k < s->branch.n; k++)
        n += s->branch.point[k].kind == ZW_STEADY_BRANCH &&
             is_same_place(s, &s->branch.point[k], &s->branch.point[i]);
    return n;
}

/* Follow the branch that crosses at point i. If both of its halves seem to be known but no other
 * branch passes there, compare more closely: in the sizes of the state, branches may nearly
 * coincide. */
static zw_status switch_at(zw_branches *s, int i, zw_error *err) {
    zw_branches_list *l = &s->branch;
    double value = l->point[i].value;
    zw_error trouble = {0};
    bool known;
    for (s->closeness = 1;; s->closeness *= CLOSENESS_FACTOR) {
        ZW_TRY(follow_halves(s, i, &known, &trouble, err));
        zw_branches_curve *current = &l->curve[l->ncurve];
        if (current->n > 1) {
            int neutral;
            s->closeness = 1;
            zw_steady_curve_always(s->curve, &current->zeros, &neutral);
            record_overlaps(s, current);
            l->ncurve++;
            return ZW_OK;
        }
        drop_points(l, current->first);
        if (trouble.status || s->stopped || s->closeness < 1 || !known || count_passes(s, i) > 1)
            break;
    }
    bool lost = trouble.status || (s->closeness < 1 && known && !s->stopped);
    s->closeness = 1;
    if (lost && s->unswitched++ == 0) {
        s->unswitched_at = value;
        snprintf(s->unswitched_why, sizeof s->unswitched_why, "%.190s",
                 trouble.status ? trouble.text : "it coincides with a known branch");
    }
    return ZW_OK;
}

zw_status zw_branches_switch(zw_branches *s, int most, zw_error *err) {
    for (int i = 0; i < s->branch.n && !s->stopped; i++) {
        if (s->branch.point[i].kind != ZW_STEADY_BRANCH || was_switched(s, i))
            continue;
        if (s->branch.ncurve >= most) {
            s->too_many++;
            continue;
        }
        ZW_TRY(switch_at(s, i, err));
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- create */

static zw_status read_second(zw_branches *s, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(&s->second, s->sys, s->options.second, err));
    if (s->second.parameter < 0 || s->second.parameter == s->over.parameter) {
        zw_fail(err, ZW_E_OPTION, "--marks %s: curves of special points need a second parameter",
                s->second.name);
        zw_error_hint(err, "another one than that of --over");
        return ZW_E_OPTION;
    }
    double own = s->e->p[s->second.parameter], low = fmin(s->second.from, s->second.to),
           high = fmax(s->second.from, s->second.to);
    if (own < low || own > high) {
        zw_fail(err, ZW_E_OPTION,
                "--marks %s: the curves begin at the value of the model, %.9g, which is not in "
                "the range",
                s->second.name, own / s->second.factor);
        zw_error_hint(err, "--set \"%s=...\" changes it", s->second.name);
        return ZW_E_OPTION;
    }
    s->at_second = s->own_second = own;
    s->has_second = true;
    return ZW_OK;
}

/* Periods of the entries; none if they cannot be tested. */
static zw_status find_periods(zw_branches *s, zw_error *err) {
    zw_error ignored = {0};
    int nx = s->e->kernel->nx;
    s->period = ZW_NEW(&s->arena, double, nx + 1);
    if (!s->period)
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_equilibria_periods(s->e, s->period, &ignored);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0)
        memset(s->period, 0, sizeof(double) * (size_t)nx);
    return ZW_OK;
}

static zw_status build_branches(zw_branches *s, zw_error *err) {
    zw_steady_curve_options o = zw_steady_curve_options_default();
    ZW_TRY(zw_parameter_range_read(&s->over, s->sys, s->options.over, err));
    ZW_TRY(zw_parameter_range_hold(&s->over, &s->motion, &s->arena, err));
    ZW_TRY(zw_equilibria_create(&s->e, s->sys, &s->motion, err));
    if (s->options.second)
        ZW_TRY(read_second(s, err));
    zw_error trouble = {0};
    zw_status status = zw_parameter_range_first(&s->path, &s->over, s->e, &trouble);
    s->has_start = status >= 0;
    if (status < 0 && !(status == ZW_E_NUMERIC && s->options.anywhere)) {
        if (err && !err->status)
            *err = trouble;
        return status;
    }
    if (s->has_second)
        s->path.given[s->second.parameter] = true;
    s->width = copy_values(s, s->e->scale, s->e->eq.nq);
    s->found = ZW_NEW(&s->arena, double, s->e->eq.nq + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_periods(s, err));
    zw_branches_size_states(s, 0, NULL);
    o.t = s->e->options.t;
    o.scale = s->e->scale;
    o.nhold = s->e->options.nhold;
    o.hold = s->e->hold;
    o.set = set_values;
    o.cubic = s->options.cubic ? cubic_term : NULL;
    o.user = s;
    o.low = fmin(s->over.from, s->over.to);
    o.high = fmax(s->over.from, s->over.to);
    if (s->has_second) {
        o.b_low = fmin(s->second.from, s->second.to);
        o.b_high = fmax(s->second.from, s->second.to);
    }
    o.points_max = s->options.points_max;
    o.step_max = s->options.step_max / RANGE_UNIT;
    ZW_TRY(zw_steady_curve_create(&s->curve, s->e->flow, s->e->motion.x, s->path.begin,
                                  s->at_second, &o, err));
    s->ns = zw_steady_curve_symmetries(s->curve)->n;
    return ZW_OK;
}

zw_status zw_branches_create(zw_branches **out, const zw_system *sys,
                             const zw_branches_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_branches *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_branches){.closeness = 1,
                       .sys = sys,
                       .new_from = -1,
                       .options = zw_branches_options_default(),
                       .motion = zw_equilibria_options_default()};
    zw_arena_init(&s->arena, &alloc);
    zw_status status =
        zw_options_adopt(&s->options, sizeof s->options, options, "zw_branches_options", err);
    if (status >= 0 && s->options.motion)
        status = zw_options_adopt(&s->motion, sizeof s->motion, s->options.motion,
                                  "zw_equilibria_options", err);
    if (status >= 0)
        status = build_branches(s, err);
    if (status < 0)
        zw_branches_destroy(s);
    else
        *out = s;
    return status;
}

void zw_branches_destroy(zw_branches *s) {
    if (!s)
        return;
    zw_allocator alloc = s->arena.alloc;
    for (int i = 0; i < s->branch.n; i++)
        if (s->branch.point[i].cubic)
            zw_criticality_clear((zw_criticality *)s->branch.point[i].cubic);
    zw_steady_curve_destroy(s->curve);
    if (s->e)
        zw_parameter_range_end(&s->path);
    zw_equilibria_destroy(s->e);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

int zw_branches_points(const zw_branches *b) {
    return b->branch.n;
}

const zw_branches_point *zw_branches_at(const zw_branches *b, int i) {
    assert(i >= 0 && i < zw_branches_points(b));
    return &b->branch.point[i];
}

int zw_branches_count(const zw_branches *b) {
    return b->branch.ncurve;
}

int zw_branches_mark_points(const zw_branches *b) {
    return b->mark.n;
}

const zw_branches_point *zw_branches_mark_at(const zw_branches *b, int i) {
    assert(i >= 0 && i < zw_branches_mark_points(b));
    return &b->mark.point[i];
}

int zw_branches_mark_curves(const zw_branches *b) {
    return b->mark.ncurve;
}

const zw_branches_curve *zw_branches_mark_curve(const zw_branches *b, int i) {
    assert(i >= 0 && i < zw_branches_mark_curves(b));
    return &b->mark.curve[i];
}

zw_equilibria *zw_branches_equilibria(const zw_branches *b) {
    return b->e;
}
