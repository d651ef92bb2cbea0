/* SPDX-License-Identifier: MIT */
/* Dependences that numerical tests miss: functions that change by less than round-off at every
 * tested state. */
#ifndef ZW_FORMULAS_HIDES_H
#define ZW_FORMULAS_HIDES_H

#include "zwang/expr.h"

/* Do n expressions contain tanh, exp, sinh or cosh, or optionally conditions (abs, sign, min, max,
 * if), of some of these symbols? tanh((y - 3)/0.05) is constant far from y = 3 up to round-off: a
 * derivative that is zero at some states proves nothing. */
bool zw_hides(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
              bool conditions);
/* The same, with conditions, for symbols that change along a field (n of each). A function of
 * quantities that are proved to be constant along it hides nothing. */
bool zw_hides_along(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
                    const zw_expr *field);

#endif
