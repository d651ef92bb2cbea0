/* SPDX-License-Identifier: MIT */
/* Options that are lists of NAME=VALUE. */
#ifndef ZW_BASE_NAMED_VALUES_H
#define ZW_BASE_NAMED_VALUES_H

#include "arena.h"
#include "zwang/status.h"

typedef zw_status (*zw_study_item)(void *user, const char *option, char *name, char *value,
                                   zw_error *err);
/* Calls `each` for every item of the list, without blanks around names and values. Commas within
 * brackets do not separate. hint: for an item without an equals sign. */
zw_status zw_study_items(zw_arena *arena, const char *option, const char *list, const char *hint,
                         zw_study_item each, void *user, zw_error *err);

#endif
