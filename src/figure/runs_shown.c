/* SPDX-License-Identifier: MIT */
/* Which runs a panel shows: PANEL:FIRST[-LAST][,...], both counted from 1. Panels that are not
 * named show all. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

static zw_status reject_text(const char *text, int nrun, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--runs %s: PANEL:FIRST-LAST is expected, of %d runs", text, nrun);
    zw_error_hint(err, "--runs 1:1-3 --runs 2:4,5 shows the first three runs in panel 1, the "
                       "fourth and fifth in panel 2");
    return ZW_E_OPTION;
}

/* "4-6": a run counted from 1, or several */
static bool read_range(const char **at, int nrun, long *first, long *last) {
    char *end;
    *first = *last = strtol(*at, &end, 10);
    bool good = end != *at;
    if (good && *end == '-') {
        const char *from = end + 1;
        *last = strtol(from, &end, 10);
        good = end != from;
    }
    *at = end;
    return good && *first >= 1 && *first <= *last && *last <= nrun;
}

static zw_status read_runs(zw_figure *f, const char *whole, int npanel, int nrun, zw_error *err) {
    const char *at = whole;
    int panel;
    ZW_TRY(zw_figure_in_panel("--runs", npanel, &at, &panel, err));
    if (panel < 0)
        return reject_text(whole, nrun, err);
    bool *row = f->shown + (size_t)panel * (size_t)nrun;
    memset(row, 0, sizeof *row * (size_t)nrun);
    for (;; at++) {
        long first, last;
        if (!read_range(&at, nrun, &first, &last) || (*at && *at != ','))
            return reject_text(whole, nrun, err);
        for (long r = first; r <= last; r++)
            row[r - 1] = true;
        if (!*at)
            return ZW_OK;
    }
}

zw_status zw_figure_show(zw_figure *f, const zw_figure_texts *list, int npanel, int nrun,
                         zw_error *err) {
    if (list->n == 0)
        return ZW_OK;
    f->shown = ZW_NEW(&f->arena, bool, (long)npanel *nrun + 1);
    f->ngiven = nrun;
    if (!f->shown)
        return zw_out_of_memory(err, "the picture");
    memset(f->shown, 1, sizeof *f->shown * (size_t)(npanel * nrun));
    for (int i = 0; i < list->n; i++)
        ZW_TRY(read_runs(f, list->item[i], npanel, nrun, err));
    return ZW_OK;
}
