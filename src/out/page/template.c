/* SPDX-License-Identifier: MIT */
/* The viewer, included in the program by the assembler, which reads the file ZW_VIEWER_PAGE. (The
 * compiler would take seconds for an array of a megabyte.) */
#include <stdint.h>

#include "page.h"

__asm__(".section .rodata\n"
        ".global zw_viewer_page, zw_viewer_page_size\n"
        ".hidden zw_viewer_page, zw_viewer_page_size\n"
        "zw_viewer_page: .incbin \"" ZW_VIEWER_PAGE "\"\n"
        "zw_viewer_page_end: .byte 0\n"
        ".balign 8\n"
        "zw_viewer_page_size: .quad zw_viewer_page_end - zw_viewer_page\n"
        ".text\n");

extern const char zw_viewer_page[];
extern const uint64_t zw_viewer_page_size;

const char *zw_page_template(size_t *size) {
    *size = (size_t)zw_viewer_page_size;
    return zw_viewer_page;
}
