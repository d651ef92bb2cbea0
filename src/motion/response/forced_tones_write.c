/* SPDX-License-Identifier: MIT */
/* Quasi-periodic motions in reports and tables: their lines at combinations of the
 * excitation frequencies, Lyapunov exponents, and the effect of frequencies close to a common
 * period. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/motion_words.h"
#include "motion/notes.h"

enum { LINES = 6, EXPONENT = 8, NAME = 160, LONGEST = 12, RESONANCES = 3 };
/* relative to the largest line of a coordinate: lines below are not listed */
#define LINE_LISTED 1e-4
/* relative to the lowest frequency: a combination so slow is nearly a common period; its beat lasts
 * a thousand periods */
#define RESONANCE_NEAR 1e-3
/* relative to the mean square of a motion: a smaller dependence on the phase between excitations is
 * ignored */
#define PHASE_MATTERS 1e-3

/* a harmonic of a motion */
typedef struct line {
    const int *k;
    double w, size; /* frequency [rad/s]; amplitude */
} line;

/* the name of a combination, "2*Omega_1 - Omega_2" */
static void combination_name(const zw_forced *f, const int *k, char *out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (int j = 0; j < f->tones.n && used < size; j++) {
        if (k[j] == 0)
            continue;
        bool sum = strpbrk(f->tone_name[j], "+-") != NULL;
        const char *sign = k[j] < 0 ? (used ? " - " : "-") : used ? " + " : "";
        char times[16] = "";
        if (abs(k[j]) > 1)
            snprintf(times, sizeof times, "%d*", abs(k[j]));
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s%s", sign, times, sum ? "(" : "",
                                 f->tone_name[j], sum ? ")" : "");
    }
    if (!out[0])
        snprintf(out, size, "mean");
}

static double combination_frequency(const zw_forced *f, const zw_forced_motion *m, const int *k) {
    double w = 0;
    for (int j = 0; j < f->tones.n; j++)
        w += k[j] * m->frequency[j];
    return w;
}

static int compare_sizes(const void *a, const void *b) {
    const line *u = a, *v = b;
    return u->size < v->size ? 1 : u->size > v->size ? -1 : 0;
}

/* the combinations of a motion (n x phases) */
static const int *motion_vectors(const zw_forced *f, const zw_forced_motion *m, int *n) {
    *n = zw_forced_tones_count(f, m);
    return f->vector;
}

/* lists all lines of a function with positive frequencies, without the mean; out: n entries */
static int list_lines(const zw_forced *f, const zw_forced_motion *m, int function, int n,
                      const int *vector, line *out) {
    int count = 0;
    for (int h = 0, at = 0; h < n; h++) {
        const int *k = vector + (size_t)(h * f->tones.n);
        bool mean = h == 0 && !f->options.odd;
        double c = m->x[function * m->ncoefficient + at],
               s = mean ? 0 : m->x[function * m->ncoefficient + at + 1],
               w = combination_frequency(f, m, k);
        at += mean ? 1 : 2;
        if (!mean)
            out[count++] = (line){k, fabs(w), hypot(c, s)};
    }
    return count;
}

/* --------------------------------------------------------------------------------------- report */

void zw_forced_tones_stability(const zw_forced_motion *m, char *out, size_t size) {
    if (m->outside < 0)
        snprintf(out, size, "stability not known");
    else if (m->verdict == ZW_FLOQUET_STABLE)
        snprintf(out, size, "stable");
    else if (m->verdict == ZW_FLOQUET_UNSTABLE)
        snprintf(out, size, "unstable, %d positive Lyapunov exponent%s", m->outside,
                 m->outside == 1 ? "" : "s");
    else
        snprintf(out, size, "stability undecided: a Lyapunov exponent is zero within its error");
}

void zw_forced_tones_say(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_report_say(out, "; quasi-periodic, frequencies ");
    zw_report_list(out, "excitations");
    for (int j = 0; j < f->tones.n; j++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", f->tone_name[j]);
        zw_report_number(out, "frequency", m->frequency[j], &(zw_shown){.unit = "rad/s"});
        zw_report_say(out, j ? ", {name} = {frequency}" : "{name} = {frequency}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, "; combinations up to {harmonics}");
}

static void report_exponents(zw_report *out, const zw_forced_motion *m) {
    double sum = 0;
    for (int j = 0; j < m->nexponent; j++)
        sum += m->exponent[j];
    zw_report_vector(out, "exponents", m->nexponent, m->exponent, m->exponent_error,
                     &(zw_shown){.si_unit = "1/s", .digits = EXPONENT});
    zw_report_number(out, "exponents_accuracy", m->accuracy, &(zw_shown){.digits = 1});
    zw_report_number(out, "divergence", m->divergence,
                     &(zw_shown){.si_unit = "1/s", .digits = EXPONENT});
    zw_report_number(out, "sum_minus_divergence", fabs(sum - m->divergence),
                     &(zw_shown){.si_unit = "1/s", .digits = 1});
    if (m->nexponent)
        zw_report_say(out, "    Lyapunov exponents [1/s] {exponents}, to {exponents_accuracy}"
                           "{divergence?; their sum differs from the mean divergence {divergence} "
                           "by {sum_minus_divergence}}\n");
}

/* the largest lines of a coordinate */
static void report_lines(zw_report *out, const zw_forced *f, const zw_forced_motion *m,
                         const zw_coord *c, int count, line *all) {
    qsort(all, (size_t)count, sizeof *all, compare_sizes);
    zw_report_open(out, NULL);
    zw_report_word(out, "name", c->name);
    zw_report_list(out, "lines");
    for (int k = 0; k < count && k < LINES && all[k].size > LINE_LISTED * all[0].size; k++) {
        char name[NAME];
        int signed_vector[ZW_TONES_MAX];
        for (int j = 0; j < f->tones.n; j++)
            signed_vector[j] = (combination_frequency(f, m, all[k].k) < 0 ? -1 : 1) * all[k].k[j];
        combination_name(f, signed_vector, name, sizeof name);
        zw_report_open(out, NULL);
        zw_report_number(out, "amplitude", all[k].size, &(zw_shown){.unit = c->unit, .digits = 6});
        zw_report_word(out, "combination", name);
        zw_report_number(out, "frequency", all[k].w, &(zw_shown){.unit = "rad/s", .digits = 6});
        zw_report_say(out, k ? ", {amplitude} at {combination} = {frequency}"
                             : "    {amplitude} at {combination} = {frequency} ({name})");
        zw_report_close(out);
    }
    zw_report_close(out);
    if (count && all[0].size > 0)
        zw_report_say(out, "\n");
    zw_report_close(out);
}

static void report_spectrum(zw_report *out, const zw_forced *f, const zw_forced_motion *m, int n,
                            const int *vector, line *all) {
    zw_report_list(out, "spectrum");
    for (int i = 0; i < f->sys->nq; i++)
        report_lines(out, f, m, &f->sys->coord[i], list_lines(f, m, i, n, vector, all), all);
    zw_report_close(out);
}

/* all combinations, in the order of the coefficients */
static void report_combinations(zw_report *out, const zw_forced *f, const zw_forced_motion *m,
                                int n, const int *vector) {
    zw_report_list(out, "combinations");
    for (int h = 0; h < n; h++) {
        const int *k = vector + (size_t)(h * f->tones.n);
        double multiple[ZW_TONES_MAX];
        char name[NAME];
        for (int j = 0; j < f->tones.n; j++)
            multiple[j] = k[j];
        combination_name(f, k, name, sizeof name);
        zw_report_open(out, NULL);
        zw_report_vector(out, "multiples", f->tones.n, multiple, NULL, NULL);
        zw_report_word(out, "name", name);
        zw_report_number(out, "frequency", combination_frequency(f, m, k),
                         &(zw_shown){.unit = "rad/s"});
        zw_report_close(out);
    }
    zw_report_close(out);
}

void zw_forced_tones_report(zw_report *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_arena *arena = (zw_arena *)&f->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    int n;
    const int *vector = motion_vectors(f, m, &n);
    line *all = ZW_NEW(arena, line, n + 1);
    report_exponents(out, m);
    if (vector && all) {
        report_spectrum(out, f, m, n, vector, all);
        report_combinations(out, f, m, n, vector);
    }
    zw_arena_release(arena, mark);
}

void zw_forced_tones_report_half(zw_report *out, const zw_forced *f) {
    char halved[NAME] = "";
    size_t used = 0;
    for (int j = 0; j < f->tones.n && used < sizeof halved; j++)
        if (zw_forced_tones_scale(f, j) == 2)
            used += (size_t)snprintf(halved + used, sizeof halved - used, "%s%s", used ? " + " : "",
                                     f->parent ? f->parent->tone_name[j] : f->tone_name[j]);
    zw_report_word(out, "halved", halved);
    zw_report_say(out, "  with half of the frequency {halved}\n");
}

const char *zw_forced_tones_sentence(zw_bifurcation event) {
    switch (event) {
    case ZW_BIFURCATION_BRANCH:
        return "a Lyapunov exponent passes zero: another curve crosses, or a symmetry breaks";
    case ZW_BIFURCATION_FLIP:
        return "a Lyapunov exponent passes zero: a motion with half of a combination of the "
               "frequencies branches off (period doubling)";
    case ZW_BIFURCATION_TORUS:
        return "two Lyapunov exponents pass zero: a further frequency appears (Neimark, Sacker)";
    default:
        return zw_motion_event_sentence(event);
    }
}

/* ------------------------------------------------------------------------------------- spectrum */

static zw_status spectrum_columns(const zw_forced *f, int phases, zw_table *t) {
    char name[NAME];
    ZW_TRY(zw_table_column(t, "frequency", "rad/s"));
    for (int j = 0; j < phases; j++) {
        snprintf(name, sizeof name, "k%d", j + 1);
        ZW_TRY(zw_table_column(t, name, ""));
    }
    for (int i = 0; i < f->sys->nq; i++)
        for (int is_phase = 0; is_phase < 2; is_phase++) {
            snprintf(name, sizeof name, "%s(%.120s)", is_phase ? "phase" : "amplitude",
                     f->sys->coord[i].name);
            ZW_TRY(zw_table_column(t, name, is_phase ? "rad" : f->sys->coord[i].unit));
        }
    return ZW_OK;
}

static int compare_frequencies(const void *a, const void *b) {
    const double *u = a, *v = b;
    return u[0] < v[0] ? -1 : u[0] > v[0];
}

static zw_status spectrum_rows(const zw_forced *f, const zw_forced_motion *m, zw_arena *arena,
                               zw_table *t) {
    int n, phases = zw_forced_phases(f), nq = f->sys->nq, width = 1 + phases + 2 * nq;
    const int *vector = phases > 1
                            ? motion_vectors(f, m, &n)
                            : zw_forced_list_harmonics(f, arena, m->harmonics, f->options.odd, &n);
    double *rows = ZW_NEW(arena, double, n *width + 1);
    if (!vector || !rows)
        return ZW_E_MEMORY;
    for (int h = 0, at = 0; h < n; h++) {
        double *row = rows + (size_t)(h * width), w = 0;
        bool mean = h == 0 && !f->options.odd;
        for (int j = 0; j < phases; j++)
            w += vector[h * phases + j] * (phases > 1 ? m->frequency[j] : m->w);
        row[0] = fabs(w);
        for (int j = 0; j < phases; j++)
            row[1 + j] = (w < 0 ? -1 : 1) * vector[h * phases + j];
        for (int i = 0; i < nq; i++) {
            double c = m->x[i * m->ncoefficient + at],
                   s = mean ? 0 : m->x[i * m->ncoefficient + at + 1];
            row[1 + phases + 2 * i] = mean ? fabs(c) : hypot(c, s);
            row[2 + phases + 2 * i] = mean ? (c < 0 ? M_PI : 0) : atan2(w < 0 ? s : -s, c);
        }
        at += mean ? 1 : 2;
    }
    qsort(rows, (size_t)n, sizeof(double) * (size_t)width, compare_frequencies);
    for (int h = 0; h < n; h++)
        ZW_TRY(zw_table_row(t, rows + (size_t)(h * width)));
    return ZW_OK;
}

zw_status zw_forced_spectrum(zw_forced *f, int number, const zw_model_source *source,
                             zw_table **out, zw_error *err) {
    assert(out);
    const zw_forced_motion *m = &f->motion[number];
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    *out = NULL;
    if (m->state || m->march)
        return zw_fail(err, ZW_E_OPTION, "a motion that was integrated has no harmonics to list");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? spectrum_columns(f, zw_forced_phases(f), *out) : ZW_E_MEMORY;
    if (status >= 0)
        status = zw_study_origin(*out, f->sys, f->eq.principle, f->p, f->options.active, source,
                                 "spectrum");
    if (status >= 0)
        status = spectrum_rows(f, m, &f->arena, *out);
    zw_arena_release(&f->arena, mark);
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of harmonics could not be made");
}

/* ----------------------------------------------------------------------------------- resonances */

/* The dependence of the mean square of a motion on the phase between its excitations where k W = 0,
 * and harmonics that differ by k have the same frequency: 2 sum |c_a| |c_(a + k)| relative to sum
 * |c|^2. */
static double phase_dependence(const zw_forced *f, const zw_forced_motion *m, int n,
                               const int *vector, const int *k) {
    int tones = f->tones.n;
    double all = 0, mixed = 0;
    for (int i = 0; i < f->sys->nq; i++) {
        const double *x = m->x + (size_t)(i * m->ncoefficient);
        double scale = 1 / (f->scale[i] * f->scale[i]);
        bool mean = !f->options.odd;
        for (int a = 0; a < n; a++) {
            int at = mean ? 2 * a - (a > 0) : 2 * a;
            double size = mean && a == 0 ? M_SQRT2 * fabs(x[0]) : hypot(x[at], x[at + 1]);
            all += scale * size * size;
            for (int b = a + 1; b < n && size > 0; b++) {
                bool is_difference = true, is_sum = true; /* a - b or a + b is k, up to its sign */
                int sign = 0, sum_sign = 0;
                for (int j = 0; j < tones; j++) {
                    int u = vector[a * tones + j], v = vector[b * tones + j];
                    if (k[j] && !sign)
                        sign = u - v == k[j] ? 1 : -1;
                    if (k[j] && !sum_sign)
                        sum_sign = u + v == k[j] ? 1 : -1;
                }
                for (int j = 0; j < tones; j++) {
                    int u = vector[a * tones + j], v = vector[b * tones + j];
                    is_difference &= u - v == sign * k[j];
                    is_sum &= u + v == sum_sign * k[j];
                }
                if (is_difference || is_sum)
                    mixed += scale * 2 * size * hypot(x[2 * b - mean], x[2 * b - mean + 1]);
            }
        }
    }
    return all > 0 ? mixed / all : 0;
}

typedef struct resonance {
    const int *k;
    /* value of the parameter; dependence on the phase (phase_dependence); |k W| [rad/s], 0 where a
     * curve crosses it */
    double value, weight, beat;
} resonance;

/* inserts a resonance into the list, which has the strongest one of each k */
static void insert_resonance(resonance *list, int *n, resonance r) {
    int at = *n;
    for (int i = 0; i < *n; i++)
        if (list[i].k == r.k)
            at = i;
    for (int i = 0; at == RESONANCES && i < RESONANCES; i++)
        if (list[i].weight < r.weight && (at == RESONANCES || list[i].weight < list[at].weight))
            at = i;
    if (at == RESONANCES || (at < *n && list[at].weight >= r.weight))
        return;
    list[at] = r;
    *n += at == *n;
}

static bool is_combination(int tones, const int *k) {
    int used = 0;
    for (int j = 0; j < tones; j++)
        used += k[j] != 0;
    return used > 1;
}

/* finds the resonances of a motion, or between it and the next one of its curve */
static void find_resonances(const zw_forced *f, int i, int n, const int *all, resonance *list,
                            int *count) {
    zw_arena *arena = (zw_arena *)&f->arena;
    const zw_forced_motion *m = &f->motion[i];
    bool has_next = i + 1 < f->nmotion && m->curve >= 0 && m[1].curve == m->curve;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    int nvector;
    const int *vector = motion_vectors(f, m, &nvector);
    double slowest = m->frequency[0];
    for (int j = 1; j < f->tones.n; j++)
        slowest = fmin(slowest, m->frequency[j]);
    for (int h = 0; vector && h < n; h++) {
        const int *k = all + (size_t)(h * f->tones.n);
        double w = combination_frequency(f, m, k),
               next = has_next ? combination_frequency(f, m + 1, k) : w;
        bool passes = (w < 0) != (next < 0);
        if (!is_combination(f->tones.n, k) || (fabs(w) > RESONANCE_NEAR * slowest && !passes))
            continue;
        double weight = phase_dependence(f, m, nvector, vector, k),
               fraction = passes ? w / (w - next) : 0;
        if (weight > PHASE_MATTERS)
            insert_resonance(
                list, count,
                (resonance){k, has_next ? m->value + fraction * (m[1].value - m->value) : m->value,
                            weight, passes ? 0 : fabs(w)});
    }
    zw_arena_release(arena, mark);
}

static void warn_resonance(const zw_forced *f, const resonance *r, zw_warnings *out) {
    char name[NAME];
    zw_warning d;
    combination_name(f, r->k, name, sizeof name);
    if (f->has_over) {
        d = zw_warning_of(
            "resonance", NAN,
            "near %s = %.6g%s%s, where %s = 0, the excitations have a common period: "
            "there the motion depends on the phase between them, by up to %.2g of its "
            "mean square, and the curve is valid for a drifting phase",
            f->over.name, r->value / f->over.factor, f->over.unit[0] ? " " : "", f->over.unit, name,
            r->weight);
        zw_warning_hint(&d,
                        "with %s set to this value zwang response finds the motions with the "
                        "common period",
                        f->over.name);
    } else {
        d = zw_warning_of("resonance", NAN,
                          "%s = %.2g rad/s is small: in times shorter than %.2g s mean squares "
                          "differ from those reported by up to %.2g of their size",
                          name, r->beat, 2 * M_PI / r->beat, r->weight);
        zw_warning_hint(&d, "with frequencies in a ratio of small integers the motion is periodic "
                            "and depends on the phase between the excitations");
    }
    zw_warnings_add(out, &d);
}

/* a remainder that no combination explains is reported above the tolerance: it cannot be added */
static void warn_departure(const zw_forced *f, zw_warnings *out) {
    if (f->worst_unseen <= f->options.tolerance)
        return;
    zw_warning d =
        isinf(f->worst_unseen)
            ? zw_warning_of("departure", NAN,
                            "the equations of motion have no values somewhere over the phases of "
                            "the motion")
            : zw_warning_of("departure", NAN,
                            "over the phases, rates of the motion depart from the equations of "
                            "motion by %.1e of their size%s, in lines that are too many or too "
                            "fast to be found",
                            f->worst_unseen, f->has_over ? ", at worst" : "");
    zw_warning_hint(&d, "--out integrates the motion and reports the deviation");
    zw_warnings_add(out, &d);
}

void zw_forced_tones_warnings(const zw_forced *f, zw_warnings *out) {
    warn_departure(f, out);
    zw_arena *arena = (zw_arena *)&f->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    resonance list[RESONANCES];
    int n = zw_harmonic_vectors(f->tones.n, LONGEST, false, NULL), count = 0, unknown = 0;
    int *all = ZW_NEW(arena, int, n * f->tones.n + 1);
    if (all)
        zw_harmonic_vectors(f->tones.n, LONGEST, false, all);
    for (int i = 0; all && i < f->nmotion; i++)
        find_resonances(f, i, n, all, list, &count);
    for (int i = 0; i < count; i++)
        warn_resonance(f, &list[i], out);
    zw_arena_release(arena, mark);
    for (int i = 0; i < f->nmotion; i++)
        unknown += f->options.stability && f->motion[i].outside < 0;
    if (!unknown)
        return;
    zw_warning d = zw_warning_of("exponents", NAN,
                                 "the Lyapunov exponents of %d of %d motions could not be found",
                                 unknown, f->nmotion);
    zw_warnings_add(out, &d);
}
