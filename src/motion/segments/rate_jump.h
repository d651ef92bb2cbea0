/* SPDX-License-Identifier: MIT */
/* Rates that jump between two pieces of a run, where one switching function sigma changes its mode:
 * with f- before and f+ after it, a disturbance dx of the state, which changes sigma by s, becomes
 *
 *     dx + (f+ - f-) s/(sigma_t + sigma_x f-),     s = sigma_x dx + the part of parameters,
 *
 * since a neighbouring motion reaches the switch earlier or later (saltation; R. I. Leine,
 * H. Nijmeijer (2004), chapter 7). */
#ifndef ZW_MOTION_SEGMENTS_RATE_JUMP_H
#define ZW_MOTION_SEGMENTS_RATE_JUMP_H

#include "base/arena.h"
#include "zwang/run.h"

typedef struct zw_rate_jump {
    zw_run *run;
    zw_flow *flow; /* of the run */
    const zw_kernel *k;
    bool fresh;                /* no piece yet; the caller sets it where a run begins */
    double *rate, *before, *x; /* nx: f+, f-, the state */
    double *mode;              /* nmode: of the last piece */
    double *sigma, *change;    /* nswitch, nx */
} zw_rate_jump;

enum { ZW_RATE_JUMP_NONE = -2, ZW_RATE_JUMP_TANGLED = -1 };
typedef struct zw_saltation {
    /* the switching function; ZW_RATE_JUMP_TANGLED: several at once, or one that is not crossed, so
     * that there is no saltation matrix */
    int which;
    const double *change, *slope; /* nx: f+ - f-, sigma_x */
    double rate;                  /* sigma_t + sigma_x f- */
    bool straight;                /* it is crossed transversally */
} zw_saltation;

/* Allocates memory for kernels with at most these numbers of entries, modes and switches. */
zw_status zw_rate_jump_init(zw_rate_jump *j, zw_arena *arena, int nx, int nmode, int nswitch,
                            zw_error *err);
/* At the beginning of a piece: do the rates differ from those at the end of the previous one? The
 * answer is valid up to the next evaluation of the flow. */
zw_status zw_rate_jump_look(zw_rate_jump *j, double t, zw_saltation *out, zw_error *err);
/* At the end of a piece. */
zw_status zw_rate_jump_remember(zw_rate_jump *j, double t, zw_error *err);

#endif
