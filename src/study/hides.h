/* SPDX-License-Identifier: MIT */
/* What numbers do not show: functions that change by less than rounding at every state that is tried. */
#ifndef ZW_STUDY_HIDES_H
#define ZW_STUDY_HIDES_H

#include "zwang/expr.h"

/* Do n expressions hold tanh, exp, sinh or cosh, or, if they are asked for, conditions (abs, sign, min, max, if), of some of these symbols? tanh((y - 3)/0.05) is constant far from y = 3 but for less than
 * rounding: that its derivative is zero at some states proves nothing. */
bool zw_hides(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
              bool conditions);

#endif
