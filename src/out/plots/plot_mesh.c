/* SPDX-License-Identifier: MIT */
/* Surfaces in space: the rows of a curve are the nodes of a mesh, `mesh` of them along each line.
 * Its facets are filled in a light tint of the colour of the curve, with their edges, from back to
 * front; hidden parts show through slightly. With the direction n to the eye and the lengths L_i of
 * the box, the depth of a point is sum n_i L_i u_i; on paper edge i has the length L_i sqrt(1 -
 * n_i^2). Lines of the panel are drawn over it: nothing is hidden by it. */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

#define EDGE_SQUARE_MIN 1e-6 /* square of the sine to the eye: an edge seen end on has no length */
#define EDGE_WIDTH 0.25
#define TINT 0.45  /* fraction of the colour in the filling */
#define GLASS 0.75 /* opacity of the filling */

typedef struct facet {
    double depth;
    long row; /* of its first corner */
    int curve;
} facet;

static int by_depth(const void *a, const void *b) {
    const facet *x = a, *y = b;
    if (isnan(x->depth) || isnan(y->depth)) /* facets that cannot be shown come first */
        return isnan(y->depth) - isnan(x->depth);
    return x->depth < y->depth    ? -1
           : x->depth > y->depth  ? 1
           : x->curve != y->curve ? x->curve - y->curve
           : x->row < y->row      ? -1
                                  : 1;
}

static void find_depths(const zw_out_sheet *s, const zw_out_pane *p, double *weight) {
    const double degree = acos(-1) / 180;
    double a = s->picture->azimuth * degree, e = s->picture->elevation * degree,
           n[3] = {cos(e) * cos(a), cos(e) * sin(a), sin(e)};
    for (int i = 0; i < 3; i++)
        weight[i] =
            n[i] * hypot(p->edge[i].x, p->edge[i].y) / sqrt(fmax(1 - n[i] * n[i], EDGE_SQUARE_MIN));
}

static double depth_of(const zw_out_pane *p, const zw_curve *c, long row, const double *weight) {
    const int column[] = {c->x, c->y, c->z};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += weight[i] * zw_out_fraction(&p->axis[i], zw_table_at(c->table, row, column[i]));
    return sum;
}

static void use_colour(zw_out_canvas *c, int style, double part, double dense) {
    double r, g, b;
    zw_out_use_colour(c->cr, style);
    cairo_pattern_get_rgba(cairo_get_source(c->cr), &r, &g, &b, NULL);
    r = 1 + part * (r - 1);
    g = 1 + part * (g - 1);
    b = 1 + part * (b - 1);
    if (c->tex) /* no transparency */
        cairo_set_source_rgb(c->cr, r, g, b);
    else
        cairo_set_source_rgba(c->cr, r, g, b, dense);
}

/* the outline of the facet whose first corner is this row; false if a corner cannot be shown */
static bool outline_facet(const zw_out_sheet *s, const zw_out_pane *p, const zw_curve *c,
                          long row) {
    const long corner[] = {row, row + 1, row + 1 + c->mesh, row + c->mesh};
    zw_out_spot at[4];
    for (int i = 0; i < 4; i++)
        if (!zw_out_place(p, c, corner[i], &at[i]))
            return false;
    cairo_new_path(s->cr);
    for (int i = 0; i < 4; i++)
        cairo_line_to(s->cr, at[i].x, at[i].y);
    cairo_close_path(s->cr);
    return true;
}

/* appends the facets of curve k from n on; returns their number */
static long gather_facets(const zw_out_pane *p, int k, const double *weight, facet *all, long n) {
    const zw_curve *c = &p->panel->curve[k];
    long rows = zw_table_rows(c->table);
    for (long i = 0; i + c->mesh + 1 < rows; i++)
        if (i % c->mesh + 1 < c->mesh)
            all[n++] = (facet){
                (depth_of(p, c, i, weight) + depth_of(p, c, i + c->mesh + 1, weight)) / 2, i, k};
    return n;
}

void zw_out_draw_meshes(const zw_out_sheet *s, const zw_out_pane *p) {
    double weight[3];
    long rows = 0, n = 0;
    for (int k = 0; k < p->panel->n; k++)
        rows += p->panel->curve[k].mesh ? zw_table_rows(p->panel->curve[k].table) : 0;
    facet *all = rows ? calloc((size_t)rows + 1, sizeof *all) : NULL;
    if (!all)
        return;
    find_depths(s, p, weight);
    for (int k = 0; k < p->panel->n; k++)
        if (p->panel->curve[k].mesh)
            n = gather_facets(p, k, weight, all, n);
    qsort(all, (size_t)n, sizeof *all, by_depth);
    cairo_set_line_width(s->cr, EDGE_WIDTH);
    for (long i = 0; i < n; i++) {
        const zw_curve *c = &p->panel->curve[all[i].curve];
        int style = zw_out_style(p->panel, all[i].curve);
        if (!outline_facet(s, p, c, all[i].row))
            continue;
        use_colour(s->canvas, style, TINT, GLASS);
        zw_out_fill(s->canvas);
        outline_facet(s, p, c, all[i].row);
        use_colour(s->canvas, style, 1, 0.6);
        zw_out_stroke(s->canvas);
    }
    free(all);
}
