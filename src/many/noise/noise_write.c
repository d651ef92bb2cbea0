/* SPDX-License-Identifier: MIT */
/* Results of a study of noise: moments as means over the paths, their errors from the spread,
 * tables. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "noise.h"

void zw_noise_transform(int N, double *re, double *im) {
    for (int i = 1, j = 0; i < N; i++) { /* bit-reversed order */
        int bit = N >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double a = re[i], b = im[i];
            re[i] = re[j], im[i] = im[j];
            re[j] = a, im[j] = b;
        }
    }
    for (int length = 2; length <= N; length *= 2)
        for (int k = 0; k < length / 2; k++) {
            double c = cos(2 * M_PI * k / length), s = -sin(2 * M_PI * k / length);
            for (int i = k; i < N; i += length) {
                int j = i + length / 2;
                double a = re[j] * c - im[j] * s, b = re[j] * s + im[j] * c;
                re[j] = re[i] - a, im[j] = im[i] - b;
                re[i] += a, im[i] += b;
            }
        }
}

/* Relative to the quantity: a smaller spread is its own round-off. */

/* A mean over the paths, and its error from their spread. */
typedef struct mean {
    double sum, square;
    uint64_t n;
} mean;

static void add_value(mean *m, double value) {
    m->sum += value;
    m->square += value * value;
    m->n++;
}

static zw_noise_estimate estimate_mean(const mean *m, double about) {
    double n = (double)m->n, mid = m->sum / n;
    return m->n < 2 ? (zw_noise_estimate){NAN, NAN}
                    : (zw_noise_estimate){about + mid,
                                          sqrt(fmax(m->square / n - mid * mid, 0) / (n - 1))};
}

/* Origin of quantity i on a path, measured from that on the path `of`. */
static double origin_of(const zw_noise *n, uint64_t path, uint64_t of, int i) {
    uint64_t nof = (uint64_t)n->nof, at = (uint64_t)i;
    return n->origin[path * nof + at] - n->origin[of * nof + at];
}

/* Mean of power k of quantity i, measured from its origin on a path, over half h of the time or (h
 * = 2) all of it. */
static double power_of(const zw_noise *n, uint64_t path, int i, int h, int k) {
    const double *at =
        n->sums + ((path * (uint64_t)n->nof + (uint64_t)i) * 2) * ZW_NOISE_POWERS + k - 1;
    return h < 2 ? at[h * ZW_NOISE_POWERS] : (at[0] + at[ZW_NOISE_POWERS]) / 2;
}

/* Central moment k about c, measured from the same origin: both are close, however large the
 * quantity is. */
static double central_moment(const zw_noise *n, uint64_t path, int i, int h, int k, double c) {
    double m1 = power_of(n, path, i, h, 1), m2 = power_of(n, path, i, h, 2);
    if (k == 2)
        return m2 - 2 * c * m1 + c * c;
    double m3 = power_of(n, path, i, h, 3);
    if (k == 3)
        return m3 - 3 * c * m2 + 3 * c * c * m1 - c * c * c;
    return power_of(n, path, i, h, 4) - 4 * c * m3 + 6 * c * c * m2 - 4 * c * c * c * m1 +
           c * c * c * c;
}

/* The spread of a function of several means is that of its linear part about them. Skewness
 * m3/m2^(3/2), with m about the mean, whose own error changes m3 by -3 m2. */
zw_noise_moments zw_noise_moments_of(const zw_noise *n, int i) {
    zw_noise_moments out = {.name = n->name[i], .unit = n->unit[i]};
    mean first = {0}, drift = {0}, change = {0}, two = {0}, three = {0}, four = {0};
    uint64_t zero = 0; /* the path whose origin is used for all */
    while (zero + 1 < n->o.paths && !n->slot[zero].measured)
        zero++;
    for (uint64_t k = 0; k < n->o.paths; k++)
        if (n->slot[k].measured)
            add_value(&first, origin_of(n, k, zero, i) + power_of(n, k, i, 2, 1));
    double mid = first.sum / (double)first.n, m[5] = {0},
           large = fabs(n->origin[zero * (uint64_t)n->nof + (uint64_t)i] + mid);
    for (uint64_t k = 0; k < n->o.paths; k++)
        for (int power = 2; power <= 4 && n->slot[k].measured; power++)
            m[power] +=
                central_moment(n, k, i, 2, power, mid - origin_of(n, k, zero, i)) / (double)first.n;
    double skew = m[3] / pow(m[2], 1.5), kurtosis = m[4] / (m[2] * m[2]);
    for (uint64_t k = 0; k < n->o.paths; k++) {
        if (!n->slot[k].measured)
            continue;
        double c = mid - origin_of(n, k, zero, i), by = power_of(n, k, i, 2, 1) - c,
               v = central_moment(n, k, i, 2, 2, c) - m[2];
        add_value(&drift, power_of(n, k, i, 1, 1) - power_of(n, k, i, 0, 1));
        add_value(&change, central_moment(n, k, i, 1, 2, c) - central_moment(n, k, i, 0, 2, c));
        add_value(&two, v / (2 * sqrt(m[2])));
        add_value(&three,
                  (central_moment(n, k, i, 2, 3, c) - m[3] - 3 * m[2] * by) / pow(m[2], 1.5) -
                      1.5 * skew * v / m[2]);
        add_value(&four, (central_moment(n, k, i, 2, 4, c) - m[4] - 4 * m[3] * by) / (m[2] * m[2]) -
                             2 * kurtosis * v / m[2]);
    }
    out.mean = estimate_mean(&first, n->origin[zero * (uint64_t)n->nof + (uint64_t)i]);
    const zw_noise_estimate lost = {NAN, NAN}; /* by round-off of the quantity itself */
    bool seen = sqrt(m[2]) > ZW_ROUNDOFF_VALUE * large;
    out.sd = seen ? estimate_mean(&two, sqrt(m[2])) : lost;
    out.skewness = seen ? estimate_mean(&three, skew) : lost;
    out.excess = seen ? estimate_mean(&four, kurtosis - 3) : lost;
    out.drift = estimate_mean(&drift, 0);
    out.change = estimate_mean(&change, 0);
    return out;
}

bool zw_noise_is_settled(const zw_noise *n) {
    const double most = 4;
    for (int i = 0; i < n->nof; i++) {
        zw_noise_moments m = zw_noise_moments_of(n, i);
        if (fabs(m.drift.value) > most * m.drift.error ||
            fabs(m.change.value) > most * m.change.error)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------- answers */

int zw_noise_count(const zw_noise *n) {
    return n->nof;
}

bool zw_noise_commutes(const zw_noise *n) {
    return n->commute;
}

uint64_t zw_noise_paths(const zw_noise *n) {
    uint64_t done = 0;
    for (uint64_t k = 0; k < n->o.paths && n->slot; k++)
        done += n->slot[k].done;
    return done;
}

uint64_t zw_noise_ended(const zw_noise *n, int event) {
    uint64_t ended = 0;
    for (uint64_t k = 0; k < n->o.paths; k++)
        ended += n->slot[k].ended && (event < 0 || n->slot[k].event == event);
    return ended;
}

uint64_t zw_noise_failed(const zw_noise *n, const char **why) {
    uint64_t failed = 0;
    for (uint64_t k = 0; k < n->o.paths; k++)
        failed += n->slot[k].failed;
    *why = n->why;
    return failed;
}

double zw_noise_time(const zw_noise *n) {
    double sum = 0;
    for (uint64_t k = 0; k < n->o.paths; k++)
        sum += n->slot[k].done && !n->slot[k].failed ? n->slot[k].t : 0;
    return sum;
}

void zw_noise_interval(uint64_t k, uint64_t n, double *low, double *high) {
    const double z = 1.959963984540054;
    double N = (double)n, p = (double)k / N, by = z * z / N;
    double mid = (p + by / 2) / (1 + by),
           half = z * sqrt(p * (1 - p) / N + by / (4 * N)) / (1 + by);
    *low = k == 0 ? 0 : mid - half;
    *high = k == n ? 1 : mid + half;
}

/* ------------------------------------------------------------------------------------- tables */

static zw_status begin_table(const zw_noise *n, const char *kind, zw_table **out, zw_error *err) {
    char text[64];
    *out = zw_table_create(NULL);
    if (!*out)
        return zw_out_of_memory(err, NULL);
    snprintf(text, sizeof text, "%llu of seed %ld", (unsigned long long)n->measured, n->o.seed);
    zw_status status = zw_table_note(*out, "kind", kind);
    if (status >= 0)
        status = zw_table_note(*out, "model", n->sys->name);
    if (status >= 0)
        status = zw_table_note(*out, "paths", text);
    snprintf(text, sizeof text, "%.17g s", n->step);
    if (status >= 0)
        status = zw_table_note(*out, "noise step", text);
    snprintf(text, sizeof text, "%.17g s after %.17g s", n->o.time, n->o.transient);
    return status < 0 ? status : zw_table_note(*out, "measured", text);
}

static zw_status add_column(zw_table *t, const char *fmt, const char *name, const char *unit) {
    char text[240];
    snprintf(text, sizeof text, fmt, name);
    return zw_table_column(t, text, unit);
}

static zw_status fill_moments(const zw_noise *n, zw_table *t, zw_error *err) {
    static const char *const what[] = {"mean(%s)",      "error(mean(%s))",  "sd(%s)",
                                       "error(sd(%s))", "skewness(%s)",     "error(skewness(%s))",
                                       "excess(%s)",    "error(excess(%s))"};
    double *row = calloc((size_t)n->nof * 8 + 1, sizeof *row);
    zw_status status = row ? ZW_OK : ZW_E_MEMORY;
    for (int i = 0; i < n->nof && status >= 0; i++) {
        zw_noise_moments m = zw_noise_moments_of(n, i);
        const zw_noise_estimate all[] = {m.mean, m.sd, m.skewness, m.excess};
        for (int k = 0; k < 8 && status >= 0; k++) {
            status = add_column(t, what[k], n->name[i], k < 4 ? n->unit[i] : "");
            row[8 * i + k] = k % 2 ? all[k / 2].error : all[k / 2].value;
        }
    }
    if (status >= 0)
        status = zw_table_row(t, row);
    free(row);
    return status < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

zw_status zw_noise_moments_table(const zw_noise *n, zw_table **out, zw_error *err) {
    assert(out);
    ZW_TRY(begin_table(n, "moments", out, err));
    return fill_moments(n, *out, err);
}

static zw_status fill_spectrum(const zw_noise *n, zw_table *t, zw_error *err) {
    double *row = calloc(2 * (size_t)n->nof + 1, sizeof *row);
    zw_status status = row ? zw_table_column(t, "f", "Hz") : ZW_E_MEMORY;
    for (int i = 0; i < n->nof && status >= 0; i++) {
        char unit[80];
        if (n->sys->no_units || !n->unit[i][0])
            snprintf(unit, sizeof unit, "%s", n->sys->no_units ? "" : "s");
        else
            snprintf(unit, sizeof unit, "(%.60s)^2*s", n->unit[i]);
        status = add_column(t, "G(%s)", n->name[i], unit);
        if (status >= 0)
            status = add_column(t, "error(G(%s))", n->name[i], unit);
    }
    for (int k = 0; k < n->o.frequencies && status >= 0; k++) {
        row[0] = (k + 1) / n->o.time;
        for (int i = 0; i < n->nof; i++) {
            mean m = {0};
            for (uint64_t path = 0; path < n->o.paths; path++)
                if (n->slot[path].measured)
                    add_value(&m, n->spectrum[(path * (uint64_t)n->nof + (uint64_t)i) *
                                                  (uint64_t)n->o.frequencies +
                                              (uint64_t)k]);
            zw_noise_estimate g = estimate_mean(&m, 0);
            row[1 + 2 * i] = g.value;
            row[2 + 2 * i] = g.error;
        }
        status = zw_table_row(t, row);
    }
    free(row);
    return status < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

zw_status zw_noise_spectrum_table(const zw_noise *n, zw_table **out, zw_error *err) {
    assert(out);
    ZW_TRY(begin_table(n, "spectral density", out, err));
    return fill_spectrum(n, *out, err);
}
