/* SPDX-License-Identifier: MIT */
/* The cells of a step. A cell [m - r, m + r] of s, s = -1 at the beginning of the step and 1 at its
 * end, has the coordinate sigma = (s - m)/r. The dense output is a polynomial there, x_j = sum c_l
 * sigma^l, so that
 *
 *     x_j in c_0 + sum c_l (l even: [0, 1], odd: [-1, 1]),       dx_j/dsigma likewise,
 *
 * and from this the kernel computes, by interval arithmetic, a range G of each function g and a
 * range D of its slopes.
 *
 *     0 is not in G, or not in g(m) + D [-1, 1]:     g has no zero;
 *     0 is not in D:                                 g is monotone, its ends decide;
 *     G lies within BAND_ZERO bands:                 g counts as zero;
 *     G is as narrow as round-off allows at m:       likewise (1 - cos(x) near x = 0);
 *     otherwise the cell is halved, down to the resolution of time.
 *
 * All functions share the division; functions that are settled are not evaluated any more.
 *
 * G is a hull, and may be much wider than the range of g: in a conserved energy large terms cancel,
 * which intervals do not detect. A cell is loose if G is wider than LOOSE times the spread of g at
 * its ends and in its middle. If a function has used up the loose cells of a step, or contains
 * arguments that are no polynomials (accelerations, multipliers, external inputs, dependent
 * coordinates of a partition), it is resolved by Chebyshev series (linear/chebyshev.c) instead: g
 * at 9, 17, 33 points of the cell until the last coefficients are small, else the cell is halved.
 * The series then replaces the function. Zeros between its points may be missed: such steps are
 * counted, and so are cells that neither method settles.
 *
 * The constants were chosen by trial on 53 problems with known zeros and checked on 500 others. */
#include "event_cells.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "num/internal.h"
#include "num/linear/chebyshev.h"

/* Fraction of its band (the accuracy of g by the tolerances) below which a function counts as zero:
 * far above round-off of g, and so far below the band that no event depends on it. */
#define BAND_ZERO 1e-4
#define LOOSE 10 /* times the spread */
/* Last coefficients of a series, relative to the largest, with which it replaces the function:
 * zeros are then as exact as with the default tolerances. */
#define SERIES_TAIL 1e-9

enum {
    DEPTH = 60,
    CELLS_FIRST = 16,
    CELLS = 4096, /* cells resolved by bounds in one search, plus some for each zero or pole */
    CELLS_PER_ZERO = 128,
    FITS = 256, /* the same for series */
    FITS_PER_ZERO = 8,
    CREDITS = 1000,   /* zeros and poles of one search that give more cells */
    WORTH_A_BAND = 6, /* halvings after which bands and rounding are checked, */
    WORTH_NOISE = 3,  /* and a series may end in noise */
    LOST = 100,       /* a series below this multiple of its error is indistinguishable from 0 */
    /* Loose cells allowed in a step: 32; 2 if the previous step has used more than 8 of them,
     * except in every 16th step; one more for each zero. Cells without bounds, which lead to poles,
     * about 50 for each: 256, fewer if they found none in the previous step. */
    LOOSE_MANY = 32,
    LOOSE_FEW = 2,
    LOOSE_USED = 8,
    BLIND_MANY = 256,
    BLIND_FEW = 16,
    BLIND_PER_POLE = 128,
    TRY_AGAIN = 16,
    UNDECIDED_SAMPLES = 8,
    POINTS = ZW_SERIES_MAX + 1
};

/* one function */
typedef struct watched {
    bool no_bounds;          /* it can be resolved by series only */
    bool by_series;          /* in this step */
    bool wants_band;         /* it was settled by its band in the last step */
    int loose, loose_before; /* loose cells of this step and of the last one */
    int blind, blind_before; /* cells without bounds; in the last step: more than allowed */
    int zeros, poles;        /* found in this step */
    double from, to;         /* where the series is valid; from > to: nowhere */
    zw_num_series series;
} watched;

struct zw_num_search {
    size_t bytes;
    zw_run *run;
    zw_num_set set;
    zw_num_cells *cells;
    size_t cell_bytes; /* size of their memory */
    int nw;            /* functions */
    int nx;
    watched *watched;
    bool *open;     /* (DEPTH + 2) x nw: not settled yet, by depth */
    bool *asked;    /* nw: functions whose bounds are requested */
    double *middle; /* (DEPTH + 3) x nw: g in the middle, by depth; at both ends of the search */
    double *sample; /* POINTS x nw */
    int degree;
    double *c;       /* (ZW_DEGREE_MAX + 1) x nx: the dense output over the step */
    int *place;      /* nx: index in y of an entry of x; -1: not in y */
    zw_bound *x, *u; /* nx, nu */
    zw_bound t;
    zw_bound *out, *work;
    zw_bound *kept; /* nw: copy of `out` while that is used for a point */
    long steps;
    int cells_left, fits_left, credits;
    bool used_series;
    bool met; /* a change of sign was found */
};

/* a cell with the values at its ends */
typedef struct cell {
    double a, b;     /* s */
    double from, to; /* time */
    const double *ga, *gb;
    int depth;
    double m;        /* the middle, */
    double *gm;      /* g there, */
    bool has_middle; /* if it has been evaluated */
} cell;

/* ------------------------------------------------------------------------------------- memory */

static void slice_all(zw_num_search *s, const zw_kernel *k, const zw_num_set *set, zw_slicer *at) {
    size_t n = (size_t)set->n;
    s->c = zw_slice_doubles(at, (ZW_DEGREE_MAX + 1) * k->nx);
    s->middle = zw_slice_doubles(at, (DEPTH + 3) * set->n);
    s->sample = zw_slice_doubles(at, POINTS * set->n);
    s->x = zw_slice(at, sizeof(zw_bound) * (size_t)k->nx);
    s->u = zw_slice(at, sizeof(zw_bound) * (size_t)(k->nu + k->nmode));
    s->out = zw_slice(at, sizeof(zw_bound) * n);
    s->kept = zw_slice(at, sizeof(zw_bound) * n);
    s->work = zw_slice(at, sizeof(zw_bound) * (size_t)set->bound->nwork);
    s->watched = zw_slice(at, sizeof(watched) * n);
    s->place = zw_slice_ints(at, k->nx);
    s->open = zw_slice_bools(at, (DEPTH + 2) * set->n);
    s->asked = zw_slice_bools(at, set->n);
}

static size_t bytes_of_cells(int capacity, int nw) {
    return sizeof(double) * (size_t)(capacity + 1) * (size_t)(1 + nw);
}

/* allocates more cells and keeps the present ones */
static bool grow_cells(zw_run *run, zw_num_search *s, int capacity) {
    zw_num_cells *c = s->cells;
    size_t bytes = bytes_of_cells(capacity, s->nw), had = (size_t)(c->n + 1);
    double *t = zw_allocate(&run->alloc, bytes);
    if (!t)
        return false;
    double *g = t + capacity + 1;
    if (c->t) {
        memcpy(t, c->t, sizeof(double) * had);
        memcpy(g, c->g, sizeof(double) * had * (size_t)s->nw);
        zw_release(&run->alloc, c->t, s->cell_bytes);
    }
    c->t = t;
    c->g = g;
    c->capacity = capacity;
    s->cell_bytes = bytes;
    return true;
}

zw_num_search *zw_num_search_create(zw_run *run, const zw_num_set *set, zw_num_cells *cells) {
    zw_num_search measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof(zw_num_search));
    slice_all(&measured, run->k, set, &need);
    zw_slicer at = {zw_allocate(&run->alloc, need.used), 0};
    if (!at.base)
        return NULL;
    zw_num_search *s = zw_slice(&at, sizeof(zw_num_search));
    slice_all(s, run->k, set, &at);
    s->bytes = need.used;
    s->run = run;
    s->set = *set;
    s->cells = cells;
    s->nw = set->n;
    s->nx = run->k->nx;
    *cells = (zw_num_cells){0};
    if (grow_cells(run, s, CELLS_FIRST))
        return s;
    zw_release(&run->alloc, s, s->bytes);
    return NULL;
}

void zw_num_search_forget(zw_num_search *s) {
    memset(s->watched, 0, sizeof *s->watched * (size_t)s->nw);
    s->steps = 0;
}

void zw_num_search_destroy(zw_run *run, zw_num_search *s) {
    if (!s)
        return;
    zw_release(&run->alloc, s->cells->t, s->cell_bytes);
    *s->cells = (zw_num_cells){0};
    zw_release(&run->alloc, s, s->bytes);
}

/* the end of a cell */
static zw_status put_end(zw_run *run, zw_num_search *s, double t, const double *g, zw_error *err) {
    zw_num_cells *c = s->cells;
    if (c->n == c->capacity && !grow_cells(run, s, 2 * c->capacity))
        return zw_out_of_memory(err, "the search for events");
    for (int i = 0; s->set.first && i < s->nw; i++)
        s->met |= !(s->set.idle && s->set.idle[i]) && c->g[c->n * s->nw + i] * g[i] < 0;
    c->t[++c->n] = t;
    memcpy(c->g + c->n * s->nw, g, sizeof(double) * (size_t)s->nw);
    return ZW_OK;
}

/* --------------------------------------------------------------------------- places in the step */

static double time_at(const zw_run *run, double s) {
    double half = (run->reached - run->before) / 2;
    return run->before + half + s * half;
}

static double place_of(const zw_run *run, double t) {
    if (t == run->before)
        return -1;
    if (t == run->reached)
        return 1;
    return (t - run->before - (run->reached - t)) / (run->reached - run->before);
}

/* The zero of function i that is nearest to g: 0, or a multiple of its period. */
static double level_near(const zw_num_search *s, int i, double g) {
    double period = s->set.period ? s->set.period[i] : 0;
    return period > 0 && isfinite(g) ? period * round(g / period) : 0;
}

/* Does a range contain a zero of function i? */
static bool contains_zero(const zw_num_search *s, int i, double low, double high) {
    double period = s->set.period ? s->set.period[i] : 0;
    if (!(period > 0))
        return low <= 0 && high >= 0;
    return !(ceil(low / period) * period > high);
}

/* Is there a zero between two values? */
static bool lies_between(const zw_num_search *s, int i, double a, double b) {
    double period = s->set.period ? s->set.period[i] : 0;
    return period > 0 ? floor(a / period) != floor(b / period) : a * b < 0;
}

static zw_status need_middle(zw_num_search *s, cell *c, zw_error *err) {
    zw_run *run = s->run;
    if (!c->has_middle)
        ZW_TRY(s->set.values(run, time_at(run, c->m), c->gm, err));
    c->has_middle = true;
    return ZW_OK;
}

static bool has_open(const bool *open, int n) {
    for (int i = 0; i < n; i++)
        if (open[i])
            return true;
    return false;
}

/* Something has been found: more cells are allowed. */
static void add_credit(zw_num_search *s, int *found) {
    ++*found;
    if (s->credits-- <= 0)
        return;
    s->cells_left += CELLS_PER_ZERO;
    s->fits_left += FITS_PER_ZERO;
}

/* Function i is settled in the cell. */
static void settle_function(zw_num_search *s, const cell *c, int i) {
    s->open[c->depth * s->nw + i] = false;
    if (lies_between(s, i, c->ga[i], c->gb[i]))
        add_credit(s, &s->watched[i].zeros);
}

/* ------------------------------------------------------------------------------------ by bounds */

/* The polynomial of an entry about m, in sigma. */
static void shift_polynomial(const double *c, int stride, int degree, double m, double r,
                             double *out) {
    double power = 1;
    for (int l = 0; l <= degree; l++)
        out[l] = c[l * stride];
    for (int k = 0; k < degree && m != 0; k++)
        for (int l = degree - 1; l >= k; l--)
            out[l] += m * out[l + 1];
    for (int l = 1; l <= degree; l++)
        out[l] *= power *= r;
}

/* its range with that of its slopes */
static zw_bound bound_of(const double *c, int degree) {
    zw_interval v = {c[0], c[0]}, d = {0, 0};
    double size = fabs(c[0]), steep = 0;
    for (int l = 1; l <= degree; l++) {
        double a = c[l], b = l * a, odd = fabs(a), odd_slope = fabs(b);
        bool even = l % 2 == 0;
        v.low += even ? fmin(a, 0) : -odd;
        v.high += even ? fmax(a, 0) : odd;
        d.low += l == 1 ? b : even ? -odd_slope : fmin(b, 0);
        d.high += l == 1 ? b : even ? odd_slope : fmax(b, 0);
        size += odd;
        steep += odd_slope;
    }
    size *= 4 * DBL_EPSILON;
    steep *= 4 * DBL_EPSILON;
    return (zw_bound){{v.low - size, v.high + size}, {d.low - steep, d.high + steep}};
}

/* The ranges of t and of the entries of x in the functions. */
static void bound_inputs(const zw_run *run, zw_num_search *s, const cell *c) {
    const zw_bound_func *f = s->set.bound;
    double r = (c->b - c->a) / 2, half = (run->reached - run->before) / 2;
    double low = fmin(c->from, c->to), high = fmax(c->from, c->to);
    double off = 4 * DBL_EPSILON * fmax(fabs(low), fabs(high)), local[ZW_DEGREE_MAX + 1];
    s->t = (zw_bound){{low - off, high + off}, {r * half, r * half}};
    for (int n = 0; n < f->nx; n++) {
        int j = f->x[n], i = s->place[j];
        if (i < 0) {
            s->x[j] = (zw_bound){{-INFINITY, INFINITY}, {-INFINITY, INFINITY}};
            continue;
        }
        shift_polynomial(s->c + i, run->ny, s->degree, c->m, r, local);
        s->x[j] = bound_of(local, s->degree);
    }
}

static void call_bounds(const zw_run *run, zw_num_search *s, const bool *open) {
    const zw_bound_func *f = s->set.bound;
    const zw_bound_args in = {.t = &s->t, .x = s->x, .u = s->u, .c = run->flow->cache};
    f->call(f, &in, open, s->out, s->work);
}

static double spread_of(double a, double b, double c) {
    return fmax(a, fmax(b, c)) - fmin(a, fmin(b, c));
}

/* Is this cell beyond the allowed number of cells without information about the function? */
static bool is_wasted(const zw_num_search *s, watched *w, zw_interval G, double spread) {
    bool try = s->steps % TRY_AGAIN == 0;
    if (!(G.high - G.low < INFINITY)) {
        int most = !try && w->blind_before ? BLIND_FEW : BLIND_MANY;
        return ++w->blind > most + w->poles * BLIND_PER_POLE;
    }
    if (!(G.high - G.low > LOOSE * spread))
        return false;
    int most = !try && w->loose_before > LOOSE_USED ? LOOSE_FEW : LOOSE_MANY;
    return ++w->loose > most + w->zeros;
}

/* The bound below which function i counts as zero in the cell. */
static zw_status tiny_of(zw_num_search *s, const cell *c, int i, double *tiny, zw_error *err) {
    zw_run *run = s->run;
    const double *band;
    ZW_TRY(s->set.bands(run, time_at(run, c->m), &band, err));
    double rounding = 8 * DBL_EPSILON / (run->options.rtol + 4 * DBL_EPSILON); /* bands */
    *tiny = fmax(BAND_ZERO, rounding) * band[i];
    return ZW_OK;
}

static double level_distance(const zw_num_search *s, int i, double g) {
    return fabs(g - level_near(s, i, g));
}

/* Function i is within these bounds: does it have no zero, and do the values at the ends of the
 * cell agree? If a step begins or ends at a zero, they are round-off of either sign; at least one
 * larger value must show the sign of the function between them. */
static zw_status is_away(zw_num_search *s, const cell *c, int i, double low, double high,
                         bool *away, zw_error *err) {
    double a = c->ga[i], b = c->gb[i], tiny;
    *away = !contains_zero(s, i, low, high) && !lies_between(s, i, a, low) &&
            !lies_between(s, i, b, low);
    double shown = fmax(level_distance(s, i, a), level_distance(s, i, b));
    if (!*away || 4 * shown >= high - low + level_distance(s, i, low))
        return ZW_OK;
    ZW_TRY(tiny_of(s, c, i, &tiny, err));
    *away = shown > tiny;
    return ZW_OK;
}

/* Does the range alone settle function i? */
static zw_status settle_by_range(zw_num_search *s, const cell *c, int i, zw_error *err) {
    watched *w = &s->watched[i];
    const zw_bound *g = &s->out[i];
    bool away;
    ZW_TRY(is_away(s, c, i, g->value.low, g->value.high, &away, err));
    bool settled = away || g->slope.low > 0 || g->slope.high < 0;
    if (!settled && (w->wants_band || c->depth >= WORTH_A_BAND)) {
        double tiny;
        ZW_TRY(tiny_of(s, c, i, &tiny, err));
        double level = level_near(s, i, g->value.low);
        w->wants_band = settled = g->value.low >= level - tiny && g->value.high <= level + tiny;
    }
    if (settled)
        settle_function(s, c, i);
    return ZW_OK;
}

/* The mean value g(m) + D [-1, 1], and whether the cell is loose. */
static zw_status settle_by_middle(zw_num_search *s, const cell *c, int i, zw_error *err) {
    watched *w = &s->watched[i];
    double g = c->gm[i];
    zw_interval d = s->out[i].slope;
    double reach = fmax(-d.low, d.high) * (1 + 4 * DBL_EPSILON);
    bool away = false;
    if (reach < INFINITY)
        ZW_TRY(is_away(s, c, i, g - reach, g + reach, &away, err));
    if (away) {
        settle_function(s, c, i);
        return ZW_OK;
    }
    bool wasted = is_wasted(s, w, s->out[i].value, spread_of(c->ga[i], g, c->gb[i]));
    w->by_series = wasted || s->cells_left <= 0;
    return ZW_OK;
}

/* Settles requested functions whose ranges are round-off of zero. */
static void settle_by_rounding(zw_num_search *s, const cell *c) {
    enum { ALIKE = 4 };
    const bool *open = s->open + c->depth * s->nw;
    double now = time_at(s->run, c->m);
    const cell point = {.a = c->m, .b = c->m, .from = now, .to = now, .m = c->m};
    memcpy(s->kept, s->out, sizeof(zw_bound) * (size_t)s->nw);
    bound_inputs(s->run, s, &point);
    call_bounds(s->run, s, s->asked);
    for (int i = 0; i < s->nw; i++) {
        zw_interval g = s->kept[i].value, p = s->out[i].value;
        double noise = p.high - p.low;
        if (s->asked[i] && open[i] && noise < INFINITY && contains_zero(s, i, p.low, p.high) &&
            g.high - g.low <= ALIKE * noise)
            settle_function(s, c, i);
    }
    memcpy(s->out, s->kept, sizeof(zw_bound) * (size_t)s->nw);
}

static zw_status settle_by_bounds(zw_num_search *s, cell *c, zw_error *err) {
    zw_run *run = s->run;
    bool *open = s->open + c->depth * s->nw;
    for (int i = 0; i < s->nw; i++)
        s->asked[i] = open[i] && !s->watched[i].by_series;
    if (!has_open(s->asked, s->nw))
        return ZW_OK;
    bound_inputs(run, s, c);
    call_bounds(run, s, s->asked);
    bool left = false;
    for (int i = 0; i < s->nw; i++) {
        if (s->asked[i])
            ZW_TRY(settle_by_range(s, c, i, err));
        left |= s->asked[i] && open[i];
    }
    if (!left)
        return ZW_OK;
    if (c->depth >= WORTH_A_BAND)
        settle_by_rounding(s, c);
    ZW_TRY(need_middle(s, c, err));
    for (int i = 0; i < s->nw; i++)
        if (s->asked[i] && open[i])
            ZW_TRY(settle_by_middle(s, c, i, err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ by series */

/* g at the points of a series of n over the cell that are not points of the series of n/2 (all but
 * the ends and the middle, if n is the first) */
static zw_status take_samples(zw_num_search *s, const cell *c, int n, bool first, zw_error *err) {
    zw_run *run = s->run;
    int step = ZW_SERIES_MAX / n;
    double r = (c->b - c->a) / 2;
    for (int j = 1; j < n; j++) {
        if (first ? j == n / 2 : j % 2 == 0)
            continue;
        double at = c->m + r * zw_num_series_point(n, j);
        ZW_TRY(s->set.values(run, time_at(run, at), s->sample + j * step * s->nw, err));
    }
    return ZW_OK;
}

/* Is the series so far from zero that noise in its tail does not matter? The direction of a slip
 * that has just begun is known to a few digits, and so is its force, for cells of any length. */
static bool is_far(const zw_num_search *s, const cell *c, int i, const zw_num_series *series) {
    double size = fabs(series->c[0] - level_near(s, i, series->c[0]));
    return c->depth >= WORTH_NOISE && series->n == ZW_SERIES_MAX &&
           size - zw_num_series_spread(series) > LOST * series->error;
}

/* Does the series through n points represent function i? */
static zw_status fit_one(zw_num_search *s, const cell *c, int i, int n, bool *has, zw_error *err) {
    watched *w = &s->watched[i];
    int step = ZW_SERIES_MAX / n;
    zw_num_series_fit(&w->series, n, s->sample + i, step * s->nw);
    double size = 0;
    for (int k = 0; k <= n; k++)
        size = fmax(size, fabs(w->series.c[k]));
    *has = w->series.error < SERIES_TAIL * size || size == 0 || is_far(s, c, i, &w->series);
    if (!*has && (n == ZW_SERIES_MAX || w->wants_band)) {
        double tiny;
        ZW_TRY(tiny_of(s, c, i, &tiny, err));
        w->wants_band = *has = w->series.error < tiny;
    }
    w->from = *has ? c->a : 1;
    w->to = *has ? c->b : -1;
    return ZW_OK;
}

/* Series over the cell for the requested functions; those that remain requested have none. */
static zw_status fit_series(zw_num_search *s, cell *c, zw_error *err) {
    size_t row = sizeof(double) * (size_t)s->nw;
    ZW_TRY(need_middle(s, c, err));
    memcpy(s->sample, c->gb, row);
    memcpy(s->sample + ZW_SERIES_MAX / 2 * s->nw, c->gm, row);
    memcpy(s->sample + ZW_SERIES_MAX * s->nw, c->ga, row);
    for (int n = 8; n <= ZW_SERIES_MAX && has_open(s->asked, s->nw); n *= 2) {
        ZW_TRY(take_samples(s, c, n, n == 8, err));
        for (int i = 0; i < s->nw; i++) {
            bool has = false;
            if (s->asked[i])
                ZW_TRY(fit_one(s, c, i, n, &has, err));
            if (has)
                s->asked[i] = false;
        }
    }
    s->fits_left--;
    return ZW_OK;
}

static bool is_covering(const watched *w, const cell *c) {
    return w->from <= c->a && w->to >= c->b;
}

/* Settles function i in the cell by its series, if possible. */
static zw_status classify_function(zw_num_search *s, const cell *c, int i, zw_error *err) {
    watched *w = &s->watched[i];
    zw_num_series part = w->series;
    if (w->from < c->a || w->to > c->b) {
        double m = (w->from + w->to) / 2, r = (w->to - w->from) / 2;
        zw_num_series_part(&w->series, (c->a - m) / r, (c->b - m) / r, &part);
    }
    double spread = zw_num_series_spread(&part), middle = part.c[0];
    bool away;
    ZW_TRY(is_away(s, c, i, middle - spread, middle + spread, &away, err));
    bool settled = away || zw_num_series_is_monotone(&part);
    double size = fabs(middle - level_near(s, i, middle)) + spread;
    bool lost =
        size <= LOST * part.error; /* also where it is always 0, like a force without a load */
    if (!settled && (w->wants_band || lost)) {
        double tiny;
        ZW_TRY(tiny_of(s, c, i, &tiny, err));
        w->wants_band = settled = size <= tiny;
        if (!settled && lost) { /* needs a finer series, over a shorter cell */
            w->from = 1;
            w->to = -1;
        }
    }
    if (settled)
        settle_function(s, c, i);
    return ZW_OK;
}

static zw_status settle_by_series(zw_num_search *s, cell *c, zw_error *err) {
    const bool *open = s->open + c->depth * s->nw;
    for (int i = 0; i < s->nw; i++) {
        const watched *w = &s->watched[i];
        s->used_series |= open[i] && w->by_series;
        s->asked[i] = open[i] && w->by_series && !is_covering(w, c);
    }
    if (has_open(s->asked, s->nw) && s->fits_left > 0)
        ZW_TRY(fit_series(s, c, err));
    for (int i = 0; i < s->nw; i++)
        if (open[i] && s->watched[i].by_series && is_covering(&s->watched[i], c))
            ZW_TRY(classify_function(s, c, i, err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- division */

/* Is the cell as short as time is resolved at the ends of the step, from which times within it are
 * computed? */
static bool is_shortest(const zw_run *run, const cell *c) {
    return fabs(c->to - c->from) <= 8 * DBL_EPSILON * fmax(fabs(run->before), fabs(run->now));
}

/* A cell as short as time is resolved: it contains a pole or a jump, or both ends count as zero. */
static zw_status end_shortest(zw_num_search *s, const cell *c, zw_error *err) {
    zw_run *run = s->run;
    for (int i = 0; i < s->nw; i++)
        if (s->open[c->depth * s->nw + i])
            add_credit(s, &s->watched[i].poles);
    return put_end(run, s, c->to, c->gb, err);
}

/* Functions that no method can settle; they are sampled at least. */
static zw_status give_up(zw_num_search *s, const cell *c, zw_error *err) {
    zw_run *run = s->run;
    for (int i = 0; i < s->nw; i++)
        if (s->open[c->depth * s->nw + i]) {
            run->info.undecided++;
            zw_num_warning(run->flow, ZW_WARNING_SEARCH, s == run->search ? i : -1, c->to, NAN);
        }
    for (int j = 1; j < UNDECIDED_SAMPLES; j++) {
        double t = time_at(run, c->a + j * (c->b - c->a) / UNDECIDED_SAMPLES);
        ZW_TRY(s->set.values(run, t, s->sample, err));
        ZW_TRY(put_end(run, s, t, s->sample, err));
    }
    return put_end(run, s, c->to, c->gb, err);
}

/* Are all remaining functions resolved by series, and are the allowed series used up? */
static bool is_spent(const zw_num_search *s, const bool *open) {
    for (int i = 0; i < s->nw; i++)
        if (open[i] && !s->watched[i].by_series)
            return false;
    return s->fits_left <= 0;
}

/* A cell of which open[depth] is not settled yet. */
static zw_status bisect_cell(zw_num_search *s, cell c, zw_error *err) {
    zw_run *run = s->run;
    bool *open = s->open + c.depth * s->nw;
    c.m = c.a + (c.b - c.a) / 2;
    c.gm = s->middle + c.depth * s->nw;
    c.has_middle = false;
    s->cells_left--;
    ZW_TRY(settle_by_bounds(s, &c, err));
    ZW_TRY(settle_by_series(s, &c, err));
    if (!has_open(open, s->nw))
        return put_end(run, s, c.to, c.gb, err);
    if (is_shortest(run, &c))
        return end_shortest(s, &c, err);
    if (c.depth == DEPTH || is_spent(s, open))
        return give_up(s, &c, err);
    ZW_TRY(need_middle(s, &c, err));
    double middle = time_at(run, c.m);
    cell left = {c.a, c.m, c.from, middle, c.ga, c.gm, c.depth + 1, 0, NULL, false};
    cell right = {c.m, c.b, middle, c.to, c.gm, c.gb, c.depth + 1, 0, NULL, false};
    memcpy(open + s->nw, open, sizeof(bool) * (size_t)s->nw);
    ZW_TRY(bisect_cell(s, left, err));
    if (s->set.first && s->met)
        return ZW_OK;
    memcpy(open + s->nw, open, sizeof(bool) * (size_t)s->nw);
    return bisect_cell(s, right, err);
}

/* ------------------------------------------------------------------------------------- a step */

/* Finds the index in y of each entry of x. None if the step has no polynomial: then only functions
 * of time can be bounded. */
static void find_places(const zw_run *run, zw_num_search *s, bool polynomial) {
    const bool *kept = zw_num_partition_kept(run);
    for (int j = 0, i = 0; j < s->nx; j++)
        s->place[j] = !polynomial || (kept && !kept[j]) ? -1 : i++;
}

static const zw_bound unknown = {{-INFINITY, INFINITY}, {-INFINITY, INFINITY}};

static zw_bound constant_bound(double value) {
    return (zw_bound){{value, value}, {0, 0}};
}

static void take_inputs(const zw_run *run, zw_num_search *s) {
    for (int i = 0; i < run->k->nu; i++)
        s->u[i] = run->flow->input ? unknown : constant_bound(run->flow->u[i]);
    for (int i = 0; i < run->k->nmode; i++)
        s->u[run->k->nu + i] = constant_bound(run->flow->mode[i]);
}

void zw_num_search_rounding(zw_run *run, zw_num_search *s, double t, const double *x,
                            double *width) {
    const zw_bound_func *f = s->set.bound;
    if (f->call) {
        take_inputs(run, s);
        s->t = constant_bound(t);
        for (int n = 0; n < f->nx; n++)
            s->x[f->x[n]] = constant_bound(x[f->x[n]]);
        call_bounds(run, s, NULL);
    }
    for (int i = 0; i < s->nw; i++) {
        double w = f->call ? s->out[i].value.high - s->out[i].value.low : 0;
        width[i] = w < INFINITY ? w : 0;
    }
}

/* Finds the functions of arguments that are no polynomials (entries of x or external inputs): they
 * have no bounds if these have none. */
static void find_dependent(const zw_run *run, zw_num_search *s) {
    const zw_bound_func *f = s->set.bound;
    bool any = run->flow->input && run->k->nu > 0;
    take_inputs(run, s);
    for (int n = 0; n < f->nx; n++) {
        int j = f->x[n], i = s->place[j];
        any |= i < 0;
        s->x[j] = i < 0 ? unknown : constant_bound(run->y[i]);
    }
    if (!any)
        return;
    s->t = constant_bound(run->now);
    call_bounds(run, s, NULL);
    for (int i = 0; i < s->nw; i++)
        s->watched[i].no_bounds |= s->out[i].slope.low != 0 || s->out[i].slope.high != 0;
}

/* Which functions can be bounded in this step, and the polynomials for that. */
static zw_status prepare_bounds(zw_run *run, zw_num_search *s, zw_error *err) {
    bool polynomial = run->method->polynomial && !zw_num_leaves_itself(run), any = false;
    s->steps++;
    for (int i = 0; i < s->nw; i++) {
        watched *w = &s->watched[i];
        w->no_bounds = !s->set.bound->call || (s->set.unbounded && s->set.unbounded[i]);
        any |= !w->no_bounds;
    }
    if (any) {
        find_places(run, s, polynomial);
        find_dependent(run, s);
    }
    if (any && polynomial)
        ZW_TRY(run->method->polynomial(run, &s->degree, s->c, err));
    for (int i = 0; i < s->nw; i++) {
        watched *w = &s->watched[i];
        w->by_series = w->no_bounds;
        w->loose_before = w->loose;
        w->blind_before = w->blind > BLIND_MANY + w->poles * BLIND_PER_POLE;
        w->loose = w->blind = w->zeros = w->poles = 0;
        w->from = 1;
        w->to = -1;
    }
    return ZW_OK;
}

/* the functions at the beginning of the search: known if it is the end of the last one */
static zw_status put_beginning(zw_run *run, zw_num_search *s, double a, zw_error *err) {
    zw_num_cells *c = s->cells;
    bool known = c->n > 0 && c->t[c->n] == a && !(run->method->traits & ZW_TRAIT_JUMPS);
    if (known)
        memcpy(c->g, c->g + c->n * s->nw, sizeof(double) * (size_t)s->nw);
    c->n = 0;
    c->t[0] = a;
    return known ? ZW_OK : s->set.values(run, a, c->g, err);
}

/* A function that changes its sign by less than BAND_ZERO bands is set to zero there: that is
 * noise. */
static zw_status suppress_noise(zw_run *run, zw_num_search *s, const int *side, zw_error *err) {
    zw_num_cells *c = s->cells;
    double *last = s->sample; /* last values */
    const double *band;
    for (int i = 0; i < s->nw; i++) {
        double period = s->set.period ? s->set.period[i] : 0, away = period > 0 ? period / 4 : 1;
        last[i] = side[i] == 0 ? c->g[i] : level_near(s, i, c->g[i]) + side[i] * away;
    }
    for (int j = 1; j <= c->n; j++)
        for (int i = 0; i < s->nw; i++) {
            double *g = &c->g[j * s->nw + i], level = level_near(s, i, *g);
            bool changes = lies_between(s, i, last[i], *g);
            if (changes)
                ZW_TRY(s->set.bands(run, c->t[j], &band, err));
            if (changes && fabs(*g - level) <= BAND_ZERO * band[i])
                *g = level;
            if (*g != level)
                last[i] = *g;
        }
    return ZW_OK;
}

zw_status zw_num_search_part(zw_run *run, zw_num_search *s, double a, double b, const int *side,
                             zw_error *err) {
    double *ga = s->middle + (DEPTH + 1) * s->nw, *gb = ga + s->nw;
    ZW_TRY(put_beginning(run, s, a, err));
    memcpy(ga, s->cells->g, sizeof(double) * (size_t)s->nw); /* the memory of the cells may move */
    ZW_TRY(s->set.values(run, b, gb, err));
    ZW_TRY(prepare_bounds(run, s, err));
    s->cells_left = CELLS;
    s->fits_left = FITS;
    s->credits = CREDITS;
    s->used_series = false;
    s->met = false;
    for (int i = 0; i < s->nw; i++)
        s->open[i] = !s->set.idle || !s->set.idle[i];
    const cell whole = {
        .a = place_of(run, a), .b = place_of(run, b), .from = a, .to = b, .ga = ga, .gb = gb};
    ZW_TRY(bisect_cell(s, whole, err));
    run->info.by_series += s->used_series && !s->set.first;
    return suppress_noise(run, s, side, err);
}

/* ------------------------------------------------------------------------------------- events */

static zw_status event_bands(zw_run *run, double t, const double **band, zw_error *err) {
    *band = run->band;
    return zw_num_bands_at(run, t, err);
}

zw_status zw_num_cells_create(zw_run *run, zw_error *err) {
    const zw_kernel *k = run->k;
    if (run->search || k->nevt == 0)
        return ZW_OK;
    const zw_num_set set = {.n = k->nevt,
                            .bound = &k->evt_bound,
                            .unbounded = k->event_holds_z,
                            .period = run->period,
                            .values = zw_num_watch_dense,
                            .bands = event_bands};
    run->search = zw_num_search_create(run, &set, &run->cells);
    return run->search ? ZW_OK : zw_out_of_memory(err, "the search for events");
}

void zw_num_cells_destroy(zw_run *run) {
    zw_num_search_destroy(run, run->search);
    run->search = NULL;
}

zw_status zw_num_cells_find(zw_run *run, double a, double b, zw_error *err) {
    ZW_TRY(zw_num_cells_create(run, err));
    for (int i = 0; i < run->k->nevt; i++)
        run->way[i] = run->watch[i].phase == ZW_EVENT_FREE ? run->watch[i].side : 0;
    return zw_num_search_part(run, run->search, a, b, run->way, err);
}
