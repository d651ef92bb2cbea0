/* SPDX-License-Identifier: MIT */
/* The object of connecting orbits (zwang/periodic.h) and what its sources share. */
#ifndef ZW_MOTION_COLLOCATION_CONNECTION_H
#define ZW_MOTION_COLLOCATION_CONNECTION_H

#include "base/arena.h"
#include "motion/floquet/variation.h"
#include "zwang/periodic.h"

/* An equilibrium with its eigenspaces, as matrices of the state. */
typedef struct zw_connection_end {
    zw_steady motion;
    int n, unstable, stable, slow_unstable, slow_stable;
    double *re, *im; /* n */
    double *all;     /* nx x nx: T D of its linearised equations */
    double *grows;   /* nx x nx: P_u */
    double *rate;    /* nx x nx: T A D */
    /* n x nx: l_k, so that l_k.dx is the part of dx along an eigenvector of unit length */
    double *part_re, *part_im;
    /* nx: the unstable (0) and the stable (1) eigenvector, set where there is only one */
    double *right[2];
    double *left[2]; /* nx: with left.right = 1 */
    bool is_known;   /* the sign of right is fixed already */
} zw_connection_end;

/* The factors of the linear equations (connection_solve.c). */
typedef struct zw_connection_factors {
    double *LU, *D, *A, *c, *Q, *tau, *Sa, *Sb, *Sc, *G, *H, *C, *w, *last, *stack, *e, *d, *u;
    int *pivot, *last_pivot;
} zw_connection_factors;

enum { ZW_CONNECTION_BORDERS = 3 }; /* T, a, b */

struct zw_connection {
    zw_arena arena;
    zw_flow *flow;
    const zw_symmetries *symmetries;
    zw_connection_options options;
    zw_connection_set set;
    void *user;
    int nx, d; /* d: dimension of the manifold of the constraints without ignorable coordinates */
    double *scale, *turn, *p;
    bool *essential; /* nx */
    bool has_turn, has_other, has_manifold;
    int way;          /* time direction of shooting if both are possible; 0: the possible one */
    bool has_run_out; /* of memory, in a residual */
    double value[2];  /* at which the ends were found */
    zw_connection_end end[2], aside[2]; /* aside: for differences in a and b */
    /* ---- the last shot: its states (nrecord x nx) with their rates, if recorded ---- */
    int nrecord, capacity;
    double *record_t, *record_x, *record_rate;
    int cut[2];   /* the first and the last record between the ends */
    double *step; /* work of a step in time */
    /* ---- the boundary value problem, of the present mesh ---- */
    zw_arena meshes;
    zw_gauss rule;
    int m, N;
    double *size;  /* nx: half the ranges of the entries of the orbit */
    double far[2]; /* d_1, d_2 relative to these sizes */
    double *mesh, *x;
    double *projector;  /* (N + 1) x nx x nx; NULL: no constraints */
    double *across;     /* (nx - d) x nx: normals of the manifold at the first node */
    double *first;      /* nx: reference of ignorable coordinates */
    double *row_stable; /* (d - unstable) x nx: independent rows of 1 - P_u1 */
    double *row_grows;  /* unstable x nx: independent rows of P_u2 */
    double *aim;        /* 2 x nx: e_1, e_2 */
    double *f;          /* N x m x nx */
    double *state;      /* 6 nx */
    double *work;
    double *by[2], *twin; /* derivatives of the residual in a and b; another residual */
    bool slides;          /* the ends are free, T and the phase are fixed (connection_bvp.c) */
    double *phase, span;  /* the row of the phase, like x with b after it; T when it is fixed */
    zw_connection_factors factors;
};

static inline int zw_connection_size(const zw_connection *c) {
    return c->N * c->nx * (c->m + 1) + c->nx + 2;
}
static inline const double *zw_connection_node(const zw_connection *c, const double *x, int j) {
    return x + (size_t)j * (size_t)(c->nx * (c->m + 1));
}
static inline const double *zw_connection_slope(const zw_connection *c, const double *x, int j,
                                                int i) {
    return zw_connection_node(c, x, j) + (size_t)(c->nx * (i + 1));
}
static inline double zw_connection_width(const zw_connection *c, int j) {
    return c->mesh[j + 1] - c->mesh[j];
}

/* connection.c: both equilibria at values into `end`, starting from those in `from`; the parameters
 * of the flow are those of the values afterwards. */
zw_status zw_connection_ends(zw_connection *c, const double value[2], const zw_connection_end *from,
                             zw_connection_end *end, zw_error *err);
/* The tangent space of the constraints at x without ignorable coordinates, scaled (size NULL: 1):
 * its dimension, an orthonormal basis of it in the first n rows of V (nx x nx), and one of its
 * orthogonal complement in the others. */
zw_status zw_connection_directions(zw_connection *c, zw_arena *work, const double *x,
                                   const double *size, int *n, double *V, zw_error *err);
/* x_end + P (x - x_end), P onto the unstable space of end 0, onto the stable one of end 1;
 * ignorable entries as those of x */
void zw_connection_project(const zw_connection *c, int end, const double *x, double *out);
/* exchanges the ends in c->aside, at these values, with the present ones */
void zw_connection_swap(zw_connection *c, const double value[2]);
/* the scaled distance of x from `from` without ignorable coordinates */
double zw_connection_distance(const zw_connection *c, const double *size, const double *x,
                              const double *from);

/* connection_shoot.c: a step of length h (its sign is the direction of time) from x to `to`; *error
 * relative to the accuracy */
zw_status zw_connection_step(zw_connection *c, const double *x, double h, double *to, double *error,
                             zw_error *err);
/* as zw_connection_shoot, with the motion recorded in c->record */
zw_status zw_connection_record(zw_connection *c, const double value[2], int side, zw_splitting *out,
                               zw_error *err);

/* appends a state to c->record */
zw_status zw_connection_record_state(zw_connection *c, double t, const double *x, zw_error *err);

/* connection_guess.c: sizes, distances and c->cut from the record of a motion whose distance from
 * the other end is least at this time */
zw_status zw_connection_cut(zw_connection *c, double at_nearest, zw_error *err);
/* records an orbit between two times at which it is nearest to the equilibrium */
zw_status zw_connection_record_orbit(zw_connection *c, const zw_connection_orbit *orbit,
                                     zw_error *err);
/* The same from the record of a periodic orbit that begins and ends near the ends, forwards in
 * time. */
zw_status zw_connection_cut_orbit(zw_connection *c, zw_error *err);
/* connection_extend.c: continues c->x along the linearised motions at both ends to the distances of
 * the options, with as many further intervals as they need: a guess. */
zw_status zw_connection_extend(zw_connection *c, zw_error *err);
/* connection_guess.c: c->x from the record between c->cut, on n intervals */
zw_status zw_connection_interpolate(zw_connection *c, double a, int n, zw_error *err);

/* connection_solve.c */
bool zw_connection_factors_make(zw_connection_factors *f, zw_arena *arena, int nx, int m, int N);
zw_status zw_connection_factor(void *self, const double *x, double b, const double *row,
                               zw_error *err);
void zw_connection_eliminate(void *self, double *b);
/* connection_bvp.c */
zw_status zw_connection_residual(void *self, const double *x, double b, double *r, zw_error *err);
/* the derivative of the conditions at the ends in u_0 and u_N: (nx + 2) rows of 2 nx */
void zw_connection_end_rows(zw_connection *c, double *rows, int width);
/* connection_mesh.c */
double zw_connection_error(const zw_connection *c, const double *x);
/* moves n vectors like x with one more entry to a new mesh of this number of intervals */
zw_status zw_connection_adapt(zw_connection *c, int intervals, int n, double **x, zw_error *err);
zw_status zw_connection_allocate(zw_connection *c, int N, zw_error *err);
void zw_connection_state_of(const zw_connection *c, const double *x, double tau, double *state,
                            double *slope);

#endif
