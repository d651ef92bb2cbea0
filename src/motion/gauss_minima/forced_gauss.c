/* SPDX-License-Identifier: MIT */
/* Forced motions as minima of the Gaussian over a period, and which minima are no motions: those
 * whose value stays above zero when harmonics are added, without an orbit near them, and those that
 * a bound holds with a force that no wall has. */
#include "forced_gauss.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "motion/harmonic/balance.h"

/* relative to G: error of the integral that gives a warning (its sentence contains the number); the
 * minimisation aims at 1e-9 */
#define INTEGRAL_INACCURATE 1e-6
/* SI: error of the integral without a warning, however small G is: rounding at a motion, where G is
 * zero */
#define ERROR_NEGLIGIBLE 1e-20
/* relative to 1 + their size: distance of minima under bounds that are the same; they are known to
 * half of the digits of G, 1e-5 for the default gap */
#define SAME_MINIMUM 1e-5

void zw_forced_gauss_options_init(zw_forced_gauss_options *options, size_t size) {
    const zw_forced_gauss_options all = {
        .size = size, .harmonics = 1, .points = 30, .iterations = 500};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- set-up */

zw_status zw_forced_gauss_integral(zw_forced_gauss *g, int samples, bool even,
                                   zw_gauss_integral **out, zw_error *err) {
    zw_gauss_integral_options o = zw_gauss_integral_options_default();
    o.nharmonic = g->nharmonic;
    o.harmonic = g->harmonic;
    o.samples = samples;
    o.weight = g->options.weight;
    o.method = g->options.method;
    o.iterations = g->options.iterations;
    o.switches = even ? NULL : g->switches;
    return zw_gauss_integral_create(out, g->f->lanes, g->f->p, &o, zw_forced_gauss_set, g, err);
}

/* creates the kernel of the switching functions, if forces have kinks that can be located */
static zw_status create_switches(zw_forced_gauss *g, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    o.functions = 0;
    o.lanes = 8;
    o.modes = true;
    ZW_TRY(zw_kernel_create(&g->switches, &g->f->eq, &o, err));
    if (g->switches->nswitch > 0)
        return zw_kernel_require(g->switches, ZW_SET(SWITCHES) | ZW_SET(SWITCH_RATE), err);
    zw_kernel_destroy(g->switches);
    g->switches = NULL;
    return ZW_OK;
}

/* Second derivatives distinguish minima from saddles; without them, as with kinks, a result is only
 * a stationary point. */
static zw_status require_derivatives(zw_forced_gauss *g, zw_error *err) {
    zw_kernel *k = g->f->lanes;
    zw_error failure = {0};
    zw_status status = zw_kernel_require(k, ZW_SET(SECOND), &failure);
    if (status == ZW_E_MEMORY || (status < 0 && g->options.method == ZW_GAUSS_NEWTON)) {
        if (err && !err->status)
            *err = failure;
        return status;
    }
    return g->options.nbound > 0 ? zw_kernel_require(k, ZW_SET(OBS) | ZW_SET(OBS_JAC), err) : ZW_OK;
}

static zw_status build_integral(zw_forced_gauss *g, zw_error *err) {
    const zw_forced_gauss_options *o = &g->options;
    if (o->harmonics < 1)
        return zw_fail(err, ZW_E_OPTION, "a trial motion has one harmonic at least");
    ZW_TRY(zw_forced_reject_winding(g->f, "--gauss", err));
    ZW_TRY(zw_forced_reject_events(g->f, "--gauss", err));
    ZW_TRY(require_derivatives(g, err));
    g->harmonic =
        zw_forced_list_harmonics(g->f, &g->arena, o->harmonics, g->f->options.odd, &g->nharmonic);
    if (!g->harmonic)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(create_switches(g, err));
    ZW_TRY(zw_forced_gauss_integral(g, o->samples, false, &g->integral, err));
    g->n = zw_gauss_integral_unknowns(g->integral);
    g->per_function = zw_gauss_integral_coefficients(g->integral);
    ZW_TRY(zw_forced_gauss_read_slopes(g, err));
    return zw_forced_gauss_read(g, err);
}

zw_status zw_forced_gauss_create(zw_forced_gauss **out, zw_forced *f,
                                 const zw_forced_gauss_options *options, zw_error *err) {
    assert(out);
    zw_allocator alloc = f->arena.alloc;
    zw_forced_gauss *g = zw_allocate(&alloc, sizeof *g);
    zw_status status = ZW_OK;
    *out = NULL;
    if (!g)
        return zw_out_of_memory(err, NULL);
    *g = (zw_forced_gauss){
        .f = f, .options = zw_forced_gauss_options_default(), .value = NAN, .displaced = -1};
    zw_arena_init(&g->arena, &alloc);
    zw_arena_init(&g->found, &alloc);
    if (options)
        status = zw_options_adopt(&g->options, sizeof g->options, options,
                                  "zw_forced_gauss_options", err);
    if (status >= 0)
        status = zw_forced_tones_reject(f, "--gauss", err);
    if (status >= 0)
        status = build_integral(g, err);
    if (status < 0)
        zw_forced_gauss_destroy(g);
    else
        *out = g;
    return status;
}

void zw_forced_gauss_destroy(zw_forced_gauss *g) {
    if (!g)
        return;
    zw_allocator alloc = g->arena.alloc;
    zw_gauss_integral_destroy(g->integral);
    zw_kernel_destroy(g->switches);
    zw_arena_clear(&g->found);
    zw_arena_clear(&g->arena);
    zw_release(&alloc, g, sizeof *g);
}

/* --------------------------------------------------------------------------------------- minima */

static double *copy_values(zw_arena *arena, int n, const double *from) {
    double *to = ZW_NEW(arena, double, n + 1);
    if (to && from)
        memcpy(to, from, sizeof(double) * (size_t)n);
    return to;
}

static zw_forced_minimum *add_minimum(zw_forced_gauss *g, const double *x) {
    if (!zw_arena_grow(&g->found, (void **)&g->list, g->nminimum, &g->capacity, sizeof *g->list))
        return NULL;
    double *own = copy_values(&g->found, g->n, x);
    if (!own)
        return NULL;
    g->list[g->nminimum] = (zw_forced_minimum){.starts = 1, .x = own};
    return &g->list[g->nminimum++];
}

/* arrays of the integral are valid up to its next minimisation */
static bool copy_bound(zw_forced_gauss *g, zw_forced_minimum *m, const zw_gauss_bounded *b) {
    int all = b->nall * g->options.nbound;
    m->bound = *b;
    m->result = b->result;
    m->bounded = b->touches;
    m->bound.tau = copy_values(&g->found, b->n, b->tau);
    m->bound.slack = copy_values(&g->found, b->n, b->slack);
    m->bound.multiplier = copy_values(&g->found, b->n, b->multiplier);
    m->bound.force = copy_values(&g->found, b->n, b->force);
    m->bound.all_slack = copy_values(&g->found, all, b->all_slack);
    m->bound.all_force = copy_values(&g->found, all, b->all_force);
    return !g->found.failed;
}

static zw_forced_minimum *find_minimum(const zw_forced_gauss *g, const double *x) {
    for (int i = 0; i < g->nminimum; i++) {
        double distance = 0, size = 0;
        for (int k = 0; k < g->n; k++) {
            distance += (x[k] - g->list[i].x[k]) * (x[k] - g->list[i].x[k]);
            size += x[k] * x[k];
        }
        if (sqrt(distance) <= SAME_MINIMUM * (1 + sqrt(size)))
            return &g->list[i];
    }
    return NULL;
}

zw_gauss_bound_options zw_forced_gauss_bounds(const zw_forced_gauss *g) {
    zw_gauss_bound_options o = zw_gauss_bound_options_default();
    o.nbound = g->options.nbound;
    o.bound = g->bound;
    o.points = g->options.points;
    o.whole = g->options.whole;
    o.solver = g->options.solver;
    return o;
}

/* the minimum under bounds from x, which becomes the minimum */
static zw_status find_bounded(zw_forced_gauss *g, double *x, zw_error *err) {
    zw_gauss_bound_options o = zw_forced_gauss_bounds(g);
    zw_gauss_bounded b;
    ZW_TRY(zw_gauss_integral_minimise_bounded(g->integral, x, g->value, &o, &b, err));
    zw_forced_minimum *m = find_minimum(g, x);
    if (m) {
        m->starts++;
        return ZW_OK;
    }
    m = add_minimum(g, x);
    return m && copy_bound(g, m, &b) ? ZW_OK : zw_out_of_memory(err, NULL);
}

static zw_status find_under_bounds(zw_forced_gauss *g, int nfree, const double *starts,
                                   zw_error *err) {
    double *x = ZW_NEW(&g->found, double, g->n + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    int given = g->options.nstart + 1;
    for (int i = 0; i < given + nfree; i++) {
        const double *from =
            i < given ? g->given + (size_t)(i * g->n) : starts + (size_t)((i - given) * g->n);
        memcpy(x, from, sizeof(double) * (size_t)g->n);
        ZW_TRY(find_bounded(g, x, err));
    }
    return ZW_OK;
}

static void choose_starts(const zw_forced_gauss *g, zw_gauss_starts *from) {
    double width = 0;
    for (int i = 0; i < g->f->sys->nq; i++)
        width = fmax(width, g->f->width[i]);
    *from = zw_gauss_starts_default();
    from->halton = g->options.starts;
    from->grid = g->options.grid;
    from->origin = false; /* the last of `given` is rest where the model starts */
    from->given = g->options.nstart + 1;
    from->start = g->given;
    from->high = g->options.box > 0 ? g->options.box : 2 * width;
    from->low = -from->high;
}

static zw_status find_free(zw_forced_gauss *g, const zw_gauss_minimum *list, int n, zw_error *err) {
    for (int i = 0; i < n; i++) {
        zw_forced_minimum *m = add_minimum(g, list[i].x);
        if (!m)
            return zw_out_of_memory(err, NULL);
        m->result = list[i].result;
        m->starts = list[i].starts;
    }
    return ZW_OK;
}

/* copies the minima without bounds as starts: the integral does not keep them */
static double *copy_starts(zw_forced_gauss *g, const zw_gauss_minimum *list, int n) {
    double *x = ZW_NEW(&g->found, double, n * g->n + 1);
    for (int i = 0; x && i < n; i++)
        memcpy(x + (size_t)(i * g->n), list[i].x, sizeof(double) * (size_t)g->n);
    return x;
}

static void clear_minima(zw_forced_gauss *g, double value) {
    zw_allocator alloc = g->arena.alloc;
    zw_arena_clear(&g->found);
    zw_arena_init(&g->found, &alloc);
    g->list = NULL;
    g->nminimum = g->capacity = 0;
    g->inaccurate = g->along ? g->inaccurate : 0;
    g->value = value;
}

void zw_forced_gauss_note_error(zw_forced_gauss *g, const zw_forced_minimum *m) {
    const zw_gauss_result *r = &m->result;
    double relative_error = r->error / (r->value + r->defect);
    if (!(relative_error > INTEGRAL_INACCURATE) || r->error <= ERROR_NEGLIGIBLE)
        return;
    g->inaccurate++;
    g->inaccurate_error = fmax(g->inaccurate_error, relative_error);
}

zw_status zw_forced_gauss_judge(zw_forced_gauss *g, zw_forced_minimum *m, zw_error *err) {
    if (m->bounded) {
        m->verdict = m->bound.broken ? ZW_GAUSS_GHOST : ZW_GAUSS_NOT_CONVERGED;
        return ZW_OK;
    }
    ZW_TRY(zw_gauss_integral_judge(g->integral, m->x, g->value, 0, &m->judgement, err));
    m->verdict = m->judgement.verdict;
    return ZW_OK;
}

zw_status zw_forced_gauss_find(zw_forced_gauss *g, double value, zw_error *err) {
    zw_gauss_starts from;
    const zw_gauss_minimum *list;
    int n;
    double w, slope;
    clear_minima(g, value);
    choose_starts(g, &from);
    ZW_TRY(zw_forced_set(g->f, value, g->f->now, &w, &slope, err));
    ZW_TRY(zw_forced_gauss_limits(g, err));
    ZW_TRY(zw_gauss_integral_search(g->integral, value, &from, &list, &n, err));
    if (g->options.nbound > 0) {
        double *starts = copy_starts(g, list, n);
        if (!starts)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(find_under_bounds(g, n, starts, err));
    } else {
        ZW_TRY(find_free(g, list, n, err));
    }
    for (int i = 0; i < g->nminimum; i++) {
        ZW_TRY(zw_forced_gauss_judge(g, &g->list[i], err));
        if (!g->along)
            zw_forced_gauss_note_error(g, &g->list[i]);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- results */

int zw_forced_gauss_minima(const zw_forced_gauss *g) {
    return g->nminimum;
}

const zw_forced_minimum *zw_forced_gauss_minimum(const zw_forced_gauss *g, int number) {
    assert(number >= 0 && number < zw_forced_gauss_minima(g));
    return &g->list[number];
}

int zw_forced_gauss_motions(const zw_forced_gauss *g) {
    int n = 0;
    for (int i = 0; i < g->nminimum; i++)
        n += g->list[i].verdict == ZW_GAUSS_MOTION;
    return n;
}

double zw_forced_gauss_rms(const zw_forced_gauss *g, int number, int function) {
    assert(number >= 0 && number < zw_forced_gauss_minima(g));
    return zw_gauss_integral_rms(g->integral, g->list[number].x, function);
}

int zw_forced_gauss_coefficients(const zw_forced_gauss *g) {
    return g->n;
}

void zw_forced_gauss_warnings(int n, zw_forced_gauss *const *g, zw_warnings *out) {
    int rows = 0, unconverged = 0, inaccurate = 0, ghosts = 0, unsure = 0;
    double error = 0;
    for (int k = 0; k < n; k++) {
        rows += g[k]->rows;
        unconverged += g[k]->unconverged;
        ghosts += g[k]->ghosts;
        unsure += g[k]->unsure;
        inaccurate += g[k]->inaccurate;
        error = fmax(error, g[k]->inaccurate_error);
        for (int i = 0; i < g[k]->nminimum && !g[k]->along; i++)
            unconverged += !g[k]->list[i].result.converged;
    }
    if (unconverged) {
        zw_warning d =
            zw_warning_of("minimum", NAN,
                          "%d minimisation%s did not converge: the best points found are reported",
                          unconverged, unconverged == 1 ? "" : "s");
        zw_warning_hint(&d, "another --minimiser, or another --start");
        zw_warnings_add(out, &d);
    }
    if (inaccurate) {
        zw_warning d =
            zw_warning_of("integral", NAN,
                          "G is not accurate to 1e-6 at %d of the minima: its relative error is "
                          "up to about %.1e",
                          inaccurate, error);
        zw_warning_hint(&d, "increase --samples");
        zw_warnings_add(out, &d);
    }
    if (ghosts + unsure) {
        zw_warning d = zw_warning_of("motion", NAN,
                                     "of %d minima %d are no motions, and of %d it is not certain",
                                     rows, ghosts, unsure);
        zw_warning_hint(&d, "the column motion shows which; use zwang response to follow motions");
        zw_warnings_add(out, &d);
    }
}
