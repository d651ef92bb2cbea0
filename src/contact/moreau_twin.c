/* SPDX-License-Identifier: MIT */
/* A second run, the twin, estimates the error: the same motion with steps of twice the length, or with tolerances ten times as large, from
 * the same start and with its own contact states. For a first-order method the error is as large as the difference of both runs, and if
 * the motion amplifies errors, it amplifies this difference too. Both runs may by chance place an impact too late within a step by the
 * same time. Therefore h times the jump of the velocities is added, as for independent errors. After an event of the model the twin
 * starts again, and its estimate up to the event is kept. */
#include <math.h>
#include <string.h>

#include "moreau.h"
#include "num/internal.h"

enum {
    FOLLOWED = 17
}; /* steps between comparisons; prime, so that both runs do not meet at round times */
#define SMALL_PART 1e-3 /* of the largest range: smallest range with which errors are compared */

static double estimate(const zw_moreau *m, int i) {
    return m->before[i] + m->apart[i] + sqrt(m->jolt[i]);
}

/* A new motion begins, or (goes_on) this one continues from the state after an event. */
void zw_moreau_begin_errors(zw_moreau *m, const zw_kernel *k, bool goes_on) {
    for (int i = 0; i < k->nq; i++) {
        m->before[i] = goes_on ? estimate(m, i) : 0;
        m->apart[i] = m->jolt[i] = 0;
        m->low[i] = goes_on ? fmin(m->low[i], m->from[i]) : m->from[i];
        m->high[i] = goes_on ? fmax(m->high[i], m->from[i]) : m->from[i];
    }
    m->largest = goes_on ? m->largest : 0;
    m->blind = m->blind && goes_on;
    m->followed = 0;
}

static void remember_reach(zw_moreau *m, const zw_kernel *k, const double *x) {
    for (int i = 0; i < k->nq; i++) {
        m->low[i] = x[i] < m->low[i] ? x[i] : m->low[i];
        m->high[i] = x[i] > m->high[i] ? x[i] : m->high[i];
    }
}

/* The error that an impact adds: its time within the step is unknown, and the positions move with other velocities after it. */
static void add_jolt(zw_run *run, zw_moreau *m, const double *x) {
    const zw_kernel *k = run->k;
    double h = m->to_t - m->from_t;
    memcpy(m->middle, x, sizeof(double) * (size_t)k->nq);
    memcpy(m->middle + k->nq, m->from + k->nq, sizeof(double) * (size_t)k->nv);
    zw_moreau_positions(run, m, m->to_t, x, h, m->halves);
    zw_moreau_positions(run, m, m->to_t, m->middle, h, m->z);
    for (int i = 0; i < k->nq; i++)
        m->jolt[i] += (m->halves[i] - m->z[i]) * (m->halves[i] - m->z[i]);
}

/* Advance the twin to the time of the motion and compare both. An error of the twin is not an error of the motion. */
static void follow(zw_run *run, zw_moreau *m, const double *x) {
    const zw_kernel *k = run->k;
    zw_moreau *w = m->twin;
    zw_error ignored = {0};
    m->followed = m->calls;
    while (!m->blind && w->to_t < m->to_t)
        m->blind = zw_moreau_move_twin(run, w, m->to_t, &ignored) < 0;
    for (int i = 0; i < k->nq && !m->blind; i++)
        m->apart[i] = zw_size_larger(m->apart[i], w->own[i] - x[i]);
}

static bool is_time_to_follow(const zw_run *run, const zw_moreau *m) {
    long steps = m->calls - m->followed;
    return steps >= (m->options->control ? FOLLOWED : ZW_MOREAU_TWICE) ||
           m->to_t == zw_method_stop(run);
}

void zw_moreau_watch_errors(zw_run *run, zw_moreau *m, const double *x, bool impact) {
    remember_reach(m, run->k, x);
    if (impact)
        add_jolt(run, m, x);
    if (is_time_to_follow(run, m))
        follow(run, m, x);
}

void zw_moreau_carry(zw_run *run, zw_run *from) {
    zw_moreau *m = zw_moreau_of(run), *old = zw_moreau_of(from);
    if (run == from || !m || !old || run->k->nq != from->k->nq)
        return;
    for (int i = 0; i < run->k->nq; i++) {
        m->before[i] = estimate(old, i);
        m->apart[i] = m->jolt[i] = 0;
        m->low[i] = old->low[i];
        m->high[i] = old->high[i];
    }
    m->blind = old->blind;
    m->carried = true;
}

zw_moreau_accuracy zw_moreau_estimate(zw_run *run) {
    const zw_kernel *k = run->k;
    zw_moreau_accuracy a = {.coordinate = -1, .error = NAN, .part = NAN};
    double most = 0;
    zw_moreau *m = zw_moreau_of(run);
    if (!m)
        return a;
    if (m->calls > m->followed)
        follow(run, m, m->to);
    if (m->blind || m->calls == 0)
        return a;
    a.part = 0;
    remember_reach(m, k, m->to);
    for (int i = 0; i < k->nq; i++)
        most = fmax(most, m->high[i] - m->low[i]);
    for (int i = 0; i < k->nq; i++) { /* differences below a micrometre do not matter */
        double scale = fmax(m->high[i] - m->low[i], fmax(SMALL_PART * most, 1e-6));
        if (a.coordinate >= 0 && estimate(m, i) / scale <= a.part)
            continue;
        a.coordinate = i;
        a.error = estimate(m, i);
        a.part = a.error / scale;
    }
    return a;
}
