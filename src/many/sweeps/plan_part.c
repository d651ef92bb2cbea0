/* SPDX-License-Identifier: MIT */
/* Part i of n of N numbers begins at floor((i - 1) N / n). With N = a n + b, 0 <= b < n, that is
 * (i - 1) a + floor((i - 1) b / n), which does not overflow while n^2 < 2^64. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "zwang/survey.h"

static const uint64_t most = 1u << 31;

static bool read_whole(const char **s, uint64_t *out) {
    char *end;
    if (!isdigit((unsigned char)**s))
        return false;
    errno = 0;
    *out = strtoull(*s, &end, 10);
    *s = end;
    return errno == 0;
}

static uint64_t part_begin(uint64_t part, uint64_t parts, uint64_t count) {
    return (part - 1) * (count / parts) + (part - 1) * (count % parts) / parts;
}

zw_status zw_plan_part_read(zw_plan_part *out, const char *text, uint64_t count, zw_error *err) {
    const char *s = text;
    zw_plan_part r = {0};
    bool good = read_whole(&s, &r.part) && *s++ == '/' && read_whole(&s, &r.parts) && !*s;
    *out = (zw_plan_part){0};
    if (!good || r.part < 1 || r.part > r.parts || r.parts > most) {
        zw_fail(err, ZW_E_OPTION, "--range %.40s: not a part I/N", text);
        zw_error_hint(err, "--range 3/16 is the third of sixteen parts; the first is 1/16");
        return ZW_E_OPTION;
    }
    r.first = part_begin(r.part, r.parts, count);
    r.count = (r.part == r.parts ? count : part_begin(r.part + 1, r.parts, count)) - r.first;
    *out = r;
    return ZW_OK;
}
