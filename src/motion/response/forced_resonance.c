/* SPDX-License-Identifier: MIT */
/* Families of free motions that begin with resonant modes. If the frequencies of some modes are w
 * and 2 w, 3 w (or w again), every combination
 *
 *     q = q_0 + Re sum_k c_k u_k e^{i n_k w t},     n_k = 1, 2 or 3,
 *
 * is a small oscillation with the period of w. Nonlinear terms decide which of them begin families
 * of periodic motions: the critical points, up to a phase, of the averaged energy on sum |c_k|^2 =
 * const (A. Weinstein, Invent. Math. 20 (1973) 47-57; J. Moser, Comm. Pure Appl. Math. 29 (1976)
 * 727-747: at least as many as there are modes). They are found by harmonic balance itself: by
 * Newton's method at a small amplitude, from many combinations. Along them, the matrix and the
 * residual are small by the same power of the amplitude, so the convergence is that for the
 * averaged equations.
 *
 * A combination that several starts lead to is isolated. Others, which are found once each, form a
 * continuum, as with a symmetry that rotates them into each other, or with uncoupled modes; these
 * are not followed, with a warning. A motion and its time reversal are one family. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"

enum {
    MODES = 8,
    RANDOM = 96,
    SHAPES_MAX = 64,
    COORDINATES_SHOWN = 6,
    SINGLES_MAX = 2,
    RESIZES = 12
};
/* relative: difference of frequencies in resonance; frequencies of eigenvalues are exact to
 * round-off, and a nonlinear system with larger detuning has separate families */
#define FREQUENCIES_EQUAL 1e-6
/* Last correction, in the arclength, of Newton's method that has converged to a simple root; at a
 * multiple root it stops with larger ones. */
#define ROOT_SIMPLE 1e-9
/* relative: difference between the size of a motion and the common size, at which their shapes are
 * compared; it changes shapes by less than SAME_SHAPE */
#define SIZE_REACHED 1e-6
/* relative to the size of a motion: distance of shapes to which two starts led */
#define SAME_SHAPE 1e-4
/* relative to the size of a motion: least part with the period of the slow mode; less belongs to
 * the family of the fast mode */
#define SLOW_PART 0.02
/* relative: frequency from that of the mode; a solution farther away is no small oscillation */
#define DETUNING_MAX 0.05
/* size relative to the start, or inverse: a solution beyond is none either */
#define GROWTH_MAX 4
#define AMPLITUDE_ZERO 1e-3 /* relative to the largest amplitude: what is printed as 0 */
/* regularisation of the equations, relative to w^2 M: families of resonant modes may have
 * neighbours, so that the matrix is nearly singular; it changes no solution */
#define RIDGE_OF_FAMILY 1e-8
#define PHASE_OF_SIGN 1e-3 /* fraction of pi: phase that is printed as a sign */
/* relative to the frequency: first step of the secant for the Rayleigh quotient */
#define SECANT_STEP 1e-4
/* relative to the frequency of the mode: lower bound of the correction */
#define FREQUENCY_LEAST 1e-3
/* relative correction of free motions: near the equilibrium they differ from rest by little */
#define FAMILY_CORRECTED 1e-12
/* least sum of squares of a random combination, against division by zero */
#define RANDOM_LEAST 1e-12

typedef double complex complex_number;

typedef struct mode_group {
    int n, mode[MODES], times[MODES]; /* the modes and n_k, the first one with n = 1 */
} mode_group;

typedef struct shape_found {
    double *x, w;
    complex_number *shape; /* nq x 3: harmonics 1 to 3 in widths */
    double size;
    int hits;
} shape_found;

typedef struct resonance_search {
    zw_forced *f;
    mode_group g;
    double size;
    double *x, w; /* result of Newton's method */
    bool converged;
    double *residual; /* work of the Rayleigh quotient */
    complex_number *shape;
    shape_found list[SHAPES_MAX];
    int n;
    unsigned seed;
} resonance_search;

static mode_group group_of(const zw_forced *f, int mode) {
    mode_group g = {.n = 1, .mode = {mode}, .times = {1}};
    double w = f->family.frequency[mode];
    for (int i = 0; i < f->family.nmode && g.n < MODES; i++)
        for (int times = 1; times <= 3 && i != mode && g.n < MODES; times++)
            if (fabs(f->family.frequency[i] - times * w) < FREQUENCIES_EQUAL * times * w) {
                g.mode[g.n] = i;
                g.times[g.n++] = times;
            }
    return g;
}

bool zw_forced_is_resonant(const zw_forced *f, int mode) {
    return group_of(f, mode).n > 1;
}

/* index of the cosine of a harmonic among the coefficients of a function; -1: the series does not
 * contain it */
static int cosine_index(const zw_forced *f, int harmonic) {
    int at = f->options.odd ? (harmonic % 2 ? harmonic - 1 : -1) : 2 * harmonic - 1;
    return at >= 0 && at + 1 < zw_harmonic_coefficients(f->balance) ? at : -1;
}

/* ------------------------------------------------------------------------------------ one start */

/* puts the combination c, about the equilibrium, into x; its direction into toward */
static void put_combination(const resonance_search *s, const complex_number *c, double *x,
                            double *toward) {
    const zw_forced *f = s->f;
    int nx = f->kernel->nx, n = zw_harmonic_coefficients(f->balance),
        all = zw_harmonic_problem(f->balance).n, moving = f->nfunction - f->eq.nc;
    memset(x, 0, sizeof(double) * (size_t)all);
    memset(toward, 0, sizeof(double) * (size_t)(all + 1));
    for (int i = 0; i < f->nfunction; i++) {
        if (!f->options.odd)
            x[i * n] = f->family.rest[i];
        for (int k = 0; k < s->g.n && i < moving; k++) {
            int at = cosine_index(f, s->g.times[k]), m = s->g.mode[k] * nx + i;
            if (at < 0)
                continue;
            complex_number u = c[k] * (f->family.re[m] + I * f->family.im[m]);
            toward[i * n + at] += creal(u);
            toward[i * n + at + 1] -= cimag(u);
        }
        for (int k = 0; k < n; k++)
            x[i * n + k] += s->size * toward[i * n + k];
    }
}

static zw_status store_point(void *user, const zw_cont_point *point, zw_error *err) {
    resonance_search *s = user;
    (void)err;
    memcpy(s->x, point->x, sizeof(double) * (size_t)zw_harmonic_problem(s->f->balance).n);
    s->w = point->a;
    s->converged = point->correction < ROOT_SIMPLE;
    return ZW_STOPPED;
}

/* reads the first three harmonics of s->x; returns their size */
static double read_shape(resonance_search *s) {
    const zw_forced *f = s->f;
    int nq = f->sys->nq, n = zw_harmonic_coefficients(f->balance);
    double sum = 0;
    for (int i = 0; i < nq; i++)
        for (int h = 1; h <= 3; h++) {
            int at = cosine_index(f, h);
            const double *c = s->x + (size_t)(i * n);
            complex_number u = at < 0 ? 0 : (c[at] - I * c[at + 1]) / fmax(f->width[i], ZW_TINY);
            s->shape[3 * i + h - 1] = u;
            sum += creal(u * conj(u));
        }
    return sqrt(sum);
}

static complex_number first_product(int nq, const complex_number *a, const complex_number *b) {
    complex_number sum = 0;
    for (int i = 0; i < nq; i++)
        sum += a[3 * i] * conj(b[3 * i]);
    return sum;
}

/* the distance of b from a, shifted in time such that their first harmonics are closest; with b
 * reversed in time on request */
static double combination_distance(int nq, const complex_number *a, const complex_number *b,
                                   bool reversed) {
    complex_number product = 0;
    double sum = 0;
    for (int i = 0; i < nq; i++)
        product += a[3 * i] * conj(reversed ? conj(b[3 * i]) : b[3 * i]);
    complex_number phase_factor = cabs(product) > 0 ? product / cabs(product) : 1, factor = 1;
    for (int h = 0; h < 3; h++) {
        factor *= phase_factor;
        for (int i = 0; i < nq; i++) {
            complex_number u = b[3 * i + h];
            double d = cabs(a[3 * i + h] - factor * (reversed ? conj(u) : u));
            sum += d * d;
        }
    }
    return sqrt(sum);
}

/* Adds a shape, or counts it with a known one: the planes of the starts differ, and their sizes
 * still differ a little. */
static zw_status add_shape(resonance_search *s, double size, zw_error *err) {
    zw_forced *f = s->f;
    int nq = f->sys->nq, all = zw_harmonic_problem(f->balance).n;
    for (int i = 0; i < 3 * nq; i++)
        s->shape[i] /= size;
    for (int k = 0; k < s->n; k++)
        if (fmin(combination_distance(nq, s->list[k].shape, s->shape, false),
                 combination_distance(nq, s->list[k].shape, s->shape, true)) < SAME_SHAPE) {
            s->list[k].hits++;
            return ZW_OK;
        }
    if (s->n == SHAPES_MAX)
        return ZW_OK;
    shape_found *one = &s->list[s->n];
    *one = (shape_found){.x = ZW_NEW(&f->arena, double, all + 1),
                         .w = s->w,
                         .shape = ZW_NEW(&f->arena, complex_number, 3 * nq + 1),
                         .size = size,
                         .hits = 1};
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(one->x, s->x, sizeof(double) * (size_t)all);
    memcpy(one->shape, s->shape, sizeof(complex_number) * (size_t)(3 * nq));
    s->n++;
    return ZW_OK;
}

static double project_residual(const resonance_search *s, const zw_cont_problem *p, const double *x,
                               double w, const double *toward) {
    double sum = 0, *r = s->residual;
    if (p->residual(p->self, x, w, r, NULL) != ZW_OK)
        return NAN;
    for (int k = 0; k < s->f->nfunction * zw_harmonic_coefficients(s->f->balance); k++)
        sum += r[k] * toward[k];
    return sum;
}

/* The frequency at which the combination does no work on itself, by a Rayleigh quotient: the
 * residual along it vanishes. */
static double rayleigh_frequency(const resonance_search *s, const zw_cont_problem *p,
                                 const double *x, const double *toward, double w) {
    double best = w, neighbour = w * (1 + SECANT_STEP),
           value = project_residual(s, p, x, best, toward),
           other = project_residual(s, p, x, neighbour, toward);
    for (int i = 0; i < 3 && value != other; i++) {
        double next = best - value * (neighbour - best) / (other - value);
        if (!(fabs(next - w) < DETUNING_MAX * w))
            return w;
        neighbour = best;
        other = value;
        best = next;
        value = project_residual(s, p, x, best, toward);
    }
    return best;
}

/* Newton's method from x orthogonal to toward at about the frequency w; s->converged: it has found
 * a motion near the equilibrium, of this size */
static zw_status find_near(resonance_search *s, const double *x, const double *toward, double w,
                           double *size, zw_error *err) {
    zw_forced *f = s->f;
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    zw_cont_options o = zw_cont_options_default();
    double mode_frequency = f->family.frequency[s->g.mode[0]];
    memcpy(s->x, x, sizeof(double) * (size_t)p.n);
    double first_size = read_shape(s);
    o.low = FREQUENCY_LEAST * mode_frequency;
    o.tolerance = FAMILY_CORRECTED;
    o.points_max = 1;
    o.toward = toward;
    s->converged = false;
    zw_status status =
        zw_continue(&p, &o, (double *)x, w, 1, store_point, s, NULL, &f->arena.alloc, NULL);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (!s->converged)
        return ZW_OK;
    *size = read_shape(s);
    double slow_size = sqrt(creal(first_product(f->sys->nq, s->shape, s->shape)));
    s->converged = fabs(s->w - mode_frequency) <= DETUNING_MAX * mode_frequency &&
                   *size <= GROWTH_MAX * first_size && first_size <= GROWTH_MAX * *size &&
                   slow_size >= SLOW_PART * *size;
    return ZW_OK;
}

/* x <- the motion that was found, at another size; toward: its direction */
static void resize_motion(const resonance_search *s, double factor, double *x, double *toward) {
    const zw_forced *f = s->f;
    int n = zw_harmonic_coefficients(f->balance), moving = f->nfunction - f->eq.nc;
    memcpy(x, s->x, sizeof(double) * (size_t)zw_harmonic_problem(f->balance).n);
    for (int i = 0; i < moving; i++)
        for (int k = f->options.odd ? 0 : 1; k < n; k++) {
            toward[i * n + k] = s->x[i * n + k];
            x[i * n + k] *= factor;
        }
}

/* Corrects a motion until it has the common size, since shapes depend on it. */
static zw_status try_start(resonance_search *s, const complex_number *c, double *x, double *toward,
                           zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(s->f->balance);
    double w = s->f->family.frequency[s->g.mode[0]], size = 0;
    put_combination(s, c, x, toward);
    double first = rayleigh_frequency(s, &p, x, toward, w);
    ZW_TRY(find_near(s, x, toward, first, &size, err));
    if (!s->converged)
        return ZW_OK;
    for (int i = 0;
         i < RESIZES && s->converged && (i == 0 || fabs(size - s->size) > SIZE_REACHED * s->size);
         i++) {
        double factor = s->size / size;
        memset(toward, 0, sizeof(double) * (size_t)(p.n + 1));
        resize_motion(s, factor, x, toward);
        ZW_TRY(find_near(s, x, toward, w + (s->w - w) * factor, &size, err));
    }
    return s->converged ? add_shape(s, size, err) : ZW_OK;
}

static double random_signed(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* Single modes, pairs in phase, in opposite phase and in quadrature, then random combinations:
 * every other one with all parts in phase. */
static void choose_combination(resonance_search *s, int trial, complex_number *c) {
    static const complex_number phase[] = {1, -1, I};
    int n = s->g.n, pairs = 3 * n * (n - 1) / 2;
    double sum = 0;
    memset(c, 0, sizeof(complex_number) * MODES);
    if (trial < n) {
        c[trial] = 1;
        return;
    }
    if (trial < n + pairs) {
        int pair = (trial - n) / 3;
        for (int i = 0; i < n; i++)
            for (int k = i + 1; k < n; k++)
                if (pair-- == 0) {
                    c[i] = M_SQRT1_2;
                    c[k] = M_SQRT1_2 * phase[(trial - n) % 3];
                }
        return;
    }
    for (int k = 0; k < n; k++) {
        double re = random_signed(&s->seed), im = random_signed(&s->seed);
        c[k] = trial % 2 ? re : re + I * im;
        sum += creal(c[k] * conj(c[k]));
    }
    for (int k = 0; k < n; k++)
        c[k] /= sqrt(fmax(sum, RANDOM_LEAST));
}

/* ---------------------------------------------------------------------------------------- words */

/* writes the ratio of a coordinate to the largest one: a number with its sign, or with its phase */
static size_t put_ratio(char *out, size_t size, complex_number ratio) {
    double angle = carg(ratio), about = remainder(angle, M_PI);
    if (cabs(ratio) < AMPLITUDE_ZERO)
        return (size_t)snprintf(out, size, "0");
    if (fabs(about) < PHASE_OF_SIGN * M_PI)
        return (size_t)snprintf(out, size, "%.6g", copysign(cabs(ratio), cos(angle)));
    return (size_t)snprintf(out, size, "%.6g at %.4g deg", cabs(ratio), angle * 180 / M_PI);
}

/* writes "x : y = 1 : -0.127017", and the parts of faster modes */
static const char *write_shape(zw_forced *f, const mode_group *g, const complex_number *shape) {
    enum { SIZE = 400 };
    int nq = f->sys->nq, most = 0, shown = nq < COORDINATES_SHOWN ? nq : COORDINATES_SHOWN;
    char *out = ZW_NEW(&f->arena, char, SIZE);
    size_t n = 0;
    if (!out)
        return NULL;
    for (int i = 0; i < nq; i++)
        if (cabs(shape[3 * i]) * f->width[i] >
            (1 + AMPLITUDE_ZERO) * cabs(shape[3 * most]) * f->width[most])
            most = i;
    for (int i = 0; i < shown && n + 80 < SIZE; i++)
        n += (size_t)snprintf(out + n, SIZE - n, "%s%.40s", i ? " : " : "", f->sys->coord[i].name);
    n += (size_t)snprintf(out + n, SIZE - n, " = ");
    for (int i = 0; i < shown && n + 80 < SIZE; i++) {
        n += (size_t)snprintf(out + n, SIZE - n, "%s", i ? " : " : "");
        n += put_ratio(out + n, SIZE - n,
                       shape[3 * i] * f->width[i] / (shape[3 * most] * f->width[most]));
    }
    for (int h = 2; h <= 3 && n + 80 < SIZE; h++) {
        double sum = 0;
        bool has = false;
        for (int k = 0; k < g->n; k++)
            has |= g->times[k] == h;
        for (int i = 0; i < nq; i++)
            sum += creal(shape[3 * i + h - 1] * conj(shape[3 * i + h - 1]));
        if (has && sqrt(sum) > AMPLITUDE_ZERO)
            n += (size_t)snprintf(out + n, SIZE - n, ", harmonic %d in it by %.4g of all", h,
                                  sqrt(sum));
    }
    return out;
}

/* writes "modes 1 and 2 (1:1 resonance)" */
static const char *write_group(zw_forced *f, const mode_group *g) {
    enum { SIZE = 200 };
    char *out = ZW_NEW(&f->arena, char, SIZE);
    size_t n = 0;
    if (!out)
        return NULL;
    n += (size_t)snprintf(out, SIZE, "modes ");
    for (int k = 0; k < g->n && n + 40 < SIZE; k++)
        n += (size_t)snprintf(out + n, SIZE - n, "%s%d",
                              k == 0         ? ""
                              : k + 1 < g->n ? ", "
                                             : " and ",
                              g->mode[k] + 1);
    n += (size_t)snprintf(out + n, SIZE - n, " (");
    for (int k = 0; k < g->n && n + 40 < SIZE; k++)
        n += (size_t)snprintf(out + n, SIZE - n, "%s%d", k ? ":" : "", g->times[k]);
    snprintf(out + n, SIZE - n, " resonance)");
    return out;
}

/* ------------------------------------------------------------------------------------- families */

static zw_status fail_without_family(zw_forced *f, const resonance_search *s, int once,
                                     zw_error *err) {
    const char *words = write_group(f, &s->g);
    if (once)
        zw_fail(err, ZW_E_NUMERIC,
                "%s, %.6g rad/s: the small oscillations from which families of periodic motions "
                "begin form a "
                "continuum, as where a symmetry turns them into each other",
                words ? words : "", f->family.frequency[s->g.mode[0]]);
    else
        zw_fail(err, ZW_E_NUMERIC,
                "%s, %.6g rad/s: no combination of them was found with which a family of periodic "
                "motions begins",
                words ? words : "", f->family.frequency[s->g.mode[0]]);
    zw_error_hint(err, "start on a periodic motion (--set): zwang orbit finds it, zwang orbit "
                       "--over energy=A:B follows its family");
    return ZW_E_NUMERIC;
}

static void set_ridge(zw_forced *f, double ridge) {
    f->family.ridge = ridge;
    zw_harmonic_ridge(f->balance, ridge);
}

zw_status zw_forced_backbones_resonant(zw_forced *f, int mode, double size, zw_error *err) {
    int all = zw_harmonic_problem(f->balance).n, once = 0, known = 0, followed = 0;
    resonance_search s = {.f = f, .g = group_of(f, mode), .size = size, .seed = 5};
    complex_number c[MODES];
    double *x = ZW_NEW(&f->arena, double, all + 2), *toward = ZW_NEW(&f->arena, double, all + 2);
    s.x = ZW_NEW(&f->arena, double, all + 2);
    s.residual = ZW_NEW(&f->arena, double, all + 1);
    s.shape = ZW_NEW(&f->arena, complex_number, 3 * f->sys->nq + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    int given = s.g.n + 3 * s.g.n * (s.g.n - 1) / 2;
    for (int trial = 0; trial < given + RANDOM; trial++) {
        choose_combination(&s, trial, c);
        ZW_TRY(try_start(&s, c, x, toward, err));
    }
    for (int k = 0; k < s.n; k++)
        once += s.list[k].hits == 1;
    bool continuum = once > SINGLES_MAX;
    set_ridge(f, RIDGE_OF_FAMILY);
    zw_error trouble = {0};
    for (int k = 0; k < s.n && !f->stopped; k++) {
        if (continuum && s.list[k].hits == 1)
            continue;
        known++;
        int n = zw_harmonic_coefficients(f->balance);
        memset(toward, 0, sizeof(double) * (size_t)(all + 1));
        for (int i = 0; i < f->nfunction - f->eq.nc; i++)
            for (int j = f->options.odd ? 0 : 1; j < n; j++)
                toward[i * n + j] = s.list[k].x[i * n + j];
        memcpy(f->x, s.list[k].x, sizeof(double) * (size_t)all);
        const char *words = write_shape(f, &s.g, s.list[k].shape), *of = write_group(f, &s.g);
        zw_status status =
            zw_forced_follow_family(f, mode, s.list[k].w, toward, words, of, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        followed += status >= 0;
        /* the family has added harmonics; later ones need fewer */
        if (zw_harmonic_problem(f->balance).n != all)
            ZW_TRY(zw_forced_set_harmonics(f, f->family.top, err));
    }
    set_ridge(f, 0);
    for (int k = 0; k < s.g.n; k++)
        if (s.g.times[k] == 1)
            f->family.done[s.g.mode[k]] = true;
    if (continuum)
        f->family.continuum = write_group(f, &s.g);
    if (followed || f->stopped)
        return ZW_OK;
    if (!known)
        return fail_without_family(f, &s, once, err);
    if (err && !err->status)
        *err = trouble;
    return trouble.status ? trouble.status : ZW_E_NUMERIC;
}
