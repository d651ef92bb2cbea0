/* SPDX-License-Identifier: MIT */
/* A range of a parameter as text, and following equilibria over it; adds to zwang/equilibria.h. */
#ifndef ZW_MOTION_PARAMETER_RANGE_H
#define ZW_MOTION_PARAMETER_RANGE_H

#include "base/arena.h"
#include "zwang/equilibria.h"

/* The two halves of zw_parameter_range_read, for a quantity that the caller knows: its name, then
 * the range in a unit. */
zw_status zw_parameter_range_name(zw_parameter_range *out, const char *text, zw_error *err);
zw_status zw_parameter_range_range(zw_parameter_range *out, const zw_system *sys, const char *text,
                                   const char *unit, zw_error *err);
/* Numbers, formulas and their units between separators: "1:2:0.1 rad/s", "1cm,2m". A number without
 * a unit has that of the next one; the last unit becomes that of o (whose name is known), as
 * written. *n is most + 1 if there are more than `most`. */
typedef struct zw_parameter_range_piece {
    double number;    /* as written */
    double value;     /* SI */
    bool formula;     /* it contains its own units */
    const char *unit; /* after it; "" if none */
} zw_parameter_range_piece;
zw_status zw_parameter_range_pieces(zw_parameter_range *o, const zw_system *sys, const char *label,
                                    const char *s, const char *separator, const char *of_model,
                                    int most, zw_parameter_range_piece *piece, int *n,
                                    zw_error *err);
/* "F=1,2,5 [N]": a parameter and its values (SI, at most `most`). */
enum { ZW_PARAMETER_RANGE_LIST = 256 };
zw_status zw_parameter_range_list(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  int most, double *value, int *n, zw_error *err);
/* If the range is not that of a parameter, its quantity is held: it is added to the holds of the
 * options, in the arena. Rejects options that solve for parameters. */
zw_status zw_parameter_range_hold(const zw_parameter_range *over, zw_equilibria_options *motion,
                                  zw_arena *arena, zw_error *err);
/* The first half of zw_parameter_range_begin: finds the equilibrium at the start, or at the nearest
 * value of the range, and leaves it in e; follows nothing. */
zw_status zw_parameter_range_first(zw_steady_way *out, const zw_parameter_range *over,
                                   zw_equilibria *e, zw_error *err);
/* Sets all parameters and held quantities at a value; user is the zw_steady_way.
 * A zw_follow_set. */
zw_status zw_parameter_range_set(void *user, double value, double *p, double *held, zw_error *err);
/* Fails if the equilibria are a family with free dimensions: nothing determines which member would
 * be followed. */
zw_status zw_parameter_range_refuse_freedom(zw_steady_way *path, zw_error *err);

#endif
