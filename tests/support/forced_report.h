/* SPDX-License-Identifier: MIT */
/* What a study of forced motions reports, as text or JSON: free() the string. */
#ifndef ZW_TEST_FORCED_REPORT_H
#define ZW_TEST_FORCED_REPORT_H

#include "support/report.h"
#include "zwang/forced.h"

static inline zw_report *forced_report(const zw_forced *f) {
    zw_report *r = report_begin("model");
    zw_forced_report(f, r);
    return r;
}

static inline char *forced_text(const zw_forced *f) {
    return report_take_text(forced_report(f));
}

static inline char *gauss_text(zw_forced_gauss *g) {
    zw_report *r = report_begin("model");
    zw_forced_gauss_report(g, r);
    return report_take_text(r);
}

#endif
