/* SPDX-License-Identifier: MIT */
/* An equation of parameters, left = right, in some of them (the axes): its zeros along one axis. */
#ifndef ZW_FORMULAS_GROUPS_IMPLICIT_H
#define ZW_FORMULAS_GROUPS_IMPLICIT_H

#include "base/arena.h"
#include "zwang/equilibria.h"

typedef struct zw_implicit {
    const zw_system *sys;
    int naxis;
    const zw_parameter_range *over; /* naxis parameters */
    bool *given;                    /* np: these */
    zw_expr residual, *symbol;
    double *p;
} zw_implicit;

/* "Hopf: w = 1 + kappa" has a name, which is copied to name (size bytes; without a name, the whole
 * text); returns the beginning of the equation. */
const char *zw_implicit_name(const char *text, char *name, size_t size);
/* "w = zeta*kappa for zeta = 0.5, 1, 2": the equation goes to *equation, the parameter and its
 * values to the family; without "for" there are no values. */
enum { ZW_IMPLICIT_MEMBERS = 40 };
typedef struct zw_implicit_family {
    int parameter, n;
    double value[ZW_IMPLICIT_MEMBERS];      /* [SI] */
    const char *words[ZW_IMPLICIT_MEMBERS]; /* "zeta = 0.5" */
} zw_implicit_family;
zw_status zw_implicit_members(zw_implicit_family *family, const char **equation, zw_arena *arena,
                              const zw_system *sys, const double *p, const char *option,
                              const char *text, zw_error *err);
/* "w = 1 + kappa" of an option. p: values of the other parameters. Units of both sides must be the
 * same. */
zw_status zw_implicit_read(zw_implicit *f, zw_arena *arena, const zw_system *sys, int naxis,
                           const zw_parameter_range *over, const double *p, const char *option,
                           const char *text, zw_error *err);
/* The same for residual = 0; option and text are for messages. */
zw_status zw_implicit_of(zw_implicit *f, zw_arena *arena, const zw_system *sys, int naxis,
                         const zw_parameter_range *over, const double *p, const char *option,
                         const char *text, zw_expr residual, zw_error *err);
/* left - right at values of all axes; NaN if it has no value. */
double zw_implicit_value(zw_implicit *f, const double *at);
/* Zeros along an axis within its range, at most `most`, to the last digits; at: values of all axes;
 * that of `axis` is not used. */
int zw_implicit_zeros(zw_implicit *f, int axis, const double *at, double *out, int most);

#endif
