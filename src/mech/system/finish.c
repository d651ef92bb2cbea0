/* SPDX-License-Identifier: MIT */
/* Closing a system: kinetic energy of particles and bodies, weight, the kinematics q' = F v + f,
 * the matrix Gamma of Hamel's transposition relation, generalised forces.
 *
 * From q' = F u + f and dq = F dpi follows, with D = d(F u + f)/dq,
 *     F du = F d(dpi)/dt + (F' - D F) dpi,        so   Gamma = F^-1 (F' - D F).
 * Row by row: zero for plain coordinates; for a group of quasi-velocities u = A q' + a its inverse
 * is A; for a rotation F^-1 (F' - D F) reduces on unit quaternions to w~ (body components) or -w~
 * (space components), which is entered directly instead of being found by simplification. */
#include <string.h>

#include "build.h"

static zw_expr half_square(zw_context *ctx, zw_expr m, int n, const zw_expr *v) {
    return zw_mul(ctx, zw_mul(ctx, ZW_HALF, m), zw_dot(ctx, n, v, v));
}

/* w' J w / 2; for isotropic J in the components that are shorter */
static zw_expr rotation_energy(const zw_system *s, const zw_body *b) {
    zw_context *ctx = s->ctx;
    const zw_expr *J = b->J;
    const zw_frame *f = &s->frame[b->frame];
    bool isotropic =
        J[0] == J[1] && J[1] == J[2] && J[3] == ZW_ZERO && J[4] == ZW_ZERO && J[5] == ZW_ZERO;
    if (isotropic) {
        bool outside = zw_count(ctx, 3, f->omega) < zw_count(ctx, 3, f->w);
        return half_square(ctx, J[0], 3, outside ? f->omega : f->w);
    }
    const zw_expr *w = f->w;
    zw_expr momentum[3] = {
        zw_dot(ctx, 3, (zw_expr[]){J[0], J[3], J[4]}, w),
        zw_dot(ctx, 3, (zw_expr[]){J[3], J[1], J[5]}, w),
        zw_dot(ctx, 3, (zw_expr[]){J[4], J[5], J[2]}, w),
    };
    return zw_mul(ctx, ZW_HALF, zw_dot(ctx, 3, momentum, w));
}

static void finish_energies(zw_system *s) {
    zw_context *ctx = s->ctx;
    zw_expr T = s->kinetic;
    for (int i = 0; i < s->nparticle; i++) {
        const zw_particle *p = &s->particle[i];
        T = zw_add(ctx, T, half_square(ctx, p->mass, 3, p->v));
        zw_expr weight = zw_mul(ctx, p->mass, zw_dot(ctx, 3, s->gravity, p->r));
        s->potential = zw_sub(ctx, s->potential, weight);
    }
    for (int i = 0; i < s->nbody; i++) {
        const zw_body *b = &s->body[i];
        T = zw_add(ctx, T, half_square(ctx, b->mass, 3, b->v));
        T = zw_add(ctx, T, rotation_energy(s, b));
        zw_expr weight = zw_mul(ctx, b->mass, zw_dot(ctx, 3, s->gravity, b->r));
        s->potential = zw_sub(ctx, s->potential, weight);
    }
    s->T = T;
}

/* q' = F v + f by rows: rates are affine in v by construction; those of states are entirely in f */
static zw_status finish_kinematics(zw_system *s, const zw_expr *v, zw_error *err) {
    s->F = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq * s->nv);
    s->f = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq);
    if (!s->F || !s->f)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state) {
            for (int k = 0; k < s->nv; k++)
                s->F[i * s->nv + k] = ZW_ZERO;
            s->f[i] = s->coord[i].rate;
        } else if (!zw_linear(s->ctx, s->coord[i].rate, s->nv, v, s->F + (size_t)i * (size_t)s->nv,
                              &s->f[i])) {
            return zw_mech_status(s, s->coord[i].place, err);
        }
    return ZW_OK;
}

/* (F' - D F) row i, column k */
static zw_expr transposition_entry(const zw_system *s, const zw_expr *q, int i, int k) {
    zw_context *ctx = s->ctx;
    zw_expr entry = zw_system_dt(s, s->F[i * s->nv + k]);
    for (int l = 0; l < s->nq; l++) {
        zw_expr D = zw_diff(ctx, s->coord[i].rate, q[l]);
        entry = zw_sub(ctx, entry, zw_mul(ctx, D, s->F[l * s->nv + k]));
    }
    return entry;
}

static zw_status finish_gamma(zw_system *s, const zw_expr *q, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = s->nv;
    s->Gamma = ZW_CONTEXT_NEW(ctx, zw_expr, nv * nv);
    if (!s->Gamma)
        return zw_context_status(ctx, err);
    for (int i = 0; i < nv * nv; i++)
        s->Gamma[i] = ZW_ZERO;
    for (int g = 0; g < s->store->ngroup; g++) {
        const quasi_group *group = &s->store->group[g];
        for (int k = 0; k < nv; k++)
            for (int j = 0; j < group->n; j++) {
                zw_expr entry = transposition_entry(s, q, group->coord[j], k);
                for (int i = 0; i < group->n; i++) {
                    zw_expr *out = &s->Gamma[group->velocity[i] * nv + k];
                    *out = zw_add(ctx, *out, zw_mul(ctx, group->A[i * group->n + j], entry));
                }
            }
        for (int i = 0; i < group->n; i++)
            for (int k = 0; k < nv; k++) {
                zw_expr *out = &s->Gamma[group->velocity[i] * nv + k];
                zw_shorten(ctx, 1, out);
            }
    }
    for (int j = 0; j < s->nframe; j++) {
        const zw_frame *f = &s->frame[j];
        if (f->quaternion < 0)
            continue;
        const zw_expr *w = f->in_space ? f->omega : f->w;
        int first = 0;
        while (s->velocity[first].sym != w[0])
            first++;
        for (int i = 0; i < 3; i++) {
            int a = (i + 1) % 3, b = (i + 2) % 3;
            zw_expr plus = f->in_space ? zw_neg(ctx, w[i]) : w[i];
            s->Gamma[(first + b) * nv + first + a] = plus;
            s->Gamma[(first + a) * nv + first + b] = zw_neg(ctx, plus);
        }
    }
    return zw_context_status(ctx, err);
}

/* Q_k = sum_i value_i d(rate_i)/dv_k */
static zw_status finish_force(zw_system *s, zw_force *f, const zw_expr *v, zw_error *err) {
    zw_context *ctx = s->ctx;
    const zw_expr *rates = f->kind == ZW_FORCE_GENERAL ? f->velocities : f->target;
    zw_expr *slope = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv), rest;
    f->Q = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv);
    f->Q_along = f->along ? ZW_CONTEXT_NEW(ctx, zw_expr, s->nv) : NULL;
    if (!f->Q || !slope || (f->along && !f->Q_along))
        return zw_context_status(ctx, err);
    ZW_TRY(zw_mech_check_nonideal(s, f, err));
    for (int k = 0; k < s->nv; k++)
        f->Q[k] = ZW_ZERO;
    for (int i = 0; i < f->n; i++) {
        ZW_TRY(zw_mech_check_symbols(s, f->values[i],
                                     WITH_TIME | WITH_Q | WITH_V | WITH_LAMBDA | WITH_SIGNAL,
                                     f->constraint ? "the given work" : "a force", f->place, err));
        if (!zw_linear(ctx, rates[i], s->nv, v, slope, &rest)) {
            ZW_TRY(zw_mech_status(s, f->place, err));
            return zw_fail_at(err, ZW_E_MODEL, f->place,
                              "a force acts on a rate that is not linear in the velocities");
        }
        for (int k = 0; k < s->nv; k++)
            f->Q[k] = zw_add(ctx, f->Q[k], zw_mul(ctx, f->values[i], slope[k]));
        for (int k = 0; f->along && k < s->nv; k++)
            f->Q_along[k] = zw_mul(ctx, f->along[0], slope[k]);
    }
    return zw_mech_status(s, f->place, err);
}

static zw_status check_masses(const zw_system *s, zw_error *err) {
    const unsigned what = WITH_TIME | WITH_STATE;
    for (int i = 0; i < s->nparticle; i++)
        ZW_TRY(zw_mech_check_symbols(s, s->particle[i].mass, what, "a mass", s->particle[i].place,
                                     err));
    for (int i = 0; i < s->nbody; i++) {
        ZW_TRY(zw_mech_check_symbols(s, s->body[i].mass, what, "a mass", s->body[i].place, err));
        for (int k = 0; k < 6; k++)
            ZW_TRY(zw_mech_check_symbols(s, s->body[i].J[k], what, "an inertia", s->body[i].place,
                                         err));
    }
    return ZW_OK;
}

/* An event function may depend on anything; a clock on parameters only. */
static zw_status check_event(const zw_system *s, const zw_event *e, zw_error *err) {
    const unsigned all = WITH_TIME | WITH_Q | WITH_V | WITH_A | WITH_LAMBDA | WITH_SIGNAL;
    if (e->period) {
        ZW_TRY(zw_mech_check_symbols(s, e->period, 0, "the period of an event", e->place, err));
        ZW_TRY(zw_mech_check_symbols(s, e->phase, 0, "the first time of an event", e->place, err));
    }
    ZW_TRY(zw_mech_check_symbols(s, e->value, all, "an event", e->place, err));
    for (int i = 0; i < e->naction; i++)
        if (e->action[i].kind == ZW_ACTION_SET)
            ZW_TRY(zw_mech_check_symbols(s, e->action[i].value, all, "what an event sets",
                                         e->action[i].place, err));
    return ZW_OK;
}

static zw_status check_contact(const zw_system *s, const zw_contact_validity *c, zw_error *err) {
    const unsigned any = WITH_TIME | WITH_Q | WITH_V | WITH_A | WITH_LAMBDA;
    if (c->press)
        ZW_TRY(zw_mech_check_symbols(s, c->press, any, "a pressing force", c->place, err));
    return c->valid ? zw_mech_check_symbols(s, c->valid, WITH_TIME | WITH_Q,
                                            "the validity of a contact", c->place, err)
                    : ZW_OK;
}

zw_status zw_system_finish(zw_system *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_place nowhere = {0};
    if (s->finished)
        return ZW_OK;
    ZW_TRY(zw_context_status(ctx, err));
    if (s->nq == 0) {
        zw_fail(err, ZW_E_MODEL, "the model %s has no coordinates", s->name);
        zw_error_hint(err, "declare them: coord x, y [m], or a state with its equation");
        return ZW_E_MODEL;
    }
    zw_expr *q = ZW_CONTEXT_NEW(ctx, zw_expr, s->nq), *v = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv);
    if (!q || !v)
        return zw_context_status(ctx, err);
    zw_mech_symbols(s, q, v, NULL);
    ZW_TRY(zw_mech_finish_states(s, err));
    ZW_TRY(check_masses(s, err));
    finish_energies(s);
    ZW_TRY(zw_context_status(ctx, err));
    if (s->T == ZW_ZERO && s->nv > 0) { /* a model of states alone has no masses */
        zw_fail(err, ZW_E_MODEL, "the model %s has no masses", s->name);
        zw_error_hint(err, "add a particle, a body or a kinetic energy");
        return ZW_E_MODEL;
    }
    ZW_TRY(finish_kinematics(s, v, err));
    ZW_TRY(finish_gamma(s, q, err));
    for (int i = 0; i < s->nforce; i++)
        ZW_TRY(finish_force(s, &s->force[i], v, err));
    ZW_TRY(zw_mech_check_signals(s, err));
    const unsigned all = WITH_TIME | WITH_Q | WITH_V | WITH_A | WITH_LAMBDA | WITH_SIGNAL;
    for (int i = 0; i < s->nobservable; i++)
        ZW_TRY(zw_mech_check_symbols(s, s->observable[i].value, all, "an observable",
                                     s->observable[i].place, err));
    for (int i = 0; i < s->nevent; i++)
        ZW_TRY(check_event(s, &s->event[i], err));
    ZW_TRY(zw_mech_finish_events(s, err));
    for (int i = 0; i < s->nfooting; i++)
        ZW_TRY(check_contact(s, &s->footing[i], err));
    ZW_TRY(zw_mech_check_noise(s, err));
    ZW_TRY(zw_mech_check_delays(s, err));
    s->finished = true;
    return zw_mech_status(s, nowhere, err);
}
