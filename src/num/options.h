/* SPDX-License-Identifier: MIT */
/* The option table of a run, for the command line and the help. */
#ifndef ZW_NUM_OPTIONS_H
#define ZW_NUM_OPTIONS_H

#include "base/option.h"
#include "zwang/run.h"

/* numbers in the table of method.c; 0 lets it choose */
enum {
    ZW_METHOD_CHOSEN,
#define METHOD(NAME, name) ZW_METHOD_##NAME,
#include "methods.def"
#undef METHOD
    ZW_METHOD_COUNT
};
/* how constraints are kept */
enum { ZW_KEEP_CHOSEN, ZW_KEEP_PROJECTION, ZW_KEEP_GGL, ZW_KEEP_PARTITION, ZW_KEEP_COUNT };

/* Rows for the fields of zw_run_options, ended by a row without key. */
extern const zw_option zw_run_option_table[];
/* Every field in range? */
zw_status zw_run_options_check(const zw_run_options *options, zw_error *err);

#endif
