/* SPDX-License-Identifier: MIT */
/* Families of free motions that begin with resonant modes. If the frequencies of some modes are w
 * and 2 w, 3 w (or w again), every combination
 *
 *     q = q_0 + Re sum_k c_k u_k e^{i n_k w t},     n_k = 1, 2 or 3,
 *
 * is a small oscillation of the period of w. Nonlinear terms decide from which of them families of
 * periodic motions begin: the critical points, up to a phase, of the averaged energy on sum |c_k|^2
 * = const (A. Weinstein, Invent. Math. 20 (1973) 47-57; J. Moser, Comm. Pure Appl. Math. 29 (1976)
 * 727-747: at least as many as there are modes). They are searched for in harmonic balance itself:
 * by Newton's method at a small amplitude, from many combinations. Along them, the matrix and the
 * residual are small by the same power of the amplitude, so the convergence is that for the
 * averaged equations.
 *
 * A combination to which several starts lead is isolated. Others, which are found once each, form a
 * continuum, as where a symmetry turns them into each other or nothing couples the modes; these are
 * not followed, with a warning. A motion and its time reversal are one family. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"

enum { MODES = 8, RANDOM = 96, FOUND = 64, SHOWN = 6, ONCE = 2, RESIZES = 12 };
#define EQUAL 1e-6 /* of a frequency */
#define SHARP                                                                                      \
    1e-9 /* a last correction, in the arclength: it converged as to a root that is not multiple */
#define SIZED 1e-6   /* of a size: that of another motion */
#define SAME 1e-4    /* of a motion: two starts led to it */
#define PRESENT 0.02 /* of a motion: its part of the period of the slow mode */
#define DETUNED 0.05 /* of the frequency: what is found is no small oscillation */
#define RESIZED 4    /* times larger or smaller than its start: nor is this */
#define ALONG 1e-3   /* of an amplitude: nothing */
#define RIDGE 1e-8   /* of the balance: families of resonant modes may have neighbours */
#define QUARTER 1e-3 /* of a turn: a phase that is shown as a sign */

typedef double complex number;

typedef struct group {
    int n, mode[MODES], times[MODES]; /* the modes and n_k, the first one with n = 1 */
} group;

typedef struct found {
    double *x, w;
    number *shape; /* nq x 3: harmonics 1 to 3 in widths */
    double size;
    int hits;
} found;

typedef struct search {
    zw_forced *f;
    group g;
    double size;
    double *x, w; /* what Newton's method came to */
    bool here;
    number *shape;
    found list[FOUND];
    int n;
    unsigned seed;
} search;

static group group_of(const zw_forced *f, int mode) {
    group g = {.n = 1, .mode = {mode}, .times = {1}};
    double w = f->family.frequency[mode];
    for (int i = 0; i < f->family.nmode && g.n < MODES; i++)
        for (int times = 1; times <= 3 && i != mode && g.n < MODES; times++)
            if (fabs(f->family.frequency[i] - times * w) < EQUAL * times * w) {
                g.mode[g.n] = i;
                g.times[g.n++] = times;
            }
    return g;
}

bool zw_forced_is_resonant(const zw_forced *f, int mode) {
    return group_of(f, mode).n > 1;
}

/* the place of cos of a harmonic among the coefficients of a function; -1: it is not balanced */
static int place_of(const zw_forced *f, int harmonic) {
    int at = f->options.odd ? (harmonic % 2 ? harmonic - 1 : -1) : 2 * harmonic - 1;
    return at >= 0 && at + 1 < zw_harmonic_coefficients(f->balance) ? at : -1;
}

/* ------------------------------------------------------------------------------------ one start */

/* the combination c, about the equilibrium, into x; its direction into toward */
static void put_combination(const search *s, const number *c, double *x, double *toward) {
    const zw_forced *f = s->f;
    int nx = f->kernel->nx, n = zw_harmonic_coefficients(f->balance),
        all = zw_harmonic_problem(f->balance).n, moving = f->nfunction - f->eq.nc;
    memset(x, 0, sizeof(double) * (size_t)all);
    memset(toward, 0, sizeof(double) * (size_t)(all + 1));
    for (int i = 0; i < f->nfunction; i++) {
        if (!f->options.odd)
            x[i * n] = f->family.rest[i];
        for (int k = 0; k < s->g.n && i < moving; k++) {
            int at = place_of(f, s->g.times[k]), m = s->g.mode[k] * nx + i;
            if (at < 0)
                continue;
            number u = c[k] * (f->family.re[m] + I * f->family.im[m]);
            toward[i * n + at] += creal(u);
            toward[i * n + at + 1] -= cimag(u);
        }
        for (int k = 0; k < n; k++)
            x[i * n + k] += s->size * toward[i * n + k];
    }
}

static zw_status keep_point(void *user, const zw_cont_point *point, zw_error *err) {
    search *s = user;
    (void)err;
    memcpy(s->x, point->x, sizeof(double) * (size_t)zw_harmonic_problem(s->f->balance).n);
    s->w = point->a;
    s->here = point->correction < SHARP;
    return ZW_STOPPED;
}

/* the first three harmonics of s->x, and their size */
static double read_shape(search *s) {
    const zw_forced *f = s->f;
    int nq = f->sys->nq, n = zw_harmonic_coefficients(f->balance);
    double sum = 0;
    for (int i = 0; i < nq; i++)
        for (int h = 1; h <= 3; h++) {
            int at = place_of(f, h);
            const double *c = s->x + (size_t)(i * n);
            number u = at < 0 ? 0 : (c[at] - I * c[at + 1]) / fmax(f->width[i], 1e-300);
            s->shape[3 * i + h - 1] = u;
            sum += creal(u * conj(u));
        }
    return sqrt(sum);
}

static number first_product(int nq, const number *a, const number *b) {
    number sum = 0;
    for (int i = 0; i < nq; i++)
        sum += a[3 * i] * conj(b[3 * i]);
    return sum;
}

/* how far b is from a, begun later such that their first harmonics are closest, b backwards if
 * asked for */
static double combination_distance(int nq, const number *a, const number *b, bool backwards) {
    number product = 0;
    double sum = 0;
    for (int i = 0; i < nq; i++)
        product += a[3 * i] * conj(backwards ? conj(b[3 * i]) : b[3 * i]);
    number turn = cabs(product) > 0 ? product / cabs(product) : 1, by = 1;
    for (int h = 0; h < 3; h++) {
        by *= turn;
        for (int i = 0; i < nq; i++) {
            number u = b[3 * i + h];
            double d = cabs(a[3 * i + h] - by * (backwards ? conj(u) : u));
            sum += d * d;
        }
    }
    return sqrt(sum);
}

/* The plane of each start is another one, and sizes still differ a little. */
static zw_status add_shape(search *s, double size, zw_error *err) {
    zw_forced *f = s->f;
    int nq = f->sys->nq, all = zw_harmonic_problem(f->balance).n;
    for (int i = 0; i < 3 * nq; i++)
        s->shape[i] /= size;
    for (int k = 0; k < s->n; k++)
        if (fmin(combination_distance(nq, s->list[k].shape, s->shape, false),
                 combination_distance(nq, s->list[k].shape, s->shape, true)) < SAME) {
            s->list[k].hits++;
            return ZW_OK;
        }
    if (s->n == FOUND)
        return ZW_OK;
    found *one = &s->list[s->n];
    *one = (found){.x = ZW_NEW(&f->arena, double, all + 1),
                   .w = s->w,
                   .shape = ZW_NEW(&f->arena, number, 3 * nq + 1),
                   .size = size,
                   .hits = 1};
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(one->x, s->x, sizeof(double) * (size_t)all);
    memcpy(one->shape, s->shape, sizeof(number) * (size_t)(3 * nq));
    s->n++;
    return ZW_OK;
}

static double project_residual(const search *s, const zw_cont_problem *p, const double *x, double w,
                               const double *toward, double *r) {
    double sum = 0;
    if (p->residual(p->self, x, w, r, NULL) != ZW_OK)
        return NAN;
    for (int k = 0; k < s->f->nfunction * zw_harmonic_coefficients(s->f->balance); k++)
        sum += r[k] * toward[k];
    return sum;
}

/* the frequency at which the combination does no work on itself, by Rayleigh's quotient: what is
 * left of the equations along it vanishes */
static double rayleigh_frequency(const search *s, const zw_cont_problem *p, const double *x,
                                 const double *toward, double w) {
    double *r = ZW_NEW(&s->f->arena, double, p->n + 1), best = w, beside = w * (1 + 1e-4);
    if (!r)
        return w;
    double value = project_residual(s, p, x, best, toward, r),
           other = project_residual(s, p, x, beside, toward, r);
    for (int i = 0; i < 3 && value != other; i++) {
        double next = best - value * (beside - best) / (other - value);
        if (!(fabs(next - w) < DETUNED * w))
            return w;
        beside = best;
        other = value;
        best = next;
        value = project_residual(s, p, x, best, toward, r);
    }
    return best;
}

/* Newton's method from x across toward at about the frequency w; s->here: it has come to a motion
 * near the equilibrium, of this size */
static zw_status find_near(search *s, const double *x, const double *toward, double w, double *size,
                           zw_error *err) {
    zw_forced *f = s->f;
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    zw_cont_options o = zw_cont_options_default();
    double own = f->family.frequency[s->g.mode[0]];
    memcpy(s->x, x, sizeof(double) * (size_t)p.n);
    double begun = read_shape(s);
    o.low = 1e-3 * own;
    o.tolerance = 1e-12;
    o.points_max = 1;
    o.toward = toward;
    s->here = false;
    zw_status status =
        zw_continue(&p, &o, (double *)x, w, 1, keep_point, s, NULL, &f->arena.alloc, NULL);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (!s->here)
        return ZW_OK;
    *size = read_shape(s);
    double slow = sqrt(creal(first_product(f->sys->nq, s->shape, s->shape)));
    s->here = fabs(s->w - own) <= DETUNED * own && *size <= RESIZED * begun &&
              begun <= RESIZED * *size && slow >= PRESENT * *size;
    return ZW_OK;
}

/* x <- the motion that was found, at another size; toward: its direction */
static void resize_motion(const search *s, double by, double *x, double *toward) {
    const zw_forced *f = s->f;
    int n = zw_harmonic_coefficients(f->balance), moving = f->nfunction - f->eq.nc;
    memcpy(x, s->x, sizeof(double) * (size_t)zw_harmonic_problem(f->balance).n);
    for (int i = 0; i < moving; i++)
        for (int k = f->options.odd ? 0 : 1; k < n; k++) {
            toward[i * n + k] = s->x[i * n + k];
            x[i * n + k] *= by;
        }
}

/* A motion is found anew until it has the size that all have, since shapes depend on it. */
static zw_status try_start(search *s, const number *c, double *x, double *toward, zw_error *err) {
    zw_cont_problem p = zw_harmonic_problem(s->f->balance);
    double w = s->f->family.frequency[s->g.mode[0]], size = 0;
    put_combination(s, c, x, toward);
    double first = rayleigh_frequency(s, &p, x, toward, w);
    ZW_TRY(find_near(s, x, toward, first, &size, err));
    if (!s->here)
        return ZW_OK;
    for (int i = 0; i < RESIZES && s->here && (i == 0 || fabs(size - s->size) > SIZED * s->size);
         i++) {
        double by = s->size / size;
        memset(toward, 0, sizeof(double) * (size_t)(p.n + 1));
        resize_motion(s, by, x, toward);
        ZW_TRY(find_near(s, x, toward, w + (s->w - w) * by, &size, err));
    }
    return s->here ? add_shape(s, size, err) : ZW_OK;
}

static double random_signed(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* alone, in pairs in phase, in quadrature and against each other, then at random: every other one
 * with all parts in phase */
static void choose_combination(search *s, int trial, number *c) {
    static const number phase[] = {1, -1, I};
    int n = s->g.n, pairs = 3 * n * (n - 1) / 2;
    double sum = 0;
    memset(c, 0, sizeof(number) * MODES);
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
        c[k] /= sqrt(fmax(sum, 1e-12));
}

/* ---------------------------------------------------------------------------------------- words */

/* the ratio of a coordinate to the largest one: a number with its sign, or with its phase */
static size_t put_ratio(char *out, size_t size, number ratio) {
    double turn = carg(ratio), about = remainder(turn, M_PI);
    if (cabs(ratio) < ALONG)
        return (size_t)snprintf(out, size, "0");
    if (fabs(about) < QUARTER * M_PI)
        return (size_t)snprintf(out, size, "%.6g", copysign(cabs(ratio), cos(turn)));
    return (size_t)snprintf(out, size, "%.6g at %.4g deg", cabs(ratio), turn * 180 / M_PI);
}

/* "x : y = 1 : -0.127017", and the parts of faster modes */
static const char *shape_words(zw_forced *f, const group *g, const number *shape) {
    enum { SIZE = 400 };
    int nq = f->sys->nq, most = 0, shown = nq < SHOWN ? nq : SHOWN;
    char *out = ZW_NEW(&f->arena, char, SIZE);
    size_t n = 0;
    if (!out)
        return NULL;
    for (int i = 0; i < nq; i++)
        if (cabs(shape[3 * i]) * f->width[i] > (1 + ALONG) * cabs(shape[3 * most]) * f->width[most])
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
        if (has && sqrt(sum) > ALONG)
            n += (size_t)snprintf(out + n, SIZE - n, ", harmonic %d in it by %.4g of all", h,
                                  sqrt(sum));
    }
    return out;
}

/* "modes 1 and 2 (1:1 resonance)" */
static const char *group_words(zw_forced *f, const group *g) {
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

static zw_status fail_none(zw_forced *f, const search *s, int once, zw_error *err) {
    const char *words = group_words(f, &s->g);
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
    zw_error_hint(err, "start on a periodic motion (--set): zwang orbit finds it, zwang continue "
                       "--over energy=A:B follows its family");
    return ZW_E_NUMERIC;
}

static void set_ridge(zw_forced *f, double ridge) {
    f->family.ridge = ridge;
    zw_harmonic_ridge(f->balance, ridge);
}

zw_status zw_forced_backbones_resonant(zw_forced *f, int mode, double size, zw_error *err) {
    int all = zw_harmonic_problem(f->balance).n, once = 0, known = 0, tells = 0;
    search s = {.f = f, .g = group_of(f, mode), .size = size, .seed = 5};
    number c[MODES];
    double *x = ZW_NEW(&f->arena, double, all + 2), *toward = ZW_NEW(&f->arena, double, all + 2);
    s.x = ZW_NEW(&f->arena, double, all + 2);
    s.shape = ZW_NEW(&f->arena, number, 3 * f->sys->nq + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    int given = s.g.n + 3 * s.g.n * (s.g.n - 1) / 2;
    for (int trial = 0; trial < given + RANDOM; trial++) {
        choose_combination(&s, trial, c);
        ZW_TRY(try_start(&s, c, x, toward, err));
    }
    for (int k = 0; k < s.n; k++)
        once += s.list[k].hits == 1;
    bool continuum = once > ONCE;
    set_ridge(f, RIDGE);
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
        const char *words = shape_words(f, &s.g, s.list[k].shape), *of = group_words(f, &s.g);
        zw_status status = zw_forced_go_family(f, mode, s.list[k].w, toward, words, of, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        tells += status >= 0;
        /* with more harmonics than it began with, later ones need fewer */
        if (zw_harmonic_problem(f->balance).n != all)
            ZW_TRY(zw_forced_harmonics(f, f->family.top, err));
    }
    set_ridge(f, 0);
    for (int k = 0; k < s.g.n; k++)
        if (s.g.times[k] == 1)
            f->family.done[s.g.mode[k]] = true;
    if (continuum)
        f->family.continuum = group_words(f, &s.g);
    if (tells || f->stopped)
        return ZW_OK;
    if (!known)
        return fail_none(f, &s, once, err);
    if (err && !err->status)
        *err = trouble;
    return trouble.status ? trouble.status : ZW_E_NUMERIC;
}
