/* SPDX-License-Identifier: MIT */
/* Native code by LLVM, which is loaded only when needed. */
#ifndef ZW_JIT_NATIVE_H
#define ZW_JIT_NATIVE_H

#include "code.h"
#include "zwang/kernel.h"

typedef struct zw_native zw_native;

/* One function to compile. A hot one is compiled with three to ten times the effort for code that
 * is up to twice as fast; a large system has one hot function and many that are called rarely. */
typedef struct zw_native_job {
    const zw_code *code;
    zw_func *func; /* its call becomes the native one */
    bool hot;
} zw_native_job;

/* Compile for 1, 4 or 8 lanes; on success every func->call runs native code until
 * zw_native_destroy, on failure none is changed. ZW_E_MISSING if LLVM cannot be loaded. */
zw_status zw_native_create(zw_native **out, int n, const zw_native_job *job, int lanes,
                           const zw_allocator *alloc, zw_error *err);
void zw_native_destroy(zw_native *native);
/* Estimated time of compiling [s]. */
double zw_native_compile_time(int n, const zw_native_job *job);

#endif
