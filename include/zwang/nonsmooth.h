/* SPDX-License-Identifier: MIT */
/* Laws of friction as data: convex sets, and what they are called. What they mean is in
 * zwang/contact.h. */
#ifndef ZWANG_NONSMOOTH_H
#define ZWANG_NONSMOOTH_H

#include <stdbool.h>

typedef enum zw_friction_kind {
    /* |r_F / axis| <= mu r_N, 1 to 3 rows: Coulomb, anisotropic, pivoting, rolling */
    ZW_FRICTION_ELLIPSOID,
    /* 3 rows, slip and slip and spin times radius; pressure over the patch as (1 - s^2)^nu */
    ZW_FRICTION_CONTENSOU,
    ZW_FRICTION_LINEAR /* r_F = -damping u_F, whatever r_N is */
} zw_friction_kind;

/* in the place of the exponent of a pressure: Hertz's, by the two series that are printed for it
 * (src/base/contensou.c) */
#define ZW_NU_PRINTED 2.0

enum { ZW_FRICTION_ROWS_MAX = 3, ZW_FRICTION_BLOCKS_MAX = 3, ZW_CONTACT_ROWS_MAX = 8 };

/* A block of rows that have one set. Begin with zw_friction_coulomb or the like. */
typedef struct zw_friction {
    zw_friction_kind kind;
    int nrow;
    double mu;
    double axis[ZW_FRICTION_ROWS_MAX]; /* of the ellipsoid, as parts of mu */
    /* of Contensou's: -1 a ring, 0 uniform, 1/2 Hertz, 1 parabolic, ZW_NU_PRINTED; no others */
    double nu;
    double smooth;  /* m/s: 0 set-valued; else D - smooth log(1 + D/smooth) takes D's place */
    double damping; /* of the linear law, kg: damping constant times step */
    /* the force is pull times what the law says: 1; else it is not associated */
    double pull[ZW_FRICTION_ROWS_MAX];
} zw_friction;

static inline zw_friction zw_friction_block(zw_friction_kind kind, int nrow, double mu) {
    zw_friction f = {kind, nrow, mu, {1, 1, 1}, 0.5, 0, 0, {1, 1, 1}};
    return f;
}
static inline zw_friction zw_friction_coulomb(double mu) {
    return zw_friction_block(ZW_FRICTION_ELLIPSOID, 2, mu);
}

/* How a contact stands between two events: which piece of its laws holds. */
enum {
    ZW_STICKS = 0, /* the velocities of the block are 0 */
    ZW_SLIDES =
        1, /* friction opposes them; of a block of one velocity this is positive, and -1: it is negative */
    ZW_CARRIED = 2, /* they are 0 without a force: other contacts hold what they would hold */
};
typedef struct zw_contact_mode {
    bool closed;
    signed char press; /* sign of the normal force: 1, or -1 of a bilateral contact that pulls */
    signed char slide[ZW_FRICTION_BLOCKS_MAX];
} zw_contact_mode;

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

/* ------------------------------------------------------------------------------------------ */

/* Switching functions of rates and constraints, whose zeros are where abs, sign, min, max,
 * comparisons, atan2 and tables have their kinks. In equations with modes (zw_equations_lock) and
 * kernels made of them (zw_kernel_options.modes) a kink takes the smooth piece that its mode says,
 * also beyond the zero, so that whoever integrates can step to it and change the mode there. */

#define ZW_MODE_FREE 1e9 /* a mode from here on: the kink takes the piece its own arguments say */
#define ZW_MODE_NOWHERE 1e100 /* a bound of a piece that has none on that side */
typedef enum zw_switch_kind {
    ZW_SWITCH_SIDE, /* the mode is -1 or 1, the sign of the function */
    /* the same, and the rates hold only signs and absolute values of it: a mode between -1 and 1
     * has a meaning (Filippov's) */
    ZW_SWITCH_SIGN,
    /* argument minus lower bound of the piece of a table. Three modes belong to it: the number of
     * the piece (-1: before the first knot), its lower and its upper bound */
    ZW_SWITCH_LOWER,
    ZW_SWITCH_UPPER /* argument minus upper bound of the same */
} zw_switch_kind;
typedef struct zw_switch {
    zw_switch_kind kind;
    int mode;           /* its place among the modes */
    bool is_affine;     /* a t + b, a and b of parameters alone: its zero is known ahead */
    bool is_continuous; /* what it switches is continuous at its zero */
    bool of_contact;    /* it switches a gap or a slip of a contact */
    int nknot;
    const double *knot; /* of the table */
    const char *text;   /* the part of the model that switches */
} zw_switch;

#endif
