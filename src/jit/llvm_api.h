/* SPDX-License-Identifier: MIT */
/* The used part of LLVM's C interface, as a table of pointers: libLLVM is loaded at run time,
 * because linking it costs 18 ms at every start of the program.
 *
 * It is declared here and not taken from LLVM's headers: these belong to one version, and the used
 * part is the same from 14 to 22, so a program built anywhere runs with any of them.
 * tests/jit/test_llvm_api.c compares every line with the headers of each LLVM that is installed. */
#ifndef ZW_JIT_LLVM_API_H
#define ZW_JIT_LLVM_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zwang/status.h"

typedef int LLVMBool; /* 0 is also "no error" */
typedef struct LLVMOpaqueContext *LLVMContextRef;
typedef struct LLVMOpaqueModule *LLVMModuleRef;
typedef struct LLVMOpaqueType *LLVMTypeRef;
typedef struct LLVMOpaqueValue *LLVMValueRef;
typedef struct LLVMOpaqueBasicBlock *LLVMBasicBlockRef;
typedef struct LLVMOpaqueBuilder *LLVMBuilderRef;
typedef struct LLVMOpaqueAttributeRef *LLVMAttributeRef;
typedef struct LLVMTarget *LLVMTargetRef;
typedef struct LLVMOpaqueTargetMachine *LLVMTargetMachineRef;
typedef struct LLVMOpaqueError *LLVMErrorRef; /* NULL: none */
typedef struct LLVMOrcOpaqueThreadSafeContext *LLVMOrcThreadSafeContextRef;
typedef struct LLVMOrcOpaqueThreadSafeModule *LLVMOrcThreadSafeModuleRef;
typedef struct LLVMOrcOpaqueJITTargetMachineBuilder *LLVMOrcJITTargetMachineBuilderRef;
typedef struct LLVMOrcOpaqueJITDylib *LLVMOrcJITDylibRef;
typedef struct LLVMOrcOpaqueLLJITBuilder *LLVMOrcLLJITBuilderRef;
typedef struct LLVMOrcOpaqueLLJIT *LLVMOrcLLJITRef;
typedef uint64_t LLVMOrcExecutorAddress;

/* if the test has LLVM's own headers, these are compared with them by value */
#ifndef LLVM_C_CORE_H
typedef enum {
    LLVMRealOEQ = 1,
    LLVMRealOGT = 2,
    LLVMRealOLT = 4,
    LLVMRealOLE = 5,
    LLVMRealUGE = 11,
    LLVMRealUNE = 14
} LLVMRealPredicate;
typedef enum { LLVMIntNE = 33, LLVMIntSLT = 40 } LLVMIntPredicate;
typedef enum { LLVMAtomicOrderingSequentiallyConsistent = 7 } LLVMAtomicOrdering;
typedef enum { LLVMCodeGenLevelNone = 0, LLVMCodeGenLevelLess = 1 } LLVMCodeGenOptLevel;
typedef enum { LLVMRelocPIC = 2 } LLVMRelocMode;
typedef enum { LLVMCodeModelJITDefault = 1 } LLVMCodeModel;
#define LLVMAttributeFunctionIndex (~0U)
#endif

#define ZW_LLVM_UNARY (LLVMBuilderRef, LLVMValueRef, const char *)
#define ZW_LLVM_BINARY (LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *)
#define ZW_LLVM_TERNARY (LLVMBuilderRef, LLVMValueRef, LLVMValueRef, LLVMValueRef, const char *)

/* types, constants, functions; arithmetic; memory and calls; target; JIT */
#define ZW_LLVM_FUNCTIONS(X)                                                                       \
    X(LLVMTypeRef, LLVMDoubleTypeInContext, (LLVMContextRef))                                      \
    X(LLVMTypeRef, LLVMIntTypeInContext, (LLVMContextRef, unsigned))                               \
    X(LLVMTypeRef, LLVMInt32TypeInContext, (LLVMContextRef))                                       \
    X(LLVMTypeRef, LLVMInt64TypeInContext, (LLVMContextRef))                                       \
    X(LLVMTypeRef, LLVMVoidTypeInContext, (LLVMContextRef))                                        \
    X(LLVMTypeRef, LLVMVectorType, (LLVMTypeRef, unsigned))                                        \
    X(LLVMTypeRef, LLVMPointerType, (LLVMTypeRef, unsigned))                                       \
    X(LLVMTypeRef, LLVMFunctionType, (LLVMTypeRef, LLVMTypeRef *, unsigned, LLVMBool))             \
    X(LLVMValueRef, LLVMConstReal, (LLVMTypeRef, double))                                          \
    X(LLVMValueRef, LLVMConstInt, (LLVMTypeRef, unsigned long long, LLVMBool))                     \
    X(LLVMValueRef, LLVMConstVector, (LLVMValueRef *, unsigned))                                   \
    X(LLVMValueRef, LLVMConstIntToPtr, (LLVMValueRef, LLVMTypeRef))                                \
    X(LLVMValueRef, LLVMGetUndef, (LLVMTypeRef))                                                   \
    X(LLVMValueRef, LLVMGetParam, (LLVMValueRef, unsigned))                                        \
    X(LLVMValueRef, LLVMAddFunction, (LLVMModuleRef, const char *, LLVMTypeRef))                   \
    X(LLVMBasicBlockRef, LLVMAppendBasicBlockInContext,                                            \
      (LLVMContextRef, LLVMValueRef, const char *))                                                \
    X(unsigned, LLVMGetEnumAttributeKindForName, (const char *, size_t))                           \
    X(LLVMAttributeRef, LLVMCreateEnumAttribute, (LLVMContextRef, unsigned, uint64_t))             \
    X(void, LLVMAddAttributeAtIndex, (LLVMValueRef, unsigned, LLVMAttributeRef))                   \
    X(void, LLVMAddCallSiteAttribute, (LLVMValueRef, unsigned, LLVMAttributeRef))                  \
    X(unsigned, LLVMLookupIntrinsicID, (const char *, size_t))                                     \
    X(LLVMValueRef, LLVMGetIntrinsicDeclaration, (LLVMModuleRef, unsigned, LLVMTypeRef *, size_t)) \
    X(LLVMModuleRef, LLVMModuleCreateWithNameInContext, (const char *, LLVMContextRef))            \
    X(void, LLVMSetTarget, (LLVMModuleRef, const char *))                                          \
    X(void, LLVMSetDataLayout, (LLVMModuleRef, const char *))                                      \
    X(LLVMBuilderRef, LLVMCreateBuilderInContext, (LLVMContextRef))                                \
    X(void, LLVMDisposeBuilder, (LLVMBuilderRef))                                                  \
    X(void, LLVMPositionBuilderAtEnd, (LLVMBuilderRef, LLVMBasicBlockRef))                         \
    X(LLVMValueRef, LLVMBuildFNeg, ZW_LLVM_UNARY)                                                  \
    X(LLVMValueRef, LLVMBuildFAdd, ZW_LLVM_BINARY)                                                 \
    X(LLVMValueRef, LLVMBuildFSub, ZW_LLVM_BINARY)                                                 \
    X(LLVMValueRef, LLVMBuildFMul, ZW_LLVM_BINARY)                                                 \
    X(LLVMValueRef, LLVMBuildFDiv, ZW_LLVM_BINARY)                                                 \
    X(LLVMValueRef, LLVMBuildFCmp,                                                                 \
      (LLVMBuilderRef, LLVMRealPredicate, LLVMValueRef, LLVMValueRef, const char *))               \
    X(LLVMValueRef, LLVMBuildAnd, ZW_LLVM_BINARY)                                                  \
    X(LLVMValueRef, LLVMBuildOr, ZW_LLVM_BINARY)                                                   \
    X(LLVMValueRef, LLVMBuildXor, ZW_LLVM_BINARY)                                                  \
    X(LLVMValueRef, LLVMBuildAdd, ZW_LLVM_BINARY)                                                  \
    X(LLVMValueRef, LLVMBuildShl, ZW_LLVM_BINARY)                                                  \
    X(LLVMValueRef, LLVMBuildICmp,                                                                 \
      (LLVMBuilderRef, LLVMIntPredicate, LLVMValueRef, LLVMValueRef, const char *))                \
    X(LLVMValueRef, LLVMBuildCondBr,                                                               \
      (LLVMBuilderRef, LLVMValueRef, LLVMBasicBlockRef, LLVMBasicBlockRef))                        \
    X(LLVMValueRef, LLVMBuildSelect, ZW_LLVM_TERNARY)                                              \
    X(LLVMValueRef, LLVMBuildExtractElement, ZW_LLVM_BINARY)                                       \
    X(LLVMValueRef, LLVMBuildInsertElement, ZW_LLVM_TERNARY)                                       \
    X(LLVMValueRef, LLVMBuildShuffleVector, ZW_LLVM_TERNARY)                                       \
    X(LLVMValueRef, LLVMBuildInBoundsGEP2,                                                         \
      (LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, LLVMValueRef *, unsigned, const char *))         \
    X(LLVMValueRef, LLVMBuildBitCast, (LLVMBuilderRef, LLVMValueRef, LLVMTypeRef, const char *))   \
    X(LLVMValueRef, LLVMBuildAlloca, (LLVMBuilderRef, LLVMTypeRef, const char *))                  \
    X(LLVMValueRef, LLVMBuildLoad2, (LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, const char *))     \
    X(LLVMValueRef, LLVMBuildFence, (LLVMBuilderRef, LLVMAtomicOrdering, LLVMBool, const char *))  \
    X(LLVMValueRef, LLVMBuildStore, (LLVMBuilderRef, LLVMValueRef, LLVMValueRef))                  \
    X(void, LLVMSetAlignment, (LLVMValueRef, unsigned))                                            \
    X(LLVMValueRef, LLVMBuildCall2,                                                                \
      (LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, LLVMValueRef *, unsigned, const char *))         \
    X(LLVMValueRef, LLVMBuildRetVoid, (LLVMBuilderRef))                                            \
    X(char *, LLVMGetDefaultTargetTriple, (void))                                                  \
    X(char *, LLVMGetHostCPUName, (void))                                                          \
    X(char *, LLVMGetHostCPUFeatures, (void))                                                      \
    X(LLVMBool, LLVMGetTargetFromTriple, (const char *, LLVMTargetRef *, char **))                 \
    X(LLVMTargetMachineRef, LLVMCreateTargetMachine,                                               \
      (LLVMTargetRef, const char *, const char *, const char *, LLVMCodeGenOptLevel,               \
       LLVMRelocMode, LLVMCodeModel))                                                              \
    X(void, LLVMDisposeMessage, (char *))                                                          \
    X(char *, LLVMGetErrorMessage, (LLVMErrorRef))                                                 \
    X(void, LLVMDisposeErrorMessage, (char *))                                                     \
    X(LLVMContextRef, LLVMContextCreate, (void))                                                   \
    X(LLVMOrcThreadSafeContextRef, LLVMOrcCreateNewThreadSafeContext, (void))                      \
    X(void, LLVMOrcDisposeThreadSafeContext, (LLVMOrcThreadSafeContextRef))                        \
    X(LLVMOrcThreadSafeModuleRef, LLVMOrcCreateNewThreadSafeModule,                                \
      (LLVMModuleRef, LLVMOrcThreadSafeContextRef))                                                \
    X(void, LLVMOrcDisposeThreadSafeModule, (LLVMOrcThreadSafeModuleRef))                          \
    X(LLVMOrcJITTargetMachineBuilderRef, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine,    \
      (LLVMTargetMachineRef))                                                                      \
    X(LLVMOrcLLJITBuilderRef, LLVMOrcCreateLLJITBuilder, (void))                                   \
    X(void, LLVMOrcLLJITBuilderSetJITTargetMachineBuilder,                                         \
      (LLVMOrcLLJITBuilderRef, LLVMOrcJITTargetMachineBuilderRef))                                 \
    X(LLVMErrorRef, LLVMOrcCreateLLJIT, (LLVMOrcLLJITRef *, LLVMOrcLLJITBuilderRef))               \
    X(LLVMErrorRef, LLVMOrcDisposeLLJIT, (LLVMOrcLLJITRef))                                        \
    X(LLVMOrcJITDylibRef, LLVMOrcLLJITGetMainJITDylib, (LLVMOrcLLJITRef))                          \
    X(const char *, LLVMOrcLLJITGetTripleString, (LLVMOrcLLJITRef))                                \
    X(const char *, LLVMOrcLLJITGetDataLayoutStr, (LLVMOrcLLJITRef))                               \
    X(LLVMErrorRef, LLVMOrcLLJITAddLLVMIRModule,                                                   \
      (LLVMOrcLLJITRef, LLVMOrcJITDylibRef, LLVMOrcThreadSafeModuleRef))                           \
    X(LLVMErrorRef, LLVMOrcLLJITLookup, (LLVMOrcLLJITRef, LLVMOrcExecutorAddress *, const char *))

/* The context of a module and its thread-safe context: up to 21 the first is taken from the second,
 * from 22 the second is created from the first. One of the two functions exists. */
#define ZW_LLVM_OLD_FUNCTIONS(X)                                                                   \
    X(LLVMContextRef, LLVMOrcThreadSafeContextGetContext, (LLVMOrcThreadSafeContextRef))
#define ZW_LLVM_NEW_FUNCTIONS(X)                                                                   \
    X(LLVMOrcThreadSafeContextRef, LLVMOrcCreateNewThreadSafeContextFromLLVMContext,               \
      (LLVMContextRef))

typedef struct zw_llvm_api {
#define ZW_LLVM_FIELD(result, name, arguments) result(*name) arguments;
    ZW_LLVM_FUNCTIONS(ZW_LLVM_FIELD)
    ZW_LLVM_OLD_FUNCTIONS(ZW_LLVM_FIELD)
    ZW_LLVM_NEW_FUNCTIONS(ZW_LLVM_FIELD)
#undef ZW_LLVM_FIELD
    void *sleef; /* handle, NULL if there is none */
    char *triple, *cpu, *features;
    LLVMTargetRef target;
} zw_llvm_api;

/* The one table of the process, loaded at the first call. NULL with ZW_E_MISSING in err. */
const zw_llvm_api *zw_llvm_load(zw_error *err);
/* Is there memory for compiling this number of operations? Ask before: LLVM does not return if
 * there is none. */
bool zw_llvm_has_room(long operations);

#endif
