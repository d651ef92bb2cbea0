/* SPDX-License-Identifier: MIT */
/* The table of the kernel's functions as data. */
#include <assert.h>

#include "zwang/kernel.h"

static void add_part(zw_function_info *info, const char *name, int rows, int columns) {
    assert(info->nparts < ZW_PARTS_MAX);
    info->part[info->nparts++] = (zw_part){name, rows, columns};
    info->size += rows * (columns ? columns : 1);
}

#define ZW_VECTOR(part, n) add_part(&info, #part, (n), 0);
#define ZW_MATRIX(part, rows, columns)                                                             \
    if ((columns) > 0)                                                                             \
        add_part(&info, #part, (rows), (columns));
#define ZW_FUNCTION(NAME, name_, inputs_, about_, parts)                                           \
    case ZW_FN_##NAME:                                                                             \
        info.name = #name_;                                                                        \
        info.about = about_;                                                                       \
        info.inputs = inputs_;                                                                     \
        parts break;

zw_function_info zw_kernel_describe(const zw_kernel *k, zw_function_name name) {
    zw_function_info info = {0};
    switch (name) {
#include "zwang/kernel.def"
    case ZW_FN_COUNT:
        break;
    }
    return info;
}
