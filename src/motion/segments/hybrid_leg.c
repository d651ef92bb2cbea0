/* SPDX-License-Identifier: MIT */
/* A segment: the run reports the pieces of its motion, none of which spans two steps or a kink, and
 * disturbances are integrated over each of them by Gauss collocation (variation.h); those of
 * parameters contain the derivative of the rates,
 *
 *     K_i = J_i (Y + h sum_l a_il K_l) + P_i,     Y <- Y + h sum_i b_i K_i,
 *
 * P_i = df/dp in the columns of parameters. Where the rates jump between two pieces, from f- to f+,
 * because one switching function s has changed its mode,
 *
 *     Y <- Y + (f+ - f-) (s_x Y + s_p)/(s_t + s_x f-).
 *
 * Event functions are watched along the segment. Steps of the method do not resolve them (in free
 * flight one step is the whole flight), so that a piece is halved until the polynomials through the
 * Gauss points predict the functions between these points; extremes are found on
 * the polynomials. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "hybrid.h"
#include "num/flow/flow.h"
#include "num/linear/linalg.h"

zw_status zw_trail_init(zw_trail *v, zw_arena *arena, int nx, int columns, int npar, int stages,
                        zw_error *err) {
    int size = stages * nx;
    *v = (zw_trail){.nx = nx, .npar = npar};
    zw_gauss_init(&v->rule, stages);
    v->Y = ZW_NEW(arena, double, nx *columns + 1);
    v->x = ZW_NEW(arena, double, nx + 1);
    v->J = ZW_NEW(arena, double, size *nx + 1);
    v->Jp = ZW_NEW(arena, double, size *npar + 1);
    v->B = ZW_NEW(arena, double, size *size + 1);
    v->K = ZW_NEW(arena, double, size *columns + 1);
    v->pivot = ZW_NEW(arena, int, size + 1);
    return zw_arena_status(arena, err);
}

/* ---------------------------------------------------------------------------------------- steps */

static zw_status find_derivatives(zw_trail *v, zw_run *run, zw_flow *flow, double t0, double h,
                                  zw_error *err) {
    int nx = v->nx;
    for (int i = 0; i < v->rule.m; i++) {
        double t = t0 + v->rule.c[i] * h;
        ZW_TRY(zw_run_dense(run, t, v->x, err));
        ZW_TRY(zw_num_jacobian(flow, t, v->x, v->J + (size_t)i * (size_t)(nx * nx), nx, err));
        if (v->npar)
            ZW_TRY(zw_flow_in_parameters(flow, t, v->x, v->Jp + (size_t)i * (size_t)(nx * v->npar),
                                         NULL, err));
    }
    return ZW_OK;
}

static void put_matrix(zw_trail *v, double h) {
    int nx = v->nx, m = v->rule.m, size = m * nx;
    for (int i = 0; i < m; i++)
        for (int l = 0; l < m; l++) {
            const double *J = v->J + (size_t)i * (size_t)(nx * nx);
            double factor = h * v->rule.a[i][l];
            for (int r = 0; r < nx; r++) {
                double *row = v->B + (size_t)(i * nx + r) * (size_t)size + (size_t)(l * nx);
                for (int c = 0; c < nx; c++)
                    row[c] = (i == l && r == c) - factor * J[r + c * nx];
            }
        }
}

static void put_sides(zw_trail *v) {
    int nx = v->nx, m = v->rule.m, first = v->n - v->npar;
    for (int j = 0; j < v->n; j++)
        for (int i = 0; i < m; i++) {
            const double *J = v->J + (size_t)i * (size_t)(nx * nx),
                         *Jp = v->Jp + (size_t)i * (size_t)(nx * v->npar);
            double *side = v->K + (size_t)(j * m + i) * (size_t)nx;
            for (int r = 0; r < nx; r++) {
                side[r] = j < first ? 0 : Jp[r * v->npar + j - first];
                for (int c = 0; c < nx; c++)
                    side[r] += J[r + c * nx] * v->Y[c * v->n + j];
            }
        }
}

static zw_status integrate_step(zw_trail *v, zw_run *run, zw_flow *flow, double t0, double t1,
                                zw_error *err) {
    int nx = v->nx, m = v->rule.m;
    double h = t1 - t0;
    ZW_TRY(find_derivatives(v, run, flow, t0, h, err));
    put_matrix(v, h);
    put_sides(v);
    if (!(zw_num_lu(m * nx, v->B, v->pivot) > zw_num_pivot_floor(m * nx)))
        return zw_fail(err, ZW_E_NUMERIC,
                       "the linear equations along the motion have no solution near t = %.10g", t0);
    zw_num_lu_solve(m * nx, v->B, v->pivot, v->n, v->K);
    for (int j = 0; j < v->n; j++)
        for (int i = 0; i < m; i++)
            for (int r = 0; r < nx; r++)
                v->Y[r * v->n + j] += h * v->rule.b[i] * v->K[(j * m + i) * nx + r];
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- jumps */

/* the derivative of a switching function in parameter number i of the kernel, by central
 * differences */
static zw_status slope_in(zw_segmented_leg *leg, int which, int i, double t, double *slope,
                          zw_error *err) {
    double h = leg->steps[i], value[2];
    for (int side = 0; side < 2; side++) {
        ZW_TRY(leg->nudge(leg->nudge_self, i, side ? -h : h, err));
        value[side] = zw_at_switches(leg->beside, t, leg->jump.x, NULL).value[which];
    }
    *slope = (value[0] - value[1]) / (2 * h);
    return leg->nudge(leg->nudge_self, i, 0, err);
}

static void multiply_disturbances(zw_trail *v, int nx, const double *change, const double *slope,
                                  const double *in_parameters, double rate) {
    for (int j = 0; v && j < v->n; j++) {
        double along = j < v->n - v->npar ? 0 : in_parameters[j - v->n + v->npar];
        for (int i = 0; i < nx; i++)
            along += slope[i] * v->Y[i * v->n + j];
        for (int i = 0; i < nx; i++)
            v->Y[i * v->n + j] += change[i] * along / rate;
    }
}

static zw_status apply_rate_jump(zw_segmented_leg *leg, double t, zw_error *err) {
    zw_saltation s;
    ZW_TRY(zw_rate_jump_look(&leg->jump, t, &s, err));
    if (s.which == ZW_RATE_JUMP_NONE)
        return ZW_OK;
    leg->tangled |= s.which < 0 || !s.straight;
    if (s.which < 0)
        return ZW_OK;
    int nx = leg->k->nx, npar = leg->trail->npar;
    zw_arena_mark mark = zw_arena_mark_now(leg->arena);
    double *slope = ZW_NEW(leg->arena, double, nx + npar + 1);
    if (!slope)
        return zw_out_of_memory(err, NULL);
    double *by_parameter = slope + nx;
    memcpy(slope, s.slope, sizeof(double) * (size_t)nx); /* the flow is evaluated again */
    for (int i = 0; i < npar; i++)
        ZW_TRY(slope_in(leg, s.which, i, t, &by_parameter[i], err));
    multiply_disturbances(leg->trail, nx, s.change, slope, by_parameter, s.rate);
    multiply_disturbances(leg->check, nx, s.change, slope, by_parameter, s.rate);
    leg->jumps++;
    zw_arena_release(leg->arena, mark);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ event functions */

enum { POINTS = 8, GRID = 32, REFINE = 12, SHALLOWEST = 1, DEEPEST = 14, CELLS = 4000 };
/* Relative to its values: a function, or the slope of a polynomial, that varies by less is constant
 * (450 eps). */
#define FUNCTION_CONSTANT ZW_ROUNDOFF_VALUE
/* Relative to the size of a function: error of the polynomial that represents it. Distances from
 * grazing are zeros of Newton's method, and are located to 1e-10. */
#define POLYNOMIAL_ERROR 1e-10
/* Relative to the same: a larger error is no round-off, and the cell is halved further. */
#define POLYNOMIAL_NOISE 1e-8
/* A halved cell whose error is larger than that of the whole times this factor has only round-off;
 * in exact arithmetic the factor is 2^-POINTS. */
#define HALVING_GAIN 0.25

/* the Lagrange polynomial l of the points at s, and its slope */
static double evaluate_lagrange(const zw_segmented_watch *w, int l, double s, double *slope) {
    double L = 1;
    *slope = 0;
    for (int k = 0; k < POINTS; k++) {
        if (k == l)
            continue;
        double d = w->inverse[l * POINTS + k], away = (s - w->rule.c[k]) * d;
        *slope = *slope * away + L * d;
        L *= away;
    }
    return L;
}

zw_status zw_segmented_watch_init(zw_segmented_watch *w, zw_arena *arena, int nx, int n,
                                  zw_error *err) {
    w->n = n;
    w->arena = arena;
    zw_gauss_init(&w->rule, POINTS);
    w->x = ZW_NEW(arena, double, nx + 1);
    w->grid = ZW_NEW(arena, double, (GRID + 1) * POINTS);
    w->inverse = ZW_NEW(arena, double, POINTS *POINTS);
    w->value = ZW_NEW(arena, double, POINTS *n + 1);
    w->slope = ZW_NEW(arena, double, n + 1);
    w->ends = ZW_NEW(arena, double, 2 * n + 1);
    w->asked = ZW_NEW(arena, double, n + 1);
    w->largest = ZW_NEW(arena, double, n + 1);
    w->misfit = ZW_NEW(arena, double, n + 1);
    w->own = ZW_NEW(arena, double, n + 1);
    w->most = ZW_NEW(arena, double, n + 1);
    w->steepest = ZW_NEW(arena, double, n + 1);
    w->list = ZW_NEW(arena, zw_segmented_extreme *, n + 1);
    w->count = ZW_NEW(arena, int, n + 1);
    w->capacity = ZW_NEW(arena, int, n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int l = 0; l < POINTS; l++)
        for (int k = 0; k < POINTS; k++)
            w->inverse[l * POINTS + k] = k == l ? 0 : 1 / (w->rule.c[l] - w->rule.c[k]);
    for (int g = 0; g <= GRID; g++)
        for (int l = 0; l < POINTS; l++)
            evaluate_lagrange(w, l, (double)g / GRID, &w->grid[g * POINTS + l]);
    return ZW_OK;
}

void zw_segmented_watch_begin(zw_segmented_watch *w) {
    w->begun = w->failed = false;
    w->cells = 0;
    for (int i = 0; i < w->n; i++) {
        w->count[i] = 0;
        w->most[i] = w->steepest[i] = 0;
    }
}

static void add_extreme(zw_segmented_watch *w, int i, double t, double value, int kind) {
    if (!zw_arena_grow(w->arena, (void **)&w->list[i], w->count[i], &w->capacity[i],
                       sizeof **w->list)) {
        w->failed = true;
        return;
    }
    w->list[i][w->count[i]++] = (zw_segmented_extreme){t, value, kind};
    w->most[i] = fmax(w->most[i], fabs(value));
}

/* the polynomial of function i at s, and its slope */
static double evaluate_polynomial(const zw_segmented_watch *w, int i, double s, double *slope) {
    double value = 0, own;
    *slope = 0;
    for (int l = 0; l < POINTS; l++) {
        value += w->value[l * w->n + i] * evaluate_lagrange(w, l, s, &own);
        *slope += w->value[l * w->n + i] * own;
    }
    return value;
}

static bool is_flat(const zw_segmented_watch *w, int i) {
    double low = INFINITY, high = -INFINITY;
    for (int l = 0; l < POINTS; l++) {
        low = fmin(low, w->value[l * w->n + i]);
        high = fmax(high, w->value[l * w->n + i]);
    }
    return high - low <= FUNCTION_CONSTANT * fmax(fabs(low), fabs(high));
}

/* the functions at t; *value: that of number i */
static zw_status evaluate_function(zw_segmented_watch *w, zw_run *run, double t, double *value,
                                   zw_error *err) {
    ZW_TRY(zw_run_dense(run, t, w->x, err));
    return w->function(w->self, w->stage, t, w->x, value, err);
}

/* the place between two grid points where the polynomial of function i has slope zero */
static double find_extreme(const zw_segmented_watch *w, int i, double low, double high, double left,
                           double right) {
    double size = fabs(left) + fabs(right), mid = low, slope;
    for (int k = 0; k < REFINE; k++) { /* the Illinois method */
        mid = (low * right - high * left) / (right - left);
        evaluate_polynomial(w, i, mid, &slope);
        if (fabs(slope) <= FUNCTION_CONSTANT * size)
            break;
        if (slope * right > 0) {
            high = mid;
            right = slope;
            left /= 2;
        } else {
            low = mid;
            left = slope;
            right /= 2;
        }
    }
    return mid;
}

/* extremes of function i in the cell: at the places of those of the polynomial, with the values of
 * the function */
static zw_status find_extremes(zw_segmented_watch *w, zw_run *run, int i, double t0, double h,
                               zw_error *err) {
    double before, at, first = w->ends[i];
    evaluate_polynomial(w, i, 0, &before);
    if (!w->begun)
        add_extreme(w, i, t0, first, 0);
    else if (w->slope[i] * before < 0)
        add_extreme(w, i, t0, first, before < 0 ? 1 : -1);
    bool flat = is_flat(w, i);
    for (int g = 1; g <= GRID && !flat; g++) {
        at = 0;
        for (int l = 0; l < POINTS; l++)
            at += w->value[l * w->n + i] * w->grid[g * POINTS + l];
        w->steepest[i] = fmax(w->steepest[i], fabs(at) / h);
        if (before * at < 0) {
            double s = find_extreme(w, i, (double)(g - 1) / GRID, (double)g / GRID, before, at);
            ZW_TRY(evaluate_function(w, run, t0 + s * h, w->asked, err));
            add_extreme(w, i, t0 + s * h, w->asked[i], before > 0 ? 1 : -1);
        }
        before = at;
    }
    w->slope[i] = flat ? 0 : before;
    return ZW_OK;
}

/* error of the polynomials between their points, relative to the sizes of the functions */
static zw_status find_misfit(zw_segmented_watch *w, zw_run *run, double t0, double h,
                             double *misfit, zw_error *err) {
    static const double compare_at[] = {0, 1, 0.055, 0.31, 0.5, 0.74, 0.93};
    double slope;
    *misfit = 0;
    for (int l = 0; l < POINTS; l++) {
        double *value = w->value + (size_t)(l * w->n);
        ZW_TRY(evaluate_function(w, run, t0 + w->rule.c[l] * h, value, err));
        for (int i = 0; i < w->n; i++)
            w->most[i] = fmax(w->most[i], fabs(value[i]));
    }
    for (size_t c = 0; c < sizeof compare_at / sizeof *compare_at; c++) {
        double *value = c < 2 ? w->ends + (size_t)((int)c * w->n) : w->asked;
        ZW_TRY(evaluate_function(w, run, t0 + compare_at[c] * h, value, err));
        for (int i = 0; i < w->n; i++) {
            w->most[i] = fmax(w->most[i], fabs(value[i]));
            double off = fabs(evaluate_polynomial(w, i, compare_at[c], &slope) - value[i]);
            w->largest[i] = fmax(w->largest[i], w->most[i]);
            w->own[i] = c ? fmax(w->own[i], off) : off;
            if (off > 0)
                *misfit = fmax(*misfit, off / w->largest[i]);
        }
    }
    return ZW_OK;
}

/* Halves a cell until polynomials represent the functions. If halves are no better than the whole,
 * the error is round-off, or the function has no polynomials. */
static zw_status watch_cell(zw_segmented_watch *w, zw_run *run, double t0, double t1, int depth,
                            double before, zw_error *err) {
    double misfit, h = t1 - t0;
    ZW_TRY(find_misfit(w, run, t0, h, &misfit, err));
    bool rounding = depth >= 3 && misfit < POLYNOMIAL_NOISE && misfit > HALVING_GAIN * before;
    if ((misfit > POLYNOMIAL_ERROR && !rounding && depth < DEEPEST && w->cells < CELLS) ||
        depth < SHALLOWEST) {
        double middle = t0 + h / 2;
        ZW_TRY(watch_cell(w, run, t0, middle, depth + 1, misfit, err));
        return watch_cell(w, run, middle, t1, depth + 1, misfit, err);
    }
    w->cells++;
    for (int i = 0; i < w->n; i++) {
        w->misfit[i] = fmax(w->misfit[i], w->own[i]);
        if (w->begun && w->count[i] > 1 && w->list[i][w->count[i] - 1].kind == 0)
            w->count[i]--; /* the end of the previous cell */
        ZW_TRY(find_extremes(w, run, i, t0, h, err));
        add_extreme(w, i, t1, w->ends[w->n + i], 0);
    }
    w->begun = true;
    return w->failed ? zw_out_of_memory(err, NULL) : ZW_OK;
}

zw_status zw_segmented_watch_piece(zw_segmented_watch *w, zw_run *run, double t0, double t1,
                                   zw_error *err) {
    return watch_cell(w, run, t0, t1, 0, INFINITY, err);
}

/* Of a strict function the least value on the segment, except for ends at zero. Of other functions
 * a minimum counts where the function is positive on both sides, a maximum where it is negative: if
 * it crosses zero there, an event appears. */
double zw_segmented_watch_least(const zw_segmented_watch *w, int i, double size, bool strict) {
    double least = NAN, none = ZW_ROUNDOFF_SOLVED * size;
    int first = 0, last = w->count[i] - 1; /* near ends at zero there is round-off */
    while (first < last && fabs(w->list[i][first].value) <= none)
        first++;
    while (last > first && fabs(w->list[i][last].value) <= none)
        last--;
    for (int k = first; strict && k <= last; k++) {
        const zw_segmented_extreme *e = &w->list[i][k];
        bool end = k == 0 || k + 1 == w->count[i];
        if ((end && fabs(e->value) > none) || (!end && e->kind < 0))
            least = isnan(least) ? e->value : fmin(least, e->value);
    }
    if (strict)
        return least / size;
    for (int k = 1; k + 1 < w->count[i]; k++) {
        const zw_segmented_extreme *e = &w->list[i][k];
        if (e->kind == 0)
            continue;
        double own = -e->kind * e->value, left = -e->kind * w->list[i][k - 1].value,
               right = -e->kind * w->list[i][k + 1].value;
        if (left > none && right > none && left > own + none && right > own + none)
            least = isnan(least) ? own : fmin(least, own);
    }
    return least / size;
}

/* --------------------------------------------------------------------------------------- pieces */

enum { PARTS = 16 };          /* of a period, at least, in integrals over it */
enum { MOST_PIECES = 20000 }; /* of a segment: beyond, Newton's method has diverged */

/* Steps may be long compared with harmonics and changes of observables: records parts of them. */
static zw_status record_parts(zw_record *r, zw_run *run, double t0, double t1, zw_error *err) {
    double part = (t1 - t0) / r->out->period;
    int n = 1 + (int)fmin((PARTS + r->out->harmonics) * part, 4 * (PARTS + r->out->harmonics));
    for (int i = 0; i < n; i++)
        ZW_TRY(zw_record_piece(r, run, t0 + (t1 - t0) * i / n,
                               i + 1 < n ? t0 + (t1 - t0) * (i + 1) / n : t1, err));
    return ZW_OK;
}

static zw_status on_piece(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_segmented_leg *leg = user;
    if (++leg->pieces > MOST_PIECES)
        return zw_fail(err, ZW_E_NUMERIC, "a segment takes more than %d steps", MOST_PIECES);
    if (!(t1 > t0))
        return ZW_OK;
    if (leg->trail) {
        if (leg->k->nmode > 0)
            ZW_TRY(apply_rate_jump(leg, t0, err));
        ZW_TRY(integrate_step(leg->trail, run, leg->flow, t0, t1, err));
        if (leg->check)
            ZW_TRY(integrate_step(leg->check, run, leg->flow, t0, t1, err));
        if (leg->k->nmode > 0)
            ZW_TRY(zw_rate_jump_remember(&leg->jump, t1, err));
    }
    if (leg->watch)
        ZW_TRY(zw_segmented_watch_piece(leg->watch, run, t0, t1, err));
    if (leg->part)
        ZW_TRY(leg->part(leg->part_self, run, t0, t1, err));
    return leg->record ? record_parts(leg->record, run, t0, t1, err) : ZW_OK;
}

zw_status zw_segmented_leg_run_to(zw_segmented_leg *leg, double t0, const double *x, double t1,
                                  const bool *acts, int *event, double *t, double *end,
                                  zw_error *err) {
    int met = 0;
    leg->jump.run = leg->run;
    leg->jump.flow = leg->flow;
    leg->jump.k = leg->k;
    leg->jump.fresh = true;
    leg->pieces = 0;
    zw_run_on_piece(leg->run, on_piece, leg);
    ZW_TRY(zw_run_start(leg->run, t0, x, err));
    if (leg->side)
        zw_run_arm(leg->run, leg->side, false);
    zw_run_lead_to(leg->run, t1);
    zw_status status = ZW_EVENT;
    *event = -1;
    while (status == ZW_EVENT && *event < 0) {
        int reported;
        status = zw_run_advance(leg->run, t1, &reported, err);
        if (status == ZW_EVENT && acts && acts[reported])
            *event = reported;
        if (++met > MOST_PIECES)
            status =
                zw_fail(err, ZW_E_NUMERIC, "a segment passes more than %d events", MOST_PIECES);
    }
    zw_run_on_piece(leg->run, NULL, NULL);
    if (status < 0)
        return status;
    *t = *event < 0 ? t1 : zw_run_time(leg->run);
    memcpy(end, zw_run_state(leg->run), sizeof(double) * (size_t)leg->k->nx);
    return ZW_OK;
}

/* the end of the segment is its event; others do not act in it */
zw_status zw_segmented_leg_run(zw_segmented_leg *leg, double t0, const double *x, double t1,
                               double *end, zw_error *err) {
    int event;
    double t;
    return zw_segmented_leg_run_to(leg, t0, x, t1, NULL, &event, &t, end, err);
}

/* --------------------------------------------------------------------------------- accumulation */

enum { SHRUNK = 12 }; /* consecutive intervals */

/* Relative to the time since they shrink: remaining time until the intervals have added up. */
#define REMAINING_TIME 1e-6
/* Ratio of consecutive intervals that shrink: then they add up to at most a thousand of them. */
#define SHRINK_RATIO 0.999

bool zw_accumulates(zw_accumulation *a, int event, double t, double *end) {
    double interval = t - a->last, ratio = interval / a->interval;
    bool shrinks = a->last_event == event && a->interval > 0 && ratio < SHRINK_RATIO;
    if (!shrinks) {
        a->shrinking = 0;
        a->first = t;
    } else {
        a->shrinking++;
    }
    a->interval = a->last_event >= 0 ? interval : INFINITY;
    a->last = t;
    a->last_event = event;
    double left = interval * ratio / (1 - ratio);
    *end = t + left;
    return a->shrinking >= SHRUNK && left <= REMAINING_TIME * (t - a->first);
}

/* ------------------------------------------------------------------------------------ backwards */

/* x at t0 + h, by one step of the classical Runge-Kutta method */
static zw_status step_state(zw_flow *flow, int nx, double t0, const double *x, double h,
                            double *end, double *work, zw_error *err) {
    static const double at[4] = {0, 0.5, 0.5, 1}, part[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double *rate = work, *there = work + nx;
    memcpy(end, x, sizeof(double) * (size_t)nx);
    memset(rate, 0, sizeof(double) * (size_t)nx);
    for (int i = 0; i < 4; i++) {
        for (int r = 0; r < nx; r++)
            there[r] = x[r] + at[i] * h * rate[r];
        ZW_TRY(zw_flow_rates(flow, t0 + at[i] * h, there, rate, NULL, err));
        for (int r = 0; r < nx; r++)
            end[r] += h * part[i] * rate[r];
    }
    return ZW_OK;
}

/* Y <- Y + h (J (Y + h/2 (J Y + P)) + P), with J and P in the middle */
static void step_trail(zw_trail *v, double h, double *work) {
    int nx = v->nx, first = v->n - v->npar;
    for (int j = 0; j < v->n; j++) {
        double *rate = work, *middle = work + nx;
        memset(rate, 0, sizeof(double) * (size_t)nx);
        for (int i = 0; i < 2; i++) {
            for (int r = 0; r < nx; r++)
                middle[r] = v->Y[r * v->n + j] + h / 2 * rate[r];
            for (int r = 0; r < nx; r++) {
                rate[r] = j < first ? 0 : v->Jp[r * v->npar + j - first];
                for (int c = 0; c < nx; c++)
                    rate[r] += v->J[r + c * nx] * middle[c];
            }
        }
        for (int r = 0; r < nx; r++)
            v->Y[r * v->n + j] += h * rate[r];
    }
}

zw_status zw_segmented_leg_back(zw_segmented_leg *leg, double t0, const double *x, double t1,
                                double *end, zw_error *err) {
    int nx = leg->k->nx;
    double h = t1 - t0;
    zw_arena_mark mark = zw_arena_mark_now(leg->arena);
    double *work = ZW_NEW(leg->arena, double, 3 * nx + 1);
    if (!work)
        return zw_out_of_memory(err, NULL);
    double *middle = work + 2 * nx;
    zw_status status = step_state(leg->flow, nx, t0, x, h / 2, middle, work, err);
    for (int i = 0; i < 2 && status == ZW_OK; i++) {
        zw_trail *v = i ? leg->check : leg->trail;
        if (!v)
            continue;
        status = zw_num_jacobian(leg->flow, t0 + h / 2, middle, v->J, nx, err);
        if (status == ZW_OK && v->npar)
            status = zw_flow_in_parameters(leg->flow, t0 + h / 2, middle, v->Jp, NULL, err);
        if (status == ZW_OK)
            step_trail(v, h, work);
    }
    if (status == ZW_OK)
        status = step_state(leg->flow, nx, t0, x, h, end, work, err);
    zw_arena_release(leg->arena, mark);
    return status;
}
