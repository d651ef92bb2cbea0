/* SPDX-License-Identifier: MIT */
/* What the sources of statics share; zwang/equilibria.h states what it does. */
#ifndef ZW_MOTION_EQUILIBRIA_STATICS_H
#define ZW_MOTION_EQUILIBRIA_STATICS_H

#include "base/arena.h"
#include "zwang/equilibria.h"
#include "zwang/run.h"

/* The result for a configuration, with its arrays. */
typedef struct zw_rest_result {
    zw_rest rest;
    bool *closed;
    zw_yield *yields;
    double *force, *x;
} zw_rest_result;

struct zw_statics {
    zw_arena arena;
    const zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel, *closed_kernel;
    zw_flow *flow;
    zw_run
        *closed_run; /* keeps contacts closed that are closed at the start; NULL without a range */
    zw_parameter_range over;
    int coordinate; /* the coordinate of the range; -1: a parameter */
    double *p;      /* np: of the model */
    double *size;   /* ncontact: lengths of which a closed gap is a small part */
    zw_rest_result start, current, other;
    int n;
    zw_rest_interval *interval; /* n */
};

/* Allocate a result. */
zw_status zw_statics_allocate(zw_statics *s, zw_rest_result *result, zw_error *err);
/* Solve for the configuration room->x, with the parameters of the flow. */
zw_status zw_statics_at(zw_statics *s, bool factor, zw_rest_result *result, zw_error *err);
/* Find the intervals of rest. */
zw_status zw_statics_search(zw_statics *s, const char *over, zw_error *err);
/* Why it does not rest: "contact floor begins to slip". */
void zw_statics_why(const zw_statics *s, const zw_rest *rest, char *out, size_t size);

#endif
