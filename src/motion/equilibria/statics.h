/* SPDX-License-Identifier: MIT */
/* What the files of zwang/equilibria.h share. */
#ifndef ZW_MOTION_EQUILIBRIA_STATICS_H
#define ZW_MOTION_EQUILIBRIA_STATICS_H

#include "base/arena.h"
#include "zwang/equilibria.h"
#include "zwang/run.h"

/* A result with arrays of its own. */
typedef struct zw_rest_room {
    zw_rest rest;
    bool *closed;
    zw_yield *yields;
    double *force, *x;
} zw_rest_room;

struct zw_statics {
    zw_arena arena;
    const zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel, *home_kernel;
    zw_flow *flow;
    zw_run *home; /* keeps the contacts closed that are closed at the start; NULL without a range */
    zw_parameter_range over;
    int coordinate; /* that is gone along; -1: a parameter */
    double *p;      /* np: of the model */
    double *size;   /* ncontact: up to 1e-9 of it a gap is closed */
    zw_rest_room start, now, other;
    int n;
    zw_rest_interval *interval;
};

zw_status zw_statics_room(zw_statics *s, zw_rest_room *room, zw_error *err);
/* The configuration room->x, with the parameters of the flow. */
zw_status zw_statics_at(zw_statics *s, bool factor, zw_rest_room *room, zw_error *err);
/* The intervals. */
zw_status zw_statics_search(zw_statics *s, const char *over, zw_error *err);
/* "contact floor begins to slip" */
void zw_statics_why(const zw_statics *s, const zw_rest *rest, char *out, size_t size);

#endif
