/* SPDX-License-Identifier: MIT */
/* Sine and cosine of lanes without a call. */
#ifndef ZW_JIT_LLVM_TRIG_H
#define ZW_JIT_LLVM_TRIG_H

#include "llvm_api.h"

typedef struct zw_llvm_trig {
    const zw_llvm_api *l;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef value; /* a vector of doubles */
    int lanes;
} zw_llvm_trig;

/* result[0], result[1]: sine and cosine of x, with the bits of lane_trig.c. *size: |x|. They are
 * valid if no lane of the sum of all sizes is out of range: too large, or NaN. */
void zw_llvm_sincos(const zw_llvm_trig *e, LLVMValueRef x, LLVMValueRef result[2],
                    LLVMValueRef *size);
/* The lanes that are out of range, as a vector of i1. */
LLVMValueRef zw_llvm_is_out_of_range(const zw_llvm_trig *e, LLVMValueRef size);

#endif
