/* SPDX-License-Identifier: MIT */
/* The options of a picture, and the messages about it. */
#include "picture.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provenance.h"

#define AT(field) offsetof(cli_draw_options, field)

const zw_option cli_draw_table[] = {
    {"title", ZW_OPT_STRING, AT(title), 0, 0, 0, "", "TEXT", "title of the picture"},
    {"xlabel", ZW_OPT_LIST, AT(label[0]), 0, 0, 0, "", "TEXT",
     "label of the x axis: \"theta_1 [deg]\"; repeat it for further panels"},
    {"ylabel", ZW_OPT_LIST, AT(label[1]), 0, 0, 0, "", "TEXT", "label of the y axis"},
    {"zlabel", ZW_OPT_LIST, AT(label[2]), 0, 0, 0, "", "TEXT",
     "label of the z axis, or of the colours of a map"},
    {"y2label", ZW_OPT_LIST, AT(right), 0, 0, 0, "", "TEXT",
     "label of the right-hand axis, that of z in --plot \"y;z:t\""},
    {"legend", ZW_OPT_LIST, AT(legend), 0, 0, 0, "", "TEXT",
     "name of a run in the legend, or of a curve of a single run; repeat it for the next one"},
    {"style", ZW_OPT_LIST, AT(style), 0, 0, 0, "", "WORDS",
     "line or markers of a curve: \"black\", \"red dashed\", \"blue discs\"; repeat it for the "
     "next one"},
    {"runs", ZW_OPT_LIST, AT(runs), 0, 0, 0, "", "PANEL:A-B",
     "runs shown in a panel, counted from 1 (default all): --runs 1:1-3 --runs 2:4,5"},
    {"panel-title", ZW_OPT_LIST, AT(titles), 0, 0, 0, "", "TEXT",
     "title of a panel; repeat it for the next one"},
    {"annotate", ZW_OPT_LIST, AT(annotate), 0, 0, 0, "", "TEXT=X,Y[,Z] [STYLE]",
     "marker with a label at a point: \"v1=0.05,1.2 red discs\"; style none: label only; prefix 2: "
     "for panel 2"},
    {"range", ZW_OPT_LIST, AT(range), 0, 0, 0, "", "NAME=A:B",
     "range of the axis of a column; A or B may be left out; prefix 2: for panel 2"},
    {"inset", ZW_OPT_LIST, AT(inset), 0, 0, 0, "", "A:B[,C:D]",
     "magnified inset: x from A to B, y from C to D; prefix 2: for panel 2; suffix \"at lower "
     "left\" and the like for its place"},
    {"logx", ZW_OPT_FLAG, AT(logx), 0, 0, 0, "", NULL, "logarithmic x axis"},
    {"logy", ZW_OPT_FLAG, AT(logy), 0, 0, 0, "", NULL, "logarithmic y axis"},
    {"logy2", ZW_OPT_FLAG, AT(logy2), 0, 0, 0, "", NULL, "logarithmic right-hand axis"},
    {"logz", ZW_OPT_FLAG, AT(logz), 0, 0, 0, "", NULL, "logarithmic colour scale of a map z:x,y"},
    {"colours", ZW_OPT_CHOICE, AT(colours), 0, 0, 0, "", "auto|even|diverging|classes",
     "colours of a map: from dark to light, diverging about zero, or one for each integer"},
    {"shade", ZW_OPT_STRING, AT(shade), 0, 0, 0, "", "COLUMN",
     "column that darkens the classes of a map, such as time"},
    {"levels", ZW_OPT_STRING, AT(levels), 0, 0, 0, "", "auto|LIST",
     "contour lines of a map: --levels 0,0.1"},
    {"bins", ZW_OPT_INT, AT(bins), 0, 0, 10000, "", NULL, "number of bins of hist(x); 0: chosen"},
    {"linear", ZW_OPT_FLAG, AT(linear), 0, 0, 0, "", NULL,
     "linear axes where logarithmic ones are the default, as for frequency responses"},
    {"solid", ZW_OPT_STRING, AT(solid), 0, 0, 0, "", "COLUMN",
     "column whose zeros make lines dashed (default stable, in results other than motions)"},
    {"axes", ZW_OPT_CHOICE, AT(axes), 0, 0, 0, "", "auto|equal|free",
     "equal scales on all axes; auto: for paths whose columns share a unit"},
    {"points", ZW_OPT_FLAG, AT(points), 0, 0, 0, "", NULL, "dots instead of lines"},
    {"grid", ZW_OPT_FLAG, AT(grid), 0, 0, 0, "", NULL, "grid lines"},
    {"size", ZW_OPT_STRING, AT(size), 0, 0, 0, "", "WxH",
     "size in mm (default 120x90 for one panel)"},
    {"font", ZW_OPT_STRING, AT(font), 0, 0, 0, "", "FONT",
     "font of all text, by its name in fc-list: \"Latin Modern Roman\""},
    {"font-size", ZW_OPT_DOUBLE, AT(font_size), 9, 4, 40, "pt", NULL,
     "size of the labels; numbers, lines and gaps scale with it"},
    {"orbits", ZW_OPT_INT, AT(orbits), 24, 1, 200, "", NULL,
     "maximum number of orbits drawn of a branch (panels x,y or x:t)"},
    {"columns", ZW_OPT_INT, AT(columns), 1, 1, 36, "", NULL, "number of panels in a row"},
    {"azimuth", ZW_OPT_DOUBLE, AT(azimuth), -60, -360, 360, "deg", NULL,
     "viewing direction in space, from x towards y"},
    {"elevation", ZW_OPT_DOUBLE, AT(elevation), 25, 0, 90, "deg", NULL,
     "viewing angle above the x-y plane"},
    {"keep", ZW_OPT_FLAG, AT(keep), 0, 0, 0, "", NULL,
     "data and command next to the picture: PICTURE.csv, PICTURE.sh"},
    {0},
};

zw_status cli_picture_size(const char *text, double *width, double *height, zw_error *err) {
    char *x, *end;
    if (!text)
        return ZW_OK;
    *width = strtod(text, &x);
    *height = *x == 'x' ? strtod(x + 1, &end) : 0;
    if (x != text && *x == 'x' && end != x + 1 && !*end && *width > 0 && *height > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--size %s is not a size", text);
    zw_error_hint(err, "width x height in mm: --size 120x90");
    return ZW_E_OPTION;
}

static zw_figure_texts list_texts(const zw_option_list *list) {
    return (zw_figure_texts){list->n, list->item};
}

static zw_status create_figure(zw_figure **out, const cli_picture_order *order, zw_error *err) {
    const cli_draw_options *o = &order->o->draw;
    zw_figure_options stills = zw_figure_options_default();
    *out = NULL;
    stills.title = o->title;
    for (int a = 0; a < 3; a++)
        stills.label[a] = list_texts(&o->label[a]);
    stills.legend = list_texts(&o->legend);
    stills.style = list_texts(&o->style);
    stills.range = list_texts(&o->range);
    stills.runs = list_texts(&o->runs);
    stills.titles = list_texts(&o->titles);
    stills.annotate = list_texts(&o->annotate);
    stills.inset = list_texts(&o->inset);
    stills.axes = (zw_figure_axes)o->axes;
    stills.columns = o->columns;
    stills.logx = o->logx;
    stills.logy = o->logy;
    stills.logy2 = o->logy2;
    stills.right = list_texts(&o->right);
    stills.linear = o->linear;
    stills.logz = o->logz;
    stills.colours = (zw_figure_colours)o->colours;
    stills.shade = o->shade;
    stills.levels = o->levels;
    stills.bins = o->bins;
    stills.solid = o->solid;
    stills.points = o->points;
    stills.grid = o->grid;
    stills.azimuth = o->azimuth;
    stills.elevation = o->elevation;
    stills.font = o->font;
    stills.font_size = o->font_size;
    ZW_TRY(cli_picture_size(o->size, &stills.width, &stills.height, err));
    return zw_figure_create(out, order->nspec, order->spec, order->nrun, order->run, &stills, err);
}

zw_status cli_picture_check(const cli_picture_order *order, const char *path, zw_error *err) {
    zw_figure *f;
    ZW_TRY(zw_plot_check_path(path, err));
    ZW_TRY(cli_guard_write(order->o, path, err));
    if (order->o->draw.keep)
        ZW_TRY(cli_provenance_claim(order->o, path, err));
    ZW_TRY(create_figure(&f, order, err));
    zw_figure_destroy(f);
    return ZW_OK;
}

static void report_omissions(const cli_options *o, const char *path, const zw_plot_report *r) {
    if (o->quiet || o->json)
        return;
    if (r->nonpositive)
        fprintf(stderr, "%ld %s left out: a logarithmic axis shows positive values only\n",
                r->nonpositive, r->nonpositive == 1 ? "point is" : "points are");
    if (r->nonfinite)
        fprintf(stderr, "%ld %s left out, with values that are not finite\n", r->nonfinite,
                r->nonfinite == 1 ? "point is" : "points are");
    if (r->holes)
        fprintf(stderr, "%ld of %ld places of the map have no row: hatched\n", r->holes, r->cells);
    if (r->empty)
        fprintf(stderr, "%ld %s of the map %s no value: grey\n", r->empty,
                r->empty == 1 ? "place" : "places", r->empty == 1 ? "has" : "have");
    if (r->scattered)
        fprintf(stderr, "%ld rows are no grid: each is a dot\n", r->scattered);
    if (r->shortened)
        fprintf(stderr, "warning: a text is too long for the picture and is shortened; --size, "
                        "--title, --xlabel, --ylabel, --legend give other ones\n");
    if (r->missing[0])
        fprintf(stderr, "warning: no font here has the characters %s; a sign stands for them\n",
                r->missing);
    if (r->misset)
        fprintf(stderr, "warning: words that run from right to left or whose letters join are set "
                        "letter by letter from left to right\n");
    if (r->beyond)
        fprintf(stderr, "warning: not every LaTeX knows all letters of the labels; LuaLaTeX and "
                        "XeLaTeX do, with a font that has them\n");
    fprintf(stderr, "picture %s\n", path);
}

zw_status cli_picture_draw(const cli_picture_order *order, const char *path, zw_error *err) {
    zw_figure *f;
    zw_plot_report report;
    ZW_TRY(create_figure(&f, order, err));
    zw_status status = zw_plot(zw_figure_picture(f), path, &report, err);
    if (status >= 0 && order->o->draw.keep)
        status = cli_provenance_of_figure(order->o, f, path, err);
    if (status >= 0)
        report_omissions(order->o, path, &report);
    zw_figure_destroy(f);
    return status;
}

/* the panels of --plot, or those of a result of this kind */
typedef struct panels {
    zw_figure_choice choice;
    int n;
    const char *const *item;
    const char *chosen[ZW_FIGURE_CHOICE];
} panels;

static void choose_panels(const cli_options *o, const zw_figure_run *run, panels *out) {
    *out = (panels){.n = o->plot.n, .item = o->plot.item};
    if (o->plot.n > 0)
        return;
    zw_figure_choose(&out->choice, 1, run);
    for (int i = 0; i < out->choice.n; i++)
        out->chosen[i] = out->choice.panel[i];
    out->n = out->choice.n;
    out->item = out->chosen;
}

/* Without --picture, each panel is a picture of its own. */
static zw_status each_picture(const cli_options *o, const zw_figure_run *run, const panels *p,
                              cli_picture_act act, zw_error *err) {
    const char *model = zw_table_get_note(run->table, "model");
    int together = o->picture ? p->n : 1, i = 0;
    do {
        char name[256];
        cli_picture_order order = {together, &p->item[i], 1, run, o};
        cli_picture_name(model ? model : "zwang", together, order.spec, name, sizeof name);
        ZW_TRY(act(&order, o->picture ? o->picture : name, err));
        i += together;
    } while (i < p->n);
    return ZW_OK;
}

static zw_status check_and_draw(const cli_picture_order *order, const char *path, zw_error *err) {
    if (zw_table_rows(order->run->table) == 1)
        return zw_fail(err, ZW_E_OPTION, "--picture: the result has one row, which makes no curve");
    ZW_TRY(cli_picture_check(order, path, err));
    return cli_picture_draw(order, path, err);
}

zw_status cli_picture_tables(const cli_options *o, const zw_table *table, cli_picture_act act,
                             zw_error *err) {
    zw_figure_run run = {.table = table};
    zw_figure_branch branch = {0};
    panels p;
    zw_status status = ZW_OK;
    if (!o->picture && o->plot.n == 0)
        return ZW_OK;
    choose_panels(o, &run, &p);
    if (zw_figure_needs_orbits(table, p.n, p.item)) {
        status = zw_figure_branch_open(&branch, table, o->draw.orbits, PICTURE_POINTS, NULL, err);
        run.orbits = branch.orbits;
        run.multipliers = branch.multipliers;
    }
    if (status >= 0)
        status = each_picture(o, &run, &p, act, err);
    zw_figure_branch_close(&branch);
    return status;
}

zw_status cli_picture_result(const cli_options *o, const zw_table *table, zw_error *err) {
    return cli_picture_tables(o, table, check_and_draw, err);
}

void cli_picture_name(const char *name, int nspec, const char *const *text, char *out,
                      size_t size) {
    const char ending[] = ".svg";
    size_t stem = strlen(name), room = size - sizeof ending;
    size_t n = (size_t)snprintf(out, room, "%s", name);
    for (int i = 0; i < nspec && n < room; i++)
        n += (size_t)snprintf(out + n, room - n, "_%s", text[i]);
    n = strlen(out);
    for (size_t i = stem; i < n; i++)
        if (out[i] == '\'')
            out[i] = 'p';
        else if (!isalnum((unsigned char)out[i]) && !(out[i] & 0x80) && out[i] != '.')
            out[i] = '_';
    memcpy(out + n, ending, sizeof ending);
}
