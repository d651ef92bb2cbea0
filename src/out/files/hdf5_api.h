/* SPDX-License-Identifier: MIT */
/* The functions of HDF5 that are used, as a table of pointers. libhdf5 is loaded for the first file
 * of its kind, because linking it (with its dependencies) would slow down every start of the
 * program. */
#ifndef ZW_OUT_HDF5_API_H
#define ZW_OUT_HDF5_API_H

#include <hdf5.h>

#include "zwang/status.h"

/* constants like H5F_ACC_TRUNC call the library through these to make sure that it is open, which
 * it is */
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN

/* library and errors; property lists; files; groups and links; data; spaces; types; attributes */
#define ZW_HDF5_FUNCTIONS(X)                                                                       \
    X(H5dont_atexit)                                                                               \
    X(H5open)                                                                                      \
    X(H5free_memory)                                                                               \
    X(H5Eget_auto2)                                                                                \
    X(H5Eset_auto2)                                                                                \
    X(H5Ewalk2)                                                                                    \
    X(H5Pcreate)                                                                                   \
    X(H5Pclose)                                                                                    \
    X(H5Pset_fapl_core)                                                                            \
    X(H5Pset_fclose_degree)                                                                        \
    X(H5Pset_libver_bounds)                                                                        \
    X(H5Pset_link_creation_order)                                                                  \
    X(H5Pget_link_creation_order)                                                                  \
    X(H5Pset_char_encoding)                                                                        \
    X(H5Pset_obj_track_times)                                                                      \
    X(H5Pset_layout)                                                                               \
    X(H5Pset_fill_value)                                                                           \
    X(H5Pset_chunk)                                                                                \
    X(H5Pset_shuffle)                                                                              \
    X(H5Pset_deflate)                                                                              \
    X(H5Pset_fletcher32)                                                                           \
    X(H5Pset_elink_cb)                                                                             \
    X(H5Pget_external_count)                                                                       \
    X(H5Pget_layout)                                                                               \
    X(H5Fcreate)                                                                                   \
    X(H5Fopen)                                                                                     \
    X(H5Fclose)                                                                                    \
    X(H5Fflush)                                                                                    \
    X(H5Fget_file_image)                                                                           \
    X(H5Fget_vfd_handle)                                                                           \
    X(H5Gcreate2)                                                                                  \
    X(H5Gopen2)                                                                                    \
    X(H5Gclose)                                                                                    \
    X(H5Gget_create_plist)                                                                         \
    X(H5Gget_info)                                                                                 \
    X(H5Lexists)                                                                                   \
    X(H5Lget_name_by_idx)                                                                          \
    X(H5Dcreate2)                                                                                  \
    X(H5Dopen2)                                                                                    \
    X(H5Dclose)                                                                                    \
    X(H5Dread)                                                                                     \
    X(H5Dwrite)                                                                                    \
    X(H5Dget_space)                                                                                \
    X(H5Dget_type)                                                                                 \
    X(H5Dget_storage_size)                                                                         \
    X(H5Dget_create_plist)                                                                         \
    X(H5Screate)                                                                                   \
    X(H5Screate_simple)                                                                            \
    X(H5Sclose)                                                                                    \
    X(H5Sselect_hyperslab)                                                                         \
    X(H5Sget_simple_extent_ndims)                                                                  \
    X(H5Sget_simple_extent_npoints)                                                                \
    X(H5Tcopy)                                                                                     \
    X(H5Tclose)                                                                                    \
    X(H5Tset_size)                                                                                 \
    X(H5Tset_cset)                                                                                 \
    X(H5Tset_strpad)                                                                               \
    X(H5Tget_class)                                                                                \
    X(H5Tget_size)                                                                                 \
    X(H5Tis_variable_str)                                                                          \
    X(H5Acreate2)                                                                                  \
    X(H5Aopen)                                                                                     \
    X(H5Aclose)                                                                                    \
    X(H5Aexists)                                                                                   \
    X(H5Aread)                                                                                     \
    X(H5Awrite)                                                                                    \
    X(H5Aget_type)                                                                                 \
    X(H5Aget_space)

/* identifiers that the library sets when it is opened; its headers hide them in macros */
#define ZW_HDF5_IDS(X)                                                                             \
    X(H5P_CLS_FILE_ACCESS_ID_g)                                                                    \
    X(H5P_CLS_FILE_CREATE_ID_g)                                                                    \
    X(H5P_CLS_GROUP_CREATE_ID_g)                                                                   \
    X(H5P_CLS_DATASET_CREATE_ID_g)                                                                 \
    X(H5P_CLS_LINK_CREATE_ID_g)                                                                    \
    X(H5P_CLS_GROUP_ACCESS_ID_g)                                                                   \
    X(H5P_CLS_DATASET_ACCESS_ID_g)                                                                 \
    X(H5T_NATIVE_DOUBLE_g)                                                                         \
    X(H5T_IEEE_F64LE_g)                                                                            \
    X(H5T_C_S1_g)

typedef struct zw_hdf5_api {
#define ZW_HDF5_FUNCTION(name) __typeof__(name) *name;
    ZW_HDF5_FUNCTIONS(ZW_HDF5_FUNCTION)
#undef ZW_HDF5_FUNCTION
#define ZW_HDF5_ID(name) hid_t *name;
    ZW_HDF5_IDS(ZW_HDF5_ID)
#undef ZW_HDF5_ID
} zw_hdf5_api;

/* The table of the process, loaded at the first call. NULL with ZW_E_MISSING in err. */
const zw_hdf5_api *zw_hdf5_load(zw_error *err);

#endif
