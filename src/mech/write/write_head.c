/* SPDX-License-Identifier: MIT */
/* The heading of printed equations: the model, the principle, the numbers of equations and
 * unknowns, and notes for the reader. */
#include <string.h>

#include "mech/system/build.h"
#include "writer.h"

long zw_equations_count(const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    int nv = eq->nv, nc = eq->nc, n = nv * nv + nv + 2 * nv * nc + nc, at = 0;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_expr *all = ZW_SCRATCH_NEW(ctx, zw_expr, n);
    if (!all)
        return -1;
    const zw_expr *parts[] = {eq->M, eq->h, eq->C, eq->W, eq->b};
    const int sizes[] = {nv * nv, nv, nv * nc, nc * nv, nc};
    for (int k = 0; k < 5; k++) {
        memcpy(all + at, parts[k], (size_t)sizes[k] * sizeof *all);
        at += sizes[k];
    }
    long count = zw_count(ctx, n, all);
    zw_scratch_release(ctx, mark);
    return count;
}

static void put_count(zw_text *out, int n, const char *one, const char *many) {
    zw_text_printf(out, "%d %s", n, n == 1 ? one : many);
}

static void put_unknowns(zw_text *out, const zw_equations *eq) {
    int nv = eq->sys->nv;
    if (has_momenta(eq))
        put_count(out, nv, "rate of a momentum", "rates of momenta");
    else
        put_count(out, nv, "acceleration", "accelerations");
    if (eq->nc) {
        zw_text_put(out, " and ");
        put_count(out, eq->nc, "multiplier", "multipliers");
    } else if (has_states_of_multipliers(eq)) {
        zw_text_put(out, " and ");
        put_count(out, eq->nv - nv, "rate of a multiplier", "rates of multipliers");
    }
}

/* "5 coordinates, 5 velocities; 7 equations (...) for 5 accelerations and 2 multipliers" */
static void put_sizes(zw_text *out, const zw_equations *eq) {
    int constraints = eq->nc, nv = eq->sys->nv, states = 0;
    for (int k = 0; k < eq->nv; k++)
        constraints += is_constraint_row(eq, k);
    int motion = eq->nv + eq->nc - constraints;
    for (int i = 0; i < eq->nq; i++)
        states += eq->sys->coord[i].state;
    if (states < eq->nq || !states) {
        put_count(out, eq->nq - states, "coordinate", "coordinates");
        zw_text_put(out, ", ");
    }
    if (states) {
        put_count(out, states, "state", "states");
        zw_text_put(out, nv ? ", " : "");
    }
    if (!nv)
        return;
    put_count(out, nv, "velocity", "velocities");
    zw_text_put(out, "; ");
    put_count(out, motion + constraints, "equation", "equations");
    if (constraints)
        zw_text_printf(out, " (%d of motion, %d of constraints)", motion, constraints);
    zw_text_put(out, " for ");
    put_unknowns(out, eq);
    zw_text_printf(out, "; %ld operations", zw_equations_count(eq));
}

static void write_sizes(zw_writer *w) {
    zw_allocator alloc = zw_context_allocator(w->ctx);
    zw_text sizes;
    zw_text_init(&sizes, &alloc);
    put_sizes(&sizes, w->eq);
    zw_paper_say(&w->paper, "%s", zw_text_get(&sizes));
    w->paper.failed |= sizes.failed;
    zw_text_clear(&sizes);
}

static void write_velocities(zw_writer *w) {
    const zw_equations *eq = w->eq;
    int n[2] = {0, 0};
    zw_expr *which[2] = {ZW_SCRATCH_NEW(w->ctx, zw_expr, eq->nv),
                         ZW_SCRATCH_NEW(w->ctx, zw_expr, eq->nv)};
    if (!which[0] || !which[1])
        return;
    for (int k = 0; k < eq->nv; k++) {
        bool dependent = is_constraint_row(eq, k);
        which[dependent][n[dependent]++] = eq->v[k];
    }
    zw_paper_say(&w->paper,
                 n[1] ? "Independent velocities: %v; dependent: %v" : "Independent velocities: %v",
                 n[0], which[0], n[1], which[1]);
}

/* notes for the reader, one line each */
static void write_notes(zw_writer *w) {
    const zw_equations *eq = w->eq;
    bool nonlinear = false, unilateral = false, constrained = false;
    for (int i = 0; i < w->sys->nconstraint; i++) {
        const zw_constraint *c = &w->sys->constraint[i];
        constrained |= eq->holds[i];
        nonlinear |= eq->holds[i] && c->level == ZW_VELOCITY && !c->linear;
        unilateral |= eq->holds[i] && c->inequality;
    }
    if (has_states_of_multipliers(eq))
        zw_paper_say(&w->paper,
                     "The multipliers are states: their start values belong to the start.");
    else if (eq->row_constraint && constrained)
        write_velocities(w);
    if (nonlinear)
        zw_paper_say(&w->paper,
                     "Constraints nonlinear in the velocities by Chetaev's rule: virtual "
                     "displacements satisfy {(dpsi/dv) dpi = 0|"
                     "(\\partial\\psi/\\partial v)\\, \\delta\\pi = 0}.");
    if (unilateral)
        zw_paper_say(&w->paper, "Inequalities: each multiplier has the sign of its inequality, and "
                                "is zero where the inequality is strict.");
}

/* a document has the title of the model, a text its name */
static void write_title(zw_writer *w) {
    const zw_system *s = w->sys;
    const zw_principle *principle = zw_principle_find(w->eq->principle);
    const char *variant = s->variant[0] ? ", variant " : "";
    w->paper.principle = w->eq->principle;
    w->paper.about = principle ? principle->about : "";
    if (w->paper.kind == ZW_PAPER_LATEX) {
        bool titled = s->title && s->title[0];
        zw_paper_title(&w->paper, "%s%s%s", titled ? s->title : s->name, variant, s->variant);
        zw_paper_say(&w->paper, "Model %s, equations by %s. %s.", s->name, w->eq->principle,
                     w->paper.about);
    } else {
        zw_paper_title(&w->paper, "%s%s%s: equations by %s", s->name, variant, s->variant,
                       w->eq->principle);
        zw_paper_say(&w->paper, "%s", w->paper.about);
    }
}

void zw_write_head(zw_writer *w) {
    write_title(w);
    write_sizes(w);
    write_notes(w);
}
