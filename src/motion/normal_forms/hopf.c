/* SPDX-License-Identifier: MIT */
/* The Hopf normal form of a pair +-i omega of the field fs of slice_field.h, whose derivatives at
 * the motion are A, B, C. With A q = i omega q, p* A = i omega p*, p*q = 1 the motion on the centre
 * manifold is
 *
 *     y = z q + z- q- + h20 z^2 / 2 + h11 z z- + h02 z-^2 / 2 + ...,
 *     z' = i omega z + c1 z |z|^2 + ...
 *     h11 = -A^-1 B(q, q-),     h20 = (2 i omega - A)^-1 B(q, q)
 *     c1 = 1/2 p* [C(q, q, q-) + 2 B(q, h11) + B(q-, h20)]
 *
 * (Kuznetsov, Elements of Applied Bifurcation Theory, section 5.4). A quantity m . y has the
 * amplitude r = 2 |m . q| |z|, so that a + i b = c1 / (4 |m . q|^2).
 *
 * c1 is checked in three ways. It must not depend on kappa, so it is computed for two values. The
 * first harmonic of fs itself on the circle z = rho e^(i theta), p* fs = i omega z + c1(rho) z
 * |z|^2, needs no derivatives: c1(rho) must tend to c1 as rho tends to zero, and the radius where
 * it leaves c1 bounds the range of the normal form. And a pair that is not simple, or not alone on
 * the axis, is rejected before. */
#include "base/tolerance.h"
#include "zwang/steady.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "num/linear/dense.h"
#include "slice_field.h"

enum { PHASES = 32, RADII = 14 };
/* relative to omega: distance at which an eigenvalue of the linear equations and one of the slice
 * are the same: rounding of a pair with CONDITION_MAX is 2e-10, other pairs are farther away */
#define SAME_EIGENVALUE 1e-5
/* relative to omega: real part of a pair on the axis; that of a located Hopf point is smaller */
#define PAIR_ON_AXIS 1e-6
/* relative to omega: real part up to which another eigenvalue may lie on the axis, */
#define OTHER_ON_AXIS 1e-7
/* or relative to the largest eigenvalue times the condition number of this one */
#define EIGENVALUE_ROUNDOFF 1e-10
/* condition number of the pair: two pairs that meet are split by the root of eps, 1e-8, and have
 * 1e8 */
#define CONDITION_MAX 1e6
/* largest radius tried, in units of the state: beyond the range of any normal form */
#define RADIUS_MAX 2
/* difference between c1(rho) and c1, relative to the part that is reported: at the radius where the
 * normal form ends, 20 % of its cubic term are missing */
#define FORM_VALID 0.2
/* the same at the best radius, relative to the sizes of the terms; chosen by trial: separates
 * truncation and rounding at 14 radii from wrong third derivatives */
#define FORM_AGREES 2e-3
/* Relative to omega, at amplitudes of the size of the state: a difference that no radius can show,
 * as rounding of fs hides it at small radii and terms of fifth order at large ones. */
#define DIFFERENCE_HIDDEN 1e-6
/* Relative to omega: terms of third order as small as rounding in the derivatives of fs. */
#define CUBIC_NEGLIGIBLE 1e-10
/* second value of kappa, relative to the first: so different that a coefficient that depends on
 * kappa shows it */
#define SECOND_KAPPA 1.75
/* motion of an entry by a symmetry, relative to orthonormal directions: smaller ones are rounding
 * of the singular vectors */
#define SYMMETRY_MOVES 1e-9
/* motion of an entry of the mode by a symmetry, relative to its largest entry: smaller ones are
 * rounding of the eigenvectors */
#define MODE_MIXED 1e-7
/* relative to the largest: an eigenvalue of the slice that is zero (round-off of eigenvalues with
 * condition numbers up to 4e4) */
#define ZERO_EIGENVALUE 1e-11
/* distance of a ratio of frequencies from an integer that is called a resonance: as exact as the
 * pair is on the axis (PAIR_ON_AXIS) */
#define WHOLE_RATIO 1e-6
/* amplitude of an entry, relative to the largest entry of the mode, below which no amplitude is
 * measured with it: round-off of eigenvectors with condition CONDITION_MAX is 2e-10 */
#define ENTRY_OSCILLATES 1e-6
/* relative: an entry that is larger than the best one by less ties with it, and the first one is
 * taken on every machine */
#define ENTRY_LARGER 1e-9
/* size of a zero eigenvalue of the slice relative to those of the linear equations: the same zeros
 * with other rounding */
#define ZEROS_SPREAD 10
/* coefficient relative to its error from which on its sign is certain: the error is a difference of
 * two values, which may be small by chance */
#define ERRORS_FROM_ZERO 10

struct zw_hopf_memory {
    zw_arena arena;
};

typedef struct complex_vector {
    double *re, *im;
} complex_vector;

typedef struct hopf_search {
    zw_hopf *out;
    zw_hopf_options options;
    const zw_linearisation *linear;
    zw_slice slice;
    int n, eigenvalue;
    double *A; /* n x n */
    complex_vector q, p, h11, h20;
    double c_re, c_im; /* c1, */
    double size;       /* the sum of the sizes of its terms */
    zw_arena *work;
    zw_error *err;
} hopf_search;

void zw_hopf_options_init(zw_hopf_options *options, size_t size) {
    const zw_hopf_options all = {.size = size, .eigenvalue = -1};
    zw_options_begin(options, size, &all, sizeof all);
}

static complex_vector new_complex_vector(zw_arena *arena, int n) {
    complex_vector c = {ZW_NEW(arena, double, n + 1), ZW_NEW(arena, double, n + 1)};
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

/* Is this pair of the linear equations an eigenvalue of the slice, too? Pairs that levels explain,
 * such as the spin of a free body, are not. */
static bool is_on_slice(const hopf_search *s, const zw_dense_eigen *e, int i) {
    const zw_linearisation *a = s->linear;
    int k = nearest_eigenvalue(s->n, e->re, e->im, a->re[i], a->im[i]);
    return hypot(e->re[k] - a->re[i], e->im[k] - a->im[i]) <= SAME_EIGENVALUE * a->im[i];
}

/* chooses the eigenvalue given in the options, or the pair nearest to the axis */
static zw_status choose_pair(hopf_search *s) {
    const zw_linearisation *a = s->linear;
    zw_dense_eigen e;
    int best = s->options.eigenvalue;
    if (best >= a->n)
        return zw_fail(s->err, ZW_E_OPTION, "there is no eigenvalue %d", best);
    s->slice.kappa = 1;
    for (int i = 0; i < a->n; i++) /* far from the eigenvalues in question */
        s->slice.kappa = fmax(s->slice.kappa, 3 * fabs(a->im[i]));
    zw_slice_first(&s->slice, s->A);
    if (!zw_dense_eigenvalues(s->work, s->n, s->A, &e))
        return zw_dense_failure(s->work, s->err);
    for (int i = 0; s->options.eigenvalue < 0 && i < a->n; i++)
        if (a->im[i] > 0 && (best < 0 || fabs(a->re[i]) < fabs(a->re[best])) &&
            is_on_slice(s, &e, i))
            best = i;
    if (best > 0 && a->im[best] < 0)
        best--; /* of conjugates the one with positive imaginary part comes first */
    if (best < 0 || !(a->im[best] > 0))
        return zw_fail(s->err, ZW_E_DOMAIN, "no eigenvalue has an imaginary part");
    s->eigenvalue = best;
    return ZW_OK;
}

static zw_status check_pair(hopf_search *s) {
    const zw_linearisation *a = s->linear;
    s->out->sigma = a->re[s->eigenvalue];
    s->out->omega = a->im[s->eigenvalue];
    s->out->condition = a->condition[s->eigenvalue];
    if (!(s->out->condition <= CONDITION_MAX))
        return zw_fail(s->err, ZW_E_DOMAIN,
                       "the pair is defective to working accuracy (condition %.1e): two pairs "
                       "meet here",
                       s->out->condition);
    if (fabs(s->out->sigma) > PAIR_ON_AXIS * s->out->omega)
        return zw_fail(s->err, ZW_E_DOMAIN, "no pair lies on the imaginary axis: %.10g +- %.10gi",
                       s->out->sigma, s->out->omega);
    return ZW_OK;
}

/* the largest size among the nzero smallest eigenvalues, which count as zeros */
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

static zw_status reject_pair(const hopf_search *s, double im) {
    double ratio = fabs(im) / s->out->omega, whole = round(ratio);
    return zw_fail(s->err, ZW_E_DOMAIN,
                   "another pair lies on the imaginary axis, +-%.10gi%s: their amplitudes act on "
                   "each other",
                   fabs(im),
                   fabs(ratio - whole) < WHOLE_RATIO && whole >= 1 ? ", in resonance" : "");
}

/* the real part up to which eigenvalue i may lie on the axis, from omega and from rounding */
static double axis_margin(const hopf_search *s, double largest, int i) {
    return fmax(OTHER_ON_AXIS * s->linear->im[s->eigenvalue],
                EIGENVALUE_ROUNDOFF * largest * fmax(1, s->linear->condition[i]));
}

/* Rejects a pair that is not alone on the axis. Eigenvalues that levels explain are missing among
 * the eigenvalues e of the slice. (Those of the slice that belong to the rows of g lie at -kappa
 * and may be ill-conditioned.) */
static zw_status check_others(hopf_search *s, const zw_dense_eigen *e) {
    const zw_linearisation *a = s->linear;
    double largest = 0, zero = size_of_zeros(a);
    int zeros = 0;
    s->out->growing = 0;
    for (int i = 0; i < a->n; i++)
        largest = fmax(largest, hypot(a->re[i], a->im[i]));
    for (int i = 0; a->nzero && i < s->n; i++)
        zeros += hypot(e->re[i], e->im[i]) <= ZEROS_SPREAD * zero + ZERO_EIGENVALUE * largest;
    if (zeros > 0)
        return zw_fail(s->err, ZW_E_DOMAIN,
                       "%d zero eigenvalue%s that no conserved quantity explains: the motion may "
                       "drift along its family with the square of the amplitude",
                       zeros, zeros > 1 ? "s" : "");
    for (int i = 0; i < a->n; i++) {
        double margin = axis_margin(s, largest, i);
        if (i == s->eigenvalue || i == s->eigenvalue + 1 || hypot(a->re[i], a->im[i]) <= zero)
            continue;
        s->out->growing += a->re[i] > margin;
        if (fabs(a->re[i]) > margin)
            continue;
        if (a->im[i] == 0)
            return zw_fail(s->err, ZW_E_DOMAIN,
                           "besides the pair, the eigenvalue %.3g is zero within its accuracy",
                           a->re[i]);
        if (a->im[i] > 0 && is_on_slice(s, e, i))
            return reject_pair(s, a->im[i]);
    }
    return ZW_OK;
}

/* distance of 0 and 2 i omega from the eigenvalues of the slice, relative to omega */
static double resonance_gap(const hopf_search *s, const zw_dense_eigen *e) {
    double gap = INFINITY, w = s->out->omega;
    for (int i = 0; i < s->n; i++)
        gap = fmin(gap, fmin(hypot(e->re[i], e->im[i]), hypot(e->re[i], fabs(e->im[i]) - 2 * w)));
    return gap / w;
}

/* finds q and p of the pair in the slice, p*q = 1 */
static zw_status find_vectors(hopf_search *s) {
    int n = s->n;
    zw_dense_eigen e;
    zw_slice_first(&s->slice, s->A);
    if (!zw_dense_eigenvalues(s->work, n, s->A, &e))
        return zw_dense_failure(s->work, s->err);
    int j = nearest_eigenvalue(n, e.re, e.im, s->out->sigma, s->out->omega);
    if (hypot(e.re[j] - s->out->sigma, e.im[j] - s->out->omega) > SAME_EIGENVALUE * s->out->omega)
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
    s->out->gap = resonance_gap(s, &e);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- normal form */

static void add_scaled(int n, double factor, const double *from, double *to) {
    for (int i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* B(u, v) of complex vectors; sign -1: of u and the conjugate of v */
static zw_status quadratic_form(hopf_search *s, complex_vector u, complex_vector v, double sign,
                                complex_vector out) {
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
static zw_status cubic_form(hopf_search *s, complex_vector out) {
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

/* (i nu - A) x = b as 2n real equations, by singular values */
static zw_status solve_resolvent(hopf_search *s, double nu, complex_vector b, complex_vector x) {
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
static void add_projection(hopf_search *s, double factor, complex_vector v) {
    double size = 0;
    for (int i = 0; i < s->n; i++) {
        s->c_re += factor * (s->p.re[i] * v.re[i] + s->p.im[i] * v.im[i]);
        s->c_im += factor * (s->p.re[i] * v.im[i] - s->p.im[i] * v.re[i]);
        size += hypot(s->p.re[i], s->p.im[i]) * hypot(v.re[i], v.im[i]);
    }
    s->size += fabs(factor) * size;
}

static zw_status normal_form(hopf_search *s, double kappa) {
    int n = s->n;
    complex_vector b = new_complex_vector(s->work, n);
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
static void cycle_point(const hopf_search *s, double rho, double phase, double *y) {
    double c = cos(phase), d = sin(phase), c2 = cos(2 * phase), d2 = sin(2 * phase);
    for (int i = 0; i < s->n; i++)
        y[i] = 2 * rho * (s->q.re[i] * c - s->q.im[i] * d) +
               rho * rho * (s->h20.re[i] * c2 - s->h20.im[i] * d2 + s->h11.re[i]);
}

/* c1(rho) - c1; fails where the state leaves the domain of the model */
static zw_status coefficient_difference(hopf_search *s, double rho, double *re, double *im,
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
static double largest_entry(const hopf_search *s) {
    double largest = 0;
    for (int i = 0; i < s->n; i++)
        largest = fmax(largest, hypot(s->q.re[i], s->q.im[i]));
    return largest;
}

/* Is the difference at a radius small relative to the numbers that are reported? */
static bool is_close(const hopf_search *s, double re, double im) {
    double all = hypot(s->c_re, s->c_im),
           real = s->out->type == ZW_HOPF_DEGENERATE ? all : fabs(s->c_re);
    return fabs(im) <= FORM_VALID * all && fabs(re) <= FORM_VALID * real;
}

/* From the radius of best agreement (at smaller ones rounding dominates) up to the radius where
 * agreement ends. Stores |z| in out->holds for the moment. */
static zw_status compare_radii(hopf_search *s) {
    double rho = RADIUS_MAX / largest_entry(s), part[RADII], radius[RADII];
    bool good[RADII];
    int best = 0;
    for (int k = 0; k < RADII; k++, rho /= 2) {
        zw_error trouble = {0};
        double re = 0, im = 0;
        zw_status status = coefficient_difference(s, rho, &re, &im, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(s->err, NULL);
        radius[k] = rho;
        part[k] =
            status >= 0 ? hypot(re, im) / (s->size + CUBIC_NEGLIGIBLE * s->out->omega) : INFINITY;
        good[k] = status >= 0 && is_close(s, re, im);
        best = part[k] < part[best] ? k : best;
    }
    /* where the terms of c1 cancel, or nearly, rounding and terms of fifth order hide it at all
     * radii: the value from derivatives is right all the same */
    double left = part[best] * (s->size + CUBIC_NEGLIGIBLE * s->out->omega);
    bool is_hidden =
        left <= DIFFERENCE_HIDDEN * s->out->omega * largest_entry(s) * largest_entry(s);
    s->out->agrees = part[best];
    s->out->holds = 0;
    for (int k = best; k >= 0 && good[k]; k--)
        s->out->holds = radius[k];
    if (!(s->out->agrees <= FORM_AGREES) && !is_hidden)
        return zw_fail(s->err, ZW_E_DOUBT,
                       "the third derivatives do not describe the rates at resolvable amplitudes: "
                       "a function changes on a smaller scale, or has no third derivative");
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ amplitude */

/* Does a symmetry move entry i at the motion? */
static bool moves_by_symmetry(const hopf_search *s, int i) {
    for (int k = 0; k < s->slice.norbit; k++)
        if (fabs(s->slice.l[k * s->n + i]) > SYMMETRY_MOVES)
            return true;
    return false;
}

/* which entries of the mode change under the symmetries, so that their amplitude depends on the
 * frame */
static zw_status find_mixed_entries(hopf_search *s, bool *mixed) {
    const double *part[] = {s->q.re, s->q.im};
    double *moved = ZW_NEW(s->work, double, s->n + 1);
    if (!moved)
        return zw_out_of_memory(s->err, NULL);
    for (int k = 0; k < 2; k++) {
        ZW_TRY(zw_slice_moves(&s->slice, part[k], moved, s->err));
        for (int i = 0; i < s->n; i++)
            mixed[i] |= moved[i] > MODE_MIXED * largest_entry(s);
    }
    return ZW_OK;
}

/* Is entry i a past value of another entry (a node of a delay)? */
static bool is_delay_entry(const hopf_search *s, int i) {
    const zw_kernel *k = zw_flow_kernel(s->slice.flow);
    for (int j = 0; j < k->ndelay; j++)
        if (i >= k->delay[j].first && i < k->delay[j].first + k->delay[j].nodes)
            return true;
    return false;
}

/* The entry with the largest amplitude. Preferred are entries that no symmetry mixes, among these
 * coordinates; then other coordinates, then other entries. */
static int choose_entry(const hopf_search *s, const bool *mixed) {
    int n = s->n, nq = zw_flow_kernel(s->slice.flow)->nq, best = -1;
    for (int attempt = 0; best < 0 && attempt < 4; attempt++)
        for (int i = attempt % 2 ? nq : 0; i < (attempt % 2 ? n : nq); i++) {
            double size = hypot(s->q.re[i], s->q.im[i]);
            if ((attempt < 2 && mixed[i]) || moves_by_symmetry(s, i) || is_delay_entry(s, i) ||
                !(size > ENTRY_OSCILLATES * largest_entry(s)))
                continue;
            if (best < 0 || size > (1 + ENTRY_LARGER) * hypot(s->q.re[best], s->q.im[best]))
                best = i;
        }
    return best;
}

/* rejects a quantity m . x that a symmetry changes at the motion */
static zw_status check_measure(const hopf_search *s, const double *m) {
    for (int k = 0; k < s->slice.norbit; k++) {
        double along = 0, all = 0;
        for (int i = 0; i < s->n; i++) {
            along += m[i] * s->options.scale[i] * s->slice.l[k * s->n + i];
            all += fabs(m[i] * s->options.scale[i]);
        }
        if (fabs(along) > SYMMETRY_MOVES * all)
            return zw_fail(s->err, ZW_E_OPTION,
                           "the symmetries move the quantity whose amplitude is asked for");
    }
    return ZW_OK;
}

/* 2 m . q of the quantity with the amplitude r */
static zw_status measure_mode(hopf_search *s, double *size, double *re, double *im) {
    const double *m = s->options.measure, *scale = s->options.scale;
    bool *mixed = ZW_NEW(s->work, bool, s->n + 1);
    if (!mixed)
        return zw_out_of_memory(s->err, NULL);
    ZW_TRY(find_mixed_entries(s, mixed));
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
    if (parts > 1) /* not known without second derivatives */
        s->out->moving = false;
    s->out->entry = entry;
    *size = hypot(*re, *im);
    if (m && !(*size > ZW_ROUNDOFF_SUM * largest_entry(s) * zw_dense_norm(s->n, m)))
        return zw_fail(s->err, ZW_E_OPTION,
                       "the quantity whose amplitude is asked for does not swing in this mode");
    if (!m && entry < 0) {
        *size = 2 * largest_entry(s);
        *re = *size;
    }
    return ZW_OK;
}

/* Stores the results in units of r, with the phase of the measured quantity as theta. */
static zw_status store_results(hopf_search *s, double error_re, double error_im,
                               zw_arena *results) {
    zw_hopf *out = s->out;
    int n = s->n;
    double size, re, im;
    ZW_TRY(measure_mode(s, &size, &re, &im));
    double square = size * size, c = re / size, d = -im / size; /* e^(-i phase) */
    double c2 = c * c - d * d, d2 = 2 * c * d;
    out->a = s->c_re / square;
    out->b = s->c_im / square;
    out->a_error = error_re / square;
    out->b_error = error_im / square;
    /* the slaved modes follow as long as the amplitude changes more slowly than they decay */
    out->holds =
        fmin(out->holds * size, sqrt(FORM_VALID * out->gap * out->omega / hypot(out->a, out->b)));
    out->q_re = ZW_NEW(results, double, n + 1);
    out->q_im = ZW_NEW(results, double, n + 1);
    out->mean = ZW_NEW(results, double, n + 1);
    out->second_re = ZW_NEW(results, double, n + 1);
    out->second_im = ZW_NEW(results, double, n + 1);
    out->used = ZW_NEW(results, bool, s->slice.nlevel + 1);
    if (results->failed)
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

static zw_status prepare_slice(hopf_search *s, zw_flow *flow, const zw_symmetries *sym,
                               const zw_steady *at) {
    zw_slice *l = &s->slice;
    *l = (zw_slice){.flow = flow, .s = sym, .at = at, .linear = s->linear};
    l->scale = s->options.scale;
    l->level = s->options.level;
    l->nlevel = s->options.nlevel;
    s->n = s->linear->nx;
    s->A = ZW_NEW(s->work, double, s->n * s->n + 1);
    s->q = new_complex_vector(s->work, s->n);
    s->p = new_complex_vector(s->work, s->n);
    s->h11 = new_complex_vector(s->work, s->n);
    s->h20 = new_complex_vector(s->work, s->n);
    return s->work->failed ? zw_out_of_memory(s->err, NULL) : zw_slice_init(l, s->work, s->err);
}

static zw_status find_normal_form(hopf_search *s, zw_flow *flow, const zw_symmetries *sym,
                                  const zw_steady *at, zw_arena *results) {
    if (!s->options.scale)
        return zw_fail(s->err, ZW_E_OPTION, "zw_hopf_find needs the sizes of the entries (scale)");
    s->out->nx = s->linear->nx;
    ZW_TRY(prepare_slice(s, flow, sym, at));
    ZW_TRY(choose_pair(s));
    ZW_TRY(check_pair(s));
    double kappa = s->options.kappa > 0 ? s->options.kappa : s->out->omega;
    ZW_TRY(normal_form(s, SECOND_KAPPA * kappa));
    double re = s->c_re, im = s->c_im; /* vectors have length 1 */
    ZW_TRY(normal_form(s, kappa));
    double margin = (ZW_ROUNDOFF_VALUE * fmax(1, 1 / s->out->gap) +
                     fabs(s->out->sigma) / s->out->omega) *
                    s->size,
           error_re = fabs(re - s->c_re) + margin, error_im = fabs(im - s->c_im) + margin;
    s->out->type = fabs(s->c_re) <= ERRORS_FROM_ZERO * error_re ? ZW_HOPF_DEGENERATE
                   : s->c_re < 0                                ? ZW_HOPF_SUPERCRITICAL
                                                                : ZW_HOPF_SUBCRITICAL;
    ZW_TRY(compare_radii(s));
    return store_results(s, error_re, error_im, results);
}

zw_status zw_hopf_find(zw_hopf *out, zw_flow *flow, const zw_symmetries *s, const zw_steady *at,
                       const zw_linearisation *a, const zw_hopf_options *options, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    zw_arena work;
    hopf_search h = {.out = out, .linear = a, .eigenvalue = -1, .work = &work, .err = err};
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
