/* SPDX-License-Identifier: MIT */
#include "acceleration.h"

#include <stdio.h>
#include <string.h>

#include "steps.h"

void zw_mass_moment(zw_context *ctx, const zw_mass_point *m, const zw_expr alpha[3],
                    zw_expr out[3]) {
    const zw_expr *J = m->J;
    out[0] = zw_dot(ctx, 3, (zw_expr[]){J[0], J[3], J[4]}, alpha);
    out[1] = zw_dot(ctx, 3, (zw_expr[]){J[3], J[1], J[5]}, alpha);
    out[2] = zw_dot(ctx, 3, (zw_expr[]){J[4], J[5], J[2]}, alpha);
}

static void add_body(zw_mass_point *m, const zw_system *s, const zw_body *b) {
    zw_context *ctx = s->ctx;
    const zw_frame *f = &s->frame[b->frame];
    bool isotropic = b->J[0] == b->J[1] && b->J[1] == b->J[2] && b->J[3] == ZW_ZERO &&
                     b->J[4] == ZW_ZERO && b->J[5] == ZW_ZERO;
    bool outside = isotropic && zw_count(ctx, 3, f->omega) < zw_count(ctx, 3, f->w);
    m->mass = b->mass;
    m->turns = true;
    memcpy(m->v, b->v, sizeof m->v);
    memcpy(m->J, b->J, sizeof m->J);
    memcpy(m->w, outside ? f->omega : f->w, sizeof m->w);
    for (int i = 0; i < 3; i++) {
        m->a[i] = zw_system_dt(s, b->v[i]);
        m->alpha[i] = zw_system_dt(s, m->w[i]);
    }
    zw_expr momentum[3], lost[3];
    zw_mass_moment(ctx, m, m->w, momentum);
    zw_cross(ctx, m->w, momentum, m->gyro);
    if (isotropic)
        for (int i = 0; i < 3; i++)
            m->gyro[i] = ZW_ZERO;
    zw_mass_point rate = *m;
    for (int i = 0; i < 6; i++)
        rate.J[i] = zw_mech_drift(s, m->J[i]);
    zw_mass_moment(ctx, &rate, m->w, lost);
    for (int i = 0; i < 3; i++)
        m->gyro[i] = zw_add(ctx, m->gyro[i], lost[i]);
}

static void add_particle(zw_mass_point *m, const zw_system *s, const zw_particle *p) {
    m->mass = p->mass;
    m->turns = false;
    for (int i = 0; i < 3; i++) {
        m->v[i] = p->v[i];
        m->a[i] = zw_system_dt(s, p->v[i]);
        m->w[i] = m->alpha[i] = m->gyro[i] = ZW_ZERO;
        m->J[i] = m->J[i + 3] = ZW_ZERO;
    }
}

/* The coordinates whose rates are the velocities of the kinetic energy expression. Rejects one that
 * contains other velocities or depends on coordinates whose rate is not a velocity. */
static zw_status plain_coordinates(const zw_equations *eq, const zw_system *s, zw_expr *q,
                                   zw_error *err) {
    for (int i = 0; i < s->nv; i++) {
        bool plain = s->velocity[i].coord >= 0;
        q[i] = plain ? s->coord[s->velocity[i].coord].sym : ZW_NULL;
        if (!plain && zw_depends(s->ctx, s->kinetic, s->velocity[i].sym)) {
            zw_fail(err, ZW_E_MODEL,
                    "%s needs the masses themselves, but the kinetic energy is given as an "
                    "expression of the quasi-velocity %s",
                    eq->principle, s->velocity[i].name);
            zw_error_hint(err,
                          "declare particles and bodies instead of kinetic, or use --by lagrange");
            return ZW_E_MODEL;
        }
    }
    for (int i = 0; i < s->nq; i++) {
        bool plain = false;
        for (int k = 0; k < s->nv; k++)
            plain |= s->velocity[k].coord == i;
        if (!plain && !s->coord[i].state && zw_depends(s->ctx, s->kinetic, s->coord[i].sym)) {
            zw_fail(err, ZW_E_MODEL,
                    "%s needs the masses themselves, but the kinetic energy is given as an "
                    "expression of %s, whose rate is not a velocity of the system",
                    eq->principle, s->coord[i].name);
            zw_error_hint(err,
                          "declare particles and bodies instead of kinetic, or use --by lagrange");
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

/* d e/dq_i, zero where velocity i is not the rate of a coordinate */
static zw_expr coordinate_derivative(zw_context *ctx, zw_expr e, zw_expr q) {
    return q ? zw_diff(ctx, e, q) : ZW_ZERO;
}

static zw_status find_christoffel(zw_masses *out, const zw_equations *eq, const zw_system *s,
                                  zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = s->nv;
    zw_expr *M = ZW_SCRATCH_NEW(ctx, zw_expr, nv * nv), *a = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *c = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), T0;
    if (!M || !a || !c || !q)
        return zw_context_status(ctx, err);
    ZW_TRY(plain_coordinates(eq, s, q, err));
    if (!zw_quadratic(ctx, s->kinetic, nv, eq->v, M, a, &T0)) {
        ZW_TRY(zw_context_status(ctx, err));
        return zw_fail(err, ZW_E_MODEL,
                       "the kinetic energy of %s is not quadratic in the velocities", s->name);
    }
    for (int k = 0; k < nv; k++) {
        zw_expr sum = zw_sub(ctx, zw_mech_drift(s, a[k]), coordinate_derivative(ctx, T0, q[k]));
        for (int i = 0; i < nv; i++) {
            zw_expr turn = zw_sub(ctx, coordinate_derivative(ctx, a[k], q[i]),
                                  coordinate_derivative(ctx, a[i], q[k]));
            turn = zw_add(ctx, turn, zw_mech_drift(s, M[k * nv + i]));
            sum = zw_add(ctx, sum, zw_mul(ctx, turn, eq->v[i]));
            for (int j = 0; j < nv; j++) {
                zw_expr symbol = zw_sum(
                    ctx, 3,
                    (zw_expr[]){coordinate_derivative(ctx, M[k * nv + i], q[j]),
                                coordinate_derivative(ctx, M[k * nv + j], q[i]),
                                zw_neg(ctx, coordinate_derivative(ctx, M[i * nv + j], q[k]))});
                sum = zw_add(ctx, sum,
                             zw_product(ctx, 4, (zw_expr[]){ZW_HALF, symbol, eq->v[i], eq->v[j]}));
            }
        }
        c[k] = sum;
    }
    out->metric = M;
    out->bias = c;
    return zw_context_status(ctx, err);
}

zw_status zw_masses_of(zw_masses *out, const zw_equations *eq, const zw_system *s, zw_error *err) {
    *out = (zw_masses){.point = ZW_SCRATCH_NEW(s->ctx, zw_mass_point, s->nparticle + s->nbody)};
    if (!out->point)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->nparticle; i++)
        add_particle(&out->point[out->n++], s, &s->particle[i]);
    for (int i = 0; i < s->nbody; i++)
        add_body(&out->point[out->n++], s, &s->body[i]);
    for (int i = 0; i < out->n; i++) {
        zw_mass_point *m = &out->point[i];
        for (int k = 0; k < 3; k++)
            m->drift[k] = zw_mul(s->ctx, zw_mech_drift(s, m->mass), m->v[k]);
    }
    if (s->kinetic != ZW_ZERO)
        ZW_TRY(find_christoffel(out, eq, s, err));
    return zw_context_status(s->ctx, err);
}

/* "a(P.x)" */
static zw_expr component_symbol(const zw_equations *eq, const char *kind, const char *mass, int k) {
    char name[200];
    snprintf(name, sizeof name, "%.180s.%c", mass, "xyz"[k]);
    return zw_mech_named(eq->sys->ctx, kind, name);
}

zw_expr zw_mass_component(const zw_equations *eq, const char *kind, int mass, int k) {
    const zw_system *s = eq->sys;
    const char *name =
        mass < s->nparticle ? s->particle[mass].name : s->body[mass - s->nparticle].name;
    return component_symbol(eq, kind, name, k);
}

/* components that vanish are omitted, unless all do */
static void report_vector(const zw_equations *eq, const char *kind, int mass, const zw_expr e[3]) {
    for (int k = 0; k < 3; k++)
        if (e[k] != ZW_ZERO)
            zw_step(eq, zw_mass_component(eq, kind, mass, k), e[k]);
}

void zw_masses_report(const zw_masses *m, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    if (!zw_steps_wanted(eq))
        return;
    zw_step_heading(
        eq, "Velocities of the masses (inertial components, those that are not zero), and angular "
            "velocities of the bodies in their own axes");
    for (int i = 0; i < m->n; i++) {
        report_vector(eq, "v", i, m->point[i].v);
        report_vector(eq, "w", i, m->point[i].w);
    }
    zw_step_heading(eq, "Their accelerations");
    for (int i = 0; i < m->n; i++) {
        report_vector(eq, "a", i, m->point[i].a);
        report_vector(eq, "alpha", i, m->point[i].alpha);
    }
    zw_step_heading(eq, "The kinetic energy that is given as an expression, {T|T}, and the forces "
                        "of inertia that it "
                        "makes by Christoffel's symbols, {c|c}");
    if (m->metric) {
        zw_step(eq, zw_symbol(s->ctx, zw_step_name(eq, "T")), s->kinetic);
        for (int k = 0; k < s->nv; k++)
            zw_step(eq, zw_step_of(eq, "c", eq->v[k]),
                    zw_add(s->ctx, m->bias[k],
                           zw_dot(s->ctx, s->nv, m->metric + (size_t)k * (size_t)s->nv, eq->a)));
    }
    zw_step_energies(eq, false);
}

zw_expr zw_masses_energy(zw_context *ctx, const zw_masses *m, const zw_equations *eq, int n,
                         const zw_expr *from, const zw_expr *to) {
    zw_expr S = ZW_ZERO;
    for (int i = 0; i < m->n; i++) {
        const zw_mass_point *p = &m->point[i];
        zw_expr a[3], alpha[3], moment[3];
        for (int k = 0; k < 3; k++) {
            a[k] = zw_subst(ctx, p->a[k], n, from, to);
            alpha[k] = zw_subst(ctx, p->alpha[k], n, from, to);
        }
        S = zw_add(ctx, S, zw_product(ctx, 3, (zw_expr[]){ZW_HALF, p->mass, zw_dot(ctx, 3, a, a)}));
        S = zw_add(ctx, S, zw_dot(ctx, 3, a, p->drift));
        if (!p->turns)
            continue;
        zw_mass_moment(ctx, p, alpha, moment);
        S = zw_add(ctx, S, zw_mul(ctx, ZW_HALF, zw_dot(ctx, 3, alpha, moment)));
        S = zw_add(ctx, S, zw_dot(ctx, 3, alpha, p->gyro));
    }
    if (m->metric) {
        zw_expr sum = ZW_ZERO;
        for (int k = 0; k < eq->nv; k++) {
            zw_expr row = zw_mul(
                ctx, ZW_HALF, zw_dot(ctx, eq->nv, m->metric + (size_t)k * (size_t)eq->nv, eq->a));
            sum = zw_add(ctx, sum, zw_mul(ctx, eq->a[k], zw_add(ctx, row, m->bias[k])));
        }
        S = zw_add(ctx, S, zw_subst(ctx, sum, n, from, to));
    }
    return S;
}

zw_expr *zw_masses_metric(zw_context *ctx, const zw_masses *m, const zw_equations *eq) {
    zw_expr *metric = ZW_EQUATIONS_NEW(eq, ctx, zw_expr, eq->nv * eq->nv);
    if (metric)
        zw_hessian(ctx, zw_masses_energy(ctx, m, eq, 0, NULL, NULL), eq->nv, eq->a, metric);
    return metric;
}
