/* SPDX-License-Identifier: MIT */
/* Where the rates switch along a run: see switching.c. Nothing happens in kernels without modes. */
#ifndef ZW_NUM_EVENTS_SWITCHING_H
#define ZW_NUM_EVENTS_SWITCHING_H

#include "num/internal.h"

/* Sets the pieces for a motion that begins at (t, x). */
zw_status zw_num_modes_start(zw_run *run, double t, const double *x, int direction, zw_error *err);
/* After a step of the method: ends it where the first piece ends (run->cut). */
zw_status zw_num_modes_cut(zw_run *run, zw_error *err);
/* Before the next step after a cut: sets new pieces and restarts the method. */
zw_status zw_num_modes_turn(zw_run *run, zw_error *err);
/* halt: for gaps or slips of contacts with switches: advancing returns at each switch with the
 * state before it, on the old pieces, so that the caller can decide and restart there; given states
 * are those after it. has_halted: has it done so at the present state? */
void zw_num_halt_at_switches(zw_run *run);
bool zw_num_has_halted(const zw_run *run);
/* After a start: the motion is known to be stiff, and why. A method chosen by default is replaced
 * by an implicit one immediately. */
void zw_num_expect_stiff(zw_run *run, const char *why);
/* Frees the memory of the search. */
void zw_num_modes_destroy(zw_run *run);

#endif
