/* SPDX-License-Identifier: MIT */
/* Contact with friction, one step of it frozen: impulses r and relative velocities u of all contacts with
 *
 *     u = W r + q,     W = H M^-1 H'                                                                      (1)
 *     0 <= r_N,  0 <= u_N,  r_N u_N = 0                                        normal, row 0 of a contact    (2)
 *     r_F = -mu r_N grad D(u_F),   or  r_F in mu r_N C  where u_F = 0          friction, its other rows      (3)
 *
 * H are the rows of the contacts over the velocities, in parts: bodies, or one part for a system in its own coordinates. C is a
 * convex set, D its support function: the disc and |u_F| for Coulomb's law, an interval for pivoting and rolling, the body
 * of Coulomb and Contensou for slip and spin together. mu r_N D(u_F) is dissipated. All rows of one contact have the same
 * unit: spins come times their radius, torques divided by it.
 *
 * A problem may have no solution, one, or many (W is singular where contacts are redundant; Painleve's paradoxes). What is
 * returned is a candidate and its residual, which judges it without regard of where it came from. */
#ifndef ZWANG_CONTACT_H
#define ZWANG_CONTACT_H

#include <stdbool.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zw_friction_kind {
    ZW_FRICTION_ELLIPSOID, /* |r_F / axis| <= mu r_N, 1 to 3 rows: Coulomb, anisotropic, pivoting, rolling */
    ZW_FRICTION_CONTENSOU, /* 3 rows, slip and slip and spin times radius; pressure over the patch as (1 - s^2)^nu */
    ZW_FRICTION_LINEAR /* r_F = -damping u_F, whatever r_N is */
} zw_friction_kind;

enum { ZW_FRICTION_ROWS_MAX = 3, ZW_FRICTION_BLOCKS_MAX = 3, ZW_CONTACT_ROWS_MAX = 8 };

/* A block of rows that have one set. Begin with zw_friction_coulomb or the like. */
typedef struct zw_friction {
    zw_friction_kind kind;
    int nrow;
    double mu;
    double axis[ZW_FRICTION_ROWS_MAX]; /* of the ellipsoid, as parts of mu */
    double nu;      /* of Contensou's: -1 a ring, 0 uniform, 1/2 Hertz, 1 parabolic; no others */
    double smooth;  /* m/s: 0 set-valued; else D - smooth log(1 + D/smooth) takes D's place */
    double damping; /* of the linear law, kg: damping constant times step */
    double pull
        [ZW_FRICTION_ROWS_MAX]; /* the force is pull times what the law says: 1; else it is not associated */
} zw_friction;

static inline zw_friction zw_friction_block(zw_friction_kind kind, int nrow, double mu) {
    zw_friction f = {kind, nrow, mu, {1, 1, 1}, 0.5, 0, 0, {1, 1, 1}};
    return f;
}
static inline zw_friction zw_friction_coulomb(double mu) {
    return zw_friction_block(ZW_FRICTION_ELLIPSOID, 2, mu);
}

typedef struct zw_contact_law {
    int nblock; /* 0: no friction */
    zw_friction block[ZW_FRICTION_BLOCKS_MAX];
} zw_contact_law;
static inline int zw_contact_law_rows(const zw_contact_law *law) {
    int n = 1;
    for (int i = 0; i < law->nblock; i++)
        n += law->block[i].nrow;
    return n;
}

/* A body, or all of a system in its own coordinates: n velocities. */
typedef struct zw_contact_part {
    int n;
    bool diagonal;
    const double *mass; /* n if diagonal, else n x n, symmetric and positive definite */
} zw_contact_part;
/* The rows of a contact over the velocities of a part. */
typedef struct zw_contact_entry {
    int contact, part;
    const double *H; /* rows of the contact x n of the part */
} zw_contact_entry;

typedef struct zw_contact_problem {
    int ncontact, npart, nentry;
    const zw_contact_law *law;     /* ncontact */
    const zw_contact_part *part;   /* npart */
    const zw_contact_entry *entry; /* nentry, by contacts in order */
    const double *q;               /* rows of all contacts, one after the other */
} zw_contact_problem;

typedef enum zw_contact_verdict {
    ZW_CONTACT_CONVERGED,
    ZW_CONTACT_ACCURACY_LIMIT, /* below 1e-8, and rounding keeps it from getting better */
    ZW_CONTACT_NOT_CONVERGED
} zw_contact_verdict;

typedef enum zw_contact_method {
    ZW_CONTACT_AUTO, /* nothing, one contact exactly, the old impulses, the interior path, Newton */
    ZW_CONTACT_PROX, /* fixed point of projections */
    ZW_CONTACT_GAUSS_SEIDEL /* contact after contact, each exactly */
} zw_contact_method;

typedef struct zw_contact_options {
    size_t size; /* of this struct, for the library */
    zw_contact_method method;
    double tolerance;    /* of the residual, 1e-9 */
    bool warm;           /* r is a guess */
    long iterations_max; /* of the last two methods, 100000 */
    double prox;         /* r_N, r_T, ... of the fixed point in 1/kg units of W; 0: chosen */
} zw_contact_options;
ZW_API void zw_contact_options_init(zw_contact_options *options, size_t size);
static inline zw_contact_options zw_contact_options_default(void) {
    zw_contact_options o;
    zw_contact_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_contact_answer {
    zw_contact_verdict verdict;
    double residual;   /* zw_contact_residual */
    int path, newton;  /* steps of the interior path and of Newton's method */
    int restarts;      /* of the path */
    long iterations;   /* of the other methods */
    const char *found; /* by which of the means, for people */
} zw_contact_answer;

typedef struct zw_contact_solver zw_contact_solver;
/* Keeps its memory, and the order of elimination as long as the same parts touch. alloc may be NULL (malloc). */
ZW_API zw_contact_solver *zw_contact_solver_create(const zw_allocator *alloc);
ZW_API void zw_contact_solver_destroy(zw_contact_solver *s);
/* r (rows of all contacts; read if options say so). ZW_OK with any verdict; failures are bad data (negative mu, no mass,
 * numbers that are not finite) and memory. options may be NULL. */
ZW_API zw_status zw_contact_solve(zw_contact_solver *s, const zw_contact_problem *problem,
                                  const zw_contact_options *options, double *r,
                                  zw_contact_answer *answer, zw_error *err);
/* How far r is from (1) to (3), independent of units and masses: with rho = rows/trace(W_ii) of contact i,
 *
 *     |(r_i - projection of (r_i - rho (u_i + correction)))/rho| / |q|,
 *
 * onto the cone of Coulomb with the correction mu |u_F| of De Saxce for one isotropic block of two rows; otherwise
 * onto r_N >= 0 and then mu r_N C. u (rows of all contacts, may be NULL) is what r makes of the velocities. */
ZW_API zw_status zw_contact_residual(zw_contact_solver *s, const zw_contact_problem *problem,
                                     const double *r, double *u, double *residual, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
