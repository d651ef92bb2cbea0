/* SPDX-License-Identifier: MIT */
/* Private to the files of slowly varying amplitudes. */
#ifndef ZW_MOTION_HARMONIC_VARYING_AMPLITUDES_H
#define ZW_MOTION_HARMONIC_VARYING_AMPLITUDES_H

#include "motion/harmonic/balance.h"

/* The allocator of the kernel, which the memory of a run comes from as well. */
zw_allocator zw_slow_allocator(const zw_slow *s);

#endif
