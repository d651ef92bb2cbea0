/* SPDX-License-Identifier: MIT */
#include "memory_probe.h"

#include <sys/mman.h>

bool zw_has_room(size_t bytes) {
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}
