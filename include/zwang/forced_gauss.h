/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/gauss_minima. */
/* Steady forced motions of a model by Gauss's principle: minima of the Gaussian over a period (zwang/gauss_integral.h), each with the answer to whether it
 * is a motion; under bounds, which hold what no wall does; G over two coefficients; and minima that are carried along a parameter.
 *
 * Coefficients have names: mean(x), cos1(x), sin1(x), cos2(x), ... of a coordinate x, or of a velocity where these are functions of their own. */
#ifndef ZWANG_FORCED_GAUSS_H
#define ZWANG_FORCED_GAUSS_H

#include "forced.h"
#include "gauss_integral.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_forced_gauss zw_forced_gauss;

typedef struct zw_forced_gauss_options {
    size_t size;   /* of this struct, for the library */
    int harmonics; /* the highest one, 1; odd ones alone if the study says so */
    int samples;   /* minimum number of points in the period; 0: enough for cubic forces */
    zw_gauss_weight weight;
    zw_gauss_method method;
    int nstart;
    const char *const *start; /* starts beside rest: "cos1(x)=2 [m], sin1(x)=2 [m]"; 0 elsewhere */
    int starts;               /* points of Halton's sequence */
    int grid;                 /* points of a grid, of each coefficient */
    double box; /* half the width of what both fill, SI; 0: twice what the model says of sizes */
    int nbound;
    const char *const *bound; /* "x <= 1.2 [m]", "tip >= -d": of coordinates or observables */
    int points;               /* of the period, at which they hold: 30 */
    bool whole;               /* add points until they hold at all times */
    zw_gauss_solver solver;
    bool fresh;     /* along a parameter: from the starts at every value, not from the one before */
    int iterations; /* at most: 500 */
    int nsensitivity;
    const char *const *sensitivity; /* "k, c": parameters of the derivatives of G and rms, besides
                                       those of `over` and `with` */
} zw_forced_gauss_options;
ZW_API void zw_forced_gauss_options_init(zw_forced_gauss_options *options, size_t size);
static inline zw_forced_gauss_options zw_forced_gauss_options_default(void) {
    zw_forced_gauss_options o;
    zw_forced_gauss_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_forced_minimum {
    zw_gauss_result result; /* not converged: the best point that was met */
    int starts;             /* that led here */
    const double *x;        /* coefficients */
    zw_gauss_verdict verdict;
    zw_gauss_judgement judgement; /* where no bound is touched; levels 0: none */
    bool bounded;                 /* a bound is touched, and of it: */
    zw_gauss_bounded bound;
} zw_forced_minimum;

/* Of a study, which must outlive it. Texts that cannot be read are refused. */
ZW_API zw_status zw_forced_gauss_create(zw_forced_gauss **out, zw_forced *f,
                                        const zw_forced_gauss_options *options, zw_error *err);
ZW_API void zw_forced_gauss_destroy(zw_forced_gauss *g);

/* The minima at a value of `over`, or at the model's (value NaN), in the place of those before. Under bounds from rest, from the starts given and
 * from every minimum without them. */
ZW_API zw_status zw_forced_gauss_find(zw_forced_gauss *g, double value, zw_error *err);
ZW_API int zw_forced_gauss_minima(const zw_forced_gauss *g);
ZW_API const zw_forced_minimum *zw_forced_gauss_minimum(const zw_forced_gauss *g, int number);
ZW_API int zw_forced_gauss_motions(const zw_forced_gauss *g); /* how many of them are motions */
ZW_API int zw_forced_gauss_coefficients(const zw_forced_gauss *g);
/* Name and unit of one, valid until the next call. */
ZW_API const char *zw_forced_gauss_coefficient(zw_forced_gauss *g, int i, const char **unit);
ZW_API double zw_forced_gauss_rms(const zw_forced_gauss *g, int number, int function);

/* For people and as JSON; new strings of the context (zw_string_free), NULL: out of memory. */
ZW_API char *zw_forced_gauss_text(zw_forced_gauss *g);
ZW_API char *zw_forced_gauss_json(zw_forced_gauss *g);
/* One row for each minimum, kind "minima": G, motion (1, 0, NaN: not certain), rms(x), coefficients. source may be NULL. */
ZW_API zw_status zw_forced_gauss_table(zw_forced_gauss *g, const zw_model_source *source,
                                       zw_table **out, zw_error *err);
/* The trial motion of a minimum over a period, kind "trial motion": what it is, the forces that it would need beside those given, multipliers of
 * constraints, and of every bound the slack and the force lambda of it. */
ZW_API zw_status zw_forced_gauss_period(zw_forced_gauss *g, int number,
                                        const zw_model_source *source, zw_table **out,
                                        zw_error *err);
/* G over two coefficients, "cos1(x)=-2:2, sin1(x)=-2:2 [m]", points x points of them, kind "surface"; the other ones as in minimum `number`, or 0 (-1). The minima
 * found are its marks. */
ZW_API zw_status zw_forced_gauss_surface(zw_forced_gauss *g, int number, const char *text,
                                         int points, const zw_model_source *source, zw_table **out,
                                         zw_error *err);
/* Minima at the rows of `over` (101 if it does not say), each from the one before, kind "minima along": the parameter, G, motion, distance to the orbit that is
 * next, rms(x), derivatives dG_dp and drms_dp(x) with respect to the parameters p, coefficients. */
ZW_API zw_status zw_forced_gauss_along(zw_forced_gauss *g, const zw_model_source *source,
                                       zw_table **out, zw_error *err);
/* The same for n studies, one for each value of `with`, in one table. */
ZW_API zw_status zw_forced_gauss_along_of(int n, zw_forced_gauss *const *g,
                                          const zw_model_source *source, zw_table **out,
                                          zw_error *err);
/* Derivatives of a minimum: their number; for number i, the name and unit of the parameter p, dG/dp and, for every function, drms/dp in this unit.
 * NaN: a bound is active, the minimisation did not converge, or the minimum is degenerate. */
ZW_API int zw_forced_gauss_sensitivities(const zw_forced_gauss *g);
ZW_API zw_status zw_forced_gauss_sensitivity(zw_forced_gauss *g, const zw_forced_minimum *m, int i,
                                             const char **name, const char **unit, double *G,
                                             double *rms, zw_error *err);
/* Warnings about all results of n studies: minimisations that did not converge, inaccurate integrals, rows that are not motions. */
ZW_API void zw_forced_gauss_doubts(int n, zw_forced_gauss *const *g, zw_doubts *out);

#ifdef __cplusplus
}
#endif
#endif
