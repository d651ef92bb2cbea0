/* SPDX-License-Identifier: MIT */
/* Do the period and the energy of a free motion belong to each other? On the way to an orbit that
 * needs for ever (homoclinic) its energy E_h is all but reached,
 *
 *     E_h - E ~ exp(-s T),        dT/dE ~ 1/(s (E_h - E)),
 *
 * and a motion that is exact to the tolerance may have an energy that is the one of a quite
 * different period. The energy of the series changes along it by dE, since harmonics are left out,
 * and by rounding; with the slope dT/dE between the points of the family the error of the period,
 * as that of the energy, is dT = dE |dT/dE|. It is asked for where the period changes by more than
 * a few times the part by which the energy does: elsewhere the estimate of the harmonics says the
 * same.
 *
 * In a frame that turns it is not T + V that is conserved. Then nothing is known here. */
#include <math.h>

#include "base/arena.h"
#include "forced.h"
#include "motion/harmonic/balance.h"

enum { LOOKS = 37 };
#define CONSERVED 1e-6 /* of the energy: what it changes by along a small motion */
#define MOVED 1e-4     /* of the frequency, between two points of a slope */
#define SENSITIVE 10   /* (dT/T)/(dE/E), from which on */

/* how much the energy changes along f->x, and that at its start */
static zw_status find_spread(zw_forced *f, double w, double *energy, double *spread,
                             zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *state = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3), low = INFINITY, high = -INFINITY;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_status status = ZW_OK;
    for (int i = 0; i < LOOKS && status >= 0; i++) {
        zw_harmonic_state(f->balance, f->x, w, 2 * M_PI / w * i / LOOKS, state, NULL);
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

zw_status zw_forced_pair_error(zw_forced *f, int curve, double w, double *error, zw_error *err) {
    double energy, spread;
    *error = 0;
    if (!f->options.free || f->family.conserves < 0)
        return ZW_OK;
    ZW_TRY(find_spread(f, w, &energy, &spread, err));
    if (!f->family.conserves)
        f->family.conserves = spread <= CONSERVED * fabs(energy) ? 1 : -1;
    if (f->family.conserves < 0)
        return ZW_OK;
    int k = f->nmotion - 1;
    while (k >= f->curve[curve].first && fabs(f->motion[k].w - w) <= MOVED * w)
        k--;
    if (k < f->curve[curve].first)
        return ZW_OK;
    double moved = fabs(f->motion[k].w - w) / w, change = fabs(f->motion[k].energy - energy);
    if (moved * fabs(energy) <= SENSITIVE * change)
        return ZW_OK;
    *error = spread > 0 ? spread * moved / fmax(change, 1e-3 * spread) : 0;
    return ZW_OK;
}

void zw_forced_report_pair(zw_forced *f, double error) {
    zw_forced_motion *m = &f->motion[f->nmotion - 1];
    if (error <= f->options.tolerance)
        return;
    m->error = fmax(m->error, error);
    if (m->error > f->worst_error) {
        f->worst_error = m->error;
        f->worst_value = m->value;
    }
}
