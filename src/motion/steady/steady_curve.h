/* SPDX-License-Identifier: MIT */
/* The equations of steady motions as a square system, for curves of steady motions and of their
 * folds and Hopf points.
 *
 * Unknowns X = (x/scale, c/unit). With rates, constraints, held values, and planes perpendicular to
 * the orbits of the symmetries through a reference,
 *
 *     r = ( f - X_0 - sum_i c_i X_i,  g,  held - values,  O (x - x_ref),  N (c - c_ref) ),
 *
 * has more rows than X, and they depend on each other where constraints are redundant or quantities
 * are conserved. But r = 0 is a curve (a surface with b), so the rank of Dr with respect to X, a
 * (and b) is the size N of X: with U the first N left singular vectors at the reference, U r = 0 is
 * regular. Nearby it has the same solutions as r = 0, which are among its own. */
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
    double shorter; /* factor on the steps of the options */
    bool vary;      /* the symmetries depend on the values */
    double *about;  /* nx: the state near which symmetries are found */
    int nx, nc, ng, nhold, norbit, nfixed;
    int N, M; /* unknowns, rows */
    double unit_a, unit_b;
    double a, b; /* the values of the flow */
    bool is_set; /* the flow has these values */
    zw_hold *hold;
    double *p, *held;          /* np, nhold */
    double *x, *c, *z;         /* nx, nc, nz: of the last residual */
    double *f, *X_0, *X, *J;   /* nx, nx, nc x nx, nx x nx */
    double *g, *G;             /* ng, ng x nx */
    double *obs, *obs_dx;      /* nobs + 2, times nx */
    double *unit_c, *row_unit; /* nc, M */
    double *O, *fixed;         /* norbit x nx in sizes of the state; nfixed x nc in units of c */
    double *reference;         /* N: X at the reference */
    double *U;                 /* N x M */
    double *r, *r_side;        /* M */
    double *full;              /* M x (N + 2) */
    double *matrix;            /* (N + 2) x (N + 2) */
    int *pivot, *pivot_side;   /* of `matrix`, and of other matrices */
    double *row;               /* N + 2: along the curve, the last row of the determinants */
    bool has_row;
    bool has_U;
    double *work, *work2; /* (N + 2)^2 */
    double *point;        /* N + 2 */
    /* eigenvalues */
    double *A, *Aq, *re, *im; /* nx x nx, nx x nx, nx, nx */
    int n;
    zw_deflation deflation;
    bool counted; /* `deflation` is initialised */
    /* no eigenvalue is zero at the start of the curve: none is divided out, even slow ones */
    bool regular;
    int neutral; /* pairs with sum zero at all points; -1: not counted */
    double rate; /* 1/s: the fastest row */
    /* 1/s: the largest modulus of the slowest eigenvalue on this curve; 0 before the first point */
    double slow;
    double *last_re, *last_im; /* nlast: at the last point */
    int nlast;
    zw_steady motion;
    zw_steady_take take;
    void *user;
    double *tangent;   /* N + 2: in units of the model */
    double *size;      /* nx: unit of the arclength, in sizes of the state */
    double *origin;    /* nx: X where the curve began */
    unsigned at_start; /* bits of kinds reported at the start of a curve of special points */
};

/* Set a and b in the flow, with parameters, held values and symmetries that depend on them. */
zw_status zw_steady_curve_set(zw_steady_curve *c, double a, double b, zw_error *err);
/* r (M) at X (N), and Dr into c->full: ncol = N + 1 columns, N + 2 with b; those of a and b in
 * their units. */
zw_status zw_steady_curve_residual(zw_steady_curve *c, const double *X, double a, double b,
                                   double *r, zw_error *err);
zw_status zw_steady_curve_jacobian(zw_steady_curve *c, const double *X, double a, double b,
                                   int ncol, zw_error *err);
/* Make X the reference: U from Dr with `ncol` columns, planes through X. gap (may be NULL): the
 * least of the first N singular values, relative to the largest. */
zw_status zw_steady_curve_refer(zw_steady_curve *c, const double *X, double a, double b, int ncol,
                                double *gap, zw_error *err);
/* U r (N). */
void zw_steady_curve_reduce(const zw_steady_curve *c, const double *r, double *out);
/* U full, N x ncol. */
void zw_steady_curve_reduce_matrix(const zw_steady_curve *c, int ncol, double *out);
/* Eigenvalues of small disturbances at X into re, im (n); count: learn which are always zero. */
zw_status zw_steady_curve_spectrum(zw_steady_curve *c, const double *X, double a, double b,
                                   bool count, zw_error *err);
/* The number of growing eigenvalues of the last spectrum; -1 if some may lie on the axis. Undamped
 * oscillations count as not growing. */
int zw_steady_curve_growing(const zw_steady_curve *c);
/* The product of the sums of pairs of eigenvalues, over their sizes, without those that always
 * vanish. skip: two eigenvalues that are left out, -1: none. */
double zw_steady_curve_sums(const zw_steady_curve *c, const int skip[2]);
/* The pair on the imaginary axis: the eigenvalue with positive imaginary part; -1 if there is none.
 * Of several, the one that reached the axis since the last point; skip as above. */
int zw_steady_curve_pair(const zw_steady_curve *c, const int skip[2]);
/* Pass a point to the caller's function. Kind, values and numbers of `point` are given; motion,
 * tangent and eigenvalues at X are added. */
zw_status zw_steady_curve_report(zw_steady_curve *c, zw_steady_point *point, const double *X,
                                 const double *tangent, int ntangent, zw_error *err);
/* X of a motion. */
void zw_steady_curve_place(const zw_steady_curve *c, const zw_steady *m, double *X);
/* The size of c and planes at a motion, before a curve begins; `fresh`: those of the rows too,
 * which may vanish at special points. */
zw_status zw_steady_curve_begin(zw_steady_curve *c, const zw_steady *m, double a, double b,
                                bool fresh, zw_error *err);

#endif
