/* SPDX-License-Identifier: MIT */
/* Equations in print. Each equation of motion has what multiplies the accelerations on the left, in
 * the order of the velocities, and forces and multipliers on the right:
 *     M_k1 v_1' + M_k2 v_2' + ... = h_k + C_k1 lambda_1 + ... */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "build.h"

typedef struct writer {
    const zw_equations *eq;
    zw_context *ctx;
    zw_text out;
    zw_format format;
} writer;

static void put_expr(writer *w, zw_expr e) {
    char *s = zw_print(w->ctx, e, w->format);
    if (s)
        zw_text_put(&w->out, s);
    w->out.failed |= s == NULL;
    zw_string_free(w->ctx, s);
}

static zw_expr row_times(writer *w, int n, const zw_expr *row, const zw_expr *symbols) {
    return zw_dot(w->ctx, n, row, symbols);
}

/* left = right as one line; in LaTeX with an alignment mark */
static void put_equation(writer *w, zw_expr left, zw_expr right, const char *label) {
    bool latex = w->format == ZW_LATEX;
    zw_text_put(&w->out, latex ? "  " : "    ");
    put_expr(w, left);
    zw_text_put(&w->out, latex ? " &= " : " = ");
    put_expr(w, right);
    if (latex)
        zw_text_put(&w->out, " \\\\\n");
    else if (label)
        zw_text_printf(&w->out, "        [%s]\n", label);
    else
        zw_text_put(&w->out, "\n");
}

static void heading(writer *w, const char *text) {
    if (w->format == ZW_LATEX)
        zw_text_printf(&w->out, "\\paragraph{%s}\n\\begin{align*}\n", text);
    else
        zw_text_printf(&w->out, "\n%s\n", text);
}

static void ending(writer *w) {
    if (w->format == ZW_LATEX)
        zw_text_put(&w->out, "\\end{align*}\n");
}

/* q' that is not simply a velocity of the same name */
static void put_kinematics(writer *w) {
    const zw_equations *eq = w->eq;
    int shown = 0;
    for (int i = 0; i < eq->nq; i++) {
        char *name = NULL;
        bool plain = false;
        for (int k = 0; k < eq->nv; k++)
            plain |= eq->sys->velocity[k].coord == i && eq->qdot[i] == eq->v[k];
        if (plain)
            continue;
        if (!shown++)
            heading(w, "Kinematics");
        size_t n = strlen(eq->sys->coord[i].name);
        name = zw_context_alloc(w->ctx, n + 2);
        if (!name) {
            w->out.failed = true;
            return;
        }
        memcpy(name, eq->sys->coord[i].name, n);
        name[n] = '\'';
        put_equation(w, zw_symbol(w->ctx, name), eq->qdot[i], NULL);
    }
    if (shown)
        ending(w);
}

/* equation k of motion: what stands on its two sides */
static void motion_sides(writer *w, int k, zw_expr *left, zw_expr *right) {
    const zw_equations *eq = w->eq;
    *left = row_times(w, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a);
    zw_expr force = row_times(w, eq->nc, eq->C + (size_t)k * (size_t)eq->nc, eq->lambda);
    *right = zw_add(w->ctx, eq->h[k], force);
}

static void put_motion(writer *w) {
    heading(w, "Equations of motion");
    for (int k = 0; k < w->eq->nv; k++) {
        zw_expr left, right;
        motion_sides(w, k, &left, &right);
        put_equation(w, left, right, NULL);
    }
    ending(w);
}

static void put_constraints(writer *w) {
    const zw_equations *eq = w->eq;
    static const char *const level[] = {"position", "velocity", "acceleration"};
    if (!eq->nc)
        return;
    heading(w, "Constraints");
    for (int c = 0; c < eq->nc; c++) {
        const zw_constraint *k = &eq->sys->constraint[eq->constraint[c]];
        char label[160];
        snprintf(label, sizeof label, "%s, %s level%s", k->name, level[k->level],
                 k->level == ZW_VELOCITY && !k->linear ? ", nonlinear: Chetaev's rule" : "");
        put_equation(w, k->residual, ZW_ZERO, label);
    }
    ending(w);
    heading(w, "Constraints on acceleration level");
    for (int c = 0; c < eq->nc; c++)
        put_equation(w, row_times(w, eq->nv, eq->W + (size_t)c * (size_t)eq->nv, eq->a), eq->b[c],
                     NULL);
    ending(w);
}

long zw_equations_count(const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    int nv = eq->nv, nc = eq->nc, n = nv * nv + nv + 2 * nv * nc + nc, at = 0;
    zw_expr *all = ZW_CONTEXT_NEW(ctx, zw_expr, n);
    if (!all)
        return -1;
    const zw_expr *parts[] = {eq->M, eq->h, eq->C, eq->W, eq->b};
    const int sizes[] = {nv * nv, nv, nv * nc, nc * nv, nc};
    for (int k = 0; k < 5; k++) {
        memcpy(all + at, parts[k], (size_t)sizes[k] * sizeof *all);
        at += sizes[k];
    }
    return zw_count(ctx, n, all);
}

static void put_plain(writer *w) {
    const zw_equations *eq = w->eq;
    const zw_system *s = eq->sys;
    zw_text_printf(&w->out, "%s%s%s: equations by %s\n", s->name, s->variant[0] ? ", variant " : "",
                   s->variant, eq->principle);
    zw_text_printf(&w->out, "%d coordinates, %d velocities, %d multipliers, %ld operations\n",
                   eq->nq, eq->nv, eq->nc, zw_equations_count(eq));
    put_kinematics(w);
    put_motion(w);
    put_constraints(w);
}

static void put_latex(writer *w) {
    const zw_system *s = w->eq->sys;
    zw_text_put(&w->out, "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n"
                         "\\begin{document}\n\\section*{\\texttt{");
    for (const char *c = s->name; *c; c++) {
        zw_text_put(&w->out, *c == '_' ? "\\" : "");
        zw_text_put_n(&w->out, c, 1);
    }
    zw_text_printf(&w->out, "}: equations by %s}\n", w->eq->principle);
    put_kinematics(w);
    put_motion(w);
    put_constraints(w);
    zw_text_put(&w->out, "\\end{document}\n");
}

/* ---------------------------------------------------------------------------------------- JSON */

static void json_names(writer *w, const char *key, int n, const zw_expr *symbols) {
    zw_text_printf(&w->out, "  \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(&w->out, i ? ", " : "");
        zw_text_json(&w->out, zw_expr_name(w->ctx, symbols[i]));
    }
    zw_text_put(&w->out, "],\n");
}

static void json_expr(writer *w, zw_expr e) {
    char *s = zw_print(w->ctx, e, ZW_TEXT);
    if (s)
        zw_text_json(&w->out, s);
    w->out.failed |= s == NULL;
    zw_string_free(w->ctx, s);
}

/* a matrix as rows, a vector as a list (columns 0) */
static void json_matrix(writer *w, const char *key, int rows, int columns, const zw_expr *e) {
    zw_text_printf(&w->out, "  \"%s\": [", key);
    for (int i = 0; i < rows; i++) {
        zw_text_put(&w->out, i ? ", " : "");
        if (columns == 0) {
            json_expr(w, e[i]);
            continue;
        }
        zw_text_put(&w->out, "[");
        for (int j = 0; j < columns; j++) {
            zw_text_put(&w->out, j ? ", " : "");
            json_expr(w, e[i * columns + j]);
        }
        zw_text_put(&w->out, "]");
    }
    zw_text_put(&w->out, "],\n");
}

static void put_json(writer *w) {
    const zw_equations *eq = w->eq;
    const zw_system *s = eq->sys;
    zw_text_put(&w->out, "{\n  \"model\": ");
    zw_text_json(&w->out, s->name);
    zw_text_put(&w->out, ",\n  \"variant\": ");
    zw_text_json(&w->out, s->variant);
    zw_text_put(&w->out, ",\n  \"principle\": ");
    zw_text_json(&w->out, eq->principle);
    zw_text_put(&w->out, ",\n");
    json_names(w, "q", eq->nq, eq->q);
    json_names(w, "v", eq->nv, eq->v);
    json_names(w, "lambda", eq->nc, eq->lambda);
    json_matrix(w, "qdot", eq->nq, 0, eq->qdot);
    json_matrix(w, "M", eq->nv, eq->nv, eq->M);
    json_matrix(w, "h", eq->nv, 0, eq->h);
    json_matrix(w, "C", eq->nc ? eq->nv : 0, eq->nc, eq->C);
    json_matrix(w, "W", eq->nc, eq->nv, eq->W);
    json_matrix(w, "b", eq->nc, 0, eq->b);
    json_matrix(w, "phi", eq->npos, 0, eq->phi);
    json_matrix(w, "psi", eq->nvel, 0, eq->psi);
    zw_text_printf(&w->out, "  \"operations\": %ld\n}\n", zw_equations_count(eq));
}

char *zw_equations_write(const zw_equations *eq, zw_equation_format format) {
    writer w = {
        .eq = eq, .ctx = eq->sys->ctx, .format = format == ZW_EQUATIONS_LATEX ? ZW_LATEX : ZW_TEXT};
    zw_allocator alloc = zw_context_allocator(w.ctx);
    zw_text_init(&w.out, &alloc);
    if (format == ZW_EQUATIONS_JSON)
        put_json(&w);
    else if (format == ZW_EQUATIONS_LATEX)
        put_latex(&w);
    else
        put_plain(&w);
    w.out.failed |= zw_context_status(w.ctx, NULL) < 0;
    return zw_text_take(&w.out);
}
