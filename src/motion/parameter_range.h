/* SPDX-License-Identifier: MIT */
/* What the studies that go along a number share, beside zwang/equilibria.h. */
#ifndef ZW_MOTION_PARAMETER_RANGE_H
#define ZW_MOTION_PARAMETER_RANGE_H

#include "base/arena.h"
#include "zwang/equilibria.h"

/* The two halves of zw_parameter_range_read, for a quantity that the study knows: its name, then
 * the range in a unit. */
zw_status zw_parameter_range_name(zw_parameter_range *out, const char *text, zw_error *err);
zw_status zw_parameter_range_range(zw_parameter_range *out, const zw_system *sys, const char *text,
                                   const char *unit, zw_error *err);
/* Numbers, formulas and their units between separators: "1:2:0.1 rad/s", "1cm,2m". What has no unit
 * of its own has that of the next one; the last unit is that of o (whose name is known), as
 * written. *n is most + 1 if there are more. */
typedef struct zw_parameter_range_piece {
    double number;    /* as written */
    double value;     /* SI */
    bool formula;     /* it has its units in itself */
    const char *unit; /* behind it; "" if none */
} zw_parameter_range_piece;
zw_status zw_parameter_range_pieces(zw_parameter_range *o, const zw_system *sys, const char *label,
                                    const char *s, const char *separator, const char *of_model,
                                    int most, zw_parameter_range_piece *piece, int *n,
                                    zw_error *err);
/* "F=1,2,5 [N]": a parameter and its values (SI, at most so many). */
enum { ZW_PARAMETER_RANGE_LIST = 256 };
zw_status zw_parameter_range_list(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  int most, double *value, int *n, zw_error *err);
/* What is gone along is held too, if it is no parameter: it joins the holds of the options, in the
 * arena. Solving for parameters on the way is refused. */
zw_status zw_parameter_range_hold(const zw_parameter_range *over, zw_equilibria_options *motion,
                                  zw_arena *arena, zw_error *err);
/* The first half of zw_parameter_range_begin: the motion of the start, or at the nearest value of
 * the range, is that of e; nothing is followed. */
zw_status zw_parameter_range_first(zw_steady_way *out, const zw_parameter_range *over,
                                   zw_equilibria *e, zw_error *err);
/* All parameters and what is held at a value; user is the way. A zw_follow_set. */
zw_status zw_parameter_range_set(void *user, double value, double *p, double *held, zw_error *err);
/* A family that nothing holds would be followed along whatever member is nearest: refused. */
zw_status zw_parameter_range_refuse_freedom(zw_steady_way *way, zw_error *err);

#endif
