/* SPDX-License-Identifier: MIT */
/* What a picture leaves beside it with --keep: its data, and the command that drew it. */
#ifndef ZW_CLI_KEEP_H
#define ZW_CLI_KEEP_H

#include "picture.h"

/* PATH.csv holds the rows that the picture shows, of all runs side by side, with the notes of their
 * results; PATH.sh is the command. drawn: one table per run. */
zw_status keep_beside(const picture_order *order, zw_table *const *drawn, const zw_picture *picture,
                      const char *path, zw_error *err);

#endif
