/* SPDX-License-Identifier: MIT */
/* The contacts of a system along a result, as expressions of its columns. */
#ifndef ZW_SIM_SCENE_CONTACT_H
#define ZW_SIM_SCENE_CONTACT_H

#include "rows.h"
#include "zwang/simulate.h"

typedef struct zw_touching {
    const zw_contact *contact;
    zw_expr at[3], force[3], impulse[3], gap, state; /* as in zw_scene_contact */
    bool has_force, mean;
} zw_touching;

enum { ZW_TOUCHING_SENTENCES = 3 };

typedef struct zw_touchings {
    int n;
    zw_touching *item;
    int nmissing;
    const char *missing[ZW_TOUCHING_SENTENCES]; /* sentences: what is not shown, and why */
} zw_touchings;

/* The contacts that are not off and have a point. Memory of the context. */
zw_status zw_scene_touchings(zw_rows *rows, zw_touchings *out, zw_error *err);

#endif
