/* SPDX-License-Identifier: MIT */
/* The linear system of the accelerations and multipliers, solved by unrolled code. */
#ifndef ZW_JIT_SOLVE_H
#define ZW_JIT_SOLVE_H

#include "graph.h"

/* M v' = h + C lambda, W v' = b; M symmetric, matrices row-major. */
typedef struct zw_solve {
    int nv, nc;
    const zw_value *M, *h, *C, *W, *b; /* nv x nv, nv, nv x nc, nc x nv, nc */
    bool symmetric;                    /* C = W' */
} zw_solve;

/* Values of v' (nv), lambda (nc) and of the smallest relative pivot. ZW_E_SINGULAR if a pivot is
 * zero for every state; without a message, since the caller solves in another way. */
zw_status zw_solve_unroll(zw_graph *g, zw_arena *scratch, const zw_solve *system, zw_value *accel,
                          zw_value *lambda, zw_value *quality);

/* For W = C', the rows of contacts: a = M^-1 h (nv), Ha = W a (nc), B = W M^-1 (nc x nv), W M^-1 W'
 * (nc x nc). The pivots are not checked, since their ratios would cost as much as the pivots: a
 * singular M gives numbers that are not finite. */
typedef struct zw_solve_hit {
    zw_value *a, *Ha, *B, *W;
} zw_solve_hit;
zw_status zw_solve_unroll_hit(zw_graph *g, zw_arena *scratch, const zw_solve *system,
                              const zw_solve_hit *out);

#endif
