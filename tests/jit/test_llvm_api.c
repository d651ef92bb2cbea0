/* SPDX-License-Identifier: MIT */
/* What src/jit/llvm_api.h declares of LLVM, compared with LLVM's own headers by the compiler: the
 * type of every function, the value of every constant. The headers come first, so that types which
 * both declare must be the same. */
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>

#include "jit/llvm_api.h"

#define SAME(result, name, arguments)                                                              \
    _Static_assert(                                                                                \
        __builtin_types_compatible_p(__typeof__(((zw_llvm_api *)0)->name), __typeof__(&name)),     \
        #name);

ZW_LLVM_FUNCTIONS(SAME)
#if LLVM_VERSION < 21
ZW_LLVM_OLD_FUNCTIONS(SAME)
#endif
#if LLVM_VERSION >= 22
ZW_LLVM_NEW_FUNCTIONS(SAME)
#endif

_Static_assert(LLVMRealOEQ == 1 && LLVMRealOGT == 2 && LLVMRealOLT == 4 && LLVMRealOLE == 5 &&
                   LLVMRealUGE == 11 && LLVMRealUNE == 14 && LLVMIntNE == 33 && LLVMIntSLT == 40,
               "comparisons");
_Static_assert(LLVMAtomicOrderingSequentiallyConsistent == 7, "orders of memory");
_Static_assert(LLVMCodeGenLevelNone == 0 && LLVMCodeGenLevelLess == 1, "effort");
_Static_assert(LLVMRelocPIC == 2 && LLVMCodeModelJITDefault == 1, "models");
_Static_assert((unsigned)LLVMAttributeFunctionIndex == ~0U, "attributes");

int main(void) {
    printf("llvm_api.h agrees with the headers of LLVM %d\n", LLVM_VERSION);
    return 0;
}
