/* SPDX-License-Identifier: MIT */
/* What the sources of the study of eigenvalues over a number share; zwang/linear.h states what it
 * does. */
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
    zw_steady_way path;      /* the steady motion as a function of the number */
    zw_track_motion *matrix; /* its linear equations */
    zw_track track;
    bool family;           /* the zeros at all values are neighbouring steady motions */
    int nzero;             /* zeros of the linear equations at one value */
    zw_criticality *cubic; /* nmark */
    /* crossings that the equations at single values do not confirm, which were left out: */
    int nleft_out;
    double left_out_from, left_out_to; /* the first and the last of them */
    double *delay_error;               /* nmark: of the delays, relative; 0 without */
    bool *has_cubic;                   /* nmark */
};

#endif
