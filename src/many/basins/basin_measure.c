/* SPDX-License-Identifier: MIT */
/* Basins in numbers: the order of the attractors, shares, circles, uncertainty of the final state.
 *
 * Shares. If k of n starts drawn at random belong to a basin, its share is s = k/n with the
 * standard error sqrt(s (1 - s)/n). On a grid only the starts at the boundary of the basin can
 * be on the wrong side, with probability one half: sqrt(m)/(2n) for m such starts, and not more
 * than before.
 *
 * Circles (two axes, in their ranges). The distance of every start of a basin from the nearest one
 * that is not in it, or from the edge of the grid, by the lower envelope of parabolas, first along
 * rows and then along columns; its value at the attractor is the radius of the largest circle
 * around it, its largest value that of the largest circle in the basin.
 *   P. F. Felzenszwalb, D. P. Huttenlocher: Distance transforms of sampled functions, Theory of
 *   Computing 8 (2012) 415. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/philox.h"
#include "basin.h"

#define EXPONENT_KNOWN 0.05 /* error of the uncertainty exponent at which it is conclusive */

enum {
    USE_PAIR = 21,
    FEWEST = 5 /* pairs of a fit */
};
/* a larger exponent is that of a smooth boundary (1) within the usual error of a fit, 0.05 */
#define SMOOTH_EXPONENT 0.95
/* in scales: means of attractors. Ten times the default of `close`, to which they are known, so
 * that the order does not depend on round-off */
#define SAME_MEAN 1e-5
/* squared distance, in ranges: larger than any that occurs, and exact to add to them */
#define NO_BOUNDARY 1e10

/* ---- the order ---- */

static double mean_of(const zw_basin *b, const zw_basin_limit_set *a, int i) {
    double sum = 0, period = b->quantity[i].period;
    for (int k = 0; k < a->is.npoint; k++) {
        double y = a->point[k * b->ny + i];
        sum += period > 0 ? remainder(y, period) : y;
    }
    return a->is.npoint ? sum / a->is.npoint : 0;
}

static int compare_attractors(const zw_basin *b, const zw_basin_limit_set *x,
                              const zw_basin_limit_set *y) {
    if (x->is.kind != y->is.kind)
        return x->is.kind < y->is.kind ? -1 : 1;
    if (x->is.period != y->is.period)
        return x->is.period < y->is.period ? -1 : 1;
    for (int i = 0; i < b->ny; i++) {
        double d = mean_of(b, x, i) - mean_of(b, y, i);
        if (fabs(d) > SAME_MEAN * b->quantity[i].scale)
            return d < 0 ? -1 : 1;
    }
    if (x->is.time != y->is.time && !isnan(x->is.time) && !isnan(y->is.time))
        return x->is.time < y->is.time ? -1 : 1;
    int by_name = strcmp(x->is.name, y->is.name);
    return by_name ? by_name : x->is.side - y->is.side;
}

void zw_basin_sort(zw_basin *b) {
    int place[ZW_BASIN_ATTRACTORS], at[ZW_BASIN_ATTRACTORS];
    for (int i = 0; i < b->nfound; i++)
        at[i] = i;
    for (int i = 1; i < b->nfound; i++) /* few: insertion, which keeps the order of equal ones */
        for (int k = i; k > 0 && compare_attractors(b, &b->found[at[k]], &b->found[at[k - 1]]) < 0;
             k--) {
            int other = at[k];
            at[k] = at[k - 1];
            at[k - 1] = other;
        }
    zw_basin_limit_set *sorted = malloc(sizeof *sorted * ZW_BASIN_ATTRACTORS);
    if (!sorted)
        return; /* they stay in the order in which they were found */
    for (int i = 0; i < b->nfound; i++) {
        sorted[i] = b->found[at[i]];
        place[at[i]] = i;
    }
    memcpy(b->found, sorted, sizeof *sorted * (size_t)b->nfound);
    free(sorted);
    for (uint64_t k = 0; k < b->n; k++)
        if (b->label[k] >= 0)
            b->label[k] = place[b->label[k]];
}

/* ---- circles ---- */

/* d[q] <- min over p of (h (q - p))^2 + f[p]. */
static void lower_envelope(const double *f, long n, double h, double *d, long *v, double *z) {
    long k = 0;
    v[0] = 0;
    z[0] = -INFINITY;
    z[1] = INFINITY;
    for (long q = 1; q < n; q++) {
        double s;
        for (;;) {
            double p = (double)v[k];
            s = ((f[q] / (h * h) + (double)q * (double)q) - (f[v[k]] / (h * h) + p * p)) /
                (2 * ((double)q - p));
            if (s > z[k] || k == 0)
                break;
            k--;
        }
        if (s <= z[k])
            s = z[k];
        k++;
        v[k] = q;
        z[k] = s;
        z[k + 1] = INFINITY;
    }
    k = 0;
    for (long q = 0; q < n; q++) {
        while (z[k + 1] < (double)q)
            k++;
        double away = h * (double)(q - v[k]);
        d[q] = away * away + f[v[k]];
    }
}

/* The position of the attractor on the two axes, in units of their ranges; false if it is unknown
 * or outside. */
static bool place_on(const zw_basin *b, const zw_basin_limit_set *a, int point, double *u) {
    for (int i = 0; i < 2; i++) {
        u[i] = NAN;
        for (int k = 0; k < b->ny; k++)
            if (b->axis[i].state >= 0 && b->quantity[k].state == b->axis[i].state) {
                const zw_parameter_range *r = &b->axis[i].range;
                double y = a->point[point * b->ny + k], period = b->quantity[k].period;
                if (period > 0) /* shifted into the range, if possible */
                    y -= period * floor((y - fmin(r->from, r->to)) / period);
                u[i] = (y - r->from) / (r->to - r->from);
            }
        if (!(u[i] >= 0 && u[i] <= 1))
            return false;
    }
    return true;
}

typedef struct plane {
    long nx, ny; /* with a frame of one point around */
    double *d, *f, *out, *z;
    long *v;
} plane;

static void find_distances(const zw_basin *b, int label, plane *s) {
    double hx = 1.0 / (double)(s->nx - 3), hy = 1.0 / (double)(s->ny - 3), none = NO_BOUNDARY;
    for (long j = 0; j < s->ny; j++)
        for (long i = 0; i < s->nx; i++) {
            bool frame = i == 0 || j == 0 || i == s->nx - 1 || j == s->ny - 1;
            bool in = !frame && b->label[(j - 1) * (s->nx - 2) + i - 1] == label;
            s->d[j * s->nx + i] = in ? none : 0;
        }
    for (long j = 0; j < s->ny; j++) {
        memcpy(s->f, s->d + j * s->nx, sizeof(double) * (size_t)s->nx);
        lower_envelope(s->f, s->nx, hx, s->d + j * s->nx, s->v, s->z);
    }
    for (long i = 0; i < s->nx; i++) {
        for (long j = 0; j < s->ny; j++)
            s->f[j] = s->d[j * s->nx + i];
        lower_envelope(s->f, s->ny, hy, s->out, s->v, s->z);
        for (long j = 0; j < s->ny; j++)
            s->d[j * s->nx + i] = s->out[j];
    }
}

static void find_circle(const zw_basin *b, zw_basin_limit_set *a, int label, plane *s) {
    double u[2], largest = 0;
    find_distances(b, label, s);
    for (long i = 0; i < s->nx * s->ny; i++)
        largest = fmax(largest, s->d[i]);
    a->is.compact = sqrt(largest);
    a->is.circle = NAN;
    for (int k = 0; k < a->is.npoint && a->closed && !a->is.continuum; k++)
        if (place_on(b, a, k, u)) {
            long i = lrint(u[0] * (double)(s->nx - 3)) + 1,
                 j = lrint(u[1] * (double)(s->ny - 3)) + 1;
            double r = sqrt(s->d[j * s->nx + i]);
            a->is.circle = isnan(a->is.circle) ? r : fmin(a->is.circle, r);
        }
}

static void find_circles(zw_basin *b) {
    if (b->naxis != 2 || b->options.samples || b->axis[0].state < 0 || b->axis[1].state < 0)
        return;
    plane s = {.nx = b->axis[0].n + 2, .ny = b->axis[1].n + 2};
    size_t most = (size_t)(s.nx > s.ny ? s.nx : s.ny) + 2;
    s.d = malloc(sizeof(double) * (size_t)s.nx * (size_t)s.ny);
    s.f = malloc(sizeof(double) * most * 3);
    s.v = malloc(sizeof(long) * most);
    if (s.d && s.f && s.v) {
        s.out = s.f + most;
        s.z = s.out + most;
        for (int i = 0; i < b->nfound; i++)
            find_circle(b, &b->found[i], i, &s);
    }
    free(s.d);
    free(s.f);
    free(s.v);
}

/* ---- shares ---- */

/* Has start k on the grid a neighbour with another label? */
static bool is_at_boundary(const zw_basin *b, uint64_t k) {
    uint64_t stride = 1;
    for (int i = 0; i < b->naxis; i++) {
        uint64_t n = (uint64_t)b->axis[i].n, at = k / stride % n;
        if ((at > 0 && b->label[k - stride] != b->label[k]) ||
            (at + 1 < n && b->label[k + stride] != b->label[k]))
            return true;
        stride *= n;
    }
    return false;
}

void zw_basin_count_shares(zw_basin *b) {
    uint64_t edge[ZW_BASIN_ATTRACTORS] = {0};
    bool complete = true;
    b->info.unresolved = b->info.failed = 0;
    for (int i = 0; i < b->nfound; i++)
        b->found[i].is.starts = 0;
    for (uint64_t k = 0; k < b->n; k++) {
        int label = b->label[k];
        complete = complete && label != BASIN_UNSET;
        b->info.failed += label == BASIN_NO_MOTION;
        b->info.unresolved += label < 0 && label != BASIN_NO_MOTION;
        if (label < 0)
            continue;
        b->found[label].is.starts++;
        if (!b->options.samples && is_at_boundary(b, k))
            edge[label]++;
    }
    for (int i = 0; i < b->nfound; i++) {
        zw_basin_attractor *a = &b->found[i].is;
        double n = (double)b->n;
        a->share = (double)a->starts / n;
        a->error = sqrt(a->share * (1 - a->share) / n);
        if (!b->options.samples)
            a->error = fmin(a->error, 0.5 * sqrt((double)edge[i]) / n);
    }
    if (complete) /* if some starts were not followed, the circles would be those of the stop */
        find_circles(b);
}

/* ---- uncertainty ---- */

/* A random direction of length 1. */
static void draw_direction(const zw_basin *b, uint64_t k, uint32_t use, double *e) {
    double size = 0;
    for (int i = 0; i < b->naxis; i++) { /* two random numbers for each normal one */
        double r = zw_philox_unit(b->options.seed + use, k, (uint32_t)(100 + 2 * i));
        double s = zw_philox_unit(b->options.seed + use, k, (uint32_t)(101 + 2 * i));
        e[i] = sqrt(-2 * log(r)) * cos(2 * M_PI * s);
        size += e[i] * e[i];
    }
    for (int i = 0; i < b->naxis; i++)
        e[i] /= sqrt(size);
}

static void draw_pair(const zw_basin *b, uint64_t k, uint32_t use, double eps, double *u) {
    double e[ZW_BASIN_AXES], *v = u + b->naxis;
    bool inside = true;
    draw_direction(b, k, use, e);
    for (int i = 0; i < b->naxis; i++) {
        u[i] = zw_philox_unit(b->options.seed + use, k, (uint32_t)i);
        v[i] = u[i] + eps * e[i];
        inside = inside && v[i] >= 0 && v[i] <= 1;
    }
    for (int i = 0; i < b->naxis && !inside; i++)
        v[i] = u[i] - eps * e[i];
}

static zw_status count_pairs(zw_basin *b, uint64_t pairs, int level, zw_basin_uncertainty *out,
                             zw_error *err) {
    uint64_t differ = 0, known = 0;
    long most = b->chunk / 2;
    int *label = malloc(sizeof *label * (size_t)b->chunk);
    zw_status status = label ? ZW_OK : zw_out_of_memory(err, NULL);
    for (uint64_t first = 0; first < pairs && status == ZW_OK; first += (uint64_t)most) {
        long n = pairs - first < (uint64_t)most ? (long)(pairs - first) : most;
        for (long k = 0; k < n; k++)
            draw_pair(b, first + (uint64_t)k, (uint32_t)(USE_PAIR + level), out->eps[level],
                      b->u + 2 * k * b->naxis);
        status = zw_basin_classify(b, 2 * n, b->u, label, NULL, err);
        for (long k = 0; k < n && status == ZW_OK; k++)
            if (label[2 * k] >= 0 && label[2 * k + 1] >= 0) {
                known++;
                differ += label[2 * k] != label[2 * k + 1];
            }
    }
    free(label);
    out->pairs[level] = known;
    out->f[level] = known ? (double)differ / (double)known : NAN;
    return status;
}

/* ln f = ln c + alpha ln eps, with the errors of counting. */
static void fit_exponent(zw_basin_uncertainty *u, int axes) {
    double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, rest = 0;
    int n = 0;
    u->alpha = u->error = u->dimension = u->misfit = NAN;
    u->verdict = -1;
    for (int i = 0; i < u->n; i++) {
        double count = u->f[i] * (double)u->pairs[i];
        if (!(count >= FEWEST) || u->f[i] >= 1)
            continue;
        double w = count / (1 - u->f[i]), x = log(u->eps[i]), y = log(u->f[i]);
        s += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
        n++;
    }
    double det = s * sxx - sx * sx;
    if (n < 3 || !(det > 0))
        return;
    u->alpha = (s * sxy - sx * sy) / det;
    double shift = (sy - u->alpha * sx) / s;
    for (int i = 0; i < u->n; i++) {
        double count = u->f[i] * (double)u->pairs[i];
        if (count >= FEWEST && u->f[i] < 1)
            rest +=
                count / (1 - u->f[i]) * pow(log(u->f[i]) - shift - u->alpha * log(u->eps[i]), 2);
    }
    u->misfit = rest / (n - 2);
    u->error = sqrt(s / det * fmax(1, u->misfit));
    u->dimension = axes - u->alpha;
    if (u->alpha + 2 * u->error < SMOOTH_EXPONENT)
        u->verdict = 1;
    else if (u->error < EXPONENT_KNOWN)
        u->verdict = 0;
}

zw_status zw_basin_find_uncertainty(zw_basin *b, uint64_t pairs, double largest, double smallest,
                                    int n, zw_basin_uncertainty *out, zw_error *err) {
    memset(out, 0, sizeof *out);
    if (n < 3 || n > 32 || pairs < 10 || !(largest > smallest) || !(smallest > 0) || largest > 0.5)
        return zw_fail(
            err, ZW_E_OPTION,
            "at least 10 pairs at 3 to 32 distances between 0 and 0.5 of the ranges are needed");
    if (!b->has_run)
        return zw_fail(err, ZW_E_OPTION, "the uncertainty needs the basins first");
    uint64_t unresolved_slow = b->unresolved_slow, unresolved_recurrent = b->unresolved_recurrent;
    int found = b->nfound;
    out->n = n;
    zw_status status = ZW_OK;
    for (int i = 0; i < n && status == ZW_OK; i++) {
        out->eps[i] = largest * pow(smallest / largest, (double)i / (n - 1));
        b->begun = (double)i / n;
        b->work = 1.0 / n;
        status = count_pairs(b, pairs, i, out, err);
    }
    b->unresolved_slow = unresolved_slow;
    b->unresolved_recurrent = unresolved_recurrent;
    if (b->nfound != found)
        zw_basin_count_shares(b);
    fit_exponent(out, b->naxis);
    return status;
}
