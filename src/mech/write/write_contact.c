/* SPDX-License-Identifier: MIT */
/* Contacts in print: first velocities and gap, then the laws. The velocities of a contact are
 * gamma(name.part), the gap is g(name), and set-valued laws of friction are inclusions into normal
 * cones,
 *     gamma in N_C(-lambda),    0 <= g perp lambda >= 0,
 * which means that -lambda lies in C and maximises the dissipation against gamma among all forces
 * in C. */
#include <stdio.h>
#include <string.h>

#include "expr/print/expr_report.h"
#include "mech/system/build.h"
#include "write.h"
#include "writer.h"

/* ------------------------------------------------------------------------ words of the language */

enum { LENGTH_MAX = 200 }; /* characters; longer expressions are not written out */

static void put_expr(zw_text *out, zw_context *ctx, zw_expr e) {
    char *text = zw_print_within(ctx, e, ZW_TEXT, LENGTH_MAX);
    if (text)
        zw_text_put(out, text);
    else
        zw_text_printf(out, "(%ld operations)", zw_count(ctx, 1, &e));
    zw_string_free(ctx, text);
}

static bool is_anisotropic(const zw_rubbing *b) {
    return b->nrow == 2 && (b->axis[0] != ZW_ONE || b->axis[1] != ZW_ONE);
}

static const char *pressure_of(const zw_rubbing *b) {
    return b->nu == 0.5             ? "hertz"
           : b->nu == 0             ? "uniform"
           : b->nu == 1             ? "parabolic"
           : b->nu == ZW_NU_PRINTED ? "printed"
                                    : "ring";
}

static const char *law_name(const zw_rubbing *b) {
    if (b->kind == ZW_FRICTION_LINEAR)
        return "linear";
    if (b->kind == ZW_FRICTION_CONTENSOU)
        return "contensou";
    if (b->smooth != ZW_ZERO)
        return "smooth";
    return strncmp(b->part[0], "spin", 4) == 0      ? "pivoting"
           : strncmp(b->part[0], "roll", 4) == 0    ? "rolling"
           : strncmp(b->part[0], "contour", 7) == 0 ? "contour"
                                                    : "coulomb";
}

/* the arguments of a law */
static int law_arguments(zw_context *ctx, const zw_rubbing *b, zw_expr out[4]) {
    int n = 0;
    if (b->kind == ZW_FRICTION_LINEAR) {
        out[n++] = b->damping;
        return n;
    }
    for (int i = 0; is_anisotropic(b) && i < 2; i++)
        out[n++] = zw_mul(ctx, b->mu, b->axis[i]);
    if (n == 0)
        out[n++] = b->mu;
    zw_expr arm = b->arm[b->nrow - 1];
    if (arm != ZW_ONE)
        out[n++] = arm;
    if (b->smooth != ZW_ZERO)
        out[n++] = b->smooth;
    return n;
}

/* its own coefficient of pivoting; ZW_NULL if none */
static zw_expr own_pivoting(zw_context *ctx, const zw_rubbing *b) {
    if (b->kind != ZW_FRICTION_CONTENSOU || b->pull[2] == ZW_ONE)
        return ZW_NULL;
    return zw_mul(ctx, b->pull[2], b->mu);
}

static void put_law(zw_text *out, const zw_system *s, const zw_rubbing *b) {
    zw_expr number[4], own = own_pivoting(s->ctx, b);
    int n = law_arguments(s->ctx, b, number);
    zw_text_printf(out, "%s(", law_name(b));
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        put_expr(out, s->ctx, number[i]);
    }
    if (b->kind == ZW_FRICTION_CONTENSOU)
        zw_text_printf(out, ", %s", pressure_of(b));
    if (own) {
        zw_text_put(out, ", ");
        put_expr(out, s->ctx, own);
    }
    zw_text_put(out, ")");
}

static zw_expr tangential_restitution(const zw_contact *c) {
    return c->nblock ? c->block[0].restitution : ZW_ZERO;
}

void zw_contact_law_text(zw_text *out, const zw_system *s, const zw_contact *c) {
    bool impacts = c->restitution != ZW_ZERO || tangential_restitution(c) != ZW_ZERO;
    if (impacts) {
        zw_text_put(out, "newton(");
        put_expr(out, s->ctx, c->restitution);
        if (tangential_restitution(c) != ZW_ZERO) {
            zw_text_put(out, ", ");
            put_expr(out, s->ctx, tangential_restitution(c));
        }
        zw_text_put(out, ")");
    }
    for (int i = 0; i < c->nblock; i++) {
        zw_text_put(out, impacts || i ? " + " : "");
        put_law(out, s, &c->block[i]);
    }
    if (!impacts && !c->nblock)
        zw_text_put(out, "signorini");
}

/* ---------------------------------------------------------------------------- sentences */

/* the name of the law, and the velocities it applies to */
static const char *title_of(const zw_rubbing *b) {
    const char *name = law_name(b);
    return strcmp(name, "linear") == 0      ? "linear friction of the slip"
           : strcmp(name, "smooth") == 0    ? "smooth Coulomb friction of the slip"
           : strcmp(name, "contensou") == 0 ? "Coulomb and Contensou's friction of slip and spin"
           : strcmp(name, "pivoting") == 0  ? "dry friction of the spin"
           : strcmp(name, "rolling") == 0   ? "dry friction of the roll"
           : strcmp(name, "contour") == 0   ? "dry friction of the contour"
           : is_anisotropic(b)              ? "anisotropic Coulomb friction of the slip"
                                            : "Coulomb friction of the slip";
}

static const char *pressure_words(const zw_rubbing *b) {
    return b->nu == 0.5 ? "Hertzian pressure"
           : b->nu == 0 ? "uniform pressure"
           : b->nu == 1 ? "parabolic pressure"
           : b->nu == ZW_NU_PRINTED
               ? "Hertzian pressure (published series, discontinuous where slip and spin are equal)"
               : "pressure on a ring";
}

static void put_number(zw_text *out, const zw_system *s, const char *what, zw_expr e) {
    zw_text_printf(out, ", %s ", what);
    put_expr(out, s->ctx, e);
}

static void put_rubbing(zw_text *out, const zw_system *s, const zw_rubbing *b) {
    zw_expr number[4], own = own_pivoting(s->ctx, b);
    zw_text_put(out, title_of(b));
    law_arguments(s->ctx, b, number);
    if (b->kind == ZW_FRICTION_LINEAR) {
        put_number(out, s, "constant", b->damping);
        return;
    }
    put_number(out, s, is_anisotropic(b) ? "coefficients" : "coefficient", number[0]);
    if (is_anisotropic(b))
        put_number(out, s, "and", number[1]);
    if (b->arm[b->nrow - 1] != ZW_ONE)
        put_number(out, s, "radius", b->arm[b->nrow - 1]);
    if (b->smooth != ZW_ZERO)
        put_number(out, s, "velocity", b->smooth);
    if (b->kind == ZW_FRICTION_CONTENSOU)
        zw_text_printf(out, ", %s", pressure_words(b));
    if (own)
        put_number(out, s, "pivoting", own);
    zw_text_put(out, b->smooth == ZW_ZERO ? "; set-valued" : "");
    if (own)
        zw_text_put(out, ", not associated");
}

static void put_impact(zw_text *out, const zw_system *s, const zw_contact *c) {
    zw_expr e_T = tangential_restitution(c);
    if (c->restitution == ZW_ZERO && e_T == ZW_ZERO) {
        zw_text_put(out, "impacts without restitution");
        return;
    }
    zw_text_put(out, "impacts by Newton's law, restitution ");
    put_expr(out, s->ctx, c->restitution);
    if (e_T != ZW_ZERO)
        put_number(out, s, "tangential", e_T);
}

/* ---------------------------------------------------------------------------- on paper */

static zw_expr contact_symbol(zw_writer *w, const char *head, const char *name, const char *part) {
    char text[260];
    snprintf(text, sizeof text, part ? "%s(%.150s.%.40s)" : "%s(%.150s)", head, name, part);
    return zw_symbol(w->ctx, text);
}

static void report_velocities(zw_writer *w, const zw_contact *c) {
    zw_paper *p = &w->paper;
    zw_paper_equation(p, contact_symbol(w, "g", c->name, NULL), 0, zw_paper_simpler(p, c->gap),
                      c->bilateral ? "bilateral" : "unilateral");
    for (int i = 0; i < c->nblock; i++)
        for (int k = 0; k < c->block[i].nrow; k++)
            zw_paper_equation(p, contact_symbol(w, "gamma", c->name, c->block[i].part[k]), 0,
                              zw_paper_simpler(p, c->block[i].rate[k]), NULL);
}

/* the force of a smooth block: lambda(name.part) is not a multiplier there, but a force */
static void report_force(zw_writer *w, const zw_contact *c, const zw_rubbing *b) {
    zw_context *ctx = w->ctx;
    zw_expr gamma[ZW_FRICTION_ROWS_MAX], sum = ZW_ZERO, N = w->sys->constraint[c->closed].lambda;
    for (int k = 0; k < b->nrow; k++) {
        gamma[k] = contact_symbol(w, "gamma", c->name, b->part[k]);
        zw_expr scaled = zw_mul(ctx, b->axis[k], gamma[k]);
        sum = zw_add(ctx, sum, zw_mul(ctx, scaled, scaled));
    }
    if (c->bilateral)
        N = zw_apply(ctx, ZW_OP_ABS, 1, &N);
    zw_expr size = zw_add(ctx, zw_sqrt(ctx, sum), b->smooth);
    for (int k = 0; k < b->nrow; k++) {
        zw_expr factor =
            b->kind == ZW_FRICTION_LINEAR ? b->damping : zw_div(ctx, zw_mul(ctx, b->mu, N), size);
        zw_paper_equation(&w->paper, contact_symbol(w, "F", c->name, b->part[k]), 0,
                          zw_neg(ctx, zw_mul(ctx, factor, gamma[k])), NULL);
    }
}

/* gamma in N_C(-lambda), and the definition of C */
static void report_inclusion(zw_writer *w, const zw_contact *c, const zw_rubbing *b) {
    zw_paper *p = &w->paper;
    zw_expr gamma[ZW_FRICTION_ROWS_MAX], minus[ZW_FRICTION_ROWS_MAX], square = ZW_ZERO;
    zw_expr N = w->sys->constraint[c->closed].lambda;
    for (int k = 0; k < b->nrow; k++) {
        zw_expr lambda = contact_symbol(w, "lambda", c->name, b->part[k]);
        gamma[k] = contact_symbol(w, "gamma", c->name, b->part[k]);
        minus[k] = zw_neg(w->ctx, zw_div(w->ctx, lambda, b->pull[k]));
        zw_expr scaled = zw_div(w->ctx, lambda, b->axis[k]);
        square = zw_add(w->ctx, square, zw_mul(w->ctx, scaled, scaled));
    }
    if (c->bilateral)
        N = zw_apply(w->ctx, ZW_OP_ABS, 1, &N);
    zw_expr limit = zw_mul(w->ctx, b->mu, N);
    if (b->kind == ZW_FRICTION_ELLIPSOID)
        zw_paper_say(
            p,
            b->nrow == 1 ? "%s, %s: %v {in|\\in} {N_C|\\mathcal{N}_C}(%v), {C:|C\\colon} %e "
                           "{<=|\\leq} %e."
                         : "%s, %s: (%v) {in|\\in} {N_C|\\mathcal{N}_C}(%v), {C:|C\\colon} "
                           "%e {<=|\\leq} %e.",
            c->name, title_of(b), b->nrow, gamma, b->nrow, minus, zw_sqrt(w->ctx, square), limit);
    else
        zw_paper_say(
            p,
            "%s, %s: (%v) {in|\\in} {N_C|\\mathcal{N}_C}(%v), {C = |C = {}}%e {B|B}, where "
            "{B|B} is the body of Coulomb and Contensou of %s%s",
            c->name, title_of(b), b->nrow, gamma, b->nrow, minus, limit, pressure_words(b),
            own_pivoting(w->ctx, b) ? "; not associated, since its rows are weighted." : ".");
}

static bool is_simple(const zw_context *ctx, zw_expr e) {
    return zw_expr_is_number(ctx, e) || zw_expr_op(ctx, e) == ZW_OP_SYMBOL;
}

/* the law of the gap, with gap' after and before an impact */
static void report_impact(zw_writer *w, const zw_contact *c) {
    zw_expr e = c->restitution, e_T = tangential_restitution(c);
    if (e != ZW_ZERO)
        zw_paper_say(&w->paper,
                     is_simple(w->ctx, e)
                         ? "Impacts of %s, Newton: {0 <= g'+ +|0 \\leq \\dot g^+ +} %e "
                           "{g'-|\\dot g^-} {perp|\\perp} {impulse >= 0|\\Lambda \\geq 0}."
                         : "Impacts of %s, Newton: {0 <= g'+ +|0 \\leq \\dot g^+ +} (%e) "
                           "{g'-|\\dot g^-} {perp|\\perp} {impulse >= 0|\\Lambda \\geq 0}.",
                     c->name, e);
    if (e_T != ZW_ZERO)
        zw_paper_say(&w->paper,
                     is_simple(w->ctx, e_T)
                         ? "Impacts of %s: friction as below with {gamma+ +|\\gamma^+ +} %e "
                           "{gamma-|\\gamma^-} in the place of {gamma|\\gamma}."
                         : "Impacts of %s: friction as below with {gamma+ +|\\gamma^+ +} (%e) "
                           "{gamma-|\\gamma^-} in the place of {gamma|\\gamma}.",
                     c->name, e_T);
}

static void report_laws(zw_writer *w, const zw_contact *c) {
    zw_expr g = contact_symbol(w, "g", c->name, NULL), N = w->sys->constraint[c->closed].lambda;
    if (c->off)
        zw_paper_say(&w->paper, "The contact %s is switched off.", c->name);
    else if (c->idle)
        zw_paper_say(&w->paper, "The contact %s is switched off until an event switches it on.",
                     c->name);
    else if (c->bilateral)
        zw_paper_say(&w->paper, "%s is bilateral: %e {= 0|= 0}.", c->name, g);
    else
        zw_paper_say(&w->paper, "%s, Signorini: {0 <=|0 \\leq} %e {perp|\\perp} %e {>= 0|\\geq 0}.",
                     c->name, g, N);
    report_impact(w, c);
    for (int i = 0; i < c->nblock; i++)
        if (zw_rubbing_is_set_valued(&c->block[i]))
            report_inclusion(w, c, &c->block[i]);
}

void zw_contacts_report(zw_writer *w) {
    const zw_system *s = w->sys;
    if (!s->ncontact)
        return;
    zw_paper_heading(&w->paper, "Contacts: gaps, velocities, forces");
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        report_velocities(w, c);
        for (int k = 0; k < c->nblock; k++)
            if (!zw_rubbing_is_set_valued(&c->block[k]))
                report_force(w, c, &c->block[k]);
    }
    zw_paper_heading(&w->paper, "Laws of the contacts");
    for (int i = 0; i < s->ncontact; i++)
        report_laws(w, &s->contact[i]);
    zw_paper_say(
        &w->paper,
        "A closed contact adds to the equations of motion its forces times the derivatives "
        "of their velocities: {lambda d(g')/dv|\\lambda\\,\\partial\\dot g/\\partial v} and "
        "{lambda d(gamma)/dv|\\lambda\\,\\partial\\gamma/\\partial v}.");
}

/* ---------------------------------------------------------------------------- as values */

static void report_velocity(zw_report *r, const zw_system *s, const zw_contact *c,
                            const zw_rubbing *b, int k) {
    char name[160];
    snprintf(name, sizeof name, "%.100s.%.50s", c->name, b->part[k]);
    zw_report_open(r, NULL);
    zw_report_word(r, "name", name);
    zw_report_plain(r, "value", s->ctx, b->rate[k]);
    zw_report_plain(r, "radius", s->ctx, b->arm[k]);
    zw_report_plain(r, "axis", s->ctx, b->axis[k]);
    zw_report_plain(r, "pull", s->ctx, b->pull[k]);
    zw_report_close(r);
}

static void report_words(zw_report *r, const char *key, const zw_text *words) {
    zw_report_word(r, key, zw_text_get(words));
    if (words->failed)
        zw_report_fail(r);
}

static void report_rubbing(zw_report *r, const zw_system *s, const zw_contact *c,
                           const zw_rubbing *b) {
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text words;
    zw_text_init(&words, &alloc);
    put_rubbing(&words, s, b);
    zw_report_open(r, NULL);
    zw_report_word(r, "law", law_name(b));
    report_words(r, "words", &words);
    zw_report_flag(r, "set_valued", zw_rubbing_is_set_valued(b));
    zw_report_list(r, "velocities");
    for (int k = 0; k < b->nrow; k++)
        report_velocity(r, s, c, b, k);
    zw_report_close(r);
    zw_report_plain(r, "mu", s->ctx, b->mu);
    zw_report_plain(r, "smooth", s->ctx, b->smooth);
    zw_report_plain(r, "damping", s->ctx, b->damping);
    if (b->kind == ZW_FRICTION_CONTENSOU)
        zw_report_word(r, "pressure", pressure_of(b));
    zw_report_say(r, "\n             {words}");
    zw_report_close(r);
    zw_text_clear(&words);
}

void zw_report_contact(zw_report *r, const zw_system *s, const zw_contact *c) {
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text law, impact;
    zw_text_init(&law, &alloc);
    zw_text_init(&impact, &alloc);
    zw_contact_law_text(&law, s, c);
    put_impact(&impact, s, c);
    zw_report_word(r, "name", c->name);
    report_words(r, "law", &law);
    report_words(r, "impacts", &impact);
    zw_report_flag(r, "bilateral", c->bilateral);
    zw_report_flag(r, "off", c->off || c->idle);
    zw_report_plain(r, "gap", s->ctx, c->gap);
    zw_report_plain(r, "rate", s->ctx, c->rate);
    zw_report_plain(r, "restitution", s->ctx, c->restitution);
    zw_report_say(r, "\n             {impacts}{friction!, no friction}");
    zw_report_list(r, "friction");
    for (int k = 0; k < c->nblock; k++)
        report_rubbing(r, s, c, &c->block[k]);
    zw_report_close(r);
    zw_report_say(r, "\n");
    zw_text_clear(&law);
    zw_text_clear(&impact);
}
