/* SPDX-License-Identifier: MIT */
/* Curves of connecting orbits over a second parameter: continuation in pieces of a few points,
 * between which the mesh is adapted to the orbit. The saddle quantity is a test function: at its
 * zero (a neutral saddle) the stability of the orbits that are born changes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "connections.h"

enum { PIECE = 8 };
/* Relative to the slowest eigenvalue at the first point: at a smaller one the saddle is nearly a
 * fold, and the exponential approach to it is too slow for the interval of time. */
#define EIGENVALUE_FLAT 1e-2
#define STEP_MAX 0.2 /* in arclength: curves are drawn with some ten points at least */
#define STEP_FIRST 0.02

typedef struct curve_state {
    zw_connections *s;
    int of, points;
    bool skip, flat;
    double second, *x, *tangent;
    double slowest; /* eigenvalue at the first point */
    int n;
} curve_state;

static zw_status add_point(curve_state *w, const zw_cont_point *p, zw_error *err) {
    zw_connections *s = w->s;
    if (!zw_arena_grow(&s->arena, (void **)&s->point, s->npoint, &s->point_capacity,
                       sizeof *s->point))
        return zw_out_of_memory(err, NULL);
    s->point[s->npoint++] = (zw_connection_point){.value = zw_connection_value(s->c, p->x),
                                                  .second = p->a,
                                                  .time = zw_connection_time(s->c, p->x),
                                                  .quantity = p->test ? p->test[0] : NAN,
                                                  .neutral = p->what == 0,
                                                  .fold = p->what == ZW_CONT_FOLD,
                                                  .curve = s->ncurve - 1};
    return ZW_OK;
}

static double slowest_rate(const zw_connection *c) {
    double least = INFINITY;
    for (int e = 0; e < 2; e++) {
        zw_saddle a = zw_connection_saddle(c, e);
        for (int i = 0; i < a.n; i++)
            least = fmin(least, fabs(a.re[i]));
    }
    return least;
}

static zw_status accept_point(void *user, const zw_cont_point *p, zw_error *err) {
    curve_state *w = user;
    zw_connections *s = w->s;
    memcpy(w->x, p->x, sizeof(double) * (size_t)w->n);
    memcpy(w->tangent, p->tangent, sizeof(double) * (size_t)(w->n + 1));
    w->second = p->a;
    double now = slowest_rate(s->c);
    w->slowest = w->slowest > 0 ? w->slowest : now;
    w->flat = now < EIGENVALUE_FLAT * w->slowest;
    if (w->flat)
        return ZW_STOPPED;
    if (w->skip) {
        w->skip = false;
        return ZW_OK;
    }
    ZW_TRY(add_point(w, p, err));
    w->points++;
    s->stopped |= s->options.stop && s->options.stop(s->options.stop_user,
                                                     (double)w->points / s->options.curve_points);
    return s->stopped ? ZW_STOPPED : ZW_OK;
}

static zw_status follow_curve(zw_connections *s, zw_connections_curve *curve, int side,
                              zw_error *err) {
    zw_cont_options o = zw_cont_options_default();
    curve_state w = {.s = s, .of = curve->of, .skip = side > 0, .second = s->begin[1]};
    int size = zw_connection_room(s->c);
    double *x = ZW_NEW(&s->arena, double, 4 * (size_t)size + 4);
    bool toward = false;
    if (!x)
        return zw_out_of_memory(err, NULL);
    w.x = x + size;
    w.tangent = w.x + size;
    o.low = fmin(s->over[1].from, s->over[1].to);
    o.high = fmax(s->over[1].from, s->over[1].to);
    o.step_max = STEP_MAX;
    o.step = STEP_FIRST;
    while (w.points < s->options.curve_points) {
        zw_cont_problem p = zw_connection_problem(s->c);
        zw_cont_info info;
        int before = w.points;
        double *way = w.tangent + size;
        w.n = p.n;
        memcpy(x, zw_connection_solution(s->c), sizeof(double) * (size_t)p.n);
        if (toward)
            memcpy(way, w.tangent, sizeof(double) * (size_t)(p.n + 1));
        o.toward = toward ? way : NULL;
        o.points_max = PIECE;
        ZW_TRY(zw_continue(&p, &o, x, w.second, side ? 1 : -1, accept_point, &w, &info,
                           &s->arena.alloc, err));
        curve->end[side] = info.end;
        curve->is_flat[side] = w.flat;
        snprintf(curve->why[side], sizeof curve->why[side], "%s", info.why);
        if (info.end != ZW_CONT_POINTS || w.points == before)
            break;
        o.step = info.step;
        zw_error trouble = {0};
        zw_status status = zw_connection_renew(s->c, w.x, w.second, w.tangent, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0) { /* the orbit has shrunk to a point, or the saddle has vanished */
            curve->end[side] = ZW_CONT_STUCK;
            snprintf(curve->why[side], sizeof curve->why[side], "%.250s", trouble.text);
            break;
        }
        toward = w.skip = true;
    }
    return ZW_OK;
}

static void reverse_points(zw_connections *s, int first, int n) {
    for (int i = 0; i < n / 2; i++) {
        zw_connection_point keep = s->point[first + i];
        s->point[first + i] = s->point[first + n - 1 - i];
        s->point[first + n - 1 - i] = keep;
    }
}

static zw_status follow_one(zw_connections *s, int of, zw_error *err) {
    if (!zw_arena_grow(&s->arena, (void **)&s->curve, s->ncurve, &s->curve_capacity,
                       sizeof *s->curve))
        return zw_out_of_memory(err, NULL);
    zw_connections_curve *curve = &s->curve[s->ncurve++];
    double low = fmin(s->over[1].from, s->over[1].to), high = fmax(s->over[1].from, s->over[1].to);
    *curve = (zw_connections_curve){.of = of, .first = s->npoint};
    for (int side = 0; side < 2 && !s->stopped; side++) {
        const zw_connection_found *f = &s->found[of];
        double value[2] = {f->orbit >= 0 ? f->orbit_value : f->bisected[0], s->begin[1]};
        if (s->begin[1] <= low - ZW_ROUNDOFF_SUM * fabs(low) ||
            s->begin[1] >= high + ZW_ROUNDOFF_SUM * fabs(high))
            return zw_fail(err, ZW_E_OPTION,
                           "the range of %s does not hold its value of the model, %.9g",
                           s->over[1].name, s->begin[1] / s->over[1].factor);
        if (s->begin[1] == (side ? high : low)) {
            curve->end[side] = ZW_CONT_AT_BOUND;
            continue;
        }
        s->way = f->way;
        ZW_TRY(zw_connections_reset(s, value[0], err));
        ZW_TRY(f->orbit >= 0 ? zw_connections_solve_orbit(s, f->orbit, value, NULL, err)
                             : zw_connection_solve(s->c, value, f->launch, NULL, err));
        ZW_TRY(follow_curve(s, curve, side, err));
        if (side == 0)
            reverse_points(s, curve->first, s->npoint - curve->first);
    }
    curve->n = s->npoint - curve->first;
    return ZW_OK;
}

zw_status zw_connections_follow(zw_connections *s, zw_error *err) {
    if (!s->has_second)
        return zw_fail(err, ZW_E_OPTION, "a curve needs a second parameter");
    for (int i = 0; i < s->nfound && !s->stopped; i++)
        if (s->found[i].solved)
            ZW_TRY(follow_one(s, i, err));
    return ZW_OK;
}
