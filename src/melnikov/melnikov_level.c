/* SPDX-License-Identifier: MIT */
/* The integral over a coordinate u of the level curve: dt = du/f_u, and the other state w(u) solves
 * C(u, w) = level,
 *
 *     M = sum over pieces of integral g/f_u du.
 *
 * A piece goes from a saddle or a turning point (f_u = 0) to the next one. There 1/f_u is infinite,
 * like 1/d and like 1/sqrt(d) at the distance d. With the substitution
 *     u = u_a + (u_b - u_a)/(1 + exp(-pi sinh s))
 * the integrand falls double-exponentially in s (H. Takahasi, M. Mori, Publ. RIMS 9 (1974)
 * 721-741), and the distances to both ends are known without cancellation. In s the integral is a
 * sum over panels of 16 Gauss-Legendre points each; time along the level curve, which an
 * excitation needs, is the integral of du/f_u, computed from the same points by the interpolating
 * polynomial.
 *
 * Near an end E the equation C(u, w) = level would be solved with a loss of digits: C - level is of
 * second order there. So it is solved as a power series in the distance,
 *     sum_k c_k r^k = 0,     c_k: derivatives of C at E along the direction of (du, dw)/r,
 * r the larger one of both, from k = 1 on at a turning point and from k = 2 on at a saddle,
 * where the gradient vanishes. Farther away C itself is used. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/legendre.h"
#include "base/tolerance.h"
#include "melnikov.h"

enum {
    POINTS = 16, /* of a Gauss rule in a panel */
    PANELS = 24, /* of a piece; the sum with twice as many gives the error */
    ORDER = 16,  /* of series near an end */
    NEWTON = 60, /* iterations: a limit: a convergent iteration needs far fewer */
    PIECES = 9   /* of a level curve */
};
#define S_RANGE 3.9 /* of s: at its end the distances are 1e-33 of the piece */
/* of the piece: where the series is used; its last term is 1e-20 of the first there */
#define SERIES_RANGE 0.05
#define PHASES_MOST (2 * ZW_MELNIKOV_HARMONICS + 2)
/* of the time constant of the saddle: a turning point at the middle of the motion */
#define SAME_TIME 1e-6
#define SUM_ROUNDOFF 2e-16    /* of the sum of absolute values: least error of an integral */
#define CHANGE_ROUNDOFF 4e-15 /* of the sum of absolute values: a change that is round-off */
/* of it: a change that is round-off of the points, if it does not fall any more */
#define CHANGE_SETTLED 1e-11

/* Gauss-Legendre rule on [0, 1], and B[i][j]: the integral from 0 to x_i of the polynomial that is
 * 1 at x_j. */
typedef struct rule {
    double x[POINTS], w[POINTS], B[POINTS][POINTS];
} rule;

/* B by exact integrals of Legendre polynomials: l_j(z) = sum_k (2k + 1)/2 w_j P_k(z_j) P_k(z),
 * whose integral from -1 is (P_(k+1) - P_(k-1))/(2k + 1). */
static void make_rule(rule *r) {
    double z[POINTS], w[POINTS], P[POINTS][POINTS + 2];
    zw_legendre_points(POINTS, r->x, r->w);
    for (int i = 0; i < POINTS; i++) {
        z[i] = 2 * r->x[i] - 1;
        w[i] = 2 * r->w[i];
        P[i][0] = 1;
        P[i][1] = z[i];
        for (int k = 1; k <= POINTS; k++)
            P[i][k + 1] = ((2 * k + 1) * z[i] * P[i][k] - k * P[i][k - 1]) / (k + 1);
    }
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) {
            double sum = 0.5 * w[j] * (1 + z[i]);
            for (int k = 1; k < POINTS; k++)
                sum += 0.5 * w[j] * P[j][k] * (P[i][k + 1] - P[i][k - 1]);
            r->B[i][j] = sum / 2;
        }
}

/* ------------------------------------------------------------------------------ the level curve */

typedef struct end {
    double x[2];
    int first;    /* power with which C - level begins */
    double slope; /* dC/du; 0 at a saddle */
} end;

typedef struct piece {
    const zw_plane *m;
    int u;
    double level;
    end at[2];
    double length; /* |u_b - u_a| */
    double sign;   /* of u_b - u_a */
} piece;

/* C - level at E + (du, dw), and its derivative with respect to w; near E by series. */
static bool evaluate_residual(const piece *q, const end *e, double du, double dw, double *value,
                              double *slope) {
    const zw_plane *m = q->m;
    int u = q->u, w = 1 - u;
    double r = fmax(fabs(du), fabs(dw));
    if (fabs(du) > SERIES_RANGE * q->length) {
        double x[2], g[2];
        x[u] = e->x[u] + du;
        x[w] = e->x[w] + dw;
        zw_plane_slope(m, x, g);
        *value = zw_plane_level(m, x) - q->level;
        *slope = g[w];
        return isfinite(*value) && isfinite(*slope);
    }
    zw_jet x[2] = {zw_jet_number(ORDER, 0), zw_jet_number(ORDER, 0)}, out[2];
    x[u].c[0] = e->x[u];
    x[w].c[0] = e->x[w];
    x[u].c[1] = du / r;
    x[w].c[1] = dw / r;
    const zw_expr root[2] = {m->C, m->slope[w]};
    if (!zw_jet_eval(m->ctx, 2, root, 2, m->x, x, ORDER, out, NULL))
        return false;
    *value = *slope = 0;
    for (int k = ORDER - 1; k > 1; k--)
        *value = *value * r + zw_jet_coefficient(&out[0], k);
    for (int k = ORDER - 1; k > 0; k--)
        *slope = *slope * r + zw_jet_coefficient(&out[1], k);
    *value *= r;         /* over r now */
    if (e->first == 1) { /* dC/dw is 0 here, and its round-off is left out */
        *value = (*value * r + e->slope * du);
        *slope *= r;
    }
    return isfinite(*value) && isfinite(*slope);
}

/* f_u at E + (du, dw), which is 0 at E: near it by series, without that 0 and its round-off. */
static double rate_of(const piece *q, const end *e, double du, double dw, const double x[2]) {
    int u = q->u, w = 1 - u;
    double r = fmax(fabs(du), fabs(dw)), f[2], sum = 0;
    if (fabs(du) > SERIES_RANGE * q->length) {
        zw_plane_rates(q->m, x, f);
        return f[u];
    }
    zw_jet along[2] = {zw_jet_number(ORDER, 0), zw_jet_number(ORDER, 0)}, out;
    along[u].c[0] = e->x[u];
    along[w].c[0] = e->x[w];
    along[u].c[1] = du / r;
    along[w].c[1] = dw / r;
    if (!zw_jet_eval(q->m->ctx, 1, &q->m->f[u], 2, q->m->x, along, ORDER, &out, NULL))
        return NAN;
    for (int k = ORDER - 1; k > 0; k--)
        sum = (sum + zw_jet_coefficient(&out, k)) * r;
    return sum;
}

/* dw for du from a guess, by Newton's method that stays on its branch: between two ends dC/dw, of
 * which f_u is a multiple, keeps its sign, `branch` (0 if it is not known yet). */
static bool solve_level(const piece *q, const end *e, double du, double *branch, double *dw) {
    double last = INFINITY, y = *dw, good = NAN;
    for (int k = 0; k < NEWTON; k++) {
        double value, slope;
        if (!evaluate_residual(q, e, du, y, &value, &slope))
            return false;
        if (slope * *branch < 0 && !isnan(good)) {
            y = (y + good) / 2;
            continue;
        }
        double move = value / slope, size = fabs(move);
        if (!isfinite(move))
            return false;
        good = y;
        y -= move;
        if (size <= 2 * DBL_EPSILON * fabs(y) ||
            (size < ZW_ROUNDOFF_SOLVED * fabs(y) && size >= last)) {
            if (slope * *branch < 0)
                return false; /* the other branch */
            *branch = slope;
            *dw = y;
            return true;
        }
        last = size;
    }
    return false;
}

/* -------------------------------------------------------------------------------------- a piece */

typedef struct node {
    double x[2], rate; /* ds: du/ds / f_u = dt/ds */
} node;

/* Distances to both ends at s, and du/ds. */
static void end_distances(const piece *q, double s, double d[2], double *slope) {
    double e = exp(-M_PI * fabs(sinh(s))), small = e / (1 + e), large = 1 / (1 + e);
    d[s < 0 ? 0 : 1] = q->length * small;
    d[s < 0 ? 1 : 0] = q->length * large;
    *slope = q->length * small * large * M_PI * cosh(s);
}

/* A point of the curve at s. *w_now is its w relative to end `which`; at first that of the previous
 * point, which was at the distance `was`. */
static bool point_at(const piece *q, double s, double *w_now, double *was, int *which,
                     double *branch, node *out) {
    double d[2], ds;
    end_distances(q, s, d, &ds);
    int near = d[0] <= d[1] ? 0 : 1, w = 1 - q->u;
    const end *e = &q->at[near];
    double du = (near == 0 ? 1 : -1) * q->sign * d[near], dw = *w_now;
    if (*which < 0) /* the first one: w itself */
        dw -= e->x[w];
    else if (*which != near)
        dw += q->at[*which].x[w] - e->x[w];
    else if (d[near] <= SERIES_RANGE * q->length) /* proportional to the distance, or to its root */
        dw *= e->first == 2 ? d[near] / *was : sqrt(d[near] / *was);
    if (!solve_level(q, e, du, branch, &dw))
        return false;
    *w_now = dw;
    *was = d[near];
    *which = near;
    out->x[q->u] = e->x[q->u] + du;
    out->x[w] = e->x[w] + dw;
    out->rate = q->sign * ds / rate_of(q, e, du, dw, out->x);
    return isfinite(out->rate);
}

/* All nodes of n panels, from the middle outwards, so that each has its neighbour as a guess; w0:
 * the curve at the middle of the piece. */
static bool trace_curve(const piece *q, const rule *r, int panels, double w0, node *out) {
    for (int direction = 0; direction < 2; direction++) {
        double now = w0, was = 1, branch = 0;
        int which = -1;
        for (int k = 0; k < panels / 2; k++)
            for (int i = 0; i < POINTS; i++) {
                int p = direction ? panels / 2 + k : panels / 2 - 1 - k,
                    j = direction ? i : POINTS - 1 - i;
                double s = S_RANGE * (2 * (p + r->x[j]) / panels - 1);
                if (!point_at(q, s, &now, &was, &which, &branch, &out[p * POINTS + j]))
                    return false;
            }
    }
    return true;
}

/* ------------------------------------------------------------------------------ the whole curve */

typedef struct curve {
    int npiece, panels;
    node *node;   /* npiece x panels x POINTS */
    double *time; /* their times, from the middle of the motion; finite as s is cut off */
} curve;

/* From the beginning of panel `middle` on, to both sides: at the saddles, where times are long and
 * f_u is round-off, errors then do not affect other times. */
static void find_times(const rule *r, curve *c, int middle) {
    double width = 2 * S_RANGE / c->panels;
    for (int direction = -1; direction <= 1; direction += 2) {
        double t = 0;
        for (int p = direction < 0 ? middle - 1 : middle; p >= 0 && p < c->npiece * c->panels;
             p += direction) {
            const node *n = c->node + (size_t)p * POINTS;
            double *out = c->time + (size_t)p * POINTS, whole = 0;
            for (int i = 0; i < POINTS; i++)
                whole += width * r->w[i] * n[i].rate;
            if (direction < 0)
                t -= whole;
            for (int i = 0; i < POINTS; i++) {
                double sum = 0;
                for (int j = 0; j < POINTS; j++)
                    sum += r->B[i][j] * n[j].rate;
                out[i] = t + width * sum;
            }
            if (direction > 0)
                t += whole;
        }
    }
}

/* The integral of g at a phase; size: of absolute values. */
static double sum_up(const zw_plane *m, const rule *r, const curve *c, double phase, double *size) {
    double sum = 0, width = 2 * S_RANGE / c->panels;
    *size = 0;
    for (int p = 0; p < c->npiece * c->panels; p++)
        for (int i = 0; i < POINTS; i++) {
            const node *n = &c->node[p * POINTS + i];
            double g = zw_plane_g(m, n->x, c->time[p * POINTS + i] + phase);
            sum += width * r->w[i] * n->rate * g;
            *size += width * r->w[i] * fabs(n->rate * g);
        }
    return sum;
}

static zw_status fail_level(const zw_context *ctx, zw_error *err) {
    ZW_TRY(zw_context_status(ctx, err));
    return zw_fail(err, ZW_E_NUMERIC,
                   "the level curve could not be solved for over this coordinate");
}

/* middle: the turning point at t = 0, -1: the middle of the only piece, which is between two
 * panels. */
static zw_status trace_all(const zw_melnikov *s, const piece *q, int npiece, const double *w0,
                           const rule *r, int panels, int middle, curve *out, zw_error *err) {
    zw_arena *arena = (zw_arena *)&s->arena;
    *out = (curve){.npiece = npiece, .panels = panels};
    out->node = ZW_NEW(arena, node, npiece * panels * POINTS);
    out->time = ZW_NEW(arena, double, npiece *panels *POINTS);
    if (!out->node || !out->time)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < npiece; k++)
        if (!trace_curve(&q[k], r, panels, w0[k],
                         out->node + (size_t)k * (size_t)(panels * POINTS)))
            return fail_level(s->ctx, err);
    find_times(r, out, middle < 0 ? panels / 2 : (middle + 1) * panels);
    return zw_context_status(s->ctx, err);
}

/* The point of the curve at half the piece, for the first guess: from the motion, whose times ta <
 * tb are those of the ends. */
typedef void (*motion_point)(const void *motion, double t, double x[2]);
static double guess_middle(const piece *q, motion_point at, const void *motion, double ta,
                           double tb) {
    double goal = (q->at[0].x[q->u] + q->at[1].x[q->u]) / 2, x[2];
    for (int k = 0; k < 60; k++) {
        double half = (ta + tb) / 2;
        at(motion, half, x);
        *((x[q->u] - goal) * q->sign < 0 ? &ta : &tb) = half;
    }
    return x[1 - q->u];
}

static void set_piece(piece *q) {
    double direction = q->at[1].x[q->u] - q->at[0].x[q->u];
    q->length = fabs(direction);
    q->sign = direction < 0 ? -1 : 1;
}

static void at_separatrix(const void *motion, double t, double x[2]) {
    zw_heteroclinic_point(motion, t, x);
}

static void at_closed(const void *motion, double t, double x[2]) {
    const zw_closed *o = motion;
    zw_closed_point(o, t < 0 ? t + o->period : t > o->period ? t - o->period : t, x);
}

/* A turning point, on the level and with f_u = 0, by Newton's method from the motion. */
static bool find_turning_point(const zw_plane *m, int u, double level, double x[2], double *slope) {
    for (int k = 0; k < 20; k++) {
        double g[2], f[2], J[4];
        zw_plane_slope(m, x, g);
        *slope = g[u];
        zw_plane_rates(m, x, f);
        zw_plane_jacobian(m, x, J);
        double a = zw_plane_level(m, x) - level, b = f[u], c = J[2 * u], d = J[2 * u + 1];
        double det = g[0] * d - g[1] * c;
        double move[2] = {(a * d - g[1] * b) / det, (g[0] * b - a * c) / det};
        if (!isfinite(move[0]) || !isfinite(move[1]))
            return false;
        x[0] -= move[0];
        x[1] -= move[1];
        if (hypot(move[0], move[1]) < 4 * DBL_EPSILON * hypot(x[0], x[1]))
            return true;
    }
    return true;
}

static void integrate_phases(const zw_plane *m, const rule *r, const curve *c, int n, double *value,
                             double *size) {
    for (int j = 0; j < n; j++)
        value[j] = sum_up(m, r, c, m->base > 0 ? 2 * M_PI / m->base * j / n : 0, size);
}

zw_status zw_melnikov_by_level(const zw_melnikov *s, const zw_plane *m, const zw_heteroclinic *o,
                               int master, int harmonics, zw_melnikov_value *out, zw_error *err) {
    zw_arena *arena = (zw_arena *)&s->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    rule r;
    piece q[PIECES];
    double turn[8], w0[PIECES], value[2][PHASES_MOST], size = 0;
    int nturn, u = zw_heteroclinic_master(s, m, o, master, &nturn, turn), middle = -1;
    make_rule(&r);
    *out = (zw_melnikov_value){.base = m->base};
    double from = o->t[0] - 40 / o->out.lambda, to = o->t[1] - 40 / o->in.lambda;
    for (int k = 0; k <= nturn; k++) {
        q[k] = (piece){.m = m, .u = u, .level = o->level};
        for (int e = 0; e < 2; e++) {
            int which =
                k + e - 1; /* the turning point; before the first and after the last a saddle */
            bool saddle = which < 0 || which >= nturn;
            q[k].at[e].first = saddle ? 2 : 1;
            if (saddle)
                memcpy(q[k].at[e].x, e ? o->in.at : o->out.at, sizeof q[k].at[e].x);
            else {
                zw_heteroclinic_point(o, turn[which], q[k].at[e].x);
                if (!find_turning_point(m, u, o->level, q[k].at[e].x, &q[k].at[e].slope))
                    return fail_level(m->ctx, err);
            }
        }
        set_piece(&q[k]);
        w0[k] = guess_middle(&q[k], at_separatrix, o, k > 0 ? turn[k - 1] : from,
                             k < nturn ? turn[k] : to);
        if (k < nturn && fabs(turn[k] - o->zero) < SAME_TIME / o->out.lambda)
            middle = k;
    }
    zw_status status = ZW_OK;
    int n = m->base > 0 ? 2 * harmonics + 2 : 1;
    if (m->base > 0 && middle < 0 && nturn > 0)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the phase of the excitation is not defined over this coordinate");
    for (int pass = 0; pass < 2 && status >= 0; pass++) {
        curve c;
        status = trace_all(s, q, nturn + 1, w0, &r, pass ? 2 * PANELS : PANELS, middle, &c, err);
        if (status >= 0)
            integrate_phases(m, &r, &c, n, value[pass], &size);
    }
    zw_arena_release(arena, mark);
    ZW_TRY(status);
    out->error = SUM_ROUNDOFF * size;
    for (int j = 0; j < n; j++)
        out->error = fmax(out->error, fabs(value[1][j] - value[0][j]));
    if (m->base <= 0) {
        out->mean = out->low = out->high = value[1][0];
        return ZW_OK;
    }
    out->harmonics = harmonics;
    for (int j = 0; j < n; j++)
        out->mean += value[1][j] / n;
    for (int k = 1; k <= out->harmonics; k++)
        for (int j = 0; j < n; j++) {
            out->c[k - 1] += value[1][j] * cos(2 * M_PI * k * j / n) * 2 / n;
            out->s[k - 1] += value[1][j] * sin(2 * M_PI * k * j / n) * 2 / n;
        }
    zw_melnikov_bounds(out);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- closed curves */

/* Times in one period at which the rate of u vanishes: two of them on a convex curve. */
static int turns_of_closed(const zw_plane *m, const zw_closed *o, int u, double turn[8]) {
    enum { SAMPLES_OF_SPEED = 400 }; /* points at which the largest speed is searched */
    double last = 0, last_t = 0, x[2], f[2];
    int n = 0;
    for (int k = 0; k <= SAMPLES_OF_SPEED; k++) {
        double t = o->period * (k + 0.37) / SAMPLES_OF_SPEED;
        at_closed(o, t, x);
        zw_plane_rates(m, x, f);
        if (last * f[u] < 0 && n < 8) {
            double a = last_t, b = t, g[2];
            for (int i = 0; i < 80; i++) {
                double half = (a + b) / 2;
                at_closed(o, half, x);
                zw_plane_rates(m, x, g);
                *(g[u] * last > 0 ? &a : &b) = half;
            }
            turn[n++] = (a + b) / 2;
        }
        last = f[u];
        last_t = t;
    }
    return n;
}

zw_status zw_melnikov_closed_by_level(const zw_melnikov *s, const zw_plane *m, const zw_closed *o,
                                      int master, double *value, double *period, zw_error *err) {
    zw_arena *arena = (zw_arena *)&s->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    rule r;
    piece q[8];
    double turn[9], w0[8], size;
    int n = turns_of_closed(m, o, master, turn);
    curve c;
    if (n < 2 || n > 7)
        return fail_level(m->ctx, err);
    turn[n] = turn[0] + o->period;
    make_rule(&r);
    for (int k = 0; k < n; k++) {
        q[k] = (piece){.m = m, .u = master, .level = o->level};
        for (int e = 0; e < 2; e++) {
            q[k].at[e].first = 1;
            at_closed(o, turn[(k + e) % n], q[k].at[e].x);
            if (!find_turning_point(m, master, o->level, q[k].at[e].x, &q[k].at[e].slope))
                return fail_level(m->ctx, err);
        }
        set_piece(&q[k]);
        w0[k] = guess_middle(&q[k], at_closed, o, turn[k], turn[k + 1]);
    }
    zw_status status = trace_all(s, q, n, w0, &r, PANELS, -1, &c, err);
    if (status >= 0) {
        *value = sum_up(m, &r, &c, 0, &size);
        *period = 0;
        for (int k = 0; k < n * PANELS * POINTS; k++)
            *period += 2 * S_RANGE / PANELS * r.w[k % POINTS] * c.node[k].rate;
    }
    zw_arena_release(arena, mark);
    return status;
}

/* ------------------------------------------------------------------------------------ rotations */

/* w on the level at u, from the neighbour. */
static bool solve_across(const zw_plane *m, int u, double level, double x[2]) {
    double last = INFINITY, slope[2];
    for (int k = 0; k < NEWTON; k++) {
        zw_plane_slope(m, x, slope);
        double move = (zw_plane_level(m, x) - level) / slope[1 - u], size = fabs(move);
        if (!isfinite(move))
            return false;
        x[1 - u] -= move;
        if (size <= 4 * DBL_EPSILON * fabs(x[1 - u]) ||
            (size < ZW_ROUNDOFF_SOLVED * fabs(x[1 - u]) && size >= last))
            return true;
        last = size;
    }
    return false;
}

/* Speed at the start relative to the largest one. */
static double start_slowness(const zw_plane *m, const zw_closed *o) {
    enum { LOOKS = 64 };
    double x[2], f[2], first = 0, most = 0;
    for (int k = 0; k < LOOKS; k++) {
        zw_closed_point(o, o->period * k / LOOKS, x);
        zw_plane_rates(m, x, f);
        first = k ? first : fabs(f[o->u]);
        most = fmax(most, fabs(f[o->u]));
    }
    return first / most;
}

/* g/f_u is periodic in u, and the trapezoidal rule converges geometrically; near a saddle, where
 * the motion begins, the faster the more points are there:
 *     u = u_0 + T/pi atan(b tan(pi s)),     0 <= s < 1,     b^2 = slowness. */
zw_status zw_melnikov_rotation_by_level(const zw_plane *m, const zw_closed *o, double *value,
                                        double *period, zw_error *err) {
    double last = INFINITY, before = INFINITY, sum = 0, time = 0, size = 0;
    double b = sqrt(start_slowness(m, o));
    int u = o->u;
    for (int n = 64, from = 0; n <= 65536; n *= 2, from = 1) {
        double t = 0;
        for (int k = from; k < n; k += from ? 2 : 1) {
            double c = cos(M_PI * k / n), s = sin(M_PI * k / n), x[2], f[2];
            double goal = o->start[u] + o->turn / M_PI * atan2(b * s, c),
                   weight = b / (c * c + b * b * s * s), low = t, high = o->period;
            for (int i = 0; i < 24; i++) { /* the approximate time of the motion there */
                double half = (low + high) / 2;
                zw_closed_point(o, half, x);
                *((x[u] - goal) * o->turn < 0 ? &low : &high) = half;
            }
            t = low;
            zw_closed_point(o, k ? (low + high) / 2 : 0, x);
            x[u] = goal;
            if (!solve_across(m, u, o->level, x))
                return fail_level(m->ctx, err);
            zw_plane_rates(m, x, f);
            double g = zw_plane_g(m, x, 0) / f[u] * weight;
            if (!(f[u] * o->turn > 0) || !isfinite(g))
                return fail_level(m->ctx, err);
            sum += g;
            size += fabs(g);
            time += weight / f[u];
        }
        *value = sum * o->turn / n;
        *period = time * o->turn / n;
        double change = fabs(*value - last), all = size * fabs(o->turn) / n;
        if (change <= CHANGE_ROUNDOFF * all ||
            (change <= CHANGE_SETTLED * all && change > before / 2))
            return ZW_OK;
        if (n > 1000 && zw_melnikov_is_rounding(m, o, all)) {
            *value = 0;
            return ZW_OK;
        }
        before = change;
        last = *value;
    }
    return zw_fail(err, ZW_E_NUMERIC, "the integral over a level curve does not converge");
}
