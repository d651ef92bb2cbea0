/* SPDX-License-Identifier: MIT */
/* Is a minimum of G_int a motion? Two criteria, neither of which is a proof.
 *
 * 1. Trial functions with harmonics to 2 h + 1 instead of h contain those before, so that a
 *    minimum found from the last one cannot rise. For a smooth motion G_int falls faster than any
 *    power of the highest harmonic, with kinks of the forces like a power; for a ghost it stays
 *    above zero (STAGNATES).
 * 2. Newton and Kantorovich: with the residual r(y) = 0 of harmonic balance at the last level
 *    (multipliers included, as series), the Newton steps s_1 = |r'^-1 r|, s_2 from the minimum
 *    estimate the distance to a solution by s_1/(1 - s_2/s_1), if s_2 < s_1. Further steps find the
 *    solution, or not. An orbit is near if its distance is at most ORBIT_NEAR of the size of the
 *    minimum without means: far from zero everything would be near otherwise.
 * G_int includes the weighted squares of violated constraints, so that a wrong length is no motion
 * however small the rest is.
 *
 * A motion: an orbit is near, and G_int does not stagnate. A ghost: G_int stagnates, and no orbit
 * is near. Otherwise the minimum remains undecided. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "gauss_integral_parts.h"

/* G_int relative to the level before: with twice the harmonics that of a motion falls by more than
 * a tenth, even with kinks */
#define STAGNATES 0.9
/* relative to the rms of the moving part: distance of an orbit that the minimum approximates; a
 * picture shows 5 % */
#define ORBIT_NEAR 0.05
/* relative to the whole rms: distance of an orbit that coincides with the minimum (round-off of
 * solved equations) */
#define SAME_MOTION 1e-9
/* relative to G_int at rest: G_int that is zero; the amplitude of the residual is its root, 3e-5 */
#define VALUE_ZERO 1e-9
/* relative correction at which Newton's method on the balance ends: far below SAME_MOTION, above
 * rounding of many harmonics */
#define BALANCE_CORRECTED 1e-10
enum { ITERATIONS = 500, KINK_POINTS = 1024 };

typedef struct judge {
    zw_gauss_integral *g;
    double a, scale; /* value at which the minimum is; G_int at rest */
    int top_max;
    zw_arena arena;
    zw_gauss_integral *fine; /* the last level */
    double *x;               /* coefficients at the last level */
    double moving;           /* larger rms of the last level and of the orbit, without means */
    bool all_converged;      /* all minimisations after the first level have converged */
    zw_gauss_judgement *out;
} judge;

/* Extends the harmonics to `top` with their spacing: all, odd ones, or multiples of a number. */
static int extend_harmonics(const zw_fourier *f, int top, int *list) {
    int from = f->harmonic[f->nharmonic - 1], gap = from, n = f->nharmonic;
    for (int i = 1; i < f->nharmonic; i++)
        if (f->harmonic[i] - f->harmonic[i - 1] < gap)
            gap = f->harmonic[i] - f->harmonic[i - 1];
    if (f->nharmonic == 1)
        gap = from > 0 ? 2 * from : 1; /* a single harmonic: odd multiples */
    memcpy(list, f->harmonic, sizeof(int) * (size_t)n);
    for (int h = from + gap; h <= top; h += gap)
        list[n++] = h;
    return n;
}

static zw_status create_level(judge *j, int top, zw_gauss_integral **out, zw_error *err) {
    const zw_gauss_integral *g = j->g;
    const zw_fourier *f = &g->gaussian.period.fourier;
    zw_gauss_integral_options o = g->options;
    int *list = ZW_NEW(&j->arena, int, top + f->nharmonic + 1);
    if (!list)
        return zw_out_of_memory(err, NULL);
    o.nharmonic = extend_harmonics(f, top, list);
    o.harmonic = list;
    o.hold = g->gaussian.hold;
    if (o.iterations < ITERATIONS) /* a level that does not converge decides nothing */
        o.iterations = ITERATIONS;
    if (o.samples > 0 && o.samples < 8 * top)
        o.samples = 8 * top;
    if (o.method == ZW_GAUSS_NELDER_MEAD)
        o.method = ZW_GAUSS_GAUSS_NEWTON; /* a simplex of a hundred corners does not converge */
    return zw_gauss_integral_create(out, g->gaussian.period.kernel, g->p, &o, g->set, g->user, err);
}

static void record_level(judge *j, int top, const zw_gauss_result *r) {
    int i = j->out->levels++;
    j->out->top[i] = top;
    j->out->value[i] = r->value + r->defect;
    j->out->rms[i] = zw_gauss_distance(j->fine, j->x, NULL);
}

/* finds the minimum with harmonics to `top`, from that of the last level */
static zw_status refine_minimum(judge *j, int top, zw_error *err) {
    zw_gauss_integral *finer;
    zw_gauss_result r;
    ZW_TRY(create_level(j, top, &finer, err));
    double *y = ZW_NEW(&j->arena, double, zw_gauss_integral_unknowns(finer));
    if (!y) {
        zw_gauss_integral_destroy(finer);
        return zw_out_of_memory(err, NULL);
    }
    zw_gauss_integral_embed(j->fine, j->x, finer, y);
    if (j->fine != j->g)
        zw_gauss_integral_destroy(j->fine);
    j->fine = finer;
    j->x = y;
    ZW_TRY(zw_gauss_integral_minimise(finer, y, j->a, &r, err));
    j->all_converged &= r.converged;
    record_level(j, finer->gaussian.period.fourier.top, &r);
    return ZW_OK;
}

static bool has_vanished(const judge *j) {
    return j->out->value[j->out->levels - 1] <= VALUE_ZERO * j->scale;
}

/* Two stagnations are required: the harmonic that the motion needs may be missing among those added
 * once. */
static bool has_stagnated(const judge *j) {
    const zw_gauss_judgement *o = j->out;
    int n = o->levels;
    return j->all_converged && n >= 3 && !has_vanished(j) &&
           o->value[n - 1] > STAGNATES * o->value[n - 2] &&
           o->value[n - 2] > STAGNATES * o->value[n - 3];
}

static zw_status refine_all(judge *j, zw_error *err) {
    int top = j->g->gaussian.period.fourier.top;
    for (top = 2 * top + 1; top <= j->top_max && j->out->levels < ZW_GAUSS_LEVELS;
         top = 2 * top + 1) {
        ZW_TRY(refine_minimum(j, top, err));
        if (has_vanished(j) || has_stagnated(j))
            break;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------- the balance of harmonics */

/* the coefficients of harmonic balance: those of the minimum, and of its multipliers */
static void prepare_balance(judge *j, double *y) {
    const zw_gaussian *g = &j->fine->gaussian;
    const zw_fourier *f = &g->period.fourier;
    int nc = g->period.kernel->nc;
    zw_gaussian_value value;
    zw_gauss_total(j->fine, j->x, &value);
    memcpy(y, j->x, sizeof(double) * (size_t)g->unknowns);
    for (int i = 0; i < nc; i++) {
        for (int s = 0; s < f->samples; s++)
            g->series[s] = g->lambda[s * nc + i];
        zw_fourier_project(f, g->series, y + (size_t)(g->unknowns + i * f->n));
    }
}

/* one Newton step on y, and its length in the coordinates; INFINITY if there is none */
static zw_status newton_step(judge *j, const zw_cont_problem *p, double *y, double *b, double *row,
                             double *size, zw_error *err) {
    *size = INFINITY;
    row[p->n] = 1;
    zw_status status = p->residual(p->self, y, j->a, b, NULL);
    if (status == ZW_OK)
        status = p->factor(p->self, y, j->a, row, NULL);
    if (status != ZW_OK)
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    for (int i = 0; i < p->n; i++)
        b[i] = -b[i];
    b[p->n] = 0;
    p->solve(p->self, b);
    for (int i = 0; i < p->n; i++)
        y[i] += b[i];
    double length = zw_gauss_distance(j->fine, b, NULL);
    if (isfinite(length))
        *size = length;
    return ZW_OK;
}

static double moving_rms(const zw_gauss_integral *g, const double *x) {
    const zw_fourier *f = &g->gaussian.period.fourier;
    double sum = 0;
    for (int i = 0; i < g->gaussian.unknowns; i++)
        sum += i % f->n == 0 && f->harmonic[0] == 0 ? 0 : 0.5 * x[i] * x[i];
    return sqrt(sum);
}

static zw_status find_orbit(judge *j, zw_harmonic *balance, zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(balance);
    double *y = ZW_NEW(&j->arena, double, p.n + 1), *b = ZW_NEW(&j->arena, double, p.n + 1),
           *row = ZW_NEW(&j->arena, double, p.n + 1);
    if (!row || !y || !b)
        return zw_out_of_memory(err, NULL);
    prepare_balance(j, y);
    for (int i = 0; i < 2; i++)
        ZW_TRY(newton_step(j, &p, y, b, row, &j->out->step[i], err));
    prepare_balance(j, y);
    zw_status status = zw_cont_correct(&p, BALANCE_CORRECTED, y, j->a, NULL, &j->g->alloc, NULL);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    j->out->orbit = status == ZW_OK;
    if (j->out->orbit) {
        j->out->distance = zw_gauss_distance(j->fine, j->x, y);
        j->out->orbit_rms = zw_gauss_distance(j->fine, y, NULL);
        j->moving = fmax(moving_rms(j->fine, j->x), moving_rms(j->fine, y));
    }
    return ZW_OK;
}

static zw_status solve_balance(judge *j, zw_error *err) {
    const zw_gauss_integral *f = j->fine;
    zw_harmonic *balance;
    zw_harmonic_options o = zw_harmonic_options_default();
    o.nharmonic = f->options.nharmonic;
    o.harmonic = f->options.harmonic;
    o.samples = zw_gauss_integral_samples(f);
    /* harmonic balance has equidistant points */
    if (f->gaussian.panels.kernel && o.samples < KINK_POINTS)
        o.samples = KINK_POINTS;
    ZW_TRY(zw_harmonic_create(&balance, f->gaussian.period.kernel, f->p, &o, f->set, f->user, err));
    zw_status status = find_orbit(j, balance, err);
    zw_harmonic_destroy(balance);
    return status;
}

/* ---------------------------------------------------------------------------------- the verdict */

static void decide_verdict(judge *j) {
    zw_gauss_judgement *o = j->out;
    int last = o->levels - 1;
    double rms = fmax(o->rms[last], o->orbit_rms);
    bool near = o->orbit && o->distance <= fmax(ORBIT_NEAR * j->moving, SAME_MOTION * rms);
    o->verdict = near && !has_stagnated(j)   ? ZW_GAUSS_MOTION
                 : has_stagnated(j) && !near ? ZW_GAUSS_GHOST
                                             : ZW_GAUSS_NOT_CONVERGED;
    static const char *const word[] = {"a motion", "not certain", "no motion (a ghost)"};
    char orbit[120];
    if (o->orbit)
        snprintf(orbit, sizeof orbit, "the orbit that Newton's method finds is %.3g off (rms)",
                 o->distance);
    else
        snprintf(orbit, sizeof orbit, "Newton's method finds no orbit (steps %.3g, %.3g)",
                 o->step[0], o->step[1]);
    snprintf(o->text, sizeof o->text,
             "%s: G_int %.4g with harmonics to %d, %.4g to %d%s; %s of a motion of %.4g",
             word[o->verdict], o->value[0], o->top[0], o->value[last], o->top[last],
             has_vanished(j)    ? ", which is zero"
             : has_stagnated(j) ? ", where it stays"
                                : "",
             orbit, o->rms[last]);
}

static zw_status judge_all(judge *j, const double *x, zw_error *err) {
    int n = j->g->gaussian.unknowns;
    zw_gauss_result r = {0};
    zw_gaussian_value rest, here;
    j->x = ZW_NEW(&j->arena, double, n);
    if (!j->x)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_gauss_set_value(j->g, j->a, err));
    double total = zw_gauss_total(j->g, j->x, &rest);
    ZW_TRY(zw_gauss_integral_value(j->g, x, j->a, &r.value, NULL, err));
    r.defect = zw_gauss_total(j->g, x, &here) - r.value;
    j->scale = isfinite(total) && rest.G > 0 ? rest.G : 1;
    memcpy(j->x, x, sizeof(double) * (size_t)n);
    record_level(j, j->g->gaussian.period.fourier.top, &r);
    ZW_TRY(refine_all(j, err));
    double *first = ZW_NEW(&j->arena, double, zw_gauss_integral_unknowns(j->fine));
    if (!first)
        return zw_out_of_memory(err, NULL);
    zw_gauss_integral_embed(j->g, x, j->fine, first);
    j->out->moved = zw_gauss_distance(j->fine, first, j->x);
    ZW_TRY(solve_balance(j, err));
    decide_verdict(j);
    return ZW_OK;
}

/* at least two further levels: fewer decide nothing */
static int default_top(const zw_gauss_integral *g) {
    int two = 4 * g->gaussian.period.fourier.top + 3;
    return two > 63 ? two : 63;
}

zw_status zw_gauss_integral_judge(zw_gauss_integral *g, const double *x, double a, int top_max,
                                  zw_gauss_judgement *judgement, zw_error *err) {
    judge j = {.g = g,
               .a = a,
               .top_max = top_max > 0 ? top_max : default_top(g),
               .fine = g,
               .all_converged = true,
               .out = judgement};
    *judgement = (zw_gauss_judgement){.distance = INFINITY};
    zw_arena_init(&j.arena, &g->alloc);
    zw_status status = judge_all(&j, x, err);
    if (j.fine != g)
        zw_gauss_integral_destroy(j.fine);
    zw_arena_clear(&j.arena);
    return status;
}
