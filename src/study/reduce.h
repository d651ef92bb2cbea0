/* SPDX-License-Identifier: MIT */
/* Shared by the files of the reduction; see zwang/reduce.h. */
#ifndef ZW_STUDY_REDUCE_H
#define ZW_STUDY_REDUCE_H

#include "explicit.h"
#include "zwang/reduce.h"

struct zw_reduction {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    zw_reduce_options options;
    double *p;         /* np: values of the parameters */
    bool *kept;        /* nq: coordinates that are not left out */
    zw_explicit rates; /* where the coordinates left out have their values */
    zw_explicit all;   /* without these values: what the constraints determine at any state */
    zw_reduced result;
    double *
        sample; /* ZW_REDUCE_SAMPLES rows: time, then an admissible state (q, v) of the full model */
};

enum { ZW_REDUCE_SAMPLES = 8 };

/* Is a formula of t and (q, v) zero at all samples, compared with a size that goes with it? */
bool zw_reduce_is_zero(zw_reduction *r, zw_expr e, zw_expr size);

#define ZW_REDUCE_NEW(r, type, n) ZW_NEW(&(r)->arena, type, (n) > 0 ? (n) : 1)

zw_status zw_reduce_memory(zw_error *err);

#endif
