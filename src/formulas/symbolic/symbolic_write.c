/* SPDX-License-Identifier: MIT */
/* Linear equations in closed form, as text, as LaTeX and as a report without sentences. A matrix shows its short entries; a
 * long one is a name there and is printed below. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/calculus/ratio.h"
#include "expr/core/role.h"
#include "expr/print/textbook.h"
#include "mech/write/paper.h"
#include "symbolic.h"

#define PRINTED_ERROR 1e-9 /* below it the error is printed as such */

enum {
    SHORT_ENTRY = 30,    /* characters of an entry that is shown in its matrix */
    SUM_ENTRY = 60,      /* characters of an entry if the whole matrix still fits */
    MATRIX_WIDTH = 110,  /* characters of a line of a matrix */
    FACTORED_MOST = 4000 /* characters of a formula that is factored */
};

typedef struct formula_writer {
    const zw_symbolic *s;
    const zw_symbolic_result *r;
    zw_context *ctx;
    zw_paper paper;
} formula_writer;

/* The shortest of the usual forms; a quotient of products if that is not much longer. */
static zw_expr readable_form(const formula_writer *w, zw_expr e) {
    zw_context *ctx = w->ctx;
    if (!e || zw_print_length(ctx, e) > FACTORED_MOST)
        return e;
    zw_expr product = zw_factored(ctx, e), form[] = {e, zw_textbook(ctx, product, false, false),
                                                     zw_textbook(ctx, e, false, false)};
    zw_expr best = e;
    for (int i = 0; i < 3; i++)
        if (form[i] && zw_print_length(ctx, form[i]) < zw_print_length(ctx, best))
            best = form[i];
    bool plain = product && zw_print_length(ctx, product) <= 1.25 * zw_print_length(ctx, best);
    return plain ? product : best;
}

static zw_expr symbol_of_name(const formula_writer *w, const char *name) {
    return zw_symbol(w->ctx, name);
}

/* The variable of polynomials: a letter that the model does not use. */
static const char *letter_of(const zw_symbolic *s) {
    static const char *const letters[] = {"s", "sigma", "z", "eigenvalue"};
    for (int k = 0; k < 3; k++)
        if (!zw_symbolic_taken(s, letters[k]))
            return letters[k];
    return letters[3];
}

/* --------------------------------------------------------------------------------------- motion */

static bool is_pinned(const formula_writer *w, int i) {
    for (int k = 0; k < w->r->norbit; k++)
        if (w->r->pinned[k] == i)
            return true;
    return false;
}

static void write_motion(formula_writer *w) {
    const zw_symbolic *s = w->s;
    zw_paper *p = &w->paper;
    int n = 0;
    zw_expr pinned[ZW_STATES_MOST];
    zw_paper_heading(p, "The motion");
    for (int i = 0; i < w->r->nx; i++)
        if (!is_pinned(w, i))
            zw_paper_equation(p, s->entry[i], 0, readable_form(w, w->r->x[i]), NULL);
        else
            pinned[n++] = s->entry[i];
    for (int k = 0; k < w->r->nlambda; k++)
        zw_paper_equation(p, s->eq.lambda[k], 0, readable_form(w, w->r->lambda[k]), NULL);
    if (n)
        zw_paper_say(p, "By symmetry, it exists for all values of %v.", n, pinned);
    zw_paper_say(p, w->r->proved ? "The equations of motion are satisfied identically (proved)."
                                 : "The equations of motion are satisfied at random parameter "
                                   "values; this is not a proof.");
    if (w->s->unfolded)
        zw_paper_say(p, "Parameters defined by %s are replaced by their definitions.",
                     w->s->options.parameter);
    if (w->r->defined)
        zw_paper_say(p, "It is an equilibrium because parameters depend on each other; they are "
                        "replaced by their definitions.");
}

/* ------------------------------------------------------------------------------------- matrices */

/* Left side and entries; those that are too long for a matrix below it. */
static void write_matrix(formula_writer *w, const char *letter, int rows, int columns,
                         const zw_expr *entries) {
    zw_paper *p = &w->paper;
    int n = rows * columns;
    zw_expr *shown = ZW_NEW(&p->arena, zw_expr, n + 1), *full = ZW_NEW(&p->arena, zw_expr, n + 1);
    double width = 0, limit = SHORT_ENTRY;
    if (!shown || !full)
        return;
    for (int i = 0; i < n; i++)
        full[i] = readable_form(w, entries[i]);
    /* Longer entries too, if the whole still fits. */
    for (int j = 0; j < columns; j++) {
        double most = 0;
        for (int i = 0; i < rows; i++)
            most = fmax(most, zw_print_length(w->ctx, full[i * columns + j]));
        width += most + 3;
    }
    if (width <= MATRIX_WIDTH)
        limit = SUM_ENTRY;
    for (int i = 0; i < n; i++) {
        bool is_long = zw_print_length(w->ctx, full[i]) > limit;
        shown[i] = is_long ? zw_symbolic_entry_name(w->s, letter, columns > rows ? columns : rows,
                                                    i / columns + 1, i % columns + 1)
                           : full[i];
    }
    zw_paper_matrix(p, symbol_of_name(w, letter), rows, columns, shown);
    for (int i = 0; i < n; i++)
        if (shown[i] != full[i])
            zw_paper_equation(p, shown[i], 0, full[i], NULL);
}

/* Letters of this text that the model uses for something else. */
static void write_letters(formula_writer *w) {
    static const char *const letter[] = {"A", "y", "M", "D", "G", "K", "N", "s", "a", "h"};
    zw_expr taken[sizeof letter / sizeof *letter];
    int n = 0, last = sizeof letter / sizeof *letter - (w->r->order ? 0 : 2);
    for (int i = 0; i < last; i++)
        if (zw_symbolic_taken(w->s, letter[i]))
            taken[n++] = symbol_of_name(w, letter[i]);
    if (n)
        zw_paper_say(&w->paper,
                     "The model uses %v as %s, too. In formulas %s the model's; in headings and "
                     "before an equals sign %s.",
                     n, taken, n > 1 ? "names" : "a name", n > 1 ? "they are" : "it is",
                     n > 1 ? "they are the matrices and vectors" : "it is the matrix or vector");
}

static void write_state_form(formula_writer *w) {
    zw_expr small[ZW_STATES_MOST];
    for (int i = 0; i < w->r->n; i++)
        small[i] = w->s->small[w->r->kept[i]];
    zw_paper_heading(&w->paper, "Small disturbances, {y' = A y|\\dot{y} = A y}");
    zw_paper_say(&w->paper, "{y|y} = (%v)", w->r->n, small);
    write_matrix(w, "A", w->r->n, w->r->n, w->r->A);
    if (w->r->determinant)
        zw_paper_equation(&w->paper, symbol_of_name(w, "det(A)"), 0,
                          readable_form(w, w->r->determinant), NULL);
}

static bool is_zero_matrix(int n, const zw_expr *a) {
    for (int i = 0; i < n * n; i++)
        if (a[i] != ZW_ZERO)
            return false;
    return true;
}

/* The velocities that are no rates of s: how they were eliminated. */
static void write_others(formula_writer *w) {
    const zw_symbolic_result *r = w->r;
    zw_expr other[ZW_STATES_MOST];
    int n = 0;
    for (int j = 0; j < r->n; j++) {
        int k = r->kept[j] - w->s->eq.nq;
        bool rate = k < 0;
        for (int i = 0; i < r->ns && !rate; i++)
            rate = w->s->sys->velocity[k].coord == r->shape[i];
        if (!rate)
            other[n++] = w->s->small[r->kept[j]];
    }
    if (n)
        zw_paper_say(&w->paper,
                     r->routh ? "Determined by s up to constants, which are 0 here: %v"
                              : "Left out, since they do not affect s: %v",
                     n, other);
}

static void write_second(formula_writer *w) {
    const zw_symbolic_result *r = w->r;
    zw_expr small[ZW_STATES_MOST];
    const zw_expr *matrix[] = {r->M, r->D, r->G, r->K, r->N};
    const char *letter[] = {"M", "D", "G", "K", "N"};
    zw_paper_heading(&w->paper, "Second order, {M s'' + (D + G) s' + (K + N) s = 0|M\\ddot{s} + (D "
                                "+ G)\\dot{s} + (K + N)s = 0}");
    if (r->second != ZW_FORMULA_THERE) {
        zw_paper_say(&w->paper, "There is no such form: %s.",
                     r->second == ZW_FORMULA_LONG ? "its formulas would be too long to be read"
                                                  : r->why_not);
        return;
    }
    for (int i = 0; i < r->ns; i++)
        small[i] = w->s->small[r->shape[i]];
    zw_paper_say(&w->paper, "{s|s} = (%v); M, D, K are symmetric, G and N are skew%s.", r->ns,
                 small,
                 is_zero_matrix(r->ns, r->D) || is_zero_matrix(r->ns, r->G) ||
                         is_zero_matrix(r->ns, r->K) || is_zero_matrix(r->ns, r->N)
                     ? "; matrices not shown are 0"
                     : "");
    write_others(w);
    for (int k = 0; k < 5; k++)
        if (k == 0 || !is_zero_matrix(r->ns, matrix[k]))
            write_matrix(w, letter[k], r->ns, r->ns, matrix[k]);
}

/* ------------------------------------------------------------------------------------ stability */

static void write_members(formula_writer *w, const zw_symbolic_block *b) {
    zw_expr small[ZW_STATES_MOST];
    for (int i = 0; i < b->n; i++)
        small[i] = w->s->small[w->r->kept[b->member[i]]];
    if (b->n < w->r->n)
        zw_paper_say(&w->paper, "Of %v:", b->n, small);
}

static zw_expr coefficient_name(const formula_writer *w, int k) {
    char plain[16], words[32];
    snprintf(plain, sizeof plain, "a_%d", k);
    snprintf(words, sizeof words, "coefficient_%d", k);
    return zw_symbolic_free_name(w->s, plain, words, words);
}

static void write_polynomial(formula_writer *w, const zw_symbolic_block *b) {
    zw_paper *p = &w->paper;
    zw_expr variable = symbol_of_name(w, letter_of(w->s)), sum = ZW_ZERO;
    double length = 0;
    write_members(w, b);
    if (b->polynomial != ZW_FORMULA_THERE) {
        zw_paper_say(
            p, "The characteristic polynomial, of degree %d, would be too long to be read.", b->n);
        return;
    }
    for (int k = 0; k <= b->n; k++)
        length = fmax(length, zw_print_length(w->ctx, readable_form(w, b->a[k])));
    for (int k = b->n; k >= 0; k--) {
        zw_expr a = b->a[k] == ZW_ZERO || length <= SUM_ENTRY ? readable_form(w, b->a[k])
                                                              : coefficient_name(w, k);
        sum =
            zw_add(w->ctx, sum, zw_mul(w->ctx, a, zw_pow(w->ctx, variable, zw_integer(w->ctx, k))));
    }
    zw_paper_equation(p, zw_symbolic_free_name(w->s, "p", "P", "polynomial"), 0, sum, NULL);
    for (int k = b->n; k >= 0 && length > SUM_ENTRY; k--)
        if (b->a[k] != ZW_ZERO)
            zw_paper_equation(p, coefficient_name(w, k), 0, readable_form(w, b->a[k]), NULL);
}

static void write_divided(formula_writer *w, const zw_symbolic_block *b) {
    zw_paper *p = &w->paper;
    if (b->nzero)
        zw_paper_say(p,
                     "%s zero: there is a family of equilibria, or a disturbance that grows with a "
                     "power of time.",
                     b->nzero == 1   ? "One eigenvalue is"
                     : b->nzero == 2 ? "Two eigenvalues are"
                                     : "Some eigenvalues are");
    for (int k = 0; k < b->nfactor; k++)
        zw_paper_say(
            p, "The factor %e is the motion of a frame that turns, and no part of the conditions.",
            zw_add(w->ctx, zw_pow(w->ctx, symbol_of_name(w, letter_of(w->s)), ZW_TWO),
                   zw_pow(w->ctx, b->factor[k], ZW_TWO)));
}

/* A condition in the usual form: the positive side first. */
static void write_condition(formula_writer *w, const zw_condition *c) {
    zw_paper *p = &w->paper;
    if (c->value == ZW_MINUS_ONE || c->value == ZW_ZERO) {
        zw_paper_say(p, "%s is %s for all positive parameters: the condition is not met.", c->name,
                     c->value == ZW_ZERO ? "zero" : "negative");
        return;
    }
    zw_paper_equation(p, readable_form(w, c->value), 2, ZW_ZERO, c->name);
}

static void write_conditions(formula_writer *w, const zw_symbolic_block *b) {
    zw_paper *p = &w->paper;
    if (b->polynomial != ZW_FORMULA_THERE || b->degree == 0)
        return;
    if (b->conditions == ZW_FORMULA_LONG)
        zw_paper_say(p,
                     "Only the short Routh-Hurwitz conditions are shown; the others, of degree %d, "
                     "would be too long. The conditions shown are necessary, not sufficient.",
                     b->degree);
    if (b->ncondition == 0 && b->conditions == ZW_FORMULA_THERE)
        zw_paper_say(p, b->even ? "For positive parameters the motion is neutrally stable: "
                                  "disturbances neither grow nor decay."
                                : "For positive parameters the motion is asymptotically stable.");
    else if (b->ncondition)
        zw_paper_say(p, b->even ? "Neutrally stable (disturbances neither grow nor decay) if"
                                : "Asymptotically stable if");
    for (int k = 0; k < b->ncondition; k++)
        write_condition(w, &b->condition[k]);
    if (b->resonance == ZW_RESONANCE_ALWAYS)
        zw_paper_say(p, "However, it is excited by another block that has an eigenvalue in common "
                        "with it: at resonance its oscillations may grow with time.");
    else if (b->resonance == ZW_RESONANCE_SPECIAL)
        zw_paper_say(p, "It is excited by another block: where the two have an eigenvalue in "
                        "common, its oscillations may grow with time.");
}

/* Parameters of A that are not positive in the model, though conditions assume positive ones. */
static void write_not_positive(formula_writer *w) {
    const zw_symbolic *s = w->s;
    const zw_symbolic_result *r = w->r;
    for (int i = 0; i < s->nsymbol; i++) {
        bool there = false;
        for (int k = 0; k < r->n * r->n; k++)
            there |= zw_depends(w->ctx, r->A[k], s->symbol[i]);
        for (int k = 0; k < s->motion->nfree; k++)
            there &= s->symbol[i] != s->motion->free[k];
        char value[32];
        snprintf(value, sizeof value, "%.6g", s->probe[i]);
        if (there && !(s->probe[i] > 0))
            zw_paper_say(&w->paper,
                         "%e is not positive in this model (%s): what is said of positive "
                         "parameters, and what is left out, is not said of it.",
                         s->symbol[i], value);
    }
}

static void write_roots(formula_writer *w, const zw_symbolic_block *b) {
    zw_expr parameter = symbol_of_name(w, w->s->options.parameter);
    for (int k = 0; k < b->ncondition; k++)
        for (int i = 0; i < b->condition[k].nroot; i++)
            zw_paper_equation(&w->paper, parameter, 0, b->condition[k].root[i],
                              b->condition[k].name);
}

static void write_stability(formula_writer *w) {
    const zw_symbolic_result *r = w->r;
    bool root = false, any = false;
    zw_paper_heading(&w->paper, "Characteristic polynomial");
    for (int k = 0; k < r->nblock; k++) {
        write_polynomial(w, &r->block[k]);
        if (r->block[k].polynomial == ZW_FORMULA_THERE)
            write_divided(w, &r->block[k]);
    }
    zw_paper_heading(&w->paper, "Stability (Routh, Hurwitz)");
    for (int k = 0; k < r->nblock; k++) {
        const zw_symbolic_block *b = &r->block[k];
        if (b->polynomial == ZW_FORMULA_THERE && b->degree > 0)
            write_members(w, b);
        any |= b->ncondition > 0;
        write_conditions(w, b);
        for (int i = 0; i < b->ncondition; i++)
            root |= b->condition[i].nroot > 0;
    }
    if (any)
        zw_paper_say(&w->paper,
                     "Factors that are positive where all parameters are positive are left out.");
    write_not_positive(w);
    if (!w->s->options.parameter)
        return;
    zw_paper_heading(&w->paper, "Critical values of %s", w->s->options.parameter);
    for (int k = 0; k < r->nblock; k++)
        write_roots(w, &r->block[k]);
    if (!root)
        zw_paper_say(&w->paper, "No condition that is shown can be solved for it: none is linear "
                                "or quadratic in it or in its square.");
}

/* ------------------------------------------------------------------------------------ expansion */

static void write_series(formula_writer *w) {
    const zw_symbolic_result *r = w->r;
    if (r->order == 0)
        return;
    zw_paper_heading(&w->paper, "Equations of motion up to order %d", r->order);
    zw_paper_say(&w->paper,
                 "Small quantities: %v. Without multipliers, {M a = h|M a = h} with a = (%v).",
                 r->nsmall, r->small, r->nacceleration, r->acceleration);
    if (r->nsmall < r->n)
        zw_paper_say(&w->paper, "All else stays as in the motion.");
    for (int i = 0; i < r->nseries; i++)
        zw_paper_equation(&w->paper, r->series_left[i], 0, r->series_right[i], NULL);
    for (int k = 0; k < r->nacceleration; k++) {
        bool printed = false;
        for (int i = 0; i < r->nseries; i++)
            printed |= r->series_left[i] == r->acceleration[k];
        if (!printed)
            zw_paper_say(&w->paper, "%e solved for would be too long to be read.",
                         r->acceleration[k]);
    }
}

/* --------------------------------------------------------------------------------------- cycles */

/* A value with the Hopf point substituted, or with its condition. */
static zw_expr root_of(const formula_writer *w, zw_expr square) {
    return zw_sqrt(w->ctx, readable_form(w, square));
}

static void write_type(formula_writer *w, const zw_symbolic_cycle *c) {
    zw_paper *p = &w->paper;
    zw_expr sign = c->type.value, parameter = zw_symbolic_parameter(w->s, w->s->options.cycle_type);
    if (sign == ZW_ZERO)
        zw_paper_say(p, "Terms of third order say nothing about its type: a = 0.");
    else if (sign == ZW_ONE || sign == ZW_MINUS_ONE)
        zw_paper_say(p, "For positive parameters a is %s: the Hopf point is %s.",
                     sign == ZW_ONE ? "negative" : "positive",
                     sign == ZW_ONE ? "supercritical, with stable cycles if nothing else grows"
                                    : "subcritical, with unstable cycles");
    else {
        zw_paper_say(p, "It is supercritical, with stable cycles if nothing else grows, where");
        zw_paper_equation(p, readable_form(w, sign), 2, ZW_ZERO, NULL);
        zw_paper_say(p, "and subcritical where that is negative. Factors that are positive where "
                        "all parameters are positive are left out.");
    }
    for (int i = 0; i < c->type.nroot; i++)
        zw_paper_equation(p, parameter, 0, readable_form(w, c->type.root[i]), "the type changes");
    if (parameter && c->type.nroot == 0)
        zw_paper_say(p, "This cannot be solved for %e.", parameter);
}

static void write_hopf(formula_writer *w, const zw_symbolic_cycle *c) {
    zw_paper *p = &w->paper;
    zw_expr parameter = zw_symbolic_parameter(w->s, w->s->options.parameter);
    zw_paper_heading(p, "The Hopf point");
    if (c->critical) {
        zw_expr frequency = zw_symbolic_free_name(w->s, "w", "w_cycle", "frequency");
        zw_paper_equation(p, parameter, 0, readable_form(w, c->critical), NULL);
        zw_paper_equation(p, frequency, 0, root_of(w, c->frequency), NULL);
        if (c->rise)
            zw_paper_equation(p, symbol_of_name(w, "slope of C^2"), 0, readable_form(w, c->rise),
                              "with the parameter");
    } else {
        zw_paper_say(p, "is where");
        zw_paper_equation(p, readable_form(w, c->hurwitz), 0, ZW_ZERO, NULL);
    }
    zw_paper_say(p,
                 "There {r' = sigma r + a r^3|\\dot{r} = \\sigma r + a r^3} and the frequency is "
                 "{w + b r^2|\\omega + b r^2}, r the amplitude of %e, with",
                 w->s->entry[c->entry]);
    zw_expr square = c->frequency ? c->frequency : c->square;
    zw_paper_equation(p, zw_symbolic_free_name(w->s, "a", "a_r", "a_growth"), 0,
                      readable_form(w, c->growth), NULL);
    zw_paper_equation(p, zw_symbolic_free_name(w->s, "b", "b_r", "b_frequency"), 0,
                      zw_mul(w->ctx, root_of(w, square), readable_form(w, c->bend)), NULL);
    write_type(w, c);
}

static void write_cycle(formula_writer *w) {
    const zw_symbolic_cycle *c = w->r->cycle;
    zw_paper *p = &w->paper;
    zw_expr C = zw_symbolic_free_name(w->s, "C", "C_cycle", "amplitude"),
            frequency = zw_symbolic_free_name(w->s, "w", "w_cycle", "frequency");
    zw_paper_heading(p, "Cycles");
    zw_paper_say(p,
                 "Up to the square of the amplitude %e of %e, with the frequency %e and the linear "
                 "terms as they are%s",
                 C, w->s->entry[c->entry], frequency,
                 c->driven ? ", with the means and second harmonics that quadratic terms excite:"
                           : "; quadratic terms excite no other terms:");
    if (c->amplitude)
        zw_paper_equation(p, zw_pow(w->ctx, C, ZW_TWO), 0, readable_form(w, c->amplitude), NULL);
    else
        zw_paper_say(p, "The amplitude is not determined by terms of third order.");
    zw_paper_equation(p, zw_pow(w->ctx, frequency, ZW_TWO), 0,
                      zw_add(w->ctx, readable_form(w, c->square),
                             zw_mul(w->ctx, readable_form(w, c->shift), zw_pow(w->ctx, C, ZW_TWO))),
                      NULL);
    zw_paper_say(p, "There are cycles where both are positive.");
    write_hopf(w, c);
    zw_paper_heading(p, "Check");
    zw_paper_say(p, "Compared with the harmonics of the equations of motion in numbers, and these "
                    "with the flow.");
}

static void write_all(formula_writer *w) {
    zw_paper_title(&w->paper, "%s: %s about %s", w->s->sys->name,
                   w->r->cycle ? "cycles" : "linear equations", w->r->motion);
    write_motion(w);
    if (w->r->cycle) {
        write_cycle(w);
        return;
    }
    write_letters(w);
    write_state_form(w);
    write_second(w);
    write_stability(w);
    write_series(w);
    char error[32];
    snprintf(error, sizeof error, w->r->error < PRINTED_ERROR ? "below 1e-9" : "%.1g", w->r->error);
    zw_paper_heading(&w->paper, "Check");
    zw_paper_say(&w->paper,
                 "Compared with the linearisation in numbers at %d sets of parameter values; "
                 "largest difference %s of "
                 "the size of the terms.",
                 w->r->nchecked, error);
}

/* --------------------------------------------------------------------------------------- report */

/* a formula as text in the arena of the result; NULL: there is none */
static const char *text_of(const formula_writer *w, zw_expr e) {
    char *text = e ? zw_print(w->ctx, readable_form(w, e), ZW_TEXT) : NULL;
    const char *copy = text ? zw_arena_string((zw_arena *)&w->s->arena, text) : NULL;
    zw_string_free(w->ctx, text);
    return copy;
}

static void report_formulas(const formula_writer *w, const char *key, int n, const zw_expr *e,
                            zw_report *r) {
    const char **text = ZW_NEW((zw_arena *)&w->s->arena, const char *, n + 1);
    if (!text) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < n; i++)
        text[i] = text_of(w, e[i]);
    zw_report_words(r, key, n, text);
}

static void report_matrix(const formula_writer *w, const char *key, int n, const zw_expr *e,
                          zw_report *r) {
    zw_report_list(r, key);
    for (int i = 0; i < n; i++)
        report_formulas(w, NULL, n, e + i * n, r);
    zw_report_close(r);
}

static void report_names(const formula_writer *w, const char *key, int n, const int *entry,
                         zw_report *r) {
    const char **name = ZW_NEW((zw_arena *)&w->s->arena, const char *, n + 1);
    if (!name) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < n; i++)
        name[i] = zw_symbolic_entry(w->s, entry[i]);
    zw_report_words(r, key, n, name);
}

/* {"name", "value"} items */
static void report_value(const formula_writer *w, const char *name, zw_expr value, zw_report *r) {
    zw_report_open(r, NULL);
    zw_report_word(r, "name", name);
    zw_report_word(r, "value", text_of(w, value));
    zw_report_close(r);
}

static void report_motion(const formula_writer *w, zw_report *r) {
    zw_report_word(r, "motion_name", w->r->motion);
    zw_report_flag(r, "proved", w->r->proved);
    zw_report_list(r, "motion");
    for (int i = 0; i < w->r->nx; i++)
        report_value(w, zw_symbolic_entry(w->s, i), w->r->x[i], r);
    zw_report_close(r);
    zw_report_list(r, "multipliers");
    for (int k = 0; k < w->r->nlambda; k++)
        report_value(w, zw_expr_name(w->ctx, w->s->eq.lambda[k]), w->r->lambda[k], r);
    zw_report_close(r);
    report_names(w, "pinned", w->r->norbit, w->r->pinned, r);
}

static void report_block(const formula_writer *w, const zw_symbolic_block *b, zw_report *r) {
    static const char *const resonance[] = {"none", "special", "always"};
    int entry[ZW_STATES_MOST];
    for (int i = 0; i < b->n; i++)
        entry[i] = w->r->kept[b->member[i]];
    report_names(w, "entries", b->n, entry, r);
    if (b->polynomial != ZW_FORMULA_THERE)
        return;
    report_formulas(w, "polynomial", b->n + 1, b->a, r);
    report_formulas(w, "frame_rates", b->nfactor, b->factor, r);
    zw_report_flag(r, "even", b->even);
    zw_report_word(r, "resonance", resonance[b->resonance]);
    zw_report_flag(r, "complete", b->conditions == ZW_FORMULA_THERE);
    zw_report_list(r, "conditions");
    for (int i = 0; i < b->ncondition; i++) {
        const zw_condition *c = &b->condition[i];
        zw_report_open(r, NULL);
        zw_report_word(r, "name", c->name);
        zw_report_word(r, "positive", text_of(w, c->value));
        report_formulas(w, "roots", c->nroot, c->root, r);
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_linear(const formula_writer *w, zw_report *r) {
    const zw_symbolic_result *s = w->r;
    report_names(w, "entries", s->n, s->kept, r);
    report_matrix(w, "a", s->n, s->A, r);
    zw_report_word(r, "determinant", text_of(w, s->determinant));
    if (s->second == ZW_FORMULA_THERE) {
        zw_report_open(r, "second_order");
        report_names(w, "coordinates", s->ns, s->shape, r);
        report_matrix(w, "mass", s->ns, s->M, r);
        report_matrix(w, "damping", s->ns, s->D, r);
        report_matrix(w, "gyroscopic", s->ns, s->G, r);
        report_matrix(w, "stiffness", s->ns, s->K, r);
        report_matrix(w, "circulatory", s->ns, s->N, r);
        zw_report_close(r);
    }
    zw_report_list(r, "parts");
    for (int k = 0; k < s->nblock; k++) {
        zw_report_open(r, NULL);
        report_block(w, &s->block[k], r);
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_series(const formula_writer *w, zw_report *r) {
    const zw_symbolic_result *s = w->r;
    zw_report_count(r, "order", s->order);
    report_formulas(w, "small", s->nsmall, s->small, r);
    zw_report_list(r, "expansion");
    for (int i = 0; i < s->nseries; i++)
        report_value(w, zw_expr_name(w->ctx, s->series_left[i]), s->series_right[i], r);
    zw_report_close(r);
}

static void report_cycle(const formula_writer *w, zw_report *r) {
    const zw_symbolic_cycle *c = w->r->cycle;
    zw_expr square = c->frequency ? c->frequency : c->square;
    const struct {
        const char *key;
        zw_expr value;
    } part[] = {{"amplitude_squared", c->amplitude},
                {"frequency_squared", c->square},
                {"frequency_squared_shift", c->shift},
                {"hurwitz", c->hurwitz},
                {"critical", c->critical},
                {"slope_of_amplitude_squared", c->rise},
                {"a", c->growth},
                {"b", zw_mul(w->ctx, root_of(w, square), c->bend)},
                {"supercritical", c->type.value}};
    zw_report_open(r, "cycle");
    zw_report_word(r, "amplitude_of", zw_symbolic_entry(w->s, c->entry));
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        zw_report_word(r, part[i].key, text_of(w, part[i].value));
    report_formulas(w, "type_changes", c->type.nroot, c->type.root, r);
    zw_report_close(r);
}

/* --------------------------------------------------------------------------------------- public */

static void mark_roles(const zw_symbolic *s) {
    int nq = s->eq.nq, nv = s->eq.nv;
    zw_role_mark(s->ctx, nq, s->entry, ZW_ROLE_COORDINATE);
    zw_role_mark(s->ctx, nv, s->entry + nq, ZW_ROLE_RATE);
    zw_role_mark(s->ctx, nq, s->small, ZW_ROLE_COORDINATE);
    zw_role_mark(s->ctx, nv, s->small + nq, ZW_ROLE_RATE);
    zw_role_mark(s->ctx, s->eq.nc, s->eq.lambda, ZW_ROLE_MULTIPLIER);
    zw_expr variable = zw_symbol(s->ctx, letter_of(s));
    zw_role_mark(s->ctx, 1, &variable, ZW_ROLE_RATE);
}

void zw_symbolic_report(const zw_symbolic *s, zw_report *out) {
    formula_writer w = {.s = s, .r = &s->result, .ctx = s->ctx};
    mark_roles(s);
    report_motion(&w, out);
    report_linear(&w, out);
    if (s->result.order && !s->result.cycle)
        report_series(&w, out);
    if (s->result.cycle)
        report_cycle(&w, out);
    zw_report_count(out, "compared", s->result.nchecked);
    zw_report_number(out, "difference", s->result.error, NULL);
    zw_role_clear(s->ctx);
    if (s->arena.failed || zw_context_status(s->ctx, NULL) < 0)
        zw_report_fail(out);
}

char *zw_symbolic_write(const zw_symbolic *s, zw_symbolic_format format) {
    formula_writer w = {.s = s, .r = &s->result, .ctx = s->ctx};
    mark_roles(s);
    zw_paper_begin(&w.paper, s->ctx, format == ZW_SYMBOLIC_LATEX ? ZW_PAPER_LATEX : ZW_PAPER_TEXT,
                   ZW_SHORTENED);
    zw_paper_variables(&w.paper, s->nx, s->small);
    write_all(&w);
    return zw_paper_end(&w.paper);
}
