/* SPDX-License-Identifier: MIT */
/* Constraints that are not ideal, in the sense of Udwadia and Kalaba (2001): on every virtual
 * displacement w that the constraints allow, W w = 0, the force Q^c of a constraint does the work
 *
 *     w . Q^c = w . C(q, v, t),        so   Q^c = C + W' lambda.
 *
 * C is kept as a force that belongs to the constraint. Only its part along the allowed
 * displacements affects the motion; the rest changes lambda, the remainder of Q^c after subtraction
 * of C. */
#include "build.h"

zw_status zw_system_nonideal(zw_system *s, const char *constraint, int n, const zw_expr *rates,
                             const zw_expr *values, zw_place place, zw_error *err) {
    ZW_TRY(zw_system_force(s, constraint, n, rates, values, place, err));
    zw_force *f = &s->force[s->nforce - 1];
    f->constraint = f->name;
    return ZW_OK;
}

/* contacts have their own laws and modes */
static zw_status reject_contact(const zw_system *s, const zw_force *f, zw_error *err) {
    for (int i = 0; f->constraint && i < s->ncontact; i++)
        if (zw_mech_is_part(f->constraint, s->contact[i].name)) {
            zw_fail_at(err, ZW_E_MODEL, f->place, "the work of %s is given, but %s is a contact",
                       f->constraint, s->contact[i].name);
            zw_error_hint(err, "a contact has laws of friction of its own");
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

zw_status zw_mech_check_nonideal(const zw_system *s, const zw_force *f, zw_error *err) {
    bool found = false;
    ZW_TRY(reject_contact(s, f, err));
    for (int i = 0; f->constraint && i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (!zw_mech_is_part(c->name, f->constraint))
            continue;
        found = true;
        if (!c->inequality)
            continue;
        zw_fail_at(err, ZW_E_MODEL, f->place,
                   "the work of %s is given, but it is an inequality, whose force comes and goes",
                   c->name);
        zw_error_hint(err, "only a constraint that is an equation can be nonideal");
        return ZW_E_MODEL;
    }
    return found || !f->constraint
               ? ZW_OK
               : zw_fail_at(err, ZW_E_NAME, f->place,
                            "there is no constraint %s whose work is given", f->constraint);
}

bool zw_mech_force_acts(const zw_system *s, const bool *holds, const zw_force *f) {
    if ((f->closed && !holds[f->closed - 1]) || (f->stuck && holds[f->stuck - 1]))
        return false; /* a contact that is open or sticks */
    for (int i = 0; f->constraint && i < s->nconstraint; i++)
        if (!holds[i] && zw_mech_is_part(s->constraint[i].name, f->constraint))
            return false;
    return true;
}
