/* SPDX-License-Identifier: MIT */
/* Where the rates switch along a run: see switching.c. Nothing happens in kernels without modes. */
#ifndef ZW_NUM_EVENTS_SWITCHING_H
#define ZW_NUM_EVENTS_SWITCHING_H

#include "num/internal.h"

/* The pieces for a motion that begins at (t, x). */
zw_status zw_num_modes_start(zw_run *run, double t, const double *x, int direction, zw_error *err);
/* After a step of the method: end it where the first piece ends (run->cut). */
zw_status zw_num_modes_cut(zw_run *run, zw_error *err);
/* Before the next step after a cut: new pieces, and the method begins anew. */
zw_status zw_num_modes_turn(zw_run *run, zw_error *err);
/* If gaps or slips of contacts have switches: advancing returns at each switch with the state
 * before it, on the old pieces, so that whoever has to decide what follows can begin anew there;
 * states that are given are those after it. Has it done so at the present state? */
void zw_num_halt_at_switches(zw_run *run);
bool zw_num_has_halted(const zw_run *run);
/* After a start: the motion is known to be stiff from here on, and why. A method that was chosen by
 * default gives way to an implicit one at once. */
void zw_num_expect_stiff(zw_run *run, const char *why);
/* Frees what the search keeps. */
void zw_num_modes_destroy(zw_run *run);

#endif
