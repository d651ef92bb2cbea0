/* SPDX-License-Identifier: MIT */
/* The distribution of allowed directions on (q, t), and its closure under Lie brackets. */
#ifndef ZW_CLAIMS_STRUCTURE_FROBENIUS_H
#define ZW_CLAIMS_STRUCTURE_FROBENIUS_H

#include "states.h"

/* A vector field F x + e (f + d/dt) on (q, t), in the velocities of the system. */
typedef struct zw_field {
    zw_expr *x; /* nv */
    zw_expr e;
    zw_expr *along; /* nq: the q components, F x + e f */
} zw_field;

typedef struct zw_closure {
    int nfield;
    zw_field *field; /* a basis: the distribution first, then brackets outside it */
    int ngrowth;
    int *growth; /* the rank of the distribution, with its brackets, with theirs, ... */
    bool proved; /* that it grows, or that it does not, by expressions */
} zw_closure;

/* eq contains independent constraints affine in the velocities; their brackets are evaluated at the
 * given states. ZW_E_MODEL or ZW_E_SINGULAR if they cannot be solved for velocities. */
zw_status zw_closure_of(zw_closure *out, const zw_equations *eq, const zw_state_set *states,
                        zw_error *err);

/* Does the differential form of velocity-level residual psi vanish on the whole closure? */
bool zw_closure_annihilates(const zw_closure *c, const zw_equations *eq, const zw_state_set *states,
                            zw_expr psi);

#endif
