/* SPDX-License-Identifier: MIT */
/* Implemented in src/contact. */
/* Contact with friction, one step of it frozen: impulses r and relative velocities u of all
 * contacts with
 *
 *     u = W r + q,     W = H M^-1 H'                                                                      (1)
 *     0 <= r_N,  0 <= u_N,  r_N u_N = 0                                        normal, row 0 of a contact    (2)
 *     r_F = -mu r_N grad D(u_F),   or  r_F in mu r_N C  where u_F = 0          friction, its other rows      (3)
 *
 * H are the rows of the contacts over the velocities, in parts: bodies, or one part for a system in
 * its own coordinates. C is a convex set, D its support function: the disc and |u_F| for Coulomb's
 * law, an interval for pivoting and rolling, the body of Coulomb and Contensou for slip and spin
 * together. mu r_N D(u_F) is dissipated. All rows of one contact have the same unit: spins come
 * times their radius, torques divided by it.
 *
 * A problem may have no solution, one, or many (W is singular where contacts are redundant;
 * Painleve's paradoxes). What is returned is a candidate and its residual, which judges it without
 * regard of where it came from. */
#ifndef ZWANG_CONTACT_H
#define ZWANG_CONTACT_H

#include <stdbool.h>

#include "nonsmooth.h"
#include "run.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    /* rows x rows, symmetric, may be singular: instead of parts and entries, of which there are
     * none then */
    const double *W;
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
    double prox; /* kg: the factor p of the fixed point r - p u, the same for all rows; 0: chosen */
    bool examine; /* find out whether forces and motion are the only ones: about two more steps */
    /* those of every row, one after the other; rows of a disc or of slip have one. NULL: prox */
    const double *prox_rows;
    /* one contact of Coulomb: count its answers where Painleve's paradoxes are possible */
    bool paradox;
} zw_contact_options;
ZW_API void zw_contact_options_init(zw_contact_options *options, size_t size);
static inline zw_contact_options zw_contact_options_default(void) {
    zw_contact_options o;
    zw_contact_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_contact_unique {
    ZW_CONTACT_UNKNOWN, /* not asked, or not known */
    ZW_CONTACT_UNIQUE,  /* no other answer near this one; with one contact, none at all */
    ZW_CONTACT_NOT_UNIQUE
} zw_contact_unique;

typedef enum zw_contact_paradox { /* of Painleve, with one contact of Coulomb */
                                  ZW_CONTACT_NO_PARADOX,
                                  /* no normal impulse, however large, stops the approach while it
                                   * slips on: it stops slipping, or turns */
                                  ZW_CONTACT_NO_SLIP,
                                  /* more than one answer: nothing before sticking before slipping
                                   * was the rule */
                                  ZW_CONTACT_SEVERAL
} zw_contact_paradox;

typedef struct zw_contact_answer {
    zw_contact_verdict verdict;
    double residual;                  /* zw_contact_residual */
    int path, newton;                 /* steps of the interior path and of Newton's method */
    int restarts;                     /* of the path */
    long iterations;                  /* of the other methods */
    const char *found;                /* by which of the means, for people */
    zw_contact_unique forces, motion; /* cheap with one contact of Coulomb, else on request */
    zw_contact_paradox paradox;
    bool impossible; /* proved: no motion keeps the contacts from penetrating */
} zw_contact_answer;

typedef struct zw_contact_solver zw_contact_solver;
/* Keeps its memory, and the order of elimination as long as the same parts touch. alloc may be NULL
 * (malloc). */
ZW_API zw_contact_solver *zw_contact_solver_create(const zw_allocator *alloc);
ZW_API void zw_contact_solver_destroy(zw_contact_solver *s);
/* r (rows of all contacts; read if options say so). ZW_OK with any verdict; failures are bad data
 * (negative mu, no mass, numbers that are not finite) and memory. options may be NULL. */
ZW_API zw_status zw_contact_solve(zw_contact_solver *s, const zw_contact_problem *problem,
                                  const zw_contact_options *options, double *r,
                                  zw_contact_answer *answer, zw_error *err);
/* How far r is from (1) to (3), independent of units and masses: with rho = rows/trace(W_ii) of
 * contact i,
 *
 *     |(r_i - projection of (r_i - rho (u_i + correction)))/rho| / |q|,
 *
 * onto the cone of Coulomb with the correction mu |u_F| of De Saxce for one isotropic block of two
 * rows; otherwise onto r_N >= 0 and then mu r_N C; smoothed and linear laws by the force they have
 * at the slip by which it differs from r - rho u. u (rows of all contacts, may be NULL) is what r
 * makes of the velocities. */
ZW_API zw_status zw_contact_residual(zw_contact_solver *s, const zw_contact_problem *problem,
                                     const double *r, double *u, double *residual, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Moreau's midpoint rule: time stepping for systems with contacts, by impulses over whole steps.
 *
 *     q_M = q_A + h/2 F(q_A) u_A                                        M, forces, rows H and gaps at q_M
 *     M (u_E - u_A) = h f + Psi' Lambda + H' P,    psi_E = 0            joints
 *     (xi, P) obey the laws,  xi = gamma_E + e gamma_A                  contacts with gap(q_M) <= 0, and bilateral ones
 *     q_E = q_M + h/2 F(q_M) u_E                                        then back onto the joints
 *
 * An impact, a sticking contact and one that slides are one and the same step: nothing is searched
 * for, and the error is of first order. (J. J. Moreau 1988, M. Jean 1999.) A bilateral contact
 * takes friction of |N|: it is solved as one that may open, with its normal turned round where it
 * would.
 *
 * A method for zw_run_options.supplied, of kernels with contacts, whose constraints in the sense of
 * system.h are off. */

typedef struct zw_moreau_options {
    size_t size;               /* of this struct, for the library */
    zw_contact_options solver; /* of every step */
    bool correct;              /* after a step, positions that overlap are moved apart */
    bool control; /* steps as long as rtol and atol of the run allow, at most its step */
    double worst; /* a residual of a step above this ends the run, 1e-6 */
} zw_moreau_options;
ZW_API void zw_moreau_options_init(zw_moreau_options *options, size_t size);
static inline zw_moreau_options zw_moreau_options_default(void) {
    zw_moreau_options o;
    zw_moreau_options_init(&o, sizeof o);
    return o;
}
/* The method with these options, which must outlive its runs. */
ZW_API zw_method zw_moreau_method(const zw_moreau_options *options);

typedef enum zw_contact_state {
    ZW_CONTACT_OPEN,
    ZW_CONTACT_STICKS, /* closed, and all its friction holds, or it has none */
    ZW_CONTACT_SLIPS
} zw_contact_state;
/* What has happened at a contact since the last call. */
typedef struct zw_contact_report {
    zw_contact_state state;              /* in the last step */
    double gap;                          /* m, at the present state */
    double rate[ZW_CONTACT_ROWS_MAX];    /* m/s, there: normal, then friction */
    double impulse[ZW_CONTACT_ROWS_MAX]; /* N s, sum over the steps */
    double work[2];                      /* J, of the normal impulses and of friction */
    double deepest; /* m, the most negative gap at the middle of a step; 0: none was */
} zw_contact_report;
typedef struct zw_moreau_report {
    double since, until; /* s */
    long steps;
    int iterations;             /* most that a step has taken */
    double residual;            /* worst of a step */
    double hardest;             /* s, when that was */
    zw_contact_report *contact; /* the caller's, ncontact of the kernel */
} zw_moreau_report;

/* The estimated error since the start of the coordinate with the largest error relative to its
 * range: the distance from a second motion, in steps of twice the length or with ten times the
 * tolerances, and the errors added by impacts. */
typedef struct zw_moreau_accuracy {
    int coordinate; /* -1: there is none, or nothing is known */
    double error;   /* its unit; NaN: unknown */
    double part;    /* of its range; NaN: unknown */
} zw_moreau_accuracy;

#ifdef __cplusplus
}
#endif
#endif
