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

/* result[0], result[1]: sine and cosine of x, of the bits of lane_trig.c. *size: |x|. They are
 * right where no lane of the sum of all sizes is strange: too large, or no number. */
void zw_llvm_sincos(const zw_llvm_trig *e, LLVMValueRef x, LLVMValueRef result[2],
                    LLVMValueRef *size);
/* Lanes (of i1). */
LLVMValueRef zw_llvm_is_strange(const zw_llvm_trig *e, LLVMValueRef size);

#endif
