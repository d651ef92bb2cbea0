/* SPDX-License-Identifier: MIT */
/* Equations as JSON: the names of the unknowns and the matrices of zwang/equations.h; every entry
 * is an expression of the model language. Definitions occur only where an entry would be huge
 * without them: [name, value] in the order in which they use each other. */
#include <math.h>
#include <string.h>

#include "mech/system/build.h"
#include "write.h"

enum {
    /* characters; recurring parts of longer expressions are defined separately */
    HUGE_EXPRESSION = 1000000,
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

/* which of q are states; omitted if none is */
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

/* All expressions that are written: arrays of a copy of the equations. */
typedef struct parts {
    int n;
    struct {
        zw_expr **array;
        int size;
    } of[24];
} parts;

static void add_part(parts *p, zw_expr **array, int size) {
    if (*array) {
        p->of[p->n].array = array;
        p->of[p->n++].size = size;
    }
}

/* Names recurring parts of long expressions, in copies of the arrays. */
static int name_recurring(zw_context *ctx, parts *p, zw_expr *symbol, zw_expr *value) {
    double longest = 0;
    int n = 0;
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < p->of[k].size; i++, n++)
            longest = fmax(longest, zw_print_length(ctx, (*p->of[k].array)[i]));
    zw_expr *all = longest > (double)HUGE_EXPRESSION ? ZW_SCRATCH_NEW(ctx, zw_expr, n) : NULL;
    if (!all)
        return 0;
    n = 0;
    for (int k = 0; k < p->n; k++) {
        memcpy(all + n, *p->of[k].array, (size_t)p->of[k].size * sizeof *all);
        *p->of[k].array = all + n;
        n += p->of[k].size;
    }
    return zw_name_common(ctx, n, all, 0, NULL, NAME_FROM, NAMES_MAX, symbol, value);
}

/* the steps of a copy, and both sides of their equations as arrays */
static zw_steps *copy_steps(zw_context *ctx, const zw_steps *old, zw_expr **left, zw_expr **right) {
    zw_steps *copy = ZW_SCRATCH_NEW(ctx, zw_steps, 1);
    zw_step_item *item = ZW_SCRATCH_NEW(ctx, zw_step_item, old->n);
    *left = ZW_SCRATCH_NEW(ctx, zw_expr, old->n);
    *right = ZW_SCRATCH_NEW(ctx, zw_expr, old->n);
    if (!copy || !item || !*left || !*right)
        return NULL;
    *copy = (zw_steps){.n = old->n, .item = item};
    for (int i = 0; i < old->n; i++) {
        item[i] = old->item[i];
        (*left)[i] = item[i].words ? ZW_ZERO : item[i].left;
        (*right)[i] = item[i].words ? ZW_ZERO : item[i].right;
    }
    return copy;
}

static void add_elimination(parts *p, zw_elimination *o) {
    add_part(p, &o->velocity, o->ndependent);
    add_part(p, &o->acceleration, o->ndependent);
    add_part(p, &o->A, o->nunknown * o->nunknown);
    add_part(p, &o->r, o->nunknown);
    add_part(p, &o->numerator, o->nunknown);
    add_part(p, &o->denominator, o->nunknown);
    add_part(p, &o->multiplier, o->nmultiplier);
}

static void add_equations(parts *p, zw_equations *eq) {
    add_part(p, &eq->qdot, eq->nq);
    add_part(p, &eq->M, eq->nv * eq->nv);
    add_part(p, &eq->h, eq->nv);
    add_part(p, &eq->C, eq->nv * eq->nc);
    add_part(p, &eq->W, eq->nc * eq->nv);
    add_part(p, &eq->b, eq->nc);
    add_part(p, &eq->phi, eq->npos);
    add_part(p, &eq->psi, eq->nvel);
}

/* eq is a copy already; arrays behind its pointers are copied here. Returns the number of
 * definitions */
static int extract_definitions(zw_context *ctx, zw_equations *eq, zw_expr *symbol, zw_expr *value) {
    zw_expr *function = ZW_SCRATCH_NEW(ctx, zw_expr, 1), *left = NULL, *right = NULL;
    zw_elimination *o = ZW_SCRATCH_NEW(ctx, zw_elimination, 1);
    parts p = {0};
    if (!function || !o)
        return 0;
    *function = eq->function;
    add_equations(&p, eq);
    add_part(&p, &function, eq->function ? 1 : 0);
    if (eq->steps && (eq->steps = copy_steps(ctx, eq->steps, &left, &right))) {
        add_part(&p, &left, eq->steps->n);
        add_part(&p, &right, eq->steps->n);
    }
    if (eq->elimination) {
        *o = *eq->elimination;
        eq->elimination = o;
        add_elimination(&p, o);
    }
    int count = name_recurring(ctx, &p, symbol, value);
    eq->function = *function;
    for (int i = 0; eq->steps && i < eq->steps->n; i++) {
        eq->steps->item[i].left = left[i];
        eq->steps->item[i].right = right[i];
    }
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
    int names = extract_definitions(s->ctx, eq, symbol, value);
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
    if (s->ncontact) {
        zw_text_put(out, "  ");
        zw_contacts_json(s, out);
        zw_text_put(out, ",\n");
    }
    zw_text_printf(out, "  \"operations\": %ld\n}\n", zw_equations_count(original));
}
