/* SPDX-License-Identifier: MIT */
/* Dependences that numbers do not show: functions that change by less than rounding at every state
 * tested. */
#ifndef ZW_FORMULAS_HIDES_H
#define ZW_FORMULAS_HIDES_H

#include "zwang/expr.h"

/* Do n expressions contain tanh, exp, sinh or cosh, or optionally conditions (abs, sign, min, max,
 * if), of some of these symbols? tanh((y - 3)/0.05) is constant far from y = 3 but for less than
 * rounding: that its derivative is zero at some states proves nothing. */
bool zw_hides(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
              bool conditions);
/* The same, with conditions, for symbols that change along a field (n of each). A function of
 * quantities that are proved not to change along it hides nothing. */
bool zw_hides_along(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
                    const zw_expr *field);

#endif
