/* SPDX-License-Identifier: MIT */
#include "processor.h"

#include <stdlib.h>
#include <string.h>

static bool has_instructions(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

bool zw_processor_fuses(void) {
    const char *asked = secure_getenv("ZWANG_FMA");
    return has_instructions() && !(asked && strcmp(asked, "off") == 0);
}
