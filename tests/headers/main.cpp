/* SPDX-License-Identifier: MIT */
/* C++ sees the C library: linkage, enum values, and the version of header and library agree. */
#include <cstdio>
#include <cstring>

#include <zwang/zwang.h>

int main() {
    zw_error err = zw_error();
    zw_status status = zw_fail(&err, ZW_E_NAME, "unknown name '%s'", "x");
    bool right = status == ZW_E_NAME && std::strcmp(err.text, "unknown name 'x'") == 0 &&
                 std::strcmp(zw_version(), ZW_VERSION) == 0;
    if (!right)
        std::fprintf(stderr, "library %s, header %s, text '%s'\n", zw_version(), ZW_VERSION, err.text);
    return right ? 0 : 1;
}
