/* SPDX-License-Identifier: MIT */
#ifndef ZW_CLI_REDUCTION_H
#define ZW_CLI_REDUCTION_H

#include "cli.h"

/* The reduction of a model, checked against it. ZW_RETRY: there is none. */
zw_status cli_reduction_make(zw_reduction **r, const zw_system *sys, zw_error *err);
/* Its model in the place of m, which goes to full; doubts stay with m. ZW_RETRY: it cannot be written. */
zw_status cli_reduction_open(const zw_reduction *r, cli_model *m, cli_model *full, const char *path,
                             zw_error *err);
/* Does it leave out a symmetry that turns velocities, and can these settings, NAME=..., be said in its coordinates? Then they are. */
bool cli_reduction_suits(const zw_reduction *r, const zw_system *s, zw_option_list *start,
                         zw_option_list *box);
void cli_reduction_tell(const zw_reduction *r);

#endif
