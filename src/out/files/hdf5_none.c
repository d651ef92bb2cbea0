/* SPDX-License-Identifier: MIT */
/* Zwang built without HDF5: reports what is missing. */
#include "formats.h"

zw_status zw_out_hdf5_available(zw_error *err) {
    zw_fail(err, ZW_E_MISSING, "this Zwang was built without HDF5");
    zw_error_hint(err, "use .csv or .json, or build it again with the headers of HDF5 installed "
                       "(Debian: libhdf5-dev)");
    return ZW_E_MISSING;
}

zw_status zw_out_hdf5_write(const zw_table *t, const char *path, zw_error *err) {
    (void)t, (void)path;
    return zw_out_hdf5_available(err);
}

zw_status zw_out_hdf5_read(zw_table **out, const char *path, zw_error *err) {
    (void)path;
    *out = NULL;
    return zw_out_hdf5_available(err);
}
