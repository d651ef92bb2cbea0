/* SPDX-License-Identifier: MIT */
/* Integrators as one writes them by hand for one system: plain arrays, everything visible to the
 * compiler. To be included once for every system, with
 *
 *     NAME     of the function              N        entries of the state
 *     RATES    void RATES(double t, const double *y, double *f, const double *p)
 *
 * makes NAME_dopri5 and NAME_rk87, from y at t0 to t1, which return the number of steps. The pairs
 * are those of Dormand and Prince (1980, RK5(4)7M) and Prince and Dormand (1981, RK8(7)13M); errors
 * and steps are controlled as Hairer's dopri5 does. The last step ends at t1. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

static double PASTE(NAME, _norm)(const double *e, const double *y0, const double *y1, double rtol,
                                 double atol) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double a = fabs(y0[i]), b = fabs(y1[i]), r = e[i] / (atol + rtol * (a > b ? a : b));
        sum += r * r;
    }
    return sqrt(sum / N);
}

static double PASTE(NAME, _first)(double t, const double *y, const double *f0, const double *p,
                                  int order, double rtol, double atol) {
    double d0 = PASTE(NAME, _norm)(y, y, y, rtol, atol),
           d1 = PASTE(NAME, _norm)(f0, y, y, rtol, atol);
    double h = d0 > 1e-5 && d1 > 1e-5 ? 0.01 * d0 / d1 : 1e-6, z[N], f[N];
    for (int i = 0; i < N; i++)
        z[i] = y[i] + h * f0[i];
    RATES(t + h, z, f, p);
    for (int i = 0; i < N; i++)
        f[i] -= f0[i];
    double d2 = PASTE(NAME, _norm)(f, y, y, rtol, atol) / h, most = d1 > d2 ? d1 : d2;
    double fits = most > 1e-15 ? pow(0.01 / most, 1.0 / order) : 1e-6;
    return fits < 100 * h ? fits : 100 * h;
}

#ifndef WITHOUT_DOPRI5
static long PASTE(NAME, _dopri5)(double t, double t1, double *y, const double *p, double rtol,
                                 double atol) {
    double k1[N], k2[N], k3[N], k4[N], k5[N], k6[N], k7[N], z[N], e[N], before = 1e-4;
    long steps = 0;
    int rejected = 0;
    RATES(t, y, k1, p);
    double h = PASTE(NAME, _first)(t, y, k1, p, 5, rtol, atol);
    while (t < t1) {
        int last = t + 1.0000001 * h >= t1;
        if (last)
            h = t1 - t;
        for (int i = 0; i < N; i++)
            z[i] = y[i] + h * (1. / 5 * k1[i]);
        RATES(t + 1. / 5 * h, z, k2, p);
        for (int i = 0; i < N; i++)
            z[i] = y[i] + h * (3. / 40 * k1[i] + 9. / 40 * k2[i]);
        RATES(t + 3. / 10 * h, z, k3, p);
        for (int i = 0; i < N; i++)
            z[i] = y[i] + h * (44. / 45 * k1[i] - 56. / 15 * k2[i] + 32. / 9 * k3[i]);
        RATES(t + 4. / 5 * h, z, k4, p);
        for (int i = 0; i < N; i++)
            z[i] = y[i] + h * (19372. / 6561 * k1[i] - 25360. / 2187 * k2[i] +
                               64448. / 6561 * k3[i] - 212. / 729 * k4[i]);
        RATES(t + 8. / 9 * h, z, k5, p);
        for (int i = 0; i < N; i++)
            z[i] = y[i] + h * (9017. / 3168 * k1[i] - 355. / 33 * k2[i] + 46732. / 5247 * k3[i] +
                               49. / 176 * k4[i] - 5103. / 18656 * k5[i]);
        RATES(t + h, z, k6, p);
        for (int i = 0; i < N; i++)
            z[i] = y[i] + h * (35. / 384 * k1[i] + 500. / 1113 * k3[i] + 125. / 192 * k4[i] -
                               2187. / 6784 * k5[i] + 11. / 84 * k6[i]);
        RATES(t + h, z, k7, p);
        for (int i = 0; i < N; i++)
            e[i] = h * (71. / 57600 * k1[i] - 71. / 16695 * k3[i] + 71. / 1920 * k4[i] -
                        17253. / 339200 * k5[i] + 22. / 525 * k6[i] - 1. / 40 * k7[i]);
        double error = PASTE(NAME, _norm)(e, y, z, rtol, atol);
        if (error <= 1) {
            double now = error > 1e-4 ? error : 1e-4;
            double factor = 0.9 * pow(now, -0.17) * pow(before, 0.04);
            factor = factor > 6 ? 6 : factor < 0.2 ? 0.2 : factor;
            before = now;
            t = last ? t1 : t + h;
            h *= rejected && factor > 1 ? 1 : factor;
            rejected = 0;
            for (int i = 0; i < N; i++) {
                y[i] = z[i];
                k1[i] = k7[i];
            }
            steps++;
        } else {
            double factor = 0.9 * pow(error, -0.2);
            h *= factor > 0.2 ? factor : 0.2;
            rejected = 1;
        }
    }
    return steps;
}

#endif
static long PASTE(NAME, _rk87)(double t, double t1, double *y, const double *p, double rtol,
                               double atol) {
    double k[14][N], z[N], e[N], before = 1e-4;
    const zw_rk_tableau *a = &by_hand_87;
    long steps = 0;
    int rejected = 0;
    RATES(t, y, k[0], p);
    double h = PASTE(NAME, _first)(t, y, k[0], p, 8, rtol, atol);
    while (t < t1) {
        int last = t + 1.0000001 * h >= t1;
        if (last)
            h = t1 - t;
#pragma GCC unroll 13
        for (int s = 1; s <= 13; s++) {
            for (int i = 0; i < N; i++) {
                double sum = 0;
#pragma GCC unroll 13
                for (int j = 0; j < s; j++)
                    if (a->a[s][j] != 0)
                        sum += a->a[s][j] * k[j][i];
                z[i] = y[i] + h * sum;
            }
            if (s < 13)
                RATES(t + a->c[s] * h, z, k[s], p);
        }
        for (int i = 0; i < N; i++) {
            double sum = 0;
#pragma GCC unroll 13
            for (int j = 0; j < 13; j++)
                if (a->e[j] != 0)
                    sum += a->e[j] * k[j][i];
            e[i] = h * sum;
        }
        double error = PASTE(NAME, _norm)(e, y, z, rtol, atol);
        if (error <= 1) {
            double now = error > 1e-4 ? error : 1e-4;
            double factor = 0.9 * pow(now, -0.10625) * pow(before, 0.025);
            factor = factor > 6 ? 6 : factor < 0.2 ? 0.2 : factor;
            before = now;
            t = last ? t1 : t + h;
            h *= rejected && factor > 1 ? 1 : factor;
            rejected = 0;
            for (int i = 0; i < N; i++)
                y[i] = z[i];
            if (t < t1)
                RATES(t, y, k[0], p);
            steps++;
        } else {
            double factor = 0.9 * pow(error, -0.125);
            h *= factor > 0.2 ? factor : 0.2;
            rejected = 1;
        }
    }
    return steps;
}

#undef NAME
#undef N
#undef RATES
