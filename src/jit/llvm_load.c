/* SPDX-License-Identifier: MIT */
/* Loading of libLLVM and libsleef, once per process. The libraries are never unloaded: code made by
 * them is in use until the end. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "llvm_api.h"

static zw_llvm_api api;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static char why_not[256];

/* the names that LLVM's headers give to the initialisers of this machine's target */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static void *open_first(const char *const *names) {
    for (; *names; names++) {
        void *handle = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
        if (handle)
            return handle;
    }
    return NULL;
}

/* ISO C has no conversion from object to function pointers; POSIX says the bits are the same */
static bool find(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    if (!address)
        snprintf(why_not, sizeof why_not, "libLLVM has no function %s", name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

static bool initialise_target(void *library) {
    static const char *const names[] = {TEXT(LLVM_NATIVE_TARGETINFO), TEXT(LLVM_NATIVE_TARGET),
                                        TEXT(LLVM_NATIVE_TARGETMC), TEXT(LLVM_NATIVE_ASMPRINTER)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*initialise)(void);
        if (!find(library, names[i], &initialise))
            return false;
        initialise();
    }
    api.triple = api.LLVMGetDefaultTargetTriple();
    api.cpu = api.LLVMGetHostCPUName();
    api.features = api.LLVMGetHostCPUFeatures();
    char *message = NULL;
    if (api.LLVMGetTargetFromTriple(api.triple, &api.target, &message)) {
        snprintf(why_not, sizeof why_not, "%s", message);
        api.LLVMDisposeMessage(message);
        return false;
    }
    return true;
}

static void load(void) {
    static const char *const llvm[] = {"libLLVM-14.so.1", "libLLVM-14.so", NULL};
    static const char *const sleef[] = {"libsleef.so.3", NULL};
    void *library = open_first(llvm);
    if (!library) {
        snprintf(why_not, sizeof why_not, "libLLVM-14 cannot be loaded");
        return;
    }
#define FIND(name)                                                                                 \
    if (!find(library, #name, &api.name))                                                          \
        return;
    ZW_LLVM_FUNCTIONS(FIND)
#undef FIND
    api.sleef = open_first(sleef);
    loaded = initialise_target(library);
}

const zw_llvm_api *zw_llvm_load(zw_error *err) {
    pthread_once(&once, load);
    if (!loaded) {
        zw_fail(err, ZW_E_MISSING, "no native code: %s", why_not);
        zw_error_hint(err, "install the package libllvm14 (libLLVM-14.so.1), or run interpreted");
        return NULL;
    }
    return &api;
}
