/* SPDX-License-Identifier: MIT */
/* Groups of unknowns of the equations of motion that can affect each other by round-off: those that
 * the mass matrix couples, directly or through others. An electron next to a pendulum does not
 * affect it, however fast it is. A constraint force is the difference of forces of any size, which
 * cannot be found here: it is measured relative to all unknowns. */
#include "sampler.h"

static void join_groups(int n, int *group, int a, int b) {
    int from = group[a], to = group[b];
    for (int i = 0; i < n; i++)
        if (group[i] == from)
            group[i] = to;
}

void zw_coupled(const zw_equations *eq, int *group) {
    int nv = eq->nv, n = nv + eq->nc;
    for (int i = 0; i < n; i++)
        group[i] = i;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            if (eq->M[i * nv + j] != ZW_ZERO)
                join_groups(n, group, i, j);
    for (int k = 0; k < eq->nc; k++)
        for (int i = 0; i < nv; i++)
            if (eq->W[k * nv + i] != ZW_ZERO || eq->C[i * eq->nc + k] != ZW_ZERO)
                join_groups(n, group, i, nv + k);
    for (int k = 0; k < eq->nc; k++)
        for (int i = 0, held = group[nv + k]; i < n; i++)
            if (group[i] == held)
                group[i] = ZW_COUPLED_ALL;
}
