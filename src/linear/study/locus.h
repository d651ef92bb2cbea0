/* SPDX-License-Identifier: MIT */
/* What the files of the study of eigenvalues over a number share; what it is, zwang/linear.h
 * says. */
#ifndef ZW_LINEAR_STUDY_LOCUS_H
#define ZW_LINEAR_STUDY_LOCUS_H

#include "motion/equilibria/equilibria.h"
#include "zwang/linear.h"

struct zw_locus {
    zw_arena arena;
    const zw_system *sys;
    zw_locus_options options;
    zw_equilibria_options motion;
    zw_parameter_range over;
    zw_equilibria *e;
    zw_steady_way way;
    zw_track_motion *matrix;
    zw_track track;
    bool family;           /* the zeros at all values are neighbouring steady motions */
    int nzero;             /* zeros of the linear equations at one value */
    zw_criticality *cubic; /* nmark */
    bool *has_cubic;       /* nmark */
};

#endif
