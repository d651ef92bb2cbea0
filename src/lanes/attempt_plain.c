/* SPDX-License-Identifier: MIT */
/* Attempts of lanes on any processor: products are rounded before they are added. */
#define CODE zw_lanes_plain
#define ZW_FMA(a, b, c) ((a) * (b) + (c))

#include "attempt.h"
