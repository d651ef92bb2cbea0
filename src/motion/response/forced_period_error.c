/* SPDX-License-Identifier: MIT */
/* Error of the period of a free motion due to its energy. Near a homoclinic orbit its energy E_h is
 * almost reached,
 *
 *     E_h - E ~ exp(-s T),        dT/dE ~ 1/(s (E_h - E)),
 *
 * and a motion that is exact to the tolerance may have the energy of a quite different period. The
 * energy of the series changes along it by dE, since harmonics are left out, and by rounding; with
 * the slope dT/dE between the points of the family the error of the period due to that of the
 * energy is dT = dE |dT/dE|. It is evaluated where the period changes by more than a few times the
 * relative change of the energy: elsewhere the estimate of the harmonics is sufficient.
 *
 * In a rotating frame T + V is not conserved. Then the error is not known here. */
#include <math.h>

#include "base/arena.h"
#include "forced.h"

enum { POINTS = 37 };
/* relative to the energy: its change along a small motion that is exact to the default tolerance */
#define ENERGY_CONSERVED 1e-6
/* relative to the frequency: change between two points of a slope; differences of closer ones are
 * rounding of the corrections */
#define FREQUENCY_CHANGED 1e-4
/* (dT/T)/(dE/E) from which on the error is evaluated: below it the estimate of the harmonics is
 * sufficient */
#define PERIOD_SENSITIVE 10
/* relative to the spread of the energy: least change of energy that the slope is divided by, so
 * that it stays finite */
#define CHANGE_LEAST 1e-3

/* the range of the energy along f->x, and its value at the start */
static zw_status find_spread(zw_forced *f, double w, double *energy, double *spread,
                             zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *state = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3), low = INFINITY, high = -INFINITY;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_status status = ZW_OK;
    for (int i = 0; i < POINTS && status >= 0; i++) {
        zw_harmonic_state(f->balance, f->x, w, 2 * M_PI / w * i / POINTS, state, NULL);
        status = zw_flow_observables(f->flow, 0, state, seen, err);
        double e = seen[f->kernel->nobs] + seen[f->kernel->nobs + 1] - f->family.energy;
        if (i == 0)
            *energy = e;
        low = fmin(low, e);
        high = fmax(high, e);
    }
    *spread = high - low;
    zw_arena_release(&f->arena, mark);
    return status;
}

zw_status zw_forced_period_error(zw_forced *f, int curve, double w, double *error, zw_error *err) {
    double energy, spread;
    *error = 0;
    if (!f->options.free || f->family.conserves < 0)
        return ZW_OK;
    ZW_TRY(find_spread(f, w, &energy, &spread, err));
    if (!f->family.conserves)
        f->family.conserves = spread <= ENERGY_CONSERVED * fabs(energy) ? 1 : -1;
    if (f->family.conserves < 0)
        return ZW_OK;
    int k = f->nmotion - 1;
    while (k >= f->curve[curve].first && fabs(f->motion[k].w - w) <= FREQUENCY_CHANGED * w)
        k--;
    if (k < f->curve[curve].first)
        return ZW_OK;
    double moved = fabs(f->motion[k].w - w) / w, change = fabs(f->motion[k].energy - energy);
    if (moved * fabs(energy) <= PERIOD_SENSITIVE * change)
        return ZW_OK;
    *error = spread > 0 ? spread * moved / fmax(change, CHANGE_LEAST * spread) : 0;
    return ZW_OK;
}

void zw_forced_record_period_error(zw_forced *f, double error) {
    zw_forced_motion *m = &f->motion[f->nmotion - 1];
    if (error <= f->options.tolerance)
        return;
    m->error = fmax(m->error, error);
    if (m->error > f->worst_error) {
        f->worst_error = m->error;
        f->worst_value = m->value;
    }
}
