/* SPDX-License-Identifier: MIT */
/* --bode INPUT:OUTPUT: the frequency response as a table in --out, its features as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/derive.h"
#include "cli/picture.h"
#include "linearise.h"

enum { ROWS = 400, ROWS_MAX = 1000000 };

typedef struct bode {
    const char *input, *output;
    double from, to;
    int rows;
} bode;

/* INPUT:OUTPUT */
static zw_status read_names(const cli_options *o, const cli_steady *s, bode *b, zw_error *err) {
    const char *colon = strchr(o->bode, ':');
    if (!colon || colon == o->bode || !colon[1] || strchr(colon + 1, ':')) {
        zw_fail(err, ZW_E_OPTION, "'%s' is not INPUT:OUTPUT", o->bode);
        zw_error_hint(err, "--bode force:x asks how x answers to force");
        return ZW_E_OPTION;
    }
    char *input = zw_context_alloc(s->model.ctx, (size_t)(colon - o->bode) + 1);
    if (!input)
        return zw_context_status(s->model.ctx, err);
    memcpy(input, o->bode, (size_t)(colon - o->bode));
    b->input = input;
    b->output = colon + 1;
    return ZW_OK;
}

/* a number that ends at a colon or at the end */
static bool read_number(const char **text, double *out) {
    char *end;
    *out = strtod(*text, &end);
    bool fine = end != *text && isfinite(*out);
    *text = end;
    return fine;
}

/* a:b, a:b:n, with a unit after it: rad/s (default), Hz, 1/min */
static zw_status read_range(const cli_options *o, bode *b, zw_error *err) {
    const char *s = o->frequencies;
    double rows = ROWS;
    zw_unit unit = {.factor = 1};
    bool fine = read_number(&s, &b->from) && *s++ == ':' && read_number(&s, &b->to);
    if (fine && *s == ':') {
        s++;
        fine = read_number(&s, &rows);
    }
    while (fine && *s == ' ')
        s++;
    size_t length = strlen(s);
    if (fine && length > 1 && s[0] == '[' && s[length - 1] == ']') {
        s++;
        length -= 2;
    }
    const zw_dim per_second = zw_dim_mechanical(0, 0, -1);
    if (fine && length > 0) {
        ZW_TRY(zw_unit_parse(&unit, s, length, (zw_place){0}, err));
        fine = zw_dim_fits(&unit.dim, &per_second);
        if (unit.dim.angle == 0) /* Hz, 1/min: revolutions */
            unit.factor *= 2 * M_PI;
    }
    b->from *= unit.factor;
    b->to *= unit.factor;
    b->rows = rows >= 2 && rows <= ROWS_MAX ? (int)rows : 0;
    if (!fine || !(b->from > 0) || !(b->to > b->from) || b->rows == 0 || b->rows != rows) {
        zw_fail(err, ZW_E_OPTION, "'%s' is no range of frequencies", o->frequencies);
        zw_error_hint(err, "from:to or from:to:rows, in rad/s or with a unit: 0.1:100Hz");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status write_response(const cli_options *o, const cli_steady *s,
                                const zw_linear_equations *l, const bode *b, const zw_table *t,
                                zw_error *err) {
    if (o->out)
        ZW_TRY(zw_table_write(t, o->out, err));
    if (o->picture)
        ZW_TRY(cli_picture_result(o, t, err));
    if (o->out && strcmp(o->out, "-") == 0)
        return ZW_OK;
    char *text = zw_linear_response_text(l, b->input, b->output, t, err);
    zw_status status = text ? cli_write_text(NULL, text, err) : err->status;
    zw_string_free(s->model.ctx, text);
    return status;
}

static zw_status report_response(const cli_options *o, const cli_steady *s, const bode *b,
                                 zw_error *err) {
    cli_linear c;
    zw_table *t = NULL;
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_status status = cli_linear_open(&c, o, s, b->input, b->output, err);
    if (status >= 0)
        status =
            zw_linear_response(c.l, &source, b->input, b->output, b->from, b->to, b->rows, &t, err);
    if (status >= 0) {
        zw_linear_response_warnings(c.l, t, s->model.warnings);
        cli_report_warnings(o, s->model.warnings, false);
    }
    if (status >= 0)
        status = zw_warnings_note(s->model.warnings, t);
    if (status >= 0)
        status = write_response(o, s, c.l, b, t, err);
    zw_table_destroy(t);
    cli_linear_close(&c);
    return status;
}

zw_status cli_linearise_bode(const cli_options *o, const cli_steady *s, zw_error *err) {
    bode b = {.rows = ROWS};
    if (o->json || o->format != LINEARISE_TEXT) {
        zw_fail(err, ZW_E_OPTION,
                "a frequency response is a table: its format follows the ending of --out");
        zw_error_hint(err, "--out response.csv, .json or .h5");
        return ZW_E_OPTION;
    }
    ZW_TRY(cli_guard_write(o, o->out, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    ZW_TRY(read_names(o, s, &b, err));
    if (o->frequencies)
        ZW_TRY(read_range(o, &b, err));
    return report_response(o, s, &b, err);
}
