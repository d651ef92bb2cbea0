/* SPDX-License-Identifier: MIT */
/* Loading of libLLVM and libsleef, once per process. The libraries are never unloaded: their code
 * is in use until the end. LLVM ends the process if it gets no memory, so available memory is
 * checked before: measured are 212 MB for loading version 14, and less than 2 kB for each compiled
 * operation. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_probe.h"
#include "llvm_api.h"
#include "zwang/kernel.h"

enum { NOT_WANTED, LOADED, MISSING };
enum { LOAD_MB = 512, COMPILE_MB = 64, COMPILE_KB_PER_OPERATION = 8 };

static zw_llvm_api api;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int state = NOT_WANTED;
static char in_use[256], why_not[512];
static bool no_room;

/* The newest first. The name of a library is its soname, if it has one, which also exists on
 * machines without development packages: libLLVM.so.18.1 upstream since 18; before, upstream has
 * libLLVM-17.so and Debian libLLVM-17.so.1. */
static const struct {
    const char *format;
    int newest, oldest;
} sonames[] = {{"libLLVM.so.%d.1", 22, 18}, {"libLLVM-%d.so.1", 17, 14}, {"libLLVM-%d.so", 17, 14}};

/* LLVM's name of this machine's processor in its initialisers. */
#if defined(__x86_64__) || defined(__i386__)
#define PROCESSOR "X86"
#elif defined(__aarch64__)
#define PROCESSOR "AArch64"
#elif defined(__arm__)
#define PROCESSOR "ARM"
#elif defined(__riscv)
#define PROCESSOR "RISCV"
#elif defined(__powerpc__)
#define PROCESSOR "PowerPC"
#elif defined(__s390x__)
#define PROCESSOR "SystemZ"
#elif defined(__loongarch__)
#define PROCESSOR "LoongArch"
#else
#define PROCESSOR "UnknownProcessor" /* in no library, which is then reported */
#endif

/* ISO C has no conversion from object to function pointers; POSIX says the bits are the same */
static bool find_symbol(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

/* a required symbol */
static bool require_symbol(void *library, const char *name, void *function_pointer) {
    if (find_symbol(library, name, function_pointer))
        return true;
    snprintf(why_not, sizeof why_not, "%s has no function %s", in_use, name);
    return false;
}

static bool find_functions(void *library) {
#define NEED(result, name, arguments)                                                              \
    if (!require_symbol(library, #name, &api.name))                                                \
        return false;
#define FIND(result, name, arguments) find_symbol(library, #name, &api.name);
    ZW_LLVM_FUNCTIONS(NEED)
    ZW_LLVM_OLD_FUNCTIONS(FIND)
    if (api.LLVMOrcThreadSafeContextGetContext)
        return true;
    ZW_LLVM_NEW_FUNCTIONS(NEED)
    return true;
#undef NEED
#undef FIND
}

static bool initialise_target(void *library) {
    static const char *const names[] = {
        "LLVMInitialize" PROCESSOR "TargetInfo", "LLVMInitialize" PROCESSOR "Target",
        "LLVMInitialize" PROCESSOR "TargetMC", "LLVMInitialize" PROCESSOR "AsmPrinter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*initialise)(void);
        if (!require_symbol(library, names[i], &initialise))
            return false;
        initialise();
    }
    api.triple = api.LLVMGetDefaultTargetTriple();
    api.cpu = api.LLVMGetHostCPUName();
    api.features = api.LLVMGetHostCPUFeatures();
    char *message = NULL;
    if (api.LLVMGetTargetFromTriple(api.triple, &api.target, &message)) {
        snprintf(why_not, sizeof why_not, "%s: %s", in_use, message);
        api.LLVMDisposeMessage(message);
        return false;
    }
    return true;
}

/* One library, by path or soname. Its fault is stored in why_not. */
static bool try_library(const char *name) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
    snprintf(in_use, sizeof in_use, "%s", name);
    memset(&api, 0, sizeof api);
    return find_functions(library) && initialise_target(library);
}

static bool try_all(void) {
    snprintf(why_not, sizeof why_not, "no libLLVM of the versions 14 to 22 is found");
    for (size_t i = 0; i < sizeof sonames / sizeof *sonames; i++)
        for (int version = sonames[i].newest; version >= sonames[i].oldest; version--) {
            char name[32];
            snprintf(name, sizeof name, sonames[i].format, version);
            if (try_library(name))
                return true;
        }
    return false;
}

static void load_library(void) {
    const char *wanted = secure_getenv("ZWANG_LLVM");
    if (wanted && !*wanted)
        wanted = NULL;
    if (wanted)
        snprintf(why_not, sizeof why_not, "ZWANG_LLVM names '%.200s', which cannot be loaded",
                 wanted);
    no_room = !zw_has_room((size_t)LOAD_MB << 20);
    if (no_room)
        snprintf(why_not, sizeof why_not, "there are no %d MB of memory for LLVM", LOAD_MB);
    bool loaded = !no_room && (wanted ? try_library(wanted) : try_all());
    if (loaded)
        api.sleef = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL);
    atomic_store(&state, loaded ? LOADED : MISSING);
}

static zw_status report_missing(zw_error *err) {
    zw_fail(err, ZW_E_MISSING, "no native code: %s", why_not);
    if (no_room)
        zw_error_hint(err, "run interpreted (--jit off): the same results, slower");
    else
        zw_error_hint(err,
                      "install LLVM's shared library (Debian: libllvm19, or libllvm14 and others), "
                      "or run interpreted (--jit off)");
    return ZW_E_MISSING;
}

const zw_llvm_api *zw_llvm_load(zw_error *err) {
    pthread_once(&once, load_library);
    if (atomic_load(&state) == LOADED)
        return &api;
    report_missing(err);
    return NULL;
}

bool zw_llvm_has_room(long operations) {
    return zw_has_room(((size_t)COMPILE_MB << 20) +
                       (size_t)operations * COMPILE_KB_PER_OPERATION * 1024);
}

zw_status zw_native_library(const char **library, zw_error *err) {
    int now = atomic_load(&state);
    if (library)
        *library = now == LOADED ? in_use : NULL;
    return now == MISSING ? report_missing(err) : ZW_OK;
}
