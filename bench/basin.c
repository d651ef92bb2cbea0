/* SPDX-License-Identifier: MIT */
/* Basins of the driven Duffing oscillator: starts per second and core, against a loop as one writes
 * it by hand: the method of Dormand and Prince with the same tolerance, looked at once in a period,
 * ended when it is within reach of one of the two attractors, which the loop is told (as is the
 * reach). Both must say the same of every start.
 *   build/bench/basin [N]      N x N starts, 200 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "zwang/basin.h"

static const char text[] =
    "model m \"m\"\nunits none\nparam c = 0.1, F = 0.5, w = 1.6\ncoord x\nparticle p : 1 at (x, 0, "
    "0)\n"
    "potential x^2/2 + x^4/4\nforce (x) = F*cos(w*t) - c*x'\nstart x = 0, x' = 0\n";

static double processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rate(double t, const double *y, double *f) {
    f[0] = y[1];
    f[1] = 0.5 * cos(1.6 * t) - 0.1 * y[1] - y[0] - y[0] * y[0] * y[0];
}

/* one period from t, with steps by error control */
static void period(double *y, double t, double *h, double tolerance) {
    static const double c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static const double a[7][6] = {
        {0},
        {0.2},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double end = t + 2 * M_PI / 1.6, k[7][2], z[2];
    rate(t, y, k[0]);
    while (t < end) {
        double step = t + *h > end ? end - t : *h, error = 0;
        for (int s = 1; s < 7; s++) {
            for (int i = 0; i < 2; i++) {
                z[i] = 0;
                for (int q = 0; q < s; q++)
                    z[i] += a[s][q] * k[q][i];
                z[i] = y[i] + step * z[i];
            }
            rate(t + c[s] * step, z, k[s]);
        }
        for (int i = 0; i < 2; i++) {
            double d = 0;
            for (int s = 0; s < 7; s++)
                d += e[s] * k[s][i];
            error = fmax(error,
                         fabs(step * d) / (tolerance + tolerance * fmax(fabs(y[i]), fabs(z[i]))));
        }
        if (error <= 1) {
            t = end - t - step < 1e-13 ? end : t + step;
            memcpy(y, z, sizeof z);
            memcpy(k[0], k[6], sizeof k[0]);
        }
        *h = step * fmin(5, fmax(0.2, 0.9 * pow(error + 1e-10, -0.2)));
    }
}

static int by_hand(double x, double v, const zw_basin *b, double tolerance) {
    double y[2] = {x, v}, h = 0.01;
    for (int n = 0; n < 2000; n++) {
        period(y, 0, &h, tolerance);
        for (int i = 0; i < zw_basin_attractors(b); i++) {
            const zw_basin_attractor *a = zw_basin_attractor_at(b, i);
            if (fmax(fabs(y[0] - a->point[0]), fabs(y[1] - a->point[1])) < 6 * a->reach)
                return i + 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 200;
    char axis[2][40];
    snprintf(axis[0], sizeof axis[0], "x=-3:3:%d", n);
    snprintf(axis[1], sizeof axis[1], "x'=-3:3:%d", n);
    zw_basin_options o = zw_basin_options_default();
    zw_model_source source = {.text = text, .length = strlen(text), .file = "duffing"};
    zw_error err = {0};
    zw_basin *b;
    o.naxis = 2;
    o.axis = (const char *const[]){axis[0], axis[1]};
    o.threads = 1;
    double t0 = processor();
    if (zw_basin_create(&b, &source, &o, &err) < 0 || zw_basin_run(b, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    double t1 = processor(), ours = n * n / (t1 - t0);
    long differ = 0;
    for (int k = 0; k < n * n; k++) {
        int row = k / n;
        differ += by_hand(-3 + 6.0 * (k % n) / (n - 1), -3 + 6.0 * row / (n - 1), b, o.run.rtol) !=
                  zw_basin_label(b, (uint64_t)k);
    }
    double theirs = n * n / (processor() - t1);
    bench_row("basin", "duffing", "starts per second and core", ours, "1/s", "");
    bench_row("basin", "duffing", "by hand", theirs, "1/s", "");
    bench_row("basin", "duffing", "ratio", ours / theirs, "1", ">= 4");
    bench_row("basin", "duffing", "starts that differ", (double)differ, "1", "<= 0");
    zw_basin_destroy(b);
    return 0;
}
