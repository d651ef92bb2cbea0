/* SPDX-License-Identifier: MIT */
/* Moreau's midpoint rule for the tippedisk with set-valued Coulomb friction, written by hand as one
 * would for this disc alone: Euler angles z-x-z, the mass matrix in closed form, its factor by
 * blocks (m 1 and a 3 x 3 complement), one contact solved directly (sticking, else Newton's method
 * for the direction of slip). The baseline of bench/tippedisk.sh.
 *
 *     tippedisk_by_hand [STEP [UNTIL]]          1e-5 s, 5 s
 *
 * It prints the mean height of the centre of gravity from 1 s on, gamma at the end, and the CPU
 * seconds of its loop. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tippedisk_disc.h"

/* the terms, and the factor L of the complement S = J - N'N/m */
typedef struct frozen {
    disc_terms t;
    double L[6];
} frozen;

static void freeze(const disc *d, const double *q, const double *u, frozen *z) {
    double S[6], mean = 1 / d->m;
    disc_terms_at(d, q, u, &z->t);
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = 0; j <= i; j++, at++) {
            S[at] = z->t.J[at];
            for (int l = 0; l < 3; l++)
                S[at] -= z->t.N[l][i] * z->t.N[l][j] * mean;
        }
    double *L = z->L; /* inverse diagonal entries */
    L[0] = 1 / sqrt(S[0]);
    L[1] = S[1] * L[0];
    L[2] = 1 / sqrt(S[2] - L[1] * L[1]);
    L[3] = S[3] * L[0];
    L[4] = (S[4] - L[3] * L[1]) * L[2];
    L[5] = 1 / sqrt(S[5] - L[3] * L[3] - L[4] * L[4]);
}

/* M x = f */
static inline void solve(const disc *d, const frozen *z, const double *f, double *x) {
    double mean = 1 / d->m, y[3];
    const double *L = z->L;
    for (int i = 0; i < 3; i++)
        y[i] = f[3 + i] - (z->t.N[0][i] * f[0] + z->t.N[1][i] * f[1] + z->t.N[2][i] * f[2]) * mean;
    y[0] *= L[0];
    y[1] = (y[1] - L[1] * y[0]) * L[2];
    y[2] = (y[2] - L[3] * y[0] - L[4] * y[1]) * L[5];
    y[2] *= L[5];
    y[1] = (y[1] - L[4] * y[2]) * L[2];
    y[0] = (y[0] - L[1] * y[1] - L[3] * y[2]) * L[0];
    for (int l = 0; l < 3; l++) {
        x[3 + l] = y[l];
        x[l] = (f[l] - z->t.N[l][0] * y[0] - z->t.N[l][1] * y[1] - z->t.N[l][2] * y[2]) * mean;
    }
}

static inline double dot6(const double *a, const double *c) {
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2] + a[3] * c[3] + a[4] * c[4] + a[5] * c[5];
}

static double det3(const double *a, const double *c, const double *d) {
    return a[0] * (c[1] * d[2] - c[2] * d[1]) - a[1] * (c[0] * d[2] - c[2] * d[0]) +
           a[2] * (c[0] * d[1] - c[1] * d[0]);
}

/* impulses P for W and the velocities q that would be without them; W is symmetric */
static void contact(double W[3][3], const double *q, double *P) {
    P[0] = P[1] = P[2] = 0;
    if (q[0] >= 0)
        return;
    double inverse = -1 / det3(W[0], W[1], W[2]);
    double s[3] = {det3(q, W[1], W[2]) * inverse, det3(W[0], q, W[2]) * inverse,
                   det3(W[0], W[1], q) * inverse};
    if (s[0] >= 0 && s[1] * s[1] + s[2] * s[2] <= mu * mu * s[0] * s[0]) {
        P[0] = s[0], P[1] = s[1], P[2] = s[2];
        return;
    }
    double c = q[1], n = q[2], size = 1 / sqrt(c * c + n * n);
    c *= size, n *= size;
    for (int i = 0; i < 20; i++) { /* (c, n) the direction of slip */
        double t1 = W[1][0] - mu * (W[1][1] * c + W[1][2] * n),
               t2 = W[2][0] - mu * (W[2][1] * c + W[2][2] * n);
        double d1 = -mu * (W[1][2] * c - W[1][1] * n), d2 = -mu * (W[2][2] * c - W[2][1] * n);
        double den = 1 / (W[0][0] - mu * (W[0][1] * c + W[0][2] * n)), N = -q[0] * den;
        double dN = N * mu * (W[0][2] * c - W[0][1] * n) * den, u1 = q[1] + t1 * N,
               u2 = q[2] + t2 * N;
        double miss = c * u2 - n * u1;
        double slope = -c * u1 - n * u2 + c * (d2 * N + t2 * dN) - n * (d1 * N + t1 * dN);
        double turn = -miss / slope, cc = c - turn * n, nn = n + turn * c;
        P[0] = N, P[1] = -mu * N * c, P[2] = -mu * N * n;
        if (fabs(turn) < 1e-13)
            return;
        size = 1 / sqrt(cc * cc + nn * nn);
        c = cc * size, n = nn * size;
    }
}

static void step(const disc *d, double *q, double *u, double h) {
    double middle[6], x[4][6], free[6], P[3] = {0, 0, 0};
    frozen z;
    for (int i = 0; i < 6; i++)
        middle[i] = q[i] + h / 2 * u[i];
    freeze(d, middle, u, &z);
    solve(d, &z, z.t.f, x[3]);
    for (int i = 0; i < 6; i++)
        free[i] = u[i] + h * x[3][i];
    for (int a = 0; a < 3; a++)
        solve(d, &z, z.t.w[a], x[a]);
    if (middle[2] - r * sin(middle[4]) <= 0) {
        double W[3][3], gamma[3];
        for (int a = 0; a < 3; a++) {
            gamma[a] = dot6(z.t.w[a], free);
            for (int c = 0; c <= a; c++)
                W[a][c] = W[c][a] = dot6(z.t.w[a], x[c]);
        }
        contact(W, gamma, P);
    }
    for (int i = 0; i < 6; i++) {
        u[i] = free[i] + x[0][i] * P[0] + x[1][i] * P[1] + x[2][i] * P[2];
        q[i] = middle[i] + h / 2 * u[i];
    }
}

int main(int argc, char **argv) {
    double h = argc > 1 ? atof(argv[1]) : 1e-5, until = argc > 2 ? atof(argv[2]) : 5;
    double pi = acos(-1), q[6] = {0, 0, r, 0, pi / 2, -pi / 2 + 0.1}, u[6] = {0, 0, 0, 40, 0, 0},
           sum = 0;
    disc d = make_disc();
    long steps = lround(until / h), first = lround(1 / h), n = 0;
    clock_t begin = clock();
    for (long i = 1; i <= steps; i++) {
        step(&d, q, u, h);
        if (i >= first) {
            sum += q[2] + d.e * sin(q[4]) * sin(q[5]);
            n++;
        }
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%.10g %.10g %.6g\n", n > 0 ? sum / (double)n : 0, q[5], seconds);
    return 0;
}
