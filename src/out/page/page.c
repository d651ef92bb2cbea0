/* SPDX-License-Identifier: MIT */
/* The page: the viewer with a placeholder, which is replaced by the data as JSON.
 *
 * The data are in a <script type="application/json">, which the browser ends at the first
 * "</script" even within a JSON string, and in which "<!--" has a meaning too. In JSON "<" occurs
 * in strings only, where it may be written \u003c; so every "<" is.
 *
 * Numbers are base64 of IEEE 754, little endian: time and the table of a branch with 8 bytes, all
 * others with 4, which is more than a screen can show. */
#include "page.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "json.h"
#include "out/files/file.h"
#include "out/plots/colours.h"
#include "sheet.h"

#define MARK "@ZWANG_DATA@"
#define MISSING "missing "

/* --------------------------------------------------------------------------------------- data */

/* true for a column that is a setting of a motion of a survey */
static bool is_setting(const zw_page_survey *s, int column) {
    for (int i = 0; s && i < s->nsetting; i++)
        if (s->setting[i].column == column)
            return true;
    return false;
}

/* exact: all numbers with 8 bytes */
static bool write_table(FILE *out, const zw_table *t, bool exact, const zw_page_survey *survey) {
    bool ok = true;
    fprintf(out, "{\"rows\":%ld,\"columns\":[", zw_table_rows(t));
    for (int j = 0; j < zw_table_columns(t); j++) {
        const char *name = zw_table_name(t, j);
        bool wide = exact || strcmp(name, "t") == 0 || is_setting(survey, j);
        fputs(j ? ",\n" : "\n", out);
        ok &= zw_page_named_column(out, t, j, wide, NULL);
    }
    fputs("]}", out);
    return ok;
}

static bool write_notes(FILE *out, const zw_table *t) {
    bool ok = true;
    putc('[', out);
    for (int i = 0; i < zw_table_notes(t); i++) {
        fputs(i ? ",\n[" : "\n[", out);
        ok &= zw_page_string(out, zw_table_note_key(t, i));
        putc(',', out);
        ok &= zw_page_string(out, zw_table_note_value(t, i));
        putc(']', out);
    }
    putc(']', out);
    return ok;
}

/* arrows of contacts: their scale, as numbers and as text */
static bool write_forces(FILE *out, const zw_view *view, const zw_view_stage *s) {
    char key[100], cut[100];
    zw_view_force_key(view, s, key, sizeof key);
    zw_view_force_cut(view, s, cut, sizeof cut);
    fputs("\"forces\":{", out);
    zw_page_numbers(out, "perNewton", 1, &s->per_newton);
    zw_page_numbers(out, "longest", 1, &s->longest);
    zw_page_numbers(out, "sign", 1, &s->sign);
    fprintf(out, "\"touches\":%u,", s->touches);
    bool ok = zw_page_member(out, "key", key);
    putc(',', out);
    ok &= zw_page_member(out, "cut", cut);
    fputs("},", out);
    return ok;
}

/* the initial view, and the colours of the drawings */
static bool write_stage(FILE *out, const zw_view *view) {
    bool ok = true;
    zw_view_stage s;
    zw_view_measure(view, &s);
    putc('{', out);
    zw_page_numbers(out, "low", 3, s.low);
    zw_page_numbers(out, "high", 3, s.high);
    zw_page_numbers(out, "bodyLow", 3, s.body_low);
    zw_page_numbers(out, "bodyHigh", 3, s.body_high);
    zw_page_numbers(out, "size", 1, &s.size);
    zw_page_numbers(out, "bodySize", 1, &s.body_size);
    zw_page_numbers(out, "small", 1, &s.small);
    zw_page_numbers(out, "ground", 1, &s.ground);
    zw_page_numbers(out, "direction", 3, s.direction);
    ok &= write_forces(out, view, &s);
    fprintf(out, "\"follows\":%s,\"colours\":[", s.follows ? "true" : "false");
    for (int i = 0; i < view->n; i++) {
        fputs(i ? "," : "", out);
        ok &= zw_page_string(out, zw_view_colour(view, i));
    }
    fputs("]}", out);
    return ok;
}

static bool write_orbit(FILE *out, const zw_page_orbit *o) {
    bool ok = true;
    fprintf(out, "{\"row\":%ld,", o->row);
    zw_page_list(out, "re", o->nmultiplier, o->re);
    zw_page_list(out, "im", o->nmultiplier, o->im);
    fputs("\n\"scene\":", out);
    zw_page_json(out, o->scene ? o->scene : "null");
    fputs(",\n\"stage\":", out);
    if (o->scene && o->view)
        ok &= write_stage(out, o->view);
    else
        fputs("null", out);
    fputs(",\n\"motion\":", out);
    if (o->motion)
        ok &= write_table(out, o->motion, false, NULL);
    else
        fputs("null", out);
    fputs(",\n\"result\":", out);
    ok &= write_table(out, o->result, false, NULL);
    putc('}', out);
    return ok;
}

/* colour scales, equal to those of pictures */
static void write_scale(FILE *out, const char *key, void (*scale)(zw_out_rgb *)) {
    zw_out_rgb c[ZW_OUT_SCALE];
    scale(c);
    fprintf(out, "\"%s\":[", key);
    for (int i = 0; i < ZW_OUT_SCALE; i += 5)
        fprintf(out, "%s[%ld,%ld,%ld]", i ? "," : "", lround(255 * c[i].r), lround(255 * c[i].g),
                lround(255 * c[i].b));
    fputs("],", out);
}

static bool write_classes(FILE *out, const zw_page_survey *s) {
    bool ok = true;
    fputs("\"classes\":[", out);
    for (int i = 0; i < s->nclass; i++) {
        zw_out_rgb c = zw_out_class(s->item[i].value);
        if (s->pale && s->item[i].value >= 1)
            c = zw_out_pale(c);
        fprintf(out, "%s{\"value\":%d,\"colour\":[%ld,%ld,%ld],", i ? "," : "", s->item[i].value,
                lround(255 * c.r), lround(255 * c.g), lround(255 * c.b));
        ok &= zw_page_member(out, "label", s->item[i].label);
        putc('}', out);
    }
    fputs("],", out);
    return ok;
}

static bool write_settings(FILE *out, const zw_page_survey *s) {
    bool ok = true;
    fputs("\"settings\":[", out);
    for (int i = 0; i < s->nsetting; i++) {
        fprintf(out, "%s{\"column\":%d,", i ? "," : "", s->setting[i].column);
        ok &= zw_page_member(out, "name", s->setting[i].name);
        putc(',', out);
        ok &= zw_page_member(out, "unit", s->setting[i].unit);
        putc('}', out);
    }
    fputs("],\"words\":[", out);
    for (int i = 0; i < s->nword; i++) {
        fputs(i ? "," : "", out);
        ok &= zw_page_string(out, s->word[i]);
    }
    fputs("],", out);
    return ok;
}

static bool write_overlay(FILE *out, const zw_page_survey *s) {
    bool ok = true;
    fputs("\"lines\":[", out);
    for (int i = 0; i < s->nline; i++) {
        fputs(i ? ",{" : "{", out);
        ok &= zw_page_member(out, "name", s->line[i].name);
        fputs(",\"at\":[", out);
        for (long k = 0; k < 2 * s->line[i].n; k++) {
            double v = s->line[i].at[k];
            fputs(k ? "," : "", out);
            if (isfinite(v))
                fprintf(out, "%.9g", v);
            else
                fputs("null", out);
        }
        fputs("]}", out);
    }
    fputs("],\"spots\":[", out);
    for (int i = 0; i < s->nspot; i++) {
        fprintf(out, "%s{\"x\":%.9g,\"y\":%.9g,", i ? "," : "", s->spot[i].x, s->spot[i].y);
        ok &= zw_page_member(out, "name", s->spot[i].name);
        putc('}', out);
    }
    fputs("],", out);
    return ok;
}

static bool write_survey(FILE *out, const zw_page_survey *s) {
    bool ok = true;
    fputs(",\n\"survey\":{", out);
    for (int a = 0; a < 2; a++) {
        fprintf(out, "\"%s\":{", a ? "y" : "x");
        ok &= zw_page_member(out, "name", s->name[a]);
        putc(',', out);
        ok &= zw_page_member(out, "unit", s->unit[a]);
        putc(',', out);
        zw_page_list(out, "values", a ? s->ny : s->nx, a ? s->y : s->x);
        fprintf(out, "\"column\":%d},\n", s->column[a]);
    }
    write_scale(out, "even", zw_out_even);
    write_scale(out, "diverging", zw_out_diverging);
    ok &= write_classes(out, s);
    ok &= write_overlay(out, s);
    ok &= write_settings(out, s);
    zw_page_list(out, "marks", 2 * s->nmark, s->mark);
    ok &= zw_page_member(out, "told", s->told);
    fprintf(out, ",\"nx\":%d,\"ny\":%d,\"shown\":%d,\"number\":%d,\"stride\":%d}", s->nx, s->ny,
            s->shown, s->number, s->stride);
    return ok;
}

static bool write_branch(FILE *out, const zw_page *page) {
    bool ok = true;
    fputs(",\n\"branch\":{\"table\":", out);
    ok &= write_table(out, page->branch, !page->survey || page->survey->nx == 0, page->survey);
    fputs(",\n\"notes\":", out);
    ok &= write_notes(out, page->branch);
    fprintf(out, ",\n\"start\":%d,\"orbits\":[", page->start);
    for (int i = 0; i < page->norbit; i++) {
        fputs(i ? ",\n" : "\n", out);
        ok &= write_orbit(out, &page->orbit[i]);
    }
    putc(']', out);
    if (page->survey)
        ok &= write_survey(out, page->survey);
    putc('}', out);
    return ok;
}

/* sheet: of the figure, NULL if there is none */
static bool write_data(FILE *out, const zw_page *page, const zw_page_sheet *sheet) {
    bool ok = true;
    putc('{', out);
    ok &= zw_page_member(out, "name", page->name);
    putc(',', out);
    ok &= zw_page_member(out, "title", page->title);
    putc(',', out);
    ok &= zw_page_member(out, "variant", page->variant);
    fputs(",\n\"notes\":", out);
    ok &= write_notes(out, page->result);
    fputs(",\n\"scene\":", out);
    zw_page_json(out, page->scene ? page->scene : "null");
    fputs(",\n\"stage\":", out);
    if (page->scene && page->view)
        ok &= write_stage(out, page->view);
    else
        fputs("null", out);
    fputs(",\n\"equations\":", out);
    zw_page_json(out, page->equations ? page->equations : "null");
    fputs(",\n\"motion\":", out);
    if (page->motion)
        ok &= write_table(out, page->motion, false, NULL);
    else
        fputs("null", out);
    fputs(",\n\"result\":", out);
    if (sheet && !page->scene)
        fputs("null", out);
    else
        ok &= write_table(out, page->result, false, NULL);
    if (page->branch)
        ok &= write_branch(out, page);
    if (sheet) {
        fputs(",\n\"figure\":", out);
        ok &= zw_page_sheet_write(out, sheet);
    }
    putc('}', out);
    return ok;
}

/* --------------------------------------------------------------------------------------- page */

zw_status zw_page_check(const char *viewer, size_t size, zw_error *err) {
    if (size >= strlen(MISSING) && memcmp(viewer, MISSING, strlen(MISSING)) == 0) {
        zw_fail(err, ZW_E_MISSING, "this Zwang was built without its viewer: %.*s",
                (int)strcspn(viewer + strlen(MISSING), "\n"), viewer + strlen(MISSING));
        zw_error_hint(err, "it needs nodejs (18 or newer) and npm, which 'tools/setup viewer' "
                           "installs, and the network: build again with them");
        return ZW_E_MISSING;
    }
    if (!memmem(viewer, size, MARK, strlen(MARK)))
        return zw_fail(err, ZW_E_MISSING, "the viewer of this Zwang has no place for data");
    return ZW_OK;
}

static zw_status write_page(const char *viewer, size_t size, const zw_page *page,
                            const zw_page_sheet *sheet, const char *path, zw_bytes *bytes,
                            zw_error *err) {
    const char *mark = memmem(viewer, size, MARK, strlen(MARK)), *rest = mark + strlen(MARK);
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    locale_t before = zw_plain_begin();
    fwrite(viewer, 1, (size_t)(mark - viewer), f.stream);
    bool ok = write_data(f.stream, page, sheet);
    fwrite(rest, 1, (size_t)(viewer + size - rest), f.stream);
    zw_plain_end(before);
    if (ok)
        return zw_out_commit(&f, err);
    zw_out_abandon(&f);
    return zw_out_of_memory(err, "the page");
}

zw_status zw_page_fill(const char *viewer, size_t size, const zw_page *page, const char *path,
                       zw_bytes *bytes, zw_error *err) {
    ZW_TRY(zw_page_check(viewer, size, err));
    zw_page_sheet sheet;
    if (!page->figure)
        return write_page(viewer, size, page, NULL, path, bytes, err);
    ZW_TRY(zw_page_sheet_init(&sheet, page->figure, err));
    zw_status status = write_page(viewer, size, page, &sheet, path, bytes, err);
    zw_page_sheet_clear(&sheet);
    return status;
}

zw_status zw_page_available(const char *path, zw_error *err) {
    size_t size;
    const char *viewer = zw_page_template(&size);
    ZW_TRY(zw_page_check(viewer, size, err));
    return path ? zw_out_check_place(path, err) : ZW_OK;
}

zw_status zw_page_write(const zw_page *page, const char *path, zw_error *err) {
    size_t size;
    const char *viewer = zw_page_template(&size);
    return zw_page_fill(viewer, size, page, path, NULL, err);
}

zw_status zw_page_bytes(const zw_page *page, zw_bytes *out, zw_error *err) {
    size_t size;
    const char *viewer = zw_page_template(&size);
    *out = (zw_bytes){0};
    return zw_page_fill(viewer, size, page, NULL, out, err);
}
