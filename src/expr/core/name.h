/* SPDX-License-Identifier: MIT */
/* Names in print: x'' , theta_1, ball.wx, lambda(roll) as LaTeX and as C identifiers. */
#ifndef ZW_EXPR_CORE_NAME_H
#define ZW_EXPR_CORE_NAME_H

#include "base/text.h"

/* Greek letters, dots for primes, subscripts for what follows an underscore, a point or a trailing
 * number: theta_1'' -> \ddot{\theta}_{1}. Derivatives have notations that cannot be names of a
 * model: "dA/dB" is a partial derivative, "d/dt A" a time derivative, where A may be such a
 * notation again; "d(A)" is a small perturbation of A, "A(t + B)" its value at a later time. */
void zw_name_latex(zw_text *out, const char *name);
/* True if its dots are an exponent, as those of a word are (\mathrm{lean}^{..}); a power then needs
 * brackets. */
bool zw_name_is_dotted_behind(const char *name);
/* theta_1'' -> theta_1_ddot, lambda(roll) -> lambda_roll. */
void zw_name_c(zw_text *out, const char *name);

#endif
