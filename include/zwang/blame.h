/* SPDX-License-Identifier: MIT */
/* Implemented in src/mech/equations. */
/* Which statement of the model is to blame for a value that is not finite, and which part of its
 * expression. For messages: it looks at everything and takes its time. */
#ifndef ZWANG_BLAME_H
#define ZWANG_BLAME_H

#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_blame {
    bool found;         /* false: all expressions are finite here; then the linear equations of the
                           accelerations have no (finite) solution */
    char where[160];    /* "force friction", "the potential", "constraint rod", "observable E",
                           "the state", ...; "the derivative of force friction by x'" if only a
                           Jacobian matrix is not finite */
    zw_place place;     /* of that statement; file NULL if it has none */
    zw_culprit culprit; /* what has no finite value there */
} zw_blame;

/* Look for it at time t, parameters p, state x of the equations (q, v), z = (v', lambda). z may be NULL:
 * then, and where z is not finite itself, expressions that need it are passed over. In the order in
 * which one thing follows from another: the state, masses and their places, forces, energies,
 * kinematics, constraints, equations of motion, observables, events, derivatives. */
ZW_API zw_status zw_equations_blame(const zw_equations *eq, double t, const double *p,
                                    const double *x, const double *z, zw_blame *out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
