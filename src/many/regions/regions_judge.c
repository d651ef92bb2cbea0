/* SPDX-License-Identifier: MIT */
/* From samples of the return map to numbers of cycles, from points to regions, and differences
 * between neighbours. zwang/regions.h defines the rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regions.h"

/* Of the line: accuracy of a zero between two samples. A picture of the grid does not show more. */
#define ZERO_LOCATED 1e-3
/* of d/s for a motion that leaves: larger than any that returns to the line */
#define RATE_OF_LEAVING 1e3
/* |d/s| of a neighbour relative to that of the smallest: above, it may continue to zero between
     * the samples. Chosen by trial: below, the values are alike. */
#define STEEP_NEIGHBOUR 1.5
#define BEND_RANGE 0.3    /* of the line: samples farther away do not show the initial bend */
#define BEND_RESOLVED 100 /* times the error of d/s */

static const zw_region_sample *point_samples(const zw_regions *r, int point) {
    return r->sample + (size_t)point * ZW_REGION_SAMPLES;
}

/* d/s, which is constant for a linear return map; a motion that leaves counts as far. At a itself
 * (u = 0) d stores the limit. */
static double growth_rate(const zw_region_sample *s) {
    return s->u == 0 ? s->d : isfinite(s->d) ? s->d / s->u : RATE_OF_LEAVING;
}

/* The value closest to zero of the parabola through three points, between the outer ones. */
static double parabola_vertex(const double x[3], const double y[3]) {
    double a = (y[1] - y[0]) / (x[1] - x[0]), b = (y[2] - y[1]) / (x[2] - x[1]);
    double c = (b - a) / (x[2] - x[0]);
    double at = c != 0 ? (x[0] + x[1]) / 2 - a / (2 * c) : x[1];
    if (!(at > x[0] && at < x[2]))
        at = x[1];
    return y[0] + a * (at - x[0]) + c * (at - x[0]) * (at - x[1]);
}

/* Three neighbours of one sign, the middle one nearest to zero: can there be two zeros between
 * them? Not if the values around it are alike, and the parabola through them stays on its side. */
static bool is_close(const zw_region_sample *s) {
    double x[3], y[3];
    for (int k = 0; k < 3; k++) {
        if (s[k].sign == 0 || s[k].sign != s[0].sign)
            return false;
        x[k] = s[k].u;
        y[k] = growth_rate(&s[k]);
    }
    if (fabs(y[1]) > fabs(y[0]) || fabs(y[1]) > fabs(y[2]))
        return false;
    return fmax(fabs(y[0]), fabs(y[2])) > STEEP_NEIGHBOUR * fabs(y[1]) ||
           parabola_vertex(x, y) * s[1].sign <= 0;
}

static void request_sample(double *u, int *n, double at) {
    if (*n < 16)
        u[(*n)++] = at;
}

/* Samples with a sign, in order; before them the limit at a, if that is known. */
static int decided_samples(const zw_regions *r, int point, zw_region_sample *out) {
    const zw_region_sample *s = point_samples(r, point);
    int n = 0, inner = r->point[point].inner;
    if (inner && isfinite(r->inner[point]))
        out[n++] = (zw_region_sample){.d = r->inner[point], .sign = inner};
    for (int k = 0; k < r->nsample[point]; k++)
        if (s[k].sign)
            out[n++] = s[k];
    return n;
}

bool zw_region_request_samples(const zw_regions *r, int point, double *u, int *n) {
    const zw_region_sample *s = point_samples(r, point);
    zw_region_sample known[ZW_REGION_SAMPLES + 1];
    int m = decided_samples(r, point, known);
    *n = 0;
    if (r->nsample[point] + 16 > ZW_REGION_SAMPLES)
        return false;
    for (int k = 1; k + 1 < m; k++)
        if (is_close(&known[k - 1])) {
            request_sample(u, n, (known[k - 1].u + known[k].u) / 2);
            request_sample(u, n, (known[k].u + known[k + 1].u) / 2);
        }
    for (int k = 1; k < m; k++) { /* a zero: by the secant, not too near to known samples */
        double a = known[k - 1].u, b = known[k].u, w = b - a;
        if (known[k - 1].sign == known[k].sign || w < ZERO_LOCATED)
            continue;
        bool both = a > 0 && isfinite(known[k - 1].d) && isfinite(known[k].d);
        double at = both ? a + w * known[k - 1].d / (known[k - 1].d - known[k].d) : a + w / 2;
        request_sample(u, n, fmin(fmax(at, a + w / 10), b - w / 10));
    }
    for (int k = 1; k + 1 < r->nsample[point]; k++) /* one without a sign between two of one sign */
        if (!s[k].sign && s[k - 1].sign && s[k - 1].sign == s[k + 1].sign) {
            request_sample(u, n, (s[k - 1].u + s[k].u) / 2);
            request_sample(u, n, (s[k].u + s[k + 1].u) / 2);
        }
    return *n > 0;
}

/* Is there a sample without a sign between neighbours of one sign? */
static bool is_open(const zw_region_sample *s, int n) {
    int last = 0;
    bool gap = false;
    for (int k = 0; k < n; k++) {
        if (!s[k].sign) {
            gap = true;
            continue;
        }
        if (gap && (last == s[k].sign || last == 0))
            return true;
        last = s[k].sign;
        gap = false;
    }
    return gap;
}

static void add_cycle(zw_region_point *at, int before, double amplitude) {
    if (at->ncycle < ZW_REGION_CYCLES) {
        at->stable[at->ncycle] = before > 0;
        at->amplitude[at->ncycle] = amplitude;
    }
    at->ncycle++;
}

/* The initial bend of d/s: (d/s - its limit)/s^2 at the nearest sample that resolves it. */
static void find_bend(zw_regions *r, int point, const zw_region_sample *s, int n) {
    zw_region_point *at = &r->point[point];
    for (int k = 0; k < n && isnan(at->bend) && s[k].u < BEND_RANGE; k++) {
        if (s[k].u == 0)
            continue;
        double off = growth_rate(&s[k]) - r->inner[point];
        if (isfinite(s[k].d) && fabs(off) > BEND_RESOLVED * s[k].bound / s[k].u)
            at->bend = off / (s[k].u * s[k].u);
    }
}

void zw_region_count_cycles(zw_regions *r, int point) {
    zw_region_point *at = &r->point[point];
    zw_region_sample s[ZW_REGION_SAMPLES + 1];
    int n = decided_samples(r, point, s), sign = at->inner;
    double before = 0, length = fabs(r->ends[3 * point + 2] - r->ends[3 * point + 1]);
    at->ncycle = 0;
    at->samples = r->nsample[point];
    find_bend(r, point, s, n);
    for (int k = 0; k < n; k++) {
        if (sign && s[k].sign != sign) { /* between two samples: by their straight line */
            double u = isfinite(s[k].d) && before > 0 && isfinite(s[k - 1].d)
                           ? before + (s[k].u - before) * s[k - 1].d / (s[k - 1].d - s[k].d)
                           : (before + s[k].u) / 2;
            add_cycle(at, sign, u * length);
        }
        sign = s[k].sign;
        before = s[k].u;
    }
    at->outer = n && point_samples(r, point)[r->nsample[point] - 1].sign ? sign : 0;
    if (at->why)
        return;
    if (at->inner == 0)
        at->why = "the stability of the equilibrium in the middle is not decided";
    else if (at->ncycle > ZW_REGION_CYCLES)
        at->why = "too many cycles";
    else if (n == 0 || is_open(point_samples(r, point), r->nsample[point]))
        at->why = r->failure[point] ? r->failure[point]
                                    : "a sample of the return map is smaller than its error, or "
                                      "no motion comes back";
    for (int k = 1; k + 1 < n && !at->why; k++)
        if (is_close(&s[k - 1]))
            at->why = "the return map may touch zero between two samples";
}

/* -------------------------------------------------------------------------------------- regions */

static const char *rest_word(int grows, int nx) {
    return grows < 0               ? "equilibrium that is not decided"
           : grows == 0            ? "stable equilibrium"
           : nx == 2 && grows == 1 ? "saddle"
                                   : "unstable equilibrium";
}

/* Equilibria that the model names, then the number of those of each other kind. */
static void put_rests(const zw_regions *r, const zw_region_point *at, char *out, size_t size) {
    size_t used = 0;
    if (at->nrest == 0)
        snprintf(out, size, "no equilibrium");
    for (int i = 0; i < at->nrest && used < size;) {
        const char *word = rest_word(at->grows[i], r->nx);
        int n = 0;
        if (at->name[i] >= 0) {
            used +=
                (size_t)snprintf(out + used, size - used, "%s%.40s %.*s", i ? ", " : "",
                                 r->sys->motion[at->name[i]].name, (int)strcspn(word, " "), word);
            i++;
            continue;
        }
        while (i + n < at->nrest && strcmp(rest_word(at->grows[i + n], r->nx), word) == 0)
            n++;
        bool latin = strstr(word, "equilibrium") && n > 1;
        used += (size_t)snprintf(out + used, size - used, "%s%d %.*s%s", i ? ", " : "", n,
                                 (int)(strlen(word) - (latin ? 2 : 0)), word,
                                 latin   ? "a"
                                 : n > 1 ? "s"
                                         : "");
        i += n;
    }
}

static void put_cycles(const zw_region_point *at, char *out, size_t size) {
    if (at->ncycle == 0)
        snprintf(out, size, "no cycle");
    else if (at->ncycle == 1)
        snprintf(out, size, "1 %s cycle", at->stable[0] ? "stable" : "unstable");
    else {
        size_t used = (size_t)snprintf(out, size, "%d cycles (", at->ncycle);
        for (int i = 0; i < at->ncycle && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "/" : "",
                                     at->stable[i] ? "stable" : "unstable");
        if (used < size)
            snprintf(out + used, size - used, ")");
    }
}

void zw_region_assign_kinds(zw_regions *r) {
    for (int i = 0; i < r->npoint; i++) {
        zw_region_point *at = &r->point[i];
        char rests[120], cycles[80] = "", words[200];
        if (at->why)
            continue;
        put_rests(r, at, rests, sizeof rests);
        if (at->ncycle >= 0)
            put_cycles(at, cycles, sizeof cycles);
        snprintf(words, sizeof words, "%s%s%s", rests, cycles[0] ? ", " : "", cycles);
        int k = 0;
        while (k < r->nkind && strcmp(r->kind[k].words, words) != 0)
            k++;
        if (k == ZW_REGION_KINDS) {
            at->why = "too many kinds of regions";
            continue;
        }
        if (k == r->nkind)
            memcpy(r->kind[r->nkind++].words, words, sizeof words);
        r->kind[k].points++;
        at->region = k + 1;
    }
}

/* ----------------------------------------------------------------------------------- neighbours */

/* The difference of the numbers of cycles, a - b, that follows without folds; false if it is
 * unknown. */
static bool expected_difference(const zw_region_point *a, const zw_region_point *b, int *out) {
    *out = 0;
    if (a->inner != b->inner) { /* Hopf */
        double bend = a->bend * b->bend > 0 ? a->bend : NAN;
        if (isnan(bend))
            return false;
        *out += (bend < 0 ? 1 : -1) * a->inner;
    }
    if (a->outer != b->outer) { /* a connection */
        double quantity = a->quantity * b->quantity > 0 ? a->quantity : NAN;
        if (isnan(quantity))
            return false;
        *out -= (quantity < 0 ? 1 : -1) * a->outer;
    }
    return true;
}

/* Number of folds between two neighbours; -1 if unknown. */
static int count_folds(zw_regions *r, int a, int b) {
    const zw_region_point *x = &r->point[a], *y = &r->point[b];
    zw_region_pairs *out = &r->pairs;
    int without;
    if (x->why || y->why || x->ncycle < 0 || !x->outer || !y->outer)
        return -1;
    out->decided++;
    bool hopf = x->inner != y->inner, connection = x->outer != y->outer;
    out->hopf += hopf;
    out->connection += connection;
    int folds = expected_difference(x, y, &without) ? abs(x->ncycle - y->ncycle - without) / 2 : -1;
    if (folds > 0 && !hopf && !connection)
        out->seen += folds;
    else if (folds > 0) {
        if (out->hidden_at[0] < 0) {
            out->hidden_at[0] = a;
            out->hidden_at[1] = b;
        }
        out->hidden += folds;
    }
    if (r->ncurve && (hopf || connection || folds > 0) && !zw_region_is_near_curve(r, a, b)) {
        if (out->unknown_at[0] < 0) {
            out->unknown_at[0] = a;
            out->unknown_at[1] = b;
        }
        out->unknown++;
    }
    return folds;
}

/* a single undecided point is skipped: it may lie on a curve */
static void follow_points(zw_regions *r, int first, int step, int n) {
    int folds = 0;
    for (int k = 0; k + 1 < n; k++) {
        int a = first + k * step, b = a + step;
        if (k + 2 < n && !r->point[a].why && r->point[b].why && !r->point[b + step].why)
            b += step;
        int here = r->point[a].why ? 0 : count_folds(r, a, b);
        folds += here > 0 ? here : 0;
    }
    if (folds > r->pairs.folds_most)
        r->pairs.folds_most = folds;
}

void zw_region_compare_neighbours(zw_regions *r) {
    r->pairs = (zw_region_pairs){.hidden_at = {-1, -1}, .unknown_at = {-1, -1}};
    if (!r->cycles)
        return;
    r->pairs.all = (long)(r->rows[0] - 1) * r->rows[1] + (long)(r->rows[1] - 1) * r->rows[0];
    for (int j = 0; j < r->rows[1]; j++)
        follow_points(r, j * r->rows[0], 1, r->rows[0]);
    for (int i = 0; i < r->rows[0]; i++)
        follow_points(r, i, r->rows[0], r->rows[1]);
}
