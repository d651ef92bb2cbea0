/* SPDX-License-Identifier: MIT */
/* Equations as JSON: the names of the unknowns and the matrices of zwang/equations.h, every entry an
 * expression of the model language. Definitions are there only where an entry would be huge without
 * them: [name, value] in the order in which they use each other. */
#include <math.h>
#include <string.h>

#include "mech/system/build.h"
#include "write.h"

enum {
    HUGE_EXPRESSION = 1000000, /* characters: beyond it what recurs is defined apart */
    NAME_FROM = 24,
    NAMES_MAX = 5000
};

typedef struct writer {
    zw_context *ctx;
    zw_text *out;
} writer;

static void put_names(writer *w, const char *key, int n, const zw_expr *symbols) {
    zw_text_printf(w->out, "  \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(w->out, i ? ", " : "");
        zw_text_json(w->out, zw_expr_name(w->ctx, symbols[i]));
    }
    zw_text_put(w->out, "],\n");
}

/* which of q are states; nothing is said where none is */
static void put_states(writer *w, const zw_system *s) {
    bool first = true;
    for (int i = 0; i < s->nq; i++) {
        if (!s->coord[i].state)
            continue;
        zw_text_put(w->out, first ? "  \"states\": [" : ", ");
        zw_text_json(w->out, s->coord[i].name);
        first = false;
    }
    zw_text_put(w->out, first ? "" : "],\n");
}

static void put_expr(writer *w, zw_expr e) {
    char *s = zw_print(w->ctx, e, ZW_TEXT);
    if (s)
        zw_text_json(w->out, s);
    w->out->failed |= s == NULL;
    zw_string_free(w->ctx, s);
}

/* a matrix as rows, a vector as a list (columns 0) */
static void put_matrix(writer *w, const char *key, int rows, int columns, const zw_expr *e) {
    zw_text_printf(w->out, "  \"%s\": [", key);
    for (int i = 0; i < rows; i++) {
        zw_text_put(w->out, i ? ", " : "");
        if (columns == 0) {
            put_expr(w, e[i]);
            continue;
        }
        zw_text_put(w->out, "[");
        for (int j = 0; j < columns; j++) {
            zw_text_put(w->out, j ? ", " : "");
            put_expr(w, e[i * columns + j]);
        }
        zw_text_put(w->out, "]");
    }
    zw_text_put(w->out, "],\n");
}

/* which rows of M v' = h are constraints: their names, null for equations of motion */
static void put_rows(writer *w, const zw_equations *eq) {
    zw_text_put(w->out, "  \"row_constraint\": [");
    for (int k = 0; k < eq->nv; k++) {
        int c = eq->row_constraint ? eq->row_constraint[k] : -1;
        zw_text_put(w->out, k ? ", " : "");
        if (c >= 0)
            zw_text_json(w->out, eq->sys->constraint[c].name);
        else
            zw_text_put(w->out, "null");
    }
    zw_text_put(w->out, "],\n  \"inequality\": [");
    for (int c = 0; c < eq->nc; c++)
        zw_text_printf(w->out, "%s%d", c ? ", " : "", eq->inequality ? eq->inequality[c] : 0);
    zw_text_put(w->out, "],\n");
}

static void put_function(writer *w, const zw_equations *eq) {
    if (!eq->function)
        return;
    zw_text_printf(w->out, "  \"%s\": ", eq->function_name);
    put_expr(w, eq->function);
    zw_text_put(w->out, ",\n");
}

/* Expressions too long to be written out: what recurs is named, in a copy of the equations. */
static int name_recurring(zw_context *ctx, zw_equations *eq, zw_expr *symbol, zw_expr *value) {
    int nv = eq->nv, nc = eq->nc, n = 0;
    zw_expr *function = &eq->function;
    zw_expr **part[] = {&eq->qdot, &eq->M,   &eq->h,   &eq->C,   &eq->W,
                        &eq->b,    &eq->phi, &eq->psi, &function};
    const int size[] = {eq->nq, nv * nv, nv, nv * nc, nc * nv, nc, eq->npos, eq->nvel, 1};
    double longest = 0;
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < size[k]; i++, n++)
            longest = fmax(longest, zw_print_length(ctx, (*part[k])[i]));
    zw_expr *all = longest > (double)HUGE_EXPRESSION ? ZW_SCRATCH_NEW(ctx, zw_expr, n) : NULL;
    if (!all)
        return 0;
    n = 0;
    for (int k = 0; k < 9; k++) {
        memcpy(all + n, *part[k], (size_t)size[k] * sizeof *all);
        *part[k] = all + n;
        n += size[k];
    }
    int count = zw_name_common(ctx, n, all, 0, NULL, NAME_FROM, NAMES_MAX, symbol, value);
    eq->function = *function;
    return count;
}

static void put_definitions(writer *w, int n, const zw_expr *symbol, const zw_expr *value) {
    zw_text_put(w->out, "  \"definitions\": [");
    for (int i = 0; i < n; i++) {
        zw_text_printf(w->out, "%s[\"%s\", ", i ? ", " : "", zw_expr_name(w->ctx, symbol[i]));
        put_expr(w, value[i]);
        zw_text_put(w->out, "]");
    }
    zw_text_put(w->out, "],\n");
}

void zw_write_json(zw_text *out, const zw_equations *original) {
    const zw_system *s = original->sys;
    writer w = {s->ctx, out};
    zw_equations copy = *original, *eq = &copy;
    zw_expr *symbol = ZW_SCRATCH_NEW(s->ctx, zw_expr, NAMES_MAX),
            *value = ZW_SCRATCH_NEW(s->ctx, zw_expr, NAMES_MAX);
    if (!symbol || !value)
        return;
    int names = name_recurring(s->ctx, eq, symbol, value);
    zw_text_put(out, "{\n  \"model\": ");
    zw_text_json(out, s->name);
    zw_text_put(out, ",\n  \"variant\": ");
    zw_text_json(out, s->variant);
    zw_text_put(out, ",\n  \"principle\": ");
    zw_text_json(out, eq->principle);
    zw_text_put(out, ",\n");
    put_names(&w, "q", eq->nq, eq->q);
    put_states(&w, s);
    put_names(&w, "v", eq->nv, eq->v);
    put_names(&w, "lambda", eq->nc, eq->lambda);
    if (eq->nu)
        put_names(&w, "u", eq->nu, eq->u);
    put_function(&w, eq);
    if (eq->steps)
        zw_steps_json(eq, out);
    if (eq->elimination)
        zw_elimination_json(eq, out);
    put_matrix(&w, "qdot", eq->nq, 0, eq->qdot);
    put_matrix(&w, "M", eq->nv, eq->nv, eq->M);
    put_matrix(&w, "h", eq->nv, 0, eq->h);
    put_matrix(&w, "C", eq->nc ? eq->nv : 0, eq->nc, eq->C);
    put_matrix(&w, "W", eq->nc, eq->nv, eq->W);
    put_matrix(&w, "b", eq->nc, 0, eq->b);
    put_rows(&w, eq);
    put_definitions(&w, names, symbol, value);
    put_matrix(&w, "phi", eq->npos, 0, eq->phi);
    put_matrix(&w, "psi", eq->nvel, 0, eq->psi);
    zw_text_printf(out, "  \"operations\": %ld\n}\n", zw_equations_count(original));
}
