/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion. */
/* One number of a model that a study goes along, by its name: a parameter, with all that is defined by it, or
 * something that is held: a coordinate, a velocity, an observable, an expression. Written "Omega=0:50rad/s", "speed = 0:10:201 [m/s]" (201 rows), "l=1cm:2m". */
#ifndef ZWANG_OVER_H
#define ZWANG_OVER_H

#include "equilibria.h"
#include "follow.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZW_OVER_NAME = 64, ZW_OVER_UNIT = 40 };

typedef struct zw_over {
    char name[ZW_OVER_NAME];
    char unit[ZW_OVER_UNIT];               /* as written, or that of the model; "" if it has none */
    double factor;                         /* SI value of one of these */
    double from, to;                       /* SI */
    int rows;                              /* 0: not said */
    int parameter;                         /* of the system; -1: it is held */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_over;

/* ZW_E_OPTION, ZW_E_NAME, ZW_E_UNIT: what is wrong with the text for this system. */
ZW_API zw_status zw_over_read(zw_over *out, const zw_system *sys, const char *text, zw_error *err);

/* Where a way ended before the end of its range, and why. */
typedef struct zw_over_stop {
    zw_follow_end end; /* ZW_FOLLOW_GOES_ON: it did not */
    double value;      /* SI */
    char why[256];
} zw_over_stop;

/* A steady motion along the number. */
typedef struct zw_over_way {
    const zw_over *over;
    zw_equilibria *e;
    zw_follow *follow;
    int held; /* which of what is held is gone along; -1: none */
    double
        begin; /* where the first motion was looked for: the value of the start, or the nearest */
    double low, high;           /* how far it goes: low to high */
    zw_over_stop stop[2];       /* at the ends `from` and `to` */
    bool follows;               /* what is held depends on the parameter, */
    bool quick;                 /* and its values need no completion of a start */
    bool observes;              /* not only entries of the state are held */
    bool *given, *fixed;        /* np, nx */
    double *p, *start, *x, *u;  /* np, nq + nv of the system, of the equations, inputs */
    double *observed, *held_at; /* observables, three times nhold */
    zw_said *said;              /* nq + nv */
} zw_over_way;

/* Follow from the value of the start, or the nearest in the range, to both ends, or as far as it goes. e was created with what
 * is held, among it what is gone along if that is no parameter; what is held at a value of the start follows the
 * parameter if that value depends on it. A failure at the first motion names what is unmet. */
ZW_API zw_status zw_over_begin(zw_over_way *out, const zw_over *over, zw_equilibria *e,
                               zw_error *err);
ZW_API void zw_over_end(zw_over_way *way);

#ifdef __cplusplus
}
#endif
#endif
