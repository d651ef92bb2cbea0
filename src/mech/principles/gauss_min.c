/* SPDX-License-Identifier: MIT */
/* Gauss's principle as what it says: the accelerations minimise the Zwang
 *
 *     Z(v') = v'M v'/2 - h.v' + ...        subject to  W v' = b  and, row by row,  W v' >= b or <= b.
 *
 * M, h as in gauss.c. Z is strictly convex, so the minimum is unique, and it is marked by (Karush,
 * Kuhn and Tucker)
 *
 *     M v' = h + W' lambda,     lambda_k (W v' - b)_k = 0,     lambda_k >= 0 for >=,  <= 0 for <=:
 *
 * a bounded acceleration has a force only where it stands at its bound, and the force pushes, it
 * never pulls. That is Fourier's inequality in place of d'Alembert's equation. Which bounds are met is
 * found at each state by the numerics (src/num/gauss_qp.c); here the rows get their kinds. */
#include "steps.h"

zw_status zw_gauss_min_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err) {
    ZW_TRY(zw_gauss_derive(out, s, active, err));
    signed char *inequality = ZW_EQUATIONS_NEW(out, s->ctx, signed char, out->nc);
    if (!inequality)
        return zw_context_status(s->ctx, err);
    zw_step_say(out, "Where a row is an inequality, its multiplier has the sign of the inequality "
                     "and is zero unless the "
                     "bound is met (Karush, Kuhn and Tucker).");
    for (int c = 0; c < out->nc; c++)
        inequality[c] = (signed char)s->constraint[out->constraint[c]].inequality;
    out->inequality = inequality;
    return ZW_OK;
}
