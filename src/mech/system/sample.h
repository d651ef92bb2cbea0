/* SPDX-License-Identifier: MIT */
/* Random but reproducible points of a system: parameters have their values, everything else is
 * scattered. Positions do not satisfy position constraints, which does not affect what is tested
 * here (ranks, pivots). */
#ifndef ZW_MECH_SAMPLE_H
#define ZW_MECH_SAMPLE_H

#include "build.h"

typedef struct zw_sample {
    int n; /* parameters, then q, v, t, signals */
    zw_expr *sym;
    double *value;
} zw_sample;

/* In scratch memory; the caller marks and releases. */
zw_status zw_sample_init(zw_sample *out, const zw_system *s, zw_error *err);
/* New values between 0.1 and 1.1 for q, v, t: the same for the same attempt. */
void zw_sample_scatter(zw_sample *p, const zw_system *s, unsigned attempt);
double zw_sample_value(const zw_sample *p, const zw_system *s, zw_expr e);

#endif
