/* SPDX-License-Identifier: MIT */
#include "canvas.h"

#include "tex.h"

void zw_out_stroke(zw_out_canvas *c) {
    if (c->tex)
        zw_out_tex_path(c->tex, c->cr, "stroke");
    else
        cairo_stroke(c->cr);
}

void zw_out_fill(zw_out_canvas *c) {
    if (c->tex)
        zw_out_tex_path(c->tex, c->cr, "fill");
    else
        cairo_fill(c->cr);
}

void zw_out_clip_begin(zw_out_canvas *c) {
    cairo_save(c->cr);
    if (c->tex)
        zw_out_tex_clip_begin(c->tex, c->cr);
    else
        cairo_clip(c->cr);
}

void zw_out_clip_end(zw_out_canvas *c) {
    if (c->tex)
        zw_out_tex_clip_end(c->tex);
    cairo_restore(c->cr);
}
