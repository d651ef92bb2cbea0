/* SPDX-License-Identifier: MIT */
/* Excitation frequencies without a common period: quasi-periodic motions, functions of two or three phases (zwang/harmonic.h).
 *
 * The guess is a run of the start: coefficients of low combinations of the frequencies as means of y cos(w t) over a long time with the
 * weight exp(-1/(s (1 - s))), s from 0 to 1, by which such means converge faster than any power of the time (S. Das, Y. Saiki, E. Sander,
 * J. A. Yorke, Nonlinearity 30 (2017) 4111). Observables are evaluated as functions of the phases, on the grid of harmonic balance.
 *
 * Stability: Lyapunov exponents of Y' = J(theta(t), x(theta(t))) Y, by steps of collocation (analysis/variation.h), an orthonormal frame
 * that the flow carries along, and the same means of the logarithms of what it stretches by. Time is doubled, with shorter steps, until two
 * of these means agree; their difference is the error. Without constraints the sum of all exponents is the mean of tr J over the torus,
 * which is computed on the grid. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/torus.h"
#include "analysis/variation.h"
#include "forced.h"
#include "motion_words.h"
#include "num/flow.h"

enum {
    GUESSED = 3,      /* of the guess */
    WINDOW = 60,      /* periods of the slowest drive that it is taken from */
    POINTS = 32,      /* of a period of the fastest one */
    STAGES = 4,       /* of collocation, */
    STEPS = 12,       /* and its steps in a period of the fastest drive at first */
    TIMES_FIRST = 16, /* periods of the slowest drive that exponents are first taken from, */
    TIMES = 1024,     /* and at most */
    LEAST = 24,       /* points of a phase at which quantities are evaluated */
    CHECKED = 32      /* periods of a run that is compared with its series */
};
#define BESIDE_PHASE 1e-3 /* between phases at which an observable is compared */
#define CLEAR 3           /* errors by which an exponent differs from zero */
#define EXACT 1e-6 /* of the slowest frequency: exponents of a motion that is reported alone */

/* -------------------------------------------------------------------------------------------- set-up */

int zw_forced_phases(const zw_forced *f) {
    return zw_forced_has_tones(f) ? f->tones.n : 1;
}

const char *zw_forced_phase_name(const zw_forced *f, int phase) {
    return zw_forced_has_tones(f)
               ? f->tone_name[phase]
               : zw_print_within(f->sys->ctx, f->forcing.frequency[phase], ZW_TEXT, 40);
}

zw_status zw_forced_tones_refuse(const zw_forced *f, const char *what, zw_error *err) {
    if (!zw_forced_has_tones(f))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "%s needs a period, and the frequencies %s and %s of the drives have none in common",
            what, f->tone_name[0], f->tone_name[1]);
    zw_error_hint(err, "zwang steady and zwang response find the quasi-periodic motion without it");
    return ZW_E_OPTION;
}

static zw_status refuse_options(const zw_forced *f, zw_error *err) {
    const zw_forced_options *o = &f->options;
    const char *what = o->order > 1 ? "--order"
                       : o->slow    ? "the stability of slowly varying amplitudes"
                       : o->winding ? "--winding"
                                    : NULL;
    return what ? zw_forced_tones_refuse(f, what, err) : ZW_OK;
}

/* any phases, in the equations and in what is observed */
static zw_status make_torus(zw_forced *f, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    zw_expr *seen = ZW_NEW(&f->arena, zw_expr, f->sys->nobservable + 1);
    zw_forcing all;
    if (!seen)
        return zw_forced_no_memory(err);
    for (int i = 0; i < f->sys->nobservable; i++)
        seen[i] = f->sys->observable[i].value;
    ZW_TRY(zw_forcing_find_with(&all, &f->eq, f->sys->nobservable, seen, err));
    if (all.n > f->forcing.n || all.nother)
        return zw_fail(err, ZW_E_MODEL,
                       "an observable depends on time in another way than the equations of motion");
    f->forcing = all;
    ZW_TRY(
        zw_forcing_tones(&f->forcing, f->p, f->has_over ? f->over.parameter : -1, &f->tones, err));
    ZW_TRY(zw_forcing_phases(&f->forcing, &f->tones, &f->torus_eq, err));
    o.jit = ZW_JIT_WHEN_IT_PAYS;
    o.functions = ZW_FUNCTIONS_ALL_METHODS;
    ZW_TRY(zw_kernel_create(&f->torus_kernel, &f->torus_eq, &o, err));
    return zw_flow_create(&f->torus_flow, f->torus_kernel, f->p, err);
}

zw_status zw_forced_tones_find(zw_forced *f, zw_error *err) {
    _Static_assert((int)ZW_TONES_MAX == (int)ZW_PHASES_MAX, "as many phases as drives");
    ZW_TRY(
        zw_forcing_tones(&f->forcing, f->p, f->has_over ? f->over.parameter : -1, &f->tones, err));
    if (!zw_forced_has_tones(f))
        return ZW_OK;
    for (int j = 0; j < f->tones.n; j++)
        f->tone_name[j] = zw_forcing_tone_name(&f->forcing, &f->tones, j);
    ZW_TRY(refuse_options(f, err));
    return make_torus(f, err);
}

/* ----------------------------------------------------------------------------------------- combinations */

enum {
    FIRST = 5, /* |k_1| + |k_2| of the first ones, */
    FIRST_THREE = 3,
    BESIDE = 2,     /* |k - k'| of neighbours */
    UNKNOWNS = 2400 /* largest number of coefficients in all functions */
};
#define FAINT 0.02 /* of the tolerance: neighbours of smaller harmonics are ignored, */
#define ADDED 0.1  /* and what changes by less is left out */

static int length_of(const zw_forced *f, const int *k) {
    int sum = 0;
    for (int j = 0; j < f->tones.n; j++)
        sum += k[j] < 0 ? -k[j] : k[j];
    return sum;
}

int zw_forced_tones_count(const zw_forced *f, const zw_forced_motion *m) {
    return (m->ncoefficient + !f->options.odd) / 2;
}

int zw_forced_tones_length(const zw_forced *f, int n) {
    int most = 0;
    for (int i = 0; i < n; i++) {
        int length = length_of(f, f->vector + (size_t)(i * f->tones.n));
        most = length > most ? length : most;
    }
    return most;
}

/* one of k and -k, as balances choose it */
static void turn(const zw_forced *f, int *k) {
    int last = f->tones.n - 1;
    while (last > 0 && k[last] == 0)
        last--;
    for (int j = 0; k[last] < 0 && j <= last; j++)
        k[j] = -k[j];
}

static bool is_among(const zw_forced *f, const int *list, int n, const int *k) {
    for (int i = 0; i < n; i++)
        if (memcmp(list + (size_t)(i * f->tones.n), k, sizeof(int) * (size_t)f->tones.n) == 0)
            return true;
    return false;
}

static zw_status add_vector(zw_forced *f, const int *k, zw_error *err) {
    size_t size = sizeof(int) * (size_t)f->tones.n;
    if (!zw_arena_grow(&f->arena, (void **)&f->vector, f->nvector, &f->vector_capacity, size))
        return zw_forced_no_memory(err);
    memcpy(f->vector + (size_t)(f->nvector++ * f->tones.n), k, size);
    return ZW_OK;
}

static zw_status first_level(zw_forced *f, zw_error *err) {
    int top = f->tones.n > 2 ? FIRST_THREE : FIRST;
    top = f->options.harmonics ? f->options.harmonics : top > f->reach ? top : f->reach;
    int n = zw_harmonic_vectors(f->tones.n, top, f->options.odd, NULL);
    int *list = ZW_NEW(&f->arena, int, n * f->tones.n + 1);
    if (!list)
        return zw_forced_no_memory(err);
    zw_harmonic_vectors(f->tones.n, top, f->options.odd, list);
    for (int i = 0; i < n; i++)
        ZW_TRY(add_vector(f, list + (size_t)(i * f->tones.n), err));
    return ZW_OK;
}

/* the largest changes by the finer balance, which has the neighbours after the present combinations */
static zw_status next_level(zw_forced *f, zw_error *err) {
    int known = f->level[f->nlevel - 1], most = UNKNOWNS / (2 * f->nfunction + 1);
    const int tones = f->tones.n;
    for (int h = known; h < f->nwanted && zw_harmonic_count(f->finer) == f->nwanted; h++)
        if (f->wanted[h] > ADDED * f->options.tolerance && f->nvector < most) {
            int k[ZW_TONES_MAX];
            memcpy(k, zw_harmonic_vector(f->finer, h), sizeof(int) * (size_t)tones);
            if (!is_among(f, f->vector, f->nvector, k))
                ZW_TRY(add_vector(f, k, err));
        }
    f->level_full = f->nvector == known || f->nvector >= most;
    return ZW_OK;
}

zw_status zw_forced_tones_grow(zw_forced *f, zw_error *err) {
    ZW_TRY(f->nlevel ? next_level(f, err) : first_level(f, err));
    f->level[f->nlevel++] = f->nvector;
    f->level_full |= f->nlevel == ZW_FORCED_LEVELS;
    return ZW_OK;
}

/* is harmonic h of f->x large enough for its neighbours to count? */
static bool is_large(const zw_forced *f, int h) {
    double size = 0, all = 0;
    if (!f->scale || !f->x)
        return true;
    for (int i = 0; i < f->sys->nq; i++) {
        double mean, rms, c, s;
        zw_harmonic_mean(f->balance, f->x, i, &mean, &rms);
        zw_harmonic_line(f->balance, f->x, i, h, &c, &s);
        all += (rms * rms - mean * mean) / (f->scale[i] * f->scale[i]);
        size += 0.5 * (c * c + s * s) / (f->scale[i] * f->scale[i]);
    }
    double least = FAINT * f->options.tolerance;
    return size > least * least * all || all == 0;
}

zw_status zw_forced_tones_around(zw_forced *f, bool even, int **vector, int *n, zw_error *err) {
    int tones = f->tones.n, known = f->level[f->top], around = 1, k[ZW_TONES_MAX];
    for (int j = 0; j < tones; j++)
        around *= 2 * BESIDE + 1;
    int *list = ZW_NEW(&f->arena, int, known *(around + 1) * tones + 1);
    if (!list)
        return zw_forced_no_memory(err);
    memcpy(list, f->vector, sizeof(int) * (size_t)(known * tones));
    *vector = list;
    *n = known;
    for (int h = 0; h < known; h++) {
        if (!is_large(f, h))
            continue;
        for (int i = 0; i < around; i++) {
            int aside = 0;
            for (int j = 0, left = i; j < tones; j++, left /= 2 * BESIDE + 1) {
                int by = left % (2 * BESIDE + 1) - BESIDE;
                aside += by < 0 ? -by : by;
                k[j] = f->vector[h * tones + j] + by;
            }
            bool fits = length_of(f, k) <= f->options.harmonics_max || f->options.harmonics;
            bool parity = !f->options.odd || (length_of(f, k) % 2 != 0) != even;
            turn(f, k);
            if (aside <= BESIDE && fits && parity && !is_among(f, list, *n, k))
                memcpy(list + (size_t)((*n)++ * tones), k, sizeof(int) * (size_t)tones);
        }
    }
    return ZW_OK;
}

static double slowest(const zw_forced *f, const double *W) {
    double least = W[0];
    for (int j = 1; j < f->tones.n; j++)
        least = fmin(least, W[j]);
    return least;
}

static double fastest(const zw_forced *f, const double *W) {
    double most = W[0];
    for (int j = 1; j < f->tones.n; j++)
        most = fmax(most, W[j]);
    return most;
}

static double frequency_of(const zw_forced *f, const int *k, const double *W) {
    double w = 0;
    for (int j = 0; j < f->tones.n; j++)
        w += k[j] * W[j];
    return w;
}

/* ------------------------------------------------------------------------------------------- the guess */

/* the weight of a mean over s from 0 to 1 */
static double weight_of(double s) {
    return s > 0 && s < 1 ? exp(-1 / (s * (1 - s))) : 0;
}

/* means of a column times cos(w t) and sin(w t) over the rows from t = from on */
static void mean_of(const zw_table *rows, int column, double w, double from, double until,
                    double *c, double *s) {
    double all = 0;
    *c = *s = 0;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double t = zw_table_at(rows, i, 0), weight = weight_of((t - from) / (until - from)),
               v = zw_table_at(rows, i, column);
        all += weight;
        *c += weight * v * cos(w * t);
        *s += weight * v * sin(w * t);
    }
    *c /= all;
    *s /= all;
}

zw_status zw_forced_tones_guess(zw_forced *f, double value, zw_error *err) {
    double W[ZW_TONES_MAX];
    zw_sim *sim = NULL;
    zw_error trouble = {0};
    if (f->options.settle < 1)
        return ZW_RETRY;
    ZW_TRY(zw_harmonic_go_to(f->balance, value, W, err));
    double period = 2 * M_PI / slowest(f, W), from = f->options.settle * period,
           until = from + WINDOW * period;
    zw_status status =
        zw_forced_run_start(f, value, until, 2 * M_PI / fastest(f, W) / POINTS, &sim, &trouble);
    int n = zw_harmonic_coefficients(f->balance);
    for (int i = 0; status >= 0 && i < f->nfunction; i++) {
        int column = zw_table_find(zw_sim_rows(sim), zw_forced_function_name(f, i));
        for (int h = 0, at = 0; column >= 0 && h < zw_harmonic_count(f->balance); h++) {
            const int *k = zw_harmonic_vector(f->balance, h);
            double c, s, w = frequency_of(f, k, W);
            int length = 0;
            for (int j = 0; j < f->tones.n; j++)
                length += k[j] < 0 ? -k[j] : k[j];
            if (length > GUESSED)
                break;
            mean_of(zw_sim_rows(sim), column, w, from, until, &c, &s);
            f->x[i * n + at++] = length ? 2 * c : c;
            if (length)
                f->x[i * n + at++] = 2 * s;
        }
    }
    zw_sim_destroy(sim);
    if (status == ZW_E_MEMORY)
        return zw_forced_no_memory(err);
    return status < 0 ? ZW_RETRY : ZW_OK;
}

/* ------------------------------------------------------------------------------------------ quantities */

/* room for quantities on the grid of the phases */
typedef struct grid {
    int per[ZW_TONES_MAX], samples;
    double *x, *seen, *u;
} grid;

static zw_status make_grid(zw_forced *f, grid *g, zw_error *err) {
    g->samples = 1;
    for (int j = 0; j < f->tones.n; j++) {
        int top = 0;
        for (int h = 0; h < zw_harmonic_count(f->balance); h++) {
            int k = zw_harmonic_vector(f->balance, h)[j];
            top = k > top ? k : -k > top ? -k : top;
        }
        g->per[j] = 4 * top + 1 > LEAST ? 4 * top + 1 : LEAST;
        g->samples *= g->per[j];
    }
    g->x = ZW_NEW(&f->arena, double, f->torus_kernel->nx + 1);
    g->seen = ZW_NEW(&f->arena, double, f->torus_kernel->nobs + 3);
    g->u = ZW_NEW(&f->arena, double, f->torus_kernel->nu + 1);
    return f->arena.failed ? zw_forced_no_memory(err) : ZW_OK;
}

static void look_at(zw_forced *f, grid *g, const double *theta) {
    memcpy(g->u + f->eq.nu, theta, sizeof(double) * (size_t)f->tones.n);
    zw_flow_set_inputs(f->torus_flow, g->u);
    zw_harmonic_state_at(f->balance, f->x, theta, g->x);
}

static void phases_of(const zw_forced *f, const grid *g, int s, double *theta) {
    for (int j = 0; j < f->tones.n; j++) {
        theta[j] = 2 * M_PI * (s % g->per[j]) / g->per[j];
        s /= g->per[j];
    }
}

/* an observable as a function of the phases */
typedef struct seen {
    zw_forced *f;
    grid *g;
    int k;
} seen;

static zw_status value_at(const seen *s, const double *theta, double *value, zw_error *err) {
    look_at(s->f, s->g, theta);
    ZW_TRY(zw_flow_observables(s->f->torus_flow, 0, s->g->x, s->g->seen, err));
    *value = s->g->seen[s->k];
    return ZW_OK;
}

/* its derivatives as differences */
static zw_status slopes_at(void *user, const double *theta, double *value, double *slope,
                           double *bend, zw_error *err) {
    const seen *s = user;
    int n = s->f->tones.n;
    double at[ZW_TONES_MAX], v[4];
    ZW_TRY(value_at(s, theta, value, err));
    memcpy(at, theta, sizeof(double) * (size_t)n);
    for (int i = 0; slope && i < n; i++)
        for (int j = i; j < n; j++) {
            for (int k = 0; k < (i == j ? 2 : 4); k++) {
                at[j] = theta[j] + (k & 2 ? -BESIDE_PHASE : BESIDE_PHASE);
                at[i] = theta[i] + (k & 1 ? -BESIDE_PHASE : BESIDE_PHASE);
                ZW_TRY(value_at(s, at, &v[k], err));
            }
            at[i] = theta[i];
            at[j] = theta[j];
            if (i == j)
                slope[i] = (v[0] - v[1]) / (2 * BESIDE_PHASE);
            double twice = i == j ? v[0] - 2 * *value + v[1] : (v[0] - v[1] - v[2] + v[3]) / 4;
            bend[i * n + j] = bend[j * n + i] = twice / (BESIDE_PHASE * BESIDE_PHASE);
        }
    return ZW_OK;
}

/* The largest value of an observable (sign -1: the smallest one), whose values on the grid are known. */
static zw_status find_extreme(zw_forced *f, grid *g, int k, double sign, const double *value,
                              double *extreme, zw_error *err) {
    seen s = {f, g, k};
    int peak[ZW_TORUS_PEAKS], n = zw_torus_peaks(f->tones.n, g->per, value, sign, peak);
    for (int i = 0; i < n; i++) {
        double there;
        ZW_TRY(zw_torus_climb(f->tones.n, g->per, slopes_at, &s, sign, peak[i], &there, err));
        *extreme = sign * fmax(sign * *extreme, sign * there);
    }
    return ZW_OK;
}

/* mean, rms and amplitudes at the excitation frequencies of observables on the grid */
static zw_status measure_observables(zw_forced *f, grid *g, zw_forced_measure *out, double *tone,
                                     zw_error *err) {
    int nq = f->sys->nq, n = f->sys->nobservable, tones = f->tones.n;
    double theta[ZW_TONES_MAX];
    double *c = ZW_NEW(&f->arena, double, n *tones + 1),
           *s = ZW_NEW(&f->arena, double, n *tones + 1);
    double *value = ZW_NEW(&f->arena, double, (size_t)n *(size_t)g->samples + 1);
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    for (int k = 0; k < n; k++)
        out[nq + k] = (zw_forced_measure){.max = -INFINITY, .min = INFINITY};
    for (int i = 0; i < g->samples; i++) {
        phases_of(f, g, i, theta);
        look_at(f, g, theta);
        ZW_TRY(zw_flow_observables(f->torus_flow, 0, g->x, g->seen, err));
        for (int k = 0; k < n; k++) {
            zw_forced_measure *m = &out[nq + k];
            double v = g->seen[k];
            m->mean += v / g->samples;
            m->rms += v * v / g->samples;
            value[(size_t)k * (size_t)g->samples + (size_t)i] = v;
            m->max = fmax(m->max, v);
            m->min = fmin(m->min, v);
            for (int j = 0; j < tones; j++) {
                c[k * tones + j] += 2 * v * cos(theta[j]) / g->samples;
                s[k * tones + j] += 2 * v * sin(theta[j]) / g->samples;
            }
        }
    }
    for (int k = 0; k < n; k++) {
        zw_forced_measure *m = &out[nq + k];
        m->rms = sqrt(m->rms);
        for (int j = 0; j < tones; j++)
            tone[(nq + k) * tones + j] = hypot(c[k * tones + j], s[k * tones + j]);
        m->first = tone[(nq + k) * tones];
        m->phase = m->first > 0 ? atan2(-s[k * tones], c[k * tones]) : 0;
        const double *own = value + (size_t)k * (size_t)g->samples;
        ZW_TRY(find_extreme(f, g, k, 1, own, &m->max, err));
        ZW_TRY(find_extreme(f, g, k, -1, own, &m->min, err));
    }
    return ZW_OK;
}

zw_status zw_forced_tones_measure(zw_forced *f, zw_forced_measure *out, double *tone,
                                  zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int tones = f->tones.n;
    grid g = {0};
    for (int i = 0; i < f->sys->nq; i++) {
        zw_forced_measure *m = &out[i];
        zw_harmonic_mean(f->balance, f->x, i, &m->mean, &m->rms);
        zw_harmonic_extremes(f->balance, f->x, i, &m->max, &m->min);
        for (int h = 0; h < zw_harmonic_count(f->balance); h++) {
            const int *k = zw_harmonic_vector(f->balance, h);
            int length = 0, last = 0;
            for (int j = 0; j < tones; j++) {
                length += k[j] < 0 ? -k[j] : k[j];
                last = k[j] ? j : last;
            }
            double c, s;
            if (length != 1)
                continue;
            zw_harmonic_line(f->balance, f->x, i, h, &c, &s);
            tone[i * tones + last] = hypot(c, s);
            if (last == 0)
                m->phase = hypot(c, s) > 0 ? atan2(-s, c) : 0;
        }
        m->first = tone[i * tones];
    }
    if (!f->sys->nobservable)
        return ZW_OK;
    ZW_TRY(zw_flow_set_parameters(f->torus_flow, f->now, err));
    ZW_TRY(make_grid(f, &g, err));
    zw_status status = measure_observables(f, &g, out, tone, err);
    zw_arena_release(&f->arena, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------- exponents */

/* The frame Y of a variation along f->x, and what it has been stretched by */
typedef struct frame {
    zw_forced *f;
    zw_variation v;
    int n;
    double *x, *T, *work; /* nx, nx x nx, nx x nx */
    double *stretch;      /* n: logarithms, of the last step */
    double t;
} frame;

static zw_status state_at(void *user, double t, double *x, zw_error *err) {
    const zw_forced *f = user;
    (void)err;
    zw_harmonic_state(f->balance, f->x, 1, t, x, NULL);
    return ZW_OK;
}

/* columns of Y orthonormal, one after the other; their lengths before that */
static void orthonormalise(frame *s) {
    double *Y = s->v.Y;
    int nx = s->v.nx, n = s->n;
    for (int r = 0; r < nx; r++)
        for (int j = 0; j < n && !s->v.essential[r]; j++)
            Y[r * n + j] = 0;
    for (int j = 0; j < n; j++) {
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < j; i++) {
                double dot = 0;
                for (int r = 0; r < nx; r++)
                    dot += Y[r * n + i] * Y[r * n + j];
                for (int r = 0; r < nx; r++)
                    Y[r * n + j] -= dot * Y[r * n + i];
            }
        double length = 0;
        for (int r = 0; r < nx; r++)
            length += Y[r * n + j] * Y[r * n + j];
        length = sqrt(length);
        s->stretch[j] = log(length);
        for (int r = 0; r < nx && length > 0; r++)
            Y[r * n + j] /= length;
    }
}

/* back to the tangent space of the constraints, from which rounding errors lead away */
static zw_status stay_tangent(frame *s, zw_error *err) {
    int nx = s->v.nx, n;
    double *Y = s->v.Y;
    if (s->f->kernel->nc == 0)
        return ZW_OK;
    ZW_TRY(state_at(s->f, s->t, s->x, err));
    ZW_TRY(zw_variation_basis(&s->v, &s->f->arena, s->f->flow, s->t, s->x, &n, s->T, err));
    if (n != s->n)
        return zw_fail(err, ZW_E_NUMERIC, "the number of independent constraints changes");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s->work[i * n + j] = 0;
            for (int r = 0; r < nx; r++)
                s->work[i * n + j] += s->T[r * n + i] * Y[r * n + j];
        }
    for (int r = 0; r < nx; r++)
        for (int j = 0; j < n; j++) {
            Y[r * n + j] = 0;
            for (int i = 0; i < n; i++)
                Y[r * n + j] += s->T[r * n + i] * s->work[i * n + j];
        }
    return ZW_OK;
}

static zw_status step(frame *s, double h, zw_error *err) {
    ZW_TRY(zw_variation_step(&s->v, s->f->flow, s->t, s->t + h, state_at, s->f, err));
    s->t += h;
    ZW_TRY(stay_tangent(s, err));
    orthonormalise(s);
    return ZW_OK;
}

/* weighted means over a time, in steps of about h */
static zw_status mean_stretch(frame *s, double time, double h, double *out, zw_error *err) {
    long steps = (long)ceil(time / h);
    double all = 0;
    h = time / (double)steps;
    memset(out, 0, sizeof(double) * (size_t)s->n);
    for (long i = 0; i < steps; i++) {
        double weight = weight_of(((double)i + 0.5) / (double)steps);
        ZW_TRY(step(s, h, err));
        all += weight * h;
        for (int j = 0; j < s->n; j++)
            out[j] += weight * s->stretch[j];
    }
    for (int j = 0; j < s->n; j++)
        out[j] /= all;
    return ZW_OK;
}

static zw_status begin(frame *s, zw_error *err) {
    zw_forced *f = s->f;
    int nx = f->kernel->nx;
    ZW_TRY(zw_variation_init(&s->v, &f->arena, f->flow, STAGES, 0, err));
    s->x = ZW_NEW(&f->arena, double, nx + 1);
    s->T = ZW_NEW(&f->arena, double, nx *nx + 1);
    s->work = ZW_NEW(&f->arena, double, nx *nx + 1);
    s->stretch = ZW_NEW(&f->arena, double, nx + 1);
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    ZW_TRY(state_at(f, 0, s->x, err));
    ZW_TRY(zw_variation_basis(&s->v, &f->arena, f->flow, 0, s->x, &s->n, s->T, err));
    zw_variation_begin(&s->v, s->n, s->T);
    return ZW_OK;
}

/* the mean of tr J over the torus */
static zw_status find_divergence(zw_forced *f, double *out, zw_error *err) {
    grid g;
    double theta[ZW_TONES_MAX], sum = 0;
    int nx = f->kernel->nx;
    double *J = ZW_NEW(&f->arena, double, nx *nx + 1);
    *out = NAN;
    if (f->kernel->nc)
        return ZW_OK;
    if (!J)
        return zw_forced_no_memory(err);
    ZW_TRY(make_grid(f, &g, err));
    ZW_TRY(zw_flow_set_parameters(f->torus_flow, f->now, err));
    for (int i = 0; i < g.samples; i++) {
        phases_of(f, &g, i, theta);
        look_at(f, &g, theta);
        ZW_TRY(zw_flow_jacobian(f->torus_flow, 0, g.x, J, NULL, err));
        for (int k = 0; k < nx; k++)
            sum += J[k * nx + k];
    }
    *out = sum / g.samples;
    return ZW_OK;
}

/* is the sign of every exponent known, and that of the largest one to enough digits? */
static bool is_enough(const double *mean, const double *error, int n, bool exact, double W) {
    for (int j = 0; j < n; j++)
        if (exact ? error[j] > EXACT * W : fabs(mean[j]) < CLEAR * error[j])
            return false;
    return true;
}

static void sort(int n, double *value, double *error) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && value[j] > value[j - 1]; j--) {
            double a = value[j], b = error[j];
            value[j] = value[j - 1];
            error[j] = error[j - 1];
            value[j - 1] = a;
            error[j - 1] = b;
        }
}

static zw_status find_exponents(zw_forced *f, bool exact, zw_forced_motion *m, double *mean,
                                double *error, double *before, zw_error *err) {
    frame s = {.f = f};
    double period = 2 * M_PI / slowest(f, m->frequency),
           h = 2 * M_PI / fastest(f, m->frequency) / STEPS;
    ZW_TRY(begin(&s, err));
    ZW_TRY(mean_stretch(&s, TIMES_FIRST / 2 * period, h, before, err)); /* the frame turns to its
                                                                           directions */
    ZW_TRY(mean_stretch(&s, TIMES_FIRST * period, h, before, err));
    for (int times = 2 * TIMES_FIRST; times <= TIMES; times *= 2) {
        h *= 0.8;
        ZW_TRY(mean_stretch(&s, times * period, h, mean, err));
        for (int j = 0; j < s.n; j++) {
            error[j] = fabs(mean[j] - before[j]);
            before[j] = mean[j];
        }
        if (is_enough(mean, error, s.n, exact, 2 * M_PI / period) ||
            (f->options.stop && f->options.stop(f->options.stop_user, 0)))
            break;
        if (!exact && times >= 8 * TIMES_FIRST)
            break;
    }
    m->nexponent = s.n;
    sort(s.n, mean, error);
    return ZW_OK;
}

static void judge(zw_forced_motion *m) {
    bool inside = true;
    m->outside = 0;
    m->accuracy = 0;
    for (int j = 0; j < m->nexponent; j++) {
        m->outside += m->exponent[j] > CLEAR * m->exponent_error[j];
        inside &= m->exponent[j] < -CLEAR * m->exponent_error[j];
        m->accuracy = fmax(m->accuracy, m->exponent_error[j]);
    }
    m->verdict = m->outside ? ZW_FLOQUET_UNSTABLE
                 : inside   ? ZW_FLOQUET_STABLE
                            : ZW_FLOQUET_UNDECIDED;
}

zw_status zw_forced_tones_exponents(zw_forced *f, double value, bool exact, zw_forced_motion *m,
                                    zw_error *err) {
    int nx = f->kernel->nx;
    double *mean = ZW_NEW(&f->arena, double, nx + 1), *error = ZW_NEW(&f->arena, double, nx + 1);
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *before = ZW_NEW(&f->arena, double, nx + 1);
    zw_error trouble = {0};
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    ZW_TRY(zw_harmonic_go_to(f->balance, value, NULL, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    zw_status status = find_exponents(f, exact, m, mean, error, before, &trouble);
    if (status >= 0)
        status = find_divergence(f, &m->divergence, &trouble);
    zw_arena_release(&f->arena, mark);
    if (status == ZW_E_MEMORY)
        return zw_forced_no_memory(err);
    m->outside = -1;
    if (status < 0) {
        m->nexponent = 0;
        return ZW_OK;
    }
    m->exponent = mean;
    m->exponent_error = error;
    judge(m);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------------- the check */

/* distance of the rows of a run from the series of f->x at the same times, relative to the ranges of the coordinates */
static double distance(zw_forced *f, const zw_forced_motion *m, const zw_table *rows, double *x) {
    double gap = 0;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        zw_harmonic_state(f->balance, f->x, m->w, zw_table_at(rows, i, 0), x, NULL);
        for (int k = 0; k < f->sys->nq; k++) {
            int column = zw_table_find(rows, f->sys->coord[k].name);
            double range = m->measure[k].max - m->measure[k].min;
            if (column >= 0 && range > 1e-9 * f->width[k])
                gap = fmax(gap, fabs(zw_table_at(rows, i, column) - x[k]) / range);
        }
    }
    return gap;
}

zw_status zw_forced_tones_run(zw_forced *f, const zw_forced_motion *m, int rows,
                              const zw_model_source *source, zw_table **out, double *gap,
                              zw_error *err) {
    const zw_system *s = f->full;
    int n = 0;
    double *x = ZW_NEW(&f->arena, double, f->kernel->nx + 1), away;
    zw_sim_number *start = ZW_NEW(&f->arena, zw_sim_number, s->nq + s->nv + 1), param[2];
    *out = NULL;
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    ZW_TRY(zw_forced_load(f, m, err));
    ZW_TRY(zw_harmonic_go_to(f->balance, m->value, NULL, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    zw_harmonic_state(f->balance, f->x, m->w, 0, x, NULL);
    ZW_TRY(zw_flow_project(f->flow, 0, x, NULL, err));
    for (int i = 0; i < s->nq + s->nv; i++) {
        int from = i < s->nq ? f->of[i] : f->sys->nq + i - s->nq;
        if (from >= 0)
            start[n++] = (zw_sim_number){.index = i, .value = x[from]};
    }
    zw_sim_numbers numbers = {.nparam = zw_forced_numbers(f, m->value, param),
                              .param = param,
                              .nstart = n,
                              .start = start};
    double time = CHECKED * 2 * M_PI / slowest(f, m->frequency);
    ZW_TRY(
        zw_motion_run(s, source, &numbers, time, CHECKED * rows / 4, NULL, NULL, out, NULL, err));
    away = distance(f, m, *out, x);
    if (gap)
        *gap = away;
    return ZW_OK;
}
