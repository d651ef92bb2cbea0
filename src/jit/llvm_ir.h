/* SPDX-License-Identifier: MIT */
/* Linear code to LLVM's intermediate representation. */
#ifndef ZW_JIT_LLVM_IR_H
#define ZW_JIT_LLVM_IR_H

#include "base/arena.h"
#include "code.h"
#include "llvm_api.h"
#include "zwang/kernel.h"

/* Adds the function `symbol` for `code` to the module, for 1, 4 or 8 lanes, with the signature of
 * zw_func.call. hot: speed is worth more code. The bits do not depend on it. */
zw_status zw_llvm_emit(const zw_llvm_api *api, LLVMContextRef context, LLVMModuleRef module,
                       const char *symbol, const zw_code *code, int lanes, bool hot,
                       zw_arena *scratch);

#endif
