/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas/amplitudes. */
/* Slowly varying amplitudes in closed form: the equations M(Z) Z' + F(Z) = 0 of zwang/slow.h for one harmonic,
 *
 *     q_i = q_i0 + q_ic cos(w t) + q_is sin(w t),
 *
 * as expressions, where the functions of the equations (sin, cos, roots, quotients) are replaced by the first terms of their series. The means q_i0 are left out
 * if the equations allow it: if they stay zero whatever the other amplitudes are. Everything is compared with numbers (zwang/slow.h) before it is
 * given away. */
#ifndef ZWANG_AMPLITUDES_H
#define ZWANG_AMPLITUDES_H

#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_amplitudes zw_amplitudes;

typedef struct zw_amplitudes_options {
    size_t size;             /* of this struct, for the library */
    int terms;               /* of each series: 2 */
    bool odd;                /* no means, whatever the equations say */
    bool van_der_pol;        /* by his condition, see zwang/slow.h */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
} zw_amplitudes_options;
ZW_API void zw_amplitudes_options_init(zw_amplitudes_options *options, size_t size);
static inline zw_amplitudes_options zw_amplitudes_options_default(void) {
    zw_amplitudes_options o;
    zw_amplitudes_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_amplitudes_result {
    int n;
    const zw_expr *Z, *rate; /* n: symbols of the amplitudes and of their rates; */
    const int *coord,
        *part;            /* n: of which coordinate, and 0: mean, 1: cos, 2: sin. Rows likewise */
    zw_expr w;            /* the frequency */
    const zw_expr *M, *F; /* n x n, n */
    bool means;           /* there are means */
    bool forced_out;      /* they were left out although the equations drive them */
    double error;         /* largest difference from numbers, relative */
} zw_amplitudes_result;

/* ZW_E_MODEL, ZW_E_DOMAIN: it cannot be done, the message names what is in the way. ZW_E_NUMERIC: the comparison failed. The system and its context must
 * outlive it. */
ZW_API zw_status zw_amplitudes_create(zw_amplitudes **out, const zw_system *sys,
                                      const zw_amplitudes_options *options, zw_error *err);
ZW_API void zw_amplitudes_destroy(zw_amplitudes *a);
ZW_API const zw_amplitudes_result *zw_amplitudes_get(const zw_amplitudes *a);

typedef enum zw_amplitudes_format {
    ZW_AMPLITUDES_TEXT,
    ZW_AMPLITUDES_LATEX,
    ZW_AMPLITUDES_JSON
} zw_amplitudes_format;
/* All of it in a new string of the context (zw_string_free); NULL if out of memory. */
ZW_API char *zw_amplitudes_write(const zw_amplitudes *a, zw_amplitudes_format format);

#ifdef __cplusplus
}
#endif
#endif
