/* SPDX-License-Identifier: MIT */
/* Warnings about the data, and about what was stated of them, before those about the residuals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "data/turn.h"
#include "fit.h"

/* standard deviations: a prior farther from its estimate gives a warning, 6e-5 by chance */
#define PRIOR_DEVIATION 4
#define OUTLIER_FRACTION 0.3 /* of all values that count as outliers: more cannot be outliers */

typedef struct series {
    const zw_fit_experiment *e;
    int q, nq;
} series;

/* The next row after `row` in which it was measured; nrow: there is none. */
static int next_row(const series *s, int row) {
    do
        row++;
    while (row < s->e->nrow && isnan(s->e->y[row * s->nq + s->q]));
    return row;
}

/* r: four successive rows. */
static bool has_jump(const series *s, const int r[4]) {
    double t[4], y[4];
    for (int k = 0; k < 4; k++) {
        t[k] = s->e->t[r[k]];
        y[k] = s->e->y[r[k] * s->nq + s->q];
    }
    return zw_turn_between(t, y);
}

static void warn_turns(zw_fit *f, const series *s) {
    int r[4] = {next_row(s, -1)};
    for (int k = 1; k < 4; k++)
        r[k] = r[k - 1] < s->e->nrow ? next_row(s, r[k - 1]) : s->e->nrow;
    for (; r[3] < s->e->nrow; memmove(r, r + 1, 3 * sizeof *r), r[3] = next_row(s, r[2])) {
        if (!has_jump(s, r))
            continue;
        char key[160];
        const char *name = f->quantity[s->q].name;
        snprintf(key, sizeof key, "fit turn %.100s", name);
        zw_warning d = zw_warning_of(
            key, s->e->t[r[2]], "the angle %s in %s jumps by a whole turn, which no motion does",
            name, s->e->name);
        zw_warning_hint(
            &d, "add the turns, so that it is continuous, or fit what does not jump: columns "
                "of its sine and cosine, --column \"s=sin(...)\"");
        zw_warnings_add(f->doubts, &d);
    }
}

static void warn_least(zw_fit *f, int q) {
    const zw_fit_quantity *u = &f->quantity[q];
    char key[160];
    snprintf(key, sizeof key, "fit least noise %.100s", u->name);
    if (zw_fit_is_used_up(f, q)) {
        zw_warning d = zw_warning_of(
            key, NAN,
            "%s has %ld values for %.3g unknowns: no degree of freedom is left "
            "to estimate its noise, and the unknowns that it determines have no standard errors",
            u->name, u->count, u->used_unknowns);
        zw_warning_hint(&d, "--noise \"%s=...\" states it", u->name);
        zw_warnings_add(f->doubts, &d);
        return;
    }
    if (!u->at_least)
        return;
    zw_warning d = zw_warning_of(key, NAN,
                                 "%s has less noise than can be estimated: %.3g %s is taken, and "
                                 "standard errors are too large",
                                 u->name, u->sigma, u->unit);
    zw_warning_hint(&d, "--noise \"%s=...\" states it", u->name);
    zw_warnings_add(f->doubts, &d);
}

static void warn_priors(zw_fit *f) {
    for (int j = 0; j < f->P; j++)
        for (int i = 0; i < (f->param[j].own ? f->E : 1); i++) {
            const zw_fit_param *p = &f->param[j];
            double v = f->experiment[i].value[j], off = fabs(v - p->prior) / p->prior_sd;
            char key[160];
            if (!isfinite(p->prior_sd) || off < PRIOR_DEVIATION)
                continue;
            snprintf(key, sizeof key, "fit prior %.100s %d", p->name, i);
            zw_warning d = zw_warning_of(key, NAN,
                                         "%s = %.6g is %.3g standard deviations from its prior, "
                                         "%.6g +- %.3g: the data contradict the prior",
                                         p->name, v, off, p->prior, p->prior_sd);
            zw_warnings_add(f->doubts, &d);
        }
}

/* With a loss, chi^2 is no measure, nor that of data that are mostly outliers. */
static void warn_outliers(zw_fit *f) {
    if (f->options.loss == ZW_FIT_SQUARES ||
        (double)f->outliers < OUTLIER_FRACTION * (double)f->measured)
        return;
    zw_warning d =
        zw_warning_of("fit outliers", NAN,
                      "%ld of %ld values are beyond 4 standard deviations: these are no "
                      "outliers, the model is incomplete or the deviations are too small",
                      f->outliers, f->measured);
    zw_warnings_add(f->doubts, &d);
}

/* Data of a run with other values of what is fixed here. */
static void warn_made(zw_fit *f, const zw_fit_experiment *e) {
    for (int i = 0; i < f->sys->np; i++) {
        double run_parameters = e->run_parameters[i], here = e->p[i];
        if (isnan(run_parameters) ||
            fabs(run_parameters - here) <= ZW_SAME_VALUE * fmax(fabs(run_parameters), fabs(here)))
            continue;
        char key[160];
        const char *name = f->sys->param[i].name;
        snprintf(key, sizeof key, "fit made %.60s", name);
        zw_warning d =
            zw_warning_of(key, NAN, "%s was made with %s = %.6g %s, and the fit holds it at %.6g",
                          e->name, name, run_parameters, f->sys->param[i].unit, here);
        zw_warning_hint(&d, "--set gives it that value, --fit estimates it");
        zw_warnings_add(f->doubts, &d);
    }
}

void zw_fit_suspect(zw_fit *f) {
    for (int q = 0; q < f->nq; q++) {
        if (zw_fit_has_errors(f))
            warn_least(f, q);
        for (int i = 0; i < f->E && strcmp(f->quantity[q].unit, "rad") == 0; i++)
            warn_turns(f, &(series){&f->experiment[i], q, f->nq});
    }
    for (int i = 0; i < f->E; i++)
        warn_made(f, &f->experiment[i]);
    warn_priors(f);
    warn_outliers(f);
}
