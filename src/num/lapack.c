/* SPDX-License-Identifier: MIT */
/* OpenBLAS makes a thread for each processor when it is loaded, unless the environment says otherwise, and gives
 * each of them a buffer. Whether there is room is asked before.
 * Zwang has threads of its own, so the others are not used. */
#include "lapack.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "base/room.h"

enum { BUFFER_MB = 192, PROCESSORS_MOST = 256 };

static zw_lapack api;
static const zw_lapack *loaded;
static once_flag once = ONCE_FLAG_INIT;

static long processors(void) {
    const char *said = secure_getenv("OPENBLAS_NUM_THREADS");
    long n = said ? strtol(said, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > PROCESSORS_MOST ? PROCESSORS_MOST : n;
}

/* ISO C has no conversion from object to function pointers; POSIX says the bits are the same */
static int find(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

static void load(void) {
    if (!zw_has_room((size_t)(processors() + 1) * BUFFER_MB << 20))
        return;
    void *library = dlopen(ZW_OPENBLAS, RTLD_LAZY | RTLD_LOCAL);
    void (*set_threads)(int n);
    if (!library || !find(library, "dgetrf_", &api.dgetrf) ||
        !find(library, "dgetrs_", &api.dgetrs) || !find(library, "zgetrf_", &api.zgetrf) ||
        !find(library, "zgetrs_", &api.zgetrs) || !find(library, "dgesvd_", &api.dgesvd) ||
        !find(library, "dgeevx_", &api.dgeevx))
        return;
    if (find(library, "openblas_set_num_threads", &set_threads))
        set_threads(1);
    loaded = &api;
}

const zw_lapack *zw_num_lapack(void) {
    call_once(&once, load);
    return loaded;
}
