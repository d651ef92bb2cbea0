/* SPDX-License-Identifier: MIT */
/* Names in print: x'' , theta_1, ball.wx, lambda(roll) as LaTeX and as C identifiers. */
#ifndef ZW_EXPR_NAME_H
#define ZW_EXPR_NAME_H

#include "base/text.h"

/* Greek letters, dots for primes, subscripts for what follows an underscore, a point or a trailing
 * number: theta_1'' -> \ddot{\theta}_{1}. */
void zw_name_latex(zw_text *out, const char *name);
/* theta_1'' -> theta_1_ddot, lambda(roll) -> lambda_roll. */
void zw_name_c(zw_text *out, const char *name);

#endif
