/* SPDX-License-Identifier: MIT */
/* The slow-fast form, the manifold order by order and the flow on it, as text and LaTeX. */
#include <stdio.h>
#include <string.h>

#include "expr/calculus/ratio.h"
#include "expr/core/role.h"
#include "expr/print/textbook.h"
#include "manifold.h"
#include "mech/write/paper.h"

enum {
    FACTORED_MOST = 5000, /* characters of a formula that is factored */
    PRINTED_MOST = 20000  /* characters of a printed formula */
};

typedef struct manifold_writer {
    const zw_manifold *m;
    const zw_manifold_result *r;
    zw_context *ctx;
    zw_paper paper;
    const char *letter; /* of the parts of the manifold */
} manifold_writer;

/* The shortest of the usual forms. */
static zw_expr readable_form(const manifold_writer *w, zw_expr e) {
    if (!e || zw_print_length(w->ctx, e) > FACTORED_MOST)
        return e;
    zw_expr product = zw_factored(w->ctx, e), apart = zw_factored_apart(w->ctx, e), best = e;
    zw_expr form[] = {product, apart, zw_textbook(w->ctx, e, false, false),
                      product ? zw_textbook(w->ctx, product, false, false) : ZW_NULL,
                      apart ? zw_textbook(w->ctx, apart, false, false) : ZW_NULL};
    for (int i = 0; i < 5; i++)
        if (form[i] && zw_print_length(w->ctx, form[i]) < zw_print_length(w->ctx, best))
            best = form[i];
    return best;
}

/* "h_1", with several fast variables "h_1_2". */
static zw_expr part_name(const manifold_writer *w, int k, int j) {
    char name[80];
    if (w->r->ny == 1)
        snprintf(name, sizeof name, "%s_%d", w->letter, k);
    else
        snprintf(name, sizeof name, "%s_%d_%d", w->letter, k, j + 1);
    return zw_symbol(w->ctx, name);
}

static void put_equation(manifold_writer *w, zw_expr left, zw_expr right, const char *label) {
    if (zw_print_length(w->ctx, right) > PRINTED_MOST)
        zw_paper_say(
            &w->paper,
            "%e has %ld operations: too long to be read. The model of the reduced flow has it.",
            left, zw_count(w->ctx, 1, &right));
    else
        zw_paper_equation(&w->paper, left, 0, readable_form(w, right), label);
}

static zw_expr rate_name(const manifold_writer *w, const char *name) {
    char rate[200];
    snprintf(rate, sizeof rate, "%.190s'", name);
    return zw_symbol(w->ctx, rate);
}

static void write_form(manifold_writer *w) {
    const zw_manifold_result *r = w->r;
    zw_paper *p = &w->paper;
    zw_expr *x = ZW_NEW(&p->arena, zw_expr, r->nx), *y = ZW_NEW(&p->arena, zw_expr, r->ny);
    char number[40];
    if (!x || !y)
        return;
    for (int i = 0; i < r->nx; i++)
        x[i] = r->x[i].sym;
    for (int j = 0; j < r->ny; j++)
        y[j] = r->y[j].sym;
    snprintf(number, sizeof number, "%.6g", r->eps);
    zw_paper_heading(p, "Slow and fast");
    zw_paper_say(p, "Fast: %v. Slow: %v. Small: %e = %s.", r->ny, y, r->nx, x, r->small, number);
    for (int i = 0; i < r->nx; i++)
        put_equation(w, rate_name(w, r->x[i].name), r->x[i].rate, NULL);
    for (int j = 0; j < r->ny; j++)
        put_equation(w, zw_mul(w->ctx, r->small, rate_name(w, r->y[j].name)), r->g[j], NULL);
}

static void write_critical(manifold_writer *w) {
    const zw_manifold_result *r = w->r;
    zw_paper *p = &w->paper;
    const zw_expr zero = ZW_ZERO;
    zw_paper_heading(p, "Critical manifold: without the small parameter, what is fast is at rest");
    for (int j = 0; j < r->ny; j++)
        if (r->closed) {
            put_equation(w, part_name(w, 0, j), r->h[j], r->y[j].name);
        } else {
            zw_expr from = r->y[j].sym;
            zw_expr e = zw_subst(w->ctx, w->m->g[j], 1, &r->small, &zero);
            for (int l = 0; l < r->ny; l++) {
                from = r->y[l].sym;
                e = zw_subst(w->ctx, e, 1, &from, &r->y_0[l]);
            }
            zw_paper_equation(p, ZW_ZERO, 0, readable_form(w, e), r->y[j].name);
        }
    if (!r->closed)
        zw_paper_say(p,
                     "It is not linear in what is fast: %v stands for its points, as numbers by "
                     "Newton's method.",
                     r->ny, r->y_0);
    zw_paper_heading(p, "Rates off the manifold, times the small parameter");
    for (int j = 0; j < r->ny; j++)
        for (int l = 0; l < r->ny; l++) {
            char name[80];
            snprintf(name, sizeof name, r->ny == 1 ? "g_y" : "g_y_%d_%d", j + 1, l + 1);
            put_equation(w, zw_symbol(w->ctx, name), r->g_y[j * r->ny + l], NULL);
        }
}

static void write_orders(manifold_writer *w) {
    const zw_manifold_result *r = w->r;
    zw_paper *p = &w->paper;
    if (r->norder < 1)
        return;
    zw_paper_heading(p, "Slow manifold");
    for (int j = 0; j < r->ny; j++) {
        zw_expr sum = r->closed ? part_name(w, 0, j) : r->y_0[j];
        for (int k = 1; k <= r->norder; k++)
            sum = zw_add(w->ctx, sum,
                         zw_mul(w->ctx, zw_pow(w->ctx, r->small, zw_integer(w->ctx, k)),
                                part_name(w, k, j)));
        zw_paper_equation(p, r->y[j].sym, 0, sum, NULL);
    }
    for (int k = 1; k <= r->norder; k++)
        for (int j = 0; j < r->ny; j++)
            put_equation(w, part_name(w, k, j), r->h[k * r->ny + j], NULL);
}

static void write_held(manifold_writer *w) {
    const zw_manifold_held *e = zw_manifold_get_held(w->m);
    char name[80];
    if (!e)
        return;
    zw_paper_heading(&w->paper, "Held: conserved by the slow flow without the small parameter");
    put_equation(w, e->symbol, e->quantity, e->formula);
    put_equation(w, w->r->x[e->instead].sym, e->value, NULL);
    zw_expr sum = ZW_ZERO;
    for (int k = 1; k <= w->r->norder; k++) {
        snprintf(name, sizeof name, "R_%d", k);
        sum = zw_add(w->ctx, sum,
                     zw_mul(w->ctx, zw_pow(w->ctx, w->r->small, zw_integer(w->ctx, k)),
                            zw_symbol(w->ctx, name)));
    }
    if (sum == ZW_ZERO)
        return;
    zw_paper_say(&w->paper, "With it, %e moves:", e->symbol);
    zw_paper_equation(&w->paper, rate_name(w, e->name), 0, sum, NULL);
    for (int k = 1; k <= w->r->norder; k++) {
        snprintf(name, sizeof name, "R_%d", k);
        put_equation(w, zw_symbol(w->ctx, name), e->rate[k], NULL);
    }
}

char *zw_manifold_write(const zw_manifold *m, zw_manifold_format format) {
    manifold_writer w = {.m = m, .r = &m->result, .ctx = m->ctx, .letter = "h"};
    const zw_manifold_result *r = w.r;
    static const char *const letters[] = {"h", "H", "eta", "manifold"};
    char name[40];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s_1", w.letter = letters[i]);
        if (!zw_explicit_taken(m->sys, name))
            break;
    }
    for (int i = 0; i < r->nx; i++)
        zw_role_mark(w.ctx, 1, &r->x[i].sym, ZW_ROLE_COORDINATE);
    for (int j = 0; j < r->ny; j++)
        zw_role_mark(w.ctx, 1, &r->y[j].sym, ZW_ROLE_RATE);
    zw_paper_begin(&w.paper, w.ctx, format == ZW_MANIFOLD_LATEX ? ZW_PAPER_LATEX : ZW_PAPER_TEXT,
                   ZW_SHORTENED);
    zw_paper_title(&w.paper, "%s: slow and fast", m->sys->name);
    write_form(&w);
    write_critical(&w);
    write_orders(&w);
    write_held(&w);
    char *text = zw_paper_end(&w.paper);
    zw_role_clear(w.ctx);
    return text;
}
