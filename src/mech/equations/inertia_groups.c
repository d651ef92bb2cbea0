/* SPDX-License-Identifier: MIT */
/* Which unknowns of the equations of motion can spoil each other by rounding: those that the mass
 * matrix joins, through however many others. An electron beside a pendulum has nothing to do with
 * it, however fast it is. What a constraint holds is the difference of forces of any size, which
 * nothing here tells: it is measured by all others. */
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
