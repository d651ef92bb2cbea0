/* SPDX-License-Identifier: MIT */
/* Linear equations for programs: JSON with matrices as lists of rows, and CSV, in one table or one
 * file per matrix. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear.h"

/* ----------------------------------------------------------------------------------------- JSON */

static void json_list(zw_text *out, int n, const double *x, int stride) {
    zw_text_put(out, "[");
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, x[i * stride]);
    }
    zw_text_put(out, "]");
}

static void json_line(zw_text *out, const char *key, int n, const double *x) {
    zw_text_printf(out, ",\n  \"%s\": ", key);
    json_list(out, n, x, 1);
}

static void json_rows(zw_text *out, int rows, int columns, const double *x) {
    zw_text_put(out, "[");
    for (int i = 0; i < rows; i++) {
        zw_text_put(out, i ? ",\n    " : "");
        json_list(out, columns, x + (size_t)i * (size_t)columns, 1);
    }
    zw_text_put(out, "]");
}

static void json_names(zw_text *out, const char *key, int n, const char *const *name,
                       const char *const *unit) {
    zw_text_printf(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", {\"name\": " : "{\"name\": ");
        zw_text_json(out, name[i]);
        zw_text_put(out, ", \"unit\": ");
        zw_text_json(out, unit[i]);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

static void json_motion(zw_text *out, const zw_linear_equations *l) {
    const zw_equilibria *e = l->e;
    zw_text_put(out, ",\n  \"motion\": {");
    for (int i = 0; i < e->eq.nq + e->eq.nv; i++) {
        const char *unit;
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, zw_equilibria_entry(e, i, &unit));
        zw_text_put(out, ": ");
        zw_text_json_number(out, e->motion.x[i]);
    }
    zw_text_put(out, "}");
    zw_text_put(out, ",\n  \"doubtful\": ");
    if (e->warning[0])
        zw_text_json(out, e->warning);
    else
        zw_text_put(out, "null");
}

static const char *missing_word(zw_second_reason kind) {
    switch (kind) {
    case ZW_SECOND_NO_COORDINATE:
        return "no coordinate has a rate of its own";
    case ZW_SECOND_COUPLED:
        return "a state of first order drives the coordinates";
    case ZW_SECOND_INERTIA:
        return "the masses are not determined";
    case ZW_SECOND_THERE:
        break;
    }
    return "";
}

static void json_matrices(zw_text *out, const zw_linear_equations *l) {
    const zw_second_order *o = &l->second;
    zw_linear_block block[ZW_LINEAR_BLOCKS];
    int n = zw_linear_blocks(l, block), i = 0;
    out->failed |= n < 0;
    for (; i < n && !block[i].key[1]; i++) {
        zw_text_printf(out, ",\n  \"%s\": ", block[i].key);
        json_rows(out, block[i].rows, block[i].columns, block[i].value);
    }
    zw_text_put(out, ",\n  \"second_order\": {");
    if (o->reason != ZW_SECOND_THERE) {
        zw_text_put(out, "\"missing\": ");
        zw_text_json(out, missing_word(o->reason));
    } else {
        zw_text_put(out, "\"coordinates\": [");
        for (int j = 0; j < o->k; j++) {
            zw_text_put(out, j ? ", " : "");
            zw_text_json(out, l->state_name[o->s[j]]);
        }
        zw_text_put(out, "]");
    }
    for (; i < n; i++) {
        zw_text_printf(out, ",\n  \"%s\": ", block[i].symbol);
        json_rows(out, block[i].rows, block[i].columns, block[i].value);
    }
    zw_text_put(out, "}");
}

/* An eigenvector of the state, scaled to 1 at its leading entry. */
static void json_mode(zw_text *out, const zw_linear_equations *l, int j) {
    const zw_spectrum *s = &l->spectrum;
    int n = s->n, lead = zw_linear_leader(l, j), nx = l->e->kernel->nx;
    double re = s->mode_re[lead * n + j], im = s->mode_im[lead * n + j], size = re * re + im * im;
    for (int part = 0; part < 2; part++) {
        zw_text_put(out, part ? ", \"mode_im\": [" : ", \"mode_re\": [");
        for (int i = 0; i < nx; i++) {
            double a = s->mode_re[i * n + j], b = s->mode_im[i * n + j];
            zw_text_put(out, i ? ", " : "");
            zw_text_json_number(out,
                                size > 0 ? (part ? b * re - a * im : a * re + b * im) / size : 0);
        }
        zw_text_put(out, "]");
    }
}

static void json_eigenvalue(zw_text *out, const zw_linear_equations *l, int j) {
    const zw_spectrum *s = &l->spectrum;
    double size = hypot(s->re[j], s->im[j]);
    zw_text_put(out, j ? ",\n    {\"re\": " : "\n    {\"re\": ");
    zw_text_json_number(out, s->re[j]);
    zw_text_put(out, ", \"im\": ");
    zw_text_json_number(out, s->im[j]);
    if (!l->states.nkept)
        zw_text_printf(out, ", \"mode\": %d", zw_linear_mode(l, j));
    zw_text_put(out, ", \"frequency\": ");
    zw_text_json_number(out, fabs(s->im[j]) / (2 * M_PI));
    zw_text_put(out, ", \"damping\": ");
    zw_text_json_number(out, size > 0 ? -s->re[j] / size : NAN);
    zw_text_put(out, ", \"condition\": ");
    zw_text_json_number(out, s->condition[j]);
    zw_text_put(out, ", \"participation\": ");
    json_list(out, s->n, s->participation + j, s->n);
    if (s->controllable) {
        zw_text_printf(
            out, ", \"controllable\": %s, \"control\": ", s->is_controllable[j] ? "true" : "false");
        zw_text_json_number(out, s->controllable[j]);
    }
    if (s->observable) {
        zw_text_printf(
            out, ", \"observable\": %s, \"observation\": ", s->is_observable[j] ? "true" : "false");
        zw_text_json_number(out, s->observable[j]);
    }
    json_mode(out, l, j);
    zw_text_printf(out, ", \"mode_moves_along_symmetries\": %s}", s->open[j] ? "true" : "false");
}

void zw_linear_put_json(zw_text *out, const zw_linear_equations *l) {
    const zw_spectrum *s = &l->spectrum;
    zw_text_put(out, "{\n  \"model\": ");
    zw_text_json(out, l->e->sys->name);
    zw_text_printf(out, ",\n  \"at_rest\": %s", zw_linear_at_rest(l) ? "true" : "false");
    json_motion(out, l);
    json_names(out, "states", l->states.n, l->state_name, l->state_unit);
    zw_text_put(out, ",\n  \"states_seen_moving_along\": [");
    for (int i = 0, count = 0; i < l->states.n; i++)
        if (l->states.turning[i] || l->states.kind[i] == ZW_STATE_RATE) {
            zw_text_put(out, count++ ? ", " : "");
            zw_text_json(out, l->state_name[i]);
        }
    zw_text_put(out, "]");
    json_names(out, "inputs", l->nin, l->in_name, l->in_unit);
    json_names(out, "outputs", l->nout, l->out_name, l->out_unit);
    zw_text_put(out, ",\n  \"output_values\": ");
    json_list(out, l->nout, l->inout.value, 1);
    json_matrices(out, l);
    zw_text_printf(out, ",\n  \"zeros\": %d,\n  \"families\": %d", s->nzero, l->e->linear.nfamily);
    if (s->controllable)
        zw_text_printf(out, ",\n  \"controllable_dimensions\": %d", s->ncontrollable);
    if (s->observable)
        zw_text_printf(out, ",\n  \"observable_dimensions\": %d", s->nobservable);
    json_line(out, "eigenvalues_re", s->n, s->re);
    json_line(out, "eigenvalues_im", s->n, s->im);
    json_line(out, "condition", s->n, s->condition);
    json_line(out, "orbit_re", l->e->linear.norbit, l->e->linear.orbit_re);
    json_line(out, "orbit_im", l->e->linear.norbit, l->e->linear.orbit_im);
    zw_text_put(out, ",\n  \"eigenvalues\": [");
    for (int j = 0; j < s->n; j++)
        json_eigenvalue(out, l, j);
    zw_text_put(out, "]\n}\n");
}

/* ------------------------------------------------------------------------------------------ CSV */

/* A word, quoted if it contains a separator. */
static void csv_word(zw_text *out, const char *word) {
    if (!strpbrk(word, ",\"\n")) {
        zw_text_put(out, word);
        return;
    }
    zw_text_put(out, "\"");
    for (; *word; word++)
        zw_text_put_n(out, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
    zw_text_put(out, "\"");
}

static void csv_entry(zw_text *out, const char *matrix, const char *row, const char *column,
                      const char *unit, double value) {
    csv_word(out, matrix);
    zw_text_put(out, ",");
    csv_word(out, row);
    zw_text_put(out, ",");
    csv_word(out, column);
    zw_text_put(out, ",");
    csv_word(out, unit);
    zw_text_put(out, ",");
    zw_text_number(out, value);
    zw_text_put(out, "\n");
}

static void csv_eigenvalues(zw_text *out, const zw_linear_equations *l) {
    const zw_spectrum *s = &l->spectrum;
    for (int j = 0; j < s->n; j++) {
        char number[16];
        snprintf(number, sizeof number, "%d", j + 1);
        csv_entry(out, "eigenvalues", number, "re", "1/s", s->re[j]);
        csv_entry(out, "eigenvalues", number, "im", "rad/s", s->im[j]);
        if (!l->states.nkept)
            csv_entry(out, "eigenvalues", number, "mode", "", zw_linear_mode(l, j));
        csv_entry(out, "eigenvalues", number, "condition", "", s->condition[j]);
        for (int i = 0; i < s->n; i++)
            csv_entry(out, "participation", l->state_name[i], number, "",
                      s->participation[i * s->n + j]);
    }
}

void zw_linear_put_csv(zw_text *out, const zw_linear_equations *l) {
    zw_linear_block block[ZW_LINEAR_BLOCKS];
    int n = zw_linear_blocks(l, block);
    out->failed |= n < 0;
    zw_text_put(out, "matrix,row,column,unit,value\n");
    for (int b = 0; b < n; b++)
        for (int i = 0; i < block[b].rows; i++)
            for (int j = 0; j < block[b].columns; j++) {
                char unit[ZW_DIM_TEXT] = "";
                zw_linear_quotient(block[b].row_unit[i], block[b].column_unit[j], unit);
                csv_entry(out, block[b].key, block[b].row[i], block[b].column[j], unit,
                          block[b].value[i * block[b].columns + j]);
            }
    csv_eigenvalues(out, l);
}

/* One matrix: a comment with the names of the rows, a line with those of the columns, numbers. */
static void csv_matrix(zw_text *out, const zw_linear_block *b) {
    zw_text_put(out, "# rows: ");
    for (int i = 0; i < b->rows; i++) {
        zw_text_put(out, i ? "," : "");
        csv_word(out, b->row[i]);
        if (b->row_unit[i][0])
            zw_text_printf(out, "[%s]", b->row_unit[i]);
    }
    zw_text_put(out, "\n");
    for (int j = 0; j < b->columns; j++) {
        zw_text_put(out, j ? "," : "");
        csv_word(out, b->column[j]);
        if (b->column_unit[j][0])
            zw_text_printf(out, "[%s]", b->column_unit[j]);
    }
    zw_text_put(out, "\n");
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < b->columns; j++) {
            zw_text_number(out, b->value[i * b->columns + j]);
            zw_text_put(out, j + 1 < b->columns ? "," : "\n");
        }
}

static void csv_spectrum(zw_text *out, const zw_linear_equations *l) {
    const zw_spectrum *s = &l->spectrum;
    zw_text_put(out, "# rows: eigenvalues\nre[1/s],im[rad/s],condition\n");
    for (int j = 0; j < s->n; j++) {
        zw_text_number(out, s->re[j]);
        zw_text_put(out, ",");
        zw_text_number(out, s->im[j]);
        zw_text_put(out, ",");
        zw_text_number(out, s->condition[j]);
        zw_text_put(out, "\n");
    }
}

int zw_linear_matrices(const zw_linear_equations *l) {
    zw_linear_block block[ZW_LINEAR_BLOCKS];
    int n = zw_linear_blocks(l, block);
    return n < 0 ? n : n + 1;
}

char *zw_linear_matrix(const zw_linear_equations *l, int i, const char **name) {
    assert(i >= 0 && i < zw_linear_matrices(l));
    zw_linear_block block[ZW_LINEAR_BLOCKS];
    zw_allocator alloc = zw_context_allocator(l->e->sys->ctx);
    int n = zw_linear_blocks(l, block);
    zw_text out;
    zw_text_init(&out, &alloc);
    out.failed |= n < 0;
    *name = i < n ? block[i].key : "eigenvalues";
    if (i < n)
        csv_matrix(&out, &block[i]);
    else
        csv_spectrum(&out, l);
    return zw_text_take(&out);
}

/* -----------------------------------------------------------------------------------------
 * write */

char *zw_linear_write(const zw_linear_equations *l, zw_linear_format format) {
    static void (*const put[])(zw_text *, const zw_linear_equations *) = {
        zw_linear_put_text, zw_linear_put_latex, zw_linear_put_json, zw_linear_put_csv};
    zw_allocator alloc = zw_context_allocator(l->e->sys->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    put[format](&out, l);
    return zw_text_take(&out);
}
