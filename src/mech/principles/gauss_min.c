/* SPDX-License-Identifier: MIT */
/* Gauss's principle as a minimisation: the accelerations minimise the Zwang (constraint)
 *
 *     Z(v') = v'M v'/2 - h.v' + ...   subject to  W v' = b  and, row by row,  W v' >= b or <= b.
 *
 * M, h as in gauss.c. Z is strictly convex, so the minimum is unique, and it is characterised by
 * (Karush, Kuhn and Tucker)
 *
 *     M v' = h + W' lambda,     lambda_k (W v' - b)_k = 0,     lambda_k >= 0 for >=,  <= 0 for <=:
 *
 * a bounded acceleration has a force only where it is at its bound, and the force pushes and never
 * pulls. This is Fourier's inequality instead of d'Alembert's equation. The numerics find the
 * active bounds at each state (src/num/linear/gauss_qp.c); here the rows get their kinds.
 *
 * Where forces depend on multipliers (C = W' + X) and rows are bounds, these conditions are not
 * those of a minimum, but a linear complementarity problem, which may have no solution or several:
 * it is rejected. With equations alone, see gauss.c. */
#include "steps.h"

static zw_status reject_friction(const zw_equations *out, const zw_system *s, zw_error *err) {
    for (int c = 0; c < out->nc; c++) {
        const zw_constraint *k = &s->constraint[out->constraint[c]];
        if (!k->inequality)
            continue;
        zw_fail_at(err, ZW_E_MODEL, k->place,
                   "a force depends on a multiplier, so the motion with the bound %s is no minimum",
                   k->name);
        zw_error_hint(err, "a contact has friction and lifts off; or make the bound an equation");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

zw_status zw_gauss_min_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err) {
    ZW_TRY(zw_gauss_derive(out, s, active, err));
    if (!out->symmetric)
        return reject_friction(out, s, err);
    signed char *inequality = ZW_EQUATIONS_NEW(out, s->ctx, signed char, out->nc);
    if (!inequality)
        return zw_context_status(s->ctx, err);
    zw_step_sentence(out,
                     "Where a row is an inequality, its multiplier has the sign of the inequality "
                     "and is zero unless the "
                     "bound is met (Karush, Kuhn and Tucker).");
    for (int c = 0; c < out->nc; c++)
        inequality[c] = (signed char)s->constraint[out->constraint[c]].inequality;
    out->inequality = inequality;
    return ZW_OK;
}
