/* SPDX-License-Identifier: MIT */
/* Laws of friction as data: convex sets, and what they are called. What they mean is in
 * zwang/contact.h. */
#ifndef ZWANG_FRICTION_H
#define ZWANG_FRICTION_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
