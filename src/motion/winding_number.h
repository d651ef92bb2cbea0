/* SPDX-License-Identifier: MIT */
/* Angles that turn while a motion comes back: whole turns in a period. */
#ifndef ZW_MOTION_WINDING_NUMBER_H
#define ZW_MOTION_WINDING_NUMBER_H

#include "zwang/flow.h"
#include "zwang/system.h"

/* Do the rates repeat when coordinate i goes on by a length? Asked at some states; where there are
 * no rates it is not known, and taken for true. */
bool zw_winding_repeats(zw_flow *flow, int i, double length);
/* The length of a turn of coordinate i after which the rates repeat: what the model says (`periodic
 * x period L`) unless it changes with parameter `over` (-1: none), or 2 pi; 0: they do not. */
double zw_winding_turn(const zw_system *sys, zw_flow *flow, const double *p, int i, int over);
/* "phi=1, psi=-2": turns (nq) in a period. ZW_E_OPTION: of something whose turns change the
 * equations. */
zw_status zw_winding_read(const zw_system *sys, zw_flow *flow, const char *text, double *turns,
                          zw_error *err);

#endif
