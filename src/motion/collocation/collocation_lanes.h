/* SPDX-License-Identifier: MIT */
/* Collocation in lanes: eight intervals at once. Lane l has the K intervals from l K on, one after
 * the other in slots, so that the relations between nodes are chains of K in eight lanes. Intervals
 * that are missing to 8 K have zero length. Arrays hold eight numbers for every entry. */
#ifndef ZW_MOTION_COLLOCATION_COLLOCATION_LANES_H
#define ZW_MOTION_COLLOCATION_COLLOCATION_LANES_H

#include <stdbool.h>

#include "base/arena.h"
#include "zwang/kernel.h"

struct zw_colloc;

enum { ZW_LANES = 8 };

typedef struct zw_colloc_lanes {
    const zw_kernel *kernel; /* of eight lanes */
    int K, rows, width;      /* slots; rows of B; entries of a row with right sides, padded */
    bool second;             /* q' = v: B has rows of v' alone */
    bool diagonal;           /* the mass matrix is diagonal */
    int size[ZW_FN_COUNT];   /* outputs of functions */
    bool current;            /* rates are those of the last residual */
    double *p, *cache, *work, *input;
    double *h, *t;                     /* K, K x m: widths, times */
    double *u, *k, *U;                 /* K x n, K x m x n twice: nodes, slopes, states */
    double *rate;                      /* K x m x outputs of RHS: x', lambda */
    double *end;                       /* K x n: of intervals */
    double *jac, *jac_p, *time, *mats; /* of a stage */
    double *J, *side;                  /* of a slot: m x n x n, m x n x nb */
    double *X;                         /* of a stage: nv x (n + 2) */
    double *B;      /* K x rows x width: 1 - h P a J factored, and B^-1 of its right sides */
    double *Jq;     /* K x m x nv x nv: of second order, P df/dq */
    double *side_q; /* K x m x nv x nb: of second order, right sides of q' */
    double period;  /* of the factors */
    double *A;      /* K x n x (n + nb): u_j+1 by u_j, P, a */
    double *F;      /* K x n x (n + nb), slot s: u_s+1 by the first node of its chunk, P, a */
    double *d;      /* K x n: the inhomogeneous part of that */
    double *e;      /* K x m n */
    double *w;      /* 2 x K x n: the last rows */
    /* scalars */
    double *M;     /* 9 x n x (n + nb): first nodes of chunks, and u_N, by u_0, P, a */
    double *first; /* 9 x n: the inhomogeneous part of that; at last these nodes themselves */
    double *rest;  /* 2 x 8 x n: the last rows at these nodes */
    double *small; /* (n + nb)^2: u_0, P, a */
    int *pivot;
} zw_colloc_lanes;

/* B^-1 of the right sides of slot s, in rows of `width`. */
static inline const double *zw_colloc_lanes_sides(const zw_colloc_lanes *v, int s) {
    return v->B + (size_t)s * (size_t)(v->rows * v->width * ZW_LANES) +
           (size_t)(v->rows * ZW_LANES);
}

/* Can the equations be solved in lanes? */
bool zw_colloc_lanes_fit(const struct zw_colloc *c, const zw_kernel *kernel);
/* Allocates memory for the present number of intervals. */
zw_status zw_colloc_lanes_make(struct zw_colloc *c, zw_error *err);
/* To be called when the parameters of the flow have changed. */
void zw_colloc_lanes_set(struct zw_colloc *c);
/* Rates at x; false: rates one by one may give the reason. */
bool zw_colloc_lanes_rates(struct zw_colloc *c, const double *x, double period);
/* (k - P f)/size into the residual; the ends of intervals (N x n) into `end`. */
void zw_colloc_lanes_slopes(struct zw_colloc *c, double period, double *out, double *end);
/* Factors B, with A and D, where the rates are known; false: a pivot is small. */
bool zw_colloc_lanes_condense(struct zw_colloc *c, double period);
/* Copies A, c and D to the scalar factors. */
void zw_colloc_lanes_spread(struct zw_colloc *c);
/* Multiplies the relations between nodes: G, H, C; false: they grow too much. */
bool zw_colloc_lanes_chain(struct zw_colloc *c);
/* The last system after chains, with rows over the nodes (N x n) and P, a. */
bool zw_colloc_lanes_last(struct zw_colloc *c, const double *phase, const double *plane,
                          const double *plane_last);
/* The complete solution after chains. */
void zw_colloc_lanes_solve(struct zw_colloc *c, double *b);
/* e = B^-1 of the slopes in b, and their contribution to the ends of intervals (N x n). */
void zw_colloc_lanes_gather(struct zw_colloc *c, const double *b, double *end);
/* Copies nodes (N x n), and the slopes that follow from them and P, a, into b. */
void zw_colloc_lanes_scatter(struct zw_colloc *c, const double *u, const double *last, double *b);

#endif
