/* SPDX-License-Identifier: MIT */
/* What the sources of zwang/claims.h on agreement share. */
#ifndef ZW_CLAIMS_PRINCIPLES_AGREEMENT_H
#define ZW_CLAIMS_PRINCIPLES_AGREEMENT_H

#include "base/arena.h"
#include "zwang/claims.h"
#include "zwang/run.h"

struct zw_agreement {
    zw_arena arena;
    const zw_system *sys;
    zw_agreement_options options;
    zw_equations lag, vak;
    zw_kernel *lag_kernel, *vak_kernel;
    zw_run *lag_run, *vak_run;
    int nq, nv, n; /* n: multipliers */
    double *p;
    int nequation;
    zw_expr *equation; /* Z' R mu; NULL: without a formula */
    zw_expr *value;    /* n: of multipliers, ZW_NULL for free ones; NULL if unknown */
    int ncondition;
    zw_expr *condition; /* on the start */
    int nmotion;
    zw_agreement_motion *motion;
};

/* agreement_formulas.c: equation, value and condition, as far as there are formulas. */
zw_status zw_agreement_formulas(zw_agreement *a, zw_error *err);

#endif
