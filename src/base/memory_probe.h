/* SPDX-License-Identifier: MIT */
/* Is there memory for a library that ends the process where there is none? */
#ifndef ZW_BASE_MEMORY_PROBE_H
#define ZW_BASE_MEMORY_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* Could so many bytes be had now? They are mapped and given back: limits of the process (ulimit -v)
 * and of a system that does not promise more than it has are seen; that other processes use the
 * memory meanwhile, or that a group of processes has a limit, is not. */
bool zw_has_room(size_t bytes);

#endif
