/* SPDX-License-Identifier: MIT */
/* The native back end of a build without the LLVM headers. */
#include <math.h>

#include "native.h"

zw_status zw_native_create(zw_native **out, int n, const zw_native_job *job, int lanes,
                           const zw_allocator *alloc, zw_error *err) {
    (void)n, (void)job, (void)lanes, (void)alloc;
    *out = NULL;
    zw_fail(err, ZW_E_MISSING, "this Zwang was built without native code");
    zw_error_hint(err, "install the package llvm-14-dev and build again");
    return ZW_E_MISSING;
}

void zw_native_destroy(zw_native *native) {
    (void)native;
}

double zw_native_compile_time(int n, const zw_native_job *job) {
    (void)n, (void)job;
    return HUGE_VAL; /* never pays */
}
