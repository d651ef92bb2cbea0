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

/* result[0], result[1]: sine and cosine of x, of the bits of lane_trig.c. *strange: lanes (of i1) for which they are not right. */
void zw_llvm_sincos(const zw_llvm_trig *e, LLVMValueRef x, LLVMValueRef result[2],
                    LLVMValueRef *strange);

#endif
