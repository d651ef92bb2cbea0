/* SPDX-License-Identifier: MIT */
/* Motions of f0 as functions of time.
 *
 * A separatrix leaves along the series of the unstable manifold of its saddle, continues by
 * power series from step to step, and ends on the series of the stable manifold of the saddle
 * that it reaches: parameter theta there, for which both agree in the direction of the manifold.
 * The difference across it, relative to the distance to the saddle, is reported as `closing`.
 * That a motion comes near a saddle is recognised by its speed, which falls below half of the
 * largest one; the saddle is the limit of Newton's method from there.
 *
 * A closed level curve begins on the ray from its centre along a coordinate and ends where it meets
 * the ray again. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "melnikov.h"

enum {
    SAMPLES = 600, /* of a separatrix between which a rate may change its sign */
    HALVINGS = 80  /* bisections: to the last digits */
};
/* of the size of the motion: the last terms of a step, a tenth of round-off */
#define LAST_TERM 1e-17
/* of the distance to a saddle: a motion that misses it by more passes it. Chosen by trial: above
 * the error of the motion, which grows near a saddle. */
#define ARRIVED 1e-6
#define NO_RETURN 1e4         /* times the size of the motion: it does not return */
#define SMALLEST_SIZE 1e-3    /* in units of the plane, where motions have about the size 1 */
#define THETA_CONVERGED 1e-16 /* relative: half the spacing of doubles */
/* relative: the separatrix returns to its saddle; saddles are known much more accurately */
#define SAME_SADDLE 1e-6
#define LARGEST_THETA 1e3 /* of a series that converges everywhere */

static double step_limit(const zw_plane_step *s) {
    double size =
               fmax(hypot(s->c[0][0], s->c[1][0]), hypot(s->c[0][1], s->c[1][1]) * SMALLEST_SIZE),
           h = INFINITY;
    for (int k = ZW_PLANE_ORDER - 1; k <= ZW_PLANE_ORDER; k++) {
        double c = hypot(s->c[0][k], s->c[1][k]);
        if (c > 0)
            h = fmin(h, pow(LAST_TERM * fmax(size, SMALLEST_SIZE) / c, 1.0 / k));
    }
    return h;
}

/* The next step at x, from time t on. */
static zw_status step_from(zw_melnikov *s, const zw_plane *m, const double x[2], double t,
                           double longest, zw_plane_path *path, bool *fine, zw_error *err) {
    if (path->n == path->capacity) {
        int more = path->capacity ? 2 * path->capacity : 32;
        zw_plane_step *array_for =
            zw_reallocate(&s->arena.alloc, path->step, sizeof *path->step * (size_t)path->capacity,
                          sizeof *path->step * (size_t)more);
        if (!array_for)
            return zw_out_of_memory(err, NULL);
        path->step = array_for;
        path->capacity = more;
    }
    zw_plane_step *step = &path->step[path->n];
    memset(step, 0, sizeof *step);
    step->c[0][0] = x[0];
    step->c[1][0] = x[1];
    step->t = t;
    *fine = zw_plane_series(m, step);
    step->h = *fine ? fmin(step_limit(step), longest) : 0;
    *fine &= step->h > 0;
    path->n += *fine;
    return zw_context_status(s->ctx, err);
}

void zw_plane_path_clear(const zw_melnikov *s, zw_plane_path *path) {
    zw_release(&s->arena.alloc, path->step, sizeof *path->step * (size_t)path->capacity);
    *path = (zw_plane_path){0};
}

static const zw_plane_step *step_at(const zw_plane_path *path, double t) {
    int a = 0, b = path->n;
    while (b - a > 1) {
        int half = (a + b) / 2;
        *(path->step[half].t <= t ? &a : &b) = half;
    }
    return &path->step[a];
}

/* --------------------------------------------------------------------------------- separatrices */

/* Is x on the stable manifold of the saddle near it? */
static bool is_arriving(const zw_plane *m, const double x[2], zw_heteroclinic *out) {
    double at[2] = {x[0], x[1]}, lambda[2], v[2][2], there[2];
    if (!zw_plane_newton(m, at) || !zw_plane_saddle(m, at, lambda, v))
        return false;
    double d[2] = {x[0] - at[0], x[1] - at[1]}, distance = hypot(d[0], d[1]);
    if (hypot(out->in.at[0] - at[0], out->in.at[1] - at[1]) >
            ZW_ROUNDOFF_SOLVED * (1 + hypot(at[0], at[1])) ||
        !(out->in.reach > 0))
        if (!zw_plane_manifold(m, at, lambda[0], v[0], &out->in))
            return false;
    /* The covector that is 1 on the stable and 0 on the unstable direction. */
    double l[2] = {v[1][1], -v[1][0]}, on = l[0] * v[0][0] + l[1] * v[0][1];
    double wanted = (l[0] * d[0] + l[1] * d[1]) / on, theta = wanted;
    for (int k = 0; k < 50; k++) {
        if (!(fabs(theta) <= out->in.reach))
            return false;
        zw_branch_point(&out->in, theta, there);
        double has = (l[0] * (there[0] - out->in.at[0]) + l[1] * (there[1] - out->in.at[1])) / on;
        theta += wanted - has;
        if (fabs(wanted - has) < THETA_CONVERGED * fabs(wanted))
            break;
    }
    zw_branch_point(&out->in, theta, there);
    out->theta[1] = theta;
    out->closing = hypot(there[0] - x[0], there[1] - x[1]) / distance;
    return out->closing < ARRIVED;
}

static bool is_lost(const double x[2], const double from[2], double size) {
    return !isfinite(x[0]) || !isfinite(x[1]) ||
           hypot(x[0] - from[0], x[1] - from[1]) > NO_RETURN * (1 + size);
}

/* Steps from the end of the first series to the beginning of the last one. */
static zw_status follow_separatrix(zw_melnikov *s, const zw_plane *m, zw_heteroclinic *o,
                                   char why[200], zw_error *err) {
    double x[2], f[2], fastest = 0, t = 0, size = hypot(o->out.at[0], o->out.at[1]);
    zw_branch_point(&o->out, o->theta[0], x);
    for (int k = 0; k < ZW_PLANE_STEPS; k++) {
        bool fine;
        zw_plane_rates(m, x, f);
        double speed = hypot(f[0], f[1]);
        fastest = fmax(fastest, speed);
        if (speed < 0.5 * fastest && is_arriving(m, x, o)) {
            o->t[1] = t;
            o->there = true;
            return ZW_OK;
        }
        double level = zw_plane_level(m, x);
        if (!isfinite(level)) {
            zw_melnikov_reported(s, x, x);
            snprintf(why, 200, "C has no finite value at %s = %.6g, %s = %.6g", s->name[0], x[0],
                     s->name[1], x[1]);
            return ZW_OK;
        }
        o->drift = fmax(o->drift, fabs(level - o->level));
        ZW_TRY(step_from(s, m, x, t, 0.5 / o->out.lambda, &o->path, &fine, err));
        if (!fine || is_lost(x, o->out.at, size)) {
            zw_melnikov_reported(s, x, x);
            snprintf(why, 200,
                     "it leaves the domain of the rates: t = %.3g s, %s = %.6g, %s = %.6g", t,
                     s->name[0], x[0], s->name[1], x[1]);
            return ZW_OK;
        }
        const zw_plane_step *last = &o->path.step[o->path.n - 1];
        t += last->h;
        zw_step_point(last, last->h, x);
    }
    zw_melnikov_reported(s, x, x);
    snprintf(why, 200, "it comes to no saddle in %d steps: t = %.3g s, %s = %.6g, %s = %.6g",
             ZW_PLANE_STEPS, t, s->name[0], x[0], s->name[1], x[1]);
    return ZW_OK;
}

/* Half the distance between the ends; of a loop, the farthest point of the coordinate. */
static double find_middle(const zw_melnikov *s, const zw_plane *m, const zw_heteroclinic *o) {
    int nturn, u = zw_heteroclinic_master(s, m, o, s->master, &nturn, (double[8]){0});
    double turn[8];
    zw_heteroclinic_master(s, m, o, u, &nturn, turn);
    double from = o->out.at[u], to = o->in.at[u], x[2], best = 0, farthest = -1;
    if (fabs(to - from) < SAME_SADDLE * (1 + fabs(from))) {
        for (int k = 0; k < nturn; k++) {
            zw_heteroclinic_point(o, turn[k], x);
            if (fabs(x[u] - from) > farthest * (1 + ZW_SAME_VALUE)) {
                farthest = fabs(x[u] - from);
                best = turn[k];
            }
        }
        return best;
    }
    double a = o->t[0] - 40 / o->out.lambda, b = o->t[1] - 40 / o->in.lambda;
    for (int k = 0; k < HALVINGS; k++) {
        double half = (a + b) / 2;
        zw_heteroclinic_point(o, half, x);
        *((x[u] - (from + to) / 2) * (to - from) < 0 ? &a : &b) = half;
    }
    return (a + b) / 2;
}

zw_status zw_heteroclinic_find(zw_melnikov *s, const zw_plane *m, const double saddle[2], int side,
                               zw_heteroclinic *out, char why[200], zw_error *err) {
    double lambda[2], v[2][2];
    zw_plane_path_clear(s, &out->path);
    *out = (zw_heteroclinic){
        .f = {m->f[0], m->f[1]}, .C = m->C, .side = side, .level = zw_plane_level(m, saddle)};
    why[0] = 0;
    if (!isfinite(out->level)) {
        snprintf(why, 200, "C has no finite value at the saddle");
        return ZW_OK;
    }
    if (!zw_plane_saddle(m, saddle, lambda, v)) {
        double printed[2];
        zw_melnikov_reported(s, saddle, printed);
        snprintf(why, 200, "%s = %.9g, %s = %.9g is no saddle", s->name[0], printed[0], s->name[1],
                 printed[1]);
        return ZW_OK;
    }
    if (!zw_plane_manifold(m, saddle, lambda[1], v[1], &out->out)) {
        snprintf(why, 200, "the rates have no power series at the saddle");
        return zw_context_status(s->ctx, err);
    }
    out->theta[0] = side * fmin(out->out.reach, LARGEST_THETA);
    ZW_TRY(follow_separatrix(s, m, out, why, err));
    if (!out->there)
        return ZW_OK;
    double x[2], most = 0;
    for (int k = 0; k < out->path.n; k++) {
        double slope[2];
        const zw_plane_step *q = &out->path.step[k];
        x[0] = q->c[0][0];
        x[1] = q->c[1][0];
        zw_plane_slope(m, x, slope);
        most = fmax(most, hypot(slope[0], slope[1]) * hypot(x[0] - saddle[0], x[1] - saddle[1]));
    }
    out->drift = most > 0 ? out->drift / most : out->drift;
    out->zero = find_middle(s, m, out);
    return ZW_OK;
}

void zw_heteroclinic_point(const zw_heteroclinic *o, double t, double x[2]) {
    if (t <= o->t[0]) {
        zw_branch_point(&o->out, o->theta[0] * exp(o->out.lambda * (t - o->t[0])), x);
    } else if (t >= o->t[1]) {
        zw_branch_point(&o->in, o->theta[1] * exp(o->in.lambda * (t - o->t[1])), x);
    } else {
        const zw_plane_step *step = step_at(&o->path, t);
        zw_step_point(step, t - step->t, x);
    }
}

/* Times at which the rate of state u changes its sign along it. */
static int turns_of(const zw_plane *m, const zw_heteroclinic *o, int u, double turn[8]) {
    double a = o->t[0] - 12 / o->out.lambda, b = o->t[1] - 12 / o->in.lambda, x[2], f[2];
    double last = 0, last_t = a;
    int n = 0;
    for (int k = 0; k <= SAMPLES; k++) {
        double t = a + (b - a) * k / SAMPLES;
        zw_heteroclinic_point(o, t, x);
        zw_plane_rates(m, x, f);
        if (last * f[u] < 0 && n < 8) {
            double low = last_t, high = t;
            for (int i = 0; i < HALVINGS; i++) {
                double half = (low + high) / 2;
                zw_heteroclinic_point(o, half, x);
                double g[2];
                zw_plane_rates(m, x, g);
                *(g[u] * last > 0 ? &low : &high) = half;
            }
            turn[n++] = (low + high) / 2;
        }
        if (f[u] != 0) {
            last = f[u];
            last_t = t;
        }
    }
    return n;
}

int zw_heteroclinic_master(const zw_melnikov *s, const zw_plane *m, const zw_heteroclinic *o,
                           int wanted, int *nturn, double turn[8]) {
    double other[8];
    (void)s;
    if (wanted >= 0) {
        *nturn = turns_of(m, o, wanted, turn);
        return wanted;
    }
    int n = turns_of(m, o, 1, other);
    *nturn = turns_of(m, o, 0, turn);
    if (n >= *nturn)
        return 0;
    *nturn = n;
    memcpy(turn, other, sizeof other);
    return 1;
}

/* -------------------------------------------------------------------------------- closed curves */

static double angle_of(const double x[2], const double centre[2]) {
    return atan2(x[1] - centre[1], x[0] - centre[0]);
}

/* The time within the step at which it meets the ray: the angle about the centre is `goal` more
 * than at its beginning. */
static double find_ray_time(const zw_plane_step *step, const double centre[2],
                            const double start[2]) {
    double a = 0, b = step->h, x[2];
    /* The side of the ray, by the cross product with its direction. */
    double r[2] = {start[0] - centre[0], start[1] - centre[1]};
    zw_step_point(step, b, x);
    double end = r[0] * (x[1] - centre[1]) - r[1] * (x[0] - centre[0]);
    for (int k = 0; k < HALVINGS; k++) {
        double half = (a + b) / 2;
        zw_step_point(step, half, x);
        double cross = r[0] * (x[1] - centre[1]) - r[1] * (x[0] - centre[0]);
        *(cross * end > 0 ? &b : &a) = half;
    }
    return (a + b) / 2;
}

zw_status zw_closed_find(zw_melnikov *s, const zw_plane *m, const double centre[2],
                         const double start[2], zw_closed *out, char why[200], zw_error *err) {
    double x[2] = {start[0], start[1]}, t = 0, turned = 0,
           size = hypot(start[0] - centre[0], start[1] - centre[1]);
    zw_plane_path_clear(s, &out->path);
    *out = (zw_closed){.f = {m->f[0], m->f[1]},
                       .C = m->C,
                       .start = {start[0], start[1]},
                       .level = zw_plane_level(m, start)};
    why[0] = 0;
    if (!isfinite(out->level)) {
        snprintf(why, 200, "C has no finite value there");
        return ZW_OK;
    }
    for (int k = 0; k < ZW_PLANE_STEPS; k++) {
        bool fine;
        double J[4];
        zw_plane_jacobian(m, x, J);
        double fast = sqrt(fabs(J[0] * J[3] - J[1] * J[2])) + ZW_TINY;
        ZW_TRY(step_from(s, m, x, t, 0.5 / fast, &out->path, &fine, err));
        if (!fine || is_lost(x, centre, size)) {
            zw_melnikov_reported(s, x, x);
            snprintf(why, 200, "it leaves the domain of the rates near %s = %.6g, %s = %.6g",
                     s->name[0], x[0], s->name[1], x[1]);
            return ZW_OK;
        }
        const zw_plane_step *last = &out->path.step[out->path.n - 1];
        double y[2];
        zw_step_point(last, last->h, y);
        turned += remainder(angle_of(y, centre) - angle_of(x, centre), 2 * M_PI);
        if (fabs(turned) >= 2 * M_PI) {
            double last_part = find_ray_time(last, centre, start);
            zw_step_point(last, last_part, y);
            out->period = t + last_part;
            out->closing = hypot(y[0] - start[0], y[1] - start[1]) / size;
            if (out->closing > ARRIVED)
                snprintf(why, 200,
                         "the motion does not close: it misses its start by %.1e of its amplitude",
                         out->closing);
            return ZW_OK;
        }
        t += last->h;
        memcpy(x, y, sizeof x);
    }
    snprintf(why, 200, "it does not come back in %d steps", ZW_PLANE_STEPS);
    return ZW_OK;
}

/* The time within the step at which state u is at its goal. */
static double meet_goal(const zw_plane_step *step, int u, double goal) {
    double a = 0, b = step->h, x[2], from = step->c[u][0] - goal;
    for (int k = 0; k < HALVINGS; k++) {
        double half = (a + b) / 2;
        zw_step_point(step, half, x);
        *((x[u] - goal) * from > 0 ? &a : &b) = half;
    }
    return (a + b) / 2;
}

zw_status zw_rotation_find(zw_melnikov *s, const zw_plane *m, int u, const double start[2],
                           zw_closed *out, char why[200], zw_error *err) {
    double x[2] = {start[0], start[1]}, t = 0, f[2];
    zw_plane_path_clear(s, &out->path);
    zw_plane_rates(m, start, f);
    *out = (zw_closed){.f = {m->f[0], m->f[1]},
                       .C = m->C,
                       .start = {start[0], start[1]},
                       .level = zw_plane_level(m, start),
                       .u = u,
                       .turn = f[u] < 0 ? -s->period[u] : s->period[u]};
    why[0] = 0;
    double goal = start[u] + out->turn;
    for (int k = 0; k < ZW_PLANE_STEPS; k++) {
        bool fine;
        double J[4], y[2];
        zw_plane_jacobian(m, x, J);
        double fast = sqrt(fabs(J[0] * J[3] - J[1] * J[2])) + ZW_TINY;
        ZW_TRY(step_from(s, m, x, t, 0.5 / fast, &out->path, &fine, err));
        bool far = fabs(x[u] - start[u]) > 2 * fabs(out->turn);
        if (!fine || !isfinite(out->level) || far || (x[u] - start[u]) * out->turn < 0) {
            zw_melnikov_reported(s, x, x);
            snprintf(why, 200, "%s does not go round: at %s = %.6g, %s = %.6g %s", s->name[u],
                     s->name[0], x[0], s->name[1], x[1],
                     fine ? "it has turned back" : "the rates have no series");
            return ZW_OK;
        }
        const zw_plane_step *last = &out->path.step[out->path.n - 1];
        zw_step_point(last, last->h, y);
        if ((y[u] - goal) * out->turn >= 0) {
            double part = meet_goal(last, u, goal);
            zw_step_point(last, part, y);
            out->period = t + part;
            out->closing = fabs(y[1 - u] - start[1 - u]) / (SMALLEST_SIZE + fabs(start[1 - u]));
            if (out->closing > ARRIVED)
                snprintf(why, 200,
                         "after one turn of %s it misses its start by %.1e: is %s periodic?",
                         s->name[u], out->closing, s->name[u]);
            return ZW_OK;
        }
        t += last->h;
        memcpy(x, y, sizeof x);
    }
    snprintf(why, 200, "%s does not go round in %d steps", s->name[u], ZW_PLANE_STEPS);
    return ZW_OK;
}

void zw_closed_point(const zw_closed *o, double t, double x[2]) {
    const zw_plane_step *step = step_at(&o->path, t);
    zw_step_point(step, t - step->t, x);
}
