/* SPDX-License-Identifier: MIT */
#ifndef ZW_OUT_UTF8_H
#define ZW_OUT_UTF8_H

/* Length in bytes of the valid UTF-8 character at s, 0 if it is invalid. */
int zw_out_utf8_length(const char *s);

#endif
