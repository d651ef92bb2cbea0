/* SPDX-License-Identifier: MIT */
/* The part of LLVM's C interface that is used, as a table of pointers: libLLVM is loaded at run
 * time, because linking it costs every start of the program 18 ms. */
#ifndef ZW_JIT_LLVM_API_H
#define ZW_JIT_LLVM_API_H

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "zwang/status.h"

/* types, constants, functions; arithmetic; memory and calls; target; JIT */
#define ZW_LLVM_FUNCTIONS(X)                                                                       \
    X(LLVMDoubleTypeInContext)                                                                     \
    X(LLVMInt32TypeInContext)                                                                      \
    X(LLVMInt64TypeInContext)                                                                      \
    X(LLVMVoidTypeInContext)                                                                       \
    X(LLVMVectorType)                                                                              \
    X(LLVMPointerType)                                                                             \
    X(LLVMFunctionType)                                                                            \
    X(LLVMConstReal)                                                                               \
    X(LLVMConstInt)                                                                                \
    X(LLVMConstVector)                                                                             \
    X(LLVMConstIntToPtr)                                                                           \
    X(LLVMGetUndef)                                                                                \
    X(LLVMGetParam)                                                                                \
    X(LLVMAddFunction)                                                                             \
    X(LLVMAppendBasicBlockInContext)                                                               \
    X(LLVMGetEnumAttributeKindForName)                                                             \
    X(LLVMCreateEnumAttribute)                                                                     \
    X(LLVMAddAttributeAtIndex)                                                                     \
    X(LLVMAddCallSiteAttribute)                                                                    \
    X(LLVMLookupIntrinsicID)                                                                       \
    X(LLVMGetIntrinsicDeclaration)                                                                 \
    X(LLVMModuleCreateWithNameInContext)                                                           \
    X(LLVMSetTarget)                                                                               \
    X(LLVMSetDataLayout)                                                                           \
    X(LLVMCreateBuilderInContext)                                                                  \
    X(LLVMDisposeBuilder)                                                                          \
    X(LLVMPositionBuilderAtEnd)                                                                    \
    X(LLVMBuildFNeg)                                                                               \
    X(LLVMBuildFAdd)                                                                               \
    X(LLVMBuildFSub)                                                                               \
    X(LLVMBuildFMul)                                                                               \
    X(LLVMBuildFDiv)                                                                               \
    X(LLVMBuildFCmp)                                                                               \
    X(LLVMBuildAnd)                                                                                \
    X(LLVMBuildOr)                                                                                 \
    X(LLVMBuildSelect)                                                                             \
    X(LLVMBuildExtractElement)                                                                     \
    X(LLVMBuildInsertElement)                                                                      \
    X(LLVMBuildShuffleVector)                                                                      \
    X(LLVMBuildInBoundsGEP2)                                                                       \
    X(LLVMBuildBitCast)                                                                            \
    X(LLVMBuildAlloca)                                                                             \
    X(LLVMBuildLoad2)                                                                              \
    X(LLVMBuildStore)                                                                              \
    X(LLVMSetAlignment)                                                                            \
    X(LLVMBuildCall2)                                                                              \
    X(LLVMBuildRetVoid)                                                                            \
    X(LLVMGetDefaultTargetTriple)                                                                  \
    X(LLVMGetHostCPUName)                                                                          \
    X(LLVMGetHostCPUFeatures)                                                                      \
    X(LLVMGetTargetFromTriple)                                                                     \
    X(LLVMCreateTargetMachine)                                                                     \
    X(LLVMDisposeMessage)                                                                          \
    X(LLVMGetErrorMessage)                                                                         \
    X(LLVMDisposeErrorMessage)                                                                     \
    X(LLVMOrcCreateNewThreadSafeContext)                                                           \
    X(LLVMOrcThreadSafeContextGetContext)                                                          \
    X(LLVMOrcDisposeThreadSafeContext)                                                             \
    X(LLVMOrcCreateNewThreadSafeModule)                                                            \
    X(LLVMOrcDisposeThreadSafeModule)                                                              \
    X(LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine)                                       \
    X(LLVMOrcCreateLLJITBuilder)                                                                   \
    X(LLVMOrcLLJITBuilderSetJITTargetMachineBuilder)                                               \
    X(LLVMOrcCreateLLJIT)                                                                          \
    X(LLVMOrcDisposeLLJIT)                                                                         \
    X(LLVMOrcLLJITGetMainJITDylib)                                                                 \
    X(LLVMOrcLLJITGetTripleString)                                                                 \
    X(LLVMOrcLLJITGetDataLayoutStr)                                                                \
    X(LLVMOrcLLJITAddLLVMIRModule)                                                                 \
    X(LLVMOrcLLJITLookup)

typedef struct zw_llvm_api {
#define ZW_LLVM_FIELD(name) __typeof__(name) *name;
    ZW_LLVM_FUNCTIONS(ZW_LLVM_FIELD)
#undef ZW_LLVM_FIELD
    void *sleef; /* handle, NULL if there is none */
    char *triple, *cpu, *features;
    LLVMTargetRef target;
} zw_llvm_api;

/* The one table of the process, loaded at the first call. NULL with ZW_E_MISSING in err. */
const zw_llvm_api *zw_llvm_load(zw_error *err);

#endif
