/* SPDX-License-Identifier: MIT */
/* Angles that make whole turns over a period: their winding numbers. */
#ifndef ZW_MOTION_WINDING_NUMBER_H
#define ZW_MOTION_WINDING_NUMBER_H

#include "zwang/flow.h"
#include "zwang/system.h"

/* Do the rates stay the same when coordinate i increases by a length? Compared at three states;
 * states without rates are skipped, and true is returned if none has rates. */
bool zw_winding_repeats(zw_flow *flow, int i, double length);
/* The length of a turn of coordinate i after which the rates repeat: that of the model (`periodic x
 * period L`) unless it depends on parameter `over` (-1: none), or 2 pi; 0 if they do not repeat. */
double zw_winding_turn(const zw_system *sys, zw_flow *flow, const double *p, int i, int over);
/* "phi=1, psi=-2": turns (nq) in a period. ZW_E_OPTION: the rates do not repeat after a turn. */
zw_status zw_winding_read(const zw_system *sys, zw_flow *flow, const char *text, double *turns,
                          zw_error *err);

#endif
