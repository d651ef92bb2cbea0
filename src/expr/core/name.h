/* SPDX-License-Identifier: MIT */
/* Names in print: x'' , theta_1, ball.wx, lambda(roll) as LaTeX and as C identifiers. */
#ifndef ZW_EXPR_CORE_NAME_H
#define ZW_EXPR_CORE_NAME_H

#include "base/text.h"

/* Greek letters, dots for primes, subscripts for what follows an underscore, a point or a trailing
 * number: theta_1'' -> \ddot{\theta}_{1}. Derivatives are notation that no name of a model can
 * have: "dA/dB" is a partial derivative, "d/dt A" one in time, where A may be such notation again;
 * "d(A)" is a small disturbance of A, "A(t + B)" its value at a later time. */
void zw_name_latex(zw_text *out, const char *name);
/* Are its dots an exponent, as those of a word are (\mathrm{lean}^{..})? Then a power needs
 * brackets. */
bool zw_name_is_dotted_behind(const char *name);
/* theta_1'' -> theta_1_ddot, lambda(roll) -> lambda_roll. */
void zw_name_c(zw_text *out, const char *name);

#endif
