/* SPDX-License-Identifier: MIT */
/* What the files of the study of steady motions share; what it is, zwang/equilibria.h says. */
#ifndef ZW_STUDY_EQUILIBRIA_H
#define ZW_STUDY_EQUILIBRIA_H

#include "base/arena.h"
#include "zwang/equilibria.h"

struct zw_equilibria {
    zw_arena arena;
    const zw_system *sys;
    zw_equilibria_options options;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_displacement *displacement; /* the kernel's fields */
    zw_symmetries symmetries;
    zw_steady motion;
    zw_linearisation linear;
    double *p, *scale;
    zw_hold *hold;
    bool family; /* the zero eigenvalues are neighbouring steady motions */
};

/* "alpha'", of the equations' state, and its unit ("" if it has none, or if it is not the system's) */
const char *zw_equilibria_entry(const zw_equilibria *e, int i, const char **unit);

#endif
