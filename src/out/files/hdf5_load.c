/* SPDX-License-Identifier: MIT */
/* Loads libhdf5, once per process; it is never unloaded. The name of the library, with the
 * interface number of the headers, is found when Zwang is configured (ZW_HDF5_LIBRARY). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "hdf5_api.h"

static zw_hdf5_api api;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static char why_not[256];

/* ISO C has no conversion from object to function pointers; POSIX guarantees equal bits */
static bool find_symbol(void *library, const char *name, void *pointer) {
    void *address = dlsym(library, name);
    if (!address)
        snprintf(why_not, sizeof why_not, ZW_HDF5_LIBRARY " has no %s", name);
    memcpy(pointer, &address, sizeof address);
    return address != NULL;
}

static void load_library(void) {
    void *library = dlopen(ZW_HDF5_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        snprintf(why_not, sizeof why_not, ZW_HDF5_LIBRARY " cannot be loaded");
        return;
    }
#define FIND(name)                                                                                 \
    if (!find_symbol(library, #name, &api.name))                                                   \
        return;
    ZW_HDF5_FUNCTIONS(FIND)
    ZW_HDF5_IDS(FIND)
#undef FIND
    /* files are closed by their callers; objects that a damaged file left in the library need no
     * cleanup */
    api.H5dont_atexit();
    loaded = api.H5open() >= 0;
    if (!loaded)
        snprintf(why_not, sizeof why_not, ZW_HDF5_LIBRARY " does not start");
}

const zw_hdf5_api *zw_hdf5_load(zw_error *err) {
    pthread_once(&once, load_library);
    if (!loaded) {
        zw_fail(err, ZW_E_MISSING, "no HDF5 files here: %s", why_not);
        zw_error_hint(err, "install the library (Debian: libhdf5-103-1), or use .csv or .json");
        return NULL;
    }
    return &api;
}
