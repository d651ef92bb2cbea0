/* SPDX-License-Identifier: MIT */
/* The plane of two parameters by a return map: 10 000 pairs (zeta, w) of the tippedisk without
 * units, half turns in lanes, each with two tolerances, on one core, from the text. Beside it the
 * same starts at 400 of the pairs by a loop written by hand (Runge, Kutta, order 4, a fixed step),
 * which knows the equations, the symmetry and nothing of errors; both must count the same cycles
 * wherever the chart says that it is sure. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { GRID = 100, EVERY = 5, SAMPLES = 24 };
static const double kappa = 0.05, mu = 0.3, eps = 0.01, step = 0.05;

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
}

static void rate(const double *x, double zeta, double w, double *f) {
    double sb = sin(x[0]), cb = cos(x[0]), sg = sin(x[1]), cg = cos(x[1]), arm = 1 + kappa * sg;
    double J =
        zeta * cg * cg * (1 - kappa * sg - 2 * kappa * kappa) + sg * (sg + kappa + kappa * cg * cg);
    double h_1 =
        w * w * cb / (mu * sb * arm * arm * arm * arm) * (J - arm * arm * arm / (w * w * sb));
    f[0] = kappa * sb * cg / arm + eps * h_1;
    f[1] = -cb;
}

static void advance(double *x, double zeta, double w, double h) {
    double k[4][2], y[2];
    rate(x, zeta, w, k[0]);
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < 2; i++)
            y[i] = x[i] + h * (s == 3 ? 1 : 0.5) * k[s - 1][i];
        rate(y, zeta, w, k[s]);
    }
    for (int i = 0; i < 2; i++)
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* the sign of (return - start) after half a turn from gamma = pi/2 + s; leaving counts as
 * outwards */
static int half_turn(double s, double zeta, double w) {
    double x[2] = {M_PI / 2, M_PI / 2 + s}, before[2];
    for (int n = 0; n < 20000; n++) {
        memcpy(before, x, sizeof x);
        advance(x, zeta, w, step);
        if (!(sin(x[0]) > 0.1) || fabs(x[1] - M_PI / 2) > 2 * M_PI)
            return 1;
        if (n > 0 && (x[0] - M_PI / 2) * (before[0] - M_PI / 2) <= 0) {
            double f[2]; /* onto the section: Newton's steps in time */
            for (int k = 0; k < 3; k++) {
                rate(x, zeta, w, f);
                advance(x, zeta, w, -(x[0] - M_PI / 2) / f[0]);
            }
            return M_PI - x[1] > M_PI / 2 + s ? 1 : -1;
        }
    }
    return 1;
}

static int cycles_by_hand(double zeta, double w, long *motions) {
    int n = 0, last = w * w > (1 + kappa) * (1 + kappa) ? -1 : 1;
    static const double near[] = {1e-3, 3e-3, 1e-2}, far[] = {1e-2, 3e-3, 1e-3, 1e-4, 1e-5};
    for (int k = 0; k < SAMPLES + 8; k++) {
        double u = k < 3             ? near[k]
                   : k < 3 + SAMPLES ? (double)(k - 2) / (SAMPLES + 1)
                                     : 1 - far[k - 3 - SAMPLES];
        int sign = half_turn(M_PI * u, zeta, w);
        n += sign != last;
        last = sign;
        ++*motions;
    }
    return n;
}

static void by_hand(const zw_regions *r, double each) {
    long motions = 0, differ = 0, sure = 0;
    double begin = cpu();
    for (int j = 0; j < GRID; j += EVERY)
        for (int i = 0; i < GRID; i += EVERY) {
            const zw_region_point *at = zw_regions_at(r, j * GRID + i);
            int n = cycles_by_hand(at->at[0], at->at[1], &motions);
            sure += !at->why;
            differ += !at->why && n != at->ncycle;
        }
    double hand = (cpu() - begin) / (double)motions;
    bench_row("chart", "by hand", "half turn", 1e6 * hand, "us", "");
    bench_row("chart", "by hand", "ratio", hand / each, "", "");
    bench_row("chart", "by hand", "pairs compared", (double)sure, "", "");
    bench_row("chart", "by hand", "pairs that differ", (double)differ, "", "<= 0");
}

int main(int argc, char **argv) {
    static char text[1 << 16];
    static const char *const search[] = {"beta=0.5:2.6", "gamma=-2:2"};
    const char *path = argc > 1 ? argv[1] : "models/tippedisk_normalised.zw";
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 1;
    }
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    zw_model_source source = {.text = text, .length = strlen(text), .file = path};
    zw_regions_options o = zw_regions_options_default();
    o.over[0] = "zeta=0.7:1.7:100";
    o.over[1] = "w=0.9:1.13:100";
    o.nsearch = 2;
    o.search = search;
    o.section = "beta = pi/2";
    o.scan = "gamma=pi/2:3*pi/2:24";
    o.mirror = "beta = pi - beta, gamma = pi - gamma";
    o.threads = 1;
    zw_regions *r;
    zw_error err = {0};
    double begin = cpu();
    if (zw_regions_create(&r, &source, &o, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    double taken = cpu() - begin;
    long undecided = 0;
    for (int i = 0; i < zw_regions_points(r); i++)
        undecided += zw_regions_at(r, i)->why != NULL;
    bench_row("chart", "10000 pairs", "time", taken, "s", "");
    bench_row("chart", "10000 pairs", "half turns", (double)zw_regions_motions(r), "", "");
    bench_row("chart", "10000 pairs", "half turn", 1e6 * taken / (double)zw_regions_motions(r),
              "us", "");
    bench_row("chart", "10000 pairs", "undecided", (double)undecided, "", "");
    bench_row("chart", "10000 pairs", "folds on a line", zw_regions_pairs(r).folds_most, "",
              "<= 1");
    by_hand(r, taken / (double)zw_regions_motions(r));
    zw_regions_destroy(r);
    return 0;
}
