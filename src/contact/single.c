/* SPDX-License-Identifier: MIT */
/* One contact, exactly. Sticking: r = -W^-1 q if that presses and lies in the cone. Slipping: the direction d of slip is the
 * unknown; with f = grad D(d)
 *
 *     r_N = -q_N/(W_NN - mu W_NF f),     g(d) = q_F + (W_FN - mu W_FF f) r_N = lam d,   lam >= 0.
 *
 * In the plane (Coulomb) the angle of d is looked for by signs of the part of g across d, of degree 2 in its sine and
 * cosine; for Contensou's law by Newton's method on the sphere. The rule where there are several answers (Painleve's
 * paradoxes): nothing, then sticking, then slipping in the direction nearest to the free one. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "num/linalg.h"
#include "solver.h"

enum { INTERVALS = 24, SECANTS = 60 };

#define SINGULAR 1e-13 /* of pivots, the smallest beside the largest */

/* x = -W^-1 q; false: W is singular */
static bool solve_all(int m, const double *W, const double *q, double *x) {
    double LU[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX];
    int pivot[ZW_CONTACT_ROWS_MAX];
    memcpy(LU, W, sizeof *LU * (size_t)(m * m));
    for (int i = 0; i < m; i++)
        x[i] = -q[i];
    if (!(zw_num_lu(m, LU, pivot) > SINGULAR))
        return false;
    zw_num_lu_solve(m, LU, pivot, 1, x);
    return true;
}

/* -------------------------------------------------------------------------------- Coulomb in the plane */

typedef struct turn {
    const double *W, *q;
    double mu;
} turn;

static double normal_at(const turn *t, double c, double s) {
    double along = t->W[0] - t->mu * (t->W[1] * c + t->W[2] * s);
    return along > 0 ? -t->q[0] / along : -1;
}

/* the part of g across d, times what r_N is divided by */
static double across(const turn *t, double c, double s) {
    const double *W = t->W;
    double mu = t->mu, along = W[0] - mu * (W[1] * c + W[2] * s),
           x = W[3] - mu * (W[4] * c + W[5] * s), y = W[6] - mu * (W[7] * c + W[8] * s);
    return (-s * t->q[1] + c * t->q[2]) * along - t->q[0] * (-s * x + c * y);
}

static bool take(const turn *t, double c, double s, double *r) {
    double N = normal_at(t, c, s);
    if (!(N >= 0))
        return false;
    const double *W = t->W;
    double rT[2] = {-t->mu * N * c, -t->mu * N * s},
           u[2] = {t->q[1] + W[3] * N + W[4] * rT[0] + W[5] * rT[1],
                   t->q[2] + W[6] * N + W[7] * rT[0] + W[8] * rT[1]};
    if (c * u[0] + s * u[1] < 0)
        return false;
    r[0] = N;
    r[1] = rT[0];
    r[2] = rT[1];
    return true;
}

/* the zero of `across` between two angles of different sign: regula falsi with the Illinois rule */
static double zero_between(const turn *t, double a, double fa, double b, double fb) {
    for (int k = 0; k < SECANTS && fabs(b - a) > 2 * DBL_EPSILON * 4; k++) {
        double x = (a * fb - b * fa) / (fb - fa);
        if (!(x > a && x < b))
            x = 0.5 * (a + b);
        double f = across(t, cos(x), sin(x));
        if (f == 0)
            return x;
        if ((f > 0) == (fb > 0)) {
            b = x;
            fb = f;
            fa *= 0.5;
        } else {
            a = x;
            fa = f;
            fb *= 0.5;
        }
    }
    return fabs(fa) < fabs(fb) ? a : b;
}

/* intervals by turns on both sides of the free direction, so that the nearest answer is found first */
static bool slide(const turn *t, double *r) {
    double first = atan2(t->q[2], t->q[1]), step = 2 * M_PI / INTERVALS;
    double f0 = across(t, cos(first), sin(first));
    double edge[2] = {first, first}, value[2] = {f0, f0};
    if (f0 == 0 && take(t, cos(first), sin(first), r))
        return true;
    for (int k = 0; k < INTERVALS; k++) {
        int side = k % 2;
        double a = edge[side], fa = value[side], b = a + (side ? -step : step),
               fb = across(t, cos(b), sin(b));
        edge[side] = b;
        value[side] = fb;
        if ((fa > 0) == (fb > 0) && fb != 0)
            continue;
        double x = fb == 0 ? b
                   : side  ? zero_between(t, b, fb, a, fa)
                           : zero_between(t, a, fa, b, fb);
        if (take(t, cos(x), sin(x), r))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------ any set, on the sphere */

typedef struct sphere {
    const zw_friction *f;
    const double *W, *q;
    int m;
} sphere;

/* g and lam, r_N at d; false: r_N has no sense there. slope (n x n, may be NULL): dg/dd */
static bool look(const sphere *k, const double *d, double *g, double *N, double *slope) {
    int m = k->m, n = m - 1;
    zw_law_support s;
    const double *W = k->W;
    double along = W[0], mu = k->f->mu;
    zw_law_support_at(k->f, d, &s);
    for (int a = 0; a < n; a++)
        along -= mu * W[1 + a] * s.gradient[a];
    if (!(along > 0))
        return false;
    *N = -k->q[0] / along;
    for (int a = 0; a < n; a++) {
        double pull = W[(1 + a) * m];
        for (int b = 0; b < n; b++)
            pull -= mu * W[(1 + a) * m + 1 + b] * s.gradient[b];
        g[a] = k->q[1 + a] + pull * *N;
        for (int c = 0; slope && c < n; c++) {
            double change = 0, normal = 0;
            for (int b = 0; b < n; b++) {
                change -= mu * W[(1 + a) * m + 1 + b] * s.hessian[b * n + c];
                normal += mu * W[1 + b] * s.hessian[b * n + c];
            }
            slope[a * n + c] = change * *N + pull * *N * normal / along;
        }
    }
    return true;
}

static double unit(int n, double *d) {
    double sum = 0;
    for (int a = 0; a < n; a++)
        sum += d[a] * d[a];
    double length = sqrt(sum);
    for (int a = 0; a < n && length > 0; a++)
        d[a] /= length;
    return length;
}

static double project(int n, const double *g, const double *d, double *rest) {
    double lam = 0;
    for (int a = 0; a < n; a++)
        lam += g[a] * d[a];
    for (int a = 0; a < n; a++)
        rest[a] = g[a] - lam * d[a];
    return lam;
}

/* Newton's method for g - lam d = 0 from d: unknown a step across d and a change of lam */
static bool slide_from(const sphere *k, double *d, double *r) {
    int n = k->m - 1;
    double g[ZW_LAW_MAX], rest[ZW_LAW_MAX], slope[ZW_LAW_MAX * ZW_LAW_MAX], N, lam, size = 0;
    for (int a = 0; a <= n; a++)
        size += fabs(k->q[a]);
    for (int step = 0; step < 60; step++) {
        if (!look(k, d, g, &N, slope))
            return false;
        lam = project(n, g, d, rest);
        double miss = 0;
        for (int a = 0; a < n; a++)
            miss += rest[a] * rest[a];
        miss = sqrt(miss);
        if (miss <= 4 * DBL_EPSILON * size) {
            if (lam < 0 || N < 0)
                return false;
            zw_law_support s;
            zw_law_support_at(k->f, d, &s);
            r[0] = N;
            for (int a = 0; a < n; a++)
                r[1 + a] = -k->f->mu * N * s.gradient[a];
            return true;
        }
        /* (slope - lam) dd - dlam d = -rest, d.dd = 0 */
        double A[16] = {0}, x[4], right[4];
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++)
                A[a * (n + 1) + b] = slope[a * n + b] - (a == b ? lam : 0);
            A[a * (n + 1) + n] = -d[a];
            A[n * (n + 1) + a] = d[a];
            right[a] = rest[a];
        }
        right[n] = 0;
        if (!solve_all(n + 1, A, right, x))
            return false;
        double length = 0, part = 1;
        for (int a = 0; a < n; a++)
            length += x[a] * x[a];
        length = sqrt(length);
        if (length > 0.7)
            part = 0.7 / length;
        bool better = false;
        for (int half = 0; half < 12 && !better; half++, part /= 2) {
            double trial[ZW_LAW_MAX], g2[ZW_LAW_MAX], rest2[ZW_LAW_MAX], N2, sum = 0;
            for (int a = 0; a < n; a++)
                trial[a] = d[a] + part * x[a];
            unit(n, trial);
            if (!look(k, trial, g2, &N2, NULL))
                continue;
            project(n, g2, trial, rest2);
            for (int a = 0; a < n; a++)
                sum += rest2[a] * rest2[a];
            if (sqrt(sum) < miss || (step > 4 && sqrt(sum) < 1e-13 * size)) {
                memcpy(d, trial, sizeof *d * (size_t)n);
                better = true;
            }
        }
        if (!better && miss > 1e-13 * size)
            return false;
        if (!better) { /* rounding */
            zw_law_support s;
            if (lam < 0 || N < 0)
                return false;
            zw_law_support_at(k->f, d, &s);
            r[0] = N;
            for (int a = 0; a < n; a++)
                r[1 + a] = -k->f->mu * N * s.gradient[a];
            return true;
        }
    }
    return false;
}

static bool slide_anywhere(const sphere *k, const double *stuck, double *r) {
    static const double corner[8][3] = {{1, 1, 1},  {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                        {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
    int n = k->m - 1;
    for (int trial = 0; trial < 10; trial++) {
        double d[ZW_LAW_MAX];
        for (int a = 0; a < n; a++)
            d[a] = trial == 0   ? k->q[1 + a] - k->W[(1 + a) * k->m] * k->q[0] / k->W[0]
                   : trial == 1 ? (stuck ? -stuck[1 + a] : k->q[1 + a])
                                : corner[trial - 2][a];
        if (unit(n, d) > 0 && slide_from(k, d, r))
            return true;
    }
    return false;
}

bool zw_contact_single(const zw_contact_law *law, const double *W, const double *q, double *r) {
    int m = zw_contact_law_rows(law);
    const zw_friction *f = law->block;
    memset(r, 0, sizeof *r * (size_t)m);
    if (q[0] >= 0)
        return true;
    if (law->nblock == 0 || (law->nblock == 1 && f->mu == 0 && f->kind != ZW_FRICTION_LINEAR)) {
        r[0] = -q[0] / W[0];
        return true;
    }
    if (law->nblock > 1 || f->kind == ZW_FRICTION_LINEAR || f->smooth > 0)
        return false;
    double stuck[ZW_CONTACT_ROWS_MAX];
    bool sticks = solve_all(m, W, q, stuck);
    if (sticks && stuck[0] >= 0 && zw_law_gauge_value(f, stuck + 1) <= f->mu * stuck[0]) {
        memcpy(r, stuck, sizeof *r * (size_t)m);
        return true;
    }
    bool plane =
        f->kind == ZW_FRICTION_ELLIPSOID && f->nrow == 2 && f->axis[0] == 1 && f->axis[1] == 1;
    if (plane && slide(&(turn){.W = W, .q = q, .mu = f->mu}, r))
        return true;
    return slide_anywhere(&(sphere){.f = f, .W = W, .q = q, .m = m}, sticks ? stuck : NULL, r);
}
