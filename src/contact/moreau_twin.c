/* SPDX-License-Identifier: MIT */
/* A second run, the twin, estimates the error: the same motion with steps of twice the length, or
 * with tolerances ten times as large, from the same start and with its own contact states. For a
 * first-order method the error is as large as the difference of both runs, and if the motion
 * amplifies errors, it amplifies this difference too. By chance both runs may place an impact too
 * late by the same time. Therefore h times the jump of the velocities is added, as for independent
 * errors. After an event of the model, or where something changes with time, the twin starts again
 * as far from the motion as it was: what follows amplifies the errors before it. */
#include <math.h>
#include <string.h>

#include "moreau.h"
#include "num/internal.h"

/* Steps between comparisons; a prime, so that they do not coincide with periods of the motion. */
enum { COMPARISON_STEPS = 17 };
/* Least range of a coordinate with which its error is compared: relative to the largest range, and
 * absolute [m]. Errors of coordinates that hardly move do not matter. */
#define RANGE_SMALL 1e-3
#define RANGE_MIN 1e-6

static double error_estimate(const zw_moreau *m, int i) {
    return m->apart[i] + sqrt(m->impact_error[i]);
}

static void remember_reach(zw_moreau *m, const zw_kernel *k, const double *x) {
    for (int i = 0; i < k->nq; i++) {
        m->low[i] = x[i] < m->low[i] ? x[i] : m->low[i];
        m->high[i] = x[i] > m->high[i] ? x[i] : m->high[i];
    }
}

/* The error that an impact adds: its time within the step is unknown, and the positions move with
 * other velocities after it. */
static void add_impact_error(zw_run *run, zw_moreau *m, const double *x) {
    const zw_kernel *k = run->k;
    double h = m->to_t - m->from_t;
    memcpy(m->middle, x, sizeof(double) * (size_t)k->nq);
    memcpy(m->middle + k->nq, m->from + k->nq, sizeof(double) * (size_t)k->nv);
    zw_moreau_positions(run, m, m->to_t, x, h, m->halves);
    zw_moreau_positions(run, m, m->to_t, m->middle, h, m->z);
    for (int i = 0; i < k->nq; i++)
        m->impact_error[i] += (m->halves[i] - m->z[i]) * (m->halves[i] - m->z[i]);
}

/* Advance the twin to the time of the motion and compare both. An error of the twin is not an error
 * of the motion. */
static void advance_twin(zw_run *run, zw_moreau *m, const double *x) {
    const zw_kernel *k = run->k;
    zw_moreau *w = m->twin;
    zw_error ignored = {0};
    m->followed = m->calls;
    while (!m->twin_failed && w->to_t < m->to_t)
        m->twin_failed = zw_moreau_move_twin(run, w, m->to_t, &ignored) < 0;
    for (int i = 0; i < k->nq && !m->twin_failed; i++)
        m->apart[i] = zw_size_larger(m->apart[i], w->own[i] - x[i]);
}

/* the difference of the twin from the motion (nx) at the end of the last step */
static void find_difference(zw_run *run, zw_moreau *m, double *out) {
    if (m->calls > m->followed)
        advance_twin(run, m, m->to);
    for (int i = 0; i < run->k->nx; i++)
        out[i] = m->twin_failed ? 0 : m->twin->own[i] - m->to[i];
}

void zw_moreau_keep_difference(zw_run *run, zw_moreau *m, double t) {
    if (t != m->carried)
        find_difference(run, m, m->start_difference);
    m->carried = t;
}

void zw_moreau_begin_errors(zw_moreau *m, const zw_kernel *k, const double *x, bool goes_on) {
    for (int i = 0; i < k->nx; i++)
        m->start_difference[i] = goes_on ? x[i] + m->start_difference[i] : x[i];
    for (int i = 0; i < k->nq; i++) {
        m->apart[i] = goes_on ? m->apart[i] : 0;
        m->impact_error[i] = goes_on ? m->impact_error[i] : 0;
        m->low[i] = goes_on ? fmin(m->low[i], x[i]) : x[i];
        m->high[i] = goes_on ? fmax(m->high[i], x[i]) : x[i];
    }
    m->largest = goes_on ? m->largest : 0;
    m->twin_failed = m->twin_failed && goes_on;
    m->followed = 0;
}

static bool is_time_to_follow(const zw_run *run, const zw_moreau *m) {
    long steps = m->calls - m->followed;
    return steps >= (m->options->control ? COMPARISON_STEPS : ZW_MOREAU_TWICE) ||
           m->to_t == zw_method_stop(run);
}

void zw_moreau_watch_errors(zw_run *run, zw_moreau *m, const double *x, bool impact) {
    remember_reach(m, run->k, x);
    if (impact)
        add_impact_error(run, m, x);
    if (is_time_to_follow(run, m))
        advance_twin(run, m, x);
}

void zw_moreau_carry(zw_run *run, zw_run *from) {
    zw_moreau *m = zw_moreau_of(run), *old = zw_moreau_of(from);
    if (run == from || !m || !old || run->k->nq != from->k->nq || run->k->nx != from->k->nx)
        return;
    double t = zw_run_time(from);
    zw_moreau_keep_difference(from, old, t);
    memcpy(m->start_difference, old->start_difference, sizeof(double) * (size_t)run->k->nx);
    old->carried = NAN;
    for (int i = 0; i < run->k->nq; i++) {
        m->apart[i] = old->apart[i];
        m->impact_error[i] = old->impact_error[i];
        m->low[i] = old->low[i];
        m->high[i] = old->high[i];
    }
    m->twin_failed = old->twin_failed;
    m->carried = t;
    m->starts_new_motion = false;
}

zw_moreau_accuracy zw_moreau_estimate(zw_run *run) {
    const zw_kernel *k = run->k;
    zw_moreau_accuracy a = {.coordinate = -1, .error = NAN, .part = NAN};
    double most = 0;
    zw_moreau *m = zw_moreau_of(run);
    if (!m)
        return a;
    if (m->calls > m->followed)
        advance_twin(run, m, m->to);
    if (m->twin_failed || m->calls == 0)
        return a;
    a.part = 0;
    remember_reach(m, k, m->to);
    for (int i = 0; i < k->nq; i++)
        most = fmax(most, m->high[i] - m->low[i]);
    for (int i = 0; i < k->nq; i++) { /* ranges below RANGE_MIN do not count */
        double scale = fmax(m->high[i] - m->low[i], fmax(RANGE_SMALL * most, RANGE_MIN));
        if (a.coordinate >= 0 && error_estimate(m, i) / scale <= a.part)
            continue;
        a.coordinate = i;
        a.error = error_estimate(m, i);
        a.part = a.error / scale;
    }
    return a;
}
