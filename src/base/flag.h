/* SPDX-License-Identifier: MIT */
/* A flag that is set from outside, by a signal or another thread, and polled. Public headers use
 * the type of signal handlers; between threads the operations must be atomic. They are relaxed:
 * they order no other memory. */
#ifndef ZW_BASE_FLAG_H
#define ZW_BASE_FLAG_H

#include <signal.h>
#include <stdbool.h>

static inline bool zw_flag_is_up(const volatile sig_atomic_t *flag) {
    return flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

static inline void zw_flag_raise(volatile sig_atomic_t *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

#endif
