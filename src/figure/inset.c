/* SPDX-License-Identifier: MIT */
/* Insets: [PANEL:]A:B[,C:D][ at PLACE], x from A to B, y from C to D; without C:D the range of the
 * curves there. PANEL counts from 1; it is optional if there is only one. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { INSETS = 4 };

static zw_status reject_text(const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--inset %s: which window?", text);
    zw_error_hint(err, "--inset 30:30.2 magnifies these x, --inset 30:30.2,0.1:0.5 these x and y, "
                       "--inset \"2:30:30.2 at lower left\" those of panel 2, there");
    return ZW_E_OPTION;
}

/* numbers separated by colons; returns their number, 0 if there are none or too many */
static int read_numbers(const char **at, double *out, int most) {
    for (int n = 0; n < most;) {
        char *end;
        out[n++] = strtod(*at, &end);
        if (end == *at || !isfinite(out[n - 1]))
            return 0;
        *at = end;
        if (*end != ':')
            return n;
        *at = end + 1;
    }
    return 0;
}

static bool read_place(const char *text, zw_inset_place *out) {
    static const struct {
        const char *words;
        zw_inset_place place;
    } places[] = {{"upper left", ZW_INSET_UPPER_LEFT},
                  {"upper right", ZW_INSET_UPPER_RIGHT},
                  {"lower left", ZW_INSET_LOWER_LEFT},
                  {"lower right", ZW_INSET_LOWER_RIGHT}};
    text += strspn(text, " ");
    *out = ZW_INSET_ANYWHERE;
    if (!*text)
        return true;
    if (strncmp(text, "at ", 3) != 0)
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(text + 3, places[i].words) == 0) {
            *out = places[i].place;
            return true;
        }
    return false;
}

static zw_status read_inset(const zw_figure *f, const char *text, zw_inset *out, int *panel,
                            zw_error *err) {
    const char *at = text;
    double x[3], y[2];
    int n = read_numbers(&at, x, 3);
    bool has_y = n >= 2 && *at == ',';
    *panel = 0;
    if (has_y) {
        at++;
        if (read_numbers(&at, y, 2) != 2)
            return reject_text(text, err);
    }
    if (n < 2 || !read_place(at, &out->place))
        return reject_text(text, err);
    out->span[0] = (zw_span){x[n - 2], x[n - 1]};
    out->span[1] = has_y ? (zw_span){y[0], y[1]} : (zw_span){NAN, NAN};
    if (!(x[n - 2] < x[n - 1]) || (has_y && !(y[0] < y[1])))
        return zw_fail(err, ZW_E_OPTION, "--inset %s is empty", text);
    if (n == 3 && !(x[0] >= 1 && x[0] <= f->npanel && x[0] == floor(x[0])))
        return zw_fail(err, ZW_E_OPTION, "--inset %s: there are panels 1 to %d", text, f->npanel);
    if (n == 2 && f->npanel > 1) {
        zw_fail(err, ZW_E_OPTION, "--inset %s: of which of the %d panels?", text, f->npanel);
        zw_error_hint(err, "--inset 1:%s is of the first one", text);
        return ZW_E_OPTION;
    }
    *panel = n == 3 ? (int)x[0] - 1 : 0;
    return ZW_OK;
}

zw_status zw_figure_insets(zw_figure *f, const zw_figure_texts *inset, zw_error *err) {
    for (int i = 0; i < inset->n; i++) {
        zw_inset one;
        int at;
        ZW_TRY(read_inset(f, inset->item[i], &one, &at, err));
        zw_panel *p = &f->panel[at];
        if (p->is_space || f->spec[at].has_right) {
            zw_fail(err, ZW_E_OPTION, "--inset %s: a panel with three axes has no inset",
                    inset->item[i]);
            return ZW_E_OPTION;
        }
        if (p->ninset == INSETS)
            return zw_fail(err, ZW_E_OPTION, "--inset: a panel has at most %d of them", INSETS);
        zw_inset *all = p->ninset ? (zw_inset *)p->inset : ZW_NEW(&f->arena, zw_inset, INSETS);
        if (!all)
            return zw_out_of_memory(err, "the picture");
        all[p->ninset++] = one;
        p->inset = all;
    }
    return ZW_OK;
}
