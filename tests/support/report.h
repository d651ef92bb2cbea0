/* SPDX-License-Identifier: MIT */
/* A report as text or JSON, for tests that look into it: free() the string. The report is
 * destroyed. */
#ifndef ZW_TEST_REPORT_H
#define ZW_TEST_REPORT_H

#include "support/test.h"
#include "zwang/report.h"

/* A report that says which model it is about, as every study begins. */
static inline zw_report *report_begin(const char *model) {
    zw_report *r = zw_report_create(NULL);
    assert_non_null(r);
    zw_report_word(r, "model", model);
    return r;
}

static inline char *report_take_text(zw_report *r) {
    zw_bytes bytes;
    assert_int_equal(zw_report_text(r, &bytes, NULL), ZW_OK);
    zw_report_destroy(r);
    return bytes.data;
}

static inline char *report_take_json(zw_report *r) {
    zw_bytes bytes;
    assert_int_equal(zw_report_json(r, &bytes, NULL), ZW_OK);
    zw_report_destroy(r);
    return bytes.data;
}

#endif
