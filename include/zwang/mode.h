/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/study. */
/* Modes of a steady motion as motions, to be looked at. With xi = X_0 + sum_i c_i X_i the field along which the steady
 * motion x_0 moves (zwang/steady.h) and its flow Phi,
 *
 *     x(t) = Phi_t( x_0 + Re(v e^(lambda t)) ):
 *
 * an eigenvector v of the linear equations, grown or decayed up to t, and then moved along with the symmetry, which is
 * exact: a wheel rolls where it would roll. The difference to the true motion from the same start is of second order
 * in the amplitude. */
#ifndef ZWANG_MODE_H
#define ZWANG_MODE_H

#include "equilibria.h"
#include "model.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_mode_options {
    size_t size; /* of this struct, for the library */
    int number;  /* from 1, the least stable first, a complex pair once; 1 */
    double
        amplitude; /* the largest value of its leading entry, in the unit of that; 0: one that can be seen */
    double duration; /* s; 0: a few periods or time constants */
    long rows;       /* 0: as many as smooth pictures need */
    bool comoving;   /* seen by who moves along with the steady motion: without Phi */
} zw_mode_options;
ZW_API void zw_mode_options_init(zw_mode_options *options, size_t size);
static inline zw_mode_options zw_mode_options_default(void) {
    zw_mode_options o;
    zw_mode_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_mode_info {
    double re, im;     /* 1/s, rad/s, im >= 0 */
    bool zero;         /* a neighbouring steady motion, */
    bool chain;        /* or one that leaves this one as a power of time */
    const char *entry; /* of the state, which the amplitude is that of */
    const char *unit;  /* of it */
    double amplitude;  /* its largest value over the time */
    double duration;   /* s */
    double mismatch;   /* what the vectors miss the linear equations by, relative */
    char caption[400]; /* eigenvalue, frequency, damping, entries, amplitude, in words */
} zw_mode_info;

/* How many there are. */
ZW_API int zw_mode_count(const zw_equilibria *e);
/* The motion after zw_equilibria_find, with the columns and notes of a run of the model (source: where it came from) and
 * the notes mode, eigenvalue, caption; to be destroyed. info may be NULL. ZW_E_OPTION: there is no such mode. */
ZW_API zw_status zw_mode_motion(zw_table **out, const zw_equilibria *e,
                                const zw_model_source *source, const zw_mode_options *options,
                                zw_mode_info *info, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
