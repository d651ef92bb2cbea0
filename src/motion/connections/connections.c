/* SPDX-License-Identifier: MIT */
/* Finds the connecting orbits of a system over a parameter: the equilibria, motions from them at
 * points of the range, bisection where the side changes on which they pass, and the boundary value
 * problem from there.
 *
 * A change of side is a connection if the passage comes closer as the bracket narrows: for a saddle
 * with eigenvalues -m and l the distance falls with the power m/(l + m) of the width. Where it does
 * not fall, the motion has jumped from one passage to another, and nothing is found. */
#include "connections.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "motion/jumps.h"
#include "motion/segments/periodic.h"

enum { HALVINGS = 60, ROWS = 401, WALK = 200 };

/* Distances of a passage, relative to the largest distance of the motion. After bisection to the
 * round-off of the parameter a passage is nearer than PASSAGE_NEAR at a connection; below
 * PASSAGE_ACCEPTED it is one, also without a solution of the boundary value problem. */
#define PASSAGE_NEAR 1e-2
#define PASSAGE_ACCEPTED 1e-3
/* If the eigenvalues predict a slow fall of the distance: it must be predicted to fall below
 * FALL_MIN of the first distance, and be less than FALL_FACTOR times what they predict. */
#define FALL_MIN 0.3
#define FALL_FACTOR 3
#define BRACKET_EPS 4 /* eps: width relative to the value at which bisection ends */
/* Largest distance of passages if a connection exists at all values: round-off of the splitting,
 * amplified along the motion. With one change of side a smaller limit, the square root of
 * round-off, since a zero of the splitting in a very narrow range may be a true one. */
#define ALWAYS_CONNECTED 1e-5
#define ALWAYS_CONNECTED_ONE 3e-7
#define VALUE_ROUNDOFF 4e-15 /* relative to a value: 18 eps, its least error */
/* Relative to the range: least error of bisection, by the tolerances of the motions. */
#define BISECTION_ERROR 1e-8
/* Relative to the eigenvalues: a saddle quantity that is zero. */
#define SADDLE_QUANTITY_ZERO ZW_ROUNDOFF_SOLVED
/* Relative to the range: a solution of the boundary value problem with a larger error, or farther
 * from the bracket, is another connection or none; two connections nearer than SAME_CONNECTION are
 * one. */
#define SOLUTION_NEAR 1e-4
#define SAME_CONNECTION 1e-7
/* Times the passages of the bracket, and at least BOTH_MIN: the passage on the other side connects
 * at the same value. */
#define BOTH_FACTOR 10
#define BOTH_MIN 1e-6
/* Relative to the range: the unit of the parameter in the arclength, in which orbits have size 1. A
 * branch then crosses the range in some tens of steps. */
#define VALUE_UNIT 0.1

void zw_connections_options_init(zw_connections_options *options, size_t size) {
    const zw_connections_options all = {
        .size = size, .points = 41, .curve_points = 400, .tolerance = 1e-9, .intervals_max = 600};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status set_parameters(void *user, const double value[2], double *p, zw_error *err) {
    zw_connections *s = user;
    memcpy(p, s->p, sizeof(double) * (size_t)s->sys->np);
    p[s->over[0].parameter] = value[0];
    if (s->has_second)
        p[s->over[1].parameter] = value[1];
    return zw_system_param_follow(s->sys, s->given, p, err);
}

static zw_status read_over(zw_connections *s, int which, const char *option, const char *text,
                           zw_error *err) {
    zw_parameter_range *o = &s->over[which];
    ZW_TRY(zw_parameter_range_read(o, s->sys, text, err));
    if (o->parameter < 0)
        return zw_fail(err, ZW_E_OPTION, "%s %s: connecting orbits are sought over a parameter",
                       option, o->name);
    if (!(o->from != o->to))
        return zw_fail(err, ZW_E_OPTION, "%s %s: the range has no length", option, o->name);
    s->given[o->parameter] = true;
    return ZW_OK;
}

static zw_status read_ranges(zw_connections *s, zw_error *err) {
    if (!s->options.over) {
        zw_fail(err, ZW_E_OPTION, "connecting orbits exist at single values: of which parameter?");
        zw_error_hint(err, "--over rho=10:20");
        return ZW_E_OPTION;
    }
    ZW_TRY(read_over(s, 0, "--over", s->options.over, err));
    if (!s->options.marks)
        return ZW_OK;
    ZW_TRY(read_over(s, 1, "--marks", s->options.marks, err));
    if (s->over[0].parameter == s->over[1].parameter)
        return zw_fail(err, ZW_E_OPTION, "--marks %s: it is the parameter of --over already",
                       s->over[1].name);
    s->has_second = true;
    return ZW_OK;
}

static zw_status check_supported(const zw_connections *s, zw_error *err) {
    ZW_TRY(zw_refuse_rough(s->e, "connecting orbits", 1 + s->has_second, s->over, err));
    if (!s->e->symmetries.autonomous) {
        zw_fail(err, ZW_E_OPTION, "something moves as a given function of time");
        zw_error_hint(
            err, "the model is driven; connecting orbits are computed for autonomous models only");
        return ZW_E_OPTION;
    }
    if (s->motion.nhold || s->motion.nsolve)
        return zw_fail(err, ZW_E_OPTION, "nothing can be held or solved for along a connection");
    return ZW_OK;
}

/* fails unless as many directions leave one end as the other */
static zw_status reject_dimensions(const zw_connections *s, zw_error *err) {
    zw_saddle a = zw_connection_saddle(s->c, 0), b = zw_connection_saddle(s->c, 1);
    if (a.unstable == 0 || b.stable == 0) {
        zw_fail(err, ZW_E_DOMAIN, "%s: it is not a saddle",
                a.unstable == 0 ? "the equilibrium where the orbit begins has no unstable direction"
                                : "the equilibrium where the orbit ends has no stable direction");
        zw_error_hint(
            err,
            "find others with zwang equilibria --search, and choose one with --steady or --at");
        return ZW_E_DOMAIN;
    }
    if (a.unstable < b.unstable || (s->has_other && a.unstable > b.unstable)) {
        int more = b.unstable - a.unstable;
        zw_fail(err, ZW_E_DOMAIN,
                "%d direction%s leave%s the first equilibrium and %d the second: %s", a.unstable,
                a.unstable == 1 ? "" : "s", a.unstable == 1 ? "s" : "", b.unstable,
                more > 0 ? "connections need more than one parameter"
                         : "connections exist at all parameter values, or at none");
        return ZW_E_DOMAIN;
    }
    if (a.unstable == 1 || b.stable == 1)
        return ZW_OK;
    zw_fail(err, ZW_E_DOMAIN,
            "the unstable manifold has dimension %d, the stable one %d: one of them must have "
            "dimension 1",
            a.unstable, b.stable);
    return ZW_E_DOMAIN;
}

static zw_status make_connection(zw_connections *s, zw_connection **out, double turn,
                                 zw_error *err) {
    zw_connection_options o = zw_connection_options_default();
    double *turned = ZW_NEW(&s->arena, double, s->nx + 1);
    if (!turned)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nx; i++)
        turned[i] = turn * s->turn[i];
    o.turn = turned;
    o.other = s->has_other ? s->other : NULL;
    o.time = s->options.time;
    o.tolerance = s->options.tolerance;
    o.intervals_max = s->options.intervals_max;
    o.way = s->way;
    for (int w = 0; w < 1 + s->has_second; w++)
        o.unit[w] = VALUE_UNIT * fabs(s->over[w].to - s->over[w].from);
    return zw_connection_create(out, s->e->flow, &s->e->symmetries, s->e->scale, s->e->motion.x,
                                s->begin, &o, set_parameters, s, err);
}

static zw_status build_connections(zw_connections *s, zw_error *err) {
    const zw_system *y = s->sys;
    const zw_connections_options *o = &s->options;
    if (o->points < 2 || o->curve_points < 1 || o->side < -1 || o->side > 1 || !(o->time >= 0))
        return zw_fail(err, ZW_E_OPTION,
                       "a range has two points at least, a side is 1, -1 or 0 for both");
    s->p = ZW_NEW(&s->arena, double, y->np + 1);
    s->given = ZW_NEW(&s->arena, bool, y->np + 1);
    s->at = ZW_NEW(&s->arena, double, o->points + 1);
    s->has_saddle = ZW_NEW(&s->arena, bool, o->points + 1);
    for (int k = 0; k < 2; k++)
        s->scan[k] = ZW_NEW(&s->arena, zw_splitting, o->points + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(y, s->p, err));
    ZW_TRY(read_ranges(s, err));
    ZW_TRY(zw_equilibria_create(&s->e, y, &s->motion, err));
    ZW_TRY(check_supported(s, err));
    ZW_TRY(zw_equilibria_find(s->e, err));
    s->nx = s->e->kernel->nx;
    s->begin[0] = s->p[s->over[0].parameter];
    s->begin[1] = s->has_second ? s->p[s->over[1].parameter] : 0;
    ZW_TRY(zw_connections_read_ends(s, err));
    ZW_TRY(make_connection(s, &s->c, 1, err));
    if (s->has_turn)
        ZW_TRY(make_connection(s, &s->mirror, -1, err));
    return reject_dimensions(s, err);
}

zw_status zw_connections_create(zw_connections **out, const zw_system *sys,
                                const zw_connections_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_connections *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_connections){.sys = sys,
                          .options = zw_connections_options_default(),
                          .motion = zw_equilibria_options_default(),
                          .lost_at = NAN};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status = zw_options_adopt(&s->options, sizeof s->options, options, "zw_connections_options",
                                  err);
    if (status >= 0 && s->options.motion)
        status = zw_options_adopt(&s->motion, sizeof s->motion, s->options.motion,
                                  "zw_equilibria_options", err);
    if (status >= 0)
        status = build_connections(s, err);
    if (status < 0)
        zw_connections_destroy(s);
    else
        *out = s;
    return status;
}

void zw_connections_destroy(zw_connections *s) {
    if (!s)
        return;
    zw_allocator alloc = s->arena.alloc;
    zw_connection_destroy(s->c);
    zw_connection_destroy(s->mirror);
    zw_diagram_destroy(s->diagram);
    zw_equilibria_destroy(s->e);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* ------------------------------------------------------------------------------------- the scan */

static bool asked_to_stop(zw_connections *s, double done) {
    s->stopped |= s->options.stop && s->options.stop(s->options.stop_user, done);
    return s->stopped;
}

static zw_status shoot_from_saddle(zw_connections *s, zw_connection *c, double a, int side,
                                   zw_splitting *out, zw_error *err) {
    const double value[2] = {a, s->begin[1]};
    ZW_TRY(zw_connection_shoot(c, value, side, out, err));
    if (!zw_kernel_wants_compile(s->e->kernel))
        return ZW_OK;
    ZW_TRY(zw_kernel_serve(s->e->kernel, 0, err));
    return zw_flow_renew(s->e->flow, err);
}

static bool is_recoverable(zw_status status) {
    return status == ZW_E_NUMERIC || status == ZW_E_DOMAIN || status == ZW_E_NONFINITE ||
           status == ZW_E_SINGULAR;
}

static void record_loss(zw_connections *s, double value, const char *why) {
    if (!isnan(s->lost_at))
        return;
    s->lost_at = value;
    snprintf(s->lost, sizeof s->lost, "%.250s", why);
}

zw_status zw_connections_walk(zw_connections *s, zw_connection *c, double to, bool *there,
                              zw_error *err) {
    double from = zw_connection_at(c)[0],
           step = fabs(s->over[0].to - s->over[0].from) / (s->options.points - 1);
    int n = 1 + (int)fmin(fabs(to - from) / step, WALK);
    *there = true;
    for (int k = 1; k <= n && *there; k++) {
        const double value[2] = {k < n ? from + (to - from) * k / n : to, s->begin[1]};
        zw_error trouble = {0};
        zw_status status = zw_connection_move(c, value, &trouble);
        if (is_recoverable(status)) {
            record_loss(s, value[0], trouble.text);
            *there = false;
        } else if (status < 0) {
            return zw_fail(err, status, "%s", trouble.text);
        }
    }
    return ZW_OK;
}

static zw_status scan_point(zw_connections *s, int i, zw_error *err) {
    for (int k = 0; k < 2; k++) {
        int side = k ? -1 : 1;
        zw_error trouble = {0};
        s->scan[k][i] = (zw_splitting){.fate = ZW_CONNECTION_WANDERS};
        if (s->options.side && s->options.side != side)
            continue;
        zw_status status = shoot_from_saddle(s, s->c, s->at[i], side, &s->scan[k][i], &trouble);
        if (is_recoverable(status)) {
            s->has_saddle[i] = false;
            record_loss(s, s->at[i], trouble.text);
            return ZW_OK;
        }
        if (status < 0)
            return zw_fail(err, status, "%s", trouble.text);
    }
    s->has_saddle[i] = true;
    return ZW_OK;
}

static zw_status scan_range(zw_connections *s, zw_error *err) {
    int n = s->options.points, nearest = 0, done = 0;
    for (int i = 0; i < n; i++) {
        s->at[i] = s->over[0].from + (s->over[0].to - s->over[0].from) * i / (n - 1);
        if (fabs(s->at[i] - s->begin[0]) < fabs(s->at[nearest] - s->begin[0]))
            nearest = i;
    }
    for (int direction = 1; direction >= -1; direction -= 2) {
        bool there;
        ZW_TRY(zw_connections_walk(s, s->c, direction > 0 ? s->begin[0] : s->at[nearest], &there,
                                   err));
        for (int i = nearest + (direction < 0 ? -1 : 0); i >= 0 && i < n && there; i += direction) {
            if (asked_to_stop(s, 0.7 * done++ / n))
                return ZW_OK;
            ZW_TRY(zw_connections_walk(s, s->c, s->at[i], &there, err));
            if (there)
                ZW_TRY(scan_point(s, i, err));
            there &= s->has_saddle[i];
        }
    }
    return ZW_OK;
}

zw_status zw_connections_reset(zw_connections *s, double value, zw_error *err) {
    bool there;
    zw_connection_destroy(s->c);
    s->c = NULL;
    ZW_TRY(make_connection(s, &s->c, 1, err));
    ZW_TRY(zw_connections_walk(s, s->c, value, &there, err));
    return there ? ZW_OK
                 : zw_fail(err, ZW_E_NUMERIC,
                           "the equilibrium could not be followed over the parameter");
}

/* ------------------------------------------------------------------------------------ bisection */

typedef struct bracket {
    double a[2];
    zw_splitting at[2];
    int side;
} bracket;

static double distance_ratio(const zw_splitting *p) {
    return p->farthest > 0 ? p->nearest / p->farthest : INFINITY;
}

/* *found is false if the side changes by a jump */
static zw_status bisect_connection(zw_connections *s, bracket *b, bool *found, zw_error *err) {
    zw_saddle end = zw_connection_saddle(s->c, zw_connection_way(s->c) > 0 ? 1 : 0);
    double grows = end.re[end.slow_unstable], decays = -end.re[end.slow_stable],
           power = (zw_connection_way(s->c) > 0 ? decays : grows) / (grows + decays),
           width = fabs(b->a[1] - b->a[0]),
           at_first = fmax(distance_ratio(&b->at[0]), distance_ratio(&b->at[1]));
    *found = false;
    for (int k = 0; k < HALVINGS; k++) {
        double mid = 0.5 * (b->a[0] + b->a[1]), size = fmax(fabs(b->a[0]), fabs(b->a[1]));
        zw_splitting p;
        if (fabs(b->a[1] - b->a[0]) <= BRACKET_EPS * DBL_EPSILON * size || mid == b->a[0] ||
            mid == b->a[1])
            break;
        ZW_TRY(shoot_from_saddle(s, s->c, mid, b->side, &p, err));
        if (p.side == 0)
            return ZW_OK;
        int which = p.side == b->at[0].side ? 0 : 1;
        b->a[which] = mid;
        b->at[which] = p;
    }
    double nearest = fmax(distance_ratio(&b->at[0]), distance_ratio(&b->at[1])),
           due = pow(fabs(b->a[1] - b->a[0]) / width, power);
    *found = nearest < PASSAGE_NEAR || (due < FALL_MIN && nearest < FALL_FACTOR * due * at_first);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- properties */

static void judge_birth(const zw_connections *s, zw_connection_found *f) {
    zw_saddle a = zw_connection_saddle(s->c, 0);
    bool forwards = a.unstable == 1, backwards = a.stable == 1;
    double size = 0;
    f->birth = ZW_BIRTH_UNKNOWN;
    for (int i = 0; i < a.n; i++)
        size = fmax(size, fabs(a.re[a.slow_unstable]) + fabs(a.re[a.slow_stable]));
    if (s->has_other || !(fabs(f->quantity) > SADDLE_QUANTITY_ZERO * size) ||
        (!forwards && !backwards))
        return;
    /* for a saddle with one stable direction, in reversed time */
    double quantity = forwards ? f->quantity : -f->quantity;
    int spiral = forwards ? a.slow_stable : a.slow_unstable;
    if (quantity < 0)
        f->birth = forwards ? ZW_BIRTH_STABLE : ZW_BIRTH_UNSTABLE;
    else
        f->birth = a.im[spiral] != 0 ? ZW_BIRTH_MANY : ZW_BIRTH_UNSTABLE;
    if (f->orbit >= 0) /* the orbits from which it was found are on one side */
        return;
    /* s -> split + A s^v: for v > 1 at the side from which the motion came; in the plane A > 0 */
    int up = f->bisected[1] > f->bisected[0] ? f->side[1] : f->side[0];
    if (forwards &&
        f->way < 0) /* in the plane: the unstable branch is inside of the stable one, or outside */
        up = -up;
    if (quantity < 0)
        f->born = up > 0 ? 1 : -1;
    else if (a.n == 2)
        f->born = up > 0 ? -1 : 1;
}

/* does the motion to the other side connect as well? With turns: to the image in the opposite
 * sense. */
static zw_status check_partner(zw_connections *s, zw_connection_found *f, zw_error *err) {
    zw_connection *c = s->mirror ? s->mirror : s->c;
    zw_splitting p;
    zw_error trouble = {0};
    bool there = true;
    if (s->has_other)
        return ZW_OK;
    if (s->mirror)
        ZW_TRY(zw_connections_walk(s, c, f->value, &there, err));
    if (!there)
        return ZW_OK;
    zw_status status = shoot_from_saddle(s, c, f->bisected[0], -f->launch, &p, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    f->both = status >= 0 && p.side != 0 &&
              distance_ratio(&p) < BOTH_FACTOR * fmax(f->nearest[0], fmax(f->nearest[1], BOTH_MIN));
    return ZW_OK;
}

static zw_status store_motion(zw_connections *s, zw_connection_found *f, zw_error *err) {
    int nx = s->nx;
    double *t = ZW_NEW(&s->arena, double, ROWS + 1),
           *x = ZW_NEW(&s->arena, double, (size_t)ROWS *(size_t)nx + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < ROWS; i++) {
        double tau = (double)i / (ROWS - 1);
        t[i] = tau * f->info.time;
        zw_connection_state(s->c, tau, x + (size_t)(i * nx));
    }
    f->rows = ROWS;
    f->t = t;
    f->x = x;
    return ZW_OK;
}

static zw_status store_ends(zw_connections *s, zw_connection_found *f, zw_error *err) {
    zw_saddle a = zw_connection_saddle(s->c, 0);
    double *re = ZW_NEW(&s->arena, double, 2 * a.n + 1),
           *im = ZW_NEW(&s->arena, double, 2 * a.n + 1),
           *x = ZW_NEW(&s->arena, double, 2 * s->nx + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int e = 0; e < 2; e++) {
        zw_saddle end = zw_connection_saddle(s->c, e);
        memcpy(re + (size_t)(e * a.n), end.re, sizeof(double) * (size_t)a.n);
        memcpy(im + (size_t)(e * a.n), end.im, sizeof(double) * (size_t)a.n);
        memcpy(x + (size_t)(e * s->nx), end.x, sizeof(double) * (size_t)s->nx);
        f->saddle[e] = x + (size_t)(e * s->nx);
    }
    f->n = a.n;
    f->re = re;
    f->im = im;
    f->unstable = a.unstable;
    f->stable = a.stable;
    f->quantity = s->has_other ? NAN : a.quantity;
    return ZW_OK;
}

/* counts a change of side without a connection */
static void count_jump(zw_connections *s, const bracket *b) {
    if (s->jumps++ > 0)
        return;
    s->jump_at = b->a[0];
    s->jump_nearest = fmax(distance_ratio(&b->at[0]), distance_ratio(&b->at[1]));
}

double zw_connections_error(double value, const zw_connection_info *info) {
    if (isnan(info->by_ends + info->by_mesh))
        return INFINITY;
    return fmax(fmax(info->by_ends, info->by_mesh), VALUE_ROUNDOFF * fabs(value));
}

zw_status zw_connections_add(zw_connections *s, zw_connection_found *f, zw_error *err) {
    if (f->solved)
        ZW_TRY(store_motion(s, f, err));
    const double here[2] = {f->value, s->begin[1]};
    ZW_TRY(zw_connection_move(s->c, here, err));
    ZW_TRY(store_ends(s, f, err));
    judge_birth(s, f);
    if (f->orbit < 0)
        ZW_TRY(check_partner(s, f, err));
    if (!zw_arena_grow(&s->arena, (void **)&s->found, s->nfound, &s->capacity, sizeof *s->found))
        return zw_out_of_memory(err, NULL);
    s->found[s->nfound++] = *f;
    return ZW_OK;
}

static zw_status add_connection(zw_connections *s, const bracket *b, zw_error *err) {
    zw_connection_found f = {.launch = b->side,
                             .way = zw_connection_way(s->c),
                             .orbit = -1,
                             .info = {.by_ends = NAN, .by_mesh = NAN}};
    double range = fabs(s->over[0].to - s->over[0].from);
    zw_error trouble = {0};
    for (int k = 0; k < 2; k++) {
        f.bisected[k] = b->a[k];
        f.side[k] = b->at[k].side;
        f.nearest[k] = distance_ratio(&b->at[k]);
    }
    f.value = 0.5 * (b->a[0] + b->a[1]);
    for (int i = 0; i < s->nfound; i++) /* the other side of the same connection */
        if (fabs(s->found[i].value - f.value) < SAME_CONNECTION * range) {
            bool other = s->found[i].way == f.way && s->found[i].launch != b->side;
            if (!other && s->found[i].way == f.way)
                continue;
            s->found[i].both |= other; /* the same one, found in reversed time */
            return ZW_OK;
        }
    double value[2] = {b->a[0], s->begin[1]};
    zw_status status = zw_connection_solve(s->c, value, b->side, &f.info, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    f.uncertain = status >= 0 ? zw_connections_error(value[0], &f.info) : (double)INFINITY;
    f.solved =
        f.uncertain <= SOLUTION_NEAR * range && fabs(value[0] - f.value) < SOLUTION_NEAR * range;
    if (!f.solved && !(fmax(f.nearest[0], f.nearest[1]) < PASSAGE_ACCEPTED)) {
        count_jump(s, b);
        return ZW_OK;
    }
    if (f.solved) {
        f.value = value[0];
    } else {
        f.uncertain = fmax(fabs(b->a[1] - b->a[0]), BISECTION_ERROR * range);
        snprintf(f.why, sizeof f.why, "%.250s",
                 status < 0 ? trouble.text
                 : isinf(zw_connections_error(value[0], &f.info))
                     ? "the boundary value problem has no solution with ends twice as far away"
                     : "the boundary value problem converges to another solution");
    }
    return zw_connections_add(s, &f, err);
}

/* ----------------------------------------------------------------------------------------- find */

static const char *fate_words(zw_connection_fate fate) {
    switch (fate) {
    case ZW_CONNECTION_PASSES:
        return "passes";
    case ZW_CONNECTION_LEAVES:
        return "leaves without bound";
    case ZW_CONNECTION_RESTS:
        return "comes to rest elsewhere";
    case ZW_CONNECTION_WANDERS:
        return "does not come near the end";
    }
    return "";
}

/* the error if nothing was found: what the motions do instead */
static zw_status nothing_found(const zw_connections *s, zw_error *err) {
    char text[200] = "";
    size_t used = 0;
    for (int k = 0; k < 2; k++) {
        int count[4] = {0}, sides[2] = {0}, all = 0;
        if (s->options.side && s->options.side != (k ? -1 : 1))
            continue;
        for (int i = 0; i < s->options.points; i++)
            if (s->has_saddle[i]) {
                const zw_splitting *p = &s->scan[k][i];
                all++;
                count[p->fate]++;
                sides[0] += p->fate == ZW_CONNECTION_PASSES && p->side > 0;
                sides[1] += p->fate == ZW_CONNECTION_PASSES && p->side < 0;
            }
        used += (size_t)snprintf(text + used, sizeof text - used, "%sside %+d: ", used ? "; " : "",
                                 k ? -1 : 1);
        if (all == 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "no saddle");
        for (int f = 0, n = 0; f < 4; f++)
            if (count[f] && used < sizeof text - 1) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%d of %d %s",
                                         n++ ? ", " : "", count[f], all, fate_words(f));
                if (f == 0 && used < sizeof text - 1)
                    used += (size_t)snprintf(text + used, sizeof text - used, " (%d +, %d -)",
                                             sides[0], sides[1]);
            }
        used = used < sizeof text ? used : sizeof text - 1;
    }
    zw_fail(err, ZW_E_NUMERIC, "no connection over %s = %.6g to %.6g: %s", s->over[0].name,
            s->over[0].from / s->over[0].factor, s->over[0].to / s->over[0].factor, text);
    if (!isnan(s->lost_at))
        zw_error_hint(err, "the saddle is lost at %.6g: %.150s", s->lost_at / s->over[0].factor,
                      s->lost);
    else if (s->jumps)
        zw_error_hint(err, "the side jumps at %.9g, where the motion passes at %.2g of its way",
                      s->jump_at / s->over[0].factor, s->jump_nearest);
    else
        zw_error_hint(err, "more --points, another --side, --to or --turn, or another range");
    return ZW_E_NUMERIC;
}

/* Does the motion to this side come back to the end at all values, up to round-off? Then the
 * splitting is zero, and the signs of what is computed are those of round-off. If it is not zero,
 * points of a range do not meet its zeros. */
static bool never_splits(const zw_connections *s, int k) {
    int all = 0, passes = 0, changes = 0, side = 0;
    double widest = 0;
    for (int i = 0; i < s->options.points; i++) {
        const zw_splitting *p = &s->scan[k][i];
        if (!s->has_saddle[i])
            continue;
        all++;
        if (p->fate != ZW_CONNECTION_PASSES)
            continue;
        passes++;
        changes += p->side * side < 0;
        side = p->side;
        widest = fmax(widest, distance_ratio(p));
    }
    /* one change of side in a very narrow range may be a true one */
    return passes > 2 && 2 * passes >= all &&
           widest < (changes == 1 ? ALWAYS_CONNECTED_ONE : ALWAYS_CONNECTED);
}

static zw_status reject_all_values(const zw_connections *s, int side, zw_error *err) {
    zw_fail(err, ZW_E_DOMAIN,
            "over %s = %.6g to %.6g the motion to side %+d comes back to its end at every value, "
            "within rounding: connections are there at every value, not at single ones",
            s->over[0].name, s->over[0].from / s->over[0].factor, s->over[0].to / s->over[0].factor,
            side);
    zw_error_hint(err, "the model conserves a quantity or has a symmetry that keeps connections: "
                       "add damping or another term that breaks it, and use its parameter");
    return ZW_E_DOMAIN;
}

/* searches between two values at which the side of the passage differs */
static zw_status search_between(zw_connections *s, bracket *b, zw_error *err) {
    bool found, there;
    ZW_TRY(zw_connections_walk(s, s->c, b->a[0], &there, err));
    ZW_TRY(bisect_connection(s, b, &found, err));
    if (found)
        return add_connection(s, b, err);
    count_jump(s, b);
    return ZW_OK;
}

/* the class of a motion as a number: passes on a side, leaves to a side */
static int kind_of(const zw_splitting *p) {
    return p->fate == ZW_CONNECTION_PASSES   ? p->side
           : p->fate == ZW_CONNECTION_LEAVES ? 10 + p->away
                                             : 20 + (int)p->fate;
}

/* Where the motion leaves to different sides at two neighbouring values, it stays longer and longer
 * near a repelling set in between, and may come back from there within a range far narrower than
 * the distance of the points of the scan. Searches the values that bisection of this change visits
 * for changes of the side of the passage. */
static zw_status search_near(zw_connections *s, bracket b, zw_error *err) {
    enum { MOST = 50 };
    double at[MOST + 2];
    zw_splitting seen[MOST + 2];
    int n = 0;
    bool there;
    ZW_TRY(zw_connections_walk(s, s->c, b.a[0], &there, err));
    for (; n < 2; n++) {
        at[n] = b.a[n];
        seen[n] = b.at[n];
    }
    for (int k = 0; k < MOST; k++) {
        double mid = 0.5 * (b.a[0] + b.a[1]);
        zw_splitting p;
        if (mid == b.a[0] || mid == b.a[1])
            break;
        ZW_TRY(shoot_from_saddle(s, s->c, mid, b.side, &p, err));
        int which = kind_of(&p) == kind_of(&b.at[0]) ? 0 : 1, place = n++;
        b.a[which] = mid;
        b.at[which] = p;
        for (; place > 1 && fabs(at[place - 1] - at[0]) > fabs(mid - at[0]); place--) {
            at[place] = at[place - 1];
            seen[place] = seen[place - 1];
        }
        at[place] = mid;
        seen[place] = p;
    }
    for (int k = 0; k + 1 < n; k++)
        if (seen[k].side * seen[k + 1].side < 0) {
            bracket own = {.a = {at[k], at[k + 1]}, .at = {seen[k], seen[k + 1]}, .side = b.side};
            ZW_TRY(search_between(s, &own, err));
        }
    return ZW_OK;
}

static zw_status search_all(zw_connections *s, bool nearby, zw_error *err) {
    int n = s->options.points;
    for (int k = 0; k < 2; k++) {
        if (never_splits(s, k))
            continue;
        for (int i = 0; i + 1 < n; i++) {
            bracket b = {.a = {s->at[i], s->at[i + 1]},
                         .at = {s->scan[k][i], s->scan[k][i + 1]},
                         .side = k ? -1 : 1};
            int kind[2] = {kind_of(&b.at[0]), kind_of(&b.at[1])};
            if (!s->has_saddle[i] || !s->has_saddle[i + 1] || kind[0] == kind[1])
                continue;
            if (asked_to_stop(s, (nearby ? 0.9 : 0.7) + 0.1 * i / n))
                return ZW_OK;
            if (!nearby && b.at[0].side * b.at[1].side < 0)
                ZW_TRY(search_between(s, &b, err));
            if (nearby && b.at[0].side * b.at[1].side >= 0 && kind[0] < 20 && kind[1] < 20)
                ZW_TRY(search_near(s, b, err));
        }
    }
    return ZW_OK;
}

static zw_status shoot_all(zw_connections *s, zw_error *err) {
    ZW_TRY(scan_range(s, err));
    if (!s->stopped)
        ZW_TRY(search_all(s, false, err));
    if (s->nfound == 0 && !s->stopped)
        ZW_TRY(search_all(s, true, err));
    return ZW_OK;
}

/* Do motions to a side without a known connection go elsewhere? */
static bool is_open(const zw_connections *s) {
    for (int k = 0; k < 2; k++) {
        bool known = s->options.side && s->options.side != (k ? -1 : 1), elsewhere = false;
        for (int i = 0; i < s->nfound; i++)
            known |= s->found[i].both || s->found[i].launch == (k ? -1 : 1);
        for (int i = 0; i < s->options.points; i++)
            elsewhere |= s->has_saddle[i] && s->scan[k][i].fate != ZW_CONNECTION_PASSES;
        if (!known && elsewhere)
            return true;
    }
    return false;
}

zw_status zw_connections_find(zw_connections *s, zw_error *err) {
    bool both = zw_connection_has_both_ways(s->c);
    ZW_TRY(shoot_all(s, err));
    bool never = never_splits(s, 0) || never_splits(s, 1);
    if (both && !never && !s->stopped && (s->nfound == 0 || is_open(s))) {
        s->way = -zw_connection_way(s->c);
        ZW_TRY(zw_connections_reset(s, s->begin[0], err));
        ZW_TRY(shoot_all(s, err));
    }
    for (int k = 0; k < 2 && s->nfound == 0 && !s->stopped; k++)
        if (never_splits(s, k))
            return reject_all_values(s, k ? -1 : 1, err);
    if (s->nfound == 0 && !s->stopped)
        ZW_TRY(zw_connections_from_orbits(s, err));
    return s->nfound || s->stopped ? ZW_OK : nothing_found(s, err);
}

/* -------------------------------------------------------------------------------------- queries */

int zw_connections_count(const zw_connections *s) {
    return s->nfound;
}

const zw_connection_found *zw_connections_at(const zw_connections *s, int i) {
    assert(i >= 0 && i < zw_connections_count(s));
    return &s->found[i];
}

int zw_connections_points(const zw_connections *s) {
    return s->npoint;
}

const zw_connection_point *zw_connections_point(const zw_connections *s, int i) {
    assert(i >= 0 && i < zw_connections_points(s));
    return &s->point[i];
}
