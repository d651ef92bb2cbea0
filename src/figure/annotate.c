/* SPDX-License-Identifier: MIT */
/* Styles with markers at the rows instead of a line, and texts at points of a panel:
 *
 *     red dashed                     a line
 *     red discs                      a disc at each row
 *     [PANEL:]TEXT=X,Y[,Z][ STYLE]   a marker with a text; STYLE "none": the text only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { WORDS = 200 };

static const struct {
    const char *word;
    zw_mark_shape shape;
} signs[] = {{"discs", ZW_MARK_DISC},       {"squares", ZW_MARK_SQUARE},
             {"diamonds", ZW_MARK_DIAMOND}, {"triangles", ZW_MARK_TRIANGLE},
             {"circles", ZW_MARK_RING},     {"crosses", ZW_MARK_CROSS}};

/* the marker that the last word of a style names, -1 if none; *rest: the length of the words before
 * it */
static int find_sign(const char *text, size_t *rest) {
    const char *space = strrchr(text, ' '), *last = space ? space + 1 : text;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcmp(last, signs[i].word) == 0) {
            *rest = space ? (size_t)(space - text) : 0;
            return (int)i;
        }
    *rest = strlen(text);
    return -1;
}

zw_status zw_figure_style(const char *text, int *style, int *shape, zw_error *err) {
    char line[WORDS];
    size_t n;
    int sign = find_sign(text, &n);
    *shape = sign < 0 ? 0 : 1 + (int)signs[sign].shape;
    if (sign >= 0 && n == 0) /* in the next colour of the panel */
        return ZW_OK;
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    zw_status status = zw_plot_style(line, style, err);
    if (status < 0)
        zw_error_hint(err, "blue, red, green, pink, black, orange, sky or grey, with solid, "
                           "dashed, dash-dot or dotted (\"black dashed\"), or with discs, squares, "
                           "diamonds, triangles, circles or crosses (\"red discs\")");
    return status;
}

/* ---- texts at points ---- */

static zw_status reject_text(const char *text, bool space, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--annotate %s: TEXT=X,Y%s is expected", text, space ? ",Z" : "");
    zw_error_hint(err,
                  space ? "--annotate \"start=1.57,-1.57,2 black crosses\""
                        : "--annotate \"v1=0.05,1.2\"; a style may follow: \"... red discs\", or "
                          "\"... none\" for the text only");
    return ZW_E_OPTION;
}

static zw_status read_style(const char *text, zw_mark *out, zw_error *err) {
    int shape;
    text += strspn(text, " ");
    out->shape = strcmp(text, "none") == 0 ? ZW_MARK_NONE : ZW_MARK_DISC;
    if (!*text || out->shape == ZW_MARK_NONE)
        return ZW_OK;
    ZW_TRY(zw_figure_style(text, &out->style, &shape, err));
    if (shape)
        out->shape = (zw_mark_shape)(shape - 1);
    return ZW_OK;
}

static zw_status read_place(zw_figure *f, const char *text, bool space, zw_mark *out,
                            zw_error *err) {
    const char *equals = strrchr(text, '=');
    out->sure = true;
    double *to[3] = {&out->x, &out->y, &out->z};
    if (!equals)
        return reject_text(text, space, err);
    const char *at = equals;
    for (int a = 0; a < (space ? 3 : 2); a++) {
        char *end;
        *to[a] = strtod(at + 1, &end);
        if (end == at + 1 || (a > 0 && *at != ','))
            return reject_text(text, space, err);
        at = end;
    }
    if (*at && *at != ' ')
        return reject_text(text, space, err);
    if (equals > text && !(out->text = zw_arena_copy(&f->arena, text, (size_t)(equals - text))))
        return zw_out_of_memory(err, "the picture");
    return read_style(at, out, err);
}

static zw_status add_annotation(zw_figure *f, int panel, const zw_mark *m, zw_error *err) {
    zw_panel *p = &f->panel[panel];
    zw_mark *all = ZW_NEW(&f->arena, zw_mark, p->nmark + 1);
    if (!all)
        return zw_out_of_memory(err, "the picture");
    if (p->nmark)
        memcpy(all, p->mark, sizeof *all * (size_t)p->nmark);
    all[p->nmark++] = *m;
    p->mark = all;
    return ZW_OK;
}

zw_status zw_figure_annotate(zw_figure *f, const zw_figure_texts *list, zw_error *err) {
    for (int i = 0; i < list->n; i++) {
        const char *text = list->item[i];
        int panel;
        ZW_TRY(zw_figure_in_panel("--annotate", f->npanel, &text, &panel, err));
        for (int k = 0; k < f->npanel; k++) {
            zw_mark m = {0};
            if (panel >= 0 && k != panel)
                continue;
            ZW_TRY(read_place(f, text, f->panel[k].is_space, &m, err));
            ZW_TRY(add_annotation(f, k, &m, err));
        }
    }
    return ZW_OK;
}
