/* SPDX-License-Identifier: MIT */
/* The attempt of a stiff method (rosenbrock.c), which has states only at the ends of its steps; the
 * kernel must have MATS, JAC and TIME too. */
#ifndef ZW_LANES_ROSENBROCK_H
#define ZW_LANES_ROSENBROCK_H

#include "lanes.h"

extern const zw_rk_tableau zw_lanes_rodas;
void zw_lanes_rosenbrock(zw_lanes *l);

#endif
