/* SPDX-License-Identifier: MIT */
/* What the files of near constraints share; what they are, zwang/manifold.h says. */
#ifndef ZW_SLOW_SLIP_SLIP_H
#define ZW_SLOW_SLIP_SLIP_H

#include "base/arena.h"
#include "expr/series/jet2.h"
#include "zwang/manifold.h"
#include "zwang/run.h"

/* Where the expressions lie among the roots that are evaluated together. */
typedef struct zw_slip_manifold_roots {
    int qdot, M, h, C, W, b, gamma, A, beta, n;
} zw_slip_manifold_roots;

/* A slow point and what belongs to it. */
typedef struct zw_slip_manifold_place {
    double t;
    double *q, *u; /* nq, nv */
    double *M;     /* nv x nv */
    double *N;     /* nv x nf */
    double *K;     /* nf x nf: eps A dv'/dv N on the manifold, */
    double *K_inverse;
    double *g_1;  /* nf: and the manifold to first order */
    double speed; /* the root of u' M u */
    int rank;     /* rows of W that do not depend on others, */
    int *row;     /* nc: these first */
} zw_slip_manifold_place;

struct zw_slip_manifold {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    int order, nq, nv, nc, nf, nx, np, small;
    int *constraint; /* nf: of the system */
    bool *follows;   /* np: parameters that are made of the small one */
    double *p;       /* np */
    double *start;   /* nx */
    zw_equations eq, rigid_eq;
    zw_slip_manifold_roots at;
    zw_expr *root;             /* at.n */
    int nkink;                 /* places where the forces are not smooth: */
    zw_expr *kink, *kink_part; /* nkink: zero there; the parts */
    double *surface;           /* nkink: values of the first where the constraints hold */
    int nsymbol, t_symbol, q_symbol, v_symbol;
    zw_expr *symbol;                         /* parameters, time, q, v, inputs */
    double *input;                           /* nu */
    zw_jet2 *value;                          /* nsymbol */
    zw_jet2 *out;                            /* at.n */
    zw_jet2 *q, *v, *rate, *accel, *lambda;  /* nq, nv, nq, nv, nc: a motion */
    zw_jet2 *gamma, *target, *before, *gdot; /* nf */
    zw_jet2 *matrix, *side;                  /* of linear equations with series */
    double *lu, *room, *rows, *x, *held;     /* room for numbers */
    int *pivot, *order_of;
    double grip,
        grip_multiplier; /* what slips as fast as the motion give before 1/eps in h and C */
    bool lenient;        /* what stands before 1/eps is no fault: terms that are not settled yet */
    bool frozen;         /* time stands still in series */
    double pace;         /* 1/s: about how fast the last motion was */
    zw_slip_manifold_place place;
    zw_kernel *kernel, *rigid_kernel;
    zw_flow *flow, *rigid; /* the whole model, and that with the constraints */
    zw_slip_manifold_result result;
};

#define ZW_SLIP_MANIFOLD_NEW(n, type, count) ZW_NEW(&(n)->arena, type, (count) > 0 ? (count) : 1)

/* slip_rates.c: the rates of a motion q, v (series of this shape, time from t on) into rate, accel,
 * lambda, gdot, gamma of n. eps: its value where the shape has one variable. */
zw_status zw_slip_manifold_rates(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 zw_error *err);
/* grip of n, at the velocities of n->v */
void zw_slip_manifold_grip(zw_slip_manifold *n, double t);
/* The velocities of n->v (numbers) hold the constraints, or are as far from them as the motion is
 * fast (off): is a kink of the forces where they hold? To be asked in this order. */
zw_status zw_slip_manifold_kinks(zw_slip_manifold *n, double t, bool off, zw_error *err);
/* gamma alone; and M, W, A, gamma into n->out. */
zw_status zw_slip_manifold_gamma(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 zw_error *err);
zw_status zw_slip_manifold_geometry(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                    zw_error *err);
/* A x = b with series (count x count, count), x in the place of b. ZW_E_SINGULAR: A is, at its
 * constant term. */
zw_status zw_slip_manifold_solve(zw_slip_manifold *n, zw_jet2_shape shape, int count,
                                 const zw_jet2 *A, zw_jet2 *b, zw_error *err);
/* The velocity w of least energy with A w = gamma, W w = held (nc; NULL: 0) as series, in n->side,
 * nv of them; after zw_slip_manifold_geometry. With held = 0 it is N gamma. */
zw_status zw_slip_manifold_lift(zw_slip_manifold *n, zw_jet2_shape shape, const double *held,
                                zw_error *err);
/* Do forces of order 1/eps vanish at the velocities of n->v (numbers)? ZW_E_DOMAIN: they do not. */
zw_status zw_slip_manifold_vanishes(zw_slip_manifold *n, double t, zw_error *err);

/* slip_place.c: n->place at a state, with N, K and g_1. */
zw_status zw_slip_manifold_settle(zw_slip_manifold *n, double t, const double *x, zw_error *err);
/* The same up to N. */
zw_status zw_slip_manifold_project(zw_slip_manifold *n, double t, const double *x, zw_error *err);
double zw_slip_manifold_measured(const zw_slip_manifold *n, const double *gamma);

/* slip_expand.c: g (order + 1) x nf at n->place */
zw_status zw_slip_manifold_orders(zw_slip_manifold *n, int order, double *g, zw_error *err);

/* x (nx) of n->place with this gamma */
void zw_slip_manifold_state(const zw_slip_manifold *n, const double *gamma, double *x);
/* Parameters (np, in n->room) with this value of the small one. */
zw_status zw_slip_manifold_parameters(zw_slip_manifold *n, double eps, double *p, zw_error *err);
zw_status zw_slip_manifold_memory(zw_error *err);

#endif
