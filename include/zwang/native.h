/* SPDX-License-Identifier: MIT */
/* Implemented in src/jit. */
/* Native code: kernels become machine code by LLVM (14 to 22), which is loaded from a shared library
 * when it pays (zw_kernel_compile), once per process. Without it everything works, interpreted, with
 * the same bits.
 *
 * The newest one that is found is taken. The environment variable ZWANG_LLVM names another one, by
 * path or by soname (ZWANG_LLVM=libLLVM-15.so.1); then this one is used or none. */
#ifndef ZWANG_NATIVE_H
#define ZWANG_NATIVE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What came of it so far; nothing is loaded by asking. ZW_OK: *library is the name of the one that
 * is in use, or NULL while nobody has wanted one (library itself may be NULL). ZW_E_MISSING: native
 * code was wanted and there is none; err says why and what to install. May be called at any time,
 * from any thread. */
ZW_API zw_status zw_native_library(const char **library, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
