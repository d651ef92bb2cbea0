/* SPDX-License-Identifier: MIT */
/* Zeros of event functions within a cell of a step. */
#ifndef ZW_NUM_EVENTS_ZERO_H
#define ZW_NUM_EVENTS_ZERO_H

#include "zwang/run.h"

/* Times at which function i is on different sides of a level, and its values; gb may be on it. */
typedef struct zw_num_bracket {
    double a, ga, b, gb;
} zw_num_bracket;

typedef enum zw_num_zero { ZW_NUM_CROSSING, ZW_NUM_JUMP, ZW_NUM_POLE } zw_num_zero;

/* Narrows the bracket: b becomes the time at which the function has this level; ga and gb become
 * relative to it. */
zw_status zw_num_zero_find(zw_run *run, int i, zw_num_bracket *s, double level, double band,
                           zw_num_zero *kind, zw_error *err);
/* The zero t corrected with states of full accuracy by Newton's method; the state there is in
 * event_state. width: of its cell. For methods that can land. */
zw_status zw_num_zero_land(zw_run *run, int i, double level, double width, double *t,
                           zw_error *err);

#endif
