/* SPDX-License-Identifier: MIT */
/* Declarations shared by the solvers of contact problems. All numbers are scaled (problem.c):
 * contact i has
 *
 *     r^ = r/sqrt(rho)/size,   u^ = sqrt(rho) u/size,   H^ = sqrt(rho) H L^-T,
 *     M = L L',   rho = rows/trace(W_ii),
 *
 * so that W^ = H^ P H^' has blocks of trace `rows`, without units and masses, and the cones are the
 * same. With velocities w of the parts the problem is u = H w + q, w = H'P r; P is 1 except for
 * non-associated forces.
 *
 * The scaled velocities are grouped in parts of six, the last one of a body padded with zeros, so
 * that all blocks are 6 x 6 (kernels.h). Where W itself is given, H is its factor, W = H H'. */
#ifndef ZW_CONTACT_SOLVER_H
#define ZW_CONTACT_SOLVER_H

#include <math.h>

#include "base/tolerance.h"
#include "law.h"

/* The matrix 1 + H'P D H over the parts, and its factors: matrix.c. Pivots are parts in the order
 * of elimination. Blocks are counted; those of the diagonal and below are transposed. */
typedef struct zw_contact_matrix {
    int npart, nentry, ncontact; /* of the problem for which it was ordered, */
    int *touch, *first_entry;    /* its parts by entries, and the first entries of its contacts */
    int *order, *when;           /* npart: the part of a pivot; the pivot of a part */
    /* npart + 1: first entry of pivot k in `later`: the neighbours of k that are eliminated after
     * it, ascending */
    int *first, *later;
    int *upper, *lower; /* as later: the blocks (k, later), (later, k) */
    int *diagonal;      /* npart, by pivots */
    /* npart + 1, and blocks (later a, later b) that the elimination of pivot k changes */
    int *targets, *target;
    /* for entries a, b of each contact: the block they add to, -1 - block if it is transposed */
    int *place;
    unsigned char *pivot; /* 8 npart: rows exchanged inside diagonal blocks */
    int nblock;
    double *block;
    void *memory;
    size_t bytes;
} zw_contact_matrix;

typedef struct zw_contact_block_state { /* of a friction block on the interior path */
    double l, dl, z, dz;                /* slip multiplier; distance from the cone */
    double c3;                          /* required value of their product */
    double k;                           /* weight of their product */
    double smooth;                      /* scaled */
    double b[ZW_LAW_MAX], dy[ZW_LAW_MAX];
    zw_law_gauge g;
} zw_contact_block_state;

typedef struct zw_contact_coulomb { /* one contact, prepared: one_contact_exact.c */
    double W[9], mu, inverse_NN;
    double S[4]; /* inverse of W_TT - W_TN W_NT/W_NN; that itself if it is singular */
    double b[2]; /* W_TN/W_NN */
    bool regular;
    bool alone; /* there is one solution for any q */
} zw_contact_coulomb;

struct zw_contact_solver {
    zw_allocator alloc;
    void *memory;
    size_t bytes;
    const zw_contact_problem *problem;
    int ncontact, npart, nentry, nrow, ncol, nblock;
    bool triples;     /* all contacts have three rows */
    int *row, *first; /* ncontact + 1: of rows, of entries */
    int *square;      /* ncontact + 1: where D of a contact begins */
    int *block0;      /* ncontact + 1: its first friction block */
    bool *disc;       /* ncontact: Coulomb's law in the plane, with mu > 0 */
    int *touch, *at;  /* nentry: the part; where H begins, rows of six */
    double *H;        /* scaled rows */
    /* of bodies as given, + 1: their first part; where the factor of their mass begins */
    int *piece, *mass;
    double *L, *line;  /* factors of the masses; a row of the widest body */
    double *W;         /* nrow x nrow, scaled, where it was given, else NULL */
    double *root;      /* ncontact: sqrt(rho) */
    double *pull;      /* nrow */
    bool pulled;       /* some are not 1 */
    double size, norm; /* of q: the largest scaled contact, the unscaled whole */
    /* nrow; made: velocities by the impulses r */
    double *q, *r, *u, *dr, *du, *rp, *c, *best, *trial, *made, *saved, *kept;
    double *w, *dw, *rd, *rhs, *pushed; /* ncol; pushed: H'P r */
    double *D;
    zw_contact_block_state *state;
    zw_contact_coulomb *one; /* ncontact, for the contacts that are discs */
    zw_contact_matrix matrix;
};

/* problem.c: checks, allocates, scales. */
zw_status zw_contact_begin(zw_contact_solver *s, const zw_contact_problem *p, zw_error *err);
const char *zw_contact_wrong_law(const zw_contact_law *law);
/* Coulomb's law in the plane with mu > 0 */
static inline bool zw_contact_is_disc(const zw_contact_law *law) {
    const zw_friction *f = law->block;
    return law->nblock == 1 && f->kind == ZW_FRICTION_ELLIPSOID && f->nrow == 2 && f->smooth == 0 &&
           f->axis[0] == 1 && f->axis[1] == 1 && f->mu > 0;
}
static inline int zw_contact_rows(const zw_contact_solver *s, int contact) {
    return s->row[contact + 1] - s->row[contact];
}
/* scaled impulses of the caller's, and back */
void zw_contact_scale(const zw_contact_solver *s, const double *r, double *out);
void zw_contact_unscale(const zw_contact_solver *s, double *r);
/* out = H w (+ q), out = H'P r */
void zw_contact_spread(const zw_contact_solver *s, const double *w, bool with_q, double *out);
void zw_contact_gather(const zw_contact_solver *s, const double *r, double *out);
/* the residual of scaled impulses; sets `pushed` and `made`, the velocities by them */
double zw_contact_scaled_residual(zw_contact_solver *s, const double *r);
double zw_contact_residual_of_zero(zw_contact_solver *s, double *r); /* r becomes 0 */
/* The same for one contact with Coulomb's law: the squared distance of r from the projection of r -
 * u - mu |u_F| e_N onto its cone. */
static inline double zw_contact_disc_residual(double mu, const double *r, const double *u) {
    double slip = u[1] * u[1] + u[2] * u[2], gap = u[0] + mu * sqrt(slip), N = r[0] - gap,
           T[2] = {r[1] - u[1], r[2] - u[2]}, tt = T[0] * T[0] + T[1] * T[1];
    if (N > 0 && tt <= mu * mu * N * N) /* inside */
        return gap * gap + slip;
    double t = sqrt(tt);
    if (mu * t <= -N)
        return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    double a = (N + mu * t) / (1 + mu * mu), b = mu * a / t, x = r[0] - a, y = r[1] - b * T[0],
           z = r[2] - b * T[1];
    return x * x + y * y + z * z;
}
/* W_ii of contact i, with the factors of non-associated forces in its columns */
void zw_contact_own(const zw_contact_solver *s, int i, double *W);
/* scaled friction of a block: damping and smoothing in the units of contact i */
double zw_contact_damping(const zw_contact_solver *s, int contact, const zw_friction *f);
double zw_contact_smoothing(const zw_contact_solver *s, int contact, const zw_friction *f);

/* elimination_order.c, matrix.c */
zw_status zw_contact_matrix_order(zw_contact_solver *s, zw_error *err);
void zw_contact_matrix_clear(zw_contact_solver *s);
bool zw_contact_matrix_factor(zw_contact_solver *s); /* with s->D; false: singular */
void zw_contact_matrix_solve(const zw_contact_solver *s, double *x);
/* The Newton step dw, du, dr of dr = c - D du with the residuals rd and rp; at most `refinements`
 * iterative refinements. */
void zw_contact_matrix_step(zw_contact_solver *s, int refinements);

#define ZW_CONTACT_SINGULAR ZW_ROUNDOFF_VALUE /* smallest pivot, relative to the largest */
/* one_contact_exact.c: the exact solution for one contact with W (m x m), q; false: none was
 * found. */
bool zw_contact_single(const zw_contact_law *law, const double *W, const double *q, double *r);
void zw_contact_coulomb_prepare(zw_contact_coulomb *k, const double *W, double mu);
bool zw_contact_coulomb_solve(const zw_contact_coulomb *k, const double *q, double *r);
/* All solutions, the one of the rule first (fewer if both open and sticking are solutions). Returns
 * their number. */
enum { ZW_COULOMB_ANSWERS = 10 };
int zw_contact_coulomb_all(const zw_contact_coulomb *k, const double *q, double (*r)[3]);

/* one_contact_direct.c: a problem of one contact, without preparation; false: use the general
 * solver. */
bool zw_contact_direct(const zw_contact_problem *p, const zw_contact_options *o, double *r,
                       zw_contact_answer *answer);

/* path.c, newton.c, classical_iterations.c: start from s->r or their own start, set s->best and
 * return its residual. */
/* The proximal term of Newton's method: sqrt(eps). Larger ones need more steps, since the error
 * shrinks by eps/(eps + lambda); smaller ones lose digits where W is singular. */
#define ZW_CONTACT_EPS 1e-8
double zw_contact_path(zw_contact_solver *s, double start, unsigned weights, double tolerance,
                       int *steps, int *newton);
double zw_contact_newton(zw_contact_solver *s, double eps, double tolerance, int most, int patience,
                         int *steps);
double zw_contact_sweeps(zw_contact_solver *s, const zw_contact_options *o, long *iterations);
/* s->r after n sweeps from 0 */
void zw_contact_first_sweeps(zw_contact_solver *s, int n);
double zw_contact_fixed_point(zw_contact_solver *s, const zw_contact_options *o, long *iterations);

/* newton.c: D and c of all contacts at s->r with the velocities s->made */
void zw_contact_linearise(zw_contact_solver *s, double eps);
/* examine.c: are there other solutions near the solution s->r; is there none at all? */
void zw_contact_examine(zw_contact_solver *s, double tolerance, zw_contact_answer *answer);
bool zw_contact_is_impossible(zw_contact_solver *s);

#endif
