/* SPDX-License-Identifier: MIT */
/* Private to the files of forced motions by Gauss's principle. */
#ifndef ZW_MOTION_GAUSS_MINIMA_FORCED_GAUSS_H
#define ZW_MOTION_GAUSS_MINIMA_FORCED_GAUSS_H

#include "motion/response/forced.h"
#include "zwang/forced.h"

enum { ZW_FORCED_COEFFICIENT = 160 };

struct zw_forced_gauss {
    zw_arena arena;
    zw_arena found; /* owns the minima */
    zw_forced *f;
    zw_forced_gauss_options options;
    zw_gauss_integral *integral;
    zw_kernel *switches; /* switching functions of the forces; NULL: they have no kinks */
    /* nslope: parameters with respect to which minima are differentiated */
    struct zw_forced_slope *slope;
    /* nslope: their number; displaced: the parameter that is displaced at present, -1: none */
    int nslope, displaced;
    double displacement; /* displacement of that parameter (SI) */
    /* nslope x (1 + functions): derivatives of G and rms of one minimum */
    double *slopes;
    double *dx;              /* unknowns: derivative of a minimum */
    zw_gauss_bound *bound;   /* nbound; with their limits at the last value */
    const char **limit_text; /* nbound: the text after the sign */
    /* (nstart + 1) x unknowns: given starts, and rest where the model starts */
    double *given;
    int n, per_function; /* number of unknowns, of all functions and of one */
    const int *harmonic;
    int nharmonic;
    double value; /* value of the parameter at which the minima are; NaN: that of the model */
    zw_forced_minimum *list;
    int nminimum, capacity;
    /* numbers of rows along a parameter: all, not converged, ghosts, undecided */
    int rows, unconverged, ghosts, unsure;
    int inaccurate;          /* rows whose G is not accurate to 1e-6 */
    double inaccurate_error; /* largest relative error of these */
    bool along;
    char name[ZW_FORCED_COEFFICIENT];
};

/* forced_gauss.c: the integral with Gauss points between kinks, or with equidistant ones for
 * output. */
zw_status zw_forced_gauss_integral(zw_forced_gauss *g, int samples, bool even,
                                   zw_gauss_integral **out, zw_error *err);
/* Counts a minimum whose integral is inaccurate. */
void zw_forced_gauss_note_error(zw_forced_gauss *g, const zw_forced_minimum *m);
/* forced_gauss_slopes.c: reads the parameters of the options; computes the derivatives of a minimum
 * in g->slopes; sets parameters and frequency for the integral. */
typedef struct zw_forced_slope {
    int parameter;
    const char *name, *unit;
    double factor; /* SI value of one unit */
} zw_forced_slope;
zw_status zw_forced_gauss_read_slopes(zw_forced_gauss *g, zw_error *err);
zw_status zw_forced_gauss_derive(zw_forced_gauss *g, const zw_forced_minimum *m, zw_error *err);
zw_status zw_forced_gauss_set(void *user, double value, double *p, double *w, double *w_slope,
                              zw_error *err);
/* forced_gauss_write.c: the unit of G; "" if its terms have several. */
const char *zw_forced_gauss_unit(const zw_forced_gauss *g);
/* The bounds of the options, with the limits at the last value. */
zw_gauss_bound_options zw_forced_gauss_bounds(const zw_forced_gauss *g);
zw_status zw_forced_gauss_judge(zw_forced_gauss *g, zw_forced_minimum *m, zw_error *err);
/* Name and unit of a function of the series. */
const char *zw_forced_gauss_function(const zw_forced_gauss *g, int i, const char **unit);

/* Begins a table of a kind; destroys it if its rows have failed; adds the columns and fills the row
 * of a minimum (returns its length), whose derivatives are in g->slopes. */
zw_status zw_forced_gauss_begin(zw_forced_gauss *g, const char *kind, const zw_model_source *source,
                                zw_table **out, zw_error *err);
zw_status zw_forced_gauss_end(zw_table **out, zw_status status, zw_error *err);
zw_status zw_forced_gauss_columns(zw_forced_gauss *g, zw_table *t);
int zw_forced_gauss_row(const zw_forced_gauss *g, const zw_forced_minimum *m, double *row);

/* forced_gauss_read.c: reads the starts and bounds of the options; evaluates the limits at the
 * present value. */
zw_status zw_forced_gauss_read(zw_forced_gauss *g, zw_error *err);
zw_status zw_forced_gauss_limits(zw_forced_gauss *g, zw_error *err);
/* A range such as "cos1(x)=-2:2": the coefficient and its limits (SI). */
typedef struct zw_forced_axis {
    int coefficient;
    double from, to;
} zw_forced_axis;
zw_status zw_forced_gauss_axes(zw_forced_gauss *g, const char *text, zw_forced_axis axis[2],
                               zw_error *err);

#endif
