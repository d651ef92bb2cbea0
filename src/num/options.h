/* SPDX-License-Identifier: MIT */
/* The option table of a run, for the command line and the help. */
#ifndef ZW_NUM_OPTIONS_H
#define ZW_NUM_OPTIONS_H

#include "base/option.h"
#include "zwang/run.h"

/* Rows for the fields of zw_run_options, ended by a row without key. */
extern const zw_option zw_run_option_table[];
/* Copies and checks the caller's options (NULL: the defaults); its method is NULL or a permanent
 * string. */
zw_status zw_run_options_adopt(zw_run_options *own, const zw_run_options *given, zw_error *err);
/* Sets one option from text, which may be temporary. */
zw_status zw_run_options_set(zw_run_options *own, const char *key, const char *value,
                             zw_error *err);
/* Is this the requested method? */
bool zw_run_options_ask(const zw_run_options *options, const char *method);

#endif
