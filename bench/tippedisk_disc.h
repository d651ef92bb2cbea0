/* SPDX-License-Identifier: MIT */
/* The tippedisk in Euler angles z-x-z, in closed form, for tippedisk_by_hand.c and
 * tippedisk_siconos.cpp. Coordinates x, y, z of the geometric centre, alpha, beta, gamma. */
#ifndef ZW_BENCH_TIPPEDISK_DISC_H
#define ZW_BENCH_TIPPEDISK_DISC_H

#include <math.h>

static const double r = 0.045, hole = 0.015, b = 0.02, thick = 0.01, rho = 7700, g = 9.81, mu = 0.3;

typedef struct disc {
    double m, e, A, B, C;
} disc;

/* the mass matrix (m 1, N; N', J), J by the rows of its lower triangle; forces f with those of
 * inertia; the rows w of the contact: normal, two tangents */
typedef struct disc_terms {
    double N[3][3], J[6], f[6], w[3][6];
} disc_terms;

static inline disc make_disc(void) {
    double pi = acos(-1), k = rho * pi * thick / 12, r2 = r * r, a2 = hole * hole,
           h2 = thick * thick;
    disc d;
    d.m = rho * pi * (r2 - a2) * thick;
    d.e = b * a2 / (r2 - a2);
    d.A = k * (3 * r2 * r2 + r2 * h2 - a2 * h2 - 3 * a2 * a2);
    d.B = d.A - 12 * k * a2 * b * b;
    d.C = k * (6 * r2 * r2 - 6 * a2 * a2 - 12 * a2 * b * b);
    return d;
}

static inline void disc_terms_at(const disc *d, const double *q, const double *u, disc_terms *t) {
    double sa = sin(q[3]), ca = cos(q[3]), sb = sin(q[4]), cb = cos(q[4]), sg = sin(q[5]),
           cg = cos(q[5]);
    double al = u[3], be = u[4], ga = u[5], me = d->m * d->e, A = d->A, B = d->B, C = d->C;
    double D = A - B, K = A * sg * sg + B * cg * cg, c2 = cg * cg - sg * sg;
    double N[3][3] = {
        {me * (-ca * cb * sg - sa * cg), me * sa * sb * sg, me * (-ca * sg - sa * cb * cg)},
        {me * (-sa * cb * sg + ca * cg), -me * ca * sb * sg, me * (-sa * sg + ca * cb * cg)},
        {0, me * cb * sg, me * sb * cg}};
    double s2 = al * al + ga * ga;
    t->f[0] =
        me * (s2 * (ca * cg - sa * cb * sg) - be * be * sa * cb * sg - 2 * al * be * ca * sb * sg -
              2 * al * ga * (sa * sg - ca * cb * cg) - 2 * be * ga * sa * sb * cg);
    t->f[1] =
        me * (s2 * (sa * cg + ca * cb * sg) + be * be * ca * cb * sg - 2 * al * be * sa * sb * sg +
              2 * al * ga * (ca * sg + sa * cb * cg) + 2 * be * ga * ca * sb * cg);
    t->f[2] = me * ((be * be + ga * ga) * sb * sg - 2 * be * ga * cb * cg) - d->m * g;
    t->f[3] = -be * be * D * cb * sg * cg - 2 * al * be * (K - C) * sb * cb -
              2 * al * ga * D * sb * sb * sg * cg - be * ga * sb * (D * c2 - C);
    t->f[4] = al * al * sb * cb * (K - C) - al * ga * sb * (D * c2 + C) +
              2 * be * ga * D * sg * cg - me * g * cb * sg;
    t->f[5] = al * al * D * sb * sb * sg * cg - be * be * sg * cg * D +
              al * be * sb * (D * c2 + C) - me * g * sb * cg;
    double J[6] = {
        K * sb * sb + C * cb * cb, D * sb * sg * cg, A * cg * cg + B * sg * sg, C * cb, 0, C};
    double w[3][6] = {{0, 0, 1, 0, -r * cb, 0},
                      {1, 0, 0, r * ca * cb, -r * sa * sb, r * ca},
                      {0, 1, 0, r * sa * cb, r * ca * sb, r * sa}};
    for (int i = 0; i < 6; i++)
        t->J[i] = J[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++) {
            t->w[i][j] = w[i][j];
            if (j < 3)
                t->N[i][j] = N[i][j];
        }
}

#endif
