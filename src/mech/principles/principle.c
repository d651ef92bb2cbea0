/* SPDX-License-Identifier: MIT */
/* The table of principles, and their common beginning. */
#include <string.h>

#include "base/option.h"
#include "mech/equations/contact_mode_events.h"
#include "principles.h"

static const zw_principle principles[] = {
    {"lagrange", "Lagrange's equations with multipliers", zw_lagrange_derive},
    {"maggi", "Maggi's equations in kinematic parameters", zw_maggi_derive},
    {"boltzmann-hamel", "Boltzmann and Hamel: quasi-velocities that contain the constraints",
     zw_boltzmann_hamel_derive},
    {"gibbs-appell", "Gibbs and Appell: the energy of acceleration", zw_gibbs_appell_derive},
    {"kane", "Kane's equations: partial velocities", zw_kane_derive},
    {"gauss", "Gauss's least constraint, solved by the pseudo-inverse (Udwadia and Kalaba)",
     zw_gauss_derive},
    {"gauss-min", "Gauss's least constraint as a minimisation; accelerations may be bounded",
     zw_gauss_min_derive},
    {"voronets", "Voronets: the constrained kinetic energy and its correction", zw_voronets_derive},
    {"chaplygin", "Chaplygin: Voronets for closed systems", zw_chaplygin_derive},
    {"hamilton", "Hamilton's canonical equations with constraint forces", zw_hamilton_derive},
    {"vakonomic", "stationary action among constrained paths (another motion if nonholonomic)",
     zw_vakonomic_derive},
    {NULL, NULL, NULL},
};

const zw_principle *zw_principles(void) {
    return principles;
}

const zw_principle *zw_principle_find(const char *name) {
    for (const zw_principle *p = principles; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* "the principles are lagrange, maggi, ..." */
static void name_them(const char *wrong, zw_error *err) {
    char text[256] = "the principles are";
    const char *names[sizeof principles / sizeof *principles];
    int n = 0;
    for (const zw_principle *p = principles; p->name; p++) {
        strncat(text, p == principles ? " " : ", ", sizeof text - strlen(text) - 1);
        strncat(text, p->name, sizeof text - strlen(text) - 1);
        names[n++] = p->name;
    }
    const char *near = zw_nearest(wrong, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s? %s", near, text);
    else
        zw_error_hint(err, "%s", text);
}

zw_status zw_reject_not_affine(const zw_equations *out, const zw_system *s, zw_error *err) {
    for (int c = 0; c < out->nc; c++) {
        const zw_constraint *k = &s->constraint[out->constraint[c]];
        if (k->linear && k->level != ZW_ACCELERATION)
            continue;
        zw_fail_at(err, ZW_E_MODEL, k->place,
                   "%s needs constraints affine in the velocities; %s is %s", out->principle,
                   k->name,
                   k->level == ZW_ACCELERATION ? "one on accelerations" : "nonlinear in them");
        zw_error_hint(err,
                      "use --by lagrange, maggi, gibbs-appell, kane or gauss (Chetaev's rule)");
        return ZW_E_MODEL;
    }
    return zw_fail(err, ZW_E_MODEL, "%s needs constraints affine in the velocities",
                   out->principle);
}

zw_status zw_reject_inequality(const zw_principle *p, const zw_system *s, const zw_active *active,
                               zw_error *err) {
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (!zw_mech_holds(s, active, i) || !c->inequality || p->derive == zw_gauss_min_derive)
            continue;
        zw_fail_at(err, ZW_E_MODEL, c->place, "%s needs equations, but %s is an inequality",
                   p->name, c->name);
        zw_error_hint(err, "use --by gauss-min, or switch it off (--without %s)", c->name);
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status derive_equations(zw_equations *out, zw_steps *steps, const zw_system *sys,
                                  const zw_active *active, const char *principle, zw_error *err) {
    const zw_principle *p = zw_principle_find(principle);
    if (!p) {
        zw_fail(err, ZW_E_NAME, "there is no principle %s", principle);
        name_them(principle, err);
        return ZW_E_NAME;
    }
    if (!sys->finished)
        return zw_fail(err, ZW_E_MODEL, "the system %s is not finished", sys->name);
    ZW_TRY(zw_reject_inequality(p, sys, active, err));
    memset(out, 0, sizeof *out);
    out->principle = p->name;
    out->steps = steps;
    zw_arena_mark mark = zw_scratch_mark(sys->ctx);
    zw_status status = p->derive(out, sys, active, err);
    zw_scratch_release(sys->ctx, mark);
    return status;
}

zw_status zw_derive(zw_equations *out, const zw_system *sys, const zw_active *active,
                    const char *principle, zw_error *err) {
    return derive_equations(out, NULL, sys, active, principle, err);
}

/* Recording creates expressions, on whose numbering the order of terms depends: the equations are
 * derived first without recording, and are the same to the last bit. */
zw_status zw_derive_steps(zw_equations *out, const zw_system *sys, const zw_active *active,
                          const char *principle, zw_error *err) {
    zw_equations again;
    zw_steps *steps = ZW_CONTEXT_NEW(sys->ctx, zw_steps, 1);
    if (!steps)
        return zw_context_status(sys->ctx, err);
    ZW_TRY(derive_equations(out, NULL, sys, active, principle, err));
    ZW_TRY(derive_equations(&again, steps, sys, active, principle, err));
    out->steps = steps;
    return ZW_OK;
}

/* the equations' own copy of the active constraints, and of the flags that say what they include */
static zw_status copy_active(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err) {
    bool *holds = ZW_EQUATIONS_NEW(out, s->ctx, bool, s->nconstraint);
    if (!holds)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->nconstraint; i++)
        holds[i] = zw_mech_holds(s, active, i);
    out->holds = holds;
    bool *absent = ZW_EQUATIONS_NEW(out, s->ctx, bool, s->ncontact + 1);
    if (!absent)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->ncontact; i++)
        absent[i] = active && active->absent ? active->absent[i] : s->contact[i].idle;
    out->absent = absent;
    if (active && active->dependent) {
        bool *dependent = ZW_EQUATIONS_NEW(out, s->ctx, bool, s->nv);
        if (!dependent)
            return zw_context_status(s->ctx, err);
        memcpy(dependent, active->dependent, sizeof *dependent * (size_t)s->nv);
        out->dependent = dependent;
    }
    if (active && active->bare)
        return ZW_OK;
    out->nstart = s->nstart;
    out->nobservable = s->nobservable;
    out->nevent = s->nevent;
    out->nfooting = s->nfooting;
    for (int i = 0; i < s->ncontact; i++)
        out->ncontact += !s->contact[i].off;
    return active && active->stance ? zw_contact_mode_events(out, s, active, err) : ZW_OK;
}

zw_status zw_principle_begin(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(copy_active(out, s, active, err));
    zw_expr *q = ZW_EQUATIONS_NEW(out, ctx, zw_expr, s->nq),
            *v = ZW_EQUATIONS_NEW(out, ctx, zw_expr, s->nv),
            *a = ZW_EQUATIONS_NEW(out, ctx, zw_expr, s->nv),
            *u = ZW_EQUATIONS_NEW(out, ctx, zw_expr, s->nsignal);
    int *unit = ZW_EQUATIONS_NEW(out, ctx, int, s->nframe);
    out->sys = s;
    out->nq = s->nq;
    out->nv = s->nv;
    out->qdot = ZW_EQUATIONS_NEW(out, ctx, zw_expr, s->nq);
    out->C =
        ZW_EQUATIONS_NEW(out, ctx, zw_expr, 1); /* empty, not NULL, for principles without one */
    if (!q || !v || !a || !u || !unit || !out->qdot || !out->C)
        return zw_context_status(ctx, err);
    zw_mech_symbols(s, q, v, a);
    out->q = q;
    out->v = v;
    out->a = a;
    out->F = s->F;
    for (int i = 0; i < s->nq; i++)
        out->qdot[i] = s->coord[i].rate;
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            unit[out->nunit++] = s->frame[i].quaternion;
    out->unit = unit;
    out->nu = s->nsignal;
    out->u = u;
    for (int i = 0; i < s->nsignal; i++)
        u[i] = s->signal[i].sym;
    out->T = s->T;
    out->V = s->potential;
    ZW_TRY(zw_constraint_rows(out, s, err));
    return zw_start_rows(out, s, err);
}
