/* SPDX-License-Identifier: MIT */
/* Motions of a vector field for the hunt `fields`: field_oracle.py puts `#define N` and `field` in
 * front and compiles it. Dormand and Prince 5(4), on its own steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 7, HALVINGS = 50 };
#define TURN (2 * M_PI)

static const double a[STAGES][6] = {
    {0},
    {1 / 5.},
    {3 / 40., 9 / 40.},
    {44 / 45., -56 / 15., 32 / 9.},
    {19372 / 6561., -25360 / 2187., 64448 / 6561., -212 / 729.},
    {9017 / 3168., -355 / 33., 46732 / 5247., 49 / 176., -5103 / 18656.},
    {35 / 384., 0, 500 / 1113., 125 / 192., -2187 / 6784., 11 / 84.}};
static const double wrong[STAGES] = {71 / 57600.,      0,         -71 / 16695., 71 / 1920.,
                                     -17253 / 339200., 22 / 525., -1 / 40.};

typedef struct motion {
    double x[N], old[N], k[STAGES][N], t, h,
        step; /* step: the length of the last one, from old to x */
    double p, sign, tolerance, speed, first[N]; /* speed > 0: rates are divided by their size */
} motion;

static void rates(const motion *m, const double *x, double *f) {
    double size = 0;
    field(x, m->p, f);
    for (int i = 0; i < N; i++)
        size += f[i] * f[i];
    double factor = m->sign * (m->speed > 0 ? m->speed / sqrt(size + 1e-3) : 1);
    for (int i = 0; i < N; i++)
        f[i] *= factor;
}

static motion begin(const double *x, double p, double sign, double tolerance, double speed) {
    motion m = {.h = 1e-3, .p = p, .sign = sign, .tolerance = tolerance, .speed = speed};
    memcpy(m.x, x, sizeof m.x);
    rates(&m, x, m.k[0]);
    return m;
}

/* one step of at most `longest`; returns 0 if there is none */
static int step(motion *m, double longest) {
    for (int trial = 0; trial < 60; trial++) {
        double h = fmin(m->h, longest), y[N], error = 0;
        for (int s = 1; s < STAGES; s++) {
            for (int i = 0; i < N; i++) {
                y[i] = m->x[i];
                for (int j = 0; j < s; j++)
                    y[i] += h * a[s][j] * m->k[j][i];
            }
            rates(m, y, m->k[s]);
        }
        for (int i = 0; i < N; i++) {
            double e = 0;
            for (int s = 0; s < STAGES; s++)
                e += h * wrong[s] * m->k[s][i];
            error =
                fmax(error, fabs(e) / (m->tolerance * (1e-2 + fmax(fabs(m->x[i]), fabs(y[i])))));
            if (!isfinite(e))
                error = 1e9;
        }
        m->h = h * fmin(fmax(0.9 * pow(fmax(error, 1e-10), -0.2), 0.2), 5);
        if (error > 1)
            continue;
        memcpy(m->old, m->x, sizeof m->x);
        memcpy(m->x, y, sizeof m->x);
        memcpy(m->first, m->k[0], sizeof m->first);
        memcpy(m->k[0], m->k[STAGES - 1], sizeof m->first);
        m->t += h;
        m->step = h;
        return 1;
    }
    return 0;
}

/* the state a part s of the last step after its beginning: a cubic */
static void between(const motion *m, double s, double *y) {
    for (int i = 0; i < N; i++)
        y[i] = (1 + 2 * s) * (1 - s) * (1 - s) * m->old[i] +
               s * (1 - s) * (1 - s) * m->step * m->first[i] + s * s * (3 - 2 * s) * m->x[i] +
               s * s * (s - 1) * m->step * m->k[0][i];
}

static double turned(const double *c, const double *u, const double *v) {
    double ux = u[0] - c[0], uy = u[1] - c[1], vx = v[0] - c[0], vy = v[1] - c[1];
    return atan2(ux * vy - uy * vx, ux * vx + uy * vy);
}

/* Where the motion from a state comes back to the ray from c after one turn about it: its distance
 * from c; infinite: it leaves; NaN: it does not come back. bounds (4): least and largest
 * coordinates on the way. period: its time, if the field is not normalised. */
static double come_back(const double *c, const double *x, double p, double sign, double reach,
                        double *bounds) {
    motion m = begin(x, p, sign, 1e-9, 0.5 * reach);
    double angle = 0, y[N];
    for (int i = 0; i < 2; i++)
        bounds[i] = bounds[2 + i] = x[i];
    for (int n = 0; n < 20000 && m.t < 150; n++) {
        if (!step(&m, 0.04))
            return NAN;
        double now = angle + turned(c, m.old, m.x);
        for (int i = 0; i < 2; i++) {
            bounds[i] = fmin(bounds[i], m.x[i]);
            bounds[2 + i] = fmax(bounds[2 + i], m.x[i]);
        }
        if (fabs(now) >= TURN) {
            double low = 0, high = 1;
            for (int k = 0; k < HALVINGS; k++) {
                double mid = (low + high) / 2;
                between(&m, mid, y);
                *(fabs(angle + turned(c, m.old, y)) >= TURN ? &high : &low) = mid;
            }
            between(&m, high, y);
            return hypot(y[0] - c[0], y[1] - c[1]);
        }
        angle = now;
        double away = fmax(fabs(m.x[0] - c[0]), fabs(m.x[1] - c[1]));
        if (away > 8 * reach)
            return INFINITY;
        if (away < 1e-7 * reach || hypot(m.k[0][0], m.k[0][1]) < 1e-5 * reach)
            return NAN;
    }
    return NAN;
}

void returns(int n, const double *s, const double *c, double angle, double p, double sign,
             double reach, double *back, double *bounds) {
    for (int i = 0; i < n; i++) {
        double x[N] = {c[0] + s[i] * cos(angle), c[1] + s[i] * sin(angle)};
        back[i] = come_back(c, x, p, sign, reach, bounds + 4 * i);
    }
}

/* A motion after `settle`: its passages upwards through its own mean of the first coordinate (times
 * and states, at most `most`), and its bounds (2 N). Returns their number; -1: it goes to
 * infinity. */
int passages(const double *x, double p, double settle, double until, double far, int most,
             double *times, double *states, double *bounds) {
    motion m = begin(x, p, 1, 1e-9, 0);
    double mean = 0, span = 0, y[N];
    int n = 0;
    for (int i = 0; i < N; i++) {
        bounds[i] = INFINITY;
        bounds[N + i] = -INFINITY;
    }
    for (long k = 0; k < 4000000 && m.t < until && n < most; k++) {
        if (!step(&m, 1))
            return -1;
        if (m.t > settle && m.t <= settle + (until - settle) / 3) {
            mean += m.step * (m.x[0] + m.old[0]) / 2;
            span += m.step;
        }
        for (int i = 0; i < N; i++)
            if (!(fabs(m.x[i]) < far))
                return -1;
        if (m.t <= settle + (until - settle) / 3)
            continue;
        for (int i = 0; i < N; i++) {
            bounds[i] = fmin(bounds[i], m.x[i]);
            bounds[N + i] = fmax(bounds[N + i], m.x[i]);
        }
        if (m.old[0] < mean / span && m.x[0] >= mean / span) {
            double low = 0, high = 1;
            for (int j = 0; j < HALVINGS; j++) {
                between(&m, (low + high) / 2, y);
                *(y[0] >= mean / span ? &high : &low) = (low + high) / 2;
            }
            times[n] = m.t - m.step * (1 - high);
            memcpy(states + N * n++, y, sizeof y);
        }
    }
    return n;
}

/* the state after a time; 0: there is none */
int advance(const double *x, double p, double time, double *out) {
    motion m = begin(x, p, 1, 1e-10, 0);
    while (m.t < time * (1 - 1e-14))
        if (!step(&m, time - m.t))
            return 0;
    memcpy(out, m.x, sizeof m.x);
    return 1;
}

/* On which side of a saddle c a motion goes away again that comes within r of it: the sign of w .
 * (x - c) there; 0: it does not come near. It begins inside and must leave first. */
double side_of_saddle(const double *x, double p, const double *c, const double *w, double r,
                      double far) {
    motion m = begin(x, p, 1, 1e-12, 0);
    int outside = 0, inside = 0;
    for (long n = 0; n < 2000000 && m.t < 2000; n++) {
        double away = 0, along = 0;
        if (!step(&m, 1))
            return 0;
        for (int i = 0; i < N; i++) {
            away = fmax(away, fabs(m.x[i] - c[i]));
            along += w[i] * (m.x[i] - c[i]);
        }
        if (away > far)
            return 0;
        outside |= away > 2 * r;
        inside |= outside && away < r;
        if (inside && away > r)
            return along > 0 ? 1 : -1;
    }
    return 0;
}
