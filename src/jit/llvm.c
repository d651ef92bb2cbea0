/* SPDX-License-Identifier: MIT */
/* Native code by LLVM's ORC JIT: one module for the hot functions, one for the others, with
 * different optimisation levels of the code generator.
 *
 * No pass runs over the intermediate code. It is straight-line and its values are numbered already;
 * measured on 60 to 7000 operations, LLVM's O2 pipeline takes three times as long and the code is
 * no faster, and its vectoriser makes one lane slower. The level "less" of the code generator gives
 * the speed of "default" in half the time. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "llvm_ir.h"
#include "native.h"

enum { COLD, HOT, HEATS };

struct zw_native {
    zw_allocator alloc;
    const zw_llvm_api *api;
    LLVMOrcLLJITRef jit[HEATS];
};

/* Turns LLVM's error (which it consumes) into ours. */
static zw_status llvm_failed(const zw_llvm_api *api, LLVMErrorRef error, zw_error *err) {
    char *text = api->LLVMGetErrorMessage(error);
    zw_status status = zw_fail(err, ZW_E_MISSING, "LLVM cannot make native code: %s", text);
    api->LLVMDisposeErrorMessage(text);
    return status;
}

static zw_status create_jit(zw_native *native, int heat, zw_error *err) {
    const zw_llvm_api *api = native->api;
    LLVMTargetMachineRef machine =
        api->LLVMCreateTargetMachine(api->target, api->triple, api->cpu, api->features,
                                     heat == HOT ? LLVMCodeGenLevelLess : LLVMCodeGenLevelNone,
                                     LLVMRelocPIC, LLVMCodeModelJITDefault);
    LLVMOrcLLJITBuilderRef builder = api->LLVMOrcCreateLLJITBuilder();
    api->LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, api->LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    LLVMErrorRef error = api->LLVMOrcCreateLLJIT(&native->jit[heat], builder);
    return error ? llvm_failed(api, error, err) : ZW_OK;
}

static void symbol_name(int i, char *name, size_t size) {
    snprintf(name, size, "zw_function_%d", i);
}

static zw_status fill_module(zw_native *native, int heat, LLVMContextRef context,
                             LLVMModuleRef module, int n, const zw_native_job *job, int lanes,
                             zw_error *err) {
    zw_arena scratch;
    zw_arena_init(&scratch, &native->alloc);
    zw_status status = ZW_OK;
    for (int i = 0; status == ZW_OK && i < n; i++) {
        char name[32];
        symbol_name(i, name, sizeof name);
        if (job[i].hot == (heat == HOT))
            status = zw_llvm_emit(native->api, context, module, name, job[i].code, lanes,
                                  heat == HOT, &scratch);
    }
    zw_arena_clear(&scratch);
    return status < 0 ? zw_fail(err, status, "out of memory") : ZW_OK;
}

/* A context for a module, and the thread-safe context that owns it. */
static LLVMContextRef open_context(const zw_llvm_api *api, LLVMOrcThreadSafeContextRef *safe) {
    if (api->LLVMOrcThreadSafeContextGetContext) {
        *safe = api->LLVMOrcCreateNewThreadSafeContext();
        return api->LLVMOrcThreadSafeContextGetContext(*safe);
    }
    LLVMContextRef context = api->LLVMContextCreate();
    *safe = api->LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
    return context;
}

static zw_status add_module(zw_native *native, int heat, int n, const zw_native_job *job, int lanes,
                            zw_error *err) {
    const zw_llvm_api *api = native->api;
    LLVMOrcLLJITRef jit = native->jit[heat];
    LLVMOrcThreadSafeContextRef safe;
    LLVMContextRef context = open_context(api, &safe);
    LLVMModuleRef module = api->LLVMModuleCreateWithNameInContext("zwang", context);
    api->LLVMSetTarget(module, api->LLVMOrcLLJITGetTripleString(jit));
    api->LLVMSetDataLayout(module, api->LLVMOrcLLJITGetDataLayoutStr(jit));
    zw_status status = fill_module(native, heat, context, module, n, job, lanes, err);
    LLVMOrcThreadSafeModuleRef whole = api->LLVMOrcCreateNewThreadSafeModule(module, safe);
    api->LLVMOrcDisposeThreadSafeContext(safe); /* the module keeps its own reference */
    if (status < 0) {
        api->LLVMOrcDisposeThreadSafeModule(whole);
        return status;
    }
    LLVMErrorRef error =
        api->LLVMOrcLLJITAddLLVMIRModule(jit, api->LLVMOrcLLJITGetMainJITDylib(jit), whole);
    return error ? llvm_failed(api, error, err) : ZW_OK;
}

/* Compiles (LLVM does it at the first look-up) and binds all functions, or none. */
static zw_status bind_functions(zw_native *native, int n, const zw_native_job *job, zw_error *err) {
    const zw_llvm_api *api = native->api;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            char name[32];
            LLVMOrcExecutorAddress address;
            symbol_name(i, name, sizeof name);
            LLVMErrorRef error =
                api->LLVMOrcLLJITLookup(native->jit[job[i].hot ? HOT : COLD], &address, name);
            if (error)
                return llvm_failed(api, error, err);
            uintptr_t at = (uintptr_t)address;
            if (pass == 1)
                memcpy(&job[i].func->call, &at, sizeof at);
        }
    return ZW_OK;
}

static zw_status compile_modules(zw_native *native, int n, const zw_native_job *job, int lanes,
                                 zw_error *err) {
    for (int heat = 0; heat < HEATS; heat++) {
        ZW_TRY(create_jit(native, heat, err));
        ZW_TRY(add_module(native, heat, n, job, lanes, err));
    }
    return bind_functions(native, n, job, err);
}

zw_status zw_native_create(zw_native **out, int n, const zw_native_job *job, int lanes,
                           const zw_allocator *alloc, zw_error *err) {
    *out = NULL;
    const zw_llvm_api *api = zw_llvm_load(err);
    if (!api)
        return ZW_E_MISSING;
    long operations = 0;
    for (int i = 0; i < n; i++)
        operations += job[i].code->nops;
    if (!zw_llvm_has_room(operations * lanes))
        return zw_fail(err, ZW_E_MEMORY,
                       "no native code: there is no memory for compiling %ld operations",
                       operations);
    zw_native *native = zw_allocate(alloc, sizeof *native);
    if (!native)
        return zw_out_of_memory(err, NULL);
    *native = (zw_native){.alloc = *alloc, .api = api};
    zw_status status = compile_modules(native, n, job, lanes, err);
    if (status == ZW_OK)
        *out = native;
    else
        zw_native_destroy(native);
    return status;
}

void zw_native_destroy(zw_native *native) {
    if (!native)
        return;
    for (int heat = 0; heat < HEATS; heat++)
        if (native->jit[heat]) { /* an error while disposing cannot be handled */
            LLVMErrorRef error = native->api->LLVMOrcDisposeLLJIT(native->jit[heat]);
            if (error)
                native->api->LLVMDisposeErrorMessage(native->api->LLVMGetErrorMessage(error));
        }
    zw_release(&native->alloc, native, sizeof *native);
}

/* [s]; fitted to bench/jit_eval.c and larger models on a 2.6 GHz Zen 4: loading LLVM, then linear
 * in the operations of cold functions and slightly more than linear for hot ones */
#define LOAD_TIME 0.02
#define COLD_OPERATION 8e-6
#define HOT_OPERATION 35e-6
#define HOT_DOUBLES 5000 /* operations of a function at which one takes twice as long */
double zw_native_compile_time(int n, const zw_native_job *job) {
    double time = LOAD_TIME;
    for (int i = 0; i < n; i++) {
        double ops = job[i].code->nops;
        time += job[i].hot ? HOT_OPERATION * ops * (1 + ops / HOT_DOUBLES) : COLD_OPERATION * ops;
    }
    return time;
}
