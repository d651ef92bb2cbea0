/* SPDX-License-Identifier: MIT */
/* Switching functions of rates and constraints, whose zeros are where abs, sign, min, max,
 * comparisons, atan2 and tables have their kinks. In equations with modes (zw_equations_lock) and
 * kernels made of them (zw_kernel_options.modes) a kink takes the smooth piece that its mode says,
 * also beyond the zero, so that whoever integrates can step to it and change the mode there. */
#ifndef ZWANG_SWITCH_H
#define ZWANG_SWITCH_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZW_MODE_FREE 1e9 /* a mode from here on: the kink takes the piece its own arguments say */
#define ZW_MODE_NOWHERE 1e100 /* a bound of a piece that has none on that side */
typedef enum zw_switch_kind {
    ZW_SWITCH_SIDE, /* the mode is -1 or 1, the sign of the function */
    /* the same, and the rates hold only signs and absolute values of it: a mode between -1 and 1
     * has a meaning (Filippov's) */
    ZW_SWITCH_SIGN,
    /* argument minus lower bound of the piece of a table. Three modes belong to it: the number of
     * the piece (-1: before the first knot), its lower and its upper bound */
    ZW_SWITCH_LOWER,
    ZW_SWITCH_UPPER /* argument minus upper bound of the same */
} zw_switch_kind;
typedef struct zw_switch {
    zw_switch_kind kind;
    int mode;           /* its place among the modes */
    bool is_affine;     /* a t + b, a and b of parameters alone: its zero is known ahead */
    bool is_continuous; /* what it switches is continuous at its zero */
    bool of_contact;    /* it switches a gap or a slip of a contact */
    int nknot;
    const double *knot; /* of the table */
    const char *text;   /* the part of the model that switches */
} zw_switch;

#ifdef __cplusplus
}
#endif
#endif
