/* SPDX-License-Identifier: MIT */
/* Floquet's multipliers of a motion that is a Fourier series, of systems with q' = v and without
 * constraints: by one sweep over the period with a fixed number of steps, whose error is measured
 * now and then. Where it does not hold what is asked for, motion/segments/periodic.h does. */
#ifndef ZW_MOTION_HARMONIC_SWEEP_H
#define ZW_MOTION_HARMONIC_SWEEP_H

#include "motion/segments/periodic.h"
#include "period.h"

typedef struct zw_sweep zw_sweep;

/* Of the equations and harmonics of p, which must outlive it. *out is NULL if the system is not of
 * this kind. */
zw_status zw_sweep_create(zw_sweep **out, const zw_period *p, const zw_allocator *alloc,
                          zw_error *err);
void zw_sweep_destroy(zw_sweep *s);
/* Of the motion with these coefficients, at the parameters and the frequency of p. out holds
 * values, their errors and the verdict, up to the next call; no vectors. Errors are about
 * `tolerance` relative to max(1, |mu|) at most, and `close` where some mu is near a place at which
 * something happens. ZW_RETRY: this cannot be had so. */
zw_status zw_sweep_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                               zw_floquet *out, zw_error *err);

#endif
