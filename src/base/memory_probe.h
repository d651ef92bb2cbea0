/* SPDX-License-Identifier: MIT */
/* Checks for memory before a library is called that ends the process where there is none. */
#ifndef ZW_BASE_MEMORY_PROBE_H
#define ZW_BASE_MEMORY_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* True if `bytes` bytes are available now. They are mapped and released again: this sees limits of
 * the process (ulimit -v) and of a system without overcommit. It does not see the memory that other
 * processes take meanwhile, nor a limit of a group of processes. */
bool zw_has_room(size_t bytes);

#endif
