/* SPDX-License-Identifier: MIT */
/* Interruption of the whole process: a signal, or the time limit (--budget).
 *
 * Studies call their callback between steps, and end in order with the results so far. Much work
 * may be done between two calls: a factorisation of 2000 rows, a search with many iterations. So
 * the functions that every computation uses (rates of a flow, steps of a run, factorisations) check
 * the flag as well. They fail with ZW_E_NUMERIC if it has been set for ZW_INTERRUPT_GRACE, so that
 * the study soon reaches its callback. After a callback has seen the interruption nothing fails any
 * more, since the results are then written.
 *
 * There is one flag per process. The program that handles the signals sets it. */
#ifndef ZW_BASE_INTERRUPT_H
#define ZW_BASE_INTERRUPT_H

#include "flag.h"
#include "zwang/status.h"

/* [s]; time for a study to reach its callback: the user sees no delay */
#define ZW_INTERRUPT_GRACE 0.03

/* Sets the flag to poll; NULL for none. */
void zw_interrupt_by(const volatile sig_atomic_t *flag);
/* A callback calls this when it has seen the interruption. */
void zw_interrupt_heard(void);

extern const volatile sig_atomic_t *zw_interrupt_flag;
bool zw_interrupt_is_due(void); /* the flag is set: true if the grace period is over */

/* True if computations must end. */
static inline bool zw_interrupted(void) {
    return zw_flag_is_up(zw_interrupt_flag) && zw_interrupt_is_due();
}
/* The same as a status: ZW_OK, or ZW_E_NUMERIC. */
zw_status zw_interrupt_check(zw_error *err);

#endif
