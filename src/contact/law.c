/* SPDX-License-Identifier: MIT */
/* Convex sets C of friction forces, in units of mu r_N, and the functions of them that solvers
 * need:
 *
 *     support   D(y) = max over b in C of b.y,       the boundary has the normal y at grad D(y)
 *     gauge  j(b) = least j with b in j C; y = grad(j^2/2) and b = grad(D^2/2)(y) are inverse maps
 *     nearest   the projection onto a multiple of C.
 *
 * For ellipsoids these have closed forms, except the projection, which is one equation of one
 * unknown. Contensou's body is a body of revolution (src/base/contensou.c). */
#include "law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/contensou.h"

enum { STEPS = 60 };

/* ----------------------------------------------------------------------------------- ellipsoids */

static void ellipsoid_support(const zw_friction *f, const double *y, zw_law_support *s) {
    double a2y[ZW_LAW_MAX], sum = 0;
    int n = f->nrow;
    for (int i = 0; i < n; i++) {
        a2y[i] = f->axis[i] * f->axis[i] * y[i];
        sum += a2y[i] * y[i];
    }
    s->D = sqrt(sum);
    for (int i = 0; i < n; i++) {
        s->gradient[i] = a2y[i] / s->D;
        for (int k = 0; k < n; k++)
            s->hessian[i * n + k] = -a2y[i] * a2y[k] / (sum * s->D);
        s->hessian[i * n + i] += f->axis[i] * f->axis[i] / s->D;
    }
}

static double ellipsoid_gauge(const zw_friction *f, const double *b) {
    double sum = 0;
    for (int i = 0; i < f->nrow; i++) {
        double part = b[i] / f->axis[i];
        sum += part * part;
    }
    return sqrt(sum);
}

static bool is_round(const zw_friction *f) {
    for (int i = 1; i < f->nrow; i++)
        if (f->axis[i] != f->axis[0])
            return false;
    return true;
}

/* x_i a_i^2/(a_i^2 + rho_i t) with t >= 0 such that it lies on the boundary: the sum of squares
 * falls with t and is convex, so that Newton's method from 0 stays on one side */
static void ellipsoid_nearest(const zw_friction *f, double size, const double *rho, const double *x,
                              double *out) {
    double t = 0;
    for (int step = 0; step < STEPS; step++) {
        double value = -1, slope = 0;
        for (int i = 0; i < f->nrow; i++) {
            double a = f->axis[i] * size, rest = a * a + rho[i] * t, part = a * x[i] / rest;
            value += part * part;
            slope -= 2 * part * part * rho[i] / rest;
        }
        double change = -value / slope;
        t += change;
        if (!(fabs(change) > 4 * DBL_EPSILON * t))
            break;
    }
    for (int i = 0; i < f->nrow; i++) {
        double a = f->axis[i] * size;
        out[i] = x[i] * a * a / (a * a + rho[i] * t);
    }
}

/* ------------------------------------------------------------------------ Contensou's body */

/* (X, Y) of b: lengths along slip and spin, and their directions */
typedef struct meridian {
    double X, Y, d[2], sign;
} meridian;

static meridian meridian_of(const double *b) {
    double X = hypot(b[0], b[1]);
    return (meridian){.X = X,
                      .Y = fabs(b[2]),
                      .d = {X > 0 ? b[0] / X : 1, X > 0 ? b[1] / X : 0},
                      .sign = b[2] < 0 ? -1 : 1};
}

static void contensou_support(const zw_friction *f, const double *y, zw_law_support *s) {
    meridian m = meridian_of(y);
    zw_contensou c = zw_contensou_at(f->nu, m.X, m.Y);
    double a[3] = {c.a[0] * m.d[0], c.a[0] * m.d[1], c.a[1] * m.sign}, d[3] = {m.d[0], m.d[1], 0};
    s->D = m.X * c.F + m.Y * c.T;
    for (int i = 0; i < 3; i++) {
        s->gradient[i] = i < 2 ? c.F * d[i] : c.T * m.sign;
        for (int k = 0; k < 3; k++)
            s->hessian[i * 3 + k] =
                c.bend * a[i] * a[k] - c.chord * d[i] * d[k] + (i == k && i < 2 ? c.chord : 0);
    }
}

/* the boundary point parallel to b; j */
static double contensou_parallel(const zw_friction *f, const meridian *m, zw_contensou_point *s) {
    *s = zw_contensou_parallel(f->nu, m->X, m->Y);
    return m->X * s->sine + m->Y * s->cosine > 0
               ? (m->X * s->sine + m->Y * s->cosine) / (s->c.F * s->sine + s->c.T * s->cosine)
               : 0;
}

static void contensou_nearest(const zw_friction *f, double size, const double *rho, const double *x,
                              double *out) {
    meridian m = meridian_of(x);
    zw_contensou_point s = zw_contensou_nearest(f->nu, m.X / size, m.Y / size, 1, rho[0] / rho[2]);
    out[0] = size * s.c.F * m.d[0];
    out[1] = size * s.c.F * m.d[1];
    out[2] = size * s.c.T * m.sign;
}

/* ---------------------------------------------------------------------------------- either kind */

void zw_law_support_at(const zw_friction *f, const double *y, zw_law_support *out) {
    if (f->kind == ZW_FRICTION_CONTENSOU)
        contensou_support(f, y, out);
    else
        ellipsoid_support(f, y, out);
}

double zw_law_gauge_value(const zw_friction *f, const double *b) {
    if (f->kind != ZW_FRICTION_CONTENSOU)
        return ellipsoid_gauge(f, b);
    meridian m = meridian_of(b);
    zw_contensou_point s;
    return m.X > 0 || m.Y > 0 ? contensou_parallel(f, &m, &s) : 0;
}

/* Hess(D^2/2) = grad D grad D' + D Hess D, of degree 0 */
static void subtract_gradients(const zw_friction *f, const double *y, double *B) {
    zw_law_support s;
    int n = f->nrow;
    zw_law_support_at(f, y, &s);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            B[i * n + k] = s.gradient[i] * s.gradient[k] + s.D * s.hessian[i * n + k];
}

static void contensou_gauge_at(const zw_friction *f, const double *b, zw_law_gauge *out) {
    meridian m = meridian_of(b);
    zw_contensou_point s;
    double tip = zw_contensou_tip(f->nu);
    memset(out, 0, sizeof *out);
    if (!(m.X > 0 || m.Y > 0)) {
        out->B[0] = out->B[4] = 1;
        out->B[8] = tip * tip;
        return;
    }
    out->j = contensou_parallel(f, &m, &s);
    double D = s.c.F * s.sine + s.c.T * s.cosine, factor = out->j / D;
    double normal[3] = {s.sine * m.d[0], s.sine * m.d[1], s.cosine * m.sign};
    for (int i = 0; i < 3; i++)
        out->y[i] = factor * normal[i];
    subtract_gradients(f, normal, out->B);
}

void zw_law_gauge_at(const zw_friction *f, const double *b, zw_law_gauge *out) {
    int n = f->nrow;
    if (f->kind == ZW_FRICTION_CONTENSOU) {
        contensou_gauge_at(f, b, out);
        return;
    }
    out->j = ellipsoid_gauge(f, b);
    for (int i = 0; i < n; i++) {
        double a2 = f->axis[i] * f->axis[i];
        out->y[i] = b[i] / a2;
        for (int k = 0; k < n; k++)
            out->B[i * n + k] = i == k ? a2 : 0;
    }
}

static bool is_even(int n, const double *rho) {
    for (int i = 1; i < n; i++)
        if (rho[i] != rho[0])
            return false;
    return true;
}

bool zw_law_nearest_in(const zw_friction *f, double size, const double *rho, const double *x,
                       double *out) {
    int n = f->nrow;
    memcpy(out, x, sizeof *out * (size_t)n);
    double j = zw_law_gauge_value(f, x);
    if (j <= size)
        return false;
    if (!(size > 0))
        memset(out, 0, sizeof *out * (size_t)n);
    else if (f->kind == ZW_FRICTION_CONTENSOU)
        contensou_nearest(f, size, rho, x, out);
    else if (n == 1 || (is_even(n, rho) && is_round(f)))
        for (int i = 0; i < n; i++)
            out[i] = x[i] * (size / j);
    else
        ellipsoid_nearest(f, size, rho, x, out);
    return true;
}

bool zw_law_nearest(const zw_friction *f, double size, const double *x, double *out) {
    static const double one[ZW_LAW_MAX] = {1, 1, 1};
    return zw_law_nearest_in(f, size, one, x, out);
}

/* D of the slip that moves x to its projection onto size C, and with it the size by the smoothed
 * law */
static double eased_size(const zw_friction *f, double whole, double smooth, double size,
                         const double *rho, const double *x, double *out) {
    double v[ZW_LAW_MAX];
    zw_law_support d = {0};
    if (!zw_law_nearest_in(f, size, rho, x, out))
        return 0;
    for (int a = 0; a < f->nrow; a++)
        v[a] = (x[a] - out[a]) / rho[a];
    zw_law_support_at(f, v, &d);
    return whole * d.D / (d.D + smooth);
}

/* Of a disc of radius n = whole axis, r = n v/(|v| + eps) at v = (x - r)/rho: its length y solves
 * y (X - y + eps rho) = n (X - y), X = |x|. */
static void resolve_round(const zw_friction *f, double n, double slack, const double *x,
                          double *out) {
    double X = 0;
    for (int a = 0; a < f->nrow; a++)
        X += x[a] * x[a];
    X = sqrt(X);
    double sum = X + slack + n, y = 2 * n * X / (sum + sqrt(sum * sum - 4 * n * X));
    for (int a = 0; a < f->nrow; a++)
        out[a] = X > 0 ? y / X * x[a] : 0;
}

void zw_law_resolve(const zw_friction *f, double whole, double smooth, const double *rho,
                    const double *x, double *out) {
    double low = 0, high = whole;
    if (!(smooth > 0)) {
        zw_law_nearest_in(f, whole, rho, x, out);
        return;
    }
    if (f->kind == ZW_FRICTION_ELLIPSOID && is_round(f) && is_even(f->nrow, rho)) {
        resolve_round(f, whole * f->axis[0], smooth / f->axis[0] * rho[0], x, out);
        return;
    }
    /* eased_size falls as size grows: one crossing */
    for (int step = 0; step < STEPS && high - low > DBL_EPSILON * high; step++) {
        double middle = 0.5 * (low + high);
        *(eased_size(f, whole, smooth, middle, rho, x, out) > middle ? &low : &high) = middle;
    }
    zw_law_nearest_in(f, high, rho, x, out);
}
