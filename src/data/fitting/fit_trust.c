/* SPDX-License-Identifier: MIT */
/* Is this motion that of the data at all? A wrong minimum has parameters with small errors like the
 * right one: its covariance does not contain the other. Its residuals show it.
 *
 * If the noise is given, chi^2 has a probability. If that is practically zero (deviations that
 * are a little too small have a small one), and residuals are correlated in time, no factor on
 * standard deviations corrects it: parameters and errors cannot be trusted. Residuals without
 * correlation are noise, whose given deviations were too small. If the noise is estimated: the
 * same for residuals that are correlated from one to the next, and are not small compared with
 * the measured values. With few residuals no correlation can be found; but a motion that moves,
 * and leaves residuals as large as the measured values, explains nothing. (One that rests may:
 * all measured variation is noise then.) A motion m that is contained in the data, below noise
 * s, removes its squares: their scatter d has d^2 = s^2 + m^2, and one that is not contained
 * leaves them or adds to them.
 *
 * Data that are noise about constants have a least squares motion too. What it explains, S_0 - S
 * of the squares about the mean of each series, is then that of k = rank - series unknowns: F
 * with k and n - rank degrees of freedom, or chi^2 with k if the noise is known. Residuals with
 * a correlation from one to the next are slow noise, of which slow motions explain more, and
 * which has fewer degrees of freedom. The search covers as many frequencies as there are values,
 * so its probability is multiplied by n. Parameters that change means more than motions (the
 * position of rest) need no motion, one for each series, if their errors are less than
 * their scales. */
#include <math.h>
#include <string.h>

#include "base/distribution_tails.h"
#include "fit.h"

/* probability of chi^2: no error of the given deviations up to a few percent gives so little */
#define IMPOSSIBLE 1e-10
/* correlation from one residual to the next: more is not explained by any filter of the data */
#define SLOW_CORRELATION 0.75
/* the same, if rows are too far apart for slow ones; a smaller negative one may be chance */
#define FAST_CORRELATION -0.3
#define LARGE_RESIDUALS 0.1      /* of the scatter of the data: residuals */
#define UNEXPLAINED 0.7          /* the same: nothing is explained */
#define MOVING 0.3               /* of the residuals: scatter of the computed motion */
#define IMPROBABLE 1e-3          /* probability: worth another try */
#define BY_CHANCE 0.05           /* probability: noise alone may explain as much */
#define LARGEST_CORRELATION 0.99 /* correlation of noise, so that its factor is finite */
#define MEAN_PART 0.5            /* of the squares of a column: those of its mean */

typedef struct verdict {
    bool tested, correlated, slow,
        idle; /* any series; slow: and large; idle: it explains nothing */
} verdict;

/* Scatter of the computed motion where it was measured, about its mean. */
static double moves_by(const zw_fit *f, int q) {
    double sum = 0, squares = 0, n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->E; i++)
            for (int k = q; k < f->experiment[i].nrow * f->nq; k += f->nq) {
                double h = f->experiment[i].h[k];
                if (isnan(f->experiment[i].y[k]))
                    continue;
                if (pass == 0) {
                    sum += h;
                    n++;
                } else {
                    squares += (h - sum / n) * (h - sum / n);
                }
            }
    return n > 0 ? sqrt(squares / n) : 0;
}

static bool is_idle(const zw_fit *f, int q) {
    const zw_fit_quantity *u = &f->quantity[q];
    double s = u->sigma, d = zw_fit_scatter(f, q), m = moves_by(f, q);
    return !u->stated && s > UNEXPLAINED * d && m > MOVING * s && s * s > d * d - m * m / 2;
}

static verdict analyse_series(const zw_fit *f, double *scratch) {
    verdict v = {0};
    int used = 0, idle = 0;
    for (int q = 0; q < f->nq; q++) {
        used += f->quantity[q].count > 0;
        idle += f->quantity[q].count > 0 && is_idle(f, q);
    }
    v.idle = used > 0 && idle == used;
    for (int i = 0; i < f->E; i++)
        for (int q = 0; q < f->nq; q++) {
            double first, p = zw_fit_correlation(f, &f->experiment[i], q, scratch, &first);
            const zw_fit_quantity *u = &f->quantity[q];
            v.tested |= !isnan(p);
            v.correlated |= p < IMPROBABLE && (first > 0 || first < FAST_CORRELATION);
            v.slow |= p < IMPROBABLE && first > SLOW_CORRELATION && !u->stated &&
                      u->sigma > LARGE_RESIDUALS * zw_fit_scatter(f, q);
        }
    return v;
}

static bool is_noise_known(const zw_fit *f) {
    for (int q = 0; q < f->nq; q++)
        if (!f->quantity[q].stated && f->quantity[q].count > 0)
            return false;
    return true;
}

/* The sum of squares, and the probability of a larger one; NaN: no freedom is left, or the noise is
 * unknown. */
static double chi2_probability(const zw_fit *f, int unknowns) {
    double chi2 = zw_fit_prior_squares(f, false), left = (double)(f->measured - unknowns);
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow * f->nq; k++)
            if (!isnan(e->y[k])) {
                double r = (e->h[k] - e->y[k]) / zw_fit_sigma(f, e, k / f->nq, k % f->nq);
                chi2 += r * r;
            }
    }
    return left > 0 && is_noise_known(f) ? zw_chi2_tail(chi2, left) : NAN;
}

/* Squares of the column of parameter j, and those of its means in every series. */
static void squares_of(const zw_fit *f, int j, double *all, double *means) {
    double row[f->nx + f->P + 1], sum[f->nq + 1], n[f->nq + 1];
    *all = *means = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        memset(sum, 0, sizeof sum);
        memset(n, 0, sizeof n);
        for (int number = 0; number < e->K; number++) {
            const zw_fit_node *node = &e->node[number];
            int last = number + 1 < e->K ? node[1].row : e->nrow;
            for (int k = node->row * f->nq; k < last * f->nq; k++)
                if (!isnan(e->y[k])) {
                    zw_fit_row(f, e, node, k / f->nq, k % f->nq, row);
                    *all += row[node->n0 + j] * row[node->n0 + j];
                    sum[k % f->nq] += row[node->n0 + j];
                    n[k % f->nq]++;
                }
        }
        for (int q = 0; q < f->nq; q++)
            *means += n[q] > 0 ? sum[q] * sum[q] / n[q] : 0;
    }
}

/* A parameter that only a motion can determine; idle: one without any effect. */
static bool needs_motion(const zw_fit *f, bool *idle) {
    int rests = 0, series = 0;
    bool any = false;
    *idle = false;
    for (int q = 0; q < f->nq; q++)
        series += f->quantity[q].count > 0;
    for (int j = 0; j < f->P; j++) {
        double all, means;
        if (f->param[j].is_held || isfinite(f->param[j].prior_sd))
            continue;
        squares_of(f, j, &all, &means);
        *idle |= all < ZW_FIT_IDLE * ZW_FIT_IDLE;
        any |=
            /* in scales, or of a logarithm: 1/error^2 at most */
            means < MEAN_PART * all || all < 1;
        rests++;
    }
    return any || *idle || rests > series * f->E;
}

/* The cosine of the phase of the computed motion from one row to the next, by its changes. */
static double phase_cosine(const zw_fit *f, const zw_fit_experiment *e, int q) {
    double n = 0, mean = 0, squares = 0, changes = 0, before = NAN;
    for (int k = q; k < e->nrow * f->nq; k += f->nq) {
        if (isnan(e->y[k]))
            continue;
        double off = e->h[k] - mean, change = n > 0 ? e->h[k] - before : 0;
        mean += off / ++n;
        squares += off * (e->h[k] - mean);
        changes += change * change;
        before = e->h[k];
    }
    return squares > 0 && n > 1 ? 1 - changes / (n - 1) / (2 * squares / n) : 0;
}

/* Factor by which such a motion explains more of noise as correlated as the residuals than of
 * independent noise: its spectrum there, (1 - c^2)/(1 - 2 c cos + c^2). k unknowns fitted to n
 * values reduce their correlation by (k + (k + 2) c)/n for a mean or a trend (M. G. Kendall
 * 1954). */
static double noise_factor(const zw_fit *f, const zw_fit_experiment *e, int q, int unknowns,
                           double *scratch) {
    double c, p = zw_fit_correlation(f, e, q, scratch, &c), n = 0;
    for (int k = 0; k < e->nrow; k++)
        n += !isnan(e->y[k * f->nq + q]);
    double k = unknowns * n / (double)f->measured;
    if (!(p < BY_CHANCE) || c < 0)
        return 1;
    c = fmin((n * c + k) / fmax(n - k - 2, 1), LARGEST_CORRELATION);
    return fmax((1 - c * c) / (1 - 2 * c * phase_cosine(f, e, q) + c * c), 1);
}

/* Probability of an explanation as good as this one by chance; 0 if there is none. */
static double chance_probability(const zw_fit *f, int unknowns, double *scratch) {
    double S = 0, S_0 = 0, S_slow = 0, series = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int q = 0; q < f->nq; q++) {
            double weight = 0, mean = 0, before = S;
            for (int k = 0; k < e->nrow; k++) {
                double y = e->y[k * f->nq + q], s = zw_fit_sigma(f, e, k, q), off = y - mean;
                if (isnan(y))
                    continue;
                double r = (e->h[k * f->nq + q] - y) / s, w = 1 / (s * s);
                weight += w;
                mean += w / weight * off;
                S_0 += w * off * (y - mean);
                S += r * r;
            }
            series += weight > 0;
            S_slow += (S - before) * noise_factor(f, e, q, unknowns, scratch);
        }
    }
    double k = fmax(unknowns - series, 1), left = (double)(f->measured - unknowns), p = 0;
    double slow = S > 0 ? S_slow / S : 1, gain = (S_0 - S) / slow;
    if (is_noise_known(f))
        p = zw_chi2_tail(gain, k);
    else if (left >= 1)
        p = zw_f_tail(gain / k / (S / left), k, left / slow);
    return p * (double)f->measured;
}

/* The motion explains no more than a fit to pure noise would, and the parameters need a motion. */
static bool is_blind(const zw_fit *f, int unknowns, double *scratch) {
    bool idle;
    return f->options.loss == ZW_FIT_SQUARES &&
           chance_probability(f, unknowns, scratch) > BY_CHANCE && needs_motion(f, &idle);
}

bool zw_fit_is_lost(const zw_fit *f, double *scratch) {
    bool idle;
    verdict v = analyse_series(f, scratch);
    bool impossible = f->options.loss == ZW_FIT_SQUARES && chi2_probability(f, f->N) < IMPOSSIBLE;
    return !f->converged || v.slow || v.idle || (impossible && (v.correlated || !v.tested)) ||
           is_blind(f, f->N, scratch) || (needs_motion(f, &idle) && idle);
}

bool zw_fit_is_suspect(const zw_fit *f, double *scratch) {
    bool squares = f->options.loss == ZW_FIT_SQUARES;
    verdict v = analyse_series(f, scratch);
    return !f->converged || (squares && chi2_probability(f, f->N) < IMPROBABLE) || v.correlated ||
           v.idle;
}

void zw_fit_trust(zw_fit *f, double *scratch) {
    verdict v = analyse_series(f, scratch);
    bool impossible =
        f->options.loss == ZW_FIT_SQUARES && chi2_probability(f, f->rank - f->priors) < IMPOSSIBLE;
    f->distrust = NULL;
    if (impossible && (v.correlated || !v.tested))
        f->distrust = "chi^2 is impossible";
    else if (v.slow)
        f->distrust = "the residuals are no noise";
    else if (v.idle)
        f->distrust = "the residuals are as large as what was measured";
    else if (is_blind(f, f->rank, scratch))
        f->distrust = "a fit to pure noise would explain as much of the data";
    if (f->distrust) {
        zw_warning d = zw_warning_of(
            "fit trust", NAN,
            "parameters and standard errors are not to be trusted, %s: this is a wrong "
            "minimum, or the model is not that of the data",
            f->distrust);
        zw_warning_hint(&d, "look at --picture; other initial values (--set), bounds with "
                            "--multistart, --nodes 1; or another model (--against)");
        zw_warnings_add(f->doubts, &d);
    } else if (!f->converged) { /* reported by zw_fit_judge */
        f->distrust = "no minimum was reached";
    }
}
