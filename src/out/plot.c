/* SPDX-License-Identifier: MIT */
/* Pictures of curves for print: a thin frame, round ticks, names and units typeset, lines that can
 * be told apart without colour. Lengths are in points (1/72 inch) unless they say mm. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "label.h"
#include "ticks.h"
#include "trace.h"
#include "zwang/table.h"

#define MM (72 / 25.4)
#define TICK_FONT 7.5
#define LABEL_FONT 9.0
#define TITLE_FONT 9.5
#define FRAME_LINE 0.5
#define CURVE_LINE 1.1
#define TICK_LENGTH 3.0
#define MARGIN 5.0   /* around everything */
#define GAP 3.5      /* between numbers, labels and frame */
#define DENSE 30.0   /* lengths of the frame from which on a curve is drawn thinner */
#define PADDING 0.04 /* of the range, beside curves that do not just run from left to right */
#define SAMPLE 20.0  /* line in the legend */

enum { PNG_DPI = 300, STYLES = 8, PARTS = 48 };

/* The colours of Okabe and Ito, which colour-blind readers can tell apart, each with its own dashes. */
static const struct {
    double r, g, b;
    int ndash;
    double dash[6];
} style[STYLES] = {
    {0.000, 0.447, 0.698, 0, {0}},
    {0.835, 0.369, 0.000, 2, {5, 2}},
    {0.000, 0.620, 0.451, 4, {6, 1.8, 1.2, 1.8}},
    {0.800, 0.475, 0.655, 2, {1.4, 1.6}},
    {0.000, 0.000, 0.000, 2, {9, 2.5}},
    {0.902, 0.624, 0.000, 6, {6, 1.6, 1.2, 1.6, 1.2, 1.6}},
    {0.337, 0.706, 0.914, 2, {2.8, 1.4}},
    {0.400, 0.400, 0.400, 4, {9, 1.8, 2.5, 1.8}},
};

/* A label of several parts, such as a name, a bracket, a unit, a bracket. */
typedef struct phrase {
    struct {
        const char *text;
        zw_out_mode mode;
    } part[PARTS];
    int n;
} phrase;

typedef struct axis {
    double data_low, data_high; /* what must be seen */
    double low, high;           /* what the frame shows */
    zw_out_ticks ticks;
    phrase label;
    char power[16]; /* the exponent of the numbers as text, "" if zero */
} axis;

typedef struct picture {
    cairo_t *cr;
    double width, height;
    double left, right, top, bottom; /* the frame */
    axis x, y;
    int n;
    const zw_curve *curve;
    const char *title;
    bool equal_axes;
    int nlegend;         /* entries, 0: no legend */
    double legend_above; /* height of a legend above the frame, 0: inside */
    double legend_top;
    double legend_x, legend_y; /* inside: its upper left corner */
} picture;

/* ---- labels ---- */

static void say(phrase *p, const char *text, zw_out_mode mode) {
    if (p->n < PARTS && text[0]) {
        p->part[p->n].text = text;
        p->part[p->n++].mode = mode;
    }
}

static void say_unit(phrase *p, const char *unit) {
    if (!unit[0])
        return;
    say(p, p->n ? " [" : "[", ZW_OUT_PLAIN);
    say(p, unit, ZW_OUT_UNIT);
    say(p, "]", ZW_OUT_PLAIN);
}

static double phrase_width(cairo_t *cr, const phrase *p, double size) {
    double width = 0;
    for (int i = 0; i < p->n; i++)
        width += zw_out_label_width(cr, p->part[i].text, p->part[i].mode, size);
    return width;
}

static void phrase_draw(cairo_t *cr, const phrase *p, double size) {
    for (int i = 0; i < p->n; i++)
        zw_out_label_draw(cr, p->part[i].text, p->part[i].mode, size);
}

static int column_of(const zw_curve *c, bool is_x) {
    return is_x ? c->x : c->y;
}

/* is this curve's column named as one of an earlier curve? */
static bool is_repeated(const picture *p, int i, bool is_x) {
    const zw_curve *c = &p->curve[i];
    for (int k = 0; k < i; k++) {
        const zw_curve *d = &p->curve[k];
        if (strcmp(zw_table_name(c->table, column_of(c, is_x)),
                   zw_table_name(d->table, column_of(d, is_x))) == 0)
            return true;
    }
    return false;
}

/* "x, y [m]" if the unit is common, "x [m], phi [rad]" if not; more than four names say too little,
 * then only a common unit is told */
static void label_from_columns(picture *p, axis *a, bool is_x) {
    const zw_curve *first = &p->curve[0];
    const char *unit = zw_table_unit(first->table, column_of(first, is_x));
    bool common = true;
    int distinct = 0;
    for (int i = 0; i < p->n; i++) {
        const zw_curve *c = &p->curve[i];
        common = common && strcmp(unit, zw_table_unit(c->table, column_of(c, is_x))) == 0;
        distinct += !is_repeated(p, i, is_x);
    }
    for (int i = 0; i < p->n && distinct <= 4; i++) {
        const zw_curve *c = &p->curve[i];
        if (is_repeated(p, i, is_x))
            continue;
        if (a->label.n)
            say(&a->label, ", ", ZW_OUT_PLAIN);
        say(&a->label, zw_table_name(c->table, column_of(c, is_x)), ZW_OUT_NAME);
        if (!common)
            say_unit(&a->label, zw_table_unit(c->table, column_of(c, is_x)));
    }
    if (common)
        say_unit(&a->label, unit);
}

/* ---- ranges ---- */

static bool point(const zw_curve *c, long row, double *x, double *y) {
    *x = zw_table_at(c->table, row, c->x);
    *y = zw_table_at(c->table, row, c->y);
    return isfinite(*x) && isfinite(*y);
}

static bool runs_rightwards(const zw_curve *c) {
    double last = -INFINITY;
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        double x, y;
        if (!point(c, i, &x, &y))
            continue;
        if (x < last)
            return false;
        last = x;
    }
    return true;
}

static void widen(axis *a, double padding) {
    double size = fmax(fabs(a->data_low), fabs(a->data_high)), range = a->data_high - a->data_low;
    if (range <= 1e-12 * size) /* a constant */
        padding = size > 0 ? 0.1 * size : 1;
    else
        padding *= range;
    a->data_low -= padding;
    a->data_high += padding;
}

static void include(axis *a, double v) {
    a->data_low = fmin(a->data_low, v);
    a->data_high = fmax(a->data_high, v);
}

static zw_status find_ranges(picture *p, zw_error *err) {
    bool rightwards = true;
    p->x.data_low = p->y.data_low = INFINITY;
    p->x.data_high = p->y.data_high = -INFINITY;
    for (int k = 0; k < p->n; k++) {
        const zw_curve *c = &p->curve[k];
        rightwards = rightwards && runs_rightwards(c);
        for (long i = 0; i < zw_table_rows(c->table); i++) {
            double x, y;
            if (point(c, i, &x, &y)) {
                include(&p->x, x);
                include(&p->y, y);
            }
        }
    }
    if (!(p->x.data_low <= p->x.data_high))
        return zw_fail(err, ZW_E_OPTION, "there is nothing to draw: no point is finite");
    if (!isfinite(4 * (p->x.data_high - p->x.data_low)) ||
        !isfinite(4 * (p->y.data_high - p->y.data_low)))
        return zw_fail(err, ZW_E_OPTION, "the values are too large to draw");
    widen(&p->x, rightwards ? 0 : PADDING);
    widen(&p->y, PADDING);
    return ZW_OK;
}

/* ---- layout ---- */

static double to_x(const picture *p, double x) {
    return p->left + (x - p->x.low) / (p->x.high - p->x.low) * (p->right - p->left);
}

static double to_y(const picture *p, double y) {
    return p->bottom - (y - p->y.low) / (p->y.high - p->y.low) * (p->bottom - p->top);
}

static double tick_width(const picture *p, const axis *a, int i) {
    char text[64];
    zw_out_tick_text(&a->ticks, i, text, sizeof text);
    return zw_out_label_width(p->cr, text, ZW_OUT_PLAIN, TICK_FONT);
}

static double widest_tick(const picture *p, const axis *a) {
    double widest = 0;
    for (int i = 0; i < a->ticks.n; i++)
        widest = fmax(widest, tick_width(p, a, i));
    return widest;
}

static void choose_ticks(axis *a, double length, double room) {
    int most = (int)(length / room);
    a->ticks = zw_out_ticks_choose(a->low, a->high, most < 3 ? 3 : most);
    a->power[0] = '\0';
    if (a->ticks.exponent)
        snprintf(a->power, sizeof a->power, "10^%d", a->ticks.exponent);
}

/* one unit as long on both axes: the range that is too short grows on both sides */
static void equalise(picture *p) {
    double w = p->right - p->left, h = p->bottom - p->top;
    double x = (p->x.high - p->x.low) / w, y = (p->y.high - p->y.low) / h;
    axis *a = x < y ? &p->x : &p->y;
    double more = fabs(x - y) * (x < y ? w : h) / 2;
    a->low -= more;
    a->high += more;
}

/* The frame: what is left when numbers, labels and title have their place. The room of the numbers
 * depends on the ticks and these on the frame, so it takes a few rounds. */
static void lay_out(picture *p) {
    double y_numbers = 20, power_room = 0;
    for (int round = 0; round < 3; round++) {
        p->x.low = p->x.data_low;
        p->x.high = p->x.data_high;
        p->y.low = p->y.data_low;
        p->y.high = p->y.data_high;
        p->left =
            MARGIN + (p->y.label.n ? LABEL_FONT * 1.15 + GAP : 0) + y_numbers + GAP + TICK_LENGTH;
        p->bottom = p->height - MARGIN - (p->x.label.n ? LABEL_FONT * 1.15 + GAP : 0) - TICK_FONT -
                    TICK_LENGTH - 2;
        p->legend_top = MARGIN + (p->title ? TITLE_FONT + 1.5 * GAP : TICK_FONT / 2);
        p->top = p->legend_top + p->legend_above + power_room;
        p->right = p->width - MARGIN - 2.5 * GAP;
        if (p->equal_axes)
            equalise(p);
        choose_ticks(&p->x, p->right - p->left, 32);
        /* wide numbers must not touch */
        double x_room = fmax(32, widest_tick(p, &p->x) + 14);
        choose_ticks(&p->x, p->right - p->left, x_room);
        choose_ticks(&p->y, p->bottom - p->top, p->equal_axes ? x_room : 23);
        y_numbers = widest_tick(p, &p->y);
        power_room = p->y.power[0] ? TICK_FONT + 1 : 0;
    }
}

/* ---- curves ---- */

/* Length of a curve on the paper: a line that fills the frame must be thin to be read. */
static double paper_length(const picture *p, const zw_curve *c) {
    double length = 0, last_x = NAN, last_y = NAN;
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        double x, y;
        if (!point(c, i, &x, &y))
            continue;
        x = to_x(p, x);
        y = to_y(p, y);
        if (i > 0 && !isnan(last_x))
            length += hypot(x - last_x, y - last_y);
        last_x = x;
        last_y = y;
    }
    return length;
}

static double line_width(const picture *p, const zw_curve *c) {
    double screens = paper_length(p, c) / (p->right - p->left);
    return screens < DENSE ? CURVE_LINE : fmax(CURVE_LINE * DENSE / screens, CURVE_LINE / 3);
}

static void use_colour(cairo_t *cr, int k) {
    cairo_set_source_rgb(cr, style[k].r, style[k].g, style[k].b);
}

static void draw_curve(const picture *p, int k) {
    const zw_curve *c = &p->curve[k];
    int s = k % STYLES;
    zw_out_trace t;
    use_colour(p->cr, s);
    cairo_set_line_width(p->cr, line_width(p, c));
    /* round ends would close the gaps of the dashes */
    cairo_set_line_cap(p->cr, style[s].ndash ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    zw_out_trace_begin(&t, p->cr, runs_rightwards(c), style[s].ndash, style[s].dash);
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        double x, y;
        if (point(c, i, &x, &y))
            zw_out_trace_add(&t, to_x(p, x), to_y(p, y));
        else
            zw_out_trace_lift(&t);
    }
    zw_out_trace_lift(&t);
}

static void draw_curves(const picture *p) {
    cairo_save(p->cr);
    cairo_rectangle(p->cr, p->left, p->top, p->right - p->left, p->bottom - p->top);
    cairo_clip(p->cr);
    cairo_set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    for (int k = 0; k < p->n; k++)
        draw_curve(p, k);
    cairo_restore(p->cr);
}

/* ---- frame ---- */

static void draw_number(const picture *p, const axis *a, int i, double x, double y) {
    char text[64];
    zw_out_tick_text(&a->ticks, i, text, sizeof text);
    cairo_move_to(p->cr, x, y);
    zw_out_label_draw(p->cr, text, ZW_OUT_PLAIN, TICK_FONT);
}

static void draw_power(const picture *p, const axis *a, double x, double y) {
    if (!a->power[0])
        return;
    cairo_move_to(p->cr, x, y);
    zw_out_label_draw(p->cr, "×", ZW_OUT_PLAIN, TICK_FONT);
    zw_out_label_draw(p->cr, a->power, ZW_OUT_NAME, TICK_FONT);
}

static void draw_axes(const picture *p) {
    cairo_t *cr = p->cr;
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_set_line_width(cr, FRAME_LINE);
    cairo_rectangle(cr, p->left, p->top, p->right - p->left, p->bottom - p->top);
    for (int i = 0; i < p->x.ticks.n; i++) {
        double at = to_x(p, zw_out_tick(&p->x.ticks, i));
        cairo_move_to(cr, at, p->bottom);
        cairo_line_to(cr, at, p->bottom + TICK_LENGTH);
    }
    for (int i = 0; i < p->y.ticks.n; i++) {
        double at = to_y(p, zw_out_tick(&p->y.ticks, i));
        cairo_move_to(cr, p->left, at);
        cairo_line_to(cr, p->left - TICK_LENGTH, at);
    }
    cairo_stroke(cr);
    double base = p->bottom + TICK_LENGTH + 2 + 0.8 * TICK_FONT;
    for (int i = 0; i < p->x.ticks.n; i++)
        draw_number(p, &p->x, i, to_x(p, zw_out_tick(&p->x.ticks, i)) - tick_width(p, &p->x, i) / 2,
                    base);
    for (int i = 0; i < p->y.ticks.n; i++)
        draw_number(p, &p->y, i, p->left - TICK_LENGTH - 2 - tick_width(p, &p->y, i),
                    to_y(p, zw_out_tick(&p->y.ticks, i)) + 0.36 * TICK_FONT);
    char power[32];
    snprintf(power, sizeof power, "×%s", p->x.power);
    draw_power(p, &p->x, p->right - zw_out_label_width(cr, power, ZW_OUT_NAME, TICK_FONT),
               p->height - MARGIN - 0.25 * LABEL_FONT);
    draw_power(p, &p->y, p->left, p->top - 3);
}

/* The size at which a label fits into the room there is. */
static double fitting_size(cairo_t *cr, const phrase *label, double room) {
    double width = phrase_width(cr, label, LABEL_FONT);
    return width <= room ? LABEL_FONT : fmax(LABEL_FONT * room / width, LABEL_FONT / 2);
}

/* where a text of this width begins so that it is centred, but not cut off at the edge of the paper */
static double begin_of(double centre, double width, double paper) {
    return fmax(MARGIN, fmin(centre - width / 2, paper - MARGIN - width));
}

static void draw_labels(const picture *p) {
    cairo_t *cr = p->cr;
    double size = fitting_size(cr, &p->x.label, p->width - 2 * MARGIN);
    double width = phrase_width(cr, &p->x.label, size);
    double centre = (p->left + p->right) / 2, middle = (p->top + p->bottom) / 2;
    cairo_move_to(cr, begin_of(centre, width, p->width), p->height - MARGIN - 0.25 * LABEL_FONT);
    phrase_draw(cr, &p->x.label, size);
    /* from below upwards */
    size = fitting_size(cr, &p->y.label, p->height - 2 * MARGIN);
    width = phrase_width(cr, &p->y.label, size);
    cairo_save(cr);
    cairo_translate(cr, MARGIN + 0.95 * LABEL_FONT,
                    p->height - begin_of(p->height - middle, width, p->height));
    cairo_rotate(cr, -acos(0));
    cairo_move_to(cr, 0, 0);
    phrase_draw(cr, &p->y.label, size);
    cairo_restore(cr);
    if (p->title) {
        width = zw_out_label_width(cr, p->title, ZW_OUT_PLAIN, TITLE_FONT);
        cairo_move_to(cr, begin_of(centre, width, p->width), MARGIN + 0.85 * TITLE_FONT);
        zw_out_label_draw(cr, p->title, ZW_OUT_PLAIN, TITLE_FONT);
    }
}

/* ---- legend ---- */

#define ENTRY_HEIGHT (1.35 * TICK_FONT)
#define ENTRY_GAP 12.0

static double entry_width(const picture *p, int k) {
    return SAMPLE + GAP + zw_out_label_width(p->cr, p->curve[k].label, ZW_OUT_NAME, TICK_FONT);
}

static void draw_entry(const picture *p, int k, double x, double base) {
    cairo_t *cr = p->cr;
    int s = k % STYLES;
    use_colour(cr, s);
    cairo_set_dash(cr, style[s].dash, style[s].ndash, 0);
    cairo_set_line_width(cr, CURVE_LINE);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_move_to(cr, x, base - 0.33 * TICK_FONT);
    cairo_line_to(cr, x + SAMPLE, base - 0.33 * TICK_FONT);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_move_to(cr, x + SAMPLE + GAP, base);
    zw_out_label_draw(cr, p->curve[k].label, ZW_OUT_NAME, TICK_FONT);
}

/* points of all curves inside a box of the paper */
static long points_in(const picture *p, double x0, double y0, double x1, double y1) {
    long n = 0;
    for (int k = 0; k < p->n; k++)
        for (long i = 0; i < zw_table_rows(p->curve[k].table); i++) {
            double x, y;
            if (!point(&p->curve[k], i, &x, &y))
                continue;
            x = to_x(p, x);
            y = to_y(p, y);
            n += x > x0 && x < x1 && y > y0 && y < y1;
        }
    return n;
}

/* rows of the legend above the frame, entries from left to right; draws them if told to */
static int legend_rows(const picture *p, bool draw) {
    double x = p->left, base = p->legend_top + 0.6 * ENTRY_HEIGHT;
    int rows = 1;
    for (int k = 0; k < p->n; k++) {
        if (!p->curve[k].label)
            continue;
        double width = entry_width(p, k);
        if (x > p->left && x + width > p->right) {
            x = p->left;
            base += ENTRY_HEIGHT;
            rows++;
        }
        if (draw)
            draw_entry(p, k, x, base);
        x += width + ENTRY_GAP;
    }
    return rows;
}

/* A free corner of the frame, or else above it. */
static void place_legend(picture *p) {
    double width = 0, height = p->nlegend * ENTRY_HEIGHT + GAP;
    for (int k = 0; k < p->n; k++)
        if (p->curve[k].label)
            width = fmax(width, entry_width(p, k));
    width += 2 * GAP;
    const double inset = 4, near_left = p->left + inset, near_right = p->right - inset - width;
    const double near_top = p->top + inset, near_bottom = p->bottom - inset - height;
    const double corner[4][2] = {{near_right, near_top},
                                 {near_left, near_top},
                                 {near_right, near_bottom},
                                 {near_left, near_bottom}};
    bool fits = width < 0.6 * (p->right - p->left) && height < 0.6 * (p->bottom - p->top);
    for (int i = 0; fits && i < 4; i++) {
        double x = corner[i][0], y = corner[i][1];
        if (points_in(p, x - GAP, y - GAP, x + width + GAP, y + height + GAP) > 0)
            continue;
        p->legend_x = x;
        p->legend_y = y;
        return;
    }
    p->legend_above = legend_rows(p, false) * ENTRY_HEIGHT + GAP;
    lay_out(p);
}

static void draw_legend(const picture *p) {
    if (p->nlegend == 0)
        return;
    if (p->legend_above > 0) {
        legend_rows(p, true);
        return;
    }
    double base = p->legend_y + GAP / 2 + 0.95 * TICK_FONT;
    for (int k = 0; k < p->n; k++) {
        if (!p->curve[k].label)
            continue;
        draw_entry(p, k, p->legend_x + GAP, base);
        base += ENTRY_HEIGHT;
    }
}

/* ---- the whole ---- */

typedef enum format { SVG, PDF, PNG } format;

static zw_status format_of(const char *path, format *out, zw_error *err) {
    static const char *const ending[] = {".svg", ".pdf", ".png"};
    size_t n = strlen(path);
    for (int i = 0; i < 3; i++)
        if (n > 4 && strcmp(path + n - 4, ending[i]) == 0) {
            *out = (format)i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_OPTION, "the kind of picture '%s' is not known", path);
    zw_error_hint(err, "end the name with .svg, .pdf or .png");
    return ZW_E_OPTION;
}

static cairo_status_t write_bytes(void *stream, const unsigned char *data, unsigned int n) {
    return fwrite(data, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *create_surface(format kind, FILE *stream, double width, double height) {
    switch (kind) {
    case SVG:
        return cairo_svg_surface_create_for_stream(write_bytes, stream, width, height);
    case PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, stream, width, height);
    default:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * PNG_DPI / 72),
                                          (int)ceil(height * PNG_DPI / 72));
    }
}

static void draw(picture *p, const zw_plot_options *o) {
    cairo_set_source_rgb(p->cr, 1, 1, 1);
    cairo_paint(p->cr);
    if (o->xlabel)
        say(&p->x.label, o->xlabel, ZW_OUT_NAME);
    else
        label_from_columns(p, &p->x, true);
    if (o->ylabel)
        say(&p->y.label, o->ylabel, ZW_OUT_NAME);
    else
        label_from_columns(p, &p->y, false);
    /* one curve is told by the axis */
    for (int k = 0; p->n > 1 && k < p->n; k++)
        p->nlegend += p->curve[k].label != NULL;
    lay_out(p);
    if (p->nlegend)
        place_legend(p);
    draw_curves(p);
    draw_axes(p);
    draw_labels(p);
    draw_legend(p);
}

static zw_status check_curves(int n, const zw_curve *curves, zw_error *err) {
    if (n < 1)
        return zw_fail(err, ZW_E_OPTION, "there is nothing to draw: no curve is given");
    for (int k = 0; k < n; k++) {
        int columns = zw_table_columns(curves[k].table);
        if (curves[k].x < 0 || curves[k].x >= columns || curves[k].y < 0 || curves[k].y >= columns)
            return zw_fail(err, ZW_E_NAME, "curve %d uses a column that is not in its table",
                           k + 1);
    }
    return ZW_OK;
}

static zw_status check_size(const char *what, double mm, zw_error *err) {
    if (mm >= 30 && mm <= 1000)
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "the %s of a picture must lie in [30, 1000] mm, not %g", what,
                   mm);
}

zw_status zw_plot_curves(int n, const zw_curve *curves, const zw_plot_options *options,
                         const char *path, zw_error *err) {
    zw_plot_options o = options ? *options : (zw_plot_options){0};
    o.width = o.width != 0 ? o.width : 120;
    o.height = o.height != 0 ? o.height : 90;
    format kind;
    ZW_TRY(format_of(path, &kind, err));
    ZW_TRY(check_curves(n, curves, err));
    ZW_TRY(check_size("width", o.width, err));
    ZW_TRY(check_size("height", o.height, err));
    picture p = {.width = o.width * MM,
                 .height = o.height * MM,
                 .n = n,
                 .curve = curves,
                 .title = o.title,
                 .equal_axes = o.equal_axes};
    ZW_TRY(find_ranges(&p, err));
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, err));
    locale_t before = zw_out_plain_begin();
    cairo_surface_t *surface = create_surface(kind, f.stream, p.width, p.height);
    p.cr = cairo_create(surface);
    if (kind == PNG)
        cairo_scale(p.cr, PNG_DPI / 72.0, PNG_DPI / 72.0);
    draw(&p, &o);
    cairo_status_t status = cairo_status(p.cr);
    cairo_destroy(p.cr);
    if (kind == PNG && status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, f.stream);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    zw_out_plain_end(before);
    if (status == CAIRO_STATUS_SUCCESS)
        return zw_out_commit(&f, path, err);
    zw_out_abandon(&f);
    return zw_fail(err, status == CAIRO_STATUS_NO_MEMORY ? ZW_E_MEMORY : ZW_E_FILE,
                   "cannot draw '%s': %s", path, cairo_status_to_string(status));
}
