/* SPDX-License-Identifier: MIT */
/* The viewer, put into the program as it is: the assembler reads the file ZW_VIEWER_PAGE. */
#include "page.h"

__asm__(".section .rodata\n"
        ".global zw_viewer_page, zw_viewer_page_end\n"
        ".hidden zw_viewer_page, zw_viewer_page_end\n"
        "zw_viewer_page: .incbin \"" ZW_VIEWER_PAGE "\"\n"
        "zw_viewer_page_end: .byte 0\n"
        ".text\n");

extern const char zw_viewer_page[], zw_viewer_page_end[];

const char *zw_page_template(size_t *size) {
    *size = (size_t)(zw_viewer_page_end - zw_viewer_page);
    return zw_viewer_page;
}
