/* SPDX-License-Identifier: MIT */
/* Is this motion that of the data at all? A wrong minimum has parameters with small errors like the right one: its covariance knows nothing of the other. Its residuals do.
 *
 * Noise that is stated: chi^2 has a probability. If that is none (deviations that are a little too small have one), and residuals follow each other in time, no factor on standard deviations
 * mends it: parameters and errors are not to be trusted. Residuals without correlation are noise, whose deviations were said too small. Noise that is estimated: the same of residuals
 * that hang together from one to the next, and are no small part of what was measured. */
#include <math.h>

#include "fit.h"

#define IMPOSSIBLE 1e-10 /* probability of chi^2 */
#define SLOW 0.75        /* correlation from one residual to the next */
#define LARGE 0.1        /* of the scatter of the data: residuals */
#define UNLIKELY 1e-3    /* probability: worth another try */

typedef struct verdict {
    bool tested, correlated, slow; /* any series; slow: and large */
} verdict;

static verdict look_at_series(const zw_fit *f, double *room) {
    verdict v = {0};
    for (int i = 0; i < f->E; i++)
        for (int q = 0; q < f->nq; q++) {
            double first, p = zw_fit_correlation(f, &f->experiment[i], q, room, &first);
            const zw_fit_quantity *u = &f->quantity[q];
            v.tested |= !isnan(p);
            v.correlated |= p < UNLIKELY;
            v.slow |= p < UNLIKELY && first > SLOW && !u->stated &&
                      u->sigma > LARGE * zw_fit_scatter(f, q);
        }
    return v;
}

static bool is_noise_known(const zw_fit *f) {
    for (int q = 0; q < f->nq; q++)
        if (!f->quantity[q].stated && f->quantity[q].count > 0)
            return false;
    return true;
}

/* the sum of squares, and the probability of a larger one; NaN: nothing is left over, or the noise is not known */
static double probability(const zw_fit *f, int unknowns) {
    double chi2 = zw_fit_prior_squares(f, false), left = (double)(f->measured - unknowns);
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow * f->nq; k++)
            if (!isnan(e->y[k])) {
                double r = (e->h[k] - e->y[k]) / zw_fit_sigma(f, e, k / f->nq, k % f->nq);
                chi2 += r * r;
            }
    }
    return left > 0 && is_noise_known(f) ? zw_fit_chi2_tail(chi2, left) : NAN;
}

bool zw_fit_is_suspect(const zw_fit *f, double *room) {
    bool squares = f->options.loss == ZW_FIT_SQUARES;
    return !f->converged || (squares && probability(f, f->N) < UNLIKELY) ||
           look_at_series(f, room).correlated;
}

void zw_fit_trust(zw_fit *f, double *room) {
    verdict v = look_at_series(f, room);
    bool impossible =
        f->options.loss == ZW_FIT_SQUARES && probability(f, f->rank - f->priors) < IMPOSSIBLE;
    f->distrust = NULL;
    if (impossible && (v.correlated || !v.tested))
        f->distrust = "chi^2 is impossible";
    else if (v.slow)
        f->distrust = "the residuals are no noise";
    if (f->distrust) {
        zw_doubt d =
            zw_doubt_of("fit trust", NAN,
                        "parameters and standard errors are not to be trusted, %s: this is a wrong "
                        "minimum, or the model is not that of the data",
                        f->distrust);
        zw_doubt_hint(&d, "look at --picture; other values to begin with (--set), bounds with "
                          "--multistart, --nodes 1; or another model (--against)");
        zw_doubts_add(f->doubts, &d);
    } else if (!f->converged) { /* told by zw_fit_judge */
        f->distrust = "no minimum was reached";
    }
}
