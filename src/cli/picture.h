/* SPDX-License-Identifier: MIT */
/* What --plot says: "y:t" is y over t, "x,y" is the path in the plane of x and y with equal axes;
 * several curves over one axis are "x:t+y:t" or shorter "x+y:t". */
#ifndef ZW_CLI_PICTURE_H
#define ZW_CLI_PICTURE_H

#include "cli.h"

/* Is the specification one, and are its columns there? Asked before anything is computed. */
zw_status picture_check(const char *spec, const zw_table *table, zw_error *err);
/* Draw it. */
zw_status picture_draw(const char *spec, const zw_table *table, const char *title, const char *path,
                       zw_error *err);

#endif
