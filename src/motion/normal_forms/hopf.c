/* SPDX-License-Identifier: MIT */
/* The normal form of a pair +-i omega of the field fs of slice.h, whose derivatives at the motion
 * are A, B, C. With A q = i omega q, p* A = i omega p*, p*q = 1 the motion on the centre manifold
 * is
 *
 *     y = z q + z- q- + h20 z^2 / 2 + h11 z z- + h02 z-^2 / 2 + ...,      z' = i omega z + c1 z |z|^2 + ...
 *     h11 = -A^-1 B(q, q-),     h20 = (2 i omega - A)^-1 B(q, q)
 *     c1 = 1/2 p* [C(q, q, q-) + 2 B(q, h11) + B(q-, h20)]
 *
 * (Kuznetsov, Elements of Applied Bifurcation Theory, section 5.4). A quantity m . y has the
 * amplitude r = 2 |m . q| |z|, so that a + i b = c1 / (4 |m . q|^2).
 *
 * What is told of c1 is looked at from three sides. It must not depend on kappa, so it is computed
 * for two values. The first harmonic of fs itself on the circle z = rho e^(i theta), p* fs = i
 * omega z + c1(rho) z |z|^2, needs no derivatives: c1(rho) must tend to c1 as rho does to zero, and
 * where it leaves it, cubic terms do not describe the motion any more. And what makes the
 * eigenvalue no simple pair alone on the axis is refused before. */
#include "zwang/steady.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "num/linear/dense.h"
#include "slice_field.h"

enum { PHASES = 32, RADII = 14 };
#define ACROSS 1e-5   /* of omega: between an eigenvalue and the same one of the slice */
#define ON_AXIS 1e-6  /* of omega: a real part that is none */
#define OTHERS 1e-7   /* of omega: the same of the others, */
#define ROUNDED 1e-10 /* or of the largest eigenvalue, times the condition */
#define DEFECTIVE 1e6 /* condition of the pair */
#define LARGEST 2     /* radius tried, in the units of the state */
#define HOLDS 0.2     /* of a: difference between c1(rho) and c1 */
#define AGREES 2e-3   /* of the sizes of its terms: the same at the best radius */
#define UNSEEN                                                                                     \
    1e-6 /* of omega, at amplitudes of the size of the state: nor then, but by derivatives */
#define NOTHING 1e-10    /* of omega: terms of third order that are none */
#define ROUNDING 1e-13   /* of the sizes of its terms: in c1 */
#define OTHER_KAPPA 1.75 /* times the first */
#define UNMOVED 1e-9     /* of an entry, by a symmetry: none */
#define MIXED 1e-7       /* of the mode, by a symmetry: something */

struct zw_hopf_memory {
    zw_arena arena;
};

typedef struct complexes {
    double *re, *im;
} complexes;

typedef struct search {
    zw_hopf *out;
    zw_hopf_options options;
    const zw_linearisation *linear;
    zw_slice slice;
    int n, eigenvalue;
    double *A; /* n x n */
    complexes q, p, h11, h20;
    double c_re, c_im; /* c1, */
    double size;       /* the sizes of its terms */
    zw_arena *work;
    zw_error *err;
} search;

void zw_hopf_options_init(zw_hopf_options *options, size_t size) {
    const zw_hopf_options all = {.size = size, .eigenvalue = -1};
    zw_options_begin(options, size, &all, sizeof all);
}

static complexes new_complexes(zw_arena *arena, int n) {
    complexes c = {ZW_NEW(arena, double, n + 1), ZW_NEW(arena, double, n + 1)};
    return c;
}

/* ------------------------------------------------------------------------------------- the pair */

static int nearest_eigenvalue(int n, const double *re, const double *im, double x, double y) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (hypot(re[i] - x, im[i] - y) < hypot(re[best] - x, im[best] - y))
            best = i;
    return best;
}

/* is this pair of the linear equations one of the slice, too? Levels may explain it, as the speed
 * of a free body that turns. */
static bool is_across(const search *s, const zw_dense_eigen *e, int i) {
    const zw_linearisation *a = s->linear;
    int k = nearest_eigenvalue(s->n, e->re, e->im, a->re[i], a->im[i]);
    return hypot(e->re[k] - a->re[i], e->im[k] - a->im[i]) <= ACROSS * a->im[i];
}

/* the eigenvalue asked for, or the pair nearest to the axis */
static zw_status choose_pair(search *s) {
    const zw_linearisation *a = s->linear;
    zw_dense_eigen e;
    int best = s->options.eigenvalue;
    if (best >= a->n)
        return zw_fail(s->err, ZW_E_OPTION, "there is no eigenvalue %d", best);
    s->slice.kappa = 1;
    for (int i = 0; i < a->n; i++) /* away from what is looked for */
        s->slice.kappa = fmax(s->slice.kappa, 3 * fabs(a->im[i]));
    zw_slice_first(&s->slice, s->A);
    if (!zw_dense_eigenvalues(s->work, s->n, s->A, &e))
        return zw_dense_failure(s->work, s->err);
    for (int i = 0; s->options.eigenvalue < 0 && i < a->n; i++)
        if (a->im[i] > 0 && (best < 0 || fabs(a->re[i]) < fabs(a->re[best])) && is_across(s, &e, i))
            best = i;
    if (best > 0 && a->im[best] < 0)
        best--; /* conjugates follow each other, the positive one first */
    if (best < 0 || !(a->im[best] > 0))
        return zw_fail(s->err, ZW_E_DOMAIN, "no eigenvalue has an imaginary part");
    s->eigenvalue = best;
    return ZW_OK;
}

static zw_status check_pair(search *s) {
    const zw_linearisation *a = s->linear;
    s->out->sigma = a->re[s->eigenvalue];
    s->out->omega = a->im[s->eigenvalue];
    s->out->condition = a->condition[s->eigenvalue];
    if (!(s->out->condition <= DEFECTIVE))
        return zw_fail(s->err, ZW_E_DOMAIN,
                       "the pair is defective to working accuracy (condition %.1e): two pairs "
                       "meet here",
                       s->out->condition);
    if (fabs(s->out->sigma) > ON_AXIS * s->out->omega)
        return zw_fail(s->err, ZW_E_DOMAIN, "no pair lies on the imaginary axis: %.10g +- %.10gi",
                       s->out->sigma, s->out->omega);
    return ZW_OK;
}

/* the size of the largest of those that count as zeros, the smallest */
static double size_of_zeros(const zw_linearisation *a) {
    double size = 0;
    for (int i = 0; i < a->n; i++) {
        int smaller = 0;
        double own = hypot(a->re[i], a->im[i]);
        for (int j = 0; j < a->n; j++)
            smaller += hypot(a->re[j], a->im[j]) < own;
        if (smaller < a->nzero)
            size = fmax(size, own);
    }
    return size;
}

static zw_status refuse_pair(const search *s, double im) {
    double ratio = fabs(im) / s->out->omega, whole = round(ratio);
    return zw_fail(s->err, ZW_E_DOMAIN,
                   "another pair lies on the imaginary axis, +-%.10gi%s: their amplitudes act on "
                   "each other",
                   fabs(im), fabs(ratio - whole) < 1e-6 && whole >= 1 ? ", in resonance" : "");
}

/* a real part that may be zero: beside omega, or by rounding */
static double open_of(const search *s, double most, int i) {
    return fmax(OTHERS * s->linear->im[s->eigenvalue],
                ROUNDED * most * fmax(1, s->linear->condition[i]));
}

/* Is the pair alone on the axis? What levels explain is no part of the slice, and of its
 * eigenvalues e, any more. (Those of the slice that belong to the rows of g lie at -kappa, and may
 * be ill-conditioned.) */
static zw_status check_others(search *s, const zw_dense_eigen *e) {
    const zw_linearisation *a = s->linear;
    double most = 0, zero = size_of_zeros(a);
    int zeros = 0;
    s->out->growing = 0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, hypot(a->re[i], a->im[i]));
    for (int i = 0; a->nzero && i < s->n; i++)
        zeros += hypot(e->re[i], e->im[i]) <= 10 * zero + 1e-11 * most;
    if (zeros > 0)
        return zw_fail(s->err, ZW_E_DOMAIN,
                       "%d zero eigenvalue%s that no conserved quantity explains: the motion may "
                       "drift along its family with the square of the amplitude",
                       zeros, zeros > 1 ? "s" : "");
    for (int i = 0; i < a->n; i++) {
        double open = open_of(s, most, i);
        if (i == s->eigenvalue || i == s->eigenvalue + 1 || hypot(a->re[i], a->im[i]) <= zero)
            continue;
        s->out->growing += a->re[i] > open;
        if (fabs(a->re[i]) > open)
            continue;
        if (a->im[i] == 0)
            return zw_fail(s->err, ZW_E_DOMAIN,
                           "an eigenvalue %.3g is zero to accuracy beside the pair", a->re[i]);
        if (a->im[i] > 0 && is_across(s, e, i))
            return refuse_pair(s, a->im[i]);
    }
    return ZW_OK;
}

/* how near 0 and 2 i omega are to eigenvalues of the slice */
static double gap_of(const search *s, const zw_dense_eigen *e) {
    double gap = INFINITY, w = s->out->omega;
    for (int i = 0; i < s->n; i++)
        gap = fmin(gap, fmin(hypot(e->re[i], e->im[i]), hypot(e->re[i], fabs(e->im[i]) - 2 * w)));
    return gap / w;
}

/* q and p of the pair in the slice, p*q = 1 */
static zw_status find_vectors(search *s) {
    int n = s->n;
    zw_dense_eigen e;
    zw_slice_first(&s->slice, s->A);
    if (!zw_dense_eigenvalues(s->work, n, s->A, &e))
        return zw_dense_failure(s->work, s->err);
    int j = nearest_eigenvalue(n, e.re, e.im, s->out->sigma, s->out->omega);
    if (hypot(e.re[j] - s->out->sigma, e.im[j] - s->out->omega) > ACROSS * s->out->omega)
        return zw_fail(s->err, ZW_E_NUMERIC,
                       "the pair %.10g +- %.10gi is not found across the orbits: the nearest is "
                       "%.10g +- %.10gi",
                       s->out->sigma, s->out->omega, e.re[j], e.im[j]);
    ZW_TRY(check_others(s, &e));
    double re = 0, im = 0;
    for (int i = 0; i < n; i++) {
        double a = e.left_re[i * n + j], b = e.left_im[i * n + j], c = e.right_re[i * n + j],
               d = e.right_im[i * n + j];
        s->q.re[i] = c;
        s->q.im[i] = d;
        re += a * c + b * d; /* conj(p) q */
        im += a * d - b * c;
    }
    double square = re * re + im * im;
    for (int i = 0; i < n; i++) { /* p / conj(p*q) */
        double a = e.left_re[i * n + j], b = e.left_im[i * n + j];
        s->p.re[i] = (a * re - b * im) / square;
        s->p.im[i] = (a * im + b * re) / square;
    }
    s->out->gap = gap_of(s, &e);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- normal form */

static void add_scaled(int n, double factor, const double *from, double *to) {
    for (int i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* B(u, v) of complex vectors; sign -1: of the conjugate of v */
static zw_status quadratic_form(search *s, complexes u, complexes v, double sign, complexes out) {
    int n = s->n;
    double *B = ZW_NEW(s->work, double, n + 1);
    if (!B)
        return zw_out_of_memory(s->err, NULL);
    memset(out.re, 0, sizeof(double) * (size_t)n);
    memset(out.im, 0, sizeof(double) * (size_t)n);
    ZW_TRY(zw_slice_second(&s->slice, u.re, v.re, B, s->err));
    add_scaled(n, 1, B, out.re);
    ZW_TRY(zw_slice_second(&s->slice, u.im, v.im, B, s->err));
    add_scaled(n, -sign, B, out.re);
    ZW_TRY(zw_slice_second(&s->slice, u.re, v.im, B, s->err));
    add_scaled(n, sign, B, out.im);
    ZW_TRY(zw_slice_second(&s->slice, u.im, v.re, B, s->err));
    add_scaled(n, 1, B, out.im);
    return ZW_OK;
}

/* C(q, q, q-) */
static zw_status cubic_form(search *s, complexes out) {
    int n = s->n;
    const double *a = s->q.re, *b = s->q.im;
    const double *along[4][3] = {{a, a, a}, {a, b, b}, {a, a, b}, {b, b, b}};
    double *C = ZW_NEW(s->work, double, n + 1);
    if (!C)
        return zw_out_of_memory(s->err, NULL);
    memset(out.re, 0, sizeof(double) * (size_t)n);
    memset(out.im, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < 4; k++) {
        ZW_TRY(zw_slice_third(&s->slice, along[k][0], along[k][1], along[k][2], C, s->err));
        add_scaled(n, 1, C, k < 2 ? out.re : out.im);
    }
    return ZW_OK;
}

/* (i nu - A) x = b: twice as many real equations, by singular values */
static zw_status solve_resolvent(search *s, double nu, complexes b, complexes x) {
    int n = s->n, m = 2 * n;
    size_t cells = (size_t)m * (size_t)m;
    double *M = ZW_NEW(s->work, double, cells), *V = ZW_NEW(s->work, double, cells),
           *U = ZW_NEW(s->work, double, cells), *sv = ZW_NEW(s->work, double, m);
    if (s->work->failed)
        return zw_out_of_memory(s->err, NULL);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            M[i * m + j] = M[(n + i) * m + n + j] = -s->A[i * n + j];
        M[i * m + n + i] -= nu;
        M[(n + i) * m + i] += nu;
    }
    if (!zw_dense_svd(s->work, m, m, M, sv, V, U))
        return zw_dense_failure(s->work, s->err);
    memset(x.re, 0, sizeof(double) * (size_t)n);
    memset(x.im, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < m; k++) {
        double part = 0;
        for (int i = 0; i < n; i++)
            part += U[k * m + i] * b.re[i] + U[k * m + n + i] * b.im[i];
        for (int i = 0; i < n; i++) {
            x.re[i] += V[k * m + i] * part / sv[k];
            x.im[i] += V[k * m + n + i] * part / sv[k];
        }
    }
    return ZW_OK;
}

/* c1 += factor p* v */
static void add_projection(search *s, double factor, complexes v) {
    double size = 0;
    for (int i = 0; i < s->n; i++) {
        s->c_re += factor * (s->p.re[i] * v.re[i] + s->p.im[i] * v.im[i]);
        s->c_im += factor * (s->p.re[i] * v.im[i] - s->p.im[i] * v.re[i]);
        size += hypot(s->p.re[i], s->p.im[i]) * hypot(v.re[i], v.im[i]);
    }
    s->size += fabs(factor) * size;
}

static zw_status normal_form(search *s, double kappa) {
    int n = s->n;
    complexes b = new_complexes(s->work, n);
    if (s->work->failed)
        return zw_out_of_memory(s->err, NULL);
    s->slice.kappa = kappa;
    s->c_re = s->c_im = s->size = 0;
    ZW_TRY(find_vectors(s));
    ZW_TRY(quadratic_form(s, s->q, s->q, -1, b));
    ZW_TRY(solve_resolvent(s, 0, b, s->h11));
    ZW_TRY(quadratic_form(s, s->q, s->q, 1, b));
    ZW_TRY(solve_resolvent(s, 2 * s->out->omega, b, s->h20));
    ZW_TRY(cubic_form(s, b));
    add_projection(s, 0.5, b);
    ZW_TRY(quadratic_form(s, s->q, s->h11, 1, b));
    add_projection(s, 1, b);
    ZW_TRY(quadratic_form(s, s->h20, s->q, -1, b));
    add_projection(s, 0.5, b);
    return ZW_OK;
}

/* ----------------------------------------------------------------- against the rates themselves */

/* y = rho (q e + c.c.) + rho^2 (Re(h20 e^2) + h11) */
static void cycle_point(const search *s, double rho, double phase, double *y) {
    double c = cos(phase), d = sin(phase), c2 = cos(2 * phase), d2 = sin(2 * phase);
    for (int i = 0; i < s->n; i++)
        y[i] = 2 * rho * (s->q.re[i] * c - s->q.im[i] * d) +
               rho * rho * (s->h20.re[i] * c2 - s->h20.im[i] * d2 + s->h11.re[i]);
}

/* c1(rho) - c1; a failure where the state leaves what the model allows */
static zw_status coefficient_difference(search *s, double rho, double *re, double *im,
                                        zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(s->work);
    double *y = ZW_NEW(s->work, double, s->n + 1), *f = ZW_NEW(s->work, double, s->n + 1), x = 0,
           z = 0;
    zw_status status = zw_arena_status(s->work, err);
    for (int k = 0; status >= 0 && k < PHASES; k++) {
        double phase = 2 * M_PI * k / PHASES, a = 0, b = 0;
        cycle_point(s, rho, phase, y);
        status = zw_slice_at(&s->slice, y, f, err);
        for (int i = 0; status >= 0 && i < s->n; i++) {
            a += s->p.re[i] * f[i];
            b -= s->p.im[i] * f[i];
        }
        x += (a * cos(phase) + b * sin(phase)) / PHASES;
        z += (b * cos(phase) - a * sin(phase)) / PHASES;
    }
    *re = (x / rho - s->out->sigma) / (rho * rho) - s->c_re;
    *im = (z / rho - s->out->omega) / (rho * rho) - s->c_im;
    zw_arena_release(s->work, mark);
    return status;
}

/* the largest entry of q */
static double largest_entry(const search *s) {
    double most = 0;
    for (int i = 0; i < s->n; i++)
        most = fmax(most, hypot(s->q.re[i], s->q.im[i]));
    return most;
}

/* is the difference at a radius small beside what is told? */
static bool is_good(const search *s, double re, double im) {
    double all = hypot(s->c_re, s->c_im),
           real = s->out->type == ZW_HOPF_DEGENERATE ? all : fabs(s->c_re);
    return fabs(im) <= HOLDS * all && fabs(re) <= HOLDS * real;
}

/* From the radius of the best agreement (smaller ones see rounding) up to where it ends; out->holds
 * is |z| for now. */
static zw_status compare_radii(search *s) {
    double rho = LARGEST / largest_entry(s), part[RADII], radius[RADII];
    bool good[RADII];
    int best = 0;
    for (int k = 0; k < RADII; k++, rho /= 2) {
        zw_error trouble = {0};
        double re = 0, im = 0;
        zw_status status = coefficient_difference(s, rho, &re, &im, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(s->err, NULL);
        radius[k] = rho;
        part[k] = status >= 0 ? hypot(re, im) / (s->size + NOTHING * s->out->omega) : INFINITY;
        good[k] = status >= 0 && is_good(s, re, im);
        best = part[k] < part[best] ? k : best;
    }
    /* where terms cancel, or nearly, those of fifth order and rounding leave nothing to compare
     * with: derivatives tell them all the same */
    double left = part[best] * (s->size + NOTHING * s->out->omega);
    bool unseen = left <= UNSEEN * s->out->omega * largest_entry(s) * largest_entry(s);
    s->out->agrees = part[best];
    s->out->holds = 0;
    for (int k = best; k >= 0 && good[k]; k--)
        s->out->holds = radius[k];
    if (!(s->out->agrees <= AGREES) && !unseen)
        return zw_fail(s->err, ZW_E_DOUBT,
                       "the third derivatives do not tell how the rates change at amplitudes that "
                       "numbers can see: something changes on a smaller scale, or has no third "
                       "derivative");
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ amplitude */

/* is entry i moved by a symmetry at the motion? */
static bool is_moved(const search *s, int i) {
    for (int k = 0; k < s->slice.norbit; k++)
        if (fabs(s->slice.l[k * s->n + i]) > UNMOVED)
            return true;
    return false;
}

/* which entries of the mode are another for who does not move along */
static zw_status find_mixed(search *s, bool *mixed) {
    const double *part[] = {s->q.re, s->q.im};
    double *moved = ZW_NEW(s->work, double, s->n + 1);
    if (!moved)
        return zw_out_of_memory(s->err, NULL);
    for (int k = 0; k < 2; k++) {
        ZW_TRY(zw_slice_moves(&s->slice, part[k], moved, s->err));
        for (int i = 0; i < s->n; i++)
            mixed[i] |= moved[i] > MIXED * largest_entry(s);
    }
    return ZW_OK;
}

/* Is entry i what another one was, or on the way to it? */
static bool is_delayed(const search *s, int i) {
    const zw_kernel *k = zw_flow_kernel(s->slice.flow);
    for (int j = 0; j < k->ndelay; j++)
        if (i >= k->delay[j].first && i < k->delay[j].first + k->delay[j].nodes)
            return true;
    return false;
}

/* the entry that swings most: coordinates before velocities, and those that are the same for
 * everybody before others */
static int choose_entry(const search *s, const bool *mixed) {
    int n = s->n, nq = zw_flow_kernel(s->slice.flow)->nq, best = -1;
    for (int way = 0; best < 0 && way < 4; way++)
        for (int i = way % 2 ? nq : 0; i < (way % 2 ? n : nq); i++) {
            double size = hypot(s->q.re[i], s->q.im[i]);
            if ((way < 2 && mixed[i]) || is_moved(s, i) || is_delayed(s, i) ||
                !(size > 1e-6 * largest_entry(s)))
                continue;
            if (best < 0 || size > (1 + 1e-9) * hypot(s->q.re[best], s->q.im[best]))
                best = i;
        }
    return best;
}

/* no symmetry may change m . x at the motion */
static zw_status check_measure(const search *s, const double *m) {
    for (int k = 0; k < s->slice.norbit; k++) {
        double along = 0, all = 0;
        for (int i = 0; i < s->n; i++) {
            along += m[i] * s->options.scale[i] * s->slice.l[k * s->n + i];
            all += fabs(m[i] * s->options.scale[i]);
        }
        if (fabs(along) > UNMOVED * all)
            return zw_fail(s->err, ZW_E_OPTION,
                           "the symmetries move the quantity whose amplitude is asked for");
    }
    return ZW_OK;
}

/* 2 m . q of the quantity whose amplitude r is */
static zw_status find_measure(search *s, double *size, double *re, double *im) {
    const double *m = s->options.measure, *scale = s->options.scale;
    bool *mixed = ZW_NEW(s->work, bool, s->n + 1);
    if (!mixed)
        return zw_out_of_memory(s->err, NULL);
    ZW_TRY(find_mixed(s, mixed));
    int entry = m ? -1 : choose_entry(s, mixed), parts = 0;
    *re = *im = 0;
    if (m)
        ZW_TRY(check_measure(s, m));
    for (int i = 0; i < s->n; i++) {
        double part = m ? m[i] : i == entry;
        *re += 2 * part * scale[i] * s->q.re[i];
        *im += 2 * part * scale[i] * s->q.im[i];
        s->out->moving |= part != 0 && mixed[i];
        parts += part != 0;
    }
    if (parts > 1) /* second derivatives would tell */
        s->out->moving = false;
    s->out->entry = entry;
    *size = hypot(*re, *im);
    if (m && !(*size > 1e-12 * largest_entry(s) * zw_dense_norm(s->n, m)))
        return zw_fail(s->err, ZW_E_OPTION,
                       "the quantity whose amplitude is asked for does not swing in this mode");
    if (!m && entry < 0) {
        *size = 2 * largest_entry(s);
        *re = *size;
    }
    return ZW_OK;
}

/* all that is told, in units of r, with the phase of the measured quantity as theta */
static zw_status put_results(search *s, double error_re, double error_im, zw_arena *keep) {
    zw_hopf *out = s->out;
    int n = s->n;
    double size, re, im;
    ZW_TRY(find_measure(s, &size, &re, &im));
    double square = size * size, c = re / size, d = -im / size; /* e^(-i phase) */
    double c2 = c * c - d * d, d2 = 2 * c * d;
    out->a = s->c_re / square;
    out->b = s->c_im / square;
    out->a_error = error_re / square;
    out->b_error = error_im / square;
    /* what is slaved follows as long as the amplitude changes more slowly than it dies out
     * itself */
    out->holds =
        fmin(out->holds * size, sqrt(HOLDS * out->gap * out->omega / hypot(out->a, out->b)));
    out->q_re = ZW_NEW(keep, double, n + 1);
    out->q_im = ZW_NEW(keep, double, n + 1);
    out->mean = ZW_NEW(keep, double, n + 1);
    out->second_re = ZW_NEW(keep, double, n + 1);
    out->second_im = ZW_NEW(keep, double, n + 1);
    out->used = ZW_NEW(keep, bool, s->slice.nlevel + 1);
    if (keep->failed)
        return zw_out_of_memory(s->err, NULL);
    for (int i = 0; i < n; i++) {
        double unit = s->options.scale[i];
        out->q_re[i] = 2 * unit * (s->q.re[i] * c - s->q.im[i] * d) / size;
        out->q_im[i] = 2 * unit * (s->q.re[i] * d + s->q.im[i] * c) / size;
        out->mean[i] = unit * s->h11.re[i] / square;
        out->second_re[i] = unit * (s->h20.re[i] * c2 - s->h20.im[i] * d2) / square;
        out->second_im[i] = unit * (s->h20.re[i] * d2 + s->h20.im[i] * c2) / square;
    }
    out->nused = s->slice.nused;
    memcpy(out->used, s->slice.used, sizeof(bool) * (size_t)s->slice.nlevel);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------ all */

static zw_status prepare_slice(search *s, zw_flow *flow, const zw_symmetries *sym,
                               const zw_steady *at) {
    zw_slice *l = &s->slice;
    *l = (zw_slice){.flow = flow, .s = sym, .at = at, .linear = s->linear};
    l->scale = s->options.scale;
    l->level = s->options.level;
    l->nlevel = s->options.nlevel;
    s->n = s->linear->nx;
    s->A = ZW_NEW(s->work, double, s->n * s->n + 1);
    s->q = new_complexes(s->work, s->n);
    s->p = new_complexes(s->work, s->n);
    s->h11 = new_complexes(s->work, s->n);
    s->h20 = new_complexes(s->work, s->n);
    return s->work->failed ? zw_out_of_memory(s->err, NULL) : zw_slice_init(l, s->work, s->err);
}

static zw_status find_normal_form(search *s, zw_flow *flow, const zw_symmetries *sym,
                                  const zw_steady *at, zw_arena *keep) {
    if (!s->options.scale)
        return zw_fail(s->err, ZW_E_OPTION, "zw_hopf_find needs the sizes of the entries (scale)");
    s->out->nx = s->linear->nx;
    ZW_TRY(prepare_slice(s, flow, sym, at));
    ZW_TRY(choose_pair(s));
    ZW_TRY(check_pair(s));
    double kappa = s->options.kappa > 0 ? s->options.kappa : s->out->omega;
    ZW_TRY(normal_form(s, OTHER_KAPPA * kappa));
    double re = s->c_re, im = s->c_im; /* vectors have length 1 */
    ZW_TRY(normal_form(s, kappa));
    double open = (ROUNDING * fmax(1, 1 / s->out->gap) + fabs(s->out->sigma) / s->out->omega) *
                  s->size,
           error_re = fabs(re - s->c_re) + open, error_im = fabs(im - s->c_im) + open;
    s->out->type = fabs(s->c_re) <= 10 * error_re ? ZW_HOPF_DEGENERATE
                   : s->c_re < 0                  ? ZW_HOPF_SUPERCRITICAL
                                                  : ZW_HOPF_SUBCRITICAL;
    ZW_TRY(compare_radii(s));
    return put_results(s, error_re, error_im, keep);
}

zw_status zw_hopf_find(zw_hopf *out, zw_flow *flow, const zw_symmetries *s, const zw_steady *at,
                       const zw_linearisation *a, const zw_hopf_options *options, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    zw_arena work;
    search h = {.out = out, .linear = a, .eigenvalue = -1, .work = &work, .err = err};
    *out = (zw_hopf){.entry = -1, .eigenvalue = -1};
    h.options = zw_hopf_options_default();
    ZW_TRY(zw_options_adopt(&h.options, sizeof h.options, options, "zw_hopf_options", err));
    out->memory = zw_allocate(&k->alloc, sizeof *out->memory);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&out->memory->arena, &k->alloc);
    zw_arena_init(&work, &k->alloc);
    zw_status status = find_normal_form(&h, flow, s, at, &out->memory->arena);
    zw_arena_clear(&work);
    if (status < 0)
        zw_hopf_clear(out);
    out->eigenvalue = h.eigenvalue;
    return status;
}

void zw_hopf_clear(zw_hopf *h) {
    if (h->memory) {
        zw_allocator alloc = h->memory->arena.alloc;
        zw_arena_clear(&h->memory->arena);
        zw_release(&alloc, h->memory, sizeof *h->memory);
    }
    *h = (zw_hopf){.entry = -1, .eigenvalue = -1};
}
