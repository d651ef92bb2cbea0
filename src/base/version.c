/* SPDX-License-Identifier: MIT */
#include "zwang/zwang.h"

const char *zw_version(void) {
    return ZW_VERSION;
}
