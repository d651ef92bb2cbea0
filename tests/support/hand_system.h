/* SPDX-License-Identifier: MIT */
/* Equations written by hand, so that kernels can be tested without any principle.
 *
 * A bead of mass m hangs on a rod of length l (constraint rod: (x^2 + y^2 - l^2)/2 = 0) from a cart
 * s that a table drives through a spring; the mass matrix couples all three coordinates, every kind
 * of function occurs, and friction may make C differ from W'. */
#ifndef ZW_TEST_HAND_SYSTEM_H
#define ZW_TEST_HAND_SYSTEM_H

#include "support/test.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"

enum { HAND_NV = 3, HAND_NC = 1, HAND_NP = 3 };

typedef struct hand_system {
    zw_system sys;
    zw_equations eq;
    zw_param param[HAND_NP];
    zw_coord coord[HAND_NV];
    zw_velocity velocity[HAND_NV];
    zw_constraint constraint[2];
    zw_observable observable[3];
    zw_event event[1];
    zw_expr q[HAND_NV], v[HAND_NV], a[HAND_NV], lambda[1], qdot[HAND_NV];
    zw_expr F[9], M[9], h[3], C[3], W[3], b[1], phi[1], Phi[3], psi[1], Psi[3];
    int row[1];
    bool holds[2];
} hand_system;

static inline void hand_symbols(hand_system *s) {
    static const char *names[HAND_NV] = {"x", "y", "s"}, *rates[HAND_NV] = {"x'", "y'", "s'"},
                      *accels[HAND_NV] = {"x''", "y''", "s''"}, *params[HAND_NP] = {"m", "l", "g"};
    zw_context *ctx = s->sys.ctx;
    for (int i = 0; i < HAND_NV; i++) {
        s->q[i] = zw_symbol(ctx, names[i]);
        s->v[i] = s->qdot[i] = zw_symbol(ctx, rates[i]);
        s->a[i] = zw_symbol(ctx, accels[i]);
        s->coord[i] = (zw_coord){.name = names[i], .unit = "m", .sym = s->q[i]};
        s->velocity[i] = (zw_velocity){.name = rates[i], .unit = "m/s", .sym = s->v[i]};
        s->param[i] = (zw_param){.name = params[i],
                                 .unit = "",
                                 .sym = zw_symbol(ctx, params[i]),
                                 .value = zw_integer(ctx, i + 1)};
    }
    s->constraint[0] =
        (zw_constraint){.name = "rod", .lambda = zw_symbol(ctx, "lambda(rod)"), .on = true};
    s->constraint[1] = (zw_constraint){.name = "wall", .lambda = zw_symbol(ctx, "lambda(wall)")};
    s->lambda[0] = s->constraint[0].lambda;
    s->holds[0] = true;
}

static inline void hand_dynamics(hand_system *s, bool friction) {
    zw_context *c = s->sys.ctx;
    zw_expr x = s->q[0], y = s->q[1], cart = s->q[2], vx = s->v[0], vy = s->v[1], vs = s->v[2];
    zw_expr m = s->param[0].sym, l = s->param[1].sym, g = s->param[2].sym, t = s->sys.t;
    static const double knot[4] = {0, 1, 2, 4}, height[4] = {0, 0.3, -0.2, 0.1};
    int table = zw_tabulate(c, 4, knot, height, ZW_CUBIC);
    for (int i = 0; i < 9; i++)
        s->M[i] = s->F[i] = ZW_ZERO;
    for (int i = 0; i < HAND_NV; i++)
        s->F[4 * i] = ZW_ONE;
    s->M[0] = m;
    s->M[4] = zw_add(c, m, zw_pow(c, zw_sin(c, cart), ZW_TWO));
    s->M[8] = zw_add(c, ZW_TWO, zw_cos(c, cart));
    s->M[5] = s->M[7] = zw_mul(c, ZW_HALF, zw_cos(c, zw_mul(c, x, l)));
    s->h[0] = zw_sub(c, zw_mul(c, zw_lookup(c, table, 0, t), vy), zw_mul(c, m, vx));
    s->h[1] = zw_sub(c, zw_mul(c, zw_sin(c, zw_sub(c, x, y)), zw_mul(c, vx, vx)), zw_mul(c, m, g));
    s->h[2] =
        zw_neg(c, zw_add(c, cart, zw_mul(c, zw_integer(c, 3), zw_apply(c, ZW_OP_TANH, 1, &vs))));
    s->W[0] = x;
    s->W[1] = y;
    s->W[2] = ZW_ZERO;
    s->b[0] = zw_neg(c, zw_add(c, zw_mul(c, vx, vx), zw_mul(c, vy, vy)));
    for (int i = 0; i < HAND_NV; i++)
        s->C[i] = s->Psi[i] = s->Phi[i] = s->W[i];
    if (friction)
        s->C[2] = zw_mul(c, zw_rational(c, 1, 5), zw_apply(c, ZW_OP_TANH, 1, &vs));
    s->phi[0] =
        zw_mul(c, ZW_HALF, zw_sub(c, zw_add(c, zw_mul(c, x, x), zw_mul(c, y, y)), zw_mul(c, l, l)));
    s->psi[0] = zw_add(c, zw_mul(c, x, vx), zw_mul(c, y, vy));
    s->eq.T = zw_mul(c, zw_mul(c, ZW_HALF, m), zw_add(c, zw_mul(c, vx, vx), zw_mul(c, vy, vy)));
    s->eq.V = zw_mul(c, zw_mul(c, m, g), y);
    s->observable[0] =
        (zw_observable){.name = "tension", .unit = "N", .value = zw_mul(c, s->lambda[0], l)};
    s->observable[1] = (zw_observable){.name = "pull", .unit = "", .value = zw_add(c, s->a[2], t)};
    s->event[0] = (zw_event){
        .name = "top", .value = zw_sub(c, y, zw_mul(c, ZW_HALF, l)), .direction = -1, .stop = true};
}

/* In the context ctx; check its status afterwards. */
static inline void hand_make(hand_system *s, zw_context *ctx, bool friction) {
    *s = (hand_system){
        .sys = {.ctx = ctx, .name = "bead-on rod", .title = "A bead */ on a rod", .variant = ""}};
    s->sys.t = zw_symbol(ctx, "t");
    hand_symbols(s);
    hand_dynamics(s, friction);
    zw_system *sys = &s->sys;
    sys->np = HAND_NP;
    sys->nq = sys->nv = HAND_NV;
    sys->nconstraint = 2;
    sys->nobservable = 2;
    sys->nevent = 1;
    sys->param = s->param;
    sys->coord = s->coord;
    sys->velocity = s->velocity;
    sys->constraint = s->constraint;
    sys->observable = s->observable;
    sys->event = s->event;
    zw_equations *eq = &s->eq;
    eq->sys = sys;
    eq->holds = s->holds;
    eq->nobservable = sys->nobservable;
    eq->nevent = sys->nevent;
    eq->principle = "by hand";
    eq->nq = eq->nv = HAND_NV;
    eq->nc = eq->npos = eq->nvel = 1;
    eq->q = s->q;
    eq->v = s->v;
    eq->a = s->a;
    eq->lambda = s->lambda;
    eq->constraint = eq->pos_constraint = eq->vel_constraint = s->row;
    eq->qdot = s->qdot;
    eq->F = s->F;
    eq->M = s->M;
    eq->h = s->h;
    eq->C = s->C;
    eq->W = s->W;
    eq->b = s->b;
    eq->phi = s->phi;
    eq->Phi = s->Phi;
    eq->psi = s->psi;
    eq->Psi = s->Psi;
    eq->symmetric = !friction;
    eq->definite = true;
}

#endif
