/* SPDX-License-Identifier: MIT */
/* An interruption of the whole process: a signal, or a budget of time that is used up.
 *
 * Studies ask their callback between steps, and then end in order, with what they have. Between two such questions may lie much work: a
 * factorisation of 2000 rows, a search with many iterations. So what every computation passes through (rates of a flow, steps of a run, factorisations) asks here as well
 * and fails once the flag has been up for ZW_INTERRUPT_GRACE, with ZW_E_NUMERIC: whoever called it comes back to its callback soon. Once a callback has
 * heard of the interruption nothing fails any more, since results are written then.
 *
 * One flag for a process: it is set by the program that owns the signals. */
#ifndef ZW_BASE_INTERRUPT_H
#define ZW_BASE_INTERRUPT_H

#include "flag.h"
#include "zwang/status.h"

#define ZW_INTERRUPT_GRACE 0.03 /* s */

/* The flag that is looked at; NULL: none. */
void zw_interrupt_by(const volatile sig_atomic_t *flag);
/* A callback has seen it. */
void zw_interrupt_heard(void);

extern const volatile sig_atomic_t *zw_interrupt_flag;
bool zw_interrupt_is_due(void); /* the flag is up: is it time? */

/* Shall computations end? */
static inline bool zw_interrupted(void) {
    return zw_flag_is_up(zw_interrupt_flag) && zw_interrupt_is_due();
}
/* The same as a status: ZW_OK, or ZW_E_NUMERIC. */
zw_status zw_interrupt_check(zw_error *err);

#endif
