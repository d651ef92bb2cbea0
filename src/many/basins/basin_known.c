/* SPDX-License-Identifier: MIT */
/* What has been found, and whether a look or a fate belongs to it. */
#include <string.h>

#include "basin.h"

#define SAME 20          /* times `close`: the same place */
#define SAME_SET 1e-6    /* relative: a parameter that events set */
#define SAME_TIME 1e-4   /* relative: the same period of a cycle without drive */
#define MOST_INSIDE 0.95 /* of the last looks in the cells of one */

/* the distance of y from the straight piece between points i and i + 1 of a curve, all in scales */
static double from_piece(const zw_basin *b, const double *from, const double *to, const double *y) {
    double along = 0, length = 0, worst = 0;
    for (int i = 0; i < b->ny; i++) {
        double e = basin_apart(&b->look[i], to[i], from[i]);
        along += e * basin_apart(&b->look[i], y[i], from[i]);
        length += e * e;
    }
    double s = length > 0 ? fmin(1, fmax(0, along / length)) : 0;
    for (int i = 0; i < b->ny; i++) {
        double e = basin_apart(&b->look[i], to[i], from[i]);
        worst = fmax(worst, fabs(basin_apart(&b->look[i], y[i], from[i]) - s * e));
    }
    return worst;
}

static bool is_curve(const basin_found *a) {
    return a->is.kind == ZW_BASIN_CYCLE && a->is.period == 0;
}

/* from the curve; blocks that cannot be nearer than what was found are passed over */
static double from_curve(const zw_basin *b, const basin_found *a, const double *y) {
    double best = INFINITY;
    int n = a->is.npoint;
    for (int i = 0; i < n; i += BASIN_BLOCK) {
        if (basin_distance(b, y, a->point + i * b->ny) - a->block >= best)
            continue;
        for (int k = i; k < i + BASIN_BLOCK && k < n; k++)
            best =
                fmin(best, from_piece(b, a->point + k * b->ny, a->point + (k + 1) % n * b->ny, y));
    }
    return best;
}

double basin_found_distance(const zw_basin *b, const basin_found *a, const double *y) {
    double best = INFINITY;
    if (is_curve(a))
        return from_curve(b, a, y);
    for (int i = 0; i < a->is.npoint; i++)
        best = fmin(best, basin_distance(b, y, a->point + i * b->ny));
    return best;
}

/* near enough to matter, without the way through all of the curve */
bool basin_found_within(const zw_basin *b, const basin_found *a, const double *y, double r) {
    if (!is_curve(a))
        return basin_found_distance(b, a, y) <= r;
    for (int i = 0; i < a->is.npoint; i += BASIN_BLOCK) {
        if (basin_distance(b, y, a->point + i * b->ny) > r + a->block)
            continue;
        for (int k = i; k < i + BASIN_BLOCK && k < a->is.npoint; k++)
            if (from_piece(b, a->point + k * b->ny, a->point + (k + 1) % a->is.npoint * b->ny, y) <=
                r)
                return true;
    }
    return false;
}

/* the parameters that events have set, at one of its states */
static bool has_set(const zw_basin *b, const double *x, const double *set) {
    for (int i = b->nstate; i < b->nx; i++)
        if (!(fabs(x[i] - set[i - b->nstate]) <=
              SAME_SET * fmax(fabs(x[i]), fabs(set[i - b->nstate]))))
            return false;
    return true;
}

bool basin_found_has_set(const zw_basin *b, const basin_found *a, const double *set) {
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

static bool is_class(const basin_found *a, const basin_fate *f, bool locks) {
    switch (f->end) {
    case BASIN_CLOSED:
        return f->p == 0 || (locks && f->p == 1)
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

static bool is_inside(const zw_basin *b, const basin_found *a, const basin_fate *f) {
    int inside = 0;
    if (!a->cells.n)
        return false;
    for (int i = 0; i < f->ntail; i++)
        inside += basin_cells_near(&a->cells, b->look, b->ny, f->tail + (size_t)i * (size_t)b->ny);
    return f->ntail > 0 && inside >= MOST_INSIDE * f->ntail;
}

/* the same period, or several turns */
static bool is_multiple(double tau, double time) {
    double turns = rint(tau / time);
    return turns >= 1 && fabs(tau - turns * time) <= SAME_TIME * tau;
}

static bool is_place(const zw_basin *b, const basin_found *a, const basin_fate *f) {
    const double *y = f->tail + (size_t)(f->ntail - 1) * (size_t)b->ny;
    if (!a->closed || f->ntail == 0)
        return false;
    if (a->is.continuum)
        return basin_continuum_has(b, a, f);
    if (f->end == BASIN_CYCLES)
        return is_curve(a) && is_multiple(f->tau, a->is.time) &&
               basin_found_distance(b, a, y) <= SAME * a->blur * b->options.close + 4 * a->sag;
    return !is_curve(a) && basin_found_distance(b, a, y) <= SAME * a->blur * b->options.close;
}

static bool is_one(const zw_basin *b, const basin_found *a, const basin_fate *f) {
    switch (f->end) {
    case BASIN_BEYOND:
        return a->is.kind == ZW_BASIN_LEAVES && a->is.side == f->side &&
               strcmp(a->is.name, b->look[f->which].name) == 0;
    case BASIN_STOPPED_BY:
        return a->is.kind == ZW_BASIN_STOPS && a->event == f->which;
    case BASIN_CLOSED:
    case BASIN_CYCLES:
        return b->classes ? is_class(a, f, b->locks)
                          : basin_found_has_set(b, a, f->x + b->nstate) && is_place(b, a, f);
    case BASIN_RECURRENT:
        return b->classes ? is_class(a, f, b->locks)
                          : basin_found_has_set(b, a, f->x + b->nstate) && is_inside(b, a, f);
    default:
        return false;
    }
}

int basin_known(const zw_basin *b, const basin_fate *f) {
    if (f->end == BASIN_KNOWN)
        return f->label;
    for (int i = 0; i < b->nfound; i++)
        if (is_one(b, &b->found[i], f))
            return i;
    return -1;
}
