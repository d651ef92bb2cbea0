/* SPDX-License-Identifier: MIT */
/* Special points (bifurcations and others) from the notes "mark 0", "mark 1", ... of a table,
 *
 *     KIND VALUE [#ROW] [RE IM TRACKS] [; words]
 *
 * Words that begin with a label such as LP1 name the point: the label is drawn next to it. Special
 * points on branches of orbits without a label are numbered here, kind by kind; points of
 * codimension two have the usual two letters.
 *
 * A point with a ROW is that row of its table, counted from 0. Another one is a further row: at
 * VALUE of the first column, the other columns interpolated between their neighbours, but re(k) =
 * RE and im(k) = IM or -IM for the TRACKS k, their exact place (between two rows a coalescence has
 * the form of a square root, and no straight line through them meets it). A formula of columns has
 * a value in that row as in any other, so that special points appear on every curve of these
 * tracks, whatever is drawn. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

/* Relative to the width of a table: a value of a special point that is smaller is 0 up to the
 * tolerance with which branches locate it. */
#define VALUE_IS_ZERO 1e-9
#define ROW_MAX 1e15 /* rows are exact in a double */
enum { KIND = 40, TRACKS = 64, ROWS = 8, LABEL = 16 };

typedef struct special_point {
    char kind[KIND];
    double value, re, im;
    double shown; /* value; 0 if the accuracy of the table does not distinguish it from zero */
    char tracks[TRACKS]; /* "5,6"; "": on all curves */
    long row;            /* -1: none */
    char label[LABEL];   /* LP1; "": none */
} special_point;

/* the special points of a panel */
typedef struct target {
    zw_figure *f;
    int panel;
    zw_mark *mark; /* space for all */
    int n;
} target;

/* ---- reading ---- */

static zw_status reject_note(const char *key, const char *text, zw_error *err) {
    zw_fail(err, ZW_E_FILE,
            "the note '%s: %.80s' is not KIND VALUE, KIND VALUE #ROW or KIND VALUE RE IM TRACKS",
            key, text);
    return ZW_E_FILE;
}

static bool read_number(const char **at, double *out) {
    char *end;
    *out = strtod(*at, &end);
    bool found = end != *at;
    *at = end + strspn(end, " ");
    return found;
}

/* "LP1" of "; LP1, a fold"; nothing for other words */
static void read_label(special_point *m, const char *words) {
    if (!words)
        return;
    words++;
    words += strspn(words, " ");
    size_t letters = strspn(words, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
           n = letters + strspn(words + letters, "0123456789");
    if (letters == 0 || n == letters || n >= LABEL || isalnum((unsigned char)words[n]))
        return;
    memcpy(m->label, words, n);
}

static zw_status read_point(special_point *m, const char *key, const char *text, zw_error *err) {
    size_t n = strcspn(text, " ;");
    *m = (special_point){.row = -1};
    read_label(m, strchr(text, ';'));
    if (n == 0 || n >= KIND)
        return reject_note(key, text, err);
    memcpy(m->kind, text, n);
    const char *at = text + n;
    if (!read_number(&at, &m->value) || !isfinite(m->value))
        return reject_note(key, text, err);
    if (*at == '#') {
        double row;
        at++;
        if (!read_number(&at, &row) || !(row >= 0 && row < ROW_MAX))
            return reject_note(key, text, err);
        m->row = (long)row;
    }
    if (!*at || *at == ';')
        return ZW_OK;
    if (!read_number(&at, &m->re) || !read_number(&at, &m->im))
        return reject_note(key, text, err);
    n = strcspn(at, " ;");
    const char *rest = at + n + strspn(at + n, " ");
    if (n == 0 || n >= TRACKS || (*rest && *rest != ';'))
        return reject_note(key, text, err);
    memcpy(m->tracks, at, n);
    return ZW_OK;
}

static bool is_special_note(const char *key) {
    return strncmp(key, "mark ", 5) == 0 && isdigit((unsigned char)key[5]);
}

/* true if the track is one of "5,6" */
static bool is_in(const char *tracks, const char *index) {
    size_t length = strlen(index);
    for (const char *at = tracks; *at; at += at[0] == ',') {
        size_t n = strcspn(at, ",");
        if (n == length && strncmp(at, index, n) == 0)
            return true;
        at += n;
    }
    return false;
}

/* ---- the row ---- */

static bool is_between(double a, double v, double b) {
    return (a <= v && v < b) || (b < v && v <= a);
}

/* RE and IM for one track; the sign of IM is that of the neighbouring rows, or of its index among
 * the tracks */
static void set_track(zw_table *t, long row, const special_point *m, const char *track, size_t n,
                      int nth) {
    char name[TRACKS + 8];
    snprintf(name, sizeof name, "re(%.*s)", (int)n, track);
    int re = zw_table_find(t, name);
    memcpy(name, "im", 2);
    int im = zw_table_find(t, name);
    if (re >= 0)
        zw_table_set(t, row, re, m->re);
    if (im < 0)
        return;
    double about = zw_table_at(t, row, im), sign = about != 0 ? about : nth % 2 ? -1 : 1;
    zw_table_set(t, row, im, m->im == 0 ? 0 : copysign(m->im, sign));
}

/* a further row of `to`, between rows i and i + 1 of t */
static zw_status add_row(zw_table *to, const zw_table *t, long i, const special_point *m) {
    long row = zw_table_rows(to);
    double a = zw_table_at(t, i, 0), b = zw_table_at(t, i + 1, 0);
    double s = a == b ? 0 : (m->value - a) / (b - a);
    ZW_TRY(zw_table_add_rows(to, 1));
    for (int k = 0; k < zw_table_columns(t); k++) {
        double from = zw_table_at(t, i, k), change = zw_table_at(t, i + 1, k) - from;
        zw_table_set(to, row, k, change == 0 ? from : from + s * change);
    }
    zw_table_set(to, row, 0, m->value);
    int nth = 0;
    for (const char *at = m->tracks; *at; nth++) {
        size_t n = strcspn(at, ",");
        set_track(to, row, m, at, n, nth);
        at += n + (at[n] == ',');
    }
    return ZW_OK;
}

/* all rows at the point's value; a table that turns back has more than one */
static zw_status make_rows(zw_table **out, const zw_table *t, const special_point *m) {
    long rows = zw_table_rows(t);
    *out = zw_formula_like(t);
    if (!*out)
        return ZW_E_MEMORY;
    if (m->row >= 0) {
        zw_status status = m->row < rows ? zw_table_add_rows(*out, 1) : ZW_OK;
        for (int k = 0; status >= 0 && m->row < rows && k < zw_table_columns(t); k++)
            zw_table_set(*out, 0, k, zw_table_at(t, m->row, k));
        return status;
    }
    for (long i = 0; i + 1 < rows && zw_table_rows(*out) < ROWS; i++)
        if (is_between(zw_table_at(t, i, 0), m->value, zw_table_at(t, i + 1, 0)) ||
            (i + 2 == rows && zw_table_at(t, i + 1, 0) == m->value))
            ZW_TRY(add_row(*out, t, i, m));
    return ZW_OK;
}

/* ---- into the panels ---- */

/* letters: with a number, on a branch of orbits; alone, if they are those of a point of codimension
 * two */
static const struct {
    const char *kind, *label;
    zw_mark_shape shape;
    const char *letters;
    bool alone;
} signs[] = {
    {"hopf", "\"Hopf\"", ZW_MARK_DISC, "HB", false},
    {"zero", "\"zero\"", ZW_MARK_SQUARE, NULL, false},
    {"coalescence", "\"coalescence\"", ZW_MARK_DIAMOND, NULL, false},
    {"fold", "\"fold\"", ZW_MARK_DISC, "LP", false},
    {"branch", "\"branch point\"", ZW_MARK_SQUARE, "BP", false},
    {"period-doubling", "\"period doubling\"", ZW_MARK_TRIANGLE, "PD", false},
    {"neimark-sacker", "\"Neimark-Sacker\"", ZW_MARK_DIAMOND, "NS", false},
    {"grazing", "\"grazing\"", ZW_MARK_DIAMOND, "GR", false},
    {"cusp", "\"cusp\"", ZW_MARK_SQUARE, "CP", true},
    {"bogdanov-takens", "\"Bogdanov-Takens\"", ZW_MARK_DISC, "BT", true},
    {"generalised-hopf", "\"generalised Hopf\"", ZW_MARK_TRIANGLE, "GH", true},
    {"zero-hopf", "\"zero-Hopf\"", ZW_MARK_DIAMOND, "ZH", true},
    {"double-hopf", "\"double Hopf\"", ZW_MARK_RING, "HH", true},
    {"1:1", "\"resonance 1:1\"", ZW_MARK_DISC, "R1", true},
    {"1:2", "\"resonance 1:2\"", ZW_MARK_DIAMOND, "R2", true},
    {"1:3", "\"resonance 1:3\"", ZW_MARK_TRIANGLE, "R3", true},
    {"1:4", "\"resonance 1:4\"", ZW_MARK_SQUARE, "R4", true},
    {"generalised-period-doubling", "\"generalised period doubling\"", ZW_MARK_TRIANGLE, "GPD",
     true},
    {"generalised-neimark-sacker", "\"generalised Neimark-Sacker\"", ZW_MARK_DIAMOND, "CH", true},
    {"fold-torus", "\"fold with Neimark-Sacker\"", ZW_MARK_RING, "LPNS", true},
    {"flip-torus", "\"flip with Neimark-Sacker\"", ZW_MARK_RING, "PDNS", true},
    {"homoclinic", "\"homoclinic\"", ZW_MARK_RING, NULL, false},
    {"heteroclinic", "\"heteroclinic\"", ZW_MARK_RING, NULL, false},
    {"fold-flip", "\"fold-flip\"", ZW_MARK_RING, "LPPD", true},
};

/* the row of its kind, -1: none */
static int sign_of(const special_point *m) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcmp(signs[i].kind, m->kind) == 0)
            return (int)i;
    return -1;
}

static void choose_sign(zw_figure *f, const special_point *m, zw_mark *out) {
    char label[KIND + 4];
    int sign = sign_of(m);
    if (sign >= 0) {
        out->shape = signs[sign].shape;
        out->label = signs[sign].label;
        return;
    }
    snprintf(label, sizeof label, "\"%s\"", m->kind);
    out->shape = ZW_MARK_TRIANGLE;
    out->label = zw_arena_string(&f->arena, label);
}

/* a name for a point without a label; before: number of earlier points of its kind */
static void name_point(special_point *m, const zw_table *t, int before) {
    int sign = sign_of(m);
    if (m->label[0] || sign < 0 || !signs[sign].letters)
        return;
    if (signs[sign].alone)
        snprintf(m->label, LABEL, "%s", signs[sign].letters);
    else if (zw_table_find(t, "period") >= 0)
        snprintf(m->label, LABEL, "%s%d", signs[sign].letters, before + 1);
}

/* "26.87" over the parameter itself, "Omega = 26.87" elsewhere, if there is space; "LP1" for one
 * that has a label */
static void add_words(zw_figure *f, const zw_spec *s, const zw_table *t, const special_point *m,
                      zw_mark *out) {
    char text[ZW_FORMULA_TEXT + 64], value[40];
    const char *name = zw_table_name(t, 0), *unit = zw_table_unit(t, 0);
    if (m->label[0]) {
        snprintf(text, sizeof text, "\"%s\"", m->label);
        out->text = zw_arena_string(&f->arena, text);
        return;
    }
    snprintf(value, sizeof value, m->shown == 0 ? "0" : "%#.4g", m->shown); /* 30.10, not 30.1 */
    size_t end = strlen(value);
    if (value[end - 1] == '.')
        value[end - 1] = '\0';
    out->text = zw_arena_string(&f->arena, value);
    if (s->kind == ZW_SPEC_GRAPH && zw_figure_draws(s->term[0].axis[0], name))
        return;
    out->brief = out->text;
    snprintf(text, sizeof text, "%s = %s%s%s%s", name, value, unit[0] ? " {" : "", unit,
             unit[0] ? "}" : "");
    out->text = zw_arena_string(&f->arena, text);
}

static bool is_there(const target *to, const zw_mark *m) {
    for (int i = 0; i < to->n; i++)
        if (to->mark[i].shape == m->shape && to->mark[i].x == m->x && to->mark[i].y == m->y &&
            to->mark[i].right == m->right)
            return true;
    return false;
}

/* the marker of row `row` on one curve */
static zw_status place_point(target *to, const zw_table *rows, long row, int term,
                             const special_point *m, bool first, zw_error *err) {
    const zw_spec *s = &to->f->spec[to->panel];
    double v[3] = {0};
    zw_mark sign = {.right = s->term[term].right};
    for (int a = 0; a < (s->kind == ZW_SPEC_SPACE ? 3 : 2); a++) {
        zw_column_formula formula;
        ZW_TRY(zw_formula_parse(&formula, rows, s->term[term].axis[a], err));
        v[a] = zw_formula_at(&formula, rows, row);
    }
    sign.x = v[0];
    sign.y = v[1];
    sign.z = v[2];
    choose_sign(to->f, m, &sign);
    if (first)
        add_words(to->f, s, rows, m, &sign);
    if (!is_there(to, &sign))
        to->mark[to->n++] = sign;
    return ZW_OK;
}

static zw_status place_all(target *to, const zw_table *t, const zw_table *rows,
                           const special_point *m, zw_error *err) {
    const zw_spec *s = &to->f->spec[to->panel];
    bool first = true;
    for (int k = 0; k < s->n; k++) {
        if (!zw_spec_has(s, k, t) || (m->tracks[0] && !is_in(m->tracks, s->term[k].index)))
            continue;
        for (long row = 0; row < zw_table_rows(rows); row++) {
            ZW_TRY(place_point(to, rows, row, k, m, first, err));
            first = false;
        }
    }
    return ZW_OK;
}

/* the width of the first column */
static double width_of(const zw_table *t) {
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < zw_table_rows(t); i++) {
        low = fmin(low, zw_table_at(t, i, 0));
        high = fmax(high, zw_table_at(t, i, 0));
    }
    return high > low ? high - low : 0;
}

/* the special points of one run */
static zw_status add_points(target *to, const zw_table *t, zw_error *err) {
    int before[sizeof signs / sizeof *signs] = {0};
    double width = width_of(t);
    for (int i = 0; i < zw_table_notes(t); i++) {
        special_point m;
        zw_table *rows = NULL;
        if (!is_special_note(zw_table_note_key(t, i)))
            continue;
        ZW_TRY(read_point(&m, zw_table_note_key(t, i), zw_table_note_value(t, i), err));
        m.shown = fabs(m.value) < VALUE_IS_ZERO * width ? 0 : m.value;
        int sign = sign_of(&m);
        if (sign >= 0)
            name_point(&m, t, before[sign]++);
        zw_status status = make_rows(&rows, t, &m);
        if (status < 0)
            zw_fail(err, status, "out of memory for the marks");
        if (status >= 0)
            status = place_all(to, t, rows, &m, err);
        zw_table_destroy(rows);
        ZW_TRY(status);
    }
    return ZW_OK;
}

/* a Hopf point among folds, which have the same marker, becomes a ring */
static void separate_signs(target *to) {
    bool folds = false;
    for (int i = 0; i < to->n; i++)
        folds = folds || (to->mark[i].label && strcmp(to->mark[i].label, "\"fold\"") == 0);
    for (int i = 0; folds && i < to->n; i++)
        if (to->mark[i].label && strcmp(to->mark[i].label, "\"Hopf\"") == 0)
            to->mark[i].shape = ZW_MARK_RING;
}

static int count_points(int nrun, const zw_figure_run *run) {
    int n = 0;
    for (int i = 0; i < nrun; i++)
        for (int k = 0; k < zw_table_notes(run[i].table); k++)
            n += is_special_note(zw_table_note_key(run[i].table, k));
    return n;
}

zw_status zw_figure_special_points(zw_figure *f, const zw_figure_run *run, zw_error *err) {
    int most = count_points(f->nrun, run);
    for (int i = 0; i < f->npanel && most > 0; i++) {
        if (f->panel_class[i] != ZW_FIGURE_PLAIN || f->panel[i].map)
            continue;
        target to = {.f = f, .panel = i};
        to.mark = ZW_NEW(&f->arena, zw_mark, most * ROWS * f->spec[i].n + 1);
        if (!to.mark)
            return zw_out_of_memory(err, "the marks");
        for (int k = 0; k < f->nrun; k++)
            if (zw_figure_draws_run(f, i, k))
                ZW_TRY(add_points(&to, run[k].table, err));
        separate_signs(&to);
        f->panel[i].mark = to.mark;
        f->panel[i].nmark = to.n;
    }
    return ZW_OK;
}
