/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/normal_forms. */
/* A pair of eigenvalues +-i omega of a steady motion, the others off the imaginary axis: does a limit cycle grow out of
 * it, and how? With r the amplitude of a quantity of the state and theta its phase,
 *
 *     r' = sigma r + a r^3,    theta' = omega + b r^2       (and terms of higher order),
 *
 * where sigma is the real part, 0 here and of either sign at neighbouring values of a parameter. a < 0: stable cycles
 * beside the unstable motion (supercritical), r = sqrt(-sigma/a), if nothing else grows; a > 0: unstable cycles about the stable one
 * (subcritical). a and b come from exact second and third derivatives of the rates, in the coordinates of the model, with
 * constraints, quaternions and symmetries as they are: head of src/motion/normal_forms/slice_field.h. */
#ifndef ZWANG_HOPF_H
#define ZWANG_HOPF_H

#include "linearise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function H(t, x) that may be constant along the motion: its value (order 0) or its derivative along `order`
 * directions d (nx each). */
typedef struct zw_hopf_level {
    zw_status (*along)(void *user, double t, const double *x, int order, const double *const *d,
                       double *value, zw_error *err);
    void *user;
} zw_hopf_level;

typedef struct zw_hopf_options {
    size_t size;    /* of this struct, for the library */
    int eigenvalue; /* of the linearisation, with positive imaginary part; -1: the nearest to the
                            imaginary axis that no level explains */
    const double *scale; /* nx: typical sizes of the entries of the state (zw_steady_scale) */
    int nlevel;          /* zero eigenvalues that these explain are none on a level of constant H */
    const zw_hopf_level *level;
    const double *
        measure; /* nx: r is the amplitude of measure . (x - x0), which no symmetry may move; NULL: of an
                              entry of x, a coordinate if there is one that is the same for who moves along */
    double
        kappa; /* 1/s, at which states are drawn to the constraints; no result depends on it; 0: omega */
} zw_hopf_options;
ZW_API void zw_hopf_options_init(zw_hopf_options *options, size_t size);
static inline zw_hopf_options zw_hopf_options_default(void) {
    zw_hopf_options o;
    zw_hopf_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_hopf_type {
    ZW_HOPF_SUPERCRITICAL,
    ZW_HOPF_SUBCRITICAL,
    ZW_HOPF_DEGENERATE /* a is zero to accuracy: terms of fifth order decide, or all amplitudes go on for ever */
} zw_hopf_type;

typedef struct zw_hopf {
    int nx;
    double sigma, omega; /* 1/s, rad/s */
    double a, b;         /* 1/s and rad/s over the square of r */
    /* what rounding and the distance from the imaginary axis may have made of them */
    double a_error, b_error;
    zw_hopf_type type;
    /* of x, whose amplitude r is; -1: of the measure that was given, or of nothing that is at rest under the symmetries: then r
     * is that of the whole state in units of its scale */
    int entry;
    /* nx each: x = x0 + r Re(q e^(i theta)) + r^2 (mean + Re(second e^(2 i theta))) */
    double *q_re, *q_im;
    double *mean;
    double *second_re, *second_im;
    int nused;        /* how many levels count, because they explain a zero or a pair */
    bool *used;       /* nlevel */
    double condition; /* of the pair */
    /* how near 0 or 2 i omega other eigenvalues are, over omega */
    double gap;
    /* r up to which cubic terms are what the rates themselves give, to a fifth, and what follows the oscillation can follow */
    double holds;
    double agrees; /* the best agreement of both, at small r, over the sizes of the terms */
    struct zw_hopf_memory *memory; /* private */
    int eigenvalue; /* of the linearisation: which pair this is, also after a refusal; -1: none */
    int growing;    /* other eigenvalues with positive real part: then no cycle is stable */
    bool moving;    /* r is what who moves along with the symmetries sees; for others entries mix */
} zw_hopf;

/* At a steady motion and its linearisation. The kernel needs ZW_FN_SECOND, ZW_FN_THIRD, ZW_FN_FIELD_SECOND and
 * ZW_FN_FIELD_THIRD beside what those need. ZW_E_DOMAIN: there is no such normal form, err says why: no pair on the axis,
 * another one or a zero beside it, a defective pair. ZW_E_DOUBT: the rates are not what their third derivatives say. */
ZW_API zw_status zw_hopf_find(zw_hopf *out, zw_flow *flow, const zw_symmetries *s,
                              const zw_steady *at, const zw_linearisation *a,
                              const zw_hopf_options *options, zw_error *err);
ZW_API void zw_hopf_clear(zw_hopf *h);

#ifdef __cplusplus
}
#endif
#endif
