/* SPDX-License-Identifier: MIT */
/* Floquet multipliers of a motion that is a Fourier series, for systems with q' = v and without
 * constraints: by one sweep over the period with a fixed number of steps, whose error is measured
 * from time to time. Where its error exceeds the tolerance, zwang/periodic.h is used instead. */
#ifndef ZW_MOTION_HARMONIC_SWEEP_H
#define ZW_MOTION_HARMONIC_SWEEP_H

#include "period.h"
#include "zwang/periodic.h"

typedef struct zw_sweep zw_sweep;

/* For the equations and harmonics of p, which must outlive it. *out is NULL if the system is not of
 * this kind. */
zw_status zw_sweep_create(zw_sweep **out, const zw_period *p, const zw_allocator *alloc,
                          zw_error *err);
void zw_sweep_destroy(zw_sweep *s);
/* The multipliers of the motion with the coefficients x, at the parameters and the frequency of p.
 * out holds values, their errors and the verdict, up to the next call; no vectors. Errors are at
 * most about `tolerance` relative to max(1, |mu|), and `close` where some mu is near the unit
 * circle. ZW_RETRY: the sweep cannot compute them. */
zw_status zw_sweep_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                               zw_floquet *out, zw_error *err);

#endif
