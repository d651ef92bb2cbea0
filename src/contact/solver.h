/* SPDX-License-Identifier: MIT */
/* What the solvers of contact problems share. All numbers are scaled (problem.c): contact i has
 *
 *     r^ = r/sqrt(rho)/size,   u^ = sqrt(rho) u/size,   H^ = sqrt(rho) H L^-T,   M = L L',   rho = rows/trace(W_ii),
 *
 * so that W^ = H^ P H^' has blocks of trace `rows`, units and masses are gone, and the cones are what they were. With velocities
 * w of the parts the problem is u = H w + q, w = H'P r; P is 1 but for forces that are not associated. */
#ifndef ZW_CONTACT_SOLVER_H
#define ZW_CONTACT_SOLVER_H

#include "law.h"

/* The matrix 1 + H'P D H over the parts, and its factors: matrix.c. Pivots are parts in the order of elimination. */
typedef struct zw_contact_matrix {
    int npart, nentry;
    int *order, *when; /* npart: the part of a pivot; the pivot of a part */
    int *first,
        *later; /* npart + 1: of pivot k in `later`: pivots behind k that it is joined to, ascending */
    int *upper, *lower; /* as later: where the blocks (k, later), (later, k) begin */
    int *diagonal;      /* npart, by pivots */
    int *targets,
        *target;    /* npart + 1, and blocks (later a, later b) that elimination of k changes */
    int *place;     /* for entries a, b of each contact: where the block they add to begins */
    int *signature; /* for what it was ordered: sizes of the parts, rows and part of the entries */
    int nsignature;
    int size; /* doubles of all blocks */
    double *block;
    int *pivot; /* ncol: rows exchanged inside diagonal blocks */
    void *memory;
    size_t bytes;
} zw_contact_matrix;

typedef struct zw_contact_block_state { /* of a friction block on the interior path */
    double l, dl, z, dz;                /* slip multiplier; what is left of the cone */
    double k;                           /* weight of its product l z */
    double smooth;                      /* scaled */
    double b[ZW_LAW_MAX], dy[ZW_LAW_MAX];
    zw_law_gauge g;
} zw_contact_block_state;

struct zw_contact_solver {
    zw_allocator alloc;
    void *memory;
    size_t bytes;
    const zw_contact_problem *problem;
    int nrow, ncol, nblock;
    int *row, *col, *first; /* ncontact + 1, npart + 1, ncontact + 1: of entries */
    int *square;            /* ncontact + 1: where D of a contact begins */
    int *block0;            /* ncontact + 1: its first friction block */
    int *at;                /* nentry: where its H begins */
    int *mass;              /* npart + 1: where the factor of its mass begins */
    double *H, *L;          /* scaled rows; factors of the masses */
    double *root;           /* ncontact: sqrt(rho) */
    double *pull;           /* nrow */
    bool pulled;            /* some are not 1 */
    double size, norm;      /* of q: the largest scaled contact, the unscaled whole */
    double *weighed;        /* rows of a contact x columns of the widest part */
    double *q, *r, *u, *w, *dr, *du, *dw, *rd, *rp, *c, *D, *rhs, *best, *trial;
    zw_contact_block_state *state;
    zw_contact_matrix matrix;
};

/* problem.c: check, make room, scale. */
zw_status zw_contact_begin(zw_contact_solver *s, const zw_contact_problem *p, zw_error *err);
int zw_contact_rows(const zw_contact_solver *s, int contact);
/* out = H w (+ q), out = H'P r */
void zw_contact_spread(const zw_contact_solver *s, const double *w, bool with_q, double *out);
void zw_contact_gather(const zw_contact_solver *s, const double *r, double *out);
/* the residual of scaled impulses; u and w are set to what they make */
double zw_contact_judge(zw_contact_solver *s, const double *r);
/* scaled friction of a block: damping and smoothing in the units of contact i */
double zw_contact_damping(const zw_contact_solver *s, int contact, const zw_friction *f);
double zw_contact_smoothing(const zw_contact_solver *s, int contact, const zw_friction *f);

/* matrix.c */
zw_status zw_contact_matrix_order(zw_contact_solver *s, zw_error *err);
void zw_contact_matrix_clear(zw_contact_solver *s);
bool zw_contact_matrix_factor(zw_contact_solver *s); /* with s->D; false: singular */
void zw_contact_matrix_solve(const zw_contact_solver *s, double *x);
/* The Newton step of dr = c - D du with what is left open in rd and rp: dw, du, dr. */
void zw_contact_matrix_step(zw_contact_solver *s);

/* single.c: the exact answer for one contact in W (m x m), q; false: none was found. */
bool zw_contact_single(const zw_contact_law *law, const double *W, const double *q, double *r);

/* path.c, newton.c, simple.c: from s->r or their own start to s->best, whose residual they return. */
double zw_contact_path(zw_contact_solver *s, double start, unsigned weights, double tolerance,
                       int *steps);
double zw_contact_newton(zw_contact_solver *s, double eps, double tolerance, int most, int patience,
                         int *steps);
double zw_contact_sweeps(zw_contact_solver *s, const zw_contact_options *o, long *iterations);
double zw_contact_fixed_point(zw_contact_solver *s, const zw_contact_options *o, long *iterations);

#endif
