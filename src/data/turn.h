/* SPDX-License-Identifier: MIT */
/* An angle that was reduced to one turn jumps by 2 pi where the motion is continuous. Such a
 * jump is recognised from its neighbours: with rates s before and after it, both of which
 * predict less than a quarter of a turn,
 *
 *   |y_2 - y_1 - s (t_2 - t_1)| = 2 pi (1 +- 0.2). */
#ifndef ZW_DATA_TURN_H
#define ZW_DATA_TURN_H

#include <math.h>
#include <stdbool.h>

/* Does the angle y (rad) jump by a turn from the second to the third of four samples? */
static inline bool zw_turn_between(const double t[4], const double y[4]) {
    const double turn = 2 * M_PI;
    double step = t[2] - t[1], before = (y[1] - y[0]) / (t[1] - t[0]) * step,
           after = (y[3] - y[2]) / (t[3] - t[2]) * step;
    double off = y[2] - y[1] - (before + after) / 2;
    return fabs(before) < turn / 4 && fabs(after) < turn / 4 && fabs(fabs(off) / turn - 1) < 0.2;
}

#endif
