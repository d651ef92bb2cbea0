/* SPDX-License-Identifier: MIT */
/* Constraints that are not ideal: the work of their forces on virtual displacements, given as
 * forces and torques. */
#include "lang/model.h"
#include "mech/system/build.h"

static bool is_constraint(const zw_model *m, const char *name) {
    for (int i = 0; i < m->sys->nconstraint; i++)
        if (zw_mech_is_part(m->sys->constraint[i].name, name))
            return true;
    return false;
}

zw_status zw_build_nonideal(zw_model *m, const zw_stmt *s) {
    if (!is_constraint(m, s->name))
        return zw_unknown_constraint(m, s->name, "to be nonideal", s->name_place);
    for (const zw_stmt *work = s->works; work; work = work->next) {
        zw_expr rate[ZW_TUPLE_MAX], value[ZW_TUPLE_MAX];
        int n;
        ZW_TRY(zw_force_work(m, work, rate, value, &n));
        ZW_TRY(zw_system_nonideal(m->sys, s->name, n, rate, value, work->place, m->err));
    }
    return ZW_OK;
}
