/* SPDX-License-Identifier: MIT */
/* The page with another viewer than the one in the program: text in which the data take the place
 * of the mark. */
#ifndef ZW_OUT_PAGE_H
#define ZW_OUT_PAGE_H

#include "zwang/view.h"

zw_status zw_page_check(const char *viewer, size_t size, zw_error *err);
/* To path, or into bytes where path is NULL. */
zw_status zw_page_fill(const char *viewer, size_t size, const zw_page *page, const char *path,
                       zw_bytes *bytes, zw_error *err);
/* The viewer as it was built, `size` bytes; one that begins with "missing" says why there is
 * none. */
const char *zw_page_template(size_t *size);

#endif
