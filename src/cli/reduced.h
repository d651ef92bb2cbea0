/* SPDX-License-Identifier: MIT */
/* Models of explicit equations that replace the one that was read, for studies that need them. */
#ifndef ZW_CLI_REDUCED_H
#define ZW_CLI_REDUCED_H

#include "cli.h"
#include "derive.h"

typedef enum cli_reduce_when {
    /* if coordinates are omitted; without a reduced model the model stays */
    CLI_REDUCE_LEFT_OUT,
    CLI_REDUCE_STATES,     /* always */
    CLI_REDUCE_COORDINATES /* always, with coordinates whose rates are kept */
} cli_reduce_when;
/* Replaces an open model with active constraints or free rotations by its reduced model; a line on
 * standard error lists the omitted coordinates. */
zw_status cli_model_reduce(cli_model *m, const char *path, const cli_options *o,
                           cli_reduce_when when, zw_error *err);

/* For verbs whose motions are periodic up to a symmetry, and that need the full model as well. */
/* The reduction of a model, checked against it. ZW_RETRY if there is none. */
zw_status cli_reduction_make(zw_reduction **r, const zw_system *sys, zw_error *err);
/* Replaces m by its model and moves m to full; warnings stay with m. ZW_RETRY if it cannot be
 * written. */
zw_status cli_reduction_open(const zw_reduction *r, cli_model *m, cli_model *full, const char *path,
                             zw_error *err);

#endif
