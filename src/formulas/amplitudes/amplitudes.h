/* SPDX-License-Identifier: MIT */
/* What the sources of slowly varying amplitudes share. */
#ifndef ZW_FORMULAS_AMPLITUDES_AMPLITUDES_H
#define ZW_FORMULAS_AMPLITUDES_AMPLITUDES_H

#include "base/arena.h"
#include "formulas/reduction/explicit.h"
#include "zwang/equations.h"
#include "zwang/expr.h"
#include "zwang/symbolic.h"

struct zw_amplitudes {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    zw_amplitudes_options options;
    zw_equations eq; /* with few terms */
    bool replaced;   /* functions are replaced by terms of their series */
    zw_forcing forcing;
    int *multiple; /* of the frequencies */
    double *p;     /* np */
    double w;
    zw_amplitudes_result result;
    zw_expr *Z, *rate, *M, *F;
    int *coord, *part;
};

#define ZW_AMPLITUDES_NEW(a, type, n) ZW_NEW(&(a)->arena, type, (n) > 0 ? (n) : 1)

/* amplitudes_check.c: M and F against the numbers of zwang/harmonic.h at random amplitudes. */
zw_status zw_amplitudes_check(zw_amplitudes *a, zw_error *err);

#endif
