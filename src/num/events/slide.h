/* SPDX-License-Identifier: MIT */
/* Modes of a flow, and motion on surfaces of discontinuity: see slide.c. */
#ifndef ZW_NUM_EVENTS_SLIDE_H
#define ZW_NUM_EVENTS_SLIDE_H

#include "num/flow/flow.h"

/* Every kink takes the piece of its arguments. */
void zw_num_modes_free(zw_flow *flow);
/* loosen: for a point at which a locked piece is undefined, beyond its end, frees all kinks; false:
 * they are free already, or something slides. tighten: locks them again. */
bool zw_num_modes_loosen(zw_flow *flow);
void zw_num_modes_tighten(zw_flow *flow);

/* The time derivatives (nswitch) of the switching functions at (t, x) with the present modes. */
zw_status zw_num_switch_rates(zw_flow *flow, double t, const double *x, double *out, zw_error *err);
/* The modes of the flow->nslide functions that slide, at (t, x). ZW_E_SINGULAR if they are not
 * determined. */
zw_status zw_num_slide_solve(zw_flow *flow, double t, const double *x, zw_error *err);
/* The same if the last point was another one; the error at this point, if any. */
zw_status zw_num_slide_check(zw_flow *flow, double t, const double *x, zw_error *err);
/* As zw_num_jacobian, with sliding functions. */
zw_status zw_num_slide_jacobian(zw_flow *flow, double t, const double *x, double *J, int ld,
                                zw_error *err);

#endif
