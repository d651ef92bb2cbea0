/* SPDX-License-Identifier: MIT */
/* Values of the excitation frequencies. */
#ifndef ZW_MECH_EQUATIONS_FORCING_H
#define ZW_MECH_EQUATIONS_FORCING_H

#include "zwang/equations.h"

/* All w_i (n) at parameter values. ZW_E_MODEL if there are none, or if time occurs in another
 * form. */
zw_status zw_forcing_frequencies(const zw_forcing *f, const double *p, double *w, zw_error *err);
/* Their derivatives with respect to parameter i, including all parameters defined by it. */
zw_status zw_forcing_slopes(const zw_forcing *f, const double *p, int parameter, double *dw,
                            zw_error *err);

#endif
