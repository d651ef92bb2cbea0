/* SPDX-License-Identifier: MIT */
/* The options that select an equilibrium or a relative equilibrium of a model, for the studies of
 * such motions and of what begins at them. */
#ifndef ZW_MOTION_EQUILIBRIA_MOTION_OPTIONS_H
#define ZW_MOTION_EQUILIBRIA_MOTION_OPTIONS_H

#include "zwang/equilibria.h"
#include "zwang/option.h"
#include "zwang/study.h"

typedef struct zw_motion_options {
    zw_option_list hold, solve;
    const char *steady; /* a motion that the model has in closed form; NULL: none */
    const char *at;     /* such a motion as equations; NULL: none */
    const char *by;     /* the principle; NULL: lagrange */
} zw_motion_options;

/* Rows for the fields of zw_motion_options, ended by a row without key. */
extern const zw_option zw_motion_option_table[], zw_motion_form_table[];
/* For zw_equilibria_create, with the strings of `o`, which must stay where it is. */
zw_equilibria_options zw_motion_options_use(const zw_motion_options *o);
/* The model with the motion as its start; formulas: the motion itself is known to the model, and
 * definitions keep their names. */
void zw_motion_options_form(const zw_motion_options *o, bool formulas, zw_study_form *out);

#endif
