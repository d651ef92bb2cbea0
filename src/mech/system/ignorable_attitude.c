/* SPDX-License-Identifier: MIT */
/* The attitude of a rolling ball is not periodic, and nothing depends on it. Lagrange's equations
 * and the constraints contain only its angular velocity, for which Gamma is unchanged: they do not
 * need the quaternion. */
#include "ignorable_attitude.h"

#include <string.h>

#include "build.h"

typedef struct attitude {
    const zw_system *s;
    zw_expr q[4]; /* the quaternion */
} attitude;

static bool has_attitude(const attitude *l, zw_expr e) {
    return e && zw_depends_any(l->s->ctx, e, 4, l->q);
}

static bool any_has(const attitude *l, int n, const zw_expr *e) {
    for (int i = 0; e && i < n; i++)
        if (has_attitude(l, e[i]))
            return true;
    return false;
}

static bool forces_have(const attitude *l) {
    for (int i = 0; i < l->s->nforce; i++) {
        const zw_force *f = &l->s->force[i];
        if (any_has(l, l->s->nv, f->Q) || any_has(l, l->s->nv, f->Q_along))
            return true;
    }
    return false;
}

static bool events_have(const attitude *l) {
    for (int i = 0; i < l->s->nevent; i++) {
        const zw_event *e = &l->s->event[i];
        bool found = has_attitude(l, e->value);
        for (int k = 0; k < e->naction; k++)
            found |= has_attitude(l, e->action[k].what) || has_attitude(l, e->action[k].value);
        if (found)
            return true;
    }
    return false;
}

static bool conditions_have(const attitude *l) {
    const zw_system *s = l->s;
    for (int i = 0; i < s->nconstraint; i++)
        if (has_attitude(l, s->constraint[i].residual))
            return true;
    for (int i = 0; i < s->nintegral; i++)
        if (has_attitude(l, s->integral[i].value))
            return true;
    for (int i = 0; i < s->nfooting; i++)
        if (has_attitude(l, s->footing[i].press) || has_attitude(l, s->footing[i].valid))
            return true;
    return false;
}

/* start values of the quaternion itself do not affect anything else */
static bool is_own(const attitude *l, const zw_start *start) {
    for (int k = 0; k < 4; k++)
        if (start->what == l->q[k])
            return true;
    return false;
}

static bool starts_have(const attitude *l) {
    for (int i = 0; i < l->s->nstart; i++)
        if (!is_own(l, &l->s->start[i]) &&
            (has_attitude(l, l->s->start[i].what) || has_attitude(l, l->s->start[i].value)))
            return true;
    return false;
}

/* the rates of other coordinates and states */
static bool rates_have(const attitude *l, int first) {
    const zw_system *s = l->s;
    for (int i = 0; i < s->nq; i++)
        if ((i < first || i > first + 3) && has_attitude(l, s->coord[i].rate))
            return true;
    return false;
}

static bool matters(const zw_system *s, int first) {
    attitude l = {.s = s};
    for (int k = 0; k < 4; k++)
        l.q[k] = s->coord[first + k].sym;
    return has_attitude(&l, s->T) || has_attitude(&l, s->potential) ||
           has_attitude(&l, s->dissipation) || any_has(&l, s->nv * s->nv, s->Gamma) ||
           rates_have(&l, first) || forces_have(&l) || conditions_have(&l) || events_have(&l) ||
           starts_have(&l);
}

/* ------------------------------------------------------------------------------------- the copy */

/* new indices; -1 for coordinates that are left out */
static int number_coordinates(const zw_system *s, int *of) {
    int left = 0, n = 0;
    for (int i = 0; i < s->nq; i++)
        of[i] = 0;
    for (int i = 0; i < s->nframe; i++) {
        int first = s->frame[i].quaternion;
        if (first < 0 || matters(s, first))
            continue;
        left++;
        for (int k = 0; k < 4; k++)
            of[first + k] = -1;
    }
    for (int i = 0; i < s->nq; i++)
        if (of[i] == 0)
            of[i] = n++;
    return left;
}

static bool is_left_out(const zw_system *s, const int *of, zw_expr e) {
    for (int i = 0; i < s->nq; i++)
        if (of[i] < 0 && e && zw_depends(s->ctx, e, s->coord[i].sym))
            return true;
    return false;
}

static int copy_starts(const zw_system *s, const int *of, int n, const zw_start *from,
                       zw_start *to) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!is_left_out(s, of, from[i].what) && !is_left_out(s, of, from[i].value))
            to[kept++] = from[i];
    return kept;
}

/* quasi-velocities refer to their coordinates by index */
static zw_status copy_groups(zw_system *out, const zw_system *s, const int *of, zw_error *err) {
    struct zw_system_store *store = ZW_CONTEXT_NEW(s->ctx, struct zw_system_store, 1);
    quasi_group *group = ZW_CONTEXT_NEW(s->ctx, quasi_group, s->store->ngroup);
    if (!store || !group)
        return zw_context_status(s->ctx, err);
    *store = *s->store;
    for (int i = 0; i < store->ngroup; i++) {
        group[i] = s->store->group[i];
        int *coord = ZW_CONTEXT_NEW(s->ctx, int, group[i].n);
        for (int k = 0; coord && k < group[i].n; k++)
            coord[k] = of[group[i].coord[k]];
        group[i].coord = coord;
    }
    store->group = group;
    state_equation *state = ZW_CONTEXT_NEW(s->ctx, state_equation, store->nstate);
    for (int i = 0; state && i < store->nstate; i++) {
        state[i] = s->store->state[i];
        state[i].coord = of[state[i].coord];
    }
    store->state = state;
    out->store = store;
    return zw_context_status(s->ctx, err);
}

static void fill_system(zw_system *out, const zw_system *s, const int *of) {
    int nv = s->nv;
    out->nq = out->nobservable = 0;
    for (int i = 0; i < s->nq; i++)
        if (of[i] >= 0) {
            out->coord[out->nq] = s->coord[i];
            out->f[out->nq] = s->f[i];
            memcpy(out->F + (size_t)(out->nq * nv), s->F + (size_t)(i * nv),
                   sizeof *s->F * (size_t)nv);
            out->nq++;
        }
    for (int i = 0; i < nv; i++) {
        out->velocity[i] = s->velocity[i];
        if (s->velocity[i].coord >= 0)
            out->velocity[i].coord = of[s->velocity[i].coord];
    }
    for (int i = 0; i < s->nframe; i++) {
        out->frame[i] = s->frame[i];
        if (s->frame[i].quaternion >= 0)
            out->frame[i].quaternion = of[s->frame[i].quaternion];
    }
    for (int i = 0; i < s->nobservable; i++)
        if (!is_left_out(s, of, s->observable[i].value))
            out->observable[out->nobservable++] = s->observable[i];
    out->nstart = copy_starts(s, of, s->nstart, s->start, out->start);
    out->nguess = copy_starts(s, of, s->nguess, s->guess, out->guess);
    out->ndrawing = out->nsketch = out->nclaim = out->nmotion = 0;
}

zw_status zw_system_without_attitudes(zw_system *out, const zw_system *s, int *of, int *left,
                                      zw_error *err) {
    zw_context *ctx = s->ctx;
    *out = *s;
    *left = s->ncontact ? 0 : number_coordinates(s, of);
    if (*left == 0) {
        for (int i = 0; i < s->nq; i++)
            of[i] = i;
        return ZW_OK;
    }
    out->coord = ZW_CONTEXT_NEW(ctx, zw_coord, s->nq);
    out->f = ZW_CONTEXT_NEW(ctx, zw_expr, s->nq);
    out->F = ZW_CONTEXT_NEW(ctx, zw_expr, s->nq * s->nv);
    out->velocity = ZW_CONTEXT_NEW(ctx, zw_velocity, s->nv);
    out->frame = ZW_CONTEXT_NEW(ctx, zw_frame, s->nframe);
    out->observable = ZW_CONTEXT_NEW(ctx, zw_observable, s->nobservable);
    out->start = ZW_CONTEXT_NEW(ctx, zw_start, s->nstart);
    out->guess = ZW_CONTEXT_NEW(ctx, zw_start, s->nguess);
    ZW_TRY(zw_context_status(ctx, err));
    fill_system(out, s, of);
    return copy_groups(out, s, of, err);
}
