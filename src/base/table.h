/* SPDX-License-Identifier: MIT */
/* Set by readers of files (include/zwang/table.h). */
#ifndef ZW_BASE_TABLE_H
#define ZW_BASE_TABLE_H

#include "zwang/table.h"

void zw_table_set_checked(zw_table *t);

#endif
