/* SPDX-License-Identifier: MIT */
/* What the sources of nearly satisfied constraints share; zwang/manifold.h defines them. */
#ifndef ZW_SLOW_SLIP_SLIP_H
#define ZW_SLOW_SLIP_SLIP_H

#include "base/arena.h"
#include "expr/series/jet2.h"
#include "zwang/manifold.h"
#include "zwang/run.h"

/* Positions of the expressions among the roots that are evaluated together. */
typedef struct zw_slip_manifold_roots {
    int qdot, M, h, C, W, b, gamma, A, beta, n;
} zw_slip_manifold_roots;

/* A slow point and its data. */
typedef struct zw_slip_manifold_point {
    double t;
    double *q, *u; /* nq, nv */
    double *M;     /* nv x nv */
    double *N;     /* nv x nf */
    double *K;     /* nf x nf: eps A dv'/dv N on the manifold, */
    double *K_inverse;
    double *g_1;  /* nf: and the manifold to first order */
    double speed; /* the root of u' M u */
    int rank;     /* number of independent rows of W, */
    int *row;     /* nc: these first */
} zw_slip_manifold_point;

struct zw_slip_manifold {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    int order, nq, nv, nc, nf, nx, np, small;
    int nnear;
    const char *const *near; /* nnear: names of the constraints, as in the options */
    int *constraint;         /* nf: of the system */
    bool *follows;           /* np: parameters that depend on the small one */
    double *p;               /* np */
    double *start;           /* nx */
    zw_equations eq, rigid_eq;
    zw_slip_manifold_roots at;
    zw_expr *root;             /* at.n */
    int nkink;                 /* number of surfaces where the forces are not smooth: */
    zw_expr *kink, *kink_part; /* nkink: zero there; the parts */
    double *surface;           /* nkink: values of the first where the constraints are satisfied */
    int nsymbol, t_symbol, q_symbol, v_symbol;
    zw_expr *symbol;                         /* parameters, time, q, v, inputs */
    double *input;                           /* nu */
    zw_jet2 *value;                          /* nsymbol */
    zw_jet2 *out;                            /* at.n */
    zw_jet2 *q, *v, *rate, *accel, *lambda;  /* nq, nv, nq, nv, nc: a motion */
    zw_jet2 *gamma, *target, *before, *gdot; /* nf */
    zw_jet2 *matrix, *side;                  /* of linear equations with series */
    double *lu, *scratch, *rows, *x, *held;  /* scratch for numbers */
    int *pivot, *order_of;
    double force_scale,
        /* coefficients of 1/eps in h and C for slip velocities as large as the motion */
        multiplier_scale;
    /* terms before 1/eps are no error: terms that have not converged yet */
    bool ignore_singular;
    bool time_fixed; /* time is constant in series */
    double pace;     /* [1/s]: rate of the last motion */
    zw_slip_manifold_point point;
    zw_kernel *kernel, *rigid_kernel;
    zw_flow *flow, *rigid; /* the whole model, and that with the constraints */
    zw_slip_manifold_result result;
};

#define ZW_SLIP_MANIFOLD_NEW(n, type, count) ZW_NEW(&(n)->arena, type, (count) > 0 ? (count) : 1)

/* slip_rates.c: the rates of a motion q, v (series of this shape, time from t on) into rate, accel,
 * lambda, gdot, gamma of n. eps: its value if the shape has one variable. */
zw_status zw_slip_manifold_rates(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 zw_error *err);
/* force_scale of n, at the velocities of n->v. */
void zw_slip_manifold_find_scale(zw_slip_manifold *n, double t);
/* The velocities of n->v (numbers) satisfy the constraints, or violate them by the speed of the
 * motion (off): is there a kink of the forces where they are satisfied? Call it in this order. */
zw_status zw_slip_manifold_kinks(zw_slip_manifold *n, double t, bool off, zw_error *err);
/* gamma alone; and M, W, A, gamma into n->out. */
zw_status zw_slip_manifold_gamma(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 zw_error *err);
zw_status zw_slip_manifold_geometry(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                    zw_error *err);
/* Solves A x = b with series (count x count, count), x replaces b. ZW_E_SINGULAR: A is singular at
 * its constant term. */
zw_status zw_slip_manifold_solve(zw_slip_manifold *n, zw_jet2_shape shape, int count,
                                 const zw_jet2 *A, zw_jet2 *b, zw_error *err);
/* The velocity w of least energy with A w = gamma, W w = held (nc; NULL: 0) as series, in n->side,
 * nv of them; after zw_slip_manifold_geometry. With held = 0 it is N gamma. */
zw_status zw_slip_manifold_least_velocity(zw_slip_manifold *n, zw_jet2_shape shape,
                                          const double *held, zw_error *err);
/* Do forces of order 1/eps vanish at the velocities of n->v (numbers)? ZW_E_DOMAIN: they do not. */
zw_status zw_slip_manifold_check_balance(zw_slip_manifold *n, double t, zw_error *err);

/* slip_point.c: n->point at a state, with N, K and g_1. */
zw_status zw_slip_manifold_find_point(zw_slip_manifold *n, double t, const double *x,
                                      zw_error *err);
/* The same up to N. */
zw_status zw_slip_manifold_project(zw_slip_manifold *n, double t, const double *x, zw_error *err);
double zw_slip_manifold_measured(const zw_slip_manifold *n, const double *gamma);

/* slip_expand.c: g (order + 1) x nf at n->point. */
zw_status zw_slip_manifold_orders(zw_slip_manifold *n, int order, double *g, zw_error *err);

/* x (nx) of n->point with this gamma. */
void zw_slip_manifold_state(const zw_slip_manifold *n, const double *gamma, double *x);
/* Parameters (np, in n->scratch) with this value of the small one. */
zw_status zw_slip_manifold_parameters(zw_slip_manifold *n, double eps, double *p, zw_error *err);
zw_status zw_slip_manifold_memory(zw_error *err);

#endif
