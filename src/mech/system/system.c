/* SPDX-License-Identifier: MIT */
/* The builder: every function checks what it is given and appends to a list of the system. */
#include "zwang/system.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample.h"
#include "zwang/equations.h"

#define LIST(s, name)                                                                              \
    ((void **)&(s)->name), (s)->n##name, &(s)->store->name##_capacity, sizeof *(s)->name

/* the interned name, rejected if a scalar (parameter, coordinate, velocity) has it already */
zw_status zw_mech_scalar_name(zw_system *s, const char *name, zw_place place, const char **out,
                              zw_error *err) {
    *out = zw_context_intern(s->ctx, name);
    if (!*out)
        return zw_mech_status(s, place, err);
    const char *kind = NULL;
    zw_place first = {0};
    for (int i = 0; i < s->np; i++)
        if (s->param[i].name == *out) {
            kind = "parameter";
            first = s->param[i].place;
        }
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].name == *out) {
            kind = s->coord[i].state ? "state" : "coordinate";
            first = s->coord[i].place;
        }
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].name == *out) {
            kind = "velocity";
            first = s->velocity[i].place;
        }
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].name == *out) {
            kind = "signal";
            first = s->signal[i].place;
        }
    if (!kind)
        return ZW_OK;
    zw_fail_at(err, ZW_E_NAME, place, "the name %s is taken: it is a %s already", name, kind);
    if (first.file)
        zw_error_hint(err, "it was declared in line %d; choose another name", first.line);
    return ZW_E_NAME;
}

zw_status zw_system_create(zw_system **out, zw_context *ctx, const char *name, const char *title,
                           zw_error *err) {
    assert(out);
    static const zw_expr axes[9] = {ZW_ONE,  ZW_ZERO, ZW_ZERO, ZW_ZERO, ZW_ONE,
                                    ZW_ZERO, ZW_ZERO, ZW_ZERO, ZW_ONE};
    *out = NULL;
    zw_system *s = ZW_CONTEXT_NEW(ctx, zw_system, 1);
    struct zw_system_store *store = ZW_CONTEXT_NEW(ctx, struct zw_system_store, 1);
    if (!s || !store)
        return zw_context_status(ctx, err);
    s->ctx = ctx;
    s->store = store;
    s->name = zw_context_intern(ctx, name);
    s->title = zw_context_intern(ctx, title ? title : "");
    s->variant = "";
    s->t = zw_symbol(ctx, "t");
    s->kinetic = s->potential = s->dissipation = ZW_ZERO;
    for (int i = 0; i < 3; i++)
        s->gravity[i] = ZW_ZERO;
    if (!zw_mech_grow(ctx, (void **)&s->frame, 0, &store->frame_capacity, sizeof *s->frame))
        return zw_context_status(ctx, err);
    zw_frame *inertial = &s->frame[s->nframe++];
    inertial->name = zw_context_intern(ctx, "inertial");
    inertial->quaternion = -1;
    memcpy(inertial->A, axes, sizeof axes);
    for (int i = 0; i < 3; i++)
        inertial->w[i] = inertial->omega[i] = inertial->o[i] = inertial->vo[i] = ZW_ZERO;
    *out = s;
    return zw_context_status(ctx, err);
}

zw_status zw_system_param(zw_system *s, const char *name, const char *unit, zw_expr value,
                          zw_place place, zw_expr *sym, zw_error *err) {
    const char *known;
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_scalar_name(s, name, place, &known, err));
    ZW_TRY(zw_mech_check_symbols(s, value, 0, "the value of a parameter", place, err));
    if (!zw_mech_grow(s->ctx, (void **)&s->param, s->np, &s->store->param_capacity,
                      sizeof *s->param))
        return zw_mech_status(s, place, err);
    *sym = zw_symbol(s->ctx, name);
    s->param[s->np++] =
        (zw_param){known, zw_context_intern(s->ctx, unit ? unit : ""), *sym, value, place};
    return zw_mech_status(s, place, err);
}

/* text + suffix, interned */
static const char *join_texts(zw_context *ctx, const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    char *both = zw_context_alloc(ctx, n + m + 1);
    if (!both)
        return NULL;
    memcpy(both, text, n);
    memcpy(both + n, suffix, m);
    return both;
}

/* the unit of a rate: "m" -> "m/s", "" -> "1/s", "rad" -> "rad/s" */
static const char *rate_unit(zw_context *ctx, const char *unit) {
    return unit[0] ? join_texts(ctx, unit, "/s") : zw_context_intern(ctx, "1/s");
}

static zw_status add_velocity(zw_system *s, const char *name, const char *unit, int coord,
                              zw_place place, zw_expr *sym, zw_error *err) {
    if (!zw_mech_grow(s->ctx, (void **)&s->velocity, s->nv, &s->store->velocity_capacity,
                      sizeof *s->velocity))
        return zw_mech_status(s, place, err);
    const char *accel = join_texts(s->ctx, name, "'");
    if (!accel)
        return zw_mech_status(s, place, err);
    *sym = zw_symbol(s->ctx, name);
    s->velocity[s->nv++] = (zw_velocity){.name = zw_context_intern(s->ctx, name),
                                         .unit = unit,
                                         .sym = *sym,
                                         .accel = zw_symbol(s->ctx, accel),
                                         .coord = coord,
                                         .place = place};
    return zw_mech_status(s, place, err);
}

static zw_status add_coord(zw_system *s, const char *name, const char *unit, zw_place place,
                           zw_expr *sym, zw_error *err) {
    const char *known;
    ZW_TRY(zw_mech_scalar_name(s, name, place, &known, err));
    if (!zw_mech_grow(s->ctx, (void **)&s->coord, s->nq, &s->store->coord_capacity,
                      sizeof *s->coord))
        return zw_mech_status(s, place, err);
    *sym = zw_symbol(s->ctx, name);
    s->coord[s->nq++] = (zw_coord){.name = known,
                                   .unit = zw_context_intern(s->ctx, unit ? unit : ""),
                                   .sym = *sym,
                                   .place = place};
    return zw_mech_status(s, place, err);
}

zw_status zw_system_coord(zw_system *s, const char *name, const char *unit, zw_place place,
                          zw_expr *sym, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(add_coord(s, name, unit, place, sym, err));
    zw_coord *q = &s->coord[s->nq - 1];
    const char *rate = join_texts(s->ctx, name, "'"), *known;
    if (!rate)
        return zw_mech_status(s, place, err);
    ZW_TRY(zw_mech_scalar_name(s, rate, place, &known, err));
    ZW_TRY(add_velocity(s, rate, rate_unit(s->ctx, q->unit), s->nq - 1, place, &q->rate, err));
    q->accel = s->velocity[s->nv - 1].accel;
    return ZW_OK;
}

/* A state may have the name of the rate of another one, beta' of beta: that rate is then this
 * state, and needs no symbol. */
static void name_rates(zw_system *s) {
    for (int i = 0; i < s->store->nstate; i++)
        for (int k = 0; k < s->nq; k++)
            if (s->store->state[i].rate_symbol == s->coord[k].sym) {
                const char *unused =
                    join_texts(s->ctx, "the rate of ", s->coord[s->store->state[i].coord].name);
                s->store->state[i].rate_symbol = s->store->state[i].accel_symbol =
                    zw_symbol(s->ctx, unused ? unused : "the rate of");
                s->store->state[i].named = s->coord[k].sym;
            }
}

/* Until finish its rate and acceleration are symbols: their expressions may be given later. */
zw_status zw_system_state(zw_system *s, const char *name, const char *unit, zw_place place,
                          zw_expr *sym, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(add_coord(s, name, unit, place, sym, err));
    if (!zw_mech_grow(s->ctx, (void **)&s->store->state, s->store->nstate,
                      &s->store->state_capacity, sizeof *s->store->state))
        return zw_mech_status(s, place, err);
    const char *rate = join_texts(s->ctx, name, "'"), *accel = join_texts(s->ctx, name, "''");
    if (!rate || !accel)
        return zw_mech_status(s, place, err);
    zw_coord *q = &s->coord[s->nq - 1];
    q->state = true;
    q->rate = zw_symbol(s->ctx, rate);
    q->accel = zw_symbol(s->ctx, accel);
    s->store->state[s->store->nstate++] = (state_equation){
        .coord = s->nq - 1, .rate_symbol = q->rate, .accel_symbol = q->accel, .place = place};
    name_rates(s);
    return zw_mech_status(s, place, err);
}

static int find_coord(const zw_system *s, zw_expr sym) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == sym)
            return i;
    return -1;
}

zw_status zw_system_periodic(zw_system *s, zw_expr coord, zw_expr period, zw_place place,
                             zw_error *err) {
    int i = find_coord(s, coord);
    ZW_TRY(zw_mech_open(s, place, err));
    if (i < 0)
        return zw_fail_at(err, ZW_E_MODEL, place, "only a coordinate can be periodic");
    s->coord[i].period = period;
    return zw_mech_check_symbols(s, period, 0, "a period", place, err);
}

zw_status zw_system_independent(zw_system *s, zw_expr velocity, zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == velocity) {
            s->velocity[i].independent = true;
            return ZW_OK;
        }
    zw_fail_at(err, ZW_E_MODEL, place, "only a velocity of the system can be independent");
    zw_error_hint(err, "name rates of plain coordinates, quasi-velocities or angular velocities");
    return ZW_E_MODEL;
}

zw_expr zw_system_rate(const zw_system *s, zw_expr coord) {
    int i = find_coord(s, coord);
    return i < 0 ? ZW_NULL : s->coord[i].rate;
}

zw_expr zw_system_accel(const zw_system *s, zw_expr coord) {
    int i = find_coord(s, coord);
    return i < 0 ? ZW_NULL : s->coord[i].accel;
}

bool zw_system_moves(const zw_system *s, zw_expr e) {
    bool moves = zw_depends(s->ctx, e, s->t);
    for (int i = 0; i < s->nq; i++)
        moves |= zw_depends(s->ctx, e, s->coord[i].sym);
    for (int i = 0; i < s->nv; i++)
        moves |= zw_depends(s->ctx, e, s->velocity[i].sym);
    return moves;
}

zw_expr zw_system_dt(const zw_system *s, zw_expr e) {
    int n = 1 + s->nq + s->nv, open = s->finished ? 0 : s->store->nstate;
    int all = n + open + s->nsignal;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *from = ZW_SCRATCH_NEW(s->ctx, zw_expr, all),
            *to = ZW_SCRATCH_NEW(s->ctx, zw_expr, all);
    if (!from || !to)
        return ZW_NULL;
    from[0] = s->t;
    to[0] = ZW_ONE;
    for (int i = 0; i < s->nq; i++) {
        from[1 + i] = s->coord[i].sym;
        to[1 + i] = s->coord[i].rate;
    }
    for (int i = 0; i < s->nv; i++) {
        from[1 + s->nq + i] = s->velocity[i].sym;
        to[1 + s->nq + i] = s->velocity[i].accel;
    }
    for (int i = 0; i < open; i++) {
        from[n + i] = s->store->state[i].rate_symbol;
        to[n + i] = s->store->state[i].accel_symbol;
    }
    for (int i = 0; i < s->nsignal; i++) {
        from[n + open + i] = s->signal[i].sym;
        to[n + open + i] = s->signal[i].rate;
    }
    zw_expr rate = zw_along(s->ctx, e, all, from, to);
    zw_scratch_release(s->ctx, mark);
    return rate;
}

/* ---------------------------------------------------------------------------- quasi-velocities */

/* the velocities among v that the definitions use; rejected unless they are n rates of
 * coordinates */
static zw_status rates_used(const zw_system *s, int n, const zw_expr *def, const zw_place *places,
                            int *velocity, zw_error *err) {
    int count = 0;
    for (int k = 0; k < s->nv; k++) {
        bool used = false;
        for (int i = 0; i < n; i++)
            used |= zw_depends(s->ctx, def[i], s->velocity[k].sym);
        if (!used)
            continue;
        if (s->velocity[k].coord < 0)
            return zw_fail_at(err, ZW_E_MODEL, places[0],
                              "quasi-velocities are made of the rates of coordinates, %s is none",
                              s->velocity[k].name);
        if (count == n) {
            zw_fail_at(err, ZW_E_MODEL, places[0],
                       "%d quasi-velocities hold the rates of more than %d coordinates", n, n);
            zw_error_hint(err, "define as many quasi-velocities as coordinates whose rates they "
                               "replace");
            return ZW_E_MODEL;
        }
        velocity[count++] = k;
    }
    if (count == n)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, places[0],
               "%d quasi-velocities are made of the rates of only %d coordinates", n, count);
    zw_error_hint(err, "define as many quasi-velocities as coordinates whose rates they replace");
    return ZW_E_MODEL;
}

/* q' = F (u - a) for the group; rates and accelerations of its coordinates rewritten */
static zw_status replace_rates(zw_system *s, const quasi_group *g, const zw_expr *a,
                               const zw_expr *u, zw_place place, zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_expr *F = ZW_CONTEXT_NEW(ctx, zw_expr, g->n * g->n);
    if (!F || !zw_mech_inverse(ctx, g->n, g->A, F)) {
        ZW_TRY(zw_mech_status(s, place, err));
        return zw_fail_at(err, ZW_E_MODEL, place,
                          "the quasi-velocities do not determine the rates: their definitions are "
                          "dependent (or more than 6 at once)");
    }
    for (int i = 0; i < g->n; i++) {
        zw_expr rate = ZW_ZERO;
        for (int j = 0; j < g->n; j++)
            rate = zw_add(ctx, rate, zw_mul(ctx, F[i * g->n + j], zw_sub(ctx, u[j], a[j])));
        s->coord[g->coord[i]].rate = rate;
    }
    for (int i = 0; i < g->n; i++)
        s->coord[g->coord[i]].accel = zw_system_dt(s, s->coord[g->coord[i]].rate);
    return zw_mech_status(s, place, err);
}

static zw_status reject_state_rate(const zw_system *s, zw_expr def, const char *name,
                                   zw_place place, zw_error *err) {
    for (int i = 0; i < s->store->nstate; i++)
        if (zw_depends(s->ctx, def, s->store->state[i].rate_symbol)) {
            zw_fail_at(err, ZW_E_MODEL, place,
                       "the quasi-velocity %s holds the rate of the state %s", name,
                       s->coord[s->store->state[i].coord].name);
            zw_error_hint(err, "write what that rate is made of");
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

zw_status zw_system_quasi(zw_system *s, int n, const char *const *names, const char *const *units,
                          const zw_expr *def, const zw_place *places, zw_expr *syms,
                          zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(zw_mech_open(s, places[0], err));
    int *velocity = ZW_CONTEXT_NEW(ctx, int, n), *coord = ZW_CONTEXT_NEW(ctx, int, n);
    zw_expr *rate = ZW_CONTEXT_NEW(ctx, zw_expr, n), *A = ZW_CONTEXT_NEW(ctx, zw_expr, n * n),
            *a = ZW_CONTEXT_NEW(ctx, zw_expr, n);
    if (!velocity || !coord || !rate || !A || !a ||
        !zw_mech_grow(ctx, (void **)&s->store->group, s->store->ngroup, &s->store->group_capacity,
                      sizeof(quasi_group)))
        return zw_mech_status(s, places[0], err);
    ZW_TRY(rates_used(s, n, def, places, velocity, err));
    for (int i = 0; i < n; i++) {
        coord[i] = s->velocity[velocity[i]].coord;
        rate[i] = s->velocity[velocity[i]].sym;
    }
    for (int i = 0; i < n; i++) {
        const char *known;
        ZW_TRY(zw_mech_scalar_name(s, names[i], places[i], &known, err));
        ZW_TRY(reject_state_rate(s, def[i], names[i], places[i], err));
        ZW_TRY(zw_mech_check_symbols(s, def[i], WITH_TIME | WITH_Q | WITH_V, "a quasi-velocity",
                                     places[i], err));
        if (!zw_linear(ctx, def[i], n, rate, A + (size_t)i * (size_t)n, &a[i])) {
            ZW_TRY(zw_mech_status(s, places[i], err));
            return zw_fail_at(err, ZW_E_MODEL, places[i],
                              "the quasi-velocity %s is not linear in the rates", names[i]);
        }
    }
    /* the new velocities replace the rates */
    for (int i = 0; i < n; i++) {
        zw_velocity *v = &s->velocity[velocity[i]];
        const char *accel = join_texts(ctx, names[i], "'");
        if (!accel)
            return zw_mech_status(s, places[i], err);
        syms[i] = zw_symbol(ctx, names[i]);
        *v = (zw_velocity){.name = zw_context_intern(ctx, names[i]),
                           .unit = zw_context_intern(ctx, units[i] ? units[i] : ""),
                           .sym = syms[i],
                           .accel = zw_symbol(ctx, accel),
                           .coord = -1,
                           .place = places[i]};
    }
    quasi_group *g = &s->store->group[s->store->ngroup++];
    *g = (quasi_group){n, coord, velocity, A};
    return replace_rates(s, g, a, syms, places[0], err);
}

/* ------------------------------------------------------------------------------ free rotations */

zw_status zw_system_frame_free(zw_system *s, const char *name, const zw_expr origin[3],
                               bool in_space, zw_place place, int *frame, zw_error *err) {
    zw_context *ctx = s->ctx;
    static const char *const p_name[] = {".p0", ".p1", ".p2", ".p3"};
    static const char *const w_name[] = {".wx", ".wy", ".wz"};
    zw_expr p[4], w[3], cross[3], scalar = ZW_ZERO;
    ZW_TRY(zw_mech_open(s, place, err));
    if (!zw_mech_grow(ctx, LIST(s, frame)))
        return zw_mech_status(s, place, err);
    int first = s->nq;
    for (int i = 0; i < 4; i++) {
        const char *full = join_texts(ctx, name, p_name[i]);
        if (!full)
            return zw_mech_status(s, place, err);
        ZW_TRY(add_coord(s, full, "", place, &p[i], err));
    }
    for (int i = 0; i < 3; i++) {
        const char *full = join_texts(ctx, name, w_name[i]), *known;
        if (!full)
            return zw_mech_status(s, place, err);
        ZW_TRY(zw_mech_scalar_name(s, full, place, &known, err));
        ZW_TRY(add_velocity(s, full, zw_context_intern(ctx, "rad/s"), -1, place, &w[i], err));
    }
    /* p0' = -p.w/2, p' = (p0 w +- p x w)/2, + for body components, - for space components */
    zw_cross(ctx, p + 1, w, cross);
    for (int i = 0; i < 3; i++)
        scalar = zw_sub(ctx, scalar, zw_mul(ctx, p[1 + i], w[i]));
    s->coord[first].rate = zw_mul(ctx, ZW_HALF, scalar);
    for (int i = 0; i < 3; i++) {
        zw_expr turn = in_space ? zw_neg(ctx, cross[i]) : cross[i];
        s->coord[first + 1 + i].rate =
            zw_mul(ctx, ZW_HALF, zw_add(ctx, zw_mul(ctx, p[0], w[i]), turn));
    }
    for (int i = 0; i < 4; i++)
        s->coord[first + i].accel = zw_system_dt(s, s->coord[first + i].rate);
    zw_frame *f = &s->frame[s->nframe];
    *f = (zw_frame){.name = zw_context_intern(ctx, name), .quaternion = first, .place = place};
    /* A = 1 + 2 (p0 p~ + p~ p~), p~ the cross product with (p1, p2, p3) */
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        zw_expr squares = zw_add(ctx, zw_pow(ctx, p[1 + j], ZW_TWO), zw_pow(ctx, p[1 + k], ZW_TWO));
        f->A[4 * i] = zw_sub(ctx, ZW_ONE, zw_mul(ctx, ZW_TWO, squares));
        zw_expr product = zw_mul(ctx, p[1 + i], p[1 + j]), axis = zw_mul(ctx, p[0], p[1 + k]);
        f->A[3 * i + j] = zw_mul(ctx, ZW_TWO, zw_sub(ctx, product, axis));
        f->A[3 * j + i] = zw_mul(ctx, ZW_TWO, zw_add(ctx, product, axis));
    }
    f->in_space = in_space;
    memcpy(in_space ? f->omega : f->w, w, sizeof w);
    if (in_space)
        zw_rotate_back(ctx, f->A, w, f->w);
    else
        zw_rotate(ctx, f->A, w, f->omega);
    for (int i = 0; i < 3; i++) {
        f->o[i] = origin[i];
        f->vo[i] = zw_system_dt(s, origin[i]);
    }
    *frame = s->nframe++;
    return zw_mech_status(s, place, err);
}

/* --------------------------------------------------------------------------------------- masses */

zw_status zw_system_particle(zw_system *s, const char *name, zw_expr mass, const zw_expr r[3],
                             zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    if (!zw_mech_grow(s->ctx, LIST(s, particle)))
        return zw_mech_status(s, place, err);
    zw_particle *p = &s->particle[s->nparticle++];
    *p = (zw_particle){.name = zw_context_intern(s->ctx, name), .mass = mass, .place = place};
    for (int i = 0; i < 3; i++) {
        p->r[i] = r[i];
        p->v[i] = zw_system_dt(s, r[i]);
    }
    return zw_mech_status(s, place, err);
}

zw_status zw_system_body(zw_system *s, const char *name, int frame, zw_expr mass,
                         const zw_expr cog[3], const zw_expr J[6], zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    if (frame < 0 || frame >= s->nframe)
        return zw_fail_at(err, ZW_E_MODEL, place, "the body %s has no frame", name);
    if (!zw_mech_grow(s->ctx, LIST(s, body)))
        return zw_mech_status(s, place, err);
    zw_body *b = &s->body[s->nbody++];
    *b = (zw_body){
        .name = zw_context_intern(s->ctx, name), .frame = frame, .mass = mass, .place = place};
    memcpy(b->cog, cog, sizeof b->cog);
    memcpy(b->J, J, sizeof b->J);
    zw_frame_vector(s, frame, cog, b->r);
    for (int i = 0; i < 3; i++)
        b->r[i] = zw_add(s->ctx, s->frame[frame].o[i], b->r[i]);
    zw_frame_velocity_at(s, frame, b->r, b->v);
    return zw_mech_status(s, place, err);
}

static zw_status add_energy(zw_system *s, zw_energy_kind kind, zw_expr e, unsigned what,
                            const char *role, zw_place place, zw_error *err) {
    zw_expr *sum[] = {&s->kinetic, &s->potential, &s->dissipation};
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_check_symbols(s, e, what, role, place, err));
    if (!zw_mech_grow(s->ctx, LIST(s, energy)))
        return zw_mech_status(s, place, err);
    s->energy[s->nenergy++] = (zw_energy){kind, e, place};
    *sum[kind] = zw_add(s->ctx, *sum[kind], e);
    return zw_mech_status(s, place, err);
}

zw_status zw_system_kinetic(zw_system *s, zw_expr T, zw_place place, zw_error *err) {
    return add_energy(s, ZW_ENERGY_KINETIC, T, WITH_TIME | WITH_Q | WITH_V, "kinetic energy", place,
                      err);
}

zw_status zw_system_potential(zw_system *s, zw_expr V, zw_place place, zw_error *err) {
    return add_energy(s, ZW_ENERGY_POTENTIAL, V, WITH_TIME | WITH_Q, "potential energy", place,
                      err);
}

zw_status zw_system_dissipation(zw_system *s, zw_expr R, zw_place place, zw_error *err) {
    return add_energy(s, ZW_ENERGY_DISSIPATION, R, WITH_TIME | WITH_Q | WITH_V | WITH_SIGNAL,
                      "dissipation", place, err);
}

zw_status zw_system_gravity(zw_system *s, const zw_expr g[3], zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    for (int i = 0; i < 3; i++) {
        ZW_TRY(zw_mech_check_symbols(s, g[i], WITH_TIME | WITH_STATE, "gravity", place, err));
        s->gravity[i] = g[i];
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- forces */

static zw_status add_force(zw_system *s, const char *name, zw_force_kind kind, int n,
                           const zw_expr *values, zw_place place, zw_force **out, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    if (!zw_mech_grow(s->ctx, LIST(s, force)))
        return zw_mech_status(s, place, err);
    zw_force *f = &s->force[s->nforce++];
    *f = (zw_force){
        .name = zw_context_intern(s->ctx, name ? name : ""), .kind = kind, .n = n, .place = place};
    f->values = ZW_CONTEXT_NEW(s->ctx, zw_expr, n);
    if (!f->values)
        return zw_mech_status(s, place, err);
    memcpy(f->values, values, (size_t)n * sizeof *values);
    *out = f;
    return zw_mech_status(s, place, err);
}

zw_status zw_system_force(zw_system *s, const char *name, int n, const zw_expr *rates,
                          const zw_expr *values, zw_place place, zw_error *err) {
    zw_force *f = NULL;
    ZW_TRY(add_force(s, name, ZW_FORCE_GENERAL, n, values, place, &f, err));
    zw_expr *copy = ZW_CONTEXT_NEW(s->ctx, zw_expr, n);
    if (!copy)
        return zw_mech_status(s, place, err);
    memcpy(copy, rates, (size_t)n * sizeof *rates);
    f->velocities = copy;
    return ZW_OK;
}

zw_status zw_system_force_at(zw_system *s, const char *name, const zw_expr velocity[3],
                             const zw_expr force[3], zw_place place, zw_error *err) {
    zw_force *f = NULL;
    ZW_TRY(add_force(s, name, ZW_FORCE_POINT, 3, force, place, &f, err));
    memcpy(f->target, velocity, sizeof f->target);
    return ZW_OK;
}

zw_status zw_system_torque(zw_system *s, const char *name, int frame, const zw_expr torque[3],
                           zw_place place, zw_error *err) {
    zw_force *f = NULL;
    ZW_TRY(add_force(s, name, ZW_FORCE_TORQUE, 3, torque, place, &f, err));
    zw_frame_omega(s, frame, f->target);
    return zw_mech_status(s, place, err);
}

/* ---------------------------------------------------------------------------------- constraints */

zw_expr zw_system_lambda(zw_system *s, const char *constraint) {
    const char *open = join_texts(s->ctx, "lambda(", constraint);
    const char *full = open ? join_texts(s->ctx, open, ")") : NULL;
    return full ? zw_symbol(s->ctx, full) : ZW_NULL;
}

zw_expr zw_system_lambda_rate(zw_system *s, const char *constraint) {
    return zw_mech_named(s->ctx, "lambda'", constraint);
}

/* the highest level of anything in the residual */
int zw_mech_level(const zw_system *s, zw_expr residual) {
    int level = -1;
    residual = zw_mech_resolved(s, residual);
    for (int i = 0; i < s->nq; i++)
        if (zw_depends(s->ctx, residual, s->coord[i].sym))
            level = ZW_POSITION;
    for (int i = 0; i < s->nv; i++)
        if (zw_depends(s->ctx, residual, s->velocity[i].sym))
            level = ZW_VELOCITY;
    for (int i = 0; i < s->store->nstate; i++)
        if (zw_depends(s->ctx, residual, s->store->state[i].rate_symbol))
            level = ZW_VELOCITY;
    for (int i = 0; i < s->nv; i++)
        if (zw_depends(s->ctx, residual, s->velocity[i].accel))
            level = ZW_ACCELERATION;
    for (int i = 0; i < s->store->nstate; i++)
        if (zw_depends(s->ctx, residual, s->store->state[i].accel_symbol))
            level = ZW_ACCELERATION;
    return level;
}

/* true if the residual is affine in the velocities (or accelerations) it contains */
static bool is_affine(const zw_system *s, zw_expr residual, zw_level level) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nv),
            *coef = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nv), rest;
    if (!sym || !coef)
        return false;
    if (level == ZW_ACCELERATION)
        zw_mech_symbols(s, NULL, NULL, sym);
    else
        zw_mech_symbols(s, NULL, sym, NULL);
    bool affine = zw_linear(s->ctx, residual, s->nv, sym, coef, &rest);
    zw_scratch_release(s->ctx, mark);
    return affine;
}

/* Size of a value that cannot be round-off, with symbols of order 1; smaller ones cost an
 * expansion, which decides exactly. */
#define CERTAINLY_NONZERO 1e-6

/* a nonzero value at one point decides; otherwise it is multiplied out */
bool zw_mech_is_zero(const zw_system *s, zw_expr residual) {
    zw_sample sample;
    zw_error ignored = {0};
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    double value = 0;
    if (zw_sample_init(&sample, s, &ignored) >= 0) {
        zw_sample_scatter(&sample, s, 0);
        value = zw_sample_value(&sample, s, residual);
    }
    zw_scratch_release(s->ctx, mark);
    return !(fabs(value) > CERTAINLY_NONZERO) && zw_expand(s->ctx, residual) == ZW_ZERO;
}

static zw_status check_inequality(const zw_constraint *c, zw_error *err) {
    if (!c->inequality || c->level == ZW_ACCELERATION)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, c->place,
               "the inequality %s is one of %s; only accelerations can be bounded", c->name,
               c->level == ZW_POSITION ? "positions" : "velocities");
    zw_error_hint(err, "write it for the second derivative where it is met, for instance "
                       "y'' >= 0 for a mass that rests on a floor");
    return ZW_E_MODEL;
}

zw_status zw_mech_constraint_nature(const zw_system *s, zw_constraint *c, zw_error *err) {
    zw_expr residual = zw_mech_resolved(s, c->residual);
    int level = zw_mech_level(s, residual);
    if (zw_mech_is_zero(s, residual)) {
        zw_fail_at(err, ZW_E_MODEL, c->place, "the constraint %s is identically true", c->name);
        zw_error_hint(err, "both sides are the same expression: remove it or fix one side");
        return ZW_E_MODEL;
    }
    if (level < 0) {
        zw_fail_at(err, ZW_E_MODEL, c->place,
                   "the constraint %s can never be met: it holds no coordinate and no velocity",
                   c->name);
        zw_error_hint(err, "a constraint is an equation for coordinates, velocities or "
                           "accelerations");
        return ZW_E_MODEL;
    }
    c->level = (zw_level)level;
    c->linear = level == ZW_POSITION || is_affine(s, residual, c->level);
    ZW_TRY(zw_mech_status(s, c->place, err));
    if (level == ZW_ACCELERATION && !c->linear)
        return zw_fail_at(err, ZW_E_MODEL, c->place,
                          "the constraint %s is not linear in the accelerations", c->name);
    return check_inequality(c, err);
}

zw_status zw_system_constraint(zw_system *s, const char *name, zw_expr residual, const char *unit,
                               bool on, zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    const char *known = zw_context_intern(s->ctx, name);
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].name == known)
            return zw_fail_at(err, ZW_E_NAME, place, "there is a constraint %s already", name);
    ZW_TRY(zw_mech_check_symbols(s, residual, WITH_TIME | WITH_Q | WITH_V | WITH_A | WITH_SIGNAL,
                                 "a constraint", place, err));
    zw_constraint c = {.name = known,
                       .residual = residual,
                       .on = on,
                       .lambda = zw_system_lambda(s, name),
                       .unit = zw_context_intern(s->ctx, unit ? unit : ""),
                       .lambda_unit = "",
                       .place = place};
    ZW_TRY(zw_mech_constraint_nature(s, &c, err));
    if (!zw_mech_grow(s->ctx, LIST(s, constraint)))
        return zw_mech_status(s, place, err);
    s->constraint[s->nconstraint++] = c;
    return zw_mech_status(s, place, err);
}

zw_status zw_system_lambda_unit(zw_system *s, const char *constraint, const char *unit,
                                zw_error *err) {
    ZW_TRY(zw_mech_open(s, (zw_place){0}, err));
    const char *known = zw_context_intern(s->ctx, constraint);
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].name == known) {
            s->constraint[i].lambda_unit = zw_context_intern(s->ctx, unit);
            return zw_context_status(s->ctx, err);
        }
    return zw_fail(err, ZW_E_NAME, "there is no constraint %s", constraint);
}

zw_status zw_system_inequality(zw_system *s, const char *constraint, int sign, zw_error *err) {
    ZW_TRY(zw_mech_open(s, (zw_place){0}, err));
    const char *known = zw_context_intern(s->ctx, constraint);
    for (int i = 0; i < s->nconstraint; i++) {
        zw_constraint *c = &s->constraint[i];
        if (c->name != known)
            continue;
        c->inequality = sign > 0 ? 1 : -1;
        return check_inequality(c, err);
    }
    return zw_fail(err, ZW_E_NAME, "there is no constraint %s", constraint);
}

zw_status zw_system_switch(zw_system *s, const char *constraint, bool on, zw_error *err) {
    bool found = false;
    if (s->finished) {
        zw_fail(err, ZW_E_MODEL, "the system %s is finished: %s can no longer be switched", s->name,
                constraint);
        zw_error_hint(err, "what holds is an argument of the derivation (zw_active)");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < s->nconstraint; i++)
        if (zw_mech_is_part(s->constraint[i].name, constraint)) {
            s->constraint[i].on = on;
            found = true;
        }
    return found ? ZW_OK : zw_fail(err, ZW_E_NAME, "there is no constraint %s", constraint);
}

zw_status zw_system_integral(zw_system *s, const zw_integral *integral, zw_error *err) {
    zw_place place = integral->place;
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(
        zw_mech_check_symbols(s, integral->value, WITH_TIME | WITH_Q, "an integral", place, err));
    if (!zw_mech_grow(s->ctx, LIST(s, integral)))
        return zw_mech_status(s, place, err);
    zw_integral *i = &s->integral[s->nintegral++];
    int *of = ZW_CONTEXT_NEW(s->ctx, int, integral->n);
    if (!of)
        return zw_mech_status(s, place, err);
    memcpy(of, integral->of, sizeof *of * (size_t)integral->n);
    *i = *integral;
    i->of = of;
    i->name = zw_context_intern(s->ctx, integral->name);
    i->unit = zw_context_intern(s->ctx, integral->unit);
    return zw_mech_status(s, place, err);
}

/* ------------------------------------------------------------- starts, observables, pictures */

zw_status zw_system_start(zw_system *s, zw_expr what, zw_expr value, const char *text,
                          zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_check_symbols(s, value, 0, "a start value", place, err));
    if (!zw_mech_is_multiplier(s->ctx, what))
        ZW_TRY(zw_mech_check_symbols(s, what, WITH_Q | WITH_V, "what a start fixes", place, err));
    for (int i = 0; i < s->nstart; i++)
        if (s->start[i].what == what)
            return zw_fail_at(err, ZW_E_NAME, place, "%s has two start values", text);
    if (!zw_mech_grow(s->ctx, LIST(s, start)))
        return zw_mech_status(s, place, err);
    s->start[s->nstart++] = (zw_start){what, value, zw_context_intern(s->ctx, text), place};
    return zw_mech_status(s, place, err);
}

zw_status zw_system_guess(zw_system *s, zw_expr what, zw_expr value, const char *text,
                          zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_check_symbols(s, value, 0, "a guess", place, err));
    ZW_TRY(zw_mech_check_symbols(s, what, WITH_Q | WITH_V, "what is guessed", place, err));
    for (int i = 0; i < s->nguess; i++)
        if (s->guess[i].what == what)
            return zw_fail_at(err, ZW_E_NAME, place, "%s is guessed twice", text);
    if (!zw_mech_grow(s->ctx, LIST(s, guess)))
        return zw_mech_status(s, place, err);
    s->guess[s->nguess++] = (zw_start){what, value, zw_context_intern(s->ctx, text), place};
    return zw_mech_status(s, place, err);
}

zw_status zw_system_observe(zw_system *s, const char *name, const char *unit, zw_expr value,
                            zw_place place, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    const char *known = zw_context_intern(s->ctx, name);
    for (int i = 0; i < s->nobservable; i++)
        if (s->observable[i].name == known)
            return zw_fail_at(err, ZW_E_NAME, place, "there is an observable %s already", name);
    if (!zw_mech_grow(s->ctx, LIST(s, observable)))
        return zw_mech_status(s, place, err);
    s->observable[s->nobservable++] =
        (zw_observable){known, zw_context_intern(s->ctx, unit ? unit : ""), value, place};
    return zw_mech_status(s, place, err);
}

static const void *copy_array(zw_system *s, const void *from, int n, size_t size) {
    void *to = n > 0 ? zw_context_alloc(s->ctx, (size_t)n * size) : NULL;
    return to ? memcpy(to, from, (size_t)n * size) : NULL;
}

/* "(beta - pi/2)" */
static zw_expr distance_symbol(zw_system *s, const zw_small *small) {
    enum { LONG = 60 };
    char name[3 * LONG];
    if (small->centre == ZW_ZERO)
        return small->sym;
    char *centre = zw_print_within(s->ctx, small->centre, ZW_TEXT, LONG);
    const char *text = centre ? centre : "its value", *own = zw_expr_name(s->ctx, small->sym);
    bool minus = text[0] == '-', sum = strpbrk(text + 1, "+-") != NULL;
    snprintf(name, sizeof name, sum ? "(%.100s %c (%s))" : "(%.100s %c %s)", own ? own : "?",
             minus && !sum ? '+' : '-', minus && !sum ? text + 1 : text);
    zw_string_free(s->ctx, centre);
    return zw_symbol(s->ctx, name);
}

/* A claim about a state reads best in distances from it: the small quantity is then a power of a
 * symbol. */
static void rewrite_claim(zw_system *s, zw_claim *c) {
    zw_small *small = (zw_small *)c->small;
    for (int i = 0; i < c->nsmall; i++) {
        small[i].distance = distance_symbol(s, &small[i]);
        zw_expr value = zw_add(s->ctx, small[i].centre, small[i].distance);
        if (small[i].distance == small[i].sym)
            continue;
        c->lhs = zw_subst(s->ctx, c->lhs, 1, &small[i].sym, &value);
        c->rhs = zw_subst(s->ctx, c->rhs, 1, &small[i].sym, &value);
    }
    c->residual = zw_sub(s->ctx, c->lhs, c->rhs);
}

zw_status zw_system_claim_full(zw_system *s, const zw_claim *claim, zw_error *err) {
    ZW_TRY(zw_mech_open(s, claim->place, err));
    const char *known = zw_context_intern(s->ctx, claim->name);
    for (int i = 0; i < s->nclaim; i++)
        if (s->claim[i].name == known)
            return zw_fail_at(err, ZW_E_NAME, claim->place, "there is a claim %s already",
                              claim->name);
    if (claim->principle && !zw_principle_find(claim->principle))
        return zw_fail_at(err, ZW_E_NAME, claim->place, "there is no principle %s",
                          claim->principle);
    if (claim->order < 0)
        return zw_fail_at(err, ZW_E_MODEL, claim->place, "the order %d of the claim %s is negative",
                          claim->order, claim->name);
    if (!zw_mech_grow(s->ctx, LIST(s, claim)))
        return zw_mech_status(s, claim->place, err);
    zw_claim *c = &s->claim[s->nclaim++];
    *c = *claim;
    c->name = known;
    c->principle = claim->principle ? zw_principle_find(claim->principle)->name : NULL;
    c->small = copy_array(s, claim->small, claim->nsmall, sizeof *claim->small);
    c->units = claim->units ? zw_context_intern(s->ctx, claim->units) : NULL;
    c->claimed = copy_array(s, claim->claimed, claim->nclaimed, sizeof *claim->claimed);
    if (zw_context_status(s->ctx, NULL) >= 0)
        rewrite_claim(s, c);
    return zw_mech_status(s, claim->place, err);
}

zw_status zw_system_claim(zw_system *s, const char *name, zw_expr lhs, zw_expr rhs, zw_place place,
                          zw_error *err) {
    return zw_system_claim_full(
        s, &(zw_claim){.name = name, .lhs = lhs, .rhs = rhs, .place = place}, err);
}

zw_status zw_system_footing(zw_system *s, const zw_contact_validity *footing, zw_error *err) {
    ZW_TRY(zw_mech_open(s, footing->place, err));
    if (!zw_mech_grow(s->ctx, LIST(s, footing)))
        return zw_mech_status(s, footing->place, err);
    zw_contact_validity *c = &s->footing[s->nfooting++];
    *c = *footing;
    c->name = zw_context_intern(s->ctx, footing->name);
    c->beyond = zw_context_intern(s->ctx, footing->beyond ? footing->beyond : "");
    return zw_mech_status(s, footing->place, err);
}

/* copies the drawing with its strings and numbers into the context */
static bool copy_drawing(zw_system *s, const zw_drawing *drawing, zw_drawing *d) {
    zw_expr *copy = ZW_CONTEXT_NEW(s->ctx, zw_expr, drawing->n),
            *axes = drawing->axes ? ZW_CONTEXT_NEW(s->ctx, zw_expr, 9) : NULL;
    if (!copy || (drawing->axes && !axes))
        return false;
    if (drawing->n)
        memcpy(copy, drawing->numbers, (size_t)drawing->n * sizeof *copy);
    if (axes)
        memcpy(axes, drawing->axes, 9 * sizeof *axes);
    *d = *drawing;
    d->numbers = copy;
    d->axes = axes;
    d->shape = zw_context_intern(s->ctx, drawing->shape);
    d->name = zw_context_intern(s->ctx, drawing->name ? drawing->name : "");
    d->colour = zw_context_intern(s->ctx, drawing->colour ? drawing->colour : "");
    return d->shape && d->name && d->colour;
}

zw_status zw_system_draw(zw_system *s, const zw_drawing *drawing, zw_error *err) {
    ZW_TRY(zw_mech_open(s, drawing->place, err));
    if (zw_mech_grow(s->ctx, LIST(s, drawing)) &&
        copy_drawing(s, drawing, &s->drawing[s->ndrawing]))
        s->ndrawing++;
    return zw_mech_status(s, drawing->place, err);
}

zw_status zw_system_sketch(zw_system *s, const zw_drawing *drawing, zw_error *err) {
    ZW_TRY(zw_mech_open(s, drawing->place, err));
    if (zw_mech_grow(s->ctx, LIST(s, sketch)) && copy_drawing(s, drawing, &s->sketch[s->nsketch]))
        s->nsketch++;
    return zw_mech_status(s, drawing->place, err);
}
