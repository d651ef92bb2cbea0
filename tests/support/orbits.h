/* SPDX-License-Identifier: MIT */
/* Orbits and connecting orbits as text or JSON: free() the string. */
#ifndef ZW_TEST_ORBITS_H
#define ZW_TEST_ORBITS_H

#include "support/report.h"
#include "zwang/connections.h"
#include "zwang/orbits.h"

static inline zw_report *orbits_report(const zw_orbits *o) {
    zw_report *r = report_begin("model");
    zw_orbits_report(o, r);
    return r;
}

/* Is there memory for all of it: words and JSON? */
static inline bool orbits_are_reported(const zw_orbits *o, const zw_allocator *alloc) {
    zw_bytes words = {0}, json = {0};
    zw_report *r = zw_report_create(alloc);
    if (!r)
        return false;
    zw_report_word(r, "model", "model");
    zw_orbits_report(o, r);
    bool done = zw_report_text(r, &words, NULL) >= 0 && zw_report_json(r, &json, NULL) >= 0;
    zw_bytes_clear(&words);
    zw_bytes_clear(&json);
    zw_report_destroy(r);
    return done;
}

static inline char *orbits_text(const zw_orbits *o) {
    return report_take_text(orbits_report(o));
}

static inline char *orbits_json(const zw_orbits *o) {
    return report_take_json(orbits_report(o));
}

static inline zw_report *event_orbits_report(const zw_event_orbits *o) {
    zw_report *r = report_begin("model");
    zw_event_orbits_report(o, r);
    return r;
}

static inline char *event_orbits_text(const zw_event_orbits *o) {
    return report_take_text(event_orbits_report(o));
}

static inline char *event_orbits_json(const zw_event_orbits *o) {
    return report_take_json(event_orbits_report(o));
}

static inline zw_report *connections_report(const zw_connections *s) {
    zw_report *r = report_begin("model");
    zw_connections_report(s, r);
    return r;
}

static inline char *connections_text(const zw_connections *s) {
    return report_take_text(connections_report(s));
}

static inline char *connections_json(const zw_connections *s) {
    return report_take_json(connections_report(s));
}

#endif
