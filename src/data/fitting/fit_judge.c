/* SPDX-License-Identifier: MIT */
/* The quality of the minimum. At it, with R the triangle of all rows (without the weights of a
 * loss),
 *
 *   covariance = (R'R/phi + priors)^-1,
 *   phi = 1, with a loss phi = mean psi^2 / (mean psi')^2, psi = rho'/2   (P. J. Huber 1981, 7.6),
 *
 * restricted to the directions that the data determine: singular values of R, its columns scaled
 * to length one, below SINGULAR_VALUE_ROUNDOFF of the largest count as zero, as do those of
 * starts that may be errors of the derivatives. The combinations of parameters that are not
 * determined are found with the starts eliminated: columns of parameters scaled to length one,
 * so that none is small by its unit or its size, then projected orthogonal to those of the
 * starts; a combination whose length there is less than COMBINATION_OPEN has no effect on the
 * measured values, at any start. (m and k of an oscillator: only k/m counts.) It is reported in
 * fractions of the parameters' values, or of their scales where values are about zero.
 *
 * Residuals should look like noise: their sum of squares is chi^2 distributed if their
 * deviations are known, and they are not correlated in time, Ljung and Box 1978,
 *
 *   Q = n (n + 2) sum_{k=1}^h c_k^2/(n - k)     chi^2 with h degrees of freedom.
 *
 * An interval of probability p is that of chi^2 if the noise is known. If it is estimated
 * with nu degrees of freedom (fit_freedom.c), that of F: q = F_p(1, nu), sqrt(q) standard errors (t
 * of Student) each, sqrt(m F_p(m, nu)) for m of them at once; and as -2 log L contains the least
 * squares S of each point as n log S, it rises by n log(1 + q/nu) to the ends of a profile.
 *
 * A prior is a measurement of its parameter: its square is part of chi^2, which has one degree of
 * freedom more for it. Criteria that choose between models use the likelihood of the data alone;
 * unknowns count in them as far as the data determine them, by
 *
 *   trace(F_data cov) = rank - sum_k var(p_k)/S_k^2
 *
 * (D. J. Spiegelhalter et al., J. R. Statist. Soc. B 64, 2002, 583, for linear normal models;
 * without priors it is their number). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/distribution_tails.h"
#include "base/tolerance.h"
#include "fit.h"
#include "num/linear/dense.h"

/* of the largest singular value: smaller ones are round-off of the triangle of many rows */
#define SINGULAR_VALUE_ROUNDOFF 1e-9
/* relative tolerances of the integration: error of derivatives */
#define DERIVATIVE_ERROR 30
/* Of a direction: its part in parameters, if it consists of starts alone. Chosen by trial: above
 * the errors of derivatives. */
#define STARTS_ALONE 1e-4
/* Of columns of parameters at length one. Chosen by trial: between the errors of derivatives and
 * combinations that the data determine poorly. */
#define COMBINATION_OPEN 1e-6
/* of the scale of a parameter: smaller values have no meaningful relative changes */
#define ABOUT_ZERO 1e-3
/* squared part of an unknown that lies in open directions: a thousandth of its size */
#define UNKNOWN_OPEN 1e-6
#define OUTLIER 4       /* standard deviations: 1 of 16000 normal residuals is outside */
#define IMPROBABLE 1e-3 /* probability: gives a warning */
/* of residuals: smaller ones change standard errors by less than a tenth */
#define SMALL_CORRELATION 0.1
/* of two parameters: gives a warning; their errors are then 7 times larger than each alone */
#define STRONG_CORRELATION 0.99
#define OUTSIDE_INTERVAL 0.05 /* probability of values outside an interval */
#define LEAST_DIFFERENCE 1e-3 /* of a correlation from one: limits the factor that is reported */
#define SMALL_PART 0.01       /* of the largest: smaller parts of a combination are not printed */
enum {
    LAGS = 10,        /* of the test of Ljung and Box */
    SERIES_LEAST = 20 /* residuals of a series that is tested for correlation */
};

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

static double weighted_residual(const zw_fit *f, const zw_fit_experiment *e, int k, int q) {
    return (e->h[k * f->nq + q] - e->y[k * f->nq + q]) / zw_fit_sigma(f, e, k, q);
}

double zw_fit_minus_2_log_likelihood(const zw_fit *f) {
    double sum = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow; k++)
            for (int q = 0; q < f->nq; q++) {
                double s = zw_fit_sigma(f, e, k, q);
                if (!isnan(e->y[k * f->nq + q]))
                    sum += zw_fit_rho(f, weighted_residual(f, e, k, q)) + log(2 * M_PI * s * s);
            }
    }
    return sum + zw_fit_prior_squares(f, false);
}

/* ------------------------------------------------------------------------------------ intervals */

static bool slopes_of(const zw_fit *f, int i, double *a);
static bool is_loose(const zw_fit *f, const double *a);

bool zw_fit_has_errors(const zw_fit *f) {
    double n;
    return isinf(zw_fit_freedom(f, NULL, &n)) || f->measured > f->N;
}

/* The least of all parameters; of all values, if there are none. */
static double find_freedom(zw_fit *f) {
    double n, least = INFINITY, a[f->N + 1];
    int parameters = zw_fit_parameters(f), last = parameters ? parameters : zw_fit_values(f);
    zw_fit_share_unknowns(f);
    if (!f->is_shared)
        return zw_fit_freedom(f, NULL, &n);
    for (int i = 0; i < last; i++) {
        double nu = slopes_of(f, i, a) && !is_loose(f, a) ? zw_fit_freedom(f, a, &n) : 0;
        if (nu > ZW_FIT_FREE) /* otherwise it has no error */
            least = fmin(least, nu);
    }
    return isinf(zw_fit_freedom(f, NULL, &n)) || isfinite(least) ? least : NAN;
}

static double interval_of(double freedom) {
    return sqrt(zw_f_quantile(OUTSIDE_INTERVAL, 1, freedom));
}

double zw_fit_interval(const zw_fit *f) {
    return zw_fit_has_errors(f) ? interval_of(f->freedom) : NAN;
}

double zw_fit_level(const zw_fit *f, int parameter) {
    double a[f->N + 1], n;
    memset(a, 0, doubles(f->N));
    a[zw_fit_unknown(f, f->experiment, parameter)] = 1;
    double nu = zw_fit_freedom(f, a, &n), q = zw_f_quantile(OUTSIDE_INTERVAL, 1, nu);
    return isinf(nu) || f->options.loss != ZW_FIT_SQUARES ? q : n * log1p(q / nu);
}

/* ----------------------------------------------------------------------------------- covariance */

static bool is_at_bound(const zw_fit_param *p, double v) {
    double near = ZW_SAME_VALUE * (p->is_log ? fabs(v) : fmax(fabs(v), p->scale));
    return v <= p->low + near || v >= p->high - near;
}

/* phi of the head. */
static double spread_by_loss(const zw_fit *f) {
    double squares = 0, slopes = 0, k = f->options.loss_scale;
    if (f->options.loss == ZW_FIT_SQUARES)
        return 1;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int row = 0; row < e->nrow; row++)
            for (int q = 0; q < f->nq; q++) {
                if (isnan(e->y[row * f->nq + q]))
                    continue;
                double r = weighted_residual(f, e, row, q), w = zw_fit_weight(f, r);
                squares += w * w * r * r;
                slopes += f->options.loss == ZW_FIT_HUBER ? fabs(r) <= k : w * w * w;
            }
    }
    double n = (double)f->measured, mean = slopes / n;
    return squares / fmax(n - f->N, 1) / (mean * mean);
}

bool zw_fit_is_of_starts(const zw_fit *f, const double *v) {
    double own = 0;
    for (int j = f->N - zw_fit_parameters(f); j < f->N; j++)
        own += v[j] * v[j];
    return own < STARTS_ALONE;
}

/* Do no data determine direction v of relative singular value s? Small values of parameters count
 * as they are. */
static bool is_open(const zw_fit *f, double s, const double *v) {
    return !(s > SINGULAR_VALUE_ROUNDOFF) ||
           (s < DERIVATIVE_ERROR * f->run_options.rtol && zw_fit_is_of_starts(f, v));
}

/* Change of the measured values, in standard deviations, if a start moves along direction j (of
 * length `norm`) by the sizes of the states; INFINITY: j is no direction of a start. */
static double effect_of(const zw_fit *f, int j, double norm) {
    for (int i = 0; i < f->E; i++) {
        const zw_fit_node *node = &f->experiment[i].node[0];
        int c = j - node->first;
        double size = 0;
        for (int r = 0; r < f->nx && c >= 0 && c < node->n0; r++)
            size = hypot(size, node->T[r * node->n + c] * f->scale_x[r]);
        if (c >= 0 && c < node->n0)
            return norm * size;
    }
    return INFINITY;
}

/* Columns of starts that are only errors of the derivatives, compared with the largest of them:
 * sets their norms to 0. */
static void drop_errors(const zw_fit *f, double *norm) {
    double most = 0;
    int first = f->N - zw_fit_parameters(f);
    for (int j = 0; j < first; j++)
        most = fmax(most, effect_of(f, j, norm[j]));
    for (int j = 0; j < first && isfinite(most); j++)
        if (effect_of(f, j, norm[j]) < DERIVATIVE_ERROR * f->run_options.rtol * most)
            norm[j] = 0;
}

zw_status zw_fit_decompose(zw_fit *f, double **s, double **V, double **norms, bool **open,
                           zw_error *err) {
    int N = f->N, first = N - zw_fit_parameters(f); /* of the unknowns that are parameters */
    double *A = ZW_NEW(&f->arena, double, N *N + 1), *norm = ZW_NEW(&f->arena, double, N + 1);
    *s = ZW_NEW(&f->arena, double, N + 1);
    *V = ZW_NEW(&f->arena, double, N *N + 1);
    *norms = norm;
    *open = ZW_NEW(&f->arena, bool, N + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += f->R[i * N + j] * f->R[i * N + j];
        norm[j] = j >= first && sum < ZW_FIT_IDLE * ZW_FIT_IDLE ? 0 : sqrt(sum);
    }
    drop_errors(f, norm);
    for (int j = 0; j < N; j++) {
        bool nothing = norm[j] == 0;
        norm[j] = nothing ? 1 : norm[j];
        for (int i = 0; i < N; i++)
            A[i * N + j] = nothing ? 0 : f->R[i * N + j] / norm[j];
    }
    if (N > 0 && !zw_dense_svd(&f->arena, N, N, A, *s, *V, NULL))
        return zw_dense_failure(&f->arena, err);
    for (int k = 0; k < N; k++)
        (*open)[k] = is_open(f, (*s)[k] / (*s)[0], *V + (size_t)k * (size_t)N);
    return ZW_OK;
}

zw_status zw_fit_find_covariance(zw_fit *f, zw_error *err) {
    int N = f->N;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *s, *V, *norm;
    bool *opens;
    ZW_TRY(zw_fit_decompose(f, &s, &V, &norm, &opens, err));
    memset(f->cov, 0, doubles(N * N));
    f->rank = 0;
    for (int j = 0; j < N; j++)
        f->loose[j] = false;
    for (int k = 0; k < N; k++) {
        bool open = opens[k];
        f->rank += !open;
        for (int i = 0; i < N; i++) {
            f->loose[i] |= open && V[k * N + i] * V[k * N + i] > UNKNOWN_OPEN;
            for (int j = 0; j < N && !open; j++)
                f->cov[i * N + j] +=
                    V[k * N + i] * V[k * N + j] / (s[k] * s[k] * norm[i] * norm[j]);
        }
    }
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* Parameters at bounds are fixed for the covariance: it is unknown whether they would move
 * further. */
static void hold_at_bounds(zw_fit *f, bool *was) {
    for (int j = 0; j < f->P; j++) {
        was[j] = f->param[j].is_held;
        bool all = true;
        for (int i = 0; i < f->E; i++)
            all &= is_at_bound(&f->param[j], f->experiment[i].value[j]);
        f->param[j].is_held |= all;
    }
}

/* ---- undetermined combinations ---- */

/* Lists the unknowns that are parameters, each once; returns their number. */
static int list_parameters(const zw_fit *f, int *unknown) {
    int n = 0;
    for (int j = 0; j < f->P; j++)
        for (int i = 0; i < (f->param[j].own ? f->E : 1); i++)
            unknown[n++] = zw_fit_unknown(f, &f->experiment[i], j);
    return n;
}

static bool is_about_zero(const zw_fit_param *p, double v) {
    return !p->is_log && fabs(v) < ABOUT_ZERO * p->scale;
}

/* Factor from an unknown to its reported change: relative, unless it is about zero. */
static double size_of(const zw_fit *f, int unknown) {
    for (int j = 0; j < f->P; j++)
        for (int i = 0; i < f->E; i++)
            if (zw_fit_unknown(f, &f->experiment[i], j) == unknown) {
                const zw_fit_param *p = &f->param[j];
                double v = f->experiment[i].value[j];
                return p->is_log || is_about_zero(p, v) ? 1 : fabs(v) / p->scale;
            }
    return 1;
}

/* Lengths of the columns of parameters; those that are zero, or round-off compared with the longest
 * one, stay zero. */
static void find_lengths(const zw_fit *f, int P, const int *unknown, double *length) {
    double longest = 0;
    for (int j = 0; j < P; j++) {
        double sum = 0;
        for (int i = 0; i < f->N; i++)
            sum += f->R[i * f->N + unknown[j]] * f->R[i * f->N + unknown[j]];
        length[j] = sqrt(sum) * size_of(f, unknown[j]);
        longest = fmax(longest, length[j]);
    }
    for (int j = 0; j < P; j++)
        if (length[j] < ZW_FIT_IDLE || !(length[j] > SINGULAR_VALUE_ROUNDOFF * longest))
            length[j] = fmax(longest, 1);
}

static zw_status find_open(zw_fit *f, zw_error *err) {
    int N = f->N, P = 0, S = 0;
    zw_arena *m = &f->arena;
    int *unknown = ZW_NEW(m, int, N + 1);
    double *A = ZW_NEW(m, double, N *N + 1), *s = ZW_NEW(m, double, N + 1),
           *V = ZW_NEW(m, double, N *N + 1), *U = ZW_NEW(m, double, N *N + 1),
           *C = ZW_NEW(m, double, N *N + 1), *length = ZW_NEW(m, double, N + 1);
    if (m->failed)
        return zw_out_of_memory(err, NULL);
    P = list_parameters(f, unknown);
    if (P == 0)
        return ZW_OK;
    bool is_parameter[N + 1];
    memset(is_parameter, 0, sizeof is_parameter);
    for (int j = 0; j < P; j++)
        is_parameter[unknown[j]] = true;
    for (int j = 0; j < N; j++)
        S += !is_parameter[j];
    for (int j = 0, c = 0; j < N; j++) { /* columns of starts, at length one */
        double squares = 0;
        for (int i = 0; i < N && !is_parameter[j]; i++)
            squares += f->R[i * N + j] * f->R[i * N + j];
        for (int i = 0; i < N && !is_parameter[j]; i++)
            A[i * S + c] = squares > 0 ? f->R[i * N + j] / sqrt(squares) : 0;
        c += !is_parameter[j];
    }
    if (S > 0 && !zw_dense_svd(m, N, S, A, s, V, U))
        return zw_dense_failure(m, err);
    find_lengths(f, P, unknown, length);
    for (int j = 0; j < P; j++) {
        double size = size_of(f, unknown[j]);
        for (int i = 0; i < N; i++)
            C[i * P + j] = f->R[i * N + unknown[j]] * size / length[j];
        for (int k = 0; k < S && s[k] > SINGULAR_VALUE_ROUNDOFF * s[0]; k++) {
            double dot = 0;
            for (int i = 0; i < N; i++)
                dot += U[k * N + i] * C[i * P + j];
            for (int i = 0; i < N; i++)
                C[i * P + j] -= dot * U[k * N + i];
        }
    }
    if (!zw_dense_svd(m, N, P, C, s, V, NULL))
        return zw_dense_failure(m, err);
    f->npar_total = P;
    f->combination = V;
    f->nloose = 0;
    for (int k = 0; k < P; k++) {
        f->nloose += !(s[k] > COMBINATION_OPEN);
        for (int j = 0; j < P; j++)
            V[k * P + j] /= length[j];
    }
    return ZW_OK;
}

/* "m -> m (1 + s), k -> k (1 - 0.5 s)" of row k of the combinations. */
static void put_combination(const zw_fit *f, int k, char *text, size_t size) {
    int P = f->npar_total, n = 0;
    const double *v = f->combination + (size_t)k * (size_t)P;
    double most = 0;
    for (int j = 0; j < P; j++)
        if (fabs(v[j]) > fabs(most))
            most = v[j];
    size_t at = 0;
    text[0] = '\0';
    for (int j = 0, u = 0; j < f->P; j++)
        for (int i = 0; i < (f->param[j].own ? f->E : 1); i++, u++) {
            double part = v[u] / most;
            if (fabs(part) < SMALL_PART || f->param[j].is_held || at >= size - 1)
                continue;
            bool zero = is_about_zero(&f->param[j], f->experiment[i].value[j]);
            at += (size_t)snprintf(text + at, size - at,
                                   zero ? "%s%s%s by %.3g" : "%s%s%s by %+.3g %%", n++ ? ", " : "",
                                   f->param[j].name, f->param[j].own && f->E > 1 ? " (own)" : "",
                                   zero ? part * f->param[j].scale : part);
            if (at >= size)
                at = size - 1;
        }
}

static void warn_open(zw_fit *f) {
    for (int k = 0; k < f->nloose; k++) {
        char text[300], key[64];
        int row = f->npar_total - 1 - k;
        put_combination(f, row, text, sizeof text);
        if (!text[0])
            continue;
        snprintf(key, sizeof key, "fit open %d", k);
        zw_warning d =
            zw_warning_of(key, NAN,
                          "the data do not determine all parameters: a change of %s leaves "
                          "all measured values unchanged",
                          text);
        zw_warning_hint(&d, "fix one of them (leave it out of --fit), give prior knowledge "
                            "(--prior), or measure more");
        zw_warnings_add(f->doubts, &d);
    }
}

static void warn_parameters(zw_fit *f) {
    for (int j = 0; j < f->P; j++)
        for (int i = 0; i < (f->param[j].own ? f->E : 1); i++) {
            const zw_fit_param *p = &f->param[j];
            int u = zw_fit_unknown(f, &f->experiment[i], j);
            double v = f->experiment[i].value[j], slope = p->is_log ? v : p->scale;
            double error = slope * sqrt(f->cov[u * f->N + u]);
            char key[160];
            snprintf(key, sizeof key, "fit bound %.100s %d", p->name, i);
            if (is_at_bound(p, v)) {
                zw_warning d = zw_warning_of(key, NAN, "%s is at its bound, %.6g", p->name, v);
                zw_warning_hint(&d,
                                "the minimum lies beyond it, or the data do not determine it; the "
                                "errors of the "
                                "others hold %s at its bound",
                                p->name);
                zw_warnings_add(f->doubts, &d);
            } else if (!f->loose[u] && (v - error < p->low || v + error > p->high)) {
                bool low = v - error < p->low;
                zw_warning d = zw_warning_of(
                    key, NAN, "the %s bound of %s, %.6g, lies within its standard error, %.2g",
                    low ? "lower" : "upper", p->name, low ? p->low : p->high, error);
                zw_warning_hint(
                    &d, "standard errors ignore bounds; --profile %s gives an interval within them",
                    p->name);
                zw_warnings_add(f->doubts, &d);
            } else if (!f->loose[u] && error > fabs(v) && v != 0) {
                zw_warning d =
                    zw_warning_of(key, NAN, "%s = %.3g +- %.2g: its error is larger than its value",
                                  p->name, v, error);
                zw_warning_hint(&d, "the data hardly determine it");
                zw_warnings_add(f->doubts, &d);
            }
        }
    for (int a = 0; a < f->P; a++)
        for (int b = 0; b < a; b++) {
            int u = zw_fit_unknown(f, f->experiment, a), v = zw_fit_unknown(f, f->experiment, b),
                N = f->N;
            double c = f->cov[u * N + v] / sqrt(f->cov[u * N + u] * f->cov[v * N + v]);
            if (f->loose[u] || f->loose[v] || !(fabs(c) > STRONG_CORRELATION))
                continue;
            char key[220];
            snprintf(key, sizeof key, "fit correlation %.90s %.90s", f->param[a].name,
                     f->param[b].name);
            zw_warning d = zw_warning_of(
                key, NAN, "the data hardly distinguish %s from %s: their correlation is %.4f",
                f->param[b].name, f->param[a].name, c);
            zw_warnings_add(f->doubts, &d);
        }
}

/* ------------------------------------------------------------------------------------ residuals */

/* Q of one series; *first: the correlation with the previous residual. */
static double ljung_box(const double *r, int n, int lags, double *first) {
    double mean = 0, variance = 0, Q = 0;
    for (int k = 0; k < n; k++)
        mean += r[k] / n;
    for (int k = 0; k < n; k++)
        variance += (r[k] - mean) * (r[k] - mean);
    *first = 0;
    for (int lag = 1; lag <= lags && variance > 0; lag++) {
        double c = 0;
        for (int k = lag; k < n; k++)
            c += (r[k] - mean) * (r[k - lag] - mean);
        c /= variance;
        if (lag == 1)
            *first = c;
        Q += (double)n * (n + 2) * c * c / (n - lag);
    }
    return Q;
}

/* Residuals r of data without noise are errors of rounding and of the integration, which are
 * correlated. They are covered if the given noise, or the least that can be estimated, is larger
 * than they are, with the correlation c from one to the next: their mean has the variance r^2 (1 +
 * c)/(1 - c)/n. */
static bool is_covered(const zw_fit_quantity *u, const double *r, int n, double c) {
    double squares = 0;
    for (int k = 0; k < n; k++)
        squares += r[k] * r[k] / n;
    return (u->stated || u->at_least) && squares * (1 + c) < 1 - c;
}

double zw_fit_correlation(const zw_fit *f, const zw_fit_experiment *e, int q, double *scratch,
                          double *first) {
    int n = 0;
    for (int k = 0; k < e->nrow; k++)
        if (!isnan(e->y[k * f->nq + q]))
            scratch[n++] = weighted_residual(f, e, k, q);
    *first = 0;
    if (n < SERIES_LEAST)
        return NAN;
    int lags = n / 5 < LAGS ? n / 5 : LAGS;
    double Q = ljung_box(scratch, n, lags, first), c = fabs(*first);
    if (c < SMALL_CORRELATION || is_covered(&f->quantity[q], scratch, n, c))
        return 1;
    return zw_chi2_tail(Q, lags);
}

static void warn_series(zw_fit *f, const zw_fit_experiment *e, int q, double *scratch) {
    double first, p = zw_fit_correlation(f, e, q, scratch, &first);
    if (!(p < IMPROBABLE))
        return;
    char key[160];
    snprintf(key, sizeof key, "fit correlated %.100s", f->quantity[q].name);
    zw_warning d =
        zw_warning_of(key, NAN,
                      "the residuals of %s in %s are not independent noise: correlation %.2f "
                      "between neighbours, probability %.1g by Ljung and Box",
                      f->quantity[q].name, e->name, first, p);
    if (first > 0 && !f->distrust)
        zw_warning_hint(&d,
                        "the model is incomplete, or the noise is slow: standard errors are too "
                        "small, by a factor of about %.1f",
                        sqrt((1 + first) / fmax(1 - first, LEAST_DIFFERENCE)));
    if (first < 0)
        zw_warning_hint(&d, "the noise is not what was assumed (a filter of the data?)");
    zw_warnings_add(f->doubts, &d);
}

/* Priors that count, and the number of unknowns they determine in place of the data. */
static void count_priors(zw_fit *f) {
    f->priors = 0;
    f->effective = f->rank;
    for (int j = 0; j < f->P; j++)
        for (int i = 0; i < (f->param[j].own ? f->E : 1); i++) {
            const zw_fit_param *p = &f->param[j];
            int u = zw_fit_unknown(f, &f->experiment[i], j);
            double slope = p->is_log ? f->experiment[i].value[j] : p->scale;
            if (!isfinite(p->prior_sd))
                continue;
            f->priors++;
            f->effective -= slope * slope * f->cov[u * f->N + u] / (p->prior_sd * p->prior_sd);
        }
}

static void warn_chi2(zw_fit *f) {
    double left = (double)(f->measured + f->priors - f->rank);
    f->p_value = NAN;
    f->noise_known = true;
    for (int q = 0; q < f->nq; q++)
        f->noise_known &= f->quantity[q].stated || f->quantity[q].count == 0;
    if (left <= 0) {
        zw_warning d = zw_warning_of(
            "fit freedom", NAN,
            "there are %ld numbers for %d unknowns: %sthe fit says nothing about the model",
            f->measured + f->priors, f->rank,
            zw_fit_has_errors(f) ? "" : "no degree of freedom is left, there are no errors, and ");
        zw_warnings_add(f->doubts, &d);
        return;
    }
    if (!f->noise_known)
        return;
    f->p_value = zw_chi2_tail(f->chi2, left);
    if (f->p_value < IMPROBABLE && f->options.loss == ZW_FIT_SQUARES) {
        zw_warning d =
            zw_warning_of("fit chi2", NAN,
                          "chi^2 is %.4g for %.0f degrees of freedom: the data deviate from the "
                          "model by more than their standard deviations allow (probability %.1g)",
                          f->chi2, left, f->p_value);
        if (!f->distrust) /* otherwise no factor corrects them */
            zw_warning_hint(&d,
                            "the model is incomplete, or the deviations are too small; standard "
                            "errors are too small by a factor of about %.2g",
                            sqrt(f->chi2 / left));
        zw_warnings_add(f->doubts, &d);
    } else if (f->p_value > 1 - IMPROBABLE) {
        zw_warning d = zw_warning_of("fit chi2", NAN,
                                     "chi^2 is %.4g for %.0f degrees of freedom: the data deviate "
                                     "from the model by less than their standard deviations imply",
                                     f->chi2, left);
        zw_warnings_add(f->doubts, &d);
    }
}

static void warn_singular(zw_fit *f) {
    for (int i = 0; i < f->nstage; i++)
        if (f->stage[i]->singular.text[0]) {
            zw_warning d = zw_warning_of("singular", NAN, "%s", f->stage[i]->singular.text);
            zw_warning_hint(&d, "%s", zw_sim_singular_hint);
            zw_warnings_add(f->doubts, &d);
            return;
        }
}

static void warn_rest(zw_fit *f) {
    warn_singular(f);
    if (!f->converged) {
        zw_warning d = zw_warning_of(
            "fit converged", NAN,
            f->stopped ? "the fit was stopped: this is the best so far, not the minimum"
                       : "no minimum was reached in %d steps: this is the best so far",
            f->iterations);
        zw_warning_hint(&d, "bounds (--fit \"NAME=LOW:HIGH\"), other initial values (--set), "
                            "--nodes, --multistart");
        zw_warnings_add(f->doubts, &d);
    }
    if (f->tangled) {
        zw_warning d = zw_warning_of("fit tangled", NAN,
                                     "several jumps of the rates coincide along the motion: "
                                     "derivatives are not exact there");
        zw_warnings_add(f->doubts, &d);
    }
    for (int i = 0; i < f->sys->nevent; i++)
        if (f->sys->event[i].stop) {
            zw_warning d = zw_warning_of("fit stop", NAN,
                                         "the event %s would end a run; a fit continues through it",
                                         f->sys->event[i].name);
            zw_warning_place(&d, f->sys->event[i].place);
            zw_warnings_add(f->doubts, &d);
        }
    if (f->tries > 1 && f->tries_same < 2) {
        zw_warning d = zw_warning_of(
            "fit tries", NAN,
            "the lowest minimum was found once in %d tries: there may be a lower one", f->tries);
        zw_warning_hint(&d, "more tries (--multistart), or narrower bounds");
        zw_warnings_add(f->doubts, &d);
    }
}

zw_status zw_fit_judge(zw_fit *f, zw_error *err) {
    bool was[f->P + 1];
    long longest = 0;
    zw_warnings_clear(f->doubts);
    zw_warnings_add_all(f->doubts, f->files);
    hold_at_bounds(f, was);
    f->spread = spread_by_loss(f);
    zw_status status = zw_fit_condense(f, true, err);
    if (status >= 0)
        status = zw_fit_find_covariance(f, err);
    if (status >= 0)
        f->freedom = find_freedom(f);
    if (status >= 0)
        status = find_open(f, err);
    f->chi2 = 0;
    f->outliers = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        longest = e->nrow > longest ? e->nrow : longest;
        for (int k = 0; k < e->nrow; k++)
            for (int q = 0; q < f->nq; q++)
                if (!isnan(e->y[k * f->nq + q])) {
                    double r = weighted_residual(f, e, k, q);
                    f->chi2 += r * r;
                    f->outliers += fabs(r) > OUTLIER;
                }
    }
    f->chi2 += zw_fit_prior_squares(f, false);
    f->minus2 = zw_fit_minus_2_log_likelihood(f) - zw_fit_prior_squares(f, false);
    if (status >= 0)
        count_priors(f);
    double *series = ZW_NEW(&f->arena, double, longest + 1);
    if (status >= 0 && !series)
        status = zw_out_of_memory(err, NULL);
    if (status >= 0) {
        if (f->converged && !f->stopped && zw_fit_has_errors(f))
            status = zw_fit_curvature(f, err);
        zw_fit_contacts_judge(f);
        zw_fit_trust(f, series);
        warn_rest(f);
        zw_fit_suspect(f);
        warn_open(f);
        warn_parameters(f);
        warn_chi2(f);
        zw_fit_report_copies(f);
        for (int i = 0; i < f->E; i++)
            for (int q = 0; q < f->nq; q++)
                warn_series(f, &f->experiment[i], q, series);
    }
    for (int j = 0; j < f->P; j++)
        f->param[j].is_held = was[j];
    return status;
}

void zw_fit_warnings(const zw_fit *f, zw_warnings *list) {
    zw_warnings_add_all(list, f->doubts);
}

/* -------------------------------------------------------------------------------------- answers */

int zw_fit_parameters(const zw_fit *f) {
    int n = 0;
    for (int j = 0; j < f->P; j++)
        n += f->param[j].own ? f->E : 1;
    return n;
}

static int free_entries(const zw_fit *f) {
    int n = 0;
    for (int i = 0; i < f->nx; i++)
        n += f->state_free[i];
    return n;
}

int zw_fit_values(const zw_fit *f) {
    return zw_fit_parameters(f) + f->E * free_entries(f);
}

/* Value number i: parameter j of experiment *e, or an entry of its start. */
static bool find_value(const zw_fit *f, int i, int *e, int *j) {
    for (*j = 0; *j < f->P; ++*j) {
        int n = f->param[*j].own ? f->E : 1;
        if (i < n) {
            *e = i;
            return true;
        }
        i -= n;
    }
    int n = free_entries(f);
    *e = n ? i / n : 0;
    i -= *e * n;
    for (*j = 0; *j < f->nx; ++*j)
        if (f->state_free[*j] && i-- == 0)
            break;
    return false;
}

/* Its derivatives with respect to the unknowns; false if it does not depend on them. */
static bool slopes_of(const zw_fit *f, int i, double *a) {
    int e, j;
    bool is_parameter = find_value(f, i, &e, &j), any = false;
    const zw_fit_experiment *x = &f->experiment[e];
    memset(a, 0, doubles(f->N));
    if (is_parameter) {
        a[zw_fit_unknown(f, x, j)] = f->param[j].is_log ? x->value[j] : f->param[j].scale;
        return !is_at_bound(&f->param[j], x->value[j]);
    }
    const zw_fit_node *node = x->node;
    for (int c = 0; c < node->n; c++)
        a[x->first + c] = node->T[j * node->n + c];
    for (int k = 0; k < f->P; k++) /* those at bounds are fixed */
        if (!is_at_bound(&f->param[k], x->value[k]))
            a[zw_fit_unknown(f, x, k)] +=
                node->Q[j * f->P + k] * (f->param[k].is_log ? x->value[k] : f->param[k].scale);
    for (int u = 0; u < f->N; u++)
        any |= fabs(a[u]) > ZW_ROUNDOFF_SUM;
    return any;
}

static bool is_loose(const zw_fit *f, const double *a) {
    for (int u = 0; u < f->N; u++)
        if (f->loose[u] && fabs(a[u]) > ZW_ROUNDOFF_SOLVED)
            return true;
    return false;
}

double zw_fit_covariance(const zw_fit *f, int i, int j) {
    double a[f->N + 1], b[f->N + 1], sum = 0;
    if (!slopes_of(f, i, a) || !slopes_of(f, j, b) || is_loose(f, a) || is_loose(f, b) ||
        !zw_fit_has_errors(f))
        return NAN;
    for (int u = 0; u < f->N; u++)
        for (int v = 0; v < f->N && a[u] != 0; v++)
            sum += a[u] * f->cov[u * f->N + v] * b[v];
    return sum;
}

zw_fit_value zw_fit_value_at(const zw_fit *f, int i) {
    int e, j;
    double a[f->N + 1], n;
    zw_fit_value v = {.low = -INFINITY, .high = INFINITY, .experiment = -1};
    v.is_start = !find_value(f, i, &e, &j);
    const zw_fit_experiment *x = &f->experiment[e];
    if (v.is_start) {
        v.name = f->state[j];
        v.unit = f->state_unit[j];
        v.value = x->node[0].x[j];
        v.experiment = e;
    } else {
        const zw_fit_param *p = &f->param[j];
        v.name = p->name;
        v.unit = p->unit;
        v.value = x->value[j];
        v.low = p->low;
        v.high = p->high;
        v.experiment = p->own ? e : -1;
        v.at_bound = is_at_bound(p, v.value);
    }
    if (!slopes_of(f, i, a))
        v.error = NAN;
    else
        v.error = is_loose(f, a) ? INFINITY : sqrt(zw_fit_covariance(f, i, i));
    double nu = isfinite(v.error) ? zw_fit_freedom(f, a, &n) : NAN;
    v.interval = interval_of(nu);
    if (nu < ZW_FIT_FREE)
        v.error = v.interval = NAN;
    return v;
}

zw_fit_info zw_fit_statistics(const zw_fit *f) {
    int noises = 0;
    for (int q = 0; q < f->nq; q++)
        noises += !f->quantity[q].stated && f->quantity[q].count > 0;
    double k = f->effective + noises, n = (double)f->measured;
    double nu = f->freedom, m = fmax(zw_fit_parameters(f) - f->nloose, 1);
    return (zw_fit_info){
        .converged = f->converged,
        .iterations = f->iterations,
        .nodes = f->experiment->K,
        .measured = f->measured,
        .unknowns = f->rank + noises,
        .priors = f->priors,
        .effective = k,
        .noise_known = f->noise_known,
        .chi2 = f->chi2,
        .p_value = f->p_value,
        .minus_2_log_likelihood = f->minus2,
        .aic = f->minus2 + 2 * k,
        .aicc = n > k + 1 ? f->minus2 + 2 * k * n / (n - k - 1) : INFINITY,
        .bic = f->minus2 + k * log(n),
        .gap = f->gap,
        .undetermined = f->nloose,
        .outliers = f->outliers,
        .steps = f->steps,
        .trusted = !f->distrust,
        .noise_freedom = zw_fit_has_errors(f) ? nu : 0,
        .interval = zw_fit_interval(f),
        .joint = zw_fit_has_errors(f) ? sqrt(m * zw_f_quantile(OUTSIDE_INTERVAL, m, nu)) : NAN};
}
