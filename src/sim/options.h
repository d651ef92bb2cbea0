/* SPDX-License-Identifier: MIT */
/* The option tables of contacts and of noise in a simulation, for the command line and the help. */
#ifndef ZW_SIM_OPTIONS_H
#define ZW_SIM_OPTIONS_H

#include "base/option.h"
#include "zwang/simulate.h"

/* Rows for the fields of zw_sim_options about contacts, ended by a row without key. */
extern const zw_option zw_sim_contact_table[];
/* The same for noise. */
extern const zw_option zw_sim_noise_table[];
/* Copies the fields of both tables. */
void zw_sim_options_share(zw_sim_options *to, const zw_sim_options *from);

#endif
