/* SPDX-License-Identifier: MIT */
/* Linear equations as CSV, in one table or one file per matrix, and as a LaTeX document. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linear.h"

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

static void put_csv(zw_text *out, const zw_linear_equations *l) {
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

char *zw_linear_csv(const zw_linear_equations *l) {
    zw_allocator alloc = zw_context_allocator(l->e->sys->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    put_csv(&out, l);
    return zw_text_take(&out);
}

/* ---------------------------------------------------------------------------------------- LaTeX */

static void put_document(zw_text *out, const char *body) {
    zw_text_put(out, "\\documentclass[a4paper,fleqn]{article}\n\\usepackage{amsmath}\n"
                     "\\usepackage{graphicx}\n\\usepackage[margin=2cm]{geometry}\n"
                     "\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{1ex}\n"
                     "\\renewcommand{\\arraystretch}{1.2}\n\\begin{document}\n\\sloppy\n");
    zw_text_put(out, body);
    zw_text_put(out, "\\end{document}\n");
}

zw_status zw_linear_latex(const zw_linear_equations *l, zw_bytes *out, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(l->e->sys->ctx);
    zw_report *r = zw_report_create(&alloc);
    zw_bytes body = {0};
    zw_text text;
    zw_text_init(&text, &alloc);
    if (r) {
        zw_report_word(r, "model", l->e->sys->name);
        zw_linear_report(l, r);
    }
    zw_status status = r ? zw_report_latex(r, &body, err) : zw_out_of_memory(err, NULL);
    if (status >= 0) {
        put_document(&text, body.data);
        status = zw_text_bytes(&text, out, NULL, err);
    }
    zw_text_clear(&text);
    zw_bytes_clear(&body);
    zw_report_destroy(r);
    return status;
}
