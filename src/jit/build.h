/* SPDX-License-Identifier: MIT */
/* From the expressions of the equations to a program with some of the functions of kernel.def. */
#ifndef ZW_JIT_BUILD_H
#define ZW_JIT_BUILD_H

#include "program.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"

/* The sizes of a kernel that follow from the equations, without those that grow with the
 * functions. */
void zw_build_sizes(zw_kernel *k, const zw_equations *eq);

/* Which coordinates are ignorable, and whether time is; the flags are in the arena. */
zw_status zw_build_structure(zw_kernel *k, const zw_equations *eq, zw_arena *arena, zw_error *err);
/* Which arguments besides t and x each event function has; the flags are in the arena. */
zw_status zw_build_events(zw_kernel *k, const zw_equations *eq, zw_arena *arena, zw_error *err);
/* The switching functions of rates and constraints. */
zw_status zw_build_count_surfaces(const zw_equations *eq, int *count, zw_error *err);

/* Has this function no code in this kernel (a start without its own rows, a metric that is M, a rhs
 * that cannot be unrolled)? */
bool zw_build_is_empty(const zw_kernel *k, zw_function_name name);

/* The program of the requested functions that are not empty, in the order of their numbers. k has
 * its sizes. The program is initialised here and must always be cleared by the caller. *unrolled:
 * rhs, if among them, solves the equations; otherwise it has been left out (nv + nc > unroll_max,
 * or a pivot is always zero). */
zw_status zw_build_program(zw_program *program, const zw_kernel *k, const zw_equations *eq,
                           zw_functions wanted, int unroll_max, bool *unrolled, zw_error *err);

#endif
