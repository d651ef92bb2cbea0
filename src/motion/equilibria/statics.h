/* SPDX-License-Identifier: MIT */
/* What the sources of statics share; zwang/equilibria.h states what they do. */
#ifndef ZW_MOTION_EQUILIBRIA_STATICS_H
#define ZW_MOTION_EQUILIBRIA_STATICS_H

#include "base/arena.h"
#include "zwang/equilibria.h"
#include "zwang/run.h"

/* The state of rest at a value of the range. */
typedef struct zw_statics_row {
    double value, spare, error; /* error: of the spare */
    int hyperstatic;
    bool rests;
    const double *force; /* s->nforce, as columns of the table; NULL: not kept */
} zw_statics_row;

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
    /* keeps contacts closed that are closed at the start; NULL: there is no range */
    zw_run *closed_run;
    zw_parameter_range over;
    int coordinate; /* the coordinate of the range; -1: a parameter */
    double *p;      /* np: of the model */
    double *size;   /* ncontact: lengths of which a closed gap is a small part */
    zw_rest_result start, current, other;
    int nforce; /* normal forces and rows of friction of all contacts that are not off */
    int nrow;
    zw_statics_row *row; /* nrow, by ascending values */
    int n;
    zw_rest_interval *interval; /* n */
    bool (*stop)(void *user, double done);
    void *stop_user;
    bool stopped; /* rows and intervals are incomplete */
};

/* Allocate a result. */
zw_status zw_statics_allocate(zw_statics *s, zw_rest_result *result, zw_error *err);
/* Solve for the configuration result->x, with the parameters of the flow. */
zw_status zw_statics_at(zw_statics *s, bool factor, zw_rest_result *result, zw_error *err);
/* Read the range, and prepare the search for intervals of rest. */
zw_status zw_statics_prepare(zw_statics *s, const char *over, zw_error *err);
/* nforce numbers, in the order of the columns of the table, from those of a result. */
void zw_statics_forces(const zw_statics *s, const double *force, double *out);
/* What gives way: "contact floor begins to slip". */
void zw_statics_why(const zw_statics *s, const zw_rest *rest, char *out, size_t size);

#endif
