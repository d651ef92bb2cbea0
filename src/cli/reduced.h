/* SPDX-License-Identifier: MIT */
/* Models of explicit equations in the place of the one that was read, for studies that need them. */
#ifndef ZW_CLI_REDUCED_H
#define ZW_CLI_REDUCED_H

#include "cli.h"
#include "derive.h"

/* A reduction whose rates are those of the model, at so many random states, within `difference`. */
zw_status cli_reduce_checked(zw_reduction **out, const zw_system *sys, double *difference,
                             int *states, const zw_reduce_options *options, zw_error *err);
/* An open model with active constraints or free rotations becomes its reduced model, and a line on standard error says what
 * was left out. Unless it is needed, only if coordinates are left out; where there is none, the model stays. */
zw_status cli_model_reduce(cli_model *m, const char *path, const cli_options *o, bool needed,
                           zw_error *err);
/* An open model becomes the flow on its slow manifold, up to this order; fast as --fast says, NULL: small as the model says. */
zw_status cli_model_slow(cli_model *m, const char *path, const cli_options *o, const char *small,
                         int order, zw_error *err);

#endif
