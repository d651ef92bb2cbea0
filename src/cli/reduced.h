/* SPDX-License-Identifier: MIT */
/* Models of explicit equations in the place of the one that was read, for studies that need them. */
#ifndef ZW_CLI_REDUCED_H
#define ZW_CLI_REDUCED_H

#include "cli.h"
#include "derive.h"

/* A reduction whose rates are those of the model, at so many random states, within `difference`. */
zw_status cli_reduce_checked(zw_reduction **out, const zw_system *sys, double *difference,
                             int *states, const zw_reduce_options *options, zw_error *err);
typedef enum cli_reduce_when {
    CLI_REDUCE_LEFT_OUT, /* if coordinates are left out; if there is no reduced model, the model stays */
    CLI_REDUCE_STATES,     /* in any case */
    CLI_REDUCE_COORDINATES /* in any case, with coordinates where their rates are kept */
} cli_reduce_when;
/* An open model with active constraints or free rotations becomes its reduced model, and a line on standard error says what
 * was left out. */
zw_status cli_model_reduce(cli_model *m, const char *path, const cli_options *o,
                           cli_reduce_when when, zw_error *err);
/* An open model becomes the flow on its slow manifold, up to this order; fast as --fast says, NULL: small as the model says. */
zw_status cli_model_slow(cli_model *m, const char *path, const cli_options *o, const char *small,
                         int order, zw_error *err);

#endif
