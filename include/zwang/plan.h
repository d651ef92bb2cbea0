/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/sweeps. */
/* The plan of a study of many motions: which points it has, and which part of them is computed here.
 *
 * A point gives values to parameters and to entries of the start, one by each axis. Axes are written as words:
 *
 *   Omega=1:8:0.01             from 1 to 8 in steps of 0.01
 *   F=lin:0:2:50               50 values from 0 to 2, evenly; log:0.1:10:30 evenly in their logarithm
 *   mu=1,2,5                   these
 *   theta=uniform:-pi:pi       drawn, normal:mean:sd likewise
 *
 * with units as everywhere ("F=lin:0:2:50 kN", "l=1cm:2m:1cm"). Numbers 0, 1, 2, ... of the points: the samples of what
 * is drawn go fastest, then the first axis, the second, ..., and the rows of a file of points last. Point k is a function
 * of the plan, its seed and k alone. What is drawn depends on the number of the sample, not on the rest: each value of
 * an axis sees the same samples. */
#ifndef ZWANG_PLAN_H
#define ZWANG_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "system.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_plan zw_plan;

typedef enum zw_axis_kind {
    ZW_AXIS_LIN, /* from a to b evenly */
    ZW_AXIS_LOG,
    ZW_AXIS_LIST,
    ZW_AXIS_COLUMN,  /* of the file of points: all columns go together */
    ZW_AXIS_UNIFORM, /* drawn between a and b */
    ZW_AXIS_NORMAL   /* mean a, standard deviation b */
} zw_axis_kind;

enum { ZW_AXIS_NAME = 64, ZW_AXIS_UNIT = 40, ZW_PLAN_AXES = 128 }; /* and at most so many axes */
typedef struct zw_axis {
    char name[ZW_AXIS_NAME];
    char unit[ZW_AXIS_UNIT]; /* as written, or that of the model */
    double factor;           /* SI value of one of these */
    zw_axis_kind kind;
    bool start;    /* an entry of the start; otherwise a parameter */
    int index;     /* of the system: parameter, or entry of (q, v) */
    uint64_t n;    /* values; 0 if it is drawn */
    double a, b;   /* SI */
    double *value; /* n of a list or column, SI */
} zw_axis;

/* Which samples are drawn. */
typedef enum zw_plan_design {
    ZW_PLAN_SAMPLES,  /* as many as asked for */
    ZW_PLAN_SALTELLI, /* N (d + 2): for indices of Sobol, see zwang/statistics.h */
    ZW_PLAN_MORRIS    /* N (d + 1): paths along which one axis changes at a time */
} zw_plan_design;

typedef enum zw_plan_draw {
    ZW_PLAN_RANDOM, /* independent, by counting (Philox) */
    ZW_PLAN_SOBOL /* Sobol's sequence, shifted at random: fills the space more evenly; at most 52 axes */
} zw_plan_draw;

typedef struct zw_plan_options {
    size_t size; /* of this struct, for the library */
    int nover, nstart;
    const char *const *over;  /* parameters */
    const char *const *start; /* entries of the start */
    const zw_table *points;   /* columns by name; NULL: none */
    uint64_t samples;         /* of what is drawn; N of the other designs */
    uint64_t seed;
    zw_plan_draw draw;
    zw_plan_design design;
} zw_plan_options;

ZW_API void zw_plan_options_init(zw_plan_options *options, size_t size);
static inline zw_plan_options zw_plan_options_default(void) {
    zw_plan_options o;
    zw_plan_options_init(&o, sizeof o);
    return o;
}

/* The names are those of the system. ZW_E_OPTION, ZW_E_NAME, ZW_E_UNIT: what is wrong with the words. */
ZW_API zw_status zw_plan_create(zw_plan **out, const zw_system *sys, const zw_plan_options *options,
                                zw_error *err);
ZW_API void zw_plan_destroy(zw_plan *plan);
ZW_API uint64_t zw_plan_points(const zw_plan *plan);
ZW_API uint64_t zw_plan_samples(const zw_plan *plan); /* 1 where nothing is drawn */
ZW_API zw_plan_design zw_plan_design_of(const zw_plan *plan);
ZW_API int zw_plan_axes(const zw_plan *plan);
ZW_API int zw_plan_drawn(const zw_plan *plan); /* axes that are drawn */
/* Do samples differ: is any axis drawn, or has the model noise? The number of the sample of point k, which is that of its path of the noise. */
ZW_API bool zw_plan_draws(const zw_plan *plan);
ZW_API uint64_t zw_plan_sample(const zw_plan *plan, uint64_t k);
ZW_API const zw_axis *zw_plan_axis(const zw_plan *plan, int i);
/* The values of point k, SI, one for each axis. */
ZW_API void zw_plan_point(const zw_plan *plan, uint64_t k, double *value);
/* Point k as it is without the first axis (a chain along it), and the number of its point at value i of that axis. */
ZW_API uint64_t zw_plan_chains(const zw_plan *plan);
ZW_API uint64_t zw_plan_in_chain(const zw_plan *plan, uint64_t chain, uint64_t i);
/* Value i of an axis that is not drawn, SI. */
ZW_API double zw_axis_value(const zw_axis *axis, uint64_t i);
/* "Omega: 701 values from 1 to 8 rad/s"; returns the length as snprintf does. */
ZW_API int zw_axis_text(const zw_axis *axis, char *out, size_t size);

/* Part `part` of `parts` (1, 2, ...) of the numbers 0 .. count - 1: neighbours, no gap, no overlap, sizes that differ by
 * one at most. */
typedef struct zw_range {
    uint64_t part, parts;
    uint64_t first, count;
} zw_range;

/* "3/16" of so many. ZW_E_OPTION: what is wrong with the text. */
ZW_API zw_status zw_range_read(zw_range *out, const char *text, uint64_t count, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
