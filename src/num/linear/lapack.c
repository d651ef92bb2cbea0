/* SPDX-License-Identifier: MIT */
/* OpenBLAS creates a thread for each processor when it is loaded, unless the environment sets
 * another number, and gives each of them a buffer. Zwang has its own threads, so it is loaded with
 * one. The available memory is checked before. Without OpenBLAS any other LAPACK is used. */
#include "lapack.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "base/memory_probe.h"

enum { BUFFER_MB = 192 };

static zw_lapack api;
static const zw_lapack *loaded;
static once_flag once = ONCE_FLAG_INIT;

/* ISO C has no conversion from object to function pointers; POSIX says the bits are the same */
static int find_symbol(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

/* with one thread: OpenBLAS reads the environment when it is loaded, and takes a buffer for each
 * thread then */
static void *open_library(const char *name) {
    static const char threads[] = "OPENBLAS_NUM_THREADS";
    bool said = getenv(threads) != NULL;
    if (!said)
        setenv(threads, "1", 0);
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!said)
        unsetenv(threads);
    return library;
}

static bool take_library(const char *name) {
    void *library = open_library(name);
    void (*set_threads)(int n);
    if (!library || !find_symbol(library, "dgetrf_", &api.dgetrf) ||
        !find_symbol(library, "dgetrs_", &api.dgetrs) ||
        !find_symbol(library, "zgetrf_", &api.zgetrf) ||
        !find_symbol(library, "zgetrs_", &api.zgetrs) ||
        !find_symbol(library, "dgesvd_", &api.dgesvd) ||
        !find_symbol(library, "dgeevx_", &api.dgeevx))
        return false;
    if (find_symbol(library, "openblas_set_num_threads", &set_threads))
        set_threads(1);
    return true;
}

/* memory for two buffers: that of the thread, and that for loading */
static void load_library(void) {
    const char *asked = secure_getenv("ZWANG_LAPACK");
    if ((asked && strcmp(asked, "none") == 0) || !zw_has_room((size_t)2 * BUFFER_MB << 20))
        return;
    if (asked ? take_library(asked) : take_library(ZW_OPENBLAS) || take_library("liblapack.so.3"))
        loaded = &api;
}

const zw_lapack *zw_num_lapack(void) {
    call_once(&once, load_library);
    return loaded;
}

const zw_lapack *zw_num_lapack_for(int n) {
    const zw_lapack *lapack = zw_num_lapack();
    return lapack ? lapack : n <= ZW_LAPACK_OWN ? zw_num_lapack_own() : NULL;
}
