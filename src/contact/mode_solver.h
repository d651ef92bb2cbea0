/* SPDX-License-Identifier: MIT */
/* Declarations shared by the sources of contact_mode.h: the state of the contacts, the numbers of
 * their laws, and three steps, one in each source: the linear equations of given modes
 * (mode_solve.c), their consistency (mode_hold.c), the choice among all combinations
 * (mode_decide.c). */
#ifndef ZW_CONTACT_MODE_SOLVER_H
#define ZW_CONTACT_MODE_SOLVER_H

#include <math.h>

#include "contact_mode.h"
#include "law.h"

/* Error of accelerations and forces relative to the largest acceleration: within it an inequality
 * is satisfied on both sides. They are solutions of equations with condition numbers up to 1e6
 * (ZW_ROUNDOFF_SOLVED); ten times larger, contacts that open slowly would stay closed. */
#define ZW_CONTACT_MODE_TIE 1e-9
#define ZW_CONTACT_MODE_UNKNOWN 4 /* velocities below this multiple of their accuracy are 0 */
enum { ZW_CONTACT_MODE_OPTIONS_MAX = 129 }; /* of one contact */

struct zw_contact_modes {
    const zw_kernel *k;
    zw_allocator alloc;
    size_t bytes;
    zw_contact_solver *solver;
    int nz;
    /* at the state */
    double *gap, *gap_known; /* ncontact: gaps [m], and their accuracy */
    double *rate;            /* ntouch: gamma */
    double *known;           /* ntouch: accuracy of the rates */
    double *support;         /* ntouch: gamma if the velocities of the system are 0 */
    double *law;             /* nlaw */
    double *H, *B;           /* ntouch x nv */
    double *A;               /* ntouch x ntouch */
    double *bend;            /* ntouch: gamma' without contact forces */
    double *parts, *felt;    /* ntouch: the size of the terms of bend; the largest so far */
    double *accel;           /* nv: v' without them */
    /* scratch */
    double *K, *side;  /* nz x nz, (ntouch + 1) x nz */
    int *pivot;        /* nz, at least ntouch */
    double *a, *c;     /* ntouch: r = a r_N + c of rows that slide */
    double *r, *out;   /* ntouch: forces, and the accelerations of the rows with them */
    double *S, *z;     /* ntouch x ntouch, ntouch: the linear equations of given modes */
    int *row;          /* ntouch: its unknowns */
    double *W, *q, *p; /* of the contact problem of an impact */
    zw_contact_law *laws;
    int *closed;
    bool *turned;                  /* ncontact */
    bool *resting;                 /* ncontact x ZW_CONTACT_MODE_PARTS: blocks with velocity 0 */
    zw_contact_mode *option;       /* ncontact x ZW_CONTACT_MODE_OPTIONS_MAX */
    int *noption, *count;          /* ncontact */
    zw_contact_mode *trial, *best; /* ncontact */
    double *best_out;              /* ntouch: accelerations of the rows */
    double *best_accel, *now;      /* nv */
    double *direction, *best_direction; /* ntouch */
    /* rows that depend on each other (mode_share.c) */
    bool redundant;
    double *V, *share, *offset; /* ntouch, ntouch x ntouch, ntouch */
    double *L, *left;           /* ntouch x ntouch, ntouch */
    /* ntouch x ntouch x ntouch: forces as functions of those of the rows that are kept */
    double *P;
    double *guess; /* ntouch: forces that the solver of contact problems has found */
    bool guessed;
    bool *given, *best_given;         /* ntouch: rows that are shares of others */
    double *best_share, *best_offset; /* as share and offset */
    double strict; /* least distance of a force from its limit, relative to the limit; usually 0 */
    bool begun;    /* the directions in which blocks begin to slide are approximate */
    /* inequalities are compared with the largest accelerations of the whole motion */
    bool generous;
};

static inline double zw_contact_mode_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline const double *zw_contact_mode_numbers(const zw_contact_modes *s,
                                                    const zw_contact_form *f, int block) {
    return s->law + f->number + 1 + ZW_LAW_NUMBERS * block;
}

static inline bool zw_contact_mode_is_set_valued(const zw_contact_form *f, const double *n,
                                                 int block) {
    return f->kind[block] != ZW_FRICTION_LINEAR && n[4] == 0;
}

/* The set of a block by the numbers of its law. */
static inline zw_friction zw_contact_mode_law(zw_friction_kind kind, int nrow, double nu,
                                              const double *n) {
    zw_friction law = zw_friction_block(kind, nrow, n[0]);
    for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++) {
        law.axis[i] = n[1 + i];
        law.pull[i] = n[6 + i];
    }
    law.smooth = n[4];
    law.nu = nu;
    return law;
}
static inline zw_friction zw_contact_mode_block(const zw_contact_modes *s, const zw_contact_form *f,
                                                int block) {
    return zw_contact_mode_law(f->kind[block], f->block_rows[block], f->nu[block],
                               zw_contact_mode_numbers(s, f, block));
}

/* D(u); 0 at 0 */
double zw_contact_mode_support(const zw_friction *law, const double *u);
/* the gauge of the set, times mu N, of forces r */
double zw_contact_mode_force(const zw_friction *law, const double *r);

/* The unknowns of these modes in s->row, returns their number, and the rows of friction that follow
 * a normal force; blocks with resting[] (may be NULL: none) begin to slide along s->direction. */
int zw_contact_modes_unknowns(zw_contact_modes *s, const zw_contact_mode *mode,
                              const bool *resting);
/* The forces s->r that make these m rows 0, with the values `free` without forces, and the values
 * of all rows with them in s->out. constants: with the constants of the linear law. False where the
 * equations are singular. */
bool zw_contact_modes_solve(zw_contact_modes *s, int m, const double *free, bool constants);
/* Sorts the m rows in s->row: first those that are kept, whose number is returned, then those that
 * depend on them, with their shares. */
int zw_contact_modes_share(zw_contact_modes *s, int m);
/* Do rows of these contacts depend on each other? */
bool zw_contact_modes_are_redundant(zw_contact_modes *s, const bool *rests);
/* The capacity of the rows: normal forces `equal` or by s->guess, friction theta times its law,
 * constants zero; then the constants for which s->guess is a solution. */
void zw_contact_modes_weigh(zw_contact_modes *s, double theta, bool equal);
void zw_contact_modes_offset(zw_contact_modes *s, int m);
/* Solves all these contacts as one problem, with `friction` times their mu; the forces are in
 * s->guess. false: no solution was found. */
bool zw_contact_modes_guess(zw_contact_modes *s, const bool *rests, const zw_contact_mode *before,
                            double friction);
/* mode_hold.c: does a block rest and begin to slide along a direction that is not known? */
bool zw_contact_modes_begins(const zw_contact_modes *s, const zw_contact_mode *mode, int c,
                             int block);
int zw_contact_modes_count_beginnings(const zw_contact_modes *s, const zw_contact_mode *mode);
/* Are these modes consistent? */
bool zw_contact_modes_hold(zw_contact_modes *s, const bool *rests, zw_contact_mode *mode);
/* The same for blocks that begin to slide along the accelerations s->out, at an instant at which
 * these are still 0: their directions are judged to APPROXIMATE_START only. */
bool zw_contact_modes_begin(zw_contact_modes *s, const bool *rests, const zw_contact_mode *mode);

/* The forces s->r of these modes if this row, which is a share of others, has `force` in addition
 * to the share by equal stiffnesses. */
bool zw_contact_modes_share_motion(zw_contact_modes *s, const zw_contact_mode *mode, int row,
                                   double force);

#endif
