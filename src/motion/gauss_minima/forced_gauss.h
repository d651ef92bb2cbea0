/* SPDX-License-Identifier: MIT */
/* Private to the files of forced motions by Gauss's principle. */
#ifndef ZW_MOTION_GAUSS_MINIMA_FORCED_GAUSS_H
#define ZW_MOTION_GAUSS_MINIMA_FORCED_GAUSS_H

#include "motion/harmonic/balance.h"
#include "motion/response/forced.h"
#include "zwang/forced.h"

enum { ZW_FORCED_COEFFICIENT = 160 };

struct zw_forced_gauss {
    zw_arena arena;
    zw_arena found; /* the minima */
    zw_forced *f;
    zw_forced_gauss_options options;
    zw_gauss_integral *integral;
    zw_kernel *switches;           /* of forces with kinks; NULL: they have none */
    struct zw_forced_slope *slope; /* nslope: parameters in which minima are derived */
    int nslope, displaced;         /* the parameter that is displaced at present, -1: none, */
    double by;                     /* and by how much */
    double *slopes;                /* nslope x (1 + functions): of a row */
    double *dx;                    /* unknowns */
    zw_gauss_bound *bound;         /* nbound; their limits at the last value */
    const char **limit_text;       /* nbound: the text after <= */
    double *given;       /* nstart + 1 x unknowns: those given, and rest where the model starts */
    int n, per_function; /* unknowns, of one function */
    const int *harmonic;
    int nharmonic;
    double value; /* at which the minima are */
    zw_forced_minimum *list;
    int nminimum, capacity;
    int rows, unconverged, ghosts, unsure; /* of all rows along a parameter */
    int inaccurate;                        /* rows whose G is not accurate to 1e-6 */
    double inaccurate_error;               /* relative, the largest of them */
    bool along;
    char name[ZW_FORCED_COEFFICIENT];
};

/* forced_gauss.c: with Gauss points between kinks, or equidistant ones for output. */
zw_status zw_forced_gauss_integral(zw_forced_gauss *g, int samples, bool even,
                                   zw_gauss_integral **out, zw_error *err);
/* Counts a minimum whose integral is inaccurate. */
void zw_forced_gauss_note_error(zw_forced_gauss *g, const zw_forced_minimum *m);
/* forced_gauss_slopes.c: the parameters of the options; the derivatives of a minimum, into
 * g->slopes; and `set` of the integral. */
typedef struct zw_forced_slope {
    int parameter;
    const char *name, *unit;
    double factor; /* SI value of one of these */
} zw_forced_slope;
zw_status zw_forced_gauss_read_slopes(zw_forced_gauss *g, zw_error *err);
zw_status zw_forced_gauss_derive(zw_forced_gauss *g, const zw_forced_minimum *m, zw_error *err);
zw_status zw_forced_gauss_set(void *user, double value, double *p, double *w, double *w_slope,
                              zw_error *err);
/* forced_gauss_write.c: the unit of G; "" if there is none. */
const char *zw_forced_gauss_unit(const zw_forced_gauss *g);
/* The bounds of the options, with the limits that were read last. */
zw_gauss_bound_options zw_forced_gauss_bounds(const zw_forced_gauss *g);
zw_status zw_forced_gauss_judge(zw_forced_gauss *g, zw_forced_minimum *m, zw_error *err);
/* Name and unit of a function of the series. */
const char *zw_forced_gauss_function(const zw_forced_gauss *g, int i, const char **unit);

/* A table of a kind; what it becomes if its rows fail; columns and a row (their number) of a
 * minimum, whose derivatives are in g->slopes. */
zw_status zw_forced_gauss_begin(zw_forced_gauss *g, const char *kind, const zw_model_source *source,
                                zw_table **out, zw_error *err);
zw_status zw_forced_gauss_end(zw_table **out, zw_status status, zw_error *err);
zw_status zw_forced_gauss_columns(zw_forced_gauss *g, zw_table *t);
int zw_forced_gauss_row(const zw_forced_gauss *g, const zw_forced_minimum *m, double *row);

/* forced_gauss_words.c: the starts and bounds of the options; limits at the present value. */
zw_status zw_forced_gauss_read(zw_forced_gauss *g, zw_error *err);
zw_status zw_forced_gauss_limits(zw_forced_gauss *g, zw_error *err);
/* "cos1(x)=-2:2" and another one: which coefficients, from where to where (SI). */
typedef struct zw_forced_side {
    int coefficient;
    double from, to;
} zw_forced_side;
zw_status zw_forced_gauss_sides(zw_forced_gauss *g, const char *text, zw_forced_side side[2],
                                zw_error *err);

#endif
