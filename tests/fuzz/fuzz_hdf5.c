/* SPDX-License-Identifier: MIT */
/* The library of HDF5 is not instrumented, so this is mutation without guidance; checksums stop
 * most of it. It shows that its failures become ours, with nothing on standard error. */
#include "fuzz.h"
#include "out/files/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path(".in");
    fuzz_put(path, data, size);
    zw_table *t;
    zw_error err = {0};
    zw_status status = zw_out_hdf5_read(&t, path, &err);
    unlink(path);
    fuzz_check(status, t, &err, ".h5");
    return 0;
}
