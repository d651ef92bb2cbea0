/* SPDX-License-Identifier: MIT */
/* M as a series in a parameter p at the first value p_0 of a range,
 *
 *     M = (p - p_0)^r (c_0 + c_1 (p - p_0) + ...),
 *
 * r = 0 unless p_0 = 0, where separatrices may shrink to a line.
 *
 * M is computed at the Chebyshev points of the range; for every candidate of r, M/p^r is a
 * polynomial through them, and r is the one whose coefficients decrease fastest. The derivatives
 * of T_n at its end are known, T_n^(k)(-1) = (-1)^(n+k) prod_(j<k) (n^2 - j^2)/(2j + 1), and so
 * are the c_k, with an error that is estimated by the last coefficients and by the round-off of
 * M.
 *
 * Integrals that are elementary have rational coefficients. A number is replaced by the fraction
 * num/den if it agrees with it within its error and fractions with such small denominators are so
 * rare that this would be coincidence in one of a thousand cases: it is recognised, not derived. If
 * melnikov_exact.c derives it, that result is reported instead. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "melnikov.h"

enum {
    NODES = 16,         /* Chebyshev points of the range */
    DENOMINATOR = 20000 /* of a recognised fraction */
};
/* probability that a fraction agrees by coincidence: one in a thousand, see above */
#define COINCIDENCE 1e-3
#define ZERO_BELOW 1e-9 /* error of a coefficient: only a smaller one shows that it is zero */
/* estimated errors of a coefficient: an exact one that differs by more is not the same */
#define EXACT_ERRORS 30.0
/* of a continued fraction: larger ones are round-off of an exact fraction */
#define LARGEST_PART 1e9
#define TAIL_ROUNDOFF 1e-15 /* of coefficients: smaller tails are equally good */

/* Coefficients of T_0 ... of the polynomial through values at cos(pi (j + 1/2)/NODES). */
static void fit_chebyshev(const double *value, double *a) {
    for (int n = 0; n < NODES; n++) {
        a[n] = 0;
        for (int j = 0; j < NODES; j++)
            a[n] += value[j] * cos(M_PI * n * (j + 0.5) / NODES) * (n ? 2.0 : 1.0) / NODES;
    }
}

/* The size of the last coefficients relative to the first ones. */
static double tail_of(const double *a) {
    double first = 0, last = 0;
    for (int n = 0; n < NODES; n++)
        *(n < 4 ? &first : n >= NODES - 4 ? &last : &(double){0}) += fabs(a[n]);
    return first > 0 ? last / first : INFINITY;
}

/* k-th derivative of T_n at -1, over k!. */
static double end_slope(int n, int k) {
    double out = (n + k) % 2 ? -1 : 1;
    for (int j = 0; j < k; j++)
        out *= ((double)n * n - (double)j * j) / ((2 * j + 1) * (j + 1.0));
    return out;
}

static void recognise_fraction(zw_melnikov_term *t) {
    double x = fabs(t->value), rest = x;
    long p0 = 1, q0 = 0, p1 = (long)floor(rest), q1 = 1;
    double error = fmax(3 * t->error, 4 * DBL_EPSILON * x);
    t->recognised = false;
    if (x > LARGEST_PART || !isfinite(x))
        return;
    for (int k = 0; k < 40; k++) {
        if (fabs(x - (double)p1 / (double)q1) <= error) {
            if (2 * error * (double)q1 * (double)q1 > COINCIDENCE ||
                (p1 == 0 && error > ZERO_BELOW))
                return;
            t->recognised = true;
            t->num = t->value < 0 ? -p1 : p1;
            t->den = q1;
            double difference = fabs(x - (double)p1 / (double)q1);
            t->digits = x > 0 ? -log10(fmax(difference / x, DBL_EPSILON)) : -log10(error);
            return;
        }
        double part = rest - floor(rest);
        if (part <= 0)
            return;
        rest = 1 / part;
        long a = (long)fmin(floor(rest), LARGEST_PART);
        long p2 = a * p1 + p0, q2 = a * q1 + q0;
        if (q2 > DENOMINATOR || p2 > 1000000000L)
            return;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    }
}

static void read_terms(zw_melnikov_series *out, const double *a, double noise, double length,
                       int terms) {
    out->n = terms;
    for (int k = 0; k < terms; k++) {
        double sum = 0, shorter = 0, size = 0, scale = pow(2 / length, k);
        for (int n = 0; n < NODES; n++) {
            double part = a[n] * end_slope(n, k) * scale;
            sum += part;
            shorter += n < NODES - 2 ? part : 0;
            size += fabs(end_slope(n, k)) * scale;
        }
        out->term[k] = (zw_melnikov_term){.value = sum};
        out->term[k].error = fabs(sum - shorter) + noise * size / sqrt(NODES);
        recognise_fraction(&out->term[k]);
    }
}

/* r from candidates; the values become M/p^r. If none of them is possible, the tail is infinite. */
static void choose_power(zw_melnikov_series *out, const double *at, const double *M, double *a) {
    static const int candidate[][2] = {{0, 1},  {1, 2}, {1, 1}, {3, 2}, {2, 1}, {5, 2},
                                       {3, 1},  {7, 2}, {4, 1}, {9, 2}, {5, 1}, {-1, 2},
                                       {-1, 1}, {1, 3}, {2, 3}, {1, 4}, {3, 4}};
    double best = INFINITY, value[NODES];
    out->tail = INFINITY;
    fit_chebyshev(M, a);
    for (size_t c = 0; c < sizeof candidate / sizeof *candidate; c++) {
        double coefficient[NODES];
        for (int j = 0; j < NODES; j++)
            value[j] = M[j] / pow(at[j], (double)candidate[c][0] / candidate[c][1]);
        fit_chebyshev(value, coefficient);
        double tail = fmax(tail_of(coefficient), TAIL_ROUNDOFF);
        double end = 0, size = 0;
        for (int n = 0; n < NODES; n++) {
            end += coefficient[n] * end_slope(n, 0);
            size += fabs(coefficient[n]);
        }
        bool vanishes = fabs(end) <=
                        /* a higher power of the same kind is the right one */
                        fmax(ZW_ROUNDOFF_SOLVED, tail) * size;
        if (!vanishes && tail < best / 3) {
            best = tail;
            out->tail = tail_of(coefficient);
            out->power_num = candidate[c][0];
            out->power_den = candidate[c][1];
            memcpy(a, coefficient, sizeof coefficient);
        }
    }
}

/* Exact coefficients instead of recognised ones. The computed values must agree with them within
 * their error, in all terms; otherwise none is reported. */
static zw_status derive_terms(zw_melnikov *s, int part, zw_melnikov_series *out, zw_error *err) {
    zw_melnikov_exact exact;
    ZW_TRY(zw_melnikov_exactly(s, part, s->expand.parameter, s->expand.from, out->n, &exact, err));
    int first = exact.step * out->power_num / out->power_den;
    if (exact.n == 0 || exact.step * out->power_num % out->power_den)
        return ZW_OK;
    for (int k = 0; k < exact.n && k < first + exact.step * out->n; k++) {
        int i = k < first || (k - first) % exact.step ? -1 : (k - first) / exact.step;
        const zw_melnikov_term *t = i < 0 ? NULL : &out->term[i];
        if (fabs(exact.term[k].value - (t ? t->value : 0)) > (t ? EXACT_ERRORS * t->error : 0))
            return ZW_OK;
    }
    for (int i = 0; i < out->n && first + exact.step * i < exact.n; i++)
        out->term[i].exact = exact.term[first + exact.step * i];
    return ZW_OK;
}

static zw_status expand_part(zw_melnikov *s, int part, double *p, zw_melnikov_series *out,
                             zw_error *err) {
    const zw_parameter_range *o = &s->expand;
    double at[NODES], M[NODES], a[NODES], noise = 0, length = o->to - o->from;
    for (int j = 0; j < NODES; j++) {
        zw_melnikov_value v;
        zw_error trouble = {0};
        at[j] = 0.5 * length * (1 + cos(M_PI * (j + 0.5) / NODES));
        ZW_TRY(zw_melnikov_parameters(s, o->parameter, o->from + at[j], -1, 0, p, err));
        zw_status status = zw_melnikov_along(s, p, 0, part, &v, &trouble);
        if (status < 0) {
            zw_fail(err, status, "--expand: at %s = %.6g: %.400s", o->name,
                    (o->from + at[j]) / o->factor, trouble.text);
            return status;
        }
        M[j] = v.mean;
        noise = fmax(noise, fmax(v.error, 4 * DBL_EPSILON * fabs(v.mean)) / fabs(v.mean));
    }
    out->power_num = 0;
    out->power_den = 1;
    if (o->from == 0)
        choose_power(out, at, M, a);
    else {
        fit_chebyshev(M, a);
        out->tail = tail_of(a);
    }
    double size = 0;
    for (int n = 0; n < NODES; n++)
        size = fmax(size, fabs(a[n]));
    read_terms(out, a, noise * size, length, s->options.terms);
    out->factor[0] = 0;
    ZW_TRY(derive_terms(s, part, out, err));
    if (part >= 0) {
        char *text = zw_print_within(s->ctx, s->factor[part], ZW_TEXT, 60);
        snprintf(out->factor, sizeof out->factor, "%s", text ? text : "...");
        zw_string_free(s->ctx, text);
    }
    return ZW_OK;
}

zw_status zw_melnikov_expand(zw_melnikov *s, zw_error *err) {
    double *p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    int n = s->npart > 0 ? s->npart : 1;
    if (!p)
        return zw_out_of_memory(err, NULL);
    if (s->plane.base > 0)
        return zw_fail(
            err, ZW_E_OPTION,
            "--expand: M has to be a number, but here it depends on the phase of the excitation");
    for (int k = 0; k < n; k++)
        ZW_TRY(expand_part(s, s->npart > 0 ? k : -1, p, &s->series[k], err));
    s->nseries = n;
    return ZW_OK;
}
