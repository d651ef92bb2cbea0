/* SPDX-License-Identifier: MIT */
/* Equations as JSON: free() the string; NULL: out of memory. */
#ifndef ZW_TEST_EQUATIONS_JSON_H
#define ZW_TEST_EQUATIONS_JSON_H

#include <stdlib.h>

#include "zwang/equations.h"
#include "zwang/report.h"

static inline char *equations_json(const zw_equations *eq, const zw_allocator *alloc) {
    zw_report *r = zw_report_create(alloc);
    zw_bytes bytes = {0};
    if (!r)
        return NULL;
    zw_equations_report(eq, r);
    zw_status status = zw_report_json(r, &bytes, NULL);
    zw_report_destroy(r);
    return status >= 0 ? bytes.data : NULL;
}

#endif
