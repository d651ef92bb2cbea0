/* SPDX-License-Identifier: MIT */
/* Do the constraints still determine the velocities that were eliminated by them? The equations of
 * Boltzmann and Hamel, Voronets and Chaplygin hold for v_D = D v_I + d, D = -W_D^-1 W_I, put into
 * the energies before they are differentiated. Where W_D becomes singular their terms have poles of
 * second order that cancel only for velocities that satisfy the constraints exactly: within a step
 * they do not. A step over such a place is inaccurate, which its error control does not show. det
 * W_D changes its sign there (in a simple zero), which is checked after every step and causes a
 * warning.
 *
 * Principles that project (Maggi, Kane, Gibbs and Appell) have the pole as a common factor of a
 * row, which is harmless. */
#include <math.h>

#include "num/internal.h"
#include "num/linear/linalg.h"

/* the sign of det W_D at the state of the method */
static zw_status determinant_sign(zw_run *run, int *sign, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(zw_num_expand(run, run->now, run->y, run->candidate, err));
    const double *Psi = zw_at_vel(run->flow, run->now, run->candidate, NULL).Psi;
    for (int i = 0; i < k->nvel; i++)
        for (int j = 0; j < k->nvel; j++)
            run->quasi.block[i * k->nvel + j] = Psi[i * k->nv + k->vel_row[j]];
    *sign = zw_num_sign_of_determinant(k->nvel, run->quasi.block, run->quasi.pivot);
    return ZW_OK;
}

/* does every velocity row determine an eliminated velocity? */
static bool is_watched(const zw_kernel *k) {
    if (!k->substituted || k->nvel == 0 || k->nv > ZW_NUM_QUASI_MOST)
        return false;
    for (int i = 0; i < k->nvel; i++)
        if (k->vel_row[i] < 0 || k->vel_row[i] >= k->nv)
            return false;
    return true;
}

zw_status zw_num_elimination_start(zw_run *run, zw_error *err) {
    run->elimination = 0;
    return is_watched(run->k) ? determinant_sign(run, &run->elimination, err) : ZW_OK;
}

zw_status zw_num_elimination_check(zw_run *run, zw_error *err) {
    int before = run->elimination;
    if (before == 0)
        return ZW_OK;
    ZW_TRY(determinant_sign(run, &run->elimination, err));
    if (run->elimination * before < 0)
        zw_num_warning(run->flow, ZW_WARNING_ELIMINATION, -1, run->now, NAN);
    if (run->elimination == 0)
        run->elimination = before;
    return ZW_OK;
}
