/* SPDX-License-Identifier: MIT */
/* Equations with the constraints substituted: dependent velocities, accelerations as formulas, the
 * implicit rest and its reasons, dependent accelerations, multipliers. */
#include <stdio.h>

#include "expr/print/expr_report.h"
#include "mech/system/build.h"
#include "write.h"

static zw_expr simplify_expression(zw_paper *p, zw_expr e) {
    return zw_paper_simpler(p, e);
}

/* the simpler one of the quotient simplified as a whole and in its two parts */
static zw_expr simplify_quotient(zw_paper *p, zw_expr top, zw_expr bottom) {
    return zw_div(p->ctx, simplify_expression(p, top), simplify_expression(p, bottom));
}

static zw_expr substitute(const zw_equations *eq, zw_expr x) {
    const zw_elimination *o = eq->elimination;
    zw_context *ctx = eq->sys->ctx;
    zw_expr *symbol = o->velocity ? ZW_SCRATCH_NEW(ctx, zw_expr, o->ndependent) : NULL;
    for (int r = 0; symbol && r < o->ndependent; r++)
        symbol[r] = eq->v[o->dependent[r]];
    return symbol ? zw_subst(ctx, x, o->ndependent, symbol, o->velocity) : x;
}

static zw_expr rate_symbol(const zw_equations *eq, int i) {
    char name[256];
    snprintf(name, sizeof name, "%.250s'", eq->sys->coord[i].name);
    return zw_symbol(eq->sys->ctx, name);
}

/* rates of coordinates and states that are not simply velocities of the same name */
static void report_rates(const zw_equations *eq, zw_paper *p, bool states) {
    const zw_system *s = eq->sys;
    zw_paper_heading(p, states ? "States" : "Kinematics");
    for (int i = 0; i < eq->nq; i++) {
        bool plain = s->coord[i].state != states;
        for (int k = 0; k < s->nv; k++)
            plain |= s->velocity[k].coord == i && eq->qdot[i] == eq->v[k];
        if (!plain)
            zw_paper_equation(p, rate_symbol(eq, i), 0,
                              simplify_expression(p, substitute(eq, eq->qdot[i])), NULL);
    }
}

static void report_explicit(const zw_equations *eq, zw_paper *p) {
    const zw_elimination *o = eq->elimination;
    if (eq->system_v)
        zw_paper_heading(p, "Multipliers, solved");
    else
        zw_paper_heading(p, "Equations of motion, solved");
    for (int i = 0; i < o->nunknown; i++)
        if (o->reason[i] == ZW_EXPLICIT)
            zw_paper_equation(p, o->unknown[i], 0,
                              simplify_quotient(p, o->numerator[i], o->denominator[i]), NULL);
}

static void report_reasons(const zw_elimination *o, zw_paper *p) {
    bool told[ZW_IMPLICIT_SINGULAR + 1] = {false};
    for (int i = 0; i < o->nunknown; i++)
        told[o->reason[i]] = true;
    if (told[ZW_IMPLICIT_COUPLED])
        zw_paper_say(p, "More than three unknowns are coupled, so their formulas would be too long.");
    if (told[ZW_IMPLICIT_LONG])
        zw_paper_say(p, "The formulas would be too long to be read.");
    if (told[ZW_IMPLICIT_SINGULAR])
        zw_paper_say(p,
                     "The determinant is zero: these equations do not determine their unknowns.");
}

static void report_implicit(const zw_equations *eq, zw_paper *p) {
    const zw_elimination *o = eq->elimination;
    int n = o->nunknown;
    bool any = false;
    zw_paper_heading(p, "Equations that stay implicit");
    for (int i = 0; i < n; i++)
        any |= o->row_reason[i] != ZW_EXPLICIT;
    if (any)
        report_reasons(o, p);
    for (int i = 0; i < n; i++) {
        if (o->row_reason[i] == ZW_EXPLICIT)
            continue;
        zw_expr left = ZW_ZERO;
        for (int j = 0; j < n; j++)
            left = zw_add(p->ctx, left,
                          zw_mul(p->ctx, zw_paper_coefficient(p, o->A[i * n + j]), o->unknown[j]));
        zw_paper_equation(p, left, 0, simplify_expression(p, o->r[i]), NULL);
    }
}

/* p' with the multipliers, which are known */
static void report_momenta(const zw_equations *eq, zw_paper *p) {
    if (!eq->system_v)
        return;
    zw_paper_heading(p, "Momenta, {p' = -dH/dq + forces|\\dot{p} = -\\partial H/\\partial q + "
                        "\\text{forces}}");
    for (int k = 0; k < eq->nv; k++) {
        zw_expr sum = simplify_expression(p, eq->h[k]);
        for (int c = 0; c < eq->nc; c++)
            sum = zw_add(
                p->ctx, sum,
                zw_mul(p->ctx, zw_paper_coefficient(p, eq->C[k * eq->nc + c]), eq->lambda[c]));
        zw_paper_equation(p, eq->a[k], 0, sum, NULL);
    }
}

static void report_positions(const zw_equations *eq, zw_paper *p) {
    zw_paper_heading(p, "Conditions on the coordinates that remain");
    for (int i = 0; i < eq->npos; i++)
        zw_paper_equation(p, eq->phi[i], 0, ZW_ZERO, zw_equations_position_name(eq, i, NULL));
}

void zw_elimination_write(const zw_equations *eq, zw_paper *p) {
    const zw_elimination *o = eq->elimination;
    zw_paper_heading(p, "Dependent velocities");
    if (o->ndependent && !o->velocity)
        zw_paper_say(p,
                     "A constraint is not affine in the velocities: they stay in the equations.");
    for (int r = 0; o->velocity && r < o->ndependent; r++)
        zw_paper_equation(p, eq->v[o->dependent[r]], 0, simplify_expression(p, o->velocity[r]),
                          NULL);
    report_rates(eq, p, false);
    report_explicit(eq, p);
    report_implicit(eq, p);
    report_momenta(eq, p);
    zw_paper_heading(p, "Dependent accelerations");
    for (int r = 0; r < o->ndependent; r++)
        zw_paper_equation(p, eq->a[o->dependent[r]], 0, simplify_expression(p, o->acceleration[r]),
                          NULL);
    zw_paper_heading(p, "Multipliers");
    for (int c = 0; c < o->nmultiplier; c++)
        zw_paper_equation(p, o->lambda[c], 0, simplify_expression(p, o->multiplier[c]), NULL);
    report_positions(eq, p);
    report_rates(eq, p, true);
}

/* ---------------------------------------------------------------------------------------- values */

/* [{"name": "x'", "value": "r*cos(th)*u"}, ...]; at NULL: symbol i itself */
static void report_pairs(zw_context *ctx, zw_report *r, const char *key, int n,
                         const zw_expr *symbol, const int *at, const zw_expr *value) {
    zw_report_list(r, key);
    for (int i = 0; value && i < n; i++) {
        zw_report_open(r, NULL);
        zw_report_plain(r, "name", ctx, symbol[at ? at[i] : i]);
        zw_report_plain(r, "value", ctx, value[i]);
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_solution(const zw_equations *eq, zw_report *r, bool solved) {
    static const char *const reason[] = {"", "coupled", "long", "singular"};
    const zw_elimination *o = eq->elimination;
    zw_context *ctx = eq->sys->ctx;
    zw_report_list(r, solved ? "explicit" : "implicit");
    for (int i = 0; i < o->nunknown; i++) {
        if ((o->reason[i] == ZW_EXPLICIT) != solved)
            continue;
        zw_report_open(r, NULL);
        zw_report_plain(r, "name", ctx, o->unknown[i]);
        if (solved)
            zw_report_plain(r, "value", ctx, zw_div(ctx, o->numerator[i], o->denominator[i]));
        else
            zw_report_word(r, "reason", reason[o->reason[i]]);
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_rows(const zw_equations *eq, zw_report *r) {
    const zw_elimination *o = eq->elimination;
    zw_context *ctx = eq->sys->ctx;
    zw_report_list(r, "rows");
    for (int i = 0; i < o->nunknown; i++) {
        if (o->row_reason[i] == ZW_EXPLICIT)
            continue;
        zw_report_open(r, NULL);
        zw_report_plain(
            r, "left", ctx,
            zw_dot(ctx, o->nunknown, o->A + (size_t)i * (size_t)o->nunknown, o->unknown));
        zw_report_plain(r, "right", ctx, o->r[i]);
        zw_report_close(r);
    }
    zw_report_close(r);
}

void zw_elimination_report(const zw_equations *eq, zw_report *r) {
    const zw_elimination *o = eq->elimination;
    zw_context *ctx = eq->sys->ctx;
    zw_report_open(r, "elimination");
    zw_report_list(r, "independent");
    for (int i = 0; i < o->nindependent; i++)
        zw_report_plain(r, NULL, ctx, eq->v[o->independent[i]]);
    zw_report_close(r);
    report_pairs(ctx, r, "dependent", o->ndependent, eq->v, o->dependent, o->velocity);
    report_solution(eq, r, true);
    report_solution(eq, r, false);
    report_rows(eq, r);
    report_pairs(ctx, r, "dependent_accelerations", o->ndependent, eq->a, o->dependent,
                 o->acceleration);
    report_pairs(ctx, r, "multipliers", o->nmultiplier, o->lambda, NULL, o->multiplier);
    zw_report_close(r);
}
