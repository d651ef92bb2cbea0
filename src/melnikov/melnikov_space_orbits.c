/* SPDX-License-Identifier: MIT */
/* A motion of f0 in n dimensions from a saddle with one unstable direction to an equilibrium, and
 * M_i = integral of dC_i/dx . f1 along it.
 *
 * It begins with the power series of the unstable manifold, x = x_a + P(theta), theta' = l theta
 * (as melnikov_plane.c), where
 *     integral of g dt = integral of g(theta)/(l theta) dtheta          from 0 to theta_0,
 * continues by power series from step to step, with a Gauss rule in each of them, and ends at an
 * equilibrium x_b, whose directions are stable, unstable, or neutral along a family of equilibria,
 * as conserved quantities have. x_b is the member of the family for which the neutral components
 * vanish.
 *
 * One stable direction: the rest is the series of the stable manifold, as at the
 * beginning. Several: the motion is followed to the distance d, and the rest is linear,
 *     integral of g dt = - dg/dx J_s^-1 P_s (x - x_b) + O(d^2),
 * with the projector P_s onto the stable directions. From it and from the same at 4 d the term of
 * d^2 is extrapolated, which is reported as the error. Round-off in the unstable directions
 * grows as 1/d, so that d is not smaller. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/legendre.h"
#include "base/tolerance.h"
#include "melnikov.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"

enum {
    N = ZW_MELNIKOV_STATES,
    ORDER = ZW_PLANE_ORDER,
    FINE = 20,   /* points of the Gauss rule whose sum is used, */
    COARSE = 16, /* and of that which gives its error */
    GUESSES = 24 /* starts of Newton's method */
};
#define SERIES_UNIT 0.125 /* of the time in which a motion changes, as in melnikov_plane.c */
#define LAST_TERM 1e-17   /* of the first term: the last terms of a series, a tenth of round-off */
/* of the largest eigenvalue: a smaller one counts as zero; eigenvalues of a family are known up to
 * the square root of round-off where they are double */
#define NEUTRAL_EIGENVALUE 1e-6
/* of the distance to an equilibrium: a motion that misses it by more passes it. Chosen by trial:
 * above the error of the motion. */
#define ARRIVED 1e-6
/* of the distance: part in unstable directions with which the motion still arrives */
#define UNSTABLE_PART 1e-3
#define ARRIVING 1e-3   /* of the size of the motion: nearer it is about to arrive */
#define PASSED_RATIO 10 /* times the least distance: then it has passed */
/* of the size of the motion: round-off of states that grow without bound */
#define STATE_ROUNDOFF 1e-9
/* of the size of the motion: where the linear rest begins; its error is the square, extrapolated */
#define LINEAR_DISTANCE 1e-5
#define NO_RETURN 1e4 /* times the size of the motion: it does not return */
/* of the largest value: largest g at an end, up to round-off of the state */
#define INTEGRAND_AT_END 1e-9
#define THETA_CONVERGED 1e-16  /* relative: half the spacing of doubles */
#define FAMILY_CONVERGED 1e-15 /* relative: some spacings of doubles */
#define LARGEST_THETA 1e3      /* of a series that converges everywhere */
#define ENTRY_ZERO 1e-14       /* of the size of the motion: less is round-off */

typedef struct series {
    double at[N], lambda, a[N][ORDER + 1], reach;
} series;

/* An equilibrium: columns of B are real and imaginary parts of eigenvectors, kind +1: unstable, 0:
 * neutral, -1: stable. */
typedef struct equilibrium {
    double x[N], J[N * N], re[N], im[N], B[N * N], inverse[N * N];
    int kind[N], unstable, neutral, stable;
} equilibrium;

typedef struct orbit_integral {
    zw_melnikov *s;
    const zw_melnikov_space *y;
    int n, nq;
    double x[N], t, size, fastest, moved[N];
    double M[ZW_MELNIKOV_QUANTITIES], error[ZW_MELNIKOV_QUANTITIES], most[ZW_MELNIKOV_QUANTITIES];
    double far;     /* the distance 4 d, when it was passed; 0 if not yet */
    double nearest; /* the least distance while it was about to arrive; 0 if never */
    bool passed;    /* it was near, and moves away again */
    double before[ZW_MELNIKOV_QUANTITIES]; /* all of M, from the distance 4 d on */
    double gauss[2][FINE], weight[2][FINE];
    zw_melnikov_orbit *out;
    equilibrium end;
} orbit_integral;

static double euclidean_norm(int n, const double *x) {
    return zw_dense_norm(n, x);
}

/* ----------------------------------------------------------------------------------- equilibria */

/* Eigenvalues and their directions; false if there is no full set of them. */
static bool analyse_equilibrium(zw_melnikov *s, equilibrium *e) {
    int n = s->space.n, pivot[N];
    double most = 0, LU[N * N];
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    zw_dense_eigen v;
    zw_eval_all(s->ctx, n * n, s->space.J, n, s->space.x, e->x, e->J);
    bool fine = zw_dense_eigenvalues(&s->arena, n, e->J, &v);
    for (int j = 0; fine && j < n; j++) {
        e->re[j] = v.re[j];
        e->im[j] = v.im[j];
        most = fmax(most, hypot(v.re[j], v.im[j]));
        bool second = j > 0 && v.im[j] != 0 && v.im[j] == -v.im[j - 1] && v.re[j] == v.re[j - 1];
        for (int i = 0; i < n;
             i++) /* for the second one of a pair the imaginary part of the first */
            e->B[i * n + j] = second ? v.right_im[i * n + j - 1] : v.right_re[i * n + j];
    }
    zw_arena_release(&s->arena, mark);
    if (!fine || !(most > 0))
        return false;
    e->unstable = e->neutral = e->stable = 0;
    for (int j = 0; j < n; j++) {
        e->kind[j] = fabs(e->re[j]) <= NEUTRAL_EIGENVALUE * most ? 0 : e->re[j] > 0 ? 1 : -1;
        *(e->kind[j] > 0 ? &e->unstable : e->kind[j] < 0 ? &e->stable : &e->neutral) += 1;
        if (e->kind[j] == 0 && fabs(e->im[j]) > NEUTRAL_EIGENVALUE * most)
            return false; /* it oscillates there */
    }
    memcpy(LU, e->B, sizeof LU);
    if (!(zw_num_lu(n, LU, pivot) > ZW_ROUNDOFF_SOLVED))
        return false;
    for (int j = 0; j < n; j++) {
        double unit[N] = {0};
        unit[j] = 1;
        zw_num_lu_solve(n, LU, pivot, 1, unit);
        for (int i = 0; i < n; i++)
            e->inverse[i * n + j] = unit[i];
    }
    return true;
}

/* The part of d in the directions of one kind; c: its components, may be NULL. */
static void take_part(const equilibrium *e, int n, int kind, const double *d, double *out) {
    memset(out, 0, sizeof *out * (size_t)n);
    for (int j = 0; j < n; j++) {
        double c = 0;
        for (int i = 0; i < n; i++)
            c += e->inverse[j * n + i] * d[i];
        for (int i = 0; i < n && e->kind[j] == kind; i++)
            out[i] += e->B[i * n + j] * c;
    }
}

/* -J_s^-1 P_s d; for a pair A (u, v) = (u, v) (a b; -b a). */
static void remaining_integral(const equilibrium *e, int n, const double *d, double *out) {
    double c[N], y[N];
    for (int j = 0; j < n; j++) {
        c[j] = 0;
        for (int i = 0; i < n; i++)
            c[j] += e->inverse[j * n + i] * d[i];
    }
    for (int j = 0; j < n; j++) {
        double a = e->re[j], b = e->im[j], square = a * a + b * b;
        y[j] = 0;
        if (e->kind[j] >= 0)
            continue;
        if (b == 0)
            y[j] = -c[j] / a;
        else if (b > 0) /* the first one of a pair */
            y[j] = -(a * c[j] - b * c[j + 1]) / square;
        else
            y[j] = -(-b * c[j - 1] + a * c[j]) / square;
    }
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++)
            out[i] += e->B[i * n + j] * y[j];
    }
}

/* --------------------------------------------------------------------------------------- series */

static bool expand_manifold(zw_melnikov *s, const equilibrium *e, int which, series *out) {
    const zw_melnikov_space *y = &s->space;
    int n = y->n, pivot[N];
    *out = (series){.lambda = e->re[which], .reach = INFINITY};
    memcpy(out->at, e->x, sizeof out->at);
    for (int i = 0; i < n; i++) {
        out->a[i][0] = e->x[i];
        out->a[i][1] = SERIES_UNIT * e->B[i * n + which];
    }
    for (int k = 2; k <= ORDER; k++) {
        zw_jet x[N], f[N];
        double A[N * N], r[N];
        for (int i = 0; i < n; i++) {
            x[i] = (zw_jet){.low = 0, .terms = k + 1};
            memcpy(x[i].c, out->a[i], sizeof(double) * (size_t)(k + 1));
        }
        if (!zw_jet_eval(s->ctx, n, y->f, n, y->x, x, k + 1, f, NULL))
            return false;
        for (int i = 0; i < n; i++) {
            r[i] = zw_jet_coefficient(&f[i], k);
            for (int j = 0; j < n; j++)
                A[i * n + j] = (i == j ? k * out->lambda : 0) - e->J[i * n + j];
        }
        if (!(zw_num_lu(n, A, pivot) > ZW_ROUNDOFF_SUM))
            return false; /* a resonance of eigenvalues */
        zw_num_lu_solve(n, A, pivot, 1, r);
        for (int i = 0; i < n; i++) {
            out->a[i][k] = r[i];
            if (!isfinite(r[i]))
                return false;
        }
    }
    double first = 0;
    for (int k = 1; k <= ORDER; k++) {
        double size = 0;
        for (int i = 0; i < n; i++) {
            out->a[i][k] /= pow(SERIES_UNIT, k);
            size = hypot(size, out->a[i][k]);
        }
        first = k == 1 ? size : first;
        if (k >= ORDER / 2 && size > 0)
            out->reach =
                fmin(out->reach, pow(first / size, 1.0 / (k - 1)) * pow(LAST_TERM, 1.0 / ORDER));
    }
    return out->reach > 0;
}

static void series_point(const series *b, int n, double theta, double *x) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = ORDER; k > 0; k--)
            sum = (sum + b->a[i][k]) * theta;
        x[i] = b->at[i] + sum;
    }
}

static void values_of_g(orbit_integral *w, const double *x, double *g) {
    zw_eval_all(w->s->ctx, w->nq, w->y->g, w->n, w->y->x, x, g);
    for (int i = 0; i < w->nq; i++)
        w->most[i] = fmax(w->most[i], fabs(g[i]));
}

/* Adds both rules: the result is the fine one, their difference its error. */
static void add_sums(orbit_integral *w, double sum[2][ZW_MELNIKOV_QUANTITIES]) {
    for (int i = 0; i < w->nq; i++) {
        w->M[i] += sum[0][i];
        w->error[i] += fabs(sum[0][i] - sum[1][i]) + DBL_EPSILON * fabs(sum[0][i]);
    }
}

/* The part of M on a manifold, from 0 to theta. */
static void add_manifold(orbit_integral *w, const series *b, double theta) {
    double sum[2][ZW_MELNIKOV_QUANTITIES] = {{0}}, x[N], g[ZW_MELNIKOV_QUANTITIES];
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < (r ? COARSE : FINE); k++) {
            series_point(b, w->n, theta * w->gauss[r][k], x);
            values_of_g(w, x, g);
            for (int i = 0; i < w->nq; i++)
                sum[r][i] += w->weight[r][k] * g[i] / (fabs(b->lambda) * w->gauss[r][k]);
        }
    add_sums(w, sum);
}

/* One step of the motion, at most `longest`, and M over it; false if there is no series. */
static bool advance_step(orbit_integral *w, double longest) {
    const zw_melnikov_space *y = w->y;
    int n = w->n;
    double c[N][ORDER + 1] = {{0}}, J[N * N], f0[N], h = longest;
    zw_eval_all(w->s->ctx, n * n, y->J, n, y->x, w->x, J);
    zw_eval_all(w->s->ctx, n, y->f, n, y->x, w->x, f0);
    double unit = SERIES_UNIT / (euclidean_norm(n * n, J) + euclidean_norm(n, f0));
    if (!(unit > 0) || !isfinite(unit))
        return false;
    for (int i = 0; i < n; i++)
        c[i][0] = w->x[i];
    for (int k = 1; k <= ORDER; k++) {
        zw_jet x[N], f[N];
        for (int i = 0; i < n; i++) {
            x[i] = (zw_jet){.low = 0, .terms = k};
            memcpy(x[i].c, c[i], sizeof(double) * (size_t)k);
        }
        if (!zw_jet_eval(w->s->ctx, n, y->f, n, y->x, x, k, f, NULL))
            return false;
        for (int i = 0; i < n; i++) {
            c[i][k] = unit * zw_jet_coefficient(&f[i], k - 1) / k;
            if (!isfinite(c[i][k]))
                return false;
        }
    }
    for (int k = 1; k <= ORDER; k++) {
        double last = 0;
        for (int i = 0; i < n; i++) {
            c[i][k] /= pow(unit, k);
            last = hypot(last, c[i][k]);
        }
        if (k >= ORDER - 1 && last > 0)
            h = fmin(h, pow(LAST_TERM * w->size / last, 1.0 / k));
    }
    double sum[2][ZW_MELNIKOV_QUANTITIES] = {{0}}, x[N] = {0}, g[ZW_MELNIKOV_QUANTITIES];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < (r == 2 ? 1 : r ? COARSE : FINE); k++) {
            double t = r == 2 ? h : h * w->gauss[r][k];
            for (int i = 0; i < n; i++) {
                x[i] = c[i][ORDER];
                for (int j = ORDER - 1; j >= 0; j--)
                    x[i] = x[i] * t + c[i][j];
            }
            values_of_g(w, x, g);
            for (int i = 0; i < w->nq && r < 2; i++)
                sum[r][i] += h * w->weight[r][k] * g[i];
        }
    add_sums(w, sum);
    memcpy(w->x, x, sizeof x); /* the end of the step becomes the present state */
    w->t += h;
    return h > 0;
}

/* -------------------------------------------------------------------------------------- arrival */

/* theta for which the series has the same stable component as d. */
static bool fit_theta(const orbit_integral *w, const series *b, const double *d, double *theta) {
    double part[N], there[N], want, length;
    int n = w->n;
    take_part(&w->end, n, -1, d, part);
    want = 0;
    length = 0;
    for (int i = 0; i < n; i++) {
        want += part[i] * b->a[i][1];
        length += b->a[i][1] * b->a[i][1];
    }
    want /= length;
    *theta = want;
    for (int k = 0; k < 40; k++) {
        if (!(fabs(*theta) <= b->reach))
            return false;
        series_point(b, n, *theta, there);
        for (int i = 0; i < n; i++)
            there[i] -= b->at[i];
        take_part(&w->end, n, -1, there, part);
        double has = 0;
        for (int i = 0; i < n; i++)
            has += part[i] * b->a[i][1];
        *theta += want - has / length;
        if (fabs(want - has / length) < THETA_CONVERGED * fabs(want))
            break;
    }
    return true;
}

/* One stable direction: its series, with the member of the family for which the neutral components
 * agree. */
static bool arrive_by_series(orbit_integral *w) {
    equilibrium *e = &w->end;
    int n = w->n, which = 0;
    double theta = 0, there[N], d[N], part[N];
    series b;
    for (int k = 0; k < 8; k++) {
        for (which = 0; which < n && e->kind[which] >= 0;)
            which++;
        if (which == n || !expand_manifold(w->s, e, which, &b))
            return false;
        for (int i = 0; i < n; i++)
            d[i] = w->x[i] - e->x[i];
        if (!fit_theta(w, &b, d, &theta))
            return false;
        series_point(&b, n, theta, there);
        for (int i = 0; i < n; i++)
            there[i] = w->x[i] - there[i];
        take_part(e, n, 0, there, part);
        w->out->closing = euclidean_norm(n, there) / euclidean_norm(n, d);
        if (e->neutral == 0 ||
            euclidean_norm(n, part) < FAMILY_CONVERGED * (1 + euclidean_norm(n, e->x)))
            break;
        for (int i = 0; i < n; i++)
            e->x[i] += part[i];
        if (!zw_space_newton(w->s, e->x) || !analyse_equilibrium(w->s, e) || e->stable != 1)
            return false;
    }
    if (!(w->out->closing < ARRIVED))
        return false;
    add_manifold(w, &b, theta);
    for (int i = 0; i < w->nq; i++)
        w->error[i] += w->out->closing * w->most[i] / fabs(b.lambda);
    return true;
}

/* The least rate with which directions decay. */
static double slowest_decay(const equilibrium *e, int n) {
    double least = INFINITY;
    for (int j = 0; j < n; j++)
        if (e->kind[j] < 0)
            least = fmin(least, -e->re[j]);
    return least;
}

/* Several: the linear rest, if the motion is near enough. */
static bool arrive_linearly(orbit_integral *w, const double *d) {
    int n = w->n;
    double direction[N], unstable[N], all[ZW_MELNIKOV_QUANTITIES], distance = euclidean_norm(n, d);
    zw_jet x[N], g[ZW_MELNIKOV_QUANTITIES];
    if (distance > 4 * LINEAR_DISTANCE * w->size)
        return false;
    remaining_integral(&w->end, n, d, direction);
    for (int i = 0; i < n; i++) {
        x[i] = (zw_jet){.low = 0, .terms = 2};
        x[i].c[0] = w->end.x[i];
        x[i].c[1] = direction[i];
    }
    if (!zw_jet_eval(w->s->ctx, w->nq, w->y->g, n, w->y->x, x, 2, g, NULL))
        return false;
    for (int i = 0; i < w->nq; i++)
        all[i] = w->M[i] + zw_jet_coefficient(&g[i], 1);
    if (w->far == 0) {
        memcpy(w->before, all, sizeof all);
        w->far = distance;
    }
    if (distance > LINEAR_DISTANCE * w->size)
        return false;
    take_part(&w->end, n, 1, d, unstable);
    w->out->closing = euclidean_norm(n, unstable) / w->size;
    double ratio = distance / w->far, share = ratio * ratio / (1 - ratio * ratio);
    if (!(ratio < 1)) { /* a step from farther than 4 d to here: no extrapolation */
        w->far = distance;
        return false;
    }
    for (int i = 0; i < w->nq; i++) {
        double more = share * (all[i] - w->before[i]);
        w->M[i] = all[i] + more;
        w->error[i] += fabs(more) + w->out->closing * w->most[i] / slowest_decay(&w->end, n);
    }
    return true;
}

static bool is_arriving(orbit_integral *w) {
    equilibrium *e = &w->end;
    int n = w->n;
    double d[N], part[N];
    memcpy(e->x, w->x, sizeof e->x);
    for (int k = 0; k < 5; k++) {
        if (!zw_space_newton(w->s, e->x) || !analyse_equilibrium(w->s, e) || e->stable == 0)
            return false;
        for (int i = 0; i < n; i++)
            d[i] = w->x[i] - e->x[i];
        if (e->neutral == 0)
            break;
        take_part(e, n, 0, d, part);
        for (int i = 0; i < n; i++)
            e->x[i] += part[i];
    }
    take_part(e, n, 1, d, part);
    double distance = euclidean_norm(n, d);
    w->passed = w->nearest > 0 && distance > PASSED_RATIO * w->nearest;
    if (distance < ARRIVING * w->size)
        w->nearest = w->nearest > 0 ? fmin(w->nearest, distance) : distance;
    if (euclidean_norm(n, part) > UNSTABLE_PART * distance)
        return false;
    return e->stable == 1 ? arrive_by_series(w) : arrive_linearly(w, d);
}

/* ----------------------------------------------------------------------------------- the motion */

static void update_drift(orbit_integral *w, const double *level) {
    const zw_melnikov_space *y = w->y;
    double C[ZW_MELNIKOV_QUANTITIES], f[N], f1[N];
    zw_eval_all(w->s->ctx, w->nq, y->C, w->n, y->x, w->x, C);
    zw_eval_all(w->s->ctx, w->n, y->f, w->n, y->x, w->x, f);
    zw_eval_all(w->s->ctx, w->n, y->f1, w->n, y->x, w->x, f1);
    for (int i = 0; i < w->nq; i++)
        w->out->drift[i] = fmax(w->out->drift[i], fabs(C[i] - level[i]));
    w->fastest = fmax(w->fastest, euclidean_norm(w->n, f));
    w->out->part = fmax(w->out->part, fabs(w->s->eps) * euclidean_norm(w->n, f1));
}

static double speed_of(const orbit_integral *w) {
    double f[N];
    zw_eval_all(w->s->ctx, w->n, w->y->f, w->n, w->y->x, w->x, f);
    return euclidean_norm(w->n, f);
}

/* From the saddle to this side; `why` if it does not arrive. */
static zw_status follow_orbit(zw_melnikov *s, const equilibrium *from, const series *b, int side,
                              zw_melnikov_orbit *out, char why[200], zw_error *err) {
    orbit_integral w = {
        .s = s, .y = &s->space, .n = s->space.n, .nq = s->space.nquantity, .out = out};
    double theta = side * fmin(b->reach, LARGEST_THETA), d[N];
    zw_legendre_points(FINE, w.gauss[0], w.weight[0]);
    zw_legendre_points(COARSE, w.gauss[1], w.weight[1]);
    *out = (zw_melnikov_orbit){.n = w.n, .side = side, .rate = b->lambda, .nquantity = w.nq};
    memcpy(out->from, from->x, sizeof out->from);
    zw_eval_all(s->ctx, w.nq, s->space.C, w.n, s->space.x, from->x, out->level);
    series_point(b, w.n, theta, w.x);
    add_manifold(&w, b, theta);
    bool there = false;
    double scale = isfinite(b->reach) ? b->reach : 0;
    for (int k = 0; k < ZW_PLANE_STEPS && !there; k++) {
        for (int i = 0; i < w.n; i++) {
            d[i] = w.x[i] - from->x[i];
            w.moved[i] = fmax(w.moved[i], fabs(d[i]));
        }
        double far = euclidean_norm(w.n, d);
        w.size = fmax(w.size, far);
        update_drift(&w, out->level);
        there = speed_of(&w) < 0.5 * w.fastest && is_arriving(&w);
        if (there)
            break;
        /* Round-off has grown in unstable directions: another turn does not belong to f0. */
        if (w.passed) {
            snprintf(
                why, 200,
                "after %.3g s it goes away from an equilibrium that it has come near to %.1e of "
                "its size: rounding grows faster than slow directions decay",
                w.t, w.nearest / w.size);
            return zw_context_status(s->ctx, err);
        }
        if (far > NO_RETURN * (1 + euclidean_norm(w.n, from->x) + scale) ||
            !advance_step(&w, 0.5 / b->lambda)) {
            snprintf(why, 200, "after %.3g s it leaves the domain of the rates, or goes away", w.t);
            return zw_context_status(s->ctx, err);
        }
    }
    for (int i = 0; i < w.n && there; i++)
        if (w.moved[i] > 0 && DBL_EPSILON * fabs(w.x[i]) > STATE_ROUNDOFF * w.size) {
            snprintf(why, 200,
                     "%s is %.1e times as large as the way is long: rounding spoils it, take the "
                     "difference to %.9g for a state",
                     s->space.name[i], fabs(w.x[i]) / w.size, from->x[i]);
            return zw_context_status(s->ctx, err);
        }
    ZW_TRY(zw_context_status(s->ctx, err));
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (!there) {
        snprintf(why, 200, "it comes to no equilibrium in %.3g s", w.t);
        return ZW_OK;
    }
    double ends[2][ZW_MELNIKOV_QUANTITIES];
    zw_eval_all(s->ctx, w.nq, s->space.g, w.n, s->space.x, from->x, ends[0]);
    zw_eval_all(s->ctx, w.nq, s->space.g, w.n, s->space.x, w.end.x, ends[1]);
    ZW_TRY(zw_context_status(s->ctx, err));
    for (int i = 0; i < w.nq; i++)
        if (!(fabs(ends[0][i]) + fabs(ends[1][i]) <= INTEGRAND_AT_END * w.most[i])) {
            zw_fail(err, ZW_E_DOMAIN,
                    "the integral of the change of %s has no value: %s still "
                    "changes it at an end of the separatrix",
                    s->space.text[i], s->options.small);
            zw_error_hint(err, "--conserved EXPR: other quantities");
            return ZW_E_DOMAIN;
        }
    for (int i = 0; i < w.n; i++) /* sets round-off of 0 to 0 */
        out->to[i] = fabs(w.end.x[i]) < ENTRY_ZERO * w.size ? 0 : w.end.x[i];
    memcpy(out->M, w.M, sizeof out->M);
    memcpy(out->error, w.error, sizeof out->error);
    out->time = w.t;
    out->stable = w.end.stable;
    out->neutral = w.end.neutral;
    out->part /= w.fastest;
    why[0] = 0;
    return ZW_OK;
}

/* The number of its only unstable direction, with a real eigenvalue, or -1. */
static int direction_out(const equilibrium *e, int n) {
    for (int j = 0; j < n && e->unstable == 1; j++)
        if (e->kind[j] > 0)
            return j;
    return -1;
}

/* So that sides are well defined: the first nonzero entry is positive. */
static void orient_directions(equilibrium *e, int n, int which) {
    int i = 0;
    while (i < n - 1 && fabs(e->B[i * n + which]) < ZW_ROUNDOFF_SOLVED)
        i++;
    if (e->B[i * n + which] < 0)
        for (int k = 0; k < n; k++) {
            e->B[k * n + which] *= -1;
            e->inverse[which * n + k] *= -1;
        }
}

zw_status zw_melnikov_find_orbits(zw_melnikov *s, zw_error *err) {
    double guess[GUESSES][N];
    char why[200] = "";
    int n = s->space.n, count = zw_space_guesses(s, GUESSES, guess, err), saddles = 0;
    if (count < 0)
        return err ? err->status : ZW_E_OPTION;
    for (int k = 0; k < count && s->norbit == 0; k++) {
        equilibrium e = {0};
        series b;
        memcpy(e.x, guess[k], sizeof e.x);
        bool found = zw_space_newton(s, e.x) && analyse_equilibrium(s, &e);
        int which = found ? direction_out(&e, n) : -1;
        ZW_TRY(zw_context_status(s->ctx, err));
        if (s->arena.failed)
            return zw_out_of_memory(err, NULL);
        if (which < 0)
            continue;
        saddles++;
        orient_directions(&e, n, which);
        if (!expand_manifold(s, &e, which, &b)) {
            ZW_TRY(zw_context_status(s->ctx, err));
            snprintf(why, sizeof why, "the rates have no power series at the saddle");
            continue;
        }
        for (int side = 1; side >= -1; side -= 2) {
            if (s->options.side && s->options.side != side)
                continue;
            ZW_TRY(
                follow_orbit(s, &e, &b, side, &s->found[s->norbit], s->why[side > 0 ? 0 : 1], err));
            if (!s->why[side > 0 ? 0 : 1][0])
                s->norbit++;
            else
                snprintf(why, sizeof why, "%.199s", s->why[side > 0 ? 0 : 1]);
        }
    }
    if (s->norbit > 0)
        return ZW_OK;
    if (saddles == 0)
        zw_fail(err, ZW_E_DOMAIN, "without %s there is no equilibrium %s that one direction leaves",
                s->options.small,
                s->options.at ? "where --at leads" : "near the equilibria and the start");
    else
        zw_fail(err, ZW_E_DOMAIN, "what leaves the saddle comes to no equilibrium: %s", why);
    zw_error_hint(err,
                  "--at \"%s=..., %s=...\" says where the saddle is; all other directions have to "
                  "decay, or to be neutral and not to swing",
                  s->space.name[0], s->space.name[1]);
    return ZW_E_DOMAIN;
}
