/* SPDX-License-Identifier: MIT */
/* Forced motions once more by shooting (zwang/shooting.h), which knows nothing of series: each from the state in which the balance of harmonics (zwang/forced.h) begins its
 * period. What both say of a motion is compared. */
#ifndef ZWANG_FORCED_SHOOTING_H
#define ZWANG_FORCED_SHOOTING_H

#include "forced.h"
#include "shooting.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_forced_shot {
    zw_shooting motion;
    double
        apart; /* largest difference of the rms of a coordinate from that of the balance, of the largest rms */
} zw_forced_shot;

/* Motion `number` of the study. ZW_E_NUMERIC: no motion closes there. To be cleared by zw_shooting_clear(&out->motion). */
ZW_API zw_status zw_forced_shoot(zw_forced *f, int number, zw_forced_shot *out, zw_error *err);
/* What shooting says of the first n motions, for people and as JSON; new strings of the context (zw_string_free), NULL: out of memory. */
ZW_API char *zw_forced_shooting_text(const zw_forced *f, int n, const zw_forced_shot *shot);
ZW_API char *zw_forced_shooting_json(const zw_forced *f, int n, const zw_forced_shot *shot);
/* Motions that differ by more than ten times the tolerance of the study. */
ZW_API void zw_forced_shooting_doubts(const zw_forced *f, int n, const zw_forced_shot *shot,
                                      zw_doubts *out);

#ifdef __cplusplus
}
#endif
#endif
