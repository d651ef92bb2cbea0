/* SPDX-License-Identifier: MIT */
/* A line that is thinned to what the eye can distinguish while it is drawn. */
#ifndef ZW_OUT_TRACE_H
#define ZW_OUT_TRACE_H

#include <stdbool.h>

#include "canvas.h"
#include "cover.h"

typedef struct zw_out_spot {
    double x, y; /* points */
} zw_out_spot;

/* The points of one narrow column of the paper, of which at most four are drawn. */
typedef struct zw_out_column {
    long n;
    long low_at, high_at; /* indices of these points */
    zw_out_spot first, low, high, last;
} zw_out_column;

typedef struct zw_out_trace {
    zw_out_canvas *c;    /* NULL: the nodes are only counted */
    bool rightwards;     /* x only increases */
    double coarse;       /* 1; larger: the line may deviate by so many times more */
    zw_out_cover *cover; /* NULL, or where there is ink already and no more is needed */
    int ndash;
    const double *dash;
    zw_out_column column;
    bool down;        /* there is a node */
    bool inked;       /* the current path ends at the node */
    zw_out_spot node; /* the last one */
    zw_out_spot last; /* the last point, on the line or not */
    double reach;     /* largest distance from the node so far */
    bool aimed;       /* there is a sector */
    zw_out_spot aim;  /* unit vector to the first point passed; angles are relative to it */
    double from, to;  /* the sector */
    int nodes;        /* in the current path */
    long total;       /* nodes of all paths */
    double length;    /* of the line so far: the phase of the dashes */
    double begun;     /* length at the start of the current path */
} zw_out_trace;

/* Strokes with the colour and width of the canvas; dash may be NULL. */
void zw_out_trace_begin(zw_out_trace *t, zw_out_canvas *c, bool rightwards, int ndash,
                        const double *dash);
void zw_out_trace_add(zw_out_trace *t, double x, double y);
/* Lifts the pen: at a gap, and at the end. */
void zw_out_trace_lift(zw_out_trace *t);

#endif
