/* SPDX-License-Identifier: MIT */
/* Excitation frequencies without a common period: quasi-periodic motions, functions of two or three
 * phases (motion/harmonic/balance.h).
 *
 * The first guess is a run of the start: coefficients of low combinations of the frequencies are
 * means of y cos(w t) over a long time with the weight exp(-1/(s (1 - s))), s from 0 to 1; such
 * means converge faster than any power of the time (S. Das, Y. Saiki, E. Sander, J. A. Yorke,
 * Nonlinearity 30 (2017) 4111). */
#include "forced_tones.h"
#include "base/arena.h"
#include "mech/equations/variants.h"
#include "motion/harmonic/balance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUESSED = 3, /* largest |k_1| + |k_2| + ... of the guess */
    WINDOW = 60, /* periods of the slowest excitation in the window of the means */
    POINTS = 32  /* points of a period of the fastest excitation */
};

/* --------------------------------------------------------------------------------------- set-up */

int zw_forced_phases(const zw_forced *f) {
    return zw_forced_has_tones(f) ? f->tones.n : 1;
}

const char *zw_forced_phase_name(const zw_forced *f, int phase) {
    assert(phase >= 0 && phase < zw_forced_phases(f));
    return zw_forced_has_tones(f)
               ? f->tone_name[phase]
               : zw_print_within(f->sys->ctx, f->forcing.frequency[phase], ZW_TEXT, 40);
}

zw_status zw_forced_tones_reject(const zw_forced *f, const char *what, zw_error *err) {
    if (!zw_forced_has_tones(f))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "%s needs a period, but the excitation frequencies %s and %s have no common one", what,
            f->tone_name[0], f->tone_name[1]);
    zw_error_hint(err, "zwang response finds the quasi-periodic motion without it");
    return ZW_E_OPTION;
}

static zw_status reject_options(const zw_forced *f, zw_error *err) {
    const zw_forced_options *o = &f->options;
    const char *what = o->order > 1 ? "--order"
                       : o->slow    ? "the stability of slowly varying amplitudes"
                       : o->winding ? "--winding"
                                    : NULL;
    return what ? zw_forced_tones_reject(f, what, err) : ZW_OK;
}

static zw_status find_tones(zw_forced *f, zw_error *err) {
    ZW_TRY(
        zw_forcing_tones(&f->forcing, f->p, f->has_over ? f->over.parameter : -1, &f->tones, err));
    return f->options.halved
               ? zw_forcing_tones_halve(&f->forcing, &f->tones, f->options.halved, err)
               : ZW_OK;
}

/* makes equations and observables for any phases */
static zw_status make_torus(zw_forced *f, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    zw_expr *seen = ZW_NEW(&f->arena, zw_expr, f->sys->nobservable + 1);
    zw_forcing all;
    if (!seen)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->sys->nobservable; i++)
        seen[i] = f->sys->observable[i].value;
    ZW_TRY(zw_forcing_find_with(&all, &f->eq, f->sys->nobservable, seen, err));
    if (all.n > f->forcing.n || all.nother)
        return zw_fail(err, ZW_E_MODEL,
                       "an observable depends on time in another way than the equations of motion");
    f->forcing = all;
    ZW_TRY(find_tones(f, err));
    ZW_TRY(zw_forcing_phases(&f->forcing, &f->tones, &f->torus_eq, err));
    o.jit = ZW_JIT_WHEN_IT_PAYS;
    o.functions = ZW_FUNCTIONS_ALL_METHODS;
    ZW_TRY(zw_kernel_create(&f->torus_kernel, &f->torus_eq, &o, err));
    return zw_flow_create(&f->torus_flow, f->torus_kernel, f->p, err);
}

zw_status zw_forced_tones_find(zw_forced *f, zw_error *err) {
    _Static_assert((int)ZW_TONES_MAX == (int)ZW_PHASES_MAX, "one phase for each excitation");
    ZW_TRY(find_tones(f, err));
    if (!zw_forced_has_tones(f))
        return ZW_OK;
    for (int j = 0; j < f->tones.n; j++)
        f->tone_name[j] = zw_forcing_tone_name(&f->forcing, &f->tones, j);
    ZW_TRY(reject_options(f, err));
    return make_torus(f, err);
}

/* --------------------------------------------------------------------------------- combinations */

enum {
    FIRST = 5, /* |k_1| + |k_2| of the first level, for two and for three frequencies */
    FIRST_THREE = 3,
    NEIGHBOUR_LENGTH = 2, /* largest |k - k'| of neighbours */
    DRIVES = 12,          /* frequencies of the excitation whose sums are neighbours */
    GUESSED_LINES = 40,   /* of excitations with a common base */
    UNKNOWNS = 2400       /* largest number of coefficients in all functions */
};
/* relative to the tolerance: size of harmonics whose neighbours are considered; products with
 * smaller ones are below the tolerance */
#define NEIGHBOUR_MATTERS 0.02
/* relative to the tolerance: change by the finer equations from which on a combination is added;
 * some tens of smaller ones stay below the tolerance */
#define CHANGE_ADDED 0.1

static int vector_length(const zw_forced *f, const int *k) {
    int sum = 0;
    for (int j = 0; j < f->tones.n; j++)
        sum += k[j] < 0 ? -k[j] : k[j];
    return sum;
}

int zw_forced_tones_count(const zw_forced *f, const zw_forced_motion *m) {
    return (m->ncoefficient + !f->options.odd) / 2;
}

int zw_forced_tones_length(const zw_forced *f, int n) {
    int largest = 0;
    for (int i = 0; i < n; i++) {
        int length = vector_length(f, f->vector + (size_t)(i * f->tones.n));
        largest = length > largest ? length : largest;
    }
    return largest;
}

int zw_forced_tones_scale(const zw_forced *f, int phase) {
    return f->options.halved >> phase & 1 ? 2 : 1;
}

/* In motions with half of a sum of frequencies all multiples of this sum are even, or all are
 * odd. */
static bool has_equal_parity(const zw_forced *f, const int *k) {
    int parity = -1;
    for (int j = 0; j < f->tones.n; j++)
        if (zw_forced_tones_scale(f, j) == 2) {
            int odd = k[j] % 2 != 0;
            if (parity >= 0 && odd != parity)
                return false;
            parity = odd;
        }
    return true;
}

bool zw_forced_tones_is_half(const zw_forced *f, const int *k) {
    for (int j = 0; j < f->tones.n; j++)
        if (zw_forced_tones_scale(f, j) == 2 && k[j] % 2 != 0)
            return true;
    return false;
}

/* chooses one of k and -k, as harmonic balance does */
static void normalise_sign(const zw_forced *f, int *k) {
    int last = f->tones.n - 1;
    while (last > 0 && k[last] == 0)
        last--;
    for (int j = 0; k[last] < 0 && j <= last; j++)
        k[j] = -k[j];
}

static bool contains_vector(const zw_forced *f, const int *list, int n, const int *k) {
    for (int i = 0; i < n; i++)
        if (memcmp(list + (size_t)(i * f->tones.n), k, sizeof(int) * (size_t)f->tones.n) == 0)
            return true;
    return false;
}

static zw_status add_vector(zw_forced *f, const int *k, zw_error *err) {
    size_t size = sizeof(int) * (size_t)f->tones.n;
    if (!zw_arena_grow(&f->arena, (void **)&f->vector, f->nvector, &f->vector_capacity, size))
        return zw_out_of_memory(err, NULL);
    memcpy(f->vector + (size_t)(f->nvector++ * f->tones.n), k, size);
    return ZW_OK;
}

/* Lists the frequencies of the excitation as vectors, each once; returns their number. */
static int list_drives(const zw_forced *f, int drive[DRIVES][ZW_TONES_MAX]) {
    int n = 0;
    for (int i = 0; i < f->forcing.n && n < DRIVES; i++) {
        int k[ZW_TONES_MAX];
        memcpy(k, f->tones.multiple[i], sizeof k);
        normalise_sign(f, k);
        bool is_known = vector_length(f, k) == 0;
        for (int j = 0; j < n; j++)
            is_known |= memcmp(drive[j], k, sizeof(int) * (size_t)f->tones.n) == 0;
        if (!is_known)
            memcpy(drive[n++], k, sizeof k);
    }
    return n;
}

/* Is the frequency of a phase that of an excitation? It may be a fraction that several have in
 * common, whose multiples mean nothing to the motion. */
static bool is_driven_phase(const zw_forced *f, int phase) {
    int scale = zw_forced_tones_scale(f, phase);
    for (int i = 0; i < f->forcing.n; i++) {
        const int *k = f->tones.multiple[i];
        if (abs(k[phase]) == scale && vector_length(f, k) == scale)
            return true;
    }
    return scale > 1;
}

static bool has_common_base(const zw_forced *f) {
    for (int j = 0; j < f->tones.n; j++)
        if (!is_driven_phase(f, j))
            return true;
    return false;
}

/* The first level of excitations with a common base: sums of up to so many of them, the shortest
 * first. With odd combinations only those that the balance may have. */
static zw_status first_sums(zw_forced *f, int top, zw_error *err) {
    int drive[DRIVES][ZW_TONES_MAX], n = list_drives(f, drive), k[ZW_TONES_MAX], from = 0;
    int tones = f->tones.n, largest = UNKNOWNS / (4 * f->nfunction + 1);
    int *list = ZW_NEW(&f->arena, int, (largest + 2 * n + 1) * tones + 1), count = 1;
    if (!list)
        return zw_out_of_memory(err, NULL);
    memset(list, 0, sizeof(int) * (size_t)tones);
    for (int length = 1; length <= top && count < largest; length++) {
        int until = count;
        for (; from < until && count < largest; from++)
            for (int i = 0; i < 2 * n; i++) {
                for (int j = 0; j < tones; j++)
                    k[j] = list[from * tones + j] + (i % 2 ? -drive[i / 2][j] : drive[i / 2][j]);
                normalise_sign(f, k);
                if (!contains_vector(f, list, count, k))
                    memcpy(list + (size_t)(count++ * tones), k, sizeof(int) * (size_t)tones);
            }
    }
    for (int i = 0; i < count; i++)
        if (!f->options.odd || vector_length(f, list + (size_t)(i * tones)) % 2)
            ZW_TRY(add_vector(f, list + (size_t)(i * tones), err));
    return ZW_OK;
}

static zw_status first_level(zw_forced *f, zw_error *err) {
    if (!f->options.harmonics && !f->options.halved && has_common_base(f)) {
        int drive[DRIVES][ZW_TONES_MAX];
        return first_sums(f, list_drives(f, drive) > 2 ? FIRST_THREE : FIRST, err);
    }
    int top = f->tones.n > 2 ? FIRST_THREE : FIRST;
    top = f->options.harmonics      ? f->options.harmonics
          : top > f->highest_driven ? top
                                    : f->highest_driven;
    top *= f->options.halved ? 2 : 1;
    int n = zw_harmonic_vectors(f->tones.n, top, f->options.odd, NULL);
    int *list = ZW_NEW(&f->arena, int, n * f->tones.n + 1);
    if (!list)
        return zw_out_of_memory(err, NULL);
    zw_harmonic_vectors(f->tones.n, top, f->options.odd, list);
    for (int i = 0; i < n; i++)
        if (has_equal_parity(f, list + (size_t)(i * f->tones.n)))
            ZW_TRY(add_vector(f, list + (size_t)(i * f->tones.n), err));
    return ZW_OK;
}

/* adds the combinations with the largest changes by the finer equations, which have the neighbours
 * after the present combinations */
static zw_status next_level(zw_forced *f, zw_error *err) {
    int known = f->level[f->nlevel - 1], largest = UNKNOWNS / (2 * f->nfunction + 1);
    const int tones = f->tones.n;
    for (int h = known; h < f->nfiner && zw_harmonic_count(f->finer) == f->nfiner; h++)
        if (f->finer_change[h] > CHANGE_ADDED * f->options.tolerance && f->nvector < largest) {
            int k[ZW_TONES_MAX];
            memcpy(k, zw_harmonic_vector(f->finer, h), sizeof(int) * (size_t)tones);
            if (!contains_vector(f, f->vector, f->nvector, k))
                ZW_TRY(add_vector(f, k, err));
        }
    f->level_full = f->nvector == known || f->nvector >= largest;
    return ZW_OK;
}

zw_status zw_forced_tones_seed(zw_forced *f, const zw_forced *parent, int n, zw_error *err) {
    int known = f->nvector, tones = f->tones.n, k[ZW_TONES_MAX];
    for (int h = 0; h < n; h++) {
        for (int j = 0; j < tones; j++)
            k[j] = parent->vector[h * tones + j] * zw_forced_tones_scale(f, j);
        if (!contains_vector(f, f->vector, f->nvector, k))
            ZW_TRY(add_vector(f, k, err));
    }
    if (f->nvector == known)
        return ZW_OK;
    f->level[f->nlevel++] = f->nvector;
    return zw_forced_set_harmonics(f, f->nlevel - 1, err);
}

zw_status zw_forced_tones_grow(zw_forced *f, zw_error *err) {
    ZW_TRY(f->nlevel ? next_level(f, err) : first_level(f, err));
    f->level[f->nlevel++] = f->nvector;
    f->level_full |= f->nlevel == ZW_FORCED_LEVELS;
    return ZW_OK;
}

/* Is harmonic h of f->x large enough for its neighbours to matter? */
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
    double least = NEIGHBOUR_MATTERS * f->options.tolerance;
    return size > least * least * all || all == 0;
}

/* Neighbour number i of k, at most NEIGHBOUR_LENGTH from it, in halves for half frequencies; false:
 * it is farther away. */
static bool find_neighbour(const zw_forced *f, int i, const int *k, int *out) {
    int distance = 0;
    for (int j = 0; j < f->tones.n; j++) {
        int scale = zw_forced_tones_scale(f, j), largest = NEIGHBOUR_LENGTH * scale,
            step = i % (2 * largest + 1) - largest;
        i /= 2 * largest + 1;
        if (step && !is_driven_phase(f, j))
            return false;
        distance += (step < 0 ? -step : step) * 2 / scale;
        out[j] = k[j] + step;
    }
    normalise_sign(f, out);
    return distance <= 2 * NEIGHBOUR_LENGTH;
}

/* Neighbour number i of k by excitations with a common base: one or two of n are added or
 * subtracted. */
static void add_drives(const zw_forced *f, int i, int n, int drive[DRIVES][ZW_TONES_MAX],
                       const int *k, int *out) {
    int first = i % (2 * n), second = i / (2 * n); /* second 0: none */
    for (int j = 0; j < f->tones.n; j++) {
        out[j] = k[j] + (first % 2 ? -drive[first / 2][j] : drive[first / 2][j]);
        if (second)
            out[j] += (second - 1) % 2 ? -drive[(second - 1) / 2][j] : drive[(second - 1) / 2][j];
    }
    normalise_sign(f, out);
}

/* a list of combinations without repetitions */
typedef struct combinations {
    const zw_forced *f;
    bool even;
    int *vector, n;
} combinations;

static void add_combination(combinations *c, const int *k) {
    const zw_forced *f = c->f;
    bool parity = !f->options.odd || (vector_length(f, k) % 2 != 0) != c->even;
    if (parity && has_equal_parity(f, k) && !contains_vector(f, c->vector, c->n, k))
        memcpy(c->vector + (size_t)(c->n++ * f->tones.n), k, sizeof(int) * (size_t)f->tones.n);
}

zw_status zw_forced_tones_with_neighbours(zw_forced *f, bool even, int **vector, int *n,
                                          zw_error *err) {
    int tones = f->tones.n, known = f->level[f->top], neighbours = 1, k[ZW_TONES_MAX];
    int drive[DRIVES][ZW_TONES_MAX], drives = has_common_base(f) ? list_drives(f, drive) : 0,
                                     sums = 2 * drives * (2 * drives + 1);
    for (int j = 0; j < tones; j++)
        neighbours *= 2 * NEIGHBOUR_LENGTH * zw_forced_tones_scale(f, j) + 1;
    int *list =
        ZW_NEW(&f->arena, int, (known * (neighbours + sums + 1) + f->nmissing + 1) * tones + 1);
    if (!list)
        return zw_out_of_memory(err, NULL);
    combinations all = {f, even, list, 0};
    if (even) /* the mean comes first, and is a neighbour of the others */
        memset(list, 0, sizeof(int) * (size_t)(tones * ++all.n));
    memcpy(list + (size_t)(all.n * tones), f->vector, sizeof(int) * (size_t)(known * tones));
    all.n += known;
    for (int i = 0; i < f->nmissing; i++) {
        add_combination(&all, f->missing[i]);
        if (!even && !has_equal_parity(f, f->missing[i])) /* cannot be among the combinations */
            f->unseen = hypot(f->unseen, f->missing_size[i]);
    }
    for (int h = 0; h < known; h++) {
        const int *from = f->vector + (size_t)(h * tones);
        if (!is_large(f, h))
            continue;
        for (int i = 0; i < neighbours; i++)
            if (find_neighbour(f, i, from, k) &&
                (vector_length(f, k) <= f->options.harmonics_max || f->options.harmonics))
                add_combination(&all, k);
        for (int i = 0; i < sums; i++) {
            add_drives(f, i, drives, drive, from, k);
            add_combination(&all, k);
        }
    }
    *vector = list;
    *n = all.n;
    return ZW_OK;
}

double zw_forced_slowest(const zw_forced *f, const double *W) {
    double least = W[0];
    for (int j = 1; j < f->tones.n; j++)
        least = fmin(least, W[j]);
    return least;
}

double zw_forced_fastest(const zw_forced *f, const double *W) {
    double largest = W[0];
    for (int j = 1; j < f->tones.n; j++)
        largest = fmax(largest, W[j]);
    return largest;
}

static double combination_frequency(const zw_forced *f, const int *k, const double *W) {
    double w = 0;
    for (int j = 0; j < f->tones.n; j++)
        w += k[j] * W[j];
    return w;
}

/* ------------------------------------------------------------------------------------ the guess */

/* the weight of a mean over s from 0 to 1 */
double zw_forced_weight(double s) {
    return s > 0 && s < 1 ? exp(-1 / (s * (1 - s))) : 0;
}

/* means of a column times cos(w t) and sin(w t) over the rows from t = from on */
static void weighted_mean(const zw_table *rows, int column, double w, double from, double until,
                          double *c, double *s) {
    double all = 0;
    *c = *s = 0;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double t = zw_table_at(rows, i, 0), weight = zw_forced_weight((t - from) / (until - from)),
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
    double period = 2 * M_PI / zw_forced_slowest(f, W), from = f->options.settle * period,
           until = from + WINDOW * period;
    zw_status status = zw_forced_run_start(
        f, value, until, 2 * M_PI / zw_forced_fastest(f, W) / POINTS, &sim, &trouble);
    int n = zw_harmonic_coefficients(f->balance);
    bool by_length = f->options.harmonics || f->options.halved || !has_common_base(f);
    for (int i = 0; status >= 0 && i < f->nfunction; i++) {
        int column = zw_table_find(zw_sim_rows(sim), zw_forced_function_name(f, i));
        for (int h = 0, at = 0; column >= 0 && h < zw_harmonic_count(f->balance); h++) {
            const int *k = zw_harmonic_vector(f->balance, h);
            double c, s, w = combination_frequency(f, k, W);
            int length = 0;
            for (int j = 0; j < f->tones.n; j++)
                length += k[j] < 0 ? -k[j] : k[j];
            if (by_length ? length > GUESSED : h >= GUESSED_LINES)
                break;
            weighted_mean(zw_sim_rows(sim), column, w, from, until, &c, &s);
            f->x[i * n + at++] = length ? 2 * c : c;
            if (length)
                f->x[i * n + at++] = 2 * s;
        }
    }
    zw_sim_destroy(sim);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    return status < 0 ? ZW_RETRY : ZW_OK;
}
