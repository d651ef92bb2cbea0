/* SPDX-License-Identifier: MIT */
/* The object of collocation (zwang/periodic.h) and what its sources share. */
#ifndef ZW_MOTION_COLLOCATION_COLLOCATION_H
#define ZW_MOTION_COLLOCATION_COLLOCATION_H

#include "base/arena.h"
#include "collocation_lanes.h"
#include "motion/floquet/variation.h"
#include "zwang/periodic.h"

/* The factors of the linear equations (collocation_solve.c), for N intervals. nb: columns of P (if
 * the period is free) and of a. */
typedef struct zw_colloc_factors {
    double *LU;      /* N x (m nx)^2: the slopes of an interval */
    int *pivot;      /* N x m nx */
    double *D;       /* N x (nx + nb) columns of m nx: slopes by u_j, P and a */
    double *A;       /* N x nx x nx: u_j+1 by u_j */
    double *c;       /* N x nx x nb: u_j+1 by P and a */
    double *Q, *tau; /* N x 2nx x nx, N x nx: reflections, with R above them */
    /* N x nx x nx, nx x nx, nx x nb: R u_s + Sa u_0 + Sb u_s+1 + Sc (P, a) = d_s */
    double *Sa, *Sb, *Sc;
    double *G, *H, *C; /* the remaining relation: G u_0 + H u_N + C (P, a) */
    double trace;      /* the integral of tr df/dx over P */
    double *w;         /* 2 x N x nx: the last rows, divided by R */
    double *last;      /* (2nx + nb)^2 */
    int *last_pivot;
    double *stack, *e, *d, *u; /* work */
} zw_colloc_factors;

/* Orbits that close up to symmetries, and orbits in families (collocation_modulo.c). */
typedef struct zw_colloc_modulo {
    int ngroup, nfree;
    double *L, *b;      /* ngroup x nx x nx, ngroup x nx */
    bool *moved;        /* nx: entries that a symmetry moves, if there are others; else all false */
    double *theta;      /* ngroup: of the last residual */
    double *map, *turn; /* S and w without them */
    double *W, *X;      /* ngroup x nx: at the reference, orthonormal; at the end */
    double *E;          /* exp(-theta A), affine, and memory for another one */
    double *drop, *pin; /* nfree x nx: w_l and p_l, scaled; memory for nx */
    double *leftover;   /* nfree: parts that the last residual left out */
    double *last;       /* the last matrix before it was factored, if `keep` */
    double *work;
    int *pivot;
    bool keep;
} zw_colloc_modulo;

struct zw_colloc {
    zw_arena arena;
    zw_flow *flow;
    zw_gauss rule;
    int nx, m, N, nb;
    bool free_period, has_manifold, has_time;
    bool renew; /* projectors have changed since the matrix was factored */
    double start, unit;
    double *scale, *map, *turn; /* nx, nx x nx: S, nx */
    double *step_scale;         /* nx: of the metric */
    bool *ignorable;            /* nx */
    zw_colloc_set set;
    void *user;
    double *p;            /* np */
    double period, slope; /* if given, at the last value */
    zw_arena meshes;      /* all below: of the present mesh */
    double *mesh;         /* N + 1 */
    double *v, *v_rate;   /* N x nx: the reference and its slopes */
    double *projector;    /* N x nx x nx; NULL: no constraints */
    double *moves;        /* N x nx: dM/da at the nodes, normal to the manifold; NULL likewise */
    double *levels;       /* work for its constraints */
    int *levels_order;
    double phase;           /* sum of weight |v'|^2/scale^2 */
    double *f;              /* N x m x nx: rates at the last residual */
    double *inverse;        /* nx: 1/scale */
    double *metric;         /* N x nx: of the sum over the nodes */
    double *phase_row;      /* N x nx */
    double *ends;           /* N x nx: of intervals */
    zw_colloc_lanes lanes;  /* its kernel is NULL if there are none */
    bool in_lanes, chained; /* how the last factors of intervals, of the nodes were made */
    double *state, *work;   /* nx x 6, nx x nx x m */
    zw_colloc_factors factors;
    zw_colloc_modulo modulo;
    zw_colloc_ends conditions; /* of an open motion; NULL: it closes */
    void *conditions_user;
    int dimension;                     /* of the manifold at the first node of an open motion */
    double *basis;                     /* nx x dimension: of the tangent space there */
    double *condition;                 /* dimension, and one more if P is free */
    double *by_first, *by_last, *by_a; /* derivatives of the conditions at the last residual */
    double value;                      /* a of it */
};

/* u_j of x, and k_ji */
static inline const double *zw_colloc_node(const zw_colloc *c, const double *x, int j) {
    return x + (size_t)j * (size_t)(c->nx * (c->m + 1));
}
static inline const double *zw_colloc_slope(const zw_colloc *c, const double *x, int j, int i) {
    return zw_colloc_node(c, x, j) + (size_t)(c->nx * (i + 1));
}
static inline double zw_colloc_width(const zw_colloc *c, int j) {
    return c->mesh[j + 1] - c->mesh[j];
}
/* of node j in sums over the period */
static inline double zw_colloc_weight(const zw_colloc *c, int j) {
    return 0.5 * (zw_colloc_width(c, j) + zw_colloc_width(c, j > 0 ? j - 1 : c->N - 1));
}
static inline int zw_colloc_size(const zw_colloc *c) {
    return c->N * c->nx * (c->m + 1) + (c->free_period ? 1 : 0);
}

/* out = S v; out must not be v */
static inline void zw_colloc_turn(const zw_colloc *c, const double *v, double *out) {
    for (int r = 0; r < c->nx; r++) {
        out[r] = 0;
        for (int k = 0; k < c->nx; k++)
            out[r] += c->map[r * c->nx + k] * v[k];
    }
}

/* collocation.c: memory for N intervals, with a uniform mesh */
zw_status zw_colloc_allocate(zw_colloc *c, int N, zw_error *err);
zw_status zw_colloc_set_value(zw_colloc *c, double a, zw_error *err);
/* the rates at x, at the parameters that are set */
zw_status zw_colloc_rates(zw_colloc *c, const double *x, zw_error *err);
/* the projectors (N x nx x nx) onto the tangent spaces at the nodes of x */
zw_status zw_colloc_project_at(zw_colloc *c, const double *x, double *projector, zw_error *err);
/* S and w of x, if it closes up to symmetries */
zw_status zw_colloc_update_closing(zw_colloc *c, const double *x, zw_error *err);
/* collocation_modulo.c: allocates memory, sets S and w for the first theta */
zw_status zw_colloc_modulo_make(zw_colloc *c, const zw_colloc_options *options, zw_error *err);
/* W, for a new reference */
zw_status zw_colloc_modulo_refer(zw_colloc *c, zw_error *err);
/* base = S (u_N - w); y = y(theta) of it at the last theta */
void zw_colloc_modulo_end(zw_colloc *c, const double *u_N, double *base, double *y);
/* Finds theta such that the residual e of the first node has no part in W; updates y and e.
 * ZW_RETRY: there is none */
zw_status zw_colloc_modulo_find_theta(zw_colloc *c, const double *base, double *y, double *e);
/* the residual r of the first node, whose state is u, scaled; and the rows of its matrix
 * (nx x width) */
void zw_colloc_modulo_residual(zw_colloc *c, const double *u, double *r);
bool zw_colloc_modulo_rows(zw_colloc *c, double *M, int width);
/* E ((n + 1) x (n + 1)) = exp(by sum theta_g A_g), affine; work: 3 (n + 1)^2 */
void zw_affine_exp(int n, int ngroup, const double *L, const double *b, const double *theta,
                   double by, double *E, double *work);
/* collocation_solve.c */
bool zw_colloc_factors_make(zw_colloc_factors *f, zw_arena *arena, int nx, int m, int N, int nb);
/* G, H, C by reflections, from the A and c of the intervals; ZW_RETRY: they are singular */
zw_status zw_colloc_reduce(zw_colloc *c);
/* Eliminates all but u_0, u_N, P and a at x: the remaining relations are in G, H, C. */
zw_status zw_colloc_condense(zw_colloc *c, const double *x, zw_error *err);
/* at x and a, the arguments of the last residual */
zw_status zw_colloc_factor(void *self, const double *x, double a, const double *row, zw_error *err);
void zw_colloc_solve(void *self, double *b);

#endif
