/* SPDX-License-Identifier: MIT */
/* Known attractors: does a sample or an outcome belong to one of them? */
#include <string.h>

#include "basin.h"

/* Times `close`: the same point. Arrival is an estimate of the remaining distance, wrong by a
 * factor of a few; chosen by trial between that and the distance of attractors. */
#define SAME_POINT 20
/* Relative: values of a parameter that events set. They are results of the integration, accurate to
 * its tolerance, which is `close` (1e-6 by default) at most. */
#define SAME_PARAMETER 1e-6
/* Relative: periods of a cycle without excitation. A larger error than that of a point, since the
 * period is known from one turn; chosen by trial. */
#define SAME_PERIOD 1e-4
/* Fraction of the last samples that lie in the cells of one. Chosen by trial: the cells of an
 * irregular motion are never complete. */
#define CELLS_AGREE 0.95

/* Distance of y from the segment between points i and i + 1 of a curve, in scales. */
static double from_piece(const zw_basin *b, const double *from, const double *to, const double *y) {
    double along = 0, length = 0, worst = 0;
    for (int i = 0; i < b->ny; i++) {
        double e = zw_basin_difference(&b->quantity[i], to[i], from[i]);
        along += e * zw_basin_difference(&b->quantity[i], y[i], from[i]);
        length += e * e;
    }
    double s = length > 0 ? fmin(1, fmax(0, along / length)) : 0;
    for (int i = 0; i < b->ny; i++) {
        double e = zw_basin_difference(&b->quantity[i], to[i], from[i]);
        worst = fmax(worst, fabs(zw_basin_difference(&b->quantity[i], y[i], from[i]) - s * e));
    }
    return worst;
}

static bool is_curve(const zw_basin_limit_set *a) {
    return a->is.kind == ZW_BASIN_CYCLE && a->is.period == 0;
}

/* Distance from the curve; blocks that cannot be nearer than the best so far are skipped. */
static double from_curve(const zw_basin *b, const zw_basin_limit_set *a, const double *y) {
    double best = INFINITY;
    int n = a->is.npoint;
    for (int i = 0; i < n; i += ZW_BASIN_CURVE_BLOCK) {
        if (zw_basin_distance(b, y, a->point + i * b->ny) - a->block >= best)
            continue;
        for (int k = i; k < i + ZW_BASIN_CURVE_BLOCK && k < n; k++)
            best =
                fmin(best, from_piece(b, a->point + k * b->ny, a->point + (k + 1) % n * b->ny, y));
    }
    return best;
}

double zw_basin_limit_set_distance(const zw_basin *b, const zw_basin_limit_set *a,
                                   const double *y) {
    double best = INFINITY;
    if (is_curve(a))
        return from_curve(b, a, y);
    for (int i = 0; i < a->is.npoint; i++)
        best = fmin(best, zw_basin_distance(b, y, a->point + i * b->ny));
    return best;
}

/* Is y within r? Stops at the first point that is near enough. */
bool zw_basin_limit_set_within(const zw_basin *b, const zw_basin_limit_set *a, const double *y,
                               double r) {
    if (!is_curve(a))
        return zw_basin_limit_set_distance(b, a, y) <= r;
    for (int i = 0; i < a->is.npoint; i += ZW_BASIN_CURVE_BLOCK) {
        if (zw_basin_distance(b, y, a->point + i * b->ny) > r + a->block)
            continue;
        for (int k = i; k < i + ZW_BASIN_CURVE_BLOCK && k < a->is.npoint; k++)
            if (from_piece(b, a->point + k * b->ny, a->point + (k + 1) % a->is.npoint * b->ny, y) <=
                r)
                return true;
    }
    return false;
}

/* Do the parameters that events have set agree with those at one of its states? */
static bool has_set(const zw_basin *b, const double *x, const double *set) {
    for (int i = b->nstate; i < b->nx; i++)
        if (!(fabs(x[i] - set[i - b->nstate]) <=
              SAME_PARAMETER * fmax(fabs(x[i]), fabs(set[i - b->nstate]))))
            return false;
    return true;
}

bool zw_basin_limit_set_agrees(const zw_basin *b, const zw_basin_limit_set *a, const double *set) {
    if (b->nx == b->nstate || (!a->x && !a->nmember))
        return true;
    for (int i = 0; i < a->is.npoint && a->x; i++)
        if (has_set(b, a->x + (size_t)i * (size_t)b->nx, set))
            return true;
    for (int i = 0; i < a->nmember; i++)
        if (has_set(b, a->member + (size_t)i * (size_t)(b->ny + b->nx) + b->ny, set))
            return true;
    return false;
}

static bool is_class(const zw_basin_limit_set *a, const zw_basin_outcome *f, bool autonomous) {
    switch (f->end) {
    case BASIN_CLOSED:
        return f->p == 0 || (autonomous && f->p == 1)
                   ? a->is.kind == ZW_BASIN_REST
                   : a->is.kind == ZW_BASIN_CYCLE && a->is.period == f->p;
    case BASIN_CYCLES:
        return a->is.kind == ZW_BASIN_CYCLE && a->is.period == 0;
    case BASIN_RECURRENT:
        return a->is.kind == ZW_BASIN_IRREGULAR;
    default:
        return false;
    }
}

static bool is_inside(const zw_basin *b, const zw_basin_limit_set *a, const zw_basin_outcome *f) {
    int inside = 0;
    if (!a->cells.n)
        return false;
    for (int i = 0; i < f->ntail; i++)
        inside +=
            zw_basin_cells_near(&a->cells, b->quantity, b->ny, f->tail + (size_t)i * (size_t)b->ny);
    return f->ntail > 0 && inside >= CELLS_AGREE * f->ntail;
}

/* Is it the same period, or a multiple of it? */
static bool is_multiple(double tau, double time) {
    double turns = rint(tau / time);
    return turns >= 1 && fabs(tau - turns * time) <= SAME_PERIOD * tau;
}

static bool is_place(const zw_basin *b, const zw_basin_limit_set *a, const zw_basin_outcome *f) {
    const double *y = f->tail + (size_t)(f->ntail - 1) * (size_t)b->ny;
    if (!a->closed || f->ntail == 0)
        return false;
    if (a->is.continuum)
        return zw_basin_continuum_has(b, a, f);
    if (f->end == BASIN_CYCLES)
        return is_curve(a) && is_multiple(f->tau, a->is.time) &&
               zw_basin_limit_set_distance(b, a, y) <=
                   SAME_POINT * a->closure * b->options.close + 4 * a->sagitta;
    return !is_curve(a) &&
           zw_basin_limit_set_distance(b, a, y) <= SAME_POINT * a->closure * b->options.close;
}

static bool is_one(const zw_basin *b, const zw_basin_limit_set *a, const zw_basin_outcome *f) {
    switch (f->end) {
    case BASIN_BEYOND:
        return a->is.kind == ZW_BASIN_LEAVES && a->is.side == f->side &&
               strcmp(a->is.name, b->quantity[f->which].name) == 0;
    case BASIN_STOPPED_BY:
        return a->is.kind == ZW_BASIN_STOPS && a->event == f->which;
    case BASIN_CLOSED:
    case BASIN_CYCLES:
        return b->by_kind ? is_class(a, f, b->autonomous)
                          : zw_basin_limit_set_agrees(b, a, f->x + b->nstate) && is_place(b, a, f);
    case BASIN_RECURRENT:
        return b->by_kind ? is_class(a, f, b->autonomous)
                          : zw_basin_limit_set_agrees(b, a, f->x + b->nstate) && is_inside(b, a, f);
    default:
        return false;
    }
}

int zw_basin_match(const zw_basin *b, const zw_basin_outcome *f) {
    if (f->end == BASIN_KNOWN)
        return f->label;
    for (int i = 0; i < b->nfound; i++)
        if (is_one(b, &b->found[i], f))
            return i;
    return -1;
}
