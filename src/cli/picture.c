/* SPDX-License-Identifier: MIT */
/* From --plot and its companions to a zw_picture. Of every run a table is made that holds exactly the
 * quantities that are drawn, formulas evaluated; the curves are columns of these tables, and with
 * --keep they are what is written beside the picture. */
#include "picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keep.h"
#include "spec.h"

#define AT(field) offsetof(cli_draw_options, field)

const zw_option cli_draw_table[] = {
    {"title", ZW_OPT_STRING, AT(title), 0, 0, 0, "", "TEXT", "a line above the picture"},
    {"xlabel", ZW_OPT_LIST, AT(label[0]), 0, 0, 0, "", "TEXT",
     "label of the x axis, repeated for further panels: \"theta_1 [deg]\""},
    {"ylabel", ZW_OPT_LIST, AT(label[1]), 0, 0, 0, "", "TEXT", "label of the y axis"},
    {"zlabel", ZW_OPT_LIST, AT(label[2]), 0, 0, 0, "", "TEXT", "label of the z axis"},
    {"legend", ZW_OPT_LIST, AT(legend), 0, 0, 0, "", "TEXT",
     "name of a run or, of one run, a curve in the legend; repeated for the next one"},
    {"range", ZW_OPT_LIST, AT(range), 0, 0, 0, "", "NAME=A:B",
     "what the axis of a column shows; A or B may be left out"},
    {"logx", ZW_OPT_FLAG, AT(logx), 0, 0, 0, "", NULL, "decades on the x axis"},
    {"logy", ZW_OPT_FLAG, AT(logy), 0, 0, 0, "", NULL, "decades on the y axis"},
    {"axes", ZW_OPT_CHOICE, AT(axes), 0, 0, 0, "", "auto|equal|free",
     "one unit as long on all axes; auto: for paths whose columns have one unit"},
    {"points", ZW_OPT_FLAG, AT(points), 0, 0, 0, "", NULL, "dots instead of lines"},
    {"grid", ZW_OPT_FLAG, AT(grid), 0, 0, 0, "", NULL, "light lines at the numbers"},
    {"size", ZW_OPT_STRING, AT(size), 0, 0, 0, "", "WxH", "size in mm (one panel: 120x90)"},
    {"columns", ZW_OPT_INT, AT(columns), 1, 1, 36, "", NULL, "panels side by side"},
    {"azimuth", ZW_OPT_DOUBLE, AT(azimuth), -60, -360, 360, "deg", NULL,
     "x,y,z: from where it is seen, from x towards y"},
    {"elevation", ZW_OPT_DOUBLE, AT(elevation), 25, 0, 90, "deg", NULL,
     "x,y,z: and how high above the x-y plane"},
    {"keep", ZW_OPT_FLAG, AT(keep), 0, 0, 0, "", NULL,
     "keep the data and the command beside the picture: PICTURE.csv, PICTURE.sh"},
    {0},
};

enum { OPERANDS = 128, LABEL = 320 };

typedef struct drawing {
    const picture_order *order;
    int noperand;
    char operand[OPERANDS][OPERAND_TEXT]; /* the columns of the tables that are drawn */
    spec *spec;                           /* nspec */
    zw_table **drawn;                     /* nrun */
    zw_panel *panel;                      /* nspec */
    zw_curve *curve;                      /* of all panels */
    char (*label)[LABEL];                 /* one per curve */
    zw_picture picture;
} drawing;

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory for the picture");
}

/* ---- quantities ---- */

static int find_operand(const drawing *d, const char *text) {
    for (int i = 0; i < d->noperand; i++)
        if (strcmp(d->operand[i], text) == 0)
            return i;
    return -1;
}

static int axes_of(const spec *s) {
    return s->kind == SPEC_SPACE ? 3 : 2;
}

static zw_status parse_specs(drawing *d, zw_error *err) {
    for (int i = 0; i < d->order->nspec; i++) {
        spec *s = &d->spec[i];
        ZW_TRY(spec_parse(s, d->order->spec[i], err));
        for (int k = 0; k < s->n; k++)
            for (int a = 0; a < axes_of(s); a++) {
                if (find_operand(d, s->term[k].axis[a]) >= 0)
                    continue;
                if (d->noperand == OPERANDS)
                    return zw_fail(err, ZW_E_OPTION, "--plot: more than %d quantities", OPERANDS);
                memcpy(d->operand[d->noperand++], s->term[k].axis[a], OPERAND_TEXT);
            }
    }
    return ZW_OK;
}

/* the table of what is drawn of one run */
static zw_status make_table(drawing *d, int run, zw_error *err) {
    const zw_table *from = d->order->run[run].table;
    zw_table *to = zw_table_create(NULL);
    operand *o = calloc((size_t)d->noperand + 1, sizeof *o);
    double *row = calloc((size_t)d->noperand + 1, sizeof *row);
    zw_status status = to && o && row ? ZW_OK : no_memory(err);
    d->drawn[run] = to;
    for (int i = 0; status >= 0 && i < d->noperand; i++) {
        status = operand_parse(&o[i], from, d->operand[i], err);
        if (status >= 0) { /* theta and deg(theta) would both be called theta */
            bool taken = zw_table_find(to, o[i].name) >= 0;
            status = zw_table_column(to, taken ? d->operand[i] : o[i].name, o[i].unit);
        }
    }
    for (long r = 0; status >= 0 && r < zw_table_rows(from); r++) {
        for (int i = 0; i < d->noperand; i++)
            row[i] = operand_at(&o[i], from, r);
        status = zw_table_row(to, row);
    }
    free(o);
    free(row);
    return status == ZW_E_MEMORY ? no_memory(err) : status;
}

/* ---- ranges ---- */

static zw_status bad_range(const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--range %s: what does the axis show?", text);
    zw_error_hint(err, "--range t=0:5, or --range t=5: to leave an end open");
    return ZW_E_OPTION;
}

static zw_status range_end(const char *s, char stop, const char *text, const char **after,
                           double *out, zw_error *err) {
    char *end;
    *out = strtod(s, &end);
    if (end == s)
        *out = NAN;
    if (*end != stop || (end != s && !isfinite(*out)))
        return bad_range(text, err);
    *after = end;
    return ZW_OK;
}

/* "NAME=A:B": the span goes to every axis on which NAME is drawn */
static zw_status apply_range(drawing *d, const char *text, zw_error *err) {
    const char *equals = strchr(text, '='), *after;
    char name[OPERAND_TEXT];
    zw_span span;
    bool used = false;
    if (!equals || equals - text >= OPERAND_TEXT)
        return bad_range(text, err);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    ZW_TRY(range_end(equals + 1, ':', text, &after, &span.low, err));
    ZW_TRY(range_end(after + 1, '\0', text, &after, &span.high, err));
    if (span.low >= span.high)
        return zw_fail(err, ZW_E_OPTION, "--range %s is empty", text);
    for (int i = 0; i < d->order->nspec; i++)
        for (int k = 0; k < d->spec[i].n; k++)
            for (int a = 0; a < axes_of(&d->spec[i]); a++)
                if (strcmp(d->spec[i].term[k].axis[a], name) == 0) {
                    d->panel[i].span[a] = span;
                    used = true;
                }
    if (used)
        return ZW_OK;
    const char *names[OPERANDS];
    for (int i = 0; i < d->noperand; i++)
        names[i] = d->operand[i];
    const char *near = zw_nearest(name, d->noperand, names);
    zw_fail(err, ZW_E_OPTION, "--range %s: '%s' is not drawn", text, name);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_OPTION;
}

/* ---- panels ---- */

static bool has_one_unit(const zw_panel *p) {
    for (int k = 0; k < p->n; k++) {
        const zw_curve *c = &p->curve[k];
        const char *unit = zw_table_unit(c->table, c->x);
        if (strcmp(unit, zw_table_unit(c->table, c->y)) != 0 ||
            (p->is_space && strcmp(unit, zw_table_unit(c->table, c->z)) != 0))
            return false;
    }
    return true;
}

static zw_scale scale_of(const cli_draw_options *o, const spec *s, const zw_panel *p) {
    if (o->axes == 1)
        return ZW_SCALE_EQUAL;
    bool is_path = s->kind != SPEC_GRAPH && !o->logx && !o->logy;
    return o->axes == 0 && is_path && has_one_unit(p) ? ZW_SCALE_EQUAL : ZW_SCALE_FREE;
}

/* the label for panel i of one that may be given once for all or once for each */
static const char *label_for(const zw_option_list *list, int i) {
    return list->n == 0 ? NULL : list->n == 1 ? list->item[0] : i < list->n ? list->item[i] : NULL;
}

/* what tells this curve from the others of its panel: its column, its run, or both */
static void label_curve(const drawing *d, const spec *s, int run, int term, const zw_curve *c,
                        char label[LABEL]) {
    const zw_option_list *own = &d->order->o->draw.legend;
    int k = d->order->nrun > 1 ? run : term;
    const char *of_run = d->order->run[run].label ? d->order->run[run].label : "";
    const char *name = zw_table_name(c->table, s->kind == SPEC_SPACE ? c->z : c->y);
    if (k < own->n && (d->order->nrun > 1 || s->n > 1))
        of_run = own->item[k];
    if (s->n == 1 || (d->order->nrun == 1 && k < own->n))
        snprintf(label, LABEL, "%s", of_run);
    else if (d->order->nrun == 1)
        snprintf(label, LABEL, "%s", name);
    else
        snprintf(label, LABEL, "%.150s, %.160s", name, of_run);
}

/* curves of panel i from *next on */
static void fill_panel(drawing *d, int i, int *next) {
    const cli_draw_options *o = &d->order->o->draw;
    const spec *s = &d->spec[i];
    zw_panel *p = &d->panel[i];
    *p = zw_panel_default();
    p->curve = &d->curve[*next];
    p->is_space = s->kind == SPEC_SPACE;
    p->is_points = o->points;
    p->grid = o->grid;
    p->log[0] = o->logx;
    p->log[1] = o->logy;
    for (int a = 0; a < 3; a++)
        p->label[a] = label_for(&o->label[a], i);
    for (int run = 0; run < d->order->nrun; run++)
        for (int k = 0; k < s->n; k++) {
            zw_curve *c = &d->curve[*next];
            *c = (zw_curve){.table = d->drawn[run]};
            c->x = find_operand(d, s->term[k].axis[0]);
            c->y = find_operand(d, s->term[k].axis[1]);
            c->z = p->is_space ? find_operand(d, s->term[k].axis[2]) : 0;
            label_curve(d, s, run, k, c, d->label[*next]);
            c->label = d->label[*next][0] ? d->label[*next] : NULL;
            ++*next;
        }
    p->n = d->order->nrun * s->n;
    p->scale = scale_of(o, s, p);
}

static zw_status read_size(const char *text, zw_picture *p, zw_error *err) {
    char *x, *end;
    if (!text)
        return ZW_OK;
    p->width = strtod(text, &x);
    p->height = *x == 'x' ? strtod(x + 1, &end) : 0;
    if (x != text && *x == 'x' && end != x + 1 && !*end && p->width > 0 && p->height > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--size %s is not a size", text);
    zw_error_hint(err, "width x height in mm: --size 120x90");
    return ZW_E_OPTION;
}

static zw_status fill_picture(drawing *d, zw_error *err) {
    const cli_draw_options *o = &d->order->o->draw;
    int curves = 0, next = 0;
    for (int i = 0; i < d->order->nspec; i++)
        curves += d->spec[i].n * d->order->nrun;
    d->curve = calloc((size_t)curves + 1, sizeof *d->curve);
    d->label = calloc((size_t)curves + 1, sizeof *d->label);
    if (!d->curve || !d->label)
        return no_memory(err);
    for (int i = 0; i < d->order->nspec; i++)
        fill_panel(d, i, &next);
    for (int i = 0; i < o->range.n; i++)
        ZW_TRY(apply_range(d, o->range.item[i], err));
    d->picture = zw_picture_default();
    d->picture.n = d->order->nspec;
    d->picture.panel = d->panel;
    d->picture.columns = (int)fmin(o->columns, d->order->nspec);
    d->picture.title = o->title;
    d->picture.azimuth = o->azimuth;
    d->picture.elevation = o->elevation;
    return read_size(o->size, &d->picture, err);
}

/* ---- the whole ---- */

static void destroy(drawing *d) {
    for (int i = 0; d->drawn && i < d->order->nrun; i++)
        zw_table_destroy(d->drawn[i]);
    free(d->drawn);
    free(d->spec);
    free(d->panel);
    free(d->curve);
    free(d->label);
    free(d);
}

static zw_status create(drawing **out, const picture_order *order, zw_error *err) {
    drawing *d = calloc(1, sizeof *d);
    *out = d;
    if (!d)
        return no_memory(err);
    d->order = order;
    d->spec = calloc((size_t)order->nspec, sizeof *d->spec);
    d->panel = calloc((size_t)order->nspec, sizeof *d->panel);
    d->drawn = calloc((size_t)order->nrun, sizeof(zw_table *));
    if (!d->spec || !d->panel || !d->drawn)
        return no_memory(err);
    ZW_TRY(parse_specs(d, err));
    for (int i = 0; i < order->nrun; i++)
        ZW_TRY(make_table(d, i, err));
    return fill_picture(d, err);
}

static zw_status check_writable(const char *path, zw_error *err) {
    const char *slash = strrchr(path, '/');
    char folder[1024] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    if (access(folder, W_OK) != 0)
        return zw_fail(err, ZW_E_FILE, "%s cannot be written: %s: %s", path, folder,
                       strerror(errno));
    return ZW_OK;
}

zw_status picture_check(const picture_order *order, const char *path, zw_error *err) {
    drawing *d;
    ZW_TRY(zw_plot_check_path(path, err));
    ZW_TRY(check_writable(path, err));
    zw_status status = create(&d, order, err);
    if (d)
        destroy(d);
    return status;
}

static void tell(const cli_options *o, const char *path, const zw_plot_report *r) {
    if (o->quiet || o->json)
        return;
    if (r->nonpositive)
        fprintf(stderr, "%ld points are left out: a logarithmic axis shows positive values only\n",
                r->nonpositive);
    if (r->nonfinite)
        fprintf(stderr, "%ld points are left out: their values are not finite\n", r->nonfinite);
    fprintf(stderr, "picture %s\n", path);
}

zw_status picture_draw(const picture_order *order, const char *path, zw_error *err) {
    drawing *d;
    zw_plot_report report;
    zw_status status = create(&d, order, err);
    if (status >= 0)
        status = zw_plot(&d->picture, path, &report, err);
    if (status >= 0 && order->o->draw.keep)
        status = keep_beside(order, d->drawn, &d->picture, path, err);
    if (status >= 0)
        tell(order->o, path, &report);
    if (d)
        destroy(d);
    return status;
}

void picture_name(const char *name, int nspec, const char *const *text, char *out, size_t size) {
    const char ending[] = ".svg";
    size_t stem = strlen(name), room = size - sizeof ending;
    size_t n = (size_t)snprintf(out, room, "%s", name);
    for (int i = 0; i < nspec && n < room; i++)
        n += (size_t)snprintf(out + n, room - n, "_%s", text[i]);
    n = strlen(out);
    for (size_t i = stem; i < n; i++)
        if (out[i] == '\'')
            out[i] = 'p';
        else if (strchr(",:+-*^() /", out[i]))
            out[i] = '_';
    memcpy(out + n, ending, sizeof ending);
}
