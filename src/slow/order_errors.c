/* SPDX-License-Identifier: MIT */
#include "order_errors.h"

#include <stdio.h>

enum { LINE = 300 };

static void say_heading(zw_report *out, const zw_order_errors *e) {
    char text[LINE];
    int n = snprintf(text, sizeof text, "%s\n  %-18s", e->title, e->small);
    for (int i = 0; i < 2 && n < LINE; i++)
        if (e->further[i].key && !e->further[i].hidden)
            n += snprintf(text + n, sizeof text - (size_t)n, "%12s", e->further[i].title);
    zw_report_say(out, text);
    zw_report_say(out, "{orders*    order {.}}\n");
}

static void report_level(zw_report *out, const zw_order_errors *e, int level) {
    zw_shown few = {.digits = 2}, error = {.digits = 3, .none = "-"};
    char text[80];
    zw_report_open(out, NULL);
    zw_report_number(out, "eps", e->eps[level], &(zw_shown){.unit = e->unit, .digits = 6});
    zw_report_say(out, "  {eps:-18}");
    for (int i = 0; i < 2; i++) {
        if (!e->further[i].key)
            continue;
        zw_report_number(out, e->further[i].key, e->further[i].value[level], &few);
        snprintf(text, sizeof text, "{%s:12}", e->further[i].key);
        if (!e->further[i].hidden)
            zw_report_say(out, text);
    }
    zw_report_vector(out, "errors", e->norder, e->error[level], NULL, &error);
    zw_report_say(out, "{errors*{.:11}}\n");
    zw_report_close(out);
}

static void report_powers(zw_report *out, const zw_order_errors *e) {
    zw_report_vector(out, "powers", e->norder, e->power, NULL,
                     &(zw_shown){.digits = 5, .none = "-"});
    zw_report_say(out, "  power             ");
    for (int i = 0; i < 2; i++)
        if (e->further[i].key && !e->further[i].hidden)
            zw_report_say(out, "            ");
    zw_report_say(out, "{powers*{.:11}}\n");
}

void zw_order_errors_report(zw_report *out, const zw_order_errors *e) {
    double order[ZW_MANIFOLD_ORDER_MOST + 1];
    for (int k = 0; k < e->norder; k++)
        order[k] = k;
    zw_report_open(out, e->key);
    zw_report_count(out, "points", e->npoint);
    zw_report_vector(out, "orders", e->norder, order, NULL, NULL);
    say_heading(out, e);
    zw_report_list(out, "levels");
    for (int level = 0; level < e->nlevel; level++)
        report_level(out, e, level);
    zw_report_close(out);
    report_powers(out, e);
    zw_report_close(out);
}
