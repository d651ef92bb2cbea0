/* SPDX-License-Identifier: MIT */
/* The page with another viewer than the built-in one: a text in which the data replace the
 * placeholder. */
#ifndef ZW_OUT_PAGE_H
#define ZW_OUT_PAGE_H

#include "zwang/view.h"

zw_status zw_page_check(const char *viewer, size_t size, zw_error *err);
/* Writes to path, or to bytes if path is NULL. */
zw_status zw_page_fill(const char *viewer, size_t size, const zw_page *page, const char *path,
                       zw_bytes *bytes, zw_error *err);
/* The built-in viewer, `size` bytes; a text that begins with "missing" gives the reason why there
 * is none. */
const char *zw_page_template(size_t *size);

#endif
