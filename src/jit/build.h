/* SPDX-License-Identifier: MIT */
/* The program of a system of equations: the functions of zwang/kernel.h but for `prepare`. */
#ifndef ZW_JIT_BUILD_H
#define ZW_JIT_BUILD_H

#include "program.h"
#include "zwang/equations.h"

typedef enum zw_kernel_function {
    ZW_FN_RHS,
    ZW_FN_MATS,
    ZW_FN_JAC,
    ZW_FN_POS,
    ZW_FN_VEL,
    ZW_FN_OBS,
    ZW_FN_EVT,
    ZW_FN_ACT,
    ZW_FN_POWER,
    ZW_FN_START_POS,
    ZW_FN_START_VEL,
    ZW_FN_METRIC,
    ZW_FN_DAE,
    ZW_FN_COUNT
} zw_kernel_function;

/* How many values the events of a system set. */
int zw_build_set_count(const zw_equations *eq);

/* program is initialised here and must be cleared by the caller in any case. *unrolled: rhs solves
 * by itself; otherwise its code is empty (nv + nc > unroll_max, or a pivot is always zero). The
 * functions dae and power are left empty unless they are wanted. */
zw_status zw_build_program(zw_program *program, const zw_equations *eq, int unroll_max,
                           bool with_dae, bool with_powers, bool *unrolled, zw_error *err);

#endif
