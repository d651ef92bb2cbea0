/* SPDX-License-Identifier: MIT */
/* The spectrum of Lorenz's equations as one writes it by hand: state and three disturbances in one
 * array of 12, Dormand and Prince's pair of orders 5 and 4 with a controlled step, or the classical
 * method of order 4 with a fixed one, Gram and Schmidt at regular times. */
#ifndef ZW_BENCH_LYAPUNOV_BY_HAND_H
#define ZW_BENCH_LYAPUNOV_BY_HAND_H

#include <math.h>
#include <string.h>

enum { HAND_N = 12 };

static inline void hand_rates(const double *y, double *f) {
    const double s = 10, r = 28, b = 8. / 3;
    f[0] = s * (y[1] - y[0]);
    f[1] = y[0] * (r - y[2]) - y[1];
    f[2] = y[0] * y[1] - b * y[2];
    for (int k = 3; k < HAND_N; k += 3) {
        f[k] = s * (y[k + 1] - y[k]);
        f[k + 1] = (r - y[2]) * y[k] - y[k + 1] - y[0] * y[k + 2];
        f[k + 2] = y[1] * y[k] + y[0] * y[k + 1] - b * y[k + 2];
    }
}

static inline void hand_gram_schmidt(double *y, double *sum) {
    for (int i = 0; i < 3; i++) {
        double *v = y + 3 + 3 * i;
        for (int k = 0; k < i; k++) {
            const double *w = y + 3 + 3 * k;
            double d = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
            for (int j = 0; j < 3; j++)
                v[j] -= d * w[j];
        }
        double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int j = 0; j < 3; j++)
            v[j] /= length;
        sum[i] += log(length);
    }
}

static inline void hand_rk4(double *y, double h) {
    double a[HAND_N], b[HAND_N], c[HAND_N], d[HAND_N], z[HAND_N];
    hand_rates(y, a);
    for (int i = 0; i < HAND_N; i++)
        z[i] = y[i] + 0.5 * h * a[i];
    hand_rates(z, b);
    for (int i = 0; i < HAND_N; i++)
        z[i] = y[i] + 0.5 * h * b[i];
    hand_rates(z, c);
    for (int i = 0; i < HAND_N; i++)
        z[i] = y[i] + h * c[i];
    hand_rates(z, d);
    for (int i = 0; i < HAND_N; i++)
        y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
}

/* up to t1, from the step *h on; the first rate k1 is that at y and goes on with it */
static inline void hand_dopri5(double *y, double *k1, double t, double t1, double *h, double tol) {
    double k2[HAND_N], k3[HAND_N], k4[HAND_N], k5[HAND_N], k6[HAND_N], k7[HAND_N], z[HAND_N];
    while (t < t1) {
        double s = t + 1.0000001 * *h >= t1 ? t1 - t : *h;
        for (int i = 0; i < HAND_N; i++)
            z[i] = y[i] + s * (1. / 5) * k1[i];
        hand_rates(z, k2);
        for (int i = 0; i < HAND_N; i++)
            z[i] = y[i] + s * (3. / 40 * k1[i] + 9. / 40 * k2[i]);
        hand_rates(z, k3);
        for (int i = 0; i < HAND_N; i++)
            z[i] = y[i] + s * (44. / 45 * k1[i] - 56. / 15 * k2[i] + 32. / 9 * k3[i]);
        hand_rates(z, k4);
        for (int i = 0; i < HAND_N; i++)
            z[i] = y[i] + s * (19372. / 6561 * k1[i] - 25360. / 2187 * k2[i] +
                               64448. / 6561 * k3[i] - 212. / 729 * k4[i]);
        hand_rates(z, k5);
        for (int i = 0; i < HAND_N; i++)
            z[i] = y[i] + s * (9017. / 3168 * k1[i] - 355. / 33 * k2[i] + 46732. / 5247 * k3[i] +
                               49. / 176 * k4[i] - 5103. / 18656 * k5[i]);
        hand_rates(z, k6);
        for (int i = 0; i < HAND_N; i++)
            z[i] = y[i] + s * (35. / 384 * k1[i] + 500. / 1113 * k3[i] + 125. / 192 * k4[i] -
                               2187. / 6784 * k5[i] + 11. / 84 * k6[i]);
        hand_rates(z, k7);
        double sum = 0;
        for (int i = 0; i < HAND_N; i++) {
            double e = s * (71. / 57600 * k1[i] - 71. / 16695 * k3[i] + 71. / 1920 * k4[i] -
                            17253. / 339200 * k5[i] + 22. / 525 * k6[i] - 1. / 40 * k7[i]);
            double size = tol * (0.01 + fmax(fabs(y[i]), fabs(z[i])));
            sum += e / size * (e / size);
        }
        double error = sqrt(sum / HAND_N), factor = 0.9 * pow(fmax(error, 1e-10), -0.2);
        if (error <= 1) {
            t += s;
            memcpy(y, z, sizeof z);
            memcpy(k1, k7, sizeof k7);
        }
        factor = factor > 5 ? 5 : factor < 0.2 ? 0.2 : factor;
        if (s == *h || error > 1 || factor < 1)
            *h = s * factor;
    }
}

/* exponents over a time, orthonormal every `every`; step > 0: the classical method, otherwise the
 * pair with tolerance tol */
static inline void hand_lorenz(double time, double every, double step, double tol, double *lambda) {
    double y[HAND_N] = {1, 1, 1}, k1[HAND_N], sum[3] = {0}, h = 1e-3;
    int n = (int)(time / every + 0.5), inner = step > 0 ? (int)(every / step + 0.5) : 0,
        skip = (int)(20 / every);
    y[3] = y[7] = y[11] = 1;
    for (int k = -skip; k < n; k++) {
        if (k == 0)
            memset(sum, 0, sizeof sum);
        for (int j = 0; j < inner; j++)
            hand_rk4(y, every / inner);
        if (step <= 0) {
            hand_rates(y, k1);
            hand_dopri5(y, k1, 0, every, &h, tol);
        }
        hand_gram_schmidt(y, sum);
    }
    for (int i = 0; i < 3; i++)
        lambda[i] = sum[i] / (n * every);
}

#endif
