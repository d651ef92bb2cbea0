/* SPDX-License-Identifier: MIT */
/* Curves of folds and Hopf points in the plane of a and b: the surface of steady motions U r(X, a,
 * b) = 0 with one more equation g = 0.
 *
 *     fold     K_X = U r_X is singular if and only if g = 0 in the bordered system
 *                  ( K_X  B ) ( v )   ( 0 )
 *                  ( C'   0 ) ( g ) = ( 1 );     v is then the null vector
 *              (A. Griewank, G. W. Reddien, SIAM J. Numer. Anal. 21, 1984)
 *     Hopf     g = l_1 + l_2, the sum of a pair of eigenvalues, which like the product kappa = l_1
 * l_2 is smooth where the two meet; kappa = omega^2 > 0 on the curve of Hopf points, which ends at
 * kappa = 0
 *
 * B and C are the singular vectors of K_X at the last point. Derivatives of g, in all directions,
 * are central differences: they only guide Newton's method, whose result satisfies r = 0 and g = 0.
 * Test functions on the curves:
 *
 *     cusp               dg/dX v, the quadratic term of the fold
 *     Bogdanov-Takens    fold: (l_1 + l_2) prod l_j, l_1 and l_2 the smallest;  Hopf: kappa
 *     zero-Hopf          fold: prod (l_i + l_j) without the zero;  Hopf: prod l_j without the pair
 *     double Hopf        prod (l_i + l_j) without the pair
 *     generalised Hopf   the cubic term, by the caller's function
 *
 * A product of sums also vanishes where two real eigenvalues are opposite: without a pair on the
 * axis this is no special point. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "steady_curve.h"

enum { LOW, HIGH, TAKENS, ZERO_HOPF, THIRD, FOURTH, TESTS }; /* cusp; generalised, double Hopf */
#define DIFFERENCE_STEP 1e-5                                 /* of the units, for g: eps^(1/3) */
#define STEP_FIRST 0.02                                      /* in s */
#define TOLERANCE_FACTOR 10 /* on the tolerance of curves: g comes from one more decomposition */
/* of s: a special point there is that of the start; well below the first step */
#define START_LENGTH 1e-4
/* Test function at the start: the start itself is such a point. Points are known to
 * ZW_SAME_SOLUTION and test functions at most to a tenth of that. */
#define TEST_AT_START 1e-7
#define FREQUENCY_SLOW 1e-4 /* of the frequency at the start, squared: too slow for a cubic term */
#define PAIR_ROUNDOFF ZW_ROUNDOFF_SUM /* imaginary part of the sum of a conjugate or real pair */
/* of the unit of a: a start on the end of the range lies within it */
#define RANGE_SLACK ZW_SAME_VALUE

/* A curve of folds or Hopf points. */
typedef struct special_curve {
    zw_steady_curve *c;
    bool hopf;
    double *B, *C, *v;  /* N, N, N + 1: of the fold; v from the last evaluation of g */
    double *psi;        /* M: B in all rows, with the same orientation at all points */
    double *slope;      /* N + 2: of g */
    double *X;          /* N + 2: work */
    double kappa, unit; /* of the pair at the last point; 1/s */
    int pair[2];        /* of the last spectrum */
    double kappa_now;   /* its product */
    double cubic;       /* of the last tests; NaN if unknown */
    bool first;         /* the special points at the start are still to be reported */
} special_curve;

/* -------------------------------------------------------------------------------------------- g */

/* K_X (N x N) and its borders into work, factored; v and g. */
static zw_status fold_function(special_curve *m, const double *X, double a, double b, double *g,
                               zw_error *err) {
    zw_steady_curve *c = m->c;
    int N = c->N, n = N + 1;
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, N, err));
    zw_steady_curve_reduce_matrix(c, N, c->work2);
    for (int i = 0; i < N; i++) {
        memcpy(c->work + (size_t)(i * n), c->work2 + (size_t)(i * N), sizeof(double) * (size_t)N);
        c->work[i * n + N] = m->B[i];
        c->work[N * n + i] = m->C[i];
    }
    c->work[n * n - 1] = 0;
    memset(m->v, 0, sizeof(double) * (size_t)N);
    m->v[N] = 1;
    if (!(zw_num_lu(n, c->work, c->pivot_side) > 0))
        return ZW_RETRY;
    zw_num_lu_solve(n, c->work, c->pivot_side, 1, m->v);
    *g = m->v[N];
    return isfinite(*g) ? ZW_OK : ZW_RETRY;
}

/* The two eigenvalues whose product is nearest to that of the last pair, and whose sum is nearest
 * to zero. */
static bool choose_pair(special_curve *m) {
    const zw_steady_curve *c = m->c;
    double best = INFINITY, size = fabs(m->kappa) + FREQUENCY_SLOW * m->unit * m->unit;
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j < c->n; j++) {
            double complex u = c->re[i] + I * c->im[i], v = c->re[j] + I * c->im[j];
            if (fabs(cimag(u + v)) > PAIR_ROUNDOFF * cabs(u)) /* neither conjugate nor real */
                continue;
            double off = fabs(creal(u * v) - m->kappa) / size + creal((u + v) * (u + v)) / size;
            if (off < best) {
                best = off;
                m->pair[0] = i;
                m->pair[1] = j;
                m->kappa_now = creal(u * v);
            }
        }
    return isfinite(best);
}

static zw_status hopf_function(special_curve *m, const double *X, double a, double b, double *g,
                               zw_error *err) {
    ZW_TRY(zw_steady_curve_spectrum(m->c, X, a, b, false, err));
    if (!choose_pair(m))
        return ZW_RETRY;
    *g = (m->c->re[m->pair[0]] + m->c->re[m->pair[1]]) / m->unit;
    return ZW_OK;
}

static zw_status evaluate_function(special_curve *m, const double *X, double a, double b, double *g,
                                   zw_error *err) {
    return m->hopf ? hopf_function(m, X, a, b, g, err) : fold_function(m, X, a, b, g, err);
}

/* -------------------------------------------------------------------------------------- problem */

static zw_status evaluate_residual(void *self, const double *X, double b, double *r,
                                   zw_error *err) {
    special_curve *m = self;
    zw_steady_curve *c = m->c;
    double a = X[c->N];
    zw_status status = evaluate_function(m, X, a, b, &r[c->N], err);
    if (status == ZW_OK)
        status = zw_steady_curve_residual(c, X, a, b, c->r, err);
    if (status == ZW_OK)
        zw_steady_curve_reduce(c, c->r, r);
    return status;
}

/* g at a distance h in direction k: X, a, b in their units. */
static zw_status shifted_function(special_curve *m, const double *X, double b, int k, double h,
                                  double *g, zw_error *err) {
    zw_steady_curve *c = m->c;
    memcpy(m->X, X, sizeof(double) * (size_t)(c->N + 1));
    m->X[c->N + 1] = b;
    m->X[k] += h * (k < c->N ? 1 : k == c->N ? c->unit_a : c->unit_b);
    return evaluate_function(m, m->X, m->X[c->N], m->X[c->N + 1], g, err);
}

static zw_status factor_jacobian(void *self, const double *X, double b, const double *row,
                                 zw_error *err) {
    special_curve *m = self;
    zw_steady_curve *c = m->c;
    int N = c->N, n = N + 2;
    for (int k = 0; k < n; k++) {
        double low, high;
        zw_status status = shifted_function(m, X, b, k, -DIFFERENCE_STEP, &low, err);
        if (status == ZW_OK)
            status = shifted_function(m, X, b, k, DIFFERENCE_STEP, &high, err);
        if (status != ZW_OK)
            return status;
        m->slope[k] = (high - low) / (2 * DIFFERENCE_STEP);
    }
    ZW_TRY(zw_steady_curve_jacobian(c, X, X[N], b, n, err));
    zw_steady_curve_reduce_matrix(c, n, c->matrix);
    memcpy(c->matrix + (size_t)(N * n), m->slope, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        c->matrix[(N + 1) * n + k] = row[k] * (k < N ? 1 : k == N ? c->unit_a : c->unit_b);
    return zw_num_lu(n, c->matrix, c->pivot) > 0 ? ZW_OK : ZW_RETRY;
}

static void solve_factored(void *self, double *B) {
    zw_steady_curve *c = ((special_curve *)self)->c;
    zw_num_lu_solve(c->N + 2, c->matrix, c->pivot, 1, B);
    B[c->N] *= c->unit_a;
    B[c->N + 1] *= c->unit_b;
}

static double inner_product(void *self, const double *u, const double *v) {
    zw_steady_curve *c = ((special_curve *)self)->c;
    double sum = u[c->N] * v[c->N] / (c->unit_a * c->unit_a);
    for (int i = 0; i < c->nx; i++)
        sum += u[i] * v[i];
    return sum;
}

/* ---------------------------------------------------------------------------------------- tests */

/* The two smallest eigenvalues. */
static void find_smallest(const zw_steady_curve *c, int out[2]) {
    out[0] = out[1] = -1;
    for (int i = 0; i < c->n; i++) {
        double size = hypot(c->re[i], c->im[i]);
        if (out[0] < 0 || size < hypot(c->re[out[0]], c->im[out[0]])) {
            out[1] = out[0];
            out[0] = i;
        } else if (out[1] < 0 || size < hypot(c->re[out[1]], c->im[out[1]])) {
            out[1] = i;
        }
    }
}

/* prod l_j / (|l_j| + unit) over all but two. */
static double product_without(const special_curve *m, const int skip[2]) {
    const zw_steady_curve *c = m->c;
    double complex product = 1;
    for (int i = 0; i < c->n; i++)
        if (i != skip[0] && i != skip[1])
            product *= (c->re[i] + I * c->im[i]) / (hypot(c->re[i], c->im[i]) + m->unit);
    return creal(product);
}

static zw_status fold_tests(special_curve *m, const double *X, double b, double *value,
                            zw_error *err) {
    zw_steady_curve *c = m->c;
    int N = c->N, low[2];
    double g[2], length = 0;
    zw_status status = fold_function(m, X, X[N], b, &g[0], err);
    if (status != ZW_OK)
        return status;
    memcpy(m->slope, m->v, sizeof(double) * (size_t)N); /* the null vector */
    for (int i = 0; i < N; i++)
        length += m->slope[i] * m->slope[i];
    for (int side = 0; side < 2 && length > 0; side++) {
        for (int i = 0; i < N; i++)
            m->X[i] =
                X[i] + (side ? DIFFERENCE_STEP : -DIFFERENCE_STEP) * m->slope[i] / sqrt(length);
        if ((status = fold_function(m, m->X, X[N], b, &g[side], err)) != ZW_OK)
            return status;
    }
    value[THIRD] = (g[1] - g[0]) / (2 * DIFFERENCE_STEP) * sqrt(length);
    ZW_TRY(zw_steady_curve_spectrum(c, X, X[N], b, false, err));
    find_smallest(c, low);
    if (c->n > 1)
        value[TAKENS] = (c->re[low[0]] + c->re[low[1]]) / m->unit * product_without(m, low);
    low[1] = -1;
    if (c->n > 2)
        value[ZERO_HOPF] = zw_steady_curve_sums(c, low);
    return ZW_OK;
}

static zw_status hopf_tests(special_curve *m, const double *X, double b, double *value,
                            zw_error *err) {
    zw_steady_curve *c = m->c;
    double g;
    zw_status status = hopf_function(m, X, X[c->N], b, &g, err);
    if (status != ZW_OK)
        return status;
    value[TAKENS] = m->kappa_now / (m->unit * m->unit);
    if (c->n > 2)
        value[ZERO_HOPF] = product_without(m, m->pair);
    if (c->n > 3)
        value[FOURTH] = zw_steady_curve_sums(c, m->pair);
    m->cubic = NAN;
    if (c->o.cubic && value[TAKENS] > FREQUENCY_SLOW) {
        double omega = sqrt(m->kappa_now);
        ZW_TRY(zw_steady_curve_residual(c, X, X[c->N], b, c->r, err));
        memcpy(c->motion.x, c->x, sizeof(double) * (size_t)c->nx);
        memcpy(c->motion.c, c->c, sizeof(double) * (size_t)c->nc);
        memcpy(c->motion.z, c->z, sizeof(double) * (size_t)c->k->nz);
        ZW_TRY(c->o.cubic(c->o.user, &c->motion, &c->s, omega, &m->cubic, err));
        value[THIRD] = m->cubic;
    }
    return ZW_OK;
}

static zw_status evaluate_tests(void *self, const double *X, double b, double slope, double *value,
                                zw_error *err) {
    special_curve *m = self;
    zw_error ignored = {0};
    (void)slope;
    for (int i = 0; i < TESTS; i++)
        value[i] = NAN;
    /* a start on the very end of the range is in it, although half of its curve leaves at once */
    double slack = RANGE_SLACK * m->c->unit_a;
    value[LOW] = X[m->c->N] - m->c->o.low + slack;
    value[HIGH] = X[m->c->N] - m->c->o.high - slack;
    zw_status status =
        m->hopf ? hopf_tests(m, X, b, value, &ignored) : fold_tests(m, X, b, value, &ignored);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

/* B and C from the smallest singular value of K_X, with the orientation of the last B. */
static zw_status update_borders(special_curve *m, const double *X, double a, double b,
                                zw_error *err) {
    zw_steady_curve *c = m->c;
    int N = c->N;
    double along = 0;
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, N, err));
    zw_steady_curve_reduce_matrix(c, N, c->work2);
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, N + 1), *V = ZW_NEW(&c->arena, double, N *N + 1),
           *U = ZW_NEW(&c->arena, double, N *N + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (!zw_dense_svd(&c->arena, N, N, c->work2, sv, V, U))
        return zw_dense_failure(&c->arena, err);
    memcpy(m->B, U + (size_t)((N - 1) * N), sizeof(double) * (size_t)N);
    memcpy(m->C, V + (size_t)((N - 1) * N), sizeof(double) * (size_t)N);
    zw_arena_release(&c->arena, mark);
    double *psi = c->r_side; /* B U */
    zw_dense_multiply(1, N, c->M, m->B, c->U, psi);
    for (int i = 0; i < c->M; i++)
        along += psi[i] * m->psi[i];
    for (int i = 0; i < N && along < 0; i++)
        m->B[i] = -m->B[i];
    for (int i = 0; i < c->M; i++)
        m->psi[i] = along < 0 ? -psi[i] : psi[i];
    return ZW_OK;
}

static zw_status set_reference(special_curve *m, const double *X, double b, zw_error *err) {
    zw_steady_curve *c = m->c;
    double g;
    ZW_TRY(zw_steady_curve_refer(c, X, X[c->N], b, c->N + 2, NULL, err));
    if (!m->hopf)
        return update_borders(m, X, X[c->N], b, err);
    zw_status status = hopf_function(m, X, X[c->N], b, &g, err);
    if (status == ZW_OK)
        m->kappa = m->kappa_now;
    return status;
}

static bool update_metric(void *self, const double *X, double b) {
    zw_error ignored = {0};
    set_reference(self, X, b, &ignored);
    return false;
}

static zw_steady_kind kind_of(special_curve *m, const zw_cont_point *p, double *omega) {
    zw_steady_curve *c = m->c;
    int skip[2], pair = -1;
    switch (p->what) {
    case ZW_CONT_BOUND:
    case LOW:
    case HIGH:
        return ZW_STEADY_END;
    case TAKENS:
        *omega = 0;
        return ZW_STEADY_BOGDANOV_TAKENS;
    case THIRD:
        return m->hopf ? ZW_STEADY_GENERALISED_HOPF : ZW_STEADY_CUSP;
    case ZERO_HOPF:
        if (m->hopf)
            return m->kappa_now > 0 ? ZW_STEADY_ZERO_HOPF : ZW_STEADY_POINT;
        find_smallest(c, skip);
        skip[1] = -1;
        pair = zw_steady_curve_pair(c, skip);
        *omega = pair >= 0 ? c->im[pair] : 0;
        return pair >= 0 ? ZW_STEADY_ZERO_HOPF : ZW_STEADY_POINT;
    case FOURTH:
        return zw_steady_curve_pair(c, m->pair) >= 0 && m->kappa_now > 0 ? ZW_STEADY_DOUBLE_HOPF
                                                                         : ZW_STEADY_POINT;
    default:
        return ZW_STEADY_POINT;
    }
}

static zw_status report_point(zw_steady_curve *c, zw_steady_kind kind, const zw_cont_point *p,
                              double omega, double cubic, zw_error *err) {
    zw_steady_point point = {
        .kind = kind, .a = p->x[c->N], .b = p->a, .s = p->s, .omega = omega, .cubic = cubic};
    if (p->what == LOW || p->what == HIGH)
        point.a = p->what == LOW ? c->o.low : c->o.high;
    return zw_steady_curve_report(c, &point, p->x, p->tangent, c->N + 2, err);
}

/* Report special points at the start itself: no sign changes after it. */
static zw_status report_start(special_curve *m, const zw_cont_point *p, double omega, double cubic,
                              zw_error *err) {
    static const int which[] = {TAKENS, ZERO_HOPF, FOURTH};
    zw_steady_curve *c = m->c;
    for (int i = 0; i < 3; i++) {
        zw_cont_point at = *p;
        double own = omega;
        at.what = which[i];
        if (!(fabs(p->test[which[i]]) <= TEST_AT_START))
            continue;
        zw_steady_kind kind = kind_of(m, &at, &own);
        /* both eigenvalues are zero, not one alone */
        if (kind == ZW_STEADY_BOGDANOV_TAKENS && !m->hopf) {
            int low[2];
            find_smallest(c, low);
            if (!(hypot(c->re[low[1]], c->im[low[1]]) <= FREQUENCY_SLOW * m->unit))
                continue;
        }
        if (kind != ZW_STEADY_POINT)
            c->at_start |= 1u << kind;
        if (kind != ZW_STEADY_POINT)
            ZW_TRY(report_point(c, kind, p, own, cubic, err));
    }
    return ZW_OK;
}

static zw_status accept_point(void *user, const zw_cont_point *p, zw_error *err) {
    special_curve *m = user;
    zw_steady_curve *c = m->c;
    double g, a = p->x[c->N], cubic = m->hopf ? p->test[THIRD] : (double)NAN;
    zw_status status = m->hopf ? hopf_function(m, p->x, a, p->a, &g, err)
                               : zw_steady_curve_spectrum(c, p->x, a, p->a, false, err);
    ZW_TRY(status);
    double omega = m->hopf && m->kappa_now > 0 ? sqrt(m->kappa_now) : 0;
    zw_steady_kind kind = kind_of(m, p, &omega);
    bool located = p->what >= 0 || p->what == ZW_CONT_FOLD;
    if (located && (kind == ZW_STEADY_POINT || (p->s <= START_LENGTH && c->at_start >> kind & 1)))
        return ZW_OK;
    status = report_point(c, kind, p, omega, cubic, err);
    ZW_TRY(status);
    if (!located) {
        ZW_TRY(zw_steady_curve_spectrum(c, p->x, a, p->a, false, err));
        memcpy(c->last_re, c->re, sizeof(double) * (size_t)c->n);
        memcpy(c->last_im, c->im, sizeof(double) * (size_t)c->n);
        c->nlast = c->n;
    }
    if (m->first) {
        m->first = false;
        ZW_TRY(report_start(m, p, omega, cubic, err));
    }
    bool ends = p->what == LOW || p->what == HIGH || (m->hopf && p->what == TAKENS);
    return ends ? ZW_STOPPED : status;
}

static zw_status allocate_work(special_curve *m, zw_error *err) {
    zw_arena *arena = &m->c->arena;
    int N = m->c->N;
    m->B = ZW_NEW(arena, double, N + 1);
    m->C = ZW_NEW(arena, double, N + 1);
    m->v = ZW_NEW(arena, double, N + 2);
    m->psi = ZW_NEW(arena, double, m->c->M + 1);
    m->slope = ZW_NEW(arena, double, N + 3);
    m->X = ZW_NEW(arena, double, N + 3);
    return zw_arena_status(arena, err);
}

static zw_status follow_curve(special_curve *m, const zw_steady_point *at, double *X, int direction,
                              zw_cont_info *info, zw_error *err) {
    zw_steady_curve *c = m->c;
    zw_cont_problem p = {.self = m,
                         .n = c->N + 1,
                         .unit = c->unit_b,
                         .residual = evaluate_residual,
                         .factor = factor_jacobian,
                         .solve = solve_factored,
                         .inner = inner_product,
                         .ntest = TESTS,
                         .tests = evaluate_tests,
                         .measure = update_metric};
    zw_cont_options o = zw_cont_options_default();
    o.low = c->o.b_low;
    o.high = c->o.b_high;
    o.step = STEP_FIRST;
    o.step_max = c->o.step_max;
    o.points_max = c->o.points_max;
    o.tolerance = TOLERANCE_FACTOR * c->o.tolerance;
    zw_steady_curve_place(c, at->motion, X);
    X[c->N] = at->a;
    m->unit = m->hopf ? at->omega : c->rate;
    m->kappa = at->omega * at->omega;
    zw_status status = set_reference(m, X, at->b, err);
    if (status != ZW_OK)
        return status < 0 ? status : zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours");
    return zw_continue(&p, &o, X, at->b, direction, accept_point, m, info, &c->arena.alloc, err);
}

zw_status zw_steady_curve_marks(zw_steady_curve *c, const zw_steady_point *at, int direction,
                                zw_steady_take taker, void *user, zw_cont_info *info,
                                zw_error *err) {
    special_curve m = {.c = c,
                       .hopf = at->kind == ZW_STEADY_HOPF,
                       .cubic = NAN,
                       .first = direction < 0 || at->b <= c->o.b_low}; /* for one direction only */
    if (at->kind != ZW_STEADY_HOPF && at->kind != ZW_STEADY_FOLD)
        return zw_fail(err, ZW_E_OPTION, "only folds and Hopf points can be followed as curves");
    if (!c->counted)
        return zw_fail(err, ZW_E_OPTION, "a mark belongs to a curve that was followed before");
    if (!(c->unit_b > 0))
        return zw_fail(err, ZW_E_OPTION, "curves of marks need the range of a second value");
    c->take = taker;
    c->user = user;
    c->at_start = m.first ? 0 : c->at_start;
    ZW_TRY(zw_steady_curve_begin(c, at->motion, at->a, at->b, false, err));
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    zw_status status = allocate_work(&m, err);
    double *X = ZW_NEW(&c->arena, double, c->N + 3);
    if (status >= 0 && !X)
        status = zw_out_of_memory(err, NULL);
    if (status >= 0)
        status = follow_curve(&m, at, X, direction, info, err);
    zw_arena_release(&c->arena, mark);
    return status;
}
