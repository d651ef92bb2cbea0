/* SPDX-License-Identifier: MIT */
/* The option table of contacts in a simulation, for the command line and the help. */
#ifndef ZW_SIM_OPTIONS_H
#define ZW_SIM_OPTIONS_H

#include "base/option.h"
#include "zwang/simulate.h"

/* Rows for the fields of zw_sim_options that speak of contacts, ended by a row without key. */
extern const zw_option zw_sim_contact_table[];

#endif
