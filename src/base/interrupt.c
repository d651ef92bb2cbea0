/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <stdatomic.h>
#include <time.h>

const volatile sig_atomic_t *zw_interrupt_flag;

static _Atomic double seen; /* time at which the flag was first seen set [s]; 0 if not yet */
static _Atomic bool heard;

void zw_interrupt_by(const volatile sig_atomic_t *flag) {
    zw_interrupt_flag = flag;
    atomic_store(&seen, 0);
    atomic_store(&heard, false);
}

void zw_interrupt_heard(void) {
    atomic_store(&heard, true);
}

bool zw_interrupt_is_due(void) {
    struct timespec t;
    double first = 0;
    if (atomic_load(&heard))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (atomic_compare_exchange_strong(&seen, &first, now))
        return false;
    return now - first >= ZW_INTERRUPT_GRACE;
}

zw_status zw_interrupt_check(zw_error *err) {
    return zw_interrupted() ? zw_fail(err, ZW_E_NUMERIC, "interrupted") : ZW_OK;
}
