/* SPDX-License-Identifier: MIT */
/* A flag that somebody outside raises, a signal or another thread, and that is looked at now and
 * then. The type is that of signal handlers, in public headers; between threads it needs operations
 * that are whole. No order of other memory follows from it. */
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
