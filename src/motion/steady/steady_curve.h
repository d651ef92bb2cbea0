/* SPDX-License-Identifier: MIT */
/* The equations of steady motions as a square system, which its curves and those of its marks
 * share.
 *
 * Unknowns X = (x/scale, c/unit). With rates, constraints, what is held, and planes across the
 * orbits of the symmetries through a reference,
 *
 *     r = ( f - X_0 - sum_i c_i X_i,  g,  held - values,  O (x - x_ref),  N (c - c_ref) ),
 *
 * has more rows than X, and they depend on each other where constraints are redundant or quantities
 * are conserved. But r = 0 is a curve (a surface with b), so the rank of Dr in X, a (and b) is that
 * of X, N: with U the first N left singular vectors at the reference, U r = 0 is regular and has
 * the same solutions near by, as those of r = 0 are among them. */
#ifndef ZW_MOTION_STEADY_STEADY_CURVE_H
#define ZW_MOTION_STEADY_STEADY_CURVE_H

#include "base/arena.h"
#include "linear/eigen_tracks/deflate.h"
#include "zwang/steady.h"

enum { ZW_STEADY_TESTS = 6 };

struct zw_steady_curve {
    zw_arena arena;
    zw_flow *flow;
    const zw_kernel *k;
    zw_steady_curve_options o;
    zw_symmetries s;
    double shorter; /* steps than the options say: this part of them */
    bool vary;      /* the symmetries depend on the values */
    double *about;
    int nx, nc, ng, nhold, norbit, nfixed;
    int N, M;
    double unit_a, unit_b;
    double a, b; /* those of the flow */
    bool is_set;
    zw_hold *hold;
    double *p, *held;
    double *x, *c, *z;         /* nx, nc, nz: what the last residual was asked for */
    double *f, *X_0, *X, *J;   /* nx, nx, nc x nx, nx x nx */
    double *g, *G;             /* ng, ng x nx */
    double *obs, *obs_dx;      /* nobs + 2, times nx */
    double *unit_c, *row_unit; /* nc, M */
    double *O, *fixed;         /* norbit x nx in sizes of the state; nfixed x nc in units of c */
    double *reference;         /* N: X there */
    double *U;                 /* N x M */
    double *r, *r_side;        /* M */
    double *full;              /* M x (N + 2) */
    double *matrix;            /* (N + 2) x (N + 2) */
    int *pivot, *pivot_side;   /* of `matrix`, and of matrices that come between */
    double *row; /* N + 2: of the tangent that test functions are measured by, in units */
    bool has_row;
    bool has_U;
    double *work, *work2; /* (N + 2)^2 */
    double *point;        /* N + 2 */
    /* eigenvalues */
    double *A, *Aq, *re, *im; /* nx x nx, nx x nx, nx, nx */
    int n;
    zw_deflation deflation;
    bool counted;
    /* no eigenvalue is zero where the curve begins: none is divided out, however slow some are */
    bool regular;
    int neutral;
    double rate; /* 1/s: the fastest */
    double
        slow; /* 1/s: the largest that the slowest eigenvalue has been on this curve; 0: none yet */
    double *last_re, *last_im; /* of the last point */
    int nlast;
    zw_steady motion;
    zw_steady_take take;
    void *user;
    double *tangent;   /* N + 2: in units of the model */
    double *size;      /* nx: what counts as one in the arclength, in sizes of the state, */
    double *origin;    /* nx: and X where the curve began */
    unsigned at_start; /* kinds that were told of the start of a curve of marks */
};

/* Values, with all that follows from them. */
zw_status zw_steady_curve_set(zw_steady_curve *c, double a, double b, zw_error *err);
/* r (M) at X (N), and Dr into c->full: ncol = N + 1 columns, N + 2 with b; those of a and b in
 * their units. */
zw_status zw_steady_curve_residual(zw_steady_curve *c, const double *X, double a, double b,
                                   double *r, zw_error *err);
zw_status zw_steady_curve_jacobian(zw_steady_curve *c, const double *X, double a, double b,
                                   int ncol, zw_error *err);
/* A reference: U from Dr with so many columns, planes through X. gap (may be NULL): the smallest
 * singular value that counts, of the largest one. */
zw_status zw_steady_curve_refer(zw_steady_curve *c, const double *X, double a, double b, int ncol,
                                double *gap, zw_error *err);
/* U r (N). */
void zw_steady_curve_reduce(const zw_steady_curve *c, const double *r, double *out);
/* U full, N x ncol. */
void zw_steady_curve_reduce_matrix(const zw_steady_curve *c, int ncol, double *out);
/* Eigenvalues of a small disturbance at X into re, im (n); count: learn which are always zero. */
zw_status zw_steady_curve_spectrum(zw_steady_curve *c, const double *X, double a, double b,
                                   bool count, zw_error *err);
/* How many of the eigenvalues of the last spectrum grow; -1: some lie on the axis as far as it is
 * known. Undamped oscillations count as what does not grow. */
int zw_steady_curve_growing(const zw_steady_curve *c);
/* The product of the sums of pairs of eigenvalues, over their sizes, without those that always
 * vanish; skip: numbers of up to two that are left out, or -1. */
double zw_steady_curve_sums(const zw_steady_curve *c, const int skip[2]);
/* The pair on the imaginary axis, its number with positive imaginary part; -1: there is none. Of
 * several the one that came there since the last point; skip as above. */
int zw_steady_curve_pair(const zw_steady_curve *c, const int skip[2]);
/* A point for whoever takes it, whose kind, place and numbers are given: with the state of X, its
 * tangent and the eigenvalues there. */
zw_status zw_steady_curve_report(zw_steady_curve *c, zw_steady_point *told, const double *X,
                                 const double *tangent, int ntangent, zw_error *err);
/* X of a motion. */
void zw_steady_curve_place(const zw_steady_curve *c, const zw_steady *m, double *X);
/* The size of c and planes at a motion, before a curve begins; those of the rows too, if it is
 * `fresh`: at marks rows may vanish. */
zw_status zw_steady_curve_begin(zw_steady_curve *c, const zw_steady *m, double a, double b,
                                bool fresh, zw_error *err);

#endif
